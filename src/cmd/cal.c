/*
 * cal.c - print calendars, in the layout of Debian's cal.
 *
 * Months of six weeks stand three in a row, two with days of the year. September 1752 lacks eleven
 * days: dates before are Julian.
 */
#include "cmd.h"

struct cal {
	bool three, one, year, julian_days, ignored;
	const char *month, *after, *before, *date;
};

NORETURN static void usage(struct proc *p)
{
	static const char text[] = "Usage: cal [-31] [-A months] [-B months] [-d yyyy-mm] [-jy] [[month] year]\n"
				   "       cal [-31] [-A months] [-B months] [-d yyyy-mm] [-j] [-m month] [year]\n";

	u_write_all(p, 2, text, sizeof(text) - 1);
	u_exit(p, 64);
}

static void show_usage(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	(void)arg;
	usage(p);
}

static const struct cmd_opt cal_opts[] = {
	CMD_FLAG(struct cal, one, '1', NULL, "display only the one month (default)"),
	CMD_FLAG(struct cal, three, '3', NULL, "display the previous, the current and the next month"),
	CMD_STRING(struct cal, after, 'A', NULL, "N", "display also the N months after"),
	CMD_STRING(struct cal, before, 'B', NULL, "N", "display also the N months before"),
	CMD_FLAG(struct cal, ignored, 'C', NULL, "cal mode (always so)"),
	CMD_STRING(struct cal, date, 'd', NULL, "YYYY-MM", "use this month as the current one"),
	CMD_CALL('h', NULL, NULL, show_usage, "print the usage"),
	CMD_FLAG(struct cal, julian_days, 'j', NULL, "display days of the year"),
	CMD_STRING(struct cal, month, 'm', NULL, "MONTH", "display this month"),
	CMD_FLAG(struct cal, year, 'y', NULL, "display a calendar of the whole year"),
};

static const char *const months[] = {"January", "February", "March",	 "April",   "May",	"June",
				     "July",	"August",   "September", "October", "November", "December"};

static bool is_leap(int y)
{
	return y % 4 == 0 && (y <= 1752 || y % 100 != 0 || y % 400 == 0);
}

static int days_in(int y, int m)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[m - 1] + (m == 2 && is_leap(y));
}

static int day_of_year(int y, int m, int d)
{
	int n = d;

	for (int i = 1; i < m; i++)
		n += days_in(y, i);
	if (y == 1752 && (m > 9 || (m == 9 && d > 2)))
		n -= 11;
	return n;
}

/* 0: Sunday. Days are counted from Saturday, 1 January of the year 1. */
static int weekday(int y, int m, int d)
{
	int64_t n = (int64_t)(y - 1) * 365 + (y - 1) / 4 + day_of_year(y, m, d) - 1;

	/* Since 1752 eleven days are missing, and the leap days of some centuries. */
	if (y > 1752)
		n -= 11 + ((y - 1) / 100 - 17) - ((y - 1) / 400 - 4);
	return (int)((n + 6) % 7);
}

struct text {
	char line[8][40];
};

static void centre(char *out, size_t width, const char *s)
{
	size_t n = strlen(s), left = width > n ? (width - n) / 2 : 0;

	fmt_buf(out, 40, "%*s%-*s", (int)left, "", (int)(width - left + 2), s);
}

static void make_month(struct text *t, int y, int m, bool julian, bool with_year, size_t rows)
{
	char title[32];
	int cell = julian ? 4 : 3, column, row = 2;

	fmt_buf(title, sizeof(title), with_year ? "%s %d" : "%s", months[m - 1], y);
	centre(t->line[0], julian ? 27 : 20, title);
	fmt_buf(t->line[1], 40, julian ? " Su  Mo  Tu  We  Th  Fr  Sa  " : "Su Mo Tu We Th Fr Sa  ");
	for (size_t i = 2; i < rows; i++)
		fmt_buf(t->line[i], 40, "%*s", cell * 7 + 1, "");
	column = weekday(y, m, 1);
	for (int d = 1; d <= days_in(y, m); d++) {
		char number[16];

		if (y == 1752 && m == 9 && d > 2 && d < 14)
			continue;
		fmt_buf(number, sizeof(number), "%*d", cell - 1, julian ? day_of_year(y, m, d) : d);
		memcpy(t->line[row] + column * cell, number, (size_t)(cell - 1));
		if (++column == 7) {
			column = 0;
			row++;
		}
	}
}

static void print_title(struct proc *p, int y, bool julian)
{
	char title[16];
	size_t width = julian ? 54 : 60, n = fmt_buf(title, sizeof(title), "%d", y);

	u_printf(u_stdout(p), "%*s%s\n", (int)((width - n) / 2), "", title);
}

