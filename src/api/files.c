/* files.c - the sandbox's files, from the host: through the same vfs, policy and budget. */
#include "api.h"

#include <stdlib.h>

#include "../kernel/hostcall.h"

struct nacre_file {
	nacre_sandbox *sb;
	struct file *file;
};

static int report(nacre_sandbox *sb, int e, const char *what, const char *path)
{
	hostcall_flush(sb->rt->kernel);
	if (e == -NACRE_EBUSY && recording_now(sb->rt))
		return recording_refuses(sb->rt);
	if (e < 0)
		return runtime_fail(sb->rt, e, "%s '%s': %s", what, path, errno_text(e));
	sb->rt->error[0] = '\0';
	return e;
}

/* Who works on the sandbox's files: nobody, while they are recorded. */
static int find_who(nacre_sandbox *sb, struct vfs_who *who)
{
	sandbox_who(sb->kernel, who);
	return recording_now(sb->rt) ? -NACRE_EBUSY : 0;
}

static int open_path(nacre_sandbox *sb, const char *path, unsigned flags, unsigned mode, struct file **out)
{
	struct vfs_who who;
	struct sys_stat st;
	int e = find_who(sb, &who);

	if (e < 0)
		return e;
	/* A fifo would have to wait for its other end: there is nobody to wait here. */
	if (vfs_stat(&who, path, 0, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_FIFO)
		return -NACRE_ENXIO;
	return vfs_open(&who, path, flags, mode, out);
}

int nacre_file_open(nacre_file **out, nacre_sandbox *sb, const char *path, unsigned flags, unsigned mode)
{
	static const unsigned map[][2] = {{NACRE_OPEN_READ, SYS_O_READ},     {NACRE_OPEN_WRITE, SYS_O_WRITE}, {NACRE_OPEN_APPEND, SYS_O_APPEND},
					  {NACRE_OPEN_CREATE, SYS_O_CREATE}, {NACRE_OPEN_EXCL, SYS_O_EXCL},   {NACRE_OPEN_TRUNC, SYS_O_TRUNC}};
	nacre_file *f = malloc(sizeof(*f));
	unsigned how = 0;
	int e;

	*out = NULL;
	if (!f)
		return runtime_fail(sb->rt, -NACRE_ENOMEM, "out of memory");
	for (size_t i = 0; i < COUNTOF(map); i++)
		how |= flags & map[i][0] ? map[i][1] : 0;
	if (!(how & (SYS_O_READ | SYS_O_WRITE)))
		how |= SYS_O_READ;
	f->sb = sb;
	e = open_path(sb, path, how, mode, &f->file);
	if (e < 0) {
		free(f);
		return report(sb, e, "cannot open", path);
	}
	*out = f;
	return report(sb, 0, "", path);
}

int64_t nacre_file_read_at(nacre_file *f, void *buf, size_t n, int64_t at)
{
	if (at < 0)
		return -NACRE_EINVAL;
	if (!(f->file->flags & SYS_O_READ) || !f->file->ops->read)
		return -NACRE_EBADF;
	return f->file->ops->read(f->file, buf, n, at);
}

int64_t nacre_file_write_at(nacre_file *f, const void *buf, size_t n, int64_t at)
{
	if (at < 0)
		return -NACRE_EINVAL;
	if (!(f->file->flags & SYS_O_WRITE) || !f->file->ops->write)
		return -NACRE_EBADF;
	return f->file->ops->write(f->file, buf, n, at);
}

int nacre_file_sync(nacre_file *f)
{
	return f->file->ops->flush ? f->file->ops->flush(f->file) : 0;
}

void nacre_file_close(nacre_file *f)
{
	if (!f)
		return;
	(void)!file_settle(f->file); /* who wants to know has called nacre_file_sync */
	file_put(f->file);
	hostcall_flush(f->sb->rt->kernel);
	free(f);
}

int nacre_fs_read(char **data, size_t *len, nacre_sandbox *sb, const char *path)
{
	struct file *file;
	size_t n = 0, cap = 65536;
	char *text;
	int64_t got = 0;
	int e = open_path(sb, path, SYS_O_READ, 0, &file);

	*data = NULL;
	*len = 0;
	if (e < 0)
		return report(sb, e, "cannot open", path);
	text = malloc(cap);
	while (text) {
		if (n + 1 == cap) {
			char *more = realloc(text, cap * 2);

			if (!more) {
				free(text);
				text = NULL;
				break;
			}
			text = more;
			cap *= 2;
		}
		got = file->ops->read ? file->ops->read(file, text + n, cap - n - 1, (int64_t)n) : -NACRE_EISDIR;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	file_put(file);
	if (!text || got < 0) {
		free(text);
		return report(sb, text ? (int)got : -NACRE_ENOMEM, "cannot read", path);
	}
	text[n] = '\0';
	*data = text;
	*len = n;
	return report(sb, 0, "", path);
}

int nacre_fs_write(nacre_sandbox *sb, const char *path, const void *data, size_t len, unsigned mode)
{
	struct file *file;
	size_t n = 0;
	int e = open_path(sb, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, mode, &file);

	if (e < 0)
		return report(sb, e, "cannot open", path);
	while (n < len) {
		int64_t put = file->ops->write ? file->ops->write(file, (const char *)data + n, len - n, (int64_t)n) : -NACRE_EBADF;

		if (put <= 0) {
			e = put < 0 ? (int)put : -NACRE_EIO;
			break;
		}
		n += (size_t)put;
	}
	if (e == 0)
		e = file_settle(file);
	file_put(file);
	return report(sb, e, "cannot write", path);
}

int nacre_fs_mkdir(nacre_sandbox *sb, const char *path, unsigned mode)
{
	struct vfs_who who;
	int e = find_who(sb, &who);

	return report(sb, e ? e : vfs_mkdir(&who, path, mode), "cannot create", path);
}

int nacre_fs_remove(nacre_sandbox *sb, const char *path)
{
	struct vfs_who who;
	int e = find_who(sb, &who);

	if (e == 0)
		e = vfs_unlink(&who, path);
	if (e == -NACRE_EISDIR || e == -NACRE_EPERM)
		e = vfs_rmdir(&who, path);
	return report(sb, e, "cannot remove", path);
}

int nacre_fs_rename(nacre_sandbox *sb, const char *from, const char *to)
{
	struct vfs_who who;
	int e = find_who(sb, &who);

	return report(sb, e ? e : vfs_rename(&who, from, to, 0), "cannot rename", from);
}

int nacre_fs_stat(nacre_stat *out, nacre_sandbox *sb, const char *path, bool follow)
{
	struct vfs_who who;
	struct sys_stat st;
	int e;

	if (out->size_of < sizeof(*out))
		return runtime_fail(sb->rt, -NACRE_EINVAL, "the size of nacre_stat is not set");
	e = find_who(sb, &who);
	if (e == 0)
		e = vfs_stat(&who, path, follow ? 0 : SYS_NOFOLLOW, &st);
	if (e == 0)
		*out = (nacre_stat){.size_of = sizeof(*out), .mode = st.mode, .ino = st.ino, .size = st.size, .nlink = st.nlink,
				    .mtime_ns = st.mtime.sec * 1000000000 + st.mtime.nsec};
	return report(sb, e, "cannot stat", path);
}

int nacre_fs_list(nacre_sandbox *sb, const char *path, int (*each)(void *payload, const char *name, uint32_t type), void *payload)
{
	struct sys_dirent d;
	struct file *file;
	int e = open_path(sb, path, SYS_O_READ | SYS_O_DIRECTORY, 0, &file), got;

	if (e < 0)
		return report(sb, e, "cannot open", path);
	while ((got = file->ops->readdir ? file->ops->readdir(file, &d) : -NACRE_ENOTDIR) > 0) {
		e = each(payload, d.name, d.type);
		if (e)
			break;
	}
	file_put(file);
	return got < 0 ? report(sb, got, "cannot read", path) : e;
}
