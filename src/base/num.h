/*
 * num.h - text to numbers and back, without locale, errno or allocation.
 *
 * Layer     base
 * Threads   any
 */
#ifndef NACRE_BASE_NUM_H
#define NACRE_BASE_NUM_H

#include "base.h"

/* As strtoll/strtoull: leading white space, sign, base 0/2..36. *end is after what was read, s
 * itself when nothing was. On overflow the result is clamped and *overflow (may be NULL) set. */
int64_t num_i64(const char *s, const char **end, int base, bool *overflow);
uint64_t num_u64(const char *s, const char **end, int base, bool *overflow);

/* As strtod and strtold in the C locale, correctly rounded: decimal, hexadecimal, inf, nan. */
double num_double(const char *s, const char **end);
long double num_ldouble(const char *s, const char **end);
/* The same over n bytes that need no NUL. */
double num_double_n(const char *s, size_t n, const char **end);

/* Decimal digits into buf (no NUL); their count. At least 20 (21 signed) bytes of room. */
size_t num_put_u64(char *buf, uint64_t v);
size_t num_put_i64(char *buf, int64_t v);

#endif
