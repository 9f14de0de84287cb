/* keys.c - where the keys of a line are, and how they compare. */
#include "sort.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && is_blank(*s))
		s++;
	return s;
}

static const char *skip_field(const char *s, const char *end)
{
	s = skip_blanks(s, end);
	while (s < end && !is_blank(*s))
		s++;
	return s;
}

static const char *advance(const char *s, const char *end, uint64_t n)
{
	return n < (uint64_t)(end - s) ? s + n : end;
}

static const char *key_start(const struct sort *s, const struct sort_key *k, const char *at,
			     const char *end)
{
	for (uint64_t n = k->field; n > 0 && at < end; n--) {
		if (s->tab >= 0) {
			const char *t = memchr(at, s->tab, (size_t)(end - at));

			at = t ? t + 1 : end;
		} else {
			at = skip_field(at, end);
		}
	}
	if (k->skip_start)
		at = skip_blanks(at, end);
	return advance(at, end, k->column);
}

static const char *key_end(const struct sort *s, const struct sort_key *k, const char *at,
			   const char *end)
{
	/* Without a column all of the last field belongs to the key. */
	uint64_t n = k->end_field + (k->end_column == 0);

	for (; n > 0 && at < end; n--) {
		if (s->tab >= 0) {
			const char *t = memchr(at, s->tab, (size_t)(end - at));

			at = t ? t : end;
			if (t && (n > 1 || k->end_column))
				at++;
		} else {
			at = skip_field(at, end);
		}
	}
	if (k->end_column == 0)
		return at;
	if (k->skip_end)
		at = skip_blanks(at, end);
	return advance(at, end, k->end_column);
}

void sort_find_key(const struct sort *s, const struct sort_key *k, const char *line, size_t len,
		   const char **start, const char **end)
{
	*start = key_start(s, k, line, line + len);
	*end = k->end_field == SORT_TO_END ? line + len : key_end(s, k, line, line + len);
	if (*end < *start)
		*end = *start;
}

bool sort_key_is_text(const struct sort_key *k)
{
	return !(k->numeric || k->general || k->human || k->month || k->random || k->version ||
		 k->dictionary || k->printing);
}

/* ---- Text ------------------------------------------------------------------------------- */

static int compare_bytes(const char *a, size_t na, const char *b, size_t nb)
{
	int d = memcmp(a, b, MIN(na, nb));

	return d ? d : na < nb ? -1 : na > nb;
}

/* The next byte that counts, folded; -1 at the end. */
static int next_byte(const struct sort_key *k, const char **s, const char *end)
{
	while (*s < end) {
		unsigned char c = (unsigned char)*(*s)++;

		if (k->dictionary ? !(ascii_alnum(c) || is_blank((char)c))
				  : k->printing && !ascii_print(c))
			continue;
		return k->fold ? ascii_toupper(c) : c;
	}
	return -1;
}

static int compare_text(const struct sort_key *k, const char *a, const char *ae, const char *b,
			const char *be)
{
	int x, y;

	if (!k->dictionary && !k->printing && !k->fold)
		return compare_bytes(a, (size_t)(ae - a), b, (size_t)(be - b));
	do {
		x = next_byte(k, &a, ae);
		y = next_byte(k, &b, be);
	} while (x == y && x >= 0);
	return x - y;
}

/* ---- Numbers ------------------------------------------------------------------------------ */

/* A decimal number in text, taken apart: digits before and after the point, without the zeros that
 * do not count. */
struct decimal {
	bool negative;
	const char *whole, *part;	/* digits */
	size_t nwhole, npart;
	const char *end;		/* what follows */
};

static bool is_zero(const struct decimal *d)
{
	return d->nwhole == 0 && d->npart == 0;
}

static void take_apart(struct decimal *d, const char *s, const char *end)
{
	s = skip_blanks(s, end);
	d->negative = s < end && *s == '-';
	s += d->negative;
	while (s < end && *s == '0')
		s++;
	d->whole = s;
	while (s < end && ascii_digit(*s))
		s++;
	d->nwhole = (size_t)(s - d->whole);
	d->part = s;
	d->npart = 0;
	if (s < end && *s == '.') {
		d->part = ++s;
		while (s < end && ascii_digit(*s))
			s++;
		d->npart = (size_t)(s - d->part);
		while (d->npart > 0 && d->part[d->npart - 1] == '0')
			d->npart--;
	}
	d->end = s;
	if (is_zero(d))
		d->negative = false;
}

