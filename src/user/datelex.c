/* datelex.c - the words of date -d: numbers, names of days, months, zones and units. */
#include "dateparse.h"

#define HOUR(x) ((x)*3600)
#define HALF(x) ((x)*3600 + 1800)

struct word {
	const char *name;
	enum token_kind kind;
	int32_t value;
};

static const struct word CALENDAR[] = {
        {"JANUARY", TOK_MONTH, 1},   {"FEBRUARY", TOK_MONTH, 2}, {"MARCH", TOK_MONTH, 3},
        {"APRIL", TOK_MONTH, 4},     {"MAY", TOK_MONTH, 5},      {"JUNE", TOK_MONTH, 6},
        {"JULY", TOK_MONTH, 7},      {"AUGUST", TOK_MONTH, 8},   {"SEPTEMBER", TOK_MONTH, 9},
        {"SEPT", TOK_MONTH, 9},      {"OCTOBER", TOK_MONTH, 10}, {"NOVEMBER", TOK_MONTH, 11},
        {"DECEMBER", TOK_MONTH, 12}, {"SUNDAY", TOK_DAY, 0},     {"MONDAY", TOK_DAY, 1},
        {"TUESDAY", TOK_DAY, 2},     {"TUES", TOK_DAY, 2},       {"WEDNESDAY", TOK_DAY, 3},
        {"WEDNES", TOK_DAY, 3},      {"THURSDAY", TOK_DAY, 4},   {"THUR", TOK_DAY, 4},
        {"THURS", TOK_DAY, 4},       {"FRIDAY", TOK_DAY, 5},     {"SATURDAY", TOK_DAY, 6},
};

static const struct word MERIDIANS[] = {
        {"AM", TOK_MERIDIAN, MERIDIAN_AM},
        {"A.M.", TOK_MERIDIAN, MERIDIAN_AM},
        {"PM", TOK_MERIDIAN, MERIDIAN_PM},
        {"P.M.", TOK_MERIDIAN, MERIDIAN_PM},
};

static const struct word UNIVERSAL[] = {
        {"GMT", TOK_ZONE, 0}, {"UT", TOK_ZONE, 0}, {"UTC", TOK_ZONE, 0}};

static const struct word ZONES[] = {
        {"WET", TOK_ZONE, 0},
        {"WEST", TOK_DAYZONE, 0},
        {"BST", TOK_DAYZONE, 0},
        {"ART", TOK_ZONE, HOUR(-3)},
        {"BRT", TOK_ZONE, HOUR(-3)},
        {"BRST", TOK_DAYZONE, HOUR(-3)},
        {"NST", TOK_ZONE, -HALF(3)},
        {"NDT", TOK_DAYZONE, -HALF(3)},
        {"AST", TOK_ZONE, HOUR(-4)},
        {"ADT", TOK_DAYZONE, HOUR(-4)},
        {"CLT", TOK_ZONE, HOUR(-4)},
        {"CLST", TOK_DAYZONE, HOUR(-4)},
        {"EST", TOK_ZONE, HOUR(-5)},
        {"EDT", TOK_DAYZONE, HOUR(-5)},
        {"CST", TOK_ZONE, HOUR(-6)},
        {"CDT", TOK_DAYZONE, HOUR(-6)},
        {"MST", TOK_ZONE, HOUR(-7)},
        {"MDT", TOK_DAYZONE, HOUR(-7)},
        {"PST", TOK_ZONE, HOUR(-8)},
        {"PDT", TOK_DAYZONE, HOUR(-8)},
        {"AKST", TOK_ZONE, HOUR(-9)},
        {"AKDT", TOK_DAYZONE, HOUR(-9)},
        {"HST", TOK_ZONE, HOUR(-10)},
        {"HAST", TOK_ZONE, HOUR(-10)},
        {"HADT", TOK_DAYZONE, HOUR(-10)},
        {"SST", TOK_ZONE, HOUR(-12)},
        {"WAT", TOK_ZONE, HOUR(1)},
        {"CET", TOK_ZONE, HOUR(1)},
        {"CEST", TOK_DAYZONE, HOUR(1)},
        {"MET", TOK_ZONE, HOUR(1)},
        {"MEZ", TOK_ZONE, HOUR(1)},
        {"MEST", TOK_DAYZONE, HOUR(1)},
        {"MESZ", TOK_DAYZONE, HOUR(1)},
        {"EET", TOK_ZONE, HOUR(2)},
        {"EEST", TOK_DAYZONE, HOUR(2)},
        {"CAT", TOK_ZONE, HOUR(2)},
        {"SAST", TOK_ZONE, HOUR(2)},
        {"EAT", TOK_ZONE, HOUR(3)},
        {"MSK", TOK_ZONE, HOUR(3)},
        {"MSD", TOK_DAYZONE, HOUR(3)},
        {"IST", TOK_ZONE, HALF(5)},
        {"SGT", TOK_ZONE, HOUR(8)},
        {"KST", TOK_ZONE, HOUR(9)},
        {"JST", TOK_ZONE, HOUR(9)},
        {"GST", TOK_ZONE, HOUR(10)},
        {"NZST", TOK_ZONE, HOUR(12)},
        {"NZDT", TOK_DAYZONE, HOUR(12)},
};

