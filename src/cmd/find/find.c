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
	return (w[0] == '-' && w[1]) || streq(w, "(") || streq(w, ")") || streq(w, "!") || streq(w, ",");
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
		case U_WALK_CYCLE:
			u_warn(f->p, 0,
			       "File system loop detected; %s is part of the same file system loop as one of its parents.",
			       u_quote(f->p, e.path));
			f->status = 1;
			break;
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
		case U_WALK_FILE: judge(f, w, &e); break;
		}
	}
}

static int find_main(struct proc *p, const struct cmd_args *a)
{
	struct find f = {.p = p, .maxdepth = INT32_MAX, .regex_dialect = REGEX_FIND};
	int64_t now = sys_clock(p, SYS_CLOCK_REAL);
	int from, to;

	f.now = (struct sys_time){now / 1000000000, (int32_t)(now % 1000000000)};
	f.tz = u_tz_get(p, NULL);
	from = to = leading_options(&f, a->argc, a->argv);
	while (to < a->argc && !starts_expression(a->argv[to]))
		to++;
	find_parse(&f, a->argc - to, a->argv + to);
	if (from == to)
		search(&f, ".");
	for (int i = from; i < to && !f.quit; i++)
		search(&f, a->argv[i]);
	find_flush_batches(&f);
	return f.status;
}

static const struct cmd_example examples[] = {
	{"mkdir d; touch d/a.c d/b.h; find d -name '*.c'", "d/a.c\n"},
	{"mkdir d; touch d/x; find d -type f -exec echo got {} \\;", "got d/x\n"},
};

static const struct cmd_missing missing[] = {
	{"-ok, -okdir", "there is nobody to ask"},
	{"-D", "debugging output"},
	{"-files0-from", "starting points from a file"},
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
		"      -mindepth LEVELS -mount -xdev -noleaf\n"
		"Tests (N can be +N or -N or N): -amin N -anewer FILE -atime N -cmin N -cnewer FILE -ctime N\n"
		"      -empty -executable -false -fstype TYPE -gid N -group NAME -ilname PATTERN -iname PATTERN\n"
		"      -inum N -ipath PATTERN -iregex PATTERN -links N -lname PATTERN -mmin N -mtime N\n"
		"      -name PATTERN -newer FILE -newerXY REFERENCE -nogroup -nouser -path PATTERN\n"
		"      -perm [-/]MODE -readable -regex PATTERN -samefile FILE -size N[bckwMG] -true\n"
		"      -type [bcdpfls] -uid N -used N -user NAME -wholename PATTERN -writable -xtype [bcdpfls]\n"
		"Actions: -delete -exec COMMAND ; -exec COMMAND {} + -execdir COMMAND ; -execdir COMMAND {} +\n"
		"      -fls FILE -fprint FILE -fprint0 FILE -fprintf FILE FORMAT -ls -print -print0\n"
		"      -printf FORMAT -prune -quit",
	.raw = true,
	.main = find_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
	.missing = missing,
	.nmissing = COUNTOF(missing),
};
