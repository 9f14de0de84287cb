/* test_io.c - pipes, FIFOs, passing on by reference, giving back, polling, streams, host calls. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "world.h"

static struct world w;

#define N(x) ((int64_t)(x))

/* ---- Pipes -------------------------------------------------------------------------- */

static int write_much(struct proc *p, void *arg)
{
	size_t total = *(size_t *)arg;
	char buf[1000];

	for (size_t i = 0; i < sizeof(buf); i++)
		buf[i] = (char)(i % 251);
	for (size_t done = 0; done < total; done += sizeof(buf))
		if (sys_write(p, 1, buf, sizeof(buf)) != N(sizeof(buf)))
			return 1;
	return 0;
}

/* The usual: a pipe to a child's stdout; our end of it. */
static int from_child(struct proc *p, int (*entry)(struct proc *, void *), const void *arg,
                      size_t n, int *pid)
{
	int a[2];
	struct sys_fd_move m[3];

	CHECK_EQ(sys_pipe(p, a), 0);
	m[0] = (struct sys_fd_move){a[1], 1};
	m[1] = (struct sys_fd_move){-1, a[0]};
	m[2] = (struct sys_fd_move){-1, a[1]};
	*pid = sys_spawn(p,
	                 &(struct sys_spawn){
	                         .entry = entry, .arg = arg, .arg_size = n, .fds = m, .nfds = 3});
	CHECK(*pid > 0);
	CHECK_EQ(sys_close(p, a[1]), 0);
	return a[0];
}

static int pipes(struct proc *p, int argc, char **argv)
{
	size_t total = 1000000, got = 0;
	int pid, fd = from_child(p, write_much, &total, sizeof(total), &pid);
	struct sys_wait st;
	char *buf = arena_alloc(&sys_self(p)->arena, 70000);
	int64_t n;
	bool right = true;

	(void)argc;
	(void)argv;
	while ((n = sys_read(p, fd, buf, 70000)) > 0) {
		for (int64_t i = 0; i < n; i++)
			right &= buf[i] == (char)((got + (size_t)i) % 1000 % 251);
		got += (size_t)n;
	}
	CHECK_EQ(got, total);
	CHECK(right);
	CHECK_EQ(sys_wait(p, pid, 0, &st), pid);
	CHECK_EQ(st.status, 0);
	/* A reader that goes away ends the writer. */
	fd = from_child(p, write_much, &total, sizeof(total), &pid);
	CHECK(sys_read(p, fd, buf, 10) > 0);
	CHECK_EQ(sys_close(p, fd), 0);
	CHECK_EQ(sys_wait(p, pid, 0, &st), pid);
	CHECK_EQ(st.signal, SYS_SIGPIPE);
	sys_signal(p, SYS_SIGPIPE, SYS_SIG_IGNORE);
	fd = from_child(p, write_much, &total, sizeof(total), &pid);
	CHECK_EQ(sys_close(p, fd), 0);
	CHECK_EQ(sys_wait(p, pid, 0, &st), pid);
	CHECK_EQ(st.status, 1);
	return 0;
}

