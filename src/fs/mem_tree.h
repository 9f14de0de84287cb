/*
 * mem_tree.h - the persistent structures below fs/mem: inodes, their table, directories, data.
 *
 * Every node counts its references; a node may be changed in place exactly when every node
 * on the way to it from the tree's root has one. "Owning" a path makes that so by copying what
 * is shared, and changes nothing that can be seen: a function that fails for lack of memory half
 * way has therefore changed nothing. Operations first own and allocate all they need, then change.
 *
 * Identity is the inode number: nobody keeps a pointer to a node across operations.
 *
 * Layer     fs; private to fs/mem_*.c and fs/overlay*.c
 * Errors    bool or NULL: no memory
 */
#ifndef NACRE_FS_MEM_TREE_H
#define NACRE_FS_MEM_TREE_H

#include "mem.h"

#define MEM_IMMORTAL    0x80000000u /* in refs: the count is not kept */
#define MEM_ROOT_INO    1u
#define MEM_TABLE_BITS  4u
#define MEM_TABLE_WIDTH (1u << MEM_TABLE_BITS)
#define MEM_INDEX_BITS  6u
#define MEM_INDEX_WIDTH (1u << MEM_INDEX_BITS)

/* What things cost the quota besides their data. */
#define MEM_INODE_COST      (sizeof(struct mem_inode) + 64)
#define MEM_ENTRY_COST(len) (sizeof(struct mem_entry) + 32 + (len))

struct mem_store {
	struct buf_pool pool; /* its quota counts every node */
};

/* refs is the first field of every node. */

/* Inode number -> inode: a 16-way tree, as deep as the highest number needs. */
struct mem_table {
	uint32_t refs;
	uint32_t n;               /* children that are not NULL */
	void *c[MEM_TABLE_WIDTH]; /* tables, at the last level inodes */
};

/* A name in a directory. */
struct mem_entry {
	uint32_t refs;
	uint32_t ino;
	uint64_t hash;
	uint16_t len;
	uint16_t type; /* SYS_S_... */
	char name[];   /* NUL-terminated */
};

/* A directory's hash tree: children are entries (the pointer's low bit set) or further nodes. */
struct mem_hamt {
	uint32_t refs;
	uint32_t map; /* which of the 32 places are taken; of a collision node 0 */
	uint16_t n, cap;
	void *c[];
};

/* The text of a symbolic link. */
struct mem_text {
	uint32_t refs;
	uint32_t len;
	char text[];
};

/* Where a file of an overlay comes from (fs/overlay): its path and number below. */
struct mem_origin {
	uint32_t refs;
	uint32_t len;
	uint64_t dev, ino;
	char path[]; /* NUL-terminated */
};

/* Chunk number -> buf: a 64-way tree. A NULL is a hole, however high. */
struct mem_index {
	uint32_t refs;
	uint32_t unused;
	void *c[MEM_INDEX_WIDTH];
};

struct mem_time {
	int64_t sec;
	int32_t nsec;
} __attribute__((packed, aligned(4)));

struct mem_inode {
	uint32_t refs;
	uint32_t mode; /* type and permissions */
	uint32_t nlink;
	uint32_t uid, gid;
	uint16_t levels;  /* of a file's index; 0: data is the only chunk, or NULL */
	uint16_t flags;   /* MEM_BELOW */
	uint64_t size;    /* of a file's data; of a directory the number of entries */
	uint64_t charged; /* bytes of data and index */
	uint64_t chunks;  /* not holes */
	struct mem_time atime, mtime, ctime, btime;
	union {
		void *data; /* a buf or mem_index */
		void *dir;  /* a mem_hamt; NULL: empty */
		struct mem_text *link;
	};
	struct mem_origin *origin; /* NULL: made here */
};

#define MEM_BELOW 1u /* the file's data is still its origin's: size is set, data is not */

/* A tree: what a snapshot keeps. */
struct mem_state {
	struct mem_table *root;
	uint32_t levels;
	uint32_t files; /* inodes in the table */
	uint64_t used;  /* bytes, logical */
	uint64_t base;  /* of those, what is not charged: shared with what the tree started from */
	uint64_t seed;
};

/* ---- References -------------------------------------------------------------- */

