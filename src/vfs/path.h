/*
 * path.h - from a path as a program writes it to a place in a filesystem.
 *
 * Layer     vfs; private to src/vfs
 * Owns      its own text, given back by place_release
 * Suspends  as the filesystems walked
 */
#ifndef NACRE_VFS_PATH_H
#define NACRE_VFS_PATH_H

#include "mount.h"

#define LINKS_MAX 40

enum place_how {
	PLACE_FOLLOW = 1u << 0, /* a link as last component is followed */
	PLACE_PARENT = 1u << 1, /* the last component is to be made or taken away: never followed,
	                           not even before "/" */
	PLACE_CREATE =
	        1u << 2, /* as open with CREATE: a "/" after the last component stops there */
	PLACE_LENIENT = 1u << 3, /* what is missing counts as a directory (realpath -m) */
	PLACE_NAMES = 1u << 4,   /* "." and ".." need no right to search, as in realpath() */
	PLACE_CHANGE = 1u << 5,  /* it is to be changed: a sealed filesystem is not asked what is there */
};

enum place_last { PLACE_NORM, PLACE_DOT, PLACE_DOTDOT, PLACE_ROOT };

struct place {
	char *path; /* absolute, clean, free of links but perhaps the last component */
	size_t len, cap;
	struct quota *quota;
	char *text; /* what links put in the place of the path */
	size_t text_size;

	const struct mount *mount; /* NULL: the root */
	struct fs *fs;
	const char *rel; /* part of path: what fs is asked */

	bool found;            /* st is filled; else only the last component is missing */
	bool synthetic;        /* no filesystem has it: a directory above a mount */
	bool parent_synthetic; /* the missing name would be in such a directory */
	bool slash;            /* "/" came after the last component */
	bool moved;            /* path is not what the given one is by its text alone */
	bool sealed;           /* the path ends in a sealed filesystem and was not looked at */
	enum place_last last;
	unsigned links;
	struct sys_stat st;
	char inside[256];
};

/* 0, or what Linux's path walk says, or with PLACE_CHANGE what a sealed filesystem does. The place is to be
 * released in any case. */
int place_resolve(const struct vfs_who *w, const char *path, unsigned how, struct place *p);

/* The path made absolute and clean by its text alone: ".." takes the component before it. Only path
 * and len are set. -NACRE_ENAMETOOLONG, ENOENT (empty), ENOMEM. *plain: nothing had to be taken
 * away, no "/" at the end. */
int place_lexical(const struct vfs_who *w, const char *path, struct place *p, bool *plain);

/* Fills mount, fs and rel for the path as it is. */
void place_locate(const struct vfs_who *w, struct place *p);

void place_release(struct place *p);

/* What a directory that only exists for the mounts below it looks like. */
void place_synthetic_stat(const char *path, size_t len, struct sys_stat *st);

/* ---- Directories with mounts in them (mountdir.c) ---- */

/* Wraps the open directory `below` (its reference is taken over; NULL: a synthetic one) at `path`
 * so that the mounts that lie in it are listed. */
MUST_USE int mountdir_open(const struct vfs *v, const char *path, size_t len, struct file *below,
                           struct quota *q, struct file **out);

/* The policy's part: 0 or -NACRE_EACCES, the refusal reported when `tell`. */
int policy_check(const struct vfs *v, const char *op, const char *path, size_t len, unsigned access, bool tell);

/* May the directory be moved away with all that is in it? 0, or -NACRE_EACCES. */
int policy_check_tree(const struct vfs_who *w, const char *op, const struct place *dir,
                      unsigned access);

#endif
