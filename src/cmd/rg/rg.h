/*
 * rg.h - what the rooms of rg share: the options, the rules of what is searched, and the search of one file.
 *
 * ../rg.c parses options, pattern.c and compile.c turn the patterns into Perl's, glob.c and ignore.c decide what is left out, types.c
 * knows the file types, files.c finds the files, search.c decides which lines are selected, print.c writes them.
 * The patterns are matched by grep's front of the two engines (../grep/match.c).
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_RG_RG_H
#define NACRE_CMD_RG_RG_H

#include "../grep/grep.h"

/* None is 0: an option sets these. */
enum rg_case { RG_CASE_SENSITIVE = 1, RG_CASE_IGNORE, RG_CASE_SMART };
enum rg_mode { RG_LINES, RG_COUNT, RG_COUNT_MATCHES, RG_WITH, RG_WITHOUT, RG_FILES };
enum rg_sort { RG_SORT_PATH, RG_SORT_MODIFIED, RG_SORT_ACCESSED };
enum rg_binary { RG_BINARY_QUIT, RG_BINARY_CONVERT, RG_BINARY_NONE };
enum rg_switch { RG_AUTO, RG_ON, RG_OFF };

/* One line of an ignore file, or one -g; brace alternatives make several. */
struct rg_glob {
	struct str *part;	/* between slashes; "**" stands for any number of directories */
	size_t nparts;
	bool negated, dir_only, icase;
};
struct rg_globs {
	struct rg_glob *v;
	size_t n, cap;
	size_t positive;	/* that are not negated */
};

/* The rules of one directory; `up` has those of the directories above it. */
enum rg_source { RG_RGIGNORE, RG_IGNORE, RG_GITIGNORE, RG_EXCLUDE, RG_SOURCES };
struct rg_dir {
	struct rg_dir *up;
	const char *path;	/* absolute, without a slash at its end */
	size_t path_len;
	struct rg_globs rules[RG_SOURCES];
	bool has_git;
};

struct rg_type {
	const char *name;
	const char *globs;	/* separated by ", " */
};
struct rg_type_choice {
	const char *globs;
	bool negated;
};

struct rg {
	/* Patterns */
	struct u_buf keys;	/* as given, joined by newlines */
	bool has_pattern;
	bool fixed, perl, word, line, multiline, dotall;
	int letter_case;

	/* Selection and output */
	bool invert, only, quiet, column, byte_offset, heading, vimgrep, passthru, null_after, trim, preview, zeros;
	int counts, lists, line_number, names;
	bool files;
	int mode;		/* of these three: --files, then counts, then lists */
	int64_t before, after, context, max, max_columns;
	const char *replace, *separator, *field_match, *field_context;
	const char *color_when;
	const char *path_separator;

	/* What is searched */
	bool follow, one_fs, no_messages;
	int hidden, unrestricted;
	bool no_ignore, no_dot, no_parent, no_vcs, no_exclude, no_require_git, no_files, ignore_icase, globs_icase;
	int binary;		/* enum rg_binary of what is not named: --text, --binary */
	int64_t max_depth, max_size;
	int sort;
	bool sort_reverse, type_list;
	struct cmd_list globs, iglobs, ignore_files, types_added;
	struct rg_type_choice *types;
	size_t ntypes, types_cap, types_positive;
	struct cmd_list type_words;	/* 't' or 'T' and the name */

	/* Made from the above */
	struct proc *p;
	struct u_out *out;
	struct grep match;	/* what match.c works with */
	struct rg_globs override, explicit_rules;
	const char *cwd;
	bool with_name, colored, matched, failed, printed, searched;
	bool zaps;		/* NULs of binary data are taken for newlines */
	struct u_buf whole;	/* a file in memory, where it must be */
	struct u_buf replaced;
};

/* The search of one file. */
struct rg_search {
	struct rg *g;
	const char *path;	/* as shown */
	struct grep_search m;
	const char *block, *end;	/* whole lines in hand */
	const char *counted;		/* lines before this one are in `lines` */
	const char *shown;		/* up to here lines were printed */
	uint64_t lines, base;
	uint64_t selected, matches;
	int64_t after_left;
	int binary;
	int64_t nul;			/* where the first NUL is; -1 */
	bool headed, done, stopped, gap;
};

/* ---- compile.c ---- */

/* Compiles the patterns, or ends the program. */
void rg_compile(struct rg *g);

/* ---- pattern.c ---- */

/* For -S: whether a pattern has letters or other characters of its own, and such of upper case. */
struct rg_letters {
	bool any, upper;
};
/* Writes a pattern of ripgrep as one of Perl, or ends the program. */
struct rg_letters rg_translate(struct rg *g, struct str pattern, struct u_buf *out);

/* ---- glob.c ---- */

/* Adds a line of an ignore file, or the text of -g. */
void rg_glob_add(struct rg *g, struct rg_globs *l, const char *line, size_t n, bool icase);
/* Of the rules that match the path (relative to where they count), the last: 1, -1 when it is negated; 0: none. */
int rg_globs_match(const struct rg_globs *l, const char *path, bool is_dir);

/* ---- ignore.c ---- */

/* The rules of a directory below `up`. */
struct rg_dir *rg_dir_enter(struct rg *g, struct rg_dir *up, const char *absolute) MAY_SUSPEND;
/* The rules above a root that is to be walked. */
struct rg_dir *rg_dirs_above(struct rg *g, const char *absolute) MAY_SUSPEND;
/* Whether what was found below a root is left out. `shown` is relative to the working directory or absolute. */
bool rg_left_out(struct rg *g, const struct rg_dir *dirs, const char *absolute, const char *shown, bool is_dir);
void rg_ignore_file(struct rg *g, struct rg_globs *rules, const char *path, bool must) MAY_SUSPEND;

/* ---- types.c ---- */

extern const struct rg_type rg_types[];
extern const size_t rg_ntypes;
void rg_types_choose(struct rg *g);
void rg_types_print(struct rg *g);
/* 1: a chosen type, -1: left out, 0: nothing is said. */
int rg_types_match(const struct rg *g, const char *name);

/* ---- files.c ---- */

void rg_operand(struct rg *g, const char *path) MAY_SUSPEND;
void rg_here(struct rg *g) MAY_SUSPEND;
/* "PATH: text (os error N)", as rg says it. */
void rg_complain(struct rg *g, int err, const char *path) MAY_SUSPEND;
/* A message without a name before it. */
void rg_say(struct rg *g, const char *fmt, ...) PRINTF(2, 3);
NORETURN void rg_die(struct rg *g, const char *fmt, ...) PRINTF(2, 3);

/* ---- search.c ---- */

/* Searches an open file. named: it is an operand. */
void rg_search_fd(struct rg *g, int fd, const char *shown, bool named) MAY_SUSPEND;
/* The next match within text[from, to), not empty right after `last`; SIZE_MAX: there was none. False: no more. */
bool rg_next_match(struct rg_search *s, struct str text, size_t *from, size_t to, size_t *last, struct regex_span *m);

/* ---- print.c ---- */

/* A selected run of lines [at, end), in which the matches are (unless it is inverted). */
void rg_print_selected(struct rg_search *s, const char *at, const char *end);
void rg_print_context(struct rg_search *s, const char *at, const char *end);
void rg_print_path(struct rg *g, const char *path);
void rg_print_summary(struct rg_search *s);

#endif
