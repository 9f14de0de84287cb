/* alias.c - alias and unalias. */
#include "args.h"

static void print(struct shell *sh, const struct item_text *a)
{
	struct u_buf b;

	u_buf_init(&b, sh->p, 0);
	u_shell_quote_single(&b, a->text->s, a->text->len);
	u_printf(&sh->out, "alias %s%s=", a->name[0] == '-' ? "-- " : "", a->name);
	u_put(&sh->out, b.ptr, b.len);
	u_putc(&sh->out, '\n');
}

static bool valid_name(const char *s, size_t n)
{
	if (n == 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (strchr(" \t\n\"'\\$`&|;()<>/", s[i]))
			return false;
	return true;
}

int builtin_alias(struct shell *sh, int argc, char **argv)
{
	struct args a;
	int c, status = 0;
	bool all = false;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "p")) > 0)
		all = true;
	if (c < 0)
		return USAGE_STATUS;
	if (a.i >= argc || all) {
		const struct item_text **v;
		size_t n = state_texts(sh->st, &sh->st->aliases, &v);

		for (size_t i = 0; i < n; i++)
			print(sh, v[i]);
	}
	for (; a.i < argc; a.i++) {
		const char *s = argv[a.i], *eq = *s == '=' ? NULL : strchr(s, '=');
		const struct item_text *t;

		if (eq && !valid_name(s, (size_t)(eq - s))) {
			builtin_error(sh, "`%.*s': invalid alias name", (int)(eq - s), s);
			status = 1;
		} else if (eq) {
			state_set_text(sh->st, &sh->st->aliases, (struct str){s, (size_t)(eq - s)},
			               str_from(eq + 1));
		} else {
			t = state_alias(sh->st, str_from(s));
			if (t) {
				print(sh, t);
			} else {
				builtin_error(sh, "%s: not found", s);
				status = 1;
			}
		}
	}
	return status;
}

int builtin_unalias(struct shell *sh, int argc, char **argv)
{
	struct args a;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "a")) > 0) {
		state_clear_texts(sh->st, &sh->st->aliases);
		return 0;
	}
	if (c < 0)
		return USAGE_STATUS;
	if (a.i >= argc)
		return builtin_usage(sh);
	for (; a.i < argc; a.i++)
		if (!state_unset_text(sh->st, &sh->st->aliases, str_from(argv[a.i]))) {
			builtin_error(sh, "%s: not found", argv[a.i]);
			status = 1;
		}
	return status;
}
