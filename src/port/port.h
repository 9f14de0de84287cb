/*
 * port.h - the one table between nacre and the operating system.
 *
 * Memory, clocks, chance, host descriptors and waking up: everything the kernel needs from
 * outside comes through these function pointers, so that a run can be made deterministic and
 * every one of them can be made to fail by a test (port/fake).
 *
 *	struct port *port = port_linux_new();
 *	... runtime_new(port, ...) ... runtime_free ...
 *	port->free(port);
 *
 * Layer     port; base, abi
 * Owns      nothing of the caller's; the caller gives back what it took
 * Threads   wake_signal from any; the rest from the thread that steps the runtime
 * Suspends  no; only `poll` blocks the host thread, and only for as long as it is told
 * Errors    -NACRE_E... or NULL
 */
#ifndef NACRE_PORT_PORT_H
#define NACRE_PORT_PORT_H

#include "../abi/errno.h"
#include "../base/base.h"

struct port;
struct port_wake;

enum port_clock {
	PORT_CLOCK_REAL,	/* since 1970-01-01T00:00:00Z */
	PORT_CLOCK_MONO,	/* since some start, never backwards */
	PORT_CLOCK_CPU,		/* used by this thread */
};

struct port_poll {
	int fd;
	bool want_read, want_write;
	bool can_read, can_write;	/* results; hang-up and errors count as both */
};

struct port_image;
struct hostfs_op;

/* What may back a mapping. */
enum port_pages {
	PORT_PAGES_SMALL, /* never huge pages */
	PORT_PAGES_ANY,	  /* as the machine has it */
	PORT_PAGES_HUGE,  /* huge ones, if it has them: all of it will be used */
};

#define PORT_HUGE ((size_t)2 << 20) /* the size of one: what is smaller, or not aligned so, has none */

struct port {
	size_t page_size;

	/* Zeroed pages; size a multiple of page_size, align a power of two >= page_size. NULL
	 * without memory. */
	void *(*map)(struct port *t, size_t size, size_t align, enum port_pages pages);
	void (*unmap)(struct port *t, void *p, size_t size);
	/* The pages read as zeroes again and cost nothing until touched. */
	void (*discard)(struct port *t, void *p, size_t size);
	/* Makes the page at base + i * stride inaccessible, for every i < count. 0 or -E:
	 * -NACRE_ENOMEM when guards would use up the process's mappings. */
	int (*guard)(struct port *t, void *base, size_t stride, size_t count);

	/* Single blocks, for builds that check memory (AddressSanitizer): malloc and free. NULL
	 * where pools are used instead. */
	void *(*alloc)(struct port *t, size_t n);
	void (*release)(struct port *t, void *p, size_t n);

	/* Cages, where guests run (kernel/cage.h): `size` bytes of addresses, all inaccessible. A
	 * fault at one of them goes on in fault(base) instead, on the stack on which it happened;
	 * fault must not return. NULL without address space. */
	void *(*cage_reserve)(struct port *t, size_t size, void (*fault)(void *base));
	void (*cage_release)(struct port *t, void *base, size_t size);
	/* Pages of a cage: on, zeroed and readable and writable; off, their content gone and
	 * inaccessible again. 0 or -NACRE_ENOMEM. */
	int (*cage_access)(struct port *t, void *at, size_t size, bool on);
	/* Pages that many cages begin with: `size` bytes, those at `bytes` after `zeros` zeroes. NULL
	 * where the system has nothing for it. */
	struct port_image *(*cage_image)(struct port *t, const void *bytes, size_t size, size_t zeros);
	void (*cage_image_free)(struct port *t, struct port_image *i);
	/* The pages at `at` are those of the image, writable, each cage's own as soon as it writes. again: they have been
	 * before, and are made equal to it. 0 or -NACRE_ENOMEM: then nothing of what was there may be used. */
	int (*cage_show)(struct port *t, void *at, struct port_image *i, bool again);

	int64_t (*clock)(struct port *t, enum port_clock which); /* nanoseconds */
	void (*random)(struct port *t, void *buf, size_t n);

	/* Host descriptors, which the host lends and keeps. Never block after a poll that said
	 * so; -NACRE_EAGAIN where the descriptor itself does not block. */
	int64_t (*fd_read)(struct port *t, int fd, void *buf, size_t n);
	/* may_wait: all of it, however long it takes, as to a file; else what can be written now. */
	int64_t (*fd_write)(struct port *t, int fd, const void *buf, size_t n, bool may_wait);
	/* Whether it never has to be waited for: a regular file, /dev/null, /dev/full. */
	bool (*fd_is_file)(struct port *t, int fd);
	/* Whether bytes written to either come out in one order in one place. */
	bool (*fd_same)(struct port *t, int a, int b);

	/* Waits until one is ready, `wake` is signalled or the time is up (ns < 0: no limit; 0:
	 * only looks). How many descriptors are ready. wake may be NULL. */
	int (*poll)(struct port *t, struct port_poll *v, size_t n, struct port_wake *wake, int64_t ns);

	/* What another thread wakes a waiting runtime with. */
	struct port_wake *(*wake_new)(struct port *t);
	void (*wake_free)(struct port *t, struct port_wake *w);
	void (*wake_signal)(struct port *t, struct port_wake *w);
	void (*wake_clear)(struct port *t, struct port_wake *w);
	/* A descriptor that is readable while signalled, for a host's own loop; -1: none. */
	int (*wake_fd)(struct port *t, struct port_wake *w);

	/* Files of the host (hostfs.h: hostfs_do). */
	int64_t (*files)(struct port *t, struct hostfs_op *op);

	void (*free)(struct port *t);
};

/* The real machine. One may serve many runtimes in many threads. NULL without memory. */
struct port *port_linux_new(void);

#endif
