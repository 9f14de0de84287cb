/*
 * overlay_file.c - open files whose data is below, and directories that show both trees.
 *
 * A file that is open for reading while somebody writes it must show what is written. So files open
 * on data below are listed, and read from the tree above as soon as the data is copied there.
 */
#include "overlay_ops.h"

struct ov_file {
	struct file f;
	struct overlay *o;
	struct ov_file *next, **prev;
	struct file *in;    /* below, or above once the data is there */
	struct file *spare; /* above, while that may still fail */
	bool above;
	size_t size; /* of this block */
	char low[];
};

struct ov_dir {
	struct file f;
	struct overlay *o;
	uint32_t ino;       /* above; 0: it is not there */
	struct file *above; /* either may be NULL */
	struct file *below;
	void *names;         /* of the directory above when the listing began */
	struct sys_dirent held; /* its first entry */
	bool begun, holds, low_ended;
	struct sys_stat st; /* of a directory that is not above */
};

/* ---- Regular files ------------------------------------------------------------ */

static struct ov_file *file_of(struct file *f)
{
	return CONTAINER_OF(f, struct ov_file, f);
}

int64_t ov_read_below(struct file *f, void *buf, size_t n, int64_t at)
{
	return f->ops->read ? f->ops->read(f, buf, n, at) : -NACRE_EISDIR;
}

static int64_t ov_read(struct file *f, void *buf, size_t n, int64_t at)
{
	int64_t got = ov_read_below(file_of(f)->in, buf, n, at < 0 ? f->offset : at);

	if (got > 0 && at < 0)
		f->offset += got;
	return got;
}

static int64_t ov_read_slice(struct file *f, size_t max, struct slice *out)
{
	struct file *in = file_of(f)->in;
	int64_t got;

	if (!in->ops->read_slice)
		return -NACRE_EIO;
	in->offset = f->offset;
	got = in->ops->read_slice(in, max, out);
	f->offset = in->offset;
	return got;
}

static int ov_unread(struct file *f, const struct slice *s, size_t n)
{
	(void)s;
	f->offset -= (int64_t)MIN((uint64_t)n, (uint64_t)f->offset);
	return 0;
}

static int64_t ov_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	struct file *in = file_of(f)->in;
	int64_t to;

	in->offset = f->offset;
	to = in->ops->seek ? in->ops->seek(in, offset, whence) : -NACRE_ESPIPE;
	if (to >= 0)
		f->offset = to;
	return to;
}

static int ov_fstat(struct file *f, struct sys_stat *out)
{
	struct ov_file *of = file_of(f);
	int err = of->in->ops->stat(of->in, out);

	if (!err)
		ov_own_stat(of->o, out);
	return err;
}

static void ov_close(struct file *f)
{
	struct ov_file *of = file_of(f);
	struct overlay *o = of->o;

	*of->prev = of->next;
	if (of->next)
		of->next->prev = of->prev;
	file_put(of->in);
	kfree(f->quota, of, of->size);
	fs_put(&o->fs);
}

static const struct file_ops ov_file_ops = {
        .kind = "overlay",
        .read = ov_read,
        .read_slice = ov_read_slice,
        .unread = ov_unread,
        .seek = ov_seek,
        .stat = ov_fstat,
        .close = ov_close,
};

int ov_file_open(struct overlay *o, const char *low, unsigned flags, struct quota *q,
                 struct file **out)
{
	size_t n = strlen(low) + 1, size = sizeof(struct ov_file) + n;
	struct ov_file *of = kzalloc(q, size);
	struct sys_stat st;
	int err;

	if (!of)
		return -NACRE_ENOMEM;
	file_init(&of->f, &ov_file_ops, flags & (SYS_O_READ | SYS_O_NONBLOCK), q);
	of->o = o;
	of->size = size;
	memcpy(of->low, low, n);
	err = o->below->ops->open(o->below, low, SYS_O_READ | (flags & SYS_O_NONBLOCK), 0, q,
	                          &of->in);
	if (!err) {
		/* That it could not be remembered for lack of room must not keep it from being read. */
		err = of->in->ops->stat(of->in, &st);
		if (!err && ov_seen_put(o, low, ov_digest(&st), false) == -NACRE_EIO)
			err = -NACRE_EIO;
		if (err)
			file_put(of->in);
	}
	if (err) {
		kfree(q, of, size);
		return err;
	}
	of->next = o->files;
	of->prev = &o->files;
	if (of->next)
		of->next->prev = &of->next;
	o->files = of;
	fs_get(&o->fs);
	*out = &of->f;
	return 0;
}

int ov_files_prepare(struct overlay *o, const char *low, uint32_t ino)
{
	for (struct ov_file *of = o->files; of; of = of->next) {
		int err;

		if (of->above || of->spare || !streq(of->low, low))
			continue;
		err = mem_file_new(o->up, SYS_O_READ, false, of->f.quota, &of->spare);
		if (err) {
			of->spare = NULL;
			return err;
		}
		mem_file_bind(of->spare, ino);
	}
	return 0;
}

