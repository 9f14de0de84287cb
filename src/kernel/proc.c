/* proc.c - a proc's life: making, killing, reaping.
 *
 * Killing sets `killed` and wakes the sleeper; the fiber is then resumed once more, so that
 * kernel frames unwind by themselves (proc_wait says -NACRE_EKILLED), and ends at the edge
 * of the kernel. Program frames are never unwound. The reaper runs on the host's stack, in
 * one order: descriptors, attached state, status, arena, stack. It cannot fail or suspend. */
#include "proc.h"

#include "runtime.h"

#define PROCS_DEFAULT 1024u
#define STACK_CHARGE  16384u /* what a proc is charged for its stack at first */
#define STACK_STEP    32768u /* and what it is charged with as it goes deeper */
#define STACK_SPARE   12288u /* kept below stack_ok for the kernel's own frames */

/* ---- The arena's source ------------------------------------------------------------- */

static void charge_proc(struct proc *p, uint64_t n)
{
	p->memory += n;
	if (p->memory > p->memory_peak)
		p->memory_peak = p->memory;
}

/* "NAME: memory exhausted" to its descriptor 2, if that takes it at once. */
static void say_exhausted(struct proc *p)
{
	static const char text[] = ": memory exhausted\n";
	struct fd_slot *s = fdtab_slot(&p->fds, 2);
	struct quota *q = &p->sb->quota;
	uint64_t limit = q->limit;
	char line[sizeof(p->comm) + sizeof(text)];
	size_t n = strlen(p->comm);
	struct waitq *wq = NULL;

	if (!s || !s->file->ops->write || !(s->file->flags & SYS_O_WRITE))
		return;
	if (s->file->ops->poll && !(s->file->ops->poll(s->file, &wq) & FILE_CAN_WRITE))
		return;
	memcpy(line, p->comm, n);
	memcpy(line + n, text, sizeof(text) - 1);
	if (limit)
		q->limit = limit + 16384; /* the message itself may need a buffer */
	if (s->file->ops->write(s->file, line, n + sizeof(text) - 1, -1) > 0)
		run_wrote(p->run, p, s->file, n + sizeof(text) - 1);
	q->limit = limit;
}

void proc_out_of_memory(struct proc *p)
{
	if (!p || p->rt->current != p)
		KERNEL_BUG(); /* only a proc itself may allocate from its arena */
	p->keeps_session = false; /* it ends in the middle of something */
	if (!p->killed) {
		/* Killed first: a write that would sleep comes back at once. */
		p->killed = SYS_SIGKILL;
		say_exhausted(p);
		if (p == p->run->first && p->run->result.stop == RUN_STOP_NONE)
			p->run->result.stop = RUN_STOP_MEMORY;
	}
	proc_vanish(p);
}

static void *arena_get(struct arena_source *s, size_t n)
{
	struct proc *p = CONTAINER_OF(s, struct proc, source);
	void *m = UNLIKELY(!rlimit_memory(p, n)) ? NULL : kalloc(&p->sb->quota, n);

	if (UNLIKELY(!m))
		proc_out_of_memory(p);
	charge_proc(p, n);
	return m;
}

static void arena_put(struct arena_source *s, void *chunk, size_t n)
{
	struct proc *p = CONTAINER_OF(s, struct proc, source);

	p->memory -= n;
	kfree(&p->sb->quota, chunk, n);
}

void *proc_reserve(struct proc *p, size_t n)
{
	struct arena *a = &p->u.arena;
	size_t size = size_add(n, sizeof(struct arena_chunk));
	struct arena_chunk *c;

#if !defined(NACRE_DEBUG_ARENA)
	if (n <= (size_t)(a->end - a->at) / 2)
		return arena_alloc(a, n);
#endif
	c = size == SIZE_MAX || !rlimit_memory(p, size) ? NULL : kalloc(&p->sb->quota, size);
	if (!c)
		return NULL;
	charge_proc(p, size);
	c->size = size;
	c->next = a->chunks;
	a->chunks = c;
	return c + 1;
}

/* ---- The stack ---------------------------------------------------------------------- */

