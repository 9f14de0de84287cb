/*
 * heap.h - blocks that are freed one by one, in size classes over chunks of a source.
 *
 * For what outlives one proc or changes size for long: the shell's variables, functions
 * and parsed scripts, shared by reference between a shell and its subshells. The caller
 * remembers sizes (every free names the size it asked for), so a block has no header.
 *
 *	heap_init(&h, &source);
 *	p = heap_alloc(&h, n); ... heap_free(&h, p, n);
 *	heap_release(&h);
 *
 * Layer     base
 * Owns      its chunks; heap_release gives all back, whatever is still allocated
 * Threads   one at a time
 * Errors    none: the source's `get` does not return when it cannot give (see arena.h).
 *           A caller that changes shared structures must therefore build first and
 *           publish last: an allocation may be the last thing its proc ever does.
 */
#ifndef NACRE_BASE_HEAP_H
#define NACRE_BASE_HEAP_H

#include "arena.h"

#define HEAP_CLASSES 40

struct heap {
	struct arena_source *source;
	void *free[HEAP_CLASSES];	/* one list of free blocks a class */
	char *at, *end;			/* unused tail of the newest chunk */
	struct arena_chunk *chunks;
	struct heap_big *big;		/* blocks too large for a class, each from the source */
	size_t live;			/* bytes asked for and not freed: what a leak test looks at */
	size_t live_count;
};

void heap_init(struct heap *h, struct arena_source *source);
void heap_release(struct heap *h);

/* n bytes, 16-aligned, not zeroed. */
void *heap_alloc(struct heap *h, size_t n);
void *heap_zalloc(struct heap *h, size_t n);

/* Takes back a block of the size it was asked with. NULL is ignored. */
void heap_free(struct heap *h, void *p, size_t n);

/* A block of n bytes with the old content; the old block is gone. In place when both
 * sizes are of one class. */
void *heap_realloc(struct heap *h, void *p, size_t old_n, size_t n);

/* The size up to which a block of n bytes may be used without moving: pass it, not n,
 * to heap_alloc to use slack deliberately. */
size_t heap_round(size_t n);

#endif
