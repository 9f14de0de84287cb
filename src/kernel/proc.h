/*
 * proc.h - a proc: a fiber, an arena, open files, a place in the family. Internal.
 *
 * A proc owns exactly: its arena, its descriptors, its stack, the state attached to it, and
 * references on its working directory and environment. All hang off this struct, so the
 * reaper can end it at any moment at which it holds no kernel frames.
 *
 * Layer     kernel
 * Threads   the runtime's own
 */
#ifndef NACRE_KERNEL_PROC_H
#define NACRE_KERNEL_PROC_H

#include "../abi/sys.h"
#include "fdtab.h"
#include "fiber.h"
#include "timer.h"
#include "wait.h"

struct alarm;
struct cage;
struct runtime;
struct sandbox;
struct run;

enum proc_state {
	PROC_NEW,	/* being made */
	PROC_READY,	/* in the run queue */
	PROC_RUNNING,
	PROC_BLOCKED,	/* in proc_wait_on */
	PROC_STOPPED,	/* by a signal; would be ready */
	PROC_ZOMBIE,	/* reaped but for its status */
};

enum proc_why {		/* why proc_wait_on came back */
	WHY_WOKEN,
	WHY_TIME,
	WHY_SIGNAL,
};

/* A string that procs share: the working directory. */
struct cwd {
	uint32_t refs;
	uint32_t len;
	char path[];	/* NUL-terminated */
};

/* An environment that procs share. */
struct env {
	uint32_t refs;
	size_t size;	/* of the whole block */
	struct env *base; /* has most of the strings; NULL: all are in this one */
	char *v[];	/* NULL-terminated; its own strings lie behind */
};

/* What a proc is to run next: made before the old program is given up, so that nothing can
 * fail after. */
struct next_program {
	const struct program *program;
	struct arena_chunk *args;	/* argv and its strings, to be the first chunk of the new arena */
	int argc;
	struct env *env;
	struct stack *stack;		/* NULL: the one it has */
};

struct rlimits {
	struct sys_rlimit v[SYS_RLIMIT_COUNT];
	uint64_t memory;	/* the lowest that is about memory */
	uint64_t cpu_told;	/* SIGXCPU is due at this second */
	bool cpu;		/* there is one for processor time */
};

struct proc {
	struct proc_user u;	/* first: sys_self */

	/* The scheduler's. */
	struct fiber fiber;
	struct stack *stack;
	struct runtime *rt;
	struct proc *next_ready;
	int64_t fuel_in;	/* u.fuel when it was last accounted */
	uint64_t ticks, child_ticks;	/* its own; those of children it has waited for */
	struct rlimits rlimits;
	struct waiter waiter;	/* for proc_wait_on */
	struct timer timer;
	enum proc_state state;
	enum proc_why why;
	bool late; /* lets the others go first, once */
	bool started;
	int unwritten;		/* -E of a descriptor that was closed (sys_close), until somebody says that it was dealt with */
	int64_t read_until;	/* a read that waits gives up then (sys_read_until, sys_poll); < 0: never */
	bool interruptible;	/* a caught signal ends its wait */
	bool stopped;
	int stop_signal;	/* what stopped it last */
	bool stop_told;		/* its parent has been told that it is, or is not, stopped */
	bool ending;		/* it has switched away for good: to be reaped */
	bool restarting;	/* sys_exec: to be started anew, as next_program says */
	int killed;		/* the signal that ends it; 0: none */
	size_t stack_size;	/* as asked for: what its children by entry get */
	uint64_t stack_charge;
	char *stack_floor;	/* the stack ends here; u.stack_ok moves down to it */

	/* What it runs. */
	const struct program *program;	/* of the whole program, also in a child by entry */
	int (*entry)(struct proc *p, void *arg);
	void *arg;
	int argc;
	char **argv;
	char comm[24];		/* argv[0]'s last component, cut: for ps and messages */
	struct arena_source source;
	struct next_program next_program;
	uint64_t memory, memory_peak;	/* bytes of its arena and stack */
	uint64_t written;

	/* What it holds. */
	struct fdtab fds;
	struct cage *cage;	/* NULL: none */
	uint8_t admitted;	/* as which guest: one more than an index of the runtime's admissions */
	struct alarm *alarm;	/* NULL: it never asked for one */
	struct cwd *cwd;
	struct env *env;
	unsigned umask;
	void *state_attached;
	void (*state_release)(struct heap *h, void *state);
	bool keeps_session;	/* sys_session_keep */

	/* Signals: bit sets, 1 << number. */
	uint64_t sig_ignored, sig_caught, sig_pending;

	/* The family. */
	struct sandbox *sb;
	struct run *run;
	struct proc *parent;	/* NULL: nobody waits for it */
	struct proc *children, *next_sibling, **prev_sibling;
	struct proc *next, **prev;	/* all of the sandbox, by age */
	struct waitq child_ended;
	int pid, ppid, pgid;
	int status, signal;	/* once ended */
	uint64_t end_seq;	/* who ended first */
	int64_t began;		/* for records */
	bool by_path;		/* it has run a program of its own */
};

