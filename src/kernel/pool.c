/* pool.c - the runtime's memory: size classes over page runs from the port.
 *
 * Three sizes of things. *Chunks* of 1 MiB, aligned to their size, are cut into blocks of one
 * page class (4 KiB to 256 KiB); the first block's place holds the chunk's head with a stack
 * of free block numbers, so a block's chunk is found by masking its address and free blocks
 * hold no pointers: their pages may be given back. *Slabs* are 16 KiB blocks cut into small
 * blocks (up to 2 KiB) on an intrusive list. Anything larger than 256 KiB is mapped by itself;
 * a few freed ones are kept.
 *
 * Pages of free blocks are kept up to DIRTY_MAX bytes and given back beyond; a chunk whose
 * blocks are all free loses its class and can serve any other. Where the port has `alloc`
 * (memory checkers) every block is the port's own. */
#include "pool.h"

#define CHUNK          ((size_t)1 << 20)
#define SLAB           ((size_t)16384)
#define SMALL_MAX      2048u
#define PAGE_CLASS_MAX (256u * 1024u)
#define DIRTY_MAX      ((uint64_t)8 << 20)
#define SPARE_MAX      ((uint64_t)4 << 20)
#define KEPT_MAX       ((size_t)4 << 20)
#define REGION_MAX     ((size_t)8 << 20)

struct pool_region {
	struct pool_region *next;
	void *at;
	size_t size;
};

struct pool_chunk {
	struct pool_chunk *next, **prev; /* in the list it is on */
	uint32_t size;                   /* of a block */
	uint16_t cls, cap;               /* blocks it can hold */
	uint16_t fresh;                  /* blocks never handed out begin here */
	uint16_t nfree, live;
	bool listed;
	bool same;                 /* it had this class before */
	uint32_t carried;          /* bytes of pages touched before it got its class */
	uint8_t free[256];         /* numbers of free blocks, last in first out */
	bool touched[256];         /* holds pages */
	struct pool_region region; /* used in the first chunk of a region */
};

struct pool_slab {
	struct pool_slab *next, **prev;
	void *free;
	uint32_t size;
	uint16_t cls, live;
	uint32_t fresh; /* offset of the first byte never handed out */
	bool listed;
};

struct pool_large {
	struct pool_large *next, **prev;
	size_t size;
	char pad[40]; /* keeps blocks aligned to a cache line */
};

static const uint32_t page_class[POOL_PAGE_CLASSES] = {
        4096,  8192,  12288, 16384, 20480,  24576,  28672,  32768,  40960,  49152,
        57344, 65536, 81920, 98304, 114688, 131072, 163840, 196608, 229376, 262144,
};

static unsigned small_class_of(size_t n)
{
	unsigned top;

	if (n <= 128)
		return n ? (unsigned)((n - 1) / 16) : 0;
	top = 63u - (unsigned)__builtin_clzll((unsigned long long)(n - 1));
	return 8 + (top - 7) * 4 + (unsigned)(((n - 1) >> (top - 2)) & 3);
}

static uint32_t small_size(unsigned c)
{
	return c < 8 ? (c + 1) * 16
	             : (128u << ((c - 8) / 4)) + (((c - 8) % 4 + 1) << ((c - 8) / 4 + 5));
}

static unsigned page_class_of(size_t n)
{
	unsigned pages = (unsigned)((n + 4095) / 4096);
	unsigned top;

	if (pages <= 8)
		return pages ? pages - 1 : 0;
	top = 31u - (unsigned)__builtin_clz(pages - 1);
	return 8 + (top - 3) * 4 + (((pages - 1) >> (top - 2)) & 3);
}

/* ---- Chunks ------------------------------------------------------------------------- */

static void chunk_push(struct pool_chunk **list, struct pool_chunk *c)
{
	c->next = *list;
	c->prev = list;
	if (c->next)
		c->next->prev = &c->next;
	*list = c;
	c->listed = true;
}

static void chunk_drop(struct pool_chunk *c)
{
	*c->prev = c->next;
	if (c->next)
		c->next->prev = c->prev;
	c->listed = false;
}

/* Maps a region of chunks; the first ones are small so that a short life costs little. */
static bool region_new(struct pool *pool)
{
	size_t size = pool->next_region;
	char *at = pool->port->map(pool->port, size, CHUNK, size >= REGION_MAX ? PORT_PAGES_ANY : PORT_PAGES_SMALL);
	struct pool_chunk *c = (struct pool_chunk *)(void *)at;

	if (!at)
		return false;
	pool->mapped += size;
	if (pool->next_region < REGION_MAX)
		pool->next_region *= 2;
	c->region = (struct pool_region){pool->regions, at, size};
	pool->regions = &c->region;
	for (size_t off = size; off > 0; off -= CHUNK)
		chunk_push(&pool->untouched, (struct pool_chunk *)(void *)(at + off - CHUNK));
	return true;
}

