/* recording_asked.c - in a log: what the host's commands and filesystems were asked, as digests, and what they gave. */
#include "recording.h"

#include <stdlib.h>

#include "userfs.h"

static uint32_t digest_strings(uint32_t h, char *const *v)
{
	for (size_t i = 0; v && v[i]; i++)
		h = log_digest(h, v[i], strlen(v[i]));
	return log_digest(h, "", 0);
}

uint32_t log_invocation_digest(const nacre_invocation *inv)
{
	uint32_t h = digest_strings(0, inv->argv);

	h = digest_strings(h, inv->env);
	h = log_digest(h, inv->dir, strlen(inv->dir));
	return inv->input ? log_digest(h, inv->input, inv->input_len) : h;
}

uint32_t log_fs_digest(const nacre_fs_op *op)
{
	const int64_t numbers[] = {op->mode, op->flags, op->at, op->at2, (int64_t)op->n};
	uint32_t h = log_digest((uint32_t)op->kind, numbers, sizeof(numbers));

	if (op->a)
		h = log_digest(h, op->a, strlen(op->a));
	if (op->b)
		h = log_digest(h, op->b, strlen(op->b));
	if (op->match)
		h = log_digest(h, op->match, strlen(op->match));
	for (unsigned i = 0; i < op->netags; i++)
		h = log_digest(h, op->etags[i], strlen(op->etags[i]) + 1);
	return op->n && (op->kind == OP_WRITE || op->kind == OP_PUT || op->kind == OP_PART) ? log_digest(h, op->buf, op->n) : h;
}

static void log_entries(struct log *l, const nacre_fs_op *op)
{
	log_number(l, (int64_t)op->nnames);
	for (size_t i = 0; i < op->nnames; i++) {
		log_string(l, op->names[i].s);
		log_number(l, op->names[i].type);
		log_number(l, op->names[i].size);
		log_number(l, op->names[i].mtime_ns);
	}
}

/* The answers of an object store. */
static void log_object_result(struct log *l, const nacre_fs_op *op, int64_t r)
{
	log_number(l, op->object.size);
	log_number(l, op->object.mtime_ns);
	log_bytes(l, op->object.etag, strnlen(op->object.etag, NACRE_ETAG_MAX));
	log_string(l, op->cursor);
	log_entries(l, op);
	if (op->kind == OP_GET)
		log_bytes(l, op->buf, MIN((size_t)r, op->n));
	else if (op->kind == OP_BEGIN)
		log_bytes(l, op->buf, strnlen(op->buf, op->n));
}

void log_fs_result(struct log *l, const nacre_fs_op *op, int64_t r)
{
	log_number(l, r);
	if (r < 0)
		return;
	if (op->kind == OP_STAT) {
		const int64_t v[] = {op->st.mode, (int64_t)op->st.ino, op->st.size, op->st.mtime_ns, op->st.nlink};

		for (size_t i = 0; i < COUNTOF(v); i++)
			log_number(l, v[i]);
	} else if (op->kind == OP_READDIR) {
		log_entries(l, op);
	} else if (op->kind >= OP_LIST) {
		log_object_result(l, op, r);
	} else if (op->kind == OP_READ || op->kind == OP_READLINK) {
		log_bytes(l, op->buf, MIN((size_t)r, op->n));
	}
}

static void take_entries(struct log_reader *in, nacre_fs_op *op)
{
	int64_t n = log_take_number(in);

	for (int64_t i = 0; i < n && !in->bad; i++) {
		char *name = log_take_string(in);
		int64_t type = log_take_number(in);
		nacre_object info = {.size = log_take_number(in)};

		info.mtime_ns = log_take_number(in);
		if (!name || in->bad)
			in->bad = true;
		else if ((op->u->store ? userfs_add_name(op, name, strlen(name), (uint32_t)type, &info) : nacre_fs_op_add(op, name, (uint32_t)type)) < 0)
			in->bad = true;
		free(name);
	}
}

/* Bytes that must be no more than there is room for. */
static void take_into(struct log_reader *in, char *buf, size_t room)
{
	size_t n;
	const void *p = log_take_bytes(in, &n);

	if (!p || n > room)
		in->bad = true;
	else if (n)
		memcpy(buf, p, n);
}

static void take_object_result(struct log_reader *in, nacre_fs_op *op, int64_t r)
{
	op->object.size = log_take_number(in);
	op->object.mtime_ns = log_take_number(in);
	take_into(in, op->object.etag, NACRE_ETAG_MAX - 1);
	op->cursor = log_take_string(in);
	take_entries(in, op);
	if (op->kind == OP_GET || op->kind == OP_BEGIN)
		take_into(in, op->buf, op->kind == OP_GET ? MIN((size_t)r, op->n) : op->n);
}

int64_t log_take_fs_result(struct log_reader *in, nacre_fs_op *op)
{
	int64_t r = log_take_number(in);
	const void *p;
	size_t n;

	if (r < 0 || in->bad)
		return r;
	if (op->kind == OP_STAT) {
		op->st.mode = (uint32_t)log_take_number(in);
		op->st.ino = (uint64_t)log_take_number(in);
		op->st.size = log_take_number(in);
		op->st.mtime_ns = log_take_number(in);
		op->st.nlink = (uint32_t)log_take_number(in);
	} else if (op->kind == OP_READDIR) {
		take_entries(in, op);
	} else if (op->kind >= OP_LIST) {
		take_object_result(in, op, r);
	} else if (op->kind == OP_READ || op->kind == OP_READLINK) {
		p = log_take_bytes(in, &n);
		if (!p || n != MIN((size_t)r, op->n))
			in->bad = true;
		else if (n)
			memcpy(op->buf, p, n);
	}
	return in->bad ? -NACRE_EIO : r;
}
