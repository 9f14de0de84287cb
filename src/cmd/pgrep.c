/* pgrep.c - pgrep and pkill: the procs of the sandbox that match a pattern; told, or sent a signal. */
#include "../regex/regex.h"
#include "cmd.h"
#include "identity.h"

#define NAME_MAX_LEN 15 /* of a process name on Linux */
#define LINE_MAX_LEN 65536

struct pgrep {
	const char *delimiter, *parents, *groups, *users, *signal;
	bool list_name, list_full, invert, count, full, ignore_case, newest, oldest, exact, echo;
	struct proc *p;
	bool kills;
	struct regex *re;
	struct regex_scratch *scratch;
};

#define COMMON_OPTS \
	CMD_FLAG(struct pgrep, count, 'c', "count", "print how many match"), \
	CMD_FLAG(struct pgrep, full, 'f', "full", "match the whole command line, not only the name"), \
	CMD_STRING(struct pgrep, groups, 'g', "pgroup", "PGID,...", "only of these process groups; 0: the own one"), \
	CMD_FLAG(struct pgrep, ignore_case, 'i', "ignore-case", "small and capital letters are the same"), \
	CMD_FLAG(struct pgrep, newest, 'n', "newest", "only the one that was started last"), \
	CMD_FLAG(struct pgrep, oldest, 'o', "oldest", "only the one that was started first"), \
	CMD_STRING(struct pgrep, parents, 'P', "parent", "PPID,...", "only children of these"), \
	CMD_STRING(struct pgrep, users, 'u', "euid", "USER,...", "only of these users"), \
	CMD_STRING(struct pgrep, users, 'U', "uid", "USER,...", "the same"), \
	CMD_FLAG(struct pgrep, exact, 'x', "exact", "the pattern matches as a whole")

static const struct cmd_opt pgrep_opts[] = {
	CMD_STRING(struct pgrep, delimiter, 'd', "delimiter", "STRING", "between the numbers (newline)"),
	CMD_FLAG(struct pgrep, list_name, 'l', "list-name", "print the name too"),
	CMD_FLAG(struct pgrep, list_full, 'a', "list-full", "print the command line too"),
	CMD_FLAG(struct pgrep, invert, 'v', "inverse", "those that do not match"),
	COMMON_OPTS,
};

static const struct cmd_opt pkill_opts[] = {
	CMD_STRING(struct pgrep, signal, '\0', "signal", "SIGNAL", "the signal to send (TERM); also as -SIGNAL"),
	CMD_FLAG(struct pgrep, echo, 'e', "echo", "tell what is killed"),
	COMMON_OPTS,
};

/* pkill -9, pkill -TERM; -Uroot is no signal. */
static char **rewrite_signal(struct proc *p, int *argc, char **argv)
{
	char **v = u_array(p, (size_t)*argc + 1, sizeof(*v));
	bool done = false;

	for (int i = 0; i < *argc; i++) {
		done = done || (i > 0 && streq(argv[i], "--"));
		v[i] = !done && i > 0 && argv[i][0] == '-' && argv[i][1] && u_signal_number(argv[i] + 1) >= 0
		               ? u_format(p, "--signal=%s", argv[i] + 1)
		               : argv[i];
	}
	v[*argc] = NULL;
	return v;
}

static void checkpoint(void *ctx)
{
	sys_checkpoint_n(ctx, 4096);
}

/* Whether n is in a list of numbers; 0 there stands for `own`. */
static bool listed(struct pgrep *g, const char *list, int n, int own)
{
	bool found = false;

	for (const char *at = list;; at++) {
		const char *end;
		bool overflow = false;
		int64_t v = num_i64(at, &end, 10, &overflow);

		if (end == at || overflow || (*end && *end != ','))
			u_die(g->p, 2, 0, "not a number: %s", at);
		found |= (v ? v : own) == n;
		at = end;
		if (!*at)
			return found;
	}
}

