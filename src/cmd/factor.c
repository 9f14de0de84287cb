/*
 * factor.c - prime factors.
 *
 * Small primes are divided out; what is left is tested by Miller and Rabin's test and split by Pollard's rho
 * (Brent's way of stepping, gcds taken in bulk), over numbers of up to 128 bits in Montgomery form. GNU's goes on
 * beyond that with a library for big numbers; here such a number is refused.
 */
#include "cmd.h"

__extension__ typedef unsigned __int128 wide;

#define SMALL 5000u	/* primes up to here are divided out */
#define MOST_FACTORS 128

struct factor {
	struct proc *p;
	int status;
	wide found[MOST_FACTORS];
	size_t n;
};

/* ---- Arithmetic modulo an odd number ----------------------------------------------------------------- */

struct mod {
	wide n;		/* odd */
	wide inverse;	/* -1/n modulo 2^128 */
	wide one;	/* 2^128 modulo n: 1 in Montgomery form */
	wide square;	/* 2^256 modulo n */
};

/* The product of two numbers, in two halves. */
static void multiply(wide a, wide b, wide *hi, wide *lo)
{
	wide a0 = (uint64_t)a, a1 = a >> 64, b0 = (uint64_t)b, b1 = b >> 64;
	wide low = a0 * b0, mid1 = a1 * b0, mid2 = a0 * b1, mid = (low >> 64) + (uint64_t)mid1 + (uint64_t)mid2;

	*lo = mid << 64 | (uint64_t)low;
	*hi = a1 * b1 + (mid1 >> 64) + (mid2 >> 64) + (mid >> 64);
}

static wide add_mod(wide a, wide b, wide n)
{
	return a >= n - b ? a - (n - b) : a + b;
}

static wide sub_mod(wide a, wide b, wide n)
{
	return a >= b ? a - b : a + (n - b);
}

/* a * b / 2^128 modulo n. */
static wide mul_mod(wide a, wide b, const struct mod *m)
{
	wide hi, lo, qhi, qlo;

	multiply(a, b, &hi, &lo);
	multiply(lo * m->inverse, m->n, &qhi, &qlo);
	/* The low halves cancel out; they carry unless both are 0. */
	qhi += lo != 0;
	return qhi >= m->n || hi >= m->n - qhi ? hi - (m->n - qhi) : hi + qhi;
}

static struct mod mod_init(wide n)
{
	struct mod m = {.n = n, .inverse = n};

	for (int i = 0; i < 7; i++)
		m.inverse *= 2 - n * m.inverse;
	m.inverse = 0 - m.inverse;
	m.one = (0 - n) % n;
	m.square = m.one;
	for (int i = 0; i < 128; i++)
		m.square = add_mod(m.square, m.square, n);
	return m;
}

/* ---- Primes --------------------------------------------------------------------------------------------- */

static const uint8_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89};

static bool passes(const struct mod *m, wide base, wide odd, unsigned twos)
{
	wide minus_one = m->n - m->one, b = mul_mod(base % m->n, m->square, m), v = m->one;

	for (; odd; odd >>= 1) {
		if (odd & 1)
			v = mul_mod(v, b, m);
		b = mul_mod(b, b, m);
	}
	if (v == m->one || v == minus_one)
		return true;
	for (unsigned i = 1; i < twos; i++) {
		v = mul_mod(v, v, m);
		if (v == minus_one)
			return true;
	}
	return false;
}

/* Exact below 3.3e24; beyond that no number is known that deceives it. n is odd and has no small factor. */
static bool is_prime(const struct mod *m)
{
	wide odd = m->n - 1;
	unsigned twos = 0;

	if (m->n < (wide)SMALL * SMALL)
		return true;
	for (; !(odd & 1); odd >>= 1)
		twos++;
	for (size_t i = 0; i < COUNTOF(bases); i++) {
		if (!passes(m, bases[i], odd, twos))
			return false;
	}
	return true;
}

static wide gcd(wide a, wide b)
{
	while (b) {
		wide t = a % b;

		a = b;
		b = t;
	}
	return a;
}

/* One more step of the sequence. */
static wide next(wide x, wide c, const struct mod *m)
{
	return add_mod(mul_mod(x, x, m), c, m->n);
}

/* A factor of m->n, which is not prime; m->n itself when this sequence finds none. */
static wide rho(struct proc *p, const struct mod *m, uint32_t seed)
{
	wide c = mul_mod(seed, m->square, m), y = m->one, x = y, saved = y, product = m->one, g = 1;

	for (uint64_t length = 1; g == 1; length *= 2) {
		x = y;
		for (uint64_t i = 0; i < length; i++) {
			y = next(y, c, m);
			if (i % 256 == 0)
				sys_checkpoint_n(p, 1024);
		}
		for (uint64_t done = 0; done < length && g == 1; done += 128) {
			saved = y;
			for (uint64_t i = 0; i < MIN((uint64_t)128, length - done); i++) {
				y = next(y, c, m);
				product = mul_mod(product, sub_mod(x, y, m->n), m);
			}
			g = gcd(product, m->n);
			sys_checkpoint_n(p, 1024);
		}
	}
	if (g != m->n)
		return g;
	do {	/* several factors at once: step by step */
		saved = next(saved, c, m);
		g = gcd(sub_mod(x, saved, m->n), m->n);
		sys_checkpoint_n(p, 16);
	} while (g == 1);
	return g;
}

