/* The POSIX functions that wasi-libc lacks or has only in part, over host.h. Those that it has are replaced
 * when the guest is linked (--wrap): __wrap_open is what the guest calls as open. */
#include "posix.h"

#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/time.h>
#include <sys/times.h>
#include <poll.h>
#include <sched.h>
#include <sys/uio.h>
#include <time.h>
#include <wasi/api.h>

#include "host.h"

/* ---- Errors ---------------------------------------------------------------------------------- */

int *libc_errno(void);	     /* errno.c: wasi-libc's own */
int linux_errno(int wasi);
const char *linux_error(int e); /* its text */

static int number;

int *posix_errno(void)
{
	int *theirs = libc_errno();

	if (*theirs) {
		number = linux_errno(*theirs);
		*theirs = 0;
	}
	return &number;
}

char *posix_strerror(int e)
{
	static char unknown[32];
	const char *text = linux_error(e);

	if (text)
		return (char *)text;
	snprintf(unknown, sizeof(unknown), "Unknown error %d", e);
	return unknown;
}

static int done(int r)
{
	if (r >= 0)
		return r;
	*libc_errno() = 0;
	number = -r;
	return -1;
}

static int at(int dir)
{
	return dir == AT_FDCWD ? HOST_CWD : dir;
}

/* ---- Descriptors --------------------------------------------------------------------------------- */

enum { F_GETLK = 12, F_SETLK = 13 }; /* as SQLite has them */

#define FDS 1024 /* of those above nobody asked for O_NONBLOCK */
static unsigned char nonblocking[FDS / 8];

static int is_nonblocking(int fd)
{
	return fd >= 0 && fd < FDS && nonblocking[fd / 8] >> fd % 8 & 1;
}

static void set_nonblocking(int fd, int on)
{
	if (fd < 0 || fd >= FDS)
		return;
	if (on)
		nonblocking[fd / 8] |= (unsigned char)(1 << fd % 8);
	else
		nonblocking[fd / 8] &= (unsigned char)~(1 << fd % 8);
}

int __real_close(int fd);
int __wrap_close(int fd)
{
	set_nonblocking(fd, 0);
	return __real_close(fd);
}

int pipe2(int fds[2], int flags)
{
	int r = done(host_pipe(fds));

	for (int i = 0; r == 0 && i < 2; i++) {
		host_set_cloexec(fds[i], !!(flags & O_CLOEXEC));
		set_nonblocking(fds[i], !!(flags & O_NONBLOCK));
	}
	return r;
}

int pipe(int fds[2])
{
	return pipe2(fds, 0);
}

int dup(int fd)
{
	int r = done(host_dup(fd, 0, 0));

	if (r >= 0)
		set_nonblocking(r, is_nonblocking(fd));
	return r;
}

int dup2(int fd, int to)
{
	int r = done(host_dup2(fd, to));

	if (r >= 0)
		set_nonblocking(to, is_nonblocking(fd));
	return r;
}

int dup3(int fd, int to, int flags)
{
	int r;

	if (fd == to)
		return done(-EINVAL);
	r = dup2(fd, to);
	if (r >= 0 && flags & O_CLOEXEC)
		host_set_cloexec(to, 1);
	return r;
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...)
{
	va_list v;
	int arg, r;

	va_start(v, command);
	arg = va_arg(v, int);
	va_end(v);
	switch (command) {
	case F_GETFD:
		r = done(host_fd_flags(fd));
		return r < 0 ? r : r & HOST_CLOEXEC ? FD_CLOEXEC : 0;
	case F_SETFD:
		return done(host_set_cloexec(fd, arg & FD_CLOEXEC));
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		r = done(host_dup(fd, arg, command == F_DUPFD_CLOEXEC));
		if (r >= 0)
			set_nonblocking(r, is_nonblocking(fd));
		return r;
	case F_GETFL:
		r = done(host_fd_flags(fd));
		if (r < 0)
			return r;
		return (r & HOST_READ ? r & HOST_WRITE ? O_RDWR : O_RDONLY : O_WRONLY) | (r & HOST_APPEND ? O_APPEND : 0) |
		       (is_nonblocking(fd) ? O_NONBLOCK : 0);
	case F_GETLK:
	case F_SETLK:
		/* SQLite's: no other proc holds one (docs/differences.md), and its own it knows. */
		if (command == F_GETLK)
			((struct flock *)(intptr_t)arg)->l_type = 2;
		return done(host_fd_flags(fd) < 0 ? -EBADF : 0);
	case F_SETFL:
		r = done(host_fd_flags(fd));
		if (r < 0)
			return r;
		if (!(arg & O_APPEND) != !(r & HOST_APPEND))
			return done(-EINVAL); /* what it was opened for stays */
		set_nonblocking(fd, arg & O_NONBLOCK);
		return 0;
	default:
		return __real_fcntl(fd, command, arg);
	}
}

