/* num.c - decimal numbers of any length: the four operations, powers and roots. */
#include "num.h"

static uint32_t class_of(uint32_t limbs)
{
	uint32_t c = 0;

	while (c < NUM_CLASSES - 1 && (4u << c) < limbs)
		c++;
	return c;
}

static struct num *take(struct num_pool *b, uint64_t limbs, uint32_t scale)
{
	uint32_t c;
	struct num *x;

	if (limbs > NUM_LIMBS_MAX || scale > NUM_SCALE_MAX * 2)
		u_die(b->p, 1, 0, "number too long");
	c = class_of((uint32_t)limbs);
	x = b->free[c];
	if (x)
		memcpy(&b->free[c], x->limb, sizeof(x));
	else
		x = u_alloc(b->p, sizeof(*x) + (size_t)(4u << c) * sizeof(uint32_t));
	x->minus = false;
	x->scale = scale;
	x->n = (uint32_t)limbs;
	x->class = c;
	memset(x->limb, 0, (size_t)limbs * sizeof(uint32_t));
	return x;
}

void num_free(struct num_pool *b, struct num *x)
{
	if (!x)
		return;
	memcpy(x->limb, &b->free[x->class], sizeof(x));
	b->free[x->class] = x;
}

struct num *num_scratch(struct num_pool *b, uint64_t words)
{
	return take(b, words, 0);
}

static struct num *trim(struct num *x)
{
	while (x->n && x->limb[x->n - 1] == 0)
		x->n--;
	if (x->n == 0)
		x->minus = false;
	return x;
}

struct num *num_copy(struct num_pool *b, const struct num *x)
{
	struct num *y = take(b, x->n, x->scale);

	memcpy(y->limb, x->limb, x->n * sizeof(uint32_t));
	y->minus = x->minus;
	return y;
}

struct num *num_int(struct num_pool *b, int64_t v)
{
	struct num *x = take(b, 3, 0);
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	x->minus = v < 0;
	for (int i = 0; i < 3; i++, u /= NUM_BASE)
		x->limb[i] = (uint32_t)(u % NUM_BASE);
	return trim(x);
}

/* ---- Moving the point ----------------------------------------------------------------------- */

static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* The integer times ten to the k. */
static struct num *shift_up(struct num_pool *b, const struct num *x, uint32_t k)
{
	uint32_t whole = k / NUM_DIGITS, f = powers[k % NUM_DIGITS];
	struct num *y;
	uint64_t carry = 0;

	if (!x->n)
		return num_copy(b, x);
	y = take(b, (uint64_t)x->n + whole + 1, x->scale);
	y->minus = x->minus;
	for (uint32_t i = 0; i < x->n; i++) {
		carry += (uint64_t)x->limb[i] * f;
		y->limb[i + whole] = (uint32_t)(carry % NUM_BASE);
		carry /= NUM_BASE;
	}
	y->limb[x->n + whole] = (uint32_t)carry;
	sys_checkpoint_n(b->p, x->n);
	return trim(y);
}

/* The integer divided by ten to the k, cut. */
static struct num *shift_down(struct num_pool *b, const struct num *x, uint32_t k)
{
	uint32_t whole = k / NUM_DIGITS, f = powers[k % NUM_DIGITS];
	struct num *y;
	uint64_t rest = 0;

	if (whole >= x->n)
		return take(b, 0, x->scale);
	y = take(b, x->n - whole, x->scale);
	y->minus = x->minus;
	for (uint32_t i = y->n; i-- > 0;) {
		rest = rest * NUM_BASE + x->limb[i + whole];
		y->limb[i] = (uint32_t)(rest / f);
		rest %= f;
	}
	sys_checkpoint_n(b->p, x->n);
	return trim(y);
}

struct num *num_rescale(struct num_pool *b, const struct num *x, uint32_t scale)
{
	struct num *y = scale >= x->scale ? shift_up(b, x, scale - x->scale) : shift_down(b, x, x->scale - scale);

