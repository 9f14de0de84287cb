/*
 * mem_table.c - inodes and the table that finds them by number.
 *
 * Nodes are made on the way to a new number and freed when their last inode is taken out, so
 * that creating and removing files for ever leaves nothing behind. The root stays.
 */
#include "mem_tree.h"

#define TABLE_MASK (MEM_TABLE_WIDTH - 1)

static unsigned slot_of(uint32_t ino, unsigned level)
{
	return (ino >> (MEM_TABLE_BITS * (level - 1))) & TABLE_MASK;
}

static bool in_range(const struct mem_state *t, uint32_t ino)
{
	return ((uint64_t)ino >> (MEM_TABLE_BITS * t->levels)) == 0;
}

/* ---- References ---------------------------------------------------------------- */

static void inode_get_parts(struct mem_inode *i)
{
	switch (i->mode & SYS_S_TYPE) {
	case SYS_S_FILE:
	case SYS_S_DIR:
		if (i->data)
			mem_get(i->data);
		break;
	case SYS_S_LINK: mem_get(i->link); break;
	default: break;
	}
	if (i->origin)
		mem_get(i->origin);
}

void mem_origin_put(struct mem_store *s, struct mem_origin *o)
{
	if (o && mem_put(o))
		mem_free(s, o, sizeof(*o) + o->len + 1);
}

static void text_put(struct mem_store *s, struct mem_text *t)
{
	if (mem_put(t))
		mem_free(s, t, sizeof(*t) + t->len);
}

void mem_inode_put(struct mem_store *s, struct mem_inode *i)
{
	if (!mem_put(i))
		return;
	switch (i->mode & SYS_S_TYPE) {
	case SYS_S_FILE: mem_data_put(s, i->data, i->levels); break;
	case SYS_S_DIR: mem_dir_put(s, i->dir); break;
	case SYS_S_LINK: text_put(s, i->link); break;
	default: break;
	}
	mem_origin_put(s, i->origin);
	mem_free(s, i, sizeof(*i));
}

void mem_table_put(struct mem_store *s, struct mem_table *t, unsigned levels)
{
	if (!mem_put(t))
		return;
	for (unsigned k = 0; k < MEM_TABLE_WIDTH; k++) {
		if (!t->c[k])
			continue;
		if (levels > 1)
			mem_table_put(s, t->c[k], levels - 1);
		else
			mem_inode_put(s, t->c[k]);
	}
	mem_free(s, t, sizeof(*t));
}

static void set_immortal(void *node, bool on)
{
	uint32_t *refs = node;

	*refs = on ? *refs | MEM_IMMORTAL : *refs & ~MEM_IMMORTAL;
}

static void inode_freeze(struct mem_inode *i, bool on)
{
	set_immortal(i, on);
	switch (i->mode & SYS_S_TYPE) {
	case SYS_S_FILE: mem_data_freeze(i->data, i->levels, on); break;
	case SYS_S_DIR: mem_dir_freeze(i->dir, on); break;
	case SYS_S_LINK: set_immortal(i->link, on); break;
	default: break;
	}
	if (i->origin)
		set_immortal(i->origin, on);
}

void mem_table_freeze(struct mem_table *t, unsigned levels, bool on)
{
	set_immortal(t, on);
	for (unsigned k = 0; k < MEM_TABLE_WIDTH; k++) {
		if (!t->c[k])
			continue;
		if (levels > 1)
			mem_table_freeze(t->c[k], levels - 1, on);
		else
			inode_freeze(t->c[k], on);
	}
}

/* ---- Looking up ------------------------------------------------------------------ */

struct mem_inode *mem_table_find(const struct mem_state *t, uint32_t ino)
{
	const struct mem_table *n = t->root;

	if (!in_range(t, ino))
		return NULL;
	for (unsigned level = t->levels; level > 1; level--) {
		n = n->c[slot_of(ino, level)];
		if (!n)
			return NULL;
	}
	return n->c[slot_of(ino, 1)];
}

struct mem_inode *mem_table_unshared(const struct mem_state *t, uint32_t ino)
{
	const struct mem_table *n = t->root;
	struct mem_inode *i;

