/* test_fair.c - sandboxes in one thread get their turns, whatever the others do.
 *
 * Counted in ticks of work (about 10 ns each), not by a clock: between two turns of one sandbox another may do 50 ms of work at
 * most. Then a thousand agents with commands that another thread completes, beside a spinning one; AGENTS=n sets how many. */
#include "answers.h"
#include "harness.h"

#define GAP_MAX 5000000u /* ticks: 50 ms */
#define MARKS 40

/* ---- One that spins, one that works ---- */

static nacre_run *spinner;
static uint64_t last, widest;
static unsigned marks;

/* The worker's command: how far has the other one come since the last time? */
static void mark(nacre_invocation *inv, void *payload)
{
	nacre_status st = {.size = sizeof(st)};

	(void)payload;
	CHECK(nacre_run_status(&st, spinner) == 0);
	if (marks++ && st.ticks - last > widest)
		widest = st.ticks - last;
	last = st.ticks;
	nacre_invocation_complete(inv, 0);
}

static const char *const spinners[] = {
	"while :; do :; done",
	"while ((1)); do ((i++)); done",
	"yes > /dev/null",
	"yes | cat > /dev/null",
	"cat /dev/zero > /dev/null",
	"seq 1 1000000000 | tail -n 1",
	"while :; do (:); done",
	"while :; do /bin/true; done",
	"while :; do x=$(echo $RANDOM); done",
	"awk 'BEGIN { while (1) i++ }'",
	"sed ':a; s/x/x/; ba' <<< x",
	"for ((;;)); do : {1..1000}; done",
	"x=$(printf 'a%.0s' {1..3000}); while :; do [[ $x =~ (a|aa)+$ ]]; [[ $x == *a*a*a*b ]]; done",
	"seq 300000 > f; while :; do sort -R f | sort -n > g; done",
	"seq 900000 > f; while :; do sort -f f; sort -t1 -k2,2V f; sort -ru f; done | tail -n 1",
	"head -c 30M /dev/zero | tr '\\0' x > f; echo >> f; cat f f f > g; while :; do sort g | cmp - f; sort -g g; sort -k2 g; done > /dev/null",
	"head -c 8M /dev/zero > z; while :; do sha256sum z; gzip -9 < z; xz -0 < z; done > /dev/null",
	"seq 100000 > f; while :; do grep -c '\\(1*\\)*\\1x' f; grep -P '(1+)+x' f; done",
	"while :; do find / -name '*x*'; done > /dev/null",
	"factor 1329227995784915642319506138910959327",
	"echo '2^100000' | bc | tail -c 3; while :; do echo '3^20000' | bc; done > /dev/null",
	"python3 -c 'while True: pass'",
	"js -e 'for (;;);'",
	"jq -n 'def f: f; f'",
	"sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c) select sum(x) from c'",
	"f() { f; }; while :; do (f) 2> /dev/null; done",
	"while :; do sleep 0 & wait; done",
};

static void test_spinner(const nacre_config *cfg, const nacre_config *working, const char *script)
{
	nacre_sandbox *a = sandbox(cfg), *b = sandbox(working);
	nacre_request spin = NACRE_REQUEST_INIT, work = NACRE_REQUEST_INIT;
	nacre_status st = {.size = sizeof(st)};
	nacre_run *run;

	spin.script = script;
	spin.timeout_ns = -1;
	work.script = "for ((i = 0; i < 40; i++)); do mark; echo $i | cat > f; done";
	widest = 0;
	marks = 0;
	CHECK(nacre_run_start(&spinner, a, &spin) == 0);
	/* It is well under way first. */
	do
		nacre_runtime_step(rt);
	while (nacre_run_status(&st, spinner) == 0 && st.state == NACRE_RUN_RUNNING && st.ticks < 100000);
	CHECK(nacre_run_start(&run, b, &work) == 0);
	while (!nacre_run_done(run))
		if (nacre_runtime_step(rt) == NACRE_STEP_WAIT && !nacre_run_done(run))
			nacre_runtime_block(rt, -1);
	CHECK(marks == MARKS);
	/* It spins yet: else nothing was shown. */
	CHECK(nacre_run_status(&st, spinner) == 0 && st.state == NACRE_RUN_RUNNING);
	CHECK(widest <= GAP_MAX);
	if (widest > GAP_MAX || getenv("FAIR_VERBOSE"))
		printf("  %8llu ticks: %s\n", (unsigned long long)widest, script);
	nacre_result_free(nacre_run_finish(run));
	nacre_run_cancel(spinner);
	nacre_result_free(nacre_run_finish(spinner));
	nacre_sandbox_free(a);
	nacre_sandbox_free(b);
}