void ov_files_switch(struct overlay *o, bool done)
{
	for (struct ov_file *of = o->files; of; of = of->next) {
		if (!of->spare)
			continue;
		if (done) {
			file_put(of->in);
			of->in = of->spare;
			of->above = true;
		} else {
			file_put(of->spare);
		}
		of->spare = NULL;
	}
}

/* ---- Directories ------------------------------------------------------------------- */

static struct ov_dir *dir_of(struct file *f)
{
	return CONTAINER_OF(f, struct ov_dir, f);
}

/* Both listings show what is there now. */
static int begin_listing(struct ov_dir *d)
{
	const struct mem_inode *i = d->ino ? mem_table_find(&d->o->up->state, d->ino) : NULL;
	int got = 0;

	d->begun = true;
	d->low_ended = !d->below;
	if (d->above)
		got = d->above->ops->readdir(d->above, &d->held);
	d->holds = got > 0;
	if (i && i->dir) {
		d->names = i->dir;
		mem_get(d->names);
	}
	return MIN(got, 0);
}

static int next_below(struct ov_dir *d, struct sys_dirent *out)
{
	while (!d->low_ended) {
		int got = d->below->ops->readdir(d->below, out);

		if (got < 0)
			return got;
		d->low_ended = got == 0;
		if (got && !mem_dir_find(d->names, mem_name_hash(d->o->up->state.seed, out->name, out->len),
		                         out->name, out->len))
			return 1;
	}
	return 0;
}

static int ov_readdir(struct file *f, struct sys_dirent *out)
{
	struct ov_dir *d = dir_of(f);
	int got = d->begun ? 0 : begin_listing(d);

	if (!got)
		got = next_below(d, out);
	while (!got && d->above) {
		const struct mem_inode *i;

		if (d->holds)
			*out = d->held;
		else if ((got = d->above->ops->readdir(d->above, out)) <= 0)
			return got;
		d->holds = false;
		got = out->type != SYS_S_CHAR;
		i = mem_table_find(&d->o->up->state, (uint32_t)out->ino);
		out->ino = i && i->origin ? i->origin->ino : out->ino + d->o->up->ino_base;
	}
	return got;
}

static int64_t ov_dir_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	struct ov_dir *d = dir_of(f);
	int64_t err = 0;

	if (offset != 0 || whence != SYS_SEEK_SET)
		return -NACRE_EINVAL;
	if (d->above)
		err = d->above->ops->seek(d->above, 0, SYS_SEEK_SET);
	if (err >= 0 && d->below)
		err = d->below->ops->seek(d->below, 0, SYS_SEEK_SET);
	mem_dir_put(d->o->up->store, d->names);
	d->names = NULL;
	d->begun = d->holds = false;
	return err;
}

static int ov_dir_stat(struct file *f, struct sys_stat *out)
{
	struct ov_dir *d = dir_of(f);

	if (d->ino && mem_table_find(&d->o->up->state, d->ino))
		ov_stat_above(d->o, d->ino, out);
	else if (d->ino)
		return d->above->ops->stat(d->above, out);
	else
		*out = d->st;
	return 0;
}

static void ov_dir_close(struct file *f)
{
	struct ov_dir *d = dir_of(f);
	struct overlay *o = d->o;

	mem_dir_put(o->up->store, d->names);
	file_put(d->above);
	file_put(d->below);
	kfree(f->quota, d, sizeof(*d));
	fs_put(&o->fs);
}

static const struct file_ops ov_dir_ops = {
        .kind = "overlay",
        .seek = ov_dir_seek,
        .stat = ov_dir_stat,
        .readdir = ov_readdir,
        .close = ov_dir_close,
};

static int open_both(struct ov_dir *d, const char *low, struct quota *q)
{
	struct overlay *o = d->o;
	int err = 0;

	if (low) {
		err = o->below->ops->open(o->below, low, SYS_O_READ | SYS_O_DIRECTORY, 0, q, &d->below);
		/* Gone meanwhile: what is above remains. */
		if (d->ino && (err == -NACRE_ENOENT || err == -NACRE_ENOTDIR))
			err = 0;
		if (!err && d->below && !d->ino)
			err = d->below->ops->stat(d->below, &d->st);
		ov_own_stat(o, &d->st);
	}
	if (!err && d->ino) {
		err = mem_file_new(o->up, SYS_O_READ, true, q, &d->above);
		if (!err)
			mem_file_bind(d->above, d->ino);
	}
	return err;
}

int ov_dir_open(struct overlay *o, uint32_t dir_ino, const char *low, struct quota *q,
                struct file **out)
{
	struct ov_dir *d = kzalloc(q, sizeof(*d));
	int err;

	if (!d)
		return -NACRE_ENOMEM;
	file_init(&d->f, &ov_dir_ops, SYS_O_READ, q);
	d->o = o;
	d->ino = dir_ino;
	fs_get(&o->fs);
	err = open_both(d, low, q);
	if (err)
		ov_dir_close(&d->f);
	else
		*out = &d->f;
	return err;
}
