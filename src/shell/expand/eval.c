/* eval.c - arithmetic: trees evaluated, values of variables parsed as the expressions they are.
 *
 * 64-bit two's complement throughout; overflow wraps. The tree came from the parser; text
 * that appears at run time (let, values) goes through the same parser. The functions that
 * recurse keep their frames small; what needs room is out of line. */
#include "eval.h"
#include "special.h"

#define ARITH_STACK   16384u
#define RECURSION_MAX 1024u

#define BEFORE_TRIES 64u

static bool eval(struct eval *e, const struct arith_node *n, int64_t *out);

static bool eval_error(struct expander *x, struct str text, struct str token, const char *message)
{
	const char *end = text.ptr + text.len,
	           *prefix = x->arith_prefix ? x->arith_prefix : x->command;

	/* bash ends the expression it quotes where the token ends. */
	if (token.ptr && token.ptr >= text.ptr && token.ptr + token.len <= end)
		end = token.ptr + token.len;
	while (text.ptr < end && ascii_space((unsigned char)text.ptr[0]))
		text.ptr++;
	return expand_fail(x, EXPAND_ARITH, "%s%s%.*s: %s (error token is \"%.*s\")",
	                   prefix ? prefix : "", prefix ? ": " : "", (int)(end - text.ptr),
	                   text.ptr, message, (int)token.len, token.ptr ? token.ptr : "");
}

/* The text with values in place of expansions, which messages show; *off is moved from where
 * the parser saw it, one character for each expansion. */
static struct str shown(const struct eval *e, size_t *off)
{
	size_t seen = 0, moved = 0;
	struct u_buf b;
	uint32_t k = 0;

	u_buf_init(&b, e->x->p, EXPAND_WORD_MAX);
	for (uint32_t i = 0; i < e->a->word->nparts; i++) {
		const struct part *part = &e->a->word->parts[i];
		size_t start = b.len, len = part->text.len;
		bool expansion = k < e->a->nexps && part == e->a->exps[k];

		if (expansion) {
			char buf[24];

			u_buf_put(&b, buf, put_i64(buf, e->slots[k++]));
			len = 1;
		} else if (part->kind == PART_LIT || part->kind == PART_QUOTED) {
			u_buf_put(&b, part->text.ptr, len);
		} else {
			return e->a->text;
		}
		if (*off >= seen)
			moved = start + (expansion ? 0 : *off - seen);
		seen += len;
	}
	*off = moved;
	return (struct str){b.ptr, b.len};
}

NOINLINE bool eval_node_error(struct eval *e, const struct arith_node *n, const char *message)
{
	struct str t = e->a->text, token = STR("");
	size_t off = n->off;

	if (e->slots && e->a->word)
		t = shown(e, &off);
	if (off <= t.len)
		token = (struct str){t.ptr + off, t.len - off};
	return eval_error(e->x, t, token, message);
}

/* ---- Variables ---------------------------------------------------------------------- */

/* A decimal number as the shell itself writes them. */
static bool quick_number(struct str s, int64_t *out)
{
	size_t i = 0;
	uint64_t n = 0;
	bool minus = s.len > 1 && s.ptr[0] == '-';

	if (minus)
		i++;
	if (s.len == i || s.len - i > 18 || (s.ptr[i] == '0' && s.len - i > 1))
		return false;
	for (; i < s.len; i++) {
		if (!ascii_digit((unsigned char)s.ptr[i]))
			return false;
		n = n * 10 + (uint64_t)(s.ptr[i] - '0');
	}
	*out = minus ? -(int64_t)n : (int64_t)n;
	return true;
}

/* The value of text that is not a plain number: an expression of its own. */
static NOINLINE bool value_text(struct expander *x, struct str s, int64_t *out)
{
	bool ok;

	if (x->arith_depth >= RECURSION_MAX || !sys_stack(x->p, 6144))
		return eval_error(x, s, s, "expression recursion level exceeded");
	x->arith_depth++;
	ok = arith_text(x, copy_str(x, s), out);
	x->arith_depth--;
	return ok;
}

static bool value_number(struct expander *x, struct str s, int64_t *out)
{
	if (LIKELY(quick_number(s, out)))
		return true;
	if (s.len == 0) {
		*out = 0;
		return true;
	}
	return value_text(x, s, out);
}

