/* pipe.c - a pipe: a bounded queue of slices of counted buffers.
 *
 * The queue is a ring of slices. Adjacent ones of the same buffer are merged. Copied bytes
 * are gathered in `fill`, a page at first and 64 KiB once the pipe has proved to be a stream;
 * when the reader has caught up and holds nothing, the buffer is used again from its start.
 *
 * A writer runs until the pipe is full; it is woken when a page is free again. Readers are
 * woken by the first byte. Whoever waits holds a reference on its end, so the pipe stays. */
#include "pipe.h"

#include "fifo.h"
#include "run.h"
#include "stream.h"

#define FILL_SMALL       (4096u - (uint32_t)sizeof(struct buf))
#define FILL_LARGE       65536u
#define FILL_SMALL_TOTAL 16384u /* beyond this many bytes it is a stream */
#define COPY_BELOW       512u   /* a slice smaller than this is not worth pinning its buffer */

static const struct file_ops pipe_ops;

/* ---- The ring ----------------------------------------------------------------------- */

static struct slice *slot(struct pipe *pipe, uint32_t i)
{
	return &pipe->ring[(pipe->head + i) % PIPE_SLOTS];
}

/* Takes over the slice's reference. The caller has seen that a slot is free. */
static void append(struct pipe *pipe, struct slice s)
{
	struct slice *last = pipe->count ? slot(pipe, pipe->count - 1u) : NULL;

	pipe->bytes += (uint32_t)s.len;
	pipe->total += s.len;
	if (last && s.buf && last->buf == s.buf && last->ptr + last->len == s.ptr) {
		last->len += s.len;
		buf_put(s.buf);
		return;
	}
	*slot(pipe, pipe->count) = s;
	pipe->count++;
}

/* Where the next copied bytes can go, at most n; NULL without memory. */
static char *fill_space(struct pipe *pipe, size_t *n)
{
	struct buf *b = pipe->fill;

	if (b && !pipe->count && b->refs == 1)
		b->used = 0;
	if (!b || b->used == b->cap ||
	    (b->cap == FILL_SMALL && pipe->total > FILL_SMALL_TOTAL && b->used == 0)) {
		uint32_t cap = pipe->total > FILL_SMALL_TOTAL ? FILL_LARGE : FILL_SMALL;
		struct buf *fresh = buf_new(pipe->quota, cap);

		if (!fresh && cap == FILL_LARGE)
			fresh = buf_new(pipe->quota, FILL_SMALL);
		if (!fresh)
			return NULL;
		buf_put(b);
		pipe->fill = b = fresh;
	}
	*n = MIN(*n, (size_t)(b->cap - b->used));
	return b->data + b->used;
}

int64_t pipe_put(struct pipe *pipe, const void *buf, size_t n)
{
	const char *from = buf;
	size_t done = 0;

	while (done < n && pipe->bytes < PIPE_LIMIT) {
		size_t part = MIN(n - done, (size_t)(PIPE_LIMIT - pipe->bytes));
		char *to = fill_space(pipe, &part);
		struct buf *b = pipe->fill;

		if (!to)
			return done ? (int64_t)done : -NACRE_ENOMEM;
		if (pipe->count >= PIPE_SLOTS_WRITE) {
			const struct slice *last = slot(pipe, pipe->count - 1u);

			if (last->buf != b || last->ptr + last->len != to)
				break;
		}
		memcpy(to, from + done, part);
		b->used += (uint32_t)part;
		append(pipe, (struct slice){buf_get(b), to, part});
		done += part;
	}
	return (int64_t)done;
}

bool pipe_peek(const struct pipe *pipe, struct slice *out)
{
	if (!pipe->count)
		return false;
	*out = pipe->ring[pipe->head];
	return true;
}

static void woken_space(struct pipe *pipe)
{
	if (pipe->bytes + PIPE_ATOMIC <= PIPE_LIMIT && pipe->count < PIPE_SLOTS_WRITE &&
	    !waitq_empty(&pipe->writable))
		waitq_wake(&pipe->writable);
}

