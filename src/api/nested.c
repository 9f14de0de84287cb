/* nested.c - scripts that a command of the host runs inside the sandbox it was called in.
 *
 * A nested run is a kernel run beside its caller's: same tree, policy and budget, no session. It is listed in its
 * sandbox until its result has been handed over; when its caller is stopped it is stopped, too. */
#include "api.h"

#include <stdio.h>
#include <stdlib.h>

#include "../kernel/hostcall.h"

#define DEPTH_MAX 8u

struct nested {
	nacre_run run;
	struct nested *next;
	nacre_invocation *inv;
	void (*done)(void *payload, nacre_invocation *inv, nacre_result *res);
	void *payload;
};

/* ---- Ending -------------------------------------------------------------------------------- */

static void ended(void *ctx, struct run *kernel)
{
	struct nested *n = (struct nested *)ctx; /* the run is its first member */
	nacre_sandbox *sb = n->run.sb;
	struct nested **at = &sb->nested;
	nacre_result *res = result_new(&n->run);

	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	run_free(kernel);
	denials_free(n->run.denials);
	recording_tell(n->inv, res ? res : result_of(NACRE_INTERNAL, 125, "out of memory"), n->done, n->payload);
	invocation_put(n->inv);
	free(n);
}

void nested_abort(const nacre_invocation *inv, nacre_sandbox *sb)
{
	for (struct nested *n = sb->nested; n; n = n->next)
		if (n->inv == inv)
			run_cancel(n->run.kernel, 2);
}

static bool any_inside(const nacre_sandbox *sb, const nacre_run *run)
{
	for (struct nested *n = sb->nested; n; n = n->next)
		if (!run || n->run.top == run)
			return true;
	return false;
}

void nested_stop(nacre_sandbox *sb, const nacre_run *run)
{
	for (struct nested *n = sb->nested; n; n = n->next)
		if (!run || n->run.top == run)
			run_cancel(n->run.kernel, 2);
	while (any_inside(sb, run) && runtime_step(sb->rt->kernel, 0) != RUNTIME_IDLE)
		;
}

/* ---- Starting -------------------------------------------------------------------------------- */

static bool is_own(const char *entry)
{
	return strncmp(entry, "PWD=", 4) == 0 || strncmp(entry, "OLDPWD=", 7) == 0;
}

static const char *env_fault(const nacre_nested *req)
{
	for (size_t i = 0; req->env && req->env[i]; i++)
		if (!strchr(req->env[i], '=') || req->env[i][0] == '=')
			return req->env[i];
	return NULL;
}

/* HOME and what was asked for; the entries stay whose they were. */
static char **make_env(const nacre_invocation *inv, const nacre_nested *req)
{
	size_t n = 0, k = 0;
	char **v;

	while (req->env && req->env[n])
		n++;
	v = calloc(n + 2, sizeof(*v));
	for (size_t i = 0; v && inv->env[i]; i++)
		if (strncmp(inv->env[i], "HOME=", 5) == 0)
			v[k++] = inv->env[i];
	for (size_t i = 0; v && i < n; i++)
		if (!is_own(req->env[i]))
			v[k++] = (char *)(uintptr_t)req->env[i];
	return v;
}

/* Where it starts, link-free; -NACRE_EACCES when policy refuses, else another error when it cannot be. */
static int make_dir(const nacre_invocation *inv, const char *dir, char *buf, size_t size)
{
	struct vfs_who who;
	int64_t n;

	sandbox_who(inv->sb->kernel, &who);
	who.cwd = inv->dir;
	n = vfs_chdir(&who, dir ? dir : ".", buf, size);
	return n < 0 ? (int)n : 0;
}

static char *copy_script(const nacre_nested *req)
{
	size_t n = req->script_len ? req->script_len : strlen(req->script), w = 0;
	char *copy = malloc(n + 1);

	for (size_t i = 0; copy && i < n; i++)
		if (req->script[i])
			copy[w++] = req->script[i];
	if (copy)
		copy[w] = '\0';
	return copy;
}

