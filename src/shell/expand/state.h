/*
 * state.h - what a shell knows: variables, functions, options, parameters, call frames.
 *
 * A state belongs to one proc (sys_attach), lives in the sandbox's heap and is cheap to
 * clone, because everything in it but plain numbers is shared until written: a subshell is
 * state_clone, one struct copy and about ten references. What a running script still needs
 * when its proc is killed (the trees of functions it is in, saved variables) hangs off the
 * state too, in the frames, so the reaper drops it with the state.
 *
 *	st = state_new(p);				// a first shell
 *	state_set(st, STR("x"), STR("1"));
 *	c = state_clone(st); sys_spawn({.state = c, .state_release = state_release, …});
 *	    in the child: state_adopt(c, p)
 *
 * A name has one visible binding, in one table; a local variable replaces it and the frame
 * remembers the former one until it is left (so a look-up never walks scopes).
 *
 * Variables that are computed (RANDOM, LINENO, …) or have a default (IFS, PS4, …) are not in
 * the table until somebody changes them: special.c answers for them when the table does not.
 *
 * Layer     shell/expand; includes syntax, abi, base
 * Owns      everything it points to, by reference
 * Threads   the fiber of the proc it is attached to
 * Suspends  no
 * Errors    enum var_error, whose texts var_error_text gives; nothing here prints
 */
#ifndef NACRE_SHELL_EXPAND_STATE_H
#define NACRE_SHELL_EXPAND_STATE_H

#include "../../abi/sys.h"
#include "../syntax/ast.h"
#include "options.h"
#include "table.h"

/* ---- Variables ------------------------------------------------------------ */

enum var_flag {
	VAR_EXPORT = 1u << 0,
	VAR_READONLY = 1u << 1,
	VAR_INTEGER = 1u << 2,
	VAR_LOWER = 1u << 3,
	VAR_UPPER = 1u << 4,
	VAR_CAPITAL = 1u << 5,
	VAR_NAMEREF = 1u << 6,
	VAR_TRACE = 1u << 7,
	VAR_ARRAY = 1u << 8,    /* value in .array (NULL: empty) */
	VAR_ASSOC = 1u << 9,    /* value in .assoc (NULL: empty) */
	VAR_SET = 1u << 10,     /* has a value; an array: was given one, even () */
	VAR_DYNAMIC = 1u << 11, /* computed: read through state_get */
	VAR_TEMP = 1u << 12,    /* from the VAR=x before a command */
	VAR_OUTLASTS = 1u << 13, /* such a one of a function, which has exported it or made it readonly: it stays */
	/* the attributes declare can show and change */
	VAR_ATTRS = VAR_EXPORT | VAR_READONLY | VAR_INTEGER | VAR_LOWER | VAR_UPPER | VAR_CAPITAL |
	            VAR_NAMEREF | VAR_TRACE | VAR_ARRAY | VAR_ASSOC,
};

struct var {
	struct item head;
	uint32_t flags; /* enum var_flag */
	uint32_t level; /* 0 global, else the level of the frame it is local to */
	union {
		union sval s;
		struct varray *array;
		struct vassoc *assoc;
	};
	char name[];
};

enum var_error {
	VAR_OK = 0,
	VAR_E_READONLY = -1,       /* "readonly variable" */
	VAR_E_NAME = -2,           /* "not a valid identifier" */
	VAR_E_SUBSCRIPT = -3,      /* "bad array subscript" */
	VAR_E_ASSOC_TO_ARRAY = -4, /* "cannot convert associative to indexed array" */
	VAR_E_ARRAY_TO_ASSOC = -5, /* "cannot convert indexed to associative array" */
	VAR_E_CIRCULAR = -6,       /* "circular name reference" */
	VAR_E_NOT_LOCAL = -7,      /* not in a function */
	VAR_E_REF_NAME = -8,       /* "invalid variable name for name reference" */
	VAR_E_NOT_SET = -9,        /* there is no such variable */
	VAR_E_REF_ARRAY = -10,     /* "reference variable cannot be an array" */
	VAR_E_SELF = -11,          /* "nameref variable self references not allowed" */
	VAR_E_DESTROY = -12,       /* "cannot destroy array variables in this way" */
};
const char *var_error_text(int error);

/* ---- Parsed text that outlives the parser ------------------------------------ */

/* Source and tree of one script, one `eval`, one sourced file; shared by the functions
 * defined in it and the frames that run it. */
