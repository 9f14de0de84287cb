/* objects_file.c - open files of an object store: an offset, and what was fetched ahead. */
#include "objects.h"

#define AHEAD_MIN ((size_t)64 << 10)
#define AHEAD_MAX ((size_t)4 << 20)

struct object_file {
	struct file f;
	struct node *n;
	/* What was fetched ahead, of an object as it was with this ETag. */
	char *ahead;
	size_t cap, have;
	int64_t at;
	char etag[NACRE_ETAG_MAX];
};

static struct object_file *file_of(struct file *f)
{
	return CONTAINER_OF(f, struct object_file, f);
}

static void forget(struct object_file *of)
{
	if (of->ahead)
		kfree(of->f.quota, of->ahead, of->cap);
	of->ahead = NULL;
	of->cap = of->have = 0;
}

/* Some bytes at `at` from what was fetched ahead; 0: none of it is there. */
static size_t from_ahead(const struct object_file *of, void *buf, size_t n, int64_t at)
{
	if (!of->have || at < of->at || at >= of->at + (int64_t)of->have || !streq(of->etag, of->n->etag))
		return 0;
	n = MIN(n, (size_t)(of->at + (int64_t)of->have - at));
	memcpy(buf, of->ahead + (at - of->at), n);
	return n;
}

/* Fetches a larger range than was asked for, one that grows while reading goes on where the last one ended. */
static int64_t fetch_ahead(struct object_file *of, size_t n, int64_t at)
{
	bool goes_on = of->have && at == of->at + (int64_t)of->have;
	size_t want = goes_on ? MIN(of->cap * 2, AHEAD_MAX) : AHEAD_MIN;
	int64_t r;

	want = MAX(want, MIN(n, AHEAD_MAX));
	want = (size_t)MIN((int64_t)want, of->n->size - at);
	if (want > of->cap || of->cap > 4 * want) {
		forget(of);
		of->ahead = kalloc(of->f.quota, want);
		if (!of->ahead)
			return -NACRE_ENOMEM;
		of->cap = want;
	}
	of->have = 0;
	memcpy(of->etag, of->n->etag, sizeof(of->etag));
	r = node_read(of->n, of->ahead, want, at);
	if (r > 0) {
		of->at = at;
		of->have = (size_t)r;
	}
	return r;
}

static int64_t object_read(struct file *f, void *buf, size_t n, int64_t at)
{
	struct object_file *of = file_of(f);
	int64_t from = at < 0 ? f->offset : at, r;

	if (n == 0)
		return 0;
	if (of->n->state != NODE_REMOTE || of->n->held) {
		r = node_read(of->n, buf, n, from);
	} else if (of->n->broken || from >= of->n->size) {
		r = of->n->broken;
	} else {
		r = (int64_t)from_ahead(of, buf, n, from);
		if (r == 0) {
			r = fetch_ahead(of, n, from);
			if (r > 0)
				r = (int64_t)from_ahead(of, buf, n, from);
		}
	}
	if (r > 0 && at < 0)
		f->offset += r;
	return r;
}

static int64_t object_write(struct file *f, const void *buf, size_t n, int64_t at)
{
	struct object_file *of = file_of(f);
	bool append = (f->flags & SYS_O_APPEND) != 0;
	int64_t r;

	if (n == 0)
		return 0;
	forget(of);
	r = node_write(of->n, buf, n, append ? -1 : at < 0 ? f->offset : at);
	if (r > 0 && at < 0)
		f->offset = append ? of->n->size : f->offset + r;
	return r;
}

static int object_fstat(struct file *f, struct sys_stat *out)
{
	const struct node *n = file_of(f)->n;
	struct sys_time t = {n->mtime_ns / 1000000000, (int32_t)(n->mtime_ns % 1000000000)};

	*out = (struct sys_stat){.dev = n->o->u.fs.dev, .ino = userfs_ino(n->path), .mode = SYS_S_FILE | (n->o->store.read_only ? 0444 : 0644),
				 .nlink = n->gone ? 0 : 1, .uid = FS_UID, .gid = FS_GID, .size = n->size, .blksize = 4096,
				 .blocks = (n->size + 511) / 512, .atime = t, .mtime = t, .ctime = t, .btime = t};
	return 0;
}

static int object_unread(struct file *f, const struct slice *s, size_t n)
{
	(void)s;
	f->offset -= (int64_t)MIN((uint64_t)n, (uint64_t)f->offset);
	return 0;
}

static int64_t object_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	int64_t base = whence == SYS_SEEK_CUR ? f->offset : whence == SYS_SEEK_END ? file_of(f)->n->size : 0, to;

	if (__builtin_add_overflow(base, offset, &to))
		return -NACRE_EOVERFLOW;
	return to < 0 ? -NACRE_EINVAL : (f->offset = to);
}

static int object_truncate(struct file *f, int64_t size)
{
	if (!(f->flags & SYS_O_WRITE) || size < 0)
		return -NACRE_EINVAL;
	forget(file_of(f));
	return node_truncate(file_of(f)->n, size);
}

/* Who else has it open keeps what was written unsaved; the last one saves it. */
static int object_flush(struct file *f)
{
	struct node *n = file_of(f)->n;

	return n->users == 1 && n->dirty ? node_save(n) : 0;
}

static void object_close(struct file *f)
{
	struct object_file *of = file_of(f);

	forget(of);
	node_put(of->n);
	kfree(f->quota, of, sizeof(*of));
}

static const struct file_ops object_ops = {
	.kind = "object", .read = object_read, .write = object_write, .unread = object_unread, .seek = object_seek, .stat = object_fstat,
	.truncate = object_truncate, .flush = object_flush, .close = object_close,
};

int objects_open_node(struct node *n, unsigned flags, struct quota *q, struct file **out)
{
	struct object_file *of = kzalloc(q, sizeof(*of));

	if (!of)
		return -NACRE_ENOMEM;
	file_init(&of->f, &object_ops, flags & (SYS_O_READ | SYS_O_WRITE | SYS_O_APPEND | SYS_O_NONBLOCK), q);
	of->n = n;
	*out = &of->f;
	return 0;
}
