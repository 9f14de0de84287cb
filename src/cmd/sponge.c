/* sponge.c - soak up standard input, then write it to a file: the file may be what the input was made from. */
#include "cmd.h"

#define SPONGE_MAX ((size_t)4 << 30)

struct sponge {
	bool append;
};

static const struct cmd_opt sponge_opts[] = {
	CMD_FLAG(struct sponge, append, 'a', NULL, "append to FILE"),
};

static int sponge_main(struct proc *p, const struct cmd_args *a)
{
	const struct sponge *o = a->opts;
	struct str all;
	int fd = 1, r = u_read_all(p, 0, SPONGE_MAX, &all);

	if (a->argc > 1)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[1]));
	if (r < 0)
		u_die(p, 1, r, "failed to read from stdin");
	if (a->argc == 1)
		fd = sys_open(p, a->argv[0], SYS_O_WRITE | SYS_O_CREATE | (o->append ? SYS_O_APPEND : SYS_O_TRUNC), 0666);
	if (fd < 0)
		u_die(p, 1, fd, "error opening output file");
	r = u_write_all(p, fd, all.ptr, all.len);
	if (r < 0)
		u_die(p, 1, r, "error writing buffer to output file");
	return 0;
}

static const struct cmd_example sponge_examples[] = {
	{"printf 'b\\na\\n' > f; sort f | sponge f; cat f", "a\nb\n"},
};

const struct cmd cmd_sponge = {
	.name = "sponge",
	.summary = "soak up all of standard input and write it to FILE, or to standard output",
	.synopsis = "[-a] [FILE]",
	.opts = sponge_opts,
	.nopts = COUNTOF(sponge_opts),
	.opts_size = sizeof(struct sponge),
	.main = sponge_main,
	.examples = sponge_examples,
	.nexamples = COUNTOF(sponge_examples),
};