static bool var_place(struct expander *x, const struct arith_node *n, struct place *pl)
{
	struct param param;

	memset(&param, 0, sizeof(param));
	param.kind = PARAM_NAME;
	param.name = n->name;
	param.sub = n->sub;
	return place_of(x, &param, pl);
}

/* Under set -u an element may be missing (it is 0), its array may not. */
static bool array_there(struct expander *x, struct str name)
{
	const struct var *v = x->st->opts & SET_NOUNSET ? state_find(x->st, name) : NULL;
	struct str to;

	if (!(x->st->opts & SET_NOUNSET))
		return true;
	if (v && (v->flags & VAR_NAMEREF) && state_resolve(x->st, name, &to) == VAR_OK)
		v = state_find(x->st, to);
	if ((v && (v->flags & (VAR_SET | VAR_DYNAMIC))) || (!v && special_find(name.ptr, name.len)))
		return true;
	return expand_fail(x, EXPAND_EXIT, "%.*s: unbound variable", (int)name.len, name.ptr);
}

static bool place_number(struct expander *x, const struct place *pl, int64_t *out)
{
	struct value v;

	if (pl->kind == PARAM_NAME && pl->sub != SUB_NONE && !array_there(x, pl->name))
		return false;
	if (!place_get(x, pl, &v))
		return false;
	if (v.list)
		v.s = v.n ? v.v[0] : STR("");
	if (!v.set && pl->sub == SUB_NONE && (x->st->opts & SET_NOUNSET))
		return unbound(x, pl);
	return value_number(x, v.s, out);
}

static NOINLINE bool var_slow(struct expander *x, const struct arith_node *n, int64_t *out)
{
	struct place pl;

	return (!n->sub || array_there(x, n->name)) && var_place(x, n, &pl) && place_number(x, &pl, out);
}

/* The frame stays small: values that are expressions recurse through here. */
static bool var_get(struct expander *x, const struct arith_node *n, int64_t *out)
{
	const struct var *v;

	if (UNLIKELY(n->sub != NULL))
		return var_slow(x, n, out);
	v = state_find(x->st, n->name);
	if (UNLIKELY(!v || (v->flags & (VAR_SET | VAR_ARRAY | VAR_ASSOC | VAR_DYNAMIC |
	                                VAR_NAMEREF)) != VAR_SET))
		return var_slow(x, n, out);
	return value_number(x, sval_str(&v->s), out);
}

static NOINLINE bool put_place(struct expander *x, const struct place *pl, int64_t value)
{
	const struct var *v = pl->kind == PARAM_NAME ? place_var(x, pl) : NULL;
	char buf[24];

	/* A number is no name to refer to; bash says so and goes on. */
	if (v && (v->flags & VAR_NAMEREF) && pl->sub == SUB_NONE && !pl->global)
		return expand_fail(x, EXPAND_NONE, "%s%s`%lld': not a valid identifier", x->arith_prefix ? x->arith_prefix : "",
		                   x->arith_prefix ? ": " : "", (long long)value) || true;
	if (assign_place(x, pl, (struct str){buf, put_i64(buf, value)}, VAR_VISIBLE, 0))
		return true;
	x->error = EXPAND_FAIL;
	return false;
}

static bool var_put_name(struct expander *x, const struct arith_node *n, int64_t value)
{
	struct place pl;

	if (LIKELY(state_set_i64(x->st, n->name, value) == VAR_OK))
		return true;
	return var_place(x, n, &pl) && put_place(x, &pl, value);
}

/* = += and the like, ++ and --. The subscript is evaluated once, before the right side. */
static NOINLINE bool assign_elem(struct eval *e, const struct arith_node *n,
                                 const struct arith_node *var, int64_t *out)
{
	struct place pl;
	int64_t old = 0, right = 1, value;

	if (!var_place(e->x, var, &pl))
		return false;
	if (n->op == AR_ASSIGN) {
		if (n->assign_op != AR_NUM && !place_number(e->x, &pl, &old))
			return false;
		if (!eval(e, n->b, &right))
			return false;
		value = right;
		if (n->assign_op != AR_NUM && !eval_binary(e, n, n->assign_op, old, right, &value))
			return false;
		*out = value;
		return put_place(e->x, &pl, value);
	}
	if (!place_number(e->x, &pl, &old))
		return false;
	value = n->op == AR_PRE_INC || n->op == AR_POST_INC ? (int64_t)((uint64_t)old + 1)
	                                                    : (int64_t)((uint64_t)old - 1);
	*out = n->op == AR_PRE_INC || n->op == AR_PRE_DEC ? value : old;
	return put_place(e->x, &pl, value);
}

