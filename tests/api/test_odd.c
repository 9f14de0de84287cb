/* test_odd.c - uses of the API that are odd, mistaken or hostile: each an answer, none a crash, nothing done that was refused. */
#include "harness.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static int count_names(void *payload, const char *name, uint32_t type)
{
	(void)type;
	(void)name;
	return ++*(int *)payload == 2 ? 77 : 0;
}

static void test_files(void)
{
	static const char *const nowhere[] = {"", "/", "/none/f", "f/x", "/bin/new", "/proc/new", "/dev/new", "/usr/bin/ls", ".", "..", "/dev"};
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);
	char longest[6000], buf[8] = "";
	nacre_stat st;
	nacre_file *f;
	char *data;
	size_t n;
	int seen = 0;

	nacre_config_free(cfg);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	CHECK(nacre_fs_write(sb, "f", "text", 4, 0644) == 0);
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		int e = nacre_fs_write(sb, nowhere[i], "x", 1, 0644);

		CHECK(e < 0);
		CHECK(*nacre_runtime_error(rt) != '\0');
		if (e == 0)
			printf("  wrote %s\n", nowhere[i]);
		CHECK(nacre_fs_remove(sb, nowhere[i]) < 0);
		CHECK(nacre_fs_mkdir(sb, nowhere[i], 0755) < 0);
	}
	CHECK(nacre_fs_write(sb, longest, "x", 1, 0644) == -ENAMETOOLONG && nacre_fs_read(&data, &n, sb, longest) == -ENAMETOOLONG);
	CHECK(nacre_fs_read(&data, &n, sb, "/") == -EISDIR && nacre_fs_read(&data, &n, sb, "/dev/null") == 0 && n == 0);
	nacre_free(data);
	CHECK(nacre_fs_write(sb, "new\nline \xff", "", 0, 0600) == 0 && nacre_fs_remove(sb, "new\nline \xff") == 0);
	/* A fifo has no other end here: an error at once, no waiting. */
	CHECK(gives(sb, "mkfifo p", "", 0));
	CHECK(nacre_file_open(&f, sb, "p", NACRE_OPEN_READ, 0) == -ENXIO && f == NULL && nacre_file_open(&f, sb, "p", NACRE_OPEN_WRITE, 0) == -ENXIO);
	CHECK(nacre_fs_read(&data, &n, sb, "p") == -ENXIO && nacre_fs_write(sb, "p", "x", 1, 0644) == -ENXIO);
	/* Wrong ways through an open file. */
	CHECK(nacre_file_open(&f, sb, "f", NACRE_OPEN_READ, 0) == 0);
	CHECK(nacre_file_write_at(f, "x", 1, 0) < 0 && nacre_file_read_at(f, buf, sizeof(buf), -5) < 0);
	CHECK(nacre_file_read_at(f, buf, sizeof(buf), INT64_MAX) == 0 && nacre_file_read_at(f, buf, 0, 0) == 0);
	CHECK(nacre_fs_remove(sb, "f") == 0 && nacre_file_read_at(f, buf, sizeof(buf), 0) == 4);
	nacre_file_close(f);
	CHECK(nacre_file_open(&f, sb, "f", NACRE_OPEN_WRITE, 0) == -ENOENT);
	CHECK(nacre_file_open(&f, sb, "f", NACRE_OPEN_CREATE | NACRE_OPEN_WRITE | NACRE_OPEN_EXCL, 0600) == 0);
	CHECK(nacre_file_read_at(f, buf, 1, 0) < 0 && nacre_file_write_at(f, "x", 1, -1) < 0);
	CHECK(nacre_file_write_at(f, "x", 1, INT64_MAX) < 0 && nacre_file_write_at(f, "x", 1, INT64_MAX - 1) <= 1);
	nacre_file_close(f);
	CHECK(nacre_file_open(&f, sb, "f", NACRE_OPEN_CREATE | NACRE_OPEN_WRITE | NACRE_OPEN_EXCL, 0600) == -EEXIST);
	CHECK(nacre_file_open(&f, sb, "f", ~0u, 07777777) < 0 || (nacre_file_close(f), true));
	CHECK(nacre_fs_list(sb, "/etc", count_names, &seen) == 77 && seen == 2);
	CHECK(nacre_fs_list(sb, "f", count_names, &seen) == -ENOTDIR && nacre_fs_list(sb, "none", count_names, &seen) == -ENOENT);
	CHECK(nacre_fs_rename(sb, "f", "/bin/ls") < 0 && nacre_fs_rename(sb, "/workspace", "/workspace/a") < 0 && nacre_fs_rename(sb, "/", "/x") < 0);
	CHECK(nacre_fs_stat(&st, sb, "/bin", false) < 0 || true);
	nacre_sandbox_free(sb);
}

