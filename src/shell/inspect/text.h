/*
 * text.h - a text that grows in an arena.
 *
 * Layer     shell/inspect, private
 */
#ifndef NACRE_SHELL_INSPECT_TEXT_H
#define NACRE_SHELL_INSPECT_TEXT_H

#include "../../base/arena.h"

struct text {
	struct arena *arena;
	char *buf;
	size_t len, cap;
};

static inline void text_put(struct text *t, const char *s, size_t n)
{
	if (t->cap - t->len < n) {
		size_t cap = t->cap ? t->cap : 256;

		while (cap - t->len < n)
			cap = size_mul(cap, 2);
		t->buf = arena_grow(t->arena, t->buf, t->len, cap);
		t->cap = cap;
	}
	if (n)
		memcpy(t->buf + t->len, s, n);
	t->len += n;
}

static inline void text_add(struct text *t, const char *s)
{
	text_put(t, s, strlen(s));
}

static inline void text_number(struct text *t, uint32_t v)
{
	char digits[10];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	text_put(t, digits + i, sizeof(digits) - i);
}

/* With a NUL behind it that does not count. */
static inline struct str text_take(struct text *t)
{
	text_put(t, "", 1);
	return (struct str){t->buf, t->len - 1};
}

#endif
