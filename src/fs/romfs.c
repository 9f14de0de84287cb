/* romfs.c - a rom as a filesystem. See romfs.h. */
#include "romfs.h"

#define ROM_DEV 4u

struct fs_rom {
	struct fs fs;
	const struct rom *rom;
	struct quota *quota;
};

struct rom_file {
	struct file f;
	struct fs_rom *fs;
	const struct rom_node *node;
	size_t at; /* the next of a listing */
};

static struct fs_rom *rom_of(struct fs *fs)
{
	return CONTAINER_OF(fs, struct fs_rom, fs);
}

static struct rom_file *file_of(struct file *f)
{
	return CONTAINER_OF(f, struct rom_file, f);
}

static uint64_t number_of(const struct fs_rom *r, const struct rom_node *n)
{
	return (uint64_t)(n - r->rom->node) + 1;
}

static void fill_stat(const struct fs_rom *r, const struct rom_node *n, struct sys_stat *st)
{
	struct sys_time t = {r->rom->time, 0};
	bool dir = rom_is_dir(n);

	*st = (struct sys_stat){
	        .dev = r->fs.dev,
	        .ino = number_of(r, n),
	        .mode = dir ? SYS_S_DIR | 0755 : SYS_S_FILE | 0644,
	        .nlink = dir ? 2 : 1,
	        .size = dir ? 4096 : (int64_t)n->size,
	        .blocks = dir ? 8 : (int64_t)((n->size + 4095) / 4096 * 8),
	        .blksize = 4096,
	        .atime = t,
	        .mtime = t,
	        .ctime = t,
	        .btime = t,
	};
}

static int walk(struct fs *fs, const char *path, struct fs_walk *w)
{
	struct fs_rom *r = rom_of(fs);
	const struct rom_node *n = &r->rom->node[0];

	*w = (struct fs_walk){.end = FS_WALK_FOUND};
	while (path[w->from]) {
		size_t len = strcspn(path + w->from, "/");

		w->to = w->from + len;
		if (len > FS_NAME_MAX)
			return -NACRE_ENAMETOOLONG;
		n = rom_look(r->rom, n, path + w->from, len);
		if (!n) {
			w->end = FS_WALK_MISSING;
			return 0;
		}
		if (path[w->to] && !rom_is_dir(n)) {
			w->end = FS_WALK_NOTDIR;
			return 0;
		}
		w->from = w->to + (path[w->to] == '/');
	}
	fill_stat(r, n, &w->st);
	return 0;
}

/* 0; -NACRE_ENOENT, ENOTDIR, ENAMETOOLONG. */
static int look_up(struct fs *fs, const char *path, const struct rom_node **n)
{
	struct fs_walk w;
	int err = walk(fs, path, &w);

	if (err)
		return err;
	if (w.end != FS_WALK_FOUND)
		return w.end == FS_WALK_NOTDIR ? -NACRE_ENOTDIR : -NACRE_ENOENT;
	*n = rom_find(rom_of(fs)->rom, path);
	return 0;
}

static int64_t read_link(struct fs *fs, const char *path, char *buf, size_t n)
{
	const struct rom_node *node;
	int err = look_up(fs, path, &node);

	(void)buf;
	(void)n;
	return err ? err : -NACRE_EINVAL;
}

/* ---- Open files ---------------------------------------------------------------------- */

static int64_t read_file(struct file *f, void *buf, size_t n, int64_t at)
{
	const struct rom_file *rf = file_of(f);
	uint64_t from = (uint64_t)(at < 0 ? f->offset : at), size = rf->node->size;

	n = from < size ? (size_t)MIN((uint64_t)n, size - from) : 0;
	memcpy(buf, rom_bytes(rf->fs->rom, rf->node) + from, n);
	if (at < 0)
		f->offset += (int64_t)n;
	return (int64_t)n;
}

static int unread_file(struct file *f, const struct slice *s, size_t n)
{
	(void)s;
	f->offset -= (int64_t)MIN((uint64_t)n, (uint64_t)f->offset);
	return 0;
}

