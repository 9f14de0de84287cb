/*
 * overlay_commit.c - making what is below like the overlay.
 *
 * First everything that is above is put into its place, a directory before what is in it: what was
 * renamed is renamed below, other files are written beside their place under a name of their own and
 * renamed into it. What stands in the way and cannot be replaced by a rename, or is itself to be
 * renamed later, is set aside. Then what is covered is removed, and what was set aside.
 *
 * Renames made so far are remembered, so that the path of a file below as it was before the commit
 * can be told as it is now. A commit that failed half way can be tried again: what is in its place
 * already is left alone.
 */
#include "overlay_ops.h"

#define COPY_SIZE  BUF_CHUNK
#define OWN_PREFIX 7 /* of own_name */

/* The form of the names the commit gives, with a number in the place of the zeroes. */
static const char own_name[] = ".nacre-00000000";

/* A rename that was made below. */
struct done {
	struct done *next; /* in the order made */
	size_t size;
	char *to; /* in text */
	bool aside;
	char text[];
};

struct commit {
	struct overlay *o;
	struct quota *q;
	const struct fs_ops *ops; /* of what is below */
	struct ov_moves moves;
	struct ov_places places; /* of the moves */
	struct done *first, **last;
	uint32_t names;
	char *buf; /* COPY_SIZE bytes */
};

/* ---- Where things are now ------------------------------------------------------- */

static int remember(struct commit *c, const char *from, const char *to, bool aside)
{
	size_t n = strlen(from) + 1, m = strlen(to) + 1;
	struct done *d = kalloc(c->q, sizeof(*d) + n + m);

	if (!d)
		return -NACRE_ENOMEM;
	*d = (struct done){.size = sizeof(*d) + n + m, .to = d->text + n, .aside = aside};
	memcpy(d->text, from, n);
	memcpy(d->to, to, m);
	*c->last = d;
	c->last = &d->next;
	return 0;
}

static bool leads_to(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}

/* Where the file is now that was at `low` before. */
static int now_at(struct commit *c, const char *low, struct ov_path *p)
{
	int err = ov_path_join(p, "", low, strlen(low));

	for (const struct done *d = c->first; d && !err; d = d->next) {
		struct ov_path next;
		const char *rest = p->s + strlen(d->text);

		if (!leads_to(p->s, d->text))
			continue;
		ov_path_init(&next, c->q);
		err = ov_path_join(&next, d->to, rest + (*rest == '/'), strlen(rest + (*rest == '/')));
		if (!err)
			err = ov_path_join(p, "", next.s, next.len);
		ov_path_release(&next);
	}
	return err;
}

/* A name nobody has beside `path`. */
static int name_beside(struct commit *c, const char *path, struct ov_path *p)
{
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash - path) : 0;
	char name[24];
	struct ov_path parent;
	struct sys_stat st;
	int err;

	ov_path_init(&parent, c->q);
	err = ov_path_join(&parent, "", path, dir);
	do {
		memcpy(name, own_name, sizeof(own_name));
		for (uint32_t v = c->names++, at = sizeof(own_name) - 2; v; v >>= 4, at--)
			name[at] = "0123456789abcdef"[v & 15];
		if (!err)
			err = ov_path_join(p, parent.s, name, strlen(name));
	} while (!err && (err = ov_stat_below(c->o, p->s, &st)) == 0);
	ov_path_release(&parent);
	return err == -NACRE_ENOENT ? 0 : err;
}

static int rename_below(struct commit *c, const char *from, const char *to, bool aside)
{
	int err = c->ops->rename(c->o->below, from, to, 0);

	if (!err)
		err = ov_places_rename(&c->places, from, to);
	return err ? err : remember(c, from, to, aside);
}

/* Makes the place free for a rename to it. file: what comes is no directory, and may replace one
 * that is none either. */
static int make_way(struct commit *c, const char *path, bool file)
{
	struct ov_path aside;
	struct sys_stat st;
	int err = ov_stat_below(c->o, path, &st);

	if (err)
		return err == -NACRE_ENOENT ? 0 : err;
	if (file && (st.mode & SYS_S_TYPE) != SYS_S_DIR && !ov_places_in(&c->places, path))
		return 0;
	ov_path_init(&aside, c->q);
	err = name_beside(c, path, &aside);
	if (!err)
		err = rename_below(c, path, aside.s, true);
	ov_path_release(&aside);
	return err;
}

/* ---- Putting into place --------------------------------------------------------------- */

