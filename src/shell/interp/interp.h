/*
 * interp.h - the interpreter: what one running shell is, and its tasks.
 *
 * The interpreter walks the tree without recursion on the native stack: what is under way
 * (a loop, a function call, an eval) is a task in the proc's arena, and machine_run steps
 * the newest one. So a shell function may call itself as deep as memory allows on a fiber
 * whose stack is 64 KiB, and break, return and errors are a value that tasks look at, not
 * a jump.
 *
 *	machine_start(sh, cmd)     runs cmd at once when it needs no task, else pushes one
 *	machine_run(sh, base)      steps until `base` is the newest task again
 *
 * Every command gives the arena back as it found it; tasks are allocated in between, so
 * popping them is what frees memory. Whatever lives longer is in struct shell_state.
 *
 * Layer     shell/interp
 * Owns      struct shell is in the arena of its proc; the state is attached to the proc
 * Threads   the fiber of its proc
 * Suspends  nearly everything may
 */
#ifndef NACRE_SHELL_INTERP_INTERP_H
#define NACRE_SHELL_INTERP_INTERP_H

#include "../../regex/regex.h"
#include "../../user/user.h"
#include "../builtin/builtin.h"
#include "../expand/expand.h"
#include "../expand/state.h"
#include "../syntax/ast.h"
#include "../syntax/parser.h"

/* ---- Flow ----------------------------------------------------------------- */

/* What unwinds the tasks. */
enum flow {
	FLOW_NONE,
	FLOW_BREAK,    /* sh->flow_count loops */
	FLOW_CONTINUE, /* the loop sh->flow_count - 1 further out */
	FLOW_RETURN,   /* the innermost function or sourced file */
	FLOW_DISCARD,  /* an error of expansion: the innermost text that is read line by line */
};

/* ---- Tasks ---------------------------------------------------------------- */

enum task_kind {
	TASK_LIST,
	TASK_ANDOR,
	TASK_PIPE,
	TASK_IF,
	TASK_WHILE,
	TASK_FOR,
	TASK_CFOR,
	TASK_CASE,
	TASK_SELECT,
	TASK_REDIRS,
	TASK_CALL,
	TASK_UNIT,
	TASK_NKINDS,
};

/* The head of every task. What it saves is put back when it is popped. */
struct task {
	struct task *up;
	const struct cmd *cmd;
	struct arena_mark mark;  /* of before the task */
	struct redir_undo *undo; /* sh->undo of before */
	uint8_t kind;            /* enum task_kind */
	uint8_t step;            /* where it stands; each kind's own */
	uint8_t trace_depth;     /* sh->trace_depth outside */
	uint16_t noerr;          /* sh->noerr outside */
	uint32_t loops;          /* sh->loops outside */
};

/* Lists, and-or rows, if, while, for ((;;)): a position and a status to return. */
struct task_seq {
	struct task t;
	uint32_t i;
	int status;
};

struct task_case {
	struct task t;
	uint32_t i;
	bool ran;
	struct str value;
};

struct task_for { /* for and select */
	struct task t;
	size_t i;
	struct fields words;
};

/* A pipeline with a flag, or whose last command runs in this shell (lastpipe). */
struct task_pipe {
	struct task t;
	int *pids; /* of all stages but the last */
	int64_t start_real, start_cpu;
};

/* A function, or a builtin that runs text (eval, source): what its command set up. */
struct task_call {
	struct task t;
	const struct cmd_function *def; /* NULL: a builtin */
	const char *last_arg;           /* becomes $_ */
	uint32_t depth;                 /* frames of the state outside */
	uint32_t line;
	uint8_t trap_mask;                /* sh->trap_mask outside */
	bool had_error;                   /* an ERR trap was set */
	uint32_t getopts_at, getopts_ind; /* the caller's, which a local OPTIND brings back */
};

/* A text that is parsed and run command by command. */
enum unit_role { UNIT_MAIN, UNIT_EVAL, UNIT_SOURCE, UNIT_TRAP };

