/* calls_more.c - what guests import besides WASI: strings, time zones, alarms. */
#include "calls.h"

#include "../user/user.h"

#define STEP ((u32)1 << 20) /* bytes looked at between two checkpoints */

u32 guest_env_find(struct guest *g, u32 at, u32 c, u32 n)
{
	/* Who knows that it is there may give any length: only what is looked at must be. */
	u32 there = at < g->size ? (u32)MIN(g->size - at, (u64)n) : 0;
	const char *from = g->memory + at, *found = NULL;

	for (u64 done = 0; done < there && !found; done += STEP) {
		found = memchr(from + done, (int)c, (size_t)MIN(there - done, (u64)STEP));
		if (there > STEP)
			sys_checkpoint_n(g->p, STEP / 64);
	}
	if (!found && there < n)
		guest_trap(g, GUEST_OUT_OF_BOUNDS);
	return found ? (u32)(found - g->memory) : 0;
}

u32 guest_env_length(struct guest *g, u32 at)
{
	return guest_env_find(g, at, 0, UINT32_MAX) - at;
}

u64 guest_env_alarm(struct guest *g, u64 ns, u64 interval)
{
	int64_t left = 0;
	int r = ns > INT64_MAX || interval > INT64_MAX ? -NACRE_EINVAL : g->booting ? 0 : sys_alarm(g->p, (int64_t)ns, (int64_t)interval, &left);

	return r < 0 ? (u64)(int64_t)r : (u64)left;
}

u32 guest_env_zone_at(struct guest *g, u32 zone, u64 t, u32 to)
{
	const char *spec = guest_string(g, zone);
	char *at = guest_at(g, to, 24);
	struct arena_mark m;
	struct u_tm tm;

	if (!spec || !at || g->booting)
		return (u32)(spec && at ? -NACRE_EPERM : -NACRE_EFAULT);
	m = arena_mark(&sys_self(g->p)->arena);
	u_time_split(u_tz_get(g->p, spec), (struct sys_time){(int64_t)t, 0}, &tm);
	memset(at, 0, 24);
	wasi_put32(at, (u32)tm.offset);
	wasi_put32(at + 4, (u32)tm.isdst);
	memcpy(at + 8, tm.zone, strnlen(tm.zone, 15));
	arena_reset(&sys_self(g->p)->arena, m);
	return 0;
}
