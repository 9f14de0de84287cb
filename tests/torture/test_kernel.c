/* test_kernel.c - the kernel under attack: killed anywhere, refused memory anywhere, by
 * the thousand; after each case nothing is left behind. */
#include <pthread.h>
#include <unistd.h>

#include "../unit/kernel/world.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SCALE 20
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SCALE 20
#endif
#endif
#ifndef SCALE
#define SCALE 1
#endif

static struct world w;

/* ---- A program that does a little of everything ------------------------------------- */

static int writer(struct proc *p, void *arg)
{
	char buf[3000];

	(void)arg;
	memset(buf, 'y', sizeof(buf));
	buf[2999] = '\n';
	for (int i = 0; i < 40; i++)
		if (sys_write(p, 1, buf, sizeof(buf)) < 0)
			return 1;
	return 0;
}

static int passes_on(struct proc *p, void *arg)
{
	bool failed;

	(void)arg;
	return sys_splice(p, 0, 1, 0, &failed) < 0;
}

static void release_state(struct heap *h, void *state)
{
	heap_free(h, state, 100);
}

static int stateful(struct proc *p, void *arg)
{
	(void)arg;
	return sys_attached(p) ? 0 : 1;
}

static int fifo_reader(struct proc *p, void *arg)
{
	char buf[100];
	int fd = sys_open(p, "fifo", SYS_O_READ, 0);

	(void)arg;
	return fd < 0 || sys_read(p, fd, buf, sizeof(buf)) < 0;
}

static int pipeline(struct proc *p)
{
	struct sys_wait st;
	int a[2], b[2], out;

	if (sys_pipe(p, a) < 0 || sys_pipe(p, b) < 0)
		return 1;
	out = sys_open(p, "out", SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0644);
	if (out < 0)
		return 1;
	if (sys_spawn(p, &(struct sys_spawn){
	                         .entry = writer,
	                         .nfds = 2,
	                         .fds = (struct sys_fd_move[]){{a[1], 1}, {-1, a[1]}}}) < 0)
		return 1;
	if (sys_spawn(
	            p,
	            &(struct sys_spawn){
	                    .entry = passes_on,
	                    .nfds = 5,
	                    .fds = (struct sys_fd_move[]){
	                            {a[0], 0}, {b[1], 1}, {-1, a[1]}, {-1, b[1]}, {-1, b[0]}}}) < 0)
		return 1;
	if (sys_spawn(
	            p,
	            &(struct sys_spawn){
	                    .path = "/bin/copies",
	                    .argv = ARGV("copies"),
	                    .nfds = 5,
	                    .fds = (struct sys_fd_move[]){
	                            {b[0], 0}, {out, 1}, {-1, a[1]}, {-1, b[1]}, {-1, a[0]}}}) < 0)
		return 1;
	sys_close(p, a[0]);
	sys_close(p, a[1]);
	sys_close(p, b[0]);
	sys_close(p, b[1]);
	sys_close(p, out);
	while (sys_wait(p, -1, 0, &st) > 0)
		;
	return 0;
}

static int everything(struct proc *p, int argc, char **argv)
{
	struct sys_wait st;
	struct sys_stat sb;
	struct sys_poll v;
	char buf[SYS_PATH_MAX > 100 ? 100 : 1];
	void *state;
	int fd;

	(void)argc;
	(void)argv;
	if (pipeline(p) != 0)
		return 1;
	if (sys_mkdir(p, "d", 0755) < 0 || sys_chdir(p, "d") < 0 ||
	    sys_symlink(p, "../out", "l") < 0)
		return 2;
	if (sys_stat(p, "l", 0, &sb) < 0 || sys_realpath(p, "l", 2, buf, sizeof(buf)) < 0)
		return 3;
	state = heap_alloc(sys_heap(p), 100);
	if (sys_spawn(p, &(struct sys_spawn){.entry = stateful,
	                                     .state = state,
	                                     .state_release = release_state}) < 0)
		return 4;
	if (sys_mkfifo(p, "fifo", 0644) < 0)
		return 5;
	if (sys_spawn(p, &(struct sys_spawn){.entry = fifo_reader}) < 0)
		return 6;
	fd = sys_open(p, "fifo", SYS_O_WRITE, 0);
	if (fd < 0 || say(p, fd, "x"))
		return 7;
	sys_close(p, fd);
	fd = sys_memfile(p, "here\n", 5);
	if (fd < 0 || sys_read_until(p, fd, '\n', buf, 100, -1, NULL) < 0)
		return 8;
	v = (struct sys_poll){.fd = fd, .want_read = true};
	if (sys_poll(p, &v, 1, 1000) < 0 || sys_sleep(p, 1000) < 0)
		return 9;
	while (sys_wait(p, -1, 0, &st) > 0)
		;
	memset(arena_alloc(&sys_self(p)->arena, 300000), 1, 300000);
	if (sys_exec(p, "/usr/bin/last", ARGV("last"), ARGV("A=B"), NULL) < 0)
		return 10;
	return 11;
}

