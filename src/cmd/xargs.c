/* xargs - build and execute command lines from standard input. */
#include "cmd.h"

#define XARGS_MAX_CHARS 131072u
#define XARGS_MAX_PROCS 256

struct xargs {
	bool zero, no_run_if_empty, interactive, verbose, exit_if_big, open_tty, show_limits;
	const char *arg_file, *delimiter, *eof, *replace, *max_args, *max_lines, *max_chars, *max_procs, *slot_var;
	int lines_optional;	/* -l without a number */
};

static void set_eof(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)p;
	(void)opt;
	((struct xargs *)opts)->eof = arg && *arg ? arg : NULL;
}

/* -I, -L and -n exclude each other: the last one wins, as in GNU. */
static void set_exclusive(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct xargs *o = opts;
	const char *name = opt->shrt == 'I' || opt->shrt == 'i' ? "--replace/-I/-i" : opt->shrt == 'n' ? "--max-args" : "--max-lines";
	const char *other = o->replace ? "--replace/-I/-i" : o->max_args ? "--max-args" : o->max_lines ? "--max-lines" : NULL;

	/* GNU lets -I and -n 1 stand together. */
	if (other && !streq(name, other) && !(streq(name, "--max-args") && o->replace && arg && streq(arg, "1"))) {
		u_warn(p, 0, "warning: options %s and %s are mutually exclusive, ignoring previous %s value", other, name, other);
		o->replace = o->max_args = o->max_lines = NULL;
	} else if (other && streq(name, "--max-args") && o->replace) {
		return;
	}
	if (opt->shrt == 'I' || opt->shrt == 'i')
		o->replace = arg ? arg : "{}";
	else if (opt->shrt == 'n')
		o->max_args = arg;
	else
		o->max_lines = arg && *arg ? arg : "1";
}

static const struct cmd_opt xargs_opts[] = {
	CMD_FLAG(struct xargs, zero, '0', "null", "items are separated by a null, not whitespace;\ndisables quote and backslash processing and\n"
						  "logical EOF processing"),
	CMD_STRING(struct xargs, arg_file, 'a', "arg-file", "FILE", "read arguments from FILE, not standard input"),
	CMD_STRING(struct xargs, delimiter, 'd', "delimiter", "CHARACTER",
		   "items in input stream are separated by CHARACTER,\nnot by whitespace; disables quote and backslash\n"
		   "processing and logical EOF processing"),
	CMD_STRING(struct xargs, eof, 'E', NULL, "END", "set logical EOF string; if END occurs as a line\n"
						       "of input, the rest of the input is ignored\n(ignored if -0 or -d was specified)"),
	CMD_CALL_OPTIONAL('e', "eof", "END", set_eof, "equivalent to -E END if END is specified;\notherwise, there is no end-of-file string"),
	CMD_CALL('I', NULL, "R", set_exclusive, "same as --replace=R"),
	CMD_CALL_OPTIONAL('i', "replace", "R", set_exclusive,
			  "replace R in INITIAL-ARGS with names read\nfrom standard input, split at newlines;\nif R is unspecified, assume {}"),
	CMD_CALL('L', NULL, "MAX-LINES", set_exclusive, "use at most MAX-LINES non-blank input lines per\ncommand line"),
	CMD_CALL_OPTIONAL('l', "max-lines", "MAX-LINES", set_exclusive,
			  "similar to -L but defaults to at most one non-\nblank input line if MAX-LINES is not specified"),
	CMD_CALL('n', "max-args", "MAX-ARGS", set_exclusive, "use at most MAX-ARGS arguments per command line"),
	CMD_FLAG(struct xargs, open_tty, 'o', "open-tty", "reopen stdin as /dev/tty in the child process (refused:\nthere is none)"),
	CMD_STRING(struct xargs, max_procs, 'P', "max-procs", "MAX-PROCS", "run at most MAX-PROCS processes at a time"),
	CMD_FLAG(struct xargs, interactive, 'p', "interactive", "prompt before running commands (which needs a terminal,\nand there is none)"),
	CMD_STRING(struct xargs, slot_var, 0, "process-slot-var", "VAR", "set environment variable VAR in child processes"),
	CMD_FLAG(struct xargs, no_run_if_empty, 'r', "no-run-if-empty", "if there are no arguments, then do not run COMMAND;\n"
									 "if this option is not given, COMMAND will be\nrun at least once"),
	CMD_STRING(struct xargs, max_chars, 's', "max-chars", "MAX-CHARS", "limit length of command line to MAX-CHARS"),
	CMD_FLAG(struct xargs, show_limits, 0, "show-limits", "show limits on command-line length"),
	CMD_FLAG(struct xargs, verbose, 't', "verbose", "print commands before executing them"),
	CMD_FLAG(struct xargs, exit_if_big, 'x', "exit", "exit if the size (see -s) is exceeded"),
};

