/*
 * dev.c - the devices, and the descriptors of the calling proc as files.
 *
 * The nodes are a table; "fd" is a directory whose entries are asked for each time. A
 * descriptor's stat is that of what it refers to, so `test -p /dev/stdin` tells the truth.
 */
#include "dev.h"

#define DEV_DEV 2u
#define FD_MAX  65536
#define FD_INO  1000u /* inode number of fd/0 */

enum node_kind {
	NODE_ROOT,
	NODE_FD_DIR,
	NODE_FD, /* one descriptor */
	NODE_FULL,
	NODE_NULL,
	NODE_PTMX,
	NODE_RANDOM,
	NODE_LINK,
	NODE_TTY,
	NODE_ZERO,
};

struct node {
	const char *name;
	enum node_kind kind;
	uint8_t major, minor;
	const char *link;
};

/* Sorted by name. */
static const struct node nodes[] = {
        {"fd", NODE_FD_DIR, 0, 0, NULL},     {"full", NODE_FULL, 1, 7, NULL},
        {"null", NODE_NULL, 1, 3, NULL},     {"ptmx", NODE_PTMX, 5, 2, NULL},
        {"random", NODE_RANDOM, 1, 8, NULL}, {"stderr", NODE_LINK, 0, 0, "fd/2"},
        {"stdin", NODE_LINK, 0, 0, "fd/0"},  {"stdout", NODE_LINK, 0, 0, "fd/1"},
        {"tty", NODE_TTY, 5, 0, NULL},       {"urandom", NODE_RANDOM, 1, 9, NULL},
        {"zero", NODE_ZERO, 1, 5, NULL},
};

static const struct node root_node = {"", NODE_ROOT, 0, 0, NULL};
static const struct node fd_node = {"", NODE_FD, 0, 0, NULL};
static const char zeroes[4096];

struct fs_dev {
	struct fs fs;
	struct quota *quota;
	struct fs_dev_config config;
};

struct dev_file {
	struct file f;
	struct fs_dev *dev;
	const struct node *node;
	int at;       /* of a listing */
	char name[8]; /* of the entry listed last */
};

static struct fs_dev *dev_of(struct fs *fs)
{
	return CONTAINER_OF(fs, struct fs_dev, fs);
}

/* ---- Looking up ------------------------------------------------------------------------ */

static const struct node *find(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNTOF(nodes); i++)
		if (strlen(nodes[i].name) == len && memcmp(nodes[i].name, name, len) == 0)
			return &nodes[i];
	return NULL;
}

/* A descriptor's number as the kernel writes it; -1: not one. */
static int fd_number(const char *s, size_t len)
{
	int n = 0;

	if (len == 0 || len > 5 || (s[0] == '0' && len > 1))
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (!ascii_digit(s[i]))
			return -1;
		n = n * 10 + (s[i] - '0');
	}
	return n < FD_MAX ? n : -1;
}

static void fill_stat(const struct fs_dev *dev, const struct node *node, struct sys_stat *st)
{
	bool is_dir = node->kind == NODE_ROOT || node->kind == NODE_FD_DIR;

	*st = (struct sys_stat){
	        .dev = dev->fs.dev,
	        .ino = node->kind == NODE_ROOT ? 1 : (uint64_t)(node - nodes) + 2,
	        .mode = SYS_S_CHAR | 0666,
	        .nlink = 1,
	        .rdev = (uint64_t)node->major << 8 | node->minor,
	        .blksize = 4096,
	        .atime = dev->config.time,
	        .mtime = dev->config.time,
	        .ctime = dev->config.time,
	        .btime = dev->config.time,
	};
	if (is_dir) {
		st->mode = SYS_S_DIR | 0755;
		st->nlink = node->kind == NODE_ROOT ? 3 : 2;
	} else if (node->kind == NODE_LINK) {
		st->mode = SYS_S_LINK | 0777;
		st->size = (int64_t)strlen(node->link);
	}
}

static int stat_fd(struct fs_dev *dev, int fd, struct sys_stat *st)
{
	struct file *f = dev->config.fd_file(dev->config.fd_ctx, fd);
	int err = 0;

	if (!f)
		return -NACRE_ENOENT;
	if (f->ops->stat)
		err = f->ops->stat(f, st);
	else
		*st = (struct sys_stat){.dev = dev->fs.dev,
		                        .ino = FD_INO + (unsigned)fd,
		                        .mode = SYS_S_CHAR | 0666,
		                        .nlink = 1,
		                        .blksize = 4096};
	file_put(f);
	return err;
}

