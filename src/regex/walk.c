/*
 * walk.c - one path through the program: sub-matches and back-references.
 *
 * The end of a match is known. Where an automaton can tell what reaches it, the walk needs no
 * way back (trace_groups). Else it is depth-first with an explicit stack, and a bit for
 * every (split, place) keeps it from trying anything twice, so both are linear. With
 * back-references the state includes the groups they name: what was tried is remembered
 * in a table of hashes, and a budget of steps bounds the rest.
 *
 * Registers follow the C library: opening a group forgets its end; closing one that matched
 * something takes a snapshot of all registers; closing an empty one right under * or ? goes
 * back to the snapshot if the group had matched before. What a walk changes it notes on
 * the stack, to undo it on the way back.
 */
#include "../base/utf8.h"
#include "dfa.h"
#include "walk.h"

#define TRACE_MAX (1u << 25) /* bytes of a match that is traced: four times as much memory */
#define STACK_MAX (1u << 20) /* entries: 24 MiB */
#define SEEN_MAX  (1u << 26) /* bits: 8 MiB */
#define BUDGET    30000000u  /* steps of one search with back-references */
#define TRIED_MAX 65536u

#define NOWHERE SIZE_MAX

enum entry_kind {
	TRY,     /* go on at step `what` from `place` */
	TRY_RUN, /* the same from `other`, one place earlier each time, down to `place` */
	RESTORE  /* register `what` was `place` */
};

struct entry {
	uint32_t what;
	uint32_t kind;
	size_t place, other;
};

struct walker {
	struct entry *stack;
	size_t n, cap;
	size_t tries; /* entries that are not RESTORE */
	size_t *reg;  /* the registers, then their snapshot */
	size_t *best;
	uint32_t nregs;
	uint64_t *seen;
	size_t seen_cap;
	uint64_t *tried;
	uint32_t *tried_round, round;
	uint32_t *trace; /* states along a match */
	size_t trace_cap;
	size_t *been;
	bool *is_named; /* [group]: a back-reference names it */
	size_t budget;
};

struct walk {
	struct regex_scratch *s;
	struct walker *w;
	const struct program *p;
	const struct text *t;
	const unsigned char *base;  /* places count from here */
	const unsigned char *limit; /* nothing is read beyond */
	bool fixed_end;             /* the match must end at limit */
	size_t best_end;            /* of the longest so far, or NOWHERE */
};

static struct walker *walker_of(struct regex_scratch *s)
{
	const struct program *p = &s->re->program;
	struct walker *w = s->walker;

	if (w)
		return w;
	w = s->walker = arena_zalloc(s->arena, sizeof(*w));
	w->nregs = p->slots;
	w->cap = 64;
	w->stack = arena_alloc(s->arena, w->cap * sizeof(*w->stack));
	w->reg = arena_alloc(s->arena, 2 * w->nregs * sizeof(*w->reg));
	w->best = arena_alloc(s->arena, w->nregs * sizeof(*w->best));
	w->is_named = arena_zalloc(s->arena, p->slots / 2);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->step[i].op == STEP_BACKREF)
			w->is_named[p->step[i].index] = true;
	return w;
}

static bool push(struct walk *k, enum entry_kind kind, uint32_t what, size_t place, size_t other)
{
	struct walker *w = k->w;

	if (w->n == w->cap) {
		size_t cap = w->cap * 2;

		if (cap > STACK_MAX)
			return false;
		w->stack = arena_grow(k->s->arena, w->stack, w->n * sizeof(*w->stack),
		                      cap * sizeof(*w->stack));
		w->cap = cap;
	}
	w->stack[w->n++] = (struct entry){what, kind, place, other};
	w->tries += kind != RESTORE;
	return true;
}

/* Nothing to note when there is no way back. */
static bool set_reg(struct walk *k, uint32_t r, size_t value)
{
	struct walker *w = k->w;

	if (w->reg[r] == value)
		return true;
	if (w->tries && !push(k, RESTORE, r, w->reg[r], 0))
		return false;
	w->reg[r] = value;
	return true;
}

static bool save(struct walk *k, const struct step *st, size_t place)
{
	struct walker *w = k->w;
	uint32_t r = st->index, n = w->nregs;
	bool ok = true;

	if (!(r & 1))
		return set_reg(k, r, place) && set_reg(k, r + 1, NOWHERE);
	if (w->reg[r - 1] != NOWHERE && w->reg[r - 1] < place) {
		ok = set_reg(k, r, place);
		for (uint32_t i = 2; i < n && ok; i++)
			ok = set_reg(k, n + i, w->reg[i]);
		return ok;
	}
	if (!st->arg || w->reg[n + r - 1] == NOWHERE)
		return set_reg(k, r, place);
	for (uint32_t i = 2; i < n && ok; i++)
		ok = set_reg(k, i, w->reg[n + i]);
	return ok;
}

