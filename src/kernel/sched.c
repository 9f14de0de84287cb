/* sched.c - who runs: the run queue, sleeping and waking, turns, and the step itself.
 *
 * Invariants. rt->current is the proc whose fiber runs, NULL on the host's context. A proc is in
 * the run queue exactly while its state is PROC_READY. A fiber that has ended leaves itself
 * in rt->ended and switches to the host, which reaps it on its own stack before anything
 * else runs.
 *
 * A proc's fuel is filled when it gets the processor and counts down by checkpoints and
 * system calls; the difference is its ticks, which do not depend on the machine's speed. */
#include "sched.h"

#include "runtime.h"

#define BURST   64
#define STEP_NS 1000000
#define TRIM_MAX 512u /* stacks a step */

/* ---- Switching ---------------------------------------------------------------------- */

void sched_ready(struct proc *p)
{
	struct runtime *rt = p->rt;

	p->state = PROC_READY;
	p->next_ready = NULL;
	*rt->ready_end = p;
	rt->ready_end = &p->next_ready;
}

static struct proc *take_ready(struct runtime *rt)
{
	struct proc *p = rt->ready;

	while (UNLIKELY(p->late)) {
		p->late = false;
		if (p->next_ready) {
			rt->ready = p->next_ready;
			sched_ready(p);
			p = rt->ready;
		}
	}
	rt->ready = p->next_ready;
	if (!rt->ready)
		rt->ready_end = &rt->ready;
	return p;
}

void proc_account(struct proc *p)
{
	int64_t used = p->fuel_in - p->u.fuel;

	p->fuel_in = p->u.fuel;
	if (used > 0) {
		p->ticks += (uint64_t)used;
		p->run->result.ticks += (uint64_t)used;
		if (UNLIKELY(p->sb->virtual))
			sandbox_worked(p->sb, (uint64_t)used);
	}
}

/* A run whose procs hand the processor to each other before their fuel is used up must be looked at as well. */
static bool unseen(const struct proc *p)
{
	return p->run->result.ticks - p->run->seen > p->rt->slice;
}

static void fill(struct proc *p)
{
	p->u.fuel = p->killed ? -1 : UNLIKELY(unseen(p)) ? 0 : (int32_t)p->rt->slice;
	p->fuel_in = p->u.fuel;
}

/* p gets the processor; the caller switches to it. */
static void become(struct runtime *rt, struct proc *p)
{
	rt->current = p;
	rt->switches++;
	p->state = PROC_RUNNING;
	p->started = true;
	fill(p);
	if (UNLIKELY(p->run != rt->cpu_run))
		run_charge_cpu(rt, p->run);
}

static bool goes_straight(const struct runtime *rt)
{
	const struct proc *next = rt->ready;

	return next && rt->burst && !next->stopped && (next->started || !next->killed);
}

/* p, which is ready or blocked, gives the processor away; comes back when it has it again. */
static void switch_away(struct proc *p, bool to_host)
{
	struct runtime *rt = p->rt;

	if (!to_host && goes_straight(rt)) {
		struct proc *next = take_ready(rt);

		rt->burst--;
		if (next == p) {
			become(rt, p);
			return;
		}
		become(rt, next);
		fiber_switch(&p->fiber, &next->fiber, &rt->left);
	} else {
		rt->current = NULL;
		fiber_switch(&p->fiber, &rt->host, &rt->left);
	}
}

void leave_for_good(struct proc *p)
{
	struct runtime *rt = p->rt;

	proc_account(p);
	p->ending = true;
	rt->current = NULL;
	rt->ended = p;
	fiber_end(&p->fiber, &rt->host, &rt->left);
}

void proc_exit(struct proc *p, int status)
{
	if (!p->killed)
		status = proc_last_words(p, status, false);
	if (!p->killed)
		p->status = status & 255;
	leave_for_good(p);
}

void proc_vanish(struct proc *p)
{
	leave_for_good(p);
}

/* ---- Sleeping ----------------------------------------------------------------------- */

void proc_wake(struct proc *p, enum proc_why why)
{
	if (p->state != PROC_BLOCKED)
		return;
	p->why = why;
	p->sb->nactive++;
	sched_ready(p);
}

