/*
 * lines.c - searches through whole buffers of lines.
 *
 * The search runs over the buffer, not line by line: to the next literal, or with an
 * automaton to which the delimiter is the end of one text and the start of the next. Only
 * a line that is hit is looked at as a line.
 */
#include "dfa.h"
#include "sim.h"

/* A search through a buffer. */
struct hunt {
	const struct regex *re;
	struct regex_scratch *s;
	const unsigned char *end;
	unsigned char delim;
	bool by_line;	  /* nothing better than line by line */
	bool by_literals;
	struct dfa *d;
};

static const unsigned char *line_end(const struct hunt *h, const unsigned char *p)
{
	const unsigned char *q = p < h->end ? memchr(p, h->delim, (size_t)(h->end - p)) : NULL;

	return q ? q : h->end;
}

/* The start of the line that holds p; lines before `from` are done. */
static const unsigned char *line_start(const struct hunt *h, const unsigned char *from,
				       const unsigned char *p)
{
	const unsigned char *q = p > from ? memrchr(from, h->delim, (size_t)(p - from)) : NULL;

	return q ? q + 1 : from;
}

static bool has_delim(const struct finder *f, unsigned char delim)
{
	for (unsigned i = 0; i < f->n; i++)
		if (memchr(f->needle[i].s, delim, f->needle[i].len))
			return true;
	return false;
}

static void hunt_init(struct hunt *h, const struct regex *re, struct regex_scratch *s,
		      const char *buf, size_t len, char delim)
{
	h->re = re;
	h->s = s;
	h->end = (const unsigned char *)buf + len;
	h->delim = (unsigned char)delim;
	h->by_line = re->program.has_backrefs || re->program.odd_start || re->bare ||
		      re->flags & (REGEX_SLOW | REGEX_NODFA);
	h->by_literals = !h->by_line && re->has_literals && !has_delim(&re->find, h->delim);
	h->d = NULL;
	s->marks_valid = false;
	if (h->by_line)
		return;
	if (!s->lines || s->lines->delim != h->delim) {
		s->lines = dfa_new(s, DFA_LINES);
		s->lines->delim = h->delim;
	}
	h->d = s->lines;
}

/* Whether one line has a match: 1, 0 or a failure. */
static int line_matches(struct hunt *h, const unsigned char *ls, const unsigned char *le)
{
	return regex_search(h->re, h->s, (const char *)ls, (size_t)(le - ls), 0, 0, NULL, 0);
}

/* The next line at p or later with a match: 1 with [*ls, *le), 0, or a failure. p is the start
 * of a line. */
static int next_line(struct hunt *h, const unsigned char *p, const unsigned char **ls,
		     const unsigned char **le)
{
	int r;

	if (h->by_line) {
		for (; p < h->end; p = *le + 1) {
			*ls = p;
			*le = line_end(h, p);
			scratch_tick(h->s, (size_t)(*le - p) + 8);
			r = line_matches(h, *ls, *le);
			if (r)
				return r;
		}
		return 0;
	}
	while (p < h->end) {
		if (h->by_literals) {
			const unsigned char *hit = NULL, *stop;

			while (p < h->end && !hit) { /* a slice at a time, cut at a line's end */
				stop = (size_t)(h->end - p) > SLICE ? line_end(h, p + SLICE) : h->end;
				hit = finder_find(&h->re->find, p, stop, NULL);
				scratch_tick(h->s, (size_t)((hit ? hit : stop) - p));
				if (!hit)
					p = stop < h->end ? stop + 1 : stop;
			}
			if (!hit)
				return 0;
			*ls = line_start(h, p, hit);
			*le = line_end(h, hit);
			if (h->re->literals_are_all)
				return 1;
			r = line_matches(h, *ls, *le);
		} else {
			bool quit;
			const unsigned char *at = dfa_next_line(h->d, p, h->end, &quit);

			if (!at)
				return 0;
			*ls = line_start(h, p, at);
			*le = line_end(h, at);
			if (!quit)
				return 1;
			r = line_matches(h, *ls, *le);
		}
		if (r)
			return r;
		p = *le + 1;
	}
	return 0;
}

int64_t regex_find_lines(const struct regex *re, struct regex_scratch *s, const char *buf, size_t len,
			 char delim, struct regex_span *lines, size_t max, size_t *done)
{
	const unsigned char *begin = (const unsigned char *)buf, *p = begin, *ls, *le;
	struct hunt h;
	size_t n = 0;

	hunt_init(&h, re, s, buf, len, delim);
	while (n < max) {
		int r = next_line(&h, p, &ls, &le);

		if (r < 0)
			return r;
		if (r == 0) {
			*done = len;
			return (int64_t)n;
		}
		lines[n++] = (struct regex_span){(size_t)(ls - begin), (size_t)(le - begin)};
		p = le < h.end ? le + 1 : le;
	}
	*done = (size_t)(p - begin);
	return (int64_t)n;
}

int64_t regex_count_lines(const struct regex *re, struct regex_scratch *s, const char *buf, size_t len,
			  char delim)
{
	const unsigned char *p = (const unsigned char *)buf, *ls, *le;
	struct hunt h;
	int64_t n = 0;
	int r;

	hunt_init(&h, re, s, buf, len, delim);
	while (p < h.end && (r = next_line(&h, p, &ls, &le)) != 0) {
		if (r < 0)
			return r;
		n++;
		p = le < h.end ? le + 1 : le;
	}
	return n;
}