struct unit {
	uint32_t refs;
	struct heap *heap;
	struct arena_source source;
	struct arena arena;
	struct str text; /* set by unit_new: the unit's own copy, NUL-terminated */
};
void unit_put(struct heap *h, struct unit *u); /* NULL is ignored */
static inline struct unit *unit_get(struct unit *u)
{
	if (u)
		u->refs++;
	return u;
}

struct func {
	struct item head;
	uint32_t flags; /* VAR_EXPORT, VAR_READONLY, VAR_TRACE */
	uint32_t line;
	struct unit *unit; /* keeps def alive */
	const struct cmd_function *def;
	struct vstr *source; /* BASH_SOURCE of it; NULL: "environment" */
	char name[];
};

/* ---- Positional parameters ---------------------------------------------------- */

struct params {
	uint32_t refs, n;
	size_t size;    /* of this block */
	struct str v[]; /* into the block, NUL-terminated */
};
struct params_view { /* what `shift` moves; params may be NULL with n == 0 */
	struct params *params;
	uint32_t first, n;
};

/* ---- Frames --------------------------------------------------------------------- */

enum frame_kind {
	FRAME_MAIN, /* the script; its unit */
	FRAME_FUNCTION,
	FRAME_SOURCE,  /* `source FILE` */
	FRAME_UNIT,    /* eval, a trap's action, -c text: only keeps its unit alive */
	FRAME_TEMPENV, /* VAR=x before a builtin or a function: only variables */
};

/* One level of the call stack. Shared between clones; change only what state_own_frames gave. */
struct frame {
	uint32_t refs;
	uint8_t kind;       /* enum frame_kind */
	bool has_opts;      /* `local -` was said: opts and shopts come back */
	bool has_params;    /* params were replaced */
	bool is_scope;      /* variables can be local to it: FUNCTION, TEMPENV */
	bool hidden;        /* its bindings are in `saved`, those it covers in the table */
	uint32_t level;     /* scopes up to and including this one */
	uint32_t depth;     /* frames below and including this one */
	uint32_t nfuncs;    /* FUNCTION frames up to and including this one */
	uint32_t call_line; /* line of the call: BASH_LINENO */
	struct frame *up;
	struct unit *unit;
	struct func *func;         /* FRAME_FUNCTION */
	struct vstr *source;       /* BASH_SOURCE of MAIN, SOURCE */
	struct params_view params; /* the caller's, when has_params */
	uint64_t opts;
	struct str command; /* the caller's $BASH_COMMAND */
	uint32_t nsaved, cap_saved;
	struct item **saved; /* former bindings, or ITEM_ABSENT */
};

/* ---- The state --------------------------------------------------------------------- */

#define TRAP_EXIT   0 /* 1..64: signals */
#define TRAP_DEBUG  65
#define TRAP_ERR    66
#define TRAP_RETURN 67
#define TRAP_COUNT  68

struct trap_table {
	uint32_t refs;
	uint32_t set;                    /* how many are not NULL */
	struct vstr *action[TRAP_COUNT]; /* NULL: default; "": ignored */
};

struct pipe_status {
	uint32_t refs, n;
	uint8_t v[];
};

/* IFS, looked at once. */
struct ifs {
	uint32_t sep[8];   /* bit set: every byte of IFS */
	uint32_t white[8]; /* those that are blank, tab or newline */
	char first[8];     /* its first character, for "$*" */
	uint8_t first_len; /* 0: IFS is empty */
	bool is_default;   /* unset or blank, tab, newline */
	bool multibyte;    /* holds a character of several bytes */
};

struct shell_state {
	struct heap *heap;
	struct proc *p;

	/* shared until written */
	struct table vars, funcs, aliases, paths; /* paths: `hash` */
	struct table foreign; /* of the environment what has no name for a variable (a-b=1): handed on as it is */
	struct frame *frame;                      /* innermost, NULL before the first */
	struct params_view params;
	struct vstr *arg0;              /* $0 */
	struct vstr *command_string;    /* BASH_EXECUTION_STRING, or NULL */
	struct vstr *kept_command;      /* $BASH_COMMAND, once the text it was in may be gone */
	struct trap_table *traps;       /* NULL: none was ever set */
	struct trap_table *shown_traps; /* in a subshell that has set none: what `trap` lists, those of the shell it came from; or NULL */
	struct varray *dirs;            /* pushd's stack without its top (the cwd); NULL: empty */
	struct varray *history;         /* of history.c; NULL: empty */
	struct vassoc *completions;     /* what `complete` was told, by name; NULL: nothing */
	struct pipe_status *pipestatus; /* NULL: one element, `status` at pipe_one */
	struct env_block *env;          /* cached environment, or NULL */
	struct item *pin;               /* something under construction */
	struct vstr *jobs;   /* the interpreter's table of children, as bytes; state_clone leaves it
	                        NULL */
	struct vstr *handed; /* a copy of it on its way to a child; NULL else */
	union sval last_arg; /* $_ */

