/* test_api.c - the public API, as an embedder uses it. Also compiled as C++. */
#include "harness.h"

static bool outcome(nacre_sandbox *sb, const char *script, enum nacre_outcome want, int status)
{
	nacre_result *res = exec_script(sb, script);
	bool ok = nacre_result_outcome(res) == want && nacre_result_exit_code(res) == status;

	if (!ok)
		printf("%s\n  %s %d\n", script, nacre_outcome_name(nacre_result_outcome(res)), nacre_result_exit_code(res));
	nacre_result_free(res);
	return ok;
}

/* ---- Configuration: everything bad fails when it is set (API-05) ------------------------ */

static void test_config(void)
{
	nacre_config *cfg = nacre_config_new();
	const char *summary = NULL;
	size_t n = 0;

	CHECK(cfg != NULL);
	CHECK(nacre_config_mount(cfg, "/tmp", "/", 0) == -EINVAL && *nacre_config_error(cfg));
	CHECK(nacre_config_mount(cfg, "/tmp", "rel", 0) == -EINVAL);
	CHECK(nacre_config_mount(cfg, "/tmp", "/a/../b", 0) == -EINVAL);
	CHECK(nacre_config_mount(cfg, "/tmp", "/a/", 0) == -EINVAL);
	CHECK(nacre_config_mount(cfg, "", "/a", 0) == -EINVAL);
	CHECK(nacre_config_mount(cfg, "/tmp", "/a", 9) == -EINVAL);
	CHECK(nacre_config_mount(cfg, "/tmp", "/usr/bin", 0) == -EINVAL);
	CHECK(nacre_config_mount(cfg, "/tmp", "/a", 0) == 0 && !*nacre_config_error(cfg));
	CHECK(nacre_config_mount(cfg, "/var", "/a", 0) == -EEXIST);
	CHECK(nacre_config_deny(cfg, "a?b", NACRE_ACCESS_READ) == -EINVAL);
	CHECK(nacre_config_deny(cfg, "", NACRE_ACCESS_READ) == -EINVAL);
	CHECK(nacre_config_deny(cfg, "x", 0) == -EINVAL);
	CHECK(nacre_config_deny(cfg, "**/x", NACRE_ACCESS_READ) == 0);
	CHECK(nacre_config_env(cfg, "A=B", "c") == -EINVAL);
	CHECK(nacre_config_env(cfg, "", "c") == -EINVAL);
	CHECK(nacre_config_env(cfg, "LANG", NULL) == 0);
	CHECK(nacre_config_cwd(cfg, "relative") == -EINVAL);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_OUTPUT, 0) == -EINVAL);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_MEMORY, 1000) == -EINVAL);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_TIMEOUT_STATUS, 256) == -EINVAL);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_COUNT_, 1) == -EINVAL);
	CHECK(nacre_config_without_command(cfg, "nosuch") == -ENOENT);
	while (nacre_config_command_name(cfg, n, &summary)) {
		const char *next = nacre_config_command_name(cfg, n + 1, NULL);

		CHECK(!next || strcmp(nacre_config_command_name(cfg, n, NULL), next) < 0);
		CHECK(summary && *summary);
		n++;
	}
	CHECK(n > 45);
	nacre_config_free(cfg);
	nacre_config_free(NULL);
}

/* ---- Results (OUT-01 ... OUT-12) ------------------------------------------------------- */

