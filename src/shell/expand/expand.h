/*
 * expand.h - from words to fields: what happens between parsing and running.
 *
 * Brace, tilde, parameter, command, arithmetic and process expansion, splitting, pathname
 * expansion and quote removal, in one pass over the parts of a word; which bytes were quoted
 * is remembered until the end. Also assignments, because they need all of that.
 *
 * Expansion runs commands only through the host the interpreter gives.
 *
 *	x = (struct expander){.p = p, .st = st, .host = &host};
 *	if (!expand_words(&x, words, n, &fields))
 *		… x.error says how far to unwind
 *
 * Results lie in the proc's arena (mark and reset around a command) or in the tree.
 *
 * Layer     shell/expand; includes syntax, user, abi, base
 * Owns      nothing
 * Threads   the fiber of p
 * Suspends  wherever a command may run or a directory is read: everything here but the pure text
 *functions Errors    false, the message already given to host->warn, and x->error
 */
#ifndef NACRE_SHELL_EXPAND_EXPAND_H
#define NACRE_SHELL_EXPAND_EXPAND_H

#include "../../user/user.h"
#include "state.h"

struct expand_host {
	/* Runs the body and appends its output (trailing newlines kept) to out. Sets st->status.
	 * False: unwind, with x->error set by the host. NULL: "command substitution: not available
	 * here". */
	bool (*comsub)(struct expand_host *h, const struct comsub *c, struct u_buf *out);
	/* Starts the body and returns the path to read or write, NULL after a message. */
	const char *(*procsub)(struct expand_host *h, const struct comsub *c);
	/* Prints "NAME: line N: TEXT". */
	void (*warn)(struct expand_host *h, const char *text);
	/* The same of a mistake that under set -e ends the shell, wherever it stands. NULL: as warn. */
	void (*report)(struct expand_host *h, const char *text);
};

enum expand_error {
	EXPAND_NONE,
	EXPAND_FAIL,   /* the command is given up, and all up to the top level (status 1): bad
	                  substitution, readonly, no match with failglob */
	EXPAND_ARITH,  /* as FAIL, but not a failure for errexit: division by zero, bad numbers */
	EXPAND_TOP,    /* as ARITH, but a shell started with -c exits: an expression in a subscript
	                  or as the value of an integer variable */
	EXPAND_EXIT,   /* a shell that is not interactive exits (status 127): ${x?}, set -u */
	EXPAND_ASSIGN, /* an assignment failed (readonly…): as FAIL for an assignment statement;
	                  before a command bash only skips that assignment or the command */
	EXPAND_UNWIND, /* the host asked for it */
};

/* How much stack, of `most` bytes, a parser may use here. */
static inline size_t stack_room(struct proc *p, size_t most)
{
	while (most > 1024 && !sys_stack(p, most))
		most /= 2;
	return most;
}

#define EXPAND_WORD_MAX  ((size_t)64 << 20) /* bytes one word may become */
#define EXPAND_WORDS_MAX ((size_t)1000000)  /* words one brace expansion may make */
#define EXPAND_DEPTH_MAX 100u               /* nested ${x:-${y:-…}} */

struct expander {
	struct proc *p;
	struct shell_state *st;
	struct expand_host *host;
	enum expand_error error;  /* sticky; the interpreter clears it */
	const char *arith_prefix; /* "((" or "let" in messages, NULL: none */
	const char *command;      /* the builtin assignments are made for: its name begins their
	                             messages; NULL */
	uint64_t max;             /* bytes of one word, after which the run is ended; 0: no such limit */
	uint32_t depth;           /* private */
	uint32_t arith_depth;     /* private */
	struct late_globs *late;  /* private */
	bool no_tilde;            /* private: in m=([k]=~) of an associative array */
	bool ran_comsub; /* a command substitution ran: the status of an assignment statement */
};

/* Prints through the host and sets x->error. Returns false. EXPAND_FAIL is reported: under set -e it ends the shell,
 * in a condition as well. */
bool expand_fail(struct expander *x, enum expand_error e, const char *fmt, ...) PRINTF(3, 4);
/* The same, reported whatever the error. */
bool expand_report(struct expander *x, enum expand_error e, const char *fmt, ...) PRINTF(3, 4);

/* ---- Words ------------------------------------------------------------------ */

/* Fields as an argv: v[n] is NULL; strings hold no NUL byte. */
struct fields {
	char **v;
	size_t n, cap;
};
void fields_grow(struct expander *x, struct fields *f, size_t more);
static inline void fields_push(struct expander *x, struct fields *f, char *s)
{
	if (UNLIKELY(f->n + 1 >= f->cap))
		fields_grow(x, f, 1);
	f->v[f->n++] = s;
	f->v[f->n] = NULL;
}

/* Everything: the words of a command. Appends. Assignment arguments (WORD_ASSIGN) that are not
 * array literals come out as one field name=value; array literals are an error here: the
 * declaration builtins take word->assign themselves. */
bool expand_words(struct expander *x, const struct word *words, size_t n,
                  struct fields *out) MAY_SUSPEND;

/* One string: assignment values, here-strings and here-document bodies, case subjects, [[ operands.
 * No splitting, no globbing. NULL word gives "". */
bool expand_text(struct expander *x, const struct word *w, struct str *out) MAY_SUSPEND;

