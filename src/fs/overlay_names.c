/*
 * overlay_names.c - the operations of fs/overlay that change something, and opening.
 *
 * Each first brings what it is about into the tree above, where the operation of fs/mem then does
 * its work and judges rights; what is below and must not be seen any more is covered after it.
 */
#include "overlay_ops.h"

#include "overlay_names.h"

/* The path below that the name hides, "" in *has when its directory comes from nowhere below. Its
 * directory must be above. */
static int natural(struct overlay *o, const char *path, struct ov_path *p, bool *has)
{
	const char *name = strrchr(path, '/');
	const struct mem_inode *dir;
	struct ov_at a;
	int err;

	ov_path_init(p, o->quota);
	*has = false;
	name = name ? name + 1 : path;
	err = ov_look(o, path, &a);
	dir = err ? NULL : mem_table_find(&o->up->state, a.dir_ino);
	ov_at_release(&a);
	if (err || !dir->origin)
		return err;
	*has = true;
	return ov_path_join(p, dir->origin->path, name, strlen(name));
}

/* ---- Making ----------------------------------------------------------------- */

/* What a new name is made by, in the tree above. */
struct making {
	int (*make)(struct fs *fs, const char *path, const struct making *m);
	unsigned mode;
	const char *text;
};

static int make_dir(struct fs *fs, const char *path, const struct making *m)
{
	return mem_mkdir(fs, path, m->mode);
}

static int make_fifo(struct fs *fs, const char *path, const struct making *m)
{
	return mem_mkfifo(fs, path, m->mode);
}

static int make_link(struct fs *fs, const char *path, const struct making *m)
{
	return mem_symlink(fs, m->text, path);
}

static int make_hard(struct fs *fs, const char *path, const struct making *m)
{
	return mem_link(fs, m->text, path);
}

/* 0 when the last component alone is missing. */
static int check_new(const struct ov_at *a, const char *path)
{
	switch (a->w.end) {
	case FS_WALK_FOUND: return -NACRE_EEXIST;
	case FS_WALK_LINK: return -NACRE_ELOOP;
	case FS_WALK_NOTDIR: return -NACRE_ENOTDIR;
	default: return path[a->w.to] ? -NACRE_ENOENT : 0;
	}
}

static int make(struct fs *fs, const char *path, const struct making *m)
{
	struct overlay *o = overlay_of(fs);
	struct ov_at a;
	struct ov_tx tx;
	uint32_t ino;
	int err = ov_look(o, path, &a);

	if (!err)
		err = check_new(&a, path);
	ov_at_release(&a);
	if (err)
		return err;
	ov_begin(o, &tx);
	/* A file of two names cannot be renamed below in the end: its data comes up with it. */
	if (m->make == make_hard)
		err = ov_up(o, m->text, &ino);
	if (!err && m->make == make_hard)
		err = ov_data_up(o, ino, false);
	if (!err)
		err = ov_up_parent(o, path);
	if (!err && a.covered)
		err = ov_uncover(o, path);
	if (!err)
		err = m->make(&o->up->fs, path, m);
	return ov_end(o, &tx, err);
}

int overlay_mkdir(struct fs *fs, const char *path, unsigned mode)
{
	return make(fs, path, &(struct making){.make = make_dir, .mode = mode});
}

int overlay_mkfifo(struct fs *fs, const char *path, unsigned mode)
{
	return make(fs, path, &(struct making){.make = make_fifo, .mode = mode});
}

int overlay_symlink(struct fs *fs, const char *target, const char *path)
{
	return make(fs, path, &(struct making){.make = make_link, .text = target});
}

int overlay_link(struct fs *fs, const char *from, const char *to)
{
	struct fs_walk w;
	int err = fs->ops->walk(fs, from, &w);

	if (!err)
		err = w.end == FS_WALK_LINK ? -NACRE_ELOOP : w.end == FS_WALK_NOTDIR ? -NACRE_ENOTDIR
		      : w.end == FS_WALK_MISSING ? -NACRE_ENOENT : 0;
	return err ? err : make(fs, to, &(struct making){.make = make_hard, .text = from});
}

/* ---- Opening ------------------------------------------------------------------- */

static int open_above(struct overlay *o, uint32_t ino, unsigned flags, struct quota *q,
                      struct file **out)
{
	int err = mem_file_new(o->up, flags & (SYS_O_READ | SYS_O_WRITE | SYS_O_APPEND | SYS_O_NONBLOCK),
	                       false, q, out);

	o->up->fs.dev = o->fs.dev;
	if (!err)
		mem_file_bind(*out, ino);
	return err;
}

