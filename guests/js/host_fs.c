/* host_fs.c - files and directories. */
#include "host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH 4096
#define READ_MAX ((int64_t)1 << 31)

int host_errno(void)
{
#ifdef __wasm__
	/* The C library's numbers are WASI's: in the order of their names. */
	static const uint8_t linux_numbers[] = {
		0, 7, 13, 98, 99, 97, 11, 114, 9, 74, 16, 125, 10, 103, 111, 104, 35, 89, 33, 122, 17, 14, 27, 113, 43, 84, 115, 4, 22, 5,
		106, 21, 40, 24, 31, 90, 72, 36, 100, 102, 101, 23, 105, 19, 2, 8, 37, 67, 12, 42, 92, 28, 38, 107, 20, 39, 131, 88, 95, 25,
		6, 75, 130, 1, 32, 71, 93, 91, 34, 30, 29, 3, 116, 110, 26, 18, 1,
	};
	unsigned e = (unsigned)errno;

	return -(int)(e && e < sizeof(linux_numbers) ? linux_numbers[e] : 5);
#else
	return -errno; /* the same sources built for the machine itself: tests/bench compares */
#endif
}

uint8_t *host_bytes(JSContext *ctx, JSValueConst buffer, int64_t at, int64_t n)
{
	size_t size;
	uint8_t *p = JS_GetArrayBuffer(ctx, &size, buffer);

	if (!p && !JS_HasException(ctx) && at == 0 && n == 0)
		return (uint8_t *)"";
	if (!p)
		return NULL;
	if (at < 0 || n < 0 || (uint64_t)at > size || (uint64_t)n > size - (uint64_t)at) {
		JS_ThrowRangeError(ctx, "out of range");
		return NULL;
	}
	return p + at;
}

static void free_bytes(JSRuntime *rt, void *opaque, void *p)
{
	(void)opaque;
	js_free_rt(rt, p);
}

JSValue host_buffer(JSContext *ctx, uint8_t *bytes, size_t n)
{
	return JS_NewArrayBuffer(ctx, bytes, n, free_bytes, NULL, 0);
}

/* Absolute, since the C library's own directory is not asked. NULL: too long. */
static const char *absolute(const char *path, char *buf)
{
	int n;

	if (*path == '/')
		return path;
	if (!*path) { /* there is no such file */
		errno = ENOENT;
		return NULL;
	}
	n = call_getcwd(buf, PATH);
	if (n < 0 || (size_t)n + strlen(path) + 2 > PATH) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	buf[n] = '/';
	strcpy(buf + n + 1, path);
	return buf;
}

/* ---- Descriptors ------------------------------------------------------------------------- */

FUNCTION(fs_open)
{
	const char *path = arg_path(ctx, argv[0]);
	int fd;

	if (!path)
		return JS_EXCEPTION;
	fd = call_open(path, (unsigned)arg_int(ctx, argc, argv, 1) | 1u << 8, (unsigned)arg_int(ctx, argc, argv, 2));
	JS_FreeCString(ctx, path);
	return JS_NewInt32(ctx, fd);
}

FUNCTION(fs_close)
{
	return result(ctx, close((int)arg_int(ctx, argc, argv, 0)));
}

/* fd, buffer, offset, length, position (negative: where it is) */
FUNCTION(fs_read)
{
	int fd = (int)arg_int(ctx, argc, argv, 0);
	int64_t n = arg_int(ctx, argc, argv, 3), at = arg_int(ctx, argc, argv, 4);
	uint8_t *to = host_bytes(ctx, argv[1], arg_int(ctx, argc, argv, 2), n);

	if (!to)
		return JS_EXCEPTION;
	return result(ctx, at < 0 ? read(fd, to, (size_t)n) : pread(fd, to, (size_t)n, at));
}

static int64_t write_all(int fd, const uint8_t *from, int64_t n, int64_t at)
{
	int64_t done = 0;

	while (done < n) {
		ssize_t r = at < 0 ? write(fd, from + done, (size_t)(n - done)) : pwrite(fd, from + done, (size_t)(n - done), at + done);

		if (r < 0)
			return -1;
		done += r;
	}
	return done;
}

