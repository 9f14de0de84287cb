/*
 * pr.h - what the rooms of pr share: pages of columns.
 *
 * ../pr.c parses options and opens files, page.c lays out pages, column.c reads lines into columns and prints
 * them.
 *
 * A column is read and printed at once (one column, -a, -m), or all columns of a page are read into a store first
 * and printed line by line after (-COLUMN, so that they can be made of equal length).
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_PR_PR_H
#define NACRE_CMD_PR_PR_H

#include "../cmd.h"
#include "../input.h"

enum pr_status {
	PR_OPEN,
	PR_FEED,	/* a form feed ends the stored column */
	PR_HELD,	/* until the next page */
	PR_CLOSED,
};

struct pr_column {
	struct input *in;	/* shared, but with -m */
	const char *name, *date; /* for the header */
	enum pr_status status;
	bool numbered;
	bool full;		/* its last page ended without a form feed */
	int64_t left;		/* lines it still has on this page */
	uint64_t first, stored;	/* its lines in the store; the next one and how many */
	int start;		/* output column; 0: wherever the line is */
};

struct pr_line {
	size_t at;		/* in the store */
	int width;
};

struct pr {
	/* Options */
	const char *pages, *columns_arg, *date_format, *header, *length_arg, *width_arg, *page_width_arg, *margin_arg;
	const char *first_number_arg;
	bool across, caret, double_space, form_feed, join, merge, no_warnings, octal, omit_header, omit_pagination;
	bool expand, tabify, numbered, old_s, has_separator, digits, balance;
	char input_tab, output_tab, number_end;
	int input_tab_width, output_tab_width, number_digits;
	const char *separator;

	/* Layout, fixed */
	struct proc *p;
	struct u_out *out;
	int columns, page_length, body;
	int page_width, column_width, margin, separator_len, number_width;
	bool extremities, keep_feeds, truncate, store, count_skipped;
	uint64_t first_page, last_page;

	/* State */
	struct pr_column *column;
	int ready;		/* files that can be read on this page */
	uint64_t page, line_number;
	int64_t lines_left;	/* of the page */
	int in_column;		/* column within the text of a line read */
	int out_column;
	int spaces;		/* not yet printed */
	int separators;		/* not yet printed */
	int padding;		/* output column of the text to come; 0: wherever */
	bool vertical;		/* the line has something */
	bool header_due, feed_due, empty_line, feed_only, align_empty;
	char clump[16];		/* one input character as it is printed */

	struct u_buf kept;	/* the store */
	struct pr_line *line;
	size_t nlines, lines_cap;
};

/* ---- page.c ---- */

void pr_layout(struct pr *r, int nfiles);
/* Prints what the columns, whose inputs are set, have. */
void pr_print(struct pr *r);
void pr_header(struct pr *r);

/* ---- column.c ---- */

/* Reads a line into a column, or prints it; false when its end was not reached, because it is cut. */
bool pr_read_line(struct pr *r, struct pr_column *c);
void pr_read_rest(struct pr *r, struct pr_column *c);
void pr_skip_line(struct pr *r, struct pr_column *c, bool last, bool first_column);
void pr_print_stored(struct pr *r, struct pr_column *c);
void pr_align(struct pr *r, struct pr_column *c);
void pr_put_spaces(struct pr *r);
void pr_pad_to(struct pr *r, int column);
int pr_tab_width(int tab, int column);

#endif
