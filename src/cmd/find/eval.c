/* eval.c - judging one file by find's expression, and the actions. */
#include "find.h"

static bool compare(struct find_number want, uint64_t have)
{
	return want.sign > 0 ? have > want.n : want.sign < 0 ? have < want.n : have == want.n;
}

static uint32_t type_bit(uint32_t mode)
{
	return 1u << ((mode & SYS_S_TYPE) >> 12);
}

static struct sys_time file_time(const struct sys_stat *st, char which)
{
	return which == 'a' ? st->atime : which == 'c' ? st->ctime : which == 'B' ? st->btime : st->mtime;
}

static bool test_glob(struct find *f, const struct find_node *n, const char *text)
{
	return u_glob_match(n->text, strlen(n->text), text, strlen(text),
			    (n->icase ? U_GLOB_ICASE : 0) | (u_utf8(f->p) ? 0 : U_GLOB_BYTES));
}

/* GNU compares the base name without trailing slashes: find dir/ -name dir. */
static bool test_name(struct find *f, const struct find_node *n)
{
	return test_glob(f, n, f->e->depth ? f->e->name : u_basename(f->p, f->e->path));
}

static bool test_lname(struct find *f, const struct find_node *n)
{
	struct arena_mark mark = arena_mark(&sys_self(f->p)->arena);
	bool yes = false;
	char *target;
	int64_t len;

	if ((f->e->st.mode & SYS_S_TYPE) != SYS_S_LINK)
		return false;
	target = u_alloc(f->p, SYS_PATH_MAX);
	len = sys_readlink(f->p, f->e->path, target, SYS_PATH_MAX - 1);
	if (len >= 0) {
		target[len] = '\0';
		yes = test_glob(f, n, target);
	}
	arena_reset(&sys_self(f->p)->arena, mark);
	return yes;
}

static bool test_xtype(struct find *f, const struct find_node *n)
{
	struct sys_stat st;
	bool followed = f->walk_flags & U_WALK_FOLLOW;
	int e;

	if ((f->e->st.mode & SYS_S_TYPE) != SYS_S_LINK && !followed)
		return n->types & type_bit(f->e->st.mode);
	e = sys_stat(f->p, f->e->path, followed ? SYS_NOFOLLOW : 0, &st);
	if (e == -NACRE_ENOENT || e == -NACRE_ENOTDIR)
		return n->types & type_bit(SYS_S_LINK);
	if (e < 0) {
		u_warn(f->p, e, "%s", u_quote(f->p, f->e->path));
		f->status = 1;
		return false;
	}
	return n->types & type_bit(st.mode);
}

static bool test_empty(struct find *f)
{
	struct sys_dirent d;
	int fd, got;

	if ((f->e->st.mode & SYS_S_TYPE) == SYS_S_FILE)
		return f->e->st.size == 0;
	if ((f->e->st.mode & SYS_S_TYPE) != SYS_S_DIR)
		return false;
	fd = sys_open(f->p, f->e->path, SYS_O_READ | SYS_O_DIRECTORY | SYS_O_CLOEXEC, 0);
	if (fd < 0) {
		u_warn(f->p, fd, "%s", u_quote(f->p, f->e->path));
		f->status = 1;
		return false;
	}
	got = sys_readdir(f->p, fd, &d);
	sys_close(f->p, fd);
	return got == 0;
}

static bool newer(struct sys_time a, struct sys_time b)
{
	return a.sec != b.sec ? a.sec > b.sec : a.nsec > b.nsec;
}

/* A time against what -mtime and friends have worked out: later (-), earlier (+), or within one unit after it. */
static bool test_time(const struct find_node *n, const struct sys_stat *st)
{
	struct sys_time t = file_time(st, n->which), end = n->when;

	if (n->num.sign)
		return n->num.sign < 0 ? newer(t, n->when) : newer(n->when, t);
	if (__builtin_add_overflow(end.sec, (int64_t)n->unit, &end.sec))
		end.sec = INT64_MAX;
	return newer(t, n->when) && !newer(t, end);
}

static bool test_perm(const struct find_node *n, uint32_t mode)
{
	uint32_t want = (uint32_t)((mode & SYS_S_TYPE) == SYS_S_DIR ? n->unit : n->num.n);

	mode &= 07777;
	if (n->which == '-')
		return (mode & want) == want;
	if (n->which == '/')
		return !want || (mode & want);
	return mode == want;
}

