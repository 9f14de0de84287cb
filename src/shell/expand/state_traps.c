/* state_traps.c - the traps of a shell: a table that subshells share until one of them changes it. */
#include "var.h"

void traps_put(struct heap *h, struct trap_table *t)
{
	if (!t || --t->refs)
		return;
	for (unsigned i = 0; i < TRAP_COUNT; i++)
		vstr_put(h, t->action[i]);
	heap_free(h, t, sizeof(*t));
}

struct vstr *trap_get(const struct shell_state *st, unsigned which)
{
	return st->traps && which < TRAP_COUNT ? st->traps->action[which] : NULL;
}

void traps_show_only(struct shell_state *st)
{
	if (st->shown_traps || !st->traps)
		return;
	st->shown_traps = st->traps;
	st->traps->refs++;
}

void traps_show_own(struct shell_state *st)
{
	traps_put(st->heap, st->shown_traps);
	st->shown_traps = NULL;
}

struct vstr *trap_shown(const struct shell_state *st, unsigned which)
{
	if (st->shown_traps)
		return which < TRAP_COUNT ? st->shown_traps->action[which] : NULL;
	return trap_get(st, which);
}

static struct trap_table *traps_own(struct shell_state *st)
{
	struct trap_table *t = st->traps, *c;

	if (t && t->refs == 1)
		return t;
	c = heap_zalloc(st->heap, sizeof(*c));
	c->refs = 1;
	if (t) {
		c->set = t->set;
		for (unsigned i = 0; i < TRAP_COUNT; i++)
			c->action[i] = vstr_get(t->action[i]);
		t->refs--;
	}
	st->traps = c;
	return c;
}

void trap_set(struct shell_state *st, unsigned which, const struct str *action)
{
	struct trap_table *t;
	struct vstr *old, *s = NULL;

	if (which >= TRAP_COUNT || (!action && !trap_get(st, which)))
		return;
	t = traps_own(st);
	if (action)
		s = vstr_new(st->heap, action->ptr, action->len);
	old = t->action[which];
	t->action[which] = s;
	t->set = t->set + (s != NULL) - (old != NULL);
	vstr_put(st->heap, old);
}

void trap_clear_all(struct shell_state *st, bool keep_ignored)
{
	for (unsigned i = 0; st->traps && i < TRAP_COUNT; i++) {
		struct vstr *a = st->traps->action[i];

		if (a && !(keep_ignored && a->len == 0))
			trap_set(st, i, NULL);
	}
}