/* ---- Runs ---- */

static void test_runs(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg), *other = sandbox(cfg), *branch = NULL;
	nacre_request req = NACRE_REQUEST_INIT, bad;
	nacre_snapshot *snap = NULL, *kept;
	static const char *const env[] = {"=x", NULL}, *const env2[] = {"novalue", NULL};
	nacre_result *res = NULL;
	nacre_run *run, *second;
	void *data = NULL;
	size_t n;

	/* Requests that are none. */
	bad = req;
	CHECK(nacre_exec(&res, sb, &bad) == -EINVAL && !res);
	bad.script = ":";
	bad.file = "/x";
	CHECK(nacre_exec(&res, sb, &bad) == -EINVAL && !res);
	bad.file = NULL;
	bad.size = 3;
	CHECK(nacre_exec(&res, sb, &bad) == -EINVAL && !res);
	bad = req;
	bad.script = "echo ${A-unset}";
	for (int i = 0; i < 2; i++) {
		bad.env = i == 0 ? env : env2;
		CHECK(nacre_exec(&res, sb, &bad) == -EINVAL && !res);
	}
	bad = req;
	bad.file = "/none";
	CHECK(nacre_exec(&res, sb, &bad) == 0 && nacre_result_exit_code(res) == 127);
	nacre_result_free(res);
	bad.file = "/tmp";
	CHECK(nacre_exec(&res, sb, &bad) == 0 && nacre_result_exit_code(res) == 126);
	nacre_result_free(res);
	bad = req;
	bad.script = "cat; echo $?";
	bad.stdin_fd = 9999;
	CHECK(nacre_exec(&res, sb, &bad) < 0 || (nacre_result_exit_code(res) == 0 && (nacre_result_free(res), true)));
	bad = req;
	bad.script = "echo a\0echo b";
	bad.script_len = 13;
	CHECK(nacre_exec(&res, sb, &bad) == 0);
	nacre_result_free(res);
	bad.script = "echo yes; exit 3;)";
	bad.script_len = 16;
	CHECK(nacre_exec(&res, sb, &bad) == 0 && nacre_result_exit_code(res) == 3);
	nacre_result_free(res);
	/* While a run goes on. */
	CHECK(nacre_snapshot_new(&kept, sb) == 0);
	req.script = "echo begun > f; sleep 100";
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	for (int i = 0; i < 10; i++)
		nacre_runtime_step(rt);
	CHECK(nacre_run_start(&second, sb, &req) == -EBUSY && !second);
	CHECK(nacre_snapshot_new(&snap, sb) == -EBUSY && nacre_snapshot_restore(sb, kept) == -EBUSY && nacre_save(&data, &n, sb) == -EBUSY);
	CHECK(nacre_fs_write(sb, "g", "x", 1, 0644) == 0);
	CHECK(gives(other, "ls", "", 0));
	nacre_run_cancel(run);
	nacre_run_cancel(run);
	nacre_run_resume(run);
	res = nacre_run_finish(run);
	CHECK(nacre_result_outcome(res) == NACRE_CANCELED);
	nacre_result_free(res);
	CHECK(gives(sb, "cat f; ls", "begun\nf\ng\n", 0));
	/* A cancel after the end changes nothing. */
	req.script = "echo end";
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	while (!nacre_run_done(run))
		nacre_runtime_step(rt);
	nacre_run_cancel(run);
	res = nacre_run_finish(run);
	CHECK(nacre_result_ok(res) && strcmp(nacre_result_stdout(res, NULL), "end\n") == 0);
	CHECK(nacre_result_dropped(res, 0) == 0 && nacre_result_dropped(res, 7) == 0 && nacre_result_spill(res, 9) == NULL && nacre_result_pipe(res, 99) == 0);
	nacre_result_free(res);
	/* Snapshots of others, and after their sandbox is gone. */
	CHECK(nacre_snapshot_restore(other, kept) == 0 || true);
	nacre_sandbox_free(sb);
	CHECK(nacre_sandbox_branch(&branch, kept) == 0 && gives(branch, "ls", "", 0));
	nacre_sandbox_free(branch);
	nacre_snapshot_free(kept);
	nacre_sandbox_free(other);
	nacre_config_free(cfg);
}

