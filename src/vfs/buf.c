/*
 * buf.c - reference-counted byte buffers, and the pool of full-size ones.
 *
 * A slab is one block of memory with SLAB_BUFS buffers in it, each preceded by a pointer to
 * its slab. Free buffers of a slab are a list through their first data bytes.
 */
#include "buf.h"

#define SLAB_BUFS   15u /* a little less than 1 MiB */
#define SLAB_HEAD   64u
#define SLAB_STRIDE (sizeof(struct buf_slab *) + sizeof(struct buf) + BUF_CHUNK)
#define SLAB_SIZE   (SLAB_HEAD + SLAB_BUFS * SLAB_STRIDE)

struct buf_slab {
	struct buf_slab *next, **prev;
	struct buf *free;
	uint32_t nfree;
	uint32_t fresh; /* buffers from this number on were never given out */
};

static void slab_link(struct buf_slab **list, struct buf_slab *s)
{
	s->next = *list;
	s->prev = list;
	if (s->next)
		s->next->prev = &s->next;
	*list = s;
}

static void slab_unlink(struct buf_slab *s)
{
	*s->prev = s->next;
	if (s->next)
		s->next->prev = s->prev;
}

void buf_pool_init(struct buf_pool *p, struct memory *m)
{
	*p = (struct buf_pool){.quota = {.memory = m}};
}

void buf_pool_release(struct buf_pool *p)
{
	while (p->usable) {
		struct buf_slab *s = p->usable;

		slab_unlink(s);
		kfree(&p->quota, s, SLAB_SIZE);
	}
}

static struct buf_slab *slab_new(struct buf_pool *p)
{
	struct buf_slab *s = kalloc(&p->quota, SLAB_SIZE);

	if (!s)
		return NULL;
	s->free = NULL;
	s->nfree = SLAB_BUFS;
	s->fresh = 0;
	slab_link(&p->usable, s);
	p->spare++;
	return s;
}

struct buf *buf_pool_get(struct buf_pool *p)
{
	struct buf_slab *s = p->usable ? p->usable : slab_new(p);
	struct buf *b;

	if (!s)
		return NULL;
	if (s->nfree == SLAB_BUFS)
		p->spare--;
	if (s->free) {
		b = s->free;
		memcpy(&s->free, b->data, sizeof(s->free));
	} else {
		char *at = (char *)s + SLAB_HEAD + s->fresh++ * SLAB_STRIDE;

		memcpy(at, &s, sizeof(s));
		b = (struct buf *)(void *)(at + sizeof(s));
	}
	if (--s->nfree == 0) {
		slab_unlink(s);
		slab_link(&p->full, s);
	}
	p->used++;
	*b = (struct buf){.refs = 1, .cap = BUF_CHUNK, .flags = BUF_POOLED, .quota = &p->quota};
	return b;
}

static void pool_put(struct buf_pool *p, struct buf *b)
{
	struct buf_slab *s;

	memcpy(&s, (char *)b - sizeof(s), sizeof(s));
	memcpy(b->data, &s->free, sizeof(s->free));
	s->free = b;
	p->used--;
	if (s->nfree++ == 0) {
		slab_unlink(s);
		slab_link(&p->usable, s);
	}
	if (s->nfree < SLAB_BUFS)
		return;
	if (p->spare == 0) {
		p->spare = 1;
		return;
	}
	slab_unlink(s);
	kfree(&p->quota, s, SLAB_SIZE);
}

struct buf *buf_new(struct quota *q, uint32_t cap)
{
	struct buf *b = kalloc(q, size_add(sizeof(*b), cap));

	if (b)
		*b = (struct buf){.refs = 1, .cap = cap, .quota = q};
	return b;
}

void buf_free(struct buf *b)
{
	if (b->flags & BUF_POOLED)
		pool_put(CONTAINER_OF(b->quota, struct buf_pool, quota), b);
	else
		kfree(b->quota, b, sizeof(*b) + b->cap);
}
