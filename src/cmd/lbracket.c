/* lbracket.c - the command [: test with a closing bracket. */
#include "cmd.h"

static void warn(struct u_test_host *h, const char *text)
{
	u_warn(h->p, 0, "%s", text);
}

static int lbracket_main(struct proc *p, const struct cmd_args *a)
{
	struct u_test_host h = {.p = p, .warn = warn, .gnu_style = true};

	if (a->argc == 0 || !streq(a->argv[a->argc - 1], "]"))
		u_die(p, 2, 0, "missing %s", u_quote(p, "]"));
	return u_test(&h, a->argc - 1, a->argv);
}

static const struct cmd_example lbracket_examples[] = {
	{"env [ a != b ] && echo yes", "yes\n"},
};

const struct cmd cmd_lbracket = {
	.name = "[",
	.summary = "check file types and compare values; the status tells",
	.synopsis = "EXPRESSION ]\n]\nOPTION",
	.description =
		"  ( E ), ! E, E1 -a E2, E1 -o E2    combine expressions\n"
		"  -n S, S, -z S                     the string is not empty; is empty\n"
		"  S1 = S2, S1 != S2                 the strings are equal; differ\n"
		"  N1 -eq N2; also -ne -lt -le -gt -ge    compare integers\n"
		"  F1 -nt F2, F1 -ot F2, F1 -ef F2   newer, older, the same file\n"
		"  -e F; -f -d -L -h -p -S -b -c     the file exists; is of a type\n"
		"  -r F; -w -x -s -O -G -N -k -u -g  it may be read, written, run; is not empty, ...\n"
		"  -t FD                             the descriptor is a terminal",
	.raw = true,
	.usage_status = 2,
	.main = lbracket_main,
	.examples = lbracket_examples,
	.nexamples = COUNTOF(lbracket_examples),
};
