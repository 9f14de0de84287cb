/*
 * awk.h - the parts of awk: memory, values, arrays, the program's tree, input, evaluation.
 *
 *	lex.c, parse.c, rules.c   text to a tree, names resolved to slots (lex.h between them)
 *	eval.c           expressions; call.c functions; run.c statements, the main loop
 *	value.c, array.c strings, numbers, associative arrays
 *	record.c         $0, its fields, assignments to them
 *	stream.c         files and commands read and written
 *	builtin.c        functions; format.c printf; regex.c matching; replace.c sub; special.c FS, OFS and the like
 *
 * Memory that comes and goes with every record lives in blocks of size classes over the
 * proc's arena (block_get, block_put), so awk runs in constant memory over endless input.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_AWK_AWK_H
#define NACRE_CMD_AWK_AWK_H

#include "../cmd.h"

struct awk;

/* ---- Memory ------------------------------------------------------------------- */

#define AWK_CLASSES 96
#define AWK_SCRATCH 16

void *block_get(struct awk *a, size_t n);
void block_put(struct awk *a, void *p, size_t n);

/* An empty buffer for building text while evaluating; given back in reverse order. (The arena itself
 * must not be marked and reset around an evaluation: blocks made meanwhile lie in it.) */
struct u_buf *awk_scratch_take(struct awk *a);
void awk_scratch_give(struct awk *a);

/* ---- Values ------------------------------------------------------------------- */

struct astr {
	uint32_t refs;
	uint32_t cap;		/* bytes of s, the NUL included */
	size_t len;
	char s[];
};

enum cell_type {
	CELL_UNSET,
	CELL_NUM,
	CELL_STR,
	CELL_INPUT,		/* text from outside: a number if it looks like one; not looked at yet */
	CELL_STRNUM,		/* looked at: text that is a number */
};

struct cell {
	uint8_t type;
	bool has_num;		/* num is valid (of CELL_STR too, as a cache) */
	double num;
	struct astr *str;	/* one reference, or NULL: not made yet (CELL_NUM, CELL_UNSET) */
};

struct array;

/* What a name stands for at run time. */
enum slot_kind { SLOT_CELL, SLOT_ARRAY, SLOT_REF };
struct slot {
	enum slot_kind kind;
	struct cell cell;
	struct array *array;
	struct slot *ref;	/* an untyped variable of the caller: becomes an array there when it does here */
};

struct astr *astr_new(struct awk *a, const char *s, size_t n);
struct astr *astr_room(struct awk *a, size_t n); /* len n, not filled */
void astr_put(struct awk *a, struct astr *s);
static inline struct astr *astr_get(struct astr *s)
{
	s->refs++;
	return s;
}

static inline void cell_clear(struct awk *a, struct cell *c)
{
	if (c->str)
		astr_put(a, c->str);
	*c = (struct cell){0};
}
static inline void cell_set_num(struct awk *a, struct cell *c, double n)
{
	if (c->str)
		astr_put(a, c->str);
	*c = (struct cell){.type = CELL_NUM, .has_num = true, .num = n};
}
/* Takes the reference over. */
static inline void cell_set_str(struct awk *a, struct cell *c, struct astr *s, enum cell_type type)
{
	if (c->str)
		astr_put(a, c->str);
	*c = (struct cell){.type = (uint8_t)type, .str = s};
}
void cell_copy(struct awk *a, struct cell *to, const struct cell *from);
double cell_num(struct awk *a, struct cell *c);
/* Borrowed: good while the cell stays. */
struct astr *cell_str(struct awk *a, struct cell *c);
struct astr *cell_output(struct awk *a, struct cell *c); /* by OFMT; a reference */
bool cell_true(struct awk *a, struct cell *c);
/* Settles CELL_INPUT; whether the value counts as a number in a comparison. */
bool cell_is_number(struct awk *a, struct cell *c);
int cell_compare(struct awk *a, struct cell *x, struct cell *y);
/* Whether all of it is one number (blanks around). */
bool text_is_number(const char *s, size_t n, double *out);
double text_num(const char *s, size_t n);
/* The text of a number: an integer, or by the format. buf of 400 bytes; the length. */
size_t num_text(struct awk *a, double n, struct astr *format, char *buf);

/* ---- Arrays --------------------------------------------------------------------- */

struct element {
	struct element *next;	/* in its bucket */
	struct element *after, *before;	/* in order of creation */
	uint64_t hash;
	struct cell value;
	struct array *sub;	/* an array of arrays */
	uint32_t len, pad;
	char key[];
};