static void test_results(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);
	nacre_metrics m;
	nacre_result *res;
	size_t len;

	CHECK(gives(sb, "echo out; echo err >&2; exit 3", "out\n", 3));
	CHECK(outcome(sb, "nosuch", NACRE_NOT_FOUND, 127));
	CHECK(outcome(sb, "nosuch || exit 127", NACRE_COMPLETED, 127));
	CHECK(outcome(sb, "exit 256", NACRE_COMPLETED, 0));
	CHECK(outcome(sb, "if", NACRE_INVALID, 2));
	CHECK(outcome(sb, "", NACRE_COMPLETED, 0));
	res = exec_script(sb, "printf 'a\\0b'; echo warn >&2");
	CHECK(nacre_result_ok(res) && !nacre_result_stopped(res) && !nacre_result_truncated(res));
	CHECK(memcmp(nacre_result_stdout(res, &len), "a\0b", 4) == 0 && len == 3);
	CHECK(strcmp(nacre_result_stderr(res, NULL), "warn\n") == 0);
	CHECK(strcmp(nacre_result_error(res), "") == 0 && strcmp(nacre_result_reason(res), "") == 0);
	CHECK(strcmp(nacre_result_message(res), "") == 0);
	m.size = sizeof(m);
	CHECK(nacre_result_metrics(&m, res) == 0 && m.wall_ns > 0 && m.commands >= 1 && m.memory_peak > 0);
	m.size = 1;
	CHECK(nacre_result_metrics(&m, res) == -EINVAL);
	nacre_result_free(res);
	nacre_result_free(NULL);
	nacre_sandbox_free(sb);

	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_WALL_NS, 50000000) == 0);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_TIMEOUT_STATUS, 137) == 0);
	sb = sandbox(cfg);
	CHECK(outcome(sb, "while :; do :; done", NACRE_TIMED_OUT, 137));
	CHECK(outcome(sb, "trap 'exit 3' TERM INT; while :; do :; done", NACRE_TIMED_OUT, 137));
	CHECK(outcome(sb, "sleep 60 | cat", NACRE_TIMED_OUT, 137));
	CHECK(gives(sb, "echo still usable", "still usable\n", 0));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* OUT-03: only what is wrong with the request or with nacre is an error. OUT-04: ok and stopped. */
static void test_errors(void)
{
	static const struct {
		const char *script;
		bool error, message, ok, stopped;
	} cases[] = {
		{"true", false, false, true, false},	    {"false", false, false, false, false},
		{"nosuch", false, false, false, false},	    {"cat /secret", false, false, false, false},
		{"if", true, true, false, false},	    {"echo $(", true, true, false, false},
		{"sleep 60", false, false, false, true},    {"x=$(yes)", false, true, false, false},
	};
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;

	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_WALL_NS, 20000000000) == 0);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_MEMORY, 8 << 20) == 0);
	CHECK(nacre_config_deny(cfg, "/secret", NACRE_ACCESS_READ | NACRE_ACCESS_WRITE) == 0);
	sb = sandbox(cfg);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		nacre_request req = NACRE_REQUEST_INIT;
		nacre_result *res = NULL;

		req.script = cases[i].script;
		req.timeout_ns = cases[i].stopped ? 20000000 : 0;
		CHECK(nacre_exec(&res, sb, &req) == 0 && res);
		CHECK(!*nacre_result_error(res) == !cases[i].error);
		CHECK(!*nacre_result_message(res) == !cases[i].message);
		CHECK(nacre_result_ok(res) == cases[i].ok && nacre_result_stopped(res) == cases[i].stopped);
		nacre_result_free(res);
	}
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Captured output: head, tail, both, exact counts ------------------------------------- */

static void test_capture(void)
{
	static const enum nacre_keep keeps[] = {NACRE_KEEP_HEAD, NACRE_KEEP_TAIL, NACRE_KEEP_BOTH};
	static const char *const want[] = {"0123456789", "uvwxyzABCD", "01234"};

	for (int i = 0; i < 3; i++) {
		nacre_config *cfg = nacre_config_new();
		nacre_sandbox *sb;
		nacre_result *res;

		CHECK(nacre_config_limit(cfg, NACRE_LIMIT_OUTPUT, 10) == 0 && nacre_config_keep(cfg, keeps[i]) == 0);
		sb = sandbox(cfg);
		res = exec_script(sb, "printf 0123456789abcdefghijklmnopqrstuvwxyzABCD");
		CHECK(nacre_result_dropped(res, 1) == 30 && nacre_result_truncated(res) && nacre_result_ok(res));
		CHECK(strncmp(nacre_result_stdout(res, NULL), want[i], strlen(want[i])) == 0);
		if (i == 2)
			CHECK(strcmp(nacre_result_stdout(res, NULL), "01234zABCD") == 0);
		nacre_result_free(res);
		nacre_sandbox_free(sb);
		nacre_config_free(cfg);
	}
}

