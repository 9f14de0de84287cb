/* history.c - the list of commands `history` shows: texts by number, the oldest forgotten first.
 *
 * An entry is "SECONDS:text". Numbers go on when old entries are forgotten; deleting one from the
 * middle renumbers what follows. */
#include "../../user/user.h"
#include "var.h"

size_t history_count(const struct shell_state *st)
{
	return st->history ? st->history->n : 0;
}

struct str history_at(const struct shell_state *st, size_t i, int64_t *when)
{
	struct str s = vstr_str(st->history->e[i].v);
	size_t n = 0;
	int64_t t = 0;

	while (n < s.len && s.ptr[n] != ':')
		t = t * 10 + (s.ptr[n++] - '0');
	if (when)
		*when = t;
	return (struct str){s.ptr + n + 1, s.len - n - 1};
}

bool history_remove(struct shell_state *st, size_t i)
{
	struct varray *a;

	if (i >= history_count(st))
		return false;
	array_own(st->heap, &st->history);
	a = st->history;
	array_unset(st->heap, &st->history, a->e[i].index);
	a = st->history;
	for (; i < a->n; i++)
		a->e[i].index--;
	if (st->history_fresh > a->n)
		st->history_fresh = a->n;
	return true;
}

static size_t history_max(struct shell_state *st)
{
	char buf[VALUE_BUF];
	struct str s;
	size_t n = 0;

	if (!state_get(st, STR("HISTSIZE"), buf, &s) || s.len == 0)
		return 500;
	for (size_t i = 0; i < s.len; i++) {
		if (!ascii_digit((unsigned char)s.ptr[i]) || n > HISTORY_MAX)
			return HISTORY_MAX;
		n = n * 10 + (size_t)(s.ptr[i] - '0');
	}
	return MIN(n, (size_t)HISTORY_MAX);
}

/* HISTSIZE has become smaller. bash counts anew then, from what goes. */
void history_stifle(struct shell_state *st)
{
	size_t n = history_count(st), max = history_max(st);

	if (n <= max)
		return;
	st->history_base = (uint32_t)(n - max);
	for (; n > max; n--)
		history_remove(st, 0);
}

static struct str stamped(struct shell_state *st, struct str text, int64_t when)
{
	char *s = u_alloc(st->p, text.len + 32);
	size_t n = put_i64(s, when);

	s[n++] = ':';
	memcpy(s + n, text.ptr, text.len);
	return (struct str){s, n + text.len};
}

void history_add(struct shell_state *st, struct str text)
{
	struct str s = stamped(st, text, sys_clock(st->p, SYS_CLOCK_REAL) / 1000000000);
	size_t max = history_max(st);

	history_stifle(st);
	array_own(st->heap, &st->history);
	array_set(st->heap, &st->history, array_end(st->history), s.ptr, s.len, false);
	st->history_fresh++;
	if (history_count(st) > max) {
		history_remove(st, 0);
		st->history_base++;
	}
}

void history_extend(struct shell_state *st, struct str more)
{
	if (!history_count(st))
		return;
	array_own(st->heap, &st->history);
	array_set(st->heap, &st->history, array_end(st->history) - 1, more.ptr, more.len, true);
}

void history_clear(struct shell_state *st)
{
	struct varray *old = st->history;

	st->history = NULL;
	st->history_base = 1;
	st->history_fresh = 0;
	array_put(st->heap, old);
}
