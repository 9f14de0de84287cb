/* opt.c - the option parser, and how a command runs.
 *
 * Works as GNU getopt_long: options and operands in any order (operands are collected), unless
 * POSIXLY_CORRECT is set or the command stops at its first operand; long names may be
 * cut where that is unambiguous; "--" ends the options. --help and --version belong to every
 * command. */
#include "state.h"

enum builtin_opt { NOT_BUILTIN, OPT_HELP, OPT_VERSION };

struct parser {
	struct proc *p;
	const struct cmd *cmd;
	void *opts;
	char **argv;
	int argc, at;
};

/* ---- Storing a value ---------------------------------------------------------- */

static void list_add(struct proc *p, struct cmd_list *l, const char *v)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 8;

		l->v = arena_grow(&sys_self(p)->arena, (void *)l->v,
		                  size_mul(l->cap, sizeof(*l->v)), size_mul(cap, sizeof(*l->v)));
		l->cap = cap;
	}
	l->v[l->n++] = v;
}

static void store(struct parser *q, const struct cmd_opt *o, const char *arg)
{
	char *member = (char *)q->opts + o->offset;

	switch (o->kind) {
	case CMD_OPT_FLAG:
		if (o->value)
			memcpy(member, &o->value, sizeof(int));
		else
			*(bool *)(void *)member = true;
		break;
	case CMD_OPT_COUNT: ++*(int *)(void *)member; break;
	case CMD_OPT_STRING: *(const char **)(void *)member = arg; break;
	case CMD_OPT_LIST: list_add(q->p, (struct cmd_list *)(void *)member, arg); break;
	case CMD_OPT_OPTIONAL: *(const char **)(void *)member = arg ? arg : ""; break;
	case CMD_OPT_CALL: o->call(q->p, q->opts, o, arg); break;
	}
}

static bool takes_arg(const struct cmd_opt *o)
{
	return o->kind == CMD_OPT_STRING || o->kind == CMD_OPT_LIST ||
	       o->kind == CMD_OPT_OPTIONAL || (o->kind == CMD_OPT_CALL && o->arg);
}

static bool arg_optional(const struct cmd_opt *o)
{
	return o->kind == CMD_OPT_OPTIONAL || (o->kind == CMD_OPT_CALL && o->optional);
}

/* ---- Short options -------------------------------------------------------------- */

static const struct cmd_opt *find_short(const struct cmd *c, char letter)
{
	for (size_t i = 0; i < c->nopts; i++) {
		if (c->opts[i].shrt == letter)
			return &c->opts[i];
	}
	return NULL;
}

static void parse_short(struct parser *q, const char *s)
{
	for (; *s; s++) {
		const struct cmd_opt *o = find_short(q->cmd, *s);
		const char *arg = s + 1;

		if (ascii_digit(*s)) {
			const struct cmd_opt *number = find_short(q->cmd, '0');

			if (number && number->digits) {
				size_t n = strspn(s, "0123456789");

				store(q, number, u_strndup(q->p, s, n));
				s += n - 1;
				continue;
			}
		}
		if (!o && *s == 'V' && u_likeness(q->cmd->name).letter)
			u_version(q->p);
		if (!o)
			u_usage(q->p, "invalid option -- '%c'", *s);
		if (!takes_arg(o)) {
			store(q, o, NULL);
			continue;
		}
		if (!*arg && arg_optional(o))
			arg = NULL;
		else if (!*arg && q->at < q->argc)
			arg = q->argv[q->at++];
		else if (!*arg)
			u_usage(q->p, "option requires an argument -- '%c'", *s);
		store(q, o, arg);
		return;
	}
}

/* ---- Long options ----------------------------------------------------------------- */

static const struct cmd_opt HELP_OPT = {.kind = CMD_OPT_COUNT, .lng = "help", .value = OPT_HELP};
static const struct cmd_opt VERSION_OPT = {
        .kind = CMD_OPT_COUNT, .lng = "version", .value = OPT_VERSION};

/* The i-th long option, the two that all commands have last; NULL past the end. */
static const struct cmd_opt *long_at(const struct cmd *c, size_t i)
{
	if (i < c->nopts)
		return &c->opts[i];
	return i == c->nopts ? &HELP_OPT : i == c->nopts + 1 ? &VERSION_OPT : NULL;
}

static bool same_effect(const struct cmd_opt *a, const struct cmd_opt *b)
{
	return a->kind == b->kind && a->offset == b->offset && a->value == b->value &&
	       a->call == b->call && a->shrt == b->shrt && takes_arg(a) == takes_arg(b);
}

