/* sync.c - write cached data to its place: nothing is cached here, so only the names are checked. */
#include "cmd.h"

struct sync {
	bool data, fs;
};

static const struct cmd_opt sync_opts[] = {
	CMD_FLAG(struct sync, data, 'd', "data", "sync only file data, no unneeded metadata"),
	CMD_FLAG(struct sync, fs, 'f', "file-system", "sync the file systems that contain the files"),
};

static int sync_main(struct proc *p, const struct cmd_args *a)
{
	const struct sync *o = a->opts;
	int status = 0;

	if (o->data && o->fs)
		u_die(p, 1, 0, "cannot specify both --data and --file-system");
	if (o->data && a->argc == 0)
		u_die(p, 1, 0, "--data needs at least one argument");
	for (int i = 0; i < a->argc; i++) {
		int fd = sys_open(p, a->argv[i], SYS_O_READ | SYS_O_NONBLOCK | SYS_O_CLOEXEC, 0);

		if (fd == -NACRE_EACCES)
			fd = sys_open(p, a->argv[i], SYS_O_WRITE | SYS_O_NONBLOCK | SYS_O_CLOEXEC, 0);
		if (fd < 0) {
			u_warn(p, fd, "error opening %s", u_quote_file(p, a->argv[i]));
			status = 1;
		} else {
			sys_close(p, fd);
		}
	}
	return status;
}

static const struct cmd_example examples[] = {
	{"sync && echo done", "done\n"},
};

const struct cmd cmd_sync = {
	.name = "sync",
	.summary = "synchronize cached writes to persistent storage",
	.synopsis = "[OPTION] [FILE]...",
	.opts = sync_opts,
	.nopts = COUNTOF(sync_opts),
	.opts_size = sizeof(struct sync),
	.main = sync_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
