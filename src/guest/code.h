/*
 * code.h - what compiled guests (guests/translate.py) and the runtime that runs them agree on.
 *
 * Included by the guests' generated C: plain declarations, nothing else of nacre. A change here
 * rebuilds every guest.
 *
 * Layer     guest
 */
#ifndef NACRE_GUEST_CODE_H
#define NACRE_GUEST_CODE_H

#include <stddef.h>
#include <stdint.h>

struct proc;
struct guest_dir;
struct rom;

/* Where things lie in the head of the cage (sys_cage): struct guest, the instance (the
 * translated module's variables), then nothing. */
#define GUEST_INSTANCE 512u
#define GUEST_USED     4096u
#define GUEST_HEAD     (1u << 20) /* SYS_CAGE_HEAD */

struct guest;

/* A compiled guest: what guests/translate.py makes at its end. Functions take the instance. */
struct guest_code {
	const char *name;
	void (*instantiate)(void *instance, struct guest *g);
	/* What of an instance points somewhere, made again, or taken away so that nothing of it does. */
	void (*bind)(void *instance, struct guest *g);
	void (*unbind)(void *instance);
	void (*initialize)(void *instance); /* constructors of its C library */
	uint32_t (*init)(void *instance);   /* all that need not be repeated; 0 or an error */
	uint32_t (*alloc)(void *instance, uint32_t n);
	void (*signal)(void *instance); /* signals wait: it may ask for them, wherever it is. NULL: it asks by itself */
	/* argc, argv, environment, working directory; addresses in the guest. */
	uint32_t (*main)(void *instance, uint32_t argc, uint32_t argv, uint32_t env, uint32_t cwd);
	const struct rom *rom; /* the files it brings along (base/rom.h), NULL: none */
	const char *rom_at;    /* where they are to be seen */
	int slow;	       /* its init takes longer than a start without: the first run is one */
};

/* What a guest is after its init, made when nacre is built (guests/freeze.c), so that no run has to wait for it. */
struct guest_image {
	uint64_t size;	/* of its memory */
	uint64_t zeros; /* it begins with so many; the rest of it is below */
	char instance[GUEST_USED - GUEST_INSTANCE];
	char bytes[];
};

struct guest {
	int32_t fuel;	 /* counted down by the code; below 0 it calls guest_pause */
	char *stack_low; /* below this the code calls guest_stack */
	struct proc *p;
	const struct guest_code *code;
	char *memory;	/* its address 0 */
	uint64_t size;	/* bytes there are */
	int booting;	/* not frozen yet: nothing of the sandbox may get into it */
	struct guest_dir *dirs;	/* directories it has open: wasi_path.c */
};

/* ---- Called by the code ------------------------------------------------------------- */

enum guest_trap {
	GUEST_OUT_OF_BOUNDS,
	GUEST_OVERFLOW,
	GUEST_DIVISION,
	GUEST_CONVERSION,
	GUEST_UNREACHABLE,
	GUEST_BAD_CALL,
	GUEST_STACK,
};

__attribute__((cold)) void guest_pause(struct guest *g);
__attribute__((cold)) void guest_stack(struct guest *g);
__attribute__((cold, noreturn)) void guest_trap(struct guest *g, enum guest_trap why);
/* The size it had, in pages of 64 KiB, or UINT32_MAX. */
uint32_t guest_grow(struct guest *g, uint32_t pages);

#endif
