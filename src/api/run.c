/* run.c - nacre_run: a request made into a kernel run, and driven. */
#include "api.h"

#include <stdlib.h>

#include "../base/num.h"
#include "../kernel/hostcall.h"

/* ---- Streams -------------------------------------------------------------------------- */

static int64_t take_output(void *ctx, const void *data, size_t n)
{
	struct run_stream *s = ctx;

	return recording_output(s->run, s->fd, data, n);
}

static struct file *output(nacre_run *run, const nacre_request *req, int fd, int host_fd)
{
	struct runtime *rt = run->sb->rt->kernel;
	const struct settings *s = run->sb->plan->settings;
	uint64_t limit = run->output_limit;
	struct capture_config capture = {.limit = s->spill ? MAX(limit, s->spill_max) : limit,
					 .keep = s->keep == NACRE_KEEP_TAIL ? CAPTURE_TAIL :
						 s->keep == NACRE_KEEP_BOTH ? CAPTURE_BOTH :
									      CAPTURE_HEAD};
	struct stream_out_config out = {.fd = host_fd, .tee = req->also_capture, .capture = capture};

	run->captured[fd] = req->on_output || host_fd >= 0 ? req->also_capture : true;
	if (req->on_output) {
		run->streams[fd] = (struct run_stream){run, fd};
		out.take = take_output;
		out.ctx = &run->streams[fd];
		return stream_out(rt, &out);
	}
	return host_fd >= 0 ? stream_out(rt, &out) : stream_capture(rt, &capture);
}

struct file *run_capture(nacre_run *run)
{
	static const nacre_request nothing = NACRE_REQUEST_INIT;

	return output(run, &nothing, 1, -1);
}

/* Where both streams end in one place of the host (a terminal, a pipe, `> log 2>&1`), they are
 * one stream: what a script writes to the two keeps its order. A capture keeps them apart. */
static struct file *error_output(nacre_run *run, const nacre_request *req, struct file *out)
{
	struct port *port = run->sb->rt->port;

	if (out && !req->on_output && !req->also_capture && req->stdout_fd >= 0 && req->stderr_fd >= 0 &&
	    port->fd_same(port, req->stdout_fd, req->stderr_fd))
		return file_get(out);
	return output(run, req, 2, req->stderr_fd);
}

static struct file *input(nacre_run *run, const nacre_request *req)
{
	struct runtime *rt = run->sb->rt->kernel;
	struct stream_in_config in = {.fd = req->stdin_fd};

	if (req->stdin_fd >= 0)
		return stream_in(rt, &in);
	return req->stdin_data ? stream_input(rt, req->stdin_data, req->stdin_len) : stream_null(rt);
}

/* ---- Starting ---------------------------------------------------------------------------- */

static size_t count(const char *const *v)
{
	size_t n = 0;

	while (v && v[n])
		n++;
	return n;
}

#define ARGV_FEW 12

/* The strings a run starts with: borrowed from the request and the configuration but for a script
 * that had to be NUL-terminated, and in `few` unless there are many arguments. */
struct words {
	char **argv;
	char *script;		/* malloc, or NULL */
	char *few[ARGV_FEW];
};

static char *borrowed(const char *s)
{
	return (char *)(uintptr_t)s;
}

/* A script of a given length as a string. As bash does with a script file: NUL bytes are dropped. */
static char *copy_script(const char *script, size_t len)
{
	char *copy = malloc(len + 1);
	size_t w = 0;

	for (size_t i = 0; copy && i < len; i++)
		if (script[i])
			copy[w++] = script[i];
	if (copy)
		copy[w] = '\0';
	return copy;
}

/* {"bash", "-c", SCRIPT, NAME, ARG...} or {"bash", FILE, ARG...}. */
static bool make_argv(struct words *w, const nacre_request *req)
{
	size_t n = count(req->args), k = 0;

	w->argv = n + 5 <= ARGV_FEW ? w->few : malloc((n + 5) * sizeof(*w->argv));
	if (!w->argv)
		return false;
	w->argv[k++] = borrowed("bash");
	if (req->file) {
		w->argv[k++] = borrowed(req->file);
	} else {
		if (req->script_len && !(w->script = copy_script(req->script, req->script_len)))
			return false;
		w->argv[k++] = borrowed("-c");
		w->argv[k++] = w->script ? w->script : borrowed(req->script);
		if (req->name || n)
			w->argv[k++] = borrowed(req->name ? req->name : "bash");
	}
	for (size_t i = 0; i < n; i++)
		w->argv[k++] = borrowed(req->args[i]);
	w->argv[k] = NULL;
	return true;
}

