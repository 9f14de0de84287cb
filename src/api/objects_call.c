/* objects_call.c - the requests of an object store: which function of the host's each is, and what it may answer. */
#include "objects.h"

int64_t objects_perform(nacre_fs_op *op)
{
	const nacre_object_store *s = op->u->store;

	switch (op->kind) {
	case OP_LIST: return s->list(s->payload, op, op->a, (op->flags & OBJECTS_CUT) != 0, op->b, op->mode);
	case OP_HEAD: return s->head(s->payload, op, op->a, &op->object);
	case OP_GET: return s->get(s->payload, op, op->a, op->match, op->at, op->buf, op->n);
	case OP_PUT:
		return s->put(s->payload, op, op->a, op->buf ? op->buf : "", op->n, op->match, (op->flags & OBJECTS_NEW) != 0, &op->object);
	case OP_COPY: return s->copy(s->payload, op, op->a, op->b, op->match, &op->object);
	case OP_REMOVE: return s->remove(s->payload, op, op->a);
	case OP_BEGIN: return s->upload_begin(s->payload, op, op->a, op->buf);
	case OP_PART: return s->upload_part(s->payload, op, op->a, op->b, op->mode, op->buf, op->n, &op->object);
	case OP_UPLOADED: return s->upload_complete(s->payload, op, op->a, op->b, op->etags, op->netags, op->match, &op->object);
	default: return -NACRE_EIO;
	}
}

int nacre_object_op_add(nacre_fs_op *op, const char *key, const nacre_object *info)
{
	size_t prefix = strlen(op->a), n = strlen(key);

	/* What was not asked for is not shown, whatever the store says: no neighbour of the prefix can come in. */
	if (op->kind != OP_LIST || (info && info->size_of < sizeof(*info)))
		return -NACRE_EINVAL;
	if (n < prefix || memcmp(key, op->a, prefix) != 0)
		return 0;
	return userfs_add_name(op, key + prefix, n - prefix, SYS_S_FILE, info);
}

int nacre_object_op_more(nacre_fs_op *op, const char *cursor)
{
	char *copy = strdup(cursor);

	if (!copy)
		return -NACRE_ENOMEM;
	free(op->cursor);
	op->cursor = copy;
	return 0;
}

/* ---- Asking --------------------------------------------------------------------------------- */

/* The call's result; the op is the caller's when it was given out, else gone. */
int64_t objects_ask(nacre_fs_op *op, nacre_fs_op **out)
{
	int64_t r = userfs_call(op);

	*out = NULL;
	if (!op || r == -NACRE_EKILLED)
		return r;
	op->object.etag[NACRE_ETAG_MAX - 1] = '\0';
	if (r > 0 && op->kind != OP_GET)
		r = 0;
	/* The texts must be whole, a range no longer than it was asked for. */
	if (r >= 0 && ((op->kind == OP_GET && r > (int64_t)op->n) || strlen(op->object.etag) >= NACRE_ETAG_MAX - 1 || op->object.size < 0 ||
		       (op->kind == OP_BEGIN && (!*op->buf || strnlen(op->buf, op->n) >= op->n - 1))))
		r = -NACRE_EIO;
	if (r < 0) {
		userfs_op_put(op);
		return r;
	}
	*out = op;
	return r;
}

/* One whose answer says nothing more. */
int objects_do(nacre_fs_op *op)
{
	int64_t r = objects_ask(op, &op);

	if (op)
		userfs_op_put(op);
	return (int)r;
}

static bool set_match(nacre_fs_op *op, const char *etag)
{
	op->match = etag && *etag ? strdup(etag) : NULL;
	return op->match || !etag || !*etag;
}

static char *key_of(const struct objectfs *o, const char *path)
{
	size_t prefix = strlen(o->prefix), n = strlen(path) + 1;
	char *key = malloc(prefix + n);

	if (key) {
		memcpy(key, o->prefix, prefix);
		memcpy(key + prefix, path, n);
	}
	return key;
}

nacre_fs_op *objects_op(struct objectfs *o, enum op_kind kind, const char *path, const char *b, const char *etag, size_t n)
{
	nacre_fs_op *op = userfs_op(&o->u, kind, NULL, b, n);

	if (op && ((op->a = key_of(o, path)) == NULL || !set_match(op, etag))) {
		userfs_op_put(op);
		return NULL;
	}
	return op;
}

int objects_head(struct objectfs *o, const char *path, nacre_object *out)
{
	nacre_fs_op *op;
	int64_t r = objects_ask(objects_op(o, OP_HEAD, path, NULL, NULL, 0), &op);

	if (op) {
		*out = op->object;
		userfs_op_put(op);
	}
	return (int)r;
}

int64_t objects_get(struct objectfs *o, const char *path, const char *etag, void *buf, size_t n, int64_t at)
{
	nacre_fs_op *op = objects_op(o, OP_GET, path, NULL, etag, n);
	int64_t r;

	if (op)
		op->at = at;
	r = objects_ask(op, &op);
	if (op) {
		memcpy(buf, op->buf, (size_t)r);
		userfs_op_put(op);
	}
	return r;
}

int objects_put(struct objectfs *o, const char *path, const char *data, size_t n, const char *etag, bool new, nacre_object *out)
{
	nacre_fs_op *op = objects_op(o, OP_PUT, path, NULL, etag, n);
	int64_t r;

	if (op && n)
		memcpy(op->buf, data, n);
	if (op && new)
		op->flags = OBJECTS_NEW;
	r = objects_ask(op, &op);
	if (op) {
		*out = op->object;
		userfs_op_put(op);
	}
	return (int)r;
}

int objects_remove(struct objectfs *o, const char *path)
{
	return objects_do(objects_op(o, OP_REMOVE, path, NULL, NULL, 0));
}

int objects_copy(struct objectfs *o, const char *from, const char *to, const char *etag, nacre_object *out)
{
	char *key = key_of(o, to);
	nacre_fs_op *op = key ? objects_op(o, OP_COPY, from, key, etag, 0) : NULL;
	int64_t r = objects_ask(op, &op);

	free(key);
	if (op) {
		*out = op->object;
		userfs_op_put(op);
	}
	return (int)r;
}

/* A page of a listing into `list`, whose names stay; its cursor moves on, or becomes NULL. */
int objects_page(struct objectfs *o, const char *prefix, bool cut, unsigned most, nacre_fs_op *list)
{
	nacre_fs_op *op = objects_op(o, OP_LIST, prefix, list->cursor ? list->cursor : "", NULL, 0);
	int64_t r;
	int e = 0;

	if (op) {
		op->flags = cut ? OBJECTS_CUT : 0;
		op->mode = most;
	}
	r = objects_ask(op, &op);
	if (!op)
		return (int)r;
	for (size_t i = 0; i < op->nnames && e == 0; i++) {
		const nacre_object info = {.size = op->names[i].size, .mtime_ns = op->names[i].mtime_ns};

		e = userfs_add_name(list, op->names[i].s, strlen(op->names[i].s), op->names[i].type, &info);
	}
	/* A cursor that does not move on would never end. */
	if (e == 0 && op->cursor && list->cursor && streq(op->cursor, list->cursor))
		e = -NACRE_EIO;
	free(list->cursor);
	list->cursor = op->cursor;
	op->cursor = NULL;
	userfs_op_put(op);
	return e;
}