struct array {
	struct element **bucket;
	size_t mask, n;
	struct element *first, *last;
};

struct array *awk_array_new(struct awk *a);
void awk_array_clear(struct awk *a, struct array *t);
struct element *awk_array_find(const struct array *t, const char *key, size_t n);
struct element *awk_array_at(struct awk *a, struct array *t, const char *key, size_t n); /* made when missing */
void awk_array_delete(struct awk *a, struct array *t, const char *key, size_t n);
/* The keys as new strings, in the order of for (k in t): by PROCINFO["sorted_in"]. block of n pointers. */
struct astr **awk_array_keys(struct awk *a, struct array *t, size_t *n);

/* ---- The program ------------------------------------------------------------------ */

enum node_kind {
	/* expressions */
	N_NUM, N_STR, N_REGEX, N_GLOBAL, N_LOCAL, N_FIELD, N_INDEX, N_ASSIGN, N_COND, N_AND, N_OR, N_NOT, N_NEG, N_PLUS, N_BINARY,
	N_CONCAT, N_COMPARE, N_MATCH, N_IN, N_INCDEC, N_CALL, N_BUILTIN, N_GETLINE, N_GROUP,
	/* statements */
	N_BLOCK, N_EXPR, N_PRINT, N_PRINTF, N_IF, N_WHILE, N_DO, N_FOR, N_FORIN, N_NEXT, N_NEXTFILE, N_EXIT, N_RETURN, N_BREAK, N_CONTINUE,
	N_DELETE, N_SWITCH, N_CASE,
};

struct node {
	uint8_t kind;
	uint8_t op;		/* an operator's character, a builtin, a getline's or a redirection's form */
	bool post;		/* x++ */
	bool pure;		/* evaluating it changes nothing and calls nothing */
	uint32_t line;
	uint32_t slot;		/* N_GLOBAL, N_LOCAL: which; N_CALL: which function */
	uint32_t n;		/* of list */
	struct node *a, *b, *c, *d;
	struct node **list;	/* arguments, statements */
	struct cell value;	/* N_NUM, N_STR */
	struct dynamic *regex;	/* N_REGEX: compiled; others: the last dynamic one */
};

/* A regular expression with its working memory, in an arena of its own over blocks. */
struct dynamic {
	struct arena arena;
	struct astr *text;
	unsigned flags;
	struct regex *re;
	struct regex_scratch *scratch;
};

enum builtin {
	B_LENGTH, B_SUBSTR, B_INDEX, B_SPLIT, B_SUB, B_GSUB, B_GENSUB, B_MATCH, B_SPRINTF, B_SIN, B_COS, B_ATAN2, B_EXP, B_LOG, B_SQRT, B_INT,
	B_RAND, B_SRAND, B_TOLOWER, B_TOUPPER, B_SYSTEM, B_CLOSE, B_FFLUSH, B_STRFTIME, B_SYSTIME, B_MKTIME, B_STRTONUM, B_AND, B_OR, B_XOR,
	B_LSHIFT, B_RSHIFT, B_COMPL, B_ASORT, B_ASORTI, B_PATSPLIT, B_TYPEOF, B_ISARRAY,
};

struct function {
	const char *name;
	size_t len;
	struct node *body;
	uint32_t nparams;
	bool defined;
};

struct rule {
	enum { RULE_BEGIN, RULE_END, RULE_BEGINFILE, RULE_ENDFILE, RULE_PATTERN, RULE_RANGE } kind;
	struct node *pattern, *to, *body;	/* body NULL: print */
	bool inside;				/* of a range */
};

/* "BEGIN", for messages; of those without a name "pattern". */
const char *awk_rule_name(int kind);

/* Variables the interpreter itself looks at: the first global slots, in this order. */
enum special {
	V_NF, V_NR, V_FNR, V_FS, V_OFS, V_ORS, V_RS, V_RT, V_FILENAME, V_SUBSEP, V_RSTART, V_RLENGTH, V_CONVFMT, V_OFMT, V_ENVIRON, V_ARGC,
	V_ARGV, V_ERRNO, V_IGNORECASE, V_FPAT, V_FIELDWIDTHS, V_PROCINFO, V_NSPECIAL,
};

/* ---- Streams ------------------------------------------------------------------------- */

struct input {
	int fd;
	bool eof, started;
	int err;
	char *buf;
	size_t cap, from, to;	/* unread bytes are [from, to) */
};

