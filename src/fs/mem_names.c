/*
 * mem_names.c - operations that make names, take them away or move them, and opening.
 *
 * See mem_ops.h for how they stay whole when memory fails half way.
 */
#include "mem_ops.h"

#define NLINK_MAX INT32_MAX

/* ---- Making ---------------------------------------------------------------- */

struct mem_inode *mem_inode_new(struct fs_mem *m, const struct mem_inode *dir, uint32_t mode)
{
	struct mem_inode *i = mem_alloc(m->store, sizeof(*i));
	struct mem_time now = mem_now(m);

	if (!i)
		return NULL;
	*i = (struct mem_inode){
	        .refs = 1,
	        .mode = mode,
	        .nlink = (mode & SYS_S_TYPE) == SYS_S_DIR ? 2 : 1,
	        .uid = m->config.uid,
	        .gid = m->config.gid,
	        .atime = now,
	        .mtime = now,
	        .ctime = now,
	        .btime = now,
	};
	if (dir && (dir->mode & 02000)) {
		i->gid = dir->gid;
		if (mem_is(i, SYS_S_DIR))
			i->mode |= 02000;
	}
	return i;
}

/* May a name be made where `a` looked for one? */
static int may_create(const struct fs_mem *m, const struct mem_at *a)
{
	if (a->i)
		return -NACRE_EEXIST;
	if (a->dir->nlink == 0)
		return -NACRE_ENOENT;
	return mem_may(m, a->dir, SYS_W_OK | SYS_X_OK) ? 0 : -NACRE_EACCES;
}

/* May the name be taken away, as a directory or as something else? */
static int may_delete(const struct fs_mem *m, const struct mem_at *a, bool dir)
{
	if (!mem_may(m, a->dir, SYS_W_OK | SYS_X_OK))
		return -NACRE_EACCES;
	if ((a->dir->mode & 01000) && !mem_owns(m, a->i) && !mem_owns(m, a->dir))
		return -NACRE_EPERM;
	if (dir != mem_is(a->i, SYS_S_DIR))
		return dir ? -NACRE_ENOTDIR : -NACRE_EISDIR;
	return 0;
}

int mem_add(struct fs_mem *m, const struct mem_at *a, struct mem_inode *i)
{
	uint64_t cost = MEM_INODE_COST + MEM_ENTRY_COST(a->len) + i->charged;
	uint32_t ino = m->next_ino;
	struct mem_entry *e = NULL;
	struct mem_inode *dir;

	if (ino == UINT32_MAX || (m->config.max_files && mem_counted_files(m) >= m->config.max_files))
		goto no_charge;
	if (!mem_charge(m, &m->state.used, cost))
		goto no_charge;
	e = mem_entry_new(m->store, a->hash, a->name, a->len, ino, i->mode & SYS_S_TYPE);
	if (!e || !mem_table_place(m->store, &m->state, ino))
		goto no_memory;
	dir = mem_table_own(m->store, &m->state, a->dir_ino);
	if (!dir || !mem_dir_insert(m->store, &dir->dir, e))
		goto no_memory;
	mem_table_set(&m->state, ino, i);
	m->next_ino++;
	dir->size++;
	if (mem_is(i, SYS_S_DIR))
		dir->nlink++;
	mem_touch(dir, i->ctime);
	return 0;

no_memory:
	if (e)
		mem_entry_put(m->store, e);
	mem_refund(m, &m->state.used, cost);
no_charge:
	mem_inode_put(m->store, i);
	return -NACRE_ENOSPC;
}

static int make(struct fs *fs, const char *path, uint32_t mode)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_inode *i;
	struct mem_at a;
	int err = mem_look_up(m, path, &a);

	if (!err)
		err = may_create(m, &a);
	if (err)
		return err;
	if ((mode & SYS_S_TYPE) == SYS_S_DIR && a.dir->nlink >= NLINK_MAX)
		return -NACRE_EMLINK;
	i = mem_inode_new(m, a.dir, mode);
	return i ? mem_add(m, &a, i) : -NACRE_ENOSPC;
}

