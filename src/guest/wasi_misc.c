/* wasi_misc.c - WASI: arguments, clocks, chance, waiting, the end. */
#include "wasi.h"

/* Arguments and environment come with guest_main; while a guest boots there are none. */
static u32 nothing(struct guest *g, u32 count, u32 size)
{
	char *a = guest_at(g, count, 4), *b = guest_at(g, size, 4);

	if (!a || !b)
		return WASI_EFAULT;
	wasi_put32(a, 0);
	wasi_put32(b, 0);
	return WASI_OK;
}

u32 guest_wasi_args_sizes_get(struct guest *g, u32 count, u32 size)
{
	return nothing(g, count, size);
}

u32 guest_wasi_args_get(struct guest *g, u32 argv, u32 buf)
{
	(void)g, (void)argv, (void)buf;
	return WASI_OK;
}

u32 guest_wasi_environ_sizes_get(struct guest *g, u32 count, u32 size)
{
	return nothing(g, count, size);
}

u32 guest_wasi_environ_get(struct guest *g, u32 env, u32 buf)
{
	(void)g, (void)env, (void)buf;
	return WASI_OK;
}

static u32 put_time(struct guest *g, u32 to, uint64_t ns)
{
	char *at = guest_at(g, to, 8);

	if (!at)
		return WASI_EFAULT;
	wasi_put64(at, ns);
	return WASI_OK;
}

u32 guest_wasi_clock_res_get(struct guest *g, u32 id, u32 to)
{
	return id > 3 ? (u32)WASI_EINVAL : put_time(g, to, 1);
}

u32 guest_wasi_clock_time_get(struct guest *g, u32 id, u64 precision, u32 to)
{
	static const enum sys_clock clocks[] = {SYS_CLOCK_REAL, SYS_CLOCK_MONO, SYS_CLOCK_OWN, SYS_CLOCK_OWN};

	(void)precision;
	if (id >= COUNTOF(clocks))
		return WASI_EINVAL;
	return put_time(g, to, g->booting ? 0 : (uint64_t)sys_clock(g->p, clocks[id]));
}

/* What a guest draws while it boots is the same for all runs: the seeds it needs it has to draw anew. */
u32 guest_wasi_random_get(struct guest *g, u32 to, u32 n)
{
	char *at = guest_at(g, to, n);

	if (!at)
		return WASI_EFAULT;
	if (g->booting)
		memset(at, 0, n);
	else
		sys_random(g->p, at, n);
	return WASI_OK;
}

u32 guest_wasi_sched_yield(struct guest *g)
{
	sys_checkpoint_n(g->p, 1000);
	return WASI_OK;
}

void guest_wasi_proc_exit(struct guest *g, u32 status)
{
	sys_exit(g->p, (int)(status & 0xff));
}

u32 guest_wasi_proc_raise(struct guest *g, u32 sig)
{
	return wasi_errno(sys_kill(g->p, sys_getpid(g->p), (int)sig));
}

/* ---- poll_oneoff ------------------------------------------------------------------------ */

#define SUBSCRIPTION 48u /* bytes of one; it holds userdata, what, and a clock or a descriptor */
#define EVENT        32u
#define POLLS_MAX    64u

struct wish {
	uint64_t userdata;
	uint8_t kind; /* 0 a time, 1 reading, 2 writing */
	uint32_t fd;
	int64_t ns; /* from now */
};

static void wish_get(struct guest *g, const char *at, struct wish *w)
{
	w->userdata = wasi_get64(at);
	w->kind = (uint8_t)at[8];
	w->fd = wasi_get32(at + 16);
	w->ns = 0;
	if (w->kind == 0) {
		enum sys_clock clock = wasi_get32(at + 16) == 0 ? SYS_CLOCK_REAL : SYS_CLOCK_MONO;
		uint64_t t = MIN(wasi_get64(at + 24), (uint64_t)INT64_MAX);
		bool absolute = at[40] & 1;

		w->ns = absolute ? (int64_t)t - sys_clock(g->p, clock) : (int64_t)t;
		w->ns = MAX(w->ns, (int64_t)0);
	}
}

static void event_put(char *at, const struct wish *w, uint32_t error)
{
	memset(at, 0, EVENT);
	wasi_put64(at, w->userdata);
	at[8] = (char)error;
	at[10] = (char)w->kind;
	if (w->kind)
		wasi_put64(at + 16, 1); /* bytes there are: at least one, as far as anybody knows */
}

u32 guest_wasi_poll_oneoff(struct guest *g, u32 in, u32 out, u32 n, u32 count)
{
	const char *from = n <= POLLS_MAX ? guest_at(g, in, (uint64_t)n * SUBSCRIPTION) : NULL;
	char *to = n <= POLLS_MAX ? guest_at(g, out, (uint64_t)n * EVENT) : NULL, *number = guest_at(g, count, 4);
	struct wish w[POLLS_MAX];
	struct sys_poll v[POLLS_MAX];
	int64_t ns = -1;
	u32 done = 0;
	size_t fds = 0;
	int r;

	if (!n || !from || !to || !number)
		return n && n <= POLLS_MAX ? WASI_EFAULT : WASI_EINVAL;
	for (u32 i = 0; i < n; i++) {
		wish_get(g, from + i * SUBSCRIPTION, &w[i]);
		if (w[i].kind == 0)
			ns = ns < 0 ? w[i].ns : MIN(ns, w[i].ns);
		else
			v[fds++] = (struct sys_poll){.fd = wasi_fd(w[i].fd), .want_read = w[i].kind == 1, .want_write = w[i].kind == 2};
	}
	r = fds ? sys_poll(g->p, v, fds, ns) : sys_sleep(g->p, ns);
	if (r < 0)
		return wasi_errno(r);
	fds = 0;
	for (u32 i = 0; i < n; i++) {
		bool ready = w[i].kind == 0 ? r == 0 && w[i].ns <= ns : v[fds].can_read || v[fds].can_write;

		fds += w[i].kind != 0;
		if (ready)
			event_put(to + EVENT * done++, &w[i], 0);
	}
	wasi_put32(number, done);
	return WASI_OK;
}