struct state {
	struct proc *p;
	const struct xargs *o;
	char **initial;		/* the command and its fixed arguments */
	int ninitial;
	size_t initial_chars;
	uint64_t max_args, max_lines, max_chars;
	int max_procs;
	/* The command line being built. */
	char **args;
	size_t n, cap, chars;
	uint64_t lines;
	bool ran;
	int status;
	bool stop;		/* a command exited with 255, or could not be found */
	int pids[XARGS_MAX_PROCS];
	int running;
	struct arena_mark mark;
};

static uint64_t number(struct proc *p, const char *s, char opt, uint64_t min)
{
	const char *end;
	bool overflow;
	int64_t v = num_i64(s, &end, 10, &overflow);

	if (end == s || *end || overflow)
		u_usage(p, "invalid number \"%s\" for -%c option", s, opt);
	if (v < (int64_t)min)
		u_usage(p, "value %s for -%c option should be >= %llu", s, opt, (unsigned long long)min);
	return (uint64_t)v;
}

static void judge(struct state *s, const char *name, const struct sys_wait *w)
{
	if (w->signal) {
		u_warn(s->p, 0, "%s: terminated by signal %d", name, w->signal);
		s->status = 125;
		s->stop = true;
	} else if (w->status == 255) {
		u_warn(s->p, 0, "%s: exited with status 255; aborting", name);
		s->status = 124;
		s->stop = true;
	} else if (w->status && s->status == 0) {
		s->status = 123;
	}
}

static void wait_one(struct state *s)
{
	struct sys_wait w;
	int pid;

	do
		pid = sys_wait(s->p, -1, 0, &w);
	while (pid == -NACRE_EINTR);
	if (pid < 0) {
		s->running = 0;
		return;
	}
	for (int i = 0; i < s->max_procs && i < XARGS_MAX_PROCS; i++)
		if (s->pids[i] == pid) {
			s->pids[i] = 0;
			s->running--;
			judge(s, s->initial[0], &w);
			return;
		}
}

static char **slot_env(struct state *s, int slot)
{
	struct proc *p = s->p;
	char **env = sys_self(p)->env, **v;
	size_t n = 0, k = 0, len = strlen(s->o->slot_var);

	while (env[n])
		n++;
	v = u_array(p, n + 2, sizeof(char *));
	for (size_t i = 0; i < n; i++)
		if (strncmp(env[i], s->o->slot_var, len) != 0 || env[i][len] != '=')
			v[k++] = env[i];
	v[k++] = u_format(p, "%s=%d", s->o->slot_var, slot);
	v[k] = NULL;
	return v;
}

static void start(struct state *s, char **argv)
{
	struct proc *p = s->p;
	struct sys_spawn spawn = {.argv = argv};
	struct sys_fd_move null = {.from = -1, .to = 0};
	int found = 127, slot = 0, fd = -1, pid;

	while (s->running >= s->max_procs)
		wait_one(s);
	if (s->stop)
		return;
	while (slot < s->max_procs - 1 && s->pids[slot])
		slot++;
	spawn.path = u_find_program(p, argv[0], &found);
	if (!s->o->arg_file) {
		fd = sys_open(p, "/dev/null", SYS_O_READ | SYS_O_CLOEXEC, 0);
		null.from = fd;
		spawn.fds = &null;
		spawn.nfds = 1;
	}
	if (s->o->slot_var)
		spawn.env = slot_env(s, slot);
	u_flush(u_stdout(p));
	pid = spawn.path ? sys_spawn(p, &spawn) : found == 126 ? -NACRE_EACCES : -NACRE_ENOENT;
	if (fd >= 0)
		sys_close(p, fd);
	if (pid < 0) {
		u_warn(p, pid, "%s", argv[0]);
		s->status = pid == -NACRE_ENOENT ? 127 : 126;
		s->stop = true;
		return;
	}
	s->pids[slot] = pid;
	s->running++;
	if (s->max_procs == 1)
		wait_one(s);
}

static void print_command(struct state *s, char **argv)
{
	struct u_buf b;

	u_buf_init(&b, s->p, 0);
	for (int i = 0; argv[i]; i++) {
		if (i)
			u_buf_putc(&b, ' ');
		u_buf_puts(&b, u_quote_if_needed(s->p, argv[i]));
	}
	if (!s->o->interactive)
		u_buf_putc(&b, '\n');
	u_write_all(s->p, 2, b.ptr, b.len);
	if (s->o->interactive)
		u_die(s->p, 1, -NACRE_ENXIO, "failed to open /dev/tty for reading");
}

