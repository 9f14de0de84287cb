/* run.c - a run: starting its first proc, stopping it, its result.
 *
 * A run is over when its last proc has been reaped; it is done when its streams have handed
 * their output to the host as well. What ends the procs that outlive the first one is said
 * in docs/decisions/run-end.md. */
#include "run.h"

#include "pipe.h"
#include "runtime.h"
#include "stream.h"

/* ---- Stopping ----------------------------------------------------------------------- */

static void kill_all(struct run *run)
{
	for (struct proc *p = run->sb->procs; p; p = p->next)
		if (p->run == run)
			proc_kill(p, SYS_SIGKILL);
}

void run_stop(struct run *run, enum run_stop why, int sig)
{
	if (run->delivered)
		return;
	if (run->result.stop == RUN_STOP_NONE) {
		run->result.stop = why;
		run->result.signal = sig;
	}
	run->discard = true;
	kill_all(run);
}

static void deadline_passed(struct timer *t)
{
	run_stop(CONTAINER_OF(t, struct run, deadline), RUN_STOP_DEADLINE, SYS_SIGKILL);
}

static void virtual_deadline_passed(struct timer *t)
{
	run_stop(CONTAINER_OF(t, struct run, virtual_deadline), RUN_STOP_DEADLINE, SYS_SIGKILL);
}

static void cancel_delivered(struct mail *m)
{
	struct run *run = CONTAINER_OF(m, struct run, cancel);

	run_stop(run, RUN_STOP_CANCELLED, atomic_load(&run->cancel_signal));
}

void run_cancel(struct run *run, int sig)
{
	int none = 0;

	atomic_compare_exchange_strong(&run->cancel_signal, &none,
	                               sig > 0 && sig < SYS_NSIG ? sig : SYS_SIGINT);
	mail_post(run->sb->rt, &run->cancel);
}

int64_t run_remaining(const struct run *run)
{
	struct sandbox *sb = run->sb;
	int64_t now = sb->virtual ? sb->virtual->now : sb->rt->port->clock(sb->rt->port, PORT_CLOCK_MONO);

	if (run->wall_limit <= 0)
		return -1;
	return MAX(run->wall_limit - (now - run->began), (int64_t)0);
}

void run_signal(struct run *run, int sig)
{
	for (struct proc *p = run->sb->procs; p; p = p->next)
		if (p->run == run && p->pgid == run->first_pgid)
			signal_send(p, sig);
}

/* ---- Ending ------------------------------------------------------------------------- */

static bool holds_output(const struct run *run, const struct proc *p)
{
	for (uint32_t i = 0; i < p->fds.end; i++)
		if (p->fds.v[i].file &&
		    (p->fds.v[i].file == run->out || p->fds.v[i].file == run->err))
			return true;
	return false;
}

static bool lingers(const struct run *run)
{
	if (run->linger != RUN_LINGER_OUTPUT)
		return run->linger == RUN_LINGER_ALL;
	for (const struct proc *p = run->sb->procs; p; p = p->next)
		if (p->run == run && p->state != PROC_ZOMBIE && holds_output(run, p))
			return true;
	return false;
}

static void set_lingering(struct run *run, bool lingering)
{
	if (run->lingering != lingering)
		run->sb->nlingering += lingering ? 1u : -1u;
	run->lingering = lingering;
}

/* The first proc has ended, others have not. */
static void linger_or_end(struct run *run)
{
	set_lingering(run, lingers(run));
	if (!run->lingering) {
		run->killing = true;
		kill_all(run);
	}
}

void runs_look_again(struct sandbox *sb)
{
	for (struct run *run = sb->runs; run; run = run->next)
		if (run->lingering && run->linger == RUN_LINGER_OUTPUT)
			linger_or_end(run);
}

static void make_status(struct run *run)
{
	struct run_result *r = &run->result;

	switch (r->stop) {
	case RUN_STOP_NONE: r->status = r->signal ? 128 + r->signal : r->status; break;
	case RUN_STOP_DEADLINE:
	case RUN_STOP_CPU: r->status = run->timeout_status; break;
	case RUN_STOP_CANCELLED: r->status = 128 + r->signal; break;
	case RUN_STOP_MEMORY:
	case RUN_STOP_BUDGET:
	case RUN_STOP_OUTPUT: r->status = 128 + SYS_SIGKILL; break;
	}
}

void run_keep_session(struct proc *p)
{
	enum run_stop why = p->run->result.stop;

	if (!p->keeps_session || !p->state_attached || why == RUN_STOP_NONE || why == RUN_STOP_MEMORY)
		return;
	sandbox_session_set(p, p->state_attached, p->state_release);
	p->state_attached = NULL;
	p->state_release = NULL;
}

