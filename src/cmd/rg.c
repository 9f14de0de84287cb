/* rg.c - rg: ripgrep's search of trees that leaves out what ignore files name. Options and main; the rest is in rg/. */
#include "rg/rg.h"

/* ---- Options ------------------------------------------------------------------------------------- */

static void add_pattern(struct rg *g, struct proc *p, const char *s, size_t n)
{
	if (!g->keys.p)
		u_buf_init(&g->keys, p, (size_t)64 << 20);
	if (memchr(s, '\n', n) && !g->multiline && !g->perl) {
		g->p = p;
		g->out = u_stdout(p);
		rg_die(g, "the literal '\"\\n\"' is not allowed in a regex\n\n"
			  "Consider enabling multiline mode with the --multiline flag (or -U for short).\n"
			  "When multiline mode is enabled, new line characters can be matched.");
	}
	u_buf_put(&g->keys, s, n);
	u_buf_putc(&g->keys, '\n');
	g->has_pattern = true;
}

static void opt_regexp(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)o;
	add_pattern(opts, p, arg, strlen(arg));
}

static void opt_file(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct rg *g = opts;
	int fd = streq(arg, "-") ? 0 : sys_open(p, arg, SYS_O_READ, 0);
	struct u_lines r;
	struct str line;

	(void)o;
	g->p = p;
	g->out = u_stdout(p);
	if (fd < 0)
		rg_die(g, "%s: %s (os error %d)", arg, errno_text(fd), -fd);
	if (!g->keys.p)
		u_buf_init(&g->keys, p, (size_t)64 << 20);
	g->has_pattern = true;
	u_lines_init(&r, p, fd, '\n');
	while (u_lines_next(&r, &line)) {
		line.len -= line.len > 0 && line.ptr[line.len - 1] == '\r';
		add_pattern(g, p, line.ptr, line.len);
	}
	if (r.err)
		rg_die(g, "%s: %s (os error %d)", arg, errno_text(r.err), -r.err);
	u_close_operand(p, fd);
}

static int64_t number_of(struct proc *p, const struct cmd_opt *o, const char *arg)
{
	uint64_t v;

	if (!ascii_digit(arg[0]) || u_parse_size(arg, NULL, &v) == -NACRE_EINVAL)
		u_usage(p, "invalid value for '--%s <NUM>': invalid digit found in string", o->lng);
	return (int64_t)MIN(v, (uint64_t)INT64_MAX);
}

static void opt_number(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct rg *g = opts;
	int64_t v = number_of(p, o, arg);

	switch (o->shrt) {
	case 'A':
	case 'B':
		*(o->shrt == 'A' ? &g->after : &g->before) = v;
		g->context = -1;
		g->passthru = false;
		break;
	case 'C':
		g->context = v;
		g->before = g->after = -1;
		g->passthru = false;
		break;
	case 'm': g->max = v; break;
	case 'M': g->max_columns = v; break;
	case 'j': break; /* one thread: results are the same, in order */
	default: g->max_depth = v; break;
	}
}

static void opt_max_size(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	size_t n = strspn(arg, "0123456789");
	uint64_t v;

	(void)o;
	if (n == 0 || (arg[n] && (arg[n + 1] || !strchr("KMG", arg[n]))) || u_parse_size(arg, "KMG", &v) == -NACRE_EINVAL)
		u_usage(p, "invalid size '%s': it is a number, perhaps followed by K, M or G", arg);
	((struct rg *)opts)->max_size = (int64_t)MIN(v, (uint64_t)INT64_MAX);
}

static void opt_replace(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)p;
	(void)o;
	((struct rg *)opts)->replace = arg;
}

