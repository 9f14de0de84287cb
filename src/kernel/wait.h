/*
 * wait.h - wait queues: where procs sleep until something changes.
 *
 *	while (!(condition))
 *		if ((r = proc_wait_on(p, &q, -1, true)) < 0)	// sched.h
 *			goto out;
 *	...  elsewhere: change it, then  waitq_wake(&q);
 *
 * A woken proc looks at its condition again; being woken for nothing is normal.
 *
 * Layer     kernel
 * Owns      nothing: waiters lie in their procs or in a kernel frame
 * Threads   the runtime's own
 */
#ifndef NACRE_KERNEL_WAIT_H
#define NACRE_KERNEL_WAIT_H

#include "../base/base.h"

struct proc;
struct waitq;

struct waiter {
	struct waiter *next, *prev;
	struct waitq *q;	/* NULL while not queued */
	struct proc *proc;
};

struct waitq {
	struct waiter *first, *last;	/* in order of arrival */
};

void waitq_add(struct waitq *q, struct waiter *w);
void waitq_remove(struct waiter *w); /* also when not queued */
/* Wakes all; they leave the queue. */
void waitq_wake(struct waitq *q);

static inline bool waitq_empty(const struct waitq *q)
{
	return !q->first;
}

#endif
