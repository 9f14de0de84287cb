/* mem_attr.c - operations that change what a file is like, not its names. */
#include "mem_ops.h"

static int own_old(struct fs_mem *m, const struct mem_at *a, struct mem_inode **out)
{
	*out = mem_table_own(m->store, &m->state, a->ino);
	return *out ? 0 : -NACRE_ENOSPC;
}

/* Of each change first whether it may be made, then the change of an inode that is owned. */

int mem_may_chmod(struct fs_mem *m, const struct mem_inode *i)
{
	return mem_owns(m, i) ? 0 : -NACRE_EPERM;
}

void mem_set_mode(struct fs_mem *m, struct mem_inode *i, unsigned mode)
{
	mode &= 07777;
	if (m->config.uid && m->config.gid != i->gid)
		mode &= ~02000u;
	i->mode = (i->mode & SYS_S_TYPE) | mode;
	i->ctime = mem_now(m);
}

int mem_chmod(struct fs *fs, const char *path, unsigned mode)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_inode *i;
	struct mem_at a;
	int err = mem_look_up_old(m, path, &a);

	if (!err)
		err = mem_may_chmod(m, a.i);
	if (!err)
		err = own_old(m, &a, &i);
	if (!err)
		mem_set_mode(m, i, mode);
	return err;
}

int mem_may_chown(struct fs_mem *m, const struct mem_inode *i, int64_t uid, int64_t gid)
{
	if (uid > UINT32_MAX || gid > UINT32_MAX)
		return -NACRE_EINVAL;
	if (m->config.uid == 0 || (uid < 0 && gid < 0))
		return 0;
	return !mem_owns(m, i) || (uid >= 0 && (uint32_t)uid != i->uid) ||
	       (gid >= 0 && (uint32_t)gid != i->gid && (uint32_t)gid != m->config.gid) ? -NACRE_EPERM : 0;
}

void mem_set_owner(struct fs_mem *m, struct mem_inode *i, int64_t uid, int64_t gid)
{
	if (uid >= 0)
		i->uid = (uint32_t)uid;
	if (gid >= 0)
		i->gid = (uint32_t)gid;
	if (!mem_is(i, SYS_S_DIR) && (uid >= 0 || gid >= 0))
		i->mode &= i->mode & 010 ? ~06000u : ~04000u;
	i->ctime = mem_now(m);
}

int mem_chown(struct fs *fs, const char *path, int64_t uid, int64_t gid)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_inode *i;
	struct mem_at a;
	int err = mem_look_up_old(m, path, &a);

	if (!err)
		err = mem_may_chown(m, a.i, uid, gid);
	if (!err)
		err = own_old(m, &a, &i);
	if (!err)
		mem_set_owner(m, i, uid, gid);
	return err;
}

static void set_time(struct mem_time *to, const struct sys_time *t, struct mem_time now)
{
	if (t->nsec == SYS_TIME_NOW)
		*to = now;
	else if (t->nsec != SYS_TIME_OMIT)
		*to = (struct mem_time){t->sec, t->nsec};
}

int mem_may_utimes(struct fs_mem *m, const struct mem_inode *i, const struct sys_time t[2])
{
	bool now_only = t[0].nsec == SYS_TIME_NOW && t[1].nsec == SYS_TIME_NOW;

	if (mem_owns(m, i))
		return 0;
	return !now_only ? -NACRE_EPERM : mem_may(m, i, SYS_W_OK) ? 0 : -NACRE_EACCES;
}

void mem_set_times(struct fs_mem *m, struct mem_inode *i, const struct sys_time t[2])
{
	i->ctime = mem_now(m);
	set_time(&i->atime, &t[0], i->ctime);
	set_time(&i->mtime, &t[1], i->ctime);
}

int mem_utimes(struct fs *fs, const char *path, const struct sys_time t[2])
{
	struct fs_mem *m = mem_of(fs);
	struct mem_inode *i;
	struct mem_at a;
	int err = mem_look_up_old(m, path, &a);

	if (err || (t[0].nsec == SYS_TIME_OMIT && t[1].nsec == SYS_TIME_OMIT))
		return err;
	err = mem_may_utimes(m, a.i, t);
	if (!err)
		err = own_old(m, &a, &i);
	if (!err)
		mem_set_times(m, i, t);
	return err;
}

int mem_set_size(struct fs_mem *m, uint64_t *count, struct mem_inode *i, int64_t size)
{
	int err = mem_data_resize(m, count, i, (uint64_t)size);

	if (err)
		return err;
	mem_touch(i, mem_now(m));
	if ((i->mode & 06000) && m->config.uid)
		i->mode &= i->mode & 010 ? ~06000u : ~04000u;
	return 0;
}

int mem_truncate(struct fs *fs, const char *path, int64_t size)
{
	struct fs_mem *m = mem_of(fs);
	struct mem_inode *i;
	struct mem_at a;
	int err = mem_look_up_old(m, path, &a);

	if (err)
		return err;
	if (mem_is(a.i, SYS_S_DIR))
		return -NACRE_EISDIR;
	if (!mem_is(a.i, SYS_S_FILE) || size < 0)
		return -NACRE_EINVAL;
	if (!mem_may(m, a.i, SYS_W_OK))
		return -NACRE_EACCES;
	err = own_old(m, &a, &i);
	return err ? err : mem_set_size(m, &m->state.used, i, size);
}

int mem_statfs(struct fs *fs, struct sys_statfs *out)
{
	struct fs_mem *m = mem_of(fs);
	const struct quota *q = m->config.quota;
	uint64_t used = mem_counted_bytes(m), left = (uint64_t)1 << 40, files = mem_counted_files(m);

	if (q->limit)
		left = q->limit > q->used ? q->limit - q->used : 0;
	if (m->config.max_bytes)
		left = MIN(left, m->config.max_bytes > used ? m->config.max_bytes - used : 0);
	memcpy(out->type, "memfs", sizeof("memfs"));
	out->block_size = 4096;
	out->bytes_total = used + left;
	out->bytes_free = left;
	out->files_free = left / (MEM_INODE_COST + MEM_ENTRY_COST(16));
	if (m->config.max_files)
		out->files_free = MIN(out->files_free, m->config.max_files > files ? m->config.max_files - files : 0);
	out->files_total = files + out->files_free;
	return 0;
}
