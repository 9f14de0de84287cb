/* echo.c - the escapes of echo -e. bash and GNU's echo differ in a few of them. */
#include "escape.h"

int escape_digit(char c, int base)
{
	int v = ascii_digit((unsigned char)c)    ? c - '0'
	        : ascii_xdigit((unsigned char)c) ? ascii_tolower(c) - 'a' + 10
	                                         : 99;

	return v < base ? v : -1;
}

size_t escape_number(const char *s, size_t n, int base, size_t max, uint32_t *v)
{
	size_t i = 0;

	*v = 0;
	while (i < n && i < max && escape_digit(s[i], base) >= 0)
		*v = *v * (uint32_t)base + (uint32_t)escape_digit(s[i++], base);
	return i;
}

char escape_letter(char c)
{
	switch (c) {
	case 'a': return '\a';
	case 'b': return '\b';
	case 'e': return '\033';
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	case 'v': return '\v';
	case '\\': return '\\';
	default: return 0;
	}
}

void escape_put_char(struct u_buf *b, uint32_t c)
{
	char utf8[6];

	/* UTF-8 could once say 31 bits; beyond that there is nothing to write. */
	if (c <= 0x7fffffff)
		u_buf_put(b, utf8, utf8_encode(c, utf8));
}

/* What follows a backslash (n > 0 bytes at s): bytes used; 0 when it is no escape. */
static size_t one_escape(struct u_buf *b, const char *s, size_t n, bool bash_style)
{
	char letter = *s == 'E' && bash_style ? '\033' : escape_letter(*s);
	size_t used;
	uint32_t v;

	if (letter) {
		u_buf_putc(b, letter);
		return 1;
	}
	switch (*s) {
	case '0':
		used = escape_number(s + 1, n - 1, 8, 3, &v);
		u_buf_putc(b, (char)v);
		return used + 1;
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
		if (bash_style)
			return 0;
		used = escape_number(s, n, 8, 3, &v);
		u_buf_putc(b, (char)v);
		return used;
	case 'x':
		used = escape_number(s + 1, n - 1, 16, 2, &v);
		if (used)
			u_buf_putc(b, (char)v);
		return used ? used + 1 : 0;
	case 'u':
	case 'U':
		used = bash_style ? escape_number(s + 1, n - 1, 16, *s == 'u' ? 4 : 8, &v) : 0;
		if (used)
			escape_put_char(b, v);
		return used ? used + 1 : 0;
	default: return 0;
	}
}

bool u_echo_escape(struct u_buf *b, const char *s, size_t n, bool bash_style)
{
	size_t i = 0;

	while (i < n) {
		const char *back = memchr(s + i, '\\', n - i);
		size_t plain = back ? (size_t)(back - s) - i : n - i, used;

		u_buf_put(b, s + i, plain);
		i += plain;
		if (i == n)
			break;
		i++;
		if (i < n && s[i] == 'c')
			return false;
		used = i < n ? one_escape(b, s + i, n - i, bash_style) : 0;
		if (!used)
			u_buf_putc(b, '\\');
		i += used;
	}
	return true;
}
