/*
 * overlay_places.c - where what is to be renamed below is, while a commit renames.
 *
 * A tree of the names on the ways to those files, each name in one hash table under its directory's
 * number: whether one is at or in a path is asked, and a path renamed with all that is in it, in as
 * many steps as the path has names, however many files are renamed (a script says how many).
 */
#include "overlay_ops.h"

struct ov_place {
	struct ov_place *dir;  /* NULL: the root */
	struct ov_place *next; /* in its bucket */
	uint32_t number;
	uint32_t under; /* files to be renamed that are here or below */
	bool here;
	size_t len;
	char *name;
};

static size_t bucket(const struct ov_places *t, const struct ov_place *dir, const char *name, size_t len)
{
	return mem_name_hash(t->seed + dir->number, name, len) & (t->cap - 1);
}

static struct ov_place *entry(const struct ov_places *t, const struct ov_place *dir, const char *name, size_t len)
{
	struct ov_place *p = t->cap ? t->buckets[bucket(t, dir, name, len)] : NULL;

	while (p && !(p->dir == dir && p->len == len && memcmp(p->name, name, len) == 0))
		p = p->next;
	return p;
}

static struct ov_place *find(const struct ov_places *t, const char *path)
{
	struct ov_place *p = t->root;

	while (p && *path) {
		size_t len = strcspn(path, "/");

		p = entry(t, p, path, len);
		path += len + (path[len] == '/');
	}
	return p;
}

static void enter(struct ov_places *t, struct ov_place *p)
{
	struct ov_place **at = &t->buckets[bucket(t, p->dir, p->name, p->len)];

	p->next = *at;
	*at = p;
}

static void take_out(struct ov_places *t, struct ov_place *p)
{
	struct ov_place **at = &t->buckets[bucket(t, p->dir, p->name, p->len)];

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
}

static void release(struct ov_places *t, struct ov_place *p)
{
	kfree(t->quota, p->name, p->len + 1);
	kfree(t->quota, p, sizeof(*p));
}

static int grow(struct ov_places *t)
{
	size_t cap = t->cap ? t->cap * 2 : 64, old = t->cap;
	struct ov_place **v = kzalloc(t->quota, size_mul(cap, sizeof(*v))), **before = t->buckets;

	if (!v)
		return -NACRE_ENOMEM;
	t->buckets = v;
	t->cap = cap;
	for (size_t k = 0; k < old; k++)
		for (struct ov_place *p = before[k], *next; p; p = next) {
			next = p->next;
			enter(t, p);
		}
	kfree(t->quota, before, old * sizeof(*before));
	return 0;
}

static int set_name(struct ov_places *t, struct ov_place *p, const char *name, size_t len)
{
	char *copy = kalloc(t->quota, len + 1);

	if (!copy)
		return -NACRE_ENOMEM;
	memcpy(copy, name, len);
	copy[len] = '\0';
	kfree(t->quota, p->name, p->len + 1);
	p->name = copy;
	p->len = len;
	return 0;
}

static int make(struct ov_places *t, struct ov_place *dir, const char *name, size_t len, struct ov_place **out)
{
	struct ov_place *p;
	int err = t->n == t->cap ? grow(t) : 0;

	if (err)
		return err;
	p = kzalloc(t->quota, sizeof(*p));
	if (!p)
		return -NACRE_ENOMEM;
	err = set_name(t, p, name, len);
	if (err) {
		kfree(t->quota, p, sizeof(*p));
		return err;
	}
	p->dir = dir;
	p->number = ++t->made;
	t->n++;
	enter(t, p);
	*out = p;
	return 0;
}

/* The first n bytes of a path, made as far as it is missing. */
static int reach(struct ov_places *t, const char *path, size_t n, struct ov_place **out)
{
	struct ov_place *p = t->root;
	const char *end = path + n;
	int err = 0;

	while (!err && path < end) {
		size_t len = MIN(strcspn(path, "/"), (size_t)(end - path));
		struct ov_place *next = entry(t, p, path, len);

		if (!next)
			err = make(t, p, path, len, &next);
		p = next;
		path += len + 1;
	}
	*out = p;
	return err;
}

