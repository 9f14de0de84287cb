/* logname.c - who logged in: nobody logs in to a sandbox. */
#include "cmd.h"

static int logname_main(struct proc *p, const struct cmd_args *a)
{
	if (a->argc > 0)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[0]));
	u_die(p, 1, 0, "no login name");
}

static const struct cmd_example examples[] = {
	{"logname 2>&1", "logname: no login name\n"},
};

const struct cmd cmd_logname = {
	.name = "logname",
	.summary = "print the user's login name",
	.synopsis = "[OPTION]",
	.main = logname_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
