/*
 * error.c - how the shell words its complaints.
 *
 * bash's shape: the script's name (a function's is that of the file it came from), the line,
 * the text. Messages go straight to descriptor 2, after the lines that the builtin has written but
 * before one that it has not ended (bash's stdout is line buffered), in one write, so that they never mix with another proc's.
 */
#include "interp.h"

/* ---- Names ---------------------------------------------------------------- */

const char *shell_error_name(struct shell *sh)
{
	for (const struct frame *f = sh->st->frame; f; f = f->up) {
		if (f->kind == FRAME_FUNCTION)
			return f->func && f->func->source ? f->func->source->s : "environment";
		if ((f->kind == FRAME_SOURCE || f->kind == FRAME_MAIN) && f->source)
			return f->source->s;
	}
	return sh->st->arg0 ? sh->st->arg0->s : "bash";
}

/* ---- Output ---------------------------------------------------------------- */

static void emit(struct shell *sh, const struct u_buf *b)
{
	u_flush_lines(&sh->out);
	(void)!u_write_all(sh->p, 2, b->ptr, b->len);
}

static void prefix(struct shell *sh, struct u_buf *b, uint32_t line)
{
	u_buf_init(b, sh->p, 0);
	u_buf_puts(b, shell_error_name(sh));
	u_buf_puts(b, ": ");
	if (!sh->interactive)
		u_buf_printf(b, "line %u: ", line);
}

static void say(struct shell *sh, const char *who, const char *fmt, va_list ap)
{
	struct arena_mark mark = arena_mark(&sys_self(sh->p)->arena);
	struct u_buf b;
	char text[256];
	va_list again;
	size_t n;

	prefix(sh, &b, sh->st->line);
	if (who) {
		u_buf_puts(&b, who);
		u_buf_puts(&b, ": ");
	}
	va_copy(again, ap);
	n = fmt_buf_v(text, sizeof text, fmt, ap);
	if (n < sizeof text) {
		u_buf_put(&b, text, n);
	} else {
		u_buf_reserve(&b, n + 1);
		fmt_buf_v(b.ptr + b.len, n + 1, fmt, again);
		b.len += n;
	}
	va_end(again);
	u_buf_putc(&b, '\n');
	emit(sh, &b);
	arena_reset(&sys_self(sh->p)->arena, mark);
}

void shell_error(struct shell *sh, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(sh, NULL, fmt, ap);
	va_end(ap);
}

void builtin_error(struct shell *sh, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(sh, sh->builtin_name, fmt, ap);
	va_end(ap);
}

void shell_report(struct shell *sh, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(sh, NULL, fmt, ap);
	va_end(ap);
	if (!shell_ends_at_mistake(sh))
		return;
	sh->exits_in_place = true;
	shell_exit(sh, shell_status(sh) ? shell_status(sh) : 1);
}

void builtin_assign_error(struct shell *sh, const char *name, int error)
{
	if (error == VAR_E_READONLY || error == VAR_E_SUBSCRIPT)
		shell_report(sh, "%s: %s", name, var_error_text(error));
	else
		builtin_error(sh, "%s: %s", name, var_error_text(error));
}

void shell_warn_at(struct shell *sh, uint32_t line, const char *text)
{
	struct arena_mark mark = arena_mark(&sys_self(sh->p)->arena);
	struct u_buf b;

	prefix(sh, &b, line);
	u_buf_puts(&b, "warning: ");
	u_buf_puts(&b, text);
	u_buf_putc(&b, '\n');
	emit(sh, &b);
	arena_reset(&sys_self(sh->p)->arena, mark);
}

/* ---- Syntax errors ----------------------------------------------------------- */

void shell_parse_error(struct shell *sh, const struct parse_error *e, const char *input)
{
	const char *name = shell_error_name(sh);
	struct u_buf b;

	u_buf_init(&b, sh->p, 0);
	for (uint32_t i = 0; i < e->nlines; i++) {
		u_buf_puts(&b, name);
		u_buf_puts(&b, ": ");
		if (!sh->interactive) {
			if (input && !streq(input, name)) {
				u_buf_puts(&b, input);
				u_buf_puts(&b, ": ");
			}
			u_buf_printf(&b, "line %u: ", e->lines[i].line);
		}
		u_buf_put(&b, e->lines[i].text.ptr, e->lines[i].text.len);
		u_buf_putc(&b, '\n');
	}
	emit(sh, &b);
}
