/* bin.c - the directory of programs, made from the program table. */
#include "bin.h"

#define BIN_DEV     3u
#define TEXT_BEFORE "nacre built-in program: "

struct fs_bin {
	struct fs fs;
	const struct program_table *programs;
	struct sys_time time;
	struct quota *quota;
};

/* An open program, or the directory when program is NULL. */
struct bin_file {
	struct file f;
	struct fs_bin *bin;
	const struct program *program;
	size_t at; /* next program of a listing */
};

static struct fs_bin *bin_of(struct fs *fs)
{
	return CONTAINER_OF(fs, struct fs_bin, fs);
}

static const struct program *find(const struct fs_bin *bin, const char *name)
{
	size_t lo = 0, hi = bin->programs->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(name, bin->programs->v[mid].name);

		if (c == 0)
			return &bin->programs->v[mid];
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

static size_t text_size(const struct program *p)
{
	return sizeof(TEXT_BEFORE) - 1 + strlen(p->name) + 1;
}

static char text_byte(const struct program *p, size_t at)
{
	const size_t before = sizeof(TEXT_BEFORE) - 1;

	if (at < before)
		return TEXT_BEFORE[at];
	return at + 1 == text_size(p) ? '\n' : p->name[at - before];
}

static void fill_stat(const struct fs_bin *bin, const struct program *p, struct sys_stat *st)
{
	*st = (struct sys_stat){
	        .dev = bin->fs.dev,
	        .ino = p ? (uint64_t)(p - bin->programs->v) + 2 : 1,
	        .mode = p ? SYS_S_FILE | 0755 : SYS_S_DIR | 0755,
	        .nlink = p ? 1 : 2,
	        .size = p ? (int64_t)text_size(p) : 4096,
	        .blocks = 8,
	        .blksize = 4096,
	        .atime = bin->time,
	        .mtime = bin->time,
	        .ctime = bin->time,
	        .btime = bin->time,
	};
}

static int bin_walk(struct fs *fs, const char *path, struct fs_walk *w)
{
	struct fs_bin *bin = bin_of(fs);
	const struct program *p = NULL;
	char name[FS_NAME_MAX + 1];
	size_t n = strcspn(path, "/");

	*w = (struct fs_walk){.end = FS_WALK_FOUND, .to = n};
	if (n > FS_NAME_MAX)
		return -NACRE_ENAMETOOLONG;
	if (n > 0) {
		memcpy(name, path, n);
		name[n] = '\0';
		p = find(bin, name);
		if (!p)
			w->end = FS_WALK_MISSING;
		else if (path[n])
			w->end = FS_WALK_NOTDIR;
	}
	if (w->end == FS_WALK_FOUND)
		fill_stat(bin, p, &w->st);
	return 0;
}

/* 0; -NACRE_ENOENT, ENOTDIR, ENAMETOOLONG. *p NULL: the directory itself. */
static int look_up(struct fs_bin *bin, const char *path, const struct program **p)
{
	struct fs_walk w;
	int err = bin_walk(&bin->fs, path, &w);

	*p = NULL;
	if (err)
		return err;
	if (w.end != FS_WALK_FOUND)
		return w.end == FS_WALK_NOTDIR ? -NACRE_ENOTDIR : -NACRE_ENOENT;
	*p = *path ? find(bin, path) : NULL;
	return 0;
}

static int64_t bin_readlink(struct fs *fs, const char *path, char *buf, size_t n)
{
	const struct program *p;
	int err = look_up(bin_of(fs), path, &p);

	(void)buf;
	(void)n;
	return err ? err : -NACRE_EINVAL;
}

/* ---- Open files -------------------------------------------------------------------- */

static struct bin_file *file_of(struct file *f)
{
	return CONTAINER_OF(f, struct bin_file, f);
}

static int64_t bin_read(struct file *f, void *buf, size_t n, int64_t at)
{
	const struct program *p = file_of(f)->program;
	size_t size = text_size(p), from = (size_t)(at < 0 ? f->offset : at), got = 0;

	while (got < n && from < size)
		((char *)buf)[got++] = text_byte(p, from++);
	if (at < 0)
		f->offset += (int64_t)got;
	return (int64_t)got;
}

static int bin_unread(struct file *f, const struct slice *s, size_t n)
{
	(void)s;
	f->offset -= (int64_t)MIN((uint64_t)n, (uint64_t)f->offset);
	return 0;
}

static int64_t bin_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	int64_t base = whence == SYS_SEEK_CUR   ? f->offset
	               : whence == SYS_SEEK_END ? (int64_t)text_size(file_of(f)->program)
	                                        : 0;
	int64_t to;

	if (__builtin_add_overflow(base, offset, &to))
		return -NACRE_EOVERFLOW;
	if (to < 0)
		return -NACRE_EINVAL;
	return f->offset = to;
}

static int bin_stat(struct file *f, struct sys_stat *out)
{
	fill_stat(file_of(f)->bin, file_of(f)->program, out);
	return 0;
}

static int bin_readdir(struct file *f, struct sys_dirent *out)
{
	struct bin_file *bf = file_of(f);
	const struct program_table *t = bf->bin->programs;

	if (bf->at >= t->n)
		return 0;
	*out = (struct sys_dirent){t->v[bf->at].name, strlen(t->v[bf->at].name), SYS_S_FILE,
	                           bf->at + 2};
	bf->at++;
	return 1;
}

static int64_t bin_dir_seek(struct file *f, int64_t offset, enum sys_whence whence)
{
	if (offset != 0 || whence != SYS_SEEK_SET)
		return -NACRE_EINVAL;
	file_of(f)->at = 0;
	return 0;
}

static void bin_close(struct file *f)
{
	kfree(f->quota, file_of(f), sizeof(struct bin_file));
}

