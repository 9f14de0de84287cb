/*
 * overlay_changes.c - the list of what an overlay changes.
 *
 * The tree above is compared with what is below now: what became the same again is no change. What
 * is below is compared with what was remembered of it (overlay_seen.c): that is a conflict.
 */
#include "overlay_ops.h"

struct teller {
	struct overlay *o;
	struct ov_moves moves;
	int (*each)(void *ctx, const struct overlay_change *c);
	void *ctx;
};

/* A file below: st.mode 0 when there is none (or no path for one). */
static int look_at(struct overlay *o, const char *low, struct sys_stat *st)
{
	int err = low ? ov_stat_below(o, low, st) : -NACRE_ENOENT;

	if (err == -NACRE_ENOENT)
		st->mode = 0;
	return err == -NACRE_ENOENT ? 0 : err;
}

static bool is_dir(uint32_t mode)
{
	return (mode & SYS_S_TYPE) == SYS_S_DIR;
}

static bool moved_on(const struct overlay *o, const char *low, const struct sys_stat *st)
{
	return st->mode && !is_dir(st->mode) && ov_seen_get(o, low) != ov_digest(st);
}

/* ---- What is gone --------------------------------------------------------------- */

static int tell_deleted(struct teller *t, const char *low, const char *path);

/* What is in the directory below at `low`, shown at `path`, but for the names that `but` (may be NULL) has. */
static int tell_deleted_in(struct teller *t, const char *low, const char *path, const struct mem_inode *but)
{
	struct overlay *o = t->o;
	struct quota *q = t->moves.quota;
	struct ov_path child, shown;
	struct sys_dirent e;
	struct file *f;
	int got = o->below->ops->open(o->below, low, SYS_O_READ | SYS_O_DIRECTORY, 0, q, &f);

	if (got)
		return got;
	ov_path_init(&child, q);
	ov_path_init(&shown, q);
	while ((got = f->ops->readdir(f, &e)) > 0) {
		int err;

		if (but && mem_dir_find(but->dir, mem_name_hash(o->up->state.seed, e.name, e.len), e.name, e.len))
			continue;
		err = ov_path_join(&child, low, e.name, e.len);
		if (!err)
			err = ov_path_join(&shown, path, e.name, e.len);
		if (!err)
			err = tell_deleted(t, child.s, shown.s);
		if (err) {
			got = err;
			break;
		}
	}
	ov_path_release(&child);
	ov_path_release(&shown);
	file_put(f);
	return got;
}

static int tell_deleted(struct teller *t, const char *low, const char *path)
{
	struct overlay_change c = {.kind = OVERLAY_DELETED, .path = path, .below = low};
	struct sys_stat st;
	int err = ov_moves_has(&t->moves, low) ? -NACRE_ENOENT : ov_stat_below(t->o, low, &st);

	if (err)
		return err == -NACRE_ENOENT ? 0 : err;
	c.old_mode = st.mode;
	c.conflict = moved_on(t->o, low, &st);
	err = t->each(t->ctx, &c);
	return err || !is_dir(st.mode) ? err : tell_deleted_in(t, low, path, NULL);
}

/* ---- What is there ------------------------------------------------------------------ */

static int tell_dir(struct teller *t, const struct ov_node *n, const struct sys_stat *nat,
                    struct overlay_change *c)
{
	struct sys_stat src;
	int err = 0;

	if (n->moved) {
		err = look_at(t->o, n->source, &src);
		if (err)
			return err;
		c->kind = OVERLAY_RENAMED;
		c->from = c->below = n->source;
		c->old_mode = src.mode;
		c->conflict = src.mode == 0;
		err = nat->mode ? tell_deleted(t, n->natural, n->path) : 0;
		return err ? err : t->each(t->ctx, c);
	}
	if (is_dir(nat->mode) && (n->i->origin || !ov_moves_has(&t->moves, n->natural))) {
		c->kind = OVERLAY_MODE;
		c->below = n->natural;
		c->old_mode = nat->mode;
		if (nat->mode != n->i->mode)
			err = t->each(t->ctx, c);
		/* One that was made anew has not all of what was there. */
		return err || n->i->origin ? err : tell_deleted_in(t, n->natural, n->path, n->i);
	}
	if (nat->mode)
		err = tell_deleted(t, n->natural, n->path);
	c->kind = OVERLAY_ADDED;
	c->conflict = n->i->origin != NULL;
	return err ? err : t->each(t->ctx, c);
}

/* Is the file above the same as the one at `low`, both of one type? */
static int same_content(struct overlay *o, const struct mem_inode *i, const char *low, bool *same)
{
	*same = true;
	if (mem_is(i, SYS_S_LINK))
		return ov_same_text(o, i, low, same);
	if (!mem_is(i, SYS_S_FILE) || ((i->flags & MEM_BELOW) && streq(i->origin->path, low)))
		return 0;
	return i->flags & MEM_BELOW ? (*same = false, 0) : ov_same_data(o, i, low, same);
}

