/*
 * timeout.c - run a command and end it when its time is up.
 *
 * The command's end is noticed as SIGCHLD, which is caught so that it breaks the sleep.
 */
#include "cmd.h"

struct timeout {
	bool foreground, preserve, verbose;
	const char *kill_after, *signal;
};

static const struct cmd_opt timeout_opts[] = {
	CMD_FLAG(struct timeout, preserve, 0, "preserve-status", "exit with the status of COMMAND even when it timed out"),
	CMD_FLAG(struct timeout, foreground, 0, "foreground", "leave COMMAND in the caller's process group"),
	CMD_STRING(struct timeout, kill_after, 'k', "kill-after", "DURATION",
		   "also send a KILL signal if COMMAND is still running\nthis long after the first signal"),
	CMD_STRING(struct timeout, signal, 's', "signal", "SIGNAL", "signal to send, by name or number (TERM)"),
	CMD_FLAG(struct timeout, verbose, 'v', "verbose", "say on standard error when a signal is sent"),
};

static int signal_number(struct proc *p, const char *s)
{
	int sig = u_signal_number(s);

	if (sig < 0)
		u_usage(p, "%s: invalid signal", u_quote(p, s));
	return sig;
}

static const char *signal_name(struct proc *p, int sig)
{
	return u_signal_name(sig) ? u_signal_name(sig) : u_format(p, "%d", sig);
}

/* Nanoseconds; 0 means for ever. */
static int64_t duration(struct proc *p, const char *s)
{
	const char *end;
	double d = num_double(s, &end);
	static const char units[] = "smhd";
	static const double seconds[] = {1, 60, 3600, 86400};
	const char *unit = *end ? strchr(units, *end) : units;

	if (end == s || !unit || (*end && end[1]) || !(d >= 0))
		u_usage(p, "invalid time interval %s", u_quote(p, s));
	d *= seconds[unit - units] * 1e9;
	if (d > 9e18)
		return INT64_MAX;
	/* Something larger than nothing waits. */
	return d > 0 && d < 1 ? 1 : (int64_t)d;
}

/* Waits at most ns (0: for ever) for the child; false when the time is up. *passed collects signals for it. */
static bool wait_for(struct proc *p, int pid, int64_t ns, struct sys_wait *w, uint64_t *passed)
{
	int64_t until = ns > 0 && ns < INT64_MAX - sys_clock(p, SYS_CLOCK_MONO) ? sys_clock(p, SYS_CLOCK_MONO) + ns : INT64_MAX;

	for (;;) {
		int r = sys_wait(p, pid, SYS_WNOHANG, w);
		int64_t left;

		if (r != 0 && r != -NACRE_EINTR)
			return true;
		left = until - sys_clock(p, SYS_CLOCK_MONO);
		if (until != INT64_MAX && left <= 0)
			return false;
		if (sys_sleep(p, until == INT64_MAX ? (int64_t)3600 * 1000000000 : left) == -NACRE_EINTR) {
			*passed = sys_signals(p) & ~(UINT64_C(1) << SYS_SIGCHLD);
			if (*passed)
				return false;
		}
	}
}

static void send(struct proc *p, const struct timeout *o, int pid, int sig, const char *command)
{
	if (o->verbose)
		u_warn(p, 0, "sending signal %s to command %s", signal_name(p, sig), u_quote(p, command));
	if (o->foreground || sys_kill(p, -pid, sig) < 0)
		(void)!sys_kill(p, pid, sig);
	if (sig != SYS_SIGKILL && sig != SYS_SIGCONT)
		(void)!sys_kill(p, o->foreground ? pid : -pid, SYS_SIGCONT);
}

static int timeout_main(struct proc *p, const struct cmd_args *a)
{
	static const int pass_on[] = {SYS_SIGHUP, SYS_SIGINT, SYS_SIGQUIT, SYS_SIGTERM};
	const struct timeout *o = a->opts;
	struct sys_spawn sp = {.pgid = o->foreground ? 0 : -1};
	int64_t after, first;
	int sig = SYS_SIGTERM, status, pid = -NACRE_ENOENT;
	struct sys_wait w = {0};
	uint64_t passed = 0;
	bool timed_out = false, killed = false;

	if (a->argc < 2)
		u_try_help(p);
	after = o->kill_after ? duration(p, o->kill_after) : 0;
	if (o->signal)
		sig = signal_number(p, o->signal);
	first = duration(p, a->argv[0]);
	sp.path = u_find_program(p, a->argv[1], &status);
	sp.argv = a->argv + 1;
	sys_signal(p, SYS_SIGCHLD, SYS_SIG_CATCH);
	for (size_t i = 0; i < COUNTOF(pass_on); i++)
		sys_signal(p, pass_on[i], SYS_SIG_CATCH);
	if (sp.path)
		pid = sys_spawn(p, &sp);
	else if (status == 126)
		pid = -NACRE_EACCES;
	if (pid < 0) {
		u_warn(p, pid, "failed to run command %s", u_quote(p, a->argv[1]));
		return pid == -NACRE_ENOENT ? 127 : 126;
	}
	while (!wait_for(p, pid, killed ? 0 : timed_out ? after : first, &w, &passed)) {
		if (passed) {
			for (int s = 1; s < SYS_NSIG - 1; s++) {
				if (passed >> s & 1)
					send(p, o, pid, s, a->argv[1]);
			}
			passed = 0;
			first = after;
			timed_out |= first == 0;
			continue;
		}
		if (timed_out) {
			killed = true;
			sig = SYS_SIGKILL;
		}
		timed_out = true;
		send(p, o, pid, sig, a->argv[1]);
		killed |= after == 0;
	}
	/* KILL went to the whole group, of which this is one. */
	if (timed_out && sig == SYS_SIGKILL && !o->foreground)
		(void)!sys_kill(p, sys_getpid(p), SYS_SIGKILL);
	if (timed_out && !o->preserve)
		return w.signal == SYS_SIGKILL ? 128 + SYS_SIGKILL : 124;
	return w.signal ? 128 + w.signal : w.status;
}

static const struct cmd_example timeout_examples[] = {
	{"timeout 0.01 sleep 10; echo $?", "124\n"},
	{"timeout 10 echo done", "done\n"},
};

const struct cmd cmd_timeout = {
	.name = "timeout",
	.summary = "run a command with a time limit",
	.synopsis = "[OPTION] DURATION COMMAND [ARG]...",
	.description =
		"DURATION is a number with an optional suffix: s for seconds (the default), m, h\n"
		"or d. 0 means no limit. The status is that of COMMAND, 124 when it timed out, 137\n"
		"when it was ended by KILL, 125 when timeout itself fails, 126 and 127 when COMMAND\n"
		"cannot be run or found.",
	.opts = timeout_opts,
	.nopts = COUNTOF(timeout_opts),
	.opts_size = sizeof(struct timeout),
	.stop_at_operand = true,
	.usage_status = 125,
	.main = timeout_main,
	.examples = timeout_examples,
	.nexamples = COUNTOF(timeout_examples),
};
