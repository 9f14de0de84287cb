/* bounded.c - another filesystem that may hold only so much. */
#include "bounded.h"

struct bounded {
	struct fs fs;
	struct fs *below;
	struct quota *quota;
	struct fs_bounds max;
	struct fs_bounded_usage used;
};

struct bounded_file {
	struct file f;
	struct bounded *b;
	struct file *in;
};

static struct bounded *bounded_of(struct fs *fs)
{
	return CONTAINER_OF(fs, struct bounded, fs);
}

/* ---- Counting -------------------------------------------------------------------- */

static uint64_t bytes_of(const struct sys_stat *st)
{
	return (st->mode & SYS_S_TYPE) == SYS_S_FILE && st->size > 0 ? (uint64_t)st->size : 0;
}

static void less(uint64_t *count, uint64_t n)
{
	*count -= MIN(*count, n);
}

static int count_dir(struct bounded *b, char *path, struct fs_bounded_usage *sum);

static int count_entry(struct bounded *b, char *path, struct fs_bounded_usage *sum)
{
	struct fs_walk w;
	int err = b->below->ops->walk(b->below, path, &w);

	if (err || w.end != FS_WALK_FOUND)
		return err == -NACRE_EACCES ? 0 : err;
	sum->files++;
	sum->bytes += bytes_of(&w.st);
	return (w.st.mode & SYS_S_TYPE) == SYS_S_DIR ? count_dir(b, path, sum) : 0;
}

/* What may not be read is not counted. */
static int count_dir(struct bounded *b, char *path, struct fs_bounded_usage *sum)
{
	size_t n = strlen(path);
	struct sys_dirent e;
	struct file *f;
	int got = b->below->ops->open(b->below, path, SYS_O_READ | SYS_O_DIRECTORY, 0, b->quota, &f);

	if (got)
		return got == -NACRE_EACCES || got == -NACRE_ENOENT ? 0 : got;
	while ((got = f->ops->readdir(f, &e)) > 0) {
		if (n + 1 + e.len >= SYS_PATH_MAX)
			continue; /* no path leads there */
		path[n] = '/';
		memcpy(path + n + (n > 0), e.name, e.len);
		path[n + (n > 0) + e.len] = '\0';
		got = count_entry(b, path, sum);
		path[n] = '\0';
		if (got)
			break;
	}
	file_put(f);
	return got;
}

int fs_bounded_refresh(struct fs *fs)
{
	struct bounded *b = bounded_of(fs);
	struct fs_bounded_usage sum = {0, 0};
	char *path = kalloc(b->quota, SYS_PATH_MAX);
	int err;

	if (!path)
		return -NACRE_ENOMEM;
	path[0] = '\0';
	err = count_dir(b, path, &sum);
	if (!err)
		b->used = sum;
	kfree(b->quota, path, SYS_PATH_MAX);
	return err;
}

void fs_bounded_usage(const struct fs *fs, struct fs_bounded_usage *out)
{
	*out = CONTAINER_OF(fs, const struct bounded, fs)->used;
}

void fs_bounded_set(struct fs *fs, const struct fs_bounded_usage *usage)
{
	bounded_of(fs)->used = *usage;
}

static int one_more(const struct bounded *b)
{
	return b->max.files && b->used.files >= b->max.files ? -NACRE_ENOSPC : 0;
}

/* How far a file of `size` bytes may grow: up to `end`, or less. 0, or why not at all. */
static int room(const struct bounded *b, uint64_t size, uint64_t from, uint64_t *end)
{
	uint64_t free = b->max.bytes > b->used.bytes ? b->max.bytes - b->used.bytes : 0;

	if (b->max.file_size && *end > b->max.file_size) {
		if (from >= b->max.file_size)
			return -NACRE_EFBIG;
		*end = b->max.file_size;
	}
	if (b->max.bytes && *end > size && *end - size > free) {
		if (from >= size + free)
			return -NACRE_ENOSPC;
		*end = size + free;
	}
	return 0;
}

static void resized(struct bounded *b, uint64_t before, uint64_t after)
{
	if (after > before)
		b->used.bytes += after - before;
	else
		less(&b->used.bytes, before - after);
}

/* ---- Files -------------------------------------------------------------------------- */

static struct bounded_file *file_of(struct file *f)
{
	return CONTAINER_OF(f, struct bounded_file, f);
}

static int64_t bounded_read(struct file *f, void *buf, size_t n, int64_t at)
{
	struct file *in = file_of(f)->in;
	int64_t got = in->ops->read ? in->ops->read(in, buf, n, at < 0 ? f->offset : at) : -NACRE_EBADF;

	if (got > 0 && at < 0)
		f->offset += got;
	return got;
}

