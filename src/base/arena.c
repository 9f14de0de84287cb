/* arena.c - bump allocation from chunks that somebody else supplies and takes back.
 *
 * Chunks form a list, newest first; `at`..`end` is the free tail of the newest one that
 * small blocks share (or of the block given to arena_init_with). The first chunk is small,
 * because most procs need little and many only wait; later ones double, and an arena that has
 * become large takes a huge page at a time. A request larger
 * than a quarter of the next chunk gets a chunk of its own, and the tail stays in use. With
 * NACRE_DEBUG_ARENA every allocation is a chunk of its own, so that AddressSanitizer sees
 * each bound and each use after reset. */
#include "arena.h"

#define ARENA_CHUNK_MAX  (256u * 1024u)
#define ARENA_LARGE      (8u << 20)          /* an arena that has so much takes huge pages: of a limit, no more than a fifth is out of reach */
#define ARENA_CHUNK_HUGE ((2u << 20) - 128u) /* and so much of one leaves room for the source's book-keeping */

#define CHUNK_HEAD ((sizeof(struct arena_chunk) + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1))

static char *chunk_data(struct arena_chunk *c)
{
	return (char *)c + CHUNK_HEAD;
}

void arena_init(struct arena *a, struct arena_source *source)
{
	*a = (struct arena){.source = source, .next_size = ARENA_CHUNK};
}

void arena_init_with(struct arena *a, struct arena_source *source, void *first, size_t n)
{
	arena_init(a, source);
#if !defined(NACRE_DEBUG_ARENA)
	a->at = first;
	a->end = (char *)first + n;
#else
	(void)first;
	(void)n;
#endif
}

static void put_all(struct arena *a, struct arena_chunk *c)
{
	while (c) {
		struct arena_chunk *next = c->next;

		a->source->put(a->source, c, c->size);
		c = next;
	}
}

void arena_release(struct arena *a)
{
	put_all(a, a->chunks);
	put_all(a, a->kept);
	arena_init(a, a->source);
}

void *arena_keep(struct arena *a, size_t n)
{
	size_t size = size_add(n, CHUNK_HEAD);
	struct arena_chunk *c = a->source->get(a->source, size);

	c->next = a->kept;
	c->size = size;
	a->kept = c;
	return chunk_data(c);
}

void arena_unkeep(struct arena *a, void *block)
{
	struct arena_chunk **at = &a->kept, *c;

	while ((c = *at) && chunk_data(c) != block)
		at = &c->next;
	if (!c)
		return;
	*at = c->next;
	a->source->put(a->source, c, c->size);
}

void *arena_alloc_slow(struct arena *a, size_t n)
{
	size_t head = CHUNK_HEAD;
	size_t need = size_add(n, ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	size_t size = size_add(size_add(n, ARENA_ALIGN - 1), head);
	struct arena_chunk *c;
	bool alone = true;
	char *p;

#if !defined(NACRE_DEBUG_ARENA)
	if (size != SIZE_MAX && (need <= a->next_size / 4 || (!a->chunks && size <= a->next_size))) {
		size = a->next_size;
		if (a->next_size < ARENA_CHUNK_MAX)
			a->next_size *= 2;
		else if (a->total >= ARENA_LARGE)
			a->next_size = ARENA_CHUNK_HUGE;
		alone = false;
	}
#else
	(void)need;
#endif
	c = a->source->get(a->source, size);
	c->next = a->chunks;
	c->size = size;
	a->chunks = c;
	a->total += size;
	p = chunk_data(c);
	if (!alone) {
		a->at = p + need;
		a->end = (char *)c + size;
	}
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, size_add(n, 1));

	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

void *arena_grow(struct arena *a, void *old, size_t old_n, size_t n)
{
	void *p;

#if !defined(NACRE_DEBUG_ARENA)
	size_t was = (old_n + (ARENA_ALIGN - 1)) & ~(size_t)(ARENA_ALIGN - 1);
	size_t need = size_add(n, ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);

	if (old && n <= was)
		return old;
	if (old && (char *)old + was == a->at && need - was <= (size_t)(a->end - a->at)) {
		a->at += need - was;
		return old;
	}
#endif
	p = arena_alloc(a, n);
	if (old && old_n)
		memcpy(p, old, MIN(old_n, n));
	return p;
}

struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){a->chunks, a->at, a->end};
}

void arena_reset(struct arena *a, struct arena_mark m)
{
	while (a->chunks != m.chunk) {
		struct arena_chunk *c = a->chunks;

		a->chunks = c->next;
		a->total -= c->size;
		a->source->put(a->source, c, c->size);
	}
	a->at = m.at;
	a->end = m.end;
	if (!a->chunks)
		a->next_size = ARENA_CHUNK;
	else if (a->next_size == ARENA_CHUNK_HUGE && a->total < ARENA_LARGE)
		a->next_size = ARENA_CHUNK_MAX;
}
