/* objects.c - an object store as a filesystem: what is at a path, and what changes names. */
#include "objects.h"

#include <stdlib.h>

#define PAGE 1000u
#define KEPT_MAX 4096u

/* "dir/", what the keys in a directory begin with; "" for the root; malloc. On the heap: procs have small stacks. */
char *objects_with_slash(const char *path)
{
	size_t n = strlen(path);
	char *s = malloc(n + 2);

	if (s) {
		memcpy(s, path, n + 1);
		if (n)
			memcpy(s + n, "/", 2);
	}
	return s;
}

/* Makes, or with `new` unless it is there, the object that stands for a directory. */
int objects_put_marker(struct objectfs *o, const char *path, bool new)
{
	nacre_object now = {.size_of = sizeof(now)};
	char *marker = objects_with_slash(path);
	int e = marker ? objects_put(o, marker, "", 0, NULL, new, &now) : -NACRE_ENOMEM;

	free(marker);
	return e;
}

/* ---- What was listed, and directories that stay --------------------------------------------- */

void objects_forget_listing(struct objectfs *o)
{
	if (o->listing)
		userfs_op_put(o->listing);
	o->listing = NULL;
}

static int64_t now_ns(const struct objectfs *o)
{
	return o->u.rt->port->clock(o->u.rt->port, PORT_CLOCK_MONO);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->s, ((const struct name *)b)->s);
}

/* The name of `path` in the last listing, which is that of its directory and still good; NULL: not there. */
static const struct name *listed(struct objectfs *o, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash - path) : 0;
	const struct name key = {.s = (char *)(uintptr_t)(slash ? slash + 1 : path)};

	if (!o->listing || strlen(o->listing->a) != dir || memcmp(o->listing->a, path, dir) != 0 || !o->listing->nnames)
		return NULL;
	if (now_ns(o) >= o->listing_until) {
		objects_forget_listing(o);
		return NULL;
	}
	return bsearch(&key, o->listing->names, o->listing->nnames, sizeof(key), by_name);
}

static struct kept **kept_at(struct objectfs *o, const char *path, size_t len)
{
	struct kept **k = &o->kept;

	while (*k && (strlen((*k)->path) != len || memcmp((*k)->path, path, len) != 0))
		k = &(*k)->next;
	return k;
}

bool objects_is_kept(struct objectfs *o, const char *path)
{
	return *kept_at(o, path, strlen(path)) != NULL;
}

void objects_forget_kept(struct objectfs *o, const char *path)
{
	struct kept **at = kept_at(o, path, strlen(path)), *k = *at;

	if (k) {
		*at = k->next;
		o->nkept--;
		free(k);
	}
}

/* The directory of what was removed has to stay. */
int objects_keep_parent(struct objectfs *o, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	struct kept *k;
	char *dir;
	int e;

	if (n == 0 || *kept_at(o, path, n))
		return 0;
	k = o->nkept < KEPT_MAX ? malloc(sizeof(*k) + n + 1) : NULL;
	if (k) {
		memcpy(k->path, path, n);
		k->path[n] = '\0';
		k->next = o->kept;
		o->kept = k;
		o->nkept++;
		return 0;
	}
	dir = strndup(path, n);
	e = dir ? objects_put_marker(o, dir, true) : -NACRE_ENOMEM;
	free(dir);
	return e == -NACRE_EEXIST ? 0 : e;
}

/* ---- What is at a path ------------------------------------------------------------------------ */

int objects_check_names(const char *path)
{
	for (const char *s = path; *s; s += strcspn(s, "/"), s += *s == '/')
		if (strcspn(s, "/") > FS_NAME_MAX)
			return -NACRE_ENAMETOOLONG;
	return strlen(path) < SYS_PATH_MAX - 1 ? 0 : -NACRE_ENAMETOOLONG;
}

/* The keys below a directory, one page: how many there are, at most `most` of interest. */
int objects_look_below(struct objectfs *o, const char *path, unsigned most, nacre_fs_op **out)
{
	nacre_fs_op *list = userfs_op(&o->u, OP_LIST, path, NULL, 0);
	char *prefix = objects_with_slash(path);
	int e = list && prefix ? 0 : -NACRE_ENOMEM;

	*out = NULL;
	/* A page may be empty and yet not the last one. */
	while (e == 0) {
		e = objects_page(o, prefix, false, MIN(most, PAGE), list);
		if (!list->cursor || list->nnames >= most)
			break;
	}
	free(prefix);
	if (e == 0)
		*out = list;
	else if (list)
		userfs_op_put(list);
	return e;
}

