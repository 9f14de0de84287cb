/* json.c - a result as one JSON object. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* Length of the valid UTF-8 sequence at s (n bytes left), 0 if it is none. */
static size_t sequence(const unsigned char *s, size_t n)
{
	static const unsigned char lead[] = {0xc2, 0xe0, 0xf0, 0xf5};
	size_t want = s[0] < 0x80 ? 1 : s[0] < lead[0] ? 0 : s[0] < lead[1] ? 2 : s[0] < lead[2] ? 3 : s[0] < lead[3] ? 4 : 0;

	if (!want || want > n)
		return 0;
	for (size_t i = 1; i < want; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return want;
}

static bool is_utf8(const char *s, size_t n)
{
	while (n) {
		size_t k = sequence((const unsigned char *)s, n);

		if (!k)
			return false;
		s += k;
		n -= k;
	}
	return true;
}

void cli_json_string(FILE *f, const char *s, size_t n)
{
	fputc('"', f);
	while (n) {
		size_t k = sequence((const unsigned char *)s, n);
		unsigned char c = (unsigned char)*s;

		if (!k) {
			fputs("\\ufffd", f);
			k = 1;
		} else if (c == '"' || c == '\\') {
			fprintf(f, "\\%c", c);
		} else if (c == '\n') {
			fputs("\\n", f);
		} else if (c == '\t') {
			fputs("\\t", f);
		} else if (c < 0x20 || c == 0x7f) {
			fprintf(f, "\\u%04x", c);
		} else {
			fwrite(s, 1, k, f);
		}
		s += k;
		n -= k;
	}
	fputc('"', f);
}

static void print_string(const char *s, size_t n)
{
	cli_json_string(stdout, s, n);
}

static void print_base64(const unsigned char *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	putchar('"');
	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned)s[i] << 16 | (i + 1 < n ? (unsigned)s[i + 1] << 8 : 0) | (i + 2 < n ? s[i + 2] : 0);

		putchar(digits[v >> 18]);
		putchar(digits[v >> 12 & 63]);
		putchar(i + 1 < n ? digits[v >> 6 & 63] : '=');
		putchar(i + 2 < n ? digits[v & 63] : '=');
	}
	putchar('"');
}

/* "stdout": text, or for bytes that are not UTF-8 a second field with all of them. */
static void print_stream(const nacre_result *res, int fd, const char *name)
{
	size_t n;
	const char *s = fd == 1 ? nacre_result_stdout(res, &n) : nacre_result_stderr(res, &n);

	printf(",\"%s\":", name);
	print_string(s, n);
	if (!is_utf8(s, n)) {
		printf(",\"%s_base64\":", name);
		print_base64((const unsigned char *)s, n);
	}
	printf(",\"%s_dropped\":%llu", name, (unsigned long long)nacre_result_dropped(res, fd));
	if (nacre_result_spill(res, fd)) {
		printf(",\"%s_spill\":", name);
		print_string(nacre_result_spill(res, fd), strlen(nacre_result_spill(res, fd)));
	}
}

static void print_field(const char *name, const char *value)
{
	printf(",\"%s\":", name);
	print_string(value, strlen(value));
}

static void print_commands(const nacre_result *res)
{
	fputs(",\"commands\":[", stdout);
	for (size_t i = 0; i < nacre_result_commands(res); i++) {
		nacre_command_record r = {.size = sizeof(r)};

		if (nacre_result_command(&r, res, i) < 0)
			continue;
		printf("%s{\"name\":", i ? "," : "");
		print_string(r.name, strlen(r.name));
		printf(",\"pid\":%d,\"exit_code\":%d,\"start_ns\":%lld,\"wall_ns\":%lld,\"ticks\":%llu,\"memory_peak\":%llu,"
		       "\"written\":%llu}",
		       r.pid, r.exit_code, (long long)r.start_ns, (long long)r.wall_ns, (unsigned long long)r.ticks,
		       (unsigned long long)r.memory_peak, (unsigned long long)r.written);
	}
	printf("],\"commands_dropped\":%llu,\"pipes\":[", (unsigned long long)nacre_result_commands_dropped(res));
	for (size_t i = 0; i < nacre_result_pipes(res); i++)
		printf("%s%llu", i ? "," : "", (unsigned long long)nacre_result_pipe(res, i));
	printf("],\"pipes_dropped\":%llu", (unsigned long long)nacre_result_pipes_dropped(res));
}

