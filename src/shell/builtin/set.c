/* set.c - set, shopt, shift, unset: options and parameters of the shell. */
#include "args.h"

/* ---- set -------------------------------------------------------------------------- */

static void list_options(struct shell *sh, bool as_commands)
{
	for (int i = 0; i < SET_COUNT; i++) {
		bool on = (sh->st->opts >> i) & 1u;

		if (as_commands)
			u_printf(&sh->out, "set %co %s\n", on ? '-' : '+', set_names[i].name);
		else
			u_printf(&sh->out, "%-15s\t%s\n", set_names[i].name, on ? "on" : "off");
	}
}

static void change(struct shell *sh, int which, bool on)
{
	uint64_t bit = (uint64_t)1 << which;

	/* One editing mode puts the other one out. */
	if (on && (bit & (SET_EMACS | SET_VI)))
		sh->st->opts &= ~(uint64_t)(SET_EMACS | SET_VI);
	state_set_opts(sh->st, on ? sh->st->opts | bit : sh->st->opts & ~bit, sh->st->shopts);
	if (bit == SET_HISTORY && on)
		history_load(sh);
}

static int named(struct shell *sh, const char *name, bool on)
{
	int which = set_by_name(str_from(name));

	if (which < 0) {
		builtin_error(sh, "%s: invalid option name", name);
		return 2;
	}
	change(sh, which, on);
	return 0;
}

/* -abc and +abc; *i is moved over the arguments of o. */
static int letters(struct shell *sh, int argc, char **argv, int *i)
{
	const char *s = argv[*i];
	bool on = *s == '-';

	for (s++; *s; s++) {
		int which, r;

		if (*s == 'o') {
			if (*i + 1 >= argc || argv[*i + 1][0] == '-' || argv[*i + 1][0] == '+') {
				list_options(sh, !on);
				continue;
			}
			r = named(sh, argv[++*i], on);
			if (r)
				return r;
			continue;
		}
		which = set_by_letter(*s);
		if (which < 0) {
			builtin_error(sh, "%c%c: invalid option", on ? '-' : '+', *s);
			return builtin_usage(sh);
		}
		change(sh, which, on);
	}
	return 0;
}

/* All letters are looked at before any takes effect. */
static int check(struct shell *sh, const char *s)
{
	for (const char *at = s + 1; *at; at++) {
		if (*at != 'o' && set_by_letter(*at) < 0) {
			builtin_error(sh, "%c%c: invalid option", *s, *at);
			return builtin_usage(sh);
		}
	}
	return 0;
}

int builtin_set(struct shell *sh, int argc, char **argv)
{
	int i, r;

	if (argc == 1) {
		declare_list_all(sh);
		return 0;
	}
	for (i = 1; i < argc; i++) {
		const char *s = argv[i];

		if (streq(s, "-")) {
			change(sh, SET_NUMBER_XTRACE, false);
			change(sh, SET_NUMBER_VERBOSE, false);
			i++;
			break;
		}
		if (streq(s, "+"))
			continue;
		if (streq(s, "--")) {
			params_set(sh->st, argv + i + 1, (size_t)(argc - i - 1), false);
			return 0;
		}
		if ((s[0] != '-' && s[0] != '+') || s[1] == '\0')
			break;
		r = check(sh, s);
		if (!r)
			r = letters(sh, argc, argv, &i);
		if (r) {
			shell_set_status(sh, r);
			if (sh->noerr == 0)
				shell_fatal_posix(sh);
			return r;
		}
	}
	if (i < argc)
		params_set(sh->st, argv + i, (size_t)(argc - i), false);
	return 0;
}

/* ---- shopt --------------------------------------------------------------------------- */

struct shopt {
	bool set, unset, quiet, print, o;
};

static bool is_on(const struct shell *sh, const struct shopt *s, int i)
{
	return ((s->o ? sh->st->opts : sh->st->shopts) >> i) & 1u;
}

static void show(struct shell *sh, const struct shopt *s, int i)
{
	const char *name = s->o ? set_names[i].name : shopt_names[i].name;
	bool on = is_on(sh, s, i);

	if (s->quiet)
		return;
	if (s->print)
		u_printf(&sh->out, s->o ? "set %co %s\n" : "shopt -%c %s\n",
		         s->o ? (on ? '-' : '+') : (on ? 's' : 'u'), name);
	else
		u_printf(&sh->out, "%-15s\t%s\n", name, on ? "on" : "off");
}

