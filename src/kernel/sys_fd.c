/* sys_fd.c - the system calls on descriptors: opening, closing, copying, waiting. */
#include "../abi/errno.h"
#include "../base/fmt.h"
#include "fifo.h"
#include "pipe.h"

/* ---- Opening and closing ------------------------------------------------------------ */

static struct vfs_who who_of(struct proc *p)
{
	return (struct vfs_who){&p->sb->vfs, p->cwd->path, p->umask, &p->sb->quota};
}

/* A counted file into the lowest free slot >= min; the reference is gone in any case. */
static int install(struct proc *p, struct file *f, uint32_t min, bool cloexec)
{
	int r = file_count(f, p->sb);

	if (r == 0)
		r = fdtab_install(&p->fds, f, min, cloexec, p->sb);
	if (r < 0)
		file_drop(f, p->sb);
	return r;
}

static int open_file(struct proc *p, const char *path, unsigned flags, unsigned mode,
                     struct file **out)
{
	struct vfs_who w = who_of(p);
	struct sys_stat st;
	int r = vfs_open(&w, path, flags & ~(unsigned)SYS_O_CLOEXEC, mode, out);

	if (r != -NACRE_ENXIO)
		return r;
	/* A FIFO, or a device that is not there. */
	if (vfs_stat(&w, path, flags & SYS_O_NOFOLLOW ? SYS_NOFOLLOW : 0, &st) < 0 ||
	    (st.mode & SYS_S_TYPE) != SYS_S_FIFO)
		return r;
	if (flags & SYS_O_DIRECTORY)
		return -NACRE_ENOTDIR;
	return fifo_open(p, st.dev, st.ino, flags, out);
}

int sys_open(struct proc *p, const char *path, unsigned flags, unsigned mode)
{
	struct file *f;
	int r;

	proc_enter(p);
	r = open_file(p, path, flags, mode, &f);
	if (r == 0)
		r = install(p, f, 0, (flags & SYS_O_CLOEXEC) != 0);
	return (int)proc_leave(p, r);
}

/* What is kept of a file whose last descriptor this is. */
static int settle(struct proc *p, int fd)
{
	struct fd_slot *s = fdtab_slot(&p->fds, fd);

	return s ? file_settle(s->file) : 0;
}

int sys_close(struct proc *p, int fd)
{
	int settled, r;

	proc_enter(p);
	settled = settle(p, fd);
	if (UNLIKELY(settled < 0))
		p->unwritten = settled;
	r = fdtab_close(&p->fds, fd, p->sb);
	return (int)proc_leave(p, r < 0 ? r : settled);
}

void sys_close_failed(struct proc *p)
{
	proc_enter(p);
	p->unwritten = 0;
}

int proc_settle(struct proc *p, bool cloexec)
{
	int r = 0;

	for (uint32_t i = 0; i < p->fds.end && !p->killed; i++) {
		int e = p->fds.v[i].file && (!cloexec || p->fds.v[i].cloexec) ? file_settle(p->fds.v[i].file) : 0;

		r = r ? r : e;
	}
	return r;
}

/* "NAME: write error: Input/output error": of what could not be written out in the end. */
static void say_unwritten(struct proc *p, int err)
{
	struct fd_slot *s = fdtab_slot(&p->fds, 2);
	char line[sizeof(p->comm) + 80];
	size_t n = fmt_buf(line, sizeof(line), "%s: write error: %s\n", p->comm, errno_text(err));

	if (s && s->file->ops->write && (s->file->flags & SYS_O_WRITE) && s->file->ops->write(s->file, line, n, -1) > 0)
		run_wrote(p->run, p, s->file, n);
}

int proc_last_words(struct proc *p, int status, bool cloexec)
{
	int err = proc_settle(p, cloexec);

	/* Most programs do not look at what close says: then their end tells. */
	if (err == 0 && !cloexec && status == 0)
		err = p->unwritten;
	if (err == 0 || p->killed)
		return status;
	say_unwritten(p, err);
	return status ? status : 1;
}

int sys_pipe(struct proc *p, int fds[2])
{
	struct pipe *pipe;
	int r, w;

	proc_enter(p);
	pipe = pipe_new(p->rt, &p->sb->quota);
	if (!pipe)
		return -NACRE_ENOMEM;
	r = install(p, &pipe->reader.file, 0, false);
	if (r < 0) {
		file_drop(&pipe->writer.file, p->sb);
		return r;
	}
	w = install(p, &pipe->writer.file, 0, false);
	if (w < 0) {
		fdtab_close(&p->fds, r, p->sb);
		return w;
	}
	run_record_pipe(p->run, pipe);
	fds[0] = r;
	fds[1] = w;
	return 0;
}

