/*
 * host.h - a directory of the host as a filesystem, out of which no path leads.
 *
 * Every path is resolved by the kernel of the host below a descriptor of the directory, with no
 *link followed (openat2: RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS, RESOLVE_NO_MAGICLINKS), so that a
 *link or a directory swapped meanwhile cannot lead out; the vfs resolves links itself, in the
 * sandbox's tree. Only regular files and directories open; other kinds are
 * shown and refused (-NACRE_EACCES). Owners and modes are the host's; the rights are those of
 * the host process; set-user-ID and set-group-ID bits are never set (-NACRE_EPERM).
 *
 *	fs_host_new(port, quota, "/srv/data", FS_HOST_READ_ONLY, &fs);
 *
 * Layer     fs; vfs, base, abi, port (of which only `files`)
 * Owns      one descriptor, however many sandboxes use it; and one for each open file
 * Threads   may be used by several runtimes at once; its count of references by one at a time
 * Suspends  no (the host's disk may block the thread)
 */
#ifndef NACRE_FS_HOST_H
#define NACRE_FS_HOST_H

#include "../port/port.h"
#include "../vfs/fs.h"

enum fs_host_flags {
	FS_HOST_READ_ONLY = 0,
	FS_HOST_READ_WRITE = 1,
	FS_HOST_OWNERS = 2, /* chown does something: for an overlay's commit, never to be mounted itself */
};

/* -NACRE_ENOENT, ENOTDIR, EACCES... of the directory; -NACRE_ENOSYS where the host cannot confine
 * paths (no openat2: before Linux 5.6, or a seccomp filter). */
MUST_USE int fs_host_new(struct port *port, struct quota *q, const char *host_path, unsigned flags, struct fs **out);

#endif
