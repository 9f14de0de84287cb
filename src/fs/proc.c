/*
 * proc.c - /proc. Two tables of nodes, one for its root and one for the directory of a proc; what a file says is
 * proc_text.c's.
 */
#include "proc_text.h"

#define FD_MAX 65536

static const struct proc_node top[] = {
        {"cpuinfo", PROC_FILE, proc_cpuinfo}, {"filesystems", PROC_FILE, proc_filesystems},
        {"loadavg", PROC_FILE, proc_loadavg}, {"meminfo", PROC_FILE, proc_meminfo},
        {"mounts", PROC_LINK, NULL},          {"self", PROC_LINK, NULL},
        {"stat", PROC_FILE, proc_stat},       {"uptime", PROC_FILE, proc_uptime},
        {"version", PROC_FILE, proc_version},
};

static const struct proc_node of_pid[] = {
        {"cmdline", PROC_FILE, proc_cmdline}, {"comm", PROC_FILE, proc_comm},
        {"cwd", PROC_LINK, NULL},             {"environ", PROC_FILE, proc_environ},
        {"exe", PROC_LINK, NULL},             {"fd", PROC_DIR, NULL},
        {"maps", PROC_REFUSED, NULL},         {"mem", PROC_REFUSED, NULL},
        {"mounts", PROC_FILE, proc_mounts},   {"root", PROC_LINK, NULL},
        {"stat", PROC_FILE, proc_pid_stat},   {"statm", PROC_FILE, proc_statm},
        {"status", PROC_FILE, proc_status},
};

static const struct proc_node root_node = {"", PROC_DIR, NULL}, pid_node = {"", PROC_DIR, NULL}, fd_node = {"", PROC_LINK, NULL};

/* A path that was looked up. */
struct spot {
	const struct proc_node *node;
	int pid, fd; /* 0 and -1: none */
};

struct proc_file {
	struct file f;
	struct proc_fs *fs;
	struct spot at;
	struct proc_out text;
	int next;      /* of a listing */
	char name[12]; /* of the entry listed last */
};

static struct proc_fs *proc_of(struct fs *fs)
{
	return CONTAINER_OF(fs, struct proc_fs, fs);
}

/* ---- Looking up ----------------------------------------------------------------- */

/* A number as the kernel writes it; -1: none. */
static int number(const char *s, size_t len)
{
	int n = 0;

	if (len == 0 || len > 9 || (s[0] == '0' && len > 1))
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (!ascii_digit(s[i]))
			return -1;
		n = n * 10 + (s[i] - '0');
	}
	return n;
}

static const struct proc_node *find(const struct proc_node *v, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(v[i].name) == len && memcmp(v[i].name, name, len) == 0)
			return &v[i];
	return NULL;
}

/* The component name[0, len) in the directory `at`; node NULL when it is not there. */
static struct spot step(const struct proc_fs *p, struct spot at, const char *name, size_t len)
{
	const struct fs_proc_config *c = &p->config;
	struct sys_procinfo info;
	struct spot to = {NULL, at.pid, -1};

	if (at.node == &root_node) {
		to.node = find(top, COUNTOF(top), name, len);
		to.pid = to.node ? 0 : number(name, len);
		if (!to.node && to.pid > 0 && c->proc(c->ctx, to.pid, &info) == 0)
			to.node = &pid_node;
		if (to.node && streq(to.node->name, "self") && !c->self(c->ctx))
			to.node = NULL;
	} else if (at.node == &pid_node) {
		to.node = find(of_pid, COUNTOF(of_pid), name, len);
	} else {
		to.fd = number(name, len);
		if (to.fd >= 0 && to.fd < FD_MAX && c->fd(c->ctx, at.pid, to.fd) == to.fd)
			to.node = &fd_node;
	}
	return to;
}

