/*
 * mem.c - the memory filesystem: an instance, and the operations on paths.
 *
 * An operation looks its paths up, checks rights, owns and allocates whatever it will
 * change or need, charges the quota, and only then changes anything, so that it either
 * happens as a whole or not at all.
 */
#include "mem_tree.h"

#define NLINK_MAX INT32_MAX

/* ---- Counting -------------------------------------------------------------------- */

static uint64_t beyond_base(const struct fs_mem *m, uint64_t total)
{
	return total > m->base && !m->uncharged ? total - m->base : 0;
}

bool mem_charge(struct fs_mem *m, uint64_t *count, uint64_t n)
{
	uint64_t total = m->state.used + m->orphans;

	if (m->config.max_bytes && (n > m->config.max_bytes || total > m->config.max_bytes - n))
		return false;
	if (!quota_charge(m->config.quota, beyond_base(m, total + n) - beyond_base(m, total)))
		return false;
	*count += n;
	return true;
}

void mem_refund(struct fs_mem *m, uint64_t *count, uint64_t n)
{
	uint64_t total = m->state.used + m->orphans;

	*count -= n;
	quota_refund(m->config.quota, beyond_base(m, total) - beyond_base(m, total - n));
}

void fs_mem_usage(const struct fs *fs, struct fs_mem_usage *out)
{
	const struct fs_mem *m = (const struct fs_mem *)(const void *)fs;
	uint64_t total = m->state.used + m->orphans;

	*out = (struct fs_mem_usage){total, beyond_base(m, total), m->state.files};
}

/* ---- Rights and stat --------------------------------------------------------------- */

bool mem_may(const struct fs_mem *m, const struct mem_inode *i, unsigned how)
{
	unsigned bits = i->mode;

	if (m->config.uid == 0)
		return !(how & SYS_X_OK) || (i->mode & SYS_S_TYPE) == SYS_S_DIR || (bits & 0111);
	if (m->config.uid == i->uid)
		bits >>= 6;
	else if (m->config.gid == i->gid)
		bits >>= 3;
	return (bits & how) == how;
}

static bool owns(const struct fs_mem *m, const struct mem_inode *i)
{
	return m->config.uid == 0 || m->config.uid == i->uid;
}

static bool is_type(const struct mem_inode *i, uint32_t type)
{
	return (i->mode & SYS_S_TYPE) == type;
}

static struct sys_time to_sys(struct mem_time t)
{
	return (struct sys_time){t.sec, t.nsec};
}

void mem_fill_stat(const struct fs_mem *m, uint32_t ino, const struct mem_inode *i, struct sys_stat *st)
{
	*st = (struct sys_stat){
		.dev = m->fs.dev,
		.ino = ino,
		.mode = i->mode,
		.nlink = i->nlink,
		.uid = i->uid,
		.gid = i->gid,
		.blksize = 4096,
		.atime = to_sys(i->atime),
		.mtime = to_sys(i->mtime),
		.ctime = to_sys(i->ctime),
		.btime = to_sys(i->btime),
	};
	switch (i->mode & SYS_S_TYPE) {
	case SYS_S_FILE:
		st->size = (int64_t)i->size;
		st->blocks = mem_data_blocks(i);
		break;
	case SYS_S_DIR:
		st->size = 4096;
		st->blocks = 8;
		break;
	case SYS_S_LINK: st->size = i->link->len; break;
	default: break;
	}
}

/* ---- Looking up ----------------------------------------------------------------------- */

/* A path that was looked up: its last component in the directory before it. */
struct at {
	uint32_t dir_ino;
	const struct mem_inode *dir;	/* NULL: the path is the root */
	const char *name;
	size_t len;
	uint64_t hash;
	const struct mem_entry *e;	/* NULL: there is no such name (or it is the root) */
	uint32_t ino;
	const struct mem_inode *i;	/* NULL: there is no such name */
};

/* Where a walk stopped before the last component. */
struct stop {
	enum fs_walk_end end;
	size_t from, to;
};

