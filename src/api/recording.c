/* recording.c - what is logged of the host's program, and the gate that what comes from other threads passes. */
#include "recording.h"

#include <stdlib.h>

#include "userfs.h"

static struct log *log_of(const nacre_runtime *rt)
{
	return port_record_log(rt->port);
}

bool recording_now(const nacre_runtime *rt)
{
	return rt->rec && rt->rec->mode == RECORDING_NOW;
}

bool recording_replays(const nacre_runtime *rt)
{
	return rt->rec && rt->rec->mode == REPLAYING;
}

int nacre_runtime_new_recording(nacre_runtime **out, uint64_t max_bytes)
{
	struct recording *rec = calloc(1, sizeof(*rec));
	size_t max = max_bytes ? (size_t)MIN(max_bytes, (uint64_t)SIZE_MAX / 4) : RECORDING_MAX;
	int e = rec ? runtime_of_port(out, port_record_new(port_linux_new(), max)) : -NACRE_ENOMEM;

	if (e < 0) {
		*out = NULL;
		free(rec);
		return e;
	}
	(*out)->rec = rec;
	port_record_gate((*out)->port, (struct port_gate){recording_pass, *out});
	return 0;
}

/* ---- What the host's program does ------------------------------------------------------- */

void recording_mark(nacre_runtime *rt, int tag)
{
	if (UNLIKELY(recording_now(rt)))
		log_tag(log_of(rt), tag);
}

void recording_mark_number(nacre_runtime *rt, int tag, int64_t n)
{
	if (LIKELY(!recording_now(rt)))
		return;
	log_tag(log_of(rt), tag);
	log_number(log_of(rt), n);
}

int recording_refuses(nacre_runtime *rt)
{
	if (LIKELY(!recording_now(rt)))
		return 0;
	return runtime_fail(rt, -NACRE_EBUSY, "this runtime records a run: what the host does to its sandbox otherwise is not recorded");
}

int recording_sandbox(nacre_runtime *rt, const struct settings *s, const void *data, size_t len)
{
	if (LIKELY(!recording_now(rt)))
		return 0;
	if (rt->rec->sb)
		return runtime_fail(rt, -NACRE_EBUSY, "this runtime records a run: it has one sandbox");
	log_tag(log_of(rt), data ? LOG_LOAD : LOG_SANDBOX);
	log_settings(log_of(rt), s);
	if (data)
		log_bytes(log_of(rt), data, len);
	return 0;
}

void recording_has_sandbox(nacre_runtime *rt, nacre_sandbox *sb)
{
	if (UNLIKELY(rt->rec != NULL) && !rt->rec->begun)
		rt->rec->sb = sb;
}

int recording_start(nacre_runtime *rt, const nacre_request *req)
{
	if (LIKELY(!recording_now(rt)))
		return 0;
	if (rt->rec->begun)
		return runtime_fail(rt, -NACRE_EBUSY, "this runtime records one run");
	log_tag(log_of(rt), LOG_START);
	log_request(log_of(rt), req);
	return 0;
}

void recording_started(nacre_run *run)
{
	struct recording *rec = run->sb->rt->rec;

	if (LIKELY(!rec) || rec->begun)
		return;
	atomic_store(&rec->run, run);
	rec->begun = true;
}

void recording_finished(nacre_runtime *rt, const nacre_result *res)
{
	struct log_result r;

	if (LIKELY(!rt->rec))
		return;
	atomic_store(&rt->rec->run, NULL);
	if (!recording_now(rt) || !res)
		return;
	log_result_of(&r, res);
	log_tag(log_of(rt), LOG_RESULT);
	log_bytes(log_of(rt), &r, sizeof(r));
	rt->rec->mode = RECORDING_OVER;
	port_record_stop(rt->port);
}

/* ---- What it does with the sandbox's files ---------------------------------------------- */

void recording_close(nacre_runtime *rt, int by)
{
	if (UNLIKELY(rt->rec != NULL))
		rt->rec->closed += by;
}

