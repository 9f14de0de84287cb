/*
 * escape.h - backslash escapes, as far as echo and printf share them.
 *
 * Layer     user; for echo.c and printf.c
 */
#ifndef NACRE_USER_ESCAPE_H
#define NACRE_USER_ESCAPE_H

#include "user.h"

/* The value of a digit, -1 when it is none in that base (8 or 16). */
int escape_digit(char c, int base);
/* Up to max digits of n bytes at s; how many there were. */
size_t escape_number(const char *s, size_t n, int base, size_t max, uint32_t *v);
/* What \c means for the letters a b e f n r t v and the backslash; 0 for others. */
char escape_letter(char c);
/* A character as UTF-8. */
void escape_put_char(struct u_buf *b, uint32_t c);

#endif
