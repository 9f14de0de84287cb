/* ls - list directory contents. */
#include "ls.h"

struct choice {
	const char *name;
	int value;
};

/* GNU's argmatch over a list; dies with the list of valid names. */
static int choose(struct proc *p, const char *option, const char *arg, const struct choice *v, size_t n)
{
	struct u_buf b;
	int found = -1;

	for (size_t i = 0; i < n; i++) {
		if (streq(v[i].name, arg))
			return v[i].value;
		if (*arg && strncmp(v[i].name, arg, strlen(arg)) == 0)
			found = found == -1 || found == v[i].value ? v[i].value : -2;
	}
	if (found >= 0)
		return found;
	u_buf_init(&b, p, 0);
	for (size_t i = 0; i < n; i++)
		u_buf_printf(&b, "%s'%s'", i && v[i - 1].value == v[i].value ? ", " : "\n  - ", v[i].name);
	u_warn(p, 0, "%s argument %s for '--%s'\nValid arguments are:%s", found == -2 ? "ambiguous" : "invalid", u_quote(p, arg), option,
	       b.ptr);
	u_try_help_as(p, 1);
}

static void set_sort(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	static const struct choice names[] = {{"none", LS_SORT_NONE},	      {"time", LS_SORT_TIME},	    {"size", LS_SORT_SIZE},
					      {"extension", LS_SORT_EXTENSION}, {"version", LS_SORT_VERSION}, {"width", LS_SORT_WIDTH}};

	((struct ls *)opts)->sort = choose(p, opt->lng, arg, names, COUNTOF(names));
}

static void set_time(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	static const struct choice names[] = {{"atime", LS_ATIME}, {"access", LS_ATIME},      {"use", LS_ATIME},   {"ctime", LS_CTIME},
					      {"status", LS_CTIME}, {"mtime", LS_MTIME}, {"modification", LS_MTIME}, {"birth", LS_BTIME}, {"creation", LS_BTIME}};
	struct ls *o = opts;

	o->time = choose(p, opt->lng, arg, names, COUNTOF(names));
}

static void set_format(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	static const struct choice names[] = {{"verbose", LS_LONG}, {"long", LS_LONG},	   {"commas", LS_COMMAS}, {"horizontal", LS_ACROSS},
					      {"across", LS_ACROSS}, {"vertical", LS_COLUMNS}, {"single-column", LS_ONE}};

	((struct ls *)opts)->format = choose(p, opt->lng, arg, names, COUNTOF(names));
}

static const struct choice whens[] = {{"always", 1}, {"yes", 1}, {"force", 1}, {"never", 0}, {"no", 0}, {"none", 0}, {"auto", 2}, {"tty", 2}, {"if-tty", 2}};

static bool when(struct proc *p, const char *option, const char *arg)
{
	int w = arg ? choose(p, option, arg, whens, COUNTOF(whens)) : 1;

	return w == 1 || (w == 2 && sys_isatty(p, 1));
}

static void set_color(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	((struct ls *)opts)->color = when(p, opt->lng, arg);
}

static void set_classify(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	if (when(p, opt->lng, arg))
		((struct ls *)opts)->indicator = LS_IND_CLASSIFY;
}

static void set_hyperlink(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)opts;
	if (when(p, opt->lng, arg))
		u_die(p, 2, 0, "--hyperlink is not supported");
}

static void set_indicator(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	static const struct choice names[] = {{"none", LS_IND_NONE}, {"slash", LS_IND_SLASH}, {"file-type", LS_IND_FILE_TYPE}, {"classify", LS_IND_CLASSIFY}};

	((struct ls *)opts)->indicator = choose(p, opt->lng, arg, names, COUNTOF(names));
}

static const struct choice quotings[] = {{"literal", LS_Q_LITERAL}, {"shell", LS_Q_SHELL}, {"shell-always", LS_Q_SHELL_ALWAYS},
					 {"shell-escape", LS_Q_SHELL_ESCAPE}, {"shell-escape-always", LS_Q_SHELL_ESCAPE_ALWAYS},
					 {"c", LS_Q_C}, {"c-maybe", LS_Q_C_MAYBE}, {"escape", LS_Q_ESCAPE}, {"locale", LS_Q_LOCALE}, {"clocale", LS_Q_C}};