/* Walks; *node is what was found (NULL unless FOUND), *fd its number when it is a descriptor. */
static int walk_to(struct fs_dev *dev, const char *path, struct fs_walk *w,
                   const struct node **node, int *fd)
{
	size_t n = strcspn(path, "/");
	const struct node *at = n ? find(path, n) : &root_node;
	int err;

	*node = NULL;
	*w = (struct fs_walk){.end = FS_WALK_MISSING, .to = n};
	if (n > FS_NAME_MAX)
		return -NACRE_ENAMETOOLONG;
	if (!at)
		return 0;
	if (!path[n]) {
		w->end = FS_WALK_FOUND;
		fill_stat(dev, at, &w->st);
		*node = at;
		return 0;
	}
	if (at->kind != NODE_FD_DIR) {
		w->end = at->kind == NODE_LINK ? FS_WALK_LINK : FS_WALK_NOTDIR;
		return 0;
	}
	w->from = n + 1;
	path += w->from;
	n = strcspn(path, "/");
	w->to = w->from + n;
	if (n > FS_NAME_MAX)
		return -NACRE_ENAMETOOLONG;
	*fd = fd_number(path, n);
	err = *fd < 0 ? -NACRE_ENOENT : stat_fd(dev, *fd, &w->st);
	if (err)
		return err == -NACRE_ENOENT ? 0 : err;
	w->end = path[n] ? FS_WALK_NOTDIR : FS_WALK_FOUND;
	*node = path[n] ? NULL : &fd_node;
	return 0;
}

static int dev_walk(struct fs *fs, const char *path, struct fs_walk *w)
{
	const struct node *node;
	int fd;

	return walk_to(dev_of(fs), path, w, &node, &fd);
}

/* As an operation needs it: missing only as the last component, where *node is NULL. */
static int look_up(struct fs_dev *dev, const char *path, const struct node **node, int *fd)
{
	struct fs_walk w;
	int err = walk_to(dev, path, &w, node, fd);

	if (err || w.end == FS_WALK_FOUND)
		return err;
	if (w.end == FS_WALK_LINK)
		return -NACRE_ELOOP;
	return w.end == FS_WALK_NOTDIR ? -NACRE_ENOTDIR : path[w.to] ? -NACRE_ENOENT : 0;
}

static int64_t dev_readlink(struct fs *fs, const char *path, char *buf, size_t n)
{
	const struct node *node;
	int fd, err = look_up(dev_of(fs), path, &node, &fd);

	if (err)
		return err;
	if (!node)
		return -NACRE_ENOENT;
	if (node->kind != NODE_LINK)
		return -NACRE_EINVAL;
	n = MIN(n, strlen(node->link));
	memcpy(buf, node->link, n);
	return (int64_t)n;
}

/* ---- Open devices -------------------------------------------------------------------------- */

static struct dev_file *file_of(struct file *f)
{
	return CONTAINER_OF(f, struct dev_file, f);
}

static int64_t dev_read(struct file *f, void *buf, size_t n, int64_t at)
{
	struct dev_file *df = file_of(f);

	(void)at;
	switch (df->node->kind) {
	case NODE_NULL: return 0;
	case NODE_RANDOM:
		n = MIN(n, (size_t)INT32_MAX);
		df->dev->config.random(df->dev->config.random_ctx, buf, n);
		return (int64_t)n;
	default:
		memset(buf, 0, MIN(n, (size_t)INT32_MAX));
		return (int64_t)MIN(n, (size_t)INT32_MAX);
	}
}

/* Only of zero and full: one page after the other, always the same. */
static int64_t zero_slice(struct file *f, size_t max, struct slice *out)
{
	(void)f;
	*out = (struct slice){NULL, zeroes, max > 0 ? MIN(max, sizeof(zeroes)) : sizeof(zeroes)};
	return (int64_t)out->len;
}

static int64_t dev_write(struct file *f, const void *buf, size_t n, int64_t at)
{
	(void)buf;
	(void)at;
	return file_of(f)->node->kind == NODE_FULL && n > 0 ? -NACRE_ENOSPC : (int64_t)n;
}

static int64_t dev_write_slice(struct file *f, const struct slice *s)
{
	return dev_write(f, s->ptr, s->len, -1);
}

/* What was taken from an endless or empty file is as good as put back. */
static int dev_unread(struct file *f, const struct slice *s, size_t n)
{
	(void)f;
	(void)s;
	(void)n;
	return 0;
}

static int64_t dev_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	(void)f;
	(void)offset;
	(void)whence;
	return 0;
}

static int dev_stat(struct file *f, struct sys_stat *out)
{
	fill_stat(file_of(f)->dev, file_of(f)->node, out);
	return 0;
}

