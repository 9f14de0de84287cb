/* files.c - the sandbox's files, from the host: through the same vfs, policy and budget. */
#include "api.h"

#include <stdlib.h>

#include "../kernel/hostcall.h"

struct nacre_file {
	nacre_sandbox *sb;
	struct file *file;
	int64_t number;		/* in a recording */
};

/* The end of a call: its error's text, and what a recording is told of it. */
static int finish(nacre_sandbox *sb, int e, const char *what, const char *path, const void *data, size_t n)
{
	hostcall_flush(sb->rt->kernel);
	recording_file_done(sb->rt, e, data, n);
	if (e < 0)
		return runtime_fail(sb->rt, e, "%s '%s': %s", what, path, errno_text(e));
	sb->rt->error[0] = '\0';
	return e;
}

static int report(nacre_sandbox *sb, int e, const char *what, const char *path)
{
	return finish(sb, e, what, path, NULL, 0);
}

static void find_who(nacre_sandbox *sb, struct vfs_who *who)
{
	sandbox_who(sb->kernel, who);
}

/* A fifo gives -NACRE_ENXIO: it would have to wait for its other end, and there is nobody to wait here. */
static int open_path(nacre_sandbox *sb, const char *path, unsigned flags, unsigned mode, struct file **out)
{
	struct vfs_who who;

	find_who(sb, &who);
	return vfs_open(&who, path, flags, mode, out);
}

int nacre_file_open(nacre_file **out, nacre_sandbox *sb, const char *path, unsigned flags, unsigned mode)
{
	static const unsigned map[][2] = {{NACRE_OPEN_READ, SYS_O_READ},     {NACRE_OPEN_WRITE, SYS_O_WRITE}, {NACRE_OPEN_APPEND, SYS_O_APPEND},
					  {NACRE_OPEN_CREATE, SYS_O_CREATE}, {NACRE_OPEN_EXCL, SYS_O_EXCL},   {NACRE_OPEN_TRUNC, SYS_O_TRUNC}};
	nacre_file *f = malloc(sizeof(*f));
	const struct file_call call = {.kind = FILE_OPEN, .path = path, .flags = flags, .mode = mode};
	unsigned how = 0;
	int e;

	*out = NULL;
	if (!f)
		return runtime_fail(sb->rt, -NACRE_ENOMEM, "out of memory");
	e = recording_file(sb->rt, &call);
	if (e < 0) {
		free(f);
		return e;
	}
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
	f->number = recording_file_number(sb->rt, f);
	*out = f;
	return report(sb, 0, "", path);
}

int64_t nacre_file_read_at(nacre_file *f, void *buf, size_t n, int64_t at)
{
	const struct file_call call = {.kind = FILE_READ_AT, .number = f->number, .n = MIN(n, (size_t)INT32_MAX), .at = at};
	int64_t r;

	if (at < 0)
		return -NACRE_EINVAL;
	if (!(f->file->flags & SYS_O_READ) || !f->file->ops->read)
		return -NACRE_EBADF;
	r = recording_file(f->sb->rt, &call);
	if (r < 0)
		return r;
	r = f->file->ops->read(f->file, buf, call.n, at);
	return recording_file_done(f->sb->rt, r, buf, r > 0 ? (size_t)r : 0);
}

int64_t nacre_file_write_at(nacre_file *f, const void *buf, size_t n, int64_t at)
{
	const struct file_call call = {.kind = FILE_WRITE_AT, .number = f->number, .data = buf, .n = MIN(n, (size_t)INT32_MAX), .at = at};
	int64_t r;

	if (at < 0)
		return -NACRE_EINVAL;
	if (!(f->file->flags & SYS_O_WRITE) || !f->file->ops->write)
		return -NACRE_EBADF;
	r = recording_file(f->sb->rt, &call);
	return r < 0 ? r : recording_file_done(f->sb->rt, f->file->ops->write(f->file, buf, call.n, at), NULL, 0);
}

int nacre_file_sync(nacre_file *f)
{
	const struct file_call call = {.kind = FILE_SYNC, .number = f->number};
	int e = recording_file(f->sb->rt, &call);

	return e < 0 ? e : (int)recording_file_done(f->sb->rt, f->file->ops->flush ? f->file->ops->flush(f->file) : 0, NULL, 0);
}

void nacre_file_close(nacre_file *f)
{
	const struct file_call call = {.kind = FILE_CLOSE, .number = f ? f->number : 0};
	nacre_runtime *rt = f ? f->sb->rt : NULL;
	bool told = f && recording_file(rt, &call) == 0;

	if (!f)
		return;
	(void)!file_settle(f->file); /* who wants to know has called nacre_file_sync */
	file_put(f->file);
	hostcall_flush(rt->kernel);
	free(f);
	if (told)
		recording_file_done(rt, 0, NULL, 0);
}

