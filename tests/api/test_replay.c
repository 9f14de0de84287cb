/* test_replay.c - runs recorded and done again: what comes from the host's program (commands, filesystems, output, cancels, other
 * threads) is in the recording; what is not in it is refused; what does not go as recorded is said. */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static void *bytes;
static size_t nbytes;

struct text {
	char s[3][65536];
	size_t n[3];
};

static ptrdiff_t keep(void *payload, int fd, const void *data, size_t len)
{
	struct text *t = payload;

	if (t->n[fd] + len > sizeof(t->s[fd]))
		return -1;
	memcpy(t->s[fd] + t->n[fd], data, len);
	t->n[fd] += len;
	return (ptrdiff_t)len;
}

static bool same_text(const struct text *a, const struct text *b)
{
	return a->n[1] == b->n[1] && a->n[2] == b->n[2] && memcmp(a->s[1], b->s[1], a->n[1]) == 0 && memcmp(a->s[2], b->s[2], a->n[2]) == 0;
}

/* ---- What a recording is compared with ---- */

static bool same(const nacre_result *a, const nacre_result *b)
{
	nacre_metrics x = {.size = sizeof(x)}, y = x;

	return nacre_result_outcome(a) == nacre_result_outcome(b) && nacre_result_exit_code(a) == nacre_result_exit_code(b) &&
	       strcmp(nacre_result_stdout(a, NULL), nacre_result_stdout(b, NULL)) == 0 &&
	       strcmp(nacre_result_stderr(a, NULL), nacre_result_stderr(b, NULL)) == 0 && nacre_result_metrics(&x, a) == 0 &&
	       nacre_result_metrics(&y, b) == 0 && memcmp(&x, &y, sizeof(x)) == 0 && nacre_result_denials(a) == nacre_result_denials(b);
}

static void replays(const nacre_result *had, const struct text *out)
{
	struct text *again = calloc(1, sizeof(*again));
	nacre_result *res = NULL;
	int e = nacre_replay(&res, rt, bytes, nbytes, keep, again);

	CHECK(e == 0);
	if (e < 0) {
		printf("  %s\n", nacre_runtime_error(rt));
	} else {
		CHECK(same(had, res));
		CHECK(!out || same_text(out, again));
	}
	nacre_result_free(res);
	free(again);
}

static nacre_sandbox *recorded(nacre_runtime **r, const nacre_config *cfg)
{
	nacre_sandbox *sb;

	if (nacre_runtime_new_recording(r, 0) < 0 || nacre_sandbox_new(&sb, *r, cfg) < 0) {
		printf("%s\n", nacre_runtime_error(*r));
		exit(1);
	}
	return sb;
}

/* Takes the recording, gives all back, replays it twice. */
static void finish(nacre_runtime *r, nacre_sandbox *sb, nacre_config *cfg, nacre_result *res, const struct text *out)
{
	nacre_free(bytes);
	CHECK(nacre_recording_take(&bytes, &nbytes, r, "a note", 6) == 0);
	nacre_sandbox_free(sb);
	nacre_runtime_free(r);
	nacre_config_free(cfg);
	replays(res, out);
	replays(res, out);
	nacre_result_free(res);
}

static nacre_result *run_script(nacre_runtime *r, nacre_sandbox *sb, const char *script)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res = NULL;

	req.script = script;
	if (nacre_exec(&res, sb, &req) < 0)
		printf("exec: %s\n", nacre_runtime_error(r));
	return res;
}

/* ---- Plain runs ---- */

static void test_plain(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_runtime *r;
	nacre_sandbox *sb = recorded(&r, cfg), *other;
	const void *note;
	void *none;
	size_t n;

	CHECK(nacre_recording_take(&bytes, &nbytes, r, NULL, 0) == -EBUSY && strstr(nacre_runtime_error(r), "no run"));
	CHECK(nacre_sandbox_new(&other, r, cfg) == -EBUSY && strstr(nacre_runtime_error(r), "one sandbox"));
	CHECK(nacre_overlay_discard(sb, NULL) == -EBUSY);
	nacre_result *res = run_script(r, sb, "date +%s%N; echo $RANDOM; cat /etc/none; (exit 3)");
	CHECK(nacre_fs_write(sb, "f", "x", 1, 0644) == 0);
	finish(r, sb, cfg, res, NULL);
	CHECK(nacre_recording_note(&note, &n, rt, bytes, nbytes) == 0 && n == 6 && memcmp(note, "a note", 6) == 0);
	CHECK(nacre_recording_note(&note, &n, rt, bytes, nbytes - 1) == -EINVAL && strstr(nacre_runtime_error(rt), "damaged"));
	CHECK(nacre_recording_take(&none, &n, rt, NULL, 0) == -EINVAL && strstr(nacre_runtime_error(rt), "does not record"));
}

