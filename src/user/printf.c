/* printf.c - the printf of the shell and of GNU, over one interpreter of formats.
 *
 * The two agree on the conversions and differ in their escapes, in what a format may say,
 * and in every message; those differences are in the functions that end in _bash and _gnu and
 * in printf_escape.c. Output goes through `emit`, which hands it on in pieces when the host
 * takes pieces, so that a width of a billion needs no memory. */
#include "printf.h"

#define SPILL 65536u

struct spec {
	unsigned flags;
	unsigned flag_chars; /* bits of FLAG_..., as written */
	int width;
	int precision; /* < 0: none */
	bool has_width, has_precision, has_length, star_precision;
	bool too_wide;     /* a number in the format does not fit an int */
	const char *start; /* at the % */
};

enum { FLAG_QUOTE = 1, FLAG_HASH = 2, FLAG_ZERO = 4 };

/* ---- Output ------------------------------------------------------------------------ */

static void spill(struct printf_run *r)
{
	struct u_printf_host *h = r->h;

	if (!h->spill || h->out->len < SPILL)
		return;
	r->spilled += (int64_t)h->out->len;
	h->spill(h);
}

void printf_emit(struct printf_run *r, const char *s, size_t n)
{
	u_buf_put(r->h->out, s, n);
	spill(r);
}

static void sink_put(struct fmt_sink *s, const char *ptr, size_t n)
{
	printf_emit(CONTAINER_OF(s, struct printf_run, sink), ptr, n);
	sys_checkpoint(CONTAINER_OF(s, struct printf_run, sink)->h->p);
}

void printf_warn(struct printf_run *r, const char *fmt, ...)
{
	struct u_buf b;
	struct u_buf_sink s = u_buf_sink(&b);
	va_list ap;

	u_buf_init(&b, r->h->p, 0);
	va_start(ap, fmt);
	fmt_v(&s.sink, fmt, ap);
	va_end(ap);
	r->h->warn(r->h, b.ptr);
}

/* ---- Conversions --------------------------------------------------------------------------- */

static void pad(struct printf_run *r, char c, int64_t n)
{
	char buf[128];

	memset(buf, c, sizeof(buf));
	while (n > 0) {
		size_t step = (size_t)MIN(n, (int64_t)sizeof(buf));

		sink_put(&r->sink, buf, step);
		n -= (int64_t)step;
	}
}

static void put_text(struct printf_run *r, const struct spec *f, const char *s, size_t n)
{
	if (f->precision >= 0 && (size_t)f->precision < n)
		n = (size_t)f->precision;
	if (!(f->flags & FMT_MINUS))
		pad(r, ' ', (int64_t)f->width - (int64_t)n);
	printf_emit(r, s, n);
	if (f->flags & FMT_MINUS)
		pad(r, ' ', (int64_t)f->width - (int64_t)n);
}

static void put_integer(struct printf_run *r, const struct spec *f, char conv)
{
	char form[16];
	size_t n = 0;

	form[n++] = '%';
	if (f->flags & FMT_MINUS)
		form[n++] = '-';
	if (f->flags & FMT_PLUS)
		form[n++] = '+';
	if (f->flags & FMT_SPACE)
		form[n++] = ' ';
	if (f->flags & FMT_ALT)
		form[n++] = '#';
	if (f->flags & FMT_ZERO)
		form[n++] = '0';
	memcpy(form + n, "*.*ll", 5);
	form[n + 5] = conv;
	form[n + 6] = '\0';
	/* The format was put together here: the compiler cannot check it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (conv == 'd' || conv == 'i')
		fmt_put(&r->sink, form, f->width, f->precision, (long long)printf_signed(r));
	else
		fmt_put(&r->sink, form, f->width, f->precision,
		        (unsigned long long)printf_unsigned(r));
#pragma GCC diagnostic pop
}

static void put_escaped(struct printf_run *r, const struct spec *f, const char *s)
{
	struct u_buf b;

	u_buf_init(&b, r->h->p, 0);
	r->stop = !printf_escaped(r, &b, s);
	put_text(r, f, b.ptr, b.len);
}

static void put_quoted(struct printf_run *r, const struct spec *f, char conv, const char *s)
{
	struct spec plain = *f;
	size_t n = strlen(s);
	struct u_buf b;

	if (!r->h->bash_style) {
		s = u_quote_if_needed(r->h->p, s);
		put_text(r, f, s, strlen(s));
		return;
	}
	u_buf_init(&b, r->h->p, 0);
	if (conv == 'Q') {
		bool empty = n == 0;

		/* One given by * is ignored. */
		if (f->precision >= 0 && !f->star_precision)
			n = MIN(n, (size_t)f->precision);
		plain.precision = -1;
		if (n || empty)
			u_shell_quote(&b, s, n);
	} else {
		u_shell_quote(&b, s, n);
	}
	put_text(r, &plain, b.ptr, b.len);
}

