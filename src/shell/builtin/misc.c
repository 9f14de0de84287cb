/* misc.c - caller, help, times, umask. */
#include "args.h"

#include "../syntax/feature.h"

/* ---- caller ----------------------------------------------------------------------- */

/* The n-th of FUNCNAME, BASH_SOURCE or BASH_LINENO; false past the end. */
static bool stack_entry(struct shell *sh, const char *name, size_t n, struct str *out)
{
	struct varray_view v;

	if (!array_values(&sh->x, str_from(name), &v, NULL) || n >= v.n)
		return false;
	*out = v.v[n];
	return true;
}

int builtin_caller(struct shell *sh, int argc, char **argv)
{
	struct str line, func, file;
	int64_t n = 0;
	int i = args_none(sh, argc, argv);

	if (i < 0)
		return USAGE_STATUS;
	if (!frame_find(sh->st, FRAME_FUNCTION) && !frame_find(sh->st, FRAME_SOURCE)) {
		const struct frame *f = frame_find(sh->st, FRAME_MAIN);

		/* At the top of a script file there is a caller without a name. */
		if (!f || !f->source || i < argc)
			return 1;
		u_puts(&sh->out, "0 NULL\n");
		return 0;
	}
	if (i < argc && (!args_number(argv[i], &n) || n < 0)) {
		builtin_error(sh, "%s: invalid number", argv[i]);
		return builtin_usage(sh);
	}
	if (!stack_entry(sh, "BASH_LINENO", (size_t)n, &line))
		return 1;
	if (!stack_entry(sh, "BASH_SOURCE", (size_t)n + 1, &file))
		file = STR("NULL");
	if (i >= argc) {
		u_printf(&sh->out, "%.*s %.*s\n", (int)line.len, line.ptr, (int)file.len, file.ptr);
		return 0;
	}
	if (!stack_entry(sh, "FUNCNAME", (size_t)n + 1, &func))
		return 1;
	u_printf(&sh->out, "%.*s %.*s %.*s\n", (int)line.len, line.ptr, (int)func.len, func.ptr,
	         (int)file.len, file.ptr);
	return 0;
}

/* ---- help ------------------------------------------------------------------------------ */

void help_print(struct shell *sh, const struct builtin *b, bool brief, bool usage)
{
	const char *space = *b->usage && b->name[0] != '[' ? " " : "";
	const char *name = b->name[0] == '[' ? "" : b->name;

	if (brief) {
		u_printf(&sh->out, "%s - %s\n", b->name, b->summary);
		return;
	}
	u_printf(&sh->out, "%s: %s%s%s\n", b->name, name, space, b->usage);
	if (!usage)
		u_printf(&sh->out, "    %s.\n", b->summary);
}

/* ---- help where a profile takes things away: what there is --------------------------------- */

static void help_features(struct shell *sh, bool refused)
{
	for (size_t i = 0; i < FEATURE_COUNT; i++)
		if ((sh->refused >> i & 1) == refused)
			u_printf(&sh->out, "  %-32s %s\n", feature_table[i].what,
			         feature_table[i].example);
}

static void help_commands(struct shell *sh)
{
	const struct program *prog;

	u_puts(&sh->out, "\nCommands:\n ");
	for (size_t i = 0; (prog = sys_program_at(sh->p, i)) != NULL; i++)
		u_printf(&sh->out, " %s", prog->name);
	u_puts(&sh->out, "\n");
}

static int help_profile(struct shell *sh)
{
	char buf[VALUE_BUF];
	struct str roots = {NULL, 0};

	u_printf(&sh->out, "This shell has the profile %s. Supported:\n", sys_profile(sh->p)->name);
	help_features(sh, false);
	u_puts(&sh->out, "\nNot supported:\n");
	help_features(sh, true);
	help_commands(sh);
	if (!state_get(sh->st, STR("ALLOWED_PATHS"), buf, &roots) || !roots.len)
		u_puts(&sh->out, "\nNo paths are allowed.\n");
	else
		u_printf(&sh->out, "\nAllowed paths: %.*s\n", (int)roots.len, roots.ptr);
	return 0;
}

/* `help FEATURE`: by its name in policies or what it is called. */
static bool help_feature(struct shell *sh, const char *want)
{
	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		const struct feature_info *f = &feature_table[i];

		if (!streq(want, f->name) && !streq(want, f->what))
			continue;
		u_printf(&sh->out, "%s: %s %s %ssupported: %s\n", f->name, f->what, f->verb,
		         sh->refused >> i & 1 ? "not " : "", f->example);
		return true;
	}
	return false;
}

