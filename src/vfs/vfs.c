/* vfs.c - opening files and asking about them. */
#include "reach.h"

#include "../abi/errno.h"

/* ---- Opening --------------------------------------------------------------- */

static unsigned open_access(unsigned flags)
{
	unsigned access = 0;

	if (flags & SYS_O_READ)
		access |= POLICY_READ;
	if (flags & (SYS_O_WRITE | SYS_O_TRUNC | SYS_O_CREATE))
		access |= POLICY_WRITE;
	return access;
}

static bool opens_for_writing(unsigned flags)
{
	return (flags & (SYS_O_WRITE | SYS_O_TRUNC)) != 0;
}

/* A directory with mounts in it shows them. */
static int add_mounts(const struct vfs_who *w, const struct place *p, struct file **out)
{
	if (!(*out)->ops->readdir || !mount_below(w->vfs->mounts, p->path, p->len))
		return 0;
	return mountdir_open(w->vfs, p->path, p->len, *out, w->quota, out);
}

/* Its path is kept with it. Of a descriptor that is opened by its name (/dev/fd) the file is the same, and has its own. */
static int open_in(const struct vfs_who *w, const struct place *p, unsigned flags, unsigned mode,
                   struct file **out)
{
	char *path = kalloc(w->quota, p->len + 1);
	int err = -NACRE_ENOMEM;

	if (path)
		err = p->fs->ops->open(p->fs, p->rel, flags, mode, w->quota, out);
	if (!err)
		err = add_mounts(w, p, out);
	if (!err && (*out)->refs == 1 && (*out)->quota == w->quota && !(*out)->path)
		(*out)->path = memcpy(path, p->path, p->len + 1);
	else
		kfree(w->quota, path, p->len + 1);
	return err;
}

/* Opens without walking first, which most often will do: 0, or the answer; 1: walk. */
static int open_at_once(const struct vfs_who *w, const char *path, unsigned flags, unsigned mode,
                        struct file **out)
{
	const struct mount_table *t = w->vfs->mounts;
	struct place p;
	bool plain;
	int err = place_lexical(w, path, &p, &plain);

	if (!err)
		err = policy_check(w->vfs, "open", p.path, p.len, open_access(flags), true);
	if (err)
		goto out;
	err = 1;
	if (!plain || (w->vfs->policy && (open_access(flags) & POLICY_WRITE) &&
	               policy_guards_links(w->vfs->policy)))
		goto out;
	place_locate(w, &p);
	if ((flags & (SYS_O_CREATE | SYS_O_WRITE | SYS_O_TRUNC)) &&
	    ((p.mount && p.mount->read_only) || p.fs->sealed || mount_below(t, p.path, p.len)))
		goto out;
	err = open_in(w, &p, flags, mode, out);
	/* A directory that is missing may exist for the mounts below it. */
	if (err == -NACRE_ELOOP ||
	    (err == -NACRE_ENOENT && mount_below(t, p.path, 1 + strcspn(p.path + 1, "/"))))
		err = 1;
out:
	place_release(&p);
	return err;
}

static int check_open(const struct vfs_who *w, const struct place *p, unsigned flags)
{
	int err;

	if ((flags & SYS_O_CREATE) && p->slash && p->last == PLACE_NORM)
		return -NACRE_EISDIR;
	if (!p->found)
		return !(flags & SYS_O_CREATE)                           ? -NACRE_ENOENT
		       : (err = check_mount(w, "open", p, p->mount)) < 0 ? err
		       : p->parent_synthetic                             ? -NACRE_EACCES
		                                                         : 0;
	if ((flags & SYS_O_CREATE) && (flags & SYS_O_EXCL))
		return -NACRE_EEXIST;
	if (place_is(p, SYS_S_LINK))
		return flags & SYS_O_DIRECTORY ? -NACRE_ENOTDIR : -NACRE_ELOOP;
	if (place_is(p, SYS_S_DIR) && (opens_for_writing(flags) || (flags & SYS_O_CREATE)))
		return -NACRE_EISDIR;
	if (!place_is(p, SYS_S_DIR) && (flags & SYS_O_DIRECTORY))
		return -NACRE_ENOTDIR;
	/* Writing to a device does not change the filesystem it is on. */
	if (opens_for_writing(flags) && !place_is(p, SYS_S_CHAR) && !place_is(p, SYS_S_FIFO))
		return check_mount(w, "open", p, p->mount);
	return 0;
}

