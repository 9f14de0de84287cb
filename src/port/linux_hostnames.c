/*
 * linux_hostnames.c - the calls of hostfs.h that change names and attributes: each acts on a single
 * component of a directory that was opened beneath the root.
 */
#include "linux_hostfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

/* ---- Names ----------------------------------------------------------------- */

/* The mode of something just made, whatever the process's umask took off. */
static int set_mode(int dir, const char *name, unsigned mode)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return host_fault();
	if ((st.st_mode & 01777) == (mode & 01777) || S_ISLNK(st.st_mode))
		return 0;
	return hostfs_chmod(dir, name, (mode & 01777) | (st.st_mode & 06000));
}

int hostfs_mkdir(int root, const char *path, unsigned mode)
{
	struct host_parent p;
	int err = host_open_parent(root, path, &p);

	if (err == -NACRE_EBUSY)
		err = -NACRE_EEXIST;
	else if (!err)
		err = host_result(mkdirat(p.fd, p.name, mode & 01777));
	if (!err)
		err = set_mode(p.fd, p.name, mode);
	host_close_parent(&p);
	return err;
}

int hostfs_mkfifo(int root, const char *path, unsigned mode)
{
	struct host_parent p;
	int err = host_open_parent(root, path, &p);

	if (!err)
		err = host_result(mkfifoat(p.fd, p.name, mode & 01777));
	if (!err)
		err = set_mode(p.fd, p.name, mode);
	host_close_parent(&p);
	return err;
}

int hostfs_unlink(int root, const char *path, bool dir)
{
	struct host_parent p;
	int err = host_open_parent(root, path, &p);

	if (!err)
		err = host_result(unlinkat(p.fd, p.name, dir ? AT_REMOVEDIR : 0));
	host_close_parent(&p);
	return err;
}

/* An error of a call on two names: EXDEV there is the truth. */
static int fault_two(void)
{
	return errno == EXDEV ? -NACRE_EXDEV : host_fault();
}

int hostfs_rename(int root, const char *from, const char *to, bool no_replace)
{
	struct host_parent a, b;
	int err = host_open_parent(root, from, &a);

	if (err)
		return err;
	err = host_open_parent(root, to, &b);
	if (!err) {
		if (no_replace)
			err = renameat2(a.fd, a.name, b.fd, b.name, RENAME_NOREPLACE);
		else
			err = renameat(a.fd, a.name, b.fd, b.name);
		if (err < 0)
			err = fault_two();
	}
	host_close_parent(&a);
	host_close_parent(&b);
	return err;
}

int hostfs_link(int root, const char *from, const char *to)
{
	struct host_parent a, b;
	int err = *from ? host_open_parent(root, from, &a) : 0;

	if (!*from) /* a directory, which the kernel shall refuse in its order */
		a = (struct host_parent){root, root, "."};
	if (err)
		return err;
	err = host_open_parent(root, to, &b);
	if (!err && linkat(a.fd, a.name, b.fd, b.name, 0) < 0)
		err = fault_two();
	host_close_parent(&a);
	host_close_parent(&b);
	return err;
}

int hostfs_symlink(int root, const char *target, const char *path)
{
	struct host_parent p;
	int err = host_open_parent(root, path, &p);

	if (!err)
		err = host_result(symlinkat(target, p.fd, p.name));
	host_close_parent(&p);
	return err;
}

/* ---- Attributes ------------------------------------------------------------ */

/* Before Linux 6.6 no chmod takes such a descriptor; through /proc it names the file itself. */
static int chmod_fd(int fd, unsigned mode)
{
	char name[40];
	int err = host_result((int)syscall(SYS_fchmodat2, fd, "", mode, AT_EMPTY_PATH));

	if (err != -NACRE_ENOSYS && err != -NACRE_EINVAL)
		return err;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return host_result(chmod(name, mode));
}

int hostfs_chmod(int root, const char *path, unsigned mode)
{
	int fd = host_open_beneath(root, path, O_PATH | O_NOFOLLOW, 0), err;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		err = host_fault();
	else if (S_ISLNK(st.st_mode))
		err = -NACRE_EOPNOTSUPP;
	else if (mode & 06000 & ~st.st_mode)
		err = -NACRE_EPERM;
	else
		err = chmod_fd(fd, mode);
	close(fd);
	return err;
}

int hostfs_chown(int root, const char *path, uint32_t uid, uint32_t gid)
{
	int fd = host_open_beneath(root, path, O_PATH | O_NOFOLLOW, 0), err;

	if (fd < 0)
		return fd;
	err = host_result(fchownat(fd, "", uid, gid, AT_EMPTY_PATH));
	close(fd);
	return err;
}

static struct timespec to_host(const struct sys_time *t)
{
	struct timespec ts = {.tv_sec = t->sec, .tv_nsec = t->nsec};

	if (t->nsec == SYS_TIME_NOW)
		ts.tv_nsec = UTIME_NOW;
	else if (t->nsec == SYS_TIME_OMIT)
		ts.tv_nsec = UTIME_OMIT;
	return ts;
}

int hostfs_utimes(int root, const char *path, const struct sys_time t[2])
{
	const struct timespec ts[2] = {to_host(&t[0]), to_host(&t[1])};
	struct host_parent p;
	int err;

	if (!*path)
		return host_result(utimensat(root, ".", ts, 0));
	err = host_open_parent(root, path, &p);
	if (!err)
		err = host_result(utimensat(p.fd, p.name, ts, AT_SYMLINK_NOFOLLOW));
	host_close_parent(&p);
	return err;
}

int hostfs_truncate(int root, const char *path, int64_t size)
{
	uint32_t type;
	int fd = hostfs_open(root, path, SYS_O_WRITE, 0, &type), err;

	if (fd < 0)
		return fd;
	err = host_result(ftruncate(fd, size));
	close(fd);
	return err;
}

int hostfs_statfs(int root, struct sys_statfs *out)
{
	struct statvfs v;

	if (fstatvfs(root, &v) < 0)
		return host_fault();
	out->block_size = (uint32_t)v.f_bsize;
	out->bytes_total = (uint64_t)v.f_blocks * v.f_frsize;
	out->bytes_free = (uint64_t)v.f_bavail * v.f_frsize;
	out->files_total = v.f_files;
	out->files_free = v.f_favail;
	return 0;
}
