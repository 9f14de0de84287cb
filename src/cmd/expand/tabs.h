/*
 * tabs.h - lists of tab stops, as expand and unexpand take them.
 *
 * Layer     cmd
 * Errors    a malformed list ends the program in GNU's words
 */
#ifndef NACRE_CMD_EXPAND_TABS_H
#define NACRE_CMD_EXPAND_TABS_H

#include "../cmd.h"

struct tabs {
	uint64_t *stop;		/* ascending */
	size_t n, cap;
	uint64_t every;		/* distance of all stops; 0: those listed count */
	uint64_t extend;	/* /N: after the last stop, multiples of N */
	uint64_t increment;	/* +N: after the last stop, N further each */
};

/* Adds the stops of a list: numbers after commas or blanks, the last one perhaps with / or + in front. */
void tabs_parse(struct proc *p, struct tabs *t, const char *list);
void tabs_add(struct proc *p, struct tabs *t, uint64_t stop);
/* To be called once after all options. */
void tabs_finish(struct proc *p, struct tabs *t);

/* The stop after `column`, UINT64_MAX when there is none. *index is where in the list the line is; 0 at its start. */
uint64_t tabs_next(const struct tabs *t, uint64_t column, size_t *index);

#endif