/* \t, \n, \xHH and \\ of a separator. */
static const char *unescaped(struct proc *p, const char *s)
{
	struct u_buf b;

	u_buf_init(&b, p, 0);
	u_buf_reserve(&b, 1);
	b.ptr[0] = '\0';
	while (*s) {
		static const char from[] = "\\tnr", to[] = "\\\t\n\r";
		const char *hit = s[0] == '\\' && s[1] ? strchr(from, s[1]) : NULL;

		if (hit) {
			u_buf_putc(&b, to[hit - from]);
			s += 2;
		} else if (s[0] == '\\' && s[1] == 'x' && ascii_xdigit(s[2]) && ascii_xdigit(s[3])) {
			char hex[3] = {s[2], s[3], '\0'};

			u_buf_putc(&b, (char)num_u64(hex, &(const char *){NULL}, 16, NULL));
			s += 4;
		} else {
			u_buf_putc(&b, *s++);
		}
	}
	return b.ptr;
}

static void opt_separator(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct rg *g = opts;

	if (streq(o->lng, "no-context-separator"))
		g->separator = NULL;
	else if (streq(o->lng, "context-separator"))
		g->separator = unescaped(p, arg);
	else if (streq(o->lng, "field-match-separator"))
		g->field_match = unescaped(p, arg);
	else
		g->field_context = unescaped(p, arg);
}

static void opt_path_separator(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	const char *s = unescaped(p, arg);

	(void)o;
	if (strlen(s) > 1)
		u_usage(p, "a path separator must be exactly one byte, but '%s' is %zu bytes", arg, strlen(s));
	((struct rg *)opts)->path_separator = s[0] ? s : NULL;
}

static void opt_sort(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	static const char *const words[] = {"path", "modified", "accessed"};
	struct rg *g = opts;

	g->sort_reverse = streq(o->lng, "sortr");
	g->sort = RG_SORT_PATH;
	if (streq(arg, "none")) {
		g->sort_reverse = false;
		return;
	}
	for (size_t i = 0; i < COUNTOF(words); i++) {
		if (streq(arg, words[i])) {
			g->sort = (int)i;
			return;
		}
	}
	if (streq(arg, "created"))
		u_usage(p, "--%s created is not supported", o->lng);
	u_usage(p, "'%s' isn't a valid value for '--%s <SORTBY>'", arg, o->lng);
}

static void opt_color(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)o;
	if (!streq(arg, "never") && !streq(arg, "auto") && !streq(arg, "always") && !streq(arg, "ansi"))
		u_usage(p, "'%s' isn't a valid value for '--color <WHEN>'", arg);
	((struct rg *)opts)->color_when = arg;
}

static void opt_engine(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)o;
	if (streq(arg, "auto"))
		u_usage(p, "--engine auto is not supported: say default or pcre2");
	if (!streq(arg, "default") && !streq(arg, "pcre2"))
		u_usage(p, "'%s' isn't a valid value for '--engine <ENGINE>'", arg);
	((struct rg *)opts)->perl = streq(arg, "pcre2");
}

static void opt_encoding(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)o;
	if (!streq(arg, "auto") && !streq(arg, "none") && !streq(arg, "utf-8") && !streq(arg, "utf8") && !streq(arg, "UTF-8"))
		u_usage(p, "encoding '%s' is not supported: text is UTF-8", arg);
}

static NORETURN void bad_type(struct rg *g, struct proc *p)
{
	g->p = p;
	g->out = u_stdout(p);
	rg_die(g, "invalid definition (format is type:glob, e.g., html:*.html)");
}

static void opt_type(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct rg *g = opts;
	struct cmd_list *l = streq(o->lng, "type") || streq(o->lng, "type-not") ? &g->type_words : &g->types_added;
	const char *word = arg;

	if (l == &g->type_words)
		word = u_format(p, "%c%s", o->shrt, arg);
	else if (streq(o->lng, "type-clear"))
		word = u_format(p, "!%s", arg);
	else if (!strchr(arg, ':') || arg[0] == ':' || !strchr(arg, ':')[1])
		bad_type(g, p);
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 8;

		l->v = arena_grow(&sys_self(p)->arena, (void *)l->v, l->cap * sizeof(*l->v), cap * sizeof(*l->v));
		l->cap = cap;
	}
	l->v[l->n++] = word;
}

