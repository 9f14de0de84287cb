/* userfs_file.c - open files and directories of a filesystem made of the host's functions. */
#include "userfs.h"

#define TRANSFER_MAX ((size_t)1 << 20)

struct user_file {
	struct file f;
	struct userfs *u;
	void *handle;
	struct hostcall *closing; /* reserved for close */
	char *path;
	size_t size;	/* of path's block */
};

struct user_dir {
	struct file f;
	struct userfs *u;
	nacre_fs_op *list; /* NULL: not read yet */
	size_t at;
	char *path;
	size_t size;
};

/* ---- Files -------------------------------------------------------------------------------- */

static struct user_file *file_of(struct file *f)
{
	return CONTAINER_OF(f, struct user_file, f);
}

static int64_t user_read(struct file *f, void *buf, size_t n, int64_t at)
{
	struct user_file *uf = file_of(f);
	size_t want = MIN(n, TRANSFER_MAX);
	nacre_fs_op *op;
	int64_t r;

	if (n == 0)
		return 0;
	op = userfs_op(uf->u, OP_READ, NULL, NULL, want);
	if (op) {
		op->handle = uf->handle;
		op->at = at < 0 ? f->offset : at;
	}
	r = userfs_call(op);
	if (r == -NACRE_EKILLED || !op)
		return r;
	r = r > (int64_t)want ? -NACRE_EIO : r;
	if (r > 0)
		memcpy(buf, op->buf, (size_t)r);
	if (r > 0 && at < 0)
		f->offset += r;
	userfs_op_put(op);
	return r;
}

static int user_fstat(struct file *f, struct sys_stat *out)
{
	struct user_file *uf = file_of(f);
	int e = userfs_stat(uf->u, uf->path, out);

	/* Removed or moved while open: what little is known. */
	if (e == -NACRE_ENOENT || e == -NACRE_ENOTDIR) {
		*out = (struct sys_stat){.dev = uf->u->fs.dev, .ino = userfs_ino(uf->path), .mode = SYS_S_FILE | 0644, .uid = FS_UID, .gid = FS_GID,
					 .blksize = 4096};
		return 0;
	}
	return e;
}

static int64_t write_part(struct user_file *uf, const char *data, size_t n, int64_t at)
{
	nacre_fs_op *op = userfs_op(uf->u, OP_WRITE, NULL, NULL, n);
	int64_t r;

	if (op) {
		memcpy(op->buf, data, n);
		op->handle = uf->handle;
		op->at = at;
	}
	r = userfs_call(op);
	if (r == -NACRE_EKILLED || !op)
		return r;
	userfs_op_put(op);
	return r > (int64_t)n ? -NACRE_EIO : r;
}

static int64_t user_write(struct file *f, const void *buf, size_t n, int64_t at)
{
	struct user_file *uf = file_of(f);
	bool append = (f->flags & SYS_O_APPEND) != 0;
	struct sys_stat st;
	size_t done = 0;

	while (done < n) {
		int64_t from = append ? -1 : at < 0 ? f->offset : at + (int64_t)done;
		int64_t r = write_part(uf, (const char *)buf + done, MIN(n - done, TRANSFER_MAX), from);

		if (r == -NACRE_EKILLED)
			return r;
		if (r <= 0)
			return done ? (int64_t)done : r ? r : -NACRE_EIO;
		done += (size_t)r;
		if (at < 0 && !append)
			f->offset += r;
	}
	if (append && at < 0) {
		int e = user_fstat(f, &st);

		if (e == -NACRE_EKILLED)
			return e;
		f->offset = e ? f->offset : st.size;
	}
	return (int64_t)done;
}

static int user_unread(struct file *f, const struct slice *s, size_t n)
{
	(void)s;
	f->offset -= (int64_t)MIN((uint64_t)n, (uint64_t)f->offset);
	return 0;
}

static int64_t user_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	int64_t base = whence == SYS_SEEK_CUR ? f->offset : 0, to;
	struct sys_stat st;

	if (whence == SYS_SEEK_END) {
		int e = user_fstat(f, &st);

		if (e < 0)
			return e;
		base = st.size;
	}
	if (__builtin_add_overflow(base, offset, &to))
		return -NACRE_EOVERFLOW;
	return to < 0 ? -NACRE_EINVAL : (f->offset = to);
}

int userfs_ftruncate(struct file *f, int64_t size)
{
	struct user_file *uf = file_of(f);
	nacre_fs_op *op;

	if (!(f->flags & SYS_O_WRITE) || size < 0)
		return -NACRE_EINVAL;
	op = userfs_op(uf->u, OP_TRUNCATE, NULL, NULL, 0);
	if (op) {
		op->handle = uf->handle;
		op->at = size;
	}
	return (int)userfs_call_simply(op);
}

/* What is left of a file once nobody has it: closed on the host's stack. */
struct closing {
	struct userfs *u;
	void *handle;
};

static void close_handle(void *arg)
{
	struct closing *c = arg;

	c->u->table.close(c->u->table.payload, c->handle);
	fs_put(&c->u->fs);
	free(c);
}

static void user_close(struct file *f)
{
	struct user_file *uf = file_of(f);
	struct closing *c = (struct closing *)(void *)uf->path - 1;

	c->u = uf->u;
	c->handle = uf->handle;
	hostcall_post(uf->closing, close_handle, c);
	kfree(f->quota, uf, sizeof(*uf));
}

