/* datetell.c - what date --debug says: which parts of a text were understood, and how they came to a moment.
 *
 * dateparse.c and datejoin.c call these at each step; they do nothing without --debug. */
#include "dateparse.h"

static const char *const DAYS[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

/* "+05:30", "-07" */
static const char *zone_text(struct proc *p, int32_t zone)
{
	uint32_t n = (uint32_t)(zone < 0 ? -zone : zone);
	char sign = zone < 0 ? '-' : '+';

	if (n % 60)
		return u_format(p, "%c%02u:%02u:%02u", sign, n / 3600, n / 60 % 60, n % 60);
	if (n % 3600)
		return u_format(p, "%c%02u:%02u", sign, n / 3600, n / 60 % 60);
	return u_format(p, "%c%02u", sign, n / 3600);
}

/* "third Mon" */
static const char *day_text(const struct date_parser *q)
{
	static const char *const ordinals[] = {"last", "this", "next/first", "(SECOND)", "third", "fourth", "fifth",
					       "sixth", "seventh", "eight", "ninth", "tenth", "eleventh", "twelfth"};
	const char *day = DAYS[q->day_number];

	if (!q->day_has_ordinal)
		return day;
	if (q->day_ordinal >= -1 && q->day_ordinal <= 12)
		return u_format(q->p, "%s %s", ordinals[q->day_ordinal + 1], day);
	return u_format(q->p, "%lld %s", (long long)q->day_ordinal, day);
}

static const char *moment(const struct date_parser *q, const struct u_tm *tm)
{
	return u_format(q->p, "'(Y-M-D) %04lld-%02d-%02d %02d:%02d:%02d%s%s'", (long long)tm->year, tm->mon, tm->mday, tm->hour,
			tm->min, tm->sec, q->zones ? " TZ=" : "", q->zones ? zone_text(q->p, q->zone) : "");
}

/* ---- Parts ------------------------------------------------------------------------------ */

static void space(struct u_buf *b, size_t before)
{
	if (b->len > before)
		u_buf_putc(b, ' ');
}

void date_tell_part(struct date_parser *q, const char *part)
{
	struct u_buf b;
	size_t start;

	if (!q->debug)
		return;
	u_buf_init(&b, q->p, 0);
	u_buf_printf(&b, "parsed %s part: ", part);
	start = b.len;
	if (q->dates && !q->told.dates)
		u_buf_printf(&b, "(Y-M-D) %04lld-%02lld-%02lld", (long long)q->year, (long long)q->month, (long long)q->day);
	if (q->years && !q->told.years) {
		space(&b, start);
		u_buf_printf(&b, "year: %04lld", (long long)q->year);
	}
	if (q->times && !q->told.times) {
		space(&b, start);
		u_buf_printf(&b, "%02lld:%02lld:%02lld", (long long)q->hour, (long long)q->minute, (long long)q->second);
		if (q->nsec)
			u_buf_printf(&b, ".%09d", q->nsec);
		u_buf_puts(&b, q->meridian == MERIDIAN_PM ? "pm" : "");
	}
	if (q->days && !q->told.days) {
		space(&b, start);
		u_buf_printf(&b, "%s (day ordinal=%lld number=%d)", day_text(q), (long long)q->day_ordinal, q->day_number);
	}
	if (q->local_zones && !q->told.local_zones) {
		space(&b, start);
		u_buf_printf(&b, "isdst=%d%s", q->local_isdst, q->dsts ? " DST" : "");
	}
	if (q->zones && !q->told.zones) {
		space(&b, start);
		u_buf_printf(&b, "UTC%s", zone_text(q->p, q->zone));
	}
	if (q->is_timespec)
		u_buf_printf(&b, "number of seconds: %lld", (long long)q->second);
	q->told = (struct date_told){q->dates > 0, q->years > 0, q->times > 0, q->days > 0, q->local_zones > 0, q->zones > 0};
	u_warn(q->p, 0, "%s", b.ptr);
}

void date_tell_relative(struct date_parser *q, const char *part)
{
	const struct date_relative *r = &q->rel;
	const struct {
		int64_t n;
		const char *unit;
	} v[] = {{r->year, "year(s)"},   {r->month, "month(s)"}, {r->day, "day(s)"},	{r->hour, "hour(s)"},
		 {r->minute, "minutes"}, {r->second, "seconds"}, {r->nsec, "nanoseconds"}};
	struct u_buf b;
	size_t start;

	if (!q->debug)
		return;
	u_buf_init(&b, q->p, 0);
	u_buf_printf(&b, "parsed %s part: ", part);
	start = b.len;
	for (size_t i = 0; i < COUNTOF(v); i++) {
		if (!v[i].n)
			continue;
		space(&b, start);
		u_buf_printf(&b, "%s%lld %s", v[i].n < 0 ? "" : "+", (long long)v[i].n, v[i].unit);
	}
	u_warn(q->p, 0, "%s%s", b.ptr, b.len == start ? "today/this/now" : "");
}

void date_tell_slashes(const struct date_parser *q, const struct token *first)
{
	if (!q->debug)
		return;
	if (first->digits >= 4)
		u_warn(q->p, 0, "warning: value %lld has %d digits. Assuming YYYY/MM/DD", (long long)first->value, first->digits);
	else
		u_warn(q->p, 0, "warning: value %lld has less than 4 digits. Assuming MM/DD/YY[YY]", (long long)first->value);
}

void date_tell_stop(const struct date_parser *q)
{
	if (q->debug)
		u_warn(q->p, 0, *q->lex.at ? "error: parsing failed, stopped at '%s'" : "error: parsing failed", q->lex.at);
}

/* ---- The sum ----------------------------------------------------------------------------- */

void date_tell(const struct date_parser *q, const char *text)
{
	if (q->debug)
		u_warn(q->p, 0, "%s", text);
}

void date_tell_zone(const struct date_parser *q)
{
	const char *dst = q->local_zones && q->local_isdst > 0 ? ", dst" : "";

	if (!q->debug)
		return;
	if (q->is_timespec)
		u_warn(q->p, 0, "input timezone: '@timespec' - always UTC");
	else if (q->zones)
		u_warn(q->p, 0, "input timezone: parsed date/time string (%s)%s", zone_text(q->p, q->zone), dst);
	else if (!q->zone_name)
		u_warn(q->p, 0, "input timezone: system default%s", dst);
	else
		u_warn(q->p, 0, "input timezone: TZ=\"%s\" %s%s", q->zone_name,
		       q->own_zone ? "in date string"
		       : streq(q->zone_name, "UTC0") ? "environment value or -u" : "environment value", dst);
}

void date_tell_year(const struct date_parser *q, int64_t year)
{
	if (q->debug)
		u_warn(q->p, 0, "warning: adjusting year value %lld to %lld", (long long)q->year, (long long)year);
}

void date_tell_bad_year(const struct date_parser *q, int64_t year)
{
	if (!q->debug)
		return;
	u_warn(q->p, 0, "error: out-of-range year %lld", (long long)year);
	u_warn(q->p, 0, "error: year, month, or day overflow");
}

void date_tell_bad_hour(const struct date_parser *q)
{
	if (q->debug)
		u_warn(q->p, 0, "error: invalid hour %lld%s", (long long)q->hour,
		       q->meridian == MERIDIAN_AM ? "am" : q->meridian == MERIDIAN_PM ? "pm" : "");
}

void date_tell_clock(const struct date_parser *q, const struct u_tm *tm, bool given)
{
	if (!q->debug)
		return;
	if (!given)
		u_warn(q->p, 0, "warning: using midnight as starting time: 00:00:00");
	else
		u_warn(q->p, 0, "using %s time as starting value: '%02d:%02d:%02d'", q->times ? "specified" : "current", tm->hour,
		       tm->min, tm->sec);
}

/* What the fields asked for, what they came to, and a line under what differs. */
void date_tell_wrong(const struct date_parser *q, const struct u_tm *want, const struct u_tm *got)
{
	bool year = want->year == got->year, mon = want->mon == got->mon, mday = want->mday == got->mday;
	bool hour = want->hour == got->hour, min = want->min == got->min, sec = want->sec == got->sec;
	struct u_buf b;

	if (!q->debug)
		return;
	u_buf_init(&b, q->p, 0);
	u_buf_printf(&b, "                                 %4s %2s %2s %2s %2s %2s", year ? "" : "----", mon ? "" : "--", mday ? "" : "--",
		     hour ? "" : "--", min ? "" : "--", sec ? "" : "--");
	while (b.len > 0 && b.ptr[b.len - 1] == ' ')
		b.ptr[--b.len] = '\0';
	u_warn(q->p, 0, "error: invalid date/time value:");
	u_warn(q->p, 0, "    user provided time: %s", moment(q, want));
	u_warn(q->p, 0, "       normalized time: %s", moment(q, got));
	u_warn(q->p, 0, "%s", b.ptr);
	u_warn(q->p, 0, "     possible reasons:");
	if (year && mon && mday && !hour && min && sec)
		u_warn(q->p, 0, "       non-existing due to daylight-saving time;");
	if (!mday && !mon)
		u_warn(q->p, 0, "       invalid day/month combination;");
	u_warn(q->p, 0, "       numeric values overflow;");
	u_warn(q->p, 0, q->zones ? "       incorrect timezone" : "       missing timezone");
}

void date_tell_start(const struct date_parser *q, const struct u_tm *tm, bool weekday)
{
	if (!q->debug)
		return;
	if (weekday)
		u_warn(q->p, 0, "new start date: '%s' is %s", day_text(q), moment(q, tm));
	if (!q->dates && !q->days)
		u_warn(q->p, 0, "using current date as starting value: '(Y-M-D) %04lld-%02d-%02d'", (long long)tm->year, tm->mon,
		       tm->mday);
	if (q->days && q->dates)
		u_warn(q->p, 0, "warning: day (%s) ignored when explicit dates are given", day_text(q));
	u_warn(q->p, 0, "starting date/time: %s", moment(q, tm));
	if ((q->rel.year || q->rel.month) && tm->mday != 15)
		u_warn(q->p, 0, "warning: when adding relative months/years, it is recommended to specify the 15th of the months");
	if (q->rel.day && tm->hour != 12)
		u_warn(q->p, 0, "warning: when adding relative days, it is recommended to specify noon");
}

/* `want` are the fields summed up, `got` what they are. */
void date_tell_dates(const struct date_parser *q, const struct u_tm *want, const struct u_tm *got)
{
	if (!q->debug)
		return;
	u_warn(q->p, 0, "after date adjustment (%s%lld years, %s%lld months, %s%lld days),", q->rel.year < 0 ? "" : "+",
	       (long long)q->rel.year, q->rel.month < 0 ? "" : "+", (long long)q->rel.month, q->rel.day < 0 ? "" : "+",
	       (long long)q->rel.day);
	u_warn(q->p, 0, "    new date/time = %s", moment(q, got));
	if (want->isdst >= 0 && want->isdst != got->isdst)
		u_warn(q->p, 0, "warning: daylight saving time changed after date adjustment");
	if (q->rel.day == 0 && (want->mday != got->mday || (q->rel.month == 0 && want->mon != got->mon))) {
		u_warn(q->p, 0, "warning: month/year adjustment resulted in shifted dates:");
		u_warn(q->p, 0, "     adjusted Y M D: %04lld %02lld %02d", (long long)(want->year - q->rel.month / 12),
		       (long long)(want->mon + q->rel.month - q->rel.month % 12), want->mday);
		u_warn(q->p, 0, "   normalized Y M D: %04lld %02d %02d", (long long)got->year, got->mon, got->mday);
	}
}

void date_tell_epoch(const struct date_parser *q, const struct u_tm *tm, int64_t t)
{
	if (q->debug)
		u_warn(q->p, 0, "%s = %lld epoch-seconds", moment(q, tm), (long long)t);
}

static const char *plus(struct proc *p, int64_t n)
{
	return u_format(p, "%s%lld", n < 0 ? "" : "+", (long long)n);
}

void date_tell_hours(const struct date_parser *q, const struct u_tm *tm, const struct u_tz *tz, int64_t t)
{
	const struct date_relative *r = &q->rel;
	struct u_tm now;

	if (!q->debug || !(r->hour | r->minute | r->second | r->nsec))
		return;
	u_warn(q->p, 0, "after time adjustment (%s hours, %s minutes, %s seconds, %s ns),", plus(q->p, r->hour), plus(q->p, r->minute),
	       plus(q->p, r->second), plus(q->p, r->nsec));
	u_warn(q->p, 0, "    new time = %lld epoch-seconds", (long long)t);
	u_time_split(tz, (struct sys_time){t, 0}, &now);
	if (tm->isdst >= 0 && now.isdst != tm->isdst)
		u_warn(q->p, 0, "warning: daylight saving time changed after time adjustment");
}

void date_tell_end(const struct date_parser *q, const struct u_tz *tz, struct sys_time t)
{
	static const char format[] = "(Y-M-D) %Y-%m-%d %H:%M:%S";
	struct u_tm tm;
	struct u_buf b;

	if (!q->debug)
		return;
	if (!q->zone_name)
		u_warn(q->p, 0, "timezone: system default");
	else if (streq(q->zone_name, "UTC0"))
		u_warn(q->p, 0, "timezone: Universal Time");
	else
		u_warn(q->p, 0, "timezone: TZ=\"%s\" environment value", q->zone_name);
	u_warn(q->p, 0, "final: %lld.%09d (epoch-seconds)", (long long)t.sec, t.nsec);
	for (int local = 0; local < 2; local++) {
		u_time_split(local ? tz : u_tz_get(q->p, "UTC0"), t, &tm);
		u_buf_init(&b, q->p, 0);
		u_time_format(&b, format, sizeof(format) - 1, &tm);
		u_warn(q->p, 0, "final: %s (UTC%s)", b.ptr, local ? zone_text(q->p, tm.offset) : "");
	}
}
