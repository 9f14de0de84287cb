/*
 * mem_dir.c - directories: persistent hash tries of names.
 *
 * Each level of the trie takes five bits of a 64-bit hash; names that agree in all of it lie
 * in a collision node below the last level. The hash has a secret seed, so nobody can choose names
 * that make the trie deep; the collision node makes it right even so.
 */
#include "mem_tree.h"

#define HAMT_BITS 5u
#define HAMT_LAST 60u /* the shift of the last level */

static bool is_entry(const void *child)
{
	return ((uintptr_t)child & 1) != 0;
}

static struct mem_entry *to_entry(const void *child)
{
	return (struct mem_entry *)((uintptr_t)child & ~(uintptr_t)1);
}

static void *from_entry(struct mem_entry *e)
{
	return (void *)((uintptr_t)e | 1);
}

static size_t hamt_size(unsigned cap)
{
	return sizeof(struct mem_hamt) + cap * sizeof(void *);
}

__extension__ typedef unsigned __int128 wide;

static uint64_t mix(uint64_t a, uint64_t b)
{
	wide m = (wide)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

uint64_t mem_name_hash(uint64_t seed, const char *name, size_t len)
{
	uint64_t h = seed ^ 0x9e3779b97f4a7c15u, w = 0;
	size_t n = len;

	for (; n >= 8; name += 8, n -= 8) {
		memcpy(&w, name, 8);
		h = mix(h ^ w, 0xd6e8feb86659fd93u ^ seed);
	}
	w = 0;
	memcpy(&w, name, n);
	h = mix(h ^ w, 0xa0761d6478bd642fu ^ seed);
	return mix(h ^ len, 0xe7037ed1a0b428dbu);
}

/* ---- References ---------------------------------------------------------------- */

static size_t entry_size(size_t len)
{
	return sizeof(struct mem_entry) + len + 1;
}

struct mem_entry *mem_entry_new(struct mem_store *s, uint64_t hash, const char *name, size_t len,
                                uint32_t ino, uint32_t type)
{
	struct mem_entry *e = mem_alloc(s, entry_size(len));

	if (!e)
		return NULL;
	e->refs = 1;
	e->ino = ino;
	e->hash = hash;
	e->len = (uint16_t)len;
	e->type = (uint16_t)type;
	memcpy(e->name, name, len);
	e->name[len] = '\0';
	return e;
}

void mem_entry_put(struct mem_store *s, struct mem_entry *e)
{
	if (mem_put(e))
		mem_free(s, e, entry_size(e->len));
}

void mem_dir_put(struct mem_store *s, void *hamt)
{
	struct mem_hamt *h = hamt;

	if (!h || !mem_put(h))
		return;
	for (unsigned k = 0; k < h->n; k++) {
		if (is_entry(h->c[k]))
			mem_entry_put(s, to_entry(h->c[k]));
		else
			mem_dir_put(s, h->c[k]);
	}
	mem_free(s, h, hamt_size(h->cap));
}

void mem_dir_freeze(void *hamt, bool on)
{
	struct mem_hamt *h = hamt;

	if (!h)
		return;
	h->refs = on ? h->refs | MEM_IMMORTAL : h->refs & ~MEM_IMMORTAL;
	for (unsigned k = 0; k < h->n; k++) {
		if (is_entry(h->c[k])) {
			struct mem_entry *e = to_entry(h->c[k]);

			e->refs = on ? e->refs | MEM_IMMORTAL : e->refs & ~MEM_IMMORTAL;
		} else {
			mem_dir_freeze(h->c[k], on);
		}
	}
}

/* ---- Looking up ------------------------------------------------------------------ */

static bool named(const struct mem_entry *e, uint64_t hash, const char *name, size_t len)
{
	return e->hash == hash && e->len == len && memcmp(e->name, name, len) == 0;
}

static unsigned bit_of(uint64_t hash, unsigned shift)
{
	return (unsigned)(hash >> shift) & 31;
}

/* How many places before `bit` are taken. */
static unsigned rank(uint32_t map, unsigned bit)
{
	return (unsigned)__builtin_popcount(map & ((1u << bit) - 1));
}

static bool taken(const struct mem_hamt *h, unsigned bit)
{
	return (h->map >> bit & 1) != 0;
}

/* The place of the name in a collision node, h->n when it is not there. */
static unsigned collision_find(const struct mem_hamt *h, uint64_t hash, const char *name,
                               size_t len)
{
	unsigned k = 0;

	while (k < h->n && !named(to_entry(h->c[k]), hash, name, len))
		k++;
	return k;
}

const struct mem_entry *mem_dir_find(const void *dir, uint64_t hash, const char *name, size_t len)
{
	const struct mem_hamt *h = dir;

	if (!h)
		return NULL;
	for (unsigned shift = 0; shift <= HAMT_LAST; shift += HAMT_BITS) {
		unsigned bit = bit_of(hash, shift);
		const void *c;

		if (!taken(h, bit))
			return NULL;
		c = h->c[rank(h->map, bit)];
		if (is_entry(c)) {
			const struct mem_entry *e = to_entry(c);

			return named(e, hash, name, len) ? e : NULL;
		}
		h = c;
	}
	{
		unsigned k = collision_find(h, hash, name, len);

		return k < h->n ? to_entry(h->c[k]) : NULL;
	}
}

void mem_dir_each(const void *dir, void (*each)(void *ctx, struct mem_entry *e), void *ctx)
{
	const struct mem_hamt *h = dir;

	if (!h)
		return;
	for (unsigned k = 0; k < h->n; k++) {
		if (is_entry(h->c[k]))
			each(ctx, to_entry(h->c[k]));
		else
			mem_dir_each(h->c[k], each, ctx);
	}
}

/* ---- Changing -------------------------------------------------------------------- */

static struct mem_hamt *hamt_new(struct mem_store *s, unsigned cap)
{
	struct mem_hamt *h = mem_alloc(s, hamt_size(cap));

	if (h)
		*h = (struct mem_hamt){.refs = 1, .cap = (uint16_t)cap};
	return h;
}

static unsigned round_cap(unsigned n)
{
	return n <= 2 ? 2 : n <= 4 ? 4 : (n + 3) & ~3u;
}

/* Makes *at unshared, with room for `extra` more children. */
static struct mem_hamt *own(struct mem_store *s, void **at, unsigned extra)
{
	struct mem_hamt *old = *at, *h;

	if (!mem_shared(old) && old->n + extra <= old->cap)
		return old;
	if (old->n + extra > UINT16_MAX)
		return NULL;
	h = hamt_new(s, round_cap(old->n + extra));
	if (!h)
		return NULL;
	h->map = old->map;
	h->n = old->n;
	memcpy(h->c, old->c, old->n * sizeof(void *));
	if (!mem_shared(old)) {
		mem_free(s, old, hamt_size(old->cap));
	} else {
		for (unsigned k = 0; k < h->n; k++)
			mem_get(is_entry(h->c[k]) ? (void *)to_entry(h->c[k]) : h->c[k]);
		mem_put(old); /* it is shared: not the last */
	}
	*at = h;
	return h;
}

/* Nodes holding a and b, of different names, from level `shift` on. Takes neither over on failure.
 */
static struct mem_hamt *split(struct mem_store *s, struct mem_entry *a, struct mem_entry *b,
                              unsigned shift)
{
	struct mem_hamt *h = hamt_new(s, 2);
	unsigned bit_a, bit_b;

	if (!h)
		return NULL;
	if (shift > HAMT_LAST) {
		h->c[0] = from_entry(a);
		h->c[1] = from_entry(b);
		h->n = 2;
		return h;
	}
	bit_a = bit_of(a->hash, shift);
	bit_b = bit_of(b->hash, shift);
	if (bit_a == bit_b) {
		h->map = 1u << bit_a;
		h->n = 1;
		h->c[0] = split(s, a, b, shift + HAMT_BITS);
		if (!h->c[0]) {
			mem_free(s, h, hamt_size(2));
			return NULL;
		}
		return h;
	}
	h->map = 1u << bit_a | 1u << bit_b;
	h->n = 2;
	h->c[bit_a > bit_b] = from_entry(a);
	h->c[bit_a < bit_b] = from_entry(b);
	return h;
}

static void replace(struct mem_store *s, struct mem_hamt *h, unsigned k, struct mem_entry *e)
{
	mem_entry_put(s, to_entry(h->c[k]));
	h->c[k] = from_entry(e);
}

static bool collision_insert(struct mem_store *s, void **at, struct mem_entry *e)
{
	struct mem_hamt *h = *at;
	unsigned k = collision_find(h, e->hash, e->name, e->len);

	h = own(s, at, k == h->n);
	if (!h)
		return false;
	if (k < h->n)
		replace(s, h, k, e);
	else
		h->c[h->n++] = from_entry(e);
	return true;
}

bool mem_dir_insert(struct mem_store *s, void **at, struct mem_entry *e)
{
	if (!*at) {
		*at = hamt_new(s, 2);
		if (!*at)
			return false;
	}
	for (unsigned shift = 0; shift <= HAMT_LAST; shift += HAMT_BITS) {
		unsigned bit = bit_of(e->hash, shift);
		struct mem_hamt *h = *at, *below;
		unsigned k = rank(h->map, bit);
		bool there = taken(h, bit);

		h = own(s, at, !there);
		if (!h)
			return false;
		if (!there) {
			memmove(h->c + k + 1, h->c + k, (h->n - k) * sizeof(void *));
			h->c[k] = from_entry(e);
			h->n++;
			h->map |= 1u << bit;
			return true;
		}
		if (is_entry(h->c[k])) {
			struct mem_entry *old = to_entry(h->c[k]);

			if (named(old, e->hash, e->name, e->len)) {
				replace(s, h, k, e);
				return true;
			}
			below = split(s, old, e, shift + HAMT_BITS);
			if (below)
				h->c[k] = below;
			return below != NULL;
		}
		at = &h->c[k];
	}
	return collision_insert(s, at, e);
}

bool mem_dir_own(struct mem_store *s, void **at, const struct mem_entry *e)
{
	uint64_t hash = e->hash;

	for (unsigned shift = 0;; shift += HAMT_BITS) {
		struct mem_hamt *h = own(s, at, 0);
		unsigned k;

		if (!h)
			return false;
		if (shift > HAMT_LAST)
			return true;
		k = rank(h->map, bit_of(hash, shift));
		if (is_entry(h->c[k]))
			return true;
		at = &h->c[k];
	}
}

static void take_child(struct mem_hamt *h, unsigned k)
{
	memmove(h->c + k, h->c + k + 1, (h->n - k - 1u) * sizeof(void *));
	h->n--;
}

void mem_dir_remove(struct mem_store *s, void **dir, uint64_t hash, const char *name, size_t len)
{
	void **path[HAMT_LAST / HAMT_BITS + 3];
	void **at = dir;
	struct mem_hamt *h;
	unsigned depth = 0, k;

	for (unsigned shift = 0;; shift += HAMT_BITS, depth++, at = &h->c[k]) {
		path[depth] = at;
		h = *at;
		if (shift > HAMT_LAST) {
			k = collision_find(h, hash, name, len);
			break;
		}
		k = rank(h->map, bit_of(hash, shift));
		if (is_entry(h->c[k])) {
			h->map &= ~(1u << bit_of(hash, shift));
			break;
		}
	}
	mem_entry_put(s, to_entry(h->c[k]));
	take_child(h, k);
	/* A node with a single entry left gives it to its parent; the root may become empty. */
	for (; depth > 0 && h->n == 1 && is_entry(h->c[0]); depth--) {
		*path[depth] = h->c[0];
		mem_free(s, h, hamt_size(h->cap));
		h = *path[depth - 1];
	}
	if (depth == 0 && h->n == 0) {
		mem_free(s, h, hamt_size(h->cap));
		*dir = NULL;
	}
}