int proc_wait(struct proc *p, int64_t until, bool interruptible)
{
	struct sandbox *sb = p->sb;

	if (p->killed)
		return -NACRE_EKILLED;
	if (interruptible && p->sig_pending)
		return -NACRE_EINTR;
	if (until >= 0)
		timer_arm(sandbox_timers(sb), &p->timer, until);
	proc_account(p);
	p->state = PROC_BLOCKED;
	p->why = WHY_WOKEN;
	p->interruptible = interruptible;
	if (--sb->nactive == 0 && UNLIKELY(sb->virtual))
		sandbox_may_be_quiet(sb);
	switch_away(p, false);
	p->interruptible = false;
	timer_disarm(&p->timer);
	if (p->killed)
		return -NACRE_EKILLED;
	return p->why == WHY_TIME ? -NACRE_ETIMEDOUT : p->why == WHY_SIGNAL ? -NACRE_EINTR : 0;
}

int proc_wait_on(struct proc *p, struct waitq *q, int64_t until, bool interruptible)
{
	int r;

	if (q)
		waitq_add(q, &p->waiter);
	r = proc_wait(p, until, interruptible);
	waitq_remove(&p->waiter);
	return r;
}

/* ---- Turns -------------------------------------------------------------------------- */

static int give_way(struct proc *p, bool to_host)
{
	proc_account(p);
	sched_ready(p);
	switch_away(p, to_host);
	return p->killed ? -NACRE_EKILLED : 0;
}

int proc_yield(struct proc *p)
{
	return give_way(p, true);
}

static bool host_is_due(struct runtime *rt)
{
	return mail_waiting(rt) || rt->now >= rt->until || timers_next(&rt->timers) <= rt->now ||
	       rt->busy || rt->calls || rt->finished;
}

int proc_pause(struct proc *p)
{
	struct runtime *rt = p->rt;

	rt->slow++;
	proc_account(p);
	p->run->seen = p->run->result.ticks;
	/* Here, not in the step: virtual time must not depend on when the host looks. */
	if (UNLIKELY(p->sb->virtual))
		sandbox_fire(p->sb);
	if (p->killed)
		return -NACRE_EKILLED;
	rt->now = rt->port->clock(rt->port, PORT_CLOCK_MONO);
	if (UNLIKELY(run_over_ticks(p->run))) {
		run_over_budget(p->run, SYS_LIMIT_TICKS);
		return -NACRE_EKILLED;
	}
	if (UNLIKELY(run_over_cpu(p->run, rt->now))) {
		run_stop(p->run, RUN_STOP_CPU, SYS_SIGKILL);
		return -NACRE_EKILLED;
	}
	if (UNLIKELY(p->rlimits.cpu)) {
		rlimit_cpu(p);
		if (p->killed)
			return -NACRE_EKILLED;
	}
	if (host_is_due(rt))
		return give_way(p, true);
	if (rt->ready)
		return give_way(p, false);
	fill(p);
	return 0;
}

void sys_checkpoint_slow(struct proc *p)
{
	if (proc_pause(p) < 0)
		proc_vanish(p);
}

bool proc_enter_alive(struct proc *p)
{
	struct torture *t = &p->rt->torture;

	if (UNLIKELY(p->rt->torturing)) {
		t->calls++;
		if (t->kill_at && --t->kill_at == 0)
			proc_kill(p, SYS_SIGKILL);
		if (t->stop_at && --t->stop_at == 0)
			run_stop(p->run, RUN_STOP_CANCELLED, SYS_SIGINT);
	}
	return proc_pause(p) == 0;
}

void proc_enter_slow(struct proc *p)
{
	if (!proc_enter_alive(p))
		proc_vanish(p);
}

void proc_leave_slow(struct proc *p)
{
	while (p->stopped && !p->killed)
		if (give_way(p, true) < 0)
			break;
	if (p->killed)
		proc_vanish(p);
}

/* ---- The step ----------------------------------------------------------------------- */

/* On the host's context: lets one proc run until control comes back, then buries whoever ended. */
static void run_one(struct runtime *rt)
{
	struct proc *p = take_ready(rt);

	if (p->stopped && !p->killed) {
		p->state = PROC_STOPPED;
		if (--p->sb->nactive == 0 && p->sb->virtual)
			sandbox_may_be_quiet(p->sb);
		return;
	}
	if (p->killed && !p->started) {
		p->state = PROC_RUNNING;
		proc_reap(p);
		return;
	}
	become(rt, p);
	fiber_switch(&rt->host, &p->fiber, &rt->left);
	p = rt->ended;
	if (p) {
		rt->ended = NULL;
		if (p->restarting)
			proc_restart(p);
		else
			proc_reap(p);
	}
}

