/* records.c - what a run did, for other programs: a trace (Chrome, Perfetto) and an audit log (a JSON object a line). */
#include "cli.h"

#include <errno.h>
#include <string.h>

static bool finish(FILE *f, const char *path)
{
	bool ok = f && !ferror(f);
	int e = errno;

	if (f && fclose(f) != 0) {
		ok = false;
		e = errno;
	}
	if (!ok)
		fprintf(stderr, "nacre: %s: %s\n", path, strerror(e));
	return ok;
}

static void put_field(FILE *f, const char *name, const char *value)
{
	fprintf(f, ",\"%s\":", name);
	cli_json_string(f, value, strlen(value));
}

/* ---- Trace: complete events in microseconds, one thread a process ------------------------------ */

static void trace_commands(FILE *f, const nacre_result *res)
{
	for (size_t i = 0; i < nacre_result_commands(res); i++) {
		nacre_command_record r = {.size = sizeof(r)};

		if (nacre_result_command(&r, res, i) < 0)
			continue;
		fprintf(f, ",\n{\"ph\":\"X\",\"cat\":\"command\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":"
			   "{\"exit_code\":%d,\"ticks\":%llu,\"memory_peak\":%llu,\"written\":%llu}",
			r.pid, (double)r.start_ns / 1e3, (double)r.wall_ns / 1e3, r.exit_code, (unsigned long long)r.ticks,
			(unsigned long long)r.memory_peak, (unsigned long long)r.written);
		put_field(f, "name", r.name);
		fputc('}', f);
	}
}

static void trace_denials(FILE *f, const nacre_result *res, int64_t began)
{
	for (size_t i = 0; i < nacre_result_denials(res); i++) {
		nacre_denial d = {.size = sizeof(d)};

		if (nacre_result_denial(&d, res, i) < 0)
			continue;
		fprintf(f, ",\n{\"ph\":\"i\",\"cat\":\"refusal\",\"s\":\"t\",\"pid\":1,\"tid\":%d,\"ts\":%.3f", d.pid,
			(double)(d.time_ns > began ? d.time_ns - began : 0) / 1e3);
		put_field(f, "name", d.operation);
		fputs(",\"args\":{\"error\":", f);
		fprintf(f, "%d", -d.error);
		put_field(f, "path", d.path);
		put_field(f, "rule", d.rule_id);
		fputs("}}", f);
	}
}

static bool write_trace(const char *path, const nacre_result *res, int64_t began)
{
	nacre_metrics m = {.size = sizeof(m)};
	FILE *f = fopen(path, "we");

	if (!f)
		return finish(f, path);
	nacre_result_metrics(&m, res);
	fprintf(f, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"ph\":\"X\",\"cat\":\"run\",\"name\":\"run\",\"pid\":1,\"tid\":0,"
		   "\"ts\":0,\"dur\":%.3f,\"args\":{\"outcome\":\"%s\",\"exit_code\":%d}}",
		(double)m.wall_ns / 1e3, nacre_outcome_name(nacre_result_outcome(res)), nacre_result_exit_code(res));
	trace_commands(f, res);
	trace_denials(f, res, began);
	fputs("\n]}\n", f);
	return finish(f, path);
}

/* ---- Audit: appended, a line an event ------------------------------------------------------------ */

static void audit_head(FILE *f, int64_t ns, const char *event)
{
	fprintf(f, "{\"time\":%lld.%09lld,\"event\":\"%s\"", (long long)(ns / 1000000000), (long long)(ns % 1000000000), event);
}

static void audit_commands(FILE *f, const nacre_result *res, int64_t began)
{
	for (size_t i = 0; i < nacre_result_commands(res); i++) {
		nacre_command_record r = {.size = sizeof(r)};

		if (nacre_result_command(&r, res, i) < 0)
			continue;
		audit_head(f, began + r.start_ns, "command");
		put_field(f, "name", r.name);
		fprintf(f, ",\"proc\":%d,\"exit_code\":%d,\"wall_ns\":%lld}\n", r.pid, r.exit_code, (long long)r.wall_ns);
	}
	if (nacre_result_commands_dropped(res)) {
		audit_head(f, began, "dropped");
		fprintf(f, ",\"commands\":%llu}\n", (unsigned long long)nacre_result_commands_dropped(res));
	}
}

static void audit_denials(FILE *f, const nacre_result *res)
{
	for (size_t i = 0; i < nacre_result_denials(res); i++) {
		nacre_denial d = {.size = sizeof(d)};

		if (nacre_result_denial(&d, res, i) < 0)
			continue;
		audit_head(f, d.time_ns, "refusal");
		fprintf(f, ",\"proc\":%d,\"error\":%d", d.pid, -d.error);
		put_field(f, "command", d.command);
		put_field(f, "operation", d.operation);
		put_field(f, "path", d.path);
		put_field(f, "rule_id", d.rule_id);
		put_field(f, "rule", d.rule);
		fputs("}\n", f);
	}
}

static bool write_audit(const struct cli_options *o, const nacre_result *res, int64_t began)
{
	FILE *f = fopen(o->audit, "ae");

	if (!f)
		return finish(f, o->audit);
	audit_head(f, began, "run");
	if (o->script)
		put_field(f, "script", o->script);
	else
		put_field(f, "file", o->file ? o->file : "-");
	fputs("}\n", f);
	audit_commands(f, res, began);
	audit_denials(f, res);
	audit_head(f, began, "end");
	fprintf(f, ",\"exit_code\":%d,\"denials_dropped\":%llu", nacre_result_exit_code(res),
		(unsigned long long)nacre_result_denials_dropped(res));
	put_field(f, "outcome", nacre_outcome_name(nacre_result_outcome(res)));
	put_field(f, "reason", nacre_result_reason(res));
	fputs("}\n", f);
	return finish(f, o->audit);
}

bool cli_write_records(const struct cli_options *o, const nacre_result *res, int64_t began)
{
	bool ok = !o->trace || write_trace(o->trace, res, began);

	return (!o->audit || write_audit(o, res, began)) && ok;
}