static int open_slowly(const struct vfs_who *w, const char *path, unsigned flags, unsigned mode,
                       struct file **out)
{
	bool exclusive = (flags & SYS_O_CREATE) && (flags & SYS_O_EXCL);
	unsigned how = (flags & SYS_O_CREATE ? PLACE_CREATE : 0) |
	               (flags & SYS_O_NOFOLLOW || exclusive ? 0 : PLACE_FOLLOW) |
	               (opens_for_writing(flags) || exclusive ? PLACE_CHANGE : 0);
	struct place p;
	int err = reach(w, "open", path, how, open_access(flags), &p);

	if (!err)
		err = check_open(w, &p, flags);
	if (!err && p.synthetic)
		err = mountdir_open(w->vfs, p.path, p.len, NULL, w->quota, out);
	else if (!err)
		err = open_in(w, &p, flags, mode, out);
	place_release(&p);
	return err;
}

int vfs_open(const struct vfs_who *w, const char *path, unsigned flags, unsigned mode,
             struct file **out)
{
	int err;

	if (!(flags & (SYS_O_READ | SYS_O_WRITE)) ||
	    ((flags & SYS_O_CREATE) && (flags & SYS_O_DIRECTORY)))
		return -NACRE_EINVAL;
	mode &= 07777 & ~w->umask;
	err = open_at_once(w, path, flags, mode, out);
	return err == 1 ? open_slowly(w, path, flags, mode, out) : err;
}

/* ---- Asking ---------------------------------------------------------------- */

int vfs_stat(const struct vfs_who *w, const char *path, unsigned flags, struct sys_stat *out)
{
	struct place p;
	int err = reach_old(w, "stat", path, flags & SYS_NOFOLLOW ? 0 : PLACE_FOLLOW, POLICY_READ,
	                    &p);

	if (!err)
		*out = p.st;
	place_release(&p);
	return err;
}

/* By owner and mode, for filesystems that do not judge themselves. */
static int access_by_mode(const struct sys_stat *st, unsigned how)
{
	unsigned bits = st->mode;

	if (st->uid == FS_UID)
		bits >>= 6;
	else if (st->gid == FS_GID)
		bits >>= 3;
	return (bits & how) == how ? 0 : -NACRE_EACCES;
}

static int access_in(const struct place *p, unsigned how)
{
	return p->synthetic || !p->fs->ops->access ? access_by_mode(&p->st, how)
	                                           : p->fs->ops->access(p->fs, p->rel, how);
}

int vfs_access(const struct vfs_who *w, const char *path, unsigned how)
{
	unsigned access = (how & SYS_W_OK ? POLICY_WRITE : 0) |
	                  (how & (SYS_R_OK | SYS_X_OK) || !how ? POLICY_READ : 0);
	struct place p;
	int err = check_given(w, "access", path, access, false);

	if (err)
		return err;
	err = place_resolve(w, path, PLACE_FOLLOW, &p);
	if (!err)
		err = p.found ? policy_check(w->vfs, "access", p.path, p.len, access, false)
		              : -NACRE_ENOENT;
	if (!err && (how & SYS_W_OK) && p.mount && p.mount->read_only && !place_is(&p, SYS_S_CHAR))
		err = -NACRE_EROFS;
	if (!err && how)
		err = access_in(&p, how);
	place_release(&p);
	return err;
}

int64_t vfs_readlink(const struct vfs_who *w, const char *path, char *buf, size_t n)
{
	struct place p;
	int64_t got = reach_old(w, "readlink", path, 0, POLICY_READ, &p);

	if (!got && !place_is(&p, SYS_S_LINK))
		got = -NACRE_EINVAL;
	if (!got)
		got = p.fs->ops->readlink(p.fs, p.rel, buf, n);
	place_release(&p);
	return got;
}

