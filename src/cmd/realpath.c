/* realpath - print the resolved path. */
#include "cmd.h"

struct realpath {
	int exist;	/* 0: all but the last, 1: -e, 2: -m */
	int links;	/* 0: -P, 1: -L, 2: -s */
	bool quiet, zero;
	const char *relative_to, *relative_base;
};

static void set_physical(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct realpath *o = opts;

	(void)p;
	(void)opt;
	(void)arg;
	o->links = 0;
}

static const struct cmd_opt realpath_opts[] = {
	CMD_CHOICE(struct realpath, exist, 'e', "canonicalize-existing", 1, "all components of the path must exist"),
	CMD_CHOICE(struct realpath, exist, 'm', "canonicalize-missing", 2, "no path components need exist or be a directory"),
	CMD_CHOICE(struct realpath, links, 'L', "logical", 1, "resolve '..' components before symlinks"),
	CMD_CALL('P', "physical", NULL, set_physical, "resolve symlinks as encountered (default)"),
	CMD_FLAG(struct realpath, quiet, 'q', "quiet", "suppress most error messages"),
	CMD_STRING(struct realpath, relative_to, 0, "relative-to", "DIR", "print the resolved path relative to DIR"),
	CMD_STRING(struct realpath, relative_base, 0, "relative-base", "DIR", "print absolute paths unless paths below DIR"),
	CMD_CHOICE(struct realpath, links, 's', "strip", 2, "don't expand symlinks"),
	CMD_CHOICE(struct realpath, links, 0, "no-symlinks", 2, NULL),
	CMD_FLAG(struct realpath, zero, 'z', "zero", "end each output line with NUL, not newline"),
};

/* "a/./b//../c" -> "/cwd/a/c", without looking at the tree. */
static char *lexical(struct proc *p, const char *path)
{
	char *full = *path == '/' ? u_strdup(p, path) : u_join(p, sys_getcwd(p), path);
	char *out = u_alloc(p, strlen(full) + 2);
	size_t n = 0;

	for (const char *s = full; *s;) {
		size_t k;

		s += strspn(s, "/");
		k = strcspn(s, "/");
		if (k == 0 || (k == 1 && s[0] == '.')) {
			s += k;
			continue;
		}
		if (k == 2 && s[0] == '.' && s[1] == '.') {
			while (n && out[--n] != '/')
				;
		} else {
			out[n++] = '/';
			memcpy(out + n, s, k);
			n += k;
		}
		s += k;
	}
	if (n == 0)
		out[n++] = '/';
	out[n] = '\0';
	return out;
}

/* -s looks only at what has to be a directory because nothing, . or .. follows its slash: 0 or -E. */
static int directories(struct proc *p, const char *path)
{
	for (size_t i = 0; path[i];) {
		size_t end = i + strcspn(path + i, "/"), next = end + strspn(path + end, "/"), n = strcspn(path + next, "/");
		bool dots = path[next] == '.' && (n == 1 || (n == 2 && path[next + 1] == '.'));

		if (end > i && path[end] && (!n || dots)) {
			struct sys_stat st;
			int e = sys_stat(p, u_strndup(p, path, end), 0, &st);

			if (e < 0 && (n == 2 || e != -NACRE_ENOENT))
				return e;
			if (e == 0 && (st.mode & SYS_S_TYPE) != SYS_S_DIR)
				return -NACRE_ENOTDIR;
		}
		i = next;
	}
	return 0;
}

/* The resolved path, or NULL with *err. */
static char *resolve(struct proc *p, const struct realpath *o, const char *path, int *err)
{
	char *buf = u_alloc(p, SYS_PATH_MAX);
	struct sys_stat st;
	int64_t n;

	if (!*path && o->exist != 2) {
		*err = -NACRE_ENOENT;
		return NULL;
	}
	if (o->links) {
		char *clean = lexical(p, path);

		if (o->links == 1) {
			path = clean;
		} else {
			*err = o->exist == 1 ? sys_stat(p, path, 0, &st) : o->exist == 0 ? directories(p, path) : 0;
			return *err < 0 ? NULL : clean;
		}
	}
	n = sys_realpath(p, path, o->exist == 1 ? 2 : o->exist == 2 ? 0 : 1, buf, SYS_PATH_MAX - 1);
	if (n < 0) {
		*err = (int)n;
		return NULL;
	}
	buf[n] = '\0';
	return buf;
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return streq(dir, "/") || (strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/'));
}

static int realpath_main(struct proc *p, const struct cmd_args *a)
{
	const struct realpath *o = a->opts;
	const char *base = NULL, *to = NULL;
	int status = 0, err = 0;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	if (o->relative_to && !(to = resolve(p, o, o->relative_to, &err)))
		u_die(p, 1, err, "%s", u_quote_if_needed(p, o->relative_to));
	if (o->relative_base && !(base = resolve(p, o, o->relative_base, &err)))
		u_die(p, 1, err, "%s", u_quote_if_needed(p, o->relative_base));
	if (base && !to)
		to = base;
	else if (base && !is_below(to, base))
		base = to = NULL;
	for (int i = 0; i < a->argc; i++) {
		const char *path = resolve(p, o, a->argv[i], &err);

		if (!path) {
			status = 1;
			if (!o->quiet)
				u_warn(p, err, "%s", *a->argv[i] ? u_quote_if_needed(p, a->argv[i]) : "''");
			continue;
		}
		if (to && (!base || is_below(path, base)))
			path = u_relative_path(p, path, to);
		u_puts(u_stdout(p), path);
		u_putc(u_stdout(p), o->zero ? '\0' : '\n');
	}
	return status;
}

static const struct cmd_example examples[] = {
	{"cd /tmp; realpath ./a/../b", "/tmp/b\n"},
	{"realpath --relative-to=/usr/lib /usr/bin", "../bin\n"},
};

const struct cmd cmd_realpath = {
	.name = "realpath",
	.summary = "Print the resolved absolute file name;\nall but the last component must exist",
	.synopsis = "[OPTION]... FILE...",
	.opts = realpath_opts,
	.nopts = COUNTOF(realpath_opts),
	.opts_size = sizeof(struct realpath),
	.main = realpath_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
