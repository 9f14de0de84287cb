/* test_handle.c - a run while it goes on (API-08), what a result says of it (OUT-13, OUT-14), the texts for a model
 * (API-10), ceilings on open files and on depth (FS-11), and that what is too large opens nothing, in a whole
 * pipeline as far as it can be known beforehand (LIM-03). */
#include "harness.h"

#include <time.h>

static void step_until(nacre_run *run, bool (*enough)(nacre_run *run, void *arg), void *arg)
{
	while (!nacre_run_done(run) && !enough(run, arg))
		if (nacre_runtime_step(rt) == NACRE_STEP_WAIT && !nacre_run_done(run) && !enough(run, arg))
			nacre_runtime_block(rt, 10000000);
}

struct reading {
	char text[20000];
	size_t n;
	uint64_t lost;
	const char *until;
};

static bool read_more(nacre_run *run, void *arg)
{
	struct reading *r = arg;
	int64_t got;

	/* Few bytes at a time: pieces come as they are asked for. */
	while (r->n + 8 < sizeof(r->text) && (got = nacre_run_read(run, 1, r->text + r->n, 7, &r->lost)) > 0)
		r->n += (size_t)got;
	r->text[r->n] = '\0';
	return r->until && strstr(r->text, r->until);
}

static nacre_status status_of(nacre_run *run)
{
	nacre_status st = {.size = sizeof(st)};

	CHECK(nacre_run_status(&st, run) == 0);
	return st;
}

static void test_status(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;
	nacre_request req = NACRE_REQUEST_INIT;
	struct reading r = {.until = "second\n"};
	nacre_status st = {.size = 3};
	nacre_run *run;
	char c;

	CHECK(nacre_config_deny(cfg, "/etc/passwd", NACRE_ACCESS_READ) == 0);
	sb = sandbox(cfg);
	req.script = "echo first; cat /etc/passwd; echo second; sleep 0.05; echo third; exit 4";
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	CHECK(nacre_run_status(&st, run) == -EINVAL);
	CHECK(status_of(run).state == NACRE_RUN_RUNNING && status_of(run).exit_code == -1 && nacre_run_read(run, 1, &c, 1, NULL) == 0);
	step_until(run, read_more, &r);
	CHECK(strcmp(r.text, "first\nsecond\n") == 0 && status_of(run).state == NACRE_RUN_RUNNING && status_of(run).denials == 1);
	r.until = NULL;
	step_until(run, read_more, &r);
	read_more(run, &r);
	st = status_of(run);
	CHECK(strcmp(r.text, "first\nsecond\nthird\n") == 0 && r.lost == 0);
	CHECK(st.state == NACRE_RUN_COMPLETED && st.exit_code == 4 && st.signal == 0 && st.ticks > 0);
	CHECK(nacre_run_read(run, 0, &c, 1, NULL) == -EINVAL && nacre_run_read(run, 2, &c, 1, NULL) == 1);
	nacre_result *res = nacre_run_finish(run);
	CHECK(strcmp(nacre_result_stdout(res, NULL), "first\nsecond\nthird\n") == 0 && nacre_result_signal(res) == 0);
	CHECK(nacre_result_timeout_ns(res) == (int64_t)30 * 1000000000);
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

static void test_kill(void)
{
	static const struct {
		const char *script;
		int64_t timeout;
		bool cancel;
		enum nacre_run_state state;
		int status, signal;
	} cases[] = {
		{"echo x; sleep 100", 0, true, NACRE_RUN_KILLED, 130, 2},
		{"echo x; sleep 100", 20000000, false, NACRE_RUN_KILLED, 124, 9},
		{"echo x; while :; do :; done", 20000000, false, NACRE_RUN_KILLED, 124, 9},
		{"echo x; kill -9 $$; sleep 1", 0, false, NACRE_RUN_COMPLETED, 137, 9},
		{"echo x; y=x; while :; do y=$y$y; done", 0, false, NACRE_RUN_KILLED, 137, 0},
	};
	nacre_config *cfg = nacre_config_new();

	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_MEMORY, 8 << 20) == 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		nacre_sandbox *sb = sandbox(cfg);
		nacre_request req = NACRE_REQUEST_INIT;
		struct reading r = {.until = "x\n"};
		nacre_run *run;
		nacre_status st;

		req.script = cases[i].script;
		req.timeout_ns = cases[i].timeout;
		CHECK(nacre_run_start(&run, sb, &req) == 0);
		step_until(run, read_more, &r);
		if (cases[i].cancel)
			nacre_run_cancel(run);
		r.until = NULL;
		step_until(run, read_more, &r);
		st = status_of(run);
		CHECK(st.state == cases[i].state && st.exit_code == cases[i].status && st.signal == cases[i].signal);
		if (st.state != cases[i].state || st.exit_code != cases[i].status || st.signal != cases[i].signal)
			printf("  %s: %d %d %d\n", cases[i].script, (int)st.state, st.exit_code, st.signal);
		nacre_result_free(nacre_run_finish(run));
		nacre_sandbox_free(sb);
	}
	nacre_config_free(cfg);
}

