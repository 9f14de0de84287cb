/*
 * arena.h - bump allocation from chunks that somebody else supplies and takes back.
 *
 * The one allocator of programs: a proc's memory is an arena, and so is a parsed
 * script. Allocation never returns NULL: when the source cannot give a chunk it does
 * not return (a proc dies, a host-side parse jumps to its own exit), so code above has
 * no error branch for memory.
 *
 *	arena_init(&a, &source);
 *	p = arena_alloc(&a, n);             // zeroing: arena_zalloc
 *	m = arena_mark(&a); ... arena_reset(&a, m);
 *	arena_release(&a);
 *
 * Layer     base
 * Owns      its chunks, until arena_release gives them back to the source
 * Threads   one at a time
 * Suspends  no (but a source may end the calling proc)
 * Errors    none: see above
 */
#ifndef NACRE_BASE_ARENA_H
#define NACRE_BASE_ARENA_H

#include "base.h"

#define ARENA_ALIGN 16u
#define ARENA_CHUNK 2048u	/* the first chunk, its header included; those after it double */

/* Where chunks come from. `get` returns at least `size` bytes, aligned to 16, or does
 * not return. `put` takes a chunk back, with the size that was asked for. */
struct arena_source {
	void *(*get)(struct arena_source *s, size_t size);
	void (*put)(struct arena_source *s, void *chunk, size_t size);
};

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
};

struct arena {
	char *at, *end;
	struct arena_chunk *chunks;	/* newest first; `at` may point into an older one */
	struct arena_chunk *kept;	/* those of arena_keep */
	struct arena_source *source;
	size_t next_size;		/* of the next chunk; doubles up to a ceiling */
	size_t total;			/* of the chunks in `chunks` */
};

struct arena_mark {
	struct arena_chunk *chunk;
	char *at, *end;
};

void arena_init(struct arena *a, struct arena_source *source);

/* As arena_init, with `n` bytes at `first` (16-aligned, the caller's) used before any chunk. */
void arena_init_with(struct arena *a, struct arena_source *source, void *first, size_t n);

/* Gives every chunk back. The arena is empty and usable after. */
void arena_release(struct arena *a);

void *arena_alloc_slow(struct arena *a, size_t n);

/* `n` bytes, 16-aligned, not zeroed. n == 0 gives a distinct non-NULL pointer. */
static inline void *arena_alloc(struct arena *a, size_t n)
{
	size_t need = (n + (ARENA_ALIGN - 1)) & ~(size_t)(ARENA_ALIGN - 1);

#if !defined(NACRE_DEBUG_ARENA)
	if (LIKELY((size_t)(a->end - a->at) >= need && need >= n)) {
		void *p = a->at;

		a->at += need;
		return p;
	}
#else
	(void)need;
#endif
	return arena_alloc_slow(a, n);
}

static inline void *arena_zalloc(struct arena *a, size_t n)
{
	return memset(arena_alloc(a, n), 0, n);
}

/* A NUL-terminated copy of n bytes. */
char *arena_strndup(struct arena *a, const char *s, size_t n);

/* `old` (of old_n bytes) moved to a block of n bytes; in place when it is the last
 * allocation and fits. The old block is not reused otherwise. */
void *arena_grow(struct arena *a, void *old, size_t old_n, size_t n);

/* A block that no reset takes back, only arena_release: for what is made late and stays. */
void *arena_keep(struct arena *a, size_t n);
/* Takes one of those back all the same. */
void arena_unkeep(struct arena *a, void *block);

/* Everything allocated after the mark is gone after the reset, but for what was kept. */
struct arena_mark arena_mark(const struct arena *a);
void arena_reset(struct arena *a, struct arena_mark m);

#endif