struct task_unit {
	struct task t;
	uint8_t role; /* enum unit_role */
	bool ran;
	bool debugged; /* a sourced file that put the DEBUG trap aside */
	uint32_t depth;     /* frames of the state outside */
	const char *input;  /* what parse errors call the text: "-c", "eval" */
	struct cmd **lines; /* the whole, when it was parsed before; NULL-terminated */
	struct parser parser;
};

/* What redirections have to put back: one chain, newest first. */
struct redir_undo {
	struct redir_undo *next;
	int fd;
	int saved;    /* where the former one is kept; -1: it was closed */
	bool cloexec; /* the former one was close-on-exec */
	bool procsub; /* fd is a process substitution's: only to be closed */
};

/* ---- The shell -------------------------------------------------------------- */

#define OUT_BUFFER 512

#define TRACE_DEPTH_MAX 200

#define NOERR_EVAL 0x8000u

struct shell {
	struct proc *p;
	struct shell_state *st;
	struct expander x;
	struct expand_host host;

	struct task *top;
	struct redir_undo *undo;
	uint8_t flow; /* enum flow */
	uint32_t flow_count;
	uint16_t noerr; /* > 0: a failure does not end the shell; with NOERR_EVAL no mistake does either */
	uint32_t loops; /* loops around the command, in this function */

	bool root;  /* the first proc of a run: keeps the session */
	bool child; /* a subshell of any kind */
	bool login, interactive;
	bool stdin_given;        /* not to be replaced by /dev/null for jobs in the background */
	bool aside;              /* the child that redirects and starts one program */
	bool stage;              /* a stage of a pipeline that is one simple command */
	bool only;               /* a subshell of one simple command, which may become a program although ERR is trapped */
	bool alone;              /* that, or such a job */
	bool exits_in_place;     /* by `exit` in a function, or a mistake under set -e: redirections are in force in the EXIT trap */
	bool starts_job;         /* the stages it starts are in the background */
	bool not_found;          /* the last command was not found: the run's outcome */
	const struct cmd *noted; /* what $BASH_COMMAND is about, while it runs */
	uint8_t trace_depth;     /* more + in front of xtrace's lines, up to TRACE_DEPTH_MAX */
	bool exit_deeper;        /* one more for the EXIT trap: a subshell that is no substitution */
	uint8_t nested;          /* machine_run's inside one another */
	uint64_t trapped;        /* bit: signal has an action; bit 0: EXIT has one */
	uint64_t held;           /* signals that came while a child was waited for */
	uint8_t special_traps;   /* bits 1 << TRAP_DEBUG - 65...: has an action */
	int before_return;       /* $? when return was met: what its trap sees */
	const struct cmd *unredirected; /* the compound command whose redirections failed last */
	uint8_t trap_mask;       /* the same bits: may run in this function */
	uint8_t in_trap;         /* the same bits: is running */
	uint64_t in_signal_trap;
	int last_signal;           /* whose trap ran last */
	const char *parent_exit;   /* the EXIT trap of the shell that this one was made from; or NULL */
	bool for_program;          /* the redirections at hand are a program's */
	const struct cmd *debugged; /* the stage that this subshell is: its DEBUG trap has run before */
	int trap_status;           /* $? for `exit` and `return` without a number in a trap */
	int exiting;               /* the EXIT trap has begun */

	const struct builtin *builtins[16]; /* found last, by the hash of their names */
	bool spends;                        /* a budget of loops, commands or source is set */
	uint64_t refused;                   /* constructs that the profile leaves out */
	uint64_t disabled[2];               /* bit: index in builtin_table, after enable -n */
	const struct assign **decl; /* array literals among a declaration's arguments, by index */
	const struct builtin *builtin; /* that runs, for messages; NULL */
	const char *builtin_name;
	int coproc_pid; /* of the newest coprocess; 0: none */
	int coproc_fds[2];
	const char *coproc_name;
	const char *session_pwd; /* $PWD of the session, when the run is elsewhere; else NULL */
	struct regex_memory *regexes; /* regex.c; NULL: none yet */
	uint32_t path_seen; /* st->path_changed when the remembered paths were right */

