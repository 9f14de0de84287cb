/* jobs.c - jobs, wait, disown, fg, bg, suspend. */
#include "args.h"

/* ---- jobs ------------------------------------------------------------------------- */

struct listing {
	bool pids, pids_too, running, stopped, changed;
};

/* jobs -l: a line for each proc. The state of one that is the same as that of the one before is not told again. */
static void show_stages(struct shell *sh, const struct job *j, char mark, const struct job *stages, size_t n)
{
	const char *rest = j->text;

	for (size_t i = 0; i <= n; i++) {
		const struct job *one = i < n ? &stages[i] : j;
		size_t len = i < n ? strlen(one->text) : 0;

		if (i == 0)
			u_printf(&sh->out, "[%u]%c %5d %-24s", j->id, mark, one->pid, job_state(sh, j));
		else if (one->ended == stages[i - 1].ended)
			u_printf(&sh->out, "     %5d %22s| ", one->pid, "");
		else
			u_printf(&sh->out, "     %5d %-24s| ", one->pid, job_state(sh, j));
		/* The last stage's text is what the others leave of the job's. */
		if (i < n && strncmp(rest, one->text, len) == 0 && strncmp(rest + len, " | ", 3) == 0)
			rest += len + 3;
		u_printf(&sh->out, "%s%s\n", i < n ? one->text : rest, i == n && !j->done ? " &" : "");
	}
}

static void show(struct shell *sh, const struct listing *l, const struct job *v, size_t i, size_t n)
{
	char mark = i + 1 == n ? '+' : i + 2 == n ? '-' : ' ';
	const struct job *j = &v[i];
	struct job *stages;
	size_t nstages;

	nstages = job_stages(sh, j, &stages);
	if (l->pids) {
		u_printf(&sh->out, "%d\n", nstages ? stages[0].pid : j->pid);
		return;
	}
	if (l->pids_too && nstages) {
		show_stages(sh, j, mark, stages, nstages);
		return;
	}
	u_printf(&sh->out, "[%u]%c ", j->id, mark);
	if (l->pids_too)
		u_printf(&sh->out, "%5d ", j->pid);
	else
		u_putc(&sh->out, ' ');
	u_printf(&sh->out, "%-24s%s%s\n", job_state(sh, j), j->text, j->done || j->stopped ? "" : " &");
}

/* Of an ambiguous one bash first tells what was looked for. */
int no_such_job(struct shell *sh, const char *spec, int found)
{
	const char *text = *spec == '%' ? spec + 1 : spec;

	if (found < 0)
		builtin_error(sh, "%s: ambiguous job spec", *text == '?' ? text + 1 : text);
	if (found >= 0 || !streq(sh->builtin_name, "kill"))
		builtin_error(sh, "%s: no such job", spec);
	return 1;
}

/* jobs -x COMMAND…: the command, with process groups in place of job specifications. */
static int run_with_groups(struct shell *sh, int argc, char **argv, int i)
{
	struct u_buf b;
	struct job j;

	u_buf_init(&b, sh->p, 0);
	for (int first = i; i < argc; i++) {
		const char *word = argv[i];

		if (*word == '%' && i > first && job_find(sh, word, &j) == 1)
			word = u_format(sh->p, "%d", j.kind == JOB_GROUP ? j.pid : sys_getpgid(sh->p));
		u_shell_quote_single(&b, word, strlen(word));
		u_buf_putc(&b, ' ');
	}
	if (b.len)
		unit_push(sh, UNIT_EVAL, (struct str){b.ptr, b.len}, "jobs", sh->st->line, NULL);
	return 0;
}

static bool listed(const struct listing *l, const struct job *j)
{
	if (l->running || l->stopped)
		return !j->done && (j->stopped ? l->stopped : l->running);
	return !l->changed || ((j->done || j->stopped) && !j->notified);
}

int builtin_jobs(struct shell *sh, int argc, char **argv)
{
	struct listing l = {0};
	struct job *v, one;
	struct args a;
	bool command = false, other = false;
	size_t n;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "lnprsx")) > 0) {
		l.pids |= c == 'p';
		l.pids_too |= c == 'l';
		l.running |= c == 'r';
		l.stopped |= c == 's';
		l.changed |= c == 'n';
		command |= c == 'x';
		other |= c != 'x';
		if (command && other) {
			builtin_error(sh, "no other options allowed with `-x'");
			return 1;
		}
	}
	if (c < 0)
		return USAGE_STATUS;
	jobs_poll(sh);
	if (command)
		return run_with_groups(sh, argc, argv, a.i);
	n = jobs_list(sh, &v);
	if (a.i >= argc) {
		for (size_t i = 0; i < n; i++) {
			if (!listed(&l, &v[i]))
				continue;
			show(sh, &l, v, i, n);
			if (v[i].done)
				job_reported(sh, v[i].pid);
		}
		return 0;
	}
	for (; a.i < argc; a.i++) {
		int found = job_find(sh, argv[a.i], &one);

		if (found != 1) {
			status = no_such_job(sh, argv[a.i], found);
			continue;
		}
		for (size_t i = 0; i < n; i++)
			if (v[i].pid == one.pid)
				show(sh, &l, v, i, n);
	}
	return status;
}

