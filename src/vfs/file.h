/*
 * file.h - an open file: what a descriptor refers to, whatever is behind it.
 *
 * Files of filesystems, pipes, devices and the host's streams are all a struct file with a
 * table of operations. dup shares it, offset included.
 *
 * Layer     vfs; base, abi
 * Owns      whatever the maker put behind it; `close` gives it back
 * Threads   one runtime's
 * Suspends  read, write, read_slice, write_slice of pipes and host streams (the caller is a proc's
 * fiber)
 */
#ifndef NACRE_VFS_FILE_H
#define NACRE_VFS_FILE_H

#include "../abi/sys.h"
#include "buf.h"

struct file;
struct waitq; /* the kernel's wait queue */

enum file_ready { FILE_CAN_READ = 1, FILE_CAN_WRITE = 2, FILE_HUNG_UP = 4 };

struct file_ops {
	const char *kind; /* "mem", "host", "pipe", "dev", "capture"... for traces */

	/* at < 0: at the file's own offset, which moves. 0 at the end. NULL: -NACRE_EBADF or EISDIR
	 * by the kernel. */
	int64_t (*read)(struct file *f, void *buf, size_t n, int64_t at);
	/* Everything or an error; partial progress is returned when > 0. */
	int64_t (*write)(struct file *f, const void *buf, size_t n, int64_t at);
	/* Up to `max` bytes (0: any) by reference; the offset moves; out holds a reference. NULL:
	 * the kernel reads into a buffer of its own. */
	int64_t (*read_slice)(struct file *f, size_t max, struct slice *out);
	/* Takes bytes by reference; NULL: the kernel writes them. */
	int64_t (*write_slice)(struct file *f, const struct slice *s);
	/* Puts back the last n bytes of what was read (the slice is what read_slice or read gave:
	 * pipes push it back; files with an offset step back). */
	int (*unread)(struct file *f, const struct slice *s, size_t n);
	int64_t (*seek)(struct file *f, int64_t offset,
	                enum sys_whence whence); /* NULL: -NACRE_ESPIPE */
	int (*stat)(struct file *f, struct sys_stat *out);
	/* Where bytes begin, at or after `at`, that are not a hole; the end when there are none. NULL: no holes are known of. */
	int (*data)(struct file *f, int64_t at, int64_t *start);
	int (*truncate)(struct file *f, int64_t size);
	/* As those of fs_ops of the same name, whatever has become of the file's name. NULL: by the path it was opened at. */
	int (*chmod)(struct file *f, unsigned mode);
	int (*chown)(struct file *f, int64_t uid, int64_t gid);
	int (*utimes)(struct file *f, const struct sys_time t[2]);
	int (*readdir)(struct file *f, struct sys_dirent *out); /* NULL: -NACRE_ENOTDIR */
	/* An entry of a directory itself, by a name that is one component, neither "." nor "..". NULL: ask by path. */
	int (*stat_entry)(struct file *f, const char *name, struct sys_stat *out);
	/* Which of FILE_CAN_* hold now; *wq: where to wait for a change (NULL: always ready). */
	unsigned (*poll)(struct file *f, struct waitq **wq);
	bool (*isatty)(struct file *f); /* NULL: no */
	/* Before the last reference is given back by a proc that closes it or ends: what was written and is still
	 * kept is written out. 0 or -E. Not called when a proc is killed. NULL: nothing is ever kept. Suspends. */
	int (*flush)(struct file *f);
	/* The last reference is gone: frees f. Never fails, never suspends. */
	void (*close)(struct file *f);
};

struct file {
	const struct file_ops *ops;
	uint32_t refs;
	unsigned flags; /* SYS_O_READ, WRITE, APPEND, NONBLOCK as opened */
	int64_t offset;
	struct quota *quota; /* what f is charged to */
	char *path;          /* where the vfs opened it, absolute and free of links; NULL: nowhere */
};

static inline void file_init(struct file *f, const struct file_ops *ops, unsigned flags,
                             struct quota *q)
{
	*f = (struct file){.ops = ops, .refs = 1, .flags = flags, .quota = q};
}

static inline struct file *file_get(struct file *f)
{
	f->refs++;
	return f;
}

/* Before a reference is given back. */
static inline int file_settle(struct file *f)
{
	return f->refs == 1 && f->ops->flush ? f->ops->flush(f) : 0;
}

static inline void file_put(struct file *f)
{
	if (!f || --f->refs > 0)
		return;
	if (f->path)
		kfree(f->quota, f->path, strlen(f->path) + 1);
	f->ops->close(f);
}

#endif
