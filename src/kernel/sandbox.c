/* sandbox.c - a sandbox: its budget, tree, clock, shared heap and session.
 *
 * An idle sandbox is this one struct (and its branch of the file tree): the heap, virtual
 * time and everything else is made when first needed. */
#include "../vfs/mount.h"
#include "proc.h"
#include "runtime.h"

#define TICK_NS 10

/* ---- The shared heap ---------------------------------------------------------------- */

struct heap_source {
	struct arena_source source;
	struct sandbox *sb;
};

struct shared_heap {
	struct heap heap;
	struct heap_source source;
};

static void *heap_get(struct arena_source *s, size_t n)
{
	struct sandbox *sb = CONTAINER_OF(s, struct heap_source, source)->sb;
	void *m = kalloc(&sb->quota, n);

	if (UNLIKELY(!m))
		proc_out_of_memory(sb->rt->current);
	return m;
}

static void heap_put(struct arena_source *s, void *chunk, size_t n)
{
	kfree(&CONTAINER_OF(s, struct heap_source, source)->sb->quota, chunk, n);
}

struct heap *sandbox_heap(struct sandbox *sb)
{
	struct shared_heap *h;

	if (LIKELY(sb->heap))
		return sb->heap;
	h = kalloc(&sb->quota, sizeof(*h));
	if (!h)
		proc_out_of_memory(sb->rt->current);
	h->source = (struct heap_source){{heap_get, heap_put}, sb};
	heap_init(&h->heap, &h->source.source);
	sb->heap = &h->heap;
	return sb->heap;
}

static void heap_drop(struct sandbox *sb)
{
	if (!sb->heap)
		return;
	sb->rt->heap_lost += sb->heap->live_count;
	heap_release(sb->heap);
	kfree(&sb->quota, CONTAINER_OF(sb->heap, struct shared_heap, heap),
	      sizeof(struct shared_heap));
	sb->heap = NULL;
}

/* ---- Time and chance ---------------------------------------------------------------- */

int64_t sandbox_clock(struct sandbox *sb, enum sys_clock which)
{
	struct port *port = sb->rt->port;

	if (which == SYS_CLOCK_REAL && sb->stopped_clock)
		return sb->stopped_clock;
	if (sb->virtual)
		return which == SYS_CLOCK_REAL ? sb->config->start_ns + sb->virtual->now
		                               : sb->virtual->now;
	return port->clock(port, which == SYS_CLOCK_REAL ? PORT_CLOCK_REAL : PORT_CLOCK_MONO);
}

struct sys_time sandbox_time(struct sandbox *sb)
{
	int64_t ns = sandbox_clock(sb, SYS_CLOCK_REAL);
	int64_t sec = ns / 1000000000, rest = ns % 1000000000;

	if (rest < 0) {
		sec--;
		rest += 1000000000;
	}
	return (struct sys_time){sec, (int32_t)rest};
}

struct sys_time kernel_time(void *sandbox)
{
	return sandbox_time(sandbox);
}

struct sys_time kernel_now(struct runtime *rt)
{
	return rt->current ? sandbox_time(rt->current->sb) : (struct sys_time){0};
}

void sandbox_random(struct sandbox *sb, void *buf, size_t n)
{
	char *at = buf;

	if (!sb->virtual) {
		sb->rt->port->random(sb->rt->port, buf, n);
		return;
	}
	while (n) {
		uint64_t z = sb->virtual->random += 0x9e3779b97f4a7c15u;
		size_t part = MIN(n, sizeof(z));

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		z ^= z >> 31;
		memcpy(at, &z, part);
		at += part;
		n -= part;
	}
}

void kernel_random(void *ctx, void *buf, size_t n)
{
	struct runtime *rt = ctx;

	if (rt->current)
		sandbox_random(rt->current->sb, buf, n);
	else
		rt->port->random(rt->port, buf, n);
}

struct timers *sandbox_timers(struct sandbox *sb)
{
	return sb->virtual ? &sb->virtual->timers : &sb->rt->timers;
}

void sandbox_worked(struct sandbox *sb, uint64_t ticks)
{
	sb->virtual->now += (int64_t)ticks * TICK_NS;
}

