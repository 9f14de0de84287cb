/* stream.c - files between a run and its host.
 *
 * Captures and files of the host's take what is written at once (sink.h). Streams that call the host are pipes of which the host's side is a struct stream. When the
 * sandbox's side needs something (bytes were written; a reader waits) the stream is put on the
 * runtime's list of busy ones, and the step serves it on the host's stack. Those on host
 * descriptors move to a second list and are served when the descriptor is ready. */
#include "stream.h"

#include "capture.h"
#include "pipe.h"
#include "sink.h"

/* ---- Nothing ------------------------------------------------------------------------ */

static int64_t null_read(struct file *f, void *buf, size_t n, int64_t at)
{
	(void)f;
	(void)buf;
	(void)n;
	(void)at;
	return 0;
}

static int64_t null_write(struct file *f, const void *buf, size_t n, int64_t at)
{
	(void)f;
	(void)buf;
	(void)at;
	return (int64_t)n;
}

static int null_stat(struct file *f, struct sys_stat *out)
{
	(void)f;
	*out = (struct sys_stat){.dev = 5,
	                         .ino = 4,
	                         .mode = SYS_S_CHAR | 0666,
	                         .nlink = 1,
	                         .rdev = 1 << 8 | 3,
	                         .blksize = 4096};
	return 0;
}

static void null_close(struct file *f)
{
	(void)f; /* the runtime's own reference is never dropped */
	KERNEL_BUG();
}

static const struct file_ops null_ops = {
        .kind = "null",
        .read = null_read,
        .write = null_write,
        .stat = null_stat,
        .close = null_close,
};

/* It has no state, so all share it; no sandbox counts it among its open files. */
void stream_null_init(struct runtime *rt)
{
	file_init(&rt->null, &null_ops, SYS_O_READ | SYS_O_WRITE | FILE_COUNTED, &rt->quota);
}

struct file *stream_null(struct runtime *rt)
{
	return file_get(&rt->null);
}

/* ---- Input from memory -------------------------------------------------------------- */

struct input {
	struct file file;
	const char *data;
	size_t len, at;
	uint64_t ino;
};

static int64_t input_read(struct file *f, void *buf, size_t n, int64_t at)
{
	struct input *in = CONTAINER_OF(f, struct input, file);

	if (at >= 0)
		return -NACRE_ESPIPE;
	n = MIN(n, in->len - in->at);
	if (n)
		memcpy(buf, in->data + in->at, n);
	in->at += n;
	return (int64_t)n;
}

/* A copy: the slice may end up in a file, which outlives the host's memory. */
static int64_t input_read_slice(struct file *f, size_t max, struct slice *out)
{
	struct input *in = CONTAINER_OF(f, struct input, file);
	size_t n = MIN(in->len - in->at, (size_t)65536);
	struct buf *b;

	if (max)
		n = MIN(n, max);
	*out = (struct slice){0};
	if (!n)
		return 0;
	b = buf_new(f->quota, (uint32_t)n);
	if (!b)
		return -NACRE_ENOMEM;
	memcpy(b->data, in->data + in->at, n);
	b->used = (uint32_t)n;
	in->at += n;
	*out = (struct slice){b, b->data, n};
	return (int64_t)n;
}

static int input_unread(struct file *f, const struct slice *s, size_t n)
{
	(void)s;
	CONTAINER_OF(f, struct input, file)->at -= n;
	return 0;
}

static int input_stat(struct file *f, struct sys_stat *out)
{
	stat_as_pipe(out, CONTAINER_OF(f, struct input, file)->ino);
	return 0;
}

static void input_close(struct file *f)
{
	kfree(f->quota, CONTAINER_OF(f, struct input, file), sizeof(struct input));
}

static const struct file_ops input_ops = {
        .kind = "input",
        .read = input_read,
        .read_slice = input_read_slice,
        .unread = input_unread,
        .stat = input_stat,
        .close = input_close,
};

struct file *stream_input(struct runtime *rt, const void *data, size_t n)
{
	struct input *in = kalloc(&rt->quota, sizeof(*in));

