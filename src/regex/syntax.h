/*
 * syntax.h - what the dialects of regular expressions differ in.
 *
 * GNU's tools describe a dialect by a set of switches; these are the ones that have an
 * effect here, named for what they do.
 *
 * Layer     regex
 * Threads   any
 */
#ifndef NACRE_REGEX_SYNTAX_H
#define NACRE_REGEX_SYNTAX_H

#include "regex.h"

#define SYN_BARE_PARENS       0x000001u /* ( ) group, \( \) are literal */
#define SYN_BARE_BRACES       0x000002u /* { } repeat */
#define SYN_BARE_BAR          0x000004u /* | is "or" */
#define SYN_BARE_PLUS         0x000008u /* + ? repeat */
#define SYN_NO_OPS            0x000010u /* neither + ? | nor their escaped forms */
#define SYN_BRACES            0x000020u /* there are intervals */
#define SYN_ANCHOR_ANYWHERE   0x000040u /* ^ and $ are anchors everywhere */
#define SYN_OPS_ANYWHERE      0x000080u /* a repetition without operand is skipped ... */
#define SYN_OPS_MUST_FOLLOW   0x000100u /* ... or wrong ... */
#define SYN_ONE_REPEAT        0x000200u /* as is a second one; the first is literal */
#define SYN_BAD_BRACE_LITERAL 0x000400u /* { that opens no interval is literal */
#define SYN_CLOSE_LITERAL     0x000800u /* an unmatched ) is literal */
#define SYN_NO_BACKREFS       0x001000u
#define SYN_NO_GNU            0x002000u /* no \w \< \` ... */
#define SYN_LIST_ESCAPES      0x004000u /* \ quotes inside brackets */
#define SYN_CLASSES           0x008000u /* [:alpha:] */
#define SYN_RANGE_ORDER       0x010000u /* [b-a] is an error, else empty */
#define SYN_DOT_NEWLINE       0x020000u /* . matches newline */
#define SYN_DOT_NOT_NUL       0x040000u /* . does not match NUL */
#define SYN_NEWLINE_BAR       0x080000u /* a newline in the pattern is "or" */
#define SYN_COLON_CHECK       0x100000u /* [:space:] without outer brackets is an error */
#define SYN_WARN_LEADING      0x200000u /* "* at start of expression" is worth a warning */

/* The switches of the dialect in `flags`. */
uint32_t syntax_of(unsigned flags);

#endif
