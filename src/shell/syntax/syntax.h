/*
 * syntax.h - what the files of the parser share; nobody else includes it.
 *
 * The pieces, bottom up: scratch.c (rows under construction, positions, errors), chars.c; word.c
 * and quoted.c (the two ways of reading text into parts), param.c, subst.c, brace.c, assign.c;
 * arith.c, arith_leaf.c; operator.c, lex.c, alias.c (tokens), heredoc.c; then the grammar:
 * redir.c, parse.c, compound.c, cond.c. The printer is apart: printer.h.
 *
 * Once p->failed is set the current token is T_ERROR, and every function gives up soon:
 * results after that are meaningless and never returned to the caller.
 *
 * Layer     shell/syntax, private
 */
#ifndef NACRE_SHELL_SYNTAX_SYNTAX_H
#define NACRE_SHELL_SYNTAX_SYNTAX_H

#include "arith.h"
#include "parser.h"

/* ---- Tokens ------------------------------------------------------------------ */

enum token_kind {
	T_START, /* nothing was read yet */
	T_ERROR,
	T_EOF,
	T_NEWLINE,
	T_WORD,
	T_ASSIGN, /* name=value before a command word: tok.assign (and tok.word.raw) */
	T_FD,     /* a number directly before < or > */
	T_FDVAR,  /* {name} directly before < or > */
	T_DASH,   /* - directly after >& or <& */
	T_SEMI,
	T_AMP,
	T_PIPE,
	T_PIPEAMP,
	T_ANDAND,
	T_OROR,
	T_DSEMI,
	T_SEMIAMP,
	T_DSEMIAMP,
	T_LPAREN,
	T_RPAREN,
	T_DLPAREN,
	T_LESS,
	T_GREAT,
	T_CLOBBER,
	T_DGREAT,
	T_LESSGREAT,
	T_DLESS,
	T_DLESSDASH,
	T_TLESS,
	T_LESSAND,
	T_GREATAND,
	T_ANDGREAT,
	T_ANDDGREAT,
	/* reserved words */
	T_IF,
	T_THEN,
	T_ELIF,
	T_ELSE,
	T_FI,
	T_FOR,
	T_WHILE,
	T_UNTIL,
	T_DO,
	T_DONE,
	T_CASE,
	T_ESAC,
	T_SELECT,
	T_FUNCTION,
	T_LBRACE,
	T_RBRACE,
	T_BANG,
	T_TIME,
	T_COPROC,
	T_COND,
	T_IN,
	T_TIMEOPT, /* -p after time */
	T_TIMEIGN, /* -- after time */
	T_CONDEND, /* ]] */
	T_KINDS,
};

enum lex_context {
	LEX_NORMAL,
	LEX_CASE,    /* where a case pattern begins: only esac is reserved */
	LEX_COND,    /* inside [[ ]] */
	LEX_PATTERN, /* right of == in [[ ]]: extglob always on */
	LEX_REGEX,   /* right of =~ */
	LEX_WORDS,   /* only words: nothing is reserved, no assignments, no aliases */
	LEX_PLAIN,   /* the same, without braces: the subject and patterns of case */
};

/* p->accept: reserved words accepted though the token before does not announce them. */
enum accept_word {
	ACCEPT_IN = 1,
	ACCEPT_DO = 2,
	ACCEPT_BRACE = 4,
	ACCEPT_COMPOUND = 8, /* any reserved word: the body of `function f` */
	ACCEPT_TIMEOPT = 16,
};

/* What the grammar asks about a kind. */
enum token_trait {
	TRAIT_ANNOUNCES = 1, /* a reserved word may follow it */
	TRAIT_REDIR = 2,     /* begins a redirection */
	TRAIT_BEGINS = 4,    /* begins a command */
};
extern const uint8_t token_traits[T_KINDS];

