/* sandbox.c - nacre_sandbox: a branch of the plan's tree with a budget. */
#include "api.h"

#include <stdlib.h>

#include "../fs/mem.h"

static int give_tree(nacre_sandbox *sb)
{
	const struct settings *s = sb->plan->settings;
	struct fs_mem_config mem = {.quota = sandbox_quota(sb->kernel), .now = kernel_time, .ctx = sb->kernel,
				    .seed = s->seed, .uid = 1000, .gid = 1000};
	struct fs *root;
	int e = fs_mem_branch(sb->plan->tree, sb->rt->store, &mem, &root);

	if (e == 0)
		sandbox_set_root(sb->kernel, root);
	return e;
}

int nacre_sandbox_new(nacre_sandbox **out, nacre_runtime *rt, const nacre_config *cfg)
{
	nacre_sandbox *sb = calloc(1, sizeof(*sb));
	struct vfs_who who;
	struct sys_stat st;
	int e;

	*out = NULL;
	if (!sb)
		return runtime_fail(rt, -NACRE_ENOMEM, "out of memory");
	sb->rt = rt;
	e = plan_get(rt, cfg->now, &sb->plan);
	if (e < 0) {
		free(sb);
		return e;
	}
	/* The plan used last stays for the next sandbox, also when none is left in between. */
	if (rt->last != sb->plan) {
		plan_put(rt->last);
		rt->last = sb->plan;
		sb->plan->refs++;
	}
	e = sandbox_new(rt->kernel, &sb->plan->config, &sb->kernel);
	if (e == 0) {
		sandbox_set_user(sb->kernel, sb);
		e = give_tree(sb);
	}
	if (e < 0) {
		runtime_fail(rt, e, "cannot make a sandbox: %s", errno_text(e));
	} else if (!streq(cfg->now->cwd, "/workspace")) {
		sandbox_who(sb->kernel, &who);
		e = vfs_stat(&who, cfg->now->cwd, 0, &st);
		if (e == 0 && (st.mode & SYS_S_TYPE) != SYS_S_DIR)
			e = -NACRE_ENOTDIR;
		if (e < 0)
			runtime_fail(rt, e, "cannot start in '%s': %s", cfg->now->cwd, errno_text(e));
	}
	rt->nsandboxes++;
	if (e < 0) {
		nacre_sandbox_free(sb);
		return e;
	}
	rt->error[0] = '\0';
	*out = sb;
	return 0;
}

const char *nacre_sandbox_warning(const nacre_sandbox *sb, size_t i)
{
	size_t n = 0;

	while (sb->plan->warnings && sb->plan->warnings[n])
		n++;
	return i < n ? sb->plan->warnings[i] : NULL;
}

void nacre_sandbox_free(nacre_sandbox *sb)
{
	if (!sb)
		return;
	if (sb->run)
		nacre_result_free(nacre_run_finish(sb->run));
	denials_forget(sb->rt, sb);
	if (sb->kernel)
		sandbox_free(sb->kernel);
	plan_put(sb->plan);
	sb->rt->nsandboxes--;
	free(sb);
}

int nacre_sandbox_usage(nacre_usage *out, const nacre_sandbox *sb)
{
	struct sandbox_stats st;

	if (out->size < sizeof(*out))
		return runtime_fail(sb->rt, -NACRE_EINVAL, "the size of nacre_usage is not set");
	sandbox_stats(sb->kernel, &st);
	*out = (nacre_usage){.size = sizeof(*out), .memory = st.memory, .memory_peak = st.memory_peak, .procs = st.procs,
			     .files = st.files, .runs = sb->runs, .commands = st.procs_started};
	sb->rt->error[0] = '\0';
	return 0;
}
