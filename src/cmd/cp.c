/* cp - copy files and directories. */
#include "copy.h"

struct cp {
	struct copy c;
	bool archive, parents, numbered;
	const char *target, *suffix, *backup;
};

static void set_preserve_list(struct proc *p, struct copy *c, const char *list, bool on)
{
	static const struct {
		const char *name;
		unsigned bits;
	} names[] = {{"mode", COPY_MODE},   {"ownership", COPY_OWNER}, {"timestamps", COPY_TIMES}, {"links", COPY_LINKS},
		     {"all", COPY_MODE | COPY_OWNER | COPY_TIMES | COPY_LINKS}, {"xattr", 0}, {"context", 0}};

	while (*list) {
		size_t n = strcspn(list, ","), i;

		for (i = 0; i < COUNTOF(names); i++)
			if (strlen(names[i].name) == n && memcmp(names[i].name, list, n) == 0)
				break;
		if (i == COUNTOF(names))
			u_usage(p,
				"invalid argument %s for '--%spreserve'\nValid arguments are:\n  - 'mode'\n  - 'timestamps'\n"
				"  - 'ownership'\n  - 'links'\n  - 'context'\n  - 'xattr'\n  - 'all'",
				u_quote_n(p, list, n), on ? "" : "no-");
		if (names[i].bits & COPY_MODE)
			c->plain_mode = !on;
		c->preserve = on ? c->preserve | names[i].bits : c->preserve & ~names[i].bits;
		list += n + (list[n] == ',');
	}
}

static void set_archive(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct copy *c = opts;

	(void)p;
	(void)arg;
	if (opt->shrt == 'd') {
		c->follow = COPY_FOLLOW_NONE;
		c->preserve |= COPY_LINKS;
		return;
	}
	c->recursive = true;
	c->follow = COPY_FOLLOW_NONE;
	c->preserve |= COPY_MODE | COPY_OWNER | COPY_TIMES | COPY_LINKS;
}

static void set_preserve(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct copy *c = opts;

	(void)opt;
	set_preserve_list(p, c, arg ? arg : "mode,ownership,timestamps", true);
}

static void set_no_preserve(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)opt;
	set_preserve_list(p, opts, arg, false);
}

static void set_backup(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct copy *c = opts;

	(void)opt;
	c->backup = copy_backup_kind(p, arg);
}

static void check_when(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	bool sparse = streq(opt->lng, "sparse");

	(void)opts;
	/* Sharing or holes are up to the filesystem: every valid choice gives the same bytes. */
	if (arg && !streq(arg, "auto") && !streq(arg, "always") && !streq(arg, "never"))
		u_usage(p, "invalid argument %s for '--%s'\nValid arguments are:\n  - %s\n  - %s\n  - %s", u_quote(p, arg), opt->lng,
			sparse ? "'never'" : "'auto'", sparse ? "'auto'" : "'always'", sparse ? "'always'" : "'never'");
}

static void ignore_context(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	if (arg)
		u_warn(p, 0, "warning: ignoring --context; it requires an SELinux-enabled kernel");
}

static const struct cmd_opt cp_opts[] = {
	CMD_CALL('a', "archive", NULL, set_archive, "same as -dR --preserve=all"),
	CMD_FLAG(struct cp, c.attributes_only, 0, "attributes-only", "don't copy the file data, just the attributes"),
	CMD_CALL_OPTIONAL(0, "backup", "CONTROL", set_backup, "make a backup of each existing destination file"),
	CMD_CALL('b', NULL, NULL, set_backup, "like --backup but does not accept an argument"),
	CMD_CALL('d', NULL, NULL, set_archive, "same as --no-dereference --preserve=links"),
	CMD_FLAG(struct cp, c.force, 'f', "force",
		 "if an existing destination file cannot be\nopened, remove it and try again"),
	CMD_CHOICE(struct cp, c.clobber, 'i', "interactive", COPY_ASK, "prompt before overwrite (overrides a previous -n option)"),
	CMD_CHOICE(struct cp, c.follow, 'H', NULL, COPY_FOLLOW_ROOTS, "follow command-line symbolic links in SOURCE"),
	CMD_FLAG(struct cp, c.hard_link, 'l', "link", "hard link files instead of copying"),
	CMD_CHOICE(struct cp, c.follow, 'L', "dereference", COPY_FOLLOW_ALL, "always follow symbolic links in SOURCE"),
	CMD_CHOICE(struct cp, c.clobber, 'n', "no-clobber", COPY_NO_CLOBBER,
		   "do not overwrite an existing file (overrides\na previous -i option)"),
	CMD_CHOICE(struct cp, c.follow, 'P', "no-dereference", COPY_FOLLOW_NONE, "never follow symbolic links in SOURCE"),
	CMD_CALL('p', NULL, NULL, set_preserve, "same as --preserve=mode,ownership,timestamps"),
	CMD_CALL_OPTIONAL(0, "preserve", "ATTR_LIST", set_preserve,
			  "preserve the specified attributes (default:\nmode,ownership,timestamps)"),
	CMD_CALL(0, "no-preserve", "ATTR_LIST", set_no_preserve, "don't preserve the specified attributes"),
	CMD_FLAG(struct cp, parents, 0, "parents", "use full source file name under DIRECTORY"),
	CMD_FLAG(struct cp, c.recursive, 'R', "recursive", "copy directories recursively"),
	CMD_FLAG(struct cp, c.recursive, 'r', NULL, NULL),
	CMD_CALL_OPTIONAL(0, "reflink", "WHEN", check_when, "control clone/CoW copies"),
	CMD_FLAG(struct cp, c.remove_destination, 0, "remove-destination",
		 "remove each existing destination file before\nattempting to open it"),
	CMD_CALL(0, "sparse", "WHEN", check_when, "control creation of sparse files"),
	CMD_FLAG(struct cp, c.strip_slashes, 0, "strip-trailing-slashes", "remove any trailing slashes from each SOURCE\nargument"),
	CMD_FLAG(struct cp, c.symbolic_link, 's', "symbolic-link", "make symbolic links instead of copying"),
	CMD_STRING(struct cp, suffix, 'S', "suffix", "SUFFIX", "override the usual backup suffix"),
	CMD_STRING(struct cp, target, 't', "target-directory", "DIRECTORY", "copy all SOURCE arguments into DIRECTORY"),
	CMD_FLAG(struct cp, c.no_target_directory, 'T', "no-target-directory", "treat DEST as a normal file"),
	CMD_CHOICE(struct cp, c.clobber, 'u', "update", COPY_UPDATE,
		   "copy only when the SOURCE file is newer\nthan the destination file or when the\ndestination file is missing"),
	CMD_FLAG(struct cp, c.verbose, 'v', "verbose", "explain what is being done"),
	CMD_FLAG(struct cp, c.one_fs, 'x', "one-file-system", "stay on this file system"),
	CMD_CALL('Z', NULL, NULL, ignore_context, "set SELinux security context (there is none)"),
	CMD_CALL_OPTIONAL(0, "context", "CTX", ignore_context, "like -Z, or set it to CTX"),
};

