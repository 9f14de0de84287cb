/*
 * answers.h - a thread that answers what tests ask for, oldest first: completions come from another thread.
 *
 * Layer     tests/api: include/nacre only
 * Threads   answers_ask from any
 */
#ifndef NACRE_TESTS_API_ANSWERS_H
#define NACRE_TESTS_API_ANSWERS_H

#include <nacre/nacre.h>

/* Starts the thread; at most `size` questions at one time. False: it could not be. */
bool answers_start(size_t size);
/* answer(subject, result) is called by the thread. */
void answers_ask(void (*answer)(void *subject, int64_t result), void *subject, int64_t result);
/* An answer for a command that prints its first argument. */
void answers_echo(void *inv, int64_t ignored);
/* Answers what is left, ends the thread: how many there were. */
unsigned long answers_stop(void);

#endif
