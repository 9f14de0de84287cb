/* run.c - awk's statements, and the main loop over records. */
#include "awk.h"

/* ---- print ---------------------------------------------------------------------------- */

static struct u_out *output(struct awk *a, struct node *n)
{
	struct astr *name;
	struct stream *s;

	if (!n->op)
		return u_stdout(a->p);
	name = eval_str(a, n->a);
	s = stream_open(a, name, n->op == '>' ? STREAM_WRITE : n->op == 'a' ? STREAM_APPEND : STREAM_WRITE_CMD);
	astr_put(a, name);
	return s->out;
}

static void put_value(struct awk *a, struct u_out *o, struct node *n)
{
	struct cell hold = {0};
	struct str s;

	if (n->kind == N_FIELD || n->kind == N_STR) {
		s = eval_text(a, n, &hold);
		u_put(o, s.ptr, s.len);
		return;
	}
	eval(a, n, &hold);
	if (hold.type == CELL_NUM) {
		char buf[400];
		size_t len = num_text(a, hold.num, special_cell(a, V_OFMT)->str, buf);

		u_put(o, buf, len);
	} else {
		struct astr *t = cell_str(a, &hold);

		u_put(o, t->s, t->len);
	}
	cell_clear(a, &hold);
}

static void run_print(struct awk *a, struct node *n)
{
	struct u_out *o;
	struct astr *sep;
	bool simple = true;

	for (uint32_t i = 0; i < n->n; i++)
		simple = simple && n->list[i]->pure;
	if (simple) {
		o = output(a, n);
		if (n->n == 0) {
			struct str s = record_text(a);

			u_put(o, s.ptr, s.len);
		}
		for (uint32_t i = 0; i < n->n; i++) {
			if (i) {
				sep = cell_str(a, special_cell(a, V_OFS));
				u_put(o, sep->s, sep->len);
			}
			put_value(a, o, n->list[i]);
		}
	} else {
		/* The values may print themselves: all of them first. */
		struct astr **v = block_get(a, n->n * sizeof(*v));

		for (uint32_t i = 0; i < n->n; i++) {
			struct cell c = {0};

			eval(a, n->list[i], &c);
			v[i] = cell_output(a, &c);
			cell_clear(a, &c);
		}
		o = output(a, n);
		for (uint32_t i = 0; i < n->n; i++) {
			if (i) {
				sep = cell_str(a, special_cell(a, V_OFS));
				u_put(o, sep->s, sep->len);
			}
			u_put(o, v[i]->s, v[i]->len);
			astr_put(a, v[i]);
		}
		block_put(a, v, n->n * sizeof(*v));
	}
	sep = cell_str(a, special_cell(a, V_ORS));
	u_put(o, sep->s, sep->len);
	if (n->op && o->fd == 2)
		u_flush(o);
}

static void run_printf(struct awk *a, struct node *n)
{
	struct astr *format = eval_str(a, n->list[0]);
	struct u_buf *b = awk_scratch_take(a);
	struct u_out *o;

	awk_format(a, b, (struct str){format->s, format->len}, n->list + 1, n->n - 1);
	astr_put(a, format);
	o = output(a, n);
	u_put(o, b->ptr, b->len);
	awk_scratch_give(a);
	if (n->op && o->fd == 2)
		u_flush(o);
}

/* ---- Loops ------------------------------------------------------------------------------- */

static enum flow run_loop(struct awk *a, struct node *n)
{
	struct node *body = n->kind == N_FOR ? n->d : n->b;
	struct node *cond = n->kind == N_FOR ? n->b : n->a;
	bool first = n->kind == N_DO;

	if (n->kind == N_FOR && n->a && run(a, n->a) != FLOW_NORMAL)
		return FLOW_EXIT;
	while (first || !cond || eval_true(a, cond)) {
		enum flow f;

		first = false;
		sys_checkpoint(a->p);
		f = run(a, body);
		if (f == FLOW_BREAK)
			break;
		if (f > FLOW_CONTINUE)
			return f;
		if (n->kind == N_FOR && n->c && run(a, n->c) != FLOW_NORMAL)
			return FLOW_EXIT;
	}
	return FLOW_NORMAL;
}

