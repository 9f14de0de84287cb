/* hostcall.c - a proc asks the host for something and sleeps until it is done.
 *
 * States: queued (start not yet called) - started - completed; at any of them the proc may
 * die. Then `proc` becomes NULL and the call is freed by whichever comes last: the host's
 * completion or the step that tells the host that it is not wanted. */
#include "hostcall.h"

#include "runtime.h"

struct hostcall {
	struct runtime *rt;
	struct sandbox *sb;
	struct proc *proc; /* who waits; NULL when it is gone */
	struct waitq done_q;
	struct hostcall *next; /* in rt->calls */
	bool queued, started, done;
	bool posted; /* nobody waits: dropped(arg) is all that is to be done */
	bool tell; /* the host is to be told that the proc is gone */
	int64_t result;
	void (*start)(struct hostcall *c, void *arg);
	void (*aborted)(struct hostcall *c, void *arg);
	void (*dropped)(void *arg);
	void *arg;
	struct mail complete;
	_Atomic int64_t mailed; /* the result, from another thread */
};

static void enqueue(struct hostcall *c)
{
	struct hostcall **at = &c->rt->calls;

	while (*at)
		at = &(*at)->next;
	c->next = NULL;
	c->queued = true;
	*at = c;
}

static void dequeue(struct hostcall *c)
{
	struct hostcall **at = &c->rt->calls;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	c->queued = false;
}

static void call_free(struct hostcall *c)
{
	c->rt->ncompletions--;
	kfree(&c->rt->quota, c, sizeof(*c));
}

static void completed(struct mail *m)
{
	struct hostcall *c = CONTAINER_OF(m, struct hostcall, complete);

	c->rt->external--;
	c->done = true;
	c->result = atomic_load(&c->mailed);
	if (c->proc) {
		c->sb->nhost--;
		waitq_wake(&c->done_q);
		return;
	}
	if (c->queued)
		dequeue(c);
	call_free(c);
}

void hostcall_complete(struct hostcall *c, int64_t result)
{
	atomic_store(&c->mailed, result);
	mail_post(c->rt, &c->complete);
}

struct run *hostcall_run(const struct hostcall *c)
{
	return c->proc ? c->proc->run : NULL;
}

/* The proc is killed while it waits. */
static void abandon(struct hostcall *c)
{
	c->proc = NULL;
	if (c->done) {
		call_free(c);
		return;
	}
	c->sb->nhost--;
	if (!c->started) {
		dequeue(c);
		if (c->dropped)
			c->dropped(c->arg);
		call_free(c);
		return;
	}
	if (c->aborted)
		enqueue(c); /* to be told on the host's stack */
}

int64_t hostcall_inside(struct proc *p, void (*start)(struct hostcall *c, void *arg),
                        void (*aborted)(struct hostcall *c, void *arg), void (*dropped)(void *arg),
                        void *arg)
{
	struct runtime *rt = p->rt;
	struct hostcall *c;
	int64_t r;

	c = kalloc(&rt->quota, sizeof(*c));
	if (!c)
		return -NACRE_ENOMEM;
	memset(c, 0, sizeof(*c));
	c->rt = rt;
	c->sb = p->sb;
	c->proc = p;
	c->start = start;
	c->aborted = aborted;
	c->dropped = dropped;
	c->arg = arg;
	c->complete.deliver = completed;
	rt->ncompletions++;
	p->sb->nhost++;
	enqueue(c);
	r = 0;
	while (!c->done && r != -NACRE_EKILLED)
		r = proc_wait_on(p, &c->done_q, -1, false);
	if (r == -NACRE_EKILLED) {
		abandon(c);
		return r;
	}
	r = c->result;
	call_free(c);
	return r;
}

int64_t hostcall(struct proc *p, void (*start)(struct hostcall *c, void *arg),
                 void (*aborted)(struct hostcall *c, void *arg), void (*dropped)(void *arg),
                 void *arg)
{
	proc_enter(p);
	return proc_leave(p, hostcall_inside(p, start, aborted, dropped, arg));
}

/* ---- Without waiting ---------------------------------------------------------------- */

struct hostcall *hostcall_reserve(struct runtime *rt)
{
	struct hostcall *c = kzalloc(&rt->quota, sizeof(*c));

	if (c) {
		c->rt = rt;
		rt->ncompletions++;
	}
	return c;
}

void hostcall_post(struct hostcall *c, void (*fn)(void *arg), void *arg)
{
	c->dropped = fn;
	c->arg = arg;
	c->posted = true;
	enqueue(c);
}

void hostcall_unreserve(struct hostcall *c)
{
	call_free(c);
}

void hostcall_flush(struct runtime *rt)
{
	for (struct hostcall *c = rt->calls, *next; c; c = next) {
		next = c->next;
		if (!c->posted)
			continue;
		dequeue(c);
		c->dropped(c->arg);
		call_free(c);
		next = rt->calls; /* what was called may have posted others */
	}
}

bool hostcalls_work(struct runtime *rt)
{
	bool any = false;

	while (rt->calls) {
		struct hostcall *c = rt->calls;

		dequeue(c);
		any = true;
		if (c->posted) {
			c->dropped(c->arg);
			call_free(c);
			continue;
		}
		if (!c->proc) {
			c->aborted(c, c->arg);
			continue;
		}
		c->started = true;
		rt->external++;
		c->start(c, c->arg);
	}
	return any;
}
