/* copy.c - copying one file or tree onto a name, for cp, mv and install. */
#include "copy.h"

#define COPY_DEPTH_MAX 2100 /* deeper no path leads */

struct copy_link {
	uint64_t dev, ino;
	const char *to;
};

static bool is_type(const struct sys_stat *st, uint32_t type)
{
	return (st->mode & SYS_S_TYPE) == type;
}

static bool same_inode(const struct sys_stat *a, const struct sys_stat *b)
{
	return a->ino == b->ino && a->dev == b->dev;
}

static const char *q(struct copy *c, const char *path)
{
	return u_quote_file(c->p, path);
}

static void fail(struct copy *c, int err, const char *format, const char *a, const char *b)
{
	u_warn(c->p, err, format, a, b);
	c->status = 1;
}

int copy_backup_kind(struct proc *p, const char *arg)
{
	static const struct {
		const char *name;
		int kind;
	} kinds[] = {{"none", COPY_BACKUP_NONE},	 {"off", COPY_BACKUP_NONE},    {"simple", COPY_BACKUP_SIMPLE},
		     {"never", COPY_BACKUP_SIMPLE},	 {"existing", COPY_BACKUP_EXISTING}, {"nil", COPY_BACKUP_EXISTING},
		     {"numbered", COPY_BACKUP_NUMBERED}, {"t", COPY_BACKUP_NUMBERED}};

	if (!arg || !*arg)
		arg = u_getenv(p, "VERSION_CONTROL");
	if (!arg || !*arg)
		return COPY_BACKUP_EXISTING;
	for (size_t i = 0; i < COUNTOF(kinds); i++)
		if (streq(arg, kinds[i].name))
			return kinds[i].kind;
	u_usage(p,
		"invalid argument %s for 'backup type'\nValid arguments are:\n  - 'none', 'off'\n  - 'simple', 'never'\n"
		"  - 'existing', 'nil'\n  - 'numbered', 't'",
		u_quote(p, arg));
}

const char *copy_backup(struct copy *c, const char *to)
{
	struct proc *p = c->p;
	struct sys_stat st;
	const char *name = NULL;
	int kind = c->backup, e;

	if (kind == COPY_BACKUP_EXISTING)
		kind = sys_stat(p, u_format(p, "%s.~1~", to), SYS_NOFOLLOW, &st) == 0 ? COPY_BACKUP_NUMBERED : COPY_BACKUP_SIMPLE;
	if (kind == COPY_BACKUP_SIMPLE) {
		name = u_format(p, "%s%s", to, c->suffix ? c->suffix : "~");
	} else {
		for (int i = 1;; i++) {
			name = u_format(p, "%s.~%d~", to, i);
			if (sys_stat(p, name, SYS_NOFOLLOW, &st) < 0)
				break;
		}
	}
	e = sys_rename(p, to, name, 0);
	if (e < 0) {
		fail(c, e, "cannot backup %s%s", q(c, to), "");
		return NULL;
	}
	return name;
}

static bool ask(struct copy *c, const char *to)
{
	return u_ask(c->p, u_format(c->p, c->replacing ? "%s: replace %s? " : "%s: overwrite %s? ", u_name(c->p), q(c, to)));
}

static bool newer(struct sys_time a, struct sys_time b)
{
	return a.sec != b.sec ? a.sec > b.sec : a.nsec > b.nsec;
}

bool copy_may_replace(struct copy *c, const char *to, const struct sys_stat *from_st, const struct sys_stat *st)
{
	switch (c->clobber) {
	case COPY_NO_CLOBBER: return false;
	case COPY_UPDATE: return newer(from_st->mtime, st->mtime);
	case COPY_ASK: return ask(c, to);
	default: return true;
	}
}

/* An attribute that could not be kept. */
static void lost(struct copy *c, int err, const char *format, const char *a, const char *b)
{
	if (c->may_lose)
		u_warn(c->p, err, format, a, b);
	else
		fail(c, err, format, a, b);
}

