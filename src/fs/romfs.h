/*
 * romfs.h - a rom (base/rom.h) as a filesystem: what guests bring along, for everybody to read.
 *
 * Files belong to root and read straight from the rom, which costs a sandbox nothing. Nothing in it can
 * be changed: -NACRE_EROFS.
 *
 * Layer     fs; vfs, base, abi
 * Owns      nothing of the rom, which must outlive it
 * Threads   holds no changing state but its count of references
 * Suspends  no
 */
#ifndef NACRE_FS_ROMFS_H
#define NACRE_FS_ROMFS_H

#include "../base/rom.h"
#include "../vfs/fs.h"

MUST_USE int fs_rom_new(struct quota *q, const struct rom *rom, struct fs **out);

#endif