static int64_t bounded_read_slice(struct file *f, size_t max, struct slice *out)
{
	struct file *in = file_of(f)->in;
	int64_t got;

	in->offset = f->offset;
	got = in->ops->read_slice(in, max, out);
	f->offset = in->offset;
	return got;
}

static int64_t bounded_write(struct file *f, const void *buf, size_t n, int64_t at)
{
	struct bounded_file *bf = file_of(f);
	struct file *in = bf->in;
	uint64_t from, end;
	struct sys_stat st;
	int64_t got = in->ops->stat(in, &st);

	if (got < 0 || n == 0)
		return got;
	from = f->flags & SYS_O_APPEND ? (uint64_t)st.size : (uint64_t)(at < 0 ? f->offset : at);
	if (__builtin_add_overflow(from, n, &end) || end > INT64_MAX)
		return -NACRE_EFBIG;
	got = room(bf->b, (uint64_t)st.size, from, &end);
	if (got < 0)
		return got;
	in->offset = f->offset;
	got = in->ops->write(in, buf, (size_t)(end - from), at);
	f->offset = in->offset;
	if (got > 0)
		resized(bf->b, (uint64_t)st.size, MAX((uint64_t)st.size, from + (uint64_t)got));
	return got;
}

static int bounded_unread(struct file *f, const struct slice *s, size_t n)
{
	(void)s;
	f->offset -= (int64_t)MIN((uint64_t)n, (uint64_t)f->offset);
	return 0;
}

static int64_t bounded_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	struct file *in = file_of(f)->in;
	int64_t to;

	in->offset = f->offset;
	to = in->ops->seek ? in->ops->seek(in, offset, whence) : -NACRE_ESPIPE;
	f->offset = in->offset;
	return to;
}

static void own_dev(const struct bounded *b, struct sys_stat *st)
{
	st->dev = st->dev == b->below->dev ? b->fs.dev : st->dev;
}

static int bounded_fstat(struct file *f, struct sys_stat *out)
{
	struct bounded_file *bf = file_of(f);
	int err = bf->in->ops->stat(bf->in, out);

	own_dev(bf->b, out);
	return err;
}

static int truncate_to(struct bounded *b, const struct sys_stat *st, int64_t size)
{
	uint64_t end = size < 0 ? 0 : (uint64_t)size;
	int err = end > (uint64_t)st->size ? room(b, (uint64_t)st->size, (uint64_t)st->size, &end) : 0;

	return err ? err : end == (uint64_t)size ? 0 : b->max.file_size && (uint64_t)size > b->max.file_size ? -NACRE_EFBIG : -NACRE_ENOSPC;
}

static int bounded_ftruncate(struct file *f, int64_t size)
{
	struct bounded_file *bf = file_of(f);
	struct sys_stat st;
	int err = size < 0 ? -NACRE_EINVAL : bf->in->ops->stat(bf->in, &st);

	if (!err)
		err = truncate_to(bf->b, &st, size);
	if (!err)
		err = bf->in->ops->truncate(bf->in, size);
	if (!err)
		resized(bf->b, (uint64_t)st.size, (uint64_t)size);
	return err;
}

static void bounded_close(struct file *f)
{
	struct bounded_file *bf = file_of(f);
	struct bounded *b = bf->b;

	file_put(bf->in);
	kfree(f->quota, bf, sizeof(*bf));
	fs_put(&b->fs);
}

static int bounded_flush(struct file *f)
{
	return file_settle(CONTAINER_OF(f, struct bounded_file, f)->in);
}

static const struct file_ops bounded_file_ops = {
        .kind = "bounded",
        .read = bounded_read,
        .write = bounded_write,
        .read_slice = bounded_read_slice,
        .unread = bounded_unread,
        .seek = bounded_seek,
        .stat = bounded_fstat,
        .truncate = bounded_ftruncate,
        .flush = bounded_flush,
        .close = bounded_close,
};
static const struct file_ops bounded_plain_ops = {
        .kind = "bounded",
        .read = bounded_read,
        .write = bounded_write,
        .unread = bounded_unread,
        .seek = bounded_seek,
        .stat = bounded_fstat,
        .truncate = bounded_ftruncate,
        .flush = bounded_flush,
        .close = bounded_close,
};

/* ---- Paths ------------------------------------------------------------------------------ */

static int bounded_walk(struct fs *fs, const char *path, struct fs_walk *w)
{
	struct bounded *b = bounded_of(fs);
	int err = b->below->ops->walk(b->below, path, w);

	if (!err && w->end == FS_WALK_FOUND)
		own_dev(b, &w->st);
	return err;
}

