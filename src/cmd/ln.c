/* ln - make links between files. */
#include "copy.h"

enum existing { EXISTING_FAIL, EXISTING_FORCE, EXISTING_ASK };

struct ln {
	struct copy c;		/* backups and asking */
	bool symbolic, no_dereference, relative, logical, directory;
	int existing;
	const char *target, *suffix;
};

static void set_backup(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct copy *c = opts;

	(void)opt;
	c->backup = copy_backup_kind(p, arg);
}

static void set_physical(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)p;
	(void)opt;
	(void)arg;
	((struct ln *)opts)->logical = false;
}

static const struct cmd_opt ln_opts[] = {
	CMD_CALL_OPTIONAL(0, "backup", "CONTROL", set_backup, "make a backup of each existing destination file"),
	CMD_CALL('b', NULL, NULL, set_backup, "like --backup but does not accept an argument"),
	CMD_FLAG(struct ln, directory, 'd', "directory",
		 "allow the superuser to attempt to hard link\ndirectories (note: will probably fail due to\n"
		 "system restrictions, even for the superuser)"),
	CMD_FLAG(struct ln, directory, 'F', NULL, NULL),
	CMD_CHOICE(struct ln, existing, 'f', "force", EXISTING_FORCE, "remove existing destination files"),
	CMD_CHOICE(struct ln, existing, 'i', "interactive", EXISTING_ASK, "prompt whether to remove destinations"),
	CMD_FLAG(struct ln, logical, 'L', "logical", "dereference TARGETs that are symbolic links"),
	CMD_FLAG(struct ln, no_dereference, 'n', "no-dereference",
		 "treat LINK_NAME as a normal file if\nit is a symbolic link to a directory"),
	CMD_CALL('P', "physical", NULL, set_physical, "make hard links directly to symbolic links"),
	CMD_FLAG(struct ln, relative, 'r', "relative", "with -s, create links relative to link location"),
	CMD_FLAG(struct ln, symbolic, 's', "symbolic", "make symbolic links instead of hard links"),
	CMD_STRING(struct ln, suffix, 'S', "suffix", "SUFFIX", "override the usual backup suffix"),
	CMD_STRING(struct ln, target, 't', "target-directory", "DIRECTORY", "specify the DIRECTORY in which to create\nthe links"),
	CMD_FLAG(struct ln, c.no_target_directory, 'T', "no-target-directory", "treat LINK_NAME as a normal file always"),
	CMD_FLAG(struct ln, c.verbose, 'v', "verbose", "print name of each linked file"),
};

static const char *resolved(struct proc *p, const char *path)
{
	char *buf = u_alloc(p, SYS_PATH_MAX);
	int64_t n = sys_realpath(p, path, 0, buf, SYS_PATH_MAX - 1);

	if (n < 0)
		return NULL;
	buf[n] = '\0';
	return buf;
}

/* -r: the target as seen from the link's directory. */
static const char *relative_target(struct proc *p, const char *from, const char *link)
{
	const char *path = resolved(p, from), *dir = resolved(p, u_dirname(p, link));

	return path && dir ? u_relative_path(p, path, dir) : from;
}

/* Removing the destination would remove the source as well. A symbolic link to itself is made only when a backup is kept. */
static bool removes_itself(struct ln *o, const char *from, const char *to, const struct sys_stat *to_st)
{
	struct sys_stat st;

	if (o->symbolic && o->c.backup)
		return false;
	if (sys_stat(o->c.p, from, o->symbolic || o->logical ? 0 : SYS_NOFOLLOW, &st) < 0)
		return false;
	return st.ino == to_st->ino && st.dev == to_st->dev && (st.nlink == 1 || copy_same_name(o->c.p, from, to));
}

