/*
 * host.c - a directory of the host as a filesystem; what touches the host is the port's `files`.
 *
 * The offset of an open file is kept here and every transfer names its place, so a file is read
 * ahead of nobody. A slice that is read lies in a buffer of the file's, which is used again when
 * nobody else holds it any more.
 */
#include "host.h"

#include "../port/hostfs.h"

#define SLICE_FIRST 16384u /* the first read: most files are small */
#define SLICE_MORE  131072u
#define LIST_SIZE   32768u
#define WRITE_MAX   ((size_t)1 << 30)

struct fs_host {
	struct fs fs;
	struct port *port;
	struct quota *quota;
	int root;
	bool writable, owners;
	uint64_t host_dev; /* of the root, as the host numbers it */
};

struct host_file {
	struct file f;
	const struct fs_host *host;
	int fd;
	struct buf *buf; /* what the last slice lies in */
};

struct host_dir {
	struct file f;
	const struct fs_host *host;
	int fd;
	char *list; /* LIST_SIZE bytes, NULL before the first entry */
	size_t used, at;
};

static struct fs_host *host_of(struct fs *fs)
{
	return CONTAINER_OF(fs, struct fs_host, fs);
}

/* The one way to the host: op's results are in op. */
static int64_t host_do(const struct fs_host *h, struct hostfs_op *op)
{
	return h->port->files(h->port, op);
}

/* A call with nothing but a result. */
static int64_t host_ask(const struct fs_host *h, struct hostfs_op op)
{
	return host_do(h, &op);
}

/* ... about a path below the root, which is written to. */
static int host_change(const struct fs_host *h, struct hostfs_op op)
{
	op.fd = h->root;
	return h->writable ? (int)host_do(h, &op) : -NACRE_EROFS;
}

static void close_fd(const struct fs_host *h, int fd)
{
	if (host_ask(h, (struct hostfs_op){.call = HOSTFS_CLOSE, .fd = fd}) < 0)
		return; /* nothing is to be done about it */
}

static int stat_fd(const struct fs_host *h, int fd, struct sys_stat *out)
{
	return (int)host_ask(h, (struct hostfs_op){.call = HOSTFS_FSTAT, .fd = fd, .st = out});
}

static int64_t read_at(const struct host_file *hf, void *buf, size_t n, int64_t at)
{
	return host_ask(hf->host, (struct hostfs_op){.call = HOSTFS_PREAD, .fd = hf->fd, .out = buf, .n = n, .at = at});
}

/* Files of the root's device get the mount's number; those of others that are mounted in it on the
 * host keep apart. */
static void own_dev(const struct fs_host *h, struct sys_stat *st)
{
	st->dev = st->dev == h->host_dev ? h->fs.dev : st->dev ^ (uint64_t)h->fs.dev << 52;
}

/* ---- Regular files -------------------------------------------------------------------------- */

static struct host_file *file_of(struct file *f)
{
	return CONTAINER_OF(f, struct host_file, f);
}

static int64_t host_read(struct file *f, void *buf, size_t n, int64_t at)
{
	int64_t got = read_at(file_of(f), buf, MIN(n, WRITE_MAX), at < 0 ? f->offset : at);

	if (got > 0 && at < 0)
		f->offset += got;
	return got;
}

/* A buffer nobody else holds, with room for at least one byte. */
static struct buf *slice_buf(struct host_file *hf)
{
	struct buf *b = hf->buf;
	uint32_t size = SLICE_FIRST;

	if (b && b->refs == 1 && (b->used < b->cap || b->cap == SLICE_MORE))
		return b;
	if (b && b->used == b->cap)
		size = SLICE_MORE;
	hf->buf = NULL;
	buf_put(b);
	b = buf_new(hf->f.quota, size);
	if (!b && size == SLICE_MORE)
		b = buf_new(hf->f.quota, SLICE_FIRST);
	return hf->buf = b;
}

static int64_t host_read_slice(struct file *f, size_t max, struct slice *out)
{
	struct host_file *hf = file_of(f);
	struct buf *b = slice_buf(hf);
	int64_t got;

	*out = (struct slice){0};
	if (!b)
		return -NACRE_ENOMEM;
	got = read_at(hf, b->data, max > 0 ? MIN(max, (size_t)b->cap) : b->cap, f->offset);
	b->used = got > 0 ? (uint32_t)got : 0;
	if (got > 0) {
		*out = (struct slice){buf_get(b), b->data, (size_t)got};
		f->offset += got;
	}
	return got;
}

