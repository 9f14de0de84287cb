/*
 * mem.c - the memory filesystem: what a tree is charged, and the life of trees: made, branched,
 * kept as a snapshot, gone back to, frozen.
 */
#include "mem_ops.h"

/* ---- Counting -------------------------------------------------------------- */

static uint64_t beyond_base(const struct fs_mem *m, uint64_t total)
{
	return total > m->state.base && !m->uncharged ? total - m->state.base : 0;
}

uint64_t mem_counted_bytes(const struct fs_mem *m)
{
	uint64_t total = m->state.used + m->orphans, own = MEM_INODE_COST;

	if (m->hidden)
		own += mem_table_find(&m->state, m->hidden)->charged + MEM_INODE_COST;
	return total > own ? total - own : 0;
}

uint32_t mem_counted_files(const struct fs_mem *m)
{
	return m->state.files - (m->hidden ? 2 : 1);
}

bool mem_charge(struct fs_mem *m, uint64_t *count, uint64_t n)
{
	uint64_t total = m->state.used + m->orphans;

	if (m->config.max_bytes && (n > m->config.max_bytes || mem_counted_bytes(m) > m->config.max_bytes - n))
		return false;
	if (!quota_charge(m->config.quota, beyond_base(m, total + n) - beyond_base(m, total)))
		return false;
	*count += n;
	return true;
}

void mem_refund(struct fs_mem *m, uint64_t *count, uint64_t n)
{
	uint64_t total = m->state.used + m->orphans;

	*count -= n;
	quota_refund(m->config.quota, beyond_base(m, total) - beyond_base(m, total - n));
}

void mem_refund_shared(struct fs_mem *m, uint64_t *count, uint64_t n)
{
	uint64_t before = beyond_base(m, m->state.used + m->orphans);

	*count -= n;
	m->state.base -= MIN(n, m->state.base);
	quota_refund(m->config.quota, before - beyond_base(m, m->state.used + m->orphans));
}

void fs_mem_usage(const struct fs *fs, struct fs_mem_usage *out)
{
	const struct fs_mem *m = (const struct fs_mem *)(const void *)fs;
	uint64_t total = m->state.used + m->orphans;

	*out = (struct fs_mem_usage){mem_counted_bytes(m), beyond_base(m, total), mem_counted_files(m)};
}

/* ---- Life cycle ------------------------------------------------------------ */

static void mem_free_fs(struct fs *fs)
{
	struct fs_mem *m = mem_of(fs);

	if (m->frozen)
		mem_table_freeze(m->state.root, m->state.levels, false);
	if (m->state.root)
		mem_table_put(m->store, m->state.root, m->state.levels);
	quota_refund(m->config.quota, beyond_base(m, m->state.used + m->orphans));
	kfree(m->config.quota, m, sizeof(*m));
}

static const struct fs_ops mem_ops = {
        .type = "memfs",
        .walk = mem_walk,
        .readlink = mem_readlink,
        .open = mem_open,
        .mkdir = mem_mkdir,
        .rmdir = mem_rmdir,
        .unlink = mem_unlink,
        .rename = mem_rename,
        .link = mem_link,
        .symlink = mem_symlink,
        .mkfifo = mem_mkfifo,
        .chmod = mem_chmod,
        .chown = mem_chown,
        .utimes = mem_utimes,
        .truncate = mem_truncate,
        .statfs = mem_statfs,
        .access = mem_access,
        .free = mem_free_fs,
};

struct mem_store *mem_store_new(struct memory *memory)
{
	struct mem_store *s = memory->get(memory, sizeof(*s));

	if (s)
		buf_pool_init(&s->pool, memory);
	return s;
}

void mem_store_free(struct mem_store *s)
{
	struct memory *memory = s->pool.quota.memory;

	buf_pool_release(&s->pool);
	memory->put(memory, s, sizeof(*s));
}

uint64_t mem_store_bytes(const struct mem_store *s)
{
	return s->pool.quota.used;
}

uint64_t mem_store_blocks(const struct mem_store *s)
{
	return s->pool.quota.live + s->pool.used;
}

static struct fs_mem *instance_new(struct mem_store *s, const struct fs_mem_config *config)
{
	struct fs_mem *m = kalloc(config->quota, sizeof(*m));

	if (m)
		*m = (struct fs_mem){.fs = {.ops = &mem_ops, .refs = 1}, .store = s, .config = *config};
	return m;
}

