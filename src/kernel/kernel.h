/*
 * kernel.h - what the api layer drives: runtimes, sandboxes, runs.
 *
 * A runtime belongs to one host thread and steps the procs of any number of sandboxes. A
 * sandbox is a tree of files, a budget and the procs in it. A run is one program started in
 * a sandbox, with its standard streams, its deadline and its result.
 *
 *	rt = runtime_new(port, NULL);
 *	sandbox_new(rt, &config, &sb);
 *	sandbox_set_root(sb, fs_mem_branch(...));
 *	run_start(sb, &run_config, &run);
 *	while (!run_done(run))
 *		if (runtime_step(rt, 0) == RUNTIME_WAITS)
 *			runtime_wait(rt, -1);
 *	... run_result(run) ...
 *	run_free(run); sandbox_free(sb); runtime_free(rt); port->free(port);
 *
 * Layer     kernel: the public part; api, net, guest and confine include this and stream.h,
 *           hostcall.h, never the other headers of this folder
 * Owns      all procs; the caller owns runs, sandboxes and the runtime
 * Threads   the runtime's own, except where ANY_THREAD is said
 * Suspends  nothing here (none of it runs on a fiber), except hostcall.h
 * Errors    0 or -NACRE_E...
 */
#ifndef NACRE_KERNEL_KERNEL_H
#define NACRE_KERNEL_KERNEL_H

#include "../abi/sys.h"
#include "../port/port.h"
#include "../vfs/vfs.h"

struct runtime;
struct sandbox;
struct run;

/* ---- Runtime ---------------------------------------------------------------- */

struct runtime_config {
	uint32_t slice;		/* checkpoints a proc may use before others get their turn; 0: 10000 */
	uint64_t memory;	/* ceiling over all sandboxes; 0: none */
	uint32_t idle_stacks;	/* stacks kept warm; more give their pages back; 0: 256 */
};

/* NULL without memory. config NULL: defaults. The port stays the caller's. */
struct runtime *runtime_new(struct port *port, const struct runtime_config *config);
/* Every run and sandbox must be gone. */
void runtime_free(struct runtime *rt);

struct port *runtime_port(struct runtime *rt);
/* For quotas of things that several sandboxes share; and a quota for such things themselves. */
struct memory *runtime_memory(struct runtime *rt);
struct quota *runtime_quota(struct runtime *rt);

/* Counts for tests and metrics. At rest all are 0 but memory kept in pools. */
struct runtime_stats {
	uint32_t procs;		/* live, zombies included */
	uint32_t stacks_used, stacks_idle;
	uint32_t sandboxes, runs, timers, completions;
	uint64_t memory_live;	/* bytes handed out by runtime_memory and not given back */
	uint64_t memory_mapped;	/* bytes taken from the port for that */
	uint64_t switches, spawned, syscalls_slow;
	uint32_t leaked;	/* sandboxes freed with something still charged: a fault of ours */
	uint64_t heap_lost;	/* blocks of shared heaps that nobody had freed when their sandbox ended */
};
void runtime_stats(struct runtime *rt, struct runtime_stats *out);

/* ---- Stepping ---------------------------------------------------------------- */

enum runtime_state {
	RUNTIME_MORE,	/* the slice is over: call again */
	RUNTIME_WAITS,	/* every proc waits for a time, a descriptor or the host */
	RUNTIME_IDLE,	/* there is no proc */
};

/* Runs what can run, until nothing can or ns have passed (0: 1 ms); calls the host's
 * callbacks (streams, host calls, run ends). Never blocks. */
enum runtime_state runtime_step(struct runtime *rt, int64_t ns);

struct runtime_wait_info {
	int64_t timeout_ns;	/* until the next timer; 0: now; -1: none */
	size_t nfds;		/* host descriptors waited for */
	bool external;		/* a host call or a stream waits for the host */
	int wake_fd;		/* readable when another thread wants a step; -1: none */
};
void runtime_wait_info(struct runtime *rt, struct runtime_wait_info *out);
/* The descriptors, with want_read / want_write set; how many were put in v. */
size_t runtime_wait_fds(struct runtime *rt, struct port_poll *v, size_t cap);

