/*
 * sys.h - the system calls: everything a program can do to the world.
 *
 * Programs (the shell, the commands) are linked against this header and nothing else of
 * the kernel: an effect that is not here cannot be named. The calls follow POSIX where
 * POSIX has the call; differences are said at each.
 *
 * Every call first looks whether the proc has been killed; a killed proc's call does not
 * return. A proc may also end inside any allocation (its memory budget is spent).
 *
 * Layer     abi
 * Threads   the fiber of `p` only
 * Suspends  where marked MAY_SUSPEND: what was borrowed from the kernel before is gone after
 * Errors    0 or a non-negative result, else -NACRE_E...
 */
#ifndef NACRE_ABI_SYS_H
#define NACRE_ABI_SYS_H

#include "../base/arena.h"
#include "../base/heap.h"
#include "errno.h"
#include "program.h"

/* ---- The proc as its own program sees it -------------------------------- */

/* The head of struct proc: the fields that inline code below and the program library use.
 * The kernel fills them before main; the program may change only what says so. */
struct proc_user {
	struct arena arena;	/* the proc's memory; gone with the proc */
	int32_t fuel;		/* checkpoints left before the next slow one */
	const char *name;	/* what messages start with (argv[0]); may be changed */
	char **env;		/* NAME=value strings, NULL-terminated; may be replaced */
	void *user;		/* the program library's own state; NULL at start */
	char *stack_ok;		/* the stack may be used down to here without asking */
};

static inline struct proc_user *sys_self(struct proc *p)
{
	return (struct proc_user *)(void *)p;
}

void sys_checkpoint_slow(struct proc *p) MAY_SUSPEND;

/* To be called in every loop that makes no system call. Usually one decrement; now and
 * then it gives other procs their turn, and a killed proc does not return from it. */
static inline void sys_checkpoint(struct proc *p)
{
	if (UNLIKELY(--sys_self(p)->fuel < 0))
		sys_checkpoint_slow(p);
}

/* Says that `n` more units of work were done (a unit is about a loop turn, ~10 ns). */
static inline void sys_checkpoint_n(struct proc *p, uint32_t n)
{
	struct proc_user *u = sys_self(p);

	u->fuel -= (int32_t)MIN(n, 1u << 30);
	if (UNLIKELY(u->fuel < 0))
		sys_checkpoint_slow(p);
}

bool sys_stack_more(struct proc *p, size_t need);

/* To be asked before every call that may nest without bound (an interpreter's, a parser's): true
 * when `need` more bytes of stack are there. A program that gets false reports that the nesting
 * is too deep. Stack is charged to the proc's memory as it is used. */
static inline bool sys_stack(struct proc *p, size_t need)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return LIKELY(here - (uintptr_t)sys_self(p)->stack_ok > need &&
		      here > (uintptr_t)sys_self(p)->stack_ok) ||
	       sys_stack_more(p, need);
}

/* The `data` of the program that runs. */
const void *sys_program_data(struct proc *p);

/* ---- Files --------------------------------------------------------------- */

enum sys_open_flags {
	SYS_O_READ = 1u << 0,
	SYS_O_WRITE = 1u << 1,
	SYS_O_APPEND = 1u << 2,
	SYS_O_CREATE = 1u << 3,
	SYS_O_EXCL = 1u << 4,
	SYS_O_TRUNC = 1u << 5,
	SYS_O_DIRECTORY = 1u << 6,
	SYS_O_NOFOLLOW = 1u << 7,
	SYS_O_CLOEXEC = 1u << 8,
	SYS_O_NONBLOCK = 1u << 9,
};

/* The lowest free descriptor. `mode` is what O_CREATE gives a new file, before the umask. */
MUST_USE int sys_open(struct proc *p, const char *path, unsigned flags, unsigned mode) MAY_SUSPEND;
/* Closed in any case; an error says that what was written could not be kept (object stores). A program that ends with
 * status 0 after it ends with "write error" and status 1, unless it has said that it knows. */
int sys_close(struct proc *p, int fd) MAY_SUSPEND;
void sys_close_failed(struct proc *p);

/* Bytes read, 0 at the end. Blocks until there is at least one byte. */
MUST_USE int64_t sys_read(struct proc *p, int fd, void *buf, size_t n) MAY_SUSPEND;

/* All `n` bytes written, or an error; after an error some may have been. -NACRE_EPIPE only if SIGPIPE is
 * ignored or caught; by default the proc is ended by it. */