static int attributes(struct commit *c, const char *path, const struct mem_inode *i,
                      const struct sys_stat *st)
{
	const struct sys_time t[2] = {{0, SYS_TIME_OMIT}, {i->mtime.sec, i->mtime.nsec}};
	int err = 0;

	if ((st->mode ^ i->mode) & 01777)
		err = c->ops->chmod(c->o->below, path, i->mode & 01777);
	if (!err && mem_is(i, SYS_S_FILE) && (st->mtime.sec != t[1].sec || st->mtime.nsec != t[1].nsec))
		err = c->ops->utimes(c->o->below, path, t);
	return err;
}

static int write_all(struct commit *c, struct file *to, int64_t n, uint64_t at)
{
	int64_t put = to->ops->write(to, c->buf, (size_t)n, (int64_t)at);

	return put == n ? 0 : put < 0 ? (int)put : -NACRE_ENOSPC;
}

/* The data are below, where the file came from. */
static int copy_below(struct commit *c, const struct mem_inode *i, struct file *to)
{
	struct ov_path low;
	struct file *from;
	int64_t got;
	uint64_t at = 0;
	int err;

	ov_path_init(&low, c->q);
	err = now_at(c, i->origin->path, &low);
	if (!err)
		err = c->ops->open(c->o->below, low.s, SYS_O_READ, 0, c->q, &from);
	ov_path_release(&low);
	if (err)
		return err;
	while (!err && (got = ov_read_below(from, c->buf, COPY_SIZE, (int64_t)at)) != 0) {
		err = got < 0 ? (int)got : write_all(c, to, got, at);
		at += (uint64_t)MAX(got, 0);
	}
	file_put(from);
	return err;
}

/* The data are in memory. Holes stay holes: what was never written must not fill the disk. */
static int copy_memory(struct commit *c, const struct mem_inode *i, struct file *to)
{
	uint64_t end = 0;
	int err = 0;

	for (uint64_t ci = 0; !err; ci++) {
		uint64_t at;
		int64_t n;

		ci = mem_data_next(i, ci);
		at = ci * COPY_SIZE;
		if (ci == MEM_NO_CHUNK || at >= i->size)
			break;
		n = (int64_t)mem_data_read(i, at, c->buf, COPY_SIZE);
		err = write_all(c, to, n, at);
		end = at + (uint64_t)n;
	}
	return err || end == i->size ? err : to->ops->truncate(to, (int64_t)i->size);
}

/* All data of a file above, wherever it is, into an open one below. */
static int copy_out(struct commit *c, const struct mem_inode *i, struct file *to)
{
	return i->flags & MEM_BELOW ? copy_below(c, i, to) : copy_memory(c, i, to);
}

static int write_beside(struct commit *c, const struct mem_inode *i, const char *temp)
{
	struct fs *below = c->o->below;
	const struct sys_time t[2] = {{0, SYS_TIME_OMIT}, {i->mtime.sec, i->mtime.nsec}};
	char text[FS_LINK_MAX + 1];
	struct file *f;
	int err;

	switch (i->mode & SYS_S_TYPE) {
	case SYS_S_LINK:
		memcpy(text, i->link->text, i->link->len);
		text[i->link->len] = '\0';
		return c->ops->symlink(below, text, temp);
	case SYS_S_FIFO: return c->ops->mkfifo(below, temp, i->mode & 0777);
	case SYS_S_FILE: break;
	default: return -NACRE_EPERM;
	}
	err = c->ops->open(below, temp, SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL, (i->mode & 01777) | 0200,
	                   c->q, &f);
	if (err)
		return err;
	err = copy_out(c, i, f);
	file_put(f);
	if (!err && !(i->mode & 0200))
		err = c->ops->chmod(below, temp, i->mode & 01777);
	return err ? err : c->ops->utimes(below, temp, t);
}

/* A new file in the place of what is there, which keeps its owner where the host allows it. */
static int put_file(struct commit *c, const char *path, const struct mem_inode *i)
{
	struct ov_path temp;
	struct sys_stat st;
	bool replaces = ov_stat_below(c->o, path, &st) == 0;
	int err;

	ov_path_init(&temp, c->q);
	err = name_beside(c, path, &temp);
	if (!err)
		err = write_beside(c, i, temp.s);
	if (!err && replaces && c->ops->chown)
		(void)c->ops->chown(c->o->below, temp.s, st.uid, st.gid);
	if (!err)
		err = make_way(c, path, true);
	if (!err)
		err = c->ops->rename(c->o->below, temp.s, path, 0);
	if (err && temp.len)
		(void)c->ops->unlink(c->o->below, temp.s);
	ov_path_release(&temp);
	return err;
}

