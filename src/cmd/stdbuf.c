/*
 * stdbuf.c - run a command with other buffering of its standard streams.
 *
 * There is nothing to adjust: commands of a sandbox give what they have to a reader that waits, and hold output back only
 * while nobody does. So the modes are checked, and the command runs as it would without.
 */
#include "runas.h"

struct stdbuf {
	bool given;
};

static void opt_mode(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	uint64_t size;
	int e;

	((struct stdbuf *)opts)->given = true;
	while (ascii_space(*arg))
		arg++;
	if (o->shrt == 'i' && streq(arg, "L"))
		u_usage(p, "line buffering stdin is meaningless");
	if (streq(arg, "L"))
		return;
	e = ascii_digit(*arg) ? u_parse_size(arg, "EGkKMPTYZ0", &size) : -NACRE_EINVAL;
	if (e < 0)
		u_die(p, 125, e == -NACRE_EOVERFLOW ? e : 0, "invalid mode %s", u_quote(p, arg));
}

static const struct cmd_opt stdbuf_opts[] = {
	CMD_CALL('i', "input", "MODE", opt_mode, "adjust standard input stream buffering"),
	CMD_CALL('o', "output", "MODE", opt_mode, "adjust standard output stream buffering"),
	CMD_CALL('e', "error", "MODE", opt_mode, "adjust standard error stream buffering"),
};

static int stdbuf_main(struct proc *p, const struct cmd_args *a)
{
	const struct stdbuf *o = a->opts;
	int e;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	if (!o->given)
		u_usage(p, "you must specify a buffering mode option");
	e = runas(p, a->argv);
	u_warn(p, e, "failed to run command %s", u_quote_file(p, a->argv[0]));
	return e == -NACRE_ENOENT ? 127 : 126;
}

static const struct cmd_example stdbuf_examples[] = {
	{"stdbuf -oL echo hi", "hi\n"},
};

const struct cmd cmd_stdbuf = {
	.name = "stdbuf",
	.summary = "run COMMAND with modified buffering of its standard streams",
	.synopsis = "OPTION... COMMAND",
	.description =
		"MODE is L (lines; not for input), 0 (none), or a size with a suffix like K or MB. In a sandbox\n"
		"it is checked and changes nothing: what a command has written reaches a reader that waits\n"
		"for it, whatever the mode.",
	.opts = stdbuf_opts,
	.nopts = COUNTOF(stdbuf_opts),
	.opts_size = sizeof(struct stdbuf),
	.stop_at_operand = true,
	.usage_status = 125,
	.main = stdbuf_main,
	.examples = stdbuf_examples,
	.nexamples = COUNTOF(stdbuf_examples),
};
