/*
 * linux_hostfs.c - files of the host below one directory, through openat2.
 *
 * A path of several components is resolved by one openat2 with RESOLVE_BENEATH, NO_SYMLINKS and
 * NO_MAGICLINKS; what must act on a name does so through a descriptor of the parent got that
 * way and a call that takes a single component and follows nothing. So no check here can be
 * overtaken by a change of the tree.
 */
#include "linux_hostfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

#define RETRIES 64 /* of openat2 when the kernel lost a race with a rename */

/* ---- Errors ---------------------------------------------------------------- */

/* The kernel's own numbers are nacre's; what is not in its list, or cannot be, becomes EIO. */
int host_fault(void)
{
	int e = errno;

	switch (e) {
#define NACRE_ERR(name, number, text) case number:
#include "../abi/errno.def"
#undef NACRE_ERR
		return e == EXDEV ? -NACRE_EACCES : -e;
	default: return -NACRE_EIO;
	}
}

/* ---- Descriptors ----------------------------------------------------------- */

int host_open_beneath(int root, const char *path, int flags, unsigned mode)
{
	struct open_how how = {
	        .flags = (unsigned)(flags | O_CLOEXEC),
	        .mode = flags & O_CREAT ? mode : 0,
	        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};

	for (int i = 0;; i++) {
		long fd = syscall(SYS_openat2, root, *path ? path : ".", &how, sizeof(how));

		if (fd >= 0)
			return (int)fd;
		if ((errno == EAGAIN || errno == EINTR) && i < RETRIES)
			continue;
		return host_fault();
	}
}

int hostfs_root(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), probe;

	if (fd < 0)
		return host_fault();
	probe = host_open_beneath(fd, "", O_PATH | O_DIRECTORY, 0);
	if (probe < 0) {
		close(fd);
		return probe;
	}
	close(probe);
	return fd;
}

void hostfs_close(int fd)
{
	close(fd);
}

/* The directory path[0, len) below root, in as many steps as its text needs. */
static int open_dir(int root, const char *path, size_t len)
{
	char part[512];
	int fd = -1;

	for (size_t at = 0; at < len;) {
		size_t n = len - at;
		int next;

		if (n >= sizeof(part)) /* as many components as fit */
			for (n = sizeof(part) - 1; n > 0 && path[at + n] != '/'; n--)
				;
		memcpy(part, path + at, n);
		part[n] = '\0';
		next = n ? host_open_beneath(fd < 0 ? root : fd, part, O_PATH | O_DIRECTORY, 0)
		         : -NACRE_ENAMETOOLONG;
		at += n + 1;
		if (fd >= 0)
			close(fd);
		if (next < 0)
			return next;
		fd = next;
	}
	return fd;
}

int host_open_parent(int root, const char *path, struct host_parent *p)
{
	const char *slash = strrchr(path, '/');

	*p = (struct host_parent){root, root, slash ? slash + 1 : path};
	if (!*path)
		return -NACRE_EBUSY;
	if (!slash)
		return 0;
	p->fd = open_dir(root, path, (size_t)(slash - path));
	return p->fd < 0 ? p->fd : 0;
}

void host_close_parent(struct host_parent *p)
{
	if (p->fd >= 0 && p->fd != p->root)
		close(p->fd);
}

/* ---- Stat ------------------------------------------------------------------ */

static void from_stat(const struct stat *st, struct sys_stat *out)
{
	*out = (struct sys_stat){
	        .dev = st->st_dev,
	        .ino = st->st_ino,
	        .mode = st->st_mode,
	        .nlink = (uint32_t)st->st_nlink,
	        .uid = st->st_uid,
	        .gid = st->st_gid,
	        .rdev = st->st_rdev,
	        .size = st->st_size,
	        .blocks = st->st_blocks,
	        .blksize = (int32_t)st->st_blksize,
	        .atime = {st->st_atim.tv_sec, (int32_t)st->st_atim.tv_nsec},
	        .mtime = {st->st_mtim.tv_sec, (int32_t)st->st_mtim.tv_nsec},
	        .ctime = {st->st_ctim.tv_sec, (int32_t)st->st_ctim.tv_nsec},
	};
	out->btime = out->ctime;
}

