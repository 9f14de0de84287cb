/* run.c - running bc's tree. Every number an expression gives is the caller's to give back. */
#include "bc.h"
#include "feed.h"

static struct num *value(struct bc *b, struct bc_node *n);

static struct num *zero(struct bc *b)
{
	return num_int(&b->pool, 0);
}

static struct num *fail(struct bc *b, const char *format, const char *what)
{
	if (!b->failed) {
		const char *text = u_format(b->p, format, what), *line = u_format(b->p, "Runtime error (func=%s): %s\n", b->where, text);

		u_flush(u_stdout(b->p));
		(void)!u_write_all(b->p, 2, line, strlen(line));
	}
	b->failed = true;
	return zero(b);
}

static void warn(struct bc *b, const char *what)
{
	const char *line = u_format(b->p, "Runtime warning (func=%s): %s\n", b->where, what);

	u_flush(u_stdout(b->p));
	(void)!u_write_all(b->p, 2, line, strlen(line));
}

/* ---- Output: long lines go on after a backslash --------------------------------------------- */

static void put_char(struct bc *b, char c)
{
	struct u_out *o = u_stdout(b->p);

	if (c == '\n') {
		b->column = 0;
	} else if (++b->column == b->width - 1 && b->width) {
		u_puts(o, "\\\n");
		b->column = 1;
	}
	u_putc(o, c);
}

static void put_value(struct bc *b, const struct num *x)
{
	b->text.len = 0;
	num_put(&b->pool, &b->text, x, b->out_base);
	for (size_t i = 0; i < b->text.len; i++)
		put_char(b, b->text.ptr[i]);
}

static void put_text(struct bc *b, const char *s, size_t n, bool escapes)
{
	static const char from[] = "abfnrqt\\", to[] = "\a\b\f\n\r\"\t\\";

	for (size_t i = 0; i < n; i++) {
		const char *hit = escapes && s[i] == '\\' && i + 1 < n ? strchr(from, s[i + 1]) : NULL;

		if (hit && *hit) {
			put_char(b, to[hit - from]);
			i++;
		} else {
			put_char(b, s[i]);
		}
	}
}

/* ---- Variables ------------------------------------------------------------------------------ */

static uint32_t small(struct bc *b, const struct num *x, uint32_t least, uint32_t most, const char *what)
{
	bool fits;
	int64_t v = num_to_int(&b->pool, x, &fits);

	if (!fits || v < least || v > most) {
		warn(b, u_format(b->p, "%s too %s, set to %u", what, v < least ? "small" : "large", v < least ? least : most));
		return v < least ? least : most;
	}
	return (uint32_t)v;
}

static struct num **element(struct bc *b, struct bc_node *n)
{
	struct num *index = value(b, n->a);
	bool fits;
	int64_t i = num_to_int(&b->pool, index, &fits);
	struct bc_name *v = n->name;

	num_free(&b->pool, index);
	if (b->failed)
		return NULL;
	if (!fits || i < 0 || i > BC_ARRAY_MAX) {
		num_free(&b->pool, fail(b, "Array %s subscript out of bounds.", v->text));
		return NULL;
	}
	if ((uint32_t)i >= v->array_n) {
		uint32_t more = MAX((uint32_t)i + 1, MIN(v->array_n * 2, BC_ARRAY_MAX + 1));
		struct num **a = u_zalloc(b->p, size_mul(more, sizeof(*a)));

		if (v->array_n)
			memcpy(a, v->array, v->array_n * sizeof(*a));
		v->array = a;
		v->array_n = more;
	}
	return &v->array[i];
}

static struct num *load(struct bc *b, struct bc_node *n)
{
	struct num **slot;

	if (n->kind == BC_VAR) {
		if (n->name == b->ibase)
			return num_int(&b->pool, b->in_base);
		if (n->name == b->obase)
			return num_int(&b->pool, b->out_base);
		if (n->name == b->scale)
			return num_int(&b->pool, b->places);
		if (n->name == b->last)
			return num_copy(&b->pool, b->last_value);
		return n->name->value ? num_copy(&b->pool, n->name->value) : zero(b);
	}
	slot = element(b, n);
	return slot && *slot ? num_copy(&b->pool, *slot) : zero(b);
}

