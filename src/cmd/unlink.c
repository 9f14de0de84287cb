/* unlink.c - remove one name of a file. */
#include "cmd.h"

static int unlink_main(struct proc *p, const struct cmd_args *a)
{
	int e;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	if (a->argc > 1)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[1]));
	e = sys_unlink(p, a->argv[0]);
	if (e < 0)
		u_die(p, 1, e, "cannot unlink %s", u_quote_file(p, a->argv[0]));
	return 0;
}

static const struct cmd_example unlink_examples[] = {
	{"echo > f; unlink f; ls", ""},
};

const struct cmd cmd_unlink = {
	.name = "unlink",
	.summary = "call the unlink function to remove the specified FILE",
	.synopsis = "FILE",
	.main = unlink_main,
	.examples = unlink_examples,
	.nexamples = COUNTOF(unlink_examples),
};
