/* param.c - $x, ${x…} and all their operators.
 *
 * Operands are expanded before the value is fetched: the value is borrowed from the state
 * and an operand may change it. */
#include "build.h"
#include "match.h"

static bool emit_number(struct build *bd, int64_t n, bool quoted)
{
	char buf[24];

	return emit_text(bd, (struct str){buf, put_i64(buf, n)}, quoted);
}

/* ---- Lengths ------------------------------------------------------------------------- */

static size_t char_count(const struct expander *x, struct str s)
{
	return x->st->utf8 ? utf8_count(s.ptr, s.len) : s.len;
}

static size_t char_offset(const struct expander *x, struct str s, size_t i)
{
	return x->st->utf8 ? utf8_offset(s.ptr, s.len, i) : MIN(i, s.len);
}

/* ---- Default, assign, error, alternate ------------------------------------------------- */

/* What ${x:-…} looks at: whether the elements joined are nothing. */
static bool is_null(const struct expander *x, const struct value *v, bool indirect, bool quoted)
{
	size_t len = 0;

	if (!v->list)
		return v->s.len == 0;
	for (size_t i = 0; i < v->n; i++)
		len += v->v[i].len;
	if (v->n == 0 || len)
		return v->n == 0;
	if (v->n == 1)
		return !indirect;
	return v->star && quoted && x->st->ifs.first_len == 0 && !indirect;
}

static bool emit_operand(struct build *bd, const struct word *w, bool quoted, bool operand)
{
	if (quoted && !build_text(bd, STR(""), true))
		return false;
	if (!w || !w->nparts)
		return true;
	if (!build_parts(bd, w->parts, w->nparts, operand || !quoted))
		return false;
	/* Quoted, it is a word even where it is a "$@" without parameters. */
	if (quoted)
		bd->empty_list = false;
	return true;
}

static bool fail_unset(struct build *bd, const struct param *param, const struct place *pl)
{
	struct str text;

	if (!expand_single(bd->x, param->arg, BUILD_TEXT, &text))
		return false;
	if (!param->arg || (!param->arg->nparts && !text.len))
		text = param->flags & PARAM_COLON ? STR("parameter null or not set")
		                                  : STR("parameter not set");
	return expand_fail(bd->x, EXPAND_EXIT, "%.*s: %.*s", (int)pl->text.len, pl->text.ptr,
	                   (int)text.len, text.ptr);
}

static bool assign_default(struct build *bd, const struct param *param, const struct place *pl,
                           bool quoted)
{
	struct value now;
	struct str text;

	if (pl->stands == PLACE_UNSET)
		return expand_fail(bd->x, EXPAND_FAIL, "%.*s: invalid indirect expansion", (int)pl->text.len,
		                   pl->text.ptr);
	if (pl->kind != PARAM_NAME)
		return expand_fail(bd->x, EXPAND_FAIL, "$%.*s: cannot assign in this way",
		                   (int)pl->text.len, pl->text.ptr);
	if (pl->sub == SUB_AT || pl->sub == SUB_STAR)
		return expand_fail(bd->x, EXPAND_FAIL, "%.*s: bad array subscript",
		                   (int)pl->text.len, pl->text.ptr);
	if (!expand_joined(bd->x, param->arg, JOIN_VALUE, &text))
		return false;
	if (!assign_place(bd->x, pl, text, VAR_VISIBLE, 0)) {
		bd->x->error = EXPAND_FAIL;
		return false;
	}
	/* An integer variable, or one in capitals, may hold something else than the text. */
	if (place_get(bd->x, pl, &now) && now.set)
		text = copy_str(bd->x, now.s);
	return emit_text(bd, text, quoted);
}

