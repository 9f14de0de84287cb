/*
 * dfa.h - the program as an automaton whose states are made when they are first met.
 *
 * Layer     regex
 * Owns      nothing: grows in the scratch's arena, within DFA_BUDGET
 * Threads   one at a time
 */
#ifndef NACRE_REGEX_DFA_H
#define NACRE_REGEX_DFA_H

#include "scratch.h"

#define DFA_BUDGET (256u << 10)

enum dfa_kind {
	DFA_EXISTS,  /* a match may start anywhere; stops at the first end of one */
	DFA_LINES,   /* the same; each line is a text of its own */
	DFA_LONGEST, /* the match starts where the run does; tells every end */
	DFA_STARTS,  /* backward, a match may end anywhere; tells every start */
	DFA_TRACE    /* backward from the end of a match; its states are what can still reach it */
};

/* A state's number times the row length; below DFA_FIRST rows: */
#define DFA_UNKNOWN 0u /* not yet computed */
#define DFA_DEAD    1u /* nothing can match any more */
#define DFA_FOUND   2u /* there is a match (exists, lines) */
#define DFA_QUIT    3u /* depends on a character beyond ASCII: ask the simulation */
#define DFA_FIRST   4u
#define DFA_MARK    0x80000000u /* in a transition: a match ends (starts) before this byte */

struct dfa_state {
	uint32_t item, n; /* its items in the pool */
	uint8_t before;   /* context of the place */
};

struct dfa {
	const struct program *p;
	struct regex_scratch *s;
	enum dfa_kind kind;
	unsigned char delim; /* of lines */
	uint32_t row;   /* entries of a state: classes, end of text, end that is no end of line */
	uint32_t *next; /* the transitions */
	uint32_t nstates, states_cap, states_max;
	struct dfa_state *state;
	uint32_t *pool;
	size_t pool_n, pool_cap, pool_max;
	uint32_t *hash;
	uint32_t hash_cap;
	uint32_t start[8];      /* state by context, or 0 */
	uint32_t *in_from, *in; /* backward: steps that lead to a step */
	uint32_t *seen, seen_mark;
	uint32_t *reached, *todo;
	uint32_t *kernel;
	size_t kernel_cap;
	uint64_t flushes, built;
	/* DFA_LINES: most bytes may leave one state as it is; then the others are looked for. */
	uint32_t idle;         /* that state (times row), or 0 */
	struct byteclass wake; /* the bytes that lead out of it */
	bool idle_known, never_idle;
	uint64_t **alive; /* DFA_TRACE: [state * 8 + context]: steps that can reach the end */
	uint32_t alive_cap;
	size_t alive_size;
	uint64_t idle_bytes, idle_runs, idle_total; /* skipped; how often; and read in all */
};

struct dfa *dfa_new(struct regex_scratch *s, enum dfa_kind kind);

/* The state (times row) to start from with this context. */
uint32_t dfa_start(struct dfa *d, unsigned before);

/* Computes the transition of state `from` (times row) on a class: the entry. May flush all
 * states, which d->flushes tells; the entry is good in any case. */
uint32_t dfa_step(struct dfa *d, uint32_t from, uint32_t class);

/* Class of the end of the text. */
static inline uint32_t dfa_end_class(const struct dfa *d, unsigned eflags)
{
	return d->p->nclasses + (eflags & REGEX_NOTEOL ? 1 : 0);
}

/* The longest match from `at`: its end, NULL for none; *quit when it cannot tell. *work
 * grows by the bytes read. */
const unsigned char *dfa_longest(struct dfa *d, const struct text *t, const unsigned char *at,
                                 size_t *work, bool *quit);

/* 1 when a match starts at `at` or later, 0, or -1 when it cannot tell. */
int dfa_exists(struct dfa *d, const struct text *t, const unsigned char *at);

/* DFA_LINES: p is the start of a line. A place in the first line with a match: the byte, perhaps
 * the delimiter or `end`, that proves it; NULL without one. *quit: that line is to be asked
 * about otherwise. */
const unsigned char *dfa_next_line(struct dfa *d, const unsigned char *p, const unsigned char *end,
                                   bool *quit);

/* DFA_LINES: prepares skipping; false when it is no use. */
bool dfa_can_idle(struct dfa *d);

/* Sets the scratch's marks for all starts from `at` on. False when it cannot tell. */
bool dfa_mark_starts(struct dfa *d, const struct text *t, const unsigned char *at);

/* DFA_TRACE: runs from `end` back to `start`; state[i] is the one at start + i. False when it
 * cannot tell, or not within its budget. */
bool dfa_trace(struct dfa *d, const struct text *t, const unsigned char *start,
               const unsigned char *end, uint32_t *state);

/* A bit for every step that, in this traced state, can reach the end. `before` is the context
 * of the place. NULL when that would need too much memory. */
const uint64_t *dfa_alive(struct dfa *d, uint32_t state, unsigned before);

#endif
