/* test_proc.c - procs: start, exit, wait, exec, signals, limits, what a run reports. */
#include "world.h"

static struct world w;

/* ---- Programs ----------------------------------------------------------------------- */

static int hello(struct proc *p, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		say(p, 1, argv[i]);
		say(p, 1, i + 1 < argc ? " " : "\n");
	}
	return argc - 1;
}

static int child_entry(struct proc *p, void *arg)
{
	int *v = arg;

	say(p, 1, "child\n");
	return v[0] + v[1];
}

static int spawns(struct proc *p, int argc, char **argv)
{
	int v[2] = {40, 2}, pid;
	struct sys_wait st;

	(void)argc;
	(void)argv;
	pid = sys_spawn(p,
	                &(struct sys_spawn){.entry = child_entry, .arg = v, .arg_size = sizeof(v)});
	CHECK(pid > sys_getpid(p));
	CHECK_EQ(sys_wait(p, pid, SYS_WNOHANG, &st), 0);
	v[0] = 0;
	CHECK_EQ(sys_wait(p, -1, 0, &st), pid);
	CHECK_EQ(st.status, 42);
	CHECK_EQ(st.signal, 0);
	CHECK_EQ(sys_wait(p, -1, 0, &st), -NACRE_ECHILD);
	pid = sys_spawn(p, &(struct sys_spawn){.path = "/bin/hello",
	                                       .argv = ARGV("hello", "from", "path")});
	CHECK(pid > 0);
	CHECK_EQ(sys_wait(p, pid, 0, &st), pid);
	CHECK_EQ(st.status, 2);
	CHECK_EQ(sys_spawn(p, &(struct sys_spawn){.path = "/bin/none", .argv = ARGV("none")}),
	         -NACRE_ENOENT);
	CHECK_EQ(sys_spawn(p, &(struct sys_spawn){.path = "/tmp", .argv = ARGV("none")}),
	         -NACRE_EACCES);
	return 7;
}

static int puts_file(struct proc *p, const char *path, const char *text, unsigned mode)
{
	int fd = sys_open(p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, mode);

	if (fd < 0 || sys_write(p, fd, text, strlen(text)) < 0)
		return 1;
	return sys_close(p, fd);
}

static int execs(struct proc *p, int argc, char **argv)
{
	char *const *args = ARGV("script", "a b", "c");

	(void)argc;
	CHECK_EQ(puts_file(p, "s1", "#! /bin/hello  x y \nrest\n", 0755), 0);
	CHECK_EQ(puts_file(p, "s2", "#!/workspace/s1\n", 0755), 0);
	CHECK_EQ(puts_file(p, "plain", "text\n", 0755), 0);
	CHECK_EQ(puts_file(p, "noexec", "#!/bin/hello\n", 0644), 0);
	CHECK_EQ(puts_file(p, "loop", "#!/workspace/loop\n", 0755), 0);
	CHECK_EQ(puts_file(p, "bad", "#!/no/such\n", 0755), 0);
	CHECK_EQ(puts_file(p, "local", "#!/usr/local/bin/hello\n", 0755), 0);
	CHECK_EQ(sys_exec(p, "plain", args, NULL, NULL), -NACRE_ENOEXEC);
	CHECK_EQ(sys_exec(p, "noexec", args, NULL, NULL), -NACRE_EACCES);
	CHECK_EQ(sys_exec(p, "none", args, NULL, NULL), -NACRE_ENOENT);
	CHECK_EQ(sys_exec(p, "bad", args, NULL, NULL), -NACRE_ENOENT);
	CHECK_EQ(sys_exec(p, "loop", args, NULL, NULL), -NACRE_ELOOP);
	CHECK_EQ(sys_exec(p, argv[1], args, ARGV("A=1"), NULL), -1000);
	return 99;
}

/* Prints its environment; with an argument a child of its own prints it once more. */
static int env_seen(struct proc *p, int argc, char **argv)
{
	struct sys_wait st;

	(void)argv;
	for (char *const *e = sys_self(p)->env; *e; e++) {
		say(p, 1, *e);
		say(p, 1, e[1] ? " " : "\n");
	}
	if (argc > 1 && sys_spawn(p, &(struct sys_spawn){.path = "/bin/env_seen", .argv = ARGV("x")}) > 0)
		return sys_wait(p, -1, 0, &st) > 0 ? 0 : 1;
	return 0;
}

