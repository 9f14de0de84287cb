/*
 * mount.h - making the immutable list of mounts that sandboxes share.
 *
 * Layer     vfs; base, abi
 * Owns      copies of the strings, one reference on each filesystem
 * Threads   immutable once made; references are counted by one thread at a time
 */
#ifndef NACRE_VFS_MOUNT_H
#define NACRE_VFS_MOUNT_H

#include "vfs.h"

/* Copies v[0..n) (at_len is computed), longest `at` first; takes a reference on each fs and gives
 * each that has none a device number. 0; -NACRE_EINVAL when an `at` is not absolute and clean
 * ("/a/b": no empty, "." or ".." component, no trailing slash), is "/" or is given twice, *bad the
 * index; -NACRE_ENOMEM. */
MUST_USE int mount_table_new(struct quota *q, const struct mount *v, size_t n, size_t *bad,
                             struct mount_table **out);
struct mount_table *mount_table_get(struct mount_table *t);
void mount_table_put(struct mount_table *t);

/* Makes the directories that the mounts of `t` stand on in `root` (as its owner may), where a mount
 * does not cover them. Not needed for correctness (the vfs shows what is missing) but agreeable: ls
 * shows their modes and times. 0, or the first -E other than -NACRE_EEXIST. */
MUST_USE int mount_table_make_points(const struct mount_table *t, struct fs *root);

/* The mount that owns the absolute clean path, NULL: the root. */
const struct mount *mount_of(const struct mount_table *t, const char *path, size_t len);
/* True when a mount lies strictly below the path. */
bool mount_below(const struct mount_table *t, const char *path, size_t len);

#endif
