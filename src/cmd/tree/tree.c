/* tree - list the contents of directories in a tree-like format. */
#include "tree.h"

static void set_sort(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	static const char *const names[] = {"name", "version", "size", "mtime", "ctime"};
	struct tree_opts *o = opts;

	(void)opt;
	for (size_t i = 0; i < COUNTOF(names); i++) {
		if (streq(arg, names[i])) {
			o->sort = TREE_NAME + (int)i;
			return;
		}
	}
	u_die(p, 1, 0, "Sort type '%s' not valid, should be one of: name,version,size,mtime,ctime", arg);
}

static const struct cmd_opt tree_flags[] = {
	CMD_FLAG(struct tree_opts, all, 'a', NULL, "all files are listed"),
	CMD_FLAG(struct tree_opts, dirs_only, 'd', NULL, "list directories only"),
	CMD_FLAG(struct tree_opts, follow, 'l', NULL, "follow symbolic links like directories"),
	CMD_FLAG(struct tree_opts, full_path, 'f', NULL, "print the full path prefix for each file"),
	CMD_FLAG(struct tree_opts, one_fs, 'x', NULL, "stay on current filesystem only"),
	CMD_STRING(struct tree_opts, level, 'L', NULL, "LEVEL", "descend only LEVEL directories deep"),
	CMD_LIST(struct tree_opts, include, 'P', NULL, "PATTERN", "list only those files that match PATTERN"),
	CMD_LIST(struct tree_opts, exclude, 'I', NULL, "PATTERN", "do not list files that match PATTERN"),
	CMD_FLAG(struct tree_opts, ignore_case, 0, "ignore-case", "ignore case when pattern matching"),
	CMD_FLAG(struct tree_opts, match_dirs, 0, "matchdirs", "include directory names in -P pattern matching"),
	CMD_FLAG(struct tree_opts, meta_first, 0, "metafirst", "print meta-data at the beginning of each line"),
	CMD_FLAG(struct tree_opts, prune, 0, "prune", "prune empty directories from the output"),
	CMD_FLAG(struct tree_opts, no_report, 0, "noreport", "turn off file/directory count at end of tree listing"),
	CMD_STRING(struct tree_opts, charset, 0, "charset", "X", "use charset X for indentation line output"),
	CMD_STRING(struct tree_opts, limit, 0, "filelimit", "N", "do not descend dirs with more than N files in them"),
	CMD_STRING(struct tree_opts, output, 'o', NULL, "FILE", "output to file instead of stdout"),
	CMD_FLAG(struct tree_opts, question, 'q', NULL, "print non-printable characters as '?'"),
	CMD_FLAG(struct tree_opts, raw_names, 'N', NULL, "print non-printable characters as is"),
	CMD_FLAG(struct tree_opts, quote, 'Q', NULL, "quote filenames with double quotes"),
	CMD_FLAG(struct tree_opts, protections, 'p', NULL, "print the protections for each file"),
	CMD_FLAG(struct tree_opts, user, 'u', NULL, "display file owner or UID number"),
	CMD_FLAG(struct tree_opts, group, 'g', NULL, "display file group owner or GID number"),
	CMD_FLAG(struct tree_opts, size, 's', NULL, "print the size in bytes of each file"),
	CMD_FLAG(struct tree_opts, human, 'h', NULL, "print the size in a more human readable way"),
	CMD_FLAG(struct tree_opts, si, 0, "si", "like -h, but use in SI units (powers of 1000)"),
	CMD_FLAG(struct tree_opts, du, 0, "du", "compute size of directories by their contents"),
	CMD_FLAG(struct tree_opts, date, 'D', NULL, "print the date of last modification or (-c) status change"),
	CMD_STRING(struct tree_opts, time_format, 0, "timefmt", "FMT", "print and format time according to the format FMT"),
	CMD_FLAG(struct tree_opts, classify, 'F', NULL, "append '/', '=', '*' or '|' as per ls -F"),
	CMD_FLAG(struct tree_opts, inodes, 0, "inodes", "print inode number of each file"),
	CMD_FLAG(struct tree_opts, device, 0, "device", "print device ID number to which each file belongs"),
	CMD_CHOICE(struct tree_opts, sort, 'v', NULL, TREE_VERSION, "sort files alphanumerically by version"),
	CMD_CHOICE(struct tree_opts, sort, 't', NULL, TREE_MTIME, "sort files by last modification time"),
	CMD_CHOICE(struct tree_opts, sort, 'c', NULL, TREE_CTIME, "sort files by last status change time"),
	CMD_CHOICE(struct tree_opts, sort, 'U', NULL, TREE_UNSORTED, "leave files unsorted"),
	CMD_FLAG(struct tree_opts, reverse, 'r', NULL, "reverse the order of the sort"),
	CMD_FLAG(struct tree_opts, dirs_first, 0, "dirsfirst", "list directories before files (-U disables)"),
	CMD_FLAG(struct tree_opts, files_first, 0, "filesfirst", "list files before directories (-U disables)"),
	CMD_CALL(0, "sort", "X", set_sort, "select sort: name,version,size,mtime,ctime"),
	CMD_FLAG(struct tree_opts, no_indent, 'i', NULL, "don't print indentation lines"),
	CMD_CHOICE(struct tree_opts, lines, 'A', NULL, TREE_ANSI, "print ANSI lines graphic indentation lines"),
	CMD_CHOICE(struct tree_opts, lines, 'S', NULL, TREE_CP437, "print with CP437 (console) graphics indentation lines"),
	CMD_FLAG(struct tree_opts, no_color, 'n', NULL, "turn colorization off always (-C overrides)"),
	CMD_FLAG(struct tree_opts, color, 'C', NULL, "turn colorization on always"),
	CMD_CHOICE(struct tree_opts, format, 'X', NULL, TREE_XML, "print out an XML representation of the tree"),
	CMD_CHOICE(struct tree_opts, format, 'J', NULL, TREE_JSON, "print out a JSON representation of the tree"),
};

