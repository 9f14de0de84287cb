/* scope.c - which binding a name means: local, global, of a temporary environment; and unset.
 *
 * A frame remembers what its own bindings hide. Leaving the frame (frame.c) or unset puts it
 * back. */
#include "../../user/user.h"
#include "var.h"

/* ---- Scopes -------------------------------------------------------------------------- */

static uint32_t scope_level(const struct shell_state *st)
{
	return st->frame ? st->frame->level : 0;
}

/* Room for one more saved binding. */
static void saved_reserve(struct shell_state *st, struct frame *f)
{
	uint32_t cap = f->cap_saved ? f->cap_saved * 2 : 4;
	struct item **v;

	if (f->nsaved < f->cap_saved)
		return;
	v = heap_alloc(st->heap, (size_t)cap * sizeof(struct item *));
	if (f->nsaved)
		memcpy(v, f->saved, (size_t)f->nsaved * sizeof(struct item *));
	heap_free(st->heap, f->saved, (size_t)f->cap_saved * sizeof(struct item *));
	f->saved = v;
	f->cap_saved = cap;
}

static int saved_find(const struct frame *f, struct str name)
{
	for (uint32_t i = 0; i < f->nsaved; i++)
		if (str_eq(item_name(f->saved[i]), name))
			return (int)i;
	return -1;
}

bool state_hides_value(const struct shell_state *st, struct str name)
{
	for (const struct frame *f = st->frame; f; f = f->up) {
		int i = saved_find(f, name);

		if (i >= 0 && f->saved[i]->kind == ITEM_VAR && (as_var(f->saved[i])->flags & VAR_SET))
			return true;
	}
	return false;
}

/* The lowest frame above that level which hides a binding of the name; NULL: what is visible belongs to the level. */
static struct frame *lowest_hiding(const struct shell_state *st, struct str name, uint32_t level)
{
	const struct var *top = state_find(st, name);
	struct frame *lowest = NULL;

	if (!top || top->level <= level)
		return NULL;
	for (struct frame *f = st->frame; f; f = f->up)
		if (f->is_scope && f->level > level && saved_find(f, name) >= 0)
			lowest = f;
	return lowest;
}

const struct var *state_find_within(const struct shell_state *st, struct str name, uint32_t level)
{
	const struct frame *f = lowest_hiding(st, name, level);
	const struct item *it;

	if (!f)
		return state_find(st, name);
	it = f->saved[saved_find(f, name)];
	return it->kind == ITEM_VAR ? (const struct var *)(const void *)it : NULL;
}

/* The frame of scope level `level` that remembers what `name` hides there. (A function called with
 * a temporary environment shares the level of that.) */
static struct frame *frame_hiding(const struct shell_state *st, uint32_t level, struct str name)
{
	struct frame *f = st->frame;

	while (f && !(f->is_scope && f->level == level && saved_find(f, name) >= 0))
		f = f->up;
	return f;
}

/* A note that there was no variable of that name. */
struct item *absent_new(struct shell_state *st, struct str name, uint32_t hash)
{
	struct item *it = heap_alloc(st->heap, sizeof(*it) + name.len + 1);
	char *own = (char *)(it + 1);

	*it = (struct item){.refs = 1,
	                    .hash = hash,
	                    .name = own,
	                    .len = (uint32_t)name.len,
	                    .kind = ITEM_ABSENT};
	memcpy(own, name.ptr, name.len);
	own[name.len] = '\0';
	it->special = (uint8_t)special_find(name.ptr, name.len);
	return it;
}

/* Starts a binding in the scope of `f` in place of the visible one, which f remembers. Without a
 * value. */
static struct var *bind_in(struct shell_state *st, struct frame *f, struct str name, uint32_t hash)
{
	struct item *old = table_find(&st->vars, name.ptr, name.len, hash);
	struct var *v;

	f = frame_own_to(st, f);
	saved_reserve(st, f);
	if (old) {
		f->saved[f->nsaved] = item_get(old);
	} else {
		f->saved[f->nsaved] = absent_new(st, name, hash);
	}
	f->nsaved++;
	v = var_new(st, name, hash);
	v->level = f->level;
	table_put(st->heap, &st->vars, &st->pin);
	return v;
}

/* A scope above f (a temporary environment) has the name: f's own binding goes below that one. */
static struct var *bind_below(struct shell_state *st, struct frame *f, struct frame *above,
                              struct str name, uint32_t hash)
{
	struct var *v;
	int i;

	/* `above` is the top frame. */
	f = frame_own_to(st, f);
	above = st->frame;
	i = saved_find(above, name);
	saved_reserve(st, f);
	if (i < 0)
		return NULL;
	if (above->saved[i]->kind == ITEM_VAR && as_var(above->saved[i])->level == f->level)
		return var_own_slot(st, &above->saved[i]);
	v = var_new(st, name, hash);
	v->level = f->level;
	f->saved[f->nsaved++] = above->saved[i];
	above->saved[i] = &v->head;
	st->pin = NULL;
	return v;
}