	y->scale = scale;
	return y;
}

/* ---- Sums ----------------------------------------------------------------------------------- */

static int compare_limbs(const struct num *x, const struct num *y)
{
	if (x->n != y->n)
		return x->n > y->n ? 1 : -1;
	for (uint32_t i = x->n; i-- > 0;) {
		if (x->limb[i] != y->limb[i])
			return x->limb[i] > y->limb[i] ? 1 : -1;
	}
	return 0;
}

static struct num *add_limbs(struct num_pool *b, const struct num *x, const struct num *y)
{
	uint32_t n = MAX(x->n, y->n);
	struct num *z = take(b, (uint64_t)n + 1, x->scale);
	uint32_t carry = 0;

	for (uint32_t i = 0; i < n; i++) {
		carry += (i < x->n ? x->limb[i] : 0) + (i < y->n ? y->limb[i] : 0);
		z->limb[i] = carry % NUM_BASE;
		carry /= NUM_BASE;
	}
	z->limb[n] = carry;
	return trim(z);
}

/* x - y where x is not the smaller. */
static struct num *subtract_limbs(struct num_pool *b, const struct num *x, const struct num *y)
{
	struct num *z = take(b, x->n, x->scale);
	int64_t borrow = 0;

	for (uint32_t i = 0; i < x->n; i++) {
		borrow += (int64_t)x->limb[i] - (i < y->n ? y->limb[i] : 0);
		z->limb[i] = (uint32_t)(borrow < 0 ? borrow + NUM_BASE : borrow);
		borrow = borrow < 0 ? -1 : 0;
	}
	return trim(z);
}

struct num *num_add(struct num_pool *b, const struct num *x, const struct num *y, bool subtract)
{
	uint32_t scale = MAX(x->scale, y->scale);
	struct num *u = num_rescale(b, x, scale), *v = num_rescale(b, y, scale), *z;
	bool minus = v->minus != subtract;

	if (u->minus == minus) {
		z = add_limbs(b, u, v);
		z->minus = minus && z->n;
	} else if (compare_limbs(u, v) >= 0) {
		z = subtract_limbs(b, u, v);
		z->minus = u->minus && z->n;
	} else {
		z = subtract_limbs(b, v, u);
		z->minus = minus && z->n;
	}
	sys_checkpoint_n(b->p, u->n + v->n);
	num_free(b, u);
	num_free(b, v);
	return z;
}

int num_compare(struct num_pool *b, const struct num *x, const struct num *y)
{
	struct num *z = num_add(b, x, y, true);
	int c = z->n == 0 ? 0 : z->minus ? -1 : 1;

	num_free(b, z);
	return c;
}

/* ---- Products ------------------------------------------------------------------------------- */

static struct num *multiply_limbs(struct num_pool *b, const struct num *x, const struct num *y)
{
	struct num *z = take(b, (uint64_t)x->n + y->n, 0);

	for (uint32_t i = 0; i < x->n; i++) {
		uint64_t carry = 0;

		for (uint32_t k = 0; k < y->n; k++) {
			carry += (uint64_t)x->limb[i] * y->limb[k] + z->limb[i + k];
			z->limb[i + k] = (uint32_t)(carry % NUM_BASE);
			carry /= NUM_BASE;
		}
		z->limb[i + y->n] = (uint32_t)carry;
		sys_checkpoint_n(b->p, y->n);
	}
	return trim(z);
}

struct num *num_mul(struct num_pool *b, const struct num *x, const struct num *y, uint32_t scale)
{
	uint32_t full = x->scale + y->scale, want = MIN(full, MAX(scale, MAX(x->scale, y->scale)));
	struct num *z = multiply_limbs(b, x, y), *cut;

	z->scale = full;
	z->minus = z->n && x->minus != y->minus;
	if (want == full)
		return z;
	cut = num_rescale(b, z, want);
	num_free(b, z);
	return cut;
}