static void run(struct state *s)
{
	char **argv = u_array(s->p, (size_t)s->ninitial + s->n + 1, sizeof(char *));

	memcpy(argv, s->initial, (size_t)s->ninitial * sizeof(char *));
	if (s->n)
		memcpy(argv + s->ninitial, s->args, s->n * sizeof(char *));
	argv[(size_t)s->ninitial + s->n] = NULL;
	if (s->o->verbose || s->o->interactive)
		print_command(s, argv);
	start(s, argv);
	s->ran = true;
	s->n = 0;
	s->chars = 0;
	s->lines = 0;
	s->args = NULL;
	s->cap = 0;
	arena_reset(&sys_self(s->p)->arena, s->mark);
}

/* As where 2 MiB are the system's limit. */
static void show_limits(struct state *s)
{
	const uint64_t system = 2097152 - 2048 - 1311;
	uint64_t env = 0;
	struct u_buf b;

	for (char **v = sys_self(s->p)->env; v && *v; v++)
		env += strlen(*v) + 1;
	u_buf_init(&b, s->p, 0);
	u_buf_printf(&b, "Your environment variables take up %llu bytes\n", (unsigned long long)env);
	u_buf_printf(&b, "POSIX upper limit on argument length (this system): %llu\n", (unsigned long long)system);
	u_buf_puts(&b, "POSIX smallest allowable upper limit on argument length (all systems): 4096\n");
	u_buf_printf(&b, "Maximum length of command we could actually use: %llu\n", (unsigned long long)(system - MIN(env, system)));
	u_buf_printf(&b, "Size of command buffer we are actually using: %llu\n", (unsigned long long)s->max_chars);
	u_buf_printf(&b, "Maximum parallelism (--max-procs must be no greater): %d\n", XARGS_MAX_PROCS);
	u_write_all(s->p, 2, b.ptr, b.len);
}

/* -I: the item replaces R in every argument. */
static void run_replaced(struct state *s, const char *item)
{
	struct proc *p = s->p;
	const char *r = s->o->replace;
	size_t nr = strlen(r), total = 0;
	char **argv = u_array(p, (size_t)s->ninitial + 1, sizeof(char *));

	for (int i = 0; i < s->ninitial; i++) {
		const char *text = s->initial[i], *hit;
		struct u_buf b;

		u_buf_init(&b, p, 0);
		while (i > 0 && (hit = strstr(text, r)) != NULL) {
			u_buf_put(&b, text, (size_t)(hit - text));
			u_buf_puts(&b, item);
			text = hit + nr;
		}
		u_buf_puts(&b, text);
		argv[i] = b.ptr;
		total += b.len + 1;
		if (i > 0 && b.len + 1 >= s->max_chars)
			u_die(p, 1, 0, "command too long");
		if (total > s->max_chars)
			u_die(p, 1, 0, "argument list too long");
	}
	argv[s->ninitial] = NULL;
	if (s->o->verbose || s->o->interactive)
		print_command(s, argv);
	start(s, argv);
	s->ran = true;
	arena_reset(&sys_self(p)->arena, s->mark);
}

static void add(struct state *s, const char *item, size_t len)
{
	struct arena *a = &sys_self(s->p)->arena;

	if (s->initial_chars + len + 1 > s->max_chars) {
		/* What came before is run all the same. */
		if (s->n && !s->o->exit_if_big)
			run(s);
		u_die(s->p, 1, 0, "argument line too long");
	}
	if (s->n && s->initial_chars + s->chars + len + 1 > s->max_chars) {
		if (s->o->exit_if_big && (s->max_args || s->max_lines))
			u_die(s->p, 1, 0, "argument list too long");
		run(s);
		if (s->stop)
			return;
	}
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 64;

		s->args = arena_grow(a, s->args, s->cap * sizeof(char *), cap * sizeof(char *));
		s->cap = cap;
	}
	s->args[s->n++] = u_strndup(s->p, item, len);
	s->chars += len + 1;
	if (s->max_args && s->n >= s->max_args)
		run(s);
}

/* ---- Input --------------------------------------------------------------------- */

/* A byte at a time out of slices. */
struct input {
	struct proc *p;
	int fd;
	const char *at, *end;
};

