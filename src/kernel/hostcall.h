/*
 * hostcall.h - a proc asks the host for something and sleeps until it is done.
 *
 * For programs made of the host's code: the host's function runs on the host's stack, inside
 * a step, and completes the call then or later, from any thread. The fiber is never under
 * the host's frames, so a killed proc leaves nothing of the host's half-done.
 *
 *	r = hostcall(p, start, aborted, arg);	// in the program's main, on its fiber
 *	... start(c, arg) on the host's stack ... hostcall_complete(c, result);
 *
 * Layer     kernel: public part; also for programs that api, net and guest make
 * Owns      the call, until it has been completed (also when its proc is gone)
 * Threads   hostcall_complete from ANY_THREAD
 * Suspends  hostcall
 */
#ifndef NACRE_KERNEL_HOSTCALL_H
#define NACRE_KERNEL_HOSTCALL_H

#include "kernel.h"

struct hostcall;

/* Calls start(c, arg) on the host's stack and sleeps until hostcall_complete(c): its result. When the
 * proc dies first, aborted(c, arg) is called there (if not NULL) and the result will be ignored; the
 * call must be completed all the same. When it dies before start was called, neither is called, but
 * `dropped`, if not NULL, on the fiber: it may only free arg. -NACRE_ENOMEM. A killed proc does not come back. */
MUST_USE int64_t hostcall(struct proc *p, void (*start)(struct hostcall *c, void *arg),
			  void (*aborted)(struct hostcall *c, void *arg), void (*dropped)(void *arg),
			  void *arg) MAY_SUSPEND;

/* The same inside a system call of the running proc, for filesystems that the host provides: a killed proc does come
 * back, with -NACRE_EKILLED, which is to be returned at once. */
MUST_USE int64_t hostcall_inside(struct proc *p, void (*start)(struct hostcall *c, void *arg),
				 void (*aborted)(struct hostcall *c, void *arg), void (*dropped)(void *arg),
				 void *arg) MAY_SUSPEND;

/* Calls fn(arg) on the host's stack, soon; for things that end without waiting. Made beforehand, as making one may
 * fail (NULL: no memory). */
MUST_USE struct hostcall *hostcall_reserve(struct runtime *rt);
void hostcall_post(struct hostcall *c, void (*fn)(void *arg), void *arg);
void hostcall_unreserve(struct hostcall *c);
/* Makes the calls that were posted. */
void hostcall_flush(struct runtime *rt);

/* ANY_THREAD, exactly once for each start. c is gone after. */
void hostcall_complete(struct hostcall *c, int64_t result);

/* The run that the call belongs to; NULL once its proc is gone. The runtime's own thread. */
struct run *hostcall_run(const struct hostcall *c);

#endif
