/* test_crowd.c - many sandboxes in one thread, and what they cost.
 *
 * 100,000 idle ones, under 1 KiB each. Then 10,000, each inside `sleep 60 | cat`: no further thread,
 * no descriptor each, the whole process under 300 MiB, few mappings; all are stopped and nothing
 * is left. */
#include <nacre/nacre.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
enum { IDLE = 5000, IDLE_BYTES = 8192, N = 500, MIB = 4096 };	/* shadow memory and red zones: only that it works */
#else
enum { IDLE = 100000, IDLE_BYTES = 1024, N = 10000, MIB = 300 };
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

static long mappings(void)
{
	long n = 0;
	int c;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

static void idle(const nacre_config *cfg)
{
	nacre_sandbox **sb = calloc(IDLE, sizeof(*sb));
	nacre_runtime *rt = NULL;
	long before, each;
	int n = 0;

	if (!sb || nacre_runtime_new(&rt) < 0) {
		check(false, "a runtime", 0);
		return;
	}
	before = status("VmRSS");
	while (n < IDLE && nacre_sandbox_new(&sb[n], rt, cfg) == 0)
		n++;
	each = (status("VmRSS") - before) * 1024 / IDLE;
	check(n == IDLE, "idle sandboxes", n);
	check(each > 0 && each < IDLE_BYTES, "bytes of an idle sandbox", each);
	while (n > 0)
		nacre_sandbox_free(sb[--n]);
	nacre_runtime_free(rt);
	free(sb);
	printf("%ld bytes for each of %d idle ones\n", each, IDLE);
}

int main(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox **sb = calloc(N, sizeof(*sb));
	nacre_run **run = calloc(N, sizeof(*run));
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_runtime *rt = NULL;
	long fds, used;
	int64_t timeout = 0;
	int canceled = 0;

	if (!cfg || !sb || !run)
		return 1;
	idle(cfg);
	if (nacre_runtime_new(&rt) < 0)
		return 1;
	req.script = "sleep 60 | cat";
	req.timeout_ns = -1;
	fds = descriptors();
	for (int i = 0; i < N; i++)
		if (nacre_sandbox_new(&sb[i], rt, cfg) < 0 || nacre_run_start(&run[i], sb[i], &req) < 0) {
			printf("%d: %s\n", i, nacre_runtime_error(rt));
			return 1;
		}
	while (nacre_runtime_step(rt) == NACRE_STEP_MORE)
		;
	used = status("VmRSS") / 1024;
	check(used > 0 && used < MIB, "MiB of memory in all", used);
	check(mappings() < 10000, "mappings", mappings());
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
