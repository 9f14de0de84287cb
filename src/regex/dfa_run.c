/*
 * dfa_run.c - running the automaton over a text.
 *
 * The inner loops. A transition is one load whose address is ready but for the state, and
 * one comparison that catches everything unusual: not yet computed, dead, found, a mark.
 * Texts are read in slices, with a checkpoint between them.
 */
#include "dfa.h"

/* The transition from `state` on the byte at p; the address is worked out so that only the
 * load depends on the state before. */
#define GO(next, class_of, state, p) ((next) + (class_of)[*(p)])[state]

const unsigned char *dfa_longest(struct dfa *d, const struct text *t, const unsigned char *at,
                                 size_t *work, bool *quit)
{
	const uint8_t *class_of = d->p->class_of;
	const uint32_t *next;
	const unsigned char *p = at, *last = NULL;
	uint32_t state = dfa_start(d, d->p->has_asserts ? text_before(d->p, t, at) : 0), class, e;
	const uint32_t dead = DFA_DEAD * d->row, first = DFA_FIRST * d->row;

	next = d->next;
	*quit = false;
	while (p < t->end) {
		const unsigned char *stop = (size_t)(t->end - p) > SLICE ? p + SLICE : t->end;
		const unsigned char *from = p;

		for (; p < stop; p++, state = e) {
			e = GO(next, class_of, state, p);
			if (LIKELY((int32_t)e >= (int32_t)first))
				continue;
			if (e == DFA_UNKNOWN) {
				e = dfa_step(d, state, class_of[*p]);
				next = d->next;
			}
			if (e & DFA_MARK)
				last = p;
			e &= ~DFA_MARK;
			if (e < first) {
				*work += (size_t)(p - at);
				*quit = e != dead;
				return last;
			}
		}
		scratch_tick(d->s, (size_t)(p - from));
	}
	*work += (size_t)(p - at);
	class = dfa_end_class(d, t->eflags);
	e = next[state + class];
	if (e == DFA_UNKNOWN)
		e = dfa_step(d, state, class);
	return e & DFA_MARK ? p : last;
}

/* Runs on from *state at p until a transition leads below DFA_FIRST: returns the byte that
 * does it, *state then being that entry; or `stop`. */
static const unsigned char *run_on(struct dfa *d, const unsigned char *p, const unsigned char *stop,
                                   uint32_t *state)
{
	const uint8_t *class_of = d->p->class_of;
	const uint32_t *next = d->next;
	const uint32_t first = DFA_FIRST * d->row;
	uint32_t s = *state, e;

	for (;;) {
		while (stop - p >= 4) {
			e = GO(next, class_of, s, p);
			if (UNLIKELY(e < first))
				goto special;
			s = GO(next, class_of, e, p + 1);
			if (UNLIKELY(s < first)) {
				p++;
				goto swapped;
			}
			e = GO(next, class_of, s, p + 2);
			if (UNLIKELY(e < first)) {
				p += 2;
				goto special;
			}
			s = GO(next, class_of, e, p + 3);
			if (UNLIKELY(s < first)) {
				p += 3;
				goto swapped;
			}
			p += 4;
		}
		if (p == stop)
			break;
		e = GO(next, class_of, s, p);
		if (LIKELY(e >= first)) {
			s = e;
			p++;
			continue;
		}
		goto special;
	swapped : {
		uint32_t x = s;

		s = e;
		e = x;
	}
	special:
		if (e == DFA_UNKNOWN) {
			e = dfa_step(d, s, class_of[*p]);
			next = d->next;
		}
		if (e < first) {
			*state = e;
			return p;
		}
		s = e;
		p++;
	}
	*state = s;
	return stop;
}

int dfa_exists(struct dfa *d, const struct text *t, const unsigned char *at)
{
	const unsigned char *p = at;
	uint32_t state = dfa_start(d, d->p->has_asserts ? text_before(d->p, t, at) : 0);
	const uint32_t found = DFA_FOUND * d->row, first = DFA_FIRST * d->row;
	uint32_t class, e;

	while (p < t->end) {
		const unsigned char *stop = (size_t)(t->end - p) > SLICE ? p + SLICE : t->end;
		const unsigned char *from = p;

		p = run_on(d, p, stop, &state);
		scratch_tick(d->s, (size_t)(p - from));
		if (state < first)
			return state == found ? 1 : -1;
	}
	class = dfa_end_class(d, t->eflags);
	e = d->next[state + class];
	if (e == DFA_UNKNOWN)
		e = dfa_step(d, state, class);
	return e == found;
}

bool dfa_can_idle(struct dfa *d)
{
	struct byteset out = {{0}};
	uint32_t idle;
	unsigned n = 0;

	if (d->idle_known || d->never_idle)
		return d->idle != 0;
	d->idle_known = true;
	idle = dfa_start(d, 0);
	for (unsigned b = 0; b < 256; b++) {
		uint32_t e = d->next[idle + d->p->class_of[b]];

		if (e == DFA_UNKNOWN) {
			uint64_t flushes = d->flushes;

			e = dfa_step(d, idle, d->p->class_of[b]);
			if (d->flushes != flushes) {
				d->never_idle = true;
				return false;
			}
		}
		if (e == idle)
			continue;
		byteset_add(&out, b);
		n += b < 0x80; /* what is beyond ASCII is rare or everywhere; that shows */
	}
	if (n > 40) {
		d->never_idle = true;
		return false;
	}
	byteclass_init(&d->wake, &out);
	d->idle = idle;
	return true;
}