/* 0 with *a filled; 1 when stopped at a component that is missing, a link or no directory, and more follows. */
static int walk_to(struct fs_mem *m, const char *path, struct at *a, struct stop *stop)
{
	const char *p = path;

	*a = (struct at){.ino = MEM_ROOT_INO, .i = mem_table_find(&m->state, MEM_ROOT_INO)};
	if (!*p)
		return 0;
	for (;;) {
		const char *end = strchr(p, '/');

		a->dir_ino = a->ino;
		a->dir = a->i;
		a->name = p;
		a->len = end ? (size_t)(end - p) : strlen(p);
		if (!mem_may(m, a->dir, SYS_X_OK))
			return -NACRE_EACCES;
		if (a->len > FS_NAME_MAX)
			return -NACRE_ENAMETOOLONG;
		a->hash = mem_name_hash(m->state.seed, p, a->len);
		a->e = mem_dir_find(a->dir->dir, a->hash, p, a->len);
		a->ino = a->e ? a->e->ino : 0;
		a->i = a->e ? mem_table_find(&m->state, a->ino) : NULL;
		stop->from = (size_t)(p - path);
		stop->to = stop->from + a->len;
		if (!end)
			return 0;
		if (!a->i || !is_type(a->i, SYS_S_DIR)) {
			stop->end = !a->i ? FS_WALK_MISSING
				    : is_type(a->i, SYS_S_LINK) ? FS_WALK_LINK
								: FS_WALK_NOTDIR;
			return 1;
		}
		p = end + 1;
	}
}

/* As an operation needs it: everything before the last component must be a directory. */
static int look_up(struct fs_mem *m, const char *path, struct at *a)
{
	struct stop stop;
	int got = walk_to(m, path, a, &stop);

	if (got <= 0)
		return got;
	return stop.end == FS_WALK_MISSING ? -NACRE_ENOENT
	       : stop.end == FS_WALK_LINK  ? -NACRE_ELOOP
					   : -NACRE_ENOTDIR;
}

/* The same for a file that must be there. */
static int look_up_old(struct fs_mem *m, const char *path, struct at *a)
{
	int err = look_up(m, path, a);

	return err ? err : a->i ? 0 : -NACRE_ENOENT;
}

static int mem_walk(struct fs *fs, const char *path, struct fs_walk *w)
{
	struct fs_mem *m = mem_of(fs);
	struct stop stop = {FS_WALK_FOUND, 0, 0};
	struct at a;
	int got = walk_to(m, path, &a, &stop);

	if (got < 0)
		return got;
	w->from = stop.from;
	w->to = stop.to;
	w->end = got ? stop.end : a.i ? FS_WALK_FOUND : FS_WALK_MISSING;
	if (w->end == FS_WALK_FOUND)
		mem_fill_stat(m, a.ino, a.i, &w->st);
	return 0;
}

static int64_t mem_readlink(struct fs *fs, const char *path, char *buf, size_t n)
{
	struct at a;
	int err = look_up_old(mem_of(fs), path, &a);

	if (err)
		return err;
	if (!is_type(a.i, SYS_S_LINK))
		return -NACRE_EINVAL;
	n = MIN(n, (size_t)a.i->link->len);
	memcpy(buf, a.i->link->text, n);
	return (int64_t)n;
}

static int mem_access(struct fs *fs, const char *path, unsigned how)
{
	struct fs_mem *m = mem_of(fs);
	struct at a;
	int err = look_up_old(m, path, &a);

	return err ? err : mem_may(m, a.i, how) ? 0 : -NACRE_EACCES;
}

/* ---- Making ----------------------------------------------------------------------------- */

/* May a name be made where `a` looked for one? */
static int may_create(const struct fs_mem *m, const struct at *a)
{
	if (a->i)
		return -NACRE_EEXIST;
	if (a->dir->nlink == 0)
		return -NACRE_ENOENT;
	return mem_may(m, a->dir, SYS_W_OK | SYS_X_OK) ? 0 : -NACRE_EACCES;
}

/* May the name be taken away, as a directory or as something else? */
static int may_delete(const struct fs_mem *m, const struct at *a, bool dir)
{
	if (!mem_may(m, a->dir, SYS_W_OK | SYS_X_OK))
		return -NACRE_EACCES;
	if ((a->dir->mode & 01000) && !owns(m, a->i) && !owns(m, a->dir))
		return -NACRE_EPERM;
	if (dir != is_type(a->i, SYS_S_DIR))
		return dir ? -NACRE_ENOTDIR : -NACRE_EISDIR;
	return 0;
}

