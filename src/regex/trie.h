/*
 * trie.h - many literal strings as one tree of their bytes.
 *
 * What `grep -F -f words` searches for. Like a machine it is one program step, and a
 * position inside a word is a node.
 *
 * Layer     regex
 * Owns      nothing: lives in the caller's arena
 * Threads   any, once built
 */
#ifndef NACRE_REGEX_TRIE_H
#define NACRE_REGEX_TRIE_H

#include "../base/arena.h"

struct trie_edge {
	uint32_t to;
	uint32_t next; /* the next edge of the same node, 0 at the end */
	uint8_t byte;
};

struct trie {
	struct arena *arena;
	uint32_t root[256]; /* node after the first byte, or 0 */
	uint32_t *first;    /* of each node: its first edge, or 0 */
	uint8_t *is_final;  /* of each node: a string ends here */
	uint32_t nnodes, nodes_cap;
	struct trie_edge *edge; /* [0] is not used */
	uint32_t nedges, edges_cap;
	size_t longest; /* bytes of the longest string, at least */
};

struct trie *trie_new(struct arena *a);

/* Adds n > 0 bytes. With `fold` letters match in both cases, by the rules of UTF-8 if `utf8`.
 * False when the tree would be too big. */
bool trie_add(struct trie *t, const unsigned char *s, size_t n, bool fold, bool utf8);

/* The node after byte b from `node` (0 is the start), or 0. */
static inline uint32_t trie_step(const struct trie *t, uint32_t node, unsigned b)
{
	if (node == 0)
		return t->root[b];
	for (uint32_t e = t->first[node]; e; e = t->edge[e].next)
		if (t->edge[e].byte == b)
			return t->edge[e].to;
	return 0;
}

#endif