int __wrap_isatty(int fd)
{
	int r = done(host_isatty(fd));

	return r > 0;
}

ssize_t __real_read(int fd, void *buf, size_t n);
ssize_t __wrap_read(int fd, void *buf, size_t n)
{
	ssize_t r;

	if (is_nonblocking(fd)) {
		int ready = host_ready(fd);

		if (ready < 0 || !(ready & 1))
			return done(ready < 0 ? ready : -EAGAIN);
	}
	r = __real_read(fd, buf, n);
	if (r < 0 && errno == EINTR)
		posix_signals();
	return r;
}

ssize_t __real_write(int fd, const void *buf, size_t n);
ssize_t __wrap_write(int fd, const void *buf, size_t n)
{
	ssize_t r;

	if (is_nonblocking(fd)) {
		int ready = host_ready(fd);

		if (ready < 0 || !(ready & 2))
			return done(ready < 0 ? ready : -EAGAIN);
		if (n > 4096)
			n = 4096; /* as much as a pipe with room for anything has room for */
	}
	r = __real_write(fd, buf, n);
	if (r < 0 && errno == EINTR)
		posix_signals();
	return r;
}

/* Of several parts as much as one call takes: of a descriptor that must not wait, the first one. */
static const struct iovec *first_of(const struct iovec *v, int n)
{
	while (n > 1 && v->iov_len == 0)
		v++, n--;
	return v;
}

ssize_t __real_readv(int fd, const struct iovec *v, int n);
ssize_t __wrap_readv(int fd, const struct iovec *v, int n)
{
	const struct iovec *first = first_of(v, n);
	ssize_t r;

	if (n > 0 && is_nonblocking(fd))
		return __wrap_read(fd, first->iov_base, first->iov_len);
	r = __real_readv(fd, v, n);
	if (r < 0 && errno == EINTR)
		posix_signals();
	return r;
}

ssize_t __real_writev(int fd, const struct iovec *v, int n);
ssize_t __wrap_writev(int fd, const struct iovec *v, int n)
{
	const struct iovec *first = first_of(v, n);
	ssize_t r;

	if (n > 0 && is_nonblocking(fd))
		return __wrap_write(fd, first->iov_base, first->iov_len);
	r = __real_writev(fd, v, n);
	if (r < 0 && errno == EINTR)
		posix_signals();
	return r;
}

/* As Linux has it: what is sent has an offset, which moves unless `at` is one. */
ssize_t sendfile(int to, int from, off_t *at, size_t n)
{
	static char buf[65536];
	off_t start = at ? *at : lseek(from, 0, SEEK_CUR);
	size_t sent = 0;
	ssize_t got = 0, put = 0;

	if (start < 0)
		return done(errno == ESPIPE ? -EINVAL : -errno);
	while (sent < n && (got = pread(from, buf, n - sent < sizeof(buf) ? n - sent : sizeof(buf), start + (off_t)sent)) > 0) {
		put = write(to, buf, (size_t)got);
		if (put > 0)
			sent += (size_t)put;
		if (put < got)
			break;
	}
	if (at)
		*at = start + (off_t)sent;
	else
		lseek(from, start + (off_t)sent, SEEK_SET);
	return sent == 0 && (got < 0 || put < 0) ? -1 : (ssize_t)sent;
}