/* ---- A thousand agents ---- */

static unsigned *asked;	  /* by agent */
static unsigned rounds_max; /* by which one was ever ahead of the slowest */
static size_t nagents;

static void ask(nacre_invocation *inv, void *payload)
{
	size_t who = strtoul(nacre_invocation_env(inv, "AGENT"), NULL, 10);
	unsigned least = ~0u;

	(void)payload;
	asked[who]++;
	/* Looking at all each time would be quadratic: the first agent's asking is when it is done. */
	for (size_t i = 0; who == 0 && i < nagents; i++)
		least = asked[i] < least ? asked[i] : least;
	if (who == 0 && asked[0] - least > rounds_max)
		rounds_max = asked[0] - least;
	answers_ask(answers_echo, inv, 0);
}

static void test_agents(nacre_config *cfg)
{
	const char *n = getenv("AGENTS");
	nacre_sandbox **sb, *other;
	nacre_run **run, *spin;
	nacre_request req = NACRE_REQUEST_INIT;
	size_t right = 0, done = 0;

	nagents = n ? strtoul(n, NULL, 10) : 200;
	sb = calloc(nagents, sizeof(*sb));
	run = calloc(nagents, sizeof(*run));
	asked = calloc(nagents, sizeof(*asked));
	if (!sb || !run || !asked || !answers_start(nagents * 2)) {
		CHECK(!"memory");
		return;
	}
	other = sandbox(cfg);
	req.script = "while :; do :; done";
	req.timeout_ns = -1;
	CHECK(nacre_run_start(&spin, other, &req) == 0);
	req.script = "s=; for ((i = 0; i < 10; i++)); do s+=$(ask $i | tr 0-9 a-j); sleep 0.0$((i % 3)); done; echo $s";
	for (size_t i = 0; i < nagents; i++) {
		char agent[32];
		const char *env[] = {agent, NULL};

		snprintf(agent, sizeof(agent), "AGENT=%zu", i);
		req.env = env;
		sb[i] = sandbox(cfg);
		CHECK(nacre_run_start(&run[i], sb[i], &req) == 0);
	}
	while (done < nagents) {
		if (nacre_runtime_step(rt) == NACRE_STEP_WAIT)
			nacre_runtime_block(rt, -1);
		while (done < nagents && nacre_run_done(run[done]))
			done++;
	}
	for (size_t i = 0; i < nagents; i++) {
		nacre_result *res = nacre_run_finish(run[i]);

		right += strcmp(nacre_result_stdout(res, NULL), "abcdefghij\n") == 0 && asked[i] == 10;
		nacre_result_free(res);
		nacre_sandbox_free(sb[i]);
	}
	CHECK(right == nagents);
	/* Nobody was left behind: all are in the same round, or in the next. */
	CHECK(rounds_max <= 3);
	nacre_run_cancel(spin);
	nacre_result_free(nacre_run_finish(spin));
	nacre_sandbox_free(other);
	CHECK(answers_stop() == nagents * 10);
	printf("%zu agents, %u rounds apart at most\n", nagents, rounds_max);
	free(sb);
	free(run);
	free(asked);
}

int main(int argc, char **argv)
{
	nacre_config *cfg = nacre_config_new(), *working = nacre_config_new();
	nacre_command c = NACRE_COMMAND_INIT;

	if (nacre_runtime_new(&rt) < 0)
		return 1;
	c.name = "mark";
	c.summary = "counts turns";
	c.run = mark;
	CHECK(nacre_config_command(working, &c) == 0);
	for (size_t i = 0; i < sizeof(spinners) / sizeof(spinners[0]); i++)
		if (argc < 2 || strstr(spinners[i], argv[1]))
			test_spinner(cfg, working, spinners[i]);
	c.name = "ask";
	c.run = ask;
	CHECK(nacre_config_command(cfg, &c) == 0);
	test_agents(cfg);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	nacre_config_free(working);
	return summary();
}