/* 1: it is a directory; 0: not. */
static int is_dir(struct objectfs *o, const char *path)
{
	nacre_fs_op *list;
	int e;

	if (!*path || *kept_at(o, path, strlen(path)))
		return 1;
	e = objects_look_below(o, path, 1, &list);
	if (e == 0) {
		e = list->nnames > 0;
		userfs_op_put(list);
	}
	return e;
}

/* The object that is the file at `path`, as it is or will be. -NACRE_ENOENT: there is none. */
int objects_find_file(struct objectfs *o, const char *path, nacre_object *now)
{
	const struct node *n = node_unsaved(o, path);

	*now = (nacre_object){.size_of = sizeof(*now)};
	if (!*path)
		return -NACRE_ENOENT;
	if (!n)
		return objects_head(o, path, now);
	now->size = n->size;
	now->mtime_ns = n->mtime_ns;
	memcpy(now->etag, n->etag, sizeof(now->etag));
	return 0;
}

static void fill(const struct objectfs *o, const char *path, bool dir, int64_t size, int64_t mtime_ns, struct sys_stat *st)
{
	int64_t ns = dir ? o->made_ns : mtime_ns;
	struct sys_time t = {ns / 1000000000, (int32_t)(ns % 1000000000)};

	*st = (struct sys_stat){.dev = o->u.fs.dev, .ino = userfs_ino(path), .nlink = 1, .uid = FS_UID, .gid = FS_GID, .size = size,
				.blksize = 4096, .blocks = (size + 511) / 512, .atime = t, .mtime = t, .ctime = t, .btime = t};
	st->mode = (dir ? SYS_S_DIR | 0755 : SYS_S_FILE | 0644) & (o->store.read_only ? ~0222u : ~0u);
}

/* -NACRE_ENOENT: neither a file nor a directory. */
int objects_stat(struct objectfs *o, const char *path, struct sys_stat *st)
{
	const struct name *n = node_unsaved(o, path) ? NULL : listed(o, path);
	nacre_object now;
	int e;

	if (n && (n->type == SYS_S_DIR || n->size >= 0)) {
		fill(o, path, n->type == SYS_S_DIR, MAX(n->size, 0), n->mtime_ns, st);
		return 0;
	}
	e = objects_find_file(o, path, &now);
	if (e == 0)
		fill(o, path, false, now.size, now.mtime_ns, st);
	if (e != -NACRE_ENOENT)
		return e;
	e = is_dir(o, path);
	if (e == 1)
		fill(o, path, true, 0, 0, st);
	return e < 0 ? e : e ? 0 : -NACRE_ENOENT;
}

/* Which component of a path that is not there is in the way: looked for from its end, where it usually is. */
static int find_stop(struct objectfs *o, const char *path, struct fs_walk *w)
{
	char prefix[SYS_PATH_MAX];
	nacre_object now;
	size_t to = strlen(path);

	memcpy(prefix, path, to + 1);
	for (;;) {
		const char *slash;
		int e;

		prefix[to] = '\0';
		slash = strrchr(prefix, '/');
		w->from = slash ? (size_t)(slash - prefix) + 1 : 0;
		w->to = to;
		w->end = FS_WALK_MISSING;
		if (!slash)
			return 0;
		to = (size_t)(slash - prefix);
		prefix[to] = '\0';
		e = is_dir(o, prefix);
		if (e)
			return MIN(e, 0);
		e = objects_find_file(o, prefix, &now);
		if (e == 0) {
			w->from = (slash = strrchr(prefix, '/')) ? (size_t)(slash - prefix) + 1 : 0;
			w->to = to;
			w->end = FS_WALK_NOTDIR;
		}
		if (e != -NACRE_ENOENT)
			return e;
	}
}

static int object_walk(struct fs *fs, const char *path, struct fs_walk *w)
{
	struct objectfs *o = objects_of(fs);
	int e = objects_check_names(path);

	w->from = w->to = 0;
	w->end = FS_WALK_FOUND;
	if (e == 0)
		e = objects_stat(o, path, &w->st);
	return e == -NACRE_ENOENT ? find_stop(o, path, w) : e;
}

/* ---- Listing ---------------------------------------------------------------------------------- */

/* What a key below a directory is there; false: nothing that could be shown. */
static bool as_name(struct name *n)
{
	size_t len = strcspn(n->s, "/");

	if (n->s[len]) {
		n->s[len] = '\0';
		n->type = SYS_S_DIR;
	}
	return len > 0 && len <= FS_NAME_MAX && !streq(n->s, ".") && !streq(n->s, "..");
}

static int by_name_and_type(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int c = strcmp(x->s, y->s);

	return c ? c : (x->type == SYS_S_DIR) - (y->type == SYS_S_DIR);
}

