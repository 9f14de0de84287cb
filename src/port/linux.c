/* linux.c - the port table over Linux.
 *
 * Guard pages come in three ways, tried once and remembered: guard markers set in one call
 * (process_madvise on ourselves, Linux 6.13), guard markers one by one, and mprotect, which
 * costs two mappings each and is therefore capped: beyond the cap the host's own mmap would
 * begin to fail. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "hostfs.h"
#include "linux_cage.h"
#include "port.h"

#define GUARD_INSTALL      102 /* MADV_GUARD_INSTALL; not in the headers of Debian 12 */
#define GUARD_BATCH        64  /* it may run on a fiber's stack */
#define GUARD_MPROTECT_MAX 20000

#if defined(__SANITIZE_ADDRESS__)
#define CHECKED_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECKED_MEMORY 1
#endif
#endif

enum guard_way { GUARD_BY_BATCH, GUARD_BY_MADVISE, GUARD_BY_MPROTECT };

struct linux_port {
	struct port port;
	atomic_int guard_way; /* only ever goes up */
	atomic_int mprotected;
};

struct port_wake {
	int fd;
	atomic_bool pending;
};

static int failure(void)
{
	int e = errno;

	/* The numbers are the same; what the list does not have becomes EIO. */
	return streq(errno_name(e), "EUNKNOWN") ? -NACRE_EIO : -e;
}