static void set_quoting(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	((struct ls *)opts)->quoting = choose(p, opt->lng, arg, quotings, COUNTOF(quotings));
}

static void quoting_from_environment(struct ls *o)
{
	const char *style = u_getenv(o->p, "QUOTING_STYLE");

	for (size_t i = 0; style && i < COUNTOF(quotings); i++) {
		if (streq(quotings[i].name, style)) {
			o->quoting = quotings[i].value;
			return;
		}
	}
	if (style)
		u_warn(o->p, 0, "ignoring invalid value of environment variable QUOTING_STYLE: %s", u_quote(o->p, style));
}

static void set_block_size(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct ls *o = opts;

	(void)opt;
	o->p = p;
	if (!ls_parse_block_size(o, arg))
		u_die(p, 2, 0, "invalid --block-size argument %s", u_quote(p, arg));
}

/* Options that set several things. */
static void set_several(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct ls *o = opts;

	(void)p;
	(void)arg;
	switch (opt->shrt) {
	case 'f':
		o->show = LS_ALL;
		o->sort = LS_SORT_NONE;
		if (o->format == LS_LONG)
			o->format = LS_FORMAT_DEFAULT;
		o->blocks = o->color = false;
		break;
	case 'g':
		o->format = LS_LONG;
		o->no_owner = true;
		break;
	case 'o':
		o->format = LS_LONG;
		o->no_group = true;
		break;
	case 'n':
		o->format = LS_LONG;
		o->numeric = true;
		break;
	default: /* --si, --zero, --full-time */
		if (streq(opt->lng, "si")) {
			o->human = o->si = true;
		} else if (streq(opt->lng, "zero")) {
			o->zero = true;
			o->quoting = LS_Q_LITERAL;
			if (o->format != LS_LONG)
				o->format = LS_ONE;
		} else {
			o->format = LS_LONG;
			o->time_style = "full-iso";
		}
		break;
	}
}