static int env_given(struct proc *p, int argc, char **argv)
{
	char *const *env = ARGV("A=1", "_=old", "AB=2");
	static const char *const last[] = {"_=new", NULL, "A=3", "_", "_=new"};
	struct sys_wait st;

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < COUNTOF(last); i++) {
		CHECK(sys_spawn(p, &(struct sys_spawn){.path = "/bin/env_seen",
		                                       .argv = i ? ARGV("x") : ARGV("x", "y"),
		                                       .env = env,
		                                       .env_last = last[i]}) > 0);
		CHECK(sys_wait(p, -1, 0, &st) > 0);
	}
	return sys_exec(p, "/bin/env_seen", ARGV("x"), NULL, "B=4");
}

/* A cloexec descriptor does not come along, others do. */
static int fds_seen(struct proc *p, int argc, char **argv)
{
	char seen[16] = "";

	(void)argc;
	(void)argv;
	for (int fd = 0; fd < 10; fd++)
		seen[fd] = sys_fd_flags(p, fd) >= 0 ? '1' : '0';
	return say(p, 1, seen);
}

static int fds(struct proc *p, int argc, char **argv)
{
	struct sys_fd_move moves[] = {{5, 8}, {-1, 0}, {6, 9}};
	struct sys_wait st;
	int a[2];

	(void)argc;
	(void)argv;
	CHECK_EQ(sys_pipe(p, a), 0);
	CHECK_EQ(a[0], 3);
	CHECK_EQ(a[1], 4);
	CHECK_EQ(sys_dup(p, 3, 5, true), 5);
	CHECK_EQ(sys_dup2(p, 4, 6), 6);
	CHECK_EQ(sys_dup2(p, 4, 4), 4);
	CHECK_EQ(sys_dup2(p, 4, 1024), -NACRE_EBADF);
	CHECK_EQ(sys_dup2(p, 77, 5), -NACRE_EBADF);
	CHECK_EQ(sys_dup(p, 4, 1024, false), -NACRE_EINVAL);
	CHECK_EQ(sys_close(p, 77), -NACRE_EBADF);
	CHECK_EQ(sys_fd_flags(p, 5), SYS_O_READ | SYS_O_CLOEXEC);
	CHECK(sys_same_file(p, 3, 5));
	CHECK(!sys_same_file(p, 1, 2));
	CHECK(sys_spawn(p, &(struct sys_spawn){.path = "/bin/fds_seen",
	                                       .argv = ARGV("x"),
	                                       .fds = moves,
	                                       .nfds = 3}) > 0);
	CHECK(sys_wait(p, -1, 0, &st) > 0);
	CHECK_EQ(sys_spawn(p, &(struct sys_spawn){.path = "/bin/fds_seen",
	                                          .argv = ARGV("x"),
	                                          .fds = &(struct sys_fd_move){77, 1},
	                                          .nfds = 1}),
	         -NACRE_EBADF);
	return 0;
}

static int forever(struct proc *p, void *arg)
{
	(void)arg;
	for (;;)
		if (sys_sleep(p, INT64_MAX) != 0)
			return 5;
}

static int spins(struct proc *p, void *arg)
{
	(void)arg;
	while (sys_getpid(p))
		sys_checkpoint(p);
	return 0;
}

static int kill_entry(struct proc *p, int (*entry)(struct proc *, void *), int sig, int want)
{
	int pid = sys_spawn(p, &(struct sys_spawn){.entry = entry});
	struct sys_wait st;

	CHECK_EQ(sys_sleep(p, 1000000), 0);
	CHECK_EQ(sys_kill(p, pid, sig), 0);
	CHECK_EQ(sys_wait(p, pid, 0, &st), pid);
	CHECK_EQ(st.signal, want);
	return 0;
}

static int traps(struct proc *p, void *arg)
{
	(void)arg;
	sys_signal(p, SYS_SIGTERM, SYS_SIG_CATCH);
	sys_signal(p, SYS_SIGINT, SYS_SIG_IGNORE);
	CHECK_EQ(sys_sleep(p, 50000000000), -NACRE_EINTR);
	CHECK(sys_signal_waiting(p));
	CHECK_EQ(sys_signals(p), (uint64_t)1 << SYS_SIGTERM);
	CHECK(!sys_signal_waiting(p));
	return 33;
}

