/* parse.c - bc's grammar. */
#include "bc.h"

struct bc_name *bc_name(struct bc *b, const char *s, size_t n)
{
	uint32_t h = 0;
	struct bc_name *e;

	for (size_t i = 0; i < n; i++)
		h = h * 31 + (unsigned char)s[i];
	for (e = b->names[h % 64]; e; e = e->next) {
		if (strlen(e->text) == n && memcmp(e->text, s, n) == 0)
			return e;
	}
	e = u_zalloc(b->p, sizeof(*e));
	e->text = u_strndup(b->p, s, n);
	e->next = b->names[h % 64];
	b->names[h % 64] = e;
	return e;
}

static struct bc_node *node(struct bc *b, enum bc_kind kind, struct bc_node *x, struct bc_node *y)
{
	struct bc_node *n = u_zalloc(b->p, sizeof(*n));

	n->kind = kind;
	n->a = x;
	n->b = y;
	return n;
}

static struct bc_node *wrong(struct bc *b)
{
	if (!b->bad && b->token < 256 && b->token > ' ' && !strchr("()[]{};,+-*/%^=<>!&|", b->token))
		b->illegal = b->token;
	b->bad = true;
	return node(b, BC_EMPTY, NULL, NULL);
}

static bool accept(struct bc *b, int token)
{
	if (b->token != token || b->bad)
		return false;
	bc_next(b);
	return true;
}

static void expect(struct bc *b, int token)
{
	if (!accept(b, token))
		wrong(b);
}

static struct bc_node *expression(struct bc *b);

static struct bc_node *arguments(struct bc *b)
{
	struct bc_node *first = NULL, **at = &first;

	if (accept(b, ')'))
		return NULL;
	do {
		struct bc_node *e = expression(b);

		*at = e;
		at = &e->next;
	} while (accept(b, ','));
	expect(b, ')');
	return first;
}

static struct bc_node *named(struct bc *b)
{
	struct bc_node *n = node(b, BC_VAR, NULL, NULL);

	n->name = bc_name(b, b->word, b->word_len);
	bc_next(b);
	if (accept(b, '[')) {
		if (accept(b, ']')) {
			n->kind = BC_ARRAY_ARG;
			return n;
		}
		n->kind = BC_ELEMENT;
		n->a = expression(b);
		expect(b, ']');
	} else if (accept(b, '(')) {
		n->kind = BC_CALL;
		n->a = arguments(b);
	}
	return n;
}

static struct bc_node *builtin(struct bc *b)
{
	static const struct {
		const char *name;
		enum bc_kind kind;
	} calls[] = {{"length", BC_LENGTH}, {"sqrt", BC_SQRT}, {"scale", BC_SCALE}, {"read", BC_READ}};
	bool scale = bc_is_word(b, "scale");

	for (size_t i = 0; i < COUNTOF(calls); i++) {
		struct bc_node *n;

		if (!bc_is_word(b, calls[i].name))
			continue;
		bc_next(b);
		if (scale && b->token != '(') {
			n = node(b, BC_VAR, NULL, NULL);
			n->name = b->scale;
			return n;
		}
		expect(b, '(');
		n = node(b, calls[i].kind, NULL, NULL);
		if (n->kind != BC_READ)
			n->a = expression(b);
		expect(b, ')');
		return n;
	}
	if (bc_is_word(b, "ibase") || bc_is_word(b, "obase") || bc_is_word(b, "last"))
		return named(b);
	return wrong(b);
}

static bool is_lvalue(const struct bc_node *n)
{
	return n->kind == BC_VAR || n->kind == BC_ELEMENT;
}

static struct bc_node *primary(struct bc *b)
{
	struct bc_node *n;

	if (b->bad)
		return wrong(b);
	switch (b->token) {
	case T_NUMBER:
		n = node(b, BC_NUMBER, NULL, NULL);
		n->text = b->word;
		n->len = b->word_len;
		bc_next(b);
		return n;
	case '(':
		bc_next(b);
		n = expression(b);
		expect(b, ')');
		n = node(b, BC_NEGATE, n, NULL);
		n->op = '(';
		return n;
	case '-':
		bc_next(b);
		n = node(b, BC_NEGATE, primary(b), NULL);
		n->op = '-';
		return n;
	case T_STEP:
		n = node(b, BC_STEP_BEFORE, NULL, NULL);
		n->op = *b->word;
		bc_next(b);
		n->a = primary(b);
		return is_lvalue(n->a) ? n : wrong(b);
	case T_NAME: n = named(b); break;
	case T_KEYWORD: n = builtin(b); break;
	default: return wrong(b);
	}
	if (b->token == T_STEP && is_lvalue(n)) {
		n = node(b, BC_STEP_AFTER, n, NULL);
		n->op = *b->word;
		bc_next(b);
	}
	return n;
}

static struct bc_node *power(struct bc *b)
{
	struct bc_node *n = primary(b);

	if (b->token == '^') {
		bc_next(b);
		n = node(b, BC_BINARY, n, power(b));
		n->op = '^';
	}
	return n;
}

