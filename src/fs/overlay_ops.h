/*
 * overlay_ops.h - what the operations of fs/overlay share: finding a file in both trees, taking it
 * over from below, undoing what failed half way.
 *
 * Layer     fs; private to fs/overlay*.c
 */
#ifndef NACRE_FS_OVERLAY_OPS_H
#define NACRE_FS_OVERLAY_OPS_H

#include "mem_ops.h"
#include "overlay.h"

#define OV_SEEN_INO 2u /* the inode, without a name, whose data is the table of overlay_seen.c */

struct overlay {
	struct fs fs;
	struct fs *below;
	struct fs_mem *up;
	struct fs *empty; /* a snapshot without any change */
	struct quota *quota;
	struct ov_file *files; /* open on data below */
};

static inline struct overlay *overlay_of(struct fs *fs)
{
	return CONTAINER_OF(fs, struct overlay, fs);
}

/* ---- Paths below (overlay_look.c) ------------------------------------------- */

/* A path in the filesystem below. */
struct ov_path {
	struct quota *quota;
	char *s;
	size_t len, cap;
	char inside[160];
};

void ov_path_init(struct ov_path *p, struct quota *q);
void ov_path_release(struct ov_path *p);
/* p = dir + "/" + name[0..n), or name when dir is "". -NACRE_ENAMETOOLONG, ENOMEM. */
MUST_USE int ov_path_join(struct ov_path *p, const char *dir, const char *name, size_t n);

/* Where a path leads. */
struct ov_at {
	struct fs_walk w;   /* as fs_ops.walk says it */
	bool above;         /* found, in the tree above; ino is its number there */
	bool covered;       /* missing because of a whiteout */
	bool parent_above;  /* the directory of the last component is above */
	uint32_t ino;
	uint32_t dir_ino;   /* the deepest directory above on the way */
	size_t at;          /* of the path: what dir_ino does not have, or the last component */
	struct ov_path low; /* where it is below, or would be; "" and has_low false: nowhere */
	bool has_low;
};

/* Always to be released with ov_at_release. 0 with w filled, or -E. */
MUST_USE int ov_look(struct overlay *o, const char *path, struct ov_at *a);
void ov_at_release(struct ov_at *a);

/* A stat of the filesystem below as the overlay shows it; and one of the tree above. */
void ov_own_stat(const struct overlay *o, struct sys_stat *st);
void ov_stat_above(const struct overlay *o, uint32_t ino, struct sys_stat *st);
/* A file below: 0 with st as it is there, -NACRE_ENOENT, or -E. */
MUST_USE int ov_stat_below(struct overlay *o, const char *low, struct sys_stat *st);
/* By the owner's bits: 0 or -NACRE_EACCES. */
int ov_may(uint32_t mode, unsigned how);

static inline bool ov_is_whiteout(const struct mem_entry *e)
{
	return e->type == SYS_S_CHAR;
}

/* ---- Taking over (overlay_up.c) ----------------------------------------------- */

/* The state to go back to when one of several steps fails. */
struct ov_tx {
	struct mem_state old;
};
void ov_begin(struct overlay *o, struct ov_tx *tx);
/* err: the steps' result; returned. When negative everything since ov_begin is undone. */
int ov_end(struct overlay *o, struct ov_tx *tx, int err);

/* Within a transaction: makes the file's directory, or the file itself with all before it, be in
 * the tree above; data stays below. */
MUST_USE int ov_up_parent(struct overlay *o, const char *path);
MUST_USE int ov_up(struct overlay *o, const char *path, uint32_t *ino);
/* Copies the data of a file above that is still below, or with `drop` forgets it. */
MUST_USE int ov_data_up(struct overlay *o, uint32_t ino, bool drop);

/* Covers the name, which is not there above, when there is a file at `low` below. */
MUST_USE int ov_cover(struct overlay *o, const char *path, const char *low);
/* Takes a whiteout away, if there is one. */
MUST_USE int ov_uncover(struct overlay *o, const char *path);
/* A directory above that shows nothing any more loses its whiteouts and its origin.
 * -NACRE_ENOTEMPTY. */
