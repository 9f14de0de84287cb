/* objects_node.c - what is done with the data of an open object: fetched, changed in memory, uploaded, put. */
#include "objects.h"

#include <stdlib.h>

#include "../kernel/sched.h"

#define PART_DEFAULT ((uint64_t)8 << 20)
#define REWRITE_DEFAULT ((uint64_t)32 << 20)
#define FETCH ((size_t)1 << 20)
#define PARTS_MAX 10000u

static uint64_t part_size(const struct node *n)
{
	return n->o->store.part_size ? n->o->store.part_size : PART_DEFAULT;
}

/* ---- Holding ------------------------------------------------------------------------- */

static int hold(struct node *n)
{
	while (n->held) {
		struct proc *p = kernel_current(n->o->u.rt->kernel);
		int e = p ? proc_wait_on(p, &n->free, -1, false) : -NACRE_EBUSY;

		if (e < 0)
			return e;
	}
	n->held = true;
	return 0;
}

static int64_t let_go(struct node *n, int64_t result)
{
	n->held = false;
	waitq_wake(&n->free);
	return result;
}

/* ---- Making and giving back ------------------------------------------------------------ */

static bool same_version(const struct node *n, const nacre_object *now)
{
	return n->dirty || n->held || (streq(n->etag, now->etag) && n->size == now->size);
}

struct node *node_open(struct objectfs *o, const char *path, const nacre_object *now, struct quota *q)
{
	struct node *n = o->nodes;

	while (n && (n->gone || n->q != q || !streq(n->path, path) || !same_version(n, now)))
		n = n->next;
	if (n) {
		n->users++;
		return n;
	}
	n = kzalloc(q, sizeof(*n));
	if (!n)
		return NULL;
	*n = (struct node){.next = o->nodes, .o = o, .q = q, .path = strdup(path), .users = 1, .grows = now->size == 0, .size = now->size,
			   .mtime_ns = now->mtime_ns};
	if (!n->path) {
		kfree(q, n, sizeof(*n));
		return NULL;
	}
	memcpy(n->etag, now->etag, sizeof(n->etag));
	fs_get(&o->u.fs);
	o->nodes = n;
	return n;
}

const struct node *node_unsaved(const struct objectfs *o, const char *path)
{
	for (const struct node *n = o->nodes; n; n = n->next)
		if (n->dirty && !n->gone && streq(n->path, path))
			return n;
	return NULL;
}

static void drop_buffer(struct node *n)
{
	if (n->buf)
		kfree(n->q, n->buf, n->cap);
	n->buf = NULL;
	n->cap = 0;
}

static void drop_etags(struct node *n)
{
	for (unsigned i = 0; i < n->nparts; i++)
		free(n->etags[i]);
	free(n->etags);
	n->etags = NULL;
	n->nparts = n->parts_cap = 0;
}

struct dropped_upload {
	struct objectfs *o;
	char *key, *id;
};

static void abort_upload(void *arg)
{
	struct dropped_upload *d = arg;

	if (!recording_replays(d->o->u.rt))
		d->o->store.upload_abort(d->o->store.payload, d->key, d->id);
	fs_put(&d->o->u.fs);
	free(d->key);
	free(d->id);
	free(d);
}

/* Nobody waits for it: also when its proc is killed. Without memory the upload stays as it is in the store. */
static void drop_upload(struct node *n)
{
	struct dropped_upload *d = malloc(sizeof(*d));
	struct hostcall *c = d ? hostcall_reserve(n->o->u.rt->kernel) : NULL;
	size_t size = strlen(n->o->prefix) + strlen(n->path) + 1;

	if (c && (d->key = malloc(size)) != NULL) {
		snprintf(d->key, size, "%s%s", n->o->prefix, n->path);
		d->o = n->o;
		d->id = n->upload;
		n->upload = NULL;
		fs_get(&n->o->u.fs);
		hostcall_post(c, abort_upload, d);
	} else {
		if (c)
			hostcall_unreserve(c);
		free(d);
	}
	free(n->upload);
	n->upload = NULL;
	drop_etags(n);
}

void node_put(struct node *n)
{
	struct node **at = &n->o->nodes;

	if (--n->users > 0)
		return;
	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	if (n->upload)
		drop_upload(n);
	drop_etags(n);
	drop_buffer(n);
	free(n->path);
	fs_put(&n->o->u.fs);
	kfree(n->q, n, sizeof(*n));
}

