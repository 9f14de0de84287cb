/* parse.c - find's expression: words to a tree.
 *
 * expression := or { "," or };  or := and { -o and };  and := not { [-a] not };
 * not := { ! } ( "(" expression ")" | primary ). */
#include "find.h"

struct parser {
	struct find *f;
	char **argv;
	int argc, at, depth;
	bool acted;		/* an action that suppresses the default -print */
	bool depth_needed;	/* -delete */
	bool pruned;
};

static struct find_node *parse_comma(struct parser *s);

static struct find_node *node(struct parser *s, enum find_kind kind)
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

static const char *peek(const struct parser *s)
{
	return s->at < s->argc ? s->argv[s->at] : NULL;
}

static bool accept(struct parser *s, const char *a, const char *b)
{
	const char *w = peek(s);

	if (!w || (!streq(w, a) && !(b && streq(w, b))))
		return false;
	s->at++;
	return true;
}

static const char *argument(struct parser *s, const char *name)
{
	if (s->at >= s->argc)
		u_die(s->f->p, 1, 0, "missing argument to `%s'", name);
	return s->argv[s->at++];
}

static bool parse_number(const char *s, struct find_number *out)
{
	bool overflow;
	const char *end;

	*out = (struct find_number){0};
	if (*s == '+' || *s == '-')
		out->sign = *s++ == '+' ? 1 : -1;
	if (!ascii_digit(*s))
		return false;
	out->n = num_u64(s, &end, 10, &overflow);
	return !*end && !overflow;
}

static void number_or_die(struct parser *s, const char *name, const char *arg, struct find_number *out)
{
	if (!parse_number(arg, out))
		u_die(s->f->p, 1, 0, "invalid argument `%s' to `%s'", arg, name);
}

static int depth_or_die(struct parser *s, const char *name, const char *arg)
{
	bool overflow;
	const char *end;
	uint64_t n = num_u64(arg, &end, 10, &overflow);

	if (!ascii_digit(*arg) || *end || overflow || n > INT32_MAX)
		u_die(s->f->p, 1, 0, "Expected a positive decimal integer argument to %s, but got %s", name,
		      u_quote(s->f->p, arg));
	return (int)n;
}

static void parse_size(struct parser *s, struct find_node *n, const char *arg)
{
	static const struct {
		char c;
		uint32_t unit;
	} units[] = {{'b', 512}, {'c', 1}, {'w', 2}, {'k', 1024}, {'M', 1u << 20}, {'G', 1u << 30}};
	size_t len = strlen(arg);
	char *number = u_strdup(s->f->p, arg);

	if (!len)
		u_die(s->f->p, 1, 0, "invalid null argument to -size");
	n->unit = 512;
	if (!ascii_digit(arg[len - 1])) {
		n->unit = 0;
		for (size_t i = 0; i < COUNTOF(units); i++)
			if (units[i].c == arg[len - 1])
				n->unit = units[i].unit;
		if (!n->unit)
			u_die(s->f->p, 1, 0, "invalid -size type `%c'", arg[len - 1]);
		number[len - 1] = '\0';
	}
	if (!parse_number(number, &n->num))
		u_die(s->f->p, 1, 0, "Invalid argument `%s' to -size", arg);
}

static uint32_t parse_types(struct parser *s, const char *name, const char *arg)
{
	uint32_t set = 0;

	if (!*arg)
		u_die(s->f->p, 1, 0, "Arguments to %s should contain at least one letter", name);
	for (const char *c = arg; *c; c++) {
		uint32_t type;

		switch (*c) {
		case 'b': type = SYS_S_BLOCK; break;
		case 'c': type = SYS_S_CHAR; break;
		case 'd': type = SYS_S_DIR; break;
		case 'p': type = SYS_S_FIFO; break;
		case 'f': type = SYS_S_FILE; break;
		case 'l': type = SYS_S_LINK; break;
		case 's': type = SYS_S_SOCK; break;
		default: u_die(s->f->p, 1, 0, "Unknown argument to %s: %c", name, *c);
		}
		if (set & 1u << (type >> 12))
			u_die(s->f->p, 1, 0, "Duplicate file type '%c' in the argument list to %s.", *c, name);
		set |= 1u << (type >> 12);
		if (c[1] == ',' && !c[2])
			u_die(s->f->p, 1, 0, "Last file type in list argument to %s is missing, i.e., list is ending on: ','",
			      name);
		if (c[1] == ',')
			c++;
		else if (c[1])
			u_die(s->f->p, 1, 0, "Must separate multiple arguments to %s using: ','", name);
	}
	return set;
}

