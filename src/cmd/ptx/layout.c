/* layout.c - the lines of ptx: four fields around a key, cut to the width there is. */
#include "ptx.h"

struct field {
	const char *start, *end;
	bool cut;
};

struct line {
	struct field tail, before, after, head;
};

struct layout {
	struct ptx *x;
	int half, before_max, after_max, mark;
};

static ptrdiff_t size_of(struct field f)
{
	return f.end - f.start;
}

static bool is_space(char c)
{
	return ascii_space((unsigned char)c);
}

/* Over a word, or one byte that is none. */
static const char *skip(struct layout *y, const char *s, const char *end)
{
	struct ptx *x = y->x;

	if (x->word) {
		struct regex_span m;
		int r = regex_search(x->word_regex.re, x->word_regex.scratch, s, (size_t)(end - s), 0, REGEX_ANCHORED, &m, 1);

		if (r < 0)
			u_die(x->p, 1, 0, "%s", regex_failure(r));
		return s + (r == 1 && m.end > 0 ? m.end : 1);
	}
	if (!x->in_word[(unsigned char)*s])
		return s + 1;
	while (s < end && x->in_word[(unsigned char)*s])
		s++;
	return s;
}

static const char *skip_back(const char *s, const char *start)
{
	while (s > start && is_space(s[-1]))
		s--;
	return s;
}

static const char *skip_white(const char *s, const char *end)
{
	while (s < end && is_space(*s))
		s++;
	return s;
}

/* Words from `start` on, as far as `max` columns go. */
static const char *take(struct layout *y, const char *start, const char *first, const char *limit, ptrdiff_t max, bool inclusive)
{
	const char *end = first, *at = first;

	while (at < limit && (inclusive ? at - start <= max : at - start < max)) {
		end = at;
		at = skip(y, at, limit);
		sys_checkpoint(y->x->p);
	}
	return (inclusive ? at - start <= max : at - start < max) ? at : end;
}

/* The fields of an occurrence. */
static struct line fields(struct layout *y, const struct ptx_occurrence *o)
{
	const char *left = o->key - o->left, *right = o->key + o->right, *field_left = left;
	const struct ptx_text *t = o->text;
	ptrdiff_t wide = y->half + (ptrdiff_t)y->x->longest, room;
	struct line l = {0};

	l.after.start = o->key;
	l.after.end = take(y, o->key, o->key + o->size, right, y->after_max, true);
	if (l.after.end < o->key + o->size)
		l.after.end = o->key + o->size;
	l.after.cut = y->mark && l.after.end < right;
	l.after.end = skip_back(l.after.end, l.after.start);

	if (o->left > wide)
		field_left = skip(y, o->key - wide, o->key);
	l.before.start = field_left;
	l.before.end = skip_back(o->key, l.before.start);
	while (l.before.start + y->before_max < l.before.end)
		l.before.start = skip(y, l.before.start, l.before.end);
	l.before.cut = y->mark && skip_back(l.before.start, t->start) > left;
	l.before.start = skip_white(l.before.start, t->end);

	room = y->before_max - size_of(l.before) - y->x->gap;
	if (room > 0) {
		l.tail.start = skip_white(l.after.end, t->end);
		l.tail.end = take(y, l.tail.start, l.tail.start, right, room, false);
		if (l.tail.end > l.tail.start) {
			l.after.cut = false;
			l.tail.cut = y->mark && l.tail.end < right;
		}
		l.tail.end = skip_back(l.tail.end, l.tail.start);
	}
	room = y->after_max - size_of(l.after) - y->x->gap;
	if (room > 0) {
		l.head.end = skip_back(l.before.start, t->start);
		l.head.start = field_left;
		while (l.head.start + room < l.head.end)
			l.head.start = skip(y, l.head.start, l.head.end);
		if (l.head.end > l.head.start) {
			l.before.cut = false;
			l.head.cut = y->mark && l.head.start > left;
		}
		l.head.start = skip_white(l.head.start, l.head.end);
	}
	return l;
}

/* ---- Printing ------------------------------------------------------------------------------------------------------ */

static void put(const struct ptx *x, const char *s, const char *end)
{
	struct u_out *out = u_stdout(x->p);

	for (; s < end; s++) {
		if (is_space(*s))
			u_putc(out, ' ');
		else if (x->format == PTX_ROFF && *s == '"')
			u_puts(out, "\"\"");
		else if (x->format == PTX_TEX && strchr("$%&#_", *s) && *s)
			u_printf(out, "\\%c", *s);
		else if (x->format == PTX_TEX && (*s == '{' || *s == '}'))
			u_printf(out, "$\\%c$", *s);
		else if (x->format == PTX_TEX && *s == '\\')
			u_puts(out, "\\backslash{}");
		else
			u_putc(out, *s);
	}
}

