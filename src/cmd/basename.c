/* basename.c - the last component of a path. */
#include "cmd.h"

struct basename {
	bool multiple, zero;
	const char *suffix;
};

static const struct cmd_opt basename_opts[] = {
	CMD_FLAG(struct basename, multiple, 'a', "multiple", "every argument is a NAME"),
	CMD_STRING(struct basename, suffix, 's', "suffix", "SUFFIX", "remove a trailing SUFFIX; implies -a"),
	CMD_FLAG(struct basename, zero, 'z', "zero", "end each line with NUL, not newline"),
};

static void put_base(struct proc *p, const struct basename *b, const char *name, const char *suffix)
{
	const char *base = u_basename(p, name);
	size_t n = strlen(base), k = suffix ? strlen(suffix) : 0;

	/* A name is never removed as a whole; "/" has no suffix. */
	if (base[0] != '/' && k > 0 && n > k && memcmp(base + n - k, suffix, k) == 0)
		n -= k;
	u_put(u_stdout(p), base, n);
	u_putc(u_stdout(p), b->zero ? '\0' : '\n');
}

static int basename_main(struct proc *p, const struct cmd_args *a)
{
	struct basename *b = a->opts;

	b->multiple |= b->suffix != NULL;
	if (a->argc == 0)
		u_usage(p, "missing operand");
	if (!b->multiple && a->argc > 2)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[2]));
	if (!b->multiple) {
		put_base(p, b, a->argv[0], a->argc > 1 ? a->argv[1] : NULL);
		return 0;
	}
	for (int i = 0; i < a->argc; i++)
		put_base(p, b, a->argv[i], b->suffix);
	return 0;
}

static const struct cmd_example basename_examples[] = {
	{"basename /usr/bin/sort", "sort\n"},
	{"basename src/main.c .c", "main\n"},
};

const struct cmd cmd_basename = {
	.name = "basename",
	.summary = "print NAME without its directories, and without SUFFIX",
	.synopsis = "NAME [SUFFIX]\nOPTION... NAME...",
	.opts = basename_opts,
	.nopts = COUNTOF(basename_opts),
	.opts_size = sizeof(struct basename),
	.stop_at_operand = true,
	.main = basename_main,
	.examples = basename_examples,
	.nexamples = COUNTOF(basename_examples),
};
