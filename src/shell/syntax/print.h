/*
 * print.h - from the tree back to shell source.
 *
 * The layout is bash's, because scripts see it: `declare -f`, `type`, exported functions,
 * the job table. What is printed parses to the same tree.
 *
 * Layer     shell/syntax; includes base
 * Owns      nothing: the text is in the arena
 * Suspends  no
 */
#ifndef NACRE_SHELL_SYNTAX_PRINT_H
#define NACRE_SHELL_SYNTAX_PRINT_H

#include "../../base/arena.h"
#include "ast.h"

/* "name () \n{ \n    …\n}" without a last newline, as `declare -f` prints it. */
struct str print_function(struct arena *arena, const struct cmd_function *f);

/* "() {  …\n}", as it is in the environment of a child. */
struct str print_exported(struct arena *arena, const struct cmd_function *f);

/* One command on as few lines as possible, as in the job table and $BASH_COMMAND. */
struct str print_command(struct arena *arena, const struct cmd *cmd);

/* Source text of a word, as written except that $(…) inside is laid out anew. */
struct str print_word(struct arena *arena, const struct word *w);

/* 's in one quoted word: 'it'\''s'. As bash quotes for $'…' it has read. */
struct str print_quoted(struct arena *arena, struct str s);

#endif
