/*
 * reject.h - what patch works with, and the hunks it could not apply.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_PATCH_REJECT_H
#define NACRE_CMD_PATCH_REJECT_H

#include "../cmd.h"

struct patch {
	const char *strip, *input, *output, *directory, *fuzz, *reject;
	bool reverse, forward, silent, backup, dry_run, remove_empty, force, no_backup_mismatch;
	int kind;		/* of enum patch_kinds; 0: any */

	struct proc *p;
	struct str *line;	/* of the patch */
	size_t n, at;
	bool unfinished;	/* its last line */
	int status;
};

struct text {
	struct str *v;
	size_t n;
	bool unfinished;	/* the last line has no newline */
};

struct hunk {
	size_t first, end;	/* lines of the patch, without the @@ line */
	size_t at[2], n[2];
	struct str *side[2];
	bool open[2];		/* "\ No newline at end of file" after the last line of that side */
	size_t lead, tail;	/* context lines at either end */
};

struct result {
	struct u_buf out, rejects;
	size_t failed, hunks;
	bool mismatch;
};

/* Adds a hunk to the rejects. a, b: the names of the files. */
void patch_reject(struct patch *o, struct result *r, const struct hunk *h, const char *a, const char *b);
/* Whether the first line of the hunk and the line of the file it was for differ in CR LF against LF. */
bool patch_other_endings(const struct patch *o, const struct text *t, const struct hunk *h);

#endif