static void test_ceiling(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_runtime *r;
	nacre_sandbox *sb = NULL;
	void *data;
	size_t n;

	CHECK(nacre_runtime_new_recording(&r, 10000) == 0 && nacre_sandbox_new(&sb, r, cfg) == 0);
	nacre_result *res = run_script(r, sb, "head -c 1000000 /dev/urandom | wc -c");
	CHECK(strcmp(nacre_result_stdout(res, NULL), "1000000\n") == 0);
	CHECK(nacre_recording_take(&data, &n, r, NULL, 0) == -EFBIG && strstr(nacre_runtime_error(r), "larger than 10000"));
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_runtime_free(r);
	nacre_config_free(cfg);
}

/* Every setting goes into the recording. */
static void test_settings(void)
{
	static const char *const without[] = {"sort", "tr", "find"};
	static const char *const allowed[] = {"cat", "echo", "date", "seq", "head", NULL};
	nacre_config *cfg = nacre_config_new();
	nacre_runtime *r;
	nacre_sandbox *sb;

	for (size_t i = 0; i < 3; i++)
		CHECK(nacre_config_without_command(cfg, without[i]) == 0);
	CHECK(nacre_config_allow_commands(cfg, allowed) == 0);
	CHECK(nacre_config_deny(cfg, "secret", NACRE_ACCESS_READ) == 0 && nacre_config_deny(cfg, "/etc/**", NACRE_ACCESS_WRITE) == 0);
	CHECK(nacre_config_clear_env(cfg) == 0 && nacre_config_env(cfg, "A", "b=c") == 0 && nacre_config_env(cfg, "PATH", "/bin") == 0);
	CHECK(nacre_config_mount(cfg, NULL, "/mem", NACRE_MOUNT_MEMORY) == 0 && nacre_config_mount_quota(cfg, "/mem", 10000, 8, 50) == 0);
	CHECK(nacre_config_cwd(cfg, "/mem") == 0 && nacre_config_limit(cfg, NACRE_LIMIT_LOOPS, 1000) == 0);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_OUTPUT, 500) == 0 && nacre_config_keep(cfg, NACRE_KEEP_BOTH) == 0);
	CHECK(nacre_config_refuse_syntax(cfg, "case") == 0 && nacre_config_records(cfg, 100) == 0 && nacre_config_rollback(cfg, true) == 0);
	sb = recorded(&r, cfg);
	nacre_result *res = run_script(r, sb, "echo $A $PWD; sort </dev/null; wc </dev/null; echo x >secret; cat secret; seq 100 >f; head -c 60 /dev/zero >g; date;"
					      "seq 1000; eval 'case a in a) ;; esac'; while :; do :; done");
	CHECK(nacre_result_outcome(res) == NACRE_LIMITED && nacre_result_truncated(res) && nacre_result_denials(res) > 1);
	finish(r, sb, cfg, res, NULL);
}

/* ---- Output that is taken later, in an event loop ---- */

struct slow {
	struct text all;
	unsigned turn;
};

static ptrdiff_t slowly(void *payload, int fd, const void *data, size_t len)
{
	struct slow *s = payload;

	if (++s->turn % 3 == 0)
		return 0;
	return keep(&s->all, fd, data, len > 1000 ? 1000 : len);
}

