/* dateparse.c - the language of date -d.
 *
 * A text is either "@seconds" or a list of items in any order: a date, a time, a zone, a weekday,
 * relative amounts. One token of look-ahead decides what an item is, and an item takes as much
 * as it can, the way GNU's grammar resolves its ambiguities: "10:00 +2 days" is ten o'clock two
 * hours east of UTC, and one day. What the items said is then put together: first the moment
 * of date and time, then the weekday, then years, months and days, then zone and clock amounts. */
#include "dateparse.h"

struct relative {
	int64_t year, month, day, hour, minute, second;
	int64_t nsec;
};

struct parser {
	struct proc *p;
	struct date_lexer lex;
	struct token tok;	/* the look-ahead */

	int64_t year;
	int year_digits;
	int64_t month, day, hour, minute, second;
	int32_t nsec;
	int meridian;
	int day_number;
	int64_t day_ordinal;
	int local_isdst;
	int32_t zone;		/* seconds east */
	struct relative rel;
	bool is_timespec, has_rel, zone_done;
	int times, dates, days, zones, local_zones, dsts;
};

static void advance(struct parser *q)
{
	date_next(&q->lex, &q->tok);
}

static bool at_char(const struct parser *q, char c)
{
	return q->tok.kind == TOK_CHAR && q->tok.c == c;
}

static bool at_unit(const struct parser *q)
{
	return q->tok.kind >= TOK_UNIT_YEAR && q->tok.kind <= TOK_UNIT_SECOND;
}

/* ---- Times ------------------------------------------------------------------------------- */

static void set_time(struct parser *q, int64_t h, int64_t m, int64_t s, int32_t nsec)
{
	q->hour = h;
	q->minute = m;
	q->second = s;
	q->nsec = nsec;
	q->meridian = MERIDIAN_24;
	q->times++;
}

/* "+h", "+hh", "+hhmm" or "+hh:mm": minutes < 0 when there is no colon. */
static bool zone_value(const struct token *t, int64_t minutes, int32_t *out)
{
	int64_t v = t->value, n;

	if (t->digits <= 2 && minutes < 0) {
		if (__builtin_mul_overflow(v, (int64_t)100, &v))
			return false;
	}
	if (minutes < 0) {
		n = v / 100 * 60 + v % 100;
	} else {
		if (__builtin_mul_overflow(v, (int64_t)60, &n) ||
		    __builtin_add_overflow(n, t->negative ? -minutes : minutes, &n))
			return false;
	}
	if (n < -24 * 60 || n > 24 * 60)
		return false;
	*out = (int32_t)n * 60;
	return true;
}

/* The optional ":mm" after a signed number t already read; the zone it makes is put in *out. */
static bool zone_rest(struct parser *q, const struct token *t, int32_t *out)
{
	int64_t minutes = -1;

	if (at_char(q, ':')) {
		advance(q);
		if (q->tok.kind != TOK_NUMBER)
			return false;
		minutes = q->tok.value;
		advance(q);
	}
	return zone_value(t, minutes, out);
}

/* An optional offset after a time of day. */
static bool zone_offset(struct parser *q)
{
	struct token t = q->tok;

	if (t.kind != TOK_SIGNED)
		return true;
	advance(q);
	q->zones++;
	return zone_rest(q, &t, &q->zone);
}

/* After "hh" with the colon as look-ahead: ":mm[:ss[.n]]" and a meridian or an offset. */
static bool clock_rest(struct parser *q, int64_t hour, bool meridian_ok)
{
	int64_t minute, second = 0;
	int32_t nsec = 0;

	advance(q);
	if (q->tok.kind != TOK_NUMBER)
		return false;
	minute = q->tok.value;
	advance(q);
	if (at_char(q, ':')) {
		advance(q);
		if (q->tok.kind != TOK_NUMBER && q->tok.kind != TOK_DECIMAL)
			return false;
		second = q->tok.value;
		nsec = q->tok.nsec;
		advance(q);
	}
	set_time(q, hour, minute, second, nsec);
	if (q->tok.kind == TOK_MERIDIAN && meridian_ok) {
		q->meridian = (int)q->tok.value;
		advance(q);
		return true;
	}
	return zone_offset(q);
}

