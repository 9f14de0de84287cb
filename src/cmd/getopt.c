/*
 * getopt - parse command options for scripts.
 *
 * The parameters are read by the rules of getopt_long(3) and printed again in order: options, "--", operands.
 * Without options of its own, or with GETOPT_COMPATIBLE set, it speaks the language of old, which does not quote.
 */
#include "cmd.h"

struct getopt {
	struct cmd_list long_lists;
	const char *name, *shorts, *shell;
	bool alternative, quiet, silent, unquoted, test;
};

static const struct cmd_opt getopt_opts[] = {
	CMD_FLAG(struct getopt, alternative, 'a', "alternative", "allow long options starting with single -"),
	CMD_LIST(struct getopt, long_lists, 'l', "longoptions", "longopts", "the long options to be recognized"),
	CMD_STRING(struct getopt, name, 'n', "name", "progname", "the name under which errors are reported"),
	CMD_STRING(struct getopt, shorts, 'o', "options", "optstring", "the short options to be recognized"),
	CMD_FLAG(struct getopt, quiet, 'q', "quiet", "disable error reporting by getopt(3)"),
	CMD_FLAG(struct getopt, silent, 'Q', "quiet-output", "no normal output"),
	CMD_STRING(struct getopt, shell, 's', "shell", "shell", "set quoting conventions to those of shell: sh, bash, csh, tcsh"),
	CMD_FLAG(struct getopt, test, 'T', "test", "test for getopt(1) version"),
	CMD_FLAG(struct getopt, unquoted, 'u', "unquoted", "do not quote the output"),
};

struct long_option {
	const char *name;
	size_t len;
	int arg;		/* 0: none, 1: required, 2: optional */
};

struct reading {
	struct proc *p;
	const struct getopt *o;
	const char *shorts;	/* without the marks at its start */
	bool in_order, no_permute, no_errors, csh, failed;
	struct long_option *longs;
	size_t nlongs;
	char **param;
	int n, at;
	char **operand;
	int noperands;
};

/* ---- Output -------------------------------------------------------------------------------------------------- */

static void put_text(const struct reading *r, const char *s)
{
	struct u_out *out = u_stdout(r->p);

	u_putc(out, ' ');
	if (r->o->unquoted) {
		u_puts(out, s);
		return;
	}
	u_putc(out, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			u_puts(out, "'\\''");
		else if (r->csh && *s == '\\')
			u_puts(out, "\\\\");
		else if (r->csh && *s == '!')
			u_puts(out, "'\\!'");
		else if (r->csh && *s == '\n')
			u_puts(out, "\\n");
		else if (r->csh && ascii_space((unsigned char)*s))
			u_printf(out, "'\\%c'", *s);
		else
			u_putc(out, *s);
	}
	u_putc(out, '\'');
}

static void put_option(const struct reading *r, const char *dashes, const char *name, size_t len, int kind, const char *arg)
{
	if (r->o->silent)
		return;
	u_printf(u_stdout(r->p), " %s%.*s", dashes, (int)len, name);
	if (kind)
		put_text(r, arg ? arg : "");
}

static void complain(struct reading *r, const char *text)
{
	r->failed = true;
	if (r->o->quiet || r->no_errors)
		return;
	u_flush(u_stdout(r->p));
	text = u_format(r->p, "%s: %s\n", r->o->name ? r->o->name : u_name(r->p), text);
	(void)u_write_all(r->p, 2, text, strlen(text));
}

/* ---- Long options --------------------------------------------------------------------------------------------- */

static void add_longs(struct reading *r, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ", \t\n");
		struct long_option l = {list, n, 0};

		list += n + (list[n] != '\0');
		if (n == 0)
			continue;
		for (; l.arg < 2 && l.len > 0 && l.name[l.len - 1] == ':'; l.len--)
			l.arg++;
		if (l.len == 0)
			u_usage(r->p, "empty long option after -l or --long argument");
		if ((r->nlongs & (r->nlongs - 1)) == 0)
			r->longs = arena_grow(&sys_self(r->p)->arena, r->longs, r->nlongs * sizeof(l),
					      MAX(r->nlongs * 2, (size_t)1) * sizeof(l));
		r->longs[r->nlongs++] = l;
	}
}