/* As run_on, jumping over what does not matter whenever the idle state is met. */
static const unsigned char *run_idle(struct dfa *d, const unsigned char *p,
                                     const unsigned char *stop, uint32_t *state)
{
	const uint8_t *class_of = d->p->class_of;
	const uint32_t first = DFA_FIRST * d->row;
	uint32_t s = *state, e;

	while (p < stop) {
		if (s == d->idle) {
			const unsigned char *q = byteclass_find(&d->wake, p, stop);

			d->idle_bytes += (size_t)(q - p);
			d->idle_runs++;
			p = q;
			if (p == stop)
				break;
		}
		e = d->next[s + class_of[*p]];
		if (UNLIKELY(e < first)) {
			if (e == DFA_UNKNOWN)
				e = dfa_step(d, s, class_of[*p]);
			if (e < first) {
				*state = e;
				return p;
			}
		}
		s = e;
		p++;
	}
	*state = s;
	return stop;
}

const unsigned char *dfa_next_line(struct dfa *d, const unsigned char *p, const unsigned char *end,
                                   bool *quit)
{
	uint32_t state = dfa_start(d, CTX_LINE | CTX_TEXT);
	const uint32_t found = DFA_FOUND * d->row, first = DFA_FIRST * d->row;
	uint32_t class, e;

	*quit = false;
	while (p < end) {
		const unsigned char *stop = (size_t)(end - p) > SLICE ? p + SLICE : end;
		const unsigned char *from = p;

		if (d->idle) {
			p = run_idle(d, p, stop, &state);
			d->idle_total += (size_t)(p - from);
			/* many short jumps, or most of the time is spent elsewhere */
			if (d->idle_runs > 64 && (d->idle_bytes < d->idle_runs * 12 ||
			                          d->idle_bytes < d->idle_total / 8 * 5)) {
				d->never_idle = true;
				d->idle = 0;
			}
		} else {
			p = run_on(d, p, stop, &state);
		}
		scratch_tick(d->s, (size_t)(p - from));
		if (state < first) {
			*quit = state != found;
			return p;
		}
	}
	if (end[-1] == d->delim)
		return NULL;
	class = dfa_end_class(d, 0);
	e = d->next[state + class];
	if (e == DFA_UNKNOWN)
		e = dfa_step(d, state, class);
	return e == found ? end : NULL;
}

bool dfa_mark_starts(struct dfa *d, const struct text *t, const unsigned char *at)
{
	struct regex_scratch *s = d->s;
	const uint8_t *class_of = d->p->class_of;
	size_t n = (size_t)(t->end - at) + 1, words = n / 64 + 1;
	const unsigned char *p = t->end;
	const uint32_t first = DFA_FIRST * d->row;
	uint32_t state, class, e;
	unsigned ctx = 0;

	if (words > s->marks_cap) {
		size_t cap = MAX(words, s->marks_cap * 2);

		s->marks = arena_alloc(s->arena, cap * sizeof(*s->marks));
		s->marks_cap = cap;
	}
	memset(s->marks, 0, words * sizeof(*s->marks));
	if (d->p->has_asserts)
		ctx = text_after(d->p, t, t->end);
	state = dfa_start(d, ctx);
	for (;;) {
		if (p > t->begin) {
			class = class_of[p[-1]];
		} else {
			class = d->p->nclasses + (t->eflags & REGEX_NOTBOL ? 1 : 0);
		}
		e = d->next[state + class];
		if (UNLIKELY((int32_t)e < (int32_t)first)) {
			if (e == DFA_UNKNOWN)
				e = dfa_step(d, state, class);
			if (e & DFA_MARK)
				s->marks[(size_t)(p - at) >> 6] |= (uint64_t)1 << ((p - at) & 63);
			e &= ~DFA_MARK;
			if (e == DFA_QUIT * d->row)
				return false;
		}
		if (p == at)
			break;
		state = e;
		p--;
		if (((size_t)p & (SLICE - 1)) == 0)
			scratch_tick(s, SLICE);
	}
	return true;
}

bool dfa_trace(struct dfa *d, const struct text *t, const unsigned char *start,
               const unsigned char *end, uint32_t *state)
{
	const uint8_t *class_of = d->p->class_of;
	uint64_t flushes = d->flushes;
	uint32_t s = dfa_start(d, d->p->has_asserts ? text_after(d->p, t, end) : 0), e;
	size_t n = (size_t)(end - start);

	for (;;) {
		state[n] = s;
		if (n == 0)
			break;
		e = d->next[s + class_of[start[n - 1]]];
		if (e == DFA_UNKNOWN)
			e = dfa_step(d, s, class_of[start[n - 1]]);
		s = e & ~DFA_MARK;
		if (s < DFA_FIRST * d->row || d->flushes != flushes)
			return false;
		n--;
		if ((n & (SLICE - 1)) == 0)
			scratch_tick(d->s, SLICE);
	}
	return true;
}