FUNCTION(fs_write)
{
	int64_t n = arg_int(ctx, argc, argv, 3);
	uint8_t *from = host_bytes(ctx, argv[1], arg_int(ctx, argc, argv, 2), n);

	if (!from)
		return JS_EXCEPTION;
	return result(ctx, write_all((int)arg_int(ctx, argc, argv, 0), from, n, arg_int(ctx, argc, argv, 4)));
}

/* All that is left of fd, as one buffer; `max` bytes at most. */
FUNCTION(fs_read_all)
{
	int fd = (int)arg_int(ctx, argc, argv, 0);
	size_t size = 65536, n = 0;
	int64_t st[16];
	uint8_t *buf, *more;
	ssize_t r;

	if (call_fstat(fd, st) == 0 && st[7] > 0 && st[7] < READ_MAX)
		size = (size_t)st[7] + 1;
	buf = js_malloc(ctx, size);
	while (buf) {
		r = read(fd, buf + n, size - n);
		if (r < 0) {
			js_free(ctx, buf);
			return result(ctx, -1);
		}
		n += (size_t)r;
		if (r == 0)
			break;
		if (n < size)
			continue;
		more = size < (size_t)READ_MAX ? js_realloc(ctx, buf, size * 2) : NULL;
		if (!more)
			js_free(ctx, buf);
		buf = more;
		size *= 2;
	}
	if (!buf)
		return JS_HasException(ctx) ? JS_EXCEPTION : JS_ThrowOutOfMemory(ctx);
	if (n && size - n > 256) {
		more = js_realloc(ctx, buf, n);
		buf = more ? more : buf;
	}
	return host_buffer(ctx, buf, n);
}

FUNCTION(fs_ftruncate)
{
	return result(ctx, ftruncate((int)arg_int(ctx, argc, argv, 0), arg_int(ctx, argc, argv, 1)));
}

FUNCTION(fs_isatty)
{
	return JS_NewBool(ctx, call_isatty((int)arg_int(ctx, argc, argv, 0)) > 0);
}

