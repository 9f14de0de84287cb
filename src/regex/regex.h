/*
 * regex.h - regular expressions as GNU's tools understand them, safe against hostile ones.
 *
 * Every tool that takes a pattern (grep, sed, awk, expr, find, nl, csplit, the shell's
 * `=~`) uses this engine. Matches are leftmost-longest, sub-matches are those of glibc,
 * time is linear in the text whatever the pattern, except for back-references, which
 * run under a step budget and report when it is spent.
 *
 *	re = regex_compile(arena, pattern, n, REGEX_SED_ERE | REGEX_UTF8, &err);
 *	if (!re) complain(err.message);
 *	s = regex_scratch_new(arena, re, checkpoint, ctx);
 *	r = regex_search(re, s, buf, len, 0, 0, spans, COUNTOF(spans));
 *	if (r < 0) complain(regex_failure(r));
 *
 * A `struct regex` never changes after its compilation and may be shared; all that
 * changes while matching (lazily built automata, stacks) is in a `struct regex_scratch`,
 * which serves one search at a time.
 *
 * Layer     regex; includes base/ only
 * Owns      nothing: both objects live in the caller's arena
 * Threads   a regex may be read by many; a scratch by one
 * Suspends  only inside the checkpoint the caller supplies
 * Errors    compilation: NULL and a regex_error; matching: negative, see regex_failure
 */
#ifndef NACRE_REGEX_H
#define NACRE_REGEX_H

#include "../base/arena.h"
#include "../base/base.h"

/* ---- What a pattern means --------------------------------------------- */

/* The syntax: one of these in the low bits of `flags`. */
enum regex_dialect {
	REGEX_BRE,     /* regcomp() without REG_EXTENDED: less. (csplit, tac and find also want
	                * REGEX_ANCHORS: GNU's re_compile_pattern sets it) */
	REGEX_ERE,     /* regcomp() with REG_EXTENDED: the shell's =~ */
	REGEX_LITERAL, /* every byte means itself: grep -F */
	REGEX_GREP,    /* grep, grep -G */
	REGEX_EGREP,   /* grep -E; find -regextype egrep */
	REGEX_SED_BRE, /* sed */
	REGEX_SED_ERE, /* sed -E */
	REGEX_AWK,     /* gawk, after its own escapes were replaced; find's gnu-awk */
	REGEX_POSIX_AWK,     /* find -regextype posix-awk */
	REGEX_OLD_AWK,       /* find -regextype awk */
	REGEX_FIND,          /* find -regex as it comes (findutils-default) */
	REGEX_EMACS,         /* find -regextype emacs; tac */
	REGEX_POSIX_MINIMAL, /* find -regextype posix-minimal-basic: BRE without \+ \? \| */
	REGEX_LOOSE_BRE,     /* expr, nl, csplit: a** and \{1\} at the start are fine, [b-a] is empty */
	REGEX_DIALECTS       /* find's ed, sed, posix-basic: REGEX_BRE; posix-extended: REGEX_ERE;
	                      * grep: REGEX_GREP; egrep, posix-egrep: REGEX_EGREP */
};
#define REGEX_DIALECT 0x1fu

#define REGEX_ICASE   0x000020u /* upper and lower case are the same */
#define REGEX_UTF8    0x000040u /* characters are UTF-8; else each byte is one (C locale) */
#define REGEX_NOSUB   0x000080u /* nobody will ask for sub-matches: spans[0] at most */
#define REGEX_ANCHORS 0x000100u /* ^ and $ also match around a newline inside the text */
#define REGEX_STOP    0x000200u /* . and [^x] do not match a newline */
#define REGEX_NEWLINE (REGEX_ANCHORS | REGEX_STOP) /* regcomp's REG_NEWLINE, sed's M */
#define REGEX_WORD    0x000400u /* grep -w: no word character right before or after */
#define REGEX_LINE    0x000800u /* grep -x: the whole text or nothing */
#define REGEX_WARN    0x001000u /* collect warnings as GNU grep prints them */
#define REGEX_SLOW    0x002000u /* for tests: no literal prefilter, no automaton */
#define REGEX_NODFA   0x004000u /* for tests: literals but no automaton */
#define REGEX_NOLIT   0x008000u /* for tests: automata but no prefilter */

enum regex_code {
	REGEX_OK,
	REGEX_ECOLLATE, /* "Invalid collation character" */
	REGEX_ECTYPE,   /* "Invalid character class name" */
	REGEX_EESCAPE,  /* "Trailing backslash" */
	REGEX_ESUBREG,  /* "Invalid back reference" */
	REGEX_EBRACK,   /* "Unmatched [, [^, [:, [., or [=" */
	REGEX_EPAREN,   /* "Unmatched ( or \\(" */
	REGEX_EBRACE,   /* "Unmatched \\{" */
	REGEX_BADBR,    /* "Invalid content of \\{\\}" */
	REGEX_ERANGE,   /* "Invalid range end" */
	REGEX_BADRPT,   /* "Invalid preceding regular expression" */
	REGEX_ESIZE,    /* "Regular expression too big" */
	REGEX_ERPAREN,  /* "Unmatched ) or \\)" */
	REGEX_BADPAT,   /* "Invalid regular expression": a pattern that ends after [ or [^ */
	REGEX_ECLASS    /* "character class syntax is [[:space:]], not [:space:]": grep and sed */
};