/* Snapshots and saved sandboxes of one configuration in another. */
static void test_strangers(void)
{
	nacre_config *a = nacre_config_new(), *b = nacre_config_new();
	nacre_sandbox *x, *y, *z = NULL;
	nacre_snapshot *s;
	void *data;
	size_t n;
	nacre_runtime *elsewhere;

	CHECK(nacre_config_mount(a, NULL, "/m", NACRE_MOUNT_MEMORY) == 0 && nacre_config_mount(a, "/etc", "/o", NACRE_MOUNT_OVERLAY) == 0);
	x = sandbox(a);
	y = sandbox(b);
	CHECK(gives(x, "echo m > /m/f; echo o > /o/new; echo w > w; v=1", "", 0));
	CHECK(nacre_snapshot_new(&s, x) == 0);
	CHECK(nacre_snapshot_restore(y, s) == -EINVAL);
	CHECK(gives(y, "ls", "", 0));
	CHECK(nacre_save(&data, &n, x) == 0);
	/* Without the mounts what was changed there has no place, and would be lost when the sandbox is saved again. */
	CHECK(nacre_load(&z, rt, b, data, n) == -ENOENT && !z && strstr(nacre_runtime_error(rt), "the saved sandbox has files in /"));
	CHECK(nacre_config_mount(b, NULL, "/m", NACRE_MOUNT_MEMORY) == 0 && nacre_load(&z, rt, b, data, n) == -ENOENT && !z);
	CHECK(strcmp(nacre_runtime_error(rt), "the saved sandbox has files in /o, where there is no overlay now") == 0);
	CHECK(nacre_config_mount(b, "/etc", "/o", NACRE_MOUNT_READ_ONLY) == 0 && nacre_load(&z, rt, b, data, n) == -ENOENT && !z);
	CHECK(nacre_load(&z, rt, a, data, n) == 0 && gives(z, "cat w /m/f /o/new; ls /o | grep -cx passwd", "w\nm\no\n1\n", 0));
	nacre_sandbox_free(z);
	CHECK(nacre_runtime_new(&elsewhere) == 0 && nacre_load(&z, elsewhere, a, data, n) == 0 && gives(z, "cat /m/f", "m\n", 0));
	CHECK(nacre_snapshot_restore(z, s) < 0);
	nacre_sandbox_free(z);
	nacre_runtime_free(elsewhere);
	CHECK(nacre_load(&z, rt, a, data, 0) == -EINVAL && nacre_load(&z, rt, a, "", 0) == -EINVAL && nacre_load(&z, rt, a, NULL, 0) == -EINVAL);
	nacre_free(data);
	nacre_snapshot_free(s);
	nacre_sandbox_free(x);
	nacre_sandbox_free(y);
	/* Where nothing was changed nothing is missed; what was only read is nothing. */
	nacre_config_free(b);
	b = nacre_config_new();
	x = sandbox(a);
	CHECK(gives(x, "cat /o/passwd > /dev/null; echo w > w", "", 0) && nacre_save(&data, &n, x) == 0);
	CHECK(nacre_load(&z, rt, b, data, n) == 0 && gives(z, "cat w; ls /o", "w\n", 0));
	nacre_sandbox_free(z);
	nacre_free(data);
	nacre_sandbox_free(x);
	nacre_config_free(a);
	nacre_config_free(b);
}

/* ---- Configurations ---- */

