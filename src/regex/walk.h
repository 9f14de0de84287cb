/*
 * walk.h - one path through the program: sub-matches and back-references.
 *
 * Layer     regex
 * Threads   one at a time
 */
#ifndef NACRE_REGEX_WALK_H
#define NACRE_REGEX_WALK_H

#include "scratch.h"

/* Fills spans[1..nspans) for the known match [start, end): the path a greedy walk takes that
 * ends there, first choices first. 1, or REGEX_TOO_LONG. */
int walk_groups(struct regex_scratch *s, const struct text *t, const unsigned char *start,
                const unsigned char *end, struct regex_span *spans, size_t nspans);

/* The leftmost-longest match of a program with back-references, and its groups.
 * 1, 0, or a failure. */
int walk_search(struct regex_scratch *s, const struct text *t, const unsigned char *at,
                bool anchored, struct regex_span *spans, size_t nspans);

#endif
