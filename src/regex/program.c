/*
 * program.c - a pattern as steps over bytes: what the matchers run.
 *
 * Steps are laid out in the order of the pattern. Repetitions are copied out in the shape
 * the C library gives them, because that decides which turn a sub-match comes from:
 * x{2,} is x x (x)*, x{0,3} is (((x)? x)? x)?. A group right under * or ? is marked; copies
 * of it made by an outer repetition lose the mark.
 */
#include "program.h"

struct builder {
	struct program *p;
	struct arena *arena;
	bool keep_groups;
	const bool *wanted; /* [group]: a back-reference needs it */
	uint32_t cap;
	bool is_full;
};

/* ---- Size -------------------------------------------------------------- */

static size_t repeat_size(const struct node *n)
{
	size_t once = n->child->size;
	size_t total = size_mul(once, (size_t)n->min);

	if (n->max < 0)
		return size_add(total, size_add(once, 2));
	return size_add(total, size_mul(size_add(once, 1), (size_t)(n->max - n->min)));
}

/* Sets size and has_groups of every node, children first. */
static void measure(const struct tree *t)
{
	for (struct node *n = t->first; n; n = n->made) {
		n->size = 1;
		switch ((enum node_kind)n->kind) {
		case NODE_EMPTY: n->size = 0; break;
		case NODE_CAT:
		case NODE_ALT:
			n->size = 0;
			for (struct node *c = n->child; c; c = c->next) {
				n->size = size_add(n->size, c->size);
				n->has_groups |= c->has_groups;
				if (n->kind == NODE_ALT && c->next)
					n->size = size_add(n->size, 2);
			}
			break;
		case NODE_GROUP:
			n->size = size_add(n->child->size, 2);
			n->has_groups = true;
			break;
		case NODE_REPEAT:
			n->size = repeat_size(n);
			n->has_groups = n->child->has_groups;
			break;
		case NODE_BYTE:
		case NODE_SET:
		case NODE_MACHINE:
		case NODE_TRIE:
		case NODE_ASSERT:
		case NODE_BACKREF: break;
		}
	}
}

/* ---- Emission ---------------------------------------------------------- */

static uint32_t emit(struct builder *b, enum step_op op, unsigned arg, uint32_t index)
{
	struct program *p = b->p;

	if (p->n == b->cap) {
		uint32_t cap = b->cap * 2;

		p->step = arena_grow(b->arena, p->step, p->n * sizeof(*p->step),
		                     cap * sizeof(*p->step));
		b->cap = cap;
	}
	p->step[p->n] = (struct step){(uint8_t)op, (uint8_t)arg, index, p->n + 1, 0};
	return p->n++;
}

static uint32_t emit_split(struct builder *b)
{
	return emit(b, STEP_SPLIT, 0, b->p->nsplits++);
}

static uint32_t set_index(struct builder *b, const struct byteset *s)
{
	struct program *p = b->p;

	for (uint32_t i = p->nsets; i > 0 && i + 64 > p->nsets; i--)
		if (byteset_eq(&p->sets[i - 1], s))
			return i - 1;
	if (p->nsets == p->sets_cap) {
		uint32_t cap = p->sets_cap ? p->sets_cap * 2 : 8;

		p->sets = arena_grow(b->arena, p->sets, p->nsets * sizeof(*p->sets),
		                     cap * sizeof(*p->sets));
		p->sets_cap = cap;
	}
	p->sets[p->nsets] = *s;
	return p->nsets++;
}

static uint32_t machine_index(struct builder *b, const struct machine *m)
{
	struct program *p = b->p;

	for (uint32_t i = p->nmachines; i > 0 && i + 64 > p->nmachines; i--)
		if (p->machines[i - 1] == m)
			return i - 1;
	if (p->nmachines == p->machines_cap) {
		uint32_t cap = p->machines_cap ? p->machines_cap * 2 : 8;

		p->machines = arena_grow(b->arena, p->machines, p->nmachines * sizeof(*p->machines),
		                         cap * sizeof(*p->machines));
		p->machines_cap = cap;
	}
	p->machines[p->nmachines] = m;
	return p->nmachines++;
}

/* A node in the making. */
struct task {
	const struct node *n;
	const struct node *child; /* the next one of a list */
	uint32_t phase;
	uint32_t at;    /* the split to patch, or the head of a loop */
	uint32_t chain; /* steps that lead to the end, linked through y, each plus one */
	bool is_copy;   /* made by an outer repetition */
	bool mark;      /* right under * or ? */
};

struct stack {
	struct task *task;
	size_t n, cap;
};

static void push(struct builder *b, struct stack *s, const struct node *n, bool is_copy, bool mark)
{
	if (s->n == s->cap) {
		size_t cap = s->cap * 2;

		s->task = arena_grow(b->arena, s->task, s->n * sizeof(*s->task),
		                     cap * sizeof(*s->task));
		s->cap = cap;
	}
	s->task[s->n++] = (struct task){
	        .n = n, .child = n->child, .is_copy = is_copy, .mark = mark};
}