/* ---- Sessions (API-02, API-03) -------------------------------------------------------------- */

static void test_sessions(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);

	CHECK(gives(sb, "x=5; f() { echo \"f$1\"; }; cd /tmp; set -u; echo data > file", "", 0));
	CHECK(gives(sb, "echo $x; f 1; pwd; cat file", "5\nf1\n/tmp\ndata\n", 0));
	CHECK(gives(sb, "exit 4", "", 4));
	CHECK(gives(sb, "echo $?$x", "45\n", 0) || gives(sb, "echo $x", "5\n", 0));
	nacre_sandbox_free(sb);
	sb = sandbox(cfg);
	/* The session stays where it is, whatever PWD says and whatever becomes of the directory. */
	CHECK(gives(sb, "mkdir real; ln -s real link; cd link", "", 0));
	CHECK(gives(sb, "pwd; pwd -P; PWD=/tmp", "/workspace/link\n/workspace/real\n", 0));
	CHECK(gives(sb, "/usr/bin/pwd; cd /workspace/real; rmdir ../real", "/workspace/real\n", 0));
	CHECK(gives(sb, "pwd; echo x > f 2> /dev/null || echo gone; cd ..; pwd", "/workspace/real\ngone\n/workspace\n", 0));
	CHECK(gives(sb, "cd /tmp; trap 'echo bye' EXIT; kill -9 $$", "", 137));
	CHECK(gives(sb, "pwd", "/workspace\n", 0));
	nacre_sandbox_free(sb);
	sb = sandbox(cfg);
	/* A directory for one run is that run's alone. */
	for (int i = 0; i < 2; i++) {
		nacre_request req = NACRE_REQUEST_INIT;
		nacre_result *res = NULL;

		req.script = "pwd; echo $PWD; cd /usr; pwd";
		req.cwd = "/tmp";
		CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "/tmp\n/tmp\n/usr\n") == 0);
		nacre_result_free(res);
		CHECK(gives(sb, i ? "pwd; echo $PWD" : "pwd; echo $PWD; mkdir e; cd e", i ? "/workspace/e\n/workspace/e\n" : "/workspace\n/workspace\n", 0));
	}
	nacre_sandbox_free(sb);
	CHECK(nacre_config_persist(cfg, false) == 0);
	sb = sandbox(cfg);
	CHECK(gives(sb, "x=5; cd /tmp; echo data > /workspace/file", "", 0));
	CHECK(gives(sb, "echo ${x-unset}; pwd; cat file", "unset\n/workspace\ndata\n", 0));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* A run that the host stops leaves the session as it stood: what was local is gone, what was set stays. */
static const struct {
	const char *script, *after, *out;
} stopped[] = {
	{"x=5; cd /tmp; f() { echo f$1; }; alias a=b; set -u; sleep 100", "f $x; pwd; alias a; echo $-",
	 "f5\n/tmp\nalias a='b'\nhuBc\n"},
	{"x=out; g() { local x=in y=1; z=3; sleep 100; }; g", "echo $x ${y-none} $z ${FUNCNAME-no}", "out none 3 no\n"},
	{"x=1; while :; do x=$((x + 1)); done", "echo $((x > 1)); for i in 1 2; do echo $i; done", "1\n1\n2\n"},
	{"f() { local -a v=(1 2 3); IFS=:; x=1 eval 'y=2; sleep 100'; }; IFS=-; f", "echo \"$IFS ${v-} ${x-} $y\"",
	 ":   2\n"},
	{"trap 'echo bye' EXIT; trap 'echo usr' USR1; (trap 'echo sub' EXIT; sleep 100)", "trap; kill -USR1 $$",
	 "trap -- 'echo usr' SIGUSR1\nusr\n"},
	{"x=1; sleep 100 | x=2 cat | (x=3; cat)", "echo $x; jobs", "1\n"},
	{"x=1; y=$(x=2; sleep 100)", "echo $x ${y-unset}", "1 unset\n"},
	{"m[3]=a; declare -A h=([k]=v); set -- p q; sleep 100 & wait", "echo ${m[3]} ${h[k]} $#; jobs", "a v 0\n"},
	{"x=1; source /dev/stdin <<< 'x=2; sleep 100'", "echo $x", "2\n"},
	{"set -e; x=1; exec sleep 100", "echo $x; false; echo no", "1\n"},
};

