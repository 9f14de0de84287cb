/* nohup.c - run a command immune to hangups. There is no terminal, so no output has to be redirected. */
#include "runas.h"

static int nohup_main(struct proc *p, const struct cmd_args *a)
{
	int e;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	sys_signal(p, SYS_SIGHUP, SYS_SIG_IGNORE);
	e = runas(p, a->argv);
	u_warn(p, e, "failed to run command %s", u_quote_file(p, a->argv[0]));
	return e == -NACRE_ENOENT ? 127 : 126;
}

static const struct cmd_example examples[] = {
	{"nohup echo hi", "hi\n"},
};

const struct cmd cmd_nohup = {
	.name = "nohup",
	.summary = "run COMMAND, ignoring hangup signals",
	.synopsis = "COMMAND [ARG]...\nOPTION",
	.stop_at_operand = true,
	.usage_status = 125,
	.main = nohup_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