static void fill_stat(const struct proc_fs *p, struct spot at, struct sys_stat *st)
{
	uint64_t ino = at.node == &root_node ? 1 : at.node == &pid_node ? 2 : at.node == &fd_node ? 64 + (uint64_t)at.fd
		     : at.pid ? 32 + (uint64_t)(at.node - of_pid) : 3 + (uint64_t)(at.node - top);

	*st = (struct sys_stat){.dev = p->fs.dev, .ino = ino + (uint64_t)at.pid * 100000, .mode = SYS_S_FILE | 0444, .nlink = 1,
				.blksize = 4096, .atime = p->config.time, .mtime = p->config.time, .ctime = p->config.time,
				.btime = p->config.time};
	if (at.pid) {
		st->uid = FS_UID;
		st->gid = FS_GID;
	}
	switch (at.node->kind) {
	case PROC_DIR:
		st->mode = SYS_S_DIR | (at.pid && at.node != &pid_node ? 0500u : 0555u);
		st->nlink = 2;
		break;
	case PROC_LINK: st->mode = SYS_S_LINK | 0777; break;
	case PROC_REFUSED: st->mode = SYS_S_FILE; break;
	case PROC_FILE:
		if (at.node->write == proc_environ)
			st->mode = SYS_S_FILE | 0400;
		break;
	}
}

static int walk_to(const struct proc_fs *p, const char *path, struct fs_walk *w, struct spot *at)
{
	size_t from = 0;

	*at = (struct spot){&root_node, 0, -1};
	*w = (struct fs_walk){.end = FS_WALK_FOUND};
	while (path[from]) {
		size_t n = strcspn(path + from, "/");

		w->from = from;
		w->to = from + n;
		if (n > FS_NAME_MAX)
			return -NACRE_ENAMETOOLONG;
		*at = step(p, *at, path + from, n);
		if (!at->node) {
			w->end = FS_WALK_MISSING;
			return 0;
		}
		from += n;
		if (!path[from])
			break;
		if (at->node->kind != PROC_DIR) {
			w->end = at->node->kind == PROC_LINK ? FS_WALK_LINK : FS_WALK_NOTDIR;
			return 0;
		}
		from++;
	}
	fill_stat(p, *at, &w->st);
	return 0;
}

static int proc_walk(struct fs *fs, const char *path, struct fs_walk *w)
{
	struct spot at;

	return walk_to(proc_of(fs), path, w, &at);
}

/* As an operation needs it: missing only as the last component, where node is NULL. */
static int look_up(struct proc_fs *p, const char *path, struct spot *at)
{
	struct fs_walk w;
	int err = walk_to(p, path, &w, at);

	if (err || w.end == FS_WALK_FOUND)
		return err;
	return w.end == FS_WALK_LINK ? -NACRE_ELOOP : w.end == FS_WALK_NOTDIR ? -NACRE_ENOTDIR : path[w.to] ? -NACRE_ENOENT : 0;
}

static int64_t proc_readlink(struct fs *fs, const char *path, char *buf, size_t n)
{
	struct proc_fs *p = proc_of(fs);
	const struct fs_proc_config *c = &p->config;
	struct proc_out out = {.quota = p->quota};
	struct spot at;
	int64_t got = look_up(p, path, &at);
	char text[SYS_PATH_MAX];

	if (got || !at.node)
		return got ? got : -NACRE_ENOENT;
	if (at.node->kind != PROC_LINK)
		return -NACRE_EINVAL;
	if (at.node == &fd_node) {
		proc_add(&out, "/dev/fd/");
		proc_add_number(&out, (uint64_t)at.fd);
	} else if (!at.pid && at.node->name[0] == 'm') {
		proc_add(&out, "self/mounts");
	} else if (!at.pid) {
		proc_add_number(&out, (uint64_t)c->self(c->ctx));
	} else if (streq(at.node->name, "root")) {
		proc_add(&out, "/");
	} else {
		bool exe = at.node->name[0] == 'e';

		got = c->text(c->ctx, at.pid, exe ? FS_PROC_PROGRAM : FS_PROC_CWD, 0, text, sizeof(text) - 1);
		if (got >= 0) {
			text[got] = '\0';
			proc_add(&out, exe ? "/usr/bin/" : "");
			proc_add(&out, text);
		}
	}
	if (got >= 0 && !out.err) {
		n = MIN(n, out.len);
		memcpy(buf, out.s, n);
		got = (int64_t)n;
	}
	got = out.err ? out.err : got;
	proc_out_release(&out);
	return got;
}

/* ---- Open files ------------------------------------------------------------------- */

static struct proc_file *file_of(struct file *f)
{
	return CONTAINER_OF(f, struct proc_file, f);
}

