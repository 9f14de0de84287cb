/*
 * mem_compare.c - what is different between two memory trees.
 *
 * Both are walked side by side. A file whose inode is one and the same node in both is the same; of others
 * the data are compared, chunk by chunk, and a chunk that both share is not read.
 */
#include "mem_tree.h"

struct compare {
	const struct fs_mem *a, *b;
	int (*each)(void *ctx, const struct mem_difference *d);
	void *ctx;
	struct quota *q;
	char *path; /* SYS_PATH_MAX bytes */
};

struct list {
	struct mem_entry **v;
	size_t n;
};

static int compare_dirs(struct compare *c, const struct mem_inode *a, const struct mem_inode *b, size_t len);

static bool is_dir(const struct mem_inode *i)
{
	return i && (i->mode & SYS_S_TYPE) == SYS_S_DIR;
}

static bool same_data(const struct mem_inode *a, const struct mem_inode *b)
{
	char x[1024], y[1024];

	if (a->data == b->data && a->levels == b->levels)
		return true;
	for (uint64_t ci = 0;; ci++) {
		uint64_t p = mem_data_next(a, ci), q = mem_data_next(b, ci);

		ci = MIN(p, q);
		if (ci == MEM_NO_CHUNK || ci * BUF_CHUNK >= a->size)
			return true;
		if (p == q && mem_data_chunk(a, ci) == mem_data_chunk(b, ci))
			continue;
		for (uint64_t at = ci * BUF_CHUNK; at < a->size && at < (ci + 1) * BUF_CHUNK; at += sizeof(x)) {
			size_t n = mem_data_read(a, at, x, sizeof(x));

			if (mem_data_read(b, at, y, sizeof(y)) != n || memcmp(x, y, n) != 0)
				return false;
		}
	}
}

/* Of the same type. */
static bool same_content(const struct mem_inode *a, const struct mem_inode *b)
{
	if (a == b || is_dir(a))
		return true;
	if ((a->mode & SYS_S_TYPE) == SYS_S_LINK)
		return a->link->len == b->link->len && memcmp(a->link->text, b->link->text, a->link->len) == 0;
	if ((a->mode & SYS_S_TYPE) != SYS_S_FILE)
		return true;
	return a->size == b->size && (a->flags & MEM_BELOW) == (b->flags & MEM_BELOW) && same_data(a, b);
}

static void add(void *ctx, struct mem_entry *e)
{
	struct list *l = ctx;

	l->v[l->n++] = e;
}

/* The file that was added, as the first tree has it; NULL: it does not. Two branches give new files the same numbers, but not
 * at the same moment. */
static const struct mem_inode *former(const struct compare *c, const struct mem_inode *b, uint32_t ino)
{
	const struct mem_inode *a = mem_table_find(&c->a->state, ino);

	return a && (a->mode & SYS_S_TYPE) == (b->mode & SYS_S_TYPE) && memcmp(&a->btime, &b->btime, sizeof(a->btime)) == 0 ? a : NULL;
}

static int tell(struct compare *c, enum mem_difference_kind kind, const struct mem_inode *a,
                const struct mem_inode *b, uint32_t ino)
{
	const struct mem_inode *was = kind == MEM_ADDED ? former(c, b, ino) : NULL;
	const struct mem_difference d = {kind, c->path, a ? a->mode : 0, b ? b->mode : 0, ino,
	                                 was ? was->mode : 0, was && !same_content(was, b)};

	return c->each(c->ctx, &d);
}

/* One name, in both trees; NULL where it is missing. */
static int compare_one(struct compare *c, const struct mem_inode *a, uint32_t ino_a, const struct mem_inode *b,
                       uint32_t ino_b, size_t len)
{
	int err = 0;

	if (a && b && (a->mode & SYS_S_TYPE) != (b->mode & SYS_S_TYPE)) {
		err = compare_one(c, a, ino_a, NULL, 0, len);
		return err ? err : compare_one(c, NULL, 0, b, ino_b, len);
	}
	if (!a || !b)
		err = tell(c, a ? MEM_DELETED : MEM_ADDED, a, b, a ? ino_a : ino_b);
	else if (!same_content(a, b))
		err = tell(c, MEM_MODIFIED, a, b, ino_b);
	else if (a->mode != b->mode)
		err = tell(c, MEM_MODE, a, b, ino_b);
	if (!err && (is_dir(a) || is_dir(b)))
		err = compare_dirs(c, a, b, len);
	return err;
}

/* The names of `in`; those that `other` has too only when `both`. */
static int compare_names(struct compare *c, const struct mem_inode *in, const struct mem_inode *other,
                         bool in_is_a, bool both, size_t len)
{
	struct list l = {.n = 0};
	size_t size = size_mul((size_t)in->size, sizeof(*l.v));
	int err = 0;

	if (in->size == 0)
		return 0;
	l.v = kalloc(c->q, size);
	if (!l.v)
		return -NACRE_ENOMEM;
	mem_dir_each(in->dir, add, &l);
	for (size_t k = 0; k < l.n && !err; k++) {
		const struct mem_entry *e = l.v[k], *o = other ? mem_dir_find(other->dir, e->hash, e->name, e->len) : NULL;
		const struct mem_inode *mine = mem_table_find(in_is_a ? &c->a->state : &c->b->state, e->ino);
		const struct mem_inode *its = o ? mem_table_find(in_is_a ? &c->b->state : &c->a->state, o->ino) : NULL;

		if (len + 1 + e->len >= SYS_PATH_MAX || (o && !both))
			continue;
		c->path[len] = '/';
		memcpy(c->path + len + (len > 0), e->name, (size_t)e->len + 1);
		err = in_is_a ? compare_one(c, mine, e->ino, its, o ? o->ino : 0, len + (len > 0) + e->len)
		              : compare_one(c, its, o ? o->ino : 0, mine, e->ino, len + (len > 0) + e->len);
	}
	c->path[len] = '\0';
	kfree(c->q, l.v, size);
	return err;
}

static int compare_dirs(struct compare *c, const struct mem_inode *a, const struct mem_inode *b, size_t len)
{
	bool both = is_dir(a) && is_dir(b);
	int err = is_dir(a) ? compare_names(c, a, both ? b : NULL, true, true, len) : 0;

	return !err && is_dir(b) ? compare_names(c, b, both ? a : NULL, false, false, len) : err;
}

int fs_mem_compare(const struct fs *from, const struct fs *to,
                   int (*each)(void *ctx, const struct mem_difference *d), void *ctx)
{
	struct compare c = {.a = CONTAINER_OF(from, const struct fs_mem, fs),
	                    .b = CONTAINER_OF(to, const struct fs_mem, fs), .each = each, .ctx = ctx};
	int err;

	if (c.a->state.root == c.b->state.root)
		return 0;
	if (c.a->state.seed != c.b->state.seed)
		return -NACRE_EINVAL;
	c.q = &c.b->store->pool.quota;
	c.path = kalloc(c.q, SYS_PATH_MAX);
	if (!c.path)
		return -NACRE_ENOMEM;
	c.path[0] = '\0';
	err = compare_dirs(&c, mem_table_find(&c.a->state, MEM_ROOT_INO), mem_table_find(&c.b->state, MEM_ROOT_INO), 0);
	kfree(c.q, c.path, SYS_PATH_MAX);
	return err;
}
