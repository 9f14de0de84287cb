/* eval_untaken.c - arithmetic that counts for nothing: the right side of a decided && or ||, the other branch of ?:. */
#include "eval.h"

bool eval_untaken(struct eval *e, const struct arith_node *n, int64_t *out)
{
	int64_t a = 0, b = 0, c = 0;
	unsigned op;

	*out = 0;
	switch ((enum arith_op)n->op) {
	case AR_NUM: *out = n->value; return true;
	case AR_EXPAND: *out = e->slots[n->slot]; return true;
	case AR_VAR:
	case AR_POST_INC:
	case AR_POST_DEC: return true;
	case AR_PRE_INC: *out = 1; return true;
	case AR_PRE_DEC: *out = -1; return true;
	default: break;
	}
	if (UNLIKELY(!sys_stack(e->x->p, 1024)))
		return eval_node_error(e, n, "expression recursion level exceeded");
	if (n->op != AR_ASSIGN && !eval_untaken(e, n->a, &a))
		return false;
	if ((n->b && !eval_untaken(e, n->b, &b)) || (n->op == AR_COND && !eval_untaken(e, n->c, &c)))
		return false;
	switch ((enum arith_op)n->op) {
	case AR_NEG: *out = (int64_t)(0 - (uint64_t)a); return true;
	case AR_POS: *out = a; return true;
	case AR_NOT: *out = !a; return true;
	case AR_COMPL: *out = ~a; return true;
	case AR_AND: *out = a && b; return true;
	case AR_OR: *out = a || b; return true;
	case AR_COMMA: *out = b; return true;
	case AR_COND: *out = a ? b : c; return true;
	default: break;
	}
	op = n->op == AR_ASSIGN ? n->assign_op : n->op;
	if ((op == AR_DIV || op == AR_MOD) && b == 0)
		b = 1;
	if (op == AR_NUM) {
		*out = b;
		return true;
	}
	return eval_binary(e, n, op, a, b, out);
}