int recording_file(nacre_runtime *rt, const struct file_call *c)
{
	if (LIKELY(!recording_now(rt)))
		return 0;
	if (rt->rec->closed)
		return runtime_fail(rt, -NACRE_EBUSY, "this runtime records a run: this callback may not use the sandbox's files");
	log_tag(log_of(rt), LOG_FILE);
	log_file_call(log_of(rt), c);
	return 0;
}

int64_t recording_file_done(nacre_runtime *rt, int64_t result, const void *data, size_t n)
{
	if (LIKELY(!rt->rec))
		return result;
	if (recording_replays(rt)) {
		replay_file_done(rt, result, log_digest(0, data, n));
	} else if (recording_now(rt)) {
		log_tag(log_of(rt), LOG_FILE_DONE);
		log_number(log_of(rt), result);
		log_number(log_of(rt), log_digest(0, data, n));
	}
	return result;
}

int64_t recording_file_number(nacre_runtime *rt, struct nacre_file *f)
{
	int64_t number = rt->rec ? rt->rec->files++ : 0;

	if (recording_replays(rt))
		replay_file_is(rt, number, f);
	return number;
}

/* ---- What its callbacks give ------------------------------------------------------------- */

int64_t recording_output(nacre_run *run, int fd, const void *data, size_t n)
{
	nacre_runtime *rt = run->sb->rt;
	int64_t taken;

	if (UNLIKELY(recording_replays(rt)))
		return replay_output(run, fd, data, n);
	recording_close(rt, 1);
	taken = (int64_t)run->on_output((void *)(uintptr_t)run->payload, fd, data, n);
	recording_close(rt, -1);
	if (UNLIKELY(recording_now(rt))) {
		log_tag(log_of(rt), LOG_OUTPUT);
		log_number(log_of(rt), log_digest((uint32_t)fd, data, n));
		log_number(log_of(rt), taken);
	}
	return taken;
}

void recording_call(nacre_invocation *inv)
{
	nacre_runtime *rt = inv->rt;

	if (UNLIKELY(recording_replays(rt))) {
		replay_call(inv);
		return;
	}
	if (UNLIKELY(recording_now(rt))) {
		inv->number = rt->rec->calls++;
		log_tag(log_of(rt), LOG_CALL);
		log_number(log_of(rt), log_invocation_digest(inv));
	}
	inv->cmd->run(inv, inv->cmd->payload);
	recording_mark(rt, LOG_CALLED);
}

void recording_nested(nacre_invocation *inv, const nacre_nested *req)
{
	nacre_runtime *rt = inv->rt;
	struct log *l;

	if (LIKELY(!recording_now(rt)))
		return;
	l = log_of(rt);
	log_tag(l, LOG_NESTED);
	log_number(l, inv->number);
	log_bytes(l, req->script ? req->script : "", req->script ? req->script_len ? req->script_len : strlen(req->script) : 0);
	log_string(l, req->dir);
	log_strings(l, req->env);
	log_number(l, req->timeout_ns);
	log_number(l, (int64_t)req->output_limit);
}

void recording_tell(nacre_invocation *inv, nacre_result *res, void (*done)(void *payload, nacre_invocation *inv, nacre_result *res),
		    void *payload)
{
	nacre_runtime *rt = inv->rt;

	if (UNLIKELY(recording_replays(rt))) {
		replay_told(inv, res);
		return;
	}
	recording_mark(rt, LOG_NESTED_DONE);
	done(payload, inv, res);
	recording_mark(rt, LOG_NESTED_TOLD);
}

int64_t recording_fs(nacre_fs_op *op, int64_t (*perform)(nacre_fs_op *op))
{
	nacre_runtime *rt = op->u->rt;
	uint32_t digest;
	int64_t r;

	if (UNLIKELY(recording_replays(rt)))
		return replay_fs(op);
	if (LIKELY(!recording_now(rt)))
		return perform(op);
	op->number = rt->rec->ops++;
	digest = log_fs_digest(op);
	recording_close(rt, 1);
	r = perform(op);
	recording_close(rt, -1);
	log_tag(log_of(rt), LOG_USERFS);
	log_number(log_of(rt), digest);
	log_fs_result(log_of(rt), op, r);
	return r;
}