/* A directory that is to be changed in can be, until it gets its own mode in the end. */
static int open_up(struct commit *c, const char *path, const struct sys_stat *st)
{
	if ((st->mode & SYS_S_TYPE) != SYS_S_DIR || (st->mode & 0700) == 0700)
		return 0;
	return c->ops->chmod(c->o->below, path, (st->mode & 01777) | 0700);
}

static int put_moved(struct commit *c, const struct ov_node *n)
{
	size_t move = ov_moves_find(&c->moves, n->source);
	struct ov_path from;
	struct sys_stat st;
	int err;

	ov_path_init(&from, c->q);
	err = move == SIZE_MAX ? now_at(c, n->source, &from) : ov_places_path(&c->places, move, &from);
	if (!err)
		err = ov_stat_below(c->o, from.s, &st);
	if (!err)
		err = open_up(c, from.s, &st);
	if (!err && !streq(from.s, n->path)) {
		err = make_way(c, n->path, !mem_is(n->i, SYS_S_DIR));
		if (!err)
			err = rename_below(c, from.s, n->path, false);
	}
	ov_path_release(&from);
	if (!err)
		err = ov_stat_below(c->o, n->path, &st);
	return err ? err : mem_is(n->i, SYS_S_FILE) ? attributes(c, n->path, n->i, &st) : 0;
}

/* Is what is at the path now what shall be there, but for mode and time? */
static int is_there(struct commit *c, const struct ov_node *n, const struct sys_stat *st, bool *yes)
{
	*yes = false;
	if ((st->mode & SYS_S_TYPE) != (n->i->mode & SYS_S_TYPE) || ov_places_in(&c->places, n->path))
		return 0;
	if (n->i->flags & MEM_BELOW)
		*yes = n->natural && streq(n->i->origin->path, n->natural);
	else if (mem_is(n->i, SYS_S_FILE))
		return ov_same_data(c->o, n->i, n->path, yes);
	else if (mem_is(n->i, SYS_S_LINK))
		return ov_same_text(c->o, n->i, n->path, yes);
	else
		*yes = mem_is(n->i, SYS_S_FIFO) || n->i->origin;
	return 0;
}

static int put_dir(struct commit *c, const struct ov_node *n, const struct sys_stat *st)
{
	int err;

	if ((st->mode & SYS_S_TYPE) == SYS_S_DIR && !ov_places_at(&c->places, n->path))
		return open_up(c, n->path, st);
	err = make_way(c, n->path, false);
	return err ? err : c->ops->mkdir(c->o->below, n->path, (n->i->mode & 01777) | 0700);
}

static int put(void *ctx, const struct ov_node *n)
{
	struct commit *c = ctx;
	struct sys_stat st = {0};
	bool there = false;
	int err;

	if (n->whiteout)
		return 0;
	if (n->moved && (!mem_is(n->i, SYS_S_FILE) || (n->i->flags & MEM_BELOW)))
		return put_moved(c, n);
	err = ov_stat_below(c->o, n->path, &st);
	if (err && err != -NACRE_ENOENT)
		return err;
	if (mem_is(n->i, SYS_S_DIR))
		return put_dir(c, n, &st);
	err = st.mode ? is_there(c, n, &st, &there) : 0;
	if (err)
		return err;
	if (there)
		return attributes(c, n->path, n->i, &st);
	/* Somebody took it away below; nothing was changed here. */
	if (!st.mode && (n->i->flags & MEM_BELOW) && n->natural && streq(n->i->origin->path, n->natural))
		return 0;
	return put_file(c, n->path, n->i);
}

/* ---- Taking away ------------------------------------------------------------------------ */

/* rm -r below. */
static int remove_tree(struct commit *c, const char *path)
{
	struct ov_path child;
	struct sys_dirent e;
	struct sys_stat st;
	struct file *f;
	int got = ov_stat_below(c->o, path, &st);

	if (got)
		return got == -NACRE_ENOENT ? 0 : got;
	if ((st.mode & SYS_S_TYPE) != SYS_S_DIR)
		return c->ops->unlink(c->o->below, path);
	got = c->ops->open(c->o->below, path, SYS_O_READ | SYS_O_DIRECTORY, 0, c->q, &f);
	if (got)
		return got;
	ov_path_init(&child, c->q);
	while ((got = f->ops->readdir(f, &e)) > 0) {
		int err = ov_path_join(&child, path, e.name, e.len);

		if (!err)
			err = remove_tree(c, child.s);
		if (err) {
			got = err;
			break;
		}
	}
	ov_path_release(&child);
	file_put(f);
	return got ? got : c->ops->rmdir(c->o->below, path);
}

