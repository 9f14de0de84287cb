/* num.c - integers: text to numbers and back. */
#include "num.h"

static int digit_value(unsigned char c)
{
	if (ascii_digit(c))
		return c - '0';
	if (ascii_alpha(c))
		return ascii_tolower(c) - 'a' + 10;
	return 36;
}

struct magnitude {
	uint64_t v;
	bool negative;
	bool overflow;
	const char *end; /* the text's start when there was no number */
};

static struct magnitude read_magnitude(const char *s, int base)
{
	struct magnitude m = {.end = s};
	const char *p = s;

	while (ascii_space((unsigned char)*p))
		p++;
	if (*p == '-' || *p == '+')
		m.negative = *p++ == '-';
	if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') &&
	    ascii_xdigit((unsigned char)p[2])) {
		p += 2;
		base = 16;
	} else if (base == 0) {
		base = *p == '0' ? 8 : 10;
	}
	for (; digit_value((unsigned char)*p) < base; p++) {
		if (__builtin_mul_overflow(m.v, (uint64_t)base, &m.v) ||
		    __builtin_add_overflow(m.v, (uint64_t)digit_value((unsigned char)*p), &m.v))
			m.overflow = true;
		m.end = p + 1;
	}
	return m;
}

int64_t num_i64(const char *s, const char **end, int base, bool *overflow)
{
	struct magnitude m = read_magnitude(s, base);
	uint64_t limit = m.negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
	bool over = m.overflow || m.v > limit;

	if (end)
		*end = m.end;
	if (overflow)
		*overflow = over;
	if (over)
		return m.negative ? INT64_MIN : INT64_MAX;
	return (int64_t)(m.negative ? 0u - m.v : m.v);
}

uint64_t num_u64(const char *s, const char **end, int base, bool *overflow)
{
	struct magnitude m = read_magnitude(s, base);

	if (end)
		*end = m.end;
	if (overflow)
		*overflow = m.overflow;
	if (m.overflow)
		return UINT64_MAX;
	return m.negative ? 0u - m.v : m.v;
}

size_t num_put_u64(char *buf, uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	for (size_t i = 0; i < n; i++)
		buf[i] = digits[n - 1 - i];
	return n;
}

size_t num_put_i64(char *buf, int64_t v)
{
	if (v >= 0)
		return num_put_u64(buf, (uint64_t)v);
	buf[0] = '-';
	return 1 + num_put_u64(buf + 1, 0u - (uint64_t)v);
}