struct regex_error {
	enum regex_code code;
	const char *message; /* GNU's words, without program name; static */
	size_t pattern;      /* which of a set, from 0 */
};

/* GNU's message for a code. */
const char *regex_message(enum regex_code code);

struct regex_warning {
	const char *text; /* as grep prints it after "grep: warning: " */
	size_t pattern;   /* which of a set, from 0 */
};

struct regex;

/* ---- Compilation ------------------------------------------------------ */

/* The pattern of n bytes (NULs allowed). NULL and *err when it is wrong or too big.
 * err may be NULL. The pattern need not outlive the call. */
struct regex *regex_compile(struct arena *a, const char *pattern, size_t n, unsigned flags,
                            struct regex_error *err);

/* Matches what any of n patterns matches; groups and back-references are each
 * pattern's own, and only spans[0] is reported. Thousands of literals are fine. n == 0 matches
 * nothing. */
struct regex *regex_compile_set(struct arena *a, const struct str *patterns, size_t n,
                                unsigned flags, struct regex_error *err);

/* Number of parenthesised groups, the whole match not counted. */
unsigned regex_groups(const struct regex *re);

/* True when matching may fail with a negative result: there are back-references, or groups whose
 * spans may be asked for. */
bool regex_may_fail(const struct regex *re);

/* The warnings collected under REGEX_WARN, in order; *n is their number. */
const struct regex_warning *regex_warnings(const struct regex *re, size_t *n);

/* ---- Matching --------------------------------------------------------- */

struct regex_scratch;

/* Working memory for searches with `re`. Grows as needed, from `a`, to a bound.
 * `checkpoint` (may be NULL) is called with `ctx` about every 64 KiB of text or
 * some thousand steps; it may suspend, or never return. */
struct regex_scratch *regex_scratch_new(struct arena *a, const struct regex *re,
                                        void (*checkpoint)(void *ctx), void *ctx);

#define REGEX_UNSET SIZE_MAX

struct regex_span {
	size_t start,
	        end; /* [start, end) in bytes from buf; both REGEX_UNSET if no part in the match */
};

/* eflags */
#define REGEX_NOTBOL   1u /* the start of the text is not the start of a line */
#define REGEX_NOTEOL   2u /* nor its end the end of one */
#define REGEX_ANCHORED 4u /* the match must start at `from` (expr, find -regex) */
#define REGEX_SAME                                                                                 \
	8u /* the text is the same, unchanged, as in the last search with this scratch:            \
	    * what was learned about it may be used again (the loops of s///g, grep -o) */

/* Results below zero */
#define REGEX_TOO_HARD (-1) /* back-references: the step budget is spent */
#define REGEX_TOO_LONG (-2) /* sub-matches of so long a match need more memory than allowed */

/* The leftmost-longest match in buf[0..len) that starts at `from` or later. What is before `from`
 * counts as context: ^ does not match at `from` unless it would there anyway.
 * 1 with spans[0] the match, spans[i] the i-th group (further ones REGEX_UNSET);
 * 0 without a match; negative on failure. buf needs no terminator.
 * nspans may be 0: is there a match? As in GNU grep, the answer can then be 1 where no match is to be
 * had: under REGEX_WORD without REGEX_UTF8, of a pattern that may be empty, any place between two
 * bytes that are no word's makes it so, even where a longer match without REGEX_WORD starts. */
int regex_search(const struct regex *re, struct regex_scratch *s, const char *buf, size_t len,
                 size_t from, unsigned eflags, struct regex_span *spans, size_t nspans);

/* What to tell the user about a negative result. */
const char *regex_failure(int result);

/* ---- Whole buffers of lines ------------------------------------------- */

/* Each line (ended by `delim`, the last one perhaps by the buffer's end) is a text of its own.
 * Finds up to `max` (at least 1) lines that contain a match, in order, from the start of buf:
 * lines[i] spans the line without its delimiter. Returns their number or a failure.
 * *done is set to where to go on: everything before it is examined, it is the start of
 * a line or len; *done == len when the buffer is finished. */
int64_t regex_find_lines(const struct regex *re, struct regex_scratch *s, const char *buf,
                         size_t len, char delim, struct regex_span *lines, size_t max,
                         size_t *done);

/* How many lines of buf contain a match, or a failure. */
int64_t regex_count_lines(const struct regex *re, struct regex_scratch *s, const char *buf,
                          size_t len, char delim);

#endif
