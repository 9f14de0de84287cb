/*
 * csplit.c - cut a file into pieces at lines given by number or by what they say.
 *
 * Lines are held only from the last one written to the one in question: a piece that ends some lines before a
 * match needs them all, every other goes out as it is read. Line numbers count from 1; `current` is the line that
 * was looked at last, as in GNU's, where a search goes on after it.
 */
#include "cmd.h"

struct pattern {
	const char *arg;	/* as given, for messages */
	struct regex *re;	/* NULL: a line number */
	struct regex_scratch *scratch;
	bool skip;		/* %REGEXP%: no piece is written */
	int64_t offset;
	uint64_t line;
	uint64_t repeat;
	bool forever;
};

struct csplit {
	const char *format, *prefix, *digits;
	bool keep, quiet, elide, suppress;

	struct proc *p;
	struct pattern *pattern;
	size_t npatterns;

	/* Input */
	struct u_lines in;
	struct u_buf held;	/* whole lines, from `head` on */
	size_t head;
	uint64_t first;		/* the number of the line at head */
	uint64_t loaded;	/* of the last one held; first - 1: none */
	uint64_t cursor;	/* a line and where it is, so that searches go on */
	size_t cursor_at;
	uint64_t current;

	/* Output */
	struct u_out out;
	uint64_t bytes;
	uint64_t pieces;	/* that exist */
	bool is_open;		/* the last of them */
};

static const struct cmd_opt csplit_opts[] = {
	CMD_STRING(struct csplit, format, 'b', "suffix-format", "FORMAT", "number pieces by the printf FORMAT, not %02d"),
	CMD_STRING(struct csplit, prefix, 'f', "prefix", "PREFIX", "start the names of pieces with PREFIX, not xx"),
	CMD_FLAG(struct csplit, keep, 'k', "keep-files", "do not remove the pieces after an error"),
	CMD_FLAG(struct csplit, suppress, 0, "suppress-matched", "leave out the lines at which is cut"),
	CMD_STRING(struct csplit, digits, 'n', "digits", "DIGITS", "number pieces with DIGITS digits, not 2"),
	CMD_FLAG(struct csplit, quiet, 's', "quiet", "do not print the sizes of pieces"),
	CMD_FLAG(struct csplit, quiet, 0, "silent", NULL),
	CMD_FLAG(struct csplit, elide, 'z', "elide-empty-files", "leave out empty pieces"),
};

/* ---- Names of pieces ------------------------------------------------------------------------------------------ */

/* Refuses a suffix format that is not one conversion of an unsigned number. */
static void check_format(struct csplit *c)
{
	bool seen = false;

	for (const char *s = c->format; *s; s++) {
		if (*s != '%')
			continue;
		if (s[1] == '%') {
			s++;
			continue;
		}
		if (seen)
			u_die(c->p, 1, 0, "too many %% conversion specifications in suffix");
		seen = true;
		s++;
		s += strspn(s, "-'0#");
		if (strspn(s, "0123456789") > 4)
			u_die(c->p, 1, 0, "invalid flags in conversion specification");
		s += strspn(s, "0123456789");
		if (*s == '.')
			s += 1 + MIN(strspn(s + 1, "0123456789"), 4u);
		if (!*s)
			u_die(c->p, 1, 0, "missing conversion specifier in suffix");
		if (!strchr("diuoxX", *s)) {
			if (ascii_print((unsigned char)*s))
				u_die(c->p, 1, 0, "invalid conversion specifier in suffix: %c", *s);
			u_die(c->p, 1, 0, "invalid conversion specifier in suffix: \\%.3o", (unsigned char)*s);
		}
	}
	if (!seen)
		u_die(c->p, 1, 0, "missing %% conversion specification in suffix");
}

static const char *piece_name(struct csplit *c, uint64_t n)
{
	int digits = 2;
	struct u_buf b;
	uint64_t v;

	if (!c->format) {
		if (c->digits && (!ascii_digit(*c->digits) || u_parse_size(c->digits, "", &v) < 0 || v > 1000))
			u_die(c->p, 1, 0, "invalid number: %s", u_quote(c->p, c->digits));
		if (c->digits)
			digits = (int)v;
		return u_format(c->p, "%s%0*llu", c->prefix, digits, (unsigned long long)n);
	}
	u_buf_init(&b, c->p, 0);
	u_buf_puts(&b, c->prefix);
	for (const char *s = c->format; *s; s++) {
		size_t len;

		if (*s != '%' || s[1] == '%') {
			u_buf_putc(&b, *s);
			s += *s == '%';
			continue;
		}
		len = strcspn(s, "diuoxX");
		u_buf_printf(&b, u_format(c->p, "%.*sll%c", (int)len, s, s[len] == 'i' ? 'd' : s[len]), (long long)n);
		s += len;
	}
	return b.ptr;
}