static void *linux_map(struct port *t, size_t size, size_t align, enum port_pages pages)
{
	size_t page = t->page_size;
	size_t extra = align > page ? align - page : 0;
	size_t want = size_add(size, extra);
	char *p, *at;

	if (want == SIZE_MAX)
		return NULL;
	p = mmap(NULL, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
	         -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	at = p;
	if (extra) {
		at = (char *)(((uintptr_t)p + align - 1) & ~(uintptr_t)(align - 1));
		if (at > p)
			munmap(p, (size_t)(at - p));
		if (at + size < p + want)
			munmap(at + size, (size_t)(p + want - (at + size)));
	}
	if (pages != PORT_PAGES_ANY)
		madvise(at, size, pages == PORT_PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return at;
}

static void linux_unmap(struct port *t, void *p, size_t size)
{
	(void)t;
	munmap(p, size);
}

static void linux_discard(struct port *t, void *p, size_t size)
{
	(void)t;
	madvise(p, size, MADV_DONTNEED);
}

static bool guard_batch(struct port *t, char *base, size_t stride, size_t count)
{
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	struct iovec v[GUARD_BATCH];
	bool done = self >= 0;

	for (size_t i = 0; done && i < count;) {
		size_t n = MIN(count - i, (size_t)GUARD_BATCH);

		for (size_t k = 0; k < n; k++)
			v[k] = (struct iovec){base + (i + k) * stride, t->page_size};
		done = syscall(SYS_process_madvise, self, v, n, GUARD_INSTALL, 0) ==
		       (long)(n * t->page_size);
		i += n;
	}
	if (self >= 0)
		close(self);
	return done;
}

static int linux_guard(struct port *t, void *base, size_t stride, size_t count)
{
	struct linux_port *l = CONTAINER_OF(t, struct linux_port, port);
	size_t done = 0;

	if (atomic_load(&l->guard_way) == GUARD_BY_BATCH) {
		if (guard_batch(t, base, stride, count))
			return 0;
		atomic_store(&l->guard_way, GUARD_BY_MADVISE);
	}
	if (atomic_load(&l->guard_way) == GUARD_BY_MADVISE) {
		while (done < count &&
		       madvise((char *)base + done * stride, t->page_size, GUARD_INSTALL) == 0)
			done++;
		if (done == count)
			return 0;
		atomic_store(&l->guard_way, GUARD_BY_MPROTECT);
	}
	if (atomic_fetch_add(&l->mprotected, (int)count) + (int)count > GUARD_MPROTECT_MAX) {
		atomic_fetch_sub(&l->mprotected, (int)count);
		return -NACRE_ENOMEM;
	}
	for (; done < count; done++)
		if (mprotect((char *)base + done * stride, t->page_size, PROT_NONE) != 0)
			return -NACRE_ENOMEM;
	return 0;
}

#if CHECKED_MEMORY
static void *linux_alloc(struct port *t, size_t n)
{
	(void)t;
	return n > (size_t)1 << 40 ? NULL : malloc(n ? n : 1);
}

static void linux_release(struct port *t, void *p, size_t n)
{
	(void)t;
	(void)n;
	free(p);
}
#endif

static int64_t linux_clock(struct port *t, enum port_clock which)
{
	static const clockid_t id[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID};
	struct timespec s = {0};

	(void)t;
	clock_gettime(id[which], &s);
	return (int64_t)s.tv_sec * 1000000000 + s.tv_nsec;
}

static void linux_random(struct port *t, void *buf, size_t n)
{
	char *at = buf;

	(void)t;
	while (n) {
		ssize_t r = getrandom(at, MIN(n, (size_t)256), 0);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			__builtin_trap(); /* no randomness: going on would be unsafe */
		at += r;
		n -= (size_t)r;
	}
}

static int64_t linux_fd_read(struct port *t, int fd, void *buf, size_t n)
{
	ssize_t r;

	(void)t;
	do
		r = read(fd, buf, n);
	while (r < 0 && errno == EINTR);
	return r < 0 ? failure() : r;
}

/* A writer that must not wait may write what a writable pipe surely takes, or say so to the kernel,
 * which not every kind of descriptor understands. */
static int64_t linux_fd_write(struct port *t, int fd, const void *buf, size_t n, bool may_wait)
{
	bool tell = !may_wait && n > PIPE_BUF;
	struct iovec v = {(void *)(uintptr_t)buf, n};
	ssize_t r;

	(void)t;
	do {
		r = tell ? pwritev2(fd, &v, 1, -1, RWF_NOWAIT) : write(fd, buf, n);
		if (r >= 0)
			return r;
		if (tell && errno != EINTR && errno != EAGAIN) {
			tell = false;
			n = PIPE_BUF;
			errno = EINTR;
		}
	} while (errno == EINTR);
	return failure();
}

static bool linux_fd_is_file(struct port *t, int fd)
{
	struct stat st;

	(void)t;
	if (fstat(fd, &st) < 0)
		return false;
	return S_ISREG(st.st_mode) ||
	       (S_ISCHR(st.st_mode) && (st.st_rdev == makedev(1, 3) || st.st_rdev == makedev(1, 7)));
}

/* Two openings of one regular file have offsets of their own: they are the same only while
 * those agree, as after a dup, or when both append. */
static bool linux_fd_same(struct port *t, int a, int b)
{
	struct stat x, y;

	(void)t;
	if (a == b)
		return true;
	if (fstat(a, &x) < 0 || fstat(b, &y) < 0 || x.st_dev != y.st_dev || x.st_ino != y.st_ino)
		return false;
	return !S_ISREG(x.st_mode) || (lseek(a, 0, SEEK_CUR) == lseek(b, 0, SEEK_CUR) &&
	                               fcntl(a, F_GETFL) == fcntl(b, F_GETFL));
}

static int linux_poll(struct port *t, struct port_poll *v, size_t n, struct port_wake *wake,
                      int64_t ns)
{
	struct pollfd small[16], *fds = small;
	struct timespec s = {ns / 1000000000, ns % 1000000000};
	size_t k = 0;
	int r;

	(void)t;
	if (n + 1 > COUNTOF(small)) {
		fds = n < SIZE_MAX / sizeof(*fds) - 1 ? malloc((n + 1) * sizeof(*fds)) : NULL;
		if (!fds)
			return -NACRE_ENOMEM;
	}
	for (; k < n; k++)
		fds[k] = (struct pollfd){
		        v[k].fd,
		        (short)((v[k].want_read ? POLLIN : 0) | (v[k].want_write ? POLLOUT : 0)),
		        0};
	if (wake)
		fds[k++] = (struct pollfd){wake->fd, POLLIN, 0};
	r = ppoll(fds, (nfds_t)k, ns < 0 ? NULL : &s, NULL);
	for (size_t i = 0; i < n; i++) {
		short e = r > 0 ? fds[i].revents : 0;

		v[i].can_read = v[i].want_read && (e & (POLLIN | POLLHUP | POLLERR | POLLNVAL));
		v[i].can_write = v[i].want_write && (e & (POLLOUT | POLLHUP | POLLERR | POLLNVAL));
	}
	if (fds != small)
		free(fds);
	return r < 0 ? 0 : r; /* EINTR: the caller looks again anyway */
}

static struct port_wake *linux_wake_new(struct port *t)
{
	struct port_wake *w = malloc(sizeof(*w));

	(void)t;
	if (!w)
		return NULL;
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	atomic_init(&w->pending, false);
	if (w->fd < 0) {
		free(w);
		return NULL;
	}
	return w;
}

static void linux_wake_free(struct port *t, struct port_wake *w)
{
	(void)t;
	if (w) {
		close(w->fd);
		free(w);
	}
}

static void linux_wake_signal(struct port *t, struct port_wake *w)
{
	uint64_t one = 1;

	(void)t;
	/* One write until the loop has seen it; a failed write means the counter is full. */
	if (!atomic_exchange(&w->pending, true)) {
		ssize_t r = write(w->fd, &one, sizeof(one));

		(void)r;
	}
}

static void linux_wake_clear(struct port *t, struct port_wake *w)
{
	uint64_t n;

	(void)t;
	if (atomic_load(&w->pending)) {
		ssize_t r = read(w->fd, &n, sizeof(n));

		(void)r;
		/* After the read: a signal in between writes again and is seen next time. */
		atomic_store(&w->pending, false);
	}
}

static int linux_wake_fd(struct port *t, struct port_wake *w)
{
	(void)t;
	return w->fd;
}

static int64_t linux_files(struct port *t, struct hostfs_op *op)
{
	(void)t;
	return hostfs_do(op);
}

static void linux_free(struct port *t)
{
	free(CONTAINER_OF(t, struct linux_port, port));
}

struct port *port_linux_new(void)
{
	struct linux_port *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->port = (struct port)
	{
		.page_size = (size_t)sysconf(_SC_PAGESIZE), .map = linux_map, .unmap = linux_unmap,
		.discard = linux_discard, .guard = linux_guard,
#if CHECKED_MEMORY
		.alloc = linux_alloc, .release = linux_release,
#endif
		.cage_reserve = linux_cage_reserve, .cage_release = linux_cage_release,
		.cage_access = linux_cage_access, .cage_image = linux_cage_image,
		.cage_image_free = linux_cage_image_free, .cage_show = linux_cage_show, .clock = linux_clock, .random = linux_random, .fd_read = linux_fd_read,
		.fd_write = linux_fd_write, .fd_is_file = linux_fd_is_file, .fd_same = linux_fd_same, .poll = linux_poll,
		.wake_new = linux_wake_new,
		.wake_free = linux_wake_free, .wake_signal = linux_wake_signal,
		.wake_clear = linux_wake_clear, .wake_fd = linux_wake_fd, .files = linux_files, .free = linux_free,
	};
	return &l->port;
}
