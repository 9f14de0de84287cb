/*
 * jobs.c - children in the background: what `$!`, `wait`, `jobs` and `kill %n` know.
 *
 * The table is one string of bytes in the state (a killed shell gives it back with its state):
 * records one after another, each a header and the command's text. Children that nobody asked
 * about (process substitutions) get hidden records once they have ended.
 */
#include "../syntax/print.h"
#include "interp.h"

#define JOBS_MAX 4096u /* ended jobs are forgotten, oldest first, beyond it */
#define TEXT_MAX 4000u

struct record {
	uint32_t id; /* 0: hidden */
	int32_t pid;
	int32_t status, signal;
	uint32_t text_len;
	uint8_t done, notified;
	uint8_t kind; /* enum job_kind */
	uint8_t stopped;
	uint8_t ended; /* the proc; done: the other stages of its pipeline, too */
	int32_t owner; /* of a stage but the last: the pid of that, which is the job's; else 0 */
};

/* ---- The bytes ------------------------------------------------------------------- */

static size_t step_of(const struct record *r)
{
	return (sizeof *r + r->text_len + 1 + 7) & ~(size_t)7;
}

static struct record *first(struct shell *sh, const char **end)
{
	struct vstr *v = sh->st->jobs;

	*end = v ? v->s + v->len : NULL;
	return v && v->len ? (struct record *)(void *)v->s : NULL;
}

static struct record *next(struct record *r, const char *end)
{
	char *at = (char *)r + step_of(r);

	return at < end ? (struct record *)(void *)at : NULL;
}

static struct record *by_pid(struct shell *sh, int pid)
{
	const char *end;

	for (struct record *r = first(sh, &end); r; r = next(r, end))
		if (r->pid == pid)
			return r;
	return NULL;
}

static void erase(struct shell *sh, struct record *r)
{
	struct vstr *v = sh->st->jobs;
	size_t n = step_of(r);
	char *at = (char *)r;

	memmove(at, at + n, (size_t)(v->s + v->len - (at + n)));
	v->len -= (uint32_t)n;
}

static void trim(struct shell *sh)
{
	const char *end;
	uint32_t n = 0;
	struct record *oldest = NULL;

	for (struct record *r = first(sh, &end); r; r = next(r, end)) {
		n++;
		if (r->done && !oldest)
			oldest = r;
	}
	if (n > JOBS_MAX && oldest)
		erase(sh, oldest);
}

static void append(struct shell *sh, struct record rec, struct str text)
{
	struct vstr *v;
	char *whole;
	size_t n;

	if (text.len > TEXT_MAX)
		text.len = TEXT_MAX;
	rec.text_len = (uint32_t)text.len;
	n = step_of(&rec);
	trim(sh);
	whole = u_zalloc(sh->p, n);
	memcpy(whole, &rec, sizeof rec);
	memcpy(whole + sizeof rec, text.ptr, text.len);
	v = sh->st->jobs;
	sh->st->jobs = v ? vstr_append(sh->st->heap, v, whole, n)
	                 : vstr_new(sh->st->heap, whole, n);
}

/* ---- Jobs -------------------------------------------------------------------------- */

static uint8_t kind_of(struct shell *sh, const struct cmd *cmd)
{
	if (set_is(sh, SET_MONITOR))
		return JOB_GROUP;
	return cmd && cmd->kind == CMD_PIPE && AST_CONST(cmd_pipe, cmd)->n > 1 ? JOB_PIPELINE : JOB_PROC;
}

void job_add(struct shell *sh, int pid, const struct cmd *cmd)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	struct record rec = {.pid = pid, .kind = kind_of(sh, cmd)}, *old;
	uint32_t id = 0;
	const char *end;

	old = by_pid(sh, pid); /* a pid may come round again */
	if (old)
		erase(sh, old);
	for (struct record *r = first(sh, &end); r; r = next(r, end))
		if (r->id > id && !(r->done && r->notified))
			id = r->id;
	rec.id = cmd ? id + 1 : 0;
	append(sh, rec, cmd ? print_command(a, cmd) : STR(""));
	arena_reset(a, mark);
}

