/*
 * unzip.h - what the files of unzip share.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_ZIP_UNZIP_H
#define NACRE_CMD_ZIP_UNZIP_H

#include "archive.h"

enum { MODE_EXTRACT, MODE_LIST, MODE_VERBOSE, MODE_TEST, MODE_PIPE, MODE_CONSOLE, MODE_NAMES, MODE_COMMENT };
enum { OVERWRITE_ASK, OVERWRITE_YES, OVERWRITE_NO };

/* Statuses of UnZip. */
enum { PK_OK = 0, PK_WARN = 1, PK_ERR = 2, PK_BADERR = 3, PK_NOZIP = 9, PK_PARAM = 10, PK_FIND = 11, PK_BOMB = 12, PK_DISK = 50, PK_UNSUP = 81,
       PK_PASSWORD = 82 };

struct late {
	struct late *next;
	const char *path, *target;
	const struct zip_entry *e;
};

struct unzip {
	struct proc *p;
	struct zip_archive z;
	struct codec *codec;
	struct u_out *out;
	int mode, quiet, overwrite, status;
	bool junk, update, freshen, icase, lower, none_left;
	const char *dir;
	char **want, **skip;
	int nwant, nskip;
	bool *found;
	struct late *links, **links_end, *dirs;
	uint64_t sum_size, sum_packed, count;
};

/* Control characters of a name as ^X. */
const char *unzip_shown(struct unzip *u, const char *name);
/* Asked for and not excluded. */
bool unzip_wanted(struct unzip *u, const struct zip_entry *e);
/* -l, -v and -Z1. */
void unzip_list(struct unzip *u) MAY_SUSPEND;

#endif
