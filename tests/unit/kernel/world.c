/* world.c - what the kernel's tests stand on. */
#include "world.h"

int failures;

static const struct program *program_of(struct file *f)
{
	return fs_bin_program(f);
}

static struct sys_time no_time(void *ctx)
{
	(void)ctx;
	return (struct sys_time){1700000000, 0};
}

void world_open(struct world *w, struct port *port, const struct program *programs, size_t n)
{
	static const char *env[] = {"PATH=/usr/bin:/bin", "HOME=/home/user", NULL};
	struct fs_mem_config mc = {.now = no_time};
	struct mount m = {0};
	size_t bad;

	memset(w, 0, sizeof(*w));
	w->port = port ? port : port_linux_new();
	w->rt = runtime_new(w->port, NULL);
	w->store = mem_store_new(runtime_memory(w->rt));
	w->table = (struct program_table){programs, n};
	mc.quota = runtime_quota(w->rt);
	CHECK_EQ(fs_mem_default_template(w->store, &mc, &(struct fs_mem_template){0}, &w->base), 0);
	CHECK_EQ(fs_bin_new(runtime_quota(w->rt), &w->table, (struct sys_time){0}, &w->bin), 0);
	m.at = "/usr/bin";
	m.fs = w->bin;
	m.read_only = true;
	m.source = "bin";
	CHECK_EQ(mount_table_new(runtime_quota(w->rt), &m, 1, &bad, &w->mounts), 0);
	w->config = (struct sandbox_config){
		.programs = &w->table,
		.program_of = program_of,
		.env = (char *const *)env,
		.cwd = "/workspace",
		.umask = 022,
		.mounts = w->mounts,
		.limits = {.memory = 256 << 20, .procs = 1000},
	};
	runtime_stats(w->rt, &w->empty);
}

void world_at_rest(struct world *w)
{
	struct runtime_stats now;

	runtime_stats(w->rt, &now);
	CHECK_EQ(now.procs, 0);
	CHECK_EQ(now.stacks_used, 0);
	CHECK_EQ(now.runs, 0);
	CHECK_EQ(now.timers, 0);
	CHECK_EQ(now.completions, 0);
	CHECK_EQ(now.leaked, 0);
}

void world_close(struct world *w)
{
	world_at_rest(w);
	mount_table_put(w->mounts);
	fs_put(w->bin);
	fs_put(w->base);
	mem_store_free(w->store);
	{
		struct runtime_stats now;

		/* Left: descriptions of stacks and the timers' array, which go with the runtime. */
		runtime_stats(w->rt, &now);
		CHECK_EQ(now.sandboxes, 0);
		CHECK(runtime_quota(w->rt)->live <= 400);
	}
	runtime_free(w->rt);
	w->port->free(w->port);
}

int world_tree(struct world *w, struct sandbox *sb)
{
	struct fs_mem_config mc = {.quota = sandbox_quota(sb),
	                           .now = kernel_time,
	                           .ctx = sb,
	                           .uid = 1000,
	                           .gid = 1000};
	struct fs *root;
	int r = fs_mem_branch(w->base, w->store, &mc, &root);

	if (r == 0)
		sandbox_set_root(sb, root);
	return r;
}

struct sandbox *world_sandbox(struct world *w)
{
	struct sandbox *sb;

	CHECK_EQ(sandbox_new(w->rt, &w->config, &sb), 0);
	CHECK_EQ(world_tree(w, sb), 0);
	return sb;
}

static const struct program *program(struct sandbox *sb, const char *name)
{
	const struct program_table *t = ((struct world *)sandbox_user(sb))->config.programs;

	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->v[i].name, name) == 0)
			return &t->v[i];
	fprintf(stderr, "no program %s\n", name);
	exit(2);
}

struct run *world_start(struct sandbox *sb, const char *name, char *const *argv,
                        const struct run_config *c)
{
	struct runtime *rt = sandbox_runtime(sb);
	struct run_config rc = c ? *c : (struct run_config){0};
	struct run *run = NULL;
	int r;

	rc.program = program(sb, name);
	rc.argv = argv;
	if (!rc.out)
		rc.out = stream_capture(rt, &(struct capture_config){.limit = 4000});
	if (!rc.err)
		rc.err = stream_capture(rt, &(struct capture_config){.limit = 4000});
	r = run_start(sb, &rc, &run);
	if (r < 0)
		fprintf(stderr, "run_start: %d\n", r);
	CHECK_EQ(r, 0);
	return run;
}

void world_step_until_done(struct run *run)
{
	struct runtime *rt = sandbox_runtime(run_sandbox(run));

	while (!run_done(run))
		if (runtime_step(rt, 0) != RUNTIME_MORE && !run_done(run))
			runtime_wait(rt, -1);
}

static size_t collect(struct run *run, int fd, char *to)
{
	struct capture_info i;

	capture_info(run_file(run, fd), &i);
	if (i.head + i.tail < 4096) {
		capture_copy(run_file(run, fd), to);
		to[i.head + i.tail] = '\0';
	}
	return i.head + i.tail;
}

void world_finish(struct run *run, struct outcome *o)
{
	world_step_until_done(run);
	memset(o, 0, sizeof(*o));
	o->result = *run_result(run);
	o->out_len = collect(run, 1, o->out);
	o->err_len = collect(run, 2, o->err);
	run_free(run);
}

void world_run(struct world *w, const char *name, char *const *argv, const struct run_config *c,
               struct outcome *o)
{
	struct sandbox *sb = world_sandbox(w);

	sandbox_set_user(sb, w);
	world_finish(world_start(sb, name, argv, c), o);
	sandbox_free(sb);
	world_at_rest(w);
}

int say(struct proc *p, int fd, const char *text)
{
	return sys_write(p, fd, text, strlen(text)) < 0;
}

int run_tests(const struct test *t, size_t n, int argc, char **argv)
{
	for (size_t i = 0; i < n; i++) {
		int before = failures;
		bool wanted = argc < 2;

		for (int k = 1; k < argc; k++)
			wanted |= strcmp(argv[k], t[i].name) == 0;
		if (!wanted)
			continue;
		t[i].run();
		fprintf(stderr, "%s %s\n", failures == before ? "ok  " : "FAIL", t[i].name);
	}
	return failures ? 1 : 0;
}
