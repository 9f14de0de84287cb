/* printf_escape.c - backslashes in printf's format and in %b. */
#include "escape.h"
#include "printf.h"

/* What an escape came to. */
enum escape_end { ESCAPE_OK, ESCAPE_NONE, ESCAPE_STOP };

/* ---- bash ------------------------------------------------------------------------------ */

/* *p is after the backslash and is moved after the escape. ESCAPE_NONE: nothing was put and the
 * backslash stands for itself. in_arg: %b. */
static enum escape_end escape_bash(struct printf_run *r, struct u_buf *b, const char **p,
                                   bool in_arg)
{
	const char *s = *p;
	char letter = *s == 'E' ? '\033' : escape_letter(*s);
	size_t n = strlen(s), used = 0;
	uint32_t v;

	if (letter) {
		u_buf_putc(b, letter);
		*p = s + 1;
		return ESCAPE_OK;
	}
	switch (*s) {
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
		used = escape_number(s, n, 8, *s == '0' && in_arg ? 4 : 3, &v);
		u_buf_putc(b, (char)v);
		break;
	case 'x':
		used = escape_number(s + 1, n - 1, 16, 2, &v);
		if (!used) {
			printf_warn(r, "missing hex digit for \\x");
			return ESCAPE_NONE;
		}
		u_buf_putc(b, (char)v);
		used++;
		break;
	case 'u':
	case 'U':
		used = escape_number(s + 1, n - 1, 16, *s == 'u' ? 4 : 8, &v);
		if (!used) {
			printf_warn(r, "missing unicode digit for \\%c", *s);
			return ESCAPE_NONE;
		}
		escape_put_char(b, v);
		used++;
		break;
	case '"':
	case '\'':
	case '?':
		if (in_arg)
			return ESCAPE_NONE;
		u_buf_putc(b, *s);
		used = 1;
		break;
	case 'c':
		if (!in_arg)
			return ESCAPE_NONE;
		return ESCAPE_STOP;
	default: return ESCAPE_NONE;
	}
	*p = s + used;
	return ESCAPE_OK;
}

/* ---- GNU --------------------------------------------------------------------------------- */

static enum escape_end die_gnu(struct printf_run *r, const char *text)
{
	printf_warn(r, "%s", text);
	r->status = 1;
	r->stop = true;
	return ESCAPE_STOP;
}

static enum escape_end unicode_gnu(struct printf_run *r, struct u_buf *b, const char **p)
{
	char kind = **p;
	size_t digits = kind == 'u' ? 4 : 8;
	uint32_t v;

	if (escape_number(*p + 1, strlen(*p + 1), 16, digits, &v) < digits)
		return die_gnu(r, "missing hexadecimal number in escape");
	*p += digits + 1;
	/* As in C: no basic characters, no surrogates. */
	if ((v <= 0x9f && v != 0x24 && v != 0x40 && v != 0x60) || (v >= 0xd800 && v <= 0xdfff)) {
		printf_warn(r, "invalid universal character name \\%c%0*x", kind, (int)digits, v);
		r->status = 1;
		r->stop = true;
		return ESCAPE_STOP;
	}
	if (v > 0x10ffff)
		u_buf_printf(b, "\\U%08X", v);
	else if (u_utf8(r->h->p))
		escape_put_char(b, v);
	else
		u_buf_printf(b, v < 0x10000 ? "\\u%04X" : "\\U%08X", v);
	return ESCAPE_OK;
}

static enum escape_end escape_gnu(struct printf_run *r, struct u_buf *b, const char **p,
                                  bool in_arg)
{
	const char *s = *p;
	char letter = escape_letter(*s);
	size_t used;
	uint32_t v;

	if (letter || *s == '"') {
		u_buf_putc(b, letter ? letter : '"');
		*p = s + 1;
		return ESCAPE_OK;
	}
	switch (*s) {
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
		used = escape_number(s, strlen(s), 8, *s == '0' && in_arg ? 4 : 3, &v);
		u_buf_putc(b, (char)v);
		*p = s + used;
		return ESCAPE_OK;
	case 'x':
		used = escape_number(s + 1, strlen(s + 1), 16, 2, &v);
		if (!used)
			return die_gnu(r, "missing hexadecimal number in escape");
		u_buf_putc(b, (char)v);
		*p = s + 1 + used;
		return ESCAPE_OK;
	case 'c':
		/* An end like any other, whatever went wrong before. */
		r->stop = true;
		r->status = 0;
		return ESCAPE_STOP;
	case 'u':
	case 'U': return unicode_gnu(r, b, p);
	default: return ESCAPE_NONE;
	}
}

static enum escape_end escape(struct printf_run *r, struct u_buf *b, const char **p, bool in_arg)
{
	enum escape_end e = r->h->bash_style ? escape_bash(r, b, p, in_arg)
	                                     : escape_gnu(r, b, p, in_arg);

	if (e == ESCAPE_NONE)
		u_buf_putc(b, '\\');
	return e;
}

const char *printf_format_escape(struct printf_run *r, const char *p)
{
	if (escape(r, r->h->out, &p, false) == ESCAPE_STOP)
		r->stop = true;
	printf_emit(r, "", 0);
	return p;
}

bool printf_escaped(struct printf_run *r, struct u_buf *b, const char *s)
{
	for (;;) {
		size_t n = strcspn(s, "\\");

		u_buf_put(b, s, n);
		s += n;
		if (!*s)
			return true;
		s++;
		if (escape(r, b, &s, true) == ESCAPE_STOP)
			return false;
		sys_checkpoint(r->h->p);
	}
}
