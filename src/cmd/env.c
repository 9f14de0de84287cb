/*
 * env.c - run a program in a changed environment, or print the environment.
 *
 * -S is split here into further arguments before the options are parsed, since it may contain
 * options itself.
 */
#include "cmd.h"

struct env {
	bool empty, zero, verbose;
	struct cmd_list unset;
	const char *directory;

};

static void opt_split(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	/* rewrite() has replaced them all; this one stands where none is looked for. */
	(void)opts;
	(void)o;
	(void)arg;
	u_usage(p, "option requires an argument -- 'S'");
}

static const struct cmd_opt env_opts[] = {
	CMD_FLAG(struct env, empty, 'i', "ignore-environment", "start with an empty environment"),
	CMD_FLAG(struct env, zero, '0', "null", "end each printed line with NUL, not newline"),
	CMD_LIST(struct env, unset, 'u', "unset", "NAME", "remove the variable"),
	CMD_STRING(struct env, directory, 'C', "chdir", "DIR", "change the working directory to DIR"),
	CMD_CALL('S', "split-string", "S", opt_split, "split S into several arguments (for #! lines)"),
	CMD_FLAG(struct env, verbose, 'v', "debug", "say what is done"),
};

/* ---- -S -------------------------------------------------------------------------------------- */

struct splitter {
	struct proc *p;
	const char *s;
	struct u_buf word;
	bool in_word, stop;
	char **out;
	int n, cap;
};

static void add_word(struct splitter *w, char *word)
{
	if (w->n + 1 >= w->cap) {
		char **v = u_array(w->p, (size_t)w->cap * 2, sizeof(*v));

		memcpy(v, w->out, (size_t)w->n * sizeof(*v));
		w->out = v;
		w->cap *= 2;
	}
	w->out[w->n++] = word;
}

static void end_word(struct splitter *w)
{
	if (w->in_word)
		add_word(w, u_strndup(w->p, w->word.ptr, w->word.len));
	w->in_word = false;
	w->word.len = 0;
}

static void put(struct splitter *w, char c)
{
	w->in_word = true;
	u_buf_putc(&w->word, c);
}