static void link_one(struct ln *o, const char *from, const char *to)
{
	struct copy *c = &o->c;
	struct proc *p = c->p;
	const char *target = from, *backup = NULL;
	struct sys_stat st, to_st;
	int e;

	if (!o->symbolic) {
		e = sys_stat(p, from, o->logical ? 0 : SYS_NOFOLLOW, &st);
		if (e < 0) {
			u_warn(p, e, "failed to access %s", u_quote_file(p, from));
			c->status = 1;
			return;
		}
		if ((st.mode & SYS_S_TYPE) == SYS_S_DIR && !o->directory) {
			u_warn(p, 0, "%s: hard link not allowed for directory", u_quote_if_needed(p, from));
			c->status = 1;
			return;
		}
	} else if (o->relative) {
		target = relative_target(p, from, to);
	}
	if ((o->existing || c->backup) && sys_stat(p, to, SYS_NOFOLLOW, &to_st) == 0) {
		if ((to_st.mode & SYS_S_TYPE) == SYS_S_DIR) {
			u_warn(p, 0, "%s: cannot overwrite directory", u_quote_if_needed(p, to));
			c->status = 1;
			return;
		}
		if (removes_itself(o, from, to, &to_st)) {
			u_warn(p, 0, "%s and %s are the same file", u_quote_file(p, from), u_quote_file(p, to));
			c->status = 1;
			return;
		}
		c->replacing = true;
		if (o->existing == EXISTING_ASK && !copy_may_replace(c, to, &to_st, &to_st))
			return;
		if (c->backup) {
			backup = copy_backup(c, to);
			if (!backup)
				return;
		} else {
			e = sys_unlink(p, to);
			if (e < 0) {
				u_warn(p, e, "cannot remove %s", u_quote_file(p, to));
				c->status = 1;
				return;
			}
		}
	}
	e = o->symbolic ? sys_symlink(p, target, to) : sys_link(p, from, to, o->logical ? 0 : SYS_NOFOLLOW);
	if (e < 0) {
		if (o->symbolic)
			u_warn(p, e, "failed to create symbolic link %s%s%s", u_quote_file(p, to),
			       e == -NACRE_ENAMETOOLONG || !*target ? " -> " : "",
			       e == -NACRE_ENAMETOOLONG || !*target ? u_quote_file(p, target) : "");
		else
			u_warn(p, e, "failed to create hard link %s%s%s", u_quote_file(p, to),
			       e == -NACRE_EEXIST || e == -NACRE_EDQUOT || e == -NACRE_ENOSPC || e == -NACRE_EROFS ? "" : " => ",
			       e == -NACRE_EEXIST || e == -NACRE_EDQUOT || e == -NACRE_ENOSPC || e == -NACRE_EROFS ?
				       "" :
				       u_quote_file(p, from));
		c->status = 1;
		return;
	}
	if (c->verbose) {
		struct u_out *out = u_stdout(p);

		if (backup)
			u_printf(out, "%s ~ ", u_quote_file(p, backup));
		u_printf(out, "%s %s %s\n", u_quote_file(p, to), o->symbolic ? "->" : "=>", u_quote_file(p, target));
	}
}

static char *without_slashes(struct proc *p, const char *path)
{
	char *s = u_strdup(p, path);
	size_t n = strlen(s);

	while (n > 1 && s[n - 1] == '/')
		s[--n] = '\0';
	return s;
}

/* The directory the links go into, or NULL when argv's last word is the link's name. */
static const char *target_directory(struct ln *o, const struct cmd_args *a)
{
	struct proc *p = o->c.p;
	struct sys_stat st;
	const char *last = a->argv[a->argc - 1];
	int e;

	if (o->target) {
		e = sys_stat(p, o->target, 0, &st);
		if (e == 0 && (st.mode & SYS_S_TYPE) != SYS_S_DIR)
			e = -NACRE_ENOTDIR;
		if (e < 0)
			u_die(p, 1, e, "target directory %s", u_quote_file(p, o->target));
		return o->target;
	}
	if (o->c.no_target_directory)
		return NULL;
	if (a->argc == 1)
		return ".";
	e = sys_stat(p, last, o->no_dereference ? SYS_NOFOLLOW : 0, &st);
	if (e == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR)
		return last;
	if (a->argc > 2)
		u_die(p, 1, e < 0 ? e : -NACRE_ENOTDIR, "target %s", u_quote_file(p, last));
	return NULL;
}

static int ln_main(struct proc *p, const struct cmd_args *a)
{
	struct ln *o = a->opts;
	const char *dir;
	int n = a->argc;

	o->c.p = p;
	o->c.clobber = COPY_ASK;
	o->c.suffix = o->suffix ? o->suffix : u_getenv(p, "SIMPLE_BACKUP_SUFFIX");
	if (o->suffix && !o->c.backup)
		o->c.backup = copy_backup_kind(p, NULL);
	if (a->argc == 0)
		u_usage(p, "missing file operand");
	if (o->relative && !o->symbolic)
		u_die(p, 1, 0, "cannot do --relative without --symbolic");
	if (o->target && o->c.no_target_directory)
		u_die(p, 1, 0, "cannot combine --target-directory and --no-target-directory");
	if (o->c.no_target_directory && a->argc != 2) {
		if (a->argc < 2)
			u_usage(p, "missing destination file operand after %s", u_quote_file(p, a->argv[0]));
		u_usage(p, "extra operand %s", u_quote_file(p, a->argv[2]));
	}
	dir = target_directory(o, a);
	if (!dir) {
		link_one(o, a->argv[0], a->argv[1]);
		return o->c.status;
	}
	if (!o->target && a->argc > 1)
		n--;
	for (int i = 0; i < n; i++) {
		const char *name = without_slashes(p, u_basename(p, a->argv[i]));

		link_one(o, a->argv[i], streq(dir, ".") && !o->target && a->argc == 1 ? u_format(p, "./%s", name) : u_join(p, dir, name));
	}
	return o->c.status;
}

static const struct cmd_example examples[] = {
	{"ln -s a b; readlink b", "a\n"},
	{"echo x > f; ln f g; stat -c %h g", "2\n"},
};

const struct cmd cmd_ln = {
	.name = "ln",
	.summary = "Create a link to TARGET with the name LINK_NAME.",
	.synopsis = "[OPTION]... [-T] TARGET LINK_NAME\n[OPTION]... TARGET\n[OPTION]... TARGET... DIRECTORY\n"
		    "[OPTION]... -t DIRECTORY TARGET...",
	.opts = ln_opts,
	.nopts = COUNTOF(ln_opts),
	.opts_size = sizeof(struct ln),
	.main = ln_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