/* The time after the T of an ISO 8601 date. */
static bool iso_time(struct parser *q)
{
	int64_t hour = q->tok.value;

	if (q->tok.kind != TOK_NUMBER)
		return false;
	advance(q);
	if (at_char(q, ':'))
		return clock_rest(q, hour, false);
	if (q->tok.kind != TOK_SIGNED)
		return false;
	set_time(q, hour, 0, 0, 0);
	return zone_offset(q);
}

/* ---- Relative amounts ----------------------------------------------------------------------- */

static bool add_to(int64_t *to, int64_t amount, int64_t factor)
{
	return !__builtin_mul_overflow(amount, factor, &amount) && !__builtin_add_overflow(*to, amount, to);
}

static bool add_relative(struct parser *q, const struct relative *r, int64_t factor)
{
	q->has_rel = true;
	return add_to(&q->rel.nsec, r->nsec, factor) && add_to(&q->rel.second, r->second, factor) &&
	       add_to(&q->rel.minute, r->minute, factor) && add_to(&q->rel.hour, r->hour, factor) &&
	       add_to(&q->rel.day, r->day, factor) && add_to(&q->rel.month, r->month, factor) &&
	       add_to(&q->rel.year, r->year, factor);
}

/* `amount` of the unit that is the look-ahead. */
static bool unit(struct parser *q, int64_t amount, int32_t nsec, struct relative *r)
{
	int64_t *field;

	*r = (struct relative){.nsec = nsec};
	switch (q->tok.kind) {
	case TOK_UNIT_YEAR: field = &r->year; break;
	case TOK_UNIT_MONTH: field = &r->month; break;
	case TOK_UNIT_DAY: field = &r->day; break;
	case TOK_UNIT_HOUR: field = &r->hour; break;
	case TOK_UNIT_MINUTE: field = &r->minute; break;
	default: field = &r->second; break;
	}
	if (__builtin_mul_overflow(amount, q->tok.value, field))
		return false;
	advance(q);
	return true;
}

/* "amount UNIT [ago]"; the unit is the look-ahead. */
static bool relative(struct parser *q, int64_t amount, int32_t nsec)
{
	struct relative r;
	int64_t factor = 1;

	if (!unit(q, amount, nsec, &r))
		return false;
	if (q->tok.kind == TOK_AGO) {
		factor = q->tok.value;
		advance(q);
	}
	return add_relative(q, &r, factor);
}

/* The same where no "ago" may follow. */
static bool relative_plain(struct parser *q, int64_t amount)
{
	struct relative r;

	return unit(q, amount, 0, &r) && add_relative(q, &r, 1);
}

/* ---- Dates -------------------------------------------------------------------------------------- */

static void set_year(struct parser *q, const struct token *t, bool flip)
{
	q->year = flip ? -t->value : t->value;
	q->year_digits = t->digits;
}

/* month/day[/year] or year/month/day; the slash is the look-ahead. */
static bool slash_date(struct parser *q, const struct token *first)
{
	struct token second, third;

	advance(q);
	second = q->tok;
	if (second.kind != TOK_NUMBER)
		return false;
	advance(q);
	q->dates++;
	q->month = first->value;
	q->day = second.value;
	if (!at_char(q, '/'))
		return true;
	advance(q);
	third = q->tok;
	if (third.kind != TOK_NUMBER)
		return false;
	advance(q);
	if (first->digits >= 4) {
		set_year(q, first, false);
		q->month = second.value;
		q->day = third.value;
	} else {
		set_year(q, &third, false);
	}
	return true;
}

/* "day MONTH [year]" or "day-MONTH-year"; the month is the look-ahead. */
static bool day_month(struct parser *q, int64_t day)
{
	q->dates++;
	q->day = day;
	q->month = q->tok.value;
	advance(q);
	if (q->tok.kind == TOK_SIGNED || q->tok.kind == TOK_NUMBER) {
		set_year(q, &q->tok, q->tok.kind == TOK_SIGNED);
		advance(q);
	}
	return true;
}