static void opt_unrestricted(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct rg *g = opts;

	(void)p;
	(void)o;
	(void)arg;
	g->unrestricted++;
	g->no_ignore = true;
	g->hidden |= g->unrestricted >= 2;
	if (g->unrestricted >= 3)
		g->binary = RG_BINARY_CONVERT;
}

static void opt_context_off(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct rg *g = opts;

	(void)p;
	(void)o;
	(void)arg;
	g->passthru = true;
	g->before = g->after = g->context = -1;
}

static void opt_pretty(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct rg *g = opts;

	(void)p;
	(void)o;
	(void)arg;
	g->color_when = "pretty";
	g->heading = true;
	g->line_number = RG_ON;
}

/* --no-X: takes back what X said. */
static void opt_not(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct rg *g = opts;
	struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{"no-heading", &g->heading}, {"no-column", &g->column}, {"no-fixed-strings", &g->fixed},
		{"no-follow", &g->follow}, {"no-multiline", &g->multiline}, {"no-multiline-dotall", &g->dotall},
		{"no-pcre2", &g->perl}, {"no-trim", &g->trim}, {"no-max-columns-preview", &g->preview},
		{"ignore", &g->no_ignore}, {"ignore-dot", &g->no_dot}, {"ignore-vcs", &g->no_vcs},
		{"ignore-parent", &g->no_parent}, {"ignore-exclude", &g->no_exclude}, {"ignore-files", &g->no_files},
		{"require-git", &g->no_require_git}, {"messages", &g->no_messages},
		{"no-one-file-system", &g->one_fs}, {"no-glob-case-insensitive", &g->globs_icase},
		{"no-ignore-file-case-insensitive", &g->ignore_icase},
	};

	(void)p;
	(void)arg;
	for (size_t i = 0; i < COUNTOF(flags); i++) {
		if (streq(o->lng, flags[i].name))
			*flags[i].flag = false;
	}
	if (streq(o->lng, "no-hidden"))
		g->hidden = 0;
	if (streq(o->lng, "no-text") || streq(o->lng, "no-binary"))
		g->binary = RG_BINARY_QUIT;
}

/* What changes nothing about the result, since there is one thread, no terminal and no file of settings. */
static void opt_nothing(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)p;
	(void)opts;
	(void)o;
	(void)arg;
}

#define NOT(name) CMD_CALL(0, name, NULL, opt_not, NULL)