	struct u_out out; /* standard output of builtins, flushed after each */
	char out_buf[OUT_BUFFER];
};

static inline bool set_is(const struct shell *sh, uint64_t bit)
{
	return (sh->st->opts & bit) != 0;
}
static inline bool shopt_is(const struct shell *sh, uint64_t bit)
{
	return (sh->st->shopts & bit) != 0;
}
static inline int shell_status(const struct shell *sh)
{
	return sh->st->status;
}
static inline void shell_set_status(struct shell *sh, int status)
{
	state_set_status(sh->st, status);
}

/* Of a compound command that ended without one of its commands: bash leaves PIPESTATUS to the
 * commands. */
static inline void shell_compound_status(struct shell *sh, int status)
{
	sh->st->status = status;
}

/* ---- life.c ------------------------------------------------------------------- */

/* A shell over a state that p has adopted. */
struct shell *shell_new(struct proc *p, struct shell_state *st);
/* Runs the EXIT trap, leaves the session, ends the proc. */
NORETURN void shell_exit(struct shell *sh, int status);
/* Of the first shell of a run: its state is the session's now, the proc has none. */
void shell_leave_session(struct shell *sh);
/* Drops what only a running shell has: frames and their local variables, jobs, $?. */
void shell_settle(struct shell_state *st);
/* Leaves the session before the shell is replaced by a program; takes it back when that failed. */
void shell_before_exec(struct shell *sh);
void shell_after_exec(struct shell *sh);
/* An error that ends a shell which is not interactive (special builtins in posix mode). */
void shell_fatal_posix(struct shell *sh);

/* ---- error.c ------------------------------------------------------------------- */

/* "bash: line N: text\n" on fd 2, or "FILE: line N: ...". */
void shell_error(struct shell *sh, const char *fmt, ...) PRINTF(2, 3);
/* The same of a mistake that under set -e ends the shell, in a condition as well. */
void shell_report(struct shell *sh, const char *fmt, ...) PRINTF(2, 3);
static inline bool shell_ends_at_mistake(const struct shell *sh)
{
	return set_is(sh, SET_ERREXIT) && !(sh->noerr & NOERR_EVAL);
}
/* eval, source or `command` runs here: where its failure does not count, no mistake in it ends the shell. */
static inline void shell_tolerate(struct shell *sh)
{
	if (sh->noerr)
		sh->noerr |= NOERR_EVAL;
}
/* The same with the builtin's name before the text. */
void builtin_error(struct shell *sh, const char *fmt, ...) PRINTF(2, 3);
/* What messages start with. */
const char *shell_error_name(struct shell *sh);
void shell_parse_error(struct shell *sh, const struct parse_error *e, const char *input);
/* A variable that cannot be assigned (enum var_error). Of a readonly one, and of a bad subscript, bash does not say
 * which builtin met it. */
void builtin_assign_error(struct shell *sh, const char *name, int error);
void shell_warn_at(struct shell *sh, uint32_t line, const char *text);

/* ---- machine.c ------------------------------------------------------------------ */

void *task_push(struct shell *sh, enum task_kind kind, const struct cmd *cmd, size_t size);
/* The same when the arena is to be reset to an earlier mark, and descriptors to an earlier chain.
 */
void *task_push_from(struct shell *sh, enum task_kind kind, const struct cmd *cmd, size_t size,
                     struct arena_mark mark, struct redir_undo *undo);
void task_pop(struct shell *sh);

/* Runs a command, or begins it: true when tasks were pushed that have yet to run. cmd is not NULL.
 */
bool machine_start(struct shell *sh, const struct cmd *cmd);
bool machine_start_inner(struct shell *sh, const struct cmd *cmd); /* without its redirections */
void machine_run(struct shell *sh, struct task *base);
/* Runs a command to its end on the native stack (traps, callbacks). NULL is nothing. */
void machine_command(struct shell *sh, const struct cmd *cmd);

