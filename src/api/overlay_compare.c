/* overlay_compare.c - what is different between two overlays over the same filesystem.
 *
 * What neither changes is the same in both and is not looked at: the paths to compare are those that one of them changes,
 * both ends of a rename and all that is below a renamed directory. What is at such a path in each says what is told; which
 * file it is (fs_overlay_identity) makes a rename of what is gone at one path and came at another. */
#include "overlay.h"

#include <stdlib.h>

/* The paths to compare, malloc. */
struct path {
	char *s;
	bool dir;	/* it may be a directory to look into */
};
struct paths {
	struct path *v;
	size_t n, cap;
};

/* A path that only one of the two has. */
struct one_sided {
	const char *path;	/* borrowed */
	char *identity;
	uint32_t mode;
	bool added, below;
};

struct both {
	struct fs *a, *b;
	struct quota *q;
	struct moves moves;
	struct paths paths;
	struct one_sided *v;
	size_t n;
};

/* ---- Which paths ---------------------------------------------------------------- */

static int add_path(struct paths *p, const char *path, bool dir)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 64;
		struct path *v = realloc(p->v, cap * sizeof(*v));

		if (!v)
			return -NACRE_ENOMEM;
		p->v = v;
		p->cap = cap;
	}
	p->v[p->n] = (struct path){strdup(path), dir};
	return p->v[p->n].s ? (p->n++, 0) : -NACRE_ENOMEM;
}

/* What is in one directory. */
static int add_names(struct both *t, struct fs *fs, const char *dir)
{
	char child[SYS_PATH_MAX];
	struct sys_dirent d;
	struct file *f;
	size_t n = strlen(dir);
	int got = fs->ops->open(fs, dir, SYS_O_READ | SYS_O_DIRECTORY, 0, t->q, &f);

	if (got < 0)
		return got == -NACRE_ENOENT || got == -NACRE_ENOTDIR || got == -NACRE_ELOOP || got == -NACRE_EACCES ? 0 : got;
	memcpy(child, dir, n);
	child[n] = '/';
	while ((got = f->ops->readdir(f, &d)) > 0) {
		if (n + 1 + d.len >= sizeof(child))
			continue;
		memcpy(child + n + 1, d.name, d.len);
		child[n + 1 + d.len] = '\0';
		got = add_path(&t->paths, child, d.type == SYS_S_DIR || d.type == 0);
		if (got < 0)
			break;
	}
	file_put(f);
	return MIN(got, 0);
}

/* All that is below a directory: the list is its own list of what is still to be looked into. */
static int add_below(struct both *t, struct fs *fs, const char *path)
{
	size_t i = t->paths.n;
	int e = add_names(t, fs, path);

	for (; i < t->paths.n && e == 0; i++)
		if (t->paths.v[i].dir)
			e = add_names(t, fs, t->paths.v[i].s);
	return e;
}

static int add_change(void *ctx, const struct overlay_change *c)
{
	struct both *t = ctx;
	int e = add_path(&t->paths, c->path, false);

	if (e == 0 && c->from)
		e = add_path(&t->paths, c->from, false);
	if (e < 0 || !c->from || (c->new_mode & SYS_S_TYPE) != SYS_S_DIR)
		return e;
	for (int i = 0; i < 4 && e == 0; i++)
		e = add_below(t, i & 1 ? t->b : t->a, i & 2 ? c->from : c->path);
	return e;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct path *)a)->s, ((const struct path *)b)->s);
}

static int collect(struct both *t)
{
	struct paths *p = &t->paths;
	size_t n = 0;
	int e = fs_overlay_changes(t->a, add_change, t);

	if (e == 0)
		e = fs_overlay_changes(t->b, add_change, t);
	if (e < 0 || !p->n)
		return e;
	qsort(p->v, p->n, sizeof(*p->v), by_text);
	for (size_t i = 0; i < p->n; i++) {
		if (n && streq(p->v[n - 1].s, p->v[i].s))
			free(p->v[i].s);
		else
			p->v[n++] = p->v[i];
	}
	p->n = n;
	return 0;
}

/* ---- The same file, the same content? ---------------------------------------------- */

static bool same_bytes(struct file *f, struct file *g)
{
	char x[4096], y[4096];
	int64_t n = 1;

	for (int64_t at = 0; n > 0; at += n) {
		n = f->ops->read(f, x, sizeof(x), at);
		if (n < 0 || g->ops->read(g, y, sizeof(y), at) != n || memcmp(x, y, (size_t)n) != 0)
			return false;
	}
	return true;
}

/* `from` in a and `to` in b, both of type `type`. */
static bool same_content(struct both *t, const char *from, const char *to, uint32_t type)
{
	struct file *f = NULL, *g = NULL;
	bool same = true;

	if (type == SYS_S_LINK) {
		char x[FS_LINK_MAX], y[FS_LINK_MAX];
		int64_t n = t->a->ops->readlink(t->a, from, x, sizeof(x));

		return n > 0 && t->b->ops->readlink(t->b, to, y, sizeof(y)) == n && memcmp(x, y, (size_t)n) == 0;
	}
	if (type != SYS_S_FILE)
		return true;
	same = t->a->ops->open(t->a, from, SYS_O_READ, 0, t->q, &f) == 0 && t->b->ops->open(t->b, to, SYS_O_READ, 0, t->q, &g) == 0 &&
	       same_bytes(f, g);
	file_put(f);
	file_put(g);
	return same;
}

