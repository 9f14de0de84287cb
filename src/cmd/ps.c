/*
 * ps.c - the procs of the sandbox.
 *
 * All of them belong to its one user and to no terminal, so selections by those take all or
 * nothing. Time is work done, at about ten nanoseconds a unit; a proc's arguments are not kept,
 * so the command is its name.
 */
#include "identity.h"

#define TICK_NS 10u

enum ps_field { F_PID, F_PPID, F_PGID, F_SID, F_USER, F_UID, F_GROUP, F_GID, F_TTY, F_STAT, F_STATE, F_TIME, F_CPUTIME, F_CPU, F_C, F_MEM,
		F_RSS, F_VSZ, F_NI, F_PRI, F_NLWP, F_START, F_ELAPSED, F_WCHAN, F_COMM, F_CMD, F_ARGS, F_F, F_ADDR, F_SZ };

struct column {
	enum ps_field field;
	const char *title;
};

struct ps {
	struct proc *p;
	uint32_t uid, gid;
	const char *user, *group;
	struct column column[64];
	size_t ncolumns;
	bool bsd, no_title, restricted, given;
	int64_t pid[256], ppid[64];
	size_t npids, nppids;
	const char *name[64];	/* -C */
	size_t nnames;
	const char *sort;
	struct sys_procinfo *v;
	size_t n;
};

static const struct {
	const char *name, *title;
	enum ps_field field;
	int width;
	bool left;
} known[] = {
	{"pid", "PID", F_PID, 5, false},	{"ppid", "PPID", F_PPID, 5, false},	{"pgid", "PGID", F_PGID, 5, false},
	{"pgrp", "PGRP", F_PGID, 5, false},	{"sid", "SID", F_SID, 5, false},	{"sess", "SESS", F_SID, 5, false},
	{"user", "USER", F_USER, 8, true},	{"euser", "EUSER", F_USER, 8, true},	{"ruser", "RUSER", F_USER, 8, true},
	{"uname", "USER", F_USER, 8, true},	{"uid", "UID", F_UID, 5, false},	{"euid", "EUID", F_UID, 5, false},
	{"group", "GROUP", F_GROUP, 8, true},	{"gid", "GID", F_GID, 5, false},	{"tty", "TT", F_TTY, 8, true},
	{"tt", "TT", F_TTY, 8, true},		{"tname", "TTY", F_TTY, 8, true},	{"stat", "STAT", F_STAT, 4, true},
	{"state", "S", F_STATE, 1, true},	{"s", "S", F_STATE, 1, true},		{"time", "TIME", F_TIME, 8, false},
	{"cputime", "TIME", F_TIME, 8, false},	{"%cpu", "%CPU", F_CPU, 4, false},	{"pcpu", "%CPU", F_CPU, 4, false},
	{"c", "C", F_C, 2, false},		{"%mem", "%MEM", F_MEM, 4, false},	{"pmem", "%MEM", F_MEM, 4, false},
	{"rss", "RSS", F_RSS, 5, false},	{"rssize", "RSS", F_RSS, 5, false},	{"vsz", "VSZ", F_VSZ, 6, false},
	{"vsize", "VSZ", F_VSZ, 6, false},	{"ni", "NI", F_NI, 3, false},		{"nice", "NI", F_NI, 3, false},
	{"pri", "PRI", F_PRI, 3, false},	{"nlwp", "NLWP", F_NLWP, 4, false},	{"thcount", "THCNT", F_NLWP, 5, false},
	{"comm", "COMMAND", F_COMM, 15, true},	{"ucmd", "CMD", F_COMM, 15, true},	{"fname", "COMMAND", F_COMM, 8, true},
	{"cmd", "CMD", F_CMD, 27, true},	{"args", "COMMAND", F_ARGS, 27, true},	{"command", "COMMAND", F_ARGS, 27, true},
	{"wchan", "WCHAN", F_WCHAN, 6, true},	{"f", "F", F_F, 1, false},
};

NORETURN static void fail(struct proc *p, const char *text)
{
	const char *all = u_format(p, "error: %s\n\nUsage:\n ps [options]\n\n Try 'ps --help' for additional help text.\n", text);

	u_flush(u_stdout(p));
	u_write_all(p, 2, all, strlen(all));
	u_exit(p, 1);
}

