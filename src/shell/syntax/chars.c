/*
 * chars.c - what each byte may mean to the lexer.
 */
#include "syntax.h"

#define B C_DELIM
#define Q (C_QUOTE | C_DQ)
#define N C_NAME

/* clang-format off */
const uint8_t char_class[256] = {
	[' '] = B, ['\t'] = B, ['\n'] = B, ['|'] = B, ['&'] = B, [';'] = B,
	['('] = B, [')'] = B, ['<'] = B, ['>'] = B,
	['\\'] = Q, ['"'] = Q, ['`'] = Q, ['$'] = Q, ['\''] = C_QUOTE,
	['*'] = C_GLOB, ['?'] = C_GLOB, ['['] = C_GLOB | C_MARK, [']'] = C_MARK,
	['='] = C_SPECIAL | C_MARK, ['~'] = C_SPECIAL, ['{'] = C_SPECIAL,
	['}'] = C_MARK, ['/'] = C_MARK,
	['0'] = N, ['1'] = N, ['2'] = N, ['3'] = N, ['4'] = N, ['5'] = N, ['6'] = N, ['7'] = N,
	['8'] = N, ['9'] = N, ['_'] = N,
	['a'] = N, ['b'] = N, ['c'] = N, ['d'] = N, ['e'] = N, ['f'] = N, ['g'] = N, ['h'] = N,
	['i'] = N, ['j'] = N, ['k'] = N, ['l'] = N, ['m'] = N, ['n'] = N, ['o'] = N, ['p'] = N,
	['q'] = N, ['r'] = N, ['s'] = N, ['t'] = N, ['u'] = N, ['v'] = N, ['w'] = N, ['x'] = N,
	['y'] = N, ['z'] = N,
	['A'] = N, ['B'] = N, ['C'] = N, ['D'] = N, ['E'] = N, ['F'] = N, ['G'] = N, ['H'] = N,
	['I'] = N, ['J'] = N, ['K'] = N, ['L'] = N, ['M'] = N, ['N'] = N, ['O'] = N, ['P'] = N,
	['Q'] = N, ['R'] = N, ['S'] = N, ['T'] = N, ['U'] = N, ['V'] = N, ['W'] = N, ['X'] = N,
	['Y'] = N, ['Z'] = N,
};
/* clang-format on */