static bool test_regex(struct find *f, const struct find_node *n)
{
	int r = regex_search(n->regex, n->scratch, f->e->path, strlen(f->e->path), 0, REGEX_ANCHORED, NULL, 0);

	if (r < 0) {
		u_warn(f->p, 0, "%s: %s", u_quote(f->p, f->e->path), regex_failure(r));
		f->status = 1;
	}
	return r == 1;
}

/* n->when is minus the days asked for: the access must lie within the n-th day after the change. */
static bool test_used(const struct find_node *n, const struct sys_stat *st)
{
	double delta = (double)(st->atime.sec - st->ctime.sec) + (st->atime.nsec - st->ctime.nsec) / 1e9;
	double want = -((double)n->when.sec + n->when.nsec / 1e9);

	if (delta < 0)
		return false;
	if (n->num.sign)
		return n->num.sign < 0 ? delta < want : delta > want;
	return delta >= want - (double)n->unit && delta < want;
}

/* ---- Actions ---------------------------------------------------------------- */

static bool do_delete(struct find *f)
{
	const char *path = f->e->path;
	int e;

	if (streq(path, "."))
		return true;
	e = (f->e->st.mode & SYS_S_TYPE) == SYS_S_DIR ? sys_rmdir(f->p, path) : sys_unlink(f->p, path);
	if (e < 0) {
		u_warn(f->p, e, "cannot delete %s", u_quote(f->p, path));
		f->status = 1;
		return false;
	}
	return true;
}

/* `text` with every {} replaced. */
static char *substitute(struct proc *p, const char *text, const char *file)
{
	struct u_buf b;
	const char *hit;

	if (!strstr(text, "{}"))
		return u_strdup(p, text);
	u_buf_init(&b, p, 0);
	while ((hit = strstr(text, "{}")) != NULL) {
		u_buf_put(&b, text, (size_t)(hit - text));
		u_buf_puts(&b, file);
		text = hit + 2;
	}
	u_buf_puts(&b, text);
	return b.ptr;
}

/* -ok: whether the answer read from standard input is yes. */
static bool agreed(struct find *f, const char *program)
{
	return u_ask(f->p, u_format(f->p, "< %s ... %s > ? ", program, f->e->path));
}

static int run(struct find *f, char **argv, const char *dir, bool no_input)
{
	char *back = dir ? u_strdup(f->p, sys_getcwd(f->p)) : NULL;
	int err = 0, status;

	u_flush(u_stdout(f->p));
	if (dir && (err = sys_chdir(f->p, dir)) < 0) {
		u_warn(f->p, err, "%s", u_quote(f->p, dir));
		f->status = 1;
		return 1;
	}
	status = u_run(f->p, argv, no_input, &err);
	if (err < 0)
		u_warn(f->p, err, "%s", u_quote(f->p, argv[0]));
	if (back && (err = sys_chdir(f->p, back)) < 0)
		u_die(f->p, 1, err, "%s", u_quote(f->p, back));
	return status;
}

static void run_batch(struct find *f, struct find_exec *x)
{
	char **argv;

	if (!x->count)
		return;
	argv = u_array(f->p, (size_t)x->argc + x->count + 1, sizeof(char *));
	memcpy(argv, x->argv, (size_t)x->argc * sizeof(char *));
	memcpy(argv + x->argc, x->collected, x->count * sizeof(char *));
	argv[(size_t)x->argc + x->count] = NULL;
	if (run(f, argv, x->in_dir ? x->dir : NULL, false) != 0)
		f->status = 1;
	x->count = x->bytes = 0;
}

static void collect(struct find *f, struct find_exec *x, const char *file, const char *dir)
{
	size_t need = strlen(file) + 1 + sizeof(char *);

	if (x->count && (x->bytes + need > FIND_BATCH_BYTES || (x->in_dir && !streq(dir, x->dir))))
		run_batch(f, x);
	if (x->count == x->cap) {
		size_t cap = x->cap ? x->cap * 2 : 64;

		x->collected = arena_grow(&sys_self(f->p)->arena, x->collected, x->cap * sizeof(char *), cap * sizeof(char *));
		x->cap = cap;
	}
	x->collected[x->count++] = u_strdup(f->p, file);
	x->bytes += need;
	x->dir = dir;
}

