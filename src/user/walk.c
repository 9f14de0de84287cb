/* walk.c - walking a tree depth first.
 *
 * The names of a directory are read at once. It stays open only until a directory in it is entered, if its entries can be
 * looked at by their names, so a walk holds one descriptor at most however deep it is. Names wait on one stack of bytes
 * shared by all levels: what is pending there is all the memory a walk needs beyond its path. */
#include "user.h"

#define MAX_DEPTH   4096
#define MAX_PENDING ((size_t)1 << 30)

/* A name waiting on the stack is: its type, then the bytes, then a NUL. */
struct level {
	size_t path_len; /* of the directory's own path */
	size_t name_at;  /* of its last component in the path */
	size_t next;     /* where the next name lies on the stack */
	size_t end;      /* and where this level's names end */
	size_t base;     /* what to pop to */
	struct sys_stat st;
	int err; /* its entries could not be read */
};

enum state { START, ENTER, INSIDE };

struct u_walk {
	struct proc *p;
	unsigned flags;
	enum state state;
	struct u_buf path;
	struct u_buf names;
	struct level *level;
	size_t depth, cap; /* levels in use */
	uint64_t dev;
	int dir; /* the open directory of level dir_depth, -1: none */
	size_t dir_depth;
	bool by_path; /* entries are not to be had by name */
};

struct u_walk *u_walk_new(struct proc *p, const char *root, unsigned flags)
{
	struct u_walk *w = u_zalloc(p, sizeof(*w));

	w->p = p;
	w->flags = flags;
	w->dir = -1;
	u_buf_init(&w->path, p, 0);
	u_buf_init(&w->names, p, MAX_PENDING);
	u_buf_puts(&w->path, root);
	return w;
}

static size_t last_component(const char *path, size_t n)
{
	size_t end = n;

	while (end > 1 && path[end - 1] == '/')
		end--;
	while (end && path[end - 1] != '/')
		end--;
	return end;
}

/* ---- Reading a directory ------------------------------------------------------------ */

static int compare_names(const char *a, const char *b)
{
	return strcmp(a + 4, b + 4);
}

/* Merge sort of n pointers; tmp has room for as many. */
static void sort_names(struct proc *p, const char **v, const char **tmp, size_t n)
{
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t i = 0; i < n; i += 2 * width) {
			size_t a = i, mid = MIN(i + width, n), b = mid, end = MIN(i + 2 * width, n);

			for (size_t k = i; k < end; k++) {
				bool left = a < mid && (b >= end || compare_names(v[a], v[b]) <= 0);

				tmp[k] = left ? v[a++] : v[b++];
			}
			sys_checkpoint_n(p, (uint32_t)MIN(end - i, (size_t)1 << 20));
		}
		memcpy(v, tmp, n * sizeof(*v));
	}
}

/* Puts the names from `base` on in order. */
static void sort_pending(struct u_walk *w, size_t base, size_t n)
{
	struct arena *a = &sys_self(w->p)->arena;
	struct arena_mark mark = arena_mark(a);
	size_t size = w->names.len - base;
	const char **v = u_array(w->p, n, sizeof(*v)), **tmp = u_array(w->p, n, sizeof(*v));
	char *copy = u_alloc(w->p, size), *at = w->names.ptr + base;

	memcpy(copy, at, size);
	for (size_t i = 0, k = 0; i < n; i++) {
		v[i] = copy + k;
		k += 4 + strlen(copy + k + 4) + 1;
	}
	sort_names(w->p, v, tmp, n);
	for (size_t i = 0; i < n; i++) {
		size_t len = 4 + strlen(v[i] + 4) + 1;

		memcpy(at, v[i], len);
		at += len;
	}
	arena_reset(a, mark);
}

static void push_name(struct u_buf *b, const struct sys_dirent *d)
{
	u_buf_put(b, (const char *)&d->type, 4);
	u_buf_put(b, d->name, d->len);
	u_buf_putc(b, '\0');
}

static void close_dir(struct u_walk *w)
{
	if (w->dir >= 0)
		sys_close(w->p, w->dir);
	w->dir = -1;
}

