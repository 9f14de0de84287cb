/*
 * stdbuf.c - run a command with other buffering of its standard streams.
 *
 * As GNU's it tells the command by variables of its environment. Commands that filter heed the output's (u_read_slice): with
 * L and 0 they write out what they have before they wait for more. Input is never held back, nor are messages.
 */
#include "runas.h"

struct stdbuf {
	const char *mode[3];	/* of input, output, error; NULL: not given */
};

static void opt_mode(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct stdbuf *out = opts;
	const char **mode = &out->mode[o->shrt == 'i' ? 0 : o->shrt == 'o' ? 1 : 2];
	uint64_t size;
	int e;

	while (ascii_space(*arg))
		arg++;
	if (o->shrt == 'i' && streq(arg, "L"))
		u_usage(p, "line buffering stdin is meaningless");
	*mode = "L";
	if (streq(arg, "L"))
		return;
	e = ascii_digit(*arg) ? u_parse_size(arg, "EGkKMPTYZ0", &size) : -NACRE_EINVAL;
	if (e < 0)
		u_die(p, 125, e == -NACRE_EOVERFLOW ? e : 0, "invalid mode %s", u_quote(p, arg));
	*mode = u_format(p, "%llu", (unsigned long long)size);
}

static void tell(struct proc *p, const struct stdbuf *o)
{
	char **env = sys_self(p)->env, **v;
	size_t n = 0, kept = 0;

	while (env && env[n])
		n++;
	v = u_array(p, n + COUNTOF(o->mode) + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		size_t which = strncmp(env[i], "_STDBUF_", 8) == 0 && env[i][9] == '=' ? strcspn("IOE", (char[]){env[i][8], '\0'}) : 3;

		if (which == 3 || !o->mode[which])
			v[kept++] = env[i];
	}
	for (size_t i = 0; i < COUNTOF(o->mode); i++)
		if (o->mode[i])
			v[kept++] = (char *)(uintptr_t)u_format(p, "_STDBUF_%c=%s", "IOE"[i], o->mode[i]);
	v[kept] = NULL;
	sys_self(p)->env = v;
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
	if (!o->mode[0] && !o->mode[1] && !o->mode[2])
		u_usage(p, "you must specify a buffering mode option");
	tell(p, o);
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
		"MODE is L (lines; not for input), 0 (none), or a size with a suffix like K or MB. With L and 0\n"
		"commands that filter their input write out what they have before they wait for more; the\n"
		"others do so in every mode.",
	.opts = stdbuf_opts,
	.nopts = COUNTOF(stdbuf_opts),
	.opts_size = sizeof(struct stdbuf),
	.stop_at_operand = true,
	.usage_status = 125,
	.main = stdbuf_main,
	.examples = stdbuf_examples,
	.nexamples = COUNTOF(stdbuf_examples),
};