static void touch(struct mem_inode *dir, struct mem_time now)
{
	dir->mtime = dir->ctime = now;
}

/* An inode that is in no table yet. */
static struct mem_inode *inode_new(struct fs_mem *m, const struct mem_inode *dir, uint32_t mode)
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
		if (is_type(i, SYS_S_DIR))
			i->mode |= 02000;
	}
	return i;
}

/* Puts a new inode with its name into the tree; takes `i` over, also on failure. */
static int add(struct fs_mem *m, const struct at *a, struct mem_inode *i)
{
	uint64_t cost = MEM_INODE_COST + MEM_ENTRY_COST(a->len) + i->charged;
	uint32_t ino = m->next_ino;
	struct mem_entry *e = NULL;
	struct mem_inode *dir;

	if (ino == UINT32_MAX || (m->config.max_files && m->state.files >= m->config.max_files))
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
	if (is_type(i, SYS_S_DIR))
		dir->nlink++;
	touch(dir, i->ctime);
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
	struct at a;
	int err = look_up(m, path, &a);

	if (!err)
		err = may_create(m, &a);
	if (err)
		return err;
	if ((mode & SYS_S_TYPE) == SYS_S_DIR && a.dir->nlink >= NLINK_MAX)
		return -NACRE_EMLINK;
	i = inode_new(m, a.dir, mode);
	return i ? add(m, &a, i) : -NACRE_ENOSPC;
}

static int mem_mkdir(struct fs *fs, const char *path, unsigned mode)
{
	return make(fs, path, SYS_S_DIR | (mode & 01777));
}

static int mem_mkfifo(struct fs *fs, const char *path, unsigned mode)
{
	return make(fs, path, SYS_S_FIFO | (mode & 07777));
}

static int mem_symlink(struct fs *fs, const char *target, const char *path)
{
	struct fs_mem *m = mem_of(fs);
	size_t len = strlen(target);
	struct mem_text *t;
	struct mem_inode *i;
	struct at a;
	int err = look_up(m, path, &a);

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
	i = inode_new(m, NULL, SYS_S_LINK | 0777);
	if (!i) {
		mem_free(m->store, t, sizeof(*t) + len);
		return -NACRE_ENOSPC;
	}
	i->link = t;
	i->charged = sizeof(*t) + len;
	return add(m, &a, i);
}

static int mem_link(struct fs *fs, const char *from, const char *to)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_entry *e = NULL;
	struct mem_inode *dir, *i;
	struct at old, new;
	uint64_t cost;
	int err = look_up_old(m, from, &old);

	if (!err)
		err = look_up(m, to, &new);
	if (!err && new.i)
		err = -NACRE_EEXIST;
	if (err)
		return err;
	/* As with protected_hardlinks: not on what one could not write. */
	if (!owns(m, old.i) && !(is_type(old.i, SYS_S_FILE) && !(old.i->mode & 04000) &&
				 mem_may(m, old.i, SYS_R_OK | SYS_W_OK)))
		return -NACRE_EPERM;
	err = may_create(m, &new);
	if (err)
		return err;
	if (is_type(old.i, SYS_S_DIR))
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
	touch(dir, i->ctime);
	return 0;
}

/* ---- Opening ----------------------------------------------------------------------------- */

static int check_open(const struct fs_mem *m, const struct at *a, unsigned flags)
{
	unsigned how = 0;

	if (!a->i) {
		if (!(flags & SYS_O_CREATE))
			return -NACRE_ENOENT;
		return may_create(m, a);
	}
	if ((flags & SYS_O_CREATE) && (flags & SYS_O_EXCL))
		return -NACRE_EEXIST;
	if (is_type(a->i, SYS_S_LINK))
		return -NACRE_ELOOP;
	if (is_type(a->i, SYS_S_DIR) && (flags & (SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC)))
		return -NACRE_EISDIR;
	if ((flags & SYS_O_DIRECTORY) && !is_type(a->i, SYS_S_DIR))
		return -NACRE_ENOTDIR;
	if (flags & SYS_O_READ)
		how |= SYS_R_OK;
	if (flags & (SYS_O_WRITE | SYS_O_TRUNC))
		how |= SYS_W_OK;
	if (!mem_may(m, a->i, how))
		return -NACRE_EACCES;
	if (!is_type(a->i, SYS_S_DIR) && !is_type(a->i, SYS_S_FILE))
		return -NACRE_ENXIO;
	return 0;
}