static void remove_pieces(struct csplit *c)
{
	for (uint64_t i = 0; !c->keep && i < c->pieces; i++)
		(void)!sys_unlink(c->p, piece_name(c, i));
	c->pieces = 0;
}

static void open_piece(struct csplit *c)
{
	struct arena_mark mark = arena_mark(&sys_self(c->p)->arena);
	const char *name = piece_name(c, c->pieces);
	int fd = sys_open(c->p, name, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);

	if (fd < 0) {
		u_warn(c->p, fd, "%s", u_quote_if_needed(c->p, name));
		remove_pieces(c);
		u_exit(c->p, 1);
	}
	arena_reset(&sys_self(c->p)->arena, mark);
	c->pieces++;
	c->is_open = true;
	c->out.fd = fd;
	c->bytes = 0;
}

static void close_piece(struct csplit *c)
{
	c->is_open = false;
	u_flush(&c->out);
	if (c->out.err) {
		u_warn(c->p, c->out.err, "write error for %s", u_quote(c->p, piece_name(c, c->pieces - 1)));
		remove_pieces(c);
		u_exit(c->p, 1);
	}
	sys_close(c->p, c->out.fd);
	if (c->bytes == 0 && c->elide)
		(void)!sys_unlink(c->p, piece_name(c, --c->pieces));
	else if (!c->quiet)
		u_printf(u_stdout(c->p), "%llu\n", (unsigned long long)c->bytes);
}

/* ---- Lines ---------------------------------------------------------------------------------------------------- */

static bool load_line(struct csplit *c)
{
	struct str line;

	if (!u_lines_next(&c->in, &line)) {
		if (c->in.err)
			u_die(c->p, 1, c->in.err, "read error");
		return false;
	}
	if (c->head > 65536 && c->head > c->held.len / 2) {
		memmove(c->held.ptr, c->held.ptr + c->head, c->held.len - c->head);
		c->held.len -= c->head;
		c->cursor_at -= MIN(c->cursor_at, c->head);
		c->head = 0;
	}
	u_buf_put(&c->held, line.ptr, line.len);
	if (c->in.ended)
		u_buf_putc(&c->held, '\n');
	c->loaded++;
	return true;
}

static size_t line_length(const struct csplit *c, size_t at)
{
	const char *s = c->held.ptr + at, *nl = memchr(s, '\n', c->held.len - at);

	return nl ? (size_t)(nl + 1 - s) : c->held.len - at;
}

/* Line n, which must not have been written; false when there is none. */
static bool find_line(struct csplit *c, uint64_t n, struct str *line)
{
	while (c->loaded < n) {
		if (!load_line(c))
			return false;
	}
	if (n < c->first)
		return false;
	if (c->cursor < c->first || c->cursor > n) {
		c->cursor = c->first;
		c->cursor_at = c->head;
	}
	for (; c->cursor < n; c->cursor++)
		c->cursor_at += line_length(c, c->cursor_at);
	*line = (struct str){c->held.ptr + c->cursor_at, line_length(c, c->cursor_at)};
	return true;
}

static bool take_line(struct csplit *c, struct str *line)
{
	if (!find_line(c, c->first, line))
		return false;
	c->current = MAX(c->current, c->first);
	c->head += line->len;
	c->first++;
	return true;
}

static void write_line(struct csplit *c, struct str line)
{
	u_put(&c->out, line.ptr, line.len);
	c->bytes += line.len;
}

static void write_rest(struct csplit *c)
{
	struct str line;

	while (take_line(c, &line))
		write_line(c, line);
}

/* ---- Patterns --------------------------------------------------------------------------------------------------- */

static NORETURN void fail(struct csplit *c, const char *what, const char *which, uint64_t repetition)
{
	if (repetition)
		u_warn(c->p, 0, "%s: %s on repetition %llu", u_quote(c->p, which), what, (unsigned long long)repetition);
	else
		u_warn(c->p, 0, "%s: %s", u_quote(c->p, which), what);
	if (c->is_open)
		close_piece(c);
	remove_pieces(c);
	u_exit(c->p, 1);
}