/* Lets every step of the chain lead here. */
static void patch(struct builder *b, uint32_t chain)
{
	struct step *step = b->p->step;

	while (chain) {
		struct step *s = &step[chain - 1];

		chain = s->y;
		if (s->op == STEP_SPLIT)
			s->y = b->p->n;
		else
			s->x = b->p->n;
	}
}

/* Each of these does a little and either pushes a child, to be called again after it, or
 * pops its task. The task pointer is stale after a push. */

static void emit_alt(struct builder *b, struct stack *s, struct task *t)
{
	const struct node *c = t->child;

	if (t->phase == 1) { /* an alternative ends, another follows */
		uint32_t jump = emit(b, STEP_JUMP, 0, 0);

		b->p->step[jump].y = t->chain;
		t->chain = jump + 1;
		b->p->step[t->at].y = b->p->n;
	} else if (t->phase == 2) {
		patch(b, t->chain);
		s->n--;
		return;
	}
	t->child = c->next;
	t->phase = c->next ? 1 : 2;
	if (c->next)
		t->at = emit_split(b);
	push(b, s, c, t->is_copy, false);
}

/* x*: a split before and one after the body, so that an empty turn can be taken once, as
 * the C library does, before the walk notices that it goes in circles. */
static void emit_star(struct builder *b, struct stack *s, struct task *t)
{
	const struct node *n = t->n;
	uint32_t again;

	if (t->phase == (uint32_t)n->min) {
		t->phase++;
		t->at = emit_split(b);
		push(b, s, n->child, t->is_copy || n->min > 0, !t->is_copy);
		return;
	}
	again = emit_split(b);
	b->p->step[again].x = t->at + 1;
	b->p->step[again].y = b->p->n;
	b->p->step[t->at].y = b->p->n;
	s->n--;
}

/* (((x)? x)? x)?: all splits first, then the copies; a split skips to a later copy. */
static void emit_nested(struct builder *b, struct stack *s, struct task *t)
{
	const struct node *n = t->n;
	uint32_t k = (uint32_t)(n->max - n->min), i = t->phase - (uint32_t)n->min + 1;

	if (i == 1) {
		t->at = b->p->n;
		for (uint32_t j = 0; j < k; j++)
			emit_split(b);
	} else if (i <= k) {
		b->p->step[t->at + k - i + 1].y = b->p->n;
	} else {
		b->p->step[t->at].y = b->p->n;
		s->n--;
		return;
	}
	t->phase++;
	push(b, s, n->child, t->is_copy || n->min > 0 || i > 1, i == 1 && !t->is_copy);
}

/* x?(x?(x?)): the same language with far smaller sets of steps, where no group can tell. */
static void emit_optional(struct builder *b, struct stack *s, struct task *t)
{
	uint32_t split;

	if (t->phase == (uint32_t)t->n->max) {
		patch(b, t->chain);
		s->n--;
		return;
	}
	t->phase++;
	split = emit_split(b);
	b->p->step[split].y = t->chain;
	t->chain = split + 1;
	push(b, s, t->n->child, true, false);
}

static void emit_repeat(struct builder *b, struct stack *s, struct task *t)
{
	const struct node *n = t->n;

	if (t->phase < (uint32_t)n->min) {
		t->phase++;
		push(b, s, n->child, t->is_copy || t->phase > 1, false);
	} else if (n->max < 0) {
		emit_star(b, s, t);
	} else if (n->max == n->min) {
		s->n--;
	} else if (n->has_groups) {
		emit_nested(b, s, t);
	} else {
		emit_optional(b, s, t);
	}
}

static void emit_group(struct builder *b, struct stack *s, struct task *t)
{
	const struct node *n = t->n, *inner = n->child;
	bool is_double = inner->kind == NODE_GROUP;
	bool keep = b->keep_groups || b->wanted[n->group] || (is_double && b->wanted[inner->group]);

	if (t->phase++) {
		if (keep)
			emit(b, STEP_SAVE, t->mark, n->group * 2 + 1);
		s->n--;
		return;
	}
	if (keep) {
		emit(b, STEP_SAVE, 0, n->group * 2);
		if (is_double) { /* ((x)): both are the outer one */
			b->p->same_group[inner->group] = n->group;
			inner = inner->child;
		}
	}
	push(b, s, inner, t->is_copy, false);
}

static void emit_tree(struct builder *b, const struct node *root)
{
	struct stack s = {.cap = 16};

	s.task = arena_alloc(b->arena, s.cap * sizeof(*s.task));
	push(b, &s, root, false, false);
	while (s.n) {
		struct task *t = &s.task[s.n - 1];
		const struct node *n = t->n, *c = t->child;

		switch ((enum node_kind)n->kind) {
		case NODE_CAT:
			if (!c) {
				s.n--;
			} else {
				t->child = c->next;
				push(b, &s, c, t->is_copy, false);
			}
			continue;
		case NODE_ALT: emit_alt(b, &s, t); continue;
		case NODE_REPEAT: emit_repeat(b, &s, t); continue;
		case NODE_GROUP: emit_group(b, &s, t); continue;
		case NODE_EMPTY: break;
		case NODE_BYTE: emit(b, STEP_BYTE, n->byte, 0); break;
		case NODE_SET: emit(b, STEP_SET, 0, set_index(b, n->set)); break;
		case NODE_MACHINE: emit(b, STEP_MACHINE, 0, machine_index(b, n->machine)); break;
		case NODE_TRIE:
			b->p->trie = n->trie;
			emit(b, STEP_TRIE, 0, 0);
			break;
		case NODE_ASSERT:
			b->p->has_asserts = true;
			b->p->has_word_asserts |= n->assert >= ASSERT_EDGE;
			emit(b, STEP_ASSERT, n->assert, 0);
			break;
		case NODE_BACKREF:
			b->p->has_backrefs = true;
			emit(b, STEP_BACKREF, 0, b->p->same_group[n->group]);
			break;
		}
		s.n--;
	}
	emit(b, STEP_MATCH, 0, 0);
}

