/*
 * pool.h - the runtime's memory: size classes over page runs from the port.
 *
 * Every byte the kernel, the filesystems and the programs use comes from here (behind the
 * quotas that count it). Freed blocks are kept and handed out again last in, first out, so
 * that a proc that starts where one just ended touches warm pages; what is freed beyond a
 * bound goes back to the host, so that memory follows use however sizes change.
 *
 * Layer     kernel; port.h, base
 * Owns      what it took from the port, until pool_release
 * Threads   the runtime's own
 * Errors    NULL
 */
#ifndef NACRE_KERNEL_POOL_H
#define NACRE_KERNEL_POOL_H

#include "../base/quota.h"
#include "../port/port.h"

#define POOL_SMALL_CLASSES 24	/* 16 bytes to 2 KiB */
#define POOL_PAGE_CLASSES 20	/* 4 KiB to 256 KiB */

struct pool_chunk;
struct pool_slab;
struct pool_large;

struct pool {
	struct memory memory;		/* first: what quotas point to */
	struct port *port;
	struct pool_slab *partial_slab[POOL_SMALL_CLASSES];	/* with a free block */
	struct pool_chunk *partial[POOL_PAGE_CLASSES];
	struct pool_chunk *spare;	/* without a class; touched before */
	uint64_t spare_dirty;		/* bytes of their pages, at most */
	struct pool_chunk *untouched;	/* without a class, their pages with the host */
	struct pool_region *regions;
	struct pool_large *large;	/* in use */
	struct pool_large *kept;	/* freed and still mapped */
	size_t kept_size;
	size_t next_region;
	uint64_t limit;			/* of live; 0: none */
	uint64_t live, blocks;		/* bytes and blocks handed out */
	uint64_t mapped;		/* bytes taken from the port */
	uint64_t dirty;			/* bytes of free blocks that still hold pages */

	/* Fault injection: see struct torture in kernel.h. */
	uint64_t fail_at, fail_every, allocs;
};

void pool_init(struct pool *pool, struct port *port);
/* Gives everything back, whatever is still in use. */
void pool_release(struct pool *pool);

#endif
