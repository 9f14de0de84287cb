/* readlink - print resolved symbolic links or canonical file names. */
#include "cmd.h"

enum how { HOW_LINK, HOW_LAST_MAY_MISS, HOW_EXISTING, HOW_MISSING };

struct readlink {
	int how;
	bool no_newline, verbose, zero;
};

static void set_quiet(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct readlink *o = opts;

	(void)p;
	(void)opt;
	(void)arg;
	o->verbose = false;
}

static const struct cmd_opt readlink_opts[] = {
	CMD_CHOICE(struct readlink, how, 'f', "canonicalize", HOW_LAST_MAY_MISS,
		   "canonicalize by following every symlink in\nevery component of the given name recursively;\n"
		   "all but the last component must exist"),
	CMD_CHOICE(struct readlink, how, 'e', "canonicalize-existing", HOW_EXISTING,
		   "canonicalize by following every symlink in\nevery component of the given name recursively;\n"
		   "all components must exist"),
	CMD_CHOICE(struct readlink, how, 'm', "canonicalize-missing", HOW_MISSING,
		   "canonicalize by following every symlink in\nevery component of the given name recursively,\n"
		   "without requirements on components existence"),
	CMD_FLAG(struct readlink, no_newline, 'n', "no-newline", "do not output the trailing delimiter"),
	CMD_CALL('q', "quiet", NULL, set_quiet, "suppress most error messages (on by default)"),
	CMD_CALL('s', "silent", NULL, set_quiet, NULL),
	CMD_FLAG(struct readlink, verbose, 'v', "verbose", "report error messages"),
	CMD_FLAG(struct readlink, zero, 'z', "zero", "end each output line with NUL, not newline"),
};

static int readlink_main(struct proc *p, const struct cmd_args *a)
{
	const struct readlink *o = a->opts;
	char *buf = u_alloc(p, SYS_PATH_MAX);
	bool newline = !o->no_newline;
	int status = 0;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	if (a->argc > 1 && o->no_newline) {
		u_warn(p, 0, "ignoring --no-newline with multiple arguments");
		newline = true;
	}
	for (int i = 0; i < a->argc; i++) {
		int64_t n;

		if (o->how == HOW_LINK)
			n = sys_readlink(p, a->argv[i], buf, SYS_PATH_MAX);
		else
			n = sys_realpath(p, a->argv[i], o->how == HOW_EXISTING ? 2 : o->how == HOW_MISSING ? 0 : 1, buf,
					 SYS_PATH_MAX);
		if (n < 0) {
			status = 1;
			if (o->verbose)
				u_warn(p, (int)n, "%s", a->argv[i]);
			continue;
		}
		u_put(u_stdout(p), buf, (size_t)n);
		if (newline)
			u_putc(u_stdout(p), o->zero ? '\0' : '\n');
	}
	return status;
}

static const struct cmd_example examples[] = {
	{"ln -s target link; readlink link", "target\n"},
	{"cd /tmp; readlink -f a/../b", "/tmp/b\n"},
};

const struct cmd cmd_readlink = {
	.name = "readlink",
	.summary = "Print value of a symbolic link or canonical file name",
	.synopsis = "[OPTION]... FILE...",
	.opts = readlink_opts,
	.nopts = COUNTOF(readlink_opts),
	.opts_size = sizeof(struct readlink),
	.main = readlink_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
