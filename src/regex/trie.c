/*
 * trie.c - many literal strings as one tree of their bytes.
 *
 * Under case folding a character's forms may have different lengths (s and U+017F); all
 * of them lead to one node, so that the structure is a graph, but stays as small as the text.
 */
#include "../base/utf8.h"
#include "runes.h"
#include "trie.h"

#define NODES_MAX (1u << 24)

struct trie *trie_new(struct arena *a)
{
	struct trie *t = arena_zalloc(a, sizeof(*t));

	t->arena = a;
	t->nodes_cap = t->edges_cap = 64;
	t->first = arena_zalloc(a, t->nodes_cap * sizeof(*t->first));
	t->is_final = arena_zalloc(a, t->nodes_cap);
	t->edge = arena_zalloc(a, t->edges_cap * sizeof(*t->edge));
	t->nnodes = t->nedges = 1;
	return t;
}

static uint32_t new_node(struct trie *t)
{
	if (t->nnodes == t->nodes_cap) {
		uint32_t cap = t->nodes_cap * 2;

		t->first = arena_grow(t->arena, t->first, t->nnodes * sizeof(*t->first),
		                      cap * sizeof(*t->first));
		t->is_final = arena_grow(t->arena, t->is_final, t->nnodes, cap);
		t->nodes_cap = cap;
	}
	t->first[t->nnodes] = 0;
	t->is_final[t->nnodes] = 0;
	return t->nnodes++;
}

static void link_to(struct trie *t, uint32_t node, unsigned b, uint32_t to)
{
	struct trie_edge *e;

	if (node == 0) {
		t->root[b] = to;
		return;
	}
	if (t->nedges == t->edges_cap) {
		uint32_t cap = t->edges_cap * 2;

		t->edge = arena_grow(t->arena, t->edge, t->nedges * sizeof(*t->edge),
		                     cap * sizeof(*t->edge));
		t->edges_cap = cap;
	}
	e = &t->edge[t->nedges];
	e->to = to;
	e->byte = (uint8_t)b;
	e->next = t->first[node];
	t->first[node] = t->nedges++;
}

/* The node after the n bytes; the last of them leads to `to` if that is not 0. */
static uint32_t follow(struct trie *t, uint32_t node, const unsigned char *s, size_t n, uint32_t to)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t next = trie_step(t, node, s[i]);

		if (!next) {
			next = i + 1 == n && to ? to : new_node(t);
			link_to(t, node, s[i], next);
		}
		node = next;
	}
	return node;
}

/* Every character whose upper case form is `upper`, appended to form[]. */
static unsigned forms_of(uint32_t upper, uint32_t form[8])
{
	unsigned n = 0;

	form[n++] = upper;
	if (upper < 0x80 && ascii_upper((int)upper))
		form[n++] = upper + 32;
	for (size_t i = 0; i < rune_ncases && n < 8; i++) {
		const struct rune_case *r = &rune_cases[i];
		uint32_t c = upper - (uint32_t)r->delta;

		if (c >= r->lo && c <= r->hi && (c - r->lo) % r->step == 0)
			form[n++] = c;
	}
	return n;
}

bool trie_add(struct trie *t, const unsigned char *s, size_t n, bool fold, bool utf8)
{
	const unsigned char *end = s + n;
	uint32_t node = 0;

	if (n > NODES_MAX || t->nnodes + n * 4 > NODES_MAX)
		return false;
	t->longest = MAX(t->longest, n * 2);
	while (s < end) {
		unsigned len = 1;
		int32_t c = *s;

		if (utf8 && c >= 0x80)
			c = rune_decode(s, end, &len);
		if (fold && c >= 0 && (utf8 || c < 0x80)) {
			uint32_t form[8], to = 0;
			unsigned k = utf8 ? forms_of(utf8_toupper((uint32_t)c), form) : 0;

			if (!utf8) {
				form[k++] = (uint32_t)ascii_toupper(c);
				if (ascii_alpha(c))
					form[k++] = (uint32_t)ascii_tolower(c);
			}
			for (unsigned i = 0; i < k; i++) {
				char bytes[6];

				to = follow(t, node, (unsigned char *)bytes,
				            utf8_encode(form[i], bytes), to);
			}
			node = to;
		} else {
			node = follow(t, node, s, len, 0);
		}
		s += len;
	}
	t->is_final[node] = 1;
	return true;
}
