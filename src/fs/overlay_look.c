/* overlay_look.c - finding a file in the tree above and the one below, and what it looks like. */
#include "../base/fmt.h"
#include "overlay_ops.h"

/* ---- Paths below ------------------------------------------------------------ */

void ov_path_init(struct ov_path *p, struct quota *q)
{
	p->quota = q;
	p->s = p->inside;
	p->cap = sizeof(p->inside);
	p->len = 0;
	p->inside[0] = '\0';
}

void ov_path_release(struct ov_path *p)
{
	if (p->s != p->inside)
		kfree(p->quota, p->s, p->cap);
	p->s = p->inside;
	p->cap = sizeof(p->inside);
}

int ov_path_join(struct ov_path *p, const char *dir, const char *name, size_t n)
{
	size_t dir_len = strlen(dir), slash = dir_len > 0 && n > 0, len = dir_len + slash + n;

	if (len >= SYS_PATH_MAX)
		return -NACRE_ENAMETOOLONG;
	if (len >= p->cap) {
		char *grown = kalloc(p->quota, SYS_PATH_MAX);

		if (!grown)
			return -NACRE_ENOMEM;
		ov_path_release(p);
		p->s = grown;
		p->cap = SYS_PATH_MAX;
	}
	memcpy(p->s, dir, dir_len);
	if (slash)
		p->s[dir_len] = '/';
	memcpy(p->s + dir_len + slash, name, n);
	p->s[len] = '\0';
	p->len = len;
	return 0;
}

/* ---- Rights and stat ---------------------------------------------------------- */

int ov_may(uint32_t mode, unsigned how)
{
	return (mode >> 6 & how) == how ? 0 : -NACRE_EACCES;
}

void ov_own_stat(const struct overlay *o, struct sys_stat *st)
{
	st->dev = st->dev == o->below->dev ? o->fs.dev : st->dev;
	st->uid = FS_UID;
	st->gid = FS_GID;
}

void ov_stat_above(const struct overlay *o, uint32_t ino, struct sys_stat *st)
{
	const struct mem_inode *i = mem_table_find(&o->up->state, ino);

	mem_fill_stat(o->up, ino, i, st);
	st->dev = o->fs.dev;
	/* How many directories are in it below was not counted: 1 says so, as elsewhere. */
	if (i->origin && mem_is(i, SYS_S_DIR))
		st->nlink = 1;
}

int ov_stat_below(struct overlay *o, const char *low, struct sys_stat *st)
{
	struct fs_walk w;
	int err = o->below->ops->walk(o->below, low, &w);

	if (err)
		return err;
	if (w.end != FS_WALK_FOUND)
		return -NACRE_ENOENT;
	*st = w.st;
	return 0;
}

/* ---- Looking up ------------------------------------------------------------------ */

/* The rest of a path, which is not above, in the directory below that `dir` shows. */
static int look_below(struct overlay *o, const char *path, const struct mem_inode *dir,
                      struct ov_at *a)
{
	size_t prefix, shift;
	int err;

	a->w.end = FS_WALK_MISSING;
	a->w.from = a->at;
	a->w.to = a->at + strcspn(path + a->at, "/");
	if (!dir->origin)
		return 0;
	a->has_low = true;
	err = ov_path_join(&a->low, dir->origin->path, path + a->at, strlen(path + a->at));
	if (!err)
		err = o->below->ops->walk(o->below, a->low.s, &a->w);
	if (err)
		return err;
	if (a->w.end == FS_WALK_FOUND) {
		ov_own_stat(o, &a->w.st);
		return 0;
	}
	prefix = dir->origin->len + (dir->origin->len > 0);
	shift = a->at - prefix;
	if (a->w.to <= prefix) { /* the directory itself is not there any more */
		a->w.end = FS_WALK_MISSING;
		a->w.from = a->at;
		a->w.to = a->at + strcspn(path + a->at, "/");
		return 0;
	}
	a->w.from += shift;
	a->w.to += shift;
	return 0;
}

/* The path was found above, or ends at a component there. */
static int found_above(struct overlay *o, const struct mem_inode *i, struct ov_at *a)
{
	a->w.end = FS_WALK_FOUND;
	a->above = true;
	ov_stat_above(o, a->ino, &a->w.st);
	if (!i->origin)
		return 0;
	a->has_low = true;
	return ov_path_join(&a->low, i->origin->path, "", 0);
}

static int stop_above(const struct mem_entry *e, size_t from, size_t len, struct ov_at *a)
{
	a->w.end = ov_is_whiteout(e)       ? FS_WALK_MISSING
	           : e->type == SYS_S_LINK ? FS_WALK_LINK
	                                   : FS_WALK_NOTDIR;
	a->w.from = from;
	a->w.to = from + len;
	a->covered = ov_is_whiteout(e);
	return 0;
}

int ov_look(struct overlay *o, const char *path, struct ov_at *a)
{
	struct fs_mem *m = o->up;
	const struct mem_inode *dir = mem_table_find(&m->state, MEM_ROOT_INO);
	const char *p = path;

	a->above = a->covered = a->parent_above = a->has_low = false;
	a->ino = a->dir_ino = MEM_ROOT_INO;
	a->at = 0;
	ov_path_init(&a->low, o->quota);
	if (!*p)
		return found_above(o, dir, a);
	for (;;) {
		size_t len = strcspn(p, "/");
		const struct mem_entry *e;

		a->at = (size_t)(p - path);
		a->parent_above = !p[len];
		if (ov_may(dir->mode, SYS_X_OK))
			return -NACRE_EACCES;
		if (len > FS_NAME_MAX)
			return -NACRE_ENAMETOOLONG;
		e = mem_dir_find(dir->dir, mem_name_hash(m->state.seed, p, len), p, len);
		if (!e)
			return look_below(o, path, dir, a);
		if (ov_is_whiteout(e))
			return stop_above(e, a->at, len, a);
		if (p[len] && e->type != SYS_S_DIR)
			return stop_above(e, a->at, len, a);
		a->ino = e->ino;
		dir = mem_table_find(&m->state, e->ino);
		if (!p[len])
			return found_above(o, dir, a);
		a->dir_ino = e->ino;
		p += len + 1;
	}
}

void ov_at_release(struct ov_at *a)
{
	ov_path_release(&a->low);
}

int fs_overlay_identity(struct fs *fs, const char *path, char *buf, size_t n, bool *below)
{
	struct overlay *o = overlay_of(fs);
	const struct mem_inode *i;
	struct ov_at a;
	int err = ov_look(o, path, &a);

	if (!err && a.w.end != FS_WALK_FOUND)
		err = -NACRE_ENOENT;
	if (!err) {
		i = a.above ? mem_table_find(&o->up->state, a.ino) : NULL;
		*below = !i || (i->flags & MEM_BELOW);
		if (!i || i->origin)
			err = fmt_buf(buf, n, "/%s", a.low.s) < n ? 0 : -NACRE_ENAMETOOLONG;
		else
			fmt_buf(buf, n, "%u %lld.%d", a.ino, (long long)i->btime.sec, (int)i->btime.nsec);
	}
	ov_at_release(&a);
	return err;
}
