/*
 * mem_save.h - a memory tree, or the tree above of an overlay, as bytes, and back.
 *
 * Entries in the order of a walk; a directory is followed by what is in it and an end. Numbers are little-endian.
 * What is read may be anything: every length is checked, every name is judged, and a tree that could not
 * be made as a whole is to be dropped.
 *
 * Layer     fs; vfs, base, abi
 * Threads   one runtime's
 * Errors    -NACRE_EINVAL: it is not what fs_mem_save wrote; -NACRE_ENOSPC: no room
 */
#ifndef NACRE_FS_MEM_SAVE_H
#define NACRE_FS_MEM_SAVE_H

#include "mem.h"

/* Gives the bytes piece by piece; a negative result of `put` ends it and is returned. */
MUST_USE int fs_mem_save(const struct fs *fs, int (*put)(void *ctx, const void *data, size_t n), void *ctx);

/* Fills a tree that is new (of fs_mem_new, or above a new overlay) from data[0..n). */
MUST_USE int fs_mem_load(struct fs *fs, const void *data, size_t n);

#endif