static void test_slow_output(void)
{
	nacre_config *cfg = nacre_config_new();
	struct slow *s = calloc(1, sizeof(*s));
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_runtime *r;
	nacre_sandbox *sb = recorded(&r, cfg);
	int64_t timeout;
	nacre_run *run;

	req.script = "seq 3000; seq 100 >&2; sleep 0.01; echo end";
	req.on_output = slowly;
	req.payload = s;
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	while (!nacre_run_done(run)) {
		enum nacre_step step = nacre_runtime_step(r);

		nacre_runtime_wait(r, NULL, 0, &timeout);
		if (step == NACRE_STEP_WAIT)
			nacre_run_resume(run);
		if (step == NACRE_STEP_WAIT)
			nacre_runtime_block(r, 1000000);
	}
	nacre_result *res = nacre_run_finish(run);
	CHECK(s->all.n[1] == 13897 && s->all.n[2] == 292);
	finish(r, sb, cfg, res, &s->all);
	free(s);
}

/* ---- Cancelled by another thread ---- */

static void *cancel_soon(void *arg)
{
	usleep(20000);
	nacre_run_cancel(arg);
	return NULL;
}

static void test_cancel(void)
{
	for (int i = 0; i < 2; i++) {
		nacre_config *cfg = nacre_config_new();
		nacre_request req = NACRE_REQUEST_INIT;
		nacre_runtime *r;
		nacre_sandbox *sb = recorded(&r, cfg);
		pthread_t thread;
		nacre_run *run;

		req.script = i ? "echo a; sleep 100; echo b" : "trap 'echo trapped' INT; i=0; while :; do i=$((i+1)); done";
		CHECK(nacre_run_start(&run, sb, &req) == 0 && pthread_create(&thread, NULL, cancel_soon, run) == 0);
		while (!nacre_run_done(run))
			if (nacre_runtime_step(r) == NACRE_STEP_WAIT && !nacre_run_done(run))
				nacre_runtime_block(r, -1);
		pthread_join(thread, NULL);
		nacre_result *res = nacre_run_finish(run);
		CHECK(nacre_result_outcome(res) == NACRE_CANCELED);
		finish(r, sb, cfg, res, NULL);
	}
}

/* Threads that have something to complete: before the runtime goes they must have. */
static atomic_int outstanding;

static void all_completed(void)
{
	while (atomic_load(&outstanding))
		usleep(1000);
}

/* ---- Commands of the host's, completed at once, by another thread, after nested runs ---- */

static void *complete_soon(void *arg)
{
	nacre_invocation *inv = arg;

	usleep(5000);
	nacre_invocation_complete(inv, 7);
	atomic_fetch_sub(&outstanding, 1);
	return NULL;
}

static void nested_done(void *payload, nacre_invocation *inv, nacre_result *res)
{
	size_t n;
	const char *text = nacre_result_stdout(res, &n);
	nacre_nested again = NACRE_NESTED_INIT;
	static int deeper;

	(void)payload;
	nacre_invocation_write(inv, 1, text, n);
	nacre_result_free(res);
	again.script = "date +%N; ask later";
	if (deeper++ % 2 == 0 && nacre_invocation_run(inv, &again, nested_done, NULL) == 0)
		return;
	nacre_invocation_complete(inv, 0);
}

static void ask(nacre_invocation *inv, void *payload)
{
	static unsigned calls;
	char text[80];
	const char *what = nacre_invocation_argc(inv) > 1 ? nacre_invocation_arg(inv, 1) : "";
	nacre_nested nested = NACRE_NESTED_INIT;
	pthread_t thread;

	(void)payload;
	/* Nothing that a replay could find out by itself. */
	snprintf(text, sizeof(text), "answer %u\n", ++calls);
	nacre_invocation_write(inv, 1, text, strlen(text));
	if (strcmp(what, "later") == 0) {
		atomic_fetch_add(&outstanding, 1);
		pthread_create(&thread, NULL, complete_soon, inv);
		pthread_detach(thread);
		return;
	}
	nested.script = "echo nested $RANDOM; ask; date +%N";
	if (strcmp(what, "nested") == 0 && nacre_invocation_run(inv, &nested, nested_done, NULL) == 0)
		return;
	if (strcmp(what, "fail") == 0)
		nacre_invocation_fail(inv, 3, "no");
	else
		nacre_invocation_complete(inv, 0);
}