static int64_t host_write(struct file *f, const void *buf, size_t n, int64_t at)
{
	struct host_file *hf = file_of(f);
	size_t done = 0;

	while (done < n) {
		struct hostfs_op op = {.call = f->flags & SYS_O_APPEND ? HOSTFS_APPEND : HOSTFS_PWRITE,
		                       .fd = hf->fd,
		                       .in = (const char *)buf + done,
		                       .n = MIN(n - done, WRITE_MAX),
		                       .at = at < 0 ? f->offset : at + (int64_t)done};
		int64_t got = host_do(hf->host, &op);

		if (got <= 0)
			return done > 0 ? (int64_t)done : got;
		done += (size_t)got;
		if (at < 0)
			f->offset = f->flags & SYS_O_APPEND ? op.ends_at : f->offset + got;
	}
	return (int64_t)done;
}

static int host_unread(struct file *f, const struct slice *s, size_t n)
{
	(void)s;
	f->offset -= (int64_t)MIN((uint64_t)n, (uint64_t)f->offset);
	return 0;
}

static int host_stat(struct file *f, struct sys_stat *out)
{
	struct host_file *hf = file_of(f);
	int err = stat_fd(hf->host, hf->fd, out);

	if (!err)
		own_dev(hf->host, out);
	return err;
}

static int64_t host_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	int64_t base = whence == SYS_SEEK_CUR ? f->offset : 0, to;
	struct sys_stat st;

	if (whence == SYS_SEEK_END) {
		int err = stat_fd(file_of(f)->host, file_of(f)->fd, &st);

		if (err)
			return err;
		base = st.size;
	}
	if (__builtin_add_overflow(base, offset, &to))
		return -NACRE_EOVERFLOW;
	if (to < 0)
		return -NACRE_EINVAL;
	return f->offset = to;
}

static int host_data(struct file *f, int64_t at, int64_t *start)
{
	struct hostfs_op op = {.call = HOSTFS_DATA, .fd = file_of(f)->fd, .at = at};
	int err = (int)host_do(file_of(f)->host, &op);

	*start = op.ends_at;
	return err;
}

static int host_ftruncate(struct file *f, int64_t size)
{
	if (!(f->flags & SYS_O_WRITE) || size < 0)
		return -NACRE_EINVAL;
	return (int)host_ask(file_of(f)->host,
	                     (struct hostfs_op){.call = HOSTFS_FTRUNCATE, .fd = file_of(f)->fd, .at = size});
}

static void host_close(struct file *f)
{
	struct host_file *hf = file_of(f);

	close_fd(hf->host, hf->fd);
	buf_put(hf->buf);
	kfree(f->quota, hf, sizeof(*hf));
}

static const struct file_ops host_file_ops = {
        .kind = "host",
        .read = host_read,
        .write = host_write,
        .read_slice = host_read_slice,
        .unread = host_unread,
        .seek = host_seek,
        .stat = host_stat,
        .data = host_data,
        .truncate = host_ftruncate,
        .close = host_close,
};

/* ---- Directories --------------------------------------------------------------------------------
 */

static struct host_dir *dir_of(struct file *f)
{
	return CONTAINER_OF(f, struct host_dir, f);
}

static int host_readdir(struct file *f, struct sys_dirent *out)
{
	struct host_dir *d = dir_of(f);

	if (!d->list) {
		d->list = kalloc(f->quota, LIST_SIZE);
		if (!d->list)
			return -NACRE_ENOMEM;
	}
	while (!hostfs_dirent(d->list, d->used, &d->at, out)) {
		int64_t got = host_ask(d->host, (struct hostfs_op){.call = HOSTFS_READDIR, .fd = d->fd,
		                                                   .out = d->list, .n = LIST_SIZE});

		d->at = 0;
		d->used = got > 0 ? (size_t)got : 0;
		if (got <= 0)
			return (int)got;
	}
	return 1;
}

static int64_t host_dir_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	struct host_dir *d = dir_of(f);

	if (offset != 0 || whence != SYS_SEEK_SET)
		return -NACRE_EINVAL;
	d->at = d->used = 0;
	return host_ask(d->host, (struct hostfs_op){.call = HOSTFS_REWIND, .fd = d->fd});
}

static int host_dir_stat(struct file *f, struct sys_stat *out)
{
	struct host_dir *d = dir_of(f);
	int err = stat_fd(d->host, d->fd, out);

	if (!err)
		own_dev(d->host, out);
	return err;
}

