/*
 * number.c - numbers as numfmt reads and writes them: long doubles with units.
 *
 * They are rounded in steps like GNU's, so that the same digits come out.
 */
#include <float.h>
#include <math.h>

#include "numfmt.h"

#define MOST_DIGITS 27
static const char UNITS[] = "KMGTPEZY";

void numfmt_complain(struct numfmt *f, const char *fmt, ...)
{
	va_list ap;

	if (f->invalid == INVALID_IGNORE)
		return;
	va_start(ap, fmt);
	u_warn_v(f->p, 0, fmt, ap);
	va_end(ap);
	if (f->invalid == INVALID_ABORT)
		u_exit(f->p, 2);
	f->failed |= f->invalid == INVALID_FAIL;
}

/* ---- Reading ----------------------------------------------------------------------------------- */

enum outcome { READ_OK, READ_INEXACT, READ_OVERFLOW, READ_NO_NUMBER, READ_FORBIDDEN, READ_BAD_SUFFIX, READ_NO_I };

static long double power(long double base, unsigned n)
{
	long double v = 1;

	while (n-- > 0)
		v *= base;
	return v;
}

/* Digits at *s. */
static enum outcome read_digits(const char **s, long double *v)
{
	enum outcome r = READ_OK;
	const char *start = *s;
	unsigned digits = 0;

	for (*v = 0; ascii_digit(**s); ++*s) {
		if (*v != 0 || **s != '0')
			digits++;
		if (digits > NUMFMT_EXACT)
			r = READ_INEXACT;
		if (digits > MOST_DIGITS)
			return READ_OVERFLOW;
		*v = *v * 10 + (**s - '0');
	}
	return *s == start && **s != '.' ? READ_NO_NUMBER : r;
}

static enum outcome read_float(const char **s, long double *v, size_t *precision)
{
	bool negative = **s == '-';
	enum outcome r, r2;
	long double part;

	*s += negative;
	r = read_digits(s, v);
	*precision = 0;
	if (r >= READ_OVERFLOW)
		return r;
	if (**s == '.') {
		const char *start = ++*s;

		r2 = read_digits(s, &part);
		if (r2 >= READ_OVERFLOW)
			return r2;
		*precision = (size_t)(*s - start);
		*v += part / power(10, (unsigned)*precision);
		r = MAX(r, r2);
	}
	if (negative && *v != 0)
		*v = -*v;
	return r;
}

static enum outcome read_human(struct numfmt *f, const char **s, long double *v, size_t *precision)
{
	long double base = f->from == SCALE_SI || f->from == SCALE_AUTO ? 1000 : 1024;
	enum outcome r = read_float(s, v, precision);
	const char *unit;

	if (r >= READ_OVERFLOW || !**s)
		return r;
	while (ascii_blank(**s))
		++*s;
	unit = **s ? strchr(UNITS, **s) : NULL;
	if (!unit)
		return READ_BAD_SUFFIX;
	if (f->from == SCALE_NONE)
		return READ_FORBIDDEN;
	++*s;
	if (f->from == SCALE_AUTO && **s == 'i') {
		base = 1024;
		++*s;
	}
	*precision = 0;
	if (f->from == SCALE_IEC_I && *(*s)++ != 'i')
		return READ_NO_I;
	*v *= power(base, (unsigned)(unit - UNITS) + 1);
	return r;
}

bool numfmt_read(struct numfmt *f, const char *text, long double *value, size_t *precision)
{
	const char *s = text, *shown = u_quote(f->p, text);

	switch (read_human(f, &s, value, precision)) {
	case READ_INEXACT:
		if (f->debug)
			u_warn(f->p, 0, "large input value %s: possible precision loss", shown);
		break;
	case READ_OK: break;
	case READ_OVERFLOW: numfmt_complain(f, "value too large to be converted: %s", shown); return false;
	case READ_NO_NUMBER: numfmt_complain(f, "invalid number: %s", shown); return false;
	case READ_FORBIDDEN:
		numfmt_complain(f, "rejecting suffix in input: %s (consider using --from)", shown);
		return false;
	case READ_BAD_SUFFIX: numfmt_complain(f, "invalid suffix in input: %s", shown); return false;
	case READ_NO_I: numfmt_complain(f, "missing 'i' suffix in input: %s (e.g Ki/Mi/Gi)", shown); return false;
	}
	if (*s) {
		numfmt_complain(f, "invalid suffix in input %s: %s", shown, u_quote(f->p, s));
		return false;
	}
	if (f->from_unit != 1 || f->to_unit != 1)
		*value = *value * (long double)f->from_unit / (long double)f->to_unit;
	return true;
}

/* ---- Writing ------------------------------------------------------------------------------------ */

/* Zero has no sign: GNU's rounding goes through whole numbers. */
static long double rounded(const struct numfmt *f, long double v)
{
	switch (f->round) {
	case ROUND_UP: v = ceill(v); break;
	case ROUND_DOWN: v = floorl(v); break;
	case ROUND_FROM_ZERO: v = v < 0 ? floorl(v) : ceill(v); break;
	case ROUND_TO_ZERO: v = truncl(v); break;
	default: v = roundl(v); break;
	}
	return v == 0 ? 0 : v;
}

static unsigned log_of(long double *v, long double base)
{
	unsigned n = 0;

	if (*v != *v || *v > LDBL_MAX || *v < -LDBL_MAX)
		return 0;
	for (; *v >= base || *v <= -base; n++)
		*v /= base;
	return n;
}

