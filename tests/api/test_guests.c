/* test_guests.c - engines in cages, as a host sees them: the limits of JQ-01, the places of GUEST-01, many instances that wait, and
 * the host's own SIGSEGV handler.
 *
 * PARKED=n sets how many sandboxes wait inside Python and JavaScript at the same time. */
#include "harness.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1, PARKED = 20 };
#else
enum { SANITIZED = 0, PARKED = 100 };
#endif

/* ---- JQ-01 --------------------------------------------------------------------------------------- */

static void jq_limits(void)
{
	static const char policy[] = "{\"version\": 1, \"limits\": {\"guest_memory\": \"64M\", \"jq_input\": 1000, \"jq_nesting\": 3, \"jq_filter\": 100, "
				     "\"jq_filter_nesting\": 4, \"jq_filter_tokens\": 20}}";
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);

	/* Without: as jq is. */
	CHECK(prints(sb, "seq 100000 | jq -s 'add, length'; printf '%0300d%s%0300d' | tr '0 ' '[]' | jq . 2>&1 | grep -c 'Exceeds depth'; jq -n \"$(printf '1+%.0s' {1..3000}) 1\"",
		     "5000050000\n100000\n1\n3001\n"));
	CHECK(prints(sb, "env -i jq -n '$ENV'; jq -n '0|todate'; TZ=Asia/Tokyo jq -rn '0|gmtime|mktime'; jq -n 'range(1e9)' | head -n 2; jq -n 'def f(x): x * 2; f(4)'; "
			 "echo 'def g: 7;' > m.jq; jq -n -L . 'import \"m\" as m; m::g'",
		     "{}\n\"1970-01-01T00:00:00Z\"\n0\n0\n1\n8\n7\n"));
	nacre_sandbox_free(sb);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_JQ_NESTING, 10001) == -EINVAL);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_JQ_NESTING, 1024) == 0);
	sb = sandbox(cfg);
	CHECK(prints(sb, "for n in 1024 1025; do { printf '[%.0s' $(seq $n); printf ']%.0s' $(seq $n); } | jq -c . 2>&1 | cut -c1-40 | tail -c 20; done", "[[[[[[[[[[[[[[[[[[[\neds depth limit for\n"));
	nacre_sandbox_free(sb);
	CHECK(nacre_config_policy(cfg, "p", policy, strlen(policy)) == 0);
	sb = sandbox(cfg);
	CHECK(gives(sb, "seq 200 | jq -s length", "200\n", 0));
	CHECK(gives(sb, "seq 2000 | jq -s length", "", 5));
	CHECK(gives(sb, "seq 2000 > f; jq -n --slurpfile a f 1", "", 5) && gives(sb, "jq -n --rawfile a f 1", "", 5) && gives(sb, "seq 2000 | jq -R length >/dev/null", "", 5));
	CHECK(gives(sb, "echo '[[[1]]] {\"a\":{}}' | jq -c .", "[[[1]]]\n{\"a\":{}}\n", 0) && gives(sb, "echo '[[[[1]]]]' | jq -c .", "", 5));
	CHECK(gives(sb, "jq -n '\"[[[[1]]]]\"|try fromjson catch \"too deep\"'", "\"too deep\"\n", 0));
	CHECK(gives(sb, "jq -n '((((1))))'", "1\n", 0) && gives(sb, "jq -n '(((((1)))))'", "", 3) && gives(sb, "jq -n '[[[[[1]]]]]'", "", 3));
	CHECK(gives(sb, "jq -n '(1),(1),(1),(1),(1)'", "1\n1\n1\n1\n1\n", 0)); /* beside, not inside one another */
	CHECK(gives(sb, "jq -n '1+1+1+1+1+1+1+1+1'", "9\n", 0) && gives(sb, "jq -n '1+1+1+1+1+1+1+1+1+1+1'", "", 3));
	CHECK(gives(sb, "jq -n \"$(printf %0101d 1)\"", "", 3) && gives(sb, "printf %0101d 1 > p.jq; jq -n -f p.jq", "", 3) && gives(sb, "jq -n \"$(printf %0100d 1)\"", "1\n", 0));
	CHECK(prints(sb, "jq -n '[range(1e7)]|length' 2>&1; echo $?; jq -n 1; js -e 'const a = []; try { for (;;) a.push(new Array(1e5).fill({})) } catch (e) { console.log(\"caught\") }'; "
			 "python3 -c 'try: bytearray(10**8)\nexcept MemoryError: print(\"caught\")'",
		     "jq: error: memory limit exceeded\n5\n1\ncaught\ncaught\n"));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- GUEST-01 -------------------------------------------------------------------------------------- */

static size_t drive(nacre_run **run, size_t n, int64_t ms)
{
	size_t done = 0;

	for (int64_t i = 0; i < ms && done < n; i++) {
		while (nacre_runtime_step(rt) == NACRE_STEP_MORE)
			;
		done = 0;
		for (size_t k = 0; k < n; k++)
			done += nacre_run_done(run[k]);
		if (done < n)
			nacre_runtime_block(rt, 1000000);
	}
	return done;
}