int __real_poll(struct pollfd *v, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *v, nfds_t n, int timeout)
{
	int r = __real_poll(v, n, timeout);

	if (r < 0 && errno == EINTR)
		posix_signals();
	return r;
}

int __real_ioctl(int fd, int request, ...);
int __wrap_ioctl(int fd, int request, ...)
{
	va_list v;
	int *on, r = done(host_fd_flags(fd));

	if (r < 0)
		return r;
	if (request != FIONBIO)
		return done(-ENOTTY);
	va_start(v, request);
	on = va_arg(v, int *);
	va_end(v);
	set_nonblocking(fd, *on);
	return 0;
}

/* Those that return an error's number. */

/* wasi-libc's own makes every error ENOTSUP. */
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	__wasi_subscription_t wish = {.u.tag = __WASI_EVENTTYPE_CLOCK};
	__wasi_event_t came;
	size_t n;
	int e;

	(void)left;
	if (t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= 1000000000)
		return EINVAL;
	wish.u.u.clock.id = clock == CLOCK_REALTIME ? __WASI_CLOCKID_REALTIME : __WASI_CLOCKID_MONOTONIC;
	wish.u.u.clock.flags = flags & TIMER_ABSTIME ? __WASI_SUBCLOCKFLAGS_SUBSCRIPTION_CLOCK_ABSTIME : 0;
	wish.u.u.clock.timeout = (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
	e = linux_errno(__wasi_poll_oneoff(&wish, &came, 1, &n));
	if (e == EINTR)
		posix_signals();
	return e;
}

int pause(void)
{
	const struct timespec long_time = {1000000, 0};
	int e;

	while ((e = __wrap_clock_nanosleep(CLOCK_MONOTONIC, 0, &long_time, NULL)) == 0)
		;
	return done(-e);
}

int __real_posix_fallocate(int fd, off_t at, off_t n);
int __wrap_posix_fallocate(int fd, off_t at, off_t n)
{
	return linux_errno(__real_posix_fallocate(fd, at, n));
}

int __real_posix_fadvise(int fd, off_t at, off_t n, int advice);
int __wrap_posix_fadvise(int fd, off_t at, off_t n, int advice)
{
	return linux_errno(__real_posix_fadvise(fd, at, n, advice));
}

/* ---- Files -------------------------------------------------------------------------------------- */

static int put_stat(int r, const struct host_stat *from, struct stat *to)
{
	if (r < 0)
		return done(r);
	memset(to, 0, sizeof(*to));
	to->st_dev = from->dev;
	to->st_ino = from->ino;
	to->st_mode = (mode_t)from->mode;
	to->st_nlink = from->nlink;
	to->st_uid = (uid_t)from->uid;
	to->st_gid = (gid_t)from->gid;
	to->st_rdev = from->rdev;
	to->st_size = (off_t)from->size;
	to->st_blksize = (blksize_t)from->blksize;
	to->st_blocks = (blkcnt_t)from->blocks;
	to->st_atim = (struct timespec){from->atime, (long)from->atime_ns};
	to->st_mtim = (struct timespec){from->mtime, (long)from->mtime_ns};
	to->st_ctim = (struct timespec){from->ctime, (long)from->ctime_ns};
	return 0;
}

int __wrap_stat(const char *restrict path, struct stat *restrict to)
{
	struct host_stat st;

	return put_stat(host_stat(HOST_CWD, path, 0, &st), &st, to);
}

int __wrap_lstat(const char *restrict path, struct stat *restrict to)
{
	struct host_stat st;

	return put_stat(host_stat(HOST_CWD, path, HOST_LINK_ITSELF, &st), &st, to);
}

int __wrap_fstatat(int dir, const char *restrict path, struct stat *restrict to, int flags)
{
	struct host_stat st;

	return put_stat(host_stat(at(dir), path, flags & AT_SYMLINK_NOFOLLOW ? HOST_LINK_ITSELF : 0, &st), &st, to);
}

int __wrap_fstat(int fd, struct stat *to)
{
	struct host_stat st;

	return put_stat(host_fstat(fd, &st), &st, to);
}

