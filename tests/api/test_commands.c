/* test_commands.c - commands of the host: what they see, how they end, scripts they run themselves (EXT-01 ... EXT-07). */
#include "harness.h"

static nacre_sandbox *the_sandbox;

/* EXT-02, EXT-04: everything an invocation offers. */
static void look(nacre_invocation *inv, void *payload)
{
	char buf[4096], *path = nacre_invocation_path(inv, "f"), *data = NULL;
	const char *entry;
	size_t n = 0, len = 0, nenv = 0;
	nacre_sandbox *sb = nacre_invocation_sandbox(inv);

	CHECK(payload == buf || payload == NULL);
	CHECK(sb == the_sandbox && !nacre_invocation_aborted(inv));
	CHECK(nacre_fs_read(&data, &len, sb, path) == 0);
	for (; (entry = nacre_invocation_env_at(inv, nenv)) != NULL; nenv++)
		CHECK(strchr(entry, '='));
	n = (size_t)snprintf(buf, sizeof(buf), "%s|%s|%s|%s|%d|%s|%s", nacre_invocation_arg(inv, 0), nacre_invocation_arg(inv, 1),
			     nacre_invocation_dir(inv), path, nacre_invocation_remaining(inv) > 0, nacre_invocation_env(inv, "PREFIX"), data);
	CHECK(nenv > 5 && nacre_invocation_arg(inv, 2) == NULL && nacre_invocation_env(inv, "NOSUCH") == NULL);
	CHECK(nacre_invocation_write(inv, 1, buf, n) == 0 && nacre_invocation_write(inv, 0, buf, n) == -EBADF);
	nacre_free(path);
	nacre_free(data);
	nacre_invocation_complete(inv, 0);
}

/* EXT-03 */
static void fails(nacre_invocation *inv, void *payload)
{
	(void)payload;
	nacre_invocation_fail(inv, 259, "too many files");
}

/* ---- Nested runs: the script is $SCRIPT, the environment $ENV, the directory $DIR ------------------ */

static void nested_done(void *payload, nacre_invocation *inv, nacre_result *res)
{
	char buf[256];
	int n = snprintf(buf, sizeof(buf), "[%s %d %s]", nacre_outcome_name(nacre_result_outcome(res)), nacre_result_exit_code(res),
			 nacre_result_error(res));

	(void)payload;
	nacre_invocation_write(inv, 1, nacre_result_stdout(res, NULL), strlen(nacre_result_stdout(res, NULL)));
	nacre_invocation_write(inv, 2, nacre_result_stderr(res, NULL), strlen(nacre_result_stderr(res, NULL)));
	nacre_invocation_write(inv, 1, buf, (size_t)n);
	if (nacre_invocation_env(inv, "IDS")) {
		nacre_invocation_write(inv, 1, nacre_result_id(res), strlen(nacre_result_id(res)));
		nacre_invocation_write(inv, 1, "\n", 1);
	}
	if (nacre_result_truncated(res))
		nacre_invocation_write(inv, 1, "[cut]", 5);
	nacre_result_free(res);
	nacre_invocation_complete(inv, 0);
}

static void nested(nacre_invocation *inv, void *payload)
{
	nacre_nested req = NACRE_NESTED_INIT;
	const char *env[2] = {nacre_invocation_env(inv, "GIVE"), NULL}, *timeout = nacre_invocation_env(inv, "LIMIT_MS");

	(void)payload;
	req.script = nacre_invocation_env(inv, "SCRIPT");
	req.dir = nacre_invocation_env(inv, "DIR");
	req.env = env;
	req.timeout_ns = timeout ? atoll(timeout) * 1000000 : 0;
	req.output_limit = nacre_invocation_env(inv, "OUTPUT") ? 5 : 0;
	if (nacre_invocation_run(inv, &req, nested_done, NULL) < 0)
		nacre_invocation_fail(inv, 99, "could not start");
}

/* EXT-07: nacre_exec from inside. */
static void reenter(nacre_invocation *inv, void *payload)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res = NULL;
	nacre_run *run = NULL;

	(void)payload;
	req.script = "echo no";
	CHECK(nacre_exec(&res, the_sandbox, &req) == 0 && nacre_result_outcome(res) == NACRE_UNSUPPORTED);
	CHECK(nacre_result_exit_code(res) == 126 && strstr(nacre_result_stderr(res, NULL), "nested execution"));
	CHECK(strcmp(nacre_result_stdout(res, NULL), "") == 0 && strcmp(nacre_result_error(res), "") == 0);
	nacre_result_free(res);
	CHECK(nacre_run_start(&run, the_sandbox, &req) == -EBUSY && strstr(nacre_runtime_error(rt), "nested execution"));
	nacre_runtime_step(rt); /* does nothing */
	nacre_invocation_complete(inv, 7);
}