static void add_column(struct ps *s, const char *name, size_t n, const char *title)
{
	for (size_t i = 0; i < COUNTOF(known); i++) {
		if (strlen(known[i].name) != n || memcmp(known[i].name, name, n) != 0)
			continue;
		if (s->ncolumns == COUNTOF(s->column))
			fail(s->p, "too many columns");
		s->column[s->ncolumns++] = (struct column){known[i].field, title ? title : known[i].title};
		return;
	}
	fail(s->p, u_format(s->p, "unknown user-defined format specifier \"%.*s\"", (int)n, name));
}

/* pid,ppid=PARENT,comm=: a title ends the list. */
static void add_format(struct ps *s, const char *format)
{
	while (*format) {
		size_t n = strcspn(format, ", ="), k = n;

		if (format[n] == '=') {
			add_column(s, format, n, format + n + 1);
			return;
		}
		if (n)
			add_column(s, format, n, NULL);
		format += k + (format[k] != '\0');
	}
}

static void add_formats(struct ps *s, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_format(s, names[i]);
}

static void add_numbers(struct ps *s, const char *list, int64_t *v, size_t *n, size_t max, const char *message)
{
	while (*list) {
		const char *end;
		int64_t number = num_i64(list, &end, 10, NULL);

		if (end == list || (*end && *end != ',' && *end != ' ') || *n == max)
			fail(s->p, message);
		v[(*n)++] = number;
		list = end + (*end != '\0');
	}
	s->restricted = true;
}

static void select_user(struct ps *s, const char *list)
{
	bool found = false;

	while (*list) {
		size_t n = strcspn(list, ",");
		const char *name = u_strndup(s->p, list, n), *end;
		uint32_t uid;

		if (!u_user_id(s->p, name, &uid)) {
			uid = (uint32_t)num_u64(name, &end, 10, NULL);
			if (end == name || *end)
				fail(s->p, "user name does not exist");
		}
		found |= uid == s->uid;
		list += n + (list[n] == ',');
	}
	s->given = true;
	if (!found) {
		/* Nothing here is another user's. */
		s->restricted = true;
	}
}

/* ---- Options: those of UNIX and of BSD, which have no dash --------------------------------- */

static const char *argument(struct ps *s, const char *rest, int argc, char **argv, int *i, const char *message)
{
	if (*rest)
		return rest;
	if (*i + 1 >= argc)
		fail(s->p, message);
	return argv[++*i];
}

static const char *const full[] = {"user=UID", "pid", "ppid", "c", "tname"};

static void full_format(struct ps *s)
{
	add_formats(s, full, COUNTOF(full));
	s->column[s->ncolumns++] = (struct column){F_START, "STIME"};
	add_format(s, "tname");
	s->ncolumns--;
	/* STIME stands before TTY. */
	s->column[s->ncolumns] = s->column[s->ncolumns - 2];
	s->column[s->ncolumns - 2] = s->column[s->ncolumns - 1];
	s->column[s->ncolumns - 1] = s->column[s->ncolumns];
	add_format(s, "time");
	add_format(s, "cmd");
}

static void unix_options(struct ps *s, int argc, char **argv, int *i)
{
	for (const char *o = argv[*i] + 1; *o; o++) {
		switch (*o) {
		case 'e':
		case 'A':
		case 'a':
		case 'd':
		case 'N':
		case 'w':
		case 'x': break;
		case 'f': full_format(s); break;
		case 'l': add_format(s, "s,uid,pid,ppid,c,pri,ni,wchan,tname,time,comm"); break;
		case 'j': add_format(s, "pid,pgid,sid,tname,time,cmd"); break;
		case 'h': s->no_title = true; break;
		case 'o': add_format(s, argument(s, o + 1, argc, argv, i, "format specification must follow -o")); return;
		case 'p':
		case 'q':
			add_numbers(s, argument(s, o + 1, argc, argv, i, "list of process IDs must follow -p"), s->pid, &s->npids,
				    COUNTOF(s->pid), "process ID list syntax error");
			return;
		case 'u':
		case 'U': select_user(s, argument(s, o + 1, argc, argv, i, "list of users must follow -u")); return;
		case 'C':
			if (s->nnames == COUNTOF(s->name))
				fail(s->p, "too many names");
			s->name[s->nnames++] = argument(s, o + 1, argc, argv, i, "list of command names must follow -C");
			s->restricted = true;
			return;
		case 't': argument(s, o + 1, argc, argv, i, "list of terminals (pty, tty...) must follow -t"); s->restricted = true; return;
		case 'V': u_version(s->p);
		default: fail(s->p, "unsupported SysV option");
		}
	}
}

