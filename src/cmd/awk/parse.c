/* parse.c - awk's grammar of expressions and statements: text to a tree, names resolved to slots while reading.
 *
 * A name used with ( directly after it is a function; a parameter of the function being read is
 * a local slot; everything else is global. Newlines are tokens; they are skipped where the
 * grammar allows it. "a > b" in an unparenthesised print is a redirection (no_gt), "a in b"
 * in the head of a for is not an expression (no_in). */
#include "lex.h"

/* ---- Nodes --------------------------------------------------------------------------------- */

static struct node *node(struct lexer *l, enum node_kind kind)
{
	struct node *n = u_zalloc(l->a->p, sizeof(*n));

	n->kind = (uint8_t)kind;
	n->line = l->line;
	return n;
}

static struct node *binary(struct lexer *l, enum node_kind kind, int op, struct node *x, struct node *y)
{
	struct node *n = node(l, kind);

	n->op = (uint8_t)op;
	n->a = x;
	n->b = y;
	n->pure = x->pure && (!y || y->pure) && kind != N_ASSIGN && kind != N_INCDEC;
	/* A division may end the program. */
	n->pure &= !(kind == N_BINARY && (op == '/' || op == '%') && y->kind != N_NUM);
	return n;
}

static void add(struct lexer *l, struct node *to, struct node *n)
{
	/* Powers of two grow the list. */
	if ((to->n & (to->n - 1)) == 0)
		to->list = arena_grow(&sys_self(l->a->p)->arena, to->list, to->n * sizeof(*to->list),
				      (to->n ? (size_t)to->n * 2 : 1) * sizeof(*to->list));
	to->list[to->n++] = n;
}

static void nest(struct lexer *l)
{
	if (!sys_stack(l->a->p, 16384))
		lex_fail(l, "nested too deeply");
}

uint32_t awk_global(struct awk *a, const char *name, size_t n)
{
	struct arena *arena = &sys_self(a->p)->arena;

	for (uint32_t i = 0; i < a->nglobals; i++)
		if (a->global_len[i] == n && memcmp(a->global_name[i], name, n) == 0)
			return i;
	if (a->nglobals == a->globals_cap) {
		uint32_t cap = a->globals_cap ? a->globals_cap * 2 : 64;

		a->global = arena_grow(arena, a->global, a->globals_cap * sizeof(*a->global), cap * sizeof(*a->global));
		a->global_name = arena_grow(arena, a->global_name, a->globals_cap * sizeof(char *), cap * sizeof(char *));
		a->global_len = arena_grow(arena, a->global_len, a->globals_cap * sizeof(size_t), cap * sizeof(size_t));
		a->globals_cap = cap;
	}
	a->global[a->nglobals] = (struct slot){0};
	a->global_name[a->nglobals] = u_strndup(a->p, name, n);
	a->global_len[a->nglobals] = n;
	return a->nglobals++;
}

uint32_t parse_function_name(struct lexer *l, struct str name)
{
	struct awk *a = l->a;

	for (uint32_t i = 0; i < a->nfunctions; i++)
		if (a->function[i].len == name.len && memcmp(a->function[i].name, name.ptr, name.len) == 0)
			return i;
	if (a->nfunctions == a->functions_cap) {
		uint32_t cap = a->functions_cap ? a->functions_cap * 2 : 16;

		a->function = arena_grow(&sys_self(a->p)->arena, a->function, a->functions_cap * sizeof(*a->function), cap * sizeof(*a->function));
		a->functions_cap = cap;
	}
	a->function[a->nfunctions] = (struct function){.name = u_strndup(a->p, name.ptr, name.len), .len = name.len};
	return a->nfunctions++;
}

static struct node *name_node(struct lexer *l, struct str name)
{
	struct node *n;

