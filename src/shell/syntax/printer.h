/*
 * printer.h - what print.c and print_word.c share; nobody else includes it.
 *
 * Layer     shell/syntax, private
 */
#ifndef NACRE_SHELL_SYNTAX_PRINTER_H
#define NACRE_SHELL_SYNTAX_PRINTER_H

#include "print.h"

struct deferred {
	struct deferred *next;
	const struct redir *redir;
};

struct printer {
	struct arena *arena;
	char *buf;
	size_t len, cap;
	uint32_t indent;      /* columns */
	uint32_t skip;        /* so many commands are not indented: they go on a line */
	uint32_t in_function; /* lists are laid out one command a line */
	uint32_t connections; /* lists, chains, pipelines around us */
	bool flat;            /* an exported function: lines are indented by one blank */
	bool comsub;          /* inside $( ) */
	bool followed;        /* the next command has an operator behind it in its line */
	bool both;            /* the next command's redirections end in 2>&1: a |& b */
	bool was_heredoc;     /* bodies were printed and no ; since */
	struct deferred *deferred, **deferred_tail;
};

void put(struct printer *pr, const char *s, size_t n);
void put_str(struct printer *pr, struct str s);
void put_text(struct printer *pr, const char *s);

/* A word as written; $(…) in it are laid out anew. */
void put_word(struct printer *pr, const struct word *w);
/* The source from `raw`, whose substitutions are in the parts of `w` (which may be NULL). */
void put_source(struct printer *pr, struct str raw, const struct word *w);
void put_assign(struct printer *pr, const struct assign *a);
void put_quoted(struct printer *pr, struct str s);

/* The redirections of a command, then 2>&1 for one before |&. `space`: something precedes. */
void put_redirs(struct printer *pr, const struct redir *r, bool both, bool space);
/* Prints `op`, then the here-document bodies that wait for the end of the line. */
void put_deferred(struct printer *pr, const char *op);

/* The commands inside $( ): printed as if nothing was around them. */
void put_nested(struct printer *pr, const struct cmd *body);

#endif
