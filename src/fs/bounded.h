/*
 * bounded.h - another filesystem that may hold only so much: bytes, files, bytes of one file.
 *
 * What is there is counted once, when it is made, and then with every change that is made through it.
 * Others who change what is below make the counts wrong until fs_bounded_refresh, or fs_bounded_set
 * by somebody who knows. A file that is removed while open is counted as gone at once.
 *
 * Layer     fs; vfs, base, abi
 * Owns      a reference on what is below
 * Threads   one runtime's
 * Suspends  as what is below
 * Errors    -NACRE_ENOSPC where a bound is reached, -NACRE_EFBIG for one file's; else as what is below
 */
#ifndef NACRE_FS_BOUNDED_H
#define NACRE_FS_BOUNDED_H

#include "../vfs/fs.h"

struct fs_bounds {
	uint64_t bytes, files, file_size; /* 0: none */
};

/* Takes a reference on `below` and counts it. */
MUST_USE int fs_bounded_new(struct quota *q, struct fs *below, const struct fs_bounds *bounds,
                            struct fs **out);

struct fs_bounded_usage {
	uint64_t bytes, files;
};
void fs_bounded_usage(const struct fs *fs, struct fs_bounded_usage *out);
void fs_bounded_set(struct fs *fs, const struct fs_bounded_usage *usage);
/* Counts anew. */
MUST_USE int fs_bounded_refresh(struct fs *fs);
bool fs_is_bounded(const struct fs *fs);

#endif
