/* snapshot.c - a sandbox's files as they were: to go back to, to branch from, to compare. */
#include "overlay.h"

#include <stdlib.h>

struct nacre_snapshot {
	nacre_runtime *rt;
	struct plan *plan;
	struct fs *root;
	struct fs **own; /* by plan->mounts: of an overlay its tree above; NULL where the mount is shared */
};

static int busy(nacre_sandbox *sb)
{
	int e = recording_refuses(sb->rt);

	return e ? e : sb->run ? runtime_fail(sb->rt, -NACRE_EBUSY, "a run of this sandbox is in progress") : 0;
}

static int take_own(nacre_snapshot *s, nacre_sandbox *sb)
{
	int e = 0;

	if (!sb->own)
		return 0;
	s->own = calloc(s->plan->nmounts, sizeof(struct fs *));
	if (!s->own)
		return -NACRE_ENOMEM;
	for (size_t i = 0; i < s->plan->nmounts && e == 0; i++) {
		struct fs *fs = sb->own[i];

		if (fs)
			e = fs_is_overlay(fs) ? fs_overlay_snapshot(fs, &s->own[i]) : fs_mem_snapshot(fs, &s->own[i]);
	}
	return e;
}

int nacre_snapshot_new(nacre_snapshot **out, nacre_sandbox *sb)
{
	nacre_snapshot *s;
	int e = busy(sb);

	*out = NULL;
	if (e < 0)
		return e;
	s = calloc(1, sizeof(*s));
	if (!s)
		return runtime_fail(sb->rt, -NACRE_ENOMEM, "out of memory");
	s->rt = sb->rt;
	s->plan = sb->plan;
	s->plan->refs++;
	e = fs_mem_snapshot(sandbox_root(sb->kernel), &s->root);
	if (e == 0)
		e = take_own(s, sb);
	if (e < 0) {
		nacre_snapshot_free(s);
		return runtime_fail(sb->rt, e, "cannot take a snapshot: %s", errno_text(e));
	}
	sb->rt->error[0] = '\0';
	*out = s;
	return 0;
}

void nacre_snapshot_free(nacre_snapshot *s)
{
	if (!s)
		return;
	fs_put(s->root);
	for (size_t i = 0; s->own && i < s->plan->nmounts; i++)
		fs_put(s->own[i]);
	free(s->own);
	plan_put(s->plan);
	free(s);
}

int nacre_snapshot_restore(nacre_sandbox *sb, const nacre_snapshot *s)
{
	int e = busy(sb);

	if (e < 0)
		return e;
	if (s->plan != sb->plan)
		return runtime_fail(sb->rt, -NACRE_EINVAL, "the snapshot is of a sandbox with another configuration");
	e = fs_mem_restore(sandbox_root(sb->kernel), s->root);
	for (size_t i = 0; s->own && i < s->plan->nmounts && e == 0; i++)
		if (s->own[i])
			e = fs_is_overlay(sb->own[i]) ? fs_overlay_restore(sb->own[i], s->own[i])
						      : fs_mem_restore(sb->own[i], s->own[i]);
	if (e < 0)
		return runtime_fail(sb->rt, e, "cannot restore: %s", errno_text(e));
	sb->rt->error[0] = '\0';
	return 0;
}

int nacre_sandbox_branch(nacre_sandbox **out, const nacre_snapshot *s)
{
	nacre_sandbox *sb;
	int e = sandbox_of_plan(&sb, s->rt, s->plan, s->root, s->own);

	*out = NULL;
	if (e < 0)
		return e;
	*out = sb;
	return 0;
}

/* ---- Differences between two snapshots ------------------------------------------------- */

static struct sys_time fixed_now(void *ctx)
{
	(void)ctx;
	return (struct sys_time){0, 0};
}

static int note(void *ctx, const struct mem_difference *d)
{
	static const enum nacre_change_kind kinds[] = {[MEM_ADDED] = NACRE_CHANGE_ADDED, [MEM_MODIFIED] = NACRE_CHANGE_MODIFIED,
						       [MEM_DELETED] = NACRE_CHANGE_DELETED, [MEM_MODE] = NACRE_CHANGE_MODE};
	const nacre_change c = {.kind = kinds[d->kind], .path = d->path, .old_mode = d->old_mode, .new_mode = d->new_mode,
				.content = d->kind == MEM_ADDED || d->kind == MEM_MODIFIED};

	return moves_add(ctx, &c, d->file, d->was_mode, d->content);
}

