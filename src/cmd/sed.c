/*
 * sed.c - edit lines by a script: the options.
 *
 * The scripts of -e and -f are compiled as they are met; sed/exec.c runs the result.
 */
#include "sed/sed.h"

struct sed_options {
	struct sed sed;
	struct cmd_list scripts;	/* "e" or "f" and the text or name, in turn */
	bool binary;
};

static void add_script(struct proc *p, struct sed_options *o, const char *kind, const char *arg)
{
	struct cmd_list *l = &o->scripts;

	if (l->n + 2 > l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 8;

		l->v = arena_grow(&sys_self(p)->arena, (void *)l->v, l->cap * sizeof(*l->v),
				  size_mul(cap, sizeof(*l->v)));
		l->cap = cap;
	}
	l->v[l->n++] = kind;
	l->v[l->n++] = arg;
}

static void opt_script(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	add_script(p, opts, o->shrt == 'e' ? "e" : "f", arg);
}

static void opt_in_place(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct sed *s = &((struct sed_options *)opts)->sed;

	(void)p;
	(void)o;
	s->in_place = s->separate = true;
	s->suffix = arg ? arg : "";
}

static void opt_length(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct sed *s = &((struct sed_options *)opts)->sed;
	uint64_t n;

	(void)o;
	if (u_parse_size(arg, "", &n) < 0)
		u_die(p, 1, 0, "invalid line length: %s", arg);
	s->line_length = (int64_t)MIN(n, (uint64_t)INT32_MAX);
}

static const struct cmd_opt sed_opts[] = {
	CMD_FLAG(struct sed_options, sed.quiet, 'n', "quiet", "print lines only where the script says so"),
	CMD_FLAG(struct sed_options, sed.quiet, 0, "silent", NULL),
	CMD_CALL('e', "expression", "script", opt_script, "add the script to the commands"),
	CMD_CALL('f', "file", "script-file", opt_script, "add the contents of the file to the commands"),
	CMD_FLAG(struct sed_options, sed.extended, 'E', "regexp-extended", "use extended regular expressions"),
	CMD_FLAG(struct sed_options, sed.extended, 'r', NULL, "same as -E"),
	CMD_FLAG(struct sed_options, sed.follow_links, 0, "follow-symlinks",
		 "with -i, edit the file that a link leads to"),
	CMD_CALL_OPTIONAL('i', "in-place", "SUFFIX", opt_in_place,
			  "edit files in place, with a backup if SUFFIX is given"),
	CMD_CALL('l', "line-length", "N", opt_length, "lines of the l command are N columns wide"),
	CMD_FLAG(struct sed_options, binary, 'b', "binary", "nothing: line ends are never translated"),
	CMD_FLAG(struct sed_options, sed.separate, 's', "separate", "each file is a stream of its own"),
	CMD_FLAG(struct sed_options, sed.sandbox, 0, "sandbox", "refuse the commands r and w (and e)"),
	CMD_FLAG(struct sed_options, sed.unbuffered, 'u', "unbuffered", "read little at a time, write at once"),
	CMD_FLAG(struct sed_options, sed.null_data, 'z', "null-data", "lines end in NUL, not newline"),
	CMD_FLAG(struct sed_options, sed.null_data, 0, "zero-terminated", NULL),
};

static void defaults(void *opts)
{
	struct sed *s = &((struct sed_options *)opts)->sed;

	s->line_length = 70;
	s->suffix = "";
	s->fd = -1;
}

static struct str script_file(struct proc *p, const char *name)
{
	int fd = streq(name, "-") || streq(name, "/dev/stdin") ? 0 : sys_open(p, name, SYS_O_READ, 0), r = fd;
	struct str text = {"", 0};

	if (fd >= 0)
		r = u_read_all(p, fd, 64u << 20, &text);
	if (fd < 0)
		u_die(p, 4, 0, "couldn't open file %s: %s", name, errno_text(fd));
	if (r < 0)
		u_die(p, 4, 0, "couldn't read file %s: %s", name, errno_text(r));
	u_close_operand(p, fd);
	return text;
}

static void compile(struct sed *s, const struct cmd_list *scripts)
{
	struct sed_parser *q = sed_parser_new(s);

	for (size_t i = 0; i < scripts->n; i += 2) {
		const char *arg = scripts->v[i + 1];

		if (scripts->v[i][0] == 'e') {
			sed_parse_text(q, arg, strlen(arg), NULL);
		} else {
			struct str text = script_file(s->p, arg);

			sed_parse_text(q, text.ptr, text.len, arg);
		}
	}
	sed_parse_end(q);
}

static int sed_main(struct proc *p, const struct cmd_args *a)
{
	struct sed_options *o = a->opts;
	struct sed *s = &o->sed;
	static char *const standard_input[] = {(char *)"-", NULL};

	s->p = p;
	s->files = a->argv;
	s->nfiles = a->argc;
	if (o->scripts.n == 0) {
		if (a->argc == 0)
			u_try_help(p);
		add_script(p, o, "e", *s->files++);
		s->nfiles--;
	}
	s->utf8 = u_utf8(p);
	s->delim = s->null_data ? '\0' : '\n';
	s->standard.out = u_stdout(p);
	s->out = &s->standard;
	u_buf_init(&s->pattern.b, p, 0);
	u_buf_init(&s->hold.b, p, 0);
	u_buf_init(&s->spare, p, 0);
	u_buf_init(&s->queue_text, p, 0);
	s->hold.chomped = true;
	compile(s, &o->scripts);
	if (s->nfiles == 0) {
		if (s->in_place)
			u_die(p, 4, 0, "no input files");
		s->files = standard_input;
		s->nfiles = 1;
	}
	return sed_run(s);
}

static const struct cmd_example sed_examples[] = {
	{"echo 'hello world' | sed 's/o/0/g'", "hell0 w0rld\n"},
	{"seq 5 | sed -n '2,3p'", "2\n3\n"},
	{"printf 'a=1\\nb=2\\n' | sed -E 's/(.)=(.)/\\2 \\U\\1/'", "1 A\n2 B\n"},
};

static const struct cmd_missing sed_missing[] = {
	{"--debug", "the script is not annotated"},
	{"--posix", "GNU's extensions are always there"},
};

const struct cmd cmd_sed = {
	.name = "sed",
	.summary = "edit the lines of files, or of standard input, by a script",
	.synopsis = "[OPTION]... {script-only-if-no-other-script} [input-file]...",
	.description =
		"Without -e and -f the first operand is the script. The commands are a b c d D F g G h H\n"
		"i l n N p P q Q r R s t T v w W x y z = : { } and #, addresses N, first~step, $, /re/IM,\n"
		"\\cREc, and ranges ADDR,ADDR, ADDR,+N, ADDR,~N and 0,/re/. Commands that run programs (e, and\n"
		"s///e) are refused.",
	.opts = sed_opts,
	.nopts = COUNTOF(sed_opts),
	.opts_size = sizeof(struct sed_options),
	.defaults = defaults,
	.usage_line = true,
	.usage_status = 1,
	.failure_status = 4,
	.main = sed_main,
	.examples = sed_examples,
	.nexamples = COUNTOF(sed_examples),
	.missing = sed_missing,
	.nmissing = COUNTOF(sed_missing),
};
