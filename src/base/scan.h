/*
 * scan.h - fast passes over bytes: count, find the n-th, count words, translate.
 *
 * The inner loops of wc, head, tail, cut, tr, nl and uniq. Nothing is read outside of
 * [p, p + n). Each picks AVX2, SSE2 or portable code by itself.
 *
 * Layer     base
 * Threads   any
 */
#ifndef NACRE_BASE_SCAN_H
#define NACRE_BASE_SCAN_H

#include "base.h"

/* How many bytes equal `c`. */
size_t scan_count(const char *p, size_t n, char c);

/* The offset just after the k-th `c` (k >= 1), or n with *left the number still missing
 * (0 when it was found). */
size_t scan_after(const char *p, size_t n, char c, uint64_t k, uint64_t *left);

/* The same from the back: the offset just after the k-th last `c` (k >= 1) or 0 with *left > 0. */
size_t scan_after_last(const char *p, size_t n, char c, uint64_t k, uint64_t *left);

/* Words of the C locale: runs of non-space bytes that hold a printable one. `state` is
 * kept between calls: bit 0 says that a word has begun. Start with 0. */
uint64_t scan_words(const char *p, size_t n, unsigned *state);

/* out[i] = map[p[i]]; out may be p. */
void scan_translate(char *out, const char *p, size_t n, const unsigned char map[256]);

/* How many of the n bytes are ASCII, from the start: the length of the prefix without a
 * byte >= 0x80. */
size_t scan_ascii(const char *p, size_t n);

/* The sum of all bytes. */
uint64_t scan_sum(const char *p, size_t n);

/* The length of the prefix that has only printable ASCII: 0x20 to 0x7e. */
size_t scan_printable(const char *p, size_t n);

#endif