static void show(struct tree *t, struct tree_node *n, bool last, bool more) MAY_SUSPEND;

/* The entries of a directory, one level further in. */
static void show_entries(struct tree *t, struct tree_node *dir)
{
	size_t path_len = t->path.len, indent_len = t->indent.len;

	t->above[t->depth++] = dir;
	for (size_t i = 0; i < dir->n; i++) {
		struct arena_mark mark = arena_mark(&sys_self(t->p)->arena);
		const void *path = t->path.ptr, *indent = t->indent.ptr, *seen = t->seen;

		if (path_len && t->path.ptr[path_len - 1] != '/')
			u_buf_putc(&t->path, '/');
		u_buf_puts(&t->path, dir->v[i].name);
		show(t, &dir->v[i], i + 1 == dir->n, i + 1 < dir->n);
		t->path.len = path_len;
		t->path.ptr[path_len] = '\0';
		t->indent.len = indent_len;
		/* What was listed is forgotten, unless something that stays has moved into it. */
		if (path == t->path.ptr && indent == t->indent.ptr && seen == t->seen)
			arena_reset(&sys_self(t->p)->arena, mark);
	}
	t->depth--;
}

static void extend_indent(struct tree *t, bool last)
{
	if (last)
		u_buf_puts(&t->indent, "    ");
	else if (t->o->lines == TREE_UTF8)
		u_buf_puts(&t->indent, "\u2502\u00a0\u00a0 ");
	else
		u_buf_puts(&t->indent, t->o->lines == TREE_ASCII ? "|   " : t->o->lines == TREE_ANSI ? "x   " : "\263   ");
}

static void count(struct tree *t, const struct tree_node *n)
{
	if (n->is_dir)
		t->dirs++;
	else
		t->files++;
	t->bytes += n->size;
}

static void show(struct tree *t, struct tree_node *n, bool last, bool more)
{
	bool is_root = t->depth == 0;

	sys_checkpoint(t->p);
	if (n->open)
		tree_load(t, n);
	if (n->failed && !is_root)
		t->status = 2;
	if (!is_root)
		count(t, n);
	else if (n->n || n->over)
		t->dirs++;
	if (t->o->format != TREE_TEXT)
		tree_data_open(t, n, n->n > 0);
	else
		tree_text_line(t, n, is_root, last);
	if (n->n) {
		if (!is_root)
			extend_indent(t, last);
		show_entries(t, n);
	}
	if (t->o->format != TREE_TEXT)
		tree_data_close(t, n, n->n > 0, more);
}

static void show_root(struct tree *t, const char *path, bool more)
{
	struct tree_node root;
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	t->path.len = t->indent.len = 0;
	u_buf_put(&t->path, path, n);
	u_buf_puts(&t->indent, "");
	if (!tree_root(t, path, &root))
		t->status = 2;
	if (!root.is_dir) {
		t->files += root.lst.mode != 0;
		root.failed = true;
	}
	show(t, &root, true, more);
}

