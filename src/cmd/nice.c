/*
 * nice.c - run a program with modified scheduling priority.
 *
 * Procs of a sandbox have no priorities: all of them get their turn. The adjustment is checked, and
 * the program runs as it would without it.
 */
#include "runas.h"

struct nice {
	const char *adjustment;
};

static const struct cmd_opt nice_opts[] = {
	CMD_STRING(struct nice, adjustment, 'n', "adjustment", "N", "add integer N to the niceness (default 10)"),
};

/* nice -5 is nice -n 5. */
static char **rewrite(struct proc *p, int *argc, char **argv)
{
	char **v;

	if (*argc < 2 || argv[1][0] != '-' || !(ascii_digit(argv[1][1]) || ((argv[1][1] == '-' || argv[1][1] == '+') && ascii_digit(argv[1][2]))))
		return argv;
	v = u_array(p, (size_t)*argc + 2, sizeof(*v));
	v[0] = argv[0];
	v[1] = u_strdup(p, "-n");
	v[2] = argv[1] + 1;
	for (int i = 2; i <= *argc; i++)
		v[i + 1] = argv[i];
	++*argc;
	return v;
}

static int nice_main(struct proc *p, const struct cmd_args *a)
{
	const struct nice *o = a->opts;
	const char *end;
	int e;

	if (o->adjustment) {
		num_i64(o->adjustment, &end, 10, NULL);
		if (end == o->adjustment || *end)
			u_die(p, 125, 0, "invalid adjustment %s", u_quote(p, o->adjustment));
	}
	if (a->argc == 0) {
		if (o->adjustment)
			u_usage(p, "a command must be given with an adjustment");
		u_puts(u_stdout(p), "0\n");
		return 0;
	}
	e = runas(p, a->argv);
	u_warn(p, e, "%s", u_quote(p, a->argv[0]));
	return e == -NACRE_ENOENT ? 127 : 126;
}

static const struct cmd_example examples[] = {
	{"nice -n 5 echo hi", "hi\n"},
};

const struct cmd cmd_nice = {
	.name = "nice",
	.summary = "run COMMAND with an adjusted niceness, which affects process scheduling",
	.synopsis = "[OPTION] [COMMAND [ARG]...]",
	.description = "There are no priorities in a sandbox: the niceness stays 0.",
	.opts = nice_opts,
	.nopts = COUNTOF(nice_opts),
	.opts_size = sizeof(struct nice),
	.rewrite = rewrite,
	.stop_at_operand = true,
	.usage_status = 125,
	.main = nice_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
