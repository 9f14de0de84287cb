/*
 * ignore.c - what is left out of a search: ignore files, -g, types, hidden names.
 *
 * -g decides alone where it matches. Else the ignore files of all directories above are asked, one kind of file after
 * the other (.rgignore, .ignore, .gitignore, .git/info/exclude, --ignore-file), the nearest directory first; then the types;
 * and a hidden name is left out unless one of them wants it.
 */
#include "rg.h"

#define FILE_MAX ((size_t)16 << 20)

void rg_ignore_file(struct rg *g, struct rg_globs *rules, const char *path, bool must)
{
	int fd = sys_open(g->p, path, SYS_O_READ | SYS_O_NONBLOCK, 0);
	struct sys_stat st;
	struct u_lines r;
	struct str line;
	bool bom = true;

	if (fd < 0) {
		if (must)
			rg_complain(g, fd, path);
		return;
	}
	if (sys_fstat(g->p, fd, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_FILE && (size_t)st.size <= FILE_MAX) {
		u_lines_init(&r, g->p, fd, '\n');
		for (; u_lines_next(&r, &line); bom = false) {
			size_t skip = bom && line.len >= 3 && memcmp(line.ptr, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

			rg_glob_add(g, rules, line.ptr + skip, line.len - skip, g->ignore_icase);
		}
	}
	sys_close(g->p, fd);
}

static bool is_there(struct rg *g, const char *path)
{
	struct sys_stat st;

	return sys_stat(g->p, path, 0, &st) == 0;
}

struct rg_dir *rg_dir_enter(struct rg *g, struct rg_dir *up, const char *absolute)
{
	static const char *const name[] = {".rgignore", ".ignore", ".gitignore", ".git/info/exclude"};
	struct rg_dir *d = u_zalloc(g->p, sizeof(*d));

	d->up = up;
	d->path = u_strdup(g->p, absolute);
	d->path_len = strlen(absolute);
	if (d->path_len == 1)
		d->path_len = 0; /* the root */
	if (g->no_ignore)
		return d;
	if (!g->no_vcs)
		d->has_git = is_there(g, u_join(g->p, absolute, ".git"));
	for (int i = 0; i < RG_SOURCES; i++) {
		bool git = i == RG_GITIGNORE || i == RG_EXCLUDE;

		if ((i == RG_IGNORE && g->no_dot) || (git && g->no_vcs) ||
		    (i == RG_EXCLUDE && (g->no_exclude || !d->has_git)))
			continue;
		rg_ignore_file(g, &d->rules[i], u_join(g->p, absolute, name[i]), false);
	}
	return d;
}

struct rg_dir *rg_dirs_above(struct rg *g, const char *absolute)
{
	struct rg_dir *d = NULL;

	if (g->no_ignore || g->no_parent || streq(absolute, "/"))
		return NULL;
	d = rg_dir_enter(g, NULL, "/");
	for (const char *s = strchr(absolute + 1, '/'); s; s = strchr(s + 1, '/'))
		d = rg_dir_enter(g, d, u_strndup(g->p, absolute, (size_t)(s - absolute)));
	return d;
}

/* 1: left out, -1: wanted, 0: nothing is said. */
static int ask_source(const struct rg *g, const struct rg_dir *dirs, int source, const char *absolute, bool is_dir)
{
	bool git = source == RG_GITIGNORE || source == RG_EXCLUDE, in_git = g->no_require_git;

	for (const struct rg_dir *d = dirs; git && d && !in_git; d = d->up)
		in_git = d->has_git;
	if (git && !in_git)
		return 0;
	for (const struct rg_dir *d = dirs; d; d = d->up) {
		int r = rg_globs_match(&d->rules[source], absolute + d->path_len + 1, is_dir);

		if (r)
			return r;
		/* What is above a repository is not of it. */
		if (git && d->has_git)
			break;
	}
	return 0;
}

static int ask_ignores(const struct rg *g, const struct rg_dir *dirs, const char *absolute, const char *shown, bool is_dir)
{
	for (int i = 0; i < RG_SOURCES; i++) {
		int r = ask_source(g, dirs, i, absolute, is_dir);

		if (r)
			return r;
	}
	return rg_globs_match(&g->explicit_rules, shown, is_dir);
}

/* The path as rules of the working directory see it. */
static const char *from_here(const struct rg *g, const char *shown)
{
	size_t n = strlen(g->cwd);

	if (shown[0] == '/' && strncmp(shown, g->cwd, n) == 0 && shown[n] == '/')
		return shown + n + 1;
	while (shown[0] == '.' && shown[1] == '/')
		shown += 2;
	return shown;
}

bool rg_left_out(struct rg *g, const struct rg_dir *dirs, const char *absolute, const char *shown, bool is_dir)
{
	const char *here = from_here(g, shown), *slash = strrchr(absolute, '/'), *name = slash ? slash + 1 : absolute;
	int r = rg_globs_match(&g->override, here, is_dir);
	bool wanted = false;

	/* A plain -g asks for what it matches. */
	if (r)
		return r < 0;
	if (g->override.positive > 0 && !is_dir)
		return true;
	r = ask_ignores(g, dirs, absolute, here, is_dir);
	if (r > 0)
		return true;
	wanted = r < 0;
	if (!is_dir) {
		r = rg_types_match(g, name);
		if (r < 0)
			return true;
		wanted |= r > 0;
	}
	return !wanted && name[0] == '.' && !g->hidden;
}
