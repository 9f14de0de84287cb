/*
 * diff.c - compare files line by line: options and beginning.
 *
 * The options as they were written are needed for the line between two files of a tree, so
 * rewrite() collects them into a hidden one.
 */
#include "diff.h"

struct diff_cmd {
	struct diff_opts o;
	const char *written;
};

static int64_t number(struct proc *p, const char *s, const char *what)
{
	uint64_t v;

	if (!ascii_digit(*s) || u_parse_size(s, NULL, &v) == -NACRE_EINVAL)
		u_usage(p, "invalid %s %s", what, u_quote(p, s));
	return (int64_t)MIN(v, (uint64_t)INT64_MAX / 4);
}

static void set_style(struct proc *p, struct diff_opts *o, int style)
{
	if (o->styles > 0 && o->style != style) {
		u_warn(p, 0, "conflicting output style options");
		u_try_help(p);
	}
	o->style = style;
	o->styles = 1;
}

static void opt_style(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct diff_opts *d = opts;

	switch (o->value) {
	case DIFF_UNIFIED:
	case DIFF_CONTEXT:
		d->context = MAX(d->context, arg ? number(p, arg, "context length") : 3);
		break;
	default: break;
	}
	set_style(p, d, o->value);
}

static void opt_digits(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct diff_opts *d = opts;

	(void)o;
	d->context = number(p, arg, "context length");
}

static void opt_number(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct diff_opts *d = opts;
	const char *what = o->shrt == 'W' ? "width" : "tabsize";
	int64_t *at = o->shrt == 'W' ? &d->width : &d->tab, n = number(p, arg, what);

	if (n == 0)
		u_usage(p, "invalid %s %s", what, u_quote(p, arg));
	if (*at && *at != n)
		u_die(p, 2, 0, "conflicting %s options", what);
	*at = n;
}

static void opt_format(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct diff_opts *d = opts;

	if (o->value == 0 || o->value == 3)
		d->old_format = arg;
	if (o->value == 1 || o->value == 3)
		d->new_format = arg;
	if (o->value == 2 || o->value == 3)
		d->same_format = arg;
	set_style(p, d, DIFF_LINES);
}

#define STYLE(s, l, v, a, text) \
	{.kind = CMD_OPT_CALL, .shrt = (s), .lng = (l), .arg = (a), .help = (text), .value = (v), \
	 .call = opt_style, .optional = (s) == 0 && (a) != NULL}
#define FORMAT(l, v, text) \
	{.kind = CMD_OPT_CALL, .lng = (l), .arg = "LFMT", .help = (text), .value = (v), .call = opt_format}
#define FLAG(member, s, l, text) CMD_FLAG(struct diff_cmd, o.member, s, l, text)

static const struct cmd_opt diff_opts[] = {
	STYLE(0, "normal", DIFF_NORMAL, NULL, "output a normal diff (the default)"),
	FLAG(brief, 'q', "brief", "report only when files differ"),
	FLAG(report_same, 's', "report-identical-files", "report when two files are the same"),
	STYLE('c', NULL, DIFF_CONTEXT, NULL, "output 3 lines of copied context"),
	STYLE('C', NULL, DIFF_CONTEXT, "NUM", "output NUM lines of copied context"),
	STYLE(0, "context", DIFF_CONTEXT, "NUM", "the same, NUM or 3"),
	STYLE('u', NULL, DIFF_UNIFIED, NULL, "output 3 lines of unified context"),
	STYLE('U', NULL, DIFF_UNIFIED, "NUM", "output NUM lines of unified context"),
	STYLE(0, "unified", DIFF_UNIFIED, "NUM", "the same, NUM or 3"),
	STYLE('e', "ed", DIFF_ED, NULL, "output an ed script"),
	STYLE('n', "rcs", DIFF_RCS, NULL, "output an RCS format diff"),
	STYLE('y', "side-by-side", DIFF_SIDE, NULL, "output in two columns"),
	{.kind = CMD_OPT_CALL, .shrt = 'W', .lng = "width", .arg = "NUM",
	 .help = "output at most NUM (130) columns with -y", .call = opt_number},
	FLAG(left_column, 0, "left-column", "output only the left column of common lines"),
	FLAG(suppress_common, 0, "suppress-common-lines", "do not output common lines"),
	FLAG(show_function, 'p', "show-c-function", "show which C function each change is in"),
	CMD_STRING(struct diff_cmd, o.function_line, 'F', "show-function-line", "RE",
		   "show the last line before a hunk that matches RE"),
	CMD_LIST(struct diff_cmd, o.labels, 'L', "label", "LABEL", "use LABEL instead of file name and time"),
	FLAG(expand_tabs, 't', "expand-tabs", "expand tabs to spaces in output"),
	FLAG(initial_tab, 'T', "initial-tab", "make tabs line up by prepending a tab"),
	{.kind = CMD_OPT_CALL, .lng = "tabsize", .arg = "NUM", .help = "tab stops every NUM (8) columns",
	 .call = opt_number},
	FLAG(suppress_empty, 0, "suppress-blank-empty", "no blank or tab before empty output lines"),
	FLAG(recursive, 'r', "recursive", "compare subdirectories too"),
	FLAG(no_dereference, 0, "no-dereference", "do not follow symbolic links"),
	FLAG(new_file, 'N', "new-file", "treat absent files as empty"),
	FLAG(one_new_file, 0, "unidirectional-new-file", "treat absent first files as empty"),
	CMD_LIST(struct diff_cmd, o.exclude, 'x', "exclude", "PAT", "exclude files that match PAT"),
	CMD_LIST(struct diff_cmd, o.exclude_from, 'X', "exclude-from", "FILE",
		 "exclude files that match any pattern in FILE"),
	FLAG(ignore_case, 'i', "ignore-case", "ignore case differences"),
	FLAG(ignore_tabs, 'E', "ignore-tab-expansion", "ignore changes due to tab expansion"),
	FLAG(ignore_trailing, 'Z', "ignore-trailing-space", "ignore white space at line end"),
	FLAG(ignore_changes, 'b', "ignore-space-change", "ignore changes in the amount of white space"),
	FLAG(ignore_space, 'w', "ignore-all-space", "ignore all white space"),
	FLAG(ignore_blank, 'B', "ignore-blank-lines", "ignore changes where lines are all blank"),
	CMD_LIST(struct diff_cmd, o.ignore_lines, 'I', "ignore-matching-lines", "RE",
		 "ignore changes where all lines match RE"),
	FLAG(text, 'a', "text", "treat all files as text"),
	FLAG(strip_cr, 0, "strip-trailing-cr", "ignore a carriage return at the end of lines"),
	FORMAT("old-line-format", 0, "format of lines of the first file"),
	FORMAT("new-line-format", 1, "format of lines of the second file"),
	FORMAT("unchanged-line-format", 2, "format of lines of both: %L the line, %l without\nits newline, %dn its number"),
	FORMAT("line-format", 3, "format of all lines"),
	FLAG(minimal, 'd', "minimal", "try hard to find a smaller set of changes"),
	CMD_OPTIONAL(struct diff_cmd, o.color, 0, "color", "WHEN", "color output: never, always or auto"),
	CMD_DIGITS(opt_digits, NULL),
	CMD_STRING(struct diff_cmd, written, 0, "-written", "TEXT", NULL),
};

