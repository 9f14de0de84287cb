/* print.c - echo, printf, test, let: thin coats over the program library's cores. */
#include "args.h"

/* ---- echo ------------------------------------------------------------------------- */

int builtin_echo(struct shell *sh, int argc, char **argv)
{
	bool escapes = shopt_is(sh, SHOPT_XPG_ECHO), newline = true;
	struct u_buf b;
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (set_is(sh, SET_POSIX) && escapes)
			break;
		if (strspn(argv[i] + 1, "neE") != strlen(argv[i] + 1))
			break;
		for (const char *s = argv[i] + 1; *s; s++) {
			if (*s == 'n')
				newline = false;
			else
				escapes = *s == 'e';
		}
	}
	if (!escapes) {
		for (; i < argc; i++) {
			u_put(&sh->out, argv[i], strlen(argv[i]));
			if (i + 1 < argc)
				u_putc(&sh->out, ' ');
		}
		if (newline)
			u_putc(&sh->out, '\n');
		return 0;
	}
	u_buf_init(&b, sh->p, 0);
	for (; i < argc; i++) {
		if (!u_echo_escape(&b, argv[i], strlen(argv[i]), true)) {
			newline = false;
			break;
		}
		if (i + 1 < argc)
			u_buf_putc(&b, ' ');
	}
	u_put(&sh->out, b.ptr, b.len);
	if (newline)
		u_putc(&sh->out, '\n');
	return 0;
}

/* ---- printf ------------------------------------------------------------------------ */

struct printf_ctx {
	struct u_printf_host host;
	struct shell *sh;
};

static struct shell *printf_shell(struct u_printf_host *h)
{
	return ((struct printf_ctx *)(void *)h)->sh;
}

static void printf_warn(struct u_printf_host *h, const char *text)
{
	struct shell *sh = printf_shell(h);

	u_put(&sh->out, h->out->ptr, h->spill ? h->out->len : 0);
	if (h->spill)
		h->out->len = 0;
	builtin_error(sh, "%s", text);
}

static void printf_spill(struct u_printf_host *h)
{
	u_put(&printf_shell(h)->out, h->out->ptr, h->out->len);
	h->out->len = 0;
}

static int64_t printf_start(struct u_printf_host *h)
{
	return printf_shell(h)->st->seconds_base;
}

static bool printf_count(struct u_printf_host *h, const char *name, int64_t n)
{
	char num[24];

	return args_assign(printf_shell(h), name, (struct str){num, num_put_i64(num, n)});
}

int builtin_printf(struct shell *sh, int argc, char **argv)
{
	struct printf_ctx c = {.host = {.p = sh->p,
	                                .bash_style = true,
	                                .warn = printf_warn,
	                                .shell_start = printf_start,
	                                .set_count = printf_count},
	                       .sh = sh};
	const char *var = NULL;
	struct args a;
	struct u_buf b;
	int o, status;

	args_init(&a, sh, argc, argv);
	while ((o = args_next(&a, "v:")) > 0) {
		struct str base, sub;

		var = a.value;
		if (!name_valid(str_from(var)) && !name_split(str_from(var), &base, &sub)) {
			builtin_error(sh, "`%s': not a valid identifier", var);
			return USAGE_STATUS;
		}
	}
	if (o < 0)
		return USAGE_STATUS;
	if (a.i >= argc)
		return builtin_usage(sh);
	u_buf_init(&b, sh->p, 0);
	c.host.out = &b;
	if (!var)
		c.host.spill = printf_spill;
	c.host.tz = args_zone(sh);
	status = u_printf_run(&c.host, argv[a.i], argc - a.i - 1, argv + a.i + 1);
	if (!var) {
		u_put(&sh->out, b.ptr, b.len);
		return status;
	}
	/* A value ends at a NUL. */
	if (!args_assign(sh, var, str_from(u_strndup(sh->p, b.ptr ? b.ptr : "", b.len))))
		return 1;
	return status;
}

/* ---- test ---------------------------------------------------------------------------- */

struct test_ctx {
	struct u_test_host host;
	struct shell *sh;
};

static struct shell *test_shell(struct u_test_host *h)
{
	return ((struct test_ctx *)(void *)h)->sh;
}

static void test_warn(struct u_test_host *h, const char *text)
{
	builtin_error(test_shell(h), "%s", text);
}

static bool test_is_set(struct u_test_host *h, const char *name)
{
	bool r = is_set_text(&test_shell(h)->x, str_from(name));

	test_shell(h)->x.error = EXPAND_NONE;
	return r;
}

static bool test_option(struct u_test_host *h, const char *name)
{
	int i = set_by_name(str_from(name));

	return i >= 0 && ((test_shell(h)->st->opts >> i) & 1u);
}

static bool test_is_ref(struct u_test_host *h, const char *name)
{
	const struct var *v = state_find(test_shell(h)->st, str_from(name));

	return v && (v->flags & VAR_NAMEREF) && (v->flags & VAR_SET);
}

int builtin_test(struct shell *sh, int argc, char **argv)
{
	struct test_ctx t = {.host = {.p = sh->p,
	                              .warn = test_warn,
	                              .is_set = test_is_set,
	                              .option = test_option,
	                              .is_ref = test_is_ref},
	                     .sh = sh};
	int n = argc - 1;

	if (argv[0][0] == '[') {
		if (n == 0 || !streq(argv[argc - 1], "]")) {
			builtin_error(sh, "missing `]'");
			return 2;
		}
		n--;
	}
	return u_test(&t.host, n, argv + 1);
}

/* ---- let ------------------------------------------------------------------------------ */

int builtin_let(struct shell *sh, int argc, char **argv)
{
	int i = argc > 1 && streq(argv[1], "--") ? 2 : 1;
	int64_t v = 0;

	if (i >= argc) {
		builtin_error(sh, "expression expected");
		return 1;
	}
	for (; i < argc; i++) {
		bool ok;

		sh->x.arith_prefix = "let";
		ok = arith_text(&sh->x, str_from(argv[i]), &v);
		sh->x.arith_prefix = NULL;
		if (ok)
			continue;
		if (sh->x.error == EXPAND_EXIT || sh->x.error == EXPAND_UNWIND || sh->x.error == EXPAND_TOP)
			machine_expand_failed(sh);
		sh->x.error = EXPAND_NONE;
		return 1;
	}
	return v == 0;
}
