/*
 * lines.c - searches through whole buffers of lines.
 *
 * The search runs over the buffer, not line by line: to the next literal, or with an
 * automaton to which the delimiter is the end of one text and the start of the next. Only
 * a line that is hit is looked at as a line.
 */
#include "dfa.h"
#include "sim.h"

#define LANES       4
#define BLOCK_COUNT 65536u /* bytes that four lanes share when only counting */
#define BLOCK_LIST  16384u /* ... when lines are wanted */

/* A search through a buffer. */
struct hunt {
	const struct regex *re;
	struct regex_scratch *s;
	const unsigned char *end;
	unsigned char delim;
	bool by_line; /* nothing better than line by line */
	bool by_literals;
	bool by_lanes;
	struct dfa *d;
};

/* One of several runs of the automaton through parts of a block. Their steps alternate, so
 * that one waits for memory while the others go on. */
struct lane {
	const unsigned char *p, *end;
	uint32_t state;
	int64_t n;      /* lines found */
	uint16_t *line; /* where each ends, from the block's start; NULL when only counting */
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

/* Without literals: skipping if that is any use, else lanes. */
static void choose_run(struct hunt *h)
{
	h->by_lanes = !dfa_can_idle(h->d) && h->d->flushes == 0;
}

/* Lanes, once skipping has shown to be no use. */
static bool use_lanes(struct hunt *h)
{
	if (!h->by_lanes && h->d && !h->by_literals && h->d->never_idle && h->d->flushes == 0)
		h->by_lanes = true;
	return h->by_lanes;
}

/* Literals that are found all the time, only for the automaton to be asked about the line, are in
 * the way. */
static void weigh_literals(struct hunt *h, size_t bytes)
{
	struct regex_scratch *s = h->s;

	s->literal_hits++;
	s->literal_bytes += bytes;
	if (s->literal_hits < 64 || s->literal_bytes / 640 > s->literal_hits)
		return;
	s->literals_are_common = true;
	h->by_literals = false;
	choose_run(h);
}

static void hunt_init(struct hunt *h, const struct regex *re, struct regex_scratch *s,
                      const char *buf, size_t len, char delim)
{
	h->re = re;
	h->s = s;
	h->end = (const unsigned char *)buf + len;
	h->delim = (unsigned char)delim;
	h->by_line = re->program.has_backrefs || re->program.odd_start ||
	             (re->bare && re->program.is_utf8) || re->flags & (REGEX_SLOW | REGEX_NODFA);
	h->by_literals = !h->by_line && re->has_literals && !s->literals_are_common &&
	                 !has_delim(&re->find, h->delim);
	h->by_lanes = false;
	h->d = NULL;
	s->marks_valid = false;
	if (h->by_line)
		return;
	if (!s->lines || s->lines->delim != h->delim) {
		s->lines = dfa_new(s, DFA_LINES);
		s->lines->delim = h->delim;
	}
	h->d = s->lines;
	if (!h->by_literals)
		choose_run(h);
}

/* Whether one line has a match: 1, 0 or a failure. */
static int line_matches(struct hunt *h, const unsigned char *ls, const unsigned char *le)
{
	return regex_search(h->re, h->s, (const char *)ls, (size_t)(le - ls), 0, 0, NULL, 0);
}

/* The next literal at *p or later, or a byte where there may be a match without (*is_far);
 * *p moves to a line's start at most as far. NULL at the end. */
static const unsigned char *next_literal(struct hunt *h, const unsigned char **p, bool *is_far)
{
	*is_far = false;
	while (*p < h->end) { /* a slice at a time, cut at a line's end */
		const unsigned char *from = *p, *hit, *far;
		const unsigned char *stop = (size_t)(h->end - from) > SLICE
		                                    ? line_end(h, from + SLICE)
		                                    : h->end;

		hit = finder_find(&h->re->find, from, stop, NULL);
		if (h->re->has_far) {
			far = byteclass_find(&h->re->far, from, hit ? hit : stop);
			*is_far = far != (hit ? hit : stop);
			if (*is_far)
				hit = far;
		}
		scratch_tick(h->s, (size_t)((hit ? hit : stop) - from));
		if (hit)
			return hit;
		*p = stop < h->end ? stop + 1 : stop;
	}
	return NULL;
}

/* The next line at p or later with a match: 1 with [*ls, *le), 0, or a failure. p is the start
 * of a line. ls may be NULL when a literal is all there is to find. */
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
			const unsigned char *hit, *from = p;
			bool is_far;

