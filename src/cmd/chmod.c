/* chmod - change file mode bits. */
#include "cmd.h"

struct chmod {
	bool changes, quiet, verbose, recursive;
	int preserve_root;	/* 1: -R of / is refused */
	const char *reference;
};

static const struct cmd_opt chmod_opts[] = {
	CMD_FLAG(struct chmod, changes, 'c', "changes", "like verbose but report only when a change is made"),
	CMD_FLAG(struct chmod, quiet, 'f', "silent", "suppress most error messages"),
	CMD_FLAG(struct chmod, quiet, 0, "quiet", NULL),
	CMD_FLAG(struct chmod, verbose, 'v', "verbose", "output a diagnostic for every file processed"),
	CMD_CHOICE(struct chmod, preserve_root, 0, "no-preserve-root", -1, "do not treat '/' specially (the default)"),
	CMD_CHOICE(struct chmod, preserve_root, 0, "preserve-root", 1, "fail to operate recursively on '/'"),
	CMD_STRING(struct chmod, reference, 0, "reference", "RFILE", "use RFILE's mode instead of MODE values"),
	CMD_FLAG(struct chmod, recursive, 'R', "recursive", "change files and directories recursively"),
};

/* GNU takes a mode such as -x or -rwx as an operand: it is moved in front of the options as "--". */
static char **chmod_rewrite(struct proc *p, int *argc, char **argv)
{
	char **v;

	for (int i = 1; i < *argc && !streq(argv[i], "--"); i++) {
		if (argv[i][0] != '-' || !argv[i][1] || !strchr("rwxXstugoa,+=-0123456789", argv[i][1]) || argv[i][1] == '-')
			continue;
		/* The options before it, those after it, then "--", the mode and the operands. */
		v = u_array(p, (size_t)*argc + 2, sizeof(char *));
		int n = 0, rest;

		for (int j = 0; j < *argc; j++)
			if (j == 0 || (j != i && argv[j][0] == '-' && argv[j][1]))
				v[n++] = argv[j];
		v[n++] = (char *)(uintptr_t) "--";
		v[n++] = argv[i];
		for (rest = 1; rest < *argc; rest++)
			if (rest != i && !(argv[rest][0] == '-' && argv[rest][1]))
				v[n++] = argv[rest];
		v[n] = NULL;
		*argc = n;
		return v;
	}
	return argv;
}

struct change {
	struct proc *p;
	const struct chmod *o;
	const struct u_mode *mode;
	uint32_t fixed;		/* --reference */
	unsigned umask;
	int status;
};

static void report(struct change *c, const char *path, uint32_t before, uint32_t after, bool ok)
{
	char a[11], b[11];
	const char *q = u_quote_file(c->p, path);

	if (!c->o->verbose && (!c->o->changes || before == after || !ok))
		return;
	u_mode_string(before, a);
	u_mode_string(after, b);
	if (!ok)
		u_printf(u_stdout(c->p), "failed to change mode of %s from %04o (%s) to %04o (%s)\n", q, before & 07777, a + 1,
			 after & 07777, b + 1);
	else if (before == after)
		u_printf(u_stdout(c->p), "mode of %s retained as %04o (%s)\n", q, before & 07777, a + 1);
	else
		u_printf(u_stdout(c->p), "mode of %s changed from %04o (%s) to %04o (%s)\n", q, before & 07777, a + 1,
			 after & 07777, b + 1);
}

static void change_one(struct change *c, const char *path, const struct sys_stat *st)
{
	bool dir = (st->mode & SYS_S_TYPE) == SYS_S_DIR;
	uint32_t before = st->mode, after;
	int e;

	after = c->mode ? u_mode_apply(c->mode, before & 07777, dir, c->umask) : c->fixed;
	after |= before & SYS_S_TYPE;
	e = sys_chmod(c->p, path, after & 07777, 0);
	if (e < 0) {
		if (!c->o->quiet)
			u_warn(c->p, e, "changing permissions of %s", u_quote_file(c->p, path));
		c->status = 1;
	}
	report(c, path, before, after, e == 0);
}