/* "MONTH day[, year]" or "MONTH-day-year". */
static bool month_day(struct parser *q)
{
	struct token t;

	q->month = q->tok.value;
	advance(q);
	t = q->tok;
	q->dates++;
	if (t.kind == TOK_SIGNED) {
		advance(q);
		if (q->tok.kind != TOK_SIGNED)
			return false;
		q->day = -t.value;
		set_year(q, &q->tok, true);
		advance(q);
		return true;
	}
	if (t.kind != TOK_NUMBER)
		return false;
	q->day = t.value;
	advance(q);
	if (!at_char(q, ','))
		return true;
	advance(q);
	if (q->tok.kind != TOK_NUMBER)
		return false;
	set_year(q, &q->tok, false);
	advance(q);
	return true;
}

/* A number that nothing explains: a year, a date of digits, an hour, hours and minutes. */
static void bare_number(struct parser *q, const struct token *t)
{
	if (q->dates && !q->year_digits && !q->has_rel && (q->times || t->digits > 2)) {
		set_year(q, t, false);
	} else if (t->digits > 4) {
		q->dates++;
		q->day = t->value % 100;
		q->month = t->value / 100 % 100;
		q->year = t->value / 10000;
		q->year_digits = t->digits - 4;
		} else if (t->digits <= 2) {
		set_time(q, t->value, 0, 0, 0);
	} else {
		set_time(q, t->value / 100, t->value % 100, 0, 0);
	}
}

/* What a number followed by a signed number is. */
static bool number_signed(struct parser *q, const struct token *first)
{
	struct token second = q->tok;

	advance(q);
	if (q->tok.kind == TOK_SIGNED) {
		/* year-month-day */
		set_year(q, first, false);
		q->month = -second.value;
		q->day = -q->tok.value;
		q->dates++;
		advance(q);
		if (!at_char(q, 'T'))
			return true;
		advance(q);
		return iso_time(q);
	}
	if (at_unit(q)) {
		bare_number(q, first);
		return relative_plain(q, second.value);
	}
	/* An hour and its offset from UTC. */
	set_time(q, first->value, 0, 0, 0);
	q->zones++;
	return zone_rest(q, &second, &q->zone);
}

static bool number_item(struct parser *q)
{
	struct token t = q->tok;

	advance(q);
	if (at_unit(q))
		return relative(q, t.value, 0);
	switch (q->tok.kind) {
	case TOK_MERIDIAN:
		set_time(q, t.value, 0, 0, 0);
		q->meridian = (int)q->tok.value;
		advance(q);
		return true;
	case TOK_SIGNED: return number_signed(q, &t);
	case TOK_MONTH: return day_month(q, t.value);
	case TOK_DAY:
		q->days++;
		q->day_ordinal = t.value;
		q->day_number = (int)q->tok.value;
		advance(q);
		return true;
	default: break;
	}
	if (at_char(q, ':'))
		return clock_rest(q, t.value, true);
	if (at_char(q, '/'))
		return slash_date(q, &t);
	bare_number(q, &t);
	return true;
}

/* ---- Other items ---------------------------------------------------------------------------------- */

static bool zone_item(struct parser *q)
{
	struct token t = q->tok, number;
	int32_t more;

	advance(q);
	q->zones++;
	q->zone = (int32_t)t.value + (t.kind == TOK_DAYZONE ? 3600 : 0);
	if (t.kind == TOK_DAYZONE)
		return true;
	if (t.kind == TOK_ZONE && q->tok.kind == TOK_DST) {
		q->zone += 3600;
		advance(q);
		return true;
	}
	if (q->tok.kind != TOK_SIGNED)
		return true;
	number = q->tok;
	advance(q);
	if (at_unit(q))
		return relative_plain(q, number.value);
	/* UTC+2; the letter T takes no offset. */
	if (t.kind != TOK_ZONE || !zone_rest(q, &number, &more))
		return false;
	q->zone += more;
	return true;
}

static bool local_zone_item(struct parser *q)
{
	q->local_isdst = (int)q->tok.value;
	q->local_zones++;
	advance(q);
	if (q->tok.kind == TOK_DST) {
		q->local_isdst = 1;
		q->dsts++;
		advance(q);
	}
	return true;
}