/* Blocks the host thread until a step would do something, at most max_ns (< 0: no limit).
 * For hosts without a loop of their own. */
void runtime_wait(struct runtime *rt, int64_t max_ns);

/* Steps and waits until a run that has been started this moment is done. */
void runtime_drive(struct runtime *rt, struct run *run);

/* ANY_THREAD: makes runtime_wait return and wake_fd readable. */
void runtime_wake(struct runtime *rt);

/* How many sandboxes may have guests of the kind `name` ("js") at one time; others wait until one has none any more. 0: any
 * number. A sandbox that has one is never made to wait for more: so none waits for what itself holds. -NACRE_ENOMEM. */
MUST_USE int runtime_admit(struct runtime *rt, const char *name, uint32_t most);

/* ---- Sandbox ------------------------------------------------------------------ */

struct sandbox_limits {		/* 0: none, except where a default is given */
	uint64_t memory;	/* bytes, everything charged */
	uint32_t procs;		/* live and not yet waited for; default 1024 */
	uint32_t files;		/* open files; default 4096 */
	uint32_t fds;		/* descriptors of one proc; default 1024, at most 65536 */
	uint64_t file_size;	/* of one file, in bytes; -NACRE_EFBIG beyond */
	uint32_t depth;		/* what the shell's nesting limits follow; only reported by sys_limit */
	uint64_t budgets[SYS_LIMIT_COUNT - SYS_LIMIT_TICKS]; /* of one run, by enum sys_limit */
	uint64_t guests[SYS_LIMIT_TICKS - SYS_LIMIT_GUEST_MEMORY]; /* of one guest, by enum sys_limit */
};

/* Who was refused what. */
struct refusal {
	struct sandbox *sb;
	struct run *run;	/* NULL when the host itself asked; so are the next two */
	const char *command;	/* the proc's name */
	int pid;
	int64_t time_ns;	/* since 1970, as the sandbox sees it */
	const struct policy_denial *what; /* operation "run": the path is the name of a command */
};

/* What the host adds to guests: sys_offer, sys_ask, sys_answer, which call these on the proc's fiber. */
struct sandbox_services {
	const char *(*offer)(struct sandbox *sb, struct proc *p, size_t *n);
	int (*ask)(struct proc *p, const char *name, const char *text, const void *data, size_t n);
	const char *(*answer)(struct proc *p, int which, size_t *n);
};

/* What many sandboxes have in common. Borrowed: it must outlive them, unchanged. */
struct sandbox_config {
	const struct program_table *programs;
	const struct program_table *refused; /* names of commands that policy refuses; NULL: none */
	/* The program behind an open file of /bin, NULL when it is not one (fs/bin). */
	const struct program *(*program_of)(struct file *f);
	char *const *env;	/* NAME=value, NULL-terminated; what a run starts with by default */
	const char *cwd;	/* absolute; NULL: "/" */
	unsigned umask;
	int first_pid;		/* 0: 2 */
	struct mount_table *mounts;	/* NULL: none */
	struct policy *policy;		/* NULL: none */
	/* A refusal by policy; runs inside a system call: copy and return. NULL: nobody asks. */
	void (*denied)(void *ctx, const struct refusal *r);
	void *ctx;
	struct sandbox_limits limits;
	const struct sys_profile *profile; /* NULL: takes nothing away */
	const struct sandbox_services *services; /* NULL: none */

	/* A run that the host stops leaves the session as it was before the run, instead of as it
	 * was when it was stopped. */
	bool rollback;

	/* Time, chance and order are functions of `seed`: the clock starts at start_ns (since 1970)
	 * and moves with the work done (10 ns a tick) and over sleeps, which take no real time.
	 * Deadlines hold in that time and, as a safety, ten times later in real time too. */
	bool deterministic;
	uint64_t seed;
	int64_t start_ns;
};

MUST_USE int sandbox_new(struct runtime *rt, const struct sandbox_config *config, struct sandbox **out);
/* Every run must be freed. Releases the session and the tree. */
void sandbox_free(struct sandbox *sb);

