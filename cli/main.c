/* main.c - the nacre program: one script, or a REPL. */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SCRIPT_MAX ((size_t)64 << 20)

/* What the signal handler touches: the run to cancel, and which signal came. */
static _Atomic(nacre_run *) watched;
static volatile sig_atomic_t taken;

static void on_signal(int sig)
{
	nacre_run *run = atomic_load(&watched);

	taken = sig;
	if (run)
		nacre_run_cancel(run);
}

void cli_signals_install(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void cli_signals_watch(nacre_run *run)
{
	atomic_store(&watched, run);
	if (run && taken)
		nacre_run_cancel(run);
}

int cli_signals_taken(void)
{
	int sig = taken;

	taken = 0;
	return sig;
}

nacre_result *cli_drive(nacre_runtime *rt, nacre_run *run)
{
	nacre_result *res;

	cli_signals_watch(run);
	while (!nacre_run_done(run))
		if (nacre_runtime_step(rt) == NACRE_STEP_WAIT && !nacre_run_done(run))
			nacre_runtime_block(rt, -1);
	cli_signals_watch(NULL);
	res = nacre_run_finish(run);
	return res;
}

static char *read_all(int fd, size_t *len)
{
	size_t n = 0, cap = 65536;
	char *text = malloc(cap);

	while (text) {
		ssize_t got = read(fd, text + n, cap - n - 1);

		if (got < 0 && errno == EINTR && !taken)
			continue;
		if (got < 0) {
			free(text);
			return NULL;
		}
		n += (size_t)got;
		if (got == 0) {
			text[n] = '\0';
			*len = n;
			return text;
		}
		if (n + 1 == cap) {
			char *more = cap < SCRIPT_MAX ? realloc(text, cap * 2) : NULL;

			if (!more) {
				free(text);
				errno = EFBIG;
				return NULL;
			}
			text = more;
			cap *= 2;
		}
	}
	return NULL;
}

int64_t cli_timeout(const struct cli_options *o)
{
	return (int64_t)nacre_config_limit_get(o->config, NACRE_LIMIT_WALL_NS, NULL);
}

char *cli_read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *text;
	int e;

	if (!f)
		return NULL;
	text = read_all(fileno(f), len);
	e = errno;
	fclose(f);
	errno = e;
	return text;
}

int cli_status_of(const nacre_result *res, int sig)
{
	if (sig == SIGINT && nacre_result_outcome(res) == NACRE_CANCELED)
		return 130;
	if (sig == SIGTERM && nacre_result_outcome(res) == NACRE_CANCELED)
		return 143;
	return nacre_result_exit_code(res);
}

static int run_script(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o, nacre_request *req)
{
	nacre_metrics m = {.size = sizeof(m)};
	struct timespec now;
	bool limited, whole = o->json || o->text;
	struct cli_pass pass = {.limit = nacre_config_limit_get(o->config, NACRE_LIMIT_OUTPUT, &limited)};
	nacre_result *res;
	nacre_run *run;
	int e, sig, status;

	if (!whole && limited) {
		req->on_output = cli_pass_output;
		req->payload = &pass;
	} else if (!whole) {
		req->stdout_fd = 1;
		req->stderr_fd = 2;
	}
	e = nacre_run_start(&run, sb, req);
	if (e < 0) {
		fprintf(stderr, "nacre: %s\n", nacre_runtime_error(rt));
		return e == -EINVAL ? 2 : 125;
	}
	res = cli_drive(rt, run);
	clock_gettime(CLOCK_REALTIME, &now);
	sig = cli_signals_taken();
	status = cli_status_of(res, sig);
	if (o->json)
		cli_print_json(res);
	else if (o->text)
		cli_print_text(res);
	else
		cli_tell(o, res, req->on_output ? &pass : NULL);
	if (nacre_result_metrics(&m, res) == 0 &&
	    !cli_write_records(o, res, now.tv_sec * 1000000000LL + now.tv_nsec - m.wall_ns) && status == 0)
		status = 1;
	nacre_result_free(res);
	return o->record ? cli_record(rt, sb, o, sig, status) : status;
}

