/* wait.c - wait queues: where procs sleep until something changes. */
#include "wait.h"

#include "sched.h"

void waitq_add(struct waitq *q, struct waiter *w)
{
	w->q = q;
	w->next = NULL;
	w->prev = q->last;
	if (q->last)
		q->last->next = w;
	else
		q->first = w;
	q->last = w;
}

void waitq_remove(struct waiter *w)
{
	struct waitq *q = w->q;

	if (!q)
		return;
	if (w->prev)
		w->prev->next = w->next;
	else
		q->first = w->next;
	if (w->next)
		w->next->prev = w->prev;
	else
		q->last = w->prev;
	w->q = NULL;
}

void waitq_wake(struct waitq *q)
{
	while (q->first) {
		struct waiter *w = q->first;

		waitq_remove(w);
		proc_wake(w->proc, WHY_WOKEN);
	}
}