static void test_stopped_sessions(void)
{
	nacre_config *cfg = nacre_config_new(), *real;
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_sandbox *sb;
	nacre_result *res;
	nacre_run *run;

	/* Virtual time: what comes before a sleep is done before the deadline. */
	CHECK(nacre_config_deterministic(cfg, 1, 0) == 0 && nacre_config_limit(cfg, NACRE_LIMIT_WALL_NS, 100000000) == 0);
	for (size_t i = 0; i < sizeof(stopped) / sizeof(*stopped); i++) {
		sb = sandbox(cfg);
		CHECK(outcome(sb, stopped[i].script, NACRE_TIMED_OUT, 124));
		CHECK(gives(sb, stopped[i].after, stopped[i].out, i + 1 == sizeof(stopped) / sizeof(*stopped)));
		nacre_sandbox_free(sb);
	}
	real = nacre_config_new();
	CHECK(real != NULL && nacre_config_limit(real, NACRE_LIMIT_MEMORY, 8 << 20) == 0);
	sb = sandbox(real);
	req.script = "x=kept; sleep 100; x=not";
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	while (nacre_runtime_step(rt) == NACRE_STEP_MORE)
		;
	nacre_run_cancel(run);
	res = nacre_run_finish(run);
	CHECK(nacre_result_outcome(res) == NACRE_CANCELED);
	nacre_result_free(res);
	CHECK(gives(sb, "echo $x", "kept\n", 0));
	/* Not when it ends itself, nor without memory. */
	CHECK(gives(sb, "x=2; kill -9 $$", "", 137));
	CHECK(gives(sb, "echo ${x-none}; x=3", "none\n", 0));
	CHECK(outcome(sb, "s=xxxxxxxxxxxxxxxx; while :; do s=$s$s; done", NACRE_LIMITED, 137));
	CHECK(gives(sb, "echo ${x-none} ${s-none}", "none none\n", 0));
	nacre_sandbox_free(sb);
	nacre_config_free(real);
	CHECK(nacre_config_rollback(cfg, true) == 0);
	sb = sandbox(cfg);
	CHECK(outcome(sb, "x=1; sleep 100", NACRE_TIMED_OUT, 124));
	CHECK(gives(sb, "echo ${x-none}; x=2; cd /tmp; f() { echo f; }", "none\n", 0));
	CHECK(outcome(sb, "x=3; cd /; unset -f f; sleep 100", NACRE_TIMED_OUT, 124));
	CHECK(gives(sb, "f; pwd; echo $x; x=4", "f\n/tmp\n2\n", 0));
	CHECK(outcome(sb, "x=5; exec sleep 100", NACRE_TIMED_OUT, 124));
	CHECK(gives(sb, "echo $x", "4\n", 0));
	CHECK(outcome(sb, "x=6; sleep 100 & exit", NACRE_TIMED_OUT, 124));
	CHECK(gives(sb, "echo $x", "4\n", 0));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

static void test_requests(void)
{
	static const char *const args[] = {"one", "two words", NULL}, *const env[] = {"A=1", "HOME=/h", NULL}, *const bad[] = {"novalue", NULL};
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res = NULL;
	nacre_run *run = NULL, *second = NULL;

	CHECK(nacre_exec(&res, sb, &req) == -EINVAL && !res && *nacre_runtime_error(rt));
	req.script = "echo \"$0|$1|$2|$#|$A|$HOME\"; cat; exit 2";
	req.args = args;
	req.env = env;
	req.name = "tool";
	req.stdin_data = "input\n";
	req.stdin_len = 6;
	CHECK(nacre_exec(&res, sb, &req) == 0 && !*nacre_runtime_error(rt));
	CHECK(strcmp(nacre_result_stdout(res, NULL), "tool|one|two words|2|1|/h\ninput\n") == 0 && nacre_result_exit_code(res) == 2);
	nacre_result_free(res);
	req.kind = NACRE_SCRIPT_FILE;
	req.script = "echo \"$0|${BASH_SOURCE[0]}|$1|$-|${BASH_EXECUTION_STRING-none}\"";
	CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "tool|tool|one|hB|none\n") == 0);
	nacre_result_free(res);
	req.name = NULL;
	CHECK(nacre_exec(&res, sb, &req) == -EINVAL);
	req.kind = NACRE_SCRIPT_STDIN;
	CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "bash||one|hBs|none\n") == 0);
	nacre_result_free(res);
	req.kind = NACRE_SCRIPT_COMMAND;
	req.env = bad;
	CHECK(nacre_exec(&res, sb, &req) == -EINVAL);
	req = (nacre_request)NACRE_REQUEST_INIT;
	req.script = "echo part\0of; echo it";
	req.script_len = 21;
	CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "partof\nit\n") == 0);
	nacre_result_free(res);
	CHECK(nacre_fs_write(sb, "/workspace/s.sh", "echo file $1; exit 6", 20, 0755) == 0);
	req = (nacre_request)NACRE_REQUEST_INIT;
	req.file = "/workspace/s.sh";
	req.args = args;
	CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "file one\n") == 0 && nacre_result_exit_code(res) == 6);
	nacre_result_free(res);
	req = (nacre_request)NACRE_REQUEST_INIT;
	req.script = "sleep 60";
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	CHECK(nacre_run_start(&second, sb, &req) == -EBUSY && !second);
	res = nacre_run_finish(run);
	CHECK(nacre_result_outcome(res) == NACRE_CANCELED && nacre_result_exit_code(res) == 130);
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* API-02: runs of one sandbox come one after the other, whoever has not been finished yet. */
static void test_turns(void)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;
	nacre_result *res;
	nacre_run *first, *second;

	CHECK(nacre_config_persist(cfg, true) == 0 && nacre_sandbox_new(&sb, rt, cfg) == 0);
	req.script = "echo one > f; sleep 0.02; x=5; echo first; cat f";
	CHECK(nacre_run_start(&first, sb, &req) == 0 && !nacre_run_done(first));
	req.script = "cat f; echo two $x > f; x=6";
	CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "one\n") == 0 && strcmp(nacre_result_id(res), "2") == 0);
	nacre_result_free(res);
	/* It is done, and whoever started it has it still. */
	CHECK(nacre_run_done(first) && nacre_run_start(&second, sb, &req) == -EBUSY);
	req.script = "cat f; echo $x";
	CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "two 5\n6\n") == 0 && strcmp(nacre_result_id(res), "3") == 0);
	nacre_result_free(res);
	res = nacre_run_finish(first);
	CHECK(strcmp(nacre_result_stdout(res, NULL), "first\none\n") == 0 && strcmp(nacre_result_id(res), "1") == 0 && nacre_result_ok(res));
	nacre_result_free(res);
	/* One that does not end has its deadline. */
	req.script = "while :; do :; done";
	req.timeout_ns = 20000000;
	CHECK(nacre_run_start(&first, sb, &req) == 0);
	req.script = "echo $x";
	CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "6\n") == 0);
	nacre_result_free(res);
	/* A request that makes no sense waits for nothing. */
	req.file = "f";
	CHECK(nacre_exec(&res, sb, &req) == -EINVAL && !res);
	nacre_sandbox_free(sb); /* and with it what nobody has finished */
	nacre_config_free(cfg);
}

