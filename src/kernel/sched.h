/*
 * sched.h - who runs: the run queue, sleeping and waking, turns. Internal.
 *
 * A proc gives way in three places: proc_wait_on (the only sleeping function), proc_pause
 * (its turn is over) and its end. It then switches straight to the next ready proc, or to
 * the host's context when there is none or the host has something to do.
 *
 * Layer     kernel
 * Threads   the runtime's own
 * Suspends  proc_wait_on, proc_pause
 */
#ifndef NACRE_KERNEL_SCHED_H
#define NACRE_KERNEL_SCHED_H

#include "proc.h"

/* At the end of the run queue. */
void sched_ready(struct proc *p);

/* Makes a sleeping proc come back from proc_wait_on; else does nothing. */
void proc_wake(struct proc *p, enum proc_why why);

/* Sleeps until q is woken (NULL: nothing wakes it), or the sandbox's clock passes `until`
 * (< 0: no limit). 0 when woken, -NACRE_ETIMEDOUT, -NACRE_EINTR when a caught signal is pending and
 * `interruptible`, -NACRE_EKILLED: unwind. */
MUST_USE int proc_wait_on(struct proc *p, struct waitq *q, int64_t until, bool interruptible) MAY_SUSPEND;
/* The same with any number of queued waiters of p: those still queued are the caller's to remove. */
MUST_USE int proc_wait(struct proc *p, int64_t until, bool interruptible) MAY_SUSPEND;

/* The slow side of a checkpoint: gives others their turn and looks after limits. -NACRE_EKILLED. */
MUST_USE int proc_pause(struct proc *p) MAY_SUSPEND;

/* Lets everybody else run once. */
MUST_USE int proc_yield(struct proc *p) MAY_SUSPEND;

/* On the host's context: lets killed procs of `run` unwind and buries them, until it is over. */
void sched_drain(struct runtime *rt, struct run *run);

/* Ticks up to now. */
void proc_account(struct proc *p);

/* Switches to the host, which reaps or restarts p. */
NORETURN void leave_for_good(struct proc *p);

/* ---- The edge of the kernel --------------------------------------------------------- */

#define SYSCALL_FUEL 8	/* checkpoints that a system call stands for */

bool proc_enter_alive(struct proc *p); /* false: it is killed, and what it brought must be given back */
void proc_enter_slow(struct proc *p);
void proc_leave_slow(struct proc *p);

/* First thing in every system call; a killed proc does not come back. */
static inline void proc_enter(struct proc *p)
{
	if (UNLIKELY((p->u.fuel -= SYSCALL_FUEL) < 0))
		proc_enter_slow(p);
}

/* A call moved that many bytes: 3 GB/s, about what commands do with them on the way. What is due is looked at by the next
 * checkpoint or call. */
static inline void proc_moved(struct proc *p, int64_t n)
{
	if (n > 0)
		p->u.fuel -= (int32_t)(MIN(n, (int64_t)1 << 30) / 32);
}

/* Last thing in a call that may have slept or may have killed or stopped its caller. */
static inline int64_t proc_leave(struct proc *p, int64_t r)
{
	if (UNLIKELY(p->killed || p->stopped))
		proc_leave_slow(p);
	return r;
}

#endif
