/* mv - move (rename) files. */
#include "copy.h"

struct mv {
	struct copy c;
	bool strip;
	const char *target, *suffix;
};

static void set_backup(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct copy *c = opts;

	(void)opt;
	c->backup = copy_backup_kind(p, arg);
}

enum { MV_FORCE = COPY_UPDATE + 1 };

static void ignore_context(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	if (arg)
		u_warn(p, 0, "warning: ignoring --context; it requires an SELinux-enabled kernel");
}

static const struct cmd_opt mv_opts[] = {
	CMD_CALL_OPTIONAL(0, "backup", "CONTROL", set_backup, "make a backup of each existing destination file"),
	CMD_CALL('b', NULL, NULL, set_backup, "like --backup but does not accept an argument"),
	CMD_CHOICE(struct mv, c.clobber, 'f', "force", MV_FORCE, "do not prompt before overwriting"),
	CMD_CHOICE(struct mv, c.clobber, 'i', "interactive", COPY_ASK, "prompt before overwrite"),
	CMD_CHOICE(struct mv, c.clobber, 'n', "no-clobber", COPY_NO_CLOBBER, "do not overwrite an existing file"),
	CMD_FLAG(struct mv, strip, 0, "strip-trailing-slashes", "remove any trailing slashes from each SOURCE\nargument"),
	CMD_STRING(struct mv, suffix, 'S', "suffix", "SUFFIX", "override the usual backup suffix"),
	CMD_STRING(struct mv, target, 't', "target-directory", "DIRECTORY", "move all SOURCE arguments into DIRECTORY"),
	CMD_FLAG(struct mv, c.no_target_directory, 'T', "no-target-directory", "treat DEST as a normal file"),
	CMD_CHOICE(struct mv, c.clobber, 'u', "update", COPY_UPDATE,
		   "move only when the SOURCE file is newer\nthan the destination file or when the\ndestination file is missing"),
	CMD_FLAG(struct mv, c.verbose, 'v', "verbose", "explain what is being done"),
	CMD_CALL('Z', NULL, NULL, ignore_context, "set SELinux security context (there is none)"),
};

static char *without_slashes(struct proc *p, const char *path)
{
	char *s = u_strdup(p, path);
	size_t n = strlen(s);

	while (n > 1 && s[n - 1] == '/')
		s[--n] = '\0';
	return s;
}

static void fail(struct copy *c, int err, const char *format, const char *from, const char *to)
{
	u_warn(c->p, err, format, u_quote_file(c->p, from), u_quote_file(c->p, to));
	c->status = 1;
}

static void say(struct copy *c, const char *from, const char *to, const char *backup)
{
	if (!c->verbose)
		return;
	u_printf(u_stdout(c->p), "renamed %s -> %s", u_quote_file(c->p, from), u_quote_file(c->p, to));
	if (backup)
		u_printf(u_stdout(c->p), " (backup: %s)", u_quote_file(c->p, backup));
	u_putc(u_stdout(c->p), '\n');
}

/* Across filesystems: a copy with everything kept, then the source goes. */
static void move_by_copy(struct copy *c, const char *from, const char *to)
{
	struct copy copy = *c;
	struct u_walk *w;
	struct u_walk_entry e;

	copy.moving = copy.recursive = true;
	copy.follow = COPY_FOLLOW_NONE;
	copy.clobber = COPY_CLOBBER;
	copy.backup = COPY_BACKUP_NONE;
	copy.preserve = COPY_MODE | COPY_OWNER | COPY_TIMES | COPY_LINKS;
	copy.may_lose = true;
	copy.status = 0;
	copy_file(&copy, from, to, true);
	if (copy.status) {
		c->status = 1;
		return;
	}
	w = u_walk_new(c->p, from, 0);
	while (u_walk_next(w, &e)) {
		int r = 0;

		if (e.event == U_WALK_ERROR)
			r = e.err;
		else if (e.event == U_WALK_FILE)
			r = sys_unlink(c->p, e.path);
		else if (e.event == U_WALK_DIR_POST)
			r = sys_rmdir(c->p, e.path);
		if (r < 0) {
			u_warn(c->p, r, "cannot remove %s", u_quote_file(c->p, e.path));
			c->status = 1;
			return;
		}
		if (c->verbose && e.event != U_WALK_DIR_PRE)
			u_printf(u_stdout(c->p), "removed %s%s\n", e.event == U_WALK_DIR_POST ? "directory " : "",
				 u_quote_file(c->p, e.path));
	}
}

/* A link that leads to the destination, which has other names as well. */
static bool leads_to(struct copy *c, const char *from, const struct sys_stat *st, const char *to, const struct sys_stat *to_st)
{
	char real[SYS_PATH_MAX];

	return (st->mode & SYS_S_TYPE) == SYS_S_LINK && to_st->nlink > 1 && sys_realpath(c->p, from, 2, real, sizeof(real)) >= 0 &&
	       copy_same_name(c->p, real, to);
}

