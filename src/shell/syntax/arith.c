/*
 * arith.c - arithmetic expressions, from text to tree.
 *
 * Precedence climbing over a tokenizer that looks one token ahead, as bash's does: which
 * token an error message shows depends on that. Where the text has expansions, each stands
 * in it as one HOLE byte; an expansion that is not an operand of its own (a$i, 10#$x, $x[1])
 * leaves the expression without a tree, to be parsed when its text is known.
 *
 * Binary operators of a chain make a tree that leans left, built in a loop: only nesting
 * recurses, and nesting is bounded.
 */
#include "syntax.h"

enum arith_token {
	A_END = AR_ASSIGN + 1,
	A_OPERAND_NUM,
	A_OPERAND_VAR,
	A_OPERAND_HOLE,
	A_LPAREN,
	A_RPAREN,
	A_QUESTION,
	A_COLON,
	A_NOT,
	A_COMPL,
	A_ASSIGN,
	A_PRE_INC,
	A_PRE_DEC,
	A_POST_INC,
	A_POST_DEC,
	A_OTHER,
};

struct reader {
	struct arena *arena;
	struct parser *parser; /* NULL at run time */
	struct str text;
	const char *at, *end;
	const char *last;  /* where the last token that was not the end began */
	uint8_t tok;       /* an arith_op for binary operators, or an arith_token */
	uint8_t assign_op; /* A_ASSIGN */
	bool after_var;    /* the token before was a variable */
	bool powers;       /* ** was among them */
	int64_t value;
	struct str name;
	struct subscript *sub;
	struct part **exps;   /* of the holes */
	uint32_t holes;       /* holes met */
	struct part **direct; /* those that are operands here, not in a subscript */
	uint32_t ndirect;
	uint32_t depth;
	uintptr_t stack_low;
	const char *error, *error_at;
	size_t error_size;
};

static struct arith_node *read_comma(struct reader *r);
static struct arith_node *read_assign(struct reader *r);

static void reject(struct reader *r, const char *message)
{
	if (r->error)
		return;
	r->error = message;
	r->error_at = r->last;
	r->error_size = (size_t)(r->end - r->last);
	r->tok = A_END;
}

static bool deeper(struct reader *r)
{
	if (r->depth < ARITH_DEPTH_MAX && (uintptr_t)__builtin_frame_address(0) > r->stack_low) {
		r->depth++;
		return true;
	}
	reject(r, "expression recursion level exceeded");
	return false;
}

/* ---- Subscripts in expressions ----------------------------------------------- */

static bool is_name(char c)
{
	return ascii_alnum((unsigned char)c) || c == '_';
}

/* An expression in a subscript, which is one level deeper. */
static struct arith *nested(struct reader *r, struct str text, struct word *w, struct part **exps,
                            uint32_t n)
{
	struct arith *a = arena_zalloc(r->arena, sizeof(*a));

	a->raw = a->text = text;
	a->word = w;
	a->exps = exps;
	a->nexps = n;
	return arith_from(r->arena, r->parser, a, r->depth, r->stack_low);
}

/* At the [ behind a name. False when it has no end. */
static bool read_subscript(struct reader *r)
{
	const char *from = r->at + 1, *to = from;
	uint32_t level = 0, hole = r->holes;
	struct subscript *sub = arena_zalloc(r->arena, sizeof(*sub));

	for (; to < r->end; to++) {
		if (*to == '[')
			level++;
		else if (*to == ']' && level-- == 0)
			break;
		else if (*to == HOLE && r->exps)
			r->holes++;
	}
	if (to == r->end || to == from) {
		r->last = to == from ? r->end : r->last;
		reject(r, "bad array subscript");
		return false;
	}
	sub->raw = (struct str){from, (size_t)(to - from)};
	sub->off = (uint32_t)(from - r->text.ptr);
	sub->kind = to - from == 1 && *from == '@'   ? SUB_AT
	            : to - from == 1 && *from == '*' ? SUB_STAR
	                                             : SUB_WORD;
	if (r->holes > hole)
		sub->word = arith_holed(r->arena, sub->raw, r->exps + hole);
	else
		sub->word = arith_literal(r->arena, sub->raw);
	if (sub->kind == SUB_WORD) {
		if (!deeper(r))
			return false;
		sub->arith = nested(r, sub->raw, r->holes > hole ? sub->word : NULL,
		                    r->holes > hole ? r->exps + hole : NULL, r->holes - hole);
		r->depth--;
	}
	r->sub = sub;
	r->at = to + 1;
	return true;
}

/* ---- Tokens ------------------------------------------------------------------ */

