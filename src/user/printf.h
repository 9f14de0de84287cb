/*
 * printf.h - one run of printf, shared by its three files.
 *
 * Layer     user; for printf.c, printf_arg.c and printf_escape.c
 */
#ifndef NACRE_USER_PRINTF_H
#define NACRE_USER_PRINTF_H

#include <float.h>

#include "state.h"

struct printf_run {
	struct u_printf_host *h;
	struct fmt_sink sink;	/* into h->out */
	char *const *argv;
	int argc, at;
	int status;
	bool stop;		/* nothing more is printed */
	int64_t spilled;	/* bytes that left h->out */
	int64_t begin;		/* what was in h->out before */
};

void printf_emit(struct printf_run *r, const char *s, size_t n);
void printf_warn(struct printf_run *r, const char *fmt, ...) PRINTF(2, 3);

/* The next argument, NULL past the last; and as a number, 0 past the last. What is wrong with one is said. */
const char *printf_next(struct printf_run *r);
int64_t printf_signed(struct printf_run *r);
uint64_t printf_unsigned(struct printf_run *r);
long double printf_float(struct printf_run *r);
/* The argument of a * in the format. False when that ends everything. */
bool printf_star(struct printf_run *r, int *out, bool precision);

/* An escape of the format, p after its backslash; what comes after it. */
const char *printf_format_escape(struct printf_run *r, const char *p);
/* %b: the argument with its escapes replaced, into b; false when \c ended it. */
bool printf_escaped(struct printf_run *r, struct u_buf *b, const char *s);

#endif