/* ---- wait --------------------------------------------------------------------------- */

static int ended_status(const struct job *j)
{
	return j->signal ? 128 + j->signal : j->status;
}

/* Waits for `pid` (-1: any). 0; or the status of a wait that a trap ended. */
static int wait_for(struct shell *sh, int pid, struct sys_wait *w, int *err)
{
	int r = sys_wait(sh->p, pid, 0, w);

	*err = r < 0 ? r : 0;
	if (r == -NACRE_EINTR) {
		sh->last_signal = 0;
		trap_poll_slow(sh);
		return sh->last_signal ? 128 + sh->last_signal : -1;
	}
	return 0;
}

static int wait_all(struct shell *sh)
{
	struct sys_wait w;
	int err, r;

	for (;;) {
		r = wait_for(sh, -1, &w, &err);
		if (r > 0)
			return r;
		if (r < 0)
			continue;
		if (err)
			break;
		job_ended(sh, &w);
		/* A signal that came with the end of the child. */
		sh->last_signal = 0;
		trap_poll(sh);
		if (sh->last_signal)
			return 128 + sh->last_signal;
	}
	jobs_notify(sh);
	jobs_clear(sh);
	return 0;
}

/* A job that a signal ended is told of when it is waited for. */
static void tell_signal(struct shell *sh, const struct job *j)
{
	const char *text = signal_text(j->signal);

	if (j->signal == 0 || j->signal == SYS_SIGINT || j->signal == SYS_SIGPIPE ||
	    j->signal == SYS_SIGTERM || !j->id)
		return;
	shell_error(sh, "%5d %-24s%s", j->pid, text ? text : "Killed", j->text);
}

static int wait_pid(struct shell *sh, int pid, const char *name)
{
	struct job j;
	struct sys_wait w;
	int err, r;

	for (;;) {
		if (!job_by_pid(sh, pid, &j)) {
			builtin_error(sh, "pid %s is not a child of this shell", name);
			return 127;
		}
		if (j.done)
			return ended_status(&j);
		r = wait_for(sh, j.ended ? -1 : pid, &w, &err);
		if (r > 0)
			return r;
		if (r < 0)
			continue;
		if (err)
			return 127;
		job_ended(sh, &w);
		if (!job_by_pid(sh, pid, &j) || !j.done)
			continue;
		if (set_is(sh, SET_MONITOR))
			jobs_notify(sh);
		else
			tell_signal(sh, &j);
		job_reported(sh, pid);
	}
}

/* wait -n: the next job to end, of all or of those named. */
static int wait_next(struct shell *sh, char **ids, int n, int *pid)
{
	struct sys_wait w;
	struct job *v;
	size_t count;
	int err, r;

	*pid = 0;
	for (;;) {
		bool running = false;

		count = jobs_list(sh, &v);
		for (size_t i = 0; i < count; i++) {
			bool wanted = n == 0;

			for (int k = 0; k < n && !wanted; k++) {
				struct job one;
				int64_t id;

				if (ids[k][0] == '%')
					wanted = job_find(sh, ids[k], &one) == 1 &&
					         one.pid == v[i].pid;
				else
					wanted = args_number(ids[k], &id) && id == v[i].pid;
			}
			if (!wanted)
				continue;
			if (v[i].done) {
				*pid = v[i].pid;
				job_reported(sh, v[i].pid);
				return ended_status(&v[i]);
			}
			running = true;
		}
		if (!running)
			return 127;
		r = wait_for(sh, -1, &w, &err);
		if (r > 0)
			return r;
		if (r == 0 && err)
			return 127;
		if (r == 0)
			job_ended(sh, &w);
	}
}

int builtin_wait(struct shell *sh, int argc, char **argv)
{
	bool next = false;
	const char *var = NULL;
	struct args a;
	struct job j;
	int c, status = 0, pid = 0;
	char num[24];

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "fnp:")) > 0) {
		next |= c == 'n';
		if (c == 'p')
			var = a.value;
	}
	if (c < 0)
		return USAGE_STATUS;
	if (var) {
		if (!name_valid(str_from(var))) {
			builtin_error(sh, "`%s': not a valid identifier", var);
			return 1;
		}
		if (state_unset(sh->st, str_from(var)) == VAR_E_READONLY) {
			builtin_error(sh, "%s: cannot unset: readonly variable", var);
			return 1;
		}
	}
	if (next) {
		for (int k = a.i; k < argc; k++) {
			int64_t id;

			if (argv[k][0] == '%' ||
			    (args_number(argv[k], &id) && ascii_digit((unsigned char)argv[k][0]))) {
				int found = argv[k][0] == '%' ? job_find(sh, argv[k], &j) : job_by_pid(sh, (int)id, &j);

				if (found != 1)
					no_such_job(sh, argv[k], found);
				continue;
			}
			builtin_error(sh, "`%s': not a pid or valid job spec", argv[k]);
		}
		status = wait_next(sh, argv + a.i, argc - a.i, &pid);
		if (var && pid)
			args_assign(sh, var, (struct str){num, num_put_i64(num, pid)});
		return status;
	}
	if (a.i >= argc)
		return wait_all(sh);
	for (; a.i < argc; a.i++) {
		const char *s = argv[a.i];
		int64_t id;

		if (*s == '%') {
			int found = job_find(sh, s, &j);

			if (found != 1) {
				no_such_job(sh, s, found);
				status = 127;
				continue;
			}
			pid = j.pid;
		} else if (args_number(s, &id) && ascii_digit((unsigned char)*s)) {
			pid = (int)id;
		} else {
			builtin_error(sh, "`%s': not a pid or valid job spec", s);
			status = 1;
			continue;
		}
		status = wait_pid(sh, pid, s);
		if (var && status != 127)
			args_assign(sh, var, (struct str){num, num_put_i64(num, pid)});
	}
	return status;
}

