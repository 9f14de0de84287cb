/* datejoin.c - from what the items of date -d said to a moment.
 *
 * First the moment of date and time, then the weekday, then years, months and days, then the
 * zone, then hours, minutes and seconds: an hour is always 3600 seconds, a day is not always 24. */
#include "dateparse.h"

static int64_t full_year(const struct date_parser *q)
{
	int64_t y = q->year;

	if (q->year_digits == 2 && y >= 0) {
		date_tell_year(q, y + (y < 69 ? 2000 : 1900));
		return y + (y < 69 ? 2000 : 1900);
	}
	return y < 0 ? -y : y;
}

static int hour_of_day(const struct date_parser *q)
{
	if (q->meridian == MERIDIAN_24)
		return q->hour >= 0 && q->hour < 24 ? (int)q->hour : -1;
	if (q->hour < 1 || q->hour > 12)
		return -1;
	return (int)(q->hour % 12) + (q->meridian == MERIDIAN_PM ? 12 : 0);
}

static bool fits_int(int64_t v)
{
	return v >= INT32_MIN / 2 && v <= INT32_MAX / 2;
}

/* True when t is exactly what the fields of want say. */
static bool says(const struct u_tz *tz, int64_t t, const struct u_tm *want)
{
	struct u_tm tm;

	u_time_split(tz, (struct sys_time){t, 0}, &tm);
	return tm.year == want->year && tm.mon == want->mon && tm.mday == want->mday &&
	       tm.hour == want->hour && tm.min == want->min && tm.sec == want->sec;
}

#define YEAR_MAX ((int64_t)INT32_MAX + 1900)	/* what the fields of the C library hold */

static bool fill_fields(const struct date_parser *q, struct u_tm *tm)
{
	if (!fits_int(q->month) || !fits_int(q->day) || !fits_int(q->minute) ||
	    !fits_int(q->second))
		return false;
	tm->year = full_year(q);
	if (tm->year > YEAR_MAX) {
		date_tell_bad_year(q, tm->year);
		return false;
	}
	tm->mon = (int)q->month;
	tm->mday = (int)q->day;
	tm->hour = tm->min = tm->sec = 0;
	if (q->times || (q->has_rel && !q->dates && !q->days)) {
		tm->hour = hour_of_day(q);
		if (tm->hour < 0) {
			date_tell_bad_hour(q);
			return false;
		}
		tm->min = (int)q->minute;
		tm->sec = (int)q->second;
	}
	date_tell_clock(q, tm, q->times || (q->has_rel && !q->dates && !q->days));
	return true;
}

/* The moment of the date and the time. A time that the local zone skips is none, unless another
 * zone was named. */
static bool start_of(struct date_parser *q, const struct u_tz *tz, const struct u_tm *tm,
                     int64_t *guess, int64_t *start, struct u_tm *fields)
{
	struct u_tm fixed = *tm;
	int64_t utc;

	if (tz_mktime(tz, tm, guess, start) && says(tz, *start, tm)) {
		u_time_split(tz, (struct sys_time){*start, 0}, fields);
		return true;
	}
	if (!q->zones || !tm_utc(tm, &utc))
		return false;
	/* In the zone named the time exists, and then the zone is done with. */
	if (!tm_fill(&fixed, utc, 0, 0) || fixed.mon != tm->mon || fixed.mday != tm->mday ||
	    fixed.hour != tm->hour || fixed.min != tm->min || fixed.sec != tm->sec)
		return false;
	*start = utc - q->zone;
	*fields = fixed;
	q->zone_done = true;
	return true;
}

static bool add_weekday(struct date_parser *q, const struct u_tz *tz, struct u_tm *tm,
                        int64_t *guess, int64_t *start)
{
	struct u_tm now;
	int64_t weeks, days;

	u_time_split(tz, (struct sys_time){*start, 0}, &now);
	weeks = q->day_ordinal - (q->day_ordinal > 0 && now.wday != q->day_number);
	if (__builtin_mul_overflow(weeks, (int64_t)7, &days) ||
	    __builtin_add_overflow(days, (int64_t)(q->day_number - now.wday + 7) % 7, &days) ||
	    !fits_int(days))
		return false;
	*tm = now;
	tm->mday += (int)days;
	tm->isdst = -1;
	if (!tz_mktime(tz, tm, guess, start))
		return false;
	u_time_split(tz, (struct sys_time){*start, 0}, &now);
	*tm = now;
	return true;
}

