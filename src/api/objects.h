/*
 * objects.h - an object store as a filesystem: requests, directories, open files.
 *
 * An objectfs is a userfs whose calls are the requests of a store: the same ops, which a proc sleeps for. What is done with a
 * file is done with its node: one for each object that is open, in each sandbox (by its quota, which is charged for the
 * data). A node's steps take several requests, between which others run, so it is held while one is under way.
 *
 * Layer     api; private to src/api/objects*.c
 * Suspends  whatever makes a request
 */
#ifndef NACRE_API_OBJECTS_H
#define NACRE_API_OBJECTS_H

#include "userfs.h"

#include <stdio.h>

#include "../kernel/wait.h"

#define OBJECTS_CUT 1u /* in an op's flags: a listing that is cut at slashes */
#define OBJECTS_NEW 2u /* a put of what must be new */

enum node_state {
	NODE_REMOTE,	/* all of it is in the store, as `etag` */
	NODE_LOCAL,	/* all of it is in buf */
	NODE_UPLOAD,	/* parts have been uploaded: up to `sent`; the rest is in buf */
};

struct node {
	struct node *next;
	struct objectfs *o;
	struct quota *q;
	char *path;		/* malloc */
	uint32_t users;		/* open files, and who works on it */
	bool held;		/* a step is under way; `free` wakes */
	bool gone;		/* the object was removed or replaced through this mount */
	bool dirty;		/* it is not in the store as it is */
	bool grows;		/* all that was written was written at its end */
	int broken;		/* -E: what was written could not be put */
	enum node_state state;
	struct waitq free;
	char etag[NACRE_ETAG_MAX];
	int64_t size, mtime_ns;
	char *buf;		/* of q */
	size_t cap;
	char *upload;		/* id, malloc */
	char **etags;		/* of the parts, malloc */
	unsigned nparts, parts_cap;
	int64_t sent;
};

/* A directory that stays though it has no object any more. */
struct kept {
	struct kept *next;
	char path[];
};

struct objectfs {
	struct userfs u;
	nacre_object_store store;
	char *prefix;		/* "", or with a slash at its end; malloc */
	struct node *nodes;
	struct kept *kept;
	unsigned nkept;
	int64_t made_ns;	/* the time of directories */
	/* The last listing, while it can be believed (list_ttl_ns). */
	nacre_fs_op *listing;
	int64_t listing_until;
};

static inline struct objectfs *objects_of(struct fs *fs)
{
	return CONTAINER_OF(user_of(fs), struct objectfs, u);
}

/* ---- Requests (objects_call.c): paths are below the prefix ---- */

nacre_fs_op *objects_op(struct objectfs *o, enum op_kind kind, const char *path, const char *b, const char *etag, size_t n);
int64_t objects_ask(nacre_fs_op *op, nacre_fs_op **out);
MUST_USE int objects_do(nacre_fs_op *op);
MUST_USE int objects_head(struct objectfs *o, const char *path, nacre_object *out);
MUST_USE int64_t objects_get(struct objectfs *o, const char *path, const char *etag, void *buf, size_t n, int64_t at);
MUST_USE int objects_put(struct objectfs *o, const char *path, const char *data, size_t n, const char *etag, bool new, nacre_object *out);
MUST_USE int objects_remove(struct objectfs *o, const char *path);
MUST_USE int objects_copy(struct objectfs *o, const char *from, const char *to, const char *etag, nacre_object *out);
MUST_USE int objects_page(struct objectfs *o, const char *prefix, bool cut, unsigned most, nacre_fs_op *list);

/* ---- Paths (objects.c) ---- */

/* "dir/", what the keys in a directory begin with; "" for the root; malloc. */
char *objects_with_slash(const char *path);
/* Makes, or with `new` unless it is there, the object that stands for a directory. */
MUST_USE int objects_put_marker(struct objectfs *o, const char *path, bool new);
/* A listing is not to be believed any more. */
void objects_forget_listing(struct objectfs *o);
/* A directory that stays without having an object: is it one; no longer; that of what was removed. */
bool objects_is_kept(struct objectfs *o, const char *path);
void objects_forget_kept(struct objectfs *o, const char *path);
MUST_USE int objects_keep_parent(struct objectfs *o, const char *path);
/* 0, or -NACRE_ENAMETOOLONG. */
MUST_USE int objects_check_names(const char *path);
/* The keys below a directory, `most` of them at least if there are as many; in *out, to be given back. */
MUST_USE int objects_look_below(struct objectfs *o, const char *path, unsigned most, nacre_fs_op **out);
/* The object that is the file at `path`, as it is or will be. -NACRE_ENOENT: there is none. */
MUST_USE int objects_find_file(struct objectfs *o, const char *path, nacre_object *now);
/* -NACRE_ENOENT: neither a file nor a directory. */
MUST_USE int objects_stat(struct objectfs *o, const char *path, struct sys_stat *st);

/* ---- Names (objects_names.c) ---- */

/* Before something is changed: that may be, as the filesystem is not sealed. */
MUST_USE int objects_may_change(struct objectfs *o, const char *path);
int objects_mkdir(struct fs *fs, const char *path, unsigned mode);
int objects_rmdir(struct fs *fs, const char *path);
int objects_unlink(struct fs *fs, const char *path);
int objects_rename(struct fs *fs, const char *from, const char *to, unsigned flags);

/* ---- Nodes (objects_node.c) ---- */

/* The node of an object as it is now, with one more user; NULL without memory. */
struct node *node_open(struct objectfs *o, const char *path, const nacre_object *now, struct quota *q);
/* One that was written to and is not in the store yet: what it is like is what the file is like. NULL: there is none. */
const struct node *node_unsaved(const struct objectfs *o, const char *path);
/* Gives back a user. What is not saved by then is dropped. */
void node_put(struct node *n);
MUST_USE int64_t node_read(struct node *n, void *buf, size_t len, int64_t at);
MUST_USE int64_t node_write(struct node *n, const char *data, size_t len, int64_t at); /* at < 0: at the end */
MUST_USE int node_truncate(struct node *n, int64_t size);
/* Puts what was written. */
MUST_USE int node_save(struct node *n);
/* Before the object at `path` goes: who has it open keeps what it was, as far as it fits. */
MUST_USE int nodes_detach(struct objectfs *o, const char *path);
/* Before it is renamed: it is saved; after: its nodes have the other path. */
MUST_USE int nodes_save(struct objectfs *o, const char *path);
void nodes_renamed(struct objectfs *o, const char *from, const char *to, const nacre_object *now);

/* ---- Open files (objects_file.c) ---- */

MUST_USE int objects_open_node(struct node *n, unsigned flags, struct quota *q, struct file **out);

#endif
