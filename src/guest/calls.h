/*
 * calls.h - what guests import besides WASI: the calls of sys.h that WASI has no name for.
 *
 * With these a guest has processes, pipes, permissions and a working directory, those of the
 * sandbox. guests/common/posix.c makes POSIX functions of them. Strings are addresses of
 * NUL-terminated ones, arrays of strings end in 0. Results are non-negative, or minus an error
 * number of ours (which are Linux's, not WASI's).
 *
 * Layer     guest, private
 * Suspends  as the calls of sys.h behind them
 */
#ifndef NACRE_GUEST_CALLS_H
#define NACRE_GUEST_CALLS_H

#include "wasi.h"

/* The string at `at`, or NULL: it is not all in the guest's memory. */
const char *guest_string(const struct guest *g, u32 at);

/* Sixteen 64-bit numbers at `to`: dev, ino, mode, nlink, uid, gid, rdev, size, blksize, blocks, and the three times
 * (seconds, nanoseconds). 0 or -NACRE_EFAULT. */
#define GUEST_STAT_SIZE 128u
int guest_put_stat(struct guest *g, u32 to, const struct sys_stat *st);

/* ---- Descriptors ----------------------------------------------------------------------- */

u32 guest_env_pipe(struct guest *g, u32 fds);
u32 guest_env_dup(struct guest *g, u32 fd, u32 min, u32 cloexec);
u32 guest_env_dup2(struct guest *g, u32 fd, u32 to);
u32 guest_env_fd_flags(struct guest *g, u32 fd); /* SYS_O_READ... */
u32 guest_env_set_cloexec(struct guest *g, u32 fd, u32 on);
u32 guest_env_isatty(struct guest *g, u32 fd);
/* Which of 1 (reading) and 2 (writing) are possible now. */
u32 guest_env_ready(struct guest *g, u32 fd);
u32 guest_env_fstat(struct guest *g, u32 fd, u32 to);
u32 guest_env_fchmod(struct guest *g, u32 fd, u32 mode);
u32 guest_env_fchown(struct guest *g, u32 fd, u32 uid, u32 gid);
u32 guest_env_fchdir(struct guest *g, u32 fd);
/* Times as seconds and nanoseconds; nanoseconds of -1: now, -2: as it is. */
u32 guest_env_futimes(struct guest *g, u32 fd, u64 atime, u32 atime_ns, u64 mtime, u32 mtime_ns);
u32 guest_env_fstatfs(struct guest *g, u32 fd, u32 to); /* as statfs */

/* ---- Names: below the directory `dir` (a descriptor; -1: the working directory) ------------- */

u32 guest_env_open(struct guest *g, u32 dir, u32 path, u32 flags, u32 mode); /* flags of sys.h */
u32 guest_env_stat(struct guest *g, u32 dir, u32 path, u32 flags, u32 to);
u32 guest_env_access(struct guest *g, u32 dir, u32 path, u32 how);
u32 guest_env_mkdir(struct guest *g, u32 dir, u32 path, u32 mode);
u32 guest_env_mkfifo(struct guest *g, u32 dir, u32 path, u32 mode);
u32 guest_env_chmod(struct guest *g, u32 dir, u32 path, u32 mode, u32 flags);
u32 guest_env_chown(struct guest *g, u32 dir, u32 path, u32 uid, u32 gid, u32 flags);
u32 guest_env_utimes(struct guest *g, u32 dir, u32 path, u64 atime, u32 atime_ns, u64 mtime, u32 mtime_ns, u32 flags);
u32 guest_env_truncate(struct guest *g, u32 path, u64 size);
u32 guest_env_umask(struct guest *g, u32 mask);
u32 guest_env_chdir(struct guest *g, u32 path);
u32 guest_env_getcwd(struct guest *g, u32 buf, u32 n); /* its length */
u32 guest_env_statfs(struct guest *g, u32 path, u32 to);

/* ---- Procs ------------------------------------------------------------------------------- */

/* `how` holds seven numbers: path, argv, env, moves of descriptors (pairs from, to; from -1
 * closes), their count, the group (0 the caller's, -1 a new one), the working directory (0: the
 * caller's). The pid. */
u32 guest_env_spawn(struct guest *g, u32 how);
u32 guest_env_exec(struct guest *g, u32 path, u32 argv, u32 env);
u32 guest_env_wait(struct guest *g, u32 pid, u32 flags, u32 to); /* pid, status, signal at `to` */
u32 guest_env_kill(struct guest *g, u32 pid, u32 sig);
u32 guest_env_id(struct guest *g, u32 which); /* 0 pid, 1 parent, 2 group, 3 user, 4 group of the user */
u32 guest_env_signal(struct guest *g, u32 sig, u32 disposition);
u64 guest_env_signals(struct guest *g); /* those that came, a bit each */
/* SIGALRM in so many nanoseconds, then every interval; how long the one before had to go. */
u64 guest_env_alarm(struct guest *g, u64 ns, u64 interval);

/* Nanoseconds of processor time: its own (0), or that of the children it has waited for (1). */
u64 guest_env_cpu_time(struct guest *g, u32 which);
/* Of a limit (enum sys_rlimit_kind) the soft and the hard value, two numbers at `to`; all ones: none. */
u32 guest_env_rlimit(struct guest *g, u32 which, u32 to);
u32 guest_env_set_rlimit(struct guest *g, u32 which, u64 soft, u64 hard);

/* ---- What is faster outside ----------------------------------------------------------------- */

u32 guest_env_find(struct guest *g, u32 at, u32 c, u32 n); /* the address of the first byte c of n, or 0 */
u32 guest_env_length(struct guest *g, u32 at);		   /* strlen */

/* ---- What the host adds ---------------------------------------------------------------------------- */

/* What it offers: its length; min(n, length) bytes of it at `to`. */
u32 guest_env_offer(struct guest *g, u32 to, u32 n);
/* Asks it: `name`, a text, n bytes. The status it gave; at `to` the lengths of its answer (two numbers). */
u32 guest_env_ask(struct guest *g, u32 name, u32 text, u32 data, u32 n, u32 to);
/* The answer's n first bytes to `to`: its text (which 1) or what it says besides (2). */
u32 guest_env_answer(struct guest *g, u32 which, u32 to, u32 n);
/* A limit of the configuration for guests: 0 memory, then those of jq (SYS_LIMIT_GUEST_MEMORY...); 0: none. */
u64 guest_env_limit(struct guest *g, u32 which);

/* ---- Time zones ------------------------------------------------------------------------------- */

/* In the zone `zone` (as TZ names it) at `t` (seconds since 1970): at `to` the seconds east of UTC, whether that is
 * daylight saving time, and its name (16 bytes). */
u32 guest_env_zone_at(struct guest *g, u32 zone, u64 t, u32 to);

#endif
