/* yes.c - print a line again and again. */
#include "cmd.h"

#define YES_BLOCK 16384u

static int yes_main(struct proc *p, const struct cmd_args *a)
{
	struct u_buf line;
	size_t one;

	u_buf_init(&line, p, 0);
	for (int i = 0; i < a->argc; i++)
		u_buf_printf(&line, "%s%s", i ? " " : "", a->argv[i]);
	if (a->argc == 0)
		u_buf_puts(&line, "y");
	u_buf_putc(&line, '\n');
	one = line.len;
	while (line.len < YES_BLOCK) {
		u_buf_reserve(&line, one);
		u_buf_put(&line, line.ptr, one);
	}
	for (;;) {
		int r = u_write_all(p, 1, line.ptr, line.len);

		if (r < 0)
			u_die(p, 1, r, "standard output");
	}
}

static const struct cmd_example yes_examples[] = {
	{"yes | head -n 2", "y\ny\n"},
};

const struct cmd cmd_yes = {
	.name = "yes",
	.summary = "print a line with all arguments, or 'y', until killed",
	.synopsis = "[STRING]...\nOPTION",
	.main = yes_main,
	.examples = yes_examples,
	.nexamples = COUNTOF(yes_examples),
};
