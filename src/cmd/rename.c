/*
 * rename.c - replaces a string in the names of files.
 *
 * util-linux's, which Debian calls rename.ul; the rename of Perl's, which takes an expression, is another program.
 */
#include "cmd.h"

#define TARGET_MAX ((size_t)65536)

enum outcome { NOTHING = 0, DONE = 1, FAILED = 2 };

struct rename {
	bool verbose, link, no_act, all, last, keep, ask;

	struct proc *p;
	const char *from, *to;
};

static const struct cmd_opt rename_opts[] = {
	CMD_FLAG(struct rename, verbose, 'v', "verbose", "tell what is done"),
	CMD_FLAG(struct rename, link, 's', "symlink", "change what links point to, not their names"),
	CMD_FLAG(struct rename, no_act, 'n', "no-act", "change nothing"),
	CMD_FLAG(struct rename, all, 'a', "all", "replace all occurrences, not the first one"),
	CMD_FLAG(struct rename, last, 'l', "last", "replace the last occurrence"),
	CMD_FLAG(struct rename, keep, 'o', "no-overwrite", "leave files alone whose new name is taken"),
	CMD_FLAG(struct rename, ask, 'i', "interactive", "ask before a file is replaced"),
};

static const char *find_last(const char *s, const char *word)
{
	const char *found = NULL;

	for (const char *at = strstr(s, word); at; at = *at ? strstr(at + 1, word) : NULL)
		found = at;
	return found;
}

/* The name, or what a link points to, with the string replaced; NULL: it does not occur. */
static char *replaced(struct rename *r, const char *name)
{
	const char *s = name, *at;
	size_t n = strlen(r->from);
	struct u_buf b;

	/* Without a slash in either only the last component of a name is looked at. */
	if (!r->link && !strchr(r->from, '/') && !strchr(r->to, '/') && strrchr(name, '/'))
		s = strrchr(name, '/') + 1;
	at = r->last ? find_last(s, r->from) : strstr(s, r->from);
	if (!at)
		return NULL;
	u_buf_init(&b, r->p, SYS_PATH_MAX);
	s = name;
	do {
		u_buf_put(&b, s, (size_t)(at - s));
		u_buf_puts(&b, r->to);
		s = at + n;
		at = r->all && n > 0 ? strstr(s, r->from) : NULL;
	} while (at);
	u_buf_puts(&b, s);
	return streq(b.ptr, name) ? NULL : b.ptr;
}

static bool exists(struct rename *r, const char *path)
{
	return sys_access(r->p, path, SYS_F_OK) == 0;
}

/* Whether what is there under the new name may go. */
static bool allowed(struct rename *r, const char *to)
{
	if ((!r->keep && !r->ask) || !exists(r, to))
		return true;
	if (r->keep)
		return false;
	u_printf(u_stdout(r->p), "%s: overwrite `%s'? ", u_name(r->p), to);
	return u_flush(u_stdout(r->p)) == 0 && u_answer(r->p);
}

static enum outcome change_link(struct rename *r, const char *file)
{
	char *target = u_alloc(r->p, TARGET_MAX), *to;
	int64_t n = sys_readlink(r->p, file, target, TARGET_MAX - 1);
	int e;

	if (n == -NACRE_EINVAL) {
		u_warn(r->p, 0, "%s: not a symbolic link", file);
		return FAILED;
	}
	if (n < 0) {
		u_warn(r->p, (int)n, "%s: readlink failed", file);
		return FAILED;
	}
	target[n] = '\0';
	to = replaced(r, target);
	if (!to)
		return NOTHING;
	if (!allowed(r, to)) {
		if (r->verbose)
			u_printf(u_stdout(r->p), "Skipping existing link: `%s' -> `%s'\n", file, target);
		return NOTHING;
	}
	e = r->no_act ? 0 : sys_unlink(r->p, file);
	if (e == 0 && !r->no_act)
		e = sys_symlink(r->p, to, file);
	if (e < 0) {
		u_warn(r->p, e, "%s: symlinking to %s failed", file, to);
		return FAILED;
	}
	if (r->verbose)
		u_printf(u_stdout(r->p), "%s: `%s' -> `%s'\n", file, target, to);
	return DONE;
}

static enum outcome change_name(struct rename *r, const char *file)
{
	char *to = replaced(r, file);
	int e;

	if (!to)
		return NOTHING;
	if (!allowed(r, to)) {
		if (r->verbose)
			u_printf(u_stdout(r->p), "Skipping existing file: `%s'\n", to);
		return NOTHING;
	}
	e = r->no_act ? 0 : sys_rename(r->p, file, to, 0);
	if (e < 0) {
		u_warn(r->p, e, "%s: rename to %s failed", file, to);
		return FAILED;
	}
	if (r->verbose)
		u_printf(u_stdout(r->p), "`%s' -> `%s'\n", file, to);
	return DONE;
}

static enum outcome change(struct rename *r, const char *file)
{
	struct sys_stat st;
	int e = sys_stat(r->p, file, r->link ? SYS_NOFOLLOW : 0, &st);

	if (e < 0 && !r->link && sys_stat(r->p, file, SYS_NOFOLLOW, &st) == 0)
		e = 0;
	if (e < 0) {
		u_warn(r->p, e, "%s: not accessible", file);
		return FAILED;
	}
	return r->link ? change_link(r, file) : change_name(r, file);
}

static int rename_main(struct proc *p, const struct cmd_args *a)
{
	/* By the outcomes there were, as bits. */
	static const int status[] = {[NOTHING] = 4, [DONE] = 0, [FAILED] = 1, [DONE | FAILED] = 2};
	struct rename *r = a->opts;
	unsigned all = 0;

	r->p = p;
	if (r->ask && r->keep)
		u_die(p, 1, 0, "mutually exclusive arguments: --interactive --no-overwrite");
	if (r->all && r->last)
		u_die(p, 1, 0, "mutually exclusive arguments: --all --last");
	if (a->argc < 3)
		u_usage(p, "not enough arguments");
	r->from = a->argv[0];
	r->to = a->argv[1];
	for (int i = 2; i < a->argc; i++) {
		struct arena_mark mark;

		u_stdout(p);
		mark = arena_mark(&sys_self(p)->arena);
		all |= change(r, a->argv[i]);
		arena_reset(&sys_self(p)->arena, mark);
	}
	return status[all];
}

static const struct cmd_example rename_examples[] = {
	{"touch a.txt b.txt; rename .txt .md *.txt; ls", "a.md\nb.md\n"},
	{"touch x1; rename -v x y x1", "`x1' -> `y1'\n"},
};

#define RENAME(command) \
	{ \
		.name = (command), .summary = "replace a string in the names of files", \
		.synopsis = "[OPTION]... EXPRESSION REPLACEMENT FILE...", \
		.description = "EXPRESSION is a string. With a slash in it or in REPLACEMENT the whole path is changed,\n" \
			       "otherwise the last component of it.\n" \
			       "Exit status is 0 if all were renamed, 1 if all failed, 2 if some did, 4 if there was nothing to do.", \
		.opts = rename_opts, .nopts = COUNTOF(rename_opts), .opts_size = sizeof(struct rename), \
		.main = rename_main, .examples = rename_examples, .nexamples = COUNTOF(rename_examples), \
	}

const struct cmd cmd_rename = RENAME("rename");
const struct cmd cmd_rename_ul = RENAME("rename.ul");
