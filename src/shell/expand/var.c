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
	case ITEM_FUNC:
		func_free(h, (struct func *)(void *)it);
		break;
	case ITEM_TEXT:
		vstr_put(h, ((struct item_text *)(void *)it)->text);
		heap_free(h, it, sizeof(struct item_text) + it->len + 1);
		break;
	case ITEM_ABSENT:
		heap_free(h, it, sizeof(*it) + it->len + 1);
		break;
	}
}

struct var *var_new(struct shell_state *st, struct str name, uint32_t hash)
{
	struct var *v = heap_alloc(st->heap, var_size(name.len));

	*v = (struct var){.head = {.refs = 1, .hash = hash, .name = v->name, .len = (uint32_t)name.len, .kind = ITEM_VAR}};
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

static struct item *absent_new(struct shell_state *st, struct str name, uint32_t hash)
{
	struct item *it = heap_alloc(st->heap, sizeof(*it) + name.len + 1);
	char *own = (char *)(it + 1);

	*it = (struct item){.refs = 1, .hash = hash, .name = own, .len = (uint32_t)name.len, .kind = ITEM_ABSENT};
	memcpy(own, name.ptr, name.len);
	own[name.len] = '\0';
	it->special = (uint8_t)special_find(name.ptr, name.len);
	return it;
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
static struct var *materialize(struct shell_state *st, struct str name, uint32_t hash)
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

	return v ? v : materialize(st, name, hash);
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

static bool get_slow(struct shell_state *st, struct str name, const struct var *v, char buf[VALUE_BUF],
		     struct str *out)
{
	enum special_id id = v ? (enum special_id)v->head.special : special_find(name.ptr, name.len);
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
	const struct var *v = as_var(table_find(&st->vars, name.ptr, name.len, table_hash(name.ptr, name.len)));

	if (LIKELY(v != NULL) &&
	    LIKELY((v->flags & (VAR_SET | VAR_ARRAY | VAR_ASSOC | VAR_DYNAMIC | VAR_NAMEREF)) == VAR_SET)) {
		*out = sval_str(&v->s);
		return true;
	}
	return get_slow(st, name, v, buf, out);
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

/* The frame of scope level `level` that remembers what `name` hides there. (A function called with a temporary
 * environment shares the level of that.) */
static struct frame *frame_hiding(const struct shell_state *st, uint32_t level, struct str name)
{
	struct frame *f = st->frame;

	while (f && !(f->is_scope && f->level == level && saved_find(f, name) >= 0))
		f = f->up;
	return f;
}

/* Starts a binding in the scope of `f` in place of the visible one, which f remembers. Without a value. */
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
static struct var *bind_below(struct shell_state *st, struct frame *f, struct frame *above, struct str name,
			      uint32_t hash)
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
	struct item *it = table_find(&st->vars, name.ptr, name.len, hash);
	const struct var *old = as_var(it);
	uint32_t inherit = 0;
	struct var *v;

	if (!f)
		return NULL;
	if (old && old->level >= f->level && !(old->level > f->level && st->frame->kind == FRAME_TEMPENV)) {
		/* Ours already; or of a temporary environment around us, which then becomes the local variable. */
		v = var_own(st, name, hash);
		v->flags &= ~(uint32_t)VAR_TEMP;
		return v;
	}
	if (old && (old->flags & VAR_TEMP))
		inherit = VAR_EXPORT;
	else if (old && (st->shopts & SHOPT_LOCALVAR_INHERIT))
		inherit = VAR_ATTRS & ~(uint32_t)VAR_NAMEREF;
	st->pin = item_get(it);
	if (old && old->level > f->level) {
		struct item *keep = st->pin;

		/* x=1 local x: both bindings get the value; the temporary one goes when the builtin ends. */
		st->pin = NULL;
		v = bind_below(st, f, st->frame, name, hash);
		if (v && !(v->flags & VAR_SET)) {
			copy_value(st, v, old);
			v->flags |= old->flags & inherit;
		}
		item_put(st->heap, keep);
		return v;
	}
	item_put(st->heap, st->pin);
	st->pin = NULL;
	v = bind_in(st, f, name, hash);
	if (inherit) {
		/* `old` is held by the frame's list. */
		copy_value(st, v, old);
		v->flags |= old->flags & inherit;
	}
	return v;
}

/* The bottom binding; a new one when there is none. */
static struct var *global_own(struct shell_state *st, struct str name, uint32_t hash)
{
	const struct var *top = as_var(table_find(&st->vars, name.ptr, name.len, hash));
	struct frame *lowest = NULL;
	struct var *v;
	int i;

