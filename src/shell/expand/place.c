/* place.c - what a parameter names, and its value.
 *
 * A place is a parameter after its subscript was evaluated and references were followed.
 * Values are borrowed from the state, so nothing that can change it runs between place_get
 * and their use. */
#include "build.h"

/* ---- Subscripts ------------------------------------------------------------------ */

const struct var *place_var(const struct expander *x, const struct place *pl)
{
	return pl->global ? state_find_global(x->st, pl->name) : state_find(x->st, pl->name);
}

static bool is_assoc(const struct var *v, struct str name)
{
	return (v && (v->flags & VAR_ASSOC)) ||
	       (!v && (str_is(name, "BASH_ALIASES") || str_is(name, "BASH_CMDS")));
}

struct subscript *parse_subscript(struct expander *x, struct str text)
{
	struct parser *parser = u_alloc(x->p, sizeof(*parser));
	struct parse_options o = {.flags = 0};

	text = copy_str(x, text);
	o.stack_max = (uint32_t)stack_room(x->p, PARSE_STACK_MAX);
	parser_init(parser, &sys_self(x->p)->arena, text.ptr, text.len, &o);
	return parser_subscript(parser);
}

static bool has_quote(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (memchr("\"'\\$`", s.ptr[i], 5))
			return true;
	return false;
}

/* Text between the expansions of a key written inside arithmetic, its quotes removed. */
static void put_unquoted(struct u_buf *b, struct str s, char *in)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (*in ? c == *in : c == '"' || c == '\'')
			*in = *in ? '\0' : c;
		else if (c == '\\' && *in != '\'' && i + 1 < s.len)
			u_buf_putc(b, s.ptr[++i]);
		else
			u_buf_putc(b, c);
	}
}

/* The key of an associative array. Inside arithmetic the parser could not know that it is one, and
 * left the quotes in the text. */
static bool subscript_key(struct expander *x, const struct subscript *sub, struct str *out)
{
	const struct word *w = sub->word;
	struct u_buf b;
	char in = '\0';

	if (w && (w->flags & WORD_LITERAL) && str_eq(w->text, sub->raw) && has_quote(sub->raw)) {
		sub = parse_subscript(x, sub->raw);
		if (!sub)
			return expand_fail(x, EXPAND_FAIL, "bad array subscript");
		return expand_text(x, sub->word, out);
	}
	if (!w || !memchr(sub->raw.ptr, '\1', sub->raw.len) || !has_quote(sub->raw))
		return expand_text(x, w, out);
	u_buf_init(&b, x->p, EXPAND_WORD_MAX);
	for (uint32_t i = 0; i < w->nparts; i++) {
		const struct part *part = &w->parts[i];
		struct build bd;

		if (part->kind == PART_LIT || part->kind == PART_QUOTED) {
			put_unquoted(&b, part->text, &in);
			continue;
		}
		build_init(&bd, x, BUILD_TEXT, NULL);
		if (!build_parts(&bd, part, 1, false))
			return false;
		u_buf_put(&b, bd.b.ptr ? bd.b.ptr : "", bd.b.len);
	}
	*out = (struct str){b.ptr ? b.ptr : "", b.len};
	return true;
}

/* A mistake in a subscript is none of the (( )) or let it stands in. Any other error than one of arithmetic stays what
 * it is. */
static bool index_of(struct expander *x, const struct arith *a, struct str text, int64_t *out)
{
	const char *prefix = x->arith_prefix;
	bool ok;

	x->arith_prefix = NULL;
	ok = a ? arith_eval(x, a, out) : arith_text(x, text, out);
	x->arith_prefix = prefix;
	if (!ok && x->error == EXPAND_ARITH)
		x->error = EXPAND_TOP;
	return ok;
}