static int signals(struct proc *p, int argc, char **argv)
{
	struct sys_wait st;
	int pid;

	(void)argc;
	(void)argv;
	kill_entry(p, forever, SYS_SIGTERM, SYS_SIGTERM);
	kill_entry(p, forever, SYS_SIGKILL, SYS_SIGKILL);
	kill_entry(p, spins, SYS_SIGINT, SYS_SIGINT);
	pid = sys_spawn(p, &(struct sys_spawn){.entry = traps});
	CHECK_EQ(sys_sleep(p, 1), 0);
	CHECK_EQ(sys_kill(p, pid, SYS_SIGINT), 0);
	CHECK_EQ(sys_kill(p, pid, SYS_SIGCHLD), 0);
	CHECK_EQ(sys_sleep(p, 1), 0);
	CHECK_EQ(sys_kill(p, pid, SYS_SIGTERM), 0);
	CHECK_EQ(sys_wait(p, pid, 0, &st), pid);
	CHECK_EQ(st.status, 33);
	/* Stopped and continued. */
	pid = sys_spawn(p, &(struct sys_spawn){.entry = spins, .pgid = -1});
	CHECK_EQ(sys_sleep(p, 1), 0);
	CHECK_EQ(sys_kill(p, -pid, SYS_SIGSTOP), 0);
	CHECK_EQ(sys_sleep(p, 1000000), 0);
	CHECK_EQ(sys_wait(p, -pid, SYS_WNOHANG, &st), 0);
	CHECK_EQ(sys_kill(p, -pid, SYS_SIGCONT), 0);
	CHECK_EQ(sys_kill(p, -pid, SYS_SIGSTOP), 0);
	CHECK_EQ(sys_sleep(p, 1), 0);
	CHECK_EQ(sys_kill(p, pid, SYS_SIGTERM), 0);
	CHECK_EQ(sys_wait(p, -pid, 0, &st), pid);
	CHECK_EQ(st.signal, SYS_SIGTERM);
	CHECK_EQ(sys_kill(p, 99999, 0), -NACRE_ESRCH);
	CHECK_EQ(sys_kill(p, sys_getpid(p), 0), 0);
	CHECK_EQ(sys_kill(p, sys_getpid(p), 100), -NACRE_EINVAL);
	sys_signal(p, SYS_SIGCHLD, SYS_SIG_CATCH);
	pid = sys_spawn(
	        p, &(struct sys_spawn){.entry = child_entry, .arg = (int[2]){1, 2}, .arg_size = 8});
	CHECK_EQ(sys_sleep(p, 50000000000), -NACRE_EINTR);
	CHECK_EQ(sys_signals(p), (uint64_t)1 << SYS_SIGCHLD);
	return sys_kill(p, sys_getpid(p), SYS_SIGHUP);
}

/* So short that it may be over while the host asks how long it has to wait. */
static int naps(struct proc *p, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (int i = 0; i < 3000; i++)
		CHECK_EQ(sys_sleep(p, 100 + i), 0);
	return 0;
}

static int bomb(struct proc *p, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (size_t n = 16; n; n += n / 64 * 16)
		memset(arena_alloc(&sys_self(p)->arena, n), 1, n);
	return 0;
}

static int holds_bomb(struct proc *p, int argc, char **argv)
{
	struct sys_wait st;

	(void)argc;
	(void)argv;
	CHECK(sys_spawn(p, &(struct sys_spawn){.path = "/bin/bomb", .argv = ARGV("bomb")}) > 0);
	CHECK(sys_wait(p, -1, 0, &st) > 0);
	return st.signal;
}

static int heap_bomb(struct proc *p, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	while (sys_heap(p))
		memset(heap_alloc(sys_heap(p), 100000), 1, 100000);
	return 0;
}

static int deep(struct proc *p, int n)
{
	volatile char pad[200];

	pad[0] = (char)n;
	sys_checkpoint(p);
	if (!sys_stack(p, 4096))
		return n;
	return deep(p, n + 1) + (pad[0] == (char)n ? 0 : 1);
}

static int deep_entry(struct proc *p, void *arg)
{
	(void)arg;
	return deep(p, 0) > 1000;
}

static int recurses(struct proc *p, int argc, char **argv)
{
	struct sys_wait st;
	int small = deep(p, 0);

	(void)argc;
	(void)argv;
	CHECK(small > 50);
	CHECK(sys_spawn(p, &(struct sys_spawn){.entry = deep_entry, .stack_size = 2 << 20}) > 0);
	CHECK(sys_wait(p, -1, 0, &st) > 0);
	return st.status;
}

