/*
 * feed.h - a program's text from standard input, as it comes: bc and dc answer a line before they wait for the next.
 *
 * Layer     cmd/bc
 * Owns      the proc's arena
 * Suspends  where the input has nothing yet; what was printed is written out before
 */
#ifndef NACRE_CMD_BC_FEED_H
#define NACRE_CMD_BC_FEED_H

#include "../cmd.h"

struct feed {
	struct proc *p;
	int fd;
	int err;	/* -E of a read that failed */
	bool eof;
	struct u_buf b;	/* read, and not given out yet */
	size_t seen;	/* so much of it the scanner has looked at */
	bool (*ends)(void *state, char c);
	void *state;
};

/* ends: told of every character, says whether what came up to it can run by itself. max: of what cannot. */
void feed_init(struct feed *f, struct proc *p, int fd, size_t max, bool (*ends)(void *state, char c), void *state);
/* The next text that can run; at the end of the input what is left. False: there is no more. */
bool feed_next(struct feed *f, struct str *out) MAY_SUSPEND;
/* The next line, whatever is in it. */
bool feed_line(struct feed *f, struct str *out) MAY_SUSPEND;

#endif
