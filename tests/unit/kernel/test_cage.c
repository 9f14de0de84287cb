/* test_cage.c - cages: what a proc left in one is never seen again, and leaving one is a fault. */
#include "world.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE ((size_t)65536)

static const char kind_a, kind_b, kind_large, kind_huge, kind_given, kind_given_large;

static void fault(void *base)
{
	struct proc *p = *(struct proc **)base;

	say(p, 1, "fault\n");
	sys_exit(p, 7);
}

/* A cage of `kind` with the proc in its head, as a guest's runtime has it. */
static char *open_cage(struct proc *p, const void *kind, struct sys_cage *c)
{
	if (sys_cage_open(p, kind, fault, c) < 0) {
		say(p, 1, "no cage\n");
		sys_exit(p, 1);
	}
	*(struct proc **)(void *)c->base = p;
	return c->base + SYS_CAGE_HEAD;
}

/* The image: two pages of zeroes, one of 'i', and "head" in the head. */
static char *prepared(struct proc *p, const void *kind, struct sys_cage *c)
{
	char *m = open_cage(p, kind, c);

	if (c->frozen)
		return m;
	CHECK_EQ(c->size, 0);
	CHECK_EQ(sys_cage_grow(p, 3 * PAGE), 0);
	memset(m + 2 * PAGE, 'i', PAGE);
	strcpy(c->base + 64, "head");
	strcpy(c->base + 9000, "table");
	CHECK_EQ(sys_cage_freeze(p, 12288), 0);
	return m;
}

static bool as_frozen(const struct sys_cage *c, const char *m)
{
	bool right = strcmp(c->base + 64, "head") == 0 && strcmp(c->base + 9000, "table") == 0;

	for (size_t i = 0; i < 3 * PAGE; i++)
		right &= m[i] == (i < 2 * PAGE ? 0 : 'i');
	return right;
}

/* Checks that all is as frozen, then writes over everything, also over what it grows. */
static int main_scribble(struct proc *p, int argc, char **argv)
{
	struct sys_cage c;
	char *m = prepared(p, &kind_a, &c);

	(void)argc, (void)argv;
	if (!as_frozen(&c, m))
		return 2;
	CHECK_EQ(sys_cage_grow(p, 3 * PAGE - 1), -NACRE_EINVAL);
	CHECK_EQ(sys_cage_grow(p, 40 * PAGE), 0);
	for (size_t i = 0; i < 37 * PAGE; i++)
		if (m[3 * PAGE + i])
			return 3;
	memset(m, 's', 40 * PAGE);
	memset(c.base + 64, 's', 4096 - 64);
	return 0;
}

static int main_leave(struct proc *p, int argc, char **argv)
{
	struct sys_cage c;
	char *m = prepared(p, &kind_a, &c);
	size_t at = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;

	((volatile char *)m)[at]++;
	return 0;
}

/* Looping for ever, blocked for ever: killed either way. */
static int main_stay(struct proc *p, int argc, char **argv)
{
	struct sys_cage c;
	char *m = prepared(p, &kind_a, &c);

	(void)argv;
	memset(m, 's', 3 * PAGE);
	while (argc == 1)
		sys_checkpoint(p);
	return sys_sleep(p, INT64_MAX);
}

static int main_two(struct proc *p, int argc, char **argv)
{
	struct sys_cage c, d;
	char *m = prepared(p, &kind_b, &c);

	(void)argc, (void)argv;
	CHECK_EQ(sys_cage_open(p, &kind_a, fault, &d), -NACRE_EBUSY);
	return m[0];
}

static int main_hungry(struct proc *p, int argc, char **argv)
{
	struct sys_cage c;
	uint64_t size = 3 * PAGE;

	(void)argc, (void)argv;
	prepared(p, &kind_a, &c);
	while (sys_cage_grow(p, size + 16 * PAGE) == 0)
		size += 16 * PAGE;
	say(p, 1, size < 64 << 20 ? "bounded" : "unbounded");
	return 0;
}

