/* egrep.c - grep -E under its old name. */
#include "grep/grep.h"

static char **rewrite(struct proc *p, int *argc, char **argv)
{
	return grep_rewrite_as(p, argc, argv, "-E");
}

const struct cmd cmd_egrep = {
	.name = "egrep",
	.summary = "print the lines of each file that match an extended regular expression",
	.synopsis = "[OPTION]... PATTERNS [FILE]...",
	.description = "The same as grep -E.",
	.opts = grep_opts,
	.nopts = GREP_NOPTS,
	.opts_size = sizeof(struct grep),
	.defaults = grep_defaults,
	.rewrite = rewrite,
	.usage_line = true,
	.usage_status = 2,
	.main = grep_main,
};
