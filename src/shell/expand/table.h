/*
 * table.h - names to things (variables, functions, aliases), shared until written.
 *
 * A hash-array-mapped trie: a clone is one reference, a write after it copies the few nodes
 * on its path, a write on an unshared path happens in place. Items start with struct item,
 * carry their own name and a reference count.
 *
 * Layer     shell/expand; includes base
 * Owns      a table holds one reference on each item
 * Suspends  no
 */
#ifndef NACRE_SHELL_EXPAND_TABLE_H
#define NACRE_SHELL_EXPAND_TABLE_H

#include "value.h"

enum item_kind {
	ITEM_VAR,
	ITEM_FUNC,
	ITEM_TEXT,   /* an alias, a hashed path: struct item_text */
	ITEM_ABSENT, /* only a name: "there was no such variable" */
};

struct item {
	uint32_t refs, hash;
	const char *name; /* inside the item; NUL-terminated */
	uint32_t len;
	uint8_t kind;    /* enum item_kind */
	uint8_t special; /* variables: enum special_id, 0 for an ordinary name */
	uint16_t pad;
};

static inline struct str item_name(const struct item *it)
{
	return (struct str){it->name, it->len};
}
static inline struct item *item_get(struct item *it)
{
	if (it)
		it->refs++;
	return it;
}
void item_put(struct heap *h, struct item *it); /* NULL is ignored */

struct item_text {
	struct item head;
	uint32_t hits;
	struct vstr *text;
	char name[];
};

/* `recent` remembers items that were written, by hash: what a loop writes is what it reads. */
#define TABLE_RECENT 8u

struct table_node;
struct table {
	struct table_node *root;
	uint32_t n;
	struct item *recent[TABLE_RECENT];
};

static inline uint32_t table_hash(const char *s, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h;
}

struct item *table_search(const struct table *t, const char *name, size_t n, uint32_t hash);
static inline bool item_is(const struct item *it, const char *name, size_t n, uint32_t hash)
{
	return it->hash == hash && it->len == n && memcmp(it->name, name, n) == 0;
}
static inline struct item *table_find(const struct table *t, const char *name, size_t n,
                                      uint32_t hash)
{
	struct item *it = t->recent[hash % TABLE_RECENT];

	return it && item_is(it, name, n, hash) ? it : table_search(t, name, n, hash);
}
/* Where the item is, with every node above it unshared: *slot may be replaced by an item of the
 * same name. NULL when there is none (nodes may have been copied all the same). */
struct item **table_slot(struct heap *h, struct table *t, const char *name, size_t n,
                         uint32_t hash);
/* Puts an item in (its reference is consumed), replacing the one of that name. `*pin` holds the
 * item meanwhile, so that it is not lost when the proc ends half-way; it is NULL after. */
void table_put(struct heap *h, struct table *t, struct item **pin);
bool table_remove(struct heap *h, struct table *t, const char *name, size_t n, uint32_t hash);
struct table table_clone(const struct table *t);
void table_release(struct heap *h, struct table *t);
/* All items, in no order, into v[0..t->n). Borrowed. */
size_t table_items(const struct table *t, struct item **v);

#endif