static int compare_decimals(const struct decimal *a, const struct decimal *b)
{
	int d;

	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	if (a->nwhole != b->nwhole)
		d = a->nwhole < b->nwhole ? -1 : 1;
	else
		d = memcmp(a->whole, b->whole, a->nwhole);
	if (d == 0)
		d = compare_bytes(a->part, a->npart, b->part, b->npart);
	return a->negative ? -d : d;
}

/* The unit of -h after a number: K M G ..., 0 for none; negative with the number. */
static int unit_order(const struct decimal *d, const char *end)
{
	static const char units[] = "KMGTPEZY";
	const char *u;

	if (is_zero(d) || d->end >= end || !*d->end)
		return 0;
	u = strchr(units, *d->end == 'k' ? 'K' : *d->end);
	if (!u)
		return 0;
	return d->negative ? -(int)(u - units + 1) : (int)(u - units + 1);
}

#define PREFIX_DIGITS 15

/* Order, number of digits and the first digits, as one number. Bit 0 says that more digits follow. */
static uint64_t decimal_prefix(const struct decimal *d, int order, bool *exact)
{
	uint64_t digits = 0, size = MIN(d->nwhole, 127u), v;
	size_t used = 0;

	/* Fractions alone start at their first place: with no whole digits all are comparable. */
	for (size_t i = 0; used < PREFIX_DIGITS; used++) {
		unsigned digit = 0;

		if (used < d->nwhole)
			digit = (unsigned)(d->whole[used] - '0');
		else if (i < d->npart)
			digit = (unsigned)(d->part[i++] - '0');
		digits = digits * 10 + digit;
	}
	*exact = d->nwhole < 127 && d->nwhole + d->npart <= PREFIX_DIGITS;
	if (d->nwhole >= 127)
		digits = 0;
	v = (uint64_t)(order < 0 ? -order : order) << 58 | size << 51 | digits << 1 | !*exact;
	return d->negative ? ~v & INT64_MAX : v | 1ull << 63;
}

/* A key converted by strtold; what cannot be is below all numbers, then NaNs. */
static int float_class(struct sort *s, const char *a, const char *end, long double *x)
{
	const char *stop;

	s->number.len = 0;
	u_buf_put(&s->number, a, (size_t)(end - a));
	*x = num_ldouble(s->number.ptr, &stop);
	if (stop == s->number.ptr)
		return 0;
	if (__builtin_isnan(*x))
		return __builtin_signbit(*x) ? 2 : 1;
	return 3;
}

static int compare_general(struct sort *s, const char *a, const char *ae, const char *b, const char *be)
{
	long double x, y;
	int cx = float_class(s, a, ae, &x), cy = float_class(s, b, be, &y);

	if (cx != cy || cx < 3)
		return cx - cy;
	return x < y ? -1 : x > y;
}

static uint64_t general_prefix(struct sort *s, const char *a, const char *end, bool *exact)
{
	long double x;
	int c = float_class(s, a, end, &x);
	double d = (double)x;
	uint64_t bits;

	*exact = true;
	if (c < 3)
		return (uint64_t)c;
	*exact = (long double)d == x;
	if (d == 0)
		d = 0; /* -0 is 0 */
	memcpy(&bits, &d, sizeof(bits));
	return bits >> 63 ? ~bits : bits | 1ull << 63;
}

/* ---- Months, versions, chance ----------------------------------------------------------------- */

