/*
 * stream.h - files between a run and its host: input given, output captured or passed on.
 *
 * Each of these is an open file to put into struct run_config. What calls the host does so on
 * the host's stack, inside runtime_step, never on a fiber's. A stream that the host does not
 * empty holds its writers back, as a pipe does.
 *
 *	c.in = stream_input(rt, data, n);
 *	c.out = stream_capture(rt, &(struct capture_config){.limit = 4 << 20});
 *	run_start(sb, &c, &run);  ...
 *	capture_info(run_file(run, 1), &info); capture_copy(...)   // before run_free
 *
 * Layer     kernel: public part
 * Owns      buffers, charged to the runtime's quota (captures) or the runtime (pipes of streams)
 * Threads   the runtime's own; stream_resume from ANY_THREAD
 * Suspends  procs that read or write
 * Errors    NULL without memory
 */
#ifndef NACRE_KERNEL_STREAM_H
#define NACRE_KERNEL_STREAM_H

#include "kernel.h"

/* ---- Nothing ------------------------------------------------------------------- */

/* Reads as empty, swallows writes. */
MUST_USE struct file *stream_null(struct runtime *rt);

/* ---- Input from memory ------------------------------------------------------------ */

/* The n bytes at data, which stay the caller's and in place until the run is freed. */
MUST_USE struct file *stream_input(struct runtime *rt, const void *data, size_t n);

/* ---- Captured output ---------------------------------------------------------------- */

enum capture_keep { CAPTURE_HEAD, CAPTURE_TAIL, CAPTURE_BOTH };

struct capture_config {
	uint64_t limit;			/* bytes kept; 0: nothing is kept, all is counted as dropped */
	enum capture_keep keep;		/* which; BOTH: the first and the last half */
};

struct capture_info {
	uint64_t total;			/* bytes written */
	uint64_t head, tail;		/* bytes kept of the beginning and of the end */
	uint64_t dropped;		/* between them */
};

MUST_USE struct file *stream_capture(struct runtime *rt, const struct capture_config *c);
/* f: made by stream_capture, or a stream_out with a `tee`. */
void capture_info(const struct file *f, struct capture_info *out);
/* head bytes, then tail bytes. */
void capture_copy(const struct file *f, char *to);
/* At most n of the kept bytes from place *at of all that was written, which moves on; what lies before the
 * first of them and is not kept any more is added to *lost. */
size_t capture_read(const struct file *f, uint64_t *at, char *to, size_t n, uint64_t *lost);

/* ---- Output passed on ------------------------------------------------------------------ */

struct stream_out_config {
	/* Takes bytes on the host's stack: how many it took. Fewer than n: the stream waits for
	 * stream_resume. Negative: it is closed, writers get EPIPE. NULL: fd is used. */
	int64_t (*take)(void *ctx, const void *data, size_t n);
	void *ctx;
	int fd;			/* a host descriptor; never closed */
	bool tty;		/* what isatty says */
	bool tee;		/* captures as well */
	struct capture_config capture;
};
MUST_USE struct file *stream_out(struct runtime *rt, const struct stream_out_config *c);

/* ---- Input as it comes --------------------------------------------------------------------- */

#define STREAM_LATER (-NACRE_EAGAIN)

struct stream_in_config {
	/* Puts up to n bytes into buf: how many; 0 at the end; STREAM_LATER: stream_resume will tell. */
	int64_t (*give)(void *ctx, void *buf, size_t n);
	void *ctx;
	int fd;			/* instead, when give is NULL; never closed */
	bool tty;
};
MUST_USE struct file *stream_in(struct runtime *rt, const struct stream_in_config *c);

/* ANY_THREAD, while the run is not freed: `take` or `give` can go on. */
void stream_resume(struct file *f);

/* The run's own reference on descriptor 0, 1 or 2, borrowed; NULL when it was given none. */
struct file *run_file(struct run *run, int fd);

/* ---- For the kernel ------------------------------------------------------------------------ */

struct stream;
void stream_wanted(struct stream *s);		/* there is something to take, or a reader waits */
void stream_closed(struct stream *s);		/* an end of its pipe has been closed */
bool stream_is_flushed(const struct file *f);	/* NULL and other files: yes */
void stream_discard(struct file *f, bool offer);	/* what the host has not taken yet, offered once more */
struct stream *stream_next_fd(const struct stream *s);
struct port_poll stream_poll_of(const struct stream *s);

#endif