static bool add_dates(struct date_parser *q, const struct u_tz *tz, const struct u_tm *first,
                      const struct u_tm *tm, int64_t *guess, int64_t *start)
{
	struct u_tm r = *tm, got;
	int64_t month = (int64_t)tm->mon + q->rel.month % 12, day, year;

	if (__builtin_add_overflow(tm->year, q->rel.year, &year) ||
	    __builtin_add_overflow(year, q->rel.month / 12, &year) ||
	    __builtin_add_overflow((int64_t)tm->mday, q->rel.day, &day) || !fits_int(day))
		return false;
	r.year = year;
	r.mon = (int)month;
	r.mday = (int)day;
	r.hour = first->hour;
	r.min = first->min;
	r.sec = first->sec;
	r.isdst = first->isdst;
	if (!tz_mktime(tz, &r, guess, start))
		return false;
	u_time_split(tz, (struct sys_time){*start, 0}, &got);
	date_tell_dates(q, &r, &got);
	return true;
}

static bool add_clock(const struct date_parser *q, int64_t start, struct sys_time *out)
{
	int64_t ns = (int64_t)q->nsec + q->rel.nsec,
	        carry = ns / 1000000000 - (ns % 1000000000 < 0);
	int64_t t = start;

	if (!date_add(&t, q->rel.hour, 3600) || !date_add(&t, q->rel.minute, 60) ||
	    !date_add(&t, q->rel.second, 1) || !date_add(&t, carry, 1))
		return false;
	*out = (struct sys_time){t, (int32_t)(ns - carry * 1000000000)};
	return true;
}

/* No part may come twice. */
static bool once(const struct date_parser *q)
{
	const struct {
		int n;
		const char *text;
	} v[] = {{q->times, "error: seen multiple time parts"},
		 {q->dates, "error: seen multiple date parts"},
		 {q->days, "error: seen multiple days parts"},
		 {q->dsts, "error: seen multiple daylight-saving parts"},
		 {q->local_zones + q->zones, "error: seen multiple time-zone parts"}};
	bool good = true;

	for (size_t i = 0; i < COUNTOF(v); i++) {
		if (v[i].n <= 1)
			continue;
		date_tell(q, v[i].text);
		good = false;
	}
	return good;
}

bool date_combine(struct date_parser *q, const struct u_tz *tz, const struct u_tm *now,
                  struct sys_time *out)
{
	struct u_tm first = *now, tm, at;
	int64_t guess = 0, start = 0;

	if (!once(q))
		return false;
	if (!fill_fields(q, &first))
		return false;
	if (!q->times && !(q->has_rel && !q->dates && !q->days))
		q->nsec = 0;
	if (q->dates || q->days || q->times)
		first.isdst = -1;
	if (q->local_zones)
		first.isdst = q->local_isdst;
	if (!start_of(q, tz, &first, &guess, &start, &tm)) {
		struct u_tm got;

		u_time_split(tz, (struct sys_time){start, 0}, &got);
		date_tell_wrong(q, &first, &got);
		return false;
	}
	if (q->days && !q->dates && !add_weekday(q, tz, &tm, &guess, &start))
		return false;
	date_tell_start(q, &tm, q->days && !q->dates);
	if (q->rel.year || q->rel.month || q->rel.day) {
		if (!add_dates(q, tz, &first, &tm, &guess, &start))
			return false;
		q->zone_done = false;
		u_time_split(tz, (struct sys_time){start, 0}, &tm);
	}
	at = tm;
	if (q->zones && !q->zone_done) {
		u_time_split(tz, (struct sys_time){start, 0}, &tm);
		if (__builtin_add_overflow(start, (int64_t)tm.offset - q->zone, &start))
			return false;
	}
	date_tell_epoch(q, &at, start);
	if (!add_clock(q, start, out))
		return false;
	date_tell_hours(q, &at, tz, out->sec);
	return true;
}
