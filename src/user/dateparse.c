/* dateparse.c - the language of date -d.
 *
 * A text is either "@seconds" or a list of items in any order: a date, a time, a zone, a weekday,
 * relative amounts. One token of look-ahead decides what an item is, and an item takes as much
 * as it can, the way GNU's grammar resolves its ambiguities: "10:00 +2 days" is ten o'clock two
 * hours east of UTC, and one day. datejoin.c puts together what the items said. */
#include "dateparse.h"

static void advance(struct date_parser *q)
{
	date_next(&q->lex, &q->tok);
	if (q->debug && q->tok.kind == TOK_BAD && *q->lex.unknown)
		u_warn(q->p, 0, "error: unknown word '%s'", q->lex.unknown);
}

static bool at_char(const struct date_parser *q, char c)
{
	return q->tok.kind == TOK_CHAR && q->tok.c == c;
}

static bool tell(struct date_parser *q, const char *part)
{
	date_tell_part(q, part);
	return true;
}

static bool at_unit(const struct date_parser *q)
{
	return q->tok.kind >= TOK_UNIT_YEAR && q->tok.kind <= TOK_UNIT_SECOND;
}

/* ---- Times ------------------------------------------------------------------------------- */

static void set_time(struct date_parser *q, int64_t h, int64_t m, int64_t s, int32_t nsec)
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
static bool zone_rest(struct date_parser *q, const struct token *t, int32_t *out)
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
static bool zone_offset(struct date_parser *q)
{
	struct token t = q->tok;

	if (t.kind != TOK_SIGNED)
		return true;
	advance(q);
	q->zones++;
	return zone_rest(q, &t, &q->zone);
}

/* After "hh" with the colon as look-ahead: ":mm[:ss[.n]]" and a meridian or an offset. */
static bool clock_rest(struct date_parser *q, int64_t hour, bool meridian_ok)
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
static bool iso_time(struct date_parser *q)
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

static bool add_relative(struct date_parser *q, const struct date_relative *r, int64_t factor)
{
	q->has_rel = true;
	return date_add(&q->rel.nsec, r->nsec, factor) &&
	       date_add(&q->rel.second, r->second, factor) &&
	       date_add(&q->rel.minute, r->minute, factor) &&
	       date_add(&q->rel.hour, r->hour, factor) && date_add(&q->rel.day, r->day, factor) &&
	       date_add(&q->rel.month, r->month, factor) && date_add(&q->rel.year, r->year, factor);
}

/* `amount` of the unit that is the look-ahead. */
static bool unit(struct date_parser *q, int64_t amount, int32_t nsec, struct date_relative *r)
{
	int64_t *field;

	*r = (struct date_relative){.nsec = nsec};
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
static bool relative(struct date_parser *q, int64_t amount, int32_t nsec)
{
	struct date_relative r;
	int64_t factor = 1;

	if (!unit(q, amount, nsec, &r))
		return false;
	if (q->tok.kind == TOK_AGO) {
		factor = q->tok.value;
		advance(q);
	}
	if (!add_relative(q, &r, factor))
		return false;
	date_tell_relative(q, "relative");
	return true;
}

/* The same where no "ago" may follow. */
static bool relative_plain(struct date_parser *q, int64_t amount, const char *part)
{
	struct date_relative r;

	if (!unit(q, amount, 0, &r) || !add_relative(q, &r, 1))
		return false;
	date_tell_relative(q, part);
	return true;
}

/* ---- Dates --------------------------------------------------------------------------------------
 */

static void set_year(struct date_parser *q, const struct token *t, bool flip)
{
	q->year = flip ? -t->value : t->value;
	q->year_digits = t->digits;
}

/* month/day[/year] or year/month/day; the slash is the look-ahead. */
static bool slash_date(struct date_parser *q, const struct token *first)
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
		return tell(q, "date");
	advance(q);
	third = q->tok;
	if (third.kind != TOK_NUMBER)
		return false;
	advance(q);
	date_tell_slashes(q, first);
	if (first->digits >= 4) {
		set_year(q, first, false);
		q->month = second.value;
		q->day = third.value;
	} else {
		set_year(q, &third, false);
	}
	return tell(q, "date");
}

/* "day MONTH [year]" or "day-MONTH-year"; the month is the look-ahead. */
static bool day_month(struct date_parser *q, int64_t day)
{
	q->dates++;
	q->day = day;
	q->month = q->tok.value;
	advance(q);
	if (q->tok.kind == TOK_SIGNED || q->tok.kind == TOK_NUMBER) {
		set_year(q, &q->tok, q->tok.kind == TOK_SIGNED);
		advance(q);
	}
	return tell(q, "date");
}

