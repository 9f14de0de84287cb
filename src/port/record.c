/* record.c - a port that passes every call on and logs what came of it. */
#include "record.h"

#include <stdlib.h>

#include "wrap.h"

struct record {
	struct wrap wrap;	/* first */
	struct log log;
	struct port_gate gate;
	bool stopped;
	int64_t last[3];	/* of each clock: differences are logged */
};

static struct record *of(struct port *t)
{
	return CONTAINER_OF(wrap_of(t), struct record, wrap);
}

static void pass_gate(struct record *r)
{
	if (r->gate.pass)
		r->gate.pass(r->gate.ctx);
}

static int64_t record_clock(struct port *t, enum port_clock which)
{
	struct record *r = of(t);
	int64_t now;

	pass_gate(r);
	now = r->wrap.real->clock(r->wrap.real, which);
	if (r->stopped)
		return now;
	log_tag(&r->log, LOG_CLOCK_REAL + (int)which);
	log_number(&r->log, now - r->last[which]);
	r->last[which] = now;
	return now;
}

static void record_random(struct port *t, void *buf, size_t n)
{
	struct record *r = of(t);

	r->wrap.real->random(r->wrap.real, buf, n);
	if (r->stopped)
		return;
	log_tag(&r->log, LOG_RANDOM);
	log_bytes(&r->log, buf, n);
}

static int64_t record_fd_read(struct port *t, int fd, void *buf, size_t n)
{
	struct record *r = of(t);
	int64_t got = r->wrap.real->fd_read(r->wrap.real, fd, buf, n);

	if (r->stopped)
		return got;
	log_tag(&r->log, LOG_FD_READ);
	log_number(&r->log, fd);
	log_number(&r->log, got);
	if (got > 0)
		log_bytes(&r->log, buf, (size_t)got);
	return got;
}

static int64_t record_fd_write(struct port *t, int fd, const void *buf, size_t n, bool may_wait)
{
	struct record *r = of(t);
	int64_t got = r->wrap.real->fd_write(r->wrap.real, fd, buf, n, may_wait);

	if (r->stopped)
		return got;
	log_tag(&r->log, LOG_FD_WRITE);
	log_number(&r->log, log_digest((uint32_t)fd, buf, n));
	log_number(&r->log, got);
	return got;
}

static bool record_fd_is_file(struct port *t, int fd)
{
	struct record *r = of(t);
	bool is = r->wrap.real->fd_is_file(r->wrap.real, fd);

	if (!r->stopped) {
		log_tag(&r->log, LOG_FD_IS_FILE);
		log_number(&r->log, is);
	}
	return is;
}

static bool record_fd_same(struct port *t, int a, int b)
{
	struct record *r = of(t);
	bool same = r->wrap.real->fd_same(r->wrap.real, a, b);

	if (!r->stopped) {
		log_tag(&r->log, LOG_FD_SAME);
		log_number(&r->log, same);
	}
	return same;
}

static int record_poll(struct port *t, struct port_poll *v, size_t n, struct port_wake *wake, int64_t ns)
{
	struct record *r = of(t);
	int got = r->wrap.real->poll(r->wrap.real, v, n, wake, ns);

	if (!r->stopped) {
		log_tag(&r->log, LOG_POLL);
		log_number(&r->log, (int64_t)n);
		log_number(&r->log, got);
		for (size_t i = 0; got >= 0 && i < n; i++)
			log_number(&r->log, (v[i].can_read ? 1 : 0) | (v[i].can_write ? 2 : 0));
	}
	pass_gate(r);
	return got;
}

static int64_t record_files(struct port *t, struct hostfs_op *op)
{
	struct record *r = of(t);
	int64_t got = r->wrap.real->files(r->wrap.real, op);

	if (r->stopped)
		return got;
	log_tag(&r->log, LOG_FILES + (int)op->call);
	log_number(&r->log, log_files_digest(op));
	log_files_result(&r->log, op, got);
	return got;
}

static void record_free(struct port *t)
{
	struct record *r = of(t);

	log_release(&r->log);
	r->wrap.real->free(r->wrap.real);
	free(r);
}

struct port *port_record_new(struct port *real, size_t max)
{
	struct record *r = real ? calloc(1, sizeof(*r)) : NULL;
	struct port *t;

	if (!r) {
		if (real)
			real->free(real);
		return NULL;
	}
	r->log.max = max;
	wrap_init(&r->wrap, real);
	t = &r->wrap.port;
	t->clock = record_clock;
	t->random = record_random;
	t->fd_read = record_fd_read;
	t->fd_write = record_fd_write;
	t->fd_is_file = record_fd_is_file;
	t->fd_same = record_fd_same;
	t->poll = record_poll;
	t->files = record_files;
	t->free = record_free;
	return t;
}

struct log *port_record_log(struct port *t)
{
	return &of(t)->log;
}

void port_record_gate(struct port *t, struct port_gate gate)
{
	of(t)->gate = gate;
}

void port_record_stop(struct port *t)
{
	of(t)->stopped = true;
}
