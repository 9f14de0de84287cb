/*
 * dev.h - /dev: null, zero, full, random, urandom, tty, and the descriptors of the caller.
 *
 * stdin, stdout and stderr are links to fd/0, fd/1, fd/2; opening fd/N gives the very open file
 * that descriptor N of the calling proc refers to. tty refuses to open (-NACRE_ENXIO): a
 * sandbox has no terminal. Nothing in it can be changed: -NACRE_EACCES.
 *
 * Layer     fs; vfs, base, abi
 * Threads   the one of the runtime its callbacks belong to
 * Suspends  no
 */
#ifndef NACRE_FS_DEV_H
#define NACRE_FS_DEV_H

#include "../vfs/fs.h"

struct fs_dev_config {
	/* A new reference on what descriptor `fd` of the running proc refers to, or NULL. */
	struct file *(*fd_file)(void *ctx, int fd);
	int (*fd_count)(void *ctx); /* one past the highest descriptor in use */
	void *fd_ctx;               /* (kernel_fd_file, kernel_fd_count; ctx the runtime) */
	void (*random)(void *ctx, void *buf, size_t n);
	void *random_ctx;
	struct sys_time time; /* of every node */
};

MUST_USE int fs_dev_new(struct quota *q, const struct fs_dev_config *config, struct fs **out);

#endif
