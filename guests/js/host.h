/*
 * host.h - the functions that the JavaScript library (lib/) is given as `host`: what the files host_*.c share.
 *
 * Functions return what they found, or a negative number: an error number of Linux's, minus. The library makes
 * errors of it.
 */
#ifndef HOST_H
#define HOST_H

#include <stdlib.h>
#include <string.h>

#include "engine.h"

#define FUNCTION(name) static JSValue name(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
#define TABLE(what)                                            \
	const JSCFunctionListEntry host_##what##_functions[] = what; \
	const int host_n##what = sizeof(host_##what##_functions) / sizeof(host_##what##_functions[0])

/* Argument k, 0 when it is not there or no number. */
static inline int64_t arg_int(JSContext *ctx, int argc, JSValueConst *argv, int k)
{
	int64_t n = 0;

	if (k < argc && (JS_IsNumber(argv[k]) || JS_IsBool(argv[k])))
		JS_ToInt64(ctx, &n, argv[k]);
	return n;
}

static inline double arg_double(JSContext *ctx, int argc, JSValueConst *argv, int k)
{
	double n = 0;

	if (k < argc && JS_IsNumber(argv[k]))
		JS_ToFloat64(ctx, &n, argv[k]);
	return n;
}

/* The bytes [at, at + n) of an ArrayBuffer, or NULL with an exception. */
uint8_t *host_bytes(JSContext *ctx, JSValueConst buffer, int64_t at, int64_t n);
/* A new ArrayBuffer that takes over `bytes`, which came from js_malloc. */
JSValue host_buffer(JSContext *ctx, uint8_t *bytes, size_t n);

/* A C string of a path; NULL with an exception. JS_FreeCString. */
static inline const char *arg_path(JSContext *ctx, JSValueConst v)
{
	return JS_ToCString(ctx, v);
}

/* -errno, Linux's, of what the C library reported. */
int host_errno(void);
static inline JSValue result(JSContext *ctx, int64_t r)
{
	return JS_NewInt64(ctx, r < 0 ? host_errno() : r);
}

#define TABLES(X) X(fs) X(text) X(proc) X(module) X(crypto) X(ask)
#define DECLARE(what) extern const JSCFunctionListEntry host_##what##_functions[]; extern const int host_n##what;
TABLES(DECLARE)
#undef DECLARE

/* ---- The calls of guests/common/host.h as they are used here: on names as they are, facts as numbers. ------ */

#ifdef __wasm__
#include "../common/host.h"

static inline int call_pipe(int *fds) { return host_pipe(fds); }
static inline int call_set_cloexec(int fd, int on) { return host_set_cloexec(fd, on); }
static inline int call_isatty(int fd) { return host_isatty(fd); }
static inline int call_fstat(int fd, int64_t *to) { return host_fstat(fd, (struct host_stat *)to); }
static inline int call_open(const char *path, unsigned flags, unsigned mode) { return host_open(HOST_CWD, path, (int)flags, (int)mode); }
static inline int call_stat(const char *path, unsigned flags, int64_t *to) { return host_stat(HOST_CWD, path, (int)flags, (struct host_stat *)to); }
static inline int call_access(const char *path, unsigned how) { return host_access(HOST_CWD, path, (int)how); }
static inline int call_mkdir(const char *path, unsigned mode) { return host_mkdir(HOST_CWD, path, (int)mode); }
static inline int call_chmod(const char *path, unsigned mode, unsigned flags) { return host_chmod(HOST_CWD, path, (int)mode, (int)flags); }
static inline int call_chown(const char *path, int uid, int gid, unsigned flags) { return host_chown(HOST_CWD, path, uid, gid, (int)flags); }
static inline int call_fchmod(int fd, unsigned mode) { return host_fchmod(fd, (int)mode); }
static inline int call_fchown(int fd, int uid, int gid) { return host_fchown(fd, uid, gid); }
static inline int call_utimes(const char *path, int64_t a, int a_ns, int64_t m, int m_ns, unsigned flags) { return host_utimes(HOST_CWD, path, a, a_ns, m, m_ns, (int)flags); }
static inline int call_futimes(int fd, int64_t a, int a_ns, int64_t m, int m_ns) { return host_futimes(fd, a, a_ns, m, m_ns); }
static inline int call_truncate(const char *path, int64_t size) { return host_truncate(path, size); }
static inline int call_umask(unsigned mask) { return host_umask((int)mask); }
static inline int call_chdir(const char *path) { return host_chdir(path); }
static inline int call_getcwd(char *buf, size_t n) { return host_getcwd(buf, (int)n); }
static inline int call_spawn(const void *how) { return host_spawn(how); }
static inline int call_wait(int pid, unsigned flags, int *to) { return host_wait(pid, (int)flags, (struct host_wait *)to); }
static inline int call_kill(int pid, int sig) { return host_kill(pid, sig); }
static inline int call_id(unsigned which) { return host_id((int)which); }
#else /* built for the machine itself: whoever does that brings them */
int call_pipe(int *fds);
int call_set_cloexec(int fd, int on);
int call_isatty(int fd);
int call_fstat(int fd, int64_t *to);
int call_open(const char *path, unsigned flags, unsigned mode);
int call_stat(const char *path, unsigned flags, int64_t *to);
int call_access(const char *path, unsigned how);
int call_mkdir(const char *path, unsigned mode);
int call_chmod(const char *path, unsigned mode, unsigned flags);
int call_chown(const char *path, int uid, int gid, unsigned flags);
int call_fchmod(int fd, unsigned mode);
int call_fchown(int fd, int uid, int gid);
int call_utimes(const char *path, int64_t a, int a_ns, int64_t m, int m_ns, unsigned flags);
int call_futimes(int fd, int64_t a, int a_ns, int64_t m, int m_ns);
int call_truncate(const char *path, int64_t size);
int call_umask(unsigned mask);
int call_chdir(const char *path);
int call_getcwd(char *buf, size_t n);
int call_spawn(const void *how);
int call_wait(int pid, unsigned flags, int *to);
int call_kill(int pid, int sig);
int call_id(unsigned which);
#endif

#endif
