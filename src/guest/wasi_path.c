/* wasi_path.c - WASI: what is done with names, and directories as they are read. */
#include "../user/user.h"
#include "wasi.h"

#define LOOKUP_FOLLOW 1u

/* An open directory: its name, for names below it, and how far it was read. */
struct guest_dir {
	struct guest_dir *next;
	int fd;
	const char *path;
	uint64_t at;   /* entries that were handed out */
	bool waiting;  /* one was read that the guest's buffer had no room for */
	uint32_t type;
	uint64_t ino;
	size_t len;
	char name[256];
};

static struct guest_dir *dir_of(struct guest *g, int fd)
{
	struct guest_dir *d = g->dirs;

	while (d && d->fd != fd)
		d = d->next;
	return d;
}

void wasi_dir_opened(struct guest *g, int fd, const char *path)
{
	struct guest_dir *d = dir_of(g, -1); /* a closed one */

	if (!d) {
		d = u_alloc(g->p, sizeof(*d));
		d->next = g->dirs;
		g->dirs = d;
	}
	d->fd = fd;
	d->path = u_strdup(g->p, path);
	d->at = 0;
	d->waiting = false;
}

void wasi_dir_closed(struct guest *g, int fd)
{
	struct guest_dir *d = fd < 0 ? NULL : dir_of(g, fd);

	if (d)
		d->fd = -1;
}

void wasi_dir_copied(struct guest *g, int fd, int to)
{
	const struct guest_dir *d = fd < 0 || to < 0 ? NULL : dir_of(g, fd);

	if (d)
		wasi_dir_opened(g, to, d->path);
}

/* What is wrong with a descriptor that is no directory. */
static u32 no_directory(struct guest *g, u32 fd)
{
	return sys_fd_flags(g->p, wasi_own_fd(g, fd)) < 0 ? WASI_EBADF : WASI_ENOTDIR;
}

u32 wasi_path(struct guest *g, u32 fd, u32 at, u32 n, char *buf)
{
	const char *from = guest_at(g, at, n), *base = "";
	size_t len;

	if (!from)
		return WASI_EFAULT;
	if (memchr(from, 0, n))
		return WASI_EINVAL;
	if (fd != WASI_ROOT && !(n && *from == '/')) {
		const struct guest_dir *d = dir_of(g, wasi_fd(fd));

		if (!d)
			return no_directory(g, fd);
		base = d->path;
	}
	len = strlen(base);
	if (len + 1 + n + 1 > SYS_PATH_MAX)
		return WASI_ENAMETOOLONG;
	memcpy(buf, base, len);
	if (!(n && *from == '/'))
		buf[len++] = '/';
	memcpy(buf + len, from, n);
	buf[len + n] = '\0';
	return WASI_OK;
}

/* ---- Opening ------------------------------------------------------------------------------- */

static unsigned open_flags(u32 how, u64 rights, u32 flags, u32 lookup)
{
	unsigned f = 0;

	if (how & 1)
		f |= SYS_O_CREATE;
	if (how & 2)
		f |= SYS_O_DIRECTORY;
	if (how & 4)
		f |= SYS_O_EXCL;
	if (how & 8)
		f |= SYS_O_TRUNC;
	if (flags & 1)
		f |= SYS_O_APPEND;
	if (!(lookup & LOOKUP_FOLLOW))
		f |= SYS_O_NOFOLLOW;
	if (rights & 1u << 6 && !(how & 2))
		f |= SYS_O_WRITE;
	if (rights & 1u << 1 || !(f & SYS_O_WRITE))
		f |= SYS_O_READ;
	return f | SYS_O_CLOEXEC;
}