static void store(struct bc *b, struct bc_node *n, const struct num *x)
{
	struct num **slot;

	if (b->failed)
		return;
	if (n->kind == BC_VAR && n->name == b->ibase) {
		b->in_base = small(b, x, 2, 36, "ibase");
		return;
	}
	if (n->kind == BC_VAR && n->name == b->obase) {
		b->out_base = small(b, x, 2, 1000000000, "obase");
		return;
	}
	if (n->kind == BC_VAR && n->name == b->scale) {
		if (x->minus) {
			warn(b, "negative scale, set to 0");
			b->places = 0;
			return;
		}
		b->places = small(b, x, 0, NUM_SCALE_MAX, "scale");
		return;
	}
	slot = n->kind == BC_ELEMENT ? element(b, n) : n->name == b->last ? &b->last_value : &n->name->value;
	if (!slot)
		return;
	num_free(&b->pool, *slot);
	*slot = num_copy(&b->pool, x);
}

/* ---- Expressions ---------------------------------------------------------------------------- */

static struct num *binary(struct bc *b, int op, struct num *x, struct num *y)
{
	struct num *z = NULL;
	bool fits;
	int64_t e;

	switch (op) {
	case '+':
	case '-': z = num_add(&b->pool, x, y, op == '-'); break;
	case '*': z = num_mul(&b->pool, x, y, b->places); break;
	case '/':
	case '%':
		if (num_is_zero(y))
			z = fail(b, op == '/' ? "Divide by zero%s" : "Modulo by zero%s", "");
		else
			z = op == '/' ? num_div(&b->pool, x, y, b->places) : num_mod(&b->pool, x, y, b->places);
		break;
	default:
		if (y->scale) {
			struct num *whole = num_rescale(&b->pool, y, 0);

			if (num_compare(&b->pool, whole, y) != 0 || y->scale)
				warn(b, "non-zero scale in exponent");
			num_free(&b->pool, whole);
		}
		e = num_to_int(&b->pool, y, &fits);
		if (!fits || e > 10000000 || e < -10000000)
			z = fail(b, "exponent too large in raise%s", "");
		else if (num_is_zero(x) && e < 0)
			z = fail(b, "divide by zero%s", "");
		else
			z = num_pow(&b->pool, x, e, b->places);
		break;
	}
	num_free(&b->pool, x);
	num_free(&b->pool, y);
	return z;
}

static struct num *step(struct bc *b, struct bc_node *n)
{
	struct num *x = load(b, n->a), *one = num_int(&b->pool, 1), *y = num_add(&b->pool, x, one, n->op == '-');

	store(b, n->a, y);
	num_free(&b->pool, one);
	num_free(&b->pool, n->kind == BC_STEP_BEFORE ? x : y);
	return n->kind == BC_STEP_BEFORE ? y : x;
}

static bool compare(struct bc *b, int op, struct num *x, struct num *y)
{
	int c = num_compare(&b->pool, x, y);

	num_free(&b->pool, x);
	num_free(&b->pool, y);
	switch (op) {
	case '<': return c < 0;
	case '>': return c > 0;
	case 'l': return c <= 0;
	case 'g': return c >= 0;
	case '=': return c == 0;
	default: return c != 0;
	}
}

static bool truth(struct bc *b, struct bc_node *n)
{
	struct num *x = value(b, n);
	bool yes = !num_is_zero(x) && !b->failed;

	num_free(&b->pool, x);
	return yes;
}

/* What a name was before a call took it for its own. */
struct saved {
	struct num *value;
	struct num **array;
	uint32_t array_n;
};

static void hide(struct bc_name *n, struct saved *s)
{
	*s = (struct saved){n->value, n->array, n->array_n};
	n->value = NULL;
	n->array = NULL;
	n->array_n = 0;
}

static void unhide(struct bc *b, struct bc_name *n, const struct saved *s)
{
	num_free(&b->pool, n->value);
	for (uint32_t i = 0; n->array != s->array && i < n->array_n; i++)
		num_free(&b->pool, n->array[i]);
	n->value = s->value;
	n->array = s->array;
	n->array_n = s->array_n;
}

static void copy_array(struct bc *b, const struct bc_name *from, struct saved *to)
{
	to->array_n = from->array_n;
	to->array = u_zalloc(b->p, size_mul(from->array_n + 1, sizeof(*to->array)));
	for (uint32_t i = 0; i < from->array_n; i++)
		to->array[i] = from->array[i] ? num_copy(&b->pool, from->array[i]) : NULL;
}

static struct num *run_body(struct bc *b, struct bc_node *n, const struct bc_function *f)
{
	const char *where = b->where;
	struct num *r;