static void keep_attributes(struct copy *c, const char *to, const struct sys_stat *st)
{
	bool link = is_type(st, SYS_S_LINK);
	int e = 0;

	if (c->preserve & COPY_TIMES)
		e = sys_utimes(c->p, to, st->atime, st->mtime, link ? SYS_NOFOLLOW : 0);
	if (e < 0)
		lost(c, e, "preserving times for %s%s", q(c, to), "");
	/* As for any user but root: an owner that cannot be kept is no failure. */
	if (c->preserve & COPY_OWNER)
		e = sys_chown(c->p, to, st->uid, st->gid, link ? SYS_NOFOLLOW : 0);
	if (!link && (c->preserve & COPY_MODE)) {
		e = sys_chmod(c->p, to, st->mode & 07777, 0);
		/* As where the owner cannot be kept: the set-ID bits go. */
		if (e == -NACRE_EPERM && (st->mode & 06000))
			e = sys_chmod(c->p, to, st->mode & 01777, 0);
		if (e < 0)
			lost(c, e, "preserving permissions for %s%s", q(c, to), "");
	}
}

/* The bytes of one regular file. `made`: the destination is new. */
static bool copy_data(struct copy *c, const char *from, const char *to, const struct sys_stat *st, bool exists)
{
	unsigned mode = c->plain_mode ? 0666 : st->mode & 0777;
	bool out_failed = false;
	int in, out, e;
	int64_t n;

	in = sys_open(c->p, from, SYS_O_READ | SYS_O_CLOEXEC, 0);
	if (in < 0) {
		fail(c, in, "cannot open %s for reading%s", q(c, from), "");
		return false;
	}
	if (exists) {
		out = sys_open(c->p, to, SYS_O_WRITE | (c->attributes_only ? 0 : SYS_O_TRUNC) | SYS_O_CLOEXEC, 0);
		if (out < 0 && (c->force || c->remove_destination) && sys_unlink(c->p, to) == 0)
			exists = false;
		else if (out < 0) {
			fail(c, out, "cannot create regular file %s%s", q(c, to), "");
			sys_close(c->p, in);
			return false;
		}
	}
	if (!exists) {
		out = sys_open(c->p, to, SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL | SYS_O_CLOEXEC,
			       c->preserve & COPY_MODE ? mode & 0700 : mode);
		if (out < 0) {
			struct sys_stat link;

			/* A dangling link at the destination is written through only when asked to by POSIXLY_CORRECT. */
			if (out == -NACRE_EEXIST && sys_stat(c->p, to, SYS_NOFOLLOW, &link) == 0)
				fail(c, 0, "not writing through dangling symlink %s%s", q(c, to), "");
			else
				fail(c, out == -NACRE_EISDIR && to[strlen(to) - 1] == '/' ? -NACRE_ENOTDIR : out,
				     "cannot create regular file %s%s", q(c, to), "");
			sys_close(c->p, in);
			return false;
		}
	}
	if (!c->attributes_only) {
		n = sys_splice(c->p, in, out, 0, &out_failed);
		if (n < 0)
			fail(c, (int)n, out_failed ? "error writing %s%s" : "error reading %s%s", q(c, out_failed ? to : from), "");
	} else {
		n = 0;
	}
	sys_close(c->p, in);
	e = sys_close(c->p, out);
	if (e < 0) {
		fail(c, e, "failed to close %s%s", q(c, to), "");
		return false;
	}
	return n >= 0;
}

static bool copy_symlink(struct copy *c, const char *from, const char *to)
{
	char *target = u_alloc(c->p, SYS_PATH_MAX);
	int64_t n = sys_readlink(c->p, from, target, SYS_PATH_MAX - 1);
	int e;

	if (n < 0) {
		fail(c, (int)n, "cannot read symbolic link %s%s", q(c, from), "");
		return false;
	}
	target[n] = '\0';
	e = sys_symlink(c->p, target, to);
	if (e < 0) {
		fail(c, e, "cannot create symbolic link %s to %s", q(c, to), q(c, target));
		return false;
	}
	return true;
}