	/* plain */
	uint64_t opts, shopts; /* SET_*, SHOPT_* */
	uint64_t special_off;  /* bit: enum special_id that was unset */
	uint64_t random_state;
	int32_t random_pid;   /* whose sequence random_state is */
	int64_t seconds_base; /* SECONDS = now - base, in seconds */
	int64_t last_bg;      /* $!, 0: none */
	int64_t shell_pid;    /* $$ */
	int32_t status;       /* $? */
	uint32_t within;      /* for VAR_WITHIN */
	uint32_t line;        /* $LINENO */
	uint32_t subshell;    /* $BASH_SUBSHELL */
	uint32_t nfuncs_max;  /* FUNCNEST as a number, 0: none */
	uint32_t history_base;  /* number of the oldest entry */
	uint32_t history_fresh; /* entries that no `history -a` has written */
	uint32_t history_lines; /* lines of the file that are known: history -n */
	bool history_noted;     /* the newest entry is the line that runs */
	uint8_t pipe_one;
	bool is_c;          /* -c: shown as c in $- */
	bool is_stdin;      /* s in $- */
	bool is_interactive; /* i in $- */
	bool utf8;          /* multibyte characters */
	bool env_stale;     /* an exported variable changed since env was made */
	struct str command; /* $BASH_COMMAND: inside a unit a frame holds */
	struct ifs ifs;
	uint32_t getopts_at;   /* offset in the current argument, 0: at its start */
	uint32_t getopts_ind;  /* the OPTIND getopts_at belongs to */
	uint32_t path_changed; /* counts assignments to PATH */
	void *interp;          /* the interpreter's own (arena) data; NULL in a fresh clone */
};

/* ---- Life cycle ---------------------------------------------------------------------- */

/* A shell's first state, attached to p, with the variables of its environment. */
struct shell_state *state_new(struct proc *p);
/* One reference on everything; frames included. Not attached to anything yet. */
struct shell_state *state_clone(struct shell_state *st);
/* In the proc that got it through sys_spawn or sys_session_take: from now on `p` is its proc
 * (attaches it too). */
void state_adopt(struct shell_state *st, struct proc *p);
/* For sys_attach, sys_spawn, sys_session_put. */
void state_release(struct heap *h, void *state);

/* ---- Variables: reading ---------------------------------------------------------------- */

/* The binding, without following a name reference; NULL when there is none in the table (a
 * special variable nobody changed is not: use state_get, or state_special_var). Borrowed. */
const struct var *state_find(const struct shell_state *st, struct str name);

/* The binding that scopes up to a level see; that of level 0 is the bottom one. Others may hide it. */
const struct var *state_find_within(const struct shell_state *st, struct str name, uint32_t level);
static inline const struct var *state_find_global(const struct shell_state *st, struct str name)
{
	return state_find_within(st, name, 0);
}

/* As state_find, but a special variable is put into the table first (declare -p, unset,
 * attributes). */
struct var *state_materialize(struct shell_state *st, struct str name);

/* The value of a scalar (element 0 or key "0" of an array; of what a name reference names, when
 * that is a plain name). False when unset. Computed values are written into `buf`. Borrowed until
 * the variable changes. */
#define VALUE_BUF 64
bool state_get(struct shell_state *st, struct str name, char buf[VALUE_BUF], struct str *out);

/* The same of a binding that was found (NULL: none), which need not be the visible one. */
bool state_value(struct shell_state *st, const struct var *v, struct str name, char buf[VALUE_BUF], struct str *out);

/* What a chain of name references from `name` ends in: a name, or name[subscript]. VAR_OK,
 * VAR_E_CIRCULAR; *out is `name` itself when it is no reference. Borrowed. */
int state_resolve(const struct shell_state *st, struct str name, struct str *out);

/* All variables, specials with a value or attributes included, sorted by name (byte order), in the
 * proc's arena. Specials are put into the table by it. */
size_t state_vars(struct shell_state *st, const struct var ***out);
/* Whether a variable of that name with a value is hidden by the visible one. */
bool state_hides_value(const struct shell_state *st, struct str name);

