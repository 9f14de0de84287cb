/* assign.c - assignments: to names, elements, whole arrays.
 *
 * Everything on the right is expanded before anything on the left changes, so that
 * a=("${a[@]}" x) sees the old a. */
#include "build.h"
#include "special.h"

/* Of a bad subscript bash does not say which builtin met it; of a readonly variable, only when it declares. */
static bool names_builtin(const char *command, int error)
{
	struct str name = str_from(command ? command : "");

	if (!command || error == VAR_E_SUBSCRIPT)
		return false;
	return error != VAR_E_READONLY || str_is(name, "declare") || str_is(name, "local") ||
	       str_is(name, "typeset");
}

static bool fail(struct expander *x, struct str target, int error, unsigned flags)
{
	if (flags & ASSIGN_QUIET) {
		x->error = EXPAND_ASSIGN;
		return false;
	}
	if (!names_builtin(x->command, error))
		return expand_fail(x, EXPAND_ASSIGN, "%.*s: %s", (int)target.len, target.ptr,
		                   var_error_text(error));
	return expand_fail(x, EXPAND_ASSIGN, "%s: %.*s: %s", x->command, (int)target.len, target.ptr,
	                   var_error_text(error));
}

static bool bad_name(struct expander *x, struct str target, unsigned flags)
{
	if (flags & ASSIGN_QUIET) {
		x->error = EXPAND_ASSIGN;
		return false;
	}
	return expand_fail(x, EXPAND_ASSIGN, "%s%s`%.*s': not a valid identifier",
	                   x->command ? x->command : "", x->command ? ": " : "", (int)target.len,
	                   target.ptr);
}

/* ---- One value ------------------------------------------------------------------------ */

static int64_t number_of(struct expander *x, struct str s, bool *ok)
{
	int64_t n = 0;

	*ok = arith_text(x, s, &n);
	return n;
}

/* The value of an integer variable: the expression's, added to the old one's for +=. */
static bool integer_value(struct expander *x, const struct place *pl, struct str value,
                          bool *append, struct str *out)
{
	int64_t n, old = 0;
	struct value was;
	char *buf;
	bool ok;

	n = number_of(x, value, &ok);
	if (!ok)
		return false;
	if (*append) {
		if (!place_get(x, pl, &was))
			return false;
		if (was.set && !was.list) {
			old = number_of(x, copy_str(x, was.s), &ok);
			if (!ok)
				return false;
		}
		n = (int64_t)((uint64_t)n + (uint64_t)old);
		*append = false;
	}
	buf = u_alloc(x->p, 24);
	*out = (struct str){buf, put_i64(buf, n)};
	return true;
}

static uint32_t flags_of(const struct expander *x, const struct place *pl)
{
	const struct var *v = pl->bounded ? state_find_within(x->st, pl->name, pl->level) : place_var(x, pl);

	/* A computed integer (RANDOM, SECONDS) that nobody has touched. */
	if (!v && !ascii_lower(pl->name.ptr[0]) && !state_find(x->st, pl->name))
		v = state_materialize(x->st, pl->name);
	return v ? v->flags : 0;
}

/* What a reference is to refer to. */
static bool refer_to(struct expander *x, const struct place *pl, struct str value, unsigned flags)
{
	struct str name, sub;

	if (str_eq(value, pl->name) && !frame_find(x->st, FRAME_FUNCTION))
		return fail(x, pl->name, VAR_E_SELF, flags);
	return name_valid(value) || name_split(value, &name, &sub) || bad_name(x, value, flags);
}

bool assign_place(struct expander *x, const struct place *pl, struct str value,
                  enum var_where where, unsigned flags)
{
	bool append = (flags & ASSIGN_APPEND) != 0;
	uint32_t attrs;
	int r;