static bool is(const struct reader *r, size_t i, char c)
{
	return (size_t)(r->end - r->at) > i && r->at[i] == c;
}

static void read_name(struct reader *r)
{
	const char *from = r->at;

	while (r->at < r->end && is_name(*r->at))
		r->at++;
	r->name = (struct str){from, (size_t)(r->at - from)};
	r->sub = NULL;
	r->tok = A_OPERAND_VAR;
	if (r->at < r->end && *r->at == '[')
		read_subscript(r);
}

static void read_number(struct reader *r)
{
	const char *from = r->at, *error = NULL;
	struct str s;

	while (r->at < r->end && (is_name(*r->at) || *r->at == '#' || *r->at == '@'))
		r->at++;
	s = (struct str){from, (size_t)(r->at - from)};
	r->tok = A_OPERAND_NUM;
	if (!arith_number(s, &r->value, &error)) {
		reject(r, error);
		r->error_size = s.len;
	}
}

/* ++ and --: which of the three things they are. */
static bool read_step(struct reader *r, char c)
{
	const char *at = r->at + 2;

	if (!is(r, 0, c) || !is(r, 1, c))
		return false;
	if (r->after_var) {
		r->at += 2;
		r->tok = c == '+' ? A_POST_INC : A_POST_DEC;
		return true;
	}
	while (at < r->end && ascii_space((unsigned char)*at))
		at++;
	if (at == r->end || !is_name(*at) || ascii_digit(*at))
		return false;
	r->at += 2;
	r->tok = c == '+' ? A_PRE_INC : A_PRE_DEC;
	return true;
}

struct spelling {
	char text[4];
	uint8_t tok;
	bool assigns; /* may be followed by = */
};

/* Longer ones first. */
static const struct spelling spellings[] = {
        {"<<", AR_SHL, true},   {">>", AR_SHR, true},     {"**", AR_POW, false},
        {"<=", AR_LE, false},   {">=", AR_GE, false},     {"==", AR_EQ, false},
        {"!=", AR_NE, false},   {"&&", AR_AND, false},    {"||", AR_OR, false},
        {"*", AR_MUL, true},    {"/", AR_DIV, true},      {"%", AR_MOD, true},
        {"+", AR_ADD, true},    {"-", AR_SUB, true},      {"<", AR_LT, false},
        {">", AR_GT, false},    {"&", AR_BAND, true},     {"^", AR_BXOR, true},
        {"|", AR_BOR, true},    {",", AR_COMMA, false},   {"(", A_LPAREN, false},
        {")", A_RPAREN, false}, {"?", A_QUESTION, false}, {":", A_COLON, false},
        {"!", A_NOT, false},    {"~", A_COMPL, false},
};

static void read_operator(struct reader *r)
{
	for (size_t i = 0; i < COUNTOF(spellings); i++) {
		const struct spelling *s = &spellings[i];
		size_t n = s->text[1] ? 2 : 1;

		if (!is(r, 0, s->text[0]) || (n == 2 && !is(r, 1, s->text[1])))
			continue;
		r->tok = s->tok;
		if (s->assigns && is(r, n, '=')) {
			r->tok = A_ASSIGN;
			r->assign_op = s->tok;
			n++;
		}
		r->at += n;
		return;
	}
	if (is(r, 0, '=')) {
		r->tok = A_ASSIGN;
		r->assign_op = AR_NUM;
		r->at++;
		return;
	}
	r->tok = A_OTHER;
	r->at++;
}

static void next(struct reader *r)
{
	char c;

	if (r->error)
		return;
	r->after_var = r->tok == A_OPERAND_VAR;
	while (r->at < r->end && ascii_space((unsigned char)*r->at))
		r->at++;
	if (r->at == r->end) {
		r->tok = A_END;
		return;
	}
	r->last = r->at;
	c = *r->at;
	if (ascii_digit(c)) {
		read_number(r);
	} else if (is_name(c)) {
		read_name(r);
	} else if (c == HOLE && r->exps) {
		r->tok = A_OPERAND_HOLE;
		r->value = r->ndirect;
		r->direct[r->ndirect++] = r->exps[r->holes++];
		r->at++;
	} else if (!read_step(r, '+') && !read_step(r, '-')) {
		read_operator(r);
	}
}

/* ---- Grammar ----------------------------------------------------------------- */

static struct arith_node *node(struct reader *r, unsigned op, const char *at)
{
	struct arith_node *n = arena_zalloc(r->arena, sizeof(*n));

	n->op = (uint8_t)op;
	n->off = (uint32_t)(at - r->text.ptr);
	return n;
}

static struct arith_node *variable(struct reader *r)
{
	struct arith_node *n = node(r, AR_VAR, r->last);

