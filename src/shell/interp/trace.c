/*
 * trace.c - what set -x prints.
 *
 * A line is $PS4 (its first character once more for every subshell and eval around), then the
 * command as it will run, each word quoted so that the line could be typed. It goes to
 * descriptor 2, or to the one BASH_XTRACEFD names.
 */
#include "interp.h"

/* ---- Quoting -------------------------------------------------------------------- */

static bool needs_quotes(const char *s)
{
	for (const char *p = s; *p; p++) {
		switch (*p) {
		case ' ':
		case '\t':
		case '\n':
		case '\'':
		case '"':
		case '\\':
		case '|':
		case '&':
		case ';':
		case '(':
		case ')':
		case '<':
		case '>':
		case '!':
		case '{':
		case '}':
		case '*':
		case '[':
		case '?':
		case ']':
		case '^':
		case '$':
		case '`': return true;
		case '~':
			if (p == s || p[-1] == '=' || p[-1] == ':')
				return true;
			break;
		case '#':
			if (p == s)
				return true;
			break;
		default: break;
		}
	}
	return false;
}

static bool has_controls(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return true;
	return false;
}

static void single_quote(struct u_buf *b, const char *s)
{
	if (s[0] == '\'' && s[1] == '\0') {
		u_buf_puts(b, "\\'");
		return;
	}
	u_buf_putc(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			u_buf_puts(b, "'\\''");
		else
			u_buf_putc(b, *s);
	}
	u_buf_putc(b, '\'');
}

static void quoted(struct u_buf *b, const char *s)
{
	if (*s == '\0')
		u_buf_puts(b, "''");
	else if (needs_quotes(s))
		single_quote(b, s);
	else if (has_controls(s))
		u_shell_quote(b, s, strlen(s));
	else
		u_buf_puts(b, s);
}

/* ---- Lines ------------------------------------------------------------------------ */

static void begin(struct shell *sh, struct u_buf *b)
{
	char buf[VALUE_BUF];
	struct str ps4, text;
	struct expander saved = sh->x;
	int status = sh->st->status;
	uint8_t pipe_one = sh->st->pipe_one;
	uint64_t opts = sh->st->opts;
	unsigned n = 1;

	u_buf_init(b, sh->p, 0);
	if (!state_get(sh->st, STR("PS4"), buf, &ps4) || ps4.len == 0)
		return;
	text = (struct str){u_strndup(sh->p, ps4.ptr, ps4.len), ps4.len};
	if (memchr(text.ptr, '$', text.len) || memchr(text.ptr, '`', text.len) ||
	    memchr(text.ptr, '\\', text.len)) {
		sh->st->opts &= ~SET_XTRACE;
		if (!expand_prompt(&sh->x, text, &text))
			text = ps4;
		sh->x = saved;
		sh->st->opts = opts;
		sh->st->status = status;
		sh->st->pipe_one = pipe_one;
	}
	if (text.len == 0)
		return;
	if (!utf8_decode(text.ptr, text.len, &n) || n == 0)
		n = 1;
	for (unsigned i = 0; i < sh->trace_depth; i++)
		u_buf_put(b, text.ptr, n);
	u_buf_put(b, text.ptr, text.len);
}

static void end(struct shell *sh, struct u_buf *b)
{
	char buf[VALUE_BUF];
	struct str s;
	int fd = 2;

	u_buf_putc(b, '\n');
	if (state_get(sh->st, STR("BASH_XTRACEFD"), buf, &s) && s.len && s.len < 6) {
		int n = 0;
		size_t i = 0;

		for (; i < s.len && ascii_digit((unsigned char)s.ptr[i]); i++)
			n = n * 10 + (s.ptr[i] - '0');
		if (i == s.len && sys_fd_flags(sh->p, n) >= 0)
			fd = n;
	}
	u_flush(&sh->out);
	(void)!u_write_all(sh->p, fd, b->ptr, b->len);
}

void trace_words(struct shell *sh, char *const *argv, size_t n)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	struct u_buf b;

	begin(sh, &b);
	for (size_t i = 0; i < n; i++) {
		if (i)
			u_buf_putc(&b, ' ');
		quoted(&b, argv[i]);
	}
	end(sh, &b);
	arena_reset(a, mark);
}