static int64_t seek_file(struct file *f, int64_t offset, enum sys_whence whence)
{
	int64_t base = whence == SYS_SEEK_CUR ? f->offset : whence == SYS_SEEK_END ? (int64_t)file_of(f)->node->size : 0;
	int64_t to;

	if (__builtin_add_overflow(base, offset, &to))
		return -NACRE_EOVERFLOW;
	return to < 0 ? -NACRE_EINVAL : (f->offset = to);
}

static int stat_file(struct file *f, struct sys_stat *out)
{
	fill_stat(file_of(f)->fs, file_of(f)->node, out);
	return 0;
}

static int read_directory(struct file *f, struct sys_dirent *out)
{
	struct rom_file *rf = file_of(f);
	const struct rom_node *n = rom_child(rf->fs->rom, rf->node, rf->at);

	if (!n)
		return 0;
	*out = (struct sys_dirent){rom_name(rf->fs->rom, n), n->name_len, rom_is_dir(n) ? SYS_S_DIR : SYS_S_FILE,
	                           number_of(rf->fs, n)};
	rf->at++;
	return 1;
}

static int64_t seek_directory(struct file *f, int64_t offset, enum sys_whence whence)
{
	if (offset != 0 || whence != SYS_SEEK_SET)
		return -NACRE_EINVAL;
	file_of(f)->at = 0;
	return 0;
}

static void close_file(struct file *f)
{
	struct rom_file *rf = file_of(f);
	struct fs *fs = &rf->fs->fs;

	kfree(f->quota, rf, sizeof(*rf));
	fs_put(fs);
}

static const struct file_ops file_ops = {
        .kind = "rom",
        .read = read_file,
        .unread = unread_file,
        .seek = seek_file,
        .stat = stat_file,
        .close = close_file,
};

static const struct file_ops directory_ops = {
        .kind = "rom",
        .seek = seek_directory,
        .stat = stat_file,
        .readdir = read_directory,
        .close = close_file,
};

static int open_file(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q, struct file **out)
{
	const struct rom_node *n = NULL;
	struct rom_file *rf;
	int err = look_up(fs, path, &n);
	bool dir;

	(void)mode;
	if (err)
		return err == -NACRE_ENOENT && flags & SYS_O_CREATE ? -NACRE_EROFS : err;
	dir = rom_is_dir(n);
	if (flags & SYS_O_CREATE && flags & SYS_O_EXCL)
		return -NACRE_EEXIST;
	if (dir && flags & (SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC))
		return -NACRE_EISDIR;
	if (!dir && flags & SYS_O_DIRECTORY)
		return -NACRE_ENOTDIR;
	if (flags & (SYS_O_WRITE | SYS_O_TRUNC))
		return -NACRE_EROFS;
	rf = kzalloc(q, sizeof(*rf));
	if (!rf)
		return -NACRE_ENOMEM;
	file_init(&rf->f, dir ? &directory_ops : &file_ops, SYS_O_READ | (flags & SYS_O_NONBLOCK), q);
	rf->fs = rom_of(fs_get(fs));
	rf->node = n;
	*out = &rf->f;
	return 0;
}

static int stat_filesystem(struct fs *fs, struct sys_statfs *out)
{
	memcpy(out->type, "romfs", sizeof("romfs"));
	out->block_size = 4096;
	out->bytes_total = rom_of(fs)->rom->size;
	out->files_total = rom_of(fs)->rom->nodes;
	return 0;
}

static void free_filesystem(struct fs *fs)
{
	struct fs_rom *r = rom_of(fs);

	kfree(r->quota, r, sizeof(*r));
}

static const struct fs_ops rom_ops = {
        .type = "romfs",
        .walk = walk,
        .readlink = read_link,
        .open = open_file,
        .statfs = stat_filesystem,
        .free = free_filesystem,
};

int fs_rom_new(struct quota *q, const struct rom *rom, struct fs **out)
{
	struct fs_rom *r = kalloc(q, sizeof(*r));

	if (!r)
		return -NACRE_ENOMEM;
	*r = (struct fs_rom){{.ops = &rom_ops, .refs = 1, .dev = ROM_DEV}, rom, q};
	*out = &r->fs;
	return 0;
}
