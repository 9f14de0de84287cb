/*
 * quota.h - memory that is counted: the kernel's allocator.
 *
 * Every byte the kernel keeps for a sandbox is charged to the sandbox's quota, so that
 * one number bounds it. Unlike a program's arena, kalloc may fail and is checked.
 *
 * Layer     base
 * Owns      nothing; the counts
 * Threads   one at a time (a quota belongs to one runtime)
 */
#ifndef NACRE_BASE_QUOTA_H
#define NACRE_BASE_QUOTA_H

#include "base.h"

/* Where memory really comes from (port, with the runtime's pools in front; a test's fault
 * injector). `get` gives 16-aligned memory or NULL. */
struct memory {
	void *(*get)(struct memory *m, size_t n);
	void (*put)(struct memory *m, void *p, size_t n);
};

struct quota {
	struct memory *memory;
	uint64_t used, peak;
	uint64_t limit;		/* 0: none */
	uint32_t refused;	/* requests turned down by the limit */
	uint32_t live;		/* blocks */
};

/* n bytes, not zeroed, or NULL (limit, or no memory). The size goes back to kfree. */
MUST_USE void *kalloc(struct quota *q, size_t n);
MUST_USE void *kzalloc(struct quota *q, size_t n);
void kfree(struct quota *q, void *p, size_t n); /* NULL is ignored */

/* Counts n bytes without allocating: false at the limit. */
MUST_USE bool quota_charge(struct quota *q, uint64_t n);
void quota_refund(struct quota *q, uint64_t n);

#endif
