/* calls_proc.c - what guests import besides WASI: procs and signals. */
#include "calls.h"

#include "../user/user.h"

#define STRINGS_MAX 65536u
#define MOVES_MAX   1024u

static u32 result(int64_t r)
{
	return (u32)(int32_t)r;
}

/* The array of strings at `at`, as pointers into the guest's memory; NULL: it is not one. */
static char **strings(struct guest *g, u32 at)
{
	size_t n = 0;
	const char *v;
	char **to;

	while (n < STRINGS_MAX && (v = guest_at(g, at + (u32)n * 4, 4)) && wasi_get32(v))
		n++, sys_checkpoint(g->p);
	if (n == STRINGS_MAX || !guest_at(g, at, (uint64_t)(n + 1) * 4))
		return NULL;
	to = u_alloc(g->p, (n + 1) * sizeof(*to));
	for (size_t i = 0; i < n; i++) {
		to[i] = (char *)(uintptr_t)guest_string(g, wasi_get32(g->memory + at + i * 4));
		if (!to[i])
			return NULL;
		sys_checkpoint(g->p);
	}
	to[n] = NULL;
	return to;
}

static int spawn(struct guest *g, u32 how)
{
	const char *at = guest_at(g, how, 28), *cwd, *moves;
	struct sys_spawn s = {0};
	struct sys_fd_move *fds;
	u32 n;
	int r = 0;

	if (!at)
		return -NACRE_EFAULT;
	s.path = guest_string(g, wasi_get32(at));
	s.argv = strings(g, wasi_get32(at + 4));
	s.env = strings(g, wasi_get32(at + 8));
	n = wasi_get32(at + 16);
	moves = n <= MOVES_MAX ? guest_at(g, wasi_get32(at + 12), (uint64_t)n * 8) : NULL;
	s.pgid = (int)wasi_get32(at + 20);
	cwd = wasi_get32(at + 24) ? guest_string(g, wasi_get32(at + 24)) : sys_getcwd(g->p);
	if (!s.path || !s.argv || !s.env || !moves || !cwd)
		return -NACRE_EFAULT;
	fds = u_alloc(g->p, ((size_t)n + 1) * sizeof(*fds));
	for (u32 i = 0; i < n; i++)
		fds[i] = (struct sys_fd_move){(int)wasi_get32(moves + i * 8), (int)wasi_get32(moves + i * 8 + 4)};
	s.fds = fds;
	s.nfds = n;
	if (wasi_get32(at + 24)) {
		/* A child begins where its parent is. */
		const char *back = u_strdup(g->p, sys_getcwd(g->p));

		r = sys_chdir(g->p, cwd);
		r = r < 0 ? r : sys_spawn(g->p, &s);
		/* Where that is not possible any more, the guest's names are absolute all the same. */
		(void)!sys_chdir(g->p, back);
		return r;
	}
	return sys_spawn(g->p, &s);
}

u32 guest_env_spawn(struct guest *g, u32 how)
{
	struct arena_mark m = arena_mark(&sys_self(g->p)->arena);
	int r = g->booting ? -NACRE_EPERM : spawn(g, how);

	arena_reset(&sys_self(g->p)->arena, m);
	return result(r);
}

u32 guest_env_exec(struct guest *g, u32 path, u32 argv, u32 env)
{
	const char *name = guest_string(g, path);
	char **args = strings(g, argv), **vars = strings(g, env);

	return result(name && args && vars && !g->booting ? sys_exec(g->p, name, args, vars, NULL) : -NACRE_EFAULT);
}

u32 guest_env_wait(struct guest *g, u32 pid, u32 flags, u32 to)
{
	char *at = guest_at(g, to, 12);
	struct sys_wait w;
	int r;

	if (!at || g->booting)
		return result(at ? -NACRE_ECHILD : -NACRE_EFAULT);
	r = sys_wait(g->p, (int)pid, flags & SYS_WNOHANG, &w);
	if (r <= 0)
		return result(r);
	wasi_put32(at, (u32)w.pid);
	wasi_put32(at + 4, (u32)w.status);
	wasi_put32(at + 8, (u32)w.signal);
	return result(r);
}

u32 guest_env_kill(struct guest *g, u32 pid, u32 sig)
{
	return result(sig >= SYS_NSIG || g->booting ? -NACRE_EINVAL : sys_kill(g->p, (int)pid, (int)sig));
}

/* There is no call that asks for the user; a nameless file of our own tells. */
static u32 owner(struct guest *g, bool group)
{
	struct sys_stat st = {.uid = 0, .gid = 0};
	int fd = sys_memfile(g->p, "", 0), r;

	if (fd < 0)
		return result(fd);
	r = sys_fstat(g->p, fd, &st);
	sys_close(g->p, fd);
	return r < 0 ? result(r) : group ? st.gid : st.uid;
}

u32 guest_env_id(struct guest *g, u32 which)
{
	if (g->booting)
		return result(-NACRE_EPERM);
	switch (which) {
	case 0: return (u32)sys_getpid(g->p);
	case 1: return (u32)sys_getppid(g->p);
	case 2: return (u32)sys_getpgid(g->p);
	case 3:
	case 4: return owner(g, which == 4);
	default: return result(-NACRE_EINVAL);
	}
}

u32 guest_env_signal(struct guest *g, u32 sig, u32 disposition)
{
	if (sig < 1 || sig >= SYS_NSIG || disposition > SYS_SIG_CATCH || sig == SYS_SIGKILL || sig == SYS_SIGSTOP)
		return result(-NACRE_EINVAL);
	if (g->booting)
		return result(-NACRE_EPERM);
	return result(sys_signal(g->p, (int)sig, (enum sys_disposition)disposition));
}

u64 guest_env_signals(struct guest *g)
{
	return sys_signal_waiting(g->p) ? sys_signals(g->p) : 0;
}

u64 guest_env_cpu_time(struct guest *g, u32 which)
{
	return g->booting ? 0 : (u64)sys_clock(g->p, which ? SYS_CLOCK_CHILDREN : SYS_CLOCK_OWN);
}

u32 guest_env_rlimit(struct guest *g, u32 which, u32 to)
{
	char *at = guest_at(g, to, 16);
	struct sys_rlimit r;

	if (!at || which >= SYS_RLIMIT_COUNT || g->booting)
		return result(at ? -NACRE_EINVAL : -NACRE_EFAULT);
	r = sys_rlimit_get(g->p, (enum sys_rlimit_kind)which);
	wasi_put64(at, r.soft);
	wasi_put64(at + 8, r.hard);
	return 0;
}

u32 guest_env_set_rlimit(struct guest *g, u32 which, u64 soft, u64 hard)
{
	return result(which >= SYS_RLIMIT_COUNT || g->booting ? -NACRE_EINVAL : sys_rlimit_set(g->p, (enum sys_rlimit_kind)which, (struct sys_rlimit){soft, hard}));
}
