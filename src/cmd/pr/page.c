/* page.c - the layout of pr's pages. */
#include "pr.h"

#define HEADER 5	/* lines */
#define FOOTER 5

/* ---- Fixed for all pages --------------------------------------------------------------------------------------- */

static void layout_columns(struct pr *r)
{
	if (r->columns > 1) {
		if (!r->has_separator) {
			r->separator = r->join ? "\t" : " ";
			r->has_separator = true;
		} else if (!r->join && streq(r->separator, "\t")) {
			r->separator = " ";
		}
		r->truncate = true;
		r->expand |= !(r->separator[0] == '\t' && !r->separator[1]);
		r->tabify = true;
	} else {
		r->store = false;
	}
	r->separator_len = (int)strlen(r->separator);
	r->truncate &= !r->join;
}

void pr_layout(struct pr *r, int nfiles)
{
	int used = 0;
	int64_t width;

	r->body = r->page_length - HEADER - FOOTER;
	if (r->body <= 0) {
		r->extremities = false;
		r->keep_feeds = true;
	}
	if (!r->extremities)
		r->body = r->page_length;
	if (r->double_space)
		r->body = MAX(r->body / 2, 1);
	if (r->merge)
		r->columns = nfiles;
	layout_columns(r);
	if (r->numbered) {
		r->number_width = r->number_digits + (r->number_end == '\t' ? pr_tab_width(8, r->number_digits) : 1);
		if (r->merge)
			used = r->number_width;
	}
	width = ((int64_t)r->page_width - used - (int64_t)(r->columns - 1) * r->separator_len) / r->columns;
	if (width < 1)
		u_die(r->p, 1, 0, "page width too narrow");
	r->column_width = (int)width;
}

/* Where the columns are, and which are numbered. */
static void place_columns(struct pr *r)
{
	int at = r->margin + r->separator_len, next = 0;

	if (r->truncate)
		next = r->margin + r->column_width + (r->merge && r->numbered ? r->number_width : 0);
	for (int i = 0; i < r->columns; i++) {
		r->column[i].start = at;
		r->column[i].numbered = r->numbered && (!r->merge || i == 0);
		at = r->truncate ? next + r->separator_len : 0;
		next = r->truncate ? at + r->column_width : 0;
	}
}

/* ---- Headers -------------------------------------------------------------------------------------------------------- */

void pr_header(struct pr *r)
{
	const char *name = r->header ? r->header : r->column[0].name, *date = r->column[0].date;
	char page[40];
	int64_t room;

	r->out_column = 0;
	pr_pad_to(r, r->margin);
	pr_put_spaces(r);
	fmt_buf(page, sizeof(page), "Page %llu", (unsigned long long)r->page++);
	room = (int64_t)r->page_width - (int64_t)(utf8_columns(date, strlen(date)) + utf8_columns(name, strlen(name)) +
						  strlen(page));
	room = MAX(room, 0);
	u_printf(r->out, "\n\n%*s%s%*s%s%*s%s\n\n\n", r->margin, "", date, (int)(room / 2), " ", name, (int)(room - room / 2),
		 " ", page);
	r->header_due = false;
	r->out_column = 0;
}

static void pad_down(struct pr *r, int64_t lines)
{
	if (r->form_feed)
		u_putc(r->out, '\f');
	else
		for (; lines > 0; lines--)
			u_putc(r->out, '\n');
}

/* ---- Pages -------------------------------------------------------------------------------------------------------------- */

static int ready_to_print(const struct pr *r)
{
	int n = 0;

	for (int i = 0; i < r->columns; i++) {
		const struct pr_column *c = &r->column[i];

		n += c->status == PR_OPEN || c->status == PR_FEED || (r->store && c->stored > 0 && c->left > 0);
	}
	return n;
}

static void mark_line(struct pr *r)
{
	if (r->nlines == r->lines_cap) {
		size_t cap = r->lines_cap ? r->lines_cap * 2 : 256;

		r->line = arena_grow(&sys_self(r->p)->arena, r->line, size_mul(r->lines_cap, sizeof(*r->line)),
				     size_mul(cap, sizeof(*r->line)));
		r->lines_cap = cap;
	}
	r->line[r->nlines++] = (struct pr_line){r->kept.len, 0};
}

