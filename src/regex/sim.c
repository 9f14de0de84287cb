/*
 * sim.c - the program run as a set of steps, without an automaton.
 *
 * Every item remembers where its match began. Lists are in the order of these places,
 * so the first item to claim a step is the leftmost, and the others are dropped: what can
 * follow depends on the step alone. When a match is found, items that began later are cut off;
 * those that began at the same place go on, to make it longer.
 */
#include "sim.h"

struct entry {
	uint32_t item;
	const unsigned char *start;
};

struct list {
	struct entry *e;
	size_t n, cap;
};

struct sim {
	struct list now, reached, next;
	uint32_t *seen, mark;
	uint32_t *todo;
};

static void add(struct regex_scratch *s, struct list *l, uint32_t item, const unsigned char *start)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 32;

		l->e = arena_grow(s->arena, l->e, l->n * sizeof(*l->e), cap * sizeof(*l->e));
		l->cap = cap;
	}
	l->e[l->n++] = (struct entry){item, start};
}

static struct sim *sim_of(struct regex_scratch *s)
{
	const struct program *p = &s->re->program;
	struct sim *m = s->sim;

	if (!m) {
		m = s->sim = arena_zalloc(s->arena, sizeof(*m));
		m->seen = arena_zalloc(s->arena, p->n * sizeof(*m->seen));
		m->todo = arena_alloc(s->arena, (p->n + 1) * sizeof(*m->todo));
	}
	return m;
}

static void visit(struct sim *m, uint32_t *todo, uint32_t q)
{
	if (m->seen[q] != m->mark) {
		m->seen[q] = m->mark;
		m->todo[(*todo)++] = q;
	}
}

/* Adds to m->reached all that `q` leads to without reading; true when a match ends. */
static bool follow(struct regex_scratch *s, struct sim *m, uint32_t q, const unsigned char *start,
                   unsigned before, unsigned after)
{
	const struct program *p = &s->re->program;
	uint32_t todo = 0;
	bool hit = false;

	visit(m, &todo, q);
	while (todo) {
		const struct step *st = &p->step[q = m->todo[--todo]];

		switch (st->op) {
		case STEP_MATCH: hit = true; break;
		case STEP_SPLIT:
			visit(m, &todo, st->y);
			visit(m, &todo, st->x);
			break;
		case STEP_ASSERT:
			if (assert_holds(st->arg, before, after))
				visit(m, &todo, st->x);
			break;
		case STEP_JUMP:
		case STEP_SAVE: visit(m, &todo, st->x); break;
		default: add(s, &m->reached, q, start); break;
		}
	}
	return hit;
}

static void read_byte(struct regex_scratch *s, struct sim *m, const struct entry *e, unsigned b)
{
	const struct program *p = &s->re->program;
	uint32_t q = item_step(p, e->item), node = item_node(p, e->item), to;
	const struct step *st = &p->step[q];

	switch (st->op) {
	case STEP_BYTE:
		if (st->arg == b)
			add(s, &m->next, st->x, e->start);
		break;
	case STEP_SET:
		if (byteset_has(&p->sets[st->index], b))
			add(s, &m->next, st->x, e->start);
		break;
	case STEP_MACHINE:
		to = machine_step(p->machines[st->index], node, b);
		if (to == MACHINE_ACCEPT)
			add(s, &m->next, st->x, e->start);
		else if (to != MACHINE_NONE)
			add(s, &m->next, q | to << p->step_bits, e->start);
		break;
	case STEP_TRIE:
		to = trie_step(p->trie, node, b);
		if (!to)
			break;
		if (p->trie->is_final[to])
			add(s, &m->next, st->x, e->start);
		if (p->trie->first[to])
			add(s, &m->next, q | to << p->step_bits, e->start);
		break;
	default: break;
	}
}

bool sim_search(struct regex_scratch *s, const struct text *t, const unsigned char *at,
                bool anchored, struct sim_found *f)
{
	const struct program *p = &s->re->program;
	struct sim *m = sim_of(s);
	struct sim_found best = {NULL, NULL};
	struct list swap;

	m->now.n = 0;
	for (const unsigned char *c = at;; c++) {
		unsigned before = p->has_asserts ? text_before(p, t, c) : 0;
		unsigned after = p->has_asserts ? text_after(p, t, c) : 0;

		if (!best.start && (anchored ? c == at : text_is_boundary(p, t, c)))
			add(s, &m->now, 0, c);
		m->mark++;
		m->reached.n = 0;
		for (size_t i = 0; i < m->now.n; i++) {
			struct entry e = m->now.e[i];

			if (best.start && e.start > best.start)
				break;
			if (item_node(p, e.item)) {
				add(s, &m->reached, e.item, e.start);
				continue;
			}
			if (m->seen[e.item] != m->mark &&
			    follow(s, m, e.item, e.start, before, after)) {
				if (!f)
					return true;
				best.start = e.start;
				best.end = c;
			}
		}
		if (c == t->end || (m->reached.n == 0 && (best.start || anchored)))
			break;
		m->next.n = 0;
		for (size_t i = 0; i < m->reached.n; i++)
			read_byte(s, m, &m->reached.e[i], *c);
		scratch_tick(s, 1 + m->reached.n);
		swap = m->now;
		m->now = m->next;
		m->next = swap;
	}
	if (f)
		*f = best;
	return best.start != NULL;
}
