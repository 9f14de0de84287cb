/*
 * hostfs.h - files of the host below one directory, resolved without following any link.
 *
 * `root` is a descriptor of a directory from hostfs_root. Paths are relative and clean; "" is the
 * root itself. No component is followed as a link: -NACRE_ELOOP says one is there. Nothing outside
 * the root is ever reached, whatever others do to the tree meanwhile.
 *
 * Layer     port; base, abi
 * Owns      nothing: descriptors are the caller's, closed by hostfs_close
 * Threads   any
 * Suspends  no; may block on the disk
 * Errors    -NACRE_E..., an unknown error of the host is -NACRE_EIO
 */
#ifndef NACRE_PORT_HOSTFS_H
#define NACRE_PORT_HOSTFS_H

#include "../abi/sys.h"

/* Opens a directory by any host path (links are followed here: the embedder named it). */
MUST_USE int hostfs_root(const char *path);
void hostfs_close(int fd);

/* A descriptor of the file or directory. flags are SYS_O_...; `mode` is what a new file gets,
 * whatever the host process's umask is; *type is SYS_S_FILE or SYS_S_DIR. Anything else:
 * -NACRE_EACCES, and nothing was done to it. */
MUST_USE int hostfs_open(int root, const char *path, unsigned flags, unsigned mode, uint32_t *type);

/* How far a path leads: 0 with *end and, unless all of it was found, the component [*from, *to) it
 * ended at; st of the whole when found. Or -E (EACCES, ENAMETOOLONG...). */
enum hostfs_end { HOSTFS_FOUND, HOSTFS_LINK, HOSTFS_MISSING, HOSTFS_NOTDIR };
MUST_USE int hostfs_walk(int root, const char *path, enum hostfs_end *end, size_t *from, size_t *to,
                         struct sys_stat *st);

/* The file itself, a link included. */
MUST_USE int hostfs_stat(int root, const char *path, struct sys_stat *out);
MUST_USE int hostfs_fstat(int fd, struct sys_stat *out);
MUST_USE int64_t hostfs_readlink(int root, const char *path, char *buf, size_t n);
MUST_USE int hostfs_access(int root, const char *path, unsigned how); /* SYS_R_OK... */

MUST_USE int hostfs_mkdir(int root, const char *path, unsigned mode);
MUST_USE int hostfs_unlink(int root, const char *path, bool dir);
MUST_USE int hostfs_rename(int root, const char *from, const char *to, bool no_replace);
MUST_USE int hostfs_link(int root, const char *from, const char *to);
MUST_USE int hostfs_symlink(int root, const char *target, const char *path);
MUST_USE int hostfs_mkfifo(int root, const char *path, unsigned mode);
MUST_USE int hostfs_chmod(int root, const char *path, unsigned mode);
/* Gives the file or link itself to others, as far as the host process may. */
MUST_USE int hostfs_chown(int root, const char *path, uint32_t uid, uint32_t gid);
MUST_USE int hostfs_utimes(int root, const char *path,
                           const struct sys_time t[2]); /* SYS_TIME_NOW, OMIT */
MUST_USE int hostfs_truncate(int root, const char *path, int64_t size);
MUST_USE int hostfs_statfs(int root, struct sys_statfs *out);

/* Open descriptors. at < 0: at the descriptor's own offset. */
MUST_USE int64_t hostfs_pread(int fd, void *buf, size_t n, int64_t at);
MUST_USE int64_t hostfs_pwrite(int fd, const void *buf, size_t n, int64_t at);
/* Where data begins at or after `at`: what lies between is a hole. The file's end when there is none any more; `at` itself
 * where the host cannot tell. */
MUST_USE int hostfs_data(int fd, int64_t at, int64_t *start);
/* Opened with APPEND; *end is where the file then ends. */
MUST_USE int64_t hostfs_append(int fd, const void *buf, size_t n, int64_t *end);
MUST_USE int hostfs_ftruncate(int fd, int64_t size);

/* The next entries of a directory as the host has them, packed into buf (at least 512 bytes,
 * 8-aligned); bytes used, 0 at the end. hostfs_dirent takes one out at *at and moves *at on; "."
 * and ".." are left out: false at the end of the buffer. The name stays in buf. */
MUST_USE int64_t hostfs_readdir(int fd, void *buf, size_t n);
MUST_USE int hostfs_rewind(int fd);
bool hostfs_dirent(const void *buf, size_t used, size_t *at, struct sys_dirent *out);

/* ---- All of it as one call ------------------------------------------------------------------ */

/* What port->files is asked: fs/host asks nothing else, so whoever stands between (port/record, port/replay) has one
 * place to stand in. Fields that a call does not have are 0. */
enum hostfs_call {
	HOSTFS_ROOT, HOSTFS_CLOSE, HOSTFS_OPEN, HOSTFS_WALK, HOSTFS_STAT, HOSTFS_FSTAT, HOSTFS_READLINK, HOSTFS_ACCESS,
	HOSTFS_MKDIR, HOSTFS_UNLINK, HOSTFS_RMDIR, HOSTFS_RENAME, HOSTFS_LINKTO, HOSTFS_SYMLINK, HOSTFS_MKFIFO, HOSTFS_CHMOD,
	HOSTFS_CHOWN, HOSTFS_UTIMES, HOSTFS_TRUNCATE, HOSTFS_STATFS, HOSTFS_PREAD, HOSTFS_PWRITE, HOSTFS_APPEND,
	HOSTFS_FTRUNCATE, HOSTFS_READDIR, HOSTFS_REWIND, HOSTFS_DATA, HOSTFS_CALLS_
};

struct hostfs_op {
	enum hostfs_call call;
	int fd;			/* the root's, or an open descriptor */
	const char *path, *to;	/* to: the second path; of symlink the target */
	unsigned flags, mode;	/* flags: SYS_O_..., of rename 1 for no_replace; mode: also access's `how` */
	uint32_t uid, gid;
	int64_t at;		/* an offset, a size */
	const struct sys_time *times;
	const void *in;		/* n bytes to write */
	void *out;		/* room for n bytes, where something is read */
	size_t n;
	/* Results. */
	uint32_t type;
	enum hostfs_end end;
	size_t from, till;
	int64_t ends_at;	/* of append; of data where it begins */
	struct sys_stat *st;	/* to be filled in by those that look */
	struct sys_statfs *fs;
};

/* What the function of that name gives; -NACRE_EINVAL for a call that there is not. */
MUST_USE int64_t hostfs_do(struct hostfs_op *op);

#endif
