/* fmt_float.c - floating numbers as text: %f %e %g %a, exact for any precision.
 *
 * Two passes over the exact digits (digits.h). The first finds where the number starts,
 * where the precision cuts it, whether the cut rounds up, and which digit such a carry ends
 * in (the last one kept that is not a 9). The second prints. A digit is named by its weight:
 * 0 is the ones, -1 the tenths. The first digits are kept from the first pass, which
 * spares the second one in all but the longest conversions. */
#include "digits.h"
#include "fmt.h"

#define KEPT     48
#define NO_DIGIT INT32_MIN

/* What the first pass found. */
struct plan {
	struct float_parts f;
	uint32_t *limb;
	int first; /* weight of the first digit that is not zero */
	int cut;   /* weight of the last digit kept */
	int bump;  /* weight of the digit a rounding up adds one to; NO_DIGIT: no rounding up */
	int last;  /* weight of the last digit kept that is not zero after rounding */
	bool zero; /* nothing but zeros is kept, before rounding */
	int nkept;
	char kept[KEPT];
};

struct cursor {
	struct digits d;
	int at; /* digits of the group already read */
	char group[9];
};

static void cursor_fill(struct cursor *c, uint32_t v)
{
	for (int i = 8; i >= 0; i--) {
		c->group[i] = (char)('0' + v % 10);
		v /= 10;
	}
	c->at = 0;
}

static char cursor_next(struct cursor *c)
{
	if (c->at == 9)
		cursor_fill(c, digits_next(&c->d));
	return c->group[c->at++];
}

/* Starts at the first digit that is not zero; its weight. m is not 0. */
static int cursor_start(struct cursor *c, const struct plan *p)
{
	int top;
	uint32_t v;

	digits_init(&c->d, p->limb, p->f.m, p->f.exp);
	top = (int)c->d.whole * 9 - 1;
	while ((v = digits_next(&c->d)) == 0)
		top -= 9;
	cursor_fill(c, v);
	while (c->group[c->at] == '0') {
		c->at++;
		top--;
	}
	return top;
}

/* Whether what the cursor has not read is above (1), at (0) or below (-1) half of the digit before.
 */
static int compare_half(struct cursor *c)
{
	char d = cursor_next(c);

	if (d != '5')
		return d > '5' ? 1 : -1;
	while (c->at < 9) {
		if (c->group[c->at++] != '0')
			return 1;
	}
	return digits_done(&c->d) ? 0 : 1;
}

/* significant > 0: so many digits are kept; else those down to weight `cut`. */
static void plan_make(struct plan *p, int64_t significant, int64_t cut)
{
	struct cursor c;
	int w, not9, half;
	char digit = '0';

	p->bump = p->last = NO_DIGIT;
	p->nkept = 0;
	p->zero = true;
	if (p->f.m == 0) {
		p->first = 0;
		p->cut = (int)MAX(significant > 0 ? 1 - significant : cut, INT32_MIN / 2);
		return;
	}
	w = p->first = cursor_start(&c, p);
	if (significant > 0)
		cut = w - (significant - 1);
	p->cut = (int)MAX(cut, INT32_MIN / 2);
	not9 = MAX(w, p->cut - 1) + 1;
	for (; w >= p->cut; w--) {
		if (c.at == 9 && digits_done(&c.d))
			return;
		digit = cursor_next(&c);
		if (p->nkept < KEPT)
			p->kept[p->nkept++] = digit;
		if (digit != '9')
			not9 = w;
		if (digit != '0') {
			p->last = w;
			p->zero = false;
		}
	}
	if (p->first < p->cut - 1)
		return; /* far below half of the last digit kept */
	half = compare_half(&c);
	if (half > 0 || (half == 0 && (digit & 1)))
		p->bump = p->last = not9;
}

/* The weight of the leading digit after rounding. */
static int plan_top(const struct plan *p)
{
	return p->bump != NO_DIGIT ? MAX(p->bump, p->first) : p->first;
}

/* ---- Printing ------------------------------------------------------------ */

struct piece {
	struct fmt_sink *s;
	size_t n;
	char buf[64];
};

static void piece_flush(struct piece *o)
{
	if (o->n)
		o->s->put(o->s, o->buf, o->n);
	o->n = 0;
}

static void piece_char(struct piece *o, char c)
{
	if (o->n == sizeof(o->buf))
		piece_flush(o);
	o->buf[o->n++] = c;
}

static void piece_fill(struct piece *o, char c, int64_t n)
{
	while (n > 0) {
		int64_t step = MIN(n, (int64_t)sizeof(o->buf));

		if (o->n)
			piece_flush(o);
		memset(o->buf, c, (size_t)step);
		o->n = (size_t)step;
		n -= step;
	}
}

/* The digits of weights hi down to lo, a point before weight `point` (not printed when above hi).
 */