/* Makes p->tok the current token and returns its kind. */
unsigned token_read(struct parser *p);
static inline unsigned token_peek(struct parser *p)
{
	return p->have_tok ? p->tok.kind : token_read(p);
}
/* The current token is used up. */
static inline void token_take(struct parser *p)
{
	if (UNLIKELY(p->failed))
		return;
	p->last = p->tok.kind;
	p->last_end = p->tok.end;
	p->have_tok = false;
	p->accept = 0;
}
/* Drops a token that was looked at, to read on at p->at = tok.end in another way. */
void token_drop(struct parser *p);
/* An operator at p->at: its kind with tok's range set, or T_ERROR when there is none. */
unsigned lex_operator(struct parser *p);
/* peek and take if it is of that kind */
bool token_accept(struct parser *p, unsigned kind);
/* As token_accept, with a syntax error when it is another. */
bool token_expect(struct parser *p, unsigned kind);
void skip_newlines(struct parser *p);

/* Between the files of the lexer. A kind of T_KINDS means: nothing yet, look again. */
unsigned lex_one(struct parser *p);
static inline unsigned lex_finish(struct parser *p, unsigned kind, const char *start)
{
	p->tok.kind = (uint8_t)kind;
	p->tok.start = start;
	p->tok.end = p->at;
	return kind;
}
static inline bool lex_reserved_ok(const struct parser *p)
{
	return p->context == LEX_NORMAL && ((token_traits[p->last] & TRAIT_ANNOUNCES) ||
	                                    (p->accept & ACCEPT_COMPOUND));
}
/* Steps over `c`, if it comes next (behind backslash-newlines). */
bool lex_follows(struct parser *p, char c);
/* As lex_one, for a token that begins in an alias. */
unsigned lex_in_alias(struct parser *p);
/* Makes the alias `name`, if it is one that may be expanded here, the text read next. */
bool alias_try(struct parser *p, struct str name, const char *start);
/* At the end of an alias: goes on behind it. */
void alias_pop(struct parser *p);

/* ---- Characters -------------------------------------------------------------- */

enum char_class {
	C_GLOB = 1,    /* * ? [ ] */
	C_SPECIAL = 2, /* = ~ {: plain text, but worth a second look */
	C_NAME = 4,    /* letters, digits, _ */
	C_MARK = 8,    /* = [ ] } /: end of something in one mode or another */
	C_DELIM = 16,  /* blanks, newline and | & ; ( ) < > */
	C_QUOTE = 32,  /* \ ' " ` $ */
	C_STOP = C_DELIM | C_QUOTE,
	C_DQ = 64, /* special inside "…": " \ ` $ */
};

extern const uint8_t char_class[256];

#define CLASS(c) (char_class[(unsigned char)(c)])

/* ---- Positions, errors ------------------------------------------------------- */

static inline bool in_source(const struct parser *p, const char *at)
{
	return (uintptr_t)at - (uintptr_t)p->src <= (uintptr_t)p->end - (uintptr_t)p->src;
}
static inline uint32_t offset_of(const struct parser *p, const char *at)
{
	if (UNLIKELY(p->fixed))
		return p->fixed_off;
	return LIKELY(in_source(p, at)) ? (uint32_t)(at - p->src) : p->alt_off;
}
void skip_comment(struct parser *p);
void keep_trivia(struct parser *p, const char *from, const struct redir *redir);
void line_begin(struct parser *p, const char *from);
uint32_t line_search(struct parser *p, const char *at);
static inline uint32_t line_of(struct parser *p, const char *at)
{
	bool same = (uintptr_t)at - (uintptr_t)p->line_from <=
	            (uintptr_t)p->line_to - (uintptr_t)p->line_from;

	return LIKELY(same) ? p->line : line_search(p, at);
}
uint32_t eof_line(struct parser *p);

