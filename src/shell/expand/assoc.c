/* assoc.c - associative arrays that list their keys in bash's order.
 *
 * Entries sit in a row in no order; an open-addressing index over the row finds them.
 * bash's order is computed when asked for: by bucket (hash modulo its table's size), then
 * newest first. bash's table starts with 1024 buckets and, once it holds twice as many
 * entries as buckets, grows by four; moving the chains turns the order inside a bucket
 * round, and so we turn the sequence numbers round. */
#include "value.h"

#define BASH_BUCKETS 1024u

/* bash hashes signed chars. The value is FNV-1. */
static uint32_t assoc_hash(struct str key)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < key.len; i++) {
		h *= 16777619u;
		h ^= (uint32_t)(int32_t)(signed char)key.ptr[i];
	}
	return h;
}

/* bash's hash is weak in its low bits for an index that agents could aim at; stir it. */
static uint32_t stir(uint32_t h)
{
	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	return h;
}

static size_t entries_size(uint32_t cap)
{
	return (size_t)cap * sizeof(struct assoc_entry);
}

static size_t index_size(uint32_t slots)
{
	return (size_t)slots * sizeof(uint32_t);
}

struct vassoc *assoc_new(struct heap *h, uint32_t cap)
{
	struct vassoc *a;
	uint32_t slots = 8;

	/* One block: head, entries, index. */
	while (slots < cap + (uint64_t)cap / 2 && slots < 1u << 31)
		slots *= 2;
	a = heap_alloc(h, sizeof(*a) + entries_size(cap) + index_size(slots));
	*a = (struct vassoc){
	        .refs = 1, .cap = cap, .slots = slots, .seq = 1, .buckets = BASH_BUCKETS};
	a->e = (struct assoc_entry *)(void *)(a + 1);
	a->index = (uint32_t *)(void *)(a->e + cap);
	memset(a->index, 0, index_size(slots));
	return a;
}

static void assoc_free(struct heap *h, struct vassoc *a)
{
	heap_free(h, a, sizeof(*a) + entries_size(a->cap) + index_size(a->slots));
}

void assoc_put(struct heap *h, struct vassoc *a)
{
	if (!a || --a->refs)
		return;
	for (uint32_t i = 0; i < a->n; i++) {
		vstr_put(h, a->e[i].key);
		vstr_put(h, a->e[i].v);
	}
	assoc_free(h, a);
}

/* The index slot that holds key, or the free one where it belongs. */
static uint32_t find_slot(const struct vassoc *a, struct str key, uint32_t hash)
{
	uint32_t mask = a->slots - 1, at = stir(hash) & mask;

	while (a->index[at]) {
		const struct assoc_entry *e = &a->e[a->index[at] - 1];

		if (e->hash == hash && str_eq(vstr_str(e->key), key))
			break;
		at = (at + 1) & mask;
	}
	return at;
}

static void index_fill(struct vassoc *a)
{
	uint32_t mask = a->slots - 1;

	memset(a->index, 0, index_size(a->slots));
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t at = stir(a->e[i].hash) & mask;

		while (a->index[at])
			at = (at + 1) & mask;
		a->index[at] = i + 1;
	}
}

struct vstr *assoc_at(const struct vassoc *a, struct str key)
{
	uint32_t slot;

	if (!a || !a->n)
		return NULL;
	slot = a->index[find_slot(a, key, assoc_hash(key))];
	return slot ? a->e[slot - 1].v : NULL;
}

/* The same entries in a block with room for cap; the references move or are shared as the caller
 * says. */
static struct vassoc *assoc_copy(struct heap *h, const struct vassoc *a, uint32_t cap)
{
	struct vassoc *b = assoc_new(h, cap);

	memcpy(b->e, a->e, entries_size(a->n));
	b->n = a->n;
	b->seq = a->seq;
	b->buckets = a->buckets;
	index_fill(b);
	return b;
}

void assoc_own(struct heap *h, struct vassoc **ap)
{
	struct vassoc *b;

	if (!*ap) {
		*ap = assoc_new(h, 4);
		return;
	}
	if ((*ap)->refs == 1)
		return;
	b = assoc_copy(h, *ap, MAX((*ap)->n, 4u));
	for (uint32_t i = 0; i < b->n; i++) {
		vstr_get(b->e[i].key);
		vstr_get(b->e[i].v);
	}
	(*ap)->refs--;
	*ap = b;
}

