/* column.c - how pr reads a line into a column, and prints it. */
#include "pr.h"

int pr_tab_width(int tab, int column)
{
	return tab - column % tab;
}

/* ---- Output --------------------------------------------------------------------------------------------------- */

void pr_put_spaces(struct pr *r)
{
	int at = r->out_column, to = at + r->spaces;

	while (to - at > 1 && at + pr_tab_width(r->output_tab_width, at) <= to) {
		u_putc(r->out, r->output_tab);
		at += pr_tab_width(r->output_tab_width, at);
	}
	for (; at < to; at++)
		u_putc(r->out, ' ');
	r->out_column = to;
	r->spaces = 0;
}

void pr_pad_to(struct pr *r, int column)
{
	if (r->tabify) {
		r->spaces = column - r->out_column;
		return;
	}
	for (int at = r->out_column; at < column; at++)
		u_putc(r->out, ' ');
	r->out_column = column;
}

static void put_char(struct pr *r, char c)
{
	if (r->tabify) {
		if (c == ' ') {
			r->spaces++;
			return;
		}
		if (r->spaces > 0)
			pr_put_spaces(r);
		if (ascii_print((unsigned char)c))
			r->out_column++;
		else if (c == '\b')
			r->out_column--;
	}
	u_putc(r->out, c);
}

static void put_separators(struct pr *r)
{
	const char *s = r->separator;

	if (r->separators <= 0 && r->spaces > 0)
		pr_put_spaces(r);
	for (; r->separators > 0; r->separators--) {
		for (; *s; s++) {
			if (*s == ' ') {
				r->spaces++;
				continue;
			}
			if (r->spaces > 0)
				pr_put_spaces(r);
			u_putc(r->out, *s);
			r->out_column++;
		}
		if (r->spaces > 0)
			pr_put_spaces(r);
	}
}

/* Goes to where the text of a column starts. */
static void pad_to_text(struct pr *r)
{
	if (r->separator_len < r->padding) {
		pr_pad_to(r, r->padding - r->separator_len);
		r->padding = 0;
	}
	if (r->has_separator)
		put_separators(r);
}

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

/* One character of a column: to the output, or into the store. */
static void take_char(struct pr *r, char c)
{
	if (r->store)
		u_buf_putc(&r->kept, c);
	else
		put_char(r, c);
}

static void add_number(struct pr *r)
{
	char buf[32];
	size_t n = fmt_buf(buf, sizeof(buf), "%*lld", MIN(r->number_digits, 20), (long long)r->line_number++);
	size_t want = (size_t)r->number_digits;

	for (size_t i = n; i < want; i++)
		take_char(r, ' ');
	for (size_t i = n > want ? n - want : 0; i < n; i++)
		take_char(r, buf[i]);
	if (r->columns > 1 && r->number_end == '\t') {
		for (int i = r->number_width - r->number_digits; i > 0; i--)
			take_char(r, ' ');
	} else {
		take_char(r, r->number_end);
		if (r->columns == 1 && r->number_end == '\t')
			r->out_column += pr_tab_width(r->output_tab_width, r->out_column);
	}
	if (r->truncate && !r->merge)
		r->in_column += r->number_width;
}

static size_t escape(struct pr *r, unsigned char c, int *width)
{
	fmt_buf(r->clump, sizeof(r->clump), "\\%03o", c);
	*width = 4;
	return 4;
}

/* A character as it is printed, in r->clump, but for the spaces of a tab, whose number is the result then (negative). */
static int to_clump(struct pr *r, unsigned char c)
{
	int width = 1;
	size_t n = 1;

	r->clump[0] = (char)c;
	if (c == (unsigned char)r->input_tab || c == '\t') {
		width = pr_tab_width(c == (unsigned char)r->input_tab ? r->input_tab_width : 8, r->in_column);
		if (r->expand) {
			r->in_column += width;
			return -width;
		}
	} else if (ascii_print(c)) {
		width = 1;
	} else if (r->octal || (r->caret && c >= 128)) {
		n = escape(r, c, &width);
	} else if (r->caret) {
		r->clump[0] = '^';
		r->clump[1] = (char)(c ^ 0x40);
		n = 2;
		width = 2;
	} else {
		width = c == '\b' ? -1 : 0;
	}
	if (width < 0 && r->in_column == 0)
		n = 0;
	r->in_column = MAX(r->in_column + width, 0);
	return (int)n;
}

static void take_clump(struct pr *r, int n)
{
	for (int i = 0; i < -n; i++)
		take_char(r, ' ');
	for (int i = 0; i < n; i++)
		take_char(r, r->clump[i]);
}

/* ---- Reading --------------------------------------------------------------------------------------------------------- */

/* A form feed ended the page of the column; of all, unless they are different files. */
static void hold(struct pr *r, struct pr_column *c)
{
	for (int i = 0; i < r->columns; i++) {
		if (!r->merge)
			r->column[i].status = r->store ? PR_FEED : PR_HELD;
	}
	if (r->merge)
		c->status = PR_HELD;
	c->left = 0;
	r->ready--;
}