MUST_USE int64_t sys_write(struct proc *p, int fd, const void *buf, size_t n) MAY_SUSPEND;

MUST_USE int64_t sys_pread(struct proc *p, int fd, void *buf, size_t n, int64_t at) MAY_SUSPEND;
MUST_USE int64_t sys_pwrite(struct proc *p, int fd, const void *buf, size_t n, int64_t at) MAY_SUSPEND;

/* Bytes that stay valid until the next read of any kind, unread or close on the same fd. */
struct sys_slice {
	const char *ptr;
	size_t len;
};

/* As sys_read, without a copy: hands out what the pipe or file holds, at most `max` bytes
 * (0: as much as there is in one piece). Returns the length, 0 at the end. */
MUST_USE int64_t sys_read_slice(struct proc *p, int fd, size_t max, struct sys_slice *out) MAY_SUSPEND;

/* Gives back the last `n` bytes of the slice (or read) just taken from fd: the next reader
 * of the same open file sees them again, on a pipe too. n is at most the last read's length. */
int sys_unread(struct proc *p, int fd, size_t n);

/* Writes bytes that lie inside the slice last read from `from`: passed on by reference
 * where the other side can hold one. */
MUST_USE int64_t sys_write_slice(struct proc *p, int fd, int from, const char *ptr, size_t n) MAY_SUSPEND;

/* Moves up to `max` bytes (0: all until the end) from one file to another, by reference
 * where possible. Bytes moved; an error of the source is -E, of the destination has
 * *out_failed set. */
MUST_USE int64_t sys_splice(struct proc *p, int in, int out, uint64_t max, bool *out_failed) MAY_SUSPEND;

/* Reads up to and including the next `delim` byte, at most n bytes, and not one byte
 * further, whatever kind of file it is (a shell's `read` must leave the rest to others).
 * With delim < 0 reads until n bytes or the end. Returns the bytes put in buf; the last is delim unless
 * n was too small or the file ended. timeout_ns < 0: none; else -NACRE_ETIMEDOUT, with the
 * bytes got so far counted in *got when got is not NULL. -NACRE_EINTR when a caught signal came. */
MUST_USE int64_t sys_read_until(struct proc *p, int fd, int delim, char *buf, size_t n, int64_t timeout_ns,
				size_t *got) MAY_SUSPEND;

enum sys_whence { SYS_SEEK_SET, SYS_SEEK_CUR, SYS_SEEK_END };
MUST_USE int64_t sys_seek(struct proc *p, int fd, int64_t offset, enum sys_whence whence);
int sys_ftruncate(struct proc *p, int fd, int64_t size) MAY_SUSPEND;

/* The lowest free descriptor >= min that is the same open file (shared offset). */
MUST_USE int sys_dup(struct proc *p, int fd, int min, bool cloexec);
/* An error other than -NACRE_EBADF, EMFILE and ENOMEM is that of closing `to` (sys_close): it is the copy all the same. */
MUST_USE int sys_dup2(struct proc *p, int fd, int to) MAY_SUSPEND;
MUST_USE int sys_pipe(struct proc *p, int fds[2]);	/* [0] reads, [1] writes */
/* A descriptor that reads a copy of n bytes from the start: what a here-document is. It has no
 * name, can be sought, and costs no pipe: any size may be filled before anybody reads. */
MUST_USE int sys_memfile(struct proc *p, const void *data, size_t n);
MUST_USE int sys_fd_flags(struct proc *p, int fd);	/* SYS_O_READ|WRITE|APPEND|CLOEXEC of an open fd */
int sys_set_cloexec(struct proc *p, int fd, bool on);
bool sys_isatty(struct proc *p, int fd);

/* True when both name the same open file or the same file. */
bool sys_same_file(struct proc *p, int fd_a, int fd_b);

struct sys_poll {
	int fd;
	bool want_read, want_write;
	bool can_read, can_write;	/* results; the end of file and errors count as readable */
};
/* How many are ready; 0 when the time is up. timeout_ns < 0: none. -NACRE_EINTR. */
MUST_USE int sys_poll(struct proc *p, struct sys_poll *v, size_t n, int64_t timeout_ns) MAY_SUSPEND;

/* ---- The tree ------------------------------------------------------------ */

struct sys_time {
	int64_t sec;	/* since 1970-01-01T00:00:00Z */
	int32_t nsec;	/* 0..999999999 */
};

