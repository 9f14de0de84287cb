/* fiber_x86_64.c - switching stacks on x86-64 (System V).
 *
 * The resumed side leaves by pop + jmp: a ret would mispredict every time, because the
 * processor's return stack belongs to the context that was left. The entry frame says that it
 * has no caller (undefined rip), so that debuggers and unwinders stop there. */
#include "fiber.h"

#if defined(__x86_64__)

void context_entry(void);

__asm__(".text\n"
        ".p2align 4\n"
        ".globl context_switch\n"
        ".hidden context_switch\n"
        ".type context_switch, @function\n"
        "context_switch:\n"
        "	.cfi_startproc\n"
        "	pushq %rbp\n"
        "	pushq %rbx\n"
        "	pushq %r12\n"
        "	pushq %r13\n"
        "	pushq %r14\n"
        "	pushq %r15\n"
        "	movq %rsp, (%rdi)\n"
        "	movq %rsi, %rsp\n"
        "	popq %r15\n"
        "	popq %r14\n"
        "	popq %r13\n"
        "	popq %r12\n"
        "	popq %rbx\n"
        "	popq %rbp\n"
        "	popq %rdx\n"
        "	jmp *%rdx\n"
        "	.cfi_endproc\n"
        ".size context_switch, . - context_switch\n"
        ".p2align 4\n"
        ".globl context_entry\n"
        ".hidden context_entry\n"
        ".type context_entry, @function\n"
        "context_entry:\n"
        "	.cfi_startproc\n"
        "	.cfi_undefined rip\n"
        "	xorl %ebp, %ebp\n"
        "	movq %r13, %rdi\n"
        "	call *%r12\n"
        "	ud2\n"
        "	.cfi_endproc\n"
        ".size context_entry, . - context_entry\n");

void *context_make(void *top, void (*entry)(void *arg), void *arg)
{
	uint64_t *sp = (uint64_t *)((uintptr_t)top & ~(uintptr_t)15);

	/* Two spare words: rsp is a multiple of 16 at context_entry, so that its call enters
	 * `entry` as the calling convention wants. */
	*--sp = 0;
	*--sp = 0;
	*--sp = (uint64_t)(uintptr_t)context_entry;
	*--sp = 0;                          /* rbp */
	*--sp = 0;                          /* rbx */
	*--sp = (uint64_t)(uintptr_t)entry; /* r12 */
	*--sp = (uint64_t)(uintptr_t)arg;   /* r13 */
	*--sp = 0;                          /* r14 */
	*--sp = 0;                          /* r15 */
	return sp;
}

void fp_enter(struct fp_state *host)
{
	uint32_t mxcsr = 0, standard = 0x1f80;
	uint16_t cw = 0, standard_cw = 0x037f;

	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(cw));
	host->word = mxcsr | (uint64_t)cw << 32;
	__asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(standard), "m"(standard_cw));
}

void fp_leave(const struct fp_state *host)
{
	uint32_t mxcsr = (uint32_t)host->word;
	uint16_t cw = (uint16_t)(host->word >> 32);

	__asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(cw));
}

#else
typedef int fiber_x86_64_unused;
#endif
