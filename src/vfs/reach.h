/*
 * reach.h - the way every operation on a path takes: resolve it, ask the policy, look at the mount.
 *
 * The policy is asked nowhere else, about the path as it was given and as it was resolved. The
 * order in which errors are found is Linux's.
 *
 * Layer     vfs; private to src/vfs
 * Owns      nothing: places are the caller's, to be released in any case
 */
#ifndef NACRE_VFS_REACH_H
#define NACRE_VFS_REACH_H

#include "path.h"

/* 0, or, reported as a refusal, -NACRE_EROFS where the mount is read-only, and what a sealed filesystem says. */
int check_mount(const struct vfs_who *w, const char *op, const struct place *p,
                const struct mount *m);

/* The policy's answer about a path as it was written. */
int check_given(const struct vfs_who *w, const char *op, const char *path, unsigned access,
                bool tell);

/* The mount that the directory of p->path belongs to. */
const struct mount *parent_mount(const struct vfs_who *w, const struct place *p);

static inline bool is_mount_point(const struct place *p)
{
	return !*p->rel;
}

static inline bool place_is(const struct place *p, uint32_t type)
{
	return p->found && (p->st.mode & SYS_S_TYPE) == type;
}

/* A file that is there, or may be missing (p->found). */
int reach(const struct vfs_who *w, const char *op, const char *path, unsigned how, unsigned access,
          struct place *p);
/* A file that must be there. */
int reach_old(const struct vfs_who *w, const char *op, const char *path, unsigned how,
              unsigned access, struct place *p);
/* A name to be made: it must be missing, and its directory writable. dir: a "/" may come after it.
 */
int reach_new(const struct vfs_who *w, const char *op, const char *path, bool dir, struct place *p);
/* A name to be taken away. */
int reach_doomed(const struct vfs_who *w, const char *op, const char *path, struct place *p);
/* An existing file whose attributes are to be changed. */
int reach_change(const struct vfs_who *w, const char *op, const char *path, unsigned flags,
                 struct place *p);
/* An open file, by the path it was opened at, which is judged again: it may be open for reading where nothing may be
 * changed. p->found: that path still leads to it. -NACRE_EOPNOTSUPP: it was opened nowhere (pipes, what the host gave). */
int reach_held(const struct vfs_who *w, const char *op, struct file *f, unsigned access, struct place *p);

#endif
