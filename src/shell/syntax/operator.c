/*
 * operator.c - the operators of the shell grammar: the longest one that fits.
 */
#include "syntax.h"

#define A TRAIT_ANNOUNCES
#define R TRAIT_REDIR
#define B TRAIT_BEGINS

/* clang-format off */
const uint8_t token_traits[T_KINDS] = {
	[T_START] = A, [T_NEWLINE] = A, [T_SEMI] = A, [T_AMP] = A, [T_PIPE] = A, [T_PIPEAMP] = A,
	[T_ANDAND] = A, [T_OROR] = A, [T_DSEMI] = A, [T_SEMIAMP] = A, [T_DSEMIAMP] = A,
	[T_RPAREN] = A, [T_THEN] = A, [T_ELIF] = A, [T_ELSE] = A, [T_FI] = A, [T_DO] = A,
	[T_DONE] = A, [T_ESAC] = A, [T_RBRACE] = A, [T_TIMEOPT] = A, [T_TIMEIGN] = A,
	[T_CONDEND] = A,
	[T_LPAREN] = A | B, [T_IF] = A | B, [T_WHILE] = A | B, [T_UNTIL] = A | B,
	[T_LBRACE] = A | B, [T_BANG] = A | B, [T_TIME] = A | B, [T_COPROC] = A | B,
	[T_WORD] = B, [T_ASSIGN] = B, [T_DLPAREN] = B, [T_FOR] = B, [T_CASE] = B, [T_SELECT] = B,
	[T_FUNCTION] = B, [T_COND] = B,
	[T_FD] = R | B, [T_FDVAR] = R | B, [T_LESS] = R | B, [T_GREAT] = R | B,
	[T_CLOBBER] = R | B, [T_DGREAT] = R | B, [T_LESSGREAT] = R | B, [T_DLESS] = R | B,
	[T_DLESSDASH] = R | B, [T_TLESS] = R | B, [T_LESSAND] = R | B, [T_GREATAND] = R | B,
	[T_ANDGREAT] = R | B, [T_ANDDGREAT] = R | B,
};
/* clang-format on */

#undef A
#undef R
#undef B

bool lex_follows(struct parser *p, char c)
{
	const char *at = skip_cont(p, p->at);

	if (at == p->limit || *at != c)
		return false;
	p->at = at + 1;
	return true;
}

static unsigned semicolon(struct parser *p)
{
	if (lex_follows(p, ';'))
		return lex_follows(p, '&') ? T_DSEMIAMP : T_DSEMI;
	return lex_follows(p, '&') ? T_SEMIAMP : T_SEMI;
}

static unsigned ampersand(struct parser *p)
{
	if (lex_follows(p, '&'))
		return T_ANDAND;
	if (lex_follows(p, '>'))
		return lex_follows(p, '>') ? T_ANDDGREAT : T_ANDGREAT;
	return T_AMP;
}

static unsigned less(struct parser *p)
{
	if (lex_follows(p, '<')) {
		if (lex_follows(p, '-'))
			return T_DLESSDASH;
		return lex_follows(p, '<') ? T_TLESS : T_DLESS;
	}
	return lex_follows(p, '&') ? T_LESSAND : lex_follows(p, '>') ? T_LESSGREAT : T_LESS;
}

static unsigned greater(struct parser *p)
{
	if (lex_follows(p, '>'))
		return T_DGREAT;
	return lex_follows(p, '&') ? T_GREATAND : lex_follows(p, '|') ? T_CLOBBER : T_GREAT;
}

unsigned lex_operator(struct parser *p)
{
	const char *start = p->at++;
	unsigned kind;

	switch (*start) {
	case ';': kind = semicolon(p); break;
	case '&': kind = ampersand(p); break;
	case '|':
		kind = lex_follows(p, '|') ? T_OROR : lex_follows(p, '&') ? T_PIPEAMP : T_PIPE;
		break;
	case '<': kind = less(p); break;
	case '>': kind = greater(p); break;
	case '(': kind = T_LPAREN; break;
	case ')': kind = T_RPAREN; break;
	default: p->at = start; return T_ERROR;
	}
	return lex_finish(p, kind, start);
}
