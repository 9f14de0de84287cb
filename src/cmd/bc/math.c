/*
 * math.c - the functions of bc -l: sine, cosine, arctangent, logarithm, exponential, Bessel.
 *
 * Each works with more digits than asked for, and the result is cut to the scale.
 */
#include "bc.h"

/* x = op(x, y), x given back. */
static void add(struct bc *b, struct num **x, const struct num *y, bool subtract)
{
	struct num *z = num_add(&b->pool, *x, y, subtract);

	num_free(&b->pool, *x);
	*x = z;
}

static void times(struct bc *b, struct num **x, const struct num *y, uint32_t t)
{
	struct num *z = num_mul(&b->pool, *x, y, t);

	num_free(&b->pool, *x);
	*x = num_rescale(&b->pool, z, t);
	num_free(&b->pool, z);
}

static void over(struct bc *b, struct num **x, const struct num *y, uint32_t t)
{
	struct num *z = num_div(&b->pool, *x, y, t);

	num_free(&b->pool, *x);
	*x = z;
}

static void over_int(struct bc *b, struct num **x, int64_t d, uint32_t t)
{
	struct num *y = num_int(&b->pool, d);

	over(b, x, y, t);
	num_free(&b->pool, y);
}

static int compare_int(struct bc *b, const struct num *x, int64_t v)
{
	struct num *y = num_int(&b->pool, v);
	int c = num_compare(&b->pool, x, y);

	num_free(&b->pool, y);
	return c;
}

static struct num *cut(struct bc *b, struct num *x, uint32_t scale)
{
	struct num *y = num_rescale(&b->pool, x, scale);

	num_free(&b->pool, x);
	return y;
}

/* start + start * f / (a1) + ..., where each term is the one before times `f` over the product of two growing numbers. */
static struct num *series(struct bc *b, struct num *term, const struct num *f, int64_t first, int64_t by, bool two, uint32_t t)
{
	struct num *sum = num_copy(&b->pool, term);

	for (int64_t i = first; !num_is_zero(term); i += by) {
		times(b, &term, f, t);
		over_int(b, &term, two ? i * (i - 1) : i, t);
		add(b, &sum, term, false);
		sys_checkpoint(b->p);
	}
	num_free(&b->pool, term);
	return sum;
}

/* e to the x, halved until it is small and squared as often. */
static struct num *exponential(struct bc *b, const struct num *x, uint32_t scale)
{
	struct num *y = num_copy(&b->pool, x), *one = num_int(&b->pool, 1), *sum;
	uint32_t halvings = 0, t = scale + 10 + num_length(&b->pool, x) - MIN(num_length(&b->pool, x), x->scale);
	bool fits;
	int64_t whole;
	bool minus = y->minus;

	y->minus = false;
	whole = num_to_int(&b->pool, y, &fits);
	if (!fits || whole > 1000000) {
		num_free(&b->pool, y);
		return one;
	}
	t += (uint32_t)(whole / 2 + 2);
	while (compare_int(b, y, 1) > 0 || halvings < 4) {
		over_int(b, &y, 2, t + 10);
		halvings++;
	}
	t += halvings;
	sum = series(b, num_rescale(&b->pool, one, t), y, 1, 1, false, t);
	for (; halvings; halvings--)
		times(b, &sum, sum, t);
	if (minus) {
		struct num *r = num_div(&b->pool, one, sum, t);

		num_free(&b->pool, sum);
		sum = r;
	}
	num_free(&b->pool, y);
	num_free(&b->pool, one);
	return cut(b, sum, scale);
}

/* 2 * the area tangent of (x - 1) / (x + 1), after roots have brought x near one. */
static struct num *logarithm(struct bc *b, const struct num *x, uint32_t scale)
{
	struct num *one = num_int(&b->pool, 1), *y, *z, *f, *sum, *power;
	uint32_t digits = num_length(&b->pool, x), t = scale + 20 + digits / 2, doublings = 1;

	if (x->minus || num_is_zero(x)) {
		struct num *ten = num_int(&b->pool, 10), *big = num_pow(&b->pool, ten, scale, 0), *r = num_add(&b->pool, one, big, true);

		num_free(&b->pool, ten);
		num_free(&b->pool, big);
		return cut(b, r, scale);
	}
	y = num_rescale(&b->pool, x, t + x->scale);
	while (compare_int(b, y, 2) >= 0 || (z = num_mul(&b->pool, y, (f = num_int(&b->pool, 2)), t), num_free(&b->pool, f),
						    f = z, compare_int(b, z, 1)) <= 0) {
		struct num *root = num_sqrt(&b->pool, y, t + 10);

		num_free(&b->pool, y);
		y = cut(b, root, t + 10);
		doublings++;
		sys_checkpoint(b->p);
	}
	/* (y - 1) / (y + 1) */
	z = num_add(&b->pool, y, one, true);
	add(b, &y, one, false);
	over(b, &z, y, t + 10);
	f = num_mul(&b->pool, z, z, t + 10);
	sum = num_copy(&b->pool, z);
	power = z;
	for (int64_t i = 3;; i += 2) {
		struct num *term;
		bool done;

		times(b, &power, f, t + 10);
		term = num_copy(&b->pool, power);
		over_int(b, &term, i, t + 10);
		add(b, &sum, term, false);
		done = num_is_zero(term);
		num_free(&b->pool, term);
		if (done)
			break;
	}
	for (; doublings; doublings--)
		add(b, &sum, sum, false);
	num_free(&b->pool, power);
	num_free(&b->pool, f);
	num_free(&b->pool, y);
	num_free(&b->pool, one);
	return cut(b, sum, scale);
}