void trace_text(struct shell *sh, const char *text)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	struct u_buf b;

	begin(sh, &b);
	u_buf_puts(&b, text);
	end(sh, &b);
	arena_reset(a, mark);
}

void trace_value(struct shell *sh, struct str target, bool append, struct str value)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	struct u_buf b;

	begin(sh, &b);
	u_buf_put(&b, target.ptr, target.len);
	u_buf_puts(&b, append ? "+=" : "=");
	if (value.len)
		quoted(&b, u_strndup(sh->p, value.ptr, value.len));
	end(sh, &b);
	arena_reset(a, mark);
}

void array_literal_put(struct u_buf *b, const struct array_lit *lit)
{
	u_buf_putc(b, '(');
	for (uint32_t i = 0; i < lit->n; i++) {
		const struct array_item *it = &lit->items[i];

		if (i)
			u_buf_putc(b, ' ');
		if (it->sub)
			u_buf_printf(b, "[%.*s]%s", (int)it->sub->raw.len, it->sub->raw.ptr, it->append ? "+=" : "=");
		u_buf_put(b, it->value.raw, it->value.raw_len);
	}
	u_buf_putc(b, ')');
}

void trace_array(struct shell *sh, const struct assign *as)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	struct u_buf b;

	begin(sh, &b);
	u_buf_put(&b, as->name.ptr, as->name.len);
	u_buf_puts(&b, as->append ? "+=" : "=");
	array_literal_put(&b, as->array);
	end(sh, &b);
	arena_reset(a, mark);
}

void trace_array_value(struct shell *sh, struct str name, bool append, size_t n)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	const struct var *v = state_find(sh->st, name);
	struct varray_view values, keys;
	struct u_buf b;

	begin(sh, &b);
	u_buf_put(&b, name.ptr, name.len);
	u_buf_puts(&b, append ? "+=(" : "=(");
	if (v && array_values(&sh->x, name, &values, &keys))
		for (size_t first = append && n < values.n ? values.n - n : 0, i = first;
		     i < values.n; i++) {
			if (i > first)
				u_buf_putc(&b, ' ');
			if (v->flags & VAR_ASSOC) {
				u_buf_putc(&b, '[');
				single_quote(&b, u_strndup(sh->p, keys.v[i].ptr, keys.v[i].len));
				u_buf_puts(&b, "]=");
			}
			single_quote(&b, u_strndup(sh->p, values.v[i].ptr, values.v[i].len));
		}
	u_buf_putc(&b, ')');
	end(sh, &b);
	arena_reset(a, mark);
}

void trace_for(struct shell *sh, const struct cmd_for *c)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	struct u_buf b;

	begin(sh, &b);
	u_buf_printf(&b, "%s %.*s in", c->cmd.kind == CMD_SELECT ? "select" : "for",
	             (int)c->name.len, c->name.ptr);
	for (uint32_t i = 0; i < c->nwords; i++) {
		u_buf_putc(&b, ' ');
		u_buf_put(&b, c->words[i].raw, c->words[i].raw_len);
	}
	if (!c->has_in)
		u_buf_puts(&b, " \"$@\"");
	end(sh, &b);
	arena_reset(a, mark);
}

void trace_case(struct shell *sh, const struct cmd_case *c)
{
	trace_text(sh, u_format(sh->p, "case %.*s in", (int)c->word->raw_len, c->word->raw));
}

void trace_arith(struct shell *sh, struct str text)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);

	trace_text(sh, u_format(sh->p, "(( %.*s ))", (int)text.len, text.ptr));
	arena_reset(a, mark);
}

void trace_cond(struct shell *sh, const char *op, const char *left, const char *right, bool negated)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	struct u_buf b;

	begin(sh, &b);
	u_buf_puts(&b, negated ? "[[ ! " : "[[ ");
	if (right) {
		u_buf_printf(&b, "%s %s %s", *left ? left : "''", op, *right ? right : "''");
	} else {
		u_buf_printf(&b, "%s %s", op, *left ? left : "''");
	}
	u_buf_puts(&b, " ]]");
	end(sh, &b);
	arena_reset(a, mark);
}
