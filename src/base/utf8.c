/* utf8.c - characters in bytes: decode, encode, widths, classes, case.
 *
 * ASCII is answered without the tables; everything else by two look-ups in utf8_table.c. */
#include "utf8.h"
#include "utf8_table.h"

#define LAST 0x10ffffu

uint32_t utf8_decode(const char *s, size_t n, unsigned *len)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t c = p[0], min;
	unsigned more;

	*len = 1;
	if (c < 0x80)
		return c;
	if (c < 0xc2 || c > 0xf4)
		return UTF8_BAD;
	more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	if (n <= more)
		return UTF8_BAD;
	min = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;
	c &= 0x3fu >> more;
	for (unsigned i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return UTF8_BAD;
		c = c << 6 | (p[i] & 0x3fu);
	}
	if (c < min || c > LAST || (c >= 0xd800 && c < 0xe000))
		return UTF8_BAD;
	*len = more + 1;
	return c;
}

unsigned utf8_encode(uint32_t c, char buf[6])
{
	unsigned n = c < 0x80        ? 1
	             : c < 0x800     ? 2
	             : c < 0x10000   ? 3
	             : c < 0x200000  ? 4
	             : c < 0x4000000 ? 5
	                             : 6;

	if (n == 1) {
		buf[0] = (char)c;
		return 1;
	}
	for (unsigned i = n - 1; i > 0; i--) {
		buf[i] = (char)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	buf[0] = (char)((0xff00u >> n) | c);
	return n;
}

/* The length of the run of ASCII bytes at s. */
static size_t ascii_run(const char *s, size_t n)
{
	size_t i = 0;

	while (n - i >= 8) {
		uint64_t w;

		memcpy(&w, s + i, 8);
		if (w & 0x8080808080808080u)
			break;
		i += 8;
	}
	while (i < n && (unsigned char)s[i] < 0x80)
		i++;
	return i;
}

size_t utf8_count(const char *s, size_t n)
{
	size_t count = 0, i = 0;
	unsigned len;

	while (i < n) {
		size_t run = ascii_run(s + i, n - i);

		count += run;
		i += run;
		if (i == n)
			break;
		utf8_decode(s + i, n - i, &len);
		i += len;
		count++;
	}
	return count;
}

size_t utf8_offset(const char *s, size_t n, size_t i)
{
	size_t at = 0;
	unsigned len;

	while (at < n && i) {
		size_t run = ascii_run(s + at, MIN(n - at, i));

		at += run;
		i -= run;
		if (at == n || i == 0)
			break;
		utf8_decode(s + at, n - at, &len);
		at += len;
		i--;
	}
	return at;
}

static const struct utf8_prop *prop_of(uint32_t c)
{
	size_t page = utf8_prop_index[c / UTF8_PAGE];

	return &utf8_prop[utf8_prop_page[page * UTF8_PAGE + c % UTF8_PAGE]];
}

static const struct utf8_case *case_of(uint32_t c)
{
	size_t page = utf8_case_index[c / UTF8_PAGE];

	return &utf8_case[utf8_case_page[page * UTF8_PAGE + c % UTF8_PAGE]];
}

int utf8_width(uint32_t c)
{
	if (c >= 0x20 && c < 0x7f)
		return 1;
	return c > LAST ? -1 : prop_of(c)->width;
}

size_t utf8_columns(const char *s, size_t n)
{
	size_t columns = 0;
	unsigned len;

	for (size_t i = 0; i < n; i += len) {
		uint32_t c = utf8_decode(s + i, n - i, &len);
		int w = c == UTF8_BAD ? 1 : utf8_width(c);

		columns += w > 0 ? (size_t)w : 0;
	}
	return columns;
}

uint32_t utf8_tolower(uint32_t c)
{
	if (c < 0x80)
		return (uint32_t)ascii_tolower((int)c);
	return c > LAST ? c : (uint32_t)((int32_t)c + case_of(c)->lower);
}

uint32_t utf8_toupper(uint32_t c)
{
	if (c < 0x80)
		return (uint32_t)ascii_toupper((int)c);
	return c > LAST ? c : (uint32_t)((int32_t)c + case_of(c)->upper);
}

bool utf8_is(uint32_t c, enum utf8_class k)
{
	return c <= LAST && (prop_of(c)->classes >> k & 1);
}

int utf8_class_named(const char *name, size_t n)
{
	static const char names[UTF8_NCLASSES][8] = {
	        "alpha", "alnum", "upper", "lower", "digit", "xdigit",
	        "space", "blank", "punct", "print", "graph", "cntrl",
	};

	for (int i = 0; i < UTF8_NCLASSES; i++) {
		if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
			return i;
	}
	return -1;
}
