/* eval.c - awk's expressions. */
#include "awk.h"

#include <math.h>

#define CALL_DEPTH_MAX 20000u

/* ---- Names ------------------------------------------------------------------------ */

struct slot *slot_deref(struct slot *s)
{
	while (s->kind == SLOT_REF) {
		/* A variable that got a value of its own meanwhile no longer refers. */
		if (s->ref->kind == SLOT_CELL && s->ref->cell.type != CELL_UNSET)
			break;
		s = s->ref;
	}
	return s;
}

struct array *slot_array(struct awk *a, struct slot *s)
{
	struct slot *t = slot_deref(s);

	if (t->kind == SLOT_ARRAY)
		return t->array;
	if (t->cell.type != CELL_UNSET || t->kind == SLOT_REF) {
		uint32_t i = t >= a->global && t < a->global + a->nglobals ? (uint32_t)(t - a->global) : UINT32_MAX;

		awk_die(a, "attempt to use scalar %s%s%s as an array", i == UINT32_MAX ? "parameter" : "`", i == UINT32_MAX ? "" : a->global_name[i],
			i == UINT32_MAX ? "" : "'");
	}
	t->kind = SLOT_ARRAY;
	t->array = awk_array_new(a);
	return t->array;
}

struct slot *name_slot(struct awk *a, struct node *n)
{
	return n->kind == N_LOCAL ? &a->frame[n->slot] : &a->global[n->slot];
}

/* The value of a name read as a variable. */
static struct cell *name_cell(struct awk *a, struct node *n)
{
	struct slot *s = name_slot(a, n);

	if (n->kind == N_GLOBAL && n->slot == V_NF)
		cell_set_num(a, &s->cell, (double)field_count(a));
	if (UNLIKELY(s->kind != SLOT_CELL)) {
		if (slot_deref(s)->kind == SLOT_ARRAY)
			awk_die(a, "attempt to use array %s%s%s in a scalar context", n->kind == N_GLOBAL ? "`" : "parameter",
				n->kind == N_GLOBAL ? a->global_name[n->slot] : "", n->kind == N_GLOBAL ? "'" : "");
	}
	return &s->cell;
}

/* ---- Subscripts ----------------------------------------------------------------------- */

/* The key a[i, j...] as text; hold keeps it. */
struct str subscript(struct awk *a, struct node *n, struct cell *hold, char *buf)
{
	struct u_buf *b;
	struct str key;

	if (n->n == 1) {
		struct node *i = n->list[0];

		/* Integers are spelled without CONVFMT. */
		if (i->kind != N_STR && i->kind != N_FIELD && i->kind != N_CONCAT) {
			eval(a, i, hold);
			if (hold->type == CELL_NUM && hold->num == floor(hold->num) && fabs(hold->num) < 1e15 && hold->num != 0) {
				key = (struct str){buf, num_put_i64(buf, (int64_t)hold->num)};
				return key;
			}
			if (hold->type == CELL_NUM && hold->num == 0)
				return STR("0");
			struct astr *s = cell_str(a, hold);

			return (struct str){s->s, s->len};
		}
		return eval_text(a, i, hold);
	}
	b = awk_scratch_take(a);
	for (uint32_t i = 0; i < n->n; i++) {
		struct astr *s;

		if (i) {
			struct astr *sep = cell_str(a, special_cell(a, V_SUBSEP));

			u_buf_put(b, sep->s, sep->len);
		}
		s = eval_str(a, n->list[i]);
		u_buf_put(b, s->s, s->len);
		astr_put(a, s);
	}
	cell_set_str(a, hold, astr_new(a, b->ptr, b->len), CELL_STR);
	awk_scratch_give(a);
	return (struct str){hold->str->s, hold->str->len};
}