FUNCTION(fs_fsync)
{
	return result(ctx, fsync((int)arg_int(ctx, argc, argv, 0)));
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static JSValue facts(JSContext *ctx, int r, const int64_t *st)
{
	JSValue v;

	if (r < 0)
		return JS_NewInt32(ctx, r);
	v = JS_NewArray(ctx);
	for (uint32_t i = 0; i < 16; i++)
		JS_SetPropertyUint32(ctx, v, i, JS_NewInt64(ctx, st[i]));
	return v;
}

FUNCTION(fs_stat)
{
	const char *path = arg_path(ctx, argv[0]);
	int64_t st[16];
	int r;

	if (!path)
		return JS_EXCEPTION;
	r = call_stat(path, arg_int(ctx, argc, argv, 1) ? 1 : 0, st);
	JS_FreeCString(ctx, path);
	return facts(ctx, r, st);
}

FUNCTION(fs_fstat)
{
	int64_t st[16];
	int r = call_fstat((int)arg_int(ctx, argc, argv, 0), st);

	return facts(ctx, r, st);
}

/* ---- Names -------------------------------------------------------------------------------------- */

enum { ACCESS, MKDIR, CHMOD, CHOWN, LCHOWN, TRUNCATE, CHDIR, RMDIR, UNLINK };

static JSValue fs_name(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int what)
{
	const char *path = arg_path(ctx, argv[0]), *whole;
	int64_t a = arg_int(ctx, argc, argv, 1), b = arg_int(ctx, argc, argv, 2);
	char buf[PATH];
	int r = -1;

	if (!path)
		return JS_EXCEPTION;
	switch (what) {
	case ACCESS: r = call_access(path, (unsigned)a); break;
	case MKDIR: r = call_mkdir(path, (unsigned)a); break;
	case CHMOD: r = call_chmod(path, (unsigned)a, (unsigned)b); break;
	case CHOWN: r = call_chown(path, (int)a, (int)b, 0); break;
	case LCHOWN: r = call_chown(path, (int)a, (int)b, 1); break;
	case TRUNCATE: r = call_truncate(path, a); break;
	case CHDIR: r = call_chdir(path); break;
	default:
		whole = absolute(path, buf);
		r = !whole ? -1 : what == RMDIR ? rmdir(whole) : unlink(whole);
		if (r < 0)
			r = host_errno();
	}
	JS_FreeCString(ctx, path);
	return JS_NewInt32(ctx, r);
}

enum { RENAME, LINK, SYMLINK };

static JSValue fs_names(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int what)
{
	const char *a = arg_path(ctx, argv[0]), *b = a ? arg_path(ctx, argv[1]) : NULL, *from, *to;
	char buf[2][PATH];
	int r = -1;

	if (!b) {
		JS_FreeCString(ctx, a);
		return JS_EXCEPTION;
	}
	from = what == SYMLINK ? a : absolute(a, buf[0]);
	to = from ? absolute(b, buf[1]) : NULL;
	if (to)
		r = what == RENAME ? rename(from, to) : what == LINK ? link(from, to) : symlink(from, to);
	JS_FreeCString(ctx, a);
	JS_FreeCString(ctx, b);
	return result(ctx, r);
}

FUNCTION(fs_readlink)
{
	const char *path = arg_path(ctx, argv[0]), *whole;
	char buf[PATH], target[PATH];
	ssize_t n = -1;

	if (!path)
		return JS_EXCEPTION;
	whole = absolute(path, buf);
	if (whole)
		n = readlink(whole, target, sizeof(target));
	JS_FreeCString(ctx, path);
	return n < 0 ? result(ctx, -1) : JS_NewStringLen(ctx, target, (size_t)n);
}

/* Seconds as they are and nanoseconds. */
static int64_t split(double seconds, int *ns)
{
	double whole = __builtin_floor(seconds);

	*ns = (int)((seconds - whole) * 1e9);
	return (int64_t)whole;
}

/* path, atime, mtime (seconds), of the link itself */
FUNCTION(fs_utimes)
{
	const char *path = arg_path(ctx, argv[0]);
	int a_ns, m_ns, r;
	int64_t a = split(arg_double(ctx, argc, argv, 1), &a_ns), m = split(arg_double(ctx, argc, argv, 2), &m_ns);

	if (!path)
		return JS_EXCEPTION;
	r = call_utimes(path, a, a_ns, m, m_ns, arg_int(ctx, argc, argv, 3) ? 1 : 0);
	JS_FreeCString(ctx, path);
	return JS_NewInt32(ctx, r);
}

enum { FCHMOD, FCHOWN, FUTIMES };

/* A descriptor, and what of it is to change. */
static JSValue fs_open_file(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int what)
{
	int fd = (int)arg_int(ctx, argc, argv, 0), a_ns, m_ns, r;
	int64_t a, m;

	switch (what) {
	case FCHMOD: r = call_fchmod(fd, (unsigned)arg_int(ctx, argc, argv, 1)); break;
	case FCHOWN: r = call_fchown(fd, (int)arg_int(ctx, argc, argv, 1), (int)arg_int(ctx, argc, argv, 2)); break;
	default:
		a = split(arg_double(ctx, argc, argv, 1), &a_ns);
		m = split(arg_double(ctx, argc, argv, 2), &m_ns);
		r = call_futimes(fd, a, a_ns, m, m_ns);
	}
	return JS_NewInt32(ctx, r);
}

/* The numbers that fs.constants has for types (UV_DIRENT_...); 0: not known. */
static int type_of(unsigned char d_type)
{
	switch (d_type) {
	case DT_REG: return 1;
	case DT_DIR: return 2;
	case DT_LNK: return 3;
	case DT_CHR: return 6;
	case DT_BLK: return 7;
	default: return 0;
	}
}

/* [name, type...] */
FUNCTION(fs_readdir)
{
	const char *path = arg_path(ctx, argv[0]), *whole;
	struct dirent *e;
	char buf[PATH];
	uint32_t n = 0;
	JSValue v;
	DIR *d;

	if (!path)
		return JS_EXCEPTION;
	whole = absolute(path, buf);
	d = whole ? opendir(whole) : NULL;
	JS_FreeCString(ctx, path);
	if (!d)
		return result(ctx, -1);
	v = JS_NewArray(ctx);
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		JS_SetPropertyUint32(ctx, v, n++, JS_NewString(ctx, e->d_name));
		JS_SetPropertyUint32(ctx, v, n++, JS_NewInt32(ctx, type_of(e->d_type)));
	}
	closedir(d);
	return v;
}