/* The copy of an inode that was seen before becomes a link to its first copy. */
static bool linked_before(struct copy *c, const struct sys_stat *st, const char *to, bool exists)
{
	if (!(c->preserve & COPY_LINKS) || st->nlink < 2 || is_type(st, SYS_S_DIR))
		return false;
	for (size_t i = 0; i < c->nlinks; i++) {
		int e;

		if (c->links[i].ino != st->ino || c->links[i].dev != st->dev)
			continue;
		if (exists && (e = sys_unlink(c->p, to)) < 0)
			fail(c, e, "cannot remove %s%s", q(c, to), "");
		e = sys_link(c->p, c->links[i].to, to, 0);
		if (e < 0)
			fail(c, e, "cannot create hard link %s to %s", q(c, to), q(c, c->links[i].to));
		return true;
	}
	if (c->nlinks == c->links_cap) {
		size_t cap = c->links_cap ? c->links_cap * 2 : 16;

		c->links = arena_grow(&sys_self(c->p)->arena, c->links, c->links_cap * sizeof(*c->links), cap * sizeof(*c->links));
		c->links_cap = cap;
	}
	c->links[c->nlinks++] = (struct copy_link){st->dev, st->ino, u_strdup(c->p, to)};
	return false;
}

static void say(struct copy *c, const char *from, const char *to, const char *backup)
{
	if (!c->verbose)
		return;
	u_printf(u_stdout(c->p), "%s%s -> %s", c->moving ? "copied " : "", q(c, from), q(c, to));
	if (backup)
		u_printf(u_stdout(c->p), " (backup: %s)", q(c, backup));
	u_putc(u_stdout(c->p), '\n');
}

struct copy_name {
	const char *name;
	size_t len;
};

static void copy_tree(struct copy *c, const char *from, const char *to, const struct sys_stat *st, const struct sys_stat *to_st,
		      const struct sys_stat *root, int depth);

static void copy_any(struct copy *c, const char *from, const char *to, const struct sys_stat *root, int depth);

/* True when `to` lies inside the directory `st`. */
static bool is_inside(struct copy *c, const char *to, const struct sys_stat *st)
{
	char *dir = u_strdup(c->p, to);

	for (int i = 0; i < 256; i++) {
		struct sys_stat up;
		char *parent = u_dirname(c->p, dir);

		if (sys_stat(c->p, parent, 0, &up) == 0 && same_inode(&up, st))
			return true;
		if (streq(parent, dir)) {
			char real[SYS_PATH_MAX / 4];
			int64_t n;

			if (*dir == '/')
				return false;
			n = sys_realpath(c->p, ".", 2, real, sizeof(real) - 1);
			if (n < 0)
				return false;
			real[n] = '\0';
			dir = u_strdup(c->p, real);
			continue;
		}
		dir = parent;
	}
	return false;
}

static void copy_tree(struct copy *c, const char *from, const char *to, const struct sys_stat *st, const struct sys_stat *to_st,
		      const struct sys_stat *root, int depth)
{
	struct copy_name *names = NULL;
	size_t n = 0, cap = 0;
	struct sys_dirent d;
	bool made = false;
	int fd, e;

	if (depth > COPY_DEPTH_MAX) {
		fail(c, -NACRE_ELOOP, "cannot copy %s%s", q(c, from), "");
		return;
	}
	if (!to_st) {
		e = sys_mkdir(c->p, to, (st->mode & 0777) | 0700);
		if (e < 0) {
			fail(c, e, "cannot create directory %s%s", q(c, to), "");
			return;
		}
		made = true;
		say(c, from, to, NULL);
	}
	fd = sys_open(c->p, from, SYS_O_READ | SYS_O_DIRECTORY | SYS_O_CLOEXEC, 0);
	if (fd < 0) {
		fail(c, fd, "cannot access %s%s", q(c, from), "");
		return;
	}
	while ((e = sys_readdir(c->p, fd, &d)) > 0) {
		if (n == cap) {
			names = arena_grow(&sys_self(c->p)->arena, names, cap * sizeof(*names), (cap ? cap * 2 : 32) * sizeof(*names));
			cap = cap ? cap * 2 : 32;
		}
		names[n++] = (struct copy_name){u_strndup(c->p, d.name, d.len), d.len};
	}
	if (e < 0)
		fail(c, e, "cannot access %s%s", q(c, from), "");
	sys_close(c->p, fd);
	for (size_t i = 0; i < n; i++)
		copy_any(c, u_join(c->p, from, names[i].name), u_join(c->p, to, names[i].name), root, depth + 1);
	if (made) {
		unsigned umask = sys_umask(c->p, -1);

		if (c->preserve & (COPY_MODE | COPY_TIMES | COPY_OWNER))
			keep_attributes(c, to, st);
		if (!(c->preserve & COPY_MODE) && ((st->mode & 0777 & ~umask) | 0) != (((st->mode & 0777) | 0700) & ~umask))
			e = sys_chmod(c->p, to, st->mode & 0777 & ~umask, 0);
	}
}

