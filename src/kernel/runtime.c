/* runtime.c - a runtime: its making, its mail, what it waits for.
 *
 * Other threads reach a runtime only through its mail: a stack of messages that the stepping
 * thread takes as a whole, and one wake-up, signalled at most once until it is seen. */
#include "runtime.h"

#include "stream.h"

struct runtime *runtime_new(struct port *port, const struct runtime_config *config)
{
	struct runtime_config c = config ? *config : (struct runtime_config){0};
	struct pool pool;
	struct runtime *rt;

	/* The runtime lies in memory of its own pool. */
	pool_init(&pool, port);
	rt = port->map(port, (sizeof(*rt) + port->page_size - 1) & ~(port->page_size - 1),
	               port->page_size, PORT_PAGES_SMALL);
	if (!rt)
		return NULL;
	memset(rt, 0, sizeof(*rt));
	rt->port = port;
	rt->pool = pool;
	rt->pool.limit = c.memory;
	rt->quota.memory = &rt->pool.memory;
	stacks_init(&rt->stacks, port, &rt->quota, c.idle_stacks ? c.idle_stacks : 256);
	rt->cages.port = port;
	timers_init(&rt->timers, &rt->quota);
	stream_null_init(rt);
	rt->ready_end = &rt->ready;
	rt->slice = c.slice ? MIN(c.slice, 1000000u) : 10000;
	rt->normal_slice = rt->slice;
	atomic_init(&rt->mail, NULL);
	rt->wake = port->wake_new(port);
	if (!rt->wake) {
		port->unmap(port, rt, (sizeof(*rt) + port->page_size - 1) & ~(port->page_size - 1));
		return NULL;
	}
	return rt;
}

void runtime_free(struct runtime *rt)
{
	struct port *port = rt->port;

	if (rt->sandboxes || rt->nruns || rt->nprocs)
		KERNEL_BUG();
	mail_deliver(rt);
	cages_release(&rt->cages);
	stacks_release(&rt->stacks);
	timers_release(&rt->timers);
	port->wake_free(port, rt->wake);
	pool_release(&rt->pool);
	port->unmap(port, rt, (sizeof(*rt) + port->page_size - 1) & ~(port->page_size - 1));
}

struct port *runtime_port(struct runtime *rt)
{
	return rt->port;
}

struct memory *runtime_memory(struct runtime *rt)
{
	return &rt->pool.memory;
}

struct quota *runtime_quota(struct runtime *rt)
{
	return &rt->quota;
}

void runtime_stats(struct runtime *rt, struct runtime_stats *out)
{
	*out = (struct runtime_stats){
		.procs = rt->nprocs,
		.stacks_used = rt->stacks.nused,
		.stacks_idle = rt->stacks.nidle,
		.sandboxes = rt->nsandboxes,
		.runs = rt->nruns,
		.timers = rt->timers.n,
		.completions = rt->ncompletions,
		.memory_live = rt->pool.live,
		.memory_mapped = rt->pool.mapped,
		.switches = rt->switches,
		.spawned = rt->spawned,
		.syscalls_slow = rt->slow,
		.leaked = rt->leaked,
		.heap_lost = rt->heap_lost,
	};
}

/* ---- Mail --------------------------------------------------------------------------- */

void mail_post(struct runtime *rt, struct mail *m)
{
	struct mail *head;

	if (atomic_exchange(&m->posted, true))
		return;
	head = atomic_load_explicit(&rt->mail, memory_order_relaxed);
	do
		m->next = head;
	while (!atomic_compare_exchange_weak(&rt->mail, &head, m));
	rt->port->wake_signal(rt->port, rt->wake);
}

void mail_deliver(struct runtime *rt)
{
	struct mail *m, *in_order = NULL;

	rt->port->wake_clear(rt->port, rt->wake);
	m = atomic_exchange(&rt->mail, NULL);
	while (m) {
		struct mail *next = m->next;

		m->next = in_order;
		in_order = m;
		m = next;
	}
	while (in_order) {
		m = in_order;
		in_order = m->next;
		/* Before delivery: what is posted from now on is news. */
		atomic_store(&m->posted, false);
		m->deliver(m);
	}
}

