/*
 * pcre.h - Perl's regular expressions: the PCRE2 library behind five functions.
 *
 * The one place that knows the library (docs/decisions/perl-patterns.md). Nothing of it is seen above, so
 * that it could be moved out of the process without a change to those who use it. Its memory comes from the
 * caller's arena, its stack is asked for, and it calls back at every step of a match: a pattern can neither
 * outgrow its proc nor keep it from being ended.
 *
 *	re = pcre_compile(&host, pattern, n, PCRE_UTF8, message, sizeof(message));
 *	if (!re) complain(message);
 *	r = pcre_search(re, buf, len, 0, false, &match);
 *	if (r < 0) complain(pcre_failure(r));
 *
 * Layer     pcre; includes base/ and the library's header only
 * Owns      nothing: all memory is of the host's arena and goes with it
 * Threads   one at a time
 * Suspends  only inside the host's `step`
 * Errors    compilation: NULL and the library's message; matching: negative, see pcre_failure
 */
#ifndef NACRE_PCRE_PCRE_H
#define NACRE_PCRE_PCRE_H

#include "../base/arena.h"

/* What the library runs on. */
struct pcre_host {
	struct arena *arena;
	/* `n` units of work were done (see sys_checkpoint_n); may suspend, or never return. */
	void (*step)(void *ctx, uint32_t n);
	/* Whether `need` more bytes of stack are there (see sys_stack). */
	bool (*stack)(void *ctx, size_t need);
	void *ctx;
};

#define PCRE_UTF8   0x1u /* characters are UTF-8; invalid bytes match nothing */
#define PCRE_ICASE  0x2u /* upper and lower case are the same */
#define PCRE_WORD   0x4u /* grep -w: no word character right before or after */
#define PCRE_LINE   0x8u /* grep -x: the whole text or nothing */
#define PCRE_UCP    0x10u /* with PCRE_UTF8: \w, \d, \s and \b are Unicode's */
#define PCRE_LINES  0x20u /* the text has many lines: ^ and $ match at each of them */
#define PCRE_DOTALL 0x40u /* . matches newlines, too */
#define PCRE_GROUPS 0x80u /* pcre_group will be asked */

/* Who calls pcre_compile should have a stack of this size: it takes the deepest patterns that are allowed. */
#define PCRE_STACK ((size_t)512 << 10)

struct pcre;

/* NULL and a message when the pattern is wrong, too long or nested too deeply. */
struct pcre *pcre_compile(const struct pcre_host *host, const char *pattern, size_t n, unsigned flags,
			  char *message, size_t message_size);

struct pcre_match {
	size_t start, end;	/* start <= end, in bytes from buf */
};

/* The first match whose attempt starts at `from` or, unless it is anchored there, later; what is before counts as
 * context. 1 with *m, 0, or negative. */
int pcre_search(struct pcre *re, const char *buf, size_t len, size_t from, bool anchored, struct pcre_match *m);

/* Of the last match of a pattern compiled with PCRE_GROUPS: the i-th group, 0 for all of it; false when it took no part. */
bool pcre_group(const struct pcre *re, size_t i, struct pcre_match *m);
/* The number of a group by its name of n bytes; 0: there is none. */
size_t pcre_group_named(const struct pcre *re, const char *name, size_t n);

/* The most characters before its start that can decide about a match. */
size_t pcre_lookbehind(const struct pcre *re);

/* What GNU grep says about a negative result. */
const char *pcre_failure(int result);

#endif
