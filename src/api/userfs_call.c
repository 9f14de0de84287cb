/* userfs_call.c - calls of the host's functions: asked for by a proc, which sleeps, or by the host itself. */
#include "userfs.h"

#define NAMES_MAX ((size_t)1 << 20)

/* ---- Calls -------------------------------------------------------------------------- */

void userfs_op_put(nacre_fs_op *op)
{
	if (atomic_fetch_sub_explicit(&op->refs, 1, memory_order_acq_rel) != 1)
		return;
	/* What a file was opened for nobody takes: it is closed again. */
	if (op->kind == OP_OPEN && atomic_load(&op->done) && op->result >= 0 && !op->taken)
		op->u->table.close(op->u->table.payload, op->handle);
	for (size_t i = 0; i < op->nnames; i++)
		free(op->names[i].s);
	free(op->names);
	free(op->a);
	free(op->b);
	free(op->buf);
	free(op->match);
	free(op->cursor);
	free(op->etags);
	free(op);
}

/* NULL without memory. */
nacre_fs_op *userfs_op(struct userfs *u, enum op_kind kind, const char *a, const char *b, size_t n)
{
	nacre_fs_op *op = calloc(1, sizeof(*op));

	if (!op)
		return NULL;
	atomic_init(&op->refs, 1);
	atomic_init(&op->done, false);
	op->kind = kind;
	op->u = u;
	op->a = a ? strdup(a) : NULL;
	op->b = b ? strdup(b) : NULL;
	op->n = n;
	op->buf = n ? malloc(n) : NULL;
	op->st.size_of = sizeof(op->st);
	op->object.size_of = sizeof(op->object);
	if ((a && !op->a) || (b && !op->b) || (n && !op->buf)) {
		userfs_op_put(op);
		return NULL;
	}
	return op;
}

/* The host's function. */
static int64_t perform_really(nacre_fs_op *op)
{
	const nacre_filesystem *t = &op->u->table;

	if (op->u->store)
		return objects_perform(op);
	switch (op->kind) {
	case OP_STAT: return t->stat(t->payload, op, op->a, &op->st);
	case OP_READDIR: return t->readdir(t->payload, op, op->a);
	case OP_MKDIR: return t->mkdir ? t->mkdir(t->payload, op, op->a, op->mode) : -NACRE_EROFS;
	case OP_RENAME: return t->rename ? t->rename(t->payload, op, op->a, op->b) : -NACRE_EROFS;
	case OP_UNLINK: return t->unlink ? t->unlink(t->payload, op, op->a) : -NACRE_EROFS;
	case OP_RMDIR: return t->rmdir ? t->rmdir(t->payload, op, op->a) : -NACRE_EROFS;
	case OP_OPEN: return t->open(t->payload, op, op->a, op->flags, op->mode, &op->handle);
	case OP_READ: return t->read_at(t->payload, op, op->handle, op->buf, op->n, op->at);
	case OP_WRITE: return t->write_at ? t->write_at(t->payload, op, op->handle, op->buf, op->n, op->at) : -NACRE_EROFS;
	case OP_TRUNCATE: return t->truncate ? t->truncate(t->payload, op, op->handle, op->at) : -NACRE_EROFS;
	case OP_SYMLINK: return t->symlink ? t->symlink(t->payload, op, op->b, op->a) : -NACRE_EPERM;
	case OP_READLINK: return t->readlink ? t->readlink(t->payload, op, op->a, op->buf, op->n) : -NACRE_EINVAL;
	case OP_CHMOD: return t->chmod ? t->chmod(t->payload, op, op->a, op->mode) : -NACRE_EPERM;
	case OP_UTIMES: return t->utimes ? t->utimes(t->payload, op, op->a, op->at, op->at2) : -NACRE_EPERM;
	default: break;
	}
	return -NACRE_EIO;
}

static int64_t perform(nacre_fs_op *op)
{
	return recording_fs(op, perform_really);
}