static struct sys_time stat_time(const struct sys_stat *st, char which)
{
	return which == 'a' ? st->atime : which == 'c' ? st->ctime : which == 'B' ? st->btime : st->mtime;
}

static void stat_or_die(struct parser *s, const char *path, struct sys_stat *st)
{
	int e = sys_stat(s->f->p, path, s->f->walk_flags ? 0 : SYS_NOFOLLOW, st);

	if (e < 0)
		u_die(s->f->p, 1, e, "%s", u_quote(s->f->p, path));
}

/* -newerXY */
static struct find_node *parse_newer(struct parser *s, const char *name)
{
	char x = name[6], y = name[7];
	struct find_node *n = node(s, FIND_NEWER);
	const char *arg = argument(s, name);
	struct sys_stat st;

	n->which = x;
	if (y == 't') {
		if (!u_time_parse(s->f->p, arg, s->f->now, s->f->tz, &n->when))
			u_die(s->f->p, 1, 0, "I cannot figure out how to interpret %s as a date or time",
			      u_quote(s->f->p, arg));
		return n;
	}
	stat_or_die(s, arg, &st);
	n->when = stat_time(&st, y);
	return n;
}

static struct find_node *parse_perm(struct parser *s)
{
	struct find_node *n = node(s, FIND_PERM);
	const char *arg = argument(s, "-perm"), *mode = arg;
	const struct u_mode *m;

	if (*mode == '-' || *mode == '/')
		n->which = *mode++;
	m = u_mode_parse(s->f->p, mode);
	if (!m || !*mode)
		u_die(s->f->p, 1, 0, "invalid mode %s", u_quote(s->f->p, arg));
	n->num.n = u_mode_apply(m, 0, false, 0);
	n->unit = u_mode_apply(m, 0, true, 0); /* X counts for directories */
	return n;
}

static void checkpoint(void *ctx)
{
	sys_checkpoint(ctx);
}

static struct find_node *parse_regex(struct parser *s, const char *name)
{
	struct find_node *n = node(s, FIND_REGEX);
	const char *arg = argument(s, name);
	struct regex_error err;

	n->icase = name[1] == 'i';
	n->regex = regex_compile(&sys_self(s->f->p)->arena, arg, strlen(arg),
				 s->f->regex_dialect | REGEX_LINE | REGEX_ANCHORS | (n->icase ? REGEX_ICASE : 0) |
					 (u_utf8(s->f->p) ? REGEX_UTF8 : 0),
				 &err);
	if (!n->regex)
		u_die(s->f->p, 1, 0, "%s", err.message);
	n->scratch = regex_scratch_new(&sys_self(s->f->p)->arena, n->regex, checkpoint, s->f->p);
	return n;
}

static void parse_regextype(struct parser *s)
{
	static const struct {
		const char *name;
		enum regex_dialect dialect;
	} types[] = {
		{"findutils-default", REGEX_FIND},
		{"ed", REGEX_BRE},
		{"emacs", REGEX_EMACS},
		{"gnu-awk", REGEX_AWK},
		{"grep", REGEX_GREP},
		{"posix-awk", REGEX_POSIX_AWK},
		{"awk", REGEX_OLD_AWK},
		{"posix-basic", REGEX_BRE},
		{"posix-egrep", REGEX_EGREP},
		{"egrep", REGEX_EGREP},
		{"posix-extended", REGEX_ERE},
		{"posix-minimal-basic", REGEX_POSIX_MINIMAL},
		{"sed", REGEX_BRE},
	};
	const char *arg = argument(s, "-regextype");

	for (size_t i = 0; i < COUNTOF(types); i++)
		if (streq(arg, types[i].name)) {
			s->f->regex_dialect = types[i].dialect;
			return;
		}
	u_die(s->f->p, 1, 0,
	      "Unknown regular expression type %s; valid types are 'findutils-default', 'ed', 'emacs', 'gnu-awk', 'grep', "
	      "'posix-awk', 'awk', 'posix-basic', 'posix-egrep', 'egrep', 'posix-extended', 'posix-minimal-basic', 'sed'.",
	      u_quote(s->f->p, arg));
}

static struct find_node *parse_exec(struct parser *s, const char *name)
{
	struct find_node *n = node(s, FIND_EXEC);
	struct find_exec *x = u_zalloc(s->f->p, sizeof(*x));
	int from = s->at;

