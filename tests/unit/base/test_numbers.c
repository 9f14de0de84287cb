/* test_numbers.c - fmt and num against the C library's printf and strtod.
 *
 * Random numbers of all sizes in all shapes of conversion, then the edges by name. An argument
 * says how many (30000). Known difference: "%#.2g" of 99.9 loses its zeros in older
 * C libraries ("1.e+02"); such conversions are left out. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../src/base/fmt.h"
#include "../../../src/base/num.h"

static long failures;
static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int below(int n)
{
	return (int)(next_random() % (uint64_t)n);
}

static void fail(const char *what, const char *got, const char *want)
{
	if (failures++ < 10)
		fprintf(stderr, "%s: got %s, want %s\n", what, got, want);
}

/* ---- Formatting ---------------------------------------------------------------------- */

static char ours[70000], theirs[70000];

static void compare(const char *form, size_t n, int m)
{
	if ((long long)n != m || strcmp(ours, theirs) != 0)
		fail(form, ours, theirs);
}

static void compare_double(const char *form, int width, int precision, double x)
{
	size_t n = fmt_buf(ours, sizeof(ours), form, width, precision, x);
	int m = snprintf(theirs, sizeof(theirs), form, width, precision, x);

	compare(form, n, m);
}

static void compare_long(const char *form, int width, int precision, long double x)
{
	size_t n = fmt_buf(ours, sizeof(ours), form, width, precision, x);
	int m = snprintf(theirs, sizeof(theirs), form, width, precision, x);

	compare(form, n, m);
}

static const char *const forms[] = {
	"%*.*f", "%*.*e", "%*.*g", "%-*.*f", "%0*.*e", "%+*.*g", "% *.*f",
	"%*.*a", "%#*.*A", "%0*.*a", "%-*.*G", "%#*.*f", "%*.*E", "%#*.*e",
};
static const char *const long_forms[] = {
	"%*.*Lf", "%*.*Le", "%*.*Lg", "%-*.*Lf", "%0*.*Le", "%+*.*Lg", "% *.*Lf",
	"%*.*La", "%#*.*LA", "%0*.*La", "%-*.*LG", "%#*.*Lf", "%*.*LE", "%#*.*Le",
};

static double some_double(void)
{
	uint64_t bits = next_random();
	double x;

	switch (below(8)) {
	case 0: memcpy(&x, &bits, sizeof(x)); break;
	case 1: x = (double)(int64_t)bits / 1000; break;
	case 2: x = below(100000) / 100.0; break;
	case 3: x = below(1000) / (double)(1 << below(20)); break;
	case 4: x = ldexp(below(4096), below(2100) - 1075); break;
	case 5: x = pow(10, below(40) - 20) * below(100); break;
	case 6: x = 9.9999999999 * pow(10, below(30) - 15); break;
	default: x = below(10) * 0.5; break;
	}
	return below(2) ? x : -x;
}

static long double some_long(void)
{
	long double x = (long double)some_double();

	x *= (long double)next_random();
	x /= (long double)(next_random() | 1);
	return below(3) ? x : ldexpl(x, below(2 * LDBL_MAX_EXP) - LDBL_MAX_EXP);
}

static void test_formats(long n)
{
	for (long i = 0; i < n; i++) {
		int precision = below(50) ? below(30) - 1 : below(1200), width = below(5) ? 0 : below(60);

		compare_double(forms[below(COUNTOF(forms))], width, precision, some_double());
		if (i % 4 == 0)
			compare_long(long_forms[below(COUNTOF(long_forms))], width, precision, some_long());
		if (i % 100 == 0)
			compare_long(long_forms[below(2)], 0, below(17000), some_long());
	}
}

static void test_special(void)
{
	static const double v[] = {
		0, -0.0, INFINITY, -INFINITY, NAN, 4.9e-324, 1.7976931348623157e308, 0.5, 1.5, 2.5, 9.5, 99.5,
		0.05, 0.15, 1e15, 1e16, 1e17, 123456789, 0.0001, 0.00001, 0.00009999995, 999999.5, 999999.4,
	};

	for (size_t i = 0; i < COUNTOF(v); i++) {
		for (size_t f = 0; f < COUNTOF(forms); f++) {
			for (int precision = -1; precision < 25; precision++) {
				compare_double(forms[f], precision % 3 * 10, precision, v[i]);
				compare_long(long_forms[f], precision % 3 * 10, precision, (long double)v[i]);
			}
		}
	}
}

