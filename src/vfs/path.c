/*
 * path.c - path resolution in one pass.
 *
 * `path` is the resolved prefix; `rest` is the text still to be read. Plain components are appended
 * up to the next "." or "..", or the end, and the filesystem that owns the result walks all of them
 * in one call; when it meets a link, the link's text and what follows it become the new rest.
 */
#include "path.h"

#include "../abi/errno.h"

/* One resolution under way. */
struct walk {
	const struct vfs_who *w;
	struct place *p;
	const char *rest;
	unsigned how;
	size_t seg_start;     /* of the components appended last: their place in path */
	const char *seg_rest; /* and where their text began */
	bool too_long;        /* the component at rest, or path with it */
};

/* ---- The path's text ------------------------------------------------------------------ */

static void init(struct place *p, struct quota *q)
{
	p->path = p->inside;
	p->cap = sizeof(p->inside);
	p->len = 0;
	p->quota = q;
	p->text = NULL;
	p->text_size = 0;
	p->mount = NULL;
	p->fs = NULL;
	p->rel = NULL;
	p->found = p->synthetic = p->parent_synthetic = p->slash = p->moved = p->sealed = false;
	p->last = PLACE_ROOT;
	p->links = 0;
}

void place_release(struct place *p)
{
	if (p->path != p->inside)
		kfree(p->quota, p->path, p->cap);
	kfree(p->quota, p->text, p->text_size);
	p->path = p->inside;
	p->text = NULL;
}

static int reserve(struct place *p, size_t len)
{
	char *grown;

	if (len < p->cap)
		return 0;
	if (len >= SYS_PATH_MAX)
		return -NACRE_ENAMETOOLONG;
	grown = kalloc(p->quota, SYS_PATH_MAX);
	if (!grown)
		return -NACRE_ENOMEM;
	memcpy(grown, p->path, p->len + 1); /* happens once: from inside to the longest */
	p->path = grown;
	p->cap = SYS_PATH_MAX;
	return 0;
}

static void set_root(struct place *p)
{
	p->path[0] = '/';
	p->path[1] = '\0';
	p->len = 1;
}

static int append(struct place *p, const char *name, size_t n)
{
	size_t slash = p->len > 1;
	int err = reserve(p, p->len + slash + n);

	if (err)
		return err;
	if (slash)
		p->path[p->len++] = '/';
	memcpy(p->path + p->len, name, n);
	p->len += n;
	p->path[p->len] = '\0';
	return 0;
}

static void pop(struct place *p)
{
	while (p->len > 1 && p->path[--p->len] != '/')
		;
	p->path[p->len] = '\0';
}

static int begin(const struct vfs_who *w, const char *path, struct place *p)
{
	init(p, w->quota);
	if (!*path)
		return -NACRE_ENOENT;
	if (!memchr(path, '\0', SYS_PATH_MAX))
		return -NACRE_ENAMETOOLONG;
	set_root(p);
	return *path == '/' || streq(w->cwd, "/") ? 0 : append(p, w->cwd + 1, strlen(w->cwd + 1));
}

static bool is_dot(const char *s, size_t n)
{
	return n == 1 && s[0] == '.';
}

static bool is_dotdot(const char *s, size_t n)
{
	return n == 2 && s[0] == '.' && s[1] == '.';
}

/* A "." with something after it says nothing: looking that up is what asks for a directory. */
static bool is_idle_dot(const char *s, size_t n)
{
	return is_dot(s, n) && s[n + strspn(s + n, "/")];
}

int place_lexical(const struct vfs_who *w, const char *path, struct place *p, bool *plain)
{
	const char *s = path;
	int err = begin(w, path, p);

	*plain = true;
	while (!err && *s) {
		size_t n;

		s += strspn(s, "/");
		n = strcspn(s, "/");
		if (n == 0)
			*plain = p->len == 1 && *plain;
		else if ((is_dot(s, n) && !is_idle_dot(s, n)) || is_dotdot(s, n))
			*plain = false;
		if (is_dotdot(s, n))
			pop(p);
		else if (n && !is_dot(s, n))
			err = append(p, s, n);
		s += n;
	}
	return err;
}

void place_locate(const struct vfs_who *w, struct place *p)
{
	p->mount = mount_of(w->vfs->mounts, p->path, p->len);
	p->fs = p->mount ? p->mount->fs : w->vfs->root;
	p->rel = p->path + (p->mount ? p->mount->at_len : 0);
	p->rel += *p->rel == '/';
}

void place_synthetic_stat(const char *path, size_t len, struct sys_stat *st)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)path[i]) * 1099511628211u;
	*st = (struct sys_stat){
	        .dev = 4,
	        .ino = h | 1,
	        .mode = SYS_S_DIR | 0755,
	        .nlink = 2,
	        .size = 4096,
	        .blocks = 8,
	        .blksize = 4096,
	};
}

