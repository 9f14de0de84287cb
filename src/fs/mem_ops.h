/*
 * mem_ops.h - what the operations of fs/mem share: looking paths up, rights.
 *
 * An operation looks its paths up, checks rights, owns and allocates whatever it will
 * change or need, charges the quota, and only then changes anything, so that it either
 * happens as a whole or not at all.
 *
 * Layer     fs; private to fs/mem*.c and fs/overlay*.c
 */
#ifndef NACRE_FS_MEM_OPS_H
#define NACRE_FS_MEM_OPS_H

#include "mem_tree.h"

/* A path that was looked up: its last component in the directory before it. */
struct mem_at {
	uint32_t dir_ino;
	const struct mem_inode *dir; /* NULL: the path is the root */
	const char *name;
	size_t len;
	uint64_t hash;
	const struct mem_entry *e; /* NULL: there is no such name (or it is the root) */
	uint32_t ino;
	const struct mem_inode *i; /* NULL: there is no such name */
};

/* Looks `path` up: everything before the last component must be a directory one may search, or
 * -NACRE_ENOENT, ELOOP, ENOTDIR, EACCES, ENAMETOOLONG. What is found is borrowed: owning leaves its
 * fields but not its pointers good. */
MUST_USE int mem_look_up(struct fs_mem *m, const char *path, struct mem_at *a);
/* The same for a file that must be there. */
MUST_USE int mem_look_up_old(struct fs_mem *m, const char *path, struct mem_at *a);

static inline bool mem_is(const struct mem_inode *i, uint32_t type)
{
	return (i->mode & SYS_S_TYPE) == type;
}

static inline bool mem_owns(const struct fs_mem *m, const struct mem_inode *i)
{
	return m->config.uid == 0 || m->config.uid == i->uid;
}

static inline void mem_touch(struct mem_inode *i, struct mem_time now)
{
	i->mtime = i->ctime = now;
}

/* A new inode in no table yet, owned by who acts; `dir` (NULL: none) may give its group. */
MUST_USE struct mem_inode *mem_inode_new(struct fs_mem *m, const struct mem_inode *dir,
                                         uint32_t mode);

/* Puts a new inode with the name that was looked for into the tree; takes `i` over, also on
 * failure. No right is asked. */
MUST_USE int mem_add(struct fs_mem *m, const struct mem_at *a, struct mem_inode *i);
/* Takes the name that was found out of the tree, no right asked. */
MUST_USE int mem_take_away(struct fs_mem *m, const struct mem_at *a);

/* ---- The operations ------------------------------------------------------------- */

int mem_walk(struct fs *fs, const char *path, struct fs_walk *w);
int64_t mem_readlink(struct fs *fs, const char *path, char *buf, size_t n);
int mem_access(struct fs *fs, const char *path, unsigned how);

int mem_open(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q,
             struct file **out);
int mem_mkdir(struct fs *fs, const char *path, unsigned mode);
int mem_mkfifo(struct fs *fs, const char *path, unsigned mode);
int mem_symlink(struct fs *fs, const char *target, const char *path);
int mem_link(struct fs *fs, const char *from, const char *to);
int mem_unlink(struct fs *fs, const char *path);
int mem_rmdir(struct fs *fs, const char *path);
int mem_rename(struct fs *fs, const char *from, const char *to, unsigned flags);

int mem_chmod(struct fs *fs, const char *path, unsigned mode);
int mem_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid);
int mem_utimes(struct fs *fs, const char *path, const struct sys_time t[2]);
int mem_truncate(struct fs *fs, const char *path, int64_t size);
int mem_statfs(struct fs *fs, struct sys_statfs *out);

/* Of an inode, however it was found: may it be, and (of one that is owned) the change. */
MUST_USE int mem_may_chmod(struct fs_mem *m, const struct mem_inode *i);
MUST_USE int mem_may_chown(struct fs_mem *m, const struct mem_inode *i, int64_t uid, int64_t gid);
MUST_USE int mem_may_utimes(struct fs_mem *m, const struct mem_inode *i, const struct sys_time t[2]);
void mem_set_mode(struct fs_mem *m, struct mem_inode *i, unsigned mode);
void mem_set_owner(struct fs_mem *m, struct mem_inode *i, int64_t uid, int64_t gid);
void mem_set_times(struct fs_mem *m, struct mem_inode *i, const struct sys_time t[2]);

#endif
