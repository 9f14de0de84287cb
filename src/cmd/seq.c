/*
 * seq.c - print a sequence of numbers.
 *
 * Whole numbers are counted up in their decimal digits, however many there are; everything
 * else is computed as long double, term by term from the first, and printed by a format that shows
 * as many places as the operands do.
 */
#include "cmd.h"

struct seq {
	const char *format, *separator;
	bool equal_width;

	struct proc *p;
	struct u_out *out;
};

static const struct cmd_opt seq_opts[] = {
	CMD_STRING(struct seq, format, 'f', "format", "FORMAT", "print each number as printf FORMAT says"),
	CMD_STRING(struct seq, separator, 's', "separator", "STRING", "put STRING between numbers, not a newline"),
	CMD_FLAG(struct seq, equal_width, 'w', "equal-width", "make all numbers equally wide, with leading zeros"),
};

static void defaults(void *opts)
{
	((struct seq *)opts)->separator = "\n";
}

/* Options end at the first operand, and a negative number is one. */
static char **rewrite(struct proc *p, int *argc, char **argv)
{
	char **out;
	int i = 1;

	for (; i < *argc; i++) {
		const char *s = argv[i];

		if (s[0] != '-' || !s[1] || streq(s, "--"))
			return argv;
		if (ascii_digit(s[1]) || s[1] == '.')
			break;
		if (s[1] == '-') {
			size_t n = strlen(s + 2);

			if (n > 0 && (strncmp("format", s + 2, n) == 0 || strncmp("separator", s + 2, n) == 0))
				i++;
		} else {
			s += strcspn(s, "fs");
			if (*s && !s[1])
				i++;
		}
	}
	if (i >= *argc)
		return argv;
	out = u_array(p, (size_t)*argc + 2, sizeof(*out));
	memcpy(out, argv, (size_t)i * sizeof(*out));
	out[i] = u_strdup(p, "--");
	memcpy(out + i + 1, argv + i, (size_t)(*argc - i + 1) * sizeof(*out));
	(*argc)++;
	return out;
}

/* ---- Operands ------------------------------------------------------------------------------- */

struct operand {
	long double value;
	int width;		/* of the number in plain notation */
	int precision;		/* places after the point; INT32_MAX: not to be told */
};

/* How wide and how precise the number is as it was written. */
static void measure(struct operand *o, const char *s)
{
	const char *point = strchr(s, '.'), *e = s + strcspn(s, "eE");
	size_t fraction = 0;

	o->width = 0;
	o->precision = INT32_MAX;
	if (!point && !strchr(s, 'p'))
		o->precision = 0;
	if (s[strcspn(s, "xX")] || !__builtin_isfinite(o->value))
		return;
	o->width = (int)MIN(strlen(s), 100000u);
	if (point) {
		fraction = strcspn(point + 1, "eE");
		o->precision = (int)MIN(fraction, 100000u);
		if (fraction == 0)
			o->width--; /* "1." is printed as "1" */
		else if (point == s || !ascii_digit(point[-1]))
			o->width++; /* ".1" as "0.1" */
	}
	if (*e) {
		int64_t n = num_i64(e + 1, &(const char *){NULL}, 10, NULL);

		n = MAX(MIN(n, 100000), -100000);
		o->precision += n < 0 ? (int)-n : -(int)MIN(o->precision, n);
		o->width -= (int)strlen(e);
		if (n < 0) {
			if (!point || e == point + 1)
				o->width++;
			n = -n;
		} else {
			if (point && o->precision == 0 && fraction)
				o->width--; /* the point goes */
			n -= MIN((int64_t)fraction, n);
		}
		o->width += (int)n;
	}
}

static struct operand operand(struct proc *p, const char *arg)
{
	const char *end, *s = arg;
	struct operand o;

	o.value = num_ldouble(arg, &end);
	if (end == arg || *end)
		u_usage(p, "invalid floating point argument: %s", u_quote(p, arg));
	if (__builtin_isnan(o.value))
		u_usage(p, "invalid %s argument: %s", u_quote(p, "not-a-number"), u_quote(p, arg));
	while (ascii_space((unsigned char)*s) || *s == '+')
		s++;
	measure(&o, s);
	return o;
}

/* ---- Formats ---------------------------------------------------------------------------------- */

struct layout {
	const char *prefix, *suffix;
	size_t prefix_len, suffix_len;
	unsigned flags;
	int width, precision;
	char conv;
};

/* "%%" as "%". */
static const char *literal(struct proc *p, const char *s, size_t n, size_t *len)
{
	char *out = u_alloc(p, n + 1);

	*len = 0;
	for (size_t i = 0; i < n; i++) {
		out[(*len)++] = s[i];
		i += s[i] == '%';
	}
	return out;
}

static const char *skip_to_directive(const char *s)
{
	for (; *s; s++) {
		if (*s == '%') {
			if (s[1] != '%')
				break;
			s++;
		}
	}
	return s;
}

