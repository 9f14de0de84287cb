/* calls_path.c - what guests import besides WASI: names. */
#include "calls.h"

static u32 result(int64_t r)
{
	return (u32)(int32_t)r;
}

/* `path` as the kernel takes it, below the directory `dir` when that is a descriptor. NULL: it is not in the guest's
 * memory, or the descriptor is no directory. */
static const char *name_at(struct guest *g, u32 dir, u32 path, char *buf)
{
	const char *name = guest_string(g, path);

	if (!name || *name == '/' || (int32_t)dir < 0)
		return name;
	return wasi_path(g, dir, path, (u32)strlen(name), buf) == WASI_OK ? buf : NULL;
}

/* Why there is none. */
static int no_name(struct guest *g, u32 dir, u32 path)
{
	if (!guest_string(g, path) || (int32_t)dir < 0)
		return -NACRE_EFAULT;
	return sys_fd_flags(g->p, wasi_own_fd(g, dir)) < 0 ? -NACRE_EBADF : -NACRE_ENOTDIR;
}

static void put_time(char *at, struct sys_time t)
{
	wasi_put64(at, (uint64_t)t.sec);
	wasi_put64(at + 8, (uint64_t)t.nsec);
}

int guest_put_stat(struct guest *g, u32 to, const struct sys_stat *st)
{
	char *at = guest_at(g, to, GUEST_STAT_SIZE);
	const uint64_t v[] = {st->dev, st->ino, st->mode, st->nlink, st->uid, st->gid, st->rdev, (uint64_t)st->size, (uint64_t)st->blksize, (uint64_t)st->blocks};

	if (!at)
		return -NACRE_EFAULT;
	for (size_t i = 0; i < COUNTOF(v); i++)
		wasi_put64(at + i * 8, v[i]);
	put_time(at + 80, st->atime);
	put_time(at + 96, st->mtime);
	put_time(at + 112, st->ctime);
	return 0;
}