void nacre_fs_complete(nacre_fs_op *op, int64_t result)
{
	op->news.is_fs = true;
	op->news.result = result;
	if (!recording_keeps(op->u->rt, &op->news))
		userfs_completed(op, result);
}

void userfs_completed(nacre_fs_op *op, int64_t result)
{
	struct hostcall *c = op->call;
	struct runtime *rt = op->u->rt->kernel;

	op->result = result;
	atomic_store(&op->done, true);
	if (c)
		hostcall_complete(c, result);
	userfs_op_put(op);
	if (!c)
		runtime_wake(rt);
}

static void started(struct hostcall *c, void *arg)
{
	nacre_fs_op *op = arg;
	int64_t r;

	op->call = c;
	r = perform(op);
	if (r != NACRE_FS_PENDING)
		userfs_completed(op, r);
}

static void aborted(struct hostcall *c, void *arg)
{
	nacre_fs_op *op = arg;
	const nacre_filesystem *t = &op->u->table;

	(void)c;
	if (t->abort)
		t->abort(t->payload, op);
}

static void dropped(void *arg)
{
	userfs_op_put(arg);
}

static int64_t call_directly(nacre_fs_op *op)
{
	struct runtime *rt = op->u->rt->kernel;
	int64_t r;

	atomic_fetch_add_explicit(&op->refs, 1, memory_order_relaxed);
	r = perform(op);
	if (r == NACRE_FS_PENDING && op->u->fast && kernel_current(rt))
		return -NACRE_EIO; /* it said that it would not; what it completes is nobody's */
	if (r != NACRE_FS_PENDING) {
		userfs_op_put(op);
		return r;
	}
	while (!atomic_load(&op->done)) {
		recording_pass(op->u->rt);
		runtime_wait(rt, 10000000);
	}
	return op->result;
}

/* Makes the call and waits for it. On -NACRE_EKILLED the op is not the caller's any more. */
int64_t userfs_call(nacre_fs_op *op)
{
	struct proc *p;
	int64_t r;

	if (!op)
		return -NACRE_ENOMEM;
	p = kernel_current(op->u->rt->kernel);
	if (!p || op->u->fast)
		return call_directly(op);
	atomic_fetch_add_explicit(&op->refs, 1, memory_order_relaxed); /* the host's, given back by completing or dropped() */
	r = hostcall_inside(p, started, aborted, dropped, op);
	if (r == -NACRE_EKILLED)
		userfs_op_put(op);
	else if (!op->call)
		userfs_op_put(op); /* it could not even be asked */
	return r;
}

/* For calls that give nothing but a result. */
int64_t userfs_call_simply(nacre_fs_op *op)
{
	int64_t r = userfs_call(op);

	if (op && r != -NACRE_EKILLED)
		userfs_op_put(op);
	return r;
}

int userfs_add_name(nacre_fs_op *op, const char *s, size_t len, uint32_t type, const nacre_object *info)
{
	struct name *n;

	if (op->nnames == op->names_cap) {
		size_t cap = op->names_cap ? op->names_cap * 2 : 32;
		struct name *v = cap <= NAMES_MAX ? realloc(op->names, cap * sizeof(*v)) : NULL;

		if (!v)
			return -NACRE_ENOMEM;
		op->names = v;
		op->names_cap = cap;
	}
	n = &op->names[op->nnames];
	*n = (struct name){strndup(s, len), type & SYS_S_TYPE, info ? info->size : -1, info ? info->mtime_ns : 0};
	if (!n->s)
		return -NACRE_ENOMEM;
	op->nnames++;
	return 0;
}

int nacre_fs_op_add(nacre_fs_op *op, const char *name, uint32_t type)
{
	if (!*name || strchr(name, '/') || streq(name, ".") || streq(name, "..") || strlen(name) > FS_NAME_MAX)
		return -NACRE_EINVAL;
	return userfs_add_name(op, name, strlen(name), type, NULL);
}
