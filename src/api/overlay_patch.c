/* overlay_patch.c - what overlays change as a patch in git's format. */
#include "overlay.h"

#include <stdlib.h>

#define FILE_MAX_SIZE ((int64_t)64 << 20) /* larger ones are "binary" */

/* One change of a file; paths below and in the overlay, NULL where there is none. */
struct item {
	char *old, *new;
	uint32_t old_mode, new_mode;
	bool content;
};

struct patch {
	struct api_text *out;
	struct api_overlay o;
	struct quota *q;
	struct item *v;
	size_t n, cap;
	char **told; /* new paths of what the overlay tells of itself, in order */
	size_t n_told;
};

static bool is_dir(uint32_t mode)
{
	return (mode & SYS_S_TYPE) == SYS_S_DIR;
}

/* ---- Collecting ---------------------------------------------------------------- */

static int add_item(struct patch *p, const char *old, const char *new, uint32_t old_mode, uint32_t new_mode, bool content)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 64;
		struct item *v = realloc(p->v, cap * sizeof(*v));

		if (!v)
			return -NACRE_ENOMEM;
		p->v = v;
		p->cap = cap;
	}
	p->v[p->n] = (struct item){old ? strdup(old) : NULL, new ? strdup(new) : NULL, old_mode, new_mode, content};
	p->n++;
	return (old && !p->v[p->n - 1].old) || (new &&!p->v[p->n - 1].new) ? -NACRE_ENOMEM : 0;
}

/* Two paths that go down side by side. */
struct pair {
	char old[SYS_PATH_MAX], new[SYS_PATH_MAX];
};