static enum flow run_for_in(struct awk *a, struct node *n)
{
	struct array *t = node_array(a, n->b);
	size_t count, size = (t->n + 1) * sizeof(struct astr *);
	struct astr **keys = awk_array_keys(a, t, &count);
	enum flow f = FLOW_NORMAL;

	for (size_t i = 0; i < count; i++) {
		struct cell c = {0};

		sys_checkpoint(a->p);
		if (f == FLOW_NORMAL) {
			cell_set_str(a, &c, astr_get(keys[i]), CELL_STR);
			assign(a, n->a, &c);
			f = run(a, n->d);
			if (f == FLOW_CONTINUE)
				f = FLOW_NORMAL;
		}
		astr_put(a, keys[i]);
	}
	block_put(a, keys, size);
	return f == FLOW_BREAK ? FLOW_NORMAL : f;
}

static bool case_matches(struct awk *a, struct node *c, struct cell *v)
{
	struct cell k = {0};
	bool yes;

	if (!c->a)
		return false;
	if (c->a->kind == N_REGEX) {
		struct astr *s = cell_str(a, v);

		return dynamic_match(a, node_regex(a, c->a), s->s, s->len, 0, NULL, 0);
	}
	eval(a, c->a, &k);
	/* A number matches a number, a string the same text. */
	if (k.type == CELL_NUM)
		yes = cell_is_number(a, v) && cell_compare(a, v, &k) == 0;
	else
		yes = cell_str(a, v)->len == k.str->len && memcmp(v->str->s, k.str->s, k.str->len) == 0;
	cell_clear(a, &k);
	return yes;
}

static enum flow run_switch(struct awk *a, struct node *n)
{
	struct cell v = {0};
	uint32_t i, from = n->n;

	eval(a, n->a, &v);
	for (i = 0; i < n->n && from == n->n; i++)
		if (case_matches(a, n->list[i], &v))
			from = i;
	for (i = 0; i < n->n && from == n->n; i++)
		if (!n->list[i]->a)
			from = i;
	cell_clear(a, &v);
	for (i = from; i < n->n; i++)
		for (uint32_t k = 0; k < n->list[i]->n; k++) {
			enum flow f = run(a, n->list[i]->list[k]);

			if (f == FLOW_BREAK)
				return FLOW_NORMAL;
			if (f != FLOW_NORMAL)
				return f;
		}
	return FLOW_NORMAL;
}

static void run_delete(struct awk *a, struct node *n)
{
	if (n->kind == N_INDEX) {
		struct array *t = node_array(a, n->a);
		struct astr *key;

		if (n->n == 1) {
			key = eval_str(a, n->list[0]);
		} else {
			struct cell c = {0};

			for (uint32_t i = 0; i < n->n; i++) {
				struct astr *s = eval_str(a, n->list[i]), *sep = cell_str(a, special_cell(a, V_SUBSEP)), *j;
				size_t old = c.str ? c.str->len + sep->len : 0;

				j = astr_room(a, old + s->len);
				if (c.str) {
					memcpy(j->s, c.str->s, c.str->len);
					memcpy(j->s + c.str->len, sep->s, sep->len);
				}
				memcpy(j->s + old, s->s, s->len);
				astr_put(a, s);
				cell_set_str(a, &c, j, CELL_STR);
			}
			key = c.str;
		}
		awk_array_delete(a, t, key->s, key->len);
		astr_put(a, key);
		return;
	}
	awk_array_clear(a, node_array(a, n));
}

enum flow run(struct awk *a, struct node *n)
{
	struct cell c = {0};