const struct cmd_opt ls_opts[LS_NOPTS] = {
	CMD_CHOICE(struct ls, show, 'a', "all", LS_ALL, "do not ignore entries starting with ."),
	CMD_CHOICE(struct ls, show, 'A', "almost-all", LS_ALMOST_ALL, "do not list implied . and .."),
	CMD_FLAG(struct ls, author, 0, "author", "with -l, print the author of each file"),
	CMD_CHOICE(struct ls, quoting, 'b', "escape", LS_Q_ESCAPE, "print C-style escapes for nongraphic characters"),
	CMD_CALL(0, "block-size", "SIZE", set_block_size, "with -l, scale sizes by SIZE when printing them;\ne.g., '--block-size=M'"),
	{.kind = CMD_OPT_LIST, .shrt = 'I', .lng = "ignore", .arg = "PATTERN", .help = "do not list implied entries matching shell PATTERN",
	 .offset = offsetof(struct ls, ignore)},
	CMD_FLAG(struct ls, ignore_backups, 'B', "ignore-backups", "do not list implied entries ending with ~"),
	CMD_CHOICE(struct ls, time, 'c', NULL, LS_CTIME, "with -lt: sort by, and show, ctime;\nwith -l: show ctime and sort by name;\notherwise: sort by ctime, newest first"),
	CMD_CHOICE(struct ls, format, 'C', NULL, LS_COLUMNS, "list entries by columns"),
	CMD_CALL_OPTIONAL(0, "color", "WHEN", set_color, "color the output WHEN"),
	CMD_FLAG(struct ls, directory, 'd', "directory", "list directories themselves, not their contents"),
	CMD_CALL('f', NULL, NULL, set_several, "list all entries in directory order"),
	CMD_CALL('F', NULL, NULL, set_classify, "append indicator (one of */=>@|) to entries"),
	CMD_CALL_OPTIONAL(0, "classify", "WHEN", set_classify, "the same, WHEN it is 'always', 'auto' or 'never'"),
	CMD_CHOICE(struct ls, indicator, 0, "file-type", LS_IND_FILE_TYPE, "likewise, except do not append '*'"),
	CMD_CALL(0, "format", "WORD", set_format, "across -x, commas -m, horizontal -x, long -l,\nsingle-column -1, verbose -l, vertical -C"),
	CMD_CALL(0, "full-time", NULL, set_several, "like -l --time-style=full-iso"),
	CMD_CALL('g', NULL, NULL, set_several, "like -l, but do not list owner"),
	CMD_FLAG(struct ls, group_first, 0, "group-directories-first", "group directories before files"),
	CMD_FLAG(struct ls, no_group, 'G', "no-group", "in a long listing, don't print group names"),
	CMD_FLAG(struct ls, human, 'h', "human-readable", "with -l and -s, print sizes like 1K 234M 2G etc."),
	CMD_CALL(0, "si", NULL, set_several, "likewise, but use powers of 1000 not 1024"),
	CMD_CHOICE(struct ls, follow, 'H', "dereference-command-line", LS_FOLLOW_COMMAND_LINE, "follow symbolic links listed on the command line"),
	CMD_CHOICE(struct ls, follow, 0, "dereference-command-line-symlink-to-dir", LS_FOLLOW_TO_DIR, NULL),
	CMD_LIST(struct ls, hide, 0, "hide", "PATTERN", "do not list implied entries matching shell PATTERN\n(overridden by -a or -A)"),
	CMD_CALL_OPTIONAL(0, "hyperlink", "WHEN", set_hyperlink, "hyperlink file names (refused unless never)"),
	CMD_CALL(0, "indicator-style", "WORD", set_indicator, "append indicator with style WORD to entry names:\nnone (default), slash (-p), file-type, classify (-F)"),
	CMD_FLAG(struct ls, inode, 'i', "inode", "print the index number of each file"),
	CMD_FLAG(struct ls, kibibytes, 'k', "kibibytes", "default to 1024-byte blocks for file system usage"),
	CMD_CHOICE(struct ls, format, 'l', NULL, LS_LONG, "use a long listing format"),
	CMD_CHOICE(struct ls, follow, 'L', "dereference", LS_FOLLOW_ALWAYS, "show information for the file a link references"),
	CMD_CHOICE(struct ls, format, 'm', NULL, LS_COMMAS, "fill width with a comma separated list of entries"),
	CMD_CALL('n', "numeric-uid-gid", NULL, set_several, "like -l, but list numeric user and group IDs"),
	CMD_CHOICE(struct ls, quoting, 'N', "literal", LS_Q_LITERAL, "print entry names without quoting"),
	CMD_CALL('o', NULL, NULL, set_several, "like -l, but do not list group information"),
	CMD_CHOICE(struct ls, indicator, 'p', NULL, LS_IND_SLASH, "append / indicator to directories"),
	CMD_FLAG(struct ls, hide_control, 'q', "hide-control-chars", "print ? instead of nongraphic characters"),
	CMD_FLAG(struct ls, show_control, 0, "show-control-chars", "show nongraphic characters as-is"),
	CMD_CHOICE(struct ls, quoting, 'Q', "quote-name", LS_Q_C, "enclose entry names in double quotes"),
	CMD_CALL(0, "quoting-style", "WORD", set_quoting, "literal, shell, shell-always, shell-escape,\nshell-escape-always, c, c-maybe, escape, locale, clocale"),
	CMD_FLAG(struct ls, reverse, 'r', "reverse", "reverse order while sorting"),
	CMD_FLAG(struct ls, recursive, 'R', "recursive", "list subdirectories recursively"),
	CMD_FLAG(struct ls, blocks, 's', "size", "print the allocated size of each file, in blocks"),
	CMD_CHOICE(struct ls, sort, 'S', NULL, LS_SORT_SIZE, "sort by file size, largest first"),
	CMD_CALL(0, "sort", "WORD", set_sort, "sort by WORD instead of name: none (-U), size (-S),\ntime (-t), version (-v), extension (-X), width"),
	CMD_CALL(0, "time", "WORD", set_time, "change the default of using modification times:\naccess time (-u): atime, access, use;\n"
					     "change time (-c): ctime, status;\nbirth time: birth, creation"),
	CMD_STRING(struct ls, time_style, 0, "time-style", "TIME_STYLE", "time/date format with -l: full-iso, long-iso,\niso, locale, or +FORMAT"),
	CMD_CHOICE(struct ls, sort, 't', NULL, LS_SORT_TIME, "sort by time, newest first; see --time"),
	CMD_STRING(struct ls, tab_text, 'T', "tabsize", "COLS", "assume tab stops at each COLS instead of 8"),
	CMD_CHOICE(struct ls, time, 'u', NULL, LS_ATIME, "with -lt: sort by, and show, access time"),
	CMD_CHOICE(struct ls, sort, 'U', NULL, LS_SORT_NONE, "do not sort; list entries in directory order"),
	CMD_CHOICE(struct ls, sort, 'v', NULL, LS_SORT_VERSION, "natural sort of (version) numbers within text"),
	CMD_STRING(struct ls, width_text, 'w', "width", "COLS", "set output width to COLS.  0 means no limit"),
	CMD_CHOICE(struct ls, format, 'x', NULL, LS_ACROSS, "list entries by lines instead of by columns"),
	CMD_CHOICE(struct ls, sort, 'X', NULL, LS_SORT_EXTENSION, "sort alphabetically by entry extension"),
	CMD_FLAG(struct ls, context, 'Z', "context", "print any security context of each file (there is none)"),
	CMD_CALL(0, "zero", NULL, set_several, "end each output line with NUL, not newline"),
	CMD_CHOICE(struct ls, format, '1', NULL, LS_ONE, "list one file per line"),
};

