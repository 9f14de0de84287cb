/*
 * sink.h - an output whose bytes are at their end with the write: nobody reads them on.
 *
 * Layer     kernel
 * Owns      its capture, charged to the runtime's quota
 * Threads   the runtime's own
 * Suspends  no
 */
#ifndef NACRE_KERNEL_SINK_H
#define NACRE_KERNEL_SINK_H

#include "capture.h"
#include "runtime.h"

/* Keeps what is written in a capture (`keep`), passes it to a file of the host's (fd >= 0, see
 * fd_is_file of the port; stays the caller's), or both. NULL without memory. */
MUST_USE struct file *sink_new(struct runtime *rt, const struct capture_config *c, bool keep, int fd);

/* The capture of a file made by sink_new; NULL for any other. */
const struct capture *sink_capture(const struct file *f);

/* What stat says of the streams of a run: pipes. */
void stat_as_pipe(struct sys_stat *out, uint64_t ino);

#endif