static int start(struct nested *n, const nacre_run *caller, const nacre_nested *req, const char *dir)
{
	const struct settings *s = n->run.sb->plan->settings;
	int64_t left = run_remaining(caller->kernel);
	char **env = make_env(n->inv, req), *script = copy_script(req);
	char bash[] = "bash", c_flag[] = "-c";
	char *argv[] = {bash, c_flag, script, NULL};
	struct run_config c = {
		.program = &registry_root_shell[NACRE_SCRIPT_COMMAND],
		.argv = argv,
		.env = env,
		.nested = true,
		.cwd = dir,
		.wall_ns = left < 0 ? MAX(req->timeout_ns, (int64_t)0) : req->timeout_ns > 0 ? MIN(left, req->timeout_ns) : left,
		.timeout_status = (int)s->limits[NACRE_LIMIT_TIMEOUT_STATUS],
		.output = s->limits[NACRE_LIMIT_OUTPUT_TOTAL],
		.records = s->records,
		.done = ended,
		.ctx = &n->run,
		.in = stream_null(n->run.sb->rt->kernel),
		.out = run_capture(&n->run),
		.err = run_capture(&n->run),
	};
	int e = -NACRE_ENOMEM;

	if (left == 0)
		c.wall_ns = 1;
	if (env && script && c.in && c.out && c.err) {
		e = run_start(n->run.sb->kernel, &c, &n->run.kernel);
	} else {
		file_put(c.in);
		file_put(c.out);
		file_put(c.err);
	}
	free(env);
	free(script);
	return e;
}

/* Why it cannot run: told at once. */
static int refuse(nacre_invocation *inv, void (*done)(void *payload, nacre_invocation *inv, nacre_result *res), void *payload,
		  enum nacre_outcome outcome, const char *format, const char *what)
{
	char text[API_ERROR_MAX];
	nacre_result *res;

	snprintf(text, sizeof(text), format, what);
	res = result_of(outcome, outcome == NACRE_INVALID ? 2 : 126, text);
	if (!res)
		return -NACRE_ENOMEM;
	recording_tell(inv, res, done, payload);
	return 0;
}

int nacre_invocation_run(nacre_invocation *inv, const nacre_nested *req,
			 void (*done)(void *payload, nacre_invocation *inv, nacre_result *res), void *payload)
{
	struct run *kernel = nacre_invocation_aborted(inv) ? NULL : hostcall_run(inv->call);
	nacre_run *caller = kernel ? run_ctx(kernel) : NULL;
	char dir[SYS_PATH_MAX];
	struct nested *n;
	int e;

	if (!req || req->size < sizeof(*req) || !done)
		return -NACRE_EINVAL;
	if (!caller)
		return -NACRE_ESRCH;
	recording_nested(inv, req);
	if (!req->script || !*req->script)
		return refuse(inv, done, payload, NACRE_INVALID, "a nested run needs a script%s", "");
	if (env_fault(req))
		return refuse(inv, done, payload, NACRE_INVALID, "'%s' is not NAME=VALUE", env_fault(req));
	if (caller->depth >= DEPTH_MAX)
		return refuse(inv, done, payload, NACRE_DENIED, "runs are nested at most 8 deep%s", "");
	e = make_dir(inv, req->dir, dir, sizeof(dir));
	if (e < 0)
		return refuse(inv, done, payload, e == -NACRE_EACCES ? NACRE_DENIED : NACRE_INVALID, "the directory cannot be entered: %s", errno_text(e));
	n = calloc(1, sizeof(*n));
	if (!n)
		return -NACRE_ENOMEM;
	*n = (struct nested){.run = {.sb = caller->sb, .top = caller->top, .depth = caller->depth + 1, .denials_end = &n->run.denials},
			     .inv = inv, .done = done, .payload = payload};
	n->run.output_limit = caller->sb->plan->settings->limits[NACRE_LIMIT_OUTPUT];
	if (req->output_limit && req->output_limit < n->run.output_limit)
		n->run.output_limit = req->output_limit;
	snprintf(n->run.id, sizeof(n->run.id), "%.24s.%u", caller->top->id, ++caller->top->sequence);
	e = start(n, caller, req, dir);
	if (e < 0) {
		free(n);
		return e;
	}
	atomic_fetch_add_explicit(&inv->refs, 1, memory_order_relaxed);
	n->next = caller->sb->nested;
	caller->sb->nested = n;
	return 0;
}