enum sys_file_type {	/* the type bits of a mode, as in Linux */
	SYS_S_TYPE = 0170000,
	SYS_S_FIFO = 0010000,
	SYS_S_CHAR = 0020000,
	SYS_S_DIR = 0040000,
	SYS_S_BLOCK = 0060000,
	SYS_S_FILE = 0100000,
	SYS_S_LINK = 0120000,
	SYS_S_SOCK = 0140000,
};

struct sys_stat {
	uint64_t dev, ino;
	uint32_t mode;		/* type and permissions */
	uint32_t nlink, uid, gid;
	uint64_t rdev;
	int64_t size;
	int64_t blocks;		/* of 512 bytes */
	int32_t blksize;
	struct sys_time atime, mtime, ctime, btime;
};

enum sys_at_flags {
	SYS_NOFOLLOW = 1u << 0,	/* the link itself, not what it points to */
	SYS_NOREPLACE = 1u << 1, /* rename: -NACRE_EEXIST instead of replacing */
};

MUST_USE int sys_stat(struct proc *p, const char *path, unsigned flags, struct sys_stat *out) MAY_SUSPEND;
MUST_USE int sys_fstat(struct proc *p, int fd, struct sys_stat *out) MAY_SUSPEND;

enum sys_access { SYS_R_OK = 4, SYS_W_OK = 2, SYS_X_OK = 1, SYS_F_OK = 0 };
MUST_USE int sys_access(struct proc *p, const char *path, unsigned how) MAY_SUSPEND;

/* A directory is read through a descriptor from sys_open(SYS_O_READ | SYS_O_DIRECTORY).
 * 1 and the next entry (name borrowed until the next call or close; "." and ".." are not
 * listed), 0 at the end. Entries come sorted by name, except from a host mount. */
struct sys_dirent {
	const char *name;
	size_t len;
	uint32_t type;	/* SYS_S_DIR..., 0 when not known */
	uint64_t ino;
};
MUST_USE int sys_readdir(struct proc *p, int fd, struct sys_dirent *out) MAY_SUSPEND;
/* The entry `name` of the open directory itself, a link not followed: one call to the host where a path takes several.
 * -NACRE_ENOSYS: here only sys_stat can tell (mounts in it, a policy, filesystems that go by paths). */
MUST_USE int sys_stat_entry(struct proc *p, int fd, const char *name, struct sys_stat *out) MAY_SUSPEND;

MUST_USE int sys_mkdir(struct proc *p, const char *path, unsigned mode) MAY_SUSPEND;
MUST_USE int sys_rmdir(struct proc *p, const char *path) MAY_SUSPEND;
MUST_USE int sys_unlink(struct proc *p, const char *path) MAY_SUSPEND;
MUST_USE int sys_rename(struct proc *p, const char *from, const char *to, unsigned flags) MAY_SUSPEND;
MUST_USE int sys_link(struct proc *p, const char *from, const char *to, unsigned flags) MAY_SUSPEND;
MUST_USE int sys_symlink(struct proc *p, const char *target, const char *path) MAY_SUSPEND;
MUST_USE int sys_mkfifo(struct proc *p, const char *path, unsigned mode) MAY_SUSPEND;
/* Bytes of the target, not NUL-terminated; at most n. */
MUST_USE int64_t sys_readlink(struct proc *p, const char *path, char *buf, size_t n) MAY_SUSPEND;
MUST_USE int sys_chmod(struct proc *p, const char *path, unsigned mode, unsigned flags) MAY_SUSPEND;
MUST_USE int sys_chown(struct proc *p, const char *path, int64_t uid, int64_t gid, unsigned flags) MAY_SUSPEND; /* -1: as it is */
MUST_USE int sys_truncate(struct proc *p, const char *path, int64_t size) MAY_SUSPEND;

#define SYS_TIME_NOW (-1)	/* in .nsec: the time now */
#define SYS_TIME_OMIT (-2)	/* in .nsec: leave as it is */
MUST_USE int sys_utimes(struct proc *p, const char *path, struct sys_time atime, struct sys_time mtime,
			unsigned flags) MAY_SUSPEND;

/* Of an open file, whatever has become of its name. -NACRE_EOPNOTSUPP: it never had one (a pipe), or only a name that has gone
 * leads to it. fchdir wants the name. */
