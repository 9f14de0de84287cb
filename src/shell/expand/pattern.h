/*
 * pattern.h - shell patterns, compiled once and matched in bounded time.
 *
 * Private to this folder (others use pattern_match of expand.h).
 *
 * Layer     shell/expand
 * Owns      nothing: the proc's arena
 */
#ifndef NACRE_SHELL_EXPAND_PATTERN_H
#define NACRE_SHELL_EXPAND_PATTERN_H

#include "expand.h"

struct pattern;

/* NULL after a message (too deeply nested). Backslash quotes; the text is copied. */
const struct pattern *pattern_compile(struct expander *x, struct str text, unsigned flags);
/* True when the pattern is plain text, then *text is it. */
bool pattern_literal(const struct pattern *pat, struct str *text);

bool pattern_whole(struct expander *x, const struct pattern *pat, struct str s);
/* The prefix of s that matches: its length, or -1. */
int64_t pattern_prefix(struct expander *x, const struct pattern *pat, struct str s, bool longest);
/* The suffix of s that matches: where it starts, or -1. */
int64_t pattern_suffix(struct expander *x, const struct pattern *pat, struct str s, bool longest);
/* The leftmost longest match at or after `from`: its start (end in *end), or -1. */
int64_t pattern_find(struct expander *x, const struct pattern *pat, struct str s, size_t from,
                     size_t *end);

#endif