static int open_flags(int flags)
{
	int how = 0;

	if ((flags & O_RDWR) == O_RDWR)
		how = HOST_READ | HOST_WRITE;
	else
		how = flags & O_WRONLY ? HOST_WRITE : HOST_READ;
	how |= flags & O_APPEND ? HOST_APPEND : 0;
	how |= flags & O_CREAT ? HOST_CREATE : 0;
	how |= flags & O_EXCL ? HOST_EXCL : 0;
	how |= flags & O_TRUNC ? HOST_TRUNC : 0;
	how |= flags & O_DIRECTORY ? HOST_DIRECTORY : 0;
	how |= flags & O_NOFOLLOW ? HOST_NOFOLLOW : 0;
	how |= flags & O_CLOEXEC ? HOST_CLOEXEC : 0;
	how |= flags & O_NONBLOCK ? HOST_NONBLOCK : 0;
	return how;
}

static int open_at(int dir, const char *path, int flags, int mode)
{
	int fd = done(host_open(dir, path, open_flags(flags), mode));

	if (fd >= 0)
		set_nonblocking(fd, flags & O_NONBLOCK);
	return fd;
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list v;
	int mode;

	va_start(v, flags);
	mode = flags & O_CREAT ? va_arg(v, int) : 0;
	va_end(v);
	return open_at(HOST_CWD, path, flags, mode);
}

int __wrap_openat(int dir, const char *path, int flags, ...)
{
	va_list v;
	int mode;

	va_start(v, flags);
	mode = flags & O_CREAT ? va_arg(v, int) : 0;
	va_end(v);
	return open_at(at(dir), path, flags, mode);
}

int __wrap_access(const char *path, int how)
{
	return done(host_access(HOST_CWD, path, how));
}

int __wrap_faccessat(int dir, const char *path, int how, int flags)
{
	(void)flags; /* the user is one, and links have no permissions */
	return done(host_access(at(dir), path, how));
}

int __wrap_mkdir(const char *path, mode_t mode)
{
	return done(host_mkdir(HOST_CWD, path, (int)mode));
}

int __wrap_mkdirat(int dir, const char *path, mode_t mode)
{
	return done(host_mkdir(at(dir), path, (int)mode));
}

int mkfifo(const char *path, mode_t mode)
{
	return done(host_mkfifo(HOST_CWD, path, (int)mode));
}

int __wrap_fchmodat(int dir, const char *path, mode_t mode, int flags)
{
	return done(host_chmod(at(dir), path, (int)mode, flags & AT_SYMLINK_NOFOLLOW ? HOST_LINK_ITSELF : 0));
}

int __wrap_chmod(const char *path, mode_t mode)
{
	return done(host_chmod(HOST_CWD, path, (int)mode, 0));
}

int fchownat(int dir, const char *path, uid_t uid, gid_t gid, int flags)
{
	return done(host_chown(at(dir), path, (int)uid, (int)gid, flags & AT_SYMLINK_NOFOLLOW ? HOST_LINK_ITSELF : 0));
}

int __wrap_fchmod(int fd, mode_t mode)
{
	return done(host_fchmod(fd, (int)mode));
}

int fchown(int fd, uid_t uid, gid_t gid)
{
	return done(host_fchown(fd, (int)uid, (int)gid));
}

int chown(const char *path, uid_t uid, gid_t gid)
{
	return fchownat(AT_FDCWD, path, uid, gid, 0);
}

int lchown(const char *path, uid_t uid, gid_t gid)
{
	return fchownat(AT_FDCWD, path, uid, gid, AT_SYMLINK_NOFOLLOW);
}

int truncate(const char *path, off_t size)
{
	return done(host_truncate(path, size));
}

mode_t umask(mode_t mask)
{
	return (mode_t)host_umask((int)mask);
}

static int put_statfs(int r, const struct host_statfs *st, struct statvfs *to)
{
	if (r < 0)
		return done(r);
	memset(to, 0, sizeof(*to));
	to->f_bsize = to->f_frsize = (unsigned long)st->block;
	to->f_blocks = st->blocks;
	to->f_bfree = to->f_bavail = st->free;
	to->f_files = st->files;
	to->f_ffree = to->f_favail = st->files_free;
	to->f_namemax = (unsigned long)st->name_max;
	to->f_flag = st->read_only ? ST_RDONLY : 0;
	return 0;
}

