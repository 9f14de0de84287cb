/*
 * hash.h - a number of a string, for tables in memory.
 *
 * Eight bytes at a time. Not for strangers' keys where collisions must cost nothing, and never kept in a file.
 *
 * Layer     base
 * Threads   any
 */
#ifndef NACRE_BASE_HASH_H
#define NACRE_BASE_HASH_H

#include "base.h"

static inline uint64_t hash_bytes(const char *s, size_t n)
{
	uint64_t h = n * 0x9e3779b97f4a7c15u, w;

	for (; n >= 8; s += 8, n -= 8) {
		memcpy(&w, s, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	w = 0;
	for (size_t i = 0; i < n; i++)
		w |= (uint64_t)(unsigned char)s[i] << (8 * i);
	h = (h ^ w) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 29;
}

#endif
