/* rm - remove files or directories. */
#include "cmd.h"

enum prompt { PROMPT_DEFAULT, PROMPT_NEVER, PROMPT_ONCE, PROMPT_ALWAYS };

struct rm {
	int prompt;
	bool recursive, dir, verbose, one_fs, no_preserve_root;
};

static void set_interactive(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct rm *o = opts;

	(void)opt;
	if (!arg || streq(arg, "always") || streq(arg, "yes"))
		o->prompt = PROMPT_ALWAYS;
	else if (streq(arg, "never") || streq(arg, "no") || streq(arg, "none"))
		o->prompt = PROMPT_NEVER;
	else if (streq(arg, "once"))
		o->prompt = PROMPT_ONCE;
	else
		u_usage(p,
			"invalid argument %s for '--interactive'\nValid arguments are:\n  - 'never', 'no', 'none'\n"
			"  - 'once'\n  - 'always', 'yes'",
			u_quote(p, arg));
}

static void set_preserve_root(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct rm *o = opts;

	(void)opt;
	if (arg && !streq(arg, "all"))
		u_die(p, 1, 0, "unrecognized --preserve-root argument: %s", arg);
	o->no_preserve_root = false;
}

static const struct cmd_opt rm_opts[] = {
	CMD_CHOICE(struct rm, prompt, 'f', "force", PROMPT_NEVER, "ignore nonexistent files and arguments, never prompt"),
	CMD_CHOICE(struct rm, prompt, 'i', NULL, PROMPT_ALWAYS, "prompt before every removal"),
	CMD_CHOICE(struct rm, prompt, 'I', NULL, PROMPT_ONCE,
		   "prompt once before removing more than three files, or\nwhen removing recursively"),
	CMD_CALL_OPTIONAL(0, "interactive", "WHEN", set_interactive,
			  "prompt according to WHEN: never, once (-I), or\nalways (-i); without WHEN, prompt always"),
	CMD_FLAG(struct rm, one_fs, 0, "one-file-system",
		 "when removing a hierarchy recursively, skip any directory\nthat is on a file system different from that of\n"
		 "the corresponding command line argument"),
	CMD_FLAG(struct rm, no_preserve_root, 0, "no-preserve-root", "do not treat '/' specially"),
	CMD_CALL_OPTIONAL(0, "preserve-root", "all", set_preserve_root, "do not remove '/' (default)"),
	CMD_FLAG(struct rm, recursive, 'r', "recursive", "remove directories and their contents recursively"),
	CMD_FLAG(struct rm, recursive, 'R', NULL, NULL),
	CMD_FLAG(struct rm, dir, 'd', "dir", "remove empty directories"),
	CMD_FLAG(struct rm, verbose, 'v', "verbose", "explain what is being done"),
};

static bool is_dir(const struct sys_stat *st)
{
	return (st->mode & SYS_S_TYPE) == SYS_S_DIR;
}

static const char *kind_of(const struct sys_stat *st)
{
	switch (st->mode & SYS_S_TYPE) {
	case SYS_S_DIR: return "directory";
	case SYS_S_LINK: return "symbolic link";
	case SYS_S_FIFO: return "fifo";
	case SYS_S_CHAR: return "character special file";
	default: return st->size ? "regular file" : "regular empty file";
	}
}

/* Whether the file may go: asks with -i, and on a terminal for a write-protected one. */
static bool may_remove(struct proc *p, const struct rm *o, const char *path, const struct sys_stat *st, bool descend)
{
	bool protected = (st->mode & SYS_S_TYPE) != SYS_S_LINK && o->prompt != PROMPT_NEVER &&
			 (o->prompt == PROMPT_ALWAYS || sys_isatty(p, 0)) && sys_access(p, path, SYS_W_OK) < 0;

	if (o->prompt != PROMPT_ALWAYS && !protected)
		return true;
	return u_ask(p, u_format(p, "%s: %s %s%s %s? ", u_name(p), descend ? "descend into" : "remove",
			       protected ? "write-protected " : "", kind_of(st), u_quote_file(p, path)));
}

static bool has_entries(struct proc *p, const char *path)
{
	struct sys_dirent d;
	int fd = sys_open(p, path, SYS_O_READ | SYS_O_DIRECTORY, 0);
	bool any = false;

	if (fd >= 0) {
		any = sys_readdir(p, fd, &d) > 0;
		sys_close(p, fd);
	}
	return any;
}