/* What was written is lost, and every further use says so. */
static int broken(struct node *n, int e)
{
	if (e == -NACRE_ESTALE || e == -NACRE_EEXIST || e == -NACRE_ENOENT)
		e = -NACRE_EIO; /* somebody else changed it */
	if (e != -NACRE_EKILLED) {
		n->broken = e;
		n->dirty = false;
	}
	return e;
}

/* ---- Fetching ------------------------------------------------------------------------------ */

static int room_for(struct node *n, uint64_t size)
{
	size_t cap = n->cap ? n->cap : 4096;
	char *buf;

	if (size <= n->cap)
		return 0;
	while (cap < size)
		cap *= 2;
	buf = kalloc(n->q, cap);
	if (!buf && cap > size)
		buf = kalloc(n->q, cap = (size_t)size);
	if (!buf)
		return -NACRE_ENOSPC;
	if (n->buf)
		memcpy(buf, n->buf, n->cap);
	drop_buffer(n);
	n->buf = buf;
	n->cap = cap;
	return 0;
}

static int may_rewrite(const struct node *n, uint64_t size)
{
	uint64_t max = n->o->store.rewrite_any ? (uint64_t)1 << 40 : n->o->store.rewrite_max ? n->o->store.rewrite_max : REWRITE_DEFAULT;

	return size > max ? -NACRE_EFBIG : 0;
}

/* A range of what is in the store, which must still be what it was. */
static int64_t fetch(struct node *n, char *buf, size_t len, int64_t at)
{
	int64_t r = n->gone ? -NACRE_EIO : objects_get(n->o, n->path, n->etag, buf, len, at);

	return r == -NACRE_ESTALE || r == -NACRE_ENOENT ? -NACRE_EIO : r;
}

/* All of it in memory. */
static int make_local(struct node *n)
{
	int64_t r = 0;
	int e = n->state == NODE_LOCAL ? 0 : may_rewrite(n, (uint64_t)n->size);

	if (n->state == NODE_LOCAL || e < 0)
		return e;
	e = room_for(n, (uint64_t)n->size);
	for (int64_t at = 0; e == 0 && at < n->size; at += r) {
		r = fetch(n, n->buf + at, MIN(FETCH, (size_t)(n->size - at)), at);
		e = r < 0 ? (int)r : r == 0 ? -NACRE_EIO : 0;
	}
	if (e < 0) {
		drop_buffer(n);
		return e;
	}
	n->state = NODE_LOCAL;
	return 0;
}

/* ---- Uploading ------------------------------------------------------------------------------- */

static bool keep_etag(struct node *n, const char *etag)
{
	if (n->nparts == n->parts_cap) {
		unsigned cap = n->parts_cap ? n->parts_cap * 2 : 16;
		char **v = realloc(n->etags, cap * sizeof(*v));

		if (!v)
			return false;
		n->etags = v;
		n->parts_cap = cap;
	}
	n->etags[n->nparts] = strdup(etag);
	return n->etags[n->nparts] && ++n->nparts;
}

static int begin_upload(struct node *n)
{
	nacre_fs_op *op = objects_op(n->o, OP_BEGIN, n->path, NULL, NULL, NACRE_UPLOAD_MAX);
	int64_t r;

	if (op)
		memset(op->buf, 0, op->n);
	r = objects_ask(op, &op);
	if (op) {
		n->upload = strdup(op->buf);
		userfs_op_put(op);
		r = n->upload ? 0 : -NACRE_ENOMEM;
	}
	return (int)r;
}

/* The first `len` bytes of what is in memory. */
static int send_part(struct node *n, size_t len)
{
	nacre_fs_op *op = n->nparts < PARTS_MAX ? objects_op(n->o, OP_PART, n->path, n->upload, NULL, len) : NULL;
	int64_t r;

	if (!op)
		return n->nparts < PARTS_MAX ? -NACRE_ENOMEM : -NACRE_EFBIG;
	memcpy(op->buf, n->buf, len);
	op->mode = n->nparts + 1;
	r = objects_ask(op, &op);
	if (op) {
		r = keep_etag(n, op->object.etag) ? 0 : -NACRE_ENOMEM;
		userfs_op_put(op);
	}
	if (r == 0)
		n->sent += (int64_t)len;
	return (int)r;
}