static NORETURN void bad_line(struct csplit *c, const struct pattern *q, uint64_t repetition)
{
	fail(c, "line number out of range", u_format(c->p, "%llu", (unsigned long long)q->line), repetition);
}

static void cut_at_number(struct csplit *c, const struct pattern *q, uint64_t repetition)
{
	uint64_t end;
	struct str line;

	if (__builtin_mul_overflow(q->line, repetition + 1, &end))
		end = UINT64_MAX;
	open_piece(c);
	if (c->suppress && !find_line(c, c->current + 1, &line))
		bad_line(c, q, repetition);
	for (uint64_t n = c->first; n < end; n++) {
		if (!take_line(c, &line))
			bad_line(c, q, repetition);
		write_line(c, line);
	}
	close_piece(c);
	if (c->suppress)
		take_line(c, &line);
	else if (!find_line(c, c->current + 1, &line))
		bad_line(c, q, repetition);
}

static bool matches(struct csplit *c, const struct pattern *q, struct str line)
{
	int r;

	line.len -= line.len > 0 && line.ptr[line.len - 1] == '\n';
	r = regex_search(q->re, q->scratch, line.ptr, line.len, 0, 0, NULL, 0);
	if (r < 0) {
		u_warn(c->p, 0, "error in regular expression search");
		remove_pieces(c);
		u_exit(c->p, 1);
	}
	return r > 0;
}

/* Goes to the next line that matches; what need not be held is written on the way. */
static void go_to_match(struct csplit *c, const struct pattern *q, uint64_t repetition)
{
	struct str line;

	for (;;) {
		if (!find_line(c, ++c->current, &line)) {
			if (!q->skip) {
				write_rest(c);
				close_piece(c);
			}
			if (q->forever)
				u_exit(c->p, 0);
			fail(c, "match not found", q->arg, repetition);
		}
		if (matches(c, q, line))
			return;
		if (q->offset >= 0 && take_line(c, &line) && !q->skip)
			write_line(c, line);
		sys_checkpoint(c->p);
	}
}

static void cut_at_match(struct csplit *c, const struct pattern *q, uint64_t repetition)
{
	int64_t end;
	struct str line;

	if (!q->skip)
		open_piece(c);
	go_to_match(c, q, repetition);
	if (__builtin_add_overflow((int64_t)c->current, q->offset, &end))
		end = q->offset < 0 ? 0 : INT64_MAX;
	if ((int64_t)c->first > end)
		fail(c, "line number out of range", q->arg, 0);
	for (uint64_t left = (uint64_t)end - c->first; left > 0; left--) {
		if (!take_line(c, &line))
			fail(c, "line number out of range", q->arg, 0);
		if (!q->skip)
			write_line(c, line);
	}
	if (!q->skip)
		close_piece(c);
	if (q->offset > 0)
		c->current = (uint64_t)end;
	if (c->suppress)
		take_line(c, &line);
}

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

static void checkpoint(void *ctx)
{
	sys_checkpoint_n(ctx, 4096);
}

static void parse_regex(struct csplit *c, struct pattern *q)
{
	const char *close = strrchr(q->arg + 1, q->arg[0]), *end;
	struct arena *a = &sys_self(c->p)->arena;
	struct regex_error err;
	bool over = false;

	q->skip = q->arg[0] == '%';
	if (!close)
		u_die(c->p, 1, 0, "%s: closing delimiter '%c' missing", q->arg, q->arg[0]);
	q->re = regex_compile(a, q->arg + 1, (size_t)(close - q->arg - 1),
			      REGEX_LOOSE_BRE | REGEX_ANCHORS | REGEX_NOSUB | (u_utf8(c->p) ? REGEX_UTF8 : 0), &err);
	if (!q->re)
		u_die(c->p, 1, 0, "%s: invalid regular expression: %s", u_quote(c->p, q->arg), err.message);
	q->scratch = regex_scratch_new(a, q->re, checkpoint, c->p);
	if (close[1]) {
		q->offset = num_i64(close + 1, &end, 10, &over);
		if (end == close + 1 || *end || over)
			u_die(c->p, 1, 0, "%s: integer expected after delimiter", u_quote(c->p, q->arg));
	}
}