static int next_byte(struct input *in)
{
	if (in->at == in->end) {
		struct sys_slice slice;
		int64_t n = sys_read_slice(in->p, in->fd, 0, &slice);

		if (n < 0)
			u_die(in->p, 1, (int)n, "read error");
		if (n == 0)
			return -1;
		in->at = slice.ptr;
		in->end = slice.ptr + slice.len;
	}
	return (unsigned char)*in->at++;
}

/* The item being read. Running a command takes back the arena down to s->mark, which stays
 * above this buffer: it moves up when the buffer grows (what lies between is kept, too; at
 * most a few times). */
struct text {
	struct state *s;
	char *ptr;
	size_t len, cap;
};

static void text_init(struct text *t, struct state *s)
{
	*t = (struct text){.s = s, .ptr = u_zalloc(s->p, 256), .cap = 256};
	s->mark = arena_mark(&sys_self(s->p)->arena);
}

static void put(struct text *t, char c)
{
	if (t->len + 1 >= t->cap) {
		char *old = t->ptr;

		if (t->len > XARGS_MAX_CHARS)
			u_die(t->s->p, 1, 0, "argument line too long");
		t->ptr = u_alloc(t->s->p, t->cap * 2);
		memcpy(t->ptr, old, t->len);
		t->cap *= 2;
		t->s->mark = arena_mark(&sys_self(t->s->p)->arena);
	}
	t->ptr[t->len++] = c;
	t->ptr[t->len] = '\0';
}

static void item_done(struct state *s, struct text *t)
{
	t->ptr[t->len] = '\0';
	if (s->o->replace)
		run_replaced(s, t->ptr);
	else
		add(s, t->ptr, t->len);
	t->len = 0;
}

static void delimited(struct state *s, struct input *in, int delim)
{
	struct text t;
	bool any = false;
	int c;

	text_init(&t, s);
	while (!s->stop && (c = next_byte(in)) >= 0) {
		sys_checkpoint(s->p);
		any = true;
		if (c != delim) {
			put(&t, (char)c);
			continue;
		}
		item_done(s, &t);
		if (s->max_lines && ++s->lines >= s->max_lines && s->n)
			run(s);
		any = false;
	}
	if (any && !s->stop)
		item_done(s, &t);
}

/* The classic syntax: blanks and newlines separate, quotes and backslashes protect. */
static void words(struct state *s, struct input *in)
{
	struct text t;
	bool in_word = false, line_has_word = false, by_line = s->o->replace || s->max_lines;
	int quote = 0, c;

	text_init(&t, s);
	while (!s->stop) {
		c = next_byte(in);
		sys_checkpoint(s->p);
		if (c == '\0') {
			if (!quote)
				u_warn(s->p, 0,
				       "WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did "
				       "you mean to use the --null option?");
			continue;
		}
		if (quote) {
			if (c == quote) {
				quote = 0;
				continue;
			}
			if (c < 0 || c == '\n') {
				/* What was read before is not lost. */
				if (s->n && !s->max_lines)
					run(s);
				while (s->running)
					wait_one(s);
				u_die(s->p, 1, 0,
				      "unmatched %s quote; by default quotes are special to xargs unless you use the -0 option",
				      quote == '"' ? "double" : "single");
			}
			put(&t, (char)c);
			continue;
		}
		if (c == '\'' || c == '"') {
			quote = c;
			in_word = true;
			continue;
		}
		if (c == '\\') {
			c = next_byte(in);
			if (c < 0)
				break;
			put(&t, (char)c);
			in_word = true;
			continue;
		}
		if (c < 0 || c == '\n' || ((c == ' ' || c == '\t') && !s->o->replace) ||
		    (!in_word && ascii_space(c))) {
			bool blank = c != '\n' && c >= 0;

			if (in_word) {
				in_word = false;
				t.ptr[t.len] = '\0';
				if (s->o->eof && streq(t.ptr, s->o->eof))
					break;
				item_done(s, &t);
				line_has_word = true;
			}
			if (c < 0)
				break;
			if (blank && by_line) {
				/* A trailing blank continues the line with -L. */
				if (s->max_lines && !s->o->replace) {
					int peek = next_byte(in);

					while (peek == ' ' || peek == '\t')
						peek = next_byte(in);
					if (peek >= 0 && peek != '\n')
						in->at--;
					else if (peek < 0)
						break;
				}
				continue;
			}
			if (c == '\n' && s->max_lines && line_has_word) {
				line_has_word = false;
				if (++s->lines >= s->max_lines)
					run(s);
			}
			continue;
		}
		put(&t, (char)c);
		in_word = true;
	}
}

