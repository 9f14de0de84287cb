/* test_scripts.c - the recorded cases of commands and of the shell under attack: each is run again
 * and again, killed at one system call after the other, refused one allocation after the other.
 * After every run nothing may be left: no proc, stack, timer, charged byte or block of the shared heap; a shell that takes
 * over what a stopped one left must find it whole.
 *
 *	test_scripts [FILE.test...]	from the project's root; TORTURE_POINTS=N limits the points
 *a case
 *
 * Runs are deterministic, so a point is the same place every time, and procs that wait for a
 * killed one reach their deadline at once. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../src/api/api.h"

static int failures;
static unsigned long nruns, ncases;
static size_t max_points = 60;

static void fail(const char *where, const char *script, const char *what, uint64_t point)
{
	failures++;
	fprintf(stderr, "%s: %s at %llu in\n%s\n", where, what, (unsigned long long)point, script);
}

/* ---- One run ------------------------------------------------------------------------ */

static nacre_runtime *rt;
static nacre_config *config;
static uint64_t heap_lost;	/* so far */

static void run_once(const char *where, const char *script, uint64_t point)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_sandbox *sb;
	nacre_result *res = NULL;
	struct runtime_stats now;

	nruns++;
	if (nacre_sandbox_new(&sb, rt, config) == 0) {
		req.script = script;
		if (nacre_exec(&res, sb, &req) == 0)
			nacre_result_free(res);
		runtime_torture(rt->kernel, &(struct torture){0}, true);
		/* What is left of the session must be whole. */
		req.script = "declare -p; declare -f; alias; trap; set; v=1; f() { local v=2; }; f; unset -f f";
		if (nacre_exec(&res, sb, &req) == 0)
			nacre_result_free(res);
		nacre_sandbox_free(sb);
	}
	runtime_torture(rt->kernel, &(struct torture){0}, true);
	runtime_stats(rt->kernel, &now);
	if (now.procs || now.stacks_used || now.timers || now.runs || now.sandboxes ||
	    now.completions)
		fail(where, script, "something is left", point);
	if (now.leaked)
		fail(where, script, "charged bytes are left", point);
	if (now.heap_lost != heap_lost)
		fail(where, script, "blocks of the shared heap are left", point);
	heap_lost = now.heap_lost;
}

static void new_runtime(void)
{
	if (nacre_runtime_new(&rt) < 0)
		exit(2);
	/* Stacks and pools are there before anything is made to fail. */
	run_once("warm-up", "for i in 1 2 3; do echo $i | cat | cat; done; x=$(echo a)", 0);
}

/* ---- Points ------------------------------------------------------------------------- */

#define TICKS_A_CASE 20000000u /* work spent on one case: long ones are attacked at fewer points   \
	                        */

/* Runs the script undisturbed; what there is to attack. False when it cannot run. */
static bool count_points(const char *where, const char *script, struct torture *t, uint64_t *ticks)
{
	struct runtime_stats was, now;
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_metrics m = {.size = sizeof(m)};
	nacre_sandbox *sb;
	nacre_result *res;

	runtime_stats(rt->kernel, &was);
	*t = (struct torture){.count = true};
	if (nacre_sandbox_new(&sb, rt, config) < 0)
		return false;
	runtime_torture(rt->kernel, t, true);
	req.script = script;
	*ticks = 1;
	if (nacre_exec(&res, sb, &req) == 0) {
		if (nacre_result_metrics(&m, res) == 0)
			*ticks = m.ticks + 1;
		nacre_result_free(res);
	}
	runtime_torture(rt->kernel, t, false);
	nacre_sandbox_free(sb);
	runtime_torture(rt->kernel, &(struct torture){0}, true);
	runtime_stats(rt->kernel, &now);
	if (now.heap_lost != was.heap_lost)
		fail(where, script, "blocks of the shared heap are left after an undisturbed run",
		     now.heap_lost - was.heap_lost);
	return true;
}