int builtin_help(struct shell *sh, int argc, char **argv)
{
	bool brief = false, usage = false;
	struct args a;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "dms")) > 0) {
		brief |= c == 'd';
		usage |= c == 's';
	}
	if (c < 0)
		return USAGE_STATUS;
	if (a.i >= argc && sys_profile(sh->p)->closed)
		return help_profile(sh);
	if (a.i >= argc) {
		u_puts(&sh->out, "These commands are built into the shell. `help NAME' says more "
		                 "about one.\n\n");
		for (size_t i = 0; i < builtin_count; i++)
			u_printf(&sh->out, " %-12s %s\n", builtin_table[i].name,
			         builtin_table[i].summary);
		return 0;
	}
	for (; a.i < argc; a.i++) {
		const char *want = argv[a.i];
		size_t n = strlen(want);
		bool found = sys_profile(sh->p)->closed && help_feature(sh, want);

		for (size_t i = 0; i < builtin_count; i++) {
			const char *name = builtin_table[i].name;

			if (u_glob_match(want, n, name, strlen(name), 0)) {
				help_print(sh, &builtin_table[i], brief, usage);
				found = true;
			}
		}
		for (size_t i = 0; !found && i < builtin_count; i++)
			if (strncmp(builtin_table[i].name, want, n) == 0) {
				help_print(sh, &builtin_table[i], brief, usage);
				found = true;
			}
		if (!found && sys_profile(sh->p)->closed && sys_program(sh->p, want)) {
			u_printf(&sh->out, "%s: a command; `%s --help' says more\n", want, want);
			found = true;
		}
		if (!found) {
			builtin_error(sh,
			              "no help topics match `%s'.  Try `help help' or `man -k %s' "
			              "or `info %s'.",
			              want, want, want);
			status = 1;
		}
	}
	return status;
}

/* ---- times ------------------------------------------------------------------------------- */

static void put_time(struct shell *sh, int64_t ns)
{
	int64_t ms = ns / 1000000;

	u_printf(&sh->out, "%lldm%lld.%03llds", (long long)(ms / 60000),
	         (long long)(ms / 1000 % 60), (long long)(ms % 1000));
}

int builtin_times(struct shell *sh, int argc, char **argv)
{
	if (args_none(sh, argc, argv) < 0)
		return USAGE_STATUS;
	put_time(sh, sys_clock(sh->p, SYS_CLOCK_OWN));
	u_putc(&sh->out, ' ');
	put_time(sh, 0);
	u_putc(&sh->out, '\n');
	put_time(sh, sys_clock(sh->p, SYS_CLOCK_CHILDREN));
	u_putc(&sh->out, ' ');
	put_time(sh, 0);
	u_putc(&sh->out, '\n');
	return 0;
}

/* ---- umask --------------------------------------------------------------------------------- */

static void put_symbolic(struct shell *sh, unsigned mask)
{
	for (unsigned who = 0; who < 3; who++) {
		unsigned bits = ~(mask >> (6 - 3 * who)) & 7u;

		u_printf(&sh->out, "%c=%s%s%s%c", "ugo"[who], bits & 4 ? "r" : "",
		         bits & 2 ? "w" : "", bits & 1 ? "x" : "", who < 2 ? ',' : '\n');
	}
}

/* u=rwx,g+r: permissions, of which the mask is the complement. -1 after a message. */
static int symbolic(struct shell *sh, const char *s, unsigned mask)
{
	unsigned perms = ~mask & 0777u;

	for (;;) {
		unsigned who = 0, bits = 0;
		char op;

		for (; *s && strchr("ugoa", *s); s++)
			who |= *s == 'u' ? 0700u : *s == 'g' ? 0070u : *s == 'o' ? 0007u : 0777u;
		if (!who)
			who = 0777;
		op = *s;
		if (op != '+' && op != '-' && op != '=') {
			builtin_error(sh, "`%c': invalid symbolic mode operator", op);
			return -1;
		}
		for (s++; *s && strchr("rwx", *s); s++)
			bits |= *s == 'r' ? 0444u : *s == 'w' ? 0222u : 0111u;
		if (op == '+')
			perms |= bits & who;
		else if (op == '-')
			perms &= ~(bits & who);
		else
			perms = (perms & ~who) | (bits & who);
		if (*s == '\0')
			return (int)(~perms & 0777u);
		if (*s != ',') {
			builtin_error(sh, "`%c': invalid symbolic mode character", *s);
			return -1;
		}
		s++;
	}
}

int builtin_umask(struct shell *sh, int argc, char **argv)
{
	unsigned mask = sys_umask(sh->p, -1);
	bool reusable = false, sym = false;
	struct args a;
	int c, set;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "Sp")) > 0) {
		sym |= c == 'S';
		reusable |= c == 'p';
	}
	if (c < 0)
		return USAGE_STATUS;
	if (a.i < argc) {
		const char *s = argv[a.i];

		if (ascii_digit((unsigned char)*s)) {
			const char *at = s;

			for (set = 0; *at >= '0' && *at <= '7' && set <= 07777; at++)
				set = set * 8 + (*at - '0');
			if (*at || set > 07777) {
				builtin_error(sh, "%s: octal number out of range", s);
				return 1;
			}
			set &= 0777;
		} else {
			set = symbolic(sh, s, mask);
			if (set < 0)
				return 1;
		}
		sys_umask(sh->p, set);
		if (sym)
			put_symbolic(sh, (unsigned)set);
		return 0;
	}
	if (reusable)
		u_puts(&sh->out, sym ? "umask -S " : "umask ");
	if (sym)
		put_symbolic(sh, mask);
	else
		u_printf(&sh->out, "%04o\n", mask);
	return 0;
}