void job_add_pipe(struct shell *sh, const int *pids, const struct cmd_pipe *c)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	int last = pids[c->n - 1];

	job_add(sh, last, &c->cmd);
	for (uint32_t i = 0; i + 1 < c->n; i++) {
		job_forget(sh, pids[i]); /* a pid may come round again */
		append(sh, (struct record){.pid = pids[i], .owner = last}, print_command(a, c->cmds[i]));
	}
	arena_reset(a, mark);
}

/* Whether a stage of the job still runs; *failed: the last one that failed. */
static bool stages_run(struct shell *sh, int owner, const struct record **failed)
{
	const char *end;

	*failed = NULL;
	for (struct record *r = first(sh, &end); r; r = next(r, end)) {
		if (r->owner != owner)
			continue;
		if (!r->ended)
			return true;
		if (r->status || r->signal)
			*failed = r;
	}
	return false;
}

/* The proc of r has ended. A pipeline is done when all of its stages are. */
static void settle(struct shell *sh, struct record *r)
{
	const struct record *failed;

	if (r->owner) {
		r->done = 1;
		r = by_pid(sh, r->owner);
	}
	if (!r || !r->ended || stages_run(sh, r->pid, &failed))
		return;
	r->done = 1;
	r->notified = 0;
	if (failed && set_is(sh, SET_PIPEFAIL) && !r->status && !r->signal) {
		r->status = failed->status;
		r->signal = failed->signal;
	}
}

void job_ended(struct shell *sh, const struct sys_wait *w)
{
	if (UNLIKELY(w->pid == sh->coproc_pid) && !w->stopped && !w->continued)
		coproc_ended(sh);

	struct record *r = by_pid(sh, w->pid);

	if (!r) {
		append(sh, (struct record){.pid = w->pid}, STR(""));
		r = by_pid(sh, w->pid);
	}
	if (w->stopped || w->continued) {
		r->stopped = (uint8_t)w->stopped;
		r->notified = 0;
		return;
	}
	r->stopped = 0;
	if (r->done)
		return; /* disowned */
	r->ended = 1;
	r->status = w->status;
	r->signal = w->signal;
	settle(sh, r);
}

void jobs_poll(struct shell *sh)
{
	struct sys_wait w;

	unsigned flags = SYS_WNOHANG | (set_is(sh, SET_MONITOR) ? SYS_WUNTRACED | SYS_WCONTINUED : 0u);

	while (sys_wait(sh->p, -1, flags, &w) > 0)
		job_ended(sh, &w);
}

static void describe(struct shell *sh, const struct record *r, struct job *j)
{
	*j = (struct job){.id = r->id,
	                  .pid = r->pid,
	                  .status = r->status,
	                  .signal = r->signal,
	                  .ended = r->ended,
	                  .done = r->done,
	                  .notified = r->notified,
	                  .stopped = r->stopped,
	                  .kind = r->kind,
	                  .text = u_strndup(sh->p, (const char *)(r + 1), r->text_len)};
}

size_t jobs_list(struct shell *sh, struct job **out)
{
	const char *end;
	size_t n = 0;

	for (struct record *r = first(sh, &end); r; r = next(r, end))
		n += r->id != 0;
	*out = u_array(sh->p, n + 1, sizeof **out);
	n = 0;
	for (struct record *r = first(sh, &end); r; r = next(r, end))
		if (r->id != 0)
			describe(sh, r, &(*out)[n++]);
	return n;
}

size_t job_stages(struct shell *sh, const struct job *j, struct job **out)
{
	const char *end;
	size_t n = 0;

	for (struct record *r = first(sh, &end); r; r = next(r, end))
		n += r->owner == j->pid;
	*out = u_array(sh->p, n + 1, sizeof **out);
	n = 0;
	for (struct record *r = first(sh, &end); r; r = next(r, end))
		if (r->owner == j->pid)
			describe(sh, r, &(*out)[n++]);
	return n;
}

bool job_by_pid(struct shell *sh, int pid, struct job *out)
{
	struct record *r = by_pid(sh, pid);

	if (r)
		describe(sh, r, out);
	return r != NULL;
}

