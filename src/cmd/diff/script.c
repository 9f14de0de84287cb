/*
 * script.c - which lines changed between two files.
 *
 * Lines that the other file lacks, and most of those it has very often, are set aside first;
 * what remains is compared with Myers' algorithm from both ends at once, whose cost is
 * bounded. Last, runs of changed lines are moved to where neighbouring runs join and where
 * they face a change in the other file. Each of the three steps decides like GNU diff, since a
 * difference has many descriptions and scripts know that one.
 */
#include "diff.h"

struct search {
	struct proc *p;
	const uint32_t *v[2];	/* classes of the lines kept */
	const uint32_t *real[2]; /* their places among all compared */
	char *changed[2];
	int64_t *forward, *back;
	int64_t too_expensive;
};

/* ---- Setting lines aside -------------------------------------------------------------- */

enum { KEEP, DROP, MAYBE };

/* The run [i, i + length) begins and ends with DROP and has few MAYBEs: decides about those. */
static void settle_run(char *mark, size_t i, size_t length)
{
	size_t least = 1, k, consecutive;

	for (size_t t = length >> 2; (t >>= 2) > 0;)
		least <<= 1;
	least++;
	/* A sub-run of `least` or more is kept whole. */
	for (k = 0; k < length;) {
		size_t run = 0;

		while (k + run < length && mark[i + k + run] == MAYBE)
			run++;
		if (run >= least)
			memset(mark + i + k, KEEP, run);
		k += run + 1;
	}
	/* So are those near either end, up to three DROPs in a row or one that is 8 lines in. */
	for (int side = 0; side < 2; side++) {
		for (k = 0, consecutive = 0; k < length && consecutive < 3; k++) {
			char *m = side == 0 ? &mark[i + k] : &mark[i + length - 1 - k];

			if (k >= 8 && *m == DROP)
				break;
			consecutive = *m == DROP ? consecutive + 1 : 0;
			if (*m == MAYBE)
				*m = KEEP;
		}
	}
}

static void settle(char *mark, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t j, maybe = 0;

		if (mark[i] == MAYBE)
			mark[i] = KEEP;
		if (mark[i] == KEEP)
			continue;
		for (j = i; j < n && mark[j] != KEEP; j++)
			maybe += mark[j] == MAYBE;
		while (j > i && mark[j - 1] == MAYBE) {
			mark[--j] = KEEP;
			maybe--;
		}
		if (maybe * 4 > j - i) {
			for (size_t k = i; k < j; k++) {
				if (mark[k] == MAYBE)
					mark[k] = KEEP;
			}
		} else {
			settle_run(mark, i, j - i);
			i = j - 1;
		}
	}
}

static size_t keep_lines(struct diff *d, int f, const uint32_t *count_other, uint32_t **v, uint32_t **real)
{
	struct diff_file *x = &d->f[f];
	char *mark = u_zalloc(d->p, x->used + 1);
	uint32_t many = 5;
	size_t n = 0;

	for (size_t t = x->used / 64; (t >>= 2) > 0;)
		many *= 2;
	for (size_t i = 0; i < x->used; i++) {
		uint32_t c = count_other[x->line[x->first + i].class];

		mark[i] = c == 0 ? DROP : c > many ? MAYBE : KEEP;
	}
	settle(mark, x->used);
	*v = u_array(d->p, x->used + 1, sizeof(**v));
	*real = u_array(d->p, x->used + 1, sizeof(**real));
	for (size_t i = 0; i < x->used; i++) {
		if (d->o->minimal || mark[i] == KEEP) {
			(*v)[n] = x->line[x->first + i].class;
			(*real)[n++] = (uint32_t)i;
		} else {
			x->changed[i] = 1;
		}
	}
	return n;
}

/* ---- Comparing ------------------------------------------------------------------------ */

struct box {
	int64_t x0, x1, y0, y1;
};

struct middle {
	int64_t x, y;
	bool low_minimal, high_minimal;
};

/* Gives up on the shortest way: the point that got farthest from either corner. */
static struct middle best_so_far(const struct search *s, struct box b, int64_t fmin, int64_t fmax, int64_t bmin,
				 int64_t bmax)
{
	int64_t fbest = -1, fx = 0, bbest = INT64_MAX, bx = 0;

	for (int64_t d = fmax; d >= fmin; d -= 2) {
		int64_t x = MIN(s->forward[d], b.x1), y = x - d;

		if (y > b.y1) {
			x = b.y1 + d;
			y = b.y1;
		}
		if (x + y > fbest) {
			fbest = x + y;
			fx = x;
		}
	}
	for (int64_t d = bmax; d >= bmin; d -= 2) {
		int64_t x = MAX(s->back[d], b.x0), y = x - d;

		if (y < b.y0) {
			x = b.y0 + d;
			y = b.y0;
		}
		if (x + y < bbest) {
			bbest = x + y;
			bx = x;
		}
	}
	if (b.x1 + b.y1 - bbest < fbest - (b.x0 + b.y0))
		return (struct middle){fx, fbest - fx, true, false};
	return (struct middle){bx, bbest - bx, false, true};
}

