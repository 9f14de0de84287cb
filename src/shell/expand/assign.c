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

bool assign_fail(struct expander *x, struct str target, int error, unsigned flags)
{
	if (flags & ASSIGN_QUIET) {
		x->error = EXPAND_ASSIGN;
		return false;
	}
	if (!names_builtin(x->command, error))
		return expand_report(x, EXPAND_ASSIGN, "%.*s: %s", (int)target.len, target.ptr,
		                     var_error_text(error));
	return expand_fail(x, EXPAND_ASSIGN, "%s: %.*s: %s", x->command, (int)target.len, target.ptr,
	                   var_error_text(error));
}

bool assign_bad_name(struct expander *x, struct str target, unsigned flags)
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
		return assign_fail(x, pl->name, VAR_E_SELF, flags);
	return name_valid(value) || name_split(value, &name, &sub) || assign_bad_name(x, value, flags);
}

bool assign_place(struct expander *x, const struct place *pl, struct str value,
                  enum var_where where, unsigned flags)
{
	bool append = (flags & ASSIGN_APPEND) != 0;
	uint32_t attrs;
	int r;

	if (pl->kind != PARAM_NAME)
		return assign_bad_name(x, pl->text, flags);
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
			return assign_bad_name(x, STR(""), flags);
		if (!refer_to(x, pl, value, flags))
			return false;
	}
	if (attrs & VAR_INTEGER) {
		if (attrs & VAR_READONLY)
			return assign_fail(x, pl->name, VAR_E_READONLY, flags);
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
		return r == VAR_OK || assign_fail(x, pl->name, r, flags);
	case SUB_WORD:
		r = pl->assoc ? state_put_key(x->st, pl->name, where, pl->key, value, append)
		              : state_put_elem(x->st, pl->name, where, pl->index, value, append);
		return r == VAR_OK || assign_fail(x, r == VAR_E_READONLY ? pl->name : pl->text, r, flags);
	default:
		return assign_fail(x, str_from(u_format(x->p, "%.*s[%c]", (int)pl->name.len, pl->name.ptr, pl->sub == SUB_AT ? '@' : '*')),
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
	return x->error == EXPAND_NONE ? assign_bad_name(x, target, flags) : false;
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

			return LIKELY(r == VAR_OK) || assign_fail(x, target, r, flags);
		}
		if (v && (v->flags & VAR_NAMEREF) && !(v->flags & VAR_SET))
			flags |= ASSIGN_NOREF;
	}
	return target_place(x, target, flags, &pl) && assign_place(x, &pl, value, where, flags);
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

			return LIKELY(r == VAR_OK) || assign_fail(x, a->name, r, flags);
		}
		return assign_text(x, a->name, value, where, flags);
	}
	if (!target_place(x, a->name, flags, &pl))
		return false;
	if (pl.sub != SUB_NONE) {
		struct str to = pl.text;

		state_resolve(x->st, a->name, &to);
		return assign_bad_name(x, to, flags);
	}
	if (!place_subscript(x, &pl, a->sub))
		return false;
	if (pl.assoc && pl.key.len == 0)
		return assign_fail(x, pl.text, VAR_E_SUBSCRIPT, flags);
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