	if (!in)
		return NULL;
	file_init(&in->file, &input_ops, SYS_O_READ, &rt->quota);
	in->data = data;
	in->len = n;
	in->at = 0;
	in->ino = ++rt->inodes;
	return &in->file;
}

/* ---- Streams ------------------------------------------------------------------------ */

#define SCRATCH    16384u
#define FD_SCRATCH 65536u /* at most what an empty pipe takes */
#define POLL_BATCH 64u

struct stream {
	struct runtime *rt;
	struct pipe *pipe;
	bool is_out, tee;
	bool closed;  /* the host's side is */
	bool busy;    /* on rt->busy */
	bool on_fd;   /* on rt->on_fds */
	bool held;    /* waits for stream_resume */
	bool serving; /* a callback runs: do not free */
	bool orphan;  /* the sandbox's side is closed */
	int fd;
	int64_t (*take)(void *ctx, const void *data, size_t n);
	int64_t (*give)(void *ctx, void *buf, size_t n);
	void *ctx;
	struct stream *next_busy;
	struct stream *next_fd;
	struct mail resume;
	struct capture capture;
};

static void put_busy(struct stream *s)
{
	if (s->busy || s->closed)
		return;
	s->busy = true;
	s->next_busy = s->rt->busy;
	s->rt->busy = s;
}

static void put_on_fd(struct stream *s)
{
	if (s->on_fd)
		return;
	s->on_fd = true;
	s->next_fd = s->rt->on_fds;
	s->rt->on_fds = s;
	s->rt->nfds++;
}

static void drop_busy(struct stream *s)
{
	struct stream **at = &s->rt->busy;

	if (!s->busy)
		return;
	while (*at != s)
		at = &(*at)->next_busy;
	*at = s->next_busy;
	s->busy = false;
}

static void drop_fd(struct stream *s)
{
	struct stream **at = &s->rt->on_fds;

	if (!s->on_fd)
		return;
	while (*at != s)
		at = &(*at)->next_fd;
	*at = s->next_fd;
	s->on_fd = false;
	s->rt->nfds--;
}

static void set_held(struct stream *s, bool held)
{
	if (s->held != held)
		s->rt->external += held ? 1u : -1u;
	s->held = held;
}

/* The host's side is over: its end of the pipe is closed. */
static void close_host_side(struct stream *s)
{
	if (s->closed)
		return;
	s->closed = true;
	drop_busy(s);
	drop_fd(s);
	set_held(s, false);
	if (s->is_out)
		s->pipe->nreaders = 0;
	else
		s->pipe->nwriters = 0;
	waitq_wake(s->is_out ? &s->pipe->writable : &s->pipe->readable);
}

/* The sandbox's side is over: nobody needs the stream any more, nor its pipe. */
static void stream_free(struct stream *s)
{
	struct runtime *rt = s->rt;
	struct pipe *pipe = s->pipe;

	if (atomic_load(&s->resume.posted))
		mail_deliver(rt);
	pipe->stream = NULL;
	close_host_side(s);
	pipe_settle(pipe);
	capture_release(&s->capture);
	kfree(&rt->quota, s, sizeof(*s));
}

void stream_closed(struct stream *s)
{
	if (s->is_out ? s->pipe->nwriters : s->pipe->nreaders)
		return;
	if (s->serving)
		s->orphan = true;
	else
		stream_free(s);
}

void stream_wanted(struct stream *s)
{
	if (s->closed || s->held || s->on_fd)
		return;
	put_busy(s);
}

static void passed_on(struct stream *s, const struct slice *part, size_t n)
{
	if (s->tee)
		capture_add(&s->capture, part->ptr, n);
	pipe_drop(s->pipe, n);
}

/* To the callback, as long as it takes. True when something moved. */
static bool serve_take(struct stream *s)
{
	struct slice part;
	bool any = false;

	while (!s->closed && !s->held && !s->orphan && pipe_peek(s->pipe, &part)) {
		int64_t n = s->take(s->ctx, part.ptr, part.len);

		if (n < 0) {
			close_host_side(s);
			return true;
		}
		n = MIN(n, (int64_t)part.len);
		if ((size_t)n < part.len)
			set_held(s, true);
		if (n)
			passed_on(s, &part, (size_t)n);
		any |= n > 0;
	}
	return any;
}