static int read_names(struct u_walk *w, struct level *l)
{
	struct sys_dirent d;
	size_t n = 0;
	bool sorted = true;
	size_t last = 0;
	int fd, r;

	close_dir(w);
	fd = sys_open(w->p, w->path.ptr, SYS_O_READ | SYS_O_DIRECTORY | SYS_O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	while ((r = sys_readdir(w->p, fd, &d)) > 0) {
		size_t at = w->names.len;

		push_name(&w->names, &d);
		sorted &= n == 0 || compare_names(w->names.ptr + last, w->names.ptr + at) < 0;
		last = at;
		n++;
	}
	w->dir = fd;
	w->dir_depth = w->depth;
	if (w->by_path || n == 0)
		close_dir(w);
	if (!sorted && (w->flags & U_WALK_SORTED))
		sort_pending(w, l->base, n);
	l->end = w->names.len;
	return r;
}

/* ---- Events ---------------------------------------------------------------------------- */

static bool is_dir(const struct sys_stat *st)
{
	return (st->mode & SYS_S_TYPE) == SYS_S_DIR;
}

static bool follows(const struct u_walk *w)
{
	return (w->flags & U_WALK_FOLLOW) || ((w->flags & U_WALK_FOLLOW_ROOT) && w->depth == 0);
}

/* The last component of the path by the directory it was read from; -NACRE_ENOSYS: that cannot be done. */
static int look_inside(struct u_walk *w, size_t name_at, struct sys_stat *st)
{
	int r;

	if (w->dir < 0 || w->dir_depth != w->depth)
		return -NACRE_ENOSYS;
	r = sys_stat_entry(w->p, w->dir, w->path.ptr + name_at, st);
	if (r == -NACRE_ENOSYS) {
		w->by_path = true;
		close_dir(w);
	}
	return r == 0 && (st->mode & SYS_S_TYPE) == SYS_S_LINK && follows(w) ? -NACRE_ENOSYS : r;
}

static int look(struct u_walk *w, size_t name_at, struct sys_stat *st)
{
	int r = look_inside(w, name_at, st);

	if (r != -NACRE_ENOSYS)
		return r;
	r = sys_stat(w->p, w->path.ptr, follows(w) ? 0 : SYS_NOFOLLOW, st);

	/* A link that leads nowhere is shown as a link. */
	if (r < 0 && follows(w) && (r == -NACRE_ENOENT || r == -NACRE_ELOOP))
		r = sys_stat(w->p, w->path.ptr, SYS_NOFOLLOW, st);
	return r;
}

static bool is_ancestor(const struct u_walk *w, const struct sys_stat *st)
{
	for (size_t i = 0; i < w->depth; i++) {
		if (w->level[i].st.dev == st->dev && w->level[i].st.ino == st->ino)
			return true;
	}
	return false;
}

static struct level *push_level(struct u_walk *w, size_t name_at, const struct sys_stat *st)
{
	struct level *l;

	if (w->depth == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 8;

		w->level = arena_grow(&sys_self(w->p)->arena, w->level, w->cap * sizeof(*l),
		                      cap * sizeof(*l));
		w->cap = cap;
	}
	l = &w->level[w->depth++];
	*l = (struct level){.path_len = w->path.len, .name_at = name_at, .st = *st};
	l->base = l->next = l->end = w->names.len;
	return l;
}

static void fill(struct u_walk *w, struct u_walk_entry *e, enum u_walk_event event, size_t name_at,
                 int depth)
{
	e->event = event;
	e->path = w->path.ptr;
	e->name = w->path.ptr + name_at;
	e->depth = depth;
	e->err = 0;
}

/* The entry whose path is in w->path. type: what readdir said, 0 unknown. */
static void visit(struct u_walk *w, struct u_walk_entry *e, size_t name_at, uint32_t type)
{
	int depth = (int)w->depth, r = 0;

	w->state = INSIDE;
	fill(w, e, U_WALK_FILE, name_at, depth);
	if ((w->flags & U_WALK_NO_STAT) && type && type != SYS_S_DIR &&
	    !(type == SYS_S_LINK && follows(w))) {
		memset(&e->st, 0, sizeof(e->st));
		e->st.mode = type;
		return;
	}
	r = look(w, name_at, &e->st);
	if (r < 0) {
		memset(&e->st, 0, sizeof(e->st));
		e->event = U_WALK_ERROR;
		e->err = r;
		return;
	}
	if (!is_dir(&e->st))
		return;
	if (depth == 0)
		w->dev = e->st.dev;
	if (depth >= MAX_DEPTH) {
		e->event = U_WALK_ERROR;
		e->err = -NACRE_ENAMETOOLONG;
		return;
	}
	if (is_ancestor(w, &e->st)) {
		e->event = U_WALK_CYCLE;
		return;
	}
	e->event = U_WALK_DIR_PRE;
	push_level(w, name_at, &e->st);
	w->state = ENTER;
}

/* Enters the directory last given out. True with an event when it cannot be read. */
static bool enter(struct u_walk *w, struct u_walk_entry *e)
{
	struct level *l = &w->level[w->depth - 1];

	w->state = INSIDE;
	if ((w->flags & U_WALK_ONE_FS) && l->st.dev != w->dev)
		return false;
	l->err = read_names(w, l);
	if (l->err >= 0)
		return false;
	fill(w, e, U_WALK_ERROR, l->name_at, (int)w->depth - 1);
	e->err = l->err;
	e->st = l->st;
	return true;
}

bool u_walk_next(struct u_walk *w, struct u_walk_entry *e)
{
	struct level *l;

	sys_checkpoint(w->p);
	if (w->state == START) {
		visit(w, e, last_component(w->path.ptr, w->path.len), 0);
		return true;
	}
	if (w->state == ENTER && enter(w, e))
		return true;
	if (w->depth == 0)
		return false;
	l = &w->level[w->depth - 1];
	w->path.len = l->path_len;
	w->path.ptr[w->path.len] = '\0';
	if (l->next < l->end) {
		const char *entry = w->names.ptr + l->next;
		size_t name_at, n = strlen(entry + 4);
		uint32_t type;

		memcpy(&type, entry, 4);
		if (w->path.len && w->path.ptr[w->path.len - 1] != '/')
			u_buf_putc(&w->path, '/');
		name_at = w->path.len;
		u_buf_put(&w->path, entry + 4, n);
		l->next += 4 + n + 1;
		visit(w, e, name_at, type);
		return true;
	}
	fill(w, e, U_WALK_DIR_POST, l->name_at, (int)w->depth - 1);
	e->st = l->st;
	e->err = l->err < 0 ? l->err : 0;
	w->names.len = l->base;
	if (w->dir_depth == w->depth)
		close_dir(w);
	w->depth--;
	return true;
}

void u_walk_skip(struct u_walk *w)
{
	if (w->state != ENTER)
		return;
	w->depth--;
	w->state = INSIDE;
}
