/*
 * grep.c - print lines that match patterns: the options, and the order of things.
 */
#include "grep/grep.h"

/* ---- Options ----------------------------------------------------------------------------- */

static void add_patterns(struct grep *g, struct proc *p, const char *s, size_t n)
{
	if (!g->keys.p)
		u_buf_init(&g->keys, p, 0);
	g->has_pattern = true;
	u_buf_put(&g->keys, s, n);
	u_buf_putc(&g->keys, '\n');
}

static void opt_dialect(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct grep *g = opts;
	int d = o->shrt == 'E' ? REGEX_EGREP + 1 : o->shrt == 'F' ? REGEX_LITERAL + 1
				: o->shrt == 'P' ? GREP_PERL : REGEX_GREP + 1;

	(void)arg;
	if (g->dialect && g->dialect != d)
		u_die(p, 2, 0, "conflicting matchers specified");
	g->dialect = d;
}

static void opt_regexp(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)o;
	add_patterns(opts, p, arg, strlen(arg));
}

static void opt_file(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct grep *g = opts;
	int fd = streq(arg, "-") ? 0 : sys_open(p, arg, SYS_O_READ, 0), r = fd;
	struct str text;

	(void)o;
	if (fd >= 0)
		r = u_read_all(p, fd, SIZE_MAX / 4, &text);
	if (r < 0)
		u_die(p, 2, r, "%s", arg);
	u_close_operand(p, fd);
	g->has_pattern = true;
	if (!g->keys.p)
		u_buf_init(&g->keys, p, 0);
	if (text.len > 0)
		add_patterns(g, p, text.ptr, text.len - (text.ptr[text.len - 1] == '\n'));
}

static int64_t context_length(struct proc *p, const char *arg)
{
	uint64_t n;
	int r = u_parse_size(arg, "", &n);

	if (r == -NACRE_EINVAL)
		u_die(p, 2, 0, "%s: invalid context length argument", arg);
	return n > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)n;
}

static void opt_context(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct grep *g = opts;
	int64_t n = context_length(p, arg);

	if (o->shrt == 'A')
		g->after = n;
	else if (o->shrt == 'B')
		g->before = n;
	else
		g->context = n;
}

static void opt_max(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct grep *g = opts;
	bool over, negative;
	const char *end;
	int64_t n = num_i64(arg, &end, 10, &over);

	(void)o;
	negative = n < 0;
	if (end == arg || *end)
		u_die(p, 2, 0, "invalid max count");
	g->max = negative ? -1 : n;
}

static void opt_binary(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct grep *g = opts;

	if (o->shrt == 'a' || (arg && streq(arg, "text")))
		g->binary = BINARY_TEXT;
	else if (o->shrt == 'I' || (arg && streq(arg, "without-match")))
		g->binary = BINARY_SKIP;
	else if (arg && streq(arg, "binary"))
		g->binary = BINARY_SUMMARY;
	else
		u_die(p, 2, 0, "unknown binary-files type");
}

static const struct u_word directory_words[] = {
	{"read", DIRS_READ}, {"recurse", DIRS_RECURSE}, {"skip", DIRS_SKIP}};

static void opt_directories(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct grep *g = opts;

	if (o->shrt == 'r' || o->shrt == 'R') {
		g->dirs = DIRS_RECURSE;
		g->follow = o->shrt == 'R';
	} else {
		g->dirs = u_word_or_die(p, "--directories", arg, directory_words,
					COUNTOF(directory_words));
		g->follow = false;
	}
}

static void opt_devices(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct grep *g = opts;

	(void)o;
	if (streq(arg, "read"))
		g->devices = DEVICES_READ;
	else if (streq(arg, "skip"))
		g->devices = DEVICES_SKIP;
	else
		u_die(p, 2, 0, "unknown devices method");
}

static void opt_color(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct grep *g = opts;
	static const char *const words[] = {"always", "yes", "force", "never", "no", "none",
					    "auto", "tty", "if-tty"};

	(void)o;
	g->color_when = "auto";
	if (!arg)
		return;
	for (size_t i = 0; i < COUNTOF(words); i++) {
		if (streq(arg, words[i])) {
			g->color_when = words[i / 3 * 3];
			return;
		}
	}
	u_help(p);
}

static void opt_filter(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct grep *g = opts;

	g->p = p;
	if (streq(o->lng, "exclude-dir")) {
		size_t n = strlen(arg);

		while (n > 1 && arg[n - 1] == '/')
			n--;
		grep_filter_add(g, &g->directories, u_strndup(p, arg, n), false);
	} else {
		grep_filter_add(g, &g->files, arg, o->lng[0] == 'i');
	}
}

static void opt_exclude_from(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct grep *g = opts;
	int fd = streq(arg, "-") ? 0 : sys_open(p, arg, SYS_O_READ, 0);
	struct u_lines r;
	struct str line;

	(void)o;
	if (fd < 0)
		u_die(p, 2, fd, "%s", arg);
	g->p = p;
	u_lines_init(&r, p, fd, '\n');
	while (u_lines_next(&r, &line)) {
		while (line.len > 0 && ascii_space(line.ptr[line.len - 1]))
			line.len--;
		if (line.len > 0)
			grep_filter_add(g, &g->files, u_strndup(p, line.ptr, line.len), false);
	}
	if (r.err)
		u_die(p, 2, r.err, "%s", arg);
	u_close_operand(p, fd);
}