	x->in_dir = streq(name, "-execdir");
	for (; s->at < s->argc; s->at++) {
		const char *w = s->argv[s->at];

		if (streq(w, ";"))
			break;
		if (streq(w, "+") && s->at > from && streq(s->argv[s->at - 1], "{}")) {
			x->batch = true;
			break;
		}
	}
	if (s->at >= s->argc || s->at == from)
		u_die(s->f->p, 1, 0, "missing argument to `%s'", name);
	x->argc = s->at - from - (x->batch ? 1 : 0);
	x->argv = u_array(s->f->p, (size_t)x->argc + 1, sizeof(char *));
	memcpy(x->argv, s->argv + from, (size_t)x->argc * sizeof(char *));
	x->argv[x->argc] = NULL;
	s->at++;
	for (int i = 0; x->batch && i < x->argc; i++)
		if (strstr(x->argv[i], "{}"))
			u_die(s->f->p, 1, 0, "Only one instance of {} is supported with %s ... +", name);
	n->exec = x;
	s->acted = true;
	if (x->batch) {
		struct find *f = s->f;

		f->batches = arena_grow(&sys_self(f->p)->arena, f->batches, f->nbatches * sizeof(*f->batches),
					(f->nbatches + 1) * sizeof(*f->batches));
		f->batches[f->nbatches++] = n;
	}
	return n;
}

/* The file of -fprint and friends: opened even when nothing is written to it. */
static struct u_out *open_output(struct parser *s, const char *path)
{
	struct u_out *o = u_zalloc(s->f->p, sizeof(*o));
	int fd = sys_open(s->f->p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);

	if (fd < 0)
		u_die(s->f->p, 1, fd, "%s", u_quote(s->f->p, path));
	u_out_init(o, s->f->p, fd, 0);
	return o;
}

static struct find_node *parse_output(struct parser *s, const char *name)
{
	bool file = name[1] == 'f';
	const char *what = name + (file ? 2 : 1);
	struct find_node *n = node(s, streq(what, "print0") ? FIND_PRINT0 : streq(what, "printf") ? FIND_PRINTF :
				      streq(what, "ls") ? FIND_LS : FIND_PRINT);

	if (file)
		n->out = open_output(s, argument(s, name));
	if (n->kind == FIND_PRINTF) {
		n->text = argument(s, name);
		find_format_check(s->f, n->text);
	}
	s->acted = true;
	return n;
}

static struct find_node *parse_owner(struct parser *s, const char *name, bool user)
{
	struct find_node *n = node(s, user ? FIND_UID : FIND_GID);
	const char *arg = argument(s, name);
	uint32_t id;

	if (streq(name, "-uid") || streq(name, "-gid")) {
		number_or_die(s, name, arg, &n->num);
	} else if (user ? u_user_id(s->f->p, arg, &id) : u_group_id(s->f->p, arg, &id)) {
		n->num.n = id;
	} else if (!parse_number(arg, &n->num) || n->num.sign) {
		if (user)
			u_die(s->f->p, 1, 0, "%s is not the name of a known user", u_quote(s->f->p, arg));
		u_die(s->f->p, 1, 0, "%s is not the name of an existing group", u_quote(s->f->p, arg));
	}
	return n;
}

static struct find_node *parse_time(struct parser *s, const char *name)
{
	struct find_node *n = node(s, FIND_TIME);

	n->which = name[1];
	n->unit = streq(name + 2, "min") ? 60u * 1000000000u : (uint64_t)86400 * 1000000000;
	n->when = s->f->now;
	number_or_die(s, name, argument(s, name), &n->num);
	return n;
}

/* Options that hold for the whole search; true when `name` is one. */
static bool parse_global(struct parser *s, const char *name)
{
	struct find *f = s->f;

	if (streq(name, "-maxdepth")) {
		f->maxdepth = depth_or_die(s, name, argument(s, name));
	} else if (streq(name, "-mindepth")) {
		f->mindepth = depth_or_die(s, name, argument(s, name));
	} else if (streq(name, "-depth") || streq(name, "-d")) {
		f->depth = true;
	} else if (streq(name, "-mount") || streq(name, "-xdev")) {
		f->walk_flags |= U_WALK_ONE_FS;
	} else if (streq(name, "-follow")) {
		f->walk_flags |= U_WALK_FOLLOW;
	} else if (streq(name, "-daystart")) {
		struct u_tm tm;

		u_time_split(f->tz, f->now, &tm);
		tm.hour = tm.min = tm.sec = 0;
		tm.nsec = 0;
		tm.mday += 1;
		tm.isdst = -1;
		f->now = u_time_join(f->tz, &tm);
	} else if (streq(name, "-regextype")) {
		parse_regextype(s);
	} else if (!streq(name, "-noleaf") && !streq(name, "-nowarn") && !streq(name, "-warn") &&
		   !streq(name, "-ignore_readdir_race") && !streq(name, "-noignore_readdir_race")) {
		return false;
	}
	return true;
}