static void test_commands(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_command c = NACRE_COMMAND_INIT;
	nacre_runtime *r;
	nacre_sandbox *sb;

	c.name = "ask";
	c.summary = "asks the host";
	c.run = ask;
	c.reads_stdin = true;
	CHECK(nacre_config_command(cfg, &c) == 0);
	sb = recorded(&r, cfg);
	nacre_result *res = run_script(r, sb, "ask; ask later; echo $?; echo in | ask fail; echo $?; for i in 1 2 3; do ask later & done; wait; ask nested; "
					      "ask later | ask later | cat; timeout 0.001 ask later; ask; date +%N");
	CHECK(strstr(nacre_result_stdout(res, NULL), "\n7\nanswer ") && strstr(nacre_result_stdout(res, NULL), "\n3\n") && strcmp(nacre_result_stderr(res, NULL), "ask: no\n") == 0);
	CHECK(strstr(nacre_result_stdout(res, NULL), "nested ") != NULL);
	all_completed();
	finish(r, sb, cfg, res, NULL);
}

/* ---- What the host does with the sandbox's files ---- */

static int look_at(void *payload, const char *name, uint32_t type)
{
	nacre_stat st = {.size_of = sizeof(st)};
	nacre_invocation *inv = payload;
	char text[300];

	(void)type;
	if (nacre_fs_stat(&st, nacre_invocation_sandbox(inv), name, true) == 0) {
		snprintf(text, sizeof(text), "%s %lld\n", name, (long long)st.size);
		nacre_invocation_write(inv, 1, text, strlen(text));
	}
	return 0;
}

/* Reads what the script wrote, writes what the script then reads; nothing that a replay could find out by itself. */
static void works(nacre_invocation *inv, void *payload)
{
	static unsigned calls;
	nacre_sandbox *sb = nacre_invocation_sandbox(inv);
	char text[80], *data;
	nacre_file *f;
	size_t n;

	(void)payload;
	snprintf(text, sizeof(text), "call %u\n", ++calls);
	CHECK(nacre_fs_list(sb, "/workspace", look_at, inv) == 0);
	if (nacre_fs_read(&data, &n, sb, "in") == 0) {
		nacre_invocation_write(inv, 1, data, n);
		nacre_free(data);
	}
	CHECK(nacre_fs_read(&data, &n, sb, "/none") == -ENOENT);
	CHECK(nacre_file_open(&f, sb, "made", NACRE_OPEN_READ | NACRE_OPEN_WRITE | NACRE_OPEN_CREATE, 0600) == 0);
	CHECK(nacre_file_write_at(f, text, strlen(text), 0) > 0 && nacre_file_read_at(f, text, 4, 0) == 4 && nacre_file_sync(f) == 0);
	nacre_file_close(f);
	CHECK(nacre_fs_mkdir(sb, "d", 0755) == 0 && nacre_fs_rename(sb, "d", "e") == 0 && nacre_fs_remove(sb, "e") == 0);
	CHECK(nacre_fs_write(sb, "/host/written", text, 4, 0644) == 0);
	nacre_invocation_complete(inv, 0);
}

static ptrdiff_t refused(void *payload, int fd, const void *data, size_t len)
{
	nacre_sandbox **sb = payload;

	(void)fd, (void)data;
	CHECK(nacre_fs_write(*sb, "no", "x", 1, 0644) == -EBUSY);
	return (ptrdiff_t)len;
}

