/* replay.c - a recorded run, done again from its log.
 *
 * The replay has a runtime of its own, with a port that answers from the log. What the host's program did is in the log, too: the
 * events at its top level say which function was called next, and what callbacks gave stands where they were called. Whatever
 * does not fit ends the replay: it never goes on with something else than what was recorded. */
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>

#include "framed.h"
#include "userfs.h"

#define MAGIC "NACRELOG"
#define VERSION 1u
#define NUMBERS_MAX ((size_t)1 << 24)

static struct log_reader *log_of(const nacre_runtime *rt)
{
	return port_replay_log(rt->port);
}

static void damaged(nacre_runtime *rt)
{
	port_replay_fail(rt->port, "the recording is damaged");
}

/* Room for number `n` in a list of pointers. */
static bool reach(void ***v, size_t *cap, int64_t n)
{
	size_t want = MAX(*cap * 2, (size_t)n + 64);
	void **more;

	if ((size_t)n < *cap)
		return true;
	more = (size_t)n < NUMBERS_MAX ? realloc(*v, want * sizeof(*more)) : NULL;
	if (!more)
		return false;
	memset(more + *cap, 0, (want - *cap) * sizeof(*more));
	*v = more;
	*cap = want;
	return true;
}

/* ---- News from other threads --------------------------------------------------------------- */

static void write_output(nacre_invocation *inv, struct log_reader *in, int fd)
{
	size_t n;
	const void *p = log_take_bytes(in, &n);

	if (inv && p && nacre_invocation_write(inv, fd, p, n) < 0)
		in->bad = true;
}

static void pass_completion(nacre_runtime *rt)
{
	struct recording *rec = rt->rec;
	struct log_reader *in = log_of(rt);
	int64_t number = log_take_number(in), status = log_take_number(in);
	nacre_invocation *inv = number >= 0 && (size_t)number < rec->invocations_cap ? rec->invocations[number] : NULL;

	write_output(inv, in, 1);
	write_output(inv, in, 2);
	if (!inv || in->bad) {
		damaged(rt);
		return;
	}
	rec->invocations[number] = NULL;
	invocation_completed(inv, (int)(status & 255));
}

static void pass_fs(nacre_runtime *rt)
{
	struct recording *rec = rt->rec;
	struct log_reader *in = log_of(rt);
	int64_t number = log_take_number(in), r;
	nacre_fs_op *op = number >= 0 && (size_t)number < rec->fs_ops_cap ? rec->fs_ops[number] : NULL;

	if (!op || in->bad) {
		damaged(rt);
		return;
	}
	r = log_take_fs_result(in, op);
	if (in->bad)
		damaged(rt);
	rec->fs_ops[number] = NULL;
	userfs_completed(op, in->bad ? -NACRE_EIO : r);
}

/* The replay has failed, or is over: what still waits for the host is completed. */
static void complete_the_rest(nacre_runtime *rt)
{
	struct recording *rec = rt->rec;

	for (size_t i = 0; i < rec->invocations_cap; i++)
		if (rec->invocations[i])
			invocation_completed(rec->invocations[i], 125);
	for (size_t i = 0; i < rec->fs_ops_cap; i++)
		if (rec->fs_ops[i])
			userfs_completed(rec->fs_ops[i], -NACRE_EIO);
	rec->invocations_cap = rec->fs_ops_cap = 0;
}

void replay_pass(nacre_runtime *rt)
{
	struct log_reader *in = log_of(rt);

	if (port_replay_fault(rt->port))
		complete_the_rest(rt);
	while (!port_replay_fault(rt->port)) {
		int tag = log_next(in);
		nacre_run *run = atomic_load(&rt->rec->run);

		if (tag != LOG_COMPLETE && tag != LOG_USERFS_DONE && tag != LOG_CANCEL && tag != LOG_RESUME)
			return;
		log_skip(in);
		if (tag == LOG_COMPLETE)
			pass_completion(rt);
		else if (tag == LOG_USERFS_DONE)
			pass_fs(rt);
		else if (!run)
			damaged(rt);
		else if (tag == LOG_CANCEL)
			run_cancel(run->kernel, 2);
		else
			run_resume(run);
	}
}

/* The replay has failed: what runs is stopped. */
static void stop(void *ctx)
{
	nacre_runtime *rt = ctx;
	nacre_run *run = atomic_load(&rt->rec->run);

	if (run)
		run_cancel(run->kernel, 2);
}

/* ---- Callbacks ----------------------------------------------------------------------------- */