static const struct word UNITS[] = {
        {"YEAR", TOK_UNIT_YEAR, 1},      {"MONTH", TOK_UNIT_MONTH, 1},
        {"FORTNIGHT", TOK_UNIT_DAY, 14}, {"WEEK", TOK_UNIT_DAY, 7},
        {"DAY", TOK_UNIT_DAY, 1},        {"HOUR", TOK_UNIT_HOUR, 1},
        {"MINUTE", TOK_UNIT_MINUTE, 1},  {"MIN", TOK_UNIT_MINUTE, 1},
        {"SECOND", TOK_UNIT_SECOND, 1},  {"SEC", TOK_UNIT_SECOND, 1},
};

static const struct word RELATIVE[] = {
        {"TOMORROW", TOK_DAY_SHIFT, 1}, {"YESTERDAY", TOK_DAY_SHIFT, -1},
        {"TODAY", TOK_DAY_SHIFT, 0},    {"NOW", TOK_DAY_SHIFT, 0},
        {"LAST", TOK_ORDINAL, -1},      {"THIS", TOK_ORDINAL, 0},
        {"NEXT", TOK_ORDINAL, 1},       {"FIRST", TOK_ORDINAL, 1},
        {"THIRD", TOK_ORDINAL, 3},      {"FOURTH", TOK_ORDINAL, 4},
        {"FIFTH", TOK_ORDINAL, 5},      {"SIXTH", TOK_ORDINAL, 6},
        {"SEVENTH", TOK_ORDINAL, 7},    {"EIGHTH", TOK_ORDINAL, 8},
        {"NINTH", TOK_ORDINAL, 9},      {"TENTH", TOK_ORDINAL, 10},
        {"ELEVENTH", TOK_ORDINAL, 11},  {"TWELFTH", TOK_ORDINAL, 12},
        {"AGO", TOK_AGO, -1},           {"HENCE", TOK_AGO, 1},
};

static bool find(struct token *t, const struct word *v, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++) {
		if (streq(v[i].name, word)) {
			t->kind = v[i].kind;
			t->value = v[i].value;
			return true;
		}
	}
	return false;
}

/* Days and months may be cut to three letters, with or without a period. */
static bool find_calendar(struct token *t, const char *word, size_t n)
{
	if (n == 3 || (n == 4 && word[3] == '.')) {
		for (size_t i = 0; i < COUNTOF(CALENDAR); i++) {
			if (strncmp(CALENDAR[i].name, word, 3) == 0) {
				t->kind = CALENDAR[i].kind;
				t->value = CALENDAR[i].value;
				return true;
			}
		}
	}
	return find(t, CALENDAR, COUNTOF(CALENDAR), word);
}

static bool find_zone(const struct date_lexer *l, struct token *t, const char *word)
{
	if (find(t, UNIVERSAL, COUNTOF(UNIVERSAL), word))
		return true;
	for (int i = 0; i < 2; i++) {
		if (*l->local[i] && streq(l->local[i], word)) {
			t->kind = TOK_LOCAL_ZONE;
			t->value = l->local_isdst[i];
			return true;
		}
	}
	return find(t, ZONES, COUNTOF(ZONES), word);
}

/* A to I, K to M are east, N to Y west, Z is UTC; J is none. T is also the mark in
 * 2024-01-31T10:00. */
static bool find_military(struct token *t, char c)
{
	int hours;

	if (c == 'J')
		return false;
	if (c == 'Z')
		hours = 0;
	else if (c < 'J')
		hours = c - 'A' + 1;
	else if (c <= 'M')
		hours = c - 'A';
	else
		hours = -(c - 'N' + 1);
	t->kind = c == 'T' ? TOK_CHAR : TOK_ZONE;
	t->c = c;
	t->value = HOUR(hours);
	return true;
}