	b->where = n->name->text;
	b->result = NULL;
	bc_execute(b, f->body);
	r = b->result ? b->result : zero(b);
	b->result = NULL;
	b->where = where;
	return r;
}

static struct num *call(struct bc *b, struct bc_node *n)
{
	const struct bc_function *f = n->name->function;
	struct saved *given, *old;
	struct num *r, *room;
	size_t argc = 0, params = 0, k = 0;

	if (!f) {
		struct num *x, *y;

		if (!b->math || n->name->text[1] || !strchr("sclaej", n->name->text[0]) || !n->a || (n->name->text[0] == 'j') != (n->a->next != NULL))
			return fail(b, "Function %s not defined.", n->name->text);
		x = value(b, n->a);
		y = n->a->next ? value(b, n->a->next) : NULL;
		r = b->failed ? zero(b) : bc_math(b, n->name->text[0], x, y);
		num_free(&b->pool, x);
		num_free(&b->pool, y);
		return r;
	}
	if (!sys_stack(b->p, 4096))
		return fail(b, "%s calls itself too deeply", n->name->text);
	for (struct bc_node *a = n->a; a; a = a->next)
		argc++;
	for (struct bc_param *q = f->params; q; q = q->next)
		params++;
	if (argc != params)
		return fail(b, "Parameter number mismatch%s", "");
	for (struct bc_param *q = f->autos; q; q = q->next)
		params++;
	/* What the names were lies in memory of the pool: it lasts as long as the call. */
	room = num_scratch(&b->pool, (argc + params) * (sizeof(struct saved) / sizeof(uint32_t)));
	given = (struct saved *)(void *)room->limb;
	old = given + argc;
	for (struct bc_node *a = n->a; a; a = a->next, k++) {
		given[k] = (struct saved){0};
		if (a->kind == BC_ARRAY_ARG)
			copy_array(b, a->name, &given[k]);
		else
			given[k].value = value(b, a);
	}
	k = 0;
	for (struct bc_param *q = f->params; q; q = q->next, k++) {
		hide(q->name, &old[k]);
		q->name->value = given[k].value;
		q->name->array = given[k].array;
		q->name->array_n = given[k].array_n;
	}
	for (struct bc_param *q = f->autos; q; q = q->next)
		hide(q->name, &old[k++]);
	r = b->failed ? zero(b) : run_body(b, n, f);
	k = 0;
	for (struct bc_param *q = f->params; q; q = q->next)
		unhide(b, q->name, &old[k++]);
	for (struct bc_param *q = f->autos; q; q = q->next)
		unhide(b, q->name, &old[k++]);
	num_free(&b->pool, room);
	return r;
}

static struct num *of_one(struct bc *b, struct bc_node *n)
{
	struct num *x = value(b, n->a), *y;

	if (n->kind == BC_LENGTH)
		y = num_int(&b->pool, num_length(&b->pool, x));
	else if (n->kind == BC_SCALE)
		y = num_int(&b->pool, x->scale);
	else if (x->minus)
		y = fail(b, "Square root of a negative number%s", "");
	else
		y = num_sqrt(&b->pool, x, b->places);
	num_free(&b->pool, x);
	return y;
}

/* The next line of the input, which must be a number. */
static struct num *read_number(struct bc *b)
{
	const char *from = b->s;
	size_t n = 0;
	bool minus;
	struct num *x;
	struct str line;

	while (from < b->end && ascii_space((unsigned char)*from))
		from++;
	while (from == b->end && b->feed && feed_line(b->feed, &line)) {
		from = line.ptr;
		b->end = from + line.len;
		while (from < b->end && ascii_space((unsigned char)*from))
			from++;
	}
	minus = from < b->end && *from == '-';
	from += minus;
	while (from + n < b->end && (ascii_digit(from[n]) || from[n] == '.' || (from[n] >= 'A' && from[n] <= 'F')))
		n++;
	b->s = from + n;
	if (n == 0)
		return fail(b, "read(): no number%s", "");
	x = num_parse(&b->pool, from, n, b->in_base);
	x->minus = minus && !num_is_zero(x);
	while (b->s < b->end && b->s[-1] != '\n')
		b->s++;
	return x;
}

static struct num *value(struct bc *b, struct bc_node *n)
{
	struct num *x, *y;
	bool yes;

