/* num_float.c - text to floating numbers, correctly rounded.
 *
 * The first 38 digits become a 128-bit integer and are scaled by a power of ten made of at most
 * 13 table entries; the error of that is below ERROR units of the last of 128 bits. Only when
 * the result lies that close to the middle between two floating numbers does rounding depend on
 * more: then the text is compared with the middle's exact digits (digits.h), one by one,
 * however many the text has. Nothing here needs memory beyond that comparison's limbs. */
#include "digits.h"
#include "num.h"

#define ERROR      64
#define MAX_DIGITS 38

struct power {
	uint64_t hi, lo;
	int exp;
};

/* By tools/gen_pow10.py. */
static const struct power POWERS[2][13] = {
        {
                {0xa000000000000000, 0x0000000000000000, -124},  /* 1e1 */
                {0xc800000000000000, 0x0000000000000000, -121},  /* 1e2 */
                {0x9c40000000000000, 0x0000000000000000, -114},  /* 1e4 */
                {0xbebc200000000000, 0x0000000000000000, -101},  /* 1e8 */
                {0x8e1bc9bf04000000, 0x0000000000000000, -74},   /* 1e16 */
                {0x9dc5ada82b70b59d, 0xf020000000000000, -21},   /* 1e32 */
                {0xc2781f49ffcfa6d5, 0x3cbf6b71c76b25fb, 85},    /* 1e64 */
                {0x93ba47c980e98cdf, 0xc66f336c36b10137, 298},   /* 1e128 */
                {0xaa7eebfb9df9de8d, 0xddbb901b98feeab8, 723},   /* 1e256 */
                {0xe319a0aea60e91c6, 0xcc655c54bc5058f9, 1573},  /* 1e512 */
                {0xc976758681750c17, 0x650d3d28f18b50ce, 3274},  /* 1e1024 */
                {0x9e8b3b5dc53d5de4, 0xa74d28ce329ace52, 6676},  /* 1e2048 */
                {0xc46052028a20979a, 0xc94c153f804a4a92, 13479}, /* 1e4096 */
        },
        {
                {0xcccccccccccccccc, 0xcccccccccccccccd, -131},   /* 1e-1 */
                {0xa3d70a3d70a3d70a, 0x3d70a3d70a3d70a4, -134},   /* 1e-2 */
                {0xd1b71758e219652b, 0xd3c36113404ea4a9, -141},   /* 1e-4 */
                {0xabcc77118461cefc, 0xfdc20d2b36ba7c3d, -154},   /* 1e-8 */
                {0xe69594bec44de15b, 0x4c2ebe687989a9b4, -181},   /* 1e-16 */
                {0xcfb11ead453994ba, 0x67de18eda5814af2, -234},   /* 1e-32 */
                {0xa87fea27a539e9a5, 0x3f2398d747b36224, -340},   /* 1e-64 */
                {0xddd0467c64bce4a0, 0xac7cb3f6d05ddbdf, -553},   /* 1e-128 */
                {0xc0314325637a1939, 0xfa911155fefb5309, -978},   /* 1e-256 */
                {0x9049ee32db23d21c, 0x7132d332e3f204d5, -1828},  /* 1e-512 */
                {0xa2a682a5da57c0bd, 0x87a601586bd3f699, -3529},  /* 1e-1024 */
                {0xceae534f34362de4, 0x492512d4f2ead2cc, -6931},  /* 1e-2048 */
                {0xa6dd04c8d2ce9fde, 0x2de38123a1c3cffc, -13734}, /* 1e-4096 */
        }};

/* A decimal number as it stands in the text. */
struct decimal {
	const char *digits; /* the first that is not zero */
	const char *end;    /* after the last digit or point */
	int64_t top;        /* weight of that first digit, the exponent counted in */
	u128 w;             /* the first digits */
	int64_t exp;        /* of w's last digit */
	bool cut;           /* there were more, not all zero */
};

/* A rounded result: m * 2^exp. */
struct binary {
	u128 m;
	int exp;
	enum float_kind kind;
};

/* ---- Scaling and rounding -------------------------------------------------- */