static void set_time_style(struct ls *o)
{
	const char *s = o->time_style ? o->time_style : u_getenv(o->p, "TIME_STYLE");

	if (!s || !*s)
		s = "locale";
	if (strncmp(s, "posix-", 6) == 0)
		s = "locale";
	if (*s == '+') {
		const char *nl = strchr(s, '\n');

		o->old_format = o->recent_format = s + 1;
		if (nl) {
			o->old_format = u_strndup(o->p, s + 1, (size_t)(nl - s - 1));
			o->recent_format = nl + 1;
			if (strchr(nl + 1, '\n'))
				u_die(o->p, 2, 0, "invalid time style format %s", u_quote(o->p, s + 1));
		}
	} else if (streq(s, "full-iso")) {
		o->old_format = o->recent_format = "%Y-%m-%d %H:%M:%S.%N %z";
	} else if (streq(s, "long-iso")) {
		o->old_format = o->recent_format = "%Y-%m-%d %H:%M";
	} else if (streq(s, "iso")) {
		o->old_format = "%Y-%m-%d ";
		o->recent_format = "%m-%d %H:%M";
	} else if (streq(s, "locale")) {
		o->old_format = "%b %e  %Y";
		o->recent_format = "%b %e %H:%M";
	} else {
		u_usage(o->p,
			"invalid argument %s for 'time style'\nValid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n"
			"  - [posix-]iso\n  - [posix-]locale\n  - +FORMAT (e.g., +%%H:%%M) for a 'date'-style format",
			u_quote(o->p, s));
	}
}

static uint64_t number(struct proc *p, const char *s, const char *what)
{
	uint64_t n;
	int e = u_parse_size(s, "", &n);

	if (e == -NACRE_EINVAL)
		u_die(p, 2, 0, "invalid %s: %s", what, u_quote(p, s));
	return n;
}

