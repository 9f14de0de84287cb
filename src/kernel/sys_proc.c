/* sys_proc.c - the system calls on procs: ending, waiting, signals, who is who. */
#include "runtime.h"

void sys_exit(struct proc *p, int status)
{
	proc_enter(p);
	proc_exit(p, status);
}

/* ---- Waiting ------------------------------------------------------------------------ */

static bool matches(const struct proc *c, int pid, int own_group)
{
	return pid == -1 || (pid > 0 && c->pid == pid) || (pid < -1 && c->pgid == -pid) ||
	       (pid == 0 && c->pgid == own_group);
}

/* The child of those asked for that ended first; *any tells whether there are some at all. */
static struct proc *ended_child(struct proc *p, int pid, bool *any)
{
	struct proc *found = NULL;

	*any = false;
	for (struct proc *c = p->children; c; c = c->next_sibling) {
		if (!matches(c, pid, p->pgid))
			continue;
		*any = true;
		if (c->state == PROC_ZOMBIE && (!found || c->end_seq < found->end_seq))
			found = c;
	}
	return found;
}

/* One that has stopped or gone on since that was told last; the order does not matter. */
static struct proc *changed_child(struct proc *p, int pid, unsigned flags)
{
	for (struct proc *c = p->children; c; c = c->next_sibling)
		if (matches(c, pid, p->pgid) && c->state != PROC_ZOMBIE && c->stop_signal && !c->stop_told &&
		    (flags & (c->stopped ? SYS_WUNTRACED : SYS_WCONTINUED)))
			return c;
	return NULL;
}

int sys_wait(struct proc *p, int pid, unsigned flags, struct sys_wait *out)
{
	struct proc *c;
	bool any;
	int r = 0;

	proc_enter(p);
	while (!(c = ended_child(p, pid, &any))) {
		if (!any)
			return -NACRE_ECHILD;
		c = flags & (SYS_WUNTRACED | SYS_WCONTINUED) ? changed_child(p, pid, flags) : NULL;
		if (c) {
			c->stop_told = true;
			*out = (struct sys_wait){.pid = c->pid, .stopped = c->stopped ? c->stop_signal : 0, .continued = !c->stopped};
			return (int)proc_leave(p, c->pid);
		}
		if (flags & SYS_WNOHANG)
			return 0;
		r = proc_wait_on(p, &p->child_ended, -1, true);
		/* A child that ended wins over the signal that came with it. */
		if (r == -NACRE_EKILLED || (r < 0 && !ended_child(p, pid, &any)))
			return (int)proc_leave(p, r);
	}
	r = c->pid;
	*out = (struct sys_wait){.pid = c->pid, .status = c->status, .signal = c->signal};
	p->child_ticks += c->ticks + c->child_ticks;
	proc_free(c);
	return (int)proc_leave(p, r);
}

/* ---- Signals ------------------------------------------------------------------------ */

int sys_kill(struct proc *p, int pid, int sig)
{
	bool found = false;

	proc_enter(p);
	if (sig < 0 || sig >= SYS_NSIG)
		return -NACRE_EINVAL;
	for (struct proc *c = p->sb->procs; c; c = c->next) {
		bool hit = pid > 0    ? c->pid == pid
		           : pid == 0 ? c->pgid == p->pgid
		           : pid < -1 ? c->pgid == -pid
		                      : c != p;

		/* One that has ended counts as gone: shells here collect their children later than
		 * real ones, which do it as soon as they end, and `kill -0` must not show that. */
		if (!hit || c->state == PROC_ZOMBIE)
			continue;
		found = true;
		if (sig)
			signal_send(c, sig);
	}
	return (int)proc_leave(p, found ? 0 : -NACRE_ESRCH);
}

int sys_signal(struct proc *p, int sig, enum sys_disposition d)
{
	enum sys_disposition old;
	uint64_t bit;

	proc_enter(p);
	if (sig <= 0 || sig >= SYS_NSIG - 1 || sig == SYS_SIGKILL || sig == SYS_SIGSTOP)
		return -NACRE_EINVAL;
	bit = sig_bit(sig);
	old = p->sig_ignored & bit  ? SYS_SIG_IGNORE
	      : p->sig_caught & bit ? SYS_SIG_CATCH
	                            : SYS_SIG_DEFAULT;
	p->sig_ignored &= ~bit;
	p->sig_caught &= ~bit;
	if (d == SYS_SIG_IGNORE)
		p->sig_ignored |= bit;
	else if (d == SYS_SIG_CATCH)
		p->sig_caught |= bit;
	if (d != SYS_SIG_CATCH)
		p->sig_pending &= ~bit;
	return (int)old;
}

