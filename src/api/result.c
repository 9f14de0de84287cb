/* result.c - what became of a run. */
#include "api.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const outcome_names[] = {
	[NACRE_COMPLETED] = "completed",      [NACRE_NOT_FOUND] = "command not found", [NACRE_DENIED] = "denied",
	[NACRE_TIMED_OUT] = "timed out",      [NACRE_CANCELED] = "canceled",	       [NACRE_INVALID] = "invalid request",
	[NACRE_LIMITED] = "limit exceeded",   [NACRE_INTERNAL] = "internal error",     [NACRE_UNSUPPORTED] = "unsupported",
};

const char *nacre_outcome_name(enum nacre_outcome o)
{
	return (unsigned)o < COUNTOF(outcome_names) ? outcome_names[o] : "unknown";
}

static enum nacre_outcome outcome_of(const struct run_result *r)
{
	switch (r->stop) {
	case RUN_STOP_DEADLINE:
	case RUN_STOP_CPU: return NACRE_TIMED_OUT;
	case RUN_STOP_CANCELLED: return NACRE_CANCELED;
	case RUN_STOP_MEMORY:
	case RUN_STOP_BUDGET:
	case RUN_STOP_OUTPUT: return NACRE_LIMITED;
	default: break;
	}
	switch (r->outcome) {
	case SYS_NOT_FOUND: return NACRE_NOT_FOUND;
	case SYS_DENIED: return NACRE_DENIED;
	case SYS_INVALID: return NACRE_INVALID;
	case SYS_UNSUPPORTED: return NACRE_UNSUPPORTED;
	default: return NACRE_COMPLETED;
	}
}

/* What a budget is called, and what there was more of than it allows. */
static const struct budget {
	enum sys_limit which;
	enum nacre_limit limit;
	const char *reason, *what;
} budgets[] = {
	{SYS_LIMIT_TICKS, NACRE_LIMIT_TICKS, "cpu", "ticks of work"},
	{SYS_LIMIT_PIPE, NACRE_LIMIT_PIPE, "pipe", "bytes through pipes"},
	{SYS_LIMIT_SOURCE, NACRE_LIMIT_SOURCE, "source", "bytes of source text"},
	{SYS_LIMIT_EXPANSION, NACRE_LIMIT_EXPANSION, "expansion", "bytes in one expansion"},
	{SYS_LIMIT_LOOPS, NACRE_LIMIT_LOOPS, "loops", "turns of loops"},
	{SYS_LIMIT_COMMANDS, NACRE_LIMIT_COMMANDS, "commands", "commands"},
	{SYS_LIMIT_MEMORY, NACRE_LIMIT_MEMORY, "memory", "bytes of memory"},
	{SYS_LIMIT_OUTPUT, NACRE_LIMIT_OUTPUT_TOTAL, "output", "bytes of output"},
};

/* Which one a run was stopped by; NULL: none. */
static const struct budget *budget_of(const struct run_result *r)
{
	enum sys_limit which = r->stop == RUN_STOP_MEMORY ? SYS_LIMIT_MEMORY :
			       r->stop == RUN_STOP_OUTPUT ? SYS_LIMIT_OUTPUT :
							    r->budget;

	if (r->stop != RUN_STOP_MEMORY && r->stop != RUN_STOP_OUTPUT && r->stop != RUN_STOP_BUDGET)
		return NULL;
	for (size_t i = 0; i < COUNTOF(budgets); i++)
		if (budgets[i].which == which)
			return &budgets[i];
	return NULL;
}

/* The text that says why; in `buf` when it has to be made. */
static const char *error_text(const struct run_result *r, enum nacre_outcome o, const struct settings *s, char *buf, size_t cap)
{
	const struct budget *b = budget_of(r);

	if (b) {
		snprintf(buf, cap, "more than %llu %s were asked for", (unsigned long long)s->limits[b->limit], b->what);
		return buf;
	}
	switch (o) {
	case NACRE_INVALID:
	case NACRE_INTERNAL:
	case NACRE_DENIED:
	case NACRE_UNSUPPORTED: return r->error;
	default: return "";
	}
}

static const char *reason_of(const struct run_result *r)
{
	const struct budget *b = budget_of(r);

	if (b)
		return b->reason;
	return r->stop == RUN_STOP_CPU ? "cpu" : r->stop == RUN_STOP_DEADLINE ? "time" : "";
}