static int64_t proc_read(struct file *f, void *buf, size_t n, int64_t at)
{
	const struct proc_out *t = &file_of(f)->text;
	uint64_t from = (uint64_t)(at < 0 ? f->offset : at);

	n = from < t->len ? MIN(n, t->len - (size_t)from) : 0;
	if (n)
		memcpy(buf, t->s + from, n);
	if (at < 0)
		f->offset += (int64_t)n;
	return (int64_t)n;
}

static int proc_unread(struct file *f, const struct slice *s, size_t n)
{
	(void)s;
	f->offset -= (int64_t)MIN((uint64_t)n, (uint64_t)f->offset);
	return 0;
}

static int64_t proc_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	int64_t to;

	if (whence == SYS_SEEK_END || __builtin_add_overflow(whence == SYS_SEEK_CUR ? f->offset : 0, offset, &to) || to < 0)
		return -NACRE_EINVAL;
	return f->offset = to;
}

static int proc_fstat(struct file *f, struct sys_stat *out)
{
	fill_stat(file_of(f)->fs, file_of(f)->at, out);
	return 0;
}

static void proc_close(struct file *f)
{
	struct proc_file *pf = file_of(f);

	proc_out_release(&pf->text);
	fs_put(&pf->fs->fs);
	kfree(f->quota, pf, sizeof(*pf));
}

static const struct file_ops proc_file_ops = {
        .kind = "proc", .read = proc_read, .unread = proc_unread, .seek = proc_seek, .stat = proc_fstat, .close = proc_close,
};

/* ---- Listings ------------------------------------------------------------------------ */

static int list_number(struct proc_file *pf, int n, uint32_t type, struct sys_dirent *out)
{
	char digits[12];
	size_t len = 0, k = 0;

	do
		digits[len++] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	while (len > 0)
		pf->name[k++] = digits[--len];
	pf->name[k] = '\0';
	*out = (struct sys_dirent){pf->name, k, type, 0};
	return 1;
}

static int list_node(const struct proc_node *n, struct sys_dirent *out)
{
	static const uint32_t types[] = {[PROC_FILE] = SYS_S_FILE, [PROC_REFUSED] = SYS_S_FILE, [PROC_DIR] = SYS_S_DIR, [PROC_LINK] = SYS_S_LINK};

	*out = (struct sys_dirent){n->name, strlen(n->name), types[n->kind], 0};
	return 1;
}

/* Numbers, then names, as a listing sorted by name has them. */
static int proc_readdir(struct file *f, struct sys_dirent *out)
{
	struct proc_file *pf = file_of(f);
	const struct fs_proc_config *c = &pf->fs->config;
	int got, n;

	if (pf->at.node == &root_node && pf->next >= 0) {
		n = c->after(c->ctx, pf->next);
		pf->next = n ? n : -1;
		got = n ? list_number(pf, n, SYS_S_DIR, out) : 0;
		if (got)
			return got;
	}
	if (pf->at.node == &root_node) {
		n = -pf->next - 1;
		if (n < (int)COUNTOF(top) && streq(top[n].name, "self") && !c->self(c->ctx))
			n++;
		if (n >= (int)COUNTOF(top))
			return 0;
		pf->next = -n - 2;
		return list_node(&top[n], out);
	}
	if (pf->at.node == &pid_node)
		return pf->next < (int)COUNTOF(of_pid) ? list_node(&of_pid[pf->next++], out) : 0;
	n = c->fd(c->ctx, pf->at.pid, pf->next);
	if (n < 0)
		return 0;
	pf->next = n + 1;
	return list_number(pf, n, SYS_S_LINK, out);
}

static int64_t proc_dir_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	if (offset != 0 || whence != SYS_SEEK_SET)
		return -NACRE_EINVAL;
	file_of(f)->next = 0;
	return 0;
}

static const struct file_ops proc_dir_ops = {
        .kind = "proc", .seek = proc_dir_seek, .stat = proc_fstat, .readdir = proc_readdir, .close = proc_close,
};

/* ---- Opening ----------------------------------------------------------------------------- */

static int check_open(struct spot at, unsigned flags)
{
	bool is_dir = at.node && at.node->kind == PROC_DIR;

	if (!at.node)
		return -NACRE_ENOENT;
	if ((flags & SYS_O_CREATE) && (flags & SYS_O_EXCL))
		return -NACRE_EEXIST;
	if (at.node->kind == PROC_LINK)
		return -NACRE_ELOOP;
	if (is_dir && (flags & (SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC)))
		return -NACRE_EISDIR;
	if (!is_dir && (flags & SYS_O_DIRECTORY))
		return -NACRE_ENOTDIR;
	return at.node->kind == PROC_REFUSED || (flags & (SYS_O_WRITE | SYS_O_TRUNC)) ? -NACRE_EACCES : 0;
}