/* ---- News from other threads --------------------------------------------------------------- */

bool recording_keeps(nacre_runtime *rt, struct news *n)
{
	struct recording *rec = rt->rec;
	struct news *head;

	if (LIKELY(!rec))
		return false;
	head = atomic_load_explicit(&rec->news, memory_order_relaxed);
	do
		n->next = head;
	while (!atomic_compare_exchange_weak(&rec->news, &head, n));
	runtime_wake(rt->kernel);
	return true;
}

/* Only of the run that is recorded. A signal handler may be calling. */
static bool keeps_flag(nacre_run *run, bool resume)
{
	struct recording *rec = run->sb->rt->rec;

	if (LIKELY(!rec) || atomic_load(&rec->run) != run)
		return false;
	atomic_store(resume ? &rec->resume : &rec->cancel, true);
	runtime_wake(run->sb->rt->kernel);
	return true;
}

bool recording_keeps_cancel(nacre_run *run)
{
	return keeps_flag(run, false);
}

bool recording_keeps_resume(nacre_run *run)
{
	return keeps_flag(run, true);
}

static void pass_completion(nacre_runtime *rt, struct news *n)
{
	nacre_invocation *inv = CONTAINER_OF(n, nacre_invocation, news);
	struct log *l = log_of(rt);

	if (recording_now(rt)) {
		log_tag(l, LOG_COMPLETE);
		log_number(l, inv->number);
		log_number(l, n->result);
		for (int i = 0; i < 2; i++)
			log_bytes(l, inv->out[i].ptr, inv->out[i].len);
	}
	invocation_completed(inv, (int)n->result);
}

static void pass_fs(nacre_runtime *rt, struct news *n)
{
	nacre_fs_op *op = CONTAINER_OF(n, nacre_fs_op, news);
	struct log *l = log_of(rt);

	if (recording_now(rt)) {
		log_tag(l, LOG_USERFS_DONE);
		log_number(l, op->number);
		log_fs_result(l, op, n->result);
	}
	userfs_completed(op, n->result);
}

static void pass_flags(nacre_runtime *rt, struct recording *rec)
{
	nacre_run *run = atomic_load(&rec->run);

	if (atomic_exchange(&rec->cancel, false) && run) {
		recording_mark(rt, LOG_CANCEL);
		run_cancel(run->kernel, 2);
	}
	if (atomic_exchange(&rec->resume, false) && run) {
		recording_mark(rt, LOG_RESUME);
		run_resume(run);
	}
}

void recording_pass(void *ctx)
{
	nacre_runtime *rt = ctx;
	struct recording *rec = rt->rec;
	struct news *n, *in_order = NULL;

	/* On a proc's stack nothing is done: the host gets its turn within the step. While the kernel is being made there
	 * is nothing yet. */
	if (!rec || !rt->kernel || kernel_current(rt->kernel))
		return;
	if (rec->mode == REPLAYING) {
		replay_pass(rt);
		return;
	}
	pass_flags(rt, rec);
	for (n = atomic_exchange(&rec->news, NULL); n;) {
		struct news *next = n->next;

		n->next = in_order;
		in_order = n;
		n = next;
	}
	while (in_order) {
		n = in_order;
		in_order = n->next;
		if (n->is_fs)
			pass_fs(rt, n);
		else
			pass_completion(rt, n);
	}
}

void recording_release(nacre_runtime *rt)
{
	if (!rt->rec)
		return;
	if (rt->rec->mode != REPLAYING)
		recording_pass(rt);
	free(rt->rec->invocations);
	free(rt->rec->fs_ops);
	free(rt->rec->open_files);
	free(rt->rec);
	rt->rec = NULL;
}
