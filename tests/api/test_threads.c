/* test_threads.c - several runtimes in several threads, cancelled from outside: what
 * ThreadSanitizer looks at. */
#include <nacre/nacre.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 20 };

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

int main(void)
{
	pthread_t t[THREADS];
	int failed = 0;
	nacre_runtime *rt = NULL;

	shared = nacre_config_new();
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
	nacre_config_free(shared);
	printf("%d passed, %d failed\n", THREADS + 10 - failed, failed);
	return failed != 0;
}