u32 guest_env_open(struct guest *g, u32 dir, u32 path, u32 flags, u32 mode)
{
	char full[SYS_PATH_MAX];
	char buf[SYS_PATH_MAX];
	const char *name = name_at(g, dir, path, buf);
	struct sys_stat st;
	int fd;

	if (!name)
		return result(no_name(g, dir, path));
	if (g->booting)
		return result(boot_open(g, name, flags));
	fd = sys_open(g->p, name, flags & (SYS_O_NONBLOCK * 2 - 1), mode & 07777);
	if (fd < 0 || flags & SYS_O_WRITE || sys_fstat(g->p, fd, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_DIR)
		return result(fd);
	/* Names below it are looked up by its own. */
	if (sys_realpath(g->p, name, 0, full, sizeof(full)) > 0)
		wasi_dir_opened(g, fd, full);
	return result(fd);
}

u32 guest_env_stat(struct guest *g, u32 dir, u32 path, u32 flags, u32 to)
{
	char buf[SYS_PATH_MAX];
	const char *name = name_at(g, dir, path, buf);
	struct sys_stat st;
	int r;

	if (!name)
		return result(no_name(g, dir, path));
	r = g->booting ? boot_stat(g, name, &st) : sys_stat(g->p, name, flags & SYS_NOFOLLOW, &st);
	return result(r < 0 ? r : guest_put_stat(g, to, &st));
}

u32 guest_env_access(struct guest *g, u32 dir, u32 path, u32 how)
{
	char buf[SYS_PATH_MAX];
	const char *name = name_at(g, dir, path, buf);

	if (name && g->booting)
		return result(boot_find(g, name) && !(how & SYS_W_OK) ? 0 : -NACRE_ENOENT);
	return result(name ? sys_access(g->p, name, how & 7) : no_name(g, dir, path));
}

u32 guest_env_mkdir(struct guest *g, u32 dir, u32 path, u32 mode)
{
	char buf[SYS_PATH_MAX];
	const char *name = name_at(g, dir, path, buf);

	return result(name && !g->booting ? sys_mkdir(g->p, name, mode & 07777) : no_name(g, dir, path));
}

u32 guest_env_mkfifo(struct guest *g, u32 dir, u32 path, u32 mode)
{
	char buf[SYS_PATH_MAX];
	const char *name = name_at(g, dir, path, buf);

	return result(name && !g->booting ? sys_mkfifo(g->p, name, mode & 07777) : no_name(g, dir, path));
}

u32 guest_env_chmod(struct guest *g, u32 dir, u32 path, u32 mode, u32 flags)
{
	char buf[SYS_PATH_MAX];
	const char *name = name_at(g, dir, path, buf);

	return result(name && !g->booting ? sys_chmod(g->p, name, mode & 07777, flags & SYS_NOFOLLOW) : no_name(g, dir, path));
}

u32 guest_env_chown(struct guest *g, u32 dir, u32 path, u32 uid, u32 gid, u32 flags)
{
	char buf[SYS_PATH_MAX];
	const char *name = name_at(g, dir, path, buf);

	return result(name && !g->booting ? sys_chown(g->p, name, uid == UINT32_MAX ? -1 : (int64_t)uid, gid == UINT32_MAX ? -1 : (int64_t)gid, flags & SYS_NOFOLLOW)
			   : no_name(g, dir, path));
}

static struct sys_time time_of(u64 sec, u32 ns)
{
	return (struct sys_time){(int64_t)sec, (int32_t)ns == -1 ? SYS_TIME_NOW : (int32_t)ns == -2 ? SYS_TIME_OMIT : (int32_t)MIN(ns, INT32_MAX)};
}

u32 guest_env_utimes(struct guest *g, u32 dir, u32 path, u64 atime, u32 atime_ns, u64 mtime, u32 mtime_ns, u32 flags)
{
	char buf[SYS_PATH_MAX];
	const char *name = name_at(g, dir, path, buf);

	return result(name && !g->booting ? sys_utimes(g->p, name, time_of(atime, atime_ns), time_of(mtime, mtime_ns), flags & SYS_NOFOLLOW) : no_name(g, dir, path));
}

u32 guest_env_truncate(struct guest *g, u32 path, u64 size)
{
	const char *name = guest_string(g, path);

	if (!name || g->booting || size > INT64_MAX)
		return result(name ? -NACRE_EINVAL : -NACRE_EFAULT);
	return result(sys_truncate(g->p, name, (int64_t)size));
}

u32 guest_env_umask(struct guest *g, u32 mask)
{
	return g->booting ? 022 : sys_umask(g->p, (int)(mask & 0777));
}

u32 guest_env_chdir(struct guest *g, u32 path)
{
	const char *name = guest_string(g, path);

	return result(name && !g->booting ? sys_chdir(g->p, name) : -NACRE_EFAULT);
}

u32 guest_env_getcwd(struct guest *g, u32 buf, u32 n)
{
	const char *cwd = g->booting ? "/" : sys_getcwd(g->p);
	size_t len = strlen(cwd);
	char *at = guest_at(g, buf, n);

	if (!at || len + 1 > n)
		return result(at ? -NACRE_ERANGE : -NACRE_EFAULT);
	memcpy(at, cwd, len + 1);
	return (u32)len;
}

/* Seven numbers: the size of a block, all blocks, free ones, files, free ones, the longest name, whether it is read-only. */
static u32 put_statfs(char *at, int r, const struct sys_statfs *st)
{
	uint64_t block = st->block_size ? st->block_size : 4096;

	if (r < 0)
		return result(r);
	wasi_put64(at, block);
	wasi_put64(at + 8, st->bytes_total / block);
	wasi_put64(at + 16, st->bytes_free / block);
	wasi_put64(at + 24, st->files_total);
	wasi_put64(at + 32, st->files_free);
	wasi_put64(at + 40, 255);
	wasi_put64(at + 48, st->read_only);
	return 0;
}

u32 guest_env_statfs(struct guest *g, u32 path, u32 to)
{
	const char *name = guest_string(g, path);
	char *at = guest_at(g, to, 56);
	struct sys_statfs st = {0};

	if (!name || !at || g->booting)
		return result(-NACRE_EFAULT);
	return put_statfs(at, sys_statfs(g->p, name, &st), &st);
}

/* ---- The same of what is open ------------------------------------------------------------- */

u32 guest_env_fchmod(struct guest *g, u32 fd, u32 mode)
{
	return result(sys_fchmod(g->p, wasi_own_fd(g, fd), mode & 07777));
}

u32 guest_env_fchown(struct guest *g, u32 fd, u32 uid, u32 gid)
{
	return result(sys_fchown(g->p, wasi_own_fd(g, fd), uid == UINT32_MAX ? -1 : (int64_t)uid, gid == UINT32_MAX ? -1 : (int64_t)gid));
}

u32 guest_env_futimes(struct guest *g, u32 fd, u64 atime, u32 atime_ns, u64 mtime, u32 mtime_ns)
{
	return result(sys_futimes(g->p, wasi_own_fd(g, fd), time_of(atime, atime_ns), time_of(mtime, mtime_ns)));
}

u32 guest_env_fchdir(struct guest *g, u32 fd)
{
	return result(sys_fchdir(g->p, wasi_own_fd(g, fd)));
}

u32 guest_env_fstatfs(struct guest *g, u32 fd, u32 to)
{
	char *at = guest_at(g, to, 56);
	struct sys_statfs st = {0};

	return at ? put_statfs(at, sys_fstatfs(g->p, wasi_own_fd(g, fd), &st), &st) : result(-NACRE_EFAULT);
}