void job_forget(struct shell *sh, int pid)
{
	struct record *r = by_pid(sh, pid);

	if (r)
		erase(sh, r);
}

/* No job any more; as in bash, `wait` for it succeeds at once. */
void job_disown(struct shell *sh, int pid)
{
	struct record *r = by_pid(sh, pid);

	if (!r)
		return;
	r->id = 0;
	if (!r->done)
		r->done = 1, r->status = 0, r->signal = 0;
}

/* ---- Telling -------------------------------------------------------------------------- */

const char *job_state(struct shell *sh, const struct job *j)
{
	const char *text;

	if (j->stopped)
		return "Stopped";
	if (!j->done)
		return "Running";
	if (j->signal) {
		text = signal_text(j->signal);
		return text ? text : "Killed";
	}
	return j->status ? u_format(sh->p, "Exit %d", j->status) : "Done";
}

/* The line of `jobs` on standard error. */
static void tell(struct shell *sh, const struct job *j, char mark)
{
	const char *line = u_format(sh->p, "%s[%u]%c  %-24s%s\n", j->stopped ? "\n" : "", j->id, mark, job_state(sh, j), j->text);

	u_flush(&sh->out);
	(void)!u_write_all(sh->p, 2, line, strlen(line));
}

static bool quiet_signal(const struct shell *sh, int sig)
{
	return sig == SYS_SIGINT || sig == SYS_SIGPIPE || sig == SYS_SIGTERM || ((sh->trapped >> sig) & 1u);
}

void jobs_notify_slow(struct shell *sh)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	bool monitor = set_is(sh, SET_MONITOR), script = !sh->st->command_string;
	struct job *v;
	size_t n;

	jobs_poll(sh);
	n = jobs_list(sh, &v);
	for (size_t i = 0; i < n; i++) {
		const struct job *j = &v[i];
		char mark_of = i + 1 == n ? '+' : i + 2 == n ? '-' : ' ';
		struct record *r = by_pid(sh, j->pid);

		if (!(j->done || j->stopped) || j->notified || (script && !j->signal))
			continue;
		if (j->signal && !quiet_signal(sh, j->signal))
			shell_error(sh, "%5d %-24s%s", j->pid, job_state(sh, j), j->text);
		else if (monitor)
			tell(sh, j, mark_of);
		r->notified = 1;
		if (j->done)
			r->id = 0;
	}
	arena_reset(a, mark);
}

void jobs_clear(struct shell *sh)
{
	struct vstr *v = sh->st->jobs;

	sh->st->jobs = NULL;
	vstr_put(sh->st->heap, v);
}

/* An ended job that was reported keeps its status for `wait PID`, but has no number any more. */
void job_reported(struct shell *sh, int pid)
{
	struct record *r = by_pid(sh, pid);

	if (r) {
		r->notified = 1;
		r->id = 0;
	}
}

int job_find(struct shell *sh, const char *spec, struct job *out)
{
	struct job *v;
	size_t n = jobs_list(sh, &v), hits = 0, at = 0;
	const char *s = spec;
	size_t len;

	if (*s == '%')
		s++;
	if (*s == '\0' || streq(s, "%") || streq(s, "+") || streq(s, "-")) {
		size_t back = *s == '-' && n > 1 ? 2 : 1;

		if (n < back)
			return 0;
		*out = v[n - back];
		return 1;
	}
	if (ascii_digit((unsigned char)*s)) {
		int64_t id = num_i64(s, &s, 10, NULL);

		for (size_t i = 0; i < n && *s == '\0'; i++)
			if ((int64_t)v[i].id == id) {
				*out = v[i];
				return 1;
			}
		return 0;
	}
	len = strlen(s);
	for (size_t i = 0; i < n; i++) {
		bool hit = *s == '?' ? strstr(v[i].text, s + 1) != NULL
		                     : strncmp(v[i].text, s, len) == 0;

		if (hit) {
			hits++;
			at = i;
		}
	}
	if (hits != 1)
		return hits ? -1 : 0;
	*out = v[at];
	return 1;
}