	for (uint32_t i = 0; i < l->nparams; i++)
		if (str_eq(l->param[i], name)) {
			n = node(l, N_LOCAL);
			n->slot = i;
			n->pure = true;
			return n;
		}
	n = node(l, N_GLOBAL);
	n->slot = awk_global(l->a, name.ptr, name.len);
	n->pure = true;
	return n;
}

/* ---- Expressions ------------------------------------------------------------------------------ */

static struct node *ternary(struct lexer *l);
static struct node *unary(struct lexer *l);
static struct node *power(struct lexer *l);
static struct node *concatenation(struct lexer *l);

static struct node *regex_node(struct lexer *l)
{
	struct node *n = node(l, N_REGEX);

	n->value = (struct cell){.type = CELL_STR, .str = astr_new(l->a, l->text.ptr, l->text.len)};
	n->pure = true;
	/* Now, so that a mistake in it is told before anything runs. */
	l->a->line = l->line;
	(void)dynamic_for(l->a, &n->regex, l->text.ptr, l->text.len);
	return n;
}

/* Up to the closing parenthesis, which stays the token. */
static void arguments(struct lexer *l, struct node *n)
{
	bool gt = l->no_gt, in = l->no_in;

	l->no_gt = l->no_in = false;
	lex_skip_newlines(l);
	if (l->tok != TC(')')) {
		do {
			lex_skip_newlines(l);
			add(l, n, parse_expression(l));
			lex_skip_newlines(l);
		} while (lex_accept(l, TC(',')));
	}
	l->no_gt = gt;
	l->no_in = in;
	if (l->tok != TC(')'))
		lex_error(l);
}

static struct node *builtin_call(struct lexer *l)
{
	static const struct {
		uint8_t min, max;
	} counts[] = {
		[B_LENGTH] = {0, 1}, [B_SUBSTR] = {2, 3}, [B_INDEX] = {2, 2}, [B_SPLIT] = {2, 4}, [B_SUB] = {2, 3}, [B_GSUB] = {2, 3},
		[B_GENSUB] = {3, 4}, [B_MATCH] = {2, 3}, [B_SPRINTF] = {1, 255}, [B_SIN] = {1, 1}, [B_COS] = {1, 1}, [B_ATAN2] = {2, 2},
		[B_EXP] = {1, 1}, [B_LOG] = {1, 1}, [B_SQRT] = {1, 1}, [B_INT] = {1, 1}, [B_RAND] = {0, 0}, [B_SRAND] = {0, 1},
		[B_TOLOWER] = {1, 1}, [B_TOUPPER] = {1, 1}, [B_SYSTEM] = {1, 1}, [B_CLOSE] = {1, 2}, [B_FFLUSH] = {0, 1}, [B_STRFTIME] = {0, 3},
		[B_SYSTIME] = {0, 0}, [B_MKTIME] = {1, 2}, [B_STRTONUM] = {1, 1}, [B_AND] = {2, 255}, [B_OR] = {2, 255}, [B_XOR] = {2, 255},
		[B_LSHIFT] = {2, 2}, [B_RSHIFT] = {2, 2}, [B_COMPL] = {1, 1}, [B_ASORT] = {1, 2}, [B_ASORTI] = {1, 2}, [B_PATSPLIT] = {2, 4},
		[B_TYPEOF] = {1, 1}, [B_ISARRAY] = {1, 1},
	};
	struct node *n = node(l, N_BUILTIN);
	struct str name = l->text;

	n->op = (uint8_t)l->builtin;
	lex_next(l);
	bool listed = lex_accept(l, TC('('));

