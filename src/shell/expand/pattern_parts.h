/*
 * pattern_parts.h - a compiled pattern, as the three files that make and match it see it.
 *
 * Layer     shell/expand, private to pattern*.c
 */
#ifndef NACRE_SHELL_EXPAND_PATTERN_PARTS_H
#define NACRE_SHELL_EXPAND_PATTERN_PARTS_H

#include "build.h"
#include "pattern.h"

enum elem_kind {
	E_BYTE, /* this byte */
	E_CHAR, /* this character, ignoring case */
	E_ANY,
	E_SET,
	E_STAR,
	E_GROUP,
};

struct range {
	uint32_t lo, hi;
};

struct set {
	uint32_t ascii[4]; /* classes and ranges below 128 */
	bool negate;
	uint32_t classes; /* bits of enum utf8_class, for the rest */
	uint32_t exact;   /* classes that tell the cases apart where nothing else does */
	uint32_t nranges;
	struct range *ranges;
};

struct seq {
	struct elem *v;
	uint32_t n;
};

struct elem {
	uint8_t kind;
	char op; /* E_GROUP: ? * + @ ! */
	uint32_t c;
	union {
		struct set *set;
		struct {
			struct seq *alts;
			uint32_t nalts;
		};
	};
};

/* Elements between two stars. */
struct run {
	const struct elem *v;
	uint32_t n;
	const char *text; /* all E_BYTE: the bytes */
};

struct pattern {
	unsigned flags;
	bool extended;
	struct seq seq;
	struct run *runs; /* not extended */
	uint32_t nruns;
	struct run only; /* of plain text */
};

/* ---- Characters ------------------------------------------------------------------ */

/* A byte that is no character, so that it is equal to itself only. */
#define BAD_BYTE 0x110000u

static inline uint32_t char_at(const struct pattern *pat, struct str s, size_t at, unsigned *len)
{
	unsigned char c = (unsigned char)s.ptr[at];
	uint32_t r;

	*len = 1;
	if (LIKELY(c < 0x80) || (pat->flags & PATTERN_BYTES))
		return c;
	r = utf8_decode(s.ptr + at, s.len - at, len);
	return r == UTF8_BAD ? BAD_BYTE + c : r;
}

static inline size_t char_len(const struct pattern *pat, struct str s, size_t at)
{
	unsigned len;

	(void)char_at(pat, s, at, &len);
	return len;
}

/* Length of the character that ends at `at` (> lo). */
static inline size_t char_len_back(const struct pattern *pat, struct str s, size_t at, size_t lo)
{
	size_t n = 1;

	if ((unsigned char)s.ptr[at - 1] < 0x80 || (pat->flags & PATTERN_BYTES))
		return 1;
	while (n < 4 && at - n > lo && ((unsigned char)s.ptr[at - n] & 0xc0) == 0x80)
		n++;
	return char_len(pat, s, at - n) == n ? n : 1;
}

static inline uint32_t fold(uint32_t c)
{
	if (c < 0x80)
		return (uint32_t)ascii_tolower((int)c);
	return c < BAD_BYTE ? utf8_tolower(c) : c;
}

/* Whether a set has the character. */
bool set_has(const struct pattern *pat, const struct set *s, uint32_t c);

/* One element of one character at `at`: bytes taken, or 0. */
static inline size_t elem_at(const struct pattern *pat, const struct elem *e, struct str s,
                             size_t at)
{
	unsigned len;
	uint32_t c;

	if (at >= s.len)
		return 0;
	if (LIKELY(e->kind == E_BYTE))
		return (unsigned char)s.ptr[at] == e->c;
	c = char_at(pat, s, at, &len);
	if (e->kind == E_ANY)
		return len;
	if (e->kind == E_CHAR)
		return fold(c) == e->c ? len : 0;
	return set_has(pat, e->set, c) ? len : 0;
}

#define PLACE_NONE SIZE_MAX

/* Matches with extended operators (pattern_sets.c). Each gives a place or PLACE_NONE: the end of
 * the longest or shortest prefix, the start of the suffix, the start of the leftmost longest match.
 */
size_t sets_prefix(struct expander *x, const struct pattern *pat, struct str s, bool longest);
size_t sets_suffix(struct expander *x, const struct pattern *pat, struct str s, bool longest);
size_t sets_find(struct expander *x, const struct pattern *pat, struct str s, size_t from,
                 size_t *end);
bool sets_whole(struct expander *x, const struct pattern *pat, struct str s);

#endif