int64_t replay_output(nacre_run *run, int fd, const void *data, size_t n)
{
	nacre_runtime *rt = run->sb->rt;
	struct log_reader *in = log_of(rt);
	int64_t digest, taken;

	if (!port_replay_expect(rt->port, LOG_OUTPUT, NULL))
		return -1;
	digest = log_take_number(in);
	taken = log_take_number(in);
	if (!in->bad && digest != log_digest((uint32_t)fd, data, n))
		port_replay_fail(rt->port, "the run writes other output than the recorded one");
	if (in->bad || taken > (int64_t)n)
		damaged(rt);
	if (port_replay_fault(rt->port))
		return -1;
	if (taken > 0 && rt->rec->output)
		rt->rec->output(rt->rec->payload, fd, data, (size_t)taken);
	return taken;
}

/* What was written to a descriptor of the host. */
static void written(void *ctx, int fd, const void *data, size_t n)
{
	nacre_runtime *rt = ctx;

	if (rt->rec->output)
		rt->rec->output(rt->rec->payload, fd, data, n);
}

/* A nested run that was started here. */
static void nested_told(void *payload, nacre_invocation *inv, nacre_result *res)
{
	(void)payload;
	(void)inv;
	nacre_result_free(res); /* recording_tell comes first: this is never called */
}

static void start_nested(nacre_runtime *rt)
{
	struct log_reader *in = log_of(rt);
	nacre_nested req = NACRE_NESTED_INIT;
	int64_t number = log_take_number(in);
	nacre_invocation *inv = number >= 0 && (size_t)number < rt->rec->invocations_cap ? rt->rec->invocations[number] : NULL;
	const char *script = log_take_bytes(in, &req.script_len);
	char *copy = script ? malloc(req.script_len + 1) : NULL, *dir = log_take_string(in), **env = log_take_strings(in);

	req.timeout_ns = log_take_number(in);
	req.output_limit = (uint64_t)log_take_number(in);
	if (copy) {
		memcpy(copy, script, req.script_len);
		copy[req.script_len] = '\0';
		req.script = copy;
		req.dir = dir;
		req.env = (const char *const *)env;
	}
	if (!inv || !copy || in->bad || nacre_invocation_run(inv, &req, nested_told, NULL) == -NACRE_ENOMEM)
		damaged(rt);
	free(copy);
	free(dir);
	log_strings_free(env);
}

/* What a callback of the host's did, until it returned. */
static void inside_callback(nacre_runtime *rt, int until)
{
	int tag;

	while (!port_replay_fault(rt->port) && ((tag = log_next(log_of(rt))) == LOG_NESTED || tag == LOG_FILE)) {
		log_skip(log_of(rt));
		if (tag == LOG_NESTED)
			start_nested(rt);
		else
			replay_file(rt);
	}
	if (port_replay_expect(rt->port, until, NULL))
		return;
}

void replay_call(nacre_invocation *inv)
{
	nacre_runtime *rt = inv->rt;
	struct recording *rec = rt->rec;
	int64_t digest;

	inv->number = rec->calls++;
	if (!reach((void ***)(void *)&rec->invocations, &rec->invocations_cap, inv->number)) {
		damaged(rt);
		invocation_completed(inv, 125);
		return;
	}
	rec->invocations[inv->number] = inv;
	if (!port_replay_expect(rt->port, LOG_CALL, inv->argv[0]))
		return;
	digest = log_take_number(log_of(rt));
	if (digest != log_invocation_digest(inv))
		port_replay_fail(rt->port, "%s is called with other things than in the recorded run", inv->argv[0]);
	inside_callback(rt, LOG_CALLED);
}

void replay_told(nacre_invocation *inv, nacre_result *res)
{
	nacre_runtime *rt = inv->rt;

	nacre_result_free(res);
	if (port_replay_expect(rt->port, LOG_NESTED_DONE, NULL))
		inside_callback(rt, LOG_NESTED_TOLD);
}

int64_t replay_fs(nacre_fs_op *op)
{
	nacre_runtime *rt = op->u->rt;
	struct recording *rec = rt->rec;
	struct log_reader *in = log_of(rt);
	int64_t number = rec->ops++, digest, r;

	if (!port_replay_expect(rt->port, LOG_USERFS, op->a))
		return -NACRE_EIO;
	digest = log_take_number(in);
	if (!in->bad && digest != log_fs_digest(op)) {
		port_replay_fail(rt->port, "a filesystem of the host's is asked for other things than in the recorded run");
		return -NACRE_EIO;
	}
	r = log_take_fs_result(in, op);
	if (r == NACRE_FS_PENDING && reach((void ***)(void *)&rec->fs_ops, &rec->fs_ops_cap, number)) {
		rec->fs_ops[number] = op;
		return r;
	}
	if (in->bad || r == NACRE_FS_PENDING || r < -5000)
		damaged(rt);
	return port_replay_fault(rt->port) ? -NACRE_EIO : r;
}