/* bash looks before it inserts. */
static void bash_table_grows(struct vassoc *a)
{
	if (a->n < (uint64_t)a->buckets * 2 || a->buckets > UINT32_MAX / 4)
		return;
	a->buckets *= 4;
	for (uint32_t i = 0; i < a->n; i++)
		a->e[i].seq = a->seq - a->e[i].seq;
}

void assoc_set(struct heap *h, struct vassoc **ap, struct str key, const char *ptr, size_t n,
               bool append)
{
	uint32_t hash = assoc_hash(key);
	uint32_t slot = find_slot(*ap, key, hash);
	struct vassoc *a = *ap;
	struct assoc_entry *e;

	if (a->index[slot]) {
		e = &a->e[a->index[slot] - 1];
		if (append) {
			e->v = vstr_append(h, e->v, ptr, n);
		} else {
			struct vstr *s = vstr_new(h, ptr, n);

			vstr_put(h, e->v);
			e->v = s;
		}
		return;
	}
	if (a->n == a->cap) {
		struct vassoc *b = assoc_copy(h, a,
		                              a->cap > UINT32_MAX / 4 ? UINT32_MAX : a->cap * 2);

		assoc_free(h, a);
		*ap = a = b;
		slot = find_slot(a, key, hash);
	}
	bash_table_grows(a);
	/* Two blocks: the key is put into the row first, as its own value for the moment. */
	e = &a->e[a->n];
	*e = (struct assoc_entry){.hash = hash, .seq = a->seq++};
	e->key = vstr_new(h, key.ptr, key.len);
	e->v = vstr_get(e->key);
	a->index[slot] = ++a->n;
	e->v = vstr_new(h, ptr, n);
	e->key->refs--;
}

/* Empties a slot of the index and closes the gap in its run. */
static void index_remove(struct vassoc *a, uint32_t hole)
{
	uint32_t mask = a->slots - 1, at = hole;

	for (;;) {
		uint32_t home;

		at = (at + 1) & mask;
		if (!a->index[at])
			break;
		home = stir(a->e[a->index[at] - 1].hash) & mask;
		/* An entry may move back into the hole unless its home lies after it. */
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			a->index[hole] = a->index[at];
			hole = at;
		}
	}
	a->index[hole] = 0;
}

bool assoc_unset(struct heap *h, struct vassoc **ap, struct str key)
{
	struct vassoc *a = *ap;
	uint32_t slot, at;

	if (!a->n)
		return false;
	slot = find_slot(a, key, assoc_hash(key));
	if (!a->index[slot])
		return false;
	at = a->index[slot] - 1;
	vstr_put(h, a->e[at].key);
	vstr_put(h, a->e[at].v);
	index_remove(a, slot);
	a->n--;
	if (at != a->n) {
		a->e[at] = a->e[a->n];
		slot = stir(a->e[at].hash) & (a->slots - 1);
		while (a->index[slot] != a->n + 1)
			slot = (slot + 1) & (a->slots - 1);
		a->index[slot] = at + 1;
	}
	return true;
}

static bool before(const struct vassoc *a, uint32_t i, uint32_t j)
{
	uint32_t bi = a->e[i].hash & (a->buckets - 1), bj = a->e[j].hash & (a->buckets - 1);

	return bi != bj ? bi < bj : a->e[i].seq > a->e[j].seq;
}

static void sift(const struct vassoc *a, uint32_t *order, uint32_t root, uint32_t n)
{
	for (;;) {
		uint32_t child = root * 2 + 1, t;

		if (child >= n)
			return;
		if (child + 1 < n && before(a, order[child], order[child + 1]))
			child++;
		if (!before(a, order[root], order[child]))
			return;
		t = order[root];
		order[root] = order[child];
		order[child] = t;
		root = child;
	}
}

void assoc_order(const struct vassoc *a, uint32_t *order)
{
	for (uint32_t i = 0; i < a->n; i++)
		order[i] = i;
	for (uint32_t i = a->n / 2; i-- > 0;)
		sift(a, order, i, a->n);
	for (uint32_t n = a->n; n-- > 1;) {
		uint32_t t = order[0];

		order[0] = order[n];
		order[n] = t;
		sift(a, order, 0, n);
	}
}
