/*
 * guest.h - guests: third-party engines (jq, JavaScript, Python) that run in a cage.
 *
 * A guest is WebAssembly, translated to C and compiled when nacre is built (guests/). Its code
 * can reach its own memory and the functions it imports, which are those of wasi.c and its
 * own few; all end in sys_*, so files, policy and budgets are as for every command. The first
 * use initialises it and freezes the result; every run starts from a copy of that.
 *
 *	int main(p, argc, argv) { return guest_run(p, &guest_code_jq, false, argc, argv); }
 *
 * Nothing a guest does needs to be undone: a proc that is killed inside one leaves its cage
 * as any proc leaves its memory. The code counts down `fuel` in every loop and checks the
 * stack in every function that calls, so it can be stopped, and lets others run, anywhere.
 *
 * Layer     guest; user, abi, base
 * Suspends  guest_run, and what guests call
 */
#ifndef NACRE_GUEST_GUEST_H
#define NACRE_GUEST_GUEST_H

#include "../base/base.h"
#include "code.h"

/* Runs it from its frozen start; the exit status. Cold: from one that its guest_init has not prepared. */
int guest_run(struct proc *p, const struct guest_code *code, bool cold, int argc, char **argv);
/* Initialises it and writes what it then is to standard output, as a struct guest_image. The exit status. */
int guest_freeze(struct proc *p, const struct guest_code *code);
/* The main of a command that is a guest: 127, with a message, when `code` is NULL, which it is when
 * the guest was not built into this nacre. */
struct cmd_args;
int guest_command(struct proc *p, const struct cmd_args *a, const struct guest_code *code, bool cold);

/* ---- For the functions it imports ------------------------------------------------------ */

/* n bytes at the guest's address `at`, or NULL when they are not all there. */
static inline void *guest_at(const struct guest *g, uint32_t at, uint64_t n)
{
	return n <= g->size && at <= g->size - n ? g->memory + at : NULL;
}

/* ---- Those there are: weak, so that one that was not built is NULL --------------------------- */

extern const struct guest_code guest_code_jq __attribute__((weak));
extern const struct guest_code guest_code_js __attribute__((weak));
extern const struct guest_code guest_code_python __attribute__((weak));
extern const struct guest_code guest_code_sqlite3 __attribute__((weak));

/* What the build has made of them with guest_freeze; a guest without one initialises itself at its first use. */
extern const struct guest_image guest_image_jq __attribute__((weak));
extern const struct guest_image guest_image_js __attribute__((weak));
extern const struct guest_image guest_image_python __attribute__((weak));
extern const struct guest_image guest_image_sqlite3 __attribute__((weak));
const struct guest_image *guest_image_of(const struct guest_code *code); /* NULL: none */

#endif
