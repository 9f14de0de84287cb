/* mem_look.c - finding the inode behind a path, what may be done with it, what it looks like. */
#include "mem_ops.h"

#define ROOT_DEV 1u /* unless a mount table gave a number */

/* ---- Rights and stat ------------------------------------------------------- */

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

static struct sys_time to_sys(struct mem_time t)
{
	return (struct sys_time){t.sec, t.nsec};
}

void mem_fill_stat(const struct fs_mem *m, uint32_t ino, const struct mem_inode *i,
                   struct sys_stat *st)
{
	*st = (struct sys_stat){
	        .dev = m->fs.dev ? m->fs.dev : ROOT_DEV,
	        .ino = i->origin ? i->origin->ino : m->ino_base + ino,
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
		st->blocks = i->flags & MEM_BELOW ? (st->size + 511) / 512 : mem_data_blocks(i);
		break;
	case SYS_S_DIR:
		st->size = 4096;
		st->blocks = 8;
		break;
	case SYS_S_LINK: st->size = i->link->len; break;
	default: break;
	}
}

/* ---- Looking up ------------------------------------------------------------ */

/* Where a walk stopped before the last component. */
struct stop {
	enum fs_walk_end end;
	size_t from, to;
};

/* 0 with *a filled; 1 when stopped at a component that is missing, a link or no directory, and more
 * follows. */
static int walk_to(struct fs_mem *m, const char *path, struct mem_at *a, struct stop *stop)
{
	const char *p = path;

	*a = (struct mem_at){.ino = MEM_ROOT_INO, .i = mem_table_find(&m->state, MEM_ROOT_INO)};
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
		if (!a->i || !mem_is(a->i, SYS_S_DIR)) {
			stop->end = !a->i                      ? FS_WALK_MISSING
			            : mem_is(a->i, SYS_S_LINK) ? FS_WALK_LINK
			                                       : FS_WALK_NOTDIR;
			return 1;
		}
		p = end + 1;
	}
}

int mem_look_up(struct fs_mem *m, const char *path, struct mem_at *a)
{
	struct stop stop;
	int got = walk_to(m, path, a, &stop);

	if (got <= 0)
		return got;
	return stop.end == FS_WALK_MISSING ? -NACRE_ENOENT
	       : stop.end == FS_WALK_LINK  ? -NACRE_ELOOP
	                                   : -NACRE_ENOTDIR;
}

int mem_look_up_old(struct fs_mem *m, const char *path, struct mem_at *a)
{
	int err = mem_look_up(m, path, a);

	return err ? err : a->i ? 0 : -NACRE_ENOENT;
}

int mem_walk(struct fs *fs, const char *path, struct fs_walk *w)
{
	struct fs_mem *m = mem_of(fs);
	struct stop stop = {FS_WALK_FOUND, 0, 0};
	struct mem_at a;
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

int64_t mem_readlink(struct fs *fs, const char *path, char *buf, size_t n)
{
	struct mem_at a;
	int err = mem_look_up_old(mem_of(fs), path, &a);

	if (err)
		return err;
	if (!mem_is(a.i, SYS_S_LINK))
		return -NACRE_EINVAL;
	n = MIN(n, (size_t)a.i->link->len);
	memcpy(buf, a.i->link->text, n);
	return (int64_t)n;
}

int mem_access(struct fs *fs, const char *path, unsigned how)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_at a;
	int err = mem_look_up_old(m, path, &a);

	return err ? err : mem_may(m, a.i, how) ? 0 : -NACRE_EACCES;
}
