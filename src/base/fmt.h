/*
 * fmt.h - formatted text into a sink: a small printf without locale, errno or allocation.
 *
 * Understands %% c s d i u x X o p f F e E g G a A with flags - + space # 0 ', width, precision (both may be *),
 * lengths hh h l ll j z t and L (long double). Output does not depend on the host's locale.
 * Floating conversions are exact for any precision.
 *
 * Layer     base
 * Threads   any
 */
#ifndef NACRE_BASE_FMT_H
#define NACRE_BASE_FMT_H

#include "base.h"

struct fmt_sink {
	void (*put)(struct fmt_sink *s, const char *ptr, size_t n);
};

/* Bytes put. */
size_t fmt_v(struct fmt_sink *s, const char *fmt, va_list ap);
size_t fmt_put(struct fmt_sink *s, const char *fmt, ...) PRINTF(2, 3);

/* Into buf of n bytes, cut and always NUL-terminated (n > 0); the full length. */
size_t fmt_buf(char *buf, size_t n, const char *fmt, ...) PRINTF(3, 4);
size_t fmt_buf_v(char *buf, size_t n, const char *fmt, va_list ap);

/* One floating number, as printf's conversion `conv` (f F e E g G a A) with flags: */
enum fmt_flags { FMT_MINUS = 1, FMT_PLUS = 2, FMT_SPACE = 4, FMT_ALT = 8, FMT_ZERO = 16, FMT_GROUP = 32 };
/* precision < 0: the default. Widths and precisions are the caller's to bound. */
void fmt_float(struct fmt_sink *s, long double x, char conv, unsigned flags, int width, int precision);
void fmt_double(struct fmt_sink *s, double x, char conv, unsigned flags, int width, int precision);

#endif
