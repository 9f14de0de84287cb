/* parse.c - find's expression: words to a tree.
 *
 * expression := or { "," or };  or := and { -o and };  and := not { [-a] not };
 * not := { ! } ( "(" expression ")" | primary ). */
#include "parser.h"

static struct find_node *parse_comma(struct find_parser *s);

struct find_node *find_node_new(struct find_parser *s, enum find_kind kind)
{
	struct find_node *n = u_zalloc(s->f->p, sizeof(*n));

	n->kind = kind;
	/* What asks for more than a name and a type. */
	switch (kind) {
	case FIND_XTYPE: case FIND_SIZE: case FIND_EMPTY: case FIND_TIME: case FIND_NEWER: case FIND_USED: case FIND_PERM: case FIND_UID:
	case FIND_GID: case FIND_NOUSER: case FIND_NOGROUP: case FIND_INUM: case FIND_LINKS: case FIND_SAMEFILE: case FIND_PRINTF: case FIND_LS:
		s->f->need_stat = true;
		break;
	default: break;
	}
	return n;
}

static const char *peek(const struct find_parser *s)
{
	return s->at < s->argc ? s->argv[s->at] : NULL;
}

static bool accept(struct find_parser *s, const char *a, const char *b)
{
	const char *w = peek(s);

	if (!w || (!streq(w, a) && !(b && streq(w, b))))
		return false;
	s->last = w;
	s->at++;
	return true;
}

const char *find_argument(struct find_parser *s, const char *name)
{
	if (s->at >= s->argc)
		u_die(s->f->p, 1, 0, "missing argument to `%s'", name);
	return s->argv[s->at++];
}

static int depth_or_die(struct find_parser *s, const char *name, const char *arg)
{
	bool overflow;
	const char *end;
	uint64_t n = num_u64(arg, &end, 10, &overflow);

	if (!ascii_digit(*arg) || *end)
		u_die(s->f->p, 1, 0, "Expected a positive decimal integer argument to %s, but got %s", name,
		      u_quote(s->f->p, arg));
	if (overflow || n > INT32_MAX)
		u_die(s->f->p, 1, 0, "%s: Numerical result out of range", arg);
	return (int)n;
}

/* -warn tells that a global option came late, and holds for the whole search all the same. */
static void warn_late(struct find_parser *s, const char *name)
{
	static const char *const global[] = {"-maxdepth", "-mindepth", "-depth", "-d", "-mount", "-xdev", "-noleaf",
					     "-ignore_readdir_race", "-noignore_readdir_race", "-files0-from"};

	if (!s->f->warn)
		return;
	if (streq(name, "-d"))
		u_warn(s->f->p, 0,
		       "warning: the -d option is deprecated; please use -depth instead, because the latter is a POSIX-compliant "
		       "feature.");
	for (size_t i = 0; s->first && i < COUNTOF(global); i++) {
		if (streq(name, global[i]))
			u_warn(s->f->p, 0,
			       "warning: you have specified the global option %s after the argument %s, but global options are "
			       "not positional, i.e., %s affects tests specified before it as well as those specified after it.  "
			       "Please specify global options before other arguments.",
			       name, s->first, name);
	}
}

static void set_daystart(struct find *f)
{
	struct u_tm tm;

	if (f->daystart)
		return;
	f->daystart = true;
	u_time_split(f->tz, f->now, &tm);
	tm.hour = tm.min = tm.sec = 0;
	tm.nsec = 0;
	tm.mday += 1;
	tm.isdst = -1;
	f->now = u_time_join(f->tz, &tm);
}

/* Options that hold for the whole search; true when `name` is one. */
static bool parse_global(struct find_parser *s, const char *name)
{
	struct find *f = s->f;

	if (streq(name, "-maxdepth")) {
		f->maxdepth = depth_or_die(s, name, find_argument(s, name));
	} else if (streq(name, "-mindepth")) {
		f->mindepth = depth_or_die(s, name, find_argument(s, name));
	} else if (streq(name, "-depth") || streq(name, "-d")) {
		f->depth = true;
	} else if (streq(name, "-mount") || streq(name, "-xdev")) {
		f->walk_flags |= U_WALK_ONE_FS;
	} else if (streq(name, "-follow")) {
		f->walk_flags |= U_WALK_FOLLOW;
	} else if (streq(name, "-daystart")) {
		set_daystart(f);
	} else if (streq(name, "-regextype")) {
		find_regextype(s);
	} else if (streq(name, "-files0-from")) {
		f->files0 = find_argument(s, name);
	} else if (streq(name, "-warn") || streq(name, "-nowarn")) {
		f->warn = name[1] == 'w';
	} else if (streq(name, "-help") || streq(name, "--help")) {
		u_help(f->p);
	} else if (streq(name, "-version") || streq(name, "--version")) {
		u_version(f->p);
	} else if (!streq(name, "-noleaf") &&
		   !streq(name, "-ignore_readdir_race") && !streq(name, "-noignore_readdir_race")) {
		return false;
	}
	warn_late(s, name);
	return true;
}

