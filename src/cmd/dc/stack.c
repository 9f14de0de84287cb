/* stack.c - dc's stack, what it does to numbers, its registers. */
#include "dc.h"

void dc_complain(struct dc *d, const char *text)
{
	const char *line = u_format(d->p, "dc: %s\n", text);

	u_flush(u_stdout(d->p));
	(void)!u_write_all(d->p, 2, line, strlen(line));
}

/* ---- The stack ------------------------------------------------------------------------------ */

void dc_push(struct dc *d, struct item x)
{
	if (d->n == d->cap) {
		size_t more = d->cap ? d->cap * 2 : 64;

		if (more > STACK_MAX)
			u_die(d->p, 1, 0, "stack too deep");
		d->stack = arena_grow(&sys_self(d->p)->arena, d->stack, d->cap * sizeof(x), more * sizeof(x));
		d->cap = more;
	}
	d->stack[d->n++] = x;
}

void dc_push_num(struct dc *d, struct num *x)
{
	dc_push(d, (struct item){.num = x});
}

bool dc_need(struct dc *d, size_t n)
{
	if (d->n >= n)
		return true;
	dc_complain(d, "stack empty");
	return false;
}

void dc_drop(struct dc *d, struct item x)
{
	num_free(&d->pool, x.num);
}

struct item dc_copy(struct dc *d, struct item x)
{
	if (x.num)
		x.num = num_copy(&d->pool, x.num);
	return x;
}

/* The top n are numbers; complains otherwise. */
bool dc_numbers(struct dc *d, size_t n)
{
	if (!dc_need(d, n))
		return false;
	for (size_t i = 1; i <= n; i++) {
		if (!d->stack[d->n - i].num) {
			dc_complain(d, "non-numeric value");
			return false;
		}
	}
	return true;
}

/* ---- Output --------------------------------------------------------------------------------- */

void dc_put(struct dc *d, struct item x)
{
	struct u_out *o = u_stdout(d->p);

	if (!x.num) {
		u_put(o, x.text, x.len);
		return;
	}
	d->text.len = 0;
	num_put(&d->pool, &d->text, x.num, d->out_base);
	d->column = 0;
	for (size_t i = 0; i < d->text.len; i++) {
		if (++d->column == d->width && d->width) {
			u_puts(o, "\\\n");
			d->column = 1;
		}
		u_putc(o, d->text.ptr[i]);
	}
}

/* P: a number as bytes of base 256, the first first. */
void dc_put_bytes(struct dc *d, const struct num *x)
{
	struct num *rest = num_rescale(&d->pool, x, 0), *base = num_int(&d->pool, 256), *bytes = num_scratch(&d->pool, (uint64_t)rest->n * 4 + 1);
	uint32_t n = 0;
	bool fits;

	rest->minus = false;
	while (!num_is_zero(rest)) {
		struct num *q = num_div(&d->pool, rest, base, 0), *m = num_mod(&d->pool, rest, base, 0);

		bytes->limb[n++] = (uint32_t)num_to_int(&d->pool, m, &fits);
		num_free(&d->pool, m);
		num_free(&d->pool, rest);
		rest = q;
	}
	while (n > 0)
		u_putc(u_stdout(d->p), (char)bytes->limb[--n]);
	num_free(&d->pool, rest);
	num_free(&d->pool, base);
	num_free(&d->pool, bytes);
}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

