/*
 * timer.h - what is to happen at a time: a heap ordered by time, then by order of arming.
 *
 * The order is exact, which replaying a run needs. Room is reserved beforehand, so arming
 * cannot fail.
 *
 *	timers_reserve(&h, 1);  ... timer_arm(&h, &t, when); ... timer_disarm(&t);
 *	while ((t = timers_due(&h, now))) t->fire(t);	// due timers come disarmed
 *
 * Layer     kernel; base
 * Owns      the heap's array; timers are their owners'
 * Threads   the runtime's own
 */
#ifndef NACRE_KERNEL_TIMER_H
#define NACRE_KERNEL_TIMER_H

#include "../base/quota.h"

struct timers;

struct timer {
	int64_t when;		/* nanoseconds of the heap's clock */
	uint64_t seq;
	struct timers *heap;	/* NULL while not armed */
	uint32_t index;
	void (*fire)(struct timer *t);
};

struct timers {
	struct quota *quota;
	struct timer **v;
	uint32_t n, cap, reserved;
	uint64_t seq;
};

void timers_init(struct timers *h, struct quota *quota);
void timers_release(struct timers *h);
/* Room for n more timers at once (n may be negative: not needed any more). */
MUST_USE bool timers_reserve(struct timers *h, int n);

void timer_arm(struct timers *h, struct timer *t, int64_t when);
void timer_disarm(struct timer *t); /* also when not armed */

/* The earliest timer with when <= now, disarmed; NULL when there is none. */
struct timer *timers_due(struct timers *h, int64_t now);
/* INT64_MAX when empty. */
int64_t timers_next(const struct timers *h);

#endif
