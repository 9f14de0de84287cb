/*
 * side.c - two files next to each other (-y).
 *
 * Each half is cut to its width; tabs keep their stops unless -t asks for blanks, so blanks and
 * tabs before the middle column are chosen by the columns they must reach.
 */
#include "diff.h"

struct side {
	int64_t half;		/* columns of a half */
	int64_t second;		/* where the right half begins */
};

static struct side lay_out(const struct diff_opts *o)
{
	int64_t t = o->expand_tabs ? 1 : o->tab, w = o->width, gutter = 3, off, half;

	off = (w + t + gutter) / (2 * t) * t;
	half = MAX(0, MIN(off - gutter, w - off));
	return (struct side){half, half ? off : w};
}

static int64_t tabs_to(struct diff *d, int64_t from, int64_t to)
{
	if (!d->o->expand_tabs) {
		int64_t t = d->o->tab, stop;

		for (stop = from + t - from % t; stop <= to; stop += t) {
			u_putc(d->out, '\t');
			from = stop;
		}
	}
	for (; from < to; from++)
		u_putc(d->out, ' ');
	return to;
}

/* As much of a line as fits in `bound` columns; the column it ends at. */
static int64_t half_line(struct diff *d, const struct diff_line *l, int64_t indent, int64_t bound)
{
	int64_t in = 0, out = 0, t = d->o->tab;

	for (size_t i = 0; i < l->len;) {
		unsigned n = 1;
		unsigned char c = (unsigned char)l->ptr[i];

		if (c == '\t') {
			int64_t spaces = t - in % t;

			if (in == out) {
				int64_t stop = out + spaces;

				if (d->o->expand_tabs) {
					stop = MIN(stop, bound);
					for (; out < stop; out++)
						u_putc(d->out, ' ');
				} else if (stop < bound) {
					out = stop;
					u_putc(d->out, '\t');
				}
			}
			in += spaces;
		} else if (c == '\r') {
			u_putc(d->out, '\r');
			tabs_to(d, 0, indent);
			in = out = 0;
		} else {
			uint32_t u = utf8_decode(l->ptr + i, l->len - i, &n);
			int w = u == UTF8_BAD || !u_utf8(d->p) ? ascii_print(c) : utf8_width(u);

			if (w < 0)
				w = 0;
			in += w;
			if (in <= bound) {
				out = in;
				u_put(d->out, l->ptr + i, n);
			}
		}
		i += n;
	}
	return out;
}

/* One line of output: line i of the left file, line j of the right one; -1: none. The newline is missing where
 * no half had one, and a change that is only that is marked by a slash. */
static void row(struct diff *d, const struct side *s, int64_t i, char mark, int64_t j)
{
	const struct diff_file *a = &d->f[0], *b = &d->f[1];
	bool ended_a = i >= 0 && !(a->no_newline && (size_t)i + 1 == a->n);
	bool ended_b = j >= 0 && !(b->no_newline && (size_t)j + 1 == b->n);
	const char *sgr = mark == '<' ? "31" : mark == '>' ? "32" : NULL;
	int64_t column = 0;

	if (d->color && sgr)
		u_printf(d->out, "\033[%sm", sgr);
	if (i >= 0)
		column = half_line(d, &a->line[i], 0, s->half);
	if (mark != ' ') {
		column = tabs_to(d, column, (s->half + s->second - 1) / 2) + 1;
		if (mark == '|' && ended_a != ended_b)
			mark = ended_a ? '/' : '\\';
		u_putc(d->out, mark);
	}
	if (j >= 0 && (b->line[j].len > 0 || !ended_b)) {
		tabs_to(d, column, s->second);
		half_line(d, &b->line[j], s->second, s->half);
	}
	if (d->color && sgr)
		u_puts(d->out, "\033[0m");
	if (ended_a || ended_b)
		u_putc(d->out, '\n');
}

/* Lines from *i and *j on that are the same in both, or differ in what is ignored: then there may be more of one. */
static void common(struct diff *d, const struct side *s, size_t *i, size_t *j, size_t end_i, size_t end_j)
{
	while (!d->o->suppress_common && (*i < end_i || *j < end_j)) {
		sys_checkpoint(d->p);
		if (d->o->left_column) {
			if (*i == end_i)
				break;
			row(d, s, (int64_t)(*i)++, '(', -1);
		} else if (*i == end_i) {
			row(d, s, -1, ')', (int64_t)(*j)++);
		} else if (*j == end_j) {
			row(d, s, (int64_t)(*i)++, '(', -1);
		} else {
			row(d, s, (int64_t)(*i)++, ' ', (int64_t)(*j)++);
		}
	}
	*i = end_i;
	*j = end_j;
}

void diff_print_side(struct diff *d)
{
	struct side s = lay_out(d->o);
	size_t i = 0, j = 0;

	for (size_t k = 0; k < d->nchanges; k++) {
		const struct diff_change *c = &d->change[k];
		size_t end_i = c->at[0] + c->n[0], end_j = c->at[1] + c->n[1];

		if (c->ignored)
			continue;
		common(d, &s, &i, &j, c->at[0], c->at[1]);
		while (i < end_i && j < end_j)
			row(d, &s, (int64_t)i++, '|', (int64_t)j++);
		while (i < end_i)
			row(d, &s, (int64_t)i++, '<', -1);
		while (j < end_j)
			row(d, &s, -1, '>', (int64_t)j++);
		sys_checkpoint(d->p);
	}
	common(d, &s, &i, &j, d->f[0].n, d->f[1].n);
}