static inline void mem_get(void *node)
{
	uint32_t *refs = node;

	if (!(*refs & MEM_IMMORTAL))
		++*refs;
}

/* True when that was the last one. */
static inline bool mem_put(void *node)
{
	uint32_t *refs = node;

	return !(*refs & MEM_IMMORTAL) && --*refs == 0;
}

static inline bool mem_shared(const void *node)
{
	return *(const uint32_t *)node != 1;
}

static inline void *mem_alloc(struct mem_store *s, size_t n)
{
	return kalloc(&s->pool.quota, n);
}

static inline void mem_free(struct mem_store *s, void *p, size_t n)
{
	kfree(&s->pool.quota, p, n);
}

void mem_inode_put(struct mem_store *s, struct mem_inode *i);
void mem_table_put(struct mem_store *s, struct mem_table *t, unsigned levels);
void mem_dir_put(struct mem_store *s, void *hamt); /* NULL is ignored */
void mem_entry_put(struct mem_store *s, struct mem_entry *e);
void mem_origin_put(struct mem_store *s, struct mem_origin *o); /* NULL is ignored */
void mem_data_put(struct mem_store *s, void *data, unsigned levels); /* NULL is ignored */

/* Sets or clears the immortal bit of all that is below a node, itself included. */
void mem_table_freeze(struct mem_table *t, unsigned levels, bool on);
void mem_dir_freeze(void *hamt, bool on);
void mem_data_freeze(void *data, unsigned levels, bool on);

/* ---- Inodes and their table (mem_table.c) -------------------------------------- */

/* NULL when there is no such inode. Borrowed until the next change. */
struct mem_inode *mem_table_find(const struct mem_state *t, uint32_t ino);

/* The inode when nothing on the way is shared: it may be changed in place. Else NULL. */
struct mem_inode *mem_table_unshared(const struct mem_state *t, uint32_t ino);

/* The place of `ino`, the path to it owned and made where it is missing. *place may be NULL. */
MUST_USE struct mem_inode **mem_table_place(struct mem_store *s, struct mem_state *t, uint32_t ino);

/* The inode, owned: an unshared inode at an owned path. It must exist. */
MUST_USE struct mem_inode *mem_table_own(struct mem_store *s, struct mem_state *t, uint32_t ino);

/* An unshared copy in the place of *i, whose reference is passed over to it. */
MUST_USE struct mem_inode *mem_inode_own(struct mem_store *s, struct mem_inode **i);

/* Puts an inode at a place from mem_table_place that was NULL. */
void mem_table_set(struct mem_state *t, uint32_t ino, struct mem_inode *i);

/* Takes the inode out of its (owned) place and gives it with its reference; frees nodes left empty.
 */
struct mem_inode *mem_table_take(struct mem_store *s, struct mem_state *t, uint32_t ino);

/* ---- Directories (mem_dir.c) ----------------------------------------------------- */

uint64_t mem_name_hash(uint64_t seed, const char *name, size_t len);

MUST_USE struct mem_entry *mem_entry_new(struct mem_store *s, uint64_t hash, const char *name,
                                         size_t len, uint32_t ino, uint32_t type);

/* *dir: the hash tree of an owned directory inode (insert, own, remove). */
const struct mem_entry *mem_dir_find(const void *dir, uint64_t hash, const char *name, size_t len);
/* Takes e over, in the place of an entry of the same name if there is one. */
MUST_USE bool mem_dir_insert(struct mem_store *s, void **dir, struct mem_entry *e);
/* Owns the path to a name that is there, so that mem_dir_remove cannot fail. */
MUST_USE bool mem_dir_own(struct mem_store *s, void **dir, const struct mem_entry *e);
void mem_dir_remove(struct mem_store *s, void **dir, uint64_t hash, const char *name, size_t len);
/* Calls each for every entry, in no order. */
void mem_dir_each(const void *dir, void (*each)(void *ctx, struct mem_entry *e), void *ctx);

/* ---- File data (mem_data.c) -------------------------------------------------------- */

struct fs_mem;

/* The chunk `ci` of a file, NULL where there is a hole. */
struct buf *mem_data_chunk(const struct mem_inode *i, uint64_t ci);

/* The first chunk from `ci` on that is there, MEM_NO_CHUNK without one: a file may be of exabytes and have no
 * chunk at all, so whoever goes through its data steps over what is not there. */