static nacre_sandbox *with_commands(nacre_config *cfg)
{
	static const struct {
		const char *name;
		void (*run)(nacre_invocation *inv, void *payload);
	} all[] = {{"inspect", look}, {"fails", fails}, {"nested", nested}, {"reenter", reenter}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		nacre_command c = NACRE_COMMAND_INIT;

		c.name = all[i].name;
		c.summary = "a command of the test";
		c.run = all[i].run;
		CHECK(nacre_config_command(cfg, &c) == 0);
	}
	the_sandbox = sandbox(cfg);
	return the_sandbox;
}

static void test_invocation(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = with_commands(cfg);
	nacre_result *res;

	CHECK(gives(sb, "mkdir -p d; cd d; echo text > f; PREFIX=p inspect arg; echo $PREFIX", "inspect|arg|/workspace/d|/workspace/d/f|1|p|text\n\n", 0));
	CHECK(gives(sb, "cd /workspace/d; which inspect; ls /bin/inspect; PREFIX=p inspect a | tr a-z A-Z > o; cat o", "/usr/bin/inspect\n/bin/inspect\nINSPECT|A|/WORKSPACE/D|/WORKSPACE/D/F|1|P|TEXT\n", 0));
	res = exec_script(sb, "fails");
	CHECK(strcmp(nacre_result_stderr(res, NULL), "fails: too many files\n") == 0 && nacre_result_exit_code(res) == 3);
	CHECK(nacre_result_outcome(res) == NACRE_COMPLETED);
	nacre_result_free(res);
	CHECK(gives(sb, "reenter; echo $?", "7\n", 0));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* EXT-05, EXT-06, OUT-11 */
static void test_nested(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;

	CHECK(nacre_config_deny(cfg, "/workspace/closed", NACRE_ACCESS_READ) == 0);
	sb = with_commands(cfg);
	CHECK(gives(sb, "mkdir d; export X=1 SCRIPT='echo \"$X|$HOME|$PWD|$OLDPWD\"; cat; y=2; cd /; echo made > /workspace/m; exit 4'; f() { :; }; cd d; nested; cat ../m; echo $y; pwd",
		    "|/home/user|/workspace/d|\n[completed 4 ]made\n\n/workspace/d\n", 0));
	CHECK(gives(sb, "SCRIPT='echo $A $PWD; type f; set -o | grep -c on$' GIVE=A=b DIR=.. nested 2>/dev/null", "b /workspace\n3\n[completed 0 ]", 0));
	CHECK(gives(sb, "SCRIPT='env | cut -d= -f1 | sort | tr \"\\n\" \" \"' GIVE=PWD=/elsewhere nested", "HOME PWD SHLVL _ [completed 0 ]", 0));
	CHECK(gives(sb, "SCRIPT='echo \"[$OLDPWD]\"' GIVE=OLDPWD=/elsewhere nested", "[]\n[completed 0 ]", 0));
	/* A deadline of its own cannot be later than its caller's. */
	{
		nacre_request req = NACRE_REQUEST_INIT;
		nacre_result *res;

		req.script = "LIMIT_MS=60000 SCRIPT='echo a; sleep 30' nested";
		req.timeout_ns = 100000000;
		CHECK(nacre_exec(&res, sb, &req) == 0 && nacre_result_outcome(res) == NACRE_TIMED_OUT);
		nacre_result_free(res);
	}
	CHECK(gives(sb, "SCRIPT='nosuch' nested 2>/dev/null; SCRIPT='if' nested 2>/dev/null", "[command not found 127 ][invalid request 2 line 1, column 3, byte 2: syntax error: unexpected end of file]", 0));
	CHECK(gives(sb, "SCRIPT= nested 2>/dev/null; GIVE=novalue SCRIPT=: nested 2>/dev/null; DIR=none SCRIPT=: nested 2>/dev/null",
		    "[invalid request 2 a nested run needs a script][invalid request 2 'novalue' is not NAME=VALUE]"
		    "[invalid request 2 the directory cannot be entered: No such file or directory]", 0));
	CHECK(gives(sb, "mkdir ../closed; DIR=../closed SCRIPT=: nested 2>/dev/null", "[denied 126 ]", 0));
	CHECK(gives(sb, "LIMIT_MS=50 SCRIPT='echo a; sleep 9' nested; LIMIT_MS=50 SCRIPT='echo b' nested", "a\n[timed out 124 ]b\n[completed 0 ]", 0));
	CHECK(gives(sb, "OUTPUT=1 SCRIPT='echo 123456789' nested", "12345[completed 0 ][cut]", 0));
	/* It leaves the session of its caller alone. */
	CHECK(gives(sb, "v=kept; SCRIPT='v=other; cd /' nested; echo $v; pwd", "[completed 0 ]kept\n/workspace/d\n", 0));
	CHECK(gives(sb, "echo $v; pwd", "kept\n/workspace/d\n", 0));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* EXT-07: ids, the eighth level runs, the ninth is denied. */
static void test_depth(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = with_commands(cfg);
	nacre_result *res;

	CHECK(gives(sb, "IDS=1 SCRIPT=: nested; IDS=1 SCRIPT=: nested", "[completed 0 ]1.2\n[completed 0 ]1.3\n", 0));
	CHECK(gives(sb, "IDS=1 SCRIPT='SCRIPT=: IDS=1 nested' nested", "[completed 0 ]2.3\n[completed 0 ]2.2\n", 0));
	/* A script that calls itself, from a file, until it is refused. */
	res = exec_script(sb, "echo 'echo level; SCRIPT=\". /workspace/r\" nested' > r; SCRIPT='. /workspace/r' nested");
	{
		const char *s = nacre_result_stdout(res, NULL);
		int levels = 0;

		for (const char *at = s; (at = strstr(at, "level\n")) != NULL; at++)
			levels++;
		CHECK(levels == 8 && strstr(s, "[denied 126 ]"));
	}
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* A stopped caller takes what it has started with it; also when the sandbox goes. */
static void test_stopping(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = with_commands(cfg);
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res;
	nacre_run *run;

	req.script = "SCRIPT='while :; do :; done' nested";
	req.timeout_ns = 50000000;
	CHECK(nacre_exec(&res, sb, &req) == 0 && nacre_result_outcome(res) == NACRE_TIMED_OUT);
	nacre_result_free(res);
	req.timeout_ns = 0;
	req.script = "SCRIPT='sleep 60' nested";
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	for (int i = 0; i < 20; i++)
		nacre_runtime_step(rt);
	CHECK(!nacre_run_done(run));
	nacre_run_cancel(run);
	while (!nacre_run_done(run))
		if (nacre_runtime_step(rt) == NACRE_STEP_WAIT)
			nacre_runtime_block(rt, 1000000);
	res = nacre_run_finish(run);
	CHECK(nacre_result_outcome(res) == NACRE_CANCELED);
	nacre_result_free(res);
	CHECK(gives(sb, "echo alive", "alive\n", 0));
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	for (int i = 0; i < 20; i++)
		nacre_runtime_step(rt);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* The variables of a request are there for that run only. */
static void test_request_env(void)
{
	static const char *const env[] = {"A=run", "HOME=/h", NULL};
	nacre_config *cfg = nacre_config_new();
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res;

	for (int first = 0; first < 2; first++)
		for (int stopped = 0; stopped < 2; stopped++) {
			nacre_sandbox *sb = sandbox(cfg);

			if (first)
				CHECK(gives(sb, "A=session; B=1; echo $A", "session\n", 0));
			req.script = stopped ? "echo $A $HOME $(env | grep ^A=); C=2; while :; do :; done" : "echo $A $HOME $(env | grep ^A=); C=2";
			req.env = env;
			req.timeout_ns = stopped ? 50000000 : 0;
			CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "run /h A=run\n") == 0);
			nacre_result_free(res);
			CHECK(gives(sb, "echo ${A-unset} $HOME $C", first ? "session /home/user 2\n" : "unset /home/user 2\n", 0));
			nacre_sandbox_free(sb);
		}
	nacre_config_free(cfg);
}

/* API-01: options at making, exec, files and commands; API-06: a canceled run does nothing more, and undoes nothing. */
static void test_cancel(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = with_commands(cfg);
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res;
	nacre_run *run;
	char *data;
	size_t n;

	req.script = "echo one > f; sleep 60; echo two > g";
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	for (int i = 0; i < 50; i++)
		nacre_runtime_step(rt);
	res = nacre_run_finish(run);
	CHECK(nacre_result_outcome(res) == NACRE_CANCELED);
	nacre_result_free(res);
	CHECK(nacre_fs_read(&data, &n, sb, "f") == 0 && n == 4 && memcmp(data, "one\n", 4) == 0);
	nacre_free(data);
	CHECK(nacre_fs_read(&data, &n, sb, "g") == -ENOENT);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* All commands there are come in the order of their names, each once: the registry merges tables that it trusts to be sorted. */
static void test_order(void)
{
	nacre_config *cfg = nacre_config_new();
	const char *name, *before = "";
	size_t n = 0;

	for (; (name = nacre_config_command_name(cfg, n, NULL)) != NULL; n++) {
		CHECK(strcmp(before, name) < 0);
		before = name;
	}
	CHECK(n > 100);
	nacre_config_free(cfg);
}

int main(void)
{
	if (nacre_runtime_new(&rt) < 0)
		return 1;
	test_order();
	test_invocation();
	test_nested();
	test_depth();
	test_stopping();
	test_request_env();
	test_cancel();
	nacre_runtime_free(rt);
	return summary();
}