static int forks_again(struct proc *p, void *arg)
{
	(void)arg;
	for (;;) {
		int r = sys_spawn(p, &(struct sys_spawn){.entry = forks_again});

		if (r < 0)
			return r == -NACRE_EAGAIN || r == -NACRE_ENOMEM ? 3 : 4;
	}
}

static int fork_bomb(struct proc *p, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return forks_again(p, NULL);
}

static int holds_output(struct proc *p, void *arg)
{
	(void)arg;
	if (sys_sleep(p, 20000000) < 0)
		return 1;
	return say(p, 1, "late\n");
}

static int quiet_child(struct proc *p, void *arg)
{
	(void)sys_close(p, 0);
	(void)sys_close(p, 1);
	(void)sys_close(p, 2);
	return forever(p, arg);
}

static int leaves_child(struct proc *p, int argc, char **argv)
{
	(void)argc;
	if (sys_spawn(p,
	              &(struct sys_spawn){.entry = argv[1][0] == 'q' ? quiet_child : holds_output,
	                                  .detached = true}) < 0)
		return 1;
	say(p, 1, "first\n");
	return 4;
}

static int loops(struct proc *p, int argc, char **argv)
{
	(void)argc;
	sys_set_outcome(p, SYS_UNSUPPORTED, "a \xc3\xa9");
	if (argv[1])
		return forever(p, NULL);
	return spins(p, NULL);
}

