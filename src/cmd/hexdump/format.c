/* format.c - hexdump's format strings taken apart. */
#include "hexdump.h"

#define MOST 1000000u	/* bytes of a block, repetitions and widths */

static NORETURN void bad_format(struct hexdump *h, const char *text)
{
	u_die(h->p, 1, 0, "bad format {%s}", text);
}

/* ---- Units ----------------------------------------------------------------------------------- */

static const char *number(struct hexdump *h, const char *s, const char *whole, uint64_t *n)
{
	bool over = false;

	*n = num_u64(s, &s, 10, &over);
	if (over || *n > MOST)
		bad_format(h, whole);
	return s;
}

/* A text with its escapes replaced. */
static struct str unescape(struct hexdump *h, const char *s, size_t n)
{
	static const char letters[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";
	char *out = u_alloc(h->p, n + 1);
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		const char *named;

		if (s[i] == '\\' && i + 1 < n) {
			named = strchr(letters, s[++i]);
			out[len++] = named ? bytes[named - letters] : s[i];
		} else {
			out[len++] = s[i];
		}
	}
	return (struct str){out, len};
}

static const char *skip_space(const char *s)
{
	while (ascii_space(*s))
		s++;
	return s;
}

/* [COUNT][/SIZE] "TEXT" at s. */
static const char *parse_unit(struct hexdump *h, const char *s, const char *whole, struct hex_unit *u)
{
	const char *close;
	uint64_t n;

	u->repeat = 1;
	if (ascii_digit(*s)) {
		s = number(h, s, whole, &u->repeat);
		u->repeat_given = true;
		if (!ascii_space(*s) && *s != '/')
			bad_format(h, whole);
		s = skip_space(s);
	}
	if (*s == '/') {
		s = skip_space(s + 1);
		if (!ascii_digit(*s))
			bad_format(h, whole);
		s = number(h, s, whole, &n);
		u->size = (size_t)n;
		u->size_given = n > 0;
		if (!ascii_space(*s))
			bad_format(h, whole);
		s = skip_space(s);
	}
	close = *s == '"' ? strchr(s + 1, '"') : NULL;
	if (!close)
		bad_format(h, whole);
	u->text = unescape(h, s + 1, (size_t)(close - s - 1));
	return close + 1;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

static NORETURN void bad_conversion(struct hexdump *h, const char *s, size_t n)
{
	u_die(h->p, 1, 0, "bad conversion character %%%.*s", (int)n, s);
}

static size_t checked_size(struct hexdump *h, const struct hex_unit *u, const char *allowed, size_t usual, char c)
{
	if (!u->size_given)
		return usual;
	for (; *allowed; allowed++) {
		if ((size_t)(*allowed - '0') == u->size)
			return u->size;
	}
	u_die(h->p, 1, 0, "bad byte count for conversion character %c", c);
}

/* %_a and the like; s is after the underscore. */
static size_t underscore(struct hexdump *h, struct hex_unit *u, struct hex_piece *q, const char *s, const char *end)
{
	char c = s < end ? *s : '\0';

	switch (c) {
	case 'A':
	case 'a':
		if (s + 1 == end || !strchr("dox", s[1]))
			bad_conversion(h, s - 1, MIN((size_t)(end - s) + 1, 3));
		u->at_end |= c == 'A';
		if (c == 'A')
			h->end = u;
		q->kind = HEX_ADDRESS;
		q->conversion = s[1];
		return 2;
	case 'c': q->kind = HEX_ESCAPED; break;
	case 'p': q->kind = HEX_PRINTABLE; break;
	case 'u': q->kind = HEX_NAMED; break;
	default: bad_conversion(h, s - 1, MIN((size_t)(end - s) + 1, 2));
	}
	q->size = checked_size(h, u, "1", 1, c);
	return 1;
}

/* The conversion letter at s: its length. */
static size_t letter(struct hexdump *h, struct hex_unit *u, struct hex_piece *q, const char *s, const char *end)
{
	char c = s < end ? *s : '\0';

	q->conversion = c;
	switch (c) {
	case 'c':
		q->kind = HEX_CHAR;
		q->size = checked_size(h, u, "1", 1, c);
		return 1;
	case 'd':
	case 'i':
		q->kind = HEX_SIGNED;
		q->size = checked_size(h, u, "1248", 4, c);
		return 1;
	case 'o': case 'u': case 'x': case 'X':
		q->kind = HEX_UNSIGNED;
		q->size = checked_size(h, u, "1248", 4, c);
		return 1;
	case 'e': case 'E': case 'f': case 'g': case 'G':
		q->kind = HEX_FLOAT;
		q->size = checked_size(h, u, "48", 8, c);
		return 1;
	case 's':
		q->kind = HEX_STRING;
		if (!u->size_given && q->precision < 0)
			u_die(h->p, 1, 0, "%%s requires a precision or a byte count");
		q->size = u->size_given ? u->size : (size_t)q->precision;
		return 1;
	case '_': return 1 + underscore(h, u, q, s + 1, end);
	default: bad_conversion(h, s, s < end);
	}
}

static int digits(struct hexdump *h, const char **s, const char *end)
{
	uint64_t n = 0;

	for (; *s < end && ascii_digit(**s); ++*s) {
		n = n * 10 + (uint64_t)(**s - '0');
		if (n > MOST)
			u_die(h->p, 1, 0, "field width too large");
	}
	return (int)n;
}

/* What is between % and the letter. */
static const char *parse_flags(struct hexdump *h, struct hex_piece *q, const char *s, const char *end)
{
	for (; s < end && strchr("-+ #0", *s); s++) {
		q->minus |= *s == '-';
		q->plus |= *s == '+';
		q->space |= *s == ' ';
		q->alt |= *s == '#';
		q->zero |= *s == '0';
	}
	q->width = digits(h, &s, end);
	q->precision = -1;
	if (s < end && *s == '.') {
		s++;
		q->precision = digits(h, &s, end);
	}
	return s;
}

static void parse_pieces(struct hexdump *h, struct hex_unit *u)
{
	const char *s = u->text.ptr, *end = s + u->text.len;
	struct hex_piece **last = &u->pieces, *q = NULL;
	size_t size = 0;

	do {
		const char *percent = s < end ? memchr(s, '%', (size_t)(end - s)) : NULL;

		if (!percent && q) {
			q->after = (struct str){s, (size_t)(end - s)};
			break;
		}
		if (q && q->size && u->size_given)
			u_die(h->p, 1, 0, "byte count with multiple conversion characters");
		q = u_zalloc(h->p, sizeof(*q));
		q->before = (struct str){s, (size_t)((percent ? percent : end) - s)};
		q->precision = -1;
		s = end;
		if (percent) {
			s = parse_flags(h, q, percent + 1, end);
			s += letter(h, u, q, s, end);
		}
		size += q->size;
		*last = q;
		last = &q->next;
	} while (s < end);
	u->size = size;
}

void hex_add_format(struct hexdump *h, const char *text)
{
	struct hex_format *f = u_zalloc(h->p, sizeof(*f));
	struct hex_unit **last = &f->units;
	const char *s = skip_space(text);

	if (!h->first)
		h->last = &h->first;
	*h->last = f;
	h->last = &f->next;
	while (*s) {
		struct hex_unit *u = u_zalloc(h->p, sizeof(*u));

		s = skip_space(parse_unit(h, s, text, u));
		parse_pieces(h, u);
		*last = u;
		last = &u->next;
		f->size += u->size * (size_t)u->repeat;
		if (f->size > MOST)
			bad_format(h, text);
	}
	h->block = MAX(h->block, f->size);
}

/* ---- All together ------------------------------------------------------------------------------ */

/* What is repeated has no white space after the last time. */
static void trim(struct hex_unit *u)
{
	struct hex_piece *q = u->pieces;

	while (q->next)
		q = q->next;
	q->after_trimmed = q->after.len;
	while (u->repeat > 1 && q->after_trimmed > 0 && ascii_space(q->after.ptr[q->after_trimmed - 1]))
		q->after_trimmed--;
}

void hex_finish_formats(struct hexdump *h)
{
	for (struct hex_format *f = h->first; f; f = f->next) {
		for (struct hex_unit *u = f->units; u; u = u->next) {
			if (!u->next && f->size < h->block && !u->repeat_given && u->size)
				u->repeat += (h->block - f->size) / u->size;
			trim(u);
		}
	}
}
