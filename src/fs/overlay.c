/* overlay.c - fs/overlay: its life, and the operations that ask. The rest: overlay_ops.h. */
#include "overlay_ops.h"

#include "overlay_names.h"

#define INO_BASE ((uint64_t)1 << 48) /* far from the numbers of files below */

/* ---- Asking ---------------------------------------------------------------- */

static int overlay_walk(struct fs *fs, const char *path, struct fs_walk *w)
{
	struct ov_at a;
	int err = ov_look(overlay_of(fs), path, &a);

	*w = a.w;
	ov_at_release(&a);
	return err;
}

static int look_old(struct overlay *o, const char *path, struct ov_at *a)
{
	int err = ov_look(o, path, a);

	if (err)
		return err;
	switch (a->w.end) {
	case FS_WALK_FOUND: return 0;
	case FS_WALK_LINK: return -NACRE_ELOOP;
	case FS_WALK_NOTDIR: return -NACRE_ENOTDIR;
	default: return -NACRE_ENOENT;
	}
}

static int64_t overlay_readlink(struct fs *fs, const char *path, char *buf, size_t n)
{
	struct overlay *o = overlay_of(fs);
	struct ov_at a;
	int64_t got = look_old(o, path, &a);

	if (!got && (a.w.st.mode & SYS_S_TYPE) != SYS_S_LINK)
		got = -NACRE_EINVAL;
	if (!got)
		got = a.above ? mem_readlink(&o->up->fs, path, buf, n)
		              : o->below->ops->readlink(o->below, a.low.s, buf, n);
	ov_at_release(&a);
	return got;
}

static int overlay_access(struct fs *fs, const char *path, unsigned how)
{
	struct overlay *o = overlay_of(fs);
	struct ov_at a;
	int err = look_old(o, path, &a);
	unsigned asks = how & (SYS_R_OK | SYS_X_OK);

	if (!err)
		err = ov_may(a.w.st.mode, how);
	if (!err && !a.above && asks && o->below->ops->access)
		err = o->below->ops->access(o->below, a.low.s, asks);
	ov_at_release(&a);
	return err;
}

static int overlay_statfs(struct fs *fs, struct sys_statfs *out)
{
	int err = mem_statfs(&overlay_of(fs)->up->fs, out);

	memcpy(out->type, "overlayfs", sizeof("overlayfs"));
	return err;
}

/* ---- Life cycle ------------------------------------------------------------------ */

static void overlay_free(struct fs *fs)
{
	struct overlay *o = overlay_of(fs);

	fs_put(o->empty);
	fs_put(&o->up->fs);
	fs_put(o->below);
	kfree(o->quota, o, sizeof(*o));
}

static const struct fs_ops overlay_fs_ops = {
        .type = "overlayfs",
        .walk = overlay_walk,
        .readlink = overlay_readlink,
        .open = overlay_open,
        .mkdir = overlay_mkdir,
        .rmdir = overlay_rmdir,
        .unlink = overlay_unlink,
        .rename = overlay_rename,
        .link = overlay_link,
        .symlink = overlay_symlink,
        .mkfifo = overlay_mkfifo,
        .chmod = overlay_chmod,
        .chown = overlay_chown,
        .utimes = overlay_utimes,
        .truncate = overlay_truncate,
        .statfs = overlay_statfs,
        .access = overlay_access,
        .free = overlay_free,
};

bool fs_is_overlay(const struct fs *fs)
{
	return fs->ops == &overlay_fs_ops;
}

struct fs *fs_overlay_above(struct fs *fs)
{
	return &overlay_of(fs)->up->fs;
}

