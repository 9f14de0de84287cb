/* stack.c - the fibers' stacks: mapped in slabs, guarded below, kept warm in pools.
 *
 * A slab of a class starts small and doubles up to 16 MiB, so that a short-lived runtime does
 * not pay for thousands of guards. Idle stacks beyond warm_max give their pages back; what was
 * used below the first 32 KiB goes back at once, because it is rarely needed again. Where many
 * procs sleep, stacks_trim gives back what lies below their frames. */
#include "stack.h"

#if HAVE_ASAN
#include <sanitizer/asan_interface.h>
#endif
#if HAVE_VALGRIND
#include <valgrind/memcheck.h>
#include <valgrind/valgrind.h>
#endif

#define SLAB_MAX   ((size_t)16 << 20)
#define SLAB_FIRST ((size_t)1 << 20)
#define KEEP_DEPTH 32768u

struct stack_slab {
	struct stack_slab *next;
	char *at;
	size_t size;
	size_t n;
	struct stack v[];
};

static unsigned class_of(size_t size)
{
	unsigned c = 0;

	while (c + 1 < STACK_CLASSES && (STACK_MIN << c) < size)
		c++;
	return c;
}

static bool slab_new(struct stacks *s, unsigned cls)
{
	size_t size = STACK_MIN << cls;
	size_t n = s->next_slab[cls];
	size_t head = sizeof(struct stack_slab) + n * sizeof(struct stack);
	struct stack_slab *slab = kalloc(s->quota, head);

	if (!slab)
		return false;
	slab->size = n * size;
	slab->n = n;
	slab->at = s->port->map(s->port, slab->size, s->port->page_size, PORT_PAGES_SMALL);
	if (!slab->at)
		goto no_map;
	if (s->port->guard(s->port, slab->at, size, n) < 0)
		goto no_guard;
	slab->next = s->slabs;
	s->slabs = slab;
	for (size_t i = n; i-- > 0;) {
		struct stack *k = &slab->v[i];

		*k = (struct stack){.next = s->cold[cls],
		                    .base = slab->at + i * size,
		                    .size = (uint32_t)size,
		                    .cls = cls,
		                    .clean = true};
#if HAVE_VALGRIND
		k->checker_id = VALGRIND_STACK_REGISTER(k->base, k->base + size - 1);
#endif
		s->cold[cls] = k;
	}
	s->nidle += (uint32_t)n;
	if (slab->size * 2 <= SLAB_MAX)
		s->next_slab[cls] *= 2;
	return true;

no_guard:
	s->port->unmap(s->port, slab->at, slab->size);
no_map:
	kfree(s->quota, slab, head);
	return false;
}

void stacks_init(struct stacks *s, struct port *port, struct quota *quota, uint32_t warm_max)
{
	memset(s, 0, sizeof(*s));
	s->port = port;
	s->quota = quota;
	s->warm_max = warm_max;
	for (unsigned c = 0; c < STACK_CLASSES; c++)
		s->next_slab[c] = MAX(SLAB_FIRST / (STACK_MIN << c), (size_t)1);
}

void stacks_release(struct stacks *s)
{
	while (s->slabs) {
		struct stack_slab *slab = s->slabs;

		s->slabs = slab->next;
		for (size_t i = 0; i < slab->n; i++) {
#if HAVE_VALGRIND
			VALGRIND_STACK_DEREGISTER(slab->v[i].checker_id);
#endif
		}
		s->port->unmap(s->port, slab->at, slab->size);
		kfree(s->quota, slab, sizeof(*slab) + slab->n * sizeof(struct stack));
	}
}

struct stack *stack_take(struct stacks *s, size_t size)
{
	unsigned cls = class_of(MAX(size, s->port->page_size * 4));
	struct stack *k = s->warm[cls];

	if (LIKELY(k)) {
		s->warm[cls] = k->next;
		s->nwarm--;
	} else {
		if (!s->cold[cls] && !slab_new(s, cls))
			return NULL;
		k = s->cold[cls];
		s->cold[cls] = k->next;
		s->fresh++;
	}
	s->nidle--;
	s->nused++;
	k->used = 0;
	k->clean = false;
	return k;
}

void stack_give(struct stacks *s, struct stack *k)
{
	size_t page = s->port->page_size;

	s->nused--;
	s->nidle++;
	k->owner = NULL;
#if HAVE_ASAN
	/* Frames that never returned left red zones. */
	__asan_unpoison_memory_region(k->base + page, k->size - page);
#endif
#if HAVE_VALGRIND
	VALGRIND_MAKE_MEM_UNDEFINED(k->base + page, k->size - page);
#endif
	if (s->nwarm < s->warm_max) {
		if (k->used > KEEP_DEPTH)
			s->port->discard(s->port, k->base + page, k->size - KEEP_DEPTH - page);
		k->next = s->warm[k->cls];
		s->warm[k->cls] = k;
		s->nwarm++;
		return;
	}
	s->port->discard(s->port, k->base + page, k->size - page);
	k->clean = true;
	k->next = s->cold[k->cls];
	s->cold[k->cls] = k;
}

/* The whole pages between the guard and `sp`. */
static void discard_below(struct stacks *s, struct stack *k, const char *sp)
{
	size_t page = s->port->page_size;
	size_t dead = (size_t)(sp - k->base) & ~(page - 1);

	if (dead > page)
		s->port->discard(s->port, k->base + page, dead - page);
}

bool stacks_trim(struct stacks *s, char *(*depth)(const struct proc *p), unsigned max)
{
	if (!s->trim_slab) {
		s->trim_slab = s->slabs;
		s->trim_at = 0;
		s->fresh = 0;
	}
	for (; s->trim_slab; s->trim_slab = s->trim_slab->next, s->trim_at = 0)
		for (; s->trim_at < s->trim_slab->n; s->trim_at++) {
			struct stack *k = &s->trim_slab->v[s->trim_at];
			const char *sp = k->owner ? depth(k->owner) : NULL;

			if (!sp)
				continue;
			if (max-- == 0)
				return true;
			discard_below(s, k, sp);
			k->owner = NULL;
		}
	return false;
}
