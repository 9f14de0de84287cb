/*
 * tr.h - the sets of tr: ARRAY1 and ARRAY2 as written, and as the bytes they stand for.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_TR_TR_H
#define NACRE_CMD_TR_TR_H

#include "../cmd.h"

enum tr_kind { TR_CHAR, TR_RANGE, TR_CLASS, TR_EQUIVALENCE, TR_REPEAT };

struct tr_element {
	enum tr_kind kind;
	unsigned char c, last;	/* TR_RANGE: c to last */
	int class;		/* TR_CLASS: enum utf8_class */
	uint64_t count;		/* TR_REPEAT; 0: as many as needed */
};

struct tr_set {
	struct tr_element *v;
	size_t n;
	uint64_t length;	/* bytes it stands for */
	bool has_class, has_equivalence;
	bool has_other_class;	/* one that is neither upper nor lower */
	size_t indefinite;	/* number of [c*] */
};

/* Parses an array; errors end the program. */
void tr_parse(struct proc *p, const char *text, struct tr_set *set);

/* Whether the class (enum utf8_class) has the byte. */
bool tr_in_class(int class, unsigned char c);

/* Walks a set byte by byte. */
struct tr_walk {
	const struct tr_set *set;
	size_t i;		/* element */
	uint64_t done;		/* bytes of it given */
	int next;		/* TR_CLASS: where to look on */
};

/* The next byte, -1 at the end; *is_first: it begins an element; *class: UTF8_UPPER or UTF8_LOWER inside
 * such a class, else -1. */
int tr_next(struct tr_walk *w, bool *is_first, int *class);
/* To the next element. */
void tr_skip(struct tr_walk *w);

#endif