	if (pl->kind != PARAM_NAME)
		return bad_name(x, pl->text, flags);
	if (pl->global && where == VAR_VISIBLE)
		where = VAR_GLOBAL;
	if (UNLIKELY(pl->bounded) && pl->sub == SUB_NONE && where == VAR_VISIBLE) {
		where = VAR_WITHIN;
		x->st->within = pl->level;
	}
	attrs = flags_of(x, pl);
	/* That it is one still means that it refers to nothing yet, or is bound anew. */
	if (UNLIKELY(attrs & VAR_NAMEREF) && !append && !pl->global) {
		if (pl->sub != SUB_NONE)
			return bad_name(x, STR(""), flags);
		if (!refer_to(x, pl, value, flags))
			return false;
	}
	if (attrs & VAR_INTEGER) {
		if (attrs & VAR_READONLY)
			return fail(x, pl->name, VAR_E_READONLY, flags);
		if (!integer_value(x, pl, value, &append, &value)) {
			if (x->error != EXPAND_EXIT && x->error != EXPAND_UNWIND)
				x->error = x->error == EXPAND_ARITH ? EXPAND_TOP : EXPAND_FAIL;
			return false;
		}
	}
	switch ((enum sub_kind)pl->sub) {
	case SUB_NONE:
		if (append && where == VAR_TEMPENV) {
			/* The new binding starts from what is visible now. */
			struct value was;
			struct u_buf b;

			if (!place_get(x, pl, &was))
				return false;
			u_buf_init(&b, x->p, 0);
			u_buf_put(&b, was.s.ptr, was.s.len);
			u_buf_put(&b, value.ptr, value.len);
			value = (struct str){b.ptr ? b.ptr : "", b.len};
			append = false;
		}
		r = state_put(x->st, pl->name, where, value, append);
		return r == VAR_OK || fail(x, pl->name, r, flags);
	case SUB_WORD:
		r = pl->assoc ? state_put_key(x->st, pl->name, where, pl->key, value, append)
		              : state_put_elem(x->st, pl->name, where, pl->index, value, append);
		return r == VAR_OK || fail(x, r == VAR_E_READONLY ? pl->name : pl->text, r, flags);
	default:
		return fail(x, str_from(u_format(x->p, "%.*s[%c]", (int)pl->name.len, pl->name.ptr, pl->sub == SUB_AT ? '@' : '*')),
		            VAR_E_SUBSCRIPT, flags);
	}
}

bool target_place(struct expander *x, struct str target, unsigned flags, struct place *pl)
{
	struct str to;

	if (!(flags & ASSIGN_NOREF)) {
		struct str name = target, sub;

		name_split(target, &name, &sub);
		if (state_resolve(x->st, name, &to) != VAR_OK) {
			x->host->warn(x->host,
			              u_format(x->p, "warning: %.*s: circular name reference",
			                       (int)name.len, name.ptr));
			if (!state_find(x->st, name)->level) {
				x->error = EXPAND_ASSIGN;
				return false;
			}
		}
	}
	if (place_text(x, target, !(flags & ASSIGN_NOREF), pl) && pl->kind == PARAM_NAME)
		return true;
	return x->error == EXPAND_NONE ? bad_name(x, target, flags) : false;
}

bool assign_text(struct expander *x, struct str target, struct str value, enum var_where where,
                 unsigned flags)
{
	bool valid = name_valid(target);
	struct place pl = {.kind = PARAM_NAME, .name = target, .text = target, .global = true};

	/* The bottom binding is no reference, the one that hides it may be. */
	if (UNLIKELY(valid && where == VAR_GLOBAL && state_find(x->st, target))) {
		const struct var *v = state_find_global(x->st, target);

		if (v != state_find(x->st, target) && (!v || !(v->flags & VAR_NAMEREF)))
			return assign_place(x, &pl, value, where, flags);
	}

	/* An unset reference takes the value as the name it refers to. */
	if (valid && !(flags & ASSIGN_NOREF)) {
		const struct var *v = state_find(x->st, target);

		if (v && where == VAR_VISIBLE && !(v->flags & (VAR_INTEGER | VAR_NAMEREF))) {
			int r = state_put(x->st, target, where, value, (flags & ASSIGN_APPEND) != 0);

			return LIKELY(r == VAR_OK) || fail(x, target, r, flags);
		}
		if (v && (v->flags & VAR_NAMEREF) && !(v->flags & VAR_SET))
			flags |= ASSIGN_NOREF;
	}
	return target_place(x, target, flags, &pl) && assign_place(x, &pl, value, where, flags);
}

/* ---- Whole arrays -------------------------------------------------------------------------- */

struct item_value {
	bool has_sub, append;
	const struct subscript *sub;
	struct str key, value, raw;
};