/* The tree at "/"; takes the reference over, drops the former one. */
void sandbox_set_root(struct sandbox *sb, struct fs *root);
struct fs *sandbox_root(struct sandbox *sb); /* borrowed */
/* Mounts of its own instead of its config's; takes the reference over. Before anything runs. */
void sandbox_set_mounts(struct sandbox *sb, struct mount_table *mounts);
struct quota *sandbox_quota(struct sandbox *sb);
struct runtime *sandbox_runtime(struct sandbox *sb);
/* The caller's own data. */
void sandbox_set_user(struct sandbox *sb, void *user);
void *sandbox_user(struct sandbox *sb);
/* For the host's own file operations (vfs_*): the sandbox's tree and policy, its config's
 * cwd and umask. */
void sandbox_who(struct sandbox *sb, struct vfs_who *out);
/* The time now as the sandbox sees it; chance as it sees it. */
struct sys_time sandbox_time(struct sandbox *sb);
void sandbox_random(struct sandbox *sb, void *buf, size_t n);
/* Forgets what the last shell left for the next (sys_session_put). */
void sandbox_session_drop(struct sandbox *sb);
bool sandbox_has_session(const struct sandbox *sb);

struct sandbox_stats {
	uint64_t memory, memory_peak;
	uint64_t commands;	/* programs started so far */
	uint64_t procs_started;
	uint32_t procs, files;	/* now */
};
void sandbox_stats(const struct sandbox *sb, struct sandbox_stats *out);

/* ---- Run ------------------------------------------------------------------------ */

/* What happens to procs that outlive the first one (docs/decisions/run-end.md). */
enum run_linger {
	RUN_LINGER_OUTPUT,	/* the run goes on while one holds its stdout or stderr */
	RUN_LINGER_NONE,	/* the run ends with its first proc */
	RUN_LINGER_ALL,		/* the run goes on while any lives */
};

struct run_config {
	const struct program *program;
	char *const *argv;		/* NULL-terminated; copied */
	char *const *env;		/* NULL: the sandbox's; copied */
	char *const *extra;		/* sys_run_env; copied */
	bool nested;			/* inside another run of the sandbox: neither takes nor leaves a session */
	const char *cwd;		/* NULL: the sandbox's */
	struct file *in, *out, *err;	/* references, taken over (also on failure); NULL: a null device */
	int64_t wall_ns;		/* 0: no deadline */
	int64_t cpu_ns;			/* time spent running; 0: no limit */
	uint64_t output;		/* bytes to stdout and stderr together before the run is ended; 0: no limit */
	int timeout_status;		/* 0: 124 */
	enum run_linger linger;
	uint32_t records;		/* how many ended programs to keep records of; 0: none */
	void (*done)(void *ctx, struct run *run); /* on the host's stack, in a step; may free the run */
	void *ctx;
};

enum run_stop {
	RUN_STOP_NONE,		/* the first proc ended by itself or by a signal from inside */
	RUN_STOP_DEADLINE,	/* wall_ns */
	RUN_STOP_CPU,		/* cpu_ns */
	RUN_STOP_CANCELLED,	/* run_cancel */
	RUN_STOP_MEMORY,	/* the first proc hit the memory budget */
	RUN_STOP_OUTPUT,	/* the output budget */
	RUN_STOP_BUDGET,	/* another one: result.budget */
};

struct run_record {
	char name[24];		/* of the program; cut */
	int32_t pid, status, signal;
	int64_t start_ns, wall_ns;	/* start: since the run's */
	uint64_t ticks, memory_peak, written;	/* written: bytes, to anything */
};

struct run_result {
	int status;		/* what a shell would see in $?: 128 + signal when ended by one */
	int signal;		/* of the first proc; 0: it exited */
	enum sys_outcome outcome;	/* the first proc's own hint (sys_set_outcome) */
	char error[256];	/* the hint's text; "" when none; cut at a character */
	enum run_stop stop;
	enum sys_limit budget;	/* RUN_STOP_BUDGET */
	int64_t wall_ns, cpu_ns;
	uint64_t ticks;
	uint64_t memory_peak;	/* of the sandbox, during the run */
	uint64_t procs, commands;	/* started: all; programs by path */
	uint64_t pipe_bytes, out_bytes, err_bytes; /* written to pipes, stdout, stderr */
	uint64_t cage_peak;	/* memory of guests, all at one time */
	const struct run_record *records;
	size_t nrecords;
	uint64_t records_dropped;
	const uint64_t *pipes;	/* bytes through each, in the order in which they were made; with records */
	size_t npipes;
	uint64_t pipes_dropped;
};

