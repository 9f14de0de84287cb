/*
 * cpio.h - what the files of cpio share: options, and a member's header in whatever format.
 *
 * ../cpio.c parses options and lists what is in an archive; header.c reads and writes headers; in.c makes members; out.c
 * writes archives; pass.c copies trees without one. An archive is untrusted: its numbers are bounded before use, and in.c
 * writes to no place outside of the directory it works in.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_CPIO_CPIO_H
#define NACRE_CMD_CPIO_CPIO_H

#include "../cmd.h"

#define CPIO_NAME_MAX 65536u

enum cpio_format { CPIO_BIN = 1, CPIO_ODC, CPIO_NEWC, CPIO_CRC };

struct cpio_member {
	const char *name;
	const char *link;	/* what a symbolic link leads to */
	uint64_t ino, dev, rdev;
	uint32_t mode, uid, gid, nlink, sum;
	int64_t mtime;
	uint64_t size;
	int format;
};

/* A file of several names whose data has not come yet, or has. */
struct cpio_link {
	struct cpio_link *next;
	uint64_t ino, dev;
	const char *name;
	struct cpio_member m;
	bool made;
};

struct cpio {
	/* options */
	char mode;		/* i o p */
	int format;
	bool list, verbose, dots, quiet, dirs, times, unconditional, null, deref, hard, nonmatching, to_stdout, numeric,
		absolute, reset_times, only_check, reproducible;
	const char *archive, *directory;
	struct cmd_list patterns;

	/* the run */
	struct proc *p;
	struct u_out *out;	/* the archive written */
	struct u_lines names;
	int fd;			/* the archive read */
	const char *at, *end;	/* rest of the slice in hand */
	uint64_t bytes;		/* read or written */
	char **pattern;
	int npatterns;
	bool in_header;		/* what is read now */
	int status;
	struct cpio_link *links;
	struct cpio_member *later;	/* links and directories, made or dated at the end */
	size_t nlater, later_cap;
};

NORETURN void cpio_usage(struct proc *p, const char *fmt, ...) PRINTF(2, 3);
void cpio_error(struct cpio *c, int err, const char *fmt, ...) PRINTF(3, 4);
/* The name of a file processed, or a dot. */
void cpio_tell(struct cpio *c, const char *name);
/* The next name of the list on standard input; NULL at its end. */
const char *cpio_next_name(struct cpio *c) MAY_SUSPEND;
/* Remembers what is to be done at the end. */
void cpio_later(struct cpio *c, const struct cpio_member *m);
/* Gives a file its mode and time; its owner is the sandbox's user. */
void cpio_restore(struct cpio *c, const struct cpio_member *m, const char *name) MAY_SUSPEND;
/* The same for a directory: at once, as GNU does it, unless files could not be put into it then. */
void cpio_restore_dir(struct cpio *c, const struct cpio_member *m) MAY_SUSPEND;
/* The directories above a name. */
void cpio_parents(struct cpio *c, const char *name) MAY_SUSPEND;
/* The file of that inode that was met before; NULL: none. */
struct cpio_link *cpio_link_find(struct cpio *c, uint64_t dev, uint64_t ino);
struct cpio_link *cpio_link_add(struct cpio *c, const struct cpio_member *m);
void cpio_from_stat(struct cpio_member *m, const char *name, const struct sys_stat *st);

/* ---- header.c ---- */

/* The next header; false at the end of the archive. */
bool cpio_read_header(struct cpio *c, struct cpio_member *m) MAY_SUSPEND;
void cpio_write_header(struct cpio *c, const struct cpio_member *m) MAY_SUSPEND;
/* The next piece of at most n bytes of the archive; the program ends when there is none. */
size_t cpio_piece(struct cpio *c, uint64_t n, const char **ptr) MAY_SUSPEND;
void cpio_skip(struct cpio *c, uint64_t n) MAY_SUSPEND;
/* What fills a member's data up. */
unsigned cpio_padding(int format, uint64_t n);
void cpio_write(struct cpio *c, const char *ptr, size_t n) MAY_SUSPEND;

void cpio_in(struct cpio *c) MAY_SUSPEND;
void cpio_out(struct cpio *c) MAY_SUSPEND;
void cpio_pass(struct cpio *c, const char *dir) MAY_SUSPEND;

#endif