MUST_USE int sys_fchmod(struct proc *p, int fd, unsigned mode) MAY_SUSPEND;
MUST_USE int sys_fchown(struct proc *p, int fd, int64_t uid, int64_t gid) MAY_SUSPEND;
MUST_USE int sys_futimes(struct proc *p, int fd, struct sys_time atime, struct sys_time mtime) MAY_SUSPEND;
MUST_USE int sys_fchdir(struct proc *p, int fd) MAY_SUSPEND;

MUST_USE int sys_chdir(struct proc *p, const char *path) MAY_SUSPEND;
/* The absolute, link-free path of the working directory; good until the next sys_chdir. */
const char *sys_getcwd(struct proc *p);
unsigned sys_umask(struct proc *p, int mask); /* sets it when mask >= 0; the old one */

/* The absolute, link-free path of `path` into buf (n bytes with the NUL); its length.
 * must_exist: 2 every component (realpath -e), 1 all but the last (realpath), 0 none (-m). */
#define SYS_PATH_MAX 4096
MUST_USE int64_t sys_realpath(struct proc *p, const char *path, int must_exist, char *buf, size_t n) MAY_SUSPEND;

struct sys_statfs {
	char type[16];		/* "memfs", "hostfs", ... */
	char mounted_on[256];	/* cut at a component when longer */
	char source[256];
	uint64_t bytes_total, bytes_free, files_total, files_free;
	uint32_t block_size;
	bool read_only;
};
MUST_USE int sys_statfs(struct proc *p, const char *path, struct sys_statfs *out) MAY_SUSPEND;
MUST_USE int sys_fstatfs(struct proc *p, int fd, struct sys_statfs *out) MAY_SUSPEND;
/* The i-th mount, -NACRE_ENOENT past the last. */
MUST_USE int sys_mount_at(struct proc *p, size_t i, struct sys_statfs *out);

/* ---- Procs ---------------------------------------------------------------- */

enum sys_signal {	/* Linux's numbers */
	SYS_SIGHUP = 1, SYS_SIGINT = 2, SYS_SIGQUIT = 3, SYS_SIGILL = 4, SYS_SIGTRAP = 5, SYS_SIGABRT = 6,
	SYS_SIGBUS = 7, SYS_SIGFPE = 8, SYS_SIGKILL = 9, SYS_SIGUSR1 = 10, SYS_SIGSEGV = 11, SYS_SIGUSR2 = 12,
	SYS_SIGPIPE = 13, SYS_SIGALRM = 14, SYS_SIGTERM = 15, SYS_SIGCHLD = 17, SYS_SIGCONT = 18, SYS_SIGSTOP = 19,
	SYS_SIGTSTP = 20, SYS_SIGTTIN = 21, SYS_SIGTTOU = 22, SYS_SIGXCPU = 24, SYS_SIGXFSZ = 25, SYS_SIGWINCH = 28, SYS_NSIG = 65,
};

struct sys_fd_move {
	int from;	/* the caller's fd; -1 closes `to` */
	int to;		/* the child's */
};

struct sys_spawn {
	/* What runs: `entry` in the caller's program, or `program` (from sys_program; no file is
	 * looked up), or the program at `path`: the first that is not NULL. */
	int (*entry)(struct proc *p, void *arg);
	const void *arg;	/* copied into the child's memory; entry gets the copy */
	size_t arg_size;
	const struct program *program;
	const char *path;	/* a file; a script with #! runs its interpreter */
	char *const *argv;	/* copied. With entry: may be NULL, argv[0] names the proc */
	char *const *env;	/* copied; NULL: the caller's */
	const char *env_last;	/* "NAME=value", which takes the place of what env has by that name; NULL: none */

	/* The child starts with all of the caller's descriptors (those with CLOEXEC only
	 * with entry), then these moves in order. */
	const struct sys_fd_move *fds;
	size_t nfds;

	/* The child's shared state (sys_attach), given over on success and on failure. */
	void *state;
	void (*state_release)(struct heap *h, void *state);

	int pgid;	/* 0: the caller's group; -1: a new one; else that one */
	bool detached;	/* nobody waits: the pid is reaped by itself */
	bool late;	/* lets all that are ready by then go first */
	size_t stack_size; /* with entry; 0: as large as the caller's. At most 16 MiB; only what is used counts */
};

/* The child's pid. It runs when the caller next suspends. -NACRE_EAGAIN at the process
 * limit, -NACRE_ENOENT, -NACRE_EACCES (not executable), -NACRE_ENOEXEC (no #!, not a
 * program), -NACRE_E2BIG. The working directory, umask and ignored signals are inherited. */
