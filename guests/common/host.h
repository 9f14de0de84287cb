/* What a guest can call of its host besides WASI: src/guest/calls.h says what each does. Results are
 * non-negative, or minus one of Linux's error numbers. */
#ifndef GUEST_HOST_H
#define GUEST_HOST_H

#include <stddef.h>
#include <stdint.h>

#define HOST(name) __attribute__((import_module("env"), import_name(#name)))

enum { /* how a file is opened: SYS_O_* */
	HOST_READ = 1, HOST_WRITE = 2, HOST_APPEND = 4, HOST_CREATE = 8, HOST_EXCL = 16, HOST_TRUNC = 32, HOST_DIRECTORY = 64,
	HOST_NOFOLLOW = 128, HOST_CLOEXEC = 256, HOST_NONBLOCK = 512
};
enum { HOST_LINK_ITSELF = 1 }; /* flags of those that take a name */
enum { HOST_CWD = -1 };	       /* instead of a directory's descriptor */

struct host_stat {
	uint64_t dev, ino, mode, nlink, uid, gid, rdev, size, blksize, blocks;
	int64_t atime, atime_ns, mtime, mtime_ns, ctime, ctime_ns;
};
struct host_statfs {
	uint64_t block, blocks, free, files, files_free, name_max, read_only;
};
struct host_move {
	int from, to; /* from -1 closes */
};
struct host_spawn {
	const char *path;
	char *const *argv, *const *env;
	const struct host_move *moves;
	int nmoves;
	int group; /* 0: the caller's, -1: a new one */
	const char *cwd; /* NULL: the caller's */
};
struct host_wait {
	int pid, status, signal;
};

HOST(pipe) int host_pipe(int fds[2]);
HOST(dup) int host_dup(int fd, int min, int cloexec);
HOST(dup2) int host_dup2(int fd, int to);
HOST(fd_flags) int host_fd_flags(int fd);
HOST(set_cloexec) int host_set_cloexec(int fd, int on);
HOST(isatty) int host_isatty(int fd);
HOST(ready) int host_ready(int fd);
HOST(fstat) int host_fstat(int fd, struct host_stat *to);
enum { HOST_TIME_NOW = -1, HOST_TIME_OMIT = -2 }; /* instead of nanoseconds */
HOST(utimes) int host_utimes(int dir, const char *path, int64_t atime, int atime_ns, int64_t mtime, int mtime_ns, int flags);
HOST(futimes) int host_futimes(int fd, int64_t atime, int atime_ns, int64_t mtime, int mtime_ns);
HOST(fchmod) int host_fchmod(int fd, int mode);
HOST(fchown) int host_fchown(int fd, int uid, int gid);
HOST(fchdir) int host_fchdir(int fd);
HOST(fstatfs) int host_fstatfs(int fd, struct host_statfs *to);
HOST(open) int host_open(int dir, const char *path, int flags, int mode);
HOST(stat) int host_stat(int dir, const char *path, int flags, struct host_stat *to);
HOST(access) int host_access(int dir, const char *path, int how);
HOST(mkdir) int host_mkdir(int dir, const char *path, int mode);
HOST(mkfifo) int host_mkfifo(int dir, const char *path, int mode);
HOST(chmod) int host_chmod(int dir, const char *path, int mode, int flags);
HOST(chown) int host_chown(int dir, const char *path, int uid, int gid, int flags);
HOST(truncate) int host_truncate(const char *path, int64_t size);
HOST(umask) int host_umask(int mask);
HOST(chdir) int host_chdir(const char *path);
HOST(getcwd) int host_getcwd(char *buf, int n);
HOST(statfs) int host_statfs(const char *path, struct host_statfs *to);
HOST(spawn) int host_spawn(const struct host_spawn *how);
HOST(exec) int host_exec(const char *path, char *const *argv, char *const *env);
HOST(wait) int host_wait(int pid, int nohang, struct host_wait *to);
HOST(kill) int host_kill(int pid, int sig);
HOST(id) int host_id(int which);
HOST(signal) int host_signal(int sig, int disposition);
HOST(signals) uint64_t host_signals(void);
HOST(alarm) int64_t host_alarm(int64_t ns, int64_t interval);
HOST(cpu_time) int64_t host_cpu_time(int which);
HOST(rlimit) int host_rlimit(int which, uint64_t to[2]);
HOST(set_rlimit) int host_set_rlimit(int which, uint64_t soft, uint64_t hard);
HOST(find) char *host_find(const void *at, int c, size_t n);
HOST(length) size_t host_length(const char *s);
struct host_zone {
	int32_t offset, isdst;
	char name[16];
};
HOST(zone_at) int host_zone_at(const char *zone, int64_t t, struct host_zone *to);

#endif