static void places(void)
{
	enum { N = 6, PLACES = 2 };
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb[N];
	nacre_run *run[N] = {0};
	nacre_request req = NACRE_REQUEST_INIT;
	size_t ended = 0;

	CHECK(nacre_runtime_guests(rt, "perl", 1) == -EINVAL && nacre_runtime_guests(rt, NULL, 1) == -EINVAL);
	CHECK(nacre_runtime_guests(rt, "jq", PLACES) == 0 && nacre_runtime_guests(rt, "js", 1) == 0);
	for (size_t i = 0; i < N; i++)
		sb[i] = sandbox(cfg);
	/* One sandbox: more of them than there are places, all in one pipeline, and one inside another. */
	CHECK(prints(sb[0], "jq -n 1 | jq .+1 | jq .+1 | jq .+1 | jq .+1 | jq .+1; js -p 'child_process.execSync(\"js -p 3 | js -p 4 | jq .\").toString().trim()'", "6\n4\n"));
	/* Several: two hold the places until their input comes to its end, the others wait before they start. */
	req.script = "sleep 0.05 | jq -n 'now'; jq -n 2";
	for (size_t i = 0; i < N; i++)
		CHECK(nacre_run_start(&run[i], sb[i], &req) == 0);
	ended = drive(run, N, 20000);
	CHECK(ended == N);
	for (size_t i = 0; i < N; i++) {
		nacre_result *res = nacre_run_finish(run[i]);

		CHECK(nacre_result_exit_code(res) == 0);
		nacre_result_free(res);
	}
	/* Who waits can be stopped, and one that is killed gives its place back. */
	req.script = "js -e 'process.stdout.write(\"in\"); setTimeout(() => {}, 1e6)'";
	CHECK(nacre_run_start(&run[0], sb[0], &req) == 0 && drive(run, 1, 30) == 0);
	CHECK(nacre_run_start(&run[1], sb[1], &req) == 0 && drive(run, 2, 30) == 0);
	{
		char text[8];

		CHECK(nacre_run_read(run[0], 1, text, sizeof(text), NULL) == 2 && nacre_run_read(run[1], 1, text, sizeof(text), NULL) == 0);
		nacre_run_cancel(run[0]);
		nacre_result_free(nacre_run_finish(run[0]));
		CHECK(drive(run + 1, 1, 100) == 0 && nacre_run_read(run[1], 1, text, sizeof(text), NULL) == 2);
		CHECK(nacre_run_start(&run[2], sb[2], &req) == 0 && drive(run + 2, 1, 30) == 0);
		nacre_run_cancel(run[2]);
		nacre_result_free(nacre_run_finish(run[2]));
		/* Without a bound who waits goes on. */
		CHECK(nacre_run_start(&run[3], sb[3], &req) == 0 && drive(run + 3, 1, 30) == 0 && nacre_runtime_guests(rt, "js", 0) == 0);
		CHECK(drive(run + 3, 1, 100) == 0 && nacre_run_read(run[3], 1, text, sizeof(text), NULL) == 2);
		nacre_run_cancel(run[1]);
		nacre_run_cancel(run[3]);
		nacre_result_free(nacre_run_finish(run[1]));
		nacre_result_free(nacre_run_finish(run[3]));
	}
	CHECK(nacre_runtime_guests(rt, "jq", 0) == 0);
	for (size_t i = 0; i < N; i++)
		nacre_sandbox_free(sb[i]);
	nacre_config_free(cfg);
}

/* ---- Instances that wait ------------------------------------------------------------------------------ */

/* KiB that are this process's alone. */
static long private_memory(void)
{
	char line[200];
	long sum = 0;
	FILE *f = fopen("/proc/self/smaps_rollup", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "Private_Dirty:", 14) == 0 || strncmp(line, "Swap:", 5) == 0)
			sum += strtol(strchr(line, ':') + 1, NULL, 10);
	if (f)
		fclose(f);
	return sum;
}

