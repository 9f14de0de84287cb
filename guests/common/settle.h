/* Before the freeze: what a run allocates is to lie together, at the heap's end. Pages that a run writes to are its instance's own, all
 * others are shared; so the free pieces among what is frozen are taken, for good. */
#ifndef GUEST_SETTLE_H
#define GUEST_SETTLE_H

#include <stdlib.h>

/* From here on the heap is untouched. NULL without memory. */
static inline char *settle_end(void)
{
	char *end = malloc(1u << 20); /* more than any free piece */

	free(end);
	return end;
}

static inline void settle_heap(void)
{
	char *end = settle_end();

	for (size_t n = 1u << 16; end && n >= 8; n = n > 1024 ? n / 2 : n - 8) {
		char *p = malloc(n);

		while (p && p < end)
			p = malloc(n);
		free(p);
	}
}

#endif
