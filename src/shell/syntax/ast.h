/*
 * ast.h - the tree of a parsed shell script.
 *
 * The parser decides everything that can be decided before a script runs, so that
 * expansion and the interpreter only walk: quoting is resolved into parts, literal words
 * carry their final text, assignments are split, arithmetic is a tree, braces and tildes
 * are marked. The tree is immutable once parsed: fibers share it without a lock, and
 * whatever changes while a script runs lives elsewhere.
 *
 * Everything is allocated in the arena given to the parser. Slices (`struct str`, `raw`)
 * point into the source text or into the arena, so the source must live as long as the
 * tree. Offsets are bytes from the start of that source; lines count from 1. In text that
 * came from an alias or from backquotes, offsets are those of the construct that held it.
 *
 * Layer     shell/syntax; includes base
 * Owns      nothing: the arena owns the tree
 * Threads   any number may read
 * Suspends  no
 */
#ifndef NACRE_SHELL_SYNTAX_AST_H
#define NACRE_SHELL_SYNTAX_AST_H

#include "../../base/base.h"

struct cmd;
struct parse_error;
struct word;
struct part;
struct param;
struct comsub;
struct brace;
struct arith;
struct assign;
struct redir;

/* ---- Words ------------------------------------------------------------------- */

/*
 * A word is a flat row of parts in source order. `quoted` on a part says that it stood
 * inside "…", '…', $'…', $"…", after a backslash, or in a here-document body: the result is
 * neither split nor globbed. The parts of one "…" are marked PART_DQ_FIRST … PART_DQ_LAST
 * (both on the same part when there is one), so "$a$b" can be told from "$a""$b"; an empty
 * "" or '' is one PART_QUOTED with empty text.
 */
enum part_kind {
	PART_LIT,     /* unquoted text, no backslash left in it: may glob; `text` */
	PART_QUOTED,  /* quoted text, escapes already resolved; `text` */
	PART_PARAM,   /* $x ${…}; `param` */
	PART_COMSUB,  /* $(…) `…`; `comsub` */
	PART_ARITH,   /* $((…)) $[…]; `arith` */
	PART_PROCSUB, /* <(…) >(…); `comsub` (comsub->kind tells the direction) */
	PART_TILDE,   /* ~ ~user ~+ ~- ~N where it is expanded; `text` is what follows the ~ */
	PART_BRACE,   /* {a,b} {1..9}; `brace`. Never quoted */
};

enum part_flag {
	PART_DQ_FIRST = 1, /* first part of a "…" */
	PART_DQ_LAST = 2,  /* last part of a "…" */
	PART_ANSI = 4,     /* PART_QUOTED from $'…' */
	PART_SQ = 8,       /* PART_QUOTED from '…' */
	PART_ESCAPE = 16,  /* PART_QUOTED from a backslash outside quotes */
	PART_LOCALE = 32,  /* part of a $"…" (no catalogue: same as "…") */
};

struct part {
	const char *raw; /* source text of the part (without the surrounding "…") */
	uint32_t raw_len;
	uint8_t kind;  /* enum part_kind */
	uint8_t flags; /* enum part_flag */
	bool quoted;
	bool glob; /* PART_LIT: contains an active * ? [ or extglob operator */
	union {
		struct str text;
		struct param *param;
		struct comsub *comsub;
		struct arith *arith;
		struct brace *brace;
	};
};

enum word_flag {
	WORD_LITERAL = 1,    /* only text, nothing to expand, no active glob: `text` is the
	                        result, one field (even when empty, then it was quoted) */
	WORD_QUOTED = 2,     /* some of it is quoted */
	WORD_GLOB = 4,       /* an unquoted * ? [ or extglob operator in its literals */
	WORD_EXTGLOB = 8,    /* has an extglob operator ?( *( +( @( !( in its literals */
	WORD_TILDE = 16,     /* has a PART_TILDE */
	WORD_BRACE = 32,     /* has a PART_BRACE: expand braces first */
	WORD_SPLITS = 64,    /* has an unquoted parameter, command or arithmetic expansion */
	WORD_EXPANDS = 128,  /* has any parameter, command, arithmetic or process subst. */
	WORD_ASSIGN = 256,   /* argument of declare, local, export… in the form name=…: no
	                        splitting or globbing of the value; `assign` is set, except
	                        with WORD_BRACE (each result then is an assignment) */
	WORD_RESOLVED = 512, /* text holds the unquoted text though WORD_LITERAL is not set
	                        because of an active glob or tilde: no expansions inside */
};

