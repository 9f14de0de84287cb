/*
 * program.h - a pattern as steps over bytes: what the matchers run.
 *
 * A nondeterministic automaton in the shape of code: a step reads a byte (or a character,
 * through a machine), asserts, saves a position, splits or jumps. Matchers that only want
 * to know where a match ends treat it as a set of steps; the ones that want sub-matches
 * follow it in order, the first choice of a split first.
 *
 * An "item" is a step, or a position inside the character (or word) that a step reads:
 * step | node << step_bits.
 *
 * Layer     regex
 * Owns      nothing: lives in the compilation's arena
 * Threads   any, once built
 */
#ifndef NACRE_REGEX_PROGRAM_H
#define NACRE_REGEX_PROGRAM_H

#include "machine.h"
#include "tree.h"
#include "trie.h"

#define STEPS_MAX 150000u /* beyond: "Regular expression too big" */

enum step_op {
	STEP_BYTE,    /* arg */
	STEP_SET,     /* sets[index] */
	STEP_MACHINE, /* machines[index] */
	STEP_TRIE,    /* trie */
	STEP_SPLIT,   /* x, then y; index counts the splits */
	STEP_JUMP,    /* x */
	STEP_SAVE,    /* slot `index`; arg: the close of a group right under * or ? */
	STEP_ASSERT,  /* arg */
	STEP_BACKREF, /* group `index` */
	STEP_MATCH
};

#define SPLIT_RUN 1u /* arg of a split: it repeats the single byte step that follows it */

struct step {
	uint8_t op, arg;
	uint32_t index;
	uint32_t x, y;
};

/* What may be known about the place before or after a byte. */
#define CTX_LINE 1u /* a line begins (ends) here */
#define CTX_TEXT 2u /* the text begins (ends) here */
#define CTX_WORD 4u /* the character before (after) is a word character */

struct program {
	struct step *step;
	uint32_t n;
	unsigned step_bits;
	struct byteset *sets;
	uint32_t nsets, sets_cap;
	const struct machine **machines;
	uint32_t nmachines, machines_cap;
	const struct trie *trie;
	uint32_t nsplits;
	uint32_t slots;             /* of STEP_SAVE: two a group, group 0 included */
	uint32_t *same_group;       /* [group]: another one that always has its span, or itself */
	bool is_utf8, lines_inside; /* flags: REGEX_UTF8, REGEX_ANCHORS */
	bool has_asserts, has_word_asserts, has_backrefs;
	bool reversible;      /* the backward automaton can be used */
	bool only_at_start;   /* every match starts at the start of the text */
	bool is_nullable;     /* it may match nothing, or one cannot tell */
	bool odd_start;       /* UTF-8: a match may start with a byte that continues a character,
	                       * where that byte is none; only the slower ways get this right */
	struct byteset first; /* bytes a match may start with, unless is_nullable */

	/* Bytes that no step tells apart share a class. */
	uint8_t class_of[256];
	uint8_t member[256];    /* one byte of each class */
	uint8_t class_ctx[256]; /* CTX_* of a class, newline and word */
	uint32_t nclasses;
};

/* From the tree; false (*code set) when it is too big. keep_groups: sub-matches are wanted. */
bool program_build(struct program *p, struct tree *t, unsigned flags, bool keep_groups,
                   enum regex_code *code);

/* classes.c: class_of and what belongs to it, once the steps are there. */
void program_classes(struct program *p);

static inline uint32_t item_step(const struct program *p, uint32_t item)
{
	return item & ((1u << p->step_bits) - 1);
}

static inline uint32_t item_node(const struct program *p, uint32_t item)
{
	return item >> p->step_bits;
}

/* Whether an assertion holds between a place with context `before` and one with `after`. */
static inline bool assert_holds(unsigned kind, unsigned before, unsigned after)
{
	bool w = before & CTX_WORD, n = after & CTX_WORD;

	switch (kind) {
	case ASSERT_LINE_START: return before & CTX_LINE;
	case ASSERT_LINE_END: return after & CTX_LINE;
	case ASSERT_TEXT_START: return before & CTX_TEXT;
	case ASSERT_TEXT_END: return after & CTX_TEXT;
	case ASSERT_EDGE: return w != n;
	case ASSERT_NO_EDGE: return w == n;
	case ASSERT_WORD_START: return !w && n;
	case ASSERT_WORD_END: return w && !n;
	case ASSERT_NO_WORD_BEFORE: return !w;
	case ASSERT_NO_WORD_AFTER: return !n;
	default: return false;
	}
}

#endif
