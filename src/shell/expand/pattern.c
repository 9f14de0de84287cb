/* pattern.c - shell patterns: * ? [ ] and the extended ?( *( +( @( !( operators.
 *
 * A pattern becomes a row of elements. Without extended operators every element but * takes
 * one character, so the row is a list of fixed runs between stars, and matching is finding
 * the runs one after the other, from the left or from the right: no backtracking, whatever
 * the pattern. With them, matching works on sets of positions: an element maps the set of
 * places where it may start to the set of places where it may end. That is polynomial for
 * all operators, !( ) included. */
#include "pattern_parts.h"

/* ---- Sets of characters ---- */

static bool set_has_one(const struct set *s, uint32_t c)
{
	if (c < 128)
		return (s->ascii[c / 32] >> c % 32 & 1) != 0;
	for (uint32_t i = 0; i < s->nranges; i++)
		if (c >= s->ranges[i].lo && c <= s->ranges[i].hi)
			return true;
	for (unsigned k = 0; s->classes >> k && c < BAD_BYTE; k++)
		if ((s->classes >> k & 1) && utf8_is(c, (enum utf8_class)k))
			return true;
	return false;
}

bool set_has(const struct pattern *pat, const struct set *s, uint32_t c)
{
	bool in = set_has_one(s, c);

	if (!in && (pat->flags & PATTERN_ICASE) && c < BAD_BYTE) {
		uint32_t lower = fold(c),
		         upper = c < 0x80 ? (uint32_t)ascii_toupper((int)c) : utf8_toupper(c);

		in = (lower != c && set_has_one(s, lower)) || (upper != c && set_has_one(s, upper));
	}
	for (unsigned k = 0; !in && s->exact >> k && c < BAD_BYTE; k++)
		in = (s->exact >> k & 1) && utf8_is(c, (enum utf8_class)k);
	return in != s->negate;
}

/* ---- Runs --------------------------------------------------------------------------- */

/* The run at `at`: its end, or PLACE_NONE. */
static size_t run_at(const struct pattern *pat, const struct run *r, struct str s, size_t at)
{
	if (r->text)
		return s.len - at >= r->n && memcmp(s.ptr + at, r->text, r->n) == 0 ? at + r->n
		                                                                    : PLACE_NONE;
	for (uint32_t i = 0; i < r->n; i++) {
		size_t len = elem_at(pat, &r->v[i], s, at);

		if (!len)
			return PLACE_NONE;
		at += len;
	}
	return at;
}

/* The run ending at `end`, not beginning before lo: its start, or PLACE_NONE. */
static size_t run_back(const struct pattern *pat, const struct run *r, struct str s, size_t end,
                       size_t lo)
{
	if (r->text)
		return end - lo >= r->n && memcmp(s.ptr + end - r->n, r->text, r->n) == 0
		               ? end - r->n
		               : PLACE_NONE;
	for (uint32_t i = r->n; i-- > 0;) {
		size_t len;

		if (end <= lo)
			return PLACE_NONE;
		len = r->v[i].kind == E_BYTE ? 1 : char_len_back(pat, s, end, lo);
		if (elem_at(pat, &r->v[i], s, end - len) != len)
			return PLACE_NONE;
		end -= len;
	}
	return end;
}

/* The leftmost place of the run in [from, limit]: its start, end in *end. */
static size_t run_find(struct expander *x, const struct pattern *pat, const struct run *r,
                       struct str s, size_t from, size_t limit, size_t *end)
{
	if (r->n == 0) {
		*end = from;
		return from;
	}
	if (r->text) {
		const char *hit = memmem(s.ptr + from, limit - from, r->text, r->n);

		if (!hit)
			return PLACE_NONE;
		*end = (size_t)(hit - s.ptr) + r->n;
		return (size_t)(hit - s.ptr);
	}
	s.len = limit;
	for (size_t at = from; at < limit; at += char_len(pat, s, at)) {
		size_t e = run_at(pat, r, s, at);

		sys_checkpoint(x->p);
		if (e != PLACE_NONE) {
			*end = e;
			return at;
		}
	}
	return PLACE_NONE;
}

/* The rightmost place of the run in [lo, hi]: its start, end in *end. */
static size_t run_find_back(struct expander *x, const struct pattern *pat, const struct run *r,
                            struct str s, size_t lo, size_t hi, size_t *end)
{
	size_t at = hi;

	for (;;) {
		size_t start = run_back(pat, r, s, at, lo);

		sys_checkpoint(x->p);
		if (start != PLACE_NONE) {
			*end = at;
			return start;
		}
		if (at <= lo)
			return PLACE_NONE;
		at -= char_len_back(pat, s, at, lo);
	}
}

/* Places runs 1 … n-2 from the left, behind `at`. Where the next may begin, or PLACE_NONE. */
static size_t middle_runs(struct expander *x, const struct pattern *pat, struct str s, size_t at,
                          size_t limit)
{
	for (uint32_t i = 1; i + 1 < pat->nruns; i++)
		if (run_find(x, pat, &pat->runs[i], s, at, limit, &at) == PLACE_NONE)
			return PLACE_NONE;
	return at;
}