struct items {
	struct item_value *v;
	size_t n, cap;
};

static struct item_value *item_add(struct expander *x, struct items *l)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 16;

		l->v = arena_grow(&sys_self(x->p)->arena, l->v, l->cap * sizeof(*l->v),
		                  size_mul(cap, sizeof(*l->v)));
		l->cap = cap;
	}
	memset(&l->v[l->n], 0, sizeof(l->v[0]));
	return &l->v[l->n++];
}

/* [key]=value */
static bool expand_subscripted(struct expander *x, const struct array_item *it, struct str name,
                               bool assoc, bool keep, struct item_value *out)
{
	*out = (struct item_value){.has_sub = true, .append = it->append, .raw = it->sub->raw};
	if (assoc) {
		if (!expand_text(x, it->sub->word, &out->key))
			return false;
	} else if (it->sub->kind != SUB_WORD) {
		return expand_fail(x, EXPAND_ASSIGN, "[%.*s]=%.*s: bad array subscript",
		                   (int)it->sub->raw.len, it->sub->raw.ptr, (int)it->value.raw_len,
		                   it->value.raw);
	}
	/* An index is evaluated when its turn comes to be assigned, after all values. */
	out->sub = it->sub;
	if (!expand_joined(x, &it->value, JOIN_ELEMENT, &out->value))
		return false;
	if (assoc && it->append && !keep) {
		/* bash fills a new table and still adds to what the old one has. */
		const struct var *v = state_find(x->st, name);
		struct vstr *was =
		        v && !(v->flags & VAR_DYNAMIC) ? assoc_at(v->assoc, out->key) : NULL;

		if (was)
			out->value = str_from(u_format(x->p, "%s%s", was->s, out->value.ptr));
		out->append = false;
	}
	return true;
}

/* Patterns last: x=(*.txt $(touch new.txt)) has the new file, too. */
static bool expand_items(struct expander *x, const struct array_lit *lit, struct str name,
                         bool assoc, bool keep, struct items *out)
{
	struct {
		struct item_value made;
		struct fields f;
		struct late_globs late;
	} *v = u_zalloc(x->p, size_mul(lit->n + (size_t)1, sizeof(*v)));

	for (uint32_t i = 0; i < lit->n; i++) {
		const struct array_item *it = &lit->items[i];

		if (!(it->sub ? expand_subscripted(x, it, name, assoc, keep, &v[i].made)
		              : expand_words_late(x, &it->value, 1, &v[i].f, &v[i].late)))
			return false;
		sys_checkpoint(x->p);
	}
	for (uint32_t i = 0; i < lit->n; i++) {
		if (lit->items[i].sub) {
			*item_add(x, out) = v[i].made;
			continue;
		}
		if (!late_globs_apply(x, &v[i].late, &v[i].f))
			return false;
		for (size_t k = 0; k < v[i].f.n; k++)
			item_add(x, out)->value = str_from(v[i].f.v[k]);
		sys_checkpoint(x->p);
	}
	return true;
}

static bool put_assoc(struct expander *x, struct str name, const struct items *l,
                      enum var_where where, unsigned flags)
{
	struct place pl = {.kind = PARAM_NAME,
	                   .sub = SUB_WORD,
	                   .name = name,
	                   .text = name,
	                   .assoc = true,
	                   .global = where == VAR_GLOBAL};
	bool pairs = l->n && !l->v[0].has_sub;

	for (size_t i = 0; i < l->n; i++) {
		const struct item_value *it = &l->v[i];

		if (pairs) {
			/* m=(key value …) */
			pl.key = it->value;
			i++;
			if (!pl.key.len)
				return fail(x, name, VAR_E_SUBSCRIPT, flags);
			if (!assign_place(x, &pl, i < l->n ? l->v[i].value : STR(""), where, 0))
				return false;
			continue;
		}
		if (!it->has_sub) {
			const char *quote = x->command ? "'" : "";

			expand_fail(x, EXPAND_NONE,
			            "%.*s: %s%.*s%s: must use subscript when assigning associative "
			            "array",
			            (int)name.len, name.ptr, quote, (int)it->value.len,
			            it->value.ptr, quote);
			continue;
		}
		if (!it->key.len) {
			expand_fail(x, EXPAND_NONE, "['']='%.*s': bad array subscript",
			            (int)it->value.len, it->value.ptr);
			continue;
		}
		pl.key = it->key;
		if (!assign_place(x, &pl, it->value, where, it->append ? ASSIGN_APPEND : 0))
			return false;
		sys_checkpoint(x->p);
	}
	return true;
}

