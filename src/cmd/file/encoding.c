/* encoding.c - which text the bytes are: ASCII, UTF-8, UTF-16, ISO-8859 and relatives, or none. */
#include "file.h"

/* Control characters that occur in text: bell, backspace, tab, newline, vertical tab, form feed, return, escape. */
static bool plain(unsigned char c)
{
	return c >= ' ' ? c != 127 : (c >= 7 && c <= 13) || c == 27;
}

static bool is_ascii(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)s[i] >= 128 || !plain((unsigned char)s[i]))
			return false;
	}
	return true;
}

/* Whether the bytes are UTF-8 with a character beyond ASCII; one cut off at the end counts. */
static bool is_utf8(const char *s, size_t n)
{
	bool found = false;

	for (size_t i = 0; i < n;) {
		unsigned char c = (unsigned char)s[i++];
		int more = c < 0x80 ? 0 : c < 0xc0 ? -1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf8 ? 3 : -1;

		if (more < 0 || (more == 0 && !plain(c)))
			return false;
		for (; more > 0; more--, i++) {
			if (i == n)
				return found;
			if (((unsigned char)s[i] & 0xc0) != 0x80)
				return false;
		}
		found |= c >= 0x80;
	}
	return found;
}

static bool is_utf16(const char *s, size_t n, bool big)
{
	for (size_t i = 2; i + 1 < n; i += 2) {
		uint64_t c = file_number(s, n, i, 2, big);

		if (c == 0xfffe || (c < 128 && !plain((unsigned char)c)))
			return false;
	}
	return true;
}

/* 0: neither; 1: ISO-8859; 2: with characters in 0x80-0x9f, which ISO-8859 does not print. */
static int eight_bits(const char *s, size_t n)
{
	int kind = 1;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 128 && !plain(c))
			return 0;
		if (c >= 0x80 && c < 0xa0 && c != 0x85)
			kind = 2;
	}
	return kind;
}

struct file_text file_encoding(const char *s, size_t n)
{
	int kind;

	n = MIN(n, FILE_TEXT_MAX);
	if (is_ascii(s, n))
		return (struct file_text){.name = "ASCII", .charset = "us-ascii"};
	if (n > 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0 && (is_utf8(s + 3, n - 3) || is_ascii(s + 3, n - 3)))
		return (struct file_text){.name = "Unicode text, UTF-8 (with BOM)", .charset = "utf-8", .start = 3};
	if (is_utf8(s, n))
		return (struct file_text){.name = "Unicode text, UTF-8", .charset = "utf-8"};
	if (n >= 4 && memcmp(s, "\xff\xfe", 2) == 0 && is_utf16(s, n, false))
		return (struct file_text){.name = "Unicode text, UTF-16, little-endian", .charset = "utf-16le", .utf16 = true, .start = 2};
	if (n >= 4 && memcmp(s, "\xfe\xff", 2) == 0 && is_utf16(s, n, true))
		return (struct file_text){.name = "Unicode text, UTF-16, big-endian", .charset = "utf-16be", .utf16 = true,
					  .big_endian = true, .start = 2};
	kind = eight_bits(s, n);
	if (kind == 1)
		return (struct file_text){.name = "ISO-8859", .charset = "iso-8859-1"};
	if (kind == 2)
		return (struct file_text){.name = "Non-ISO extended-ASCII", .charset = "unknown-8bit"};
	return (struct file_text){.charset = "binary"};
}

struct counts {
	size_t crlf, cr, lf, nel, longest;
	bool escapes, overstrikes;
};

static void count_lines(struct counts *c, const struct file_text *t, const char *s, size_t n)
{
	size_t step = t->utf16 ? 2 : 1, since = 0;
	bool after_cr = false, latin = t->name[0] == 'I';

	for (size_t i = t->start; i + step <= n; i += step) {
		uint64_t ch = file_number(s, n, i, (int)step, t->big_endian);

		since++;
		if (ch == '\n') {
			after_cr ? c->crlf++ : c->lf++;
			c->longest = MAX(c->longest, since - (after_cr ? 2 : 1));
			since = 0;
		} else if (after_cr) {
			c->cr++;
			since = 1;
		}
		after_cr = ch == '\r';
		if (ch == 0x85 && latin)
			c->nel++, since = 0;
		c->escapes |= ch == 27;
		c->overstrikes |= ch == '\b';
	}
	if (after_cr)
		c->cr++;
	c->longest = MAX(c->longest, since);
}

void file_lines(struct u_buf *b, const struct file_text *t, const char *s, size_t n)
{
	static const char *const names[] = {"CRLF", "CR", "LF", "NEL"};
	struct counts c = {0};
	size_t v[4];
	bool any = false;

	count_lines(&c, t, s, n);
	if (c.longest > 300)
		u_buf_printf(b, ", with very long lines (%zu)", c.longest);
	v[0] = c.crlf, v[1] = c.cr, v[2] = c.lf, v[3] = c.nel;
	if (!c.crlf && !c.cr && !c.nel) {
		if (!c.lf)
			u_buf_puts(b, ", with no line terminators");
	} else {
		u_buf_puts(b, ", with");
		for (size_t i = 0; i < COUNTOF(names); i++) {
			if (v[i]) {
				u_buf_printf(b, "%s %s", any ? "," : "", names[i]);
				any = true;
			}
		}
		u_buf_puts(b, " line terminators");
	}
	if (c.escapes)
		u_buf_puts(b, ", with escape sequences");
	if (c.overstrikes)
		u_buf_puts(b, ", with overstriking");
}
