/*
 * linediff.c - two texts compared line by line, as hunks of a unified diff.
 *
 * Myers' algorithm: the middle of a shortest way through the grid of both texts is looked for from both
 * ends at once, then the two halves are treated alike. A part that takes too many steps is given as
 * replaced as a whole: not the shortest diff then, but a right one.
 */
#include "overlay.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CONTEXT   3
#define COST_MAX  4096
#define LINES_MAX ((size_t)1 << 26)

/* ---- Text that grows -------------------------------------------------------------- */

void api_text_add(struct api_text *t, const char *s, size_t n)
{
	if (t->err)
		return;
	if (n >= API_TEXT_MAX - t->len) {
		t->err = -NACRE_EFBIG;
		return;
	}
	if (t->len + n + 1 > t->cap) {
		size_t cap = MAX(t->cap * 2, t->len + n + 256);
		char *more = realloc(t->s, cap);

		if (!more) {
			t->err = -NACRE_ENOMEM;
			return;
		}
		t->s = more;
		t->cap = cap;
	}
	memcpy(t->s + t->len, s, n);
	t->len += n;
	t->s[t->len] = '\0';
}

void api_text_str(struct api_text *t, const char *s)
{
	api_text_add(t, s, strlen(s));
}

void api_text_format(struct api_text *t, const char *format, ...)
{
	char buf[256];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(buf, sizeof(buf), format, ap);
	va_end(ap);
	api_text_add(t, buf, (size_t)MIN(n, (int)sizeof(buf) - 1));
}

/* ---- Lines -------------------------------------------------------------------------- */

struct line {
	const char *s;
	size_t len; /* its newline included */
	uint64_t hash;
};

struct side {
	struct line *v;
	size_t n;
	bool *changed;
};

struct compare {
	struct side a, b;
	ptrdiff_t *fwd, *back; /* by diagonal, from -b.n - 1 to a.n + 1 */
};

static bool split(struct side *side, const char *s, size_t n)
{
	size_t count = 0, k = 0;

	for (size_t i = 0; i < n; i++)
		count += s[i] == '\n';
	count += n > 0 && s[n - 1] != '\n';
	if (count > LINES_MAX)
		return false;
	side->v = malloc((count + 1) * sizeof(*side->v));
	side->changed = calloc(count + 1, 1);
	if (!side->v || !side->changed)
		return false;
	for (size_t i = 0; i < n;) {
		const char *end = memchr(s + i, '\n', n - i);
		size_t len = end ? (size_t)(end - (s + i)) + 1 : n - i;
		uint64_t h = 14695981039346656037u;

		for (size_t c = 0; c < len; c++)
			h = (h ^ (unsigned char)s[i + c]) * 1099511628211u;
		side->v[k++] = (struct line){s + i, len, h};
		i += len;
	}
	side->n = k;
	return true;
}

static bool same(const struct compare *c, ptrdiff_t x, ptrdiff_t y)
{
	const struct line *a = &c->a.v[x], *b = &c->b.v[y];

	return a->hash == b->hash && a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}

/* ---- The middle of a way --------------------------------------------------------------- */

struct box {
	ptrdiff_t x0, x1, y0, y1;
};

/* A stretch where both texts are the same that a shortest way goes through. */
struct snake {
	ptrdiff_t x, y, u, v; /* from (x, y) to (u, v), in the box */
	ptrdiff_t steps;      /* of the whole way */
};

/* Step h on every diagonal k that lies in the grid, forwards or from the end: mine[k] is how far one got along a.
 * True when it meets `other`. */
static bool advance(const struct compare *c, const struct box *r, ptrdiff_t h, bool forward, struct snake *out)
{
	ptrdiff_t n = r->x1 - r->x0, m = r->y1 - r->y0, odd = (n + m) & 1, reach = forward ? h - 1 : h;
	ptrdiff_t *mine = forward ? c->fwd : c->back;
	const ptrdiff_t *other = forward ? c->back : c->fwd;

	for (ptrdiff_t k = -(h - 2 * MAX(0, h - m)); k <= h - 2 * MAX(0, h - n); k += 2) {
		bool down = k == -h || (k != h && mine[k - 1] < mine[k + 1]);
		ptrdiff_t x = down ? mine[k + 1] : mine[k - 1] + 1, s = x, z = n - m - k;

		while (x < n && x - k < m &&
		       (forward ? same(c, r->x0 + x, r->y0 + x - k) : same(c, r->x1 - 1 - x, r->y1 - 1 - (x - k))))
			x++;
		mine[k] = x;
		if (odd != (forward ? 1 : 0) || z < -reach || z > reach || x + other[z] < n)
			continue;
		*out = forward ? (struct snake){s, s - k, x, x - k, 2 * h - 1}
			       : (struct snake){n - x, m - (x - k), n - s, m - (s - k), 2 * h};
		return true;
	}
	return false;
}

