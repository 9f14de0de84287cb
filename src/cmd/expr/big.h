/*
 * big.h - whole numbers of any size, for expr.
 *
 * Sign and magnitude, nine decimal digits a limb, least first. Results live in the arena.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_EXPR_BIG_H
#define NACRE_CMD_EXPR_BIG_H

#include "../cmd.h"

struct big {
	bool negative;
	size_t n;		/* limbs; 0: the number is 0. The last is not 0 */
	uint32_t *v;
};

/* True when s is an optional minus sign and digits. */
bool big_is_number(const char *s);
struct big big_parse(struct proc *p, const char *s);
const char *big_text(struct proc *p, const struct big *a);
int big_compare(const struct big *a, const struct big *b);
struct big big_add(struct proc *p, const struct big *a, const struct big *b);
struct big big_subtract(struct proc *p, const struct big *a, const struct big *b);
struct big big_multiply(struct proc *p, const struct big *a, const struct big *b);
/* Rounded toward zero; the remainder has the sign of a. b is not 0. */
void big_divide(struct proc *p, const struct big *a, const struct big *b, struct big *quotient,
		struct big *remainder);

#endif
