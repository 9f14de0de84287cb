/*
 * runes.h - sets of characters, as bracket expressions and classes describe them.
 *
 * In UTF-8 a set is its ASCII part plus sorted ranges of code points above; in the C
 * locale it is 256 bytes and the ranges stay empty. Classes and case follow the C.UTF-8
 * locale of the C library (tables.c).
 *
 * Layer     regex
 * Owns      nothing: ranges live in the caller's arena
 * Threads   one at a time
 */
#ifndef NACRE_REGEX_RUNES_H
#define NACRE_REGEX_RUNES_H

#include "../base/arena.h"
#include "byteset.h"

#define RUNE_LAST 0x10ffffu

enum rune_kind {
	RUNE_ALPHA,
	RUNE_UPPER,
	RUNE_LOWER,
	RUNE_SPACE,
	RUNE_BLANK,
	RUNE_PUNCT,
	RUNE_PRINT,
	RUNE_GRAPH,
	RUNE_CNTRL,
	RUNE_TABLES,
	RUNE_DIGIT = RUNE_TABLES, /* these three have nothing of their own beyond ASCII */
	RUNE_XDIGIT,
	RUNE_ALNUM, /* alpha beyond ASCII */
	RUNE_KINDS
};

struct rune_table {
	const uint32_t *range; /* lo << 11 | (hi - lo) */
	size_t n;
};

struct rune_case {
	uint32_t lo, hi;
	int32_t delta; /* to the upper case form */
	uint32_t step;
};

extern const struct rune_table rune_tables[RUNE_TABLES];
extern const struct rune_case rune_cases[];
extern const size_t rune_ncases;

struct rune_range {
	uint32_t lo, hi;
};

struct runes {
	struct arena *arena;
	bool utf8;
	bool sorted; /* ranges are sorted, disjoint and not adjacent */
	struct byteset ascii;
	struct rune_range *range;
	size_t n, cap;
};

/* The kind called by these n bytes, or -1. */
int rune_kind_named(const char *name, size_t n);
/* A letter, a digit or an underscore. */
bool rune_is_word(uint32_t c);

/* The character at p (p < end), at most 4 bytes, and its length; -1 with length 1 when
 * the bytes are no character. */
int32_t rune_decode(const unsigned char *p, const unsigned char *end, unsigned *len);
/* The character that ends just before p (p > begin); -1 when there is none. */
int32_t rune_before(const unsigned char *begin, const unsigned char *p);

void runes_init(struct runes *s, struct arena *a, bool utf8);
void runes_add(struct runes *s, uint32_t lo, uint32_t hi);
void runes_add_kind(struct runes *s, enum rune_kind kind);
/* All characters that are not in the set; bytes that are no character stay out. */
void runes_negate(struct runes *s);
/* From a set of upper-case forms to every character whose upper-case form is in it. */
void runes_fold(struct runes *s);
void runes_sort(struct runes *s);

#endif