/* ---- Operators ------------------------------------------------------------------------- */

static int64_t power(int64_t base, int64_t exponent)
{
	uint64_t r = 1, b = (uint64_t)base;

	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			r *= b;
		b *= b;
	}
	return (int64_t)r;
}

bool eval_binary(struct eval *e, const struct arith_node *n, unsigned op, int64_t a, int64_t b, int64_t *out)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	switch (op) {
	case AR_POW:
		if (b < 0)
			return eval_node_error(e, n, "exponent less than 0");
		*out = power(a, b);
		return true;
	case AR_DIV:
	case AR_MOD:
		if (b == 0)
			return eval_node_error(e, n, "division by 0");
		if (b == -1)
			*out = op == AR_DIV ? (int64_t)(0 - ua) : 0;
		else
			*out = op == AR_DIV ? a / b : a % b;
		return true;
	case AR_MUL: *out = (int64_t)(ua * ub); return true;
	case AR_ADD: *out = (int64_t)(ua + ub); return true;
	case AR_SUB: *out = (int64_t)(ua - ub); return true;
	case AR_SHL: *out = (int64_t)(ua << (ub & 63)); return true;
	case AR_SHR: *out = a >> (ub & 63); return true;
	case AR_LT: *out = a < b; return true;
	case AR_LE: *out = a <= b; return true;
	case AR_GT: *out = a > b; return true;
	case AR_GE: *out = a >= b; return true;
	case AR_EQ: *out = a == b; return true;
	case AR_NE: *out = a != b; return true;
	case AR_BAND: *out = (int64_t)(ua & ub); return true;
	case AR_BXOR: *out = (int64_t)(ua ^ ub); return true;
	case AR_BOR: *out = (int64_t)(ua | ub); return true;
	default: return eval_node_error(e, n, "syntax error in expression");
	}
}

static bool eval_assign(struct eval *e, const struct arith_node *n, int64_t *out)
{
	int64_t old, right;

	if (n->a->sub)
		return assign_elem(e, n, n->a, out);
	if (n->assign_op == AR_NUM)
		return eval(e, n->b, out) && var_put_name(e->x, n->a, *out);
	if (!var_get(e->x, n->a, &old) || !eval(e, n->b, &right) ||
	    !eval_binary(e, n, n->assign_op, old, right, out))
		return false;
	return var_put_name(e->x, n->a, *out);
}

static bool eval_step(struct eval *e, const struct arith_node *n, int64_t *out)
{
	int64_t old, value;

	if (n->a->sub)
		return assign_elem(e, n, n->a, out);
	if (!var_get(e->x, n->a, &old))
		return false;
	value = n->op == AR_PRE_INC || n->op == AR_POST_INC ? (int64_t)((uint64_t)old + 1)
	                                                    : (int64_t)((uint64_t)old - 1);
	*out = n->op == AR_PRE_INC || n->op == AR_PRE_DEC ? value : old;
	return var_put_name(e->x, n->a, value);
}

/* What a decided condition leaves out. */
static bool pass(struct eval *e, const struct arith_node *n)
{
	int64_t ignored;

	return LIKELY(!e->a->powers) || eval_untaken(e, n, &ignored);
}