static bool ordinal_item(struct parser *q)
{
	int64_t n = q->tok.value;

	advance(q);
	if (at_unit(q))
		return relative(q, n, 0);
	if (q->tok.kind != TOK_DAY)
		return false;
	q->days++;
	q->day_ordinal = n;
	q->day_number = (int)q->tok.value;
	advance(q);
	return true;
}

static bool day_item(struct parser *q)
{
	q->days++;
	q->day_ordinal = 0;
	q->day_number = (int)q->tok.value;
	advance(q);
	if (at_char(q, ','))
		advance(q);
	return true;
}

static bool signed_item(struct parser *q)
{
	struct token t = q->tok;

	advance(q);
	if (t.kind != TOK_SIGNED && q->tok.kind != TOK_UNIT_SECOND)
		return false;
	return at_unit(q) && relative(q, t.value, t.nsec);
}

static bool shift_item(struct parser *q)
{
	struct relative r = {.day = q->tok.value};

	advance(q);
	return add_relative(q, &r, 1);
}

static bool item(struct parser *q)
{
	if (at_unit(q))
		return relative(q, 1, 0);
	switch (q->tok.kind) {
	case TOK_NUMBER: return number_item(q);
	case TOK_SIGNED:
	case TOK_SIGNED_DECIMAL:
	case TOK_DECIMAL: return signed_item(q);
	case TOK_MONTH: return month_day(q);
	case TOK_DAY: return day_item(q);
	case TOK_ZONE:
	case TOK_DAYZONE: return zone_item(q);
	case TOK_LOCAL_ZONE: return local_zone_item(q);
	case TOK_ORDINAL: return ordinal_item(q);
	case TOK_DAY_SHIFT: return shift_item(q);
	case TOK_CHAR: return q->tok.c == 'T' && zone_item(q);
	default: return false;
	}
}

/* "@seconds", the @ read. */
static bool timespec(struct parser *q)
{
	if (q->tok.kind != TOK_NUMBER && q->tok.kind != TOK_SIGNED && q->tok.kind != TOK_DECIMAL &&
	    q->tok.kind != TOK_SIGNED_DECIMAL)
		return false;
	q->second = q->tok.value;
	q->nsec = q->tok.nsec;
	q->is_timespec = true;
	advance(q);
	return q->tok.kind == TOK_END;
}

static bool parse(struct parser *q)
{
	advance(q);
	if (at_char(q, '@')) {
		advance(q);
		return timespec(q);
	}
	while (q->tok.kind != TOK_END) {
		if (!item(q))
			return false;
		sys_checkpoint(q->p);
	}
	return true;
}

/* ---- Putting it together ------------------------------------------------------------------------------ */

static int64_t full_year(const struct parser *q)
{
	int64_t y = q->year;

	if (q->year_digits == 2 && y >= 0)
		return y + (y < 69 ? 2000 : 1900);
	return y < 0 ? -y : y;
}

static int hour_of_day(const struct parser *q)
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
	return tm.year == want->year && tm.mon == want->mon && tm.mday == want->mday && tm.hour == want->hour &&
	       tm.min == want->min && tm.sec == want->sec;
}

static bool fill_fields(const struct parser *q, struct u_tm *tm)
{
	if (!fits_int(q->month) || !fits_int(q->day) || !fits_int(q->minute) || !fits_int(q->second))
		return false;
	tm->year = full_year(q);
	tm->mon = (int)q->month;
	tm->mday = (int)q->day;
	tm->hour = tm->min = tm->sec = 0;
	if (q->times || (q->has_rel && !q->dates && !q->days)) {
		tm->hour = hour_of_day(q);
		if (tm->hour < 0)
			return false;
		tm->min = (int)q->minute;
		tm->sec = (int)q->second;
	}
	return true;
}

/* The moment of the date and the time. A time that the local zone skips is none, unless another zone was named. */
static bool start_of(struct parser *q, const struct u_tz *tz, const struct u_tm *tm, int64_t *guess, int64_t *start,
		     struct u_tm *fields)
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
	if (!tm_fill(&fixed, utc, 0, 0) || fixed.mon != tm->mon || fixed.mday != tm->mday || fixed.hour != tm->hour ||
	    fixed.min != tm->min || fixed.sec != tm->sec)
		return false;
	*start = utc - q->zone;
	*fields = fixed;
	q->zone_done = true;
	return true;
}

