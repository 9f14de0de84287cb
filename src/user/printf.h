/*
 * printf.h - one run of printf, shared by its two files.
 *
 * Layer     user; for printf.c and printf_escape.c
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

/* An escape of the format, p after its backslash; what comes after it. */
const char *printf_format_escape(struct printf_run *r, const char *p);
/* %b: the argument with its escapes replaced, into b; false when \c ended it. */
bool printf_escaped(struct printf_run *r, struct u_buf *b, const char *s);

#endif
