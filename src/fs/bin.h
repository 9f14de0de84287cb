/*
 * bin.h - the directory of programs: one file for each entry of the program table.
 *
 * Mounted at /usr/bin (to which /bin links), it is what PATH look-ups, `ls /bin` and exec
 * find, and it shows exactly the table. Files are executable, owned by root and read as one line
 * that says what they are. Nothing in it can be changed: -NACRE_EACCES.
 *
 * Layer     fs; vfs, base, abi
 * Owns      nothing of the table, which must outlive it
 * Threads   holds no changing state but its count of references
 * Suspends  no
 */
#ifndef NACRE_FS_BIN_H
#define NACRE_FS_BIN_H

#include "../vfs/fs.h"

MUST_USE int fs_bin_new(struct quota *q, const struct program_table *programs, struct sys_time time,
                        struct fs **out);

/* The program behind an open file of any fs/bin; NULL when it is another file. */
const struct program *fs_bin_program(struct file *f);

#endif
