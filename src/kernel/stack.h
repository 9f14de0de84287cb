/*
 * stack.h - the fibers' stacks: mapped in slabs, guarded below, kept warm in pools.
 *
 * Stacks come in powers of two from 64 KiB. Only the pages that were used cost memory, so a
 * large one is free until somebody recurses deeply. The last STACK_ARENA bytes of the region,
 * above the stack's first frame, belong to the proc's arena: a proc that does little lives in
 * one page.
 *
 * Layer     kernel; port.h, base
 * Owns      the slabs, until stacks_release
 * Threads   the runtime's own
 * Errors    NULL without memory or mappings
 */
#ifndef NACRE_KERNEL_STACK_H
#define NACRE_KERNEL_STACK_H

#include "../base/quota.h"
#include "../port/port.h"
#include "check.h"

#define STACK_MIN ((size_t)65536)
#define STACK_MAX ((size_t)16 << 20)
#define STACK_CLASSES 9
#define STACK_TRIM 256u

struct stack {
	struct stack *next;	/* while idle */
	char *base;		/* lowest byte; the guard page is here */
	uint32_t size;
	uint32_t cls;
	uint32_t used;		/* depth from the top that may hold pages */
	bool clean;		/* its pages have gone back to the host */
	struct proc *owner;	/* whose stacks_trim asks about; NULL: idle, or trimmed before */
	unsigned checker_id;	/* valgrind's number of it */
};

struct stack_slab;
struct proc;

struct stacks {
	struct port *port;
	struct quota *quota;		/* for the descriptions of slabs */
	struct stack *warm[STACK_CLASSES], *cold[STACK_CLASSES];
	struct stack_slab *slabs;
	size_t next_slab[STACK_CLASSES];	/* stacks of the next slab of the class */
	uint32_t nwarm, warm_max;
	uint32_t nused, nidle;
	uint32_t fresh;			/* taken without being warm since the last trimming began */
	struct stack_slab *trim_slab;	/* where the present trimming is; NULL: none is */
	size_t trim_at;
};

void stacks_init(struct stacks *s, struct port *port, struct quota *quota, uint32_t warm_max);
void stacks_release(struct stacks *s);

/* A stack of at least `size` bytes (rounded up to a power of two). */
struct stack *stack_take(struct stacks *s, size_t size);
/* `k->used` says how deep it was used. */
void stack_give(struct stacks *s, struct stack *k);

/* True when so many stacks have been made dirty that trimming is worth a look at all of them. */
static inline bool stacks_want_trim(const struct stacks *s)
{
	return s->trim_slab || s->fresh > STACK_TRIM + s->nused / 8;
}
/* Gives the pages below where a proc sleeps back: they hold dead frames. Once a proc, because the
 * next sleep is hardly ever from elsewhere. `depth` says where, or NULL while the proc does not
 * sleep. At most `max` stacks a call; true when there are more. */
bool stacks_trim(struct stacks *s, char *(*depth)(const struct proc *p), unsigned max);

/* What lies above the first frame: room for a command, for a shell. */
#define STACK_ARENA 1536u
#define STACK_ARENA_SHELL 3712u

static inline char *stack_top(const struct stack *k, size_t arena)
{
	return k->base + k->size - arena;
}

#endif