static bool put_indexed(struct expander *x, struct str name, const struct items *l, int64_t next,
                        enum var_where where)
{
	struct place pl = {
	        .kind = PARAM_NAME, .sub = SUB_WORD, .name = name, .text = name, .global = where == VAR_GLOBAL};

	for (size_t i = 0; i < l->n; i++) {
		const struct item_value *it = &l->v[i];

		pl.index = next;
		if (it->has_sub) {
			struct place sub = pl;

			if (!place_subscript(x, &sub, it->sub))
				return false;
			pl.index = sub.index;
		}
		if (pl.index < 0) {
			const struct var *v = place_var(x, &pl);

			pl.index += v && (v->flags & VAR_ARRAY) && !(v->flags & VAR_DYNAMIC)
			                    ? array_end(v->array)
			                    : 0;
			if (pl.index < 0)
				return expand_fail(x, EXPAND_ASSIGN,
				                   "[%.*s]=%.*s: bad array subscript",
				                   (int)it->raw.len, it->raw.ptr,
				                   (int)it->value.len, it->value.ptr);
		}
		if (!assign_place(x, &pl, it->value, where, it->append ? ASSIGN_APPEND : 0))
			return false;
		next = pl.index + 1;
		sys_checkpoint(x->p);
	}
	return true;
}

static bool assign_list(struct expander *x, struct str name, const struct array_lit *lit,
                        enum var_where where, unsigned flags)
{
	const struct var *v;
	struct items items = {NULL, 0, 0};
	bool assoc, expanded, append = (flags & ASSIGN_APPEND) != 0;
	int64_t next = 0;
	int r;

	if (!(flags & ASSIGN_NOREF)) {
		struct str to;

		bool circular = state_resolve(x->st, name, &to) != VAR_OK;

		if (circular)
			to = name;
		if (!name_valid(to))
			return bad_name(x, to, flags);
		name = str_eq(to, name) ? name : copy_str(x, to);
		v = state_find(x->st, name);
		for (unsigned i = 0; circular && i < (v->level ? 2u : 1u); i++)
			x->host->warn(x->host, u_format(x->p, "warning: %.*s: circular name reference",
			                                (int)name.len, name.ptr));
		if (circular && v->level && where == VAR_VISIBLE) {
			where = VAR_GLOBAL;
		} else if (v && (v->flags & VAR_NAMEREF)) {
			if (!circular)
				x->host->warn(x->host,
				              u_format(x->p, "warning: %.*s: removing nameref attribute",
				                       (int)name.len, name.ptr));
			state_declare(x->st, name, where, 0, VAR_NAMEREF, NULL);
		}
	}
	v = state_find(x->st, name);
	if (where == VAR_GLOBAL)
		v = state_find_global(x->st, name);
	assoc = v && (where != VAR_TEMPENV || v->level == 0) && (v->flags & VAR_ASSOC);
	if (!v && (str_is(name, "BASH_ALIASES") || str_is(name, "BASH_CMDS")))
		assoc = true;
	x->no_tilde = assoc;
	expanded = expand_items(x, lit, name, assoc, append, &items);
	x->no_tilde = false;
	if (!expanded)
		return false;
	if (append) {
		r = state_declare(x->st, name, where, assoc ? VAR_ASSOC : VAR_ARRAY, 0, &v);
		if (r == VAR_OK && (v->flags & VAR_READONLY))
			r = VAR_E_READONLY;
		if (r == VAR_OK && !assoc && !(v->flags & VAR_DYNAMIC))
			next = array_end(v->array);
		if (r == VAR_OK && !(v->flags & (VAR_SET | VAR_DYNAMIC)))
			r = state_clear_array(x->st, name, where);
	} else {
		r = state_clear_array(x->st, name, where);
	}
	if (r != VAR_OK)
		return fail(x, name, r, flags);
	return assoc ? put_assoc(x, name, &items, where, flags)
	             : put_indexed(x, name, &items, next, where);
}