static const struct file_ops user_file_ops = {
	.kind = "user", .read = user_read, .write = user_write, .unread = user_unread, .seek = user_seek, .stat = user_fstat,
	.truncate = userfs_ftruncate, .close = user_close,
};

/* ---- Directories ------------------------------------------------------------------------------ */

static struct user_dir *dir_of(struct file *f)
{
	return CONTAINER_OF(f, struct user_dir, f);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->s, ((const struct name *)b)->s);
}

static int user_readdir(struct file *f, struct sys_dirent *out)
{
	struct user_dir *d = dir_of(f);
	const struct name *n;

	if (!d->list) {
		nacre_fs_op *op = userfs_op(d->u, OP_READDIR, d->path, NULL, 0);
		int64_t r = op && d->u->store ? objects_list(d->u, d->path, op) : userfs_call(op);

		if ((r == -NACRE_EKILLED && !d->u->store) || !op)
			return (int)r;
		if (r < 0) {
			userfs_op_put(op);
			return (int)r;
		}
		if (op->nnames)
			qsort(op->names, op->nnames, sizeof(*op->names), by_name);
		d->list = op;
		d->at = 0;
	}
	if (d->at >= d->list->nnames)
		return 0;
	n = &d->list->names[d->at++];
	*out = (struct sys_dirent){n->s, strlen(n->s), n->type, 0};
	return 1;
}

static int64_t user_dir_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	struct user_dir *d = dir_of(f);

	if (offset != 0 || whence != SYS_SEEK_SET)
		return -NACRE_EINVAL;
	if (d->list)
		userfs_op_put(d->list);
	d->list = NULL;
	return 0;
}

static int user_dir_stat(struct file *f, struct sys_stat *out)
{
	struct fs_walk w;
	int e;

	if (dir_of(f)->u->store) {
		e = dir_of(f)->u->fs.ops->walk(&dir_of(f)->u->fs, dir_of(f)->path, &w);
		*out = w.st;
		return e ? e : w.end == FS_WALK_FOUND ? 0 : -NACRE_ESTALE;
	}
	return userfs_stat(dir_of(f)->u, dir_of(f)->path, out);
}

static void user_dir_close(struct file *f)
{
	struct user_dir *d = dir_of(f);

	if (d->list)
		userfs_op_put(d->list);
	free(d->path);
	fs_put(&d->u->fs);
	kfree(f->quota, d, sizeof(*d));
}

static const struct file_ops user_dir_ops = {
	.kind = "user", .seek = user_dir_seek, .stat = user_dir_stat, .readdir = user_readdir, .close = user_dir_close,
};

int userfs_open_dir(struct userfs *u, const char *path, struct quota *q, struct file **out)
{
	struct user_dir *d = kzalloc(q, sizeof(*d));

	if (!d)
		return -NACRE_ENOMEM;
	d->path = strdup(path);
	if (!d->path) {
		kfree(q, d, sizeof(*d));
		return -NACRE_ENOMEM;
	}
	file_init(&d->f, &user_dir_ops, SYS_O_READ, q);
	d->u = u;
	fs_get(&u->fs);
	*out = &d->f;
	return 0;
}

/* ---- Opening ---- */

static unsigned host_flags(unsigned flags)
{
	return (flags & SYS_O_READ ? NACRE_OPEN_READ : 0u) | (flags & SYS_O_WRITE ? NACRE_OPEN_WRITE : 0u) |
	       (flags & SYS_O_APPEND ? NACRE_OPEN_APPEND : 0u) | (flags & SYS_O_CREATE ? NACRE_OPEN_CREATE : 0u) |
	       (flags & SYS_O_EXCL ? NACRE_OPEN_EXCL : 0u) | (flags & SYS_O_TRUNC ? NACRE_OPEN_TRUNC : 0u);
}

int userfs_open_file(struct userfs *u, const char *path, unsigned flags, unsigned mode, struct quota *q, struct file **out)
{
	size_t n = strlen(path) + 1;
	struct user_file *uf = kzalloc(q, sizeof(*uf));
	struct closing *c = malloc(sizeof(*c) + n);
	struct hostcall *closing = uf && c ? hostcall_reserve(u->rt->kernel) : NULL;
	nacre_fs_op *op = closing ? userfs_op(u, OP_OPEN, path, NULL, 0) : NULL;
	int64_t r = -NACRE_ENOMEM;

	if (op) {
		op->flags = host_flags(flags);
		op->mode = mode;
		r = userfs_call(op);
	}
	if (r < 0) {
		if (op && r != -NACRE_EKILLED)
			userfs_op_put(op);
		if (closing)
			hostcall_unreserve(closing);
		free(c);
		kfree(q, uf, sizeof(*uf));
		return (int)r;
	}
	file_init(&uf->f, &user_file_ops, flags & (SYS_O_READ | SYS_O_WRITE | SYS_O_APPEND | SYS_O_NONBLOCK), q);
	uf->u = u;
	uf->handle = op->handle;
	op->taken = true;
	uf->closing = closing;
	uf->path = (char *)(c + 1);
	memcpy(uf->path, path, n);
	fs_get(&u->fs);
	userfs_op_put(op);
	*out = &uf->f;
	return 0;
}
