/*
 * lex.h - awk's words, between the reader of text and the grammar.
 *
 *	lex_next(l);	// l->tok is the next token, l->text, l->number and l->builtin what it carries
 *
 * Layer     cmd; for lex.c and parse.c
 * Errors    a wrong text ends the proc with gawk's message
 */
#ifndef NACRE_CMD_AWK_LEX_H
#define NACRE_CMD_AWK_LEX_H

#include "awk.h"

enum token {
	T_EOF, T_NEWLINE, T_NUMBER, T_STRING, T_REGEX, T_NAME, T_FUNC_NAME, T_BUILTIN,
	T_BEGIN, T_END, T_BEGINFILE, T_ENDFILE, T_FUNCTION, T_IF, T_ELSE, T_WHILE, T_FOR, T_DO, T_BREAK, T_CONTINUE, T_NEXT, T_NEXTFILE,
	T_EXIT, T_RETURN, T_DELETE, T_IN, T_GETLINE, T_PRINT, T_PRINTF, T_SWITCH, T_CASE, T_DEFAULT,
	T_ADD_ASSIGN, T_SUB_ASSIGN, T_MUL_ASSIGN, T_DIV_ASSIGN, T_MOD_ASSIGN, T_POW_ASSIGN, T_EQ, T_LE, T_GE, T_NE, T_INC, T_DEC, T_AND, T_OR,
	T_APPEND, T_NO_MATCH, T_POW, T_PIPE_AND,
	T_CHARS = 128,	/* T_CHARS + c: the character c */
};
#define TC(c) (T_CHARS + (c))

struct lexer {
	struct awk *a;
	const char *s, *end, *start;	/* what is left; the whole text */
	const char *lexeme;		/* where the token begins: messages point there */
	const char *name;
	uint32_t line;
	int tok;
	bool newline_before;	/* white space came before the token: f (x) is no call */
	struct str text;	/* T_NAME...: in the source; T_STRING, T_REGEX: decoded */
	double number;
	int builtin;
	bool no_gt, no_in;
	bool in_function, in_loop, in_rule;
	uint8_t rule_kind;	/* of the rule that is read */
	/* Parameters of the function that is read. */
	struct str *param;
	uint32_t nparams;
};

void lex_next(struct lexer *l);
/* Where an operand is wanted, / begins a regular expression: reads it into l->text. */
void lex_regex(struct lexer *l);
/* "awk: cmd. line:N: TEXT", under the line that is wrong. */
NORETURN void lex_fail(struct lexer *l, const char *text);
NORETURN void lex_error(struct lexer *l);
/* "awk: cmd. line:N: TEXT" alone: what is wrong is no single place. */
NORETURN void lex_refuse(struct lexer *l, const char *text);
/* "awk: cmd. line:N: error: TEXT": a mistake that is no matter of grammar. */
NORETURN void lex_wrong(struct lexer *l, const char *text);

static inline bool lex_accept(struct lexer *l, int tok)
{
	if (l->tok != tok)
		return false;
	lex_next(l);
	return true;
}
static inline void lex_expect(struct lexer *l, int tok)
{
	if (!lex_accept(l, tok))
		lex_error(l);
}
static inline void lex_skip_newlines(struct lexer *l)
{
	while (l->tok == T_NEWLINE)
		lex_next(l);
}

/* parse.c: the parts that rules are made of. */
struct node *parse_expression(struct lexer *l);
struct node *parse_block(struct lexer *l);
uint32_t parse_function_name(struct lexer *l, struct str name);	/* its slot, made when it is new */

#endif