static void dev_close(struct file *f)
{
	kfree(f->quota, file_of(f), sizeof(struct dev_file));
}

static const struct file_ops device_ops = {
        .kind = "dev",
        .read = dev_read,
        .write = dev_write,
        .write_slice = dev_write_slice,
        .unread = dev_unread,
        .seek = dev_seek,
        .stat = dev_stat,
        .close = dev_close,
};

static const struct file_ops zero_ops = {
        .kind = "dev",
        .read = dev_read,
        .write = dev_write,
        .read_slice = zero_slice,
        .write_slice = dev_write_slice,
        .unread = dev_unread,
        .seek = dev_seek,
        .stat = dev_stat,
        .close = dev_close,
};

/* ---- Open directories -------------------------------------------------------------------------
 */

static int list_nodes(struct dev_file *df, struct sys_dirent *out)
{
	struct sys_stat st;
	const struct node *node;

	if (df->at >= (int)COUNTOF(nodes))
		return 0;
	node = &nodes[df->at++];
	fill_stat(df->dev, node, &st);
	*out = (struct sys_dirent){node->name, strlen(node->name), st.mode & SYS_S_TYPE, st.ino};
	return 1;
}

static void write_number(char *out, unsigned n)
{
	char digits[8];
	size_t len = 0;

	do
		digits[len++] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	while (len > 0)
		*out++ = digits[--len];
	*out = '\0';
}

static int list_fds(struct dev_file *df, struct sys_dirent *out)
{
	const struct fs_dev_config *c = &df->dev->config;
	int count = MIN(c->fd_count(c->fd_ctx), FD_MAX);

	while (df->at < count) {
		int fd = df->at++;
		struct file *f = c->fd_file(c->fd_ctx, fd);

		if (!f)
			continue;
		file_put(f);
		write_number(df->name, (unsigned)fd);
		*out = (struct sys_dirent){df->name, strlen(df->name), 0, FD_INO + (unsigned)fd};
		return 1;
	}
	return 0;
}

static int dev_readdir(struct file *f, struct sys_dirent *out)
{
	struct dev_file *df = file_of(f);

	return df->node->kind == NODE_ROOT ? list_nodes(df, out) : list_fds(df, out);
}

static int64_t dev_dir_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	if (offset != 0 || whence != SYS_SEEK_SET)
		return -NACRE_EINVAL;
	file_of(f)->at = 0;
	return 0;
}

static const struct file_ops directory_ops = {
        .kind = "dev",
        .seek = dev_dir_seek,
        .stat = dev_stat,
        .readdir = dev_readdir,
        .close = dev_close,
};

/* ---- Opening ------------------------------------------------------------------------------------
 */

static int open_fd(struct fs_dev *dev, int fd, unsigned flags, struct file **out)
{
	unsigned wanted = flags & (SYS_O_READ | SYS_O_WRITE);
	struct file *f = dev->config.fd_file(dev->config.fd_ctx, fd);

	if (!f)
		return -NACRE_ENOENT;
	if ((f->flags & wanted) != wanted) {
		file_put(f);
		return -NACRE_EACCES;
	}
	*out = f;
	return 0;
}

static int check_open(const struct node *node, unsigned flags)
{
	bool is_dir = node && (node->kind == NODE_ROOT || node->kind == NODE_FD_DIR);

	if (!node)
		return flags & SYS_O_CREATE ? -NACRE_EACCES : -NACRE_ENOENT;
	if ((flags & SYS_O_CREATE) && (flags & SYS_O_EXCL))
		return -NACRE_EEXIST;
	if (node->kind == NODE_LINK)
		return -NACRE_ELOOP;
	if (is_dir && (flags & (SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC)))
		return -NACRE_EISDIR;
	if (!is_dir && (flags & SYS_O_DIRECTORY))
		return -NACRE_ENOTDIR;
	if (node->kind == NODE_TTY)
		return -NACRE_ENXIO;
	return node->kind == NODE_PTMX ? -NACRE_EACCES : 0;
}

static int dev_open(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q,
                    struct file **out)
{
	struct fs_dev *dev = dev_of(fs);
	const struct file_ops *ops = &device_ops;
	const struct node *node;
	struct dev_file *df;
	int fd, err = look_up(dev, path, &node, &fd);

	(void)mode;
	if (!err)
		err = check_open(node, flags);
	if (err)
		return err;
	if (node->kind == NODE_FD)
		return open_fd(dev, fd, flags, out);
	df = kzalloc(q, sizeof(*df));
	if (!df)
		return -NACRE_ENOMEM;
	if (node->kind == NODE_ROOT || node->kind == NODE_FD_DIR)
		ops = &directory_ops;
	else if (node->kind == NODE_ZERO || node->kind == NODE_FULL)
		ops = &zero_ops;
	file_init(&df->f, ops, flags & (SYS_O_READ | SYS_O_WRITE | SYS_O_APPEND | SYS_O_NONBLOCK),
	          q);
	df->dev = dev;
	df->node = node;
	*out = &df->f;
	return 0;
}

