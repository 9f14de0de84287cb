/*
 * runtime.h - the insides of a runtime, a sandbox and a run. Internal.
 *
 * Layer     kernel
 * Threads   the runtime's own, but for what struct mail says
 */
#ifndef NACRE_KERNEL_RUNTIME_H
#define NACRE_KERNEL_RUNTIME_H

#include <stdatomic.h>

#include "cage.h"
#include "kernel.h"
#include "pool.h"
#include "run.h"
#include "sched.h"

struct pipe;
struct fifo;
struct hostcall;
struct stream;

/* A message from any thread to the runtime's own; delivered on the host's stack. */
struct mail {
	struct mail *next;
	void (*deliver)(struct mail *m);
	atomic_bool posted;	/* until delivered: posting it again is no new message */
};

#define ADMISSIONS 4u /* kinds of guests */

struct runtime {
	struct port *port;
	struct pool pool;
	struct quota quota;	/* what belongs to no sandbox */
	struct stacks stacks;
	struct cages cages;
	struct admission {
		char name[16];
		uint32_t most;		/* 0: any number */
		uint32_t sandboxes;	/* that have guests of the kind */
		struct waitq q;		/* procs that want to be one */
	} admissions[ADMISSIONS];
	size_t nadmissions;
	struct timers timers;	/* of the real clock */

	/* Who runs. */
	struct proc *ready, **ready_end;
	struct proc *current;
	struct fiber host;	/* the context that steps */
	struct fiber *left;	/* who was left by the last switch */
	struct proc *ended;	/* wants proc_reap or proc_restart */
	uint32_t slice, normal_slice;
	uint32_t burst;		/* switches left before the host looks at the clock */
	bool stepping;
	int64_t now;		/* monotonic; as of the last look */
	int64_t until;		/* of the present step */

	/* Whose time it is. */
	struct run *cpu_run;
	int64_t cpu_since;	/* 0: the clock is to be read */

	/* What the host's side of a step has to do. */
	struct stream *busy;		/* streams with something to move */
	struct stream *on_fds;		/* streams that wait for a host descriptor */
	size_t nfds;
	struct hostcall *calls;		/* host calls to be started or told that they are not wanted */
	struct run *finished;		/* runs that are over, `done` not yet called */
	struct file null;		/* what stream_null gives out */
	struct sandbox *quiet;		/* deterministic sandboxes whose procs all sleep */
	uint32_t external;		/* host calls and streams that wait for the host */

	/* From other threads. */
	struct mail *_Atomic mail;
	struct port_wake *wake;

	struct sandbox *sandboxes;
	struct torture torture;
	bool torturing;
	uint32_t nprocs, nsandboxes, nruns, ncompletions;
	uint64_t switches, spawned, slow;
	uint64_t inodes;	/* given to pipes */
	uint64_t ends;		/* procs that have ended */
	uint64_t heap_lost;	/* see runtime_stats */
	uint32_t leaked;	/* sandboxes that were freed with something still charged */
};

/* The virtual time and chance of a deterministic sandbox. */
struct virtual_time {
	struct timers timers;
	int64_t now;		/* nanoseconds since the sandbox was made */
	uint64_t random;
	struct sandbox *next_quiet;
	bool listed;
};

struct sandbox {
	struct runtime *rt;
	const struct sandbox_config *config;
	struct quota quota;
	struct vfs vfs;
	struct heap *heap;	/* made when first asked for */
	void *session;
	void (*session_release)(struct heap *h, void *state);
	void *former;		/* what a stopped run brings back, with config->rollback */
	void (*former_release)(struct heap *h, void *state);
	struct cwd *former_cwd;
	struct cwd *cwd;	/* where the session is; NULL: where the config says */
	struct env *env;	/* the config's, made by the first run */
	struct env *last_env;	/* what sandbox_new_env gave last, when it is small */
	struct proc *procs, **procs_end;
	struct run *runs;
	struct fifo *fifos;
	struct virtual_time *virtual;	/* NULL: real time */
	void *user;
	struct sandbox *next, **prev;
	uint32_t nprocs;	/* zombies included */
	uint32_t nactive;	/* neither asleep nor zombies */
	uint32_t nhost;		/* waiting for the host */
	uint32_t guests[ADMISSIONS]; /* by the runtime's admissions */
	uint32_t nlingering;	/* runs that go on although their first proc has ended */
	uint32_t nfiles;
	int next_pid;
	int64_t stopped_clock;	/* profile->run_clock: the time of the run; 0: it goes on */
	uint64_t commands, procs_started;
};