int mem_mkdir(struct fs *fs, const char *path, unsigned mode)
{
	return make(fs, path, SYS_S_DIR | (mode & 01777));
}

int mem_mkfifo(struct fs *fs, const char *path, unsigned mode)
{
	return make(fs, path, SYS_S_FIFO | (mode & 07777));
}

int mem_symlink(struct fs *fs, const char *target, const char *path)
{
	struct fs_mem *m = mem_of(fs);
	size_t len = strlen(target);
	struct mem_text *t;
	struct mem_inode *i;
	struct mem_at a;
	int err = mem_look_up(m, path, &a);

	if (!err)
		err = len > FS_LINK_MAX ? -NACRE_ENAMETOOLONG : may_create(m, &a);
	if (err)
		return err;
	t = mem_alloc(m->store, sizeof(*t) + len);
	if (!t)
		return -NACRE_ENOSPC;
	t->refs = 1;
	t->len = (uint32_t)len;
	memcpy(t->text, target, len);
	i = mem_inode_new(m, NULL, SYS_S_LINK | 0777);
	if (!i) {
		mem_free(m->store, t, sizeof(*t) + len);
		return -NACRE_ENOSPC;
	}
	i->link = t;
	i->charged = sizeof(*t) + len;
	return mem_add(m, &a, i);
}

int mem_link(struct fs *fs, const char *from, const char *to)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_entry *e = NULL;
	struct mem_inode *dir, *i;
	struct mem_at old, new;
	uint64_t cost;
	int err = mem_look_up_old(m, from, &old);

	if (!err)
		err = mem_look_up(m, to, &new);
	if (!err && new.i)
		err = -NACRE_EEXIST;
	if (err)
		return err;
	/* As with protected_hardlinks: not on what one could not write. */
	if (!mem_owns(m, old.i) && !(mem_is(old.i, SYS_S_FILE) && !(old.i->mode & 04000) &&
	                             mem_may(m, old.i, SYS_R_OK | SYS_W_OK)))
		return -NACRE_EPERM;
	err = may_create(m, &new);
	if (err)
		return err;
	if (mem_is(old.i, SYS_S_DIR))
		return -NACRE_EPERM;
	if (old.i->nlink >= NLINK_MAX)
		return -NACRE_EMLINK;
	cost = MEM_ENTRY_COST(new.len);
	if (!mem_charge(m, &m->state.used, cost))
		return -NACRE_ENOSPC;
	e = mem_entry_new(m->store, new.hash, new.name, new.len, old.ino, old.i->mode & SYS_S_TYPE);
	i = e ? mem_table_own(m->store, &m->state, old.ino) : NULL;
	dir = i ? mem_table_own(m->store, &m->state, new.dir_ino) : NULL;
	if (!dir || !mem_dir_insert(m->store, &dir->dir, e)) {
		if (e)
			mem_entry_put(m->store, e);
		mem_refund(m, &m->state.used, cost);
		return -NACRE_ENOSPC;
	}
	dir->size++;
	i->nlink++;
	i->ctime = mem_now(m);
	mem_touch(dir, i->ctime);
	return 0;
}

/* ---- Opening --------------------------------------------------------------- */

static int check_open(const struct fs_mem *m, const struct mem_at *a, unsigned flags)
{
	unsigned how = 0;

	if (!a->i) {
		if (!(flags & SYS_O_CREATE))
			return -NACRE_ENOENT;
		return may_create(m, a);
	}
	if ((flags & SYS_O_CREATE) && (flags & SYS_O_EXCL))
		return -NACRE_EEXIST;
	if (mem_is(a->i, SYS_S_LINK))
		return -NACRE_ELOOP;
	if (mem_is(a->i, SYS_S_DIR) && (flags & (SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC)))
		return -NACRE_EISDIR;
	if ((flags & SYS_O_DIRECTORY) && !mem_is(a->i, SYS_S_DIR))
		return -NACRE_ENOTDIR;
	if (flags & SYS_O_READ)
		how |= SYS_R_OK;
	if (flags & (SYS_O_WRITE | SYS_O_TRUNC))
		how |= SYS_W_OK;
	if (!mem_may(m, a->i, how))
		return -NACRE_EACCES;
	if (!mem_is(a->i, SYS_S_DIR) && !mem_is(a->i, SYS_S_FILE))
		return -NACRE_ENXIO;
	return 0;
}