/* A word that is no expression: a path too late, or a pattern the shell has expanded. */
NORETURN static void misplaced(struct find_parser *s, const char *word)
{
	struct proc *p = s->f->p;
	struct sys_stat st;

	u_warn(p, 0, "paths must precede expression: `%s'", word);
	if (s->last && sys_stat(p, word, SYS_NOFOLLOW, &st) == 0)
		u_warn(p, 0, "possible unquoted pattern after predicate `%s'?", s->last);
	u_exit(p, 1);
}

static struct find_node *parse_primary(struct find_parser *s)
{
	const char *name = peek(s);
	struct find_node *n;

	s->at++;
	if (streq(name, "(")) {
		s->last = name;
		if (!sys_stack(s->f->p, 4096))
			u_die(s->f->p, 1, 0, "expression is nested too deeply");
		if (accept(s, ")", NULL))
			u_die(s->f->p, 1, 0, "invalid expression; empty parentheses are not allowed.");
		n = parse_comma(s);
		if (!n || !accept(s, ")", NULL))
			u_die(s->f->p, 1, 0,
			      "invalid expression; I was expecting to find a ')' somewhere but did not see one.");
		return n;
	}
	if (streq(name, ")"))
		u_die(s->f->p, 1, 0, "you have too many ')'");
	if (streq(name, "-a") || streq(name, "-and") || streq(name, "-o") || streq(name, "-or") || streq(name, ","))
		u_die(s->f->p, 1, 0, "invalid expression; you have used a binary operator '%s' with nothing before it.", name);
	if (*name != '-' || !name[1])
		misplaced(s, name);
	if (!parse_global(s, name)) {
		n = find_primary(s, name);
		if (!n)
			u_die(s->f->p, 1, 0, "unknown predicate `%s'", name);
		if (!s->first)
			s->first = name;
	} else {
		n = find_node_new(s, FIND_TRUE);
	}
	s->last = name;
	return n;
}

static struct find_node *parse_not(struct find_parser *s)
{
	bool invert = false, any = false;
	struct find_node *n;

	while (accept(s, "!", "-not")) {
		invert = !invert;
		any = true;
	}
	if (any && (!peek(s) || streq(peek(s), ")")))
		u_die(s->f->p, 1, 0, "expected an expression after '%s'", s->argv[s->at - 1]);
	n = parse_primary(s);
	if (invert) {
		struct find_node *not = find_node_new(s, FIND_NOT);

		not->a = n;
		return not;
	}
	return n;
}

static struct find_node *binary(struct find_parser *s, enum find_kind kind, struct find_node *a, struct find_node *b)
{
	struct find_node *n = find_node_new(s, kind);

	n->a = a;
	n->b = b;
	return n;
}

static bool at_end(const struct find_parser *s)
{
	const char *w = peek(s);

	return !w || streq(w, ")");
}

static void need_operand(struct find_parser *s, const char *op)
{
	if (at_end(s))
		u_die(s->f->p, 1, 0, "expected an expression after '%s'", op);
}

/* What stands in a row becomes a chain to the right, which find_eval follows without calling itself. */
static struct find_node *parse_and(struct find_parser *s)
{
	struct find_node *n = parse_not(s), **last = &n;

	while (!at_end(s) && !streq(peek(s), "-o") && !streq(peek(s), "-or") && !streq(peek(s), ",")) {
		if (accept(s, "-a", "-and"))
			need_operand(s, s->argv[s->at - 1]);
		*last = binary(s, FIND_AND, *last, parse_not(s));
		last = &(*last)->b;
	}
	return n;
}

static struct find_node *parse_or(struct find_parser *s)
{
	struct find_node *n = parse_and(s), **last = &n;

	while (accept(s, "-o", "-or")) {
		need_operand(s, s->argv[s->at - 1]);
		*last = binary(s, FIND_OR, *last, parse_and(s));
		last = &(*last)->b;
	}
	return n;
}

static struct find_node *parse_comma(struct find_parser *s)
{
	struct find_node *n = parse_or(s), **last = &n;

	while (accept(s, ",", NULL)) {
		need_operand(s, ",");
		*last = binary(s, FIND_COMMA, *last, parse_or(s));
		last = &(*last)->b;
	}
	return n;
}

void find_parse(struct find *f, int argc, char **argv)
{
	struct find_parser s = {.f = f, .argv = argv, .argc = argc};
	struct find_node *n = NULL;

	if (argc > 0) {
		n = parse_comma(&s);
		if (s.at < s.argc)
			u_die(f->p, 1, 0, "you have too many ')'");
	}
	if (s.depth_needed && s.pruned && !f->depth)
		u_die(f->p, 1, 0,
		      "The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If "
		      "you want to carry on anyway, just explicitly use the -depth option.");
	if (s.depth_needed)
		f->depth = true;
	if (!s.acted) {
		struct find_node *print = find_node_new(&s, FIND_PRINT);

		n = n ? binary(&s, FIND_AND, n, print) : print;
	}
	f->root = n;
}