/* Bytes that came, or the end, or an error, which ends the stream as well. */
static void came(struct stream *s, const char *buf, int64_t n)
{
	if (n > 0 && pipe_put(s->pipe, buf, (size_t)n) == n)
		waitq_wake(&s->pipe->readable);
	else
		close_host_side(s);
}

static bool serve_give(struct stream *s)
{
	char *buf;
	int64_t n;

	if (s->pipe->count)
		return false;
	buf = kalloc(&s->rt->quota, SCRATCH);
	if (!buf) {
		close_host_side(s);
		return true;
	}
	n = s->give(s->ctx, buf, SCRATCH);
	if (n == STREAM_LATER)
		set_held(s, true);
	else
		came(s, buf, n);
	kfree(&s->rt->quota, buf, SCRATCH);
	return n != STREAM_LATER;
}

static bool serve(struct stream *s)
{
	bool any = true;

	s->serving = true;
	if (s->take)
		any = serve_take(s);
	else if (s->give)
		any = serve_give(s);
	else
		put_on_fd(s);
	s->serving = false;
	if (s->orphan)
		stream_free(s);
	return any;
}

bool streams_work(struct runtime *rt)
{
	size_t n = 0;
	bool any = false;

	/* As many as there are now, or a callback that feeds another stream could keep the step
	 * here. Each is taken off by itself: a callback may free others. */
	for (const struct stream *s = rt->busy; s; s = s->next_busy)
		n++;
	for (; n > 0 && rt->busy; n--) {
		struct stream *s = rt->busy;

		rt->busy = s->next_busy;
		s->busy = false;
		any |= serve(s);
	}
	return any;
}

static void serve_fd_in(struct stream *s)
{
	struct port *port = s->rt->port;
	char *buf = kalloc(&s->rt->quota, FD_SCRATCH);
	int64_t n;

	if (!buf) {
		close_host_side(s);
		return;
	}
	n = port->fd_read(port, s->fd, buf, FD_SCRATCH);
	if (n == -NACRE_EAGAIN)
		put_on_fd(s);
	else
		came(s, buf, n);
	kfree(&s->rt->quota, buf, FD_SCRATCH);
}

/* The descriptor is ready. */
static void serve_fd(struct stream *s)
{
	struct port *port = s->rt->port;
	struct slice part;
	int64_t n;

	drop_fd(s);
	if (!s->is_out) {
		serve_fd_in(s);
		return;
	}
	if (!pipe_peek(s->pipe, &part))
		return;
	n = port->fd_write(port, s->fd, part.ptr, part.len, false);
	if (n > 0)
		passed_on(s, &part, (size_t)n);
	else if (n != -NACRE_EAGAIN) {
		close_host_side(s);
		return;
	}
	if (s->pipe->count)
		put_on_fd(s);
}

void streams_poll(struct runtime *rt)
{
	struct stream *list = rt->on_fds;

	/* Those that are served go back to the front, so the whole list is taken off first. Serving
	 * frees no stream: no proc runs and no callback is called. */
	rt->on_fds = NULL;
	rt->nfds = 0;
	while (list) {
		struct port_poll v[POLL_BATCH];
		struct stream *of[POLL_BATCH];
		size_t n = 0;

		for (; list && n < POLL_BATCH; n++) {
			of[n] = list;
			v[n] = stream_poll_of(list);
			list = list->next_fd;
			of[n]->on_fd = false;
		}
		if (rt->port->poll(rt->port, v, n, NULL, 0) < 0)
			memset(v, 0, sizeof(v));
		for (size_t i = 0; i < n; i++) {
			put_on_fd(of[i]);
			if (v[i].can_read || v[i].can_write)
				serve_fd(of[i]);
		}
	}
}

struct stream *stream_next_fd(const struct stream *s)
{
	return s->next_fd;
}

struct port_poll stream_poll_of(const struct stream *s)
{
	return (struct port_poll){.fd = s->fd, .want_read = !s->is_out, .want_write = s->is_out};
}

