/*
 * freeze - writes the image a guest starts from to standard output: freeze NAME
 *
 * Run by the build (guests/freeze.py): it links everything but images, and initialises the guest in a sandbox of
 * its own.
 */
#include <stdio.h>

#include "../src/guest/guest.h"
#include "../src/kernel/kernel.h"
#include "../src/kernel/stream.h"

static int freeze_main(struct proc *p, int argc, char **argv)
{
	const struct guest_code *const codes[] = {&guest_code_jq, &guest_code_js, &guest_code_python, &guest_code_sqlite3};

	for (size_t i = 0; i < COUNTOF(codes) && argc == 2; i++)
		if (codes[i] && strcmp(codes[i]->name, argv[1]) == 0)
			return guest_freeze(p, codes[i]);
	return 127;
}

int main(int argc, char **argv)
{
	static char *const no_environment[] = {NULL};
	static const struct program program = {.name = "freeze", .main = freeze_main, .stack_size = 16u << 20};
	const struct program_table table = {&program, 1};
	const struct sandbox_config config = {.programs = &table, .env = no_environment, .limits = {.memory = (uint64_t)2 << 30, .procs = 2}};
	struct run_config how = {.program = &program, .argv = argv};
	struct port *port = port_linux_new();
	struct runtime *rt = runtime_new(port, NULL);
	struct sandbox *sb;
	struct run *run;
	int status;

	if (argc != 2 || !rt || sandbox_new(rt, &config, &sb) < 0)
		return 2;
	how.in = stream_null(rt);
	how.out = stream_out(rt, &(struct stream_out_config){.fd = 1});
	how.err = stream_out(rt, &(struct stream_out_config){.fd = 2});
	if (run_start(sb, &how, &run) < 0)
		return 2;
	while (!run_done(run))
		if (runtime_step(rt, 0) != RUNTIME_MORE && !run_done(run))
			runtime_wait(rt, -1);
	status = run_result(run)->status;
	run_free(run);
	sandbox_free(sb);
	runtime_free(rt);
	port->free(port);
	return status;
}
