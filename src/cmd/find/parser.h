/*
 * parser.h - what the grammar of find (parse.c) and its tests and actions (primary.c) share.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_FIND_PARSER_H
#define NACRE_CMD_FIND_PARSER_H

#include "find.h"

struct find_parser {
	struct find *f;
	char **argv;
	int argc, at;
	bool acted;		/* an action that suppresses the default -print */
	bool depth_needed;	/* -delete */
	bool pruned;
	const char *last;	/* the last word that was understood, for a pattern after it the shell has expanded */
	const char *first;	/* the first test or action, which global options should come before */
};

struct find_node *find_node_new(struct find_parser *s, enum find_kind kind);
/* The argument of the word `name`, or the end. */
const char *find_argument(struct find_parser *s, const char *name);
/* The test or action `name`; NULL when there is none. */
struct find_node *find_primary(struct find_parser *s, const char *name) MAY_SUSPEND;
void find_regextype(struct find_parser *s);

#endif
