/*
 * vfs.c - the operations on paths: resolve, ask the policy, let the filesystem do it.
 *
 * Every operation goes through reach or reach_new below, which is where the policy is asked, about the path as it
 * was given and as it was resolved. The order in which errors are found is Linux's.
 */
#include "vfs.h"

#include "../abi/errno.h"
#include "path.h"

#define READ_WRITE (POLICY_READ | POLICY_WRITE)

/* ---- The policy ------------------------------------------------------------------------- */

static void tell_denied(const struct vfs *v, const char *op, const char *path, unsigned access, size_t rule,
			int err)
{
	const struct policy_denial d = {
		.path = path,
		.operation = op,
		.access = access & POLICY_WRITE ? POLICY_WRITE : POLICY_READ,
		.rule = rule,
		.pattern = rule == SIZE_MAX ? NULL : policy_pattern(v->policy, rule),
		.err = err,
	};

	if (v->denied)
		v->denied(v->ctx, &d);
}

int policy_check(const struct vfs *v, const char *op, const char *path, unsigned access, bool tell)
{
	size_t rule;

	if (!v->policy || !access || !policy_refuses(v->policy, path, access, &rule))
		return 0;
	if (tell)
		tell_denied(v, op, path, access, rule, -NACRE_EACCES);
	return -NACRE_EACCES;
}

/* The same for a path as it was written. */
static int check_given(const struct vfs_who *w, const char *op, const char *path, unsigned access, bool tell)
{
	struct place p;
	bool plain;
	int err;

	if (!w->vfs->policy || !access)
		return 0;
	err = place_lexical(w, path, &p, &plain);
	if (!err)
		err = policy_check(w->vfs, op, p.path, access, tell);
	place_release(&p);
	return err;
}

/* Refuses writing where the mount is read-only. */
static int check_mount(const struct vfs_who *w, const char *op, const struct place *p, const struct mount *m)
{
	if (!m || !m->read_only)
		return 0;
	tell_denied(w->vfs, op, p->path, POLICY_WRITE, SIZE_MAX, -NACRE_EROFS);
	return -NACRE_EROFS;
}

static const struct mount *parent_mount(const struct vfs_who *w, const struct place *p)
{
	size_t len = p->len;

	while (len > 1 && p->path[--len] != '/')
		;
	return mount_of(w->vfs->mounts, p->path, len);
}

static bool is_mount_point(const struct place *p)
{
	return !*p->rel;
}

static bool is_type(const struct place *p, uint32_t type)
{
	return p->found && (p->st.mode & SYS_S_TYPE) == type;
}

/* ---- Reaching ---------------------------------------------------------------------------- */

/* A file that is there, or may be missing (p->found). */
static int reach(const struct vfs_who *w, const char *op, const char *path, unsigned how, unsigned access,
		 struct place *p)
{
	int err = check_given(w, op, path, access, true);

	if (err) {
		p->path = p->inside;
		p->text = NULL;
		return err;
	}
	err = place_resolve(w, path, how, p);
	if (!err && p->moved)
		err = policy_check(w->vfs, op, p->path, access, true);
	return err;
}

/* A file that must be there. */
static int reach_old(const struct vfs_who *w, const char *op, const char *path, unsigned how, unsigned access,
		     struct place *p)
{
	int err = reach(w, op, path, how, access, p);

	return err ? err : p->found ? 0 : -NACRE_ENOENT;
}

/* A name to be made: it must be missing, and its directory writable. */
static int reach_new(const struct vfs_who *w, const char *op, const char *path, bool dir, struct place *p)
{
	int err = place_resolve(w, path, PLACE_PARENT, p), denied;

	if (!err && (p->found || p->last != PLACE_NORM)) {
		/* That it exists is told to who may read it. */
		err = check_given(w, op, path, POLICY_READ, true);
		if (!err)
			err = policy_check(w->vfs, op, p->path, POLICY_READ, true);
		return err ? err : -NACRE_EEXIST;
	}
	denied = check_given(w, op, path, POLICY_WRITE, true);
	if (!err && !denied && p->moved)
		denied = policy_check(w->vfs, op, p->path, POLICY_WRITE, true);
	if (denied || err)
		return denied ? denied : err;
	if (p->slash && !dir)
		return -NACRE_ENOENT;
	err = check_mount(w, op, p, p->mount);
	return err ? err : p->parent_synthetic ? -NACRE_EACCES : 0;
}