uint64_t sys_signals(struct proc *p)
{
	uint64_t pending;

	proc_enter(p);
	pending = p->sig_pending;
	p->sig_pending = 0;
	return pending;
}

bool sys_signal_waiting(struct proc *p)
{
	return p->sig_pending != 0;
}

/* ---- Who is who --------------------------------------------------------------------- */

int sys_getpid(struct proc *p)
{
	return p->pid;
}

int sys_getppid(struct proc *p)
{
	return p->ppid;
}

int sys_getpgid(struct proc *p)
{
	return p->pgid;
}

int sys_proc_at(struct proc *p, size_t i, struct sys_procinfo *out)
{
	struct proc *c;

	proc_enter(p);
	for (c = p->sb->procs; c && i > 0; c = c->next)
		i--;
	if (!c)
		return -NACRE_ENOENT;
	*out = (struct sys_procinfo){.pid = c->pid,
	                             .ppid = c->ppid,
	                             .pgid = c->pgid,
	                             .memory = c->memory,
	                             .ticks = c->ticks};
	memcpy(out->name, c->comm, sizeof(c->comm));
	switch (c->state) {
	case PROC_ZOMBIE: out->state = 'Z'; break;
	case PROC_BLOCKED: out->state = 'S'; break;
	default: out->state = c->stopped ? 'T' : 'R'; break;
	}
	return 0;
}

/* ---- Shared memory ------------------------------------------------------------------ */

struct heap *sys_heap(struct proc *p)
{
	return sandbox_heap(p->sb);
}

void sys_attach(struct proc *p, void *state, void (*release)(struct heap *h, void *state))
{
	p->state_attached = state;
	p->state_release = release;
}

void *sys_attached(struct proc *p)
{
	return p->state_attached;
}

void *sys_session_take(struct proc *p)
{
	struct sandbox *sb = p->sb;
	void *state = sb->session;

	if (p != p->run->first || p->run->nested)
		return NULL;
	sb->session = NULL;
	sb->session_release = NULL;
	return state;
}

void sys_session_put(struct proc *p, void *state, void (*release)(struct heap *h, void *state))
{
	struct sandbox *sb = p->sb;

	if (p != p->run->first || p->run->nested) {
		if (state && release)
			release(sb->heap, state);
		return;
	}
	sandbox_session_set(p, state, release);
}

const char *sys_session_cwd(struct proc *p)
{
	return p->run->own_cwd && !p->run->nested && p == p->run->first ? sandbox_home(p->sb) : NULL;
}

bool sys_session_keep(struct proc *p)
{
	if (p->sb->config->rollback)
		return false;
	p->keeps_session = p == p->run->first && !p->run->nested;
	return true;
}

void sys_session_former(struct proc *p, void *state, void (*release)(struct heap *h, void *state))
{
	struct sandbox *sb = p->sb;

	if (p != p->run->first || sb->former) {
		release(sb->heap, state);
		return;
	}
	sb->former = state;
	sb->former_release = release;
	sb->former_cwd = sb->cwd ? cwd_get(sb->cwd) : NULL;
}

char *const *sys_run_env(struct proc *p)
{
	return p->run->extra && p == p->run->first ? p->run->extra->v : NULL;
}

void sys_set_outcome(struct proc *p, enum sys_outcome o, const char *text)
{
	struct run_result *r = &p->run->result;
	size_t n = text ? strlen(text) : 0;

	if (p != p->run->first)
		return;
	if (n >= sizeof(r->error)) {
		n = sizeof(r->error) - 1;
		while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--; /* not inside a character */
	}
	r->outcome = o;
	if (n)
		memcpy(r->error, text, n);
	r->error[n] = '\0';
}

/* ---- Time and chance
 * ------------------------------------------------------------------------------ */