int __wrap_statvfs(const char *restrict path, struct statvfs *restrict to)
{
	struct host_statfs st;

	return put_statfs(host_statfs(path, &st), &st, to);
}

int __wrap_fstatvfs(int fd, struct statvfs *to)
{
	struct host_statfs st;

	return put_statfs(host_fstatfs(fd, &st), &st, to);
}

long __real_fpathconf(int fd, int name);
long __wrap_fpathconf(int fd, int name)
{
	int r = done(host_fd_flags(fd));

	return r < 0 ? r : __real_fpathconf(fd, name);
}

long __real_pathconf(const char *path, int name);
long __wrap_pathconf(const char *path, int name)
{
	struct host_stat st;
	int r = done(host_stat(HOST_CWD, path, 0, &st));

	return r < 0 ? r : __real_pathconf(path, name);
}

/* It has no answer for many, and says so with numbers of its own. */
long __real_sysconf(int name);
long __wrap_sysconf(int name)
{
	long r = name == _SC_OPEN_MAX ? FDS : name == _SC_CLK_TCK ? 100 : name == _SC_PHYS_PAGES || name == _SC_AVPHYS_PAGES ? -2 : __real_sysconf(name);

	return r < -1 ? done(-EINVAL) : r;
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
	if (!*path) {
		done(-ENOENT);
		return NULL;
	}
	return __real_opendir(path);
}

/* wasi-libc's own take no time before 1970. */
static int nanoseconds(const struct timespec *t)
{
	return t->tv_nsec == UTIME_NOW ? HOST_TIME_NOW : t->tv_nsec == UTIME_OMIT ? HOST_TIME_OMIT : t->tv_nsec < 0 || t->tv_nsec > 999999999 ? -3 : (int)t->tv_nsec;
}

static const struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};

int __wrap_utimensat(int dir, const char *path, const struct timespec times[2], int flags)
{
	const struct timespec *t = times ? times : now;

	return done(host_utimes(at(dir), path, t[0].tv_sec, nanoseconds(&t[0]), t[1].tv_sec, nanoseconds(&t[1]), flags & AT_SYMLINK_NOFOLLOW ? HOST_LINK_ITSELF : 0));
}

int __wrap_futimens(int fd, const struct timespec times[2])
{
	const struct timespec *t = times ? times : now;

	return done(host_futimes(fd, t[0].tv_sec, nanoseconds(&t[0]), t[1].tv_sec, nanoseconds(&t[1])));
}

/* The host's working directory and the one that wasi-libc makes names absolute with are the same. */
int __real_chdir(const char *path);
static int went(int r)
{
	char buf[4096];

	if (r < 0)
		return done(r);
	return host_getcwd(buf, sizeof(buf)) > 0 ? __real_chdir(buf) : 0;
}

int __wrap_chdir(const char *path)
{
	return went(host_chdir(path));
}

int fchdir(int fd)
{
	return went(host_fchdir(fd));
}

char *__wrap_getcwd(char *buf, size_t n)
{
	char *to = buf ? buf : malloc(n ? n : 4096);
	int r;

	if (!to)
		return NULL;
	r = done(host_getcwd(to, (int)(n ? n : 4096)));
	if (r < 0 && !buf)
		free(to);
	return r < 0 ? NULL : to;
}

/* ---- Locales, time zones, strings, numbers ---------------------------------------------------- */

/* There are these, whatever musl says to a name it does not know. Of LC_ALL a name is one for each category. */
static int is_locale(const char *name)
{
	static const char *const known[] = {"", "C", "POSIX", "C.UTF-8", "C.utf8"};

	for (const char *s = name; s; s = strchr(s, ';') ? strchr(s, ';') + 1 : NULL) {
		size_t n = strcspn(s, ";"), k = 0, skip = strncmp(s, "LC_", 3) == 0 && memchr(s, '=', n) ? strcspn(s, "=") + 1 : 0;

		while (k < sizeof(known) / sizeof(*known) && (strlen(known[k]) != n - skip || memcmp(known[k], s + skip, n - skip) != 0))
			k++;
		if (k == sizeof(known) / sizeof(*known))
			return 0;
	}
	return 1;
}