/* ---- Facts for the matchers -------------------------------------------- */

static void mark_runs(struct program *p)
{
	for (uint32_t i = 0; i + 2 < p->n; i++) {
		struct step *s = &p->step[i];

		if (s->op == STEP_SPLIT && s->x == i + 1 &&
		    (s[1].op == STEP_BYTE || s[1].op == STEP_SET) && s[2].op == STEP_SPLIT &&
		    s[2].x == i + 1)
			s->arg = SPLIT_RUN;
	}
}

static void add_first(struct program *p, const struct step *s)
{
	switch (s->op) {
	case STEP_BYTE: byteset_add(&p->first, s->arg); break;
	case STEP_SET: byteset_join(&p->first, &p->sets[s->index]); break;
	case STEP_MACHINE:
		byteset_join(&p->first, &p->machines[s->index]->single);
		for (unsigned i = 0; i < 64; i++)
			if (p->machines[s->index]->lead[i])
				byteset_add(&p->first, 0xc0 + i);
		break;
	case STEP_TRIE:
		for (unsigned i = 0; i < 256; i++)
			if (p->trie->root[i])
				byteset_add(&p->first, i);
		break;
	default: p->is_nullable = true; break;
	}
}

/* Walks what can be reached from the start without reading. With `stop` the assertions
 * that hold only at the start of the text are walls; true when something is reached. */
static bool walk_start(struct builder *b, bool stop)
{
	struct program *p = b->p;
	uint32_t *todo = arena_alloc(b->arena, p->n * sizeof(*todo)), n = 0;
	uint8_t *seen = arena_zalloc(b->arena, p->n);
	bool reached = false;

	todo[n++] = 0;
	seen[0] = 1;
	while (n) {
		const struct step *s = &p->step[todo[--n]];
		uint32_t to[2], k = 0;

		switch (s->op) {
		case STEP_SPLIT:
			to[k++] = s->x;
			to[k++] = s->y;
			break;
		case STEP_ASSERT:
			if (stop && (s->arg == ASSERT_TEXT_START ||
			             (s->arg == ASSERT_LINE_START && !p->lines_inside)))
				break;
			to[k++] = s->x;
			break;
		case STEP_JUMP:
		case STEP_SAVE: to[k++] = s->x; break;
		default:
			reached = true;
			if (!stop)
				add_first(p, s);
			break;
		}
		while (k--)
			if (!seen[to[k]]) {
				seen[to[k]] = 1;
				todo[n++] = to[k];
			}
	}
	return reached;
}

/* ---- The whole ---------------------------------------------------------- */

bool program_build(struct program *p, struct tree *t, unsigned flags, bool keep_groups,
                   enum regex_code *code)
{
	struct builder b = {.p = p, .arena = t->arena, .keep_groups = keep_groups, .cap = 16};
	bool *wanted = arena_zalloc(t->arena, t->groups + 1);

	memset(p, 0, sizeof(*p));
	p->is_utf8 = flags & REGEX_UTF8;
	p->lines_inside = flags & REGEX_ANCHORS;
	measure(t);
	if (t->root->size > STEPS_MAX) {
		*code = REGEX_ESIZE;
		return false;
	}
	for (const struct node *n = t->first; n; n = n->made)
		if (n->kind == NODE_BACKREF)
			wanted[n->group] = true;
	b.wanted = wanted;
	p->same_group = arena_alloc(t->arena, (t->groups + 1) * sizeof(*p->same_group));
	for (uint32_t i = 0; i <= t->groups; i++)
		p->same_group[i] = i;
	p->slots = (t->groups + 1) * 2;
	p->step = arena_alloc(t->arena, b.cap * sizeof(*p->step));
	emit_tree(&b, t->root);
	for (p->step_bits = 1; 1u << p->step_bits < p->n; p->step_bits++)
		continue;
	if ((p->trie && p->trie->nnodes >> (32 - p->step_bits)) ||
	    (p->nmachines && MACHINE_NODES >> (32 - p->step_bits))) {
		*code = REGEX_ESIZE;
		return false;
	}
	mark_runs(p);
	walk_start(&b, false);
	p->only_at_start = !walk_start(&b, true);
	p->odd_start = p->is_utf8 && p->first.word[2];
	p->reversible = !p->trie && !p->has_backrefs && !p->odd_start;
	program_classes(p);
	return true;
}
