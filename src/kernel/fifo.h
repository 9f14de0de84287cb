/*
 * fifo.h - named pipes: opening waits for the other side.
 *
 * The filesystem only knows that a node is a FIFO; while anybody has it open (or tries to),
 * the sandbox keeps its pipe in a list keyed by device and inode.
 *
 * Layer     kernel
 * Owns      an entry lives as long as its pipe has an end
 * Suspends  fifo_open
 */
#ifndef NACRE_KERNEL_FIFO_H
#define NACRE_KERNEL_FIFO_H

#include "runtime.h"

/* As open(2) of a FIFO: reading waits for a writer, writing for a reader, both at once for nobody; with
 * O_NONBLOCK reading waits for nobody and writing without a reader is -NACRE_ENXIO. */
MUST_USE int fifo_open(struct proc *p, uint64_t dev, uint64_t ino, unsigned flags, struct file **out) MAY_SUSPEND;

/* The pipe's last end has been closed. */
void fifo_forget(struct fifo *f);
/* Which file it is. */
void fifo_place(const struct fifo *f, uint64_t *dev, uint64_t *ino);

#endif