static int stat_at(int dir, const char *name, int flags, struct sys_stat *out)
{
	struct statx sx;
	struct stat st;

	if (statx(dir, name, flags | AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &sx) ==
	    0) {
		*out = (struct sys_stat){
		        .dev = (uint64_t)sx.stx_dev_major << 32 | sx.stx_dev_minor,
		        .ino = sx.stx_ino,
		        .mode = sx.stx_mode,
		        .nlink = sx.stx_nlink,
		        .uid = sx.stx_uid,
		        .gid = sx.stx_gid,
		        .rdev = (uint64_t)(sx.stx_rdev_major & 0xfff) << 8 |
		                (sx.stx_rdev_minor & 0xff) |
		                (uint64_t)(sx.stx_rdev_minor & ~0xffu) << 12,
		        .size = (int64_t)sx.stx_size,
		        .blocks = (int64_t)sx.stx_blocks,
		        .blksize = (int32_t)sx.stx_blksize,
		        .atime = {sx.stx_atime.tv_sec, (int32_t)sx.stx_atime.tv_nsec},
		        .mtime = {sx.stx_mtime.tv_sec, (int32_t)sx.stx_mtime.tv_nsec},
		        .ctime = {sx.stx_ctime.tv_sec, (int32_t)sx.stx_ctime.tv_nsec},
		        .btime = {sx.stx_btime.tv_sec, (int32_t)sx.stx_btime.tv_nsec},
		};
		if (!(sx.stx_mask & STATX_BTIME))
			out->btime = out->ctime;
		return 0;
	}
	if (errno != ENOSYS)
		return host_fault();
	if (fstatat(dir, name, &st, flags | AT_SYMLINK_NOFOLLOW) < 0)
		return host_fault();
	from_stat(&st, out);
	out->dev = (uint64_t)(st.st_dev >> 8) << 32 | (st.st_dev & 0xff);
	return 0;
}

int hostfs_fstat(int fd, struct sys_stat *out)
{
	return stat_at(fd, "", AT_EMPTY_PATH, out);
}