static struct find_node *parse_test(struct parser *s, const char *name)
{
	struct find_node *n;

	if (streq(name, "-name") || streq(name, "-iname") || streq(name, "-lname") || streq(name, "-ilname") ||
	    streq(name, "-path") || streq(name, "-ipath") || streq(name, "-wholename") || streq(name, "-iwholename")) {
		n = node(s, strstr(name, "lname") ? FIND_LNAME : strstr(name, "path") || strstr(name, "whole") ? FIND_PATH : FIND_NAME);
		n->icase = name[1] == 'i';
		n->text = argument(s, name);
		if (n->kind == FIND_NAME && strchr(n->text, '/') && !streq(n->text, "/"))
			u_warn(s->f->p, 0,
			       "warning: %s matches against basenames only, but the given pattern contains a directory "
			       "separator ('/'), thus the expression will evaluate to false all the time.  Did you mean "
			       "'%s'?",
			       u_quote(s->f->p, name), n->icase ? "-iwholename" : "-wholename");
		return n;
	}
	if (streq(name, "-type") || streq(name, "-xtype")) {
		n = node(s, name[1] == 't' ? FIND_TYPE : FIND_XTYPE);
		n->types = parse_types(s, name, argument(s, name));
		return n;
	}
	if (streq(name, "-size")) {
		n = node(s, FIND_SIZE);
		parse_size(s, n, argument(s, name));
		return n;
	}
	if (strchr("acm", name[1]) && name[1] && (streq(name + 2, "time") || streq(name + 2, "min")))
		return parse_time(s, name);
	if (streq(name, "-newer"))
		return parse_newer(s, "-newermm");
	if (streq(name, "-anewer") || streq(name, "-cnewer"))
		return parse_newer(s, name[1] == 'a' ? "-neweram" : "-newercm");
	if (strncmp(name, "-newer", 6) == 0 && strlen(name) == 8 && strchr("aBcm", name[6]) && strchr("aBcmt", name[7]))
		return parse_newer(s, name);
	if (streq(name, "-regex") || streq(name, "-iregex"))
		return parse_regex(s, name);
	if (streq(name, "-perm"))
		return parse_perm(s);
	if (streq(name, "-user") || streq(name, "-uid"))
		return parse_owner(s, name, true);
	if (streq(name, "-group") || streq(name, "-gid"))
		return parse_owner(s, name, false);
	if (streq(name, "-inum") || streq(name, "-links") || streq(name, "-used")) {
		n = node(s, name[1] == 'i' ? FIND_INUM : name[1] == 'l' ? FIND_LINKS : FIND_USED);
		number_or_die(s, name, argument(s, name), &n->num);
		return n;
	}
	if (streq(name, "-samefile")) {
		struct sys_stat st;

		n = node(s, FIND_SAMEFILE);
		stat_or_die(s, argument(s, name), &st);
		n->dev = st.dev;
		n->ino = st.ino;
		return n;
	}
	if (streq(name, "-fstype")) {
		n = node(s, FIND_FSTYPE);
		n->text = argument(s, name);
		return n;
	}
	if (streq(name, "-readable") || streq(name, "-writable") || streq(name, "-executable")) {
		n = node(s, FIND_ACCESS);
		n->which = name[1] == 'r' ? SYS_R_OK : name[1] == 'w' ? SYS_W_OK : SYS_X_OK;
		return n;
	}
	static const struct {
		const char *name;
		enum find_kind kind;
	} plain[] = {{"-true", FIND_TRUE}, {"-false", FIND_FALSE}, {"-empty", FIND_EMPTY}, {"-nouser", FIND_NOUSER},
		     {"-nogroup", FIND_NOGROUP}};

	for (size_t i = 0; i < COUNTOF(plain); i++)
		if (streq(name, plain[i].name))
			return node(s, plain[i].kind);
	return NULL;
}