/* The option a name or its beginning stands for; NULL when there is none, or (*many) several. */
static const struct long_option *find_long(const struct reading *r, const char *name, size_t n, bool *many)
{
	const struct long_option *hit = NULL;

	*many = false;
	for (size_t i = 0; i < r->nlongs; i++) {
		if (r->longs[i].len < n || memcmp(r->longs[i].name, name, n) != 0)
			continue;
		if (r->longs[i].len == n) {
			*many = false;
			return &r->longs[i];
		}
		*many |= hit != NULL;
		hit = hit ? hit : &r->longs[i];
	}
	return *many ? NULL : hit;
}

static void ambiguous(struct reading *r, const char *dashes, const char *name, size_t n)
{
	struct u_buf b;

	u_buf_init(&b, r->p, 0);
	u_buf_printf(&b, "option '%s%.*s' is ambiguous; possibilities:", dashes, (int)n, name);
	for (size_t i = 0; i < r->nlongs; i++) {
		if (r->longs[i].len >= n && memcmp(r->longs[i].name, name, n) == 0)
			u_buf_printf(&b, " '%s%.*s'", dashes, (int)r->longs[i].len, r->longs[i].name);
	}
	complain(r, b.ptr);
}

/* "NAME[=ARG]"; false when there is no such option and a short one may be meant. */
static bool long_option(struct reading *r, const char *dashes, const char *text, bool may_be_short)
{
	size_t n = strcspn(text, "=");
	const char *arg = text[n] ? text + n + 1 : NULL;
	bool many;
	const struct long_option *l = find_long(r, text, n, &many);

	if (many) {
		ambiguous(r, dashes, text, strlen(text));
	} else if (!l) {
		if (may_be_short)
			return false;
		complain(r, u_format(r->p, "unrecognized option '%s%s'", dashes, text));
	} else if (arg && l->arg == 0) {
		complain(r, u_format(r->p, "option '%s%.*s' doesn't allow an argument", dashes, (int)l->len, l->name));
	} else {
		if (l->arg == 1 && !arg && r->at < r->n)
			arg = r->param[r->at++];
		if (l->arg == 1 && !arg)
			complain(r, u_format(r->p, "option '%s%.*s' requires an argument", dashes, (int)l->len, l->name));
		else
			put_option(r, "--", l->name, l->len, l->arg, arg);
	}
	return true;
}

/* ---- Short options ----------------------------------------------------------------------------------------------- */

static const char *find_short(const struct reading *r, char c)
{
	return c == ':' || c == ';' ? NULL : strchr(r->shorts, c);
}

/* A bundle "abc" after one dash. */
static void short_options(struct reading *r, const char *s)
{
	while (*s) {
		const char *spec = find_short(r, *s), *arg = NULL;
		int kind;
		char name = *s++;

		if (!spec) {
			complain(r, u_format(r->p, "invalid option -- '%c'", name));
			continue;
		}
		kind = spec[1] != ':' ? 0 : spec[2] == ':' ? 2 : 1;
		if (spec[0] == 'W' && spec[1] == ';')
			kind = 1;
		if (kind && *s) {
			arg = s;
			s += strlen(s);
		} else if (kind == 1 && r->at < r->n) {
			arg = r->param[r->at++];
		}
		if (kind == 1 && !arg)
			complain(r, u_format(r->p, "option requires an argument -- '%c'", name));
		else if (spec[0] == 'W' && spec[1] == ';')
			long_option(r, "-W ", arg, false);
		else
			put_option(r, "-", (const char[]){name, '\0'}, 1, kind, arg);
	}
}

/* ---- All of it ------------------------------------------------------------------------------------------------------- */