/* A point on a shortest way through the box. */
static struct middle find_middle(struct search *s, struct box b, bool minimal)
{
	int64_t *fd = s->forward, *bd = s->back;
	const uint32_t *xv = s->v[0], *yv = s->v[1];
	int64_t dmin = b.x0 - b.y1, dmax = b.x1 - b.y0, fmid = b.x0 - b.y0, bmid = b.x1 - b.y1;
	int64_t fmin = fmid, fmax = fmid, bmin = bmid, bmax = bmid;
	bool odd = (fmid - bmid) & 1;

	fd[fmid] = b.x0;
	bd[bmid] = b.x1;
	for (int64_t cost = 1;; cost++) {
		if (fmin > dmin)
			fd[--fmin - 1] = -1;
		else
			fmin++;
		if (fmax < dmax)
			fd[++fmax + 1] = -1;
		else
			fmax--;
		for (int64_t d = fmax; d >= fmin; d -= 2) {
			int64_t x = fd[d - 1] < fd[d + 1] ? fd[d + 1] : fd[d - 1] + 1, y = x - d;

			sys_checkpoint(s->p);
			while (x < b.x1 && y < b.y1 && xv[x] == yv[y]) {
				x++;
				y++;
			}
			fd[d] = x;
			if (odd && bmin <= d && d <= bmax && bd[d] <= x)
				return (struct middle){x, y, true, true};
		}
		if (bmin > dmin)
			bd[--bmin - 1] = INT64_MAX;
		else
			bmin++;
		if (bmax < dmax)
			bd[++bmax + 1] = INT64_MAX;
		else
			bmax--;
		for (int64_t d = bmax; d >= bmin; d -= 2) {
			int64_t x = bd[d - 1] < bd[d + 1] ? bd[d - 1] : bd[d + 1] - 1, y = x - d;

			sys_checkpoint(s->p);
			while (x > b.x0 && y > b.y0 && xv[x - 1] == yv[y - 1]) {
				x--;
				y--;
			}
			bd[d] = x;
			if (!odd && fmin <= d && d <= fmax && x <= fd[d])
				return (struct middle){x, y, true, true};
		}
		if (!minimal && cost >= s->too_expensive)
			return best_so_far(s, b, fmin, fmax, bmin, bmax);
	}
}

/* Recursion is only into the smaller half; the stack of the other is bounded by the logarithm. */
static void compare(struct search *s, struct box b, bool minimal)
{
	for (;;) {
		struct middle m;
		struct box low, high;

		while (b.x0 < b.x1 && b.y0 < b.y1 && s->v[0][b.x0] == s->v[1][b.y0]) {
			b.x0++;
			b.y0++;
		}
		while (b.x0 < b.x1 && b.y0 < b.y1 && s->v[0][b.x1 - 1] == s->v[1][b.y1 - 1]) {
			b.x1--;
			b.y1--;
		}
		if (b.x0 == b.x1 || b.y0 == b.y1)
			break;
		m = find_middle(s, b, minimal);
		low = (struct box){b.x0, m.x, b.y0, m.y};
		high = (struct box){m.x, b.x1, m.y, b.y1};
		if (low.x1 - low.x0 + low.y1 - low.y0 < high.x1 - high.x0 + high.y1 - high.y0) {
			compare(s, low, m.low_minimal);
			b = high;
			minimal = m.high_minimal;
		} else {
			compare(s, high, m.high_minimal);
			b = low;
			minimal = m.low_minimal;
		}
	}
	for (int64_t x = b.x0; x < b.x1; x++)
		s->changed[0][s->real[0][x]] = 1;
	for (int64_t y = b.y0; y < b.y1; y++)
		s->changed[1][s->real[1][y]] = 1;
}

/* ---- Moving runs ---------------------------------------------------------------------- */