	if (listed)
		arguments(l, n);
	else if (n->op != B_LENGTH)
		lex_error(l);
	l->a->line = l->line;
	if (n->op == B_SPRINTF && !n->n)
		awk_die(l->a, "sprintf: no arguments");
	if ((n->op == B_AND || n->op == B_OR || n->op == B_XOR) && n->n < 2)
		awk_die(l->a, "%.*s: called with less than two arguments", (int)name.len, name.ptr);
	if (n->n < counts[n->op].min || n->n > counts[n->op].max)
		lex_fail(l, u_format(l->a->p, "%u is invalid as number of arguments for %.*s", n->n, (int)name.len, name.ptr));
	if (listed)
		lex_next(l);
	n->pure = n->op == B_LENGTH || n->op == B_SUBSTR || n->op == B_INDEX || n->op == B_TOLOWER || n->op == B_TOUPPER || n->op == B_INT;
	for (uint32_t i = 0; i < n->n; i++)
		n->pure = n->pure && n->list[i]->pure;
	return n;
}

static struct node *subscripts(struct lexer *l, struct node *name)
{
	bool gt = l->no_gt, in = l->no_in;

	l->no_gt = l->no_in = false;
	while (l->tok == TC('[')) {
		struct node *n = node(l, N_INDEX);

		lex_next(l);
		n->a = name;
		lex_skip_newlines(l);
		do {
			lex_skip_newlines(l);
			add(l, n, parse_expression(l));
			lex_skip_newlines(l);
		} while (lex_accept(l, TC(',')));
		lex_expect(l, TC(']'));
		name = n;	/* reading an element makes it: not pure */
	}
	l->no_gt = gt;
	l->no_in = in;
	return name;
}

static bool is_lvalue(const struct node *n)
{
	return n->kind == N_GLOBAL || n->kind == N_LOCAL || n->kind == N_FIELD || n->kind == N_INDEX;
}

/* (a, b) in c, or a parenthesised expression; the ( was read. */
static struct node *grouping(struct lexer *l)
{
	bool gt = l->no_gt, in = l->no_in;
	struct node *n, *g;

	nest(l);
	l->no_gt = l->no_in = false;
	lex_skip_newlines(l);
	n = parse_expression(l);
	lex_skip_newlines(l);
	if (l->tok == TC(',')) {
		struct node *list = node(l, N_INDEX);

		add(l, list, n);
		while (lex_accept(l, TC(','))) {
			lex_skip_newlines(l);
			add(l, list, parse_expression(l));
			lex_skip_newlines(l);
		}
		lex_expect(l, TC(')'));
		l->no_gt = gt;
		l->no_in = in;
		if (l->tok != T_IN) {
			/* print (a, b) > "file": the caller takes the list. */
			g = node(l, N_GROUP);
			g->list = list->list;
			g->n = list->n;
			return g;
		}
		lex_next(l);
		if (l->tok != T_NAME)
			lex_error(l);
		list->kind = N_IN;
		list->a = name_node(l, l->text);
		lex_next(l);
		return list;
	}
	lex_expect(l, TC(')'));
	l->no_gt = gt;
	l->no_in = in;
	g = node(l, N_GROUP);
	g->a = n;
	g->pure = n->pure;
	return g;
}

/* x++; the operator is the token in hand. */
static struct node *incremented(struct lexer *l, struct node *x)
{
	struct node *n = binary(l, N_INCDEC, l->tok == T_INC ? '+' : '-', x, NULL);

	n->post = true;
	lex_next(l);
	return n;
}

static struct node *primary(struct lexer *l)
{
	struct node *n;