static const char *digits(const char *s, int *v)
{
	uint64_t n = 0;

	for (; ascii_digit(*s); s++)
		n = MIN(n * 10 + (uint64_t)(*s - '0'), (uint64_t)INT32_MAX);
	*v = (int)n;
	return s;
}

static void parse_format(struct proc *p, const char *f, struct layout *l)
{
	static const char flag_letters[] = "-+ #0'";
	static const unsigned flag_bits[] = {FMT_MINUS, FMT_PLUS, FMT_SPACE, FMT_ALT, FMT_ZERO, FMT_GROUP};
	const char *s = skip_to_directive(f), *flag;

	memset(l, 0, sizeof(*l));
	if (!*s)
		u_die(p, 1, 0, "format %s has no %% directive", u_quote(p, f));
	l->prefix = literal(p, f, (size_t)(s - f), &l->prefix_len);
	for (s++; *s && (flag = strchr(flag_letters, *s)); s++)
		l->flags |= flag_bits[flag - flag_letters];
	s = digits(s, &l->width);
	l->precision = -1;
	if (*s == '.')
		s = digits(s + 1, &l->precision);
	s += *s == 'L';
	if (!*s)
		u_die(p, 1, 0, "format %s ends in %%", u_quote(p, f));
	if (!strchr("efgaEFGA", *s))
		u_die(p, 1, 0, "format %s has unknown %%%c directive", u_quote(p, f), *s);
	l->conv = *s++;
	if (*skip_to_directive(s))
		u_die(p, 1, 0, "format %s has too many %% directives", u_quote(p, f));
	l->suffix = literal(p, s, strlen(s), &l->suffix_len);
}

/* Enough places for the first number and the step; with -w enough room for all. */
static void default_format(const struct seq *s, struct operand first, struct operand step,
			   struct operand last, struct layout *l)
{
	int precision = MAX(first.precision, step.precision);

	memset(l, 0, sizeof(*l));
	l->prefix = l->suffix = "";
	l->precision = -1;
	l->conv = 'g';
	if (precision == INT32_MAX || last.precision == INT32_MAX)
		return;
	l->conv = 'f';
	l->precision = precision;
	if (s->equal_width) {
		int a = first.width + (precision - first.precision);
		int b = last.width + (precision - last.precision);

		a += first.precision == 0 && precision;
		b += last.precision == 0 && precision;
		b -= last.precision && precision == 0;
		l->width = MAX(a, b);
		l->flags = FMT_ZERO;
	}
}

/* ---- Printing ----------------------------------------------------------------------------------- */

struct buf_sink {
	struct fmt_sink sink;
	struct u_buf *b;
};

static void sink_put(struct fmt_sink *s, const char *ptr, size_t n)
{
	u_buf_put(CONTAINER_OF(s, struct buf_sink, sink)->b, ptr, n);
}

/* The number alone, without what the format has around it. */
static void format_number(const struct layout *l, long double x, struct u_buf *b)
{
	struct buf_sink s = {{sink_put}, b};

	b->len = 0;
	fmt_float(&s.sink, x, l->conv, l->flags, l->width, l->precision);
}

/* A number just past the end is printed when rounding shows it as the end and as new. */
static bool rounds_to(const struct layout *l, long double x, long double before, long double last,
		      struct u_buf *a, struct u_buf *b)
{
	const char *end;

	format_number(l, x, a);
	if (num_ldouble(a->ptr, &end) != last || *end)
		return false;
	format_number(l, before, b);
	return !str_eq((struct str){a->ptr, a->len}, (struct str){b->ptr, b->len});
}

static void print_floats(struct seq *s, const struct layout *l, long double first, long double step,
			 long double last)
{
	long double x = first, next;
	struct u_buf a, b;
	bool past = step < 0 ? first < last : last < first;

	if (past)
		return;
	u_buf_init(&a, s->p, 0);
	u_buf_init(&b, s->p, 0);
	for (long double i = 1;; i++) {
		format_number(l, x, &a);
		u_put(s->out, l->prefix, l->prefix_len);
		u_put(s->out, a.ptr, a.len);
		u_put(s->out, l->suffix, l->suffix_len);
		if (past)
			break;
		next = first + i * step;
		past = step < 0 ? next < last : last < next;
		if (past && !rounds_to(l, next, x, last, &a, &b))
			break;
		x = next;
		u_puts(s->out, s->separator);
		sys_checkpoint(s->p);
	}
	u_putc(s->out, '\n');
}

/* ---- Whole numbers, digit by digit ---------------------------------------------------------------- */

static bool all_digits(const char *s)
{
	return *s && !s[strspn(s, "0123456789")];
}

static const char *without_zeros(const char *s)
{
	while (*s == '0' && s[1])
		s++;
	return s;
}

/* Digits with room for a carry in front. */
struct counter {
	char *buf;		/* of `cap` bytes, the digits at its end */
	size_t cap, len;
};

