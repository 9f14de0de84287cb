/*
 * sed.h - what the rooms of sed share: a compiled script, and the state of its run.
 *
 * ../sed.c parses options; parse.c compiles the script, its texts being taken apart in text.c; exec.c runs
 * it; subst.c does s and y; input.c reads lines, output.c writes them.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_SED_SED_H
#define NACRE_CMD_SED_SED_H

#include "../cmd.h"

/* ---- The script ------------------------------------------------------------------------- */

struct sed_regex {
	struct regex *re;	/* NULL: empty, the last one used */
	struct regex_scratch *scratch;
};

enum sed_addr_kind {
	SED_NONE,
	SED_LINE,	/* N */
	SED_STEP,	/* first~step */
	SED_LAST,	/* $ */
	SED_REGEX,
	SED_PLUS,	/* addr1,+N */
	SED_MULTIPLE,	/* addr1,~N */
};

struct sed_addr {
	enum sed_addr_kind kind;
	uint64_t n, step;
	struct sed_regex re;
};

enum sed_part_kind { SED_TEXT, SED_GROUP, SED_CASE };

struct sed_part {	/* of a replacement */
	enum sed_part_kind kind;
	struct str text;
	unsigned group;
	char change;		/* SED_CASE: U L u l E */
};

struct sed_subst {
	struct sed_regex re;
	struct sed_part *parts;
	size_t nparts;
	unsigned groups;	/* the highest group the replacement uses */
	uint64_t number;	/* replace from the number-th match on */
	bool global;
	int print;		/* times */
	struct sed_output *file;
};

struct sed_pair {	/* of y: a character that is not a single byte, or becomes none */
	char from[4], to[4];
	uint8_t nfrom, nto;
};

struct sed_map {
	unsigned char byte[256];
	struct sed_pair *pairs;	/* what byte[] cannot say */
	size_t npairs;
	bool wide[256];		/* first bytes of pairs */
};

enum sed_range { SED_INACTIVE, SED_ACTIVE, SED_CLOSED };

struct sed_cmd {
	struct sed_addr a1, a2;
	bool negate;
	enum sed_range range;
	uint64_t range_end;	/* of the active range, when it ends at a line */
	char name;
	struct str text;	/* a i c; a file name of r R; a label until it is resolved */
	int64_t number;		/* q Q l L: -1 when not given */
	size_t jump;		/* { b t T: where to go on */
	struct sed_subst *subst;
	struct sed_map *map;
	struct sed_output *file;	/* w W */
	struct sed_reader *reader;	/* R */
};

/* ---- Files --------------------------------------------------------------------------------- */

/* Something lines are written to. Several may share a descriptor; each remembers for itself that it has
 * left out a newline at the end of the input. */
struct sed_output {
	struct sed_output *next;
	const char *name;
	struct u_out own, *out;	/* out: own, or that of standard output */
	bool missing_newline;
};

struct sed_reader {	/* of R */
	struct sed_reader *next;
	const char *name;
	int fd;
	struct u_lines lines;
};

/* The pattern space, the hold space. */
struct sed_space {
	struct u_buf b;
	bool chomped;		/* a newline (or NUL) was taken off, and is put back by output */
};

struct sed_append {	/* output of a, r and R that waits for the end of the cycle */
	char kind;		/* a, r or R */
	struct str text;	/* R: offset and length in queue_text */
};

struct sed {
	/* Options */
	bool quiet, extended, separate, unbuffered, null_data, sandbox, follow_links, in_place;
	const char *suffix;
	int64_t line_length;

	struct proc *p;
	bool utf8;
	char delim;

	/* Script */
	struct sed_cmd *cmd;
	size_t ncmd, capcmd;
	struct sed_output *outputs;	/* of w */
	struct sed_reader *readers;
	bool quits;		/* by q */
	const struct sed_regex *last_regex;

