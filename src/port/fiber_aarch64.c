/* fiber_aarch64.c - switching stacks on aarch64 (AAPCS64).
 *
 * Saved: x19-x30 (x29 frame pointer, x30 return address) and the low halves of v8-v15, in a
 * frame of 160 bytes. The resumed side leaves by `br`, not `ret`, for the same reason as on
 * x86-64; `br x16` is the form that branch target identification lets land on a plain `bti c`
 * entry. x18 is the platform's and is left alone. */
#include "fiber.h"

#if defined(__aarch64__)

void context_entry(void);

__asm__(".text\n"
        ".p2align 4\n"
        ".globl context_switch\n"
        ".hidden context_switch\n"
        ".type context_switch, %function\n"
        "context_switch:\n"
        "	.cfi_startproc\n"
        "	hint #34\n" /* bti c */
        "	sub sp, sp, #160\n"
        "	stp x19, x20, [sp, #0]\n"
        "	stp x21, x22, [sp, #16]\n"
        "	stp x23, x24, [sp, #32]\n"
        "	stp x25, x26, [sp, #48]\n"
        "	stp x27, x28, [sp, #64]\n"
        "	stp x29, x30, [sp, #80]\n"
        "	stp d8, d9, [sp, #96]\n"
        "	stp d10, d11, [sp, #112]\n"
        "	stp d12, d13, [sp, #128]\n"
        "	stp d14, d15, [sp, #144]\n"
        "	mov x9, sp\n"
        "	str x9, [x0]\n"
        "	mov sp, x1\n"
        "	ldp x19, x20, [sp, #0]\n"
        "	ldp x21, x22, [sp, #16]\n"
        "	ldp x23, x24, [sp, #32]\n"
        "	ldp x25, x26, [sp, #48]\n"
        "	ldp x27, x28, [sp, #64]\n"
        "	ldp x29, x30, [sp, #80]\n"
        "	ldp d8, d9, [sp, #96]\n"
        "	ldp d10, d11, [sp, #112]\n"
        "	ldp d12, d13, [sp, #128]\n"
        "	ldp d14, d15, [sp, #144]\n"
        "	add sp, sp, #160\n"
        "	mov x16, x30\n"
        "	br x16\n"
        "	.cfi_endproc\n"
        ".size context_switch, . - context_switch\n"
        ".p2align 4\n"
        ".globl context_entry\n"
        ".hidden context_entry\n"
        ".type context_entry, %function\n"
        "context_entry:\n"
        "	.cfi_startproc\n"
        "	.cfi_undefined x30\n"
        "	hint #38\n" /* bti jc */
        "	mov x29, #0\n"
        "	mov x30, #0\n"
        "	mov x0, x20\n"
        "	blr x19\n"
        "	brk #1\n"
        "	.cfi_endproc\n"
        ".size context_entry, . - context_entry\n");

void *context_make(void *top, void (*entry)(void *arg), void *arg)
{
	uint64_t *sp = (uint64_t *)((uintptr_t)top & ~(uintptr_t)15);

	sp -= 20;
	memset(sp, 0, 160);
	sp[0] = (uint64_t)(uintptr_t)entry;          /* x19 */
	sp[1] = (uint64_t)(uintptr_t)arg;            /* x20 */
	sp[11] = (uint64_t)(uintptr_t)context_entry; /* x30 */
	return sp;
}

void fp_enter(struct fp_state *host)
{
	uint64_t fpcr;

	__asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
	host->word = fpcr;
	__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
}

void fp_leave(const struct fp_state *host)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(host->word));
}

#else
typedef int fiber_aarch64_unused;
#endif