void pipe_drop(struct pipe *pipe, size_t n)
{
	struct slice *s = &pipe->ring[pipe->head];

	pipe->bytes -= (uint32_t)n;
	s->ptr += n;
	s->len -= n;
	if (!s->len) {
		buf_put(s->buf);
		pipe->head = (uint16_t)((pipe->head + 1u) % PIPE_SLOTS);
		pipe->count--;
	}
	woken_space(pipe);
}

/* Takes the first slice, or its first `max` bytes, out; `out` gets a reference. */
static int64_t take(struct pipe *pipe, size_t max, struct slice *out)
{
	struct slice *s = &pipe->ring[pipe->head];

	*out = *s;
	if (max && max < s->len) {
		out->len = max;
		buf_get(out->buf);
		pipe->bytes -= (uint32_t)max;
		s->ptr += max;
		s->len -= max;
	} else {
		pipe->bytes -= (uint32_t)s->len;
		pipe->head = (uint16_t)((pipe->head + 1u) % PIPE_SLOTS);
		pipe->count--;
	}
	woken_space(pipe);
	return (int64_t)out->len;
}

/* ---- Making and closing ------------------------------------------------------------- */

static void pipe_free(struct pipe *pipe)
{
	struct quota *q = pipe->quota;

	while (pipe->count) {
		buf_put(pipe->ring[pipe->head].buf);
		pipe->head = (uint16_t)((pipe->head + 1u) % PIPE_SLOTS);
		pipe->count--;
	}
	buf_put(pipe->fill);
	if (pipe->fifo)
		fifo_forget(pipe->fifo);
	kfree(q, pipe, sizeof(*pipe));
}

struct pipe *pipe_new_bare(struct runtime *rt, struct quota *q)
{
	struct pipe *pipe = kalloc(q, sizeof(*pipe));

	if (!pipe)
		return NULL;
	memset(pipe, 0, offsetof(struct pipe, ring));
	pipe->rt = rt;
	pipe->ino = ++rt->inodes;
	pipe->quota = q;
	return pipe;
}

void pipe_free_bare(struct pipe *pipe)
{
	pipe_free(pipe);
}

static void end_init(struct pipe_end *e, struct pipe *pipe, unsigned flags)
{
	file_init(&e->file, &pipe_ops, flags, pipe->quota);
	e->pipe = pipe;
	if (flags & SYS_O_READ)
		pipe->nreaders++;
	if (flags & SYS_O_WRITE)
		pipe->nwriters++;
}

struct pipe *pipe_new(struct runtime *rt, struct quota *q)
{
	struct pipe *pipe = pipe_new_bare(rt, q);

	if (!pipe)
		return NULL;
	end_init(&pipe->reader, pipe, SYS_O_READ);
	end_init(&pipe->writer, pipe, SYS_O_WRITE);
	return pipe;
}

struct file *pipe_end_new(struct pipe *pipe, unsigned flags)
{
	struct pipe_end *e = kalloc(pipe->quota, sizeof(*e));

	if (!e)
		return NULL;
	end_init(e, pipe, flags & (SYS_O_READ | SYS_O_WRITE | SYS_O_NONBLOCK));
	return &e->file;
}

struct pipe *pipe_of(const struct file *f)
{
	return f && f->ops == &pipe_ops ? CONTAINER_OF(f, struct pipe_end, file)->pipe : NULL;
}

void pipe_close_side(struct pipe *pipe, unsigned flags)
{
	if ((flags & SYS_O_READ) && --pipe->nreaders == 0)
		waitq_wake(&pipe->writable);
	if ((flags & SYS_O_WRITE) && --pipe->nwriters == 0)
		waitq_wake(&pipe->readable);
	if (pipe->stream)
		stream_closed(pipe->stream);
	else
		pipe_settle(pipe);
}

void pipe_settle(struct pipe *pipe)
{
	if (!pipe->nreaders && !pipe->nwriters)
		pipe_free(pipe);
}

static void end_close(struct file *f)
{
	struct pipe_end *e = CONTAINER_OF(f, struct pipe_end, file);
	struct pipe *pipe = e->pipe;
	unsigned flags = f->flags;

	if (e != &pipe->reader && e != &pipe->writer)
		kfree(pipe->quota, e, sizeof(*e));
	pipe_close_side(pipe, flags);
}