/* "MONTH day[, year]" or "MONTH-day-year". */
static bool month_day(struct date_parser *q)
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
		return tell(q, "date");
	}
	if (t.kind != TOK_NUMBER)
		return false;
	q->day = t.value;
	advance(q);
	if (!at_char(q, ','))
		return tell(q, "date");
	advance(q);
	if (q->tok.kind != TOK_NUMBER)
		return false;
	set_year(q, &q->tok, false);
	advance(q);
	return tell(q, "date");
}

/* A number that nothing explains: a year, a date of digits, an hour, hours and minutes. */
static void bare_number(struct date_parser *q, const struct token *t)
{
	if (q->dates && !q->year_digits && !q->has_rel && (q->times || t->digits > 2)) {
		set_year(q, t, false);
		q->years++;
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
static bool number_signed(struct date_parser *q, const struct token *first)
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
			return tell(q, "date");
		advance(q);
		return iso_time(q) && tell(q, "datetime");
	}
	if (at_unit(q)) {
		bare_number(q, first);
		return relative_plain(q, second.value, "hybrid");
	}
	/* An hour and its offset from UTC. */
	set_time(q, first->value, 0, 0, 0);
	q->zones++;
	return zone_rest(q, &second, &q->zone) && tell(q, "time");
}

/* "third monday"; the day is the look-ahead. */
static bool ordinal_day(struct date_parser *q, int64_t ordinal)
{
	q->days++;
	q->day_ordinal = ordinal;
	q->day_has_ordinal = true;
	q->day_number = (int)q->tok.value;
	advance(q);
	return tell(q, "day");
}

static bool number_item(struct date_parser *q)
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
		return tell(q, "time");
	case TOK_SIGNED: return number_signed(q, &t);
	case TOK_MONTH: return day_month(q, t.value);
	case TOK_DAY: return ordinal_day(q, t.value);
	default: break;
	}
	if (at_char(q, ':'))
		return clock_rest(q, t.value, true) && tell(q, "time");
	if (at_char(q, '/'))
		return slash_date(q, &t);
	bare_number(q, &t);
	return tell(q, "number");
}

/* ---- Other items
 * ---------------------------------------------------------------------------------- */

static bool zone_item(struct date_parser *q)
{
	struct token t = q->tok, number;
	int32_t more;

	advance(q);
	q->zones++;
	q->zone = (int32_t)t.value + (t.kind == TOK_DAYZONE ? 3600 : 0);
	if (t.kind == TOK_DAYZONE)
		return tell(q, "zone");
	if (t.kind == TOK_ZONE && q->tok.kind == TOK_DST) {
		q->zone += 3600;
		advance(q);
		return tell(q, "zone");
	}
	if (q->tok.kind != TOK_SIGNED)
		return tell(q, "zone");
	number = q->tok;
	advance(q);
	if (at_unit(q))
		return relative_plain(q, number.value, "relative") && tell(q, "zone");
	/* UTC+2; the letter T takes no offset. */
	if (t.kind != TOK_ZONE || !zone_rest(q, &number, &more))
		return false;
	q->zone += more;
	return tell(q, "zone");
}

static bool local_zone_item(struct date_parser *q)
{
	q->local_isdst = (int)q->tok.value;
	q->local_zones++;
	advance(q);
	if (q->tok.kind == TOK_DST) {
		q->local_isdst = 1;
		q->dsts++;
		advance(q);
	}
	return tell(q, "local_zone");
}

static bool ordinal_item(struct date_parser *q)
{
	int64_t n = q->tok.value;

	advance(q);
	if (at_unit(q))
		return relative(q, n, 0);
	return q->tok.kind == TOK_DAY && ordinal_day(q, n);
}

static bool day_item(struct date_parser *q)
{
	q->days++;
	q->day_ordinal = 0;
	q->day_number = (int)q->tok.value;
	advance(q);
	if (at_char(q, ','))
		advance(q);
	return tell(q, "day");
}

static bool signed_item(struct date_parser *q)
{
	struct token t = q->tok;

	advance(q);
	if (t.kind != TOK_SIGNED && q->tok.kind != TOK_UNIT_SECOND)
		return false;
	return at_unit(q) && relative(q, t.value, t.nsec);
}

static bool shift_item(struct date_parser *q)
{
	struct date_relative r = {.day = q->tok.value};

	if (!add_relative(q, &r, 1))
		return false;
	date_tell_relative(q, "relative");
	advance(q);
	return true;
}

static bool item(struct date_parser *q)
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
static bool timespec(struct date_parser *q)
{
	if (q->tok.kind != TOK_NUMBER && q->tok.kind != TOK_SIGNED && q->tok.kind != TOK_DECIMAL &&
	    q->tok.kind != TOK_SIGNED_DECIMAL)
		return false;
	q->second = q->tok.value;
	q->nsec = q->tok.nsec;
	q->is_timespec = true;
	advance(q);
	return q->tok.kind == TOK_END && tell(q, "number of seconds");
}

bool date_items(struct date_parser *q)
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
