/*
 * cpu.h - what the processor can do beyond the baseline of its architecture.
 *
 * The fast variants of the scanning loops are chosen by these tests at run time. They
 * read what the compiler's own start-up code found: `cpuid` itself may cost
 * microseconds in a virtual machine, far too much for a command that runs for one.
 *
 * Layer     base
 * Threads   any
 */
#ifndef NACRE_BASE_CPU_H
#define NACRE_BASE_CPU_H

#include <stdbool.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define CPU_X86 1
#define CPU_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))
#else
#define CPU_X86 0
#endif

/* True when code marked CPU_AVX2 may run. */
static inline bool cpu_has_avx2(void)
{
#if CPU_X86
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
	return false;
#endif
}

#endif
