/* nl.c - number lines, by sections of a page. */
#include "cmd.h"

enum { HEADER, BODY, FOOTER, TEXT };
enum { RIGHT = 1, RIGHT_ZEROS, LEFT };

struct style {
	char type;		/* a: all, t: not empty, n: none, p: matching re */
	struct regex *re;
	struct regex_scratch *scratch;
};

struct nl {
	struct style style[3];
	const char *delim, *separator;
	int64_t first, step, join, width;
	int format;
	bool no_renumber;

	struct proc *p;
	struct u_out *out;
	int section;
	int64_t line;
	int64_t blanks;		/* empty lines in a row, for -l */
	bool overflow;
};

static const char *const section_names[] = {"header", "body", "footer"};

/* ---- Options ------------------------------------------------------------------------------ */

static void checkpoint(void *ctx)
{
	sys_checkpoint_n(ctx, 4096);
}

static void set_style(struct proc *p, struct nl *n, int section, const char *arg)
{
	struct arena *a = &sys_self(p)->arena;
	struct style *s = &n->style[section];
	struct regex_error err;

	if (*arg == 'p') {
		s->type = 'p';
		s->re = regex_compile(a, arg + 1, strlen(arg + 1),
				      REGEX_LOOSE_BRE | REGEX_NOSUB | (u_utf8(p) ? REGEX_UTF8 : 0), &err);
		if (!s->re)
			u_die(p, 1, 0, "%s", err.message);
		s->scratch = regex_scratch_new(a, s->re, checkpoint, p);
	} else if (*arg && strchr("atn", *arg)) {
		s->type = *arg;
	} else {
		u_usage(p, "invalid %s numbering style: %s", section_names[section], u_quote(p, arg));
	}
}

static void opt_style(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	set_style(p, opts, o->shrt == 'h' ? HEADER : o->shrt == 'b' ? BODY : FOOTER, arg);
}

static int64_t number(struct proc *p, const char *arg, int64_t min, int64_t max, const char *what)
{
	const char *end;
	bool over = false;
	int64_t v = num_i64(arg, &end, 10, &over);

	if (end == arg || *end)
		u_die(p, 1, 0, "invalid %s: %s", what, u_quote(p, arg));
	if (over || v > max)
		u_die(p, 1, NACRE_EOVERFLOW, "invalid %s: %s", what, u_quote(p, arg));
	if (v < min)
		u_die(p, 1, NACRE_ERANGE, "invalid %s: %s", what, u_quote(p, arg));
	return v;
}

static void opt_number(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct nl *n = opts;

	switch (o->shrt) {
	case 'v': n->first = number(p, arg, INT64_MIN, INT64_MAX, "starting line number"); break;
	case 'i': n->step = number(p, arg, INT64_MIN, INT64_MAX, "line number increment"); break;
	case 'l': n->join = number(p, arg, 1, INT64_MAX, "line number of blank lines"); break;
	default: n->width = number(p, arg, 1, INT32_MAX, "line number field width"); break;
	}
}

static void opt_format(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct nl *n = opts;

	(void)o;
	if (streq(arg, "ln"))
		n->format = LEFT;
	else if (streq(arg, "rn"))
		n->format = RIGHT;
	else if (streq(arg, "rz"))
		n->format = RIGHT_ZEROS;
	else
		u_usage(p, "invalid line numbering format: %s", u_quote(p, arg));
}

static const struct cmd_opt nl_opts[] = {
	CMD_CALL('b', "body-numbering", "STYLE", opt_style, "number the lines of bodies by STYLE"),
	CMD_STRING(struct nl, delim, 'd', "section-delimiter", "CC", "the delimiter of pages is CC"),
	CMD_CALL('f', "footer-numbering", "STYLE", opt_style, "number the lines of footers by STYLE"),
	CMD_CALL('h', "header-numbering", "STYLE", opt_style, "number the lines of headers by STYLE"),
	CMD_CALL('i', "line-increment", "NUMBER", opt_number, "numbers go up by NUMBER"),
	CMD_CALL('l', "join-blank-lines", "NUMBER", opt_number, "NUMBER empty lines in a row count as one"),
	CMD_CALL('n', "number-format", "FORMAT", opt_format, "print numbers by FORMAT"),
	CMD_FLAG(struct nl, no_renumber, 'p', "no-renumber", "sections do not begin anew with the numbers"),
	CMD_STRING(struct nl, separator, 's', "number-separator", "STRING", "put STRING after each number"),
	CMD_CALL('v', "starting-line-number", "NUMBER", opt_number, "the first number of a section"),
	CMD_CALL('w', "number-width", "NUMBER", opt_number, "print numbers NUMBER columns wide"),
};