static void count(struct ov_place *p, uint32_t more)
{
	for (; p; p = p->dir)
		p->under += more;
}

static void discount(struct ov_places *t, struct ov_place *p, uint32_t less)
{
	for (struct ov_place *dir; p; p = dir) {
		dir = p->dir;
		p->under -= less;
		if (p->under || !dir)
			continue;
		take_out(t, p);
		t->n--;
		release(t, p);
	}
}

int ov_places_init(struct ov_places *t, struct overlay *o, const struct ov_moves *m)
{
	struct ov_place *p;
	int err = 0;

	*t = (struct ov_places){.quota = &o->up->store->pool.quota, .seed = o->up->state.seed, .moves = m->n};
	t->root = kzalloc(t->quota, sizeof(*t->root));
	t->of = kzalloc(t->quota, size_mul(m->n, sizeof(struct ov_place *)));
	if (!t->root || (m->n && !t->of))
		return -NACRE_ENOMEM;
	for (size_t k = 0; k < m->n && !err; k++) {
		err = reach(t, m->v[k]->path, m->v[k]->len, &p);
		if (err)
			break;
		p->here = true;
		count(p, 1);
		t->of[k] = p;
	}
	return err;
}

void ov_places_release(struct ov_places *t)
{
	for (size_t k = 0; k < t->cap; k++)
		for (struct ov_place *p = t->buckets[k], *next; p; p = next) {
			next = p->next;
			release(t, p);
		}
	kfree(t->quota, t->buckets, t->cap * sizeof(struct ov_place *));
	kfree(t->quota, t->of, t->moves * sizeof(struct ov_place *));
	kfree(t->quota, t->root, sizeof(*t->root));
}

bool ov_places_at(const struct ov_places *t, const char *path)
{
	const struct ov_place *p = find(t, path);

	return p && p->here;
}

bool ov_places_in(const struct ov_places *t, const char *path)
{
	const struct ov_place *p = find(t, path);

	return p && p->under;
}

int ov_places_rename(struct ov_places *t, const char *from, const char *to)
{
	struct ov_place *p = find(t, from), *old, *dir, *there;
	const char *slash = strrchr(to, '/'), *name = slash ? slash + 1 : to;
	int err;

	if (!p || p == t->root)
		return 0;
	err = reach(t, to, slash ? (size_t)(slash - to) : 0, &dir);
	if (err)
		return err;
	/* Nothing can be there: what was in the way has been set aside. */
	there = entry(t, dir, name, strlen(name));
	if (there)
		return there == p ? 0 : -NACRE_EEXIST;
	take_out(t, p);
	err = set_name(t, p, name, strlen(name));
	old = p->dir;
	p->dir = err ? old : dir;
	enter(t, p);
	if (err)
		return err;
	count(dir, p->under);
	discount(t, old, p->under);
	return 0;
}

int ov_places_path(const struct ov_places *t, size_t move, struct ov_path *out)
{
	const struct ov_place *p = t->of[move];
	char *buf = kalloc(t->quota, SYS_PATH_MAX);
	size_t at = SYS_PATH_MAX;
	int err = buf ? 0 : -NACRE_ENOMEM;

	for (; !err && p->dir; p = p->dir) {
		if (p->len + 1 > at) {
			err = -NACRE_ENAMETOOLONG;
			break;
		}
		if (at < SYS_PATH_MAX)
			buf[--at] = '/';
		at -= p->len;
		memcpy(buf + at, p->name, p->len);
	}
	if (!err)
		err = ov_path_join(out, "", buf + at, SYS_PATH_MAX - at);
	kfree(t->quota, buf, SYS_PATH_MAX);
	return err;
}
