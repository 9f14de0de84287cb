/* shquote.c - text as a shell reads it back: bash's printf %q, ${x@Q} and declare -p. */
#include "user.h"

/* True when quotes are not enough and $'...' must be used: something does not print. */
static bool needs_ansi(const char *s, size_t n)
{
	unsigned len;

	for (size_t i = 0; i < n; i += len) {
		uint32_t c = utf8_decode(s + i, n - i, &len);

		if (c == UTF8_BAD || !utf8_is(c, UTF8_PRINT))
			return true;
	}
	return false;
}

static void put_octal(struct u_buf *b, unsigned char c)
{
	char text[4] = {'\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)),
	                (char)('0' + (c & 7))};

	u_buf_put(b, text, 4);
}

static void put_ansi(struct u_buf *b, const char *s, size_t n)
{
	static const char letters[] = "abtnvfr";
	unsigned len;

	u_buf_puts(b, "$'");
	for (size_t i = 0; i < n; i += len) {
		uint32_t c = utf8_decode(s + i, n - i, &len);

		if (c >= 7 && c <= 13) {
			u_buf_putc(b, '\\');
			u_buf_putc(b, letters[c - 7]);
		} else if (c == 033) {
			u_buf_puts(b, "\\E");
		} else if (c == '\\' || c == '\'') {
			u_buf_putc(b, '\\');
			u_buf_putc(b, (char)c);
		} else if (c == UTF8_BAD || !utf8_is(c, UTF8_PRINT)) {
			for (unsigned k = 0; k < len; k++)
				put_octal(b, (unsigned char)s[i + k]);
		} else {
			u_buf_put(b, s + i, len);
		}
	}
	u_buf_putc(b, '\'');
}

void u_shell_quote(struct u_buf *b, const char *s, size_t n)
{
	if (n == 0) {
		u_buf_puts(b, "''");
		return;
	}
	if (needs_ansi(s, n)) {
		put_ansi(b, s, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		bool special = s[i] && strchr(" '\"\\|&;()<>!{}*[]?^$`,", s[i]);

		special |= s[i] == '#' && i == 0;
		special |= s[i] == '~' && (i == 0 || s[i - 1] == ':' || s[i - 1] == '=');
		if (special)
			u_buf_putc(b, '\\');
		u_buf_putc(b, s[i]);
	}
}

void u_shell_quote_single(struct u_buf *b, const char *s, size_t n)
{
	if (needs_ansi(s, n)) {
		put_ansi(b, s, n);
		return;
	}
	if (n == 1 && s[0] == '\'') {
		u_buf_puts(b, "\\'");
		return;
	}
	u_buf_putc(b, '\'');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\'')
			u_buf_puts(b, "'\\''");
		else
			u_buf_putc(b, s[i]);
	}
	u_buf_putc(b, '\'');
}

void u_shell_quote_double(struct u_buf *b, const char *s, size_t n)
{
	if (needs_ansi(s, n)) {
		put_ansi(b, s, n);
		return;
	}
	u_buf_putc(b, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"' || s[i] == '\\' || s[i] == '$' || s[i] == '`')
			u_buf_putc(b, '\\');
		u_buf_putc(b, s[i]);
	}
	u_buf_putc(b, '"');
}