struct word {
	const char *raw; /* source text, quotes included */
	uint32_t raw_len;
	uint32_t flags;     /* enum word_flag */
	struct part *parts; /* valid also when WORD_LITERAL */
	uint32_t nparts;    /* 0 for an empty operand, value or body */
	uint32_t off, line;
	uint32_t reserved;
	struct str text;       /* WORD_LITERAL: NUL-terminated, unquoted, final; WORD_RESOLVED */
	struct assign *assign; /* WORD_ASSIGN, else NULL */
};

/* ---- Braces ------------------------------------------------------------------ */

/* {a,b,c} or {from..to..step}. Nesting is in the alternatives' own parts. To expand a
 * word: take the first PART_BRACE, repeat the word for each alternative, leftmost brace
 * varying slowest. Parts around it are shared, never copied. */
enum brace_kind { BRACE_LIST, BRACE_INT, BRACE_CHAR };

struct brace {
	uint8_t kind;
	uint8_t width;     /* BRACE_INT: zero-pad to this many digits (sign included), 0: no */
	uint32_t n;        /* BRACE_LIST: alternatives; one is possible: {a..{1,2}} */
	struct word *alts; /* BRACE_LIST: each with its parts; may be empty; may have braces */
	int64_t from, to;  /* BRACE_INT values; BRACE_CHAR bytes */
	int64_t step;      /* never 0; sign already fits from..to */
};

/* ---- Parameters -------------------------------------------------------------- */

enum param_kind {
	PARAM_NAME,       /* `name` */
	PARAM_POSITIONAL, /* $1 ${10}: `number` */
	PARAM_SPECIAL,    /* `special` is one of @ * # ? - $ ! 0 (0 is $0) */
	PARAM_BAD,        /* "bad substitution" when expanded: raw is the text to name */
};

enum param_op {
	PARAM_PLAIN,
	PARAM_LENGTH,        /* ${#x} */
	PARAM_DEFAULT,       /* ${x-w}  ${x:-w}  (colon: PARAM_COLON) operand in `arg` */
	PARAM_ASSIGN,        /* ${x=w}  ${x:=w} */
	PARAM_ERROR,         /* ${x?w}  ${x:?w} */
	PARAM_ALTERNATE,     /* ${x+w}  ${x:+w} */
	PARAM_REMOVE_PREFIX, /* ${x#p}; PARAM_LONGEST for ## */
	PARAM_REMOVE_SUFFIX, /* ${x%p}; PARAM_LONGEST for %% */
	PARAM_REPLACE,       /* ${x/p/r}: `arg` pattern, `repl` (NULL when no second /);
	                        PARAM_ALL for //, PARAM_ANCHOR_START /#, PARAM_ANCHOR_END /% */
	PARAM_SLICE,         /* ${x:o:n}: `offset`, `length` (NULL when absent) */
	PARAM_UPPER,         /* ${x^p}; PARAM_ALL for ^^; `arg` pattern or NULL */
	PARAM_LOWER,         /* ${x,p}; PARAM_ALL for ,, */
	PARAM_TOGGLE,        /* ${x~p}; PARAM_ALL for ~~ */
	PARAM_TRANSFORM,     /* ${x@Q}: letter in `special_op` (U u L Q E P A K a k; \0: no such, an error when x is set) */
	PARAM_PREFIX,        /* ${!p*} ${!p@}: names with that prefix; PARAM_AT for @ */
	PARAM_KEYS,          /* ${!a[@]} ${!a[*]}: see `sub.kind` */
};

enum param_flag {
	PARAM_INDIRECT = 1, /* ${!x…} */
	PARAM_COLON = 2,
	PARAM_LONGEST = 4,
	PARAM_ALL = 8,
	PARAM_ANCHOR_START = 16,
	PARAM_ANCHOR_END = 32,
	PARAM_AT = 64,
	PARAM_BRACED = 128, /* written ${…} */
};

enum sub_kind {
	SUB_NONE,
	SUB_WORD, /* a[expr] or a[key]: which one depends on the variable */
	SUB_AT,   /* a[@] */
	SUB_STAR, /* a[*] */
};

/* One subscript, in both readings. */
struct subscript {
	uint8_t kind; /* enum sub_kind */
	uint32_t off;
	struct str raw;      /* text between the brackets */
	struct word *word;   /* the key: expand without splitting, quotes removed */
	struct arith *arith; /* the index */
};

