/*
 * mem_file.c - open files and directories of fs/mem.
 *
 * An open file names its inode by number through a vnode, which all files open on that inode share;
 * when the last name goes, the vnode takes the inode out of the table and keeps it. So a restore
 * needs to know nothing of open files: a number that is not there any more is -NACRE_ESTALE.
 */
#include "mem_ops.h"

struct mem_file {
	struct file f;
	struct fs_mem *m;
	struct mem_vnode *v;
};

/* What a listing is sorted by: the first bytes of the name as a number, then the name. */
struct listed {
	uint64_t key;
	const struct mem_entry *e;
};

struct mem_dirfile {
	struct mem_file mf;
	void *hamt; /* the directory as it was when the listing began; a reference */
	struct listed *v;
	size_t n, at;
	bool begun;
};

static const char zeroes[4096];

/* ---- Inodes of open files ----------------------------------------------------------- */

struct mem_vnode *mem_vnode_find(struct fs_mem *m, uint32_t ino)
{
	struct mem_vnode *v = m->open;

	while (v && v->ino != ino)
		v = v->next;
	return v;
}

static struct mem_file *file_of(struct file *f)
{
	return CONTAINER_OF(f, struct mem_file, f);
}

static struct mem_inode *peek(const struct mem_file *mf)
{
	return mf->v->orphan ? mf->v->orphan : mem_table_find(&mf->m->state, mf->v->ino);
}

/* The inode to change, and what its bytes are counted in. */
static int take(const struct mem_file *mf, struct mem_inode **out, uint64_t **count)
{
	struct fs_mem *m = mf->m;

	if (!peek(mf))
		return -NACRE_ESTALE;
	if (mf->v->orphan) {
		*count = &m->orphans;
		*out = mem_inode_own(m->store, &mf->v->orphan);
	} else {
		*count = &m->state.used;
		*out = mem_table_own(m->store, &m->state, mf->v->ino);
	}
	return *out ? 0 : -NACRE_ENOSPC;
}

static void vnode_put(struct fs_mem *m, struct mem_vnode *v)
{
	if (--v->opens > 0)
		return;
	if (v->orphan) {
		mem_refund(m, &m->orphans, v->orphan->charged + MEM_INODE_COST);
		mem_inode_put(m->store, v->orphan);
	}
	if (v->prev) {
		*v->prev = v->next;
		if (v->next)
			v->next->prev = v->prev;
	}
	kfree(m->config.quota, v, sizeof(*v));
}

int mem_file_new(struct fs_mem *m, unsigned flags, bool dir, struct quota *q, struct file **out)
{
	struct mem_file *mf = kzalloc(q, dir ? sizeof(struct mem_dirfile) : sizeof(*mf));

	if (!mf)
		return -NACRE_ENOMEM;
	mf->v = kzalloc(m->config.quota, sizeof(*mf->v));
	if (!mf->v) {
		kfree(q, mf, dir ? sizeof(struct mem_dirfile) : sizeof(*mf));
		return -NACRE_ENOMEM;
	}
	mf->v->opens = 1;
	file_init(&mf->f, dir ? &mem_dir_ops : &mem_file_ops, flags, q);
	mf->m = m;
	fs_get(&m->fs);
	*out = &mf->f;
	return 0;
}

void mem_file_bind(struct file *f, uint32_t ino)
{
	struct mem_file *mf = file_of(f);
	struct fs_mem *m = mf->m;
	struct mem_vnode *v = mem_vnode_find(m, ino);

	if (v) {
		vnode_put(m, mf->v);
		mf->v = v;
		v->opens++;
		return;
	}
	v = mf->v;
	v->ino = ino;
	v->next = m->open;
	v->prev = &m->open;
	if (v->next)
		v->next->prev = &v->next;
	m->open = v;
}

void mem_file_cancel(struct file *f)
{
	file_put(f);
}

