/* timefmt.c - strftime as GNU date has it: flags, widths, %N, %:z.
 *
 * Every conversion comes down to one of three shapes: a number, a text, or a shorter format. */
#include "tz.h"

static const char *const DAYS[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                   "Thursday", "Friday", "Saturday"};
static const char *const MONTHS[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

struct spec {
	char pad; /* 0: as the conversion has it; '-' none, '_', '0', '+' */
	bool upper, swap;
	int width; /* < 0: none */
	size_t colons;
};

static void fill(struct u_buf *b, char c, int64_t n)
{
	if (n <= 0)
		return;
	u_buf_reserve(b, (size_t)n);
	memset(b->ptr + b->len, c, (size_t)n);
	b->len += (size_t)n;
	b->ptr[b->len] = '\0';
}

static void put_text(struct u_buf *b, const struct spec *f, const char *s, size_t n, int swap_to)
{
	if (f->pad != '-')
		fill(b, f->pad == '0' || f->pad == '+' ? '0' : ' ', (int64_t)f->width - (int64_t)n);
	for (size_t i = 0; i < n; i++) {
		int c = (unsigned char)s[i];

		if (f->swap && swap_to)
			c = swap_to > 0 ? ascii_toupper(c) : ascii_tolower(c);
		else if (f->upper)
			c = ascii_toupper(c);
		u_buf_putc(b, (char)c);
	}
}

/* A number of at least `digits` digits, padded as `pad` unless the flags say otherwise. */
static void put_number(struct u_buf *b, const struct spec *f, int64_t v, int digits, char pad)
{
	char text[24];
	uint64_t u = v < 0 ? 0u - (uint64_t)v : (uint64_t)v;
	size_t n = num_put_u64(text, u);
	char how = f->pad ? f->pad : pad;
	int64_t width = f->width >= 0 ? f->width : digits;
	bool plus = how == '+' && v >= 0 &&
	            (int64_t)n > (f->width >= 0 ? MAX(f->width - 1, digits) : digits);
	int64_t zeros;

	if (how == '+' && f->width > digits && v >= 0)
		plus = true;
	zeros = width - (int64_t)n - (v < 0 || plus ? 1 : 0);
	if (how == '_') {
		fill(b, ' ', zeros);
		zeros = 0;
	}
	if (v < 0)
		u_buf_putc(b, '-');
	else if (plus)
		u_buf_putc(b, '+');
	if (how != '-')
		fill(b, '0', zeros);
	u_buf_put(b, text, n);
}

static void format(struct u_buf *b, const char *fmt, size_t n, const struct u_tm *tm,
                   char year_pad);

/* A shorter format; a year in it is padded as the whole was to be. */
static void put_format(struct u_buf *b, const struct spec *f, const char *form,
                       const struct u_tm *tm)
{
	struct u_buf inner;

	u_buf_init(&inner, b->p, 0);
	format(&inner, form, strlen(form), tm, f->pad);
	put_text(b, f, inner.ptr, inner.len, 0);
}

/* Nanoseconds are a fraction: a width cuts it or fills it on the right. */
static void put_nanoseconds(struct u_buf *b, const struct spec *f, int32_t nsec)
{
	char digits[9];
	int width = f->width < 0 ? 9 : f->width, n = width < 9 ? width : 9;

	for (int i = 8; i >= 0; i--) {
		digits[i] = (char)('0' + nsec % 10);
		nsec /= 10;
	}
	/* "%-N" alone stands for the clock's resolution, which is all of it. */
	if (f->pad == '_' || (f->pad == '-' && f->width >= 0)) {
		while (n > 1 && digits[n - 1] == '0')
			n--;
	}
	u_buf_put(b, digits, (size_t)n);
	if (f->pad != '-')
		fill(b, f->pad == '_' ? ' ' : '0', (int64_t)width - n);
}

/* +hhmm, +hh:mm, +hh:mm:ss, or as short as it is exact. */
static void put_zone(struct u_buf *b, const struct spec *f, const struct u_tm *tm)
{
	int32_t o = tm->offset < 0 ? -tm->offset : tm->offset;
	int h = o / 3600, m = o / 60 % 60, s = o % 60;
	char rest[16], hour[8];
	size_t nrest = 0, nhour = num_put_u64(hour, (uint64_t)h);
	int64_t pad;

	switch (f->colons) {
	case 0: /* one number, hhmm */
		nhour = 0;
		nrest = num_put_u64(rest, (uint64_t)(h * 100 + m));
		break;
	case 1: nrest = fmt_buf(rest, sizeof(rest), ":%02d", m); break;
	case 2: nrest = fmt_buf(rest, sizeof(rest), ":%02d:%02d", m, s); break;
	default:
		if (s)
			nrest = fmt_buf(rest, sizeof(rest), ":%02d:%02d", m, s);
		else if (m)
			nrest = fmt_buf(rest, sizeof(rest), ":%02d", m);
		break;
	}
	pad = f->width >= 0 ? f->width : f->colons == 0 ? 5 : (int64_t)nrest + 3;
	pad -= (int64_t)(nhour + nrest) + 1;
	if (f->pad == '_')
		fill(b, ' ', pad);
	u_buf_putc(b, tm->offset < 0 ? '-' : '+');
	if (f->pad != '_' && f->pad != '-')
		fill(b, '0', pad);
	u_buf_put(b, hour, nhour);
	u_buf_put(b, rest, nrest);
}

/* ISO 8601: the week's number and the year it belongs to. */
static int iso_week(const struct u_tm *tm, int64_t *year)
{
	int wday = (tm->wday + 6) % 7, week = (tm->yday - wday + 10) / 7;
	int64_t y = tm->year;

	if (week < 1) {
		y--;
		/* The last week of the year before, which has 53 when it ends on a Thursday or so.
		 */
		int64_t days = tm_is_leap(y) ? 366 : 365;

		week = (int)((tm->yday + days - wday + 10) / 7);
	} else if (week == 53) {
		int64_t days = tm_is_leap(y) ? 366 : 365;

		/* Monday 29 December or later may already be in week 1. */
		if (tm->yday - wday + 3 >= days) {
			week = 1;
			y++;
		}
	}
	*year = y;
	return week;
}

static int64_t epoch(const struct u_tm *tm)
{
	int64_t t = 0;

	if (!tm_utc(tm, &t))
		return 0;
	return t - tm->offset;
}

static int hour12(const struct u_tm *tm)
{
	return tm->hour % 12 ? tm->hour % 12 : 12;
}

static int year_in_century(int64_t year)
{
	int y = (int)(year % 100);

	return y < 0 ? -y : y;
}

static bool put_numeric(struct u_buf *b, const struct spec *given, char c, const struct u_tm *tm)
{
	struct spec plain = *given;
	const struct spec *f = &plain;
	int64_t y;

	/* Only years take a plus sign. */
	if (plain.pad == '+' && !strchr("CgGyY", c))
		plain.pad = '0';
	switch (c) {
	case 'C': put_number(b, f, tm->year / 100, 2, '0'); return true;
	case 'd': put_number(b, f, tm->mday, 2, '0'); return true;
	case 'e': put_number(b, f, tm->mday, 2, '_'); return true;
	case 'g':
		iso_week(tm, &y);
		put_number(b, f, year_in_century(y), 2, '0');
		return true;
	case 'G':
		iso_week(tm, &y);
		put_number(b, f, y, 4, '0');
		return true;
	case 'H': put_number(b, f, tm->hour, 2, '0'); return true;
	case 'I': put_number(b, f, hour12(tm), 2, '0'); return true;
	case 'j': put_number(b, f, tm->yday + 1, 3, '0'); return true;
	case 'k': put_number(b, f, tm->hour, 2, '_'); return true;
	case 'l': put_number(b, f, hour12(tm), 2, '_'); return true;
	case 'm': put_number(b, f, tm->mon, 2, '0'); return true;
	case 'M': put_number(b, f, tm->min, 2, '0'); return true;
	case 'q': put_number(b, f, (tm->mon + 2) / 3, 1, '0'); return true;
	case 's': put_number(b, f, epoch(tm), 1, '0'); return true;
	case 'S': put_number(b, f, tm->sec, 2, '0'); return true;
	case 'u': put_number(b, f, (tm->wday + 6) % 7 + 1, 1, '0'); return true;
	case 'U': put_number(b, f, (tm->yday - tm->wday + 7) / 7, 2, '0'); return true;
	case 'V': put_number(b, f, iso_week(tm, &y), 2, '0'); return true;
	case 'w': put_number(b, f, tm->wday, 1, '0'); return true;
	case 'W': put_number(b, f, (tm->yday - (tm->wday + 6) % 7 + 7) / 7, 2, '0'); return true;
	case 'y': put_number(b, f, year_in_century(tm->year), 2, '0'); return true;
	case 'Y': put_number(b, f, tm->year, 4, '0'); return true;
	default: return false;
	}
}

static void put_name(struct u_buf *b, const struct spec *f, const char *name, bool brief)
{
	put_text(b, f, name, brief ? 3 : strlen(name), 1);
}

/* The width is the whole date's: the year gets what is left of it. */
static void put_iso_date(struct u_buf *b, const struct spec *f, const struct u_tm *tm)
{
	struct spec year = *f;

	if (!f->pad && f->width < 0) {
		year.pad = '+';
		year.width = 4;
	} else {
		year.width = MAX(f->width - 6, 0);
	}
	put_number(b, &year, tm->year, 4, '0');
	u_time_format(b, "-%m-%d", 6, tm);
}

/* False when `c` is no conversion. */
static bool convert(struct u_buf *b, const struct spec *f, char c, const struct u_tm *tm)
{
	const char *half = tm->hour < 12 ? "AM" : "PM";
	struct spec lower = *f;
	struct u_buf inner;

	if (put_numeric(b, f, c, tm))
		return true;
	lower.upper = false;
	switch (c) {
	case 'a': put_name(b, f, DAYS[tm->wday % 7], true); return true;
	case 'A': put_name(b, f, DAYS[tm->wday % 7], false); return true;
	case 'b':
	case 'h': put_name(b, f, MONTHS[(tm->mon - 1) % 12], true); return true;
	case 'B': put_name(b, f, MONTHS[(tm->mon - 1) % 12], false); return true;
	case 'c': /* the C library's own: its years are not padded */
		u_buf_init(&inner, b->p, 0);
		format(&inner, "%a %b %e %H:%M:%S %Y", 20, tm, '-');
		put_text(b, f, inner.ptr, inner.len, 0);
		return true;
	case 'D': put_format(b, f, "%m/%d/%y", tm); return true;
	case 'x': /* the C library's own: the padding is not the year's */
		u_buf_init(&inner, b->p, 0);
		u_time_format(&inner, "%m/%d/%y", 8, tm);
		put_text(b, f, inner.ptr, inner.len, 0);
		return true;
	case 'F': put_iso_date(b, f, tm); return true;
	case 'n': put_text(b, f, "\n", 1, 0); return true;
	case 'N': put_nanoseconds(b, f, tm->nsec); return true;
	case 'p': put_text(b, f, half, 2, -1); return true;
	case 'P': put_text(b, &lower, tm->hour < 12 ? "am" : "pm", 2, 0); return true;
	case 'r': put_format(b, f, "%I:%M:%S %p", tm); return true;
	case 'R': put_format(b, f, "%H:%M", tm); return true;
	case 't': put_text(b, f, "\t", 1, 0); return true;
	case 'T':
	case 'X': put_format(b, f, "%H:%M:%S", tm); return true;
	case 'z': put_zone(b, f, tm); return true;
	case 'Z': put_text(b, f, tm->zone, strlen(tm->zone), -1); return true;
	default: return false;
	}
}

static size_t read_spec(const char *s, size_t n, struct spec *f)
{
	size_t i = 0;
	int64_t width = 0;

	for (; i < n; i++) {
		if (s[i] == '_' || s[i] == '-' || s[i] == '0' || s[i] == '+')
			f->pad = s[i];
		else if (s[i] == '^')
			f->upper = true;
		else if (s[i] == '#')
			f->swap = true;
		else
			break;
	}
	if (i < n && ascii_digit((unsigned char)s[i])) {
		for (; i < n && ascii_digit((unsigned char)s[i]); i++)
			width = MIN(width * 10 + (s[i] - '0'), (int64_t)INT32_MAX);
		f->width = (int)width;
	}
	if (i < n && (s[i] == 'E' || s[i] == 'O'))
		i++;
	return i;
}

static void format(struct u_buf *b, const char *fmt, size_t n, const struct u_tm *tm, char year_pad)
{
	size_t i = 0;

	while (i < n) {
		struct spec f = {.width = -1};
		const char *percent = memchr(fmt + i, '%', n - i);
		size_t plain = percent ? (size_t)(percent - fmt) - i : n - i, at;

		u_buf_put(b, fmt + i, plain);
		i += plain;
		if (i == n)
			break;
		at = i + 1;
		if (at < n && fmt[at] == '%') {
			u_buf_putc(b, '%');
			i += 2;
			continue;
		}
		at += read_spec(fmt + at, n - at, &f);
		while (at + f.colons < n && fmt[at + f.colons] == ':')
			f.colons++;
		if (f.colons && f.colons <= 3 && at + f.colons < n && fmt[at + f.colons] == 'z')
			at += f.colons;
		if (at < n && !f.pad && fmt[at] && strchr("CgGyY", fmt[at]))
			f.pad = year_pad;
		/* Not understood: printed as it stands. */
		if (at == n || !convert(b, &f, fmt[at], tm)) {
			at = MIN(at + 1, n);
			f.upper = false;
			put_text(b, &f, fmt + i, at - i, 0);
			i = at;
			continue;
		}
		i = at + 1;
	}
}

void u_time_format(struct u_buf *b, const char *fmt, size_t n, const struct u_tm *tm)
{
	format(b, fmt, n, tm, 0);
}
