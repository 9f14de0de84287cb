/* message.c - what tar says, and how names look in it. */
#include "tar.h"

/* ---- Messages ------------------------------------------------------------------------------ */

void tar_usage(struct tar *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	u_warn_v(t->p, 0, fmt, ap);
	va_end(ap);
	u_try_help_as(t->p, 2);
}

static void end_dots(struct tar *t)
{
	u_flush(t->list);
	if (t->checkpoint_dots && t->list->fd == 1)
		t->checkpoint_dots = false;
}

void tar_warn(struct tar *t, int err, const char *fmt, ...)
{
	va_list ap;

	end_dots(t);
	va_start(ap, fmt);
	u_warn_v(t->p, err, fmt, ap);
	va_end(ap);
}

void tar_error(struct tar *t, int err, const char *fmt, ...)
{
	va_list ap;

	end_dots(t);
	va_start(ap, fmt);
	u_warn_v(t->p, err, fmt, ap);
	va_end(ap);
	t->status = 2;
}

void tar_quit(struct tar *t)
{
	void (*finish)(struct tar *) = t->finish;

	u_flush(t->list);
	t->finish = NULL;
	if (finish)
		finish(t);
	u_warn(t->p, 0, "Error is not recoverable: exiting now");
	u_exit(t->p, 2);
}

void tar_fatal(struct tar *t, int err, const char *fmt, ...)
{
	va_list ap;

	u_flush(t->list);
	va_start(ap, fmt);
	u_warn_v(t->p, err, fmt, ap);
	va_end(ap);
	tar_quit(t);
}

/* ---- Names as they are shown ------------------------------------------------------------------- */

static void put_escaped(struct u_buf *b, const char *s, size_t n)
{
	static const char from[] = "\a\b\f\n\r\t\v\\", to[] = "abfnrtv\\";

	for (size_t i = 0; i < n; i++) {
		const char *hit = s[i] ? strchr(from, s[i]) : NULL;

		if (hit)
			u_buf_printf(b, "\\%c", to[hit - from]);
		else
			u_buf_printf(b, "\\%03o", (unsigned char)s[i]);
	}
}

static const char *quote(struct tar *t, const char *name, bool colon)
{
	bool utf8 = u_utf8(t->p);
	size_t n = strlen(name);
	struct u_buf b;

	if (t->quoting == TAR_QUOTE_LITERAL)
		return name;
	u_buf_init(&b, t->p, 0);
	for (size_t i = 0; i < n;) {
		unsigned len = 1;
		unsigned char c = (unsigned char)name[i];
		uint32_t u = c < 0x80 ? c : utf8 ? utf8_decode(name + i, n - i, &len) : UTF8_BAD;

		sys_checkpoint(t->p);
		if (u == '\\' || (c < 0x80 && !ascii_print(c)) || (c >= 0x80 && (u == UTF8_BAD || !utf8_is(u, UTF8_PRINT))))
			put_escaped(&b, name + i, len);
		else if (colon && c == ':')
			u_buf_puts(&b, "\\:");
		else
			u_buf_put(&b, name + i, len);
		i += len;
	}
	return b.len ? b.ptr : "";
}

const char *tar_quote(struct tar *t, const char *name)
{
	return quote(t, name, false);
}

const char *tar_quote_colon(struct tar *t, const char *name)
{
	return quote(t, name, true);
}
