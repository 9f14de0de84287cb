/* sum.c - the checksums of BSD and System V. */
#include "cmd.h"
#include "../user/sum.h"

enum { SUM_BSD = 1, SUM_SYSV };

struct sum {
	int kind;
};

static const struct cmd_opt sum_opts[] = {
	CMD_CHOICE(struct sum, kind, 'r', NULL, SUM_BSD, "BSD's sum, in blocks of 1 KiB (default)"),
	CMD_CHOICE(struct sum, kind, 's', "sysv", SUM_SYSV, "System V's sum, in blocks of 512 bytes"),
};

static int sum_main(struct proc *p, const struct cmd_args *a)
{
	const struct sum *s = a->opts;
	char *const *files;
	int n = cmd_files(a, &files);

	return u_sum_files(p, s->kind == SUM_SYSV ? U_SUM_SYSV : U_SUM_BSD, n, files, a->argc > 0, '\n');
}

static const struct cmd_example sum_examples[] = {
	{"printf abc | sum", "16556     1\n"},
};

const struct cmd cmd_sum = {
	.name = "sum",
	.summary = "print a checksum and the number of blocks of each file",
	.synopsis = "[OPTION]... [FILE]...",
	.opts = sum_opts,
	.nopts = COUNTOF(sum_opts),
	.opts_size = sizeof(struct sum),
	.main = sum_main,
	.examples = sum_examples,
	.nexamples = COUNTOF(sum_examples),
};
