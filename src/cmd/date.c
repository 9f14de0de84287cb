/* date - print or set the system date and time. */
#include "cmd.h"

struct date {
	bool utc, rfc_email, debug;
	const char *date, *file, *reference, *iso, *rfc3339, *set, *resolution;
};

static void set_resolution(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)p;
	(void)opt;
	(void)arg;
	((struct date *)opts)->resolution = "";
}

static const struct cmd_opt date_opts[] = {
	CMD_STRING(struct date, date, 'd', "date", "STRING", "display time described by STRING, not 'now'"),
	CMD_FLAG(struct date, debug, 0, "debug", "annotate the parsed date,\nand warn about questionable usage to stderr"),
	CMD_STRING(struct date, file, 'f', "file", "DATEFILE", "like --date; once for each line of DATEFILE"),
	CMD_OPTIONAL(struct date, iso, 'I', "iso-8601", "FMT",
		     "output date/time in ISO 8601 format.\nFMT='date' for date only (the default),\n"
		     "'hours', 'minutes', 'seconds', or 'ns'\nfor date and time to the indicated precision."),
	CMD_CALL(0, "resolution", NULL, set_resolution, "output the available resolution of timestamps"),
	CMD_FLAG(struct date, rfc_email, 'R', "rfc-email", "output date and time in RFC 5322 format."),
	CMD_FLAG(struct date, rfc_email, 0, "rfc-2822", NULL),
	CMD_FLAG(struct date, rfc_email, 0, "rfc-822", NULL),
	CMD_STRING(struct date, rfc3339, 0, "rfc-3339", "FMT",
		   "output date/time in RFC 3339 format.\nFMT='date', 'seconds', or 'ns'\n"
		   "for date and time to the indicated precision."),
	CMD_STRING(struct date, reference, 'r', "reference", "FILE", "display the last modification time of FILE"),
	CMD_STRING(struct date, set, 's', "set", "STRING", "set time described by STRING (refused here)"),
	CMD_FLAG(struct date, utc, 'u', "utc", "print or set Coordinated Universal Time (UTC)"),
	CMD_FLAG(struct date, utc, 0, "universal", NULL),
	CMD_FLAG(struct date, utc, 0, "uct", NULL),
};

static const char *zone_of(struct proc *p, const struct date *o)
{
	return o->utc ? "UTC0" : u_getenv(p, "TZ");
}

static bool parse(struct proc *p, const struct date *o, const char *text, struct sys_time now, struct sys_time *t)
{
	if (o->debug)
		return u_time_parse_aloud(p, text, now, zone_of(p, o), t);
	return u_time_parse(p, text, now, u_tz_get(p, zone_of(p, o)), t);
}

static void show(struct proc *p, const struct date *o, const char *format, struct sys_time t, const struct u_tz *tz)
{
	struct arena_mark mark = arena_mark(&sys_self(p)->arena);
	struct u_buf b;
	struct u_tm tm;

	if (o->debug)
		u_warn(p, 0, "output format: %s", u_quote(p, format));
	u_buf_init(&b, p, (size_t)64 << 20);
	u_time_split(tz, t, &tm);
	u_time_format(&b, format, strlen(format), &tm);
	u_put(u_stdout(p), b.ptr, b.len);
	u_putc(u_stdout(p), '\n');
	arena_reset(&sys_self(p)->arena, mark);
}

struct precision {
	const char *name;
	const char *format;
};

/* GNU's argmatch: a unique prefix is enough. */
static const char *precision_format(struct proc *p, const char *option, const char *arg, const struct precision *v, size_t n)
{
	struct u_buf b;

	for (size_t i = 0; i < n; i++)
		if (strncmp(v[i].name, arg, strlen(arg)) == 0 && *arg)
			return v[i].format;
	u_buf_init(&b, p, 0);
	for (size_t i = 0; i < n; i++)
		u_buf_printf(&b, "\n  - '%s'", v[i].name);
	u_usage(p, "invalid argument %s for '%s'\nValid arguments are:%s", u_quote(p, arg), option, b.ptr);
}

static const char *choose_format(struct proc *p, const struct date *o, const struct cmd_args *a)
{
	static const struct precision iso[] = {{"hours", "%Y-%m-%dT%H%:z"},
					       {"minutes", "%Y-%m-%dT%H:%M%:z"},
					       {"date", "%Y-%m-%d"},
					       {"seconds", "%Y-%m-%dT%H:%M:%S%:z"},
					       {"ns", "%Y-%m-%dT%H:%M:%S,%N%:z"}};
	static const struct precision rfc[] = {{"date", "%Y-%m-%d"},
					       {"seconds", "%Y-%m-%d %H:%M:%S%:z"},
					       {"ns", "%Y-%m-%d %H:%M:%S.%N%:z"}};
	int given = (o->iso != NULL) + o->rfc_email + (o->rfc3339 != NULL) + (o->resolution != NULL);
	const char *format = NULL;

	if (o->iso)
		format = precision_format(p, "--iso-8601", *o->iso ? o->iso : "date", iso, COUNTOF(iso));
	if (o->rfc3339)
		format = precision_format(p, "--rfc-3339", o->rfc3339, rfc, COUNTOF(rfc));
	if (o->rfc_email)
		format = "%a, %d %b %Y %H:%M:%S %z";
	if (o->resolution)
		format = "%s.%N";
	if (given > 1)
		u_die(p, 1, 0, "multiple output formats specified");
	if (a->argc == 1 && a->argv[0][0] == '+') {
		if (given)
			u_die(p, 1, 0, "multiple output formats specified");
		format = a->argv[0] + 1;
	}
	return format ? format : "%a %b %e %H:%M:%S %Z %Y";
}