/* Half-angle steps bring x near zero; then the series of odd powers. */
static struct num *arctangent(struct bc *b, const struct num *x, uint32_t scale)
{
	struct num *one = num_int(&b->pool, 1), *y, *f, *sum, *power;
	uint32_t t = scale + 15 + num_length(&b->pool, x) - MIN(num_length(&b->pool, x), x->scale), steps = 6;

	y = num_rescale(&b->pool, x, MAX(t, x->scale));
	for (uint32_t i = 0; i < steps; i++) {
		struct num *d = num_mul(&b->pool, y, y, t), *root;

		add(b, &d, one, false);
		root = num_sqrt(&b->pool, d, t);
		add(b, &root, one, false);
		over(b, &y, root, t);
		num_free(&b->pool, d);
		num_free(&b->pool, root);
	}
	f = num_mul(&b->pool, y, y, t);
	sum = num_copy(&b->pool, y);
	power = y;
	for (int64_t i = 3;; i += 2) {
		struct num *term;
		bool done;

		times(b, &power, f, t);
		term = num_copy(&b->pool, power);
		over_int(b, &term, i, t);
		done = num_is_zero(term);
		add(b, &sum, term, (i - 3) % 4 == 0);
		num_free(&b->pool, term);
		if (done)
			break;
	}
	for (; steps; steps--)
		add(b, &sum, sum, false);
	num_free(&b->pool, power);
	num_free(&b->pool, f);
	num_free(&b->pool, one);
	return cut(b, sum, scale);
}

/* x less whole turns, from -pi to pi. */
static struct num *reduce(struct bc *b, const struct num *x, uint32_t t)
{
	struct num *one = num_int(&b->pool, 1), *turn = arctangent(b, one, t + num_length(&b->pool, x)), *eight = num_int(&b->pool, 8);
	struct num *y = num_rescale(&b->pool, x, MAX(t, x->scale)), *q;

	times(b, &turn, eight, turn->scale);
	/* The nearest whole number of turns. */
	q = num_div(&b->pool, y, turn, 1);
	{
		struct num *five = num_parse(&b->pool, "0.5", 3, 10);

		add(b, &q, five, q->minus);
		num_free(&b->pool, five);
	}
	q = cut(b, q, 0);
	times(b, &turn, q, turn->scale);
	add(b, &y, turn, true);
	num_free(&b->pool, q);
	num_free(&b->pool, eight);
	num_free(&b->pool, turn);
	num_free(&b->pool, one);
	return cut(b, y, t);
}

static struct num *wave(struct bc *b, const struct num *x, bool cosine, uint32_t scale)
{
	uint32_t t = scale + 12;
	struct num *y = compare_int(b, x, 3) < 0 && compare_int(b, x, -3) > 0 ? num_rescale(&b->pool, x, MAX(t, x->scale)) : reduce(b, x, t);
	struct num *f = num_mul(&b->pool, y, y, t), *one = num_int(&b->pool, 1), *sum;

	f->minus = !num_is_zero(f);
	sum = series(b, cosine ? num_rescale(&b->pool, one, t) : num_copy(&b->pool, y), f, cosine ? 2 : 3, 2, true, t);
	num_free(&b->pool, y);
	num_free(&b->pool, f);
	num_free(&b->pool, one);
	return cut(b, sum, scale);
}

/* (x/2)^n / n! * the sum of (-x^2/4)^i / (i! (n+1)...(n+i)) */
static struct num *bessel(struct bc *b, const struct num *order, const struct num *x, uint32_t scale)
{
	bool fits;
	int64_t n = num_to_int(&b->pool, order, &fits);
	bool minus = n < 0 && n % 2 != 0;
	struct num *half = num_copy(&b->pool, x), *f, *term, *sum, *first;
	int64_t whole;
	uint32_t t;

	n = n < 0 ? -n : n;
	if (!fits || n > 100000)
		n = 100000;
	whole = num_to_int(&b->pool, x, &fits);
	whole = whole < 0 ? -whole : whole;
	t = scale + 15 + (uint32_t)MIN(whole, (int64_t)100000) / 2 + (uint32_t)MIN(n, (int64_t)1000);
	over_int(b, &half, 2, t);
	first = num_pow(&b->pool, half, n, t);
	for (int64_t i = 2; i <= n; i++)
		over_int(b, &first, i, t);
	f = num_mul(&b->pool, half, half, t);
	f->minus = !num_is_zero(f);
	term = num_int(&b->pool, 1);
	sum = num_int(&b->pool, 1);
	for (int64_t i = 1; !num_is_zero(term); i++) {
		times(b, &term, f, t);
		over_int(b, &term, i * (n + i), t);
		add(b, &sum, term, false);
	}
	times(b, &sum, first, t);
	if (minus && !num_is_zero(sum))
		sum->minus = !sum->minus;
	num_free(&b->pool, half);
	num_free(&b->pool, f);
	num_free(&b->pool, term);
	num_free(&b->pool, first);
	return cut(b, sum, scale);
}

struct num *bc_math(struct bc *b, char f, const struct num *x, const struct num *y)
{
	switch (f) {
	case 's': return wave(b, x, false, b->places);
	case 'c': return wave(b, x, true, b->places);
	case 'a': return arctangent(b, x, b->places);
	case 'l': return logarithm(b, x, b->places);
	case 'e': return exponential(b, x, b->places);
	default: return bessel(b, x, y, b->places);
	}
}