int hostfs_stat(int root, const char *path, struct sys_stat *out)
{
	int fd, err;

	if (!*path)
		return hostfs_fstat(root, out);
	if (!strchr(path, '/')) /* a single name cannot lead through a link */
		return stat_at(root, path, 0, out);
	fd = host_open_beneath(root, path, O_PATH | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd;
	err = hostfs_fstat(fd, out);
	close(fd);
	return err;
}

/* One component after the other, until one does not lead on. */
static int walk_slowly(int root, const char *path, enum hostfs_end *end, size_t *from, size_t *to,
                       struct sys_stat *st)
{
	char name[NAME_MAX + 1];
	int fd = root, err;

	for (*from = 0;; *from = *to + 1) {
		size_t n = strcspn(path + *from, "/");
		int next;

		*to = *from + n;
		err = n > NAME_MAX ? -NACRE_ENAMETOOLONG : 0;
		if (err)
			break;
		memcpy(name, path + *from, n);
		name[n] = '\0';
		err = stat_at(fd, name, 0, st);
		*end = err ? HOSTFS_MISSING : HOSTFS_FOUND;
		if (err == -NACRE_ENOENT)
			err = 0;
		if (err || *end == HOSTFS_MISSING || !path[*to])
			break;
		*end = (st->mode & SYS_S_TYPE) == SYS_S_LINK ? HOSTFS_LINK : HOSTFS_NOTDIR;
		if ((st->mode & SYS_S_TYPE) != SYS_S_DIR)
			break;
		next = host_open_beneath(fd, name, O_PATH | O_DIRECTORY, 0);
		if (fd != root)
			close(fd);
		fd = next;
		if (fd < 0)
			return fd;
	}
	if (fd != root)
		close(fd);
	return err;
}

int hostfs_walk(int root, const char *path, enum hostfs_end *end, size_t *from, size_t *to,
                struct sys_stat *st)
{
	int err = hostfs_stat(root, path, st);
	struct host_parent p;

	*end = HOSTFS_FOUND;
	*from = *to = strlen(path);
	if (!err || (err != -NACRE_ENOENT && err != -NACRE_ELOOP && err != -NACRE_ENOTDIR))
		return err;
	if (err == -NACRE_ENOENT && host_open_parent(root, path, &p) == 0) {
		host_close_parent(&p);
		*from = (size_t)(p.name - path);
		*end = HOSTFS_MISSING;
		return 0;
	}
	return walk_slowly(root, path, end, from, to, st);
}

int64_t hostfs_readlink(int root, const char *path, char *buf, size_t n)
{
	struct host_parent p;
	int64_t got = host_open_parent(root, path, &p);

	if (!got) {
		got = readlinkat(p.fd, p.name, buf, n);
		if (got < 0)
			got = host_fault();
	}
	host_close_parent(&p);
	return got;
}

int hostfs_access(int root, const char *path, unsigned how)
{
	int fd = host_open_beneath(root, path, O_PATH | O_NOFOLLOW, 0), err;

	if (fd < 0)
		return fd;
	err = host_result((int)syscall(SYS_faccessat2, fd, "", how, AT_EMPTY_PATH | AT_EACCESS));
	close(fd);
	return err;
}

/* ---- Opening --------------------------------------------------------------- */

static int mode_flags(unsigned flags)
{
	int f = O_NONBLOCK | O_NOCTTY; /* links are refused by openat2, with ELOOP in every case */

	f |= flags & SYS_O_WRITE ? flags & SYS_O_READ ? O_RDWR : O_WRONLY : O_RDONLY;
	if (flags & SYS_O_APPEND)
		f |= O_APPEND;
	if (flags & SYS_O_DIRECTORY)
		f |= O_DIRECTORY;
	return f;
}

static int check_kind(int fd, unsigned flags, uint32_t *type)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return host_fault();
	*type = st.st_mode & S_IFMT;
	if (S_ISLNK(st.st_mode))
		return -NACRE_ELOOP;
	if ((flags & SYS_O_DIRECTORY) && !S_ISDIR(st.st_mode))
		return -NACRE_ENOTDIR;
	return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? 0 : -NACRE_EACCES;
}

/* An existing file. Before it is opened for writing its kind is looked at through a descriptor that
 * does nothing, since opening alone may make a device act; after it in any case. */
static int open_old(int root, const char *path, unsigned flags, uint32_t *type)
{
	int fd, err;

	if (flags & (SYS_O_WRITE | SYS_O_TRUNC)) {
		fd = host_open_beneath(root, path, O_PATH | O_NOFOLLOW, 0);
		if (fd < 0)
			return fd;
		err = check_kind(fd, flags, type);
		close(fd);
		if (err)
			return err;
	}
	fd = host_open_beneath(root, path, mode_flags(flags), 0);
	if (fd < 0)
		return fd == -NACRE_ENXIO ? -NACRE_EACCES : fd;
	err = check_kind(fd, flags, type);
	if (!err && (flags & SYS_O_TRUNC))
		err = flags & SYS_O_WRITE ? host_result(ftruncate(fd, 0))
		                          : hostfs_truncate(root, path, 0);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

/* A file that is missing; the umask of the process has no say in its mode. */
static int open_new(int root, const char *path, unsigned flags, unsigned mode)
{
	int fd = host_open_beneath(root, path, mode_flags(flags) | O_CREAT | O_EXCL, mode & 0777);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && (st.st_mode & 01777) != (mode & 01777) &&
	    fchmod(fd, mode & 01777) < 0) {
		int err = host_fault();

		close(fd);
		return err;
	}
	return fd;
}

