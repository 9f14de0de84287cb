/*
 * literal.h - strings that every match of a pattern contains.
 *
 * Layer     regex
 * Threads   one at a time
 */
#ifndef NACRE_REGEX_LITERAL_H
#define NACRE_REGEX_LITERAL_H

#include "scratch.h"
#include "tree.h"

/* Works out is_nullable, exact, need and need_first of every node. */
void literals_analyse(struct tree *t, unsigned flags);

/* Gives re->find the best set of strings, if there is a good one. is_wrapped: -w or -x,
 * a string alone proves nothing. */
void literals_choose(struct regex *re, const struct tree *t, bool is_wrapped);

#endif
