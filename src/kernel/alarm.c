/* alarm.c - a signal at a time: what sys_alarm arms.
 *
 * Of a proc that has never asked there is nothing; it ends with the proc, or is carried on by exec. */
#include "runtime.h"

struct alarm {
	struct timer timer;
	struct proc *p;
	int64_t interval; /* 0: once */
};

static void rings(struct timer *t)
{
	struct alarm *a = CONTAINER_OF(t, struct alarm, timer);

	if (a->interval)
		timer_arm(sandbox_timers(a->p->sb), t, sys_time_after(a->p, a->interval));
	signal_send(a->p, SYS_SIGALRM);
}

static struct alarm *alarm_new(struct proc *p)
{
	struct alarm *a = kzalloc(&p->sb->quota, sizeof(*a));

	if (!a)
		return NULL;
	if (!timers_reserve(sandbox_timers(p->sb), 1)) {
		kfree(&p->sb->quota, a, sizeof(*a));
		return NULL;
	}
	a->timer.fire = rings;
	a->p = p;
	return a;
}

int sys_alarm(struct proc *p, int64_t ns, int64_t interval, int64_t *left)
{
	int64_t now;

	proc_enter(p);
	if (ns < 0 || interval < 0)
		return -NACRE_EINVAL;
	now = sys_time_after(p, 0);
	*left = p->alarm && p->alarm->timer.heap ? MAX(p->alarm->timer.when - now, (int64_t)1) : 0;
	if (!p->alarm && ns)
		p->alarm = alarm_new(p);
	if (!p->alarm)
		return ns ? -NACRE_ENOMEM : 0;
	timer_disarm(&p->alarm->timer);
	p->alarm->interval = interval;
	if (ns)
		timer_arm(sandbox_timers(p->sb), &p->alarm->timer, sys_time_after(p, ns));
	return 0;
}

void alarm_give_back(struct proc *p)
{
	if (!p->alarm)
		return;
	timer_disarm(&p->alarm->timer);
	if (!timers_reserve(sandbox_timers(p->sb), -1))
		KERNEL_BUG();
	kfree(&p->sb->quota, p->alarm, sizeof(*p->alarm));
	p->alarm = NULL;
}