static void read_parameters(struct reading *r)
{
	while (r->at < r->n) {
		const char *s = r->param[r->at];

		sys_checkpoint(r->p);
		if (streq(s, "--")) {
			r->at++;
			return;
		}
		if (s[0] != '-' || !s[1]) {
			if (r->no_permute)
				return;
			r->at++;
			if (r->in_order && !r->o->silent)
				put_text(r, s);
			else if (!r->in_order)
				r->operand[r->noperands++] = (char *)s;
			continue;
		}
		r->at++;
		if (s[1] == '-')
			long_option(r, "--", s + 2, false);
		else if (!r->o->alternative || (!s[2] && find_short(r, s[1])) ||
			 !long_option(r, "-", s + 1, find_short(r, s[1]) != NULL))
			short_options(r, s + 1);
	}
}

static bool shell_is_csh(struct proc *p, const char *name)
{
	if (!name || streq(name, "sh") || streq(name, "bash"))
		return false;
	if (!streq(name, "csh") && !streq(name, "tcsh"))
		u_usage(p, "unknown shell after -s or --shell argument");
	return true;
}

static int getopt_main(struct proc *p, const struct cmd_args *a)
{
	const struct getopt *o = a->opts;
	struct reading r = {.p = p, .o = o, .param = a->argv, .n = a->argc};

	if (o->test)
		return 4;
	r.csh = shell_is_csh(p, o->shell);
	for (size_t i = 0; i < o->long_lists.n; i++)
		add_longs(&r, o->long_lists.v[i]);
	r.shorts = o->shorts;
	if (!r.shorts) {
		if (a->argc == 0 && u_getenv(p, "GETOPT_COMPATIBLE")) {
			u_puts(u_stdout(p), " --\n");
			return 0;
		}
		if (a->argc == 0)
			u_usage(p, "missing optstring argument");
		r.shorts = a->argv[r.at++];
	}
	r.no_permute = *r.shorts == '+' || u_getenv(p, "POSIXLY_CORRECT");
	r.in_order = *r.shorts == '-';
	r.shorts += *r.shorts == '+' || *r.shorts == '-';
	r.no_errors = *r.shorts == ':';
	r.operand = u_array(p, (size_t)a->argc + 1, sizeof(*r.operand));
	read_parameters(&r);
	if (!o->silent) {
		u_puts(u_stdout(p), " --");
		for (int i = 0; i < r.noperands; i++)
			put_text(&r, r.operand[i]);
		for (; r.at < r.n; r.at++)
			put_text(&r, r.param[r.at]);
		u_putc(u_stdout(p), '\n');
	}
	return r.failed;
}

/* getopt OPTSTRING PARAMETERS, the form of old, becomes getopt -u -- OPTSTRING PARAMETERS. */
static char **old_form(struct proc *p, int *argc, char **argv)
{
	char **v;

	if (*argc < 2 || (argv[1][0] == '-' && !u_getenv(p, "GETOPT_COMPATIBLE")))
		return argv;
	v = u_array(p, (size_t)*argc + 3, sizeof(*v));
	v[0] = argv[0];
	v[1] = (char *)"-u";
	v[2] = (char *)"--";
	v[3] = argv[1] + strspn(argv[1], "-+");
	for (int i = 2; i <= *argc; i++)
		v[i + 2] = argv[i];
	*argc += 2;
	return v;
}

static const struct cmd_example examples[] = {
	{"getopt -o ab: -l long -- -a x -bfile --long", " -a -b 'file' --long -- 'x'\n"},
	{"getopt ab: -b x -a y", " -b x -a -- y\n"},
};

const struct cmd cmd_getopt = {
	.name = "getopt",
	.summary = "parse command options for scripts",
	.synopsis = "OPTSTRING PARAMETER...\n[OPTION]... [--] OPTSTRING PARAMETER...\n[OPTION]... -o OPTSTRING [OPTION]... [--] PARAMETER...",
	.opts = getopt_opts,
	.nopts = COUNTOF(getopt_opts),
	.opts_size = sizeof(struct getopt),
	.rewrite = old_form,
	.stop_at_operand = true,
	.usage_status = 2,
	.failure_status = 3,
	.main = getopt_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