/* Messages have the name as it is written (pl->text), not what it refers to. */
bool place_subscript(struct expander *x, struct place *pl, const struct subscript *sub)
{
	struct u_buf b;

	pl->sub = sub->kind;
	if (sub->kind == SUB_NONE)
		return true;
	u_buf_init(&b, x->p, 0);
	if (!name_valid(pl->text))
		pl->text = pl->name;
	u_buf_reserve(&b, pl->text.len + sub->raw.len + 2);
	u_buf_put(&b, pl->text.ptr, pl->text.len);
	u_buf_putc(&b, '[');
	u_buf_put(&b, sub->raw.ptr, sub->raw.len);
	u_buf_putc(&b, ']');
	pl->text = (struct str){b.ptr, b.len};
	if (sub->kind != SUB_WORD)
		return true;
	pl->assoc = is_assoc(place_var(x, pl), pl->name);
	if (pl->assoc)
		return subscript_key(x, sub, &pl->key);
	if (memchr(sub->raw.ptr, '\'', sub->raw.len)) {
		/* As in double quotes, where it quotes nothing. */
		struct str text;

		return expand_string(x, sub->raw, &text) && index_of(x, NULL, text, &pl->index);
	}
	/* Text from run time is parsed as bare arithmetic; its subscripts expand all the same. */
	if (sub->arith && sub->arith->error &&
	    (memchr(sub->raw.ptr, '$', sub->raw.len) || memchr(sub->raw.ptr, '`', sub->raw.len))) {
		sub = parse_subscript(x, sub->raw);
		if (!sub)
			return expand_fail(x, EXPAND_FAIL, "%.*s: bad array subscript",
			                   (int)pl->text.len, pl->text.ptr);
	}
	if (!sub->arith || (sub->arith->blank && !sub->raw.len))
		return expand_fail(x, EXPAND_FAIL, "%.*s: bad array subscript", (int)pl->text.len,
		                   pl->text.ptr);
	return index_of(x, sub->arith, STR(""), &pl->index);
}

static bool all_digits(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!ascii_digit((unsigned char)s.ptr[i]))
			return false;
	return s.len > 0;
}

/* Names that refer to each other in a circle: in a function the variable that is no local one is meant. Outside they
 * are nothing. */
static void circular(struct expander *x, struct place *pl, struct str name)
{
	const struct var *v = state_find(x->st, name);

	x->host->warn(x->host, u_format(x->p, "warning: %.*s: circular name reference", (int)name.len, name.ptr));
	pl->global = v && v->level > 0;
}

static void bound(const struct expander *x, struct place *pl, struct str reference)
{
	const struct var *v = state_find(x->st, reference);

	pl->level = v->level;
	pl->bounded = v->level > 0;
}

bool place_text(struct expander *x, struct str text, bool follow, struct place *pl)
{
	struct str name, sub;
	const struct subscript *parsed;

	memset(pl, 0, sizeof(*pl));
	pl->text = text;
	if (name_valid(text)) {
		pl->kind = PARAM_NAME;
		pl->name = text;
		if (!follow)
			return true;
		if (state_resolve(x->st, text, &name) != VAR_OK) {
			circular(x, pl, text);
			return true;
		}
		if (str_eq(name, text))
			return true;
		if (!place_text(x, copy_str(x, name), false, pl))
			return false;
		bound(x, pl, text);
		pl->by_ref = pl->sub != SUB_NONE;
		pl->text = text;
		return true;
	}
	if (text.len == 1 && memchr("@*#?-$!0", text.ptr[0], 8)) {
		pl->kind = PARAM_SPECIAL;
		pl->special = text.ptr[0];
		pl->name = text;
		return true;
	}
	if (all_digits(text)) {
		pl->kind = PARAM_POSITIONAL;
		pl->name = text;
		for (size_t i = 0; i < text.len && pl->number < 100000000; i++)
			pl->number = pl->number * 10 + (uint32_t)(text.ptr[i] - '0');
		return true;
	}
	if (!name_split(text, &name, &sub))
		return false;
	pl->kind = PARAM_NAME;
	if (state_resolve(x->st, name, &pl->name) != VAR_OK) {
		pl->name = name;
		if (follow)
			circular(x, pl, name);
	} else if (name_valid(pl->name)) {
		pl->name = copy_str(x, pl->name);
	} else {
		pl->name = name;
	}
	pl->text = name;
	parsed = parse_subscript(x, sub);
	if (!parsed && x->error == EXPAND_NONE && sub.len && is_assoc(place_var(x, pl), pl->name)) {
		/* unset "m[']": a lone quote is a key as it is. */
		pl->sub = SUB_WORD;
		pl->assoc = true;
		pl->key = sub;
		return true;
	}
	return parsed && place_subscript(x, pl, parsed);
}

