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

static int diff_overlays(struct changes_list *out, const nacre_snapshot *from, const nacre_snapshot *to, size_t i)
{
	nacre_runtime *rt = from->rt;
	struct fs_mem_config mem = {.quota = runtime_quota(rt->kernel), .now = fixed_now, .seed = from->plan->settings->seed};
	struct fs *below = from->plan->mounts[i].fs, *a = NULL, *b = NULL;
	int e = fs_overlay_branch(below, from->own[i], rt->store, &mem, &a);

	if (e == 0)
		e = fs_overlay_branch(below, to->own[i], rt->store, &mem, &b);
	if (e == 0)
		e = overlays_compare(out, a, b, mem.quota);
	fs_put(a);
	fs_put(b);
	return e;
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
	*out = l.all;
	from->rt->error[0] = '\0';
	return 0;
}
