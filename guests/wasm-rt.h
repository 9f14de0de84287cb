/*
 * wasm-rt.h - what the C that wasm2c writes expects of its runtime, as src/guest has it.
 *
 * translate.py has replaced the rest: memory is reached through the instance's own address,
 * the table is constant, types are compared as constants.
 */
#ifndef WASM_RT_H_
#define WASM_RT_H_

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "guest/code.h"

#ifndef UNLIKELY
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#endif
#define WASM_RT_MEMCHECK_SIGNAL_HANDLER 1
#define WASM_RT_USE_STACK_DEPTH_COUNT   0
#define wasm_rt_memcpy                  memcpy

typedef void (*wasm_rt_function_ptr_t)(void);

typedef struct {
	uint32_t func_type;
	wasm_rt_function_ptr_t func;
	void *module_instance;
} wasm_rt_funcref_t;

/* What the table consists of instead: the number of a function's type, and how far from the table it is; 0, 0: none. */
struct guest_entry {
	uint32_t type;
	int32_t to;
};

typedef struct {
	uint8_t *data;
	uint32_t pages, max_pages, size;
} wasm_rt_memory_t;

typedef struct {
	wasm_rt_funcref_t *data;
	uint32_t max_size, size;
} wasm_rt_funcref_table_t;

/* Before anything else in a function that calls others. The stack pointer is compared, not a frame
 * address: that would cost every function a frame pointer. */
#define GUEST(instance) ((struct guest *)(void *)((char *)(instance) - GUEST_INSTANCE))
#define GUEST_CHECKPOINT(instance)                         \
	do {                                               \
		if (UNLIKELY(--GUEST(instance)->fuel < 0)) \
			guest_pause(GUEST(instance));      \
	} while (0)
#if defined(__x86_64__)
#define GUEST_LOW(low, limit) __asm__("cmpq %%rsp, %1" : "=@cca"(low) : "m"(limit))
#elif defined(__aarch64__)
#define GUEST_LOW(low, limit)                      \
	do {                                       \
		char *sp_;                         \
		__asm__("mov %0, sp" : "=r"(sp_)); \
		(low) = sp_ < (limit);             \
	} while (0)
#endif
#define GUEST_ENTER(instance)                                \
	do {                                                 \
		int low_;                                    \
		GUEST_LOW(low_, GUEST(instance)->stack_low); \
		if (UNLIKELY(low_))                          \
			guest_stack(GUEST(instance));        \
		GUEST_CHECKPOINT(instance);                  \
	} while (0)

#define GUEST_MEMORY(instance) ((uint8_t *)(instance) + (GUEST_HEAD - GUEST_INSTANCE))

#endif