static void release(struct mem_file *mf, size_t size)
{
	struct fs_mem *m = mf->m;

	vnode_put(m, mf->v);
	kfree(mf->f.quota, mf, size);
	fs_put(&m->fs);
}

/* ---- Regular files ---------------------------------------------------------------------- */

static bool later(const struct mem_time *a, const struct mem_time *b)
{
	return a->sec != b->sec ? a->sec > b->sec : a->nsec > b->nsec;
}

/* Where nothing is shared a read leaves its time, as with relatime: a read never copies. */
static void touch_atime(const struct mem_file *mf, const struct mem_inode *seen)
{
	struct mem_inode *i;

	if (later(&seen->atime, &seen->mtime) && later(&seen->atime, &seen->ctime))
		return;
	i = mf->v->orphan ? mf->v->orphan : mem_table_unshared(&mf->m->state, mf->v->ino);
	if (i && !mem_shared(i))
		i->atime = mem_now(mf->m);
}

static int64_t mem_read(struct file *f, void *buf, size_t n, int64_t at)
{
	struct mem_file *mf = file_of(f);
	const struct mem_inode *i = peek(mf);
	int64_t from = at < 0 ? f->offset : at;
	size_t got;

	if (!i)
		return -NACRE_ESTALE;
	got = mem_data_read(i, (uint64_t)from, buf, MIN(n, (size_t)INT32_MAX));
	if (at < 0)
		f->offset += (int64_t)got;
	if (got > 0)
		touch_atime(mf, i);
	return (int64_t)got;
}

static int64_t mem_read_slice(struct file *f, size_t max, struct slice *out)
{
	struct mem_file *mf = file_of(f);
	const struct mem_inode *i = peek(mf);
	uint64_t at = (uint64_t)f->offset;
	size_t from = at % BUF_CHUNK, n;
	struct buf *b;

	if (!i)
		return -NACRE_ESTALE;
	*out = (struct slice){0};
	if (at >= i->size)
		return 0;
	b = mem_data_chunk(i, at / BUF_CHUNK);
	n = (size_t)MIN(i->size - at,
	                (uint64_t)((b ? BUF_CHUNK : sizeof(zeroes)) - (b ? from : 0)));
	n = MIN(n, BUF_CHUNK - from);
	if (max > 0)
		n = MIN(n, max);
	out->ptr = b ? b->data + from : zeroes;
	out->len = n;
	/* An immortal buffer outlives every slice by itself. */
	out->buf = b && !(b->refs & MEM_IMMORTAL) ? buf_get(b) : NULL;
	f->offset += (int64_t)n;
	touch_atime(mf, i);
	return (int64_t)n;
}

static void written(struct fs_mem *m, struct mem_inode *i)
{
	i->mtime = i->ctime = mem_now(m);
	if ((i->mode & 06000) && m->config.uid)
		i->mode &= i->mode & 010 ? ~06000u : ~04000u;
}

static int64_t mem_write(struct file *f, const void *buf, size_t n, int64_t at)
{
	struct mem_file *mf = file_of(f);
	struct mem_inode *i;
	uint64_t *count, from;
	int64_t got;
	int err = take(mf, &i, &count);

	if (err)
		return err;
	from = f->flags & SYS_O_APPEND ? i->size : (uint64_t)(at < 0 ? f->offset : at);
	got = mem_data_write(mf->m, count, i, from, buf, n);
	if (got > 0) {
		written(mf->m, i);
		if (at < 0)
			f->offset = (int64_t)from + got;
	}
	return got;
}

static int64_t mem_write_slice(struct file *f, const struct slice *s)
{
	struct mem_file *mf = file_of(f);
	struct mem_inode *i;
	uint64_t *count, from;
	int err;

	if (!s->buf)
		return mem_write(f, s->ptr, s->len, -1);
	err = take(mf, &i, &count);
	if (err)
		return err;
	from = f->flags & SYS_O_APPEND ? i->size : (uint64_t)f->offset;
	if (!mem_data_share(mf->m, count, i, from, s))
		return mem_write(f, s->ptr, s->len, -1);
	written(mf->m, i);
	f->offset = (int64_t)(from + s->len);
	return (int64_t)s->len;
}