/* Of `len` bytes the part that is kept when `limit` are: moved to the front. */
static void cut(char *text, size_t len, size_t limit, enum nacre_keep keep)
{
	size_t tail = keep == NACRE_KEEP_TAIL ? limit : keep == NACRE_KEEP_BOTH ? limit / 2 : 0;

	memmove(text + (limit - tail), text + len - tail, tail);
}

/* More was captured than is shown: all of it goes to a file of the host. */
static void spill(nacre_result *res, int fd, nacre_runtime *rt, const struct settings *s, size_t limit)
{
	if (!s->spill || res->len[fd] <= limit)
		return;
	res->spill[fd] = spill_write(rt, s, fd, res->text[fd], res->len[fd]);
	cut(res->text[fd], res->len[fd], limit, s->keep);
	res->dropped[fd] += res->len[fd] - limit;
	res->len[fd] = limit;
	res->text[fd][limit] = '\0';
}

/* What a stream captured, NUL-terminated, to `at`; what follows it. */
static char *take_stream(nacre_result *res, int fd, const struct file *f, const struct capture_info *info, char *at)
{
	res->text[fd] = at;
	res->len[fd] = (size_t)(info->head + info->tail);
	res->dropped[fd] = info->dropped;
	if (res->len[fd])
		capture_copy(f, at);
	at[res->len[fd]] = '\0';
	return at + res->len[fd] + 1;
}

/* Without memory for them all are counted as dropped. */
static void take_records(nacre_result *res, const struct run_result *r)
{
	size_t size = r->nrecords * sizeof(*res->records);

	res->records = size ? malloc(size) : NULL;
	res->nrecords = res->records ? r->nrecords : 0;
	res->records_dropped = r->records_dropped + (r->nrecords - res->nrecords);
	if (res->records)
		memcpy(res->records, r->records, size);
	size = r->npipes * sizeof(*res->pipes);
	res->pipes = size ? malloc(size) : NULL;
	res->npipes = res->pipes ? r->npipes : 0;
	res->pipes_dropped = r->pipes_dropped + (r->npipes - res->npipes);
	if (res->pipes)
		memcpy(res->pipes, r->pipes, size);
}

nacre_result *result_new(nacre_run *run)
{
	const struct run_result *r = run_result(run->kernel);
	enum nacre_outcome outcome = outcome_of(r);
	const struct settings *s = run->sb->plan->settings;
	char buf[80];
	const char *error = error_text(r, outcome, s, buf, sizeof(buf));
	struct file *out = run_file(run->kernel, 1), *err = run_file(run->kernel, 2);
	struct capture_info of_out, of_err;
	nacre_result *res;
	char *at;

	capture_info(out, &of_out);
	capture_info(err, &of_err);
	/* One block: the struct, the two streams, the error. */
	res = malloc(sizeof(*res) + (size_t)(of_out.head + of_out.tail + of_err.head + of_err.tail) + strlen(error) + 3);
	if (!res)
		return NULL;
	*res = (nacre_result){
		.outcome = outcome,
		.exit_code = r->status,
		.reason = reason_of(r),
		.metrics = {.size = sizeof(res->metrics), .wall_ns = r->wall_ns, .ticks = r->ticks,
			    .memory_peak = r->memory_peak, .commands = r->procs, .pipe_bytes = r->pipe_bytes,
			    .guest_memory_peak = r->cage_peak},
		.signal = r->signal,
		.timeout_ns = run->timeout_ns,
		.denials = run->denials,
		.ndenials = run->ndenials,
		.denials_dropped = run->denials_dropped,
	};
	at = take_stream(res, 1, out, &of_out, (char *)(res + 1));
	at = take_stream(res, 2, err, &of_err, at);
	res->error = strcpy(at, error);
	memcpy(res->id, run->id, sizeof(res->id));
	take_records(res, r);
	for (int fd = 1; fd <= 2; fd++)
		spill(res, fd, run->sb->rt, s, (size_t)run->output_limit);
	run->denials = NULL;
	return res;
}