/* All procs are the sandbox's one user's. */
static bool is_user(struct pgrep *g)
{
	uint32_t own, group;
	bool found = false;

	identity_get(g->p, &own, &group);
	for (const char *at = g->users;; at++) {
		const char *comma = at + strcspn(at, ","), *end, *name = u_strndup(g->p, at, (size_t)(comma - at));
		uint32_t uid;

		if (!u_user_id(g->p, name, &uid)) {
			uid = (uint32_t)num_u64(name, &end, 10, NULL);
			if (end == name || *end)
				u_die(g->p, 2, 0, "invalid user name: %s", name);
		}
		found |= uid == own;
		at = comma;
		if (!*at)
			return found;
	}
}

/* What was called, with blanks between; the name where that cannot be read. */
static struct str command_line(struct pgrep *g, const struct sys_procinfo *i)
{
	int fd = sys_open(g->p, u_format(g->p, "/proc/%d/cmdline", i->pid), SYS_O_READ, 0);
	char *s = u_alloc(g->p, LINE_MAX_LEN);
	int64_t n = fd < 0 ? 0 : sys_read(g->p, fd, s, LINE_MAX_LEN);

	if (fd >= 0)
		sys_close(g->p, fd);
	while (n > 0 && !s[n - 1])
		n--;
	for (int64_t k = 0; k < n; k++)
		s[k] = s[k] ? s[k] : ' ';
	return n > 0 ? (struct str){s, (size_t)n} : str_from(u_strdup(g->p, i->name));
}

static bool matches(struct pgrep *g, const struct sys_procinfo *i)
{
	struct str text = g->full && g->re ? command_line(g, i) : (struct str){i->name, MIN(strlen(i->name), (size_t)NAME_MAX_LEN)};
	int r;

	if (g->parents && !listed(g, g->parents, i->ppid, 0))
		return false;
	if (g->groups && !listed(g, g->groups, i->pgid, sys_getpgid(g->p)))
		return false;
	if (g->users && !is_user(g))
		return false;
	if (!g->re)
		return true;
	r = regex_search(g->re, g->scratch, text.ptr, text.len, 0, 0, NULL, 0);
	if (r < 0)
		u_die(g->p, 3, 0, "%s", regex_failure(r));
	return r == 1;
}

static bool tell(struct pgrep *g, const struct sys_procinfo *i, size_t before, int sig)
{
	struct u_out *o = u_stdout(g->p);
	struct str line;

	if (g->kills) {
		int e = sys_kill(g->p, i->pid, sig);

		if (e < 0)
			u_warn(g->p, e, "killing pid %d failed", i->pid);
		else if (g->echo)
			u_printf(o, "%s killed (pid %d)\n", i->name, i->pid);
		return e >= 0;
	}
	if (g->count)
		return true;
	u_printf(o, "%s%d", before ? g->delimiter ? g->delimiter : "\n" : "", i->pid);
	if (g->list_full) {
		line = command_line(g, i);
		u_putc(o, ' ');
		u_put(o, line.ptr, line.len);
	} else if (g->list_name) {
		u_printf(o, " %.*s", NAME_MAX_LEN, i->name);
	}
	return true;
}

/* All of them first: what is killed may be gone from the list at once. */
static struct sys_procinfo *collect(struct pgrep *g, size_t *n)
{
	struct sys_procinfo *v = NULL, i;
	size_t cap = 0, at;
	int self = sys_getpid(g->p);

	*n = 0;
	for (size_t k = 0; sys_proc_at(g->p, k, &i) >= 0; k++) {
		sys_checkpoint(g->p);
		if (i.pid == self || matches(g, &i) == g->invert)
			continue;
		if (*n == cap) {
			struct sys_procinfo *more = u_array(g->p, cap ? cap * 2 : 64, sizeof(*more));

			if (cap)
				memcpy(more, v, cap * sizeof(*more));
			cap = cap ? cap * 2 : 64;
			v = more;
		}
		/* In the order they were started in, which their numbers tell; the list has nearly that order. */
		for (at = (*n)++; at > 0 && v[at - 1].pid > i.pid; at--)
			v[at] = v[at - 1];
		v[at] = i;
		sys_checkpoint_n(g->p, (uint32_t)(*n - at));
	}
	return v;
}

