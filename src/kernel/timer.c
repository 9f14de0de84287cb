/* timer.c - a 4-ary heap of timers keyed by (time, sequence). */
#include "timer.h"

#include "check.h"

void timers_init(struct timers *h, struct quota *quota)
{
	*h = (struct timers){.quota = quota};
}

void timers_release(struct timers *h)
{
	kfree(h->quota, h->v, h->cap * sizeof(*h->v));
	timers_init(h, h->quota);
}

bool timers_reserve(struct timers *h, int n)
{
	uint32_t want = h->reserved + (uint32_t)n;
	uint32_t cap = h->cap ? h->cap : 16;
	struct timer **v;

	if (n <= 0 || want <= h->cap) {
		h->reserved = want;
		return true;
	}
	while (cap < want)
		cap *= 2;
	v = kalloc(h->quota, cap * sizeof(*v));
	if (!v)
		return false;
	if (h->n)
		memcpy(v, h->v, h->n * sizeof(*v));
	kfree(h->quota, h->v, h->cap * sizeof(*v));
	h->v = v;
	h->cap = cap;
	h->reserved = want;
	return true;
}

static bool before(const struct timer *a, const struct timer *b)
{
	return a->when != b->when ? a->when < b->when : a->seq < b->seq;
}

static void place(struct timers *h, uint32_t i, struct timer *t)
{
	h->v[i] = t;
	t->index = i;
}

static void sift_up(struct timers *h, uint32_t i, struct timer *t)
{
	while (i > 0 && before(t, h->v[(i - 1) / 4])) {
		place(h, i, h->v[(i - 1) / 4]);
		i = (i - 1) / 4;
	}
	place(h, i, t);
}

static void sift_down(struct timers *h, uint32_t i, struct timer *t)
{
	for (;;) {
		uint32_t first = i * 4 + 1, best = first;

		if (first >= h->n)
			break;
		for (uint32_t k = first + 1; k < first + 4 && k < h->n; k++)
			if (before(h->v[k], h->v[best]))
				best = k;
		if (!before(h->v[best], t))
			break;
		place(h, i, h->v[best]);
		i = best;
	}
	place(h, i, t);
}

void timer_arm(struct timers *h, struct timer *t, int64_t when)
{
	if (t->heap)
		timer_disarm(t);
	if (h->n == h->cap)
		KERNEL_BUG(); /* somebody did not reserve */
	t->when = when;
	t->seq = h->seq++;
	t->heap = h;
	sift_up(h, h->n++, t);
}

void timer_disarm(struct timer *t)
{
	struct timers *h = t->heap;
	struct timer *last;
	uint32_t i = t->index;

	if (!h)
		return;
	t->heap = NULL;
	last = h->v[--h->n];
	if (last == t)
		return;
	if (i > 0 && before(last, h->v[(i - 1) / 4]))
		sift_up(h, i, last);
	else
		sift_down(h, i, last);
}

struct timer *timers_due(struct timers *h, int64_t now)
{
	struct timer *t = h->n ? h->v[0] : NULL;

	if (!t || t->when > now)
		return NULL;
	timer_disarm(t);
	return t;
}

int64_t timers_next(const struct timers *h)
{
	return h->n ? h->v[0]->when : INT64_MAX;
}