static int host_dir_entry(struct file *f, const char *name, struct sys_stat *out)
{
	struct host_dir *d = dir_of(f);
	int err = (int)host_ask(d->host, (struct hostfs_op){.call = HOSTFS_STAT, .fd = d->fd, .path = name, .st = out});

	if (!err)
		own_dev(d->host, out);
	return err;
}

static void host_dir_close(struct file *f)
{
	struct host_dir *d = dir_of(f);

	close_fd(d->host, d->fd);
	kfree(f->quota, d->list, LIST_SIZE);
	kfree(f->quota, d, sizeof(*d));
}

static const struct file_ops host_dir_ops = {
        .kind = "host",
        .seek = host_dir_seek,
        .stat = host_dir_stat,
        .readdir = host_readdir,
        .stat_entry = host_dir_entry,
        .close = host_dir_close,
};

static int file_new(const struct fs_host *h, int fd, unsigned flags, struct quota *q,
                    struct file **out)
{
	struct host_file *hf = kzalloc(q, sizeof(*hf));

	if (!hf)
		return -NACRE_ENOMEM;
	file_init(&hf->f, &host_file_ops, flags, q);
	hf->host = h;
	hf->fd = fd;
	*out = &hf->f;
	return 0;
}

static int dir_new(const struct fs_host *h, int fd, struct quota *q, struct file **out)
{
	struct host_dir *d = kzalloc(q, sizeof(*d));

	if (!d)
		return -NACRE_ENOMEM;
	file_init(&d->f, &host_dir_ops, SYS_O_READ, q);
	d->host = h;
	d->fd = fd;
	*out = &d->f;
	return 0;
}

/* ---- Operations on paths
 * --------------------------------------------------------------------------- */

static int host_walk(struct fs *fs, const char *path, struct fs_walk *w)
{
	static const enum fs_walk_end ends[] = {
	        [HOSTFS_FOUND] = FS_WALK_FOUND,
	        [HOSTFS_LINK] = FS_WALK_LINK,
	        [HOSTFS_MISSING] = FS_WALK_MISSING,
	        [HOSTFS_NOTDIR] = FS_WALK_NOTDIR,
	};
	struct fs_host *h = host_of(fs);
	struct hostfs_op op = {.call = HOSTFS_WALK, .fd = h->root, .path = path, .st = &w->st};
	int err = (int)host_do(h, &op);

	if (err)
		return err;
	w->end = ends[op.end];
	w->from = op.from;
	w->to = op.till;
	own_dev(h, &w->st);
	return 0;
}

static int64_t host_readlink(struct fs *fs, const char *path, char *buf, size_t n)
{
	struct fs_host *h = host_of(fs);
	int64_t got = host_ask(h, (struct hostfs_op){.call = HOSTFS_READLINK, .fd = h->root, .path = path, .out = buf, .n = n});

	return got == -NACRE_EBUSY ? -NACRE_EINVAL : got;
}

static int host_open(struct fs *fs, const char *path, unsigned flags, unsigned mode,
                     struct quota *q, struct file **out)
{
	struct fs_host *h = host_of(fs);
	unsigned kept = flags & (SYS_O_READ | SYS_O_WRITE | SYS_O_APPEND | SYS_O_NONBLOCK);
	struct hostfs_op op = {.call = HOSTFS_OPEN, .fd = h->root, .path = path, .flags = flags, .mode = mode};
	int fd, err;

	if (!h->writable && (flags & (SYS_O_WRITE | SYS_O_TRUNC | SYS_O_CREATE)))
		return -NACRE_EROFS;
	fd = (int)host_do(h, &op);
	if (fd < 0)
		return fd;
	err = op.type == SYS_S_DIR ? dir_new(h, fd, q, out) : file_new(h, fd, kept, q, out);
	if (err)
		close_fd(h, fd);
	return err;
}

static int host_mkdir(struct fs *fs, const char *path, unsigned mode)
{
	return host_change(host_of(fs), (struct hostfs_op){.call = HOSTFS_MKDIR, .path = path, .mode = mode});
}

static int host_rmdir(struct fs *fs, const char *path)
{
	return host_change(host_of(fs), (struct hostfs_op){.call = HOSTFS_RMDIR, .path = path});
}

static int host_unlink(struct fs *fs, const char *path)
{
	return host_change(host_of(fs), (struct hostfs_op){.call = HOSTFS_UNLINK, .path = path});
}

static int host_rename(struct fs *fs, const char *from, const char *to, unsigned flags)
{
	return host_change(host_of(fs), (struct hostfs_op){.call = HOSTFS_RENAME, .path = from, .to = to,
	                                                   .flags = (flags & SYS_NOREPLACE) != 0});
}

