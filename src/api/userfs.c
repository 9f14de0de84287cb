/* userfs.c - a filesystem made of the host's functions: paths. */
#include "userfs.h"

/* ---- Stat and walk ------------------------------------------------------------------- */

uint64_t userfs_ino(const char *path)
{
	uint64_t h = 14695981039346656037u;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 1099511628211u;
	return (h >> 8) | 1;
}

int userfs_stat(struct userfs *u, const char *path, struct sys_stat *out)
{
	nacre_fs_op *op = userfs_op(u, OP_STAT, path, NULL, 0);
	int64_t r = userfs_call(op);

	if (r == -NACRE_EKILLED || !op)
		return (int)r;
	if (r >= 0) {
		const nacre_stat *st = &op->st;
		struct sys_time t = {st->mtime_ns / 1000000000, (int32_t)(st->mtime_ns % 1000000000)};

		if (t.nsec < 0) {
			t.nsec += 1000000000;
			t.sec--;
		}
		*out = (struct sys_stat){.dev = u->fs.dev, .ino = st->ino ? st->ino : userfs_ino(path), .mode = st->mode ? st->mode : SYS_S_FILE | 0644,
					 .nlink = st->nlink ? st->nlink : 1, .uid = FS_UID, .gid = FS_GID, .size = MAX(st->size, 0),
					 .blksize = 4096, .atime = t, .mtime = t, .ctime = t, .btime = t};
		out->blocks = (out->size + 511) / 512;
	}
	userfs_op_put(op);
	return (int)MIN(r, 0);
}

/* Which component of a path that is not there is in the way. */
static int find_stop(struct userfs *u, const char *path, struct fs_walk *w)
{
	size_t from = 0;
	char prefix[SYS_PATH_MAX];

	for (;;) {
		size_t to = from + strcspn(path + from, "/");
		struct sys_stat st;
		int e;

		memcpy(prefix, path, to);
		prefix[to] = '\0';
		e = userfs_stat(u, prefix, &st);
		w->from = from;
		w->to = to;
		w->end = FS_WALK_MISSING;
		if (e == -NACRE_ENOENT || e == -NACRE_ENOTDIR)
			return 0;
		if (e < 0)
			return e;
		if (!path[to]) { /* it has come meanwhile */
			w->end = FS_WALK_FOUND;
			w->st = st;
			return 0;
		}
		if ((st.mode & SYS_S_TYPE) != SYS_S_DIR) {
			w->end = (st.mode & SYS_S_TYPE) == SYS_S_LINK ? FS_WALK_LINK : FS_WALK_NOTDIR;
			return 0;
		}
		from = to + 1;
	}
}

static int user_walk(struct fs *fs, const char *path, struct fs_walk *w)
{
	struct userfs *u = user_of(fs);
	int e = userfs_stat(u, path, &w->st);

	for (const char *s = path; *s; s += strcspn(s, "/"), s += *s == '/')
		if (strcspn(s, "/") > FS_NAME_MAX)
			return -NACRE_ENAMETOOLONG;
	w->from = w->to = 0;
	w->end = FS_WALK_FOUND;
	if ((e != -NACRE_ENOENT && e != -NACRE_ENOTDIR && e != -NACRE_ELOOP) || !*path)
		return e;
	return find_stop(u, path, w);
}

/* What is there; a path that leads nowhere is an error. */
static int look_up(struct userfs *u, const char *path, struct fs_walk *w)
{
	int e = user_walk(&u->fs, path, w);

	if (e < 0 || w->end == FS_WALK_FOUND)
		return e;
	return w->end == FS_WALK_LINK ? -NACRE_ELOOP : w->end == FS_WALK_NOTDIR ? -NACRE_ENOTDIR : path[w->to] ? -NACRE_ENOENT : 0;
}

static int64_t user_readlink(struct fs *fs, const char *path, char *buf, size_t n)
{
	nacre_fs_op *op = userfs_op(user_of(fs), OP_READLINK, path, NULL, FS_LINK_MAX);
	int64_t r = userfs_call(op);

	if (r == -NACRE_EKILLED || !op)
		return r;
	if (r > 0) {
		r = MIN(r, (int64_t)MIN(n, (size_t)FS_LINK_MAX));
		memcpy(buf, op->buf, (size_t)r);
	}
	userfs_op_put(op);
	return r;
}

/* ---- Opening ------------------------------------------------------------------------------------ */

static int check_found(const struct sys_stat *st, unsigned flags)
{
	uint32_t type = st->mode & SYS_S_TYPE;
	bool changes = (flags & (SYS_O_WRITE | SYS_O_TRUNC)) != 0;
	unsigned how = (flags & SYS_O_READ ? SYS_R_OK : 0) | (changes ? SYS_W_OK : 0);

	if ((flags & SYS_O_CREATE) && (flags & SYS_O_EXCL))
		return -NACRE_EEXIST;
	if (type == SYS_S_LINK)
		return -NACRE_ELOOP;
	if (type == SYS_S_DIR && (changes || (flags & SYS_O_CREATE)))
		return -NACRE_EISDIR;
	if (type != SYS_S_DIR && (flags & SYS_O_DIRECTORY))
		return -NACRE_ENOTDIR;
	if ((st->mode >> 6 & how) != how)
		return -NACRE_EACCES;
	return type == SYS_S_DIR || type == SYS_S_FILE ? 0 : -NACRE_EACCES;
}

