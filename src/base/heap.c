/* heap.c - blocks freed one by one, in size classes over chunks of a source.
 *
 * Classes: multiples of 16 up to 128, then four steps per power of two up to 32 KiB.
 * Larger blocks come from the source one by one and are linked, so that heap_release
 * finds them. With NACRE_DEBUG_ARENA every block is a "big" one: AddressSanitizer then
 * sees each use after free. */
#include "heap.h"

#define HEAP_CHUNK 16384u
#define HEAP_FIRST 2048u
#define HEAP_CLASS_MAX 32768u

struct heap_big {
	struct heap_big *next, **prev;
	size_t size;
	size_t pad;
};

static unsigned class_of(size_t n)
{
	unsigned top;

	if (n <= 128)
		return n ? (unsigned)((n - 1) / 16) : 0;
	top = 63u - (unsigned)__builtin_clzll((unsigned long long)(n - 1)); /* 2^top < n <= 2^(top+1) */
	return 8 + (top - 7) * 4 + (unsigned)(((n - 1) >> (top - 2)) & 3);
}

static size_t class_size(unsigned c)
{
	unsigned top, step;

	if (c < 8)
		return (size_t)(c + 1) * 16;
	top = 7 + (c - 8) / 4;
	step = (c - 8) % 4;
	return ((size_t)1 << top) + ((size_t)(step + 1) << (top - 2));
}

static bool is_big(size_t n)
{
#if defined(NACRE_DEBUG_ARENA)
	(void)n;
	return true;
#else
	return n > HEAP_CLASS_MAX;
#endif
}

void heap_init(struct heap *h, struct arena_source *source)
{
	memset(h, 0, sizeof(*h));
	h->source = source;
}

void heap_release(struct heap *h)
{
	while (h->chunks) {
		struct arena_chunk *c = h->chunks;

		h->chunks = c->next;
		h->source->put(h->source, c, c->size);
	}
	while (h->big) {
		struct heap_big *b = h->big;

		h->big = b->next;
		h->source->put(h->source, b, b->size);
	}
	heap_init(h, h->source);
}

size_t heap_round(size_t n)
{
	return n > HEAP_CLASS_MAX ? n : class_size(class_of(n));
}

static void *alloc_big(struct heap *h, size_t n)
{
	size_t size = size_add(n, sizeof(struct heap_big));
	struct heap_big *b = h->source->get(h->source, size);

	b->size = size;
	b->next = h->big;
	b->prev = &h->big;
	if (h->big)
		h->big->prev = &b->next;
	h->big = b;
	return b + 1;
}

static void *alloc_class(struct heap *h, unsigned c)
{
	size_t size = class_size(c);
	char *p = h->free[c];

	if (p) {
		memcpy(&h->free[c], p, sizeof(void *));
		return p;
	}
	if ((size_t)(h->end - h->at) < size) {
		size_t want = MAX((size_t)HEAP_CHUNK, size + sizeof(struct arena_chunk));
		struct arena_chunk *k;

		/* The first two are small: an idle session should cost little. */
		if ((!h->chunks || !h->chunks->next) && size <= HEAP_FIRST - sizeof(struct arena_chunk))
			want = HEAP_FIRST;
		k = h->source->get(h->source, want);
		k->next = h->chunks;
		k->size = want;
		h->chunks = k;
		h->at = (char *)(k + 1);
		h->end = (char *)k + want;
	}
	p = h->at;
	h->at += size;
	return p;
}

void *heap_alloc(struct heap *h, size_t n)
{
	void *p = is_big(n) ? alloc_big(h, n) : alloc_class(h, class_of(n));

	h->live += n;
	h->live_count++;
	return p;
}

void *heap_zalloc(struct heap *h, size_t n)
{
	return memset(heap_alloc(h, n), 0, n);
}

void heap_free(struct heap *h, void *p, size_t n)
{
	if (!p)
		return;
	h->live -= n;
	h->live_count--;
	if (is_big(n)) {
		struct heap_big *b = (struct heap_big *)p - 1;

		*b->prev = b->next;
		if (b->next)
			b->next->prev = b->prev;
		h->source->put(h->source, b, b->size);
		return;
	}
	memcpy(p, &h->free[class_of(n)], sizeof(void *));
	h->free[class_of(n)] = p;
}

void *heap_realloc(struct heap *h, void *p, size_t old_n, size_t n)
{
	void *q;

	if (!p)
		return heap_alloc(h, n);
	if (!is_big(old_n) && !is_big(n) && class_of(old_n) == class_of(n)) {
		h->live += n - old_n;
		return p;
	}
	q = heap_alloc(h, n);
	memcpy(q, p, MIN(old_n, n));
	heap_free(h, p, old_n);
	return q;
}
