/*
 * zip.h - what the files of zip share: its options, the archive that is being written.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_ZIP_ZIP_H
#define NACRE_CMD_ZIP_ZIP_H

#include "archive.h"

enum { ZE_OK = 0, ZE_FORM = 3, ZE_PARMS = 16, ZE_NONE = 12, ZE_TEMP = 10, ZE_CREAT = 15, ZE_OPEN = 18, ZE_READ = 11, ZE_WRITE = 14 };

#define BUFFER ((size_t)64 << 10)

struct item {
	const char *path;	/* to be read; "-" is standard input */
	const char *name;	/* in the archive */
	struct sys_stat st;
	const struct zip_entry *old;	/* what it replaces */
	uint32_t next;		/* of those with the same hash, from 1; 0: the last */
};

struct zip {
	bool recursive, quiet, junk, update, freshen, delete, move, symlinks, names_from_stdin, verbose, no_extra, no_dirs;
	int level;
	bool level_given, to_stdout;
	char **operands;
	int n;
	struct cmd_list exclude, include;

	struct proc *p;
	struct zip_archive old;
	const char *path, *temp;
	int out;
	uint64_t at;		/* bytes written */
	struct codec *codec;
	struct item *items;
	size_t nitems, items_cap;
	struct u_buf directory;
	uint64_t entries, sum_size, sum_packed;
	bool *gone;		/* old entries that do not stay */
	/* By hash of the name, numbers from 1: items, old entries; and which item replaces an old entry. */
	uint32_t *item_heads, *old_heads, *old_next, *replacement;
	int status;
	char *in_buf, *out_buf;
};

/* ---- write.c ---------------------------------------------------------------------------- */

/* "\tzip warning: TEXT NAME"; on standard output unless the archive goes there. */
void zip_warn(struct zip *z, const char *text, const char *name) MAY_SUSPEND;
/* "\nzip error: ...", and the program ends; what was begun is removed. */
NORETURN void zip_fail(struct zip *z, int status, const char *fmt, const char *what) MAY_SUSPEND;
void zip_say(struct zip *z, const char *fmt, ...) PRINTF(2, 3) MAY_SUSPEND;
/* One entry: its header, data and line in the directory. */
void zip_add_item(struct zip *z, const struct item *it) MAY_SUSPEND;
/* An entry that stays: its local header and data as they are. */
void zip_keep_entry(struct zip *z, const struct zip_entry *old) MAY_SUSPEND;
/* The directory and the end record. */
void zip_put_end(struct zip *z) MAY_SUSPEND;

#endif
