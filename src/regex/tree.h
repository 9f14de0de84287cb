/*
 * tree.h - a parsed pattern.
 *
 * Sequences and alternatives are lists, so depth comes from groups and repetitions only;
 * every pass over the tree is still a loop, never a recursion: a hostile pattern may nest
 * as deep as it is long. `made` links all nodes in the order of their making, children
 * before parents.
 *
 * Layer     regex
 * Owns      nothing: nodes live in the compilation's arena
 * Threads   one at a time
 */
#ifndef NACRE_REGEX_TREE_H
#define NACRE_REGEX_TREE_H

#include "machine.h"
#include "regex.h"

enum node_kind {
	NODE_EMPTY,
	NODE_BYTE,    /* byte */
	NODE_SET,     /* set */
	NODE_MACHINE, /* machine */
	NODE_TRIE,    /* trie */
	NODE_ASSERT,  /* assert */
	NODE_BACKREF, /* group */
	NODE_CAT,     /* child, its next, ... */
	NODE_ALT,     /* child, its next, ... */
	NODE_REPEAT,  /* child, min, max (-1: no end) */
	NODE_GROUP    /* child, group */
};

enum assertion {
	ASSERT_LINE_START, /* ^ */
	ASSERT_LINE_END,   /* $ */
	ASSERT_TEXT_START, /* \` */
	ASSERT_TEXT_END,   /* \' */
	ASSERT_EDGE,       /* \b */
	ASSERT_NO_EDGE,    /* \B */
	ASSERT_WORD_START, /* \< */
	ASSERT_WORD_END,   /* \> */
	ASSERT_NO_WORD_BEFORE,
	ASSERT_NO_WORD_AFTER
};

struct literals;
struct trie;

struct node {
	uint8_t kind;
	uint8_t byte;
	uint8_t assert;
	bool is_pair;     /* the two cases of the ASCII letter `byte` (lower); in a NODE_MACHINE
	                   * others beyond ASCII too */
	bool is_nullable; /* may match nothing */
	bool has_groups;  /* a group is inside (or it is one) */
	uint32_t group;
	int32_t min, max;
	const struct byteset *set;
	const struct machine *machine;
	const struct trie *trie;
	struct node *child, *next, *made;
	size_t size;            /* steps of program, saturating */
	struct literals *exact; /* all that it matches, when few; literal.c */
	struct literals *need;  /* one of these is in every match */
	bool need_first;        /* ... at its start */
};

struct tree {
	struct arena *arena;
	struct node *root;
	struct node *first, *last; /* in order of making */
	uint32_t groups;           /* of all patterns together */
	bool has_backrefs;
	struct regex_warning *warnings;
	size_t nwarnings, warnings_cap;
};

struct node *tree_node(struct tree *t, enum node_kind kind);
struct node *tree_byte(struct tree *t, unsigned byte);
struct node *tree_assert(struct tree *t, enum assertion a);
/* A node for a set of characters: the simplest that will do. NULL when too big. */
struct node *tree_runes(struct tree *t, struct runes *s);
/* The node for one literal character, or byte that is none, at p; *len is set. */
struct node *tree_char(struct tree *t, const unsigned char *p, const unsigned char *end,
                       unsigned flags, unsigned *len);

/* Nodes on the way to become a NODE_CAT or NODE_ALT. */
struct node_list {
	struct node *head, *tail;
	size_t n;
};

void node_list_add(struct node_list *l, struct node *n);
/* One node for the list: NODE_EMPTY, the only one, or a new one of `kind` around them. */
struct node *node_list_wrap(struct tree *t, struct node_list *l, enum node_kind kind);

/* ---- Parsing (parse.c) ------------------------------------------------ */

/* Parses one pattern of a set into a node, or sets *code. */
struct node *tree_parse(struct tree *t, const char *pattern, size_t n, unsigned flags,
                        size_t number, enum regex_code *code);

#endif
