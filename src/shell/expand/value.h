/*
 * value.h - the values of shell variables: strings, indexed and associative arrays.
 *
 * All of them live in the sandbox's heap, carry a reference count and are shared between a
 * shell and its subshells until one of them writes. Counts are plain: a sandbox is stepped
 * by one thread at a time. Whoever writes asks for the unshared form first.
 *
 * Layer     shell/expand; includes base
 * Owns      one reference a pointer, where a function does not say otherwise
 * Threads   the runtime's own thread
 * Suspends  no; but every allocation may end the proc, so: build first, publish last
 */
#ifndef NACRE_SHELL_EXPAND_VALUE_H
#define NACRE_SHELL_EXPAND_VALUE_H

#include "../../base/heap.h"

/* ---- Strings ------------------------------------------------------------ */

#define VSTR_MAX ((size_t)1 << 30) /* longest string a variable can hold */

/* A shared string; s[len] is always NUL, no NUL before. */
struct vstr {
	uint32_t refs, len, cap; /* cap: room for bytes, the NUL not counted */
	char s[];
};

struct vstr *vstr_new(struct heap *h, const char *ptr, size_t n);
static inline struct vstr *vstr_get(struct vstr *s)
{
	if (s)
		s->refs++;
	return s;
}
void vstr_put(struct heap *h, struct vstr *s); /* NULL is ignored */
static inline struct str vstr_str(const struct vstr *s)
{
	return (struct str){s->s, s->len};
}
/* `s` (whose reference is consumed) with n bytes more; in place when unshared and there is room. */
struct vstr *vstr_append(struct heap *h, struct vstr *s, const char *ptr, size_t n);

/* A string that needs no block of its own while it is short. All zero is "". */
#define SVAL_SMALL 22u
#define SVAL_BIG   255u

union sval {
	char small[24]; /* small[23]: the length, or SVAL_BIG */
	struct vstr *big;
};

static inline struct str sval_str(const union sval *v)
{
	unsigned char tag = (unsigned char)v->small[23];

	return tag == SVAL_BIG ? vstr_str(v->big) : (struct str){v->small, tag};
}
void sval_set(struct heap *h, union sval *v, const char *ptr, size_t n); /* ptr may lie inside v */
void sval_append(struct heap *h, union sval *v, const char *ptr, size_t n);
void sval_set_i64(struct heap *h, union sval *v, int64_t n);
void sval_copy(struct heap *h, union sval *v, const union sval *from); /* v uninitialised */
void sval_drop(struct heap *h, union sval *v);                         /* leaves "" */
/* Decimal digits and a NUL; their count. */
size_t put_i64(char buf[24], int64_t n);
/* The same as a shared string: a new reference. */
struct vstr *sval_vstr(struct heap *h, union sval *v);

/* ---- Indexed arrays ------------------------------------------------------ */

/* Elements by rising index. Dense arrays are found by position, sparse ones by halving. */
struct array_elem {
	int64_t index; /* >= 0 */
	struct vstr *v;
};

struct varray {
	uint32_t refs, n, cap, pad;
	struct array_elem e[];
};

struct varray *array_new(struct heap *h, uint32_t cap);
void array_put(struct heap *h, struct varray *a);
/* The element, or NULL. */
struct vstr *array_at(const struct varray *a, int64_t index);
/* One more than the greatest index. */
static inline int64_t array_end(const struct varray *a)
{
	return a && a->n ? a->e[a->n - 1].index + 1 : 0;
}
/* *a must be unshared (array_own); it may move. Sets, or appends to, the element. */
void array_set(struct heap *h, struct varray **a, int64_t index, const char *ptr, size_t n,
               bool append);
bool array_unset(struct heap *h, struct varray **a, int64_t index);
/* Makes *a unshared (a copy when it is not). NULL gives an empty one. */
void array_own(struct heap *h, struct varray **a);

/* ---- Associative arrays -------------------------------------------------- */

/* bash walks its hash buckets in order, the newest key of a bucket first, and scripts see
 * that order. Entries keep what decides it: the hash of the key and a sequence number. */
struct assoc_entry {
	struct vstr *key, *v;
	uint32_t hash; /* bash's: FNV-1 over signed chars */
	uint32_t seq;  /* newer is greater; turned round when bash's table grows */
};

struct vassoc {
	uint32_t refs, n, cap, slots; /* slots: size of the index, a power of two */
	uint32_t seq, buckets;        /* next sequence number; what bash's table would have */
	struct assoc_entry *e;
	uint32_t *index; /* entry number + 1, 0 free */
};

struct vassoc *assoc_new(struct heap *h, uint32_t cap);
void assoc_put(struct heap *h, struct vassoc *a);
struct vstr *assoc_at(const struct vassoc *a, struct str key);
void assoc_set(struct heap *h, struct vassoc **a, struct str key, const char *ptr, size_t n,
               bool append);
bool assoc_unset(struct heap *h, struct vassoc **a, struct str key);
void assoc_own(struct heap *h, struct vassoc **a);
/* Fills order[0..n) with entry numbers as bash would list them. */
void assoc_order(const struct vassoc *a, uint32_t *order);

#endif
