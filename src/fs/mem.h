/*
 * mem.h - the memory filesystem: a tree of files that is shared until written.
 *
 * Every sandbox has one as its "/". A tree is a persistent structure: branching, taking a
 * snapshot and going back to one cost a reference, whatever the size, and a write copies
 * only the nodes between it and the root that somebody else holds too.
 *
 *	store = mem_store_new(runtime_memory(rt));
 *	fs_mem_default_tree(store, &config, NULL, &base);
 *	... add to it ...  fs_mem_freeze(base);       // from now on any thread may branch it
 *	fs_mem_branch(base, store, &config, &root);   // a sandbox's "/"
 *	fs_mem_snapshot(root, &snap); ... fs_mem_restore(root, snap); fs_put(snap);
 *	fs_put(root); mem_store_free(store);
 *
 * Two counts are kept. Physical memory comes from the store, one a runtime, and is counted
 * once however many trees share it. Each tree charges its sandbox's quota with the *logical* size
 *of what it shows beyond the frozen tree it started from, so that a sandbox pays for what it uses
 *and an untouched branch costs the instance alone.
 *
 * Layer     fs; vfs, base, abi
 * Owns      its nodes; the store owns their memory
 * Threads   one runtime's; a frozen tree may be read and branched from any thread
 * Suspends  no
 * Errors    as Linux; no memory, the quota or a limit: -NACRE_ENOSPC
 */
#ifndef NACRE_FS_MEM_H
#define NACRE_FS_MEM_H

#include "../vfs/fs.h"

struct mem_store;

/* The physical memory of a runtime's trees. NULL without memory. Every tree of it must be gone at
 * free. */
MUST_USE struct mem_store *mem_store_new(struct memory *m);
void mem_store_free(struct mem_store *s);
/* Bytes taken from `m` now, pools included; and blocks of them in use. */
uint64_t mem_store_bytes(const struct mem_store *s);
uint64_t mem_store_blocks(const struct mem_store *s);

struct fs_mem_config {
	struct quota *quota; /* charged with the instance and the logical size; outlives the fs */
	struct sys_time (*now)(void *ctx);
	void *ctx;
	uint64_t seed;      /* of name hashes: secret from whoever chooses names. A branch keeps its
	                       source's. */
	uint32_t uid, gid;  /* who acts; uid 0 may do everything */
	uint64_t max_bytes; /* logical, without the root directory; 0: as the quota allows */
	uint64_t max_files; /* inodes, likewise; 0: no limit */
	uint64_t max_file_size; /* -NACRE_EFBIG beyond; 0: no limit */
};

/* An empty root directory, mode 0755, owned by config->uid. */
MUST_USE int fs_mem_new(struct mem_store *s, const struct fs_mem_config *config, struct fs **out);

/* A tree that starts as `from` is now; O(1). `from` is frozen (and outlives the branch), or of the
 * same store. -NACRE_ENOSPC when the quota does not hold what `from` charges. */
MUST_USE int fs_mem_branch(struct fs *from, struct mem_store *s, const struct fs_mem_config *config,
                           struct fs **out);

/* A tree not meant to be changed, and not charged: what restore goes back to. A branch may also be
 * made from it. Released by fs_put. */
MUST_USE int fs_mem_snapshot(struct fs *fs, struct fs **out);
/* fs shows what `snapshot` (of this fs or of one it was branched with) shows; inode numbers given
 * since are not given again. Open files whose file is not there any more read and write
 * -NACRE_ESTALE. -NACRE_ENOSPC, nothing changed, when the quota does not hold it. */
MUST_USE int fs_mem_restore(struct fs *fs, struct fs *snapshot);

/* Makes every node immortal: counts are no longer kept, so threads may share it. The tree must not
 * be changed after. Freed with its last fs_put, when every branch is gone. No file of it may be
 * open and nothing else share it; -NACRE_EINVAL when it is itself a branch of a frozen tree. */
MUST_USE int fs_mem_freeze(struct fs *fs);

/* ---- Two trees compared ---- */

/* What moved was deleted and added, as the same file. */
enum mem_difference_kind { MEM_ADDED, MEM_MODIFIED, MEM_DELETED, MEM_MODE };
struct mem_difference {
	enum mem_difference_kind kind;
	const char *path;
	uint32_t old_mode, new_mode; /* with the type; 0 where there is none */
	uint64_t file;		     /* its number */
	/* Of what was added: the mode of the same file in the first tree, 0 when it was not there; whether it had
	 * another content. */
	uint32_t was_mode;
	bool content;
};
/* Calls each for what a path leads to in one of two trees of a store (or a frozen one) and not, or
 * otherwise, in the other; a directory before what is in it. What is shared is not looked at twice. */
MUST_USE int fs_mem_compare(const struct fs *from, const struct fs *to,
                            int (*each)(void *ctx, const struct mem_difference *d), void *ctx);

struct fs_mem_usage {
	uint64_t bytes;   /* logical, a frozen base included, the root directory not */
	uint64_t charged; /* to the quota, all that is there */
	uint64_t files;   /* inodes, without the root directory */
};
void fs_mem_usage(const struct fs *fs, struct fs_mem_usage *out);

/* ---- The usual tree ----------------------------------------------------------- */

struct fs_mem_template {
	const char *hostname; /* NULL: "nacre" */
	const char *user;     /* NULL: "user": its home is /home/USER, its ids are FS_UID, FS_GID */
};

/* A new tree that looks like a small Debian: /bin and /sbin are links into /usr, /usr/bin and
 * /dev are empty (mount fs/bin and fs/dev there), /tmp and /var/tmp have mode 1777, the user owns
 * /home/USER and /workspace. config: the ids are ignored, root acts. To be added to, then frozen; t
 * may be NULL. */
MUST_USE int fs_mem_default_tree(struct mem_store *s, const struct fs_mem_config *config,
                                 const struct fs_mem_template *t, struct fs **out);
/* The same, frozen. */
MUST_USE int fs_mem_default_template(struct mem_store *s, const struct fs_mem_config *config,
                                     const struct fs_mem_template *t, struct fs **out);

#endif