static void put_time(struct printf_run *r, const struct spec *f, const char *form, size_t n)
{
	struct u_printf_host *h = r->h;
	struct sys_time t = {0, 0};
	const char *arg = r->at < r->argc ? r->argv[r->at] : NULL;
	struct u_tm tm;
	struct u_buf b;

	t.sec = arg ? printf_signed(r) : -1;
	if (t.sec == -1)
		t.sec = sys_clock(h->p, SYS_CLOCK_REAL) / 1000000000;
	else if (t.sec == -2)
		t.sec = h->shell_start ? h->shell_start(h)
		                       : sys_clock(h->p, SYS_CLOCK_REAL) / 1000000000;
	u_time_split(u_tz_get(h->p, h->tz), t, &tm);
	u_buf_init(&b, h->p, 0);
	u_time_format(&b, n ? form : "%X", n ? n : 2, &tm);
	put_text(r, f, b.ptr, b.len);
}

/* %(form)T at p, which is at the parenthesis; what comes after, NULL when it is no such thing. */
static const char *time_spec(struct printf_run *r, const struct spec *f, const char *p)
{
	const char *form = p + 1, *q = form;
	int depth = 1;

	for (; *q && depth; q++)
		depth += *q == '(' ? 1 : *q == ')' ? -1 : 0;
	if (depth || *q != 'T') {
		printf_warn(r, "warning: `%.*s': invalid time format specification", *q ? 1 : 0, q);
		return NULL;
	}
	put_time(r, f, form, (size_t)(q - 1 - form));
	return q + 1;
}

static void put_char(struct printf_run *r, const struct spec *f)
{
	const char *s = printf_next(r);
	struct spec one = *f;

	one.precision = -1;
	put_text(r, &one, s ? s : "", 1);
}

static bool set_count(struct printf_run *r)
{
	const char *name = printf_next(r);
	struct u_printf_host *h = r->h;

	if (!name || !*name)
		return true;
	return h->set_count(h, name, r->spilled + (int64_t)h->out->len - r->begin);
}

/* False when the letter is no conversion. */
static bool convert(struct printf_run *r, const struct spec *f, char conv)
{
	const char *s;

	switch (conv) {
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X': put_integer(r, f, conv); return true;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		fmt_float(&r->sink, printf_float(r), conv, f->flags, f->width, f->precision);
		return true;
	case 'c': put_char(r, f); return true;
	case 's':
		s = printf_next(r);
		put_text(r, f, s ? s : "", s ? strlen(s) : 0);
		return true;
	case 'b':
		s = printf_next(r);
		put_escaped(r, f, s ? s : "");
		return true;
	case 'q':
		s = printf_next(r);
		if (s || r->h->bash_style)
			put_quoted(r, f, conv, s ? s : "");
		return true;
	case 'Q':
		if (!r->h->bash_style)
			return false;
		s = printf_next(r);
		put_quoted(r, f, conv, s ? s : "");
		return true;
	case 'n':
		if (!r->h->bash_style || !r->h->set_count)
			return false;
		if (!set_count(r)) {
			r->status = 1;
			r->stop = true;
		}
		return true;
	default: return false;
	}
}

/* ---- Formats
 * ------------------------------------------------------------------------------------- */

static const char *read_flags(const char *p, struct spec *f)
{
	for (;; p++) {
		switch (*p) {
		case '-': f->flags |= FMT_MINUS; break;
		case '+': f->flags |= FMT_PLUS; break;
		case ' ': f->flags |= FMT_SPACE; break;
		case '#':
			f->flags |= FMT_ALT;
			f->flag_chars |= FLAG_HASH;
			break;
		case '0':
			f->flags |= FMT_ZERO;
			f->flag_chars |= FLAG_ZERO;
			break;
		case '\'': f->flag_chars |= FLAG_QUOTE; break;
		default: return p;
		}
	}
}

static const char *read_number(const char *p, struct spec *f, int *out)
{
	int64_t v = 0;

	for (; ascii_digit((unsigned char)*p); p++) {
		v = v * 10 + (*p - '0');
		if (v > INT32_MAX) {
			f->too_wide = true;
			v = INT32_MAX;
		}
	}
	*out = (int)v;
	return p;
}