			hit = next_literal(h, &p, &is_far);
			if (!hit)
				return 0;
			*le = line_end(h, hit);
			if (h->re->literals_are_all && !is_far) {
				if (ls)
					*ls = line_start(h, p, hit);
				return 1;
			}
			*ls = line_start(h, p, hit);
			weigh_literals(h, (size_t)(*le - from));
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

/* ---- Four lanes -------------------------------------------------------- */

/* Cuts [p, end), whole lines, into lanes of about the same size. */
static void cut(const struct hunt *h, struct lane *lane, const unsigned char *p,
                const unsigned char *end, uint16_t *room)
{
	size_t part = (size_t)(end - p) / LANES;
	uint32_t start = dfa_start(h->d, CTX_LINE | CTX_TEXT);

	for (int i = 0; i < LANES; i++) {
		const unsigned char *to = end;

		if (i < LANES - 1 && (size_t)(end - p) > part) {
			to = memchr(p + part, h->delim, (size_t)(end - p) - part);
			to = to ? to + 1 : end;
		}
		lane[i] = (struct lane){.p = p, .end = to, .state = start};
		if (room)
			lane[i].line = room + (p - lane[0].p);
		p = to;
	}
}

/* The lane's last transition led below DFA_FIRST: `from` is the state it came from. False when
 * states were dropped, or a failure in *failure. */
static bool settle(struct hunt *h, struct lane *l, uint32_t from, const unsigned char *base,
                   int *failure)
{
	struct dfa *d = h->d;
	uint64_t flushes = d->flushes;
	const unsigned char *le;
	bool found;

	if (l->state == DFA_UNKNOWN) {
		l->state = dfa_step(d, from, d->p->class_of[l->p[-1]]);
		if (d->flushes != flushes)
			return false;
		if (l->state >= DFA_FIRST * d->row)
			return true;
	}
	found = l->state == DFA_FOUND * d->row;
	le = l->p[-1] == h->delim ? l->p - 1 : memchr(l->p, h->delim, (size_t)(l->end - l->p));
	if (!found) { /* the simulation knows */
		const unsigned char *ls = line_start(h, base, l->p - 1);
		int r = line_matches(h, ls, le);

		if (r < 0) {
			*failure = r;
			return false;
		}
		found = r;
	}
	if (found) {
		if (l->line)
			l->line[l->n] = (uint16_t)(le - base);
		l->n++;
	}
	l->p = le + 1;
	l->state = dfa_start(d, CTX_LINE | CTX_TEXT);
	return true;
}

/* Runs all lanes to their ends. False when it must be done another way. */
static bool run_lanes(struct hunt *h, struct lane *lane, int *failure)
{
	struct dfa *d = h->d;
	const uint8_t *class_of = d->p->class_of;
	const uint32_t first = DFA_FIRST * d->row;
	const unsigned char *base = lane[0].p;

	for (;;) {
		const uint32_t *next = d->next;
		size_t k = SIZE_MAX, i = 0;
		const unsigned char *p0 = lane[0].p, *p1 = lane[1].p, *p2 = lane[2].p,
		                    *p3 = lane[3].p;
		uint32_t s0 = lane[0].state, s1 = lane[1].state, s2 = lane[2].state,
		         s3 = lane[3].state;
		uint32_t o0 = s0, o1 = s1, o2 = s2, o3 = s3;
		uint32_t from[LANES];

		for (int j = 0; j < LANES; j++)
			k = MIN(k, (size_t)(lane[j].end - lane[j].p));
		if (k == 0)
			break;
		while (i < k) {
			o0 = s0;
			o1 = s1;
			o2 = s2;
			o3 = s3;
			s0 = (next + class_of[p0[i]])[s0];
			s1 = (next + class_of[p1[i]])[s1];
			s2 = (next + class_of[p2[i]])[s2];
			s3 = (next + class_of[p3[i]])[s3];
			i++;
			if (UNLIKELY(s0 < first || s1 < first || s2 < first || s3 < first))
				break;
		}
		from[0] = o0;
		from[1] = o1;
		from[2] = o2;
		from[3] = o3;
		lane[0].state = s0;
		lane[1].state = s1;
		lane[2].state = s2;
		lane[3].state = s3;
		for (int j = 0; j < LANES; j++)
			lane[j].p += i;
		for (int j = 0; j < LANES; j++)
			if (lane[j].state < first && !settle(h, &lane[j], from[j], base, failure))
				return false;
	}
	/* what is left of each lane, alone */
	for (int j = 0; j < LANES; j++) {
		struct lane *l = &lane[j];

		while (l->p < l->end) {
			uint32_t from = l->state;

			l->state = d->next[from + class_of[*l->p++]];
			if (l->state < first && !settle(h, l, from, base, failure))
				return false;
		}
	}
	return true;
}

/* The end of a block of whole lines from p, at least `want` bytes if there are; p when there is
 * no whole line. */
static const unsigned char *block_end(const struct hunt *h, const unsigned char *p, size_t want)
{
	const unsigned char *q = (size_t)(h->end - p) > want ? p + want : h->end;

	q = memrchr(p, h->delim, (size_t)(q - p));
	return q ? q + 1 : p;
}

/* Lines of one block into lines[]; *p moves past what is done. 1 when the block was done, 0
 * when it is to be searched another way, or a failure. */
static int list_block(struct hunt *h, const unsigned char *begin, const unsigned char **p,
                      struct regex_span *lines, size_t max, size_t *n)
{
	struct lane lane[LANES];
	const unsigned char *base = *p, *end = block_end(h, base, BLOCK_LIST), *done = base;
	int failure = 0;

