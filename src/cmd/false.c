/* false.c - do nothing, unsuccessfully. */
#include "cmd.h"

static int false_main(struct proc *p, const struct cmd_args *a)
{
	(void)p;
	(void)a;
	return 1;
}

const struct cmd cmd_false = {
	.name = "false",
	.summary = "do nothing and fail",
	.synopsis = "[ignored command line arguments]\nOPTION",
	.raw = true,
	.usage_status = 1,
	.main = false_main,
};