static int mem_unread(struct file *f, const struct slice *s, size_t n)
{
	(void)s;
	f->offset -= (int64_t)MIN((uint64_t)n, (uint64_t)f->offset);
	return 0;
}

static int64_t mem_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	const struct mem_inode *i = peek(file_of(f));
	int64_t base = 0, to;

	if (!i)
		return -NACRE_ESTALE;
	if (whence == SYS_SEEK_CUR)
		base = f->offset;
	else if (whence == SYS_SEEK_END)
		base = (int64_t)i->size;
	if (__builtin_add_overflow(base, offset, &to))
		return -NACRE_EOVERFLOW;
	if (to < 0)
		return -NACRE_EINVAL;
	return f->offset = to;
}

static int mem_stat(struct file *f, struct sys_stat *out)
{
	struct mem_file *mf = file_of(f);
	const struct mem_inode *i = peek(mf);

	if (!i)
		return -NACRE_ESTALE;
	mem_fill_stat(mf->m, mf->v->ino, i, out);
	return 0;
}

static int mem_ftruncate(struct file *f, int64_t size)
{
	struct mem_file *mf = file_of(f);
	struct mem_inode *i;
	uint64_t *count;
	int err;

	if (!(f->flags & SYS_O_WRITE) || size < 0)
		return -NACRE_EINVAL;
	err = take(mf, &i, &count);
	return err ? err : mem_set_size(mf->m, count, i, size);
}

static int mem_fchmod(struct file *f, unsigned mode)
{
	struct mem_file *mf = file_of(f);
	const struct mem_inode *seen = peek(mf);
	struct mem_inode *i;
	uint64_t *count;
	int err = seen ? mem_may_chmod(mf->m, seen) : -NACRE_ESTALE;

	if (!err)
		err = take(mf, &i, &count);
	if (!err)
		mem_set_mode(mf->m, i, mode);
	return err;
}

static int mem_fchown(struct file *f, int64_t uid, int64_t gid)
{
	struct mem_file *mf = file_of(f);
	const struct mem_inode *seen = peek(mf);
	struct mem_inode *i;
	uint64_t *count;
	int err = seen ? mem_may_chown(mf->m, seen, uid, gid) : -NACRE_ESTALE;

	if (!err)
		err = take(mf, &i, &count);
	if (!err)
		mem_set_owner(mf->m, i, uid, gid);
	return err;
}

static int mem_futimes(struct file *f, const struct sys_time t[2])
{
	struct mem_file *mf = file_of(f);
	const struct mem_inode *seen = peek(mf);
	struct mem_inode *i;
	uint64_t *count;
	int err = seen ? mem_may_utimes(mf->m, seen, t) : -NACRE_ESTALE;

	if (err || (t[0].nsec == SYS_TIME_OMIT && t[1].nsec == SYS_TIME_OMIT))
		return err;
	err = take(mf, &i, &count);
	if (!err)
		mem_set_times(mf->m, i, t);
	return err;
}

static void mem_close(struct file *f)
{
	release(file_of(f), sizeof(struct mem_file));
}

const struct file_ops mem_file_ops = {
        .kind = "mem",
        .read = mem_read,
        .write = mem_write,
        .read_slice = mem_read_slice,
        .write_slice = mem_write_slice,
        .unread = mem_unread,
        .seek = mem_seek,
        .stat = mem_stat,
        .truncate = mem_ftruncate,
        .chmod = mem_fchmod,
        .chown = mem_fchown,
        .utimes = mem_futimes,
        .close = mem_close,
};

/* ---- Directories -------------------------------------------------------------------------- */

