/*
 * overlay.h - any filesystem read-only below, changes above it in memory, until they are committed.
 *
 * What is above is a memory tree (fs/mem) that holds only what was changed and the directories on
 * the way there. A name in it that is a whiteout says that the file below is gone; a directory with
 * an origin shows the directory below with that path as well; a file with one has its data there
 * until it is written. So mounting reads nothing, renaming a directory copies nothing, and
 * branching, a snapshot and going back to one cost a reference, as in fs/mem.
 *
 *	fs_overlay_new(host, store, &config, &fs);     // mount fs; run things
 *	fs_overlay_changes(fs, each, ctx);             // what would a commit do?
 *	fs_overlay_commit(fs, 0, &why);                // or fs_overlay_discard(fs)
 *	fs_put(fs);
 *
 * Who may do what follows the owner's bits of a file's mode: to a sandbox everything in an overlay
 * is its user's (FS_UID, FS_GID). What the host may not read below cannot be read.
 *
 * Layer     fs; vfs, base, abi
 * Owns      a reference on what is below; its tree
 * Threads   one runtime's
 * Suspends  no; copying a file up reads all of it
 * Errors    as Linux; what does not fit in the quota: -NACRE_ENOSPC
 */
#ifndef NACRE_FS_OVERLAY_H
#define NACRE_FS_OVERLAY_H

#include "mem.h"

/* Takes a reference on `below`. The ids of the configuration are ignored. */
MUST_USE int fs_overlay_new(struct fs *below, struct mem_store *s,
                            const struct fs_mem_config *config, struct fs **out);
/* An overlay over the same filesystem that starts with the changes of a snapshot; O(1). */
MUST_USE int fs_overlay_branch(struct fs *below, struct fs *snapshot, struct mem_store *s,
                               const struct fs_mem_config *config, struct fs **out);

/* The changes as they are now, to go back to; O(1). Released by fs_put; not to be mounted. */
MUST_USE int fs_overlay_snapshot(struct fs *fs, struct fs **out);
/* As fs_mem_restore. */
MUST_USE int fs_overlay_restore(struct fs *fs, struct fs *snapshot);
/* Drops every change. */
MUST_USE int fs_overlay_discard(struct fs *fs);

/* The tree above, for fs_mem_usage and for saving it; borrowed. */
struct fs *fs_overlay_above(struct fs *fs);
bool fs_is_overlay(const struct fs *fs);

/* Which file a path leads to, the same text in all overlays over one filesystem: where it comes from below, or for one that was
 * made above its number and birth. *below: its data are still those below. -NACRE_ENOENT, ENAMETOOLONG. */
MUST_USE int fs_overlay_identity(struct fs *fs, const char *path, char *buf, size_t n, bool *below);
#define FS_OVERLAY_IDENTITY_MAX (SYS_PATH_MAX + 1)

/* ---- What was changed ------------------------------------------------------- */

enum overlay_kind {
	OVERLAY_ADDED,
	OVERLAY_MODIFIED, /* other data or another link's text; perhaps other mode and times */
	OVERLAY_DELETED,
	OVERLAY_RENAMED, /* `from` is where it was below; `content` says whether it was modified too */
	OVERLAY_MODE,    /* other permissions, the same data */
	OVERLAY_TOUCHED, /* another time of modification and nothing else; not told of directories */
};

struct overlay_change {
	enum overlay_kind kind;
	const char *path;  /* in the overlay; of something deleted, where it was */
	const char *below; /* the file below that is concerned; NULL: there is none */
	const char *from;  /* of OVERLAY_RENAMED; else NULL */
	uint32_t old_mode, new_mode; /* with the type; 0 where there is none */
	bool content;
	/* What is below is no longer what it was when it was read or first changed here. */
	bool conflict;
};

/* Calls each for every change, a directory before what is in it. A non-zero result ends it and
 * is returned. Strings are good until each returns. */
MUST_USE int fs_overlay_changes(struct fs *fs, int (*each)(void *ctx, const struct overlay_change *c),
                                void *ctx);

/* Makes what is below like the overlay, then drops the changes. Files appear whole, each by a
 * rename. Without force nothing is done when a change is in conflict: -NACRE_ESTALE. An error in
 * the middle leaves the changes as they are; committing again goes on. */
MUST_USE int fs_overlay_commit(struct fs *fs, bool force);

#endif