static void shift_runs(struct diff *d, int f)
{
	struct diff_file *x = &d->f[f];
	const struct diff_line *line = x->line + x->first;
	char *changed = x->changed, *other = d->f[1 - f].changed;
	int64_t i = 0, j = 0, end = (int64_t)x->used;

	for (;;) {
		int64_t start, length, facing;

		while (i < end && !changed[i]) {
			while (other[j++])
				;
			i++;
		}
		if (i == end)
			break;
		start = i;
		while (changed[++i])
			;
		while (other[j])
			j++;
		do {
			sys_checkpoint(d->p);
			length = i - start;
			while (start > 0 && line[start - 1].class == line[i - 1].class) {
				changed[--start] = 1;
				changed[--i] = 0;
				while (changed[start - 1])
					start--;
				while (other[--j])
					;
			}
			facing = other[j - 1] ? i : end;
			while (i != end && line[start].class == line[i].class) {
				changed[start++] = 0;
				changed[i++] = 1;
				while (changed[i])
					i++;
				while (other[++j])
					facing = i;
			}
		} while (length != i - start);
		while (facing < i) {
			changed[--start] = 1;
			changed[--i] = 0;
			while (other[--j])
				;
		}
	}
}

/* ---- The list of changes -------------------------------------------------------------- */

/* Whether every line of the change may be ignored: blank with -B, matching with -I. */
static bool ignorable(struct diff *d, const struct diff_change *c)
{
	if (!d->o->ignore_blank && d->o->ignore_lines.n == 0)
		return false;
	for (int f = 0; f < 2; f++) {
		for (size_t i = c->at[f]; i < c->at[f] + c->n[f]; i++) {
			const struct diff_line *l = &d->f[f].line[i];
			bool skip = false;

			if (d->o->ignore_blank) {
				size_t k = 0;

				while ((d->o->ignore_space || d->o->ignore_changes) && k < l->len &&
				       ascii_space((unsigned char)l->ptr[k]))
					k++;
				skip = k == l->len;
			}
			for (size_t k = 0; !skip && k < d->o->ignore_lines.n; k++) {
				struct regex_span span[1];

				skip = regex_search(d->ignore[k], d->ignore_scratch[k], l->ptr, l->len, 0, 0, span, 1) > 0;
			}
			if (!skip)
				return false;
		}
	}
	return true;
}

static void list_changes(struct diff *d)
{
	struct diff_file *a = &d->f[0], *b = &d->f[1];
	size_t cap = 16, i = 0, j = 0;

	d->change = u_array(d->p, cap, sizeof(*d->change));
	d->nchanges = 0;
	while (i < a->used || j < b->used) {
		struct diff_change c = {.at = {a->first + i, b->first + j}};

		if (!a->changed[i] && !b->changed[j]) {
			i++;
			j++;
			continue;
		}
		while (a->changed[i])
			i++;
		while (b->changed[j])
			j++;
		c.n[0] = a->first + i - c.at[0];
		c.n[1] = b->first + j - c.at[1];
		c.ignored = ignorable(d, &c);
		if (d->nchanges == cap) {
			struct diff_change *v = u_array(d->p, cap * 2, sizeof(*v));

			memcpy(v, d->change, cap * sizeof(*v));
			d->change = v;
			cap *= 2;
		}
		d->change[d->nchanges++] = c;
	}
}

void diff_find_changes(struct diff *d)
{
	struct search s = {.p = d->p};
	uint32_t *v[2], *real[2], *count[2];
	size_t n[2], diagonals;

	for (int f = 0; f < 2; f++) {
		struct diff_file *x = &d->f[f];

		/* A margin on both sides that never changed: the loops above stop there. */
		x->changed = (char *)u_zalloc(d->p, x->used + 3) + 1;
		count[f] = u_zalloc(d->p, size_mul(d->classes + (size_t)1, sizeof(uint32_t)));
		for (size_t i = 0; i < x->used; i++)
			count[f][x->line[x->first + i].class]++;
	}
	for (int f = 0; f < 2; f++)
		n[f] = keep_lines(d, f, count[1 - f], &v[f], &real[f]);
	diagonals = n[0] + n[1] + 3;
	s.forward = (int64_t *)u_array(d->p, diagonals, sizeof(int64_t)) + n[1] + 1;
	s.back = (int64_t *)u_array(d->p, diagonals, sizeof(int64_t)) + n[1] + 1;
	s.too_expensive = 1;
	for (size_t t = diagonals; t != 0; t >>= 2)
		s.too_expensive <<= 1;
	s.too_expensive = MAX(s.too_expensive, 4096);
	for (int f = 0; f < 2; f++) {
		s.v[f] = v[f];
		s.real[f] = real[f];
		s.changed[f] = d->f[f].changed;
	}
	compare(&s, (struct box){0, (int64_t)n[0], 0, (int64_t)n[1]}, d->o->minimal);
	shift_runs(d, 0);
	shift_runs(d, 1);
	list_changes(d);
}