/* A name to be taken away. */
static int reach_doomed(const struct vfs_who *w, const char *op, const char *path, struct place *p)
{
	int err = reach(w, op, path, PLACE_PARENT, POLICY_WRITE, p);

	if (!err && p->last == PLACE_NORM)
		err = check_mount(w, op, p, parent_mount(w, p));
	return err;
}

/* An existing file whose attributes are to be changed. */
static int reach_change(const struct vfs_who *w, const char *op, const char *path, unsigned flags,
			struct place *p)
{
	int err = reach_old(w, op, path, flags & SYS_NOFOLLOW ? 0 : PLACE_FOLLOW, POLICY_WRITE, p);

	if (!err)
		err = check_mount(w, op, p, p->mount);
	return err ? err : p->synthetic ? -NACRE_EROFS : 0;
}

/* ---- Opening ------------------------------------------------------------------------------- */

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

static int open_in(const struct vfs_who *w, const struct place *p, unsigned flags, unsigned mode,
		   struct file **out)
{
	int err = p->fs->ops->open(p->fs, p->rel, flags, mode, w->quota, out);

	return err ? err : add_mounts(w, p, out);
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
		err = policy_check(w->vfs, "open", p.path, open_access(flags), true);
	if (err)
		goto out;
	err = 1;
	if (!plain)
		goto out;
	place_locate(w, &p);
	if ((flags & (SYS_O_CREATE | SYS_O_WRITE | SYS_O_TRUNC)) &&
	    ((p.mount && p.mount->read_only) || mount_below(t, p.path, p.len)))
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
	if ((flags & SYS_O_CREATE) && p->slash && p->last == PLACE_NORM)
		return -NACRE_EISDIR;
	if (!p->found)
		return !(flags & SYS_O_CREATE) ? -NACRE_ENOENT
		       : check_mount(w, "open", p, p->mount) ? -NACRE_EROFS
		       : p->parent_synthetic ? -NACRE_EACCES
					     : 0;
	if ((flags & SYS_O_CREATE) && (flags & SYS_O_EXCL))
		return -NACRE_EEXIST;
	if (is_type(p, SYS_S_LINK))
		return flags & SYS_O_DIRECTORY ? -NACRE_ENOTDIR : -NACRE_ELOOP;
	if (is_type(p, SYS_S_DIR) && (opens_for_writing(flags) || (flags & SYS_O_CREATE)))
		return -NACRE_EISDIR;
	if (!is_type(p, SYS_S_DIR) && (flags & SYS_O_DIRECTORY))
		return -NACRE_ENOTDIR;
	/* Writing to a device does not change the filesystem it is on. */
	if (opens_for_writing(flags) && !is_type(p, SYS_S_CHAR) && !is_type(p, SYS_S_FIFO))
		return check_mount(w, "open", p, p->mount);
	return 0;
}

