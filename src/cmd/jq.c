/* jq.c - jq, the real one (jq 1.7.1 with oniguruma), in a cage. */
#include "../guest/guest.h"
#include "cmd.h"

static int jq_main(struct proc *p, const struct cmd_args *a)
{
	return guest_command(p, a, &guest_code_jq, false);
}

const struct cmd cmd_jq = {
	.name = "jq",
	.summary = "filter and reshape JSON",
	.synopsis = "[OPTION]... FILTER [FILE]...",
	.description = "jq 1.7.1 with regular expressions.",
	.raw = true,
	.no_help = true,
	.stack_size = 16u << 20,
	.main = jq_main,
};
