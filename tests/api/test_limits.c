/* test_limits.c - every limit of a run: what it stops, how that is told, what is kept of output (LIM-01, LIM-02, LIM-04). */
#include "harness.h"

static nacre_result *limited(enum nacre_limit which, uint64_t value, const char *script)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;
	nacre_result *res;

	if (nacre_config_limit(cfg, which, value) < 0) {
		printf("%s\n", nacre_config_error(cfg));
		exit(1);
	}
	sb = sandbox(cfg);
	nacre_config_free(cfg);
	res = exec_script(sb, script);
	nacre_sandbox_free(sb);
	return res;
}

/* The run ends, with this reason and message; what was said before is kept. */
static bool stops(enum nacre_limit which, uint64_t value, const char *script, const char *reason, const char *message)
{
	nacre_result *res = limited(which, value, script);
	bool ok = nacre_result_outcome(res) == NACRE_LIMITED && nacre_result_exit_code(res) == 137 &&
		  strcmp(nacre_result_reason(res), reason) == 0 && strcmp(nacre_result_message(res), message) == 0 &&
		  strcmp(nacre_result_error(res), "") == 0 && strncmp(nacre_result_stdout(res, NULL), "begin\n", 6) == 0 &&
		  !strstr(nacre_result_stdout(res, NULL), "end");

	if (!ok)
		printf("%s\n  gave %d %s, %s: %s, %.100s\n", script, nacre_result_exit_code(res),
		       nacre_outcome_name(nacre_result_outcome(res)), nacre_result_reason(res), nacre_result_message(res),
		       nacre_result_stdout(res, NULL));
	nacre_result_free(res);
	return ok;
}

static bool passes(enum nacre_limit which, uint64_t value, const char *script, const char *out)
{
	nacre_result *res = limited(which, value, script);
	bool ok = nacre_result_outcome(res) == NACRE_COMPLETED && strcmp(nacre_result_stdout(res, NULL), out) == 0 &&
		  strcmp(nacre_result_reason(res), "") == 0;

	if (!ok)
		printf("%s\n  gave %s, %s %s\n", script, nacre_result_reason(res), nacre_result_stdout(res, NULL), nacre_result_stderr(res, NULL));
	nacre_result_free(res);
	return ok;
}

static void test_budgets(void)
{
	CHECK(stops(NACRE_LIMIT_TICKS, 1000000, "echo begin; while :; do :; done; echo end", "cpu", "more than 1000000 ticks of work were asked for"));
	CHECK(stops(NACRE_LIMIT_TICKS, 1000000, "echo begin; sed ':a;ba' <<< x; echo end", "cpu", "more than 1000000 ticks of work were asked for"));
	CHECK(stops(NACRE_LIMIT_PIPE, 100000, "echo begin; yes | head -c 9000000 | wc -c; echo end", "pipe", "more than 100000 bytes through pipes were asked for"));
	CHECK(passes(NACRE_LIMIT_PIPE, 100000, "echo begin; yes | head -n 9000 | wc -c", "begin\n18000\n"));
	CHECK(stops(NACRE_LIMIT_EXPANSION, 1000, "echo begin; x=aaaaaaaaaa; while :; do x=$x$x; done; echo end", "expansion",
		    "more than 1000 bytes in one expansion were asked for"));
	CHECK(stops(NACRE_LIMIT_EXPANSION, 1000, "echo begin; x=$(seq 1000); echo end", "expansion", "more than 1000 bytes in one expansion were asked for"));
	CHECK(stops(NACRE_LIMIT_EXPANSION, 1000, "echo begin; seq 1000 > f; x=$(< f); echo end", "expansion", "more than 1000 bytes in one expansion were asked for"));
	CHECK(stops(NACRE_LIMIT_EXPANSION, 1000, "echo begin; seq 1000 > f; read -d '' x < f; y=$x$x; echo end", "expansion",
		    "more than 1000 bytes in one expansion were asked for"));
	CHECK(passes(NACRE_LIMIT_EXPANSION, 1000, "x=$(seq 200); echo ${#x}; seq 1000 | wc -l", "691\n1000\n"));
	CHECK(stops(NACRE_LIMIT_LOOPS, 50, "echo begin; while :; do :; done; echo end", "loops", "more than 50 turns of loops were asked for"));
	CHECK(stops(NACRE_LIMIT_LOOPS, 50, "echo begin; for i in {1..51}; do :; done; echo end", "loops", "more than 50 turns of loops were asked for"));
	CHECK(stops(NACRE_LIMIT_LOOPS, 50, "echo begin; for ((i = 0;; i++)); do :; done; echo end", "loops", "more than 50 turns of loops were asked for"));
	CHECK(stops(NACRE_LIMIT_LOOPS, 50, "echo begin; (until false; do :; done) | cat; echo end", "loops", "more than 50 turns of loops were asked for"));
	CHECK(passes(NACRE_LIMIT_LOOPS, 50, "for i in {1..25}; do :; done; for i in {1..25}; do :; done; echo $i", "25\n"));
	/* SH-12: empty stages count as well. */
	CHECK(stops(NACRE_LIMIT_COMMANDS, 9, "echo begin; x=1; x=2 | x=3; > f; f() { f; }; f; echo end", "commands", "more than 9 commands were asked for"));
	CHECK(passes(NACRE_LIMIT_COMMANDS, 5, "echo a; x=1; > f; y=2; echo b", "a\nb\n"));
	CHECK(stops(NACRE_LIMIT_SOURCE, 100, "echo begin; x='                                        '; eval \"$x $x $x :\"; echo end", "source",
		    "more than 100 bytes of source text were asked for"));
	CHECK(stops(NACRE_LIMIT_OUTPUT_TOTAL, 1000, "echo begin; yes; echo end", "output", "more than 1000 bytes of output were asked for"));
	CHECK(stops(NACRE_LIMIT_MEMORY, 20 << 20, "echo begin; x=$(yes | head -c 60000000); echo end", "memory",
		    "more than 20971520 bytes of memory were asked for"));
}