static void split(struct factor *f, wide n)
{
	struct mod m = mod_init(n);
	wide d = n;

	if (is_prime(&m)) {
		f->found[f->n++] = n;
		return;
	}
	for (uint32_t seed = 1; d == n; seed++)
		d = rho(f->p, &m, seed);
	split(f, d);
	split(f, n / d);
}

static void find_factors(struct factor *f, wide n)
{
	f->n = 0;
	for (uint32_t d = 2; d < SMALL && n > 1; d += d == 2 ? 1 : 2) {
		if ((wide)d * d > n)
			break;
		for (; n % d == 0; n /= d)
			f->found[f->n++] = d;
	}
	sys_checkpoint_n(f->p, SMALL * 2);
	if (n > 1 && n < (wide)SMALL * SMALL)
		f->found[f->n++] = n;
	else if (n > 1)
		split(f, n);
	for (size_t i = 1; i < f->n; i++) {
		wide v = f->found[i];
		size_t k = i;

		for (; k > 0 && f->found[k - 1] > v; k--)
			f->found[k] = f->found[k - 1];
		f->found[k] = v;
	}
}

/* ---- Input and output ------------------------------------------------------------------------------------- */

static void put_wide(struct u_out *out, wide n)
{
	char buf[40];
	size_t at = sizeof(buf);

	do {
		buf[--at] = (char)('0' + (int)(n % 10));
		n /= 10;
	} while (n);
	u_put(out, buf + at, sizeof(buf) - at);
}

static void print_factors(struct factor *f, wide n)
{
	struct u_out *out = u_stdout(f->p);

	find_factors(f, n);
	put_wide(out, n);
	u_putc(out, ':');
	for (size_t i = 0; i < f->n; i++) {
		u_putc(out, ' ');
		put_wide(out, f->found[i]);
	}
	u_putc(out, '\n');
}

static void do_number(struct factor *f, const char *text)
{
	const char *s = text;
	bool over = false;
	wide n = 0;

	while (*s == ' ')
		s++;
	s += *s == '+';
	if (!*s || s[strspn(s, "0123456789")]) {
		u_warn(f->p, 0, "%s is not a valid positive integer", u_quote(f->p, text));
		f->status = 1;
		return;
	}
	for (; *s; s++) {
		over |= n > (~(wide)0 - (wide)(*s - '0')) / 10;
		n = n * 10 + (wide)(*s - '0');
	}
	if (over) {
		u_warn(f->p, 0, "%s is too large", u_quote(f->p, text));
		f->status = 1;
		return;
	}
	print_factors(f, n);
}

static void do_input(struct factor *f)
{
	struct u_lines r;
	struct str line;

	u_lines_init(&r, f->p, 0, '\n');
	while (u_lines_next(&r, &line)) {
		for (size_t i = 0; i < line.len;) {
			struct arena_mark mark = arena_mark(&sys_self(f->p)->arena);
			size_t start = i;

			while (i < line.len && !ascii_blank(line.ptr[i]))
				i++;
			if (i > start)
				do_number(f, u_strndup(f->p, line.ptr + start, i - start));
			arena_reset(&sys_self(f->p)->arena, mark);
			i++;
		}
	}
	if (r.err)
		u_die(f->p, 1, r.err, "error reading input");
}

static int factor_main(struct proc *p, const struct cmd_args *a)
{
	struct factor *f = a->opts;

	f->p = p;
	for (int i = 0; i < a->argc; i++)
		do_number(f, a->argv[i]);
	if (a->argc == 0)
		do_input(f);
	return f->status;
}

static const struct cmd_example factor_examples[] = {
	{"factor 12 97", "12: 2 2 3\n97: 97\n"},
	{"factor 340282366920938463463374607431768211455",
	 "340282366920938463463374607431768211455: 3 5 17 257 641 65537 274177 6700417 67280421310721\n"},
};

const struct cmd cmd_factor = {
	.name = "factor",
	.summary = "print the prime factors of each NUMBER",
	.synopsis = "[NUMBER]...",
	.description = "Without NUMBER, numbers are read from standard input. They may have up to 128 bits (38 digits);\n"
		       "larger ones are refused.",
	.opts_size = sizeof(struct factor),
	.main = factor_main,
	.examples = factor_examples,
	.nexamples = COUNTOF(factor_examples),
};