MUST_USE int sys_spawn(struct proc *p, const struct sys_spawn *s) MAY_SUSPEND;

/* Replaces the running program, as execve; env and env_last are as for sys_spawn. Returns only on error. The attached state is released. */
MUST_USE int sys_exec(struct proc *p, const char *path, char *const *argv, char *const *env, const char *env_last) MAY_SUSPEND;
/* The same with a program already found by sys_program. */
MUST_USE int sys_exec_program(struct proc *p, const struct program *program, char *const *argv, char *const *env,
			      const char *env_last) MAY_SUSPEND;

NORETURN void sys_exit(struct proc *p, int status);

struct sys_wait {
	int pid;
	int status;	/* exit status, 0-255, when signal is 0 */
	int signal;	/* the signal that ended it */
	int stopped;	/* the signal that stopped it: it has not ended */
	bool continued;	/* it has not ended, but goes on */
};
enum sys_wait_flags {
	SYS_WNOHANG = 1u << 0,
	SYS_WUNTRACED = 1u << 1,	/* children that have stopped, too, */
	SYS_WCONTINUED = 1u << 2	/* and those that go on */
};
/* A child that has ended: any (pid -1), any of a group (pid < -1), or this one. Its pid; 0 with NOHANG when none has ended; -NACRE_ECHILD;
 * -NACRE_EINTR when a caught signal came first. */
MUST_USE int sys_wait(struct proc *p, int pid, unsigned flags, struct sys_wait *out) MAY_SUSPEND;

/* pid > 0: that proc; 0: the caller's group; < -1: group -pid; -1: all others in the sandbox. sig 0 only tests.
 * A proc that has ended is not there any more, waited for or not: -NACRE_ESRCH. */
MUST_USE int sys_kill(struct proc *p, int pid, int sig) MAY_SUSPEND;

enum sys_disposition { SYS_SIG_DEFAULT, SYS_SIG_IGNORE, SYS_SIG_CATCH };
/* What a signal does. CATCH only marks it pending and makes blocking calls return
 * -NACRE_EINTR; the program asks with sys_signals. Returns the old disposition. A caught
 * signal is default again in a child started by path and after exec; in a child by entry it stays caught. */
int sys_signal(struct proc *p, int sig, enum sys_disposition d);
/* The pending caught signals as a bit set (1 << sig), which is emptied. */
uint64_t sys_signals(struct proc *p);
/* Cheap test whether sys_signals would return something. */
bool sys_signal_waiting(struct proc *p);
/* Sends itself SIGALRM in `ns`, and then every `interval` (0: once); ns 0: no more. *left: how long the one before still
 * had to go, 0: there was none. */
MUST_USE int sys_alarm(struct proc *p, int64_t ns, int64_t interval, int64_t *left);

int sys_getpid(struct proc *p);
int sys_getppid(struct proc *p);
int sys_getpgid(struct proc *p);

/* One entry a live proc, for ps and jobs; -NACRE_ENOENT past the last. */
struct sys_procinfo {
	int pid, ppid, pgid;
	char name[32];
	char state;		/* R, S, Z */
	uint64_t memory;	/* bytes charged */
	uint64_t ticks;
};
MUST_USE int sys_proc_at(struct proc *p, size_t i, struct sys_procinfo *out);

/* ---- Memory shared between procs ------------------------------------------ */

/* The sandbox's heap: blocks in it live until freed or until the sandbox ends, whatever
 * happens to the proc that asked for them. */
struct heap *sys_heap(struct proc *p);

/* The one shared object the proc holds: when the proc ends, by itself or killed, `release`
 * drops the proc's reference on it. release runs outside any proc: it may call heap_free and
 * nothing else. Replaces the former one without releasing it. */
void sys_attach(struct proc *p, void *state, void (*release)(struct heap *h, void *state));
void *sys_attached(struct proc *p);

/* The sandbox's session: what the first shell of one run leaves for the next. Taking it
 * empties the slot; both pass the reference on. Only for the first proc of a run, NULL/ignored elsewhere. */
