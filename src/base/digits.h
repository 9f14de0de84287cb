/*
 * digits.h - the exact decimal digits of a binary floating number, most significant first.
 *
 * Printing needs them in order, and so does the reader of decimal numbers when an input lies
 * so close to the middle between two floating numbers that only all digits decide.  They
 * come nine at a time from one small array, so nobody needs a big-number type or a big frame.
 *
 *	uint32_t limb[DIGITS_LIMBS];
 *	digits_init(&d, limb, mantissa, exponent);      // mantissa * 2^exponent
 *	while (d.whole) group = digits_next(&d);        // the integer part, 9 digits each
 *	while (!digits_done(&d)) group = digits_next(&d); // the fraction
 *
 * Layer     base
 * Owns      nothing: the caller gives the array
 * Threads   any
 */
#ifndef NACRE_BASE_DIGITS_H
#define NACRE_BASE_DIGITS_H

#include "base.h"
#include <float.h>

__extension__ typedef unsigned __int128 u128;

/* Limbs for any finite number with the exponent range of a double, and of a long double. */
#define DIGITS_LIMBS_DOUBLE 40
#if LDBL_MAX_EXP > 1024
#define DIGITS_LIMBS 560
#else
#define DIGITS_LIMBS DIGITS_LIMBS_DOUBLE
#endif

struct digits {
	size_t whole;		/* groups of the integer part still to come */
	uint32_t *limb;		/* groups (little-endian) of a big integer, or bits of the fraction */
	size_t first, last;	/* the limbs of the fraction that may be non-zero */
	uint32_t small[5];	/* the integer part when there may be a fraction */
	bool big;		/* the integer part is in limb and there is no fraction */
};

/* |exp| is at most what a long double of this machine can have; m may be 0. */
void digits_init(struct digits *d, uint32_t *limb, u128 m, int exp);
/* The next nine digits as a number below 10^9; 0 for ever after the end. */
uint32_t digits_next(struct digits *d);
/* True when all digits still to come are zero. */
bool digits_done(const struct digits *d);

/* A floating number taken apart: sign, and mantissa * 2^exp. */
enum float_kind { FLOAT_FINITE, FLOAT_INF, FLOAT_NAN };
struct float_parts {
	u128 m;
	int exp;
	bool negative;
	enum float_kind kind;
};
struct float_parts float_split(double x);
struct float_parts float_split_long(long double x);

/* The format of a floating type: what its numbers look like in bits. */
struct float_format {
	int mant_bits;	/* with the leading one */
	int min_exp;	/* exponent of the mantissa's last bit in the smallest numbers */
	int max_exp;	/* and in the largest */
};
#define FLOAT_FORMAT_DOUBLE ((struct float_format){53, -1074, 971})
#define FLOAT_FORMAT_LONG \
	((struct float_format){LDBL_MANT_DIG, LDBL_MIN_EXP - LDBL_MANT_DIG, LDBL_MAX_EXP - LDBL_MANT_DIG})

#endif