static void put_field(const struct ptx *x, struct field f)
{
	put(x, f.start, f.end);
}

static void spaces(const struct ptx *x, ptrdiff_t n)
{
	for (; n > 0; n--)
		u_putc(u_stdout(x->p), ' ');
}

static void mark(const struct ptx *x, struct field f)
{
	if (f.cut)
		u_puts(u_stdout(x->p), x->mark);
}

static void put_reference(const struct ptx *x, struct str s)
{
	put(x, s.ptr, s.ptr + s.len);
}

static void dumb_line(struct layout *y, const struct ptx_occurrence *o, struct line *l)
{
	struct ptx *x = y->x;
	bool some = x->automatic || x->references, tail = l->tail.start < l->tail.end, head = l->head.start < l->head.end;
	ptrdiff_t left = y->half - x->gap - size_of(l->before) - (l->before.cut ? y->mark : 0);
	ptrdiff_t rest = y->half - size_of(l->after) - (l->after.cut ? y->mark : 0);

	if (!x->right) {
		put_reference(x, o->reference);
		if (x->automatic)
			u_putc(u_stdout(x->p), ':');
		spaces(x, x->reference_width + x->gap - (ptrdiff_t)o->reference.len - x->automatic);
	}
	if (tail) {
		put_field(x, l->tail);
		mark(x, l->tail);
		left -= size_of(l->tail) + (l->tail.cut ? y->mark : 0);
	}
	spaces(x, left);
	mark(x, l->before);
	put_field(x, l->before);
	spaces(x, x->gap);
	put_field(x, l->after);
	mark(x, l->after);
	if (head) {
		spaces(x, rest - size_of(l->head) - (l->head.cut ? y->mark : 0));
		mark(x, l->head);
		put_field(x, l->head);
	} else if (some && x->right) {
		spaces(x, rest);
	}
	if (some && x->right) {
		spaces(x, x->gap);
		put_reference(x, o->reference);
	}
	u_putc(u_stdout(x->p), '\n');
}

static void roff_line(struct layout *y, const struct ptx_occurrence *o, struct line *l)
{
	struct ptx *x = y->x;
	struct u_out *out = u_stdout(x->p);

	u_printf(out, ".%s \"", x->macro);
	put_field(x, l->tail);
	mark(x, l->tail);
	u_puts(out, "\" \"");
	mark(x, l->before);
	put_field(x, l->before);
	u_puts(out, "\" \"");
	put_field(x, l->after);
	mark(x, l->after);
	u_puts(out, "\" \"");
	mark(x, l->head);
	put_field(x, l->head);
	u_putc(out, '"');
	if (x->automatic || x->references) {
		u_puts(out, " \"");
		put_reference(x, o->reference);
		u_putc(out, '"');
	}
	u_putc(out, '\n');
}

static void tex_line(struct layout *y, const struct ptx_occurrence *o, struct line *l)
{
	struct ptx *x = y->x;
	struct u_out *out = u_stdout(x->p);
	const char *key_end = skip(y, l->after.start, l->after.end);

	u_printf(out, "\\%s {", x->macro);
	put_field(x, l->tail);
	u_puts(out, "}{");
	put_field(x, l->before);
	u_puts(out, "}{");
	put(x, l->after.start, key_end);
	u_puts(out, "}{");
	put(x, key_end, l->after.end);
	u_puts(out, "}{");
	put_field(x, l->head);
	u_putc(out, '}');
	if (x->automatic || x->references) {
		u_putc(out, '{');
		put_reference(x, o->reference);
		u_putc(out, '}');
	}
	u_putc(out, '\n');
}

void ptx_print(struct ptx *x)
{
	struct layout y = {.x = x};
	int width = x->width;

	if ((x->automatic || x->references) && !x->right)
		width -= x->reference_width + x->gap;
	width = MAX(width, 0);
	y.half = width / 2;
	y.mark = (int)strlen(x->mark);
	y.before_max = y.half - x->gap;
	y.after_max = y.half;
	if (x->traditional) {
		y.after_max -= 2 * y.mark + 1;
	} else {
		y.before_max = MAX(y.before_max - 2 * y.mark, 0);
		y.after_max -= 2 * y.mark;
	}
	for (size_t i = 0; i < x->noccurrences; i++) {
		struct ptx_occurrence *o = &x->occurrence[i];
		struct line l = fields(&y, o);

		switch (x->format) {
		case PTX_ROFF: roff_line(&y, o, &l); break;
		case PTX_TEX: tex_line(&y, o, &l); break;
		default: dumb_line(&y, o, &l); break;
		}
		sys_checkpoint_n(x->p, 256);
	}
}