static void assign(struct shell *sh, const struct shopt *s, int i)
{
	uint64_t bit = (uint64_t)1 << i, opts = sh->st->opts, shopts = sh->st->shopts;
	uint64_t *which = s->o ? &opts : &shopts;

	*which = s->set ? *which | bit : *which & ~bit;
	state_set_opts(sh->st, opts, shopts);
}

int builtin_shopt(struct shell *sh, int argc, char **argv)
{
	struct shopt s = {0};
	struct args a;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "psuoq")) > 0) {
		s.set |= c == 's';
		s.unset |= c == 'u';
		s.quiet |= c == 'q';
		s.print |= c == 'p';
		s.o |= c == 'o';
	}
	if (c < 0)
		return USAGE_STATUS;
	if (s.set && s.unset) {
		builtin_error(sh, "cannot set and unset shell options simultaneously");
		return 1;
	}
	if (a.i >= argc) {
		int n = s.o ? (int)SET_COUNT : (int)SHOPT_COUNT;

		for (int i = 0; i < n; i++)
			if ((!s.set && !s.unset) || is_on(sh, &s, i) == s.set)
				show(sh, &s, i);
		return 0;
	}
	for (; a.i < argc; a.i++) {
		struct str name = str_from(argv[a.i]);
		int i = s.o ? set_by_name(name) : shopt_by_name(name);

		if (i < 0) {
			builtin_error(sh,
			              s.o ? "%s: invalid option name"
			                  : "%s: invalid shell option name",
			              argv[a.i]);
			status = 1;
		} else if (s.set || s.unset) {
			assign(sh, &s, i);
		} else {
			show(sh, &s, i);
			if (!is_on(sh, &s, i))
				status = 1;
		}
	}
	return status;
}

/* ---- shift ------------------------------------------------------------------------------ */

int builtin_shift(struct shell *sh, int argc, char **argv)
{
	int64_t n = 1;
	int i = argc > 1 && streq(argv[1], "--") ? 2 : 1;

	if (i < argc) {
		if (!args_number(argv[i], &n)) {
			builtin_error(sh, "%s: numeric argument required", argv[i]);
			return 1;
		}
		if (i + 1 < argc) {
			builtin_error(sh, "too many arguments");
			return 1;
		}
	}
	if (n < 0 || (n > (int64_t)params_count(sh->st) && shopt_is(sh, SHOPT_SHIFT_VERBOSE))) {
		builtin_error(sh, "%s: shift count out of range", i < argc ? argv[i] : "1");
		return 1;
	}
	if (n > (int64_t)params_count(sh->st))
		return 1;
	params_shift(sh->st, (uint32_t)n);
	return 0;
}

/* ---- unset -------------------------------------------------------------------------------- */

static int unset_function(struct shell *sh, const char *name, bool quiet)
{
	int r = state_undefine(sh->st, str_from(name));

	if (r == VAR_E_READONLY) {
		builtin_error(sh, "%s: cannot unset: readonly function", name);
		return 1;
	}
	(void)quiet;
	return 0;
}

int builtin_unset(struct shell *sh, int argc, char **argv)
{
	bool functions = false, variables = false, refs = false;
	const char *command = sh->x.command;
	struct args a;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "fnv")) > 0) {
		functions |= c == 'f';
		variables |= c == 'v';
		refs |= c == 'n';
	}
	if (c < 0)
		return USAGE_STATUS;
	if (functions && variables) {
		builtin_error(sh, "cannot simultaneously unset a function and a variable");
		return 1;
	}
	sh->x.command = sh->builtin_name;
	for (; a.i < argc; a.i++) {
		const char *name = argv[a.i];
		struct str s = str_from(name), base, sub;

		if (functions) {
			status |= unset_function(sh, name, false);
			continue;
		}
		if (!name_valid(s) && !name_split(s, &base, &sub)) {
			if (variables || set_is(sh, SET_POSIX)) {
				builtin_error(sh, "`%s': not a valid identifier", name);
				status = 1;
			} else {
				unset_function(sh, name, true);
			}
			continue;
		}
		if (!variables && !refs && name_valid(s) && !state_materialize(sh->st, s)) {
			status |= unset_function(sh, name, true);
			continue;
		}
		if (!unset_text(&sh->x, s, refs ? ASSIGN_NOREF : 0)) {
			if (sh->x.error == EXPAND_EXIT || sh->x.error == EXPAND_UNWIND) {
				machine_expand_failed(sh);
				break;
			}
			sh->x.error = EXPAND_NONE;
			status = 1;
		}
	}
	sh->x.command = command;
	return status;
}
