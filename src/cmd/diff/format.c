/*
 * format.c - changes as normal, unified, context, ed and RCS differences.
 *
 * Unified and context output join changes whose contexts meet into one hunk.
 */
#include "diff.h"

/* ---- Lines ---------------------------------------------------------------------------- */

static void paint(struct diff *d, const char *sgr)
{
	if (d->color)
		u_printf(d->out, "\033[%sm", sgr);
}

/* A line's text, tabs expanded when that is asked for. */
void diff_put_line(struct diff *d, const char *s, size_t n)
{
	int64_t column = 0;

	if (!d->o->expand_tabs) {
		u_put(d->out, s, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\t') {
			int64_t to = column + d->o->tab - column % d->o->tab;

			for (; column < to; column++)
				u_putc(d->out, ' ');
		} else {
			if (s[i] == '\b')
				column -= column > 0;
			else if (s[i] == '\r')
				column = 0;
			else
				column++;
			u_putc(d->out, s[i]);
		}
	}
}

static void put(struct diff *d, int f, size_t i, const char *mark, const char *sgr)
{
	const struct diff_file *x = &d->f[f];
	const struct diff_line *l = &x->line[i];

	if (sgr)
		paint(d, sgr);
	if (*mark) {
		/* With -T a tab takes the place of the blank between the mark and the text. */
		size_t n = strlen(mark);

		n -= d->o->initial_tab && mark[n - 1] == ' ';
		if (d->o->suppress_empty && l->len == 0)
			while (n > 0 && mark[n - 1] == ' ')
				n--;
		u_put(d->out, mark, n);
		if (d->o->initial_tab && !(d->o->suppress_empty && l->len == 0))
			u_putc(d->out, '\t');
	}
	diff_put_line(d, l->ptr, l->len);
	if (sgr)
		paint(d, "0");
	u_putc(d->out, '\n');
	if (x->no_newline && i + 1 == x->n)
		u_puts(d->out, "\\ No newline at end of file\n");
}

/* ---- Normal, ed, RCS ------------------------------------------------------------------- */

static void range(struct diff *d, size_t at, size_t n, char separator)
{
	if (n > 1)
		u_printf(d->out, "%zu%c%zu", at + 1, separator, at + n);
	else
		u_printf(d->out, "%zu", n ? at + 1 : at);
}

static char letter(const struct diff_change *c)
{
	return c->n[0] == 0 ? 'a' : c->n[1] == 0 ? 'd' : 'c';
}

static void print_normal(struct diff *d, const struct diff_change *c)
{
	paint(d, "36");
	range(d, c->at[0], c->n[0], ',');
	u_putc(d->out, letter(c));
	range(d, c->at[1], c->n[1], ',');
	paint(d, "0");
	u_putc(d->out, '\n');
	for (size_t i = 0; i < c->n[0]; i++)
		put(d, 0, c->at[0] + i, "< ", "31");
	if (letter(c) == 'c')
		u_puts(d->out, "---\n");
	for (size_t i = 0; i < c->n[1]; i++)
		put(d, 1, c->at[1] + i, "> ", "32");
}

static void print_rcs(struct diff *d, const struct diff_change *c)
{
	if (c->n[0])
		u_printf(d->out, "d%zu %zu\n", c->at[0] + 1, c->n[0]);
	if (c->n[1]) {
		u_printf(d->out, "a%zu %zu\n", c->at[0] + c->n[0], c->n[1]);
		for (size_t i = c->at[1]; i < c->at[1] + c->n[1]; i++) {
			const struct diff_line *l = &d->f[1].line[i];

			diff_put_line(d, l->ptr, l->len);
			if (!(d->f[1].no_newline && i + 1 == d->f[1].n))
				u_putc(d->out, '\n');
		}
	}
}

/* A lone period would end the text: it is entered as two, and one is taken away after. */
static void print_ed(struct diff *d, const struct diff_change *c)
{
	bool open = true;

	range(d, c->at[0], c->n[0], ',');
	u_putc(d->out, letter(c));
	u_putc(d->out, '\n');
	if (c->n[1] == 0)
		return;
	for (size_t i = c->at[1]; i < c->at[1] + c->n[1]; i++) {
		const struct diff_line *l = &d->f[1].line[i];

		if (!open) {
			u_puts(d->out, "a\n");
			open = true;
		}
		if (l->len == 1 && l->ptr[0] == '.') {
			u_puts(d->out, "..\n.\ns/.//\n");
			open = false;
		} else {
			diff_put_line(d, l->ptr, l->len);
			u_putc(d->out, '\n');
		}
	}
	if (open)
		u_puts(d->out, ".\n");
}

