/*
 * read.c - files as lines, and equal lines as equal numbers.
 *
 * What both files have in common at their beginnings and ends is not looked at, but for as many
 * lines as the context of the output needs.
 */
#include "diff.h"

#include "../../base/hash.h"

/* The next character of a line as the options let it be seen; *at moves on. -1 at the end. */
static int next_char(const struct diff_opts *o, const char *s, size_t n, size_t *at, size_t *column)
{
	size_t i = *at;
	int c;

	if (i >= n)
		return -1;
	c = (unsigned char)s[i];
	if (ascii_space(c)) {
		size_t j = i;

		while (j < n && ascii_space((unsigned char)s[j]))
			j++;
		if (o->ignore_space) {
			*at = j;
			if (j == n)
				return -1;
			c = (unsigned char)s[j];
		} else if (j == n && (o->ignore_changes || o->ignore_trailing)) {
			*at = n;
			return -1;
		} else if (o->ignore_changes) {
			*at = j;
			return ' ';
		} else if (o->ignore_tabs && c == '\t') {
			/* One blank a call, until the tab stop. */
			(*column)++;
			if (*column % (size_t)o->tab == 0)
				(*at)++;
			return ' ';
		}
	}
	(*at)++;
	(*column)++;
	return o->ignore_case ? ascii_tolower(c) : c;
}

static bool exact(const struct diff_opts *o)
{
	return !(o->ignore_case || o->ignore_space || o->ignore_changes || o->ignore_trailing ||
		 o->ignore_tabs);
}

static uint64_t hash_line(const struct diff_opts *o, const struct diff_line *l)
{
	uint64_t h = 0;
	size_t at = 0, column = 0;
	int c;

	if (exact(o))
		return hash_bytes(l->ptr, l->len);
	while ((c = next_char(o, l->ptr, l->len, &at, &column)) >= 0)
		h = (h ^ (unsigned)c) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static bool same_line(const struct diff_opts *o, const struct diff_line *a, const struct diff_line *b)
{
	size_t i = 0, j = 0, ci = 0, cj = 0;

	if (a->len == b->len && memcmp(a->ptr, b->ptr, a->len) == 0)
		return true;
	if (exact(o))
		return false;
	for (;;) {
		int x = next_char(o, a->ptr, a->len, &i, &ci), y = next_char(o, b->ptr, b->len, &j, &cj);

		if (x != y)
			return false;
		if (x < 0)
			return true;
	}
}

static void split(struct diff *d, struct diff_file *f)
{
	const char *s = f->text.ptr, *end = s + f->text.len;
	size_t lines = scan_count(s, f->text.len, '\n') + 1, n = 0;

	f->line = u_array(d->p, lines, sizeof(*f->line));
	f->no_newline = f->text.len > 0 && end[-1] != '\n';
	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		if (!nl)
			nl = end;
		f->line[n] = (struct diff_line){s, (uint32_t)(nl - s), 0};
		if (d->o->strip_cr && nl < end && nl > s && nl[-1] == '\r')
			f->line[n].len--;
		n++;
		s = nl + 1;
	}
	f->n = n;
}

/* Whether line i is the file's last and lacks its newline: then it equals only its like, unless blanks do not count. */
static bool unfinished(const struct diff *d, const struct diff_file *f, size_t i)
{
	const struct diff_opts *o = d->o;

	return f->no_newline && i + 1 == f->n && o->style != DIFF_ED &&
	       !(o->ignore_space || o->ignore_changes || o->ignore_trailing);
}

static bool same_bytes(const struct diff *d, size_t i, size_t j)
{
	const struct diff_line *a = &d->f[0].line[i], *b = &d->f[1].line[j];
	bool end_a = d->f[0].no_newline && i + 1 == d->f[0].n, end_b = d->f[1].no_newline && j + 1 == d->f[1].n;

	return a->len == b->len && (end_a == end_b || d->o->style == DIFF_ED) && (a->len == 0 || memcmp(a->ptr, b->ptr, a->len) == 0);
}