/* LIM-04: whatever moves bytes works, also where each proc of a pipeline waits before its turn is over. */
static void test_work(void)
{
	static const char *const endless[] = {
		"yes | md5sum", "yes | b2sum", "yes | cksum", "yes | wc", "yes | wc -m", "yes | grep -c x", "yes | grep -E '(y|z)+'", "yes | sed s/y/x/",
		"cat /dev/zero | tr a b", "yes | tr -s y", "yes | awk '{ n++ }'", "yes | gzip", "yes | base64", "yes | base64 | base64 -d", "od /dev/zero",
		"xxd /dev/zero", "yes | nl", "yes | rev", "yes | cut -c1", "yes | cut -f1", "yes | uniq -c", "yes | paste - -", "yes | fold -w 1", "yes | expand",
		"seq 1000000000000", "seq -f %.3f 1000000000000", "shuf -r -i 1-10", "yes | tail -c 5", "yes | tail -n +2", "yes | head -c 100G", "yes | cat -A",
		"yes | xargs -n1 true", "yes 1 | numfmt --to=si", "cat /dev/zero | cat | cat", "while read -r l; do :; done < <(yes)", "dd if=/dev/zero bs=64K",
		"yes | comm - /dev/null", "head -c 1E /dev/zero", "sort -m <(yes) <(yes)", "while echo x; do :; done", "yes | rg -c x",
	};
	char script[200];

	for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
		nacre_result *res;

		snprintf(script, sizeof(script), "{ %s; } | tail -n 1", endless[i]);
		res = limited(NACRE_LIMIT_TICKS, 2000000, script);
		CHECK(nacre_result_outcome(res) == NACRE_LIMITED && strcmp(nacre_result_reason(res), "cpu") == 0);
		if (nacre_result_outcome(res) != NACRE_LIMITED)
			printf("%s: %s%s\n", endless[i], nacre_outcome_name(nacre_result_outcome(res)), nacre_result_stderr(res, NULL));
		nacre_result_free(res);
	}
}

/* Those that make one command fail, not the run. */
static void test_ceilings(void)
{
	nacre_result *res = limited(NACRE_LIMIT_SOURCE, 10, "echo 1234567890");

	CHECK(nacre_result_outcome(res) == NACRE_LIMITED && strcmp(nacre_result_reason(res), "source") == 0);
	CHECK(strcmp(nacre_result_stdout(res, NULL), "") == 0);
	nacre_result_free(res);
	CHECK(passes(NACRE_LIMIT_FILE_SIZE, 1000, "seq 1000 > f 2>/dev/null; wc -c < f; truncate -s 2000 f 2>&-; echo $?", "1000\n1\n"));
	CHECK(passes(NACRE_LIMIT_NESTING, 20, "f() { n=$1; f $(($1 + 1)); }; f 1 2>&-\necho $n", "20\n"));
	CHECK(passes(NACRE_LIMIT_FILES, 10, "for i in {1..20}; do exec {fd}< /dev/null || break; done 2>&-; echo $((i < 20))", "1\n"));
	CHECK(passes(NACRE_LIMIT_PROCS, 5, "{ sleep 9 | sleep 9 | sleep 9 | sleep 9 | sleep 9; } 2> f; grep -c unavailable f", "1\n"));
	res = limited(NACRE_LIMIT_WALL_NS, 50000000, "echo begin; sleep 9");
	CHECK(nacre_result_outcome(res) == NACRE_TIMED_OUT && strcmp(nacre_result_reason(res), "time") == 0);
	nacre_result_free(res);
}