/* How it ended, apart from the outcome's name: at most one of the first three is set. */
static void print_ending(const nacre_result *res)
{
	enum nacre_outcome o = nacre_result_outcome(res);
	int sig = o == NACRE_TIMED_OUT || o == NACRE_CANCELED ? 0 : nacre_result_signal(res);
	double timeout = (double)nacre_result_timeout_ns(res) / 1e6;

	printf(",\"signal\":");
	printf(sig ? "%d" : "null", sig);
	printf(",\"timed_out\":%s,\"aborted\":%s,\"timeout_ms\":", o == NACRE_TIMED_OUT ? "true" : "false",
	       o == NACRE_CANCELED ? "true" : "false");
	printf(timeout > 0 ? "%.15g" : "null", timeout);
	printf(",\"denied\":%s", nacre_result_exit_code(res) && nacre_result_denials(res) ? "true" : "false");
}

void cli_print_text(const nacre_result *res)
{
	size_t n;
	char *text;

	if (nacre_result_render(&text, &n, res) < 0) {
		fputs("nacre: out of memory\n", stderr);
		return;
	}
	fwrite(text, 1, n, stdout);
	nacre_free(text);
}

void cli_print_json(const nacre_result *res)
{
	nacre_metrics m = {.size = sizeof(m)};

	printf("{\"id\":\"%s\",\"outcome\":\"%s\",\"exit_code\":%d", nacre_result_id(res), nacre_outcome_name(nacre_result_outcome(res)),
	       nacre_result_exit_code(res));
	print_ending(res);
	print_stream(res, 1, "stdout");
	print_stream(res, 2, "stderr");
	printf(",\"truncated\":%s", nacre_result_truncated(res) ? "true" : "false");
	print_field("error", nacre_result_error(res));
	print_field("message", nacre_result_message(res));
	print_field("reason", nacre_result_reason(res));
	if (nacre_result_metrics(&m, res) == 0)
		printf(",\"metrics\":{\"wall_ns\":%lld,\"ticks\":%llu,\"memory_peak\":%llu,\"commands\":%llu,"
		       "\"pipe_bytes\":%llu,\"guest_memory_peak\":%llu}",
		       (long long)m.wall_ns, (unsigned long long)m.ticks, (unsigned long long)m.memory_peak,
		       (unsigned long long)m.commands, (unsigned long long)m.pipe_bytes, (unsigned long long)m.guest_memory_peak);
	print_commands(res);
	fputs(",\"denials\":[", stdout);
	for (size_t i = 0; i < nacre_result_denials(res); i++) {
		nacre_denial d = {.size = sizeof(d)};

		if (nacre_result_denial(&d, res, i) < 0)
			continue;
		printf("%s{\"access\":\"%s\"", i ? "," : "", d.access & NACRE_ACCESS_WRITE ? "write" : "read");
		print_field("command", d.command);
		print_field("operation", d.operation);
		print_field("path", d.path);
		print_field("rule", d.rule);
		print_field("rule_id", d.rule_id);
		printf(",\"proc\":%d,\"time\":%lld.%09lld,\"error\":%d}", d.pid, (long long)(d.time_ns / 1000000000),
		       (long long)(d.time_ns % 1000000000), -d.error);
	}
	printf("],\"denials_dropped\":%llu}\n", (unsigned long long)nacre_result_denials_dropped(res));
}
