/* pwd.c - the working directory. */
#include "cmd.h"

enum { PWD_LOGICAL = 1, PWD_PHYSICAL };

struct pwd {
	int how;
};

static const struct cmd_opt pwd_opts[] = {
	CMD_CHOICE(struct pwd, how, 'L', "logical", PWD_LOGICAL, "use PWD of the environment, links and all"),
	CMD_CHOICE(struct pwd, how, 'P', "physical", PWD_PHYSICAL, "resolve all symbolic links (default)"),
};

/* PWD, when it names the working directory without any . or .. in it. */
static const char *logical(struct proc *p)
{
	const char *path = u_getenv(p, "PWD");
	struct sys_stat a, b;

	if (!path || path[0] != '/')
		return NULL;
	for (const char *s = path; (s = strstr(s, "/.")); s++) {
		size_t dots = s[2] == '.' ? 3 : 2;

		if (!s[dots] || s[dots] == '/')
			return NULL;
	}
	if (sys_stat(p, path, 0, &a) < 0 || sys_stat(p, ".", 0, &b) < 0 || a.dev != b.dev || a.ino != b.ino)
		return NULL;
	return path;
}

static int pwd_main(struct proc *p, const struct cmd_args *a)
{
	const struct pwd *o = a->opts;
	bool posix = u_getenv(p, "POSIXLY_CORRECT") != NULL;
	const char *path = NULL;

	if (a->argc > 0)
		u_warn(p, 0, "ignoring non-option arguments");
	if (o->how ? o->how == PWD_LOGICAL : posix)
		path = logical(p);
	u_printf(u_stdout(p), "%s\n", path ? path : sys_getcwd(p));
	return 0;
}

const struct cmd cmd_pwd = {
	.name = "pwd",
	.summary = "print the name of the working directory",
	.synopsis = "[OPTION]...",
	.opts = pwd_opts,
	.nopts = COUNTOF(pwd_opts),
	.opts_size = sizeof(struct pwd),
	.main = pwd_main,
};