void sandbox_fire(struct sandbox *sb)
{
	struct timer *t;

	while ((t = timers_due(&sb->virtual->timers, sb->virtual->now)) != NULL)
		t->fire(t);
}

void sandbox_may_be_quiet(struct sandbox *sb)
{
	struct virtual_time *v = sb->virtual;

	if (v->listed)
		return;
	v->listed = true;
	v->next_quiet = sb->rt->quiet;
	sb->rt->quiet = sb;
}

static void quiet_forget(struct sandbox *sb)
{
	struct sandbox **at = &sb->rt->quiet;

	while (*at && *at != sb)
		at = &(*at)->virtual->next_quiet;
	if (*at)
		*at = sb->virtual->next_quiet;
}

/* ---- The vfs's callbacks ------------------------------------------------------------ */

static void denied(void *ctx, const struct policy_denial *d)
{
	struct sandbox *sb = ctx;
	struct proc *p = sb->rt->current;

	if (sb->config->denied) {
		const struct refusal r = {.sb = sb,
		                          .run = p ? p->run : NULL,
		                          .command = p ? p->comm : NULL,
		                          .pid = p ? p->pid : 0,
		                          .time_ns = sandbox_clock(sb, SYS_CLOCK_REAL),
		                          .what = d};

		sb->config->denied(sb->config->ctx, &r);
	}
}

void sandbox_refused_command(struct sandbox *sb, const char *name)
{
	const struct policy_denial d = {.path = name,
	                                .operation = "run",
	                                .rule = SIZE_MAX,
	                                .err = -NACRE_EACCES};

	denied(sb, &d);
}

/* ---- Life --------------------------------------------------------------------------- */

static int virtual_new(struct sandbox *sb)
{
	struct virtual_time *v = kzalloc(&sb->quota, sizeof(*v));

	if (!v)
		return -NACRE_ENOMEM;
	timers_init(&v->timers, &sb->quota);
	v->random = sb->config->seed;
	sb->virtual = v;
	return 0;
}

int sandbox_new(struct runtime *rt, const struct sandbox_config *config, struct sandbox **out)
{
	struct quota quota = {.memory = &rt->pool.memory, .limit = config->limits.memory};
	struct sandbox *sb = kalloc(&quota, sizeof(*sb));
	int r;

	if (!sb)
		return -NACRE_ENOMEM;
	memset(sb, 0, sizeof(*sb));
	sb->rt = rt;
	sb->config = config;
	sb->quota = quota;
	sb->vfs = (struct vfs){.mounts = config->mounts,
	                       .policy = config->policy,
	                       .denied = denied,
	                       .ctx = sb};
	sb->procs_end = &sb->procs;
	sb->next_pid = config->first_pid > 0 ? config->first_pid : 2;
	if (config->deterministic) {
		r = virtual_new(sb);
		if (r < 0) {
			quota = sb->quota;
			kfree(&quota, sb, sizeof(*sb));
			return r;
		}
	}
	sb->next = rt->sandboxes;
	sb->prev = &rt->sandboxes;
	if (sb->next)
		sb->next->prev = &sb->next;
	rt->sandboxes = sb;
	rt->nsandboxes++;
	*out = sb;
	return 0;
}

void sandbox_forget_cwd(struct sandbox *sb)
{
	if (sb->cwd)
		cwd_put(sb->cwd, &sb->quota);
	sb->cwd = NULL;
}

void sandbox_session_drop(struct sandbox *sb)
{
	if (sb->session && sb->session_release)
		sb->session_release(sb->heap, sb->session);
	sb->session = NULL;
	sb->session_release = NULL;
	sandbox_forget_cwd(sb);
}

bool sandbox_has_session(const struct sandbox *sb)
{
	return sb->session != NULL;
}

/* ---- Where and with what a run starts ------------------------------------------------ */

const char *sandbox_home(const struct sandbox *sb)
{
	return sb->cwd ? sb->cwd->path : sb->config->cwd ? sb->config->cwd : "/";
}

struct cwd *sandbox_cwd(struct sandbox *sb)
{
	const char *path = sandbox_home(sb);

