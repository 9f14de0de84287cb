/* error.c - what a program says when something is wrong, and how it ends. */
#include "state.h"

const char *u_name(struct proc *p)
{
	const char *name = sys_self(p)->name;

	return name ? name : "?";
}

int u_usage_status(struct proc *p)
{
	const struct cmd *c = u_state(p)->cmd;

	return c && c->usage_status ? c->usage_status : 1;
}

int u_failure_status(struct proc *p)
{
	const struct cmd *c = u_state(p)->cmd;

	return c && c->failure_status ? c->failure_status : u_usage_status(p);
}

/* One write: messages of procs that run side by side do not mix within a line. */
static void say(struct proc *p, struct u_buf *b)
{
	struct u_state *s = u_state(p);

	if (s->out.p)
		u_flush(&s->out);
	u_write_all(p, 2, b->ptr, b->len);
}

static void compose(struct u_buf *b, struct proc *p, int err, const char *fmt, va_list ap)
{
	struct u_buf_sink s = u_buf_sink(b);

	u_buf_init(b, p, 0);
	u_buf_puts(b, u_name(p));
	u_buf_puts(b, ": ");
	fmt_v(&s.sink, fmt, ap);
	if (err) {
		u_buf_puts(b, ": ");
		u_buf_puts(b, errno_text(err));
	}
	u_buf_putc(b, '\n');
}

void u_warn_v(struct proc *p, int err, const char *fmt, va_list ap)
{
	struct arena *a = &sys_self(p)->arena;
	struct arena_mark mark;
	struct u_buf b;

	/* Made now if it is not there yet, so that it outlives the message. */
	u_state(p);
	mark = arena_mark(a);
	compose(&b, p, err, fmt, ap);
	say(p, &b);
	arena_reset(a, mark);
}

void u_warn(struct proc *p, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	u_warn_v(p, err, fmt, ap);
	va_end(ap);
}

int u_finish(struct proc *p, int status)
{
	struct u_state *s = u_state(p);

	if (!s->out.p || s->dying)
		return status;
	s->dying = true;
	if (u_flush(&s->out) == 0)
		return status;
	if (!s->told)
		u_warn(p, s->out.err, "%s", s->cmd && s->cmd->lost_output ? s->cmd->lost_output : "write error");
	return u_failure_status(p);
}

void u_output_told(struct proc *p)
{
	u_state(p)->told = true;
}

void u_end_of_copy(struct proc *p)
{
	struct u_out *out = u_stdout(p);
	bool much = out->err < 0 || out->n > 4096; /* what stdio holds back */

	if (u_flush(out) >= 0 || !much)
		return;
	u_output_told(p);
	u_die(p, 1, out->err, "error writing %s", u_quote(p, "standard output"));
}

void u_exit(struct proc *p, int status)
{
	sys_exit(p, u_finish(p, status));
}

void u_die(struct proc *p, int status, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	u_warn_v(p, err, fmt, ap);
	va_end(ap);
	u_exit(p, status);
}

void u_try_help_as(struct proc *p, int status)
{
	const struct cmd *c = u_state(p)->cmd;
	struct u_buf b;

	u_buf_init(&b, p, 0);
	if (c && c->usage_line)
		u_buf_printf(&b, "Usage: %s %.*s\n", u_name(p), (int)strcspn(c->synopsis, "\n"),
		             c->synopsis);
	if (c && c->named_hint)
		u_buf_printf(&b, "%s: ", u_name(p));
	if (c && c->hint)
		u_buf_printf(&b, "%s\n", c->hint);
	else
		u_buf_printf(&b, "Try '%s --help' for more information.\n", u_name(p));
	say(p, &b);
	u_exit(p, status);
}

void u_try_help(struct proc *p)
{
	u_try_help_as(p, u_usage_status(p));
}

void u_help(struct proc *p)
{
	u_print_help(p, u_state(p)->cmd);
	u_exit(p, 0);
}

void u_version(struct proc *p)
{
	u_print_version(p, u_state(p)->cmd);
	u_exit(p, 0);
}

void u_usage(struct proc *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	u_warn_v(p, 0, fmt, ap);
	va_end(ap);
	u_try_help(p);
}
