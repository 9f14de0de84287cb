/* numfmt.c - numbers with units, in and out: the options, lines and fields. */
#include "numfmt/numfmt.h"

/* ---- Options ------------------------------------------------------------------------------------- */

static const struct u_word from_words[] = {
	{"none", SCALE_NONE}, {"auto", SCALE_AUTO}, {"si", SCALE_SI}, {"iec", SCALE_IEC}, {"iec-i", SCALE_IEC_I}};
static const struct u_word to_words[] = {
	{"none", SCALE_NONE}, {"si", SCALE_SI}, {"iec", SCALE_IEC}, {"iec-i", SCALE_IEC_I}};
static const struct u_word round_words[] = {
	{"up", ROUND_UP}, {"down", ROUND_DOWN}, {"from-zero", ROUND_FROM_ZERO}, {"towards-zero", ROUND_TO_ZERO},
	{"nearest", ROUND_NEAREST}};
static const struct u_word invalid_words[] = {
	{"abort", INVALID_ABORT}, {"fail", INVALID_FAIL}, {"warn", INVALID_WARN}, {"ignore", INVALID_IGNORE}};

static void opt_word(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct numfmt *f = opts;

	if (streq(o->lng, "from"))
		f->from = u_word_or_die(p, "--from", arg, from_words, COUNTOF(from_words));
	else if (streq(o->lng, "to"))
		f->to = u_word_or_die(p, "--to", arg, to_words, COUNTOF(to_words));
	else if (streq(o->lng, "round"))
		f->round = u_word_or_die(p, "--round", arg, round_words, COUNTOF(round_words));
	else
		f->invalid = u_word_or_die(p, "--invalid", arg, invalid_words, COUNTOF(invalid_words));
}

/* A number with a unit: K is 1000, Ki 1024. */
static void opt_unit(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct numfmt *f = opts;
	size_t n = strlen(arg);
	const char *s = arg;
	uint64_t v = 0;

	if (n > 2 && arg[n - 1] == 'i' && !ascii_digit(arg[n - 2]))
		s = u_strndup(p, arg, n - 1);
	else if (n > 0 && !ascii_digit(arg[n - 1]))
		s = u_format(p, "%sB", arg);
	if (*s && !ascii_digit(*s))
		s = u_format(p, "1%s", s);
	if (!ascii_digit(*s) || u_parse_size(s, "KMGTPEZY0", &v) < 0 || v == 0)
		u_die(p, 1, 0, "invalid unit size: %s", u_quote(p, arg));
	if (streq(o->lng, "from-unit"))
		f->from_unit = v;
	else
		f->to_unit = v;
}

static void opt_padding(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct numfmt *f = opts;
	const char *end;
	bool over = false;

	(void)o;
	f->padding = num_i64(arg, &end, 10, &over);
	if (end == arg || *end || over || f->padding == 0 || f->padding < INT32_MIN || f->padding > INT32_MAX)
		u_die(p, 1, 0, "invalid padding value %s", u_quote(p, arg));
}

static void opt_header(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct numfmt *f = opts;

	(void)o;
	f->header = 1;
	if (arg && (!ascii_digit(*arg) || u_parse_size(arg, "", &f->header) < 0 || f->header == 0))
		u_die(p, 1, 0, "invalid header value %s", u_quote(p, arg));
}

static void opt_field(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct numfmt *f = opts;

	(void)o;
	if (f->field_list)
		u_die(p, 1, 0, "multiple field specifications");
	f->field_list = arg;
	f->fields = u_ranges_parse(p, arg, U_RANGES_ALL_DASH, &f->nfields);
}

static void opt_delim(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)o;
	if (arg[0] && arg[1])
		u_die(p, 1, 0, "the delimiter must be a single character");
	((struct numfmt *)opts)->delim = arg;
}

static const struct cmd_opt numfmt_opts[] = {
	CMD_FLAG(struct numfmt, debug, 0, "debug", "warn of doubtful input"),
	CMD_CALL('d', "delimiter", "X", opt_delim, "fields are separated by X, not by blanks"),
	CMD_CALL(0, "field", "FIELDS", opt_field, "convert these fields (1): N, N-, N-M, -M, -, and lists of them"),
	CMD_STRING(struct numfmt, format, 0, "format", "FORMAT", "print by FORMAT, which has one %f"),
	CMD_CALL(0, "from", "UNIT", opt_word, "the unit of input numbers: none, auto, si, iec, iec-i"),
	CMD_CALL(0, "from-unit", "N", opt_unit, "input numbers count N each"),
	CMD_FLAG(struct numfmt, grouping, 0, "grouping", "group digits as the locale does: not at all"),
	CMD_CALL_OPTIONAL(0, "header", "N", opt_header, "print the first N (1) lines as they are"),
	CMD_CALL(0, "invalid", "MODE", opt_word, "what a wrong number does: abort, fail, warn, ignore"),
	CMD_CALL(0, "padding", "N", opt_padding, "pad to N characters; to the left when N is negative"),
	CMD_CALL(0, "round", "METHOD", opt_word, "up, down, from-zero (default), towards-zero, nearest"),
	CMD_STRING(struct numfmt, suffix, 0, "suffix", "SUFFIX", "add SUFFIX; it may also be in the input"),
	CMD_CALL(0, "to", "UNIT", opt_word, "the unit of output numbers: none, si, iec, iec-i"),
	CMD_CALL(0, "to-unit", "N", opt_unit, "output numbers count N each"),
	CMD_FLAG(struct numfmt, zero, 'z', "zero-terminated", "lines end in NUL, not newline"),
};

