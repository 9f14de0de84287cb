/* overlay_walk.c - going through the tree above: each entry with what it stands for below. */
#include "overlay_ops.h"

struct walker {
	struct overlay *o;
	const struct ov_moves *moves;
	ov_visit pre, post;
	void *ctx;
	char *path; /* SYS_PATH_MAX bytes */
};

static int walk_dir(struct walker *k, uint32_t ino, size_t len, const char *source);

/* Where below the content of a directory above is, NULL: nowhere. One that was made anew takes the
 * place of what was there, unless that was renamed. */
static const char *content_of(struct walker *k, const struct ov_node *n)
{
	struct sys_stat st;

	if (n->i->origin)
		return n->i->origin->path;
	if (n->natural && !ov_moves_has(k->moves, n->natural) &&
	    ov_stat_below(k->o, n->natural, &st) == 0 &&
	    (st.mode & SYS_S_TYPE) == SYS_S_DIR)
		return n->natural;
	return NULL;
}

static int visit(struct walker *k, uint32_t ino, size_t len, const struct ov_path *natural)
{
	const struct mem_inode *i = mem_table_find(&k->o->up->state, ino);
	struct ov_node n = {.path = k->path, .ino = ino, .i = i};
	int err;

	n.natural = natural ? natural->s : NULL;
	n.whiteout = mem_is(i, SYS_S_CHAR);
	n.source = n.natural;
	if (i->origin && (!n.natural || !streq(i->origin->path, n.natural)) &&
	    (mem_is(i, SYS_S_DIR) || i->nlink == 1)) {
		n.moved = true;
		n.source = i->origin->path;
	}
	err = k->pre ? k->pre(k->ctx, &n) : 0;
	if (!err && mem_is(i, SYS_S_DIR))
		err = walk_dir(k, ino, len, content_of(k, &n));
	k->path[len] = '\0';
	return err ? err : k->post ? k->post(k->ctx, &n) : 0;
}

static int walk_dir(struct walker *k, uint32_t ino, size_t len, const char *source)
{
	struct fs_mem *m = k->o->up;
	struct ov_path natural;
	struct sys_dirent e;
	struct file *f;
	int got = mem_file_new(m, SYS_O_READ, true, &m->store->pool.quota, &f);

	if (got)
		return got;
	mem_file_bind(f, ino);
	ov_path_init(&natural, &m->store->pool.quota);
	while ((got = f->ops->readdir(f, &e)) > 0) {
		size_t slash = len > 0;
		int err = len + slash + e.len < SYS_PATH_MAX ? 0 : -NACRE_ENAMETOOLONG;

		if (!err && source)
			err = ov_path_join(&natural, source, e.name, e.len);
		if (!err) {
			if (slash)
				k->path[len] = '/';
			memcpy(k->path + len + slash, e.name, e.len);
			k->path[len + slash + e.len] = '\0';
			err = visit(k, (uint32_t)e.ino, len + slash + e.len, source ? &natural : NULL);
		}
		if (err) {
			got = err;
			break;
		}
	}
	ov_path_release(&natural);
	file_put(f);
	return got;
}

int ov_each(struct overlay *o, const struct ov_moves *m, ov_visit pre, ov_visit post, void *ctx)
{
	struct quota *q = &o->up->store->pool.quota;
	struct walker k = {o, m, pre, post, ctx, kalloc(q, SYS_PATH_MAX)};
	int err = -NACRE_ENOMEM;

	if (k.path) {
		k.path[0] = '\0';
		err = walk_dir(&k, MEM_ROOT_INO, 0, "");
		kfree(q, k.path, SYS_PATH_MAX);
	}
	return err;
}

/* ---- What was renamed ---------------------------------------------------------- */

static void index_move(struct ov_moves *m, size_t k)
{
	size_t at = mem_name_hash(m->seed, m->v[k]->path, m->v[k]->len);

	while (m->index[at & (m->slots - 1)])
		at++;
	m->index[at & (m->slots - 1)] = (uint32_t)k + 1;
}

static int grow_moves(struct ov_moves *m)
{
	size_t cap = m->cap ? m->cap * 2 : 16;
	struct mem_origin **v = kalloc(m->quota, size_mul(cap, sizeof(*v)));
	uint32_t *index = kzalloc(m->quota, size_mul(2 * cap, sizeof(*index)));

	if (!v || !index) {
		kfree(m->quota, v, size_mul(cap, sizeof(*v)));
		kfree(m->quota, index, size_mul(2 * cap, sizeof(*index)));
		return -NACRE_ENOMEM;
	}
	if (m->n)
		memcpy(v, m->v, m->n * sizeof(*v));
	kfree(m->quota, m->v, m->cap * sizeof(*m->v));
	kfree(m->quota, m->index, m->slots * sizeof(*m->index));
	m->v = v;
	m->cap = cap;
	m->index = index;
	m->slots = 2 * cap;
	for (size_t k = 0; k < m->n; k++)
		index_move(m, k);
	return 0;
}