static int slices(struct proc *p, int argc, char **argv)
{
	struct sys_slice s;
	int a[2];
	char buf[64];
	size_t got;

	(void)argc;
	(void)argv;
	CHECK_EQ(sys_pipe(p, a), 0);
	CHECK_EQ(sys_write(p, a[1], "one\ntwo\nthree", 13), 13);
	CHECK_EQ(sys_read_slice(p, a[0], 0, &s), 13);
	CHECK_EQ(sys_unread(p, a[0], 14), -NACRE_EINVAL);
	CHECK_EQ(sys_unread(p, a[0], 9), 0);
	CHECK_EQ(sys_unread(p, a[0], 5), -NACRE_EINVAL);
	CHECK(memcmp(s.ptr, "one\n", 4) == 0);
	CHECK_EQ(sys_read_until(p, a[0], '\n', buf, sizeof(buf), -1, NULL), 4);
	CHECK(memcmp(buf, "two\n", 4) == 0);
	CHECK_EQ(sys_read(p, a[0], buf, 2), 2);
	CHECK_EQ(sys_unread(p, a[0], 1), 0);
	CHECK_EQ(sys_read(p, a[0], buf, 64), 4);
	CHECK(memcmp(buf, "hree", 4) == 0);
	CHECK_EQ(sys_read_until(p, a[0], '\n', buf, sizeof(buf), 1000000, &got), -NACRE_ETIMEDOUT);
	CHECK_EQ(sys_write(p, a[1], "xyz", 3), 3);
	CHECK_EQ(sys_read_until(p, a[0], '\n', buf, sizeof(buf), 1000000, &got), -NACRE_ETIMEDOUT);
	CHECK_EQ(got, 3);
	CHECK_EQ(sys_write(p, a[1], "0123456789", 10), 10);
	CHECK_EQ(sys_read_until(p, a[0], -1, buf, 4, -1, NULL), 4);
	CHECK_EQ(sys_read_until(p, a[0], '9', buf, 3, -1, NULL), 3);
	CHECK(memcmp(buf, "456", 3) == 0);
	CHECK_EQ(sys_write(p, a[1], "abc", 3), 3);
	CHECK_EQ(sys_close(p, a[1]), 0);
	CHECK_EQ(sys_read_until(p, a[0], '\n', buf, 64, -1, NULL), 6);
	CHECK_EQ(sys_read_until(p, a[0], '\n', buf, 64, -1, NULL), 0);
	CHECK_EQ(sys_seek(p, a[0], 0, SYS_SEEK_SET), -NACRE_ESPIPE);
	CHECK_EQ(sys_write(p, a[0], "x", 1), -NACRE_EBADF);
	CHECK_EQ(sys_close(p, a[0]), 0);
	/* Lines of a file, not one byte further. */
	CHECK_EQ(a[0] = sys_open(p, "f", SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE, 0644), 3);
	for (int i = 0; i < 300; i++)
		CHECK_EQ(sys_write(p, 3, "line of a file\n", 15), 15);
	CHECK_EQ(sys_seek(p, 3, 0, SYS_SEEK_SET), 0);
	for (int i = 0; i < 300; i++) {
		CHECK_EQ(sys_read_until(p, 3, '\n', buf, sizeof(buf), -1, NULL), 15);
		CHECK_EQ(sys_seek(p, 3, 0, SYS_SEEK_CUR), (i + 1) * 15);
	}
	CHECK_EQ(sys_pread(p, 3, buf, 4, 15), 4);
	CHECK(memcmp(buf, "line", 4) == 0);
	CHECK_EQ(sys_seek(p, 3, 0, SYS_SEEK_SET), 0);
	CHECK_EQ(sys_read(p, 3, buf, 10), 10);
	CHECK_EQ(sys_unread(p, 3, 6), 0);
	CHECK_EQ(sys_seek(p, 3, 0, SYS_SEEK_CUR), 4);
	/* Asking for the offset takes nothing away, moving it does. */
	CHECK_EQ(sys_unread(p, 3, 3), 0);
	CHECK_EQ(sys_seek(p, 3, 0, SYS_SEEK_CUR), 1);
	CHECK(sys_read_slice(p, 3, 100, &s) > 15);
	CHECK_EQ(sys_seek(p, 3, 40, SYS_SEEK_SET), 40);
	CHECK(memcmp(s.ptr, "ine of a file\n", 14) == 0);
	CHECK_EQ(sys_unread(p, 3, 1), -NACRE_EINVAL);
	CHECK_EQ(sys_seek(p, 3, 4, SYS_SEEK_SET), 4);
	/* A here-document. */
	CHECK_EQ(a[1] = sys_memfile(p, "hello\nworld\n", 12), 4);
	CHECK_EQ(sys_read_until(p, 4, '\n', buf, 64, -1, NULL), 6);
	CHECK_EQ(sys_read(p, 4, buf, 64), 6);
	CHECK_EQ(sys_read(p, 4, buf, 64), 0);
	CHECK_EQ(sys_seek(p, 4, -3, SYS_SEEK_END), 9);
	CHECK_EQ(sys_read(p, 4, buf, 64), 3);
	return 0;
}