static void put_digits(struct piece *o, const struct plan *p, int64_t hi, int64_t lo, int64_t point)
{
	struct cursor c = {.at = 9};
	int64_t w, end = MAX(lo, (int64_t)p->cut);
	bool again = p->f.m && (int64_t)p->first - MAX(end, (int64_t)p->bump) >= p->nkept &&
	             p->nkept == KEPT;

	if (again)
		cursor_start(&c, p);
	for (w = hi; w >= end; w--) {
		int64_t i = (int64_t)p->first - w;
		char d = '0';

		if (w == point)
			piece_char(o, '.');
		if (!again && i >= p->nkept && w < p->bump)
			break; /* zeros from here on */
		if (i >= 0 && w >= p->bump)
			d = again ? cursor_next(&c) : i < p->nkept ? p->kept[i] : '0';
		if (w == p->bump)
			d++;
		piece_char(o, d);
	}
	for (; w >= lo; w--) {
		if (w == point)
			piece_char(o, '.');
		if (w < point || point > hi) {
			piece_fill(o, '0', w - lo + 1);
			break;
		}
		piece_char(o, '0');
	}
}

/* Sign and padding around a body of `len` characters; the caller prints the body after `before`
 * and then calls put_after. */
static void put_before(struct piece *o, char sign, const char *prefix, int64_t len, unsigned flags,
                       int width)
{
	int64_t pad = (int64_t)width - len - (sign ? 1 : 0) - (int64_t)strlen(prefix);

	if (!(flags & (FMT_MINUS | FMT_ZERO)))
		piece_fill(o, ' ', pad);
	if (sign)
		piece_char(o, sign);
	while (*prefix)
		piece_char(o, *prefix++);
	if ((flags & (FMT_MINUS | FMT_ZERO)) == FMT_ZERO)
		piece_fill(o, '0', pad);
}

static void put_after(struct piece *o, char sign, int64_t len, unsigned flags, int width)
{
	if (flags & FMT_MINUS)
		piece_fill(o, ' ', (int64_t)width - len - (sign ? 1 : 0));
	piece_flush(o);
}

/* "e+05" */
static int exponent_text(char *buf, char letter, int e, int min_digits)
{
	char digits[8];
	int n = 0, len = 0;
	unsigned v = e < 0 ? 0u - (unsigned)e : (unsigned)e;

	buf[len++] = letter;
	buf[len++] = e < 0 ? '-' : '+';
	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n < min_digits)
		digits[n++] = '0';
	while (n)
		buf[len++] = digits[--n];
	return len;
}

struct style {
	char conv; /* lower case */
	bool upper;
	unsigned flags;
	int width;
	int precision;
	char sign;
};

static void put_fixed(struct piece *o, const struct plan *p, const struct style *y,
                      int64_t decimals)
{
	int64_t top = plan_top(p);
	int64_t hi = p->zero && p->bump == NO_DIGIT ? 0 : MAX(top, (int64_t)0);
	bool dot = decimals > 0 || (y->flags & FMT_ALT);
	int64_t len = hi + 1 + decimals + (dot ? 1 : 0);

	put_before(o, y->sign, "", len, y->flags, y->width);
	put_digits(o, p, hi, -decimals, -1);
	if (dot && decimals == 0)
		piece_char(o, '.');
	put_after(o, y->sign, len, y->flags, y->width);
}

static void put_scientific(struct piece *o, const struct plan *p, const struct style *y,
                           int64_t decimals)
{
	int64_t top = p->f.m ? plan_top(p) : 0;
	char e[12];
	int elen = exponent_text(e, y->upper ? 'E' : 'e', (int)top, 2);
	bool dot = decimals > 0 || (y->flags & FMT_ALT);
	int64_t len = 1 + decimals + (dot ? 1 : 0) + elen;

	put_before(o, y->sign, "", len, y->flags, y->width);
	put_digits(o, p, top, top - decimals, top - 1);
	if (dot && decimals == 0)
		piece_char(o, '.');
	for (int i = 0; i < elen; i++)
		piece_char(o, e[i]);
	put_after(o, y->sign, len, y->flags, y->width);
}

static void put_general(struct piece *o, struct plan *p, const struct style *y)
{
	int64_t precision = y->precision < 0 ? 6 : y->precision == 0 ? 1 : y->precision;
	int64_t top, decimals;

	plan_make(p, precision, 0);
	top = p->f.m ? plan_top(p) : 0;
	if (top < -4 || top >= precision) {
		decimals = precision - 1;
		if (!(y->flags & FMT_ALT))
			decimals = p->last == NO_DIGIT ? 0 : MIN(decimals, top - p->last);
		put_scientific(o, p, y, MAX(decimals, (int64_t)0));
		return;
	}
	decimals = precision - 1 - top;
	if (!(y->flags & FMT_ALT))
		decimals = p->last == NO_DIGIT ? 0 : MIN(decimals, -(int64_t)p->last);
	put_fixed(o, p, y, MAX(decimals, (int64_t)0));
}

