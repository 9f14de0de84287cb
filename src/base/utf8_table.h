/*
 * utf8_table.h - the generated tables behind utf8.c.
 *
 * Layer     base; for utf8.c and utf8_table.c only
 */
#ifndef NACRE_BASE_UTF8_TABLE_H
#define NACRE_BASE_UTF8_TABLE_H

#include "base.h"

#define UTF8_PAGE 128u

struct utf8_prop {
	uint16_t classes;	/* 1 << enum utf8_class */
	int8_t width;
};

struct utf8_case {
	int32_t lower, upper;	/* distances */
};

extern const struct utf8_prop utf8_prop[];
extern const uint8_t utf8_prop_index[];
extern const uint8_t utf8_prop_page[];
extern const struct utf8_case utf8_case[];
extern const uint8_t utf8_case_index[];
extern const uint8_t utf8_case_page[];

#endif
