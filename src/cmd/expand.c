/*
 * expand.c - tabs become spaces.
 *
 * Like GNU's, it counts bytes; a backspace goes one column back.
 */
#include "expand/tabs.h"
#include "input.h"

struct expand {
	struct tabs tabs;
	bool initial;

	struct u_out *out;
	uint64_t column;
	size_t index;		/* of the tab stop */
	bool verbatim;		/* the rest of the line stays as it is (-i) */
};

static void opt_tabs(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)o;
	tabs_parse(p, &((struct expand *)opts)->tabs, arg);
}

static const struct cmd_opt expand_opts[] = {
	CMD_FLAG(struct expand, initial, 'i', "initial", "leave tabs after the first non-blank alone"),
	CMD_CALL('t', "tabs", "LIST", opt_tabs,
		 "tab stops: one number N for every N columns, or several;\n"
		 "the last one may be /N for multiples of N after the others\n"
		 "or +N for every N columns after the last"),
};

/* The old form -LIST becomes -t LIST. */
static char **rewrite(struct proc *p, int *argc, char **argv)
{
	for (int i = 1; i < *argc && !streq(argv[i], "--"); i++) {
		if (argv[i][0] == '-' && ascii_digit(argv[i][1]))
			argv[i] = u_format(p, "-t%s", argv[i] + 1);
		else if (streq(argv[i], "-t") || streq(argv[i], "--tabs"))
			i++;
	}
	return argv;
}

static void put_tab(struct proc *p, struct expand *e)
{
	uint64_t next = tabs_next(&e->tabs, e->column, &e->index);

	if (next == UINT64_MAX)
		next = e->column + 1;
	if (next < e->column)
		u_die(p, 1, 0, "input line is too long");
	for (; e->column < next; e->column++) {
		u_putc(e->out, ' ');
		sys_checkpoint(p);
	}
}

static void put_byte(struct proc *p, struct expand *e, char c)
{
	if (e->verbatim) {
		u_putc(e->out, c);
	} else if (c == '\t') {
		put_tab(p, e);
	} else {
		if (c != '\b')
			e->column++;
		else if (e->column > 0)
			e->column--;
		e->index -= c == '\b' && e->index > 0;
		u_putc(e->out, c);
		e->verbatim = e->initial && c != ' ';
	}
	if (c == '\n') {
		e->column = 0;
		e->index = 0;
		e->verbatim = false;
	}
}

static int expand_main(struct proc *p, const struct cmd_args *a)
{
	struct expand *e = a->opts;
	struct input in;

	e->out = u_stdout(p);
	tabs_finish(p, &e->tabs);
	input_init(&in, p, a);
	while (in.at < in.end || input_more(&in))
		put_byte(p, e, *in.at++);
	return in.status;
}

static const struct cmd_example expand_examples[] = {
	{"printf 'a\\tb\\n' | expand -t 4", "a   b\n"},
};

const struct cmd cmd_expand = {
	.name = "expand",
	.summary = "convert the tabs in each FILE to spaces, writing to standard output",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Without FILE, or when FILE is -, standard input is read.",
	.opts = expand_opts,
	.nopts = COUNTOF(expand_opts),
	.opts_size = sizeof(struct expand),
	.rewrite = rewrite,
	.main = expand_main,
	.examples = expand_examples,
	.nexamples = COUNTOF(expand_examples),
};