/* ---- Reading ------------------------------------------------------------------------ */

/* Waits until there is a byte. 1, 0 at the end, or an error. */
static int wait_readable(struct file *f, struct pipe *pipe)
{
	struct proc *p = pipe->rt->current;
	int r;

	while (!pipe->count) {
		if (!pipe->nwriters)
			return 0;
		if (pipe->stream)
			stream_wanted(pipe->stream);
		if ((f->flags & SYS_O_NONBLOCK) || !p)
			return -NACRE_EAGAIN;
		r = proc_wait_on(p, &pipe->readable, p->read_until, true);
		if (r < 0)
			return r;
	}
	return 1;
}

static int64_t end_read_slice(struct file *f, size_t max, struct slice *out)
{
	struct pipe *pipe = CONTAINER_OF(f, struct pipe_end, file)->pipe;
	int r = wait_readable(f, pipe);

	if (r <= 0) {
		*out = (struct slice){0};
		return r;
	}
	return take(pipe, max, out);
}

static int64_t end_read(struct file *f, void *buf, size_t n, int64_t at)
{
	struct pipe *pipe = CONTAINER_OF(f, struct pipe_end, file)->pipe;
	size_t done = 0;
	int r;

	if (at >= 0)
		return -NACRE_ESPIPE;
	if (!n)
		return 0;
	r = wait_readable(f, pipe);
	if (r <= 0)
		return r;
	while (done < n && pipe->count) {
		const struct slice *s = &pipe->ring[pipe->head];
		size_t part = MIN(n - done, s->len);

		memcpy((char *)buf + done, s->ptr, part);
		done += part;
		pipe_drop(pipe, part);
	}
	return (int64_t)done;
}

static int end_unread(struct file *f, const struct slice *s, size_t n)
{
	struct pipe *pipe = CONTAINER_OF(f, struct pipe_end, file)->pipe;
	struct slice *first = pipe->count ? &pipe->ring[pipe->head] : NULL;
	const char *ptr = s->ptr + (s->len - n);

	if (!n)
		return 0;
	if (first && first->buf == s->buf && ptr + n == first->ptr) {
		first->ptr = ptr;
		first->len += n;
	} else {
		if (pipe->count == PIPE_SLOTS)
			return -NACRE_ENOMEM;
		pipe->head = (uint16_t)((pipe->head + PIPE_SLOTS - 1u) % PIPE_SLOTS);
		pipe->count++;
		pipe->ring[pipe->head] = (struct slice){buf_get(s->buf), ptr, n};
	}
	pipe->bytes += (uint32_t)n;
	waitq_wake(&pipe->readable);
	return 0;
}

/* ---- Writing ------------------------------------------------------------------------ */

static void wrote(struct pipe *pipe, size_t n)
{
	struct proc *p = pipe->rt->current;

	if (p && !pipe->stream) {
		uint64_t limit = p->sb->config->limits.budgets[SYS_LIMIT_PIPE - SYS_LIMIT_TICKS];

		p->run->result.pipe_bytes += n;
		if (pipe->run == p->run)
			pipe->run->pipe_v[pipe->number] += n;
		if (UNLIKELY(limit && p->run->result.pipe_bytes > limit))
			run_over_budget(p->run, SYS_LIMIT_PIPE);
	}
	if (!waitq_empty(&pipe->readable))
		waitq_wake(&pipe->readable);
	if (pipe->stream)
		stream_wanted(pipe->stream);
}

static bool full(const struct pipe *pipe, size_t n)
{
	size_t room = PIPE_LIMIT - MIN(pipe->bytes, PIPE_LIMIT);

	/* A small write goes in whole or not at all. */
	return pipe->count >= PIPE_SLOTS_WRITE || room == 0 || (n <= PIPE_ATOMIC && room < n);
}