	if (!top || top->level == 0) {
		v = var_own(st, name, hash);
		if (v || (v = materialize(st, name, hash)))
			return v;
		v = var_new(st, name, hash);
		table_put(st->heap, &st->vars, &st->pin);
		return v;
	}
	for (struct frame *f = st->frame; f; f = f->up)
		if (f->is_scope && saved_find(f, name) >= 0)
			lowest = f;
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
static struct var *target(struct shell_state *st, struct str name, enum var_where where)
{
	uint32_t hash = table_hash(name.ptr, name.len);
	struct var *v;

	switch (where) {
	case VAR_VISIBLE:
		v = var_own(st, name, hash);
		if (LIKELY(v != NULL) || (!ascii_lower(name.ptr[0]) && (v = materialize(st, name, hash))))
			return v;
		v = var_new(st, name, hash);
		table_put(st->heap, &st->vars, &st->pin);
		return v;
	case VAR_LOCAL:
		return local_own(st, name, hash);
	case VAR_GLOBAL:
		return global_own(st, name, hash);
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

/* A readonly variable cannot be written, nor hidden in a function's scope by VAR_TEMPENV. */
static bool readonly(struct shell_state *st, struct str name, enum var_where where)
{
	const struct var *v = state_find(st, name);

	if (!v) {
		enum special_id id = ascii_lower(name.ptr[0]) ? SPECIAL_NONE : special_find(name.ptr, name.len);

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

/* ---- Writing --------------------------------------------------------------------- */

/* declare -u, -l, -c */
static struct str recase(struct shell_state *st, uint32_t flags, struct str s)
{
	struct u_buf b;
	size_t i = 0;

	u_buf_init(&b, st->p, 0);
	u_buf_reserve(&b, s.len);
	while (i < s.len) {
		char enc[6];
		unsigned len = 1;
		uint32_t c = (unsigned char)s.ptr[i];
		bool up = (flags & VAR_UPPER) || ((flags & VAR_CAPITAL) && i == 0);

		if (c >= 0x80 && st->utf8)
			c = utf8_decode(s.ptr + i, s.len - i, &len);
		if (c == UTF8_BAD || (c >= 0x80 && !st->utf8))
			u_buf_put(&b, s.ptr + i, len);
		else
			u_buf_put(&b, enc, utf8_encode(up ? utf8_toupper(c) : utf8_tolower(c), enc));
		i += len;
	}
	return (struct str){b.ptr, b.len};
}

static void written(struct shell_state *st, struct var *v)
{
	v->flags |= VAR_SET;
	if (UNLIKELY(st->opts & SET_ALLEXPORT))
		v->flags |= VAR_EXPORT;
	var_changed(st, &v->head, v->flags);
}

int state_put(struct shell_state *st, struct str name, enum var_where where, struct str value, bool append)
{
	struct var *v;

	if (where == VAR_VISIBLE) {
		uint32_t hash = table_hash(name.ptr, name.len);
		struct item **slot = table_slot(st->heap, &st->vars, name.ptr, name.len, hash);

		/* The usual case: an ordinary scalar. */
		if (LIKELY(slot != NULL)) {
			v = var_own_slot(st, slot);
			if (LIKELY((v->flags & ~(uint32_t)(VAR_SET | VAR_EXPORT | VAR_TEMP | VAR_TRACE | VAR_INTEGER)) == 0)) {
				if (append)
					sval_append(st->heap, &v->s, value.ptr, value.len);
				else
					sval_set(st->heap, &v->s, value.ptr, value.len);
				written(st, v);
				return VAR_OK;
			}
		}
	}
	if (readonly(st, name, where))
		return VAR_E_READONLY;
	v = target(st, name, where);
	if (!v)
		return VAR_E_NOT_LOCAL;
	if (v->flags & (VAR_LOWER | VAR_UPPER | VAR_CAPITAL)) {
		if (append && (v->flags & VAR_CAPITAL) && !(v->flags & (VAR_ARRAY | VAR_ASSOC))) {
			struct u_buf b;
			struct str was = sval_str(&v->s);

			u_buf_init(&b, st->p, 0);
			u_buf_put(&b, was.ptr, was.len);
			u_buf_put(&b, value.ptr, value.len);
			value = (struct str){b.ptr, b.len};
			append = false;
		}
		value = recase(st, v->flags, value);
	}
	if (v->flags & VAR_DYNAMIC) {
		special_set(st, (enum special_id)v->head.special, 0, value);
		return VAR_OK;
	}
	if (v->flags & VAR_ARRAY) {
		array_own(st->heap, &v->array);
		array_set(st->heap, &v->array, 0, value.ptr, value.len, append);
	} else if (v->flags & VAR_ASSOC) {
		assoc_own(st->heap, &v->assoc);
		assoc_set(st->heap, &v->assoc, STR("0"), value.ptr, value.len, append);
	} else if (append) {
		sval_append(st->heap, &v->s, value.ptr, value.len);
	} else {
		sval_set(st->heap, &v->s, value.ptr, value.len);
	}
	written(st, v);
	return VAR_OK;
}

int state_set_i64(struct shell_state *st, struct str name, int64_t value)
{
	struct item **slot = table_slot(st->heap, &st->vars, name.ptr, name.len, table_hash(name.ptr, name.len));
	char buf[24];

	if (LIKELY(slot != NULL)) {
		struct var *v = var_own_slot(st, slot);

		if (LIKELY((v->flags & ~(uint32_t)(VAR_SET | VAR_EXPORT | VAR_TEMP | VAR_TRACE | VAR_INTEGER)) == 0)) {
			sval_set_i64(st->heap, &v->s, value);
			written(st, v);
			return VAR_OK;
		}
	}
	return state_put(st, name, VAR_VISIBLE, (struct str){buf, put_i64(buf, value)}, false);
}

/* Turns v into an indexed or associative array, its value becoming element 0. */
static int make_array(struct shell_state *st, struct var *v, uint32_t kind)
{
	struct var *built;
	struct str was;

	if (v->flags & kind)
		return VAR_OK;
	if (v->flags & VAR_ARRAY)
		return VAR_E_ARRAY_TO_ASSOC;
	if (v->flags & VAR_ASSOC)
		return VAR_E_ASSOC_TO_ARRAY;
	if (!(v->flags & VAR_SET)) {
		v->flags |= kind;
		v->array = NULL;
		return VAR_OK;
	}
	/* Built in a variable of its own that hangs in st->pin. */
	was = sval_str(&v->s);
	built = var_new(st, item_name(&v->head), v->head.hash);
	built->flags = kind;
	if (kind == VAR_ARRAY) {
		built->array = array_new(st->heap, 4);
		array_set(st->heap, &built->array, 0, was.ptr, was.len, false);
	} else {
		built->assoc = assoc_new(st->heap, 4);
		assoc_set(st->heap, &built->assoc, STR("0"), was.ptr, was.len, false);
	}
	sval_drop(st->heap, &v->s);
	v->flags |= kind;
	if (kind == VAR_ARRAY)
		v->array = built->array;
	else
		v->assoc = built->assoc;
	built->flags = 0;
	memset(&built->s, 0, sizeof(built->s));
	item_put(st->heap, st->pin);
	st->pin = NULL;
	return VAR_OK;
}

int state_put_elem(struct shell_state *st, struct str name, enum var_where where, int64_t index, struct str value,
		   bool append)
{
	struct var *v;
	int r;

	if (readonly(st, name, where))
		return VAR_E_READONLY;
	v = target(st, name, where);
	if (!v)
		return VAR_E_NOT_LOCAL;
	if (v->flags & VAR_DYNAMIC) {
		special_set(st, (enum special_id)v->head.special, index, value);
		return VAR_OK;
	}
	r = make_array(st, v, VAR_ARRAY);
	if (r != VAR_OK)
		return r;
	if (index < 0)
		index += array_end(v->array);
	if (index < 0)
		return VAR_E_SUBSCRIPT;
	if (v->flags & (VAR_LOWER | VAR_UPPER | VAR_CAPITAL))
		value = recase(st, v->flags, value);
	array_own(st->heap, &v->array);
	array_set(st->heap, &v->array, index, value.ptr, value.len, append);
	written(st, v);
	return VAR_OK;
}

int state_put_key(struct shell_state *st, struct str name, enum var_where where, struct str key, struct str value,
		  bool append)
{
	struct var *v;
	int r;

	if (readonly(st, name, where))
		return VAR_E_READONLY;
	v = target(st, name, where);
	if (!v)
		return VAR_E_NOT_LOCAL;
	if (v->flags & VAR_DYNAMIC) {
		if (v->head.special == SPECIAL_BASH_ALIASES)
			state_set_text(st, &st->aliases, key, value);
		else if (v->head.special == SPECIAL_BASH_CMDS)
			state_set_text(st, &st->paths, key, value);
		return VAR_OK;
	}
	r = make_array(st, v, VAR_ASSOC);
	if (r != VAR_OK)
		return r;
	if (v->flags & (VAR_LOWER | VAR_UPPER | VAR_CAPITAL))
		value = recase(st, v->flags, value);
	assoc_own(st->heap, &v->assoc);
	assoc_set(st->heap, &v->assoc, key, value.ptr, value.len, append);
	written(st, v);
	return VAR_OK;
}

int state_clear_array(struct shell_state *st, struct str name, enum var_where where)
{
	struct var *v;
	uint32_t kind;

	if (readonly(st, name, where))
		return VAR_E_READONLY;
	v = target(st, name, where);
	if (!v)
		return VAR_E_NOT_LOCAL;
	if (v->flags & VAR_DYNAMIC)
		return VAR_OK;
	kind = v->flags & VAR_ASSOC ? VAR_ASSOC : VAR_ARRAY;
	var_drop_value(st->heap, v);
	v->flags |= kind;
	written(st, v);
	return VAR_OK;
}

int state_declare(struct shell_state *st, struct str name, enum var_where where, uint32_t on, uint32_t off,
		  const struct var **out)
{
	uint32_t was;
	struct var *v;

	if ((off & VAR_READONLY) || (on & (VAR_ARRAY | VAR_ASSOC)) || where == VAR_LOCAL) {
		/* Attributes of a readonly variable may be added to; it may not be hidden or be changed in kind. */
		if (readonly(st, name, where) &&
		    ((off & VAR_READONLY) || where == VAR_LOCAL ||
		     (state_find(st, name) && (on & ~state_find(st, name)->flags & (VAR_ARRAY | VAR_ASSOC)))))
			return VAR_E_READONLY;
	}
	v = target(st, name, where);
	if (!v)
		return VAR_E_NOT_LOCAL;
	if (out)
		*out = v;
	was = v->flags;
	if ((on & VAR_NAMEREF) && (was & (VAR_ARRAY | VAR_ASSOC)))
		return VAR_E_REF_ARRAY;
	if ((on & VAR_NAMEREF) && (was & VAR_SET) && !(was & VAR_DYNAMIC)) {
		struct str to = sval_str(&v->s), base, sub;

		if (to.len && !name_valid(to) && !name_split(to, &base, &sub))
			return VAR_E_REF_NAME;
	}
	if ((off & (VAR_ARRAY | VAR_ASSOC)) & was)
		return VAR_E_DESTROY;
	if (on & (VAR_ARRAY | VAR_ASSOC)) {
		int r = make_array(st, v, on & VAR_ASSOC ? VAR_ASSOC : VAR_ARRAY);

		if (r != VAR_OK)
			return r;
	}
	if (on & (VAR_LOWER | VAR_UPPER | VAR_CAPITAL))
		v->flags &= ~(uint32_t)(VAR_LOWER | VAR_UPPER | VAR_CAPITAL);
	v->flags |= on & VAR_ATTRS & ~(uint32_t)(VAR_ARRAY | VAR_ASSOC);
	v->flags &= ~(off & (uint32_t)VAR_ATTRS);
	if ((was | v->flags) & VAR_EXPORT)
		st->env_stale = true;
	return VAR_OK;
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
	if (f && level && !(flags & VAR_TEMP) && (level == f->level || ((st->shopts & SHOPT_LOCALVAR_UNSET) && level < f->level))) {
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

	if (readonly(st, name, VAR_VISIBLE))
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

	if (readonly(st, name, VAR_VISIBLE))
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
