/* fmt.c - formatted text into a sink: the conversions other than floating numbers.
 *
 * One loop reads the format; each conversion is described by a struct spec and printed by one
 * function. Padding is streamed in small pieces, so a width costs no memory. */
#include "fmt.h"
#include "num.h"

enum length { LEN_NONE, LEN_HH, LEN_H, LEN_L, LEN_LL, LEN_J, LEN_Z, LEN_T, LEN_LD };

struct spec {
	unsigned flags;
	int width;
	int precision; /* < 0: not given */
	enum length length;
	char conv;
};

/* Counts what passes. */
struct counter {
	struct fmt_sink sink;
	struct fmt_sink *to;
	size_t n;
};

static void counter_put(struct fmt_sink *s, const char *ptr, size_t n)
{
	struct counter *c = CONTAINER_OF(s, struct counter, sink);

	c->n += n;
	c->to->put(c->to, ptr, n);
}

static void pad(struct fmt_sink *s, char c, int64_t n)
{
	char buf[64];

	if (n <= 0)
		return;
	memset(buf, c, sizeof(buf));
	while (n > 0) {
		size_t step = (size_t)MIN(n, (int64_t)sizeof(buf));

		s->put(s, buf, step);
		n -= (int64_t)step;
	}
}

static void put_bytes(struct fmt_sink *s, const struct spec *f, const char *ptr, size_t n)
{
	if (!(f->flags & FMT_MINUS))
		pad(s, ' ', (int64_t)f->width - (int64_t)n);
	if (n)
		s->put(s, ptr, n);
	if (f->flags & FMT_MINUS)
		pad(s, ' ', (int64_t)f->width - (int64_t)n);
}

static size_t put_radix(char *end, uint64_t v, unsigned shift, const char *digits)
{
	char *p = end;

	while (v) {
		*--p = digits[v & ((1u << shift) - 1)];
		v >>= shift;
	}
	return (size_t)(end - p);
}