/* The same where it matters what lists are joined with. */
enum expand_join {
	JOIN_PLAIN,    /* [@] by a blank, [*] by IFS */
	JOIN_VALUE,    /* of an assignment and a here-string: IFS joins a [@] that an operator has changed, too */
	JOIN_ELEMENT,  /* [i]=… in ( ): IFS joins all */
	JOIN_DOCUMENT, /* of a here-document: $* and a changed [*] by a blank */
};
bool expand_joined(struct expander *x, const struct word *w, enum expand_join join, struct str *out) MAY_SUSPEND;

/* A pattern: quoted characters come out with a backslash, for pattern_* below. */
bool expand_pattern(struct expander *x, const struct word *w, struct str *out) MAY_SUSPEND;

/* A regular expression for =~ : quoted characters come out so that they match themselves. */
bool expand_regex(struct expander *x, const struct word *w, struct str *out) MAY_SUSPEND;

/* The target of a redirection: exactly one field, else "WORD: ambiguous redirect". */
bool expand_target(struct expander *x, const struct word *w, struct str *out) MAY_SUSPEND;

/* Text from run time expanded as in double quotes (PS4, ${x@P} after its escapes). */
bool expand_string(struct expander *x, struct str text, struct str *out) MAY_SUSPEND;
/* The same after decoding prompt escapes (\u \w …). */
bool expand_prompt(struct expander *x, struct str text, struct str *out) MAY_SUSPEND;

/* `text` split at IFS as `read` does it: at most max fields, the last one holding the rest with its
 * trailing IFS blanks removed. `esc` marks (one byte per byte of text, non-zero: literal, not a
 * separator); NULL: none. */
void split_read(struct expander *x, struct str text, const char *esc, size_t max,
                struct fields *out);

/* ---- Assignments --------------------------------------------------------------- */

enum assign_flag {
	ASSIGN_APPEND = 1, /* += */
	ASSIGN_NOREF = 2,  /* to the name itself, though it be a reference */
	ASSIGN_QUIET = 4,  /* no message */
};

/* name=value, name[sub]=… or name=(…) of the tree. */
bool assign_tree(struct expander *x, const struct assign *a, enum var_where where,
                 unsigned flags) MAY_SUSPEND;
/* The same with the value expanded already; flags has ASSIGN_APPEND for +=. */
bool assign_expanded(struct expander *x, const struct assign *a, struct str value, enum var_where where,
                     unsigned flags) MAY_SUSPEND;
/* The same with a value that is text: `target` is a name or name[subscript] (read, printf -v, for,
 * getopts, mapfile). Follows references, evaluates integers, evaluates the subscript. "TARGET: not
 * a valid identifier". */
bool assign_text(struct expander *x, struct str target, struct str value, enum var_where where,
                 unsigned flags) MAY_SUSPEND;
/* declare "a=(1 2)": parses and assigns the inside of a compound value given as text with its
 * parentheses. */
bool assign_compound(struct expander *x, struct str name, struct str text, enum var_where where,
                     unsigned flags) MAY_SUSPEND;
/* unset NAME or NAME[sub] (follows references unless ASSIGN_NOREF). */
bool unset_text(struct expander *x, struct str target, unsigned flags) MAY_SUSPEND;
/* test -v: NAME or NAME[sub]. */
bool is_set_text(struct expander *x, struct str target) MAY_SUSPEND;
/* Value of NAME, NAME[sub], a number, or a special character. False when unset (or on error: look
 * at x->error). */
bool get_text(struct expander *x, struct str target, struct str *out) MAY_SUSPEND;

/* Elements of array `name` (all of a scalar), in bash's order; keys too when not NULL. In the
 * arena. */
bool array_values(struct expander *x, struct str name, struct varray_view *values,
                  struct varray_view *keys);

/* ---- Arithmetic ------------------------------------------------------------------ */

bool arith_eval(struct expander *x, const struct arith *a, int64_t *out) MAY_SUSPEND;
/* Text from run time: let, declare -i, ${x:$y}, [[ a -eq b ]]. */
bool arith_text(struct expander *x, struct str text, int64_t *out) MAY_SUSPEND;

/* ---- Patterns ----------------------------------------------------------------------- */

enum pattern_flag {
	PATTERN_EXTGLOB = 1,
	PATTERN_ICASE = 2,
	PATTERN_BYTES = 4,  /* not UTF-8 */
	PATTERN_PERIOD = 8, /* a leading . must be matched by itself */
};
/* Flags by the options of the shell: extglob, nocasematch, locale. */
/* The paths a pattern matches, added to *out: nothing when there are none. */
bool glob_text(struct expander *x, struct str pattern, struct fields *out) MAY_SUSPEND;
unsigned pattern_flags(const struct shell_state *st);
/* A whole-string match, for case and [[ == ]]. */
bool pattern_match(struct expander *x, struct str pattern, struct str s, unsigned flags);

/* ---- Printing, for set, declare -p, xtrace ------------------------------------------- */

/* declare -p NAME's line without its newline: declare -ax a=([0]="1"). */
bool var_print(struct expander *x, const struct var *v, struct u_buf *out);
/* The value part alone: for arrays (…), for scalars as `set` prints them. */
void var_print_value(struct expander *x, const struct var *v, struct u_buf *out);
size_t var_attr_letters(uint32_t flags, char buf[16]); /* ${x@a}: "ai" */

#endif