struct array *node_array(struct awk *a, struct node *n)
{
	awk_deeper(a);
	if (n->kind == N_GLOBAL || n->kind == N_LOCAL)
		return slot_array(a, name_slot(a, n));
	if (n->kind == N_GROUP && n->a)
		return node_array(a, n->a);
	if (n->kind == N_INDEX) {
		struct array *t = node_array(a, n->a);
		struct cell hold = {0};
		char buf[32];
		struct str key = subscript(a, n, &hold, buf);
		struct element *e = awk_array_at(a, t, key.ptr, key.len);

		cell_clear(a, &hold);
		if (!e->sub) {
			if (e->value.type != CELL_UNSET)
				awk_die(a, "attempt to use scalar `%.*s' as an array", (int)MIN(e->len, 200u), e->key);
			e->sub = awk_array_new(a);
		}
		return e->sub;
	}
	awk_die(a, "an array was expected");
}

static struct element *element(struct awk *a, struct node *n)
{
	struct array *t = node_array(a, n->a);
	struct cell hold = {0};
	char buf[32];
	struct str key = subscript(a, n, &hold, buf);
	struct element *e = awk_array_at(a, t, key.ptr, key.len);

	cell_clear(a, &hold);
	if (UNLIKELY(e->sub != NULL))
		awk_die(a, "attempt to use array element as a scalar value");
	return e;
}

/* ---- Assignment ------------------------------------------------------------------------- */

static size_t field_index(struct awk *a, struct node *n)
{
	double i = eval_num(a, n->a);

	if (i < 0 || i != i)
		awk_die(a, "attempt to access field %.0f", i);
	if (i > 10000000)
		awk_die(a, "field number %.0f is too large", i);
	return (size_t)i;
}

void assign(struct awk *a, struct node *target, struct cell *c)
{
	struct element *e;
	struct slot *s;

	switch (target->kind) {
	case N_GLOBAL:
	case N_LOCAL:
		s = name_slot(a, target);
		if (s->kind == SLOT_ARRAY || (s->kind == SLOT_REF && slot_deref(s)->kind == SLOT_ARRAY))
			awk_die(a, "attempt to use array %s%s%s in a scalar context", target->kind == N_GLOBAL ? "`" : "parameter",
				target->kind == N_GLOBAL ? a->global_name[target->slot] : "", target->kind == N_GLOBAL ? "'" : "");
		if (UNLIKELY(target->kind == N_GLOBAL && target->slot < V_NSPECIAL))
			special_changes(a, target->slot);
		s->kind = SLOT_CELL;
		if (s->cell.str)
			astr_put(a, s->cell.str);
		s->cell = *c;
		*c = (struct cell){0};
		if (UNLIKELY(target->kind == N_GLOBAL && target->slot < V_NSPECIAL))
			special_changed(a, target->slot);
		return;
	case N_FIELD: field_assign(a, field_index(a, target), c); return;
	case N_INDEX:
		e = element(a, target);
		if (e->value.str)
			astr_put(a, e->value.str);
		e->value = *c;
		*c = (struct cell){0};
		return;
	case N_GROUP: awk_deeper(a); assign(a, target->a, c); return;
	default: awk_die(a, "assignment to something that is not a variable");
	}
}

