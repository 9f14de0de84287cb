/*
 * linux_hostfs.h - what the two halves of linux_hostfs share.
 *
 * Layer     port; private to src/port/linux_host*.c
 */
#ifndef NACRE_PORT_LINUX_HOSTFS_H
#define NACRE_PORT_LINUX_HOSTFS_H

#include "hostfs.h"

/* The negative error of the system call that just failed. */
int host_fault(void);

static inline int host_result(int got)
{
	return got < 0 ? host_fault() : got;
}

/* openat2 that leaves `root` by no way; flags and mode as open's, "" is the root itself. */
int host_open_beneath(int root, const char *path, int flags, unsigned mode);

/* The directory a name lies in, and the name. The root itself when there is no "/": not to be
 * closed. */
struct host_parent {
	int fd, root;
	const char *name;
};

/* To be closed in any case. -NACRE_EBUSY for "". */
int host_open_parent(int root, const char *path, struct host_parent *p);
void host_close_parent(struct host_parent *p);

#endif
