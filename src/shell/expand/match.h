/*
 * match.h - what ${x#p}, ${x%p} and ${x/p/r} do to one text.
 *
 * Layer     shell/expand, private
 * Owns      nothing: the proc's arena
 */
#ifndef NACRE_SHELL_EXPAND_MATCH_H
#define NACRE_SHELL_EXPAND_MATCH_H

#include "pattern.h"

/* Without the prefix or suffix that matches. */
struct str match_remove(struct expander *x, const struct pattern *pat, struct str s,
                        const struct param *param);

/* Replaces the first match, or all. NUL bytes in `repl` stand for the match. */
bool match_replace(struct expander *x, const struct pattern *pat, struct str *s,
                   struct str repl, const struct param *param, bool empty_end);

#endif
