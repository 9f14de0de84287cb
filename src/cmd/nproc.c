/* nproc.c - how many processors there are: a sandbox runs one thing at a time. */
#include "cmd.h"

struct nproc {
	bool all;
	const char *ignore;
};

static const struct cmd_opt nproc_opts[] = {
	CMD_FLAG(struct nproc, all, 0, "all", "print the number of installed processors"),
	CMD_STRING(struct nproc, ignore, 0, "ignore", "N", "if possible, exclude N processing units"),
};

static int nproc_main(struct proc *p, const struct cmd_args *a)
{
	const struct nproc *o = a->opts;
	uint64_t ignore = 0;

	if (o->ignore && (!ascii_digit(o->ignore[0]) || u_parse_size(o->ignore, NULL, &ignore) == -NACRE_EINVAL))
		u_die(p, 1, 0, "invalid number: %s", u_quote(p, o->ignore));
	if (a->argc > 0)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[0]));
	u_puts(u_stdout(p), "1\n");
	return 0;
}

const struct cmd cmd_nproc = {
	.name = "nproc",
	.summary = "print the number of processing units available",
	.synopsis = "[OPTION]...",
	.description = "A sandbox has one.",
	.opts = nproc_opts,
	.nopts = COUNTOF(nproc_opts),
	.opts_size = sizeof(struct nproc),
	.main = nproc_main,
};