/* Lets sleeping deterministic sandboxes reach their next time. True when one did. */
static bool wake_quiet(struct runtime *rt)
{
	bool any = false;

	while (rt->quiet) {
		struct sandbox *sb = rt->quiet;
		struct virtual_time *v = sb->virtual;

		rt->quiet = v->next_quiet;
		v->listed = false;
		if (sb->nactive || sb->nhost || timers_next(&v->timers) == INT64_MAX)
			continue;
		v->now = MAX(v->now, timers_next(&v->timers));
		sandbox_fire(sb);
		any = true;
	}
	return any;
}

static void fire_timers(struct runtime *rt)
{
	struct timer *t;

	while ((t = timers_due(&rt->timers, rt->now)) != NULL)
		t->fire(t);
}

void sched_drain(struct runtime *rt, struct run *run)
{
	struct proc *later = NULL, **end = &later;
	struct fiber host = rt->host;
	bool nested = rt->stepping;

	if (rt->current)
		KERNEL_BUG();
	rt->stepping = true;
	if (!nested)
		fiber_init_host(&rt->host);
	/* Others keep their place: only procs of this run may run. */
	while (!run->over) {
		struct proc *p = rt->ready;

		if (!p)
			KERNEL_BUG();
		if (p->run == run) {
			rt->burst = 0;
			run_one(rt);
			continue;
		}
		take_ready(rt);
		p->next_ready = NULL;
		*end = p;
		end = &p->next_ready;
	}
	if (later) {
		*end = rt->ready;
		if (!rt->ready)
			rt->ready_end = end;
		rt->ready = later;
	}
	if (!nested)
		run_charge_cpu(rt, NULL);
	else
		rt->host = host;
	rt->stepping = nested;
}

static void deliver_finished(struct runtime *rt)
{
	struct run **at = &rt->finished;

	while (*at) {
		struct run *run = *at;

		if (!run_deliver(run)) {
			at = &run->next_finished;
			continue;
		}
		/* `done` may have freed it, and others: begin again. */
		at = &rt->finished;
	}
}

static char *sleeps_at(const struct proc *p)
{
	return p->state == PROC_BLOCKED || p->state == PROC_STOPPED ? p->fiber.sp : NULL;
}

/* rt->now has just been read. */
static enum runtime_state step(struct runtime *rt, int64_t ns)
{
	struct fp_state fp;
	unsigned turns = 0;
	bool again = true;

	rt->stepping = true;
	fp_enter(&fp);
	fiber_init_host(&rt->host);
	rt->until = rt->now + (ns > 0 ? ns : STEP_NS);
	rt->cpu_since = rt->now;
	while (again && rt->now < rt->until) {
		if (mail_waiting(rt))
			mail_deliver(rt);
		if (rt->nfds)
			streams_poll(rt);
		fire_timers(rt);
		while (rt->ready) {
			rt->burst = BURST;
			run_one(rt);
			if (++turns % 16 == 0) {
				rt->now = rt->port->clock(rt->port, PORT_CLOCK_MONO);
				if (rt->now >= rt->until)
					break;
			}
			if (host_is_due(rt))
				break;
		}
		again = streams_work(rt);
		again |= hostcalls_work(rt);
		if (rt->finished)
			deliver_finished(rt);
		if (!rt->ready && !again)
			again = wake_quiet(rt);
		again |= rt->ready || mail_waiting(rt);
		if (again || rt->timers.n)
			rt->now = rt->port->clock(rt->port, PORT_CLOCK_MONO);
		again |= timers_next(&rt->timers) <= rt->now;
	}
	if (rt->cpu_run)
		run_charge_cpu(rt, NULL);
	if (UNLIKELY(stacks_want_trim(&rt->stacks)))
		again |= stacks_trim(&rt->stacks, sleeps_at, TRIM_MAX);
	fp_leave(&fp);
	rt->stepping = false;
	return again ? RUNTIME_MORE : rt->nruns ? RUNTIME_WAITS : RUNTIME_IDLE;
}

enum runtime_state runtime_step(struct runtime *rt, int64_t ns)
{
	if (rt->stepping)
		return RUNTIME_MORE; /* from inside a callback */
	rt->now = rt->port->clock(rt->port, PORT_CLOCK_MONO);
	return step(rt, ns);
}

void runtime_drive(struct runtime *rt, struct run *run)
{
	/* run_start has read the clock: the first step needs not. */
	enum runtime_state state = rt->stepping ? RUNTIME_MORE : step(rt, 0);

	while (!run->delivered) {
		if (state == RUNTIME_WAITS)
			runtime_wait(rt, -1);
		state = runtime_step(rt, 0);
	}
}