/* A large image, whose pages are shared until they are written to: that of kind_large is small enough to be copied
 * back when all of it was written to, that of kind_huge is mapped anew. */
static int large(struct proc *p, const void *kind, size_t npages)
{
	struct sys_cage c;
	char *m = open_cage(p, kind, &c);
	bool right = true;

	if (!c.frozen) {
		CHECK_EQ(sys_cage_grow(p, npages * PAGE), 0);
		for (size_t i = PAGE; i < npages * PAGE; i++)
			m[i] = (char)(i * 7 + i / 4096);
		strcpy(c.base + 64, "head");
		CHECK_EQ(sys_cage_freeze(p, 4096), 0);
	}
	for (size_t i = 0; i < npages * PAGE; i++)
		right &= m[i] == (i < PAGE ? 0 : (char)(i * 7 + i / 4096));
	right &= strcmp(c.base + 64, "head") == 0;
	CHECK_EQ(sys_cage_grow(p, npages * PAGE + PAGE), 0);
	for (size_t i = 0; i < PAGE; i++)
		right &= m[npages * PAGE + i] == 0;
	memset(m, 's', npages * PAGE + PAGE);
	memset(c.base + 64, 's', 4096 - 64);
	return right ? 0 : 2;
}

static int main_large(struct proc *p, int argc, char **argv)
{
	(void)argv;
	return argc > 1 ? large(p, &kind_huge, 256) : large(p, &kind_large, 80);
}

/* An image that somebody has made before: of a small one and of a large one. */
static int given(struct proc *p, const void *kind, size_t npages)
{
	static char bytes[79 * PAGE];
	struct sys_cage c;
	char *m = open_cage(p, kind, &c);
	bool right = true;

	for (size_t i = 0; i < (npages - 1) * PAGE; i++)
		bytes[i] = (char)(i * 3 + i / 4096);
	if (!c.frozen) {
		CHECK_EQ(sys_cage_freeze_as(p, 4096, bytes, 2 * PAGE, PAGE), -NACRE_EINVAL);
		CHECK_EQ(sys_cage_freeze_as(p, 4096, bytes, 0, PAGE + 1), -NACRE_EINVAL);
		strcpy(c.base + 64, "head");
		CHECK_EQ(sys_cage_freeze_as(p, 4096, bytes, PAGE, npages * PAGE), 0);
		CHECK_EQ(sys_cage_freeze_as(p, 4096, bytes, PAGE, npages * PAGE), -NACRE_EINVAL);
	}
	for (size_t i = 0; i < npages * PAGE; i++)
		right &= m[i] == (i < PAGE ? 0 : bytes[i - PAGE]);
	right &= strcmp(c.base + 64, "head") == 0;
	memset(m, 's', npages * PAGE);
	memset(c.base + 64, 's', 4096 - 64);
	return right ? 0 : 2;
}

static int main_given(struct proc *p, int argc, char **argv)
{
	(void)argv;
	return argc > 1 ? given(p, &kind_given_large, 80) : given(p, &kind_given, 3);
}

/* ---- Several that come before there is an image ---- */

static const char kind_crowd, kind_small_crowd;
static int makers, inside;

/* How many of the n bytes are in pages that are this process's alone; -1: the kernel does not tell. */
static long own_bytes(const char *at, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/pagemap", O_RDONLY);
	long own = 0;

	for (size_t k = 0; k < n && own >= 0; k += page) {
		uint64_t entry;

		if (pread(fd, &entry, sizeof(entry), (off_t)(((uintptr_t)at + k) / page * sizeof(entry))) != sizeof(entry))
			own = -1;
		else if (entry >> 63 & 1 && !(entry >> 61 & 1))
			own += (long)page;
	}
	close(fd);
	return own;
}