static int open_new(struct overlay *o, const char *path, unsigned flags, unsigned mode,
                    struct quota *q, struct file **out)
{
	struct ov_tx tx;
	int err;

	ov_begin(o, &tx);
	err = ov_up_parent(o, path);
	if (!err)
		err = ov_uncover(o, path);
	o->up->fs.dev = o->fs.dev;
	if (!err)
		err = mem_open(&o->up->fs, path, flags, mode, q, out);
	return ov_end(o, &tx, err);
}

static int open_to_change(struct overlay *o, const char *path, unsigned flags, struct quota *q,
                          struct file **out)
{
	struct ov_tx tx;
	uint32_t ino;
	int err;

	ov_begin(o, &tx);
	err = ov_up(o, path, &ino);
	if (!err)
		err = ov_data_up(o, ino, (flags & SYS_O_TRUNC) != 0);
	o->up->fs.dev = o->fs.dev;
	if (!err)
		err = mem_open(&o->up->fs, path, flags & ~(unsigned)(SYS_O_CREATE | SYS_O_EXCL), 0, q,
		               out);
	return ov_end(o, &tx, err);
}

static int check_found(const struct ov_at *a, unsigned flags)
{
	uint32_t type = a->w.st.mode & SYS_S_TYPE;
	bool changes = (flags & (SYS_O_WRITE | SYS_O_TRUNC)) != 0;

	if ((flags & SYS_O_CREATE) && (flags & SYS_O_EXCL))
		return -NACRE_EEXIST;
	if (type == SYS_S_LINK)
		return -NACRE_ELOOP;
	if (type == SYS_S_DIR && (changes || (flags & SYS_O_CREATE)))
		return -NACRE_EISDIR;
	if (type != SYS_S_DIR && (flags & SYS_O_DIRECTORY))
		return -NACRE_ENOTDIR;
	if (ov_may(a->w.st.mode, (flags & SYS_O_READ ? SYS_R_OK : 0) | (changes ? SYS_W_OK : 0)))
		return -NACRE_EACCES;
	if (type == SYS_S_FILE || type == SYS_S_DIR)
		return 0;
	/* Special files: the sandbox's own FIFOs are the kernel's business, others are refused. */
	return a->above && type == SYS_S_FIFO ? -NACRE_ENXIO : -NACRE_EACCES;
}

static int open_found(struct overlay *o, const char *path, const struct ov_at *a, unsigned flags,
                      struct quota *q, struct file **out)
{
	int err = check_found(a, flags);
	const struct mem_inode *i = a->above ? mem_table_find(&o->up->state, a->ino) : NULL;

	if (err)
		return err;
	if ((a->w.st.mode & SYS_S_TYPE) == SYS_S_DIR)
		return ov_dir_open(o, a->above ? a->ino : 0, a->has_low ? a->low.s : NULL, q, out);
	if (flags & (SYS_O_WRITE | SYS_O_TRUNC))
		return open_to_change(o, path, flags, q, out);
	if (i && !(i->flags & MEM_BELOW))
		return open_above(o, a->ino, flags, q, out);
	return ov_file_open(o, a->low.s, flags, q, out);
}

int overlay_open(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q,
                 struct file **out)
{
	struct overlay *o = overlay_of(fs);
	struct ov_at a;
	int err = ov_look(o, path, &a);

	if (!err && a.w.end == FS_WALK_FOUND)
		err = open_found(o, path, &a, flags, q, out);
	else if (!err) {
		err = check_new(&a, path);
		if (!err)
			err = flags & SYS_O_CREATE ? open_new(o, path, flags, mode, q, out)
			                           : -NACRE_ENOENT;
	}
	ov_at_release(&a);
	return err;
}

/* ---- Taking away ----------------------------------------------------------------- */

static int may_change_parent(struct overlay *o, const char *path)
{
	struct mem_at a;
	int err = mem_look_up(o->up, path, &a);

	return err ? err : a.dir ? ov_may(a.dir->mode, SYS_W_OK | SYS_X_OK) : 0;
}

static int take_away(struct overlay *o, const char *path, bool dir)
{
	struct ov_path low;
	const struct mem_inode *i;
	uint32_t ino;
	bool has;
	int err = ov_up(o, path, &ino), last;

	if (err)
		return err;
	last = natural(o, path, &low, &has);
	err = last ? last : may_change_parent(o, path);
	i = mem_table_find(&o->up->state, ino);
	if (!err && dir && mem_is(i, SYS_S_DIR))
		err = ov_empty_out(o, ino);
	if (!err)
		err = dir ? mem_rmdir(&o->up->fs, path) : mem_unlink(&o->up->fs, path);
	if (!err)
		err = ov_cover(o, path, has ? low.s : NULL);
	ov_path_release(&low);
	return err;
}

