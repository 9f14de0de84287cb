/* table.c - a hash-array-mapped trie, 16 ways, shared until written.
 *
 * Four bits of the hash choose an entry of a node; an entry is an item or, with its low bit
 * set, a node below. After the 32 bits are used up a node is a plain row of items of one hash.
 * Every step of a change is one allocation followed by the store that publishes it, so that a
 * proc may end inside any of them and leave a whole table.
 *
 * An item in `recent` is in the table, too: whatever takes one out of the table, or lets the
 * caller do so (table_slot of an item that is shared), clears its place. */
#include "table.h"

#define BITS      4u
#define WAYS      (1u << BITS)
#define HASH_BITS 32u

struct table_node {
	uint32_t refs, n, cap;
	uint16_t map; /* which of the 16 are there; 0 in a row of one hash */
	bool row;
	void *v[];
};

static unsigned ones(uint32_t x)
{
	x = x - ((x >> 1) & 0x5555u);
	x = (x & 0x3333u) + ((x >> 2) & 0x3333u);
	x = (x + (x >> 4)) & 0x0f0fu;
	return (x + (x >> 8)) & 0x1fu;
}

static bool is_node(const void *e)
{
	return ((uintptr_t)e & 1) != 0;
}

static struct table_node *as_node(void *e)
{
	return (struct table_node *)(void *)((char *)e - 1);
}

static void *from_node(struct table_node *n)
{
	return (char *)n + 1;
}

/* ---- Nodes -------------------------------------------------------------- */

static size_t node_size(uint32_t cap)
{
	return sizeof(struct table_node) + (size_t)cap * sizeof(void *);
}

static struct table_node *node_new(struct heap *h, uint32_t cap)
{
	size_t size = heap_round(node_size(cap));
	struct table_node *n = heap_alloc(h, size);

	n->refs = 1;
	n->n = 0;
	n->cap = (uint32_t)((size - sizeof(*n)) / sizeof(void *));
	n->map = 0;
	n->row = false;
	return n;
}

static void node_free(struct heap *h, struct table_node *n)
{
	heap_free(h, n, node_size(n->cap));
}

static void node_put(struct heap *h, struct table_node *n)
{
	if (--n->refs)
		return;
	for (uint32_t i = 0; i < n->n; i++) {
		if (is_node(n->v[i]))
			node_put(h, as_node(n->v[i])); /* at most nine deep */
		else
			item_put(h, n->v[i]);
	}
	node_free(h, n);
}

/* Makes *np unshared, with room for `more` entries. */
static struct table_node *node_own(struct heap *h, struct table_node **np, uint32_t more)
{
	struct table_node *n = *np, *c;

	if (LIKELY(n->refs == 1 && n->n + more <= n->cap))
		return n;
	c = node_new(h, n->row && more ? n->n + n->n / 2 + more : n->n + more);
	memcpy(c->v, n->v, (size_t)n->n * sizeof(c->v[0]));
	c->n = n->n;
	c->map = n->map;
	c->row = n->row;
	*np = c;
	if (n->refs == 1) {
		node_free(h, n);
		return c;
	}
	n->refs--;
	for (uint32_t i = 0; i < c->n; i++) {
		if (is_node(c->v[i]))
			as_node(c->v[i])->refs++;
		else
			((struct item *)c->v[i])->refs++;
	}
	return c;
}

/* ---- Look-up -------------------------------------------------------------- */

struct item *table_search(const struct table *t, const char *name, size_t len, uint32_t hash)
{
	const struct table_node *n = t->root;

	for (unsigned shift = 0; n; shift += BITS) {
		uint32_t bit;
		void *e;

		if (UNLIKELY(n->row)) {
			for (uint32_t i = 0; i < n->n; i++)
				if (item_is(n->v[i], name, len, hash))
					return n->v[i];
			return NULL;
		}
		bit = 1u << (hash >> shift & (WAYS - 1));
		if (!(n->map & bit))
			return NULL;
		e = n->v[ones(n->map & (bit - 1))];
		if (!is_node(e))
			return item_is(e, name, len, hash) ? e : NULL;
		n = as_node(e);
	}
	return NULL;
}

/* A tagged entry cannot be handed to node_own by address: copy out, own, copy back. */
static struct table_node *own_child(struct heap *h, void **e, uint32_t more)
{
	struct table_node *c = as_node(*e), *owned;

	if (LIKELY(c->refs == 1 && c->n + more <= c->cap))
		return c;
	owned = node_own(h, &c, more);
	*e = from_node(owned);
	return owned;
}

/* The item at *e was asked for to be written: remembered, unless a copy will take its place. */
static struct item **slot_of(struct table *t, void **e, uint32_t hash)
{
	struct item *it = *e;

	t->recent[hash % TABLE_RECENT] = it->refs == 1 ? it : NULL;
	return (struct item **)(void *)e;
}

