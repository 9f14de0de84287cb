/*
 * overlay_up.c - taking files over from below, covering them, and undoing what failed half way.
 *
 * An operation of several steps keeps the tree above as it was before them (a reference on its
 * root) and goes back to it when one fails.
 */
#include "overlay_ops.h"

#define COPY_SIZE 65536u

/* ---- Whole or not at all -------------------------------------------------- */

void ov_begin(struct overlay *o, struct ov_tx *tx)
{
	tx->old = o->up->state;
	mem_get(tx->old.root);
}

int ov_end(struct overlay *o, struct ov_tx *tx, int err)
{
	ov_files_switch(o, err >= 0);
	/* What it was charged was given back since, if anything: it cannot be refused. */
	if (err < 0 && mem_go_back(o->up, &tx->old))
		err = -NACRE_EIO;
	mem_table_put(o->up->store, tx->old.root, tx->old.levels);
	return err;
}

/* ---- Taking over ---------------------------------------------------------------- */

static struct mem_origin *origin_new(struct overlay *o, const struct ov_path *low,
                                     const struct sys_stat *st)
{
	struct mem_origin *n = mem_alloc(o->up->store, sizeof(*n) + low->len + 1);

	if (!n)
		return NULL;
	*n = (struct mem_origin){1, (uint32_t)low->len, st->dev, st->ino};
	memcpy(n->path, low->s, low->len + 1);
	return n;
}

static struct mem_time time_of(struct sys_time t)
{
	return (struct mem_time){t.sec, t.nsec};
}

static int copy_link(struct overlay *o, const char *low, struct mem_inode *i)
{
	char *text = kalloc(o->quota, FS_LINK_MAX);
	int64_t n = text ? o->below->ops->readlink(o->below, low, text, FS_LINK_MAX) : -NACRE_ENOMEM;
	struct mem_text *t = n > 0 ? mem_alloc(o->up->store, sizeof(*t) + (size_t)n) : NULL;

	if (t) {
		t->refs = 1;
		t->len = (uint32_t)n;
		memcpy(t->text, text, (size_t)n);
		i->link = t;
		i->charged += sizeof(*t) + (size_t)n;
	}
	kfree(o->quota, text, FS_LINK_MAX);
	return t ? 0 : n < 0 ? (int)n : n ? -NACRE_ENOSPC : -NACRE_EIO;
}

/* An inode that shows the file below at `low`. */
static int inode_from(struct overlay *o, const struct ov_path *low, const struct sys_stat *st,
                      struct mem_inode **out)
{
	uint32_t type = st->mode & SYS_S_TYPE;
	struct mem_inode *i;
	int err = 0;

	if (type == SYS_S_CHAR || type == SYS_S_BLOCK)
		return -NACRE_EPERM;
	i = mem_inode_new(o->up, NULL, st->mode);
	if (!i)
		return -NACRE_ENOSPC;
	i->origin = origin_new(o, low, st);
	if (!i->origin) {
		err = -NACRE_ENOSPC;
		i->mode = SYS_S_FIFO; /* nothing more to give back */
	} else {
		i->charged = sizeof(*i->origin) + low->len;
		i->atime = time_of(st->atime);
		i->mtime = time_of(st->mtime);
		i->ctime = time_of(st->ctime);
		i->btime = time_of(st->btime);
		if (type == SYS_S_FILE) {
			i->size = (uint64_t)st->size;
			i->flags |= MEM_BELOW;
		} else if (type == SYS_S_LINK) {
			err = copy_link(o, low->s, i);
			if (err)
				i->mode = SYS_S_FIFO;
		}
	}
	if (err)
		mem_inode_put(o->up->store, i);
	else
		*out = i;
	return err;
}

/* Adds without touching the directory's times: nothing changed for who looks at it. */
static int add_quietly(struct fs_mem *m, const struct mem_at *a, struct mem_inode *i)
{
	struct mem_inode *dir = mem_table_find(&m->state, a->dir_ino);
	struct mem_time mtime = dir->mtime, ctime = dir->ctime;
	int err = mem_add(m, a, i);

	if (err)
		return err;
	dir = mem_table_find(&m->state, a->dir_ino);
	dir->mtime = mtime;
	dir->ctime = ctime;
	return 0;
}

