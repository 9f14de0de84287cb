/*
 * gzip.h - what the files of gzip share: its options and the file in hand.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_GZIP_GZIP_H
#define NACRE_CMD_GZIP_GZIP_H

#include "../pack/pump.h"

enum { GZIP_NAME_AUTO, GZIP_NAME_KEEP, GZIP_NAME_DROP };	/* -N, -n */

/* What reading a member's header may end with. */
enum gzip_member { GZIP_DEFLATE, GZIP_STORED, GZIP_NO_MORE, GZIP_ERROR };

struct gzip {
	/* options */
	bool to_stdout, decompress, force, keep, list, quiet, recursive, test, verbose, license, ascii, synchronous;
	int name;
	int level;
	const char *suffix;

	/* the run */
	struct proc *p;
	int status;		/* GNU's: 1 after an error, 2 after a warning */
	struct pump q;
	int listed;		/* -l: lines printed, and their sums */
	uint64_t sum_in, sum_out;

	/* the file in hand */
	const char *in_name;	/* as opened; "stdin" */
	const char *out_name;	/* "stdout" */
	struct sys_stat st;
	bool is_file;		/* in_name is a regular file: it has a size and a time */
	bool made_output;	/* out_name exists by us: an error removes it */
	int part;		/* members seen */
	uint64_t header_size;	/* of header and trailer */
	uint32_t stored_crc;	/* of the last member */
	int64_t stamp;		/* the time in the header or of the file; 0 unknown */
	const char *stored_name;	/* in the header; NULL */
};

/* ---- member.c: reading and writing members --------------------------------------- */

enum gzip_member gzip_read_header(struct gzip *g) MAY_SUSPEND;
/* The rest of the member just begun. 0, or 1 when its check sum is wrong (said); other damage ends the program. */
int gzip_read_member(struct gzip *g) MAY_SUSPEND;
void gzip_write_member(struct gzip *g) MAY_SUSPEND;

/* ---- file.c: one operand ----------------------------------------------------------- */

void gzip_operand(struct gzip *g, const char *path) MAY_SUSPEND;
/* -l: the line of sums. */
void gzip_list_totals(struct gzip *g);

/* ---- gzip.c ------------------------------------------------------------------------- */

/* "gzip: NAME TEXT" and the status of a warning. */
void gzip_warn(struct gzip *g, const char *fmt, ...) PRINTF(2, 3) MAY_SUSPEND;
/* "\ngzip: NAME: TEXT", status 1; the output is removed and the program ends. */
NORETURN void gzip_abort(struct gzip *g, int err, const char *text) MAY_SUSPEND;
/* Says what has no name in front. */
void gzip_say(struct gzip *g, const char *fmt, ...) PRINTF(2, 3) MAY_SUSPEND;

#endif