static u128 mul_high(u128 a, u128 b, bool *shifted)
{
	uint64_t a1 = (uint64_t)(a >> 64), a0 = (uint64_t)a, b1 = (uint64_t)(b >> 64),
	         b0 = (uint64_t)b;
	u128 low = (u128)a0 * b0, mid1 = (u128)a1 * b0, mid2 = (u128)a0 * b1, high = (u128)a1 * b1;
	u128 mid = (low >> 64) + (uint64_t)mid1 + (uint64_t)mid2;

	high += (mid1 >> 64) + (mid2 >> 64) + (mid >> 64);
	*shifted = high >> 127 == 0;
	return *shifted ? (high << 1) | ((uint64_t)mid >> 63) : high;
}

static int leading_zeros(u128 m)
{
	uint64_t hi = (uint64_t)(m >> 64);

	return hi ? __builtin_clzll(hi) : 64 + __builtin_clzll((uint64_t)m);
}

static int scale(u128 *m, int64_t e)
{
	const struct power *table = POWERS[e < 0];
	unsigned n = (unsigned)(e < 0 ? -e : e);
	int shift = leading_zeros(*m), exp = -shift;

	*m <<= shift;
	for (int i = 0; n; i++, n >>= 1) {
		bool shifted;

		if (!(n & 1))
			continue;
		*m = mul_high(*m, (u128)table[i].hi << 64 | table[i].lo, &shifted);
		exp += table[i].exp + 128 - (shifted ? 1 : 0);
	}
	return exp;
}

/* The text against the number m * 2^exp, digit by digit. */
static int compare_exact(const struct decimal *x, uint32_t *limb, u128 m, int exp)
{
	struct digits d;
	const char *p = x->digits;
	uint32_t group, unit = 100000000;
	int64_t top;

	digits_init(&d, limb, m, exp);
	top = (int64_t)d.whole * 9 - 1;
	while ((group = digits_next(&d)) == 0)
		top -= 9;
	for (; group / unit == 0; unit /= 10)
		top--;
	if (x->top != top)
		return x->top > top ? 1 : -1;
	for (;;) {
		int a, b;

		if (p < x->end && *p == '.')
			p++;
		if (p >= x->end)
			return group || !digits_done(&d) ? -1 : 0;
		if (unit == 0) {
			group = digits_next(&d);
			unit = 100000000;
		}
		a = *p++ - '0';
		b = (int)(group / unit);
		group %= unit;
		unit /= 10;
		if (a != b)
			return a > b ? 1 : -1;
		/* Zeros to the end of a long text: no need to read the other side further. */
		if (group == 0 && digits_done(&d)) {
			for (; p < x->end; p++) {
				if (*p != '0' && *p != '.')
					return 1;
			}
			return 0;
		}
	}
}

static NOINLINE int compare_exact_double(const struct decimal *x, u128 m, int exp)
{
	uint32_t limb[DIGITS_LIMBS_DOUBLE];

	return compare_exact(x, limb, m, exp);
}

/* Two kilobytes of frame, in a leaf, in one of 2^50 conversions of ordinary numbers. */
static NOINLINE int compare_exact_long(const struct decimal *x, u128 m, int exp)
{
	uint32_t limb[DIGITS_LIMBS];

	return compare_exact(x, limb, m, exp);
}

/* Rounds m * 2^exp (m has its top bit set) to the format. `x` is the text it stands for; NULL
 * when m is exact but for a lowest bit that says "and a bit more". */
static struct binary round_to(u128 m, int64_t exp, struct float_format f, const struct decimal *x)
{
	struct binary r = {.kind = FLOAT_FINITE};
	int64_t q = MAX(exp + 128 - f.mant_bits, (int64_t)f.min_exp), drop = q - exp;
	u128 kept = 0, rest = m, half;
	int side;