/* The component at path[at, to), which is below only, in the directory above `dir_ino`. */
static int take_one(struct overlay *o, uint32_t dir_ino, const char *name, size_t len)
{
	struct fs_mem *m = o->up;
	const struct mem_inode *dir = mem_table_find(&m->state, dir_ino);
	struct mem_at a = {.dir_ino = dir_ino,
	                   .name = name,
	                   .len = len,
	                   .hash = mem_name_hash(m->state.seed, name, len)};
	struct mem_inode *i;
	struct sys_stat st;
	struct ov_path low;
	int err;

	ov_path_init(&low, o->quota);
	err = dir->origin ? ov_path_join(&low, dir->origin->path, name, len) : -NACRE_ENOENT;
	if (!err)
		err = ov_stat_below(o, low.s, &st);
	if (!err)
		err = ov_seen_put(o, low.s, ov_digest(&st), true);
	if (!err)
		err = inode_from(o, &low, &st, &i);
	if (!err)
		err = add_quietly(m, &a, i);
	ov_path_release(&low);
	return err;
}

static int error_of(const struct ov_at *a)
{
	switch (a->w.end) {
	case FS_WALK_LINK: return -NACRE_ELOOP;
	case FS_WALK_NOTDIR: return -NACRE_ENOTDIR;
	case FS_WALK_MISSING: return -NACRE_ENOENT;
	default: return 0;
	}
}

static int up_all(struct overlay *o, const char *path, uint32_t *ino)
{
	for (;;) {
		struct ov_at a;
		int err = ov_look(o, path, &a);
		bool done;

		if (!err)
			err = error_of(&a);
		done = !err && a.above;
		*ino = a.ino;
		if (!err && !done)
			err = take_one(o, a.dir_ino, path + a.at, strcspn(path + a.at, "/"));
		ov_at_release(&a);
		if (err || done)
			return err;
	}
}

int ov_up(struct overlay *o, const char *path, uint32_t *ino)
{
	return up_all(o, path, ino);
}

int ov_up_parent(struct overlay *o, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct ov_path dir;
	uint32_t ino;
	int err;

	if (!slash)
		return 0;
	ov_path_init(&dir, o->quota);
	err = ov_path_join(&dir, "", path, (size_t)(slash - path));
	if (!err)
		err = up_all(o, dir.s, &ino);
	ov_path_release(&dir);
	return err;
}

/* ---- Data ------------------------------------------------------------------------ */

/* Moves *at over a hole of a file that has some. */
static int skip_hole(struct file *f, const struct sys_stat *st, uint64_t *at)
{
	int64_t start;
	int err;

	if (!f->ops->data || (uint64_t)st->blocks * 512 >= (uint64_t)st->size)
		return 0;
	err = f->ops->data(f, (int64_t)*at, &start);
	if (!err && start > (int64_t)*at)
		*at = (uint64_t)start;
	return err;
}

/* Holes stay holes. */
static int copy_data(struct overlay *o, struct file *f, const struct sys_stat *st, struct mem_inode *i)
{
	struct fs_mem *m = o->up;
	char *buf = kalloc(o->quota, COPY_SIZE);
	uint64_t at = 0;
	int64_t got = buf ? 1 : -NACRE_ENOSPC;

	while (got > 0) {
		got = skip_hole(f, st, &at);
		if (got < 0)
			break;
		got = ov_read_below(f, buf, COPY_SIZE, (int64_t)at);
		if (got > 0) {
			int64_t put = mem_data_write(m, &m->state.used, i, at, buf, (size_t)got);

			at += (uint64_t)MAX(put, 0);
			if (put < got)
				got = put < 0 ? put : -NACRE_ENOSPC;
		}
	}
	if (got == 0 && at > i->size)
		got = mem_data_resize(m, &m->state.used, i, at);
	kfree(o->quota, buf, COPY_SIZE);
	return (int)got;
}

int ov_data_up(struct overlay *o, uint32_t ino, bool drop)
{
	struct mem_inode *i = mem_table_own(o->up->store, &o->up->state, ino);
	struct sys_stat st;
	struct file *f;
	int err;

	if (!i)
		return -NACRE_ENOSPC;
	if (!(i->flags & MEM_BELOW))
		return 0;
	err = ov_files_prepare(o, i->origin->path, ino);
	if (err)
		return err;
	i->flags &= (uint16_t)~MEM_BELOW;
	if (drop) {
		i->size = 0;
		return 0;
	}
	err = o->below->ops->open(o->below, i->origin->path, SYS_O_READ, 0, o->quota, &f);
	if (err)
		return err;
	err = f->ops->stat(f, &st);
	if (!err)
		err = ov_seen_put(o, i->origin->path, ov_digest(&st), true);
	i->size = 0;
	if (!err)
		err = copy_data(o, f, &st, i);
	file_put(f);
	return err;
}

