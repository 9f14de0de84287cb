/* wasi_fd.c - WASI: what is done with an open descriptor. */
#include "wasi.h"

#define RIGHTS_SEEK (1u << 2 | 1u << 5) /* seek and tell: what wasi-libc looks at to tell a terminal */
#define IOVS_MAX    1024u
#define FLAG_APPEND 1u

/* ---- Reading and writing ----------------------------------------------------------------- */

enum transfer { READ, WRITE, PREAD, PWRITE };

static int64_t transfer_one(struct guest *g, int fd, enum transfer how, char *buf, u32 n, uint64_t at)
{
	switch (how) {
	case READ: return sys_read(g->p, fd, buf, n);
	case WRITE: return sys_write(g->p, fd, buf, n);
	case PREAD: return sys_pread(g->p, fd, buf, n, (int64_t)at);
	default: return sys_pwrite(g->p, fd, buf, n, (int64_t)at);
	}
}

/* Over the n pieces at `iovs`. Reading ends at the first piece that is not filled. */
static u32 transfer(struct guest *g, u32 fd, u32 iovs, u32 n, uint64_t at, u32 count, enum transfer how)
{
	const char *v = n <= IOVS_MAX ? guest_at(g, iovs, (uint64_t)n * 8) : NULL;
	char *number = guest_at(g, count, 4);
	int f = wasi_fd(fd);
	uint64_t done = 0;

	if (!v || !number)
		return n <= IOVS_MAX ? WASI_EFAULT : WASI_EINVAL;
	if (f < 0)
		return WASI_EBADF;
	if ((how == PREAD || how == PWRITE) && at > INT64_MAX)
		return WASI_EINVAL;
	for (u32 i = 0; i < n; i++) {
		u32 len = wasi_get32(v + i * 8 + 4);
		char *buf = guest_at(g, wasi_get32(v + i * 8), len);
		int64_t r;

		if (!buf)
			return WASI_EFAULT;
		if (!len)
			continue;
		if (done + len > INT32_MAX)
			break;
		r = transfer_one(g, f, how, buf, len, at + done);
		if (r < 0 && !done)
			return wasi_errno(r);
		if (r <= 0)
			break;
		done += (uint64_t)r;
		if (r < len)
			break;
	}
	wasi_put32(number, (u32)done);
	return WASI_OK;
}

u32 guest_wasi_fd_read(struct guest *g, u32 fd, u32 iovs, u32 n, u32 count)
{
	return g->booting && fd < 3 ? (u32)WASI_EBADF : transfer(g, fd, iovs, n, 0, count, READ);
}

u32 guest_wasi_fd_write(struct guest *g, u32 fd, u32 iovs, u32 n, u32 count)
{
	return transfer(g, fd, iovs, n, 0, count, WRITE);
}

u32 guest_wasi_fd_pread(struct guest *g, u32 fd, u32 iovs, u32 n, u64 at, u32 count)
{
	return transfer(g, fd, iovs, n, at, count, PREAD);
}

u32 guest_wasi_fd_pwrite(struct guest *g, u32 fd, u32 iovs, u32 n, u64 at, u32 count)
{
	return transfer(g, fd, iovs, n, at, count, PWRITE);
}

u32 guest_wasi_fd_seek(struct guest *g, u32 fd, u64 offset, u32 whence, u32 to)
{
	char *at = guest_at(g, to, 8);
	int64_t r;

	if (!at)
		return WASI_EFAULT;
	if (whence > 2)
		return WASI_EINVAL;
	r = sys_seek(g->p, wasi_fd(fd), (int64_t)offset, (enum sys_whence)whence);
	if (r < 0)
		return wasi_errno(r);
	wasi_put64(at, (uint64_t)r);
	return WASI_OK;
}

u32 guest_wasi_fd_tell(struct guest *g, u32 fd, u32 to)
{
	return guest_wasi_fd_seek(g, fd, 0, 1, to);
}

/* ---- Its state ------------------------------------------------------------------------------ */

u32 guest_wasi_fd_close(struct guest *g, u32 fd)
{
	int f = wasi_fd(fd), r;

	if (fd == WASI_ROOT)
		return WASI_OK;
	wasi_dir_closed(g, f);
	r = sys_close(g->p, f);
	if (r < 0)
		sys_close_failed(g->p); /* it is told */
	return wasi_errno(r);
}

u32 guest_wasi_fd_renumber(struct guest *g, u32 fd, u32 to)
{
	int r;

	if (fd == WASI_ROOT || to == WASI_ROOT)
		return WASI_ENOTSUP;
	wasi_dir_closed(g, wasi_fd(to));
	r = sys_dup2(g->p, wasi_fd(fd), wasi_fd(to));
	return r < 0 ? wasi_errno(r) : guest_wasi_fd_close(g, fd);
}