/* ---- What it refuses
 * -------------------------------------------------------------------------------- */

static int refuse_new(struct fs *fs, const char *path)
{
	const struct node *node;
	int fd, err = look_up(dev_of(fs), path, &node, &fd);

	return err ? err : node ? -NACRE_EEXIST : -NACRE_EACCES;
}

static int refuse_old(struct fs *fs, const char *path, int with)
{
	const struct node *node;
	int fd, err = look_up(dev_of(fs), path, &node, &fd);

	return err ? err : node ? with : -NACRE_ENOENT;
}

static int dev_mkdir(struct fs *fs, const char *path, unsigned mode)
{
	(void)mode;
	return refuse_new(fs, path);
}

static int dev_remove(struct fs *fs, const char *path)
{
	return refuse_old(fs, path, -NACRE_EACCES);
}

static int dev_rename(struct fs *fs, const char *from, const char *to, unsigned flags)
{
	(void)to;
	(void)flags;
	return refuse_old(fs, from, -NACRE_EACCES);
}

static int dev_link(struct fs *fs, const char *from, const char *to)
{
	int err = refuse_old(fs, from, 0);

	return err ? err : refuse_new(fs, to);
}

static int dev_symlink(struct fs *fs, const char *target, const char *path)
{
	(void)target;
	return refuse_new(fs, path);
}

static int dev_chmod(struct fs *fs, const char *path, unsigned mode)
{
	(void)mode;
	return refuse_old(fs, path, -NACRE_EPERM);
}

static int dev_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid)
{
	return refuse_old(fs, path, uid < 0 && gid < 0 ? 0 : -NACRE_EPERM);
}

/* Who may write a device may set its times to now (touch /dev/null); they are not kept. */
static int dev_utimes(struct fs *fs, const char *path, const struct sys_time t[2])
{
	bool omit = t[0].nsec == SYS_TIME_OMIT && t[1].nsec == SYS_TIME_OMIT;
	bool now = t[0].nsec == SYS_TIME_NOW && t[1].nsec == SYS_TIME_NOW;
	const struct node *node;
	int fd, err = look_up(dev_of(fs), path, &node, &fd);

	if (err)
		return err;
	if (!node)
		return -NACRE_ENOENT;
	if (omit)
		return 0;
	if (!now)
		return -NACRE_EPERM;
	return node->kind == NODE_ROOT || node->kind == NODE_FD_DIR ? -NACRE_EACCES : 0;
}

static int dev_truncate(struct fs *fs, const char *path, int64_t size)
{
	const struct node *node;
	int fd, err = look_up(dev_of(fs), path, &node, &fd);

	(void)size;
	if (err)
		return err;
	if (!node)
		return -NACRE_ENOENT;
	return node->kind == NODE_ROOT || node->kind == NODE_FD_DIR ? -NACRE_EISDIR : -NACRE_EINVAL;
}

static int dev_statfs(struct fs *fs, struct sys_statfs *out)
{
	(void)fs;
	memcpy(out->type, "devfs", sizeof("devfs"));
	out->block_size = 4096;
	out->files_total = COUNTOF(nodes);
	return 0;
}

static void dev_free(struct fs *fs)
{
	struct fs_dev *dev = dev_of(fs);

	kfree(dev->quota, dev, sizeof(*dev));
}

static const struct fs_ops dev_ops = {
        .type = "devfs",
        .walk = dev_walk,
        .readlink = dev_readlink,
        .open = dev_open,
        .mkdir = dev_mkdir,
        .rmdir = dev_remove,
        .unlink = dev_remove,
        .rename = dev_rename,
        .link = dev_link,
        .symlink = dev_symlink,
        .mkfifo = dev_mkdir,
        .chmod = dev_chmod,
        .chown = dev_chown,
        .utimes = dev_utimes,
        .truncate = dev_truncate,
        .statfs = dev_statfs,
        .free = dev_free,
};

int fs_dev_new(struct quota *q, const struct fs_dev_config *config, struct fs **out)
{
	struct fs_dev *dev = kalloc(q, sizeof(*dev));

	if (!dev)
		return -NACRE_ENOMEM;
	*dev = (struct fs_dev){{.ops = &dev_ops, .refs = 1, .dev = DEV_DEV}, q, *config};
	*out = &dev->fs;
	return 0;
}