/* ${NAME} at w->s. */
static void variable(struct splitter *w)
{
	size_t n = w->s[1] == '{' ? strspn(w->s + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")
				  : 0;
	const char *value;

	if (n == 0 || w->s[2 + n] != '}' || ascii_digit(w->s[2]))
		u_die(w->p, 125, 0, "only ${VARNAME} expansion is supported, error at: %s", w->s);
	value = u_getenv(w->p, u_strndup(w->p, w->s + 2, n));
	if (value) {
		w->in_word = true;
		u_buf_puts(&w->word, value);
	}
	w->s += n + 2;
}

/* A backslash at w->s, in double quotes or not. */
static void escape(struct splitter *w, bool quoted)
{
	static const char letters[] = "fnrtv", bytes[] = "\f\n\r\t\v";
	char c = *++w->s;
	const char *named;

	if (!c)
		u_die(w->p, 125, 0, "invalid backslash at end of string in -S");
	named = strchr(letters, c);
	if (c == '_') {
		if (quoted)
			put(w, ' ');
		else
			end_word(w);
	} else if (c == 'c') {
		if (quoted)
			u_die(w->p, 125, 0, "'\\c' must not appear in double-quoted -S string");
		w->stop = true;
	} else if (strchr("\"#$'\\", c)) {
		put(w, c);
	} else if (named) {
		put(w, bytes[named - letters]);
	} else {
		u_die(w->p, 125, 0, "invalid sequence '\\%c' in -S", c);
	}
}

static void split(struct splitter *w, const char *s)
{
	char quote = 0;

	w->in_word = w->stop = false;
	for (w->s = s; *w->s && !w->stop; w->s++) {
		char c = *w->s;

		if (c == quote) {
			quote = 0;
		} else if (quote == '\'') {
			/* Only a backslash before a backslash or a quote is special. */
			if (c == '\\' && (w->s[1] == '\\' || w->s[1] == '\''))
				c = *++w->s;
			put(w, c);
		} else if (c == '\\') {
			escape(w, quote == '"');
		} else if (c == '$') {
			variable(w);
		} else if (quote == '"') {
			put(w, c);
		} else if (c == '\'' || c == '"') {
			quote = c;
			w->in_word = true;
		} else if (ascii_space((unsigned char)c)) {
			end_word(w);
		} else if (c == '#' && !w->in_word) {
			break;
		} else {
			put(w, c);
		}
	}
	if (quote)
		u_die(w->p, 125, 0, "no terminating quote in -S string");
	end_word(w);
}

/* The argument of -S at argv[i], alone or after other letters; *used: arguments taken. NULL: none. */
static const char *split_argument(char **argv, int i, int argc, int *used, size_t *letters)
{
	const char *s = argv[i], *at;

	*used = 1;
	*letters = 0;
	if (strncmp(s, "--split-string=", 15) == 0)
		return s + 15;
	if (streq(s, "--split-string")) {
		*used = 2;
		return i + 1 < argc ? argv[i + 1] : NULL;
	}
	if (s[0] != '-' || s[1] == '-')
		return NULL;
	for (at = s + 1; *at && !strchr("uCS", *at);)
		at++;
	if (*at != 'S')
		return NULL;
	*letters = (size_t)(at - s);
	if (at[1])
		return at + 1;
	*used = 2;
	return i + 1 < argc ? argv[i + 1] : NULL;
}

/* The arguments with the string of the first -S split; NULL: there is none. */
static char **split_first(struct proc *p, int *argc, char **argv)
{
	struct splitter w = {.p = p, .cap = *argc + 8};
	int i = 1;

	for (; i < *argc && argv[i][0] == '-' && argv[i][1] && !streq(argv[i], "--"); i++) {
		size_t n = strlen(argv[i]), letters;
		int used;
		const char *s = split_argument(argv, i, *argc, &used, &letters);

		if (s) {
			w.out = u_array(p, (size_t)w.cap, sizeof(*w.out));
			u_buf_init(&w.word, p, 0);
			for (int k = 0; k < i; k++)
				add_word(&w, argv[k]);
			if (letters > 1)
				add_word(&w, u_strndup(p, argv[i], letters));
			split(&w, s);
			for (int k = i + used; k < *argc; k++)
				add_word(&w, argv[k]);
			w.out[w.n] = NULL;
			*argc = w.n;
			return w.out;
		}
		if (streq(argv[i], "--unset") || streq(argv[i], "--chdir") ||
		    (argv[i][1] != '-' && strchr("uC", argv[i][n - 1])))
			i++;
	}
	return NULL;
}

/* What was split may have a -S of its own. */
static char **rewrite(struct proc *p, int *argc, char **argv)
{
	char **v;

	while ((v = split_first(p, argc, argv)) != NULL) {
		argv = v;
		sys_checkpoint(p);
	}
	return argv;
}

/* ---- The environment ---------------------------------------------------------------------------- */

struct vars {
	char **v;
	size_t n, cap;
};

static void remove_var(struct vars *e, const char *name, size_t len)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->n; i++) {
		if (!(strncmp(e->v[i], name, len) == 0 && e->v[i][len] == '='))
			e->v[kept++] = e->v[i];
	}
	e->n = kept;
}

/* Replaces it in its place, or adds it at the end. */
static void set_var(struct vars *e, char *assignment)
{
	size_t len = strcspn(assignment, "=") + 1;

	for (size_t i = 0; i < e->n; i++) {
		if (strncmp(e->v[i], assignment, len) == 0) {
			e->v[i] = assignment;
			return;
		}
	}
	e->v[e->n++] = assignment;
}

static void say(struct proc *p, const char *text, const char *value)
{
	struct u_buf b;

	u_buf_init(&b, p, 0);
	u_buf_printf(&b, "%s%s\n", text, value);
	u_write_all(p, 2, b.ptr, b.len);
}

