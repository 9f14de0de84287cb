/* call.c - calls of functions of the program: arguments by value, arrays by reference, locals. */
#include "awk.h"

void call_function(struct awk *a, struct node *n, struct cell *out)
{
	struct function *f = &a->function[n->slot];
	size_t size = (f->nparams + 1) * sizeof(struct slot);
	struct slot *frame = block_get(a, size), *was = a->frame;

	if (!f->defined)
		awk_die(a, "function `%s' not defined", f->name);
	if (n->n > f->nparams)
		awk_die(a, "function `%s' called with more arguments than declared", f->name);
	memset(frame, 0, size);
	for (uint32_t i = 0; i < n->n; i++) {
		struct node *arg = n->list[i];

		while (arg->kind == N_GROUP && arg->a && (arg->a->kind == N_GLOBAL || arg->a->kind == N_LOCAL))
			arg = arg->a;
		if (arg->kind == N_GLOBAL || arg->kind == N_LOCAL) {
			struct slot *s = name_slot(a, arg), *t = slot_deref(s);

			if (t->kind == SLOT_ARRAY) {
				frame[i].kind = SLOT_ARRAY;
				frame[i].array = t->array;
				continue;
			}
			if (t->kind == SLOT_CELL && t->cell.type == CELL_UNSET && !(arg->kind == N_GLOBAL && arg->slot == V_NF)) {
				frame[i].kind = SLOT_REF;
				frame[i].ref = t;
				continue;
			}
		}
		if (arg->kind == N_INDEX) {
			/* An element that is an array is passed as one. */
			struct array *t = node_array(a, arg->a);
			struct cell hold = {0};
			char buf[32];
			struct str key = subscript(a, arg, &hold, buf);
			struct element *e = awk_array_find(t, key.ptr, key.len);

			cell_clear(a, &hold);
			if (e && e->sub) {
				frame[i].kind = SLOT_ARRAY;
				frame[i].array = e->sub;
				continue;
			}
		}
		eval(a, arg, &frame[i].cell);
	}
	a->frame = frame;
	a->depth++;
	cell_clear(a, &a->result);
	enum flow flow = run(a, f->body);

	a->depth--;
	a->frame = was;
	if (flow == FLOW_EXIT)
		a->exiting = true;
	for (uint32_t i = 0; i < f->nparams; i++) {
		/* A local that became an array of its own goes with the call. */
		if (frame[i].kind == SLOT_ARRAY && i >= n->n) {
			awk_array_clear(a, frame[i].array);
			block_put(a, frame[i].array, sizeof(struct array));
		}
		cell_clear(a, &frame[i].cell);
	}
	block_put(a, frame, size);
	cell_copy(a, out, &a->result);
	cell_clear(a, &a->result);
}