/* Flags, width and precision after the %; NULL when a * argument ended everything. */
static const char *read_spec(struct printf_run *r, const char *p, struct spec *f)
{
	p = read_flags(p, f);
	if (*p == '*') {
		f->has_width = true;
		if (!printf_star(r, &f->width, false))
			return NULL;
		if (f->width < 0) {
			f->flags |= FMT_MINUS;
			f->width = f->width == INT32_MIN ? INT32_MAX : -f->width;
		}
		p++;
	} else if (ascii_digit((unsigned char)*p)) {
		f->has_width = true;
		p = read_number(p, f, &f->width);
	}
	if (*p != '.')
		return p;
	f->has_precision = true;
	p++;
	if (*p == '*') {
		f->star_precision = true;
		if (!printf_star(r, &f->precision, true))
			return NULL;
		if (f->precision < 0)
			f->precision = -1;
		return p + 1;
	}
	/* A sign is read and makes it none. */
	if (*p == '-' && ascii_digit((unsigned char)p[1])) {
		p = read_number(p + 1, f, &f->precision);
		f->precision = -1;
		return p;
	}
	return read_number(p, f, &f->precision);
}

static bool fits_gnu(const struct spec *f, char conv)
{
	if (conv == 'b' || conv == 'q')
		return !f->flags && !f->flag_chars && !f->has_width && !f->has_precision &&
		       !f->has_length;
	if ((f->flag_chars & FLAG_QUOTE) && !strchr("diufFgG", conv))
		return false;
	if ((f->flag_chars & FLAG_HASH) && strchr("cdisu", conv))
		return false;
	if ((f->flag_chars & FLAG_ZERO) && strchr("cs", conv))
		return false;
	return !(f->has_precision && conv == 'c');
}

/* A conversion the format may not have. */
static void refuse(struct printf_run *r, const struct spec *f, const char *p)
{
	r->status = 1;
	r->stop = true;
	if (!r->h->bash_style)
		printf_warn(r, "%.*s: invalid conversion specification",
		            (int)(p - f->start) + (*p ? 1 : 0), f->start);
	else if (*p)
		printf_warn(r, "`%c': invalid format character", *p);
	else
		printf_warn(r, "`%s': missing format character", f->start);
}

/* A directive whose % is at p; what comes after it. */
static const char *directive(struct printf_run *r, const char *p)
{
	struct spec f = {.precision = -1, .start = p};
	const char *q, *after;

	if (p[1] == '%') {
		printf_emit(r, "%", 1);
		return p + 2;
	}
	q = read_spec(r, p + 1, &f);
	if (!q) {
		r->stop = true;
		return p + strlen(p);
	}
	if (*q == '(' && r->h->bash_style) {
		after = time_spec(r, &f, q);
		if (after)
			return after;
		printf_emit(r, "%", 1);
		return p + 1;
	}
	after = q;
	while (*q && strchr("hlLjzt", *q))
		q++;
	f.has_length = q > after;
	if (f.too_wide && *q) {
		/* The C library's printf gives up on it: bash prints nothing then and does not
		 * tell. */
		if (!r->h->bash_style) {
			printf_warn(r, "write error");
			r->status = 1;
			r->stop = true;
		} else {
			printf_next(r);
		}
		return q + 1;
	}
	if (!*q || (!r->h->bash_style && !fits_gnu(&f, *q)) || !convert(r, &f, *q)) {
		refuse(r, &f, q);
		return q + strlen(q);
	}
	return q + 1;
}

static void run_once(struct printf_run *r, const char *format)
{
	const char *p = format;

	while (*p && !r->stop) {
		size_t n = strcspn(p, "%\\");

		if (n)
			printf_emit(r, p, n);
		p += n;
		if (*p == '%')
			p = directive(r, p);
		else if (*p == '\\')
			p = printf_format_escape(r, p + 1);
		sys_checkpoint(r->h->p);
	}
}

int u_printf_run(struct u_printf_host *h, const char *format, int argc, char *const *argv)
{
	struct printf_run r = {.h = h, .argc = argc, .argv = argv, .sink = {sink_put}};

	r.begin = (int64_t)h->out->len;
	do {
		int before = r.at;

		run_once(&r, format);
		if (r.at == before)
			break;
	} while (!r.stop && r.at < r.argc);
	if (!h->bash_style && !r.stop && r.at < r.argc)
		printf_warn(&r, "warning: ignoring excess arguments, starting with %s",
		            u_quote(h->p, argv[r.at]));
	return r.status;
}
