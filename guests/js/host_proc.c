/* host_proc.c - time, chance, waiting, other procs. */
#include "host.h"
#include "../common/host.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

FUNCTION(proc_now)
{
	struct timespec t;

	clock_gettime(arg_int(ctx, argc, argv, 0) ? CLOCK_MONOTONIC : CLOCK_REALTIME, &t);
	return JS_NewFloat64(ctx, (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6);
}

/* Nanoseconds of the monotonic clock, exactly. */
FUNCTION(proc_nanoseconds)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return JS_NewBigUint64(ctx, (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

/* Of the processor, in microseconds. */
FUNCTION(proc_cpu)
{
	return JS_NewFloat64(ctx, (double)clock() * (1e6 / CLOCKS_PER_SEC));
}

static char zone[64]; /* "": UTC */

FUNCTION(proc_set_zone)
{
	const char *name = JS_ToCString(ctx, argv[0]);

	if (!name)
		return JS_EXCEPTION;
	zone[0] = '\0';
	if (strlen(name) < sizeof(zone))
		strcpy(zone, name);
	JS_FreeCString(ctx, name);
	return JS_UNDEFINED;
}

/* Seconds east of UTC; called by the engine. */
int js_zone_offset(int64_t seconds)
{
	struct host_zone z;

	return zone[0] && host_zone_at(zone, seconds, &z) == 0 ? z.offset : 0;
}

FUNCTION(proc_sleep)
{
	double ms = arg_double(ctx, argc, argv, 0);
	struct timespec t = {(time_t)(ms / 1000), 0};

	t.tv_nsec = (long)((ms - (double)t.tv_sec * 1000) * 1e6);
	if (ms > 0)
		nanosleep(&t, NULL);
	return JS_UNDEFINED;
}

#define POLLS 60

/* [fd...] of which one is to be readable, and milliseconds (negative: for ever): [fd...] that are. */
FUNCTION(proc_poll)
{
	struct pollfd v[POLLS];
	double ms = arg_double(ctx, argc, argv, 1);
	JSValue list = JS_NewArray(ctx);
	uint32_t n = 0, found = 0;

	for (; n < POLLS; n++) {
		JSValue fd = JS_GetPropertyUint32(ctx, argv[0], n);
		int32_t number;

		if (!JS_IsNumber(fd))
			break;
		JS_ToInt32(ctx, &number, fd);
		v[n] = (struct pollfd){number, POLLIN, 0};
	}
	if (!n) {
		if (ms > 0)
			proc_sleep(ctx, this_val, 1, argv + 1);
		return list;
	}
	if (poll(v, n, ms < 0 ? -1 : ms > 2e9 ? 2000000000 : (int)(ms + 0.999)) > 0)
		for (uint32_t i = 0; i < n; i++)
			if (v[i].revents)
				JS_SetPropertyUint32(ctx, list, found++, JS_NewInt32(ctx, v[i].fd));
	return list;
}

FUNCTION(proc_exit)
{
	_Exit((int)arg_int(ctx, argc, argv, 0));
}

FUNCTION(proc_pipe)
{
	int fds[2], r = call_pipe(fds);
	JSValue v;

	if (r < 0)
		return JS_NewInt32(ctx, r);
	call_set_cloexec(fds[0], 1);
	call_set_cloexec(fds[1], 1);
	v = JS_NewArray(ctx);
	JS_SetPropertyUint32(ctx, v, 0, JS_NewInt32(ctx, fds[0]));
	JS_SetPropertyUint32(ctx, v, 1, JS_NewInt32(ctx, fds[1]));
	return v;
}

/* A NULL-terminated array of the strings of a JavaScript array; NULL with an exception. */
static const char **strings(JSContext *ctx, JSValueConst list)
{
	JSValue length = JS_GetPropertyStr(ctx, list, "length");
	const char **v;
	uint32_t n = 0;

	JS_ToUint32(ctx, &n, length);
	v = n < 100000 ? calloc(n + 1, sizeof(*v)) : NULL;
	if (!v) {
		JS_ThrowOutOfMemory(ctx);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++) {
		JSValue s = JS_GetPropertyUint32(ctx, list, i);

		v[i] = JS_ToCString(ctx, s);
		JS_FreeValue(ctx, s);
		if (!v[i])
			return NULL;
	}
	return v;
}

static void strings_free(JSContext *ctx, const char **v)
{
	for (size_t i = 0; v && v[i]; i++)
		JS_FreeCString(ctx, v[i]);
	free(v);
}

#define MOVES 32

/* path, argv, env, [from, to...] of descriptors, directory ('' for ours), group: the pid */
FUNCTION(proc_spawn)
{
	const char *path = JS_ToCString(ctx, argv[0]), *dir = JS_ToCString(ctx, argv[4]), **args, **vars;
	int32_t moves[2 * MOVES], r;
	uint32_t n = 0;

	args = strings(ctx, argv[1]);
	vars = strings(ctx, argv[2]);
	if (!path || !dir || !args || !vars)
		return JS_EXCEPTION;
	for (; n < 2 * MOVES; n++) {
		JSValue fd = JS_GetPropertyUint32(ctx, argv[3], n);

		if (!JS_IsNumber(fd))
			break;
		JS_ToInt32(ctx, &moves[n], fd);
	}
	const uintptr_t how[7] = {(uintptr_t)path, (uintptr_t)args, (uintptr_t)vars, (uintptr_t)moves, n / 2, (uintptr_t)arg_int(ctx, argc, argv, 5),
				  *dir ? (uintptr_t)dir : 0};
	r = call_spawn(how);
	strings_free(ctx, args);
	strings_free(ctx, vars);
	JS_FreeCString(ctx, path);
	JS_FreeCString(ctx, dir);
	return JS_NewInt32(ctx, r);
}

/* pid, whether to wait: [pid, status, signal], or 0 while it goes on */
FUNCTION(proc_wait)
{
	int out[3], r = call_wait((int)arg_int(ctx, argc, argv, 0), arg_int(ctx, argc, argv, 1) ? 0 : 1, out);
	JSValue v;

	if (r <= 0)
		return JS_NewInt32(ctx, r);
	v = JS_NewArray(ctx);
	for (uint32_t i = 0; i < 3; i++)
		JS_SetPropertyUint32(ctx, v, i, JS_NewInt32(ctx, out[i]));
	return v;
}

FUNCTION(proc_kill)
{
	return JS_NewInt32(ctx, call_kill((int)arg_int(ctx, argc, argv, 0), (int)arg_int(ctx, argc, argv, 1)));
}

FUNCTION(proc_id)
{
	return JS_NewInt32(ctx, call_id((unsigned)arg_int(ctx, argc, argv, 0)));
}

FUNCTION(proc_random)
{
	int64_t n = arg_int(ctx, argc, argv, 2);
	uint8_t *to = host_bytes(ctx, argv[0], arg_int(ctx, argc, argv, 1), n);

	if (!to)
		return JS_EXCEPTION;
	for (int64_t at = 0; at < n; at += 256)
		if (getentropy(to + at, (size_t)(n - at < 256 ? n - at : 256)) < 0)
			return JS_ThrowInternalError(ctx, "no entropy");
	return JS_UNDEFINED;
}

#define proc                                            \
	{                                               \
		JS_CFUNC_DEF("now", 1, proc_now),        \
		JS_CFUNC_DEF("nanoseconds", 0, proc_nanoseconds), \
		JS_CFUNC_DEF("cpu", 0, proc_cpu),        \
		JS_CFUNC_DEF("setZone", 1, proc_set_zone), \
		JS_CFUNC_DEF("sleep", 1, proc_sleep),    \
		JS_CFUNC_DEF("poll", 2, proc_poll),      \
		JS_CFUNC_DEF("exit", 1, proc_exit),      \
		JS_CFUNC_DEF("pipe", 0, proc_pipe),      \
		JS_CFUNC_DEF("spawn", 6, proc_spawn),    \
		JS_CFUNC_DEF("wait", 2, proc_wait),      \
		JS_CFUNC_DEF("kill", 2, proc_kill),      \
		JS_CFUNC_DEF("id", 1, proc_id),          \
		JS_CFUNC_DEF("random", 3, proc_random),  \
	}
TABLE(proc);