static void settle(struct ls *o)
{
	const char *columns = u_getenv(o->p, "COLUMNS");
	bool tty = sys_isatty(o->p, 1);
	uint64_t n;

	if (o->format == LS_FORMAT_DEFAULT)
		o->format = tty ? LS_COLUMNS : LS_ONE;
	if (o->sort == LS_SORT_DEFAULT)
		o->sort = o->time != LS_MTIME && o->format != LS_LONG ? LS_SORT_TIME : LS_SORT_NAME;
	if (o->quoting == LS_Q_DEFAULT)
		quoting_from_environment(o);
	if (o->quoting == LS_Q_DEFAULT)
		o->quoting = tty ? LS_Q_SHELL_ESCAPE : LS_Q_LITERAL;
	o->hide_control = !o->show_control && (o->hide_control || tty);
	o->width = 80;
	if (columns && u_parse_size(columns, "", &n) == 0 && n)
		o->width = n;
	if (o->width_text)
		o->width = number(o->p, o->width_text, "line width");
	o->tab = o->tab_text ? number(o->p, o->tab_text, "tab size") : 8;
	set_time_style(o);
	ls_colors_init(o);
	o->need_stat = o->format == LS_LONG || o->sort == LS_SORT_TIME || o->sort == LS_SORT_SIZE || o->blocks || o->inode ||
		       o->indicator == LS_IND_CLASSIFY || o->color || o->group_first || o->recursive;
	if (o->follow == LS_FOLLOW_TO_DIR)
		o->follow = LS_FOLLOW_DEFAULT;
	else if (o->follow == LS_FOLLOW_DEFAULT && (o->directory || o->indicator == LS_IND_CLASSIFY || o->format == LS_LONG))
		o->follow = LS_FOLLOW_NEVER;
	o->needs_more = o->need_stat;
	if (o->follow == LS_FOLLOW_ALWAYS)
		o->need_stat = true;
}

/* ---- Entries ------------------------------------------------------------------------ */

struct entries {
	struct ls_entry **v;
	size_t n, cap;
};

static void warn_entry(struct ls *o, int err, const char *format, const char *path, int status)
{
	u_warn(o->p, err, format, u_quote_file(o->p, path));
	o->status = MAX(o->status, status);
}

static void read_target(struct ls *o, struct ls_entry *e)
{
	struct sys_stat st;
	char *buf;
	int64_t n;

	if ((e->st.mode & SYS_S_TYPE) != SYS_S_LINK)
		return;
	if (o->format == LS_LONG) {
		buf = u_alloc(o->p, SYS_PATH_MAX);
		n = sys_readlink(o->p, e->path, buf, SYS_PATH_MAX - 1);
		if (n < 0) {
			warn_entry(o, (int)n, "cannot read symbolic link %s", e->path, 1);
			return;
		}
		buf[n] = '\0';
		e->link = u_strdup(o->p, buf);
	}
	if ((o->format == LS_LONG || o->group_first || o->color) && sys_stat(o->p, e->path, 0, &st) == 0)
		e->link_mode = st.mode;
}

static struct ls_entry *add_entry(struct ls *o, struct entries *l, const char *name, const char *path)
{
	struct ls_entry *e = u_zalloc(o->p, sizeof(*e));

	e->name = name;
	e->path = path;
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 32;

		l->v = arena_grow(&sys_self(o->p)->arena, l->v, l->cap * sizeof(*l->v), cap * sizeof(*l->v));
		l->cap = cap;
	}
	l->v[l->n++] = e;
	return e;
}

static void finish_entry(struct ls *o, struct ls_entry *e)
{
	e->shown = ls_quote(o, e->name);
	e->width = utf8_columns(e->shown, strlen(e->shown));
}

static bool matches(const struct cmd_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (u_glob_match(l->v[i], strlen(l->v[i]), name, strlen(name), U_GLOB_PERIOD))
			return true;
	return false;
}

static bool is_shown(const struct ls *o, const char *name)
{
	if (o->show == LS_VISIBLE && (name[0] == '.' || matches(&o->hide, name)))
		return false;
	if (o->ignore_backups && name[0] && name[strlen(name) - 1] == '~')
		return false;
	return !matches(&o->ignore, name);
}

