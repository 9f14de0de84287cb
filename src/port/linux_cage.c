/*
 * linux_cage.c - address space for guests, and what happens when they leave it.
 *
 * A guest's code computes addresses of at most its cage's size: whatever it gets wrong faults
 * inside the cage. The handler of SIGSEGV is the process's: it looks only at addresses of live
 * cages, everything else goes to the handler that was there before.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "linux_cage.h"

#define CAGES_MAX 16384 /* of 8 GiB: about what 47 bits of addresses hold */

struct range {
	atomic_uintptr_t base; /* 0: free */
	size_t size;
	void (*fault)(void *base);
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

		if (base > 1 && at - base < ranges[i].size)
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
		redirect(context, r->fault, (void *)atomic_load(&r->base));
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
		ranges[i].fault = fault;
		ranges[i].size = size;
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