static bool eval(struct eval *e, const struct arith_node *n, int64_t *out)
{
	int64_t a, b;

	switch ((enum arith_op)n->op) {
	case AR_NUM: *out = n->value; return true;
	case AR_VAR: return var_get(e->x, n, out);
	case AR_EXPAND: *out = e->slots[n->slot]; return true;
	default: break;
	}
	if (UNLIKELY(!sys_stack(e->x->p, 1024)))
		return eval_node_error(e, n, "expression recursion level exceeded");
	switch ((enum arith_op)n->op) {
	case AR_NEG:
		if (!eval(e, n->a, &a))
			return false;
		*out = (int64_t)(0 - (uint64_t)a);
		return true;
	case AR_POS: return eval(e, n->a, out);
	case AR_NOT:
		if (!eval(e, n->a, &a))
			return false;
		*out = !a;
		return true;
	case AR_COMPL:
		if (!eval(e, n->a, &a))
			return false;
		*out = ~a;
		return true;
	case AR_PRE_INC:
	case AR_PRE_DEC:
	case AR_POST_INC:
	case AR_POST_DEC: return eval_step(e, n, out);
	case AR_AND:
		if (!eval(e, n->a, &a))
			return false;
		*out = 0;
		if (!a)
			return pass(e, n->b);
		if (!eval(e, n->b, &b))
			return false;
		*out = b != 0;
		return true;
	case AR_OR:
		if (!eval(e, n->a, &a))
			return false;
		*out = 1;
		if (a)
			return pass(e, n->b);
		if (!eval(e, n->b, &b))
			return false;
		*out = b != 0;
		return true;
	case AR_COMMA: return eval(e, n->a, &a) && eval(e, n->b, out);
	case AR_COND:
		if (!eval(e, n->a, &a))
			return false;
		return (a || pass(e, n->b)) && eval(e, a ? n->b : n->c, out) && (!a || pass(e, n->c));
	case AR_ASSIGN: return eval_assign(e, n, out);
	default: return eval(e, n->a, &a) && eval(e, n->b, &b) && eval_binary(e, n, n->op, a, b, out);
	}
}

/* ---- Expressions --------------------------------------------------------------------------- */

/* The variables of a text that ends in a character which begins no token: bash has asked for their values when it comes to
 * it, but for the last one, behind which it has looked already. */
static bool eval_names(struct expander *x, struct str s)
{
	while (s.len && ascii_space((unsigned char)s.ptr[s.len - 1]))
		s.len--;
	for (size_t i = 0; i < s.len; i++) {
		size_t from = i;
		int64_t value;

		while (i < s.len && name_char(s.ptr[i]))
			i++;
		if (i > from && i < s.len && name_start(s.ptr[from]) && s.ptr[i] != '[' && s.ptr[i] != '=' &&
		    !arith_text(x, (struct str){s.ptr + from, i - from}, &value))
			return false;
	}
	return true;
}

/* bash evaluates as it reads, so what stands before a mistake has its effects, and its own mistakes come first. */
static bool eval_before(struct expander *x, const struct arith *a)
{
	size_t n = 0;

	if (a->error_token.ptr > a->text.ptr && a->error_token.ptr <= a->text.ptr + a->text.len)
		n = (size_t)(a->error_token.ptr - a->text.ptr);
	/* A character that begins no token is seen before the operator in front of it is at work. */
	if (strstr(a->error, "invalid arithmetic operator")) {
		size_t end = n;

		while (n && a->text.ptr[n] != ',')
			n--;
		if (!eval_names(x, (struct str){a->text.ptr + n, end - n}))
			return false;
	}
	for (unsigned tries = 0; n && tries < BEFORE_TRIES; n--, tries++) {
		struct arith *before;
		int64_t value;

		if (name_char(a->text.ptr[n - 1]) && n < a->text.len && name_char(a->text.ptr[n]))
			continue;
		before = arith_parse(&sys_self(x->p)->arena, (struct str){a->text.ptr, n}, stack_room(x->p, ARITH_STACK));
		before->text = a->text; /* for its messages */
		if (!before->error)
			return !before->tree || eval(&(struct eval){x, before, NULL}, before->tree, &value);
	}
	return true;
}

/* A variable where the expression should have ended: its value has been asked for before anybody sees that. */
static bool eval_surplus(struct expander *x, const struct arith *a)
{
	struct str s = a->error_token;
	size_t n = 0, next;
	int64_t value;

	while (n < s.len && name_char(s.ptr[n]))
		n++;
	if (!n || !name_start(*s.ptr) || !strstr(a->error, "syntax error in expression"))
		return true;
	for (next = n; next < s.len && ascii_space((unsigned char)s.ptr[next]);)
		next++;
	if (next < s.len && memchr("=[", s.ptr[next], 2))
		return true;
	if (s.ptr > a->text.ptr && s.ptr <= a->text.ptr + a->text.len) {
		struct str before = {a->text.ptr, (size_t)(s.ptr - a->text.ptr) + 1};

		if (!eval_names(x, before))
			return false;
	}
	return arith_text(x, (struct str){s.ptr, n}, &value);
}

