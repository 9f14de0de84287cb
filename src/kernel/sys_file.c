/* sys_file.c - the system calls on descriptors: opening, reading, writing, passing on.
 *
 * What was read last through a descriptor stays held in its slot until the next read, so that
 * a slice stays valid and its end can be given back. Only the proc itself changes its table, so
 * a slot found before a sleep is the same after it. */
#include "fifo.h"
#include "pipe.h"

#define OWN_BUFFER 65536u	/* for files that cannot hand out their bytes */

static bool reads_by_slice(const struct file *f)
{
	/* Pipes and the like: giving back needs the slice. Files with an offset step back. */
	return f->ops->read_slice && f->ops->unread && !f->ops->seek;
}

static int check_readable(const struct file *f)
{
	if (!(f->flags & SYS_O_READ))
		return -NACRE_EBADF;
	if (f->ops->readdir && !f->ops->read)
		return -NACRE_EISDIR;
	return f->ops->read || f->ops->read_slice ? 0 : -NACRE_EBADF;
}

static int check_writable(const struct file *f)
{
	return (f->flags & SYS_O_WRITE) && f->ops->write ? 0 : -NACRE_EBADF;
}

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

static int open_file(struct proc *p, const char *path, unsigned flags, unsigned mode, struct file **out)
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

int sys_close(struct proc *p, int fd)
{
	proc_enter(p);
	return (int)proc_leave(p, fdtab_close(&p->fds, fd, p->sb));
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
	int r;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s || to < 0)
		return -NACRE_EBADF;
	if (fd == to)
		return fd;
	f = file_get(s->file);
	r = fdtab_install_at(&p->fds, f, (uint32_t)to, false, p->sb);
	if (r < 0)
		file_drop(f, p->sb);
	return (int)proc_leave(p, r);
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
	return stat_slot(a, &sa) == 0 && stat_slot(b, &sb) == 0 && sa.dev == sb.dev && sa.ino == sb.ino;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* The next bytes of f as a slice with a reference, in a buffer of ours if need be: `spare`,
 * when it is large enough and nobody else's, is used again (and taken over in any case). */
static int64_t read_slice(struct proc *p, struct file *f, size_t max, struct buf *spare, struct slice *out)
{
	size_t n = max ? MIN(max, (size_t)OWN_BUFFER) : OWN_BUFFER;
	int64_t r;

	*out = (struct slice){0};
	if (f->ops->read_slice) {
		buf_put(spare);
		return f->ops->read_slice(f, max, out);
	}
	if (!spare || spare->refs != 1 || spare->cap < n) {
		buf_put(spare);
		spare = buf_new(&p->sb->quota, (uint32_t)n);
		if (!spare)
			return -NACRE_ENOMEM;
	}
	r = f->ops->read(f, spare->data, n, -1);
	if (r <= 0) {
		buf_put(spare);
		return r;
	}
	spare->used = spare->cap;	/* nobody appends behind what was read */
	*out = (struct slice){spare, spare->data, (size_t)r};
	return r;
}

/* Reads through the slot and holds what was read. */
static int64_t read_held(struct proc *p, struct fd_slot *s, size_t max)
{
	struct buf *spare = s->held.buf;
	struct slice got;
	int64_t r;

	s->held = (struct slice){0};
	s->last = 0;
	r = read_slice(p, s->file, max, spare, &got);
	if (r > 0) {
		s->held = got;
		s->last = (uint32_t)r;
	} else {
		slice_release(&got);
	}
	return r;
}

int64_t sys_read(struct proc *p, int fd, void *buf, size_t n)
{
	struct fd_slot *s;
	int64_t r;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	r = check_readable(s->file);
	if (r < 0)
		return r;
	n = MIN(n, (size_t)INT32_MAX);
	if (n && reads_by_slice(s->file)) {
		r = read_held(p, s, n);
		if (r > 0)
			memcpy(buf, s->held.ptr, (size_t)r);
	} else {
		fd_slot_forget(s);
		r = s->file->ops->read ? s->file->ops->read(s->file, buf, n, -1) : -NACRE_EINVAL;
		s->last = r > 0 ? (uint32_t)r : 0;
	}
	return proc_leave(p, r);
}

int64_t sys_read_slice(struct proc *p, int fd, size_t max, struct sys_slice *out)
{
	struct fd_slot *s;
	int64_t r;

	*out = (struct sys_slice){0};
	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	r = check_readable(s->file);
	if (r < 0)
		return r;
	r = read_held(p, s, MIN(max, (size_t)INT32_MAX));
	if (r > 0)
		*out = (struct sys_slice){s->held.ptr, s->held.len};
	return proc_leave(p, r);
}

