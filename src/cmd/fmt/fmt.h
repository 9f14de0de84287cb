/*
 * fmt.h - what the rooms of fmt share: a paragraph as words.
 *
 * ../fmt.c parses options and reads paragraphs, lines.c chooses where their lines end and writes them.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_FMT_FMT_H
#define NACRE_CMD_FMT_FMT_H

#include "../input.h"

#define FMT_WORDS 1000	/* of a paragraph in hand; longer ones go out in parts, cut where GNU's does */
#define FMT_BYTES 5000

struct fmt_word {
	const char *text;
	int len, space;		/* columns; those of the blanks after it */
	bool paren, period, punct, final; /* opens with a bracket; ends a clause; ends in punctuation; ends a sentence */

	/* Found by fmt_break: when a line starts here */
	int next, line_len;	/* the word the next line starts with; columns of this one */
	int64_t cost;		/* of this and all further lines */
};

struct fmt {
	const char *width_arg, *goal_arg, *prefix_arg;
	bool crown, tagged, split, uniform;

	struct proc *p;
	struct u_out *out;
	struct input in;
	int width, goal;
	const char *prefix;
	int prefix_len, prefix_full, prefix_lead; /* without and with blanks after it; blanks before it */

	/* Input */
	int next_char;		/* the first of the next line, after its prefix and blanks */
	int column;		/* of it */
	int next_indent;	/* of the prefix of that line */
	bool tabs;		/* blanks of the output may be tabs */

	/* The paragraph */
	int prefix_indent, first_indent, other_indent;
	int last_len;		/* columns of the line written last */
	struct fmt_word word[FMT_WORDS];
	int n;			/* words; word[n] is being read */
	char text[FMT_BYTES];
	int nbytes;

	int out_column;
};

/* Chooses where lines end, for all words. */
void fmt_break(struct fmt *f);
/* Writes lines up to that which starts with `end`. */
void fmt_write(struct fmt *f, int end);
/* The word near the end of the paragraph before which it costs least to stop. */
int fmt_good_end(const struct fmt *f);
void fmt_blanks(struct fmt *f, int n);

#endif