/* Makes way for what cannot be written in place; false after a message. */
static bool replace(struct copy *c, const char *from, const char *to, const struct sys_stat *st, const struct sys_stat *to_st,
		    bool *exists, const char **backup)
{
	if (same_inode(st, to_st) && (!c->backup || copy_same_name(c->p, from, to))) {
		if (c->hard_link || (c->remove_destination && st->nlink > 1))
			return c->hard_link ? false : (sys_unlink(c->p, to) == 0 ? (*exists = false, true) : false);
		fail(c, 0, "%s and %s are the same file", q(c, from), q(c, to));
		return false;
	}
	if (is_type(to_st, SYS_S_DIR)) {
		fail(c, 0, c->moving ? "cannot overwrite directory %s with non-directory%s" : "cannot overwrite directory %s with non-directory%s",
		     q(c, to), "");
		return false;
	}
	if (!copy_may_replace(c, to, st, to_st))
		return false;
	if (c->backup) {
		*backup = copy_backup(c, to);
		*exists = false;
		return *backup != NULL;
	}
	if (c->remove_destination || c->moving || c->hard_link || c->symbolic_link || is_type(st, SYS_S_LINK)) {
		int e = 0;

		if ((c->symbolic_link || c->hard_link) && !c->force && !c->remove_destination)
			return true;
		e = sys_unlink(c->p, to);
		if (e < 0) {
			fail(c, e, "cannot remove %s%s", q(c, to), "");
			return false;
		}
		if (c->verbose && !c->moving && !c->hard_link && !c->symbolic_link)
			u_printf(u_stdout(c->p), "removed %s\n", q(c, to));
		*exists = false;
	}
	return true;
}

static void copy_any(struct copy *c, const char *from, const char *to, const struct sys_stat *root, int depth)
{
	bool follow = c->follow == COPY_FOLLOW_ALL || (depth == 0 && c->follow == COPY_FOLLOW_ROOTS) ||
		      (c->follow == COPY_FOLLOW_DEFAULT && !c->recursive);
	struct sys_stat st, to_st, target_st;
	const char *backup = NULL;
	bool exists, ok = true;
	int e;

	sys_checkpoint(c->p);
	if (!sys_stack(c->p, 16384)) {
		fail(c, -NACRE_ENAMETOOLONG, "cannot copy %s%s", q(c, from), "");
		return;
	}
	e = sys_stat(c->p, from, follow ? 0 : SYS_NOFOLLOW, &st);
	if (e < 0) {
		fail(c, e, "cannot stat %s%s", q(c, from), "");
		return;
	}
	if (is_type(&st, SYS_S_DIR) && !c->recursive) {
		fail(c, 0, "-r not specified; omitting directory %s%s", q(c, from), "");
		return;
	}
	/* Writing goes through a link at the destination unless the link itself is replaced. */
	e = sys_stat(c->p, to, SYS_NOFOLLOW, &to_st);
	if (e == -NACRE_ENOTDIR && to[strlen(to) - 1] == '/') {
		fail(c, e, "cannot stat %s%s", q(c, to), "");
		return;
	}
	exists = e == 0;
	if (exists && is_type(&to_st, SYS_S_LINK) && !c->remove_destination && !c->moving && !is_type(&st, SYS_S_LINK) && !c->backup &&
	    !c->hard_link && !c->symbolic_link) {
		if (sys_stat(c->p, to, 0, &target_st) == 0)
			to_st = target_st;
		else
			exists = false;
	}
	if (is_type(&st, SYS_S_DIR)) {
		if (exists && !is_type(&to_st, SYS_S_DIR)) {
			fail(c, 0, "cannot overwrite non-directory %s with directory %s", q(c, to), q(c, from));
			return;
		}
		if ((exists && same_inode(&st, &to_st)) || (depth == 0 && is_inside(c, to, &st)) ||
		    (root && depth && same_inode(&st, root))) {
			if (exists && same_inode(&st, &to_st) && depth == 0)
				fail(c, 0, "%s and %s are the same file", q(c, from), q(c, to));
			else
				fail(c, 0, "cannot copy a directory, %s, into itself, %s", q(c, from), q(c, to));
			return;
		}
		copy_tree(c, from, to, &st, exists ? &to_st : NULL, root, depth);
		return;
	}
	if (exists && !replace(c, from, to, &st, &to_st, &exists, &backup))
		return;
	if (linked_before(c, &st, to, exists)) {
		say(c, from, to, backup);
		return;
	}
	if (c->hard_link || c->symbolic_link) {
		if (c->symbolic_link && *from != '/' && strchr(to, '/') && !streq(u_dirname(c->p, to), ".")) {
			fail(c, 0, "%s: can make relative symbolic links only in current directory%s", u_quote_if_needed(c->p, to), "");
			return;
		}
		e = c->hard_link ? sys_link(c->p, from, to, follow ? 0 : SYS_NOFOLLOW) : sys_symlink(c->p, from, to);
		if (e < 0)
			fail(c, e, c->hard_link ? "cannot create hard link %s to %s" : "cannot create symbolic link %s to %s", q(c, to),
			     q(c, from));
		else
			say(c, from, to, backup);
		return;
	}
	if (is_type(&st, SYS_S_LINK)) {
		ok = copy_symlink(c, from, to);
	} else if (is_type(&st, SYS_S_FILE) || !c->recursive) {
		ok = copy_data(c, from, to, &st, exists);
	} else if (is_type(&st, SYS_S_FIFO)) {
		e = sys_mkfifo(c->p, to, st.mode & 0777);
		ok = e == 0;
		if (!ok)
			fail(c, e, "cannot create fifo %s%s", q(c, to), "");
	} else {
		fail(c, 0, "cannot create special file %s: it is not a regular file%s", q(c, to), "");
		return;
	}
	if (ok) {
		say(c, from, to, backup);
		if (c->preserve & (COPY_MODE | COPY_TIMES | COPY_OWNER))
			keep_attributes(c, to, &st);
	}
}

