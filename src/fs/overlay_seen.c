/*
 * overlay_seen.c - what files below were like when they were read, or first covered.
 *
 * A commit must not overwrite what somebody else changed meanwhile. For each file below that was
 * read or covered a digest of its number, size and times is kept, in an open-addressing table of
 * 64-bit hashes of paths. The table is the data of a file in the tree above that has no name: so it
 * is charged, branched and kept in snapshots like everything else there.
 *
 * The first slot holds the number of entries and of slots.
 */
#include "overlay_ops.h"

struct slot {
	uint64_t key, digest;
};

#define SLOTS_FIRST 256u

static uint64_t mix(uint64_t h, uint64_t v)
{
	h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
	h *= 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

uint64_t ov_digest(const struct sys_stat *st)
{
	uint64_t h = mix(st->mode & SYS_S_TYPE, st->ino);

	if ((st->mode & SYS_S_TYPE) != SYS_S_DIR) {
		h = mix(h, (uint64_t)st->size);
		h = mix(h, (uint64_t)st->mtime.sec * 1000000000u + (uint64_t)st->mtime.nsec);
		h = mix(h, (uint64_t)st->ctime.sec * 1000000000u + (uint64_t)st->ctime.nsec);
	}
	return h | 1;
}

static const struct mem_inode *table_of(const struct overlay *o)
{
	return mem_table_find(&o->up->state, OV_SEEN_INO);
}

static struct slot read_slot(const struct mem_inode *i, uint64_t k)
{
	struct slot s = {0, 0};

	(void)mem_data_read(i, k * sizeof(s), &s, sizeof(s));
	return s;
}

/* The bounds of the mount are not about it: it only has to fit in the sandbox's memory. */
static int write_at(struct overlay *o, uint64_t at, const void *src, size_t n)
{
	struct fs_mem *m = o->up;
	struct mem_inode *i = mem_table_own(m->store, &m->state, OV_SEEN_INO);
	const uint64_t max_bytes = m->config.max_bytes, max_file_size = m->config.max_file_size;
	int64_t got;

	m->config.max_bytes = m->config.max_file_size = 0;
	got = i ? mem_data_write(m, &m->state.used, i, at, src, n) : -NACRE_ENOSPC;
	m->config.max_bytes = max_bytes;
	m->config.max_file_size = max_file_size;
	return got < 0 ? (int)got : got < (int64_t)n ? -NACRE_ENOSPC : 0;
}

static int write_slot(struct overlay *o, uint64_t k, struct slot s)
{
	return write_at(o, k * sizeof(s), &s, sizeof(s));
}

/* The number of the slot that has the key, or of the free one where it would be. */
static uint64_t find(const struct mem_inode *i, uint64_t slots, uint64_t key, struct slot *out)
{
	for (uint64_t k = key & (slots - 1);; k = (k + 1) & (slots - 1)) {
		*out = read_slot(i, k + 1);
		if (out->key == key || out->key == 0)
			return k + 1;
	}
}

static uint64_t key_of(const struct overlay *o, const char *low)
{
	return mem_name_hash(o->up->state.seed, low, strlen(low)) | 1;
}

/* Twice the slots, everything put where it then belongs. */
static int grow(struct overlay *o, struct slot head)
{
	const struct mem_inode *i = table_of(o);
	uint64_t slots = head.digest ? head.digest * 2 : SLOTS_FIRST;
	size_t size = (size_t)(slots + 1) * sizeof(struct slot);
	struct slot *v = kzalloc(o->quota, size);
	int err;

	if (!v)
		return -NACRE_ENOSPC;
	v[0] = (struct slot){head.key, slots};
	for (uint64_t old = 0; old < head.digest; old++) {
		struct slot s = read_slot(i, old + 1);
		uint64_t k = s.key & (slots - 1);

		while (s.key && v[k + 1].key)
			k = (k + 1) & (slots - 1);
		if (s.key)
			v[k + 1] = s;
	}
	err = write_at(o, 0, v, size);
	kfree(o->quota, v, size);
	return err;
}

int ov_seen_put(struct overlay *o, const char *low, uint64_t digest, bool keep)
{
	uint64_t key = key_of(o, low), k;
	struct slot head = read_slot(table_of(o), 0), s;
	int err = 0;

	if ((head.key + 1) * 4 > head.digest * 3)
		err = grow(o, head);
	if (err)
		return err;
	head = read_slot(table_of(o), 0);
	k = find(table_of(o), head.digest, key, &s);
	if (s.key && (keep || s.digest == digest))
		return 0;
	err = write_slot(o, k, (struct slot){key, digest});
	if (!err && !s.key)
		err = write_slot(o, 0, (struct slot){head.key + 1, head.digest});
	return err;
}

uint64_t ov_seen_get(const struct overlay *o, const char *low)
{
	const struct mem_inode *i = table_of(o);
	struct slot head = read_slot(i, 0), s;

	if (head.digest == 0)
		return 0;
	find(i, head.digest, key_of(o, low), &s);
	return s.digest;
}

bool ov_seen_valid(const struct fs_mem *above)
{
	const struct mem_inode *i = mem_table_find(&above->state, OV_SEEN_INO);
	struct slot head;
	uint64_t used = 0;

	if (!i || !mem_is(i, SYS_S_FILE))
		return false;
	if (i->size == 0)
		return true;
	head = read_slot(i, 0);
	if (head.digest < SLOTS_FIRST || head.digest & (head.digest - 1) || head.digest > UINT32_MAX ||
	    i->size != (head.digest + 1) * sizeof(struct slot))
		return false;
	for (uint64_t k = 0; k < head.digest; k++)
		used += read_slot(i, k + 1).key != 0;
	return used == head.key && used < head.digest;
}