	switch (l->tok) {
	case T_NUMBER:
		n = node(l, N_NUM);
		n->value = (struct cell){.type = CELL_NUM, .has_num = true, .num = l->number};
		n->pure = true;
		lex_next(l);
		return n;
	case T_STRING:
		n = node(l, N_STR);
		n->value = (struct cell){.type = CELL_STR, .str = astr_new(l->a, l->text.ptr, l->text.len)};
		n->pure = true;
		lex_next(l);
		return n;
	case TC('/'):
	case T_DIV_ASSIGN:
		if (l->tok == T_DIV_ASSIGN)
			l->s--;	/* the = belongs to the expression */
		lex_regex(l);
		n = regex_node(l);
		lex_next(l);
		return n;
	case TC('('): lex_next(l); return grouping(l);
	case TC('$'): {
		nest(l);
		lex_next(l);
		n = node(l, N_FIELD);
		if (l->tok == T_INC || l->tok == T_DEC) {
			n->a = unary(l);
		} else if (l->tok == TC('-') || l->tok == TC('+') || l->tok == TC('!')) {
			n->a = unary(l);
		} else {
			n->a = primary(l);
			/* $$i++ is $($i++) */
			if (n->a->kind == N_FIELD && (l->tok == T_INC || l->tok == T_DEC))
				n->a = incremented(l, n->a);
		}
		n->pure = n->a->pure;
		return n;
	}
	case T_BUILTIN: return builtin_call(l);
	case T_FUNC_NAME: {
		n = node(l, N_CALL);
		n->slot = parse_function_name(l, l->text);
		lex_next(l);
		lex_next(l);
		arguments(l, n);
		lex_next(l);
		return n;
	}
	case T_NAME: {
		struct str name = l->text;

		lex_next(l);
		return subscripts(l, name_node(l, name));
	}
	default: lex_error(l);
	}
}

/* getline [lvalue] [< file] */
static struct node *simple_getline(struct lexer *l)
{
	struct node *n = node(l, N_GETLINE);

	lex_next(l);
	n->op = ' ';
	if (l->tok == TC('$') || l->tok == T_NAME)
		n->b = primary(l);
	if (l->tok == TC('<')) {
		lex_next(l);
		n->op = '<';
		n->a = primary(l);
		/* getline < "a" "b" is (getline < "a") "b". */
	}
	return n;
}

static struct node *postfix(struct lexer *l)
{
	struct node *n = l->tok == T_GETLINE ? simple_getline(l) : primary(l);

	return is_lvalue(n) && (l->tok == T_INC || l->tok == T_DEC) ? incremented(l, n) : n;
}

/* The operators of one strength and up, after a first operand that was read. */
static struct node *power_after(struct lexer *l, struct node *n)
{
	if (l->tok == T_POW) {
		struct node *r;

		nest(l);
		lex_next(l);
		/* Right-associative, and -x as exponent is allowed. */
		if (l->tok == TC('-') || l->tok == TC('+') || l->tok == TC('!'))
			r = unary(l);
		else
			r = power(l);
		return binary(l, N_BINARY, '^', n, r);
	}
	return n;
}

static struct node *power(struct lexer *l)
{
	return power_after(l, postfix(l));
}

static struct node *unary(struct lexer *l)
{
	struct node *n;

	nest(l);
	if (l->tok == TC('!')) {
		lex_next(l);
		n = binary(l, N_NOT, 0, unary(l), NULL);
	} else if (l->tok == TC('-') || l->tok == TC('+')) {
		enum node_kind k = l->tok == TC('-') ? N_NEG : N_PLUS;

		lex_next(l);
		n = binary(l, k, 0, unary(l), NULL);
	} else if (l->tok == T_INC || l->tok == T_DEC) {
		int op = l->tok == T_INC ? '+' : '-';

		lex_next(l);
		n = primary(l);
		if (!is_lvalue(n))
			lex_error(l);
		n = binary(l, N_INCDEC, op, n, NULL);
	} else {
		n = power(l);
	}
	return n;
}

static struct node *product_after(struct lexer *l, struct node *n)
{
	while (l->tok == TC('*') || l->tok == TC('/') || l->tok == TC('%')) {
		int op = l->tok - T_CHARS;

		lex_next(l);
		n = binary(l, N_BINARY, op, n, unary(l));
	}
	return n;
}

static struct node *product(struct lexer *l)
{
	return product_after(l, unary(l));
}

static struct node *sum_after(struct lexer *l, struct node *n)
{
	while (l->tok == TC('+') || l->tok == TC('-')) {
		int op = l->tok - T_CHARS;

		lex_next(l);
		n = binary(l, N_BINARY, op, n, product(l));
	}
	return n;
}