static void change_tree(struct change *c, const char *root)
{
	struct u_walk *w = u_walk_new(c->p, root, U_WALK_FOLLOW_ROOT);
	struct u_walk_entry e;

	while (u_walk_next(w, &e)) {
		struct arena_mark mark = arena_mark(&sys_self(c->p)->arena);

		if (e.event == U_WALK_ERROR) {
			if (!c->o->quiet)
				u_warn(c->p, e.err, e.depth ? "cannot read directory %s" : "cannot access %s",
				       u_quote_file(c->p, e.path));
			c->status = 1;
		} else if ((e.event == U_WALK_FILE || e.event == U_WALK_DIR_PRE) && (e.st.mode & SYS_S_TYPE) != SYS_S_LINK) {
			change_one(c, e.path, &e.st);
		}
		arena_reset(&sys_self(c->p)->arena, mark);
	}
}

static bool is_root(struct proc *p, const struct sys_stat *st)
{
	struct sys_stat root;

	return sys_stat(p, "/", 0, &root) == 0 && root.ino == st->ino && root.dev == st->dev;
}

static int chmod_main(struct proc *p, const struct cmd_args *a)
{
	struct change c = {.p = p, .o = a->opts, .umask = sys_umask(p, -1)};
	struct sys_stat st;
	int first = 0;

	if (c.o->reference) {
		int e = sys_stat(p, c.o->reference, 0, &st);

		if (e < 0)
			u_die(p, 1, e, "failed to get attributes of %s", u_quote_file(p, c.o->reference));
		c.fixed = st.mode & 07777;
	} else {
		if (a->argc == 0)
			u_usage(p, "missing operand");
		first = 1;
	}
	if (a->argc == first) {
		if (first)
			u_usage(p, "missing operand after %s", u_quote(p, a->argv[0]));
		u_usage(p, "missing operand");
	}
	if (first && !(c.mode = u_mode_parse(p, a->argv[0])))
		u_usage(p, "invalid mode: %s", u_quote(p, a->argv[0]));
	for (int i = first; i < a->argc; i++) {
		int e;

		if (c.o->recursive && c.o->preserve_root > 0 && sys_stat(p, a->argv[i], 0, &st) == 0 && is_root(p, &st)) {
			u_warn(p, 0, streq(a->argv[i], "/") ? "it is dangerous to operate recursively on %s"
							    : "it is dangerous to operate recursively on %s (same as '/')",
			       u_quote_file(p, a->argv[i]));
			u_warn(p, 0, "use --no-preserve-root to override this failsafe");
			c.status = 1;
			continue;
		}
		if (c.o->recursive) {
			change_tree(&c, a->argv[i]);
			continue;
		}
		e = sys_stat(p, a->argv[i], 0, &st);
		if (e == 0) {
			change_one(&c, a->argv[i], &st);
			continue;
		}
		c.status = 1;
		if (!c.o->quiet) {
			struct sys_stat link;

			if (e == -NACRE_ENOENT && sys_stat(p, a->argv[i], SYS_NOFOLLOW, &link) == 0)
				u_warn(p, 0, "cannot operate on dangling symlink %s", u_quote_file(p, a->argv[i]));
			else
				u_warn(p, e, "cannot access %s", u_quote_file(p, a->argv[i]));
		}
	}
	return c.status;
}

static const struct cmd_example examples[] = {
	{"touch f; chmod 640 f; stat -c %A f", "-rw-r-----\n"},
	{"touch f; chmod a=r,u+x f; stat -c %a f", "544\n"},
};

const struct cmd cmd_chmod = {
	.name = "chmod",
	.summary = "Change the mode of each FILE to MODE.",
	.synopsis = "[OPTION]... MODE[,MODE]... FILE...\n[OPTION]... OCTAL-MODE FILE...\n[OPTION]... --reference=RFILE FILE...",
	.description = "Each MODE is of the form '[ugoa]*([-+=]([rwxXst]*|[ugo]))+|[-+=][0-7]+'.",
	.opts = chmod_opts,
	.nopts = COUNTOF(chmod_opts),
	.opts_size = sizeof(struct chmod),
	.rewrite = chmod_rewrite,
	.main = chmod_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
