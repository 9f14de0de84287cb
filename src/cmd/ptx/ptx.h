/*
 * ptx.h - what ptx works with: options, texts, occurrences.
 *
 * Layer     cmd; for ../ptx.c and layout.c
 */
#ifndef NACRE_CMD_PTX_PTX_H
#define NACRE_CMD_PTX_PTX_H

#include "../cmd.h"

enum ptx_format { PTX_DUMB, PTX_ROFF, PTX_TEX };

struct ptx_text {
	const char *name, *start, *end;
};

struct ptx_regex {
	struct regex *re;
	struct regex_scratch *scratch;
};

struct ptx_words {
	struct str *v;
	size_t n;
};

struct ptx_occurrence {
	const struct ptx_text *text;
	const char *key;
	size_t size, order;
	ptrdiff_t left, right;	/* how far the context reaches before and from the key */
	struct str reference;
};

struct ptx {
	/* Options */
	bool automatic, traditional, right, fold, references, typeset;
	int format, gap, width;
	const char *mark, *macro, *sentence, *word, *breaks, *ignore, *only;

	struct proc *p;
	struct ptx_regex sentence_regex, word_regex;
	struct ptx_words ignored, wanted;
	bool in_word[256];
	struct ptx_occurrence *occurrence;
	size_t noccurrences, longest;
	int reference_width;
};

/* layout.c: prints the occurrences. */
void ptx_print(struct ptx *x);

#endif
