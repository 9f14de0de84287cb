/* test_isolation.c - nothing of a run is there for the next one.
 *
 * Runs of all engines, one after the other: each fills memory with a mark of its own, grows, frees some of it, and ends well, or by
 * a signal, an exit in the middle, an error, or by running out of memory. After each the memory of all idle cages is searched for any
 * mark, from outside, and what it had grown must not be accessible any more; JavaScript, which can look at memory that nobody has
 * cleared, searches besides. RUNS=n sets how many. */
#include "harness.h"

#include <stddef.h>

#define PREFIX "MaRk-"	/* in no program as such: they put it together */

#if defined(__SANITIZE_ADDRESS__)
enum { RUNS = 60, SANITIZED = 1 };
#else
enum { RUNS = 400, SANITIZED = 0 };
#endif

/* ---- Looking ------------------------------------------------------------------------------------------ */

struct seen {
	int cages;
	long found, accessible; /* marks; KiB of the cages */
	char first[64];
};

#if defined(__SANITIZE_ADDRESS__)
/* By hand: what is looked at is nobody's object, and the sanitizer would say so of memmem. */
__attribute__((no_sanitize("address"))) static const char *mark_in(const char *from, const char *end)
{
	for (; end - from >= (ptrdiff_t)sizeof(PREFIX) - 1; from++) {
		size_t k = 0;

		while (k < sizeof(PREFIX) - 1 && from[k] == PREFIX[k])
			k++;
		if (k == sizeof(PREFIX) - 1)
			return from;
	}
	return NULL;
}
#else
static const char *mark_in(const char *from, const char *end)
{
	return memmem(from, (size_t)(end - from), PREFIX, sizeof(PREFIX) - 1);
}
#endif

static void look(const char *from, const char *end, struct seen *s)
{
	s->accessible += (end - from) / 1024;
	for (const char *at = from; (at = mark_in(at, end)) != NULL; at += sizeof(PREFIX) - 1) {
		if (!s->found++)
			snprintf(s->first, sizeof(s->first), "at %ld of %ld", (long)(at - from), (long)(end - from));
	}
}

/* A cage is what can be accessed right before gigabytes (not terabytes: those are the sanitizer's) that cannot. */
static struct seen search(void)
{
	struct seen s = {0};
	char line[512];
	struct {
		unsigned long from, to;
	} part[8];
	int parts = 0;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long from, to;
		char mode[8];

		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) != 3)
			continue;
		if (parts && part[parts - 1].to != from)
			parts = 0;
		if (strcmp(mode, "rw-p") == 0 && to - from < 1ul << 30) {
			if (parts == 8) {
				memmove(part, part + 1, sizeof(part) - sizeof(part[0]));
				parts--;
			}
			part[parts].from = from;
			part[parts++].to = to;
			continue;
		}
		if (parts && strcmp(mode, "---p") == 0 && to - from > 3ul << 30 && to - from < 16ul << 30) {
			s.cages++;
			for (int i = 0; i < parts; i++)
				look((const char *)part[i].from, (const char *)part[i].to, &s);
		}
		parts = 0;
	}
	if (f)
		fclose(f);
	return s;
}

/* ---- Filling --------------------------------------------------------------------------------------------- */

static const char *const endings[] = {"", "", "end", "loop", "exhaust", "error"};
enum { ENDINGS = sizeof(endings) / sizeof(*endings) };