static bool is_aside(const struct commit *c, const char *path, const struct sys_dirent *e)
{
	if (e->len != sizeof(own_name) - 1 || memcmp(e->name, own_name, OWN_PREFIX) != 0)
		return false;
	for (const struct done *d = c->first; d; d = d->next)
		if (d->aside && streq(d->to, path))
			return true;
	return false;
}

/* What a directory that was made anew does not have. */
static int remove_left_out(struct commit *c, const struct ov_node *n)
{
	struct ov_path child;
	struct sys_dirent e;
	struct file *f;
	int got = c->ops->open(c->o->below, n->path, SYS_O_READ | SYS_O_DIRECTORY, 0, c->q, &f);

	if (got)
		return got;
	ov_path_init(&child, c->q);
	while ((got = f->ops->readdir(f, &e)) > 0) {
		uint64_t hash = mem_name_hash(c->o->up->state.seed, e.name, e.len);
		int err = 0;

		if (mem_dir_find(n->i->dir, hash, e.name, e.len))
			continue;
		err = ov_path_join(&child, n->path, e.name, e.len);
		if (!err && !is_aside(c, child.s, &e))
			err = remove_tree(c, child.s);
		if (err) {
			got = err;
			break;
		}
	}
	ov_path_release(&child);
	file_put(f);
	return got;
}

static int clear(void *ctx, const struct ov_node *n)
{
	struct commit *c = ctx;

	if (n->whiteout)
		return remove_tree(c, n->path);
	return mem_is(n->i, SYS_S_DIR) && !n->i->origin ? remove_left_out(c, n) : 0;
}

/* Directories get their modes when nothing is to be changed in them any more. */
static int finish(void *ctx, const struct ov_node *n)
{
	struct commit *c = ctx;
	struct sys_stat st;
	int err;

	if (!mem_is(n->i, SYS_S_DIR))
		return 0;
	err = ov_stat_below(c->o, n->path, &st);
	return err ? err : attributes(c, n->path, n->i, &st);
}

static int remove_aside(struct commit *c)
{
	struct ov_path p;
	int err = 0;

	ov_path_init(&p, c->q);
	for (struct done *d = c->first; d && !err; d = d->next) {
		struct done *rest = c->first;

		if (!d->aside)
			continue;
		/* It may have been renamed into its place since. */
		c->first = d->next;
		err = now_at(c, d->to, &p);
		c->first = rest;
		if (!err && streq(p.s, d->to))
			err = remove_tree(c, p.s);
	}
	ov_path_release(&p);
	return err;
}

/* ---- All of it ----------------------------------------------------------------------------- */

static int refuse(void *ctx, const struct overlay_change *c)
{
	(void)ctx;
	return c->conflict ? -NACRE_ESTALE : 0;
}

int fs_overlay_commit(struct fs *fs, bool force)
{
	struct overlay *o = overlay_of(fs);
	struct commit c = {.o = o, .q = &o->up->store->pool.quota, .ops = o->below->ops};
	int err = force ? 0 : fs_overlay_changes(fs, refuse, NULL);

	c.last = &c.first;
	if (err)
		return err;
	c.buf = kalloc(c.q, COPY_SIZE);
	err = c.buf ? ov_moves_collect(o, &c.moves) : -NACRE_ENOMEM;
	if (!err)
		err = ov_places_init(&c.places, o, &c.moves);
	if (!err)
		err = ov_each(o, &c.moves, put, NULL, &c);
	if (!err)
		err = ov_each(o, &c.moves, NULL, clear, &c);
	if (!err)
		err = remove_aside(&c);
	if (!err)
		err = ov_each(o, &c.moves, NULL, finish, &c);
	while (c.first) {
		struct done *d = c.first;

		c.first = d->next;
		kfree(c.q, d, d->size);
	}
	ov_places_release(&c.places);
	ov_moves_release(o, &c.moves);
	kfree(c.q, c.buf, COPY_SIZE);
	return err ? err : fs_overlay_discard(fs);
}