/* A pipe holds 64 KiB whatever the writes; the next byte waits. */
static int capacity(struct proc *p, int argc, char **argv)
{
	struct sys_poll v[2];
	size_t held = 0;
	int a[2];
	bool failed;

	(void)argc;
	(void)argv;
	CHECK_EQ(sys_pipe(p, a), 0);
	v[0] = (struct sys_poll){.fd = a[0], .want_read = true};
	v[1] = (struct sys_poll){.fd = a[1], .want_write = true};
	CHECK_EQ(sys_poll(p, v, 2, 0), 1);
	CHECK(!v[0].can_read && v[1].can_write);
	CHECK_EQ(sys_poll(p, v, 1, 1000000), 0);
	while (sys_poll(p, &v[1], 1, 0) == 1) {
		CHECK_EQ(sys_write(p, a[1], "x", 1), 1);
		held++;
	}
	CHECK_EQ(held, 65536 - 4096 + 1);
	CHECK_EQ(sys_poll(p, v, 2, -1), 1);
	CHECK(v[0].can_read && !v[1].can_write);
	CHECK_EQ(sys_splice(p, a[0], 1, held - 1, &failed), N(held - 1));
	CHECK_EQ(sys_close(p, a[1]), 0);
	CHECK_EQ(sys_splice(p, a[0], 1, 0, &failed), 1);
	v[0].fd = a[1];
	CHECK_EQ(sys_poll(p, v, 1, 0), -NACRE_EBADF);
	return 0;
}

static int passes_on(struct proc *p, void *arg)
{
	bool failed;

	(void)arg;
	return sys_splice(p, 0, 1, 0, &failed) < 0;
}

/* file | cat | cat > file, by reference, and the same bytes. */
static int passing(struct proc *p, int argc, char **argv)
{
	const size_t size = 3 << 20;
	char *buf = arena_alloc(&sys_self(p)->arena, size),
	     *back = arena_alloc(&sys_self(p)->arena, size);
	struct sys_wait st;
	int a[2], fd, out;
	int64_t n;
	size_t got = 0;

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < size; i++)
		buf[i] = (char)(i * 2654435761u >> 13);
	fd = sys_open(p, "in", SYS_O_WRITE | SYS_O_CREATE, 0644);
	CHECK_EQ(sys_write(p, fd, buf, size), N(size));
	CHECK_EQ(sys_close(p, fd), 0);
	fd = sys_open(p, "in", SYS_O_READ, 0);
	out = sys_open(p, "out", SYS_O_WRITE | SYS_O_CREATE, 0644);
	CHECK_EQ(sys_pipe(p, a), 0);
	CHECK(sys_spawn(p, &(struct sys_spawn){
	                           .entry = passes_on,
	                           .nfds = 4,
	                           .fds = (struct sys_fd_move[]){
	                                   {fd, 0}, {a[1], 1}, {-1, a[0]}, {-1, a[1]}}}) > 0);
	CHECK(sys_spawn(p, &(struct sys_spawn){
	                           .entry = passes_on,
	                           .nfds = 4,
	                           .fds = (struct sys_fd_move[]){
	                                   {a[0], 0}, {out, 1}, {-1, a[0]}, {-1, a[1]}}}) > 0);
	CHECK_EQ(sys_close(p, a[0]) + sys_close(p, a[1]), 0);
	CHECK(sys_wait(p, -1, 0, &st) > 0 && st.status == 0 && st.signal == 0);
	CHECK(sys_wait(p, -1, 0, &st) > 0 && st.status == 0 && st.signal == 0);
	CHECK_EQ(sys_close(p, out) + sys_close(p, fd), 0);
	fd = sys_open(p, "out", SYS_O_READ, 0);
	while ((n = sys_read(p, fd, back + got, size - got)) > 0)
		got += (size_t)n;
	CHECK_EQ(got, size);
	CHECK(memcmp(buf, back, size) == 0);
	return 0;
}

