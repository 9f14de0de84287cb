/*
 * mountdir.c - an open directory that has mounts in it: they are listed with its own entries.
 *
 * Names of mounts are merged in by order, which keeps a sorted listing sorted; in one that
 * is not they come wherever the comparison puts them, but once.
 */
#include "path.h"

#include "../abi/errno.h"

struct child {
	const char *name; /* in the mount table, which outlives the file */
	size_t len;
	bool listed;
};

struct mountdir {
	struct file f;
	struct file *below;     /* NULL: only the mounts */
	struct sys_stat st;     /* when there is none below */
	struct sys_dirent held; /* the entry of below that comes after the next child */
	bool holds, ended;
	uint32_t n, at;
	struct child children[];
};

static struct mountdir *of(struct file *f)
{
	return CONTAINER_OF(f, struct mountdir, f);
}

static int compare(const char *a, size_t an, const char *b, size_t bn)
{
	int c = memcmp(a, b, MIN(an, bn));

	return c ? c : (an > bn) - (an < bn);
}

/* The next component after path[0, len) of a mount below it. */
static struct child child_of(const struct mount *m, size_t len)
{
	const char *name = m->at + (len > 1 ? len : 0) + 1;

	return (struct child){name, strcspn(name, "/"), false};
}

static void insert(struct mountdir *d, struct child c)
{
	uint32_t k = d->n;

	for (uint32_t i = 0; i < d->n; i++)
		if (compare(d->children[i].name, d->children[i].len, c.name, c.len) == 0)
			return;
	for (; k > 0 && compare(d->children[k - 1].name, d->children[k - 1].len, c.name, c.len) > 0;
	     k--)
		d->children[k] = d->children[k - 1];
	d->children[k] = c;
	d->n++;
}

static size_t size_of(uint32_t max)
{
	return sizeof(struct mountdir) + max * sizeof(struct child);
}

/* 1: the entry of the mount at children[i]. */
static int list_child(struct mountdir *d, uint32_t i, struct sys_dirent *out)
{
	struct child *c = &d->children[i];

	c->listed = true;
	*out = (struct sys_dirent){c->name, c->len, SYS_S_DIR, i + 1};
	return 1;
}

static struct child *child_named(struct mountdir *d, const struct sys_dirent *e)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (compare(d->children[i].name, d->children[i].len, e->name, e->len) == 0)
			return &d->children[i];
	return NULL;
}

/* Fetches the next entry of below unless one is held. */
static int fetch(struct mountdir *d)
{
	while (!d->holds && !d->ended) {
		struct child *c;
		int got = d->below ? d->below->ops->readdir(d->below, &d->held) : 0;

		if (got < 0)
			return got;
		d->ended = got == 0;
		if (got == 0)
			break;
		c = child_named(d, &d->held);
		if (c && c->listed)
			continue;
		if (c) {
			c->listed = true;
			d->held.type = SYS_S_DIR;
		}
		d->holds = true;
	}
	return 0;
}

static int mountdir_readdir(struct file *f, struct sys_dirent *out)
{
	struct mountdir *d = of(f);
	int err = fetch(d);

	if (err)
		return err;
	while (d->at < d->n && d->children[d->at].listed)
		d->at++;
	if (d->at < d->n) {
		const struct child *c = &d->children[d->at];

		if (!d->holds || compare(c->name, c->len, d->held.name, d->held.len) < 0)
			return list_child(d, d->at++, out);
	}
	if (!d->holds)
		return 0;
	d->holds = false;
	*out = d->held;
	return 1;
}

static int64_t mountdir_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	struct mountdir *d = of(f);

	if (offset != 0 || whence != SYS_SEEK_SET)
		return -NACRE_EINVAL;
	if (d->below && d->below->ops->seek) {
		int64_t at = d->below->ops->seek(d->below, 0, SYS_SEEK_SET);

		if (at < 0)
			return at;
	}
	for (uint32_t i = 0; i < d->n; i++)
		d->children[i].listed = false;
	d->at = 0;
	d->holds = d->ended = false;
	return 0;
}

static int mountdir_stat(struct file *f, struct sys_stat *out)
{
	struct mountdir *d = of(f);

	if (d->below)
		return d->below->ops->stat(d->below, out);
	*out = d->st;
	return 0;
}

static void mountdir_close(struct file *f)
{
	struct mountdir *d = of(f);

	file_put(d->below);
	/* offset, unused otherwise, keeps how many children there was room for. */
	kfree(f->quota, d, size_of((uint32_t)f->offset));
}

static const struct file_ops mountdir_ops = {
        .kind = "mountdir",
        .seek = mountdir_seek,
        .stat = mountdir_stat,
        .readdir = mountdir_readdir,
        .close = mountdir_close,
};

int mountdir_open(const struct vfs *v, const char *path, size_t len, struct file *below,
                  struct quota *q, struct file **out)
{
	const struct mount_table *t = v->mounts;
	size_t prefix = len > 1 ? len : 0;
	struct mountdir *d = kzalloc(q, size_of(t->n));

	if (!d) {
		file_put(below);
		return -NACRE_ENOMEM;
	}
	file_init(&d->f, &mountdir_ops, SYS_O_READ, q);
	d->f.offset = t->n;
	d->below = below;
	place_synthetic_stat(path, len, &d->st);
	for (uint32_t i = 0; i < t->n && t->v[i].at_len > prefix; i++)
		if (memcmp(t->v[i].at, path, prefix) == 0 && t->v[i].at[prefix] == '/')
			insert(d, child_of(&t->v[i], len));
	*out = &d->f;
	return 0;
}