struct param {
	uint8_t kind;    /* enum param_kind */
	uint8_t op;      /* enum param_op */
	uint8_t flags;   /* enum param_flag */
	char special;    /* PARAM_SPECIAL */
	char special_op; /* PARAM_TRANSFORM */
	uint32_t number; /* PARAM_POSITIONAL */
	uint32_t off, line;
	struct str name;       /* PARAM_NAME and PARAM_PREFIX; else the digits or character */
	struct subscript *sub; /* NULL when none */
	/* Operand words. Inside "…" their parts are quoted as they stand there: a part with
	 * quoted == false in ${x:-a b} splits, one in "${x:-a b}" does not exist. Patterns
	 * keep their own quoting in both cases. */
	struct word *arg;
	union {
		struct word *repl;
		struct {
			struct arith *offset, *length;
		};
	};
};

/* ---- Substitutions ----------------------------------------------------------- */

enum comsub_kind {
	COMSUB_DOLLAR,    /* $(…) */
	COMSUB_BACKQUOTE, /* `…` */
	PROCSUB_IN,       /* <(…): the command's output is read */
	PROCSUB_OUT,      /* >(…) */
};

struct comsub {
	uint8_t kind; /* enum comsub_kind */
	uint32_t off, line;
	struct cmd *body;  /* NULL when empty */
	struct word *file; /* $(< file) and nothing else: its target; else NULL */
	/* A wrong body between backquotes is an error only when it runs: body is NULL and
	 * `error` says what bash prints after "command substitution: line N: " (parser.h).
	 * So is one in a here-document; there the whole document becomes one such part. */
	const struct parse_error *error;
	struct str text; /* COMSUB_BACKQUOTE: the unescaped source of the body; a here-document with an error: its text */
};

/* ---- Arithmetic -------------------------------------------------------------- */

enum arith_op {
	AR_NUM,    /* value */
	AR_VAR,    /* name, sub (NULL or a subscript) */
	AR_EXPAND, /* `slot`: the value of that expansion, see struct arith */
	AR_NEG,
	AR_POS,
	AR_NOT,
	AR_COMPL, /* a */
	AR_PRE_INC,
	AR_PRE_DEC,
	AR_POST_INC,
	AR_POST_DEC, /* a is AR_VAR */
	AR_POW,
	AR_MUL,
	AR_DIV,
	AR_MOD,
	AR_ADD,
	AR_SUB,
	AR_SHL,
	AR_SHR, /* a, b */
	AR_LT,
	AR_LE,
	AR_GT,
	AR_GE,
	AR_EQ,
	AR_NE,
	AR_BAND,
	AR_BXOR,
	AR_BOR,
	AR_AND,
	AR_OR,
	AR_COMMA,
	AR_COND,   /* a ? b : c */
	AR_ASSIGN, /* a is AR_VAR; `assign_op` AR_NUM for =, else AR_MUL … AR_BOR */
};

struct arith_node {
	uint8_t op; /* enum arith_op */
	uint8_t assign_op;
	uint32_t off; /* of the operator's right operand (or of the leaf) in the text:
	                 where bash's "error token" begins */
	union {
		int64_t value;
		uint32_t slot;
		struct {
			struct str name;
			struct subscript *sub;
		};
		struct {
			struct arith_node *a, *b, *c;
		};
	};
};

/*
 * One arithmetic expression. `text` is its source. With no expansion in it, `tree` is the
 * whole truth. With expansions that each stand as one operand ($x, ${#a[@]}, $(…)), `tree`
 * has AR_EXPAND leaves: expand exps[0..nexps) in order first; if every result is an
 * optionally signed decimal number without a leading zero (unsigned, if after_sign), evaluate
 * the tree with them; else put the results in place of the parts in `word` (expanding those
 * of its parts that are in subscripts and so not in exps), and parse that text (arith.h). Chains
 * like a+b+c lean left without bound: walk their left side in a loop. tree == NULL with error ==
 * NULL: expand `word` (as if in double quotes), parse the result. error != NULL: evaluating it is
 * an error; the message is bash's, `error_token` its token.
 */
struct arith {
	struct str raw;          /* as written */
	struct str text;         /* without quotes, if nothing expands; else as written */
	struct arith_node *tree; /* NULL for blank text too, which is 0: see `blank` */
	struct word *word;       /* NULL when text has no expansion or quote */
	struct part **exps;
	uint32_t nexps;
	uint32_t off, line;
	bool blank, powers; /* powers: ** is in it */
	bool after_sign;    /* an expansion directly follows a + or - */
	const char *error;
	struct str error_token;
};

/* ---- Assignments ------------------------------------------------------------- */

