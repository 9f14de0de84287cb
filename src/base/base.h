/*
 * base.h - the words every other file is written in: attributes, byte strings, small helpers.
 *
 * Nothing here allocates, suspends or touches the outside.
 *
 * Layer     base; C headers only
 * Threads   any
 */
#ifndef NACRE_BASE_BASE_H
#define NACRE_BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MUST_USE __attribute__((warn_unused_result))
#define NORETURN __attribute__((noreturn))
#define NOINLINE __attribute__((noinline))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define UNUSED __attribute__((unused))
#define COUNTOF(a) (sizeof(a) / sizeof((a)[0]))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* Of plain values: one of the two is looked at twice. */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* Read by people and by tools: a call that may switch to another fiber. Whatever
 * was borrowed before it may be gone after it. */
#define MAY_SUSPEND

/* The object whose member `m` is at `p`. */
#define CONTAINER_OF(p, type, m) ((type *)(void *)((char *)(p) - offsetof(type, m)))

/* Bytes that somebody else owns: not NUL-terminated, NULs allowed inside. */
struct str {
	const char *ptr;
	size_t len;
};

#define STR(lit) ((struct str){(lit), sizeof(lit) - 1})

static inline struct str str_from(const char *s)
{
	return (struct str){s, strlen(s)};
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool str_is(struct str a, const char *lit)
{
	size_t n = strlen(lit);

	return a.len == n && (n == 0 || memcmp(a.ptr, lit, n) == 0);
}

/* True when the NUL-terminated strings are the same. */
static inline bool streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* Overflow-checked size arithmetic: SIZE_MAX on overflow, which no allocator grants. */
static inline size_t size_add(size_t a, size_t b)
{
	size_t r;

	return __builtin_add_overflow(a, b, &r) ? SIZE_MAX : r;
}

static inline size_t size_mul(size_t a, size_t b)
{
	size_t r;

	return __builtin_mul_overflow(a, b, &r) ? SIZE_MAX : r;
}

/* ASCII classes that no locale can change. */
static inline bool ascii_digit(int c) { return c >= '0' && c <= '9'; }
static inline bool ascii_upper(int c) { return c >= 'A' && c <= 'Z'; }
static inline bool ascii_lower(int c) { return c >= 'a' && c <= 'z'; }
static inline bool ascii_alpha(int c) { return ascii_upper(c) || ascii_lower(c); }
static inline bool ascii_alnum(int c) { return ascii_alpha(c) || ascii_digit(c); }
static inline bool ascii_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool ascii_blank(int c) { return c == ' ' || c == '\t'; }
static inline bool ascii_print(int c) { return c >= 0x20 && c < 0x7f; }
static inline bool ascii_punct(int c) { return c > 0x20 && c < 0x7f && !ascii_alnum(c); }
static inline bool ascii_xdigit(int c)
{
	return ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
static inline int ascii_tolower(int c) { return ascii_upper(c) ? c + 32 : c; }
static inline int ascii_toupper(int c) { return ascii_lower(c) ? c - 32 : c; }

#endif