static void copy_value(struct shell_state *st, struct var *v, const struct var *from)
{
	uint32_t kind = from->flags & (VAR_ARRAY | VAR_ASSOC);

	if (from->flags & VAR_DYNAMIC)
		return;
	v->flags |= kind | (from->flags & VAR_SET);
	if (kind & VAR_ARRAY)
		v->array = from->array ? (from->array->refs++, from->array) : NULL;
	else if (kind & VAR_ASSOC)
		v->assoc = from->assoc ? (from->assoc->refs++, from->assoc) : NULL;
	else
		sval_copy(st->heap, &v->s, &from->s);
}

/* The binding local to the innermost function, made if need be. NULL outside functions. */
static struct var *local_own(struct shell_state *st, struct str name, uint32_t hash)
{
	struct frame *f = frame_find(st, FRAME_FUNCTION);
	const struct var *old = as_var(table_find(&st->vars, name.ptr, name.len, hash));
	uint32_t inherit = 0;
	struct var *v;

	if (!f)
		return NULL;
	if (old && old->level >= f->level &&
	    !(old->level > f->level && st->frame->kind == FRAME_TEMPENV)) {
		/* Ours already; or of a temporary environment around us, which then becomes the
		 * local variable. */
		v = var_own(st, name, hash);
		v->flags &= ~(uint32_t)VAR_TEMP;
		return v;
	}
	if (old && (old->flags & VAR_TEMP))
		inherit = VAR_EXPORT;
	else if (old && (st->shopts & SHOPT_LOCALVAR_INHERIT))
		inherit = VAR_ATTRS & ~(uint32_t)VAR_NAMEREF;
	if (old && old->level > f->level) {
		/* x=1 local x: both bindings get the value; the temporary one goes when the builtin
		 * ends. It stays in the table meanwhile. */
		v = bind_below(st, f, st->frame, name, hash);
		if (v && !(v->flags & VAR_SET)) {
			copy_value(st, v, old);
			v->flags |= old->flags & inherit;
		}
		return v;
	}
	v = bind_in(st, f, name, hash);
	if (inherit) {
		/* `old` is held by the frame's list. */
		copy_value(st, v, old);
		v->flags |= old->flags & inherit;
	}
	return v;
}

/* The binding of scopes up to that level; a new one, at the bottom, when there is none. */
static struct var *within_own(struct shell_state *st, struct str name, uint32_t hash, uint32_t level)
{
	const struct var *top = as_var(table_find(&st->vars, name.ptr, name.len, hash));
	struct frame *lowest;
	struct var *v;
	int i;

	if (!top || top->level <= level) {
		v = var_own(st, name, hash);
		if (v || (v = var_materialize(st, name, hash)))
			return v;
		v = var_new(st, name, hash);
		table_put(st->heap, &st->vars, &st->pin);
		return v;
	}
	lowest = lowest_hiding(st, name, level);
	if (!lowest)
		return NULL;
	lowest = frame_own_to(st, lowest);
	i = saved_find(lowest, name);
	if (lowest->saved[i]->kind == ITEM_VAR)
		return var_own_slot(st, &lowest->saved[i]);
	v = var_new(st, name, hash);
	item_put(st->heap, lowest->saved[i]);
	lowest->saved[i] = st->pin;
	st->pin = NULL;
	return v;
}

/* The variable a write goes to, unshared and made if need be; NULL: no function for VAR_LOCAL. */
struct var *var_target(struct shell_state *st, struct str name, enum var_where where)
{
	uint32_t hash = table_hash(name.ptr, name.len);
	struct var *v;

	switch (where) {
	case VAR_VISIBLE:
		v = var_own(st, name, hash);
		if (LIKELY(v != NULL) ||
		    (!ascii_lower(name.ptr[0]) && (v = var_materialize(st, name, hash))))
			return v;
		v = var_new(st, name, hash);
		table_put(st->heap, &st->vars, &st->pin);
		return v;
	case VAR_LOCAL: return local_own(st, name, hash);
	case VAR_GLOBAL: return within_own(st, name, hash, 0);
	case VAR_WITHIN: return within_own(st, name, hash, st->within);
	case VAR_TEMPENV:
		v = as_var(table_find(&st->vars, name.ptr, name.len, hash));
		if (v && v->level == scope_level(st))
			v = var_own(st, name, hash);
		else
			v = bind_in(st, st->frame, name, hash);
		v->flags |= VAR_EXPORT | VAR_TEMP;
		return v;
	}
	return NULL;
}

bool state_is_temp(const struct shell_state *st, struct str name)
{
	const struct var *v = state_find(st, name);
	const struct frame *f = st->frame;

	if (!v || !(v->flags & VAR_TEMP))
		return false;
	while (f && !(f->kind == FRAME_FUNCTION && f->level == v->level))
		f = f->up;
	return f != NULL;
}

void state_outlast(struct shell_state *st, struct str name)
{
	struct var *v = var_own(st, name, table_hash(name.ptr, name.len));

	if (v)
		v->flags |= VAR_OUTLASTS;
}