int fs_mem_new(struct mem_store *s, const struct fs_mem_config *config, struct fs **out)
{
	struct fs_mem *m = instance_new(s, config);
	struct mem_table *t = m ? mem_alloc(s, sizeof(*t)) : NULL;
	struct mem_inode *i = t ? mem_inode_new(m, NULL, SYS_S_DIR | 0755) : NULL;

	if (!i || !quota_charge(config->quota, MEM_INODE_COST))
		goto failed;
	memset(t, 0, sizeof(*t));
	t->refs = 1;
	m->state.used = MEM_INODE_COST;
	m->state.root = t;
	m->state.levels = 1;
	m->state.seed = config->seed;
	m->next_ino = MEM_ROOT_INO + 1;
	mem_table_set(&m->state, MEM_ROOT_INO, i);
	*out = &m->fs;
	return 0;

failed:
	if (i)
		mem_inode_put(s, i);
	if (t)
		mem_free(s, t, sizeof(*t));
	if (m)
		kfree(config->quota, m, sizeof(*m));
	return -NACRE_ENOSPC;
}

int fs_mem_branch(struct fs *from, struct mem_store *s, const struct fs_mem_config *config,
                  struct fs **out)
{
	const struct fs_mem *src = mem_of(from);
	struct fs_mem *m;

	if (!src->frozen && src->store != s)
		return -NACRE_EINVAL;
	m = instance_new(s, config);
	if (!m)
		return -NACRE_ENOSPC;
	m->state = src->state;
	/* What nobody else pays for, a frozen tree's or a snapshot's, is not charged to each branch either. */
	if (src->frozen || src->uncharged)
		m->state.base = src->state.used;
	if (!quota_charge(config->quota, beyond_base(m, src->state.used))) {
		kfree(config->quota, m, sizeof(*m));
		return -NACRE_ENOSPC;
	}
	m->next_ino = src->next_ino;
	m->hidden = src->hidden;
	m->ino_base = src->ino_base;
	m->fs.dev = src->fs.dev;
	mem_get(m->state.root);
	*out = &m->fs;
	return 0;
}

int fs_mem_snapshot(struct fs *fs, struct fs **out)
{
	struct fs_mem *src = mem_of(fs), *m;
	struct fs_mem_config config = src->config;

	config.quota = &src->store->pool.quota;
	m = instance_new(src->store, &config);
	if (!m)
		return -NACRE_ENOSPC;
	m->state = src->state;
	m->uncharged = true;
	m->next_ino = src->next_ino;
	m->hidden = src->hidden;
	m->ino_base = src->ino_base;
	m->fs.dev = src->fs.dev;
	mem_get(m->state.root);
	*out = &m->fs;
	return 0;
}

static bool same_file(const struct mem_inode *a, const struct mem_inode *b)
{
	return a && b && (a->mode & SYS_S_TYPE) == (b->mode & SYS_S_TYPE) &&
	       a->btime.sec == b->btime.sec && a->btime.nsec == b->btime.nsec;
}

/* Open files after the table was replaced: those without a name may have one again, others may be
 * gone, or their number may name another file. */
static void rebind(struct fs_mem *m, const struct mem_state *old)
{
	for (struct mem_vnode *v = m->open; v; v = v->next) {
		const struct mem_inode *i = mem_table_find(&m->state, v->ino);

		if (!v->orphan) {
			if (!same_file(mem_table_find(old, v->ino), i))
				v->ino = 0;
		} else if (same_file(v->orphan, i)) {
			m->orphans -= v->orphan->charged + MEM_INODE_COST;
			mem_inode_put(m->store, v->orphan);
			v->orphan = NULL;
		}
	}
}

int mem_go_back(struct fs_mem *m, const struct mem_state *to)
{
	struct mem_state old = m->state;
	uint64_t before = beyond_base(m, m->state.used + m->orphans), after;

	m->state = *to;
	after = beyond_base(m, m->state.used + m->orphans);
	if (after > before && !quota_charge(m->config.quota, after - before)) {
		m->state = old;
		return -NACRE_ENOSPC;
	}
	if (before > after)
		quota_refund(m->config.quota, before - after);
	mem_get(m->state.root);
	rebind(m, &old);
	mem_table_put(m->store, old.root, old.levels);
	quota_refund(m->config.quota, after - beyond_base(m, m->state.used + m->orphans));
	return 0;
}

int fs_mem_restore(struct fs *fs, struct fs *snapshot)
{
	struct fs_mem *m = mem_of(fs);
	const struct fs_mem *from = mem_of(snapshot);
	int err;

	if (!from->frozen && from->store != m->store)
		return -NACRE_EINVAL;
	err = mem_go_back(m, &from->state);
	if (!err)
		m->next_ino = MAX(m->next_ino, from->next_ino);
	return err;
}

int fs_mem_freeze(struct fs *fs)
{
	struct fs_mem *m = mem_of(fs);

	if (m->frozen || m->state.base > 0 || m->open)
		return -NACRE_EINVAL;
	m->frozen = true;
	mem_table_freeze(m->state.root, m->state.levels, true);
	return 0;
}