static void bsd_options(struct ps *s, const char *word, int argc, char **argv, int *i)
{
	s->bsd = true;
	for (const char *o = word; *o; o++) {
		switch (*o) {
		case 'a':
		case 'x':
		case 'w':
		case 'e':
		case 'f': break;
		case 'u':
			add_format(s, "user,pid,%cpu,%mem,vsz,rss,tname,stat");
			s->column[s->ncolumns++] = (struct column){F_START, "START"};
			s->column[s->ncolumns++] = (struct column){F_CPUTIME, "TIME"};
			add_format(s, "command");
			break;
		case 'h': s->no_title = true; break;
		case 'o': add_format(s, argument(s, o + 1, argc, argv, i, "format specification must follow o")); return;
		case 'p':
			add_numbers(s, argument(s, o + 1, argc, argv, i, "list of process IDs must follow p"), s->pid, &s->npids,
				    COUNTOF(s->pid), "process ID list syntax error");
			return;
		default: fail(s->p, "unsupported option (BSD syntax)");
		}
	}
}

static const char *long_value(const char *word, const char *name, int argc, char **argv, int *i)
{
	size_t n = strlen(name);

	if (strncmp(word, name, n) != 0 || (word[n] && word[n] != '='))
		return NULL;
	if (word[n] == '=')
		return word + n + 1;
	return *i + 1 < argc ? argv[++*i] : NULL;
}

static void long_option(struct ps *s, int argc, char **argv, int *i)
{
	const char *w = argv[*i], *v;

	if ((v = long_value(w, "--sort", argc, argv, i)))
		s->sort = v;
	else if ((v = long_value(w, "--format", argc, argv, i)))
		add_format(s, v);
	else if ((v = long_value(w, "--pid", argc, argv, i)))
		add_numbers(s, v, s->pid, &s->npids, COUNTOF(s->pid), "process ID list syntax error");
	else if ((v = long_value(w, "--ppid", argc, argv, i)))
		add_numbers(s, v, s->ppid, &s->nppids, COUNTOF(s->ppid), "process ID list syntax error");
	else if ((v = long_value(w, "--user", argc, argv, i)) || (v = long_value(w, "--User", argc, argv, i)))
		select_user(s, v);
	else if (streq(w, "--no-headers") || streq(w, "--no-headings") || streq(w, "--no-heading") || streq(w, "--noheader") ||
		 streq(w, "--noheaders") || streq(w, "--no-header"))
		s->no_title = true;
	else if (!streq(w, "--forest") && !streq(w, "--headers") && !long_value(w, "--cols", argc, argv, i) &&
		 !long_value(w, "--columns", argc, argv, i) && !long_value(w, "--width", argc, argv, i))
		fail(s->p, "unknown gnu long option");
}

static void read_options(struct ps *s, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "--", 2) == 0)
			long_option(s, argc, argv, &i);
		else if (argv[i][0] == '-')
			unix_options(s, argc, argv, &i);
		else if (ascii_digit(argv[i][0]))
			add_numbers(s, argv[i], s->pid, &s->npids, COUNTOF(s->pid), "process ID list syntax error"), s->bsd = true;
		else
			bsd_options(s, argv[i], argc, argv, &i);
	}
}

/* ---- The procs ---------------------------------------------------------------------------- */

static bool in_list(int64_t n, const int64_t *v, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (v[i] == n)
			return true;
	}
	return false;
}