/* With rollback: a stopped run has never changed the session. */
static void roll_back(struct run *run)
{
	struct sandbox *sb = run->sb;

	if (run->result.stop != RUN_STOP_NONE) {
		sandbox_session_drop(sb);
		sb->session = sb->former;
		sb->session_release = sb->former_release;
		sb->cwd = sb->former_cwd;
	} else {
		if (sb->former)
			sb->former_release(sb->heap, sb->former);
		if (sb->former_cwd)
			cwd_put(sb->former_cwd, &sb->quota);
	}
	sb->former = NULL;
	sb->former_cwd = NULL;
}

void run_proc_ended(struct run *run, struct proc *p)
{
	struct runtime *rt = run->sb->rt;

	run->nlive--;
	if (p == run->first) {
		run->first = NULL;
		run->first_ended = true;
		if (run->result.stop == RUN_STOP_NONE) {
			run->result.status = p->status;
			run->result.signal = p->signal;
		}
	}
	if (run->nlive) {
		if (run->first_ended && !run->killing)
			linger_or_end(run);
		return;
	}
	set_lingering(run, false);
	if (run->sb->config->rollback && !run->nested)
		roll_back(run);
	run->over = true;
	run->next_finished = rt->finished;
	rt->finished = run;
}

/* True when its streams have nothing left for the host. */
static bool flushed(struct run *run)
{
	if (run->discard) {
		stream_discard(run->out, !run->freeing);
		stream_discard(run->err, !run->freeing);
	}
	return stream_is_flushed(run->out) && stream_is_flushed(run->err);
}

/* The run has ended: its clocks are read. */
static void take_times(struct run *run)
{
	struct sandbox *sb = run->sb;
	struct runtime *rt = sb->rt;
	struct run_result *r = &run->result;

	rt->now = rt->port->clock(rt->port, PORT_CLOCK_MONO);
	r->wall_ns = (sb->virtual ? sb->virtual->now : rt->now) - run->began;
	if (rt->cpu_run == run) {
		r->cpu_ns += rt->now - rt->cpu_since;
		rt->cpu_run = NULL;
		rt->cpu_since = 0;
	}
}

static void finish(struct run *run)
{
	struct sandbox *sb = run->sb;
	struct runtime *rt = sb->rt;
	struct run_result *r = &run->result;
	struct run **at = &rt->finished;

	while (*at != run)
		at = &(*at)->next_finished;
	*at = run->next_finished;
	timer_disarm(&run->deadline);
	timer_disarm(&run->virtual_deadline);
	make_status(run);
	take_times(run);
	r->memory_peak = sb->quota.peak;
	run->delivered = true;
}

bool run_deliver(struct run *run)
{
	if (!flushed(run))
		return false;
	finish(run);
	if (run->done)
		run->done(run->ctx, run);
	return true;
}

bool runs_deliverable(struct runtime *rt)
{
	for (struct run *run = rt->finished; run; run = run->next_finished)
		if (flushed(run))
			return true;
	return false;
}

/* ---- Counting ----------------------------------------------------------------------- */

void run_charge_cpu(struct runtime *rt, struct run *next)
{
	int64_t now = rt->cpu_since;

	if (rt->cpu_run || !now)
		now = rt->port->clock(rt->port, PORT_CLOCK_MONO);
	if (rt->cpu_run)
		rt->cpu_run->result.cpu_ns += now - rt->cpu_since;
	rt->cpu_run = next;
	rt->cpu_since = next ? now : 0;
}

void run_over_budget(struct run *run, enum sys_limit which)
{
	if (run->result.stop == RUN_STOP_NONE)
		run->result.budget = which;
	run_stop(run, RUN_STOP_BUDGET, SYS_SIGKILL);
}

bool run_over_ticks(const struct run *run)
{
	uint64_t limit = run->sb->config->limits.budgets[0];

	return limit && run->result.ticks > limit;
}

bool run_over_cpu(const struct run *run, int64_t now)
{
	return run->cpu_limit &&
	       run->result.cpu_ns + (now - run->sb->rt->cpu_since) > run->cpu_limit;
}

void run_wrote(struct run *run, struct proc *p, const struct file *f, uint64_t n)
{
	p->written += n;
	if (f == run->out)
		run->result.out_bytes += n;
	else if (f == run->err)
		run->result.err_bytes += n;
	else
		return;
	if (run->output_limit && run->result.out_bytes + run->result.err_bytes > run->output_limit)
		run_stop(run, RUN_STOP_OUTPUT, SYS_SIGKILL);
}

