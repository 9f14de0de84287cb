/*
 * grep.h - what the rooms of grep share: the options, and the search of one file.
 *
 * ../grep.c parses options, match.c compiles the patterns and asks them, files.c finds the files,
 * search.c decides which lines are selected, print.c writes them.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_GREP_GREP_H
#define NACRE_CMD_GREP_GREP_H

#include "../../pcre/pcre.h"
#include "../cmd.h"

enum grep_binary { BINARY_SUMMARY, BINARY_TEXT, BINARY_SKIP };
enum grep_dirs { DIRS_READ, DIRS_SKIP, DIRS_RECURSE };
enum grep_devices { DEVICES_DEFAULT, DEVICES_READ, DEVICES_SKIP };
enum grep_names { NAMES_AUTO, NAMES_ALWAYS, NAMES_NEVER };
enum grep_list { LIST_NONE, LIST_MATCHING, LIST_WITHOUT };

/* One --include, --exclude or --exclude-dir. */
struct grep_filter {
	const char *glob;
	size_t len;
};
struct grep_filters {
	struct grep_filter *v;
	bool *include;		/* of each: --include rather than --exclude */
	size_t n, cap;
};

struct grep_colors {
	const char *selected_match, *context_match, *selected_line, *context_line;
	const char *name, *line, *byte, *separator;
	bool reverse, no_erase;
};

#define PERL_ALSO 4

/* A regular expression beside a Perl pattern: what it does not match, that does not match. */
struct perl_bound {
	struct str also[PERL_ALSO];	/* others that a line must match, too */
	size_t nalso;
	bool exact;	/* they match the same lines */
	bool ascii;	/* they match the same lines of ASCII */
	bool around;	/* there were assertions: the expression may match more text, or in other places under -x */
	bool behind;	/* and before the match */
	bool icase;
};

#define GREP_PERL  1000 /* beside the dialects of regex.h */
#define GREP_SPANS 64 /* lines asked of the regular expressions at a time */

struct grep {
	/* Patterns */
	int dialect;		/* enum regex_dialect + 1, or GREP_PERL; 0: not chosen */
	bool icase, word, line, null_data, has_pattern;
	struct u_buf keys;	/* all patterns, each followed by a newline */

	/* Selection and output */
	bool invert, count, only, quiet, no_messages, line_number, byte_offset, initial_tab, null_after;
	bool line_buffered, binary_io;
	int names, list, binary, dirs, devices;
	bool follow;		/* -R */
	int64_t max;		/* -m; < 0: no limit */
	int64_t before, after, context; /* -1: not given */
	const char *separator;	/* between groups of context; NULL: none */
	const char *label;
	const char *color_when;
	struct grep_filters files, directories;

	/* Made from the above */
	struct proc *p;
	struct u_out *out;
	struct pcre *perl;	/* -P; re is a bound for it then, or NULL */
	struct perl_bound bound;
	struct regex *also[PERL_ALSO];
	struct regex_scratch *also_scratch[PERL_ALSO];
	struct regex *re;
	struct regex_scratch *scratch;
	struct regex_span *spans;
	struct grep_colors colors;
	char delim;
	bool utf8, colored, with_name, stop_at_first, out_is_file;
	bool unicode, groups, many_lines, dot_all;	/* how rg wants its patterns: PCRE_UCP, ... */
	bool printed;		/* some line was printed: groups are separated from now on */
	bool failed, matched;
	struct u_buf joined, saved, zapped; /* of the search, kept from file to file */
};

/* The search of one file: where it is in the input, and what of it may still be printed as context. */
struct grep_search {
	struct grep *g;
	const char *name;
	const char *block, *end;	/* whole lines in hand */
	const char *counted;		/* lines before this one are in `lines` */
	const char *shown;		/* up to here lines were printed */
	uint64_t lines;
	uint64_t base;			/* offset of block in the file */
	uint64_t selected;		/* lines */
	uint64_t after_selected;	/* offset after the last selected line */
	int64_t after_left;		/* lines of trailing context still to come */
	bool adjacent;			/* the line before `shown` was printed */
	bool saved_follows;		/* the line before `saved` was printed */
	bool done, has_nul, bad_text, cut_context;
	uint64_t selected_before_nul;
	int offset_width;
	struct u_buf saved;		/* leading context from former blocks: the lines before block */
	struct u_buf zapped;
};

/* ---- match.c ---- */

void grep_compile(struct grep *g);
/* The first match in `text` at `from` or later; `first` says that the text is another than last time. */
bool grep_match(struct grep_search *s, struct str text, size_t from, bool first, struct regex_span *m) MAY_SUSPEND;
/* The next lines with a match, at most `max` (up to GREP_SPANS), in g->spans, and how many; *done is where to go on. */
size_t grep_match_lines(struct grep_search *s, struct str text, size_t max, size_t *done) MAY_SUSPEND;
uint64_t grep_match_count(struct grep_search *s, struct str text) MAY_SUSPEND;

/* ---- search.c ---- */

/* Searches an open file; true when a line was selected. */
bool grep_search_fd(struct grep *g, int fd, const char *name) MAY_SUSPEND;

/* ---- print.c ---- */

/* Prints a line (its delimiter included when it has one) as selected or as context. `number` and `offset`
 * say where it is. false when it is not printed, because it is no text. */
bool grep_print_line(struct grep_search *s, struct str line, bool selected, uint64_t number,
		     uint64_t offset);
/* The line between groups. */
void grep_print_separator(struct grep *g);
void grep_print_name(struct grep *g, const char *name, char sep);
void grep_print_listed(struct grep *g, const char *name);	/* -l, -L */
void grep_print_count(struct grep_search *s);
/* True when lines can be written as they are, many at a time. */
bool grep_prints_plain(const struct grep *g);
void grep_colors_init(struct grep *g);

/* ---- files.c ---- */

/* Searches what an operand names, a directory perhaps with all below it. */
void grep_operand(struct grep *g, const char *path) MAY_SUSPEND;
/* With -r and no operand. */
void grep_here(struct grep *g) MAY_SUSPEND;
void grep_filter_add(struct grep *g, struct grep_filters *f, const char *glob, bool include);

/* ---- perl.c ---- */

/* As grep 3.8 over the JIT of PCRE2 10.42 has it, \W, \D and \S outside of sets match ASCII only: the pattern that
 * says so. */
struct str grep_perl_narrow(struct grep *g, struct str pattern);
/* Writes a Perl pattern as an extended regular expression over bytes that matches wherever it does; false when
 * there is none. PCRE2 has accepted the pattern before. */
bool grep_perl_translate(struct grep *g, const char *pattern, size_t n, struct u_buf *out, struct perl_bound *b);

/* ---- ../grep.c ---- */

int grep_run(struct proc *p, struct grep *g, int argc, char **argv) MAY_SUSPEND;
void grep_defaults(void *opts);
/* Puts one option in front and lets messages come from "grep". */
char **grep_rewrite_as(struct proc *p, int *argc, char **argv, const char *option);
int grep_main(struct proc *p, const struct cmd_args *a);
#define GREP_NOPTS 52
extern const struct cmd_opt grep_opts[GREP_NOPTS];

#endif