static void compile(struct pgrep *g, const char *pattern)
{
	struct arena *a = &sys_self(g->p)->arena;
	struct regex_error err;
	const char *text = g->exact ? u_format(g->p, "^(%s)$", pattern) : pattern;

	if (!g->full && strlen(pattern) > NAME_MAX_LEN)
		u_die(g->p, 1, 0, "pattern that searches for process name longer than 15 characters will result in zero matches\n"
				  "Try `%s -f' option to match against the complete command line.", sys_self(g->p)->name);
	g->re = regex_compile(a, text, strlen(text),
			      REGEX_ERE | REGEX_NOSUB | (g->ignore_case ? REGEX_ICASE : 0) | (u_utf8(g->p) ? REGEX_UTF8 : 0), &err);
	if (!g->re)
		u_die(g->p, 2, 0, "regex error: %s", err.message);
	g->scratch = regex_scratch_new(a, g->re, checkpoint, g->p);
}

static int run(struct proc *p, const struct cmd_args *a, bool kills)
{
	struct pgrep *g = a->opts;
	struct sys_procinfo *v;
	size_t n, first, told = 0;
	int sig = g->signal ? u_signal_number(g->signal) : SYS_SIGTERM;

	g->p = p;
	g->kills = kills;
	if (sig < 0)
		u_usage(p, "Unknown signal \"%s\".", g->signal);
	if (a->argc > 1)
		u_usage(p, "only one pattern can be provided");
	if (a->argc == 0 && !g->parents && !g->groups && !g->users)
		u_usage(p, "no matching criteria specified");
	if (g->newest && g->oldest)
		u_usage(p, "-n and -o exclude each other");
	if (a->argc)
		compile(g, a->argv[0]);
	v = collect(g, &n);
	first = g->newest && n ? n - 1 : 0;
	n = g->oldest && n ? 1 : n;
	for (size_t k = first; k < n; k++)
		told += tell(g, &v[k], told, sig);
	if (g->count)
		u_printf(u_stdout(p), "%zu\n", told);
	else if (told && !kills)
		u_putc(u_stdout(p), '\n');
	return told ? 0 : 1;
}

static int pgrep_main(struct proc *p, const struct cmd_args *a)
{
	return run(p, a, false);
}

static int pkill_main(struct proc *p, const struct cmd_args *a)
{
	return run(p, a, true);
}

static const struct cmd_example pgrep_examples[] = {
	{"sleep 60 & pgrep -l sleep | cut -d ' ' -f 2; kill $!", "sleep\n"},
};

static const struct cmd_example pkill_examples[] = {
	{"sleep 60 & pkill -f 'sleep 6.'; wait $!; echo $?", "143\n"},
};

static const struct cmd_missing missing[] = {
	{"-w, -G, -O, -s, -t, -F, -L, -r, -A, --cgroup, --ns", "there are no threads, sessions, terminals or namespaces to choose by"},
};

const struct cmd cmd_pgrep = {
	.name = "pgrep",
	.summary = "list the processes of this sandbox that match",
	.synopsis = "[OPTION]... [PATTERN]",
	.opts = pgrep_opts,
	.nopts = COUNTOF(pgrep_opts),
	.opts_size = sizeof(struct pgrep),
	.usage_status = 2,
	.main = pgrep_main,
	.examples = pgrep_examples,
	.nexamples = COUNTOF(pgrep_examples),
	.missing = missing,
	.nmissing = COUNTOF(missing),
};

const struct cmd cmd_pkill = {
	.name = "pkill",
	.summary = "send a signal to the processes of this sandbox that match",
	.synopsis = "[-SIGNAL] [OPTION]... [PATTERN]",
	.opts = pkill_opts,
	.nopts = COUNTOF(pkill_opts),
	.opts_size = sizeof(struct pgrep),
	.rewrite = rewrite_signal,
	.usage_status = 2,
	.main = pkill_main,
	.examples = pkill_examples,
	.nexamples = COUNTOF(pkill_examples),
	.missing = missing,
	.nmissing = COUNTOF(missing),
};