/* What a small capture keeps, read while it comes and in the end. */
static void test_lossy(void)
{
	static const enum nacre_keep keeps[] = {NACRE_KEEP_HEAD, NACRE_KEEP_TAIL, NACRE_KEEP_BOTH};

	for (size_t i = 0; i < 3; i++)
		for (int often = 0; often < 2; often++) {
			nacre_config *cfg = nacre_config_new();
			nacre_request req = NACRE_REQUEST_INIT;
			struct reading *r = calloc(1, sizeof(*r));
			nacre_sandbox *sb;
			nacre_result *res;
			nacre_run *run;
			size_t len;

			CHECK(nacre_config_keep(cfg, keeps[i]) == 0 && nacre_config_limit(cfg, NACRE_LIMIT_OUTPUT, 1000) == 0);
			sb = sandbox(cfg);
			req.script = "for i in {1..40}; do seq 100; sleep 0.001; done";
			CHECK(nacre_run_start(&run, sb, &req) == 0);
			while (!nacre_run_done(run)) {
				if (nacre_runtime_step(rt) == NACRE_STEP_WAIT && !nacre_run_done(run))
					nacre_runtime_block(rt, -1);
				if (often)
					read_more(run, r);
			}
			read_more(run, r);
			CHECK(r->n + r->lost == 40 * 292);
			res = nacre_run_finish(run);
			CHECK(nacre_result_dropped(res, 1) == 40 * 292 - 1000);
			nacre_result_stdout(res, &len);
			if (!often)
				CHECK(r->n == 1000 && memcmp(r->text, nacre_result_stdout(res, NULL), len) == 0);
			else
				CHECK(keeps[i] == NACRE_KEEP_HEAD ? r->n == 1000 : r->n > 1000);
			nacre_result_free(res);
			nacre_sandbox_free(sb);
			nacre_config_free(cfg);
			free(r);
		}
}

static ptrdiff_t swallow(void *payload, int fd, const void *data, size_t len)
{
	(void)payload;
	(void)fd;
	(void)data;
	return (ptrdiff_t)len;
}

static void test_not_captured(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);

	for (int also = 0; also < 2; also++) {
		nacre_request req = NACRE_REQUEST_INIT;
		nacre_run *run;
		char c[4];

		req.script = "echo hi";
		req.on_output = swallow;
		req.also_capture = also;
		CHECK(nacre_run_start(&run, sb, &req) == 0);
		while (!nacre_run_done(run))
			nacre_runtime_step(rt);
		CHECK(nacre_run_read(run, 1, c, 4, NULL) == (also ? 3 : -EINVAL));
		CHECK(also || strstr(nacre_runtime_error(rt), "not captured"));
		nacre_result_free(nacre_run_finish(run));
	}
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* Where a run starts is checked before anything runs. */
static void test_cwd(void)
{
	static const char *const bad[] = {"", "tmp", "./tmp", "/tmp/", "/tmp/../etc", "//tmp", "/tmp//x", "/./tmp"};
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res;

	req.script = "pwd; ls -d .";
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		req.cwd = bad[i];
		CHECK(nacre_exec(&res, sb, &req) == -EINVAL && res == NULL && strstr(nacre_runtime_error(rt), "absolute"));
	}
	req.cwd = "/";
	CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "/\n.\n") == 0);
	nacre_result_free(res);
	req.cwd = "/usr/bin";
	CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "/usr/bin\n.\n") == 0);
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Metrics ---- */