static void test_config(void)
{
	static const char *const names[] = {"", "=", "a=b"};
	static const char *const places[] = {"/", "", "m", "/m/", "/m/.", "/m/../n", "//m", "/bin", "/dev", "/proc", "/usr/bin", "/sbin"};
	static const char *const patterns[] = {"", "a?", "[a]", "a\\b", "a//b", "**a", "a**/b", "..", "../x"};
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb, *later;
	nacre_command c = NACRE_COMMAND_INIT;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int e = nacre_config_env(cfg, names[i], "x");

		CHECK(e == -EINVAL && *nacre_config_error(cfg));
		if (e == 0)
			printf("  took the variable '%s'\n", names[i]);
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		CHECK(nacre_config_mount(cfg, "/etc", places[i], NACRE_MOUNT_READ_ONLY) == -EINVAL && *nacre_config_error(cfg));
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		int e = nacre_config_deny(cfg, patterns[i], NACRE_ACCESS_READ);

		if (e == 0)
			printf("  took the pattern '%s'\n", patterns[i]);
		CHECK(e == -EINVAL && *nacre_config_error(cfg));
	}
	CHECK(nacre_config_deny(cfg, "x", 0) == -EINVAL && nacre_config_deny(cfg, "x", 8) == -EINVAL);
	CHECK(nacre_config_mount(cfg, "/etc", "/m", 99) == -EINVAL && nacre_config_mount(cfg, "", "/m", 0) == -EINVAL && nacre_config_mount(cfg, NULL, "/m", 0) == -EINVAL);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_COUNT_, 1) == -EINVAL && nacre_config_limit(cfg, (enum nacre_limit)-1, 1) == -EINVAL);
	for (uint64_t i = 1; i < 3; i++)
		CHECK(nacre_config_limit(cfg, NACRE_LIMIT_FILES, i) == -EINVAL && strstr(nacre_config_error(cfg), "3"));
	CHECK(nacre_config_cwd(cfg, "relative") == -EINVAL && nacre_config_profile(cfg, "none") == -EINVAL && nacre_config_keep(cfg, (enum nacre_keep)7) == -EINVAL);
	CHECK(nacre_config_policy(cfg, NULL, "{", 1) == -EINVAL && nacre_config_policy(cfg, "p", "", 0) == -EINVAL && nacre_config_policy(cfg, "p", "\xef\xbb\xbf{}", 5) == -EINVAL);
	CHECK(nacre_config_policy(cfg, "p", "{}\0", 3) == -EINVAL);
	CHECK(nacre_config_command(cfg, &c) == -EINVAL && nacre_config_command(cfg, NULL) == -EINVAL);
	CHECK(nacre_config_without_command(cfg, "nosuch") < 0 && nacre_config_without_command(cfg, "") < 0);
	/* Nothing of all that counts; and a sandbox keeps what was set when it was made. */
	sb = sandbox(cfg);
	CHECK(nacre_config_env(cfg, "LATER", "1") == 0 && nacre_config_mount(cfg, NULL, "/later", NACRE_MOUNT_MEMORY) == 0);
	later = sandbox(cfg);
	nacre_config_free(cfg);
	CHECK(gives(sb, "echo ${LATER-unset}; ls -d /later /m 2>/dev/null; env | grep -c =x", "unset\n0\n", 1));
	CHECK(gives(later, "echo ${LATER-unset}; ls -d /later", "1\n/later\n", 0));
	nacre_sandbox_free(sb);
	nacre_sandbox_free(later);
	cfg = nacre_config_new();
	CHECK(nacre_config_cwd(cfg, "/nowhere/at/all") == 0);
	CHECK(nacre_sandbox_new(&sb, rt, cfg) < 0 || (gives(sb, "pwd; cd /", "/nowhere/at/all\n", 0) || true));
	if (sb)
		nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Overlays, mounts, explanations ---- */

static void nothing(void *payload, const nacre_decision *d)
{
	(void)d;
	++*(int *)payload;
}

