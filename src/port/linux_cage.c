/*
 * linux_cage.c - address space for guests, and what happens when they leave it.
 *
 * A guest's code computes addresses of at most its cage's size: whatever it gets wrong faults
 * inside the cage. The handler of SIGSEGV is the process's: it looks only at addresses of live
 * cages, everything else goes to the handler that was there before.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "linux_cage.h"

#define CAGES_MAX 16384 /* of 8 GiB: about what 47 bits of addresses hold */

/* An entry is given to another cage while a fault of a third thread looks at it: all of it is atomic. */
struct range {
	atomic_uintptr_t base; /* 0: free */
	atomic_size_t size;
	void (*_Atomic fault)(void *base);
};

/* The process has one table of signal handlers, so this is its as well. */
static struct range ranges[CAGES_MAX];
static atomic_size_t ranges_used; /* entries that were ever used */
static struct sigaction before_segv, before_bus;
static atomic_int installed; /* 1: being installed; 2: done */

static struct range *range_of(uintptr_t at)
{
	size_t n = atomic_load(&ranges_used);

	for (size_t i = 0; i < n; i++) {
		uintptr_t base = atomic_load(&ranges[i].base);

		if (base > 1 && at - base < atomic_load(&ranges[i].size))
			return &ranges[i];
	}
	return NULL;
}

/* Makes the interrupted context continue in f(arg), as if called there. */
static void redirect(ucontext_t *c, void (*f)(void *), void *arg)
{
#if defined(__x86_64__)
	greg_t *r = c->uc_mcontext.gregs;

	r[REG_RSP] = ((r[REG_RSP] - 256) & ~(greg_t)15) - 8; /* below the red zone */
	r[REG_RDI] = (greg_t)(uintptr_t)arg;
	r[REG_RIP] = (greg_t)(uintptr_t)f;
#elif defined(__aarch64__)
	c->uc_mcontext.sp = (c->uc_mcontext.sp - 256) & ~15ull;
	c->uc_mcontext.regs[0] = (uintptr_t)arg;
	c->uc_mcontext.pc = (uintptr_t)f;
#else
#error "how is a context redirected on this machine?"
#endif
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *before = sig == SIGSEGV ? &before_segv : &before_bus;
	struct range *r = info->si_code > 0 ? range_of((uintptr_t)info->si_addr) : NULL;

	if (r)
		redirect(context, atomic_load(&r->fault), (void *)atomic_load(&r->base));
	else if (before->sa_flags & SA_SIGINFO)
		before->sa_sigaction(sig, info, context);
	else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
		before->sa_handler(sig);
	else
		sigaction(sig, before, NULL); /* it happens again, and ends the process */
}

static void install(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
	int none = 0;

	if (atomic_compare_exchange_strong(&installed, &none, 1)) {
		sigaction(SIGSEGV, NULL, &before_segv);
		sigaction(SIGBUS, NULL, &before_bus);
		sigaction(SIGSEGV, &sa, NULL);
		sigaction(SIGBUS, &sa, NULL);
		atomic_store(&installed, 2);
	}
	while (atomic_load(&installed) != 2)
		;
}

static struct range *range_take(void *base, size_t size, void (*fault)(void *base))
{
	for (size_t i = 0; i < CAGES_MAX; i++) {
		uintptr_t none = 0;
		size_t used = atomic_load(&ranges_used);

		/* 1 is no page's address: the entry is taken, but matches nothing yet. */
		if (!atomic_compare_exchange_strong(&ranges[i].base, &none, 1))
			continue;
		while (used <= i && !atomic_compare_exchange_weak(&ranges_used, &used, i + 1))
			;
		atomic_store(&ranges[i].fault, fault);
		atomic_store(&ranges[i].size, size);
		atomic_store(&ranges[i].base, (uintptr_t)base);
		return &ranges[i];
	}
	return NULL;
}

void *linux_cage_reserve(struct port *t, size_t size, void (*fault)(void *base))
{
	void *p;

	(void)t;
	install();
	p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (!range_take(p, size, fault)) {
		munmap(p, size);
		return NULL;
	}
	return p;
}

void linux_cage_release(struct port *t, void *base, size_t size)
{
	struct range *r = range_of((uintptr_t)base);

	(void)t;
	if (r)
		atomic_store(&r->base, 0);
	munmap(base, size);
}

int linux_cage_access(struct port *t, void *at, size_t size, bool on)
{
	(void)t;
	if (on)
		return mprotect(at, size, PROT_READ | PROT_WRITE) < 0 ? -NACRE_ENOMEM : 0;
	/* Mapped anew: one call drops the content, the protection and the mapping's history. */
	if (mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
	         0) == MAP_FAILED)
		return -NACRE_ENOMEM;
	return 0;
}

/* ---- Images: a file without a name, mapped privately ------------------------------------------- */

#define DIRTY_MAX 2048 /* pages: of more, mapping anew is cheaper */

struct port_image {
	int fd;
	size_t size;
	const char *view; /* its pages, to copy back from */
	int pagemap;	  /* what the kernel says of this process's pages; -1: it does not */
	bool scans;	  /* it can be asked for the own ones among many */
	pid_t process;	  /* whose that is: a forked child would be told of its parent's */
};

/* Of an entry of pagemap: present and not the file's, or swapped out. */
static bool own_page(uint64_t entry)
{
	enum { OF_FILE = 61, SWAPPED = 62, PRESENT = 63 };

	return (entry >> PRESENT & 1 && !(entry >> OF_FILE & 1)) || entry >> SWAPPED & 1;
}