nacre_result *result_of(enum nacre_outcome outcome, int code, const char *message)
{
	size_t n = strlen(message);
	nacre_result *res = malloc(sizeof(*res) + n + 2);
	char *at = (char *)(res + 1);

	if (!res)
		return NULL;
	*res = (nacre_result){.outcome = outcome, .exit_code = code, .reason = "",
			      .metrics = {.size = sizeof(res->metrics)}, .text = {[1] = at, [2] = at + 1}, .len = {[2] = n}};
	*at = '\0';
	res->error = at + 1; /* what stderr says, too */
	memcpy(at + 1, message, n);
	at[n + 1] = '\0';
	return res;
}

const char *nacre_result_id(const nacre_result *res)
{
	return res->id;
}

void nacre_result_free(nacre_result *res)
{
	if (!res)
		return;
	denials_free(res->denials);
	free(res->records);
	free(res->pipes);
	free(res->spill[1]);
	free(res->spill[2]);
	free(res);
}

enum nacre_outcome nacre_result_outcome(const nacre_result *res)
{
	return res->outcome;
}

int nacre_result_exit_code(const nacre_result *res)
{
	return res->exit_code;
}

bool nacre_result_ok(const nacre_result *res)
{
	return res->outcome == NACRE_COMPLETED && res->exit_code == 0;
}

bool nacre_result_stopped(const nacre_result *res)
{
	return res->outcome == NACRE_TIMED_OUT || res->outcome == NACRE_CANCELED;
}

const char *nacre_result_error(const nacre_result *res)
{
	return res->outcome == NACRE_INVALID || res->outcome == NACRE_INTERNAL ? res->error : "";
}

const char *nacre_result_message(const nacre_result *res)
{
	return res->error;
}

const char *nacre_result_reason(const nacre_result *res)
{
	return res->reason;
}

const char *nacre_result_stdout(const nacre_result *res, size_t *len)
{
	if (len)
		*len = res->len[1];
	return res->text[1];
}

const char *nacre_result_stderr(const nacre_result *res, size_t *len)
{
	if (len)
		*len = res->len[2];
	return res->text[2];
}

uint64_t nacre_result_dropped(const nacre_result *res, int fd)
{
	return fd == 1 || fd == 2 ? res->dropped[fd] : 0;
}

bool nacre_result_truncated(const nacre_result *res)
{
	return res->dropped[1] || res->dropped[2];
}

int nacre_result_metrics(nacre_metrics *out, const nacre_result *res)
{
	if (out->size < sizeof(*out))
		return -NACRE_EINVAL;
	*out = res->metrics;
	return 0;
}

size_t nacre_result_commands(const nacre_result *res)
{
	return res->nrecords;
}

uint64_t nacre_result_commands_dropped(const nacre_result *res)
{
	return res->records_dropped;
}

int nacre_result_command(nacre_command_record *out, const nacre_result *res, size_t i)
{
	const struct run_record *r;

	if (out->size < sizeof(*out))
		return -NACRE_EINVAL;
	if (i >= res->nrecords)
		return -NACRE_ENOENT;
	r = &res->records[i];
	*out = (nacre_command_record){.size = sizeof(*out), .name = r->name, .pid = r->pid,
				      .exit_code = r->signal ? 128 + r->signal : r->status, .signal = r->signal,
				      .start_ns = r->start_ns, .wall_ns = r->wall_ns, .ticks = r->ticks,
				      .memory_peak = r->memory_peak, .written = r->written};
	return 0;
}

size_t nacre_result_pipes(const nacre_result *res)
{
	return res->npipes;
}

uint64_t nacre_result_pipe(const nacre_result *res, size_t i)
{
	return i < res->npipes ? res->pipes[i] : 0;
}

uint64_t nacre_result_pipes_dropped(const nacre_result *res)
{
	return res->pipes_dropped;
}

int nacre_result_signal(const nacre_result *res)
{
	return res->signal;
}

int64_t nacre_result_timeout_ns(const nacre_result *res)
{
	return res->timeout_ns;
}

size_t nacre_result_denials(const nacre_result *res)
{
	return res->ndenials;
}

int nacre_result_denial(nacre_denial *out, const nacre_result *res, size_t i)
{
	const struct denial *d = res->denials;

	if (out->size < sizeof(*out))
		return -NACRE_EINVAL;
	while (d && i--)
		d = d->next;
	if (!d)
		return -NACRE_ENOENT;
	*out = d->d;
	return 0;
}

uint64_t nacre_result_denials_dropped(const nacre_result *res)
{
	return res->denials_dropped;
}