bool place_of(struct expander *x, const struct param *param, struct place *pl)
{
	memset(pl, 0, sizeof(*pl));
	pl->kind = param->kind;
	pl->special = param->special;
	pl->number = param->number;
	pl->name = pl->text = param->name;
	if (param->kind != PARAM_NAME)
		return true;
	if (!ascii_lower(param->name.ptr[0]) || state_find(x->st, param->name)) {
		const struct var *v = state_find(x->st, param->name);

		if (v && (v->flags & VAR_NAMEREF)) {
			struct str to;

			if (state_resolve(x->st, param->name, &to) != VAR_OK) {
				circular(x, pl, param->name);
				if (param->sub || param->op == PARAM_LENGTH)
					circular(x, pl, param->name);
			} else if (name_valid(to) || param->sub) {
				pl->name = copy_str(x, to);
				bound(x, pl, param->name);
			} else {
				bool found = place_text(x, copy_str(x, to), false, pl);

				pl->by_ref = true;
				pl->text = param->name;
				return found || (x->error == EXPAND_NONE &&
				                 expand_fail(x, EXPAND_FAIL, "%.*s: bad substitution",
				                             (int)to.len, to.ptr));
			}
		}
	}
	return param->sub ? place_subscript(x, pl, param->sub) : true;
}

/* ---- Values ------------------------------------------------------------------------ */

static void list_array(struct expander *x, const struct varray *a, struct value *v,
                       struct varray_view *keys)
{
	size_t n = a ? a->n : 0;

	v->v = u_array(x->p, n + 1, sizeof(*v->v));
	v->n = n;
	for (size_t i = 0; i < n; i++)
		v->v[i] = vstr_str(a->e[i].v);
	if (!keys)
		return;
	keys->v = u_array(x->p, n + 1, sizeof(*keys->v));
	keys->n = n;
	for (size_t i = 0; i < n; i++) {
		char *buf = u_alloc(x->p, 24);

		keys->v[i] = (struct str){buf, put_i64(buf, a->e[i].index)};
	}
}

static void list_assoc(struct expander *x, const struct vassoc *a, struct value *v,
                       struct varray_view *keys)
{
	size_t n = a ? a->n : 0;
	uint32_t *order = u_array(x->p, n + 1, sizeof(*order));

	if (a)
		assoc_order(a, order);
	v->v = u_array(x->p, n + 1, sizeof(*v->v));
	v->n = n;
	if (keys) {
		keys->v = u_array(x->p, n + 1, sizeof(*keys->v));
		keys->n = n;
	}
	for (size_t i = 0; i < n; i++) {
		v->v[i] = vstr_str(a->e[order[i]].v);
		if (keys)
			keys->v[i] = vstr_str(a->e[order[i]].key);
	}
}

/* BASH_ALIASES, BASH_CMDS */
static void list_texts(struct expander *x, const struct table *t, struct value *v,
                       struct varray_view *keys)
{
	const struct item_text **items;
	size_t n = state_texts(x->st, t, &items);

	v->v = u_array(x->p, n + 1, sizeof(*v->v));
	v->n = n;
	if (keys) {
		keys->v = u_array(x->p, n + 1, sizeof(*keys->v));
		keys->n = n;
	}
	for (size_t i = 0; i < n; i++) {
		v->v[i] = vstr_str(items[i]->text);
		if (keys)
			keys->v[i] = item_name(&items[i]->head);
	}
}