static void eval_assign(struct awk *a, struct node *n, struct cell *out)
{
	struct cell c = {0};

	if (n->op == '=') {
		/* x = x "text" grows in place when nobody else holds x's text. */
		struct node *v = n->b;

		if (v->kind == N_CONCAT && (n->a->kind == N_GLOBAL || n->a->kind == N_LOCAL) && v->list[0]->kind == n->a->kind &&
		    v->list[0]->slot == n->a->slot && !(n->a->kind == N_GLOBAL && n->a->slot < V_NSPECIAL) &&
		    name_slot(a, n->a)->kind == SLOT_CELL) {
			struct cell *x = &name_slot(a, n->a)->cell;
			bool pure = true;

			for (uint32_t i = 1; i < v->n; i++)
				pure = pure && v->list[i]->pure;
			if (pure && x->str && x->str->refs == 1 && x->type != CELL_NUM) {
				for (uint32_t i = 1; i < v->n; i++) {
					struct cell hold = {0};
					struct str t = eval_text(a, v->list[i], &hold);

					/* t may be x itself: measure first. */
					if (x->str->len + t.len + 1 > x->str->cap) {
						struct astr *more = astr_room(a, (x->str->len + t.len) * 2);

						memcpy(more->s, x->str->s, x->str->len);
						memcpy(more->s + x->str->len, t.ptr, t.len);
						more->len = x->str->len + t.len;
						more->s[more->len] = '\0';
						astr_put(a, x->str);
						x->str = more;
					} else {
						memmove(x->str->s + x->str->len, t.ptr, t.len);
						x->str->len += t.len;
						x->str->s[x->str->len] = '\0';
					}
					cell_clear(a, &hold);
				}
				x->type = CELL_STR;
				x->has_num = false;
				if (out)
					cell_copy(a, out, x);
				return;
			}
		}
		eval(a, n->b, &c);
	} else {
		double x, y;
		/* The value first, as gawk: "i += i++" is unspecified, but x += f() must see what f did. */
		y = eval_num(a, n->b);
		if (n->a->kind == N_INDEX && !n->a->pure) {
			struct element *at = element(a, n->a);

			cell_set_num(a, &at->value, awk_arithmetic(a, n, cell_num(a, &at->value), y));
			if (out)
				cell_copy(a, out, &at->value);
			return;
		}
		if (n->a->kind == N_FIELD && !n->a->pure) {
			size_t i = field_index(a, n->a);
			struct str s = field_text(a, i);

			cell_set_num(a, &c, awk_arithmetic(a, n, text_num(s.ptr, s.len), y));
			if (out)
				cell_copy(a, out, &c);
			field_assign(a, i, &c);
			return;
		}
		x = eval_num(a, n->a);
		cell_set_num(a, &c, awk_arithmetic(a, n, x, y));
	}
	if (out)
		cell_copy(a, out, &c);
	assign(a, n->a, &c);
}

/* The old or new value of x++ and friends. */
static double incdec(struct awk *a, struct node *n)
{
	struct cell c = {0};
	double x, y;

	if (n->a->kind == N_INDEX) {
		struct element *e = element(a, n->a);

		x = cell_num(a, &e->value);
		y = n->op == '+' ? x + 1 : x - 1;
		cell_set_num(a, &e->value, y);
		return n->post ? x : y;
	}
	if (n->a->kind == N_FIELD) {
		size_t i = field_index(a, n->a);
		struct str s = field_text(a, i);

		x = text_num(s.ptr, s.len);
		y = n->op == '+' ? x + 1 : x - 1;
		cell_set_num(a, &c, y);
		field_assign(a, i, &c);
		return n->post ? x : y;
	}
	x = eval_num(a, n->a);
	y = n->op == '+' ? x + 1 : x - 1;
	cell_set_num(a, &c, y);
	assign(a, n->a, &c);
	return n->post ? x : y;
}

/* ---- getline -------------------------------------------------------------------------------- */

/* Nothing was read: what the variable's subscript does happens all the same. */
static double not_read(struct awk *a, struct node *n, double result)
{
	struct cell hold = {0};
	char buf[32];

	if (n->b && n->b->kind == N_INDEX) {
		(void)subscript(a, n->b, &hold, buf);
		cell_clear(a, &hold);
	}
	return result;
}

static double eval_getline(struct awk *a, struct node *n)
{
	struct input *in = NULL;
	struct cell c = {0};
	struct str line;

	if (n->op == ' ') {
		if (!main_record(a, &line))
			return not_read(a, n, 0);
	} else {
		struct astr *name = eval_str(a, n->a);
		struct stream *s = stream_open(a, name, n->op == '<' ? STREAM_READ : STREAM_READ_CMD);

		astr_put(a, name);
		if (!s)
			return not_read(a, n, -1);
		in = &s->in;
		if (!input_record(a, in, &line))
			return not_read(a, n, in->err ? -1 : 0);
	}
	if (n->b) {
		cell_set_str(a, &c, astr_new(a, line.ptr, line.len), CELL_INPUT);
		assign(a, n->b, &c);
	} else {
		record_set(a, line.ptr, line.len);
	}
	return 1;
}

