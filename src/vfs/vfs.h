/*
 * vfs.h - one sandbox's tree: mounts, path resolution, and the policy's one choke point.
 *
 * Every path a program or a guest names comes through here. A path is made absolute with
 * the caller's cwd, walked component by component, links followed (at most 40), ".." taken
 * from the resolved prefix, mounts crossed; the resolved and the given path are both shown
 * to the policy; then the filesystem that owns the place does the operation.
 *
 * Layer     vfs; base, abi
 * Owns      references on its filesystems and the policy
 * Threads   one runtime's
 * Suspends  as the filesystems mounted
 * Errors    as the Linux calls
 */
#ifndef NACRE_VFS_VFS_H
#define NACRE_VFS_VFS_H

#include "fs.h"
#include "policy.h"

struct mount {
	const char *at; /* absolute, clean: "/workspace"; "" is never used, "/" is the root */
	size_t at_len;
	struct fs *fs;
	bool read_only;
	const char *source; /* for df: the host path, or "memfs" */
};

/* A shared, immutable list of mounts (those that all sandboxes of one configuration have). */
struct mount_table {
	uint32_t refs;
	uint32_t n;
	struct quota *quota;
	struct mount v[]; /* longest `at` first */
};

struct vfs {
	struct fs *root;            /* the sandbox's own tree at "/" */
	struct mount_table *mounts; /* NULL: none */
	struct policy *policy;      /* NULL: everything is allowed */
	/* Called for every refusal, with what was asked. */
	void (*denied)(void *ctx, const struct policy_denial *d);
	void *ctx;
};

/* The caller of an operation: its cwd and umask, the quota new objects are charged to. */
struct vfs_who {
	struct vfs *vfs;
	const char *cwd; /* absolute, clean */
	unsigned umask;
	struct quota *quota;
};

int vfs_open(const struct vfs_who *w, const char *path, unsigned flags, unsigned mode,
             struct file **out);
int vfs_stat(const struct vfs_who *w, const char *path, unsigned flags, struct sys_stat *out);
int vfs_access(const struct vfs_who *w, const char *path, unsigned how);
int vfs_mkdir(const struct vfs_who *w, const char *path, unsigned mode);
int vfs_rmdir(const struct vfs_who *w, const char *path);
int vfs_unlink(const struct vfs_who *w, const char *path);
int vfs_rename(const struct vfs_who *w, const char *from, const char *to, unsigned flags);
int vfs_link(const struct vfs_who *w, const char *from, const char *to, unsigned flags);
int vfs_symlink(const struct vfs_who *w, const char *target, const char *path);
int vfs_mkfifo(const struct vfs_who *w, const char *path, unsigned mode);
int64_t vfs_readlink(const struct vfs_who *w, const char *path, char *buf, size_t n);
int vfs_chmod(const struct vfs_who *w, const char *path, unsigned mode, unsigned flags);
int vfs_chown(const struct vfs_who *w, const char *path, int64_t uid, int64_t gid, unsigned flags);
int vfs_utimes(const struct vfs_who *w, const char *path, struct sys_time atime,
               struct sys_time mtime, unsigned flags);
int vfs_truncate(const struct vfs_who *w, const char *path, int64_t size);
int vfs_statfs(const struct vfs_who *w, const char *path, struct sys_statfs *out);
int vfs_mount_at(const struct vfs *v, size_t i, struct sys_statfs *out);

/* Of a file that is open: judged by the path it was opened at. -NACRE_EOPNOTSUPP when that was nowhere (pipes, what the host
 * gave), and when the name has gone and the filesystem's files can only be reached by it. */
int vfs_fchmod(const struct vfs_who *w, struct file *f, unsigned mode);
int vfs_fchown(const struct vfs_who *w, struct file *f, int64_t uid, int64_t gid);
int vfs_futimes(const struct vfs_who *w, struct file *f, struct sys_time atime, struct sys_time mtime);
int vfs_fstatfs(const struct vfs_who *w, struct file *f, struct sys_statfs *out);
int64_t vfs_fchdir(const struct vfs_who *w, struct file *f, char *buf, size_t n); /* as vfs_chdir */

/* Would `access` to `path` be allowed? 0, or why not, a refusal told to vfs->denied; the resolved path (of a
 * refusal: denied's) into buf. -NACRE_ENOENT when reading what is not there. */
int vfs_explain(const struct vfs_who *w, const char *path, unsigned access, char *buf, size_t n);

/* Where chdir to `path` leads: the absolute, link-free path of a directory one may search, into buf
 * (n bytes with the NUL); its length. */
int64_t vfs_chdir(const struct vfs_who *w, const char *path, char *buf, size_t n);

/* The absolute, link-free path: as sys_realpath. */
int64_t vfs_realpath(const struct vfs_who *w, const char *path, int must_exist, char *buf,
                     size_t n);

#endif
