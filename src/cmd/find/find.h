/*
 * find.h - the parts of find: the expression's tree, its evaluation, its output formats.
 *
 * parse.c turns the arguments into a tree once; eval.c judges every file with it; print.c
 * writes -printf and -ls. The tree is read-only while files are walked, but for the
 * collected arguments of "-exec ... +".
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_FIND_FIND_H
#define NACRE_CMD_FIND_FIND_H

#include "../cmd.h"

#define FIND_FILES0_MAX ((size_t)256 << 20) /* of -files0-from */
#define FIND_BATCH_BYTES 131072	/* of arguments collected for -exec ... + */

enum find_kind {
	FIND_AND, FIND_OR, FIND_COMMA, FIND_NOT,
	/* tests */
	FIND_TRUE, FIND_FALSE, FIND_NAME, FIND_PATH, FIND_LNAME, FIND_REGEX, FIND_TYPE, FIND_XTYPE, FIND_SIZE, FIND_EMPTY,
	FIND_TIME, FIND_NEWER, FIND_USED, FIND_PERM, FIND_ACCESS, FIND_UID, FIND_GID, FIND_NOUSER, FIND_NOGROUP, FIND_INUM,
	FIND_LINKS, FIND_SAMEFILE, FIND_FSTYPE,
	/* actions */
	FIND_PRINT, FIND_PRINT0, FIND_PRINTF, FIND_LS, FIND_DELETE, FIND_PRUNE, FIND_QUIT, FIND_EXEC,
};

/* +n, -n or n. */
struct find_number {
	int sign;		/* 1: more than, -1: less than, 0: exactly */
	uint64_t n;
};

struct find_exec {
	char **argv;		/* as given, without ; or + */
	int argc;
	bool batch;		/* + */
	bool in_dir;		/* -execdir */
	bool ask;		/* -ok, -okdir */
	char **collected;	/* batch: the files so far */
	size_t count, cap, bytes;
	const char *dir;	/* batch with in_dir: where they are */
};

struct find_node {
	enum find_kind kind;
	struct find_node *a, *b;
	const char *text;	/* pattern, format or file system type */
	bool icase;
	uint32_t types;		/* bit set by type: 1 << (S_IFMT >> 12) */
	struct find_number num;
	uint64_t unit;		/* -size: bytes; times: seconds a unit */
	char which;		/* times: a c m B; -perm: '-' '/' or 0; -access: bits */
	struct sys_time when;	/* -newer; times: what to compare with */
	uint64_t dev, ino;	/* -samefile */
	struct regex *regex;
	struct regex_scratch *scratch;
	struct u_out *out;	/* -fprint and friends; NULL: stdout */
	struct find_exec *exec;
};

/* A file that -fprint and friends write. */
struct find_output {
	struct u_out out;
	const char *path;
	struct find_output *next;
};

struct find {
	struct proc *p;
	struct find_node *root;
	unsigned walk_flags;
	int mindepth, maxdepth;
	bool depth;
	bool need_stat;		/* some test or action looks at more than names and types */
	enum regex_dialect regex_dialect;
	struct sys_time start;	/* when the search began */
	struct sys_time now;	/* the same; with -daystart, the end of that day */
	bool daystart, warn, asks;
	const char *files0;	/* -files0-from */
	struct find_output *outputs;
	const struct u_tz *tz;
	struct find_node **batches; /* every "-exec +" of the expression */
	size_t nbatches, batch_cap;
	int status;
	bool quit, prune;
	/* The file being judged. */
	const struct u_walk_entry *e;
	size_t root_len;	/* of the starting point's text in e->path */
};

/* argv from the first expression word on. Never returns on error. */
void find_parse(struct find *f, int argc, char **argv);
bool find_eval(struct find *f, const struct find_node *n) MAY_SUSPEND;
/* Runs what "-exec +" has collected. */
void find_flush_batches(struct find *f) MAY_SUSPEND;

/* Checks a -printf format, warning about unknown directives. */
void find_format_check(struct find *f, const char *format);
void find_printf(struct find *f, struct u_out *o, const char *format) MAY_SUSPEND;
void find_ls(struct find *f, struct u_out *o) MAY_SUSPEND;

#endif
