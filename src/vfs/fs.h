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

/* Who the sandbox's programs are. */
#define FS_UID 1000u
#define FS_GID 1000u

struct fs;

/* What a walk met. */
enum fs_walk_end {
	FS_WALK_FOUND, /* the whole path: st is filled (a link as last component is FOUND: st is the
	                  link's) */
	FS_WALK_LINK,  /* a component before the last is a link: [from, to) of the path; readlink
	                  path[0, to) */
	FS_WALK_MISSING, /* the component [from, to) does not exist; what is before it is a
	                    directory */
	FS_WALK_NOTDIR, /* the component [from, to) has something after it and is not a directory */
};

struct fs_walk {
	enum fs_walk_end end;
	size_t from, to;
	struct sys_stat st;
};

struct fs_ops {
	const char *type; /* "memfs", "hostfs"... */

	/* Walks `path` as far as no link stands in the way. 0 with `w` filled, or -E (EACCES, EIO,
	 * ENAMETOOLONG). */
	int (*walk)(struct fs *fs, const char *path, struct fs_walk *w);
	/* The target of the link at `path`, not NUL-terminated, at most n bytes; -NACRE_EINVAL when
	 * it is none. */
	int64_t (*readlink)(struct fs *fs, const char *path, char *buf, size_t n);
	/* Opens without following any link: -NACRE_ELOOP when the path has one anywhere, the last
	 * component included, unless an error comes first on the way to it. With CREATE a missing
	 * last component is made, with EXCL it must be missing. `mode` is final (the umask is taken
	 * off). A directory opens for reading only and has ops->readdir; a FIFO gives -NACRE_ENXIO
	 * (the kernel opens those). The quota is the opener's. */
	int (*open)(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q,
	            struct file **out);
	int (*mkdir)(struct fs *fs, const char *path, unsigned mode);
	int (*rmdir)(struct fs *fs, const char *path);
	int (*unlink)(struct fs *fs, const char *path);
	int (*rename)(struct fs *fs, const char *from, const char *to, unsigned flags);
	int (*link)(struct fs *fs, const char *from, const char *to);
	int (*symlink)(struct fs *fs, const char *target, const char *path);
	int (*mkfifo)(struct fs *fs, const char *path, unsigned mode);
	int (*chmod)(struct fs *fs, const char *path, unsigned mode);
	int (*chown)(struct fs *fs, const char *path, int64_t uid, int64_t gid);
	int (*utimes)(struct fs *fs, const char *path,
	              const struct sys_time t[2]); /* with SYS_TIME_NOW, OMIT */
	int (*truncate)(struct fs *fs, const char *path, int64_t size);
	/* type, bytes_*, files_*, block_size; the vfs fills in the rest. */
	int (*statfs)(struct fs *fs, struct sys_statfs *out);
	/* May the sandbox do `how` (SYS_R_OK...) with the file? NULL: judged by owner and mode. */
	int (*access)(struct fs *fs, const char *path, unsigned how);
	void (*free)(struct fs *fs); /* the last reference is gone */
};
/* An operation that is NULL: -NACRE_EROFS for those that write. The last component of a path is
 * never followed by any of them, except that truncate, chmod and utimes are not called for links by
 * the vfs. */

struct fs {
	const struct fs_ops *ops;
	uint32_t refs;
	uint32_t dev; /* st_dev of its files */
	/* -NACRE_E...: the vfs answers so to whatever would change a file, before the filesystem is asked even
	 * what there is. Only for one without links and devices. 0: it is asked. */
	int sealed;
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
