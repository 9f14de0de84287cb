/*
 * sim.h - the program run as a set of steps, without an automaton.
 *
 * Slower than the automata, but it looks at the text itself: it answers where they
 * quit (a word boundary beside a character beyond ASCII) or do not apply.
 *
 * Layer     regex
 * Threads   one at a time
 */
#ifndef NACRE_REGEX_SIM_H
#define NACRE_REGEX_SIM_H

#include "scratch.h"

struct sim_found {
	const unsigned char *start, *end;
};

/* The leftmost-longest match that starts at `at`, or later unless `anchored`. With f NULL only
 * whether there is one. */
bool sim_search(struct regex_scratch *s, const struct text *t, const unsigned char *at,
                bool anchored, struct sim_found *f);

#endif