static struct pool_chunk *chunk_new(struct pool *pool, unsigned cls)
{
	struct pool_chunk *c = pool->spare;

	/* One that had this class before has its pages in the right places. */
	while (c && c->cls != cls)
		c = c->next;
	if (!c)
		c = pool->spare;
	if (!c && !pool->untouched && !region_new(pool))
		return NULL;
	if (c) {
		pool->spare_dirty -= c->carried;
	} else {
		c = pool->untouched;
		c->carried = 0;
	}
	chunk_drop(c);
	c->same = c->carried && c->cls == cls;
	c->size = page_class[cls];
	c->cls = (uint16_t)cls;
	c->cap = (uint16_t)(CHUNK / c->size - 1);
	c->fresh = 0;
	c->nfree = c->live = 0;
	memset(c->touched, 0, sizeof(c->touched));
	chunk_push(&pool->partial[cls], c);
	return c;
}

/* Every block is free: any class may have the chunk now. */
static void chunk_retire(struct pool *pool, struct pool_chunk *c)
{
	uint64_t touched = 0;

	for (unsigned i = 0; i < c->nfree; i++)
		if (c->touched[c->free[i]]) {
			pool->dirty -= c->size;
			touched += c->size;
		}
	/* The same class touches the same pages again. */
	touched = c->same ? MAX(touched, (uint64_t)c->carried) : touched + c->carried;
	c->carried = (uint32_t)MIN(touched, (uint64_t)CHUNK);
	if (c->listed)
		chunk_drop(c);
	if (pool->spare_dirty + c->carried <= SPARE_MAX) {
		chunk_push(&pool->spare, c);
		pool->spare_dirty += c->carried;
		return;
	}
	pool->port->discard(pool->port, (char *)c + 4096, CHUNK - 4096);
	chunk_push(&pool->untouched, c);
}

static void *page_get(struct pool *pool, unsigned cls)
{
	struct pool_chunk *c = pool->partial[cls];
	unsigned i;

	if (UNLIKELY(!c)) {
		c = chunk_new(pool, cls);
		if (!c)
			return NULL;
	}
	if (c->nfree) {
		i = c->free[--c->nfree];
		if (c->touched[i])
			pool->dirty -= c->size;
	} else {
		i = c->fresh++;
	}
	c->touched[i] = true;
	c->live++;
	if (!c->nfree && c->fresh == c->cap)
		chunk_drop(c);
	return (char *)c + (size_t)(i + 1) * c->size;
}

static void page_put(struct pool *pool, void *p)
{
	struct pool_chunk *c = (struct pool_chunk *)((uintptr_t)p & ~(uintptr_t)(CHUNK - 1));
	unsigned i = (unsigned)((size_t)((char *)p - (char *)c) / c->size - 1);

	if (UNLIKELY(pool->dirty + c->size > DIRTY_MAX)) {
		pool->port->discard(pool->port, p, c->size);
		c->touched[i] = false;
	} else {
		pool->dirty += c->size;
	}
	c->free[c->nfree++] = (uint8_t)i;
	if (--c->live == 0)
		chunk_retire(pool, c);
	else if (!c->listed)
		chunk_push(&pool->partial[c->cls], c);
}

/* ---- Slabs -------------------------------------------------------------------------- */

static void slab_push(struct pool *pool, struct pool_slab *s)
{
	struct pool_slab **list = &pool->partial_slab[s->cls];

	s->next = *list;
	s->prev = list;
	if (s->next)
		s->next->prev = &s->next;
	*list = s;
	s->listed = true;
}

static void slab_drop(struct pool_slab *s)
{
	*s->prev = s->next;
	if (s->next)
		s->next->prev = s->prev;
	s->listed = false;
}

static void *small_get(struct pool *pool, unsigned cls)
{
	struct pool_slab *s = pool->partial_slab[cls];
	void *p;

	if (UNLIKELY(!s)) {
		s = page_get(pool, page_class_of(SLAB));
		if (!s)
			return NULL;
		*s = (struct pool_slab){.cls = (uint16_t)cls, .size = small_size(cls), .fresh = 64};
		slab_push(pool, s);
	}
	s->live++;
	p = s->free;
	if (p) {
		memcpy(&s->free, p, sizeof(void *));
	} else {
		p = (char *)s + s->fresh;
		s->fresh += s->size;
	}
	if (!s->free && s->fresh + s->size > SLAB)
		slab_drop(s);
	return p;
}