static void classify(struct date_lexer *l, struct token *t, char *word, size_t n)
{
	char bare[24];
	size_t k = 0;

	if (find(t, MERIDIANS, COUNTOF(MERIDIANS), word) || find_calendar(t, word, n) ||
	    find_zone(l, t, word))
		return;
	if (streq(word, "DST")) {
		t->kind = TOK_DST;
		return;
	}
	if (find(t, UNITS, COUNTOF(UNITS), word))
		return;
	if (word[n - 1] == 'S') {
		word[n - 1] = '\0';
		if (find(t, UNITS, COUNTOF(UNITS), word))
			return;
		word[n - 1] = 'S';
	}
	if (find(t, RELATIVE, COUNTOF(RELATIVE), word))
		return;
	if (n == 1 && find_military(t, word[0]))
		return;
	for (size_t i = 0; i < n; i++) {
		if (word[i] != '.')
			bare[k++] = word[i];
	}
	bare[k] = '\0';
	if (k < n && find_zone(l, t, bare))
		return;
	t->kind = TOK_BAD;
	memcpy(l->unknown, word, n + 1);
}

static void read_word(struct date_lexer *l, struct token *t)
{
	char word[20];
	size_t n = 0;

	for (; ascii_alpha((unsigned char)*l->at) || *l->at == '.'; l->at++) {
		if (n < sizeof(word) - 1)
			word[n++] = (char)ascii_toupper((unsigned char)*l->at);
	}
	word[n] = '\0';
	classify(l, t, word, n);
}

/* The digits after a point. Cut towards minus infinity: -1.5 is -2 and 500000000 ns. */
static void read_fraction(struct date_lexer *l, struct token *t)
{
	int32_t ns = 0;
	int n = 0;
	bool more = false;

	for (; ascii_digit((unsigned char)*l->at); l->at++, n++) {
		if (n < 9)
			ns = ns * 10 + (*l->at - '0');
		else
			more |= *l->at != '0';
	}
	for (; n < 9; n++)
		ns *= 10;
	if (t->negative) {
		ns += more ? 1 : 0;
		if (ns) {
			t->value--;
			ns = 1000000000 - ns;
		}
	}
	t->nsec = ns;
	t->kind = t->kind == TOK_SIGNED ? TOK_SIGNED_DECIMAL : TOK_DECIMAL;
}

static void read_number(struct date_lexer *l, struct token *t)
{
	const char *start = l->at;
	bool bad = false;
	int64_t v = 0;

	for (; ascii_digit((unsigned char)*l->at); l->at++) {
		int digit = *l->at - '0';

		bad |= __builtin_mul_overflow(v, (int64_t)10, &v) ||
		       __builtin_add_overflow(v, (int64_t)(t->negative ? -digit : digit), &v);
	}
	t->value = v;
	t->digits = (int)MIN(l->at - start, (ptrdiff_t)INT32_MAX);
	if ((*l->at == '.' || *l->at == ',') && ascii_digit((unsigned char)l->at[1]) && !bad) {
		l->at++;
		read_fraction(l, t);
	}
	if (bad) {
		t->kind = TOK_BAD;
		l->at = start;
		l->unknown[0] = '\0';
	}
}

/* A comment in parentheses, which nest; at the opening one. */
static void skip_comment(struct date_lexer *l)
{
	int depth = 0;

	do {
		if (!*l->at)
			return;
		depth += *l->at == '(' ? 1 : *l->at == ')' ? -1 : 0;
		l->at++;
	} while (depth > 0);
}

void date_next(struct date_lexer *l, struct token *t)
{
	*t = (struct token){.kind = TOK_END};
	for (;;) {
		while (ascii_space((unsigned char)*l->at))
			l->at++;
		if (*l->at == '-' || *l->at == '+') {
			t->kind = TOK_SIGNED;
			t->negative = *l->at == '-';
			do
				l->at++;
			while (ascii_space((unsigned char)*l->at));
			/* A sign before anything else means nothing. */
			if (!ascii_digit((unsigned char)*l->at))
				continue;
			read_number(l, t);
			return;
		}
		if (*l->at != '(')
			break;
		skip_comment(l);
		if (!*l->at) {
			t->kind = TOK_END;
			return;
		}
	}
	t->negative = false;
	if (ascii_digit((unsigned char)*l->at)) {
		t->kind = TOK_NUMBER;
		read_number(l, t);
	} else if (ascii_alpha((unsigned char)*l->at)) {
		read_word(l, t);
	} else if (*l->at) {
		t->kind = TOK_CHAR;
		t->c = *l->at++;
	} else {
		t->kind = TOK_END;
	}
}