static int user_open(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q, struct file **out)
{
	struct userfs *u = user_of(fs);
	struct fs_walk w;
	int e = look_up(u, path, &w);

	if (e < 0)
		return e;
	if (w.end == FS_WALK_FOUND)
		e = check_found(&w.st, flags);
	else if (!(flags & SYS_O_CREATE))
		e = -NACRE_ENOENT;
	if (e < 0)
		return e;
	if (w.end == FS_WALK_FOUND && (w.st.mode & SYS_S_TYPE) == SYS_S_DIR)
		return userfs_open_dir(u, path, q, out);
	return userfs_open_file(u, path, flags, mode, q, out);
}

/* ---- Names and attributes ------------------------------------------------------------------------ */

static int with_mode(struct fs *fs, enum op_kind kind, const char *path, unsigned mode)
{
	nacre_fs_op *op = userfs_op(user_of(fs), kind, path, NULL, 0);

	if (op)
		op->mode = mode;
	return (int)userfs_call_simply(op);
}

static int user_mkdir(struct fs *fs, const char *path, unsigned mode)
{
	return with_mode(fs, OP_MKDIR, path, mode);
}

static int user_chmod(struct fs *fs, const char *path, unsigned mode)
{
	return with_mode(fs, OP_CHMOD, path, mode);
}

static int user_rmdir(struct fs *fs, const char *path)
{
	return (int)userfs_call_simply(userfs_op(user_of(fs), OP_RMDIR, path, NULL, 0));
}

static int user_unlink(struct fs *fs, const char *path)
{
	return (int)userfs_call_simply(userfs_op(user_of(fs), OP_UNLINK, path, NULL, 0));
}

static int user_rename(struct fs *fs, const char *from, const char *to, unsigned flags)
{
	struct fs_walk w;
	int e = flags & SYS_NOREPLACE ? look_up(user_of(fs), to, &w) : 0;

	if (e == 0 && (flags & SYS_NOREPLACE) && w.end == FS_WALK_FOUND)
		e = -NACRE_EEXIST;
	return e < 0 ? e : (int)userfs_call_simply(userfs_op(user_of(fs), OP_RENAME, from, to, 0));
}

static int user_symlink(struct fs *fs, const char *target, const char *path)
{
	return (int)userfs_call_simply(userfs_op(user_of(fs), OP_SYMLINK, path, target, 0));
}

static int user_link(struct fs *fs, const char *from, const char *to)
{
	(void)fs;
	(void)from;
	(void)to;
	return -NACRE_EPERM;
}

static int user_mkfifo(struct fs *fs, const char *path, unsigned mode)
{
	(void)fs;
	(void)path;
	(void)mode;
	return -NACRE_EPERM;
}

static int user_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid)
{
	(void)fs;
	(void)path;
	return (uid < 0 || uid == FS_UID) && (gid < 0 || gid == FS_GID) ? 0 : -NACRE_EPERM;
}

static int64_t time_ns(nacre_runtime *rt, const struct sys_time *t)
{
	int64_t ns;

	if (t->nsec == SYS_TIME_OMIT)
		return INT64_MIN;
	if (t->nsec == SYS_TIME_NOW)
		return rt->port->clock(rt->port, PORT_CLOCK_REAL);
	return __builtin_mul_overflow(t->sec, (int64_t)1000000000, &ns) || __builtin_add_overflow(ns, (int64_t)t->nsec, &ns) ? INT64_MAX : ns;
}

static int user_utimes(struct fs *fs, const char *path, const struct sys_time t[2])
{
	struct userfs *u = user_of(fs);
	nacre_fs_op *op = userfs_op(u, OP_UTIMES, path, NULL, 0);

	if (op) {
		op->at = time_ns(u->rt, &t[0]);
		op->at2 = time_ns(u->rt, &t[1]);
	}
	return (int)userfs_call_simply(op);
}

static int user_truncate(struct fs *fs, const char *path, int64_t size)
{
	struct userfs *u = user_of(fs);
	struct file *f;
	int e = user_open(fs, path, SYS_O_WRITE, 0, runtime_quota(u->rt->kernel), &f);

	if (e < 0)
		return e;
	e = userfs_ftruncate(f, size);
	file_put(f);
	return e;
}

static void user_free(struct fs *fs)
{
	struct userfs *u = user_of(fs);

	kfree(runtime_quota(u->rt->kernel), u, sizeof(*u));
}

static const struct fs_ops user_ops = {
	.type = "userfs", .walk = user_walk, .readlink = user_readlink, .open = user_open, .mkdir = user_mkdir, .rmdir = user_rmdir,
	.unlink = user_unlink, .rename = user_rename, .link = user_link, .symlink = user_symlink, .mkfifo = user_mkfifo,
	.chmod = user_chmod, .chown = user_chown, .utimes = user_utimes, .truncate = user_truncate, .free = user_free,
};

int userfs_new(nacre_runtime *rt, const nacre_filesystem *table, struct fs **out)
{
	struct userfs *u = kzalloc(runtime_quota(rt->kernel), sizeof(*u));

	if (!u)
		return -NACRE_ENOMEM;
	u->fs = (struct fs){.ops = &user_ops, .refs = 1};
	u->rt = rt;
	u->table = *table;
	u->fast = table->is_fast && table->is_fast(table->payload);
	*out = &u->fs;
	return 0;
}
