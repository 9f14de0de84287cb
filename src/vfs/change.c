/* change.c - the operations that change names and attributes. */
#include "reach.h"

#include "../abi/errno.h"

#define READ_WRITE (POLICY_READ | POLICY_WRITE)

/* ---- Making ---------------------------------------------------------------- */

int vfs_mkdir(const struct vfs_who *w, const char *path, unsigned mode)
{
	struct place p;
	int err = reach_new(w, "mkdir", path, true, &p);

	if (!err)
		err = p.fs->ops->mkdir ? p.fs->ops->mkdir(p.fs, p.rel, mode & 07777 & ~w->umask)
		                       : -NACRE_EROFS;
	place_release(&p);
	return err;
}

int vfs_mkfifo(const struct vfs_who *w, const char *path, unsigned mode)
{
	struct place p;
	int err = reach_new(w, "mkfifo", path, false, &p);

	if (!err)
		err = p.fs->ops->mkfifo ? p.fs->ops->mkfifo(p.fs, p.rel, mode & 07777 & ~w->umask)
		                        : -NACRE_EROFS;
	place_release(&p);
	return err;
}

int vfs_symlink(const struct vfs_who *w, const char *target, const char *path)
{
	struct place p;
	int err;

	if (!*target)
		return -NACRE_ENOENT;
	if (strlen(target) > FS_LINK_MAX)
		return -NACRE_ENAMETOOLONG;
	err = reach_new(w, "symlink", path, false, &p);
	if (!err)
		err = p.fs->ops->symlink ? p.fs->ops->symlink(p.fs, target, p.rel) : -NACRE_EROFS;
	place_release(&p);
	return err;
}

int vfs_link(const struct vfs_who *w, const char *from, const char *to, unsigned flags)
{
	struct place old, new;
	unsigned how = (flags & SYS_NOFOLLOW ? 0 : PLACE_FOLLOW) | PLACE_CHANGE;
	int err = reach_old(w, "link", from, how, READ_WRITE, &old);

	if (!err) {
		err = reach_new(w, "link", to, false, &new);
		if (!err && old.mount != new.mount)
			err = -NACRE_EXDEV;
		if (!err)
			err = old.fs->ops->link ? old.fs->ops->link(old.fs, old.rel, new.rel)
			                        : -NACRE_EROFS;
		place_release(&new);
	}
	place_release(&old);
	return err;
}

/* ---- Taking away ----------------------------------------------------------- */

int vfs_unlink(const struct vfs_who *w, const char *path)
{
	struct place p;
	int err = reach_doomed(w, "unlink", path, &p);

	if (!err && p.last != PLACE_NORM)
		err = -NACRE_EISDIR;
	if (!err && !p.found)
		err = -NACRE_ENOENT;
	if (!err && (p.slash || p.synthetic || is_mount_point(&p)))
		err = place_is(&p, SYS_S_DIR) ? -NACRE_EISDIR : -NACRE_ENOTDIR;
	if (!err)
		err = p.fs->ops->unlink ? p.fs->ops->unlink(p.fs, p.rel) : -NACRE_EROFS;
	place_release(&p);
	return err;
}

int vfs_rmdir(const struct vfs_who *w, const char *path)
{
	struct place p;
	int err = reach_doomed(w, "rmdir", path, &p);

	if (!err && p.last != PLACE_NORM)
		err = p.last == PLACE_DOT      ? -NACRE_EINVAL
		      : p.last == PLACE_DOTDOT ? -NACRE_ENOTEMPTY
		                               : -NACRE_EBUSY;
	if (!err && !p.found)
		err = -NACRE_ENOENT;
	if (!err && is_mount_point(&p))
		err = -NACRE_EBUSY;
	if (!err && mount_below(w->vfs->mounts, p.path, p.len))
		err = -NACRE_ENOTEMPTY;
	if (!err)
		err = p.fs->ops->rmdir ? p.fs->ops->rmdir(p.fs, p.rel) : -NACRE_EROFS;
	place_release(&p);
	return err;
}

/* ---- Renaming -------------------------------------------------------------- */

static bool is_below(const struct place *p, const struct place *dir)
{
	return p->len > dir->len && memcmp(p->path, dir->path, dir->len) == 0 &&
	       p->path[dir->len] == '/';
}

/* What can be said before the filesystem is asked. Both were resolved. */
static int check_rename(const struct vfs_who *w, const struct place *old, const struct place *new,
                        unsigned flags)
{
	const struct mount_table *t = w->vfs->mounts;
	int err;

	if (parent_mount(w, old) != parent_mount(w, new))
		return -NACRE_EXDEV;
	if (old->last != PLACE_NORM)
		return -NACRE_EBUSY;
	if (new->last != PLACE_NORM)
		return flags & SYS_NOREPLACE ? -NACRE_EEXIST : -NACRE_EBUSY;
	err = check_mount(w, "rename", old, parent_mount(w, old));
	if (err)
		return err;
	if (!old->found)
		return -NACRE_ENOENT;
	if (new->found && (flags & SYS_NOREPLACE))
		return -NACRE_EEXIST;
	if (!place_is(old, SYS_S_DIR) && (old->slash || new->slash))
		return -NACRE_ENOTDIR;
	if (is_below(new, old))
		return -NACRE_EINVAL;
	if (is_below(old, new))
		return -NACRE_ENOTEMPTY;
	if (is_mount_point(old) || (new->found &&is_mount_point(new)) ||
	    mount_below(t, old->path, old->len) || mount_below(t, new->path, new->len))
		return -NACRE_EBUSY;
	return new->parent_synthetic ? -NACRE_EACCES : 0;
}

