/* mktemp - create a temporary file or directory. */
#include "cmd.h"

struct mktemp {
	bool directory, dry_run, quiet, deprecated_t;
	const char *suffix;
	const char *tmpdir;	/* --tmpdir[=DIR]: "" without DIR */
	const char *p_dir;	/* -p DIR */
};

static const struct cmd_opt mktemp_opts[] = {
	CMD_FLAG(struct mktemp, directory, 'd', "directory", "create a directory, not a file"),
	CMD_FLAG(struct mktemp, dry_run, 'u', "dry-run", "do not create anything; merely print a name (unsafe)"),
	CMD_FLAG(struct mktemp, quiet, 'q', "quiet", "suppress diagnostics about file/dir-creation failure"),
	CMD_STRING(struct mktemp, suffix, 0, "suffix", "SUFF",
		   "append SUFF to TEMPLATE; SUFF must not contain a slash.\nThis option is implied if TEMPLATE does not end in X"),
	CMD_STRING(struct mktemp, p_dir, 'p', NULL, "DIR", "interpret TEMPLATE relative to DIR"),
	CMD_OPTIONAL(struct mktemp, tmpdir, 0, "tmpdir", "DIR",
		     "interpret TEMPLATE relative to DIR; if DIR is not\nspecified, use $TMPDIR if set, else /tmp.  With\n"
		     "this option, TEMPLATE must not be an absolute name;\nunlike with -t, TEMPLATE may contain slashes, but\n"
		     "mktemp creates only the final component"),
	CMD_FLAG(struct mktemp, deprecated_t, 't', NULL,
		 "interpret TEMPLATE as a single file name component,\nrelative to a directory: $TMPDIR, if set; else the\n"
		 "directory specified via -p; else /tmp [deprecated]"),
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

static void fill(struct proc *p, char *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char r;

		do
			sys_random(p, &r, 1);
		while (r >= 62 * 4);
		x[i] = letters[r % 62];
	}
}

static int create(struct proc *p, const struct mktemp *o, const char *path)
{
	struct sys_stat st;
	int fd;

	if (o->dry_run)
		return sys_stat(p, path, SYS_NOFOLLOW, &st) == 0 ? -NACRE_EEXIST : 0;
	if (o->directory)
		return sys_mkdir(p, path, 0700);
	fd = sys_open(p, path, SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL, 0600);
	return fd < 0 ? fd : sys_close(p, fd);
}

static int mktemp_main(struct proc *p, const struct cmd_args *a)
{
	const struct mktemp *o = a->opts;
	const char *template = a->argc ? a->argv[0] : "tmp.XXXXXXXXXX";
	const char *suffix = o->suffix ? o->suffix : "";
	const char *env = u_getenv(p, "TMPDIR"), *dir = NULL, *last;
	size_t n = strlen(template), x;
	char *path;
	int e = 0;

	if (a->argc > 1)
		u_usage(p, "too many templates");
	if (env && !*env)
		env = NULL;
	if (o->suffix) {
		if (n == 0 || template[n - 1] != 'X')
			u_die(p, 1, 0, "with --suffix, template %s must end in X", u_quote(p, template));
	} else if ((last = strrchr(template, 'X')) != NULL) {
		suffix = last + 1;
		n = (size_t)(last + 1 - template);
	}
	if (strchr(suffix, '/'))
		u_die(p, 1, 0, "invalid suffix %s, contains directory separator", u_quote(p, suffix));
	for (x = 0; x < n && template[n - x - 1] == 'X'; x++)
		;
	if (x < 3)
		u_die(p, 1, 0, "too few X's in template %s", u_quote(p, template));
	if (o->deprecated_t) {
		if (strchr(template, '/'))
			u_die(p, 1, 0, "invalid template, %s, contains directory separator", u_quote(p, template));
		dir = env ? env : o->p_dir && *o->p_dir ? o->p_dir : "/tmp";
	} else if (o->p_dir || o->tmpdir || a->argc == 0) {
		dir = o->p_dir && *o->p_dir ? o->p_dir : o->tmpdir && *o->tmpdir ? o->tmpdir : env ? env : "/tmp";
		if (*template == '/')
			u_die(p, 1, 0, "invalid template, %s; with --tmpdir, it may not be absolute", u_quote(p, template));
	}
	path = u_format(p, "%s%s%.*s%s", dir ? dir : "", dir && *dir && dir[strlen(dir) - 1] != '/' ? "/" : "", (int)n, template,
			suffix);
	for (int attempt = 0; attempt < 1000; attempt++) {
		fill(p, path + strlen(path) - strlen(suffix) - x, x);
		e = create(p, o, path);
		if (e != -NACRE_EEXIST)
			break;
	}
	if (e < 0) {
		if (o->quiet)
			return 1;
		memset(path + strlen(path) - strlen(suffix) - x, 'X', x);
		u_die(p, 1, e, "failed to create %s via template %s", o->directory ? "directory" : "file", u_quote(p, path));
	}
	u_puts(u_stdout(p), path);
	u_putc(u_stdout(p), '\n');
	return 0;
}

const struct cmd cmd_mktemp = {
	.name = "mktemp",
	.summary = "Create a temporary file or directory, safely, and print its name.",
	.synopsis = "[OPTION]... [TEMPLATE]",
	.description = "TEMPLATE must contain at least 3 consecutive 'X's in last component.\n"
		       "If TEMPLATE is not specified, use tmp.XXXXXXXXXX, and --tmpdir is implied.",
	.opts = mktemp_opts,
	.nopts = COUNTOF(mktemp_opts),
	.opts_size = sizeof(struct mktemp),
	.main = mktemp_main,
};