struct run {
	struct sandbox *sb;
	struct run *next, **prev;	/* of the sandbox */
	struct run *next_finished;
	struct proc *first;	/* NULL once it has ended */
	int first_pgid;
	uint32_t nlive;		/* procs that are not zombies */
	bool first_ended;
	bool lingering;
	bool killing;		/* what outlived the first proc */
	bool over, delivered, freeing;
	bool discard;		/* output that the host has not taken is dropped */
	uint64_t spent[SYS_LIMIT_COUNT - SYS_LIMIT_TICKS];
	bool nested;
	struct env *extra;	/* NULL: none */
	bool own_cwd;		/* it was given a directory: the session stays where it is */
	enum run_linger linger;
	struct file *in, *out, *err;	/* references */
	struct timer deadline, virtual_deadline;
	int64_t cpu_limit, wall_limit;
	uint64_t seen;		/* ticks when its limits were last looked at */
	uint64_t output_limit;
	int timeout_status;
	int64_t began;		/* on the sandbox's clock */
	struct mail cancel;
	atomic_int cancel_signal;
	struct run_record *record_v;
	uint32_t record_cap;
	uint64_t *pipe_v;	/* record_cap of them */
	uint64_t cage_memory;	/* of its guests, now */
	void (*done)(void *ctx, struct run *run);
	void *ctx;
	struct run_result result;
};

/* ---- runtime.c --------------------------------------------------------------- */

/* ANY_THREAD. */
void mail_post(struct runtime *rt, struct mail *m);
static inline bool mail_waiting(struct runtime *rt)
{
	return atomic_load_explicit(&rt->mail, memory_order_relaxed) != NULL;
}
/* Takes every message out and delivers it. */
void mail_deliver(struct runtime *rt);

/* ---- sandbox.c ------------------------------------------------------------------ */

int64_t sandbox_clock(struct sandbox *sb, enum sys_clock which);
/* Reports that the policy refuses the command `name` to the running proc. */
void sandbox_refused_command(struct sandbox *sb, const char *name);
/* Where timers of this sandbox's procs go. */
struct timers *sandbox_timers(struct sandbox *sb);
/* Moves virtual time on by `ticks` of work; fires what is due in it. */
void sandbox_worked(struct sandbox *sb, uint64_t ticks);
void sandbox_fire(struct sandbox *sb);
void sandbox_may_be_quiet(struct sandbox *sb);
struct heap *sandbox_heap(struct sandbox *sb);
/* References on the directory and the environment that a run starts with; NULL without memory. */
struct cwd *sandbox_cwd(struct sandbox *sb);
struct env *sandbox_env(struct sandbox *sb);
/* Shells pass the same environment to each of their commands: a reference on the last one made
 * when it has these strings, else NULL; and a new one. */
struct env *sandbox_last_env(struct sandbox *sb, char *const *env);
struct env *sandbox_new_env(struct sandbox *sb, char *const *env);
/* The directory of the session, or of one yet to come. */
const char *sandbox_home(const struct sandbox *sb);
/* What the first proc of a run leaves: the session, which is now where p is unless the run has a
 * directory of its own. There is none. */
void sandbox_session_set(struct proc *p, void *state, void (*release)(struct heap *h, void *state));
void sandbox_forget_cwd(struct sandbox *sb);

/* What stream_null gives out is part of the runtime. */
void stream_null_init(struct runtime *rt);

/* The time for stat of things that belong to no filesystem. */
struct sys_time kernel_now(struct runtime *rt);

/* ---- stream.c, hostcall.c: their share of a step -------------------------------------- */

bool streams_work(struct runtime *rt);	/* true when something moved */
void streams_poll(struct runtime *rt);	/* looks at host descriptors without waiting */
bool hostcalls_work(struct runtime *rt);

#endif