/* The parts' ETags as one block, which the op gives back. */
static bool list_etags(const struct node *n, nacre_fs_op *op)
{
	size_t size = (n->nparts + 1) * sizeof(char *);
	char *text;

	for (unsigned i = 0; i < n->nparts; i++)
		size += strlen(n->etags[i]) + 1;
	op->etags = malloc(size);
	if (!op->etags)
		return false;
	text = (char *)(op->etags + n->nparts + 1);
	for (unsigned i = 0; i < n->nparts; i++) {
		size_t len = strlen(n->etags[i]) + 1;

		op->etags[i] = memcpy(text, n->etags[i], len);
		text += len;
	}
	op->etags[n->nparts] = NULL;
	op->netags = n->nparts;
	return true;
}

static void is_now(struct node *n, const nacre_object *now)
{
	memcpy(n->etag, now->etag, sizeof(n->etag));
	if (now->mtime_ns)
		n->mtime_ns = now->mtime_ns;
	n->dirty = false;
}

static int complete_upload(struct node *n)
{
	size_t rest = (size_t)(n->size - n->sent);
	int64_t r = rest ? send_part(n, rest) : 0;
	nacre_fs_op *op = r == 0 ? objects_op(n->o, OP_UPLOADED, n->path, n->upload, n->etag, 0) : NULL;

	if (r == 0 && (!op || !list_etags(n, op))) {
		if (op)
			userfs_op_put(op);
		return -NACRE_ENOMEM;
	}
	if (r == 0)
		r = objects_ask(op, &op);
	if (r < 0)
		return (int)r;
	is_now(n, &op->object);
	userfs_op_put(op);
	free(n->upload);
	n->upload = NULL;
	drop_etags(n);
	drop_buffer(n);
	n->state = NODE_REMOTE;
	return 0;
}

static int save(struct node *n)
{
	nacre_object now = {.size_of = sizeof(now)};
	int e = 0;

	if (!n->dirty || n->gone)
		return 0;
	if (n->state == NODE_UPLOAD) {
		e = complete_upload(n);
		if (e < 0 && n->upload && e != -NACRE_EKILLED)
			drop_upload(n);
	} else {
		e = objects_put(n->o, n->path, n->buf, (size_t)n->size, n->etag, false, &now);
		if (e == 0)
			is_now(n, &now);
	}
	return e < 0 ? broken(n, e) : 0;
}

/* ---- Reading and writing ------------------------------------------------------------------------ */

int node_save(struct node *n)
{
	int e = hold(n);

	return e < 0 ? e : (int)let_go(n, save(n));
}

int64_t node_read(struct node *n, void *buf, size_t len, int64_t at)
{
	int64_t r = hold(n);

	if (r < 0)
		return r;
	r = n->broken;
	if (r == 0 && n->state == NODE_UPLOAD)
		r = n->gone ? -NACRE_EIO : save(n);
	if (r < 0)
		return let_go(n, r);
	len = at >= n->size ? 0 : (size_t)MIN((int64_t)len, n->size - at);
	if (n->state == NODE_LOCAL && len)
		memcpy(buf, n->buf + at, len);
	/* Ranges of one version may be fetched at the same time. */
	let_go(n, 0);
	return n->state == NODE_REMOTE && len ? fetch(n, buf, len, at) : (int64_t)len;
}

/* Behind what has been written, in parts. */
static int append_parts(struct node *n, const char *data, size_t len)
{
	size_t part = (size_t)part_size(n), have;
	int e = 0;

	while (e == 0 && len > 0) {
		size_t k;

		have = (size_t)(n->size - n->sent);
		if (have >= part) {
			e = send_part(n, part);
			if (e == 0)
				memmove(n->buf, n->buf + part, have - part);
			continue;
		}
		k = MIN(len, part - have);
		e = room_for(n, have + k);
		if (e < 0)
			break;
		memcpy(n->buf + have, data, k);
		n->size += (int64_t)k;
		data += k;
		len -= k;
	}
	return e;
}

static int put_in(struct node *n, const char *data, size_t len, int64_t at)
{
	uint64_t end = (uint64_t)at + len, size = MAX(end, (uint64_t)n->size);
	int e = make_local(n);

	if (e == 0)
		e = may_rewrite(n, size);
	if (e == 0)
		e = room_for(n, size);
	if (e < 0)
		return e;
	if (at > n->size)
		memset(n->buf + n->size, 0, (size_t)(at - n->size));
	memcpy(n->buf + at, data, len);
	n->size = (int64_t)size;
	return 0;
}

static int begin_parts(struct node *n)
{
	int e = begin_upload(n);

	if (e == 0) {
		n->state = NODE_UPLOAD;
		n->sent = 0;
	}
	return e;
}

