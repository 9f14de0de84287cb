/*
 * read.c - files as lines, and equal lines as equal numbers.
 *
 * What both files have in common at their beginnings and ends is not looked at, but for as many
 * lines as the context of the output needs.
 */
#include "diff.h"

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
			return next_char(o, s, n, at, column);
		}
		if (j == n && (o->ignore_changes || o->ignore_trailing)) {
			*at = n;
			return -1;
		}
		if (o->ignore_changes) {
			*at = j;
			return ' ';
		}
		if (o->ignore_tabs && c == '\t') {
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

uint64_t diff_hash_line(const struct diff_opts *o, const char *s, size_t n)
{
	uint64_t h = 1469598103934665603u;
	size_t at = 0, column = 0;
	int c;

	if (exact(o)) {
		for (size_t i = 0; i < n; i++)
			h = (h ^ (unsigned char)s[i]) * 1099511628211u;
	} else {
		while ((c = next_char(o, s, n, &at, &column)) >= 0)
			h = (h ^ (unsigned)c) * 1099511628211u;
	}
	return h ^ h >> 29;
}

bool diff_same_line(const struct diff_opts *o, const char *a, size_t na, const char *b, size_t nb)
{
	size_t i = 0, j = 0, ci = 0, cj = 0;

	if (na == nb && (na == 0 || memcmp(a, b, na) == 0))
		return true;
	if (exact(o))
		return false;
	for (;;) {
		int x = next_char(o, a, na, &i, &ci), y = next_char(o, b, nb, &j, &cj);

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
		f->line[n] = (struct diff_line){s, (size_t)(nl - s), 0};
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

static void trim(struct diff *d)
{
	struct diff_file *a = &d->f[0], *b = &d->f[1];
	size_t least = MIN(a->n, b->n), head = 0, tail = 0, all;

	while (head < least && same_bytes(d, head, head))
		head++;
	all = head;
	while (tail < least - all && same_bytes(d, a->n - 1 - tail, b->n - 1 - tail))
		tail++;
	head = head > d->horizon ? head - d->horizon : 0;
	tail = tail > d->horizon ? tail - d->horizon : 0;
	a->first = b->first = head;
	a->used = a->n - tail - head;
	b->used = b->n - tail - head;
}

struct class {
	uint64_t hash;
	const char *ptr;
	size_t len;
	bool unfinished;
	uint32_t next;		/* in its bucket, from 1 */
};

static void classify(struct diff *d)
{
	size_t total = d->f[0].used + d->f[1].used, buckets = 64, n = 0;
	uint32_t *bucket;
	struct class *v;

	while (buckets < total)
		buckets *= 2;
	bucket = u_zalloc(d->p, size_mul(buckets, sizeof(*bucket)));
	v = u_array(d->p, total + 1, sizeof(*v));
	for (int f = 0; f < 2; f++) {
		struct diff_file *x = &d->f[f];

		for (size_t i = x->first; i < x->first + x->used; i++) {
			struct diff_line *l = &x->line[i];
			bool open = unfinished(d, x, i);
			uint64_t h = diff_hash_line(d->o, l->ptr, l->len) + open;
			uint32_t *head = &bucket[h & (buckets - 1)], k = *head;

			sys_checkpoint_n(d->p, (uint32_t)MIN(l->len + 1, UINT32_MAX));
			while (k && !(v[k - 1].hash == h && v[k - 1].unfinished == open &&
				      diff_same_line(d->o, v[k - 1].ptr, v[k - 1].len, l->ptr, l->len)))
				k = v[k - 1].next;
			if (!k) {
				v[n] = (struct class){h, l->ptr, l->len, open, *head};
				k = *head = (uint32_t)++n;
			}
			l->class = k - 1;
		}
	}
}

void diff_read_lines(struct diff *d)
{
	split(d, &d->f[0]);
	split(d, &d->f[1]);
	trim(d);
	classify(d);
}