static struct node *sum(struct lexer *l)
{
	return sum_after(l, product(l));
}

static bool starts_operand(struct lexer *l)
{
	switch (l->tok) {
	case T_NUMBER: case T_STRING: case T_NAME: case T_FUNC_NAME: case T_BUILTIN: case T_INC: case T_DEC: return true;
	default: return l->tok == TC('$') || l->tok == TC('(') || l->tok == TC('!') || l->tok == TC('-') || l->tok == TC('+');
	}
}

static struct node *concatenation_after(struct lexer *l, struct node *n)
{
	struct node *c = NULL;

	while (starts_operand(l)) {
		if (!c) {
			c = node(l, N_CONCAT);
			add(l, c, n);
			c->pure = n->pure;
			n = c;
		}
		add(l, c, sum(l));
		c->pure = c->pure && c->list[c->n - 1]->pure;
	}
	return n;
}

static struct node *concatenation(struct lexer *l)
{
	return concatenation_after(l, sum(l));
}

/* cmd | getline [lvalue], any number of times; what follows has it as its first operand. */
static struct node *piped(struct lexer *l)
{
	struct node *n = concatenation(l);

	while (l->tok == TC('|') || l->tok == T_PIPE_AND) {
		const char *s = l->s;

		/* Only when a getline follows; else it is print's pipe. */
		while (s < l->end && (*s == ' ' || *s == '\t'))
			s++;
		if (l->end - s < 7 || memcmp(s, "getline", 7) != 0 || (l->end - s > 7 && (ascii_alnum(s[7]) || s[7] == '_')))
			break;
		if (l->tok == T_PIPE_AND)
			lex_fail(l, "coprocesses (|&) are not supported");
		lex_next(l);
		struct node *g = simple_getline(l);

		if (g->op == '<')
			lex_error(l);
		g->op = '|';
		g->a = n;
		n = concatenation_after(l, sum_after(l, product_after(l, power_after(l, g))));
	}
	return n;
}

static struct node *comparison(struct lexer *l)
{
	struct node *n = piped(l);

	for (;;) {
		int op;

		switch (l->tok) {
		case TC('<'): op = '<'; break;
		case T_LE: op = 'l'; break;
		case T_EQ: op = '='; break;
		case T_NE: op = '!'; break;
		case T_GE: op = 'g'; break;
		case TC('>'):
			if (l->no_gt)
				return n;
			op = '>';
			break;
		default: return n;
		}
		lex_next(l);
		n = binary(l, N_COMPARE, op, n, piped(l));
	}
}

static struct node *matching(struct lexer *l)
{
	struct node *n = comparison(l);

	while (l->tok == TC('~') || l->tok == T_NO_MATCH) {
		int op = l->tok == TC('~') ? '~' : '!';

		lex_next(l);
		n = binary(l, N_MATCH, op, n, comparison(l));
	}
	return n;
}

static struct node *membership(struct lexer *l)
{
	struct node *n = matching(l);

	while (l->tok == T_IN && !l->no_in) {
		struct node *in = node(l, N_IN);

		lex_next(l);
		if (l->tok != T_NAME)
			lex_error(l);
		add(l, in, n);
		struct str name = l->text;

		lex_next(l);
		in->a = subscripts(l, name_node(l, name));
		n = in;
	}
	return n;
}

static struct node *conjunction(struct lexer *l)
{
	struct node *n = membership(l);

	while (l->tok == T_AND) {
		lex_next(l);
		lex_skip_newlines(l);
		n = binary(l, N_AND, 0, n, membership(l));
	}
	return n;
}

static struct node *disjunction(struct lexer *l)
{
	struct node *n = conjunction(l);

	while (l->tok == T_OR) {
		lex_next(l);
		lex_skip_newlines(l);
		n = binary(l, N_OR, 0, n, conjunction(l));
	}
	return n;
}

static struct node *ternary(struct lexer *l)
{
	struct node *n = disjunction(l);