/* The elements of a variable that is a computed array (FUNCNAME, PIPESTATUS, GROUPS…), in the
 * proc's arena; false when `name` is not one. */
struct varray_view {
	struct str *v;
	size_t n;
};
bool state_dynamic_array(struct shell_state *st, struct str name, struct varray_view *out);

/* ---- Variables: writing ----------------------------------------------------------------- */

/* Where a variable that does not exist yet, or is to be hidden, is made. */
enum var_where {
	VAR_VISIBLE, /* the visible binding; a new one is global */
	VAR_LOCAL,   /* of the innermost function frame: made if the binding is another's */
	VAR_GLOBAL,  /* the bottom one (declare -g) */
	VAR_TEMPENV, /* of the top frame, which is FRAME_TEMPENV: exported */
	VAR_WITHIN,  /* what scopes up to st->within see */
};

/* The one low-level setters. They check readonly, apply upper/lower case, keep caches (IFS,
 * environment) right and set VAR_SET; they do not follow references and do not evaluate integers
 * (expand.h's assign does all of that). A scalar write to an array sets element 0 (key "0").
 * state_put returns VAR_OK or an error. */
int state_put(struct shell_state *st, struct str name, enum var_where where, struct str value,
              bool append);
int state_put_elem(struct shell_state *st, struct str name, enum var_where where, int64_t index,
                   struct str value, bool append);
int state_put_key(struct shell_state *st, struct str name, enum var_where where, struct str key,
                  struct str value, bool append);
/* a=(): empties it (making it an indexed array unless it is an associative one). */
int state_clear_array(struct shell_state *st, struct str name, enum var_where where);

/* Visible scalar, the common case; ignores nothing. */
static inline int state_set(struct shell_state *st, struct str name, struct str value)
{
	return state_put(st, name, VAR_VISIBLE, value, false);
}
int state_set_i64(struct shell_state *st, struct str name, int64_t value);

/* declare: makes the variable if needed (no value), then attributes on and off. Turning a scalar
 * into an array keeps its value as element 0. *out (may be NULL) is the variable. `local x` of a
 * name with a temporary binding keeps its value, as does localvar_inherit. */
int state_declare(struct shell_state *st, struct str name, enum var_where where, uint32_t on,
                  uint32_t off, const struct var **out);

/* unset -v NAME (not following), unset 'a[i]'. VAR_E_READONLY; VAR_OK also when there was nothing.
 */
int state_unset(struct shell_state *st, struct str name);
int state_unset_elem(struct shell_state *st, struct str name, int64_t index);
int state_unset_key(struct shell_state *st, struct str name, struct str key);

/* NULL-terminated NAME=value strings of the exported variables and functions, cached until one
 * changes; the block belongs to the state: install with sys_self(p)->env only for a call at once.
 */
char **state_environ(struct shell_state *st);

/* ---- Functions, aliases, hashed paths ------------------------------------------------------- */

/* Room for one parsed text: a unit with its own copy of the text, pushed as the top frame's
 * (FRAME_UNIT) — so that it is not lost when the proc ends while parsing. */
struct unit *unit_new(struct shell_state *st, enum frame_kind kind, struct str text);

const struct func *state_func(const struct shell_state *st, struct str name,
                              uint32_t hash); /* hash: ast_hash */
/* Defines it, from the unit that holds def. VAR_E_READONLY. */
int state_define(struct shell_state *st, const struct cmd_function *def, struct unit *unit,
                 struct vstr *source);
int state_undefine(struct shell_state *st, struct str name); /* VAR_E_NOT_SET, VAR_E_READONLY */
int state_func_flags(struct shell_state *st, struct str name, uint32_t on, uint32_t off);
size_t state_funcs(struct shell_state *st, const struct func ***out); /* sorted, in the arena */

const struct item_text *state_alias(const struct shell_state *st, struct str name);
void state_set_text(struct shell_state *st, struct table *t, struct str name,
                    struct str text); /* &st->aliases, &st->paths */
bool state_unset_text(struct shell_state *st, struct table *t, struct str name);
void state_clear_texts(struct shell_state *st, struct table *t);
size_t state_texts(struct shell_state *st, const struct table *t,
                   const struct item_text ***out); /* sorted */

/* ---- Frames and parameters --------------------------------------------------------------------
 */