static void list_var(struct expander *x, const struct var *var, struct str name, struct value *v, struct varray_view *keys)
{
	struct varray_view view;

	v->list = true;
	v->n = 0;
	if (keys)
		*keys = (struct varray_view){NULL, 0};
	if ((!var || (var->flags & VAR_DYNAMIC)) && is_assoc(var, name)) {
		list_texts(x, str_is(name, "BASH_ALIASES") ? &x->st->aliases : &x->st->paths, v,
		           keys);
	} else if (var && (var->flags & (VAR_ARRAY | VAR_DYNAMIC)) == VAR_ARRAY) {
		list_array(x, var->array, v, keys);
	} else if (var && (var->flags & (VAR_ASSOC | VAR_DYNAMIC)) == VAR_ASSOC) {
		list_assoc(x, var->assoc, v, keys);
	} else if (state_dynamic_array(x->st, name, &view)) {
		v->v = view.v;
		v->n = view.n;
		if (keys) {
			keys->v = u_array(x->p, view.n + 1, sizeof(*keys->v));
			keys->n = view.n;
			for (size_t i = 0; i < view.n; i++) {
				char *buf = u_alloc(x->p, 24);

				keys->v[i] = (struct str){buf, put_i64(buf, (int64_t)i)};
			}
		}
	} else {
		v->v = u_array(x->p, 1, sizeof(*v->v));
		if (state_value(x->st, var, name, v->buf, v->v))
			v->n = 1;
		if (keys && v->n) {
			keys->v = u_array(x->p, 1, sizeof(*keys->v));
			keys->v[0] = STR("0");
			keys->n = 1;
		}
	}
	v->set = v->n > 0;
}

void list_of(struct expander *x, struct str name, struct value *v, struct varray_view *keys)
{
	list_var(x, state_find(x->st, name), name, v, keys);
}

static void get_special(struct expander *x, char c, struct value *v)
{
	struct shell_state *st = x->st;
	int64_t n = 0;

	v->set = true;
	switch (c) {
	case '@':
	case '*':
		v->list = v->special = true;
		v->star = c == '*';
		v->n = params_count(st);
		v->v = v->n ? &st->params.params->v[st->params.first] : NULL;
		v->set = v->n > 0;
		return;
	case '0': v->s = st->arg0 ? vstr_str(st->arg0) : STR("bash"); return;
	case '-': v->s = (struct str){v->buf, state_flags_text(st, v->buf)}; return;
	case '#': n = (int64_t)params_count(st); break;
	case '?': n = st->status; break;
	case '$': n = st->shell_pid; break;
	case '!':
		n = st->last_bg;
		v->set = n != 0;
		break;
	default: v->set = false; break;
	}
	v->s = v->set ? (struct str){v->buf, put_i64(v->buf, n)} : STR("");
}

/* One element; a scalar is its own element 0. */
static bool get_elem(struct expander *x, const struct place *pl, struct value *v)
{
	const struct var *var = place_var(x, pl);
	struct varray_view view;
	int64_t index = pl->index;
	struct vstr *e = NULL;

	if (pl->assoc && !pl->key.len) {
		index = -1;
	} else if (pl->assoc) {
		if (!var || (var->flags & VAR_DYNAMIC)) {
			const struct item_text *t = (const struct item_text *)(void *)table_find(
			        str_is(pl->name, "BASH_ALIASES") ? &x->st->aliases : &x->st->paths,
			        pl->key.ptr, pl->key.len, table_hash(pl->key.ptr, pl->key.len));

			e = t ? t->text : NULL;
		} else {
			e = assoc_at(var->assoc, pl->key);
		}
	} else if (var && (var->flags & (VAR_ARRAY | VAR_DYNAMIC)) == VAR_ARRAY) {
		if (index < 0)
			index += array_end(var->array);
		if (index >= 0)
			e = array_at(var->array, index);
	} else if (state_dynamic_array(x->st, pl->name, &view)) {
		if (index < 0)
			index += (int64_t)view.n;
		if (index >= 0 && index < (int64_t)view.n) {
			v->set = true;
			v->s = view.v[index];
		}
	} else {
		if (index == 0)
			v->set = state_value(x->st, var, pl->name, v->buf, &v->s);
	}
	if (index < 0) {
		(x->host->report ? x->host->report : x->host->warn)(
		        x->host, u_format(x->p, "%.*s: bad array subscript", (int)pl->name.len,
		                          pl->name.ptr));
		return true;
	}
	if (e) {
		v->set = true;
		v->s = vstr_str(e);
	}
	return true;
}

