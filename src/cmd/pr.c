/* pr.c - paginate files, or set them in columns: the options and the files. */
#include "pr/pr.h"

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* [CHAR][NUMBER] */
static void char_and_number(struct proc *p, char letter, const char *arg, char *c, int *number)
{
	uint64_t n;

	if (*arg && !ascii_digit(*arg))
		*c = *arg++;
	if (!*arg)
		return;
	if (!ascii_digit(*arg) || u_parse_size(arg, "", &n) < 0 || n == 0 || n > INT32_MAX) {
		u_warn(p, 0, "'-%c' extra characters or invalid number in the argument: %s", letter, u_quote(p, arg));
		u_try_help(p);
	}
	*number = (int)n;
}

static void opt_tabs(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct pr *r = opts;

	if (o->shrt == 'e') {
		r->expand = true;
		if (arg)
			char_and_number(p, 'e', arg, &r->input_tab, &r->input_tab_width);
	} else {
		r->tabify = true;
		if (arg)
			char_and_number(p, 'i', arg, &r->output_tab, &r->output_tab_width);
	}
}

static void opt_number(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct pr *r = opts;

	(void)o;
	r->numbered = true;
	if (arg)
		char_and_number(p, 'n', arg, &r->number_end, &r->number_digits);
}

static void opt_columns(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct pr *r = opts;

	/* -12 may come as -1 -2. */
	r->columns_arg = o->shrt && r->digits ? u_format(p, "%s%s", r->columns_arg, arg) : arg;
	r->digits = o->shrt != 0;
}

static void opt_separator(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct pr *r = opts;

	(void)p;
	if (o->shrt == 'S') {
		r->old_s = false;
		r->separator = arg ? arg : "";
		r->has_separator = true;
		return;
	}
	r->old_s = true;
	if (!r->has_separator && arg)
		r->separator = arg;
}

static const struct cmd_opt pr_opts[] = {
	CMD_STRING(struct pr, pages, 0, "pages", "FIRST[:LAST]", "print only these pages; also +FIRST[:LAST]"),
	CMD_DIGITS(opt_columns, "same as --columns=NUM"),
	CMD_CALL(0, "columns", "COLUMN", opt_columns, "set lines in COLUMN columns of equal length, down"),
	CMD_FLAG(struct pr, across, 'a', "across", "set lines across the columns"),
	CMD_FLAG(struct pr, balance, 'b', NULL, NULL), /* as ever: columns are balanced without it */
	CMD_FLAG(struct pr, caret, 'c', "show-control-chars", "print ^G and \\ooo for control characters"),
	CMD_FLAG(struct pr, double_space, 'd', "double-space", "an empty line after each line"),
	CMD_STRING(struct pr, date_format, 'D', "date-format", "FORMAT", "the date of headers, as of date"),
	CMD_CALL_OPTIONAL('e', "expand-tabs", "CHAR[WIDTH]", opt_tabs, "input CHARs (TABs) are tabs of WIDTH (8)"),
	CMD_FLAG(struct pr, form_feed, 'F', "form-feed", "pages are separated by form feeds"),
	CMD_FLAG(struct pr, form_feed, 'f', NULL, "same as -F"),
	CMD_STRING(struct pr, header, 'h', "header", "HEADER", "put HEADER for the file name"),
	CMD_CALL_OPTIONAL('i', "output-tabs", "CHAR[WIDTH]", opt_tabs, "spaces become CHARs (TABs) of WIDTH (8)"),
	CMD_FLAG(struct pr, join, 'J', "join-lines", "join whole lines, without alignment"),
	CMD_STRING(struct pr, length_arg, 'l', "length", "PAGE_LENGTH", "lines of a page (66); -t when at most 10"),
	CMD_FLAG(struct pr, merge, 'm', "merge", "set all files side by side"),
	CMD_CALL_OPTIONAL('n', "number-lines", "SEP[DIGITS]", opt_number, "number lines: DIGITS (5) digits, then SEP (TAB)"),
	CMD_STRING(struct pr, first_number_arg, 'N', "first-line-number", "NUMBER", "the first line printed is NUMBER"),
	CMD_STRING(struct pr, margin_arg, 'o', "indent", "MARGIN", "start lines with MARGIN spaces"),
	CMD_FLAG(struct pr, no_warnings, 'r', "no-file-warnings", "say nothing of files that cannot be opened"),
	CMD_CALL_OPTIONAL('s', "separator", "CHAR", opt_separator, "separate columns by CHAR (TAB), do not cut lines"),
	CMD_CALL_OPTIONAL('S', "sep-string", "STRING", opt_separator, "separate columns by STRING"),
	CMD_FLAG(struct pr, omit_header, 't', "omit-header", "no headers and no empty lines at the end"),
	CMD_FLAG(struct pr, omit_pagination, 'T', "omit-pagination", "the same, and form feeds of the input are dropped"),
	CMD_FLAG(struct pr, octal, 'v', "show-nonprinting", "print \\ooo for control characters"),
	CMD_STRING(struct pr, width_arg, 'w', "width", "PAGE_WIDTH", "the width of columns together (72)"),
	CMD_STRING(struct pr, page_width_arg, 'W', "page-width", "PAGE_WIDTH", "the width of pages (72); lines are cut"),
};

