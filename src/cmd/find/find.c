/* find - search for files in a directory hierarchy. */
#include "find.h"

/* The words before the expression: -H -L -P -D -O, then starting points. */
static int leading_options(struct find *f, int argc, char **argv)
{
	int i = 0;

	for (; i < argc; i++) {
		if (streq(argv[i], "-L"))
			f->walk_flags = U_WALK_FOLLOW;
		else if (streq(argv[i], "-H"))
			f->walk_flags = U_WALK_FOLLOW_ROOT;
		else if (streq(argv[i], "-P"))
			f->walk_flags = 0;
		else if (streq(argv[i], "-D"))
			u_die(f->p, 1, 0, "-D is not supported");
		else if (streq(argv[i], "-O"))
			u_die(f->p, 1, 0, "The -O option must be immediately followed by a decimal integer");
		else if (argv[i][0] == '-' && argv[i][1] == 'O' && ascii_digit(argv[i][2]))
			continue; /* an optimisation level: the result is the same */
		else if (streq(argv[i], "--"))
			return i + 1;
		else
			break;
	}
	return i;
}

static bool starts_expression(const char *w)
{
	return (w[0] == '-' && w[1]) || streq(w, "(") || streq(w, "!");
}

/* With -L a link that leads to itself is an error; one that leads nowhere is judged as a link. */
static bool leads_round(struct find *f, const struct u_walk_entry *e)
{
	struct sys_stat st;
	bool followed = f->walk_flags & (e->depth ? U_WALK_FOLLOW : U_WALK_FOLLOW | U_WALK_FOLLOW_ROOT);

	if (!followed || (e->st.mode & SYS_S_TYPE) != SYS_S_LINK || sys_stat(f->p, e->path, 0, &st) != -NACRE_ELOOP)
		return false;
	u_warn(f->p, -NACRE_ELOOP, "%s", u_quote(f->p, e->path));
	f->status = 1;
	return true;
}

static void judge(struct find *f, struct u_walk *w, const struct u_walk_entry *e)
{
	f->e = e;
	f->prune = false;
	if (e->depth >= f->mindepth && e->depth <= f->maxdepth)
		find_eval(f, f->root);
	if (e->event == U_WALK_DIR_PRE && (f->prune || e->depth >= f->maxdepth))
		u_walk_skip(w);
}

/* Names the directory above that the link leads back to. */
static void report_cycle(struct find *f, const struct u_walk_entry *e)
{
	char *above = u_strdup(f->p, e->path);
	struct sys_stat st;
	char *slash;

	while ((slash = strrchr(above, '/')) != NULL && slash > above) {
		*slash = '\0';
		if (sys_stat(f->p, above, 0, &st) == 0 && st.dev == e->st.dev && st.ino == e->st.ino)
			break;
	}
	u_warn(f->p, 0, "File system loop detected; %s is part of the same file system loop as %s.", u_quote(f->p, e->path),
	       u_quote(f->p, above));
	f->status = 1;
}

static void search(struct find *f, const char *root)
{
	struct u_walk *w = u_walk_new(f->p, root, f->walk_flags | (f->need_stat ? 0 : U_WALK_NO_STAT));
	struct u_walk_entry e;

	f->root_len = strlen(root);
	while (!f->quit && u_walk_next(w, &e)) {
		sys_checkpoint(f->p);
		switch (e.event) {
		case U_WALK_ERROR:
			u_warn(f->p, e.err, "%s", u_quote(f->p, e.path));
			f->status = 1;
			break;
		case U_WALK_CYCLE: report_cycle(f, &e); break;
		case U_WALK_DIR_PRE:
			if (!f->depth)
				judge(f, w, &e);
			else if (e.depth >= f->maxdepth) {
				judge(f, w, &e);
				u_walk_skip(w);
			}
			break;
		case U_WALK_DIR_POST:
			if (f->depth)
				judge(f, w, &e);
			break;
		case U_WALK_FILE:
			if (!leads_round(f, &e))
				judge(f, w, &e);
			break;
		}
	}
}

/* -files0-from: the starting points are the names in a file. */
static void search_listed(struct find *f)
{
	bool standard_input = streq(f->files0, "-");
	int fd = standard_input ? 0 : sys_open(f->p, f->files0, SYS_O_READ, 0), e;
	const char *name = standard_input ? "(standard input)" : f->files0;
	uint64_t number = 0;
	struct str text;

	if (fd < 0)
		u_die(f->p, 1, fd, "cannot open %s for reading", u_quote(f->p, name));
	e = u_read_all(f->p, fd, FIND_FILES0_MAX, &text);
	if (e < 0)
		u_die(f->p, 1, e, "%s: read error", u_quote(f->p, name));
	while (text.len && !f->quit) {
		const char *end = memchr(text.ptr, '\0', text.len);
		size_t n = end ? (size_t)(end - text.ptr) : text.len;

		number++;
		if (n == 0) {
			u_warn(f->p, 0, "%s:%llu: invalid zero-length file name", u_quote(f->p, name), (unsigned long long)number);
			f->status = 1;
		} else {
			search(f, u_strndup(f->p, text.ptr, n));
		}
		n += end != NULL;
		text = (struct str){text.ptr + n, text.len - n};
	}
}