/* True when this split at this place was tried before. */
static bool was_seen(struct walk *k, uint32_t split, size_t place)
{
	size_t bit = place * k->p->nsplits + split;
	uint64_t *word = &k->w->seen[bit >> 6], mask = (uint64_t)1 << (bit & 63);

	if (*word & mask)
		return true;
	*word |= mask;
	return false;
}

/* The same where groups are part of the state. The table forgets; then work is repeated. */
static bool was_tried(struct walk *k, uint32_t split, size_t place)
{
	struct walker *w = k->w;
	uint64_t h = (uint64_t)split * 0x9e3779b97f4a7c15u ^ (uint64_t)place * 0xc2b2ae3d27d4eb4fu;

	for (uint32_t g = 1; g < w->nregs / 2; g++) {
		if (!w->is_named[g])
			continue;
		h = (h ^ w->reg[2 * g]) * 0xff51afd7ed558ccdu;
		h ^= h >> 33;
		h = (h ^ w->reg[2 * g + 1]) * 0xc4ceb9fe1a85ec53u;
		h ^= h >> 29;
	}
	h |= 1;
	for (uint32_t i = (uint32_t)(h >> 40), probe = 0; probe < 8; probe++, i++) {
		uint32_t at = i & (TRIED_MAX - 1);

		if (w->tried_round[at] != w->round) {
			w->tried_round[at] = w->round;
			w->tried[at] = h;
			return false;
		}
		if (w->tried[at] == h)
			return true;
	}
	return false;
}

/* Length of the text that the group holds if it follows at p; NOWHERE if not. */
static size_t match_group(const struct walk *k, uint32_t group, const unsigned char *p)
{
	const struct walker *w = k->w;
	size_t from = w->reg[2 * group], to = w->reg[2 * group + 1], n;
	const unsigned char *q;

	if (from == NOWHERE || to == NOWHERE || to < from)
		return NOWHERE;
	n = to - from;
	q = k->base + from;
	if ((size_t)(k->limit - p) < n)
		return NOWHERE;
	if (!(k->s->re->flags & REGEX_ICASE))
		return n == 0 || memcmp(p, q, n) == 0 ? n : NOWHERE;
	if (k->p->is_utf8) { /* forms of a letter may differ in length */
		const unsigned char *a = q, *b = p, *end = q + n;

		while (a < end) {
			unsigned la, lb;
			int32_t ca, cb;

			if (b >= k->limit)
				return NOWHERE;
			ca = rune_decode(a, end, &la);
			cb = rune_decode(b, k->limit, &lb);
			if (ca < 0 || cb < 0
			            ? *a != *b
			            : utf8_toupper((uint32_t)ca) != utf8_toupper((uint32_t)cb))
				return NOWHERE;
			a += la;
			b += lb;
		}
		return (size_t)(b - p);
	}
	for (size_t i = 0; i < n; i++)
		if (ascii_toupper(p[i]) != ascii_toupper(q[i]))
			return NOWHERE;
	return n;
}

/* x* over single bytes: as far as it goes; shorter ones are tried later. */
static const unsigned char *run(struct walk *k, const struct step *st, const unsigned char *p)
{
	const struct step *body = st + 1;
	const struct byteset *set = body->op == STEP_SET ? &k->p->sets[body->index] : NULL;
	const unsigned char *q = p;

	while (q < k->limit && (set ? byteset_has(set, *q) : *q == body->arg)) {
		q++;
		if (k->p->has_backrefs ? false : was_seen(k, st->index, (size_t)(q - k->base))) {
			q--;
			break;
		}
	}
	return q;
}

/* The end of a path that matches: taken if it is longer. True when no better one can come. */
static bool accept(struct walk *k, size_t place)
{
	struct walker *w = k->w;

	if (k->fixed_end) {
		if (k->base + place != k->limit)
			return false;
		k->best_end = place;
		return true;
	}
	if (k->best_end == NOWHERE || place > k->best_end) {
		k->best_end = place;
		memcpy(w->best, w->reg, w->nregs * sizeof(*w->best));
	}
	return k->base + place == k->limit;
}