#define MEM_NO_CHUNK UINT64_MAX
uint64_t mem_data_next(const struct mem_inode *i, uint64_t ci);

/* Bytes read. */
size_t mem_data_read(const struct mem_inode *i, uint64_t at, void *out, size_t n);

/* The following change an owned inode: its data, size, charge. `count` is the counter of logical
 * bytes that is charged with it. Result: bytes written, or -E when none were. */
int64_t mem_data_write(struct fs_mem *m, uint64_t *count, struct mem_inode *i, uint64_t at,
                       const void *src, size_t n);
int mem_data_resize(struct fs_mem *m, uint64_t *count, struct mem_inode *i, uint64_t size);
/* Puts a whole buffer in by reference; false: not possible here, write it. */
bool mem_data_share(struct fs_mem *m, uint64_t *count, struct mem_inode *i, uint64_t at,
                    const struct slice *s);

/* What of an inode's data others have a part in. */
uint64_t mem_data_shared(const struct mem_inode *i);

/* Blocks of 512 bytes, as tmpfs counts them. */
int64_t mem_data_blocks(const struct mem_inode *i);

/* ---- The instance (mem.c) -------------------------------------------------------------- */

/* A file that is open, once however often: so that it outlives its last name. */
struct mem_vnode {
	struct mem_vnode *next, **prev;
	uint32_t ino; /* 0: the file is not in the tree that was gone back to */
	uint32_t opens;
	struct mem_inode *orphan; /* it has no name any more and is not in the table */
};

struct fs_mem {
	struct fs fs;
	struct mem_store *store;
	struct mem_state state;
	uint64_t orphans;  /* bytes of files without a name */
	uint32_t next_ino; /* never goes back */
	uint64_t ino_base; /* added to the numbers that stat tells */
	bool frozen;
	bool uncharged; /* a snapshot */
	uint32_t hidden; /* a file without a name, of who made the tree; 0: none */
	struct mem_vnode *open;
	struct fs_mem_config config;
};

static inline struct fs_mem *mem_of(struct fs *fs)
{
	return CONTAINER_OF(fs, struct fs_mem, fs);
}

static inline struct mem_time mem_now(const struct fs_mem *m)
{
	struct sys_time t = m->config.now(m->config.ctx);

	return (struct mem_time){t.sec, t.nsec};
}

/* The tree as it was when `to` was its state, or that of another tree it may be given: as
 * fs_mem_restore. A reference on its root is taken. */
MUST_USE int mem_go_back(struct fs_mem *m, const struct mem_state *to);

/* What the bounds are about: all but the root directory and the hidden file. */
uint64_t mem_counted_bytes(const struct fs_mem *m);
uint32_t mem_counted_files(const struct fs_mem *m);

/* Adds n to *count (state.used or orphans) and charges the quota; false at a limit. */
MUST_USE bool mem_charge(struct fs_mem *m, uint64_t *count, uint64_t n);
void mem_refund(struct fs_mem *m, uint64_t *count, uint64_t n);
/* The same of something that others share: that much less is not charged any more. */
void mem_refund_shared(struct fs_mem *m, uint64_t *count, uint64_t n);

bool mem_may(const struct fs_mem *m, const struct mem_inode *i, unsigned how); /* SYS_R_OK... */
void mem_fill_stat(const struct fs_mem *m, uint32_t ino, const struct mem_inode *i,
                   struct sys_stat *st);
/* Truncates as by an operation: size, times, set-id bits. */
int mem_set_size(struct fs_mem *m, uint64_t *count, struct mem_inode *i, int64_t size);

/* ---- Open files (mem_file.c) -------------------------------------------------------------- */

extern const struct file_ops mem_file_ops, mem_dir_ops;

/* A file on an inode of the table, allocated but not yet bound: mem_file_bind cannot fail. */
MUST_USE int mem_file_new(struct fs_mem *m, unsigned flags, bool dir, struct quota *q,
                          struct file **out);
void mem_file_bind(struct file *f, uint32_t ino);
/* Gives an unbound one back. */
void mem_file_cancel(struct file *f);

struct mem_vnode *mem_vnode_find(struct fs_mem *m, uint32_t ino);

#endif