static void add_child(struct ls *o, struct entries *l, const char *dir, const char *name, uint32_t type)
{
	struct ls_entry *e = add_entry(o, l, name, u_join(o->p, dir, name));
	int err = 0;

	e->st.mode = type;
	if (o->need_stat || (o->indicator && !type)) {
		err = sys_stat(o->p, e->path, o->follow == LS_FOLLOW_ALWAYS ? 0 : SYS_NOFOLLOW, &e->st);
		if (err < 0 && o->follow == LS_FOLLOW_ALWAYS && sys_stat(o->p, e->path, SYS_NOFOLLOW, &e->st) == 0)
			e->st.mode &= SYS_S_TYPE;
		e->have_stat = err == 0;
		/* Without a need of more than the type, a link to nowhere is one. */
		if (err < 0 && e->st.mode && o->follow == LS_FOLLOW_ALWAYS && !o->needs_more)
			e->have_stat = false;
		else if (err < 0)
			warn_entry(o, err, "cannot access %s", streq(dir, ".") ? name : e->path, 1);
		else
			read_target(o, e);
	}
	finish_entry(o, e);
}

/* Directories still to be listed. */
struct pending {
	struct pending *next;
	const char *path;
	uint64_t dev, ino;
	int depth;
};

#define LS_DEPTH_MAX 256

static void list_directory(struct ls *o, struct pending *d, struct pending ***tail)
{
	struct arena_mark mark = arena_mark(&sys_self(o->p)->arena);
	struct u_out *out = u_stdout(o->p);
	struct entries l = {0};
	struct sys_dirent de;
	int fd = sys_open(o->p, d->path, SYS_O_READ | SYS_O_DIRECTORY | SYS_O_CLOEXEC, 0), e;
	struct pending *first = NULL, **last = &first;

	if (fd < 0) {
		warn_entry(o, fd, "cannot open directory %s", d->path, d->depth ? 1 : 2);
		return;
	}
	if (o->show == LS_ALL) {
		add_child(o, &l, d->path, ".", SYS_S_DIR);
		add_child(o, &l, d->path, "..", SYS_S_DIR);
	}
	while ((e = sys_readdir(o->p, fd, &de)) > 0) {
		const char *name = u_strndup(o->p, de.name, de.len);

		if (is_shown(o, name))
			add_child(o, &l, d->path, name, de.type);
	}
	sys_close(o->p, fd);
	if (e < 0)
		warn_entry(o, e, "reading directory %s", d->path, d->depth ? 1 : 2);
	ls_order(o, l.v, l.n);
	if (o->headings || o->recursive) {
		if (o->printed)
			u_putc(out, '\n');
		u_puts(out, ls_quote(o, d->path));
		u_puts(out, ":\n");
	}
	o->printed = true;
	ls_print(o, l.v, l.n, true);
	for (size_t i = 0; o->recursive && i < l.n; i++) {
		const struct ls_entry *c = l.v[i];
		struct pending *n;

		if ((c->st.mode & SYS_S_TYPE) != SYS_S_DIR || streq(c->name, ".") || streq(c->name, ".."))
			continue;
		if (d->depth >= LS_DEPTH_MAX) {
			warn_entry(o, -NACRE_ELOOP, "cannot open directory %s", c->path, 1);
			continue;
		}
		n = u_zalloc(o->p, sizeof(*n));
		*n = (struct pending){.path = c->path, .depth = d->depth + 1, .dev = c->st.dev, .ino = c->st.ino};
		*last = n;
		last = &n->next;
	}
	if (!first) {
		/* Nothing below is needed any more; the cached owner names live there too. */
		o->last_user = o->last_group = NULL;
		arena_reset(&sys_self(o->p)->arena, mark);
		return;
	}
	*last = **tail;
	**tail = first;
}