/* Makes the image slowly if there is none: others get their turns meanwhile. */
static int crowd(struct proc *p, const void *kind, size_t npages, bool then_fail)
{
	struct sys_cage c;
	char *m = open_cage(p, kind, &c);
	bool right = true;

	if (!c.frozen) {
		makers++;
		inside++;
		CHECK_EQ(sys_cage_grow(p, npages * PAGE), 0);
		for (size_t i = 0; i < npages; i++) {
			memset(m + i * PAGE, (int)i + 1, PAGE);
			CHECK(sys_sleep(p, 1000) <= 0);
		}
		strcpy(c.base + 64, "head");
		inside--;
		if (then_fail)
			return 9;
		CHECK_EQ(sys_cage_freeze(p, 4096), 0);
		*(struct proc **)(void *)c.base = p;
	}
	for (size_t i = 0; i < npages * PAGE; i++)
		right &= m[i] == (char)(i / PAGE + 1);
	right &= strcmp(c.base + 64, "head") == 0;
	/* Also whoever has made it holds nothing that the others do not. */
	if (npages > 4)
		CHECK(own_bytes(m, npages * PAGE) <= 0);
	m[0] = 's';
	CHECK_EQ(sys_sleep(p, 1000000), 0);
	return right ? 0 : 2;
}

static int main_crowd(struct proc *p, int argc, char **argv)
{
	(void)argv;
	return argc > 1 ? crowd(p, &kind_small_crowd, 2, makers == 0) : crowd(p, &kind_crowd, 80, false);
}

static int crowd_entry(struct proc *p, void *arg)
{
	(void)arg;
	return crowd(p, &kind_crowd, 80, false);
}

/* Nobody waits for a maker that is stopped; then there are two, of which the first to be ready counts. */
static int main_stopped(struct proc *p, int argc, char **argv)
{
	int first = sys_spawn(p, &(struct sys_spawn){.entry = crowd_entry}), second, third;
	struct sys_wait st;

	(void)argc, (void)argv;
	CHECK_EQ(sys_sleep(p, 100000), 0);
	CHECK(inside == 1);
	second = sys_spawn(p, &(struct sys_spawn){.entry = crowd_entry});
	third = sys_spawn(p, &(struct sys_spawn){.entry = crowd_entry});
	CHECK_EQ(sys_sleep(p, 100000), 0);
	CHECK(inside == 1);
	CHECK_EQ(sys_kill(p, first, SYS_SIGSTOP), 0);
	CHECK(sys_wait(p, second, 0, &st) == second && st.status == 0);
	CHECK(sys_wait(p, third, 0, &st) == third && st.status == 0);
	CHECK(inside == 1);
	CHECK_EQ(sys_kill(p, first, SYS_SIGCONT), 0);
	CHECK(sys_wait(p, first, 0, &st) == first && st.status == 0);
	return inside;
}

static const struct program programs[] = {
	{.name = "crowd", .main = main_crowd},
	{.name = "given", .main = main_given},
	{.name = "hungry", .main = main_hungry},     {.name = "large", .main = main_large}, {.name = "leave", .main = main_leave}, {.name = "scribble", .main = main_scribble},
	{.name = "stay", .main = main_stay},	     {.name = "stopped", .main = main_stopped}, {.name = "two", .main = main_two},
};