/* Months from (y, m) on, a few in a row. Rows that stand as in a whole year have the year above them, not in every title. */
static void print_months(struct proc *p, int y, int m, int64_t n, bool julian)
{
	struct u_out *o = u_stdout(p);
	int per_row = julian ? 2 : 3;
	bool with_year = n < per_row || (m - 1) % per_row != 0, first = true;

	while (n > 0) {
		struct text t[3];
		int k = (int)MIN(n, (int64_t)per_row);

		if (!with_year && (first || m == 1))
			print_title(p, y, julian);
		first = false;

		for (int i = 0; i < k; i++) {
			make_month(&t[i], y, m, julian, with_year, 8);
			if (++m > 12) {
				m = 1;
				y++;
			}
		}
		for (size_t line = 0; line < 8; line++) {
			for (int i = 0; i < k; i++)
				u_puts(o, t[i].line[line]);
			u_putc(o, '\n');
		}
		n -= k;
		if (n > 0)
			u_putc(o, '\n');
	}
}

/* ---- Operands ----------------------------------------------------------------------------- */

static bool same_word(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ascii_tolower((unsigned char)a[i]) != ascii_tolower((unsigned char)b[i]))
			return false;
	}
	return true;
}

static int parse_month(struct proc *p, const char *s)
{
	const char *end;
	uint64_t n = num_u64(s, &end, 10, NULL);
	size_t len = strlen(s);

	if (ascii_digit(*s) && !*end && n >= 1 && n <= 12)
		return (int)n;
	for (int i = 0; i < 12; i++) {
		if ((len == 3 || len == strlen(months[i])) && same_word(s, months[i], len))
			return i + 1;
	}
	u_die(p, 64, 0, "%s is neither a month number (1..12) nor a name", s);
}

static int parse_year(struct proc *p, const char *s)
{
	const char *end;
	bool overflow = false;
	uint64_t n = num_u64(s, &end, 10, &overflow);

	if (end == s || *end || *s == '-')
		u_die(p, 64, 0, "not a valid year %s", s);
	if (overflow || n < 1 || n > 9999)
		u_die(p, 64, 0, "year `%s' not in range 1..9999", s);
	return (int)n;
}

static int64_t parse_count(struct proc *p, const char *s)
{
	const char *end;
	uint64_t n = num_u64(s, &end, 10, NULL);

	if (!ascii_digit(*s) || *end || n > 12000)
		u_die(p, 64, 0, "Argument to -A or -B must be a number of months: %s", s);
	return (int64_t)n;
}

static void today(struct proc *p, const struct cal *o, int *y, int *m)
{
	int64_t now = sys_clock(p, SYS_CLOCK_REAL);
	struct u_tm tm;
	const char *end;

	u_time_split(u_tz_get(p, NULL), (struct sys_time){now / 1000000000, 0}, &tm);
	*y = (int)tm.year;
	*m = tm.mon;
	if (!o->date)
		return;
	*y = (int)num_u64(o->date, &end, 10, NULL);
	if (end - o->date < 1 || *end != '-' || *y < 1 || *y > 9999)
		usage(p);
	*m = (int)num_u64(end + 1, &end, 10, NULL);
	if (*end || *m < 1 || *m > 12)
		usage(p);
}

static int cal_main(struct proc *p, const struct cmd_args *a)
{
	const struct cal *o = a->opts;
	int64_t before = o->before ? parse_count(p, o->before) : o->three, after = o->after ? parse_count(p, o->after) : o->three, first;
	bool whole = o->year;
	int y, m;

	if (a->argc > 2 || (a->argc == 2 && o->month))
		usage(p);
	today(p, o, &y, &m);
	if (o->month)
		m = parse_month(p, o->month);
	if (a->argc == 2)
		m = parse_month(p, a->argv[0]);
	if (a->argc > 0) {
		y = parse_year(p, a->argv[a->argc - 1]);
		whole |= a->argc == 1 && !o->month;
	}
	if (whole && o->three)
		u_die(p, 64, 0, "-3 together with a given year but no given month is not supported.");
	if (whole) {
		print_months(p, y, 1, 12, o->julian_days);
		return 0;
	}
	first = (int64_t)y * 12 + m - 1 - before;
	if (first < 12 || first + before + after >= 120000)
		u_die(p, 64, 0, "year `%lld' not in range 1..9999", (long long)(first < 12 ? 0 : 10000));
	print_months(p, (int)(first / 12), (int)(first % 12) + 1, before + after + 1, o->julian_days);
	return 0;
}

static const struct cmd_example examples[] = {
	{"cal 2 2024 | head -n 3", "   February 2024      \nSu Mo Tu We Th Fr Sa  \n             1  2  3  \n"},
};

const struct cmd cmd_cal = {
	.name = "cal",
	.summary = "display a calendar",
	.synopsis = "[-31jy] [-A N] [-B N] [-d YYYY-MM] [[MONTH] YEAR]\n[-31j] [-A N] [-B N] [-d YYYY-MM] [-m MONTH] [YEAR]",
	.opts = cal_opts,
	.nopts = COUNTOF(cal_opts),
	.opts_size = sizeof(struct cal),
	.usage_status = 64,
	.main = cal_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