static bool build_choice(struct build *bd, const struct param *param, const struct place *pl,
                         bool quoted, bool operand)
{
	struct value v;
	bool use;

	if (!place_get(bd->x, pl, &v))
		return false;
	use = v.set && !((param->flags & PARAM_COLON) &&
	                 is_null(bd->x, &v, (param->flags & PARAM_INDIRECT) != 0, quoted));
	switch ((enum param_op)param->op) {
	case PARAM_ALTERNATE:
		if (use)
			return emit_operand(bd, param->arg, quoted, operand);
		if (v.list && v.n == 0 && !v.star)
			return emit_no_elements(bd, quoted);
		return quoted ? build_text(bd, STR(""), true) : true;
	case PARAM_DEFAULT:
		return use ? emit_value(bd, &v, quoted) : emit_operand(bd, param->arg, quoted, operand);
	case PARAM_ASSIGN:
		return use ? emit_value(bd, &v, quoted) : assign_default(bd, param, pl, quoted);
	default: return use ? emit_value(bd, &v, quoted) : fail_unset(bd, param, pl);
	}
}

/* ${x[@]:1} and ${x[*]@Q} of a variable that is no array are those of ${x}. */
static bool undo_list(struct expander *x, const struct place *pl, struct value *v)
{
	const struct var *var = pl->kind == PARAM_NAME ? state_find(x->st, pl->name) : NULL;

	if (!v->list || !var || (var->flags & (VAR_ARRAY | VAR_ASSOC | VAR_DYNAMIC)))
		return false;
	v->list = false;
	v->set = v->n > 0;
	v->s = v->n ? v->v[0] : STR("");
	return !v->star;
}

/* What became of it: still a list for what else is in the quotes. */
static bool emit_former_list(struct build *bd, struct value *v, struct str s, bool quoted)
{
	v->list = true;
	v->v = &s;
	v->n = 1;
	return emit_value(bd, v, quoted);
}

/* ---- Slices --------------------------------------------------------------------------------- */

static bool slice_error(struct expander *x, const struct param *param)
{
	struct str t = param->length->text;

	while (t.len && ascii_blank((unsigned char)t.ptr[0])) {
		t.ptr++;
		t.len--;
	}
	return expand_fail(x, EXPAND_ARITH, "%.*s: substring expression < 0", (int)t.len, t.ptr);
}

static bool slice_text(struct expander *x, const struct param *param, struct str *s, int64_t off,
                       int64_t len)
{
	/* Far enough for the usual short slice of a long text only to be counted up to there. */
	int64_t total = (int64_t)char_count(x, *s), end = total;
	size_t from, to;

	if (off < 0)
		off += total;
	if (off < 0 || off > total) {
		*s = STR("");
		return true;
	}
	if (param->length) {
		if (len < 0) {
			end = total + len;
			if (end < off)
				return slice_error(x, param);
		} else if (len < total - off) {
			end = off + len;
		}
	}
	from = char_offset(x, *s, (size_t)off);
	to = from + char_offset(x, (struct str){s->ptr + from, s->len - from}, (size_t)(end - off));
	*s = (struct str){s->ptr + from, to - from};
	return true;
}

/* $@ with $0 in front of it. */
static void with_zero(struct expander *x, struct value *v)
{
	struct str *all = u_array(x->p, v->n + 1, sizeof(*all));

	all[0] = x->st->arg0 ? vstr_str(x->st->arg0) : STR("bash");
	if (v->n)
		memcpy(all + 1, v->v, v->n * sizeof(*all));
	v->v = all;
	v->n++;
}

static bool slice_list(struct expander *x, const struct param *param, const struct place *pl,
                       struct value *v, int64_t off, int64_t len)
{
	const struct var *var = pl->kind == PARAM_NAME ? state_find(x->st, pl->name) : NULL;
	size_t first;

	if (pl->kind != PARAM_NAME) {
		if (off <= 0)
			with_zero(x, v);
		else
			off--;
		if (off < 0)
			off += (int64_t)v->n;
	} else if (var && (var->flags & VAR_ARRAY) && !(var->flags & VAR_DYNAMIC)) {
		/* The offset is an index: the elements from there on. */
		if (off < 0)
			off += array_end(var->array);
		if (off >= 0) {
			first = 0;
			while (first < v->n && var->array->e[first].index < off)
				first++;
			off = (int64_t)first;
		}
	} else {
		if (off < 0)
			off += (int64_t)v->n + (var && (var->flags & VAR_ASSOC) ? 1 : 0);
		if (off > 0 && var && (var->flags & VAR_ASSOC))
			off--; /* bash counts these from 1 */
	}
	/* Of parameters the end itself is no beginning out of range. */
	if (off < 0 || off > (int64_t)v->n || (off == (int64_t)v->n && pl->kind == PARAM_NAME)) {
		v->n = 0;
		return true;
	}
	if (param->length && len < 0)
		return slice_error(x, param);
	v->v += off;
	v->n -= (size_t)off;
	if (param->length && (uint64_t)len < v->n)
		v->n = (size_t)len;
	return true;
}

