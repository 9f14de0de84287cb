/* kill.c - kill: signals to procs and jobs, and their names. */
#include "args.h"

void signals_list(struct shell *sh)
{
	unsigned col = 0;

	for (int i = 1; i < SYS_NSIG; i++) {
		const char *name = signal_name(i);

		if (!name)
			continue;
		u_printf(&sh->out, "%2d) SIG%s", i, name);
		u_putc(&sh->out, ++col % 5 == 0 ? '\n' : '\t');
	}
	if (col % 5)
		u_putc(&sh->out, '\n');
}

static int list_names(struct shell *sh, int argc, char **argv, int i)
{
	int status = 0;

	if (i >= argc) {
		signals_list(sh);
		return 0;
	}
	for (; i < argc; i++) {
		int64_t n;

		if (args_number(argv[i], &n)) {
			const char *name;

			if (n > 128)
				n -= 128;
			name = n >= 0 && n < SYS_NSIG ? (n == 0 ? "EXIT" : signal_name((int)n))
			                              : NULL;
			if (name) {
				u_printf(&sh->out, "%s\n", name);
				continue;
			}
		} else if (signal_by_name(argv[i], true) >= 0) {
			u_printf(&sh->out, "%d\n", signal_by_name(argv[i], true));
			continue;
		}
		builtin_error(sh, "%s: invalid signal specification", argv[i]);
		status = 1;
	}
	return status;
}

/* A job: its whole group, or all that a shell without job control has started for it. */
static int send_job(struct shell *sh, const struct job *j, int sig)
{
	struct sys_procinfo info;
	struct job *stages;
	size_t n;
	int r;

	if (j->kind == JOB_GROUP) {
		r = sys_kill(sh->p, -j->pid, sig);
		/* One that is stopped is to see what ends it. */
		return r == 0 && j->stopped && (sig == SYS_SIGTERM || sig == SYS_SIGHUP) ? sys_kill(sh->p, -j->pid, SYS_SIGCONT) : r;
	}
	n = job_stages(sh, j, &stages);
	for (size_t i = 0; i < n; i++)
		if (!stages[i].ended)
			(void)!sys_kill(sh->p, stages[i].pid, sig);
	for (size_t i = 0; j->kind == JOB_PIPELINE && sys_proc_at(sh->p, i, &info) >= 0; i++)
		if (info.ppid == j->pid)
			(void)!sys_kill(sh->p, info.pid, sig);
	return sys_kill(sh->p, j->pid, sig);
}

static int send(struct shell *sh, const char *to, int sig)
{
	struct job j = {0};
	int64_t n;
	int r, found;

	if (*to == '%') {
		jobs_poll(sh);
		found = job_find(sh, to, &j);
		if (found != 1)
			return no_such_job(sh, to, found);
		n = j.pid;
	} else if (!args_number(to, &n)) {
		builtin_error(sh, "%s: arguments must be process or job IDs", to);
		return 1;
	}
	u_flush(&sh->out);
	r = j.id ? send_job(sh, &j, sig) : sys_kill(sh->p, (int)n, sig);
	if (r < 0) {
		builtin_error(sh, "(%lld) - %s", (long long)n, errno_text(r));
		return 1;
	}
	return 0;
}

int builtin_kill(struct shell *sh, int argc, char **argv)
{
	int sig = SYS_SIGTERM, i = 1, ok = 0;

	if (argc == 1)
		return builtin_usage(sh);
	for (; i < argc; i++) {
		const char *s = argv[i], *name = NULL;

		if (streq(s, "-l") || streq(s, "-L"))
			return list_names(sh, argc, argv, i + 1);
		if (streq(s, "--")) {
			i++;
			break;
		}
		if (s[0] != '-' || s[1] == '\0')
			break;
		if (streq(s, "-s") || streq(s, "-n")) {
			if (i + 1 >= argc) {
				builtin_error(sh, "%s: option requires an argument", s);
				return 1;
			}
			name = argv[++i];
		} else if (i == 1) {
			name = s + 1;
			if (name[0] == 's' && name[1] && signal_by_name(name, true) < 0)
				name++;
		} else {
			break;
		}
		sig = signal_by_name(name, true);
		if (sig < 0 || sig >= SYS_NSIG) {
			builtin_error(sh, "%s: invalid signal specification", name);
			return 1;
		}
	}
	if (i >= argc)
		return builtin_usage(sh);
	for (; i < argc; i++)
		ok += send(sh, argv[i], sig) == 0;
	return ok ? 0 : 1;
}