static uint64_t number(struct proc *p, const char *s, uint64_t least, const char *message)
{
	const char *end;
	bool overflow = false;
	uint64_t n = num_u64(s, &end, 10, &overflow);

	if (!ascii_digit(*s) || *end || overflow || n < least)
		u_die(p, 1, 0, "%s", message);
	return n;
}

/* A set is negated by ^ alone: tree knows no [!x]. */
static void plain_marks(struct proc *p, struct cmd_list *patterns)
{
	for (size_t i = 0; i < patterns->n; i++) {
		struct u_buf b;

		u_buf_init(&b, p, 0);
		for (const char *s = patterns->v[i]; *s; s++) {
			if (*s == '!' && s > patterns->v[i] && s[-1] == '[')
				u_buf_putc(&b, '\\');
			u_buf_putc(&b, *s);
		}
		patterns->v[i] = b.ptr ? b.ptr : "";
	}
}

static void set_up(struct tree *t, struct tree_opts *o)
{
	struct proc *p = t->p;

	o->date |= o->time_format != NULL;
	plain_marks(p, &o->include);
	plain_marks(p, &o->exclude);
	o->size |= o->human || o->si || o->du;
	t->max_depth = o->level ? number(p, o->level, 1, "Invalid level, must be greater than 0.") : UINT64_MAX;
	t->limit = o->limit ? number(p, o->limit, 0, "Invalid file limit, must be greater than 0.") : 0;
	if (o->files_first)
		o->dirs_first = false;
	if (!o->lines) {
		const char *c = o->charset ? o->charset : u_getenv(p, "TREE_CHARSET");

		o->lines = (c ? streq(c, "UTF-8") || streq(c, "utf-8") || streq(c, "utf8") || streq(c, "UTF8") : u_utf8(p)) ? TREE_UTF8 :
															     TREE_ASCII;
	}
	if (o->output) {
		int fd = sys_open(p, o->output, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);

		if (fd < 0)
			u_die(p, 1, 0, "invalid filename '%s'", o->output);
		t->out = u_alloc(p, sizeof(*t->out));
		u_out_init(t->out, p, fd, 0);
	}
}

static int tree_main(struct proc *p, const struct cmd_args *a)
{
	struct tree *t = u_zalloc(p, sizeof(*t));

	t->p = p;
	t->o = a->opts;
	t->out = u_stdout(p);
	t->tz = u_tz_get(p, NULL);
	t->now = sys_clock(p, SYS_CLOCK_REAL) / 1000000000;
	u_buf_init(&t->path, p, 0);
	u_buf_init(&t->indent, p, 0);
	set_up(t, a->opts);
	if (t->o->format != TREE_TEXT)
		tree_data_start(t);
	if (a->argc == 0)
		show_root(t, ".", false);
	for (int i = 0; i < a->argc; i++)
		show_root(t, a->argv[i], i + 1 < a->argc);
	if (t->o->format != TREE_TEXT)
		tree_data_end(t);
	else if (!t->o->no_report)
		tree_text_report(t);
	if (t->out != u_stdout(p) && u_flush(t->out) < 0)
		u_die(p, 1, t->out->err, "%s", t->o->output);
	return t->status;
}

static const struct cmd_example examples[] = {
	{"mkdir -p d/e; touch d/e/f d/g; tree --noreport --charset ascii d", "d\n|-- e\n|   `-- f\n`-- g\n"},
};

static const struct cmd_missing missing[] = {
	{"-H, -T, --nolinks, --hintro, --houtro", "HTML output"},
	{"-R", "rerunning at the deepest level writes HTML files"},
	{"--gitignore, --gitfile, --info, --infofile", "rules and remarks found in files"},
	{"--fromfile, --fflinks", "trees read from a list"},
};

const struct cmd cmd_tree = {
	.name = "tree",
	.summary = "list the contents of directories in a tree-like format",
	.synopsis = "[OPTION]... [DIRECTORY]...",
	.description = "A PATTERN is alternatives separated by '|', each as the shell's patterns; one that ends\n"
		       "in '/' is for directories only. The status is 2 when a directory could not be read.",
	.opts = tree_flags,
	.nopts = COUNTOF(tree_flags),
	.opts_size = sizeof(struct tree_opts),
	.main = tree_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
	.missing = missing,
	.nmissing = COUNTOF(missing),
};