/* Steps from `q` at `p` until the path fails or matches. 1 to stop, 0 to go back, or a failure. */
static int advance(struct walk *k, uint32_t q, const unsigned char *p)
{
	const struct program *prog = k->p;
	size_t n;

	for (;;) {
		const struct step *st = &prog->step[q];
		size_t place = (size_t)(p - k->base);

		if (prog->has_backrefs && k->w->budget-- == 0)
			return REGEX_TOO_HARD;
		switch (st->op) {
		case STEP_BYTE:
			if (p == k->limit || *p != st->arg)
				return 0;
			p++;
			break;
		case STEP_SET:
			if (p == k->limit || !byteset_has(&prog->sets[st->index], *p))
				return 0;
			p++;
			break;
		case STEP_MACHINE:
			n = machine_match(prog->machines[st->index], p, k->limit);
			if (n == 0)
				return 0;
			p += n;
			break;
		case STEP_SPLIT:
			scratch_tick(k->s, 8);
			if (prog->has_backrefs ? was_tried(k, st->index, place)
			                       : was_seen(k, st->index, place))
				return 0;
			if (st->arg & SPLIT_RUN) {
				const unsigned char *far = run(k, st, p);

				if (far > p &&
				    !push(k, TRY_RUN, st->y, place, (size_t)(far - k->base) - 1))
					return REGEX_TOO_LONG;
				scratch_tick(k->s, (size_t)(far - p));
				p = far;
				q = st->y;
				continue;
			}
			if (!push(k, TRY, st->y, place, 0))
				return REGEX_TOO_LONG;
			break;
		case STEP_SAVE:
			if (!save(k, st, place))
				return REGEX_TOO_LONG;
			break;
		case STEP_ASSERT:
			if (!assert_holds(st->arg, text_before(prog, k->t, p),
			                  text_after(prog, k->t, p)))
				return 0;
			break;
		case STEP_BACKREF:
			n = match_group(k, st->index, p);
			if (n == NOWHERE)
				return 0;
			p += n;
			scratch_tick(k->s, 8 + n / 8);
			break;
		case STEP_MATCH: return accept(k, place);
		default: break;
		}
		q = st->x;
	}
}

/* Tries all paths from `start`, in order, until accept() is content. 0, or a failure. */
static int walk(struct walk *k, const unsigned char *start)
{
	struct walker *w = k->w;
	int r;

	for (uint32_t i = 0; i < 2 * w->nregs; i++)
		w->reg[i] = NOWHERE;
	w->n = w->tries = 0;
	r = advance(k, 0, start);
	while (r == 0 && w->n) {
		struct entry *e = &w->stack[w->n - 1];

		if (e->kind == RESTORE) {
			w->reg[e->what] = e->place;
			w->n--;
			continue;
		}
		if (e->kind == TRY_RUN && e->other > e->place) {
			r = advance(k, e->what, k->base + e->other--);
			continue;
		}
		w->n--;
		w->tries--;
		r = advance(k, e->what, k->base + e->place);
	}
	return r < 0 ? r : 0;
}

static void report(const struct walk *k, const size_t *reg, struct regex_span *spans, size_t nspans)
{
	size_t off = (size_t)(k->base - k->t->begin);

	for (size_t g = 1; g < nspans && g < k->w->nregs / 2; g++) {
		uint32_t r = k->p->same_group[g] * 2;

		spans[g] = (struct regex_span){REGEX_UNSET, REGEX_UNSET};
		if (reg[r] != NOWHERE && reg[r + 1] != NOWHERE)
			spans[g] = (struct regex_span){reg[r] + off, reg[r + 1] + off};
	}
}

/* ---- Without going back --------------------------------------------------- */

struct tracing {
	struct walk *k;
	struct dfa *d;
	const uint32_t *state;
	size_t *been; /* [step]: the place, plus one, where a split led there last */
};

/* Which way a split goes at `place`: the first, unless only the second reaches the end, or
 * the first was taken at this very place. */
static bool choose(struct tracing *c, const struct step *st, size_t place, uint32_t *q)
{
	const struct walk *k = c->k;
	const unsigned char *p = k->base + place;
	unsigned before = k->p->has_asserts ? text_before(k->p, k->t, p) : 0;
	const uint64_t *alive = dfa_alive(c->d, c->state[place], before);
	bool x, y;

	if (!alive)
		return false;
	x = alive[st->x >> 6] >> (st->x & 63) & 1;
	y = alive[st->y >> 6] >> (st->y & 63) & 1;
	if (!x && !y)
		return false;
	*q = x && (!y || c->been[st->x] != place + 1) ? st->x : st->y;
	c->been[*q] = place + 1;
	return true;
}

/* The match is first run through backward by an automaton, noting the state at each place; then
 * the walk knows which way reaches the end, and never goes back. False when that is not
 * possible. */
