/* format.c - awk's printf and sprintf. */
#include "awk.h"

#include <math.h>

#define WIDTH_MAX INT32_MAX /* what memory has no room for ends awk */

struct spec {
	bool minus, plus, space, alt, zero, group;
	int width, precision;	/* precision -1: none */
	char conv;
};

static void repeat(struct u_buf *b, char c, size_t n)
{
	u_buf_reserve(b, n);
	memset(b->ptr + b->len, c, n);
	b->len += n;
	b->ptr[b->len] = '\0';
}

/* A width or precision with one more digit. */
static int digit_more(int n, char digit)
{
	return (int)MIN((int64_t)n * 10 + (digit - '0'), (int64_t)WIDTH_MAX);
}

static void pad(struct u_buf *b, const struct spec *f, const char *s, size_t n, size_t columns)
{
	size_t fill = (size_t)f->width > columns ? (size_t)f->width - columns : 0;

	if (!f->minus)
		repeat(b, ' ', fill);
	u_buf_put(b, s, n);
	if (f->minus)
		repeat(b, ' ', fill);
}

struct buf_sink {
	struct fmt_sink sink;
	struct u_buf *b;
};

static void sink_put(struct fmt_sink *s, const char *ptr, size_t n)
{
	u_buf_put(CONTAINER_OF(s, struct buf_sink, sink)->b, ptr, n);
}

static unsigned float_flags(const struct spec *f)
{
	return (f->minus ? FMT_MINUS : 0u) | (f->plus ? FMT_PLUS : 0u) | (f->space ? FMT_SPACE : 0u) | (f->alt ? FMT_ALT : 0u) |
	       (f->zero ? FMT_ZERO : 0u);
}

static void put_float(struct u_buf *b, const struct spec *f, double x, char conv)
{
	struct buf_sink s = {{sink_put}, b};

	if (x - x != 0) {
		const char *text = x != x ? (__builtin_signbit(x) ? "-nan" : "+nan") : x < 0 ? "-inf" : "+inf";

		pad(b, f, text, 4, 4);
		return;
	}
	u_buf_reserve(b, (size_t)f->width + (size_t)MAX(f->precision, 0));
	fmt_double(&s.sink, x, conv, float_flags(f), f->width, f->precision);
}

/* d i o x X u: integers of any size a double can hold. */
static void put_integer(struct u_buf *b, const struct spec *f, double x)
{
	char digits[400], out[480];
	size_t n, k = 0;
	bool negative;
	uint64_t bits = 0;

	if (x - x != 0) {
		put_float(b, f, x, 'f');
		return;
	}
	x = x < 0 ? ceil(x) : floor(x);
	negative = x < 0;
	if (f->conv != 'd' && f->conv != 'i') {
		/* The bits of a negative number; what has not 64 of them is written as %g does. */
		if (x < -9223372036854775808.0 || x >= 18446744073709551616.0) {
			put_float(b, f, x, 'g');
			return;
		}
		bits = negative ? (uint64_t)(int64_t)x : (uint64_t)x;
		negative = false;
	}
	if (f->conv != 'd' && f->conv != 'i')
		n = fmt_buf(digits, sizeof(digits), f->conv == 'o' ? "%llo" : f->conv == 'x' ? "%llx" : f->conv == 'X' ? "%llX" : "%llu",
			    (unsigned long long)bits);
	else if (fabs(x) < 9e18)
		n = fmt_buf(digits, sizeof(digits), "%llu", (unsigned long long)fabs(x));
	else
		n = fmt_buf(digits, sizeof(digits), "%.0f", fabs(x));
	if (f->precision == 0 && n == 1 && digits[0] == '0')
		n = 0;
	if (negative)
		out[k++] = '-';
	else if (f->plus && (f->conv == 'd' || f->conv == 'i'))
		out[k++] = '+';
	else if (f->space && (f->conv == 'd' || f->conv == 'i'))
		out[k++] = ' ';
	if (f->alt && f->conv == 'o' && digits[0] != '0')
		out[k++] = '0';
	if (f->alt && (f->conv == 'x' || f->conv == 'X') && x != 0) {
		out[k++] = '0';
		out[k++] = f->conv;
	}
	/* Leading zeros: by the precision, or by 0 and the width. */
	size_t zeros = f->precision > 0 && (size_t)f->precision > n ? (size_t)f->precision - n : 0;

	if (f->zero && !f->minus && f->precision < 0 && (size_t)f->width > n + k)
		zeros = (size_t)f->width - n - k;
	size_t total = k + zeros + n, fill = (size_t)f->width > total ? (size_t)f->width - total : 0;

	if (!f->minus)
		repeat(b, ' ', fill);
	u_buf_put(b, out, k);
	repeat(b, '0', zeros);
	u_buf_put(b, digits, n);
	if (f->minus)
		repeat(b, ' ', fill);
}

