/* recording_hosts.c - what stands for filesystems and object stores of the host in a replay.
 *
 * Their functions are never called: what they gave is in the log (recording_fs). */
#include "api.h"

static int none_stat(void *p, nacre_fs_op *op, const char *path, nacre_stat *out)
{
	(void)p, (void)op, (void)path, (void)out;
	return -NACRE_EIO;
}

static int none_readdir(void *p, nacre_fs_op *op, const char *path)
{
	(void)p, (void)op, (void)path;
	return -NACRE_EIO;
}

static int none_mkdir(void *p, nacre_fs_op *op, const char *path, unsigned mode)
{
	(void)p, (void)op, (void)path, (void)mode;
	return -NACRE_EIO;
}

static int none_rename(void *p, nacre_fs_op *op, const char *from, const char *to)
{
	(void)p, (void)op, (void)from, (void)to;
	return -NACRE_EIO;
}

static int none_open(void *p, nacre_fs_op *op, const char *path, unsigned flags, unsigned mode, void **handle)
{
	(void)p, (void)op, (void)path, (void)flags, (void)mode, (void)handle;
	return -NACRE_EIO;
}

static int64_t none_read(void *p, nacre_fs_op *op, void *handle, void *buf, size_t n, int64_t at)
{
	(void)p, (void)op, (void)handle, (void)buf, (void)n, (void)at;
	return -NACRE_EIO;
}

static int64_t none_write(void *p, nacre_fs_op *op, void *handle, const void *buf, size_t n, int64_t at)
{
	(void)p, (void)op, (void)handle, (void)buf, (void)n, (void)at;
	return -NACRE_EIO;
}

static int none_truncate(void *p, nacre_fs_op *op, void *handle, int64_t size)
{
	(void)p, (void)op, (void)handle, (void)size;
	return -NACRE_EIO;
}

static void none_close(void *p, void *handle)
{
	(void)p, (void)handle;
}

static bool yes(void *p)
{
	(void)p;
	return true;
}

int hosts_mount_fs(nacre_config *cfg, const char *at, unsigned flags, bool fast)
{
	const nacre_filesystem fs = {.size = sizeof(fs), .stat = none_stat, .readdir = none_readdir, .mkdir = none_mkdir,
				     .rename = none_rename, .unlink = none_readdir, .rmdir = none_readdir, .open = none_open,
				     .read_at = none_read, .write_at = none_write, .truncate = none_truncate, .close = none_close,
				     .is_fast = fast ? yes : NULL};

	return nacre_config_mount_fs(cfg, &fs, at, flags);
}

static int none_list(void *p, nacre_fs_op *op, const char *prefix, bool cut, const char *cursor, unsigned most)
{
	(void)p, (void)op, (void)prefix, (void)cut, (void)cursor, (void)most;
	return -NACRE_EIO;
}

static int none_head(void *p, nacre_fs_op *op, const char *key, nacre_object *out)
{
	(void)p, (void)op, (void)key, (void)out;
	return -NACRE_EIO;
}

static int64_t none_get(void *p, nacre_fs_op *op, const char *key, const char *match, int64_t at, void *buf, size_t n)
{
	(void)p, (void)op, (void)key, (void)match, (void)at, (void)buf, (void)n;
	return -NACRE_EIO;
}

static int none_put(void *p, nacre_fs_op *op, const char *key, const void *data, size_t n, const char *match, bool new, nacre_object *out)
{
	(void)p, (void)op, (void)key, (void)data, (void)n, (void)match, (void)new, (void)out;
	return -NACRE_EIO;
}

static int none_copy(void *p, nacre_fs_op *op, const char *from, const char *to, const char *match, nacre_object *out)
{
	(void)p, (void)op, (void)from, (void)to, (void)match, (void)out;
	return -NACRE_EIO;
}

static int none_begin(void *p, nacre_fs_op *op, const char *key, char *id)
{
	(void)p, (void)op, (void)key, (void)id;
	return -NACRE_EIO;
}

static int none_part(void *p, nacre_fs_op *op, const char *key, const char *id, unsigned number, const void *data, size_t n, nacre_object *out)
{
	(void)p, (void)op, (void)key, (void)id, (void)number, (void)data, (void)n, (void)out;
	return -NACRE_EIO;
}

static int none_complete(void *p, nacre_fs_op *op, const char *key, const char *id, const char *const *etags, unsigned n, const char *match,
			 nacre_object *out)
{
	(void)p, (void)op, (void)key, (void)id, (void)etags, (void)n, (void)match, (void)out;
	return -NACRE_EIO;
}

static void none_abort(void *p, const char *key, const char *id)
{
	(void)p, (void)key, (void)id;
}

void hosts_take_store(struct log_reader *in, const char *prefix, nacre_object_store *s)
{
	int64_t bits;

	*s = (nacre_object_store){.size = sizeof(*s), .prefix = prefix, .list = none_list, .head = none_head, .get = none_get, .put = none_put,
				  .copy = none_copy, .remove = none_readdir, .upload_begin = none_begin, .upload_part = none_part,
				  .upload_complete = none_complete, .upload_abort = none_abort};
	s->part_size = (uint64_t)log_take_number(in);
	s->rewrite_max = (uint64_t)log_take_number(in);
	bits = log_take_number(in);
	s->rewrite_any = bits & 1;
	s->rename_directories = bits & 2;
	s->read_only = bits & 4;
	s->list_ttl_ns = log_take_number(in);
}