/* ---- The program that was ------------------------------------------------------------------- */

struct replay_state {
	nacre_runtime *rt;
	nacre_config *cfg;
	nacre_sandbox *sb;
	nacre_run *run;
	nacre_request req;
	nacre_result *res;
};

static void make_sandbox(struct replay_state *s, bool load)
{
	struct log_reader *in = log_of(s->rt);
	const void *data = NULL;
	size_t n = 0;
	int e = log_take_settings(in, s->cfg);

	if (e == 0 && load)
		data = log_take_bytes(in, &n);
	if (e < 0 || in->bad || s->sb) {
		damaged(s->rt);
		return;
	}
	e = load ? nacre_load(&s->sb, s->rt, s->cfg, data, n) : nacre_sandbox_new(&s->sb, s->rt, s->cfg);
	if (e < 0)
		port_replay_fail(s->rt->port, "%s", s->rt->error);
}

static void start_run(struct replay_state *s)
{
	struct log_reader *in = log_of(s->rt);

	if (!s->sb || s->run || s->res) {
		damaged(s->rt);
		return;
	}
	log_take_request(in, &s->req);
	if (in->bad)
		damaged(s->rt);
	else if (nacre_run_start(&s->run, s->sb, &s->req) < 0)
		port_replay_fail(s->rt->port, "%s", s->rt->error);
}

static void compare(struct replay_state *s)
{
	struct log_result had, has;
	size_t n;
	const void *p;

	if (!port_replay_expect(s->rt->port, LOG_RESULT, NULL))
		return;
	p = log_take_bytes(log_of(s->rt), &n);
	log_result_of(&has, s->res);
	if (!p || n != sizeof(had)) {
		damaged(s->rt);
		return;
	}
	memcpy(&had, p, n);
	if (had.status != has.status || had.outcome != has.outcome)
		port_replay_fail(s->rt->port, "the run ended with status %lld, the recorded one with %lld", (long long)has.status,
				 (long long)had.status);
	else if (memcmp(&had, &has, n) != 0)
		port_replay_fail(s->rt->port, "the run's captured output is not the recorded one's");
	else if (log_next(log_of(s->rt)) >= 0)
		port_replay_fail(s->rt->port, "the recording has more after the result");
}

static void finish(struct replay_state *s)
{
	nacre_run *run = s->run;

	s->run = NULL;
	s->res = run ? nacre_run_finish(run) : NULL;
	if (!s->res)
		damaged(s->rt);
	else if (!port_replay_fault(s->rt->port))
		compare(s);
}

/* The next thing that the host's program did. */
static void next(struct replay_state *s, int tag)
{
	nacre_runtime *rt = s->rt;
	int64_t n;

	switch (tag) {
	case LOG_SANDBOX:
	case LOG_LOAD: make_sandbox(s, tag == LOG_LOAD); break;
	case LOG_START: start_run(s); break;
	case LOG_STEP: nacre_runtime_step(rt); break;
	case LOG_WAIT: nacre_runtime_wait(rt, NULL, 0, &n); break;
	case LOG_BLOCK: nacre_runtime_block(rt, log_take_number(log_of(rt))); break;
	case LOG_NESTED: start_nested(rt); break;
	case LOG_FILE: replay_file(rt); break;
	case LOG_FINISH: finish(s); break;
	case LOG_DRIVE:
		if (s->run)
			run_drive(s->run);
		else
			damaged(rt);
		break;
	default: port_replay_fail(rt->port, "the recording has %s where the host's program should be", log_name(tag)); break;
	}
}

static void follow(struct replay_state *s)
{
	while (!s->res && !port_replay_fault(s->rt->port)) {
		int tag = log_next(log_of(s->rt));

		if (tag < 0)
			port_replay_fail(s->rt->port, "the recording ends here");
		log_skip(log_of(s->rt));
		if (tag >= 0)
			next(s, tag);
	}
}

static void state_release(struct replay_state *s)
{
	port_replay_stop(s->rt->port);
	if (s->run)
		nacre_result_free(nacre_run_finish(s->run));
	complete_the_rest(s->rt);
	replay_files_close(s->rt);
	nacre_sandbox_free(s->sb);
	log_request_release(&s->req);
	nacre_runtime_free(s->rt);
	nacre_config_free(s->cfg);
}

