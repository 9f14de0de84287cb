/* test_crowd.c - 10,000 sandboxes, each inside `sleep 60 | cat`, driven by one thread: no further
 * thread, no descriptor each, little memory; then all are stopped and nothing is left. */
#include <nacre/nacre.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
enum { N = 500, MIB = 4096 };	/* shadow memory and red zones: only that it works */
#else
enum { N = 10000, MIB = 640 };	/* the target is 300: docs/performance.md */
#endif

static int passed, failed;

static void check(bool ok, const char *what, long value)
{
	passed += ok;
	failed += !ok;
	if (!ok)
		printf("FAIL %s: %ld\n", what, value);
}

static long status(const char *key)
{
	char line[200];
	long v = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
			v = strtol(line + strlen(key) + 1, NULL, 10);
	if (f)
		fclose(f);
	return v;
}

static long descriptors(void)
{
	long n = 0;
	DIR *d = opendir("/proc/self/fd");

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

int main(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox **sb = calloc(N, sizeof(*sb));
	nacre_run **run = calloc(N, sizeof(*run));
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_runtime *rt = NULL;
	long before, fds, used;
	int64_t timeout = 0;
	int canceled = 0;

	if (!cfg || !sb || !run || nacre_runtime_new(&rt) < 0)
		return 1;
	req.script = "sleep 60 | cat";
	req.timeout_ns = -1;
	before = status("VmRSS");
	fds = descriptors();
	for (int i = 0; i < N; i++)
		if (nacre_sandbox_new(&sb[i], rt, cfg) < 0 || nacre_run_start(&run[i], sb[i], &req) < 0) {
			printf("%d: %s\n", i, nacre_runtime_error(rt));
			return 1;
		}
	while (nacre_runtime_step(rt) == NACRE_STEP_MORE)
		;
	used = (status("VmRSS") - before) / 1024;
	check(used < MIB, "MiB of memory in all", used);
	check(status("Threads") == 1, "threads", status("Threads"));
	check(descriptors() <= fds + 2, "descriptors", descriptors() - fds);
	nacre_runtime_wait(rt, NULL, 0, &timeout);
	check(timeout > 0 && timeout <= (int64_t)60 * 1000000000, "the next timer is a sleep's", (long)timeout);
	for (int i = 0; i < N; i++)
		nacre_run_cancel(run[i]);
	for (int i = 0; i < N; i++) {
		nacre_result *res = nacre_run_finish(run[i]);

		canceled += nacre_result_outcome(res) == NACRE_CANCELED;
		nacre_result_free(res);
		nacre_sandbox_free(sb[i]);
	}
	check(canceled == N, "canceled", canceled);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	free(sb);
	free(run);
	printf("%ld MiB for %d\n%d passed, %d failed\n", used, N, passed, failed);
	return failed != 0;
}