/* Starts the program; it runs in the next steps. */
MUST_USE int run_start(struct sandbox *sb, const struct run_config *config, struct run **out);
bool run_done(const struct run *run);
/* Good until run_free; meaningful once done. */
const struct run_result *run_result(struct run *run);
struct sandbox *run_sandbox(struct run *run);
void *run_ctx(struct run *run);

/* ANY_THREAD, while the run is not freed. sig: what the status is made of (2: 130, 15: 143);
 * 0: 130. The procs are ended in the next step; the first call counts. */
void run_cancel(struct run *run, int sig);

/* Until its deadline, in ns, at least 0; -1: it has none. */
int64_t run_remaining(const struct run *run);

/* Sends a signal to every proc of the run's first group (a terminal's ^C). Own thread. */
void run_signal(struct run *run, int sig);

/* Ends what still runs, without calling done. Not from inside one of the run's callbacks
 * other than done. */
void run_free(struct run *run);

/* The proc that runs now; NULL outside of steps, and on the host's stack. */
struct proc *kernel_current(struct runtime *rt);

/* ---- For fs/dev --------------------------------------------------------------------- */

/* A new reference on what descriptor `fd` of the running proc refers to, or NULL; how
 * many such descriptors could be used (one past the highest). ctx is the runtime. */
struct file *kernel_fd_file(void *ctx, int fd);
int kernel_fd_count(void *ctx);
/* Random bytes for the running proc: its sandbox's own when that is deterministic. */
void kernel_random(void *ctx, void *buf, size_t n);
/* Time for fs/mem and others: ctx is the sandbox. */
struct sys_time kernel_time(void *sandbox);

/* ---- For fs/proc (procinfo.c): of the running proc's sandbox; ctx is the runtime ------------- */

/* The running proc's pid; 0: none runs, and nothing below finds anything. */
int kernel_self(void *ctx);
MUST_USE int kernel_proc(void *ctx, int pid, struct sys_procinfo *out); /* -NACRE_ESRCH */
int kernel_proc_after(void *ctx, int pid);	/* the lowest pid above; 0: none */
enum kernel_proc_text { KERNEL_PROC_CMDLINE, KERNEL_PROC_ENVIRON, KERNEL_PROC_CWD, KERNEL_PROC_PROGRAM };
/* Its text from byte `at` on, at most n bytes; of the first two each string has its NUL. -NACRE_ESRCH. */
MUST_USE int64_t kernel_proc_text(void *ctx, int pid, enum kernel_proc_text which, size_t at, char *buf, size_t n);
/* The lowest descriptor >= fd that it has open; -1: none. */
int kernel_proc_fd(void *ctx, int pid, int fd);
struct kernel_machine {
	uint64_t memory, memory_used;	/* memory 0: no limit */
	int64_t uptime_ns, boot_sec;	/* of the run; as time since 1970 */
	uint64_t ticks, procs_started;
	uint32_t procs, running;
};
MUST_USE int kernel_machine(void *ctx, struct kernel_machine *out);
MUST_USE int kernel_mount_at(void *ctx, size_t i, struct sys_statfs *out);

/* ---- For tests ------------------------------------------------------------------------ */

struct torture {
	uint64_t fail_alloc_at;	/* the Nth allocation from runtime_memory fails (1 is the next); 0: none */
	uint64_t fail_alloc_every; /* and then every Nth */
	uint64_t kill_at;	/* the proc that makes the Nth system call is killed there; 0: none */
	uint64_t stop_at;	/* the run of the one that makes the Nth is stopped there, as if cancelled; 0: none */
	bool count;		/* only count */
	uint64_t allocs, calls;	/* counted since the last runtime_torture */
};
/* Sets the knobs, or only reads the counts back into *t (set false). While set, every system
 * call takes its slow path. */
void runtime_torture(struct runtime *rt, struct torture *t, bool set);

#endif