/* ---- Streaming, with a reader that takes little at a time --------------------------------------- */

struct sink {
	char text[100000];
	size_t n, calls;
	bool slow, closed;
};

static ptrdiff_t take(void *payload, int fd, const void *data, size_t len)
{
	struct sink *s = (struct sink *)payload;

	s->calls++;
	if (s->closed)
		return -1;
	if (fd != 1)
		return (ptrdiff_t)len;
	if (s->slow && s->calls % 2)
		return 0;
	if (s->slow && len > 1000)
		len = 1000;
	if (len > sizeof(s->text) - s->n)
		len = sizeof(s->text) - s->n;
	memcpy(s->text + s->n, data, len);
	s->n += len;
	return (ptrdiff_t)len;
}

static void test_streaming(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);
	nacre_request req = NACRE_REQUEST_INIT;
	struct sink *s = (struct sink *)calloc(1, sizeof(*s));
	nacre_result *res = NULL;
	nacre_run *run = NULL;
	int steps = 0;

	req.script = "for ((i = 0; i < 10000; i++)); do echo 1234567; done";
	req.on_output = take;
	req.payload = s;
	req.also_capture = true;
	s->slow = true;
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	while (!nacre_run_done(run) && steps++ < 1000000) {
		nacre_runtime_step(rt);
		nacre_run_resume(run);
	}
	CHECK(nacre_run_done(run) && s->n == 80000 && s->calls > 80);
	res = nacre_run_finish(run);
	CHECK(strlen(nacre_result_stdout(res, NULL)) == 80000 && memcmp(s->text, nacre_result_stdout(res, NULL), 80000) == 0);
	nacre_result_free(res);
	s->slow = false;
	s->closed = true;
	req.script = "yes; echo $? >&2";
	req.also_capture = false;
	CHECK(nacre_exec(&res, sb, &req) == 0 && nacre_result_outcome(res) == NACRE_COMPLETED);
	nacre_result_free(res);
	free(s);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Files from the host (API-04) ------------------------------------------------------------------ */

