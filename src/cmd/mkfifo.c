/* mkfifo.c - make named pipes. */
#include "cmd.h"

struct mkfifo {
	const char *mode;
};

static const struct cmd_opt mkfifo_opts[] = {
	CMD_STRING(struct mkfifo, mode, 'm', "mode", "MODE", "set file permission bits to MODE, not a=rw - umask"),
};

static int mkfifo_main(struct proc *p, const struct cmd_args *a)
{
	const struct mkfifo *o = a->opts;
	const struct u_mode *mode = NULL;
	int status = 0;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	if (o->mode && !(mode = u_mode_parse(p, o->mode)))
		u_die(p, 1, 0, "invalid mode");
	for (int i = 0; i < a->argc; i++) {
		int e = sys_mkfifo(p, a->argv[i], 0666);

		if (e < 0) {
			u_warn(p, e, "cannot create fifo %s", u_quote_file(p, a->argv[i]));
			status = 1;
		} else if (mode) {
			e = sys_chmod(p, a->argv[i], u_mode_apply(mode, 0666, false, sys_umask(p, -1)), 0);
			if (e < 0) {
				u_warn(p, e, "cannot set permissions of %s", u_quote_file(p, a->argv[i]));
				status = 1;
			}
		}
	}
	return status;
}

static const struct cmd_example mkfifo_examples[] = {
	{"mkfifo f; echo hi > f & cat f", "hi\n"},
};

const struct cmd cmd_mkfifo = {
	.name = "mkfifo",
	.summary = "create named pipes (FIFOs) with the given NAMEs",
	.synopsis = "[OPTION]... NAME...",
	.opts = mkfifo_opts,
	.nopts = COUNTOF(mkfifo_opts),
	.opts_size = sizeof(struct mkfifo),
	.main = mkfifo_main,
	.examples = mkfifo_examples,
	.nexamples = COUNTOF(mkfifo_examples),
};