/* ---- FIFOs -------------------------------------------------------------------------- */

static int fifo_writer(struct proc *p, void *arg)
{
	int fd = sys_open(p, "fifo", SYS_O_WRITE, 0);

	(void)arg;
	return fd < 0 || say(p, fd, "through\n");
}

static int fifo_waits(struct proc *p, void *arg)
{
	(void)arg;
	return sys_open(p, "fifo", SYS_O_READ, 0) >= 0;
}

static int fifos(struct proc *p, int argc, char **argv)
{
	struct sys_wait st;
	char buf[64];
	int fd, pid;

	(void)argc;
	(void)argv;
	CHECK_EQ(sys_mkfifo(p, "fifo", 0644), 0);
	CHECK_EQ(sys_open(p, "fifo", SYS_O_WRITE | SYS_O_NONBLOCK, 0), -NACRE_ENXIO);
	for (int i = 0; i < 3; i++) {
		pid = sys_spawn(p, &(struct sys_spawn){.entry = fifo_writer});
		if (i == 1)
			CHECK_EQ(sys_sleep(p, 1000000), 0);
		fd = sys_open(p, "fifo", SYS_O_READ, 0);
		CHECK_EQ(fd, 3);
		CHECK_EQ(sys_read(p, fd, buf, sizeof(buf)), 8);
		CHECK_EQ(sys_read(p, fd, buf, sizeof(buf)), 0);
		CHECK_EQ(sys_close(p, fd), 0);
		CHECK_EQ(sys_wait(p, pid, 0, &st), pid);
		CHECK_EQ(st.status, 0);
	}
	fd = sys_open(p, "fifo", SYS_O_READ | SYS_O_WRITE, 0);
	CHECK_EQ(fd, 3);
	say(p, fd, "self");
	CHECK_EQ(sys_read(p, fd, buf, sizeof(buf)), 4);
	CHECK_EQ(sys_close(p, fd), 0);
	pid = sys_spawn(p, &(struct sys_spawn){.entry = fifo_waits});
	CHECK_EQ(sys_sleep(p, 1000000), 0);
	CHECK_EQ(sys_kill(p, pid, SYS_SIGTERM), 0);
	CHECK_EQ(sys_wait(p, pid, 0, &st), pid);
	CHECK_EQ(st.signal, SYS_SIGTERM);
	CHECK_EQ(sys_open(p, "fifo", SYS_O_WRITE | SYS_O_NONBLOCK, 0), -NACRE_ENXIO);
	return 0;
}

/* ---- Streams ------------------------------------------------------------------------ */

static int copies(struct proc *p, int argc, char **argv)
{
	bool failed;

	(void)argc;
	(void)argv;
	return sys_splice(p, 0, 1, 0, &failed) < 0 ? failed + 1 : 0;
}

/* Line by line through read_until. */
static int lines(struct proc *p, int argc, char **argv)
{
	char buf[256];
	int64_t n;
	int count = 0;

	(void)argc;
	(void)argv;
	while ((n = sys_read_until(p, 0, '\n', buf, sizeof(buf), -1, NULL)) > 0) {
		count++;
		if (sys_write(p, 1, buf, (size_t)n) != n)
			return 99;
	}
	return count;
}

static int says(struct proc *p, int argc, char **argv)
{
	for (int i = 0; i < 40000; i++)
		if (say(p, 1, argc > 1 ? argv[1] : "0123456789") != 0)
			return 1;
	return 0;
}