#define SAME(...) \
	do { \
		size_t n_ = fmt_buf(ours, sizeof(ours), __VA_ARGS__); \
		int m_ = snprintf(theirs, sizeof(theirs), __VA_ARGS__); \
		compare(#__VA_ARGS__, n_, m_); \
	} while (0)

static void test_others(void)
{
	SAME("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d", 42, 42, 42, 42, 42, 42, 42, 42, 42);
	SAME("%.0d|%.0u|%#x|%#X|%#o|%#o|%x", 0, 0u, 0u, 0xabcu, 0u, 8u, 0xffffffffu);
	SAME("%hhd|%hd|%ld|%lld|%jd|%zd|%td", 300, 70000, -1L, -1LL, (intmax_t)-1, (size_t)1, (ptrdiff_t)-1);
	SAME("%hhu|%hu|%lu|%llu", 300u, 70000u, 1UL, ~0ULL);
	SAME("%lld|%lld", (long long)INT64_MIN, (long long)INT64_MAX);
	SAME("%s|%5s|%-5s|%.2s|%5.1s|%c|%5c|%-5c|%%", "abc", "abc", "abc", "abc", "abc", 'x', 'x', 'x');
	SAME("%*d|%-*d|%*d|%.*d|%.*d", 5, 1, 5, 1, -5, 1, 3, 1, -1, 1);
	SAME("%p|%20p|%-20p", (void *)0x1234, (void *)0x1234, (void *)0x1234);
	SAME("%f %e %g %a", 1.5, 1.5, 1.5, 1.5);
	/* Cut, and still told how long it would have been. */
	if (fmt_buf(ours, 4, "%s", "abcdef") != 6 || strcmp(ours, "abc") != 0)
		fail("cut", ours, "abc");
}

/* ---- Reading ----------------------------------------------------------------------------- */

static void read_both(const char *text)
{
	const char *end = NULL, *long_end = NULL;
	char *want_end, *want_long_end;
	double x = num_double(text, &end), y = strtod(text, &want_end);
	long double lx = num_ldouble(text, &long_end), ly = strtold(text, &want_long_end);

	if (end != want_end || !(x == y || (isnan(x) && isnan(y))) || signbit(x) != signbit(y)) {
		snprintf(ours, sizeof(ours), "%a (%td)", x, end - text);
		snprintf(theirs, sizeof(theirs), "%a (%td)", y, want_end - text);
		fail(text, ours, theirs);
	}
	if (long_end != want_long_end || !(lx == ly || (isnan(lx) && isnan(ly))) || signbit(lx) != signbit(ly)) {
		snprintf(ours, sizeof(ours), "%La (%td)", lx, long_end - text);
		snprintf(theirs, sizeof(theirs), "%La (%td)", ly, want_long_end - text);
		fail(text, ours, theirs);
	}
}

static void test_reading(long n)
{
	static char text[6000];

	for (long i = 0; i < n; i++) {
		double x = some_double();
		unsigned long long a = next_random(), b = next_random();

		switch (below(5)) {
		case 0: snprintf(text, sizeof(text), "%.*e", below(40), x); break;
		case 1: snprintf(text, sizeof(text), "%.*f", below(30), x); break;
		case 2: snprintf(text, sizeof(text), "%llu.%llue%d", a, b, below(9900) - 4960); break;
		case 3: snprintf(text, sizeof(text), "-0x%llx.%llxp%d", a >> below(60), b, below(2400) - 1200); break;
		default: /* right between two numbers, or a little off */
			snprintf(text, sizeof(text), "%.1100Lf%s", ((long double)x + nextafter(x, INFINITY)) / 2,
				 below(2) ? "" : "1");
			break;
		}
		read_both(text);
	}
}

static void test_edges(void)
{
	static const char *const v[] = {
		"", "  ", "+", "-", "1e", "1e+", "0x", "0xg", "0x.p", "inf", "INFINITYx", "-nan", "nan(1", "nan(a-b)", ".",
		"1.", ".5", "..5", "1.2.3", "1e5000", "1e-5000", "0e99999999999999999999", "0.0000e5",
		"1e99999999999999999999", "1e-99999999999999999999", "infin", "  +3", "- 3", "0x1p-1074", "0x1p-1075",
		"0x1.8p-1075", "0x1.0000000000001p-1075", "0x1.fffffffffffffp1023", "0x1.fffffffffffff8p1023",
		"0x1.fffffffffffff7p1023", "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
		"1.7976931348623158e308", "1.7976931348623159e308", "0x0p0", "-0", "-0x0.0", "3.3621031431120935063e-4932",
		"1.18973149535723176502e+4932", "1.18973149535723176509e+4932", "1.8225997659412373012e-4951",
	};

	for (size_t i = 0; i < COUNTOF(v); i++)
		read_both(v[i]);
}

static void test_integers(void)
{
	static const char *const v[] = {
		"", "0", "-0", "12", " 12x", "+5", "0x1F", "0x", "0xg", "010", "08", "-9223372036854775808",
		"-9223372036854775809", "9223372036854775807", "9223372036854775808", "18446744073709551615",
		"18446744073709551616", "-18446744073709551616", "zz", "- 5", "99999999999999999999999",
	};
	static const int bases[] = {0, 2, 8, 10, 16, 36};

	for (size_t i = 0; i < COUNTOF(v); i++) {
		for (size_t k = 0; k < COUNTOF(bases); k++) {
			const char *end = NULL;
			char *want_end;
			bool over;
			int64_t x = num_i64(v[i], &end, bases[k], &over);

			if (x != strtoll(v[i], &want_end, bases[k]) || end != want_end)
				fail(v[i], "num_i64", "strtoll");
			if (num_u64(v[i], &end, bases[k], &over) != strtoull(v[i], &want_end, bases[k]) || end != want_end)
				fail(v[i], "num_u64", "strtoull");
		}
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 30000;

	test_formats(n);
	test_special();
	test_others();
	test_reading(n);
	test_edges();
	test_integers();
	if (failures)
		fprintf(stderr, "%ld failed\n", failures);
	return failures != 0;
}
