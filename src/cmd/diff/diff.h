/*
 * diff.h - what the rooms of diff share: options, the two files as lines, the changes found.
 *
 * read.c turns files into lines and gives equal lines the same number, script.c finds which
 * lines changed, format.c and side.c print that, dir.c compares files and trees by name.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_DIFF_DIFF_H
#define NACRE_CMD_DIFF_DIFF_H

#include "../cmd.h"

enum diff_style { DIFF_NORMAL, DIFF_UNIFIED, DIFF_CONTEXT, DIFF_SIDE, DIFF_ED, DIFF_RCS, DIFF_LINES };

struct diff_opts {
	int style;		/* enum diff_style */
	int styles;		/* how many different ones were asked for */
	int64_t context;
	bool brief, report_same, recursive, new_file, one_new_file;
	bool ignore_case, ignore_space, ignore_changes, ignore_trailing, ignore_tabs, ignore_blank, strip_cr;
	bool minimal, text, expand_tabs, initial_tab, show_function, no_dereference, left_column,
		suppress_common, suppress_empty, ignore_file_case;
	int64_t width, tab;
	struct cmd_list labels, exclude, exclude_from, ignore_lines;
	const char *function_line, *start;
	const char *old_format, *new_format, *same_format;
	const char *color;
	const char *from_file, *to_file;
};

struct diff_line {
	const char *ptr;
	uint32_t len;		/* without the newline */
	uint32_t class;		/* equal lines have equal numbers */
};

struct diff_file {
	const char *name;	/* as printed */
	const char *label;	/* NULL: name and time */
	struct sys_stat st;
	bool absent;		/* -N: taken as empty */
	struct str text;
	struct diff_line *line;
	size_t n;
	bool no_newline;	/* at the end of the last line */
	/* What was compared: lines [first, first + used). The others are the same in both. */
	size_t first, used;
	char *changed;		/* [-1 .. used], relative to first */
};

/* One change: `deleted` lines of file 0 from line at[0] became `inserted` lines of file 1 from at[1] (from 0). */
struct diff_change {
	size_t at[2], n[2];
	bool ignored;		/* only blank lines, or lines of -I */
};

struct diff {
	struct proc *p;
	struct diff_opts *o;
	struct diff_file f[2];
	struct diff_change *change;
	size_t nchanges;
	struct u_out *out;
	const struct regex *function;
	struct regex_scratch *function_scratch;
	const struct regex **ignore;
	struct regex_scratch **ignore_scratch;
	bool color;
	char *command;		/* "diff -r a b", printed between files of a tree */
	size_t horizon;
	uint32_t classes;	/* numbers given out */
};

/* read.c: lines and classes of both files. */
void diff_read_lines(struct diff *d);
/* script.c: fills changed[] and the list of changes. */
void diff_find_changes(struct diff *d);

/* format.c */
void diff_print(struct diff *d);
/* A file's name in headers and in the line "diff -r A B". */
const char *diff_shown_name(struct proc *p, const char *name);
void diff_put_line(struct diff *d, const char *s, size_t n);
/* side.c */
void diff_print_side(struct diff *d);
/* lines.c: --line-format and its kin. */
void diff_print_formats(struct diff *d);

/* dir.c: 0 same, 1 different, 2 trouble. */
int diff_paths(struct diff *d, const char *a, const char *b, int depth) MAY_SUSPEND;

#endif