static void add_step(struct proc *p, struct counter *c, uint64_t step)
{
	char *d = c->buf + c->cap;
	uint64_t carry = step;

	for (size_t i = 0; carry > 0; i++) {
		d--;
		if (i == c->len) {
			if (c->len == c->cap) {
				char *bigger = u_alloc(p, c->cap * 2);

				memcpy(bigger + c->cap, c->buf, c->cap);
				c->buf = bigger;
				d = c->buf + c->cap - 1;
				c->cap *= 2;
			}
			*d = '0';
			c->len++;
		}
		carry += (uint64_t)(*d - '0');
		*d = (char)('0' + carry % 10);
		carry /= 10;
	}
}

/* last NULL: without end. */
static void print_whole(struct seq *s, const char *first, uint64_t step, const char *last)
{
	struct counter c = {NULL, MAX(strlen(first), 31u) + 1, strlen(first)};
	size_t last_len = last ? strlen(last) : SIZE_MAX, sep = strlen(s->separator);
	bool any = false;

	c.buf = u_alloc(s->p, c.cap);
	memcpy(c.buf + c.cap - c.len, first, c.len);
	while (c.len < last_len || (c.len == last_len && memcmp(c.buf + c.cap - c.len, last, c.len) <= 0)) {
		if (any)
			u_put(s->out, s->separator, sep);
		any = true;
		u_put(s->out, c.buf + c.cap - c.len, c.len);
		add_step(s->p, &c, step);
		sys_checkpoint(s->p);
	}
	if (any)
		u_putc(s->out, '\n');
}

static const char *whole_text(struct proc *p, long double x)
{
	return u_format(p, "%.0Lf", x);
}

static int seq_main(struct proc *p, const struct cmd_args *a)
{
	struct seq *s = a->opts;
	struct operand first = {1, 1, 0}, step = {1, 1, 0}, last;
	const char *from = "1", *by = "1", *to;
	struct layout l;
	uint64_t small_step = 0;
	int n = a->argc;

	s->p = p;
	s->out = u_stdout(p);
	if (n < 1)
		u_usage(p, "missing operand");
	if (n > 3)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[3]));
	if (s->format)
		parse_format(p, s->format, &l);
	if (s->format && s->equal_width)
		u_usage(p, "format string may not be specified when printing equal width strings");
	to = a->argv[n - 1];
	if (n > 1)
		from = a->argv[0];
	if (n > 2)
		by = a->argv[1];
	if (!s->format && !s->equal_width && all_digits(from) && all_digits(to) && all_digits(by) &&
	    strlen(without_zeros(by)) < 18 && *without_zeros(by) != '0') {
		print_whole(s, without_zeros(from), num_u64(by, &(const char *){NULL}, 10, NULL),
			    without_zeros(to));
		return 0;
	}
	last = operand(p, a->argv[0]);
	if (n > 1) {
		first = last;
		last = operand(p, a->argv[1]);
	}
	if (n > 2) {
		step = last;
		if (step.value == 0)
			u_usage(p, "invalid Zero increment value: %s", u_quote(p, by));
		last = operand(p, a->argv[2]);
	}
	if (step.value > 0 && step.value < 1e15L)
		small_step = (uint64_t)step.value;
	if (!s->format && !s->equal_width && first.precision == 0 && step.precision == 0 &&
	    last.precision == 0 && __builtin_isfinite(first.value) && first.value >= 0 && last.value >= 0 &&
	    !__builtin_signbit(first.value) && small_step > 0 && (long double)small_step == step.value) {
		if (first.value <= last.value)
			print_whole(s, whole_text(p, first.value), small_step,
				    __builtin_isfinite(last.value) ? whole_text(p, last.value) : NULL);
		return 0;
	}
	if (!s->format)
		default_format(s, first, step, last, &l);
	print_floats(s, &l, first.value, step.value, last.value);
	return 0;
}

static const struct cmd_example seq_examples[] = {
	{"seq 3", "1\n2\n3\n"},
	{"seq -s, 0 .5 2", "0.0,0.5,1.0,1.5,2.0\n"},
	{"seq -w 8 10", "08\n09\n10\n"},
};

const struct cmd cmd_seq = {
	.name = "seq",
	.summary = "print the numbers from FIRST to LAST, INCREMENT apart",
	.synopsis = "[OPTION]... LAST\n[OPTION]... FIRST LAST\n[OPTION]... FIRST INCREMENT LAST",
	.description =
		"FIRST and INCREMENT are 1 unless they are given. FORMAT has one conversion of\n"
		"%a %e %f %g; without it numbers are printed with as many places as FIRST and\n"
		"INCREMENT have.",
	.opts = seq_opts,
	.nopts = COUNTOF(seq_opts),
	.opts_size = sizeof(struct seq),
	.defaults = defaults,
	.rewrite = rewrite,
	.stop_at_operand = true,
	.main = seq_main,
	.examples = seq_examples,
	.nexamples = COUNTOF(seq_examples),
};