static bool lstat_without_slashes(struct proc *p, const char *path)
{
	char *bare = u_strdup(p, path);
	size_t n = strlen(bare);
	struct sys_stat st;

	while (n > 1 && bare[n - 1] == '/')
		bare[--n] = '\0';
	return sys_stat(p, bare, SYS_NOFOLLOW, &st) == 0;
}

static void move(struct copy *c, const char *from, const char *to)
{
	struct sys_stat st, to_st;
	const char *backup = NULL;
	bool from_dir, to_dir;
	int e = sys_stat(c->p, from, SYS_NOFOLLOW, &st);

	if (e < 0) {
		fail(c, e, "cannot stat %s%.0s", from, "");
		return;
	}
	from_dir = (st.mode & SYS_S_TYPE) == SYS_S_DIR;
	if (sys_stat(c->p, to, SYS_NOFOLLOW, &to_st) == 0) {
		to_dir = (to_st.mode & SYS_S_TYPE) == SYS_S_DIR;
		if (st.ino == to_st.ino && st.dev == to_st.dev) {
			/* Two names of one symbolic link: the source name goes, as GNU does. */
			if ((st.mode & SYS_S_TYPE) == SYS_S_LINK && st.nlink > 1 && !copy_same_name(c->p, from, to)) {
				e = sys_unlink(c->p, from);
				if (e < 0)
					fail(c, e, "cannot remove %s%.0s", from, "");
				return;
			}
			fail(c, 0, "%s and %s are the same file", from, to);
			return;
		}
		if (leads_to(c, from, &st, to, &to_st)) {
			fail(c, 0, "%s and %s are the same file", from, to);
			return;
		}
		if (!copy_may_replace(c, to, &st, &to_st))
			return;
		if (!c->backup && to_dir && !from_dir) {
			fail(c, 0, "cannot overwrite directory %s with non-directory%.0s", to, "");
			return;
		}
		if (!c->backup && from_dir && !to_dir) {
			fail(c, 0, "cannot overwrite non-directory %s with directory %s", to, from);
			return;
		}
		if (c->backup && !(backup = copy_backup(c, to)))
			return;
	}
	e = sys_rename(c->p, from, to, 0);
	if (e == -NACRE_ENOTDIR && !from_dir && to[strlen(to) - 1] == '/' && lstat_without_slashes(c->p, to)) {
		fail(c, e, "cannot stat %s%.0s", to, from);
		return;
	}
	if (e == 0)
		say(c, from, to, backup);
	else if (e == -NACRE_EXDEV)
		move_by_copy(c, from, to);
	else if (e == -NACRE_EINVAL && from_dir)
		fail(c, 0, "cannot move %s to a subdirectory of itself, %s", from, to);
	else if (e == -NACRE_ENOTEMPTY || e == -NACRE_EEXIST)
		fail(c, e, "cannot move %s to %s", from, to);
	else
		fail(c, e, "cannot move %s to %s", from, to);
}

static int mv_main(struct proc *p, const struct cmd_args *a)
{
	struct mv *o = a->opts;
	struct copy *c = &o->c;
	struct copy_operands ops;

	c->p = p;
	if (c->clobber == MV_FORCE)
		c->clobber = COPY_CLOBBER;
	c->suffix = o->suffix ? o->suffix : u_getenv(p, "SIMPLE_BACKUP_SUFFIX");
	if (o->suffix && !c->backup)
		c->backup = copy_backup_kind(p, NULL);
	if (c->clobber == COPY_NO_CLOBBER && c->backup)
		u_usage(p, "options --backup and --no-clobber are mutually exclusive");
	copy_operands(p, a, o->target, c->no_target_directory, &ops);
	for (int i = 0; i < ops.n; i++) {
		const char *from = o->strip ? without_slashes(p, ops.from[i]) : ops.from[i];

		if (ops.dir)
			move(c, from, u_join(p, ops.dir, without_slashes(p, u_basename(p, from))));
		else
			move(c, from, ops.to);
	}
	return c->status;
}

static const struct cmd_example examples[] = {
	{"touch a; mv -v a b", "renamed 'a' -> 'b'\n"},
	{"mkdir d; touch x y; mv x y d; ls d", "x\ny\n"},
};

const struct cmd cmd_mv = {
	.name = "mv",
	.summary = "Rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.",
	.synopsis = "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n[OPTION]... -t DIRECTORY SOURCE...",
	.opts = mv_opts,
	.nopts = COUNTOF(mv_opts),
	.opts_size = sizeof(struct mv),
	.stack_size = COPY_STACK_SIZE,
	.main = mv_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