static int count_names(void *payload, const char *name, uint32_t type)
{
	(void)type;
	strcat((char *)payload, name);
	strcat((char *)payload, " ");
	return 0;
}

static void test_files(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;
	nacre_file *f = NULL;
	nacre_stat st;
	char *data = NULL, names[200] = "", buf[8];
	size_t len = 0;

	CHECK(nacre_config_deny(cfg, "secret", NACRE_ACCESS_READ | NACRE_ACCESS_WRITE) == 0);
	sb = sandbox(cfg);
	CHECK(nacre_fs_mkdir(sb, "d", 0755) == 0 && nacre_fs_mkdir(sb, "d", 0755) == -EEXIST);
	CHECK(nacre_fs_write(sb, "d/f", "content", 7, 0640) == 0);
	CHECK(gives(sb, "cat d/f; stat -c %a d/f", "content640\n", 0));
	CHECK(gives(sb, "touch /etc/new / /etc/no/x /etc/hosts 2>&1",
		    "touch: cannot touch '/etc/new': Permission denied\ntouch: setting times of '/': Permission denied\n"
		    "touch: cannot touch '/etc/no/x': No such file or directory\n"
		    "touch: cannot touch '/etc/hosts': Permission denied\n", 1));
	CHECK(gives(sb, "echo more >> d/f; echo x > d/g", "", 0));
	CHECK(nacre_fs_read(&data, &len, sb, "/workspace/d/f") == 0 && len == 12 && strcmp(data, "contentmore\n") == 0);
	nacre_free(data);
	CHECK(nacre_fs_read(&data, &len, sb, "d/none") == -ENOENT && !data && strstr(nacre_runtime_error(rt), "d/none"));
	CHECK(nacre_fs_read(&data, &len, sb, "d") == -EISDIR);
	CHECK(nacre_fs_list(sb, "d", count_names, names) == 0 && strcmp(names, "f g ") == 0);
	CHECK(nacre_fs_rename(sb, "d/g", "d/h") == 0 && nacre_fs_remove(sb, "d/h") == 0 && nacre_fs_remove(sb, "d") == -ENOTEMPTY);
	st.size_of = sizeof(st);
	CHECK(nacre_fs_stat(&st, sb, "d/f", true) == 0 && st.size == 12 && (st.mode & 0777) == 0640);
	CHECK(nacre_file_open(&f, sb, "d/f", NACRE_OPEN_READ | NACRE_OPEN_WRITE, 0) == 0);
	CHECK(nacre_file_read_at(f, buf, 4, 3) == 4 && memcmp(buf, "tent", 4) == 0);
	CHECK(nacre_file_write_at(f, "XY", 2, 0) == 2 && nacre_file_read_at(f, buf, 3, 0) == 3 && memcmp(buf, "XYn", 3) == 0);
	CHECK(nacre_file_read_at(f, buf, 4, -1) == -EINVAL);
	nacre_file_close(f);
	CHECK(nacre_fs_write(sb, "secret", "x", 1, 0644) == -EACCES);
	CHECK(nacre_fs_write(sb, "/bin/x", "x", 1, 0644) == -EACCES);
	CHECK(nacre_file_open(&f, sb, "/bin/ls", NACRE_OPEN_WRITE, 0) == -EACCES && !f);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Commands of the host (EXT-01, EXT-02, EXT-04) ---------------------------------------------------- */

struct greeter {
	int calls, aborts;
	nacre_invocation *pending;
};

static void greet(nacre_invocation *inv, void *payload)
{
	struct greeter *g = (struct greeter *)payload;
	char text[500];
	size_t n;
	const char *in = nacre_invocation_stdin(inv, &n), *who = nacre_invocation_env(inv, "WHO");

	g->calls++;
	snprintf(text, sizeof(text), "%s %d %s %s [%.*s] %s\n", nacre_invocation_arg(inv, 0), nacre_invocation_argc(inv),
		 nacre_invocation_arg(inv, 1) ? nacre_invocation_arg(inv, 1) : "-", nacre_invocation_dir(inv), (int)n, in, who ? who : "nobody");
	nacre_invocation_write(inv, 1, text, strlen(text));
	nacre_invocation_write(inv, 2, "warned\n", 7);
	nacre_invocation_complete(inv, 7);
}

static void later(nacre_invocation *inv, void *payload)
{
	struct greeter *g = (struct greeter *)payload;

	g->calls++;
	g->pending = inv;
}

static void gone(nacre_invocation *inv, void *payload)
{
	(void)inv;
	((struct greeter *)payload)->aborts++;
}

static void test_commands(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_command c = NACRE_COMMAND_INIT;
	struct greeter g = {0, 0, NULL};
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_sandbox *sb;
	nacre_result *res = NULL;
	nacre_run *run = NULL;

	CHECK(nacre_config_command(cfg, &c) == -EINVAL);
	c.name = "greet";
	c.summary = "greets";
	c.run = greet;
	c.payload = &g;
	c.reads_stdin = true;
	c.name = "-bad";
	CHECK(nacre_config_command(cfg, &c) == -EINVAL);
	c.name = "ls";
	CHECK(nacre_config_command(cfg, &c) == -EEXIST);
	c.name = "cd";
	CHECK(nacre_config_command(cfg, &c) == -EEXIST);
	c.name = "greet";
	c.summary = "";
	CHECK(nacre_config_command(cfg, &c) == -EINVAL);
	c.summary = "greets";
	CHECK(nacre_config_command(cfg, &c) == 0 && nacre_config_command(cfg, &c) == -EEXIST);
	c.name = "later";
	c.run = later;
	c.abort = gone;
	c.reads_stdin = false;
	CHECK(nacre_config_command(cfg, &c) == 0);
	CHECK(nacre_config_without_command(cfg, "tac") == 0); /* API-07 */
	sb = sandbox(cfg);
	CHECK(gives(sb, "cd /tmp; echo -n hi | WHO=me greet arg | cat; echo ${PIPESTATUS[1]}", "greet 2 arg /tmp [hi] me\n7\n", 0));
	CHECK(gives(sb, "greet < /dev/null > f 2>&1; cat f; ls /bin/greet; which greet; greet --help",
		    "greet 1 - /tmp [] nobody\nwarned\n/bin/greet\n/usr/bin/greet\ngreet - greets\n", 0));
	CHECK(gives(sb, "tac f; ls /bin/tac; echo $?", "2\n", 0));
	CHECK(g.calls == 2);
	/* Completed from outside, while other things go on. */
	req.script = "later | cat; echo ${PIPESTATUS[0]}";
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	while (!g.pending)
		nacre_runtime_step(rt);
	CHECK(nacre_runtime_step(rt) == NACRE_STEP_WAIT && !nacre_run_done(run));
	nacre_invocation_write(g.pending, 1, "at last\n", 8);
	nacre_invocation_complete(g.pending, 3);
	while (!nacre_run_done(run))
		nacre_runtime_step(rt);
	res = nacre_run_finish(run);
	CHECK(strcmp(nacre_result_stdout(res, NULL), "at last\n3\n") == 0);
	nacre_result_free(res);
	/* A run that is cancelled meanwhile: the host is told, and may complete late. */
	g.pending = NULL;
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	while (!g.pending)
		nacre_runtime_step(rt);
	nacre_run_cancel(run);
	while (!nacre_run_done(run))
		nacre_runtime_step(rt);
	res = nacre_run_finish(run);
	CHECK(nacre_result_outcome(res) == NACRE_CANCELED && nacre_result_exit_code(res) == 130);
	nacre_result_free(res);
	nacre_runtime_step(rt);
	CHECK(g.aborts == 1);
	nacre_invocation_complete(g.pending, 0);
	nacre_runtime_step(rt);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Several sandboxes at once; deterministic ones ------------------------------------------------------ */

static void test_many(void)
{
	enum { N = 200 };
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb[N];
	nacre_run *run[N];
	nacre_request req = NACRE_REQUEST_INIT;
	int64_t timeout = 0;
	nacre_pollfd fds[8];
	int done = 0, good = 0;

	req.script = "for i in 1 2 3; do echo $i; sleep 0.01; done | cat | wc -l";
	for (int i = 0; i < N; i++) {
		sb[i] = sandbox(cfg);
		CHECK(nacre_run_start(&run[i], sb[i], &req) == 0);
	}
	while (done < N) {
		if (nacre_runtime_step(rt) == NACRE_STEP_WAIT) {
			CHECK(nacre_runtime_wait(rt, fds, 8, &timeout) <= 1);
			nacre_runtime_block(rt, 50000000);
		}
		done = 0;
		for (int i = 0; i < N; i++)
			done += nacre_run_done(run[i]);
	}
	for (int i = 0; i < N; i++) {
		nacre_result *res = nacre_run_finish(run[i]);

		good += strcmp(nacre_result_stdout(res, NULL), "3\n") == 0;
		nacre_result_free(res);
		nacre_sandbox_free(sb[i]);
	}
	CHECK(good == N);
	CHECK(nacre_runtime_step(rt) == NACRE_STEP_IDLE);
	nacre_config_free(cfg);
}

static void test_deterministic(void)
{
	nacre_config *cfg = nacre_config_new();
	char first[4096] = "";

	CHECK(nacre_config_deterministic(cfg, 42, (int64_t)1700000000 * 1000000000) == 0);
	for (int i = 0; i < 3; i++) {
		nacre_sandbox *sb = sandbox(cfg);
		nacre_result *res = exec_script(sb, "date -u +%F; echo $RANDOM $SRANDOM $$ $BASHPID; mktemp -u; head -c 8 /dev/urandom | wc -c; sleep 3600; "
						    "date -u +%T.%N; (sleep 1; echo b) & echo a; wait; sleep 0.5; stat -c %Y /workspace");

		CHECK(nacre_result_outcome(res) == NACRE_TIMED_OUT || nacre_result_ok(res));
		if (i == 0)
			snprintf(first, sizeof(first), "%s", nacre_result_stdout(res, NULL));
		else
			CHECK(strcmp(first, nacre_result_stdout(res, NULL)) == 0);
		CHECK(strncmp(first, "2023-11-14\n", 11) == 0);
		nacre_result_free(res);
		nacre_sandbox_free(sb);
	}
	nacre_config_free(cfg);
}

int main(void)
{
	CHECK(nacre_runtime_new(&rt) == 0);
	CHECK(strcmp(nacre_strerror(-2), "No such file or directory") == 0);
	test_config();
	test_results();
	test_errors();
	test_capture();
	test_sessions();
	test_stopped_sessions();
	test_requests();
	test_turns();
	test_streaming();
	test_files();
	test_commands();
	test_many();
	test_deterministic();
	nacre_runtime_free(rt);
	nacre_runtime_free(NULL);
	return summary();
}
