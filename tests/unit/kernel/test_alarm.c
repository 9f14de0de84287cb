/* test_alarm.c - SIGALRM at a time: caught, not caught, again and again, taken back, outlived. */
#include "world.h"

#define MS INT64_C(1000000)

static int64_t left;

/* How many alarms came in a sleep of a second that each of them ends. */
static int alarms(struct proc *p, int most)
{
	int n = 0;

	while (n < most && sys_sleep(p, 1000 * MS) == -NACRE_EINTR)
		n += sys_signals(p) == (uint64_t)1 << SYS_SIGALRM;
	return n;
}

static int main_caught(struct proc *p, int argc, char **argv)
{
	(void)argc, (void)argv;
	sys_signal(p, SYS_SIGALRM, SYS_SIG_CATCH);
	CHECK_EQ(sys_alarm(p, 0, 0, &left), 0);
	CHECK_EQ(left, 0);
	CHECK_EQ(sys_alarm(p, 10 * MS, 0, &left), 0);
	CHECK_EQ(alarms(p, 1), 1);
	CHECK_EQ(sys_alarm(p, 10 * MS, 0, &left), 0);
	CHECK_EQ(left, 0);
	CHECK_EQ(sys_alarm(p, 0, 0, &left), 0);
	CHECK(left > 0 && left <= 10 * MS);
	CHECK_EQ(sys_sleep(p, 30 * MS), 0);
	CHECK_EQ(sys_alarm(p, 5 * MS, 5 * MS, &left), 0);
	CHECK_EQ(alarms(p, 3), 3);
	CHECK_EQ(sys_alarm(p, -1, 0, &left), -NACRE_EINVAL);
	CHECK_EQ(sys_alarm(p, 1, -1, &left), -NACRE_EINVAL);
	return 0; /* with one that is still to come */
}

static int main_busy(struct proc *p, int argc, char **argv)
{
	(void)argc, (void)argv;
	sys_signal(p, SYS_SIGALRM, SYS_SIG_CATCH);
	CHECK_EQ(sys_alarm(p, 5 * MS, 0, &left), 0);
	while (!sys_signal_waiting(p))
		sys_checkpoint(p);
	return 0;
}

static int main_ended(struct proc *p, int argc, char **argv)
{
	(void)argv;
	CHECK_EQ(sys_alarm(p, 5 * MS, 0, &left), 0);
	while (argc == 1)
		sys_checkpoint(p);
	return sys_sleep(p, INT64_MAX);
}

static const struct program programs[] = {
	{.name = "busy", .main = main_busy},
	{.name = "caught", .main = main_caught},
	{.name = "ended", .main = main_ended},
};

static void run_all(struct world *w)
{
	struct outcome o;

	world_run(w, "caught", ARGV("caught"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	world_run(w, "busy", ARGV("busy"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	world_run(w, "ended", ARGV("ended"), NULL, &o);
	CHECK_EQ(o.result.status, 128 + SYS_SIGALRM);
	world_run(w, "ended", ARGV("ended", "asleep"), NULL, &o);
	CHECK_EQ(o.result.signal, SYS_SIGALRM);
}

static void test_real(void)
{
	struct world w;

	world_open(&w, NULL, programs, COUNTOF(programs));
	run_all(&w);
	world_close(&w);
}

/* In time that moves with the work done. */
static void test_deterministic(void)
{
	struct world w;

	world_open(&w, NULL, programs, COUNTOF(programs));
	w.config.deterministic = true;
	run_all(&w);
	world_close(&w);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{"real", test_real},
		{"deterministic", test_deterministic},
	};

	return run_tests(tests, COUNTOF(tests), argc, argv);
}