static int month_number(const char *s, const char *end)
{
	static const char names[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";

	s = skip_blanks(s, end);
	if (end - s < 3)
		return 0;
	for (int i = 0; i < 12; i++) {
		if (ascii_toupper((unsigned char)s[0]) == names[3 * i] &&
		    ascii_toupper((unsigned char)s[1]) == names[3 * i + 1] &&
		    ascii_toupper((unsigned char)s[2]) == names[3 * i + 2])
			return i + 1;
	}
	return 0;
}

static void random_digest(const struct sort *s, const char *a, size_t n, uint8_t out[16])
{
	struct digest d;

	digest_init(&d, DIGEST_MD5, 0);
	digest_update(&d, s->salt, sizeof(s->salt));
	/* GNU sort hashes transformed strings, which end in NUL, where the locale has an order. */
	digest_update(&d, a, n);
	if (s->utf8)
		digest_update(&d, "", 1);
	digest_final(&d, out);
}

static int compare_random(const struct sort *s, const char *a, size_t na, const char *b, size_t nb)
{
	uint8_t x[16], y[16];
	int d;

	random_digest(s, a, na, x);
	random_digest(s, b, nb, y);
	d = memcmp(x, y, sizeof(x));
	return d ? d : compare_bytes(a, na, b, nb);
}

/* ---- Keys ---------------------------------------------------------------------------------------- */

static int compare_decimal_keys(const struct sort_key *k, const char *a, const char *ae, const char *b,
				const char *be)
{
	struct decimal x, y;

	take_apart(&x, a, ae);
	take_apart(&y, b, be);
	if (k->human) {
		int d = unit_order(&x, ae) - unit_order(&y, be);

		if (d)
			return d;
	}
	return compare_decimals(&x, &y);
}

/* The key without what does not count, folded, for the orders that look at it as a whole. */
static struct str cleaned(struct sort *s, const struct sort_key *k, const char *a, const char *end)
{
	struct u_buf b;
	int c;

	if (!k->dictionary && !k->printing && !k->fold)
		return (struct str){a, (size_t)(end - a)};
	u_buf_init(&b, s->p, 0);
	while ((c = next_byte(k, &a, end)) >= 0)
		u_buf_putc(&b, (char)c);
	return (struct str){b.ptr, b.len};
}

static int compare_key(struct sort *s, const struct sort_key *k, const char *a, const char *ae,
		       const char *b, const char *be)
{
	struct arena_mark m;
	struct str x, y;
	int d;

	if (k->numeric || k->human)
		return compare_decimal_keys(k, a, ae, b, be);
	if (k->general)
		return compare_general(s, a, ae, b, be);
	if (k->month)
		return month_number(a, ae) - month_number(b, be);
	if (!k->random && !k->version)
		return compare_text(k, a, ae, b, be);
	m = arena_mark(&sys_self(s->p)->arena);
	x = cleaned(s, k, a, ae);
	y = cleaned(s, k, b, be);
	d = k->random ? compare_random(s, x.ptr, x.len, y.ptr, y.len)
		      : u_version_compare(x.ptr, x.len, y.ptr, y.len);
	if (k->dictionary || k->printing || k->fold)
		arena_reset(&sys_self(s->p)->arena, m);
	return d;
}

int sort_compare_keys(struct sort *s, const struct sort_line *a, const struct sort_line *b, size_t k)
{
	if (s->nkeys == 0)
		return compare_bytes(a->ptr, a->len, b->ptr, b->len);
	for (; k < s->nkeys; k++) {
		const struct sort_key *key = &s->keys[k];
		const char *as, *ae, *bs, *be;
		int d;

		sort_find_key(s, key, a->ptr, a->len, &as, &ae);
		sort_find_key(s, key, b->ptr, b->len, &bs, &be);
		d = compare_key(s, key, as, ae, bs, be);
		if (d)
			return key->reverse ? -d : d;
	}
	return 0;
}

int sort_compare(struct sort *s, const struct sort_line *a, const struct sort_line *b, size_t k)
{
	int d = s->nkeys > 0 ? sort_compare_keys(s, a, b, k) : 0;

	if (d || (s->nkeys > 0 && (s->stable || s->unique)))
		return d;
	d = compare_bytes(a->ptr, a->len, b->ptr, b->len);
	return s->global.reverse ? -d : d;
}

static uint64_t text_prefix(const struct sort_key *k, const char *a, const char *end, bool *exact)
{
	uint64_t v = 0;
	int used = 0, c;

	*exact = false;
	while (used < 8 && (c = next_byte(k, &a, end)) >= 0)
		v |= (uint64_t)c << (56 - 8 * used++);
	return v;
}

uint64_t sort_prefix(struct sort *s, const struct sort_key *k, const char *start, const char *end,
		     bool *exact)
{
	struct decimal d;
	uint64_t v;

	if (k->numeric || k->human) {
		take_apart(&d, start, end);
		v = decimal_prefix(&d, k->human ? unit_order(&d, end) : 0, exact);
	} else if (k->general) {
		v = general_prefix(s, start, end, exact);
	} else if (k->month) {
		v = (uint64_t)month_number(start, end);
		*exact = true;
	} else if (k->version || k->random) {
		v = 0;
		*exact = false;
	} else {
		v = text_prefix(k, start, end, exact);
	}
	return k->reverse ? ~v : v;
}
