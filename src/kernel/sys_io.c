/* sys_io.c - the system calls that move bytes: reading, giving back, writing, passing on.
 *
 * What was read last through a descriptor stays held in its slot until the next read, so that
 * a slice stays valid and its end can be given back. Only the proc itself changes its table, so
 * a slot found before a sleep is the same after it. */
#include "runtime.h"

#define OWN_BUFFER 65536u /* for files that cannot hand out their bytes */

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

/* ---- Reading ------------------------------------------------------------------------ */

/* The next bytes of f as a slice with a reference, in a buffer of ours if need be: `spare`,
 * when it is large enough and nobody else's, is used again (and taken over in any case). */
static int64_t read_slice(struct proc *p, struct file *f, size_t max, struct buf *spare,
                          struct slice *out)
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
	spare->used = spare->cap; /* nobody appends behind what was read */
	*out = (struct slice){spare, spare->data, (size_t)r};
	return r;
}

/* Reads through the slot and holds what was read. What of it is kept is the caller's to account (proc_moved). */
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
		proc_moved(p, r);
	} else {
		fd_slot_forget(s);
		r = s->file->ops->read ? s->file->ops->read(s->file, buf, n, -1) : -NACRE_EINVAL;
		proc_moved(p, r);
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
	proc_moved(p, r);
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
	int64_t r;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	r = read_at(s->file, buf, n, at);
	proc_moved(p, r);
	return proc_leave(p, r);
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

static int64_t read_until(struct proc *p, struct fd_slot *s, int delim, char *buf, size_t n,
                          size_t *done)
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
		proc_moved(p, (int64_t)keep);
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

int64_t sys_read_until(struct proc *p, int fd, int delim, char *buf, size_t n, int64_t timeout_ns,
                       size_t *got)
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

/* ---- Writing ------------------------------------------------------------------------ */

uint64_t file_size_limit(struct proc *p)
{
	return sys_rlimit_get(p, SYS_RLIMIT_FILE_SIZE).soft;
}

int file_too_large(struct proc *p, uint64_t limit)
{
	uint64_t own = p->rlimits.v[SYS_RLIMIT_FILE_SIZE].soft;

	if (own != SYS_UNLIMITED && limit == own)
		signal_send(p, SYS_SIGXFSZ);
	return -NACRE_EFBIG;
}

/* What may still be written to f: n, less, or -NACRE_EFBIG. */
static int64_t within_limit(struct proc *p, struct file *f, size_t n, int64_t at)
{
	uint64_t limit = file_size_limit(p);
	struct sys_stat st;
	uint64_t from;

	if (limit == SYS_UNLIMITED || !f->ops->seek || !f->ops->truncate)
		return (int64_t)MIN(n, (size_t)INT64_MAX);
	from = (uint64_t)(at >= 0 ? at : f->offset);
	if ((f->flags & SYS_O_APPEND) && f->ops->stat && f->ops->stat(f, &st) == 0)
		from = (uint64_t)st.size;
	if (from >= limit)
		return n ? file_too_large(p, limit) : 0;
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
			            : f->ops->write(f, part.ptr, part.len,
			                            at < 0 ? at : at + (int64_t)done);
		}
		if (r == 0)
			r = -NACRE_EIO; /* no progress and no reason: never spin */
		if (r < 0) {
			if (r == -NACRE_EPIPE)
				signal_send(p, SYS_SIGPIPE);
			return r;
		}
		done += (size_t)r;
		proc_moved(p, r);
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

/* ---- Passing on --------------------------------------------------------------------- */

static int64_t splice(struct proc *p, struct fd_slot *in, struct file *out, uint64_t max,
                      bool *failed)
{
	uint64_t done = 0;

	while (!max || done < max) {
		size_t want = max ? (size_t)MIN(max - done, (uint64_t)INT32_MAX) : 0;
		int64_t r = read_held(p, in, want);

		proc_moved(p, r);
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

/* ---- The offset, the size
 * ------------------------------------------------------------------------- */

int64_t sys_seek(struct proc *p, int fd, int64_t offset, enum sys_whence whence)
{
	struct fd_slot *s;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	if (!s->file->ops->seek)
		return -NACRE_ESPIPE;
	/* Asking where we are moves nothing: what was read may still be unread. */
	if (offset != 0 || whence != SYS_SEEK_CUR)
		s->last = 0;
	return proc_leave(p, s->file->ops->seek(s->file, offset, whence));
}

int sys_ftruncate(struct proc *p, int fd, int64_t size)
{
	struct fd_slot *s;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	if (size < 0 || !(s->file->flags & SYS_O_WRITE) || !s->file->ops->truncate)
		return -NACRE_EINVAL;
	if ((uint64_t)size > file_size_limit(p))
		return (int)proc_leave(p, file_too_large(p, file_size_limit(p)));
	return (int)proc_leave(p, s->file->ops->truncate(s->file, size));
}

/* Whether `name` is one component that leads into the directory. */
static bool is_entry_name(const char *name)
{
	return *name && !strchr(name, '/') && !streq(name, ".") && !streq(name, "..");
}

int sys_stat_entry(struct proc *p, int fd, const char *name, struct sys_stat *out)
{
	struct fd_slot *s;

	proc_enter(p);
	s = fdtab_slot(&p->fds, fd);
	if (!s)
		return -NACRE_EBADF;
	if (!s->file->ops->readdir)
		return -NACRE_ENOTDIR;
	if (!is_entry_name(name))
		return -NACRE_EINVAL;
	/* A policy judges paths. */
	if (p->sb->vfs.policy || !s->file->ops->stat_entry)
		return -NACRE_ENOSYS;
	return (int)proc_leave(p, s->file->ops->stat_entry(s->file, name, out));
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
