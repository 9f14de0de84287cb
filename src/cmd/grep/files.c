/* files.c - which files grep searches: operands, directories, --include and --exclude. */
#include "grep.h"

/* ---- Filters ---------------------------------------------------------------------------- */

void grep_filter_add(struct grep *g, struct grep_filters *f, const char *glob, bool include)
{
	size_t len = strlen(glob);

	if (f->n == f->cap) {
		struct grep_filter *v;
		bool *inc;

		f->cap = f->cap ? f->cap * 2 : 8;
		v = u_array(g->p, f->cap, sizeof(*v));
		inc = u_array(g->p, f->cap, sizeof(*inc));
		if (f->n) {
			memcpy(v, f->v, f->n * sizeof(*v));
			memcpy(inc, f->include, f->n * sizeof(*inc));
		}
		f->v = v;
		f->include = inc;
	}
	f->include[f->n] = include;
	f->v[f->n++] = (struct grep_filter){glob, len};
}

/* The pattern matches the name or a part of it after a slash. */
static bool suffix_matches(const struct grep *g, const struct grep_filter *f, const char *name)
{
	unsigned flags = g->utf8 ? 0 : U_GLOB_BYTES;

	for (const char *s = name; s; s = strchr(s, '/')) {
		while (s > name && *s == '/')
			s++;
		if (u_glob_match(f->glob, f->len, s, strlen(s), flags))
			return true;
	}
	return false;
}

/* `name` is a whole operand, or the last component of what was found below one. The last filter that
 * matches decides; without any it is the opposite of the first. */
static bool filtered_out(const struct grep *g, const struct grep_filters *f, const char *name)
{
	if (f->n == 0)
		return false;
	for (size_t i = f->n; i-- > 0;) {
		if (suffix_matches(g, &f->v[i], name))
			return !f->include[i];
	}
	return f->include[0];
}

/* ---- One file ------------------------------------------------------------------------------ */

static void complain(struct grep *g, int err, const char *path)
{
	if (!g->no_messages)
		u_warn(g->p, err, "%s", path);
	g->failed = true;
}

static bool is_device(const struct sys_stat *st)
{
	uint32_t type = st->mode & SYS_S_TYPE;

	return type == SYS_S_CHAR || type == SYS_S_BLOCK || type == SYS_S_FIFO || type == SYS_S_SOCK;
}

static void search_fd(struct grep *g, int fd, const char *name, const struct sys_stat *st)
{
	bool summary = g->quiet || g->list != LIST_NONE;

	/* Lines added to the file that is read would be found again, and so on. */
	if (!summary && g->max != 1 && g->out_is_file && st &&
	    (st->mode & SYS_S_TYPE) == SYS_S_FILE && sys_same_file(g->p, fd, 1)) {
		if (!g->no_messages)
			u_warn(g->p, 0, "%s: input file is also the output", name);
		g->failed = true;
		return;
	}
	if (grep_search_fd(g, fd, name)) {
		g->matched = true;
		if (g->quiet)
			u_exit(g->p, 0);
	}
}

static void search_path(struct grep *g, const char *path, bool on_command_line)
{
	int fd = sys_open(g->p, path, SYS_O_READ | (on_command_line ? 0 : SYS_O_NONBLOCK), 0);
	struct sys_stat st;
	bool have = fd >= 0 && sys_fstat(g->p, fd, &st) == 0;

	if (fd < 0) {
		complain(g, fd, path);
		return;
	}
	if (!(have && is_device(&st) &&
	      (g->devices == DEVICES_SKIP || (g->devices == DEVICES_DEFAULT && !on_command_line))))
		search_fd(g, fd, path, have ? &st : NULL);
	sys_close(g->p, fd);
}

/* ---- Directories ----------------------------------------------------------------------------- */

static void search_tree(struct grep *g, const char *root, bool hide_dot)
{
	unsigned flags = g->follow ? U_WALK_FOLLOW : U_WALK_FOLLOW_ROOT;
	struct u_walk *w = u_walk_new(g->p, root, flags);
	struct u_walk_entry e;

	while (u_walk_next(w, &e)) {
		const char *shown = e.path;
		uint32_t type = e.st.mode & SYS_S_TYPE;

		if (hide_dot && shown[0] == '.' && shown[1] == '/')
			shown += 2;
		switch (e.event) {
		case U_WALK_DIR_PRE:
			if (e.depth > 0 && filtered_out(g, &g->directories, e.name))
				u_walk_skip(w);
			break;
		case U_WALK_FILE:
			if (e.depth == 0 || (!filtered_out(g, &g->files, e.name) && type != SYS_S_LINK))
				search_path(g, shown, e.depth == 0);
			break;
		case U_WALK_ERROR: complain(g, e.err, shown); break;
		case U_WALK_CYCLE:
			if (!g->no_messages)
				u_warn(g->p, 0, "warning: %s: recursive directory loop", shown);
			break;
		case U_WALK_DIR_POST: break;
		}
	}
}

/* Trailing slashes do not count for filters. */
static const char *without_slashes(struct grep *g, const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return u_strndup(g->p, path, n);
}

void grep_operand(struct grep *g, const char *path)
{
	struct sys_stat st;
	int r;

	if (streq(path, "-")) {
		r = sys_fstat(g->p, 0, &st);
		search_fd(g, 0, g->label ? g->label : "(standard input)", r == 0 ? &st : NULL);
		return;
	}
	r = sys_stat(g->p, path, 0, &st);
	if (r < 0) {
		complain(g, r, path);
		return;
	}
	if ((st.mode & SYS_S_TYPE) == SYS_S_DIR) {
		if (filtered_out(g, &g->directories, without_slashes(g, path)))
			return;
		if (g->dirs == DIRS_SKIP)
			return;
		if (g->dirs == DIRS_RECURSE) {
			search_tree(g, path, false);
			return;
		}
	} else if (filtered_out(g, &g->files, path)) {
		return;
	}
	search_path(g, path, true);
}

void grep_here(struct grep *g)
{
	search_tree(g, ".", true);
}
