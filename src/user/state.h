/*
 * state.h - what the program library remembers of its proc.
 *
 * Hangs off proc_user.user, made on first use. For the files of src/user only.
 *
 * Layer     user
 */
#ifndef NACRE_USER_STATE_H
#define NACRE_USER_STATE_H

#include "user.h"
#include "cmd.h"

struct u_state {
	struct u_out out;	/* of fd 1; out.p is NULL until u_stdout made it */
	const struct cmd *cmd;	/* what cmd_run runs; NULL in the shell */
	uint8_t eager;		/* stdout is written out before a read: 0 not looked at yet, 1 no, 2 yes */
	bool told;		/* that output was lost: see u_output_told */
	bool dying;		/* stdout's failure was reported, or is not to be */
};

struct u_state *u_state(struct proc *p);

/* Flushes stdout; the status to exit with when that or an earlier write failed (after saying so). */
int u_finish(struct proc *p, int status) MAY_SUSPEND;
/* The status of a usage error of the command that runs. */
int u_usage_status(struct proc *p);

/* Prints --help and --version of a command to stdout. */
void u_print_help(struct proc *p, const struct cmd *c) MAY_SUSPEND;
void u_print_version(struct proc *p, const struct cmd *c) MAY_SUSPEND;

/* What a command behaves as (likeness.c): the first line of --version, % for its name; whether -V prints it too. */
struct u_likeness {
	const char *line;
	bool letter;
};
struct u_likeness u_likeness(const char *name);

/* A sink that appends to a buffer, for fmt_v. */
struct u_buf_sink {
	struct fmt_sink sink;
	struct u_buf *b;
};
struct u_buf_sink u_buf_sink(struct u_buf *b);

#endif