/* To be called after every command whose failure may end the shell. */
void machine_check_failed(struct shell *sh);
static inline void machine_check(struct shell *sh)
{
	if (UNLIKELY(sh->st->status != 0) && sh->noerr == 0)
		machine_check_failed(sh);
}

/* After an expansion said false: sets the status and the flow by x->error. */
void machine_expand_failed(struct shell *sh);

/* ---- compound.c ------------------------------------------------------------------- */

void list_step(struct shell *sh, struct task *t);
void andor_step(struct shell *sh, struct task *t);
void if_step(struct shell *sh, struct task *t);
void while_step(struct shell *sh, struct task *t);
void for_step(struct shell *sh, struct task *t);
void cfor_step(struct shell *sh, struct task *t);
void case_step(struct shell *sh, struct task *t);
void redirs_step(struct shell *sh, struct task *t);
bool for_start(struct shell *sh, const struct cmd_for *c, enum task_kind kind);
bool cfor_start(struct shell *sh, const struct cmd_cfor *c);
bool case_start(struct shell *sh, const struct cmd_case *c);

/* select.c, cond.c, arith */
void select_step(struct shell *sh, struct task *t);
void cond_command(struct shell *sh, const struct cmd_cond *c);
/* regex.c: the pattern compiled, and what searches with it need; NULL when it is wrong. Good until the next call. */
struct regex *regex_remembered(struct shell *sh, struct str pattern, unsigned flags,
                               struct regex_scratch **scratch);
void arith_command(struct shell *sh, const struct cmd_arith *c);

/* ---- simple.c, call.c ---------------------------------------------------------------- */

bool simple_start(struct shell *sh, const struct cmd_simple *c);
/* An assignment of the tree, traced under set -x. */
bool simple_assign(struct shell *sh, const struct assign *a, enum var_where where);

void function_define(struct shell *sh, const struct cmd_function *c);
/* Pushes the call: the task is already there, its undo and assignments done. */
void function_call(struct shell *sh, struct task_call *t, const struct func *f, char **argv,
                   size_t n);
void call_step(struct shell *sh, struct task *t);
void call_leave(struct shell *sh, struct task_call *t);
bool call_catches(struct shell *sh, struct task_call *t);
uint32_t frames_depth(const struct shell_state *st);
void frames_leave(struct shell_state *st, uint32_t depth);

/* unit.c: pushes a task that parses and runs `text`. first_line: of the text; source: the file it
 * comes from, as BASH_SOURCE shows it, NULL when it is none. */
struct task_unit *unit_push(struct shell *sh, enum unit_role role, struct str text,
                            const char *input, uint32_t first_line, const char *source);
/* Parses all of the unit before any of it runs: false with t->parser.error set. */
bool unit_parse_all(struct shell *sh, struct task_unit *t);
void unit_step(struct shell *sh, struct task *t);
void unit_leave(struct shell *sh, struct task_unit *t);
bool unit_catches(struct shell *sh, struct task_unit *t);
/* Runs a text to its end on the native stack. command: what $BASH_COMMAND is in it; NULL: as it is.
 */
void unit_run(struct shell *sh, enum unit_role role, struct str text, const char *input,
              uint32_t first_line, const struct str *command);
/* A file to be sourced or run, read whole: 0 or -E; -NACRE_ENOEXEC for a binary one. */
MUST_USE int unit_read(struct shell *sh, const char *path, struct str *out);
void unit_parse_options(struct shell *sh, struct parse_options *o);
/* False, with the parser's error set, when cmd uses what the profile leaves out. */
bool unit_allowed(struct shell *sh, struct parser *p, const struct cmd *cmd);

/* ---- history.c, histexpand.c ------------------------------------------------------------- */

