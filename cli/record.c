/* record.c - --record FILE, and `nacre replay FILE`.
 *
 * What the program itself adds to a run's output (messages, JSON, warnings) depends on options and on signals: they are in the
 * note that goes with a recording, so that a replay prints the same. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct note {
	int json, text, limited, sig;
	uint64_t limit;
	int64_t timeout;
	int warnings; /* where their text begins */
};

#define NOTE_FORMAT "json %d text %d limited %d signal %d limit %" PRIu64 " timeout %" PRId64 "\n"
#define NOTE_SCAN "json %d text %d limited %d signal %d limit %" SCNu64 " timeout %" SCNd64 "\n%n"

static char *make_note(const nacre_sandbox *sb, const struct cli_options *o, int sig)
{
	bool limited;
	uint64_t limit = nacre_config_limit_get(o->config, NACRE_LIMIT_OUTPUT, &limited);
	const char *text;
	char *note = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&note, &n);

	if (!f)
		return NULL;
	fprintf(f, NOTE_FORMAT, o->json, o->text, limited, sig, limit, cli_timeout(o));
	for (size_t i = 0; (text = nacre_sandbox_warning(sb, i)) != NULL; i++)
		fprintf(f, "nacre: warning: %s\n", text);
	if (fclose(f) == 0)
		return note;
	free(note);
	return NULL;
}

int cli_record(nacre_runtime *rt, const nacre_sandbox *sb, const struct cli_options *o, int sig, int status)
{
	char *note = make_note(sb, o, sig);
	void *data = NULL;
	size_t len;
	bool bad = true;

	if (!note)
		fputs("nacre: out of memory\n", stderr);
	else if (nacre_recording_take(&data, &len, rt, note, strlen(note)) < 0)
		fprintf(stderr, "nacre: %s: not recorded: %s\n", o->record, nacre_runtime_error(rt));
	else if (cli_replace_file(o->record, data, len) != 0)
		fprintf(stderr, "nacre: %s: %s\n", o->record, strerror(errno));
	else
		bad = false;
	nacre_free(data);
	free(note);
	return bad && !status ? 1 : status;
}

/* ---- nacre replay ------------------------------------------------------------------------- */

static ptrdiff_t write_through(void *payload, int fd, const void *data, size_t len)
{
	(void)payload;
	return cli_write_all(fd == 2 ? STDERR_FILENO : STDOUT_FILENO, data, len) ? (ptrdiff_t)len : -1;
}

static bool read_note(struct note *n, const char **text, size_t *len)
{
	char line[200];
	size_t k = *len < sizeof(line) - 1 ? *len : sizeof(line) - 1;

	memcpy(line, *text, k);
	line[k] = '\0';
	n->warnings = 0;
	if (sscanf(line, NOTE_SCAN, &n->json, &n->text, &n->limited, &n->sig, &n->limit, &n->timeout, &n->warnings) < 6 || !n->warnings)
		return false;
	*text += n->warnings;
	*len -= (size_t)n->warnings;
	return true;
}

static int show(nacre_runtime *rt, const char *file, const char *data, size_t len)
{
	struct cli_options o = {.config = nacre_config_new()};
	struct cli_pass pass = {0};
	const void *text;
	const char *at;
	nacre_result *res;
	struct note n;
	size_t rest;
	int status;

	if (!o.config || nacre_recording_note(&text, &rest, rt, data, len) < 0) {
		fprintf(stderr, "nacre: %s: %s\n", file, o.config ? nacre_runtime_error(rt) : "out of memory");
		nacre_config_free(o.config);
		return 2;
	}
	at = text;
	if (!read_note(&n, &at, &rest) || nacre_config_limit(o.config, NACRE_LIMIT_WALL_NS, (uint64_t)n.timeout) < 0) {
		fprintf(stderr, "nacre: %s: the recording was not made by nacre --record\n", file);
		nacre_config_free(o.config);
		return 2;
	}
	fwrite(at, 1, rest, stderr);
	pass.limit = n.limit;
	if (nacre_replay(&res, rt, data, len, n.limited && !n.json && !n.text ? cli_pass_output : write_through, &pass) < 0) {
		fprintf(stderr, "nacre: %s: %s\n", file, nacre_runtime_error(rt));
		nacre_config_free(o.config);
		return 125;
	}
	status = cli_status_of(res, n.sig);
	if (n.json)
		cli_print_json(res);
	else if (n.text)
		cli_print_text(res);
	else
		cli_tell(&o, res, n.limited ? &pass : NULL);
	nacre_result_free(res);
	nacre_config_free(o.config);
	return status;
}

int cli_replay(int argc, char **argv)
{
	static const char usage[] = "Usage: nacre replay FILE\n"
				    "Do again the run that nacre --record FILE recorded: the same output, the same status, with\n"
				    "nothing of the host but FILE. The status is 125 when it does not go as recorded, which is said,\n"
				    "and 2 when FILE is no recording of this version of nacre.\n";
	nacre_runtime *rt;
	size_t len;
	char *data;
	int status;

	if (argc == 3 && strcmp(argv[2], "--help") == 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc != 3 || argv[2][0] == '-') {
		fputs("nacre: replay needs one FILE\nTry 'nacre replay --help' for more information.\n", stderr);
		return 2;
	}
	data = cli_read_saved(argv[2], &len);
	if (!data) {
		fprintf(stderr, "nacre: %s: %s\n", argv[2], strerror(errno));
		return 2;
	}
	if (nacre_runtime_new(&rt) < 0) {
		fputs("nacre: out of memory\n", stderr);
		free(data);
		return 125;
	}
	status = show(rt, argv[2], data, len);
	nacre_runtime_free(rt);
	free(data);
	return status;
}
