/*
 * search.c - the leftmost-longest match in one text.
 *
 * Places where a match may start are found by its literals or by its first bytes; from such
 * a place one forward run tells the longest end. When that tries too often in vain, one
 * backward run over the text marks every place where some match starts, and the first of
 * them is the one. The simulation answers what the automata cannot.
 */
#include "dfa.h"
#include "sim.h"
#include "walk.h"

unsigned text_before(const struct program *p, const struct text *t, const unsigned char *at)
{
	int32_t c;

	if (at == t->begin)
		return t->eflags & REGEX_NOTBOL ? CTX_TEXT : CTX_LINE | CTX_TEXT;
	if (at[-1] == '\n')
		return p->lines_inside ? CTX_LINE : 0;
	if (!p->has_word_asserts)
		return 0;
	if (at[-1] < 0x80 || !p->is_utf8)
		return at[-1] < 0x80 && rune_is_word(at[-1]) ? CTX_WORD : 0;
	c = rune_before(t->begin, at);
	return c >= 0 && rune_is_word((uint32_t)c) ? CTX_WORD : 0;
}

unsigned text_after(const struct program *p, const struct text *t, const unsigned char *at)
{
	unsigned len;
	int32_t c;

	if (at == t->end)
		return t->eflags & REGEX_NOTEOL ? CTX_TEXT : CTX_LINE | CTX_TEXT;
	if (*at == '\n')
		return p->lines_inside ? CTX_LINE : 0;
	if (!p->has_word_asserts)
		return 0;
	if (*at < 0x80 || !p->is_utf8)
		return *at < 0x80 && rune_is_word(*at) ? CTX_WORD : 0;
	c = rune_decode(at, t->end, &len);
	return c >= 0 && rune_is_word((uint32_t)c) ? CTX_WORD : 0;
}

bool text_is_boundary(const struct program *p, const struct text *t, const unsigned char *at)
{
	const unsigned char *q = at;
	unsigned len;

	if (!p->is_utf8 || at == t->end || (*at & 0xc0) != 0x80)
		return true;
	while (q > t->begin && at - q < 3 && (*q & 0xc0) == 0x80)
		q--;
	return rune_decode(q, t->end, &len) < 0 || q + len <= at;
}

/* Whether the literals tell where there is no match in this text. */
static bool trust_literals(const struct regex *re, const struct text *t, const unsigned char *at)
{
	return re->has_literals && (!re->has_far || byteclass_find(&re->far, at, t->end) == t->end);
}

static struct dfa *dfa_of(struct regex_scratch *s, struct dfa **d, enum dfa_kind kind)
{
	if (!*d)
		*d = dfa_new(s, kind);
	return *d;
}

/* The longest match that starts at `at`: its end, or NULL. */
static const unsigned char *longest_at(struct regex_scratch *s, const struct text *t,
                                       const unsigned char *at, size_t *work)
{
	struct sim_found f;
	const unsigned char *end = NULL;
	bool quit = true;

	if (!(s->re->flags & (REGEX_SLOW | REGEX_NODFA)))
		end = dfa_longest(dfa_of(s, &s->longest, DFA_LONGEST), t, at, work, &quit);
	if (!quit)
		return end;
	*work += 64;
	return sim_search(s, t, at, true, &f) ? f.end : NULL;
}

/* The first marked place at `at` or later, or NULL. */
static const unsigned char *next_mark(const struct regex_scratch *s, const struct text *t,
                                      const unsigned char *at)
{
	size_t i = (size_t)(at - t->begin) - s->marks_from;
	size_t n = (size_t)(t->end - t->begin) - s->marks_from + 1;
	uint64_t word = s->marks[i >> 6] & ~(uint64_t)0 << (i & 63);

	for (;;) {
		while (!word) {
			i = (i | 63) + 1;
			if (i >= n)
				return NULL;
			word = s->marks[i >> 6];
		}
		i = (i & ~(size_t)63) + (size_t)__builtin_ctzll(word);
		if (i >= n)
			return NULL;
		at = t->begin + s->marks_from + i;
		if (text_is_boundary(&s->re->program, t, at))
			return at;
		word &= word - 1; /* nothing, between the bytes of a character */
	}
}

/* By the backward run, or the simulation. */
static bool find_hard(struct regex_scratch *s, const struct text *t, const unsigned char *at,
                      struct sim_found *f)
{
	size_t from = (size_t)(at - t->begin), work = 0;
	const struct regex *re = s->re;

	if (!re->program.reversible || re->flags & (REGEX_SLOW | REGEX_NODFA))
		return sim_search(s, t, at, false, f);
	if (!s->marks_valid || from < s->marks_from) {
		s->marks_valid = dfa_mark_starts(dfa_of(s, &s->starts, DFA_STARTS), t, at);
		s->marks_from = from;
		if (!s->marks_valid)
			return sim_search(s, t, at, false, f);
	}
	f->start = next_mark(s, t, at);
	if (!f->start)
		return false;
	f->end = longest_at(s, t, f->start, &work);
	return f->end != NULL;
}

static bool find_by_literals(struct regex_scratch *s, const struct text *t, const unsigned char *at,
                             struct sim_found *f)
{
	const struct regex *re = s->re;
	size_t work = 0, limit = 512 + 2 * (size_t)(t->end - at);

