/*
 * operator.c - the operators of the shell grammar: the longest one that fits.
 */
#include "syntax.h"

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
