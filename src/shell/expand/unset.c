/* unset.c - unset of variables and elements, by text. */
#include "build.h"
#include "special.h"

bool unset_text(struct expander *x, struct str target, unsigned flags)
{
	struct place pl;
	const struct var *v;
	struct str name = target, sub, to;
	int r;

	/* The subscript of what is not there is not looked at. */
	if (!(flags & ASSIGN_NOREF) && name_split(target, &name, &sub) && name_valid(name) &&
	    state_resolve(x->st, name, &to) == VAR_OK && !state_find(x->st, to) && !special_find(to.ptr, to.len))
		return true;
	/* In a function a reference that goes in a circle is the local variable itself. */
	if (!(flags & ASSIGN_NOREF) && name_valid(target) && state_resolve(x->st, target, &to) != VAR_OK) {
		x->host->warn(x->host, u_format(x->p, "warning: %.*s: circular name reference", (int)target.len, target.ptr));
		flags |= ASSIGN_NOREF;
	}
	if (!target_place(x, target, flags, &pl))
		return false;
	if (pl.sub == SUB_NONE) {
		r = state_unset(x->st, pl.name);
	} else if (pl.sub == SUB_WORD) {
		v = state_find(x->st, pl.name);
		if (v && !(v->flags & (VAR_ARRAY | VAR_ASSOC))) {
			/* x[0] of a scalar is the scalar. */
			if (pl.index != 0)
				return expand_fail(
				        x, EXPAND_ASSIGN, "%s%s%.*s: not an array variable",
				        x->command ? x->command : "", x->command ? ": " : "",
				        (int)pl.name.len, pl.name.ptr);
			r = state_unset(x->st, pl.name);
		} else {
			r = pl.assoc ? state_unset_key(x->st, pl.name, pl.key)
			             : state_unset_elem(x->st, pl.name, pl.index);
			if (r == VAR_E_SUBSCRIPT)
				return expand_fail(x, EXPAND_ASSIGN,
				                   "%s%s[%lld]: bad array subscript",
				                   x->command ? x->command : "",
				                   x->command ? ": " : "", (long long)pl.index);
		}
	} else {
		/* unset 'a[@]': all elements of an indexed array; of an associative one the key @.
		 */
		v = state_find(x->st, pl.name);
		if (v && (v->flags & VAR_ASSOC))
			r = state_unset_key(x->st, pl.name, pl.sub == SUB_AT ? STR("@") : STR("*"));
		else
			r = state_unset(x->st, pl.name);
	}
	if (r == VAR_E_READONLY && !(flags & ASSIGN_QUIET))
		return expand_fail(x, EXPAND_ASSIGN, "%s%s%.*s: cannot unset: readonly variable",
		                   x->command ? x->command : "", x->command ? ": " : "",
		                   (int)pl.name.len, pl.name.ptr);
	return r == VAR_OK;
}