static int talks(struct proc *p, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (;;)
		if (say(p, 1, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n"))
			return 1;
}

static int info(struct proc *p, int argc, char **argv)
{
	struct sys_procinfo i;
	uint64_t a, b;

	(void)argc;
	(void)argv;
	CHECK_STR(sys_getcwd(p), "/workspace");
	CHECK_EQ(sys_chdir(p, "/tmp/../home"), 0);
	CHECK_STR(sys_getcwd(p), "/home");
	CHECK_EQ(sys_chdir(p, "/etc/passwd"), -NACRE_ENOTDIR);
	CHECK_EQ(sys_chdir(p, "nope"), -NACRE_ENOENT);
	CHECK_EQ(sys_umask(p, 077), 022);
	CHECK_EQ(sys_umask(p, -1), 077);
	CHECK_EQ(sys_proc_at(p, 0, &i), 0);
	CHECK_EQ(i.pid, sys_getpid(p));
	CHECK_STR(i.name, "info");
	CHECK_EQ(i.state, 'R');
	CHECK_EQ(sys_proc_at(p, 1, &i), -NACRE_ENOENT);
	CHECK(sys_program(p, "info") != NULL);
	CHECK(sys_program(p, "infos") == NULL);
	CHECK_STR(sys_program_at(p, 0)->name, "bomb");
	CHECK_EQ(sys_limit(p, SYS_LIMIT_PROCS), 1000);
	CHECK_EQ(sys_usage(p, SYS_LIMIT_PROCS), 1);
	sys_random(p, &a, sizeof(a));
	sys_random(p, &b, sizeof(b));
	CHECK(a != b);
	CHECK(sys_clock(p, SYS_CLOCK_REAL) > 1600000000000000000);
	CHECK(sys_session_take(p) == NULL);
	CHECK_STR(sys_self(p)->env[0], "PATH=/usr/bin:/bin");
	return 0;
}

static const struct program programs[] = {
        {"bomb", bomb, NULL, 0},
        {"env_given", env_given, NULL, 0},
        {"env_seen", env_seen, NULL, 0},
        {"execs", execs, NULL, 0},
        {"fds", fds, NULL, 0},
        {"fds_seen", fds_seen, NULL, 0},
        {"fork_bomb", fork_bomb, NULL, 0},
        {"heap_bomb", heap_bomb, NULL, 0},
        {"hello", hello, NULL, 1 << 20},
        {"holds_bomb", holds_bomb, NULL, 0},
        {"info", info, NULL, 0},
        {"leaves_child", leaves_child, NULL, 0},
        {"loops", loops, NULL, 0},
        {"naps", naps, NULL, 0},
        {"recurses", recurses, NULL, 0},
        {"signals", signals, NULL, 0},
        {"spawns", spawns, NULL, 0},
        {"talks", talks, NULL, 0},
};

/* ---- Tests -------------------------------------------------------------------------- */

static void open_world(void)
{
	world_open(&w, NULL, programs, COUNTOF(programs));
}

static void test_hello(void)
{
	struct outcome o;

	open_world();
	world_run(&w, "hello", ARGV("hello", "a", "b"), NULL, &o);
	CHECK_STR(o.out, "a b\n");
	CHECK_EQ(o.result.status, 2);
	CHECK_EQ(o.result.stop, RUN_STOP_NONE);
	CHECK_EQ(o.result.out_bytes, 4);
	CHECK_EQ(o.result.procs, 1);
	CHECK(o.result.ticks > 0);
	world_close(&w);
}

static void test_spawn(void)
{
	struct outcome o;

	open_world();
	world_run(&w, "spawns", ARGV("spawns"), &(struct run_config){.records = 10}, &o);
	CHECK_STR(o.out, "child\nfrom path\n");
	CHECK_EQ(o.result.status, 7);
	CHECK_EQ(o.result.procs, 3);
	CHECK_EQ(o.result.commands, 2);
	CHECK_EQ(o.result.nrecords, 2);
	world_close(&w);
}

static void test_exec(void)
{
	struct outcome o;

	open_world();
	world_run(&w, "execs", ARGV("execs", "/usr/bin/hello"), NULL, &o);
	CHECK_STR(o.out, "a b c\n");
	CHECK_EQ(o.result.status, 2);
	world_run(&w, "execs", ARGV("execs", "./s1"), NULL, &o);
	CHECK_STR(o.out, "x y ./s1 a b c\n");
	world_run(&w, "execs", ARGV("execs", "s2"), NULL, &o);
	CHECK_STR(o.out, "x y /workspace/s1 s2 a b c\n");
	world_run(&w, "execs", ARGV("execs", "/workspace/local"), NULL, &o);
	CHECK_STR(o.out, "/workspace/local a b c\n");
	world_close(&w);
}

static void test_env(void)
{
	struct outcome o;

	open_world();
	world_run(&w, "env_given", ARGV("env_given"), NULL, &o);
	CHECK_STR(o.out,
	          "A=1 AB=2 _=new\nA=1 AB=2 _=new\nA=1 _=old AB=2\n_=old AB=2 A=3\nA=1 _=old AB=2 _\nA=1 AB=2 _=new\nPATH=/usr/bin:/bin HOME=/home/user B=4\n");
	world_close(&w);
}

static void test_fds(void)
{
	struct outcome o;

	open_world();
	world_run(&w, "fds", ARGV("fds"), NULL, &o);
	CHECK_STR(o.out, "0111101011");
	CHECK_EQ(o.result.status, 0);
	world_close(&w);
}

static void test_signals(void)
{
	struct outcome o;

	open_world();
	world_run(&w, "signals", ARGV("signals"), NULL, &o);
	CHECK_EQ(o.result.status, 128 + SYS_SIGHUP);
	CHECK_EQ(o.result.signal, SYS_SIGHUP);
	world_run(&w, "info", ARGV("/usr/bin/info"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	world_close(&w);
}

static void test_naps(void)
{
	struct outcome o;

	open_world();
	world_run(&w, "naps", ARGV("naps"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	world_close(&w);
}

static void test_memory(void)
{
	struct outcome o;

	open_world();
	w.config.limits.memory = 8 << 20;
	world_run(&w, "bomb", ARGV("bomb"), NULL, &o);
	CHECK_STR(o.err, "bomb: memory exhausted\n");
	CHECK_EQ(o.result.status, 137);
	CHECK_EQ(o.result.stop, RUN_STOP_MEMORY);
	CHECK(o.result.memory_peak <= (8 << 20));
	CHECK(o.result.memory_peak > (7 << 20));
	world_run(&w, "heap_bomb", ARGV("heap_bomb"), NULL, &o);
	CHECK_STR(o.err, "heap_bomb: memory exhausted\n");
	CHECK_EQ(o.result.stop, RUN_STOP_MEMORY);
	world_run(&w, "holds_bomb", ARGV("holds_bomb"), NULL, &o);
	CHECK_STR(o.err, "bomb: memory exhausted\n");
	CHECK_EQ(o.result.status, SYS_SIGKILL);
	CHECK_EQ(o.result.stop, RUN_STOP_NONE);
	world_close(&w);
}

static void test_stack(void)
{
	struct outcome o;

	open_world();
	world_run(&w, "recurses", ARGV("recurses"), NULL, &o);
	CHECK_EQ(o.result.status, 1);
	w.config.limits.memory = 1 << 20;
	world_run(&w, "recurses", ARGV("recurses"), NULL, &o);
	CHECK_STR(o.err, "recurses: memory exhausted\n");
	world_close(&w);
}

static void test_fork_bomb(void)
{
	struct outcome o;

	open_world();
	world_run(&w, "fork_bomb", ARGV("fork_bomb"),
	          &(struct run_config){.wall_ns = 100000000, .linger = RUN_LINGER_ALL}, &o);
	CHECK(o.result.stop == RUN_STOP_DEADLINE || o.result.status == 3);
	w.config.limits.memory = 4 << 20;
	world_run(&w, "fork_bomb", ARGV("fork_bomb"), &(struct run_config){.wall_ns = 100000000},
	          &o);
	world_close(&w);
}

static void test_linger(void)
{
	struct outcome o;

	open_world();
	world_run(&w, "leaves_child", ARGV("leaves_child", "q"), NULL, &o);
	CHECK_STR(o.out, "first\n");
	CHECK_EQ(o.result.status, 4);
	world_run(&w, "leaves_child", ARGV("leaves_child", "h"), NULL, &o);
	CHECK_STR(o.out, "first\nlate\n");
	CHECK_EQ(o.result.status, 4);
	world_run(&w, "leaves_child", ARGV("leaves_child", "h"),
	          &(struct run_config){.linger = RUN_LINGER_NONE}, &o);
	CHECK_STR(o.out, "first\n");
	world_run(&w, "leaves_child", ARGV("leaves_child", "q"),
	          &(struct run_config){.linger = RUN_LINGER_ALL, .wall_ns = 30000000}, &o);
	CHECK_EQ(o.result.stop, RUN_STOP_DEADLINE);
	world_close(&w);
}

static void test_stop(void)
{
	struct outcome o;
	struct sandbox *sb;
	struct run *run;

	open_world();
	world_run(&w, "loops", ARGV("loops"), &(struct run_config){.wall_ns = 20000000}, &o);
	CHECK_EQ(o.result.status, 124);
	CHECK_EQ(o.result.stop, RUN_STOP_DEADLINE);
	CHECK_EQ(o.result.outcome, SYS_UNSUPPORTED);
	CHECK_STR(o.result.error, "a \xc3\xa9");
	world_run(&w, "loops", ARGV("loops", "sleep"),
	          &(struct run_config){.wall_ns = 20000000, .timeout_status = 137}, &o);
	CHECK_EQ(o.result.status, 137);
	world_run(&w, "loops", ARGV("loops"), &(struct run_config){.cpu_ns = 5000000}, &o);
	CHECK_EQ(o.result.stop, RUN_STOP_CPU);
	world_run(&w, "talks", ARGV("talks"), &(struct run_config){.output = 1000000}, &o);
	CHECK_EQ(o.result.stop, RUN_STOP_OUTPUT);
	CHECK_EQ(o.result.status, 137);
	CHECK(o.result.out_bytes > 1000000 && o.result.out_bytes < 1000100);
	sb = world_sandbox(&w);
	sandbox_set_user(sb, &w);
	for (int sig = 0; sig < 16; sig += 15) {
		run = world_start(sb, "loops", ARGV("loops", sig ? "s" : NULL), NULL);
		CHECK_EQ(runtime_step(w.rt, 100000), sig ? RUNTIME_WAITS : RUNTIME_MORE);
		run_cancel(run, sig);
		run_cancel(run, 1);
		world_finish(run, &o);
		CHECK_EQ(o.result.status, sig ? 143 : 130);
		CHECK_EQ(o.result.stop, RUN_STOP_CANCELLED);
	}
	/* Freed while it runs. */
	run = world_start(sb, "loops", ARGV("loops"), NULL);
	CHECK_EQ(runtime_step(w.rt, 100000), RUNTIME_MORE);
	run_free(run);
	run = world_start(sb, "loops", ARGV("loops"), NULL);
	run_free(run);
	sandbox_free(sb);
	CHECK_EQ(runtime_step(w.rt, 0), RUNTIME_IDLE);
	world_close(&w);
}

static const struct test tests[] = {
        {"hello", test_hello}, {"spawn", test_spawn},         {"exec", test_exec},
        {"env", test_env},     {"fds", test_fds},     {"signals", test_signals},     {"naps", test_naps},     {"memory", test_memory},
        {"stack", test_stack}, {"fork_bomb", test_fork_bomb}, {"linger", test_linger},
        {"stop", test_stop},
};

int main(int argc, char **argv)
{
	return run_tests(tests, COUNTOF(tests), argc, argv);
}
