/*
 * walk.h - every command of a tree in source order: those of functions, branches and substitutions too.
 *
 * Layer     shell/inspect, private
 */
#ifndef NACRE_SHELL_INSPECT_WALK_H
#define NACRE_SHELL_INSPECT_WALK_H

#include "../../base/arena.h"
#include "../syntax/ast.h"

struct walk {
	struct arena *arena; /* for rows that lean left without bound */
	void (*command)(struct walk *w, const struct cmd_simple *c);     /* before what is inside its words */
	void (*function)(struct walk *w, const struct cmd_function *f);  /* before its body; may be NULL */
	void (*redirection)(struct walk *w, const struct redir *r, const struct cmd *of);
	void (*file)(struct walk *w, const struct word *name); /* $(< name) */
};

void walk_cmd(struct walk *w, const struct cmd *c);

#endif