/* The source of a command that is about to run becomes an entry (set -o history). */
void history_note(struct shell *sh, struct str text);
/* Adds an entry unless HISTCONTROL or HISTIGNORE are against it. */
bool history_push(struct shell *sh, struct str line);
/* The entry of the line that runs goes again, if it made one. */
void history_take_back(struct shell *sh);
/* `set -o history` reads $HISTFILE; the end of the shell writes it. */
void history_load(struct shell *sh);
void history_save(struct shell *sh);
/* Expands !! and the like. 1: *out is another text; 2: and is only to be printed (:p); 0: as it
 * was; -1: *out is what is wrong. */
int history_expand(struct shell *sh, struct str line, struct str *out);

/* ---- redirect.c ----------------------------------------------------------------------- */

/* Applies a row of redirections; with `undo`, what they replace is kept in sh->undo. False
 * after a message, with everything put back. */
bool redir_apply_all(struct shell *sh, const struct redir *r, bool undo);
/* False: what was written to one of them could not be kept, and that was said: the command has failed. */
bool redir_undo(struct shell *sh, struct redir_undo *until);
/* What was replaced since `until` stays replaced (exec). */
bool redir_forget(struct shell *sh, struct redir_undo *until); /* likewise */
/* `from` becomes descriptor `fd` until the next redir_undo. */
void redir_replace(struct shell *sh, int fd, int from);
/* Has the descriptor closed at the next redir_undo. */
void redir_close_later(struct shell *sh, int fd);

/* ---- lookup.c: which command a name means ----------------------------------------------- */

struct found {
	const struct func *func;
	const struct builtin *builtin;
	const struct program *program; /* starts without a look-up */
	const char *path;              /* of a program; NULL: not found */
	int err;                       /* why not: -NACRE_ENOENT... */
};

/* A program whose redirections assign, or may fail for good: as in bash that happens in the child. */
struct aside {
	const struct cmd *cmd; /* whose redirections they are */
	struct found found;
	char **argv;
	int (*run)(struct shell *sh, const struct aside *a); /* in the child; the status */
};
int program_aside(struct shell *sh, const struct aside *aside);
enum lookup_flags {
	LOOK_NO_FUNCTION = 1,
	LOOK_NO_PROGRAM = 2,
	LOOK_DEFAULT_PATH = 4, /* command -p */
	LOOK_NO_HASH = 8,
	LOOK_NO_BUILTIN = 16,
	LOOK_ASIDE = 32, /* for a stage: what it finds is remembered by nobody */
};
void lookup_command(struct shell *sh, struct str name, uint32_t hash, unsigned flags,
                    struct found *out);
/* The path of a program by PATH in the arena, or NULL. all: every one, for type -a. */
const char *lookup_path(struct shell *sh, const char *name, unsigned flags, int *err);
size_t lookup_path_all(struct shell *sh, const char *name, const char ***out);
/* A file by PATH that need not be executable (source). */
const char *lookup_source(struct shell *sh, const char *name);
const struct program *lookup_program_of(struct shell *sh, const char *path);

/* ---- spawn.c: children --------------------------------------------------------------------- */

enum child_role {
	CHILD_PIPE,     /* a stage of a pipeline */
	CHILD_SUBSHELL, /* ( ) */
	CHILD_COMSUB,
	CHILD_PROCSUB,
	CHILD_ASYNC, /* & */
	CHILD_COPROC,
};

/* Starts a subshell that runs cmd (NULL: nothing); its pid or -E after a message. */
int child_spawn(struct shell *sh, enum child_role role, const struct cmd *cmd,
                const struct sys_fd_move *fds, size_t nfds);
/* The same, behind those that are started after it. */
int child_spawn_late(struct shell *sh, enum child_role role, const struct cmd *cmd,
                     const struct sys_fd_move *fds, size_t nfds);
/* Starts a program; its pid or -E (no message). */
int program_spawn(struct shell *sh, const struct found *f, char **argv,
                  const struct sys_fd_move *fds, size_t nfds, bool late);
/* Replaces this shell by the program; returns -E. */
int program_exec(struct shell *sh, const struct found *f, char **argv, char **env, const char *env_last);
/* What a program is told of its own path, $_: NULL when it is to see nothing of the shell's own. */
const char *program_variable(struct shell *sh, const struct found *f);
/* Says why argv[0] did not start; the status, 126 or 127. */
int program_failed(struct shell *sh, const char *name, const struct found *f, int err);
/* Waits for a child; its status as $? shows it. cmd: what a message about its end by a signal
 * names; NULL: no message. */