	sys_checkpoint(b->p);
	if (b->failed || !sys_stack(b->p, 2048))
		return b->failed ? zero(b) : fail(b, "too deep%s", "");
	switch (n->kind) {
	case BC_NUMBER: return num_parse(&b->pool, n->text, n->len, b->in_base);
	case BC_VAR:
	case BC_ELEMENT: return load(b, n);
	case BC_ASSIGN:
		x = value(b, n->b);
		if (n->op != '=')
			x = binary(b, n->op, load(b, n->a), x);
		store(b, n->a, x);
		return x;
	case BC_STEP_BEFORE:
	case BC_STEP_AFTER: return step(b, n);
	case BC_BINARY:
		x = value(b, n->a);
		y = value(b, n->b);
		return binary(b, n->op, x, y);
	case BC_NEGATE:
		x = value(b, n->a);
		x->minus = n->op == '-' ? !x->minus && !num_is_zero(x) : x->minus;
		return x;
	case BC_NOT: return num_int(&b->pool, !truth(b, n->a));
	case BC_AND: yes = truth(b, n->a); return num_int(&b->pool, truth(b, n->b) && yes);
	case BC_OR: yes = truth(b, n->a); return num_int(&b->pool, truth(b, n->b) || yes);
	case BC_COMPARE:
		x = value(b, n->a);
		y = value(b, n->b);
		return num_int(&b->pool, compare(b, n->op, x, y));
	case BC_CALL: return call(b, n);
	case BC_LENGTH:
	case BC_SCALE:
	case BC_SQRT: return of_one(b, n);
	case BC_READ: return read_number(b);
	default: return zero(b);
	}
}

/* ---- Statements ----------------------------------------------------------------------------- */

static void print_value(struct bc *b, struct bc_node *n, bool line)
{
	bool is_void = n->kind == BC_CALL && n->name->function && n->name->function->is_void;
	struct num *x = value(b, n);

	if (!b->failed && !is_void) {
		put_value(b, x);
		if (line)
			put_char(b, '\n');
		num_free(&b->pool, b->last_value);
		b->last_value = x;
		return;
	}
	num_free(&b->pool, x);
}

static enum bc_flow loop(struct bc *b, struct bc_node *n)
{
	bool is_for = n->kind == BC_FOR;
	struct bc_node *condition = is_for ? n->b : n->a, *body = is_for ? n->d : n->b;

	if (is_for && n->a)
		num_free(&b->pool, value(b, n->a));
	while (!b->failed && (!condition || truth(b, condition))) {
		enum bc_flow flow = bc_execute(b, body);

		sys_checkpoint(b->p);
		if (flow == FLOW_BREAK)
			break;
		if (flow == FLOW_RETURN || flow == FLOW_END)
			return flow;
		if (is_for && n->c)
			num_free(&b->pool, value(b, n->c));
	}
	return FLOW_ON;
}

enum bc_flow bc_execute(struct bc *b, struct bc_node *n)
{
	enum bc_flow flow = FLOW_ON;

	sys_checkpoint(b->p);
	if (b->failed)
		return FLOW_RETURN;
	switch (n->kind) {
	case BC_PRINT_VALUE: print_value(b, n->a, true); break;
	case BC_TEXT: put_text(b, n->text, n->len, false); break;
	case BC_PRINT:
		if (n->a)
			print_value(b, n->a, false);
		else
			put_text(b, n->text, n->len, true);
		break;
	case BC_IF:
		if (truth(b, n->a))
			return bc_execute(b, n->b);
		return n->c && !b->failed ? bc_execute(b, n->c) : FLOW_ON;
	case BC_WHILE:
	case BC_FOR: return loop(b, n);
	case BC_BLOCK:
		for (struct bc_node *s = n->a; s && flow == FLOW_ON; s = s->next)
			flow = bc_execute(b, s);
		return flow;
	case BC_BREAK: return FLOW_BREAK;
	case BC_CONTINUE: return FLOW_CONTINUE;
	case BC_RETURN:
		b->result = n->a ? value(b, n->a) : zero(b);
		return FLOW_RETURN;
	case BC_QUIT:
	case BC_HALT: u_exit(b->p, 0);
	case BC_EMPTY: break;
	default: num_free(&b->pool, value(b, n)); break;
	}
	return FLOW_ON;
}

bool bc_run_text(struct bc *b, const char *file, const char *s, size_t n)
{
	b->file = file;
	b->s = s;
	b->end = s + n;
	for (;;) {
		bool end;
		struct bc_node *line = bc_parse_line(b, &end);

		if (end)
			return true;
		b->failed = false;
		b->where = "(main)";
		for (; line && !b->failed; line = line->next)
			bc_execute(b, line);
	}
}
