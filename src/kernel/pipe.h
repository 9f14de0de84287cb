/*
 * pipe.h - a pipe: a bounded queue of slices of counted buffers.
 *
 * Bytes move by reference where they can: a file's own extents pass through without a copy;
 * small writes are gathered in a buffer of the pipe's. Bounded by bytes, so a writer waits
 * for its reader, and is told (-NACRE_EPIPE) when there is none any more.
 *
 * The ends are files: descriptors, FIFOs and the host's streams (stream.c) all hold them.
 *
 * Layer     kernel
 * Owns      the slices in the queue; itself, until both sides are closed
 * Threads   the runtime's own
 * Suspends  read, write, read_slice, write_slice of its files, in proc_wait_on
 * Errors    -NACRE_EPIPE, EAGAIN (non-blocking, or no proc to suspend), EINTR, EKILLED, ENOMEM
 */
#ifndef NACRE_KERNEL_PIPE_H
#define NACRE_KERNEL_PIPE_H

#include "runtime.h"

#define PIPE_LIMIT 65536u	/* bytes */
#define PIPE_ATOMIC 4096u	/* writes up to this size are not mixed with others' */
#define PIPE_SLOTS 32u
#define PIPE_SLOTS_WRITE 16u	/* of these writers may fill; the rest is for what readers give back */

struct pipe_end {
	struct file file;
	struct pipe *pipe;
};

struct pipe {
	struct runtime *rt;
	struct quota *quota;	/* where buffers and ends are charged */
	uint32_t nreaders, nwriters;
	uint32_t bytes;
	uint16_t head, count;	/* of the used slots */
	bool tty;		/* what isatty says of its ends */
	struct buf *fill;	/* where copied bytes go; one reference */
	uint64_t ino;
	uint64_t total;		/* bytes written so far */
	struct waitq readable, writable;
	struct stream *stream;	/* the host's side, when it has one */
	struct fifo *fifo;	/* its entry, when it has a name */
	struct run *run;	/* that keeps a record of it, under this number; NULL: none */
	uint32_t number;
	struct pipe_end reader, writer;	/* the ends of a pipe without a name */
	struct slice ring[PIPE_SLOTS];
};

/* Both ends open: &pipe->reader.file and &pipe->writer.file hold one reference each, the
 * caller's. */
MUST_USE struct pipe *pipe_new(struct runtime *rt, struct quota *q);

/* A pipe without ends, freed when the last of those given by pipe_end_new is closed. */
MUST_USE struct pipe *pipe_new_bare(struct runtime *rt, struct quota *q);
MUST_USE struct file *pipe_end_new(struct pipe *pipe, unsigned flags);
void pipe_free_bare(struct pipe *pipe);

/* The pipe of an end; NULL for any other file. */
struct pipe *pipe_of(const struct file *f);

/* ---- Without suspending: the host's side ---------------------------------------- */

/* Bytes taken in: as many as there is room for. -NACRE_ENOMEM. */
MUST_USE int64_t pipe_put(struct pipe *pipe, const void *buf, size_t n);
/* The oldest bytes in one piece, left in place; false when there are none. */
bool pipe_peek(const struct pipe *pipe, struct slice *out);
void pipe_drop(struct pipe *pipe, size_t n);
/* Frees it when both sides are closed. */
void pipe_settle(struct pipe *pipe);
/* One side is given up without a file having been closed. */
void pipe_close_side(struct pipe *pipe, unsigned flags);

#endif
