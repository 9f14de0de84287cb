/* plan.c - settings made ready for one runtime: mounts opened, tables merged, the tree frozen. */
#include "api.h"

#include <stdio.h>
#include <stdlib.h>

#include "../fs/bin.h"
#include "../fs/dev.h"
#include "../fs/proc.h"
#include "../guest/guest.h"
#include "../vfs/mount.h"

static struct sys_time fixed_time(void *ctx)
{
	return *(const struct sys_time *)ctx;
}

/* "skipping '/x': No such file or directory"; false without memory. */
bool plan_warn(struct plan *plan, const char *path, int e)
{
	size_t n = 0, size = strlen(path) + strlen(errno_text(e)) + 32;
	char **v, *text = malloc(size);

	while (plan->warnings && plan->warnings[n])
		n++;
	v = text ? realloc(plan->warnings, (n + 2) * sizeof(*v)) : NULL;
	if (!v) {
		free(text);
		return false;
	}
	snprintf(text, size, "skipping '%s': %s", path, errno_text(e));
	v[n] = text;
	v[n + 1] = NULL;
	plan->warnings = v;
	return true;
}

/* Only the commands, the null device and the allowed paths may be reached. */
static int make_roots(struct plan *plan)
{
	static const char *const bins[] = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"};
	const struct settings *s = plan->settings;
	struct policy *policy = plan->config.policy;
	int e = policy_allow(policy, "/dev/null", POLICY_READ | POLICY_WRITE);

	for (size_t i = 0; i < COUNTOF(bins) && e == 0; i++)
		e = policy_allow(policy, bins[i], POLICY_READ);
	if (e == 0 && &guest_code_python)
		e = policy_allow(policy, guest_code_python.rom_at, POLICY_READ);
	for (size_t i = 0; i < s->nmounts && e == 0; i++)
		e = policy_allow(policy, s->mounts[i].at,
				 s->mounts[i].flags != NACRE_MOUNT_READ_ONLY && !profile_of(s)->read_only ?
					 POLICY_READ | POLICY_WRITE :
					 POLICY_READ);
	return e;
}

static int make_policy(struct plan *plan, struct quota *q)
{
	const struct settings *s = plan->settings;
	const char *why;

	if (!s->ndenies && !s->closed && !profile_of(s)->guard_links)
		return 0;
	plan->config.policy = policy_new(q);
	if (!plan->config.policy)
		return -NACRE_ENOMEM;
	for (size_t i = 0; i < s->ndenies; i++) {
		int e = policy_deny(plan->config.policy, s->denies[i].pattern, s->denies[i].access, &why);

		if (e < 0)
			return e;
	}
	if (profile_of(s)->guard_links)
		policy_guard_links(plan->config.policy);
	return s->closed ? make_roots(plan) : 0;
}

/* The kernel's words for fs/proc. */
static int64_t proc_text(void *ctx, int pid, enum fs_proc_text which, size_t at, char *buf, size_t n)
{
	static const enum kernel_proc_text names[] = {[FS_PROC_CMDLINE] = KERNEL_PROC_CMDLINE, [FS_PROC_ENVIRON] = KERNEL_PROC_ENVIRON,
						      [FS_PROC_CWD] = KERNEL_PROC_CWD, [FS_PROC_PROGRAM] = KERNEL_PROC_PROGRAM};

	return kernel_proc_text(ctx, pid, names[which], at, buf, n);
}

static int proc_machine(void *ctx, struct fs_proc_machine *out)
{
	struct kernel_machine m;
	int e = kernel_machine(ctx, &m);

	if (e == 0)
		*out = (struct fs_proc_machine){m.memory, m.memory_used, m.uptime_ns, m.boot_sec, m.ticks, m.procs_started, m.procs, m.running};
	return e;
}

static int make_proc(nacre_runtime *rt, struct plan *plan, struct quota *q, struct sys_time now)
{
	struct fs_proc_config c = {.self = kernel_self, .proc = kernel_proc, .after = kernel_proc_after, .text = proc_text, .fd = kernel_proc_fd,
				   .machine = proc_machine, .mount_at = kernel_mount_at, .ctx = rt->kernel, .time = now};

	return fs_proc_new(q, &c, &plan->proc);
}

static int make_filesystems(nacre_runtime *rt, struct plan *plan, struct quota *q)
{
	int64_t ns = plan->settings->deterministic ? plan->settings->start_ns : rt->port->clock(rt->port, PORT_CLOCK_REAL);
	struct sys_time now = {ns / 1000000000, (int32_t)(ns % 1000000000)};
	struct fs_dev_config dev = {.fd_file = kernel_fd_file, .fd_count = kernel_fd_count, .fd_ctx = rt->kernel,
				    .random = kernel_random, .random_ctx = rt->kernel, .time = now};
	struct fs_mem_config mem = {.quota = q, .now = fixed_time, .ctx = &now, .seed = plan->settings->seed};
	int e;

	if (!plan->settings->deterministic)
		rt->port->random(rt->port, &mem.seed, sizeof(mem.seed));
	e = fs_bin_new(q, &plan->table, now, &plan->bin);
	if (e == 0)
		e = fs_dev_new(q, &dev, &plan->dev);
	if (e == 0)
		e = make_proc(rt, plan, q, now);
	if (e == 0)
		e = plan_mounts(plan, q);
	if (e == 0)
		e = fs_mem_default_tree(rt->store, &mem, NULL, &plan->tree);
	if (e == 0)
		e = mount_table_make_points(plan->points, plan->tree);
	if (e == 0)
		e = fs_mem_freeze(plan->tree);
	return e;
}