static int open_new(struct fs_mem *m, const struct at *a, unsigned mode)
{
	struct mem_inode *i = inode_new(m, a->dir, SYS_S_FILE | (mode & 07777));

	return i ? add(m, a, i) : -NACRE_ENOSPC;
}

static int open_trunc(struct fs_mem *m, uint32_t ino)
{
	struct mem_inode *i = mem_table_own(m->store, &m->state, ino);

	return i ? mem_set_size(m, &m->state.used, i, 0) : -NACRE_ENOSPC;
}

static int mem_open(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q,
		    struct file **out)
{
	struct fs_mem *m = mem_of(fs);
	uint32_t ino;
	struct file *f;
	struct at a;
	int err = look_up(m, path, &a);

	if (!err)
		err = check_open(m, &a, flags);
	if (err)
		return err;
	err = mem_file_new(m, flags & (SYS_O_READ | SYS_O_WRITE | SYS_O_APPEND | SYS_O_NONBLOCK),
			   a.i && is_type(a.i, SYS_S_DIR), q, &f);
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

/* ---- Taking away ---------------------------------------------------------------------------- */

/* One name of the (owned) inode is gone. */
static void drop_link(struct fs_mem *m, uint32_t ino, struct mem_inode *i, struct mem_time now)
{
	struct mem_vnode *v;

	i->ctime = now;
	if (is_type(i, SYS_S_DIR))
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
	mem_refund(m, &m->state.used, i->charged + MEM_INODE_COST);
	mem_inode_put(m->store, i);
}

static int take_away(struct fs_mem *m, const struct at *a)
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
	if (is_type(i, SYS_S_DIR))
		dir->nlink--;
	touch(dir, now);
	drop_link(m, a->ino, i, now);
	return 0;
}

static int mem_unlink(struct fs *fs, const char *path)
{
	struct fs_mem *m = mem_of(fs);
	struct at a;
	int err = look_up_old(m, path, &a);

	if (!err)
		err = a.dir ? may_delete(m, &a, false) : -NACRE_EISDIR;
	return err ? err : take_away(m, &a);
}

static int mem_rmdir(struct fs *fs, const char *path)
{
	struct fs_mem *m = mem_of(fs);
	struct at a;
	int err = look_up_old(m, path, &a);

	if (!err)
		err = a.dir ? may_delete(m, &a, true) : -NACRE_EBUSY;
	if (!err && a.i->size > 0)
		err = -NACRE_ENOTEMPTY;
	return err ? err : take_away(m, &a);
}

/* ---- Renaming --------------------------------------------------------------------------------- */

static bool path_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

static int check_rename(const struct fs_mem *m, const struct at *old, const struct at *new, const char *from,
			const char *to, unsigned flags)
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
	if (new->i && new->ino == old->ino)
		return 0;
	dir = is_type(old->i, SYS_S_DIR);
	err = may_delete(m, old, dir);
	if (!err)
		err = new->i ? may_delete(m, new, dir) : may_create(m, new);
	if (err)
		return err;
	if (dir && new->dir_ino != old->dir_ino && !mem_may(m, old->i, SYS_W_OK))
		return -NACRE_EACCES;
	return dir && new->i && new->i->size > 0 ? -NACRE_ENOTEMPTY : 0;
}

static int move(struct fs_mem *m, const struct at *old, const struct at *new)
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
	dir = is_type(i, SYS_S_DIR);
	now = mem_now(m);
	from->size--;
	to->size += target ? 0 : 1;
	from->nlink -= dir ? 1 : 0;
	to->nlink += dir && !target ? 1 : 0;
	touch(from, now);
	touch(to, now);
	i->ctime = now;
	if (target)
		drop_link(m, new->ino, target, now);
	return 0;
}