static void parse_number(struct csplit *c, struct pattern *q, uint64_t *last)
{
	if (!ascii_digit(*q->arg) || u_parse_size(q->arg, "", &q->line) < 0)
		u_die(c->p, 1, 0, "%s: invalid pattern", u_quote(c->p, q->arg));
	if (q->line == 0)
		u_die(c->p, 1, 0, "%s: line number must be greater than zero", q->arg);
	if (q->line < *last)
		u_die(c->p, 1, 0, "line number %s is smaller than preceding line number, %llu", u_quote(c->p, q->arg),
		      (unsigned long long)*last);
	if (q->line == *last)
		u_warn(c->p, 0, "warning: line number %s is the same as preceding line number", u_quote(c->p, q->arg));
	*last = q->line;
}

static void parse_repeat(struct csplit *c, struct pattern *q, const char *s)
{
	size_t n = strlen(s);

	if (s[n - 1] != '}')
		u_die(c->p, 1, 0, "%s: '}' is required in repeat count", u_quote(c->p, s));
	if (streq(s, "{*}")) {
		q->forever = true;
		return;
	}
	s = u_strndup(c->p, s, n - 1);
	if (!ascii_digit(s[1]) || u_parse_size(s + 1, "", &q->repeat) < 0)
		u_die(c->p, 1, 0, "%s}: integer required between '{' and '}'", u_quote(c->p, s));
}

static void parse_patterns(struct csplit *c, int n, char **arg)
{
	uint64_t last = 0;

	c->pattern = u_zalloc(c->p, size_mul((size_t)n, sizeof(*c->pattern)));
	for (int i = 0; i < n; i++) {
		struct pattern *q = &c->pattern[c->npatterns++];

		q->arg = arg[i];
		if (*q->arg == '/' || *q->arg == '%')
			parse_regex(c, q);
		else
			parse_number(c, q, &last);
		if (i + 1 < n && arg[i + 1][0] == '{')
			parse_repeat(c, q, arg[++i]);
	}
}

static int csplit_main(struct proc *p, const struct cmd_args *a)
{
	struct csplit *c = a->opts;
	int fd;

	c->p = p;
	c->prefix = c->prefix ? c->prefix : "xx";
	if (a->argc == 0)
		u_usage(p, "missing operand");
	if (a->argc == 1)
		u_usage(p, "missing operand after %s", u_quote(p, a->argv[0]));
	if (c->format)
		check_format(c);
	piece_name(c, 0);
	parse_patterns(c, a->argc - 1, a->argv + 1);
	fd = streq(a->argv[0], "-") ? 0 : sys_open(p, a->argv[0], SYS_O_READ, 0);
	if (fd < 0)
		u_die(p, 1, fd, "cannot open %s for reading", u_quote(p, a->argv[0]));
	u_lines_init(&c->in, p, fd, '\n');
	u_buf_init(&c->held, p, 0);
	u_out_init(&c->out, p, -1, 0);
	c->first = 1;
	for (size_t i = 0; i < c->npatterns; i++) {
		const struct pattern *q = &c->pattern[i];

		for (uint64_t k = 0; q->forever || k <= q->repeat; k++) {
			if (q->re)
				cut_at_match(c, q, k);
			else
				cut_at_number(c, q, k);
		}
	}
	open_piece(c);
	write_rest(c);
	close_piece(c);
	return 0;
}

static const struct cmd_example csplit_examples[] = {
	{"printf 'a\\n# one\\nb\\n# two\\nc\\n' | csplit -s - '/^#/' '{*}'; cat xx01", "# one\nb\n"},
};

const struct cmd cmd_csplit = {
	.name = "csplit",
	.summary = "cut FILE into pieces at lines, and print the sizes of the pieces",
	.synopsis = "[OPTION]... FILE PATTERN...",
	.description =
		"FILE - is standard input. The pieces are xx00, xx01 and so on. PATTERN is N (up to line N, which\n"
		"starts the next piece), /REGEXP/[OFFSET] (up to a line that matches, or OFFSET lines after it),\n"
		"%REGEXP%[OFFSET] (the same, without a piece), {N} (the last pattern again N times) or {*} (as\n"
		"often as it can be).",
	.opts = csplit_opts,
	.nopts = COUNTOF(csplit_opts),
	.opts_size = sizeof(struct csplit),
	.main = csplit_main,
	.examples = csplit_examples,
	.nexamples = COUNTOF(csplit_examples),
};