static int host_link(struct fs *fs, const char *from, const char *to)
{
	return host_change(host_of(fs), (struct hostfs_op){.call = HOSTFS_LINKTO, .path = from, .to = to});
}

static int host_symlink(struct fs *fs, const char *target, const char *path)
{
	return host_change(host_of(fs), (struct hostfs_op){.call = HOSTFS_SYMLINK, .path = path, .to = target});
}

static int host_mkfifo(struct fs *fs, const char *path, unsigned mode)
{
	return host_change(host_of(fs), (struct hostfs_op){.call = HOSTFS_MKFIFO, .path = path, .mode = mode});
}

static int host_chmod(struct fs *fs, const char *path, unsigned mode)
{
	return host_change(host_of(fs), (struct hostfs_op){.call = HOSTFS_CHMOD, .path = path, .mode = mode});
}

/* Owners stay what they are: only asking for that succeeds. */
static int host_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid)
{
	struct fs_host *h = host_of(fs);
	struct sys_stat st;
	int err = h->writable ? (int)host_ask(h, (struct hostfs_op){.call = HOSTFS_STAT, .fd = h->root, .path = path, .st = &st})
	                      : -NACRE_EROFS;

	if (err)
		return err;
	if (h->owners)
		return host_change(h, (struct hostfs_op){.call = HOSTFS_CHOWN, .path = path, .uid = (uint32_t)uid, .gid = (uint32_t)gid});
	return (uid < 0 || uid == st.uid) && (gid < 0 || gid == st.gid) ? 0 : -NACRE_EPERM;
}

static int host_utimes(struct fs *fs, const char *path, const struct sys_time t[2])
{
	return host_change(host_of(fs), (struct hostfs_op){.call = HOSTFS_UTIMES, .path = path, .times = t});
}

static int host_truncate(struct fs *fs, const char *path, int64_t size)
{
	return host_change(host_of(fs), (struct hostfs_op){.call = HOSTFS_TRUNCATE, .path = path, .at = size});
}

static int host_statfs(struct fs *fs, struct sys_statfs *out)
{
	struct fs_host *h = host_of(fs);

	memcpy(out->type, "hostfs", sizeof("hostfs"));
	return (int)host_ask(h, (struct hostfs_op){.call = HOSTFS_STATFS, .fd = h->root, .fs = out});
}

static int host_access(struct fs *fs, const char *path, unsigned how)
{
	struct fs_host *h = host_of(fs);

	if (!h->writable && (how & SYS_W_OK))
		return -NACRE_EROFS;
	return (int)host_ask(h, (struct hostfs_op){.call = HOSTFS_ACCESS, .fd = h->root, .path = path, .mode = how});
}

static void host_free(struct fs *fs)
{
	struct fs_host *h = host_of(fs);

	close_fd(h, h->root);
	kfree(h->quota, h, sizeof(*h));
}

static const struct fs_ops host_ops = {
        .type = "hostfs",
        .walk = host_walk,
        .readlink = host_readlink,
        .open = host_open,
        .mkdir = host_mkdir,
        .rmdir = host_rmdir,
        .unlink = host_unlink,
        .rename = host_rename,
        .link = host_link,
        .symlink = host_symlink,
        .mkfifo = host_mkfifo,
        .chmod = host_chmod,
        .chown = host_chown,
        .utimes = host_utimes,
        .truncate = host_truncate,
        .statfs = host_statfs,
        .access = host_access,
        .free = host_free,
};

int fs_host_new(struct port *port, struct quota *q, const char *host_path, unsigned flags, struct fs **out)
{
	struct fs_host *h = kzalloc(q, sizeof(*h));
	struct sys_stat st;
	int err;

	if (!h)
		return -NACRE_ENOMEM;
	h->fs = (struct fs){.ops = &host_ops, .refs = 1};
	h->port = port;
	h->quota = q;
	h->writable = (flags & FS_HOST_READ_WRITE) != 0;
	h->owners = (flags & FS_HOST_OWNERS) != 0;
	h->root = (int)host_ask(h, (struct hostfs_op){.call = HOSTFS_ROOT, .path = host_path});
	err = h->root < 0 ? h->root : stat_fd(h, h->root, &st);
	if (err) {
		if (h->root >= 0)
			close_fd(h, h->root);
		kfree(q, h, sizeof(*h));
		return err;
	}
	h->host_dev = st.dev;
	*out = &h->fs;
	return 0;
}
