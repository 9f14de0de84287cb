/* overlay.c - what overlays change: the list, commit, discard. The patch is overlay_patch.c's. */
#include "overlay.h"

#include <stdio.h>
#include <stdlib.h>

static int no_memory(nacre_sandbox *sb)
{
	return runtime_fail(sb->rt, -NACRE_ENOMEM, "out of memory");
}

int overlay_next(nacre_sandbox *sb, const char *at, size_t *i, struct api_overlay *out)
{
	const struct plan *plan = sb->plan;
	bool any = at && *i > 0;
	int e = recording_refuses(sb->rt);

	if (e < 0)
		return e;
	if (sb->run)
		return runtime_fail(sb->rt, -NACRE_EBUSY, "a run of this sandbox is in progress");
	for (; *i < plan->nmounts; ++*i) {
		struct fs *fs = sb->own ? sb->own[*i] : NULL;

		if (!fs || !fs_is_overlay(fs) || (at && !streq(plan->mounts[*i].at, at)))
			continue;
		*out = (struct api_overlay){fs, plan->mounts[*i].fs, plan->mounts[*i].at};
		++*i;
		return 1;
	}
	if (at && !any)
		return runtime_fail(sb->rt, -NACRE_EINVAL, "there is no overlay at %s", at);
	sb->rt->error[0] = '\0';
	return 0;
}

/* ---- The list -------------------------------------------------------------------- */

static char *join(const char *at, const char *path)
{
	size_t n = strlen(at), m = strlen(path);
	char *s = malloc(n + m + 2);

	if (s) {
		memcpy(s, at, n);
		s[n] = '/';
		memcpy(s + n + 1, path, m + 1);
	}
	return s;
}

int changes_add(struct changes_list *l, const nacre_change *c)
{
	nacre_changes *all = l->all;
	nacre_change *to;

	if (all->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		nacre_change *v = realloc(all->v, cap * sizeof(*v));

		if (!v)
			return -NACRE_ENOMEM;
		all->v = v;
		l->cap = cap;
	}
	to = &all->v[all->n++];
	*to = *c;
	to->size = sizeof(*to);
	to->path = join(l->at, c->path);
	to->from = c->from ? join(l->at, c->from) : NULL;
	return to->path && (to->from || !c->from) ? 0 : -NACRE_ENOMEM;
}

int changes_add_overlay(void *ctx, const struct overlay_change *c)
{
	const nacre_change change = {.kind = (enum nacre_change_kind)c->kind, .path = c->path, .from = c->from,
				     .old_mode = c->old_mode, .new_mode = c->new_mode,
				     .content = c->content || c->kind == OVERLAY_ADDED, .conflict = c->conflict};

	return changes_add(ctx, &change);
}

static int by_path(const void *a, const void *b)
{
	const nacre_change *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	/* A file that takes the place of another: what was there goes first. */
	return c ? c : (y->kind == NACRE_CHANGE_DELETED) - (x->kind == NACRE_CHANGE_DELETED);
}

void changes_sort(nacre_changes *all)
{
	if (all->n)
		qsort(all->v, all->n, sizeof(*all->v), by_path);
}

int nacre_overlay_changes(nacre_changes **out, nacre_sandbox *sb, const char *at)
{
	struct changes_list l = {.all = calloc(1, sizeof(*l.all))};
	struct api_overlay o;
	size_t i = 0;
	int e;

	*out = NULL;
	if (!l.all)
		return no_memory(sb);
	while ((e = overlay_next(sb, at, &i, &o)) > 0) {
		l.at = o.at;
		e = fs_overlay_changes(o.fs, changes_add_overlay, &l);
		if (e < 0) {
			runtime_fail(sb->rt, e, "cannot list the changes at %s: %s", o.at, errno_text(e));
			break;
		}
	}
	if (e < 0) {
		nacre_changes_free(l.all);
		return e;
	}
	changes_sort(l.all);
	*out = l.all;
	return 0;
}

size_t nacre_changes_count(const nacre_changes *changes)
{
	return changes->n;
}

int nacre_changes_get(nacre_change *out, const nacre_changes *changes, size_t i)
{
	if (out->size < sizeof(*out))
		return -NACRE_EINVAL;
	if (i >= changes->n)
		return -NACRE_ERANGE;
	*out = changes->v[i];
	return 0;
}

void nacre_changes_free(nacre_changes *changes)
{
	if (!changes)
		return;
	for (size_t i = 0; i < changes->n; i++) {
		free((char *)(uintptr_t)changes->v[i].path);
		free((char *)(uintptr_t)changes->v[i].from);
	}
	free(changes->v);
	free(changes);
}

/* ---- Commit and discard ------------------------------------------------------------- */

static int first_conflict(void *ctx, const struct overlay_change *c)
{
	if (!c->conflict)
		return 0;
	snprintf(ctx, API_ERROR_MAX / 2, "%s", c->path);
	return 1;
}

int nacre_overlay_commit(nacre_sandbox *sb, const char *at, unsigned flags)
{
	char path[API_ERROR_MAX / 2];
	struct api_overlay o;
	size_t i = 0;
	int e;

	if (flags & ~(unsigned)NACRE_COMMIT_FORCE)
		return runtime_fail(sb->rt, -NACRE_EINVAL, "unknown commit flags");
	/* With several overlays none is committed when one is in conflict. */
	while (!(flags & NACRE_COMMIT_FORCE) && (e = overlay_next(sb, at, &i, &o)) > 0)
		if (fs_overlay_changes(o.fs, first_conflict, path) == 1)
			return runtime_fail(sb->rt, -NACRE_ESTALE, "'%s/%s' was changed on the host meanwhile", o.at, path);
	i = 0;
	while ((e = overlay_next(sb, at, &i, &o)) > 0) {
		e = fs_overlay_commit(o.fs, (flags & NACRE_COMMIT_FORCE) != 0);
		if (e < 0)
			return runtime_fail(sb->rt, e, "cannot commit %s: %s", o.at, errno_text(e));
	}
	return e;
}

int nacre_overlay_discard(nacre_sandbox *sb, const char *at)
{
	struct api_overlay o;
	size_t i = 0;
	int e;

	while ((e = overlay_next(sb, at, &i, &o)) > 0) {
		e = fs_overlay_discard(o.fs);
		if (e < 0)
			return runtime_fail(sb->rt, e, "cannot discard the changes at %s: %s", o.at, errno_text(e));
	}
	return e;
}