void *sys_session_take(struct proc *p);
void sys_session_put(struct proc *p, void *state, void (*release)(struct heap *h, void *state));
/* From now on, should the host stop the run (deadline, cancel, budgets but memory's), what p has attached then
 * becomes the session. A stop comes in a system call or at a checkpoint only: what is attached must make sense
 * there. False when the configuration wants a stopped run's session to be what it was before the run: nothing is
 * kept, and sys_session_former takes what that was, when there was one. */
bool sys_session_keep(struct proc *p);
void sys_session_former(struct proc *p, void *state, void (*release)(struct heap *h, void *state));
/* Where the session is, when this run was given another directory to be in; else NULL, and the
 * first proc starts where the last one that put a session was. */
const char *sys_session_cwd(struct proc *p);

/* NAME=value for this run only, which the first proc's environment does not have; NULL: none, and for other procs. */
char *const *sys_run_env(struct proc *p);

/* How the run is to be reported when the first proc ends with its present intention. */
enum sys_outcome { SYS_COMPLETED, SYS_NOT_FOUND, SYS_DENIED, SYS_INVALID, SYS_UNSUPPORTED };
/* text: for the result's error field, copied; may be NULL. Ignored unless p is the first proc of the run. */
void sys_set_outcome(struct proc *p, enum sys_outcome o, const char *text);

/* ---- Cages: memory in which a guest runs ------------------------------------ */

#define SYS_CAGE_HEAD ((size_t)1 << 20)	/* bytes at base for the guest's runtime */

/* SYS_CAGE_HEAD bytes, then the guest's memory: the first `size` bytes of it are there, the
 * other addresses up to 8 GiB and a little more fault. */
struct sys_cage {
	char *base;
	uint64_t size;
	bool frozen;	/* all as sys_cage_freeze left it; else the memory is empty and the head zeroed */
};

/* One cage a proc, its own until it ends; then nothing of what it held can be seen by
 * anybody. `kind` (any address) tells which frozen image it starts from. A fault in it goes on
 * in fault(base), which must not return. Its memory is charged to the sandbox. Who opens the first of a
 * kind is to freeze it; whoever comes before it has, waits.
 * -NACRE_ENOMEM; -NACRE_EAGAIN: the process has no room for another (addresses, mappings); -NACRE_EBUSY: the proc has one. */
MUST_USE int sys_cage_open(struct proc *p, const void *kind, void (*fault)(void *base),
			   struct sys_cage *out) MAY_SUSPEND;
/* Whether cages of this kind start from an image by now. */
bool sys_cage_frozen(struct proc *p, const void *kind);
/* Makes the memory `size` bytes (of whole pages, never less than it is; zeroes come). */
MUST_USE int sys_cage_grow(struct proc *p, uint64_t size);
/* From now on cages of this kind start as this one is now. Of the head it is `head` bytes that are used; the
 * rest of it stays as it was, zeroes. Was another one faster, this one becomes as that is, head and all. */
MUST_USE int sys_cage_freeze(struct proc *p, size_t head);
/* The same with a memory that is elsewhere: `zeros` zeroes, then what is at bytes, `size` in all. The cage's own, of which
 * nothing is accessible yet, becomes that. */
MUST_USE int sys_cage_freeze_as(struct proc *p, size_t head, const char *bytes, uint64_t zeros, uint64_t size);

/* ---- What the host adds to guests ------------------------------------------- */

/* What it offers, a text that who asks understands (src/guest, guests/js), as it was when the proc asked first; "": nothing.
 * Borrowed for as long as the proc lives. */
const char *sys_offer(struct proc *p, size_t *n);
/* Asks the host: what is called `name`, with a text and n bytes. The status that it gave, at least 0; -NACRE_ENOENT: it offers no
 * such thing, -NACRE_ENOMEM. The answer is in sys_answer then. */
MUST_USE int sys_ask(struct proc *p, const char *name, const char *text, const void *data, size_t n) MAY_SUSPEND;
/* The last answer: its text (1) or what it says besides (2). Borrowed until the next sys_ask. */
const char *sys_answer(struct proc *p, int which, size_t *n);

/* Waits until the runtime may run one more guest of the kind `name` for this sandbox. One a proc; the place is given back when it
 * ends. -NACRE_EINTR with a caught signal. */
MUST_USE int sys_admit(struct proc *p, const char *name) MAY_SUSPEND;

/* ---- Time, chance, identity ------------------------------------------------ */