static int open_new(struct fs_mem *m, const struct mem_at *a, unsigned mode)
{
	struct mem_inode *i = mem_inode_new(m, a->dir, SYS_S_FILE | (mode & 07777));

	return i ? mem_add(m, a, i) : -NACRE_ENOSPC;
}

static int open_trunc(struct fs_mem *m, uint32_t ino)
{
	struct mem_inode *i = mem_table_own(m->store, &m->state, ino);

	return i ? mem_set_size(m, &m->state.used, i, 0) : -NACRE_ENOSPC;
}

int mem_open(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q,
             struct file **out)
{
	struct fs_mem *m = mem_of(fs);
	uint32_t ino;
	struct file *f;
	struct mem_at a;
	int err = mem_look_up(m, path, &a);

	if (!err)
		err = check_open(m, &a, flags);
	if (err)
		return err;
	err = mem_file_new(m, flags & (SYS_O_READ | SYS_O_WRITE | SYS_O_APPEND | SYS_O_NONBLOCK),
	                   a.i && mem_is(a.i, SYS_S_DIR), q, &f);
	if (err)
		return err;
	ino = a.i ? a.ino : m->next_ino;
	if (!a.i)
		err = open_new(m, &a, mode);
	else if (flags & SYS_O_TRUNC)
		err = open_trunc(m, ino);
	if (err) {
		mem_file_cancel(f);
		return err;
	}
	mem_file_bind(f, ino);
	*out = f;
	return 0;
}

/* ---- Taking away ----------------------------------------------------------- */

/* One name of the (owned) inode is gone. */
static void drop_link(struct fs_mem *m, uint32_t ino, struct mem_inode *i, struct mem_time now)
{
	struct mem_vnode *v;
	uint64_t shared;

	i->ctime = now;
	if (mem_is(i, SYS_S_DIR))
		i->nlink = 0;
	else if (--i->nlink > 0)
		return;
	i = mem_table_take(m->store, &m->state, ino);
	v = mem_vnode_find(m, ino);
	if (v) {
		v->orphan = i;
		m->state.used -= i->charged + MEM_INODE_COST;
		m->orphans += i->charged + MEM_INODE_COST;
		return;
	}
	shared = mem_data_shared(i);
	mem_refund_shared(m, &m->state.used, shared);
	mem_refund(m, &m->state.used, i->charged + MEM_INODE_COST - shared);
	mem_inode_put(m->store, i);
}

int mem_take_away(struct fs_mem *m, const struct mem_at *a)
{
	struct mem_inode *dir = mem_table_own(m->store, &m->state, a->dir_ino);
	struct mem_inode *i = dir ? mem_table_own(m->store, &m->state, a->ino) : NULL;
	struct mem_time now;

	if (!i || !mem_dir_own(m->store, &dir->dir, a->e))
		return -NACRE_ENOSPC;
	now = mem_now(m);
	mem_dir_remove(m->store, &dir->dir, a->hash, a->name, a->len);
	mem_refund(m, &m->state.used, MEM_ENTRY_COST(a->len));
	dir->size--;
	if (mem_is(i, SYS_S_DIR))
		dir->nlink--;
	mem_touch(dir, now);
	drop_link(m, a->ino, i, now);
	return 0;
}