static const struct cmd_opt rg_opts[] = {
	CMD_CALL('e', "regexp", "PATTERN", opt_regexp, "search for PATTERN"),
	CMD_CALL('f', "file", "FILE", opt_file, "search for the patterns in FILE, one a line"),
	CMD_FLAG(struct rg, fixed, 'F', "fixed-strings", "patterns are plain strings"),
	CMD_FLAG(struct rg, perl, 'P', "pcre2", "patterns are Perl's"),
	CMD_CALL(0, "engine", "ENGINE", opt_engine, "'default', or 'pcre2' for -P"),
	CMD_CHOICE(struct rg, letter_case, 'i', "ignore-case", RG_CASE_IGNORE, "upper and lower case are the same"),
	CMD_CHOICE(struct rg, letter_case, 'S', "smart-case", RG_CASE_SMART, "the same, unless a pattern has an upper case letter"),
	CMD_CHOICE(struct rg, letter_case, 's', "case-sensitive", RG_CASE_SENSITIVE, "they are not the same (default)"),
	CMD_FLAG(struct rg, word, 'w', "word-regexp", "match whole words only"),
	CMD_FLAG(struct rg, line, 'x', "line-regexp", "match whole lines only"),
	CMD_FLAG(struct rg, multiline, 'U', "multiline", "a match may span lines"),
	CMD_FLAG(struct rg, dotall, 0, "multiline-dotall", "with -U: . matches newlines"),
	CMD_FLAG(struct rg, invert, 'v', "invert-match", "select the lines that do not match"),
	CMD_CALL('m', "max-count", "NUM", opt_number, "stop after NUM selected lines of a file"),
	CMD_CALL('A', "after-context", "NUM", opt_number, "print NUM lines after each selected one"),
	CMD_CALL('B', "before-context", "NUM", opt_number, "print NUM lines before each selected one"),
	CMD_CALL('C', "context", "NUM", opt_number, "print NUM lines around each selected one"),
	CMD_CALL(0, "passthru", NULL, opt_context_off, "print all lines"),
	CMD_CALL(0, "passthrough", NULL, opt_context_off, NULL),
	CMD_CALL(0, "context-separator", "SEP", opt_separator, "print SEP between groups (--)"),
	CMD_CALL(0, "no-context-separator", NULL, opt_separator, "print nothing between groups"),
	CMD_CALL(0, "field-match-separator", "SEP", opt_separator, "print SEP between the fields of selected lines (:)"),
	CMD_CALL(0, "field-context-separator", "SEP", opt_separator, "and between those of others (-)"),
	CMD_CHOICE(struct rg, counts, 'c', "count", RG_COUNT, "print only the number of selected lines"),
	CMD_CHOICE(struct rg, counts, 0, "count-matches", RG_COUNT_MATCHES, "print only the number of matches"),
	CMD_FLAG(struct rg, zeros, 0, "include-zero", "with -c: also of files without any"),
	CMD_CHOICE(struct rg, lists, 'l', "files-with-matches", RG_WITH, "print only the names of files with selected lines"),
	CMD_CHOICE(struct rg, lists, 0, "files-without-match", RG_WITHOUT, "and of those without"),
	CMD_FLAG(struct rg, files, 0, "files", "print the files that would be searched"),
	CMD_FLAG(struct rg, only, 'o', "only-matching", "print only the matching parts, each on a line"),
	CMD_CALL('r', "replace", "TEXT", opt_replace, "print TEXT for each match; $1, $name, ${name} are groups"),
	CMD_FLAG(struct rg, quiet, 'q', "quiet", "print nothing; the status tells"),
	CMD_CHOICE(struct rg, line_number, 'n', "line-number", RG_ON, "print the number before each line"),
	CMD_CHOICE(struct rg, line_number, 'N', "no-line-number", RG_OFF, "do not (default)"),
	CMD_FLAG(struct rg, column, 0, "column", "print the column of the first match, too"),
	CMD_FLAG(struct rg, byte_offset, 'b', "byte-offset", "print the byte offset before each line"),
	CMD_FLAG(struct rg, vimgrep, 0, "vimgrep", "a line for each match, with number and column"),
	CMD_CHOICE(struct rg, names, 'H', "with-filename", RG_ON, "print the file name before each line"),
	CMD_CHOICE(struct rg, names, 'I', "no-filename", RG_OFF, "do not print file names"),
	CMD_FLAG(struct rg, heading, 0, "heading", "print file names above the lines"),
	CMD_FLAG(struct rg, null_after, '0', "null", "print NUL after a file name"),
	CMD_CALL(0, "path-separator", "SEP", opt_path_separator, "print paths with SEP for /"),
	CMD_FLAG(struct rg, trim, 0, "trim", "print lines without the blanks at their start"),
	CMD_CALL('M', "max-columns", "NUM", opt_number, "do not print lines longer than NUM bytes"),
	CMD_FLAG(struct rg, preview, 0, "max-columns-preview", "but how they begin"),
	CMD_CALL(0, "color", "WHEN", opt_color, "mark with colours: 'never', 'auto', 'always', 'ansi'"),
	CMD_CALL('p', "pretty", NULL, opt_pretty, "same as --heading -n, and colours if TERM knows any"),
	CMD_LIST(struct rg, globs, 'g', "glob", "GLOB", "search only what matches, or with ! what does not"),
	CMD_LIST(struct rg, iglobs, 0, "iglob", "GLOB", "the same, whatever the case of letters"),
	CMD_FLAG(struct rg, globs_icase, 0, "glob-case-insensitive", "-g is --iglob"),
	CMD_CALL('t', "type", "TYPE", opt_type, "search only files of TYPE"),
	CMD_CALL('T', "type-not", "TYPE", opt_type, "do not search them"),
	CMD_CALL(0, "type-add", "NAME:GLOB", opt_type, "let GLOB be of type NAME"),
	CMD_CALL(0, "type-clear", "TYPE", opt_type, "forget the globs of TYPE"),
	CMD_FLAG(struct rg, type_list, 0, "type-list", "print the types and their globs"),
	CMD_CHOICE(struct rg, hidden, '.', "hidden", 1, "search names that begin with a period"),
	CMD_FLAG(struct rg, no_ignore, 0, "no-ignore", "no ignore files"),
	CMD_FLAG(struct rg, no_dot, 0, "no-ignore-dot", "no .ignore"),
	CMD_FLAG(struct rg, no_vcs, 0, "no-ignore-vcs", "no .gitignore"),
	CMD_FLAG(struct rg, no_parent, 0, "no-ignore-parent", "no ignore files of directories above"),
	CMD_FLAG(struct rg, no_exclude, 0, "no-ignore-exclude", "no .git/info/exclude"),
	CMD_FLAG(struct rg, no_files, 0, "no-ignore-files", "no --ignore-file"),
	CMD_CALL(0, "no-ignore-global", NULL, opt_nothing, "nothing: there is no file for all repositories"),
	CMD_CALL(0, "ignore-global", NULL, opt_nothing, NULL),
	CMD_FLAG(struct rg, no_require_git, 0, "no-require-git", ".gitignore counts outside of repositories, too"),
	CMD_LIST(struct rg, ignore_files, 0, "ignore-file", "FILE", "rules as of .ignore, for the working directory"),
	CMD_FLAG(struct rg, ignore_icase, 0, "ignore-file-case-insensitive", "ignore files: whatever the case of letters"),
	CMD_CALL('u', "unrestricted", NULL, opt_unrestricted, "--no-ignore; twice: --hidden, too; three times: --binary, too"),
	CMD_CHOICE(struct rg, binary, 'a', "text", RG_BINARY_NONE, "files with NULs are text"),
	CMD_CHOICE(struct rg, binary, 0, "binary", RG_BINARY_CONVERT, "search files with NULs, but print none of their lines"),
	CMD_FLAG(struct rg, follow, 'L', "follow", "follow symbolic links"),
	CMD_CALL(0, "max-depth", "NUM", opt_number, "go down NUM directories"),
	CMD_CALL(0, "maxdepth", "NUM", opt_number, NULL),
	CMD_CALL(0, "max-filesize", "NUM", opt_max_size, "leave out files larger than NUM"),
	CMD_FLAG(struct rg, one_fs, 0, "one-file-system", "stay within a mount"),
	CMD_CALL(0, "sort", "BY", opt_sort, "'path' (as always), 'modified', 'accessed', 'none'"),
	CMD_CALL(0, "sortr", "BY", opt_sort, "the same, the other way round"),
	CMD_FLAG(struct rg, no_messages, 0, "no-messages", "say nothing about files that cannot be read"),
	CMD_CALL('E', "encoding", "NAME", opt_encoding, "'auto', 'none' or 'utf-8': text is UTF-8"),
	CMD_CALL('j', "threads", "NUM", opt_number, "nothing: there is one"),
	CMD_CALL(0, "line-buffered", NULL, opt_nothing, "nothing: a reader gets lines as they come"),
	CMD_CALL(0, "block-buffered", NULL, opt_nothing, NULL),
	CMD_CALL(0, "no-line-buffered", NULL, opt_nothing, NULL),
	CMD_CALL(0, "mmap", NULL, opt_nothing, NULL),
	CMD_CALL(0, "no-mmap", NULL, opt_nothing, NULL),
	CMD_CALL(0, "no-config", NULL, opt_nothing, "nothing: there is no file of settings"),
	CMD_CALL(0, "no-ignore-messages", NULL, opt_nothing, NULL),
	CMD_CALL(0, "unicode", NULL, opt_nothing, NULL),
	NOT("no-heading"), NOT("no-column"), NOT("no-fixed-strings"), NOT("no-follow"), NOT("no-multiline"),
	NOT("no-multiline-dotall"), NOT("no-pcre2"), NOT("no-trim"), NOT("no-max-columns-preview"), NOT("ignore"),
	NOT("ignore-dot"), NOT("ignore-vcs"), NOT("ignore-parent"), NOT("ignore-exclude"), NOT("ignore-files"),
	NOT("require-git"), NOT("messages"), NOT("no-one-file-system"), NOT("no-glob-case-insensitive"),
	NOT("no-ignore-file-case-insensitive"), NOT("no-hidden"), NOT("no-text"), NOT("no-binary"),
};