static void words_release(struct words *w)
{
	if (w->argv != w->few)
		free(w->argv);
	free(w->script);
}

static int check(nacre_runtime *rt, const nacre_request *req)
{
	if (!req || req->size < sizeof(*req))
		return runtime_fail(rt, -NACRE_EINVAL, "the size of nacre_request is not set");
	if (!req->script == !req->file)
		return runtime_fail(rt, -NACRE_EINVAL, "a request needs either a script or a file");
	if ((unsigned)req->kind > NACRE_SCRIPT_STDIN || (req->kind && req->file) || (req->kind == NACRE_SCRIPT_FILE && !req->name))
		return runtime_fail(rt, -NACRE_EINVAL, "the kind of a script is of those there are; the text of a file has its name");
	if (req->cwd && !config_is_clean(req->cwd) && !streq(req->cwd, "/"))
		return runtime_fail(rt, -NACRE_EINVAL,
				    "the directory must be an absolute path without . or .. and without a slash at its end");
	for (size_t i = 0; req->env && req->env[i]; i++)
		if (!strchr(req->env[i], '=') || req->env[i][0] == '=')
			return runtime_fail(rt, -NACRE_EINVAL, "'%s' is not NAME=VALUE", req->env[i]);
	return 0;
}

static int start(nacre_run *run, const nacre_request *req, const struct words *w)
{
	const struct settings *s = run->sb->plan->settings;
	int64_t wall = req->timeout_ns ? req->timeout_ns : (int64_t)s->limits[NACRE_LIMIT_WALL_NS];
	struct run_config c = {
		.program = &registry_root_shell[req->kind],
		.argv = w->argv,
		.extra = (char *const *)(uintptr_t)req->env,
		.cwd = req->cwd,
		.wall_ns = MAX(wall, 0),
		.output = s->limits[NACRE_LIMIT_OUTPUT_TOTAL],
		.records = s->records,
		.timeout_status = (int)s->limits[NACRE_LIMIT_TIMEOUT_STATUS],
		.ctx = run,
	};

	run->timeout_ns = c.wall_ns;
	if (!s->persist)
		sandbox_session_drop(run->sb->kernel);
	c.in = input(run, req);
	c.out = output(run, req, 1, req->stdout_fd);
	c.err = error_output(run, req, c.out);
	if (c.in && c.out && c.err)
		return run_start(run->sb->kernel, &c, &run->kernel);
	file_put(c.in);
	file_put(c.out);
	file_put(c.err);
	return -NACRE_ENOMEM;
}

static int busy(nacre_runtime *rt)
{
	return runtime_fail(rt, -NACRE_EBUSY, "a run of this sandbox is in progress%s",
			    rt->stepping ? "; a command runs scripts with nacre_invocation_run (nested execution)" : "");
}

/* Of a request that has been checked, in a sandbox whose other runs are done. */
static int begin(nacre_run **out, nacre_sandbox *sb, const nacre_request *req)
{
	nacre_runtime *rt = sb->rt;
	struct words w = {0};
	nacre_run *run;
	int e = recording_start(rt, req);

	if (e < 0)
		return e;
	run = malloc(sizeof(*run));
	if (!run)
		return runtime_fail(rt, -NACRE_ENOMEM, "out of memory");
	*run = (nacre_run){.sb = sb, .top = run, .sequence = 1, .output_limit = sb->plan->settings->limits[NACRE_LIMIT_OUTPUT],
			   .on_output = req->on_output, .payload = req->payload, .denials_end = &run->denials};
	run->id[num_put_u64(run->id, sb->started + 1)] = '\0';
	e = make_argv(&w, req) ? start(run, req, &w) : -NACRE_ENOMEM;
	words_release(&w);
	if (e < 0) {
		free(run);
		return runtime_fail(rt, e, "cannot start: %s", errno_text(e));
	}
	sb->started++;
	run->earlier = sb->run;
	sb->run = run;
	recording_started(run);
	rt->error[0] = '\0';
	*out = run;
	return 0;
}

int nacre_run_start(nacre_run **out, nacre_sandbox *sb, const nacre_request *req)
{
	int e = check(sb->rt, req);

	*out = NULL;
	if (e == 0 && sb->run)
		e = busy(sb->rt);
	return e < 0 ? e : begin(out, sb, req);
}

bool nacre_run_done(const nacre_run *run)
{
	return run_done(run->kernel);
}