static void put_value(struct numfmt *f, struct u_buf *b, long double v, size_t precision)
{
	u_buf_printf(b, "%0*.*Lf", (int)f->zero_width, (int)precision, v);
}

static void put_scaled(struct numfmt *f, struct u_buf *b, long double v)
{
	long double base = f->to == SCALE_SI ? 1000 : 1024, ten;
	unsigned unit = log_of(&v, base);
	bool below_ten = v < 10 && v > -10;
	size_t digits;

	ten = power(10, f->precision >= 0 ? (unsigned)MIN((uint64_t)f->precision, 3 * (uint64_t)unit) : below_ten);
	v = rounded(f, v * ten) / ten;
	if (v >= base || v <= -base) {
		v /= base;
		unit++;
	}
	digits = v != 0 && v < 10 && v > -10 && unit > 0;
	put_value(f, b, v, f->precision >= 0 ? (size_t)f->precision : digits);
	if (unit > 0)
		u_buf_putc(b, unit <= strlen(UNITS) ? UNITS[unit - 1] : '?');
	if (unit > 0 && f->to == SCALE_IEC_I)
		u_buf_putc(b, 'i');
}

static bool fits(struct numfmt *f, long double v, size_t precision)
{
	long double rest = v;
	unsigned digits = log_of(&rest, 10);

	if (f->to == SCALE_NONE && digits + precision > NUMFMT_EXACT) {
		if (precision)
			numfmt_complain(f, "value/precision too large to be printed: '%Lg/%llu' (consider using --to)", v,
					(unsigned long long)precision);
		else
			numfmt_complain(f, "value too large to be printed: '%Lg' (consider using --to)", v);
		return false;
	}
	if (digits > MOST_DIGITS - 1) {
		numfmt_complain(f, "value too large to be printed: '%Lg' (cannot handle values > 999Y)", v);
		return false;
	}
	return true;
}

static void put_blanks(struct numfmt *f, uint64_t n)
{
	for (; n > 0; n--) {
		u_putc(f->out, ' ');
		sys_checkpoint(f->p);
	}
}

bool numfmt_write(struct numfmt *f, long double v, size_t precision)
{
	struct u_buf b;
	uint64_t pad;

	if (f->precision >= 0)
		precision = (size_t)f->precision;
	if (!fits(f, v, precision))
		return false;
	u_buf_init(&b, f->p, 0);
	if (f->to == SCALE_NONE) {
		long double ten = power(10, (unsigned)precision);

		put_value(f, &b, rounded(f, v * ten) / ten, precision);
	} else {
		put_scaled(f, &b, v);
	}
	u_buf_puts(&b, f->suffix ? f->suffix : "");
	pad = f->width > b.len ? f->width - b.len : 0;
	u_put(f->out, f->prefix.ptr, f->prefix.len);
	put_blanks(f, f->padding < 0 ? 0 : pad);
	u_put(f->out, b.ptr, b.len);
	put_blanks(f, f->padding < 0 ? pad : 0);
	u_put(f->out, f->postfix.ptr, f->postfix.len);
	return true;
}

/* ---- --format ------------------------------------------------------------------------------------- */

/* Flags, width and precision at s, after the %; s at the letter. */
static const char *parse_directive(struct numfmt *f, const char *s)
{
	bool over = false, zero = false;
	const char *end;
	int64_t width;

	for (;; s++) {
		while (*s == ' ')
			s++;
		if (*s == '\'')
			f->grouping = true;
		else if (*s == '0')
			zero = true;
		else
			break;
	}
	width = num_i64(s, &end, 10, &over);
	if (over || width < INT32_MIN || width > INT32_MAX)
		u_die(f->p, 1, 0, "invalid format %s (width overflow)", u_quote(f->p, f->format));
	if (width && zero && width > 0)
		f->zero_width = (uint64_t)width;
	else if (width)
		f->padding = width;
	s = end;
	if (!*s)
		u_die(f->p, 1, 0, "format %s ends in %%", u_quote(f->p, f->format));
	if (*s == '.') {
		s++;
		f->precision = num_i64(s, &end, 10, &over);
		if (over || f->precision < 0 || f->precision > INT32_MAX || ascii_blank(*s) || *s == '+')
			u_die(f->p, 1, 0, "invalid precision in format %s", u_quote(f->p, f->format));
		s = end;
	}
	return s;
}

void numfmt_parse_format(struct numfmt *f)
{
	const char *s = f->format;
	size_t n = 0;

	for (; !(*s == '%' && s[1] != '%'); s += *s == '%' ? 2 : 1) {
		if (!*s)
			u_die(f->p, 1, 0, "format %s has no %% directive", u_quote(f->p, f->format));
		n++;
	}
	/* GNU takes as many bytes as there are characters: of "a%%b", three. */
	f->prefix = (struct str){f->format, n};
	s = parse_directive(f, s + 1);
	if (*s != 'f')
		u_die(f->p, 1, 0, "invalid format %s, directive must be %%[0]['][-][N][.][N]f", u_quote(f->p, f->format));
	f->postfix = str_from(++s);
	for (; *s; s += *s == '%' ? 2 : 1) {
		if (*s == '%' && s[1] != '%')
			u_die(f->p, 1, 0, "format %s has too many %% directives", u_quote(f->p, f->format));
	}
}