static bool wanted(const struct ps *s, const struct sys_procinfo *i)
{
	if (!s->restricted)
		return true;
	for (size_t k = 0; k < s->nnames; k++) {
		size_t n = strlen(i->name);

		for (const char *w = s->name[k]; *w; w += strcspn(w, ","), w += *w == ',') {
			if (strcspn(w, ",") == n && memcmp(w, i->name, n) == 0)
				return true;
		}
	}
	return in_list(i->pid, s->pid, s->npids) || in_list(i->ppid, s->ppid, s->nppids);
}

static void collect(struct ps *s)
{
	struct sys_procinfo info;
	size_t cap = 0;

	for (size_t i = 0; sys_proc_at(s->p, i, &info) >= 0; i++) {
		if (!wanted(s, &info))
			continue;
		if (s->n == cap) {
			size_t more = cap ? cap * 2 : 32;

			s->v = arena_grow(&sys_self(s->p)->arena, s->v, cap * sizeof(info), more * sizeof(info));
			cap = more;
		}
		s->v[s->n++] = info;
	}
}

static int64_t compare_by(const char *key, size_t n, const struct sys_procinfo *a, const struct sys_procinfo *b)
{
	static const struct {
		const char *name;
		int by;
	} keys[] = {{"pid", 0}, {"ppid", 1}, {"pgid", 2}, {"rss", 3}, {"%mem", 3}, {"pmem", 3}, {"vsz", 3}, {"%cpu", 4}, {"pcpu", 4}, {"time", 4},
		    {"cputime", 4}, {"comm", 5}, {"cmd", 5}, {"args", 5}, {"command", 5}};

	for (size_t i = 0; i < COUNTOF(keys); i++) {
		if (strlen(keys[i].name) != n || memcmp(keys[i].name, key, n) != 0)
			continue;
		switch (keys[i].by) {
		case 0: return a->pid - b->pid;
		case 1: return a->ppid - b->ppid;
		case 2: return a->pgid - b->pgid;
		case 3: return (a->memory > b->memory) - (a->memory < b->memory);
		case 4: return (a->ticks > b->ticks) - (a->ticks < b->ticks);
		default: return strcmp(a->name, b->name);
		}
	}
	return 0;
}

static int64_t compare(const struct ps *s, const struct sys_procinfo *a, const struct sys_procinfo *b)
{
	for (const char *k = s->sort ? s->sort : "pid"; *k;) {
		bool down = *k == '-';
		size_t n;
		int64_t c;

		k += *k == '-' || *k == '+';
		n = strcspn(k, ",");
		c = compare_by(k, n, a, b);
		if (c)
			return down ? -c : c;
		k += n + (k[n] == ',');
	}
	return 0;
}

static void sort(struct ps *s)
{
	for (size_t i = 1; i < s->n; i++) {
		struct sys_procinfo x = s->v[i];
		size_t k = i;

		for (; k > 0 && compare(s, &s->v[k - 1], &x) > 0; k--)
			s->v[k] = s->v[k - 1];
		s->v[k] = x;
		sys_checkpoint_n(s->p, (uint32_t)MIN(i, (size_t)100000));
	}
}

static const char *duration(struct proc *p, uint64_t ticks, bool bsd)
{
	uint64_t sec = ticks * TICK_NS / 1000000000u;

	if (bsd)
		return u_format(p, "%llu:%02u", (unsigned long long)(sec / 60), (unsigned)(sec % 60));
	return u_format(p, "%02llu:%02u:%02u", (unsigned long long)(sec / 3600), (unsigned)(sec / 60 % 60), (unsigned)(sec % 60));
}

static const char *text_of(struct ps *s, enum ps_field f, const struct sys_procinfo *i)
{
	uint64_t limit = sys_limit(s->p, SYS_LIMIT_MEMORY);

	switch (f) {
	case F_PID: return u_format(s->p, "%d", i->pid);
	case F_PPID: return u_format(s->p, "%d", i->ppid);
	case F_PGID: return u_format(s->p, "%d", i->pgid);
	case F_SID: return "1";
	case F_USER: return s->user;
	case F_GROUP: return s->group;
	case F_UID: return u_format(s->p, "%u", s->uid);
	case F_GID: return u_format(s->p, "%u", s->gid);
	case F_TTY: return "?";
	case F_STAT:
	case F_STATE: return u_format(s->p, "%c", i->state);
	case F_TIME: return duration(s->p, i->ticks, s->bsd && s->ncolumns < 6);
	case F_CPUTIME: return duration(s->p, i->ticks, true);
	case F_CPU: return "0.0";
	case F_C:
	case F_NI:
	case F_F: return "0";
	case F_PRI: return "80";
	case F_NLWP: return "1";
	case F_MEM: return u_format(s->p, "%.1f", limit ? 100.0 * (double)i->memory / (double)limit : 0.0);
	case F_RSS:
	case F_VSZ:
	case F_SZ: return u_format(s->p, "%llu", (unsigned long long)((i->memory + 1023) / 1024));
	case F_COMM:
	case F_CMD:
	case F_ARGS: return u_strdup(s->p, i->name);
	default: return "-";
	}
}