static void close_column(struct pr *r, struct pr_column *c)
{
	if (c->status == PR_CLOSED)
		return;
	for (int i = 0; i < r->columns; i++) {
		struct pr_column *q = &r->column[i];

		if (r->merge && q != c)
			continue;
		q->status = PR_CLOSED;
		if (r->merge || q->stored == 0)
			q->left = 0;
	}
	r->ready--;
}

static int peek(struct pr_column *c)
{
	if (c->in->at == c->in->end && !input_more_here(c->in))
		return -1;
	return (unsigned char)*c->in->at;
}

static int next(struct pr_column *c)
{
	int ch = peek(c);

	if (ch >= 0)
		c->in->at++;
	return ch;
}

/* The newline after a form feed belongs to it. */
static void eat_newline(struct pr_column *c)
{
	if (peek(c) == '\n')
		next(c);
}

void pr_read_rest(struct pr *r, struct pr_column *c)
{
	int ch;

	while ((ch = next(c)) != '\n') {
		if (ch == '\f') {
			eat_newline(c);
			if (r->keep_feeds)
				r->feed_due = true;
			hold(r, c);
			return;
		}
		if (ch < 0) {
			close_column(r, c);
			return;
		}
	}
}

/* The first character of a line, after a form feed where the last page was full anyway. */
static int first_char(struct pr_column *c)
{
	int ch = next(c);

	if (ch == '\f' && c->full) {
		ch = next(c);
		if (ch == '\n')
			ch = next(c);
	}
	c->full = false;
	return ch;
}

/* What comes before the text of a line that is printed as it is read. */
static void start_line(struct pr *r, struct pr_column *c)
{
	r->vertical = true;
	if (r->header_due && !r->store)
		pr_header(r);
	if (r->merge && r->align_empty) {
		int n = r->separators;

		r->separators = 0;
		for (int i = 0; i < n; i++) {
			pr_align(r, &r->column[i]);
			r->separators++;
		}
		r->padding = c->start;
		r->spaces = r->truncate ? r->column_width : 0;
		r->align_empty = false;
	}
	pad_to_text(r);
}

bool pr_read_line(struct pr *r, struct pr_column *c)
{
	int ch = first_char(c), before = r->in_column, n = 0;

	if (ch == '\f') {
		eat_newline(c);
		r->feed_only = true;
		if (r->header_due && !r->store) {
			r->vertical = true;
			pr_header(r);
		} else if (r->keep_feeds) {
			r->feed_due = true;
		}
		hold(r, c);
		return true;
	}
	if (ch < 0) {
		close_column(r, c);
		return true;
	}
	if (ch != '\n')
		n = to_clump(r, (unsigned char)ch);
	if (r->truncate && r->in_column > r->column_width) {
		r->in_column = before;
		return false;
	}
	if (!r->store)
		start_line(r, c);
	if (c->numbered)
		add_number(r);
	r->empty_line = false;
	for (;;) {
		if (ch == '\n')
			return true;
		take_clump(r, n);
		ch = next(c);
		if (ch == '\f') {
			eat_newline(c);
			if (r->keep_feeds)
				r->feed_due = true;
			hold(r, c);
			return true;
		}
		if (ch < 0) {
			close_column(r, c);
			return true;
		}
		if (ch == '\n')
			return true;
		before = r->in_column;
		n = to_clump(r, (unsigned char)ch);
		if (r->truncate && r->in_column > r->column_width) {
			r->in_column = before;
			return false;
		}
		sys_checkpoint(r->p);
	}
}

void pr_skip_line(struct pr *r, struct pr_column *c, bool last, bool first_column)
{
	int ch = first_char(c);
	bool only_feed = ch == '\f';

	if (last)
		c->full = true;
	for (; ch != '\n'; ch = next(c)) {
		if (ch == '\f') {
			for (int i = 0; last && i < r->columns; i++) {
				if (!r->merge || &r->column[i] == c)
					r->column[i].full = false;
			}
			eat_newline(c);
			hold(r, c);
			break;
		}
		if (ch < 0) {
			close_column(r, c);
			break;
		}
	}
	if (r->count_skipped && (!r->merge || first_column) && !only_feed)
		r->line_number++;
	sys_checkpoint(r->p);
}

/* ---- The store --------------------------------------------------------------------------------------------------------- */

void pr_align(struct pr *r, struct pr_column *c)
{
	r->padding = c->start;
	pad_to_text(r);
	if (c->numbered)
		add_number(r);
}

void pr_print_stored(struct pr *r, struct pr_column *c)
{
	const struct pr_line *l = &r->line[c->first++];

	r->vertical = true;
	if (r->header_due)
		pr_header(r);
	if (c->status == PR_FEED) {
		for (int i = 0; i < r->columns; i++)
			r->column[i].status = PR_HELD;
		if (r->column[0].left <= 0) {
			if (!r->extremities)
				r->vertical = false;
			return;
		}
	}
	pad_to_text(r);
	for (size_t at = l[0].at; at < l[1].at; at++)
		put_char(r, r->kept.ptr[at]);
	if (r->spaces == 0) {
		r->out_column = c->start + l->width;
		if (c->start - r->separator_len == r->margin)
			r->out_column -= r->separator_len;
	}
}