FUNCTION(fs_cwd)
{
	char buf[PATH];
	int n = call_getcwd(buf, sizeof(buf));

	return n < 0 ? JS_NewInt32(ctx, n) : JS_NewStringLen(ctx, buf, (size_t)n);
}

FUNCTION(fs_umask)
{
	unsigned old = (unsigned)call_umask(0);

	call_umask(argc > 0 && JS_IsNumber(argv[0]) ? (unsigned)arg_int(ctx, argc, argv, 0) & 0777 : old);
	return JS_NewInt32(ctx, (int)old);
}

#define fs                                                          \
	{                                                           \
		JS_CFUNC_DEF("open", 3, fs_open),                    \
		JS_CFUNC_DEF("close", 1, fs_close),                  \
		JS_CFUNC_DEF("read", 5, fs_read),                    \
		JS_CFUNC_DEF("write", 5, fs_write),                  \
		JS_CFUNC_DEF("readAll", 1, fs_read_all),             \
		JS_CFUNC_DEF("ftruncate", 2, fs_ftruncate),          \
		JS_CFUNC_DEF("fsync", 1, fs_fsync),                  \
		JS_CFUNC_DEF("isatty", 1, fs_isatty),                \
		JS_CFUNC_DEF("stat", 2, fs_stat),                    \
		JS_CFUNC_DEF("fstat", 1, fs_fstat),                  \
		JS_CFUNC_MAGIC_DEF("access", 2, fs_name, ACCESS),    \
		JS_CFUNC_MAGIC_DEF("mkdir", 2, fs_name, MKDIR),      \
		JS_CFUNC_MAGIC_DEF("chmod", 3, fs_name, CHMOD),      \
		JS_CFUNC_MAGIC_DEF("chown", 3, fs_name, CHOWN),      \
		JS_CFUNC_MAGIC_DEF("lchown", 3, fs_name, LCHOWN),    \
		JS_CFUNC_MAGIC_DEF("truncate", 2, fs_name, TRUNCATE), \
		JS_CFUNC_MAGIC_DEF("chdir", 1, fs_name, CHDIR),      \
		JS_CFUNC_MAGIC_DEF("rmdir", 1, fs_name, RMDIR),      \
		JS_CFUNC_MAGIC_DEF("unlink", 1, fs_name, UNLINK),    \
		JS_CFUNC_MAGIC_DEF("rename", 2, fs_names, RENAME),   \
		JS_CFUNC_MAGIC_DEF("link", 2, fs_names, LINK),       \
		JS_CFUNC_MAGIC_DEF("symlink", 2, fs_names, SYMLINK), \
		JS_CFUNC_DEF("readlink", 1, fs_readlink),            \
		JS_CFUNC_DEF("utimes", 4, fs_utimes),                \
		JS_CFUNC_MAGIC_DEF("fchmod", 2, fs_open_file, FCHMOD), \
		JS_CFUNC_MAGIC_DEF("fchown", 3, fs_open_file, FCHOWN), \
		JS_CFUNC_MAGIC_DEF("futimes", 3, fs_open_file, FUTIMES), \
		JS_CFUNC_DEF("readdir", 1, fs_readdir),              \
		JS_CFUNC_DEF("cwd", 0, fs_cwd),                      \
		JS_CFUNC_DEF("umask", 1, fs_umask),                  \
	}
TABLE(fs);