static bool build_slice(struct build *bd, const struct param *param, const struct place *pl,
                        bool quoted)
{
	struct expander *x = bd->x;
	int64_t off, len = 0;
	struct value v;
	bool was_list;

	if (!place_get(x, pl, &v))
		return false;
	if (!v.set && !v.list) {
		if (x->st->opts & SET_NOUNSET)
			return unbound(x, pl);
		return emit_value(bd, &v, quoted);
	}
	if (v.list && v.n == 0 && pl->kind == PARAM_NAME)
		return emit_value(bd, &v, quoted);
	if (!arith_eval(x, param->offset, &off) ||
	    (param->length && !arith_eval(x, param->length, &len)) || !place_get(x, pl, &v))
		return false;
	was_list = undo_list(x, pl, &v);
	if (v.list ? !slice_list(x, param, pl, &v, off, len)
	           : !slice_text(x, param, &v.s, off, len))
		return false;
	v.changed = LIST_TAKEN;
	return was_list ? emit_former_list(bd, &v, v.s, quoted) : emit_value(bd, &v, quoted);
}

/* ---- Names ------------------------------------------------------------------------------------
 */

static struct str joined(struct expander *x, const struct value *v, const char *sep)
{
	struct u_buf b;

	u_buf_init(&b, x->p, EXPAND_WORD_MAX);
	for (size_t i = 0; i < v->n; i++) {
		if (i)
			u_buf_puts(&b, sep);
		u_buf_put(&b, v->v[i].ptr, v->v[i].len);
	}
	return (struct str){b.ptr ? b.ptr : "", b.len};
}

static bool build_prefix(struct build *bd, const struct param *param, bool quoted)
{
	struct expander *x = bd->x;
	const struct var **vars;
	struct value v = {.list = true, .star = !(param->flags & PARAM_AT), .changed = LIST_NAMES};
	size_t n = state_vars(x->st, &vars);

	v.v = u_array(x->p, n + 1, sizeof(*v.v));
	for (size_t i = 0; i < n; i++) {
		struct str name = item_name(&vars[i]->head);

		if (name.len < param->name.len ||
		    memcmp(name.ptr, param->name.ptr, param->name.len) != 0)
			continue;
		/* Declared names without a value are not there yet, unless they hide one with a value. */
		if (!(vars[i]->flags & (VAR_SET | VAR_DYNAMIC)) && !state_hides_value(x->st, name))
			continue;
		v.v[v.n++] = name;
	}
	if (v.star && !quoted && !x->st->ifs.first_len)
		return emit_text(bd, joined(x, &v, ""), false);
	return emit_value(bd, &v, quoted);
}

static bool build_keys(struct build *bd, const struct param *param, const struct place *pl,
                       bool quoted)
{
	struct varray_view keys;
	struct value v = {.changed = LIST_TAKEN};

	list_of(bd->x, pl->name, &v, &keys);
	v.v = keys.v;
	v.n = keys.n;
	v.star = param->sub && param->sub->kind == SUB_STAR;
	/* As bash joins them when there is nothing to join with. */
	if (v.star && !quoted && !bd->x->st->ifs.first_len)
		return emit_text(bd, joined(bd->x, &v, " "), false);
	return emit_value(bd, &v, quoted);
}

/* ---- Indirection
 * --------------------------------------------------------------------------------- */

