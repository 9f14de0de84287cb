/* rmdir - remove empty directories. */
#include "cmd.h"

struct rmdir {
	bool ignore, parents, verbose;
};

static const struct cmd_opt rmdir_opts[] = {
	CMD_FLAG(struct rmdir, ignore, 0, "ignore-fail-on-non-empty",
		 "ignore each failure that is solely because a directory\nis non-empty"),
	CMD_FLAG(struct rmdir, parents, 'p', "parents",
		 "remove DIRECTORY and its ancestors; e.g., 'rmdir -p a/b/c' is\nsimilar to 'rmdir a/b/c a/b a'"),
	CMD_FLAG(struct rmdir, verbose, 'v', "verbose", "output a diagnostic for every directory processed"),
};

/* Whether the failure may be passed over with --ignore-fail-on-non-empty. */
static bool only_non_empty(struct proc *p, const char *path, int e)
{
	struct sys_dirent d;
	bool entries;
	int fd;

	if (e == -NACRE_ENOTEMPTY || e == -NACRE_EEXIST)
		return true;
	if (e != -NACRE_EACCES && e != -NACRE_EBUSY && e != -NACRE_EROFS && e != -NACRE_EPERM)
		return false;
	fd = sys_open(p, path, SYS_O_READ | SYS_O_DIRECTORY, 0);
	if (fd < 0)
		return false;
	entries = sys_readdir(p, fd, &d) > 0;
	sys_close(p, fd);
	return entries;
}

/* A link with slashes behind it, which lead into the directory. */
static bool is_link_to_dir(struct proc *p, const char *path)
{
	struct sys_stat st;
	size_t n = strlen(path);
	char *bare = u_strdup(p, path);

	if (!n || path[n - 1] != '/' || sys_stat(p, path, 0, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_DIR)
		return false;
	while (n > 1 && bare[n - 1] == '/')
		bare[--n] = '\0';
	return sys_stat(p, bare, SYS_NOFOLLOW, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_LINK;
}

static int remove_one(struct proc *p, const struct rmdir *o, const char *path, bool parent)
{
	int e;

	if (o->verbose)
		u_printf(u_stdout(p), "%s: removing directory, %s\n", u_name(p), u_quote_file(p, path));
	e = sys_rmdir(p, path);
	if (e == 0)
		return 0;
	if (o->ignore && only_non_empty(p, path, e))
		return 1;
	if (e == -NACRE_ENOTDIR && !parent && is_link_to_dir(p, path)) {
		u_warn(p, 0, "failed to remove %s: Symbolic link not followed", u_quote_file(p, path));
		return -1;
	}
	u_warn(p, e, parent ? "failed to remove directory %s" : "failed to remove %s", u_quote_file(p, path));
	return -1;
}

static int rmdir_main(struct proc *p, const struct cmd_args *a)
{
	const struct rmdir *o = a->opts;
	int status = 0;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	for (int i = 0; i < a->argc; i++) {
		char *path = u_strdup(p, a->argv[i]);
		int r = remove_one(p, o, path, false);

		while (r == 0 && o->parents) {
			char *slash;
			size_t n = strlen(path);

			while (n > 1 && path[n - 1] == '/')
				path[--n] = '\0';
			slash = strrchr(path, '/');
			if (!slash)
				break;
			while (slash > path && slash[-1] == '/')
				slash--;
			*slash = '\0';
			if (!*path)
				break;
			r = remove_one(p, o, path, true);
		}
		if (r < 0)
			status = 1;
	}
	return status;
}

const struct cmd cmd_rmdir = {
	.name = "rmdir",
	.summary = "Remove the DIRECTORY(ies), if they are empty.",
	.synopsis = "[OPTION]... DIRECTORY...",
	.opts = rmdir_opts,
	.nopts = COUNTOF(rmdir_opts),
	.opts_size = sizeof(struct rmdir),
	.main = rmdir_main,
};