	if (l->tok == TC('?')) {
		struct node *c = node(l, N_COND);

		nest(l);
		lex_next(l);
		lex_skip_newlines(l);
		c->a = n;
		c->b = parse_expression(l);
		lex_skip_newlines(l);
		lex_expect(l, TC(':'));
		lex_skip_newlines(l);
		c->c = parse_expression(l);
		c->pure = n->pure && c->b->pure && c->c->pure;
		return c;
	}
	return n;
}

/* The lvalue at the right end of an expression such as !x or a < x, for "!x = y": awk's grammar
 * lets an assignment take it. */
static struct node **right_lvalue(struct node **at)
{
	for (;;) {
		struct node *n = *at;

		if (is_lvalue(n))
			return at;
		switch (n->kind) {
		case N_NOT: case N_NEG: case N_PLUS: at = &n->a; break;
		case N_AND: case N_OR: case N_COMPARE: case N_MATCH: case N_BINARY: at = &n->b; break;
		case N_COND: at = &n->c; break;
		case N_CONCAT: at = &n->list[n->n - 1]; break;
		default: return NULL;
		}
	}
}

struct node *parse_expression(struct lexer *l)
{
	struct node *n, **target, *as;
	int op;

	nest(l);
	n = ternary(l);
	switch (l->tok) {
	case TC('='): op = '='; break;
	case T_ADD_ASSIGN: op = '+'; break;
	case T_SUB_ASSIGN: op = '-'; break;
	case T_MUL_ASSIGN: op = '*'; break;
	case T_DIV_ASSIGN: op = '/'; break;
	case T_MOD_ASSIGN: op = '%'; break;
	case T_POW_ASSIGN: op = '^'; break;
	default: return n;
	}
	target = right_lvalue(&n);
	if (!target)
		lex_error(l);
	lex_next(l);
	lex_skip_newlines(l);
	as = node(l, N_ASSIGN);
	as->op = (uint8_t)op;
	as->a = *target;
	as->b = parse_expression(l);
	*target = as;
	n->pure = false;
	return n;
}

/* ---- Statements ----------------------------------------------------------------------------------- */

static struct node *statement(struct lexer *l);
static struct node *simple_statement(struct lexer *l);

static void end_statement(struct lexer *l)
{
	if (l->tok == T_NEWLINE || l->tok == TC(';')) {
		lex_next(l);
		return;
	}
	if (l->tok != TC('}') && l->tok != T_EOF)
		lex_error(l);
}

static struct node *print_statement(struct lexer *l)
{
	struct node *n = node(l, l->tok == T_PRINT ? N_PRINT : N_PRINTF);

	lex_next(l);
	l->no_gt = true;
	if (l->tok != T_NEWLINE && l->tok != TC(';') && l->tok != TC('}') && l->tok != TC('>') && l->tok != T_APPEND && l->tok != TC('|') &&
	    l->tok != T_EOF) {
		do {
			lex_skip_newlines(l);
			add(l, n, parse_expression(l));
		} while (lex_accept(l, TC(',')));
		/* print (a, b) */
		if (n->n == 1 && n->list[0]->kind == N_GROUP && !n->list[0]->a) {
			struct node *g = n->list[0];

			n->list = g->list;
			n->n = g->n;
		}
	}
	for (uint32_t i = 0; i < n->n; i++)
		if (n->list[i]->kind == N_GROUP && !n->list[i]->a)
			lex_error(l);
	if (n->kind == N_PRINTF && n->n == 0)
		lex_fail(l, "syntax error");
	if (l->tok == TC('>') || l->tok == T_APPEND || l->tok == TC('|')) {
		n->op = l->tok == TC('>') ? '>' : l->tok == T_APPEND ? 'a' : '|';
		lex_next(l);
		n->a = concatenation(l);
	} else if (l->tok == T_PIPE_AND) {
		lex_fail(l, "coprocesses (|&) are not supported");
	}
	l->no_gt = false;
	return n;
}