static struct bc_node *product(struct bc *b)
{
	struct bc_node *n = power(b);

	while (b->token == '*' || b->token == '/' || b->token == '%') {
		int op = b->token;

		bc_next(b);
		n = node(b, BC_BINARY, n, power(b));
		n->op = op;
	}
	return n;
}

static struct bc_node *sum(struct bc *b)
{
	struct bc_node *n = product(b);

	while (b->token == '+' || b->token == '-') {
		int op = b->token;

		bc_next(b);
		n = node(b, BC_BINARY, n, product(b));
		n->op = op;
	}
	return n;
}

static struct bc_node *assignment(struct bc *b)
{
	struct bc_node *n;

	if (++b->depth > BC_DEPTH_MAX || !sys_stack(b->p, 4096)) {
		b->depth--;
		return wrong(b);
	}
	n = sum(b);
	if (b->token == T_ASSIGN && is_lvalue(n) && !b->bad) {
		int op = *b->word;

		bc_next(b);
		n = node(b, BC_ASSIGN, n, assignment(b));
		n->op = op;
		n->quiet = true;
	}
	b->depth--;
	return n;
}

static struct bc_node *comparison(struct bc *b)
{
	struct bc_node *n = assignment(b);

	for (;;) {
		int op = b->token == T_LE ? 'l' : b->token == T_GE ? 'g' : b->token == T_EQ ? '=' : b->token == T_NE ? '!' :
			 b->token == '<' || b->token == '>' ? b->token : 0;

		if (!op)
			return n;
		bc_next(b);
		n = node(b, BC_COMPARE, n, assignment(b));
		n->op = op;
	}
}

static struct bc_node *negation(struct bc *b)
{
	if (b->token == '!') {
		if (++b->depth > BC_DEPTH_MAX)
			return wrong(b);
		bc_next(b);
		b->depth--;
		return node(b, BC_NOT, negation(b), NULL);
	}
	return comparison(b);
}

static struct bc_node *conjunction(struct bc *b)
{
	struct bc_node *n = negation(b);

	while (accept(b, T_AND))
		n = node(b, BC_AND, n, negation(b));
	return n;
}

static struct bc_node *expression(struct bc *b)
{
	struct bc_node *n = conjunction(b);

	while (accept(b, T_OR))
		n = node(b, BC_OR, n, conjunction(b));
	return n;
}

/* ---- Statements --------------------------------------------------------------------------- */

static struct bc_node *statement(struct bc *b);

static void skip_newlines(struct bc *b)
{
	while (b->token == '\n' && !b->bad) {
		b->line++;
		bc_next(b);
	}
}

static struct bc_node *block(struct bc *b)
{
	struct bc_node *first = NULL, **at = &first;

	for (;;) {
		while (b->token == ';' || b->token == '\n') {
			b->line += b->token == '\n';
			bc_next(b);
		}
		if (b->token == '}' || b->token == T_END || b->bad)
			break;
		*at = statement(b);
		at = &(*at)->next;
		if (b->token != ';' && b->token != '\n' && b->token != '}')
			wrong(b);
	}
	expect(b, '}');
	return node(b, BC_BLOCK, first, NULL);
}

static struct bc_node *print_list(struct bc *b)
{
	struct bc_node *first = NULL, **at = &first;

	do {
		struct bc_node *n;

		if (b->token == T_STRING) {
			n = node(b, BC_PRINT, NULL, NULL);
			n->text = b->word;
			n->len = b->word_len;
			bc_next(b);
		} else {
			n = node(b, BC_PRINT, expression(b), NULL);
		}
		*at = n;
		at = &n->next;
	} while (accept(b, ','));
	return node(b, BC_BLOCK, first, NULL);
}

static struct bc_node *if_statement(struct bc *b)
{
	struct bc_node *n;
	const char *s;
	size_t line;
	int token;

	expect(b, '(');
	n = node(b, BC_IF, expression(b), NULL);
	expect(b, ')');
	skip_newlines(b);
	n->b = statement(b);
	/* An else may follow a semicolon; on a line of its own it belongs to the block around. */
	s = b->s;
	line = b->line;
	token = b->token;
	if (b->token == ';')
		bc_next(b);
	while (b->in_function && b->token == '\n' && b->depth > 0)
		bc_next(b);
	if (bc_is_word(b, "else")) {
		bc_next(b);
		skip_newlines(b);
		n->c = statement(b);
	} else {
		b->s = s;
		b->line = line;
		b->token = token;
	}
	return n;
}

static struct bc_node *for_statement(struct bc *b)
{
	struct bc_node *n = node(b, BC_FOR, NULL, NULL);

	expect(b, '(');
	if (b->token != ';')
		n->a = expression(b);
	expect(b, ';');
	if (b->token != ';')
		n->b = expression(b);
	expect(b, ';');
	if (b->token != ')')
		n->c = expression(b);
	expect(b, ')');
	skip_newlines(b);
	n->d = statement(b);
	return n;
}

