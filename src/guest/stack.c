/* stack.c - what a guest imports to look after its own recursion. See stack.h. */
#include "stack.h"

#include "../abi/sys.h"

#define ENOUGH ((size_t)512 << 10) /* for whatever an engine does between two of its checks */

uint32_t guest_env_stack_low(struct guest *g)
{
	return !sys_stack(g->p, ENOUGH);
}