static int write_in(struct node *n, const char *data, size_t len, int64_t at)
{
	bool behind = at == n->size;
	int e = 0;

	if (n->state == NODE_UPLOAD && !behind) {
		e = save(n);
		n->grows = false;
	} else if (n->state == NODE_LOCAL && behind && n->grows && !n->gone && (uint64_t)n->size + len > part_size(n)) {
		e = begin_parts(n);
	}
	n->grows &= behind;
	if (e == 0)
		e = n->state == NODE_UPLOAD ? append_parts(n, data, len) : put_in(n, data, len, at);
	return e;
}

static void written(struct node *n)
{
	n->dirty = true;
	n->mtime_ns = n->o->u.rt->port->clock(n->o->u.rt->port, PORT_CLOCK_REAL);
}

int64_t node_write(struct node *n, const char *data, size_t len, int64_t at)
{
	int64_t e = hold(n), end;

	if (e < 0)
		return e;
	at = at < 0 ? n->size : at;
	e = n->broken;
	if (e == 0 && __builtin_add_overflow(at, (int64_t)len, &end))
		e = -NACRE_EFBIG;
	if (e == 0 && n->state == NODE_REMOTE && n->size == 0)
		n->state = NODE_LOCAL;
	if (e == 0)
		e = write_in(n, data, len, at);
	if (e == 0)
		written(n);
	else if (n->state == NODE_UPLOAD && e != -NACRE_ENOSPC)
		e = broken(n, (int)e);
	return let_go(n, e < 0 ? e : (int64_t)len);
}

static int truncate_in(struct node *n, int64_t size)
{
	int e = 0;

	if (size == 0) {
		if (n->upload)
			drop_upload(n);
		drop_buffer(n);
		n->state = NODE_LOCAL;
		n->size = 0;
		n->grows = true;
		return 0;
	}
	if (n->state == NODE_UPLOAD)
		e = save(n);
	if (e == 0)
		e = make_local(n);
	if (e == 0)
		e = may_rewrite(n, (uint64_t)size);
	if (e == 0)
		e = room_for(n, (uint64_t)size);
	if (e < 0)
		return e;
	if (size > n->size)
		memset(n->buf + n->size, 0, (size_t)(size - n->size));
	n->size = size;
	n->grows = false;
	return 0;
}

int node_truncate(struct node *n, int64_t size)
{
	int e = hold(n);

	if (e < 0)
		return e;
	e = n->broken;
	if (e == 0 && (size != n->size || n->state == NODE_REMOTE)) {
		e = size == n->size && size > 0 ? 0 : truncate_in(n, size);
		if (e == 0)
			written(n);
	}
	return (int)let_go(n, e);
}

/* ---- When names change ------------------------------------------------------------------------- */

/* Calls `work` for each node of the path, held; nodes may come and go meanwhile. */
static int each(struct objectfs *o, const char *path, int (*work)(struct node *n))
{
	int e = 0;

	for (struct node *n = o->nodes; n && e >= 0;) {
		struct node *next;

		if (n->gone || !streq(n->path, path)) {
			n = n->next;
			continue;
		}
		n->users++;
		e = hold(n);
		if (e == 0 && !n->gone)
			e = (int)let_go(n, work(n));
		next = n->next;
		node_put(n);
		n = next;
	}
	return e;
}

static int detach(struct node *n)
{
	int e = n->broken ? 0 : n->state == NODE_UPLOAD ? save(n) : 0;

	if (e == 0 && !n->broken)
		e = make_local(n);
	/* What is too large is lost to who has it open, as on a disk whose blocks are given to others. */
	if (e == -NACRE_EFBIG || e == -NACRE_ENOSPC || e == -NACRE_EIO) {
		n->broken = -NACRE_EIO;
		e = 0;
	}
	if (e == 0)
		n->gone = true;
	return e;
}

int nodes_detach(struct objectfs *o, const char *path)
{
	return each(o, path, detach);
}

int nodes_save(struct objectfs *o, const char *path)
{
	return each(o, path, save);
}

void nodes_renamed(struct objectfs *o, const char *from, const char *to, const nacre_object *now)
{
	for (struct node *n = o->nodes; n; n = n->next) {
		char *path = !n->gone && streq(n->path, from) ? strdup(to) : NULL;

		if (!path)
			continue;
		free(n->path);
		n->path = path;
		memcpy(n->etag, now->etag, sizeof(n->etag));
	}
}