static int compare_trees(struct changes_list *l, const struct fs *from, const struct fs *to)
{
	struct moves m = {.out = l};
	int e = fs_mem_compare(from, to, note, &m);

	if (e == 0)
		return moves_settle(&m);
	moves_release(&m);
	return e;
}

/* Two overlays over the same directory, each with the changes of one snapshot. */
struct both {
	struct fs *a, *b;
	struct quota *q;
	struct changes_list *out;
};

static bool same_text(struct both *t, const char *path, const struct sys_stat *st)
{
	char x[4096], y[4096];
	struct file *f = NULL, *g = NULL;
	bool same = true;

	if ((st->mode & SYS_S_TYPE) == SYS_S_LINK) {
		int64_t n = t->a->ops->readlink(t->a, path, x, sizeof(x));

		return n > 0 && t->b->ops->readlink(t->b, path, y, sizeof(y)) == n && memcmp(x, y, (size_t)n) == 0;
	}
	if ((st->mode & SYS_S_TYPE) != SYS_S_FILE)
		return true;
	if (t->a->ops->open(t->a, path, SYS_O_READ, 0, t->q, &f) == 0 && t->b->ops->open(t->b, path, SYS_O_READ, 0, t->q, &g) == 0) {
		int64_t n = 1;

		for (int64_t at = 0; same && n > 0; at += n) {
			n = f->ops->read(f, x, sizeof(x), at);
			same = n >= 0 && g->ops->read(g, y, sizeof(y), at) == n && memcmp(x, y, (size_t)n) == 0;
		}
	} else {
		same = false;
	}
	file_put(f);
	file_put(g);
	return same;
}

/* A path that at least one of the overlays changes: what it is in both says what is to be told. */
static int tell_path(struct both *t, const char *path)
{
	struct fs_walk a, b;
	nacre_change c = {.path = path};
	int e = t->a->ops->walk(t->a, path, &a);

	if (e == 0)
		e = t->b->ops->walk(t->b, path, &b);
	if (e < 0)
		return e;
	c.old_mode = a.end == FS_WALK_FOUND ? a.st.mode : 0;
	c.new_mode = b.end == FS_WALK_FOUND ? b.st.mode : 0;
	if (!c.old_mode && !c.new_mode)
		return 0;
	c.kind = !c.old_mode ? NACRE_CHANGE_ADDED : !c.new_mode ? NACRE_CHANGE_DELETED : NACRE_CHANGE_MODIFIED;
	if (c.old_mode && c.new_mode) {
		if ((c.old_mode & SYS_S_TYPE) == (c.new_mode & SYS_S_TYPE) && a.st.size == b.st.size && same_text(t, path, &a.st)) {
			if (c.old_mode == c.new_mode)
				return 0;
			c.kind = NACRE_CHANGE_MODE;
		}
	}
	c.content = c.kind == NACRE_CHANGE_ADDED || c.kind == NACRE_CHANGE_MODIFIED;
	return changes_add(t->out, &c);
}

