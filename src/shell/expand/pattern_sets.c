/* pattern_sets.c - patterns with extended operators, matched on sets of positions.
 *
 * An element maps the set of places where it may start to the set of those where it may end;
 * repetition is a fixed point, !( ) a complement. Polynomial, whatever the pattern. */
#include "pattern_parts.h"

/* ---- Sets of positions ---------------------------------------------------------------- */

/* Bits lo … hi may be set; lo > hi: none. */
struct places {
	uint64_t *w;
	size_t lo, hi;
};

struct matcher {
	struct expander *x;
	const struct pattern *pat;
	struct str s;
	uint64_t **spare; /* cleared rows */
	size_t nspare, cap;
};

static struct places places_new(struct matcher *m)
{
	struct places p = {NULL, 1, 0};

	if (m->nspare)
		p.w = m->spare[--m->nspare];
	else
		p.w = u_zalloc(m->x->p, (m->s.len / 64 + 1) * sizeof(uint64_t));
	return p;
}

static void places_free(struct matcher *m, struct places *p)
{
	if (p->lo <= p->hi)
		memset(p->w + p->lo / 64, 0, (p->hi / 64 - p->lo / 64 + 1) * sizeof(uint64_t));
	if (m->nspare == m->cap) {
		size_t cap = m->cap ? m->cap * 2 : 16;
		uint64_t **v = u_array(m->x->p, cap, sizeof(*v));

		if (m->nspare)
			memcpy(v, m->spare, m->nspare * sizeof(*v));
		m->spare = v;
		m->cap = cap;
	}
	m->spare[m->nspare++] = p->w;
}

static void places_add(struct places *p, size_t at)
{
	p->w[at / 64] |= (uint64_t)1 << at % 64;
	if (p->lo > p->hi) {
		p->lo = p->hi = at;
		return;
	}
	p->lo = MIN(p->lo, at);
	p->hi = MAX(p->hi, at);
}

static bool places_has(const struct places *p, size_t at)
{
	return (p->w[at / 64] >> at % 64 & 1) != 0;
}

/* The first place at or after `from`, or PLACE_NONE. */
static size_t places_next(const struct places *p, size_t from)
{
	size_t i;
	uint64_t w;

	if (p->lo > p->hi || from > p->hi)
		return PLACE_NONE;
	if (from < p->lo)
		from = p->lo;
	i = from / 64;
	w = p->w[i] & (~(uint64_t)0 << from % 64);
	while (!w) {
		if (++i > p->hi / 64)
			return PLACE_NONE;
		w = p->w[i];
	}
	return i * 64 + (size_t)__builtin_ctzll(w);
}

static void places_join(struct places *to, const struct places *from)
{
	for (size_t at = places_next(from, 0); at != PLACE_NONE; at = places_next(from, at + 1))
		places_add(to, at);
}

static struct places seq_run(struct matcher *m, const struct seq *seq, const struct places *in);

static void alts_run(struct matcher *m, const struct elem *e, const struct places *in,
                     struct places *out)
{
	for (uint32_t i = 0; i < e->nalts; i++) {
		struct places r = seq_run(m, &e->alts[i], in);

		places_join(out, &r);
		places_free(m, &r);
	}
}

/* Every alternative is one character: repetition is a scan. */
static bool single_alts(const struct elem *e)
{
	for (uint32_t i = 0; i < e->nalts; i++)
		if (e->alts[i].n != 1 || e->alts[i].v[0].kind == E_STAR ||
		    e->alts[i].v[0].kind == E_GROUP)
			return false;
	return true;
}

static void repeat_single(struct matcher *m, const struct elem *e, struct places *all)
{
	for (size_t at = places_next(all, 0); at != PLACE_NONE; at = places_next(all, at + 1)) {
		sys_checkpoint(m->x->p);
		for (uint32_t i = 0; i < e->nalts; i++) {
			size_t len = elem_at(m->pat, &e->alts[i].v[0], m->s, at);

			if (len)
				places_add(all, at + len);
		}
	}
}

/* `all` grows by whatever further repetitions reach. */
static void repeat(struct matcher *m, const struct elem *e, struct places *all)
{
	struct places edge;

	if (single_alts(e)) {
		repeat_single(m, e, all);
		return;
	}
	edge = places_new(m);
	places_join(&edge, all);
	while (edge.lo <= edge.hi) {
		struct places got = places_new(m), fresh = places_new(m);

		sys_checkpoint(m->x->p);
		alts_run(m, e, &edge, &got);
		for (size_t at = places_next(&got, 0); at != PLACE_NONE;
		     at = places_next(&got, at + 1))
			if (!places_has(all, at)) {
				places_add(&fresh, at);
				places_add(all, at);
			}
		places_free(m, &got);
		places_free(m, &edge);
		edge = fresh;
	}
	places_free(m, &edge);
}

