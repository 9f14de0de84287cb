/*
 * find.h - fast searches for a byte of a set, a string, or one of a few strings.
 *
 * What lets a search skip the parts of a text where nothing can match. Nothing is read
 * outside of [p, end).
 *
 * Layer     regex
 * Threads   any
 */
#ifndef NACRE_REGEX_FIND_H
#define NACRE_REGEX_FIND_H

#include "byteset.h"

/* ---- Bytes of a set ---------------------------------------------------- */

struct byteclass {
	struct byteset set;
	unsigned n;                   /* how many bytes it holds */
	unsigned char only;           /* the one, when n == 1 */
	bool has_high;                /* a byte >= 0x80 is in it */
	unsigned char lo[16], hi[16]; /* bits: low nibble fits a high nibble below 8 */
};

void byteclass_init(struct byteclass *c, const struct byteset *s);
/* The first byte of the class in [p, end), or end. */
const unsigned char *byteclass_find(const struct byteclass *c, const unsigned char *p,
                                    const unsigned char *end);

/* ---- Strings ----------------------------------------------------------- */

#define FIND_MAX   16u /* strings at once */
#define FIND_BYTES 32u /* of each at most */

struct needle {
	unsigned char s[FIND_BYTES];
	unsigned char fold[FIND_BYTES]; /* 0x20 where both cases of a letter match */
	unsigned char len;
	unsigned char rare, rare2; /* offsets of the two bytes looked for first */
};

struct finder {
	unsigned n;
	unsigned shortest;
	bool is_folded;
	unsigned width; /* leading bytes that the filter tests: 1 to 3 */
	unsigned char lo[3][16], hi[3][16];
	struct needle needle[FIND_MAX];
};

/* Takes n (1 to FIND_MAX) strings of 1 to FIND_BYTES bytes, lower case if `fold`. */
void finder_init(struct finder *f, const struct str *s, unsigned n, bool fold);
/* The first place in [p, end) where one of the strings is, or NULL; *which is its number
 * (which may be NULL). */
const unsigned char *finder_find(const struct finder *f, const unsigned char *p,
                                 const unsigned char *end, unsigned *which);
/* Length of the longest of the strings at p, or 0. */
size_t finder_longest_at(const struct finder *f, const unsigned char *p, const unsigned char *end);

/* How common a byte is in text: larger is more. */
unsigned byte_frequency(unsigned char c);

#endif