/* What -fprint and friends have collected. */
static void flush_outputs(struct find *f)
{
	for (struct find_output *o = f->outputs; o; o = o->next) {
		int e = u_flush(&o->out);

		if (e < 0) {
			u_warn(f->p, e, "%s", u_quote(f->p, o->path));
			f->status = 1;
		}
	}
}

static int find_main(struct proc *p, const struct cmd_args *a)
{
	struct find f = {.p = p, .maxdepth = INT32_MAX, .regex_dialect = REGEX_FIND};
	int64_t now = sys_clock(p, SYS_CLOCK_REAL);
	int from, to;

	f.start = f.now = (struct sys_time){now / 1000000000, (int32_t)(now % 1000000000)};
	f.warn = sys_isatty(p, 0);
	f.tz = u_tz_get(p, NULL);
	from = to = leading_options(&f, a->argc, a->argv);
	while (to < a->argc && !starts_expression(a->argv[to]))
		to++;
	find_parse(&f, a->argc - to, a->argv + to);
	if (f.files0 && from < to) {
		u_warn(p, 0, "extra operand %s", u_quote(p, a->argv[from]));
		u_die(p, 1, 0, "file operands cannot be combined with -files0-from");
	}
	if (f.files0 && f.asks && streq(f.files0, "-"))
		u_die(p, 1, 0, "option -files0-from reading from standard input cannot be combined with -ok, -okdir\n");
	if (f.files0)
		search_listed(&f);
	else if (from == to)
		search(&f, ".");
	for (int i = from; i < to && !f.quit; i++)
		search(&f, a->argv[i]);
	find_flush_batches(&f);
	flush_outputs(&f);
	return f.status;
}

static const struct cmd_example examples[] = {
	{"mkdir d; touch d/a.c d/b.h; find d -name '*.c'", "d/a.c\n"},
	{"mkdir d; touch d/x; find d -type f -exec echo got {} \\;", "got d/x\n"},
};

static const struct cmd_missing missing[] = {
	{"-D", "debugging output"},
	{"-context", "SELinux"},
};

const struct cmd cmd_find = {
	.name = "find",
	.summary = "search for files in a directory hierarchy",
	.synopsis = "[-H] [-L] [-P] [-Olevel] [path...] [expression]",
	.description =
		"Default path is the current directory; default expression is -print.\n"
		"Operators (decreasing precedence): ( EXPR )  ! EXPR  -not EXPR  EXPR1 -a EXPR2\n"
		"      EXPR1 -and EXPR2  EXPR1 -o EXPR2  EXPR1 -or EXPR2  EXPR1 , EXPR2\n"
		"Positional and global options: -daystart -follow -regextype TYPE -depth -maxdepth LEVELS\n"
		"      -mindepth LEVELS -mount -xdev -noleaf -files0-from FILE -warn -nowarn\n"
		"Tests (N can be +N or -N or N): -amin N -anewer FILE -atime N -cmin N -cnewer FILE -ctime N\n"
		"      -empty -executable -false -fstype TYPE -gid N -group NAME -ilname PATTERN -iname PATTERN\n"
		"      -inum N -ipath PATTERN -iregex PATTERN -links N -lname PATTERN -mmin N -mtime N\n"
		"      -name PATTERN -newer FILE -newerXY REFERENCE -nogroup -nouser -path PATTERN\n"
		"      -perm [-/]MODE -readable -regex PATTERN -samefile FILE -size N[bckwMG] -true\n"
		"      -type [bcdpfls] -uid N -used N -user NAME -wholename PATTERN -writable -xtype [bcdpfls]\n"
		"Actions: -delete -exec COMMAND ; -exec COMMAND {} + -execdir COMMAND ; -execdir COMMAND {} +\n"
		"      -ok COMMAND ; -okdir COMMAND ;\n"
		"      -fls FILE -fprint FILE -fprint0 FILE -fprintf FILE FORMAT -ls -print -print0\n"
		"      -printf FORMAT -prune -quit",
	.raw = true,
	.stack_size = 1u << 20, /* parentheses in parentheses */
	.main = find_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
	.missing = missing,
	.nmissing = COUNTOF(missing),
};