/* ---- Quotients ------------------------------------------------------------------------------ */

static struct num *divide_by_limb(struct num_pool *b, const struct num *x, uint32_t d)
{
	struct num *q = take(b, x->n, 0);
	uint64_t rest = 0;

	for (uint32_t i = x->n; i-- > 0;) {
		rest = rest * NUM_BASE + x->limb[i];
		q->limb[i] = (uint32_t)(rest / d);
		rest %= d;
	}
	return trim(q);
}

static struct num *times_limb(struct num_pool *b, const struct num *x, uint32_t f)
{
	struct num *y = take(b, (uint64_t)x->n + 1, 0);
	uint64_t carry = 0;

	for (uint32_t i = 0; i < x->n; i++) {
		carry += (uint64_t)x->limb[i] * f;
		y->limb[i] = (uint32_t)(carry % NUM_BASE);
		carry /= NUM_BASE;
	}
	y->limb[x->n] = (uint32_t)carry;
	return y;
}

/* One digit of the long division: takes q times v from u at j, correcting q. */
static uint32_t one_digit(struct num *u, const struct num *v, uint32_t j)
{
	uint32_t n = v->n;
	uint64_t top = (uint64_t)u->limb[j + n] * NUM_BASE + u->limb[j + n - 1];
	uint64_t q = top / v->limb[n - 1], r = top % v->limb[n - 1];
	int64_t borrow = 0;
	uint64_t carry = 0;

	while (q >= NUM_BASE || q * v->limb[n - 2] > r * NUM_BASE + u->limb[j + n - 2]) {
		q--;
		r += v->limb[n - 1];
		if (r >= NUM_BASE)
			break;
	}
	for (uint32_t i = 0; i <= n; i++) {
		carry += i < n ? q * v->limb[i] : 0;
		borrow += (int64_t)u->limb[i + j] - (int64_t)(carry % NUM_BASE);
		carry /= NUM_BASE;
		u->limb[i + j] = (uint32_t)(borrow < 0 ? borrow + NUM_BASE : borrow);
		borrow = borrow < 0 ? -1 : 0;
	}
	if (borrow < 0) {
		q--;
		carry = 0;
		for (uint32_t i = 0; i <= n; i++) {
			carry += (uint64_t)u->limb[i + j] + (i < n ? v->limb[i] : 0);
			u->limb[i + j] = (uint32_t)(carry % NUM_BASE);
			carry /= NUM_BASE;
		}
	}
	return (uint32_t)q;
}

/* The whole quotient of two positive integers. */
static struct num *divide_limbs(struct num_pool *b, const struct num *x, const struct num *y)
{
	struct num *u, *v, *q;
	uint32_t f;

	if (x->n < y->n)
		return take(b, 0, 0);
	if (y->n == 1)
		return divide_by_limb(b, x, y->limb[0]);
	/* Both made larger, so that the first limb of the divisor is at least half the base. */
	f = NUM_BASE / (y->limb[y->n - 1] + 1);
	u = times_limb(b, x, f);
	v = trim(times_limb(b, y, f));
	q = take(b, x->n - y->n + 1, 0);
	for (uint32_t j = x->n - y->n + 1; j-- > 0;) {
		q->limb[j] = one_digit(u, v, j);
		sys_checkpoint_n(b->p, v->n);
	}
	num_free(b, u);
	num_free(b, v);
	return trim(q);
}

struct num *num_div(struct num_pool *b, const struct num *x, const struct num *y, uint32_t scale)
{
	/* x * 10^(scale + y's scale) / y, both as integers over x's scale. */
	uint32_t up = scale + y->scale;
	struct num *u = up >= x->scale ? shift_up(b, x, up - x->scale) : shift_down(b, x, x->scale - up), *q = divide_limbs(b, u, y);