/* A statement that is the body of if, while or for: newlines may come first. */
static struct node *body(struct lexer *l)
{
	lex_skip_newlines(l);
	if (l->tok == TC(';')) {
		lex_next(l);
		return node(l, N_BLOCK);
	}
	return statement(l);
}

static struct node *loop_body(struct lexer *l)
{
	bool was = l->in_loop;
	struct node *n;

	l->in_loop = true;
	n = body(l);
	l->in_loop = was;
	return n;
}

static struct node *if_statement(struct lexer *l)
{
	struct node *n = node(l, N_IF);
	const char *s;
	uint32_t line;

	lex_next(l);
	lex_expect(l, TC('('));
	n->a = parse_expression(l);
	lex_skip_newlines(l);
	lex_expect(l, TC(')'));
	n->b = body(l);
	/* An else may follow after newlines and a semicolon; else they are given back. */
	for (;;) {
		if (l->tok == T_ELSE) {
			lex_next(l);
			n->c = body(l);
			return n;
		}
		if (l->tok != T_NEWLINE && l->tok != TC(';'))
			return n;
		s = l->s;
		line = l->line;
		struct lexer look = *l;

		while (look.tok == T_NEWLINE || look.tok == TC(';'))
			lex_next(&look);
		if (look.tok != T_ELSE) {
			(void)s;
			(void)line;
			return n;
		}
		*l = look;
	}
}

/* What may stand before and after the condition of a for. */
static struct node *for_part(struct lexer *l)
{
	struct node *n;

	if (l->tok == T_PRINT || l->tok == T_PRINTF || l->tok == T_DELETE)
		return simple_statement(l);
	n = node(l, N_EXPR);
	n->a = parse_expression(l);
	return n;
}

static struct node *for_statement(struct lexer *l)
{
	struct node *n = node(l, N_FOR);

	lex_next(l);
	lex_expect(l, TC('('));
	if (l->tok == T_NAME) {
		struct lexer look = *l;
		struct str name = look.text;

		lex_next(&look);
		if (look.tok == T_IN) {
			lex_next(&look);
			if (look.tok == T_NAME) {
				struct str array = look.text;

				lex_next(&look);
				if (look.tok == TC(')') || look.tok == TC('[')) {
					*l = look;
					n->kind = N_FORIN;
					n->a = name_node(l, name);
					n->b = subscripts(l, name_node(l, array));
					lex_expect(l, TC(')'));
					n->d = loop_body(l);
					return n;
				}
			}
		}
	}
	if (l->tok != TC(';'))
		n->a = for_part(l);
	lex_expect(l, TC(';'));
	lex_skip_newlines(l);
	if (l->tok != TC(';'))
		n->b = parse_expression(l);
	lex_expect(l, TC(';'));
	lex_skip_newlines(l);
	if (l->tok != TC(')'))
		n->c = for_part(l);
	lex_expect(l, TC(')'));
	n->d = loop_body(l);
	return n;
}

static struct node *switch_statement(struct lexer *l)
{
	struct node *n = node(l, N_SWITCH);
	bool was = l->in_loop;

	lex_next(l);
	lex_expect(l, TC('('));
	n->a = parse_expression(l);
	lex_expect(l, TC(')'));
	lex_skip_newlines(l);
	lex_expect(l, TC('{'));
	l->in_loop = true;
	lex_skip_newlines(l);
	while (l->tok == T_CASE || l->tok == T_DEFAULT) {
		struct node *c = node(l, N_CASE);

		if (l->tok == T_CASE) {
			lex_next(l);
			c->a = primary(l);
			if (c->a->kind != N_NUM && c->a->kind != N_STR && c->a->kind != N_REGEX)
				lex_error(l);
		} else {
			lex_next(l);
		}
		lex_expect(l, TC(':'));
		for (;;) {
			while (l->tok == T_NEWLINE || l->tok == TC(';'))
				lex_next(l);
			if (l->tok == T_CASE || l->tok == T_DEFAULT || l->tok == TC('}'))
				break;
			add(l, c, statement(l));
		}
		add(l, n, c);
	}
	l->in_loop = was;
	lex_expect(l, TC('}'));
	return n;
}