static int call_result;
static struct hostcall *pending;
static int aborted_calls, dropped_calls;

static void call_at_once(struct hostcall *c, void *arg)
{
	CHECK(arg == &call_result);
	hostcall_complete(c, 17);
}

static void call_later(struct hostcall *c, void *arg)
{
	(void)arg;
	CHECK(hostcall_run(c) != NULL);
	pending = c;
}

static void call_aborted(struct hostcall *c, void *arg)
{
	(void)arg;
	CHECK(c == pending);
	CHECK(hostcall_run(c) == NULL);
	aborted_calls++;
}

static void call_dropped(void *arg)
{
	(void)arg;
	dropped_calls++;
}

static int calls(struct proc *p, int argc, char **argv)
{
	(void)argc;
	if (argv[1])
		return (int)hostcall(p, call_later, call_aborted, call_dropped, NULL);
	return (int)hostcall(p, call_at_once, NULL, NULL, &call_result);
}

/* ---- Entries of directories ------------------------------------------------------------ */

static int entries(struct proc *p, int argc, char **argv)
{
	static const char *const bad[] = {"", ".", "..", "/", "a/b", "../x", "/etc"};
	struct sys_stat st;
	int fd = sys_open(p, "/", SYS_O_READ | SYS_O_DIRECTORY, 0);

	(void)argc;
	(void)argv;
	CHECK(fd >= 0);
	for (size_t i = 0; i < COUNTOF(bad); i++)
		CHECK_EQ(sys_stat_entry(p, fd, bad[i], &st), -NACRE_EINVAL);
	/* A tree in memory goes by paths. */
	CHECK_EQ(sys_stat_entry(p, fd, "x", &st), -NACRE_ENOSYS);
	CHECK_EQ(sys_stat_entry(p, 77, "tmp", &st), -NACRE_EBADF);
	CHECK_EQ(sys_stat_entry(p, 1, "tmp", &st), -NACRE_ENOTDIR);
	return 0;
}

static const struct program programs[] = {
        {"calls", calls, NULL, 0}, {"capacity", capacity, NULL, 0}, {"copies", copies, NULL, 0},
        {"entries", entries, NULL, 0}, {"fifos", fifos, NULL, 0}, {"lines", lines, NULL, 0},       {"passing", passing, NULL, 0},
        {"pipes", pipes, NULL, 0}, {"says", says, NULL, 0},         {"slices", slices, NULL, 0},
};

/* ---- Tests -------------------------------------------------------------------------- */

static void open_world(void)
{
	world_open(&w, NULL, programs, COUNTOF(programs));
}