static int open_slowly(const struct vfs_who *w, const char *path, unsigned flags, unsigned mode,
		       struct file **out)
{
	bool exclusive = (flags & SYS_O_CREATE) && (flags & SYS_O_EXCL);
	unsigned how = (flags & SYS_O_CREATE ? PLACE_CREATE : 0) |
		       (flags & SYS_O_NOFOLLOW || exclusive ? 0 : PLACE_FOLLOW);
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

int vfs_open(const struct vfs_who *w, const char *path, unsigned flags, unsigned mode, struct file **out)
{
	int err;

	if (!(flags & (SYS_O_READ | SYS_O_WRITE)) || ((flags & SYS_O_CREATE) && (flags & SYS_O_DIRECTORY)))
		return -NACRE_EINVAL;
	mode &= 07777 & ~w->umask;
	err = open_at_once(w, path, flags, mode, out);
	return err == 1 ? open_slowly(w, path, flags, mode, out) : err;
}

/* ---- Asking ------------------------------------------------------------------------------------ */

int vfs_stat(const struct vfs_who *w, const char *path, unsigned flags, struct sys_stat *out)
{
	struct place p;
	int err = reach_old(w, "stat", path, flags & SYS_NOFOLLOW ? 0 : PLACE_FOLLOW, POLICY_READ, &p);

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
		err = p.found ? policy_check(w->vfs, "access", p.path, access, false) : -NACRE_ENOENT;
	if (!err && (how & SYS_W_OK) && p.mount && p.mount->read_only && !is_type(&p, SYS_S_CHAR))
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

	if (!got && !is_type(&p, SYS_S_LINK))
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

	if (!got && !is_type(&p, SYS_S_DIR))
		got = -NACRE_ENOTDIR;
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

int vfs_mount_at(const struct vfs *v, size_t i, struct sys_statfs *out)
{
	size_t n = v->mounts ? v->mounts->n : 0;

	if (i > n)
		return -NACRE_ENOENT;
	return statfs_of(v, i ? &v->mounts->v[n - i] : NULL, out);
}

/* ---- Making ------------------------------------------------------------------------------------ */

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
	int err = reach_old(w, "link", from, flags & SYS_NOFOLLOW ? 0 : PLACE_FOLLOW, READ_WRITE, &old);

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

/* ---- Taking away --------------------------------------------------------------------------------- */

int vfs_unlink(const struct vfs_who *w, const char *path)
{
	struct place p;
	int err = reach_doomed(w, "unlink", path, &p);

	if (!err && p.last != PLACE_NORM)
		err = -NACRE_EISDIR;
	if (!err && !p.found)
		err = -NACRE_ENOENT;
	if (!err && (p.slash || p.synthetic || is_mount_point(&p)))
		err = is_type(&p, SYS_S_DIR) ? -NACRE_EISDIR : -NACRE_ENOTDIR;
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

/* ---- Renaming -------------------------------------------------------------------------------------- */

static bool is_below(const struct place *p, const struct place *dir)
{
	return p->len > dir->len && memcmp(p->path, dir->path, dir->len) == 0 && p->path[dir->len] == '/';
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
	if (!is_type(old, SYS_S_DIR) && (old->slash || new->slash))
		return -NACRE_ENOTDIR;
	if (is_below(new, old))
		return -NACRE_EINVAL;
	if (is_below(old, new))
		return -NACRE_ENOTEMPTY;
	if (is_mount_point(old) || (new->found && is_mount_point(new)) ||
	    mount_below(t, old->path, old->len) || mount_below(t, new->path, new->len))
		return -NACRE_EBUSY;
	return new->parent_synthetic ? -NACRE_EACCES : 0;
}

int vfs_rename(const struct vfs_who *w, const char *from, const char *to, unsigned flags)
{
	struct place old, new;
	int err = reach(w, "rename", from, PLACE_PARENT, READ_WRITE, &old);

	if (!err) {
		err = reach(w, "rename", to, PLACE_PARENT, POLICY_WRITE, &new);
		if (!err)
			err = check_rename(w, &old, &new, flags);
		if (!err && is_type(&old, SYS_S_DIR))
			err = policy_check_tree(w, "rename", &old, READ_WRITE);
		if (!err)
			err = old.fs->ops->rename ? old.fs->ops->rename(old.fs, old.rel, new.rel, flags)
						  : -NACRE_EROFS;
		place_release(&new);
	}
	place_release(&old);
	return err;
}

/* ---- Attributes --------------------------------------------------------------------------------------- */

int vfs_chmod(const struct vfs_who *w, const char *path, unsigned mode, unsigned flags)
{
	struct place p;
	int err = reach_change(w, "chmod", path, flags, &p);

	if (!err && is_type(&p, SYS_S_LINK))
		err = -NACRE_EOPNOTSUPP;
	if (!err)
		err = p.fs->ops->chmod ? p.fs->ops->chmod(p.fs, p.rel, mode & 07777) : -NACRE_EROFS;
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

static bool is_time(const struct sys_time *t)
{
	return t->nsec == SYS_TIME_NOW || t->nsec == SYS_TIME_OMIT || (t->nsec >= 0 && t->nsec <= 999999999);
}

int vfs_utimes(const struct vfs_who *w, const char *path, struct sys_time atime, struct sys_time mtime,
	       unsigned flags)
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

int vfs_truncate(const struct vfs_who *w, const char *path, int64_t size)
{
	struct place p;
	int err;

	if (size < 0)
		return -NACRE_EINVAL;
	err = reach_old(w, "truncate", path, PLACE_FOLLOW, POLICY_WRITE, &p);
	if (!err && !is_type(&p, SYS_S_FILE))
		err = is_type(&p, SYS_S_DIR) ? -NACRE_EISDIR : -NACRE_EINVAL;
	if (!err)
		err = check_mount(w, "truncate", &p, p.mount);
	if (!err)
		err = p.fs->ops->truncate ? p.fs->ops->truncate(p.fs, p.rel, size) : -NACRE_EROFS;
	place_release(&p);
	return err;
}