static void test_host_files(void)
{
	char dir[] = "/tmp/nacre-replay-XXXXXX";
	nacre_config *cfg = nacre_config_new();
	nacre_command c = NACRE_COMMAND_INIT;
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_sandbox *sb;
	nacre_runtime *r;
	nacre_file *open;
	nacre_run *run;
	int waits = 0;

	CHECK(mkdtemp(dir) != NULL);
	CHECK(nacre_config_mount(cfg, dir, "/host", NACRE_MOUNT_READ_WRITE) == 0);
	c.name = "host";
	c.summary = "works on files";
	c.run = works;
	CHECK(nacre_config_command(cfg, &c) == 0);
	sb = recorded(&r, cfg);
	/* Before the run, while it goes on, and by its commands. */
	CHECK(nacre_fs_write(sb, "before", "first\n", 6, 0644) == 0 && nacre_fs_write(sb, "/bin/x", "", 0, 0644) < 0);
	CHECK(nacre_file_open(&open, sb, "open", NACRE_OPEN_WRITE | NACRE_OPEN_CREATE, 0644) == 0);
	req.script = "cat before; until [ -e go ]; do sleep 0.001; done; cat go open; date +%N > in; host; host; cat made; stat -c %Y made; cat /host/written; ls";
	req.on_output = refused;
	req.payload = &sb;
	req.also_capture = true;
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	while (!nacre_run_done(run)) {
		if (nacre_runtime_step(r) != NACRE_STEP_WAIT || nacre_run_done(run))
			continue;
		if (++waits == 5)
			CHECK(nacre_file_write_at(open, "open\n", 5, 0) == 5 && nacre_fs_write(sb, "go", "went\n", 5, 0644) == 0);
		nacre_runtime_block(r, -1);
	}
	nacre_file_close(open);
	nacre_result *res = nacre_run_finish(run);
	CHECK(nacre_result_ok(res) && strstr(nacre_result_stdout(res, NULL), "first\nwent\nopen\n") && strstr(nacre_result_stdout(res, NULL), "\nmade 7\n"));
	remove_tree(dir);
	finish(r, sb, cfg, res, NULL);
}

/* ---- Filesystems of the host's ---- */

struct store {
	char data[1000];
	size_t n;
	unsigned asked;
	bool later, fast;
};

struct answer {
	nacre_fs_op *op;
	int64_t result;
};

static void *answer_soon(void *arg)
{
	struct answer a = *(struct answer *)arg;

	free(arg);
	usleep(1000);
	nacre_fs_complete(a.op, a.result);
	atomic_fetch_sub(&outstanding, 1);
	return NULL;
}

/* Now, or by another thread. */
static int64_t answer(struct store *s, nacre_fs_op *op, int64_t result)
{
	struct answer *a;
	pthread_t thread;

	if (!s->later || ++s->asked % 2)
		return result;
	a = malloc(sizeof(*a));
	*a = (struct answer){op, result};
	atomic_fetch_add(&outstanding, 1);
	pthread_create(&thread, NULL, answer_soon, a);
	pthread_detach(thread);
	return NACRE_FS_PENDING;
}

static int store_stat(void *payload, nacre_fs_op *op, const char *path, nacre_stat *out)
{
	struct store *s = payload;

	if (*path && strcmp(path, "f") != 0)
		return (int)answer(s, op, -ENOENT);
	out->mode = *path ? 0100644 : 040755;
	out->size = (int64_t)s->n;
	out->mtime_ns = (int64_t)s->asked * 1000000000;
	return (int)answer(s, op, 0);
}

static int store_readdir(void *payload, nacre_fs_op *op, const char *path)
{
	(void)path;
	nacre_fs_op_add(op, "f", 0100000);
	return (int)answer(payload, op, 0);
}

static int store_open(void *payload, nacre_fs_op *op, const char *path, unsigned flags, unsigned mode, void **handle)
{
	(void)mode;
	if (strcmp(path, "f") != 0)
		return (int)answer(payload, op, -EROFS);
	*handle = payload;
	if (flags & NACRE_OPEN_TRUNC)
		((struct store *)payload)->n = 0;
	return (int)answer(payload, op, 0);
}

static int64_t store_read(void *payload, nacre_fs_op *op, void *handle, void *buf, size_t n, int64_t at)
{
	struct store *s = handle;
	size_t left = (size_t)at < s->n ? s->n - (size_t)at : 0;

	n = n < left ? n : left;
	memcpy(buf, s->data + at, n);
	return answer(payload, op, (int64_t)n);
}

static int64_t store_write(void *payload, nacre_fs_op *op, void *handle, const void *buf, size_t n, int64_t at)
{
	struct store *s = handle;
	size_t from = at < 0 ? s->n : (size_t)at;

	if (from + n > sizeof(s->data))
		return answer(payload, op, -ENOSPC);
	memcpy(s->data + from, buf, n);
	s->n = from + n > s->n ? from + n : s->n;
	return answer(payload, op, (int64_t)n);
}

static int store_truncate(void *payload, nacre_fs_op *op, void *handle, int64_t size)
{
	((struct store *)handle)->n = (size_t)size < sizeof(((struct store *)handle)->data) ? (size_t)size : 0;
	return (int)answer(payload, op, 0);
}