int overlay_unlink(struct fs *fs, const char *path)
{
	struct overlay *o = overlay_of(fs);
	struct ov_tx tx;

	ov_begin(o, &tx);
	return ov_end(o, &tx, take_away(o, path, false));
}

int overlay_rmdir(struct fs *fs, const char *path)
{
	struct overlay *o = overlay_of(fs);
	struct ov_tx tx;

	if (!*path)
		return -NACRE_EBUSY;
	ov_begin(o, &tx);
	return ov_end(o, &tx, take_away(o, path, true));
}

/* ---- Renaming ----------------------------------------------------------------------- */

static bool path_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

/* Makes the target of a rename a name that fs/mem can replace. 1: both are one file. */
static int clear_target(struct overlay *o, const char *from, const char *to, uint32_t from_ino,
                        unsigned flags)
{
	const struct mem_inode *i;
	struct ov_at a;
	uint32_t ino;
	int err = ov_look(o, to, &a);

	ov_at_release(&a);
	if (err)
		return err;
	if (a.w.end == FS_WALK_LINK || a.w.end == FS_WALK_NOTDIR)
		return a.w.end == FS_WALK_LINK ? -NACRE_ELOOP : -NACRE_ENOTDIR;
	if (a.w.end == FS_WALK_FOUND && (flags & SYS_NOREPLACE))
		return -NACRE_EEXIST;
	if (path_below(to, from))
		return -NACRE_EINVAL;
	if (a.w.end != FS_WALK_FOUND)
		return a.covered ? ov_uncover(o, to) : 0;
	err = ov_up(o, to, &ino);
	if (err || ino == from_ino)
		return err ? err : 1;
	i = mem_table_find(&o->up->state, ino);
	if (mem_is(i, SYS_S_DIR) && mem_is(mem_table_find(&o->up->state, from_ino), SYS_S_DIR))
		err = ov_empty_out(o, ino);
	return err;
}

static int move(struct overlay *o, const char *from, const char *to, unsigned flags)
{
	struct ov_path low;
	uint32_t ino;
	bool has;
	int err = ov_up(o, from, &ino);

	if (!err)
		err = ov_up_parent(o, to);
	if (err)
		return err;
	err = natural(o, from, &low, &has);
	if (!err)
		err = clear_target(o, from, to, ino, flags);
	if (!err)
		err = mem_rename(&o->up->fs, from, to, flags);
	if (!err)
		err = ov_cover(o, from, has ? low.s : NULL);
	ov_path_release(&low);
	return MIN(err, 0);
}

int overlay_rename(struct fs *fs, const char *from, const char *to, unsigned flags)
{
	struct overlay *o = overlay_of(fs);
	struct ov_tx tx;

	ov_begin(o, &tx);
	return ov_end(o, &tx, move(o, from, to, flags));
}

/* ---- Attributes ------------------------------------------------------------------------ */

int overlay_chmod(struct fs *fs, const char *path, unsigned mode)
{
	struct overlay *o = overlay_of(fs);
	struct ov_tx tx;
	uint32_t ino;
	int err;

	ov_begin(o, &tx);
	err = ov_up(o, path, &ino);
	return ov_end(o, &tx, err ? err : mem_chmod(&o->up->fs, path, mode));
}

int overlay_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid)
{
	struct overlay *o = overlay_of(fs);
	struct ov_tx tx;
	uint32_t ino;
	int err;

	ov_begin(o, &tx);
	err = ov_up(o, path, &ino);
	return ov_end(o, &tx, err ? err : mem_chown(&o->up->fs, path, uid, gid));
}

int overlay_utimes(struct fs *fs, const char *path, const struct sys_time t[2])
{
	struct overlay *o = overlay_of(fs);
	struct ov_tx tx;
	uint32_t ino;
	int err;

	ov_begin(o, &tx);
	err = ov_up(o, path, &ino);
	return ov_end(o, &tx, err ? err : mem_utimes(&o->up->fs, path, t));
}

int overlay_truncate(struct fs *fs, const char *path, int64_t size)
{
	struct overlay *o = overlay_of(fs);
	const struct mem_inode *i;
	struct ov_tx tx;
	uint32_t ino;
	int err;

	ov_begin(o, &tx);
	err = ov_up(o, path, &ino);
	if (!err) {
		i = mem_table_find(&o->up->state, ino);
		err = !mem_is(i, SYS_S_FILE) ? 0 : ov_may(i->mode, SYS_W_OK);
	}
	if (!err)
		err = ov_data_up(o, ino, size == 0);
	return ov_end(o, &tx, err ? err : mem_truncate(&o->up->fs, path, size));
}