static NORETURN void ambiguous(struct parser *q, const char *s, size_t n,
                               const struct cmd_opt *first)
{
	const struct cmd_opt *o;
	struct u_buf b;

	u_buf_init(&b, q->p, 0);
	u_buf_printf(&b, "option '--%s' is ambiguous; possibilities:", s);
	for (size_t i = 0; (o = long_at(q->cmd, i)); i++) {
		if (o->lng && strncmp(o->lng, s, n) == 0 && (o == first || !same_effect(first, o)))
			u_buf_printf(&b, " '--%s'", o->lng);
	}
	u_usage(q->p, "%s", b.ptr);
}

static const struct cmd_opt *find_long(struct parser *q, const char *s, size_t n)
{
	const struct cmd_opt *o, *found = NULL;
	bool clash = false;

	for (size_t i = 0; (o = long_at(q->cmd, i)); i++) {
		if (!o->lng || strncmp(o->lng, s, n) != 0)
			continue;
		if (!o->lng[n])
			return o;
		if (!found)
			found = o;
		else if (!same_effect(found, o))
			clash = true;
	}
	if (clash)
		ambiguous(q, s, n, found);
	return found;
}

static void parse_long(struct parser *q, const char *s)
{
	const char *eq = strchr(s, '='), *arg = eq ? eq + 1 : NULL;
	size_t n = eq ? (size_t)(eq - s) : strlen(s);
	const struct cmd_opt *o = find_long(q, s, n);

	if (!o)
		u_usage(q->p, "unrecognized option '--%s'", s);
	if (arg && !takes_arg(o))
		u_usage(q->p, "option '--%s' doesn't allow an argument", o->lng);
	if (o == &HELP_OPT || o == &VERSION_OPT) {
		if (o == &HELP_OPT)
			u_print_help(q->p, q->cmd);
		else
			u_print_version(q->p, q->cmd);
		u_exit(q->p, 0);
	}
	if (!arg && takes_arg(o) && !arg_optional(o)) {
		if (q->at >= q->argc)
			u_usage(q->p, "option '--%s' requires an argument", o->lng);
		arg = q->argv[q->at++];
	}
	store(q, o, arg);
}

/* ---- Running ------------------------------------------------------------------------ */

static void add_operand(struct parser *q, struct cmd_args *a, char *word)
{
	if (q->cmd->operand)
		q->cmd->operand(q->p, q->opts, word);
	else
		a->argv[a->argc++] = word;
}

/* Fills a->opts; a->argv gets the operands. */
static void parse(struct parser *q, struct cmd_args *a)
{
	bool stop = q->cmd->stop_at_operand || u_getenv(q->p, "POSIXLY_CORRECT");

	a->argv = u_array(q->p, (size_t)q->argc + 1, sizeof(char *));
	for (q->at = 1; q->at < q->argc;) {
		char *s = q->argv[q->at++];

		if (s[0] != '-' || !s[1]) {
			add_operand(q, a, s);
			if (stop)
				break;
		} else if (s[1] != '-') {
			parse_short(q, s + 1);
		} else if (s[2]) {
			parse_long(q, s + 2);
		} else {
			break;
		}
	}
	while (q->at < q->argc)
		add_operand(q, a, q->argv[q->at++]);
	a->argv[a->argc] = NULL;
}

static void prepare(struct proc *p, const struct cmd *c, int argc, char **argv, struct cmd_args *a)
{
	struct parser q = {.p = p, .cmd = c, .argc = argc, .argv = argv};

	*a = (struct cmd_args){.cmd = c, .opts = u_zalloc(p, c->opts_size ? c->opts_size : 1)};
	u_state(p)->cmd = c;
	if (c->defaults)
		c->defaults(a->opts);
	if (c->raw) {
		if (argc == 2 && !c->no_help && streq(argv[1], "--help")) {
			u_print_help(p, c);
			u_exit(p, 0);
		}
		if (argc == 2 && !c->no_help && streq(argv[1], "--version")) {
			u_print_version(p, c);
			u_exit(p, 0);
		}
		a->argc = argc > 0 ? argc - 1 : 0;
		a->argv = argc > 0 ? argv + 1 : argv;
		return;
	}
	q.opts = a->opts;
	if (c->rewrite)
		q.argv = c->rewrite(p, &q.argc, argv);
	parse(&q, a);
}

int cmd_run(struct proc *p, int argc, char **argv)
{
	const struct cmd *c = sys_program_data(p);
	struct cmd_args a;

	u_stdout(p);
	prepare(p, c, argc, argv, &a);
	return u_finish(p, c->main(p, &a));
}
