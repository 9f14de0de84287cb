/* uptime.c - uptime and w: how long the sandbox is there, and that nobody is logged in to it. */
#include "cmd.h"

struct uptime {
	bool pretty, since;
};

static const struct cmd_opt uptime_opts[] = {
	CMD_FLAG(struct uptime, pretty, 'p', "pretty", "show uptime in pretty format"),
	CMD_FLAG(struct uptime, since, 's', "since", "system up since"),
};

/* Since the root directory was made: the clock of the machine is none of a sandbox's business. */
static int64_t seconds_up(struct proc *p)
{
	int64_t now = sys_clock(p, SYS_CLOCK_REAL) / 1000000000;
	struct sys_stat st;

	return sys_stat(p, "/", 0, &st) == 0 && st.btime.sec > 0 && st.btime.sec < now ? now - st.btime.sec : 0;
}

static void put_time(struct proc *p, int64_t sec, const char *format)
{
	struct u_tm tm;
	struct u_buf b;

	u_time_split(u_tz_get(p, NULL), (struct sys_time){sec, 0}, &tm);
	u_buf_init(&b, p, 0);
	u_time_format(&b, format, strlen(format), &tm);
	u_put(u_stdout(p), b.ptr, b.len);
}

/* " 00:58:57 up  4:06,  0 user,  load average: 0.00, 0.00, 0.00" */
static void put_line(struct proc *p)
{
	int64_t up = seconds_up(p), minutes = up / 60 % 60, hours = up / 3600 % 24, days = up / 86400;
	struct u_out *out = u_stdout(p);

	put_time(p, sys_clock(p, SYS_CLOCK_REAL) / 1000000000, " %H:%M:%S up ");
	if (days)
		u_printf(out, "%lld %s, ", (long long)days, days == 1 ? "day" : "days");
	if (hours)
		u_printf(out, "%2lld:%02lld, ", (long long)hours, (long long)minutes);
	else
		u_printf(out, "%lld min, ", (long long)minutes);
	u_puts(out, " 0 user,  load average: 0.00, 0.00, 0.00\n");
}

static void put_unit(struct u_out *out, bool *any, int64_t n, const char *unit)
{
	if (n == 0)
		return;
	u_printf(out, "%s%lld %s%s", *any ? ", " : " ", (long long)n, unit, n == 1 ? "" : "s");
	*any = true;
}

static void put_pretty(struct proc *p)
{
	int64_t up = seconds_up(p);
	struct u_out *out = u_stdout(p);
	bool any = false;

	u_puts(out, "up");
	put_unit(out, &any, up / 604800, "week");
	put_unit(out, &any, up / 86400 % 7, "day");
	put_unit(out, &any, up / 3600 % 24, "hour");
	if (up / 60 % 60 || !any)
		u_printf(out, "%s%lld minute%s", any ? ", " : " ", (long long)(up / 60 % 60), up / 60 % 60 == 1 ? "" : "s");
	u_putc(out, '\n');
}

static int uptime_main(struct proc *p, const struct cmd_args *a)
{
	const struct uptime *o = a->opts;

	if (a->argc > 0)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[0]));
	if (o->pretty)
		put_pretty(p);
	else if (o->since)
		put_time(p, sys_clock(p, SYS_CLOCK_REAL) / 1000000000 - seconds_up(p), "%Y-%m-%d %H:%M:%S\n");
	else
		put_line(p);
	return 0;
}

struct w {
	bool no_header, brief, ignored;
};

static const struct cmd_opt w_opts[] = {
	CMD_FLAG(struct w, no_header, 'h', "no-header", "do not print header"),
	CMD_FLAG(struct w, brief, 's', "short", "short format"),
	CMD_FLAG(struct w, ignored, 'u', "no-current", "ignore current process username (there is none)"),
};

static int w_main(struct proc *p, const struct cmd_args *a)
{
	const struct w *o = a->opts;

	if (o->no_header)
		return 0;
	put_line(p);
	u_puts(u_stdout(p), o->brief ? "USER     TTY      FROM              IDLE WHAT\n" :
				       "USER     TTY      FROM             LOGIN@   IDLE   JCPU   PCPU WHAT\n");
	return 0;
}

const struct cmd cmd_uptime = {
	.name = "uptime",
	.summary = "say how long the system has been running",
	.synopsis = "[OPTION]...",
	.description = "The system is the sandbox, which began when its root directory was made; its load is not measured.",
	.opts = uptime_opts,
	.nopts = COUNTOF(uptime_opts),
	.opts_size = sizeof(struct uptime),
	.main = uptime_main,
};

const struct cmd cmd_w = {
	.name = "w",
	.summary = "show who is logged on and what they are doing",
	.synopsis = "[OPTION]... [USER]",
	.description = "Nobody logs in to a sandbox.",
	.opts = w_opts,
	.nopts = COUNTOF(w_opts),
	.opts_size = sizeof(struct w),
	.main = w_main,
};