/* The end of the longest or shortest match whose first run ended at `at`. */
static size_t runs_after(struct expander *x, const struct pattern *pat, struct str s, size_t at,
                         bool longest)
{
	const struct run *last = &pat->runs[pat->nruns - 1];
	size_t end;

	if (pat->nruns == 1)
		return at;
	at = middle_runs(x, pat, s, at, s.len);
	if (at == PLACE_NONE)
		return PLACE_NONE;
	if (last->n == 0)
		return longest ? s.len : at;
	if (longest)
		return run_find_back(x, pat, last, s, at, s.len, &end) == PLACE_NONE ? PLACE_NONE
		                                                                     : end;
	return run_find(x, pat, last, s, at, s.len, &end) == PLACE_NONE ? PLACE_NONE : end;
}

static size_t runs_prefix(struct expander *x, const struct pattern *pat, struct str s, size_t from,
                          bool longest)
{
	size_t at = run_at(pat, &pat->runs[0], s, from);

	return at == PLACE_NONE ? PLACE_NONE : runs_after(x, pat, s, at, longest);
}

static size_t runs_suffix(struct expander *x, const struct pattern *pat, struct str s, bool longest)
{
	size_t end, at = run_back(pat, &pat->runs[pat->nruns - 1], s, s.len, 0);

	if (at == PLACE_NONE || pat->nruns == 1)
		return at;
	for (uint32_t i = pat->nruns - 1; i-- > 1;) {
		at = run_find_back(x, pat, &pat->runs[i], s, 0, at, &end);
		if (at == PLACE_NONE)
			return PLACE_NONE;
	}
	if (pat->runs[0].n == 0)
		return longest ? 0 : at;
	if (longest)
		return run_find(x, pat, &pat->runs[0], s, 0, at, &end);
	return run_find_back(x, pat, &pat->runs[0], s, 0, at, &end);
}

static bool runs_whole(struct expander *x, const struct pattern *pat, struct str s)
{
	size_t at = run_at(pat, &pat->runs[0], s, 0), end;

	if (at == PLACE_NONE)
		return false;
	if (pat->nruns == 1)
		return at == s.len;
	end = run_back(pat, &pat->runs[pat->nruns - 1], s, s.len, at);
	if (end == PLACE_NONE)
		return false;
	return pat->nruns == 2 || middle_runs(x, pat, s, at, end) != PLACE_NONE;
}

/* ---- Entries ------------------------------------------------------------------------------ */

/* A leading dot needs a dot in the pattern. */
static bool dot_ok(const struct seq *seq)
{
	const struct elem *e = seq->v;

	if (!seq->n)
		return false;
	if (e->kind == E_BYTE || e->kind == E_CHAR)
		return e->c == '.';
	if (e->kind == E_GROUP && e->op != '!')
		for (uint32_t i = 0; i < e->nalts; i++)
			if (dot_ok(&e->alts[i]))
				return true;
	return false;
}

bool pattern_whole(struct expander *x, const struct pattern *pat, struct str s)
{
	if ((pat->flags & PATTERN_PERIOD) && s.len && s.ptr[0] == '.' && pat->runs != &pat->only &&
	    !dot_ok(&pat->seq))
		return false;
	return pat->extended ? sets_whole(x, pat, s) : runs_whole(x, pat, s);
}

int64_t pattern_prefix(struct expander *x, const struct pattern *pat, struct str s, bool longest)
{
	return (int64_t)(pat->extended ? sets_prefix(x, pat, s, longest)
	                               : runs_prefix(x, pat, s, 0, longest));
}

int64_t pattern_suffix(struct expander *x, const struct pattern *pat, struct str s, bool longest)
{
	return (int64_t)(pat->extended ? sets_suffix(x, pat, s, longest)
	                               : runs_suffix(x, pat, s, longest));
}

int64_t pattern_find(struct expander *x, const struct pattern *pat, struct str s, size_t from,
                     size_t *end)
{
	if (!pat->extended) {
		size_t at, start = run_find(x, pat, &pat->runs[0], s, from, s.len, &at);

		if (start == PLACE_NONE)
			return -1;
		/* If the rest is not to be found behind this place, it is not behind a later one.
		 */
		*end = runs_after(x, pat, s, at, true);
		return *end == PLACE_NONE ? -1 : (int64_t)start;
	}
	return (int64_t)sets_find(x, pat, s, from, end);
}

unsigned pattern_flags(const struct shell_state *st)
{
	return (st->shopts & SHOPT_EXTGLOB ? PATTERN_EXTGLOB : 0u) |
	       (st->shopts & SHOPT_NOCASEMATCH ? PATTERN_ICASE : 0u) |
	       (st->utf8 ? 0u : PATTERN_BYTES);
}

bool pattern_match(struct expander *x, struct str pattern, struct str s, unsigned flags)
{
	const struct pattern *pat;

	/* Most patterns of case are plain words. */
	if (!(flags & PATTERN_ICASE)) {
		size_t i = 0;

		while (i < pattern.len && !memchr("*?[\\+@!(", pattern.ptr[i], 8))
			i++;
		if (i == pattern.len)
			return str_eq(pattern, s);
		if (pattern.len == 1 && pattern.ptr[0] == '*')
			return true;
	}
	pat = pattern_compile(x, pattern, flags);
	return pat && pattern_whole(x, pat, s);
}