	if (q > f.max_exp + 1) {
		r.kind = FLOAT_INF;
		return r;
	}
	r.exp = (int)q;
	if (drop > 129)
		return r;
	if (drop < 128) {
		kept = m >> drop;
		rest = m & (((u128)1 << drop) - 1);
	}
	/* At drop 129 the half is 2^128, one more than fits. */
	half = drop == 129 ? ~(u128)0 : (u128)1 << (drop - 1);
	if (!x)
		side = rest > half ? 1 : rest < half ? -1 : drop == 129 ? -1 : 0;
	else if (rest > half && rest - half > ERROR)
		side = 1;
	else if (rest < half && half - rest > ERROR)
		side = -1;
	else if (f.mant_bits == 53)
		side = compare_exact_double(x, kept * 2 + 1, (int)q - 1);
	else
		side = compare_exact_long(x, kept * 2 + 1, (int)q - 1);
	if (side > 0 || (side == 0 && ((uint64_t)kept & 1)))
		kept++;
	if (kept >> f.mant_bits) {
		kept >>= 1;
		r.exp++;
	}
	if (r.exp > f.max_exp)
		r.kind = FLOAT_INF;
	r.m = kept;
	return r;
}

/* ---- Reading ------------------------------------------------------------------ */

struct text {
	const char *at, *end;
};

static unsigned char peek(const struct text *t, size_t i)
{
	return (size_t)(t->end - t->at) > i ? (unsigned char)t->at[i] : 0;
}

static bool take_word(struct text *t, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < n; i++) {
		if (ascii_tolower(peek(t, i)) != word[i])
			return false;
	}
	t->at += n;
	return true;
}

/* An optional exponent after `letter`; 0 when there is none. Clamped: the caller's sums do not
 * overflow. */
static int64_t take_exponent(struct text *t, char letter)
{
	struct text u = *t;
	bool negative = false;
	int64_t v = 0;

	if (ascii_tolower(peek(&u, 0)) != letter)
		return 0;
	u.at++;
	if (peek(&u, 0) == '-' || peek(&u, 0) == '+')
		negative = *u.at++ == '-';
	if (!ascii_digit(peek(&u, 0)))
		return 0;
	while (ascii_digit(peek(&u, 0))) {
		if (v < (int64_t)1 << 58)
			v = v * 10 + (*u.at - '0');
		u.at++;
	}
	*t = u;
	return negative ? -v : v;
}

static struct binary read_hex(struct text *t, struct float_format f)
{
	u128 m = 0;
	int64_t exp = 0, step;
	bool point = false, sticky = false;
	struct binary zero = {.kind = FLOAT_FINITE};

	for (;; t->at++) {
		unsigned char c = peek(t, 0);

		if (c == '.' && !point) {
			point = true;
			continue;
		}
		if (!ascii_xdigit(c))
			break;
		if (m >> 123 == 0) {
			m = m << 4 | (unsigned)(ascii_digit(c) ? c - '0' : (c | 32) - 'a' + 10);
			exp -= point ? 4 : 0;
		} else {
			sticky |= c != '0';
			exp += point ? 0 : 4;
		}
	}
	exp += take_exponent(t, 'p');
	if (m == 0)
		return zero;
	step = leading_zeros(m);
	m <<= step;
	return round_to(sticky ? m | 1 : m, exp - step, f, NULL);
}

/* False when no digit stands here. */
static bool read_decimal(struct text *t, struct decimal *d)
{
	const char *p = t->at;
	bool any = false, point = false;
	int taken = 0;

	*d = (struct decimal){0};
	for (; p < t->end; p++) {
		if (*p == '.' && !point) {
			point = true;
			continue;
		}
		if (!ascii_digit((unsigned char)*p))
			break;
		any = true;
		d->exp -= point ? 1 : 0;
		if (!d->digits && *p == '0')
			continue;
		if (!d->digits)
			d->digits = p;
		if (taken < MAX_DIGITS) {
			d->w = d->w * 10 + (unsigned)(*p - '0');
			taken++;
		} else {
			d->exp++;
			d->cut |= *p != '0';
		}
	}
	if (!any)
		return false;
	d->end = p;
	t->at = p;
	d->exp += take_exponent(t, 'e');
	d->top = d->exp + taken - 1;
	return true;
}

static struct binary convert_decimal(const struct decimal *d, struct float_format f)
{
	struct binary r = {.kind = FLOAT_FINITE};
	u128 m = d->w;
	int exp;

