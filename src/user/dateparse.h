/*
 * dateparse.h - the words of date -d, between their reader, their grammar and their sum.
 *
 * Layer     user; for dateread.c, datelex.c, dateparse.c, datejoin.c and datetell.c
 */
#ifndef NACRE_USER_DATEPARSE_H
#define NACRE_USER_DATEPARSE_H

#include "tz.h"

enum token_kind {
	TOK_END,
	TOK_BAD,		/* an unknown word, or a number too large */
	TOK_CHAR,		/* a character of its own: / : , T @ */
	TOK_NUMBER,		/* without a sign */
	TOK_SIGNED,
	TOK_DECIMAL,		/* with a fraction, without a sign */
	TOK_SIGNED_DECIMAL,
	TOK_MERIDIAN,
	TOK_MONTH,
	TOK_DAY,
	TOK_ZONE,		/* value: seconds east */
	TOK_DAYZONE,		/* the same, one hour more in summer */
	TOK_LOCAL_ZONE,		/* value: isdst */
	TOK_DST,
	TOK_ORDINAL,
	TOK_UNIT_YEAR,
	TOK_UNIT_MONTH,
	TOK_UNIT_DAY,		/* value: days */
	TOK_UNIT_HOUR,
	TOK_UNIT_MINUTE,
	TOK_UNIT_SECOND,
	TOK_DAY_SHIFT,		/* today, tomorrow */
	TOK_AGO,
};

enum { MERIDIAN_AM, MERIDIAN_PM, MERIDIAN_24 };

struct token {
	enum token_kind kind;
	char c;			/* TOK_CHAR; 'T' also for the word T */
	int64_t value;
	int32_t nsec;		/* of a decimal */
	int digits;		/* as written, zeros included */
	bool negative;
};

struct date_lexer {
	const char *at;
	char unknown[20];	/* of TOK_BAD: the word; "" for a number too large */
	/* The names of the local zone, without and with daylight saving time; "" when unknown. */
	char local[2][16];
	int local_isdst[2];	/* -1: the name serves for both */
};

void date_next(struct date_lexer *l, struct token *t);

/* What the items of the text said. The counters say how many there were of each. */
struct date_relative {
	int64_t year, month, day, hour, minute, second;
	int64_t nsec;
};

/* Which parts date --debug has shown. */
struct date_told {
	bool dates, years, times, days, local_zones, zones;
};

struct date_parser {
	struct proc *p;
	bool debug;
	const char *zone_name;	/* TZ; NULL: none */
	bool own_zone;		/* it is in the text */
	struct date_told told;
	struct date_lexer lex;
	struct token tok;	/* the look-ahead */

	int64_t year;
	int year_digits;
	int64_t month, day, hour, minute, second;
	int32_t nsec;
	int meridian;
	int day_number;
	int64_t day_ordinal;
	bool day_has_ordinal;
	int local_isdst;
	int32_t zone;		/* seconds east */
	struct date_relative rel;
	bool is_timespec, has_rel, zone_done;
	int times, dates, days, zones, local_zones, dsts, years;
};

/* *to += amount * factor; false on overflow. */
static inline bool date_add(int64_t *to, int64_t amount, int64_t factor)
{
	return !__builtin_mul_overflow(amount, factor, &amount) && !__builtin_add_overflow(*to, amount, to);
}

/* ---- datetell.c: date --debug; nothing without it ---- */

void date_tell(const struct date_parser *q, const char *text);
void date_tell_part(struct date_parser *q, const char *part);
void date_tell_relative(struct date_parser *q, const char *part);
void date_tell_slashes(const struct date_parser *q, const struct token *first);
void date_tell_stop(const struct date_parser *q);
void date_tell_zone(const struct date_parser *q);
void date_tell_year(const struct date_parser *q, int64_t year);
void date_tell_bad_year(const struct date_parser *q, int64_t year);
void date_tell_bad_hour(const struct date_parser *q);
void date_tell_clock(const struct date_parser *q, const struct u_tm *tm, bool given);
void date_tell_wrong(const struct date_parser *q, const struct u_tm *want, const struct u_tm *got);
void date_tell_start(const struct date_parser *q, const struct u_tm *tm, bool weekday);
void date_tell_dates(const struct date_parser *q, const struct u_tm *want, const struct u_tm *got);
void date_tell_epoch(const struct date_parser *q, const struct u_tm *tm, int64_t t);
void date_tell_hours(const struct date_parser *q, const struct u_tm *tm, const struct u_tz *tz, int64_t t);
void date_tell_end(const struct date_parser *q, const struct u_tz *tz, struct sys_time t);

/* ---- dateparse.c ---- */

/* Reads all items of the text; false when one is not understood. */
bool date_items(struct date_parser *q);

/* ---- datejoin.c ---- */

/* The moment all items make together; `now` fills what they leave open. */
bool date_combine(struct date_parser *q, const struct u_tz *tz, const struct u_tm *now, struct sys_time *out);

#endif
