/*
 * rom.h - a rom: a tree of files in one block of constant bytes.
 *
 * What guests bring along (Python's library) is packed by guests/rom.py and linked in. Nodes are
 * in an array; those of one directory lie together, sorted by name. All numbers are little-endian.
 *
 *	node = rom_find(rom, "json/tool.py");
 *	if (node && !rom_is_dir(node)) use(rom_bytes(rom, node), node->size);
 *
 * Layer     base
 * Errors    NULL
 */
#ifndef NACRE_BASE_ROM_H
#define NACRE_BASE_ROM_H

#include "base.h"

#define ROM_DIR 0x8000u

struct rom_node {
	uint32_t name; /* where its name is */
	uint16_t name_len;
	uint16_t flags; /* ROM_DIR */
	uint32_t at;	/* where its bytes are; of a directory: the number of its first node */
	uint32_t size;	/* bytes; of a directory: nodes */
};

struct rom {
	char magic[8]; /* "nacrerom" */
	uint32_t size; /* of it all */
	uint32_t nodes;
	int64_t time; /* of all files, seconds */
	struct rom_node node[]; /* the first is the root */
};

static inline bool rom_is_dir(const struct rom_node *n)
{
	return n->flags & ROM_DIR;
}

static inline const char *rom_name(const struct rom *r, const struct rom_node *n)
{
	return (const char *)r + n->name;
}

static inline const char *rom_bytes(const struct rom *r, const struct rom_node *n)
{
	return (const char *)r + n->at;
}

/* The i-th of a directory, NULL past the last. */
static inline const struct rom_node *rom_child(const struct rom *r, const struct rom_node *dir, size_t i)
{
	return i < dir->size ? &r->node[dir->at + i] : NULL;
}

/* The one called name (n bytes) in a directory. */
const struct rom_node *rom_look(const struct rom *r, const struct rom_node *dir, const char *name, size_t n);
/* By a clean relative path; "" is the root. */
const struct rom_node *rom_find(const struct rom *r, const char *path);

#endif