static void defaults(void *opts)
{
	struct numfmt *f = opts;

	f->round = ROUND_FROM_ZERO;
	f->from_unit = f->to_unit = 1;
	f->precision = -1;
}

/* ---- Fields ------------------------------------------------------------------------------------- */

static bool is_chosen(const struct numfmt *f, uint64_t field)
{
	if (!f->fields)
		return field == 1;
	for (size_t i = 0; i < f->nfields; i++) {
		if (field >= f->fields[i].lo && field <= f->fields[i].hi)
			return true;
	}
	return false;
}

static void convert(struct numfmt *f, struct str text, uint64_t field)
{
	size_t n = text.len, ns = f->suffix ? strlen(f->suffix) : 0, blanks = 0, precision;
	struct arena_mark mark = arena_mark(&sys_self(f->p)->arena);
	long double v;

	if (f->suffix && n > ns && memcmp(text.ptr + n - ns, f->suffix, ns) == 0)
		n -= ns;
	while (blanks < n && ascii_blank(text.ptr[blanks]))
		blanks++;
	if (f->auto_padding)
		f->width = blanks > 0 || field > 1 ? n : 0;
	if (!numfmt_read(f, u_strndup(f->p, text.ptr + blanks, n - blanks), &v, &precision) ||
	    !numfmt_write(f, v, precision))
		u_put(f->out, text.ptr, n);
	arena_reset(&sys_self(f->p)->arena, mark);
}

static size_t field_length(const struct numfmt *f, struct str line)
{
	const char *hit;
	size_t n = 0;

	if (f->delim) {
		hit = line.len ? memchr(line.ptr, f->delim[0], line.len) : NULL;
		return hit ? (size_t)(hit - line.ptr) : line.len;
	}
	while (n < line.len && (ascii_blank(line.ptr[n]) || line.ptr[n] == '\n'))
		n++;
	while (n < line.len && !ascii_blank(line.ptr[n]) && line.ptr[n] != '\n')
		n++;
	return n;
}

static void do_line(struct numfmt *f, struct str line)
{
	for (uint64_t field = 1;; field++) {
		size_t n = field_length(f, line);

		sys_checkpoint(f->p);
		if (is_chosen(f, field))
			convert(f, (struct str){line.ptr, n}, field);
		else
			u_put(f->out, line.ptr, n);
		if (n == line.len)
			return;
		u_putc(f->out, f->delim ? f->delim[0] : ' ');
		line.ptr += n + 1;
		line.len -= n + 1;
	}
}

static void do_input(struct numfmt *f)
{
	char eol = f->zero ? '\0' : '\n';
	struct u_lines r;
	struct str line;

	u_lines_init(&r, f->p, 0, eol);
	while (u_lines_next(&r, &line)) {
		const char *nul = memchr(line.ptr, '\0', line.len);

		if (f->header > 0) {
			f->header--;
			u_put(f->out, line.ptr, line.len);
		} else {
			do_line(f, (struct str){line.ptr, nul ? (size_t)(nul - line.ptr) : line.len});
		}
		if (r.ended)
			u_putc(f->out, eol);
	}
	if (r.err)
		u_warn(f->p, r.err, "error reading input");
}

static int numfmt_main(struct proc *p, const struct cmd_args *a)
{
	struct numfmt *f = a->opts;

	f->p = p;
	f->out = u_stdout(p);
	f->prefix = f->postfix = (struct str){"", 0};
	if (f->format && f->grouping)
		u_die(p, 1, 0, "--grouping cannot be combined with --format");
	if (f->debug && !f->format && !f->grouping && !f->padding && f->from == SCALE_NONE && f->to == SCALE_NONE &&
	    f->from_unit == 1 && f->to_unit == 1 && !f->suffix)
		u_warn(p, 0, "no conversion option specified");
	if (f->format)
		numfmt_parse_format(f);
	if (f->grouping && f->to != SCALE_NONE)
		u_die(p, 1, 0, "grouping cannot be combined with --to");
	f->auto_padding = f->padding == 0 && !f->delim;
	f->width = (uint64_t)(f->padding < 0 ? -f->padding : f->padding);
	if (f->debug && a->argc && f->header)
		u_warn(p, 0, "--header ignored with command-line input");
	for (int i = 0; i < a->argc; i++) {
		do_line(f, str_from(a->argv[i]));
		u_putc(f->out, f->zero ? '\0' : '\n');
	}
	if (a->argc == 0)
		do_input(f);
	if (f->debug && f->failed)
		u_warn(p, 0, "failed to convert some of the input numbers");
	return f->failed ? 2 : 0;
}

static const struct cmd_example numfmt_examples[] = {
	{"numfmt --to=iec 2048 1000000", "2.0K\n977K\n"},
	{"echo 'size 1.5K' | numfmt --field=2 --from=iec", "size 1536\n"},
	{"numfmt --to=si --format='%.2f' 123456", "123.46K\n"},
};

const struct cmd cmd_numfmt = {
	.name = "numfmt",
	.summary = "convert numbers to and from human-readable strings",
	.synopsis = "[OPTION]... [NUMBER]...",
	.description =
		"Without NUMBER, the numbers in the fields of standard input are converted. UNIT is none,\n"
		"auto (1K = 1000, 1Ki = 1024), si (1K = 1000), iec (1K = 1024) or iec-i (1Ki = 1024).\n"
		"The status is 2 when a number could not be converted.",
	.opts = numfmt_opts,
	.nopts = COUNTOF(numfmt_opts),
	.opts_size = sizeof(struct numfmt),
	.defaults = defaults,
	.main = numfmt_main,
	.examples = numfmt_examples,
	.nexamples = COUNTOF(numfmt_examples),
};
