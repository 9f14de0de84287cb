/* primary.c - the words of find's expression: its tests and actions. */
#include "parser.h"

#include <math.h>

static bool parse_number(const char *s, struct find_number *out)
{
	bool overflow;
	const char *end;

	*out = (struct find_number){0};
	if (*s == '+' || *s == '-')
		out->sign = *s++ == '+' ? 1 : -1;
	if (*s == '+')
		s++;
	while (ascii_space(*s))
		s++;
	if (!ascii_digit(*s))
		return false;
	out->n = num_u64(s, &end, 10, &overflow);
	return !*end && !overflow;
}

/* GNU find words a missing number as a wrong one. */
static void number_or_die(struct find_parser *s, const char *name, struct find_number *out)
{
	const char *arg = s->at < s->argc ? s->argv[s->at++] : name;

	if (!parse_number(arg, out))
		u_die(s->f->p, 1, 0, "invalid argument `%s' to `%s'", arg, name);
}

static void parse_size(struct find_parser *s, struct find_node *n, const char *arg)
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

static uint32_t parse_types(struct find_parser *s, const char *name, const char *arg)
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
		case 'D':
			u_die(s->f->p, 1, 0,
			      "%s D is not supported because Solaris doors are not supported on the platform find was compiled on.", name);
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

static void stat_or_die(struct find_parser *s, const char *path, struct sys_stat *st)
{
	int e = sys_stat(s->f->p, path, s->f->walk_flags ? 0 : SYS_NOFOLLOW, st);

	if (e < 0)
		u_die(s->f->p, 1, e, "%s", u_quote(s->f->p, path));
}

/* -newerXY */
static struct find_node *parse_newer(struct find_parser *s, const char *name)
{
	char x = name[6], y = name[7];
	struct find_node *n = find_node_new(s, FIND_NEWER);
	struct sys_stat st;
	const char *arg;

	if (s->at >= s->argc && y == 't')
		u_die(s->f->p, 1, 0, "The %s test needs an argument", u_quote(s->f->p, name));
	arg = s->argv[s->at++];

	n->which = x;
	if (y == 't') {
		if (!u_time_parse(s->f->p, arg, s->f->start, s->f->tz, &n->when))
			u_die(s->f->p, 1, 0, "I cannot figure out how to interpret %s as a date or time",
			      u_quote(s->f->p, arg));
		return n;
	}
	stat_or_die(s, arg, &st);
	n->when = stat_time(&st, y);
	return n;
}

static struct find_node *parse_perm(struct find_parser *s)
{
	struct find_node *n = find_node_new(s, FIND_PERM);
	const char *arg = find_argument(s, "-perm"), *mode = arg;
	const struct u_mode *m;

	if (*mode == '-' || *mode == '/')
		n->which = *mode++;
	m = u_mode_parse(s->f->p, mode);
	if (!m || !*mode || (mode == arg && *mode == '+' && ascii_digit(mode[1])))
		u_die(s->f->p, 1, 0, "invalid mode %s", u_quote(s->f->p, arg));
	n->num.n = u_mode_apply(m, 0, false, 0);
	n->unit = u_mode_apply(m, 0, true, 0); /* X counts for directories */
	if (n->which == '/' && !n->num.n)
		u_warn(s->f->p, 0,
		       "warning: you have specified a mode pattern %s (which is equivalent to /000). The meaning of -perm /000 has "
		       "now been changed to be consistent with -perm -000; that is, while it used to match no files, it now "
		       "matches all files.",
		       arg);
	return n;
}

static void checkpoint(void *ctx)
{
	sys_checkpoint(ctx);
}

static struct find_node *parse_regex(struct find_parser *s, const char *name)
{
	struct find_node *n = find_node_new(s, FIND_REGEX);
	const char *arg = find_argument(s, name);
	struct regex_error err;