static void defaults(void *opts)
{
	struct pr *r = opts;

	r->input_tab = r->output_tab = r->number_end = '\t';
	r->input_tab_width = r->output_tab_width = 8;
	r->number_digits = 5;
	r->separator = "";
}

static int64_t number(struct pr *r, const char *s, int64_t least, const char *what)
{
	const char *end;
	bool over = false;
	int64_t n = num_i64(s, &end, 10, &over);

	if (end == s || *end)
		u_die(r->p, 1, 0, "%s: %s", what, u_quote(r->p, s));
	if (over || n > INT32_MAX)
		u_die(r->p, 1, NACRE_EOVERFLOW, "%s: %s", what, u_quote(r->p, s));
	if (n < least)
		u_die(r->p, 1, NACRE_ERANGE, "%s: %s", what, u_quote(r->p, s));
	return n;
}

/* FIRST[:LAST]; false when it is none. */
static bool page_range(struct pr *r, const char *s, const char *option)
{
	uint64_t first, last = 0;
	bool over = false;
	const char *end = s;

	if (!ascii_digit(*s))
		u_die(r->p, 1, 0, "invalid %s argument %s", option, u_quote(r->p, s));
	first = num_u64(s, &end, 10, &over);
	if (*end == ':' && ascii_digit(end[1]))
		last = num_u64(end + 1, &end, 10, &over);
	else if (*end == ':')
		return false;
	if (*end || over || first == 0 || (last && last < first))
		return false;
	r->first_page = first;
	r->last_page = last;
	return true;
}

/* What the options of old come to. */
static void combine(struct pr *r)
{
	bool several = r->merge || r->columns_arg, old_w = r->width_arg && !r->page_width_arg;

	r->truncate = r->page_width_arg;
	if (old_w) {
		if (several) {
			r->truncate = true;
			r->has_separator |= r->old_s;
		} else {
			r->join = true;
		}
	} else if (!r->has_separator && r->old_s && several) {
		if (!r->truncate)
			r->join = true;
		r->has_separator = r->truncate || *r->separator;
	}
	r->store = !r->across && !r->merge;
	r->extremities = !r->omit_header && !r->omit_pagination;
	r->keep_feeds = r->omit_header && !r->omit_pagination;
}

static void parse(struct pr *r)
{
	const char *width = r->page_width_arg ? r->page_width_arg : r->width_arg;

	if (r->pages && !page_range(r, r->pages, "--pages"))
		u_die(r->p, 1, 0, "invalid page range %s", u_quote(r->p, r->pages));
	r->columns = r->columns_arg ? (int)number(r, r->columns_arg, 1, "invalid number of columns") : 1;
	r->page_length = r->length_arg ? (int)number(r, r->length_arg, 1, "'-l PAGE_LENGTH' invalid number of lines") : 66;
	r->page_width = 72;
	if (width)
		r->page_width = (int)number(r, width, 1,
					    r->page_width_arg ? "'-W PAGE_WIDTH' invalid number of characters"
							      : "'-w PAGE_WIDTH' invalid number of characters");
	r->margin = r->margin_arg ? (int)number(r, r->margin_arg, 0, "'-o MARGIN' invalid line offset") : 0;
	r->count_skipped = !r->first_number_arg;
	if (r->merge && r->columns_arg)
		u_die(r->p, 1, 0, "cannot specify number of columns when printing in parallel");
	if (r->merge && r->across)
		u_die(r->p, 1, 0, "cannot specify both printing across and printing in parallel");
}