static int give_back(struct file *f, const struct slice *s, size_t n)
{
	int64_t r;

	if (!n)
		return 0;
	if (f->ops->unread)
		return f->ops->unread(f, s, n);
	if (!f->ops->seek)
		return -NACRE_ESPIPE;
	r = f->ops->seek(f, -(int64_t)n, SYS_SEEK_CUR);
	return r < 0 ? (int)r : 0;
}

int sys_unread(struct proc *p, int fd, size_t n)
{
	struct fd_slot *s;
	struct slice whole;
	int r;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	if (n > s->last)
		return -NACRE_EINVAL;
	whole = s->held.ptr ? s->held : (struct slice){NULL, NULL, s->last};
	r = give_back(s->file, &whole, n);
	if (r < 0)
		return r;
	s->last -= (uint32_t)n;
	if (s->held.ptr)
		s->held.len -= n;
	return 0;
}

static int64_t read_at(struct file *f, void *buf, size_t n, int64_t at)
{
	int r = check_readable(f);

	if (r < 0)
		return r;
	if (at < 0)
		return -NACRE_EINVAL;
	if (!f->ops->seek)
		return -NACRE_ESPIPE;
	return f->ops->read(f, buf, MIN(n, (size_t)INT32_MAX), at);
}

int64_t sys_pread(struct proc *p, int fd, void *buf, size_t n, int64_t at)
{
	struct fd_slot *s;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	return s ? proc_leave(p, read_at(s->file, buf, n, at)) : -NACRE_EBADF;
}

/* How many bytes to take at a time where taking too many must be paid by stepping back. */
static size_t step_size(const struct file *f, size_t want, size_t done)
{
	if (!f->ops->unread && !f->ops->seek)
		return 1;
	if (reads_by_slice(f))
		return want;
	return MIN(want, MIN(MAX(done * 2, (size_t)256), (size_t)4096));
}

static int64_t read_until(struct proc *p, struct fd_slot *s, int delim, char *buf, size_t n, size_t *done)
{
	while (*done < n) {
		size_t want = delim < 0 ? n - *done : step_size(s->file, n - *done, *done);
		int64_t r = read_held(p, s, want);
		const char *hit;
		size_t keep;

		if (r <= 0)
			return r;
		keep = MIN((size_t)r, n - *done);
		hit = delim < 0 ? NULL : memchr(s->held.ptr, delim, keep);
		if (hit)
			keep = (size_t)(hit - s->held.ptr) + 1;
		memcpy(buf + *done, s->held.ptr, keep);
		*done += keep;
		if (keep < (size_t)r) {
			int e = give_back(s->file, &s->held, (size_t)r - keep);

			if (e < 0)
				return e;
		}
		if (hit)
			return 0;
	}
	return 0;
}

int64_t sys_read_until(struct proc *p, int fd, int delim, char *buf, size_t n, int64_t timeout_ns, size_t *got)
{
	struct fd_slot *s;
	size_t done = 0;
	int64_t r;

	if (got)
		*got = 0;
	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	r = check_readable(s->file);
	if (r < 0)
		return r;
	p->read_until = timeout_ns < 0 ? -1 : sys_time_after(p, timeout_ns);
	r = read_until(p, s, delim, buf, n, &done);
	p->read_until = -1;
	fd_slot_forget(s);
	if (got)
		*got = done;
	return proc_leave(p, r < 0 ? r : (int64_t)done);
}

/* ---- Writing ---------------------------------------------------------------------------------- */

/* What may still be written to f: n, less, or -NACRE_EFBIG. */
static int64_t within_limit(struct proc *p, struct file *f, size_t n, int64_t at)
{
	uint64_t limit = p->sb->config->limits.file_size;
	struct sys_stat st;
	uint64_t from;

	if (!limit || !f->ops->seek || !f->ops->truncate)
		return (int64_t)MIN(n, (size_t)INT64_MAX);
	from = (uint64_t)(at >= 0 ? at : f->offset);
	if ((f->flags & SYS_O_APPEND) && f->ops->stat && f->ops->stat(f, &st) == 0)
		from = (uint64_t)st.size;
	if (from >= limit)
		return n ? -NACRE_EFBIG : 0;
	return (int64_t)MIN((uint64_t)n, limit - from);
}

/* Everything, or an error. s: the bytes by reference, when they have a buffer. */
static int64_t write_all(struct proc *p, struct file *f, const struct slice *s, int64_t at)
{
	size_t done = 0;

	while (done < s->len) {
		int64_t r = within_limit(p, f, s->len - done, at < 0 ? at : at + (int64_t)done);

		if (r >= 0) {
			struct slice part = {s->buf, s->ptr + done, (size_t)r};

			r = s->buf && at < 0 && f->ops->write_slice
				    ? f->ops->write_slice(f, &part)
				    : f->ops->write(f, part.ptr, part.len, at < 0 ? at : at + (int64_t)done);
		}
		if (r == 0)
			r = -NACRE_EIO;		/* no progress and no reason: never spin */
		if (r < 0) {
			if (r == -NACRE_EPIPE)
				signal_send(p, SYS_SIGPIPE);
			return r;
		}
		done += (size_t)r;
		run_wrote(p->run, p, f, (uint64_t)r);
		if (p->killed)
			return -NACRE_EKILLED;
	}
	return (int64_t)done;
}

