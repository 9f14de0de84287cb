/*
 * lines.c - where the lines of a paragraph end.
 *
 * Each way to break it has a cost: squares of how far lines are from the goal and from each other's length, and
 * extra charges and credits for what stands at their ends. Going backward from the last word, the cheapest way to
 * go on from each word is found once. The charges are GNU's, so that the same lines come out.
 */
#include "fmt.h"

static int64_t square(int64_t n)
{
	return n * n;
}

/* Of a line that is n columns off the goal; half of it when it is n off its neighbour. */
static int64_t off_cost(int n)
{
	return square(10 * (int64_t)n);
}

/* What it costs to start a line with word i. */
static int64_t start_cost(const struct fmt *f, int i)
{
	const struct fmt_word *w = &f->word[i];
	int64_t cost = square(70);

	if (i > 0 && w[-1].period)
		cost += w[-1].final ? -square(50) : square(600);
	else if (i > 0 && w[-1].punct)
		cost -= square(40);
	else if (i > 1 && w[-2].final)
		cost += square(200) / (w[-1].len + 2); /* the first word of a sentence stays behind */
	if (w->paren)
		cost -= square(40);
	else if (w->final)
		cost += square(150) / (w->len + 2); /* the last word of one is moved on */
	return cost;
}

/* Of a line of len columns before word i. */
static int64_t line_cost(const struct fmt *f, int i, int len)
{
	const struct fmt_word *w = &f->word[i];
	int64_t cost;

	if (i == f->n)
		return 0;
	cost = off_cost(f->goal - len);
	if (w->next != f->n)
		cost += off_cost(len - w->line_len) / 2;
	return cost;
}

void fmt_break(struct fmt *f)
{
	f->word[f->n].cost = 0;
	for (int start = f->n - 1; start >= 0; start--) {
		struct fmt_word *first = &f->word[start];
		int len = (start == 0 ? f->first_indent : f->other_indent) + first->len;
		int64_t best = INT64_MAX;

		/* One word at least, however long it is. */
		for (int i = start + 1;; i++) {
			int64_t cost = line_cost(f, i, len) + f->word[i].cost;

			if (start == 0 && f->last_len > 0)
				cost += off_cost(len - f->last_len) / 2;
			if (cost < best) {
				best = cost;
				first->next = i;
				first->line_len = len;
			}
			if (i == f->n)
				break;
			len += f->word[i - 1].space + f->word[i].len;
			if (len >= f->width)
				break;
		}
		first->cost = best + start_cost(f, start);
		sys_checkpoint_n(f->p, 16);
	}
}

int fmt_good_end(const struct fmt *f)
{
	int64_t best = INT64_MAX, credit = square(3);
	int end = f->n;

	for (int i = f->word[0].next; i != f->n; i = f->word[i].next) {
		int64_t cost = f->word[i].cost - f->word[f->word[i].next].cost;

		if (cost < best) {
			end = i;
			best = cost;
		}
		if (best <= INT64_MAX - credit)
			best += credit;
	}
	return end;
}

/* ---- Writing ------------------------------------------------------------------------------------------------- */

void fmt_blanks(struct fmt *f, int n)
{
	int to = f->out_column + n, stop = to / 8 * 8;

	if (f->tabs && f->out_column + 1 < stop) {
		for (; f->out_column < stop; f->out_column = (f->out_column / 8 + 1) * 8)
			u_putc(f->out, '\t');
	}
	for (; f->out_column < to; f->out_column++)
		u_putc(f->out, ' ');
}

static void write_line(struct fmt *f, int start, int indent)
{
	int end = f->word[start].next;

	f->out_column = 0;
	fmt_blanks(f, f->prefix_indent);
	u_put(f->out, f->prefix, (size_t)f->prefix_len);
	f->out_column += f->prefix_len;
	fmt_blanks(f, indent - f->out_column);
	for (int i = start; i < end; i++) {
		u_put(f->out, f->word[i].text, (size_t)f->word[i].len);
		f->out_column += f->word[i].len;
		if (i + 1 < end)
			fmt_blanks(f, f->word[i].space);
	}
	f->last_len = f->out_column;
	u_putc(f->out, '\n');
}

void fmt_write(struct fmt *f, int end)
{
	for (int i = 0; i != end; i = f->word[i].next)
		write_line(f, i, i == 0 ? f->first_indent : f->other_indent);
}