static void shape_of(enum ps_field f, int *width, bool *left)
{
	*width = f == F_START ? 5 : f == F_CPUTIME ? 6 : 4;
	*left = false;
	for (size_t i = 0; i < COUNTOF(known); i++) {
		if (known[i].field == f) {
			*width = known[i].width;
			*left = known[i].left;
			return;
		}
	}
}

static void put_row(struct ps *s, const struct sys_procinfo *i)
{
	struct u_out *o = u_stdout(s->p);

	for (size_t c = 0; c < s->ncolumns; c++) {
		const char *text = i ? text_of(s, s->column[c].field, i) : s->column[c].title;
		int width;
		bool left;

		shape_of(s->column[c].field, &width, &left);
		if (i || *s->column[c].title)
			width = MAX(width, (int)strlen(s->column[c].title));
		if (c + 1 == s->ncolumns && left)
			width = 0;
		u_printf(o, left ? "%s%-*s" : "%s%*s", c ? " " : "", width, text);
	}
	u_putc(o, '\n');
}

static int ps_main(struct proc *p, const struct cmd_args *a)
{
	struct ps *s = u_zalloc(p, sizeof(*s));
	bool titles = false;

	s->p = p;
	identity_get(p, &s->uid, &s->gid);
	s->user = u_user_name(p, s->uid);
	s->group = u_group_name(p, s->gid);
	s->user = s->user ? s->user : u_format(p, "%u", s->uid);
	s->group = s->group ? s->group : u_format(p, "%u", s->gid);
	read_options(s, a->argc, a->argv);
	if (!s->ncolumns && s->bsd) {
		add_format(s, "pid,tname,stat");
		s->column[s->ncolumns++] = (struct column){F_CPUTIME, "TIME"};
		add_format(s, "command");
	} else if (!s->ncolumns) {
		add_format(s, "pid,tname,time,ucmd");
	}
	collect(s);
	sort(s);
	for (size_t i = 0; i < s->ncolumns; i++)
		titles |= *s->column[i].title != '\0';
	if (titles && !s->no_title)
		put_row(s, NULL);
	for (size_t i = 0; i < s->n; i++)
		put_row(s, &s->v[i]);
	return s->n == 0;
}

static const struct cmd_example examples[] = {
	{"ps -o comm= -C ps", "ps\n"},
	{"ps -p 99999; echo $?", "  PID TTY          TIME CMD\n1\n"},
};

const struct cmd cmd_ps = {
	.name = "ps",
	.summary = "report a snapshot of the procs of the sandbox",
	.synopsis = "[OPTION]...",
	.description =
		"  -e, -A, a, x       all procs (always so)\n"
		"  -p LIST, -q LIST   by number; also without -p\n"
		"  -C LIST            by name\n"
		"  --ppid LIST        by parent\n"
		"  -u LIST, -U LIST   by user: all or none\n"
		"  -f, -l, -j, u      full, long, jobs and BSD's user format\n"
		"  -o FORMAT          columns: pid ppid pgid sid user uid group gid tty stat state time %cpu %mem rss\n"
		"                     vsz ni pri nlwp comm cmd args wchan; NAME=TITLE gives a title\n"
		"  --sort KEYS        by pid ppid pgid rss %mem time %cpu comm; -KEY from the largest\n"
		"  -h, --no-headers   no line of titles\n"
		"Arguments of procs are not kept: a command is its name.",
	.raw = true,
	.main = ps_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