int64_t sys_write(struct proc *p, int fd, const void *buf, size_t n)
{
	struct fd_slot *s;
	int64_t r;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	r = check_writable(s->file);
	if (r < 0)
		return r;
	return proc_leave(p, write_all(p, s->file, &(struct slice){NULL, buf, n}, -1));
}

int64_t sys_pwrite(struct proc *p, int fd, const void *buf, size_t n, int64_t at)
{
	struct fd_slot *s;
	int64_t r;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	r = check_writable(s->file);
	if (r == 0 && at < 0)
		r = -NACRE_EINVAL;
	if (r == 0 && !s->file->ops->seek)
		r = -NACRE_ESPIPE;
	return r < 0 ? r : proc_leave(p, write_all(p, s->file, &(struct slice){NULL, buf, n}, at));
}

int64_t sys_write_slice(struct proc *p, int fd, int from, const char *ptr, size_t n)
{
	struct fd_slot *s, *source;
	struct slice part = {NULL, ptr, n};
	int64_t r;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	source = fdtab_slot(&p->fds, from);
	if (!s)
		return -NACRE_EBADF;
	r = check_writable(s->file);
	if (r < 0)
		return r;
	if (source && source->held.buf && ptr >= source->held.ptr &&
	    ptr + n <= source->held.ptr + source->held.len)
		part.buf = source->held.buf;
	return proc_leave(p, write_all(p, s->file, &part, -1));
}

/* ---- Passing on --------------------------------------------------------------------------------- */

static int64_t splice(struct proc *p, struct fd_slot *in, struct file *out, uint64_t max, bool *failed)
{
	uint64_t done = 0;

	while (!max || done < max) {
		size_t want = max ? (size_t)MIN(max - done, (uint64_t)INT32_MAX) : 0;
		int64_t r = read_held(p, in, want);

		if (r < 0)
			return r;
		if (r == 0)
			break;
		done += (uint64_t)r;
		r = write_all(p, out, &in->held, -1);
		if (r < 0) {
			*failed = true;
			return r;
		}
		p->u.fuel -= 32;
		if (p->u.fuel < 0 && (r = proc_pause(p)) < 0)
			return r;
	}
	return (int64_t)done;
}

int64_t sys_splice(struct proc *p, int in, int out, uint64_t max, bool *out_failed)
{
	struct fd_slot *from, *to;
	int64_t r;

	*out_failed = false;
	proc_enter(p);
	from = fdtab_slot(&p->fds, in);
	to = fdtab_slot(&p->fds, out);
	if (!from)
		return -NACRE_EBADF;
	r = check_readable(from->file);
	if (r < 0)
		return r;
	r = to ? check_writable(to->file) : -NACRE_EBADF;
	if (r < 0) {
		*out_failed = true;
		return r;
	}
	r = splice(p, from, to->file, max, out_failed);
	fd_slot_forget(from);
	return proc_leave(p, r);
}

/* ---- The offset, the size ------------------------------------------------------------------------- */

int64_t sys_seek(struct proc *p, int fd, int64_t offset, enum sys_whence whence)
{
	struct fd_slot *s;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	if (!s->file->ops->seek)
		return -NACRE_ESPIPE;
	fd_slot_forget(s);
	return proc_leave(p, s->file->ops->seek(s->file, offset, whence));
}

int sys_ftruncate(struct proc *p, int fd, int64_t size)
{
	uint64_t limit = p->sb->config->limits.file_size;
	struct fd_slot *s;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	if (size < 0 || !(s->file->flags & SYS_O_WRITE) || !s->file->ops->truncate)
		return -NACRE_EINVAL;
	if (limit && (uint64_t)size > limit)
		return -NACRE_EFBIG;
	return (int)proc_leave(p, s->file->ops->truncate(s->file, size));
}

int sys_readdir(struct proc *p, int fd, struct sys_dirent *out)
{
	struct fd_slot *s;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	if (!s->file->ops->readdir)
		return -NACRE_ENOTDIR;
	return (int)proc_leave(p, s->file->ops->readdir(s->file, out));
}

/* ---- Waiting for several ---------------------------------------------------------------------------- */

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
		can = s->file->ops->poll ? s->file->ops->poll(s->file, &q) : FILE_CAN_READ | FILE_CAN_WRITE;
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
