/* capture.c - bytes kept up to a ceiling: the beginning, the end, or both. */
#include "capture.h"

void capture_init(struct capture *c, const struct capture_config *config, struct quota *q)
{
	size_t limit = (size_t)MIN(config->limit, (uint64_t)1 << 40);

	*c = (struct capture){.quota = q};
	if (config->keep != CAPTURE_TAIL)
		c->head_limit = config->keep == CAPTURE_BOTH ? limit / 2 : limit;
	c->tail_limit = limit - c->head_limit;
}

void capture_release(struct capture *c)
{
	kfree(c->quota, c->head, c->head_cap);
	kfree(c->quota, c->tail, c->tail_cap);
	*c = (struct capture){.quota = c->quota};
}

/* Makes room for n bytes in all, up to the limit; what there is now may be less than wanted. */
static void grow(struct capture *c, char **buf, size_t *cap, size_t used, size_t limit, size_t n)
{
	size_t want = *cap ? *cap : 512;
	char *fresh;

	n = MIN(n, limit);
	while (want < n)
		want *= 2;
	want = MIN(want, limit);
	if (want <= *cap)
		return;
	fresh = kalloc(c->quota, want);
	if (!fresh)
		return;
	if (used)
		memcpy(fresh, *buf, used);
	kfree(c->quota, *buf, *cap);
	*buf = fresh;
	*cap = want;
}

static void add_tail(struct capture *c, const char *buf, size_t n)
{
	if (n > c->tail_limit) {
		buf += n - c->tail_limit;
		n = c->tail_limit;
	}
	if (!c->tail_at && c->tail_len + n > c->tail_cap && c->tail_cap < c->tail_limit)
		grow(c, &c->tail, &c->tail_cap, c->tail_len, c->tail_limit, c->tail_len + n);
	if (n > c->tail_cap) { /* only without memory */
		buf += n - c->tail_cap;
		n = c->tail_cap;
	}
	while (n) {
		size_t at = (c->tail_at + c->tail_len) % c->tail_cap;
		size_t part;

		if (c->tail_len == c->tail_cap) {
			part = MIN(n, c->tail_cap - c->tail_at);
			memcpy(c->tail + c->tail_at, buf, part);
			c->tail_at = (c->tail_at + part) % c->tail_cap;
		} else {
			part = MIN(n, c->tail_cap - MAX(at, c->tail_len));
			memcpy(c->tail + at, buf, part);
			c->tail_len += part;
		}
		buf += part;
		n -= part;
	}
}

void capture_add(struct capture *c, const char *buf, size_t n)
{
	/* The head goes on only while nothing has been left out behind it. */
	bool whole = c->head_len == c->total;

	c->total += n;
	if (whole && c->head_len < c->head_limit) {
		size_t part = MIN(n, c->head_limit - c->head_len);

		if (c->head_len + part > c->head_cap)
			grow(c, &c->head, &c->head_cap, c->head_len, c->head_limit,
			     c->head_len + part);
		part = MIN(part, c->head_cap - c->head_len);
		if (part)	/* head may be NULL: there was no memory */
			memcpy(c->head + c->head_len, buf, part);
		c->head_len += part;
		buf += part;
		n -= part;
	}
	if (n && c->tail_limit)
		add_tail(c, buf, n);
}

/* Of the end: the kept byte number `i`, and those behind it in one piece. */
static size_t tail_from(const struct capture *c, size_t i, size_t n, char *to)
{
	size_t place = (c->tail_at + i) % c->tail_cap, part = MIN(n, MIN(c->tail_len - i, c->tail_cap - place));

	memcpy(to, c->tail + place, part);
	return part;
}

size_t capture_from(const struct capture *c, uint64_t *at, char *to, size_t n, uint64_t *lost)
{
	size_t got = 0;

	while (got < n && *at < c->total) {
		uint64_t tail = c->total - c->tail_len; /* where it begins */
		size_t part;

		if (*at < c->head_len) {
			part = MIN(n - got, c->head_len - (size_t)*at);
			memcpy(to + got, c->head + *at, part);
		} else if (*at < tail) {
			if (got)
				break; /* the gap is told with what follows it */
			*lost += tail - *at;
			*at = tail;
			continue;
		} else {
			part = tail_from(c, (size_t)(*at - tail), n - got, to + got);
		}
		*at += part;
		got += part;
	}
	return got;
}