/* ---- Waiting ------------------------------------------------------------------------ */

static bool quiet_pending(struct runtime *rt)
{
	for (struct sandbox *sb = rt->quiet; sb; sb = sb->virtual->next_quiet)
		if (!sb->nactive && !sb->nhost && timers_next(&sb->virtual->timers) != INT64_MAX)
			return true;
	return false;
}

void runtime_wait_info(struct runtime *rt, struct runtime_wait_info *out)
{
	int64_t next = timers_next(&rt->timers);

	*out = (struct runtime_wait_info){.timeout_ns = -1,
	                                  .nfds = rt->nfds,
	                                  .external = rt->external > 0,
	                                  .wake_fd = rt->port->wake_fd(rt->port, rt->wake)};
	if (rt->ready || mail_waiting(rt) || rt->busy || rt->calls || quiet_pending(rt) ||
	    runs_deliverable(rt))
		out->timeout_ns = 0;
	else if (next != INT64_MAX) {
		int64_t left = next - rt->port->clock(rt->port, PORT_CLOCK_MONO);

		out->timeout_ns = MAX(left, (int64_t)0);
	}
}

size_t runtime_wait_fds(struct runtime *rt, struct port_poll *v, size_t cap)
{
	size_t n = 0;

	for (struct stream *s = rt->on_fds; s && n < cap; s = stream_next_fd(s))
		v[n++] = stream_poll_of(s);
	return n;
}

void runtime_wait(struct runtime *rt, int64_t max_ns)
{
	struct runtime_wait_info info;
	struct port_poll few[16], *v = few;
	size_t n = 0;

	runtime_wait_info(rt, &info);
	if (info.timeout_ns == 0)
		return;
	if (max_ns >= 0 && (info.timeout_ns < 0 || info.timeout_ns > max_ns))
		info.timeout_ns = max_ns;
	if (rt->nfds > COUNTOF(few))
		v = kalloc(&rt->quota, rt->nfds * sizeof(*v));
	if (v)
		n = runtime_wait_fds(rt, v, v == few ? COUNTOF(few) : rt->nfds);
	else
		info.timeout_ns = 1000000; /* without memory: look again soon */
	rt->port->poll(rt->port, v, n, rt->wake, info.timeout_ns);
	if (v != few)
		kfree(&rt->quota, v, info.nfds * sizeof(*v));
	rt->port->wake_clear(rt->port, rt->wake);
}

void runtime_wake(struct runtime *rt)
{
	rt->port->wake_signal(rt->port, rt->wake);
}

/* ---- For fs/dev --------------------------------------------------------------------- */

struct file *kernel_fd_file(void *ctx, int fd)
{
	struct proc *p = ((struct runtime *)ctx)->current;
	struct fd_slot *s = p ? fdtab_slot(&p->fds, fd) : NULL;

	return s ? file_get(s->file) : NULL;
}

int kernel_fd_count(void *ctx)
{
	struct proc *p = ((struct runtime *)ctx)->current;

	return p ? (int)p->fds.end : 0;
}

/* ---- For tests ---------------------------------------------------------------------- */

void runtime_torture(struct runtime *rt, struct torture *t, bool set)
{
	uint64_t allocs = rt->pool.allocs;

	if (!set) {
		*t = rt->torture;
		t->allocs = allocs;
		return;
	}
	rt->torture = *t;
	rt->torture.allocs = rt->torture.calls = 0;
	rt->pool.fail_at = t->fail_alloc_at;
	rt->pool.fail_every = t->fail_alloc_every;
	rt->pool.allocs = 0;
	rt->torturing = t->fail_alloc_at || t->kill_at || t->count;
	/* No fuel at all: every system call and checkpoint takes its slow path. */
	rt->slice = rt->torturing ? 0 : rt->normal_slice;
}
