/* test_threads.c - several runtimes in several threads, cancelled from outside: what
 * ThreadSanitizer looks at. Then 8 threads with many sandboxes each, all alive at once, whose commands one more thread completes;
 * CROWD=n sets how many each has. Then 16 threads whose runs are of guests: the host's side of those (cages, images, signals). */
#include <nacre/nacre.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers.h"

enum { THREADS = 4, ROUNDS = 20, CROWDS = 8, GUESTS = 16, GUEST_ROUNDS = 3 };

static nacre_config *shared;	/* one configuration for all: it is only read */

static void *work(void *arg)
{
	long bad = 0;
	nacre_runtime *rt = NULL;

	(void)arg;
	if (nacre_runtime_new(&rt) < 0)
		return (void *)1;
	for (int i = 0; i < ROUNDS; i++) {
		nacre_request req = NACRE_REQUEST_INIT;
		nacre_sandbox *sb;
		nacre_result *res;

		if (nacre_sandbox_new(&sb, rt, shared) < 0)
			return (void *)1;
		req.script = "for i in 1 2 3; do echo $i; done | sort -r | head -n 1; cat /etc/hostname > f; x=$(cat f); echo ${#x}";
		bad += nacre_exec(&res, sb, &req) < 0 || strncmp(nacre_result_stdout(res, NULL), "3\n", 2) != 0;
		nacre_result_free(res);
		nacre_sandbox_free(sb);
	}
	nacre_runtime_free(rt);
	return (void *)bad;
}

struct victim {
	nacre_run *run;
	nacre_runtime *rt;
};

static void *cancel(void *arg)
{
	struct victim *v = arg;

	usleep(20000);
	nacre_run_cancel(v->run);
	nacre_runtime_wake(v->rt);
	return NULL;
}

/* ---- Crowds -------------------------------------------------------------------------------- */

static size_t crowd;

static void ask(nacre_invocation *inv, void *payload)
{
	(void)payload;
	answers_ask(answers_echo, inv, 0);
}

/* One thread's sandboxes: how many went wrong. */
static void *run_crowd(void *arg)
{
	nacre_sandbox **sb = calloc(crowd, sizeof(*sb));
	nacre_run **run = calloc(crowd, sizeof(*run));
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_runtime *rt = NULL;
	size_t bad = 0;

	(void)arg;
	if (!sb || !run || nacre_runtime_new(&rt) < 0)
		return (void *)1;
	req.script = "x=$(ask hello | tr a-z A-Z); echo $x > f; ask $x | cat f - | sort -u; (exit 3)";
	req.timeout_ns = -1;
	for (size_t i = 0; i < crowd; i++)
		bad += nacre_sandbox_new(&sb[i], rt, shared) < 0 || nacre_run_start(&run[i], sb[i], &req) < 0;
	for (size_t done = 0; !bad && done < crowd;) {
		enum nacre_step step = nacre_runtime_step(rt);

		while (done < crowd && nacre_run_done(run[done]))
			done++;
		if (step == NACRE_STEP_WAIT && done < crowd)
			nacre_runtime_block(rt, -1);
	}
	for (size_t i = 0; i < crowd; i++) {
		nacre_result *res = run[i] ? nacre_run_finish(run[i]) : NULL;

		bad += !res || strcmp(nacre_result_stdout(res, NULL), "HELLO\n") != 0 || nacre_result_exit_code(res) != 3;
		nacre_result_free(res);
		nacre_sandbox_free(sb[i]);
	}
	nacre_runtime_free(rt);
	free(sb);
	free(run);
	return (void *)bad;
}

/* The number of threads in which something went wrong. */
static int crowds(void)
{
	const char *n = getenv("CROWD");
	pthread_t t[CROWDS];
	unsigned long answered;
	int failed = 0;

	crowd = n ? strtoul(n, NULL, 10) : 40;
	if (!answers_start(CROWDS * crowd * 2))
		return CROWDS;
	for (int i = 0; i < CROWDS; i++)
		if (pthread_create(&t[i], NULL, run_crowd, NULL))
			abort();
	for (int i = 0; i < CROWDS; i++) {
		void *bad;

		pthread_join(t[i], &bad);
		failed += bad != NULL;
	}
	answered = answers_stop();
	printf("%d threads of %zu sandboxes, %lu commands answered\n", CROWDS, crowd, answered);
	return failed + (answered != CROWDS * crowd * 2);
}

/* ---- Guests -------------------------------------------------------------------------------- */