struct array_item {
	struct subscript *sub; /* [k]=v, else NULL */
	bool append;           /* [k]+=v */
	struct word value;     /* with sub == NULL an ordinary word: splits, globs, braces */
};

struct array_lit {
	uint32_t n, end; /* end: source offset behind the ) */
	struct array_item *items;
};

struct assign {
	struct str name;
	struct subscript *sub; /* a[i]=…, else NULL */
	bool append;           /* += */
	uint32_t off, line;
	struct word *value;      /* NULL when array is set. Not split; tildes after : */
	struct array_lit *array; /* name=( … ); with sub it is an error when it runs */
};

/* ---- Redirections ------------------------------------------------------------ */

enum redir_op {
	REDIR_IN,          /* < */
	REDIR_OUT,         /* > */
	REDIR_CLOBBER,     /* >| */
	REDIR_APPEND,      /* >> */
	REDIR_RDWR,        /* <> */
	REDIR_HEREDOC,     /* << and <<-: `target` is the body */
	REDIR_HERESTR,     /* <<< */
	REDIR_DUP_IN,      /* <&word  */
	REDIR_DUP_OUT,     /* >&word; without a number and not a digit or -: as &> */
	REDIR_BOTH,        /* &> (and bash's >&word is decided at run time) */
	REDIR_BOTH_APPEND, /* &>> */
};

enum redir_flag {
	REDIR_FD_GIVEN = 1,     /* a number was written */
	REDIR_STRIP_TABS = 2,   /* <<- */
	REDIR_QUOTED_DELIM = 4, /* the body is one literal */
	REDIR_CLOSE = 8,        /* DUP_*: the target is - */
	REDIR_DUP_NUMBER = 16,  /* DUP_*: the target is the number `from` */
	REDIR_MOVE = 32,        /* DUP_*: number and then -: `from`, closed after */
};

struct redir {
	struct redir *next;
	uint8_t op;    /* enum redir_op */
	uint8_t flags; /* enum redir_flag */
	int32_t fd;    /* default filled in (0 or 1); -1 with a {varname} */
	int32_t from;  /* REDIR_DUP_NUMBER, REDIR_MOVE */
	uint32_t off, line;
	struct str varname; /* {varname}>, else empty */
	struct subscript *varsub;
	struct word *target;  /* file, here-string, here-document body, dup word */
	struct str delim;     /* here-document: delimiter, quotes removed */
	struct str delim_raw; /* … as written */
};

/* ---- Commands ---------------------------------------------------------------- */

enum cmd_kind {
	CMD_SIMPLE,
	CMD_PIPE,
	CMD_ANDOR,
	CMD_LIST,
	CMD_SUBSHELL,
	CMD_GROUP,
	CMD_IF,
	CMD_FOR,
	CMD_CFOR,
	CMD_WHILE,
	CMD_CASE,
	CMD_SELECT,
	CMD_FUNCTION,
	CMD_COPROC,
	CMD_ARITH,
	CMD_COND,
	CMD_ERROR, /* parser.h */
};

/* The head of every command. `redirs` in source order; simple commands have theirs here too. */
struct cmd {
	uint8_t kind; /* enum cmd_kind: tells the struct that contains this head */
	uint8_t flags;
	uint32_t off, end; /* source range */
	uint32_t line;     /* $LINENO while it runs */
	struct redir *redirs;
};

enum simple_flag {
	SIMPLE_DECL = 1,  /* names a declaration builtin literally: see WORD_ASSIGN */
	SIMPLE_PLAIN = 2, /* every word is WORD_LITERAL and there are no assignments */
};

struct cmd_simple {
	struct cmd cmd;
	uint32_t nassigns, nwords;
	struct assign *assigns; /* before the command word */
	struct word *words;
	struct str name;    /* words[0].text when it is WORD_LITERAL, else empty */
	uint32_t name_hash; /* ast_hash(name) */
};

enum pipe_flag {
	PIPE_NEGATE = 1,
	PIPE_TIME = 2,
	PIPE_TIME_POSIX = 4, /* time -p */
};

/* Only for more than one command, or with a flag. n may be 0: `time` or `!` alone. */
struct cmd_pipe {
	struct cmd cmd; /* flags: enum pipe_flag */
	uint32_t n;
	struct cmd **cmds;
	bool *both; /* both[i]: |& follows cmds[i] (its stderr goes along); NULL: none */
};

enum andor_op { ANDOR_FIRST, ANDOR_AND, ANDOR_OR };

struct andor_item {
	uint8_t op; /* how it joins the one before */
	struct cmd *cmd;
};