int mem_unlink(struct fs *fs, const char *path)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_at a;
	int err = mem_look_up_old(m, path, &a);

	if (!err)
		err = a.dir ? may_delete(m, &a, false) : -NACRE_EISDIR;
	return err ? err : mem_take_away(m, &a);
}

int mem_rmdir(struct fs *fs, const char *path)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_at a;
	int err = mem_look_up_old(m, path, &a);

	if (!err)
		err = a.dir ? may_delete(m, &a, true) : -NACRE_EBUSY;
	if (!err && a.i->size > 0)
		err = -NACRE_ENOTEMPTY;
	return err ? err : mem_take_away(m, &a);
}

/* ---- Renaming -------------------------------------------------------------- */

static bool path_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

static int check_rename(const struct fs_mem *m, const struct mem_at *old, const struct mem_at *new,
                        const char *from, const char *to, unsigned flags)
{
	bool dir;
	int err;

	if (!old->dir || !new->dir)
		return -NACRE_EBUSY;
	if (new->i && (flags & SYS_NOREPLACE))
		return -NACRE_EEXIST;
	if (path_below(to, from))
		return -NACRE_EINVAL;
	if (path_below(from, to))
		return -NACRE_ENOTEMPTY;
	if (new->i &&new->ino == old->ino)
		return 0;
	dir = mem_is(old->i, SYS_S_DIR);
	err = may_delete(m, old, dir);
	if (!err)
		err = new->i ? may_delete(m, new, dir) : may_create(m, new);
	if (err)
		return err;
	if (dir && new->dir_ino != old->dir_ino && !mem_may(m, old->i, SYS_W_OK))
		return -NACRE_EACCES;
	return dir && new->i &&new->i->size > 0 ? -NACRE_ENOTEMPTY : 0;
}

static int move(struct fs_mem *m, const struct mem_at *old, const struct mem_at *new)
{
	uint64_t cost = MEM_ENTRY_COST(new->len);
	struct mem_inode *i, *target = NULL, *from, *to;
	struct mem_entry *e = NULL;
	struct mem_time now;
	bool dir;

	if (!new->i && !mem_charge(m, &m->state.used, cost))
		return -NACRE_ENOSPC;
	i = mem_table_own(m->store, &m->state, old->ino);
	from = i ? mem_table_own(m->store, &m->state, old->dir_ino) : NULL;
	to = from ? mem_table_own(m->store, &m->state, new->dir_ino) : NULL;
	if (to && new->i) {
		target = mem_table_own(m->store, &m->state, new->ino);
		if (!target)
			to = NULL;
	}
	if (to && mem_dir_own(m->store, &from->dir, old->e))
		e = mem_entry_new(m->store, new->hash, new->name, new->len, old->ino,
		                  i->mode & SYS_S_TYPE);
	if (!e || !mem_dir_insert(m->store, &to->dir, e)) {
		if (e)
			mem_entry_put(m->store, e);
		if (!new->i)
			mem_refund(m, &m->state.used, cost);
		return -NACRE_ENOSPC;
	}
	mem_dir_remove(m->store, &from->dir, old->hash, old->name, old->len);
	mem_refund(m, &m->state.used, MEM_ENTRY_COST(old->len));
	dir = mem_is(i, SYS_S_DIR);
	now = mem_now(m);
	from->size--;
	to->size += target ? 0 : 1;
	from->nlink -= dir ? 1 : 0;
	to->nlink += dir && !target ? 1 : 0;
	mem_touch(from, now);
	mem_touch(to, now);
	i->ctime = now;
	if (target)
		drop_link(m, new->ino, target, now);
	return 0;
}

int mem_rename(struct fs *fs, const char *from, const char *to, unsigned flags)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_at old, new;
	int err = mem_look_up_old(m, from, &old);

	if (!err)
		err = mem_look_up(m, to, &new);
	if (!err)
		err = check_rename(m, &old, &new, from, to, flags);
	if (err || (new.i &&new.ino == old.ino))
		return err;
	return move(m, &old, &new);
}