int nacre_fs_read(char **data, size_t *len, nacre_sandbox *sb, const char *path)
{
	struct file *file;
	size_t n = 0, cap = 65536;
	char *text;
	int64_t got = 0;
	const struct file_call call = {.kind = FILE_READ, .path = path};
	int e = recording_file(sb->rt, &call);

	*data = NULL;
	*len = 0;
	if (e < 0)
		return e;
	e = open_path(sb, path, SYS_O_READ, 0, &file);
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
	return finish(sb, 0, "", path, text, n);
}

int nacre_fs_write(nacre_sandbox *sb, const char *path, const void *data, size_t len, unsigned mode)
{
	const struct file_call call = {.kind = FILE_WRITE, .path = path, .mode = mode, .data = data, .n = len};
	struct file *file;
	size_t n = 0;
	int e = recording_file(sb->rt, &call);

	if (e < 0)
		return e;
	e = open_path(sb, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, mode, &file);
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
	const struct file_call call = {.kind = FILE_MKDIR, .path = path, .mode = mode};
	struct vfs_who who;
	int e = recording_file(sb->rt, &call);

	if (e < 0)
		return e;
	find_who(sb, &who);
	return report(sb, vfs_mkdir(&who, path, mode), "cannot create", path);
}

int nacre_fs_remove(nacre_sandbox *sb, const char *path)
{
	const struct file_call call = {.kind = FILE_REMOVE, .path = path};
	struct vfs_who who;
	int e = recording_file(sb->rt, &call);

	if (e < 0)
		return e;
	find_who(sb, &who);
	e = vfs_unlink(&who, path);
	if (e == -NACRE_EISDIR || e == -NACRE_EPERM)
		e = vfs_rmdir(&who, path);
	return report(sb, e, "cannot remove", path);
}

int nacre_fs_rename(nacre_sandbox *sb, const char *from, const char *to)
{
	const struct file_call call = {.kind = FILE_RENAME, .path = from, .to = to};
	struct vfs_who who;
	int e = recording_file(sb->rt, &call);

	if (e < 0)
		return e;
	find_who(sb, &who);
	return report(sb, vfs_rename(&who, from, to, 0), "cannot rename", from);
}

int nacre_fs_stat(nacre_stat *out, nacre_sandbox *sb, const char *path, bool follow)
{
	const struct file_call call = {.kind = FILE_STAT, .path = path, .flags = follow};
	struct vfs_who who;
	struct sys_stat st;
	int64_t told[3] = {0};
	int e;

	if (out->size_of < sizeof(*out))
		return runtime_fail(sb->rt, -NACRE_EINVAL, "the size of nacre_stat is not set");
	e = recording_file(sb->rt, &call);
	if (e < 0)
		return e;
	find_who(sb, &who);
	e = vfs_stat(&who, path, follow ? 0 : SYS_NOFOLLOW, &st);
	if (e == 0) {
		*out = (nacre_stat){.size_of = sizeof(*out), .mode = st.mode, .ino = st.ino, .size = st.size, .nlink = st.nlink,
				    .mtime_ns = st.mtime.sec * 1000000000 + st.mtime.nsec};
		told[0] = out->mode;
		told[1] = out->size;
		told[2] = out->mtime_ns;
	}
	return finish(sb, e, "cannot stat", path, told, sizeof(told));
}

/* What a directory has, each name with its type before it: one block, as `each` may do anything to the directory. */
static int read_names(nacre_sandbox *sb, const char *path, char **names, size_t *len)
{
	struct sys_dirent d;
	struct file *file;
	size_t cap = 0;
	int got = open_path(sb, path, SYS_O_READ | SYS_O_DIRECTORY, 0, &file);

	*names = NULL;
	*len = 0;
	if (got < 0)
		return got;
	while ((got = file->ops->readdir ? file->ops->readdir(file, &d) : -NACRE_ENOTDIR) > 0) {
		uint32_t type = d.type;
		size_t need = *len + sizeof(type) + d.len + 1;

		if (need > cap) {
			char *more = realloc(*names, cap = need * 2);

			if (!more) {
				got = -NACRE_ENOMEM;
				break;
			}
			*names = more;
		}
		memcpy(*names + *len, &type, sizeof(type));
		memcpy(*names + *len + sizeof(type), d.name, d.len);
		(*names)[need - 1] = '\0';
		*len = need;
	}
	file_put(file);
	return got;
}

int nacre_fs_list(nacre_sandbox *sb, const char *path, int (*each)(void *payload, const char *name, uint32_t type), void *payload)
{
	const struct file_call call = {.kind = FILE_LIST, .path = path};
	size_t len = 0;
	char *names = NULL;
	int e = recording_file(sb->rt, &call);

	if (e < 0)
		return e;
	e = read_names(sb, path, &names, &len);
	e = finish(sb, e, "cannot list", path, names, len);
	for (size_t at = 0; at < len && e == 0;) {
		uint32_t type;
		const char *name = names + at + sizeof(type);

		memcpy(&type, names + at, sizeof(type));
		at += sizeof(type) + strlen(name) + 1;
		e = each(payload, name, type);
	}
	free(names);
	return e;
}
