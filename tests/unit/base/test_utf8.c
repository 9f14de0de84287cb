/* test_utf8.c - characters against the C library's C.UTF-8 (left out where there is none). */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "../../../src/base/utf8.h"

static long failures;

static void check(bool ok, const char *what, uint32_t c)
{
	if (!ok && failures++ < 10)
		fprintf(stderr, "%s: U+%04X\n", what, c);
}

static void test_tables(void)
{
	static const char *const names[] = {
		"alpha", "alnum", "upper", "lower", "digit", "xdigit", "space", "blank", "punct", "print", "graph", "cntrl",
	};

	if (!setlocale(LC_ALL, "C.UTF-8"))
		return;
	for (uint32_t c = 0; c < 0x110000; c++) {
		if (c >= 0xd800 && c < 0xe000)
			continue;
		for (int k = 0; k < UTF8_NCLASSES; k++)
			check(utf8_is(c, (enum utf8_class)k) == !!iswctype((wint_t)c, wctype(names[k])), names[k], c);
		check(utf8_width(c) == wcwidth((wchar_t)c), "width", c);
		check(utf8_tolower(c) == (uint32_t)towlower((wint_t)c), "lower", c);
		check(utf8_toupper(c) == (uint32_t)towupper((wint_t)c), "upper", c);
	}
	for (int k = 0; k < UTF8_NCLASSES; k++)
		check(utf8_class_named(names[k], strlen(names[k])) == k, names[k], 0);
	check(utf8_class_named("word", 4) == -1, "word", 0);
}

static void test_coding(void)
{
	char buf[6];
	unsigned len;

	for (uint32_t c = 0; c < 0x110000; c++) {
		bool valid = c < 0xd800 || c >= 0xe000;
		unsigned n = utf8_encode(c, buf);

		check((utf8_decode(buf, n, &len) == c) == valid, "decode", c);
		check(len == (valid ? n : 1), "length", c);
		/* Cut short, the first byte is bad. */
		if (n > 1)
			check(utf8_decode(buf, n - 1, &len) == UTF8_BAD && len == 1, "cut", c);
	}
	check(utf8_decode("\xc0\x80", 2, &len) == UTF8_BAD, "overlong", 0);
	check(utf8_decode("\xe0\x80\x80", 3, &len) == UTF8_BAD, "overlong", 0);
	check(utf8_decode("\xf4\x90\x80\x80", 4, &len) == UTF8_BAD, "too large", 0x110000);
	check(utf8_decode("\x80", 1, &len) == UTF8_BAD && len == 1, "tail", 0);
}

static void test_counting(void)
{
	static const char s[] = "aaaaaaaaaaaaaaaaaaaaa\xc3\xa9\xff\xe4\xb8\xad" "b\xcc\x81";
	size_t n = sizeof(s) - 1;

	check(utf8_count(s, n) == 26, "count", 0);
	check(utf8_offset(s, n, 21) == 21, "offset", 21);
	check(utf8_offset(s, n, 22) == 23, "offset", 22);
	check(utf8_offset(s, n, 23) == 24, "offset", 23);
	check(utf8_offset(s, n, 24) == 27, "offset", 24);
	check(utf8_offset(s, n, 99) == n, "offset", 99);
	check(utf8_columns(s, n) == 26, "columns", 0);
}

int main(void)
{
	test_tables();
	test_coding();
	test_counting();
	if (failures)
		fprintf(stderr, "%ld failed\n", failures);
	return failures != 0;
}
