/* less.c - less and more: without a terminal both print the files, as the real ones do. */
#include "cmd.h"

struct pager {
	bool numbers, ignored;
	const char *word;
};

static const struct cmd_opt less_opts[] = {
	CMD_FLAG(struct pager, numbers, 'N', "LINE-NUMBERS", "show line numbers"),
	CMD_FLAG(struct pager, ignored, 's', "squeeze-blank-lines", "on a terminal: squeeze multiple blank lines"),
	CMD_FLAG(struct pager, ignored, 'R', "RAW-CONTROL-CHARS", "output control characters as they are (always so here)"),
	CMD_FLAG(struct pager, ignored, 'r', "raw-control-chars", NULL),
	CMD_FLAG(struct pager, ignored, 'S', "chop-long-lines", "chop long lines of a screen (there is none)"),
	CMD_FLAG(struct pager, ignored, 'X', "no-init", "don't use termcap init strings"),
	CMD_FLAG(struct pager, ignored, 'F', "quit-if-one-screen", "quit if the entire file fits on the first screen"),
	CMD_FLAG(struct pager, ignored, 'E', "QUIT-AT-EOF", "quit at the end of the file"),
	CMD_FLAG(struct pager, ignored, 'e', "quit-at-eof", NULL),
	CMD_FLAG(struct pager, ignored, 'f', "force", "force open of files that are no regular ones"),
	CMD_FLAG(struct pager, ignored, 'i', "ignore-case", "ignore case in searches"),
	CMD_FLAG(struct pager, ignored, 'I', "IGNORE-CASE", NULL),
	CMD_FLAG(struct pager, ignored, 'n', "line-numbers", "don't use line numbers"),
	CMD_FLAG(struct pager, ignored, 'q', "quiet", "quiet the terminal bell"),
	CMD_FLAG(struct pager, ignored, 'M', "LONG-PROMPT", "set prompt style"),
	CMD_FLAG(struct pager, ignored, 'm', "long-prompt", NULL),
	CMD_STRING(struct pager, word, 'p', "pattern", "PATTERN", "start at PATTERN (on a screen)"),
	CMD_STRING(struct pager, word, 'P', "prompt", "PROMPT", "define new prompt"),
};

static const struct cmd_opt more_opts[] = {
	CMD_FLAG(struct pager, ignored, 's', "squeeze", "on a terminal: squeeze multiple blank lines into one"),
	CMD_FLAG(struct pager, ignored, 'd', "silent", "display help instead of ringing bell"),
	CMD_FLAG(struct pager, ignored, 'f', "logical", "count logical rather than screen lines"),
	CMD_FLAG(struct pager, ignored, 'l', "no-pause", "suppress pause after form feed"),
	CMD_FLAG(struct pager, ignored, 'c', "print-over", "do not scroll, display text and clean line ends"),
	CMD_FLAG(struct pager, ignored, 'p', "clean-print", "do not scroll, clean screen and display text"),
	CMD_FLAG(struct pager, ignored, 'u', "plain", "suppress underlining and bold"),
	CMD_FLAG(struct pager, ignored, 'e', "exit-on-eof", "exit on end-of-file"),
	CMD_STRING(struct pager, word, 'n', "lines", "NUMBER", "the number of lines per screenful"),
};

static void print_lines(struct proc *p, const struct pager *o, int fd)
{
	struct u_out *out = u_stdout(p);
	struct u_lines r;
	struct str line;
	uint64_t number = 0;

	u_lines_init(&r, p, fd, '\n');
	while (u_lines_next(&r, &line)) {
		number++;
		if (o->numbers)
			u_printf(out, "%7llu ", (unsigned long long)number);
		u_put(out, line.ptr, line.len);
		if (r.ended)
			u_putc(out, '\n');
	}
}

/* more puts the names of files before them. */
static void put_heading(struct proc *p, const char *path)
{
	u_printf(u_stdout(p), "::::::::::::::\n%s\n::::::::::::::\n", path);
}

static int page(struct proc *p, const struct cmd_args *a, bool more)
{
	char *const *files;
	int n = cmd_files(a, &files);

	for (int i = 0; i < n; i++) {
		struct sys_stat st;
		int fd = streq(files[i], "-") ? 0 : sys_open(p, files[i], SYS_O_READ | SYS_O_CLOEXEC, 0);

		if (fd < 0 && more) {
			u_warn(p, fd, "cannot open %s", files[i]);
			continue;
		}
		if (fd < 0 || (sys_fstat(p, fd, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR)) {
			const char *text = fd < 0 ? u_format(p, "%s: %s\n", files[i], errno_text(fd)) :
				    more	      ? u_format(p, "\n*** %s: directory ***\n\n", files[i]) :
							u_format(p, "%s is a directory\n", files[i]);

			u_puts(u_stdout(p), text);
			continue;
		}
		if (more && fd != 0)
			put_heading(p, files[i]);
		print_lines(p, a->opts, fd);
		u_close_operand(p, fd);
	}
	return 0;
}

static int less_main(struct proc *p, const struct cmd_args *a)
{
	return page(p, a, false);
}

static int more_main(struct proc *p, const struct cmd_args *a)
{
	return page(p, a, true);
}

/* +COMMAND is for the first screen. */
static char **drop_commands(struct proc *p, int *argc, char **argv)
{
	int n = 1;

	(void)p;
	for (int i = 1; i < *argc; i++) {
		if (argv[i][0] != '+')
			argv[n++] = argv[i];
	}
	argv[n] = NULL;
	*argc = n;
	return argv;
}

static const struct cmd_example less_examples[] = {
	{"echo hi | less", "hi\n"},
};

const struct cmd cmd_less = {
	.name = "less",
	.summary = "print files, a screen at a time where there is one",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "There is no terminal in a sandbox: the files are printed as they are.",
	.opts = less_opts,
	.nopts = COUNTOF(less_opts),
	.opts_size = sizeof(struct pager),
	.rewrite = drop_commands,
	.main = less_main,
	.examples = less_examples,
	.nexamples = COUNTOF(less_examples),
};

const struct cmd cmd_more = {
	.name = "more",
	.summary = "print files, a screen at a time where there is one",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "There is no terminal in a sandbox: the files are printed as they are.",
	.opts = more_opts,
	.nopts = COUNTOF(more_opts),
	.opts_size = sizeof(struct pager),
	.rewrite = drop_commands,
	.main = more_main,
};