/* ---- Life (proc.c) ---------------------------------------------------------- */

/* A proc without program, its arena beginning with `room` bytes above its stack: empty descriptors, cwd and environment not set, not yet ready.
 * -NACRE_EAGAIN at the process limit or without a stack, -NACRE_ENOMEM. */
MUST_USE int proc_new(struct sandbox *sb, struct run *run, struct proc *parent, size_t stack_size,
		      size_t room, struct proc **out);
/* Undoes proc_new (and what was put into it since) for a proc that was never made ready. */
void proc_abandon(struct proc *p);

/* `n` bytes of the proc's arena, or NULL: never ends a proc. For setting it up from outside. */
MUST_USE void *proc_reserve(struct proc *p, size_t n);
/* Copies argv (NULL-terminated) into the proc's memory and names it after argv[0]. */
MUST_USE bool proc_set_argv(struct proc *p, char *const *argv);
/* The running proc dies of its memory budget. */
NORETURN void proc_out_of_memory(struct proc *p);
/* Writes out what is kept of files whose last descriptors these are (file_settle), of all or of those that exec closes.
 * The first error (sys_fd.c); and the same for what ends: it is said on its descriptor 2, and the status is not 0. */
int proc_settle(struct proc *p, bool cloexec) MAY_SUSPEND;
int proc_last_words(struct proc *p, int status, bool cloexec) MAY_SUSPEND;

/* Ends it by signal `sig` as soon as it holds no kernel frames. The first call counts. */
void proc_kill(struct proc *p, int sig);

/* Ends the running proc now; only from its own fiber, without kernel frames that hold anything. */
NORETURN void proc_exit(struct proc *p, int status);
NORETURN void proc_vanish(struct proc *p);	/* p->killed says why */

/* Everything of a proc that has left its fiber for good; its status goes to its parent. On
 * the host's stack. */
void proc_reap(struct proc *p);
/* A zombie that nobody will ask for. */
void proc_free(struct proc *p);

/* argv with the strings of `prefix` (n of them) in place of its first one, as one chunk charged to p. */
MUST_USE int next_args(struct proc *p, char *const *prefix, size_t n, char *const *argv, struct next_program *out);
/* Another stack when the program wants another size. */
MUST_USE int next_stack(struct proc *p, struct next_program *out);
void next_release(struct proc *p, struct next_program *n);

/* Ends the running program and starts p->next_program in its place: from its fiber, without kernel frames
 * that hold anything. The second part runs on the host's stack. */
NORETURN void proc_exec(struct proc *p);
void proc_restart(struct proc *p);
void proc_adopt(struct proc *p, struct next_program *n);

/* ---- References (shared.c) ----------------------------------------------------- */

MUST_USE struct cwd *cwd_new(struct quota *q, const char *path, size_t len);
static inline struct cwd *cwd_get(struct cwd *c)
{
	c->refs++;
	return c;
}
void cwd_put(struct cwd *c, struct quota *q);
/* NULL without memory, or when it is larger than a program may be given. */
MUST_USE struct env *env_new(struct quota *q, char *const *env);
/* What `base` has, whose strings it shares, with `last` in the place of the variable of that name. NULL without memory. */
MUST_USE struct env *env_with(struct quota *q, struct env *base, const char *last);
static inline struct env *env_get(struct env *e)
{
	e->refs++;
	return e;
}
void env_put(struct env *e, struct quota *q);

/* ---- For the system calls ------------------------------------------------------------ */

/* A time of the sandbox's clock, `ns` from now. */
int64_t sys_time_after(struct proc *p, int64_t ns);
uint32_t sys_fd_limit(struct proc *p);

/* ---- Limits of its own (rlimit.c) ------------------------------------------------ */

void rlimits_init(struct proc *p);
void rlimits_inherit(struct proc *child, const struct proc *p);
bool rlimit_procs(const struct proc *p);	/* whether it may have one more child */
/* So many ticks of its run as processor time. */
int64_t rlimit_cpu_ns(const struct proc *p, uint64_t ticks);
uint64_t file_size_limit(struct proc *p);	/* sys_io.c */
/* -NACRE_EFBIG, with SIGXFSZ where `limit` is the proc's own. */
int file_too_large(struct proc *p, uint64_t limit);
void rlimit_cpu(struct proc *p);	/* signals it when its time is up */
static inline bool rlimit_memory(const struct proc *p, uint64_t n)
{
	return n <= p->rlimits.memory && p->memory <= p->rlimits.memory - n;
}

/* ---- Signals (signal.c) ---------------------------------------------------------- */

void signal_send(struct proc *p, int sig);
void alarm_give_back(struct proc *p);
void admit_give_back(struct proc *p);

static inline uint64_t sig_bit(int sig)
{
	return (uint64_t)1 << sig;
}

#endif
