/* echo.c - print the arguments. */
#include "cmd.h"

/* Takes leading -n -e -E (in any combination) off; anything else is text. */
static int take_options(const struct cmd_args *a, bool *newline, bool *escapes)
{
	int i = 0;

	for (; i < a->argc; i++) {
		const char *s = a->argv[i];

		if (s[0] != '-' || !s[1] || s[1 + strspn(s + 1, "neE")])
			break;
		for (s++; *s; s++) {
			if (*s == 'n')
				*newline = false;
			else
				*escapes = *s == 'e';
		}
	}
	return i;
}

static int echo_main(struct proc *p, const struct cmd_args *a)
{
	bool newline = true, escapes = false, go_on = true;
	int first = take_options(a, &newline, &escapes);
	struct u_out *out = u_stdout(p);

	for (int i = first; i < a->argc && go_on; i++) {
		const char *s = a->argv[i];

		if (i > first)
			u_putc(out, ' ');
		if (escapes && strchr(s, '\\')) {
			struct u_buf b;

			u_buf_init(&b, p, 0);
			go_on = u_echo_escape(&b, s, strlen(s), false);
			u_put(out, b.ptr, b.len);
		} else {
			u_puts(out, s);
		}
	}
	if (newline && go_on)
		u_putc(out, '\n');
	return 0;
}

static const struct cmd_example echo_examples[] = {
	{"env echo -e 'a\\tb\\c' ignored", "a\tb"},
};

const struct cmd cmd_echo = {
	.name = "echo",
	.summary = "print the arguments, separated by single spaces",
	.synopsis = "[SHORT-OPTION]... [STRING]...\nLONG-OPTION",
	.description =
		"  -n             leave out the newline at the end\n"
		"  -e             replace escapes: \\\\ \\a \\b \\c (stop) \\e \\f \\n \\r \\t \\v \\0NNN \\xHH\n"
		"  -E             print escapes as they are (the default)",
	.raw = true,
	.main = echo_main,
	.examples = echo_examples,
	.nexamples = COUNTOF(echo_examples),
};