/* Where the events begin; NULL with the text in rt. */
static const char *events_of(nacre_runtime *rt, const char *data, size_t len, struct str *note)
{
	struct log_reader in = {.at = (const unsigned char *)data + FRAMED_HEAD, .end = (const unsigned char *)data + len};
	char *version;
	size_t n;

	switch (framed_check(data, len, MAGIC, VERSION)) {
	case FRAMED_SOUND: break;
	case FRAMED_OTHER: runtime_fail(rt, -NACRE_EINVAL, "this is not a recording"); return NULL;
	case FRAMED_VERSION:
		runtime_fail(rt, -NACRE_EINVAL, "the recording is of version %u, which this nacre does not know",
			     (unsigned)framed_get(data + 8, 4));
		return NULL;
	default: runtime_fail(rt, -NACRE_EINVAL, "the recording is damaged"); return NULL;
	}
	version = log_take_string(&in);
	if (!version || !streq(version, nacre_version())) {
		runtime_fail(rt, -NACRE_EINVAL, "the recording was made by nacre %.40s, this is %s", version ? version : "?", nacre_version());
		free(version);
		return NULL;
	}
	free(version);
	note->ptr = log_take_bytes(&in, &n);
	note->len = n;
	if (in.bad) {
		runtime_fail(rt, -NACRE_EINVAL, "the recording is damaged");
		return NULL;
	}
	return (const char *)in.at;
}

int nacre_replay(nacre_result **out, nacre_runtime *rt, const void *data, size_t len,
		 ptrdiff_t (*on_output)(void *payload, int fd, const void *data, size_t len), void *payload)
{
	static const nacre_request none = NACRE_REQUEST_INIT;
	struct replay_state s = {.cfg = nacre_config_new(), .req = none};
	struct recording *rec = calloc(1, sizeof(*rec));
	struct str note;
	const char *events = events_of(rt, data, len, &note), *fault;
	int e;

	*out = NULL;
	e = !events ? -NACRE_EINVAL : !s.cfg || !rec ? -NACRE_ENOMEM :
		      runtime_of_port(&s.rt, port_replay_new(port_linux_new(), events, len - (size_t)(events - (const char *)data)));
	if (e < 0) {
		nacre_config_free(s.cfg);
		free(rec);
		return events ? runtime_fail(rt, e, "out of memory") : e;
	}
	*rec = (struct recording){.mode = REPLAYING, .output = on_output, .payload = payload};
	s.rt->rec = rec;
	port_replay_gate(s.rt->port, (struct port_gate){recording_pass, s.rt});
	port_replay_host(s.rt->port, (struct port_replay_host){stop, written, s.rt});
	follow(&s);
	fault = port_replay_fault(s.rt->port);
	if (fault) {
		e = runtime_fail(rt, -NACRE_EPROTO, "the replay does not go as recorded: %s", fault);
		nacre_result_free(s.res);
	} else {
		*out = s.res;
		rt->error[0] = '\0';
	}
	state_release(&s);
	return e;
}

/* ---- The bytes ------------------------------------------------------------------------------- */

int nacre_recording_take(void **data, size_t *len, nacre_runtime *rt, const void *note, size_t note_len)
{
	const struct log *log = rt->rec && rt->rec->mode != REPLAYING ? port_record_log(rt->port) : NULL;
	struct log head = {.max = RECORDING_MAX};
	char *all;

	*data = NULL;
	*len = 0;
	if (!log)
		return runtime_fail(rt, -NACRE_EINVAL, "this runtime does not record");
	if (rt->rec->mode != RECORDING_OVER)
		return runtime_fail(rt, -NACRE_EBUSY, "no run has been recorded to its end");
	if (log->full)
		return runtime_fail(rt, -NACRE_EFBIG, "the recording would be larger than %zu bytes", log->max);
	log_string(&head, nacre_version());
	log_bytes(&head, note, note_len);
	all = head.full ? NULL : malloc(FRAMED_HEAD + head.len + log->len);
	if (all) {
		memcpy(all + FRAMED_HEAD, head.v, head.len);
		memcpy(all + FRAMED_HEAD + head.len, log->v, log->len);
		*len = FRAMED_HEAD + head.len + log->len;
		framed_seal(all, *len, MAGIC, VERSION);
		*data = all;
		rt->error[0] = '\0';
	}
	log_release(&head);
	return all ? 0 : runtime_fail(rt, -NACRE_ENOMEM, "out of memory");
}

int nacre_recording_note(const void **note, size_t *note_len, nacre_runtime *rt, const void *data, size_t len)
{
	struct str s = {NULL, 0};
	const char *events = events_of(rt, data, len, &s);

	*note = s.ptr;
	*note_len = s.len;
	if (events)
		rt->error[0] = '\0';
	return events ? 0 : -NACRE_EINVAL;
}