char *__real_setlocale(int category, const char *name);
char *__wrap_setlocale(int category, const char *name)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "LANG"};

	/* "": as the environment says, the first of these that is set. */
	for (size_t i = 0; name && !*name && i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i]);

		if (!value || !*value)
			continue;
		if (!is_locale(value))
			return NULL;
		if (i == 0)
			break;
	}
	return name && !is_locale(name) ? NULL : __real_setlocale(category, name);
}

/* tm's zone lasts: names are kept, each once. */
static const char *zone_name(const char *name)
{
	static char names[64][16];
	size_t i = 0;

	while (i < 63 && names[i][0] && strcmp(names[i], name) != 0)
		i++;
	strcpy(names[i], name);
	return names[i];
}

struct tm *__real_localtime_r(const time_t *t, struct tm *to);
struct tm *__wrap_localtime_r(const time_t *restrict t, struct tm *restrict to)
{
	const char *zone = getenv("TZ");
	struct host_zone z;
	time_t local;

	if (!zone || host_zone_at(zone, *t, &z) < 0)
		return __real_localtime_r(t, to);
	local = *t + z.offset;
	if (!gmtime_r(&local, to))
		return NULL;
	to->tm_isdst = z.isdst;
	to->__tm_gmtoff = z.offset;
	to->__tm_zone = zone_name(z.name);
	return to;
}

/* Of two moments with that local time the one that tm_isdst wants. */
time_t __real_mktime(struct tm *tm);
time_t __wrap_mktime(struct tm *tm)
{
	const char *zone = getenv("TZ");
	struct tm utc = *tm;
	struct host_zone z[2];
	time_t local = timegm(&utc), t;

	if (!zone || host_zone_at(zone, local - 86400, &z[0]) < 0 || host_zone_at(zone, local + 86400, &z[1]) < 0)
		return __real_mktime(tm);
	t = local - z[0].offset;
	for (int i = 0; i < 2; i++) {
		time_t other = local - z[i].offset;
		struct host_zone there;

		host_zone_at(zone, other, &there);
		if (there.offset == z[i].offset && (tm->tm_isdst < 0 || !there.isdst == !tm->tm_isdst || z[0].offset == z[1].offset)) {
			t = other;
			break;
		}
		if (there.offset == z[i].offset)
			t = other;
	}
	/* Daylight saving time where there is none, or the other way round: an hour off, as everywhere. */
	__wrap_localtime_r(&t, tm);
	return t;
}

void tzset(void)
{
}

/* A share in what is measured of the run: it may become a little less. */
static int64_t own_time(void)
{
	static int64_t last;
	int64_t t = host_cpu_time(0);

	return last = t > last ? t : last;
}

clock_t clock(void)
{
	return own_time();
}

clock_t times(struct tms *to)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	*to = (struct tms){.tms_utime = own_time() / 10000000, .tms_cutime = host_cpu_time(1) / 10000000};
	return (clock_t)t.tv_sec * 100 + t.tv_nsec / 10000000;
}

/* Those of the host look at many bytes at once. */
void *memchr(const void *at, int c, size_t n)
{
	const unsigned char *s = at;
	size_t i = 0;

	for (; i < n && i < 16; i++)
		if (s[i] == (unsigned char)c)
			return (void *)(s + i);
	return i < n ? host_find(s + i, (unsigned char)c, n - i) : NULL;
}

size_t strlen(const char *s)
{
	for (size_t i = 0; i < 16; i++)
		if (!s[i])
			return i;
	return 16 + host_length(s + 16);
}

/* The product decides the sign when it is too small to be seen. */
double __real_fma(double x, double y, double z);
double __wrap_fma(double x, double y, double z)
{
	return z == 0 && x != 0 && y != 0 ? x * y : __real_fma(x, y, z);
}

/* ---- Procs --------------------------------------------------------------------------------------- */

pid_t getpid(void)
{
	return host_id(0);
}

