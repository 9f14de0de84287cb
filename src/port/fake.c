/* fake.c - a port for tests. It lies in one page of the real one's memory. */
#include "fake.h"

#include "wrap.h"

struct fake {
	struct wrap wrap;	/* first */
	struct port_fake_config config;
	int64_t now;
	uint64_t random;
	uint64_t calls;
};

static struct fake *of(const struct port *t)
{
	return (struct fake *)(uintptr_t)t; /* its table is first; const is the table's only */
}

static bool fails(struct port *t)
{
	struct fake *f = of(t);

	return ++f->calls == f->config.fail_at;
}

static void *fake_map(struct port *t, size_t size, size_t align, enum port_pages pages)
{
	return fails(t) ? NULL : of(t)->wrap.real->map(of(t)->wrap.real, size, align, pages);
}

static int fake_guard(struct port *t, void *base, size_t stride, size_t count)
{
	return fails(t) ? -NACRE_ENOMEM : of(t)->wrap.real->guard(of(t)->wrap.real, base, stride, count);
}

static void *fake_alloc(struct port *t, size_t n)
{
	return fails(t) ? NULL : of(t)->wrap.real->alloc(of(t)->wrap.real, n);
}

static void *fake_cage_reserve(struct port *t, size_t size, void (*fault)(void *base))
{
	return fails(t) ? NULL : of(t)->wrap.real->cage_reserve(of(t)->wrap.real, size, fault);
}

static int fake_cage_access(struct port *t, void *at, size_t size, bool on)
{
	/* Taking pages away is no request that may fail. */
	return on && fails(t) ? -NACRE_ENOMEM : of(t)->wrap.real->cage_access(of(t)->wrap.real, at, size, on);
}

static struct port_image *fake_cage_image(struct port *t, const void *bytes, size_t size, size_t zeros)
{
	return fails(t) ? NULL : of(t)->wrap.real->cage_image(of(t)->wrap.real, bytes, size, zeros);
}

static int fake_cage_show(struct port *t, void *at, struct port_image *i, bool again)
{
	return fails(t) ? -NACRE_ENOMEM : of(t)->wrap.real->cage_show(of(t)->wrap.real, at, i, again);
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
	return fails(t) ? -NACRE_EIO : of(t)->wrap.real->fd_read(of(t)->wrap.real, fd, buf, n);
}

static int64_t fake_fd_write(struct port *t, int fd, const void *buf, size_t n, bool may_wait)
{
	return fails(t) ? -NACRE_EIO : of(t)->wrap.real->fd_write(of(t)->wrap.real, fd, buf, n, may_wait);
}

static int fake_poll(struct port *t, struct port_poll *v, size_t n, struct port_wake *wake,
                     int64_t ns)
{
	struct fake *f = of(t);
	int r = f->wrap.real->poll(f->wrap.real, v, n, wake, ns < 0 ? -1 : 0);

	if (r == 0 && ns > 0)
		f->now += ns;
	return r;
}

static struct port_wake *fake_wake_new(struct port *t)
{
	return fails(t) ? NULL : of(t)->wrap.real->wake_new(of(t)->wrap.real);
}

static void fake_free(struct port *t)
{
	struct port *real = of(t)->wrap.real;

	real->unmap(real, of(t), real->page_size);
	real->free(real);
}

struct port *port_fake_new(struct port *real, const struct port_fake_config *config)
{
	struct port *t;
	struct fake *f = real ? real->map(real, real->page_size, real->page_size, PORT_PAGES_SMALL) : NULL;

	if (!f) {
		if (real)
			real->free(real);
		return NULL;
	}
	wrap_init(&f->wrap, real);
	f->config = *config;
	f->now = config->start_ns;
	f->random = config->seed;
	t = &f->wrap.port;
	t->map = fake_map;
	t->guard = fake_guard;
	t->alloc = real->alloc ? fake_alloc : NULL;
	t->cage_reserve = fake_cage_reserve;
	t->cage_access = fake_cage_access;
	t->cage_image = fake_cage_image;
	t->cage_show = fake_cage_show;
	t->clock = fake_clock;
	t->random = fake_random;
	t->fd_read = fake_fd_read;
	t->fd_write = fake_fd_write;
	t->poll = fake_poll;
	t->wake_new = fake_wake_new;
	t->free = fake_free;
	return t;
}

uint64_t port_fake_calls(const struct port *fake)
{
	return of(fake)->calls;
}

void port_fake_advance(struct port *fake, int64_t ns)
{
	of(fake)->now += ns;
}