	/* Input */
	char *const *files;
	int nfiles, next_file;
	int fd;			/* -1: no file is open */
	const char *open_name, *line_name; /* of the open file; of that of the last line read */
	const char *at, *end;	/* rest of the slice in hand */
	bool at_eof;		/* of the open file */
	bool gives_back;	/* standard input is a file: what is not used is left to others */
	uint64_t line;
	int status;

	/* Output */
	struct sed_output standard, edited, *out;
	int edited_fd;
	const char *edited_name;	/* the temporary file that becomes the edited one; NULL: none */

	/* Run */
	struct sed_space pattern, hold;
	struct u_buf spare;	/* where s builds the new pattern space */
	bool substituted;	/* for t */
	struct sed_append *queue;
	size_t nqueue, capqueue;
	struct u_buf queue_text;
	struct regex_span spans[10];
};

/* ---- parse.c, text.c ------------------------------------------------------------------------- */

/* Adds the -e script or the text of a -f file (name not NULL) to the commands. */
struct sed_parser;
struct sed_parser *sed_parser_new(struct sed *s);
void sed_parse_text(struct sed_parser *q, const char *text, size_t n, const char *file);
/* All has been parsed: checks blocks and labels. */
void sed_parse_end(struct sed_parser *q);

struct sed_parser {
	struct sed *s;
	struct proc *p;
	const char *base, *cur, *end;
	const char *file;	/* NULL: -e */
	unsigned expression;	/* number of the -e script */
	unsigned line;
	bool first;		/* nothing was parsed before this text */
	bool wants_text;	/* the last a, i or c takes its text from what comes next */
	struct u_buf text;	/* so far */
	struct sed_block *blocks;
};

#define SED_EOF (-1)
int sed_next(struct sed_parser *q);
void sed_back(struct sed_parser *q, int c);
NORETURN void sed_bad(struct sed_parser *q, const char *fmt, ...) PRINTF(2, 3);

/* Text up to the delimiter, which may stand in it behind a backslash. false when there is none. */
bool sed_delimited(struct sed_parser *q, char delim, bool regex, struct u_buf *out);
/* Makes a regular expression of what stands in a script. flags: REGEX_ICASE and others. */
void sed_compile_regex(struct sed_parser *q, const char *text, size_t n, unsigned flags,
		       struct sed_regex *re);
void sed_parse_replacement(struct sed_parser *q, const char *text, size_t n, struct sed_subst *u);
struct sed_map *sed_parse_map(struct sed_parser *q, const struct u_buf *from, const struct u_buf *to);
/* One line (or more, with backslashes) of the text of a, i, c; true when it goes on after the end of the script. */
bool sed_read_text(struct sed_parser *q, struct u_buf *out);
/* The output called name, opened when it is new. */
struct sed_output *sed_open_output(struct sed *s, const char *name);

/* ---- exec.c, subst.c ---------------------------------------------------------------------------- */

/* Runs the script over all input; the exit status. */
int sed_run(struct sed *s);
bool sed_matches(struct sed *s, const struct sed_regex *re, size_t from, unsigned eflags, size_t nspans);
void sed_substitute(struct sed *s, const struct sed_subst *u);
void sed_map_chars(struct sed *s, const struct sed_map *m);

/* ---- input.c ------------------------------------------------------------------------------------- */

/* The next line as (or, with append, added to) the pattern space; false at the end of all input. */
bool sed_read_line(struct sed *s, bool append);
bool sed_is_last(struct sed *s);
/* Ends the input early. */
void sed_stop_input(struct sed *s);

/* ---- output.c ------------------------------------------------------------------------------------ */

void sed_put(struct sed_output *o, char delim, const char *ptr, size_t n);	/* text, after a newline left out */
void sed_put_space(struct sed *s, struct sed_output *o, const char *ptr, size_t n, bool chomped);
void sed_put_visible(struct sed *s, int64_t width);	/* l */
void sed_queue(struct sed *s, char kind, struct str text);
void sed_flush_queue(struct sed *s);
/* Begins and ends the output of a file that is edited in place. */
bool sed_edit_begin(struct sed *s, const char *path, int fd);
void sed_edit_end(struct sed *s);
void sed_finish(struct sed *s);

#endif