int child_wait(struct shell *sh, int pid, const struct cmd *cmd);
/* The same in two steps, for who puts redirections back in between: the status, and how the child ended; what there is to say of that. */
int child_end(struct shell *sh, int pid, struct sys_wait *w);
void child_report(struct shell *sh, const struct sys_wait *w, const struct cmd *cmd);

/* After `time`: what TIMEFORMAT says. */
void time_report(struct shell *sh, const struct task_pipe *t, bool posix);
void subshell_run(struct shell *sh, const struct cmd *cmd);
/* Ends the run when a word of one of the stages is certain to be too large (admit.c). */
void pipe_admit(struct shell *sh, const struct cmd_pipe *c);
/* keyword.c: the command with the assignments among its words where assignments are. In the arena. */
const struct cmd_simple *keywords_apart(struct shell *sh, const struct cmd_simple *c);
bool pipe_start(struct shell *sh, const struct cmd_pipe *c);
/* Starts all stages in the background; pids: of c->n. False: one could not be started. */
bool pipe_background(struct shell *sh, const struct cmd_pipe *c, int *pids);
void pipe_step(struct shell *sh, struct task *t);
void background_start(struct shell *sh, const struct cmd *cmd);
void coproc_start(struct shell *sh, const struct cmd_coproc *c);
bool comsub_run(struct expand_host *h, const struct comsub *c, struct u_buf *out);
const char *procsub_run(struct expand_host *h, const struct comsub *c);

/* ---- jobs.c ------------------------------------------------------------------------------------
 */

struct job {
	uint32_t id;
	int pid;
	int status; /* once ended */
	int signal;
	bool ended; /* the proc of that pid */
	bool done, notified;
	uint8_t stopped; /* by this signal */
	uint8_t kind;
	const char *text; /* in the arena */
};
enum job_kind {
	JOB_PROC,
	JOB_PIPELINE, /* several procs, or one whose children are the stages */
	JOB_GROUP     /* a group of procs of its own: set -m */
};
void job_add(struct shell *sh, int pid, const struct cmd *cmd);
/* A pipeline whose stages are children: the job's pid is that of the last. */
void job_add_pipe(struct shell *sh, const int *pids, const struct cmd_pipe *c);
/* Its stages but the last, in the arena. */
size_t job_stages(struct shell *sh, const struct job *j, struct job **out);
/* Takes in children that have ended, without waiting. */
void jobs_poll(struct shell *sh);
/* The jobs, in the arena. */
size_t jobs_list(struct shell *sh, struct job **out);
/* By "%1", "%%", "%name", "%?text": 1 and *out, 0 when there is none, -1 when ambiguous. */
int job_find(struct shell *sh, const char *spec, struct job *out);
bool job_by_pid(struct shell *sh, int pid, struct job *out);
/* The coprocess has ended: its descriptors and its array go. */
void coproc_ended(struct shell *sh);
/* A child's end, as sys_wait told it. */
void job_ended(struct shell *sh, const struct sys_wait *w);
/* Its end was told to the user: it is no job any more, but `wait PID` still knows its status. */
void job_reported(struct shell *sh, int pid);
void job_forget(struct shell *sh, int pid);
void job_disown(struct shell *sh, int pid);
const char *job_state(struct shell *sh, const struct job *j);
/* Where bash looks at its jobs: those that a signal ended are told of, and with set -m the others; what was told
 * is no job any more. A script's jobs that ended by themselves stay until somebody asks. */
void jobs_notify_slow(struct shell *sh);
static inline void jobs_notify(struct shell *sh)
{
	if (UNLIKELY(sh->st->jobs != NULL))
		jobs_notify_slow(sh);
}
void jobs_clear(struct shell *sh);

/* ---- trap.c ---------------------------------------------------------------------------------- */