/* Data that are still those below need not be read to be found the same. */
static int compare_content(struct both *t, const char *from, const struct sys_stat *a, const char *to, const struct sys_stat *b, bool *same)
{
	char x[FS_OVERLAY_IDENTITY_MAX], y[FS_OVERLAY_IDENTITY_MAX];
	bool below_a, below_b;
	int e = fs_overlay_identity(t->a, from, x, sizeof(x), &below_a);

	if (e == 0)
		e = fs_overlay_identity(t->b, to, y, sizeof(y), &below_b);
	if (e < 0)
		return e;
	if ((a->mode & SYS_S_TYPE) == SYS_S_FILE && a->size != b->size)
		*same = false;
	else
		*same = (below_a && below_b && streq(x, y)) || same_content(t, from, to, a->mode & SYS_S_TYPE);
	return 0;
}

/* ---- Telling ------------------------------------------------------------------------- */

static int one_sided(struct both *t, const char *path, uint32_t mode, bool added)
{
	char key[FS_OVERLAY_IDENTITY_MAX];
	struct one_sided *s = &t->v[t->n];

	*s = (struct one_sided){.path = path, .mode = mode, .added = added};
	if (fs_overlay_identity(added ? t->b : t->a, path, key, sizeof(key), &s->below) < 0)
		return -NACRE_EIO;
	s->identity = strdup(key);
	return s->identity ? (t->n++, 0) : -NACRE_ENOMEM;
}

/* What both have is told at once; what one has is kept until all of it is known. */
static int look_at(struct both *t, const char *path)
{
	struct fs_walk a, b;
	nacre_change c = {.path = path};
	bool same = true;
	int e = t->a->ops->walk(t->a, path, &a);

	if (e == 0)
		e = t->b->ops->walk(t->b, path, &b);
	if (e < 0)
		return e;
	c.old_mode = a.end == FS_WALK_FOUND ? a.st.mode : 0;
	c.new_mode = b.end == FS_WALK_FOUND ? b.st.mode : 0;
	if (!c.old_mode || !c.new_mode || (c.old_mode & SYS_S_TYPE) != (c.new_mode & SYS_S_TYPE)) {
		e = c.old_mode ? one_sided(t, path, c.old_mode, false) : 0;
		return e == 0 && c.new_mode ? one_sided(t, path, c.new_mode, true) : e;
	}
	e = compare_content(t, path, &a.st, path, &b.st, &same);
	if (e < 0 || (same && c.old_mode == c.new_mode))
		return e;
	c.kind = same ? NACRE_CHANGE_MODE : NACRE_CHANGE_MODIFIED;
	c.content = !same;
	return moves_add(&t->moves, &c, 0, 0, false);
}

static int by_identity(const void *a, const void *b)
{
	const struct one_sided *x = a, *y = b;
	int c = strcmp(x->identity, y->identity);

	if (c == 0)
		c = (int)x->added - (int)y->added;
	return c ? c : strcmp(x->path, y->path);
}

/* One of several names of a file that came: as the file was at the first name that is gone. */
static int tell_added(struct both *t, const struct one_sided *s, const struct one_sided *gone, uint64_t file)
{
	nacre_change c = {.kind = NACRE_CHANGE_ADDED, .path = s->path, .new_mode = s->mode, .content = true};
	bool was = gone && (gone->mode & SYS_S_TYPE) == (s->mode & SYS_S_TYPE), same = true;
	struct fs_walk a, b;
	int e = was ? t->a->ops->walk(t->a, gone->path, &a) : 0;

	if (e == 0 && was)
		e = t->b->ops->walk(t->b, s->path, &b);
	if (e == 0 && was)
		e = compare_content(t, gone->path, &a.st, s->path, &b.st, &same);
	return e < 0 ? e : moves_add(&t->moves, &c, file, was ? gone->mode : 0, !same);
}

static int tell_one_sided(struct both *t)
{
	const struct one_sided *gone = NULL;
	uint64_t file = 0;
	int e = 0;

	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_identity);
	for (size_t i = 0; i < t->n && e == 0; i++) {
		const struct one_sided *s = &t->v[i];
		const nacre_change c = {.kind = NACRE_CHANGE_DELETED, .path = s->path, .old_mode = s->mode};

		if (i == 0 || !streq(t->v[i - 1].identity, s->identity)) {
			file++;
			gone = s->added ? NULL : s;
		}
		e = s->added ? tell_added(t, s, gone, file) : moves_add(&t->moves, &c, file, 0, false);
	}
	return e;
}

int overlays_compare(struct changes_list *out, struct fs *a, struct fs *b, struct quota *q)
{
	struct both t = {.a = a, .b = b, .q = q, .moves = {.out = out}};
	int e = collect(&t);

	t.v = e == 0 ? calloc(2 * t.paths.n + 1, sizeof(*t.v)) : NULL;
	if (e == 0 && !t.v)
		e = -NACRE_ENOMEM;
	for (size_t i = 0; i < t.paths.n && e == 0; i++)
		e = look_at(&t, t.paths.v[i].s);
	if (e == 0)
		e = tell_one_sided(&t);
	if (e == 0)
		e = moves_settle(&t.moves);
	moves_release(&t.moves);
	for (size_t i = 0; i < t.n; i++)
		free(t.v[i].identity);
	for (size_t i = 0; i < t.paths.n; i++)
		free(t.paths.v[i].s);
	free(t.v);
	free(t.paths.v);
	return e;
}
