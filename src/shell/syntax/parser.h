/*
 * parser.h - from shell source to its tree.
 *
 * One pass, no look-back: a nested $(…), ${…} or "…" is parsed where it stands, never
 * searched for its end first. bash executes a script line by line, so the parser yields
 * one complete command line at a time and options may change in between; a caller that
 * wants a whole script checked first runs a second parser over it.
 *
 *	parser_init(&p, arena, src, n, &options);
 *	while ((r = parser_next(&p, &cmd)) == PARSE_OK)
 *		run(cmd);
 *	if (r == PARSE_ERROR)
 *		print p.error (parse_error_line for each of its lines);
 *
 * Layer     shell/syntax; includes base
 * Owns      nothing: all memory is the arena's; the source must outlive the tree
 * Threads   one at a time per parser
 * Suspends  no
 * Errors    PARSE_ERROR once, with p.error filled; the parser is finished after
 */
#ifndef NACRE_SHELL_SYNTAX_PARSER_H
#define NACRE_SHELL_SYNTAX_PARSER_H

#include "../../base/arena.h"
#include "ast.h"

enum parse_result {
	PARSE_OK,         /* a command was read */
	PARSE_END,        /* nothing is left */
	PARSE_ERROR,      /* see p->error */
	PARSE_INCOMPLETE, /* only with PARSE_REPL: the text ends inside a construct */
};

enum parse_option {
	PARSE_EXTGLOB = 1,        /* shopt extglob; may be changed between commands */
	PARSE_POSIX = 2,          /* set -o posix: fewer tildes, no ' in "${x:-…}", only names for
	                             functions, no aliases for reserved words */
	PARSE_ALIASES = 4,        /* shopt expand_aliases: ask `alias` */
	PARSE_REPL = 8,           /* tell an unfinished command from a wrong one */
	PARSE_NO_BRACES = 16,     /* set +B */
	PARSE_TRACK_OPTIONS = 32, /* for checks without execution: `shopt -s extglob` and `set -o
	                             posix` seen in the source hold for what follows it */
	PARSE_TRIVIA = 128, /* keep what the tree leaves out: `trivia` */
	PARSE_RECOVER = 64, /* a line with a mistake in an array literal gives a CMD_ERROR, no error */
};

#define PARSE_SOURCE_MAX (64u << 20) /* bytes of source */
#define PARSE_DEPTH_MAX  1000u       /* nested constructs */
#define PARSE_STACK_MAX  (40u << 10) /* bytes of stack, whichever comes first */
#define PARSE_SCRATCH    768u        /* of rows under construction, before more is allocated */
#define PARSE_LIT        128u        /* and of literal text */

struct parse_options {
	uint32_t flags;      /* enum parse_option */
	uint32_t first_line; /* number of the first line; 0 means 1 */
	uint32_t depth_max;  /* 0: PARSE_DEPTH_MAX */
	uint32_t stack_max;  /* 0: PARSE_STACK_MAX; the caller's stack must have it free */
	/* True and *value when `name` is an alias. Called at parse time only. */
	bool (*alias)(void *ctx, struct str name, struct str *value);
	void *alias_ctx;
};

/*
 * What went wrong, in bash's words. bash prints one to three lines, each after its own
 * "NAME: line N: " prefix; lines[] are those texts. `off` and `column` (from 1, in bytes)
 * tell where the offending token begins; `at_line` is the line they count in.
 */
#define PARSE_ERROR_LINES 3

struct parse_error {
	uint32_t nlines;
	struct {
		uint32_t line;
		struct str text;
	} lines[PARSE_ERROR_LINES];
	uint32_t off, at_line, column;
	bool at_eof;   /* more input could have helped */
	bool too_deep; /* nesting, not syntax */
	bool in_array; /* inside an array literal: only the line is refused (CMD_ERROR) */
};

/* A line with a mistake inside an array literal: it is told of when it is come to, and left out. */
struct cmd_error {
	struct cmd cmd; /* CMD_ERROR */
	const struct parse_error *error;
};

/* bash's "here-document at line N delimited by end-of-file (wanted `EOF')". */
struct parse_warning {
	struct parse_warning *next;
	uint32_t line;
	struct str text;
};

/* With PARSE_TRIVIA: a comment, or (redir set) where a here-document's body stands, its last line
 * included. In source order. */
struct trivia {
	struct trivia *next;
	const struct redir *redir;
	uint32_t off, end;
};

struct alias_frame;
struct pending_heredoc;