static void test_pipes(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_usage u = {.size = sizeof(u)}, before = u;
	nacre_sandbox *sb;

	CHECK(nacre_config_records(cfg, 4) == 0);
	CHECK(nacre_config_mount(cfg, NULL, "/m", NACRE_MOUNT_MEMORY) == 0);
	sb = sandbox(cfg);
	nacre_result *res = exec_script(sb, "seq 100 | sed 's/$/xx/' | head -n 10 | wc -c > f; seq 1000 | tail -n 1; x=$(echo four)");
	CHECK(nacre_result_pipes(res) == 4 && nacre_result_pipes_dropped(res) == 1);
	CHECK(nacre_result_pipe(res, 0) == 292 && nacre_result_pipe(res, 1) == 492 && nacre_result_pipe(res, 2) == 41);
	CHECK(nacre_result_pipe(res, 3) == 3893 && nacre_result_pipe(res, 4) == 0);
	nacre_result_free(res);
	CHECK(nacre_sandbox_usage(&before, sb) == 0);
	CHECK(gives(sb, "head -c 5000 /dev/zero > /m/a; head -c 700 /dev/zero > b", "", 0));
	CHECK(nacre_sandbox_usage(&u, sb) == 0);
	CHECK(u.fs_bytes - before.fs_bytes >= 5700 && u.fs_bytes - before.fs_bytes < 16384 && u.fs_files == before.fs_files + 2);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

static void test_guest_memory(void)
{
	nacre_metrics m = {.size = sizeof(m)};
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);
	nacre_result *res = exec_script(sb, "echo '[1,2]' | jq -c 'map(. + 1)'");

	if (nacre_result_ok(res)) /* else it was not built */
		CHECK(nacre_result_metrics(&m, res) == 0 && m.guest_memory_peak >= 65536 && m.guest_memory_peak <= m.memory_peak);
	nacre_result_free(res);
	res = exec_script(sb, "echo '[1,2]' | cat");
	CHECK(nacre_result_metrics(&m, res) == 0 && m.guest_memory_peak == 0);
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Texts for a model ---- */

static void nothing(nacre_invocation *inv, void *payload)
{
	(void)payload;
	nacre_invocation_complete(inv, 0);
}

static char *prompt(nacre_config *cfg, const char *chunk)
{
	char *text = NULL;
	size_t n = 0;

	CHECK(nacre_config_prompt(&text, &n, cfg, chunk) == 0 && text && strlen(text) == n);
	return text;
}

/* The words of the list of commands are the registry's, and no others. */
static bool lists_the_registry(nacre_config *cfg)
{
	char *text = prompt(cfg, "commands"), *at = strchr(text, '\n'), *end = strstr(text, "\nask: "), *save, *word;
	const char *name;
	size_t i = 0;
	bool same = at != NULL;

	if (end)
		*end = '\0';
	for (word = at ? strtok_r(at, " \n", &save) : NULL; word && same; word = strtok_r(NULL, " \n", &save)) {
		name = nacre_config_command_name(cfg, i++, NULL);
		same = name && strcmp(name, word) == 0;
	}
	same = same && !nacre_config_command_name(cfg, i, NULL);
	nacre_free(text);
	return same && i > 0;
}

static void test_prompt(void)
{
	static const char *const few[] = {"cat", "ls", "ask", NULL};
	nacre_config *cfg = nacre_config_new();
	nacre_command c = NACRE_COMMAND_INIT;
	char *text;
	size_t n = 0;

	CHECK(lists_the_registry(cfg));
	text = prompt(cfg, "session");
	CHECK(strstr(text, "everything stays"));
	nacre_free(text);
	c.name = "ask";
	c.summary = "asks somebody";
	c.run = nothing;
	CHECK(nacre_config_command(cfg, &c) == 0 && nacre_config_without_command(cfg, "jq") == 0 && nacre_config_without_command(cfg, "seq") == 0);
	CHECK(lists_the_registry(cfg));
	text = prompt(cfg, "jq");
	CHECK(!*text);
	nacre_free(text);
	CHECK(nacre_config_allow_commands(cfg, few) == 0 && nacre_config_profile(cfg, "strict-subset") == 0);
	CHECK(nacre_config_mount(cfg, "/srv", "/data", NACRE_MOUNT_READ_ONLY) == 0 && nacre_config_deny(cfg, "**/.env", NACRE_ACCESS_READ) == 0);
	CHECK(nacre_config_persist(cfg, false) == 0 && nacre_config_limit(cfg, NACRE_LIMIT_WALL_NS, (uint64_t)2500000000) == 0);
	CHECK(lists_the_registry(cfg));
	text = prompt(cfg, NULL);
	CHECK(strstr(text, "ask: asks somebody\n") && strstr(text, "/data: can be read\n") && strstr(text, "Refused: reading **/.env\n"));
	CHECK(strstr(text, "Each script starts anew") && strstr(text, "2.5 s") && strstr(text, "command-substitution") && strstr(text, "no network"));
	CHECK(!strstr(text, "python3 is") && !strstr(text, "jq is"));
	nacre_free(text);
	/* All is each in turn. */
	text = prompt(cfg, NULL);
	for (size_t i = 0; nacre_prompt_chunk(i); i++) {
		char *part = prompt(cfg, nacre_prompt_chunk(i));

		CHECK(strncmp(text + n, part, strlen(part)) == 0);
		n += strlen(part);
		nacre_free(part);
	}
	CHECK(text[n] == '\0');
	nacre_free(text);
	CHECK(nacre_config_prompt(&text, NULL, cfg, "globals") == -EINVAL && text == NULL && strstr(nacre_config_error(cfg), "'globals'"));
	nacre_config_free(cfg);
}

/* ---- Ceilings ---- */

static void test_open_files(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);

	/* 1,024 of a proc, which has three from the start; four times as many of a sandbox. */
	CHECK(gives(sb, "n=0; while exec {fd}</etc/passwd; do n=$((n+1)); done 2>/dev/null; echo $((n > 1000 && n <= 1021))", "1\n", 0));
	nacre_sandbox_free(sb);
	sb = sandbox(cfg);
	nacre_result *res = exec_script(sb, "open() { while exec {fd}</etc/passwd; do n=$((n+1)); done 2>/dev/null; echo $n >> /tmp/n; sleep 5; }\n"
					    "for i in 1 2 3 4 5 6; do n=0; open & done; until [ $(wc -l < /tmp/n) = 6 ]; do sleep 0.01; done; kill %1 %2 %3 %4 %5 %6; "
					    "t=0; while read -r n; do t=$((t+n)); done < /tmp/n; echo $((t > 3000 && t <= 4096))");
	CHECK(strcmp(nacre_result_stdout(res, NULL), "1\n") == 0 || (printf("%s", nacre_result_stdout(res, NULL)), 0));
	nacre_result_free(res);
	/* The sandbox goes on. */
	CHECK(gives(sb, "cat /etc/hostname | wc -l", "1\n", 0));
	nacre_sandbox_free(sb);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_FILES, 20) == 0);
	sb = sandbox(cfg);
	CHECK(gives(sb, "n=0; while exec {fd}</etc/passwd; do n=$((n+1)); done 2>/dev/null; exec {fd}>&-; echo $((n < 20)); cat /etc/hostname | wc -l", "1\n1\n", 0));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* Depth is bounded by the length of a path, as in Linux, not by a number of levels: 2,000 are fine, what is longer is refused. */