static int last(struct proc *p, int argc, char **argv)
{
	(void)argc;
	return say(p, 1, argv[0]) ? 12 : 0;
}

static int copies(struct proc *p, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return passes_on(p, NULL);
}

/* ---- Thousands ---------------------------------------------------------------------- */

static int blocked(struct proc *p, void *arg)
{
	char c;

	memset(arena_alloc(&sys_self(p)->arena, 2000), 1, 2000);
	(void)arg;
	return sys_read(p, 3, &c, 1) < 0;
}

static int spins(struct proc *p, void *arg)
{
	volatile uint64_t n = 0;

	(void)arg;
	memset(arena_alloc(&sys_self(p)->arena, 50000), 1, 50000);
	while (sys_getpid(p)) {
		n++;
		sys_checkpoint(p);
	}
	return 0;
}

/* argv[1] procs of a kind, then killed one by one or as a group, or left to the run's end. */
static int crowd(struct proc *p, int argc, char **argv)
{
	int n = atoi(argv[1]), a[2], first = 0, last_pid = 0;
	struct sys_wait st;
	int waited = 0;

	(void)argc;
	if (sys_pipe(p, a) < 0)
		return 1;
	for (int i = 0; i < n; i++) {
		last_pid = sys_spawn(
		        p, &(struct sys_spawn){.entry = argv[2][0] == 'b' ? blocked : spins,
		                               .pgid = i ? first : -1});
		if (last_pid < 0)
			return 2;
		if (!i)
			first = last_pid;
	}
	if (sys_sleep(p, 1) < 0)
		return 3;
	if (argv[3][0] == 'g') {
		if (sys_kill(p, -first, SYS_SIGKILL) < 0)
			return 4;
	} else if (argv[3][0] == 'e') {
		for (int pid = first; pid <= last_pid; pid++)
			if (sys_kill(p, pid, SYS_SIGTERM) < 0)
				return 5;
	} else if (argv[3][0] == 'w') {
		return sys_read(p, 3, &(char){0}, 1) < 0;
	} else {
		return 0;
	}
	while (sys_wait(p, -1, 0, &st) > 0)
		waited += st.signal != 0;
	return waited == n ? 0 : 6;
}

static int sleeper(struct proc *p, void *arg)
{
	int *n = arg;
	char line[3] = {(char)('a' + n[0]), '\n', 0};

	if (sys_sleep(p, n[1] * 1000000ll) < 0)
		return 1;
	return say(p, 1, line);
}

/* Wakes up in order of time, then of going to sleep. */
static int sleepers(struct proc *p, int argc, char **argv)
{
	static const int ms[] = {5, 3, 9, 3, 1, 5, 0, 7, 2, 3};
	struct sys_wait st;
	uint64_t noise;

	(void)argc;
	(void)argv;
	for (int i = 0; i < (int)COUNTOF(ms); i++)
		if (sys_spawn(p, &(struct sys_spawn){.entry = sleeper,
		                                     .arg = (int[2]){i, ms[i]},
		                                     .arg_size = 8}) < 0)
			return 1;
	while (sys_wait(p, -1, 0, &st) > 0)
		;
	sys_random(p, &noise, sizeof(noise));
	return sys_write(p, 1, &noise, 8) != 8 ||
	       sys_write(p, 1, &(int64_t){sys_clock(p, SYS_CLOCK_REAL)}, 8) != 8;
}

static int sleep60(struct proc *p, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return sys_sleep(p, 60000000000) < 0;
}

static const struct program programs[] = {
        {"copies", copies, NULL, 0},
        {"crowd", crowd, NULL, 0},
        {"everything", everything, NULL, 1 << 20},
        {"last", last, NULL, 0},
        {"sleep60", sleep60, NULL, 0},
        {"sleepers", sleepers, NULL, 0},
};

static void open_world(void)
{
	world_open(&w, NULL, programs, COUNTOF(programs));
}

/* ---- Tests -------------------------------------------------------------------------- */