/* Pushes a frame. FRAME_FUNCTION: func (a reference is taken on it and on its unit). */
struct frame *frame_push(struct shell_state *st, enum frame_kind kind, const struct func *func);
/* Leaves the top frame: variables, parameters, `local -` options and BASH_COMMAND come back. */
void frame_pop(struct shell_state *st);
/* The bindings of the top frame go out of sight, or come back. */
void frame_hide(struct shell_state *st);
/* The top frame, unshared: may be changed. */
struct frame *frame_own(struct shell_state *st);
/* Innermost frame of a kind, or NULL. */
struct frame *frame_find(const struct shell_state *st, enum frame_kind kind);

/* Replaces the parameters. In a frame just pushed, pass keep=true: the old ones come back at
 * frame_pop. */
void params_set(struct shell_state *st, char *const *v, size_t n, bool keep);
static inline size_t params_count(const struct shell_state *st)
{
	return st->params.n;
}
/* $1 is i == 1. */
static inline struct str params_at(const struct shell_state *st, size_t i)
{
	return st->params.params->v[st->params.first + i - 1];
}
static inline void params_shift(struct shell_state *st, uint32_t n)
{
	st->params.first += n;
	st->params.n -= n;
}

/* ---- The rest
 * ------------------------------------------------------------------------------------ */

void state_set_last_arg(struct shell_state *st, struct str s); /* $_ */
void state_set_arg0(struct shell_state *st, struct str s);
/* $BASH_COMMAND outlives the text it is in. */
void state_keep_command(struct shell_state *st, struct str s);
void state_set_command_string(struct shell_state *st, struct str s); /* without bytes (NULL): there is none */
/* PIPESTATUS of a pipeline; with n == 1 nothing is allocated. */
void state_set_pipestatus(struct shell_state *st, const uint8_t *v, size_t n);
static inline void state_set_status(struct shell_state *st,
                                    int status) /* of one command: $? and PIPESTATUS */
{
	st->status = status;
	st->pipe_one = (uint8_t)status;
	if (UNLIKELY(st->pipestatus != NULL))
		state_set_pipestatus(st, &st->pipe_one, 1);
}
/* set -o / shopt, with what depends on it (SHELLOPTS, posix…). */
void state_set_opts(struct shell_state *st, uint64_t opts, uint64_t shopts);
size_t state_flags_text(const struct shell_state *st, char buf[40]); /* $- */

/* Whether `name` is from the VAR=x before the call of a function that is running; and that it stays when that returns. */
bool state_is_temp(const struct shell_state *st, struct str name);
void state_outlast(struct shell_state *st, struct str name);

struct vstr *trap_get(const struct shell_state *st, unsigned which); /* borrowed; NULL: default */
/* What `trap` lists: in a subshell the traps of the shell it came from, until it sets one itself. */
struct vstr *trap_shown(const struct shell_state *st, unsigned which);
void traps_show_only(struct shell_state *st);
void traps_show_own(struct shell_state *st);
void trap_set(struct shell_state *st, unsigned which, const struct str *action); /* NULL: default */
void trap_clear_all(struct shell_state *st, bool keep_ignored); /* a subshell's start */

/* pushd's stack; entry 0 is the cwd. */
size_t dirs_count(const struct shell_state *st);
bool dirs_at(struct shell_state *st, size_t i, struct str *out);
void dirs_push(struct shell_state *st, struct str dir); /* becomes entry 1 */
bool dirs_remove(struct shell_state *st, size_t i);     /* i >= 1 */
void dirs_clear(struct shell_state *st);

/* history.c: the list of commands; entry 0 is the oldest, its number st->history_base. */
#define HISTORY_MAX 100000u
size_t history_count(const struct shell_state *st);
struct str history_at(const struct shell_state *st, size_t i, int64_t *when); /* when: or NULL */
void history_add(struct shell_state *st, struct str text);
void history_extend(struct shell_state *st, struct str more); /* of the newest entry */
bool history_remove(struct shell_state *st, size_t i);
void history_stifle(struct shell_state *st); /* to a HISTSIZE that became smaller */
void history_clear(struct shell_state *st);

/* The cwd as the shell names it: $PWD when it is right, else the kernel's. */
struct str state_cwd(struct shell_state *st);

static inline bool name_start(char c)
{
	return ascii_alpha((unsigned char)c) || c == '_';
}
static inline bool name_char(char c)
{
	return ascii_alnum((unsigned char)c) || c == '_';
}
bool name_valid(struct str s); /* [A-Za-z_][A-Za-z0-9_]* */
/* name[sub] with balanced brackets to the end: true, and both pieces. */
bool name_split(struct str s, struct str *name, struct str *sub);

#endif