struct item **table_slot(struct heap *h, struct table *t, const char *name, size_t len,
                         uint32_t hash)
{
	struct table_node *n;

	if (!t->root)
		return NULL;
	n = node_own(h, &t->root, 0);
	for (unsigned shift = 0;; shift += BITS) {
		uint32_t bit;
		void **e;

		if (UNLIKELY(n->row)) {
			for (uint32_t i = 0; i < n->n; i++)
				if (item_is(n->v[i], name, len, hash))
					return slot_of(t, &n->v[i], hash);
			return NULL;
		}
		bit = 1u << (hash >> shift & (WAYS - 1));
		if (!(n->map & bit))
			return NULL;
		e = &n->v[ones(n->map & (bit - 1))];
		if (!is_node(*e))
			return item_is(*e, name, len, hash) ? slot_of(t, e, hash) : NULL;
		n = own_child(h, e, 0);
	}
}

/* ---- Changes ---------------------------------------------------------------- */

static void insert_at(struct table_node *n, uint32_t at, void *e)
{
	memmove(&n->v[at + 1], &n->v[at], (size_t)(n->n - at) * sizeof(n->v[0]));
	n->v[at] = e;
	n->n++;
}

/* Replaces the item in *e by a node that holds it, for one of another name to join. */
static struct table_node *push_down(struct heap *h, void **e, unsigned shift)
{
	struct table_node *c = node_new(h, 2);
	struct item *it = *e;

	c->row = shift >= HASH_BITS;
	if (!c->row)
		c->map = (uint16_t)(1u << (it->hash >> shift & (WAYS - 1)));
	c->v[0] = it;
	c->n = 1;
	*e = from_node(c);
	return c;
}

static void replace(struct heap *h, void **e, struct item **pin)
{
	struct item *old = *e;

	*e = *pin;
	*pin = NULL;
	item_put(h, old);
}

/* In a row of one hash. False when the name is not there. */
static bool replace_in_row(struct heap *h, struct table_node *n, struct item **pin)
{
	for (uint32_t i = 0; i < n->n; i++)
		if (item_is(n->v[i], (*pin)->name, (*pin)->len, (*pin)->hash)) {
			replace(h, &n->v[i], pin);
			return true;
		}
	return false;
}

void table_put(struct heap *h, struct table *t, struct item **pin)
{
	uint32_t hash = (*pin)->hash;
	struct table_node *n;
	void **up = NULL; /* the entry that holds n; NULL for the root */

	t->recent[hash % TABLE_RECENT] = NULL;
	if (!t->root)
		t->root = node_new(h, 2);
	n = node_own(h, &t->root, 0);
	for (unsigned shift = 0;; shift += BITS) {
		uint32_t bit = n->row ? 0 : 1u << (hash >> shift & (WAYS - 1));
		uint32_t at = n->row ? n->n : ones(n->map & (bit - 1));

		if (n->row && replace_in_row(h, n, pin))
			return;
		if (n->row || !(n->map & bit)) {
			n = up ? own_child(h, up, 1) : node_own(h, &t->root, 1);
			insert_at(n, at, *pin);
			n->map |= (uint16_t)bit;
			t->recent[hash % TABLE_RECENT] = *pin;
			*pin = NULL;
			t->n++;
			return;
		}
		up = &n->v[at];
		if (!is_node(*up)) {
			const struct item *it = *up;

			if (item_is(it, (*pin)->name, (*pin)->len, hash)) {
				replace(h, up, pin);
				return;
			}
			n = push_down(h, up, shift + BITS);
		} else {
			n = own_child(h, up, 0);
		}
	}
}

bool table_remove(struct heap *h, struct table *t, const char *name, size_t len, uint32_t hash)
{
	struct table_node *path[HASH_BITS / BITS + 1];
	unsigned depth = 0, shift;
	struct table_node *n;
	struct item *it;
	uint32_t at;

	if (!table_slot(h, t, name, len, hash))
		return false;
	t->recent[hash % TABLE_RECENT] = NULL;
	n = t->root;
	for (shift = 0;; shift += BITS) {
		path[depth++] = n;
		if (n->row) {
			for (at = 0; !item_is(n->v[at], name, len, hash);)
				at++;
			break;
		}
		at = ones(n->map & ((1u << (hash >> shift & (WAYS - 1))) - 1));
		if (!is_node(n->v[at]))
			break;
		n = as_node(n->v[at]);
	}
	it = n->v[at];
	for (;;) {
		n->n--;
		memmove(&n->v[at], &n->v[at + 1], (size_t)(n->n - at) * sizeof(n->v[0]));
		if (!n->row)
			n->map &= (uint16_t) ~(1u << (hash >> shift & (WAYS - 1)));
		if (n->n || --depth == 0)
			break;
		node_free(h, n);
		n = path[depth - 1];
		shift -= BITS;
		at = ones(n->map & ((1u << (hash >> shift & (WAYS - 1))) - 1));
	}
	if (--t->n == 0) {
		node_free(h, t->root);
		t->root = NULL;
	}
	item_put(h, it);
	return true;
}

struct table table_clone(const struct table *t)
{
	if (t->root)
		t->root->refs++;
	return *t;
}

void table_release(struct heap *h, struct table *t)
{
	if (t->root)
		node_put(h, t->root);
	*t = (struct table){0};
}

static size_t collect(const struct table_node *n, struct item **v, size_t at)
{
	for (uint32_t i = 0; i < n->n; i++) {
		if (is_node(n->v[i]))
			at = collect(as_node(n->v[i]), v, at);
		else
			v[at++] = n->v[i];
	}
	return at;
}

size_t table_items(const struct table *t, struct item **v)
{
	return t->root ? collect(t->root, v, 0) : 0;
}
