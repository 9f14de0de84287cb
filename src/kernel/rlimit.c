/* rlimit.c - limits that a proc sets itself and gives to its children.
 *
 * They only take away: what counts is the lower of them and the sandbox's own. Where they are looked at is
 * where the sandbox's are (fdtab.c, sys_io.c, spawn.c, proc.c); processor time is measured as the proc's share
 * in its run's, by the ticks it has used. */
#include "runtime.h"

#define SECOND INT64_C(1000000000)

void rlimits_init(struct proc *p)
{
	for (unsigned i = 0; i < SYS_RLIMIT_COUNT; i++)
		p->rlimits.v[i] = (struct sys_rlimit){SYS_UNLIMITED, SYS_UNLIMITED};
	p->rlimits.v[SYS_RLIMIT_CORE].soft = 0;
	p->rlimits.memory = SYS_UNLIMITED;
}

static uint64_t of_sandbox(struct proc *p, enum sys_rlimit_kind which)
{
	const struct sandbox_limits *l = &p->sb->config->limits;
	uint64_t n = 0;

	switch (which) {
	case SYS_RLIMIT_FILE_SIZE: n = l->file_size; break;
	case SYS_RLIMIT_FILES: n = l->fds ? MIN(l->fds, 65536u) : 1024; break;
	case SYS_RLIMIT_PROCS: n = sys_limit(p, SYS_LIMIT_PROCS); break;
	case SYS_RLIMIT_DATA:
	case SYS_RLIMIT_RESIDENT:
	case SYS_RLIMIT_SPACE: n = l->memory; break;
	default: break;
	}
	return n ? n : SYS_UNLIMITED;
}

struct sys_rlimit sys_rlimit_get(struct proc *p, enum sys_rlimit_kind which)
{
	struct sys_rlimit r = p->rlimits.v[which];
	uint64_t most = of_sandbox(p, which);

	return (struct sys_rlimit){MIN(r.soft, most), MIN(r.hard, most)};
}

int sys_rlimit_set(struct proc *p, enum sys_rlimit_kind which, struct sys_rlimit to)
{
	struct rlimits *l = &p->rlimits;

	if (to.soft > to.hard)
		return -NACRE_EINVAL;
	if (to.hard > sys_rlimit_get(p, which).hard)
		return -NACRE_EPERM;
	l->v[which] = to;
	l->memory = MIN(l->v[SYS_RLIMIT_DATA].soft, MIN(l->v[SYS_RLIMIT_RESIDENT].soft, l->v[SYS_RLIMIT_SPACE].soft));
	l->cpu = l->v[SYS_RLIMIT_CPU].soft != SYS_UNLIMITED || l->v[SYS_RLIMIT_CPU].hard != SYS_UNLIMITED;
	p->fds.limit = (uint32_t)MIN(l->v[SYS_RLIMIT_FILES].soft, (uint64_t)UINT32_MAX);
	return 0;
}

void rlimits_inherit(struct proc *child, const struct proc *p)
{
	child->rlimits = p->rlimits;
	child->rlimits.cpu_told = 0;
	child->fds.limit = p->fds.limit;
}

bool rlimit_procs(const struct proc *p)
{
	return p->sb->nprocs < p->rlimits.v[SYS_RLIMIT_PROCS].soft;
}

int64_t rlimit_cpu_ns(const struct proc *p, uint64_t ticks)
{
	const struct run_result *r = &p->run->result;
	struct runtime *rt = p->rt;
	int64_t all;

	if (p->sb->virtual)
		return (int64_t)ticks * 10;
	all = r->cpu_ns + rt->port->clock(rt->port, PORT_CLOCK_MONO) - rt->cpu_since;
	return r->ticks ? (int64_t)((double)all * (double)ticks / (double)r->ticks) : 0;
}

void rlimit_cpu(struct proc *p)
{
	struct sys_rlimit r = p->rlimits.v[SYS_RLIMIT_CPU];
	uint64_t seconds = (uint64_t)(rlimit_cpu_ns(p, p->ticks) / SECOND);

	if (seconds >= r.hard) {
		proc_kill(p, SYS_SIGKILL);
	} else if (seconds >= r.soft && seconds >= p->rlimits.cpu_told) {
		/* Again each second, for one that catches it. */
		p->rlimits.cpu_told = seconds + 1;
		signal_send(p, SYS_SIGXCPU);
	}
}
