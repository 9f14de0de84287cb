/*
 * parse.h - what the two halves of the parser share.
 *
 * Layer     regex; for parse.c and bracket.c only
 */
#ifndef NACRE_REGEX_PARSE_H
#define NACRE_REGEX_PARSE_H

#include "syntax.h"
#include "tree.h"

enum token_kind {
	TOK_END,
	TOK_CHAR,
	TOK_BAR,
	TOK_STAR,
	TOK_PLUS,
	TOK_QUESTION,
	TOK_OPEN_BRACE,
	TOK_CLOSE_BRACE,
	TOK_OPEN,
	TOK_CLOSE,
	TOK_BRACKET,
	TOK_DOT,
	TOK_ASSERT,
	TOK_BACKREF,
	TOK_WORD,
	TOK_NO_WORD,
	TOK_SPACE,
	TOK_NO_SPACE,
	TOK_BACKSLASH
};

struct token {
	enum token_kind kind;
	unsigned char c;          /* the byte, the escaped one after a backslash */
	enum assertion assertion; /* of TOK_ASSERT */
	const unsigned char *at;  /* where the character itself is */
};

/* An open group, or the whole pattern. */
struct level {
	struct level *up;
	struct node_list alts; /* alternatives that are complete */
	struct node_list cat;  /* the sequence being read */
	uint32_t group;
	/* Groups that back-references may name: on entry, and from the alternatives before. */
	uint32_t entry, before;
};

struct parser {
	struct tree *tree;
	const unsigned char *begin, *p, *end;
	unsigned flags;
	uint32_t syn;
	struct token tok;
	struct level *level;
	unsigned depth;
	uint32_t base;      /* groups of the patterns before this one */
	uint32_t completed; /* bits of this pattern's groups 1-9 that are closed */
	size_t number;      /* of the pattern */
	bool at_start;      /* as grep's warnings see it */
	bool bad_colon;
	enum regex_code code;
};

/* Notes the first thing that is wrong. Returns false. */
bool parse_fail(struct parser *ps, enum regex_code code);

/* [...], the parser being after the bracket; NULL on an error. */
struct node *parse_bracket(struct parser *ps);
/* A class, perhaps with the underscore, perhaps everything else. */
struct node *parse_class(struct parser *ps, enum rune_kind kind, bool underscore, bool negate);
struct node *parse_dot(struct parser *ps);

#endif
