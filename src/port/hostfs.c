/* hostfs.c - all functions of hostfs.h as one call. */
#include "hostfs.h"

static int64_t on_descriptor(struct hostfs_op *op)
{
	switch (op->call) {
	case HOSTFS_CLOSE: hostfs_close(op->fd); return 0;
	case HOSTFS_FSTAT: return hostfs_fstat(op->fd, op->st);
	case HOSTFS_PREAD: return hostfs_pread(op->fd, op->out, op->n, op->at);
	case HOSTFS_PWRITE: return hostfs_pwrite(op->fd, op->in, op->n, op->at);
	case HOSTFS_APPEND: return hostfs_append(op->fd, op->in, op->n, &op->ends_at);
	case HOSTFS_FTRUNCATE: return hostfs_ftruncate(op->fd, op->at);
	case HOSTFS_READDIR: return hostfs_readdir(op->fd, op->out, op->n);
	case HOSTFS_REWIND: return hostfs_rewind(op->fd);
	case HOSTFS_DATA: return hostfs_data(op->fd, op->at, &op->ends_at);
	default: return -NACRE_EINVAL;
	}
}

static int64_t on_path(struct hostfs_op *op)
{
	switch (op->call) {
	case HOSTFS_MKDIR: return hostfs_mkdir(op->fd, op->path, op->mode);
	case HOSTFS_UNLINK: return hostfs_unlink(op->fd, op->path, false);
	case HOSTFS_RMDIR: return hostfs_unlink(op->fd, op->path, true);
	case HOSTFS_RENAME: return hostfs_rename(op->fd, op->path, op->to, op->flags != 0);
	case HOSTFS_LINKTO: return hostfs_link(op->fd, op->path, op->to);
	case HOSTFS_SYMLINK: return hostfs_symlink(op->fd, op->to, op->path);
	case HOSTFS_MKFIFO: return hostfs_mkfifo(op->fd, op->path, op->mode);
	case HOSTFS_CHMOD: return hostfs_chmod(op->fd, op->path, op->mode);
	case HOSTFS_CHOWN: return hostfs_chown(op->fd, op->path, op->uid, op->gid);
	case HOSTFS_UTIMES: return hostfs_utimes(op->fd, op->path, op->times);
	case HOSTFS_TRUNCATE: return hostfs_truncate(op->fd, op->path, op->at);
	default: return on_descriptor(op);
	}
}

int64_t hostfs_do(struct hostfs_op *op)
{
	switch (op->call) {
	case HOSTFS_ROOT: return hostfs_root(op->path);
	case HOSTFS_OPEN: return hostfs_open(op->fd, op->path, op->flags, op->mode, &op->type);
	case HOSTFS_WALK: return hostfs_walk(op->fd, op->path, &op->end, &op->from, &op->till, op->st);
	case HOSTFS_STAT: return hostfs_stat(op->fd, op->path, op->st);
	case HOSTFS_READLINK: return hostfs_readlink(op->fd, op->path, op->out, op->n);
	case HOSTFS_ACCESS: return hostfs_access(op->fd, op->path, op->mode);
	case HOSTFS_STATFS: return hostfs_statfs(op->fd, op->fs);
	default: return on_path(op);
	}
}