static int remove_entry(struct proc *p, const struct rm *o, const char *path, const struct sys_stat *st)
{
	int e;

	if (!may_remove(p, o, path, st, false))
		return 0;
	e = is_dir(st) ? sys_rmdir(p, path) : sys_unlink(p, path);
	if (e < 0 && o->prompt == PROMPT_NEVER && (e == -NACRE_ENOENT || e == -NACRE_ENOTDIR))
		return 0;
	if (e < 0) {
		u_warn(p, e, "cannot remove %s", u_quote_file(p, path));
		return 1;
	}
	if (o->verbose)
		u_printf(u_stdout(p), "removed %s%s\n", is_dir(st) ? "directory " : "", u_quote_file(p, path));
	return 0;
}

static int remove_tree(struct proc *p, const struct rm *o, const char *root)
{
	struct u_walk *w = u_walk_new(p, root, o->one_fs ? U_WALK_ONE_FS : 0);
	struct u_walk_entry e;
	int status = 0;

	while (u_walk_next(w, &e)) {
		struct arena_mark mark = arena_mark(&sys_self(p)->arena);

		switch (e.event) {
		case U_WALK_ERROR:
			/* An unreadable but empty directory still goes. */
			if ((e.st.mode & SYS_S_TYPE) == SYS_S_DIR && sys_rmdir(p, e.path) == 0)
				break;
			u_warn(p, e.err, "cannot remove %s", u_quote_file(p, e.path));
			status = 1;
			break;
		case U_WALK_DIR_PRE:
			if (o->prompt == PROMPT_ALWAYS && has_entries(p, e.path) && !may_remove(p, o, e.path, &e.st, true))
				u_walk_skip(w);
			break;
		case U_WALK_CYCLE: break;
		case U_WALK_DIR_POST:
		case U_WALK_FILE: status |= remove_entry(p, o, e.path, &e.st); break;
		}
		arena_reset(&sys_self(p)->arena, mark);
	}
	return status;
}

static bool is_dot(const char *path)
{
	const char *end = path + strlen(path), *s;

	while (end > path && end[-1] == '/')
		end--;
	for (s = end; s > path && s[-1] != '/'; s--)
		;
	return end - s == 1 ? s[0] == '.' : end - s == 2 && s[0] == '.' && s[1] == '.';
}

static bool is_root(const char *path)
{
	return *path == '/' && !path[strspn(path, "/")];
}

static int remove_operand(struct proc *p, const struct rm *o, const char *path)
{
	struct sys_stat st;
	int e = sys_stat(p, path, SYS_NOFOLLOW, &st);

	if (e < 0) {
		if (o->prompt == PROMPT_NEVER && (e == -NACRE_ENOENT || e == -NACRE_ENOTDIR))
			return 0;
		u_warn(p, e, "cannot remove %s", u_quote_file(p, path));
		return 1;
	}
	if (!is_dir(&st))
		return remove_entry(p, o, path, &st);
	if (!o->recursive && !o->dir) {
		u_warn(p, -NACRE_EISDIR, "cannot remove %s", u_quote_file(p, path));
		return 1;
	}
	if (is_dot(path)) {
		u_warn(p, 0, "refusing to remove %s or %s directory: skipping %s", u_quote(p, "."), u_quote(p, ".."),
		       u_quote_file(p, path));
		return 1;
	}
	if (o->recursive && is_root(path) && !o->no_preserve_root) {
		u_warn(p, 0, "it is dangerous to operate recursively on %s", u_quote_file(p, path));
		u_warn(p, 0, "use --no-preserve-root to override this failsafe");
		return 1;
	}
	return o->recursive ? remove_tree(p, o, path) : remove_entry(p, o, path, &st);
}

static int rm_main(struct proc *p, const struct cmd_args *a)
{
	const struct rm *o = a->opts;
	int status = 0;

	if (a->argc == 0) {
		if (o->prompt == PROMPT_NEVER)
			return 0;
		u_usage(p, "missing operand");
	}
	if (o->prompt == PROMPT_ONCE && (o->recursive || a->argc > 3) &&
	    !u_ask(p, u_format(p, "%s: remove %d argument%s%s ", u_name(p), a->argc, a->argc == 1 ? "" : "s",
			     o->recursive ? " recursively?" : "?")))
		return 0;
	for (int i = 0; i < a->argc; i++)
		status |= remove_operand(p, o, a->argv[i]);
	return status;
}

static const struct cmd_example examples[] = {
	{"touch a; rm -v a", "removed 'a'\n"},
	{"mkdir -p d/e; rm -r d; ls", ""},
};

const struct cmd cmd_rm = {
	.name = "rm",
	.summary = "Remove (unlink) the FILE(s).",
	.synopsis = "[OPTION]... [FILE]...",
	.opts = rm_opts,
	.nopts = COUNTOF(rm_opts),
	.opts_size = sizeof(struct rm),
	.main = rm_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