static bool is_dir(int root, const char *path)
{
	struct sys_stat st;

	return hostfs_stat(root, path, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR;
}

int hostfs_open(int root, const char *path, unsigned flags, unsigned mode, uint32_t *type)
{
	for (int i = 0; i < RETRIES; i++) {
		int fd;

		if (!(flags & SYS_O_CREATE))
			return open_old(root, path, flags, type);
		if (!(flags & SYS_O_EXCL)) {
			fd = open_old(root, path, flags, type);
			if (fd == -NACRE_EACCES && is_dir(root, path))
				return -NACRE_EISDIR;
			if (fd >= 0 && *type == SYS_S_DIR) {
				close(fd);
				return -NACRE_EISDIR;
			}
			if (fd != -NACRE_ENOENT)
				return fd;
		}
		*type = SYS_S_FILE;
		fd = open_new(root, path, flags, mode);
		if (fd != -NACRE_EEXIST || (flags & SYS_O_EXCL))
			return fd;
	}
	return -NACRE_EAGAIN;
}

/* ---- Open files ------------------------------------------------------------ */

static int64_t transferred(ssize_t got)
{
	return got < 0 ? host_fault() : got;
}

int64_t hostfs_pread(int fd, void *buf, size_t n, int64_t at)
{
	ssize_t got;

	do
		got = at < 0 ? read(fd, buf, n) : pread(fd, buf, n, at);
	while (got < 0 && errno == EINTR);
	return transferred(got);
}

int64_t hostfs_pwrite(int fd, const void *buf, size_t n, int64_t at)
{
	ssize_t got;

	do
		got = at < 0 ? write(fd, buf, n) : pwrite(fd, buf, n, at);
	while (got < 0 && errno == EINTR);
	return transferred(got);
}

int64_t hostfs_append(int fd, const void *buf, size_t n, int64_t *end)
{
	int64_t got = hostfs_pwrite(fd, buf, n, -1);

	if (got > 0)
		*end = lseek(fd, 0, SEEK_CUR);
	return got;
}

int hostfs_data(int fd, int64_t at, int64_t *start)
{
	off_t found = lseek(fd, at, SEEK_DATA);
	struct stat st;

	*start = at;
	if (found >= at)
		*start = found;
	else if (found < 0 && errno == ENXIO && fstat(fd, &st) == 0)
		*start = st.st_size > at ? st.st_size : at;
	return 0;
}

int hostfs_ftruncate(int fd, int64_t size)
{
	return host_result(ftruncate(fd, size));
}

/* As the kernel packs them. */
struct packed_entry {
	uint64_t ino;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

int64_t hostfs_readdir(int fd, void *buf, size_t n)
{
	return transferred(syscall(SYS_getdents64, fd, buf, n));
}

int hostfs_rewind(int fd)
{
	return lseek(fd, 0, SEEK_SET) < 0 ? host_fault() : 0;
}

static uint32_t type_of(uint8_t type)
{
	return (uint32_t)type << 12; /* DT_DIR is 4, S_IFDIR 0040000, and so with all */
}

bool hostfs_dirent(const void *buf, size_t used, size_t *at, struct sys_dirent *out)
{
	/* What does not look like entries (a replayed recording may hold anything) ends the buffer. */
	while (*at < used && used - *at > offsetof(struct packed_entry, name)) {
		const struct packed_entry *e = (const void *)((const char *)buf + *at);

		if (e->size <= offsetof(struct packed_entry, name) || e->size % 8 || e->size > used - *at ||
		    !memchr(e->name, 0, e->size - offsetof(struct packed_entry, name)))
			return false;
		*at += e->size;
		if (e->name[0] == '.' && (!e->name[1] || (e->name[1] == '.' && !e->name[2])))
			continue;
		*out = (struct sys_dirent){e->name, strlen(e->name), type_of(e->type), e->ino};
		return true;
	}
	return false;
}
