/*
 * files.c - which files rg searches: operands, directories below them, in the order of their paths or times.
 */
#include "rg.h"

#define FOUND_MAX ((size_t)4 << 20)

struct found {
	const char *path;
	struct sys_time time;
};
struct finds {
	struct found *v;
	size_t n, cap;
};

/* ---- Messages ------------------------------------------------------------------------------- */

static void say(struct rg *g, struct u_buf *b)
{
	u_buf_putc(b, '\n');
	u_flush(g->out);
	u_write_all(g->p, 2, b->ptr, b->len);
}

static void compose(struct rg *g, const char *fmt, va_list ap)
{
	struct u_buf b;
	char text[4096];

	u_buf_init(&b, g->p, 0);
	fmt_buf_v(text, sizeof(text), fmt, ap);
	u_buf_puts(&b, text);
	say(g, &b);
}

void rg_say(struct rg *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	compose(g, fmt, ap);
	va_end(ap);
}

void rg_die(struct rg *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	compose(g, fmt, ap);
	va_end(ap);
	u_exit(g->p, 2);
}

void rg_complain(struct rg *g, int err, const char *path)
{
	g->failed = true;
	if (!g->no_messages)
		rg_say(g, "%s: %s (os error %d)", path, errno_text(err), -err);
}

/* ---- One file ---------------------------------------------------------------------------------- */

/* A file that was found: listed under --files, else searched. */
static void take(struct rg *g, const char *path, const char *shown, bool named)
{
	int fd;

	g->searched = true;
	if (g->mode == RG_FILES) {
		g->matched = true;
		if (g->quiet)
			u_exit(g->p, 0);
		rg_print_path(g, shown);
		u_putc(g->out, g->null_after ? '\0' : '\n');
		return;
	}
	fd = sys_open(g->p, path, SYS_O_READ | (named ? 0 : SYS_O_NONBLOCK), 0);
	if (fd < 0) {
		rg_complain(g, fd, shown);
		return;
	}
	rg_search_fd(g, fd, shown, named);
	sys_close(g->p, fd);
}

/* ---- Directories ----------------------------------------------------------------------------------- */

static void keep(struct rg *g, struct finds *f, const char *path, const struct sys_stat *st)
{
	if (f->n == f->cap) {
		size_t cap = f->cap ? f->cap * 2 : 64;

		if (cap > FOUND_MAX)
			rg_die(g, "too many files to be sorted");
		f->v = arena_grow(&sys_self(g->p)->arena, f->v, f->cap * sizeof(*f->v), size_mul(cap, sizeof(*f->v)));
		f->cap = cap;
	}
	f->v[f->n++] = (struct found){u_strdup(g->p, path), g->sort == RG_SORT_ACCESSED ? st->atime : st->mtime};
}

static int compare_times(const struct found *a, const struct found *b)
{
	if (a->time.sec != b->time.sec)
		return a->time.sec < b->time.sec ? -1 : 1;
	return a->time.nsec < b->time.nsec ? -1 : a->time.nsec > b->time.nsec;
}

/* A stable merge sort. */
static void sort_found(struct rg *g, struct finds *f)
{
	struct found *v = f->v, *tmp = u_array(g->p, f->n + 1, sizeof(*tmp));

	for (size_t width = 1; g->sort != RG_SORT_PATH && width < f->n; width *= 2) {
		for (size_t i = 0; i < f->n; i += 2 * width) {
			size_t a = i, mid = MIN(i + width, f->n), b = mid, end = MIN(i + 2 * width, f->n);

			for (size_t k = i; k < end; k++) {
				bool left = a < mid && (b >= end || compare_times(&v[a], &v[b]) <= 0);

				tmp[k] = left ? v[a++] : v[b++];
			}
			sys_checkpoint(g->p);
		}
		memcpy(v, tmp, f->n * sizeof(*v));
	}
	for (size_t i = 0; g->sort_reverse && i < f->n / 2; i++) {
		tmp[0] = v[i];
		v[i] = v[f->n - 1 - i];
		v[f->n - 1 - i] = tmp[0];
	}
}

struct walk {
	struct rg *g;
	const char *root, *absolute;	/* of the root, link-free */
	bool here;			/* "./" in front is not shown */
	struct rg_dir **dirs;		/* the rules by depth */
	size_t cap;
	struct finds found;
	bool sorted;			/* files are kept to be sorted */
};

static const char *shown_path(const struct walk *w, const char *path)
{
	return w->here && path[0] == '.' && path[1] == '/' ? path + 2 : path;
}

