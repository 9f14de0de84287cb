/*
 * numfmt.h - what the rooms of numfmt share: the options, and numbers in and out.
 *
 * ../numfmt.c parses options and goes through lines and fields, number.c reads and writes one number.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_NUMFMT_NUMFMT_H
#define NACRE_CMD_NUMFMT_NUMFMT_H

#include "../../user/ranges.h"
#include "../cmd.h"

enum numfmt_scale { SCALE_NONE, SCALE_AUTO, SCALE_SI, SCALE_IEC, SCALE_IEC_I };
enum numfmt_round { ROUND_UP, ROUND_DOWN, ROUND_FROM_ZERO, ROUND_TO_ZERO, ROUND_NEAREST };
enum numfmt_invalid { INVALID_ABORT, INVALID_FAIL, INVALID_WARN, INVALID_IGNORE };

struct numfmt {
	int from, to, round, invalid;
	uint64_t from_unit, to_unit;
	const char *delim, *field_list, *format, *suffix;
	int64_t padding;	/* < 0: to the left */
	uint64_t header;
	bool debug, grouping, zero;

	struct proc *p;
	struct u_out *out;
	struct u_range *fields;
	size_t nfields;
	struct str prefix, postfix;	/* of the format */
	int64_t precision;	/* of the format; -1: none */
	uint64_t zero_width;
	bool auto_padding, failed;
	uint64_t width;		/* to pad the field in hand to */
};

#define NUMFMT_EXACT 18	/* digits that a number without a unit may have */

/* The number in text, which is cut at its suffix; its digits after the point to *precision. false after a message (or
 * none, by --invalid). */
bool numfmt_read(struct numfmt *f, const char *text, long double *value, size_t *precision);
/* Writes it, padded; false after a message. */
bool numfmt_write(struct numfmt *f, long double value, size_t precision);
/* Takes --format apart. */
void numfmt_parse_format(struct numfmt *f);
/* A conversion failed: ends the program or says so. */
void numfmt_complain(struct numfmt *f, const char *fmt, ...) PRINTF(2, 3);

#endif
