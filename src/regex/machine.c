/*
 * machine.c - a set of characters as a minimal automaton over the bytes of UTF-8.
 *
 * Built bottom-up: the last byte of a character chooses one of 64, so a block of 64 code
 * points is a bit mask; 64 blocks (one three-byte lead) are a row of masks, 64 rows (one
 * four-byte lead) a row of rows. Equal masks and equal rows share a node, which makes
 * the machine minimal.
 */
#include "machine.h"

struct builder {
	struct arena *arena;
	const struct runes *set;
	size_t at; /* the range the sweep has reached */
	struct machine *m;
	uint32_t cap;
	uint32_t *chain; /* next node with the same hash */
	uint32_t bucket[256];
	/* Nodes for 64, 4096 and 262144 code points that are all in the set, or 0. */
	uint16_t all_block, all_row, all_plane;
	bool is_full; /* too big */
};

static uint16_t node_of(struct builder *b, uint64_t last, const uint16_t *more)
{
	struct machine *m = b->m;
	uint64_t h = last;
	uint32_t i;

	for (int k = 0; more && k < 64; k++)
		h = (h ^ more[k]) * 0x9e3779b97f4a7c15u;
	h ^= h >> 32;
	h = (h ^ h >> 16 ^ h >> 8) & 255;
	for (i = b->bucket[h]; i; i = b->chain[i]) {
		const struct machine_node *n = &m->node[i];

		if (!n->more == !more && n->last == last &&
		    (!more || memcmp(n->more, more, 128) == 0))
			return (uint16_t)i;
	}
	if (m->nnodes >= MACHINE_NODES) {
		b->is_full = true;
		return 0;
	}
	if (m->nnodes == b->cap) {
		uint32_t cap = b->cap * 2;

		m->node = arena_grow(b->arena, m->node, b->cap * sizeof(*m->node),
		                     cap * sizeof(*m->node));
		b->chain = arena_grow(b->arena, b->chain, b->cap * sizeof(*b->chain),
		                      cap * sizeof(*b->chain));
		b->cap = cap;
	}
	i = m->nnodes++;
	m->node[i].last = last;
	m->node[i].more = NULL;
	if (more) {
		uint16_t *copy = arena_alloc(b->arena, 128);

		memcpy(copy, more, 128);
		m->node[i].more = copy;
	}
	b->chain[i] = b->bucket[h];
	b->bucket[h] = i;
	return (uint16_t)i;
}

/* True when [lo, hi] holds nothing, setting *all when it holds everything. Blocks are
 * asked for in order. */
static bool is_empty(struct builder *b, uint32_t lo, uint32_t hi, bool *all)
{
	const struct runes *s = b->set;

	*all = false;
	while (b->at < s->n && s->range[b->at].hi < lo)
		b->at++;
	if (b->at == s->n || s->range[b->at].lo > hi)
		return true;
	*all = s->range[b->at].lo <= lo && s->range[b->at].hi >= hi;
	return false;
}

/* The node for 64 of the same kind below it (or for 64 code points: below 0). */
static uint16_t all_of(struct builder *b, uint16_t *node, uint16_t below)
{
	uint16_t more[64];

	if (!*node && !below) {
		*node = node_of(b, ~(uint64_t)0, NULL);
	} else if (!*node) {
		for (int i = 0; i < 64; i++)
			more[i] = below;
		*node = node_of(b, 0, more);
	}
	return *node;
}

static uint16_t all_block(struct builder *b)
{
	return all_of(b, &b->all_block, 0);
}

static uint16_t all_row(struct builder *b)
{
	return all_of(b, &b->all_row, all_block(b));
}

/* The node for 64 code points from `first`, or 0. */
static uint16_t block(struct builder *b, uint32_t first)
{
	uint64_t mask = 0;
	bool all;

	if (is_empty(b, first, first + 63, &all))
		return 0;
	if (all)
		return all_block(b);
	for (size_t i = b->at; i < b->set->n && b->set->range[i].lo <= first + 63; i++) {
		uint32_t lo = MAX(b->set->range[i].lo, first) - first;
		uint32_t hi = MIN(b->set->range[i].hi, first + 63) - first;

		mask |= ~(uint64_t)0 >> (63 - (hi - lo)) << lo;
	}
	return node_of(b, mask, NULL);
}

/* The node for 4096 code points. Those that two bytes encode are not for three. */
static uint16_t row(struct builder *b, uint32_t first)
{
	uint16_t more[64] = {0};
	bool all, some = false;

	if (is_empty(b, first, first + 4095, &all))
		return 0;
	if (all)
		return all_row(b);
	for (uint32_t i = first ? 0 : 32; i < 64; i++) {
		more[i] = block(b, first + i * 64);
		some |= more[i] != 0;
	}
	return some ? node_of(b, 0, more) : 0;
}

static uint16_t plane(struct builder *b, uint32_t first)
{
	uint16_t more[64] = {0};
	bool all, some = false;

	if (is_empty(b, first, first + 0x3ffff, &all))
		return 0;
	if (all)
		return all_of(b, &b->all_plane, all_row(b));
	for (uint32_t i = first ? 0 : 16; i < 64 && first + i * 4096 <= RUNE_LAST; i++) {
		more[i] = row(b, first + i * 4096);
		some |= more[i] != 0;
	}
	return some ? node_of(b, 0, more) : 0;
}

const struct machine *machine_build(struct arena *a, struct runes *s)
{
	struct builder b = {.arena = a, .set = s, .cap = 16};

	runes_sort(s);
	b.m = arena_zalloc(a, sizeof(*b.m));
	b.m->single = s->ascii;
	b.m->nnodes = 1;
	b.m->node = arena_zalloc(a, b.cap * sizeof(*b.m->node));
	b.chain = arena_zalloc(a, b.cap * sizeof(*b.chain));
	if (s->n == 0)
		return b.m;
	for (uint32_t lead = 0xc2; lead < 0xe0; lead++)
		b.m->lead[lead - 0xc0] = block(&b, (lead - 0xc0) * 64);
	b.at = 0;
	for (uint32_t lead = 0xe0; lead < 0xf0; lead++)
		b.m->lead[lead - 0xc0] = row(&b, (lead - 0xe0) * 4096);
	b.at = 0;
	for (uint32_t lead = 0xf0; lead < 0xf5; lead++)
		b.m->lead[lead - 0xc0] = plane(&b, (lead - 0xf0) * 0x40000);
	return b.is_full ? NULL : b.m;
}
