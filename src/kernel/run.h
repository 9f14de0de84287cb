/*
 * run.h - what the reaper, the scheduler and the system calls tell a run. Internal.
 *
 * Layer     kernel
 */
#ifndef NACRE_KERNEL_RUN_H
#define NACRE_KERNEL_RUN_H

#include "kernel.h"

struct proc;

/* p is being reaped, killed. When the host stopped the run, its shell's state was whole: that is
 * the session now. */
void run_keep_session(struct proc *p);

/* Ends every proc of the run, because of `why`. The first reason counts. */
void run_stop(struct run *run, enum run_stop why, int sig);
/* Called by the reaper, when `p` has given back its descriptors. */
void run_proc_ended(struct run *run, struct proc *p);

/* A descriptor was closed while a run lingers: nothing may hold its output any more. */
void runs_look_again(struct sandbox *sb);

/* Switches whose time is counted; NULL: nobody's. */
void run_charge_cpu(struct runtime *rt, struct run *next);
bool run_over_cpu(const struct run *run, int64_t now);
bool run_over_ticks(const struct run *run);
/* Ends the run: the budget `which` is spent. */
void run_over_budget(struct run *run, enum sys_limit which);

/* `n` bytes went to file f; ends the run when its output budget is spent. */
void run_wrote(struct run *run, struct proc *p, const struct file *f, uint64_t n);
void run_record_begin(struct proc *p);
void run_record_end(struct proc *p);
struct pipe;
void run_record_pipe(struct run *run, struct pipe *pipe);

/* When nothing of its output is left to hand over: calls `done`, after which the run may be
 * gone, and returns true. */
bool run_deliver(struct run *run);
/* Whether a step would deliver one. */
bool runs_deliverable(struct runtime *rt);

#endif