	if (!in_range(t, ino))
		return NULL;
	for (unsigned level = t->levels;; level--) {
		if (!n || mem_shared(n))
			return NULL;
		if (level == 1)
			break;
		n = n->c[slot_of(ino, level)];
	}
	i = n->c[slot_of(ino, 1)];
	return i && !mem_shared(i) ? i : NULL;
}

/* ---- Owning ------------------------------------------------------------------------ */

static struct mem_table *table_new(struct mem_store *s)
{
	struct mem_table *t = mem_alloc(s, sizeof(*t));

	if (t) {
		memset(t, 0, sizeof(*t));
		t->refs = 1;
	}
	return t;
}

/* Makes *at unshared. */
static bool table_own(struct mem_store *s, struct mem_table **at)
{
	struct mem_table *old = *at, *t;

	if (!mem_shared(old))
		return true;
	t = mem_alloc(s, sizeof(*t));
	if (!t)
		return false;
	memcpy(t, old, sizeof(*t));
	t->refs = 1;
	for (unsigned k = 0; k < MEM_TABLE_WIDTH; k++)
		if (t->c[k])
			mem_get(t->c[k]);
	mem_put(old); /* it is shared: not the last */
	*at = t;
	return true;
}

static bool deepen(struct mem_store *s, struct mem_state *t)
{
	struct mem_table *top = table_new(s);

	if (!top)
		return false;
	top->c[0] = t->root;
	top->n = 1;
	t->root = top;
	t->levels++;
	return true;
}

struct mem_inode **mem_table_place(struct mem_store *s, struct mem_state *t, uint32_t ino)
{
	struct mem_table *n;

	while (!in_range(t, ino))
		if (!deepen(s, t))
			return NULL;
	if (!table_own(s, &t->root))
		return NULL;
	n = t->root;
	for (unsigned level = t->levels; level > 1; level--) {
		void **c = &n->c[slot_of(ino, level)];
		struct mem_table *below = *c;

		if (!below) {
			below = table_new(s);
			if (!below)
				return NULL;
			n->n++;
		} else if (!table_own(s, &below)) {
			return NULL;
		}
		*c = below;
		n = below;
	}
	return (struct mem_inode **)(void *)&n->c[slot_of(ino, 1)];
}

struct mem_inode *mem_inode_own(struct mem_store *s, struct mem_inode **at)
{
	struct mem_inode *old = *at, *i;

	if (!mem_shared(old))
		return old;
	i = mem_alloc(s, sizeof(*i));
	if (!i)
		return NULL;
	*i = *old;
	i->refs = 1;
	inode_get_parts(i);
	mem_put(old); /* it is shared: not the last */
	return *at = i;
}

struct mem_inode *mem_table_own(struct mem_store *s, struct mem_state *t, uint32_t ino)
{
	struct mem_inode **place = mem_table_place(s, t, ino);

	return place ? mem_inode_own(s, place) : NULL;
}

/* ---- Changing ------------------------------------------------------------------------ */

/* The path to `ino`, which is owned: path[level] is the node of that level. */
static void path_to(const struct mem_state *t, uint32_t ino, struct mem_table **path)
{
	struct mem_table *n = t->root;

	for (unsigned level = t->levels; level > 1; level--) {
		path[level] = n;
		n = n->c[slot_of(ino, level)];
	}
	path[1] = n;
}

void mem_table_set(struct mem_state *t, uint32_t ino, struct mem_inode *i)
{
	struct mem_table *path[33 / MEM_TABLE_BITS + 2];

	path_to(t, ino, path);
	path[1]->c[slot_of(ino, 1)] = i;
	path[1]->n++;
	t->files++;
}

struct mem_inode *mem_table_take(struct mem_store *s, struct mem_state *t, uint32_t ino)
{
	struct mem_table *path[33 / MEM_TABLE_BITS + 2];
	struct mem_inode *i;

	path_to(t, ino, path);
	i = path[1]->c[slot_of(ino, 1)];
	t->files--;
	for (unsigned level = 1;; level++) {
		path[level]->c[slot_of(ino, level)] = NULL;
		if (--path[level]->n > 0 || level == t->levels)
			return i;
		mem_free(s, path[level], sizeof(struct mem_table));
	}
}