	if (m == 0)
		return r;
	if (d->top > 5000) {
		r.kind = FLOAT_INF;
		return r;
	}
	if (d->top < -5000)
		return r;
	exp = scale(&m, d->exp);
	return round_to(m, exp, f, d);
}

/* *end is set to the start when there is no number. */
static struct binary read_number(const char *s, size_t n, const char **end, struct float_format f,
                                 bool *negative)
{
	struct text t = {s, s + n};
	struct binary r = {.kind = FLOAT_FINITE};
	struct decimal d;

	while (ascii_space(peek(&t, 0)))
		t.at++;
	*negative = peek(&t, 0) == '-';
	if (*negative || peek(&t, 0) == '+')
		t.at++;
	if (take_word(&t, "inf")) {
		take_word(&t, "inity");
		r.kind = FLOAT_INF;
	} else if (take_word(&t, "nan")) {
		size_t i = 1;

		r.kind = FLOAT_NAN;
		while (ascii_alnum(peek(&t, i)) || peek(&t, i) == '_')
			i++;
		if (peek(&t, 0) == '(' && peek(&t, i) == ')')
			t.at += i + 1;
	} else if (peek(&t, 0) == '0' && (peek(&t, 1) | 32) == 'x' &&
	           (ascii_xdigit(peek(&t, 2)) ||
	            (peek(&t, 2) == '.' && ascii_xdigit(peek(&t, 3))))) {
		t.at += 2;
		r = read_hex(&t, f);
	} else if (read_decimal(&t, &d)) {
		r = convert_decimal(&d, f);
	} else {
		t.at = s;
		*negative = false;
	}
	if (end)
		*end = t.at;
	return r;
}

/* ---- Putting together ------------------------------------------------------------ */

static double make_double(struct binary b, bool negative)
{
	uint64_t bits = (uint64_t)b.m;
	double x;

	if (b.kind == FLOAT_INF)
		bits = (uint64_t)0x7ff << 52;
	else if (b.kind == FLOAT_NAN)
		bits = (uint64_t)0xfff << 51;
	else if (bits >> 52)
		bits = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)(b.exp + 1075) << 52;
	bits |= (uint64_t)negative << 63;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

#if LDBL_MANT_DIG == 64

static long double make_long(struct binary b, bool negative)
{
	uint64_t m = (uint64_t)b.m;
	uint16_t e = (uint16_t)(m >> 63 ? b.exp + 16383 + 63 : 0);
	long double x = 0;

	if (b.kind != FLOAT_FINITE) {
		m = b.kind == FLOAT_INF ? (uint64_t)1 << 63 : (uint64_t)3 << 62;
		e = 0x7fff;
	}
	e = (uint16_t)(e | (negative ? 0x8000 : 0));
	memcpy(&x, &m, 8);
	memcpy((char *)&x + 8, &e, 2);
	return x;
}

#elif LDBL_MANT_DIG == 113

static long double make_long(struct binary b, bool negative)
{
	u128 bits = b.m;
	long double x;

	if (b.kind != FLOAT_FINITE)
		bits = (b.kind == FLOAT_INF ? (u128)0x7fff : ((u128)0x7fff << 1 | 1) >> 1) << 112 |
		       (b.kind == FLOAT_NAN ? (u128)1 << 111 : 0);
	else if (bits >> 112)
		bits = (bits & (((u128)1 << 112) - 1)) | (u128)(b.exp + 16383 + 112) << 112;
	bits |= (u128)negative << 127;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

#else

static long double make_long(struct binary b, bool negative)
{
	return make_double(b, negative);
}

#endif

double num_double_n(const char *s, size_t n, const char **end)
{
	bool negative;
	struct binary b = read_number(s, n, end, FLOAT_FORMAT_DOUBLE, &negative);

	return make_double(b, negative);
}

double num_double(const char *s, const char **end)
{
	return num_double_n(s, strlen(s), end);
}

long double num_ldouble(const char *s, const char **end)
{
	bool negative;
	struct binary b = read_number(s, strlen(s), end, FLOAT_FORMAT_LONG, &negative);

	return make_long(b, negative);
}