/* Left-associative, equal precedence. n >= 2. */
struct cmd_andor {
	struct cmd cmd;
	uint32_t n;
	struct andor_item *items;
};

enum list_sep {
	SEP_END,  /* nothing (or the closing token) */
	SEP_SEMI, /* ; */
	SEP_NEWLINE,
	SEP_AMP, /* & : run in the background */
};

struct list_item {
	uint8_t sep; /* what follows */
	struct cmd *cmd;
};

/* Used when there is more than one command or one with &. n >= 1. */
struct cmd_list {
	struct cmd cmd;
	uint32_t n;
	struct list_item *items;
};

/* ( … ) and { …; } */
struct cmd_block {
	struct cmd cmd;
	struct cmd *body;
};

struct if_clause {
	struct cmd *test, *body;
};

struct cmd_if {
	struct cmd cmd;
	uint32_t n; /* if and elif */
	struct if_clause *clauses;
	struct cmd *otherwise; /* NULL when no else */
};

/* for name [in words]; do body; done, and select */
struct cmd_for {
	struct cmd cmd;
	struct str name; /* may be an invalid identifier: bad_name */
	bool bad_name;   /* "`X': not a valid identifier" when run */
	bool has_in;     /* else over "$@" */
	uint32_t nwords;
	struct word *words;
	struct cmd *body;
};

struct cmd_cfor {
	struct cmd cmd;
	struct arith *init, *test, *step; /* NULL when empty; an empty test is true */
	struct str text;                  /* between (( and )) */
	struct cmd *body;
};

enum while_flag { WHILE_UNTIL = 1 };

struct cmd_while {
	struct cmd cmd; /* flags: enum while_flag */
	struct cmd *test, *body;
};

enum case_end { CASE_BREAK, CASE_FALL, CASE_NEXT }; /* ;; ;& ;;& */

struct case_item {
	uint32_t npatterns;
	uint8_t end; /* enum case_end */
	struct word *patterns;
	struct cmd *body; /* NULL when empty */
};

struct cmd_case {
	struct cmd cmd;
	struct word *word;
	uint32_t n;
	struct case_item *items;
};

enum function_flag {
	FUNCTION_KEYWORD = 1,  /* written `function name` */
	FUNCTION_BAD_NAME = 2, /* "`X': not a valid identifier" when run */
};

struct cmd_function {
	struct cmd cmd; /* flags: enum function_flag */
	struct str name;
	struct cmd *body;   /* a compound command; its redirs apply at each call */
	const char *source; /* text of the whole definition, `source_len` bytes */
	uint32_t source_len;
};

struct cmd_coproc {
	struct cmd cmd;
	struct str name; /* "COPROC" when not given */
	bool named;
	struct cmd *body;
};

struct cmd_arith {
	struct cmd cmd;
	struct str raw; /* between (( and )), as written */
	struct arith *expr;
};

/* Chains of && or || lean left, without bound: walk their left side in a loop. */
enum cond_kind {
	COND_AND,
	COND_OR,     /* a, b */
	COND_NOT,    /* a */
	COND_GROUP,  /* ( a ) */
	COND_UNARY,  /* op left */
	COND_BINARY, /* left op right */
	COND_WORD,   /* left: true when not empty */
};

enum cond_op {
	/* unary: the letter itself: 'a' 'b' … 'z', 'v', 'o', 'R' … */
	COND_STR_EQ = 256, /* = == : right is a pattern */
	COND_STR_NE,       /* != */
	COND_REGEX,        /* =~ : right is a regex; quoted parts match literally */
	COND_STR_LT,
	COND_STR_GT,
	COND_EQ,
	COND_NE,
	COND_LT,
	COND_LE,
	COND_GT,
	COND_GE, /* -eq …: arithmetic */
	COND_NT,
	COND_OT,
	COND_EF,
};

struct cond {
	uint8_t kind; /* enum cond_kind */
	uint16_t op;  /* enum cond_op or the letter */
	uint32_t line;
	struct str op_text; /* as written */
	struct word *left, *right;
	struct cond *a, *b;
};

struct cmd_cond {
	struct cmd cmd;
	struct cond *expr;
};

/* From the head to the whole: AST(cmd_if, c)->clauses */
#define AST(type, c)       ((struct type *)(void *)(c))
#define AST_CONST(type, c) ((const struct type *)(const void *)(c))

/* FNV-1a, for tables of commands, functions and builtins. */
static inline uint32_t ast_hash(struct str s)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * 16777619u;
	return h;
}

#endif
