/* var.c - variables: one table of visible bindings, former ones kept by the frames.
 *
 * A binding is made local by putting a new variable in the table and the old one (or a note
 * that there was none) on the list of the frame; unset and frame_pop put it back. Every
 * change is made on an unshared variable, and every new one hangs in st->pin until it is in
 * the table. */
#include "var.h"
#include "../../user/user.h"

const char *var_error_text(int error)
{
	switch (error) {
	case VAR_E_READONLY: return "readonly variable";
	case VAR_E_NAME: return "not a valid identifier";
	case VAR_E_SUBSCRIPT: return "bad array subscript";
	case VAR_E_ASSOC_TO_ARRAY: return "cannot convert associative to indexed array";
	case VAR_E_ARRAY_TO_ASSOC: return "cannot convert indexed to associative array";
	case VAR_E_CIRCULAR: return "circular name reference";
	case VAR_E_NOT_LOCAL: return "can only be used in a function";
	case VAR_E_REF_NAME: return "invalid variable name for name reference";
	case VAR_E_NOT_SET: return "not found";
	case VAR_E_REF_ARRAY: return "reference variable cannot be an array";
	case VAR_E_SELF: return "nameref variable self references not allowed";
	case VAR_E_DESTROY: return "cannot destroy array variables in this way";
	default: return "unknown error";
	}
}

/* ---- Items ------------------------------------------------------------------ */

void var_drop_value(struct heap *h, struct var *v)
{
	union sval old = v->s;
	uint32_t flags = v->flags;

	memset(&v->s, 0, sizeof(v->s));
	v->flags &= ~(uint32_t)VAR_SET;
	if (flags & VAR_ARRAY) {
		struct var t = {.s = old};

		array_put(h, t.array);
	} else if (flags & VAR_ASSOC) {
		struct var t = {.s = old};

		assoc_put(h, t.assoc);
	} else {
		sval_drop(h, &old);
	}
}

static size_t var_size(size_t name_len)
{
	return sizeof(struct var) + name_len + 1;
}

static void func_free(struct heap *h, struct func *f)
{
	unit_put(h, f->unit);
	vstr_put(h, f->source);
	heap_free(h, f, sizeof(*f) + f->head.len + 1);
}

void item_put(struct heap *h, struct item *it)
{
	if (!it || --it->refs)
		return;
	switch ((enum item_kind)it->kind) {
	case ITEM_VAR:
		var_drop_value(h, as_var(it));
		heap_free(h, it, var_size(it->len));
		break;
	case ITEM_FUNC: func_free(h, (struct func *)(void *)it); break;
	case ITEM_TEXT:
		vstr_put(h, ((struct item_text *)(void *)it)->text);
		heap_free(h, it, sizeof(struct item_text) + it->len + 1);
		break;
	case ITEM_ABSENT: heap_free(h, it, sizeof(*it) + it->len + 1); break;
	}
}

struct var *var_new(struct shell_state *st, struct str name, uint32_t hash)
{
	struct var *v = heap_alloc(st->heap, var_size(name.len));

	*v = (struct var){.head = {.refs = 1,
	                           .hash = hash,
	                           .name = v->name,
	                           .len = (uint32_t)name.len,
	                           .kind = ITEM_VAR}};
	memcpy(v->name, name.ptr, name.len);
	v->name[name.len] = '\0';
	if (UNLIKELY(!ascii_lower(name.ptr[0])))
		v->head.special = (uint8_t)special_find(name.ptr, name.len);
	if (!special_alive(st, (enum special_id)v->head.special) &&
	    special_computed((enum special_id)v->head.special))
		v->head.special = SPECIAL_NONE;
	st->pin = &v->head;
	return v;
}

struct var *var_own_slot(struct shell_state *st, struct item **slot)
{
	struct var *v = as_var(*slot), *c;

	if (LIKELY(v->head.refs == 1))
		return v;
	c = heap_alloc(st->heap, var_size(v->head.len));
	memcpy(c, v, var_size(v->head.len));
	c->head.refs = 1;
	c->head.name = c->name;
	if (c->flags & VAR_ARRAY) {
		if (c->array)
			c->array->refs++;
	} else if (c->flags & VAR_ASSOC) {
		if (c->assoc)
			c->assoc->refs++;
	} else {
		sval_copy(st->heap, &c->s, &v->s);
	}
	*slot = &c->head;
	v->head.refs--;
	return c;
}

struct var *var_own(struct shell_state *st, struct str name, uint32_t hash)
{
	struct item **slot = table_slot(st->heap, &st->vars, name.ptr, name.len, hash);

	return slot ? var_own_slot(st, slot) : NULL;
}

const struct var *state_find(const struct shell_state *st, struct str name)
{
	return as_var(table_find(&st->vars, name.ptr, name.len, table_hash(name.ptr, name.len)));
}

/* Puts a special variable that nobody has touched into the table. */
struct var *var_materialize(struct shell_state *st, struct str name, uint32_t hash)
{
	enum special_id id = special_find(name.ptr, name.len);
	char buf[VALUE_BUF];
	struct str text;
	struct var *v;

