/*
 * utf8.h - characters in bytes: decode, encode, widths, classes, case.
 *
 * Layer     base
 * Threads   any
 */
#ifndef NACRE_BASE_UTF8_H
#define NACRE_BASE_UTF8_H

#include "base.h"

#define UTF8_BAD UINT32_MAX

/* The character at s (n > 0 bytes left); *len its bytes. An invalid byte: UTF8_BAD, length 1.
 * Overlong forms, surrogates and values above 0x10ffff are invalid. */
uint32_t utf8_decode(const char *s, size_t n, unsigned *len);
/* Bytes put in buf (1-4; up to 6 for values bash and printf accept above 0x10ffff). */
unsigned utf8_encode(uint32_t c, char buf[6]);
/* Characters in n bytes; an invalid byte counts as one. */
size_t utf8_count(const char *s, size_t n);
/* The byte offset of character `i` (n when there are fewer). */
size_t utf8_offset(const char *s, size_t n, size_t i);

/* Columns: 0 combining, 1, 2 wide, -1 control, as wcwidth. */
int utf8_width(uint32_t c);
size_t utf8_columns(const char *s, size_t n);

uint32_t utf8_tolower(uint32_t c);
uint32_t utf8_toupper(uint32_t c);

/* Classes of isw*(): alpha alnum upper lower digit xdigit space blank punct print graph cntrl. */
enum utf8_class {
	UTF8_ALPHA, UTF8_ALNUM, UTF8_UPPER, UTF8_LOWER, UTF8_DIGIT, UTF8_XDIGIT, UTF8_SPACE, UTF8_BLANK, UTF8_PUNCT,
	UTF8_PRINT, UTF8_GRAPH, UTF8_CNTRL, UTF8_NCLASSES,
};
bool utf8_is(uint32_t c, enum utf8_class k);
/* "alpha" -> UTF8_ALPHA; -1 for an unknown name. */
int utf8_class_named(const char *name, size_t n);

#endif