u32 guest_wasi_path_open(struct guest *g, u32 dir, u32 lookup, u32 path, u32 n, u32 how, u64 rights, u64 inheriting,
			 u32 flags, u32 to)
{
	char *number = guest_at(g, to, 4), buf[SYS_PATH_MAX];
	u32 e = wasi_path(g, dir, path, n, buf);
	unsigned f = open_flags(how, rights, flags, lookup);
	struct sys_stat st;
	int fd;

	(void)inheriting;
	if (e || !number)
		return e ? e : WASI_EFAULT;
	fd = g->booting ? boot_open(g, buf, f) : sys_open(g->p, buf, f, 0666);
	if (fd < 0)
		return wasi_errno(fd);
	if (!g->booting && !(f & SYS_O_WRITE) && sys_fstat(g->p, fd, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR)
		wasi_dir_opened(g, fd, buf);
	wasi_put32(number, (u32)fd);
	return WASI_OK;
}

/* ---- Reading directories --------------------------------------------------------------------- */

/* The next entry into d->name. 1, 0 at the end, or an error. */
static int next_entry(struct guest *g, struct guest_dir *d)
{
	struct sys_dirent e;
	int r;

	if (d->waiting) {
		d->waiting = false;
		return 1;
	}
	do
		r = g->booting ? boot_readdir(g, d->path, d->at, &e) : sys_readdir(g->p, d->fd, &e);
	while (r > 0 && e.len >= sizeof(d->name));
	if (r <= 0)
		return r;
	memcpy(d->name, e.name, e.len);
	d->len = e.len;
	d->type = e.type;
	d->ino = e.ino;
	return 1;
}

/* To where `cookie` entries have been handed out. */
static int dir_seek(struct guest *g, struct guest_dir *d, uint64_t cookie)
{
	int64_t r;

	if (cookie == d->at && cookie)
		return 0;
	/* From the start, wherever a copy of the descriptor has got to. */
	if (cookie < d->at || !cookie) {
		r = sys_seek(g->p, d->fd, 0, SYS_SEEK_SET);
		if (r < 0)
			return (int)r;
		d->at = 0;
		d->waiting = false;
	}
	while (d->at < cookie) {
		int got = next_entry(g, d);

		if (got <= 0)
			return got;
		d->at++;
		sys_checkpoint(g->p);
	}
	return 0;
}

u32 guest_wasi_fd_readdir(struct guest *g, u32 fd, u32 buf, u32 size, u64 cookie, u32 used)
{
	char *to = guest_at(g, buf, size), *number = guest_at(g, used, 4);
	struct guest_dir *d = dir_of(g, wasi_fd(fd));
	u32 done = 0;
	int r;

	if (!to || !number)
		return WASI_EFAULT;
	if (!d && fd == WASI_ROOT)
		return WASI_ENOTSUP; /* nobody reads the preopened one: they open "." in it */
	if (!d)
		return no_directory(g, fd);
	r = dir_seek(g, d, cookie);
	while (r >= 0 && done < size) {
		char head[24] = {0};
		u32 n;

		r = next_entry(g, d);
		if (r <= 0)
			break;
		wasi_put64(head, d->at + 1);
		wasi_put64(head + 8, d->ino);
		wasi_put32(head + 16, (u32)d->len);
		head[20] = (char)wasi_filetype(d->type);
		n = MIN((u32)sizeof(head), size - done);
		memcpy(to + done, head, n);
		done += n;
		n = MIN((u32)d->len, size - done);
		memcpy(to + done, d->name, n);
		done += n;
		/* One that does not fit is handed out again; the buffer is full and says so. */
		if (n < d->len || done == size)
			d->waiting = true;
		else
			d->at++;
		sys_checkpoint(g->p);
	}
	if (r < 0)
		return wasi_errno(r);
	wasi_put32(number, done);
	return WASI_OK;
}

/* ---- Names ------------------------------------------------------------------------------------ */

/* As wasi_path, for what is not to be done while the guest boots. */
static u32 changeable(struct guest *g, u32 dir, u32 at, u32 n, char *buf)
{
	return g->booting ? (u32)WASI_ENOENT : wasi_path(g, dir, at, n, buf);
}

u32 guest_wasi_path_create_directory(struct guest *g, u32 dir, u32 path, u32 n)
{
	char buf[SYS_PATH_MAX];
	u32 e = changeable(g, dir, path, n, buf);

	return e ? e : wasi_errno(sys_mkdir(g->p, buf, 0777));
}

u32 guest_wasi_path_remove_directory(struct guest *g, u32 dir, u32 path, u32 n)
{
	char buf[SYS_PATH_MAX];
	u32 e = changeable(g, dir, path, n, buf);

	return e ? e : wasi_errno(sys_rmdir(g->p, buf));
}

u32 guest_wasi_path_unlink_file(struct guest *g, u32 dir, u32 path, u32 n)
{
	char buf[SYS_PATH_MAX];
	u32 e = changeable(g, dir, path, n, buf);

	return e ? e : wasi_errno(sys_unlink(g->p, buf));
}

u32 guest_wasi_path_filestat_get(struct guest *g, u32 dir, u32 flags, u32 path, u32 n, u32 to)
{
	char buf[SYS_PATH_MAX];
	u32 e = wasi_path(g, dir, path, n, buf);
	struct sys_stat st;
	int r;

	if (e)
		return e;
	r = g->booting ? boot_stat(g, buf, &st) : sys_stat(g->p, buf, flags & LOOKUP_FOLLOW ? 0 : SYS_NOFOLLOW, &st);
	return r < 0 ? wasi_errno(r) : wasi_put_stat(g, to, &st);
}

u32 guest_wasi_path_filestat_set_times(struct guest *g, u32 dir, u32 lookup, u32 path, u32 n, u64 atime, u64 mtime,
				       u32 flags)
{
	char buf[SYS_PATH_MAX];
	u32 e = changeable(g, dir, path, n, buf);

	if (e)
		return e;
	return wasi_errno(sys_utimes(g->p, buf, wasi_time(atime, flags & 1, flags & 2), wasi_time(mtime, flags & 4, flags & 8),
				     lookup & LOOKUP_FOLLOW ? 0 : SYS_NOFOLLOW));
}

u32 guest_wasi_path_link(struct guest *g, u32 dir, u32 lookup, u32 path, u32 n, u32 to_dir, u32 to, u32 to_n)
{
	char from[SYS_PATH_MAX], buf[SYS_PATH_MAX];
	u32 e = changeable(g, dir, path, n, from);

	e = e ? e : wasi_path(g, to_dir, to, to_n, buf);
	return e ? e : wasi_errno(sys_link(g->p, from, buf, lookup & LOOKUP_FOLLOW ? 0 : SYS_NOFOLLOW));
}

u32 guest_wasi_path_rename(struct guest *g, u32 dir, u32 path, u32 n, u32 to_dir, u32 to, u32 to_n)
{
	char from[SYS_PATH_MAX], buf[SYS_PATH_MAX];
	u32 e = changeable(g, dir, path, n, from);

	e = e ? e : wasi_path(g, to_dir, to, to_n, buf);
	return e ? e : wasi_errno(sys_rename(g->p, from, buf, 0));
}

u32 guest_wasi_path_symlink(struct guest *g, u32 target, u32 target_n, u32 dir, u32 path, u32 n)
{
	const char *from = guest_at(g, target, target_n);
	char buf[SYS_PATH_MAX], to[SYS_PATH_MAX];
	u32 e = changeable(g, dir, path, n, buf);

	if (e || !from)
		return e ? e : WASI_EFAULT;
	if (target_n >= sizeof(to))
		return WASI_ENAMETOOLONG;
	if (memchr(from, 0, target_n))
		return WASI_EINVAL;
	memcpy(to, from, target_n);
	to[target_n] = '\0';
	return wasi_errno(sys_symlink(g->p, to, buf));
}

u32 guest_wasi_path_readlink(struct guest *g, u32 dir, u32 path, u32 n, u32 to, u32 size, u32 used)
{
	char *at = guest_at(g, to, size), *number = guest_at(g, used, 4), buf[SYS_PATH_MAX];
	u32 e = changeable(g, dir, path, n, buf);
	int64_t r;

	if (e || !at || !number)
		return e ? e : WASI_EFAULT;
	r = sys_readlink(g->p, buf, at, size);
	if (r < 0)
		return wasi_errno(r);
	wasi_put32(number, (u32)r);
	return WASI_OK;
}
