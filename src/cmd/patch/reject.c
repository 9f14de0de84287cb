/* reject.c - the hunks patch could not apply, as unified differences. */
#include "reject.h"

static void put_reject(struct patch *o, struct result *r, size_t i)
{
	char c = o->line[i].len ? o->line[i].ptr[0] : ' ';

	u_buf_putc(&r->rejects, o->reverse && c == '-' ? '+' : o->reverse && c == '+' ? '-' : c);
	if (o->line[i].len)
		u_buf_put(&r->rejects, o->line[i].ptr + 1, o->line[i].len - 1);
	u_buf_putc(&r->rejects, '\n');
}

/* The lines of a change that start with `mark`, and what is said of their missing newlines. */
static void put_side(struct patch *o, struct result *r, size_t from, size_t to, char mark)
{
	bool mine = false;

	for (size_t i = from; i < to; i++) {
		char c = o->line[i].ptr[0];

		mine = c == mark || (c == '\\' && mine);
		if (mine)
			put_reject(o, r, i);
	}
}

static bool ends_in_cr(const char *s, size_t n)
{
	return n > 0 && s[n - 1] == '\r';
}

bool patch_other_endings(const struct patch *o, const struct text *t, const struct hunk *h)
{
	size_t i = h->first, at = h->at[o->reverse];

	while (i < h->end && o->line[i].len && o->line[i].ptr[0] == (o->reverse ? '-' : '+'))
		i++;
	if (i == h->end || t->n == 0)
		return false;
	at = at > 0 ? at - 1 : 0;
	at = MIN(at, t->n - 1);
	return ends_in_cr(o->line[i].ptr, o->line[i].len) != ends_in_cr(t->v[at].ptr, t->v[at].len);
}

void patch_reject(struct patch *o, struct result *r, const struct hunk *h, const char *a, const char *b)
{
	int old = o->reverse;

	if (r->failed++ == 0)
		u_buf_printf(&r->rejects, "--- %s\n+++ %s\n", a, b);
	u_buf_printf(&r->rejects, "@@ -%zu", h->at[old]);
	if (h->n[old] != 1)
		u_buf_printf(&r->rejects, ",%zu", h->n[old]);
	u_buf_printf(&r->rejects, " +%zu", h->at[!old]);
	if (h->n[!old] != 1)
		u_buf_printf(&r->rejects, ",%zu", h->n[!old]);
	u_buf_puts(&r->rejects, " @@\n");
	for (size_t i = h->first; i < h->end;) {
		size_t from = i;

		while (i < h->end && (!o->line[i].len || !strchr("-+\\", o->line[i].ptr[0])))
			put_reject(o, r, i++);
		/* A change, turned round when the patch is: what goes away comes first. */
		for (from = i; i < h->end && o->line[i].len && strchr("-+\\", o->line[i].ptr[0]);)
			i++;
		put_side(o, r, from, i, o->reverse ? '+' : '-');
		put_side(o, r, from, i, o->reverse ? '-' : '+');
	}
}
