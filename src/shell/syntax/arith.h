/*
 * arith.h - arithmetic expressions, from text to tree.
 *
 * Used twice: by the parser on what stands in a script, and at run time on text that only
 * expansion produced (values of variables are expressions too). Evaluation is not here.
 *
 * Layer     shell/syntax; includes base
 * Owns      nothing: the arena does
 * Suspends  no
 * Errors    in `error` and `error_token` of the result, in bash's words
 */
#ifndef NACRE_SHELL_SYNTAX_ARITH_H
#define NACRE_SHELL_SYNTAX_ARITH_H

#include "../../base/arena.h"
#include "ast.h"

#define ARITH_DEPTH_MAX 64u /* nested parentheses, unary operators and the like */

/* Parses `text`, in which nothing is to be expanded any more. Never NULL: an error is in the
 * result. `text` must outlive it. `room` is how much stack it may use. */
struct arith *arith_parse(struct arena *arena, struct str text, size_t room);

/*
 * As bash reads a number: decimal, 0octal, 0xhex, base#digits; wraps on overflow.
 * False with *error set to bash's message when the digits do not fit the base.
 */
bool arith_number(struct str s, int64_t *value, const char **error);

#endif
