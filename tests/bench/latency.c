/* latency.c - how long small things take, through the public API. One "name value" a line:
 * times in nanoseconds (the best of several rounds), sizes in bytes. */
#include <nacre/nacre.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static long rss(void)
{
	long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &pages, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident * sysconf(_SC_PAGESIZE);
}

static void die(const char *what)
{
	fprintf(stderr, "latency: %s\n", what);
	exit(1);
}

static void exec_ok(nacre_sandbox *sb, const char *script, const char *want)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res;

	req.script = script;
	if (nacre_exec(&res, sb, &req) < 0)
		die(script);
	if (!nacre_result_ok(res) || (want && strcmp(nacre_result_stdout(res, NULL), want) != 0)) {
		fprintf(stderr, "latency: %s\n%s%s", script, nacre_result_stdout(res, NULL), nacre_result_stderr(res, NULL));
		exit(1);
	}
	nacre_result_free(res);
}

/* The best of `rounds`, each of n runs of the script; ns a run. */
static double measure(nacre_sandbox *sb, const char *script, const char *want, int n, int rounds)
{
	double best = 1e18;

	for (int r = 0; r < rounds; r++) {
		double start = now(), took;

		for (int i = 0; i < n; i++)
			exec_ok(sb, script, want);
		took = (now() - start) / n;
		best = took < best ? took : best;
	}
	return best;
}

static void sandboxes(nacre_runtime *rt, nacre_config *cfg)
{
	enum { N = 100000, WARM = 1000 };
	nacre_sandbox **v = malloc(N * sizeof(*v));
	double best = 1e18;
	long before;

	if (!v)
		die("memory");
	for (int round = 0; round < 5; round++) {
		double start = now();

		for (int i = 0; i < WARM; i++)
			if (nacre_sandbox_new(&v[i], rt, cfg) < 0)
				die(nacre_runtime_error(rt));
		best = (now() - start) / WARM < best ? (now() - start) / WARM : best;
		for (int i = 0; i < WARM; i++)
			nacre_sandbox_free(v[i]);
	}
	printf("create %.0f\n", best);
	before = rss();
	for (int i = 0; i < N; i++)
		if (nacre_sandbox_new(&v[i], rt, cfg) < 0)
			die(nacre_runtime_error(rt));
	printf("idle %.0f\n", (double)(rss() - before) / N);
	for (int i = 0; i < N; i++)
		nacre_sandbox_free(v[i]);
	free(v);
}

/* The time to read a script of 1 MiB, of which nothing runs: all of a script is parsed before it starts. */
static void parsing(nacre_sandbox *sb)
{
	static const char text[] =
		"# One of many functions.\n"
		"check_entry() {\n"
		"\tlocal name=$1 kind=\"${2:-file}\" count\n"
		"\tif [ -z \"$name\" ] || [[ $name == *.tmp ]]; then\n"
		"\t\techo \"usage: check_entry NAME [KIND]\" >&2\n"
		"\t\treturn 2\n"
		"\tfi\n"
		"\tcase $kind in\n"
		"\tfile|link) count=$(grep -c \"^$name:\" \"$TABLE\") ;;\n"
		"\t*) count=$((${#name} * 2 + 1)) ;;\n"
		"\tesac\n"
		"\tfor part in ${name//,/ }; do\n"
		"\t\tprintf '%s %d\\n' \"$part\" \"$count\" | sort -k2 >> \"$OUT/$part.list\"\n"
		"\tdone\n"
		"}\n\n";
	enum { SIZE = 1 << 20 };
	char *script = malloc(SIZE + sizeof(text) + 8);
	size_t n;

	if (!script)
		die("memory");
	n = (size_t)sprintf(script, "exit\n");
	for (; n < SIZE; n += sizeof(text) - 1)
		memcpy(script + n, text, sizeof(text));
	printf("parse-1MiB %.0f\n", measure(sb, script, "", 3, 7));
	free(script);
}

int main(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_runtime *rt = NULL;
	nacre_sandbox *sb = NULL;
	char *big = malloc((size_t)64 << 20);

	if (!cfg || !big || nacre_runtime_new(&rt) < 0)
		die("memory");
	sandboxes(rt, cfg);
	if (nacre_sandbox_new(&sb, rt, cfg) < 0)
		die(nacre_runtime_error(rt));
	printf("echo %.0f\n", measure(sb, "echo hello", "hello\n", 20000, 7));
	printf("mkdir-echo-cat %.0f\n", measure(sb, "mkdir -p d; echo x > d/f; cat d/f", "x\n", 5000, 7));
	if (nacre_fs_write(sb, "/workspace/f", "ax\nb\nxc\n", 8, 0644) < 0)
		die(nacre_runtime_error(rt));
	printf("cat-grep-wc %.0f\n", measure(sb, "cat f | grep x | wc -l", "2\n", 5000, 7));
	printf("loop-1000 %.0f\n",
	       measure(sb, "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done; echo $i", "1000\n", 20, 9));
	printf("subst-100 %.0f\n", measure(sb, "i=0; while ((i++ < 100)); do x=$(echo); done", "", 200, 9));
	printf("read-10000 %.0f\n",
	       measure(sb, "[ -f lines ] || seq 10000 > lines; n=0; while read -r l; do n=$((n+1)); done < lines; echo $n", "10000\n", 3, 5));
	printf("fib-20 %.0f\n",
	       measure(sb, "fib() { if (($1 < 2)); then r=$1; else fib $(($1-1)); local a=$r; fib $(($1-2)); r=$((r+a)); fi; }; fib 20; echo $r",
		       "6765\n", 2, 5));
	parsing(sb);
	for (size_t i = 0; i < (size_t)64 << 20; i++)
		big[i] = (char)(i % 64 == 63 ? '\n' : 'a' + i % 26);
	nacre_sandbox_free(sb);
	if (nacre_sandbox_new(&sb, rt, cfg) < 0 || nacre_fs_write(sb, "/workspace/big", big, (size_t)64 << 20, 0644) < 0)
		die(nacre_runtime_error(rt));
	printf("cat-head %.0f\n", measure(sb, "cat big | head -n1", NULL, 500, 7));
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	free(big);
	return 0;
}
