/* printenv.c - print the environment, or some of it. */
#include "cmd.h"

struct printenv {
	bool zero;
};

static const struct cmd_opt printenv_opts[] = {
	CMD_FLAG(struct printenv, zero, '0', "null", "end each line with NUL, not newline"),
};

static int printenv_main(struct proc *p, const struct cmd_args *a)
{
	const struct printenv *o = a->opts;
	struct u_out *out = u_stdout(p);
	char end = o->zero ? '\0' : '\n';
	int missing = 0;

	if (a->argc == 0) {
		for (char **e = sys_self(p)->env; e && *e; e++) {
			u_puts(out, *e);
			u_putc(out, end);
		}
		return 0;
	}
	for (int i = 0; i < a->argc; i++) {
		const char *value = strchr(a->argv[i], '=') ? NULL : u_getenv(p, a->argv[i]);

		if (value) {
			u_puts(out, value);
			u_putc(out, end);
		} else {
			missing++;
		}
	}
	return missing > 0;
}

const struct cmd cmd_printenv = {
	.name = "printenv",
	.summary = "print the values of the environment variables named, or the whole environment",
	.synopsis = "[OPTION]... [VARIABLE]...",
	.opts = printenv_opts,
	.nopts = COUNTOF(printenv_opts),
	.opts_size = sizeof(struct printenv),
	.stop_at_operand = true,
	.usage_status = 2,
	.main = printenv_main,
};