	q->scale = scale;
	q->minus = q->n && x->minus != y->minus;
	num_free(b, u);
	return q;
}

struct num *num_mod(struct num_pool *b, const struct num *x, const struct num *y, uint32_t scale)
{
	struct num *q = num_div(b, x, y, scale), *m = num_mul(b, q, y, scale + y->scale), *r = num_add(b, x, m, true), *z;

	z = num_rescale(b, r, MAX(scale + y->scale, x->scale));
	num_free(b, q);
	num_free(b, m);
	num_free(b, r);
	return z;
}

struct num *num_pow(struct num_pool *b, const struct num *x, int64_t exponent, uint32_t scale)
{
	uint64_t e = exponent < 0 ? 0 - (uint64_t)exponent : (uint64_t)exponent;
	uint64_t full = (uint64_t)x->scale * e;
	uint32_t keep = exponent < 0 ? scale : (uint32_t)MIN(full, (uint64_t)MAX(scale, x->scale));
	struct num *result = num_int(b, 1), *power = num_copy(b, x), *next;

	for (; e; e >>= 1) {
		if (e & 1) {
			next = num_mul(b, result, power, NUM_SCALE_MAX);
			num_free(b, result);
			result = next;
		}
		if (e > 1) {
			next = num_mul(b, power, power, NUM_SCALE_MAX);
			num_free(b, power);
			power = next;
		}
	}
	num_free(b, power);
	if (exponent < 0) {
		struct num *one = num_int(b, 1);

		next = num_is_zero(result) ? num_copy(b, result) : num_div(b, one, result, keep);
		num_free(b, one);
	} else {
		next = num_rescale(b, result, keep);
	}
	num_free(b, result);
	return next;
}

/* Newton's method on integers: the root of x * 10^(2 * scale). */
struct num *num_sqrt(struct num_pool *b, const struct num *x, uint32_t scale)
{
	uint32_t want = MAX(scale, x->scale);
	struct num *n = num_rescale(b, x, want * 2), *two = num_int(b, 2), *r, *q, *s;

	n->scale = 0;
	if (num_is_zero(n)) {
		n->scale = want;
		num_free(b, two);
		return n;
	}
	/* A start that is not too small: a one and half as many zeros as n has digits, and one more. */
	r = num_int(b, 1);
	s = shift_up(b, r, (n->n * NUM_DIGITS + 1) / 2 + 1);
	num_free(b, r);
	for (r = s;; r = s) {
		q = divide_limbs(b, n, r);
		s = add_limbs(b, r, q);
		num_free(b, q);
		q = divide_limbs(b, s, two);
		num_free(b, s);
		s = q;
		if (compare_limbs(s, r) >= 0)
			break;
		num_free(b, r);
	}
	num_free(b, s);
	num_free(b, n);
	num_free(b, two);
	r->scale = want;
	return r;
}

int64_t num_to_int(struct num_pool *b, const struct num *x, bool *fits)
{
	struct num *w = num_rescale(b, x, 0);
	uint64_t v = 0;

	*fits = w->n <= 2;
	for (uint32_t i = MIN(w->n, 2u); i-- > 0;)
		v = v * NUM_BASE + w->limb[i];
	if (!*fits)
		v = INT64_MAX;
	if (w->minus)
		v = 0 - v;
	num_free(b, w);
	return (int64_t)v;
}

static uint32_t digit_count(const struct num *x)
{
	uint32_t n = x->n ? (x->n - 1) * NUM_DIGITS : 0;

	for (uint32_t top = x->n ? x->limb[x->n - 1] : 0; top; top /= 10)
		n++;
	return n;
}

uint32_t num_digits(const struct num *x)
{
	return MAX(digit_count(x), 1u);
}

uint32_t num_length(struct num_pool *b, const struct num *x)
{
	uint32_t n = digit_count(x);

	(void)b;
	return n > x->scale ? n : x->scale ? x->scale : 1;
}
