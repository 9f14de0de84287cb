/* load.c - tree's entries: what is listed of a directory and in which order. */
#include "tree.h"

static bool matches_one(const struct tree *t, const char *pattern, size_t n, const char *name, bool is_dir)
{
	unsigned flags = t->o->ignore_case ? U_GLOB_ICASE : 0;

	if (n > 1 && pattern[n - 1] == '/') {
		if (!is_dir)
			return false;
		n--;
	}
	return u_glob_match(pattern, n, name, strlen(name), flags | (u_utf8(t->p) ? 0 : U_GLOB_BYTES));
}

/* A pattern is alternatives between bars. */
static bool matches(const struct tree *t, const struct cmd_list *patterns, const char *name, bool is_dir)
{
	for (size_t i = 0; i < patterns->n; i++) {
		const char *s = patterns->v[i];

		for (;;) {
			size_t n = strcspn(s, "|");

			if (matches_one(t, s, n, name, is_dir))
				return true;
			if (!s[n])
				break;
			s += n + 1;
		}
	}
	return false;
}

static int64_t compare(const struct tree *t, const struct tree_node *a, const struct tree_node *b)
{
	int64_t c = 0;

	if ((t->o->dirs_first || t->o->files_first) && a->is_dir != b->is_dir)
		return a->is_dir == t->o->dirs_first ? -1 : 1;
	switch (t->o->sort) {
	case TREE_VERSION: c = u_version_compare(a->name, strlen(a->name), b->name, strlen(b->name)); break;
	case TREE_SIZE: c = (a->size < b->size) - (a->size > b->size); break;
	case TREE_MTIME: c = a->lst.mtime.sec != b->lst.mtime.sec ? a->lst.mtime.sec > b->lst.mtime.sec ? 1 : -1 : 0; break;
	case TREE_CTIME: c = a->lst.ctime.sec != b->lst.ctime.sec ? a->lst.ctime.sec > b->lst.ctime.sec ? 1 : -1 : 0; break;
	default: break;
	}
	if (c == 0)
		c = strcmp(a->name, b->name);
	return t->o->reverse ? -c : c;
}

/* Merge sort, stable. */
static void sort(struct tree *t, struct tree_node *v, size_t n)
{
	struct tree_node *tmp = u_array(t->p, n, sizeof(*tmp));

	for (size_t width = 1; width < n; width *= 2) {
		for (size_t i = 0; i < n; i += 2 * width) {
			size_t a = i, mid = MIN(i + width, n), b = mid, end = MIN(i + 2 * width, n);

			for (size_t k = i; k < end; k++)
				tmp[k] = a < mid && (b >= end || compare(t, &v[a], &v[b]) <= 0) ? v[a++] : v[b++];
			sys_checkpoint_n(t->p, (uint32_t)MIN(end - i, (size_t)1 << 20));
		}
		memcpy(v, tmp, n * sizeof(*v));
	}
}

/* Fills in what `path` is; false when it is not there. */
static bool look(struct tree *t, const char *path, struct tree_node *n)
{
	if (sys_stat(t->p, path, SYS_NOFOLLOW, &n->lst) < 0)
		return false;
	n->st = n->lst;
	n->size = (uint64_t)n->lst.size;
	if ((n->lst.mode & SYS_S_TYPE) == SYS_S_LINK) {
		char *target = u_alloc(t->p, SYS_PATH_MAX);
		int64_t len = sys_readlink(t->p, path, target, SYS_PATH_MAX - 1);

		target[MAX(len, 0)] = '\0';
		n->link = target;
		if (sys_stat(t->p, path, 0, &n->st) < 0)
			n->st = (struct sys_stat){0};
	}
	n->is_dir = (n->st.mode & SYS_S_TYPE) == SYS_S_DIR;
	n->open = n->is_dir && (!n->link || t->o->follow);
	return true;
}

bool tree_root(struct tree *t, const char *path, struct tree_node *root)
{
	*root = (struct tree_node){.name = path};
	if (!look(t, path, root))
		return false;
	root->open = root->is_dir;
	return true;
}

/* Whether an entry is listed; `inside`: all of a directory that -P has found with --matchdirs. */
static bool wanted(const struct tree *t, const struct tree_node *n, bool inside)
{
	if (t->o->exclude.n && matches(t, &t->o->exclude, n->name, n->is_dir))
		return false;
	if (t->o->dirs_only && !n->is_dir)
		return false;
	if (t->o->include.n && !inside && !(n->is_dir && (!n->link || t->o->follow)))
		return matches(t, &t->o->include, n->name, n->is_dir);
	return true;
}

static struct tree_seen *slot(struct tree_seen *v, size_t cap, uint64_t dev, uint64_t ino)
{
	size_t i = (size_t)((ino * UINT64_C(0x9e3779b97f4a7c15) ^ dev) >> 7) & (cap - 1);

