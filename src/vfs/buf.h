/*
 * buf.h - reference-counted byte buffers and slices of them: what pipes and files pass around.
 *
 * A buffer is filled from the front and never changed below its `used` mark while anybody
 * else holds it; a slice names a part of it and holds one reference.
 *
 * Layer     vfs; base
 * Threads   one runtime's
 */
#ifndef NACRE_VFS_BUF_H
#define NACRE_VFS_BUF_H

#include "../base/quota.h"

/* What makes the head 32 bytes. Where blocks start at a page, as large ones do, data[] then starts 32
 * bytes behind: the kernel's copy out of a page into the first 31 bytes of another (`rep movsb`)
 * runs at a fifth of its speed on some processors. */
#define BUF_GAP 8u

struct buf {
	uint32_t refs;
	uint32_t cap;        /* bytes of data[] */
	uint32_t used;       /* the first free byte; who appends there first claims it */
	uint32_t flags;      /* BUF_POOLED */
	struct quota *quota; /* where cap is charged; of a pooled one its pool's */
	char gap[BUF_GAP];
	char data[];
};

struct slice {
	struct buf *buf; /* NULL: an empty slice, or memory that lives long enough by itself */
	const char *ptr;
	size_t len;
};

#define BUF_POOLED 1u

/* The size of a file's full chunk, and of what a pool gives out. */
#define BUF_CHUNK 65536u

/* Recycles buffers of BUF_CHUNK bytes in slabs: what file data lives in. One runtime's. Memory
 * goes back to where it came from when whole slabs are free, all but one. */
struct buf_pool {
	struct quota quota;      /* counts the slabs; and whatever else its owner allocates there */
	struct buf_slab *usable; /* slabs with free buffers, fullest not known */
	struct buf_slab *full;
	uint32_t spare; /* slabs that are free as a whole */
	uint32_t used;  /* buffers given out */
};

void buf_pool_init(struct buf_pool *p, struct memory *m);
/* Every buffer must be back. */
void buf_pool_release(struct buf_pool *p);
/* One reference; BUF_CHUNK bytes; NULL without memory. */
MUST_USE struct buf *buf_pool_get(struct buf_pool *p);

/* One reference; NULL without memory. */
MUST_USE struct buf *buf_new(struct quota *q, uint32_t cap);
void buf_free(struct buf *b);

static inline struct buf *buf_get(struct buf *b)
{
	if (b)
		b->refs++;
	return b;
}

static inline void buf_put(struct buf *b)
{
	if (b && --b->refs == 0)
		buf_free(b);
}

static inline void slice_release(struct slice *s)
{
	buf_put(s->buf);
	*s = (struct slice){0};
}

#endif