/* ---- Covering ----------------------------------------------------------------------- */

int ov_cover(struct overlay *o, const char *path, const char *low)
{
	struct fs_mem *m = o->up;
	struct mem_inode *i;
	struct sys_stat st;
	struct mem_at a;
	int err = low ? ov_stat_below(o, low, &st) : -NACRE_ENOENT;

	if (err)
		return err == -NACRE_ENOENT ? 0 : err;
	err = ov_seen_put(o, low, ov_digest(&st), true);
	if (!err)
		err = mem_look_up(m, path, &a);
	if (err)
		return err;
	i = mem_inode_new(m, NULL, SYS_S_CHAR);
	return i ? mem_add(m, &a, i) : -NACRE_ENOSPC;
}

int ov_uncover(struct overlay *o, const char *path)
{
	struct mem_at a;
	int err = mem_look_up(o->up, path, &a);

	return !err && a.e && ov_is_whiteout(a.e) ? mem_take_away(o->up, &a) : err;
}

struct whiteouts {
	const struct mem_entry **v;
	size_t n;
	bool others;
};

static void note(void *ctx, struct mem_entry *e)
{
	struct whiteouts *w = ctx;

	if (!ov_is_whiteout(e))
		w->others = true;
	else if (w->v)
		w->v[w->n] = e;
	w->n++;
}

/* 0 when all that the directory below has is covered. */
static int all_covered(struct overlay *o, const struct mem_inode *dir)
{
	struct sys_dirent e;
	struct file *f;
	int got = o->below->ops->open(o->below, dir->origin->path, SYS_O_READ | SYS_O_DIRECTORY, 0,
	                              o->quota, &f);

	if (got)
		return got == -NACRE_ENOENT || got == -NACRE_ENOTDIR ? 0 : got;
	while ((got = f->ops->readdir(f, &e)) > 0)
		if (!mem_dir_find(dir->dir, mem_name_hash(o->up->state.seed, e.name, e.len), e.name,
		                  e.len))
			break;
	file_put(f);
	return got > 0 ? -NACRE_ENOTEMPTY : got;
}

/* Takes all whiteouts out of a directory without origin that has nothing else. */
static int drop_whiteouts(struct overlay *o, uint32_t ino)
{
	struct fs_mem *m = o->up;
	struct mem_inode *dir = mem_table_find(&m->state, ino);
	struct whiteouts w = {.v = NULL};
	size_t size = size_mul((size_t)dir->size, sizeof(*w.v));
	void *hamt = dir->dir;
	int err = 0;

	if (dir->size == 0)
		return 0;
	w.v = kalloc(o->quota, size);
	if (!w.v)
		return -NACRE_ENOSPC;
	mem_get(hamt);
	mem_dir_each(hamt, note, &w);
	for (size_t k = 0; k < w.n && !err; k++) {
		const struct mem_entry *e = w.v[k];
		struct mem_at a = {.dir_ino = ino, .name = e->name, .len = e->len, .hash = e->hash,
		                   .e = e, .ino = e->ino};

		a.i = mem_table_find(&m->state, e->ino);
		err = mem_take_away(m, &a);
	}
	mem_dir_put(m->store, hamt);
	kfree(o->quota, w.v, size);
	return err;
}

int ov_empty_out(struct overlay *o, uint32_t ino)
{
	struct fs_mem *m = o->up;
	struct mem_inode *dir = mem_table_find(&m->state, ino);
	struct whiteouts w = {.v = NULL};
	int err = 0;

	mem_dir_each(dir->dir, note, &w);
	if (w.others)
		return -NACRE_ENOTEMPTY;
	if (dir->origin)
		err = all_covered(o, dir);
	if (err)
		return err;
	dir = mem_table_own(m->store, &m->state, ino);
	if (!dir)
		return -NACRE_ENOSPC;
	if (dir->origin) {
		uint64_t cost = sizeof(*dir->origin) + dir->origin->len;

		dir->charged -= cost;
		mem_refund(m, &m->state.used, cost);
		mem_origin_put(m->store, dir->origin);
		dir->origin = NULL;
	}
	return drop_whiteouts(o, ino);
}