void dc_binary(struct dc *d, char op)
{
	struct num *x, *y, *z;
	bool fits;
	int64_t e;

	if (!dc_numbers(d, 2))
		return;
	y = d->stack[d->n - 1].num;
	x = d->stack[d->n - 2].num;
	if ((op == '/' || op == '%' || op == '~') && num_is_zero(y)) {
		dc_complain(d, op == '/' ? "divide by zero" : "remainder by zero");
		return;
	}
	e = num_to_int(&d->pool, y, &fits);
	if (op == '^' && (!fits || e > 10000000 || e < -10000000 || (e < 0 && num_is_zero(x)))) {
		dc_complain(d, e < 0 && num_is_zero(x) ? "divide by zero" : "exponent too large in raise");
		return;
	}
	if (op == '^' && y->scale) {
		static const char text[] = "Runtime warning: non-zero scale in exponent\n";

		u_flush(u_stdout(d->p));
		(void)!u_write_all(d->p, 2, text, sizeof(text) - 1);
	}
	switch (op) {
	case '+':
	case '-': z = num_add(&d->pool, x, y, op == '-'); break;
	case '*': z = num_mul(&d->pool, x, y, d->places); break;
	case '/': z = num_div(&d->pool, x, y, d->places); break;
	case '^': z = num_pow(&d->pool, x, e, d->places); break;
	default: z = num_mod(&d->pool, x, y, d->places); break;
	}
	d->n -= 2;
	if (op == '~')
		dc_push_num(d, num_div(&d->pool, x, y, d->places));
	dc_push_num(d, z);
	num_free(&d->pool, x);
	num_free(&d->pool, y);
}

/* base exponent modulus | */
void dc_modular_power(struct dc *d)
{
	struct num *base, *e, *m, *result, *two, *next;

	if (!dc_numbers(d, 3))
		return;
	m = d->stack[d->n - 1].num;
	e = num_rescale(&d->pool, d->stack[d->n - 2].num, 0);
	base = num_copy(&d->pool, d->stack[d->n - 3].num);
	if (num_is_zero(m) || e->minus) {
		dc_complain(d, num_is_zero(m) ? "divide by zero" : "negative exponent");
		num_free(&d->pool, e);
		num_free(&d->pool, base);
		return;
	}
	result = num_int(&d->pool, 1);
	two = num_int(&d->pool, 2);
	while (!num_is_zero(e)) {
		if (e->limb[0] % 2) {
			next = num_mul(&d->pool, result, base, 0);
			num_free(&d->pool, result);
			result = num_mod(&d->pool, next, m, d->places);
			num_free(&d->pool, next);
		}
		next = num_mul(&d->pool, base, base, 0);
		num_free(&d->pool, base);
		base = num_mod(&d->pool, next, m, d->places);
		num_free(&d->pool, next);
		next = num_div(&d->pool, e, two, 0);
		num_free(&d->pool, e);
		e = next;
		sys_checkpoint(d->p);
	}
	for (int i = 0; i < 3; i++)
		dc_drop(d, d->stack[--d->n]);
	dc_push_num(d, result);
	num_free(&d->pool, two);
	num_free(&d->pool, e);
	num_free(&d->pool, base);
}

void dc_root(struct dc *d)
{
	struct num *x;

	if (!dc_numbers(d, 1))
		return;
	x = d->stack[d->n - 1].num;
	if (x->minus) {
		dc_complain(d, "square root of negative number");
		d->n--;
	} else {
		d->stack[d->n - 1].num = num_sqrt(&d->pool, x, d->places);
	}
	num_free(&d->pool, x);
}

void dc_measure(struct dc *d, char op)
{
	struct item x;
	int64_t v;

	if (!dc_need(d, 1))
		return;
	x = d->stack[--d->n];
	v = op == 'X' ? (x.num ? x.num->scale : 0) : x.num ? num_digits(x.num) : (int64_t)x.len;
	dc_drop(d, x);
	dc_push_num(d, num_int(&d->pool, v));
}

/* a: the first character of a string, or the number as a character. */
void dc_to_character(struct dc *d)
{
	struct item x;
	bool fits = true;
	char *s;

	if (!dc_need(d, 1))
		return;
	x = d->stack[--d->n];
	s = u_zalloc(d->p, 2);
	s[0] = x.num ? (char)num_to_int(&d->pool, x.num, &fits) : x.len ? x.text[0] : '\0';
	dc_push(d, (struct item){.text = s, .len = x.num || x.len ? 1 : 0});
	dc_drop(d, x);
}