bool sys_stack_more(struct proc *p, size_t need)
{
	char *here = (char *)__builtin_frame_address(0);
	size_t step = size_add(need, STACK_STEP);

	if ((size_t)(here - p->stack_floor) <= need || here <= p->stack_floor)
		return false;
	if (here > p->u.stack_ok && (size_t)(here - p->u.stack_ok) > need)
		return true;
	step = MIN(step, (size_t)(p->u.stack_ok - p->stack_floor));
	if (!rlimit_memory(p, step) || !quota_charge(&p->sb->quota, step))
		proc_out_of_memory(p);
	p->stack_charge += step;
	charge_proc(p, step);
	p->u.stack_ok -= step;
	return true;
}

static void stack_drop(struct proc *p)
{
	if (p->stack_charge > STACK_CHARGE)
		p->stack->used = (uint32_t)(p->stack->base + p->stack->size - p->u.stack_ok);
	stack_give(&p->rt->stacks, p->stack);
	p->stack = NULL;
	p->memory -= p->stack_charge;
	quota_refund(&p->sb->quota, p->stack_charge);
	p->stack_charge = 0;
}

static size_t stack_want(size_t size)
{
#if HAVE_ASAN
	return MIN(MAX(size, STACK_MIN) * 4, STACK_MAX); /* its frames are larger */
#else
	return size;
#endif
}

static bool stack_get(struct proc *p, size_t size)
{
	if (!quota_charge(&p->sb->quota, STACK_CHARGE))
		return false;
	p->stack = stack_take(&p->rt->stacks, stack_want(size));
	if (!p->stack) {
		quota_refund(&p->sb->quota, STACK_CHARGE);
		return false;
	}
	p->stack_charge = STACK_CHARGE;
	charge_proc(p, STACK_CHARGE);
	return true;
}

/* ---- Making ------------------------------------------------------------------------- */

static void proc_main(void *arg)
{
	struct proc *p = arg;
	int status;

	fiber_entered(p->rt->left);
	if (p->killed)
		proc_vanish(p);
	status = p->entry ? p->entry(p, p->arg) : p->program->main(p, p->argc, p->argv);
	proc_exit(p, status);
}

/* The stack, with `room` bytes of it as the first part of the arena; the fiber on it. */
static void stack_setup(struct proc *p, size_t room)
{
	struct stack *k = p->stack;
	char *low = k->base + p->rt->port->page_size, *top = stack_top(k, room);

	arena_init_with(&p->u.arena, &p->source, top, room);
	k->owner = p;
	p->stack_floor = low + STACK_SPARE;
	/* A small stack is paid for as a whole. */
	p->u.stack_ok = MAX(p->stack_floor, top - (STACK_MIN - room));
	fiber_init(&p->fiber, k, top, proc_main, p);
}

static void timer_fired(struct timer *t)
{
	proc_wake(CONTAINER_OF(t, struct proc, timer), WHY_TIME);
}

static void link_up(struct proc *p, struct proc *parent)
{
	struct sandbox *sb = p->sb;

	p->parent = parent;
	p->ppid = parent ? parent->pid : 1;
	if (parent) {
		p->next_sibling = parent->children;
		p->prev_sibling = &parent->children;
		if (p->next_sibling)
			p->next_sibling->prev_sibling = &p->next_sibling;
		parent->children = p;
	}
	p->next = NULL;
	p->prev = sb->procs_end;
	*sb->procs_end = p;
	sb->procs_end = &p->next;
}

static int next_pid(struct sandbox *sb)
{
	int pid = sb->next_pid;

	sb->next_pid = pid == INT32_MAX ? 2 : pid + 1;
	return pid;
}

int proc_new(struct sandbox *sb, struct run *run, struct proc *parent, size_t stack_size,
             size_t room, struct proc **out)
{
	struct runtime *rt = sb->rt;
	uint32_t limit = sb->config->limits.procs ? sb->config->limits.procs : PROCS_DEFAULT;
	struct proc *p;

	if (sb->nprocs >= limit)
		return -NACRE_EAGAIN;
	p = kzalloc(&sb->quota, sizeof(*p));
	if (!p)
		return -NACRE_ENOMEM;
	p->rt = rt;
	p->sb = sb;
	p->run = run;
	p->stack_size = stack_size;
	p->source = (struct arena_source){arena_get, arena_put};
	if (!stack_get(p, stack_size))
		goto no_stack;
	if (!timers_reserve(sandbox_timers(sb), 1))
		goto no_timer;
	stack_setup(p, room);
	p->read_until = -1;
	p->waiter.proc = p;
	p->timer.fire = timer_fired;
	fdtab_init(&p->fds);
	rlimits_init(p);
	p->umask = parent ? parent->umask : sb->config->umask;
	p->pid = next_pid(sb);
	p->pgid = parent ? parent->pgid : p->pid;
	link_up(p, parent);
	sb->nprocs++;
	sb->nactive++;
	sb->procs_started++;
	rt->nprocs++;
	rt->spawned++;
	run->nlive++;
	run->result.procs++;
	*out = p;
	return 0;

no_timer:
	stack_drop(p);
no_stack:
	kfree(&sb->quota, p, sizeof(*p));
	return -NACRE_ENOMEM;
}

