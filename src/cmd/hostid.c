/* hostid.c - the numeric identifier of the host: that of a machine known to itself only. */
#include "cmd.h"

static int hostid_main(struct proc *p, const struct cmd_args *a)
{
	if (a->argc > 0)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[0]));
	u_puts(u_stdout(p), "007f0100\n");
	return 0;
}

static const struct cmd_example examples[] = {
	{"hostid", "007f0100\n"},
};

const struct cmd cmd_hostid = {
	.name = "hostid",
	.summary = "print the numeric identifier (in hexadecimal) for the current host",
	.synopsis = "[OPTION]",
	.description = "It is made from the address 127.0.0.1, as on every host without another.",
	.main = hostid_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