static int mem_rename(struct fs *fs, const char *from, const char *to, unsigned flags)
{
	struct fs_mem *m = mem_of(fs);
	struct at old, new;
	int err = look_up_old(m, from, &old);

	if (!err)
		err = look_up(m, to, &new);
	if (!err)
		err = check_rename(m, &old, &new, from, to, flags);
	if (err || (new.i && new.ino == old.ino))
		return err;
	return move(m, &old, &new);
}

/* ---- Attributes -------------------------------------------------------------------------------- */

static int own_old(struct fs_mem *m, const struct at *a, struct mem_inode **out)
{
	*out = mem_table_own(m->store, &m->state, a->ino);
	return *out ? 0 : -NACRE_ENOSPC;
}

static int mem_chmod(struct fs *fs, const char *path, unsigned mode)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_inode *i;
	struct at a;
	int err = look_up_old(m, path, &a);

	if (!err && !owns(m, a.i))
		err = -NACRE_EPERM;
	if (!err)
		err = own_old(m, &a, &i);
	if (err)
		return err;
	mode &= 07777;
	if (m->config.uid && m->config.gid != i->gid)
		mode &= ~02000u;
	i->mode = (i->mode & SYS_S_TYPE) | mode;
	i->ctime = mem_now(m);
	return 0;
}

static int mem_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_inode *i;
	struct at a;
	int err = look_up_old(m, path, &a);

	if (err)
		return err;
	if (uid > UINT32_MAX || gid > UINT32_MAX)
		return -NACRE_EINVAL;
	if (m->config.uid != 0 && (uid >= 0 || gid >= 0)) {
		if (!owns(m, a.i) || (uid >= 0 && (uint32_t)uid != a.i->uid) ||
		    (gid >= 0 && (uint32_t)gid != a.i->gid && (uint32_t)gid != m->config.gid))
			return -NACRE_EPERM;
	}
	err = own_old(m, &a, &i);
	if (err)
		return err;
	if (uid >= 0)
		i->uid = (uint32_t)uid;
	if (gid >= 0)
		i->gid = (uint32_t)gid;
	if (!is_type(i, SYS_S_DIR) && (uid >= 0 || gid >= 0))
		i->mode &= i->mode & 010 ? ~06000u : ~04000u;
	i->ctime = mem_now(m);
	return 0;
}

static void set_time(struct mem_time *to, const struct sys_time *t, struct mem_time now)
{
	if (t->nsec == SYS_TIME_NOW)
		*to = now;
	else if (t->nsec != SYS_TIME_OMIT)
		*to = (struct mem_time){t->sec, t->nsec};
}

static int mem_utimes(struct fs *fs, const char *path, const struct sys_time t[2])
{
	struct fs_mem *m = mem_of(fs);
	bool now_only = t[0].nsec == SYS_TIME_NOW && t[1].nsec == SYS_TIME_NOW;
	struct mem_inode *i;
	struct at a;
	int err = look_up_old(m, path, &a);

	if (err)
		return err;
	if (t[0].nsec == SYS_TIME_OMIT && t[1].nsec == SYS_TIME_OMIT)
		return 0;
	if (!owns(m, a.i)) {
		if (!now_only)
			return -NACRE_EPERM;
		if (!mem_may(m, a.i, SYS_W_OK))
			return -NACRE_EACCES;
	}
	err = own_old(m, &a, &i);
	if (err)
		return err;
	i->ctime = mem_now(m);
	set_time(&i->atime, &t[0], i->ctime);
	set_time(&i->mtime, &t[1], i->ctime);
	return 0;
}

int mem_set_size(struct fs_mem *m, uint64_t *count, struct mem_inode *i, int64_t size)
{
	int err = mem_data_resize(m, count, i, (uint64_t)size);

	if (err)
		return err;
	touch(i, mem_now(m));
	if ((i->mode & 06000) && m->config.uid)
		i->mode &= i->mode & 010 ? ~06000u : ~04000u;
	return 0;
}