	if (!special_alive(st, id) || special_kind(id) == SPECIAL_WATCHED)
		return NULL;
	v = var_new(st, name, hash);
	v->flags = special_attrs(id);
	if (special_computed(id)) {
		v->flags |= VAR_DYNAMIC;
		if (special_kind(id) == SPECIAL_LIST)
			v->flags |= VAR_ARRAY;
		if (special_kind(id) == SPECIAL_MAP)
			v->flags |= VAR_ASSOC;
	} else if (special_get(st, id, buf, &text)) {
		sval_set(st->heap, &v->s, text.ptr, text.len);
		v->flags |= VAR_SET;
	} else {
		item_put(st->heap, st->pin);
		st->pin = NULL;
		return NULL;
	}
	table_put(st->heap, &st->vars, &st->pin);
	return v;
}

struct var *state_materialize(struct shell_state *st, struct str name)
{
	uint32_t hash = table_hash(name.ptr, name.len);
	struct var *v = var_own(st, name, hash);

	return v ? v : var_materialize(st, name, hash);
}

/* ---- Reading -------------------------------------------------------------------- */

#define REF_DEPTH 8

int state_resolve(const struct shell_state *st, struct str name, struct str *out)
{
	for (int depth = 0; depth <= REF_DEPTH; depth++) {
		const struct var *v = state_find(st, name);
		struct str to;

		*out = name;
		if (!v || !(v->flags & VAR_NAMEREF) || !(v->flags & VAR_SET))
			return VAR_OK;
		to = sval_str(&v->s);
		if (to.len == 0)
			return VAR_OK;
		if (!name_valid(to)) {
			*out = to;
			return VAR_OK;
		}
		name = to;
	}
	return VAR_E_CIRCULAR;
}

static NOINLINE bool get_slow(struct shell_state *st, struct str name, const struct var *v,
                              char buf[VALUE_BUF], struct str *out)
{
	enum special_id id = v ? (enum special_id)v->head.special
	                       : special_find(name.ptr, name.len);
	struct vstr *e;

	if (!v || (v->flags & VAR_DYNAMIC)) {
		if (!special_alive(st, id))
			return false;
		if (special_kind(id) == SPECIAL_LIST) {
			struct varray_view view;

			if (!state_dynamic_array(st, name, &view) || view.n == 0)
				return false;
			*out = view.v[0];
			return true;
		}
		return special_get(st, id, buf, out);
	}
	if (v->flags & VAR_NAMEREF) {
		struct str to;

		if (state_resolve(st, name, &to) != VAR_OK || str_eq(to, name) || !name_valid(to))
			return false;
		return state_get(st, to, buf, out);
	}
	if (v->flags & VAR_ARRAY)
		e = array_at(v->array, 0);
	else if (v->flags & VAR_ASSOC)
		e = assoc_at(v->assoc, STR("0"));
	else
		return false;
	if (!e)
		return false;
	*out = vstr_str(e);
	return true;
}

bool state_get(struct shell_state *st, struct str name, char buf[VALUE_BUF], struct str *out)
{
	const struct var *v = as_var(
	        table_find(&st->vars, name.ptr, name.len, table_hash(name.ptr, name.len)));

	if (LIKELY(v != NULL) && LIKELY((v->flags & (VAR_SET | VAR_ARRAY | VAR_ASSOC | VAR_DYNAMIC |
	                                             VAR_NAMEREF)) == VAR_SET)) {
		*out = sval_str(&v->s);
		return true;
	}
	return get_slow(st, name, v, buf, out);
}

bool state_value(struct shell_state *st, const struct var *v, struct str name, char buf[VALUE_BUF], struct str *out)
{
	if (!v || (v->flags & (VAR_SET | VAR_ARRAY | VAR_ASSOC | VAR_DYNAMIC | VAR_NAMEREF)) != VAR_SET)
		return get_slow(st, name, v, buf, out);
	*out = sval_str(&v->s);
	return true;
}

/* ---- Listing --------------------------------------------------------------------- */

static int item_compare(const struct item *a, const struct item *b)
{
	int c = memcmp(a->name, b->name, MIN(a->len, b->len));

	return c ? c : (a->len > b->len) - (a->len < b->len);
}

static void sift(struct item **v, size_t root, size_t n)
{
	for (;;) {
		size_t child = root * 2 + 1;
		struct item *t;

		if (child >= n)
			return;
		if (child + 1 < n && item_compare(v[child], v[child + 1]) < 0)
			child++;
		if (item_compare(v[root], v[child]) >= 0)
			return;
		t = v[root];
		v[root] = v[child];
		v[child] = t;
		root = child;
	}
}

void items_sort(struct item **v, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(v, i, n);
	for (; n > 1; n--) {
		struct item *t = v[0];

		v[0] = v[n - 1];
		v[n - 1] = t;
		sift(v, 0, n - 1);
	}
}

size_t state_vars(struct shell_state *st, const struct var ***out)
{
	struct item **v;
	size_t n;

	for (unsigned id = 1; id < SPECIAL_COUNT; id++)
		state_materialize(st, str_from(special_name((enum special_id)id)));
	v = u_array(st->p, st->vars.n + (size_t)1, sizeof(struct item *));
	n = table_items(&st->vars, v);
	items_sort(v, n);
	v[n] = NULL;
	*out = (const struct var **)(void *)v;
	return n;
}
