/* table.c - the builtins by name, and the options and messages they share. */
#include "args.h"

const struct builtin builtin_table[] = {
#define BUILTIN(name, fn, flags, usage, summary) {name, fn, flags, usage, summary},
#include "builtins.def"
#undef BUILTIN
};
const size_t builtin_count = COUNTOF(builtin_table);

const struct builtin *builtin_find(struct str name)
{
	size_t lo = 0, hi = COUNTOF(builtin_table);

	if (name.len == 0)
		return NULL;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const char *s = builtin_table[mid].name;
		size_t i = 0;
		int r;

		while (i < name.len && name.ptr[i] == s[i])
			i++;
		r = (i < name.len ? (unsigned char)name.ptr[i] : 0) - (unsigned char)s[i];
		if (r == 0)
			return &builtin_table[mid];
		if (r < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

int builtin_call(struct shell *sh, const struct builtin *b, int argc, char **argv)
{
	if (UNLIKELY(sys_command_refused(sh->p, b->name))) {
		shell_error(sh, "%s: command not allowed", b->name);
		return 127;
	}
	if (argc > 1 && argv[1][0] == '-' && streq(argv[1], "--help") && !(b->flags & BUILTIN_PLAIN)) {
		help_print(sh, b, false, false);
		return USAGE_STATUS;
	}
	return b->run(sh, argc, argv);
}

/* ---- Options ----------------------------------------------------------------- */

int builtin_usage(struct shell *sh)
{
	const struct builtin *b = builtin_find(str_from(sh->builtin_name));
	const char *text;

	if (!b)
		return USAGE_STATUS;
	text = b->name[0] == '[' ? u_format(sh->p, "%s: usage: %s\n", b->name, b->usage)
	                         : u_format(sh->p, "%s: usage: %s%s%s\n", b->name, b->name,
	                                    *b->usage ? " " : "", b->usage);
	u_flush(&sh->out);
	(void)!u_write_all(sh->p, 2, text, strlen(text));
	return USAGE_STATUS;
}

void args_init(struct args *a, struct shell *sh, int argc, char **argv)
{
	*a = (struct args){.sh = sh, .argc = argc, .argv = argv, .i = 1};
}

static int bad(struct args *a, char c, const char *why)
{
	builtin_error(a->sh, "%c%c: %s", a->on ? '-' : '+', c, why);
	builtin_usage(a->sh);
	return -1;
}

int args_next(struct args *a, const char *letters)
{
	bool plus = *letters == '+';
	const char *hit;
	char c;

	a->value = NULL;
	if (!a->at || !*a->at) {
		const char *s = a->i < a->argc ? a->argv[a->i] : NULL;

		if (!s || (s[0] != '-' && !(plus && s[0] == '+')) || s[1] == '\0')
			return 0;
		if (streq(s, "--")) {
			a->i++;
			return 0;
		}
		a->on = s[0] == '-';
		a->at = s + 1;
		a->i++;
	}
	c = *a->at++;
	hit = c == ':' || c == ';' || c == '+' ? NULL : strchr(letters, c);
	if (!hit)
		return bad(a, c, "invalid option");
	if (hit[1] == ':' || hit[1] == ';') {
		if (*a->at) {
			a->value = a->at;
			a->at = NULL;
		} else if (a->i < a->argc && (hit[1] == ':' || a->argv[a->i][0] != '-')) {
			a->value = a->argv[a->i++];
			a->at = NULL;
		} else if (hit[1] == ':') {
			return bad(a, c, "option requires an argument");
		}
	}
	return (unsigned char)c;
}

int args_none(struct shell *sh, int argc, char **argv)
{
	struct args a;

	args_init(&a, sh, argc, argv);
	return args_next(&a, "") < 0 ? -1 : a.i;
}

bool args_number(const char *s, int64_t *out)
{
	const char *end;
	bool overflow = false;

	*out = num_i64(s, &end, 10, &overflow);
	if (end == s || overflow)
		return false;
	while (ascii_blank((unsigned char)*end))
		end++;
	return *end == '\0';
}

bool args_assign(struct shell *sh, const char *target, struct str value)
{
	const char *command = sh->x.command;
	bool ok;

	sh->x.command = sh->builtin_name;
	ok = assign_text(&sh->x, str_from(target), value, VAR_VISIBLE, 0);
	sh->x.command = command;
	if (!ok && sh->x.error != EXPAND_EXIT && sh->x.error != EXPAND_UNWIND)
		sh->x.error = EXPAND_NONE;
	return ok;
}

const char *args_zone(struct shell *sh)
{
	const struct var *v = state_find(sh->st, STR("TZ"));
	char buf[VALUE_BUF];
	struct str s;

	if (!v || !(v->flags & VAR_EXPORT) || !state_get(sh->st, STR("TZ"), buf, &s))
		return "";
	return u_strndup(sh->p, s.ptr, s.len);
}