bool copy_same_name(struct proc *p, const char *a, const char *b)
{
	struct sys_stat x, y;

	return streq(u_basename(p, a), u_basename(p, b)) && sys_stat(p, u_dirname(p, a), 0, &x) == 0 &&
	       sys_stat(p, u_dirname(p, b), 0, &y) == 0 && same_inode(&x, &y);
}

void copy_file(struct copy *c, const char *from, const char *to, bool is_root)
{
	struct sys_stat st, *root = NULL, new_root;

	(void)is_root;
	/* A tree copied below itself must not be entered again through its own copy. */
	if (c->recursive && sys_stat(c->p, to, SYS_NOFOLLOW, &new_root) == 0 && sys_stat(c->p, from, 0, &st) == 0 &&
	    is_type(&st, SYS_S_DIR))
		root = &new_root;
	copy_any(c, from, to, root, 0);
}

void copy_operands(struct proc *p, const struct cmd_args *a, const char *t, bool T, struct copy_operands *out)
{
	struct sys_stat st;
	const char *last;
	int e;

	if (a->argc == 0)
		u_usage(p, "missing file operand");
	if (t && T)
		u_die(p, 1, 0, "cannot combine --target-directory (-t) and --no-target-directory (-T)");
	*out = (struct copy_operands){.n = a->argc, .from = a->argv};
	if (t) {
		e = sys_stat(p, t, 0, &st);
		if (e == 0 && !is_type(&st, SYS_S_DIR))
			e = -NACRE_ENOTDIR;
		if (e < 0)
			u_die(p, 1, e, "target directory %s", u_quote_file(p, t));
		out->dir = t;
		return;
	}
	if (a->argc == 1)
		u_usage(p, "missing destination file operand after %s", u_quote_file(p, a->argv[0]));
	last = a->argv[a->argc - 1];
	out->n--;
	if (T) {
		if (a->argc > 2)
			u_usage(p, "extra operand %s", u_quote_file(p, a->argv[2]));
		out->to = last;
		return;
	}
	e = sys_stat(p, last, 0, &st);
	if (e == 0 && is_type(&st, SYS_S_DIR)) {
		out->dir = last;
		return;
	}
	if (a->argc > 2)
		u_die(p, 1, e < 0 ? e : -NACRE_ENOTDIR, "target %s", u_quote_file(p, last));
	out->to = last;
}