static int delimiter_of(struct proc *p, const char *d)
{
	static const char from[] = "abfnrtv0\\", to[] = "\a\b\f\n\r\t\v\0\\";
	const char *hit;

	if (d[0] && !d[1])
		return (unsigned char)d[0];
	if (d[0] == '\\') {
		bool octal = d[1] >= '0' && d[1] <= '7', hex = d[1] == 'x';
		const char *end;
		uint64_t v;

		hit = d[1] && !d[2] ? memchr(from, d[1], sizeof(from) - 1) : NULL;
		if (hit)
			return (unsigned char)to[hit - from];
		v = octal || hex ? num_u64(d + 1 + hex, &end, octal ? 8 : 16, NULL) : 256;
		if (v < 256 && !*end && end > d + 1 + hex)
			return (int)v;
		u_die(p, 1, 0, "Invalid escape sequence %s in input delimiter specification.", d);
	}
	u_die(p, 1, 0,
	      "Invalid input delimiter specification %s: the delimiter must be either a single character or an escape sequence starting "
	      "with \\.",
	      d);
}

static int xargs_main(struct proc *p, const struct cmd_args *a)
{
	static char *const echo[] = {(char *)(uintptr_t) "echo", NULL};
	const struct xargs *o = a->opts;
	struct state *s = u_zalloc(p, sizeof(*s));
	struct input in = {.p = p};

	*s = (struct state){.p = p, .o = o, .max_chars = XARGS_MAX_CHARS, .max_procs = 1};
	s->initial = u_array(p, (size_t)a->argc + 2, sizeof(char *));
	s->ninitial = a->argc ? a->argc : 1;
	memcpy(s->initial, a->argc ? a->argv : echo, (size_t)s->ninitial * sizeof(char *));
	for (int i = 0; i < s->ninitial; i++)
		s->initial_chars += strlen(s->initial[i]) + 1;
	if (o->open_tty)
		u_die(p, 1, 0, "option -o is not supported: there is no terminal");
	if (o->max_args)
		s->max_args = number(p, o->max_args, 'n', 1);
	if (o->max_lines)
		s->max_lines = number(p, o->max_lines, 'L', 1);
	if (o->max_chars) {
		s->max_chars = number(p, o->max_chars, 's', 1);
		if (s->max_chars > XARGS_MAX_CHARS)
			s->max_chars = XARGS_MAX_CHARS;
	}
	/* With -I the arguments are measured with what comes in. */
	if ((o->replace ? strlen(s->initial[0]) + 1 : s->initial_chars) > s->max_chars)
		u_die(p, 1, 0, "cannot fit single argument within argument list size limit");
	if (o->max_procs) {
		uint64_t n = number(p, o->max_procs, 'P', 0);

		s->max_procs = n == 0 || n > XARGS_MAX_PROCS ? XARGS_MAX_PROCS : (int)n;
	}
	if (o->replace && !*o->replace)
		u_die(p, 1, 0, "command too long");
	if (o->show_limits)
		show_limits(s);
	in.fd = o->arg_file ? sys_open(p, o->arg_file, SYS_O_READ | SYS_O_CLOEXEC, 0) : 0;
	if (in.fd < 0)
		u_die(p, 1, in.fd, "Cannot open input file %s", u_quote(p, o->arg_file));
	if (o->zero || o->delimiter)
		delimited(s, &in, o->zero ? 0 : delimiter_of(p, o->delimiter));
	else
		words(s, &in);
	if (!s->stop && (s->n || (!s->ran && !o->replace && !o->no_run_if_empty)))
		run(s);
	while (s->running > 0)
		wait_one(s);
	return s->status;
}

static const struct cmd_example examples[] = {
	{"printf '1 2\\n3\\n' | xargs echo got", "got 1 2 3\n"},
	{"printf 'a\\nb\\n' | xargs -I{} echo '<{}>'", "<a>\n<b>\n"},
	{"printf 'a b\\0c' | xargs -0 -n1", "a b\nc\n"},
};

static const struct cmd_missing missing[] = {
	{"-p, --interactive", "there is no terminal"},
	{"-o, --open-tty", "there is no terminal"},
};

const struct cmd cmd_xargs = {
	.name = "xargs",
	.summary = "Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.",
	.synopsis = "[OPTION]... COMMAND [INITIAL-ARGS]...",
	.opts = xargs_opts,
	.nopts = COUNTOF(xargs_opts),
	.opts_size = sizeof(struct xargs),
	.stop_at_operand = true,
	.main = xargs_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
	.missing = missing,
	.nmissing = COUNTOF(missing),
};
