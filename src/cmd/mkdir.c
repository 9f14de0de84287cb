/* mkdir - make directories. */
#include "cmd.h"

struct mkdir {
	bool parents, verbose;
	const char *mode;
};

static void ignore_context(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	if (arg)
		u_warn(p, 0, "warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel");
}

static const struct cmd_opt mkdir_opts[] = {
	CMD_STRING(struct mkdir, mode, 'm', "mode", "MODE", "set file mode (as in chmod), not a=rwx - umask"),
	CMD_FLAG(struct mkdir, parents, 'p', "parents",
		 "no error if existing, make parent directories as needed,\n"
		 "with their file modes unaffected by any -m option."),
	CMD_CALL('Z', NULL, NULL, ignore_context, "set SELinux security context (there is none)"),
	CMD_CALL_OPTIONAL(0, "context", "CTX", ignore_context, "like -Z, or set it to CTX"),
	CMD_FLAG(struct mkdir, verbose, 'v', "verbose", "print a message for each created directory"),
};

static bool is_dir(struct proc *p, const char *path)
{
	struct sys_stat st;

	return sys_stat(p, path, 0, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR;
}

static void say(struct proc *p, const struct mkdir *o, const char *path)
{
	if (o->verbose)
		u_printf(u_stdout(p), "%s: created directory %s\n", u_name(p), u_quote_file(p, path));
}

/* Makes what is missing of path's parents; false after a message. */
static bool make_parents(struct proc *p, const struct mkdir *o, const char *path)
{
	char *part = u_strdup(p, path);

	for (char *s = part + strspn(part, "/"); (s = strchr(s, '/')) != NULL; s += strspn(s, "/")) {
		int e;

		if (!s[strspn(s, "/")])
			break;
		*s = '\0';
		/* The owner must be able to make what is below, whatever the umask. */
		e = sys_mkdir(p, part, 0777);
		if (e == 0) {
			unsigned umask = sys_umask(p, -1);

			if (umask & 0300)
				e = sys_chmod(p, part, (0777 & ~umask) | 0300, 0);
			say(p, o, part);
		}
		if (e < 0 && !(e == -NACRE_EEXIST && is_dir(p, part)) && !is_dir(p, part)) {
			struct sys_stat st;

			/* Of a link to nowhere GNU says what mkdir said. */
			u_warn(p, e == -NACRE_EEXIST && sys_stat(p, part, 0, &st) == 0 ? -NACRE_ENOTDIR : e, "cannot create directory %s", u_quote_file(p, part));
			return false;
		}
		*s = '/';
	}
	return true;
}

static int mkdir_main(struct proc *p, const struct cmd_args *a)
{
	const struct mkdir *o = a->opts;
	const struct u_mode *mode = NULL;
	int status = 0;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	if (o->mode && !(mode = u_mode_parse(p, o->mode)))
		u_die(p, 1, 0, "invalid mode %s", u_quote(p, o->mode));
	for (int i = 0; i < a->argc; i++) {
		const char *path = a->argv[i];
		int e;

		if (o->parents && !make_parents(p, o, path)) {
			status = 1;
			continue;
		}
		e = sys_mkdir(p, path, 0777);
		if (e == 0) {
			say(p, o, path);
			if (mode)
				e = sys_chmod(p, path, u_mode_apply(mode, 0777, true, sys_umask(p, -1)), 0);
		} else if (o->parents && (e == -NACRE_EEXIST || e == -NACRE_EROFS || e == -NACRE_EACCES) && is_dir(p, path)) {
			e = 0;
		}
		if (e < 0) {
			u_warn(p, e, "cannot create directory %s", u_quote_file(p, path));
			status = 1;
		}
	}
	return status;
}

static const struct cmd_example examples[] = {
	{"mkdir -p a/b/c && ls a/b", "c\n"},
	{"mkdir -v x", "mkdir: created directory 'x'\n"},
};

const struct cmd cmd_mkdir = {
	.name = "mkdir",
	.summary = "Create the DIRECTORY(ies), if they do not already exist.",
	.synopsis = "[OPTION]... DIRECTORY...",
	.opts = mkdir_opts,
	.nopts = COUNTOF(mkdir_opts),
	.opts_size = sizeof(struct mkdir),
	.main = mkdir_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