static struct mem_dirfile *dir_of(struct file *f)
{
	return CONTAINER_OF(f, struct mem_dirfile, mf.f);
}

static uint64_t key_of(const struct mem_entry *e)
{
	unsigned char b[8] = {0};
	uint64_t key = 0;

	memcpy(b, e->name, MIN(e->len, (uint16_t)8));
	for (int k = 0; k < 8; k++)
		key = key << 8 | b[k];
	return key;
}

static bool before(const struct listed *a, const struct listed *b)
{
	return a->key != b->key ? a->key < b->key : strcmp(a->e->name, b->e->name) < 0;
}

/* Sorts n entries; `spare` has room for as many. The result is in v. */
static void sort(struct listed *v, struct listed *spare, size_t n)
{
	struct listed *from = v, *to = spare;

	for (size_t width = 1; width < n; width *= 2) {
		for (size_t lo = 0; lo < n; lo += 2 * width) {
			size_t mid = MIN(lo + width, n), hi = MIN(lo + 2 * width, n);
			size_t a = lo, b = mid, k = lo;

			while (a < mid && b < hi)
				to[k++] = before(&from[b], &from[a]) ? from[b++] : from[a++];
			while (a < mid)
				to[k++] = from[a++];
			while (b < hi)
				to[k++] = from[b++];
		}
		{
			struct listed *swap = from;

			from = to;
			to = swap;
		}
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
}

static void add_listed(void *ctx, struct mem_entry *e)
{
	struct mem_dirfile *d = ctx;

	d->v[d->n++] = (struct listed){key_of(e), e};
}

static void end_listing(struct mem_dirfile *d)
{
	kfree(d->mf.f.quota, d->v, d->n * sizeof(*d->v));
	mem_dir_put(d->mf.m->store, d->hamt);
	d->v = NULL;
	d->hamt = NULL;
	d->n = d->at = 0;
	d->begun = false;
}

static int begin_listing(struct mem_dirfile *d)
{
	const struct mem_inode *i = peek(&d->mf);
	struct quota *q = d->mf.f.quota;
	struct listed *spare;
	size_t size;

	if (!i)
		return -NACRE_ESTALE;
	d->begun = true;
	if (i->size == 0)
		return 0;
	size = size_mul((size_t)i->size, sizeof(*d->v));
	d->v = kalloc(q, size);
	spare = d->v ? kalloc(q, size) : NULL;
	if (!spare) {
		kfree(q, d->v, size);
		d->v = NULL;
		d->begun = false;
		return -NACRE_ENOMEM;
	}
	d->hamt = i->dir;
	mem_get(d->hamt);
	mem_dir_each(d->hamt, add_listed, d);
	sort(d->v, spare, d->n);
	kfree(q, spare, size);
	return 0;
}

static int mem_readdir(struct file *f, struct sys_dirent *out)
{
	struct mem_dirfile *d = dir_of(f);
	const struct mem_entry *e;
	int err = d->begun ? 0 : begin_listing(d);

	if (err)
		return err;
	if (d->at == d->n)
		return 0;
	e = d->v[d->at++].e;
	*out = (struct sys_dirent){e->name, e->len, e->type, e->ino};
	return 1;
}

/* Only back to the start, which lists anew. */
static int64_t mem_dir_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	if (offset != 0 || whence != SYS_SEEK_SET)
		return -NACRE_EINVAL;
	end_listing(dir_of(f));
	return 0;
}

static void mem_dir_close(struct file *f)
{
	end_listing(dir_of(f));
	release(file_of(f), sizeof(struct mem_dirfile));
}

const struct file_ops mem_dir_ops = {
        .kind = "mem",
        .seek = mem_dir_seek,
        .stat = mem_stat,
        .readdir = mem_readdir,
        .chmod = mem_fchmod,
        .chown = mem_fchown,
        .utimes = mem_futimes,
        .close = mem_dir_close,
};