static char *without_slashes(struct proc *p, const char *path)
{
	char *s = u_strdup(p, path);
	size_t n = strlen(s);

	while (n > 1 && s[n - 1] == '/')
		s[--n] = '\0';
	return s;
}

/* --parents: makes DIR/a/b for the source a/b/c, with the modes of a and a/b. */
static bool make_parents(struct copy *c, const char *dir, const char *from)
{
	char *part = u_strdup(c->p, from);

	for (char *s = part + strspn(part, "/"); (s = strchr(s, '/')) != NULL; s += strspn(s, "/")) {
		const char *to;
		struct sys_stat st;
		int e;

		*s = '\0';
		to = u_join(c->p, dir, part + strspn(part, "/"));
		e = sys_stat(c->p, part, 0, &st);
		if (e == 0) {
			e = sys_mkdir(c->p, to, st.mode & 0777);
			if (e == 0 && c->verbose)
				u_printf(u_stdout(c->p), "%s -> %s\n", part, to);
		}
		if (e < 0 && e != -NACRE_EEXIST) {
			u_warn(c->p, e, "cannot make directory %s", u_quote_file(c->p, to));
			c->status = 1;
			return false;
		}
		*s = '/';
	}
	return true;
}

static int cp_main(struct proc *p, const struct cmd_args *a)
{
	struct cp *o = a->opts;
	struct copy *c = &o->c;
	struct copy_operands ops;

	c->p = p;
	c->suffix = o->suffix ? o->suffix : u_getenv(p, "SIMPLE_BACKUP_SUFFIX");
	if (o->suffix && !c->backup)
		c->backup = copy_backup_kind(p, NULL);
	if (c->hard_link && c->symbolic_link)
		u_usage(p, "cannot make both hard and symbolic links");
	if (c->clobber == COPY_NO_CLOBBER && c->backup)
		u_usage(p, "options --backup and --no-clobber are mutually exclusive");
	copy_operands(p, a, o->target, c->no_target_directory, &ops);
	if (o->parents && !ops.dir)
		u_usage(p, "with --parents, the destination must be a directory");
	for (int i = 0; i < ops.n; i++) {
		char *from = c->strip_slashes && ops.dir ? without_slashes(p, ops.from[i]) : ops.from[i];
		const char *name;

		if (!ops.dir) {
			copy_file(c, from, ops.to, true);
			continue;
		}
		if (o->parents) {
			if (!make_parents(c, ops.dir, without_slashes(p, from)))
				continue;
			name = from + strspn(from, "/");
		} else {
			name = u_basename(p, from);
			if (streq(name, "..") || streq(name, "/"))
				name = ".";
		}
		copy_file(c, from, u_join(p, ops.dir, without_slashes(p, name)), true);
	}
	return c->status;
}

static const struct cmd_example examples[] = {
	{"echo hi > a; cp a b; cat b", "hi\n"},
	{"mkdir -p d/e; touch d/e/f; cp -rv d x", "'d' -> 'x'\n'd/e' -> 'x/e'\n'd/e/f' -> 'x/e/f'\n"},
};

const struct cmd cmd_cp = {
	.name = "cp",
	.summary = "Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.",
	.synopsis = "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n[OPTION]... -t DIRECTORY SOURCE...",
	.opts = cp_opts,
	.nopts = COUNTOF(cp_opts),
	.opts_size = sizeof(struct cp),
	.stack_size = COPY_STACK_SIZE,
	.main = cp_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
