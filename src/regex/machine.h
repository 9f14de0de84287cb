/*
 * machine.h - a set of characters as a minimal automaton over the bytes of UTF-8.
 *
 * One program step that reads a character of, say, [[:alpha:]] would be some thousand
 * byte instructions; instead it is one instruction that points to such a machine, and a
 * position inside a character is a node of it.
 *
 * Node 0 is the start. A node below it stands between two bytes of a character: it either
 * accepts the last byte (`more` NULL, `last` its 64 possible continuation bytes) or
 * leads on to other nodes.
 *
 * Layer     regex
 * Threads   any, once built
 */
#ifndef NACRE_REGEX_MACHINE_H
#define NACRE_REGEX_MACHINE_H

#include "runes.h"

#define MACHINE_NONE   UINT32_MAX
#define MACHINE_ACCEPT 0u
#define MACHINE_NODES  16000u /* the most nodes; more is a pattern too big */

struct machine_node {
	uint64_t last;
	const uint16_t *more; /* 64 nodes, 0 where none */
};

struct machine {
	struct byteset single;     /* bytes that are a whole character of the set */
	uint16_t lead[64];         /* node after the lead byte 0xc0 + i, or 0 */
	struct machine_node *node; /* [0] is not used */
	uint32_t nnodes;
};

/* NULL when it would be too big. `s` is put in order. */
const struct machine *machine_build(struct arena *a, struct runes *s);

/* Where byte b leads from `node`: another node, MACHINE_ACCEPT at the end of a character,
 * or MACHINE_NONE. */
static inline uint32_t machine_step(const struct machine *m, uint32_t node, unsigned b)
{
	const struct machine_node *n;

	if (node == 0) {
		if (byteset_has(&m->single, b))
			return MACHINE_ACCEPT;
		return b >= 0xc0 && m->lead[b - 0xc0] ? m->lead[b - 0xc0] : MACHINE_NONE;
	}
	if ((b & 0xc0) != 0x80)
		return MACHINE_NONE;
	n = &m->node[node];
	if (n->more)
		return n->more[b & 63] ? n->more[b & 63] : MACHINE_NONE;
	return n->last >> (b & 63) & 1 ? MACHINE_ACCEPT : MACHINE_NONE;
}

/* Length of the character at p that is in the set, or 0. */
static inline size_t machine_match(const struct machine *m, const unsigned char *p,
                                   const unsigned char *end)
{
	uint32_t node = 0;

	for (const unsigned char *q = p; q < end;) {
		node = machine_step(m, node, *q++);
		if (node == MACHINE_ACCEPT)
			return (size_t)(q - p);
		if (node == MACHINE_NONE)
			return 0;
	}
	return 0;
}

#endif