enum sys_clock {
	SYS_CLOCK_REAL, SYS_CLOCK_MONO,
	SYS_CLOCK_CPU,		/* processor time of the run */
	SYS_CLOCK_OWN,		/* the proc's share in it, by its ticks */
	SYS_CLOCK_CHILDREN	/* that of the children it has waited for, and of theirs */
};
int64_t sys_clock(struct proc *p, enum sys_clock c); /* nanoseconds */
/* 0, or -NACRE_EINTR with a caught signal. */
MUST_USE int sys_sleep(struct proc *p, int64_t ns) MAY_SUSPEND;
void sys_random(struct proc *p, void *buf, size_t n);

/* The program called `name` (no slash), NULL when the sandbox has none; and the i-th. */
const struct program *sys_program(struct proc *p, const char *name);
const struct program *sys_program_at(struct proc *p, size_t i);
/* True when the policy refuses the command `name` (no slash): the refusal is reported. Programs that are
 * refused are not there either; this tells them from those that never were, and builtins by name. */
bool sys_command_refused(struct proc *p, const char *name);

/* What a sandbox's profile takes away from the shell. */
struct sys_profile {
	const char *name;	/* "default" */
	uint64_t refused;	/* constructs: bits of shell/syntax/feature.h */
	bool closed;		/* `help` tells what there is instead of bash's help */
	bool run_clock;		/* the time stands still during a run */
};
const struct sys_profile *sys_profile(struct proc *p);

enum sys_limit {	/* 0: none */
	SYS_LIMIT_MEMORY, SYS_LIMIT_PROCS, SYS_LIMIT_FILES, SYS_LIMIT_FILE_SIZE, SYS_LIMIT_WALL_NS,
	SYS_LIMIT_OUTPUT, SYS_LIMIT_DEPTH,
	SYS_LIMIT_GUEST_MEMORY,	/* bytes of one guest */
	SYS_LIMIT_JQ_INPUT, SYS_LIMIT_JQ_NESTING,	/* of one jq: bytes that it reads, JSON inside JSON; */
	SYS_LIMIT_JQ_FILTER, SYS_LIMIT_JQ_FILTER_NESTING, SYS_LIMIT_JQ_FILTER_TOKENS, /* bytes, brackets inside one another, words of its program */
	/* Budgets of a run: when one is spent, the run is ended. */
	SYS_LIMIT_TICKS,	/* work done */
	SYS_LIMIT_PIPE,		/* bytes through pipes */
	SYS_LIMIT_SOURCE,	/* bytes of one text that the shell reads as commands */
	SYS_LIMIT_EXPANSION,	/* bytes of one word, expanded */
	SYS_LIMIT_LOOPS,	/* turns of loops */
	SYS_LIMIT_COMMANDS,	/* simple commands, empty ones too */
	SYS_LIMIT_COUNT
};
uint64_t sys_limit(struct proc *p, enum sys_limit which);	/* the limit */
uint64_t sys_usage(struct proc *p, enum sys_limit which);	/* what is used of it now */

/* Limits of a proc's own, which its children inherit. They are never above the sandbox's; what a hard one has
 * lost does not come back. */
#define SYS_UNLIMITED UINT64_MAX
enum sys_rlimit_kind {
	SYS_RLIMIT_CORE,	/* bytes; none is ever written */
	SYS_RLIMIT_DATA, SYS_RLIMIT_RESIDENT, SYS_RLIMIT_SPACE, /* bytes of the proc's memory: the lowest counts */
	SYS_RLIMIT_FILE_SIZE,	/* bytes: SIGXFSZ beyond */
	SYS_RLIMIT_LOCKED,	/* bytes; there is nothing that locks memory */
	SYS_RLIMIT_FILES,	/* descriptors */
	SYS_RLIMIT_CPU,		/* seconds: SIGXCPU at the soft one, SIGKILL at the hard one */
	SYS_RLIMIT_PROCS,	/* of the whole sandbox, when it spawns */
	SYS_RLIMIT_COUNT
};
struct sys_rlimit {
	uint64_t soft, hard;
};
struct sys_rlimit sys_rlimit_get(struct proc *p, enum sys_rlimit_kind which);
/* -NACRE_EPERM for a hard limit above the one there is, -NACRE_EINVAL for a soft one above the hard one. */
MUST_USE int sys_rlimit_set(struct proc *p, enum sys_rlimit_kind which, struct sys_rlimit to);

/* Takes n from a budget of the run; with n more than is left of it the run ends here. */
void sys_spend(struct proc *p, enum sys_limit which, uint64_t n);

#endif
