/* calls_fd.c - what guests import besides WASI: descriptors. */
#include "calls.h"

static u32 result(int64_t r)
{
	return (u32)(int32_t)r;
}

const char *guest_string(const struct guest *g, u32 at)
{
	return at && at < g->size && memchr(g->memory + at, 0, g->size - at) ? g->memory + at : NULL;
}

u32 guest_env_pipe(struct guest *g, u32 fds)
{
	char *at = guest_at(g, fds, 8);
	int v[2], r;

	if (!at)
		return result(-NACRE_EFAULT);
	r = sys_pipe(g->p, v);
	if (r < 0)
		return result(r);
	wasi_put32(at, (u32)v[0]);
	wasi_put32(at + 4, (u32)v[1]);
	return 0;
}

u32 guest_env_dup(struct guest *g, u32 fd, u32 min, u32 cloexec)
{
	int r = min > INT32_MAX ? -NACRE_EINVAL : sys_dup(g->p, wasi_own_fd(g, fd), (int)min, cloexec != 0);

	wasi_dir_copied(g, wasi_own_fd(g, fd), r);
	return result(r);
}

u32 guest_env_dup2(struct guest *g, u32 fd, u32 to)
{
	int r = sys_dup2(g->p, wasi_fd(fd), wasi_fd(to));

	if (fd != to && r >= 0) {
		wasi_dir_closed(g, wasi_fd(to));
		wasi_dir_copied(g, wasi_fd(fd), r);
	}
	return result(r);
}

u32 guest_env_fd_flags(struct guest *g, u32 fd)
{
	return result(sys_fd_flags(g->p, wasi_own_fd(g, fd)));
}

u32 guest_env_set_cloexec(struct guest *g, u32 fd, u32 on)
{
	return result(sys_set_cloexec(g->p, wasi_fd(fd), on != 0));
}

u32 guest_env_isatty(struct guest *g, u32 fd)
{
	int r = sys_fd_flags(g->p, wasi_own_fd(g, fd));

	return result(r < 0 ? r : sys_isatty(g->p, wasi_own_fd(g, fd)) ? 1 : -NACRE_ENOTTY);
}

u32 guest_env_ready(struct guest *g, u32 fd)
{
	struct sys_poll v = {.fd = wasi_own_fd(g, fd), .want_read = true, .want_write = true};
	int r = sys_poll(g->p, &v, 1, 0);

	return result(r < 0 ? r : v.can_read | v.can_write << 1);
}

u32 guest_env_fstat(struct guest *g, u32 fd, u32 to)
{
	struct sys_stat st;
	int r = sys_fstat(g->p, wasi_own_fd(g, fd), &st);

	return result(r < 0 ? r : guest_put_stat(g, to, &st));
}