void run_record_begin(struct proc *p)
{
	p->by_path = true;
	p->run->result.commands++;
	p->sb->commands++;
	if (p->run->record_cap)
		p->began = sandbox_clock(p->sb, SYS_CLOCK_MONO);
}

void run_record_end(struct proc *p)
{
	struct run *run = p->run;
	struct run_record *rec;

	if (!run->record_cap)
		return;
	if (run->result.nrecords == run->record_cap) {
		run->result.records_dropped++;
		return;
	}
	rec = &run->record_v[run->result.nrecords++];
	*rec = (struct run_record){
		.pid = p->pid,
		.status = p->status,
		.signal = p->signal,
		.start_ns = p->began - run->began,
		.wall_ns = sandbox_clock(p->sb, SYS_CLOCK_MONO) - p->began,
		.ticks = p->ticks,
		.memory_peak = p->memory_peak,
		.written = p->written,
	};
	memcpy(rec->name, p->comm, sizeof(rec->name));
}

void run_record_pipe(struct run *run, struct pipe *pipe)
{
	if (!run->record_cap)
		return;
	if (run->result.npipes == run->record_cap) {
		run->result.pipes_dropped++;
		return;
	}
	pipe->run = run;
	pipe->number = (uint32_t)run->result.npipes++;
	run->pipe_v[pipe->number] = 0;
}

/* ---- Starting
 * ------------------------------------------------------------------------------------ */

static int setup_fds(struct proc *p, const struct run_config *c)
{
	struct file *v[3] = {c->in, c->out, c->err};

	if (sys_fd_limit(p) < 3)
		return -NACRE_EBADF;
	for (uint32_t i = 0; i < 3; i++)
		p->fds.v[i].file = v[i] ? file_get(v[i]) : stream_null(p->rt);
	p->fds.end = 3;
	return 0;
}

static int setup_first(struct run *run, const struct run_config *c)
{
	struct sandbox *sb = run->sb;
	struct proc *p;
	int r = proc_new(sb, run, NULL, c->program->stack_size, STACK_ARENA_SHELL, &p);

	if (r < 0)
		return r;
	r = -NACRE_ENOMEM;
	if (!sb->session && !run->nested)
		sandbox_forget_cwd(sb);
	p->program = c->program;
	p->cwd = c->cwd ? cwd_new(&sb->quota, c->cwd, strlen(c->cwd)) : sandbox_cwd(sb);
	p->env = c->env ? env_new(&sb->quota, c->env) : sandbox_env(sb);
	if (c->extra && !(run->extra = env_new(&sb->quota, c->extra)))
		goto abandon;
	if (!p->cwd || !p->env || !proc_set_argv(p, c->argv))
		goto abandon;
	p->u.env = p->env->v;
	r = setup_fds(p, c);
	if (r < 0)
		goto abandon;
	run->first = p;
	run->first_pgid = p->pgid;
	run_record_begin(p);
	sched_ready(p);
	return 0;

abandon:
	proc_abandon(p);
	return r;
}

static void unlink_run(struct run *run)
{
	*run->prev = run->next;
	if (run->next)
		run->next->prev = run->prev;
	run->sb->rt->nruns--;
}

static void free_records(struct runtime *rt, struct run *run)
{
	kfree(&rt->quota, run->record_v, run->record_cap * sizeof(*run->record_v));
	kfree(&rt->quota, run->pipe_v, run->record_cap * sizeof(*run->pipe_v));
}

static void give_back(struct run *run)
{
	struct sandbox *sb = run->sb;

	timer_disarm(&run->deadline);
	timer_disarm(&run->virtual_deadline);
	if (!timers_reserve(&sb->rt->timers, -1) ||
	    (sb->virtual && !timers_reserve(&sb->virtual->timers, -1)))
		KERNEL_BUG();
	if (run->extra)
		env_put(run->extra, &sb->quota);
	file_put(run->in);
	file_put(run->out);
	file_put(run->err);
	free_records(sb->rt, run);
	kfree(&sb->rt->quota, run, sizeof(*run));
}

static struct run *make(struct sandbox *sb, const struct run_config *c)
{
	struct runtime *rt = sb->rt;
	struct run *run = kzalloc(&rt->quota, sizeof(*run));

