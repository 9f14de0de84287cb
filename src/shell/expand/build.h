/*
 * build.h - one word on its way to fields; what the files of this folder share.
 *
 * Private to this folder.
 *
 *	build_init(&bd, x, BUILD_FIELDS, out);
 *	build_text / build_split / build_break …
 *	build_end(&bd)
 *
 * Layer     shell/expand
 * Owns      nothing: the proc's arena
 */
#ifndef NACRE_SHELL_EXPAND_BUILD_H
#define NACRE_SHELL_EXPAND_BUILD_H

#include "../syntax/parser.h"
#include "expand.h"

enum build_mode {
	BUILD_FIELDS,  /* split, glob */
	BUILD_NOGLOB,  /* split only */
	BUILD_TEXT,    /* one string */
	BUILD_PATTERN, /* one string, quoted bytes escaped */
	BUILD_REGEX,   /* the same for a regular expression */
	BUILD_REPLACE, /* one string; an unquoted & becomes a NUL, the place of the match */
};

/* Where two elements of a list were joined in the field. */
struct joint {
	uint32_t at, len;
};

struct build {
	struct expander *x;
	struct fields *out;
	struct u_buf b; /* the field in hand; len and ptr only */
	uint8_t mode;
	uint8_t join;     /* enum expand_join */
	bool started;     /* there is a field in hand, if empty */
	bool after_white; /* blanks have just ended a field: a separator next belongs to them */
	bool may_glob;    /* an unquoted * ? [ or \ is in the field */
	bool in_bracket;  /* BUILD_REGEX */
	bool empty_list;  /* a "$@" without elements came in these quotes */
	bool escape;      /* BUILD_REPLACE: an unquoted backslash came last */
	/* Where quoting changes in the field: even entries begin unquoted text, odd ones quoted. */
	uint32_t *marks;
	uint32_t nmarks, cap_marks;
	/* Of the "…" in hand, for emit.c. */
	bool in_group, splits_joints;
	size_t group_len, group_fields; /* what there was before it */
	struct joint *joints;
	uint32_t njoints, cap_joints;
};

void build_init(struct build *bd, struct expander *x, enum build_mode mode, struct fields *out);
static inline bool build_single(const struct build *bd)
{
	return bd->mode > BUILD_NOGLOB;
}
/* Text that is not split. False: too long. */
bool build_text(struct build *bd, struct str s, bool quoted);
/* The result of an unquoted expansion. */
bool build_split(struct build *bd, struct str s);
/* Between two elements of a list: ends the field in hand. */
bool build_break(struct build *bd);
/* The end of the word. */
bool build_end(struct build *bd);

/* All parts into bd. `operand`: of ${x:-…}, whose unquoted literals split too. */
bool build_parts(struct build *bd, const struct part *parts, uint32_t n, bool operand);
/* The $x or ${…} of a part. */
bool build_param(struct build *bd, const struct param *param, const struct part *part,
                 bool operand);

/* A word in one of the single-string modes. */
bool expand_single(struct expander *x, const struct word *w, enum build_mode mode, struct str *out);
struct str copy_str(struct expander *x, struct str s);

/* ---- Values of parameters ------------------------------------------------------ */

/* What an operator has done to a list. It makes a difference for what joins it. */
enum list_change {
	LIST_AS_IT_IS,
	LIST_CHANGED,
	LIST_TAKEN, /* a part of it, its keys, with text in place of other: counts as changed in quotes only */
	LIST_NAMES, /* ${!x*} */
};

struct value {
	bool set;
	bool list; /* $@ $* a[@] a[*] */
	bool star;
	bool special; /* $@ and $* */
	uint8_t changed;
	size_t glued; /* joined by a blank, not by IFS: so many elements from the first on */
	struct str s; /* borrowed until the state changes */
	struct str *v;
	size_t n;
	char buf[VALUE_BUF];
};

/* ${!x}: what x names; a text, when x is a reference; nothing, where bash finds nothing to be wrong. */
enum place_stands {
	PLACE_VARIABLE,
	PLACE_TEXT,
	PLACE_UNSET,
};

/* What a parameter is, after indirection: a name with what its subscript says, or a number, or a
 * special character. */
