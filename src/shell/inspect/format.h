/*
 * format.h - what format.c and format_simple.c share; nobody else includes it.
 *
 * Layer     shell/inspect, private
 */
#ifndef NACRE_SHELL_INSPECT_FORMAT_H
#define NACRE_SHELL_INSPECT_FORMAT_H

#include "inspect.h"
#include "text.h"

#define FORMAT_DEPTH_MAX 100u /* levels that are shown: deep nesting must not print its square */

struct formatter {
	struct text out;
	const char *src;
	uint32_t len;
	uint32_t at;    /* behind what was printed last, in the source */
	uint32_t depth; /* levels of indentation */
	const struct trivia *comment, *bodies; /* what is to come */
	struct format_style style;
	bool line_start; /* nothing is on the line yet */
	bool first;      /* nothing is in the block yet */
	bool continued;  /* the command goes on in further lines */
	const struct redir **waiting; /* here-documents of this line */
	uint32_t nwaiting, cap_waiting;
};

void format_text(struct formatter *f, const char *s);
/* Source text, taken over as it is. */
void format_source(struct formatter *f, uint32_t from, uint32_t to);
void format_reach(struct formatter *f, uint32_t at);
void format_newline(struct formatter *f);
void format_cmd(struct formatter *f, struct cmd *c);
void format_list(struct formatter *f, struct cmd *c);

/* A blank or, where the source goes on in the next line, a continued line; then the source text. */
void format_element(struct formatter *f, uint32_t from, uint32_t to);
void format_simple(struct formatter *f, struct cmd_simple *c);
/* Those of a compound command. */
void format_redirs(struct formatter *f, const struct redir *r);

#endif