/* ---- Headers --------------------------------------------------------------------------- */

/* As in C, in quotes, where a blank or what C escapes is in it: patch reads that back. */
const char *diff_shown_name(struct proc *p, const char *name)
{
	static const char from[] = "\a\b\t\n\v\f\r\"\\", to[] = "abtnvfr\"\\";
	bool plain = true;
	struct u_buf b;

	for (const char *s = name; *s; s++)
		plain = plain && *s > ' ' && *s < 127 && *s != '"' && *s != '\\';
	if (plain)
		return name;
	u_buf_init(&b, p, 0);
	u_buf_putc(&b, '"');
	for (const char *s = name; *s; s++) {
		const char *hit = strchr(from, *s);
		unsigned char c = (unsigned char)*s;

		if (hit)
			u_buf_printf(&b, "\\%c", to[hit - from]);
		else if (c < ' ' || c > 127)
			u_buf_printf(&b, "\\%03o", c);
		else
			u_buf_putc(&b, *s);
	}
	u_buf_putc(&b, '"');
	return b.ptr;
}

static void print_header(struct diff *d, const char *mark, const struct diff_file *f)
{
	paint(d, "1");
	if (f->label) {
		u_printf(d->out, "%s %s", mark, f->label);
	} else {
		static const char format[] = "%Y-%m-%d %H:%M:%S.%N %z";
		struct u_buf b;
		struct u_tm tm;

		u_buf_init(&b, d->p, 0);
		u_time_split(u_tz_get(d->p, NULL), f->absent ? (struct sys_time){0, 0} : f->st.mtime, &tm);
		u_time_format(&b, format, sizeof(format) - 1, &tm);
		u_printf(d->out, "%s %s\t%s", mark, diff_shown_name(d->p, f->name), b.ptr);
	}
	paint(d, "0");
	u_putc(d->out, '\n');
}

/* The last line before `at` that -p or -F takes for a heading. */
static const struct diff_line *heading(struct diff *d, size_t at, int64_t *last)
{
	struct regex_span span[1];

	for (int64_t i = (int64_t)at - 1; i >= 0 && i > *last; i--) {
		const struct diff_line *l = &d->f[0].line[i];

		sys_checkpoint(d->p);
		if (regex_search(d->function, d->function_scratch, l->ptr, l->len, 0, 0, span, 1) > 0) {
			*last = i;
			break;
		}
	}
	return *last >= 0 ? &d->f[0].line[*last] : NULL;
}

static void print_heading(struct diff *d, const struct diff_line *l)
{
	size_t i = 0, n;

	if (!l)
		return;
	while (i < l->len && ascii_space((unsigned char)l->ptr[i]))
		i++;
	n = MIN(l->len - i, 40);
	while (n > 0 && ascii_space((unsigned char)l->ptr[i + n - 1]))
		n--;
	u_putc(d->out, ' ');
	u_put(d->out, l->ptr + i, n);
}

/* ---- Hunks ------------------------------------------------------------------------------ */

/* The changes of the hunk that begins with change i: the index after its last. */
static size_t hunk_end(const struct diff *d, size_t i)
{
	size_t context = (size_t)d->o->context;

	for (size_t k = i + 1; k < d->nchanges; k++) {
		const struct diff_change *a = &d->change[k - 1], *b = &d->change[k];
		/* Ignorable changes do not join hunks unless they lie within the context. */
		size_t gap = b->at[0] - (a->at[0] + a->n[0]);
		size_t limit = b->ignored ? context : context > SIZE_MAX / 2 - 1 ? SIZE_MAX : 2 * context + 1;

		if (gap >= limit)
			return k;
	}
	return d->nchanges;
}

struct hunk {
	size_t from, to;	/* changes */
	size_t at[2], end[2];	/* lines */
};

static void unified_range(struct diff *d, char sign, size_t at, size_t end)
{
	u_putc(d->out, sign);
	if (end - at == 1)
		u_printf(d->out, "%zu", at + 1);
	else
		u_printf(d->out, "%zu,%zu", end == at ? at : at + 1, end - at);
}

