/* digits.c - the exact decimal digits of a binary floating number, most significant first.
 *
 * With exp >= 0 the number is an integer: it is kept in base 10^9 and doubled (32 doublings at
 * a time), and the groups are then read from the top. With exp < 0 the integer part has at most 128
 * bits; the fraction stays binary, and each multiplication by 10^9 pushes nine digits out
 * over the point. Only the limbs that can be non-zero are touched: [first, last). */
#include "digits.h"

#define GROUP 1000000000u

static size_t split_groups(uint32_t *out, u128 v)
{
	uint32_t w[4];
	size_t n = 0, top = 4;

	for (int i = 0; i < 4; i++, v >>= 32)
		w[i] = (uint32_t)v;
	for (;;) {
		uint64_t rest = 0;

		while (top && w[top - 1] == 0)
			top--;
		if (!top)
			return n;
		for (size_t i = top; i-- > 0;) {
			rest = rest << 32 | w[i];
			w[i] = (uint32_t)(rest / GROUP);
			rest %= GROUP;
		}
		out[n++] = (uint32_t)rest;
	}
}

static void init_integer(struct digits *d, u128 m, int exp)
{
	size_t n = split_groups(d->limb, m);

	d->big = true;
	while (exp > 0) {
		int step = exp < 32 ? exp : 32;
		uint64_t carry = 0;

		for (size_t i = 0; i < n; i++) {
			uint64_t t = ((uint64_t)d->limb[i] << step) + carry;

			d->limb[i] = (uint32_t)(t % GROUP);
			carry = t / GROUP;
		}
		while (carry) {
			d->limb[n++] = (uint32_t)(carry % GROUP);
			carry /= GROUP;
		}
		exp -= step;
	}
	d->whole = n;
}

/* The `bits` low bits of m are a fraction of that many bits. */
static void init_fraction(struct digits *d, u128 m, int bits)
{
	size_t n = (size_t)(bits + 31) / 32;
	int pad = (int)(n * 32) - bits;
	u128 low = bits < 128 ? m & (((u128)1 << bits) - 1) : m;
	uint32_t carry = 0;

	d->first = d->last = n;
	/* The last limb holds the `pad` lowest positions empty. */
	for (size_t i = n; i > 0 && (low || carry); i--) {
		uint32_t w = (uint32_t)low;

		d->limb[i - 1] = pad ? (w << pad) | carry : w;
		carry = pad ? w >> (32 - pad) : 0;
		low >>= 32;
		d->first = i - 1;
	}
	while (d->last > d->first && d->limb[d->last - 1] == 0)
		d->last--;
}

void digits_init(struct digits *d, uint32_t *limb, u128 m, int exp)
{
	d->limb = limb;
	d->first = d->last = 0;
	d->whole = 0;
	d->big = false;
	if (m == 0)
		return;
	while (exp < 0 && ((uint64_t)m & 1) == 0) {
		m >>= 1;
		exp++;
	}
	if (exp >= 0) {
		init_integer(d, m, exp);
		return;
	}
	d->whole = -exp < 128 ? split_groups(d->small, m >> -exp) : 0;
	init_fraction(d, m, -exp);
}

uint32_t digits_next(struct digits *d)
{
	uint64_t carry = 0;
	size_t i = d->last;

	if (d->whole) {
		d->whole--;
		return d->big ? d->limb[d->whole] : d->small[d->whole];
	}
	while (i > d->first) {
		uint64_t t = (uint64_t)d->limb[--i] * GROUP + carry;

		d->limb[i] = (uint32_t)t;
		carry = t >> 32;
	}
	while (d->last > d->first && d->limb[d->last - 1] == 0)
		d->last--;
	if (d->first == 0)
		return (uint32_t)carry;
	if (carry) {
		/* Zero limbs lie between here and the point: nothing crosses it yet. */
		d->first--;
		d->limb[d->first] = (uint32_t)carry;
	}
	return 0;
}

bool digits_done(const struct digits *d)
{
	if (d->whole) {
		const uint32_t *v = d->big ? d->limb : d->small;

		for (size_t i = 0; i < d->whole; i++) {
			if (v[i])
				return false;
		}
	}
	return d->first == d->last;
}

struct float_parts float_split(double x)
{
	struct float_parts f = {0};
	uint64_t bits, e;

	memcpy(&bits, &x, sizeof(bits));
	f.negative = bits >> 63;
	e = (bits >> 52) & 0x7ff;
	f.m = bits & (((uint64_t)1 << 52) - 1);
	if (e == 0x7ff) {
		f.kind = f.m ? FLOAT_NAN : FLOAT_INF;
		return f;
	}
	if (e)
		f.m |= (uint64_t)1 << 52;
	f.exp = (e ? (int)e : 1) - 1075;
	return f;
}

#if LDBL_MANT_DIG == 64

struct float_parts float_split_long(long double x)
{
	struct float_parts f = {0};
	uint64_t m;
	uint16_t e;

	memcpy(&m, &x, 8);
	memcpy(&e, (const char *)&x + 8, 2);
	f.negative = e >> 15;
	e &= 0x7fff;
	if (e == 0x7fff) {
		f.kind = m << 1 ? FLOAT_NAN : FLOAT_INF;
		return f;
	}
	f.m = m;
	f.exp = (e ? e : 1) - 16383 - 63;
	return f;
}

#elif LDBL_MANT_DIG == 113

struct float_parts float_split_long(long double x)
{
	struct float_parts f = {0};
	u128 bits;
	unsigned e;

	memcpy(&bits, &x, 16);
	f.negative = (bool)(bits >> 127);
	e = (unsigned)(bits >> 112) & 0x7fff;
	f.m = bits & (((u128)1 << 112) - 1);
	if (e == 0x7fff) {
		f.kind = f.m ? FLOAT_NAN : FLOAT_INF;
		return f;
	}
	if (e)
		f.m |= (u128)1 << 112;
	f.exp = (int)(e ? e : 1) - 16383 - 112;
	return f;
}

#else

struct float_parts float_split_long(long double x)
{
	return float_split((double)x);
}

#endif