/* Root becomes what the root below is; the table of what was seen is made. */
static int furnish(struct overlay *o)
{
	struct fs_mem *m = o->up;
	struct mem_inode *root = mem_table_find(&m->state, MEM_ROOT_INO), *seen;
	struct sys_stat st;
	int err = ov_stat_below(o, "", &st);

	if (err)
		return err;
	root->origin = mem_alloc(m->store, sizeof(*root->origin) + 1);
	if (!root->origin)
		return -NACRE_ENOSPC;
	*root->origin = (struct mem_origin){1, 0, st.dev, st.ino};
	root->origin->path[0] = '\0';
	root->mode = st.mode;
	root->atime = (struct mem_time){st.atime.sec, st.atime.nsec};
	root->mtime = (struct mem_time){st.mtime.sec, st.mtime.nsec};
	root->ctime = (struct mem_time){st.ctime.sec, st.ctime.nsec};
	root->btime = (struct mem_time){st.btime.sec, st.btime.nsec};
	if (!mem_table_place(m->store, &m->state, OV_SEEN_INO))
		return -NACRE_ENOSPC;
	seen = mem_inode_new(m, NULL, SYS_S_FILE);
	if (!seen)
		return -NACRE_ENOSPC;
	if (!quota_charge(o->quota, MEM_INODE_COST)) {
		mem_inode_put(m->store, seen);
		return -NACRE_ENOSPC;
	}
	m->state.used += MEM_INODE_COST;
	mem_table_set(&m->state, OV_SEEN_INO, seen);
	m->hidden = OV_SEEN_INO;
	m->next_ino = OV_SEEN_INO + 1;
	return 0;
}

static struct overlay *overlay_alloc(struct fs *below, const struct fs_mem_config *config)
{
	struct overlay *o = kzalloc(config->quota, sizeof(*o));

	if (o) {
		o->fs = (struct fs){.ops = &overlay_fs_ops, .refs = 1};
		o->below = fs_get(below);
		o->quota = config->quota;
	}
	return o;
}

static void overlay_drop(struct overlay *o)
{
	if (o->up)
		fs_put(&o->up->fs);
	fs_put(o->below);
	kfree(o->quota, o, sizeof(*o));
}

int fs_overlay_new(struct fs *below, struct mem_store *s, const struct fs_mem_config *config,
                   struct fs **out)
{
	struct fs_mem_config mine = *config;
	struct overlay *o = overlay_alloc(below, config);
	struct fs *up;
	int err;

	if (!o)
		return -NACRE_ENOSPC;
	mine.uid = FS_UID;
	mine.gid = FS_GID;
	err = fs_mem_new(s, &mine, &up);
	if (!err) {
		o->up = mem_of(up);
		o->up->ino_base = INO_BASE;
		err = furnish(o);
	}
	if (!err)
		err = fs_mem_snapshot(&o->up->fs, &o->empty);
	if (err)
		overlay_drop(o);
	else
		*out = &o->fs;
	return err;
}

int fs_overlay_branch(struct fs *below, struct fs *snapshot, struct mem_store *s,
                      const struct fs_mem_config *config, struct fs **out)
{
	struct fs_mem_config mine = *config;
	struct overlay *o;
	struct fs *up;
	int err = fs_overlay_new(below, s, config, out);

	if (err)
		return err;
	o = overlay_of(*out);
	mine.uid = FS_UID;
	mine.gid = FS_GID;
	err = fs_mem_branch(snapshot, s, &mine, &up);
	if (err) {
		fs_put(&o->fs);
		return err;
	}
	fs_put(&o->up->fs);
	o->up = mem_of(up);
	o->up->hidden = OV_SEEN_INO;
	return 0;
}

int fs_overlay_snapshot(struct fs *fs, struct fs **out)
{
	return fs_mem_snapshot(&overlay_of(fs)->up->fs, out);
}

int fs_overlay_restore(struct fs *fs, struct fs *snapshot)
{
	return fs_mem_restore(&overlay_of(fs)->up->fs, snapshot);
}

int fs_overlay_discard(struct fs *fs)
{
	struct overlay *o = overlay_of(fs);

	return fs_mem_restore(&o->up->fs, o->empty);
}
