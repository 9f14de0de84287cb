/* install - copy files and set attributes; make directories. */
#include "copy.h"

struct install {
	struct copy c;
	bool compare, directories, make_parents, preserve, strip, no_target;
	const char *mode, *owner, *group, *suffix, *target, *strip_program;
	const struct u_mode *parsed;
	int64_t uid, gid;
};

static void set_backup(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)opt;
	((struct install *)opts)->c.backup = copy_backup_kind(p, arg);
}

static void ignore_context(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)opts;
	(void)arg;
	if (opt->lng && streq(opt->lng, "preserve-context"))
		u_warn(p, 0, "WARNING: ignoring --preserve-context; this kernel is not SELinux-enabled");
}

static void ignore_c(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)p;
	(void)opts;
	(void)opt;
	(void)arg;
}

static const struct cmd_opt install_opts[] = {
	CMD_CALL_OPTIONAL(0, "backup", "CONTROL", set_backup, "make a backup of each existing destination file"),
	CMD_CALL('b', NULL, NULL, set_backup, "like --backup but does not accept an argument"),
	CMD_CALL('c', NULL, NULL, ignore_c, "(ignored)"),
	CMD_FLAG(struct install, compare, 'C', "compare", "compare content of source and destination files, and\nif no change to "
							  "content, ownership, and permissions, do\nnot modify the destination at all"),
	CMD_FLAG(struct install, directories, 'd', "directory", "treat all arguments as directory names; create all\ncomponents of the "
								"specified directories"),
	CMD_FLAG(struct install, make_parents, 'D', NULL, "create all leading components of DEST except the last,\nor all components of "
							  "--target-directory,\nthen copy SOURCE to DEST"),
	CMD_STRING(struct install, group, 'g', "group", "GROUP", "set group ownership, instead of process' current group"),
	CMD_STRING(struct install, mode, 'm', "mode", "MODE", "set permission mode (as in chmod), instead of rwxr-xr-x"),
	CMD_STRING(struct install, owner, 'o', "owner", "OWNER", "set ownership (super-user only)"),
	CMD_FLAG(struct install, preserve, 'p', "preserve-timestamps", "apply access/modification times of SOURCE files\nto corresponding "
								       "destination files"),
	CMD_FLAG(struct install, strip, 's', "strip", "strip symbol tables (refused: there is no strip)"),
	CMD_STRING(struct install, strip_program, 0, "strip-program", "PROGRAM", "program used to strip binaries"),
	CMD_STRING(struct install, suffix, 'S', "suffix", "SUFFIX", "override the usual backup suffix"),
	CMD_STRING(struct install, target, 't', "target-directory", "DIRECTORY", "copy all SOURCE arguments into DIRECTORY"),
	CMD_FLAG(struct install, no_target, 'T', "no-target-directory", "treat DEST as a normal file"),
	CMD_FLAG(struct install, c.verbose, 'v', "verbose", "print the name of each created file or directory"),
	CMD_CALL(0, "preserve-context", NULL, ignore_context, "preserve SELinux security context (there is none)"),
	CMD_CALL('Z', NULL, NULL, ignore_context, "set SELinux security context (there is none)"),
};