/* The distance between points: all of n, or some spread over all. */
static uint64_t stride(uint64_t n, uint64_t ticks)
{
	uint64_t points = MAX(MIN(TICKS_A_CASE / ticks, (uint64_t)max_points), (uint64_t)4);

	return n > points ? n / points : 1;
}

static void attack(const char *where, const char *script)
{
	struct torture t;
	uint64_t ticks;
	int before = failures;

	if (!count_points(where, script, &t, &ticks))
		return;
	for (uint64_t i = 1; i <= t.calls && failures == before; i += stride(t.calls, ticks)) {
		if (nruns % 2)
			runtime_torture(rt->kernel, &(struct torture){.kill_at = i}, true);
		else
			runtime_torture(rt->kernel, &(struct torture){.stop_at = i}, true);
		run_once(where, script, i);
	}
	for (uint64_t i = 1; i <= t.allocs && failures == before; i += stride(t.allocs, ticks)) {
		runtime_torture(
		        rt->kernel,
		        &(struct torture){.fail_alloc_at = i, .fail_alloc_every = i % 3 == 0},
		        true);
		run_once(where, script, i);
	}
	if (failures > 20)
		exit(1);
}

/* ---- Cases -------------------------------------------------------------------------- */

static bool is_mark(const char *line)
{
	return (line[0] == '>' || line[0] == '!' || line[0] == '=' || line[0] == ':') &&
	       (line[1] == ' ' || line[1] == '\n');
}

static void attack_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL, *script = NULL;
	size_t cap = 0, len = 0;
	bool in_script = false;
	char where[300] = "";
	int number = 0;

	if (!f) {
		perror(path);
		exit(2);
	}
	for (;;) {
		bool more = getline(&line, &cap, f) >= 0;

		number++;
		if (!more || line[0] == '@') {
			if (script && len) {
				ncases++;
				attack(where, script);
			}
			free(script);
			script = NULL;
			len = 0;
			in_script = true;
			snprintf(where, sizeof(where), "%s:%d", path, number);
			if (!more)
				break;
			continue;
		}
		if (is_mark(line)) {
			in_script = in_script && line[0] == ':';
			continue;
		}
		if (!in_script || (!script && (line[0] == '#' || line[0] == '\n')))
			continue;
		script = realloc(script, len + strlen(line) + 1);
		strcpy(script + len, line);
		len += strlen(line);
	}
	free(line);
	fclose(f);
}

int main(int argc, char **argv)
{
	const char *points = getenv("TORTURE_POINTS");
	glob_t g = {0};

	if (points)
		max_points = strtoul(points, NULL, 10);
	config = nacre_config_new();
	nacre_config_deterministic(config, 1, 1700000000000000000);
	nacre_config_limit(config, NACRE_LIMIT_MEMORY, 64 << 20);
	nacre_config_limit(config, NACRE_LIMIT_WALL_NS, 2000000000);
	new_runtime();
	if (argc < 2) {
		glob("tests/cmd/*.test", 0, NULL, &g);
		glob("tests/shell/*.test", GLOB_APPEND, NULL, &g);
	}
	for (int i = 1; i < argc; i++)
		attack_file(argv[i]);
	for (size_t i = 0; i < g.gl_pathc; i++)
		attack_file(g.gl_pathv[i]);
	if (g.gl_pathc)
		globfree(&g);
	if (!ncases) {
		fprintf(stderr, "no cases: to be run from the project's root\n");
		failures++;
	}
	{
		struct runtime_stats s;

		runtime_stats(rt->kernel, &s);
		printf("%lu cases, %lu runs; %llu heap blocks were left to the end of their "
		       "sandbox\n",
		       ncases, nruns, (unsigned long long)s.heap_lost);
	}
	nacre_runtime_free(rt);
	nacre_config_free(config);
	return failures ? 1 : 0;
}