/* Parameters and elements of what is there may be unset; a variable may not. */
static bool may_be_unset(const struct place *pl, const struct var *var, const struct value *v)
{
	return pl->kind == PARAM_POSITIONAL || (var && (var->flags & VAR_SET)) || (v->list && v->special);
}

/* ${!x…}: *pl becomes what the value of the parameter names. */
static bool follow(struct expander *x, const struct param *param, struct place *pl)
{
	const struct var *var = param->kind == PARAM_NAME ? state_find(x->st, param->name) : NULL;
	struct str text, written = str_from(u_format(x->p, "!%.*s", (int)pl->text.len, pl->text.ptr));
	struct value v;
	bool found;

	if (var && (var->flags & VAR_NAMEREF) && !param->sub) {
		/* Of a reference: the name it refers to. */
		if (!(var->flags & VAR_SET))
			return expand_fail(x, EXPAND_FAIL, "%.*s: invalid indirect expansion",
			                   (int)pl->text.len, pl->text.ptr);
		if (state_resolve(x->st, param->name, &text) != VAR_OK || str_eq(text, param->name))
			text = STR("");
		*pl = (struct place){.kind = PARAM_SPECIAL, .stands = PLACE_TEXT, .key = copy_str(x, text), .text = written};
		return true;
	}
	if (!place_get(x, pl, &v))
		return false;
	if (!v.set && may_be_unset(pl, var, &v)) {
		*pl = (struct place){.kind = PARAM_SPECIAL, .stands = PLACE_UNSET, .text = written};
		return true;
	}
	if (!v.set)
		return expand_fail(x, EXPAND_FAIL, "%.*s: invalid indirect expansion",
		                   (int)pl->text.len, pl->text.ptr);
	text = v.list && v.n ? joined(x, &v, " ") : v.s;
	text = copy_str(x, text);
	found = place_text(x, text, true, pl);
	pl->text = written;
	if (found || x->error != EXPAND_NONE)
		return found;
	return expand_fail(x, EXPAND_FAIL, "%.*s: invalid variable name", (int)text.len, text.ptr);
}

static bool bad_substitution(struct expander *x, int how, const struct part *part)
{
	return expand_fail(x, how, "%.*s: bad substitution", (int)part->raw_len, part->raw);
}

/* bash knows no change of case for $? and the like. */
static bool has_no_case(const struct param *param)
{
	return param->op >= PARAM_UPPER && param->op <= PARAM_TOGGLE && param->kind == PARAM_SPECIAL &&
	       memchr("?-#$!", param->special, 5);
}

/* ---- Entry
 * ------------------------------------------------------------------------------------------ */

/* ${a@a} and ${a@A} of an array with elements, though it has none at 0. */
static bool tells_of_array(struct expander *x, const struct place *pl, char op)
{
	struct value v;

	if ((op != 'a' && op != 'A') || pl->kind != PARAM_NAME || pl->sub != SUB_NONE)
		return false;
	list_of(x, pl->name, &v, NULL);
	return v.n > 0;
}

static bool build_transform(struct build *bd, const struct param *param, struct place *pl,
                            const struct part *part)
{
	bool quoted = part->quoted;
	struct expander *x = bd->x;
	struct str out = STR("");
	struct value v;
	bool was_list;

	if (!place_get(x, pl, &v))
		return false;
	if (!v.set && !v.list && (x->st->opts & SET_NOUNSET) && !tells_of_array(x, pl, param->special_op))
		return unbound(x, pl);
	if (!param->special_op && v.set)
		return bad_substitution(x, EXPAND_EXIT, part);
	was_list = undo_list(x, pl, &v);
	if (!transform(x, pl, param->special_op, &v, &out))
		return false;
	if (was_list)
		return emit_former_list(bd, &v, out, quoted);
	v.changed = LIST_CHANGED;
	return v.list ? emit_value(bd, &v, quoted) : emit_text(bd, out, quoted);
}

