/*
 * ls.h - the parts of ls: options, entries, order, layout.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_LS_LS_H
#define NACRE_CMD_LS_LS_H

#include "../cmd.h"

enum ls_format { LS_FORMAT_DEFAULT, LS_ONE, LS_LONG, LS_COLUMNS, LS_ACROSS, LS_COMMAS };
enum ls_sort { LS_SORT_DEFAULT, LS_SORT_NAME, LS_SORT_TIME, LS_SORT_SIZE, LS_SORT_EXTENSION, LS_SORT_VERSION, LS_SORT_WIDTH, LS_SORT_NONE };
enum ls_time { LS_MTIME, LS_ATIME, LS_CTIME, LS_BTIME };
enum ls_show { LS_VISIBLE, LS_ALMOST_ALL, LS_ALL };
enum ls_indicator { LS_IND_NONE, LS_IND_SLASH, LS_IND_FILE_TYPE, LS_IND_CLASSIFY };
enum ls_quoting { LS_Q_DEFAULT, LS_Q_LITERAL, LS_Q_SHELL, LS_Q_SHELL_ALWAYS, LS_Q_SHELL_ESCAPE, LS_Q_SHELL_ESCAPE_ALWAYS, LS_Q_C, LS_Q_C_MAYBE, LS_Q_LOCALE, LS_Q_ESCAPE };
enum ls_follow { LS_FOLLOW_DEFAULT, LS_FOLLOW_NEVER, LS_FOLLOW_COMMAND_LINE, LS_FOLLOW_ALWAYS, LS_FOLLOW_TO_DIR };

struct ls {
	struct proc *p;
	int format, sort, time, show, indicator, quoting, follow;
	bool author, directory, recursive, reverse, inode, blocks, human, si, kibibytes, numeric, no_group, no_owner, group_first;
	bool hide_control, show_control, color, zero, full_time;
	bool context, ignore_backups;
	uint64_t block_size;	/* --block-size: sizes in -l too */
	const char *block_suffix; /* printed after sizes ("K" for --block-size=K) */
	const char *time_style, *width_text, *tab_text;
	struct cmd_list ignore, hide;
	uint64_t width, tab;
	const char *recent_format, *old_format;
	const struct u_tz *tz;
	int64_t now;
	bool need_stat;
	bool needs_more;	/* than -L alone would */
	bool printed;		/* something was shown already: a blank line goes before the next directory */
	bool headings;		/* directories are named before their entries */
	int status;
	/* The last names looked up. */
	uint32_t last_uid, last_gid;
	const char *last_user, *last_group;
	bool color_used;
	/* Directories named beside the files that are printed: the columns are wide enough for them too, as in GNU. */
	struct ls_entry *const *beside;
	size_t nbeside;
	struct ls_colors *colors;
};

struct ls_entry {
	const char *name;	/* as shown (before quoting) */
	const char *path;	/* as looked up */
	struct sys_stat st;
	bool have_stat;
	const char *link;	/* target, for links in long format */
	uint32_t link_mode;	/* of what the link leads to; 0: nothing */
	const char *shown;	/* quoted */
	size_t width;		/* columns of shown */
};

/* ---- color.c ---- */

/* Reads LS_COLORS; turns colours off where it cannot be understood. */
void ls_colors_init(struct ls *o);
/* The code for a file; of a link `target` is the mode of what it leads to, 0 for nothing. NULL: none. */
const char *ls_color_of(const struct ls *o, const char *name, uint32_t mode, uint32_t nlink, bool is_link, uint32_t target);
/* For what a link leads to that is not there. */
const char *ls_color_of_missing(const struct ls *o);

/* ---- ls.c, for dir.c ---- */

#define LS_NOPTS 58
extern const struct cmd_opt ls_opts[LS_NOPTS];
int ls_main(struct proc *p, const struct cmd_args *a) MAY_SUSPEND;

/* Orders the entries in place. */
void ls_order(const struct ls *o, struct ls_entry **v, size_t n);
/* Prints them in the chosen format; with `total` the line of blocks first where it belongs. */
void ls_print(struct ls *o, struct ls_entry **v, size_t n, bool total) MAY_SUSPEND;
/* A name as the quoting style shows it. */
const char *ls_quote(const struct ls *o, const char *name);
bool ls_parse_block_size(struct ls *o, const char *text);

#endif
