/*
 * ranges.h - lists of numbers such as "1,3-5,8-": the fields and columns of cut and numfmt.
 *
 * Layer     user
 * Errors    a malformed list ends the program as a usage error, in GNU's words
 */
#ifndef NACRE_USER_RANGES_H
#define NACRE_USER_RANGES_H

#include "user.h"

struct u_range {
	uint64_t lo, hi;	/* both included; counted from 1. hi UINT64_MAX: to the end */
};

enum u_ranges_flags {
	U_RANGES_BYTES = 1u << 0,	/* messages speak of bytes and characters, not of fields */
	U_RANGES_ALL_DASH = 1u << 1,	/* "-" alone means everything */
};

/* The ranges of `list`, sorted, those that overlap joined (neighbours are not); *n their number. */
struct u_range *u_ranges_parse(struct proc *p, const char *list, unsigned flags, size_t *n);

/* What the ranges leave out. */
struct u_range *u_ranges_complement(struct proc *p, const struct u_range *r, size_t *n);

#endif