int64_t sys_clock(struct proc *p, enum sys_clock c)
{
	struct runtime *rt = p->rt;

	proc_enter(p);
	if (p->sb->virtual || c > SYS_CLOCK_CPU)
		proc_account(p);
	if (c > SYS_CLOCK_CPU)
		return rlimit_cpu_ns(p, c == SYS_CLOCK_OWN ? p->ticks : p->child_ticks);
	if (c != SYS_CLOCK_CPU)
		return sandbox_clock(p->sb, c);
	if (p->sb->virtual)
		return (int64_t)p->run->result.ticks * 10;
	return p->run->result.cpu_ns + rt->port->clock(rt->port, PORT_CLOCK_MONO) - rt->cpu_since;
}

int64_t sys_time_after(struct proc *p, int64_t ns)
{
	int64_t now = sandbox_clock(p->sb, SYS_CLOCK_MONO);

	return ns > INT64_MAX - now - 1 ? INT64_MAX - 1 : now + MAX(ns, (int64_t)0);
}

int sys_sleep(struct proc *p, int64_t ns)
{
	int r;

	proc_enter(p);
	if (p->sb->virtual)
		proc_account(p);
	if (ns <= 0)
		return (int)proc_leave(p, proc_yield(p));
	r = proc_wait_on(p, NULL, sys_time_after(p, ns), true);
	return (int)proc_leave(p, r == -NACRE_ETIMEDOUT ? 0 : r);
}

void sys_random(struct proc *p, void *buf, size_t n)
{
	proc_enter(p);
	sandbox_random(p->sb, buf, n);
}

/* ---- Limits
 * ------------------------------------------------------------------------------------------ */

const struct sys_profile *sys_profile(struct proc *p)
{
	static const struct sys_profile nothing = {.name = "default"};

	return p->sb->config->profile ? p->sb->config->profile : &nothing;
}

uint32_t sys_fd_limit(struct proc *p)
{
	uint32_t n = p->sb->config->limits.fds;

	return MIN(p->fds.limit, n ? MIN(n, 65536u) : 1024);
}

uint64_t sys_limit(struct proc *p, enum sys_limit which)
{
	const struct sandbox_limits *l = &p->sb->config->limits;

	switch (which) {
	case SYS_LIMIT_MEMORY: return l->memory;
	case SYS_LIMIT_PROCS: return l->procs ? l->procs : 1024;
	case SYS_LIMIT_FILES: return sys_fd_limit(p);
	case SYS_LIMIT_FILE_SIZE: return l->file_size;
	case SYS_LIMIT_WALL_NS: return (uint64_t)p->run->wall_limit;
	case SYS_LIMIT_OUTPUT: return p->run->output_limit;
	case SYS_LIMIT_DEPTH: return l->depth;
	default: break;
	}
	if (which >= SYS_LIMIT_GUEST_MEMORY && which < SYS_LIMIT_TICKS)
		return l->guests[which - SYS_LIMIT_GUEST_MEMORY];
	return which >= SYS_LIMIT_TICKS && which < SYS_LIMIT_COUNT ? l->budgets[which - SYS_LIMIT_TICKS]
	                                                           : 0;
}

uint64_t sys_usage(struct proc *p, enum sys_limit which)
{
	switch (which) {
	case SYS_LIMIT_MEMORY: return p->sb->quota.used;
	case SYS_LIMIT_PROCS: return p->sb->nprocs;
	case SYS_LIMIT_FILES: return p->sb->nfiles;
	case SYS_LIMIT_WALL_NS:
		return (uint64_t)(sandbox_clock(p->sb, SYS_CLOCK_MONO) - p->run->began);
	case SYS_LIMIT_OUTPUT: return p->run->result.out_bytes + p->run->result.err_bytes;
	case SYS_LIMIT_TICKS: return p->run->result.ticks;
	case SYS_LIMIT_PIPE: return p->run->result.pipe_bytes;
	case SYS_LIMIT_LOOPS:
	case SYS_LIMIT_COMMANDS: return p->run->spent[which - SYS_LIMIT_TICKS];
	default: break;
	}
	return 0;
}

void sys_spend(struct proc *p, enum sys_limit which, uint64_t n)
{
	uint64_t limit = sys_limit(p, which), *spent = &p->run->spent[which - SYS_LIMIT_TICKS];

	if (!limit)
		return;
	proc_enter(p);
	/* Of one text or word: there is nothing to add up. */
	if (which == SYS_LIMIT_SOURCE || which == SYS_LIMIT_EXPANSION)
		*spent = 0;
	*spent += n;
	if (*spent > limit)
		run_over_budget(p->run, which);
	(void)proc_leave(p, 0);
}