/* Each sets p->error and p->failed unless it is set. */
void fail_token(struct parser *p); /* near unexpected token: p->tok */
void fail_at(struct parser *p, const char *at, uint32_t line, const char *text);
/* text with one %s replaced by `arg` */
void fail_with(struct parser *p, const char *at, uint32_t line, const char *text, struct str arg);
void fail_eof(struct parser *p, const char *opened, uint32_t line, char closer);
/* Adds a line to the error that was just made. */
void fail_more(struct parser *p, uint32_t line, const char *text, struct str arg);
/* Adds bash's echo of the source line that holds `at`. */
void fail_source_line(struct parser *p, const char *at);
void warn_at(struct parser *p, uint32_t line, struct str text);
struct str token_text(const struct parser *p);

/* `at` moved over backslash-newlines. */
const char *skip_cont(const struct parser *p, const char *at);

/* Counts nesting; false, with the error set, when it is too deep. */
MUST_USE bool enter(struct parser *p);
static inline void leave(struct parser *p)
{
	p->depth--;
}

struct str text_join(struct arena *a, const struct str *s, unsigned n);
struct str text_number(struct arena *a, uint64_t n);

/* ---- Scratch: rows under construction, in stack order ------------------------- */

void scratch_grow(struct parser *p, size_t n);
static inline void *scratch_push(struct parser *p, size_t n)
{
	char *at;

	if (UNLIKELY(p->scratch_cap - p->scratch_used < n))
		scratch_grow(p, n);
	at = p->scratch + p->scratch_used;
	p->scratch_used += n;
	return at;
}
/* Everything pushed since `mark`, moved to the arena; *n bytes. */
void *scratch_take(struct parser *p, size_t mark);

/* ---- Parts ------------------------------------------------------------------- */

/* Literal text is gathered in p->lit until something else comes; flush makes it a part. */
void lit_add(struct parser *p, const char *s, size_t n);
void lit_flush(struct parser *p, bool quoted);
struct part *part_push(struct parser *p, unsigned kind, const char *raw, bool quoted);
void part_text(struct parser *p, const char *raw, size_t raw_len, struct str text, unsigned flags);

/* A word of the parts pushed since `mark`. Does not look for braces and tildes. */
void word_finish(struct parser *p, struct word *w, const char *raw, size_t mark);
struct word *word_new(struct parser *p, const char *raw, size_t mark);

/* How unquoted text is read, and where it ends. */
enum plain_mode {
	PLAIN_WORD,    /* a word of a command */
	PLAIN_OPERAND, /* ${x:-…}: ends at } */
	PLAIN_PATTERN, /* ${x#…}: ends at } */
	PLAIN_REPLACE, /* ${x/…: ends at / or } */
	PLAIN_SUB,     /* ${a[…: ends at ] */
	PLAIN_TEXT,    /* ends at the end of the input */
};

enum plain_flag {
	PLAIN_EXTGLOB = 1,
	PLAIN_REGEX = 2,
	PLAIN_ASSIGN = 4,  /* stop after name= name+= or a[…]= */
	PLAIN_ITEM = 8,    /* an array item: stop after […]= */
	PLAIN_QUOTED = 16, /* we are inside "…" further out: results are quoted */
	PLAIN_NO_PROCSUB =
	        32, /* a pattern inside "…": <( is text, but $x is as unquoted as it looks */
};

/* Pushes parts; leaves p->at on the character that ended it. */
bool scan_plain(struct parser *p, enum plain_mode mode, unsigned flags);

enum quoted_mode {
	QUOTED_DQ,      /* "…": ends at " */
	QUOTED_OPERAND, /* "${x:-…}": ends at } */
	QUOTED_BODY,    /* here-document body and such: ends at p->limit */
	QUOTED_ARITH,   /* $((…)) ((…)): ends at an unmatched ) */
	QUOTED_SLICE,   /* ${x:…: ends at : or } */
	QUOTED_BRACKET, /* $[…]: ends at an unmatched ] */
	QUOTED_FOR,     /* for ((…;: as QUOTED_ARITH, ends at ; too */
};

bool scan_quoted(struct parser *p, enum quoted_mode mode);

