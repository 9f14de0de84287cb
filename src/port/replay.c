/* replay.c - a port that gives what was recorded, and of the machine takes nothing but memory. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "record.h"
#include "wrap.h"

#define CLOCK_MAX ((int64_t)1 << 61)

struct replay {
	struct wrap wrap;	/* first */
	struct log_reader in;
	struct port_gate gate;
	struct port_replay_host host;
	int64_t last[3];
	bool failed, over;
	char fault[300];
};

static struct replay *of(const struct port *t)
{
	return (struct replay *)(uintptr_t)t; /* its table is first; const is the table's only */
}

void port_replay_fail(struct port *t, const char *format, ...)
{
	struct replay *r = of(t);
	va_list ap;
	int n;

	if (r->failed || r->over)
		return;
	r->failed = true;
	n = snprintf(r->fault, sizeof(r->fault), "event %llu: ", (unsigned long long)r->in.events);
	va_start(ap, format);
	vsnprintf(r->fault + n, sizeof(r->fault) - (size_t)n, format, ap);
	va_end(ap);
	if (r->host.stop)
		r->host.stop(r->host.ctx);
}

bool port_replay_expect(struct port *t, int tag, const char *detail)
{
	struct replay *r = of(t);
	int next = log_next(&r->in);

	if (r->failed || r->over)
		return false;
	if (next != tag) {
		port_replay_fail(t, "the run asks for %s%s%s, the recording has %s", log_name(tag), detail ? " " : "", detail ? detail : "",
		                 log_name(next));
		return false;
	}
	log_skip(&r->in);
	return true;
}

/* Whether what has been taken since makes sense. */
static bool sound(struct port *t)
{
	if (of(t)->in.bad)
		port_replay_fail(t, "the recording is damaged");
	return !of(t)->failed && !of(t)->over;
}

static void pass_gate(struct replay *r)
{
	if (r->gate.pass && !r->failed && !r->over)
		r->gate.pass(r->gate.ctx);
}

static int64_t replay_clock(struct port *t, enum port_clock which)
{
	struct replay *r = of(t);
	int64_t now;

	pass_gate(r);
	if (!port_replay_expect(t, LOG_CLOCK_REAL + (int)which, NULL))
		return r->last[which] += 1000000;
	if (__builtin_add_overflow(r->last[which], log_take_number(&r->in), &now) || now > CLOCK_MAX || now < -CLOCK_MAX ||
	    (which != PORT_CLOCK_REAL && now < r->last[which]))
		r->in.bad = true;
	if (sound(t))
		r->last[which] = now;
	return r->last[which];
}

static void replay_random(struct port *t, void *buf, size_t n)
{
	struct replay *r = of(t);
	const void *p = NULL;
	size_t got = 0;

	memset(buf, 0, n);
	if (!port_replay_expect(t, LOG_RANDOM, NULL))
		return;
	p = log_take_bytes(&r->in, &got);
	if (sound(t) && got != n)
		port_replay_fail(t, "the run asks for %zu random bytes, the recording has %zu", n, got);
	else if (p && n)
		memcpy(buf, p, n);
}

static int64_t replay_fd_read(struct port *t, int fd, void *buf, size_t n)
{
	struct replay *r = of(t);
	const void *p = NULL;
	int64_t want, got;
	size_t len = 0;

	if (!port_replay_expect(t, LOG_FD_READ, NULL))
		return -NACRE_EIO;
	want = log_take_number(&r->in);
	got = log_take_number(&r->in);
	if (got > 0)
		p = log_take_bytes(&r->in, &len);
	if (got < -4200 || got > (int64_t)n || (got > 0 && len != (size_t)got))
		r->in.bad = true;
	if (sound(t) && want != fd)
		port_replay_fail(t, "the run reads descriptor %d, the recording has descriptor %lld", fd, (long long)want);
	if (r->failed)
		return -NACRE_EIO;
	if (p)
		memcpy(buf, p, len);
	return got;
}

