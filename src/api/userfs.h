/*
 * userfs.h - the parts of a filesystem made of the host's functions: calls, open files, paths.
 *
 * Every call is an op, which holds copies of all it is about: the proc that asked may die while the host still works
 * on it. The proc and the host each hold a reference; what the host has filled in is copied out by the proc when it
 * wakes. Without a proc (the host itself works on files) the call is made at once and waited for.
 *
 * Layer     api; private to src/api/userfs*.c
 * Suspends  userfs_call, and what makes calls
 */
#ifndef NACRE_API_USERFS_H
#define NACRE_API_USERFS_H

#include "api.h"

#include <stdlib.h>

#include "../kernel/hostcall.h"

struct userfs {
	struct fs fs;
	nacre_runtime *rt;
	nacre_filesystem table;
	bool fast;
	const nacre_object_store *store; /* NULL: its calls are the table's (of an object store abort alone) */
};

enum op_kind {
	OP_STAT, OP_READDIR, OP_MKDIR, OP_RENAME, OP_UNLINK, OP_RMDIR, OP_OPEN, OP_READ, OP_WRITE, OP_TRUNCATE, OP_SYMLINK,
	OP_READLINK, OP_CHMOD, OP_UTIMES,
	/* Requests of an object store (objects_call.c): */
	OP_LIST, OP_HEAD, OP_GET, OP_PUT, OP_COPY, OP_REMOVE, OP_BEGIN, OP_PART, OP_UPLOADED,
};

struct name {
	char *s;
	uint32_t type;
	int64_t size, mtime_ns;	/* of an object; size < 0: not told */
};

struct nacre_fs_op {
	atomic_uint refs;
	atomic_bool done;	/* of a call without a proc */
	int64_t result;		/* likewise */
	enum op_kind kind;
	struct userfs *u;
	struct hostcall *call;	/* NULL: without a proc, or not started yet */
	bool taken;		/* what was opened is somebody's */
	char *a, *b;		/* paths, a link's text; keys, cursors, ids of uploads */
	char *match;		/* the ETag that an object must have */
	unsigned mode, flags;
	void *handle;
	char *buf;
	size_t n;
	int64_t at, at2;
	int64_t number;		/* in a recording */
	struct news news;
	nacre_stat st;
	nacre_object object;	/* what a request tells of one */
	char *cursor;		/* where a listing goes on */
	const char **etags;	/* of an upload's parts, one block with their texts */
	unsigned netags;
	struct name *names;
	size_t nnames, names_cap;
};

static inline struct userfs *user_of(struct fs *fs)
{
	return CONTAINER_OF(fs, struct userfs, fs);
}

/* ---- Calls (userfs_call.c) ---- */

/* One reference; NULL without memory. n bytes of buffer. */
nacre_fs_op *userfs_op(struct userfs *u, enum op_kind kind, const char *a, const char *b, size_t n);
void userfs_op_put(nacre_fs_op *op);
/* Makes the call and waits for it; op NULL: -NACRE_ENOMEM. On -NACRE_EKILLED the op is not the caller's any more. */
MUST_USE int64_t userfs_call(nacre_fs_op *op);
/* For calls that give nothing but a result: the op is given back. */
MUST_USE int64_t userfs_call_simply(nacre_fs_op *op);

/* The function of an object store that the call is (objects_call.c). */
int64_t objects_perform(nacre_fs_op *op);
/* Adds a name to what is listed; the names of an object store are given a size. -NACRE_ENOMEM. */
MUST_USE int userfs_add_name(nacre_fs_op *op, const char *s, size_t len, uint32_t type, const nacre_object *info);

/* ---- Paths (userfs.c) ---- */

MUST_USE int userfs_stat(struct userfs *u, const char *path, struct sys_stat *out);
uint64_t userfs_ino(const char *path);

/* ---- Open files (userfs_file.c) ---- */

MUST_USE int userfs_open_dir(struct userfs *u, const char *path, struct quota *q, struct file **out);
MUST_USE int userfs_open_file(struct userfs *u, const char *path, unsigned flags, unsigned mode, struct quota *q, struct file **out);
MUST_USE int userfs_ftruncate(struct file *f, int64_t size);
/* All names of a directory of an object store into the list of an op (objects.c). */
MUST_USE int64_t objects_list(struct userfs *u, const char *path, nacre_fs_op *list);

#endif