static void defaults(void *opts)
{
	struct diff_cmd *c = opts;

	c->o.context = -1;
}

static char **rewrite(struct proc *p, int *argc, char **argv)
{
	static const char *const with_value[] = {
		"--label", "--width", "--exclude", "--exclude-from", "--ignore-matching-lines", "--show-function-line",
		"--tabsize", "--old-line-format", "--new-line-format", "--unchanged-line-format", "--line-format",
	};
	char **out = u_array(p, (size_t)*argc + 2, sizeof(*out));
	struct u_buf b;

	u_buf_init(&b, p, 0);
	u_buf_puts(&b, "---written=diff");
	for (int i = 1; i < *argc && !streq(argv[i], "--"); i++) {
		const char *s = argv[i];
		bool value = false;

		if (s[0] != '-' || !s[1])
			continue;
		if (s[1] == '-') {
			for (size_t k = 0; k < COUNTOF(with_value); k++)
				value |= streq(s, with_value[k]);
		} else {
			size_t at = strcspn(s + 1, "UCILxXFW") + 1;

			value = s[at] && !s[at + 1];
		}
		u_buf_printf(&b, " %s", u_quote_if_needed(p, s));
		if (value && i + 1 < *argc)
			u_buf_printf(&b, " %s", u_quote_if_needed(p, argv[++i]));
	}
	out[0] = argv[0];
	out[1] = b.ptr;
	memcpy(out + 2, argv + 1, (size_t)*argc * sizeof(*out));
	(*argc)++;
	return out;
}

static void checkpoint(void *ctx)
{
	sys_checkpoint_n(ctx, 256);
}

static const struct regex *compile(struct proc *p, const char *pattern, struct regex_scratch **scratch)
{
	struct arena *a = &sys_self(p)->arena;
	struct regex_error err;
	const struct regex *re = regex_compile(a, pattern, strlen(pattern),
					       REGEX_GREP | (u_utf8(p) ? REGEX_UTF8 : 0), &err);

	if (!re)
		u_die(p, 2, 0, "%s: %s", pattern, err.message);
	*scratch = regex_scratch_new(a, re, checkpoint, p);
	return re;
}

static void read_excludes(struct proc *p, struct diff_opts *o)
{
	for (size_t i = 0; i < o->exclude_from.n; i++) {
		int fd = u_open_operand(p, o->exclude_from.v[i]);
		struct u_lines r;
		struct str line;

		if (fd < 0)
			u_exit(p, 2);
		u_lines_init(&r, p, fd, '\n');
		while (u_lines_next(&r, &line)) {
			const char **v;

			if (line.len == 0)
				continue;
			v = u_array(p, o->exclude.n + 1, sizeof(*v));
			if (o->exclude.n)
				memcpy(v, o->exclude.v, o->exclude.n * sizeof(*v));
			v[o->exclude.n++] = u_strndup(p, line.ptr, line.len);
			o->exclude.v = v;
		}
		u_close_operand(p, fd);
	}
}

