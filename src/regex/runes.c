/*
 * runes.c - sets of characters, as bracket expressions and classes describe them.
 *
 * Ranges are appended as they come and put in order when an operation needs it.
 */
#include "runes.h"

#include "../base/utf8.h"

static bool ascii_is(enum rune_kind kind, int c)
{
	switch (kind) {
	case RUNE_ALPHA: return ascii_alpha(c);
	case RUNE_UPPER: return ascii_upper(c);
	case RUNE_LOWER: return ascii_lower(c);
	case RUNE_SPACE: return ascii_space(c);
	case RUNE_BLANK: return ascii_blank(c);
	case RUNE_PUNCT: return ascii_punct(c);
	case RUNE_PRINT: return ascii_print(c);
	case RUNE_GRAPH: return ascii_print(c) && c != ' ';
	case RUNE_CNTRL: return c < 0x20 || c == 0x7f;
	case RUNE_DIGIT: return ascii_digit(c);
	case RUNE_XDIGIT: return ascii_xdigit(c);
	case RUNE_ALNUM: return ascii_alnum(c);
	case RUNE_KINDS: break;
	}
	return false;
}

int rune_kind_named(const char *name, size_t n)
{
	static const char names[RUNE_KINDS][8] = {
	        [RUNE_ALPHA] = "alpha",   [RUNE_UPPER] = "upper", [RUNE_LOWER] = "lower",
	        [RUNE_SPACE] = "space",   [RUNE_BLANK] = "blank", [RUNE_PUNCT] = "punct",
	        [RUNE_PRINT] = "print",   [RUNE_GRAPH] = "graph", [RUNE_CNTRL] = "cntrl",
	        [RUNE_XDIGIT] = "xdigit", [RUNE_DIGIT] = "digit", [RUNE_ALNUM] = "alnum",
	};

	for (int k = 0; k < RUNE_KINDS; k++)
		if (strlen(names[k]) == n && memcmp(names[k], name, n) == 0)
			return k;
	return -1;
}

bool rune_is_word(uint32_t c)
{
	return c == '_' || utf8_is(c, UTF8_ALNUM);
}

int32_t rune_decode(const unsigned char *p, const unsigned char *end, unsigned *len)
{
	return (int32_t)utf8_decode((const char *)p, (size_t)(end - p), len);
}

int32_t rune_before(const unsigned char *begin, const unsigned char *p)
{
	const unsigned char *q = p - 1;
	unsigned len;
	int32_t c;

	if (*q < 0x80)
		return *q;
	while (q > begin && p - q < 4 && (*q & 0xc0) == 0x80)
		q--;
	c = rune_decode(q, p, &len);
	return q + len == p ? c : -1;
}

void runes_init(struct runes *s, struct arena *a, bool utf8)
{
	memset(s, 0, sizeof(*s));
	s->arena = a;
	s->utf8 = utf8;
	s->sorted = true;
}

static void append(struct runes *s, uint32_t lo, uint32_t hi)
{
	if (s->n && s->range[s->n - 1].hi + 1 == lo) {
		s->range[s->n - 1].hi = hi;
		return;
	}
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 8;

		s->range = arena_grow(s->arena, s->range, s->n * sizeof(*s->range),
		                      cap * sizeof(*s->range));
		s->cap = cap;
	}
	if (s->n && s->range[s->n - 1].hi >= lo)
		s->sorted = false;
	s->range[s->n++] = (struct rune_range){lo, hi};
}

void runes_add(struct runes *s, uint32_t lo, uint32_t hi)
{
	uint32_t small = s->utf8 ? 0x7f : 0xff;

	for (uint32_t c = lo; c <= hi && c <= small; c++)
		byteset_add(&s->ascii, c);
	if (!s->utf8 || hi <= small)
		return;
	lo = MAX(lo, small + 1);
	hi = MIN(hi, RUNE_LAST);
	/* surrogates are no characters */
	if (lo < 0xd800 && hi >= 0xd800) {
		append(s, lo, 0xd7ff);
		lo = 0xe000;
	}
	if (lo >= 0xd800 && lo < 0xe000)
		lo = 0xe000;
	if (lo <= hi)
		append(s, lo, hi);
}

