/*
 * proc.h - /proc: what programs that look around ask of Linux, told of the sandbox.
 *
 * The procs are the sandbox's, memory is its budget, the machine has one processor that says what it is. What
 * there is nothing true to say about is not there; a map of memory is refused. Files are written when they are
 * opened. It tells of the running proc's sandbox: while none runs there are no procs in it.
 *
 * Layer     fs; vfs, base, abi
 * Threads   one runtime's
 * Suspends  no
 */
#ifndef NACRE_FS_PROC_H
#define NACRE_FS_PROC_H

#include "../vfs/fs.h"

enum fs_proc_text { FS_PROC_CMDLINE, FS_PROC_ENVIRON, FS_PROC_CWD, FS_PROC_PROGRAM };

struct fs_proc_machine {
	uint64_t memory, memory_used; /* memory 0: no limit */
	int64_t uptime_ns, boot_sec;
	uint64_t ticks, procs_started; /* a tick is 10 ns */
	uint32_t procs, running;
};

/* As the kernel_ functions of these names; all with ctx. */
struct fs_proc_config {
	int (*self)(void *ctx);
	int (*proc)(void *ctx, int pid, struct sys_procinfo *out);
	int (*after)(void *ctx, int pid);
	int64_t (*text)(void *ctx, int pid, enum fs_proc_text which, size_t at, char *buf, size_t n);
	int (*fd)(void *ctx, int pid, int fd);
	int (*machine)(void *ctx, struct fs_proc_machine *out);
	int (*mount_at)(void *ctx, size_t i, struct sys_statfs *out);
	void *ctx;
	struct sys_time time; /* of every node */
};

MUST_USE int fs_proc_new(struct quota *q, const struct fs_proc_config *config, struct fs **out);

#endif