static int from_file(struct proc *p, const struct date *o, const char *format, struct sys_time now, const struct u_tz *tz)
{
	int fd = u_open_operand(p, o->file), status = 0;
	struct u_lines r;
	struct str line;

	if (fd < 0)
		return 1;
	u_lines_init(&r, p, fd, '\n');
	while (u_lines_next(&r, &line)) {
		const char *text = u_strndup(p, line.ptr, line.len);
		struct sys_time t;

		if (parse(p, o, text, now, &t)) {
			show(p, o, format, t, tz);
		} else {
			u_warn(p, 0, "invalid date %s", u_quote(p, text));
			status = 1;
		}
	}
	if (r.err)
		u_die(p, 1, r.err, "%s", o->file);
	return status;
}

static int date_main(struct proc *p, const struct cmd_args *a)
{
	const struct date *o = a->opts;
	const struct u_tz *tz = u_tz_get(p, zone_of(p, o));
	int64_t clock = sys_clock(p, SYS_CLOCK_REAL);
	struct sys_time t = {clock / 1000000000, (int32_t)(clock % 1000000000)};
	int sources = (o->date != NULL) + (o->file != NULL) + (o->reference != NULL) + (o->resolution != NULL);
	const char *format;

	if (sources > 1)
		u_usage(p, "the options to specify dates for printing are mutually exclusive");
	if (a->argc > 0 && a->argv[0][0] != '+' && (sources || o->set))
		u_usage(p,
			"the argument %s lacks a leading '+';\nwhen using an option to specify date(s), any non-option\n"
			"argument must be a format string beginning with '+'",
			u_quote(p, a->argv[0]));
	if (a->argc > 1)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[1]));
	format = choose_format(p, o, a);
	if (o->file)
		return from_file(p, o, format, t, tz);
	if (o->reference) {
		struct sys_stat st;
		int e = sys_stat(p, o->reference, 0, &st);

		if (e < 0)
			u_die(p, 1, e, "%s", u_quote_if_needed(p, o->reference));
		t = st.mtime;
	}
	if (o->resolution)
		t = (struct sys_time){0, 1};
	if (o->date && !parse(p, o, o->date, t, &t))
		u_die(p, 1, 0, "invalid date %s", u_quote(p, o->date));
	if (o->set || (a->argc == 1 && a->argv[0][0] != '+')) {
		if (o->set && !parse(p, o, o->set, t, &t))
			u_die(p, 1, 0, "invalid date %s", u_quote(p, o->set));
		if (!o->set) {
			size_t n = strspn(a->argv[0], "0123456789.");

			if (a->argv[0][n] || n < 8)
				u_die(p, 1, 0, "invalid date %s", u_quote(p, a->argv[0]));
		}
		u_warn(p, -NACRE_EPERM, "cannot set date");
		if (o->set)
			show(p, o, format, t, tz);
		return 1;
	}
	show(p, o, format, t, tz);
	return 0;
}

static const struct cmd_example examples[] = {
	{"date -u -d @0 '+%F %T'", "1970-01-01 00:00:00\n"},
	{"date -u -d '2024-02-28 +2 days' +%F", "2024-03-01\n"},
	{"date -u -d @1700000000 -Iseconds", "2023-11-14T22:13:20+00:00\n"},
};

const struct cmd cmd_date = {
	.name = "date",
	.summary = "Display date and time in the given FORMAT.",
	.synopsis = "[OPTION]... [+FORMAT]",
	.description =
		"FORMAT controls the output.  Interpreted sequences are:\n"
		"  %% %a %A %b %B %c %C %d %D %e %F %g %G %h %H %I %j %k %l %m %M %n %N %p %P %q %r %R %s %S %t\n"
		"  %T %u %U %V %w %W %x %X %y %Y %z %:z %::z %:::z %Z\n"
		"By default, date pads numeric fields with zeroes.  The following optional flags may follow '%':\n"
		"  - (no padding)  _ (spaces)  0 (zeroes)  + (zeroes, sign)  ^ (upper case)  # (opposite case)\n"
		"After any flags comes an optional field width, as a decimal number; then an optional modifier E or O.",
	.opts = date_opts,
	.nopts = COUNTOF(date_opts),
	.opts_size = sizeof(struct date),
	.main = date_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
