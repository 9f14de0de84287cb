/* touch - change file timestamps. */
#include "cmd.h"

struct touch {
	bool access, modify, no_create, no_dereference;
	const char *date, *stamp, *reference;
};

static void set_time(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct touch *o = opts;

	(void)opt;
	if (streq(arg, "atime") || streq(arg, "access") || streq(arg, "use"))
		o->access = true;
	else if (streq(arg, "mtime") || streq(arg, "modify"))
		o->modify = true;
	else
		u_usage(p,
			"invalid argument %s for '--time'\nValid arguments are:\n  - 'atime', 'access', 'use'\n"
			"  - 'mtime', 'modify'",
			u_quote(p, arg));
}

static void ignored(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)p;
	(void)opts;
	(void)opt;
	(void)arg;
}

static const struct cmd_opt touch_opts[] = {
	CMD_FLAG(struct touch, access, 'a', NULL, "change only the access time"),
	CMD_FLAG(struct touch, no_create, 'c', "no-create", "do not create any files"),
	CMD_STRING(struct touch, date, 'd', "date", "STRING", "parse STRING and use it instead of current time"),
	CMD_CALL('f', NULL, NULL, ignored, "(ignored, as in GNU touch)"),
	CMD_FLAG(struct touch, no_dereference, 'h', "no-dereference", "affect each symbolic link instead of any referenced file"),
	CMD_FLAG(struct touch, modify, 'm', NULL, "change only the modification time"),
	CMD_STRING(struct touch, reference, 'r', "reference", "FILE", "use this file's times instead of current time"),
	CMD_STRING(struct touch, stamp, 't', NULL, "STAMP", "use [[CC]YY]MMDDhhmm[.ss] instead of current time"),
	CMD_CALL(0, "time", "WORD", set_time, "change the specified time:\nWORD is access, atime, or use: equivalent to -a\n"
					     "WORD is modify or mtime: equivalent to -m"),
};

static int pair(const char *s)
{
	return ascii_digit(s[0]) && ascii_digit(s[1]) ? (s[0] - '0') * 10 + s[1] - '0' : -1;
}

/* [[CC]YY]MMDDhhmm[.ss] */
static bool parse_stamp(struct proc *p, const char *s, struct sys_time now, struct sys_time *out)
{
	const char *dot = strchr(s, '.');
	size_t n = dot ? (size_t)(dot - s) : strlen(s);
	const struct u_tz *tz = u_tz_get(p, NULL);
	struct u_tm tm, check;
	int v[6], k = 0;

	if (n != 8 && n != 10 && n != 12)
		return false;
	for (size_t i = 0; i < n; i += 2)
		if ((v[k++] = pair(s + i)) < 0)
			return false;
	u_time_split(tz, now, &tm);
	if (n == 12)
		tm.year = v[0] * 100 + v[1];
	else if (n == 10)
		tm.year = v[0] < 69 ? 2000 + v[0] : 1900 + v[0];
	k -= 4;
	tm.mon = v[k];
	tm.mday = v[k + 1];
	tm.hour = v[k + 2];
	tm.min = v[k + 3];
	tm.sec = 0;
	tm.nsec = 0;
	tm.isdst = -1;
	if (dot && (strlen(dot) != 3 || (tm.sec = pair(dot + 1)) < 0))
		return false;
	*out = u_time_join(tz, &tm);
	u_time_split(tz, *out, &check);
	return check.mon == tm.mon && check.mday == tm.mday && check.hour == tm.hour && check.min == tm.min &&
	       (check.sec == tm.sec || tm.sec == 60);
}

static int touch_main(struct proc *p, const struct cmd_args *a)
{
	const struct touch *o = a->opts;
	int64_t clock = sys_clock(p, SYS_CLOCK_REAL);
	struct sys_time now = {clock / 1000000000, (int32_t)(clock % 1000000000)};
	struct sys_time t[2] = {{0, SYS_TIME_NOW}, {0, SYS_TIME_NOW}};
	bool both = o->access == o->modify;
	int status = 0;

	if ((o->date || o->reference) && o->stamp)
		u_usage(p, "cannot specify times from more than one source");
	if (o->reference) {
		struct sys_stat st;
		int e = sys_stat(p, o->reference, o->no_dereference ? SYS_NOFOLLOW : 0, &st);

		if (e < 0)
			u_die(p, 1, e, "failed to get attributes of %s", u_quote_file(p, o->reference));
		t[0] = st.atime;
		t[1] = st.mtime;
	}
	for (int i = 0; o->date && i < 2; i++)
		if (!u_time_parse(p, o->date, o->reference ? t[i] : now, u_tz_get(p, NULL), &t[i]))
			u_die(p, 1, 0, "invalid date format %s", u_quote(p, o->date));
	if (o->stamp) {
		if (!parse_stamp(p, o->stamp, now, &t[0]))
			u_die(p, 1, 0, "invalid date format %s", u_quote(p, o->stamp));
		t[1] = t[0];
	}
	if (a->argc == 0)
		u_usage(p, "missing file operand");
	if (!both && !o->access)
		t[0].nsec = SYS_TIME_OMIT;
	if (!both && !o->modify)
		t[1].nsec = SYS_TIME_OMIT;
	for (int i = 0; i < a->argc; i++) {
		const char *path = a->argv[i];
		int opened = 0, e;

		if (streq(path, "-"))
			path = "/dev/stdout";
		else if (!o->no_create && !o->no_dereference) {
			opened = sys_open(p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_NONBLOCK | SYS_O_CLOEXEC, 0666);
			if (opened >= 0)
				sys_close(p, opened);
		}
		e = sys_utimes(p, path, t[0], t[1], o->no_dereference ? SYS_NOFOLLOW : 0);
		if (e == 0 || (e == -NACRE_ENOENT && (o->no_create || o->no_dereference) && o->no_create))
			continue;
		/* Why it could not be opened says more, unless it is no file to be opened. */
		if (opened < 0 && opened != -NACRE_EISDIR && opened != -NACRE_EINVAL && opened != -NACRE_EPERM)
			u_warn(p, opened, "cannot touch %s", u_quote_file(p, path));
		else
			u_warn(p, e, "setting times of %s", u_quote_file(p, path));
		status = 1;
	}
	return status;
}

static const struct cmd_example examples[] = {
	{"touch -d 2024-01-02T03:04:05Z f; date -u -r f +%FT%T", "2024-01-02T03:04:05\n"},
	{"touch a b; ls", "a\nb\n"},
};

const struct cmd cmd_touch = {
	.name = "touch",
	.summary = "Update the access and modification times of each FILE to the current time.",
	.synopsis = "[OPTION]... FILE...",
	.description = "A FILE argument that does not exist is created empty, unless -c or -h is supplied.",
	.opts = touch_opts,
	.nopts = COUNTOF(touch_opts),
	.opts_size = sizeof(struct touch),
	.main = touch_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