int vfs_rename(const struct vfs_who *w, const char *from, const char *to, unsigned flags)
{
	struct place old, new;
	int err = reach(w, "rename", from, PLACE_PARENT | PLACE_CHANGE, READ_WRITE, &old);

	if (!err) {
		err = reach(w, "rename", to, PLACE_PARENT | PLACE_CHANGE, POLICY_WRITE, &new);
		if (!err)
			err = check_rename(w, &old, &new, flags);
		if (!err && place_is(&old, SYS_S_DIR))
			err = policy_check_tree(w, "rename", &old, READ_WRITE);
		if (!err)
			err = old.fs->ops->rename
			              ? old.fs->ops->rename(old.fs, old.rel, new.rel, flags)
			              : -NACRE_EROFS;
		place_release(&new);
	}
	place_release(&old);
	return err;
}

/* ---- Attributes ------------------------------------------------------------ */

int vfs_chmod(const struct vfs_who *w, const char *path, unsigned mode, unsigned flags)
{
	struct place p;
	int err = reach_change(w, "chmod", path, flags, &p);

	if (!err && place_is(&p, SYS_S_LINK))
		err = -NACRE_EOPNOTSUPP;
	if (!err)
		err = p.fs->ops->chmod ? p.fs->ops->chmod(p.fs, p.rel, mode & 07777) : -NACRE_EROFS;
	place_release(&p);
	return err;
}

int vfs_fchmod(const struct vfs_who *w, struct file *f, unsigned mode)
{
	struct place p;
	int err = reach_held(w, "chmod", f, POLICY_WRITE, &p);

	if (!err && f->ops->chmod)
		err = f->ops->chmod(f, mode & 07777);
	else if (!err && p.found)
		err = p.fs->ops->chmod ? p.fs->ops->chmod(p.fs, p.rel, mode & 07777) : -NACRE_EROFS;
	else if (!err)
		err = -NACRE_EOPNOTSUPP;
	place_release(&p);
	return err;
}

int vfs_chown(const struct vfs_who *w, const char *path, int64_t uid, int64_t gid, unsigned flags)
{
	struct place p;
	int err = reach_change(w, "chown", path, flags, &p);

	if (!err)
		err = p.fs->ops->chown ? p.fs->ops->chown(p.fs, p.rel, uid, gid) : -NACRE_EROFS;
	place_release(&p);
	return err;
}

int vfs_fchown(const struct vfs_who *w, struct file *f, int64_t uid, int64_t gid)
{
	struct place p;
	int err = reach_held(w, "chown", f, POLICY_WRITE, &p);

	if (!err && f->ops->chown)
		err = f->ops->chown(f, uid, gid);
	else if (!err && p.found)
		err = p.fs->ops->chown ? p.fs->ops->chown(p.fs, p.rel, uid, gid) : -NACRE_EROFS;
	else if (!err)
		err = -NACRE_EOPNOTSUPP;
	place_release(&p);
	return err;
}

static bool is_time(const struct sys_time *t)
{
	return t->nsec == SYS_TIME_NOW || t->nsec == SYS_TIME_OMIT ||
	       (t->nsec >= 0 && t->nsec <= 999999999);
}

int vfs_utimes(const struct vfs_who *w, const char *path, struct sys_time atime,
               struct sys_time mtime, unsigned flags)
{
	const struct sys_time t[2] = {atime, mtime};
	struct place p;
	int err;

	if (!is_time(&atime) || !is_time(&mtime))
		return -NACRE_EINVAL;
	err = reach_change(w, "utimes", path, flags, &p);
	if (!err)
		err = p.fs->ops->utimes ? p.fs->ops->utimes(p.fs, p.rel, t) : -NACRE_EROFS;
	place_release(&p);
	return err;
}

int vfs_futimes(const struct vfs_who *w, struct file *f, struct sys_time atime, struct sys_time mtime)
{
	const struct sys_time t[2] = {atime, mtime};
	struct place p;
	int err;

	if (!is_time(&atime) || !is_time(&mtime))
		return -NACRE_EINVAL;
	err = reach_held(w, "utimes", f, POLICY_WRITE, &p);
	if (!err && f->ops->utimes)
		err = f->ops->utimes(f, t);
	else if (!err && p.found)
		err = p.fs->ops->utimes ? p.fs->ops->utimes(p.fs, p.rel, t) : -NACRE_EROFS;
	else if (!err)
		err = -NACRE_EOPNOTSUPP;
	place_release(&p);
	return err;
}

int vfs_truncate(const struct vfs_who *w, const char *path, int64_t size)
{
	struct place p;
	int err;

	if (size < 0)
		return -NACRE_EINVAL;
	err = reach_old(w, "truncate", path, PLACE_FOLLOW | PLACE_CHANGE, POLICY_WRITE, &p);
	if (!err && !place_is(&p, SYS_S_FILE))
		err = place_is(&p, SYS_S_DIR) ? -NACRE_EISDIR : -NACRE_EINVAL;
	if (!err)
		err = check_mount(w, "truncate", &p, p.mount);
	if (!err)
		err = p.fs->ops->truncate ? p.fs->ops->truncate(p.fs, p.rel, size) : -NACRE_EROFS;
	place_release(&p);
	return err;
}