/* Sorted, each name once; a file hides a directory of its name. */
static void tidy(nacre_fs_op *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->nnames; i++) {
		if (as_name(&list->names[i]))
			list->names[n++] = list->names[i];
		else
			free(list->names[i].s);
	}
	list->nnames = n;
	if (n)
		qsort(list->names, n, sizeof(*list->names), by_name_and_type);
	n = 0;
	for (size_t i = 0; i < list->nnames; i++) {
		if (n && streq(list->names[n - 1].s, list->names[i].s))
			free(list->names[i].s);
		else
			list->names[n++] = list->names[i];
	}
	list->nnames = n;
}

static int add_kept(struct objectfs *o, const char *path, nacre_fs_op *list)
{
	size_t n = strlen(path);
	int e = 0;

	for (const struct kept *k = o->kept; k && e == 0; k = k->next) {
		const char *name = strrchr(k->path, '/');
		size_t dir = name ? (size_t)(name - k->path) : 0;

		if (dir == n && memcmp(k->path, path, n) == 0)
			e = userfs_add_name(list, k->path + dir + (n > 0), strlen(k->path + dir + (n > 0)), SYS_S_DIR, NULL);
	}
	return e;
}

int64_t objects_list(struct userfs *u, const char *path, nacre_fs_op *list)
{
	struct objectfs *o = CONTAINER_OF(u, struct objectfs, u);
	char *prefix = objects_with_slash(path);
	int e;

	do
		e = prefix ? objects_page(o, prefix, true, PAGE, list) : -NACRE_ENOMEM;
	while (e == 0 && list->cursor);
	free(prefix);
	if (e == 0)
		e = add_kept(o, path, list);
	if (e < 0)
		return e;
	tidy(list);
	if (o->store.list_ttl_ns > 0) {
		objects_forget_listing(o);
		atomic_fetch_add_explicit(&list->refs, 1, memory_order_relaxed);
		o->listing = list;
		if (__builtin_add_overflow(now_ns(o), o->store.list_ttl_ns, &o->listing_until))
			o->listing_until = INT64_MAX;
	}
	return 0;
}

/* ---- Opening ------------------------------------------------------------------------------------ */

static int open_found(struct objectfs *o, const char *path, unsigned flags, const nacre_object *now, struct quota *q, struct file **out)
{
	struct node *n;
	int e = (flags & SYS_O_CREATE) && (flags & SYS_O_EXCL) ? -NACRE_EEXIST : flags & SYS_O_DIRECTORY ? -NACRE_ENOTDIR : 0;

	if (e < 0)
		return e;
	n = node_open(o, path, now, q);
	if (!n)
		return -NACRE_ENOMEM;
	if (flags & SYS_O_TRUNC)
		e = node_truncate(n, 0);
	if (e == 0)
		e = objects_open_node(n, flags, q, out);
	if (e < 0)
		node_put(n);
	return e;
}

/* Nothing is there: 1 after it was made, 0 when somebody else was first. */
static int create(struct objectfs *o, const char *path, unsigned flags, nacre_object *now)
{
	struct fs_walk w;
	int e = find_stop(o, path, &w);

	if (e == 0)
		e = w.end == FS_WALK_NOTDIR ? -NACRE_ENOTDIR : path[w.to] || !(flags & SYS_O_CREATE) ? -NACRE_ENOENT : 0;
	if (e < 0)
		return e;
	objects_forget_listing(o);
	*now = (nacre_object){.size_of = sizeof(*now)};
	e = objects_put(o, path, "", 0, NULL, true, now);
	now->size = 0;
	return e == 0 ? 1 : e == -NACRE_EEXIST && !(flags & SYS_O_EXCL) ? 0 : e;
}

static int object_open(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q, struct file **out)
{
	struct objectfs *o = objects_of(fs);
	nacre_object now;
	int e = objects_check_names(path);

	(void)mode;
	for (int tries = 0; e == 0 && tries < 3; tries++) {
		e = objects_find_file(o, path, &now);
		if (e == 0)
			return open_found(o, path, flags, &now, q, out);
		if (e != -NACRE_ENOENT)
			return e;
		e = is_dir(o, path);
		if (e == 1)
			return flags & SYS_O_CREATE && flags & SYS_O_EXCL ? -NACRE_EEXIST :
			       flags & (SYS_O_WRITE | SYS_O_TRUNC | SYS_O_CREATE) ? -NACRE_EISDIR : userfs_open_dir(&o->u, path, q, out);
		if (e == 0)
			e = create(o, path, flags, &now);
		if (e == 1)
			return open_found(o, path, flags & ~(unsigned)(SYS_O_CREATE | SYS_O_EXCL | SYS_O_TRUNC), &now, q, out);
	}
	return e < 0 ? e : -NACRE_EAGAIN;
}