struct place {
	uint8_t kind; /* enum param_kind */
	char special;
	uint8_t sub; /* enum sub_kind */
	uint8_t stands;  /* enum place_stands */
	bool by_ref;     /* what a reference says that ends in a subscript */
	bool global;     /* the bottom binding of the name: of a circle of references in a function */
	bool bounded;    /* what is written goes to the binding that scopes up to `level` see: */
	uint32_t level;  /* by way of a local reference bash reads one, and may write another */
	uint32_t number;
	struct str name; /* resolved through references */
	bool assoc;      /* SUB_WORD: key counts, else index */
	int64_t index;
	struct str key;  /* with PLACE_TEXT: the value */
	struct str text; /* for messages, as it is written: x, a[1], $3 */
};

/* ${x#p} and the other operators with a pattern. */
bool param_map(struct build *bd, const struct param *param, const struct place *pl, bool quoted);

/* Text as it would stand in [ ]; NULL: it does not parse. */
struct subscript *parse_subscript(struct expander *x, struct str text);
bool place_of(struct expander *x, const struct param *param, struct place *pl);
/* From text: name, name[sub], digits, a special character. False without x->error: no such form. */
bool place_text(struct expander *x, struct str text, bool follow, struct place *pl);
/* Whether an index counted from the end lies before the first element; a scalar has none. */
bool place_before_first(struct expander *x, const struct place *pl);
/* The binding; NULL: none, or a special one that nobody has touched. */
const struct var *place_var(const struct expander *x, const struct place *pl);
bool place_get(struct expander *x, const struct place *pl, struct value *v);
/* The subscript of array `name`. */
bool place_subscript(struct expander *x, struct place *pl, const struct subscript *sub);
/* Elements (and keys) of a variable as lists in the arena. */
void list_of(struct expander *x, struct str name, struct value *v, struct varray_view *keys);
bool unbound(struct expander *x, const struct place *pl);

/* Writes to it; messages as an assignment makes them. */
bool assign_place(struct expander *x, const struct place *pl, struct str value,
                  enum var_where where, unsigned flags);

/* The same of an array's words. */
bool assign_list(struct expander *x, struct str name, const struct array_lit *lit, enum var_where where, unsigned flags);
/* Messages of a failed assignment to `target`. They return false. */
bool assign_fail(struct expander *x, struct str target, int error, unsigned flags);
bool assign_bad_name(struct expander *x, struct str target, unsigned flags);

/* The place a target names; references are followed unless they are to be ignored (ASSIGN_NOREF). */
bool target_place(struct expander *x, struct str target, unsigned flags, struct place *pl);

/* The value to the word: emit.c. */
bool emit_text(struct build *bd, struct str s, bool quoted);
bool emit_value(struct build *bd, const struct value *v, bool quoted);
/* A "$@" without elements, of which only that is of interest. */
bool emit_no_elements(struct build *bd, bool quoted);

/* ---- Operators ------------------------------------------------------------------- */

struct str recase_text(struct expander *x, struct str s, enum param_op op, bool all,
                       const struct str *pattern);
struct str quote_text(struct expander *x, struct str s); /* ${x@Q} */
bool transform(struct expander *x, const struct place *pl, char op, struct value *v,
               struct str *out);
struct str ansi_unescape(struct expander *x, struct str s); /* the inside of $'…' */

/* ---- Files -------------------------------------------------------------------------- */

/* Patterns among fields, which become names only when all words of a command are expanded: `*.txt $(touch new.txt)`
 * finds the new file. */
struct late_globs {
	struct late_glob {
		size_t at; /* the field, which is the text as it is */
		struct str pattern;
	} *v;
	size_t n, cap;
};
void late_glob_add(struct expander *x, size_t at, struct str pattern);
bool late_globs_apply(struct expander *x, struct late_globs *late, struct fields *f) MAY_SUSPEND;
/* As expand_words, leaving the patterns to the caller. */
bool expand_words_late(struct expander *x, const struct word *words, size_t n, struct fields *out,
                       struct late_globs *late) MAY_SUSPEND;

/* Pushes what matches, sorted; the number in *n, SIZE_MAX when it is no pattern. */
bool glob_expand(struct expander *x, struct str pattern, struct fields *out, size_t *n) MAY_SUSPEND;

/* Rows of parts a word with braces stands for. */
struct part_row {
	const struct part *v;
	uint32_t n;
};
/* The digits of {1..9}, padded with zeros to `width`, and a NUL; their count. */
size_t brace_number(char *buf, int64_t value, unsigned width);
bool brace_expand(struct expander *x, const struct word *w, struct part_row **rows, size_t *n);

bool tilde_expand(struct expander *x, struct str text, struct str *out) MAY_SUSPEND;

#endif