enum stream_kind { STREAM_READ, STREAM_READ_CMD, STREAM_WRITE, STREAM_APPEND, STREAM_WRITE_CMD };
struct stream {
	struct stream *next;
	struct astr *name;
	enum stream_kind kind;
	struct input in;
	struct u_out *out;	/* standard output's own where the name says that: one order of all of it */
	struct u_out own;
	int pid;
};

/* ---- Everything ------------------------------------------------------------------------ */

enum flow { FLOW_NORMAL, FLOW_BREAK, FLOW_CONTINUE, FLOW_NEXT, FLOW_NEXTFILE, FLOW_EXIT, FLOW_RETURN };

struct field {
	size_t off, len;	/* in the record's text, while cell is not made */
	struct cell cell;
	bool made;
};

/* Of which characters it was said that they are no escapes, in strings and in regular expressions. */
enum awk_warned { AWK_WARNED_STRING, AWK_WARNED_REGEX, AWK_WARNED };

struct awk {
	struct proc *p;
	bool utf8;
	void *free_block[AWK_CLASSES];
	struct u_buf scratch[AWK_SCRATCH];
	unsigned scratch_used;

	/* The program. */
	const char **global_name;
	size_t *global_len;
	struct slot *global;
	uint32_t nglobals, globals_cap;
	struct function *function;
	uint32_t nfunctions, functions_cap;
	struct rule *rule;
	size_t nrules, rules_cap;

	/* Running. */
	struct slot *frame;	/* locals of the function that runs */
	uint32_t depth;
	struct cell result;	/* of return */
	int status;
	bool exiting, in_end;

	/* The record. */
	struct astr *rec;	/* its text, owned; NULL: rec_ptr points into the main input's buffer */
	const char *rec_ptr;
	size_t rec_len;
	bool rec_valid;		/* rec_ptr is $0; else it has to be built from the fields */
	struct cell rec_cell;	/* $0 as a value, when made */
	bool rec_made;
	struct field *field;	/* [1..nf] */
	size_t nf, fields_cap;
	bool split;		/* fields are there */
	struct dynamic *fs_regex, *rs_regex, *fpat_regex;

	/* Input. */
	struct input main;
	bool main_open, main_done;
	int arg;		/* next ARGV index */
	struct stream *streams;
	int64_t nr, fnr;	/* NR and FNR, kept as integers; the variables follow */
	bool used_args;

	uint64_t seed, random;
	double last_seed;
	uint32_t line;		/* of the statement that is read or runs, for messages; 0: none yet */
	const char *source_name; /* "cmd. line" or a file */
	bool parsing;
	uint8_t rule_kind;	/* of the rule that runs */
	uint32_t warned[AWK_WARNED][8];
};

NORETURN void awk_die(struct awk *a, const char *format, ...) PRINTF(2, 3);	/* "awk: cmd. line:N: fatal: ..." */
/* Expressions are as deep as a program is long: ends awk when there is no stack for one more level. */
static inline void awk_deeper(struct awk *a)
{
	if (UNLIKELY(!sys_stack(a->p, 8192)))
		awk_die(a, "the expression is nested too deeply");
}
NORETURN void awk_error(struct awk *a, const char *format, ...) PRINTF(2, 3);	/* "error:", status 1 */
void awk_warn(struct awk *a, const char *format, ...) PRINTF(2, 3);

/* Whether this is the first time for c, so that a mistake made everywhere is told once. */
bool awk_first_time(struct awk *a, enum awk_warned of, int c);

/* lex.c: a text with a string's escapes, as -v's value has them. */
struct astr *awk_unescape(struct awk *a, const char *s, size_t n);

/* parse.c: adds a source text to the program; dies with gawk's message on a syntax error. */
void awk_parse(struct awk *a, const char *text, size_t n, const char *name);
/* After all sources: no name is a function and a variable. */
void awk_parse_done(struct awk *a);
uint32_t awk_global(struct awk *a, const char *name, size_t n);

