/* wasi-libc's, and sets of processors, which it leaves out. */
#ifndef GUEST_SCHED_H
#define GUEST_SCHED_H

#include_next <sched.h>

#include <stdlib.h>
#include <string.h>

typedef struct {
	unsigned long bits[32];
} cpu_set_t;

#define CPU_BITS	    (8 * sizeof(unsigned long))
#define CPU_ALLOC_SIZE(n)   (((size_t)(n) + CPU_BITS - 1) / CPU_BITS * sizeof(unsigned long))
#define CPU_ALLOC(n)	    ((cpu_set_t *)calloc(1, CPU_ALLOC_SIZE(n)))
#define CPU_FREE(set)	    free(set)
#define CPU_ZERO_S(n, set)  memset(set, 0, n)
#define CPU_SET_S(i, n, set)   ((set)->bits[(i) / CPU_BITS] |= 1ul << (i) % CPU_BITS)
#define CPU_ISSET_S(i, n, set) ((set)->bits[(i) / CPU_BITS] >> (i) % CPU_BITS & 1)
#define CPU_COUNT_S(n, set)    cpu_count(n, set)

static inline int cpu_count(size_t n, const cpu_set_t *set)
{
	int count = 0;

	for (size_t i = 0; i < n / sizeof(unsigned long); i++)
		count += __builtin_popcountl(set->bits[i]);
	return count;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);

#endif
