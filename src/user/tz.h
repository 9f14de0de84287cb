/*
 * tz.h - what the files about time share: calendars and zones.
 *
 * Layer     user; for tz.c, tm.c, timefmt.c, dateparse.c
 */
#ifndef NACRE_USER_TZ_H
#define NACRE_USER_TZ_H

#include "user.h"

#define DAY 86400

/* Days from 1970-01-01 to the first of a month (mon 1-12) in the proleptic Gregorian calendar. */
int64_t tm_days(int64_t year, int mon);
bool tm_is_leap(int64_t year);
/* Seconds since 1970 of tm's fields, as if they were UTC; fields out of range carry over.
 * False when the result does not fit. */
bool tm_utc(const struct u_tm *tm, int64_t *out);
/* Fields of t + offset. False when the year does not fit. */
bool tm_fill(struct u_tm *tm, int64_t t, int32_t nsec, int32_t offset);

/* What a zone says about a moment. */
struct tz_info {
	int32_t offset;
	int isdst;
	const char *name;	/* not NUL-terminated */
	size_t name_len;
};
struct tz_info tz_at(const struct u_tz *tz, int64_t t);

/* As the C library's mktime: the moment whose local time is `tm`. *guess is an offset to start
 * from (0 at first), replaced by the one found; in the hour that comes twice it decides.
 * In an hour that does not exist the result's local time differs from tm. False: out of range. */
bool tz_mktime(const struct u_tz *tz, const struct u_tm *tm, int64_t *guess, int64_t *out);

#endif