static const char *const programs[] = {
	"js -e 'const m = \"Ma\" + \"Rk-'$N'-\", a = []; for (let i = 0; i < 300; i++) a.push(m.repeat(60) + i, Buffer.from(m.repeat(300)), {[m + i]: [m]});\n"
	"globalThis.kept = a.slice(0, 50); Object.prototype.left = m; process.env.LEFT = m;\n"
	"for (let i = 0; i < 20; i++) for (const [, n] of Buffer.allocUnsafe(100000).toString(\"latin1\").matchAll(/MaRk-(\\d+)-/g)) if (n !== \"'$N'\") console.log(\"saw\", n);\n"
	"const how = \"'$END'\"; if (how === \"end\") process.exit(3); if (how === \"loop\") for (;;); if (how === \"exhaust\") for (;;) a.push(m.repeat(10000) + a.length); if (how === \"error\") throw new Error(m); console.log(\"ok\")'",

	"jq -n --arg m 'Ma' --arg n '-'$N'-' --arg how \"$END\" '($m + \"Rk\" + $n) as $m | [range(3000) | $m * 5 + tostring] as $a | ($a | length), ($a | map({(.): [.]}) | add | length) |\n"
	"if $how == \"end\" then halt_error(3) elif $how == \"loop\" then last(repeat(1)) elif $how == \"exhaust\" then [range(1e8) | $m * 100] elif $how == \"error\" then error($m) else empty end'",

	"python3 -c 'import sys, os, builtins\n"
	"n, how = sys.argv[1:]; m = \"Ma\" + \"Rk-\" + n + \"-\"; a = [m * 20 + str(i) for i in range(5000)]; b = [bytearray(m.encode() * 20000) for i in range(8)]; d = {m + str(i): i for i in range(2000)}\n"
	"builtins.left = a; os.environ[\"LEFT\"] = m; sys.modules[\"left\"] = d; del b[2:5]; a[100:200] = []\n"
	"if how == \"end\": os._exit(3)\n"
	"if how == \"loop\":\n while 1: pass\n"
	"if how == \"exhaust\":\n while 1: a.append(m * 10**6)\n"
	"if how == \"error\": raise Exception(m)\n"
	"print(\"ok\")' $N \"$END\"",

	"sqlite3 :memory: \"create table t(a, b); with recursive c(i) as (select 1 union all select i + 1 from c where i < 2000) insert into t select 'Ma' || 'Rk-$N-' || i, replace(hex(zeroblob(200)), '00', 'Ma' || 'Rk-$N-') from c; "
	"create index x on t(a); delete from t where rowid % 3 = 0; select count(*) from t; $SQL\"",
};
enum { PROGRAMS = sizeof(programs) / sizeof(*programs) };

static const char *sql(const char *end)
{
	if (strcmp(end, "loop") == 0)
		return "with recursive c(i) as (select 1 union all select i + 1 from c) select count(*) from c;";
	if (strcmp(end, "exhaust") == 0)
		return "select length(group_concat(a.b || b.b)) from t a, t b;";
	return strcmp(end, "error") == 0 ? "select nothing from nowhere;" : "";
}

static bool run(nacre_sandbox *sb, long i)
{
	const char *program = programs[i % PROGRAMS], *end = endings[i / PROGRAMS % ENDINGS];
	char script[4096];
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res = NULL;
	bool ok;

	snprintf(script, sizeof(script), "export N=%ld END='%s' SQL=\"%s\"\n%s%s", i, end, sql(end), strcmp(end, "loop") == 0 ? "timeout 0.02 " : "", program);
	req.script = script;
	if (nacre_exec(&res, sb, &req) < 0)
		return false;
	ok = !strstr(nacre_result_stdout(res, NULL), "saw") && (*end || nacre_result_exit_code(res) == 0);
	if (!ok)
		printf("run %ld: %d %s%s\n", i, nacre_result_exit_code(res), nacre_result_stdout(res, NULL), nacre_result_stderr(res, NULL));
	nacre_result_free(res);
	return ok;
}

int main(void)
{
	const char *n = getenv("RUNS");
	long runs = n ? strtol(n, NULL, 10) : RUNS, bad = 0, most = 0, least = 0;
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;

	CHECK(nacre_runtime_new(&rt) == 0 && nacre_config_limit(cfg, NACRE_LIMIT_GUEST_MEMORY, 100 << 20) == 0);
	sb = sandbox(cfg);
	for (long i = 0; i < runs; i++) {
		struct seen s;

		/* Also what another sandbox has left. */
		if (i % 50 == 49) {
			nacre_sandbox_free(sb);
			sb = sandbox(cfg);
		}
		bad += !run(sb, i);
		s = search();
		if (s.found) {
			printf("FAIL after run %ld (%s %s): %ld marks in %d cages, %s\n", i, endings[i / PROGRAMS % ENDINGS], i % PROGRAMS == 0 ? "js" : i % PROGRAMS == 1 ? "jq" : i % PROGRAMS == 2 ? "python" : "sqlite3",
			       s.found, s.cages, s.first);
			bad++;
			break;
		}
		most = s.accessible > most ? s.accessible : most;
		if (i == 2 * PROGRAMS)
			least = s.accessible;
	}
	CHECK(bad == 0);
	/* Its own areas look like cages under the sanitizer. */
	CHECK(search().cages >= PROGRAMS && (SANITIZED || search().cages <= 16));
	/* What was grown is gone: later runs leave as much accessible as the first ones, a few cages of each kind. */
	CHECK(least > 0 && most <= least * 3);
	printf("%ld runs, %d cages, %ld KiB of theirs accessible, at most %ld\n", runs, search().cages, search().accessible, most);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
	nacre_runtime_free(rt);
	return summary();
}
