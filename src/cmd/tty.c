/* tty.c - the terminal on standard input: there never is one with a name. */
#include "cmd.h"

struct tty {
	bool silent;
};

static const struct cmd_opt tty_opts[] = {
	CMD_FLAG(struct tty, silent, 's', "silent", "print nothing, only return an exit status"),
	CMD_FLAG(struct tty, silent, 0, "quiet", NULL),
};

static int tty_main(struct proc *p, const struct cmd_args *a)
{
	const struct tty *o = a->opts;

	if (a->argc > 0)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[0]));
	if (!o->silent)
		u_puts(u_stdout(p), "not a tty\n");
	return 1;
}

static const struct cmd_example examples[] = {
	{"tty < /dev/null || echo $?", "not a tty\n1\n"},
};

const struct cmd cmd_tty = {
	.name = "tty",
	.summary = "print the file name of the terminal connected to standard input",
	.synopsis = "[OPTION]...",
	.opts = tty_opts,
	.nopts = COUNTOF(tty_opts),
	.opts_size = sizeof(struct tty),
	.usage_status = 2,
	.main = tty_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
