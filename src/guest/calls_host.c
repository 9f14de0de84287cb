/* calls_host.c - what guests import besides WASI: what the host adds to them, and the limits it sets them. */
#include "calls.h"

static u32 result(int64_t r)
{
	return (u32)(int32_t)r;
}

/* The first n bytes of `from` to `to`; all its bytes are told. */
static u32 give(struct guest *g, u32 to, u32 n, const char *from, size_t len)
{
	char *at = guest_at(g, to, n);

	if (!at || len > INT32_MAX)
		return result(at ? -NACRE_EFBIG : -NACRE_EFAULT);
	if (MIN(n, len))
		memcpy(at, from, MIN(n, len));
	return (u32)len;
}

u32 guest_env_offer(struct guest *g, u32 to, u32 n)
{
	size_t len = 0;
	const char *text = g->booting ? "" : sys_offer(g->p, &len);

	return give(g, to, n, text, len);
}

u32 guest_env_ask(struct guest *g, u32 name, u32 text, u32 data, u32 n, u32 to)
{
	const char *what = guest_string(g, name), *words = guest_string(g, text), *bytes = guest_at(g, data, n);
	char *at = guest_at(g, to, 8);
	size_t len;
	int r;

	if (!what || !words || !bytes || !at)
		return result(-NACRE_EFAULT);
	if (g->booting)
		return result(-NACRE_ENOENT);
	r = sys_ask(g->p, what, words, bytes, n);
	if (r < 0)
		return result(r);
	for (int i = 1; i <= 2; i++) {
		(void)sys_answer(g->p, i, &len);
		wasi_put32(at + (i - 1) * 4, (u32)MIN(len, (size_t)INT32_MAX));
	}
	return result(r);
}

u32 guest_env_answer(struct guest *g, u32 which, u32 to, u32 n)
{
	size_t len = 0;
	const char *text = g->booting ? "" : sys_answer(g->p, (int)(which & 3), &len);

	return give(g, to, n, text, len);
}

u64 guest_env_limit(struct guest *g, u32 which)
{
	return g->booting || which > SYS_LIMIT_JQ_FILTER_TOKENS - SYS_LIMIT_GUEST_MEMORY ? 0 : sys_limit(g->p, (enum sys_limit)(SYS_LIMIT_GUEST_MEMORY + which));
}