static bool eval_arith(struct expander *x, const struct arith *a, const int64_t *slots,
                       int64_t *out)
{
	struct eval e = {x, a, slots};

	if (UNLIKELY(a->error != NULL))
		return eval_surplus(x, a) && eval_before(x, a) && eval_error(x, a->text, a->error_token, a->error);
	if (!a->tree) {
		*out = 0;
		return true;
	}
	return eval(&e, a->tree, out);
}

bool arith_text(struct expander *x, struct str text, int64_t *out)
{
	if (quick_number(text, out))
		return true;
	return eval_arith(x, arith_parse(&sys_self(x->p)->arena, text, stack_room(x->p, ARITH_STACK)), NULL, out);
}

/* One expansion inside an expression as text. */
static bool expand_part(struct expander *x, const struct part *part, struct str *out)
{
	struct build bd;

	build_init(&bd, x, BUILD_TEXT, NULL);
	if (!build_parts(&bd, part, 1, false))
		return false;
	*out = (struct str){bd.b.ptr ? bd.b.ptr : "", bd.b.len};
	return true;
}

/* $x, where the value can be looked at in place. */
static bool part_number(struct expander *x, const struct part *part, int64_t *out)
{
	const struct param *param = part->kind == PART_PARAM ? part->param : NULL;
	char buf[VALUE_BUF];
	struct str s;

	if (!param || param->op != PARAM_PLAIN || param->sub || (param->flags & PARAM_INDIRECT))
		return false;
	if (param->kind == PARAM_NAME)
		return state_get(x->st, param->name, buf, &s) && quick_number(s, out);
	return param->kind == PARAM_POSITIONAL && param->number &&
	       param->number <= params_count(x->st) &&
	       quick_number(params_at(x->st, param->number), out);
}

/* The whole text with the results in place of the expansions. */
static bool eval_spliced(struct expander *x, const struct arith *a, const struct str *texts,
                         const int64_t *slots, int64_t *out)
{
	struct u_buf b;
	uint32_t k = 0;

	u_buf_init(&b, x->p, EXPAND_WORD_MAX);
	u_buf_reserve(&b, a->text.len);
	for (uint32_t i = 0; i < a->word->nparts; i++) {
		const struct part *part = &a->word->parts[i];
		char buf[24];
		struct str s;

		if (k < a->nexps && part == a->exps[k]) {
			s = texts[k].ptr ? texts[k] : (struct str){buf, put_i64(buf, slots[k])};
			k++;
		} else if (part->kind == PART_LIT || part->kind == PART_QUOTED) {
			s = part->text;
		} else if (!expand_part(x, part, &s)) {
			return false;
		}
		u_buf_put(&b, s.ptr, s.len);
	}
	return arith_text(x, (struct str){b.ptr ? b.ptr : "", b.len}, out);
}

static NOINLINE bool eval_expanding(struct expander *x, const struct arith *a, int64_t *out)
{
	int64_t *slots = u_array(x->p, a->nexps + (size_t)1, sizeof(*slots));
	struct str *texts = NULL;

	for (uint32_t i = 0; i < a->nexps; i++) {
		struct str s;

		if (part_number(x, a->exps[i], &slots[i]))
			continue;
		if (!expand_part(x, a->exps[i], &s))
			return false;
		if (quick_number(s, &slots[i]))
			continue;
		if (!texts)
			texts = u_zalloc(x->p, a->nexps * sizeof(*texts));
		texts[i] = s;
	}
	return texts ? eval_spliced(x, a, texts, slots, out) : eval_arith(x, a, slots, out);
}

bool arith_eval(struct expander *x, const struct arith *a, int64_t *out)
{
	struct str text;

	if (LIKELY(a->tree && !a->nexps))
		return eval_arith(x, a, NULL, out);
	if (a->tree)
		return eval_expanding(x, a, out);
	if (a->error || a->blank || !a->word)
		return eval_arith(x, a, NULL, out);
	return expand_single(x, a->word, BUILD_TEXT, &text) && arith_text(x, text, out);
}