u32 guest_wasi_fd_fdstat_get(struct guest *g, u32 fd, u32 to)
{
	char *at = guest_at(g, to, 24);
	struct sys_stat st = {.mode = SYS_S_DIR};
	int flags = 0, f = wasi_own_fd(g, fd), r;
	uint64_t rights = ~0ull;

	if (!at)
		return WASI_EFAULT;
	if (fd != WASI_ROOT) {
		flags = sys_fd_flags(g->p, f);
		r = flags < 0 ? flags : sys_fstat(g->p, f, &st);
		if (r < 0)
			return wasi_errno(r);
		if (sys_isatty(g->p, f))
			rights &= ~(uint64_t)RIGHTS_SEEK;
	}
	memset(at, 0, 24);
	at[0] = (char)wasi_filetype(st.mode);
	at[2] = flags & SYS_O_APPEND ? FLAG_APPEND : 0;
	wasi_put64(at + 8, rights);
	wasi_put64(at + 16, rights);
	return WASI_OK;
}

/* What a descriptor is cannot be changed later. */
u32 guest_wasi_fd_fdstat_set_flags(struct guest *g, u32 fd, u32 flags)
{
	int now = sys_fd_flags(g->p, wasi_fd(fd));

	if (now < 0)
		return wasi_errno(now);
	return flags == (now & SYS_O_APPEND ? FLAG_APPEND : 0u) ? WASI_OK : WASI_ENOTSUP;
}

u32 guest_wasi_fd_fdstat_set_rights(struct guest *g, u32 fd, u64 base, u64 inheriting)
{
	(void)g, (void)fd, (void)base, (void)inheriting;
	return WASI_ENOTSUP;
}

u32 guest_wasi_fd_filestat_get(struct guest *g, u32 fd, u32 to)
{
	struct sys_stat st;
	int r = fd == WASI_ROOT ? sys_stat(g->p, "/", 0, &st) : sys_fstat(g->p, wasi_own_fd(g, fd), &st);

	return r < 0 ? wasi_errno(r) : wasi_put_stat(g, to, &st);
}

u32 guest_wasi_fd_filestat_set_size(struct guest *g, u32 fd, u64 size)
{
	return size > INT64_MAX ? (u32)WASI_EINVAL : wasi_errno(sys_ftruncate(g->p, wasi_fd(fd), (int64_t)size));
}

struct sys_time wasi_time(uint64_t ns, bool given, bool now)
{
	if (now)
		return (struct sys_time){0, SYS_TIME_NOW};
	if (!given)
		return (struct sys_time){0, SYS_TIME_OMIT};
	return (struct sys_time){(int64_t)(ns / 1000000000u), (int32_t)(ns % 1000000000u)};
}

u32 guest_wasi_fd_filestat_set_times(struct guest *g, u32 fd, u64 atime, u64 mtime, u32 flags)
{
	return wasi_errno(sys_futimes(g->p, wasi_own_fd(g, fd), wasi_time(atime, flags & 1, flags & 2), wasi_time(mtime, flags & 4, flags & 8)));
}

u32 guest_wasi_fd_allocate(struct guest *g, u32 fd, u64 at, u64 n)
{
	struct sys_stat st;
	int r = sys_fstat(g->p, wasi_fd(fd), &st);

	if (r < 0)
		return wasi_errno(r);
	if (at > INT64_MAX || n > (uint64_t)INT64_MAX - at)
		return WASI_EINVAL;
	if ((int64_t)(at + n) <= st.size)
		return WASI_OK;
	return wasi_errno(sys_ftruncate(g->p, wasi_fd(fd), (int64_t)(at + n)));
}

u32 guest_wasi_fd_advise(struct guest *g, u32 fd, u64 at, u64 n, u32 advice)
{
	(void)at, (void)n, (void)advice;
	return wasi_errno(sys_fd_flags(g->p, wasi_fd(fd)));
}

/* Every write has arrived when its call returns. */
u32 guest_wasi_fd_sync(struct guest *g, u32 fd)
{
	return fd == WASI_ROOT ? (u32)WASI_OK : wasi_errno(sys_fd_flags(g->p, wasi_fd(fd)));
}

u32 guest_wasi_fd_datasync(struct guest *g, u32 fd)
{
	return guest_wasi_fd_sync(g, fd);
}

u32 guest_wasi_fd_prestat_get(struct guest *g, u32 fd, u32 to)
{
	char *at = guest_at(g, to, 8);

	if (fd != WASI_ROOT)
		return WASI_EBADF;
	if (!at)
		return WASI_EFAULT;
	wasi_put64(at, 0); /* a directory */
	wasi_put32(at + 4, 1);
	return WASI_OK;
}

u32 guest_wasi_fd_prestat_dir_name(struct guest *g, u32 fd, u32 to, u32 n)
{
	char *at = guest_at(g, to, n);

	if (fd != WASI_ROOT)
		return WASI_EBADF;
	if (!at)
		return WASI_EFAULT;
	if (!n)
		return WASI_ENAMETOOLONG;
	*at = '/';
	return WASI_OK;
}
