/* printf.c - format and print arguments. */
#include "cmd.h"


static void spill(struct u_printf_host *h)
{
	u_put(u_stdout(h->p), h->out->ptr, h->out->len);
	h->out->len = 0;
}

static void warn(struct u_printf_host *h, const char *text)
{
	spill(h);
	u_warn(h->p, 0, "%s", text);
}

static int printf_main(struct proc *p, const struct cmd_args *a)
{
	struct u_buf out;
	struct u_printf_host h = {.p = p, .out = &out, .warn = warn, .spill = spill};
	char *const *argv = a->argv;
	int argc = a->argc, status;

	if (argc > 0 && streq(argv[0], "--")) {
		argv++;
		argc--;
	}
	if (argc == 0)
		u_usage(p, "missing operand");
	u_buf_init(&out, p, 0);
	status = u_printf_run(&h, argv[0], argc - 1, argv + 1);
	spill(&h);
	return status;
}

static const struct cmd_example printf_examples[] = {
	{"env printf '%05.1f|%-4s|%x\\n' 3.14159 ab 255", "003.1|ab  |ff\n"},
	{"env printf '%s\\n' a b", "a\nb\n"},
};

const struct cmd cmd_printf = {
	.name = "printf",
	.summary = "print ARGUMENTs as FORMAT says, which is used again as long as there are any",
	.synopsis = "FORMAT [ARGUMENT]...\nOPTION",
	.description =
		"FORMAT may have the escapes \\\" \\\\ \\a \\b \\c (stop) \\e \\f \\n \\r \\t \\v \\NNN \\xHH \\uHHHH\n"
		"\\UHHHHHHHH and the conversions %% %b (ARGUMENT with escapes) %q (quoted for the\n"
		"shell) and %d %i %o %u %x %X %f %F %e %E %g %G %a %A %c %s with flags, width and\n"
		"precision as in C.",
	.raw = true,
	.main = printf_main,
	.examples = printf_examples,
	.nexamples = COUNTOF(printf_examples),
};