	while (v[i].used && !(v[i].dev == dev && v[i].ino == ino))
		i = (i + 1) & (cap - 1);
	return &v[i];
}

/* True when the directory was listed before; remembers it otherwise. */
static bool seen(struct tree *t, const struct sys_stat *st)
{
	struct tree_seen *s;

	if ((t->nseen + 1) * 4 > t->seen_cap * 3) {
		size_t cap = t->seen_cap ? t->seen_cap * 2 : 64;
		struct tree_seen *v = u_zalloc(t->p, size_mul(cap, sizeof(*v)));

		for (size_t i = 0; i < t->seen_cap; i++) {
			if (t->seen[i].used)
				*slot(v, cap, t->seen[i].dev, t->seen[i].ino) = t->seen[i];
		}
		t->seen = v;
		t->seen_cap = cap;
	}
	s = slot(t->seen, t->seen_cap, st->dev, st->ino);
	if (s->used)
		return true;
	*s = (struct tree_seen){st->dev, st->ino, true};
	t->nseen++;
	return false;
}

static bool inside_found(const struct tree *t)
{
	if (!t->o->match_dirs || !t->o->include.n)
		return false;
	for (size_t i = 0; i < t->depth; i++) {
		if (matches(t, &t->o->include, u_basename(t->p, t->above[i]->name), true))
			return true;
	}
	return false;
}

static void read_entries(struct tree *t, struct tree_node *dir)
{
	size_t len = t->path.len, cap = 0;
	bool inside = inside_found(t);
	struct sys_dirent d;
	int fd = sys_open(t->p, t->path.ptr, SYS_O_READ | SYS_O_DIRECTORY | SYS_O_CLOEXEC, 0);

	if (fd < 0) {
		dir->failed = true;
		return;
	}
	while (sys_readdir(t->p, fd, &d) > 0) {
		struct tree_node n = {0};

		sys_checkpoint(t->p);
		if (!t->o->all && d.name[0] == '.')
			continue;
		n.name = u_strndup(t->p, d.name, d.len);
		if (len && t->path.ptr[len - 1] != '/')
			u_buf_putc(&t->path, '/');
		u_buf_put(&t->path, d.name, d.len);
		if (look(t, t->path.ptr, &n) && wanted(t, &n, inside)) {
			if (dir->n == cap) {
				size_t more = cap ? cap * 2 : 32;

				dir->v = arena_grow(&sys_self(t->p)->arena, dir->v, cap * sizeof(n), more * sizeof(n));
				cap = more;
			}
			dir->v[dir->n++] = n;
		}
		t->path.len = len;
		t->path.ptr[len] = '\0';
	}
	sys_close(t->p, fd);
}

/* Drops the directories that turned out empty. */
static void prune(struct tree *t, struct tree_node *dir)
{
	size_t k = 0;

	for (size_t i = 0; i < dir->n; i++) {
		struct tree_node *n = &dir->v[i];
		bool found = t->o->match_dirs && t->o->include.n && matches(t, &t->o->include, n->name, true);

		if (!n->is_dir || n->n || n->failed || n->loop || found)
			dir->v[k++] = *n;
	}
	dir->n = k;
}

static void load_below(struct tree *t, struct tree_node *dir)
{
	size_t len = t->path.len;

	for (size_t i = 0; i < dir->n; i++) {
		struct tree_node *n = &dir->v[i];

		if (n->open) {
			if (len && t->path.ptr[len - 1] != '/')
				u_buf_putc(&t->path, '/');
			u_buf_puts(&t->path, n->name);
			tree_load(t, n);
			t->path.len = len;
			t->path.ptr[len] = '\0';
		}
		dir->size += t->o->du ? n->size : 0;
	}
	if (t->o->prune)
		prune(t, dir);
}

void tree_load(struct tree *t, struct tree_node *dir)
{
	if (dir->loaded)
		return;
	dir->loaded = true;
	if (t->depth >= t->max_depth || t->depth + 1 >= TREE_DEPTH_MAX ||
	    (t->o->one_fs && t->depth && dir->st.dev != t->above[0]->st.dev)) {
		dir->open = false;
		return;
	}
	if (t->o->follow && seen(t, &dir->st) && dir->link) {
		dir->loop = true;
		return;
	}
	if (!sys_stack(t->p, 4096))
		u_die(t->p, 1, 0, "%s is too deep", u_quote(t->p, t->path.ptr));
	t->above[t->depth++] = dir;
	read_entries(t, dir);
	if (t->limit && dir->n > t->limit) {
		dir->over = dir->n;
		dir->n = 0;
	}
	if (t->o->prune || t->o->du)
		load_below(t, dir);
	if (dir->n > 1 && t->o->sort != TREE_UNSORTED)
		sort(t, dir->v, dir->n);
	t->depth--;
}