void dc_set_parameter(struct dc *d, char op)
{
	struct num *x;
	bool fits;
	int64_t v;

	if (!dc_numbers(d, 1))
		return;
	x = d->stack[--d->n].num;
	v = num_to_int(&d->pool, x, &fits);
	num_free(&d->pool, x);
	if (op == 'k') {
		if (!fits || v < 0 || v > NUM_SCALE_MAX)
			dc_complain(d, "scale must be a nonnegative integer");
		else
			d->places = (uint32_t)v;
	} else if (op == 'i') {
		if (!fits || v < 2 || v > 16)
			dc_complain(d, "input base must be a number between 2 and 16 (inclusive)");
		else
			d->in_base = (uint32_t)v;
	} else if (!fits || v < 2 || v > 1000000000) {
		dc_complain(d, "output base must be a number greater than 1");
	} else {
		d->out_base = (uint32_t)v;
	}
}

void dc_rotate(struct dc *d)
{
	struct num *x;
	bool fits;
	int64_t v;
	uint64_t k;

	if (!dc_numbers(d, 1))
		return;
	x = d->stack[--d->n].num;
	v = num_to_int(&d->pool, x, &fits);
	num_free(&d->pool, x);
	k = fits ? (uint64_t)(v < 0 ? -v : v) : 0;
	if (k < 2 || k > d->n)
		return;
	if (v > 0) {
		struct item first = d->stack[d->n - k];

		memmove(d->stack + d->n - k, d->stack + d->n - k + 1, (k - 1) * sizeof(first));
		d->stack[d->n - 1] = first;
	} else {
		struct item last = d->stack[d->n - 1];

		memmove(d->stack + d->n - k + 1, d->stack + d->n - k, (k - 1) * sizeof(last));
		d->stack[d->n - k] = last;
	}
}

/* ---- Registers ------------------------------------------------------------------------------ */

struct level *dc_register(struct dc *d, unsigned char r, bool make)
{
	if (!d->reg[r] && make) {
		d->reg[r] = u_zalloc(d->p, sizeof(struct level));
		d->reg[r]->item.num = num_int(&d->pool, 0);
	}
	return d->reg[r];
}

void dc_use_register(struct dc *d, char op, unsigned char r)
{
	struct level *v;

	switch (op) {
	case 's':
		if (!dc_need(d, 1))
			return;
		v = dc_register(d, r, true);
		dc_drop(d, v->item);
		v->item = d->stack[--d->n];
		return;
	case 'l':
		v = dc_register(d, r, false);
		dc_push(d, v ? dc_copy(d, v->item) : (struct item){.num = num_int(&d->pool, 0)});
		return;
	case 'S':
		if (!dc_need(d, 1))
			return;
		v = u_zalloc(d->p, sizeof(*v));
		v->item = d->stack[--d->n];
		v->below = d->reg[r];
		d->reg[r] = v;
		return;
	default:
		v = d->reg[r];
		if (!v) {
			dc_complain(d, u_format(d->p, "stack register '%c' (0%03o) is empty", r, r));
			return;
		}
		dc_push(d, v->item);
		d->reg[r] = v->below;
		return;
	}
}

void dc_use_array(struct dc *d, char op, unsigned char r)
{
	struct num *x;
	bool fits;
	int64_t i;
	struct level *v;

	if (!dc_numbers(d, 1) || (op == ':' && !dc_need(d, 2)))
		return;
	x = d->stack[--d->n].num;
	i = num_to_int(&d->pool, x, &fits);
	num_free(&d->pool, x);
	if (!fits || i < 0 || i > 16777215) {
		dc_complain(d, "array index must be a nonnegative integer");
		return;
	}
	v = dc_register(d, r, true);
	if (op == ';') {
		dc_push_num(d, i < v->array_n && v->array[i] ? num_copy(&d->pool, v->array[i]) : num_int(&d->pool, 0));
		return;
	}
	if (!d->stack[d->n - 1].num) {
		dc_complain(d, "non-numeric value");
		return;
	}
	if (i >= v->array_n) {
		uint32_t more = MAX((uint32_t)i + 1, v->array_n * 2);
		struct num **a = u_zalloc(d->p, size_mul(more, sizeof(*a)));

		if (v->array_n)
			memcpy(a, v->array, v->array_n * sizeof(*a));
		v->array = a;
		v->array_n = more;
	}
	num_free(&d->pool, v->array[i]);
	v->array[i] = d->stack[--d->n].num;
}