void nacre_run_cancel(nacre_run *run)
{
	if (recording_keeps_cancel(run))
		return;
	run_cancel(run->kernel, 2);
}

void nacre_run_resume(nacre_run *run)
{
	if (!recording_keeps_resume(run))
		run_resume(run);
}

void run_resume(nacre_run *run)
{
	for (int fd = 1; fd <= 2; fd++)
		if (run_file(run->kernel, fd))
			stream_resume(run_file(run->kernel, fd));
}

int nacre_run_status(nacre_status *out, const nacre_run *run)
{
	nacre_runtime *rt = run->sb->rt;
	const struct run_result *r = run_result(run->kernel);
	bool done = run_done(run->kernel);

	if (out->size < sizeof(*out))
		return runtime_fail(rt, -NACRE_EINVAL, "the size of nacre_status is not set");
	*out = (nacre_status){.size = sizeof(*out),
			      .state = !done ? NACRE_RUN_RUNNING : r->stop == RUN_STOP_NONE ? NACRE_RUN_COMPLETED : NACRE_RUN_KILLED,
			      .exit_code = done ? r->status : -1,
			      .signal = done ? r->signal : 0,
			      .denials = run->ndenials + run->denials_dropped,
			      .ticks = r->ticks};
	rt->error[0] = '\0';
	return 0;
}

int64_t nacre_run_read(nacre_run *run, int fd, void *buf, size_t n, uint64_t *lost)
{
	uint64_t gone = 0;
	size_t got;

	if ((fd != 1 && fd != 2) || !run->captured[fd])
		return runtime_fail(run->sb->rt, -NACRE_EINVAL, "the output of descriptor %d is not captured", fd);
	got = capture_read(run_file(run->kernel, fd), &run->read_at[fd], buf, n, lost ? lost : &gone);
	run->sb->rt->error[0] = '\0';
	return (int64_t)got;
}

nacre_result *nacre_run_finish(nacre_run *run)
{
	nacre_sandbox *sb = run->sb;
	nacre_run **at = &sb->run;
	nacre_result *res;

	recording_mark(sb->rt, LOG_FINISH);
	if (!run_done(run->kernel)) {
		run_cancel(run->kernel, 2);
		while (!run_done(run->kernel) && runtime_step(sb->rt->kernel, 0) != RUNTIME_IDLE)
			;
	}
	if (sb->nested)
		nested_stop(sb, run);
	denials_deliver(sb->rt);
	hostcall_flush(sb->rt->kernel);
	res = result_new(run);
	recording_finished(sb->rt, res);
	run_free(run->kernel);
	denials_free(run->denials);
	while (*at != run)
		at = &(*at)->earlier;
	*at = run->earlier;
	sb->runs++;
	free(run);
	return res;
}

void run_drive(nacre_run *run)
{
	nacre_runtime *rt = run->sb->rt;

	recording_mark(rt, LOG_DRIVE);
	rt->stepping = true;
	runtime_drive(rt->kernel, run->kernel);
	rt->stepping = false;
}

/* Step by step, so that refusals are told as they happen. */
static void drive(nacre_run *run)
{
	nacre_runtime *rt = run->sb->rt;

	while (!nacre_run_done(run))
		if (nacre_runtime_step(rt) == NACRE_STEP_WAIT && !nacre_run_done(run))
			nacre_runtime_block(rt, -1);
}

int nacre_exec(nacre_result **out, nacre_sandbox *sb, const nacre_request *req)
{
	nacre_run *run;
	int e;

	*out = NULL;
	if (sb->rt->stepping) {
		*out = result_of(NACRE_UNSUPPORTED, 126,
				 "nacre_exec cannot be called from inside a run; a command runs scripts with "
				 "nacre_invocation_run (nested execution)");
		return *out ? 0 : runtime_fail(sb->rt, -NACRE_ENOMEM, "out of memory");
	}
	e = check(sb->rt, req);
	if (e == 0 && sb->run && sb->rt->rec)
		e = busy(sb->rt); /* what is recorded is one run */
	/* Its turn comes when the run in progress is done, whether it has been finished or not. */
	if (e == 0 && sb->run)
		drive(sb->run);
	if (e == 0)
		e = begin(&run, sb, req);
	if (e < 0)
		return e;
	if (sb->plan->settings->on_denial)
		drive(run);
	else
		run_drive(run);
	*out = nacre_run_finish(run);
	return *out ? 0 : runtime_fail(sb->rt, -NACRE_ENOMEM, "out of memory");
}
