/* fake.c - a port for tests. It lies in one page of the real one's memory. */
#include "fake.h"

struct fake {
	struct port port;
	struct port *real;
	struct port_fake_config config;
	int64_t now;
	uint64_t random;
	uint64_t calls;
};

static struct fake *of(const struct port *t)
{
	return CONTAINER_OF((uintptr_t)t, struct fake,
	                    port); /* `port` is first; const is the table's only */
}

static bool fails(struct port *t)
{
	struct fake *f = of(t);

	return ++f->calls == f->config.fail_at;
}

static void *fake_map(struct port *t, size_t size, size_t align, bool huge_ok)
{
	return fails(t) ? NULL : of(t)->real->map(of(t)->real, size, align, huge_ok);
}

static void fake_unmap(struct port *t, void *p, size_t size)
{
	of(t)->real->unmap(of(t)->real, p, size);
}

static void fake_discard(struct port *t, void *p, size_t size)
{
	of(t)->real->discard(of(t)->real, p, size);
}

static int fake_guard(struct port *t, void *base, size_t stride, size_t count)
{
	return fails(t) ? -NACRE_ENOMEM : of(t)->real->guard(of(t)->real, base, stride, count);
}

static void *fake_alloc(struct port *t, size_t n)
{
	return fails(t) ? NULL : of(t)->real->alloc(of(t)->real, n);
}

static void fake_release(struct port *t, void *p, size_t n)
{
	of(t)->real->release(of(t)->real, p, n);
}

static void *fake_cage_reserve(struct port *t, size_t size, void (*fault)(void *base))
{
	return fails(t) ? NULL : of(t)->real->cage_reserve(of(t)->real, size, fault);
}

static void fake_cage_release(struct port *t, void *base, size_t size)
{
	of(t)->real->cage_release(of(t)->real, base, size);
}

static int fake_cage_access(struct port *t, void *at, size_t size, bool on)
{
	/* Taking pages away is no request that may fail. */
	return on && fails(t) ? -NACRE_ENOMEM : of(t)->real->cage_access(of(t)->real, at, size, on);
}

static struct port_image *fake_cage_image(struct port *t, const void *bytes, size_t size, size_t zeros)
{
	return fails(t) ? NULL : of(t)->real->cage_image(of(t)->real, bytes, size, zeros);
}

static void fake_cage_image_free(struct port *t, struct port_image *i)
{
	of(t)->real->cage_image_free(of(t)->real, i);
}

static int fake_cage_show(struct port *t, void *at, struct port_image *i, bool again)
{
	return fails(t) ? -NACRE_ENOMEM : of(t)->real->cage_show(of(t)->real, at, i, again);
}

static int64_t fake_clock(struct port *t, enum port_clock which)
{
	struct fake *f = of(t);

	(void)which;
	f->now += f->config.step_ns;
	return f->now;
}

static void fake_random(struct port *t, void *buf, size_t n)
{
	struct fake *f = of(t);

	for (size_t i = 0; i < n; i++) {
		f->random = f->random * 6364136223846793005u + 1442695040888963407u;
		((unsigned char *)buf)[i] = (unsigned char)(f->random >> 56);
	}
}

static int64_t fake_fd_read(struct port *t, int fd, void *buf, size_t n)
{
	return fails(t) ? -NACRE_EIO : of(t)->real->fd_read(of(t)->real, fd, buf, n);
}

static bool fake_fd_same(struct port *t, int a, int b)
{
	return of(t)->real->fd_same(of(t)->real, a, b);
}

static int64_t fake_fd_write(struct port *t, int fd, const void *buf, size_t n, bool may_wait)
{
	return fails(t) ? -NACRE_EIO : of(t)->real->fd_write(of(t)->real, fd, buf, n, may_wait);
}

static bool fake_fd_is_file(struct port *t, int fd)
{
	return of(t)->real->fd_is_file(of(t)->real, fd);
}

static int fake_poll(struct port *t, struct port_poll *v, size_t n, struct port_wake *wake,
                     int64_t ns)
{
	struct fake *f = of(t);
	int r = f->real->poll(f->real, v, n, wake, ns < 0 ? -1 : 0);

	if (r == 0 && ns > 0)
		f->now += ns;
	return r;
}

static struct port_wake *fake_wake_new(struct port *t)
{
	return fails(t) ? NULL : of(t)->real->wake_new(of(t)->real);
}

static void fake_wake_free(struct port *t, struct port_wake *w)
{
	of(t)->real->wake_free(of(t)->real, w);
}

static void fake_wake_signal(struct port *t, struct port_wake *w)
{
	of(t)->real->wake_signal(of(t)->real, w);
}

static void fake_wake_clear(struct port *t, struct port_wake *w)
{
	of(t)->real->wake_clear(of(t)->real, w);
}

static int fake_wake_fd(struct port *t, struct port_wake *w)
{
	return of(t)->real->wake_fd(of(t)->real, w);
}

static void fake_free(struct port *t)
{
	struct port *real = of(t)->real;

	real->unmap(real, of(t), real->page_size);
	real->free(real);
}

struct port *port_fake_new(struct port *real, const struct port_fake_config *config)
{
	struct fake *f = real ? real->map(real, real->page_size, real->page_size, false) : NULL;

	if (!f) {
		if (real)
			real->free(real);
		return NULL;
	}
	f->real = real;
	f->config = *config;
	f->now = config->start_ns;
	f->random = config->seed;
	f->port = (struct port){
		.page_size = real->page_size,
		.map = fake_map,
		.unmap = fake_unmap,
		.discard = fake_discard,
		.guard = fake_guard,
		.alloc = real->alloc ? fake_alloc : NULL,
		.release = real->release ? fake_release : NULL,
		.cage_reserve = fake_cage_reserve,
		.cage_release = fake_cage_release,
		.cage_access = fake_cage_access,
		.cage_image = fake_cage_image,
		.cage_image_free = fake_cage_image_free,
		.cage_show = fake_cage_show,
		.clock = fake_clock,
		.random = fake_random,
		.fd_read = fake_fd_read,
		.fd_write = fake_fd_write,
		.fd_is_file = fake_fd_is_file,
		.fd_same = fake_fd_same,
		.poll = fake_poll,
		.wake_new = fake_wake_new,
		.wake_free = fake_wake_free,
		.wake_signal = fake_wake_signal,
		.wake_clear = fake_wake_clear,
		.wake_fd = fake_wake_fd,
		.free = fake_free,
	};
	return &f->port;
}

uint64_t port_fake_calls(const struct port *fake)
{
	return of(fake)->calls;
}

void port_fake_advance(struct port *fake, int64_t ns)
{
	of(fake)->now += ns;
}