/* ---- Files --------------------------------------------------------------------------------------------------------- */

static const char *date_of(struct pr *r, int fd)
{
	const char *format = r->date_format ? r->date_format
			     : u_getenv(r->p, "POSIXLY_CORRECT") ? "%b %e %H:%M %Y" : "%Y-%m-%d %H:%M";
	int64_t now = sys_clock(r->p, SYS_CLOCK_REAL);
	struct sys_time t = {now / 1000000000, (int32_t)(now % 1000000000)};
	struct sys_stat st;
	struct u_tm tm;
	struct u_buf b;

	if (fd > 0 && sys_fstat(r->p, fd, &st) == 0)
		t = st.mtime;
	u_time_split(u_tz_get(r->p, NULL), t, &tm);
	u_buf_init(&b, r->p, 0);
	u_buf_puts(&b, "");
	u_time_format(&b, format, strlen(format), &tm);
	return b.ptr ? b.ptr : "";
}

static bool open_file(struct pr *r, const char *path, struct pr_column *c)
{
	int fd = streq(path, "-") ? 0 : sys_open(r->p, path, SYS_O_READ, 0);

	if (fd < 0) {
		if (!r->no_warnings)
			u_warn(r->p, fd, "%s", path);
		return false;
	}
	c->in = u_alloc(r->p, sizeof(*c->in));
	*c->in = (struct input){.p = r->p, .fd = fd, .is_open = true, .name = path};
	c->name = fd > 0 && !r->merge ? path : "";
	c->date = date_of(r, r->merge ? 0 : fd);
	c->status = PR_OPEN;
	return true;
}

/* Prints files side by side, or one file; false when one could not be opened. */
static bool print_files(struct pr *r, int n, char *const *file)
{
	struct pr run = *r;
	bool good = true;
	int opened = 0;

	run.column = u_zalloc(r->p, size_mul((size_t)MAX(r->merge ? n : r->columns, 1), sizeof(*run.column)));
	for (int i = 0; i < n; i++)
		opened += open_file(r, file[i], &run.column[opened]);
	if (opened == 0)
		return false;
	run.ready = opened;
	u_buf_init(&run.kept, r->p, 0);
	pr_layout(&run, n);
	run.columns = r->merge ? opened : run.columns;
	for (int i = opened; i < run.columns; i++)
		run.column[i] = run.column[0];
	run.line_number = r->first_number_arg ? (uint64_t)number(r, r->first_number_arg, INT32_MIN,
								 "'-N NUMBER' invalid starting line number") : 1;
	pr_print(&run);
	for (int i = 0; i < opened; i++)
		good &= run.column[i].in->status == 0;
	return good && opened == n;
}

static int pr_main(struct proc *p, const struct cmd_args *a)
{
	static char *const standard_input[] = {(char *)"-", NULL};
	struct pr *r = a->opts;
	int n = 0, status = 0;

	r->p = p;
	r->out = u_stdout(p);
	parse(r);
	for (int i = 0; i < a->argc; i++) {
		if (a->argv[i][0] == '+' && !r->first_page && page_range(r, a->argv[i] + 1, "+"))
			continue;
		a->argv[n++] = a->argv[i];
	}
	combine(r);
	if (n == 0) {
		r->merge = false;
		return !print_files(r, 1, standard_input);
	}
	if (r->merge)
		return !print_files(r, n, a->argv);
	for (int i = 0; i < n; i++)
		status |= !print_files(r, 1, &a->argv[i]);
	return status;
}

static const struct cmd_example pr_examples[] = {
	{"seq 6 | pr -3 -t -s,", "1,3,5\n2,4,6\n"},
	{"seq 3 > a; printf 'x\\ny\\n' > b; pr -m -t -s: a b", "1:x\n2:y\n3:\n"},
};

const struct cmd cmd_pr = {
	.name = "pr",
	.summary = "paginate files, or set them in columns",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Without FILE, or where FILE is -, standard input is read.",
	.opts = pr_opts,
	.nopts = COUNTOF(pr_opts),
	.opts_size = sizeof(struct pr),
	.defaults = defaults,
	.main = pr_main,
	.examples = pr_examples,
	.nexamples = COUNTOF(pr_examples),
};
