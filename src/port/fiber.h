/*
 * fiber.h - switching stacks: the machine's part of a fiber.
 *
 * A switched-out context is one saved stack pointer; the callee-saved registers lie on the
 * stack below it. Only those are saved: to the compiler a switch is a call like any other.
 * The floating-point control words are set once a step (fp_enter), not per switch.
 *
 *	sp = context_make(top, entry, arg);	// entry(arg) must never return
 *	context_switch(&mine, sp);		// comes back when somebody switches to `mine`
 *
 * Layer     port; one implementation per processor (fiber_x86_64.c, fiber_aarch64.c)
 * Threads   a context may be resumed by another thread than the one that left it
 */
#ifndef NACRE_PORT_FIBER_H
#define NACRE_PORT_FIBER_H

#include "../base/base.h"

/* Saves the present context in *save and resumes the one whose stack pointer is `to`. */
void context_switch(void **save, void *to);

/* Builds a first frame below `top` (aligned down to 16); the stack pointer to switch to. */
void *context_make(void *top, void (*entry)(void *arg), void *arg);

/* Sets rounding, precision and exception masks to the C default, remembering the host's. */
struct fp_state {
	uint64_t word;
};
void fp_enter(struct fp_state *host);
void fp_leave(const struct fp_state *host);

#endif
