/*
 * cond.c - [[ … ]].
 *
 * Its own small grammar, with error messages of its own. A newline may stand where an operand
 * is finished or not yet begun, nowhere else.
 */
#include "syntax.h"

static struct cond *cond_or(struct parser *p);

static struct cond *cond_new(struct parser *p, unsigned kind)
{
	struct cond *c = arena_zalloc(p->arena, sizeof(*c));

	c->kind = (uint8_t)kind;
	c->line = line_of(p, p->tok.start);
	return c;
}

static uint32_t here(struct parser *p)
{
	if (p->tok.kind == T_EOF)
		return eof_line(p);
	return line_of(p, p->tok.end > p->tok.start ? p->tok.end - 1 : p->tok.start);
}

/* bash names the token, except that it has no name for plain words and numbers. */
static void cond_fail(struct parser *p, const char *with, const char *without)
{
	bool cut_off = p->failed && p->error.at_eof && p->error.nlines == 1;
	bool named = p->tok.kind != T_WORD && p->tok.kind != T_FD && p->tok.kind != T_FDVAR;
	bool at_eof = p->tok.kind == T_EOF;

	if (cut_off) /* a quote without end, and then this */
		fail_more(p, eof_line(p), without, (struct str){NULL, 0});
	else if (named)
		fail_with(p, p->tok.start, here(p), with, token_text(p));
	else
		fail_at(p, p->tok.start, here(p), without);
	if (at_eof)
		p->error.at_eof = true;
}

static bool is_word(struct parser *p, const char *text)
{
	struct word *w = &p->tok.word;

	return p->tok.kind == T_WORD && !(w->flags & WORD_QUOTED) && w->raw_len == strlen(text) &&
	       memcmp(w->raw, text, w->raw_len) == 0;
}

/* The word at hand, taken. */
static struct word *take_word(struct parser *p)
{
	struct word *w = arena_alloc(p->arena, sizeof(*w));

	*w = p->tok.word;
	w->line = line_of(p, p->tok.start);
	token_take(p);
	return w;
}

static unsigned unary_op(struct parser *p)
{
	const struct word *w = &p->tok.word;

	if (p->tok.kind != T_WORD || (w->flags & WORD_QUOTED) || w->raw_len != 2 ||
	    w->raw[0] != '-' || !strchr("abcdefgGhkLNnoOprsStuvwxzR", w->raw[1]))
		return 0;
	return (unsigned char)w->raw[1];
}

struct operator
{
	char text[4];
	uint16_t op;
};

static unsigned binary_op(struct parser *p)
{
	static const struct operator ops[] = {
	        {"=", COND_STR_EQ}, {"==", COND_STR_EQ}, {"!=", COND_STR_NE}, {"=~", COND_REGEX},
	        {"-eq", COND_EQ},   {"-ne", COND_NE},    {"-lt", COND_LT},    {"-le", COND_LE},
	        {"-gt", COND_GT},   {"-ge", COND_GE},    {"-nt", COND_NT},    {"-ot", COND_OT},
	        {"-ef", COND_EF},
	};

	if (p->tok.kind == T_LESS)
		return COND_STR_LT;
	if (p->tok.kind == T_GREAT)
		return COND_STR_GT;
	if (p->tok.kind != T_WORD || p->tok.word.raw_len > 3)
		return 0;
	for (size_t i = 0; i < COUNTOF(ops); i++)
		if (is_word(p, ops[i].text))
			return ops[i].op;
	return 0;
}

static struct cond *cond_unary(struct parser *p, unsigned op)
{
	struct cond *c = cond_new(p, COND_UNARY);

	c->op = (uint16_t)op;
	c->op_text = (struct str){p->tok.word.raw, p->tok.word.raw_len};
	token_take(p);
	if (token_peek(p) != T_WORD) {
		cond_fail(p, "unexpected argument `%s' to conditional unary operator",
		          "unexpected argument to conditional unary operator");
		return NULL;
	}
	c->left = take_word(p);
	skip_newlines(p);
	return c;
}