static const char *absolute_path(const struct walk *w, const struct u_walk_entry *e)
{
	const char *below = e->path + strlen(w->root);

	while (*below == '/')
		below++;
	return *below ? u_join(w->g->p, w->absolute, below) : w->absolute;
}

static void enter(struct walk *w, struct u_walk *walk, const struct u_walk_entry *e)
{
	struct rg *g = w->g;
	size_t depth = (size_t)e->depth;
	const char *absolute = absolute_path(w, e);

	if ((g->max_depth >= 0 && e->depth >= g->max_depth) ||
	    (depth > 0 && rg_left_out(g, w->dirs[depth - 1], absolute, e->path, true))) {
		u_walk_skip(walk);
		return;
	}
	if (depth == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 16;

		w->dirs = arena_grow(&sys_self(g->p)->arena, w->dirs, w->cap * sizeof(*w->dirs), cap * sizeof(*w->dirs));
		w->cap = cap;
	}
	w->dirs[depth] = rg_dir_enter(g, depth > 0 ? w->dirs[depth - 1] : rg_dirs_above(g, absolute), absolute);
}

static void found_file(struct walk *w, const struct u_walk_entry *e)
{
	struct rg *g = w->g;
	uint32_t type = e->st.mode & SYS_S_TYPE;
	struct sys_stat st = e->st;

	if (type == SYS_S_LINK && g->follow)
		rg_complain(g, -NACRE_ENOENT, shown_path(w, e->path));
	if (type != SYS_S_FILE && !(type == SYS_S_LINK && e->depth == 0))
		return;
	if (e->depth > 0 && rg_left_out(g, w->dirs[e->depth - 1], absolute_path(w, e), e->path, false))
		return;
	if ((g->max_size >= 0 || w->sorted) && sys_stat(g->p, e->path, 0, &st) == 0 && g->max_size >= 0 &&
	    st.size > g->max_size)
		return;
	if (w->sorted)
		keep(g, &w->found, e->path, &st);
	else
		take(g, e->path, shown_path(w, e->path), false);
}

static void walk_tree(struct rg *g, const char *root, bool here)
{
	struct walk w = {.g = g, .root = root, .here = here, .sorted = g->sort != RG_SORT_PATH || g->sort_reverse};
	unsigned flags = U_WALK_SORTED | (g->follow ? U_WALK_FOLLOW : U_WALK_FOLLOW_ROOT | U_WALK_NO_STAT);
	char path[SYS_PATH_MAX];
	struct u_walk *walk = u_walk_new(g->p, root, flags | (g->one_fs ? U_WALK_ONE_FS : 0));
	struct u_walk_entry e;

	w.absolute = sys_realpath(g->p, root, 2, path, sizeof(path)) >= 0 ? path : root;
	while (u_walk_next(walk, &e)) {
		switch (e.event) {
		case U_WALK_DIR_PRE: enter(&w, walk, &e); break;
		case U_WALK_FILE: found_file(&w, &e); break;
		case U_WALK_ERROR: rg_complain(g, e.err, shown_path(&w, e.path)); break;
		case U_WALK_CYCLE:
			g->failed = true;
			if (!g->no_messages)
				rg_say(g, "File system loop found: %s points to an ancestor", shown_path(&w, e.path));
			break;
		case U_WALK_DIR_POST: break;
		}
	}
	sort_found(g, &w.found);
	for (size_t i = 0; i < w.found.n; i++)
		take(g, w.found.v[i].path, shown_path(&w, w.found.v[i].path), false);
}

void rg_operand(struct rg *g, const char *path)
{
	struct sys_stat st;
	int r;

	if (streq(path, "-") && g->mode != RG_FILES) {
		rg_search_fd(g, 0, "<stdin>", true);
		return;
	}
	r = sys_stat(g->p, path, 0, &st);
	if (r < 0)
		rg_complain(g, r, path);
	else if ((st.mode & SYS_S_TYPE) == SYS_S_DIR)
		walk_tree(g, path, false);
	else
		take(g, path, path, true);
}

void rg_here(struct rg *g)
{
	walk_tree(g, ".", true);
	if (g->searched || g->mode == RG_FILES || g->quiet || g->no_messages)
		return;
	g->failed = true;
	rg_say(g, "No files were searched, which means ripgrep probably applied a filter you didn't expect.\n"
		  "Running with --debug will show why files are being skipped.");
}