static const char guests_script[] = "js -e 'console.log(6 * 7)'; jq -n -c '[range(3)]' | jq -c 'map(. + 1)' | js -e 'process.stdin.on(\"data\", (d) => console.log(JSON.parse(d)[2]))'\n"
				    "sqlite3 a.db 'create table t(a); insert into t values (5)'; sqlite3 a.db 'select a from t'; sqlite3 a.db .schema | grep -ci table; rm a.db\n"
				    "python3 -c 'print(sum(range(10)))'; js -e 'new Array(1e4).fill(0).map(() => [1, 2]); throw 1' 2>/dev/null; echo $?; timeout 0.01 jq -n 'last(repeat(1))'; echo $?\n"
				    /* Leaves its memory: the handler of the signal. */
				    "python3 -c 'import dis; o = dis.opmap; f = lambda: 0; f.__code__ = f.__code__.replace(co_code=bytes([o[\"RESUME\"], 0, o[\"EXTENDED_ARG\"], 48, "
				    "o[\"EXTENDED_ARG\"], 0, o[\"EXTENDED_ARG\"], 0, o[\"LOAD_CONST\"], 0, o[\"RETURN_VALUE\"], 0])); f()' 2>&1; echo $?\n"
				    "(jq -n 'last(repeat(1))' & js -e 'child_process.execSync(\"true\"); console.log(1)'; kill $!)";
static const char guests_output[] = "42\n3\n5\n1\n45\n1\n124\npython3: memory access out of bounds\n134\n1\n";

static void *run_guests(void *arg)
{
	nacre_runtime *rt = NULL;
	size_t bad = 0;

	(void)arg;
	if (nacre_runtime_new(&rt) < 0)
		return (void *)1;
	for (int i = 0; i < GUEST_ROUNDS; i++) {
		nacre_request req = NACRE_REQUEST_INIT;
		nacre_sandbox *sb;
		nacre_result *res;

		if (nacre_sandbox_new(&sb, rt, shared) < 0)
			return (void *)1;
		req.script = guests_script;
		req.timeout_ns = -1;
		if (nacre_exec(&res, sb, &req) < 0 || strcmp(nacre_result_stdout(res, NULL), guests_output) != 0) {
			printf("%s%s\n", nacre_result_stdout(res, NULL), nacre_result_stderr(res, NULL));
			bad++;
		}
		nacre_result_free(res);
		nacre_sandbox_free(sb);
	}
	nacre_runtime_free(rt);
	return (void *)bad;
}

static int guests(void)
{
	pthread_t t[GUESTS];
	int failed = 0;

	for (int i = 0; i < GUESTS; i++)
		if (pthread_create(&t[i], NULL, run_guests, NULL))
			abort();
	for (int i = 0; i < GUESTS; i++) {
		void *bad;

		pthread_join(t[i], &bad);
		failed += bad != NULL;
	}
	return failed;
}

int main(void)
{
	pthread_t t[THREADS];
	int failed = 0;
	nacre_runtime *rt = NULL;

	nacre_command c = NACRE_COMMAND_INIT;

	c.name = "ask";
	c.summary = "asks another thread";
	c.run = ask;
	shared = nacre_config_new();
	if (!shared || nacre_config_command(shared, &c) < 0)
		return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		void *bad;

		pthread_join(t[i], &bad);
		failed += bad != NULL;
	}
	if (nacre_runtime_new(&rt) < 0)
		return 1;
	for (int i = 0; i < 10; i++) {
		nacre_request req = NACRE_REQUEST_INIT;
		nacre_sandbox *sb;
		nacre_result *res;
		struct victim v = {NULL, rt};

		nacre_sandbox_new(&sb, rt, shared);
		req.script = i % 2 ? "while :; do :; done" : "sleep 100 | cat";
		nacre_run_start(&v.run, sb, &req);
		pthread_create(&t[0], NULL, cancel, &v);
		while (!nacre_run_done(v.run))
			if (nacre_runtime_step(rt) == NACRE_STEP_WAIT && !nacre_run_done(v.run))
				nacre_runtime_block(rt, -1);
		pthread_join(t[0], NULL);
		res = nacre_run_finish(v.run);
		failed += nacre_result_outcome(res) != NACRE_CANCELED;
		nacre_result_free(res);
		nacre_sandbox_free(sb);
	}
	nacre_runtime_free(rt);
	failed += crowds();
	failed += guests();
	nacre_config_free(shared);
	printf("%d passed, %d failed\n", THREADS + 10 + CROWDS + GUESTS - failed, failed);
	return failed != 0;
}