/* Reads the columns of a page, and makes them of equal length. */
static void store_columns(struct pr *r)
{
	size_t total, first = 0;

	r->kept.len = 0;
	r->nlines = 0;
	mark_line(r);
	for (int i = 0; i < r->columns; i++)
		r->column[i].stored = 0;
	for (int i = 0; i < r->columns && r->ready > 0; i++) {
		struct pr_column *c = &r->column[i];

		for (int k = 0; k < r->body && r->ready > 0; k++) {
			size_t before = r->kept.len;

			if (c->status != PR_OPEN)
				continue;
			r->in_column = 0;
			if (!pr_read_line(r, c))
				pr_read_rest(r, c);
			if (c->status == PR_OPEN || r->kept.len > before) {
				r->line[r->nlines - 1].width = r->in_column;
				mark_line(r);
				c->stored++;
			}
		}
	}
	total = r->nlines - 1;
	for (int i = 0; i < r->columns; i++) {
		struct pr_column *c = &r->column[i];

		c->stored = total / (size_t)r->columns + ((size_t)i < total % (size_t)r->columns);
		c->first = first;
		first += c->stored;
	}
}

static void start_page(struct pr *r)
{
	if (r->store)
		store_columns(r);
	for (int i = 0; i < r->columns; i++) {
		struct pr_column *c = &r->column[i];

		c->left = r->store ? (int64_t)c->stored : c->status == PR_OPEN ? r->body : 0;
	}
}

/* One column's part of a line; false when nothing can be printed any more. */
static bool print_part(struct pr *r, struct pr_column *c)
{
	if (c->left <= 0 && c->status != PR_FEED) {
		if (r->merge && r->empty_line)
			r->align_empty = true;
		else if (r->merge)
			pr_align(r, c);
		return true;
	}
	r->feed_only = false;
	r->padding = c->start;
	if (r->store)
		pr_print_stored(r, c);
	else if (!pr_read_line(r, c))
		pr_read_rest(r, c);
	if (--c->left <= 0 && ready_to_print(r) == 0)
		return false;
	if (r->merge && c->status != PR_OPEN) {
		if (r->empty_line)
			r->align_empty = true;
		else if (c->status == PR_CLOSED || (c->status == PR_HELD && r->feed_only))
			pr_align(r, c);
	}
	return true;
}

/* One line of all columns; whether it had anything. */
static bool print_line(struct pr *r)
{
	bool any = false;

	r->out_column = r->spaces = r->separators = 0;
	r->vertical = r->align_empty = false;
	r->empty_line = true;
	for (int i = 0; i < r->columns; i++) {
		bool more;

		r->in_column = 0;
		more = print_part(r, &r->column[i]);
		any |= r->vertical;
		if (!more)
			break;
		r->separators += r->has_separator;
	}
	if (r->vertical) {
		u_putc(r->out, '\n');
		r->lines_left--;
	}
	return any;
}

static void next_page(struct pr *r)
{
	for (int i = 0; i < r->columns; i++) {
		if (r->column[i].status == PR_HELD) {
			r->column[i].status = PR_OPEN;
			r->ready++;
		}
	}
	if (r->store)
		r->ready = r->column[0].status != PR_CLOSED;
}

static bool print_page(struct pr *r)
{
	bool any = false;

	start_page(r);
	if (ready_to_print(r) == 0)
		return false;
	r->header_due = r->extremities;
	r->vertical = false;
	r->lines_left = (int64_t)r->body * (r->double_space ? 2 : 1);
	while (r->lines_left > 0 && ready_to_print(r) > 0) {
		any |= print_line(r);
		if (ready_to_print(r) == 0 && !r->extremities)
			break;
		if (r->double_space && any) {
			u_putc(r->out, '\n');
			r->lines_left--;
		}
		sys_checkpoint(r->p);
	}
	for (int i = 0; i < r->columns && r->lines_left == 0; i++)
		r->column[i].full |= r->column[i].status == PR_OPEN;
	r->vertical = any;
	if (any && r->extremities) {
		pad_down(r, r->lines_left + FOOTER);
	} else if (r->keep_feeds && r->feed_due) {
		u_putc(r->out, '\f');
		r->feed_due = false;
	}
	r->page += !r->extremities;
	if (r->last_page && r->page > r->last_page)
		return false;
	next_page(r);
	return true;
}

/* Reads over the pages before the first one wanted; false when there are not so many. */
static bool skip_pages(struct pr *r)
{
	for (uint64_t page = 1; page < r->first_page; page++) {
		for (int k = 1; k <= r->body; k++) {
			for (int i = 0; i < r->columns; i++) {
				if (r->column[i].status == PR_OPEN)
					pr_skip_line(r, &r->column[i], k == r->body, i == 0);
			}
		}
		for (int i = 0; i < r->columns && r->store; i++) {
			if (r->column[i].status != PR_CLOSED)
				r->column[i].status = PR_HELD;
		}
		next_page(r);
		if (r->ready < 1) {
			u_warn(r->p, 0, "starting page number %llu exceeds page count %llu", (unsigned long long)r->first_page,
			       (unsigned long long)page);
			return false;
		}
	}
	return true;
}

void pr_print(struct pr *r)
{
	place_columns(r);
	if (!skip_pages(r))
		return;
	r->page = MAX(r->first_page, 1);
	while (print_page(r))
		continue;
}
