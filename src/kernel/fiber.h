/*
 * fiber.h - a context that can be switched to: a proc's, or the host's while it steps.
 *
 * Wraps the port's switch with what memory checkers must be told. The host's context is
 * learnt anew at every step: another thread, or another depth of the host's stack, may do it.
 *
 *	fiber_init(&p->fiber, stack, entry, p);
 *	fiber_switch(&host, &p->fiber);		// until somebody switches to `host`
 *	fiber_end(&p->fiber, &host);		// from inside: never comes back
 *
 * Layer     kernel; port/fiber.h
 * Threads   the one that steps
 */
#ifndef NACRE_KERNEL_FIBER_H
#define NACRE_KERNEL_FIBER_H

#include "../port/fiber.h"
#include "check.h"
#include "stack.h"

struct fiber {
	void *sp;
	const void *bottom;	/* for checkers: the stack's lowest byte and size */
	size_t size;
	bool is_host;
	void *fake;		/* AddressSanitizer's other stack, while switched out */
	void *thread;		/* ThreadSanitizer's idea of it */
};

void fiber_init_host(struct fiber *f);
void fiber_init(struct fiber *f, struct stack *k, void *top, void (*entry)(void *arg), void *arg);
/* Before it is started again or its memory goes: gives back what checkers keep for it. Not
 * from inside, and not while it holds frames of the kernel. */
void fiber_release(struct fiber *f);

/* To be called first thing in `entry`, with the fiber that switched here. */
void fiber_entered(struct fiber *from);

/* What the runtime's switching needs to remember: who left last. */
void fiber_switch(struct fiber *from, struct fiber *to, struct fiber **left);
NORETURN void fiber_end(struct fiber *from, struct fiber *to, struct fiber **left);

#endif