	n->icase = name[1] == 'i';
	n->regex = regex_compile(&sys_self(s->f->p)->arena, arg, strlen(arg),
				 s->f->regex_dialect | REGEX_LINE | REGEX_ANCHORS | (n->icase ? REGEX_ICASE : 0) |
					 (u_utf8(s->f->p) ? REGEX_UTF8 : 0),
				 &err);
	if (!n->regex)
		u_die(s->f->p, 1, 0, "failed to compile regular expression '%s': %s", arg, err.message);
	n->scratch = regex_scratch_new(&sys_self(s->f->p)->arena, n->regex, checkpoint, s->f->p);
	return n;
}

void find_regextype(struct find_parser *s)
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
	const char *arg = find_argument(s, "-regextype");

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

static struct find_node *parse_exec(struct find_parser *s, const char *name)
{
	struct find_node *n = find_node_new(s, FIND_EXEC);
	struct find_exec *x = u_zalloc(s->f->p, sizeof(*x));
	int from = s->at;

	x->in_dir = strstr(name, "dir") != NULL;
	x->ask = name[1] == 'o';
	s->f->asks |= x->ask;
	for (; s->at < s->argc; s->at++) {
		const char *w = s->argv[s->at];

		if (streq(w, ";"))
			break;
		if (!x->ask && streq(w, "+") && s->at > from && strstr(s->argv[s->at - 1], "{}")) {
			if (!streq(s->argv[s->at - 1], "{}"))
				u_die(s->f->p, 1, 0, "In %s the '{}' must appear by itself, but you specified %s",
				      u_quote(s->f->p, u_format(s->f->p, "%s ... {} +", name)),
				      u_quote(s->f->p, s->argv[s->at - 1]));
			x->batch = true;
			break;
		}
	}
	if (s->at >= s->argc)
		u_die(s->f->p, 1, 0, "missing argument to `%s'", name);
	if (s->at == from)
		u_die(s->f->p, 1, 0, "invalid argument `;' to `%s'", name);
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

/* The file of -fprint and friends: opened even when nothing is written to it, and once however often it is named. */
static struct u_out *open_output(struct find_parser *s, const char *path)
{
	struct find *f = s->f;
	struct find_output *o;
	int fd;

	if (streq(path, "/dev/stdout"))
		return u_stdout(f->p);
	fd = streq(path, "/dev/stderr") ? 2 : sys_open(f->p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);
	if (fd < 0)
		u_die(f->p, 1, fd, "%s", u_quote(f->p, path));
	for (o = f->outputs; o; o = o->next) {
		if (o->out.fd == fd || (fd != 2 && o->out.fd != 2 && sys_same_file(f->p, o->out.fd, fd)))
			return &o->out;
	}
	o = u_zalloc(f->p, sizeof(*o));
	u_out_init(&o->out, f->p, fd, 0);
	o->path = path;
	o->next = f->outputs;
	f->outputs = o;
	return &o->out;
}

static struct find_node *parse_output(struct find_parser *s, const char *name)
{
	bool file = name[1] == 'f';
	const char *what = name + (file ? 2 : 1);
	struct find_node *n = find_node_new(s, streq(what, "print0") ? FIND_PRINT0 : streq(what, "printf") ? FIND_PRINTF :
				      streq(what, "ls") ? FIND_LS : FIND_PRINT);

	if (file)
		n->out = open_output(s, find_argument(s, name));
	if (n->kind == FIND_PRINTF) {
		n->text = find_argument(s, name);
		find_format_check(s->f, n->text);
	}
	s->acted = true;
	return n;
}

static struct find_node *parse_owner(struct find_parser *s, const char *name, bool user)
{
	struct find_node *n = find_node_new(s, user ? FIND_UID : FIND_GID);
	const char *arg;
	uint32_t id;