/* ---- Expressions -------------------------------------------------------------------------------- */

static bool eval_match(struct awk *a, struct node *n)
{
	struct cell hold = {0};
	struct dynamic *d;
	struct str s;
	bool yes;

	if (!n->b->pure) {
		struct astr *left = eval_str(a, n->a);

		d = node_regex(a, n->b);
		yes = dynamic_match(a, d, left->s, left->len, 0, NULL, 0);
		astr_put(a, left);
		return yes == (n->op == '~');
	}
	d = node_regex(a, n->b);
	s = eval_text(a, n->a, &hold);
	yes = dynamic_match(a, d, s.ptr, s.len, 0, NULL, 0);
	cell_clear(a, &hold);
	return yes == (n->op == '~');
}

static bool eval_compare(struct awk *a, struct node *n)
{
	struct cell x = {0}, y = {0};
	int r;

	eval(a, n->a, &x);
	eval(a, n->b, &y);
	r = cell_compare(a, &x, &y);
	cell_clear(a, &x);
	cell_clear(a, &y);
	switch (n->op) {
	case '<': return r < 0;
	case 'l': return r <= 0;
	case '=': return r == 0;
	case '!': return r != 0;
	case 'g': return r >= 0;
	default: return r > 0;
	}
}

static bool eval_in(struct awk *a, struct node *n)
{
	struct array *t = node_array(a, n->a);
	struct cell hold = {0};
	char buf[32];
	struct str key = subscript(a, n, &hold, buf);
	bool yes = awk_array_find(t, key.ptr, key.len) != NULL;

	cell_clear(a, &hold);
	return yes;
}

static struct astr *eval_concat(struct awk *a, struct node *n)
{
	struct astr *parts[16], **v = n->n <= 16 ? parts : block_get(a, n->n * sizeof(*v)), *s;
	size_t total = 0;
	char *to;

	for (uint32_t i = 0; i < n->n; i++) {
		v[i] = eval_str(a, n->list[i]);
		total = size_add(total, v[i]->len);
	}
	s = astr_room(a, total);
	to = s->s;
	for (uint32_t i = 0; i < n->n; i++) {
		memcpy(to, v[i]->s, v[i]->len);
		to += v[i]->len;
		astr_put(a, v[i]);
	}
	if (v != parts)
		block_put(a, v, n->n * sizeof(*v));
	return s;
}

static void eval_call(struct awk *a, struct node *n, struct cell *out)
{
	if (a->depth >= CALL_DEPTH_MAX || !sys_stack(a->p, 4096))
		awk_die(a, "function calls are nested too deeply (%u)", a->depth);
	call_function(a, n, out);
}

void eval(struct awk *a, struct node *n, struct cell *out)
{
	struct element *e;

	awk_deeper(a);
	switch (n->kind) {
	case N_NUM:
	case N_STR: cell_copy(a, out, &n->value); return;
	case N_GROUP:
		if (!n->a)
			awk_die(a, "a list in parentheses is no value");
		/* (x) compares like x. */
		eval(a, n->a, out);
		return;
	case N_GLOBAL:
	case N_LOCAL: cell_copy(a, out, name_cell(a, n)); return;
	case N_FIELD: field_get(a, field_index(a, n), out); return;
	case N_INDEX:
		e = element(a, n);
		cell_copy(a, out, &e->value);
		return;
	case N_ASSIGN: eval_assign(a, n, out); return;
	case N_COND: eval(a, eval_true(a, n->a) ? n->b : n->c, out); return;
	case N_CONCAT: cell_set_str(a, out, eval_concat(a, n), CELL_STR); return;
	case N_CALL: eval_call(a, n, out); return;
	case N_BUILTIN: call_builtin(a, n, out); return;
	case N_REGEX:
	case N_AND:
	case N_OR:
	case N_NOT:
	case N_COMPARE:
	case N_MATCH:
	case N_IN: cell_set_num(a, out, eval_true(a, n)); return;
	default: cell_set_num(a, out, eval_num(a, n)); return;
	}
}