pid_t getppid(void)
{
	return host_id(1);
}

pid_t getpgrp(void)
{
	return host_id(2);
}

pid_t getpgid(pid_t pid)
{
	return pid == 0 || pid == getpid() ? getpgrp() : done(-ESRCH);
}

uid_t getuid(void)
{
	return (uid_t)host_id(3);
}

uid_t geteuid(void)
{
	return getuid();
}

gid_t getgid(void)
{
	return (gid_t)host_id(4);
}

gid_t getegid(void)
{
	return getgid();
}

int getresuid(uid_t *real, uid_t *effective, uid_t *saved)
{
	*real = *effective = *saved = getuid();
	return 0;
}

int getresgid(gid_t *real, gid_t *effective, gid_t *saved)
{
	*real = *effective = *saved = getgid();
	return 0;
}

/* A proc runs on the one processor that there is. */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	if (size < sizeof(long))
		return done(-EINVAL);
	memset(set, 0, size);
	set->bits[0] = 1;
	return 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	(void)pid;
	return done(size >= sizeof(long) && set->bits[0] & 1 ? 0 : -EINVAL);
}

long posix_getrandom(void *buf, size_t n, unsigned flags)
{
	if (flags & ~(unsigned)(GRND_NONBLOCK | GRND_RANDOM))
		return done(-EINVAL);
	return done(-linux_errno(__wasi_random_get(buf, n))) < 0 ? -1 : (long)n;
}

int getgroups(int n, gid_t *to)
{
	if (n > 0)
		to[0] = getgid();
	return 1;
}

int kill(pid_t pid, int sig)
{
	int r = done(host_kill(pid, sig));

	posix_signals();
	return r;
}

int killpg(pid_t group, int sig)
{
	return kill(-group, sig);
}

pid_t waitpid(pid_t pid, int *status, int flags)
{
	struct host_wait w;
	int r = done(host_wait(pid, !!(flags & WNOHANG), &w));

	if (r > 0 && status)
		*status = w.signal ? w.signal : w.status << 8;
	else if (r == 0 && status)
		*status = 0;
	if (r < 0 && number == EINTR)
		posix_signals();
	return r;
}

pid_t wait(int *status)
{
	return waitpid(-1, status, 0);
}

int execve(const char *path, char *const argv[], char *const env[])
{
	return done(host_exec(path, argv, env));
}

char *getlogin(void)
{
	done(-ENXIO); /* there is no terminal */
	return NULL;
}

int nice(int by)
{
	(void)by;
	return done(-EPERM);
}

/* Nothing is kept back that could be written now. */
void sync(void)
{
}

