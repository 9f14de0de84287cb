/* dateread.c - date -d: the zone a text begins with, what it leaves open, and the entry points. */
#include "dateparse.h"

/* Says what the local zone is called, now and in the other seasons. */
static void local_names(struct date_lexer *l, const struct u_tz *tz, const struct u_tm *now,
                        int64_t t)
{
	memcpy(l->local[0], now->zone, sizeof(l->local[0]));
	l->local_isdst[0] = now->isdst;
	for (int quarter = 1; quarter <= 3; quarter++) {
		struct u_tm tm;

		u_time_split(tz, (struct sys_time){t + (int64_t)quarter * 90 * DAY, 0}, &tm);
		if (tm.isdst == now->isdst)
			continue;
		memcpy(l->local[1], tm.zone, sizeof(l->local[1]));
		l->local_isdst[1] = tm.isdst;
		if (streq(l->local[0], l->local[1])) {
			l->local_isdst[0] = -1;
			l->local[1][0] = '\0';
		}
		return;
	}
}

/* A leading TZ="...": the zone it names, *s moved behind it. NULL when it does not end. */
static const char *own_zone(struct proc *p, const char **s)
{
	const char *at = *s + 4;
	struct u_buf b;

	u_buf_init(&b, p, 0);
	u_buf_puts(&b, "");
	for (; *at && *at != '"'; at++) {
		if (*at == '\\') {
			at++;
			if (*at != '\\' && *at != '"')
				return NULL;
		}
		u_buf_putc(&b, *at);
	}
	if (*at != '"')
		return NULL;
	*s = at + 1;
	return b.ptr;
}

static bool parse_time(struct proc *p, const char *s, struct sys_time now, const struct u_tz *tz, const char *zone, bool debug,
                       struct sys_time *out)
{
	struct date_parser *q = u_zalloc(p, sizeof(*q));
	struct u_tm tm;

	q->p = p;
	q->debug = debug;
	q->zone_name = zone;
	while (ascii_space((unsigned char)*s))
		s++;
	if (strncmp(s, "TZ=\"", 4) == 0) {
		const char *own = own_zone(p, &s);

		if (own) {
			q->zone_name = own;
			q->own_zone = true;
			tz = u_tz_get(p, own);
		}
		while (ascii_space((unsigned char)*s))
			s++;
	}
	u_time_split(tz, now, &tm);
	q->lex.at = *s ? s : "0";
	local_names(&q->lex, tz, &tm, now.sec);
	q->year = tm.year;
	q->month = tm.mon;
	q->day = tm.mday;
	q->hour = tm.hour;
	q->minute = tm.min;
	q->second = tm.sec;
	q->nsec = now.nsec;
	q->meridian = MERIDIAN_24;
	if (!date_items(q)) {
		date_tell_stop(q);
		return false;
	}
	date_tell_zone(q);
	if (q->is_timespec)
		*out = (struct sys_time){q->second, q->nsec};
	else if (!date_combine(q, tz, &tm, out))
		return false;
	date_tell_end(q, tz, *out);
	return true;
}

bool u_time_parse(struct proc *p, const char *s, struct sys_time now, const struct u_tz *tz, struct sys_time *out)
{
	return parse_time(p, s, now, tz, NULL, false, out);
}

bool u_time_parse_aloud(struct proc *p, const char *s, struct sys_time now, const char *zone, struct sys_time *out)
{
	return parse_time(p, s, now, u_tz_get(p, zone), zone, true, out);
}
