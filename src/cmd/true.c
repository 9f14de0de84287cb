/* true.c - do nothing, successfully. */
#include "cmd.h"

static int true_main(struct proc *p, const struct cmd_args *a)
{
	(void)p;
	(void)a;
	return 0;
}

const struct cmd cmd_true = {
	.name = "true",
	.summary = "do nothing and succeed",
	.synopsis = "[ignored command line arguments]\nOPTION",
	.raw = true,
	.main = true_main,
};
