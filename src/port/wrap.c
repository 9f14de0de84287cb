/* wrap.c - a port in front of another one: whatever is not replaced goes on to it. */
#include "wrap.h"

static void *on_map(struct port *t, size_t size, size_t align, enum port_pages pages)
{
	struct port *real = wrap_of(t)->real;

	return real->map(real, size, align, pages);
}

static void on_unmap(struct port *t, void *p, size_t size)
{
	struct port *real = wrap_of(t)->real;

	real->unmap(real, p, size);
}

static void on_discard(struct port *t, void *p, size_t size)
{
	struct port *real = wrap_of(t)->real;

	real->discard(real, p, size);
}

static int on_guard(struct port *t, void *base, size_t stride, size_t count)
{
	struct port *real = wrap_of(t)->real;

	return real->guard(real, base, stride, count);
}

static void *on_alloc(struct port *t, size_t n)
{
	struct port *real = wrap_of(t)->real;

	return real->alloc(real, n);
}

static void on_release(struct port *t, void *p, size_t n)
{
	struct port *real = wrap_of(t)->real;

	real->release(real, p, n);
}

static void *on_cage_reserve(struct port *t, size_t size, void (*fault)(void *base))
{
	struct port *real = wrap_of(t)->real;

	return real->cage_reserve(real, size, fault);
}

static void on_cage_release(struct port *t, void *base, size_t size)
{
	struct port *real = wrap_of(t)->real;

	real->cage_release(real, base, size);
}

static int on_cage_access(struct port *t, void *at, size_t size, bool on)
{
	struct port *real = wrap_of(t)->real;

	return real->cage_access(real, at, size, on);
}

static struct port_image *on_cage_image(struct port *t, const void *bytes, size_t size, size_t zeros)
{
	struct port *real = wrap_of(t)->real;

	return real->cage_image(real, bytes, size, zeros);
}

static void on_cage_image_free(struct port *t, struct port_image *i)
{
	struct port *real = wrap_of(t)->real;

	real->cage_image_free(real, i);
}

static int on_cage_show(struct port *t, void *at, struct port_image *i, bool again)
{
	struct port *real = wrap_of(t)->real;

	return real->cage_show(real, at, i, again);
}

static int64_t on_clock(struct port *t, enum port_clock which)
{
	struct port *real = wrap_of(t)->real;

	return real->clock(real, which);
}

static void on_random(struct port *t, void *buf, size_t n)
{
	struct port *real = wrap_of(t)->real;

	real->random(real, buf, n);
}

static int64_t on_fd_read(struct port *t, int fd, void *buf, size_t n)
{
	struct port *real = wrap_of(t)->real;

	return real->fd_read(real, fd, buf, n);
}

static int64_t on_fd_write(struct port *t, int fd, const void *buf, size_t n, bool may_wait)
{
	struct port *real = wrap_of(t)->real;

	return real->fd_write(real, fd, buf, n, may_wait);
}

static bool on_fd_is_file(struct port *t, int fd)
{
	struct port *real = wrap_of(t)->real;

	return real->fd_is_file(real, fd);
}

static bool on_fd_same(struct port *t, int a, int b)
{
	struct port *real = wrap_of(t)->real;

	return real->fd_same(real, a, b);
}

static int on_poll(struct port *t, struct port_poll *v, size_t n, struct port_wake *wake, int64_t ns)
{
	struct port *real = wrap_of(t)->real;

	return real->poll(real, v, n, wake, ns);
}

static struct port_wake *on_wake_new(struct port *t)
{
	struct port *real = wrap_of(t)->real;

	return real->wake_new(real);
}

static void on_wake_free(struct port *t, struct port_wake *w)
{
	struct port *real = wrap_of(t)->real;

	real->wake_free(real, w);
}

static void on_wake_signal(struct port *t, struct port_wake *w)
{
	struct port *real = wrap_of(t)->real;

	real->wake_signal(real, w);
}

static void on_wake_clear(struct port *t, struct port_wake *w)
{
	struct port *real = wrap_of(t)->real;

	real->wake_clear(real, w);
}

static int on_wake_fd(struct port *t, struct port_wake *w)
{
	struct port *real = wrap_of(t)->real;

	return real->wake_fd(real, w);
}

static int64_t on_files(struct port *t, struct hostfs_op *op)
{
	struct port *real = wrap_of(t)->real;

	return real->files(real, op);
}

void wrap_init(struct wrap *w, struct port *real)
{
	w->real = real;
	w->port = (struct port){
		.page_size = real->page_size,
		.map = on_map,
		.unmap = on_unmap,
		.discard = on_discard,
		.guard = on_guard,
		.alloc = real->alloc ? on_alloc : NULL,
		.release = real->release ? on_release : NULL,
		.cage_reserve = on_cage_reserve,
		.cage_release = on_cage_release,
		.cage_access = on_cage_access,
		.cage_image = on_cage_image,
		.cage_image_free = on_cage_image_free,
		.cage_show = on_cage_show,
		.clock = on_clock,
		.random = on_random,
		.fd_read = on_fd_read,
		.fd_write = on_fd_write,
		.fd_is_file = on_fd_is_file,
		.fd_same = on_fd_same,
		.poll = on_poll,
		.wake_new = on_wake_new,
		.wake_free = on_wake_free,
		.wake_signal = on_wake_signal,
		.wake_clear = on_wake_clear,
		.wake_fd = on_wake_fd,
		.files = on_files,
	};
}