/* All that is below a directory which one overlay alone has there. */
static int tell_below(struct both *t, struct fs *fs, const char *path)
{
	char child[SYS_PATH_MAX];
	struct sys_dirent d;
	struct file *f;
	int got = fs->ops->open(fs, path, SYS_O_READ | SYS_O_DIRECTORY, 0, t->q, &f);

	if (got < 0)
		return got == -NACRE_ENOENT || got == -NACRE_ENOTDIR ? 0 : got;
	while ((got = f->ops->readdir(f, &d)) > 0) {
		size_t n = strlen(path);

		if (n + 1 + d.len >= sizeof(child))
			continue;
		memcpy(child, path, n);
		child[n] = '/';
		memcpy(child + n + 1, d.name, d.len);
		child[n + 1 + d.len] = '\0';
		got = tell_path(t, child);
		if (got == 0)
			got = tell_below(t, fs, child);
		if (got < 0)
			break;
	}
	file_put(f);
	return MIN(got, 0);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The paths of both lists, each once; of a rename both ends, with what is in them. */
static int tell_paths(struct both *t, const nacre_changes *x, const nacre_changes *y)
{
	size_t n = 0;
	const char **v = malloc((2 * (x->n + y->n) + 1) * sizeof(*v));
	int e = v ? 0 : -NACRE_ENOMEM;

	for (size_t i = 0; v && i < x->n + y->n; i++) {
		const nacre_change *c = i < x->n ? &x->v[i] : &y->v[i - x->n];

		v[n++] = c->path + 1;
		if (c->from)
			v[n++] = c->from + 1;
	}
	if (n)
		qsort(v, n, sizeof(*v), by_name);
	for (size_t i = 0; i < n && e == 0; i++) {
		if (i && streq(v[i], v[i - 1]))
			continue;
		e = tell_path(t, v[i]);
	}
	for (size_t i = 0; v && i < x->n + y->n && e == 0; i++) {
		const nacre_change *c = i < x->n ? &x->v[i] : &y->v[i - x->n];

		if (!c->from || (c->new_mode & SYS_S_TYPE) != SYS_S_DIR)
			continue;
		e = tell_below(t, i < x->n ? t->a : t->b, c->path + 1);
		if (e == 0)
			e = tell_below(t, i < x->n ? t->b : t->a, c->from + 1);
	}
	free(v);
	return e;
}

static int list_of(struct fs *fs, nacre_changes **out)
{
	struct changes_list l = {.all = calloc(1, sizeof(*l.all)), .at = ""};

	*out = l.all;
	return l.all ? fs_overlay_changes(fs, changes_add_overlay, &l) : -NACRE_ENOMEM;
}

static int diff_overlays(struct changes_list *out, const nacre_snapshot *from, const nacre_snapshot *to, size_t i)
{
	nacre_runtime *rt = from->rt;
	struct fs_mem_config mem = {.quota = runtime_quota(rt->kernel), .now = fixed_now, .seed = from->plan->settings->seed};
	struct both t = {.q = mem.quota, .out = out};
	nacre_changes *x = NULL, *y = NULL;
	struct fs *below = from->plan->mounts[i].fs;
	int e = fs_overlay_branch(below, from->own[i], rt->store, &mem, &t.a);

	if (e == 0)
		e = fs_overlay_branch(below, to->own[i], rt->store, &mem, &t.b);
	if (e == 0)
		e = list_of(t.a, &x);
	if (e == 0)
		e = list_of(t.b, &y);
	if (e == 0)
		e = tell_paths(&t, x, y);
	nacre_changes_free(x);
	nacre_changes_free(y);
	fs_put(t.a);
	fs_put(t.b);
	return e;
}

/* Paths that were told twice (below two renames) once. */
static void once(nacre_changes *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (n && streq(all->v[n - 1].path, all->v[i].path) && all->v[n - 1].kind == all->v[i].kind) {
			free((char *)(uintptr_t)all->v[i].path);
			free((char *)(uintptr_t)all->v[i].from);
		} else {
			all->v[n++] = all->v[i];
		}
	}
	all->n = n;
}

int nacre_snapshot_diff(nacre_changes **out, const nacre_snapshot *from, const nacre_snapshot *to)
{
	struct changes_list l = {.all = calloc(1, sizeof(*l.all)), .at = ""};
	int e = l.all ? 0 : -NACRE_ENOMEM;

	*out = NULL;
	if (e == 0 && from->plan != to->plan)
		e = -NACRE_EINVAL;
	if (e == 0)
		e = compare_trees(&l, from->root, to->root);
	for (size_t i = 0; from->own && i < from->plan->nmounts && e == 0; i++) {
		l.at = from->plan->mounts[i].at;
		if (from->own[i])
			e = from->plan->mounts[i].fs ? diff_overlays(&l, from, to, i)
						     : compare_trees(&l, from->own[i], to->own[i]);
	}
	if (e < 0) {
		nacre_changes_free(l.all);
		return runtime_fail(from->rt, e, "cannot compare: %s", errno_text(e));
	}
	changes_sort(l.all);
	once(l.all);
	*out = l.all;
	from->rt->error[0] = '\0';
	return 0;
}