/* The place's path as a result; takes nothing over. */
static int64_t give_path(const struct place *p, char *buf, size_t n)
{
	if (p->len >= n)
		return -NACRE_ERANGE;
	memcpy(buf, p->path, p->len + 1);
	return (int64_t)p->len;
}

int64_t vfs_chdir(const struct vfs_who *w, const char *path, char *buf, size_t n)
{
	struct place p;
	int64_t got = reach_old(w, "chdir", path, PLACE_FOLLOW, POLICY_READ, &p);

	if (!got && !place_is(&p, SYS_S_DIR))
		got = -NACRE_ENOTDIR;
	if (!got)
		got = access_in(&p, SYS_X_OK);
	if (!got)
		got = give_path(&p, buf, n);
	place_release(&p);
	return got;
}

int64_t vfs_fchdir(const struct vfs_who *w, struct file *f, char *buf, size_t n)
{
	struct place p;
	int64_t got;

	if (!f->ops->readdir)
		return -NACRE_ENOTDIR;
	got = reach_held(w, "chdir", f, POLICY_READ, &p);
	/* A working directory is a path. */
	if (!got && !p.found)
		got = -NACRE_ENOENT;
	if (!got)
		got = access_in(&p, SYS_X_OK);
	if (!got)
		got = give_path(&p, buf, n);
	place_release(&p);
	return got;
}

int64_t vfs_realpath(const struct vfs_who *w, const char *path, int must_exist, char *buf, size_t n)
{
	struct place p;
	unsigned how = PLACE_FOLLOW | PLACE_NAMES | (must_exist ? 0 : PLACE_LENIENT);
	int64_t got = reach(w, "realpath", path, how, POLICY_READ, &p);

	if (!got && must_exist == 2 && !p.found)
		got = -NACRE_ENOENT;
	if (!got)
		got = give_path(&p, buf, n);
	place_release(&p);
	return got;
}

/* Copies a path, cut at a component when it does not fit. */
static void copy_path(char *out, size_t n, const char *path)
{
	size_t len = strlen(path);

	if (len >= n)
		for (len = n - 1; len > 1 && path[len] != '/'; len--)
			;
	memcpy(out, path, len);
	out[len] = '\0';
}

static int statfs_of(const struct vfs *v, const struct mount *m, struct sys_statfs *out)
{
	struct fs *fs = m ? m->fs : v->root;
	size_t n;

	*out = (struct sys_statfs){.block_size = 4096, .read_only = m && m->read_only};
	copy_path(out->mounted_on, sizeof(out->mounted_on), m ? m->at : "/");
	copy_path(out->source, sizeof(out->source), m ? m->source : fs->ops->type);
	n = MIN(strlen(fs->ops->type), sizeof(out->type) - 1);
	memcpy(out->type, fs->ops->type, n);
	return fs->ops->statfs ? fs->ops->statfs(fs, out) : 0;
}

int vfs_statfs(const struct vfs_who *w, const char *path, struct sys_statfs *out)
{
	struct place p;
	int err = reach_old(w, "statfs", path, PLACE_FOLLOW, POLICY_READ, &p);

	if (!err)
		err = statfs_of(w->vfs, p.mount, out);
	place_release(&p);
	return err;
}

int vfs_fstatfs(const struct vfs_who *w, struct file *f, struct sys_statfs *out)
{
	struct place p;
	int err = reach_held(w, "statfs", f, POLICY_READ, &p);

	if (!err)
		err = statfs_of(w->vfs, p.mount, out);
	place_release(&p);
	return err;
}

int vfs_mount_at(const struct vfs *v, size_t i, struct sys_statfs *out)
{
	size_t n = v->mounts ? v->mounts->n : 0;

	if (i > n)
		return -NACRE_ENOENT;
	return statfs_of(v, i ? &v->mounts->v[n - i] : NULL, out);
}