static void set_name(struct proc *p, const char *argv0)
{
	const char *slash = strrchr(argv0, '/');
	const char *base = slash && slash[1] ? slash + 1 : argv0;
	size_t n = strnlen(base, sizeof(p->comm) - 1);

	memcpy(p->comm, base, n);
	memset(p->comm + n, 0, sizeof(p->comm) - n);
}

bool proc_set_argv(struct proc *p, char *const *argv)
{
	size_t n = 0, bytes = 0;
	char **v, *at;

	for (; argv[n]; n++)
		bytes = size_add(bytes, strlen(argv[n]) + 1);
	v = proc_reserve(p, size_add((n + 1) * sizeof(*v), bytes));
	if (!v)
		return false;
	at = (char *)(v + n + 1);
	for (size_t i = 0; i < n; i++) {
		v[i] = at;
		at = stpcpy(at, argv[i]) + 1;
	}
	v[n] = NULL;
	p->argc = (int)n;
	p->argv = v;
	p->u.name = n ? v[0] : "";
	set_name(p, p->u.name);
	return true;
}

/* ---- Ending ------------------------------------------------------------------------- */

void proc_kill(struct proc *p, int sig)
{
	if (p->killed || p->state == PROC_ZOMBIE || p->ending)
		return;
	p->killed = sig;
	p->stopped = false;
	switch (p->state) {
	case PROC_RUNNING:
		proc_account(p);
		p->u.fuel = -1; /* the next checkpoint or system call looks */
		p->fuel_in = -1;
		break;
	case PROC_BLOCKED: proc_wake(p, WHY_SIGNAL); break;
	case PROC_STOPPED:
		p->sb->nactive++;
		sched_ready(p);
		break;
	case PROC_NEW:
	case PROC_READY:
	case PROC_ZOMBIE: break;
	}
}

/* All but the family: what a proc holds, and its memory. */
static void give_back(struct proc *p)
{
	struct sandbox *sb = p->sb;

	alarm_give_back(p);
	cage_give_back(p);
	admit_give_back(p);
	fdtab_release(&p->fds, sb);
	if (p->state_release)
		p->state_release(sb->heap, p->state_attached);
	p->state_attached = NULL;
	p->state_release = NULL;
}

static void free_memory(struct proc *p)
{
	struct sandbox *sb = p->sb;

	arena_release(&p->u.arena);
	if (p->cwd)
		cwd_put(p->cwd, &sb->quota);
	if (p->env)
		env_put(p->env, &sb->quota);
	p->cwd = NULL;
	p->env = NULL;
	fiber_release(&p->fiber);
	stack_drop(p);
	if (!timers_reserve(sandbox_timers(sb), -1))
		KERNEL_BUG();
}

static void orphan_children(struct proc *p)
{
	while (p->children) {
		struct proc *c = p->children;

		p->children = c->next_sibling;
		c->parent = NULL;
		c->prev_sibling = NULL;
		c->ppid = 1;
		if (c->state == PROC_ZOMBIE)
			proc_free(c);
	}
}

void proc_free(struct proc *p)
{
	struct sandbox *sb = p->sb;

	if (p->parent) {
		*p->prev_sibling = p->next_sibling;
		if (p->next_sibling)
			p->next_sibling->prev_sibling = p->prev_sibling;
	}
	*p->prev = p->next;
	if (p->next)
		p->next->prev = p->prev;
	else
		sb->procs_end = p->prev;
	sb->nprocs--;
	p->rt->nprocs--;
	kfree(&sb->quota, p, sizeof(*p));
}