static struct node *simple_statement(struct lexer *l)
{
	struct node *n;

	switch (l->tok) {
	case T_PRINT:
	case T_PRINTF: return print_statement(l);
	case T_NEXT:
	case T_NEXTFILE: {
		bool next = l->tok == T_NEXT;

		if (!l->in_function && l->rule_kind < RULE_PATTERN && (next || l->rule_kind != RULE_BEGINFILE))
			lex_wrong(l, u_format(l->a->p, "`%s' used in %s action", next ? "next" : "nextfile", awk_rule_name(l->rule_kind)));
		n = node(l, next ? N_NEXT : N_NEXTFILE);
		break;
	}
	case T_BREAK:
	case T_CONTINUE:
		if (!l->in_loop)
			lex_wrong(l, l->tok == T_BREAK ? "`break' is not allowed outside a loop or switch" : "`continue' is not allowed outside a loop");
		n = node(l, l->tok == T_BREAK ? N_BREAK : N_CONTINUE);
		break;
	case T_EXIT:
	case T_RETURN:
		if (l->tok == T_RETURN && !l->in_function)
			lex_fail(l, "`return' used outside function context");
		n = node(l, l->tok == T_EXIT ? N_EXIT : N_RETURN);
		lex_next(l);
		if (l->tok != T_NEWLINE && l->tok != TC(';') && l->tok != TC('}') && l->tok != T_EOF)
			n->a = parse_expression(l);
		return n;
	case T_DELETE:
		n = node(l, N_DELETE);
		lex_next(l);
		if (l->tok != T_NAME)
			lex_error(l);
		n->a = primary(l);
		return n;
	default:
		n = node(l, N_EXPR);
		n->a = parse_expression(l);
		if (n->a->kind == N_GROUP && !n->a->a)
			lex_error(l);
		return n;
	}
	lex_next(l);
	return n;
}

static struct node *statement(struct lexer *l)
{
	struct node *n;

	nest(l);
	switch (l->tok) {
	case TC('{'): n = parse_block(l); break;
	case T_IF: n = if_statement(l); break;
	case T_WHILE:
		n = node(l, N_WHILE);
		lex_next(l);
		lex_expect(l, TC('('));
		n->a = parse_expression(l);
		lex_skip_newlines(l);
		lex_expect(l, TC(')'));
		if (l->tok == TC(';')) {
			lex_next(l);
			n->b = node(l, N_BLOCK);
		} else {
			n->b = loop_body(l);
		}
		break;
	case T_DO:
		n = node(l, N_DO);
		lex_next(l);
		n->b = loop_body(l);
		while (l->tok == T_NEWLINE || l->tok == TC(';'))
			lex_next(l);
		lex_expect(l, T_WHILE);
		lex_expect(l, TC('('));
		n->a = parse_expression(l);
		lex_expect(l, TC(')'));
		end_statement(l);
		break;
	case T_FOR: n = for_statement(l); break;
	case T_SWITCH: n = switch_statement(l); break;
	case TC(';'):
		lex_next(l);
		n = node(l, N_BLOCK);
		break;
	default:
		n = simple_statement(l);
		end_statement(l);
		break;
	}
	return n;
}

struct node *parse_block(struct lexer *l)
{
	struct node *n = node(l, N_BLOCK);

	lex_expect(l, TC('{'));
	for (;;) {
		while (l->tok == T_NEWLINE || l->tok == TC(';'))
			lex_next(l);
		if (l->tok == TC('}') || l->tok == T_EOF)
			break;
		add(l, n, statement(l));
	}
	lex_expect(l, TC('}'));
	return n;
}