static void defaults(void *opts)
{
	struct nl *n = opts;

	n->style[HEADER].type = n->style[FOOTER].type = 'n';
	n->style[BODY].type = 't';
	n->delim = "\\:";
	n->separator = "\t";
	n->first = n->step = n->join = 1;
	n->width = 6;
	n->format = RIGHT;
	n->section = BODY;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static void put_number(struct nl *n)
{
	int width = (int)n->width;

	if (n->overflow)
		u_die(n->p, 1, 0, "line number overflow");
	if (n->format == LEFT)
		u_printf(n->out, "%-*lld", width, (long long)n->line);
	else if (n->format == RIGHT_ZEROS)
		u_printf(n->out, "%0*lld", width, (long long)n->line);
	else
		u_printf(n->out, "%*lld", width, (long long)n->line);
	u_puts(n->out, n->separator);
	n->overflow = __builtin_add_overflow(n->line, n->step, &n->line);
}

static void put_gap(struct nl *n)
{
	u_printf(n->out, "%*s", (int)MIN((size_t)n->width + strlen(n->separator), (size_t)INT32_MAX), "");
}

static bool is_numbered(struct nl *n, struct str line)
{
	const struct style *s = &n->style[n->section];
	int r;

	switch (s->type) {
	case 'a':
		if (n->join > 1 && line.len == 0 && n->blanks != n->join) {
			n->blanks++;
			return false;
		}
		n->blanks = 1;
		return true;
	case 't': return line.len > 0;
	case 'p':
		r = regex_search(s->re, s->scratch, line.ptr, line.len, 0, 0, NULL, 0);
		if (r < 0)
			u_die(n->p, 1, 0, "%s", regex_failure(r));
		return r > 0;
	default: return false;
	}
}

/* What the line begins: the delimiter three times a header, twice a body, once a footer. */
static int kind_of(const struct nl *n, struct str line)
{
	size_t k = strlen(n->delim), times = k ? line.len / k : 0;

	if (k == 0 || times < 1 || times > 3 || line.len != times * k)
		return TEXT;
	for (size_t i = 0; i < times; i++) {
		if (memcmp(line.ptr + i * k, n->delim, k) != 0)
			return TEXT;
	}
	return times == 3 ? HEADER : times == 2 ? BODY : FOOTER;
}

static void do_line(struct nl *n, struct str line)
{
	int kind = kind_of(n, line);

	if (kind != TEXT) {
		n->section = kind;
		if (!n->no_renumber) {
			n->line = n->first;
			n->overflow = false;
		}
		u_putc(n->out, '\n');
		return;
	}
	if (is_numbered(n, line))
		put_number(n);
	else
		put_gap(n);
	u_put(n->out, line.ptr, line.len);
	u_putc(n->out, '\n');
}

static int nl_main(struct proc *p, const struct cmd_args *a)
{
	struct nl *n = a->opts;
	char *const *file;
	int count = cmd_files(a, &file), status = 0;

	n->p = p;
	n->out = u_stdout(p);
	n->line = n->first;
	n->blanks = 1;
	/* One character means that and a colon. */
	if (n->delim[0] && !n->delim[1])
		n->delim = u_format(p, "%c:", n->delim[0]);
	for (int i = 0; i < count; i++) {
		int fd = u_open_operand(p, file[i]);
		struct u_lines r;
		struct str line;

		if (fd < 0) {
			status = 1;
			continue;
		}
		u_lines_init(&r, p, fd, '\n');
		while (u_lines_next(&r, &line))
			do_line(n, line);
		if (r.err) {
			u_warn(p, r.err, "%s", file[i]);
			status = 1;
		}
		u_close_operand(p, fd);
	}
	return status;
}

static const struct cmd_example nl_examples[] = {
	{"printf 'a\\n\\nb\\n' | nl -ba -w2 -s': '", " 1: a\n 2: \n 3: b\n"},
};

const struct cmd cmd_nl = {
	.name = "nl",
	.summary = "print files with line numbers before their lines",
	.synopsis = "[OPTION]... [FILE]...",
	.description =
		"Without FILE, or where FILE is -, standard input is read. STYLE is a (all lines), t\n"
		"(lines that are not empty), n (none) or pBRE (lines that match). FORMAT is ln (left),\n"
		"rn (right) or rz (right, leading zeros). Sections are begun by lines of CC (\\:) once\n"
		"for a footer, twice for a body, three times for a header. The defaults are -bt -hn -fn\n"
		"-i1 -l1 -nrn -s<TAB> -v1 -w6.",
	.opts = nl_opts,
	.nopts = COUNTOF(nl_opts),
	.opts_size = sizeof(struct nl),
	.defaults = defaults,
	.main = nl_main,
	.examples = nl_examples,
	.nexamples = COUNTOF(nl_examples),
};