	for (;;) {
		const unsigned char *q = finder_find(&re->find, at, t->end, NULL);

		if (!q)
			return false;
		f->start = q;
		if (re->literals_are_all)
			f->end = q + finder_longest_at(&re->find, q, t->end);
		else
			f->end = longest_at(s, t, q, &work);
		if (f->end)
			return true;
		at = q + 1;
		if (work > limit)
			return find_hard(s, t, at, f);
	}
}

static bool find_by_bytes(struct regex_scratch *s, const struct text *t, const unsigned char *at,
                          struct sim_found *f)
{
	const struct regex *re = s->re;
	size_t work = 0, limit = 64 + (size_t)(t->end - at) / 2;

	for (;; at++) {
		at = byteclass_find(&re->first, at, t->end);
		if (at == t->end)
			return false;
		if (re->program.odd_start && !text_is_boundary(&re->program, t, at))
			continue;
		f->start = at;
		f->end = longest_at(s, t, at, &work);
		if (f->end)
			return true;
		if (work > limit)
			return find_hard(s, t, at + 1, f);
	}
}

static bool find(struct regex_scratch *s, const struct text *t, const unsigned char *at,
                 struct sim_found *f)
{
	const struct regex *re = s->re;
	size_t work = 0;

	if (s->marks_valid)
		return find_hard(s, t, at, f);
	if (re->program.only_at_start) {
		f->start = at;
		f->end = at == t->begin ? longest_at(s, t, at, &work) : NULL;
		return f->end != NULL;
	}
	if (trust_literals(re, t, at)) {
		if (re->literals_come_first)
			return find_by_literals(s, t, at, f);
		if (!finder_find(&re->find, at, t->end, NULL))
			return false;
	}
	if (re->use_first)
		return find_by_bytes(s, t, at, f);
	/* no hint: perhaps it is right here */
	f->start = at;
	f->end = NULL;
	if (text_is_boundary(&re->program, t, at))
		f->end = longest_at(s, t, at, &work);
	if (f->end)
		return true;
	return at < t->end && find_hard(s, t, at + 1, f);
}

static bool exists(struct regex_scratch *s, const struct text *t, const unsigned char *at)
{
	const struct regex *re = s->re;
	int r = -1;

	if (re->program.only_at_start && at != t->begin)
		return false;
	if (re->program.odd_start) {
		struct sim_found f;

		return find(s, t, at, &f);
	}
	if (trust_literals(re, t, at)) {
		const unsigned char *q = finder_find(&re->find, at, t->end, NULL);

		if (!q)
			return false;
		if (re->literals_are_all)
			return true;
		if (re->literals_come_first && !re->program.has_asserts)
			at = q;
	}
	if (!(re->flags & (REGEX_SLOW | REGEX_NODFA)))
		r = dfa_exists(dfa_of(s, &s->exists, DFA_EXISTS), t, at);
	return r < 0 ? sim_search(s, t, at, false, NULL) : r;
}

/* grep -w where the pattern may match nothing: GNU tries shorter matches at the same place, but
 * an empty one only if nothing longer matches there. (In the C locale only when it wants the
 * match itself; its automaton then is content with any empty one.) */
static bool find_word(struct regex_scratch *s, const struct text *t, const unsigned char *at,
                      struct sim_found *f)
{
	size_t work = 0;

	for (; find(s, t, at, f); at = f->start + 1) {
		const unsigned char *bare;

		if (f->end > f->start)
			return true;
		if (!s->bare)
			s->bare = regex_scratch_new(s->arena, s->re->bare, s->checkpoint, s->ctx);
		bare = longest_at(s->bare, t, f->start, &work);
		if (bare == f->start)
			return true;
		if (f->start == t->end)
			return false;
	}
	return false;
}

int regex_search(const struct regex *re, struct regex_scratch *s, const char *buf, size_t len,
                 size_t from, unsigned eflags, struct regex_span *spans, size_t nspans)
{
	struct text t = {(const unsigned char *)buf, (const unsigned char *)buf + len,
	                 eflags & (REGEX_NOTBOL | REGEX_NOTEOL)};
	const unsigned char *at = t.begin + from;
	bool anchored = eflags & REGEX_ANCHORED;
	struct sim_found f = {NULL, NULL};
	size_t work = 0;

	if (from > len)
		return 0;
	if (!(eflags & REGEX_SAME) || s->marks_buf != buf || s->marks_len != len ||
	    s->marks_flags != t.eflags)
		s->marks_valid = false;
	s->marks_buf = buf;
	s->marks_len = len;
	s->marks_flags = t.eflags;
	for (size_t i = 0; i < nspans; i++)
		spans[i] = (struct regex_span){REGEX_UNSET, REGEX_UNSET};
	if (re->program.has_backrefs) {
		if (trust_literals(re, &t, at) && !finder_find(&re->find, at, t.end, NULL))
			return 0;
		return walk_search(s, &t, at, anchored, spans, nspans);
	}
	if (anchored) {
		f.start = at;
		f.end = longest_at(s, &t, at, &work);
		if (!f.end)
			return 0;
	} else if (re->bare && (nspans || re->program.is_utf8)) {
		if (!find_word(s, &t, at, &f))
			return 0;
	} else if (nspans == 0) {
		return exists(s, &t, at);
	} else if (!find(s, &t, at, &f)) {
		return 0;
	}
	if (nspans == 0)
		return 1;
	spans[0].start = (size_t)(f.start - t.begin);
	spans[0].end = (size_t)(f.end - t.begin);
	if (nspans == 1 || re->groups == 0 || re->flags & REGEX_NOSUB)
		return 1;
	return walk_groups(s, &t, f.start, f.end, spans, nspans);
}
