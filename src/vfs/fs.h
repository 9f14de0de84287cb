/*
 * fs.h - what a filesystem implements: operations on paths below its own root.
 *
 * The vfs resolves mounts, links, "." and ".." and applies the policy; a filesystem sees
 * only clean relative paths: "a/b/c", no empty, "." or ".." component, no leading or
 * trailing slash; "" is its root. No component is ever followed as a link by a filesystem
 * (a host filesystem must hold this against a host that changes links meanwhile).
 *
 * Layer     vfs; base, abi
 * Threads   one runtime's; host and template filesystems may be shared between runtimes
 *           only where they say so
 * Suspends  only filesystems that say so (fs/user)
 * Errors    0, or -NACRE_E... as the Linux call of the same name
 */
#ifndef NACRE_VFS_FS_H
#define NACRE_VFS_FS_H

#include "file.h"

#define FS_NAME_MAX 255
#define FS_LINK_MAX 4095

struct fs;

/* What a walk met. */
enum fs_walk_end {
	FS_WALK_FOUND,		/* the whole path: st is filled (a link as last component is FOUND, with link filled) */
	FS_WALK_LINK,		/* a component before the last is a link: [from, to) of the path, target in link */
	FS_WALK_MISSING,	/* the component [from, to) does not exist; what is before it is a directory */
	FS_WALK_NOTDIR,		/* the component [from, to) has something after it and is not a directory */
};

struct fs_walk {
	enum fs_walk_end end;
	size_t from, to;
	struct sys_stat st;
	size_t link_len;
	char link[FS_LINK_MAX + 1];	/* NUL-terminated target */
};

struct fs_ops {
	const char *type;	/* "memfs", "hostfs"... */

	/* Walks `path` as far as no link stands in the way. 0 with `w` filled, or -E (EACCES, EIO, ENAMETOOLONG). */
	int (*walk)(struct fs *fs, const char *path, struct fs_walk *w);
	/* path was just walked. With CREATE the file may be missing. The quota is the opener's. */
	int (*open)(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q, struct file **out);
	int (*mkdir)(struct fs *fs, const char *path, unsigned mode);
	int (*rmdir)(struct fs *fs, const char *path);
	int (*unlink)(struct fs *fs, const char *path);
	int (*rename)(struct fs *fs, const char *from, const char *to, unsigned flags);
	int (*link)(struct fs *fs, const char *from, const char *to);
	int (*symlink)(struct fs *fs, const char *target, const char *path);
	int (*mkfifo)(struct fs *fs, const char *path, unsigned mode);
	int (*chmod)(struct fs *fs, const char *path, unsigned mode);
	int (*chown)(struct fs *fs, const char *path, int64_t uid, int64_t gid);
	int (*utimes)(struct fs *fs, const char *path, const struct sys_time t[2]); /* NOW is resolved, OMIT stays */
	int (*truncate)(struct fs *fs, const char *path, int64_t size);
	int (*statfs)(struct fs *fs, struct sys_statfs *out);
	void (*free)(struct fs *fs);	/* the last reference is gone */
};
/* An operation that is NULL: -NACRE_EROFS for those that write. */

struct fs {
	const struct fs_ops *ops;
	uint32_t refs;
	uint32_t dev;		/* st_dev of its files */
};

static inline struct fs *fs_get(struct fs *fs)
{
	fs->refs++;
	return fs;
}

static inline void fs_put(struct fs *fs)
{
	if (fs && --fs->refs == 0)
		fs->ops->free(fs);
}

#endif