static void put_char(struct awk *a, struct u_buf *b, const struct spec *f, struct cell *c)
{
	char t[6];
	unsigned n = 1;

	if (cell_is_number(a, c) && c->type != CELL_STRNUM && c->type != CELL_UNSET) {
		double v = cell_num(a, c);

		if (a->utf8 && v >= 128 && v <= 0x10ffff) {
			n = utf8_encode((uint32_t)v, t);
		} else {
			t[0] = (char)(unsigned char)(int64_t)v;
			n = 1;
		}
		pad(b, f, t, n, 1);
		return;
	}
	struct astr *s = cell_str(a, c);

	if (s->len == 0) {
		pad(b, f, "", 1, 1);
		return;
	}
	if (a->utf8)
		utf8_decode(s->s, s->len, &n);
	pad(b, f, s->s, n, 1);
}

static void put_string(struct awk *a, struct u_buf *b, const struct spec *f, struct cell *c)
{
	struct astr *s = cell_str(a, c);
	size_t n = s->len, columns;

	if (f->precision >= 0)
		n = a->utf8 ? utf8_offset(s->s, n, (size_t)f->precision) : MIN(n, (size_t)f->precision);
	columns = a->utf8 && f->width ? utf8_count(s->s, n) : n;
	pad(b, f, s->s, n, columns);
}

/* A number by a format such as OFMT: the first conversion takes it. */
void put_number(struct awk *a, struct u_buf *b, double x, struct str format)
{
	struct node n = {.kind = N_NUM, .value = {.type = CELL_NUM, .has_num = true, .num = x}};
	struct node *arg = &n;

	awk_format(a, b, format, &arg, 1);
}

static int star(struct awk *a, struct node **arg, uint32_t n, uint32_t *at)
{
	double v = *at < n ? eval_num(a, arg[*at]) : 0;

	if (*at >= n)
		awk_die(a, "not enough arguments to satisfy format string");
	++*at;
	return v > WIDTH_MAX ? WIDTH_MAX : v < -WIDTH_MAX ? -WIDTH_MAX : (int)v;
}

void awk_format(struct awk *a, struct u_buf *b, struct str format, struct node **arg, uint32_t n)
{
	const char *s = format.ptr, *end = s + format.len;
	uint32_t at = 0;

	while (s < end) {
		struct spec f = {.precision = -1};
		const char *from = s, *hit = memchr(s, '%', (size_t)(end - s));
		struct cell c = {0};

		if (!hit) {
			u_buf_put(b, s, (size_t)(end - s));
			return;
		}
		u_buf_put(b, s, (size_t)(hit - s));
		from = hit;
		s = hit + 1;
		if (s < end && *s == '%') {
			u_buf_putc(b, '%');
			s++;
			continue;
		}
		/* %2$s */
		const char *d = s;
		uint64_t position = 0;

		while (d < end && ascii_digit(*d))
			position = MIN(position * 10 + (uint64_t)(*d++ - '0'), (uint64_t)1 << 31);
		if (d < end && *d == '$' && d > s) {
			s = d + 1;
			if (position == 0 || position > n)
				awk_die(a, "arg count with `$' greater than total number of supplied arguments");
			at = (uint32_t)position - 1;
		}
		for (; s < end; s++) {
			if (*s == '-')
				f.minus = true;
			else if (*s == '+')
				f.plus = true;
			else if (*s == ' ')
				f.space = true;
			else if (*s == '#')
				f.alt = true;
			else if (*s == '0')
				f.zero = true;
			else if (*s == '\'')
				f.group = true;
			else
				break;
		}
		if (s < end && *s == '*') {
			f.width = star(a, arg, n, &at);
			if (f.width < 0) {
				f.minus = true;
				f.width = -f.width;
			}
			s++;
		} else {
			for (; s < end && ascii_digit(*s); s++)
				f.width = digit_more(f.width, *s);
		}
		if (s < end && *s == '.') {
			s++;
			f.precision = 0;
			if (s < end && *s == '*') {
				f.precision = star(a, arg, n, &at);
				if (f.precision < 0)
					f.precision = -1;
				s++;
			} else {
				for (; s < end && ascii_digit(*s); s++)
					f.precision = digit_more(f.precision, *s);
			}
		}
		while (s < end && (*s == 'h' || *s == 'l' || *s == 'L'))
			s++;
		if (s < end && *s == '%') {
			u_buf_putc(b, '%');
			s++;
			continue;
		}
		if (s == end || !strchr("cdiouxXeEfFgGaAs", *s)) {
			/* Not a conversion: printed as it stands. */
			u_buf_put(b, from, (size_t)(s - from) + (s < end));
			s += s < end;
			continue;
		}
		f.conv = *s++;
		if (at >= n)
			awk_die(a, "not enough arguments to satisfy format string\n\t`%.*s'\n\t%*s ran out for this one", (int)format.len, format.ptr,
				(int)(from - format.ptr) + 1 + (int)(s - 1 - from), "^");
		eval(a, arg[at++], &c);
		switch (f.conv) {
		case 'c': put_char(a, b, &f, &c); break;
		case 's': put_string(a, b, &f, &c); break;
		case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': put_integer(b, &f, cell_num(a, &c)); break;
		default: put_float(b, &f, cell_num(a, &c), f.conv); break;
		}
		cell_clear(a, &c);
	}
}