	return sb->cwd ? cwd_get(sb->cwd) : cwd_new(&sb->quota, path, strlen(path));
}

void sandbox_session_set(struct proc *p, void *state, void (*release)(struct heap *h, void *state))
{
	struct sandbox *sb = p->sb;

	if (sb->session && sb->session_release)
		sb->session_release(sb->heap, sb->session);
	sb->session = state;
	sb->session_release = release;
	if (p->run->own_cwd || sb->cwd == p->cwd)
		return;
	sandbox_forget_cwd(sb);
	sb->cwd = cwd_get(p->cwd);
}

static void drop_env(struct sandbox *sb, struct env **e)
{
	if (*e)
		env_put(*e, &sb->quota);
	*e = NULL;
}

struct env *sandbox_env(struct sandbox *sb)
{
	if (UNLIKELY(!sb->env))
		sb->env = env_new(&sb->quota, sb->config->env);
	return sb->env ? env_get(sb->env) : NULL;
}

#define LAST_ENV_MAX 4096u /* kept while nobody uses it */

static bool same_strings(char *const *a, char *const *b)
{
	while (*a && *b && streq(*a, *b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

struct env *sandbox_last_env(struct sandbox *sb, char *const *env)
{
	return sb->last_env && same_strings(sb->last_env->v, env) ? env_get(sb->last_env) : NULL;
}

struct env *sandbox_new_env(struct sandbox *sb, char *const *env)
{
	struct env *e = env_new(&sb->quota, env);

	if (e && e->size <= LAST_ENV_MAX) {
		drop_env(sb, &sb->last_env);
		sb->last_env = env_get(e);
	}
	return e;
}

void sandbox_free(struct sandbox *sb)
{
	struct runtime *rt = sb->rt;
	struct quota quota;

	while (sb->runs)
		run_free(sb->runs);
	sandbox_session_drop(sb);
	drop_env(sb, &sb->env);
	drop_env(sb, &sb->last_env);
	fs_put(sb->vfs.root);
	if (sb->vfs.mounts != sb->config->mounts)
		mount_table_put(sb->vfs.mounts);
	heap_drop(sb);
	if (sb->virtual) {
		quiet_forget(sb);
		timers_release(&sb->virtual->timers);
		kfree(&sb->quota, sb->virtual, sizeof(*sb->virtual));
	}
	*sb->prev = sb->next;
	if (sb->next)
		sb->next->prev = sb->prev;
	rt->nsandboxes--;
	quota = sb->quota; /* it lies in what it counts */
	kfree(&quota, sb, sizeof(*sb));
	if (quota.used || quota.live)
		rt->leaked++;
}

void sandbox_set_root(struct sandbox *sb, struct fs *root)
{
	struct fs *old = sb->vfs.root;

	sb->vfs.root = root;
	fs_put(old);
}

void sandbox_set_mounts(struct sandbox *sb, struct mount_table *mounts)
{
	if (sb->vfs.mounts != sb->config->mounts)
		mount_table_put(sb->vfs.mounts);
	sb->vfs.mounts = mounts;
}

struct fs *sandbox_root(struct sandbox *sb)
{
	return sb->vfs.root;
}

struct quota *sandbox_quota(struct sandbox *sb)
{
	return &sb->quota;
}

struct runtime *sandbox_runtime(struct sandbox *sb)
{
	return sb->rt;
}

void sandbox_set_user(struct sandbox *sb, void *user)
{
	sb->user = user;
}

void *sandbox_user(struct sandbox *sb)
{
	return sb->user;
}

void sandbox_who(struct sandbox *sb, struct vfs_who *out)
{
	const struct sandbox_config *c = sb->config;

	*out = (struct vfs_who){&sb->vfs, c->cwd ? c->cwd : "/", c->umask, &sb->quota};
}

void sandbox_stats(const struct sandbox *sb, struct sandbox_stats *out)
{
	*out = (struct sandbox_stats){
		.memory = sb->quota.used,
		.memory_peak = sb->quota.peak,
		.commands = sb->commands,
		.procs_started = sb->procs_started,
		.procs = sb->nprocs,
		.files = sb->nfiles,
	};
}