static int64_t bounded_readlink(struct fs *fs, const char *path, char *buf, size_t n)
{
	struct fs *below = bounded_of(fs)->below;

	return below->ops->readlink(below, path, buf, n);
}

static int wrap(struct bounded *b, unsigned flags, struct quota *q, struct file **out)
{
	struct bounded_file *bf;

	if ((*out)->ops->readdir)
		return 0;
	bf = kzalloc(q, sizeof(*bf));
	if (!bf) {
		file_put(*out);
		return -NACRE_ENOMEM;
	}
	file_init(&bf->f, (*out)->ops->read_slice ? &bounded_file_ops : &bounded_plain_ops,
	          flags & (SYS_O_READ | SYS_O_WRITE | SYS_O_APPEND | SYS_O_NONBLOCK), q);
	bf->b = b;
	bf->in = *out;
	fs_get(&b->fs);
	*out = &bf->f;
	return 0;
}

static int bounded_open(struct fs *fs, const char *path, unsigned flags, unsigned mode,
                        struct quota *q, struct file **out)
{
	struct bounded *b = bounded_of(fs);
	struct fs_walk w = {.end = FS_WALK_FOUND};
	bool counts = (flags & (SYS_O_CREATE | SYS_O_TRUNC)) != 0, made;
	int err = counts ? b->below->ops->walk(b->below, path, &w) : 0;

	if (err)
		return err;
	made = w.end == FS_WALK_MISSING && (flags & SYS_O_CREATE) && !path[w.to];
	err = made ? one_more(b) : 0;
	if (!err)
		err = b->below->ops->open(b->below, path, flags, mode, q, out);
	if (err)
		return err;
	if (made)
		b->used.files++;
	else if (flags & SYS_O_TRUNC)
		less(&b->used.bytes, bytes_of(&w.st));
	return wrap(b, flags, q, out);
}

static int bounded_mkdir(struct fs *fs, const char *path, unsigned mode)
{
	struct bounded *b = bounded_of(fs);
	int err = one_more(b);

	if (!err)
		err = b->below->ops->mkdir ? b->below->ops->mkdir(b->below, path, mode) : -NACRE_EROFS;
	b->used.files += !err;
	return err;
}

static int bounded_symlink(struct fs *fs, const char *target, const char *path)
{
	struct bounded *b = bounded_of(fs);
	int err = one_more(b);

	if (!err)
		err = b->below->ops->symlink ? b->below->ops->symlink(b->below, target, path) : -NACRE_EROFS;
	b->used.files += !err;
	return err;
}

static int bounded_mkfifo(struct fs *fs, const char *path, unsigned mode)
{
	struct bounded *b = bounded_of(fs);
	int err = one_more(b);

	if (!err)
		err = b->below->ops->mkfifo ? b->below->ops->mkfifo(b->below, path, mode) : -NACRE_EROFS;
	b->used.files += !err;
	return err;
}

static int bounded_link(struct fs *fs, const char *from, const char *to)
{
	struct bounded *b = bounded_of(fs);

	return b->below->ops->link ? b->below->ops->link(b->below, from, to) : -NACRE_EROFS;
}

/* What goes when the last name of the file at the path goes. */
static void weigh(struct bounded *b, const char *path, struct fs_bounded_usage *u)
{
	struct fs_walk w;

	*u = (struct fs_bounded_usage){0, 0};
	if (b->below->ops->walk(b->below, path, &w) || w.end != FS_WALK_FOUND)
		return;
	if ((w.st.mode & SYS_S_TYPE) == SYS_S_DIR || w.st.nlink <= 1)
		*u = (struct fs_bounded_usage){bytes_of(&w.st), 1};
}

static int bounded_unlink(struct fs *fs, const char *path)
{
	struct bounded *b = bounded_of(fs);
	struct fs_bounded_usage u;
	int err;

	weigh(b, path, &u);
	err = b->below->ops->unlink ? b->below->ops->unlink(b->below, path) : -NACRE_EROFS;
	if (!err) {
		less(&b->used.bytes, u.bytes);
		less(&b->used.files, u.files);
	}
	return err;
}

static int bounded_rmdir(struct fs *fs, const char *path)
{
	struct bounded *b = bounded_of(fs);
	int err = b->below->ops->rmdir ? b->below->ops->rmdir(b->below, path) : -NACRE_EROFS;

	if (!err)
		less(&b->used.files, 1);
	return err;
}