static bool add_weekday(struct parser *q, const struct u_tz *tz, struct u_tm *tm, int64_t *guess, int64_t *start)
{
	struct u_tm now;
	int64_t weeks, days;

	u_time_split(tz, (struct sys_time){*start, 0}, &now);
	weeks = q->day_ordinal - (q->day_ordinal > 0 && now.wday != q->day_number);
	if (__builtin_mul_overflow(weeks, (int64_t)7, &days) ||
	    __builtin_add_overflow(days, (int64_t)(q->day_number - now.wday + 7) % 7, &days) || !fits_int(days))
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

static bool add_dates(struct parser *q, const struct u_tz *tz, const struct u_tm *first, const struct u_tm *tm,
		      int64_t *guess, int64_t *start)
{
	struct u_tm r = *tm;
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
	return tz_mktime(tz, &r, guess, start);
}

static bool add_clock(const struct parser *q, int64_t start, struct sys_time *out)
{
	int64_t ns = (int64_t)q->nsec + q->rel.nsec, carry = ns / 1000000000 - (ns % 1000000000 < 0);
	int64_t t = start;

	if (!add_to(&t, q->rel.hour, 3600) || !add_to(&t, q->rel.minute, 60) || !add_to(&t, q->rel.second, 1) ||
	    !add_to(&t, carry, 1))
		return false;
	*out = (struct sys_time){t, (int32_t)(ns - carry * 1000000000)};
	return true;
}

static bool combine(struct parser *q, const struct u_tz *tz, const struct u_tm *now, struct sys_time *out)
{
	struct u_tm first = *now, tm;
	int64_t guess = 0, start;

	if (q->times > 1 || q->dates > 1 || q->days > 1 || q->dsts > 1 || q->local_zones + q->zones > 1)
		return false;
	if (!fill_fields(q, &first))
		return false;
	if (!q->times && !(q->has_rel && !q->dates && !q->days))
		q->nsec = 0;
	if (q->dates || q->days || q->times)
		first.isdst = -1;
	if (q->local_zones)
		first.isdst = q->local_isdst;
	if (!start_of(q, tz, &first, &guess, &start, &tm))
		return false;
	if (q->days && !q->dates && !add_weekday(q, tz, &tm, &guess, &start))
		return false;
	if (q->rel.year || q->rel.month || q->rel.day) {
		if (!add_dates(q, tz, &first, &tm, &guess, &start))
			return false;
		q->zone_done = false;
	}
	if (q->zones && !q->zone_done) {
		u_time_split(tz, (struct sys_time){start, 0}, &tm);
		if (__builtin_add_overflow(start, (int64_t)tm.offset - q->zone, &start))
			return false;
	}
	return add_clock(q, start, out);
}

/* Says what the local zone is called, now and in the other seasons. */
static void local_names(struct date_lexer *l, const struct u_tz *tz, const struct u_tm *now, int64_t t)
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
static const struct u_tz *own_zone(struct proc *p, const char **s)
{
	const char *at = *s + 4;
	struct u_buf b;

	u_buf_init(&b, p, 0);
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
	return u_tz_get(p, b.ptr);
}

bool u_time_parse(struct proc *p, const char *s, struct sys_time now, const struct u_tz *tz, struct sys_time *out)
{
	struct parser *q = u_zalloc(p, sizeof(*q));
	struct u_tm tm;

	while (ascii_space((unsigned char)*s))
		s++;
	if (strncmp(s, "TZ=\"", 4) == 0) {
		tz = own_zone(p, &s);
		if (!tz)
			return false;
		while (ascii_space((unsigned char)*s))
			s++;
	}
	u_time_split(tz, now, &tm);
	q->p = p;
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
	if (!parse(q))
		return false;
	if (q->is_timespec) {
		*out = (struct sys_time){q->second, q->nsec};
		return true;
	}
	return combine(q, tz, &tm, out);
}