static void print_unified(struct diff *d, const struct hunk *h, const struct diff_line *title)
{
	size_t i = h->at[0];

	paint(d, "36");
	u_puts(d->out, "@@ ");
	unified_range(d, '-', h->at[0], h->end[0]);
	u_putc(d->out, ' ');
	unified_range(d, '+', h->at[1], h->end[1]);
	u_puts(d->out, " @@");
	paint(d, "0");
	print_heading(d, title);
	u_putc(d->out, '\n');
	for (size_t k = h->from; k < h->to; k++) {
		const struct diff_change *c = &d->change[k];

		for (; i < c->at[0]; i++)
			put(d, 0, i, " ", NULL);
		for (; i < c->at[0] + c->n[0]; i++)
			put(d, 0, i, "-", "31");
		for (size_t j = c->at[1]; j < c->at[1] + c->n[1]; j++)
			put(d, 1, j, "+", "32");
	}
	for (; i < h->end[0]; i++)
		put(d, 0, i, " ", NULL);
}

static void context_range(struct diff *d, size_t at, size_t end)
{
	if (end - at > 1)
		u_printf(d->out, "%zu,%zu", at + 1, end);
	else
		u_printf(d->out, "%zu", end);
}

static void print_context_side(struct diff *d, const struct hunk *h, int f)
{
	size_t i = h->at[f];
	bool any = false;

	for (size_t k = h->from; k < h->to; k++)
		any |= d->change[k].n[f] > 0;
	if (!any)
		return;
	for (size_t k = h->from; k < h->to; k++) {
		const struct diff_change *c = &d->change[k];

		for (; i < c->at[f]; i++)
			put(d, f, i, "  ", NULL);
		for (; i < c->at[f] + c->n[f]; i++)
			put(d, f, i, c->n[1 - f] ? "! " : f == 0 ? "- " : "+ ", f == 0 ? "31" : "32");
	}
	for (; i < h->end[f]; i++)
		put(d, f, i, "  ", NULL);
}

static void print_context(struct diff *d, const struct hunk *h, const struct diff_line *title)
{
	u_puts(d->out, "***************");
	print_heading(d, title);
	u_putc(d->out, '\n');
	paint(d, "36");
	u_puts(d->out, "*** ");
	context_range(d, h->at[0], h->end[0]);
	u_puts(d->out, " ****");
	paint(d, "0");
	u_putc(d->out, '\n');
	print_context_side(d, h, 0);
	paint(d, "36");
	u_puts(d->out, "--- ");
	context_range(d, h->at[1], h->end[1]);
	u_puts(d->out, " ----");
	paint(d, "0");
	u_putc(d->out, '\n');
	print_context_side(d, h, 1);
}

static void print_hunks(struct diff *d)
{
	bool unified = d->o->style == DIFF_UNIFIED, header = false;
	size_t context = (size_t)d->o->context, next;
	int64_t last_heading = -1;

	for (size_t i = 0; i < d->nchanges; i = next) {
		struct hunk h = {.from = i};
		const struct diff_line *title = NULL;
		const struct diff_change *a, *z;
		bool shown = false;

		next = h.to = hunk_end(d, i);
		for (size_t k = i; k < next; k++)
			shown |= !d->change[k].ignored;
		if (!shown)
			continue;
		if (!header) {
			print_header(d, unified ? "---" : "***", &d->f[0]);
			print_header(d, unified ? "+++" : "---", &d->f[1]);
			header = true;
		}
		a = &d->change[i];
		z = &d->change[next - 1];
		for (int f = 0; f < 2; f++) {
			size_t end = z->at[f] + z->n[f];

			h.at[f] = a->at[f] > context ? a->at[f] - context : 0;
			h.end[f] = d->f[f].n - end > context ? end + context : d->f[f].n;
		}
		if (d->function)
			title = heading(d, h.at[0], &last_heading);
		if (unified)
			print_unified(d, &h, title);
		else
			print_context(d, &h, title);
	}
}

void diff_print(struct diff *d)
{
	switch (d->o->style) {
	case DIFF_UNIFIED:
	case DIFF_CONTEXT: print_hunks(d); return;
	case DIFF_SIDE: diff_print_side(d); return;
	case DIFF_LINES: diff_print_formats(d); return;
	default: break;
	}
	for (size_t k = 0; k < d->nchanges; k++) {
		/* ed applies a script from the end, so that line numbers stay true. */
		const struct diff_change *c = &d->change[d->o->style == DIFF_ED ? d->nchanges - 1 - k : k];

		if (c->ignored)
			continue;
		if (d->o->style == DIFF_ED)
			print_ed(d, c);
		else if (d->o->style == DIFF_RCS)
			print_rcs(d, c);
		else
			print_normal(d, c);
	}
}
