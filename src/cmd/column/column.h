/*
 * column.h - what the rooms of column share: the options, and a table.
 *
 * ../column.c reads the input and makes lists, table.c makes tables.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_COLUMN_COLUMN_H
#define NACRE_CMD_COLUMN_COLUMN_H

#include "../cmd.h"

struct column_row {
	struct str *cell;
	size_t n;
};

struct column_info {
	struct str name;
	bool right, hidden;
	size_t width;
};

struct column {
	bool table, fill_rows, keep_empty, no_header, header_repeat, json;
	const char *separator, *between, *names, *hide, *right, *order, *table_name;
	const char *width_arg, *limit_arg;

	struct proc *p;
	struct u_out *out;
	uint64_t screen;	/* columns */
	uint64_t limit;		/* fields a line; 0: any number */
	struct str *entry;	/* lines of a list */
	struct column_row *row;
	size_t n, cap;		/* of either */
	struct column_info *column;
	size_t ncolumns;
	size_t *place;		/* columns in the order they are printed */
};

/* Columns on a screen; bytes that are no text count as four (\xNN). */
size_t column_width(struct str s);
void column_put(struct u_out *out, struct str s);

/* Adds a line to the table. */
void column_add_row(struct column *c, struct str line);
void column_start_table(struct column *c);
void column_print_table(struct column *c);

#endif
