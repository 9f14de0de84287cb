/* sleep.c - pause. */
#include "cmd.h"

/* Seconds of "1.5", "2m", "1h", "1d"; false when it is no interval. */
static bool interval(const char *s, double *seconds)
{
	const char *end;
	double x = num_double(s, &end);

	if (end == s || !(x >= 0))
		return false;
	switch (*end) {
	case 'd': x *= 24; /* fall through */
	case 'h': x *= 60; /* fall through */
	case 'm': x *= 60; /* fall through */
	case 's': end++; break;
	default: break;
	}
	*seconds = x;
	return *end == '\0';
}

static int sleep_main(struct proc *p, const struct cmd_args *a)
{
	double total = 0;
	bool bad = false;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	for (int i = 0; i < a->argc; i++) {
		double x = 0;

		if (!interval(a->argv[i], &x)) {
			u_warn(p, 0, "invalid time interval %s", u_quote(p, a->argv[i]));
			bad = true;
		}
		total += x;
	}
	if (bad)
		u_try_help(p);
	/* Longer sleeps than a century are slept by the century. */
	while (total > 0) {
		double part = MIN(total, 3e9);
		int r = sys_sleep(p, (int64_t)(part * 1e9));

		if (r < 0)
			u_die(p, 1, r, "cannot read realtime clock");
		total -= part;
	}
	return 0;
}

const struct cmd cmd_sleep = {
	.name = "sleep",
	.summary = "pause for a time, or for the sum of several",
	.synopsis = "NUMBER[SUFFIX]...\nOPTION",
	.description = "NUMBER may have a fraction. SUFFIX is s for seconds (the default), m for minutes, h for\n"
		       "hours or d for days.",
	.main = sleep_main,
};