/* ---- Links -------------------------------------------------------------------------------- */

/* Where in the text the component that ends at path[to] ends. */
static const char *text_after(const struct walk *k, size_t to)
{
	const char *s = k->seg_rest;

	/* One component of text for each one of path between seg_start and to. */
	for (size_t at = k->seg_start; at < to;) {
		s += strspn(s, "/");
		while (is_idle_dot(s, strcspn(s, "/"))) {
			s++;
			s += strspn(s, "/");
		}
		s += strcspn(s, "/");
		at += k->p->path[at] == '/';
		at += strcspn(k->p->path + at, "/");
	}
	return s;
}

/* The link that is path[0, to) is replaced by its target, before what follows it. Usually that is
 * in the text; when a component of the cwd has become a link meanwhile it is in path. */
static int follow(struct walk *k, size_t to)
{
	struct place *p = k->p;
	size_t extra = to < k->seg_start ? k->seg_start - to : 0, after_len, size;
	const char *after;
	char saved, *text;
	int64_t n;

	if (p->links++ >= LINKS_MAX)
		return -NACRE_ELOOP;
	after = extra ? k->seg_rest : text_after(k, to);
	after_len = strlen(after);
	size = FS_LINK_MAX + 3 + extra + after_len;
	text = kalloc(p->quota, size);
	if (!text)
		return -NACRE_ENOMEM;
	saved = p->path[to];
	p->path[to] = '\0';
	n = policy_check(k->w->vfs, "readlink", p->path, to, POLICY_READ, true);
	if (!n)
		n = p->fs->ops->readlink(p->fs, p->rel, text, FS_LINK_MAX);
	p->path[to] = saved;
	if (n <= 0) {
		kfree(p->quota, text, size);
		return n ? (int)n : -NACRE_ENOENT;
	}
	if (extra) {
		memcpy(text + n, p->path + to, extra);
		n += (int64_t)extra;
		if (*after)
			text[n++] = '/';
	}
	memcpy(text + n, after, after_len + 1);
	p->len = to;
	p->path[to] = '\0';
	pop(p);
	if (text[0] == '/')
		set_root(p);
	kfree(p->quota, p->text, p->text_size);
	p->text = text;
	p->text_size = size;
	k->rest = text;
	k->seg_start = p->len;
	p->moved = true;
	return 0;
}

/* ---- Walking ------------------------------------------------------------------------------- */

/* Appends plain components. Leaves rest at "." or "..", or at the end (slash says whether "/" came
 * last). */
static int take_segment(struct walk *k)
{
	struct place *p = k->p;
	int err = 0;

	k->seg_start = p->len;
	k->seg_rest = k->rest;
	k->too_long = p->slash = false;
	while (!err) {
		size_t n, slashes = strspn(k->rest, "/");

		n = strcspn(k->rest + slashes, "/");
		if (n == 0) {
			p->slash = slashes > 0 && p->last != PLACE_ROOT;
			k->rest += slashes;
			break;
		}
		k->rest += slashes;
		if (is_idle_dot(k->rest, n)) {
			k->rest += n;
			continue;
		}
		if (is_dot(k->rest, n) || is_dotdot(k->rest, n))
			break;
		err = n > FS_NAME_MAX ? -NACRE_ENAMETOOLONG : append(p, k->rest, n);
		if (err == -NACRE_ENAMETOOLONG) {
			/* It is, if what comes before leads that far. */
			k->too_long = true;
			return 0;
		}
		k->rest += n;
		p->last = PLACE_NORM;
	}
	return err;
}

/* The end of the component that begins after path[at]. */
static size_t next_end(const struct place *p, size_t at)
{
	return at + 1 + strcspn(p->path + at + 1, "/");
}

/* A filesystem has no path[0, to): it may exist for the mounts below it. 1: the whole path does
 * (then it is found); 0: only its last component is missing; -NACRE_ENOENT. */
static int missing(struct walk *k, size_t to)
{
	const struct mount_table *t = k->w->vfs->mounts;
	struct place *p = k->p;

	while (mount_below(t, p->path, to)) {
		p->parent_synthetic = true;
		if (to == p->len)
			return 1;
		to = next_end(p, to);
	}
	return to == p->len && !*k->rest ? 0 : -NACRE_ENOENT;
}

/* ---- Sealed filesystems --------------------------------------------------------------------- */

/* Where there are no links, the rest of the text says where it leads: does it stay in the filesystem that path is in? */
static bool stays(const struct walk *k)
{
	const struct place *p = k->p;
	size_t depth = *p->rel != '\0';

	if (mount_below(k->w->vfs->mounts, p->path, p->mount->at_len))
		return false;
	for (const char *s = p->rel; *s; s++)
		depth += *s == '/';
	for (const char *s = k->rest + strspn(k->rest, "/"); *s; s += strspn(s, "/")) {
		size_t n = strcspn(s, "/");

		if (is_dotdot(s, n) && depth-- == 0)
			return false;
		depth += !is_dot(s, n) && !is_dotdot(s, n);
		s += n;
	}
	return true;
}