static int run_once(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o)
{
	nacre_request req = NACRE_REQUEST_INIT;
	char *text = NULL;
	int status;

	req.stdin_fd = 0;
	req.args = (const char *const *)o->args;
	if (o->script) {
		req.script = o->script;
		if (o->args[0]) {
			req.name = o->args[0];
			req.args++;
		}
	} else {
		if (o->file) {
			text = cli_read_file(o->file, &req.script_len);
			if (!text) {
				int e = errno;

				fprintf(stderr, "nacre: %s: %s\n", o->file, strerror(e));
				return e == ENOENT ? 127 : 126;
			}
			req.name = o->file;
			req.kind = NACRE_SCRIPT_FILE;
		} else if ((text = read_all(0, &req.script_len)) == NULL) {
			fprintf(stderr, "nacre: standard input: %s\n", strerror(errno));
			return 126;
		} else {
			req.kind = NACRE_SCRIPT_STDIN;
		}
		req.script = text;
	}
	status = run_script(rt, sb, o, &req);
	free(text);
	return status;
}

static void show_warnings(const nacre_sandbox *sb)
{
	const char *text;

	for (size_t i = 0; (text = nacre_sandbox_warning(sb, i)) != NULL; i++)
		fprintf(stderr, "nacre: warning: %s\n", text);
}

/* Words in the place of a script's name; a script of that name is run as ./fmt. */
static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} subcommands[] = {{"fmt", cli_fmt}, {"parse", cli_parse_command}, {"replay", cli_replay}};

static int run_subcommand(int argc, char **argv, int *status)
{
	for (size_t i = 0; argc > 1 && i < sizeof(subcommands) / sizeof(subcommands[0]); i++)
		if (strcmp(argv[1], subcommands[i].name) == 0) {
			*status = subcommands[i].run(argc, argv);
			if (fflush(stdout) != 0 && *status == 0)
				*status = 1;
			return 1;
		}
	return 0;
}

/* `nacre prompt`. */
static int cli_prompt(const struct cli_options *o)
{
	char *text;

	if (nacre_config_prompt(&text, NULL, o->config, o->file) < 0) {
		fprintf(stderr, "nacre: %s\n", nacre_config_error(o->config));
		return 2;
	}
	fputs(text, stdout);
	nacre_free(text);
	return 0;
}

int main(int argc, char **argv)
{
	struct cli_options o = {.config = NULL};
	nacre_runtime *rt = NULL;
	nacre_sandbox *sb = NULL;
	enum cli_parse parsed;
	int status = 125;

	if (run_subcommand(argc, argv, &status))
		return status;
	o.config = nacre_config_new();
	parsed = o.config ? cli_options_parse(&o, argc, argv) : CLI_RUN;
	if (parsed != CLI_RUN) {
		status = parsed == CLI_EXIT_OK ? 0 : 2;
	} else if (o.config && o.prompt) {
		status = cli_prompt(&o);
	} else if (!o.config || (o.record ? nacre_runtime_new_recording(&rt, 0) : nacre_runtime_new(&rt)) < 0) {
		fputs("nacre: out of memory\n", stderr);
	} else if (cli_sandbox(&sb, rt, &o) < 0) {
		status = 2;
	} else if (o.explain) {
		status = cli_explain(sb, o.explain);
	} else {
		show_warnings(sb);
		cli_signals_install();
		if (!o.script && !o.file && isatty(0))
			status = cli_repl(rt, sb, &o);
		else
			status = run_once(rt, sb, &o);
		status = cli_review(rt, sb, &o, status);
		status = cli_keep(rt, sb, &o, status);
	}
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(o.config);
	if (fflush(stdout) != 0 && (parsed == CLI_EXIT_OK || o.prompt))
		status = 1;
	return status;
}