static struct find_node *parse_action(struct parser *s, const char *name)
{
	if (streq(name, "-print") || streq(name, "-print0") || streq(name, "-printf") || streq(name, "-ls") ||
	    streq(name, "-fprint") || streq(name, "-fprint0") || streq(name, "-fls"))
		return parse_output(s, name);
	if (streq(name, "-fprintf")) {
		struct find_node *n = node(s, FIND_PRINTF);

		n->out = open_output(s, argument(s, name));
		n->text = argument(s, name);
		find_format_check(s->f, n->text);
		s->acted = true;
		return n;
	}
	if (streq(name, "-exec") || streq(name, "-execdir"))
		return parse_exec(s, name);
	if (streq(name, "-ok") || streq(name, "-okdir"))
		u_die(s->f->p, 1, 0, "%s is not supported: there is nobody to ask", name);
	if (streq(name, "-delete")) {
		s->acted = true;
		s->depth_needed = true;
		return node(s, FIND_DELETE);
	}
	if (streq(name, "-prune")) {
		s->pruned = true;
		return node(s, FIND_PRUNE);
	}
	if (streq(name, "-quit"))
		return node(s, FIND_QUIT);
	return NULL;
}

static struct find_node *parse_primary(struct parser *s)
{
	const char *name = peek(s);
	struct find_node *n;

	s->at++;
	if (streq(name, "(")) {
		if (++s->depth > FIND_DEPTH_MAX)
			u_die(s->f->p, 1, 0, "expression is nested too deeply");
		if (accept(s, ")", NULL))
			u_die(s->f->p, 1, 0, "invalid expression; empty parentheses are not allowed.");
		n = parse_comma(s);
		if (!n || !accept(s, ")", NULL))
			u_die(s->f->p, 1, 0,
			      "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra "
			      "predicate after '('");
		s->depth--;
		return n;
	}
	if (streq(name, ")"))
		u_die(s->f->p, 1, 0, "invalid expression; you have too many ')'");
	if (streq(name, "-a") || streq(name, "-and") || streq(name, "-o") || streq(name, "-or") || streq(name, ","))
		u_die(s->f->p, 1, 0, "invalid expression; you have used a binary operator '%s' with nothing before it.", name);
	if (*name != '-' || !name[1])
		u_die(s->f->p, 1, 0, "paths must precede expression: `%s'", name);
	if (parse_global(s, name))
		return node(s, FIND_TRUE);
	n = parse_test(s, name);
	if (!n)
		n = parse_action(s, name);
	if (!n)
		u_die(s->f->p, 1, 0, "unknown predicate `%s'", name);
	return n;
}

static struct find_node *parse_not(struct parser *s)
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
		struct find_node *not = node(s, FIND_NOT);

		not->a = n;
		return not;
	}
	return n;
}

static struct find_node *binary(struct parser *s, enum find_kind kind, struct find_node *a, struct find_node *b)
{
	struct find_node *n = node(s, kind);

	n->a = a;
	n->b = b;
	return n;
}

static bool at_end(const struct parser *s)
{
	const char *w = peek(s);

	return !w || streq(w, ")");
}

static void need_operand(struct parser *s, const char *op)
{
	if (at_end(s))
		u_die(s->f->p, 1, 0, "expected an expression after '%s'", op);
}

static struct find_node *parse_and(struct parser *s)
{
	struct find_node *n = parse_not(s);

	while (!at_end(s) && !streq(peek(s), "-o") && !streq(peek(s), "-or") && !streq(peek(s), ",")) {
		if (accept(s, "-a", "-and"))
			need_operand(s, s->argv[s->at - 1]);
		n = binary(s, FIND_AND, n, parse_not(s));
	}
	return n;
}

static struct find_node *parse_or(struct parser *s)
{
	struct find_node *n = parse_and(s);

	while (accept(s, "-o", "-or")) {
		need_operand(s, s->argv[s->at - 1]);
		n = binary(s, FIND_OR, n, parse_and(s));
	}
	return n;
}

static struct find_node *parse_comma(struct parser *s)
{
	struct find_node *n = parse_or(s);

	while (accept(s, ",", NULL)) {
		need_operand(s, ",");
		n = binary(s, FIND_COMMA, n, parse_or(s));
	}
	return n;
}

void find_parse(struct find *f, int argc, char **argv)
{
	struct parser s = {.f = f, .argv = argv, .argc = argc};
	struct find_node *n = NULL;

	if (argc > 0) {
		n = parse_comma(&s);
		if (s.at < s.argc)
			u_die(f->p, 1, 0, "invalid expression; you have too many ')'");
	}
	if (s.depth_needed && s.pruned && !f->depth)
		u_die(f->p, 1, 0,
		      "The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If "
		      "you want to carry on anyway, just explicitly use the -depth option.");
	if (s.depth_needed)
		f->depth = true;
	if (!s.acted) {
		struct find_node *print = node(&s, FIND_PRINT);

		n = n ? binary(&s, FIND_AND, n, print) : print;
	}
	f->root = n;
}