static bool is_dir(struct proc *p, const char *path)
{
	struct sys_stat st;

	return sys_stat(p, path, 0, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR;
}

static void say_directory(struct install *o, const char *path)
{
	if (o->c.verbose)
		u_printf(u_stdout(o->c.p), "%s: creating directory %s\n", u_name(o->c.p), u_quote_file(o->c.p, path));
}

/* Makes the parents of `path`, and path itself when `whole`; parents get rwxr-xr-x whatever the umask. */
static bool make_directories(struct install *o, const char *path, bool whole)
{
	struct proc *p = o->c.p;
	char *part = u_strdup(p, path);
	size_t n = strlen(part), at = strspn(part, "/");

	while (n > 1 && part[n - 1] == '/')
		part[--n] = '\0';
	while (at < n) {
		bool last;
		char kept;
		int e;

		at += strcspn(part + at, "/");
		last = !part[at];
		if (last && !whole)
			break;
		kept = part[at];
		part[at] = '\0';
		e = sys_mkdir(p, part, 0755);
		if (e == 0) {
			say_directory(o, part);
			e = sys_chmod(p, part, 0755, 0);
		} else if (e == -NACRE_EEXIST && is_dir(p, part)) {
			e = 0;
		}
		if (e < 0) {
			u_warn(p, e, "cannot create directory %s", last ? u_quote(p, part) : u_quote_file(p, part));
			o->c.status = 1;
			return false;
		}
		part[at] = kept;
		at += strspn(part + at, "/");
	}
	return true;
}

/* The owner, group, permissions and times of what was installed. */
static void set_attributes(struct install *o, const char *path, const struct sys_stat *source, bool directory)
{
	struct proc *p = o->c.p;
	int e = 0;

	if (o->preserve && source)
		e = sys_utimes(p, path, source->atime, source->mtime, 0);
	if (e < 0)
		u_warn(p, e, "cannot set timestamps for %s", u_quote_file(p, path));
	else if ((o->uid >= 0 || o->gid >= 0) && (e = sys_chown(p, path, o->uid, o->gid, 0)) < 0)
		u_warn(p, e, "cannot change ownership of %s", u_quote_file(p, path));
	else if ((e = sys_chmod(p, path, o->parsed ? u_mode_apply(o->parsed, 0, directory, 0) : 0755, 0)) < 0)
		u_warn(p, e, "cannot change permissions of %s", u_quote_file(p, path));
	if (e < 0)
		o->c.status = 1;
}

static bool same_content(struct proc *p, const char *a, const char *b)
{
	char x[4096], y[4096];
	int fa = sys_open(p, a, SYS_O_READ | SYS_O_CLOEXEC, 0), fb = sys_open(p, b, SYS_O_READ | SYS_O_CLOEXEC, 0);
	int64_t n = 1;
	bool same = fa >= 0 && fb >= 0;

	for (int64_t at = 0; same && n > 0; at += n) {
		n = sys_pread(p, fa, x, sizeof(x), at);
		same = n >= 0 && sys_pread(p, fb, y, sizeof(y), at) == n && memcmp(x, y, (size_t)n) == 0;
	}
	if (fa >= 0)
		sys_close(p, fa);
	if (fb >= 0)
		sys_close(p, fb);
	return same;
}

static bool needs_copy(struct install *o, const char *from, const char *to)
{
	struct sys_stat a, b;
	uint32_t mode = o->parsed ? u_mode_apply(o->parsed, 0, false, 0) : 0755;

	if (!o->compare || sys_stat(o->c.p, from, 0, &a) < 0 || sys_stat(o->c.p, to, SYS_NOFOLLOW, &b) < 0)
		return true;
	return (b.mode & SYS_S_TYPE) != SYS_S_FILE || (a.mode & SYS_S_TYPE) != SYS_S_FILE || a.size != b.size || (b.mode & 07777) != mode ||
	       (o->uid >= 0 && b.uid != o->uid) || (o->gid >= 0 && b.gid != o->gid) || !same_content(o->c.p, from, to);
}

static void install_file(struct install *o, const char *from, const char *to)
{
	struct proc *p = o->c.p;
	struct sys_stat st;
	int before = o->c.status, e = sys_stat(p, from, 0, &st);

	if (e < 0) {
		u_warn(p, e, "cannot stat %s", u_quote_file(p, from));
	} else if ((st.mode & SYS_S_TYPE) == SYS_S_DIR) {
		u_warn(p, 0, "omitting directory %s", u_quote_file(p, from));
		e = -1;
	}
	if (e < 0) {
		o->c.status = 1;
		return;
	}
	if (!needs_copy(o, from, to))
		return;
	o->c.status = 0;
	copy_file(&o->c, from, to, true);
	if (o->c.status == 0)
		set_attributes(o, to, &st, false);
	o->c.status |= before;
}

static void install_directories(struct install *o, const struct cmd_args *a)
{
	if (a->argc == 0)
		u_usage(o->c.p, "missing file operand");
	for (int i = 0; i < a->argc; i++) {
		if (make_directories(o, a->argv[i], true))
			set_attributes(o, a->argv[i], NULL, true);
	}
}

static void prepare(struct install *o)
{
	struct proc *p = o->c.p;
	uint32_t id;
	const char *end;

	o->uid = o->gid = -1;
	if (o->compare && o->preserve)
		u_usage(p, "options --compare (-C) and --preserve-timestamps are mutually exclusive");
	if (o->directories && o->strip)
		u_die(p, 1, 0, "the strip option may not be used when installing a directory");
	if (o->directories && o->target)
		u_die(p, 1, 0, "target directory not allowed when installing a directory");
	if (o->strip)
		u_die(p, 1, 0, "-s is not supported: there is no strip");
	if (o->strip_program)
		u_warn(p, 0, "WARNING: ignoring --strip-program option as -s option was not specified");
	if (o->mode && !(o->parsed = u_mode_parse(p, o->mode)))
		u_die(p, 1, 0, "invalid mode %s", u_quote(p, o->mode));
	if (o->owner) {
		o->uid = u_user_id(p, o->owner, &id) ? id : ascii_digit(*o->owner) ? num_i64(o->owner, &end, 10, NULL) : -1;
		if (o->uid < 0 || o->uid > UINT32_MAX)
			u_die(p, 1, 0, "invalid user %s", u_quote(p, o->owner));
	}
	if (o->group) {
		o->gid = u_group_id(p, o->group, &id) ? id : ascii_digit(*o->group) ? num_i64(o->group, &end, 10, NULL) : -1;
		if (o->gid < 0 || o->gid > UINT32_MAX)
			u_die(p, 1, 0, "invalid group %s", u_quote(p, o->group));
	}
}

/* Where the files go, as copy_operands has it but for the words and for -D. */
static void operands(struct install *o, const struct cmd_args *a, struct copy_operands *ops)
{
	struct proc *p = o->c.p;

	if (a->argc == 0)
		u_usage(p, "missing file operand");
	if (o->target && o->make_parents)
		make_directories(o, o->target, true);
	if (o->target && !is_dir(p, o->target)) {
		struct sys_stat st;
		int e = sys_stat(p, o->target, 0, &st);

		u_die(p, 1, e < 0 ? e : -NACRE_ENOTDIR, "failed to access %s", u_quote_file(p, o->target));
	}
	copy_operands(p, a, o->target, o->no_target || (o->make_parents && !o->target && a->argc == 2 && !is_dir(p, a->argv[1])), ops);
}

static int install_main(struct proc *p, const struct cmd_args *a)
{
	struct install *o = a->opts;
	struct copy_operands ops;

	o->c.p = p;
	o->c.remove_destination = true;
	o->c.follow = COPY_FOLLOW_ALL;
	o->c.suffix = o->suffix ? o->suffix : u_getenv(p, "SIMPLE_BACKUP_SUFFIX");
	if (o->suffix && !o->c.backup)
		o->c.backup = copy_backup_kind(p, NULL);
	prepare(o);
	if (o->directories) {
		install_directories(o, a);
		return o->c.status;
	}
	operands(o, a, &ops);
	if (ops.to && o->make_parents && !make_directories(o, ops.to, false))
		return 1;
	for (int i = 0; i < ops.n; i++)
		install_file(o, ops.from[i], ops.dir ? u_join(p, ops.dir, u_basename(p, ops.from[i])) : ops.to);
	return o->c.status;
}

static const struct cmd_example examples[] = {
	{"echo hi > a; install -m 600 a b; stat -c %a b", "600\n"},
	{"install -d x/y; stat -c %a x/y", "755\n"},
};

const struct cmd cmd_install = {
	.name = "install",
	.summary = "copy files and set attributes",
	.synopsis = "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n[OPTION]... -t DIRECTORY SOURCE...\n[OPTION]... -d DIRECTORY...",
	.opts = install_opts,
	.nopts = COUNTOF(install_opts),
	.opts_size = sizeof(struct install),
	.main = install_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
