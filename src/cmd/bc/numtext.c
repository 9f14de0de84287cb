/* numtext.c - numbers to text and back, in any base. */
#include "num.h"

static uint32_t digit_value(char c)
{
	return ascii_digit(c) ? (uint32_t)(c - '0') : (uint32_t)(c - 'A') + 10;
}

static void replace(struct num_pool *b, struct num **x, struct num *y)
{
	num_free(b, *x);
	*x = y;
}

static void times_add(struct num_pool *b, struct num **x, const struct num *base, uint32_t digit)
{
	struct num *d = num_int(b, digit);

	replace(b, x, num_mul(b, *x, base, 0));
	replace(b, x, num_add(b, *x, d, false));
	num_free(b, d);
}

/* A number without a base: nine digits at a time. */
static struct num *parse_decimal(struct num_pool *b, const char *s, size_t n)
{
	struct num *x = num_int(b, 0), *billion = num_int(b, NUM_BASE), *ten = num_int(b, 10), *scaled;
	uint32_t chunk = 0, in_chunk = 0, scale = 0;
	bool point = false;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '.') {
			point = true;
			continue;
		}
		/* A letter in a longer number is the largest digit. */
		chunk = chunk * 10 + MIN(digit_value(s[i]), 9u);
		scale += point;
		if (++in_chunk == NUM_DIGITS) {
			times_add(b, &x, billion, chunk);
			chunk = in_chunk = 0;
		}
	}
	for (uint32_t i = 0; i < in_chunk; i++)
		replace(b, &x, num_mul(b, x, ten, 0));
	scaled = num_int(b, chunk);
	replace(b, &x, num_add(b, x, scaled, false));
	num_free(b, scaled);
	num_free(b, billion);
	num_free(b, ten);
	x->scale = MIN(scale, NUM_SCALE_MAX);
	return x;
}

struct num *num_parse(struct num_pool *b, const char *s, size_t n, uint32_t base)
{
	struct num *x, *radix, *fraction, *power;
	uint32_t places = 0;
	size_t i = 0;

	if (n == 1 && s[0] != '.')
		return num_int(b, digit_value(s[0]));
	if (base == 10)
		return parse_decimal(b, s, n);
	x = num_int(b, 0);
	radix = num_int(b, base);
	for (; i < n && s[i] != '.'; i++)
		times_add(b, &x, radix, MIN(digit_value(s[i]), base - 1));
	fraction = num_int(b, 0);
	power = num_int(b, 1);
	for (i++; i < n; i++, places++) {
		times_add(b, &fraction, radix, MIN(digit_value(s[i]), base - 1));
		replace(b, &power, num_mul(b, power, radix, 0));
	}
	replace(b, &fraction, num_div(b, fraction, power, places));
	replace(b, &x, num_add(b, x, fraction, false));
	num_free(b, radix);
	num_free(b, fraction);
	num_free(b, power);
	return x;
}

/* The integer's digits and the fraction's, with a point between. */
static void put_decimal(struct u_buf *out, const struct num *x)
{
	size_t from = out->len, count;
	char chunk[16];

	for (uint32_t i = x->n; i-- > 0;)
		u_buf_put(out, chunk, fmt_buf(chunk, sizeof(chunk), i + 1 == x->n ? "%u" : "%09u", x->limb[i]));
	count = out->len - from;
	if (x->scale) {
		size_t zeros = x->scale > count ? x->scale - count : 0, at;

		for (size_t i = 0; i < zeros + 1; i++)
			u_buf_putc(out, '0');
		at = from + count + zeros - x->scale;
		if (zeros) {
			memmove(out->ptr + from + zeros, out->ptr + from, count);
			memset(out->ptr + from, '0', zeros);
		}
		memmove(out->ptr + at + 1, out->ptr + at, x->scale);
		out->ptr[at] = '.';
		out->ptr[out->len] = '\0';
	}
}

static void put_digit(struct u_buf *out, uint32_t digit, uint32_t base)
{
	uint32_t width = 1;

	if (base <= 16) {
		u_buf_putc(out, "0123456789ABCDEF"[digit]);
		return;
	}
	for (uint32_t v = base - 1; v >= 10; v /= 10)
		width++;
	u_buf_printf(out, " %0*u", (int)width, digit);
}

static uint32_t small(struct num_pool *b, const struct num *x)
{
	bool fits;

	return (uint32_t)num_to_int(b, x, &fits);
}

static void put_whole(struct num_pool *b, struct u_buf *out, const struct num *x, uint32_t base)
{
	struct num *rest = num_rescale(b, x, 0), *radix = num_int(b, base);
	uint32_t n = 0, cap = MIN(rest->n * 31 + 1, NUM_LIMBS_MAX);
	struct num *digits = num_scratch(b, cap);

	rest->minus = false;
	while (!num_is_zero(rest) && n < cap) {
		struct num *q = num_div(b, rest, radix, 0), *m = num_mod(b, rest, radix, 0);

		digits->limb[n++] = small(b, m);
		num_free(b, m);
		replace(b, &rest, q);
	}
	while (n > 0)
		put_digit(out, digits->limb[--n], base);
	num_free(b, digits);
	num_free(b, rest);
	num_free(b, radix);
}

/* As many digits after the point as tell what the decimal ones do. */
static void put_fraction(struct num_pool *b, struct u_buf *out, const struct num *x, uint32_t base)
{
	struct num *whole = num_rescale(b, x, 0), *f = num_add(b, x, whole, true), *radix = num_int(b, base), *t = num_int(b, 1);

	f->minus = false;
	u_buf_putc(out, '.');
	while (num_length(b, t) <= x->scale) {
		struct num *up = num_mul(b, f, radix, x->scale), *w = num_rescale(b, up, 0);

		put_digit(out, small(b, w), base);
		replace(b, &f, num_add(b, up, w, true));
		num_free(b, up);
		num_free(b, w);
		replace(b, &t, num_mul(b, t, radix, 0));
	}
	num_free(b, whole);
	num_free(b, f);
	num_free(b, radix);
	num_free(b, t);
}

void num_put(struct num_pool *b, struct u_buf *out, const struct num *x, uint32_t base)
{
	if (num_is_zero(x)) {
		u_buf_putc(out, '0');
		return;
	}
	if (x->minus)
		u_buf_putc(out, '-');
	if (base == 10) {
		put_decimal(out, x);
		return;
	}
	put_whole(b, out, x, base);
	if (x->scale)
		put_fraction(b, out, x, base);
}