static void opt_no_separator(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)p;
	(void)o;
	(void)arg;
	((struct grep *)opts)->separator = NULL;
}

static void opt_case(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)p;
	(void)arg;
	((struct grep *)opts)->icase = o->shrt != 0;
}

const struct cmd_opt grep_opts[GREP_NOPTS] = {
	CMD_CALL('E', "extended-regexp", NULL, opt_dialect, "PATTERNS are extended regular expressions"),
	CMD_CALL('F', "fixed-strings", NULL, opt_dialect, "PATTERNS are plain strings"),
	CMD_CALL('G', "basic-regexp", NULL, opt_dialect, "PATTERNS are basic regular expressions (default)"),
	CMD_CALL('P', "perl-regexp", NULL, opt_dialect, "PATTERNS are Perl regular expressions"),
	CMD_CALL('e', "regexp", "PATTERNS", opt_regexp, "search for PATTERNS"),
	CMD_CALL('f', "file", "FILE", opt_file, "search for the patterns in FILE, one a line"),
	CMD_CALL('i', "ignore-case", NULL, opt_case, "upper and lower case are the same"),
	CMD_CALL('y', NULL, NULL, opt_case, NULL),
	CMD_CALL(0, "no-ignore-case", NULL, opt_case, "they are not (default)"),
	CMD_FLAG(struct grep, word, 'w', "word-regexp", "match whole words only"),
	CMD_FLAG(struct grep, line, 'x', "line-regexp", "match whole lines only"),
	CMD_FLAG(struct grep, null_data, 'z', "null-data", "lines end in NUL, not newline"),
	CMD_FLAG(struct grep, no_messages, 's', "no-messages", "say nothing about files that cannot be read"),
	CMD_FLAG(struct grep, invert, 'v', "invert-match", "select the lines that do not match"),
	CMD_CALL('m', "max-count", "NUM", opt_max, "stop after NUM selected lines"),
	CMD_FLAG(struct grep, byte_offset, 'b', "byte-offset", "print the byte offset before each line"),
	CMD_FLAG(struct grep, line_number, 'n', "line-number", "print the number before each line"),
	CMD_FLAG(struct grep, line_buffered, 0, "line-buffered", "write every line at once"),
	CMD_CHOICE(struct grep, names, 'H', "with-filename", NAMES_ALWAYS, "print the file name before each line"),
	CMD_CHOICE(struct grep, names, 'h', "no-filename", NAMES_NEVER, "do not print file names"),
	CMD_STRING(struct grep, label, 0, "label", "LABEL", "call standard input LABEL"),
	CMD_FLAG(struct grep, only, 'o', "only-matching", "print only the matching parts, each on a line"),
	CMD_FLAG(struct grep, quiet, 'q', "quiet", "print nothing; the status tells"),
	CMD_FLAG(struct grep, quiet, 0, "silent", NULL),
	CMD_CALL(0, "binary-files", "TYPE", opt_binary,
		 "binary files are treated as 'binary', 'text'\nor 'without-match'"),
	CMD_CALL('a', "text", NULL, opt_binary, "same as --binary-files=text"),
	CMD_CALL('I', NULL, NULL, opt_binary, "same as --binary-files=without-match"),
	CMD_CALL('d', "directories", "ACTION", opt_directories,
		 "what to do with directories: 'read', 'recurse', 'skip'"),
	CMD_CALL('D', "devices", "ACTION", opt_devices, "what to do with devices and pipes: 'read', 'skip'"),
	CMD_CALL('r', "recursive", NULL, opt_directories, "same as --directories=recurse"),
	CMD_CALL('R', "dereference-recursive", NULL, opt_directories, "the same, following symbolic links"),
	CMD_CALL(0, "include", "GLOB", opt_filter, "search only files whose names match"),
	CMD_CALL(0, "exclude", "GLOB", opt_filter, "skip files whose names match"),
	CMD_CALL(0, "exclude-from", "FILE", opt_exclude_from, "skip files that match a pattern in FILE"),
	CMD_CALL(0, "exclude-dir", "GLOB", opt_filter, "skip directories whose names match"),
	CMD_CHOICE(struct grep, list, 'L', "files-without-match", LIST_WITHOUT,
		   "print only the names of files without selected lines"),
	CMD_CHOICE(struct grep, list, 'l', "files-with-matches", LIST_MATCHING,
		   "print only the names of files with selected lines"),
	CMD_FLAG(struct grep, count, 'c', "count", "print only the number of selected lines"),
	CMD_FLAG(struct grep, initial_tab, 'T', "initial-tab", "align text after a tab"),
	CMD_FLAG(struct grep, null_after, 'Z', "null", "print NUL after a file name"),
	CMD_CALL('B', "before-context", "NUM", opt_context, "print NUM lines before each selected one"),
	CMD_CALL('A', "after-context", "NUM", opt_context, "print NUM lines after each selected one"),
	CMD_CALL('C', "context", "NUM", opt_context, "print NUM lines around each selected one"),
	CMD_DIGITS(opt_context, "same as --context=NUM"),
	CMD_STRING(struct grep, separator, 0, "group-separator", "SEP", "print SEP between groups (--)"),
	CMD_CALL(0, "no-group-separator", NULL, opt_no_separator, "print nothing between groups"),
	CMD_CALL_OPTIONAL(0, "color", "WHEN", opt_color, "mark matches with colours: 'always', 'never', 'auto'"),
	CMD_CALL_OPTIONAL(0, "colour", "WHEN", opt_color, NULL),
	CMD_FLAG(struct grep, binary_io, 'U', "binary", "nothing: line ends are never translated"),
	CMD_FLAG(struct grep, binary_io, 'u', "unix-byte-offsets", NULL),
};