	if (!run)
		return NULL;
	run->sb = sb;
	run->record_cap = MIN(c->records, 100000u);
	if (run->record_cap) {
		run->record_v = kalloc(&rt->quota, run->record_cap * sizeof(*run->record_v));
		run->pipe_v = kalloc(&rt->quota, run->record_cap * sizeof(*run->pipe_v));
		if (!run->record_v || !run->pipe_v)
			goto no_timer;
	}
	if (!timers_reserve(&rt->timers, 1))
		goto no_timer;
	if (sb->virtual && !timers_reserve(&sb->virtual->timers, 1))
		goto no_virtual;
	return run;

no_virtual:
	if (!timers_reserve(&rt->timers, -1))
		KERNEL_BUG();
no_timer:
	free_records(rt, run);
	kfree(&rt->quota, run, sizeof(*run));
	return NULL;
}

static void configure(struct run *run, const struct run_config *c)
{
	struct sandbox *sb = run->sb;

	run->in = c->in;
	run->out = c->out;
	run->err = c->err;
	run->linger = c->linger;
	run->cpu_limit = c->cpu_ns;
	run->wall_limit = MAX(c->wall_ns, (int64_t)0);
	run->output_limit = c->output;
	run->timeout_status = c->timeout_status ? c->timeout_status : 124;
	run->own_cwd = c->cwd != NULL;
	run->done = c->done;
	run->ctx = c->ctx;
	run->cancel.deliver = cancel_delivered;
	run->deadline.fire = deadline_passed;
	run->virtual_deadline.fire = virtual_deadline_passed;
	sb->rt->now = sb->rt->port->clock(sb->rt->port, PORT_CLOCK_MONO);
	run->began = sb->virtual ? sb->virtual->now : sb->rt->now;
	run->result.records = run->record_v;
	run->result.pipes = run->pipe_v;
	if (!c->nested)
		sb->stopped_clock = 0; /* a nested run shares its caller's time */
	run->nested = c->nested;
	if (sb->config->profile && sb->config->profile->run_clock)
		sb->stopped_clock = sandbox_clock(sb, SYS_CLOCK_REAL);
	run->next = sb->runs;
	run->prev = &sb->runs;
	if (run->next)
		run->next->prev = &run->next;
	sb->runs = run;
	sb->rt->nruns++;
}

/* Whether all other runs of its sandbox are done. */
static bool is_alone(const struct run *run)
{
	for (const struct run *r = run->sb->runs; r; r = r->next)
		if (r != run && !r->delivered)
			return false;
	return true;
}

int run_start(struct sandbox *sb, const struct run_config *c, struct run **out)
{
	struct runtime *rt = sb->rt;
	struct run *run = make(sb, c);
	int r;

	if (!run) {
		file_put(c->in);
		file_put(c->out);
		file_put(c->err);
		return -NACRE_ENOMEM;
	}
	configure(run, c);
	if (is_alone(run))
		sb->quota.peak = sb->quota.used;
	r = setup_first(run, c);
	if (r < 0) {
		unlink_run(run);
		give_back(run);
		return r;
	}
	if (c->wall_ns > 0) {
		int64_t real = rt->now, ns = c->wall_ns;

		/* In virtual time the real deadline is a safety only: it must not come first on a
		 * machine that is merely slow. */
		if (sb->virtual)
			ns = MIN(ns, (int64_t)1 << 58) * 10 + 1000000000;
		timer_arm(&rt->timers, &run->deadline,
		          ns > INT64_MAX - real ? INT64_MAX - 1 : real + ns);
		if (sb->virtual)
			timer_arm(&sb->virtual->timers, &run->virtual_deadline,
			          c->wall_ns > INT64_MAX - run->began ? INT64_MAX - 1
			                                              : run->began + c->wall_ns);
	}
	*out = run;
	return 0;
}

struct file *run_file(struct run *run, int fd)
{
	return fd == 0 ? run->in : fd == 1 ? run->out : fd == 2 ? run->err : NULL;
}

bool run_done(const struct run *run)
{
	return run->delivered;
}

const struct run_result *run_result(struct run *run)
{
	return &run->result;
}

struct sandbox *run_sandbox(struct run *run)
{
	return run->sb;
}

void *run_ctx(struct run *run)
{
	return run->ctx;
}

void run_free(struct run *run)
{
	struct runtime *rt = run->sb->rt;

	run->done = NULL;
	if (!run->over) {
		run_stop(run, RUN_STOP_CANCELLED, SYS_SIGKILL);
		sched_drain(rt, run);
	}
	run->discard = run->freeing = true;
	if (!run->delivered) {
		flushed(run);
		finish(run);
	}
	/* A cancel may still be on its way from another thread that has not returned yet: it is the
	 * caller's to see that none is called from now on. */
	if (atomic_load(&run->cancel.posted))
		mail_deliver(rt);
	if (rt->cpu_run == run)
		run_charge_cpu(rt, NULL);
	unlink_run(run);
	give_back(run);
}
