/* procinfo.c - what fs/proc tells of the running proc's sandbox and the procs in it. */
#include "proc.h"
#include "runtime.h"

static struct proc *current(void *ctx)
{
	return ((struct runtime *)ctx)->current;
}

static struct proc *find(void *ctx, int pid)
{
	struct proc *p = current(ctx);

	for (p = p ? p->sb->procs : NULL; p && p->pid != pid; p = p->next)
		;
	return p;
}

struct proc *kernel_current(struct runtime *rt)
{
	return rt->current;
}

int kernel_self(void *ctx)
{
	return current(ctx) ? current(ctx)->pid : 0;
}

int kernel_proc(void *ctx, int pid, struct sys_procinfo *out)
{
	const struct proc *p = find(ctx, pid);

	if (!p)
		return -NACRE_ESRCH;
	*out = (struct sys_procinfo){.pid = p->pid, .ppid = p->ppid, .pgid = p->pgid, .memory = p->memory, .ticks = p->ticks};
	memcpy(out->name, p->comm, sizeof(p->comm));
	out->state = p->state == PROC_ZOMBIE ? 'Z' : p->state == PROC_BLOCKED ? 'S' : p->stopped ? 'T' : 'R';
	return 0;
}

int kernel_proc_after(void *ctx, int pid)
{
	const struct proc *p = current(ctx);
	int found = 0;

	for (p = p ? p->sb->procs : NULL; p; p = p->next)
		if (p->pid > pid && (!found || p->pid < found))
			found = p->pid;
	return found;
}

/* Strings, each with its NUL, as one text of which [at, at + n) is wanted. */
static size_t strings(char *const *v, size_t count, size_t at, char *buf, size_t n)
{
	size_t done = 0;

	for (size_t i = 0; i < count && v[i] && done < n; i++) {
		size_t len = strlen(v[i]) + 1, part;

		if (at >= len) {
			at -= len;
			continue;
		}
		part = MIN(len - at, n - done);
		memcpy(buf + done, v[i] + at, part);
		done += part;
		at = 0;
	}
	return done;
}

int64_t kernel_proc_text(void *ctx, int pid, enum kernel_proc_text which, size_t at, char *buf, size_t n)
{
	const struct proc *p = find(ctx, pid);
	char *one[1] = {NULL};

	if (!p)
		return -NACRE_ESRCH;
	if (p->state == PROC_ZOMBIE)
		return which == KERNEL_PROC_CWD || which == KERNEL_PROC_PROGRAM ? -NACRE_ENOENT : 0;
	switch (which) {
	case KERNEL_PROC_CMDLINE:
		one[0] = (char *)(uintptr_t)p->comm;
		return (int64_t)(p->argv && p->argc > 0 ? strings(p->argv, (size_t)p->argc, at, buf, n) : strings(one, 1, at, buf, n));
	case KERNEL_PROC_ENVIRON: return p->env ? (int64_t)strings(p->env->v, SIZE_MAX, at, buf, n) : 0;
	case KERNEL_PROC_CWD: one[0] = p->cwd ? (char *)(uintptr_t)p->cwd->path : NULL; break;
	case KERNEL_PROC_PROGRAM: one[0] = p->program ? (char *)(uintptr_t)p->program->name : NULL; break;
	}
	if (!one[0])
		return -NACRE_ENOENT;
	n = MIN(n, strlen(one[0]));
	memcpy(buf, one[0], n);
	return (int64_t)n;
}

int kernel_proc_fd(void *ctx, int pid, int fd)
{
	struct proc *p = find(ctx, pid);

	for (; p && fd >= 0 && fd < (int)p->fds.end; fd++)
		if (fdtab_slot(&p->fds, fd))
			return fd;
	return -1;
}

int kernel_machine(void *ctx, struct kernel_machine *out)
{
	struct proc *p = current(ctx);
	struct sandbox *sb;

	if (!p)
		return -NACRE_ESRCH;
	sb = p->sb;
	*out = (struct kernel_machine){.memory = sb->quota.limit, .memory_used = sb->quota.used,
				       .uptime_ns = sandbox_clock(sb, SYS_CLOCK_MONO) - p->run->began,
				       .ticks = p->run->result.ticks, .procs_started = sb->procs_started, .procs = sb->nprocs};
	out->boot_sec = (sandbox_clock(sb, SYS_CLOCK_REAL) - out->uptime_ns) / 1000000000;
	for (const struct proc *q = sb->procs; q; q = q->next)
		out->running += q->state != PROC_ZOMBIE && q->state != PROC_BLOCKED && !q->stopped;
	return 0;
}

int kernel_mount_at(void *ctx, size_t i, struct sys_statfs *out)
{
	struct proc *p = current(ctx);

	return p ? vfs_mount_at(&p->sb->vfs, i, out) : -NACRE_ESRCH;
}