static void change_environment(struct proc *p, const struct env *o, char *const *assign, int n)
{
	char **old = sys_self(p)->env;
	struct vars e = {NULL, 0, 0};

	while (old && old[e.cap])
		e.cap++;
	e.cap += (size_t)n + 1;
	e.v = u_array(p, e.cap, sizeof(*e.v));
	if (o->empty && o->verbose)
		say(p, "cleaning environ", "");
	for (size_t i = 0; !o->empty && old && old[i]; i++)
		e.v[e.n++] = old[i];
	for (size_t i = 0; i < o->unset.n; i++) {
		const char *name = o->unset.v[i];

		if (!*name || strchr(name, '='))
			u_die(p, 125, NACRE_EINVAL, "cannot unset %s", u_quote(p, name));
		if (!o->empty) {
			if (o->verbose)
				say(p, "unset:    ", name);
			remove_var(&e, name, strlen(name));
		}
	}
	for (int i = 0; i < n; i++) {
		if (o->verbose)
			say(p, "setenv:   ", assign[i]);
		set_var(&e, assign[i]);
	}
	e.v[e.n] = NULL;
	sys_self(p)->env = e.v;
}

static void print_environment(struct proc *p, char end)
{
	for (char **e = sys_self(p)->env; *e; e++) {
		u_puts(u_stdout(p), *e);
		u_putc(u_stdout(p), end);
	}
}

static NORETURN void run(struct proc *p, const struct env *o, char *const *argv)
{
	int status, err = -NACRE_ENOENT;
	const char *path = u_find_program(p, argv[0], &status);

	if (o->verbose) {
		say(p, "executing: ", argv[0]);
		for (int i = 0; argv[i]; i++)
			say(p, u_format(p, "   arg[%d]= ", i), u_quote(p, argv[i]));
	}
	u_flush(u_stdout(p));
	if (path)
		err = sys_exec(p, path, argv, sys_self(p)->env, NULL);
	else if (status == 126)
		err = -NACRE_EACCES;
	u_warn(p, err, "%s", u_quote(p, argv[0]));
	if (err == -NACRE_ENOENT && argv[0][strcspn(argv[0], " \t\n\v\f\r")])
		say(p, u_name(p), ": use -[v]S to pass options in shebang lines");
	u_exit(p, err == -NACRE_ENOENT ? 127 : 126);
}

static int env_main(struct proc *p, const struct cmd_args *a)
{
	struct env *o = a->opts;
	char *const *argv = a->argv;
	int n = 0;

	if (argv[0] && streq(argv[0], "-")) {
		o->empty = true;
		argv++;
	}
	while (argv[n] && strchr(argv[n], '='))
		n++;
	if (o->directory && !argv[n])
		u_usage(p, "must specify command with --chdir (-C)");
	if (o->zero && argv[n])
		u_usage(p, "cannot specify --null (-0) with command");
	change_environment(p, o, argv, n);
	if (!argv[n]) {
		print_environment(p, o->zero ? '\0' : '\n');
		return 0;
	}
	if (o->directory) {
		int r = sys_chdir(p, o->directory);

		if (o->verbose)
			say(p, "chdir:    ", u_quote(p, o->directory));
		if (r < 0)
			u_die(p, 125, r, "cannot change directory to %s", u_quote(p, o->directory));
	}
	run(p, o, argv + n);
}

static const struct cmd_example env_examples[] = {
	{"env -i A=1 B=2", "A=1\nB=2\n"},
	{"env A=1 printenv A", "1\n"},
};

static const struct cmd_missing env_missing[] = {
	{"--block-signal", "signals are not blocked"},
	{"--default-signal", "signals have their default action"},
	{"--ignore-signal", "use trap '' in the shell"},
	{"--list-signal-handling", "signals have their default action"},
};

const struct cmd cmd_env = {
	.name = "env",
	.summary = "set each NAME to VALUE in the environment and run COMMAND",
	.synopsis = "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
	.description = "A lone - means -i. Without COMMAND the environment is printed.",
	.opts = env_opts,
	.nopts = COUNTOF(env_opts),
	.opts_size = sizeof(struct env),
	.rewrite = rewrite,
	.stop_at_operand = true,
	.usage_status = 125,
	.main = env_main,
	.examples = env_examples,
	.nexamples = COUNTOF(env_examples),
	.missing = env_missing,
	.nmissing = COUNTOF(env_missing),
};