static const struct file_ops program_ops = {
        .kind = "bin",
        .read = bin_read,
        .unread = bin_unread,
        .seek = bin_seek,
        .stat = bin_stat,
        .close = bin_close,
};

static const struct file_ops directory_ops = {
        .kind = "bin",
        .seek = bin_dir_seek,
        .stat = bin_stat,
        .readdir = bin_readdir,
        .close = bin_close,
};

const struct program *fs_bin_program(struct file *f)
{
	return f->ops == &program_ops ? file_of(f)->program : NULL;
}

static int bin_open(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q,
                    struct file **out)
{
	struct fs_bin *bin = bin_of(fs);
	const struct program *p;
	struct bin_file *bf;
	int err = look_up(bin, path, &p);

	(void)mode;
	if (err)
		return err == -NACRE_ENOENT && (flags & SYS_O_CREATE) && !strchr(path, '/')
		               ? -NACRE_EACCES
		               : err;
	if ((flags & SYS_O_CREATE) && (flags & SYS_O_EXCL))
		return -NACRE_EEXIST;
	if (!p && (flags & (SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC)))
		return -NACRE_EISDIR;
	if (p && (flags & SYS_O_DIRECTORY))
		return -NACRE_ENOTDIR;
	if (flags & (SYS_O_WRITE | SYS_O_TRUNC))
		return -NACRE_EACCES;
	bf = kzalloc(q, sizeof(*bf));
	if (!bf)
		return -NACRE_ENOMEM;
	file_init(&bf->f, p ? &program_ops : &directory_ops, SYS_O_READ | (flags & SYS_O_NONBLOCK),
	          q);
	bf->bin = bin;
	bf->program = p;
	*out = &bf->f;
	return 0;
}

/* ---- What it refuses --------------------------------------------------------------------- */

/* A new name: only the directory's owner might. */
static int refuse_new(struct fs_bin *bin, const char *path)
{
	const struct program *p;
	int err = look_up(bin, path, &p);

	if (!err)
		return -NACRE_EEXIST;
	return err == -NACRE_ENOENT && !strchr(path, '/') ? -NACRE_EACCES : err;
}

static int refuse_old(struct fs_bin *bin, const char *path, int with)
{
	const struct program *p;
	int err = look_up(bin, path, &p);

	return err ? err : with;
}

static int bin_mkdir(struct fs *fs, const char *path, unsigned mode)
{
	(void)mode;
	return refuse_new(bin_of(fs), path);
}

static int bin_remove(struct fs *fs, const char *path)
{
	return refuse_old(bin_of(fs), path, -NACRE_EACCES);
}

static int bin_rename(struct fs *fs, const char *from, const char *to, unsigned flags)
{
	(void)to;
	(void)flags;
	return refuse_old(bin_of(fs), from, -NACRE_EACCES);
}

static int bin_link(struct fs *fs, const char *from, const char *to)
{
	int err = refuse_old(bin_of(fs), from, 0);

	return err ? err : refuse_new(bin_of(fs), to);
}

static int bin_symlink(struct fs *fs, const char *target, const char *path)
{
	(void)target;
	return refuse_new(bin_of(fs), path);
}

static int bin_chmod(struct fs *fs, const char *path, unsigned mode)
{
	(void)mode;
	return refuse_old(bin_of(fs), path, -NACRE_EPERM);
}

static int bin_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid)
{
	return refuse_old(bin_of(fs), path, uid < 0 && gid < 0 ? 0 : -NACRE_EPERM);
}

static int bin_utimes(struct fs *fs, const char *path, const struct sys_time t[2])
{
	bool now = t[0].nsec == SYS_TIME_NOW && t[1].nsec == SYS_TIME_NOW;

	if (t[0].nsec == SYS_TIME_OMIT && t[1].nsec == SYS_TIME_OMIT)
		return refuse_old(bin_of(fs), path, 0);
	return refuse_old(bin_of(fs), path, now ? -NACRE_EACCES : -NACRE_EPERM);
}

static int bin_truncate(struct fs *fs, const char *path, int64_t size)
{
	const struct program *p;
	int err = look_up(bin_of(fs), path, &p);

	(void)size;
	return err ? err : p ? -NACRE_EACCES : -NACRE_EISDIR;
}

static int bin_statfs(struct fs *fs, struct sys_statfs *out)
{
	memcpy(out->type, "binfs", sizeof("binfs"));
	out->block_size = 4096;
	out->files_total = bin_of(fs)->programs->n;
	return 0;
}

static void bin_free(struct fs *fs)
{
	struct fs_bin *bin = bin_of(fs);

	kfree(bin->quota, bin, sizeof(*bin));
}

static const struct fs_ops bin_ops = {
        .type = "binfs",
        .walk = bin_walk,
        .readlink = bin_readlink,
        .open = bin_open,
        .mkdir = bin_mkdir,
        .rmdir = bin_remove,
        .unlink = bin_remove,
        .rename = bin_rename,
        .link = bin_link,
        .symlink = bin_symlink,
        .mkfifo = bin_mkdir,
        .chmod = bin_chmod,
        .chown = bin_chown,
        .utimes = bin_utimes,
        .truncate = bin_truncate,
        .statfs = bin_statfs,
        .free = bin_free,
};

int fs_bin_new(struct quota *q, const struct program_table *programs, struct sys_time time,
               struct fs **out)
{
	struct fs_bin *bin = kalloc(q, sizeof(*bin));

	if (!bin)
		return -NACRE_ENOMEM;
	*bin = (struct fs_bin){{.ops = &bin_ops, .refs = 1, .dev = BIN_DEV}, programs, time, q};
	*out = &bin->fs;
	return 0;
}
