/* quote.c - names in messages and listings, as GNU's tools quote them.
 *
 * Two languages. u_quote is for sentences: 'it\'s', with C escapes. u_quote_file and
 * u_quote_if_needed write what a shell reads back: plain, "it's", 'a b' or 'a'$'\n''b'. */
#include "state.h"

/* One character of the text and whether it can be shown as it is. */
struct shown {
	unsigned len;
	bool printable;
};

static struct shown look(const char *s, size_t n, bool utf8)
{
	struct shown c = {1, ascii_print((unsigned char)s[0])};

	if (utf8 && (unsigned char)s[0] >= 0x80) {
		uint32_t u = utf8_decode(s, n, &c.len);

		c.printable = u != UTF8_BAD && utf8_is(u, UTF8_PRINT);
	}
	return c;
}

/* The letter of a C escape for `c`, 0 when it has none. */
static char escape_letter(char c)
{
	switch (c) {
	case '\a': return 'a';
	case '\b': return 'b';
	case '\f': return 'f';
	case '\n': return 'n';
	case '\r': return 'r';
	case '\t': return 't';
	case '\v': return 'v';
	default: return 0;
	}
}

static void put_escape(struct u_buf *b, char c)
{
	char letter = escape_letter(c);
	unsigned u = (unsigned char)c;

	u_buf_putc(b, '\\');
	if (letter) {
		u_buf_putc(b, letter);
		return;
	}
	u_buf_putc(b, (char)('0' + (u >> 6)));
	u_buf_putc(b, (char)('0' + (u >> 3 & 7)));
	u_buf_putc(b, (char)('0' + (u & 7)));
}

const char *u_quote_n(struct proc *p, const char *s, size_t n)
{
	bool utf8 = u_utf8(p);
	struct u_buf b;
	struct shown c;

	u_buf_init(&b, p, 0);
	u_buf_reserve(&b, n + 2);
	u_buf_putc(&b, '\'');
	for (size_t i = 0; i < n; i += c.len) {
		c = look(s + i, n - i, utf8);
		if (!c.printable) {
			for (unsigned k = 0; k < c.len; k++)
				put_escape(&b, s[i + k]);
			continue;
		}
		if (s[i] == '\'' || s[i] == '\\')
			u_buf_putc(&b, '\\');
		u_buf_put(&b, s + i, c.len);
	}
	u_buf_putc(&b, '\'');
	return b.ptr;
}

const char *u_quote(struct proc *p, const char *s)
{
	return u_quote_n(p, s, strlen(s));
}

/* ---- For the shell ------------------------------------------------------------- */

struct needs {
	bool quotes;    /* some quoting is needed */
	bool escapes;   /* there is something that cannot be shown */
	bool single;    /* there is a ' */
	bool double_ok; /* "..." would do: nothing in it is special there, or anywhere */
};

static struct needs examine(const char *s, size_t n, bool utf8)
{
	struct needs r = {.quotes = n == 0, .double_ok = true};
	struct shown c;

	for (size_t i = 0; i < n; i += c.len) {
		c = look(s + i, n - i, utf8);
		if (!c.printable) {
			r.escapes = r.quotes = true;
			r.double_ok = false;
		} else if (s[i] == '\'') {
			r.single = r.quotes = true;
		} else if (s[i] == ' ') {
			r.quotes = true;
		} else if (strchr("!\"$&()*;<=>?[\\^`|", s[i])) {
			r.quotes = true;
			r.double_ok = false;
		} else if (strchr("#~{}", s[i])) {
			bool brace = s[i] == '{' || s[i] == '}';

			r.quotes |= brace ? n == 1 : i == 0;
			r.double_ok = false;
		}
	}
	return r;
}

static void put_single_quoted(struct u_buf *b, const char *s, size_t n, bool utf8)
{
	bool in_escape = false;
	struct shown c;

	u_buf_putc(b, '\'');
	for (size_t i = 0; i < n; i += c.len) {
		c = look(s + i, n - i, utf8);
		if (!c.printable) {
			if (!in_escape)
				u_buf_puts(b, "'$'");
			in_escape = true;
			for (unsigned k = 0; k < c.len; k++)
				put_escape(b, s[i + k]);
			continue;
		}
		if (s[i] == '\'') {
			u_buf_puts(b, "'\\''");
			in_escape = false;
			continue;
		}
		if (in_escape)
			u_buf_puts(b, "''");
		in_escape = false;
		u_buf_put(b, s + i, c.len);
	}
	u_buf_putc(b, '\'');
}

static const char *quote_for_shell(struct proc *p, const char *s, bool always)
{
	bool utf8 = u_utf8(p);
	size_t n = strlen(s);
	struct needs r = examine(s, n, utf8);
	struct u_buf b;

	if (!r.quotes && !always)
		return s;
	u_buf_init(&b, p, 0);
	if (r.single && r.double_ok) {
		u_buf_putc(&b, '"');
		u_buf_put(&b, s, n);
		u_buf_putc(&b, '"');
	} else {
		put_single_quoted(&b, s, n, utf8);
	}
	return b.ptr;
}

const char *u_quote_file(struct proc *p, const char *s)
{
	return quote_for_shell(p, s, true);
}

const char *u_quote_if_needed(struct proc *p, const char *s)
{
	return quote_for_shell(p, s, false);
}