/* ---- Attributes ----------------------------------------------------------------------------------- */

static int object_link(struct fs *fs, const char *from, const char *to)
{
	(void)fs, (void)from, (void)to;
	return -NACRE_EPERM;
}

static int object_mkfifo(struct fs *fs, const char *path, unsigned mode)
{
	(void)mode;
	return object_link(fs, path, path);
}

static int64_t object_readlink(struct fs *fs, const char *path, char *buf, size_t n)
{
	(void)fs, (void)path, (void)buf, (void)n;
	return -NACRE_EINVAL;
}

static int object_chmod(struct fs *fs, const char *path, unsigned mode)
{
	struct objectfs *o = objects_of(fs);
	struct sys_stat st;
	int e = objects_stat(o, path, &st);

	return e ? e : (st.mode & 07777) == (mode & 07777) ? 0 : -NACRE_EPERM;
}

static int object_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid)
{
	(void)fs, (void)path;
	return (uid < 0 || uid == FS_UID) && (gid < 0 || gid == FS_GID) ? 0 : -NACRE_EPERM;
}

/* The only time an object can be given is that of now: by copying it onto itself. */
static int object_utimes(struct fs *fs, const char *path, const struct sys_time t[2])
{
	struct objectfs *o = objects_of(fs);
	nacre_object now;
	int e = objects_may_change(o, path);

	if (e < 0)
		return e;
	if ((t[0].nsec != SYS_TIME_NOW && t[0].nsec != SYS_TIME_OMIT) || (t[1].nsec != SYS_TIME_NOW && t[1].nsec != SYS_TIME_OMIT))
		return -NACRE_EPERM;
	if (t[1].nsec == SYS_TIME_OMIT || node_unsaved(o, path))
		return 0;
	e = objects_find_file(o, path, &now);
	if (e == 0) {
		nacre_object was = now;

		e = objects_copy(o, path, path, was.etag, &now);
		if (e == 0)
			nodes_renamed(o, path, path, &now);
	}
	return e == -NACRE_ENOENT && is_dir(o, path) == 1 ? -NACRE_EPERM : e;
}

static int object_truncate(struct fs *fs, const char *path, int64_t size)
{
	struct objectfs *o = objects_of(fs);
	struct file *f;
	int e, saved;

	objects_forget_listing(o);
	e = object_open(fs, path, SYS_O_WRITE, 0, runtime_quota(o->u.rt->kernel), &f);
	if (e < 0)
		return e;
	e = f->ops->truncate(f, size);
	saved = f->ops->flush(f);
	file_put(f);
	return e ? e : saved;
}

static void object_free(struct fs *fs)
{
	struct objectfs *o = objects_of(fs);

	objects_forget_listing(o);
	while (o->kept)
		objects_forget_kept(o, o->kept->path);
	free(o->prefix);
	kfree(runtime_quota(o->u.rt->kernel), o, sizeof(*o));
}

static const struct fs_ops object_fs_ops = {
	.type = "objectfs", .walk = object_walk, .readlink = object_readlink, .open = object_open, .mkdir = objects_mkdir,
	.rmdir = objects_rmdir, .unlink = objects_unlink, .rename = objects_rename, .link = object_link, .symlink = object_link,
	.mkfifo = object_mkfifo, .chmod = object_chmod, .chown = object_chown, .utimes = object_utimes, .truncate = object_truncate,
	.free = object_free,
};

int objects_new(nacre_runtime *rt, const nacre_object_store *store, bool read_only, struct fs **out)
{
	struct objectfs *o = kzalloc(runtime_quota(rt->kernel), sizeof(*o));

	if (!o)
		return -NACRE_ENOMEM;
	o->prefix = strdup(store->prefix);
	if (!o->prefix) {
		kfree(runtime_quota(rt->kernel), o, sizeof(*o));
		return -NACRE_ENOMEM;
	}
	o->store = *store;
	o->u = (struct userfs){.fs = {.ops = &object_fs_ops, .refs = 1}, .rt = rt, .store = &o->store};
	o->u.fs.sealed = read_only ? -NACRE_EROFS : store->read_only ? -NACRE_EACCES : 0;
	o->u.table = (nacre_filesystem){.payload = store->payload, .abort = store->abort};
	o->made_ns = rt->port->clock(rt->port, PORT_CLOCK_REAL);
	*out = &o->u.fs;
	return 0;
}