int sys_dup(struct proc *p, int fd, int min, bool cloexec)
{
	struct fd_slot *s;
	struct file *f;
	int r;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	if (min < 0)
		return -NACRE_EINVAL;
	f = file_get(s->file);
	r = fdtab_install(&p->fds, f, (uint32_t)min, cloexec, p->sb);
	if (r < 0)
		file_drop(f, p->sb);
	return r == -NACRE_EMFILE && min >= (int)sys_fd_limit(p) ? -NACRE_EINVAL : r;
}

int sys_dup2(struct proc *p, int fd, int to)
{
	struct fd_slot *s;
	struct file *f;
	int r, settled;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s || to < 0)
		return -NACRE_EBADF;
	if (fd == to)
		return fd;
	f = file_get(s->file);
	settled = settle(p, to);
	if (UNLIKELY(settled < 0))
		p->unwritten = settled;
	r = fdtab_install_at(&p->fds, f, (uint32_t)to, false, p->sb);
	if (r < 0)
		file_drop(f, p->sb);
	return (int)proc_leave(p, r < 0 ? r : settled < 0 ? settled : r);
}

int sys_fd_flags(struct proc *p, int fd)
{
	struct fd_slot *s;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	return (int)((s->file->flags & (SYS_O_READ | SYS_O_WRITE | SYS_O_APPEND | SYS_O_NONBLOCK)) |
	             (s->cloexec ? SYS_O_CLOEXEC : 0u));
}

int sys_set_cloexec(struct proc *p, int fd, bool on)
{
	struct fd_slot *s;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	s->cloexec = on;
	return 0;
}

bool sys_isatty(struct proc *p, int fd)
{
	struct fd_slot *s;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	return s && s->file->ops->isatty && s->file->ops->isatty(s->file);
}

static int stat_slot(struct fd_slot *s, struct sys_stat *out)
{
	if (!s)
		return -NACRE_EBADF;
	return s->file->ops->stat ? s->file->ops->stat(s->file, out) : -NACRE_EINVAL;
}

int sys_fstat(struct proc *p, int fd, struct sys_stat *out)
{
	proc_enter(p);
	return (int)proc_leave(p, stat_slot(fdtab_slot(&p->fds, fd), out));
}

bool sys_same_file(struct proc *p, int fd_a, int fd_b)
{
	struct fd_slot *a, *b;
	struct sys_stat sa, sb;

	proc_enter(p);
	a = fdtab_slot(&p->fds, fd_a);
	b = fdtab_slot(&p->fds, fd_b);
	if (!a || !b)
		return false;
	if (a->file == b->file)
		return true;
	return stat_slot(a, &sa) == 0 && stat_slot(b, &sb) == 0 && sa.dev == sb.dev &&
	       sa.ino == sb.ino;
}

/* ---- Waiting for several
 * ---------------------------------------------------------------------------- */

/* Looks at all; queues a waiter at each place where waiting makes sense when `w` is not NULL. */
static int64_t look(struct proc *p, struct sys_poll *v, size_t n, struct waiter *w)
{
	int64_t ready = 0;

	for (size_t i = 0; i < n; i++) {
		struct fd_slot *s = fdtab_slot(&p->fds, v[i].fd);
		struct waitq *q = NULL;
		unsigned can;

		if (!s)
			return -NACRE_EBADF;
		can = s->file->ops->poll ? s->file->ops->poll(s->file, &q)
		                         : FILE_CAN_READ | FILE_CAN_WRITE;
		v[i].can_read = v[i].want_read && (can & (FILE_CAN_READ | FILE_HUNG_UP));
		v[i].can_write = v[i].want_write && (can & (FILE_CAN_WRITE | FILE_HUNG_UP));
		ready += v[i].can_read || v[i].can_write;
		if (w && q)
			waitq_add(q, &w[i]);
	}
	return ready;
}

int sys_poll(struct proc *p, struct sys_poll *v, size_t n, int64_t timeout_ns)
{
	struct waiter small[8] = {{0}}, *w = small;
	int64_t until, r;

	proc_enter(p);
	if (n > sys_fd_limit(p))
		return -NACRE_EINVAL;
	if (n > COUNTOF(small)) {
		w = kzalloc(&p->sb->quota, n * sizeof(*w));
		if (!w)
			return -NACRE_ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		w[i].proc = p;
	until = timeout_ns < 0 ? -1 : sys_time_after(p, timeout_ns);
	r = look(p, v, n, NULL);
	while (r == 0 && timeout_ns != 0) {
		r = look(p, v, n, w);
		if (r == 0)
			r = proc_wait(p, until, true);
		for (size_t i = 0; i < n; i++)
			waitq_remove(&w[i]);
		if (r == -NACRE_ETIMEDOUT) {
			r = 0;
			break;
		}
		if (r == 0)
			r = look(p, v, n, NULL);
	}
	if (w != small)
		kfree(&p->sb->quota, w, n * sizeof(*w));
	return (int)proc_leave(p, r);
}
