/*
 * objects.h - an object store (S3 and its kind) as a filesystem.
 *
 * The host gives the requests of a store as functions: listing, reading a range, writing a whole object, uploading in parts.
 * nacre makes a filesystem of them: directories of the slashes in keys, reading only what is read, writing without overwriting
 * what somebody else wrote meanwhile. How a request travels and is signed is the host's affair.
 *
 *	nacre_object_store store = {.size = sizeof(store), .payload = client, .prefix = "team/data/", .list = ..., .get = ...};
 *	nacre_config_mount_objects(cfg, &store, "/data", NACRE_MOUNT_READ_WRITE);
 *
 * What is where: the object with the key PREFIX + "a/b" is the file a/b. A directory is there while there is an object whose
 * key begins with its path and a slash; mkdir makes an empty object of that name, "a/". A directory whose last object is removed
 * stays for the sandboxes of the runtime until it is removed itself. Keys that are no paths ("a//b", "../x") are not shown.
 *
 * Reading: a file that is open is one version of its object: every range is asked for with the ETag it had when it was opened,
 * and reading one that was changed meanwhile fails with EIO. Ranges grow while a file is read from beginning to end.
 *
 * Writing: a new file is made at once, empty, and only if there is none (If-None-Match). What is written stays in the
 * sandbox's memory, and is charged to it, up to part_size; a longer file that is written from its beginning to its end is uploaded
 * in parts of that size. Anything else, writing in the middle or appending to what was there, fetches the object,
 * changes it in memory and puts it back, up to rewrite_max. It is put, with If-Match, when the last descriptor of it is
 * closed or its program ends; that may fail, and then the program does: "write error". What a killed program had not
 * closed is dropped, and its upload aborted.
 *
 * There are no links, owners, modes and times: chmod to another mode and setting a time other than now give EPERM.
 */
#ifndef NACRE_OBJECTS_H
#define NACRE_OBJECTS_H

#include "nacre.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NACRE_ETAG_MAX 128	/* with the NUL; a longer one is refused with EIO */
#define NACRE_UPLOAD_MAX 1024	/* likewise, of an upload's id */

typedef struct nacre_object {
	size_t size_of;		/* sizeof(nacre_object), set by who asks */
	int64_t size;
	int64_t mtime_ns;	/* since 1970 */
	char etag[NACRE_ETAG_MAX]; /* opaque; "" where it is not known */
} nacre_object;

/* Each function is one request. They return 0 (get: a count) or a negative NACRE_E... code, or NACRE_FS_PENDING and
 * complete later with nacre_fs_complete, exactly as the functions of a nacre_filesystem do, on the same stack and with the same
 * rules; all that they are given remains good until they complete. Where a condition does not hold (412): -NACRE_ESTALE, for
 * must_be_new -NACRE_EEXIST. No such key (404): -NACRE_ENOENT. Not allowed (403): -NACRE_EACCES. */
typedef struct nacre_object_store {
	size_t size;		/* sizeof(nacre_object_store) */
	void *payload;
	const char *prefix;	/* what all keys begin with; a slash is added when it does not end in one; NULL, "": the whole bucket */
	uint64_t part_size;	/* of an upload in parts; 0: 8 MiB. S3 wants 5 MiB at least. */
	uint64_t rewrite_max;	/* bytes of an object that is fetched to be changed, else EFBIG; 0: 32 MiB */
	bool rewrite_any;	/* rewrite_max does not hold: as much as the sandbox's memory takes */
	bool rename_directories; /* by copying each object below; else renaming a directory gives EXDEV, upon which mv copies */
	bool read_only;		/* what would change something gives EACCES, without any request */
	int64_t list_ttl_ns;	/* how long a listing tells the sizes of what it lists, without asking again; 0: not at all */

	/* Keys that begin with prefix, in order, cut after the next slash behind it ("delimiter=/") when `cut`; as many as the store
	 * gives at once, each told with nacre_object_op_add; of those that are cut the part with the slash. cursor: "", or where the
	 * last answer said to go on, with nacre_object_op_more. At least `most` of them suffice. */
	int (*list)(void *payload, nacre_fs_op *op, const char *prefix, bool cut, const char *cursor, unsigned most);
	int (*head)(void *payload, nacre_fs_op *op, const char *key, nacre_object *out);
	/* At most n bytes from `at` on into buf, if the object still has this ETag; fewer only at its end. */
	int64_t (*get)(void *payload, nacre_fs_op *op, const char *key, const char *if_match, int64_t at, void *buf, size_t n);
	/* The functions below may be NULL when it is mounted read-only or read_only is set. */
	/* if_match NULL: whatever there is; must_be_new: if there is none (If-None-Match: *). out: what it is now. */
	int (*put)(void *payload, nacre_fs_op *op, const char *key, const void *data, size_t n, const char *if_match, bool must_be_new,
		   nacre_object *out);
	int (*copy)(void *payload, nacre_fs_op *op, const char *from, const char *to, const char *if_match, nacre_object *out);
	int (*remove)(void *payload, nacre_fs_op *op, const char *key);
	/* An upload in parts. id: NACRE_UPLOAD_MAX bytes for its name. */
	int (*upload_begin)(void *payload, nacre_fs_op *op, const char *key, char *id);
	/* number: from 1 on; out: the part's ETag. */
	int (*upload_part)(void *payload, nacre_fs_op *op, const char *key, const char *id, unsigned number, const void *data, size_t n,
			   nacre_object *out);
	int (*upload_complete)(void *payload, nacre_fs_op *op, const char *key, const char *id, const char *const *etags, unsigned n,
			       const char *if_match, nacre_object *out);
	/* Nobody waits for it and there is nothing to complete: it may take its time. */
	void (*upload_abort)(void *payload, const char *key, const char *id);
	/* Optional: nobody waits for a pending request any more; it must still be completed. */
	void (*abort)(void *payload, nacre_fs_op *op);
} nacre_object_store;

/* Mounts it; the table and the prefix are copied. flags: NACRE_MOUNT_READ_ONLY or READ_WRITE. It must work until every runtime
 * with a sandbox of the configuration is gone. */
NACRE_API int nacre_config_mount_objects(nacre_config *cfg, const nacre_object_store *store, const char *at, unsigned flags);
/* Inside list: one key, or what it was cut to. The key is copied. info may be NULL. -NACRE_ENOMEM. */
NACRE_API int nacre_object_op_add(nacre_fs_op *op, const char *key, const nacre_object *info);
/* Inside list: there are more keys, to be had with this cursor. It is copied. -NACRE_ENOMEM. */
NACRE_API int nacre_object_op_more(nacre_fs_op *op, const char *cursor);

#ifdef __cplusplus
}
#endif

#endif
