/*
 * check.h - which memory checker the build runs under: AddressSanitizer, ThreadSanitizer,
 * valgrind. Each must be told about stack switches (fiber.c).
 *
 * Layer     kernel
 */
#ifndef NACRE_KERNEL_CHECK_H
#define NACRE_KERNEL_CHECK_H

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define HAVE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAVE_TSAN 1
#endif
#endif

#if defined(NACRE_VALGRIND)
#define HAVE_VALGRIND 1
#endif

/* A fault of ours: nothing a script, file or guest contains may reach it. */
#define KERNEL_BUG() __builtin_trap()

#endif