/* A readonly variable cannot be written, nor hidden in a function's scope by VAR_TEMPENV. */
bool var_readonly(struct shell_state *st, struct str name, enum var_where where)
{
	const struct var *v = where == VAR_WITHIN ? state_find_within(st, name, st->within) : state_find(st, name);

	if (!v) {
		enum special_id id = ascii_lower(name.ptr[0]) ? SPECIAL_NONE
		                                              : special_find(name.ptr, name.len);

		return special_alive(st, id) && (special_attrs(id) & VAR_READONLY);
	}
	if (!(v->flags & VAR_READONLY))
		return false;
	if (where == VAR_LOCAL) {
		struct frame *f = frame_find(st, FRAME_FUNCTION);

		/* A local may hide another function's readonly, never a global one. */
		return !f || v->level == 0 || v->level >= f->level;
	}
	return true;
}

/* ---- unset ---------------------------------------------------------------------------- */

/* Takes the visible binding away; the one its frame remembers comes back. */
static void reveal(struct shell_state *st, struct str name, uint32_t hash, uint32_t level)
{
	struct frame *f = frame_hiding(st, level, name);
	int i;

	if (!f)
		return;
	f = frame_own_to(st, f);
	i = saved_find(f, name);
	if (i < 0)
		return;
	st->pin = f->saved[i];
	f->saved[i] = f->saved[--f->nsaved];
	if (st->pin->kind == ITEM_VAR) {
		table_put(st->heap, &st->vars, &st->pin);
	} else {
		table_remove(st->heap, &st->vars, name.ptr, name.len, hash);
		item_put(st->heap, st->pin);
		st->pin = NULL;
	}
}

int state_unset(struct shell_state *st, struct str name)
{
	uint32_t hash = table_hash(name.ptr, name.len), flags;
	struct frame *f = frame_find(st, FRAME_FUNCTION);
	const struct var *v = as_var(table_find(&st->vars, name.ptr, name.len, hash));
	struct item note = {.special = 0};
	char own[256];
	uint32_t level;

	if (!v) {
		enum special_id id = special_find(name.ptr, name.len);

		if (!special_alive(st, id) || special_kind(id) == SPECIAL_WATCHED)
			return VAR_OK;
		if (special_attrs(id) & VAR_READONLY)
			return VAR_E_READONLY;
		st->special_off |= (uint64_t)1 << id;
		note.special = (uint8_t)id;
		var_changed(st, &note, 0);
		return VAR_OK;
	}
	if (v->flags & VAR_READONLY)
		return VAR_E_READONLY;
	/* The name may be the variable's own memory. */
	if (name.len < sizeof(own)) {
		memcpy(own, name.ptr, name.len);
		name.ptr = own;
	} else {
		name.ptr = u_strndup(st->p, name.ptr, name.len);
	}
	flags = v->flags;
	note.special = v->head.special;
	level = v->level;
	if (f && level && !(flags & VAR_TEMP) &&
	    (level >= f->level || ((st->shopts & SHOPT_LOCALVAR_UNSET) && level < f->level))) {
		struct var *w = var_own(st, name, hash);

		var_drop_value(st->heap, w);
		w->flags = 0;
	} else if (level) {
		reveal(st, name, hash, level);
		v = as_var(table_find(&st->vars, name.ptr, name.len, hash));
		if (v)
			flags |= v->flags;
	} else {
		table_remove(st->heap, &st->vars, name.ptr, name.len, hash);
		if (note.special)
			st->special_off |= (uint64_t)1 << note.special;
	}
	var_changed(st, &note, flags);
	return VAR_OK;
}

int state_unset_elem(struct shell_state *st, struct str name, int64_t index)
{
	struct var *v;

	if (var_readonly(st, name, VAR_VISIBLE))
		return VAR_E_READONLY;
	v = var_own(st, name, table_hash(name.ptr, name.len));
	if (!v || !(v->flags & VAR_ARRAY) || (v->flags & VAR_DYNAMIC) || !v->array)
		return VAR_OK;
	if (index < 0)
		index += array_end(v->array);
	if (index < 0)
		return VAR_E_SUBSCRIPT;
	array_own(st->heap, &v->array);
	array_unset(st->heap, &v->array, index);
	return VAR_OK;
}

int state_unset_key(struct shell_state *st, struct str name, struct str key)
{
	struct var *v;

	if (var_readonly(st, name, VAR_VISIBLE))
		return VAR_E_READONLY;
	v = var_own(st, name, table_hash(name.ptr, name.len));
	if (!v || !(v->flags & VAR_ASSOC))
		return VAR_OK;
	if (v->flags & VAR_DYNAMIC) {
		if (v->head.special == SPECIAL_BASH_ALIASES)
			state_unset_text(st, &st->aliases, key);
		return VAR_OK;
	}
	if (!v->assoc)
		return VAR_OK;
	assoc_own(st->heap, &v->assoc);
	assoc_unset(st->heap, &v->assoc, key);
	return VAR_OK;
}