	n->name = r->name;
	n->sub = r->sub;
	return n;
}

static struct arith_node *read_operand(struct reader *r)
{
	struct arith_node *n, *inner;

	switch (r->tok) {
	case A_OPERAND_NUM:
		n = node(r, AR_NUM, r->last);
		n->value = r->value;
		break;
	case A_OPERAND_HOLE:
		n = node(r, AR_EXPAND, r->last);
		n->slot = (uint32_t)r->value;
		break;
	case A_OPERAND_VAR:
		n = variable(r);
		next(r);
		if (r->tok != A_POST_INC && r->tok != A_POST_DEC)
			return n;
		inner = n;
		n = node(r, r->tok == A_POST_INC ? AR_POST_INC : AR_POST_DEC, r->last);
		n->a = inner;
		break;
	case A_LPAREN:
		next(r);
		n = read_comma(r);
		if (r->tok != A_RPAREN)
			reject(r, "missing `)'");
		break;
	default: reject(r, "syntax error: operand expected"); return NULL;
	}
	next(r);
	return n;
}

static struct arith_node *read_unary(struct reader *r)
{
	static const uint8_t ops[][2] = {
	        {AR_SUB, AR_NEG},    {AR_ADD, AR_POS},        {A_NOT, AR_NOT},
	        {A_COMPL, AR_COMPL}, {A_PRE_INC, AR_PRE_INC}, {A_PRE_DEC, AR_PRE_DEC},
	};
	struct arith_node *n;

	if (!deeper(r))
		return NULL;
	for (size_t i = 0; i < COUNTOF(ops); i++) {
		if (r->tok != ops[i][0])
			continue;
		n = node(r, ops[i][1], r->last);
		next(r);
		if (n->op == AR_PRE_INC || n->op == AR_PRE_DEC) {
			n->a = variable(r);
			next(r);
		} else {
			n->a = read_unary(r);
		}
		r->depth--;
		return n;
	}
	n = read_operand(r);
	r->depth--;
	return n;
}

/* Binding strength of a binary operator, 0 for what is none. */
static unsigned strength(unsigned tok)
{
	switch (tok) {
	case AR_OR: return 1;
	case AR_AND: return 2;
	case AR_BOR: return 3;
	case AR_BXOR: return 4;
	case AR_BAND: return 5;
	case AR_EQ:
	case AR_NE: return 6;
	case AR_LT:
	case AR_LE:
	case AR_GT:
	case AR_GE: return 7;
	case AR_SHL:
	case AR_SHR: return 8;
	case AR_ADD:
	case AR_SUB: return 9;
	case AR_MUL:
	case AR_DIV:
	case AR_MOD: return 10;
	case AR_POW: return 11;
	default: return 0;
	}
}

static struct arith_node *read_binary(struct reader *r, unsigned least)
{
	struct arith_node *left = NULL;

	if (!deeper(r))
		return NULL;
	left = read_unary(r);
	while (!r->error) {
		unsigned s = strength(r->tok);
		struct arith_node *n;

		if (!s || s < least)
			break;
		n = node(r, r->tok, r->at);
		next(r);
		if (r->tok != A_END)
			n->off = (uint32_t)(r->last - r->text.ptr);
		n->a = left;
		n->b = read_binary(r, n->op == AR_POW ? s : s + 1);
		if (n->op == AR_POW) {
			n->off = (uint32_t)(r->last - r->text.ptr);
			r->powers = true;
		}
		left = n;
	}
	r->depth--;
	return left;
}

static struct arith_node *read_cond(struct reader *r)
{
	struct arith_node *test = read_binary(r, 1), *n;

	if (r->error || r->tok != A_QUESTION)
		return test;
	if (!deeper(r))
		return NULL;
	n = node(r, AR_COND, r->last);
	n->a = test;
	next(r);
	if (r->tok == A_END || r->tok == A_COLON)
		reject(r, "expression expected");
	n->b = read_comma(r);
	if (r->tok != A_COLON)
		reject(r, "`:' expected for conditional expression");
	next(r);
	if (r->tok == A_END)
		reject(r, "expression expected");
	n->c = read_cond(r);
	r->depth--;
	return n;
}

static struct arith_node *read_assign(struct reader *r)
{
	struct arith_node *left = read_cond(r), *n;

	if (r->error || r->tok != A_ASSIGN)
		return left;
	if (left->op != AR_VAR) {
		reject(r, "attempted assignment to non-variable");
		return NULL;
	}
	if (!deeper(r))
		return NULL;
	n = node(r, AR_ASSIGN, r->at);
	n->assign_op = r->assign_op;
	next(r);
	if (r->tok != A_END)
		n->off = (uint32_t)(r->last - r->text.ptr);
	n->a = left;
	n->b = read_assign(r);
	r->depth--;
	return n;
}