/* n sandboxes, each inside `program`, which waits for a line and answers with it; KiB each. */
static long park(const char *what, const char *program, size_t n, long most)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox **sb = calloc(n, sizeof(nacre_sandbox *));
	nacre_run **run = calloc(n, sizeof(nacre_run *));
	nacre_request req = NACRE_REQUEST_INIT;
	size_t good = 0, begun = 0;
	int (*fds)[2] = calloc(n, sizeof(*fds));
	long before, each;

	CHECK(sb && run && fds && nacre_config_limit(cfg, NACRE_LIMIT_WALL_NS, 0) == 0);
	req.script = program;
	/* The first one makes what all share. */
	sb[0] = sandbox(cfg);
	req.stdin_data = "warm\n";
	req.stdin_len = 5;
	{
		nacre_result *res = NULL;

		CHECK(nacre_exec(&res, sb[0], &req) == 0);
		nacre_result_free(res);
	}
	nacre_sandbox_free(sb[0]);
	before = private_memory();
	req.stdin_data = NULL;
	for (; begun < n; begun++) {
		if (pipe(fds[begun]) < 0)
			break;
		sb[begun] = sandbox(cfg);
		req.stdin_fd = fds[begun][0];
		if (nacre_run_start(&run[begun], sb[begun], &req) < 0)
			break;
	}
	CHECK(begun == n);
	drive(run, 0, 1);
	for (int quiet = 0; quiet < 3;) {
		enum nacre_step s = nacre_runtime_step(rt);

		quiet = s == NACRE_STEP_MORE ? 0 : quiet + 1;
		if (s == NACRE_STEP_WAIT)
			nacre_runtime_block(rt, 20000000);
	}
	each = (private_memory() - before) / (long)n;
	for (size_t i = begun; i-- > 0;) {
		char line[32];

		snprintf(line, sizeof(line), "%zu\n", i * 7);
		CHECK(write(fds[i][1], line, strlen(line)) > 0);
		close(fds[i][1]);
	}
	CHECK(drive(run, begun, 600000) == begun);
	for (size_t i = 0; i < begun; i++) {
		nacre_result *res = nacre_run_finish(run[i]);
		char want[64];

		snprintf(want, sizeof(want), "ready\n%zu\n", i * 14);
		good += strcmp(nacre_result_stdout(res, NULL), want) == 0;
		nacre_result_free(res);
		nacre_sandbox_free(sb[i]);
		close(fds[i][0]);
	}
	CHECK(good == n);
	printf("%zu %s wait: %ld KiB each\n", n, what, each);
	if (!SANITIZED)
		CHECK(each <= most);
	free(sb);
	free(run);
	free(fds);
	nacre_config_free(cfg);
	return each;
}

/* ---- No room ----------------------------------------------------------------------------------------------- */

/* Bytes of addresses that the process has. */
static unsigned long long addresses(void)
{
	unsigned long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	CHECK(f && fscanf(f, "%llu", &pages) == 1);
	if (f)
		fclose(f);
	return pages * (unsigned long long)sysconf(_SC_PAGESIZE);
}

/* Where the process may not have the addresses of a further cage, the command says so; nothing else is hurt, and later there may be room. */
static void no_room(void)
{
	struct rlimit before, small;
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);
	nacre_result *res;

	CHECK(getrlimit(RLIMIT_AS, &before) == 0);
	small = before;
	small.rlim_cur = (rlim_t)addresses() + ((rlim_t)4 << 30); /* for all else, but a cage is more than 8 GiB */
	CHECK(setrlimit(RLIMIT_AS, &small) == 0);
	res = exec_script(sb, "js -p 1 2>&1; echo $?; echo on");
	CHECK(setrlimit(RLIMIT_AS, &before) == 0);
	CHECK(strcmp(nacre_result_stdout(res, NULL), "js: no room in this process for another engine: its addresses (RLIMIT_AS) or mappings (vm.max_map_count) are used up\n137\non\n") == 0);
	nacre_result_free(res);
	CHECK(gives(sb, "js -p 1", "1\n", 0));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- The host's own handler -------------------------------------------------------------------------------- */

static sigjmp_buf back;
static volatile sig_atomic_t faults;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	faults++;
	siglongjmp(back, 1);
}

static void host_fault(void *page)
{
	if (sigsetjmp(back, 1) == 0)
		*(volatile char *)page = 1;
}

/* Installed before the runtime's first cage, and called for the host's own faults before and after a guest has had one. */
static void own_handler(void)
{
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	nacre_config *cfg;
	nacre_sandbox *sb;

	sigemptyset(&a.sa_mask);
	CHECK(page != MAP_FAILED && sigaction(SIGSEGV, &a, NULL) == 0);
	host_fault(page);
	CHECK(faults == 1);
	CHECK(nacre_runtime_new(&rt) == 0);
	cfg = nacre_config_new();
	sb = sandbox(cfg);
	CHECK(gives(sb, "jq -n 1; js -p 2; python3 -c 'print(3)'", "1\n2\n3\n", 0));
	host_fault(page);
	CHECK(faults == 2);
	CHECK(gives(sb, "jq -n 4", "4\n", 0));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
	munmap(page, 4096);
}

int main(void)
{
	const char *n = getenv("PARKED");
	size_t parked = n ? strtoul(n, NULL, 10) : PARKED;

	own_handler();
	jq_limits();
	places();
	park("JavaScript", "js -e 'console.log(\"ready\"); process.stdin.on(\"data\", (d) => console.log(parseInt(d) * 2))'", parked, 300);
	park("Python", "python3 -c 'print(\"ready\", flush=True); print(int(input()) * 2)'", parked, 900);
	/* In a runtime that has no image yet: they all come while it is made. */
	nacre_runtime_free(rt);
	CHECK(nacre_runtime_new(&rt) == 0);
	park("Python in a second runtime", "python3 -c 'print(\"ready\", flush=True); print(int(input()) * 2)'", parked < 40 ? parked : 40, 900);
	park("Python asleep", "python3 -c 'import time; print(\"ready\", flush=True); time.sleep(0.2); print(int(input()) * 2)'", parked / 10, 900);
	if (!SANITIZED)
		no_room();
	nacre_runtime_free(rt);
	return summary();
}
