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

static bool copy_stream(nacre_result *res, nacre_run *run, int fd)
{
	struct file *f = run_file(run->kernel, fd);
	struct capture_info info = {0};

	if (f)
		capture_info(f, &info);
	res->len[fd] = (size_t)(info.head + info.tail);
	res->text[fd] = malloc(res->len[fd] + 1);
	if (!res->text[fd])
		return false;
	if (res->len[fd])
		capture_copy(f, res->text[fd]);
	res->text[fd][res->len[fd]] = '\0';
	res->dropped[fd] = info.dropped;
	return true;
}

static char *error_text(const struct run_result *r, enum nacre_outcome o, uint64_t memory)
{
	char text[320];

	switch (o) {
	case NACRE_LIMITED:
		if (r->stop == RUN_STOP_MEMORY)
			snprintf(text, sizeof(text), "more than %llu bytes of memory were asked for", (unsigned long long)memory);
		else
			snprintf(text, sizeof(text), "too much output");
		return strdup(text);
	case NACRE_INVALID:
	case NACRE_INTERNAL:
	case NACRE_DENIED:
	case NACRE_UNSUPPORTED: return strdup(r->error);
	default: return strdup("");
	}
}

nacre_result *result_new(nacre_run *run)
{
	const struct run_result *r = run_result(run->kernel);
	nacre_result *res = calloc(1, sizeof(*res));

	if (!res)
		return NULL;
	res->outcome = outcome_of(r);
	res->exit_code = r->status;
	res->reason = r->stop == RUN_STOP_MEMORY ? "memory" : r->stop == RUN_STOP_OUTPUT ? "output" : r->stop == RUN_STOP_CPU ? "cpu" :
		      r->stop == RUN_STOP_DEADLINE ? "time" : "";
	res->error = error_text(r, res->outcome, run->sb->plan->settings->limits[NACRE_LIMIT_MEMORY]);
	res->metrics = (nacre_metrics){.size = sizeof(res->metrics), .wall_ns = r->wall_ns, .ticks = r->ticks,
				       .memory_peak = r->memory_peak, .commands = r->procs, .pipe_bytes = r->pipe_bytes};
	if (!res->error || !copy_stream(res, run, 1) || !copy_stream(res, run, 2)) {
		nacre_result_free(res);
		return NULL;
	}
	res->denials = run->denials;
	res->ndenials = run->ndenials;
	run->denials = NULL;
	return res;
}

void nacre_result_free(nacre_result *res)
{
	if (!res)
		return;
	free(res->error);
	free(res->text[1]);
	free(res->text[2]);
	denials_free(res->denials);
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
	*out = (nacre_denial){sizeof(*out), d->command, d->operation, d->path, d->rule, d->access};
	return 0;
}