static int64_t replay_fd_write(struct port *t, int fd, const void *buf, size_t n, bool may_wait)
{
	struct replay *r = of(t);
	int64_t want, got;

	(void)may_wait;
	if (!port_replay_expect(t, LOG_FD_WRITE, NULL))
		return -NACRE_EIO;
	want = log_take_number(&r->in);
	got = log_take_number(&r->in);
	if (got < -4200 || got > (int64_t)n)
		r->in.bad = true;
	if (sound(t) && want != log_digest((uint32_t)fd, buf, n))
		port_replay_fail(t, "the run writes other output than the recorded one");
	if (r->failed)
		return -NACRE_EIO;
	if (got > 0 && r->host.output)
		r->host.output(r->host.ctx, fd, buf, (size_t)got);
	return got;
}

static bool replay_flag(struct port *t, int tag)
{
	struct replay *r = of(t);
	bool is = port_replay_expect(t, tag, NULL) && log_take_number(&r->in) != 0;

	return sound(t) && is;
}

static bool replay_fd_is_file(struct port *t, int fd)
{
	(void)fd;
	return replay_flag(t, LOG_FD_IS_FILE);
}

static bool replay_fd_same(struct port *t, int a, int b)
{
	(void)a;
	(void)b;
	return replay_flag(t, LOG_FD_SAME);
}

static int replay_poll(struct port *t, struct port_poll *v, size_t n, struct port_wake *wake, int64_t ns)
{
	struct replay *r = of(t);
	int64_t had, got;

	(void)wake;
	(void)ns;
	for (size_t i = 0; i < n; i++)
		v[i].can_read = v[i].can_write = false;
	if (!port_replay_expect(t, LOG_POLL, NULL))
		return 0;
	had = log_take_number(&r->in);
	got = log_take_number(&r->in);
	if (!r->in.bad && had != (int64_t)n)
		port_replay_fail(t, "the run waits for %zu descriptors, the recorded one for %lld", n, (long long)had);
	for (size_t i = 0; got >= 0 && i < n && !r->in.bad && !r->failed; i++) {
		int64_t can = log_take_number(&r->in);

		v[i].can_read = (can & 1) != 0;
		v[i].can_write = (can & 2) != 0;
	}
	if (got < -4200 || got > (int64_t)n + 1) /* the wake-up counts as well */
		r->in.bad = true;
	if (!sound(t))
		return 0;
	pass_gate(r);
	return (int)got;
}

static int64_t replay_files(struct port *t, struct hostfs_op *op)
{
	struct replay *r = of(t);
	int64_t want, got;

	if (!port_replay_expect(t, LOG_FILES + (int)op->call, op->path))
		return -NACRE_EIO;
	want = log_take_number(&r->in);
	if (!r->in.bad && want != log_files_digest(op)) {
		port_replay_fail(t, "%s%s%s is asked for other things than in the recorded run", log_name(LOG_FILES + (int)op->call),
		                 op->path ? " " : "", op->path ? op->path : "");
		return -NACRE_EIO;
	}
	got = log_files_take(&r->in, op);
	return sound(t) ? got : -NACRE_EIO;
}

static void replay_free(struct port *t)
{
	struct replay *r = of(t);

	r->wrap.real->free(r->wrap.real);
	free(r);
}

struct port *port_replay_new(struct port *real, const void *log, size_t n)
{
	struct replay *r = real ? calloc(1, sizeof(*r)) : NULL;
	struct port *t;

	if (!r) {
		if (real)
			real->free(real);
		return NULL;
	}
	r->in = (struct log_reader){.at = log, .end = (const unsigned char *)log + n};
	wrap_init(&r->wrap, real);
	t = &r->wrap.port;
	t->clock = replay_clock;
	t->random = replay_random;
	t->fd_read = replay_fd_read;
	t->fd_write = replay_fd_write;
	t->fd_is_file = replay_fd_is_file;
	t->fd_same = replay_fd_same;
	t->poll = replay_poll;
	t->files = replay_files;
	t->free = replay_free;
	return t;
}

struct log_reader *port_replay_log(struct port *t)
{
	return &of(t)->in;
}

void port_replay_gate(struct port *t, struct port_gate gate)
{
	of(t)->gate = gate;
}

void port_replay_host(struct port *t, struct port_replay_host host)
{
	of(t)->host = host;
}

void port_replay_stop(struct port *t)
{
	of(t)->over = true;
}

const char *port_replay_fault(const struct port *t)
{
	return of(t)->failed ? of(t)->fault : NULL;
}