static struct bc_node *keyword_statement(struct bc *b)
{
	struct bc_node *n;

	if (bc_is_word(b, "break") || bc_is_word(b, "continue") || bc_is_word(b, "quit") || bc_is_word(b, "halt")) {
		n = node(b, *b->word == 'b' ? BC_BREAK : *b->word == 'c' ? BC_CONTINUE : *b->word == 'q' ? BC_QUIT : BC_HALT, NULL, NULL);
		bc_next(b);
		return n;
	}
	if (bc_is_word(b, "return")) {
		if (!b->in_function)
			return wrong(b);
		bc_next(b);
		n = node(b, BC_RETURN, NULL, NULL);
		if (b->token != ';' && b->token != '\n' && b->token != '}')
			n->a = expression(b);
		return n;
	}
	if (bc_is_word(b, "print"))
		return bc_next(b), print_list(b);
	if (bc_is_word(b, "if"))
		return bc_next(b), if_statement(b);
	if (bc_is_word(b, "while")) {
		bc_next(b);
		expect(b, '(');
		n = node(b, BC_WHILE, expression(b), NULL);
		expect(b, ')');
		skip_newlines(b);
		n->b = statement(b);
		return n;
	}
	if (bc_is_word(b, "for"))
		return bc_next(b), for_statement(b);
	return NULL;
}

static struct bc_node *statement(struct bc *b)
{
	struct bc_node *n = NULL;

	if (b->bad || ++b->depth > BC_DEPTH_MAX || !sys_stack(b->p, 8192))
		return wrong(b);
	if (b->token == '{') {
		bc_next(b);
		n = block(b);
	} else if (b->token == T_STRING) {
		n = node(b, BC_TEXT, NULL, NULL);
		n->text = b->word;
		n->len = b->word_len;
		bc_next(b);
	} else if (b->token == ';' || b->token == '\n') {
		n = node(b, BC_EMPTY, NULL, NULL);
	} else if (b->token == T_KEYWORD) {
		n = keyword_statement(b);
	}
	if (!n) {
		n = expression(b);
		if (!n->quiet)
			n = node(b, BC_PRINT_VALUE, n, NULL);
	}
	b->depth--;
	return n;
}

static struct bc_param *param_list(struct bc *b, int end)
{
	struct bc_param *first = NULL, **at = &first;

	while (b->token != end && !b->bad) {
		struct bc_param *q = u_zalloc(b->p, sizeof(*q));

		if (b->token != T_NAME)
			break;
		q->name = bc_name(b, b->word, b->word_len);
		bc_next(b);
		if (accept(b, '[')) {
			expect(b, ']');
			q->array = true;
		}
		*at = q;
		at = &q->next;
		if (!accept(b, ','))
			break;
	}
	return first;
}

static void define(struct bc *b)
{
	struct bc_function *f = u_zalloc(b->p, sizeof(*f));
	struct bc_name *name;

	bc_next(b);
	if (bc_is_word(b, "void")) {
		f->is_void = true;
		bc_next(b);
	}
	if (b->token != T_NAME) {
		wrong(b);
		return;
	}
	name = bc_name(b, b->word, b->word_len);
	bc_next(b);
	expect(b, '(');
	f->params = param_list(b, ')');
	expect(b, ')');
	skip_newlines(b);
	expect(b, '{');
	skip_newlines(b);
	b->in_function = true;
	if (bc_is_word(b, "auto")) {
		bc_next(b);
		f->autos = param_list(b, ';');
		if (b->token != ';' && b->token != '\n')
			wrong(b);
	}
	f->body = block(b);
	b->in_function = false;
	if (!b->bad)
		name->function = f;
}

static void report_syntax(struct bc *b)
{
	size_t line = b->line + (b->token == '\n');
	const char *text = b->illegal ? u_format(b->p, "%s %zu: illegal character: %c\n", b->file, line, b->illegal) :
					u_format(b->p, "%s %zu: syntax error\n", b->file, line);

	u_flush(u_stdout(b->p));
	(void)!u_write_all(b->p, 2, text, strlen(text));
	/* The rest of the line is dropped. */
	while (b->s < b->end && b->s[-1] != '\n')
		b->s++;
}

struct bc_node *bc_parse_line(struct bc *b, bool *end)
{
	struct bc_node *first = NULL, **at = &first;

	b->bad = false;
	b->illegal = 0;
	b->depth = 0;
	*end = false;
	bc_next(b);
	if (b->token == T_END) {
		*end = true;
		return NULL;
	}
	while (b->token != '\n' && b->token != T_END && !b->bad) {
		bool defined = bc_is_word(b, "define");

		if (defined) {
			define(b);
		} else {
			*at = statement(b);
			at = &(*at)->next;
		}
		if (!defined && b->token != ';' && b->token != '\n' && b->token != T_END)
			wrong(b);
		while (b->token == ';' && !b->bad)
			bc_next(b);
	}
	if (b->bad) {
		b->in_function = false;
		report_syntax(b);
		first = NULL;
	}
	b->line++;
	return first;
}
