/*
 * glob.h - what the plain and the extended pattern matcher share.
 *
 * Layer     user; for glob.c and globext.c
 */
#ifndef NACRE_USER_GLOB_H
#define NACRE_USER_GLOB_H

#include "user.h"

/* The character at s (an invalid byte: a number above all characters); *len its bytes. */
uint32_t glob_char(const char *s, size_t n, unsigned flags, unsigned *len);
bool glob_same(uint32_t a, uint32_t b, unsigned flags);

/* Matches the one element at p (? [...] \x x; not *) against c: its length in the pattern, *ok the
 * result. hidden: c is a leading period that only a period matches. */
size_t glob_one(const char *p, size_t np, uint32_t c, bool hidden, unsigned flags, bool *ok);

/* True when s[i] is a period that wildcards must not match. */
bool glob_hidden(const char *s, size_t i, unsigned flags);

#endif