static int proc_open(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q, struct file **out)
{
	struct proc_fs *p = proc_of(fs);
	struct proc_file *pf;
	struct spot at;
	int err = look_up(p, path, &at);

	(void)mode;
	if (!err)
		err = check_open(at, flags);
	if (err)
		return err;
	pf = kzalloc(q, sizeof(*pf));
	if (!pf)
		return -NACRE_ENOMEM;
	file_init(&pf->f, at.node->kind == PROC_DIR ? &proc_dir_ops : &proc_file_ops, flags & (SYS_O_READ | SYS_O_NONBLOCK), q);
	pf->fs = p;
	pf->at = at;
	pf->text.quota = q;
	fs_get(fs);
	if (at.node->kind == PROC_FILE)
		at.node->write(&p->config, at.pid, &pf->text);
	err = pf->text.err;
	if (err)
		proc_close(&pf->f);
	else
		*out = &pf->f;
	return err;
}

/* ---- What it refuses --------------------------------------------------------------------- */

static int refuse(struct fs *fs, const char *path, int new, int old)
{
	struct spot at;
	int err = look_up(proc_of(fs), path, &at);

	return err ? err : at.node ? old : new;
}

static int proc_mkdir(struct fs *fs, const char *path, unsigned mode)
{
	(void)mode;
	return refuse(fs, path, -NACRE_ENOENT, -NACRE_EEXIST);
}

static int proc_remove(struct fs *fs, const char *path)
{
	return refuse(fs, path, -NACRE_ENOENT, -NACRE_EPERM);
}

static int proc_rename(struct fs *fs, const char *from, const char *to, unsigned flags)
{
	(void)to;
	(void)flags;
	return refuse(fs, from, -NACRE_ENOENT, -NACRE_EPERM);
}

static int proc_link(struct fs *fs, const char *from, const char *to)
{
	(void)to;
	return refuse(fs, from, -NACRE_ENOENT, -NACRE_EPERM);
}

static int proc_symlink(struct fs *fs, const char *target, const char *path)
{
	(void)target;
	return refuse(fs, path, -NACRE_ENOENT, -NACRE_EEXIST);
}

static int proc_chmod(struct fs *fs, const char *path, unsigned mode)
{
	(void)mode;
	return refuse(fs, path, -NACRE_ENOENT, -NACRE_EPERM);
}

static int proc_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid)
{
	(void)uid;
	(void)gid;
	return refuse(fs, path, -NACRE_ENOENT, -NACRE_EPERM);
}

static int proc_utimes(struct fs *fs, const char *path, const struct sys_time t[2])
{
	(void)t;
	return refuse(fs, path, -NACRE_ENOENT, -NACRE_EPERM);
}

static int proc_truncate(struct fs *fs, const char *path, int64_t size)
{
	(void)size;
	return refuse(fs, path, -NACRE_ENOENT, -NACRE_EACCES);
}

static void proc_free(struct fs *fs)
{
	kfree(proc_of(fs)->quota, proc_of(fs), sizeof(struct proc_fs));
}

static const struct fs_ops proc_ops = {
        .type = "proc",
        .walk = proc_walk,
        .readlink = proc_readlink,
        .open = proc_open,
        .mkdir = proc_mkdir,
        .rmdir = proc_remove,
        .unlink = proc_remove,
        .rename = proc_rename,
        .link = proc_link,
        .symlink = proc_symlink,
        .mkfifo = proc_mkdir,
        .chmod = proc_chmod,
        .chown = proc_chown,
        .utimes = proc_utimes,
        .truncate = proc_truncate,
        .free = proc_free,
};

int fs_proc_new(struct quota *q, const struct fs_proc_config *config, struct fs **out)
{
	struct proc_fs *p = kzalloc(q, sizeof(*p));

	if (!p)
		return -NACRE_ENOMEM;
	p->fs = (struct fs){.ops = &proc_ops, .refs = 1, .dev = 5};
	p->quota = q;
	p->config = *config;
	*out = &p->fs;
	return 0;
}