static void defaults(void *opts)
{
	struct rg *g = opts;

	g->before = g->after = g->context = g->max = g->max_depth = g->max_size = -1;
	g->separator = "--";
	g->field_match = ":";
	g->field_context = "-";
}

/* ---- Main ----------------------------------------------------------------------------------------- */

/* Without a path standard input is searched, where it is a file or a pipe. A run that was given no input has an empty one,
 * which looks like a pipe: so an empty pipe is none. */
static bool reads_stdin(struct rg *g)
{
	struct sys_slice s;
	struct sys_stat st;
	int64_t n;

	if (g->mode == RG_FILES || sys_fstat(g->p, 0, &st) < 0)
		return false;
	if ((st.mode & SYS_S_TYPE) != SYS_S_FIFO)
		return (st.mode & SYS_S_TYPE) == SYS_S_FILE;
	n = sys_read_slice(g->p, 0, 0, &s);
	if (n > 0)
		sys_unread(g->p, 0, s.len);
	return n > 0;
}

static void prepare_rules(struct rg *g)
{
	g->cwd = u_strdup(g->p, sys_getcwd(g->p));
	for (size_t i = 0; i < g->globs.n + g->iglobs.n; i++) {
		bool icase = i >= g->globs.n || g->globs_icase;
		const char *s = i < g->globs.n ? g->globs.v[i] : g->iglobs.v[i - g->globs.n];
		const char *open = strchr(s, '[');

		if (open && !strchr(open, ']'))
			rg_die(g, "error parsing glob '%s': unclosed character class; missing ']'", s);
		rg_glob_add(g, &g->override, s, strlen(s), icase);
	}
	for (size_t i = 0; !g->no_files && i < g->ignore_files.n; i++)
		rg_ignore_file(g, &g->explicit_rules, g->ignore_files.v[i], true);
	rg_types_choose(g);
}