/* What was renamed over another file: that one is modified, and where it came from is nothing. */
static int tell_replaced(struct teller *t, const struct ov_node *n, const struct sys_stat *nat,
                         const struct sys_stat *src, struct overlay_change *c)
{
	struct overlay_change gone = {.kind = OVERLAY_DELETED, .path = n->source, .below = n->source,
	                              .old_mode = src->mode, .conflict = moved_on(t->o, n->source, src)};
	bool same = true;
	int err = src->mode ? t->each(t->ctx, &gone) : 0;

	if (!err && !(n->i->flags & MEM_BELOW))
		err = same_content(t->o, n->i, n->natural, &same);
	c->kind = OVERLAY_MODIFIED;
	c->below = n->natural;
	c->old_mode = nat->mode;
	c->content = true;
	c->conflict = gone.conflict || moved_on(t->o, n->natural, nat);
	if (same && !(n->i->flags & MEM_BELOW))
		c->kind = OVERLAY_TOUCHED;
	return err ? err : t->each(t->ctx, c);
}

static int tell_moved(struct teller *t, const struct ov_node *n, const struct sys_stat *nat,
                      struct overlay_change *c)
{
	struct sys_stat src;
	bool same = true;
	int err = look_at(t->o, n->source, &src);

	if (!err && src.mode)
		err = same_content(t->o, n->i, n->source, &same);
	if (err)
		return err;
	c->kind = OVERLAY_RENAMED;
	c->from = c->below = n->source;
	c->old_mode = src.mode;
	c->content = !same;
	c->conflict = src.mode == 0 || moved_on(t->o, n->source, &src);
	if (nat->mode && (nat->mode & SYS_S_TYPE) == (n->i->mode & SYS_S_TYPE) &&
	    !ov_moves_has(&t->moves, n->natural))
		return tell_replaced(t, n, nat, &src, c);
	if (nat->mode)
		err = tell_deleted(t, n->natural, n->path);
	return err ? err : t->each(t->ctx, c);
}

static int tell_file(struct teller *t, const struct ov_node *n, const struct sys_stat *nat,
                     struct overlay_change *c)
{
	const struct mem_inode *i = n->i;
	bool same = true;
	int err = 0;

	if (n->moved)
		return tell_moved(t, n, nat, c);
	if (!nat->mode || ov_moves_has(&t->moves, n->natural) ||
	    (nat->mode & SYS_S_TYPE) != (i->mode & SYS_S_TYPE)) {
		bool vanished = !nat->mode && i->origin && n->natural &&
		                streq(i->origin->path, n->natural);

		if (vanished && (i->flags & MEM_BELOW))
			return 0;
		if (nat->mode)
			err = tell_deleted(t, n->natural, n->path);
		c->kind = OVERLAY_ADDED;
		c->content = true;
		c->conflict = vanished;
		return err ? err : t->each(t->ctx, c);
	}
	err = same_content(t->o, i, n->natural, &same);
	if (err)
		return err;
	c->below = n->natural;
	c->old_mode = nat->mode;
	c->content = !same;
	c->conflict = moved_on(t->o, n->natural, nat);
	if (!same)
		c->kind = OVERLAY_MODIFIED;
	else if (nat->mode != i->mode)
		c->kind = OVERLAY_MODE;
	else if (mem_is(i, SYS_S_FILE) && (nat->mtime.sec != i->mtime.sec || nat->mtime.nsec != i->mtime.nsec))
		c->kind = OVERLAY_TOUCHED;
	else
		return 0;
	return t->each(t->ctx, c);
}

static int tell(void *ctx, const struct ov_node *n)
{
	struct teller *t = ctx;
	struct overlay_change c = {.path = n->path, .new_mode = n->i->mode};
	struct sys_stat nat;
	int err = look_at(t->o, n->natural, &nat);

	if (err)
		return err;
	if (n->whiteout)
		return nat.mode ? tell_deleted(t, n->natural, n->path) : 0;
	return mem_is(n->i, SYS_S_DIR) ? tell_dir(t, n, &nat, &c) : tell_file(t, n, &nat, &c);
}

int fs_overlay_changes(struct fs *fs, int (*each)(void *ctx, const struct overlay_change *c),
                       void *ctx)
{
	struct teller t = {.o = overlay_of(fs), .each = each, .ctx = ctx};
	int err = ov_moves_collect(t.o, &t.moves);

	if (!err)
		err = ov_each(t.o, &t.moves, tell, NULL, &t);
	ov_moves_release(t.o, &t.moves);
	return err;
}