void runes_add_kind(struct runes *s, enum rune_kind kind)
{
	enum rune_kind table = kind == RUNE_ALNUM ? RUNE_ALPHA : kind;

	for (int c = 0; c < 0x80; c++)
		if (ascii_is(kind, c))
			byteset_add(&s->ascii, (unsigned)c);
	if (!s->utf8 || table >= RUNE_TABLES)
		return;
	for (size_t i = 0; i < rune_tables[table].n; i++) {
		uint32_t r = rune_tables[table].range[i];

		append(s, r >> 11, (r >> 11) + (r & 0x7ff));
	}
}

/* Shell sort: no recursion, no extra memory, and the ranges are nearly in order. */
void runes_sort(struct runes *s)
{
	size_t gap = 1, w = 0;

	if (s->sorted || s->n == 0)
		return;
	while (gap < s->n / 3)
		gap = gap * 3 + 1;
	for (; gap; gap /= 3)
		for (size_t i = gap; i < s->n; i++) {
			struct rune_range r = s->range[i];
			size_t j = i;

			for (; j >= gap && s->range[j - gap].lo > r.lo; j -= gap)
				s->range[j] = s->range[j - gap];
			s->range[j] = r;
		}
	for (size_t i = 1; i < s->n; i++) {
		if (s->range[i].lo <= s->range[w].hi + 1)
			s->range[w].hi = MAX(s->range[w].hi, s->range[i].hi);
		else
			s->range[++w] = s->range[i];
	}
	s->n = w + 1;
	s->sorted = true;
}

void runes_negate(struct runes *s)
{
	struct runes out;
	uint32_t next = 0x80;

	for (int i = 0; i < 4; i++)
		s->ascii.word[i] = s->utf8 && i >= 2 ? 0 : ~s->ascii.word[i];
	if (!s->utf8)
		return;
	runes_sort(s);
	runes_init(&out, s->arena, true);
	out.ascii = s->ascii;
	for (size_t i = 0; i < s->n; i++) {
		if (s->range[i].lo > next)
			runes_add(&out, next, s->range[i].lo - 1);
		next = s->range[i].hi + 1;
	}
	if (next <= RUNE_LAST)
		runes_add(&out, next, RUNE_LAST);
	runes_sort(&out);
	*s = out;
}

/* The first range that ends at c or later. */
static size_t find(const struct runes *s, uint32_t c)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->range[mid].hi < c)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool meets(const struct runes *s, uint32_t lo, uint32_t hi)
{
	size_t i;

	if (lo < 0x80) {
		for (uint32_t c = lo; c <= hi && c < 0x80; c++)
			if (byteset_has(&s->ascii, c))
				return true;
	}
	i = find(s, lo);
	return i < s->n && s->range[i].lo <= hi;
}

void runes_fold(struct runes *s)
{
	struct runes lose, gain;
	struct byteset from = s->ascii;

	for (unsigned c = 'a'; c <= 'z'; c++) {
		if (byteset_has(&from, c - 32))
			byteset_add(&s->ascii, c);
		else
			byteset_remove(&s->ascii, c);
	}
	if (!s->utf8)
		return;
	runes_sort(s);
	runes_init(&lose, s->arena, true);
	runes_init(&gain, s->arena, true);
	for (size_t i = 0; i < rune_ncases; i++) {
		const struct rune_case *r = &rune_cases[i];
		uint32_t delta = (uint32_t)r->delta;

		if (!meets(s, r->lo, r->hi) && !meets(s, r->lo + delta, r->hi + delta))
			continue;
		for (uint32_t c = r->lo; c <= r->hi; c += r->step) {
			if (meets(s, c + delta, c + delta))
				runes_add(&gain, c, c);
			else if (meets(s, c, c))
				runes_add(&lose, c, c);
		}
	}
	if (lose.n) { /* A less B is what is neither outside A nor in B */
		struct byteset ascii = s->ascii;

		runes_negate(s);
		for (size_t i = 0; i < lose.n; i++)
			append(s, lose.range[i].lo, lose.range[i].hi);
		s->sorted = false;
		runes_negate(s);
		s->ascii = ascii;
	}
	for (size_t i = 0; i < gain.n; i++)
		append(s, gain.range[i].lo, gain.range[i].hi);
	s->sorted = s->sorted && gain.n == 0;
	runes_sort(s);
}