static void store_close(void *payload, void *handle)
{
	(void)payload;
	(void)handle;
}

static int refuse_path(void *payload, nacre_fs_op *op, const char *path)
{
	(void)path;
	return (int)answer(payload, op, -EPERM);
}

static int refuse_mkdir(void *payload, nacre_fs_op *op, const char *path, unsigned mode)
{
	(void)path;
	(void)mode;
	return (int)answer(payload, op, -EPERM);
}

static int refuse_rename(void *payload, nacre_fs_op *op, const char *from, const char *to)
{
	(void)from;
	(void)to;
	return (int)answer(payload, op, -EPERM);
}

static bool is_fast(void *payload)
{
	return ((struct store *)payload)->fast;
}

static void test_filesystem(bool later, bool fast)
{
	struct store s = {.data = "the host's\n", .n = 11, .later = later, .fast = fast};
	nacre_filesystem fs = {.size = sizeof(fs), .payload = &s, .stat = store_stat, .readdir = store_readdir, .mkdir = refuse_mkdir,
			       .rename = refuse_rename, .unlink = refuse_path, .rmdir = refuse_path, .open = store_open, .read_at = store_read,
			       .write_at = store_write, .truncate = store_truncate, .close = store_close, .is_fast = is_fast};
	nacre_config *cfg = nacre_config_new();
	nacre_runtime *r;
	nacre_sandbox *sb;

	CHECK(nacre_config_mount_fs(cfg, &fs, "/h", NACRE_MOUNT_READ_WRITE) == 0 && nacre_config_cwd(cfg, "/h") == 0);
	sb = recorded(&r, cfg);
	nacre_result *res = run_script(r, sb, "ls -l --full-time; cat f; echo more >> f; cat f | wc; stat -c %s f; seq 1000 > f; echo $?; rm f; mkdir d; echo x > g; "
					      "(timeout 0.0005 cat f; timeout 0.002 cat f) | wc -c; cat none; find / -name f");
	CHECK(strstr(nacre_result_stdout(res, NULL), "the host's\n") != NULL);
	all_completed();
	finish(r, sb, cfg, res, NULL);
}

/* ---- Sessions, and what is damaged ---- */

static void test_load(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);
	nacre_runtime *r = NULL;
	void *data = NULL;
	size_t n = 0;

	CHECK(gives(sb, "x=kept; echo file > f; cd /tmp", "", 0) && nacre_save(&data, &n, sb) == 0);
	nacre_sandbox_free(sb);
	CHECK(nacre_runtime_new_recording(&r, 0) == 0 && nacre_load(&sb, r, cfg, data, n) == 0);
	nacre_free(data);
	nacre_result *res = run_script(r, sb, "echo $x $PWD; cat /workspace/f; date +%N");
	CHECK(strncmp(nacre_result_stdout(res, NULL), "kept /tmp\nfile\n", 15) == 0);
	finish(r, sb, cfg, res, NULL);
}

/* The last recording, with each bit flipped in turn (some of them, when it is long). */
static void test_damage(void)
{
	char *copy = malloc(nbytes);
	size_t step = nbytes * 8 / 3000 + 1;
	nacre_result *res;

	memcpy(copy, bytes, nbytes);
	for (size_t bit = 0; bit < nbytes * 8; bit += step) {
		copy[bit / 8] ^= (char)(1 << bit % 8);
		CHECK(nacre_replay(&res, rt, copy, nbytes, NULL, NULL) == -EINVAL && res == NULL);
		copy[bit / 8] ^= (char)(1 << bit % 8);
	}
	for (size_t len = 0; len < nbytes; len += 1 + nbytes / 500)
		CHECK(nacre_replay(&res, rt, copy, len, NULL, NULL) == -EINVAL);
	free(copy);
}

int main(void)
{
	if (nacre_runtime_new(&rt) < 0)
		return 1;
	test_plain();
	test_ceiling();
	test_settings();
	test_slow_output();
	test_cancel();
	for (int i = 0; i < 5; i++) {
		test_commands();
		test_host_files();
		test_filesystem(false, false);
		test_filesystem(true, false);
	}
	test_filesystem(false, true);
	test_load();
	test_damage();
	nacre_free(bytes);
	nacre_runtime_free(rt);
	return summary();
}
