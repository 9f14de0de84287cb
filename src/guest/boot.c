/*
 * boot.c - the files a guest sees while it boots: those of the rom it brings along.
 *
 * What it becomes then is the start of every run of every sandbox, so nothing of the sandbox that
 * happens to be the first may be in it: no file, no descriptor, no name. A file of the rom is opened as a
 * copy, a directory as an empty file that fd_readdir lists from the rom.
 */
#include "calls.h"

const struct rom_node *boot_find(const struct guest *g, const char *path)
{
	const struct guest_code *code = g->code;
	size_t n;

	if (!code->rom)
		return NULL;
	n = strlen(code->rom_at);
	if (strncmp(path, code->rom_at, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	return rom_find(code->rom, path[n] ? path + n + 1 : "");
}

/* A copy of bytes, behind a descriptor that is none of the standard ones, whether those are open or not. */
static int copy_open(struct guest *g, const char *bytes, size_t n)
{
	int fd = sys_memfile(g->p, bytes, n), other;

	if (fd < 0 || fd > 2)
		return fd;
	other = sys_dup(g->p, fd, 3, true);
	sys_close(g->p, fd);
	return other;
}

int boot_open(struct guest *g, const char *path, unsigned flags)
{
	const struct rom_node *n = boot_find(g, path);
	int fd;

	if (!n)
		return -NACRE_ENOENT;
	if (flags & (SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC))
		return -NACRE_EROFS;
	if (!rom_is_dir(n))
		return flags & SYS_O_DIRECTORY ? -NACRE_ENOTDIR : copy_open(g, rom_bytes(g->code->rom, n), n->size);
	fd = copy_open(g, "", 0);
	if (fd >= 0)
		wasi_dir_opened(g, fd, path);
	return fd;
}

/* As fs/romfs answers when the guest runs. */
int boot_stat(struct guest *g, const char *path, struct sys_stat *st)
{
	const struct rom_node *n = boot_find(g, path);
	bool dir;

	if (!n)
		return -NACRE_ENOENT;
	dir = rom_is_dir(n);
	*st = (struct sys_stat){.mode = dir ? SYS_S_DIR | 0755 : SYS_S_FILE | 0644, .size = dir ? 4096 : (int64_t)n->size,
				.nlink = 1, .ino = (uint64_t)(n - g->code->rom->node) + 1, .dev = 4, .blksize = 4096};
	st->atime = st->mtime = st->ctime = st->btime = (struct sys_time){g->code->rom->time, 0};
	return 0;
}

/* The at-th entry; 1, or 0 at the end. */
int boot_readdir(const struct guest *g, const char *path, uint64_t at, struct sys_dirent *e)
{
	const struct rom_node *dir = boot_find(g, path), *n = dir ? rom_child(g->code->rom, dir, (size_t)at) : NULL;

	if (!n)
		return 0;
	*e = (struct sys_dirent){rom_name(g->code->rom, n), n->name_len, rom_is_dir(n) ? SYS_S_DIR : SYS_S_FILE,
				 (uint64_t)(n - g->code->rom->node) + 1};
	return 1;
}
