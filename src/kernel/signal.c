/* signal.c - sending signals to procs.
 *
 * A signal is ignored, caught (marked pending; a sleep that allows it ends), or does what it
 * does by default: end the proc, stop it, or nothing. */
#include "runtime.h"

static bool ignored_by_default(int sig)
{
	return sig == SYS_SIGCHLD || sig == SYS_SIGCONT || sig == SYS_SIGWINCH || sig == 23;
}

static bool stops(int sig)
{
	return sig >= SYS_SIGSTOP && sig <= SYS_SIGTTOU;
}

/* Its parent may wait for that. */
static void tell_parent(struct proc *p)
{
	p->stop_told = false;
	if (p->parent)
		waitq_wake(&p->parent->child_ended);
}

static void go_on(struct proc *p)
{
	if (p->stopped)
		tell_parent(p);
	p->stopped = false;
	if (p->state == PROC_STOPPED) {
		p->sb->nactive++;
		sched_ready(p);
	}
}

void signal_send(struct proc *p, int sig)
{
	uint64_t bit = sig_bit(sig & 63);

	if (p->state == PROC_ZOMBIE || p->ending || p->killed)
		return;
	if (sig == SYS_SIGKILL) {
		proc_kill(p, sig);
		return;
	}
	if (sig == SYS_SIGCONT)
		go_on(p);
	if (sig != SYS_SIGSTOP) {
		if (p->sig_ignored & bit)
			return;
		if (p->sig_caught & bit) {
			p->sig_pending |= bit;
			if (p->state == PROC_BLOCKED && p->interruptible)
				proc_wake(p, WHY_SIGNAL);
			return;
		}
		if (ignored_by_default(sig))
			return;
	}
	if (!stops(sig)) {
		proc_kill(p, sig);
		return;
	}
	if (!p->stopped)
		tell_parent(p);
	p->stopped = true;
	p->stop_signal = sig;
	cage_maker_stopped(p);
}
