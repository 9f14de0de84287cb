/* moves.c - what was deleted at one path and added at another, as one rename.
 *
 * Two trees are compared path by path; a file that moved is in the list as deleted and as added, with the same number. Here both
 * become one entry. What lies in a directory that moved has moved with it and is told only where something else changed,
 * at its new path, as the list of an overlay's changes has it. */
#include "overlay.h"

#include <stdlib.h>

struct move {
	size_t place;		/* in the list, which is in no order */
	const char *path;	/* of that entry */
	uint64_t file;		/* its number */
	bool added, content;	/* content: added, and another than the file had */
	uint32_t was_mode;	/* added: of the same file in the other tree; 0: it had none */
};

int moves_add(struct moves *m, const nacre_change *c, uint64_t file, uint32_t was_mode, bool content)
{
	struct move *v;

	if (c->kind == NACRE_CHANGE_ADDED || c->kind == NACRE_CHANGE_DELETED) {
		if (m->n == m->cap) {
			size_t cap = m->cap ? m->cap * 2 : 64;

			v = realloc(m->v, cap * sizeof(*v));
			if (!v)
				return -NACRE_ENOMEM;
			m->v = v;
			m->cap = cap;
		}
		m->v[m->n++] = (struct move){m->out->all->n, NULL, file, c->kind == NACRE_CHANGE_ADDED, content, was_mode};
	}
	return changes_add(m->out, c);
}

void moves_release(struct moves *m)
{
	free(m->v);
	*m = (struct moves){.out = m->out};
}

/* By file; of one file what is gone before what came, each in the order of their paths. */
static int by_file(const void *a, const void *b)
{
	const struct move *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->added != y->added)
		return x->added ? 1 : -1;
	return strcmp(x->path, y->path);
}

static void drop(nacre_change *c)
{
	free((char *)(uintptr_t)c->path);
	free((char *)(uintptr_t)c->from);
	*c = (nacre_change){.size = 0};
}

/* The entry of what was added becomes the rename, that of what is gone is dropped. */
static void make_rename(nacre_changes *all, const struct move *gone, const struct move *came)
{
	nacre_change *from = &all->v[gone->place], *to = &all->v[came->place];

	to->kind = NACRE_CHANGE_RENAMED;
	to->from = from->path;
	to->old_mode = came->was_mode;
	to->content = came->content;
	from->path = NULL;
	drop(from);
}

static void pair(nacre_changes *all, struct move *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i].path = all->v[v[i].place].path;
	qsort(v, n, sizeof(*v), by_file);
	for (size_t i = 0, end; i < n; i = end) {
		size_t gone = i, came = i;

		for (end = i; end < n && v[end].file == v[i].file; end++)
			came += !v[end].added;
		for (; gone < came && !v[gone].added && came < end; came++)
			if (v[came].was_mode && (v[came].was_mode & SYS_S_TYPE) == (all->v[v[came].place].new_mode & SYS_S_TYPE))
				make_rename(all, &v[gone++], &v[came]);
	}
}

/* ---- What moved with its directory -------------------------------------------------------- */

/* The renamed directory that `path` was right in; NULL: none. */
static const nacre_change *moved_parent(nacre_change *const *dirs, size_t n, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0, low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = strncmp(dirs[mid]->from, path, len);

		if (c == 0 && !dirs[mid]->from[len])
			return dirs[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static int by_from(const void *a, const void *b)
{
	return strcmp((*(nacre_change *const *)a)->from, (*(nacre_change *const *)b)->from);
}

/* Where what was right in a renamed directory is when it has only moved with it. malloc. */
static char *carried(const nacre_change *dir, const char *path)
{
	const char *name = path + strlen(dir->from);
	size_t n = strlen(dir->path), m = strlen(name);
	char *s = malloc(n + m + 1);

	if (s) {
		memcpy(s, dir->path, n);
		memcpy(s + n, name, m + 1);
	}
	return s;
}

/* What a change is besides having been carried along; false: nothing. */
static bool is_more(nacre_change *c)
{
	c->kind = c->content ? NACRE_CHANGE_MODIFIED : NACRE_CHANGE_MODE;
	return c->content || c->old_mode != c->new_mode;
}

/* Entry i of the list, which was below a renamed directory. */
static int settle_one(nacre_changes *all, size_t i, const nacre_change *dir, bool *carry)
{
	nacre_change *c = &all->v[i];
	char *there = carried(dir, c->kind == NACRE_CHANGE_RENAMED ? c->from : c->path);

	if (!there)
		return -NACRE_ENOMEM;
	if (c->kind == NACRE_CHANGE_DELETED) {
		free((char *)(uintptr_t)c->path);
		c->path = there;
		return 0;
	}
	carry[i] = streq(there, c->path);
	free(there);
	return 0;
}

static int settle(nacre_changes *all, nacre_change **dirs, bool *carry)
{
	size_t n = 0;
	int e = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].size && all->v[i].kind == NACRE_CHANGE_RENAMED && (all->v[i].new_mode & SYS_S_TYPE) == SYS_S_DIR)
			dirs[n++] = &all->v[i];
	if (n)
		qsort(dirs, n, sizeof(*dirs), by_from);
	for (size_t i = 0; i < all->n && e == 0; i++) {
		nacre_change *c = &all->v[i];
		const char *was = c->kind == NACRE_CHANGE_RENAMED ? c->from : c->kind == NACRE_CHANGE_DELETED ? c->path : NULL;
		const nacre_change *dir = c->size && was ? moved_parent(dirs, n, was) : NULL;

		if (dir)
			e = settle_one(all, i, dir, carry);
	}
	return e;
}

/* Drops what is carried along and nothing else, and the places of what was dropped before. */
static void squeeze(nacre_changes *all, const bool *carry)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		nacre_change *c = &all->v[i];

		if (c->size && carry[i]) {
			free((char *)(uintptr_t)c->from);
			c->from = NULL;
			if (!is_more(c))
				drop(c);
		}
		if (c->size)
			all->v[n++] = *c;
	}
	all->n = n;
}

int moves_settle(struct moves *m)
{
	nacre_changes *all = m->out->all;
	nacre_change **dirs = malloc((all->n + 1) * sizeof(nacre_change *));
	bool *carry = calloc(all->n + 1, sizeof(*carry));
	int e = dirs && carry ? 0 : -NACRE_ENOMEM;

	if (e == 0 && m->n) {
		pair(all, m->v, m->n);
		e = settle(all, dirs, carry);
		squeeze(all, carry);
	}
	free(dirs);
	free(carry);
	moves_release(m);
	return e;
}
