/*
 * dfa.c - the program as an automaton whose states are made when they are first met.
 *
 * A state is the set of items reached by reading a byte, before assertions and jumps
 * are followed, plus what is known of the place (line start, word character before). They
 * are followed when the next byte is known, because `$` and `\>` look at it. So a match
 * is noticed one byte late, and the end of the text has a class of its own.
 *
 * States are kept within a budget; when it is spent all are dropped and made anew.
 * Backward, the same program is read with its edges reversed.
 */
#include "dfa.h"

static void reset(struct dfa *d)
{
	d->nstates = DFA_FIRST;
	d->pool_n = 0;
	memset(d->hash, 0, d->hash_cap * sizeof(*d->hash));
	memset(d->start, 0, sizeof(d->start));
	memset(d->next, 0, (size_t)d->row * DFA_FIRST * sizeof(*d->next));
	for (uint32_t i = 0; i < d->row; i++) {
		d->next[DFA_DEAD * d->row + i] = DFA_DEAD * d->row;
		d->next[DFA_FOUND * d->row + i] = DFA_FOUND * d->row;
		d->next[DFA_QUIT * d->row + i] = DFA_QUIT * d->row;
	}
	d->idle = 0;
	d->idle_known = false;
	if (d->alive)
		memset(d->alive, 0, d->alive_cap * sizeof(*d->alive));
}

static bool is_backward(const struct dfa *d)
{
	return d->kind == DFA_STARTS || d->kind == DFA_TRACE;
}

/* The match begins (backward: ends) where the run does, not anywhere. */
static bool is_fixed(const struct dfa *d)
{
	return d->kind == DFA_LONGEST || d->kind == DFA_TRACE;
}

/* The steps that lead to each step: in[in_from[q] .. in_from[q + 1]). */
static void reverse_edges(struct dfa *d)
{
	const struct program *p = d->p;
	uint32_t *from = arena_zalloc(d->s->arena, (p->n + 2) * sizeof(*from));
	uint32_t *fill;

	for (uint32_t i = 0; i < p->n; i++) {
		if (p->step[i].op != STEP_MATCH)
			from[p->step[i].x + 1]++;
		if (p->step[i].op == STEP_SPLIT)
			from[p->step[i].y + 1]++;
	}
	for (uint32_t i = 0; i < p->n; i++)
		from[i + 1] += from[i];
	d->in = arena_alloc(d->s->arena, (from[p->n] + 1) * sizeof(*d->in));
	fill = arena_alloc(d->s->arena, p->n * sizeof(*fill));
	memcpy(fill, from, p->n * sizeof(*fill));
	for (uint32_t i = 0; i < p->n; i++) {
		if (p->step[i].op != STEP_MATCH)
			d->in[fill[p->step[i].x]++] = i;
		if (p->step[i].op == STEP_SPLIT)
			d->in[fill[p->step[i].y]++] = i;
	}
	d->in_from = from;
}

struct dfa *dfa_new(struct regex_scratch *s, enum dfa_kind kind)
{
	struct arena *a = s->arena;
	const struct program *p = &s->re->program;
	struct dfa *d = arena_zalloc(a, sizeof(*d));

	d->p = p;
	d->s = s;
	d->kind = kind;
	d->delim = '\n';
	d->row = p->nclasses + 2;
	d->states_max = DFA_BUDGET / 2 / (d->row * (uint32_t)sizeof(*d->next) + 24);
	d->states_max = MAX(d->states_max, 24);
	d->states_cap = 12;
	d->pool_max = MAX(DFA_BUDGET / 2 / sizeof(*d->pool), 8 * (size_t)p->n);
	d->pool_cap = 64;
	d->next = arena_alloc(a, (size_t)d->row * d->states_cap * sizeof(*d->next));
	d->state = arena_alloc(a, d->states_cap * sizeof(*d->state));
	d->pool = arena_alloc(a, d->pool_cap * sizeof(*d->pool));
	d->hash_cap = 32;
	d->hash = arena_alloc(a, d->hash_cap * sizeof(*d->hash));
	d->seen = arena_zalloc(a, p->n * sizeof(*d->seen));
	d->reached = arena_alloc(a, p->n * sizeof(*d->reached));
	d->todo = arena_alloc(a, p->n * sizeof(*d->todo));
	d->kernel_cap = 64;
	d->kernel = arena_alloc(a, d->kernel_cap * sizeof(*d->kernel));
	if (is_backward(d))
		reverse_edges(d);
	reset(d);
	return d;
}

/* ---- States ------------------------------------------------------------ */