static bool descend(char *path, size_t *len, const struct sys_dirent *e)
{
	size_t n = strlen(path);

	*len = n;
	if (n + 1 + e->len >= SYS_PATH_MAX)
		return false;
	path[n] = '/';
	memcpy(path + n + 1, e->name, e->len);
	path[n + 1 + e->len] = '\0';
	return true;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_told(const struct patch *p, const char *path)
{
	return p->n_told && bsearch(&path, p->told, p->n_told, sizeof(*p->told), by_text);
}

/* The files in a renamed directory that are not changed themselves: renamed one by one. */
static int add_renamed(struct patch *p, struct pair *at)
{
	struct sys_dirent e;
	struct file *f;
	int got = p->o.fs->ops->open(p->o.fs, at->new, SYS_O_READ | SYS_O_DIRECTORY, 0, p->q, &f);

	if (got < 0)
		return got;
	while ((got = f->ops->readdir(f, &e)) > 0) {
		struct fs_walk old, new;
		size_t a, b;

		if (!descend(at->new, &b, &e) || !descend(at->old, &a, &e)) {
			got = -NACRE_ENAMETOOLONG;
			break;
		}
		got = p->o.fs->ops->walk(p->o.fs, at->new, &new);
		if (got == 0)
			got = p->o.below->ops->walk(p->o.below, at->old, &old);
		if (got == 0 && new.end == FS_WALK_FOUND && old.end == FS_WALK_FOUND && !is_told(p, at->new)) {
			if (is_dir(new.st.mode) && is_dir(old.st.mode))
				got = add_renamed(p, at);
			else if (!is_dir(new.st.mode) && !is_dir(old.st.mode))
				got = add_item(p, at->old, at->new, old.st.mode, new.st.mode, false);
		}
		at->new[b] = at->old[a] = '\0';
		if (got < 0)
			break;
	}
	file_put(f);
	return got;
}

static int note(void *ctx, const struct overlay_change *c)
{
	struct patch *p = ctx;
	bool gone = c->kind == OVERLAY_DELETED;

	if (c->kind == OVERLAY_TOUCHED)
		return 0;
	return add_item(p, c->kind == OVERLAY_ADDED ? NULL : c->below, gone ? NULL : c->path, c->old_mode, c->new_mode,
			c->content || gone || c->kind == OVERLAY_ADDED);
}

static int expand(struct patch *p)
{
	struct pair *at = malloc(sizeof(*at));
	size_t told = p->n;
	int e = 0;

	p->told = malloc((told + 1) * sizeof(*p->told));
	p->n_told = 0;
	if (!at || !p->told)
		e = -NACRE_ENOMEM;
	for (size_t i = 0; i < told && e == 0; i++)
		if (p->v[i].new)
			p->told[p->n_told++] = p->v[i].new;
	if (p->n_told)
		qsort(p->told, p->n_told, sizeof(*p->told), by_text);
	for (size_t i = 0; i < told && e >= 0; i++) {
		const struct item *it = &p->v[i];

		if (!it->old || !it->new || !is_dir(it->new_mode) || streq(it->old, it->new))
			continue;
		memcpy(at->old, it->old, strlen(it->old) + 1);
		memcpy(at->new, it->new, strlen(it->new) + 1);
		e = add_renamed(p, at);
	}
	free(p->told);
	free(at);
	return MIN(e, 0);
}

/* ---- Printing --------------------------------------------------------------------- */

/* A file's text, or a link's. NULL: too large for one, or -E in *err. */
static char *text_of(struct patch *p, struct fs *fs, const char *path, uint32_t mode, size_t *len, int *err)
{
	struct fs_walk w;
	struct file *f;
	int64_t got = 1;
	char *s;

	*len = 0;
	*err = fs->ops->walk(fs, path, &w);
	if (*err || w.end != FS_WALK_FOUND || w.st.size > FILE_MAX_SIZE)
		return NULL;
	s = malloc((size_t)MAX(w.st.size, FS_LINK_MAX) + 1);
	if (!s) {
		*err = -NACRE_ENOMEM;
		return NULL;
	}
	if ((mode & SYS_S_TYPE) == SYS_S_LINK) {
		got = fs->ops->readlink(fs, path, s, FS_LINK_MAX);
		*len = got > 0 ? (size_t)got : 0;
	} else if ((mode & SYS_S_TYPE) == SYS_S_FILE) {
		*err = fs->ops->open(fs, path, SYS_O_READ, 0, p->q, &f);
		while (!*err && got > 0 && *len < (size_t)w.st.size) {
			got = f->ops->read(f, s + *len, (size_t)w.st.size - *len, (int64_t)*len);
			*len += got > 0 ? (size_t)got : 0;
		}
		if (!*err)
			file_put(f);
	}
	*err = got < 0 ? (int)got : *err;
	if (*err) {
		free(s);
		return NULL;
	}
	return s;
}

/* A path as git writes it: in quotes when it has bytes that are not plain. */
static void put_path(struct api_text *out, const char *prefix, const char *path)
{
	bool plain = true;

	for (const unsigned char *s = (const unsigned char *)path; *s; s++)
		plain = plain && *s >= 0x20 && *s < 0x7f && *s != '"' && *s != '\\';
	if (plain) {
		api_text_format(out, "%s", prefix);
		api_text_str(out, path);
		return;
	}
	api_text_format(out, "\"%s", prefix);
	for (const unsigned char *s = (const unsigned char *)path; *s; s++) {
		if (*s == '"' || *s == '\\')
			api_text_format(out, "\\%c", *s);
		else if (*s < 0x20 || *s >= 0x7f)
			api_text_format(out, "\\%03o", *s);
		else
			api_text_add(out, (const char *)s, 1);
	}
	api_text_str(out, "\"");
}

static unsigned git_mode(uint32_t mode)
{
	return (mode & SYS_S_TYPE) == SYS_S_LINK ? 0120000u : mode & 0100 ? 0100755u : 0100644u;
}

static void put_header(struct api_text *out, const struct item *it)
{
	const char *a = it->old ? it->old : it->new, *b = it->new ? it->new : it->old;

	api_text_str(out, "diff --git ");
	put_path(out, "a/", a);
	api_text_str(out, " ");
	put_path(out, "b/", b);
	api_text_str(out, "\n");
	if (!it->old)
		api_text_format(out, "new file mode %o\n", git_mode(it->new_mode));
	else if (!it->new)
		api_text_format(out, "deleted file mode %o\n", git_mode(it->old_mode));
	else if (git_mode(it->old_mode) != git_mode(it->new_mode))
		api_text_format(out, "old mode %o\nnew mode %o\n", git_mode(it->old_mode), git_mode(it->new_mode));
	if (it->old && it->new &&!streq(it->old, it->new)) {
		api_text_str(out, "rename from ");
		put_path(out, "", it->old);
		api_text_str(out, "\nrename to ");
		put_path(out, "", it->new);
		api_text_str(out, "\n");
	}
}

static bool is_binary(const char *s, size_t n)
{
	return !s || memchr(s, '\0', MIN(n, (size_t)8000)) != NULL;
}

static void put_name(struct api_text *out, const char *prefix, const char *path)
{
	if (path)
		put_path(out, prefix, path);
	else
		api_text_str(out, "/dev/null");
}

/* The lines above the hunks. A tab ends a name with spaces, for patch. */
static void put_names(struct api_text *out, const struct item *it)
{
	api_text_str(out, "--- ");
	put_name(out, "a/", it->old);
	api_text_str(out, it->old && strchr(it->old, ' ') ? "\t\n+++ " : "\n+++ ");
	put_name(out, "b/", it->new);
	api_text_str(out, it->new && strchr(it->new, ' ') ? "\t\n" : "\n");
}

static int put_item(struct patch *p, const struct item *it)
{
	char *a = NULL, *b = NULL;
	size_t an = 0, bn = 0;
	int e = 0;

	if (is_dir(it->old ? it->old_mode : it->new_mode))
		return 0;
	if (!it->content && streq(it->old, it->new) && git_mode(it->old_mode) == git_mode(it->new_mode))
		return 0;
	put_header(p->out, it);
	if (!it->content)
		return p->out->err;
	if (it->old)
		a = text_of(p, p->o.below, it->old, it->old_mode, &an, &e);
	if (e == 0 && it->new)
		b = text_of(p, p->o.fs, it->new, it->new_mode, &bn, &e);
	if (e == 0 && ((it->old && is_binary(a, an)) || (it->new &&is_binary(b, bn)))) {
		api_text_str(p->out, "Binary files ");
		put_name(p->out, "a/", it->old);
		api_text_str(p->out, " and ");
		put_name(p->out, "b/", it->new);
		api_text_str(p->out, " differ\n");
	} else if (e == 0 && (an || bn)) {
		put_names(p->out, it);
		linediff(p->out, a ? a : "", an, b ? b : "", bn);
	}
	free(a);
	free(b);
	return e ? e : p->out->err;
}

static int by_name(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	int c = strcmp(x->new ? x->new : x->old, y->new ? y->new : y->old);

	/* Of another kind now: taken away first, then made. */
	return c ? c : (x->new != NULL) - (y->new != NULL);
}

static int put_all(struct patch *p)
{
	int e = fs_overlay_changes(p->o.fs, note, p);

	if (e == 0)
		e = expand(p);
	if (e == 0 && p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_name);
	for (size_t i = 0; i < p->n && e == 0; i++)
		e = put_item(p, &p->v[i]);
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].old);
		free(p->v[i].new);
	}
	free(p->v);
	return e;
}

int nacre_overlay_diff(char **text, size_t *len, nacre_sandbox *sb, const char *at)
{
	struct api_text out = {.s = NULL};
	struct patch p;
	size_t i = 0;
	int e;

	*text = NULL;
	*len = 0;
	p = (struct patch){.out = &out, .q = runtime_quota(sb->rt->kernel)};
	api_text_str(&out, "");
	while ((e = overlay_next(sb, at, &i, &p.o)) > 0) {
		p.v = NULL;
		p.n = p.cap = 0;
		e = put_all(&p);
		if (e < 0) {
			runtime_fail(sb->rt, e, "cannot compare what is at %s: %s", p.o.at, errno_text(e));
			break;
		}
	}
	if (e == 0 && out.err)
		e = runtime_fail(sb->rt, out.err, "%s", errno_text(out.err));
	if (e < 0) {
		free(out.s);
		return e;
	}
	*text = out.s;
	*len = out.len;
	return 0;
}
