/*
 * byteset.h - a set of bytes: 256 bits.
 *
 * Layer     regex
 * Threads   any
 */
#ifndef NACRE_REGEX_BYTESET_H
#define NACRE_REGEX_BYTESET_H

#include "../base/base.h"

struct byteset {
	uint64_t word[4];
};

static inline void byteset_add(struct byteset *s, unsigned b)
{
	s->word[b >> 6] |= (uint64_t)1 << (b & 63);
}

static inline void byteset_remove(struct byteset *s, unsigned b)
{
	s->word[b >> 6] &= ~((uint64_t)1 << (b & 63));
}

static inline bool byteset_has(const struct byteset *s, unsigned b)
{
	return s->word[b >> 6] >> (b & 63) & 1;
}

static inline void byteset_join(struct byteset *s, const struct byteset *other)
{
	for (int i = 0; i < 4; i++)
		s->word[i] |= other->word[i];
}

static inline bool byteset_eq(const struct byteset *a, const struct byteset *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* The first member that is not below b; 256 when there is none. */
static inline unsigned byteset_next(const struct byteset *s, unsigned b)
{
	while (b < 256) {
		uint64_t rest = s->word[b >> 6] >> (b & 63);

		if (rest)
			return b + (unsigned)__builtin_ctzll(rest);
		b = (b | 63) + 1;
	}
	return 256;
}

static inline unsigned byteset_count(const struct byteset *s)
{
	unsigned n = 0;

	for (unsigned b = 0; b < 256; b++)
		n += byteset_has(s, b);
	return n;
}

#endif