static void test_mounts(void)
{
	static const char *const subjects[] = {"", "/", "//", "://", "a/../../../b", "\xff/\xfe", "ls -l", "/none/none"};
	char dir[] = "/tmp/nacre-odd-XXXXXX";
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;
	uint64_t b, f;
	int calls = 0;
	char *long_path = malloc(20000);

	CHECK(mkdtemp(dir) != NULL && long_path);
	CHECK(nacre_config_mount(cfg, dir, "/h", NACRE_MOUNT_READ_WRITE) == 0 && nacre_config_mount(cfg, dir, "/q", NACRE_MOUNT_READ_WRITE) == 0);
	CHECK(nacre_config_mount_quota(cfg, "/q", 100, 1, 50) == 0 && nacre_config_mount(cfg, dir, "/o", NACRE_MOUNT_OVERLAY) == 0);
	/* A mount within a mount, and below a directory that is not there. */
	CHECK(nacre_config_mount(cfg, NULL, "/h/in/deep", NACRE_MOUNT_MEMORY) == 0);
	sb = sandbox(cfg);
	CHECK(gives(sb, "echo x > /h/in/deep/f; ls /h /h/in; mkdir /h/in/new 2>/dev/null; echo $?; cat /h/in/../in/deep/f; rmdir /h/in /h/in/deep 2>/dev/null; echo $?",
		    "/h:\nin\n\n/h/in:\ndeep\n1\nx\n1\n", 0));
	CHECK(nacre_mount_usage(&b, &f, sb, "/h") == -EINVAL && nacre_mount_usage(&b, &f, sb, "/") == -ENOENT && nacre_mount_usage(&b, &f, sb, NULL) == -ENOENT);
	CHECK(nacre_mount_refresh(sb, "/o") == -EINVAL && nacre_mount_set_usage(sb, "/h", 1, 1) == -EINVAL && nacre_mount_refresh(sb, "/q/") == -ENOENT);
	/* The host's word, beyond the bound: nothing fits, and taking away is always possible. */
	CHECK(gives(sb, "echo y > /q/y", "", 0) && nacre_mount_set_usage(sb, "/q", UINT64_MAX, UINT64_MAX) == 0);
	CHECK(gives(sb, "echo z > /q/z; echo $?; rm /q/y; echo $?; : > /q/z; echo $?", "1\n0\n1\n", 0));
	CHECK(nacre_mount_refresh(sb, "/q") == 0 && gives(sb, "echo z > /q/z; echo $?; rm /q/z", "0\n", 0));
	CHECK(nacre_mount_set_usage(sb, "/q", 0, 0) == 0 && gives(sb, "rm -f /q/none; mkdir /q/d; rmdir /q/d; echo $?", "0\n", 0));
	/* What somebody else removed meanwhile cannot make the count go below nothing. */
	CHECK(gives(sb, "echo a > /q/a", "", 0) && nacre_mount_set_usage(sb, "/q", 0, 0) == 0 && gives(sb, "rm /q/a", "", 0));
	CHECK(nacre_mount_usage(&b, &f, sb, "/q") == 0 && b == 0 && f == 0);
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		nacre_explain(sb, subjects[i], nothing, &calls);
	memset(long_path, '/', 19999);
	long_path[19999] = '\0';
	nacre_explain(sb, long_path, nothing, &calls);
	memset(long_path, 'x', 19999);
	long_path[0] = '/';
	CHECK(nacre_explain(sb, long_path, nothing, &calls) == -ENAMETOOLONG);
	CHECK(calls >= 8);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
	free(long_path);
	remove_tree(dir);
}

/* ---- Commands that misbehave ---- */

static nacre_invocation *held;

static void hold(nacre_invocation *inv, void *payload)
{
	char big[3] = "";

	(void)payload;
	CHECK(nacre_invocation_write(inv, 3, "x", 1) < 0 && nacre_invocation_write(inv, -1, "x", 1) < 0 && nacre_invocation_write(inv, 1, big, 0) == 0);
	CHECK(nacre_invocation_arg(inv, 1u << 30) == NULL && nacre_invocation_env(inv, "") == NULL && nacre_invocation_env_at(inv, 1u << 30) == NULL);
	held = inv;
}

static void let_go(nacre_invocation *inv, void *payload)
{
	(void)payload;
	if (held)
		nacre_invocation_complete(held, -1);
	held = NULL;
	nacre_invocation_complete(inv, 1 << 20);
}

static void *from_thread(void *arg)
{
	usleep(1000);
	nacre_invocation_write(arg, 1, "late\n", 5);
	nacre_invocation_complete(arg, 5);
	return NULL;
}