/* 0: until it has ended, its status; else the pid. */
intptr_t posix_spawnve(int mode, const char *path, char *const argv[], char *const env[])
{
	const struct host_spawn s = {.path = path, .argv = argv, .env = env};
	int status, pid = done(mode == P_WAIT || mode == P_NOWAIT ? host_spawn(&s) : -EINVAL), r;

	if (pid < 0 || mode == P_NOWAIT)
		return pid;
	do
		r = waitpid(pid, &status, 0);
	while (r < 0 && number == EINTR);
	return r < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

intptr_t posix_spawnv(int mode, const char *path, char *const argv[])
{
	return posix_spawnve(mode, path, argv, environ);
}

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

int system(const char *command)
{
	char *argv[] = {"sh", "-c", (char *)command, NULL};
	struct host_spawn s = {.path = "/bin/sh", .argv = argv, .env = environ};
	int pid, status, r;

	if (!command)
		return 1;
	pid = done(host_spawn(&s));
	if (pid < 0)
		return -1;
	do
		r = waitpid(pid, &status, 0);
	while (r < 0 && number == EINTR);
	return r < 0 ? -1 : status;
}

void (*__wrap_signal(int sig, void (*handler)(int)))(int);

void __wrap_abort(void)
{
	__wrap_signal(SIGABRT, SIG_DFL);
	kill(getpid(), SIGABRT);
	__builtin_trap();
}

/* As the sandbox's own uname says. */
int __wrap_uname(struct utsname *u)
{
	int fd = host_open(HOST_CWD, "/etc/hostname", HOST_READ | HOST_CLOEXEC, 0);
	ssize_t n = fd < 0 ? 0 : __real_read(fd, u->nodename, sizeof(u->nodename) - 1);

	if (fd >= 0)
		__real_close(fd);
	u->nodename[n > 0 ? n : 0] = '\0';
	u->nodename[strcspn(u->nodename, "\n")] = '\0';
	if (!u->nodename[0])
		strcpy(u->nodename, "localhost");
	strcpy(u->sysname, "Linux");
	strcpy(u->release, "6.1.0-nacre");
	strcpy(u->version, "#1 nacre");
	strcpy(u->machine, HOST_MACHINE);
	return 0;
}

/* ---- Signals -------------------------------------------------------------------------------------- */

#define SIGNALS 65

static void (*handlers[SIGNALS])(int);
static int started;

static void tell(int sig)
{
	host_signal(sig, handlers[sig] == SIG_DFL ? 0 : handlers[sig] == SIG_IGN ? 1 : 2);
}

void (*__wrap_signal(int sig, void (*handler)(int)))(int)
{
	void (*old)(int);

	if (sig < 1 || sig >= SIGNALS || sig == SIGKILL || sig == SIGSTOP) {
		done(-EINVAL);
		return SIG_ERR;
	}
	old = handlers[sig];
	handlers[sig] = handler;
	if (started)
		tell(sig);
	return old;
}

unsigned alarm(unsigned seconds)
{
	int64_t left = host_alarm((int64_t)seconds * 1000000000, 0);

	return left <= 0 ? 0 : (unsigned)((left + 999999999) / 1000000000);
}

static void put_time(int64_t ns, struct timeval *to)
{
	to->tv_sec = ns / 1000000000;
	to->tv_usec = (suseconds_t)(ns % 1000000000 / 1000);
}

static int64_t interval; /* of the one that is set */

int setitimer(int which, const struct itimerval *restrict to, struct itimerval *restrict old)
{
	int64_t ns = (int64_t)to->it_value.tv_sec * 1000000000 + to->it_value.tv_usec * 1000, left;
	int64_t every = (int64_t)to->it_interval.tv_sec * 1000000000 + to->it_interval.tv_usec * 1000;

	if (which != ITIMER_REAL)
		return done(-EINVAL);
	left = host_alarm(ns, every);
	if (left < 0)
		return done((int)left);
	if (old) {
		put_time(left, &old->it_value);
		put_time(left ? interval : 0, &old->it_interval);
	}
	interval = every;
	return 0;
}

int getitimer(int which, struct itimerval *to)
{
	int64_t left;

	if (which != ITIMER_REAL)
		return done(-EINVAL);
	/* Asked for by taking it away for a moment. */
	left = host_alarm(0, 0);
	put_time(left, &to->it_value);
	put_time(left ? interval : 0, &to->it_interval);
	if (left > 0)
		host_alarm(left, interval);
	return 0;
}

void posix_start(void)
{
	started = 1;
	for (int sig = 1; sig < SIGNALS; sig++) {
		if (sig == SIGKILL || sig == SIGSTOP)
			continue;
		if (handlers[sig] != SIG_DFL)
			tell(sig);
		else if (host_signal(sig, 1) == 1)
			handlers[sig] = SIG_IGN; /* as whoever started it wants it */
		else
			host_signal(sig, 0);
	}
}

void posix_signals(void)
{
	uint64_t came = host_signals();

	for (int sig = 1; came && sig < SIGNALS; sig++)
		if (came >> sig & 1 && handlers[sig] != SIG_DFL && handlers[sig] != SIG_IGN)
			handlers[sig](sig);
}

int __wrap_raise(int sig)
{
	return kill(getpid(), sig);
}

/* Called wherever the guest is, between two of its steps: the stack of C is left alone as far as code that has not
 * announced its use reaches (LLVM's red zone). */
__attribute__((noinline)) static void below(volatile char *room)
{
	(void)room;
	posix_signals();
}

__attribute__((export_name("guest_signal"))) void guest_signal(void)
{
	volatile char room[512];

	below(room + 256);
}