	if (n->line)
		a->line = n->line;
	if (UNLIKELY(a->exiting))
		return FLOW_EXIT;
	switch (n->kind) {
	case N_BLOCK:
		for (uint32_t i = 0; i < n->n; i++) {
			enum flow f = run(a, n->list[i]);

			if (f != FLOW_NORMAL)
				return f;
		}
		return FLOW_NORMAL;
	case N_EXPR:
		if (n->a->kind == N_INCDEC || n->a->kind == N_GETLINE)
			eval_num(a, n->a);
		else
			eval(a, n->a, &c);
		cell_clear(a, &c);
		return a->exiting ? FLOW_EXIT : FLOW_NORMAL;
	case N_PRINT: run_print(a, n); return a->exiting ? FLOW_EXIT : FLOW_NORMAL;
	case N_PRINTF: run_printf(a, n); return a->exiting ? FLOW_EXIT : FLOW_NORMAL;
	case N_IF:
		if (eval_true(a, n->a))
			return run(a, n->b);
		return n->c ? run(a, n->c) : FLOW_NORMAL;
	case N_WHILE:
	case N_DO:
	case N_FOR: return run_loop(a, n);
	case N_FORIN: return run_for_in(a, n);
	case N_SWITCH: return run_switch(a, n);
	case N_NEXT:
	case N_NEXTFILE:
		/* In a function: in the rule itself the parser refused it. */
		if (a->rule_kind < RULE_PATTERN && (n->kind == N_NEXT || a->rule_kind != RULE_BEGINFILE))
			awk_die(a, "`%s' cannot be called from a `%s' rule", n->kind == N_NEXT ? "next" : "nextfile", awk_rule_name(a->rule_kind));
		return n->kind == N_NEXT ? FLOW_NEXT : FLOW_NEXTFILE;
	case N_BREAK: return FLOW_BREAK;
	case N_CONTINUE: return FLOW_CONTINUE;
	case N_DELETE: run_delete(a, n->a); return FLOW_NORMAL;
	case N_EXIT:
		if (n->a)
			a->status = (int)((int64_t)eval_num(a, n->a) & 255);
		a->exiting = true;
		return FLOW_EXIT;
	case N_RETURN:
		if (n->a) {
			/* Evaluated aside: the value may call functions itself. */
			eval(a, n->a, &c);
			cell_clear(a, &a->result);
			a->result = c;
		}
		return FLOW_RETURN;
	default: awk_die(a, "internal: no such statement");
	}
}

/* ---- The main loop ------------------------------------------------------------------------------ */

const char *awk_rule_name(int kind)
{
	return kind == RULE_BEGIN ? "BEGIN" : kind == RULE_END ? "END" : kind == RULE_BEGINFILE ? "BEGINFILE" : kind == RULE_ENDFILE ? "ENDFILE" : "pattern";
}

static void run_rules(struct awk *a, int kind)
{
	for (size_t i = 0; i < a->nrules && !a->exiting; i++)
		if ((int)a->rule[i].kind == kind) {
			a->rule_kind = (uint8_t)kind;
			run(a, a->rule[i].body);
		}
}

static bool wanted(struct awk *a, struct rule *r)
{
	if (r->pattern)
		a->line = r->pattern->line;
	if (r->kind == RULE_PATTERN)
		return !r->pattern || eval_true(a, r->pattern);
	if (!r->inside && !eval_true(a, r->pattern))
		return false;
	r->inside = !eval_true(a, r->to);
	return true;
}

static void run_record(struct awk *a)
{
	for (size_t i = 0; i < a->nrules && !a->exiting; i++) {
		struct rule *r = &a->rule[i];
		enum flow f;

		if ((r->kind != RULE_PATTERN && r->kind != RULE_RANGE) || !wanted(a, r))
			continue;
		a->rule_kind = (uint8_t)r->kind;
		if (!r->body) {
			struct str s = record_text(a);
			struct astr *ors = cell_str(a, special_cell(a, V_ORS));

			u_put(u_stdout(a->p), s.ptr, s.len);
			u_put(u_stdout(a->p), ors->s, ors->len);
			continue;
		}
		f = run(a, r->body);
		if (f == FLOW_NEXT)
			return;
		if (f == FLOW_NEXTFILE) {
			main_close(a);
			return;
		}
	}
}

int awk_main_loop(struct awk *a)
{
	bool records = false;
	struct str line;

	run_rules(a, RULE_BEGIN);
	for (size_t i = 0; i < a->nrules; i++)
		records |= a->rule[i].kind != RULE_BEGIN;
	while (records && !a->exiting && main_record(a, &line)) {
		sys_checkpoint(a->p);
		record_view(a, line.ptr, line.len);
		run_record(a);
	}
	/* exit in BEGIN or a rule still runs END; exit in END ends it. */
	a->exiting = false;
	a->in_end = true;
	run_rules(a, RULE_END);
	streams_close_all(a);
	return a->status;
}
