/*
 * What wasi-libc has no name for, and Linux's numbers for errors: included before everything else
 * into what is compiled for a guest that wants a whole POSIX. posix.c has the functions.
 *
 * wasi-libc's errno holds WASI's numbers, and its own code compares it with them. So code compiled
 * with this has another errno, with Linux's: whenever it is asked for, what the library has left in its own
 * is translated.
 */
#ifndef GUEST_POSIX_H
#define GUEST_POSIX_H

#include <errno.h>
#include "linux_errno.h" /* made by the recipe: Linux's numbers */
#undef errno
int *posix_errno(void);
#define errno (*posix_errno())

#include <fcntl.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

char *posix_strerror(int e);
#define strerror posix_strerror

#define HAVE_PIPE      1
#define HAVE_PIPE2     1
#define HAVE_DUP       1
#define HAVE_DUP3      1
#define HAVE_CHMOD     1
#define HAVE_CHOWN     1
#define HAVE_LCHOWN    1
#define HAVE_FCHMODAT  1
#define HAVE_FCHOWNAT  1
#define HAVE_FCHMOD    1
#define HAVE_FCHOWN    1
#define HAVE_FCHDIR    1
#define HAVE_FDOPENDIR 1
#define HAVE_READV     1
#define HAVE_WRITEV    1
#define HAVE_PREADV    1
#define HAVE_PWRITEV   1
#define HAVE_SENDFILE  1
#define HAVE_SYS_SENDFILE_H    1
#define HAVE_GETRANDOM_SYSCALL 1
#define HAVE_SCHED_SETAFFINITY 1
#define HAVE_UMASK     1
#define HAVE_GETUID    1
#define HAVE_GETEUID   1
#define HAVE_GETGID    1
#define HAVE_GETEGID   1
#define HAVE_GETPPID   1
#define HAVE_GETPGRP   1
#define HAVE_GETPGID   1
#define HAVE_GETGROUPS 1
#define HAVE_GETRESUID 1
#define HAVE_GETRESGID 1
#define HAVE_KILL      1
#define HAVE_KILLPG    1
#define HAVE_WAIT      1
#define HAVE_WAITPID   1
#define HAVE_SYSTEM    1
#define HAVE_EXECV     1
#define HAVE_MKFIFO    1
#define HAVE_TRUNCATE  1
#define HAVE_STATVFS   1
#define HAVE_FSTATVFS  1
#define HAVE_SYS_STATVFS_H 1
#define HAVE_SPAWNV    1
#define HAVE_ALARM     1
#define HAVE_SETITIMER 1
#define HAVE_GETITIMER 1
#define HAVE_PAUSE     1
#define HAVE_GETLOGIN  1
#define HAVE_NICE      1
#define HAVE_SYNC      1
#define HAVE_WORKING_TZSET 1
#define HAVE_SYS_WAIT_H 1

#define ITIMER_REAL    0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF    2
struct itimerval {
	struct timeval it_interval, it_value;
};
int getitimer(int which, struct itimerval *to);
int setitimer(int which, const struct itimerval *restrict to, struct itimerval *restrict old);

#define TIOCGWINSZ 0x5413 /* refused: there is no terminal */
struct winsize {
	unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

#define F_DUPFD	  0
#undef F_DUPFD_CLOEXEC
#define F_DUPFD_CLOEXEC 1030
#undef O_CLOEXEC
#define O_CLOEXEC 0x40000000
#define AT_FDCWD_IS(fd) ((fd) == AT_FDCWD)
#ifndef AT_SYMLINK_NOFOLLOW
#define AT_SYMLINK_NOFOLLOW 1
#endif
#ifndef WNOHANG
#define WNOHANG	  1
#define WUNTRACED 2
#define WCONTINUED 8
#define WEXITSTATUS(s) (((s) >> 8) & 0xff)
#define WTERMSIG(s)    ((s) & 0x7f)
#define WSTOPSIG(s)    WEXITSTATUS(s)
#define WCOREDUMP(s)   ((s) & 0x80)
#define WIFEXITED(s)   (!WTERMSIG(s))
#define WIFSTOPPED(s)  (((s) & 0xff) == 0x7f)
#define WIFSIGNALED(s) (((s) & 0x7f) && ((s) & 0x7f) != 0x7f)
#define WIFCONTINUED(s) ((s) == 0xffff)
#endif

int pipe(int fds[2]);
int pipe2(int fds[2], int flags);
int dup(int fd);
int dup2(int fd, int to);
int dup3(int fd, int to, int flags);
int chmod(const char *path, mode_t mode);
int fchmodat(int dir, const char *path, mode_t mode, int flags);
int fchmod(int fd, mode_t mode);
int fchown(int fd, uid_t uid, gid_t gid);
int fchdir(int fd);
ssize_t sendfile(int to, int from, off_t *at, size_t n);
#define GRND_NONBLOCK 1
#define GRND_RANDOM   2
long posix_getrandom(void *buf, size_t n, unsigned flags);
int getresuid(uid_t *real, uid_t *effective, uid_t *saved);
int getresgid(gid_t *real, gid_t *effective, gid_t *saved);
int chown(const char *path, uid_t uid, gid_t gid);
int lchown(const char *path, uid_t uid, gid_t gid);
int fchownat(int dir, const char *path, uid_t uid, gid_t gid, int flags);
mode_t umask(mode_t mask);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
int getgroups(int n, gid_t *to);
pid_t getppid(void);
pid_t getpgrp(void);
pid_t getpgid(pid_t pid);
int kill(pid_t pid, int sig);
int killpg(pid_t group, int sig);
pid_t wait(int *status);
pid_t waitpid(pid_t pid, int *status, int flags);
int system(const char *command);
int execv(const char *path, char *const argv[]);
int execve(const char *path, char *const argv[], char *const env[]);
int mkfifo(const char *path, mode_t mode);
int truncate(const char *path, off_t size);
unsigned alarm(unsigned seconds);
int pause(void);
int nice(int by);
void sync(void);
char *getlogin(void);
void tzset(void);
/* How os.spawnv is called where it is one call. */
enum { P_WAIT, P_NOWAIT, P_OVERLAY, P_NOWAITO, P_DETACH };
intptr_t posix_spawnv(int mode, const char *path, char *const argv[]);
intptr_t posix_spawnve(int mode, const char *path, char *const argv[], char *const env[]);
#define _spawnv	 posix_spawnv
#define _spawnve posix_spawnve
#define _P_WAIT	       P_WAIT
#define _P_NOWAIT      P_NOWAIT
#define _P_NOWAITO     P_NOWAITO
#define _P_DETACH      P_DETACH
#define _OLD_P_OVERLAY P_OVERLAY
#define _P_OVERLAY     P_OVERLAY

/* After the guest was frozen: what it has been told about signals is told to the host. */
void posix_start(void);
/* Runs the handlers of the signals that have come. */
void posix_signals(void);

#endif