static void test_everything(void)
{
	struct outcome o;

	open_world();
	world_run(&w, "everything", ARGV("everything"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	CHECK_STR(o.out, "last");
	world_close(&w);
}

/* Each system call in turn is the last one of the proc that makes it. */
static void test_kill_sweep(void)
{
	struct torture t = {.count = true};
	struct run_config c = {.wall_ns = 5000000000};
	struct outcome o;
	uint64_t n;
	int before = failures;

	open_world();
	w.config.deterministic = true;
	runtime_torture(w.rt, &t, true);
	world_run(&w, "everything", ARGV("everything"), &c, &o);
	runtime_torture(w.rt, &t, false);
	n = t.calls;
	CHECK(n > 50);
	for (uint64_t i = 1; i <= n; i++) {
		t = (struct torture){.kill_at = i};
		runtime_torture(w.rt, &t, true);
		world_run(&w, "everything", ARGV("everything"), &c, &o);
		/* What is left may wait for each other: in virtual time the deadline comes at once.
		 */
		if (failures != before) {
			fprintf(stderr, "  at %llu of %llu\n", (unsigned long long)i,
			        (unsigned long long)n);
			break;
		}
	}
	runtime_torture(w.rt, &(struct torture){0}, true);
	world_close(&w);
}

/* Each allocation in turn fails; then every one from there on. */
static void sweep_allocations(uint64_t every)
{
	struct torture t = {.count = true};
	struct run_config c = {.wall_ns = 5000000000};
	struct outcome o;
	struct sandbox *sb;
	struct run *run;
	uint64_t n;
	int before = failures;

	open_world();
	w.config.deterministic = true;
	/* A first round fills the pools of stacks. */
	world_run(&w, "everything", ARGV("everything"), &c, &o);
	runtime_torture(w.rt, &t, true);
	world_run(&w, "everything", ARGV("everything"), &c, &o);
	runtime_torture(w.rt, &t, false);
	n = t.allocs;
	CHECK(n > 50);
	for (uint64_t i = 1; i <= n; i++) {
		struct run_config rc = c;

		t = (struct torture){.fail_alloc_at = i, .fail_alloc_every = every};
		runtime_torture(w.rt, &t, true);
		run = NULL;
		if (sandbox_new(w.rt, &w.config, &sb) == 0) {
			sandbox_set_user(sb, &w);
			rc.program = &programs[2];
			rc.argv = ARGV("everything");
			if (world_tree(&w, sb) == 0 && run_start(sb, &rc, &run) == 0) {
				world_step_until_done(run);
				run_free(run);
			}
			runtime_torture(w.rt, &(struct torture){0}, true);
			sandbox_free(sb);
		}
		runtime_torture(w.rt, &(struct torture){0}, true);
		world_at_rest(&w);
		if (failures != before) {
			fprintf(stderr, "  at allocation %llu of %llu\n", (unsigned long long)i,
			        (unsigned long long)n);
			break;
		}
	}
	world_close(&w);
}

static void test_alloc_sweep(void)
{
	sweep_allocations(0);
}
static void test_alloc_sweep_all(void)
{
	sweep_allocations(1);
}

static void test_crowds(void)
{
	char n[16], spin_n[16];
	struct outcome o;

	snprintf(n, sizeof(n), "%d", 10000 / SCALE);
	snprintf(spin_n, sizeof(spin_n), "%d", 2000 / SCALE);
	open_world();
	w.config.limits.procs = 40000;
	w.config.limits.memory = (uint64_t)4 << 30;
	world_run(&w, "crowd", ARGV("crowd", n, "b", "g"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	world_run(&w, "crowd", ARGV("crowd", n, "b", "e"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	world_run(&w, "crowd", ARGV("crowd", n, "b", "l"),
	          &(struct run_config){.linger = RUN_LINGER_NONE}, &o);
	CHECK_EQ(o.result.status, 0);
	world_run(&w, "crowd", ARGV("crowd", spin_n, "s", "g"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	world_run(&w, "crowd", ARGV("crowd", spin_n, "s", "l"),
	          &(struct run_config){.linger = RUN_LINGER_NONE}, &o);
	CHECK_EQ(o.result.status, 0);
	world_run(&w, "crowd", ARGV("crowd", spin_n, "s", "w"),
	          &(struct run_config){.wall_ns = 300000000}, &o);
	CHECK_EQ(o.result.stop, RUN_STOP_DEADLINE);
	snprintf(n, sizeof(n), "%d", 30000 / SCALE);
	world_run(&w, "crowd", ARGV("crowd", n, "b", "w"),
	          &(struct run_config){.wall_ns = 1000000000}, &o);
	CHECK_EQ(o.result.stop, RUN_STOP_DEADLINE);
	world_close(&w);
}

/* Many sandboxes in one thread; each with a sleeping run. */
static void test_sandboxes(void)
{
	enum { COUNT = 10000 / SCALE };
	struct sandbox **sb = calloc(COUNT, sizeof(*sb));
	struct run **run = calloc(COUNT, sizeof(*run));

	open_world();
	for (int i = 0; i < COUNT; i++) {
		sb[i] = world_sandbox(&w);
		sandbox_set_user(sb[i], &w);
		run[i] = world_start(sb[i], "sleep60", ARGV("sleep60"), NULL);
	}
	while (runtime_step(w.rt, 0) == RUNTIME_MORE)
		;
	for (int i = 0; i < COUNT; i++)
		run_cancel(run[i], 2);
	while (runtime_step(w.rt, 0) == RUNTIME_MORE)
		;
	for (int i = 0; i < COUNT; i++) {
		CHECK(run_done(run[i]));
		run_free(run[i]);
		sandbox_free(sb[i]);
	}
	free(sb);
	free(run);
	world_close(&w);
}

static void test_deterministic(void)
{
	struct outcome o[3];

	open_world();
	w.config.deterministic = true;
	w.config.start_ns = 1000000000000000000;
	for (int i = 0; i < 3; i++) {
		w.config.seed = i == 2 ? 8 : 7;
		world_run(&w, "sleepers", ARGV("sleepers"), NULL, &o[i]);
		CHECK_EQ(o[i].result.status, 0);
		CHECK_EQ(o[i].out_len, 36);
		CHECK(memcmp(o[i].out, "g\ne\ni\nb\nd\nj\na\nf\nh\nc\n", 20) == 0);
	}
	CHECK(memcmp(o[0].out, o[1].out, 36) == 0);
	CHECK(memcmp(o[0].out, o[2].out, 36) != 0);
	CHECK_EQ(o[0].result.ticks, o[1].result.ticks);
	CHECK_EQ(o[0].result.wall_ns, o[1].result.wall_ns);
	CHECK(o[0].result.wall_ns >= 9000000 && o[0].result.wall_ns < 10000000);
	/* A minute passes at once; a deadline is one of that time too. */
	world_run(&w, "sleep60", ARGV("sleep60"), NULL, &o[0]);
	CHECK_EQ(o[0].result.status, 0);
	world_run(&w, "sleep60", ARGV("sleep60"), &(struct run_config){.wall_ns = 30000000000},
	          &o[0]);
	CHECK_EQ(o[0].result.stop, RUN_STOP_DEADLINE);
	CHECK_EQ(o[0].result.wall_ns, 30000000000);
	world_run(&w, "crowd", ARGV("crowd", "5", "s", "w"),
	          &(struct run_config){.wall_ns = 30000000}, &o[0]);
	world_run(&w, "crowd", ARGV("crowd", "5", "s", "w"),
	          &(struct run_config){.wall_ns = 30000000}, &o[1]);
	CHECK_EQ(o[0].result.stop, RUN_STOP_DEADLINE);
	CHECK_EQ(o[0].result.ticks, o[1].result.ticks);
	world_close(&w);
}

static void *cancel_soon(void *arg)
{
	usleep(3000);
	run_cancel(arg, 15);
	run_cancel(arg, 2);
	return NULL;
}

static void test_cancel_thread(void)
{
	struct outcome o;
	struct sandbox *sb;

	open_world();
	sb = world_sandbox(&w);
	sandbox_set_user(sb, &w);
	for (int i = 0; i < 10; i++) {
		struct run *run = i & 1 ? world_start(sb, "sleep60", ARGV("sleep60"), NULL)
		                        : world_start(sb, "crowd", ARGV("crowd", "3", "s", "w"),
		                                      NULL);
		pthread_t t;

		CHECK_EQ(pthread_create(&t, NULL, cancel_soon, run), 0);
		world_step_until_done(run);
		pthread_join(t, NULL);
		world_finish(run, &o);
		CHECK_EQ(o.result.status, 143);
	}
	sandbox_free(sb);
	world_close(&w);
}

static void *own_runtime(void *arg)
{
	struct world *own = arg;
	struct outcome o;

	for (int i = 0; i < 20; i++) {
		world_run(own, "everything", ARGV("everything"), NULL, &o);
		CHECK_EQ(o.result.status, 0);
	}
	return NULL;
}

/* Runtimes know nothing of each other. */
static void test_threads(void)
{
	struct world many[3];
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		world_open(&many[i], NULL, programs, COUNTOF(programs));
	for (int i = 0; i < 3; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, own_runtime, &many[i]), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 3; i++)
		world_close(&many[i]);
}

static const struct test tests[] = {
        {"everything", test_everything},
        {"kill_sweep", test_kill_sweep},
        {"alloc_sweep", test_alloc_sweep},
        {"alloc_sweep_all", test_alloc_sweep_all},
        {"crowds", test_crowds},
        {"sandboxes", test_sandboxes},
        {"deterministic", test_deterministic},
        {"cancel_thread", test_cancel_thread},
        {"threads", test_threads},
};

int main(int argc, char **argv)
{
	return run_tests(tests, COUNTOF(tests), argc, argv);
}
