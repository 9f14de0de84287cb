/* main.c - the nacre program: one script, or a REPL. */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Passes output on until each stream's limit; what is beyond is counted. */
struct pass {
	uint64_t limit;
	uint64_t seen[3];
};

static ptrdiff_t pass_output(void *payload, int fd, const void *data, size_t len)
{
	struct pass *p = payload;
	uint64_t room = p->seen[fd] < p->limit ? p->limit - p->seen[fd] : 0;
	size_t n = len < room ? len : (size_t)room, done = 0;

	while (done < n) {
		ssize_t w = write(fd, (const char *)data + done, n - done);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0 && errno == EAGAIN) {
			struct pollfd pfd = {.fd = fd, .events = POLLOUT};

			poll(&pfd, 1, 100);
			continue;
		}
		if (w < 0)
			return -1;
		done += (size_t)w;
	}
	p->seen[fd] += len;
	return (ptrdiff_t)len;
}

static void tell(const struct cli_options *o, const nacre_result *res, const struct pass *pass)
{
	/*
	 * A full pipe that nobody reads must not hold a killed run past its deadline: its exit status says it then.
	 * A run that ended by itself waits: that its output was cut stands in the message alone.
	 */
	struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (nacre_result_outcome(res) != NACRE_COMPLETED && poll(&room, 1, 100) == 0)
		return;
	if (nacre_result_outcome(res) == NACRE_TIMED_OUT)
		fprintf(stderr, "nacre: execution timed out after %gs\n", (double)o->timeout_ns / 1e9);
	else if (nacre_result_outcome(res) == NACRE_LIMITED)
		fprintf(stderr, "nacre: limit exceeded: %s\n", nacre_result_message(res));
	else if (nacre_result_outcome(res) == NACRE_INTERNAL)
		fprintf(stderr, "nacre: internal error: %s\n", nacre_result_error(res));
	for (int fd = 1; pass && fd <= 2; fd++)
		if (pass->seen[fd] > pass->limit)
			fprintf(stderr, "nacre: %s truncated: %llu bytes dropped (see --output-limit)\n",
				fd == 1 ? "stdout" : "stderr", (unsigned long long)(pass->seen[fd] - pass->limit));
}

static int status_of(const nacre_result *res, int sig)
{
	if (sig == SIGINT && nacre_result_outcome(res) == NACRE_CANCELED)
		return 130;
	if (sig == SIGTERM && nacre_result_outcome(res) == NACRE_CANCELED)
		return 143;
	return nacre_result_exit_code(res);
}

static int run_script(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o, nacre_request *req)
{
	struct pass pass = {.limit = o->output_limit};
	nacre_result *res;
	nacre_run *run;
	int e, status;

	if (!o->json && o->output_limit_given) {
		req->on_output = pass_output;
		req->payload = &pass;
	} else if (!o->json) {
		req->stdout_fd = 1;
		req->stderr_fd = 2;
	}
	e = nacre_run_start(&run, sb, req);
	if (e < 0) {
		fprintf(stderr, "nacre: %s\n", nacre_runtime_error(rt));
		return e == -EINVAL ? 2 : 125;
	}
	res = cli_drive(rt, run);
	status = status_of(res, cli_signals_taken());
	if (o->json)
		cli_print_json(res);
	else
		tell(o, res, req->on_output ? &pass : NULL);
	nacre_result_free(res);
	return status;
}

static int run_once(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o)
{
	nacre_request req = NACRE_REQUEST_INIT;
	char *text = NULL;
	int status;

	req.timeout_ns = o->timeout_ns ? o->timeout_ns : -1;
	req.stdin_fd = 0;
	req.args = (const char *const *)o->args;
	if (o->script) {
		req.script = o->script;
		if (o->args[0]) {
			req.name = o->args[0];
			req.args++;
		}
	} else {
		int fd = 0;

		if (o->file) {
			FILE *f = fopen(o->file, "re");

			if (!f || (text = read_all(fileno(f), &req.script_len)) == NULL) {
				int e = errno;

				fprintf(stderr, "nacre: %s: %s\n", o->file, strerror(e));
				if (f)
					fclose(f);
				return e == ENOENT ? 127 : 126;
			}
			fclose(f);
			req.name = o->file;
		} else if ((text = read_all(fd, &req.script_len)) == NULL) {
			fprintf(stderr, "nacre: standard input: %s\n", strerror(errno));
			return 126;
		}
		req.script = text;
	}
	status = run_script(rt, sb, o, &req);
	free(text);
	return status;
}

int main(int argc, char **argv)
{
	struct cli_options o = {.timeout_ns = (int64_t)30 * 1000000000, .output_limit = (uint64_t)4 << 20};
	nacre_runtime *rt = NULL;
	nacre_sandbox *sb = NULL;
	enum cli_parse parsed;
	int status = 125;

	o.config = nacre_config_new();
	if (!o.config || nacre_runtime_new(&rt) < 0) {
		fputs("nacre: out of memory\n", stderr);
		nacre_config_free(o.config);
		return 125;
	}
	parsed = cli_options_parse(&o, argc, argv);
	if (parsed != CLI_RUN) {
		status = parsed == CLI_EXIT_OK ? 0 : 2;
	} else if (nacre_config_limit(o.config, NACRE_LIMIT_OUTPUT, o.output_limit) < 0 ||
		   nacre_sandbox_new(&sb, rt, o.config) < 0) {
		fprintf(stderr, "nacre: %s\n", nacre_runtime_error(rt));
		status = 2;
	} else {
		cli_signals_install();
		if (!o.script && !o.file && isatty(0))
			status = cli_repl(rt, sb, &o);
		else
			status = run_once(rt, sb, &o);
	}
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(o.config);
	if (fflush(stdout) != 0 && parsed == CLI_EXIT_OK)
		status = 1;
	return status;
}
