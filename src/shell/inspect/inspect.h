/*
 * inspect.h - a script that is looked at instead of run: its tree as JSON, laid out anew, and what
 * it could touch.
 *
 *	if (script_parse(&s, arena, text, 0))
 *		json = script_json(arena, &s, true);
 *
 * Layer     shell/inspect; includes shell/syntax, base
 * Owns      nothing: all memory is the arena's; the text must outlive it
 * Threads   one at a time per arena
 * Suspends  no
 * Errors    script_parse gives false, with `error` filled
 */
#ifndef NACRE_SHELL_INSPECT_INSPECT_H
#define NACRE_SHELL_INSPECT_INSPECT_H

#include "../syntax/parser.h"

struct script {
	const char *src; /* the text that offsets count in: without its NUL bytes */
	uint32_t len;
	struct cmd *tree; /* NULL: nothing but comments */
	const struct trivia *trivia;
	struct parse_error error;
};

enum script_flag { SCRIPT_POSIX = 1 };

/* Parses without aliases. `shopt -s extglob` and `set -o posix` in a line hold for the next ones. */
MUST_USE bool script_parse(struct script *s, struct arena *arena, struct str text, unsigned flags);

/* The tree as one JSON value (docs/parse.md). Bytes that are no UTF-8 become U+FFFD.
 * `positions`: with offsets and lines; without, texts that mean the same give the same JSON. */
struct str script_json(struct arena *arena, const struct script *s, bool positions);

struct format_style {
	uint32_t indent;     /* columns a level; 0: one tab */
	bool case_indent;    /* patterns of a case one level further in */
	bool redirect_space; /* "> file" */
};

/* The script in the layout of docs/parse.md: words, here-documents and comments as written,
 * everything between them laid out anew. */
struct str script_format(struct arena *arena, const struct script *s, const struct format_style *style);

enum touch_kind {
	TOUCH_COMMAND, /* a command is run */
	TOUCH_READ,    /* a redirection reads a file */
	TOUCH_WRITE,   /* … creates or truncates it */
	TOUCH_APPEND,
	TOUCH_PATH, /* an argument that looks like a path */
	TOUCH_CODE, /* text that is run and not known: eval "$x" */
};

enum touch_flag {
	TOUCH_DYNAMIC = 1,  /* only known when it runs: `text` is the source */
	TOUCH_BUILTIN = 2,  /* a command of the shell itself */
	TOUCH_FUNCTION = 4, /* a command that the script defines somewhere as a function */
	TOUCH_PATTERN = 8,  /* a glob: stands for any number of paths */
};

struct touch {
	struct touch *next;
	uint8_t kind;  /* enum touch_kind */
	uint8_t flags; /* enum touch_flag */
	struct str text;
	struct str command; /* that has it as argument or redirection; empty when not known */
	uint32_t off, line;
};

/* Everything the script names, in source order: also what is inside of functions, branches and
 * substitutions, and behind `env`, `xargs`, `bash -c` and the like. */
const struct touch *script_touches(struct arena *arena, const struct script *s);

#endif