static void plan_free(struct plan *plan)
{
	for (struct plan **at = &plan->rt->plans; *at; at = &(*at)->next)
		if (*at == plan) {
			*at = plan->next;
			break;
		}
	fs_put(plan->tree);
	mount_table_put(plan->points);
	for (size_t i = 0; i < plan->nmounts; i++)
		if (plan->mounts[i].fs)
			fs_put(plan->mounts[i].fs);
	free(plan->mounts);
	free(plan->of);
	if (plan->config.policy)
		policy_put(plan->config.policy);
	fs_put(plan->bin);
	fs_put(plan->dev);
	fs_put(plan->proc);
	for (size_t i = 0; plan->warnings && plan->warnings[i]; i++)
		free(plan->warnings[i]);
	free(plan->warnings);
	free(plan->programs);
	free(plan->refused_v);
	settings_put(plan->settings);
	free(plan);
}

void plan_put(struct plan *plan)
{
	if (plan && --plan->refs == 0)
		plan_free(plan);
}

int plan_get(nacre_runtime *rt, struct settings *s, struct plan **out)
{
	struct quota *q = runtime_quota(rt->kernel);
	struct plan *plan;
	int e;

	for (plan = rt->plans; plan; plan = plan->next)
		if (plan->settings == s) {
			plan->refs++;
			*out = plan;
			return 0;
		}
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return runtime_fail(rt, -NACRE_ENOMEM, "out of memory");
	plan->refs = 1;
	plan->rt = rt;
	plan->settings = settings_get(s);
	plan->programs = registry_table(s, &plan->table.n);
	plan->table.v = plan->programs;
	plan->refused_v = registry_refused(s, &plan->refused.n);
	plan->refused.v = plan->refused_v;
	plan->profile = (struct sys_profile){.name = profile_of(s)->name,
					     .refused = profile_of(s)->refused | s->refused,
					     .closed = profile_of(s)->no_commands,
					     .run_clock = profile_of(s)->run_clock};
	plan->config = (struct sandbox_config){
		.profile = &plan->profile,
		.programs = &plan->table,
		.refused = plan->refused.n ? &plan->refused : NULL,
		.program_of = fs_bin_program,
		.env = s->env,
		.cwd = s->cwd,
		.umask = 022,
		.denied = run_denied,
		.services = &js_services,
		.limits = {.memory = s->limits[NACRE_LIMIT_MEMORY],
			   .procs = (uint32_t)s->limits[NACRE_LIMIT_PROCS],
			   .files = (uint32_t)MIN(s->limits[NACRE_LIMIT_FILES] * 4, (uint64_t)UINT32_MAX),
			   .fds = (uint32_t)MIN(s->limits[NACRE_LIMIT_FILES], (uint64_t)65536),
			   .file_size = s->limits[NACRE_LIMIT_FILE_SIZE],
			   .depth = (uint32_t)MIN(s->limits[NACRE_LIMIT_NESTING], (uint64_t)UINT32_MAX),
			   .budgets = {[SYS_LIMIT_TICKS - SYS_LIMIT_TICKS] = s->limits[NACRE_LIMIT_TICKS],
				       [SYS_LIMIT_PIPE - SYS_LIMIT_TICKS] = s->limits[NACRE_LIMIT_PIPE],
				       [SYS_LIMIT_SOURCE - SYS_LIMIT_TICKS] = s->limits[NACRE_LIMIT_SOURCE],
				       [SYS_LIMIT_EXPANSION - SYS_LIMIT_TICKS] = s->limits[NACRE_LIMIT_EXPANSION],
				       [SYS_LIMIT_LOOPS - SYS_LIMIT_TICKS] = s->limits[NACRE_LIMIT_LOOPS],
				       [SYS_LIMIT_COMMANDS - SYS_LIMIT_TICKS] = s->limits[NACRE_LIMIT_COMMANDS]},
			   .guests = {[SYS_LIMIT_GUEST_MEMORY - SYS_LIMIT_GUEST_MEMORY] = s->limits[NACRE_LIMIT_GUEST_MEMORY],
				      [SYS_LIMIT_JQ_INPUT - SYS_LIMIT_GUEST_MEMORY] = s->limits[NACRE_LIMIT_JQ_INPUT],
				      [SYS_LIMIT_JQ_NESTING - SYS_LIMIT_GUEST_MEMORY] = s->limits[NACRE_LIMIT_JQ_NESTING],
				      [SYS_LIMIT_JQ_FILTER - SYS_LIMIT_GUEST_MEMORY] = s->limits[NACRE_LIMIT_JQ_FILTER],
				      [SYS_LIMIT_JQ_FILTER_NESTING - SYS_LIMIT_GUEST_MEMORY] = s->limits[NACRE_LIMIT_JQ_FILTER_NESTING],
				      [SYS_LIMIT_JQ_FILTER_TOKENS - SYS_LIMIT_GUEST_MEMORY] = s->limits[NACRE_LIMIT_JQ_FILTER_TOKENS]}},
		.rollback = s->rollback,
		.deterministic = s->deterministic,
		.seed = s->seed,
		.start_ns = s->start_ns,
	};
	rt->error[0] = '\0';
	e = plan->programs && plan->refused_v ? make_policy(plan, q) : -NACRE_ENOMEM;
	if (e == 0)
		e = make_filesystems(rt, plan, q);
	if (e < 0) {
		if (!rt->error[0])
			runtime_fail(rt, e, "cannot make sandboxes: %s", errno_text(e));
		plan_free(plan);
		return e;
	}
	plan->next = rt->plans;
	rt->plans = plan;
	*out = plan;
	return 0;
}