static void test_commands(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_command c = NACRE_COMMAND_INIT;
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_sandbox *sb;
	nacre_result *res;
	nacre_run *run;
	pthread_t t;

	c.name = "hold";
	c.summary = "is completed by another";
	c.run = hold;
	CHECK(nacre_config_command(cfg, &c) == 0);
	c.name = "letgo";
	c.run = let_go;
	CHECK(nacre_config_command(cfg, &c) == 0 && nacre_config_command(cfg, &c) < 0);
	sb = sandbox(cfg);
	CHECK(gives(sb, "hold & sleep 0.05; letgo; echo $?; wait $!; echo $?", "0\n255\n", 0));
	/* The run is over before the command is completed: nothing of it is seen, and the sandbox goes on. */
	req.script = "hold | cat";
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	while (!held)
		nacre_runtime_step(rt);
	nacre_run_cancel(run);
	res = nacre_run_finish(run);
	CHECK(nacre_result_outcome(res) == NACRE_CANCELED && *nacre_result_stdout(res, NULL) == '\0');
	nacre_result_free(res);
	CHECK(nacre_invocation_aborted(held));
	CHECK(pthread_create(&t, NULL, from_thread, held) == 0);
	CHECK(gives(sb, "sleep 0.05; echo on", "on\n", 0));
	pthread_join(t, NULL);
	held = NULL;
	/* The same, the sandbox gone before. */
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	while (!held)
		nacre_runtime_step(rt);
	nacre_sandbox_free(sb);
	nacre_invocation_complete(held, 0);
	held = NULL;
	nacre_config_free(cfg);
}

/* ---- Recordings ---- */

static void test_recordings(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_runtime *rec;
	nacre_sandbox *sb, *second = NULL;
	nacre_result *res = NULL, *again = NULL;
	void *data = NULL, *twice = NULL;
	const void *note;
	size_t n, m, k;

	CHECK(nacre_recording_take(&data, &n, rt, NULL, 0) == -EINVAL && nacre_replay(&again, rt, "", 0, NULL, NULL) == -EINVAL && !again);
	CHECK(nacre_replay(&again, rt, NULL, 0, NULL, NULL) == -EINVAL && nacre_replay(&again, rt, "nacre", 5, NULL, NULL) == -EINVAL);
	CHECK(nacre_runtime_new_recording(&rec, 0) == 0);
	CHECK(nacre_recording_take(&data, &n, rec, NULL, 0) == -EBUSY);
	CHECK(nacre_sandbox_new(&sb, rec, cfg) == 0 && nacre_sandbox_new(&second, rec, cfg) == -EBUSY && !second);
	CHECK(nacre_recording_take(&data, &n, rec, NULL, 0) == -EBUSY);
	req.script = "echo $RANDOM $(date +%N) > f; cat f; ls /proc/self/fd | wc -l; exit 7";
	req.timeout_ns = -1;
	CHECK(nacre_exec(&res, sb, &req) == 0);
	CHECK(nacre_recording_take(&data, &n, rec, "note", 4) == 0 && nacre_recording_take(&twice, &m, rec, "note", 4) == 0 && n == m && memcmp(data, twice, n) == 0);
	nacre_free(twice);
	CHECK(nacre_recording_note(&note, &k, rt, data, n) == 0 && k == 4 && memcmp(note, "note", 4) == 0);
	CHECK(nacre_recording_note(&note, &k, rt, data, n - 1) == -EINVAL && nacre_recording_note(&note, &k, rt, data, 0) == -EINVAL);
	/* Any number of times, in a runtime that does other things, or in the one that recorded. */
	for (int i = 0; i < 3; i++) {
		CHECK(nacre_replay(&again, i == 2 ? rec : rt, data, n, NULL, NULL) == 0 && nacre_result_exit_code(again) == 7 &&
		      strcmp(nacre_result_stdout(again, NULL), nacre_result_stdout(res, NULL)) == 0);
		nacre_result_free(again);
	}
	nacre_result_free(res);
	/* After it the sandbox is one like any other. */
	CHECK(gives(sb, "cat f | wc -w", "2\n", 0));
	nacre_sandbox_free(sb);
	nacre_runtime_free(rec);
	nacre_free(data);
	/* Too little room: the run goes on, there is no recording. */
	CHECK(nacre_runtime_new_recording(&rec, 1) == 0 && nacre_sandbox_new(&sb, rec, cfg) == 0);
	req.script = "echo fine";
	CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "fine\n") == 0);
	nacre_result_free(res);
	CHECK(nacre_recording_take(&data, &n, rec, NULL, 0) == -EFBIG);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rec);
	nacre_config_free(cfg);
}

int main(void)
{
	if (nacre_runtime_new(&rt) < 0)
		return 1;
	test_files();
	test_runs();
	test_strangers();
	test_config();
	test_mounts();
	test_commands();
	test_recordings();
	nacre_runtime_free(rt);
	return summary();
}
