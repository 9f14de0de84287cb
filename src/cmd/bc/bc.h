/*
 * bc.h - the parts of bc: words to a tree (parse.c), running it (run.c), the functions of -l (math.c).
 *
 * Statements run as soon as their line is read. Nothing is unwound: a runtime error sets `failed`, and
 * every loop and call looks at it on its way out.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_BC_BC_H
#define NACRE_CMD_BC_BC_H

#include "num.h"

#define BC_DEPTH_MAX 500	/* of expressions and blocks; of calls what the stack allows */
#define BC_ARRAY_MAX 16777215u

enum bc_kind {
	/* expressions */
	BC_NUMBER, BC_VAR, BC_ELEMENT, BC_ASSIGN, BC_STEP_BEFORE, BC_STEP_AFTER, BC_BINARY, BC_NEGATE, BC_NOT, BC_AND, BC_OR, BC_COMPARE,
	BC_CALL, BC_LENGTH, BC_SCALE, BC_SQRT, BC_READ, BC_ARRAY_ARG,
	/* statements */
	BC_PRINT_VALUE, BC_TEXT, BC_PRINT, BC_IF, BC_WHILE, BC_FOR, BC_BLOCK, BC_BREAK, BC_CONTINUE, BC_RETURN, BC_QUIT, BC_HALT, BC_EMPTY,
};

/* The kinds of words that are no single character. */
enum bc_token { T_END = 256, T_NUMBER, T_NAME, T_STRING, T_STEP, T_ASSIGN, T_LE, T_GE, T_EQ, T_NE, T_AND, T_OR, T_KEYWORD };

struct bc_name {
	const char *text;
	struct num *value;	/* NULL: zero */
	struct num **array;
	uint32_t array_n;
	struct bc_function *function;
	struct bc_name *next;
};

struct bc_node {
	enum bc_kind kind;
	int op;			/* + - * / % ^ of BINARY and ASSIGN ('=' plain); of COMPARE: < > l g = ! */
	struct bc_node *a, *b, *c, *d;
	struct bc_node *next;	/* in lists */
	struct bc_name *name;
	const char *text;
	size_t len;
	bool quiet;		/* the value of an assignment is not printed */
};

struct bc_param {
	struct bc_name *name;
	bool array;
	struct bc_param *next;
};

struct bc_function {
	struct bc_param *params, *autos;
	struct bc_node *body;
	bool is_void;
};

enum bc_flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN, FLOW_END };

struct bc {
	struct num_pool pool;	/* first: a pool is passed on as &b->pool */
	struct proc *p;
	/* The text at hand and the word last read in it. */
	const char *file, *s, *end;
	size_t line;
	struct feed *feed;	/* where more comes from: standard input; NULL: from nowhere */
	int token;
	const char *word;
	size_t word_len;
	bool bad;		/* a syntax error in this line */
	int illegal;		/* the character that is none of bc's, 0: none */
	int depth;
	bool in_function, math;
	struct bc_name *names[64];
	struct bc_name *ibase, *obase, *scale, *last;
	uint32_t in_base, out_base, places;
	struct num *last_value;
	bool failed;
	const char *where;	/* the function that runs */
	struct num *result;	/* of return */
	uint64_t column, width;	/* of the output */
	struct u_buf text;	/* of a number on its way out */
};

/* The next word, into token and word. */
void bc_next(struct bc *b);
bool bc_is_word(const struct bc *b, const char *w);
/* Reads and runs all of a text. False at quit or halt. */
bool bc_run_text(struct bc *b, const char *file, const char *s, size_t n) MAY_SUSPEND;
/* One line's statements as a list; NULL at the end of the text. `define` is kept at once. */
struct bc_node *bc_parse_line(struct bc *b, bool *end);
enum bc_flow bc_execute(struct bc *b, struct bc_node *n) MAY_SUSPEND;
struct bc_name *bc_name(struct bc *b, const char *s, size_t n);
/* s, c, a, l, e and j; NULL when the name is none of them. */
struct num *bc_math(struct bc *b, char f, const struct num *x, const struct num *y);

#endif