/* Waits until there is room for a write of n bytes. 0, or an error. */
static int wait_writable(struct file *f, struct pipe *pipe, size_t n)
{
	struct proc *p = pipe->rt->current;
	int r;

	for (;;) {
		if (!pipe->nreaders)
			return -NACRE_EPIPE;
		if (!full(pipe, n))
			return 0;
		if ((f->flags & SYS_O_NONBLOCK) || !p)
			return -NACRE_EAGAIN;
		/* A caught signal does not cut a write short: how much was written could
		 * not be told. */
		r = proc_wait_on(p, &pipe->writable, -1, false);
		if (r < 0)
			return r;
	}
}

static int64_t end_write(struct file *f, const void *buf, size_t n, int64_t at)
{
	struct pipe *pipe = CONTAINER_OF(f, struct pipe_end, file)->pipe;
	size_t done = 0;
	int64_t r = 0;

	if (at >= 0)
		return -NACRE_ESPIPE;
	while (done < n) {
		r = wait_writable(f, pipe, n - done);
		if (r < 0)
			break;
		r = pipe_put(pipe, (const char *)buf + done, n - done);
		if (r <= 0) {
			if (r < 0)
				break;
			continue;
		}
		done += (size_t)r;
		wrote(pipe, (size_t)r);
	}
	return done ? (int64_t)done : r;
}

static int64_t end_write_slice(struct file *f, const struct slice *s)
{
	struct pipe *pipe = CONTAINER_OF(f, struct pipe_end, file)->pipe;
	size_t done = 0;
	int r = 0;

	if (s->len < COPY_BELOW || !s->buf || pipe->count >= PIPE_SLOTS_WRITE * 3 / 4)
		return end_write(f, s->ptr, s->len, -1);
	while (done < s->len) {
		size_t part;

		r = wait_writable(f, pipe, s->len - done);
		if (r < 0)
			break;
		part = MIN(s->len - done, (size_t)(PIPE_LIMIT - pipe->bytes));
		append(pipe, (struct slice){buf_get(s->buf), s->ptr + done, part});
		done += part;
		wrote(pipe, part);
	}
	return done ? (int64_t)done : r;
}

/* ---- The rest ----------------------------------------------------------------------- */

static int end_stat(struct file *f, struct sys_stat *out)
{
	struct pipe *pipe = CONTAINER_OF(f, struct pipe_end, file)->pipe;

	*out = (struct sys_stat){
		.dev = pipe->tty ? 7 : 6,
		.ino = pipe->ino,
		.mode = pipe->tty ? SYS_S_CHAR | 0620 : SYS_S_FIFO | 0600,
		.nlink = 1,
		.uid = 1000,
		.gid = 1000,
		.rdev = pipe->tty ? 136 << 8 : 0,
		.blksize = 4096,
		.atime = kernel_now(pipe->rt),
	};
	out->mtime = out->ctime = out->btime = out->atime;
	if (pipe->fifo)
		fifo_place(pipe->fifo, &out->dev, &out->ino);
	return 0;
}

static unsigned end_poll(struct file *f, struct waitq **wq)
{
	struct pipe *pipe = CONTAINER_OF(f, struct pipe_end, file)->pipe;
	unsigned ready = 0;

	if (f->flags & SYS_O_READ) {
		*wq = &pipe->readable;
		if (pipe->count)
			ready |= FILE_CAN_READ;
		else if (pipe->stream && pipe->nwriters)
			stream_wanted(pipe->stream);
		if (!pipe->nwriters)
			ready |= FILE_CAN_READ | FILE_HUNG_UP;
	}
	if (f->flags & SYS_O_WRITE) {
		if (!(f->flags & SYS_O_READ))
			*wq = &pipe->writable;
		if (!pipe->nreaders)
			ready |= FILE_CAN_WRITE | FILE_HUNG_UP;
		else if (!full(pipe, PIPE_ATOMIC))
			ready |= FILE_CAN_WRITE;
	}
	return ready;
}

static bool end_isatty(struct file *f)
{
	return CONTAINER_OF(f, struct pipe_end, file)->pipe->tty;
}

static const struct file_ops pipe_ops = {
        .kind = "pipe",
        .read = end_read,
        .write = end_write,
        .read_slice = end_read_slice,
        .write_slice = end_write_slice,
        .unread = end_unread,
        .stat = end_stat,
        .poll = end_poll,
        .isatty = end_isatty,
        .close = end_close,
};
