/*
 * dd.h - what dd's operands say (operands.c) and its state while it copies (dd.c).
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_DD_DD_H
#define NACRE_CMD_DD_DD_H

#include "../cmd.h"

enum dd_conv {
	CONV_BLOCK = 1u << 0,
	CONV_UNBLOCK = 1u << 1,
	CONV_LCASE = 1u << 2,
	CONV_UCASE = 1u << 3,
	CONV_SWAB = 1u << 4,
	CONV_SYNC = 1u << 5,
	CONV_NOERROR = 1u << 6,
	CONV_NOTRUNC = 1u << 7,
	CONV_EXCL = 1u << 8,
	CONV_NOCREAT = 1u << 9,
	CONV_SPARSE = 1u << 10,
	CONV_NOTHING = 1u << 11,	/* fsync, fdatasync: what is written is there */
	CONV_REFUSED = 1u << 12,
};

enum dd_flag {
	FLAG_APPEND = 1u << 0,
	FLAG_DIRECTORY = 1u << 1,
	FLAG_NOFOLLOW = 1u << 2,
	FLAG_NONBLOCK = 1u << 3,
	FLAG_FULLBLOCK = 1u << 4,	/* of input only */
	FLAG_COUNT_BYTES = 1u << 5,	/* of input only */
	FLAG_SKIP_BYTES = 1u << 6,	/* of input only */
	FLAG_SEEK_BYTES = 1u << 7,	/* of output only */
	FLAG_NOTHING = 1u << 8,
};

enum dd_status { STATUS_DEFAULT, STATUS_NOXFER, STATUS_NONE, STATUS_PROGRESS };

struct amount {
	uint64_t n;
	bool given, in_bytes;
};

struct dd {
	struct proc *p;
	const char *in, *out;		/* NULL: standard input and output */
	uint64_t bs, ibs, obs, cbs;
	struct amount count, skip, seek;
	unsigned conv, iflag, oflag;
	int status_level;
	int in_fd, out_fd;
	char *ibuf, *obuf;
	uint64_t on;			/* bytes waiting in obuf */
	uint64_t full_in, part_in, full_out, part_out, truncated, bytes;
	int64_t start;
	uint64_t column;		/* in the record of block and unblock */
	uint64_t spaces;		/* unblock: blanks that may turn out to be padding */
	int odd;			/* swab: the byte left over, -1: none */
	bool skipped_last;		/* sparse: the last block was not written but skipped */
	int status;
};

/* Reads one operand; dies with GNU's words. */
void dd_operand(struct dd *d, const char *operand);
/* Refuses what does not go together, and fills in what was not said. */
void dd_check(struct dd *d);

#endif