void trap_changed(struct shell *sh);               /* after trap_set: caches what is set */
void trap_allow(struct shell *sh, unsigned which); /* in force in this function */
void trap_now_set(struct shell *sh, unsigned which); /* in this function: in force in it and its callers */
void trap_poll_slow(struct shell *sh);
static inline void trap_poll(struct shell *sh)
{
	if (UNLIKELY(sh->trapped != 0) && (sh->held || sys_signal_waiting(sh->p)))
		trap_poll_slow(sh);
}
/* A wait for a child was interrupted: a signal that ends the shell does so now, others wait. */
void trap_interrupted(struct shell *sh);
/* With an EXIT trap the signals that end the shell are caught, so that it runs. */
void trap_catch_fatal(struct shell *sh, bool catch);
bool trap_is_fatal(int sig);
bool trap_debug_slow(struct shell *sh, const struct cmd *cmd);
/* Before a command: true when it is to be skipped (extdebug). cmd NULL: $BASH_COMMAND stays. */
static inline bool trap_debug(struct shell *sh, const struct cmd *cmd)
{
	return UNLIKELY(sh->special_traps & 1u) && trap_debug_slow(sh, cmd);
}
/* On entry of a sourced file: true when DEBUG was in force, to be given back by trap_allow. */
bool trap_put_debug_aside(struct shell *sh);
/* A trap that the function running here has not inherited: for it there is none. */
bool trap_hidden(const struct shell *sh, unsigned which);
/* On entry of a function: which special traps it does not inherit. */
void trap_call(struct shell *sh, const struct func *f);
void trap_error(struct shell *sh);
/* An action runs: $BASH_COMMAND stays what it was before. */
static inline bool trap_running(const struct shell *sh)
{
	return sh->in_trap || sh->in_signal_trap || sh->exiting;
}
/* $BASH_COMMAND as bash prints commands, in the arena; ptr NULL: there is none. */
struct str trap_command_text(struct shell *sh);
void trap_note_command(struct shell *sh, const struct cmd *cmd);
static inline void trap_note(struct shell *sh, const struct cmd *cmd)
{
	if (!trap_running(sh))
		trap_note_command(sh, cmd);
}
/* A call counts as a failure for an ERR trap that was there when it began, not for one that it has set. */
bool trap_has_error(const struct shell *sh);
void trap_check_call(struct shell *sh, bool had_error);
void trap_return(struct shell *sh);
/* By the builtin: the trap sees $? as it was before. */
void trap_returned(struct shell *sh);
void trap_exit(struct shell *sh);
/* A signal's number by name (INT, SIGINT, 2, EXIT, DEBUG…), -1. */
int signal_by_name(const char *s, bool with_special);
const char *signal_name(int sig); /* "INT"; NULL */
const char *signal_text(int sig); /* "Terminated" */

/* ---- trace.c ------------------------------------------------------------------------------------
 */

void trace_words(struct shell *sh, char *const *argv, size_t n);
/* target=value or target+=value; name=(...) as it stands in the script. */
void trace_value(struct shell *sh, struct str target, bool append, struct str value);
void trace_array(struct shell *sh, const struct assign *a);
/* (a [k]=b): as it stands in the script. */
void array_literal_put(struct u_buf *b, const struct array_lit *lit);
/* name=('v' ...) as the variable now is, of its last n elements with append: for declaration
 * builtins. */
void trace_array_value(struct shell *sh, struct str name, bool append, size_t n);
void trace_for(struct shell *sh, const struct cmd_for *c);
void trace_case(struct shell *sh, const struct cmd_case *c);
void trace_arith(struct shell *sh, struct str text);
void trace_cond(struct shell *sh, const char *op, const char *left, const char *right,
                bool negated);
void trace_text(struct shell *sh, const char *text);

/* ---- Builtins: builtin/builtin.h
 * -------------------------------------------------------------------- */

/* True when `enable -n` turned it off. */
bool builtin_disabled(const struct shell *sh, const struct builtin *b);

#endif