static void prepare(struct proc *p, struct diff *d)
{
	static const struct u_word when[] = {
		{"always", 1}, {"yes", 1}, {"force", 1}, {"never", 0}, {"no", 0}, {"none", 0},
		{"auto", 2}, {"tty", 2}, {"if-tty", 2},
	};
	struct diff_opts *o = d->o;

	if (o->show_function && o->styles == 0)
		set_style(p, o, DIFF_CONTEXT);
	if (o->context < 0)
		o->context = 3;
	if (o->width == 0)
		o->width = 130;
	if (o->tab == 0)
		o->tab = 8;
	/* GNU's: beside -Z a tab is no blanks any more. */
	if (o->ignore_trailing)
		o->ignore_tabs = false;
	if (o->style == DIFF_UNIFIED || o->style == DIFF_CONTEXT)
		d->horizon = (size_t)o->context;
	else if (o->style == DIFF_SIDE || o->style == DIFF_LINES)
		d->horizon = 0;
	if (o->function_line || o->show_function)
		d->function = compile(p, o->function_line ? o->function_line : "^[[:alpha:]$_]", &d->function_scratch);
	d->ignore = u_array(p, o->ignore_lines.n + 1, sizeof(*d->ignore));
	d->ignore_scratch = u_array(p, o->ignore_lines.n + 1, sizeof(*d->ignore_scratch));
	for (size_t i = 0; i < o->ignore_lines.n; i++)
		d->ignore[i] = compile(p, o->ignore_lines.v[i], &d->ignore_scratch[i]);
	if (o->style == DIFF_LINES) {
		if (!o->old_format)
			o->old_format = "%l\n";
		if (!o->new_format)
			o->new_format = "%l\n";
		if (!o->same_format)
			o->same_format = "%l\n";
	}
	if (o->color) {
		int w = *o->color ? u_word_or_die(p, "--color", o->color, when, COUNTOF(when)) : 2;

		d->color = w == 1 || (w == 2 && sys_isatty(p, 1));
	}
	read_excludes(p, o);
}

static int diff_main(struct proc *p, const struct cmd_args *a)
{
	struct diff_cmd *c = a->opts;
	struct diff *d = u_zalloc(p, sizeof(*d));
	struct sys_stat x, y;

	d->p = p;
	d->o = &c->o;
	d->out = u_stdout(p);
	if (a->argc < 2)
		u_usage(p, "missing operand after %s", u_quote(p, a->argc ? a->argv[0] : u_name(p)));
	if (a->argc > 2)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[2]));
	prepare(p, d);
	for (size_t i = 0; i < MIN(c->o.labels.n, 2); i++)
		d->f[i].label = c->o.labels.v[i];
	if (c->o.labels.n > 2) {
		u_warn(p, 0, "too many file label options");
		u_exit(p, 2);
	}
	if (sys_stat(p, a->argv[0], 0, &x) == 0 && sys_stat(p, a->argv[1], 0, &y) == 0 &&
	    (x.mode & SYS_S_TYPE) == SYS_S_DIR && (y.mode & SYS_S_TYPE) == SYS_S_DIR)
		d->command = u_strdup(p, c->written);
	return diff_paths(d, a->argv[0], a->argv[1], 0);
}

static const struct cmd_example diff_examples[] = {
	{"printf '%s\\n' a b > x; printf '%s\\n' a c > y; diff x y", "2c2\n< b\n---\n> c\n"},
	{"printf '%s\\n' a b > x; printf '%s\\n' a c > y; diff -u --label x --label y x y",
	 "--- x\n+++ y\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
	{"echo a > x; echo b > y; diff -q x y", "Files x and y differ\n"},
};

static const struct cmd_missing diff_missing[] = {
	{"-D", "merged output for a C preprocessor is not made"},
	{"-l", "there is no pr to page with"},
	{"--from-file", "one pair of operands at a time"},
	{"--to-file", "one pair of operands at a time"},
	{"--old-group-format", "formats of groups are not made, those of lines are"},
	{"--new-group-format", "formats of groups are not made, those of lines are"},
	{"--unchanged-group-format", "formats of groups are not made, those of lines are"},
	{"--changed-group-format", "formats of groups are not made, those of lines are"},
	{"--speed-large-files", "the comparison has one way of working"},
	{"-S", "a tree is compared from its beginning"},
};

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "compare files line by line",
	.synopsis = "[OPTION]... FILES",
	.description =
		"FILES are 'FILE1 FILE2' or 'DIR1 DIR2' or 'DIR FILE' or 'FILE DIR'.\n"
		"If a FILE is '-', read standard input.\n"
		"Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.",
	.opts = diff_opts,
	.nopts = COUNTOF(diff_opts),
	.opts_size = sizeof(struct diff_cmd),
	.defaults = defaults,
	.rewrite = rewrite,
	.usage_status = 2,
	.named_hint = true,
	.lost_output = "standard output",
	.main = diff_main,
	.examples = diff_examples,
	.nexamples = COUNTOF(diff_examples),
	.missing = diff_missing,
	.nmissing = COUNTOF(diff_missing),
};