/* At the quote; each pushes its parts and steps over the closing one. */
bool scan_dquote(struct parser *p, bool locale);
bool scan_squote(struct parser *p);
bool scan_ansi(struct parser *p);
/* At a $: whether it begins something ($' and $" do only outside double quotes). */
bool dollar_means(const struct parser *p, bool outside);
bool scan_dollar(struct parser *p, bool quoted);
/* At the ( or [ of a substitution whose dollar is at `start`. */
bool scan_substitution(struct parser *p, const char *start, bool quoted);
/* quoted: in "…" or a here-document; dquoted: in "…", where \" is a quote. */
bool scan_backquote(struct parser *p, bool quoted, bool dquoted);
bool scan_procsub(struct parser *p);

struct param *scan_braced(struct parser *p, bool quoted);
/* At the [; NULL without error when it is empty or does not end before `}`. */
struct subscript *scan_subscript(struct parser *p);
struct subscript *make_subscript(struct parser *p, const char *raw, size_t len, struct word *w);

/* The body of $( and <(, p->at behind the parenthesis; steps over the closing one. */
struct comsub *comsub_body(struct parser *p, unsigned kind, const char *start);

/* Marks braces and tildes in the parts of a finished word. */
enum tilde_rule { TILDE_NONE, TILDE_START, TILDE_COLON, TILDE_WORD };
void word_tildes(struct parser *p, struct word *w, enum tilde_rule rule);
void word_braces(struct parser *p, struct word *w);

/* The expression that `w` (or only `text`, when w is NULL) holds. */
struct arith *make_arith(struct parser *p, struct str text, struct word *w, uint32_t off);
/* Not with more stack than down to `stack_low`. */
struct arith *arith_from(struct arena *arena, struct parser *p, struct arith *a, uint32_t depth, uintptr_t stack_low);

/* Stands for an expansion in the text of an expression. */
#define HOLE '\1'
/* A word of literal text; and one of text in which each hole is the next of `exps`. */
struct word *arith_literal(struct arena *arena, struct str s);
struct word *arith_holed(struct arena *arena, struct str s, struct part **exps);

bool arith_remembered(const struct parser *p, const char *at);
void arith_remember(struct parser *p, const char *at);

/* ---- Assignments ------------------------------------------------------------- */

/* Called behind the = of an assignment whose pieces were found. */
bool scan_value(struct parser *p, struct assign *a, const char *start);
/* Items up to the ) of the literal that begins at `start`, or to the end if that is NULL. */
struct array_lit *scan_array(struct parser *p, const char *start);

/* ---- Here-documents ---------------------------------------------------------- */

void heredoc_expect(struct parser *p, struct redir *r);
/* Behind a newline: reads the bodies that are due. */
void heredoc_read(struct parser *p);
/* At the ) of a command substitution: those that never began. */
void heredoc_drop(struct parser *p);

/* ---- Grammar ----------------------------------------------------------------- */

/* A list up to a token that cannot continue it. With `top`, ends at the newline. An empty
 * list is NULL without error. */
struct cmd *parse_list(struct parser *p, bool top);
/* A command of words; `first`, if any, was taken already and began at `start`. */
struct cmd *parse_simple(struct parser *p, const struct word *first, const char *start);
/* A list that must not be empty, then `closer`. */
struct cmd *parse_body(struct parser *p, unsigned closer);
struct cmd *parse_command(struct parser *p);
struct cmd *parse_compound(struct parser *p); /* NULL without error if none begins here */
struct cmd *parse_cond(struct parser *p, const char *start);
void parse_redirs(struct parser *p, struct redir **list);
static inline bool token_is_redir(unsigned kind)
{
	return (token_traits[kind] & TRAIT_REDIR) != 0;
}
/* One redirection, put at *tail. */
struct redir **parse_redir(struct parser *p, struct redir **tail);
void *cmd_new(struct parser *p, size_t size, unsigned kind, const char *start);
struct cmd *parse_function_body(struct parser *p, const struct word *name, unsigned flags);

#endif
