/*
 * syntax.c - what the dialects of regular expressions differ in.
 */
#include "syntax.h"

#define POSIX (SYN_CLASSES | SYN_DOT_NEWLINE | SYN_DOT_NOT_NUL | SYN_BRACES | SYN_RANGE_ORDER)
#define BASIC (POSIX | SYN_ONE_REPEAT)
#define EXTENDED_OPS                                                                               \
	(SYN_ANCHOR_ANYWHERE | SYN_BARE_BRACES | SYN_BARE_PARENS | SYN_BARE_BAR | SYN_BARE_PLUS |  \
	 SYN_CLOSE_LITERAL)
#define EXTENDED (POSIX | EXTENDED_OPS | SYN_OPS_ANYWHERE | SYN_OPS_MUST_FOLLOW)

static const uint32_t dialects[REGEX_DIALECTS] = {
        [REGEX_BRE] = BASIC,
        [REGEX_ERE] = EXTENDED,
        [REGEX_GREP] = (BASIC | SYN_NEWLINE_BAR | SYN_COLON_CHECK) &
                       ~(SYN_ONE_REPEAT | SYN_DOT_NOT_NUL),
        [REGEX_EGREP] = (EXTENDED | SYN_NEWLINE_BAR | SYN_BAD_BRACE_LITERAL | SYN_COLON_CHECK |
                         SYN_WARN_LEADING) &
                        ~(SYN_OPS_MUST_FOLLOW | SYN_DOT_NOT_NUL),
        [REGEX_SED_BRE] = (BASIC | SYN_COLON_CHECK) & ~SYN_DOT_NOT_NUL,
        [REGEX_SED_ERE] = (EXTENDED | SYN_COLON_CHECK) & ~(SYN_CLOSE_LITERAL | SYN_DOT_NOT_NUL),
        [REGEX_AWK] = (EXTENDED | SYN_LIST_ESCAPES | SYN_BAD_BRACE_LITERAL) &
                      ~(SYN_DOT_NOT_NUL | SYN_OPS_ANYWHERE | SYN_OPS_MUST_FOLLOW),
        [REGEX_POSIX_AWK] = EXTENDED | SYN_LIST_ESCAPES | SYN_NO_GNU | SYN_BAD_BRACE_LITERAL,
        [REGEX_OLD_AWK] = SYN_LIST_ESCAPES | SYN_DOT_NOT_NUL | SYN_BARE_PARENS | SYN_NO_BACKREFS |
                          SYN_BARE_BAR | SYN_BARE_PLUS | SYN_RANGE_ORDER | SYN_DOT_NEWLINE |
                          SYN_ANCHOR_ANYWHERE | SYN_CLASSES | SYN_CLOSE_LITERAL | SYN_NO_GNU,
        [REGEX_FIND] = SYN_BARE_PLUS | SYN_DOT_NEWLINE,
        [REGEX_EMACS] = SYN_BARE_PLUS,
        [REGEX_POSIX_MINIMAL] = POSIX | SYN_NO_OPS,
        [REGEX_LOOSE_BRE] = BASIC & ~(SYN_ONE_REPEAT | SYN_RANGE_ORDER),
};

uint32_t syntax_of(unsigned flags)
{
	unsigned d = flags & REGEX_DIALECT;
	uint32_t syn = d < REGEX_DIALECTS ? dialects[d] : 0;

	return flags & REGEX_STOP ? syn & ~SYN_DOT_NEWLINE : syn;
}
