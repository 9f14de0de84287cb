/*
 * place.h - replacing a file by its packed or unpacked form: what bzip2, xz and zstd do alike.
 *
 * The output is made new, of mode 0600; when all went well it gets the input's owner, mode and times and the input
 * is removed. Names and messages are the commands' own.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_PACK_PLACE_H
#define NACRE_CMD_PACK_PLACE_H

#include "pump.h"

struct place {
	struct proc *p;
	const char *in_name, *out_name;
	struct sys_stat st;	/* of the input */
	bool made;		/* out_name is ours: an error removes it */
};

/* Opens the input, without waiting for a pipe's other end. The descriptor or -E. */
MUST_USE int place_open(struct place *x, const char *name, bool follow) MAY_SUSPEND;
/* Makes out_name; with force what is there is removed first. The descriptor or -E. */
MUST_USE int place_make(struct place *x, bool force) MAY_SUSPEND;
/* The output gets what the input had. */
void place_finish(struct place *x, bool keep) MAY_SUSPEND;
/* Removes what was made. */
void place_drop(struct place *x) MAY_SUSPEND;

#endif