static int note_move(void *ctx, const struct ov_node *n)
{
	struct ov_moves *m = ctx;
	int err = n->moved && m->n == m->cap ? grow_moves(m) : 0;

	if (err || !n->moved)
		return err;
	mem_get(n->i->origin);
	m->v[m->n] = n->i->origin;
	index_move(m, m->n++);
	return 0;
}

/* What counts as renamed depends on what else was (content_of): until no more is found. */
int ov_moves_collect(struct overlay *o, struct ov_moves *m)
{
	struct ov_moves known = {.quota = &o->up->store->pool.quota, .seed = o->up->state.seed};
	int err;

	for (;;) {
		*m = (struct ov_moves){.quota = known.quota, .seed = known.seed};
		err = ov_each(o, &known, note_move, NULL, m);
		if (err || m->n == known.n)
			break;
		ov_moves_release(o, &known);
		known = *m;
	}
	ov_moves_release(o, &known);
	return err;
}

void ov_moves_release(struct overlay *o, struct ov_moves *m)
{
	for (size_t k = 0; k < m->n; k++)
		mem_origin_put(o->up->store, m->v[k]);
	kfree(m->quota, m->v, m->cap * sizeof(*m->v));
	kfree(m->quota, m->index, m->slots * sizeof(*m->index));
	*m = (struct ov_moves){.quota = m->quota, .seed = m->seed};
}

size_t ov_moves_find(const struct ov_moves *m, const char *low)
{
	size_t len = strlen(low), at = mem_name_hash(m->seed, low, len);
	uint32_t k;

	for (; m->slots && (k = m->index[at & (m->slots - 1)]) != 0; at++)
		if (m->v[k - 1]->len == len && memcmp(m->v[k - 1]->path, low, len) == 0)
			return k - 1;
	return SIZE_MAX;
}

bool ov_moves_has(const struct ov_moves *m, const char *low)
{
	return ov_moves_find(m, low) != SIZE_MAX;
}

/* ---- Comparing ------------------------------------------------------------------- */

#define PIECE 32768u

static int same_bytes(struct file *f, const struct mem_inode *i, bool *same, char *a, char *b)
{
	for (uint64_t at = 0; at < i->size;) {
		int64_t got = ov_read_below(f, a, PIECE, (int64_t)at);
		size_t n;

		if (got < 0)
			return (int)got;
		n = mem_data_read(i, at, b, (size_t)got);
		if (got == 0 || n < (size_t)got || memcmp(a, b, n) != 0) {
			*same = false;
			return 0;
		}
		at += n;
	}
	*same = true;
	return 0;
}

int ov_same_data(struct overlay *o, const struct mem_inode *i, const char *low, bool *same)
{
	struct quota *q = &o->up->store->pool.quota;
	struct sys_stat st;
	struct file *f;
	char *buf;
	int err = ov_stat_below(o, low, &st);

	*same = false;
	if (err || (st.mode & SYS_S_TYPE) != SYS_S_FILE || (uint64_t)st.size != i->size)
		return err == -NACRE_ENOENT ? 0 : err;
	buf = kalloc(q, 2 * (size_t)PIECE);
	if (!buf)
		return -NACRE_ENOMEM;
	err = o->below->ops->open(o->below, low, SYS_O_READ, 0, q, &f);
	if (!err) {
		err = same_bytes(f, i, same, buf, buf + PIECE);
		file_put(f);
	}
	kfree(q, buf, 2 * (size_t)PIECE);
	return err;
}

int ov_same_text(struct overlay *o, const struct mem_inode *i, const char *low, bool *same)
{
	struct quota *q = &o->up->store->pool.quota;
	char *text = kalloc(q, FS_LINK_MAX);
	int64_t n = text ? o->below->ops->readlink(o->below, low, text, FS_LINK_MAX) : -NACRE_ENOMEM;

	*same = n == (int64_t)i->link->len && memcmp(text, i->link->text, (size_t)n) == 0;
	kfree(q, text, FS_LINK_MAX);
	return n < 0 ? (int)n : 0;
}