static bool build_length(struct build *bd, const struct place *pl, struct str raw, bool quoted)
{
	struct expander *x = bd->x;
	struct value v;

	/* bash looks for a variable of the name a[1]. */
	if (UNLIKELY(pl->by_ref))
		return emit_number(bd, 0, quoted);
	if (pl->kind == PARAM_NAME && pl->sub == SUB_WORD && !pl->assoc && pl->index < 0) {
		if (place_before_first(x, pl)) {
			if (!state_find(x->st, pl->name))
				return emit_number(bd, 0, quoted);
			return expand_fail(x, EXPAND_FAIL, "%.*s]: bad array subscript",
			                   (int)raw.len, raw.ptr);
		}
	}
	if (!place_get(x, pl, &v))
		return false;
	if ((x->st->opts & SET_NOUNSET) && pl->kind == PARAM_NAME && pl->sub) {
		const struct var *var = state_find(x->st, pl->name);

		/* Of the array, not of an element; and the shell goes on. */
		if (!var || !(var->flags & (VAR_SET | VAR_DYNAMIC)))
			return expand_fail(x, EXPAND_FAIL, "%.*s: unbound variable", (int)pl->name.len,
			                   pl->name.ptr);
	} else if (!v.list && !v.set && (x->st->opts & SET_NOUNSET)) {
		return unbound(x, pl);
	}
	if (v.list)
		return emit_number(bd, (int64_t)v.n, quoted);
	return emit_number(bd, (int64_t)char_count(x, v.s), quoted);
}

static bool build_operator(struct build *bd, const struct param *param, const struct part *part,
                           bool operand)
{
	bool quoted = part->quoted;
	struct place pl;
	struct value v;

	if (param->op == PARAM_PREFIX)
		return build_prefix(bd, param, quoted);
	if (!place_of(bd->x, param, &pl))
		return false;
	if (param->op == PARAM_KEYS)
		return build_keys(bd, param, &pl, quoted);
	if (param->flags & PARAM_INDIRECT) {
		if (param->special == '@' && param->op >= PARAM_UPPER && param->op <= PARAM_TOGGLE)
			return bad_substitution(bd->x, EXPAND_FAIL, part);
		if (!follow(bd->x, param, &pl))
			return false;
	}
	if (UNLIKELY(has_no_case(param)) && place_get(bd->x, &pl, &v) && v.set)
		return bad_substitution(bd->x, EXPAND_FAIL, part);
	switch ((enum param_op)param->op) {
	case PARAM_LENGTH:
		return build_length(bd, &pl, param->sub ? param->sub->raw : STR(""), quoted);
	case PARAM_DEFAULT:
	case PARAM_ASSIGN:
	case PARAM_ERROR:
	case PARAM_ALTERNATE: return build_choice(bd, param, &pl, quoted, operand);
	case PARAM_SLICE: return build_slice(bd, param, &pl, quoted);
	case PARAM_TRANSFORM: return build_transform(bd, param, &pl, part);
	case PARAM_PLAIN:
		if (!place_get(bd->x, &pl, &v))
			return false;
		if (!v.set && !v.list && (bd->x->st->opts & SET_NOUNSET) && !pl.by_ref) {
			/* Of $1 with its $, of ${1} without. */
			if (pl.kind != PARAM_NAME && !(param->flags & PARAM_BRACED))
				pl.text = (struct str){part->raw, part->raw_len};
			return unbound(bd->x, &pl);
		}
		return emit_value(bd, &v, quoted);
	default: return param_map(bd, param, &pl, quoted);
	}
}

bool build_param(struct build *bd, const struct param *param, const struct part *part, bool operand)
{
	char buf[VALUE_BUF];
	struct str s;

	if (param->kind == PARAM_BAD)
		return bad_substitution(bd->x, EXPAND_FAIL, part);
	if (param->op == PARAM_PLAIN && !param->sub && !(param->flags & PARAM_INDIRECT)) {
		if (param->kind == PARAM_NAME && state_get(bd->x->st, param->name, buf, &s))
			return emit_text(bd, s, part->quoted);
		if (param->kind == PARAM_POSITIONAL && param->number &&
		    param->number <= params_count(bd->x->st))
			return emit_text(bd, params_at(bd->x->st, param->number), part->quoted);
	}
	return build_operator(bd, param, part, operand);
}
