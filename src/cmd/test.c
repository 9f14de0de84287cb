/* test.c - check files and compare values. */
#include "cmd.h"

static void warn(struct u_test_host *h, const char *text)
{
	u_warn(h->p, 0, "%s", text);
}

static int test_main(struct proc *p, const struct cmd_args *a)
{
	struct u_test_host h = {.p = p, .warn = warn, .gnu_style = true};

	return u_test(&h, a->argc, a->argv);
}

static const struct cmd_example test_examples[] = {
	{"env test 2 -lt 10 && echo yes", "yes\n"},
};

const struct cmd cmd_test = {
	.name = "test",
	.summary = "check file types and compare values; the status tells",
	.synopsis = "EXPRESSION",
	.raw = true,
	.no_help = true,
	.usage_status = 2,
	.main = test_main,
	.examples = test_examples,
	.nexamples = COUNTOF(test_examples),
};
