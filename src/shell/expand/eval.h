/* eval.h - what the files that evaluate arithmetic share. */
#ifndef NACRE_SHELL_EXPAND_EVAL_H
#define NACRE_SHELL_EXPAND_EVAL_H

#include "../syntax/arith.h"
#include "build.h"

/* The expression being evaluated: what messages quote. */
struct eval {
	struct expander *x;
	const struct arith *a;
	const int64_t *slots;
};

/* false, and the message with what is at fault in the node. */
bool eval_node_error(struct eval *e, const struct arith_node *n, const char *message);
/* a op b; false after a message. */
bool eval_binary(struct eval *e, const struct arith_node *n, unsigned op, int64_t a, int64_t b, int64_t *out);
/* bash goes through what it does not take as well, with variables that are 0 and without assigning; of its mistakes a negative
 * exponent counts. */
bool eval_untaken(struct eval *e, const struct arith_node *n, int64_t *out);

#endif