static bool do_exec(struct find *f, struct find_exec *x)
{
	struct arena_mark mark = arena_mark(&sys_self(f->p)->arena);
	const char *file = f->e->path;
	const char *dir = NULL;
	char **argv;
	bool ok;

	if (x->in_dir) {
		dir = u_dirname(f->p, file);
		file = u_basename(f->p, file);
		if (*file != '/')
			file = u_format(f->p, "./%s", file);
	}
	if (x->batch) {
		collect(f, x, file, dir);
		return true;
	}
	argv = u_array(f->p, (size_t)x->argc + 1, sizeof(char *));
	for (int i = 0; i < x->argc; i++)
		argv[i] = substitute(f->p, x->argv[i], file);
	argv[x->argc] = NULL;
	ok = (!x->ask || agreed(f, argv[0])) && run(f, argv, dir, x->ask) == 0;
	arena_reset(&sys_self(f->p)->arena, mark);
	return ok;
}

void find_flush_batches(struct find *f)
{
	for (size_t i = 0; i < f->nbatches; i++)
		run_batch(f, f->batches[i]->exec);
}

static bool act(struct find *f, const struct find_node *n)
{
	struct u_out *o = n->out ? n->out : u_stdout(f->p);

	if (o->fd == 2)
		u_flush(u_stdout(f->p));
	switch (n->kind) {
	case FIND_PRINT:
		u_puts(o, f->e->path);
		u_putc(o, '\n');
		return true;
	case FIND_PRINT0:
		u_put(o, f->e->path, strlen(f->e->path) + 1);
		return true;
	case FIND_PRINTF: find_printf(f, o, n->text); return true;
	case FIND_LS: find_ls(f, o); return true;
	case FIND_DELETE: return do_delete(f);
	case FIND_PRUNE: f->prune = true; return true;
	case FIND_QUIT: f->quit = true; return true;
	default: return do_exec(f, n->exec);
	}
}

static bool test(struct find *f, const struct find_node *n)
{
	const struct sys_stat *st = &f->e->st;

	switch (n->kind) {
	case FIND_TRUE: return true;
	case FIND_NAME: return test_name(f, n);
	case FIND_PATH: return test_glob(f, n, f->e->path);
	case FIND_LNAME: return test_lname(f, n);
	case FIND_REGEX: return test_regex(f, n);
	case FIND_TYPE: return n->types & type_bit(st->mode);
	case FIND_XTYPE: return test_xtype(f, n);
	case FIND_SIZE: return compare(n->num, ((uint64_t)st->size + n->unit - 1) / n->unit);
	case FIND_EMPTY: return test_empty(f);
	case FIND_TIME: return test_time(n, st);
	case FIND_NEWER: return newer(file_time(st, n->which), n->when);
	case FIND_USED: return test_used(n, st);
	case FIND_PERM: return test_perm(n, st->mode);
	case FIND_ACCESS: return sys_access(f->p, f->e->path, (unsigned)n->which) == 0;
	case FIND_UID: return compare(n->num, st->uid);
	case FIND_GID: return compare(n->num, st->gid);
	case FIND_NOUSER: return !u_user_name(f->p, st->uid);
	case FIND_NOGROUP: return !u_group_name(f->p, st->gid);
	case FIND_INUM: return compare(n->num, st->ino);
	case FIND_LINKS: return compare(n->num, st->nlink);
	case FIND_SAMEFILE: return st->dev == n->dev && st->ino == n->ino;
	case FIND_FSTYPE: {
		struct sys_statfs sf;

		return sys_statfs(f->p, f->e->path, &sf) == 0 && streq(sf.type, n->text);
	}
	default: return false;
	}
}

bool find_eval(struct find *f, const struct find_node *n)
{
	for (;;) {
		switch (n->kind) {
		case FIND_AND:
			if (!find_eval(f, n->a) || f->quit)
				return false;
			n = n->b;
			continue;
		case FIND_OR:
			if (find_eval(f, n->a) || f->quit)
				return true;
			n = n->b;
			continue;
		case FIND_COMMA:
			find_eval(f, n->a);
			if (f->quit)
				return false;
			n = n->b;
			continue;
		case FIND_NOT: return !find_eval(f, n->a);
		default: return n->kind >= FIND_PRINT ? act(f, n) : test(f, n);
		}
	}
}