/* The same budget ends the same run at the same place. */
static void test_repeatable(void)
{
	char first[64] = "";

	for (int i = 0; i < 3; i++) {
		nacre_config *cfg = nacre_config_new();
		nacre_sandbox *sb;
		nacre_result *res;

		CHECK(nacre_config_deterministic(cfg, 1, 0) == 0 && nacre_config_limit(cfg, NACRE_LIMIT_TICKS, 500000) == 0);
		sb = sandbox(cfg);
		res = exec_script(sb, "for ((i = 0;; i++)); do echo $i; done");
		CHECK(strcmp(nacre_result_reason(res), "cpu") == 0);
		if (!i)
			snprintf(first, sizeof(first), "%zu", strlen(nacre_result_stdout(res, NULL)));
		else
			CHECK((size_t)atoi(first) == strlen(nacre_result_stdout(res, NULL)));
		nacre_result_free(res);
		nacre_sandbox_free(sb);
		nacre_config_free(cfg);
	}
	CHECK(atoi(first) > 1000);
}

/* ---- Output ---------------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *n)
{
	static char buf[1 << 16];
	FILE *f = fopen(path, "r");

	*n = f ? fread(buf, 1, sizeof(buf) - 1, f) : 0;
	buf[*n] = '\0';
	if (f)
		fclose(f);
	return buf;
}

static void test_output(void)
{
	static const char *const want[] = {"0123456789", "BCDEFGHIJ\n", "01234GHIJ\n"};
	nacre_config *cfg = nacre_config_new();

	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_OUTPUT, 10) == 0);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_OUTPUT, 0) == -EINVAL);
	for (int keep = NACRE_KEEP_HEAD; keep <= NACRE_KEEP_BOTH; keep++)
		for (int spill = 0; spill < 2; spill++) {
			nacre_sandbox *sb;
			nacre_result *res;

			CHECK(nacre_config_keep(cfg, (enum nacre_keep)keep) == 0);
			CHECK(nacre_config_spill(cfg, spill ? "/tmp" : NULL, 15) == 0);
			sb = sandbox(cfg);
			res = exec_script(sb, "echo 0123456789ABCDEFGHIJ; echo 123456789 >&2");
			CHECK(strcmp(nacre_result_stdout(res, NULL), want[keep]) == 0 && nacre_result_dropped(res, 1) == 11);
			CHECK(strcmp(nacre_result_stderr(res, NULL), "123456789\n") == 0 && nacre_result_dropped(res, 2) == 0);
			CHECK(nacre_result_truncated(res) && nacre_result_ok(res));
			CHECK(!nacre_result_spill(res, 1) == !spill && !nacre_result_spill(res, 2));
			if (spill && nacre_result_spill(res, 1)) {
				static const char *const all[] = {"0123456789ABCDE", "6789ABCDEFGHIJ\n", "0123456DEFGHIJ\n"};
				size_t n;
				const char *text = read_file(nacre_result_spill(res, 1), &n);

				CHECK(n == 15 && (keep == NACRE_KEEP_BOTH || strcmp(text, all[keep]) == 0));
				CHECK(remove(nacre_result_spill(res, 1)) == 0);
			}
			nacre_result_free(res);
			nacre_sandbox_free(sb);
		}
	CHECK(nacre_config_spill(cfg, "", 1) == -EINVAL && nacre_config_spill(cfg, "/tmp", 0) == -EINVAL);
	nacre_config_free(cfg);
}

static bool renders(const nacre_result *res, const char *want)
{
	char *text;
	size_t n;
	bool ok = nacre_result_render(&text, &n, res) == 0 && n == strlen(text) && strcmp(text, want) == 0;

	if (!ok)
		printf("%s", text);
	nacre_free(text);
	return ok;
}

/* OUT-15: stdout, stderr, what was cut, what stopped it, what was refused, the exit code last. */
static void test_render(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;
	nacre_result *res;

	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_OUTPUT, 20) == 0 && nacre_config_limit(cfg, NACRE_LIMIT_LOOPS, 9) == 0);
	CHECK(nacre_config_deny(cfg, "secret", NACRE_ACCESS_READ) == 0);
	sb = sandbox(cfg);
	res = exec_script(sb, "printf a; echo b >&2; exit 3");
	CHECK(renders(res, "a\n[stderr]\nb\n[exit code 3]\n"));
	nacre_result_free(res);
	res = exec_script(sb, ":");
	CHECK(renders(res, "(no output)\n[exit code 0]\n"));
	nacre_result_free(res);
	res = exec_script(sb, "(: < secret) 2>&-; echo 123456789012345678901234; while :; do :; done");
	CHECK(renders(res, "12345678901234567890\n[stdout truncated: 5 bytes dropped]\n[limit exceeded: more than 9 turns of loops were asked for]\n"
			   "[refused by policy (deny_read[0]): open /workspace/secret]\n[exit code 137]\n"));
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

int main(void)
{
	if (nacre_runtime_new(&rt) < 0)
		return 1;
	test_budgets();
	test_work();
	test_ceilings();
	test_repeatable();
	test_output();
	test_render();
	nacre_runtime_free(rt);
	return summary();
}