static void put_integer(struct fmt_sink *s, const struct spec *f, uint64_t v, bool negative)
{
	char buf[24], head[3];
	char *end = buf + sizeof(buf), *digits;
	size_t n, nhead = 0;
	int64_t zeros, blanks;

	if (f->conv == 'x' || f->conv == 'X' || f->conv == 'p') {
		n = put_radix(end, v, 4, f->conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef");
		digits = end - n;
	} else if (f->conv == 'o') {
		n = put_radix(end, v, 3, "01234567");
		digits = end - n;
	} else {
		n = v ? num_put_u64(buf, v) : 0;
		digits = buf;
	}
	if (f->conv == 'd' || f->conv == 'i') {
		if (negative)
			head[nhead++] = '-';
		else if (f->flags & FMT_PLUS)
			head[nhead++] = '+';
		else if (f->flags & FMT_SPACE)
			head[nhead++] = ' ';
	} else if ((f->flags & FMT_ALT) && v && (f->conv == 'x' || f->conv == 'X')) {
		head[nhead++] = '0';
		head[nhead++] = f->conv;
	} else if (f->conv == 'p') {
		head[nhead++] = '0';
		head[nhead++] = 'x';
	}
	zeros = (f->precision < 0 ? 1 : f->precision) - (int64_t)n;
	if (f->conv == 'o' && (f->flags & FMT_ALT) && zeros <= 0)
		zeros = 1;
	if (zeros < 0)
		zeros = 0;
	blanks = (int64_t)f->width - (int64_t)(nhead + n) - zeros;
	if (blanks > 0 && (f->flags & (FMT_ZERO | FMT_MINUS)) == FMT_ZERO && f->precision < 0) {
		zeros += blanks;
		blanks = 0;
	}
	if (!(f->flags & FMT_MINUS))
		pad(s, ' ', blanks);
	if (nhead)
		s->put(s, head, nhead);
	pad(s, '0', zeros);
	if (n)
		s->put(s, digits, n);
	if (f->flags & FMT_MINUS)
		pad(s, ' ', blanks);
}

static const char *read_flags(const char *p, struct spec *f)
{
	for (;; p++) {
		switch (*p) {
		case '-': f->flags |= FMT_MINUS; break;
		case '+': f->flags |= FMT_PLUS; break;
		case ' ': f->flags |= FMT_SPACE; break;
		case '#': f->flags |= FMT_ALT; break;
		case '0': f->flags |= FMT_ZERO; break;
		case '\'': f->flags |= FMT_GROUP; break;
		default: return p;
		}
	}
}

static const char *read_count(const char *p, int *out)
{
	int v = 0;

	while (ascii_digit((unsigned char)*p)) {
		if (v <= (INT32_MAX - 9) / 10)
			v = v * 10 + (*p - '0');
		p++;
	}
	*out = v;
	return p;
}

static const char *read_length(const char *p, struct spec *f)
{
	switch (*p) {
	case 'h': f->length = p[1] == 'h' ? LEN_HH : LEN_H; return p + (p[1] == 'h' ? 2 : 1);
	case 'l': f->length = p[1] == 'l' ? LEN_LL : LEN_L; return p + (p[1] == 'l' ? 2 : 1);
	case 'j': f->length = LEN_J; return p + 1;
	case 'z': f->length = LEN_Z; return p + 1;
	case 't': f->length = LEN_T; return p + 1;
	case 'L': f->length = LEN_LD; return p + 1;
	default: return p;
	}
}

static int64_t arg_signed(enum length length, va_list *ap)
{
	switch (length) {
	case LEN_HH: return (signed char)va_arg(*ap, int);
	case LEN_H: return (short)va_arg(*ap, int);
	case LEN_L: return va_arg(*ap, long);
	case LEN_LL: return va_arg(*ap, long long);
	case LEN_J: return va_arg(*ap, intmax_t);
	case LEN_Z: return (int64_t)va_arg(*ap, size_t);
	case LEN_T: return va_arg(*ap, ptrdiff_t);
	default: return va_arg(*ap, int);
	}
}

static uint64_t arg_unsigned(enum length length, va_list *ap)
{
	switch (length) {
	case LEN_HH: return (unsigned char)va_arg(*ap, unsigned);
	case LEN_H: return (unsigned short)va_arg(*ap, unsigned);
	case LEN_L: return va_arg(*ap, unsigned long);
	case LEN_LL: return va_arg(*ap, unsigned long long);
	case LEN_J: return va_arg(*ap, uintmax_t);
	case LEN_Z: return va_arg(*ap, size_t);
	case LEN_T: return (uint64_t)va_arg(*ap, ptrdiff_t);
	default: return va_arg(*ap, unsigned);
	}
}

static void convert_string(struct fmt_sink *s, const struct spec *f, const char *text)
{
	size_t n;

	if (!text)
		text = "(null)";
	if (f->precision < 0) {
		n = strlen(text);
	} else {
		const char *end = memchr(text, '\0', (size_t)f->precision);

		n = end ? (size_t)(end - text) : (size_t)f->precision;
	}
	put_bytes(s, f, text, n);
}

/* A va_list may be an array type: it travels by pointer, in a struct of its own. */
struct args {
	va_list ap;
};

static void convert(struct fmt_sink *s, const struct spec *f, struct args *a)
{
	int64_t v;
	char c;

	switch (f->conv) {
	case 'd':
	case 'i':
		v = arg_signed(f->length, &a->ap);
		put_integer(s, f, v < 0 ? 0u - (uint64_t)v : (uint64_t)v, v < 0);
		break;
	case 'u':
	case 'o':
	case 'x':
	case 'X': put_integer(s, f, arg_unsigned(f->length, &a->ap), false); break;
	case 'p': put_integer(s, f, (uintptr_t)va_arg(a->ap, void *), false); break;
	case 'c':
		c = (char)va_arg(a->ap, int);
		put_bytes(s, f, &c, 1);
		break;
	case 's': convert_string(s, f, va_arg(a->ap, const char *)); break;
	default:
		if (f->length == LEN_LD)
			fmt_float(s, va_arg(a->ap, long double), f->conv, f->flags, f->width,
			          f->precision);
		else
			fmt_double(s, va_arg(a->ap, double), f->conv, f->flags, f->width,
			           f->precision);
		break;
	}
}

static const char *read_spec(const char *p, struct spec *f, struct args *a)
{
	p = read_flags(p, f);
	if (*p == '*') {
		f->width = va_arg(a->ap, int);
		if (f->width < 0) {
			f->flags |= FMT_MINUS;
			f->width = f->width == INT32_MIN ? INT32_MAX : -f->width;
		}
		p++;
	} else {
		p = read_count(p, &f->width);
	}
	if (*p == '.') {
		p++;
		if (*p == '*') {
			f->precision = va_arg(a->ap, int);
			p++;
		} else {
			p = read_count(p, &f->precision);
		}
	}
	return read_length(p, f);
}

size_t fmt_v(struct fmt_sink *s, const char *fmt, va_list ap)
{
	struct counter c = {{counter_put}, s, 0};
	struct args a;
	const char *p = fmt;

	va_copy(a.ap, ap);
	while (*p) {
		struct spec f = {.precision = -1};
		const char *start = p;

		while (*p && *p != '%')
			p++;
		if (p > start)
			c.sink.put(&c.sink, start, (size_t)(p - start));
		if (!*p)
			break;
		start = p;
		p = read_spec(p + 1, &f, &a);
		f.conv = *p;
		if (*p)
			p++;
		if (f.conv == '%')
			c.sink.put(&c.sink, "%", 1);
		else if (f.conv && strchr("diuoxXpcsfFeEgGaA", f.conv))
			convert(&c.sink, &f, &a);
		else
			c.sink.put(&c.sink, start, (size_t)(p - start));
	}
	va_end(a.ap);
	return c.n;
}

size_t fmt_put(struct fmt_sink *s, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	n = fmt_v(s, fmt, ap);
	va_end(ap);
	return n;
}

struct fixed {
	struct fmt_sink sink;
	char *ptr;
	size_t n, cap;
};

static void fixed_put(struct fmt_sink *s, const char *ptr, size_t n)
{
	struct fixed *f = CONTAINER_OF(s, struct fixed, sink);
	size_t take = MIN(n, f->cap - f->n);

	memcpy(f->ptr + f->n, ptr, take);
	f->n += take;
}

size_t fmt_buf_v(char *buf, size_t n, const char *fmt, va_list ap)
{
	struct fixed f = {{fixed_put}, buf, 0, n - 1};
	size_t len = fmt_v(&f.sink, fmt, ap);

	buf[f.n] = '\0';
	return len;
}

size_t fmt_buf(char *buf, size_t n, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	len = fmt_buf_v(buf, n, fmt, ap);
	va_end(ap);
	return len;
}