static void resumed(struct mail *m)
{
	struct stream *s = CONTAINER_OF(m, struct stream, resume);

	set_held(s, false);
	if (s->is_out ? s->pipe->count > 0 : !waitq_empty(&s->pipe->readable))
		put_busy(s);
}

void stream_resume(struct file *f)
{
	struct pipe *pipe = pipe_of(f);

	if (pipe && pipe->stream)
		mail_post(pipe->rt, &pipe->stream->resume);
}

static struct file *stream_new(struct runtime *rt, const struct stream *init,
                               const struct capture_config *c, bool tty)
{
	struct stream *s = kalloc(&rt->quota, sizeof(*s));
	struct pipe *pipe = s ? pipe_new(rt, &rt->quota) : NULL;

	if (!pipe) {
		kfree(&rt->quota, s, sizeof(*s));
		return NULL;
	}
	*s = *init;
	s->rt = rt;
	s->pipe = pipe;
	s->resume.deliver = resumed;
	capture_init(&s->capture, c, &rt->quota);
	pipe->stream = s;
	pipe->tty = tty;
	return s->is_out ? &pipe->writer.file : &pipe->reader.file;
}

struct file *stream_out(struct runtime *rt, const struct stream_out_config *c)
{
	struct stream init = {
		.is_out = true, .take = c->take, .ctx = c->ctx, .fd = c->fd, .tee = c->tee};

	/* A file needs nobody to wait for it: the writers write themselves. */
	if (!c->take && !c->tty && rt->port->fd_is_file(rt->port, c->fd))
		return sink_new(rt, &c->capture, c->tee, c->fd);
	return stream_new(rt, &init, &c->capture, c->tty);
}

struct file *stream_in(struct runtime *rt, const struct stream_in_config *c)
{
	struct stream init = {.give = c->give, .ctx = c->ctx, .fd = c->fd};

	return stream_new(rt, &init, &(struct capture_config){0}, c->tty);
}

bool stream_is_flushed(const struct file *f)
{
	const struct pipe *pipe = pipe_of(f);

	return !pipe || !pipe->stream || !pipe->stream->is_out || pipe->stream->closed ||
	       !pipe->count;
}

void stream_discard(struct file *f, bool offer)
{
	struct pipe *pipe = pipe_of(f);
	struct slice part;

	if (!pipe || !pipe->stream || !pipe->stream->is_out || pipe->stream->serving)
		return;
	/* What is dropped still goes to the capture. */
	if (offer && pipe->stream->take && !pipe->stream->held && !pipe->stream->closed)
		serve_take(pipe->stream);
	while (pipe_peek(pipe, &part))
		passed_on(pipe->stream, &part, part.len);
}

struct file *stream_capture(struct runtime *rt, const struct capture_config *c)
{
	return sink_new(rt, c, true, -1);
}

static const struct capture *capture_of(const struct file *f)
{
	const struct pipe *pipe = pipe_of(f);

	if (pipe)
		return pipe->stream ? &pipe->stream->capture : NULL;
	return sink_capture(f);
}

void capture_info(const struct file *f, struct capture_info *out)
{
	const struct capture *c = capture_of(f);

	*out = (struct capture_info){0};
	if (!c)
		return;
	out->total = c->total;
	out->head = c->head_len;
	out->tail = c->tail_len;
	out->dropped = c->total - c->head_len - c->tail_len;
}

size_t capture_read(const struct file *f, uint64_t *at, char *to, size_t n, uint64_t *lost)
{
	const struct capture *c = capture_of(f);

	return c ? capture_from(c, at, to, n, lost) : 0;
}

void capture_copy(const struct file *f, char *to)
{
	const struct capture *c = capture_of(f);
	size_t first;

	if (!c)
		return;
	if (c->head_len)
		memcpy(to, c->head, c->head_len);
	to += c->head_len;
	first = MIN(c->tail_len, c->tail_cap - c->tail_at);
	if (c->tail_len) {
		memcpy(to, c->tail + c->tail_at, first);
		memcpy(to + first, c->tail, c->tail_len - first);
	}
}