/* Nothing of it is looked at: path becomes what the rest of the text says. */
static int refuse_unseen(struct walk *k)
{
	struct place *p = k->p;
	int err = 0;

	while (!err && *(k->rest += strspn(k->rest, "/"))) {
		size_t n = strcspn(k->rest, "/");

		if (is_dotdot(k->rest, n))
			pop(p);
		else if (!is_dot(k->rest, n))
			err = append(p, k->rest, n);
		k->rest += n;
	}
	p->sealed = true;
	return err ? err : p->fs->sealed;
}

/* Walks path as far as it is. 0: found or (at the end) missing; 1: a link was followed, begin
 * again. */
static int look(struct walk *k)
{
	struct place *p = k->p;
	struct fs_walk w;
	size_t base;
	int err;

	place_locate(k->w, p);
	base = (size_t)(p->rel - p->path);
	p->found = p->synthetic = p->parent_synthetic = false;
	if ((k->how & PLACE_CHANGE) && p->mount && p->fs->sealed && stays(k))
		return refuse_unseen(k);
	err = p->fs->ops->walk(p->fs, p->rel, &w);
	if (err)
		return err;
	switch (w.end) {
	case FS_WALK_FOUND:
		p->found = true;
		p->st = w.st;
		return 0;
	case FS_WALK_LINK: err = follow(k, base + w.to); return err ? err : 1;
	case FS_WALK_MISSING:
		err = missing(k, base + w.to);
		if (err == 1) {
			p->found = p->synthetic = true;
			place_synthetic_stat(p->path, p->len, &p->st);
			return 0;
		}
		break;
	case FS_WALK_NOTDIR: err = -NACRE_ENOTDIR; break;
	}
	if (err && (k->how & PLACE_LENIENT)) {
		p->parent_synthetic = false;
		return 0;
	}
	return err;
}

static bool at_end(const struct walk *k)
{
	return !*k->rest;
}

/* Is the link that path ends with to be followed? */
static bool follows_last(const struct walk *k)
{
	if (!at_end(k))
		return true;
	if (k->how & PLACE_PARENT)
		return false;
	if (k->p->slash)
		return !(k->how & PLACE_CREATE);
	return (k->how & PLACE_FOLLOW) != 0;
}

/* Before "." and "..": what path names must be a directory, and unless only names count one that
 * may be searched. */
static int check_search(const struct walk *k, bool names)
{
	struct place *p = k->p;

	if (!p->found)
		return k->how & PLACE_LENIENT ? 0 : -NACRE_ENOENT;
	if ((p->st.mode & SYS_S_TYPE) != SYS_S_DIR)
		return k->how & PLACE_LENIENT ? 0 : -NACRE_ENOTDIR;
	if (p->synthetic || names || !p->fs->ops->access)
		return 0;
	return p->fs->ops->access(p->fs, p->rel, SYS_X_OK);
}

/* What is wrong with the component at rest. */
static int too_long(const struct walk *k)
{
	size_t n = strcspn(k->rest, "/");
	bool last = !k->rest[n + strspn(k->rest + n, "/")];

	return last && k->rest[n] && (k->how & PLACE_CREATE) ? -NACRE_EISDIR : -NACRE_ENAMETOOLONG;
}

/* Takes the "." or ".." at rest. */
static void take_dots(struct walk *k)
{
	struct place *p = k->p;
	size_t n = strcspn(k->rest, "/");

	p->last = n == 1 ? PLACE_DOT : PLACE_DOTDOT;
	if (n == 2)
		pop(p);
	k->rest += n;
	p->moved = true;
}

int place_resolve(const struct vfs_who *w, const char *path, unsigned how, struct place *p)
{
	struct walk k = {.w = w, .p = p, .rest = path, .how = how};
	int err = begin(w, path, p);

	while (!err) {
		err = take_segment(&k);
		if (!err)
			err = look(&k);
		if (err == 1) { /* a link in the middle was followed */
			err = 0;
			continue;
		}
		if (err)
			break;
		if (p->found && (p->st.mode & SYS_S_TYPE) == SYS_S_LINK && follows_last(&k)) {
			err = follow(&k, p->len);
			continue;
		}
		if (at_end(&k))
			break;
		err = check_search(&k, (how & PLACE_NAMES) && !k.too_long);
		if (!err && k.too_long)
			err = too_long(&k);
		else if (!err)
			take_dots(&k);
	}
	if (!err && p->slash && p->found &&
	    !(how & (PLACE_PARENT | PLACE_CREATE | PLACE_LENIENT)) &&
	    (p->st.mode & SYS_S_TYPE) != SYS_S_DIR)
		err = -NACRE_ENOTDIR;
	return err;
}
