/*
 * scratch.h - the working memory of searches, and what the matchers say to each other.
 *
 * Layer     regex
 * Owns      nothing: grows in the arena of the caller
 * Threads   one at a time
 */
#ifndef NACRE_REGEX_SCRATCH_H
#define NACRE_REGEX_SCRATCH_H

#include "find.h"
#include "program.h"
#include "regex.h"

struct regex {
	unsigned flags;
	uint32_t groups;
	struct program program;
	struct finder find; /* literals that every match contains, if any */
	bool has_literals;
	bool literals_are_all;    /* a literal found is a match */
	bool literals_come_first; /* a match starts where a literal does */
	bool has_far;             /* but where one of `far` is, a match may do without them */
	struct byteclass far;
	struct byteclass first; /* bytes a match may start with */
	bool use_first;
	const struct regex
	        *bare; /* under REGEX_WORD, when it may match nothing: the same without it */
	struct regex_warning *warnings;
	size_t nwarnings;
};

struct dfa;
struct sim;
struct walker;

/* Matchers ask for work by this much text between checkpoints. */
#define SLICE 65536u

struct regex_scratch {
	struct arena *arena;
	const struct regex *re;
	void (*checkpoint)(void *ctx);
	void *ctx;
	size_t ticks;

	/* made on first use */
	struct dfa *exists;    /* forward from anywhere: is there a match? */
	struct dfa *lines;     /* the same, over a buffer of lines */
	struct dfa *longest;   /* forward from one place: where does the longest match end? */
	struct dfa *starts;    /* backward: where do matches start? */
	struct dfa *trace;     /* backward from the end of a match, for its sub-matches */
	struct sim *sim;       /* set by set, no automaton: for what they cannot do */
	struct walker *walker; /* sub-matches and back-references */

	/* Bit i: a match starts at marks_from + i. Learned by one backward pass. */
	uint64_t *marks;
	size_t marks_cap; /* words */
	size_t marks_from;
	const char *marks_buf;
	size_t marks_len;
	unsigned marks_flags;
	bool marks_valid;

	struct regex_scratch *bare;

	/* lines.c */
	uint16_t *line_ends; /* of a block of lines */
	uint64_t literal_hits, literal_bytes;
	bool literals_are_common;
};

/* A text to search in: what all matchers need to know about it. */
struct text {
	const unsigned char *begin, *end;
	unsigned eflags; /* REGEX_NOTBOL, REGEX_NOTEOL */
};

/* Counts n units of work and calls the checkpoint when it is time. */
static inline void scratch_tick(struct regex_scratch *s, size_t n)
{
	s->ticks += n;
	if (UNLIKELY(s->ticks >= SLICE)) {
		s->ticks = 0;
		if (s->checkpoint)
			s->checkpoint(s->ctx);
	}
}

/* What lies before and after position p: CTX_*. */
unsigned text_before(const struct program *p, const struct text *t, const unsigned char *at);
unsigned text_after(const struct program *p, const struct text *t, const unsigned char *at);

/* False inside a character of UTF-8: no match starts there. */
bool text_is_boundary(const struct program *p, const struct text *t, const unsigned char *at);

#endif