static struct cond *cond_binary(struct parser *p)
{
	struct cond *c = cond_new(p, COND_WORD);
	unsigned kind;

	c->left = take_word(p);
	kind = token_peek(p);
	if (kind == T_CONDEND || kind == T_ANDAND || kind == T_OROR || kind == T_RPAREN)
		return c;
	c->op = (uint16_t)binary_op(p);
	if (!c->op) {
		cond_fail(p, "unexpected token `%s', conditional binary operator expected",
		          "conditional binary operator expected");
		return NULL;
	}
	c->kind = COND_BINARY;
	c->op_text = (struct str){p->tok.start, (size_t)(p->tok.end - p->tok.start)};
	token_take(p);
	if (c->op == COND_REGEX)
		p->context = LEX_REGEX;
	else if (c->op == COND_STR_EQ || c->op == COND_STR_NE)
		p->context = LEX_PATTERN;
	kind = token_peek(p);
	p->context = LEX_COND;
	if (kind != T_WORD) {
		cond_fail(p, "unexpected argument `%s' to conditional binary operator",
		          "unexpected argument to conditional binary operator");
		return NULL;
	}
	c->right = take_word(p);
	skip_newlines(p);
	return c;
}

static struct cond *cond_group(struct parser *p)
{
	struct cond *c = cond_new(p, COND_GROUP);

	token_take(p);
	c->a = cond_or(p);
	if (p->failed) {
		if (!p->error.at_eof && p->error.nlines == 1)
			fail_more(p, p->error.lines[0].line, "expected `)'", (struct str){NULL, 0});
		return NULL;
	}
	if (token_peek(p) != T_RPAREN) {
		cond_fail(p, "unexpected token `%s', expected `)'", "expected `)'");
		return NULL;
	}
	token_take(p);
	skip_newlines(p);
	return c;
}

static struct cond *cond_term(struct parser *p)
{
	unsigned kind, op;
	struct cond *c;

	if (!enter(p))
		return NULL;
	skip_newlines(p);
	kind = token_peek(p);
	op = unary_op(p);
	if (kind == T_LPAREN) {
		c = cond_group(p);
	} else if (is_word(p, "!")) {
		c = cond_new(p, COND_NOT);
		token_take(p);
		c->a = cond_term(p);
	} else if (op) {
		c = cond_unary(p, op);
	} else if (kind == T_WORD) {
		c = cond_binary(p);
	} else {
		if (!p->failed)
			cond_fail(p, "unexpected token `%s' in conditional command",
			          "unexpected token 284 in conditional command");
		c = NULL;
	}
	leave(p);
	return c;
}

static struct cond *cond_join(struct parser *p, unsigned kind, struct cond *a, struct cond *b)
{
	struct cond *c = cond_new(p, kind);

	c->a = a;
	c->b = b;
	return c;
}

static struct cond *cond_and(struct parser *p)
{
	struct cond *c = cond_term(p);

	while (!p->failed && token_peek(p) == T_ANDAND) {
		token_take(p);
		c = cond_join(p, COND_AND, c, cond_term(p));
	}
	return c;
}

static struct cond *cond_or(struct parser *p)
{
	struct cond *c = cond_and(p);

	while (!p->failed && token_peek(p) == T_OROR) {
		token_take(p);
		c = cond_join(p, COND_OR, c, cond_and(p));
	}
	return c;
}

struct cmd *parse_cond(struct parser *p, const char *start)
{
	struct cmd_cond *c = cmd_new(p, sizeof(*c), CMD_COND, start);

	p->context = LEX_COND;
	c->expr = cond_or(p);
	if (p->failed)
		return NULL;
	if (token_peek(p) != T_CONDEND) {
		if (p->tok.kind == T_EOF) {
			fail_at(p, start, c->cmd.line, "unexpected EOF while looking for `]]'");
			p->error.at_eof = true;
			return NULL;
		}
		cond_fail(p, "syntax error in conditional expression: unexpected token `%s'",
		          "syntax error in conditional expression");
		return NULL;
	}
	p->context = LEX_NORMAL;
	token_take(p);
	return &c->cmd;
}