static uint64_t hash_of(const uint32_t *item, size_t n, unsigned before)
{
	uint64_t h = before + 1;

	for (size_t i = 0; i < n; i++) {
		h = (h ^ item[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h;
}

static void rehash(struct dfa *d)
{
	uint32_t cap = d->hash_cap * 2;

	d->hash = arena_grow(d->s->arena, d->hash, d->hash_cap * sizeof(*d->hash),
	                     cap * sizeof(*d->hash));
	d->hash_cap = cap;
	memset(d->hash, 0, cap * sizeof(*d->hash));
	for (uint32_t id = DFA_FIRST; id < d->nstates; id++) {
		const struct dfa_state *st = &d->state[id];
		uint32_t i = (uint32_t)hash_of(d->pool + st->item, st->n, st->before) & (cap - 1);

		while (d->hash[i])
			i = (i + 1) & (cap - 1);
		d->hash[i] = id;
	}
}

static bool make_room(struct dfa *d, size_t n)
{
	struct arena *a = d->s->arena;

	if (d->nstates == d->states_cap) {
		uint32_t cap = MIN(d->states_cap * 2, d->states_max);

		if (cap == d->states_cap)
			return false;
		d->next = arena_grow(a, d->next, (size_t)d->row * d->states_cap * sizeof(*d->next),
		                     (size_t)d->row * cap * sizeof(*d->next));
		d->state = arena_grow(a, d->state, d->states_cap * sizeof(*d->state),
		                      cap * sizeof(*d->state));
		d->states_cap = cap;
	}
	if (d->pool_n + n > d->pool_cap) {
		size_t cap = MIN(MAX(d->pool_cap * 2, d->pool_n + n), MAX(d->pool_max, n));

		if (d->pool_n + n > cap)
			return false;
		d->pool = arena_grow(a, d->pool, d->pool_cap * sizeof(*d->pool),
		                     cap * sizeof(*d->pool));
		d->pool_cap = cap;
	}
	if (d->nstates * 2 > d->hash_cap)
		rehash(d);
	return true;
}

/* The number of the state with these items, made if new; 0 when there is no room. */
static uint32_t intern(struct dfa *d, const uint32_t *item, size_t n, unsigned before)
{
	uint64_t h = hash_of(item, n, before);
	struct dfa_state *st;
	uint32_t i, id;

	for (i = (uint32_t)h & (d->hash_cap - 1); d->hash[i]; i = (i + 1) & (d->hash_cap - 1)) {
		st = &d->state[d->hash[i]];
		if (st->n == n && st->before == before &&
		    (n == 0 || memcmp(d->pool + st->item, item, n * sizeof(*item)) == 0))
			return d->hash[i];
	}
	if (!make_room(d, n))
		return 0;
	id = d->nstates++;
	st = &d->state[id];
	st->item = (uint32_t)d->pool_n;
	st->n = (uint32_t)n;
	st->before = (uint8_t)before;
	if (n)
		memcpy(d->pool + d->pool_n, item, n * sizeof(*item));
	d->pool_n += n;
	memset(d->next + (size_t)id * d->row, 0, d->row * sizeof(*d->next));
	for (i = (uint32_t)h & (d->hash_cap - 1); d->hash[i];)
		i = (i + 1) & (d->hash_cap - 1);
	d->hash[i] = id;
	d->built++;
	return id;
}

/* The same, dropping everything else if need be. */
static uint32_t intern_always(struct dfa *d, const uint32_t *item, size_t n, unsigned before)
{
	uint32_t id = intern(d, item, n, before);

	if (!id) {
		d->flushes++;
		reset(d);
		id = intern(d, item, n, before);
	}
	return id;
}

uint32_t dfa_start(struct dfa *d, unsigned before)
{
	const struct program *p = d->p;
	uint32_t item = is_backward(d) ? p->n - 1 : 0;

	before = p->has_asserts ? before & (p->has_word_asserts ? 7u : 3u) : 0;
	if (!d->start[before])
		d->start[before] = intern_always(d, &item, is_fixed(d) ? 1 : 0, before);
	return d->start[before] * d->row;
}

/* ---- Transitions ------------------------------------------------------- */

static void add_item(struct dfa *d, size_t *n, uint32_t item)
{
	if (*n == d->kernel_cap) {
		d->kernel = arena_grow(d->s->arena, d->kernel, *n * sizeof(*d->kernel),
		                       *n * 2 * sizeof(*d->kernel));
		d->kernel_cap *= 2;
	}
	d->kernel[(*n)++] = item;
}

/* Shell sort, then equal neighbours joined: states are compared as sorted lists. */
static size_t sort_unique(uint32_t *v, size_t n)
{
	size_t gap = 1, w = 0;

	while (gap < n / 3)
		gap = gap * 3 + 1;
	for (; gap; gap /= 3)
		for (size_t i = gap; i < n; i++) {
			uint32_t x = v[i];
			size_t j = i;

			for (; j >= gap && v[j - gap] > x; j -= gap)
				v[j] = v[j - gap];
			v[j] = x;
		}
	for (size_t i = 1; i < n; i++)
		if (v[i] != v[w])
			v[++w] = v[i];
	return n ? w + 1 : 0;
}

static void visit(struct dfa *d, uint32_t *todo, uint32_t q)
{
	if (d->seen[q] != d->seen_mark) {
		d->seen[q] = d->seen_mark;
		d->todo[(*todo)++] = q;
	}
}

/* Follows from the items of `st` (those that are whole steps) everything that reads
 * nothing; fills d->reached, returns how many. *hit: the other end is reached. */
static uint32_t follow(struct dfa *d, const struct dfa_state *st, unsigned after, bool *hit)
{
	const struct program *p = d->p;
	bool back = is_backward(d);
	uint32_t todo = 0, n = 0;
	unsigned before = st->before, mask = (1u << p->step_bits) - 1;

	if (back) { /* reading backward, what came "before" lies after */
		unsigned t = before;

		before = after;
		after = t;
	}
	*hit = false;
	d->seen_mark++;
	for (uint32_t i = 0; i < st->n; i++) {
		uint32_t item = d->pool[st->item + i];

		if (item <= mask)
			visit(d, &todo, item);
	}
	if (!is_fixed(d))
		visit(d, &todo, back ? p->n - 1 : 0);
	while (todo) {
		uint32_t q = d->todo[--todo];
		const struct step *s = &p->step[q];

		d->reached[n++] = q;
		if (back) {
			*hit |= q == 0;
			for (uint32_t i = d->in_from[q]; i < d->in_from[q + 1]; i++) {
				uint32_t f = d->in[i];

				if (p->step[f].op < STEP_SPLIT ||
				    (p->step[f].op == STEP_ASSERT &&
				     !assert_holds(p->step[f].arg, before, after)))
					continue;
				visit(d, &todo, f);
			}
			continue;
		}
		switch (s->op) {
		case STEP_MATCH: *hit = true; break;
		case STEP_SPLIT:
			visit(d, &todo, s->y);
			visit(d, &todo, s->x);
			break;
		case STEP_ASSERT:
			if (assert_holds(s->arg, before, after))
				visit(d, &todo, s->x);
			break;
		case STEP_JUMP:
		case STEP_SAVE: visit(d, &todo, s->x); break;
		default: break;
		}
	}
	return n;
}

static void read_machine(struct dfa *d, size_t *n, uint32_t q, uint32_t node, unsigned b)
{
	const struct step *s = &d->p->step[q];
	uint32_t to = machine_step(d->p->machines[s->index], node, b);

	if (to == MACHINE_ACCEPT)
		add_item(d, n, s->x);
	else if (to != MACHINE_NONE)
		add_item(d, n, q | to << d->p->step_bits);
}

static void read_trie(struct dfa *d, size_t *n, uint32_t q, uint32_t node, unsigned b)
{
	uint32_t to = trie_step(d->p->trie, node, b);

	if (!to)
		return;
	if (d->p->trie->first[to])
		add_item(d, n, q | to << d->p->step_bits);
	if (d->p->trie->is_final[to])
		add_item(d, n, d->p->step[q].x);
}

/* Reading byte b forward from step q (or inside its character). */
static void read_forward(struct dfa *d, size_t *n, uint32_t item, unsigned b)
{
	uint32_t q = item_step(d->p, item), node = item_node(d->p, item);
	const struct step *s = &d->p->step[q];

	switch (s->op) {
	case STEP_BYTE:
		if (s->arg == b)
			add_item(d, n, s->x);
		break;
	case STEP_SET:
		if (byteset_has(&d->p->sets[s->index], b))
			add_item(d, n, s->x);
		break;
	case STEP_MACHINE: read_machine(d, n, q, node, b); break;
	case STEP_TRIE: read_trie(d, n, q, node, b); break;
	default: break;
	}
}

/* Reading byte b backward, inside the character of step q with `node` still to be reached. */
static void read_inside(struct dfa *d, size_t *n, uint32_t q, uint32_t node, unsigned b)
{
	const struct machine *m = d->p->machines[d->p->step[q].index];

	if (b >= 0xc0) {
		if (m->lead[b - 0xc0] == node)
			add_item(d, n, q);
		return;
	}
	if (b < 0x80)
		return;
	for (uint32_t i = 1; i < m->nnodes; i++)
		if (m->node[i].more && m->node[i].more[b & 63] == node)
			add_item(d, n, q | i << d->p->step_bits);
}

/* Reading byte b backward from step q: over the steps that lead to it. */
static void read_backward(struct dfa *d, size_t *n, uint32_t q, unsigned b)
{
	const struct program *p = d->p;

	for (uint32_t i = d->in_from[q]; i < d->in_from[q + 1]; i++) {
		uint32_t f = d->in[i];
		const struct step *s = &p->step[f];
		const struct machine *m;

		switch (s->op) {
		case STEP_BYTE:
			if (s->arg == b)
				add_item(d, n, f);
			break;
		case STEP_SET:
			if (byteset_has(&p->sets[s->index], b))
				add_item(d, n, f);
			break;
		case STEP_MACHINE:
			m = p->machines[s->index];
			if (byteset_has(&m->single, b))
				add_item(d, n, f);
			if ((b & 0xc0) != 0x80)
				break;
			for (uint32_t k = 1; k < m->nnodes; k++)
				if (!m->node[k].more && m->node[k].last >> (b & 63) & 1)
					add_item(d, n, f | k << p->step_bits);
			break;
		default: break;
		}
	}
}

static size_t read_byte(struct dfa *d, const struct dfa_state *st, uint32_t reached, unsigned b)
{
	const struct program *p = d->p;
	bool back = is_backward(d);
	size_t n = 0;

	for (uint32_t i = 0; i < reached; i++) {
		if (back)
			read_backward(d, &n, d->reached[i], b);
		else
			read_forward(d, &n, d->reached[i], b);
	}
	for (uint32_t i = 0; i < st->n; i++) {
		uint32_t item = d->pool[st->item + i];

		if (!item_node(p, item))
			continue;
		if (back)
			read_inside(d, &n, item_step(p, item), item_node(p, item), b);
		else
			read_forward(d, &n, item, b);
	}
	return sort_unique(d->kernel, n);
}

uint32_t dfa_step(struct dfa *d, uint32_t from, uint32_t class)
{
	const struct program *p = d->p;
	const struct dfa_state *st = &d->state[from / d->row];
	uint64_t flushes = d->flushes;
	uint32_t reached, to, mark;
	unsigned after, b;
	bool hit, is_end = class >= p->nclasses;
	size_t n;

	scratch_tick(d->s, 16 + st->n);
	b = is_end ? 0 : p->member[class];
	if (p->has_word_asserts && p->is_utf8 && b >= 0x80) {
		to = DFA_QUIT * d->row;
		goto store;
	}
	if (is_end)
		after = class == p->nclasses ? CTX_LINE | CTX_TEXT : CTX_TEXT;
	else
		after = p->class_ctx[class];
	if (d->kind == DFA_LINES && !is_end && b == d->delim) {
		is_end = true;
		after = CTX_LINE | CTX_TEXT;
	}
	reached = follow(d, st, after, &hit);
	if (hit && (d->kind == DFA_EXISTS || d->kind == DFA_LINES)) {
		to = DFA_FOUND * d->row;
		goto store;
	}
	mark = hit ? DFA_MARK : 0;
	if (is_end) {
		to = DFA_DEAD * d->row;
		if (class < p->nclasses)
			to = dfa_start(d, CTX_LINE | CTX_TEXT);
		to |= mark;
	} else {
		n = read_byte(d, st, reached, b);
		if (n == 0 && is_fixed(d)) {
			to = DFA_DEAD * d->row | mark;
		} else {
			unsigned before = p->has_asserts ? p->class_ctx[class] : 0;

			if (!p->has_word_asserts)
				before &= ~CTX_WORD;
			to = intern_always(d, d->kernel, n, before) * d->row | mark;
		}
	}
store:
	if (d->flushes == flushes)
		d->next[from + class] = to;
	return to;
}

#define ALIVE_MAX (1u << 20) /* bytes of all sets */

const uint64_t *dfa_alive(struct dfa *d, uint32_t state, unsigned before)
{
	const struct program *p = d->p;
	uint32_t i = state / d->row * 8 + before, reached;
	size_t size = (p->n + 63) / 64 * sizeof(uint64_t);
	bool hit;

	if (i >= d->alive_cap) {
		uint32_t cap = MAX(i + 8, d->alive_cap * 2);

		d->alive = arena_grow(d->s->arena, d->alive, d->alive_cap * sizeof(*d->alive),
		                      cap * sizeof(*d->alive));
		memset(d->alive + d->alive_cap, 0, (cap - d->alive_cap) * sizeof(*d->alive));
		d->alive_cap = cap;
	}
	if (d->alive[i])
		return d->alive[i];
	d->alive_size += size;
	if (d->alive_size > ALIVE_MAX)
		return NULL;
	d->alive[i] = arena_zalloc(d->s->arena, size);
	reached = follow(d, &d->state[state / d->row], before, &hit);
	for (uint32_t k = 0; k < reached; k++)
		d->alive[i][d->reached[k] >> 6] |= (uint64_t)1 << (d->reached[k] & 63);
	return d->alive[i];
}