static struct arith_node *read_comma(struct reader *r)
{
	struct arith_node *left;

	if (!deeper(r))
		return NULL;
	left = read_assign(r);
	while (!r->error && r->tok == AR_COMMA) {
		struct arith_node *n = node(r, AR_COMMA, r->last);

		next(r);
		n->a = left;
		n->b = read_assign(r);
		left = n;
	}
	r->depth--;
	return left;
}

/* ---- Whole expressions ------------------------------------------------------- */

static bool is_blank(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!ascii_space((unsigned char)s.ptr[i]))
			return false;
	return true;
}

/* True when every hole stands alone, so that its value is one operand. */
static bool holes_alone(struct str s, bool *after_sign)
{
	for (size_t i = 0; i < s.len; i++) {
		char before = i ? s.ptr[i - 1] : ' ', after = i + 1 < s.len ? s.ptr[i + 1] : ' ';

		if (s.ptr[i] != HOLE)
			continue;
		if (is_name(before) || before == '#' || before == '@' || before == HOLE ||
		    is_name(after) || after == '#' || after == '@' || after == '[' || after == HOLE)
			return false;
		if (before == '+' || before == '-')
			*after_sign = true;
	}
	return true;
}

/* The text of a->word with a hole for each expansion, which go to a->exps. */
static bool make_holes(struct arena *arena, struct arith *a, struct str *text)
{
	const struct word *w = a->word;
	size_t n = 0;
	char *to;

	for (uint32_t i = 0; i < w->nparts; i++)
		n += w->parts[i].kind == PART_QUOTED || w->parts[i].kind == PART_LIT
		             ? w->parts[i].text.len
		             : 1;
	text->ptr = to = arena_alloc(arena, n + 1);
	text->len = n;
	a->exps = arena_alloc(arena, (size_t)w->nparts * sizeof(*a->exps));
	a->nexps = 0;
	for (uint32_t i = 0; i < w->nparts; i++) {
		struct part *part = &w->parts[i];

		if (part->kind == PART_QUOTED || part->kind == PART_LIT) {
			if (!part->text.len)
				continue;
			if (memchr(part->text.ptr, HOLE, part->text.len))
				return false;
			memcpy(to, part->text.ptr, part->text.len);
			to += part->text.len;
		} else {
			*to++ = HOLE;
			a->exps[a->nexps++] = part;
		}
	}
	*to = '\0';
	return true;
}

struct arith *arith_from(struct arena *arena, struct parser *p, struct arith *a, uint32_t depth, uintptr_t stack_low)
{
	struct str text = a->text;
	struct reader r = {.arena = arena, .parser = p, .depth = depth, .stack_low = stack_low};
	struct arith_node *tree;

	if (a->word && !a->exps && !make_holes(arena, a, &text))
		return a;
	if (is_blank(text)) {
		a->blank = true;
		return a;
	}
	if (a->exps && !holes_alone(text, &a->after_sign))
		return a;
	r.text = text;
	r.at = r.last = text.ptr;
	r.end = text.ptr + text.len;
	r.exps = a->exps;
	if (a->exps)
		r.direct = arena_alloc(arena, a->nexps * sizeof(*r.direct));
	r.tok = A_OTHER;
	next(&r);
	tree = read_comma(&r);
	if (!r.error && r.tok != A_END)
		reject(&r, r.tok == A_OTHER ? "syntax error: invalid arithmetic operator"
		                            : "syntax error in expression");
	if (!r.error) {
		a->tree = tree;
		a->powers = r.powers;
		a->exps = r.direct;
		a->nexps = r.ndirect;
		return a;
	}
	if (!a->exps) {
		a->error = r.error;
		a->error_token = (struct str){r.error_at, r.error_size};
	}
	return a;
}

struct arith *make_arith(struct parser *p, struct str text, struct word *w, uint32_t off)
{
	struct arith *a = arena_zalloc(p->arena, sizeof(*a));

	a->raw = text;
	a->text = w && !(w->flags & WORD_EXPANDS) ? w->text : text;
	a->word = w && (w->flags & WORD_EXPANDS) ? w : NULL;
	a->off = off;
	a->line = w ? w->line : 0;
	return arith_from(p->arena, p, a, 0, p->stack_low);
}

struct arith *arith_parse(struct arena *arena, struct str text, size_t room)
{
	struct arith *a = arena_zalloc(arena, sizeof(*a));

	a->raw = a->text = text;
	return arith_from(arena, NULL, a, 0, (uintptr_t)__builtin_frame_address(0) - room);
}