static bool middle(const struct compare *c, const struct box *r, struct snake *out)
{
	ptrdiff_t last = MIN((r->x1 - r->x0 + r->y1 - r->y0 + 1) / 2, COST_MAX);

	for (ptrdiff_t k = -last - 1; k <= last + 1; k++)
		c->fwd[k] = c->back[k] = 0;
	for (ptrdiff_t h = 0; h <= last; h++)
		if (advance(c, r, h, true, out) || advance(c, r, h, false, out))
			return true;
	return false;
}

static void mark(const struct compare *c, const struct box *r)
{
	for (ptrdiff_t x = r->x0; x < r->x1; x++)
		c->a.changed[x] = true;
	for (ptrdiff_t y = r->y0; y < r->y1; y++)
		c->b.changed[y] = true;
}

static void compare(const struct compare *c, struct box r)
{
	struct snake s;

	for (;;) {
		while (r.x0 < r.x1 && r.y0 < r.y1 && same(c, r.x0, r.y0)) {
			r.x0++;
			r.y0++;
		}
		while (r.x0 < r.x1 && r.y0 < r.y1 && same(c, r.x1 - 1, r.y1 - 1)) {
			r.x1--;
			r.y1--;
		}
		/* With both ends different a way of one step is a line of one of them: nothing is left of the other. */
		if (r.x0 == r.x1 || r.y0 == r.y1 || !middle(c, &r, &s) || s.steps <= 1) {
			mark(c, &r);
			return;
		}
		compare(c, (struct box){r.x0, r.x0 + s.x, r.y0, r.y0 + s.y});
		r.x0 += s.u;
		r.y0 += s.v;
	}
}

/* ---- Hunks ----------------------------------------------------------------------------- */

static void put_line(struct api_text *out, char mark_char, const struct line *l)
{
	api_text_add(out, &mark_char, 1);
	api_text_add(out, l->s, l->len);
	if (l->s[l->len - 1] != '\n')
		api_text_str(out, "\n\\ No newline at end of file\n");
}

static void put_range(struct api_text *out, char sign, size_t start, size_t n)
{
	api_text_format(out, n == 1 ? "%c%zu" : "%c%zu,%zu", sign, n ? start + 1 : start, n);
}

/* One hunk from (x, y): as far as changes are no more than twice the context apart. */
static void put_hunk(struct api_text *out, const struct compare *c, size_t *px, size_t *py)
{
	size_t lead = MIN(MIN(*px, *py), (size_t)CONTEXT), x = *px, y = *py, ex = x, ey = y, tail = 0;
	size_t x0 = x - lead, y0 = y - lead;

	while ((x < c->a.n || y < c->b.n) && tail <= 2 * CONTEXT) {
		if ((x < c->a.n && c->a.changed[x]) || (y < c->b.n && c->b.changed[y])) {
			while (x < c->a.n && c->a.changed[x])
				x++;
			while (y < c->b.n && c->b.changed[y])
				y++;
			ex = x;
			ey = y;
			tail = 0;
		} else {
			x++;
			y++;
			tail++;
		}
	}
	*px = ex;
	*py = ey;
	tail = MIN(MIN(c->a.n - ex, c->b.n - ey), (size_t)CONTEXT);
	api_text_str(out, "@@ ");
	put_range(out, '-', x0, ex + tail - x0);
	api_text_str(out, " ");
	put_range(out, '+', y0, ey + tail - y0);
	api_text_str(out, " @@\n");
	for (x = x0, y = y0; x < ex + tail || y < ey + tail;) {
		if (x < ex && c->a.changed[x])
			put_line(out, '-', &c->a.v[x++]);
		else if (y < ey && c->b.changed[y])
			put_line(out, '+', &c->b.v[y++]);
		else {
			put_line(out, ' ', &c->a.v[x++]);
			y++;
		}
	}
}

static void put_hunks(struct api_text *out, const struct compare *c)
{
	size_t x = 0, y = 0;

	while (x < c->a.n || y < c->b.n) {
		if ((x < c->a.n && c->a.changed[x]) || (y < c->b.n && c->b.changed[y])) {
			put_hunk(out, c, &x, &y);
		} else {
			x++;
			y++;
		}
	}
}

void linediff(struct api_text *out, const char *a, size_t an, const char *b, size_t bn)
{
	struct compare c = {.fwd = NULL};
	size_t half = COST_MAX + 2;
	ptrdiff_t *diagonals = malloc((4 * half + 2) * sizeof(*diagonals));

	if (diagonals && split(&c.a, a, an) && split(&c.b, b, bn)) {
		c.fwd = diagonals + half;
		c.back = diagonals + 3 * half + 1;
		compare(&c, (struct box){0, (ptrdiff_t)c.a.n, 0, (ptrdiff_t)c.b.n});
		put_hunks(out, &c);
	} else {
		out->err = out->err ? out->err : -NACRE_ENOMEM;
	}
	free(c.a.v);
	free(c.b.v);
	free(c.a.changed);
	free(c.b.changed);
	free(diagonals);
}