MUST_USE int ov_empty_out(struct overlay *o, uint32_t ino);

/* ---- What was read below (overlay_seen.c) ---------------------------------------- */

uint64_t ov_digest(const struct sys_stat *st);
/* Remembers what the file below is like. keep: unless something is remembered already. */
MUST_USE int ov_seen_put(struct overlay *o, const char *low, uint64_t digest, bool keep);
/* Whether the table is one (it may have been read from a file). */
bool ov_seen_valid(const struct fs_mem *above);
/* What is remembered, 0: nothing. */
uint64_t ov_seen_get(const struct overlay *o, const char *low);

/* ---- Open files (overlay_file.c) --------------------------------------------------- */

/* Opens data below for reading. */
MUST_USE int ov_file_open(struct overlay *o, const char *low, unsigned flags, struct quota *q,
                          struct file **out);
/* The files open on `low` read from the inode above from now on. Prepared first, as it may fail. */
MUST_USE int ov_files_prepare(struct overlay *o, const char *low, uint32_t ino);
void ov_files_switch(struct overlay *o, bool done);

/* Both may be absent: dir_ino 0, low NULL. */
MUST_USE int ov_dir_open(struct overlay *o, uint32_t dir_ino, const char *low, struct quota *q,
                         struct file **out);

/* ---- Walking the changes (overlay_walk.c) ----------------------------------------- */

/* One entry of the tree above with what it stands for. */
struct ov_node {
	const char *path;
	uint32_t ino;
	const struct mem_inode *i;
	bool whiteout;
	const char *natural; /* the path below that its name hides, NULL: none can be */
	const char *source;  /* where below it comes from (its origin, else natural); NULL: nowhere */
	bool moved;          /* source is not natural */
};

typedef int (*ov_visit)(void *ctx, const struct ov_node *n);
/* The paths below of what was renamed. */
struct ov_moves {
	struct quota *quota;
	struct mem_origin **v; /* references */
	size_t n, cap;
	uint64_t seed;
	uint32_t *index; /* by hash: one more than the place in v, 0 for none */
	size_t slots;    /* a power of two, at least twice n */
};

/* Every entry above, a directory before what is in it (and again after it with `post`). */
MUST_USE int ov_each(struct overlay *o, const struct ov_moves *m, ov_visit pre, ov_visit post,
                     void *ctx);

MUST_USE int ov_moves_collect(struct overlay *o, struct ov_moves *m);
void ov_moves_release(struct overlay *o, struct ov_moves *m);
bool ov_moves_has(const struct ov_moves *m, const char *low);
/* Which of v is of that path; SIZE_MAX: none. */
size_t ov_moves_find(const struct ov_moves *m, const char *low);

/* ---- Where what is to be renamed is (overlay_places.c) ----------------------------------- */

struct ov_places {
	struct quota *quota;
	uint64_t seed;
	struct ov_place *root, **buckets;
	size_t n, cap;
	uint32_t made;
	struct ov_place **of; /* by move */
	size_t moves;
};

/* To be released also after an error. */
MUST_USE int ov_places_init(struct ov_places *t, struct overlay *o, const struct ov_moves *m);
void ov_places_release(struct ov_places *t);
/* Is one of them at the path? At or in it? */
bool ov_places_at(const struct ov_places *t, const char *path);
bool ov_places_in(const struct ov_places *t, const char *path);
/* `from` is `to` now, with what is in it. */
MUST_USE int ov_places_rename(struct ov_places *t, const char *from, const char *to);
/* Where a move's file is. */
MUST_USE int ov_places_path(const struct ov_places *t, size_t move, struct ov_path *out);

/* The operations on open files below that commit and changes need. */
MUST_USE int ov_same_data(struct overlay *o, const struct mem_inode *i, const char *low, bool *same);
MUST_USE int ov_same_text(struct overlay *o, const struct mem_inode *i, const char *low, bool *same);
MUST_USE int64_t ov_read_below(struct file *f, void *buf, size_t n, int64_t at);

#endif