static bool trace_groups(struct walk *k)
{
	struct regex_scratch *s = k->s;
	struct walker *w = k->w;
	struct tracing c = {.k = k};
	const unsigned char *p = k->base;
	uint32_t *state, q = 0, idle = 0;
	size_t n = (size_t)(k->limit - k->base);
	bool ok = false;

	if (n > TRACE_MAX || !k->p->reversible || s->re->flags & (REGEX_SLOW | REGEX_NODFA))
		return false;
	if (!s->trace)
		s->trace = dfa_new(s, DFA_TRACE);
	c.d = s->trace;
	if (n + 1 > w->trace_cap) {
		w->trace_cap = MAX(n + 1, w->trace_cap * 2);
		w->trace = arena_alloc(s->arena, w->trace_cap * sizeof(*w->trace));
	}
	state = w->trace;
	if (!dfa_trace(c.d, k->t, k->base, k->limit, state))
		return false;
	c.state = state;
	if (!w->been)
		w->been = arena_alloc(s->arena, k->p->n * sizeof(*w->been));
	c.been = w->been;
	memset(c.been, 0, k->p->n * sizeof(*c.been));
	for (uint32_t i = 0; i < 2 * w->nregs; i++)
		w->reg[i] = NOWHERE;
	w->n = w->tries = 0;
	while (!ok) {
		const struct step *st = &k->p->step[q];
		const unsigned char *was = p;

		q = st->x;
		switch (st->op) {
		case STEP_BYTE:
		case STEP_SET: p++; break;
		case STEP_MACHINE:
			p += machine_match(k->p->machines[st->index], p, k->limit);
			break;
		case STEP_SPLIT:
			if (!choose(&c, st, (size_t)(p - k->base), &q))
				return false;
			break;
		case STEP_SAVE: save(k, st, (size_t)(p - k->base)); break;
		case STEP_MATCH: ok = true; break;
		default: break;
		}
		idle = p == was ? idle + 1 : 0;
		if (p > k->limit || idle > 4 * k->p->n + 8)
			return false;
		if (idle == 0 && ((size_t)(p - k->base) & 1023) == 0)
			scratch_tick(s, 4096);
	}
	return p == k->limit;
}

int walk_groups(struct regex_scratch *s, const struct text *t, const unsigned char *start,
                const unsigned char *end, struct regex_span *spans, size_t nspans)
{
	const struct program *p = &s->re->program;
	struct walk k = {
	        .s = s,
	        .w = walker_of(s),
	        .p = p,
	        .t = t,
	        .base = start,
	        .limit = end,
	        .fixed_end = true,
	        .best_end = NOWHERE,
	};
	size_t bits = size_mul((size_t)(end - start) + 1, p->nsplits), words = bits / 64 + 1;
	int r;

	if (trace_groups(&k)) {
		report(&k, k.w->reg, spans, nspans);
		return 1;
	}
	if (bits > SEEN_MAX)
		return REGEX_TOO_LONG;
	if (words > k.w->seen_cap) {
		k.w->seen_cap = MAX(words, k.w->seen_cap * 2);
		k.w->seen = arena_alloc(s->arena, k.w->seen_cap * sizeof(*k.w->seen));
	}
	memset(k.w->seen, 0, words * sizeof(*k.w->seen));
	r = walk(&k, start);
	if (r < 0)
		return r;
	report(&k, k.w->reg, spans, nspans);
	return 1;
}

int walk_search(struct regex_scratch *s, const struct text *t, const unsigned char *at,
                bool anchored, struct regex_span *spans, size_t nspans)
{
	const struct program *p = &s->re->program;
	struct walk k = {.s = s, .w = walker_of(s), .p = p, .t = t, .limit = t->end};

	if (!k.w->tried) {
		k.w->tried = arena_alloc(s->arena, TRIED_MAX * sizeof(*k.w->tried));
		k.w->tried_round = arena_zalloc(s->arena, TRIED_MAX * sizeof(*k.w->tried_round));
	}
	k.w->budget = BUDGET;
	for (const unsigned char *c = at;; c++) {
		int r;

		if ((p->is_nullable || (c < t->end && byteset_has(&p->first, *c))) &&
		    (anchored || text_is_boundary(p, t, c))) {
			k.base = c;
			k.best_end = NOWHERE;
			k.w->round++;
			r = walk(&k, c);
			if (r < 0)
				return r;
			if (k.best_end != NOWHERE) {
				if (nspans) {
					spans[0].start = (size_t)(c - t->begin);
					spans[0].end = spans[0].start + k.best_end;
					report(&k, k.w->best, spans, nspans);
				}
				return 1;
			}
		}
		scratch_tick(s, 8);
		if (c == t->end || anchored || p->only_at_start)
			return 0;
	}
}