void proc_reap(struct proc *p)
{
	struct sandbox *sb = p->sb;
	struct run *run = p->run;

	if (p->killed) {
		p->signal = p->killed;
		run_keep_session(p);
	}
	if (p->by_path)
		run_record_end(p);
	give_back(p);
	orphan_children(p);
	p->state = PROC_ZOMBIE;
	p->end_seq = ++p->rt->ends;
	if (--sb->nactive == 0 && sb->virtual)
		sandbox_may_be_quiet(sb);
	if (p->parent) {
		waitq_wake(&p->parent->child_ended);
		signal_send(p->parent, SYS_SIGCHLD);
	}
	run_proc_ended(run, p);
	free_memory(p);
	if (!p->parent)
		proc_free(p);
}

void proc_abandon(struct proc *p)
{
	struct sandbox *sb = p->sb;
	struct run *run = p->run;

	give_back(p);
	free_memory(p);
	sb->nactive--;
	sb->procs_started--;
	p->rt->spawned--;
	run->nlive--;
	run->result.procs--;
	proc_free(p);
}

/* ---- Another program in the same proc ----------------------------------------------- */

int next_args(struct proc *p, char *const *prefix, size_t n, char *const *argv,
              struct next_program *out)
{
	size_t argc = n, bytes = 0, i = 0, size;
	char **v, *at;

	for (size_t k = 0; k < n; k++)
		bytes = size_add(bytes, strlen(prefix[k]) + 1);
	if (n && argv[0])
		argv++; /* the prefix ends with what stands for it */
	for (; argv[i]; i++, argc++)
		bytes = size_add(bytes, strlen(argv[i]) + 1);
	size = size_add(size_add(bytes, (argc + 1) * sizeof(*v)), sizeof(struct arena_chunk));
	out->args = size == SIZE_MAX || argc > INT32_MAX ? NULL : kalloc(&p->sb->quota, size);
	if (!out->args)
		return -NACRE_ENOMEM;
	out->args->size = size;
	out->argc = (int)argc;
	v = (char **)(void *)(out->args + 1);
	at = (char *)(v + argc + 1);
	for (size_t k = 0; k < argc; k++) {
		v[k] = at;
		at = stpcpy(at, k < n ? prefix[k] : argv[k - n]) + 1;
	}
	v[argc] = NULL;
	return 0;
}

int next_stack(struct proc *p, struct next_program *out)
{
	struct stacks *s = &p->rt->stacks;

	out->stack = stack_take(s, stack_want(out->program->stack_size));
	if (!out->stack)
		return -NACRE_ENOMEM;
	if (out->stack->cls == p->stack->cls) {
		stack_give(s, out->stack);
		out->stack = NULL;
	}
	return 0;
}

void next_release(struct proc *p, struct next_program *n)
{
	if (n->args)
		kfree(&p->sb->quota, n->args, n->args->size);
	if (n->env)
		env_put(n->env, &p->sb->quota);
	if (n->stack)
		stack_give(&p->rt->stacks, n->stack);
	*n = (struct next_program){0};
}

/* p, which has no program, gets one: its arena takes the arguments over. */
void proc_adopt(struct proc *p, struct next_program *n)
{
	p->program = n->program;
	p->entry = NULL;
	p->argc = n->argc;
	p->argv = (char **)(void *)(n->args + 1);
	n->args->next = p->u.arena.chunks;
	p->u.arena.chunks = n->args;
	charge_proc(p, n->args->size);
	if (p->env)
		env_put(p->env, &p->sb->quota);
	p->env = n->env;
	p->u.env = p->env->v;
	p->u.user = NULL;
	p->u.name = p->argc ? p->argv[0] : "";
	set_name(p, p->u.name);
	*n = (struct next_program){0};
}

void proc_exec(struct proc *p)
{
	p->restarting = true;
	leave_for_good(p);
}

void proc_restart(struct proc *p)
{
	struct next_program *n = &p->next_program;

	p->restarting = false;
	p->ending = false;
	cage_give_back(p);
	admit_give_back(p);
	fiber_release(&p->fiber);
	arena_release(&p->u.arena);
	if (n->stack) {
		stack_drop(p);
		p->stack = n->stack;
		n->stack = NULL;
	} else {
		p->memory -= p->stack_charge;
		quota_refund(&p->sb->quota, p->stack_charge);
	}
	/* What was just refunded is charged again: not more than there was. */
	if (!quota_charge(&p->sb->quota, STACK_CHARGE))
		KERNEL_BUG();
	p->stack_charge = STACK_CHARGE;
	charge_proc(p, STACK_CHARGE);
	stack_setup(p, STACK_ARENA);
	proc_adopt(p, n);
	sched_ready(p);
}