	if (streq(name, "-uid") || streq(name, "-gid")) {
		number_or_die(s, name, &n->num);
		return n;
	}
	arg = find_argument(s, name);
	if (!*arg && streq(name, "-user"))
		u_die(s->f->p, 1, 0, "The argument to -user should not be empty");
	if (!*arg && streq(name, "-group"))
		u_die(s->f->p, 1, 0, "argument to -group is empty, but should be a group name");
	if (user ? u_user_id(s->f->p, arg, &id) : u_group_id(s->f->p, arg, &id)) {
		n->num.n = id;
	} else if (!parse_number(arg, &n->num) || n->num.sign) {
		if (user)
			u_die(s->f->p, 1, 0, "%s is not the name of a known user", u_quote(s->f->p, arg));
		u_die(s->f->p, 1, 0, "%s is not the name of an existing group", u_quote(s->f->p, arg));
	}
	return n;
}

/* [+-]NUMBER with a fraction: the number is seconds before `origin` in units of `unit`. */
static void parse_ago(struct find_parser *s, const char *name, const char *arg, struct find_node *n, struct sys_time origin, int unit)
{
	const char *number = arg, *end;
	double seconds, whole, nano;

	if (*number == '+' || *number == '-')
		n->num.sign = *number++ == '+' ? 1 : -1;
	seconds = num_double(number, &end) * unit;
	if (end == number || *end || !(seconds == seconds))
		u_die(s->f->p, 1, 0, "invalid argument `%s' to `%s'", arg, name);
	if (seconds > 9e18 || seconds < -9e18)
		seconds = seconds > 0 ? 9e18 : -9e18;
	whole = trunc(seconds);
	nano = (seconds - whole) * 1e9;
	if (__builtin_sub_overflow(origin.sec, (int64_t)whole, &n->when.sec))
		n->when.sec = whole > 0 ? INT64_MIN : INT64_MAX;
	n->when.nsec = origin.nsec - (int32_t)nano;
	if (n->when.nsec < 0) {
		n->when.nsec += 1000000000;
		n->when.sec -= n->when.sec != INT64_MIN;
	} else if (n->when.nsec >= 1000000000) {
		n->when.nsec -= 1000000000;
		n->when.sec += n->when.sec != INT64_MAX;
	}
	n->unit = (uint64_t)unit;
}

/* A day that lies n days back has begun n + 1 days ago; what is newer than n days is so by a second's grace, as in GNU. */
static struct find_node *parse_time(struct find_parser *s, const char *name)
{
	struct find_node *n = find_node_new(s, FIND_TIME);
	const char *arg = find_argument(s, name);
	struct sys_time origin = s->f->now;

	n->which = name[1];
	if (streq(name + 2, "min")) {
		parse_ago(s, name, arg, n, origin, 60);
		return n;
	}
	origin.sec -= *arg == '-' ? 1 : 86400;
	parse_ago(s, name, arg, n, origin, 86400);
	return n;
}

static struct find_node *parse_pattern(struct find_parser *s, const char *name)
{
	struct find_node *n = find_node_new(s, strstr(name, "lname") ? FIND_LNAME :
					       strstr(name, "path") || strstr(name, "whole") ? FIND_PATH : FIND_NAME);
	size_t len;

	n->icase = name[1] == 'i';
	n->text = find_argument(s, name);
	len = strlen(n->text);
	if (!s->f->warn)
		return n;
	if (n->kind == FIND_NAME && strchr(n->text, '/') && !streq(n->text, "/"))
		u_warn(s->f->p, 0,
		       "warning: %s matches against basenames only, but the given pattern contains a directory separator ('/'), "
		       "thus the expression will evaluate to false all the time.  Did you mean '%s'?",
		       u_quote(s->f->p, name), n->icase ? "-iwholename" : "-wholename");
	if (n->kind == FIND_PATH && len > 1 && n->text[len - 1] == '/')
		u_warn(s->f->p, 0, "warning: %s %s will not match anything because it ends with /.", name, n->text);
	return n;
}

static struct find_node *parse_test(struct find_parser *s, const char *name)
{
	struct find_node *n;

