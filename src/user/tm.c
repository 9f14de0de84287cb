/* tm.c - moments to calendar fields and back.
 *
 * Days are counted in 400-year cycles that start on a first of March, so that the leap day
 * is the last of its year. */
#include "tz.h"

#define CYCLE_DAYS 146097

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

bool tm_is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int64_t tm_days(int64_t year, int mon)
{
	int64_t y = year - (mon <= 2), cycle = floor_div(y, 400), yoc = y - cycle * 400;
	int64_t doy = (153 * (int64_t)(mon > 2 ? mon - 3 : mon + 9) + 2) / 5;

	return cycle * CYCLE_DAYS + yoc * 365 + yoc / 4 - yoc / 100 + doy - 719468;
}

bool tm_utc(const struct u_tm *tm, int64_t *out)
{
	int64_t carry = floor_div((int64_t)tm->mon - 1, 12), year, t, part;

	if (__builtin_add_overflow(tm->year, carry, &year) || year > INT64_MAX / 367 / DAY ||
	    year < -(INT64_MAX / 367 / DAY))
		return false;
	t = tm_days(year, (int)((int64_t)tm->mon - 1 - carry * 12) + 1) + (int64_t)tm->mday - 1;
	part = (int64_t)tm->hour * 3600 + (int64_t)tm->min * 60 + tm->sec;
	return !__builtin_mul_overflow(t, (int64_t)DAY, &t) &&
	       !__builtin_add_overflow(t, part, out);
}

bool tm_fill(struct u_tm *tm, int64_t t, int32_t nsec, int32_t offset)
{
	int64_t days = floor_div(t, DAY), rest = t - days * DAY + offset, cycle, doc, yoc, doy;
	int month;

	days += floor_div(rest, DAY);
	rest -= floor_div(rest, DAY) * DAY;
	tm->wday = (int)(((days + 4) % 7 + 7) % 7);
	tm->hour = (int)(rest / 3600);
	tm->min = (int)(rest / 60 % 60);
	tm->sec = (int)(rest % 60);
	tm->nsec = nsec;
	tm->offset = offset;
	days += 719468;
	cycle = floor_div(days, CYCLE_DAYS);
	doc = days - cycle * CYCLE_DAYS;
	yoc = (doc - doc / 1460 + doc / 36524 - doc / 146096) / 365;
	doy = doc - (365 * yoc + yoc / 4 - yoc / 100);
	month = (int)((5 * doy + 2) / 153);
	tm->mday = (int)(doy - (153 * month + 2) / 5) + 1;
	tm->mon = month < 10 ? month + 3 : month - 9;
	tm->year = yoc + cycle * 400 + (tm->mon <= 2);
	tm->yday = (int)(days - 719468 - tm_days(tm->year, 1));
	/* The C library's years fit an int, counted from 1900. */
	return tm->year - 1900 <= INT32_MAX && tm->year - 1900 >= INT32_MIN;
}

void u_time_split(const struct u_tz *tz, struct sys_time t, struct u_tm *out)
{
	struct tz_info z = tz_at(tz, t.sec);
	size_t n = MIN(z.name_len, sizeof(out->zone) - 1);

	tm_fill(out, t.sec, t.nsec, z.offset);
	out->isdst = z.isdst;
	memcpy(out->zone, z.name, n);
	out->zone[n] = '\0';
}

struct sys_time u_time_join(const struct u_tz *tz, const struct u_tm *tm)
{
	struct sys_time r = {0, tm->nsec};
	int64_t guess = 0;

	if (!tz_mktime(tz, tm, &guess, &r.sec))
		r.sec = tm->year < 1970 ? INT64_MIN : INT64_MAX;
	return r;
}

/* How far apart the local time of t is from the one wanted. */
static bool miss(const struct u_tz *tz, int64_t want, int64_t t, struct tz_info *z, int64_t *out)
{
	int64_t local;

	*z = tz_at(tz, t);
	return !__builtin_add_overflow(t, z->offset, &local) &&
	       !__builtin_sub_overflow(want, local, out);
}

/* The wanted local time under the rule of a moment near t whose isdst is the one asked for. */
static int64_t other_dst(const struct u_tz *tz, int64_t want, int isdst, int64_t t)
{
	const int64_t stride = 601200, bound = 536454000 / 2 + stride;

	for (int64_t d = stride; d < bound; d += stride) {
		for (int dir = -1; dir <= 1; dir += 2) {
			struct tz_info z;
			int64_t near;

			if (__builtin_add_overflow(t, d * dir, &near))
				continue;
			z = tz_at(tz, near);
			if (!z.isdst == !isdst)
				return want - z.offset;
		}
	}
	return t;
}

bool tz_mktime(const struct u_tz *tz, const struct u_tm *tm, int64_t *guess, int64_t *out)
{
	int64_t want, t, t1, t2, d;
	struct tz_info z;
	bool was_dst = false;
	int tries = 6;

	if (!tm_utc(tm, &want) || __builtin_sub_overflow(want, *guess, &t))
		return false;
	for (t1 = t2 = t;;) {
		if (!miss(tz, want, t, &z, &d))
			return false;
		if (d == 0)
			break;
		/* Jumping to and fro over a gap, one of the two sides must do. */
		if (t == t1 && t != t2 &&
		    (tm->isdst < 0 ? was_dst <= (z.isdst != 0) : !tm->isdst != !z.isdst))
			goto found;
		if (--tries == 0 || __builtin_add_overflow(t, d, &d))
			return false;
		t1 = t2;
		t2 = t;
		t = d;
		was_dst = z.isdst != 0;
	}
	if (tm->isdst >= 0 && !tm->isdst != !z.isdst)
		t = other_dst(tz, want, tm->isdst, t);
found:
	*guess = want - t;
	*out = t;
	return true;
}
