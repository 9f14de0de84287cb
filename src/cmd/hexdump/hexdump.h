/*
 * hexdump.h - what the rooms of hexdump share: format strings taken apart.
 *
 * ../hexdump.c parses options and cuts the input into blocks, format.c takes format strings apart, print.c
 * prints a block by one.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_HEXDUMP_HEXDUMP_H
#define NACRE_CMD_HEXDUMP_HEXDUMP_H

#include "../cmd.h"

enum hex_kind {
	HEX_TEXT,	/* no conversion */
	HEX_ADDRESS, HEX_CHAR, HEX_ESCAPED, HEX_PRINTABLE, HEX_NAMED, HEX_SIGNED, HEX_UNSIGNED, HEX_FLOAT, HEX_STRING,
};

/* Text around at most one conversion. */
struct hex_piece {
	struct hex_piece *next;
	struct str before, after;
	size_t after_trimmed;	/* length of `after` in the last repetition: without white space at its end */
	enum hex_kind kind;
	char conversion;	/* as printf's; the base of an address: d, o, x */
	bool minus, plus, space, alt, zero;
	int width, precision;	/* precision -1: none */
	size_t size;		/* bytes it takes */
};

/* COUNT/SIZE "FORMAT" */
struct hex_unit {
	struct hex_unit *next;
	uint64_t repeat;
	size_t size;		/* as given, then of all its pieces; 0: nothing is read */
	bool repeat_given, size_given;
	bool at_end;		/* has %_A: printed once, after everything */
	struct str text;
	struct hex_piece *pieces;
};

struct hex_format {
	struct hex_format *next;
	struct hex_unit *units;
	size_t size;		/* bytes of all units */
};

struct hexdump {
	struct cmd_list formats;	/* in order, those of -b, -c and so on, too */
	const char *length_arg, *skip_arg;
	bool verbose;

	struct proc *p;
	struct u_out *out;
	struct hex_format *first, **last;
	struct hex_unit *end;	/* the unit printed at the end */
	size_t block;		/* bytes */
	uint64_t address, end_address;	/* of the block; end_address is set in the last, shorter one */
	bool ended;
};

/* ---- format.c ---- */

/* Takes a format string apart; all of them are then made to fit the same block. */
void hex_add_format(struct hexdump *h, const char *text);
void hex_finish_formats(struct hexdump *h);

/* ---- print.c ---- */

/* Prints h->block bytes by all formats; there is a NUL after them. */
void hex_print_block(struct hexdump *h, const char *block);
void hex_print_end(struct hexdump *h);

#endif