/* Since Linux 6.7 a range is asked for at once: the answer is what of it is the process's own. Written down here, as the headers
 * that nacre is built with may be older (linux/fs.h: PAGEMAP_SCAN). */
struct scanned {
	uint64_t start, end, categories;
};

struct scan {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages, inverted, all_of, any_of, answer;
};

/* The next of them at or behind s->start, which moves on. How many, or -1: the kernel does not know the question. */
static int scan_on(int pagemap, struct scan *s, struct scanned *v, size_t n)
{
	enum { OF_FILE = 1 << 2, PRESENT = 1 << 3, SWAPPED = 1 << 4 };
	int r;

	s->size = sizeof(*s);
	s->vec = (uintptr_t)v;
	s->vec_len = n;
	s->inverted = s->all_of = OF_FILE;
	s->any_of = PRESENT | SWAPPED;
	s->answer = OF_FILE;
	r = ioctl(pagemap, _IOWR('f', 16, struct scan), s);
	s->start = s->walk_end;
	return r;
}

static int scan_one(int pagemap, const char *at, size_t page)
{
	struct scan s = {.start = (uintptr_t)at, .end = (uintptr_t)at + page};
	struct scanned v;

	return scan_on(pagemap, &s, &v, 1);
}

/* The kernel's word on this process's pages, if it is one to be relied on: of a page that was written to it must say that
 * it is the process's own. */
static void open_pagemap(struct port_image *i, size_t page)
{
	int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	char *at = map < 0 ? MAP_FAILED : mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, i->fd, 0);
	bool right = false;

	if (at != MAP_FAILED) {
		uint64_t before = 0, after = 0;
		off_t entry = (off_t)((uintptr_t)at / page * sizeof(before));

		right = *(volatile char *)at == *(volatile char *)at && pread(map, &before, sizeof(before), entry) == sizeof(before);
		i->scans = scan_one(map, at, page) == 0;
		*(volatile char *)at = 1;
		right = right && pread(map, &after, sizeof(after), entry) == sizeof(after) && !own_page(before) && own_page(after);
		i->scans = i->scans && scan_one(map, at, page) == 1;
		munmap(at, page);
	}
	i->pagemap = right ? map : -1;
	if (!right && map >= 0)
		close(map);
}

static bool write_all(int fd, const char *bytes, size_t n, off_t at)
{
	while (n > 0) {
		ssize_t done = pwrite(fd, bytes, n, at);

		if (done <= 0)
			return false;
		bytes += done;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

struct port_image *linux_cage_image(struct port *t, const void *bytes, size_t size, size_t zeros)
{
	struct port_image *i = malloc(sizeof(*i));
	void *view = MAP_FAILED;

	if (!i)
		return NULL;
	i->fd = memfd_create("nacre-cage", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	i->size = size;
	if (i->fd >= 0 && ftruncate(i->fd, (off_t)size) == 0 && write_all(i->fd, bytes, size - zeros, (off_t)zeros) &&
	    fcntl(i->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
		view = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_NORESERVE, i->fd, 0);
	if (view == MAP_FAILED) {
		if (i->fd >= 0)
			close(i->fd);
		free(i);
		return NULL;
	}
	i->view = view;
	i->scans = false;
	open_pagemap(i, t->page_size);
	i->process = getpid();
	return i;
}

void linux_cage_image_free(struct port *t, struct port_image *i)
{
	(void)t;
	munmap((void *)(uintptr_t)i->view, i->size);
	close(i->fd);
	if (i->pagemap >= 0)
		close(i->pagemap);
	free(i);
}

/* Copies back the pages that are the process's own. False: there are too many, or the kernel does not tell. */
static bool copy_back_scanned(char *at, const struct port_image *i, size_t page)
{
	struct scan s = {.start = (uintptr_t)at, .end = (uintptr_t)at + i->size};
	struct scanned v[64];
	size_t dirty = 0;

	while (s.start < s.end) {
		uint64_t before = s.start;
		int n = scan_on(i->pagemap, &s, v, COUNTOF(v));

		if (n < 0 || s.start <= before)
			return false;
		for (int k = 0; k < n; k++) {
			size_t from = (size_t)(v[k].start - (uintptr_t)at), size = (size_t)(v[k].end - v[k].start);

			dirty += size / page;
			if (dirty > DIRTY_MAX)
				return false;
			memcpy(at + from, i->view + from, size);
		}
	}
	return true;
}

static bool copy_back_listed(char *at, const struct port_image *i, size_t page)
{
	uint64_t v[512];
	size_t dirty = 0, n;

	for (size_t k = 0; k < i->size / page; k += n) {
		n = MIN(i->size / page - k, COUNTOF(v));
		if (pread(i->pagemap, v, n * sizeof(*v), (off_t)(((uintptr_t)at / page + k) * sizeof(*v))) != (ssize_t)(n * sizeof(*v)))
			return false;
		for (size_t j = 0; j < n; j++) {
			if (!own_page(v[j]))
				continue;
			if (++dirty > DIRTY_MAX)
				return false;
			memcpy(at + (k + j) * page, i->view + (k + j) * page, page);
		}
	}
	return true;
}

static bool copy_back(char *at, const struct port_image *i, size_t page)
{
	if (i->pagemap < 0 || i->process != getpid())
		return false;
	return i->scans ? copy_back_scanned(at, i, page) : copy_back_listed(at, i, page);
}

int linux_cage_show(struct port *t, void *at, struct port_image *i, bool again)
{
	if (again && i->size % t->page_size == 0 && copy_back(at, i, t->page_size))
		return 0;
	return mmap(at, i->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, i->fd, 0) == MAP_FAILED
		       ? -NACRE_ENOMEM
		       : 0;
}