/* %a, as glibc prints it: `lead` bits before the point (1, or 4 for the x87 format). */
static void put_hex(struct piece *o, struct float_parts f, const struct style *y,
                    struct float_format fmt, int lead)
{
	const char *hex = y->upper ? "0123456789ABCDEF" : "0123456789abcdef";
	int frac_bits = fmt.mant_bits - lead;
	int nibbles = (frac_bits + 3) / 4;
	int e = f.m ? f.exp + frac_bits : 0;
	u128 m = f.m << (nibbles * 4 - frac_bits);
	int64_t precision = y->precision, len;
	char text[16];
	int elen;
	bool dot;

	if (precision >= 0 && precision < nibbles) {
		int drop = (nibbles - (int)precision) * 4;
		u128 half = (u128)1 << (drop - 1), rest = m & ((half << 1) - 1);

		m >>= drop;
		if (rest > half || (rest == half && ((uint64_t)m & 1)))
			m++;
		m <<= drop;
		if (lead == 4 && m >> (nibbles * 4) > 15) {
			m >>= 4;
			e += 4;
		}
	}
	if (precision < 0) {
		precision = nibbles;
		for (u128 t = m; precision > 0 && ((uint64_t)t & 15) == 0; t >>= 4)
			precision--;
	}
	dot = precision > 0 || (y->flags & FMT_ALT);
	elen = exponent_text(text, y->upper ? 'P' : 'p', e, 1);
	len = 1 + precision + (dot ? 1 : 0) + elen;
	put_before(o, y->sign, y->upper ? "0X" : "0x", len, y->flags, y->width);
	piece_char(o, hex[(unsigned)(m >> (nibbles * 4)) & 15]);
	if (dot)
		piece_char(o, '.');
	for (int i = 0; i < nibbles && i < precision; i++)
		piece_char(o, hex[(unsigned)(m >> ((nibbles - 1 - i) * 4)) & 15]);
	piece_fill(o, '0', precision - nibbles);
	for (int i = 0; i < elen; i++)
		piece_char(o, text[i]);
	put_after(o, y->sign, len + 2, y->flags, y->width);
}

static void put_special(struct piece *o, const struct style *y, bool nan)
{
	const char *t = nan ? (y->upper ? "NAN" : "nan") : (y->upper ? "INF" : "inf");
	unsigned flags = y->flags & ~(unsigned)FMT_ZERO;

	put_before(o, y->sign, t, 0, flags, y->width);
	put_after(o, y->sign, 3, flags, y->width);
}

static void put_number(struct fmt_sink *s, struct plan *p, const struct style *y)
{
	struct piece o = {.s = s};
	int64_t precision = y->precision < 0 ? 6 : y->precision;

	if (p->f.kind != FLOAT_FINITE) {
		put_special(&o, y, p->f.kind == FLOAT_NAN);
		return;
	}
	switch (y->conv) {
	case 'f':
		plan_make(p, 0, -precision);
		put_fixed(&o, p, y, precision);
		break;
	case 'e':
		plan_make(p, precision + 1, 0);
		put_scientific(&o, p, y, precision);
		break;
	default: put_general(&o, p, y); break;
	}
}

static struct style style_of(bool negative, char conv, unsigned flags, int width, int precision)
{
	struct style y = {(char)ascii_tolower(conv), ascii_upper(conv), flags, width, precision, 0};

	y.sign = (char)(negative ? '-' : flags & FMT_PLUS ? '+' : flags & FMT_SPACE ? ' ' : 0);
	return y;
}

void fmt_double(struct fmt_sink *s, double x, char conv, unsigned flags, int width, int precision)
{
	uint32_t limb[DIGITS_LIMBS_DOUBLE];
	struct plan p = {.f = float_split(x), .limb = limb};
	struct style y = style_of(p.f.negative, conv, flags, width, precision);

	if (y.conv == 'a' && p.f.kind == FLOAT_FINITE) {
		struct piece o = {.s = s};

		put_hex(&o, p.f, &y, FLOAT_FORMAT_DOUBLE, 1);
		return;
	}
	put_number(s, &p, &y);
}

/* Two kilobytes and more of frame, in a leaf of the call tree: the price of 5000 digits. */
NOINLINE void fmt_float(struct fmt_sink *s, long double x, char conv, unsigned flags, int width,
                        int precision)
{
	uint32_t limb[DIGITS_LIMBS];
	struct plan p = {.f = float_split_long(x), .limb = limb};
	struct style y = style_of(p.f.negative, conv, flags, width, precision);

	if (y.conv == 'a' && p.f.kind == FLOAT_FINITE) {
		struct piece o = {.s = s};

		put_hex(&o, p.f, &y, FLOAT_FORMAT_LONG, LDBL_MANT_DIG == 64 ? 4 : 1);
		return;
	}
	put_number(s, &p, &y);
}