static void add_operand(struct ls *o, struct entries *files, struct entries *beside, struct pending ***tail, const char *path)
{
	bool follow = o->follow == LS_FOLLOW_ALWAYS || o->follow == LS_FOLLOW_COMMAND_LINE || o->follow == LS_FOLLOW_DEFAULT;
	struct sys_stat st;
	struct ls_entry *en;
	int e = sys_stat(o->p, path, follow ? 0 : SYS_NOFOLLOW, &st);

	/* By default a link on the command line is followed only to a directory. */
	if (o->follow == LS_FOLLOW_DEFAULT && (e < 0 ? e == -NACRE_ENOENT : (st.mode & SYS_S_TYPE) != SYS_S_DIR)) {
		struct sys_stat link;

		if (sys_stat(o->p, path, SYS_NOFOLLOW, &link) == 0) {
			st = link;
			e = 0;
		}
	}
	if (e < 0) {
		warn_entry(o, e, "cannot access %s", path, 2);
		return;
	}
	if ((st.mode & SYS_S_TYPE) == SYS_S_DIR && !o->directory) {
		struct pending *d = u_zalloc(o->p, sizeof(*d));

		d->path = path;
		**tail = d;
		*tail = &d->next;
		en = add_entry(o, beside, path, path);
		en->st = st;
		en->have_stat = true;
		return;
	}
	en = add_entry(o, files, path, path);
	en->st = st;
	en->have_stat = true;
	read_target(o, en);
	finish_entry(o, en);
}

/* Directories of the command line are sorted like files. */
static struct pending *order_operands(struct ls *o, struct pending *list)
{
	struct entries l = {0};
	struct pending *first = NULL, **tail = &first;

	for (struct pending *d = list; d; d = d->next) {
		struct ls_entry *e = add_entry(o, &l, d->path, d->path);

		if (sys_stat(o->p, d->path, 0, &e->st) == 0)
			e->have_stat = true;
		finish_entry(o, e);
	}
	ls_order(o, l.v, l.n);
	for (size_t i = 0; i < l.n; i++) {
		struct pending *d = u_zalloc(o->p, sizeof(*d));

		d->path = l.v[i]->path;
		*tail = d;
		tail = &d->next;
	}
	return first;
}

int ls_main(struct proc *p, const struct cmd_args *a)
{
	struct ls *o = a->opts;
	struct entries files = {0}, beside = {0};
	struct pending *dirs = NULL, **tail = &dirs;

	o->p = p;
	o->tz = u_tz_get(p, NULL);
	o->now = sys_clock(p, SYS_CLOCK_REAL) / 1000000000;
	settle(o);
	if (a->argc == 0)
		add_operand(o, &files, &beside, &tail, ".");
	for (int i = 0; i < a->argc; i++)
		add_operand(o, &files, &beside, &tail, a->argv[i]);
	o->headings = a->argc > 1;
	ls_order(o, files.v, files.n);
	if (files.n) {
		o->beside = beside.v;
		o->nbeside = beside.n;
		ls_print(o, files.v, files.n, false);
		o->nbeside = 0;
		o->printed = true;
	}
	if (dirs && dirs->next)
		dirs = order_operands(o, dirs);
	while (dirs) {
		struct pending *d = dirs;

		dirs = d->next;
		tail = &dirs;
		list_directory(o, d, &tail);
	}
	return o->status;
}

static const struct cmd_example examples[] = {
	{"mkdir d; touch d/b d/a d/.h; ls d; ls -A d", "a\nb\n.h\na\nb\n"},
	{"mkdir d; touch d/x; ls -p", "d/\n"},
};

static const struct cmd_missing missing[] = {
	{"-D, --dired", "output for Emacs' dired mode"},
	{"--hyperlink", "terminal hyperlinks"},
};

const struct cmd cmd_ls = {
	.name = "ls",
	.summary = "List information about the FILEs (the current directory by default).",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Sort entries alphabetically if none of -cftuvSUX nor --sort is specified.",
	.opts = ls_opts,
	.nopts = LS_NOPTS,
	.opts_size = sizeof(struct ls),
	.usage_status = 2,
	.main = ls_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
	.missing = missing,
	.nmissing = COUNTOF(missing),
};
