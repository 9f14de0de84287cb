/* pathchk.c - check whether file names are valid or portable. */
#include "cmd.h"

struct pathchk {
	bool portable, leading;
};

static void set_portability(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct pathchk *o = opts;

	(void)p;
	(void)opt;
	(void)arg;
	o->portable = o->leading = true;
}

static const struct cmd_opt pathchk_opts[] = {
	CMD_FLAG(struct pathchk, portable, 'p', NULL, "check for most POSIX systems"),
	CMD_FLAG(struct pathchk, leading, 'P', NULL, "check for empty names and leading \"-\""),
	CMD_CALL(0, "portability", NULL, set_portability, "check for all POSIX systems (equivalent to -p -P)"),
};

#define PORTABLE_NAME_MAX 14
#define PORTABLE_PATH_MAX 255

static bool portable_character(struct proc *p, const char *path)
{
	for (const char *s = path; *s; s++) {
		unsigned n = 1;

		if (ascii_alnum((unsigned char)*s) || strchr("/._-", *s))
			continue;
		utf8_decode(s, strlen(s), &n);
		u_warn(p, 0, "nonportable character %s in file name %s", u_quote_n(p, s, u_utf8(p) ? n : 1), u_quote_file(p, path));
		return false;
	}
	return true;
}

static bool check_components(struct proc *p, const struct pathchk *o, const char *path)
{
	for (const char *s = path; *s;) {
		size_t n;

		s += strspn(s, "/");
		n = strcspn(s, "/");
		if (o->leading && *s == '-') {
			u_warn(p, 0, "leading '-' in a component of file name %s", u_quote_file(p, path));
			return false;
		}
		if (o->portable && n > PORTABLE_NAME_MAX) {
			u_warn(p, 0, "limit %d exceeded by length %zu of file name component %s", PORTABLE_NAME_MAX, n, u_quote_n(p, s, n));
			return false;
		}
		s += n;
	}
	return true;
}

static bool check(struct proc *p, const struct pathchk *o, const char *path)
{
	struct sys_stat st;
	int e;

	if (!*path && (o->leading || o->portable)) {
		u_warn(p, 0, "empty file name");
		return false;
	}
	if (o->leading && !check_components(p, &(struct pathchk){.leading = true}, path))
		return false;
	if (o->portable) {
		if (!portable_character(p, path))
			return false;
		if (strlen(path) > PORTABLE_PATH_MAX) {
			u_warn(p, 0, "limit %d exceeded by length %zu of file name %s", PORTABLE_PATH_MAX, strlen(path), u_quote_file(p, path));
			return false;
		}
		return check_components(p, o, path);
	}
	e = sys_stat(p, path, SYS_NOFOLLOW, &st);
	if (e < 0 && (e != -NACRE_ENOENT || !*path)) {
		u_warn(p, e, "%s", *path ? u_quote_if_needed(p, path) : "''");
		return false;
	}
	return true;
}

static int pathchk_main(struct proc *p, const struct cmd_args *a)
{
	int status = 0;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	for (int i = 0; i < a->argc; i++)
		status |= !check(p, a->opts, a->argv[i]);
	return status;
}

static const struct cmd_example examples[] = {
	{"pathchk -p good; echo $?", "0\n"},
};

const struct cmd cmd_pathchk = {
	.name = "pathchk",
	.summary = "diagnose invalid or unportable file names",
	.synopsis = "[OPTION]... NAME...",
	.opts = pathchk_opts,
	.nopts = COUNTOF(pathchk_opts),
	.opts_size = sizeof(struct pathchk),
	.main = pathchk_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