static int mem_truncate(struct fs *fs, const char *path, int64_t size)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_inode *i;
	struct at a;
	int err = look_up_old(m, path, &a);

	if (err)
		return err;
	if (is_type(a.i, SYS_S_DIR))
		return -NACRE_EISDIR;
	if (!is_type(a.i, SYS_S_FILE) || size < 0)
		return -NACRE_EINVAL;
	if (!mem_may(m, a.i, SYS_W_OK))
		return -NACRE_EACCES;
	err = own_old(m, &a, &i);
	return err ? err : mem_set_size(m, &m->state.used, i, size);
}

static int mem_statfs(struct fs *fs, struct sys_statfs *out)
{
	struct fs_mem *m = mem_of(fs);
	const struct quota *q = m->config.quota;
	uint64_t used = m->state.used + m->orphans, left = (uint64_t)1 << 40;

	if (q->limit)
		left = q->limit > q->used ? q->limit - q->used : 0;
	if (m->config.max_bytes)
		left = MIN(left, m->config.max_bytes > used ? m->config.max_bytes - used : 0);
	memcpy(out->type, "memfs", sizeof("memfs"));
	out->block_size = 4096;
	out->bytes_total = used + left;
	out->bytes_free = left;
	out->files_free = left / (MEM_INODE_COST + MEM_ENTRY_COST(16));
	if (m->config.max_files)
		out->files_free = MIN(out->files_free, m->config.max_files > m->state.files
							       ? m->config.max_files - m->state.files
							       : 0);
	out->files_total = m->state.files + out->files_free;
	return 0;
}

/* ---- Life cycle ----------------------------------------------------------------------------------- */

static void mem_free_fs(struct fs *fs)
{
	struct fs_mem *m = mem_of(fs);

	if (m->frozen)
		mem_table_freeze(m->state.root, m->state.levels, false);
	if (m->state.root)
		mem_table_put(m->store, m->state.root, m->state.levels);
	quota_refund(m->config.quota, beyond_base(m, m->state.used + m->orphans));
	kfree(m->config.quota, m, sizeof(*m));
}

static const struct fs_ops mem_ops = {
	.type = "memfs",
	.walk = mem_walk,
	.readlink = mem_readlink,
	.open = mem_open,
	.mkdir = mem_mkdir,
	.rmdir = mem_rmdir,
	.unlink = mem_unlink,
	.rename = mem_rename,
	.link = mem_link,
	.symlink = mem_symlink,
	.mkfifo = mem_mkfifo,
	.chmod = mem_chmod,
	.chown = mem_chown,
	.utimes = mem_utimes,
	.truncate = mem_truncate,
	.statfs = mem_statfs,
	.access = mem_access,
	.free = mem_free_fs,
};

struct mem_store *mem_store_new(struct memory *memory)
{
	struct mem_store *s = memory->get(memory, sizeof(*s));

	if (s)
		buf_pool_init(&s->pool, memory);
	return s;
}

void mem_store_free(struct mem_store *s)
{
	struct memory *memory = s->pool.quota.memory;

	buf_pool_release(&s->pool);
	memory->put(memory, s, sizeof(*s));
}

uint64_t mem_store_bytes(const struct mem_store *s)
{
	return s->pool.quota.used;
}

uint64_t mem_store_blocks(const struct mem_store *s)
{
	return s->pool.quota.live + s->pool.used;
}

static struct fs_mem *instance_new(struct mem_store *s, const struct fs_mem_config *config)
{
	struct fs_mem *m = kalloc(config->quota, sizeof(*m));

	if (m)
		*m = (struct fs_mem){.fs = {&mem_ops, 1, 1}, .store = s, .config = *config};
	return m;
}

int fs_mem_new(struct mem_store *s, const struct fs_mem_config *config, struct fs **out)
{
	struct fs_mem *m = instance_new(s, config);
	struct mem_table *t = m ? mem_alloc(s, sizeof(*t)) : NULL;
	struct mem_inode *i = t ? inode_new(m, NULL, SYS_S_DIR | 0755) : NULL;

	if (!i || !mem_charge(m, &m->state.used, MEM_INODE_COST))
		goto failed;
	memset(t, 0, sizeof(*t));
	t->refs = 1;
	m->state.root = t;
	m->state.levels = 1;
	m->state.seed = config->seed;
	m->next_ino = MEM_ROOT_INO + 1;
	mem_table_set(&m->state, MEM_ROOT_INO, i);
	*out = &m->fs;
	return 0;

failed:
	if (i)
		mem_inode_put(s, i);
	if (t)
		mem_free(s, t, sizeof(*t));
	if (m)
		kfree(config->quota, m, sizeof(*m));
	return -NACRE_ENOSPC;
}

