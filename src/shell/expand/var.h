/* var.h - one variable as an item of the table; private to this folder. */
#ifndef NACRE_SHELL_EXPAND_VAR_H
#define NACRE_SHELL_EXPAND_VAR_H

#include "special.h"

static inline struct var *as_var(struct item *it)
{
	return (struct var *)(void *)it;
}

/* An unset variable of that name; in st->pin until table_put. */
struct var *var_new(struct shell_state *st, struct str name, uint32_t hash);
/* The visible binding, unshared; NULL when there is none. */
struct var *var_own(struct shell_state *st, struct str name, uint32_t hash);
/* Makes *slot (an entry of an unshared table node or frame) unshared. */
struct var *var_own_slot(struct shell_state *st, struct item **slot);
/* Puts a special variable that nobody has touched into the table; NULL when it is none or has no
 * value. */
struct var *var_materialize(struct shell_state *st, struct str name, uint32_t hash);
/* The variable a write goes to, unshared and made if need be; NULL: no function for VAR_LOCAL. */
struct var *var_target(struct shell_state *st, struct str name, enum var_where where);
/* Whether a write there is refused. */
bool var_readonly(struct shell_state *st, struct str name, enum var_where where);
void var_drop_value(struct heap *h, struct var *v);
/* After any change to what is visible under that name. */
static inline void var_changed(struct shell_state *st, const struct item *it, uint32_t flags)
{
	if (flags & VAR_EXPORT)
		st->env_stale = true;
	if (UNLIKELY(it->special != SPECIAL_NONE))
		special_hook(st, (enum special_id)it->special);
}
/* The frames from the top down to `f`, unshared; f's new place. */
struct frame *frame_own_to(struct shell_state *st, struct frame *f);
void traps_put(struct heap *h, struct trap_table *t);
/* In `saved`: there was no variable of that name. */
struct item *absent_new(struct shell_state *st, struct str name, uint32_t hash);
/* References of a fresh clone; all given back. */
void frames_clone(struct shell_state *st);
void frames_release(struct heap *h, struct shell_state *st);
/* A row of items sorted by name. */
void items_sort(struct item **v, size_t n);

/* The cached environment. */
struct env_block {
	uint32_t refs;
	size_t size;
	char *v[]; /* NULL-terminated; strings behind it in the block */
};

#endif
