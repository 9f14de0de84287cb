/* dirname.c - a path without its last component. */
#include "cmd.h"

struct dirname {
	bool zero;
};

static const struct cmd_opt dirname_opts[] = {
	CMD_FLAG(struct dirname, zero, 'z', "zero", "end each line with NUL, not newline"),
};

static int dirname_main(struct proc *p, const struct cmd_args *a)
{
	const struct dirname *d = a->opts;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	for (int i = 0; i < a->argc; i++) {
		u_puts(u_stdout(p), u_dirname(p, a->argv[i]));
		u_putc(u_stdout(p), d->zero ? '\0' : '\n');
	}
	return 0;
}

static const struct cmd_example dirname_examples[] = {
	{"dirname /usr/bin/ a/b c", "/usr\na\n.\n"},
};

const struct cmd cmd_dirname = {
	.name = "dirname",
	.summary = "print each NAME without its last component, or '.' where nothing is left",
	.synopsis = "[OPTION] NAME...",
	.opts = dirname_opts,
	.nopts = COUNTOF(dirname_opts),
	.opts_size = sizeof(struct dirname),
	.main = dirname_main,
	.examples = dirname_examples,
	.nexamples = COUNTOF(dirname_examples),
};