/* ---- Statements ---------------------------------------------------------------------------------
 */

/* name=$((…)): 1 when it was an ordinary variable, -1 on an error; else 0, with the value as
 * text. */
static int assign_number(struct expander *x, const struct assign *a, enum var_where where,
                         struct str *value)
{
	const struct var *v;
	char *digits;
	int64_t n;

	if (!arith_eval(x, a->value->parts->arith, &n))
		return -1;
	v = state_find(x->st, a->name);
	if (LIKELY(where == VAR_VISIBLE && v && !a->sub &&
	           !(v->flags & (VAR_INTEGER | VAR_NAMEREF | VAR_READONLY)))) {
		(void)state_set_i64(x->st, a->name, n);
		return 1;
	}
	digits = u_alloc(x->p, 24);
	*value = (struct str){digits, put_i64(digits, n)};
	return 0;
}

bool assign_tree(struct expander *x, const struct assign *a, enum var_where where, unsigned flags)
{
	struct str value;

	if (a->append)
		flags |= ASSIGN_APPEND;
	if (a->array) {
		if (a->sub)
			return expand_fail(x, EXPAND_ASSIGN,
			                   "%.*s[%.*s]: cannot assign list to array member",
			                   (int)a->name.len, a->name.ptr, (int)a->sub->raw.len,
			                   a->sub->raw.ptr);
		return assign_list(x, a->name, a->array, where, flags);
	}
	if (!(flags & ASSIGN_APPEND) && a->value->nparts == 1 &&
	    a->value->parts->kind == PART_ARITH) {
		int done = assign_number(x, a, where, &value);

		if (done)
			return done > 0;
	} else if (!expand_joined(x, a->value, JOIN_VALUE, &value)) {
		return false;
	}
	return assign_expanded(x, a, value, where, flags);
}

bool assign_expanded(struct expander *x, const struct assign *a, struct str value, enum var_where where,
                     unsigned flags)
{
	const struct var *v;
	struct place pl;

	if (LIKELY(!a->sub)) {
		v = state_find(x->st, a->name);
		/* The usual case: neither integer nor reference. */
		if (LIKELY(where == VAR_VISIBLE && (v ? !(v->flags & (VAR_INTEGER | VAR_NAMEREF))
		                                      : ascii_lower(a->name.ptr[0])))) {
			int r = state_put(x->st, a->name, where, value,
			                  (flags & ASSIGN_APPEND) != 0);

			return LIKELY(r == VAR_OK) || fail(x, a->name, r, flags);
		}
		return assign_text(x, a->name, value, where, flags);
	}
	if (!target_place(x, a->name, flags, &pl))
		return false;
	if (pl.sub != SUB_NONE) {
		struct str to = pl.text;

		state_resolve(x->st, a->name, &to);
		return bad_name(x, to, flags);
	}
	if (!place_subscript(x, &pl, a->sub))
		return false;
	if (pl.assoc && pl.key.len == 0)
		return fail(x, pl.text, VAR_E_SUBSCRIPT, flags);
	return assign_place(x, &pl, value, where, flags);
}

bool assign_compound(struct expander *x, struct str name, struct str text, enum var_where where,
                     unsigned flags)
{
	struct parser *parser;
	struct parse_options o = {.flags = x->st->shopts & SHOPT_EXTGLOB ? PARSE_EXTGLOB : 0};
	struct array_lit *lit;

	if (text.len < 2 || text.ptr[0] != '(' || text.ptr[text.len - 1] != ')')
		return assign_text(x, name, text, where, flags);
	text = copy_str(x, (struct str){text.ptr + 1, text.len - 2});
	parser = u_alloc(x->p, sizeof(*parser));
	o.stack_max = (uint32_t)stack_room(x->p, PARSE_STACK_MAX);
	parser_init(parser, &sys_self(x->p)->arena, text.ptr, text.len, &o);
	lit = parser_array(parser);
	if (!lit)
		return expand_fail(x, EXPAND_ASSIGN, "%.*s",
		                   parser->error.nlines ? (int)parser->error.lines[0].text.len : 0,
		                   parser->error.nlines ? parser->error.lines[0].text.ptr : "");
	return assign_list(x, name, lit, where, flags);
}
