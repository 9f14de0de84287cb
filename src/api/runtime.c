/* runtime.c - nacre_runtime: the kernel's runtime, with what its sandboxes share. */
#include "api.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../kernel/hostcall.h"

const char *nacre_version(void)
{
	return NACRE_VERSION;
}

const char *nacre_strerror(int code)
{
	return errno_text(code);
}

void nacre_free(void *p)
{
	free(p);
}

int runtime_fail(nacre_runtime *rt, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(rt->error, sizeof(rt->error), format, ap);
	va_end(ap);
	return code;
}

int runtime_of_port(nacre_runtime **out, struct port *port)
{
	nacre_runtime *rt = calloc(1, sizeof(*rt));

	*out = NULL;
	if (!rt) {
		if (port)
			port->free(port);
		return -NACRE_ENOMEM;
	}
	rt->port = port;
	rt->kernel = rt->port ? runtime_new(rt->port, NULL) : NULL;
	rt->store = rt->kernel ? mem_store_new(runtime_memory(rt->kernel)) : NULL;
	if (!rt->store) {
		nacre_runtime_free(rt);
		return -NACRE_ENOMEM;
	}
	*out = rt;
	return 0;
}

int nacre_runtime_new(nacre_runtime **out)
{
	return runtime_of_port(out, port_linux_new());
}

void nacre_runtime_free(nacre_runtime *rt)
{
	if (!rt)
		return;
	recording_release(rt);
	if (rt->kernel)
		hostcall_flush(rt->kernel);
	plan_put(rt->last);
	if (rt->store)
		mem_store_free(rt->store);
	if (rt->kernel)
		runtime_free(rt->kernel);
	if (rt->port)
		rt->port->free(rt->port);
	free(rt);
}

const char *nacre_runtime_error(const nacre_runtime *rt)
{
	return rt->error;
}

int nacre_runtime_guests(nacre_runtime *rt, const char *kind, uint32_t most)
{
	static const char *const kinds[] = {"js", "jq", "python", "sqlite3"};
	int e = recording_refuses(rt);

	if (e < 0)
		return e;
	for (size_t i = 0; i < COUNTOF(kinds); i++)
		if (kind && streq(kinds[i], kind)) {
			e = runtime_admit(rt->kernel, kind, most);
			return e < 0 ? runtime_fail(rt, e, "out of memory") : runtime_fail(rt, 0, "%s", "");
		}
	return runtime_fail(rt, -NACRE_EINVAL, "there is no kind of guest '%s'", kind ? kind : "");
}

enum nacre_step nacre_runtime_step(nacre_runtime *rt)
{
	enum runtime_state state;

	if (rt->stepping)
		return NACRE_STEP_WAIT; /* from one of the runtime's own callbacks */
	recording_mark(rt, LOG_STEP);
	rt->stepping = true;
	state = runtime_step(rt->kernel, 0);
	if (rt->events)
		denials_deliver(rt);
	rt->stepping = false;
	switch (state) {
	case RUNTIME_MORE: return NACRE_STEP_MORE;
	case RUNTIME_WAITS: return NACRE_STEP_WAIT;
	default: return NACRE_STEP_IDLE;
	}
}

int nacre_runtime_wait(nacre_runtime *rt, nacre_pollfd *fds, size_t n, int64_t *timeout_ns)
{
	struct runtime_wait_info info;
	struct port_poll *v = NULL;
	size_t got = 0, k = 0;

	recording_mark(rt, LOG_WAIT);
	runtime_wait_info(rt->kernel, &info);
	if (timeout_ns)
		*timeout_ns = info.timeout_ns;
	if (info.nfds) {
		v = calloc(info.nfds, sizeof(*v));
		if (!v)
			return runtime_fail(rt, -NACRE_ENOMEM, "out of memory");
		got = runtime_wait_fds(rt->kernel, v, info.nfds);
	}
	for (; k < got && k < n; k++)
		fds[k] = (nacre_pollfd){v[k].fd, (v[k].want_read ? NACRE_POLL_READ : 0u) | (v[k].want_write ? NACRE_POLL_WRITE : 0u)};
	free(v);
	if (info.wake_fd >= 0 && k < n)
		fds[k] = (nacre_pollfd){info.wake_fd, NACRE_POLL_READ};
	rt->error[0] = '\0';
	return (int)(got + (info.wake_fd >= 0));
}

int nacre_runtime_block(nacre_runtime *rt, int64_t max_ns)
{
	recording_mark_number(rt, LOG_BLOCK, max_ns);
	runtime_wait(rt->kernel, max_ns);
	return 0;
}

void nacre_runtime_wake(nacre_runtime *rt)
{
	runtime_wake(rt->kernel);
}