static void small_put(struct pool *pool, void *p)
{
	struct pool_slab *s = (struct pool_slab *)((uintptr_t)p & ~(uintptr_t)(SLAB - 1));

	memcpy(p, &s->free, sizeof(void *));
	s->free = p;
	if (!s->listed)
		slab_push(pool, s);
	/* The last slab of a class stays, or two procs taking turns would make and drop it. */
	if (--s->live == 0 && (s->next || pool->partial_slab[s->cls] != s)) {
		slab_drop(s);
		page_put(pool, s);
	}
}

/* ---- Large blocks ------------------------------------------------------------------- */

static size_t large_size(struct pool *pool, size_t n)
{
	size_t page = pool->port->page_size;
	size_t size = size_add(n, sizeof(struct pool_large) + page - 1);

	return size == SIZE_MAX ? SIZE_MAX : size & ~(page - 1);
}

static void large_push(struct pool_large **list, struct pool_large *l)
{
	l->next = *list;
	l->prev = list;
	if (l->next)
		l->next->prev = &l->next;
	*list = l;
}

static void large_drop(struct pool_large *l)
{
	*l->prev = l->next;
	if (l->next)
		l->next->prev = l->prev;
}

/* One of those kept that is not much larger: a program run again asks for the same sizes. */
static struct pool_large *kept_get(struct pool *pool, size_t size)
{
	for (struct pool_large *l = pool->kept; l; l = l->next) {
		if (l->size < size || l->size - size > size / 4)
			continue;
		large_drop(l);
		pool->kept_size -= l->size;
		return l;
	}
	return NULL;
}

static void *large_get(struct pool *pool, size_t n)
{
	size_t size = large_size(pool, n);
	struct pool_large *l;

	if (size == SIZE_MAX)
		return NULL;
	l = kept_get(pool, size);
	if (!l) {
		/* One that fills a huge page is of an arena that will use all of it. */
		bool huge = size == PORT_HUGE;

		l = pool->port->map(pool->port, size, huge ? PORT_HUGE : pool->port->page_size, huge ? PORT_PAGES_HUGE : PORT_PAGES_ANY);
		if (!l)
			return NULL;
		pool->mapped += size;
		l->size = size;
	}
	large_push(&pool->large, l);
	return l + 1;
}

static void large_put(struct pool *pool, void *p)
{
	struct pool_large *l = (struct pool_large *)p - 1;

	large_drop(l);
	if (l->size <= KEPT_MAX - pool->kept_size) {
		large_push(&pool->kept, l);
		pool->kept_size += l->size;
		return;
	}
	pool->mapped -= l->size;
	pool->port->unmap(pool->port, l, l->size);
}

/* ---- The interface ------------------------------------------------------------------ */

static bool injected_fault(struct pool *pool)
{
	if (LIKELY(!pool->fail_at) || --pool->fail_at > 0)
		return false;
	pool->fail_at = pool->fail_every;
	return true;
}

static void *pool_get(struct memory *m, size_t n)
{
	struct pool *pool = CONTAINER_OF(m, struct pool, memory);
	void *p;

	pool->allocs++;
	if (UNLIKELY(injected_fault(pool) ||
	             (pool->limit && size_add((size_t)pool->live, n) > pool->limit)))
		return NULL;
	if (pool->port->alloc)
		p = pool->port->alloc(pool->port, n);
	else if (n <= SMALL_MAX)
		p = small_get(pool, small_class_of(n));
	else if (n <= PAGE_CLASS_MAX)
		p = page_get(pool, page_class_of(n));
	else
		p = large_get(pool, n);
	if (LIKELY(p)) {
		pool->live += n;
		pool->blocks++;
	}
	return p;
}

static void pool_put(struct memory *m, void *p, size_t n)
{
	struct pool *pool = CONTAINER_OF(m, struct pool, memory);

	pool->live -= n;
	pool->blocks--;
	if (pool->port->release)
		pool->port->release(pool->port, p, n);
	else if (n <= SMALL_MAX)
		small_put(pool, p);
	else if (n <= PAGE_CLASS_MAX)
		page_put(pool, p);
	else
		large_put(pool, p);
}

void pool_init(struct pool *pool, struct port *port)
{
	memset(pool, 0, sizeof(*pool));
	pool->memory.get = pool_get;
	pool->memory.put = pool_put;
	pool->port = port;
	pool->next_region = CHUNK;
}

void pool_release(struct pool *pool)
{
	while (pool->large || pool->kept) {
		struct pool_large *l = pool->large ? pool->large : pool->kept;

		large_drop(l);
		pool->port->unmap(pool->port, l, l->size);
	}
	while (pool->regions) {
		struct pool_region *r = pool->regions;
		void *at = r->at;
		size_t size = r->size;

		pool->regions = r->next;
		pool->port->unmap(pool->port, at, size);
	}
	pool_init(pool, pool->port);
}
