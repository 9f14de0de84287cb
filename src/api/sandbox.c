/* sandbox.c - nacre_sandbox: a branch of the plan's tree with a budget. */
#include "api.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../fs/mem.h"

struct fs_mem_config sandbox_mem_config(nacre_sandbox *sb)
{
	return (struct fs_mem_config){.quota = sandbox_quota(sb->kernel), .now = kernel_time, .ctx = sb->kernel,
				      .seed = sb->plan->settings->seed, .uid = 1000, .gid = 1000};
}

static int give_tree(nacre_sandbox *sb, struct fs *from)
{
	struct fs_mem_config mem = sandbox_mem_config(sb);
	struct fs *root;
	int e = fs_mem_branch(from ? from : sb->plan->tree, sb->rt->store, &mem, &root);

	if (e == 0)
		sandbox_set_root(sb->kernel, root);
	return e;
}

static int check_cwd(nacre_sandbox *sb)
{
	const char *cwd = sb->plan->settings->cwd;
	struct vfs_who who;
	struct sys_stat st;
	int e;

	if (streq(cwd, "/workspace"))
		return 0;
	sandbox_who(sb->kernel, &who);
	e = vfs_stat(&who, cwd, 0, &st);
	if (e == 0 && (st.mode & SYS_S_TYPE) != SYS_S_DIR)
		e = -NACRE_ENOTDIR;
	return e < 0 ? runtime_fail(sb->rt, e, "cannot start in '%s': %s", cwd, errno_text(e)) : 0;
}

/* Else it would be found out when there is something to write. */
static int check_spill(nacre_sandbox *sb)
{
	const char *dir = sb->plan->settings->spill;
	int fd, e = 0;

	if (!dir || recording_replays(sb->rt))
		return 0;
	fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, 0) < 0)
		e = -errno;
	if (fd >= 0)
		close(fd);
	return e < 0 ? runtime_fail(sb->rt, e, "cannot write output to files in '%s': %s", dir, errno_text(e)) : 0;
}

int sandbox_of_plan(nacre_sandbox **out, nacre_runtime *rt, struct plan *plan, struct fs *root, struct fs *const *own)
{
	nacre_sandbox *sb = calloc(1, sizeof(*sb));
	int e;

	if (!sb)
		return runtime_fail(rt, -NACRE_ENOMEM, "out of memory");
	sb->rt = rt;
	sb->plan = plan;
	sb->js = js_globals_get(plan->settings->js);
	plan->refs++;
	e = sandbox_new(rt->kernel, &plan->config, &sb->kernel);
	if (e == 0) {
		sandbox_set_user(sb->kernel, sb);
		e = give_tree(sb, root);
	}
	if (e == 0)
		e = sandbox_mounts(sb, own);
	rt->nsandboxes++;
	if (e < 0)
		runtime_fail(rt, e, "cannot make a sandbox: %s", errno_text(e));
	else if ((e = check_cwd(sb)) == 0)
		e = check_spill(sb);
	if (e < 0) {
		nacre_sandbox_free(sb);
		return e;
	}
	recording_has_sandbox(rt, sb);
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

int nacre_sandbox_new(nacre_sandbox **out, nacre_runtime *rt, const nacre_config *cfg)
{
	int e = recording_sandbox(rt, cfg->now, NULL, 0);

	*out = NULL;
	return e ? e : sandbox_of_settings(out, rt, cfg->now);
}

int sandbox_of_settings(nacre_sandbox **out, nacre_runtime *rt, struct settings *s)
{
	struct plan *plan;
	int e = plan_get(rt, s, &plan);

	*out = NULL;
	if (e < 0)
		return e;
	/* The plan used last stays for the next sandbox, also when none is left in between. */
	if (rt->last != plan) {
		plan_put(rt->last);
		rt->last = plan;
		plan->refs++;
	}
	e = sandbox_of_plan(out, rt, plan, NULL, NULL);
	plan_put(plan);
	return e;
}

void nacre_sandbox_free(nacre_sandbox *sb)
{
	if (!sb)
		return;
	while (sb->run)
		nacre_result_free(nacre_run_finish(sb->run));
	if (sb->nested)
		nested_stop(sb, NULL);
	denials_forget(sb->rt, sb);
	if (sb->kernel)
		sandbox_free(sb->kernel);
	js_globals_put(sb->js);
	free(sb->own);
	plan_put(sb->plan);
	sb->rt->nsandboxes--;
	free(sb);
}

int nacre_sandbox_usage(nacre_usage *out, const nacre_sandbox *sb)
{
	struct sandbox_stats st;
	uint64_t bytes, files;

	if (out->size < sizeof(*out))
		return runtime_fail(sb->rt, -NACRE_EINVAL, "the size of nacre_usage is not set");
	sandbox_stats(sb->kernel, &st);
	*out = (nacre_usage){.size = sizeof(*out), .memory = st.memory, .memory_peak = st.memory_peak, .procs = st.procs,
			     .files = st.files, .runs = sb->runs, .commands = st.procs_started};
	mounts_usage(sb, &bytes, &files);
	out->fs_bytes = bytes;
	out->fs_files = files;
	sb->rt->error[0] = '\0';
	return 0;
}