double eval_num(struct awk *a, struct node *n)
{
	struct cell c = {0};
	double v;

	switch (n->kind) {
	case N_NUM: return n->value.num;
	case N_GROUP: awk_deeper(a); return n->a ? eval_num(a, n->a) : (eval(a, n, &c), 0);
	case N_GLOBAL:
	case N_LOCAL: return cell_num(a, name_cell(a, n));
	case N_FIELD: {
		size_t i = field_index(a, n);

		if (i && a->split && i <= a->nf && a->field[i].made)
			return cell_num(a, &a->field[i].cell);
		struct str s = field_text(a, i);

		return text_num(s.ptr, s.len);
	}
	case N_INDEX: return cell_num(a, &element(a, n)->value);
	case N_BINARY: {
		double x, y;

		awk_deeper(a);
		x = eval_num(a, n->a);
		y = eval_num(a, n->b);
		return awk_arithmetic(a, n, x, y);
	}
	case N_NEG: awk_deeper(a); return -eval_num(a, n->a);
	case N_PLUS: awk_deeper(a); return eval_num(a, n->a);
	case N_INCDEC: return incdec(a, n);
	case N_GETLINE: return eval_getline(a, n);
	case N_REGEX:
	case N_AND:
	case N_OR:
	case N_NOT:
	case N_COMPARE:
	case N_MATCH:
	case N_IN: return eval_true(a, n);
	default:
		eval(a, n, &c);
		v = cell_num(a, &c);
		cell_clear(a, &c);
		return v;
	}
}

bool eval_true(struct awk *a, struct node *n)
{
	struct cell c = {0};
	bool yes;

	awk_deeper(a);
	switch (n->kind) {
	case N_REGEX: {
		struct str s = record_text(a);

		return dynamic_match(a, node_regex(a, n), s.ptr, s.len, 0, NULL, 0);
	}
	case N_AND: return eval_true(a, n->a) && eval_true(a, n->b);
	case N_OR: return eval_true(a, n->a) || eval_true(a, n->b);
	case N_NOT: return !eval_true(a, n->a);
	case N_COMPARE: return eval_compare(a, n);
	case N_MATCH: return eval_match(a, n);
	case N_IN: return eval_in(a, n);
	case N_NUM: return n->value.num != 0;
	case N_BINARY:
	case N_NEG:
	case N_PLUS:
	case N_INCDEC:
	case N_GETLINE: return eval_num(a, n) != 0;
	case N_GROUP:
		if (n->a)
			return eval_true(a, n->a);
		/* fall through */
	default:
		eval(a, n, &c);
		yes = cell_true(a, &c);
		cell_clear(a, &c);
		return yes;
	}
}

struct str eval_text(struct awk *a, struct node *n, struct cell *hold)
{
	struct astr *s;

	switch (n->kind) {
	case N_STR: return (struct str){n->value.str->s, n->value.str->len};
	case N_FIELD: return field_text(a, field_index(a, n));
	case N_GROUP:
		awk_deeper(a);
		if (n->a)
			return eval_text(a, n->a, hold);
		break;
	default: break;
	}
	eval(a, n, hold);
	s = cell_str(a, hold);
	return (struct str){s->s, s->len};
}

struct astr *eval_str(struct awk *a, struct node *n)
{
	struct cell c = {0};
	struct astr *s;

	if (n->kind == N_CONCAT) {
		awk_deeper(a);
		return eval_concat(a, n);
	}
	if (n->kind == N_FIELD) {
		struct str t = field_text(a, field_index(a, n));

		return astr_new(a, t.ptr, t.len);
	}
	eval(a, n, &c);
	s = astr_get(cell_str(a, &c));
	cell_clear(a, &c);
	return s;
}
