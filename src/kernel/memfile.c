/* memfile.c - a file without a name that holds given bytes: what a here-document is. */
#include "runtime.h"

/* bash gives a here-document that fits into a pipe by a pipe: programs that ask see one. */
#define PIPE_LIKE 65536u

struct memfile {
	struct file file;
	struct buf *buf;
	size_t len;
	uint64_t ino;
};

static struct memfile *of(struct file *f)
{
	return CONTAINER_OF(f, struct memfile, file);
}

/* How many of n bytes there are at `at`, or at the file's own offset, which moves. */
static size_t advance(struct file *f, size_t n, int64_t at, size_t *from)
{
	struct memfile *m = of(f);
	uint64_t pos = (uint64_t)(at >= 0 ? at : f->offset);

	*from = (size_t)MIN(pos, (uint64_t)m->len);
	n = MIN(n, m->len - *from);
	if (at < 0)
		f->offset += (int64_t)n;
	return n;
}

static int64_t memfile_read(struct file *f, void *buf, size_t n, int64_t at)
{
	size_t from;

	n = advance(f, n, at, &from);
	if (n)
		memcpy(buf, of(f)->buf->data + from, n);
	return (int64_t)n;
}

static int64_t memfile_read_slice(struct file *f, size_t max, struct slice *out)
{
	size_t from, n = advance(f, max ? max : SIZE_MAX, -1, &from);

	*out = (struct slice){0};
	if (n)
		*out = (struct slice){buf_get(of(f)->buf), of(f)->buf->data + from, n};
	return (int64_t)n;
}

static int64_t memfile_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	int64_t base = whence == SYS_SEEK_SET   ? 0
	               : whence == SYS_SEEK_CUR ? f->offset
	                                        : (int64_t)of(f)->len;
	int64_t at;

	if (__builtin_add_overflow(base, offset, &at) || at < 0)
		return -NACRE_EINVAL;
	f->offset = at;
	return at;
}

static int memfile_stat(struct file *f, struct sys_stat *out)
{
	struct memfile *m = of(f);

	*out = (struct sys_stat){.dev = 8,
	                         .ino = m->ino,
	                         .uid = 1000,
	                         .gid = 1000,
	                         .mode = (m->len <= PIPE_LIKE ? SYS_S_FIFO : SYS_S_FILE) | 0600,
	                         .size = (int64_t)m->len,
	                         .blocks = (int64_t)((m->len + 511) / 512),
	                         .blksize = 4096};
	return 0;
}

static void memfile_close(struct file *f)
{
	struct memfile *m = of(f);

	buf_put(m->buf);
	kfree(f->quota, m, sizeof(*m));
}

static const struct file_ops memfile_ops = {
        .kind = "memfile",
        .read = memfile_read,
        .read_slice = memfile_read_slice,
        .seek = memfile_seek,
        .stat = memfile_stat,
        .close = memfile_close,
};

int sys_memfile(struct proc *p, const void *data, size_t n)
{
	struct quota *q = &p->sb->quota;
	struct memfile *m;
	int r;

	proc_enter(p);
	if (n > UINT32_MAX - 4096)
		return -NACRE_EFBIG;
	m = kalloc(q, sizeof(*m));
	if (!m)
		return -NACRE_ENOMEM;
	file_init(&m->file, &memfile_ops, SYS_O_READ, q);
	m->len = n;
	m->ino = ++p->rt->inodes;
	m->buf = buf_new(q, (uint32_t)MAX(n, (size_t)1));
	if (!m->buf) {
		kfree(q, m, sizeof(*m));
		return -NACRE_ENOMEM;
	}
	if (n)
		memcpy(m->buf->data, data, n);
	m->buf->used = m->buf->cap;
	r = file_count(&m->file, p->sb);
	if (r == 0)
		r = fdtab_install(&p->fds, &m->file, 0, false, p->sb);
	if (r < 0)
		file_drop(&m->file, p->sb);
	return r;
}