	if (streq(name, "-name") || streq(name, "-iname") || streq(name, "-lname") || streq(name, "-ilname") ||
	    streq(name, "-path") || streq(name, "-ipath") || streq(name, "-wholename") || streq(name, "-iwholename"))
		return parse_pattern(s, name);
	if (streq(name, "-type") || streq(name, "-xtype")) {
		n = find_node_new(s, name[1] == 't' ? FIND_TYPE : FIND_XTYPE);
		n->types = parse_types(s, name, find_argument(s, name));
		return n;
	}
	if (streq(name, "-size")) {
		n = find_node_new(s, FIND_SIZE);
		parse_size(s, n, find_argument(s, name));
		return n;
	}
	if (strchr("acm", name[1]) && name[1] && (streq(name + 2, "time") || streq(name + 2, "min")))
		return parse_time(s, name);
	if (streq(name, "-newer") || streq(name, "-anewer") || streq(name, "-cnewer")) {
		if (s->at >= s->argc)
			find_argument(s, name);
		return parse_newer(s, name[1] == 'n' ? "-newermm" : name[1] == 'a' ? "-neweram" : "-newercm");
	}
	if (strncmp(name, "-newer", 6) == 0) {
		if (strlen(name) != 8 || !strchr("aBcm", name[6]) || !strchr("aBcmt", name[7]) || (s->at >= s->argc && name[7] != 't'))
			u_die(s->f->p, 1, 0, "invalid predicate `%s'", name);
		return parse_newer(s, name);
	}
	if (streq(name, "-regex") || streq(name, "-iregex"))
		return parse_regex(s, name);
	if (streq(name, "-perm"))
		return parse_perm(s);
	if (streq(name, "-user") || streq(name, "-uid"))
		return parse_owner(s, name, true);
	if (streq(name, "-group") || streq(name, "-gid"))
		return parse_owner(s, name, false);
	if (streq(name, "-used")) {
		n = find_node_new(s, FIND_USED);
		parse_ago(s, name, find_argument(s, name), n, (struct sys_time){0}, 86400);
		return n;
	}
	if (streq(name, "-inum") || streq(name, "-links")) {
		n = find_node_new(s, name[1] == 'i' ? FIND_INUM : FIND_LINKS);
		number_or_die(s, name, &n->num);
		return n;
	}
	if (streq(name, "-samefile")) {
		struct sys_stat st;

		n = find_node_new(s, FIND_SAMEFILE);
		stat_or_die(s, find_argument(s, name), &st);
		n->dev = st.dev;
		n->ino = st.ino;
		return n;
	}
	if (streq(name, "-context"))
		u_die(s->f->p, 1, 0, "invalid predicate -context: SELinux is not enabled.");
	if (streq(name, "-fstype")) {
		n = find_node_new(s, FIND_FSTYPE);
		n->text = find_argument(s, name);
		return n;
	}
	if (streq(name, "-readable") || streq(name, "-writable") || streq(name, "-executable")) {
		n = find_node_new(s, FIND_ACCESS);
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
			return find_node_new(s, plain[i].kind);
	return NULL;
}

static struct find_node *parse_action(struct find_parser *s, const char *name)
{
	if (streq(name, "-print") || streq(name, "-print0") || streq(name, "-printf") || streq(name, "-ls") ||
	    streq(name, "-fprint") || streq(name, "-fprint0") || streq(name, "-fls"))
		return parse_output(s, name);
	if (streq(name, "-fprintf")) {
		struct find_node *n = find_node_new(s, FIND_PRINTF);

		n->out = open_output(s, find_argument(s, name));
		if (s->at >= s->argc)
			u_die(s->f->p, 1, 0, "invalid argument `%s' to `%s'", s->argv[s->at - 1], name);
		n->text = find_argument(s, name);
		find_format_check(s->f, n->text);
		s->acted = true;
		return n;
	}
	if (streq(name, "-exec") || streq(name, "-execdir") || streq(name, "-ok") || streq(name, "-okdir"))
		return parse_exec(s, name);
	if (streq(name, "-delete")) {
		s->acted = true;
		s->depth_needed = true;
		return find_node_new(s, FIND_DELETE);
	}
	if (streq(name, "-prune")) {
		s->pruned = true;
		return find_node_new(s, FIND_PRUNE);
	}
	if (streq(name, "-quit"))
		return find_node_new(s, FIND_QUIT);
	return NULL;
}

struct find_node *find_primary(struct find_parser *s, const char *name)
{
	struct find_node *n = parse_test(s, name);

	return n ? n : parse_action(s, name);
}
