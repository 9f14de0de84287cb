/* test_parts.c - the kernel's parts by themselves: pools, timers, stacks, the fake port. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../src/kernel/pool.h"
#include "../../../src/kernel/stack.h"
#include "../../../src/kernel/timer.h"
#include "../../../src/port/fake.h"
#include "world.h"

static uint32_t seed = 1;

static uint32_t chance(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Random blocks of all sizes, each filled with its own byte, checked when freed. */
static void test_pool(void)
{
	enum { SLOTS = 3000, TURNS = 200000 };
	static struct {
		unsigned char *p;
		size_t n;
		unsigned char fill;
	} slot[SLOTS];
	struct port *port = port_linux_new();
	struct pool pool;
	bool right = true;

	pool_init(&pool, port);
	for (int i = 0; i < TURNS; i++) {
		size_t k = chance(SLOTS);
		uint32_t kind = chance(100);

		if (slot[k].p) {
			for (size_t j = 0; j<slot[k].n; j += slot[k].n> 5000 ? 997 : 1)
				right &= slot[k].p[j] == slot[k].fill;
			pool.memory.put(&pool.memory, slot[k].p, slot[k].n);
			slot[k].p = NULL;
			continue;
		}
		slot[k].n = kind < 70   ? chance(2100)
		            : kind < 90 ? chance(20000)
		            : kind < 99 ? chance(300000)
		                        : chance(2000000);
		slot[k].fill = (unsigned char)chance(256);
		slot[k].p = pool.memory.get(&pool.memory, slot[k].n);
		if (!slot[k].p || (uintptr_t)slot[k].p % 16) {
			CHECK(!"no block, or not aligned");
			break;
		}
		if (slot[k].n)
			memset(slot[k].p, slot[k].fill, slot[k].n);
	}
	CHECK(right);
	for (size_t k = 0; k < SLOTS; k++)
		if (slot[k].p)
			pool.memory.put(&pool.memory, slot[k].p, slot[k].n);
	CHECK_EQ(pool.live, 0);
	CHECK_EQ(pool.blocks, 0);
	CHECK(pool.dirty <= (16 << 20));
	CHECK(!pool.memory.get(&pool.memory, SIZE_MAX - 100));
	pool_release(&pool);
	port->free(port);
}

static int fired[1000], nfired;
static struct timer timers[1000];

static void fire(struct timer *t)
{
	fired[nfired++] = (int)(t - timers);
}

static void test_timers(void)
{
	struct port *port = port_linux_new();
	struct pool pool;
	struct quota q = {.memory = &pool.memory};
	struct timers h;
	struct timer *t;
	bool ordered = true;

	pool_init(&pool, port);
	timers_init(&h, &q);
	CHECK(timers_reserve(&h, 1000));
	for (int round = 0; round < 20; round++) {
		int armed = 0, gone = 0;

		nfired = 0;
		for (int i = 0; i < 1000; i++) {
			timers[i].fire = fire;
			timer_arm(&h, &timers[i], chance(100));
			armed++;
		}
		for (int i = 0; i < 300; i++) {
			int k = (int)chance(1000);

			if (chance(2))
				timer_arm(&h, &timers[k], chance(100));
			else if (timers[k].heap) {
				timer_disarm(&timers[k]);
				gone++;
			}
		}
		for (int64_t now = 0; now < 100; now++)
			while ((t = timers_due(&h, now)) != NULL) {
				CHECK_EQ(t->when, now);
				t->fire(t);
			}
		(void)gone;
		CHECK_EQ(timers_next(&h), INT64_MAX);
		for (int i = 1; i < nfired; i++) {
			const struct timer *a = &timers[fired[i - 1]], *b = &timers[fired[i]];

			ordered &= a->when < b->when || (a->when == b->when && a->seq < b->seq);
		}
		CHECK(nfired <= armed);
	}
	CHECK(ordered);
	timers_release(&h);
	CHECK_EQ(q.used, 0);
	pool_release(&pool);
	port->free(port);
}

/* True when touching `at` ends the process. */
static bool is_guarded(char *at)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		*(volatile char *)at = 1;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_stacks(void)
{
	struct port *port = port_linux_new();
	struct pool pool;
	struct quota q = {.memory = &pool.memory};
	struct stacks s;
	struct stack *v[600];

	pool_init(&pool, port);
	stacks_init(&s, port, &q, 64);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < COUNTOF(v); i++) {
			v[i] = stack_take(&s, i % 50 == 0 ? 1 << 20 : i % 7 == 0 ? 200000 : 0);
			CHECK(v[i] && v[i]->size >= (i % 50 == 0 ? 1u << 20 : 65536u));
			memset(v[i]->base + port->page_size, 0x5a, 100);
			memset(stack_top(v[i], STACK_ARENA) - 4000, 0x5a, 4000 + STACK_ARENA);
			v[i]->used = chance(60000);
		}
		CHECK_EQ(s.nused, COUNTOF(v));
		CHECK(is_guarded(v[0]->base) && is_guarded(v[33]->base + port->page_size - 1));
		CHECK(!is_guarded(v[33]->base + port->page_size));
		for (size_t i = 0; i < COUNTOF(v); i++)
			stack_give(&s, v[i]);
		CHECK_EQ(s.nused, 0);
		CHECK(s.nwarm <= 64);
	}
	stacks_release(&s);
	CHECK_EQ(q.used, 0);
	pool_release(&pool);
	port->free(port);
}