static void group_not(struct matcher *m, const struct elem *e, const struct places *in,
                      struct places *out)
{
	for (size_t at = places_next(in, 0); at != PLACE_NONE; at = places_next(in, at + 1)) {
		struct places one = places_new(m), no = places_new(m);

		places_add(&one, at);
		alts_run(m, e, &one, &no);
		for (size_t to = at;; to += char_len(m->pat, m->s, to)) {
			sys_checkpoint(m->x->p);
			if (!places_has(&no, to))
				places_add(out, to);
			if (to >= m->s.len)
				break;
		}
		places_free(m, &one);
		places_free(m, &no);
	}
}

static void elem_run(struct matcher *m, const struct elem *e, const struct places *in,
                     struct places *out)
{
	size_t at = places_next(in, 0);

	if (e->kind == E_STAR) {
		for (; at != PLACE_NONE; at += char_len(m->pat, m->s, at)) {
			places_add(out, at);
			if (at >= m->s.len)
				break;
		}
	} else if (e->kind == E_GROUP) {
		if (e->op == '!') {
			group_not(m, e, in, out);
			return;
		}
		if (e->op == '?' || e->op == '*')
			places_join(out, in);
		if (e->op != '*')
			alts_run(m, e, in, out);
		if (e->op == '*' || e->op == '+')
			repeat(m, e, out);
	} else {
		for (; at != PLACE_NONE; at = places_next(in, at + 1)) {
			size_t len = elem_at(m->pat, e, m->s, at);

			if (len)
				places_add(out, at + len);
		}
	}
}

static struct places seq_run(struct matcher *m, const struct seq *seq, const struct places *in)
{
	struct places cur = places_new(m);

	places_join(&cur, in);
	for (uint32_t i = 0; i < seq->n && cur.lo <= cur.hi; i++) {
		struct places next = places_new(m);

		sys_checkpoint_n(m->x->p, 1 + (uint32_t)MIN((cur.hi - cur.lo) / 8, (size_t)1000));
		elem_run(m, &seq->v[i], &cur, &next);
		places_free(m, &cur);
		cur = next;
	}
	return cur;
}

/* Where matches that begin at `from` end. */
static struct places ends_from(struct matcher *m, size_t from)
{
	struct places start = places_new(m), ends;

	places_add(&start, from);
	ends = seq_run(m, &m->pat->seq, &start);
	places_free(m, &start);
	return ends;
}

static size_t places_last(const struct places *p)
{
	size_t at = PLACE_NONE;

	if (p->lo <= p->hi)
		for (at = p->hi; !places_has(p, at);)
			at--;
	return at;
}

static size_t ext_prefix(struct matcher *m, size_t from, bool longest)
{
	struct places ends = ends_from(m, from);
	size_t at = longest ? places_last(&ends) : places_next(&ends, 0);

	places_free(m, &ends);
	return at;
}

static bool ext_ends(struct matcher *m, size_t from)
{
	struct places ends = ends_from(m, from);
	bool yes = places_has(&ends, m->s.len);

	places_free(m, &ends);
	return yes;
}

static size_t ext_suffix(struct matcher *m, bool longest)
{
	size_t at = longest ? 0 : m->s.len;

	for (;;) {
		if (ext_ends(m, at))
			return at;
		if (longest) {
			if (at >= m->s.len)
				return PLACE_NONE;
			at += char_len(m->pat, m->s, at);
		} else {
			if (at == 0)
				return PLACE_NONE;
			at -= char_len_back(m->pat, m->s, at, 0);
		}
	}
}

/* ---- Entries ---- */

size_t sets_prefix(struct expander *x, const struct pattern *pat, struct str s, bool longest)
{
	struct matcher m = {.x = x, .pat = pat, .s = s};

	return ext_prefix(&m, 0, longest);
}

size_t sets_find(struct expander *x, const struct pattern *pat, struct str s, size_t from,
                 size_t *end)
{
	struct matcher m = {.x = x, .pat = pat, .s = s};

	for (size_t at = from;; at += char_len(pat, s, at)) {
		*end = ext_prefix(&m, at, true);
		if (*end != PLACE_NONE)
			return at;
		if (at >= s.len)
			return PLACE_NONE;
	}
}

size_t sets_suffix(struct expander *x, const struct pattern *pat, struct str s, bool longest)
{
	struct matcher m = {.x = x, .pat = pat, .s = s};

	return ext_suffix(&m, longest);
}

bool sets_whole(struct expander *x, const struct pattern *pat, struct str s)
{
	struct matcher m = {.x = x, .pat = pat, .s = s};

	return ext_ends(&m, 0);
}