/* One token; private to the parser. */
struct token {
	uint8_t kind;
	bool quoted;
	const char *start, *end;
	int32_t fd; /* number before a redirection */
	struct word word;
	struct assign assign;
};

struct parser {
	/* for the caller, read only */
	struct parse_error error;
	bool failed;
	struct parse_warning *warnings; /* oldest first; take and clear between commands */
	struct trivia *trivia;
	size_t nuls;                    /* NUL bytes that were dropped from the source */
	const char *src, *end;          /* the source offsets count in */

	/* for the caller, between commands */
	uint32_t flags; /* enum parse_option */

	/* private */
	struct arena *arena;
	const char *at;    /* next byte to read */
	const char *limit; /* end of what may be read now */
	struct parse_options opts;
	struct token tok; /* the token looked at, if have_tok */
	bool have_tok;
	bool newline_at_end; /* the newline that a last line lacks was given */
	bool cmd_word_next;  /* a command word or assignment may come next */
	uint8_t decl_args;   /* in the arguments of: 1 declare and the like, 2 eval, let */
	bool alias_next;     /* last alias ended in a blank */
	uint32_t seen, unseen; /* PARSE_TRACK_OPTIONS: flags to come, to go */
	uint8_t last;         /* kind of the last token */
	const char *last_end; /* where it ended */
	bool heredoc_eof;     /* a here-document had no end */
	uint8_t context;      /* enum lex_context */
	uint8_t accept;       /* reserved words accepted out of turn */
	uint32_t comsubs;     /* how many $( ) we are in */
	uint32_t depth;
	struct parser *child; /* for backquoted text, used again and again */
	uintptr_t stack_low;
	const char *line_from, *line_to; /* the bytes of line number `line`, as far as known */
	uint32_t line;
	bool fixed; /* backquoted text: every offset is fixed_off */
	uint32_t fixed_off;
	uint32_t alt_off, alt_line; /* of text outside src: an alias, a here-document copy */
	struct alias_frame *frame;
	struct assign *found; /* assignment that scan_plain has just found */
	size_t alias_bytes;
	bool joinable;    /* the alias being read can be joined with what follows */
	bool alias_short; /* a construct ran past the end of an alias */
	struct pending_heredoc *pending, *pending_last;
	uint32_t npending;
	struct parse_warning **warning_tail;
	struct trivia **trivia_tail;
	uint32_t trivia_end;
	char *scratch; /* stack of half-built rows */
	size_t scratch_used, scratch_cap;
	char *lit; /* literal text of the part being read */
	size_t lit_len, lit_cap;
	const char *lit_start, *lit_end;
	uintptr_t *not_arith; /* sorted places of $(( and (( that are not arithmetic */
	uint32_t nnot_arith, cap_not_arith;

	/* What scratch and lit are at first: the tree's arena lives longer than the parser. */
	_Alignas(16) char own_scratch[PARSE_SCRATCH];
	char own_lit[PARSE_LIT];
};

/* `src` need not end in NUL or newline and may hold NUL bytes, which are dropped as bash
 * drops them. More than PARSE_SOURCE_MAX bytes fail in the first parser_next. */
void parser_init(struct parser *p, struct arena *arena, const char *src, size_t n,
                 const struct parse_options *options);

/* The next command line, up to its newline, here-document bodies included. */
MUST_USE enum parse_result parser_next(struct parser *p, struct cmd **out);

/* Everything that is left, as one tree: NULL for nothing. */
MUST_USE enum parse_result parser_all(struct parser *p, struct cmd **out);

/* Offset of the next byte parser_next would read. */
size_t parser_offset(const struct parser *p);

/*
 * Parses text that appears only at run time. All return NULL on error with p->error set
 * (initialise a parser over the text first).
 */

/* The inside of a compound assignment, without its parentheses: declare "a=(1 2)". */
struct array_lit *parser_array(struct parser *p);

/* The text as the body of a here-document: parameters, commands, arithmetic expand. As for
 * $PS1, $PS4, ${x@P}, "${(…)}" and the like. */
struct word *parser_dquoted(struct parser *p);

/* One subscript text, e.g. from `read a[i]`, `unset 'a[i]'`, `printf -v a[i]`, ${!ref}. */
struct subscript *parser_subscript(struct parser *p);

/* The text as one word with the quoting of command words. */
struct word *parser_word(struct parser *p);

/* True for a name that may be assigned: [A-Za-z_][A-Za-z0-9_]* */
bool syntax_is_name(struct str s);

/* True for reserved words of the shell (`if`, `{`, `[[`, …). */
bool syntax_is_reserved(struct str s);

#endif
