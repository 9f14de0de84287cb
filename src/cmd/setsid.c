/*
 * setsid.c - run a program in a new session.
 *
 * A sandbox has no terminals, so sessions are all alike; what is left is the new process group and not waiting.
 */
#include "runas.h"

struct setsid {
	bool ctty, fork, wait;
};

static const struct cmd_opt setsid_opts[] = {
	CMD_FLAG(struct setsid, ctty, 'c', "ctty", "set the controlling terminal to the current one (there is none)"),
	CMD_FLAG(struct setsid, fork, 'f', "fork", "do not wait for the program"),
	CMD_FLAG(struct setsid, wait, 'w', "wait", "wait for it, also with -f, and exit with its status"),
};

static int failed(struct proc *p, const char *name, int e)
{
	u_warn(p, e, "failed to execute %s", name);
	return e == -NACRE_ENOENT ? 127 : 126;
}

static int in_new_group(struct proc *p, const struct setsid *o, char **argv)
{
	int status, r, pid;
	const char *path = u_find_program(p, argv[0], &status);
	struct sys_wait w;

	if (!path)
		return failed(p, argv[0], status == 126 ? -NACRE_EACCES : -NACRE_ENOENT);
	u_flush(u_stdout(p));
	pid = sys_spawn(p, &(struct sys_spawn){.path = path, .argv = argv, .pgid = -1, .detached = !o->wait});
	if (pid < 0)
		return failed(p, argv[0], pid);
	if (!o->wait)
		return 0;
	do {
		r = sys_wait(p, pid, 0, &w);
	} while (r == -NACRE_EINTR);
	return r < 0 ? 1 : w.signal ? 128 + w.signal : w.status;
}

static int setsid_main(struct proc *p, const struct cmd_args *a)
{
	const struct setsid *o = a->opts;

	if (a->argc == 0)
		u_usage(p, "no command specified");
	if (o->ctty)
		u_die(p, 1, -NACRE_ENOTTY, "failed to set the controlling terminal");
	if (o->fork || o->wait)
		return in_new_group(p, o, a->argv);
	return failed(p, a->argv[0], runas(p, a->argv));
}

static const struct cmd_example setsid_examples[] = {
	{"setsid -w echo hi", "hi\n"},
};

const struct cmd cmd_setsid = {
	.name = "setsid",
	.summary = "run a program in a new session",
	.synopsis = "[OPTION]... PROGRAM [ARG]...",
	.opts = setsid_opts,
	.nopts = COUNTOF(setsid_opts),
	.opts_size = sizeof(struct setsid),
	.stop_at_operand = true,
	.main = setsid_main,
	.examples = setsid_examples,
	.nexamples = COUNTOF(setsid_examples),
};
