/*
 * sort.h - what the rooms of sort share: keys, lines, and how two lines compare.
 *
 * ../sort.c parses options and decides what to do; keys.c finds keys in lines and compares them; order.c
 * sorts an array of lines; input.c reads files into memory and merges sorted ones.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_SORT_SORT_H
#define NACRE_CMD_SORT_SORT_H

#include "../cmd.h"
#include "../../base/digest.h"

#define SORT_TO_END UINT64_MAX

struct sort_key {
	uint64_t field, column;		/* where the key starts, both from 0 */
	uint64_t end_field, end_column;	/* where it ends; end_field SORT_TO_END: at the end of the line */
	bool skip_start, skip_end;	/* blanks do not count at its start, at its end (-b) */
	bool dictionary, printing, fold;
	bool numeric, general, human, month, random, version;
	bool reverse;
};

/* A line in memory. Its delimiter follows it. */
struct sort_line {
	uint64_t prefix;	/* first thing compared, see order.c */
	const char *ptr;
	uint32_t len;
	uint32_t key;		/* where the key at hand starts */
};

struct sort {
	/* Options */
	struct sort_key global;
	struct sort_key *keys;
	size_t nkeys;
	int tab;		/* field separator, or -1: from non-blank to blank */
	bool stable, unique, zero, merge;
	int check;		/* 'c', 'C' or 0 */
	const char *output, *names_from, *random_source;
	bool tab_given;

	/* Made from the above */
	struct proc *p;
	char delim;
	bool utf8;
	bool flipped;		/* everything is reversed: sort upward, write downward */
	uint8_t salt[16];
	size_t count[256];	/* of the radix passes */
	struct u_buf number;	/* a number being converted */
};

/* ---- keys.c ---- */

/* The key in a line, as [*start, *end). */
void sort_find_key(const struct sort *s, const struct sort_key *k, const char *line, size_t len,
		   const char **start, const char **end);
/* Negative, 0 or positive. From the k-th key on, then (unless it does not count) the whole line. */
int sort_compare(struct sort *s, const struct sort_line *a, const struct sort_line *b, size_t k);
/* The same by keys alone: 0 when lines are equal for -u. */
int sort_compare_keys(struct sort *s, const struct sort_line *a, const struct sort_line *b, size_t k);
/* A number that orders as the key does. *exact: when equal, the keys are equal. */
uint64_t sort_prefix(struct sort *s, const struct sort_key *k, const char *start, const char *end,
		     bool *exact);
/* Whether keys are plain bytes (perhaps folded), so that a prefix can be taken from any place of them. */
bool sort_key_is_text(const struct sort_key *k);

/* ---- order.c ---- */

void sort_lines(struct sort *s, struct sort_line *lines, size_t n);

/* ---- input.c ---- */

/* All lines of the files. */
struct sort_line *sort_read(struct sort *s, int n, char *const *files, size_t *count) MAY_SUSPEND;
/* Merges the files into out, or into held when out is NULL. */
void sort_merge(struct sort *s, int n, char *const *files, struct u_out *out,
		struct u_buf *held) MAY_SUSPEND;
/* The exit status of -c. */
int sort_check(struct sort *s, const char *file) MAY_SUSPEND;
/* Opens an input. */
int sort_open(struct sort *s, const char *file) MAY_SUSPEND;
/* Ends the program when the memory limit leaves no room for n more bytes. */
void sort_need(struct sort *s, size_t n);

#endif
