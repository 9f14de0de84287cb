/*
 * input.h - the operands of a filter as one stream of bytes.
 *
 * For commands that do not care where one file ends and the next begins. A file that cannot be opened or read
 * is reported in GNU's words and skipped; `status` is 1 then.
 *
 *	input_init(&in, p, a);
 *	while ((c = input_byte(&in)) >= 0) ...
 *	return in.status;
 *
 * Layer     cmd
 * Suspends  where a new slice is fetched: what was taken from the last one is gone then
 */
#ifndef NACRE_CMD_INPUT_H
#define NACRE_CMD_INPUT_H

#include "cmd.h"

struct input {
	struct proc *p;
	char *const *file;	/* those not yet opened */
	int nfiles, fd;
	bool is_open;
	const char *name;	/* of the file that is open */
	const char *at, *end;	/* of the slice in hand */
	const char *complaint;	/* of a failed read; NULL: the name */
	bool dash_is_file;	/* "-" is a name like any other */
	size_t opened;		/* files that could be opened */
	int status;
};

void input_init(struct input *in, struct proc *p, const struct cmd_args *a);
/* The same over a list of names. */
void input_init_files(struct input *in, struct proc *p, char *const *file, int n);

/* Makes a slice available at in->at; false at the end of everything. */
bool input_more(struct input *in) MAY_SUSPEND;
/* The same within the file that is open; false at its end. */
bool input_more_here(struct input *in) MAY_SUSPEND;
/* Opens the next file; false when there is none. */
bool input_open(struct input *in) MAY_SUSPEND;

/* The next byte, -1 at the end. */
static inline int input_byte(struct input *in)
{
	if (UNLIKELY(in->at == in->end) && !input_more(in))
		return -1;
	return (unsigned char)*in->at++;
}

/* At most n bytes into buf; fewer only at the end. */
size_t input_read(struct input *in, char *buf, size_t n) MAY_SUSPEND;

#endif