static void test_depth(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);

	CHECK(gives(sb, "p=$(printf 'd/%.0s' {1..2000}); mkdir -p $p && echo deep > ${p}f && cat ${p}f && find . -name f | wc -c && rm -r d", "deep\n4004\n", 0));
	CHECK(gives(sb, "p=$(printf 'd/%.0s' {1..2048}); echo x > ${p}f; ls $p 2>&1 | grep -c 'File name too long'; mkdir $(printf '%0256d' 1) 2>&1 | grep -c 'too long'",
		    "1\n1\n", 0));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* A word that is too large ends the run before the command's redirections open anything. */
static void test_admission(void)
{
	static const char *const scripts[] = {
		"echo $x$x > out",	    "echo a > keep; echo \"$(seq 100000)\" > out", "cat <<< $x$x > out",
		"{ echo $x$x; } > made; : > out", "echo $x$x > out | cat",			   "cat < /etc/hostname | echo ${x//y/yyy} > out",
		/* Of a whole pipeline, whichever stage it is in, and wherever in the stage: */
		"echo a > out | echo \"$x$x\"", "echo \"$x${x}\" | cat > out", "cat < /etc/hostname > out | { cat; } <<< \"$x$x\"",
		"echo a > out | b=$x\"$x$x\" cat", "echo a >> out | tee out | cat > \"$x$x\"", "shopt -s lastpipe; echo a > out | : \"$x$x\"",
		"! : > out | cat \"a$x b$x\"", "(: > out) | cat <<E\n$x$x\nE\n", "> out | declare y=\"$x$x\"", "f() { : > out; }; f | : $x\"$x$x\"",
		"> out$x$x",		    "for i in $x$x; do echo $i > out; done",	   "a=$x$x > out",
	};
	static const char *const fits[] = {
		"echo ok | cat - <(: \"$x\" \"$x\")", "echo \"$x\" \"$x\" \"$x\" | wc -c > out; echo ok", "x=\"$x \"; : $x$x$x | echo ok",
		"echo ok | x= cat", "echo \"${x#0*}\"\"${x:0:1}\" | echo ok", "set -- \"$x\" \"$x\"; : \"$@\" | echo ok",
		"false \"${a[@]}\" | echo ok", "{ x=; echo \"$x\"; } | echo ok", "if false; then echo \"$x$x\" | cat; fi; echo ok",
	};
	nacre_config *cfg = nacre_config_new();

	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_EXPANSION, 100000) == 0);
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		nacre_sandbox *sb = sandbox(cfg);
		char script[300];

		snprintf(script, sizeof(script), "printf -v x '%%060000d' 0; x=${x//0/y}; %s", scripts[i]);
		nacre_result *res = exec_script(sb, script);
		CHECK(nacre_result_outcome(res) == NACRE_LIMITED && strcmp(nacre_result_reason(res), "expansion") == 0);
		nacre_result_free(res);
		CHECK(gives(sb, "[ -e /workspace/out ] ", "", 1));
		nacre_sandbox_free(sb);
	}
	/* What fits is not refused: values that are split, replaced or not used, and each word for itself. */
	for (size_t i = 0; i < sizeof(fits) / sizeof(fits[0]); i++) {
		nacre_sandbox *sb = sandbox(cfg);
		char script[300];

		snprintf(script, sizeof(script), "printf -v x '%%060000d' 0; a=($x $x $x); %s", fits[i]);
		CHECK(gives(sb, script, "ok\n", 0));
		nacre_sandbox_free(sb);
	}
	nacre_config_free(cfg);
}

int main(void)
{
	if (nacre_runtime_new(&rt) < 0)
		return 1;
	test_status();
	test_kill();
	test_lossy();
	test_not_captured();
	test_cwd();
	test_pipes();
	test_guest_memory();
	test_prompt();
	test_open_files();
	test_depth();
	test_admission();
	nacre_runtime_free(rt);
	return summary();
}