static void run_program(const char *name)
{
	struct outcome o;

	open_world();
	world_run(&w, name, ARGV((char *)(uintptr_t)name), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	CHECK_STR(o.err, "");
	world_close(&w);
}

static void test_pipes(void)
{
	run_program("pipes");
}
static void test_entries(void)
{
	run_program("entries");
}
static void test_slices(void)
{
	run_program("slices");
}
static void test_capacity(void)
{
	run_program("capacity");
}
static void test_passing(void)
{
	run_program("passing");
}
static void test_fifos(void)
{
	run_program("fifos");
}

static void test_capture(void)
{
	static const struct {
		uint64_t limit;
		enum capture_keep keep;
		const char *kept;
		uint64_t dropped;
	} cases[] = {
	        {4, CAPTURE_HEAD, "0123", 399996},    {4, CAPTURE_TAIL, "6789", 399996},
	        {7, CAPTURE_BOTH, "0126789", 399993}, {0, CAPTURE_BOTH, "", 400000},
	        {400000, CAPTURE_TAIL, NULL, 0},      {400001, CAPTURE_BOTH, NULL, 0},
	};

	open_world();
	for (size_t i = 0; i < COUNTOF(cases); i++) {
		struct capture_config c = {cases[i].limit, cases[i].keep};
		struct run_config rc = {.out = stream_capture(w.rt, &c)};
		struct sandbox *sb = world_sandbox(&w);
		struct capture_info info;
		struct run *run;
		char *buf = malloc(400002);

		sandbox_set_user(sb, &w);
		run = world_start(sb, "says", ARGV("says"), &rc);
		world_step_until_done(run);
		capture_info(run_file(run, 1), &info);
		CHECK_EQ(info.total, 400000);
		CHECK_EQ(info.dropped, cases[i].dropped);
		capture_copy(run_file(run, 1), buf);
		buf[info.head + info.tail] = '\0';
		if (cases[i].kept)
			CHECK_STR(buf, cases[i].kept);
		else
			for (size_t k = 0; k < 400000; k++)
				if (buf[k] != "0123456789"[k % 10]) {
					CHECK(!"kept wrong bytes");
					break;
				}
		free(buf);
		run_free(run);
		sandbox_free(sb);
	}
	world_close(&w);
}

static void test_input(void)
{
	char text[100000];
	struct outcome o;

	open_world();
	memset(text, 'x', sizeof(text));
	for (size_t i = 99; i < sizeof(text); i += 100)
		text[i] = '\n';
	world_run(&w, "lines", ARGV("lines"),
	          &(struct run_config){.in = stream_input(w.rt, text, 2000)}, &o);
	CHECK_EQ(o.result.status, 20);
	CHECK(o.out_len == 2000 && memcmp(o.out, text, 2000) == 0);
	world_run(&w, "copies", ARGV("copies"),
	          &(struct run_config){.in = stream_input(w.rt, text, sizeof(text))}, &o);
	CHECK_EQ(o.result.status, 0);
	CHECK_EQ(o.result.out_bytes, sizeof(text));
	world_run(&w, "copies", ARGV("copies"),
	          &(struct run_config){.in = stream_input(w.rt, NULL, 0)}, &o);
	CHECK_EQ(o.result.out_bytes, 0);
	world_close(&w);
}

struct taker {
	size_t total, per_call, calls;
	bool closes;
};

static int64_t take(void *ctx, const void *data, size_t n)
{
	struct taker *t = ctx;

	(void)data;
	t->calls++;
	if (t->closes && t->total > 100000)
		return -1;
	n = t->per_call ? MIN(n, t->per_call) : n;
	t->total += n;
	return (int64_t)n;
}

static void test_stream_out(void)
{
	struct taker t = {0};
	struct outcome o;
	struct sandbox *sb;
	struct run *run;
	struct capture_info info;

	open_world();
	world_run(&w, "says", ARGV("says"),
	          &(struct run_config){
	                  .out = stream_out(w.rt,
	                                    &(struct stream_out_config){.take = take, .ctx = &t})},
	          &o);
	CHECK_EQ(t.total, 400000);
	CHECK_EQ(o.result.status, 0);
	t = (struct taker){.closes = true};
	world_run(&w, "says", ARGV("says"),
	          &(struct run_config){
	                  .out = stream_out(w.rt,
	                                    &(struct stream_out_config){.take = take, .ctx = &t})},
	          &o);
	CHECK_EQ(o.result.status, 128 + SYS_SIGPIPE);
	/* One that takes a little at a time and must be asked again; and keeps a copy. */
	t = (struct taker){.per_call = 1000};
	sb = world_sandbox(&w);
	sandbox_set_user(sb, &w);
	run = world_start(
	        sb, "says", ARGV("says"),
	        &(struct run_config){
	                .out = stream_out(w.rt, &(struct stream_out_config){
	                                                .take = take,
	                                                .ctx = &t,
	                                                .tee = true,
	                                                .capture = {500000, CAPTURE_HEAD}})});
	while (!run_done(run)) {
		struct runtime_wait_info wi;

		if (runtime_step(w.rt, 0) == RUNTIME_MORE)
			continue;
		runtime_wait_info(w.rt, &wi);
		CHECK(wi.external || run_done(run));
		stream_resume(run_file(run, 1));
	}
	CHECK_EQ(t.total, 400000);
	capture_info(run_file(run, 1), &info);
	CHECK_EQ(info.head, 400000);
	run_free(run);
	/* One that stops taking: the writer is held back; the deadline ends it all the same. */
	t = (struct taker){.per_call = 10};
	run = world_start(
	        sb, "says", ARGV("says"),
	        &(struct run_config){.wall_ns = 20000000,
	                             .out = stream_out(w.rt, &(struct stream_out_config){
	                                                             .take = take, .ctx = &t})});
	world_finish(run, &o);
	CHECK_EQ(o.result.stop, RUN_STOP_DEADLINE);
	CHECK(o.result.out_bytes < 140000);
	sandbox_free(sb);
	world_close(&w);
}

struct giver {
	int left;
	bool later;
};

static int64_t give(void *ctx, void *buf, size_t n)
{
	struct giver *g = ctx;

	g->later = !g->later;
	if (g->later)
		return STREAM_LATER;
	if (!g->left)
		return 0;
	g->left--;
	memset(buf, 'a', MIN(n, (size_t)5000));
	return (int64_t)MIN(n, (size_t)5000);
}

static void test_stream_in(void)
{
	struct giver g = {.left = 20};
	struct outcome o;
	struct sandbox *sb;
	struct run *run;
	int a[2], b[2];
	char buf[64];

	open_world();
	sb = world_sandbox(&w);
	sandbox_set_user(sb, &w);
	run = world_start(
	        sb, "copies", ARGV("copies"),
	        &(struct run_config){.in = stream_in(w.rt, &(struct stream_in_config){.give = give,
	                                                                              .ctx = &g})});
	while (!run_done(run))
		if (runtime_step(w.rt, 0) != RUNTIME_MORE)
			stream_resume(run_file(run, 0));
	CHECK_EQ(run_result(run)->out_bytes, 100000);
	run_free(run);
	/* Host descriptors on both sides. */
	CHECK(pipe(a) == 0 && pipe(b) == 0);
	run = world_start(
	        sb, "lines", ARGV("lines"),
	        &(struct run_config){
	                .in = stream_in(w.rt, &(struct stream_in_config){.fd = a[0], .tty = true}),
	                .out = stream_out(w.rt, &(struct stream_out_config){.fd = b[1]})});
	for (int i = 0; i < 3; i++) {
		while (runtime_step(w.rt, 0) == RUNTIME_MORE)
			;
		CHECK(!run_done(run));
		CHECK_EQ(write(a[1], "hello\n", 6), 6);
		while (runtime_step(w.rt, 0) == RUNTIME_MORE)
			;
		runtime_wait(w.rt, 0);
		while (runtime_step(w.rt, 0) == RUNTIME_MORE)
			;
		CHECK_EQ(read(b[0], buf, sizeof(buf)), 6);
	}
	close(a[1]);
	world_finish(run, &o);
	CHECK_EQ(o.result.status, 3);
	close(a[0]);
	close(b[0]);
	close(b[1]);
	sandbox_free(sb);
	world_close(&w);
}

/* Reads all there is in fd, which must be 0123456789 over and over; how much. */
static int64_t digits_in(int fd)
{
	char buf[4096];
	int64_t n, all = 0;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (int64_t i = 0; i < n; i++)
			if (buf[i] != "0123456789"[all++ % 10])
				return -1;
	return all;
}

static void says_to(int fd, bool tee, int64_t wall_ns, struct outcome *o)
{
	struct sandbox *sb = world_sandbox(&w);
	struct capture_info info;
	struct run *run;

	sandbox_set_user(sb, &w);
	run = world_start(sb, "says", ARGV("says"),
	                  &(struct run_config){
	                          .wall_ns = wall_ns,
	                          .out = stream_out(w.rt, &(struct stream_out_config){
	                                                          .fd = fd,
	                                                          .tee = tee,
	                                                          .capture = {1000, CAPTURE_BOTH}})});
	world_step_until_done(run);
	capture_info(run_file(run, 1), &info);
	CHECK_EQ(info.total, tee ? 400000 : 0);
	CHECK_EQ(info.head + info.tail, tee ? 1000 : 0);
	world_finish(run, o);
	sandbox_free(sb);
}

/* Descriptors of the host that are files, or that nobody reads. */
static void test_out_fds(void)
{
	char path[] = "/tmp/test_io.XXXXXX";
	struct outcome o;
	int fd = mkstemp(path), readable = open(path, O_RDONLY), full = open("/dev/full", O_WRONLY);
	int pipes[2];

	open_world();
	CHECK(fd >= 0 && readable >= 0 && full >= 0 && pipe(pipes) == 0);
	unlink(path);
	for (int tee = 0; tee < 2; tee++) {
		says_to(fd, tee, 0, &o);
		CHECK_EQ(o.result.status, 0);
		CHECK_EQ(o.result.out_bytes, 400000);
	}
	CHECK_EQ(digits_in(readable), 800000); /* the second run went on behind the first */
	says_to(full, false, 0, &o);
	CHECK_EQ(o.result.status, 1);
	says_to(readable, false, 0, &o);
	CHECK_EQ(o.result.status, 1);
	/* The runtime never waits in a write: the deadline comes. */
	says_to(pipes[1], false, 500000000, &o);
	CHECK_EQ(o.result.stop, RUN_STOP_DEADLINE);
	close(pipes[1]);
	CHECK(digits_in(pipes[0]) >= 4096);
	close(pipes[0]);
	close(full);
	close(readable);
	close(fd);
	world_close(&w);
}

static void *complete_later(void *arg)
{
	usleep(2000);
	hostcall_complete(arg, 23);
	return NULL;
}

static void test_hostcall(void)
{
	struct outcome o;
	struct sandbox *sb;
	struct run *run;
	pthread_t t;

	open_world();
	world_run(&w, "calls", ARGV("calls"), NULL, &o);
	CHECK_EQ(o.result.status, 17);
	sb = world_sandbox(&w);
	sandbox_set_user(sb, &w);
	run = world_start(sb, "calls", ARGV("calls", "later"), NULL);
	while (runtime_step(w.rt, 0) == RUNTIME_MORE)
		;
	CHECK(!run_done(run));
	CHECK_EQ(pthread_create(&t, NULL, complete_later, pending), 0);
	world_finish(run, &o);
	CHECK_EQ(o.result.status, 23);
	pthread_join(t, NULL);
	/* The proc dies first; the call is completed all the same. */
	run = world_start(sb, "calls", ARGV("calls", "later"), NULL);
	while (runtime_step(w.rt, 0) == RUNTIME_MORE)
		;
	run_cancel(run, 0);
	world_finish(run, &o);
	CHECK_EQ(aborted_calls, 1);
	hostcall_complete(pending, 1);
	while (runtime_step(w.rt, 0) == RUNTIME_MORE)
		;
	sandbox_free(sb);
	world_at_rest(&w);
	world_close(&w);
}

static const struct test tests[] = {
        {"pipes", test_pipes},       {"slices", test_slices},         {"capacity", test_capacity},
        {"passing", test_passing},   {"fifos", test_fifos},           {"capture", test_capture},
        {"input", test_input},       {"stream_out", test_stream_out}, {"stream_in", test_stream_in},
        {"out_fds", test_out_fds},   {"hostcall", test_hostcall},     {"entries", test_entries},
};

int main(int argc, char **argv)
{
	return run_tests(tests, COUNTOF(tests), argc, argv);
}
