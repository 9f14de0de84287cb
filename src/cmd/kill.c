/* kill.c - send a signal to procs: the program of that name, for xargs and env; the shell has its own. */
#include "cmd.h"

struct kill {
	const char *signal;
	bool list, table;
};

static const struct cmd_opt kill_opts[] = {
	CMD_STRING(struct kill, signal, 's', "signal", "SIGNAL", "the signal to send (TERM); also as -SIGNAL"),
	CMD_FLAG(struct kill, list, 'l', "list", "list the names of signals, or turn names into\nnumbers and numbers into names"),
	CMD_FLAG(struct kill, table, 'L', "table", "list the names of signals with their numbers"),
};

/* kill -9, kill -TERM */
static char **rewrite(struct proc *p, int *argc, char **argv)
{
	char **v = u_array(p, (size_t)*argc * 2 + 1, sizeof(*v));
	int n = 0;
	bool options = true;

	for (int i = 0; i < *argc; i++) {
		const char *s = argv[i];

		if (i > 0 && streq(s, "--"))
			options = false;
		if (i > 0 && options && s[0] == '-' && (ascii_digit((unsigned char)s[1]) || (ascii_upper((unsigned char)s[1]) && s[2]))) {
			v[n++] = u_strdup(p, "-s");
			v[n++] = argv[i] + 1;
		} else {
			v[n++] = argv[i];
		}
	}
	v[n] = NULL;
	*argc = n;
	return v;
}

static int signal_of(struct proc *p, const char *s)
{
	int sig = u_signal_number(s);

	if (sig < 0)
		u_usage(p, "unknown signal name %s", s);
	return sig;
}

static void list(struct proc *p, bool table)
{
	struct u_out *o = u_stdout(p);
	int per_line = table ? 7 : 16, col = 0;

	for (int i = 1; u_signal_name(i); i++) {
		if (table)
			u_printf(o, "%2d %-8s", i, u_signal_name(i));
		else
			u_printf(o, "%s%s", col ? " " : "", u_signal_name(i));
		if (++col == per_line) {
			u_putc(o, '\n');
			col = 0;
		}
	}
	if (col)
		u_putc(o, '\n');
}

static int convert(struct proc *p, const struct cmd_args *a)
{
	for (int i = 0; i < a->argc; i++) {
		int sig = signal_of(p, a->argv[i]);

		if (!ascii_digit((unsigned char)a->argv[i][0]))
			u_printf(u_stdout(p), "%d\n", sig);
		else if (u_signal_name(sig))
			u_printf(u_stdout(p), "%s\n", u_signal_name(sig));
		else
			u_usage(p, "unknown signal name %s", a->argv[i]);
	}
	return 0;
}

static int kill_main(struct proc *p, const struct cmd_args *a)
{
	const struct kill *o = a->opts;
	int sig = o->signal ? signal_of(p, o->signal) : SYS_SIGTERM, status = 0;

	if (o->table || (o->list && a->argc == 0)) {
		list(p, o->table);
		return 0;
	}
	if (o->list)
		return convert(p, a);
	if (a->argc == 0)
		u_usage(p, "no process IDs");
	for (int i = 0; i < a->argc; i++) {
		const char *s = a->argv[i], *end;
		bool overflow = false;
		int64_t pid = num_i64(s, &end, 10, &overflow);
		int r;

		if (end == s || *end || overflow || pid > INT32_MAX || pid < INT32_MIN)
			u_die(p, 1, 0, "failed to parse argument: %s", u_quote(p, s));
		r = sys_kill(p, (int)pid, sig);
		if (r < 0) {
			u_warn(p, r, "(%lld)", (long long)pid);
			status = 1;
		}
	}
	return status;
}

static const struct cmd_example examples[] = {
	{"sleep 60 & jobs -p | xargs kill; wait $!; echo $?", "143\n"},
	{"env kill -l 9", "KILL\n"},
};

const struct cmd cmd_kill = {
	.name = "kill",
	.summary = "send a signal to processes",
	.synopsis = "[-SIGNAL | -s SIGNAL] PID...\n-l [SIGNAL]...\n-L",
	.opts = kill_opts,
	.nopts = COUNTOF(kill_opts),
	.opts_size = sizeof(struct kill),
	.rewrite = rewrite,
	.main = kill_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
