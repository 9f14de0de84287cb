/* sys_tree.c - the system calls on paths: each hands its caller's place to the vfs. */
#include "runtime.h"

static struct vfs_who who_of(struct proc *p)
{
	return (struct vfs_who){&p->sb->vfs, p->cwd->path, p->umask, &p->sb->quota};
}

int sys_stat(struct proc *p, const char *path, unsigned flags, struct sys_stat *out)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_stat(&w, path, flags, out));
}

int sys_access(struct proc *p, const char *path, unsigned how)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_access(&w, path, how));
}

int sys_mkdir(struct proc *p, const char *path, unsigned mode)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_mkdir(&w, path, mode));
}

int sys_rmdir(struct proc *p, const char *path)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_rmdir(&w, path));
}

int sys_unlink(struct proc *p, const char *path)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_unlink(&w, path));
}

int sys_rename(struct proc *p, const char *from, const char *to, unsigned flags)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_rename(&w, from, to, flags));
}

int sys_link(struct proc *p, const char *from, const char *to, unsigned flags)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_link(&w, from, to, flags));
}

int sys_symlink(struct proc *p, const char *target, const char *path)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_symlink(&w, target, path));
}

int sys_mkfifo(struct proc *p, const char *path, unsigned mode)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_mkfifo(&w, path, mode));
}

int64_t sys_readlink(struct proc *p, const char *path, char *buf, size_t n)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return proc_leave(p, vfs_readlink(&w, path, buf, n));
}

int sys_chmod(struct proc *p, const char *path, unsigned mode, unsigned flags)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_chmod(&w, path, mode, flags));
}

int sys_chown(struct proc *p, const char *path, int64_t uid, int64_t gid, unsigned flags)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_chown(&w, path, uid, gid, flags));
}

int sys_truncate(struct proc *p, const char *path, int64_t size)
{
	struct vfs_who w;

	proc_enter(p);
	if (size < 0)
		return -NACRE_EINVAL;
	if ((uint64_t)size > file_size_limit(p))
		return (int)proc_leave(p, file_too_large(p, file_size_limit(p)));
	w = who_of(p);
	return (int)proc_leave(p, vfs_truncate(&w, path, size));
}

int sys_utimes(struct proc *p, const char *path, struct sys_time atime, struct sys_time mtime,
               unsigned flags)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_utimes(&w, path, atime, mtime, flags));
}

int64_t sys_realpath(struct proc *p, const char *path, int must_exist, char *buf, size_t n)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return proc_leave(p, vfs_realpath(&w, path, must_exist, buf, n));
}

int sys_statfs(struct proc *p, const char *path, struct sys_statfs *out)
{
	struct vfs_who w;

	proc_enter(p);
	w = who_of(p);
	return (int)proc_leave(p, vfs_statfs(&w, path, out));
}

int sys_mount_at(struct proc *p, size_t i, struct sys_statfs *out)
{
	proc_enter(p);
	return (int)proc_leave(p, vfs_mount_at(&p->sb->vfs, i, out));
}

/* ---- Files that are open ------------------------------------------------------------ */

int sys_fchmod(struct proc *p, int fd, unsigned mode)
{
	struct fd_slot *s;
	struct vfs_who w;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	w = who_of(p);
	return (int)proc_leave(p, vfs_fchmod(&w, s->file, mode));
}

int sys_fchown(struct proc *p, int fd, int64_t uid, int64_t gid)
{
	struct fd_slot *s;
	struct vfs_who w;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	w = who_of(p);
	return (int)proc_leave(p, vfs_fchown(&w, s->file, uid, gid));
}

int sys_futimes(struct proc *p, int fd, struct sys_time atime, struct sys_time mtime)
{
	struct fd_slot *s;
	struct vfs_who w;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	w = who_of(p);
	return (int)proc_leave(p, vfs_futimes(&w, s->file, atime, mtime));
}

int sys_fstatfs(struct proc *p, int fd, struct sys_statfs *out)
{
	struct fd_slot *s;
	struct vfs_who w;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	w = who_of(p);
	return (int)proc_leave(p, vfs_fstatfs(&w, s->file, out));
}

/* ---- Where a proc is ---------------------------------------------------------------- */

/* To `path`, or (NULL) to the directory that is open. */
static int64_t change_dir(struct proc *p, const char *path, struct file *f, char *buf)
{
	struct vfs_who w = who_of(p);
	struct cwd *cwd;
	int64_t n = path ? vfs_chdir(&w, path, buf, SYS_PATH_MAX) : vfs_fchdir(&w, f, buf, SYS_PATH_MAX);

	if (n < 0)
		return n;
	cwd = cwd_new(&p->sb->quota, buf, (size_t)n);
	if (!cwd)
		return -NACRE_ENOMEM;
	cwd_put(p->cwd, &p->sb->quota);
	p->cwd = cwd;
	return 0;
}

static int go_to(struct proc *p, const char *path, struct file *f)
{
	char *buf = kalloc(&p->sb->quota, SYS_PATH_MAX);
	int64_t r;

	if (!buf)
		return -NACRE_ENOMEM;
	r = change_dir(p, path, f, buf);
	kfree(&p->sb->quota, buf, SYS_PATH_MAX);
	return (int)proc_leave(p, r);
}

int sys_chdir(struct proc *p, const char *path)
{
	proc_enter(p);
	return go_to(p, path, NULL);
}

int sys_fchdir(struct proc *p, int fd)
{
	struct fd_slot *s;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	return s ? go_to(p, NULL, s->file) : -NACRE_EBADF;
}

const char *sys_getcwd(struct proc *p)
{
	proc_enter(p);
	return p->cwd->path;
}

unsigned sys_umask(struct proc *p, int mask)
{
	unsigned old = p->umask;

	proc_enter(p);
	if (mask >= 0)
		p->umask = (unsigned)mask & 0777;
	return old;
}
