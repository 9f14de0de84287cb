/* admit.c - how many sandboxes of a runtime may have guests of a kind at one time.
 *
 * What is counted is sandboxes, not procs: one that has a guest gets further ones at once. So a pipeline of any number of
 * guests never waits for a place that its own members hold, and nobody can wait in a circle. */
#include "runtime.h"

static struct admission *admission_of(struct runtime *rt, const char *name)
{
	for (size_t i = 0; i < rt->nadmissions; i++)
		if (strcmp(rt->admissions[i].name, name) == 0)
			return &rt->admissions[i];
	return NULL;
}

int runtime_admit(struct runtime *rt, const char *name, uint32_t most)
{
	struct admission *a = admission_of(rt, name);
	size_t n = strlen(name);

	if (!a) {
		if (rt->nadmissions == COUNTOF(rt->admissions) || n >= sizeof(a->name))
			return -NACRE_ENOMEM;
		a = &rt->admissions[rt->nadmissions++];
		memcpy(a->name, name, n + 1);
	}
	a->most = most;
	waitq_wake(&a->q);
	return 0;
}

static bool is_full(const struct admission *a, const struct proc *p, size_t k)
{
	return a->most && a->sandboxes >= a->most && !p->sb->guests[k];
}

int sys_admit(struct proc *p, const char *name)
{
	struct runtime *rt = p->rt;
	struct admission *a;
	size_t k;
	int r = 0;

	proc_enter(p);
	a = p->admitted ? NULL : admission_of(rt, name);
	if (!a)
		return 0;
	k = (size_t)(a - rt->admissions);
	while (is_full(a, p, k) && r == 0) {
		p->sb->nhost++; /* virtual time must not pass meanwhile */
		r = proc_wait_on(p, &a->q, -1, true);
		p->sb->nhost--;
	}
	if (r == 0) {
		a->sandboxes += p->sb->guests[k]++ == 0;
		p->admitted = (uint8_t)(k + 1);
	}
	return (int)proc_leave(p, r);
}

void admit_give_back(struct proc *p)
{
	struct admission *a;

	if (!p->admitted)
		return;
	a = &p->rt->admissions[p->admitted - 1];
	p->admitted = 0;
	if (--p->sb->guests[a - p->rt->admissions] == 0) {
		a->sandboxes--;
		waitq_wake(&a->q);
	}
}