void grep_defaults(void *opts)
{
	struct grep *g = opts;

	g->max = -1;
	g->before = g->after = g->context = -1;
	g->separator = "--";
}

/* ---- Main --------------------------------------------------------------------------------------- */

static void prepare(struct grep *g, int nfiles)
{
	struct sys_stat st;

	g->out = u_stdout(g->p);
	g->utf8 = u_utf8(g->p);
	g->delim = g->null_data ? '\0' : '\n';
	g->before = g->before >= 0 ? g->before : g->context;
	g->after = g->after >= 0 ? g->after : g->context;
	g->stop_at_first = g->quiet || g->list != LIST_NONE;
	g->with_name = g->names == NAMES_ALWAYS ||
		       (g->names == NAMES_AUTO && (nfiles > 1 || g->dirs == DIRS_RECURSE));
	if (g->stop_at_first)
		g->count = false;
	if (g->quiet)
		g->list = LIST_NONE;
	if (g->count || g->stop_at_first) {
		g->before = g->after = -1;
		g->only = false;
	}
	g->colored = g->color_when && (streq(g->color_when, "always") ||
				       (streq(g->color_when, "auto") && sys_isatty(g->p, 1)));
	g->out_is_file = sys_fstat(g->p, 1, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_FILE;
	grep_colors_init(g);
}

/* One file below a directory given alone needs no name in front; a directory does. */
static bool single_file(struct grep *g, int argc, char **argv)
{
	struct sys_stat st;

	return argc == 1 && g->names == NAMES_AUTO && g->dirs == DIRS_RECURSE &&
	       (streq(argv[0], "-") ||
		(sys_stat(g->p, argv[0], 0, &st) == 0 && (st.mode & SYS_S_TYPE) != SYS_S_DIR));
}

int grep_main(struct proc *p, const struct cmd_args *a)
{
	struct grep *g = a->opts;
	static char *const standard_input[] = {(char *)"-", NULL};
	char *const *file = a->argv;
	int n = a->argc;

	g->p = p;
	if (!g->has_pattern) {
		if (n == 0)
			u_try_help(p);
		add_patterns(g, p, file[0], strlen(file[0]));
		file++;
		n--;
	}
	prepare(g, n);
	if (g->max == 0)
		return 1;
	grep_compile(g);
	if (n == 0 && g->dirs == DIRS_RECURSE) {
		grep_here(g);
	} else {
		if (n == 0) {
			file = standard_input;
			n = 1;
		}
		if (single_file(g, n, (char **)file))
			g->with_name = false;
		for (int i = 0; i < n; i++)
			grep_operand(g, file[i]);
	}
	return g->failed ? 2 : !g->matched;
}

char **grep_rewrite_as(struct proc *p, int *argc, char **argv, const char *option)
{
	char **out = u_array(p, (size_t)*argc + 2, sizeof(*out));

	sys_self(p)->name = "grep";
	out[0] = argv[0];
	out[1] = u_strdup(p, option);
	for (int i = 1; i <= *argc; i++)
		out[i + 1] = argv[i];
	(*argc)++;
	return out;
}

static const struct cmd_example grep_examples[] = {
	{"printf 'one\\ntwo\\nthree\\n' | grep -n t", "2:two\n3:three\n"},
	{"printf 'one\\ntwo\\nthree\\n' | grep -vc e", "1\n"},
	{"echo 'id=42 id=7' | grep -oE '[0-9]+'", "42\n7\n"},
};

const struct cmd cmd_grep = {
	.name = "grep",
	.summary = "print the lines of each file that match a pattern",
	.synopsis = "[OPTION]... PATTERNS [FILE]...",
	.description =
		"PATTERNS are separated by newlines. Without FILE standard input is read, or the\n"
		"working directory with -r; FILE - is standard input. The status is 0 when a line\n"
		"was selected, 1 when none was, 2 after an error (but 0 with -q and a match).",
	.opts = grep_opts,
	.nopts = GREP_NOPTS,
	.opts_size = sizeof(struct grep),
	.defaults = grep_defaults,
	.usage_line = true,
	.usage_status = 2,
	.stack_size = PCRE_STACK,
	.main = grep_main,
	.examples = grep_examples,
	.nexamples = COUNTOF(grep_examples),
};
