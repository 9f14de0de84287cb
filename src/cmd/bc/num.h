/*
 * num.h - decimal numbers of any length, for bc and dc.
 *
 * A number is an integer, in limbs of nine digits, divided by ten to its scale. Numbers are taken
 * from and given back to lists of one size each, so a loop costs no memory; what grows is
 * bounded by NUM_LIMBS_MAX.
 *
 *	x = num_parse(b, "1.25", 4, 10);
 *	y = num_mul(b, x, x, 10);
 *	num_free(b, x);
 *
 * Layer     cmd
 * Errors    a division by zero is the caller's to exclude; a number too long ends the program
 */
#ifndef NACRE_CMD_BC_NUM_H
#define NACRE_CMD_BC_NUM_H

#include "../cmd.h"

#define NUM_BASE 1000000000u
#define NUM_DIGITS 9
#define NUM_LIMBS_MAX (1u << 18)
#define NUM_SCALE_MAX 1000000u
#define NUM_CLASSES 20

struct num {
	bool minus;
	uint32_t scale;
	uint32_t n;		/* limbs in use; 0 for zero */
	uint32_t class;
	uint32_t limb[];	/* the least first */
};

struct num_pool {
	struct proc *p;
	struct num *free[NUM_CLASSES];	/* linked through the limbs */
};

struct num *num_int(struct num_pool *b, int64_t v);
struct num *num_copy(struct num_pool *b, const struct num *x);
void num_free(struct num_pool *b, struct num *x);
/* Room for this many words of any use, in limb[]. */
struct num *num_scratch(struct num_pool *b, uint64_t words);

int num_compare(struct num_pool *b, const struct num *x, const struct num *y);
static inline bool num_is_zero(const struct num *x) { return x->n == 0; }

struct num *num_add(struct num_pool *b, const struct num *x, const struct num *y, bool subtract);
/* The product with at most `scale` digits after the point, or as many as the longer factor has. */
struct num *num_mul(struct num_pool *b, const struct num *x, const struct num *y, uint32_t scale);
/* The quotient cut to `scale` digits; y is not zero. */
struct num *num_div(struct num_pool *b, const struct num *x, const struct num *y, uint32_t scale);
/* x - (x / y at `scale`) * y */
struct num *num_mod(struct num_pool *b, const struct num *x, const struct num *y, uint32_t scale);
struct num *num_pow(struct num_pool *b, const struct num *x, int64_t exponent, uint32_t scale);
/* x is not negative. */
struct num *num_sqrt(struct num_pool *b, const struct num *x, uint32_t scale);
/* The same number with this many digits after the point, cut or filled. */
struct num *num_rescale(struct num_pool *b, const struct num *x, uint32_t scale);
/* The whole part; *fits tells whether it could be told. */
int64_t num_to_int(struct num_pool *b, const struct num *x, bool *fits);
/* Digits without the zeros at the start; at least one. */
uint32_t num_digits(const struct num *x);
/* Digits in all, as bc's length(). */
uint32_t num_length(struct num_pool *b, const struct num *x);

/* Digits of `base` (2 to 36, upper case), one of them a point; one digit alone may be any. */
struct num *num_parse(struct num_pool *b, const char *s, size_t n, uint32_t base);
/* As bc prints it; base 10 without a leading zero. */
void num_put(struct num_pool *b, struct u_buf *out, const struct num *x, uint32_t base);

#endif