bool place_get(struct expander *x, const struct place *pl, struct value *v)
{
	v->set = v->list = v->star = v->special = false;
	v->changed = LIST_AS_IT_IS;
	v->s = STR("");
	v->v = NULL;
	v->n = v->glued = 0;
	if (UNLIKELY(pl->stands != PLACE_VARIABLE)) {
		v->set = pl->stands == PLACE_TEXT;
		if (v->set)
			v->s = pl->key;
		return true;
	}
	switch ((enum param_kind)pl->kind) {
	case PARAM_POSITIONAL:
		if (pl->number == 0) {
			get_special(x, '0', v);
		} else if (pl->number <= params_count(x->st)) {
			v->set = true;
			v->s = params_at(x->st, pl->number);
		}
		return true;
	case PARAM_SPECIAL: get_special(x, pl->special, v); return true;
	case PARAM_NAME: break;
	case PARAM_BAD: return false;
	}
	if (pl->sub == SUB_NONE) {
		v->set = UNLIKELY(pl->global) ? state_value(x->st, place_var(x, pl), pl->name, v->buf, &v->s)
		                              : state_get(x->st, pl->name, v->buf, &v->s);
		return true;
	}
	if (pl->sub == SUB_WORD)
		return get_elem(x, pl, v);
	v->star = pl->sub == SUB_STAR;
	list_var(x, place_var(x, pl), pl->name, v, NULL);
	return true;
}

bool place_before_first(struct expander *x, const struct place *pl)
{
	const struct var *var = state_find(x->st, pl->name);
	struct varray_view view;
	int64_t end = 0;

	if (var && (var->flags & (VAR_ARRAY | VAR_DYNAMIC)) == VAR_ARRAY)
		end = array_end(var->array);
	else if (state_dynamic_array(x->st, pl->name, &view))
		end = (int64_t)view.n;
	return pl->index + end < 0;
}

bool unbound(struct expander *x, const struct place *pl)
{
	return expand_fail(x, EXPAND_EXIT, "%.*s: unbound variable", (int)pl->text.len, pl->text.ptr);
}

/* ---- By text, for builtins ------------------------------------------------------------ */

bool get_text(struct expander *x, struct str target, struct str *out)
{
	struct place pl;
	struct value v;

	if (!place_text(x, target, true, &pl) || !place_get(x, &pl, &v) || !v.set)
		return false;
	if (v.list) {
		struct u_buf b;

		u_buf_init(&b, x->p, 0);
		for (size_t i = 0; i < v.n; i++) {
			if (i)
				u_buf_putc(&b, ' ');
			u_buf_put(&b, v.v[i].ptr, v.v[i].len);
		}
		*out = (struct str){b.ptr ? b.ptr : "", b.len};
		return true;
	}
	*out = copy_str(x, v.s);
	return true;
}

bool is_set_text(struct expander *x, struct str target)
{
	struct place pl;
	struct value v;

	if (!place_text(x, target, true, &pl))
		return false;
	/* bash looks for a variable of the name a[1]. */
	return !pl.by_ref && place_get(x, &pl, &v) && v.set;
}

bool array_values(struct expander *x, struct str name, struct varray_view *values,
                  struct varray_view *keys)
{
	struct value v;
	struct str to;

	if (state_resolve(x->st, name, &to) == VAR_OK && name_valid(to))
		name = to;
	list_of(x, name, &v, keys);
	*values = (struct varray_view){v.v, v.n};
	/* The view is the caller's: a text computed into v.buf would not outlive us. */
	for (size_t i = 0; i < v.n; i++)
		values->v[i] = copy_str(x, values->v[i]);
	return v.n > 0;
}
