/*
 * overlay_names.h - the operations of fs/overlay that change something, and opening.
 *
 * Layer     fs; private to fs/overlay*.c
 */
#ifndef NACRE_FS_OVERLAY_NAMES_H
#define NACRE_FS_OVERLAY_NAMES_H

#include "../vfs/fs.h"

int overlay_open(struct fs *fs, const char *path, unsigned flags, unsigned mode, struct quota *q,
                 struct file **out);
int overlay_mkdir(struct fs *fs, const char *path, unsigned mode);
int overlay_mkfifo(struct fs *fs, const char *path, unsigned mode);
int overlay_symlink(struct fs *fs, const char *target, const char *path);
int overlay_link(struct fs *fs, const char *from, const char *to);
int overlay_unlink(struct fs *fs, const char *path);
int overlay_rmdir(struct fs *fs, const char *path);
int overlay_rename(struct fs *fs, const char *from, const char *to, unsigned flags);
int overlay_chmod(struct fs *fs, const char *path, unsigned mode);
int overlay_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid);
int overlay_utimes(struct fs *fs, const char *path, const struct sys_time t[2]);
int overlay_truncate(struct fs *fs, const char *path, int64_t size);

#endif