/* eval.c. out is set (its old content is released). */
void eval(struct awk *a, struct node *n, struct cell *out) MAY_SUSPEND;
double eval_num(struct awk *a, struct node *n) MAY_SUSPEND;
/* value.c: x OP y by n's operator; division by zero ends the program. */
double awk_arithmetic(struct awk *a, const struct node *n, double x, double y);
bool eval_true(struct awk *a, struct node *n) MAY_SUSPEND;
/* A text that is good until anything is evaluated or assigned; hold keeps it alive: clear it after. */
struct str eval_text(struct awk *a, struct node *n, struct cell *hold) MAY_SUSPEND;
/* A reference to the value as text. */
struct astr *eval_str(struct awk *a, struct node *n) MAY_SUSPEND;
struct array *node_array(struct awk *a, struct node *n) MAY_SUSPEND;	/* of a name or a[i] used as an array */
/* Assigns c (which it takes over) to a variable, field or element. */
void assign(struct awk *a, struct node *target, struct cell *c) MAY_SUSPEND;
/* The slot that a name, N_GLOBAL or N_LOCAL, stands for now. */
struct slot *name_slot(struct awk *a, struct node *n);
/* The key of a[i, j]: in buf, or kept alive by hold. */
struct str subscript(struct awk *a, struct node *n, struct cell *hold, char *buf) MAY_SUSPEND;
/* call.c */
void call_function(struct awk *a, struct node *n, struct cell *out) MAY_SUSPEND;
/* Before and after a variable the interpreter looks at gets a value: the present record is split, and put together
 * again, by the old one. */
void special_changes(struct awk *a, uint32_t slot);
void special_changed(struct awk *a, uint32_t slot);
static inline struct cell *special_cell(struct awk *a, enum special v) { return &a->global[v].cell; }
struct slot *slot_deref(struct slot *s);
struct array *slot_array(struct awk *a, struct slot *s);

/* run.c */
enum flow run(struct awk *a, struct node *n) MAY_SUSPEND;
int awk_main_loop(struct awk *a) MAY_SUSPEND;

/* record.c */
void record_set(struct awk *a, const char *s, size_t n);	/* copies */
void record_view(struct awk *a, const char *s, size_t n);	/* keeps pointing into the main input */
void record_own(struct awk *a);					/* before the main input's buffer moves */
struct str record_text(struct awk *a);
void record_split(struct awk *a);
struct str field_text(struct awk *a, size_t i);			/* of $i, as eval_text */
void field_get(struct awk *a, size_t i, struct cell *out);
void field_assign(struct awk *a, size_t i, struct cell *c);	/* takes c over */
void record_set_nf(struct awk *a, double n);
size_t field_count(struct awk *a);
/* Splits text as fields or split() do; each gets the pieces, seps (may be NULL) what is between. */
typedef void split_each(struct awk *a, void *ctx, const char *s, size_t n, const char *sep, size_t nsep);
void split_text(struct awk *a, const char *s, size_t n, struct str fs, struct dynamic *re, split_each *each, void *ctx);

/* stream.c */
/* The next record of an input by RS; false at its end. The text is good until the next read. */
bool input_record(struct awk *a, struct input *in, struct str *out) MAY_SUSPEND;
/* The next record of the files named in ARGV, skipping to them. */
bool main_record(struct awk *a, struct str *out) MAY_SUSPEND;
void main_close(struct awk *a) MAY_SUSPEND;
struct stream *stream_open(struct awk *a, struct astr *name, enum stream_kind kind) MAY_SUSPEND; /* NULL: failed to read */
int stream_close(struct awk *a, struct str name) MAY_SUSPEND;
void streams_flush(struct awk *a) MAY_SUSPEND;
void streams_close_all(struct awk *a) MAY_SUSPEND;
int run_command(struct awk *a, const char *command) MAY_SUSPEND;

/* builtin.c, format.c, regex.c */
void call_builtin(struct awk *a, struct node *n, struct cell *out) MAY_SUSPEND;
void awk_format(struct awk *a, struct u_buf *b, struct str format, struct node **arg, uint32_t n) MAY_SUSPEND;
void put_number(struct awk *a, struct u_buf *b, double n, struct str format);
/* replace.c: s with the matches number `which` (0: all) replaced is appended to b; how many. groups: as gensub. */
uint64_t awk_substitute(struct awk *a, struct dynamic *d, struct u_buf *b, struct str s, struct str repl, uint64_t which, bool groups);
/* The regular expression a node stands for: /re/ itself, or the text of its value. */
struct dynamic *node_regex(struct awk *a, struct node *n) MAY_SUSPEND;
/* regex.c: the byte of an octal escape or of one with x, behind the backslash; s moves on. */
char awk_byte_escape(const char **s, const char *end);
struct dynamic *dynamic_for(struct awk *a, struct dynamic **cache, const char *s, size_t n);
bool dynamic_match(struct awk *a, struct dynamic *d, const char *s, size_t n, size_t from, struct regex_span *spans, size_t nspans);

#endif
