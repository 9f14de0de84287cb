/* out.c - buffered output.
 *
 * A write that fails is remembered and everything after it dropped: a command finds out at
 * its end, as with stdio, unless it asks. The buffer of stdout is made by the first write,
 * because many programs wait for long, or end, without one; it is a block that the arena
 * keeps, because a command may reset its arena to a mark taken before. */
#include "state.h"

#define OUT_SIZE 32768u

struct u_state *u_state(struct proc *p)
{
	struct proc_user *u = sys_self(p);

	if (UNLIKELY(!u->user))
		u->user = u_zalloc(p, sizeof(struct u_state));
	return u->user;
}

void u_out_init(struct u_out *o, struct proc *p, int fd, size_t cap)
{
	cap = cap ? cap : OUT_SIZE;
	*o = (struct u_out){.p = p, .fd = fd, .cap = cap, .buf = u_alloc(p, cap)};
}

struct u_out *u_stdout_sized(struct proc *p, size_t cap)
{
	struct u_state *s = u_state(p);

	if (!s->out.p)
		s->out = (struct u_out){.p = p, .fd = 1, .want = cap ? cap : OUT_SIZE};
	return &s->out;
}

struct u_out *u_stdout(struct proc *p)
{
	return u_stdout_sized(p, 0);
}

int64_t u_read_slice(struct proc *p, int fd, size_t max, struct sys_slice *s)
{
	struct u_state *st = u_state(p);

	if (UNLIKELY(!st->eager)) {
		const char *mode = u_getenv(p, "_STDBUF_O");

		st->eager = mode && (streq(mode, "L") || streq(mode, "0")) ? 2 : 1;
	}
	if (UNLIKELY(st->eager == 2) && st->out.n)
		u_flush(&st->out);
	return sys_read_slice(p, fd, max, s);
}

uint64_t u_seek_on(struct proc *p, int fd, uint64_t n)
{
	struct sys_stat st;
	int64_t at;

	if (n == 0 || sys_fstat(p, fd, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_FILE)
		return 0;
	at = sys_seek(p, fd, 0, SYS_SEEK_CUR);
	if (at < 0 || at >= st.size)
		return 0;
	n = MIN(n, (uint64_t)(st.size - at));
	return sys_seek(p, fd, at + (int64_t)n, SYS_SEEK_SET) < 0 ? 0 : n;
}

int u_write_all(struct proc *p, int fd, const char *ptr, size_t n)
{
	int64_t r = n ? sys_write(p, fd, ptr, n) : 0;

	return r < 0 ? (int)r : 0;
}

static void write_out(struct u_out *o, const char *ptr, size_t n)
{
	if (n && !o->err)
		o->err = u_write_all(o->p, o->fd, ptr, n);
}

int u_flush(struct u_out *o)
{
	size_t n = o->n;

	o->n = 0;
	write_out(o, o->buf, n);
	return o->err;
}

int u_flush_lines(struct u_out *o)
{
	const char *nl = o->n ? memrchr(o->buf, '\n', o->n) : NULL;
	size_t n = nl ? (size_t)(nl + 1 - o->buf) : 0, rest = o->n - n;

	if (!n)
		return o->err;
	o->n = n;
	u_flush(o);
	memmove(o->buf, o->buf + n, rest);
	o->n = rest;
	return o->err;
}

static void make_buffer(struct u_out *o)
{
	o->buf = arena_keep(&sys_self(o->p)->arena, o->want);
	o->cap = o->want;
}

void u_out_room(struct u_out *o)
{
	if (o->buf)
		u_flush(o);
	else if (o->want)
		make_buffer(o);
}

/* What does not fit in the buffer as it is. */
static void put_more(struct u_out *o, const char *ptr, size_t n)
{
	if (!o->buf && n < o->want) {
		make_buffer(o);
		memcpy(o->buf, ptr, n);
		o->n = n;
		return;
	}
	if (n < o->cap) {
		/* Whole buffers go out: fill this one before. */
		size_t room = o->cap - o->n;

		memcpy(o->buf + o->n, ptr, room);
		o->n = o->cap;
		u_flush(o);
		memcpy(o->buf, ptr + room, n - room);
		o->n = n - room;
		return;
	}
	u_flush(o);
	write_out(o, ptr, n);
}

void u_put(struct u_out *o, const char *ptr, size_t n)
{
	if (UNLIKELY(n > o->cap - o->n)) {
		put_more(o, ptr, n);
		return;
	}
	if (n)
		memcpy(o->buf + o->n, ptr, n);
	o->n += n;
}

void u_puts(struct u_out *o, const char *s)
{
	u_put(o, s, strlen(s));
}

struct out_sink {
	struct fmt_sink sink;
	struct u_out *o;
};

static void sink_put(struct fmt_sink *s, const char *ptr, size_t n)
{
	u_put(CONTAINER_OF(s, struct out_sink, sink)->o, ptr, n);
}

void u_vprintf(struct u_out *o, const char *fmt, va_list ap)
{
	struct out_sink s = {{sink_put}, o};

	fmt_v(&s.sink, fmt, ap);
}

void u_printf(struct u_out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	u_vprintf(o, fmt, ap);
	va_end(ap);
}