int fs_mem_branch(struct fs *from, struct mem_store *s, const struct fs_mem_config *config, struct fs **out)
{
	const struct fs_mem *src = mem_of(from);
	struct fs_mem *m;

	if (!src->frozen && src->store != s)
		return -NACRE_EINVAL;
	m = instance_new(s, config);
	if (!m)
		return -NACRE_ENOSPC;
	m->base = src->frozen ? src->state.used : src->base;
	if (!quota_charge(config->quota, beyond_base(m, src->state.used))) {
		kfree(config->quota, m, sizeof(*m));
		return -NACRE_ENOSPC;
	}
	m->state = src->state;
	m->next_ino = src->next_ino;
	m->fs.dev = src->fs.dev;
	mem_get(m->state.root);
	*out = &m->fs;
	return 0;
}

int fs_mem_snapshot(struct fs *fs, struct fs **out)
{
	struct fs_mem *src = mem_of(fs), *m;
	struct fs_mem_config config = src->config;

	config.quota = &src->store->pool.quota;
	m = instance_new(src->store, &config);
	if (!m)
		return -NACRE_ENOSPC;
	m->state = src->state;
	m->base = src->base;
	m->uncharged = true;
	m->next_ino = src->next_ino;
	m->fs.dev = src->fs.dev;
	mem_get(m->state.root);
	*out = &m->fs;
	return 0;
}

static bool same_file(const struct mem_inode *a, const struct mem_inode *b)
{
	return a && b && (a->mode & SYS_S_TYPE) == (b->mode & SYS_S_TYPE) && a->btime.sec == b->btime.sec &&
	       a->btime.nsec == b->btime.nsec;
}

/* Open files after the table was replaced: those without a name may have one again, others may be gone, or their
 * number may name another file. */
static void rebind(struct fs_mem *m, const struct mem_state *old)
{
	for (struct mem_vnode *v = m->open; v; v = v->next) {
		const struct mem_inode *i = mem_table_find(&m->state, v->ino);

		if (!v->orphan) {
			if (!same_file(mem_table_find(old, v->ino), i))
				v->ino = 0;
		} else if (same_file(v->orphan, i)) {
			m->orphans -= v->orphan->charged + MEM_INODE_COST;
			mem_inode_put(m->store, v->orphan);
			v->orphan = NULL;
		}
	}
}

int fs_mem_restore(struct fs *fs, struct fs *snapshot)
{
	struct fs_mem *m = mem_of(fs);
	const struct fs_mem *from = mem_of(snapshot);
	uint64_t before = beyond_base(m, m->state.used + m->orphans), after;
	struct mem_state old = m->state;

	if (!from->frozen && from->store != m->store)
		return -NACRE_EINVAL;
	after = beyond_base(m, from->state.used + m->orphans);
	if (after > before && !quota_charge(m->config.quota, after - before))
		return -NACRE_ENOSPC;
	if (before > after)
		quota_refund(m->config.quota, before - after);
	m->state = from->state;
	mem_get(m->state.root);
	m->next_ino = MAX(m->next_ino, from->next_ino);
	before = beyond_base(m, m->state.used + m->orphans);
	rebind(m, &old);
	mem_table_put(m->store, old.root, old.levels);
	quota_refund(m->config.quota, before - beyond_base(m, m->state.used + m->orphans));
	return 0;
}

int fs_mem_freeze(struct fs *fs)
{
	struct fs_mem *m = mem_of(fs);

	if (m->frozen || m->base > 0 || m->open)
		return -NACRE_EINVAL;
	m->frozen = true;
	mem_table_freeze(m->state.root, m->state.levels, true);
	return 0;
}
