/* link.c - give a file one more name. */
#include "cmd.h"

static int link_main(struct proc *p, const struct cmd_args *a)
{
	int e;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	if (a->argc == 1)
		u_usage(p, "missing operand after %s", u_quote(p, a->argv[0]));
	if (a->argc > 2)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[2]));
	e = sys_link(p, a->argv[0], a->argv[1], SYS_NOFOLLOW);
	if (e < 0)
		u_die(p, 1, e, "cannot create link %s to %s", u_quote_file(p, a->argv[1]), u_quote_file(p, a->argv[0]));
	return 0;
}

static const struct cmd_example link_examples[] = {
	{"echo hi > f; link f g; cat g", "hi\n"},
};

const struct cmd cmd_link = {
	.name = "link",
	.summary = "call the link function to create a link named FILE2 to FILE1",
	.synopsis = "FILE1 FILE2",
	.main = link_main,
	.examples = link_examples,
	.nexamples = COUNTOF(link_examples),
};