/* The lines kept for context at the beginning may be in the common end, too, as in GNU's. */
static void trim(struct diff *d)
{
	struct diff_file *a = &d->f[0], *b = &d->f[1];
	size_t least = MIN(a->n, b->n), head = 0, tail = 0;

	while (head < least && same_bytes(d, head, head))
		head++;
	head = head > d->horizon ? head - d->horizon : 0;
	while (tail < least - head && same_bytes(d, a->n - 1 - tail, b->n - 1 - tail))
		tail++;
	tail = tail > d->horizon ? tail - d->horizon : 0;
	a->first = b->first = head;
	a->used = a->n - tail - head;
	b->used = b->n - tail - head;
}

/* ---- Classes ------------------------------------------------------------------------------ */

#define SLOTS_FIRST ((size_t)1024)
#define SEARCH_NEAR ((size_t)64)

/* A class is a line that stands for all that are equal to it. */
struct class {
	uint64_t hash;
	struct diff_line line;
	bool unfinished;
};

/* Open addressing. A slot holds the upper half of the hash beside the number, so that a look at it decides nearly always. */
struct slot {
	uint32_t tag;
	uint32_t class;		/* from 1; 0: free */
};

struct classes {
	struct proc *p;
	struct slot *slot;
	size_t mask;
	struct class *v;
	uint32_t n;
};

static void more_slots(struct classes *c, size_t slots)
{
	c->slot = u_zalloc(c->p, size_mul(slots, sizeof(*c->slot)));
	c->mask = slots - 1;
	for (uint32_t k = 0; k < c->n; k++) {
		size_t i = c->v[k].hash & c->mask;

		while (c->slot[i].class)
			i = (i + 1) & c->mask;
		c->slot[i] = (struct slot){(uint32_t)(c->v[k].hash >> 32), k + 1};
	}
}

static uint32_t class_of(struct diff *d, struct classes *c, const struct diff_line *l, bool open)
{
	uint64_t h = hash_line(d->o, l) + open;
	uint32_t tag = (uint32_t)(h >> 32);
	size_t i;

	for (i = h & c->mask; c->slot[i].class; i = (i + 1) & c->mask) {
		const struct class *v = &c->v[c->slot[i].class - 1];

		if (c->slot[i].tag == tag && v->unfinished == open && same_line(d->o, &v->line, l))
			return c->slot[i].class - 1;
		sys_checkpoint(d->p);
	}
	c->slot[i] = (struct slot){tag, c->n + 1};
	c->v[c->n++] = (struct class){h, *l, open};
	if (c->n > c->mask / 2)
		more_slots(c, (c->mask + 1) * 4);
	return c->n - 1;
}

/*
 * Where the files go the same way, the line of the second is the one after the last that was found in the first, and one
 * comparison of bytes tells its class. Where it is not, the class is looked up, and the way is found again if the line is
 * one of the next ones.
 */
static void classify_beside(struct diff *d, struct classes *c)
{
	struct diff_file *a = &d->f[0], *b = &d->f[1];
	size_t beside = a->first, end = a->first + a->used;

	for (size_t i = b->first; i < b->first + b->used; i++) {
		struct diff_line *l = &b->line[i], *x = &a->line[beside];
		size_t k;

		sys_checkpoint_n(d->p, l->len / 16 + 1);
		if (beside < end && x->len == l->len && memcmp(x->ptr, l->ptr, l->len) == 0 && !unfinished(d, b, i) &&
		    !unfinished(d, a, beside)) {
			l->class = x->class;
			beside++;
			continue;
		}
		l->class = class_of(d, c, l, unfinished(d, b, i));
		for (k = beside; k < MIN(end, beside + SEARCH_NEAR) && a->line[k].class != l->class; k++)
			;
		if (k < MIN(end, beside + SEARCH_NEAR))
			beside = k + 1;
	}
}

static void classify(struct diff *d)
{
	struct diff_file *a = &d->f[0];
	struct classes c = {.p = d->p};

	more_slots(&c, SLOTS_FIRST);
	c.v = u_array(d->p, a->used + d->f[1].used + 1, sizeof(*c.v));
	for (size_t i = a->first; i < a->first + a->used; i++) {
		sys_checkpoint_n(d->p, a->line[i].len / 16 + 1);
		a->line[i].class = class_of(d, &c, &a->line[i], unfinished(d, a, i));
	}
	classify_beside(d, &c);
	d->classes = c.n;
}

void diff_read_lines(struct diff *d)
{
	split(d, &d->f[0]);
	split(d, &d->f[1]);
	trim(d);
	classify(d);
}
