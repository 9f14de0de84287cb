/*
 * words.h - arguments that are one of a few words: --color=auto, --sort=time.
 *
 * Layer     user
 * Errors    an unknown or ambiguous word ends the program with GNU's list of valid ones
 */
#ifndef NACRE_USER_WORDS_H
#define NACRE_USER_WORDS_H

#include "user.h"

struct u_word {
	const char *name;
	int value;
};

/* The value of the word `arg`, which may be cut where that is unambiguous (words of the same value are
 * the same), for the option called `option` ("--color") in messages. The program ends with status 1 otherwise. */
int u_word_or_die(struct proc *p, const char *option, const char *arg, const struct u_word *words,
		  size_t n);

/* The same test without a message: false when there is no such word. */
bool u_word_find(const char *arg, const struct u_word *words, size_t n, int *value, bool *ambiguous);

#endif
