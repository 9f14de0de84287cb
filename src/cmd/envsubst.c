/* envsubst.c - put the values of environment variables in the place of $NAME and ${NAME}. */
#include "cmd.h"

struct envsubst {
	bool variables;
};

static void opt_tell(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)arg;
	if (o->shrt == 'h')
		u_help(p);
	u_version(p);
}

static const struct cmd_opt envsubst_opts[] = {
	CMD_FLAG(struct envsubst, variables, 'v', "variables", "print the variables in SHELL-FORMAT, one a line"),
	CMD_CALL('h', NULL, NULL, opt_tell, "same as --help"),
	CMD_CALL('V', NULL, NULL, opt_tell, "same as --version"),
};

struct name {
	const char *ptr;
	size_t len;
	const char *end;	/* after the reference */
};

/* The reference that begins at the dollar s; false when there is none. */
static bool reference(const char *s, const char *end, struct name *n)
{
	bool braced = s + 1 < end && s[1] == '{';
	const char *at = s + 1 + braced;

	if (at >= end || !(ascii_alpha(*at) || *at == '_'))
		return false;
	n->ptr = at;
	while (at < end && (ascii_alnum(*at) || *at == '_'))
		at++;
	n->len = (size_t)(at - n->ptr);
	n->end = at + braced;
	return !braced || (at < end && *at == '}');
}

/* The next reference at s or later. */
static const char *next_reference(const char *s, const char *end, struct name *n)
{
	while ((s = memchr(s, '$', (size_t)(end - s))) != NULL) {
		if (reference(s, end, n))
			return s;
		s++;
	}
	return NULL;
}

static bool is_wanted(const char *format, const struct name *n)
{
	const char *end;
	struct name other;

	if (!format)
		return true;
	end = format + strlen(format);
	for (const char *s = format; (s = next_reference(s, end, &other)) != NULL; s = other.end) {
		if (other.len == n->len && memcmp(other.ptr, n->ptr, n->len) == 0)
			return true;
	}
	return false;
}

static void substitute(struct proc *p, const char *format)
{
	struct u_out *out = u_stdout(p);
	struct arena *a = &sys_self(p)->arena;
	struct u_lines r;
	struct str line;

	u_lines_init(&r, p, 0, '\n');
	while (u_lines_next(&r, &line)) {
		const char *at = line.ptr, *end = line.ptr + line.len, *s;
		struct name n;

		for (s = at; (s = next_reference(s, end, &n)) != NULL; s = n.end) {
			struct arena_mark mark;
			const char *value;

			if (!is_wanted(format, &n))
				continue;
			u_put(out, at, (size_t)(s - at));
			mark = arena_mark(a);
			value = u_getenv(p, u_strndup(p, n.ptr, n.len));
			if (value)
				u_puts(out, value);
			arena_reset(a, mark);
			at = n.end;
		}
		u_put(out, at, (size_t)(end - at));
		if (r.ended)
			u_putc(out, '\n');
	}
	if (r.err)
		u_die(p, 1, r.err, "error while reading \"standard input\"");
}

static int envsubst_main(struct proc *p, const struct cmd_args *a)
{
	const struct envsubst *o = a->opts;
	struct name n;

	if (a->argc > 1)
		u_die(p, 1, 0, "too many arguments");
	if (!o->variables) {
		substitute(p, a->argv[0]);
		return 0;
	}
	if (a->argc == 0)
		u_die(p, 1, 0, "missing arguments");
	for (const char *s = a->argv[0], *end = s + strlen(s); (s = next_reference(s, end, &n)) != NULL; s = n.end)
		u_printf(u_stdout(p), "%.*s\n", (int)n.len, n.ptr);
	return 0;
}

static const struct cmd_example envsubst_examples[] = {
	{"echo 'a $X ${Y} $Z' | X=1 Y=2 envsubst '$X $Y'", "a 1 2 $Z\n"},
};

const struct cmd cmd_envsubst = {
	.name = "envsubst",
	.summary = "substitute environment variables in standard input",
	.synopsis = "[OPTION] [SHELL-FORMAT]",
	.description = "With SHELL-FORMAT only the variables referred to in it are substituted. Unset ones are empty.",
	.opts = envsubst_opts,
	.nopts = COUNTOF(envsubst_opts),
	.opts_size = sizeof(struct envsubst),
	.main = envsubst_main,
	.examples = envsubst_examples,
	.nexamples = COUNTOF(envsubst_examples),
};