static void test_isolation(void)
{
	struct world w;
	struct outcome o;

	world_open(&w, NULL, programs, COUNTOF(programs));
	for (int i = 0; i < 50; i++) {
		world_run(&w, "scribble", ARGV("scribble"), NULL, &o);
		CHECK_EQ(o.result.status, 0);
	}
	world_run(&w, "two", ARGV("two"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	world_close(&w);
}

static void test_large(void)
{
	struct world w;
	struct outcome o;

	world_open(&w, NULL, programs, COUNTOF(programs));
	for (int i = 0; i < 12; i++) {
		world_run(&w, "large", i % 2 ? ARGV("large") : ARGV("large", "huge"), NULL, &o);
		CHECK_EQ(o.result.status, 0);
	}
	world_close(&w);
}

/* The same where the kernel cannot be asked for the pages of a range at once (before Linux 6.7), which here a filter says. */
static void test_old_kernel(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)_IOWR('f', 16, char[96]), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 25),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {COUNTOF(code), code};
	pid_t child;
	int status = 0;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
			_exit(0); /* not to be had here */
		failures = 0;
		test_large();
		fflush(NULL);
		_exit(failures > 0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void test_given(void)
{
	struct world w;
	struct outcome o;

	world_open(&w, NULL, programs, COUNTOF(programs));
	for (int i = 0; i < 8; i++) {
		world_run(&w, "given", i % 2 ? ARGV("given") : ARGV("given", "large"), NULL, &o);
		CHECK_EQ(o.result.status, 0);
	}
	w.config.limits.memory = 2 << 20;
	world_run(&w, "given", ARGV("given", "large"), NULL, &o);
	CHECK(o.result.status != 0);
	world_close(&w);
}

static void test_fault(void)
{
	/* Inside the image, just behind it, where another run had grown, and the last address. */
	static const struct {
		const char *at;
		int status;
	} cases[] = {{"0", 0}, {"196607", 0}, {"196608", 7}, {"2621439", 7}, {"8589934591", 7}};
	struct world w;
	struct outcome o;

	world_open(&w, NULL, programs, COUNTOF(programs));
	world_run(&w, "scribble", ARGV("scribble"), NULL, &o);
	for (size_t i = 0; i < COUNTOF(cases); i++) {
		world_run(&w, "leave", ARGV("leave", cases[i].at), NULL, &o);
		CHECK_EQ(o.result.status, cases[i].status);
		CHECK_STR(o.out, cases[i].status ? "fault\n" : "");
	}
	world_run(&w, "scribble", ARGV("scribble"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	world_close(&w);
}

static void test_killed(void)
{
	struct run_config c = {.wall_ns = 5000000};
	struct world w;
	struct outcome o;

	world_open(&w, NULL, programs, COUNTOF(programs));
	for (int i = 0; i < 20; i++) {
		world_run(&w, "stay", i % 2 ? ARGV("stay") : ARGV("stay", "asleep"), &c, &o);
		CHECK_EQ(o.result.stop, RUN_STOP_DEADLINE);
		world_run(&w, "scribble", ARGV("scribble"), NULL, &o);
		CHECK_EQ(o.result.status, 0);
	}
	world_close(&w);
}

static void test_budget(void)
{
	struct world w;
	struct outcome o;

	world_open(&w, NULL, programs, COUNTOF(programs));
	w.config.limits.memory = 32 << 20;
	world_run(&w, "hungry", ARGV("hungry"), NULL, &o);
	CHECK_STR(o.out, "bounded");
	world_close(&w);
}

/* Of many at the same time one makes the image, or one after the other tries. */
static void test_crowd(void)
{
	enum { N = 8 };
	struct world w;
	struct outcome o;

	world_open(&w, NULL, programs, COUNTOF(programs));
	for (int small = 0; small < 2; small++) {
		struct sandbox *sb[N];
		struct run *run[N];
		int status = 0;

		makers = inside = 0;
		for (int i = 0; i < N; i++) {
			sb[i] = world_sandbox(&w);
			sandbox_set_user(sb[i], &w);
			run[i] = world_start(sb[i], "crowd", small ? ARGV("crowd", "small") : ARGV("crowd"), NULL);
		}
		for (int i = 0; i < N; i++) {
			world_finish(run[i], &o);
			status += o.result.status;
			sandbox_free(sb[i]);
		}
		CHECK_EQ(status, small ? 9 : 0);
		CHECK_EQ(makers, 1 + small);
	}
	world_close(&w);
	makers = inside = 0;
	world_open(&w, NULL, programs, COUNTOF(programs));
	world_run(&w, "stopped", ARGV("stopped"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	CHECK_EQ(makers, 2);
	world_close(&w);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{"isolation", test_isolation},
		{"large", test_large},
		{"old_kernel", test_old_kernel},
		{"given", test_given},
		{"fault", test_fault},
		{"killed", test_killed},
		{"budget", test_budget},
		{"crowd", test_crowd},
	};

	return run_tests(tests, COUNTOF(tests), argc, argv);
}