static int bounded_rename(struct fs *fs, const char *from, const char *to, unsigned flags)
{
	struct bounded *b = bounded_of(fs);
	struct fs_bounded_usage u;
	struct fs_walk x, y;
	int err;

	weigh(b, to, &u);
	/* Two names of one file stay as they are. */
	if (b->below->ops->walk(b->below, from, &x) == 0 && b->below->ops->walk(b->below, to, &y) == 0 &&
	    x.end == FS_WALK_FOUND && y.end == FS_WALK_FOUND && x.st.ino == y.st.ino && x.st.dev == y.st.dev)
		u = (struct fs_bounded_usage){0, 0};
	err = b->below->ops->rename ? b->below->ops->rename(b->below, from, to, flags) : -NACRE_EROFS;
	if (!err) {
		less(&b->used.bytes, u.bytes);
		less(&b->used.files, u.files);
	}
	return err;
}

static int bounded_chmod(struct fs *fs, const char *path, unsigned mode)
{
	struct fs *below = bounded_of(fs)->below;

	return below->ops->chmod ? below->ops->chmod(below, path, mode) : -NACRE_EROFS;
}

static int bounded_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid)
{
	struct fs *below = bounded_of(fs)->below;

	return below->ops->chown ? below->ops->chown(below, path, uid, gid) : -NACRE_EROFS;
}

static int bounded_utimes(struct fs *fs, const char *path, const struct sys_time t[2])
{
	struct fs *below = bounded_of(fs)->below;

	return below->ops->utimes ? below->ops->utimes(below, path, t) : -NACRE_EROFS;
}

static int bounded_truncate(struct fs *fs, const char *path, int64_t size)
{
	struct bounded *b = bounded_of(fs);
	struct fs_walk w;
	int err = b->below->ops->walk(b->below, path, &w);

	if (!err && w.end == FS_WALK_FOUND)
		err = truncate_to(b, &w.st, size);
	if (!err)
		err = b->below->ops->truncate ? b->below->ops->truncate(b->below, path, size) : -NACRE_EROFS;
	if (!err)
		resized(b, bytes_of(&w.st), (uint64_t)size);
	return err;
}

static int bounded_statfs(struct fs *fs, struct sys_statfs *out)
{
	struct bounded *b = bounded_of(fs);
	int err = b->below->ops->statfs ? b->below->ops->statfs(b->below, out) : 0;

	if (b->max.bytes) {
		uint64_t left = b->max.bytes > b->used.bytes ? b->max.bytes - b->used.bytes : 0;

		out->bytes_total = b->max.bytes;
		out->bytes_free = out->bytes_free ? MIN(left, out->bytes_free) : left;
	}
	if (b->max.files) {
		out->files_total = b->max.files;
		out->files_free = b->max.files > b->used.files ? b->max.files - b->used.files : 0;
	}
	return err;
}

static int bounded_access(struct fs *fs, const char *path, unsigned how)
{
	struct fs *below = bounded_of(fs)->below;

	return below->ops->access(below, path, how);
}

static void bounded_free(struct fs *fs)
{
	struct bounded *b = bounded_of(fs);

	fs_put(b->below);
	kfree(b->quota, b, sizeof(*b));
}

#define OPS                                                                                        \
	.walk = bounded_walk, .readlink = bounded_readlink, .open = bounded_open,                  \
	.mkdir = bounded_mkdir, .rmdir = bounded_rmdir, .unlink = bounded_unlink,                  \
	.rename = bounded_rename, .link = bounded_link, .symlink = bounded_symlink,                \
	.mkfifo = bounded_mkfifo, .chmod = bounded_chmod, .chown = bounded_chown,                  \
	.utimes = bounded_utimes, .truncate = bounded_truncate, .statfs = bounded_statfs,          \
	.free = bounded_free
/* One for filesystems that judge rights themselves, one for those that do not. */
static const struct fs_ops bounded_judging = {.type = "bounded", OPS, .access = bounded_access};
static const struct fs_ops bounded_ops = {.type = "bounded", OPS};

bool fs_is_bounded(const struct fs *fs)
{
	return fs->ops == &bounded_ops || fs->ops == &bounded_judging;
}

int fs_bounded_new(struct quota *q, struct fs *below, const struct fs_bounds *bounds,
                   struct fs **out)
{
	struct bounded *b = kzalloc(q, sizeof(*b));
	int err;

	if (!b)
		return -NACRE_ENOMEM;
	b->fs = (struct fs){.ops = below->ops->access ? &bounded_judging : &bounded_ops, .refs = 1, .sealed = below->sealed};
	b->below = fs_get(below);
	b->quota = q;
	b->max = *bounds;
	err = fs_bounded_refresh(&b->fs);
	if (err)
		bounded_free(&b->fs);
	else
		*out = &b->fs;
	return err;
}