	if (end - base < 1024)
		return 0;
	if (!h->s->line_ends)
		h->s->line_ends = arena_alloc(h->s->arena, BLOCK_LIST * sizeof(*h->s->line_ends));
	scratch_tick(h->s, (size_t)(end - base));
	cut(h, lane, base, end, h->s->line_ends);
	if (!run_lanes(h, lane, &failure)) {
		h->by_lanes = h->d->flushes == 0;
		return failure;
	}
	for (int j = 0; j < LANES; j++)
		for (int64_t i = 0; i < lane[j].n; i++) {
			const unsigned char *le = base + lane[j].line[i], *ls;

			if (*n == max) {
				*p = done;
				return 1;
			}
			ls = line_start(h, done, le);
			lines[(*n)++] = (struct regex_span){(size_t)(ls - begin),
			                                    (size_t)(le - begin)};
			done = le + 1;
		}
	*p = end;
	return 1;
}

int64_t regex_find_lines(const struct regex *re, struct regex_scratch *s, const char *buf,
                         size_t len, char delim, struct regex_span *lines, size_t max, size_t *done)
{
	const unsigned char *begin = (const unsigned char *)buf, *p = begin, *ls, *le;
	struct hunt h;
	size_t n = 0;

	hunt_init(&h, re, s, buf, len, delim);
	while (n < max) {
		int r;

		/* lanes while few lines are hit: what does not fit is searched again */
		if (use_lanes(&h) && max - n >= 64 && n < 16 + (size_t)(p - begin) / 256) {
			r = list_block(&h, begin, &p, lines, max, &n);
			if (r < 0)
				return r;
			if (r > 0)
				continue;
		}
		r = next_line(&h, p, &ls, &le);
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

/* Counts with lanes as far as they go; *p moves on. */
static int count_lanes(struct hunt *h, const unsigned char **p, int64_t *n)
{
	while (use_lanes(h)) {
		struct lane lane[LANES];
		const unsigned char *end = block_end(h, *p, BLOCK_COUNT);
		int failure = 0;

		if (end - *p < 1024)
			return 0;
		scratch_tick(h->s, (size_t)(end - *p));
		cut(h, lane, *p, end, NULL);
		if (!run_lanes(h, lane, &failure)) {
			h->by_lanes = false;
			return failure;
		}
		for (int j = 0; j < LANES; j++)
			*n += lane[j].n;
		*p = end;
	}
	return 0;
}

int64_t regex_count_lines(const struct regex *re, struct regex_scratch *s, const char *buf,
                          size_t len, char delim)
{
	const unsigned char *p = (const unsigned char *)buf, *ls, *le;
	struct hunt h;
	int64_t n = 0;
	int r;

	hunt_init(&h, re, s, buf, len, delim);
	while (p < h.end) {
		r = count_lanes(&h, &p, &n);
		if (r < 0)
			return r;
		r = next_line(&h, p,
		              h.by_literals && re->literals_are_all && !re->has_far ? NULL : &ls,
		              &le);
		if (r < 0)
			return r;
		if (r == 0)
			break;
		n++;
		p = le < h.end ? le + 1 : le;
	}
	return n;
}