/* ---- Job control -------------------------------------------------------------------------- */

int builtin_disown(struct shell *sh, int argc, char **argv)
{
	bool all = false, keep = false, running = false;
	struct args a;
	struct job *v, j;
	size_t n;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "har")) > 0) {
		all |= c == 'a' || c == 'r';
		running |= c == 'r';
		keep |= c == 'h'; /* no SIGHUP is ever sent on */
	}
	if (c < 0)
		return USAGE_STATUS;
	jobs_poll(sh);
	n = jobs_list(sh, &v);
	if (a.i >= argc) {
		if (n == 0 && !all) {
			builtin_error(sh, "current: no such job");
			return 1;
		}
		for (size_t i = all ? 0 : n - 1; i < n && !keep; i++)
			if (!running || (!v[i].done && !v[i].stopped))
				job_disown(sh, v[i].pid);
		return 0;
	}
	for (; a.i < argc; a.i++) {
		int64_t id;
		int found = 0;

		if (argv[a.i][0] != '%' && args_number(argv[a.i], &id) &&
		    job_by_pid(sh, (int)id, &j) && j.id)
			found = 1;
		else if (argv[a.i][0] == '%')
			found = job_find(sh, argv[a.i], &j);
		if (found != 1)
			status = no_such_job(sh, argv[a.i], found);
		else if (!keep)
			job_disown(sh, j.pid);
	}
	return status;
}

static int no_job_control(struct shell *sh)
{
	builtin_error(sh, "no job control");
	return 1;
}

/* The job that fg and bg are about. False after a message. */
static bool job_argument(struct shell *sh, const char *spec, struct job *j)
{
	int found;

	jobs_poll(sh);
	found = job_find(sh, spec ? spec : "%%", j);
	if (found != 1)
		no_such_job(sh, spec ? spec : "current", found);
	return found == 1;
}

static void go_on(struct shell *sh, struct job *j)
{
	struct sys_wait w = {.pid = j->pid, .continued = true};

	if (!j->stopped)
		return;
	job_ended(sh, &w);
	(void)!sys_kill(sh->p, j->kind == JOB_GROUP ? -j->pid : j->pid, SYS_SIGCONT);
}

/* With set -m, fg waits for the job as if it had been started in the foreground. */
int builtin_fg(struct shell *sh, int argc, char **argv)
{
	int i = args_none(sh, argc, argv);
	struct job j;

	if (i < 0)
		return USAGE_STATUS;
	if (!set_is(sh, SET_MONITOR))
		return no_job_control(sh);
	if (!job_argument(sh, i < argc ? argv[i] : NULL, &j))
		return 1;
	u_printf(&sh->out, "%s\n", j.text);
	u_flush(&sh->out);
	go_on(sh, &j);
	job_reported(sh, j.pid);
	return wait_pid(sh, j.pid, j.text);
}

int builtin_bg(struct shell *sh, int argc, char **argv)
{
	int i = args_none(sh, argc, argv), status = 0;
	struct job j, *v;

	if (i < 0)
		return USAGE_STATUS;
	if (!set_is(sh, SET_MONITOR))
		return no_job_control(sh);
	do {
		if (!job_argument(sh, i < argc ? argv[i] : NULL, &j)) {
			status = 1;
		} else if (!j.stopped) {
			builtin_error(sh, "job %u already in background", j.id);
		} else {
			size_t n = jobs_list(sh, &v);

			u_printf(&sh->out, "[%u]%c %s &\n", j.id,
			         v[n - 1].pid == j.pid            ? '+'
			         : n > 1 && v[n - 2].pid == j.pid ? '-'
			                                          : ' ',
			         j.text);
			go_on(sh, &j);
		}
	} while (++i < argc);
	return status;
}

int builtin_suspend(struct shell *sh, int argc, char **argv)
{
	(void)argc, (void)argv;
	builtin_error(sh, "cannot suspend: no job control");
	return 1;
}