static void prepare_output(struct rg *g, bool several)
{
	const char *term;

	g->with_name = g->names == RG_ON || (g->names == RG_AUTO && (several || g->vimgrep));
	if (g->only && g->mode == RG_COUNT)
		g->mode = RG_COUNT_MATCHES;
	if (g->quiet && g->mode != RG_FILES)
		g->mode = RG_LINES;
	g->heading &= !g->vimgrep;
	if (g->vimgrep)
		g->column = true;
	if (g->column && g->line_number == RG_AUTO)
		g->line_number = RG_ON;
	if (g->context >= 0)
		g->before = g->after = g->context;
	if (g->mode != RG_LINES || g->quiet) {
		g->before = g->after = -1;
		g->passthru = false;
	}
	term = u_getenv(g->p, "TERM");
	if (g->color_when && streq(g->color_when, "pretty"))
		g->color_when = term && !streq(term, "dumb") ? "always" : NULL;
	g->colored = g->color_when && (streq(g->color_when, "always") || streq(g->color_when, "ansi") ||
				       (streq(g->color_when, "auto") && sys_isatty(g->p, 1)));
}

/* What ripgrep maps into memory: up to ten operands, if all of them are files. */
static bool few_files(struct rg *g, char **file, int n)
{
	struct sys_stat st;

	for (int i = 0; i < n; i++) {
		if (sys_stat(g->p, file[i], 0, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_FILE)
			return false;
	}
	return n > 0 && n <= 10;
}

static int rg_main(struct proc *p, const struct cmd_args *a)
{
	struct rg *g = a->opts;
	char **file = a->argv;
	int n = a->argc;
	struct sys_stat st;
	bool here = false;

	g->p = p;
	g->out = u_stdout(p);
	g->mode = g->files ? RG_FILES : g->counts ? g->counts : g->lists;
	if (g->type_list) {
		rg_types_print(g);
		return 0;
	}
	if (!g->has_pattern && g->mode != RG_FILES) {
		if (n == 0)
			u_usage(p, "the following required arguments were not provided:\n    <PATTERN>");
		add_pattern(g, p, file[0], strlen(file[0]));
		file++;
		n--;
	}
	if (g->vimgrep && g->replace)
		u_usage(p, "--replace with --vimgrep is not supported");
	prepare_rules(g);
	here = n == 0 && !reads_stdin(g);
	prepare_output(g, here || n > 1 || (n == 1 && sys_stat(p, file[0], 0, &st) == 0 &&
					    (st.mode & SYS_S_TYPE) == SYS_S_DIR));
	g->zaps = !few_files(g, file, n);
	if (g->mode != RG_FILES)
		rg_compile(g);
	if (g->max == 0)
		return 1;
	if (here)
		rg_here(g);
	else if (n == 0)
		rg_operand(g, "-");
	for (int i = 0; i < n; i++)
		rg_operand(g, file[i]);
	return g->failed && !(g->quiet && g->matched) ? 2 : !g->matched;
}

static const struct cmd_example rg_examples[] = {
	{"printf 'one\\ntwo\\nthree\\n' > f; rg -n t", "f:2:two\nf:3:three\n"},
	{"echo 'id=42 id=7' | rg -o 'id=(\\d+)' -r '$1'", "42\n7\n"},
	{"mkdir d; touch d/a.py d/b.c; rg --files -t py", "d/a.py\n"},
};

static const struct cmd_missing rg_missing[] = {
	{"--replace with --vimgrep", "say --column"},
	{"--json", "the lines say the same"},
	{"--stats", "count with -c or --count-matches"},
	{"--pre, --pre-glob", "run the command in a pipe"},
	{"-z, --search-zip", "use zgrep or a pipe"},
	{"--crlf", "write \\r?$"},
	{"--null-data", "use grep -z"},
	{"--colors", "the colours are fixed"},
	{"--auto-hybrid-regex", "say -P where it is wanted"},
	{"--no-unicode, --no-pcre2-unicode", "characters are Unicode's"},
	{"--debug, --trace", ""},
	{"--dfa-size-limit, --regex-size-limit", "the limits are the sandbox's"},
	{"--pcre2-version", ""},
};

const struct cmd cmd_rg = {
	.name = "rg",
	.summary = "search trees for lines that match a pattern, leaving out what ignore files name",
	.synopsis = "[OPTION]... PATTERN [PATH]...\n"
		    "[OPTION]... -e PATTERN... [PATH]...\n"
		    "[OPTION]... --files [PATH]...",
	.description =
		"Without PATH the working directory is searched, or standard input where it is a file or a\n"
		"pipe; PATH - is standard input. Files are searched in the order of their paths. Left out\n"
		"are hidden names, what .gitignore (in a repository), .ignore and .rgignore name, and files\n"
		"with NULs. Patterns are ripgrep's. The status is 0 when a line was selected, 1 when none was,\n"
		"2 after an error (but 0 with -q and a match).",
	.opts = rg_opts,
	.nopts = COUNTOF(rg_opts),
	.opts_size = sizeof(struct rg),
	.defaults = defaults,
	.usage_status = 2,
	.stack_size = PCRE_STACK,
	.main = rg_main,
	.examples = rg_examples,
	.nexamples = COUNTOF(rg_examples),
	.missing = rg_missing,
	.nmissing = COUNTOF(rg_missing),
};