/* The test's procs are the stacks themselves; the even ones sleep, 5000 bytes deep. */
static char *even_sleep(const struct proc *p)
{
	const struct stack *k = (const struct stack *)(const void *)p;

	return ((uintptr_t)k->base / STACK_MIN) % 2 ? NULL : stack_top(k, STACK_ARENA) - 5000;
}

static void test_trim(void)
{
	struct port *port = port_linux_new();
	struct pool pool;
	struct quota q = {.memory = &pool.memory};
	struct stacks s;
	struct stack *v[1000];
	unsigned calls = 1, given = 0;

	pool_init(&pool, port);
	stacks_init(&s, port, &q, 64);
	for (size_t i = 0; i < COUNTOF(v); i++) {
		CHECK(stacks_want_trim(&s) == (i > STACK_TRIM + i / 8));
		v[i] = stack_take(&s, 0);
		CHECK(v[i] != NULL);
		v[i]->owner = (struct proc *)(void *)v[i];
		memset(stack_top(v[i], STACK_ARENA) - 50000, 0x5a, 50000 + STACK_ARENA);
	}
	while (stacks_trim(&s, even_sleep, 100))
		calls++;
	CHECK(!stacks_want_trim(&s));
	for (size_t i = 0; i < COUNTOF(v); i++) {
		bool sleeps = even_sleep((struct proc *)(void *)v[i]) != NULL;

		given += sleeps;
		CHECK((v[i]->owner == NULL) == sleeps);
		CHECK_EQ(stack_top(v[i], STACK_ARENA)[-50000], sleeps ? 0 : 0x5a);
		CHECK_EQ(stack_top(v[i], STACK_ARENA)[-9500], sleeps ? 0 : 0x5a);
		CHECK_EQ(stack_top(v[i], STACK_ARENA)[-5000], 0x5a);
		CHECK_EQ(stack_top(v[i], STACK_ARENA)[STACK_ARENA - 1], 0x5a);
		stack_give(&s, v[i]);
	}
	CHECK(given > 400 && given < 600);
	CHECK_EQ(calls, (given + 99) / 100);
	stacks_release(&s);
	CHECK_EQ(q.used, 0);
	pool_release(&pool);
	port->free(port);
}

/* ---- Every call of the port that can fail does, once -------------------------------- */

static int child(struct proc *p, void *arg)
{
	(void)arg;
	return sys_sleep(p, 5000000000) < 0;
}

static int busy(struct proc *p, int argc, char **argv)
{
	struct sys_wait st;

	(void)argc;
	(void)argv;
	for (int i = 0; i < 20; i++)
		if (sys_spawn(p, &(struct sys_spawn){.entry = child}) < 0)
			return 1;
	while (sys_wait(p, -1, 0, &st) > 0)
		;
	memset(arena_alloc(&sys_self(p)->arena, 3 << 20), 1, 3 << 20);
	return 0;
}

static const struct program programs[] = {{"busy", busy, NULL, 0}};

static uint64_t one_life(uint64_t fail_at, int *status)
{
	struct port *port = port_fake_new(
	        port_linux_new(), &(struct port_fake_config){.step_ns = 100, .fail_at = fail_at});
	struct sandbox_config config = {.programs = &(struct program_table){programs, 1},
	                                .env = (char *[]){NULL}};
	struct runtime *rt = runtime_new(port, NULL);
	struct sandbox *sb;
	struct run *run;
	uint64_t calls;

	*status = -1;
	if (rt && sandbox_new(rt, &config, &sb) == 0) {
		if (run_start(sb,
		              &(struct run_config){.program = programs,
		                                   .argv = ARGV("busy"),
		                                   .wall_ns = 60000000000},
		              &run) == 0) {
			world_step_until_done(run);
			*status = run_result(run)->status;
			if (!fail_at)
				CHECK(run_result(run)->wall_ns >= 5000000000);
			run_free(run);
		}
		sandbox_free(sb);
	}
	calls = port_fake_calls(port);
	if (rt)
		runtime_free(rt);
	port->free(port);
	return calls;
}

static void test_port_faults(void)
{
	int status;
	uint64_t n = one_life(0, &status);

	CHECK_EQ(status, 0);
	CHECK(n > 3);
	for (uint64_t i = 1; i <= n; i++)
		one_life(i, &status);
}

static const struct test tests[] = {
        {"pool", test_pool},
        {"timers", test_timers},
        {"stacks", test_stacks},
        {"trim", test_trim},
        {"port_faults", test_port_faults},
};

int main(int argc, char **argv)
{
	return run_tests(tests, COUNTOF(tests), argc, argv);
}
