/*
 * mem_data.c - file data: chunks of 64 KiB under a persistent index.
 *
 * The one invariant: a chunk that is there has used >= min(size - its start, BUF_CHUNK), so
 * whatever lies inside the file can be copied or handed out as it is. What lies
 * beyond the file's end but below `used` is not the file's (it was cut off, or another tree
 * appended it to the shared buffer): a file that grows must not show it.
 *
 * A shared buffer may still be appended to in place: bytes beyond `used` are nobody's, and who
 * moves the mark first has claimed them. Everything else in a shared buffer is copied before it is
 * changed.
 */
#include "mem_tree.h"

static uint64_t buf_cost(const struct buf *b)
{
	return sizeof(*b) + b->cap;
}

static uint64_t chunks_below(unsigned levels)
{
	return (uint64_t)1 << (MEM_INDEX_BITS * levels);
}

static unsigned slot_of(uint64_t ci, unsigned level)
{
	return (unsigned)(ci >> (MEM_INDEX_BITS * (level - 1))) & (MEM_INDEX_WIDTH - 1);
}

static void chunk_put(struct buf *b)
{
	if (mem_put(b))
		buf_free(b);
}

void mem_data_put(struct mem_store *s, void *data, unsigned levels)
{
	struct mem_index *x = data;

	if (!data)
		return;
	if (levels == 0) {
		chunk_put(data);
		return;
	}
	if (!mem_put(x))
		return;
	for (unsigned k = 0; k < MEM_INDEX_WIDTH; k++)
		mem_data_put(s, x->c[k], levels - 1);
	mem_free(s, x, sizeof(*x));
}

void mem_data_freeze(void *data, unsigned levels, bool on)
{
	uint32_t *refs = data;

	if (!data)
		return;
	*refs = on ? *refs | MEM_IMMORTAL : *refs & ~MEM_IMMORTAL;
	if (levels > 0)
		for (unsigned k = 0; k < MEM_INDEX_WIDTH; k++)
			mem_data_freeze(((struct mem_index *)data)->c[k], levels - 1, on);
}

/* ---- Reading ---------------------------------------------------------------------- */

struct buf *mem_data_chunk(const struct mem_inode *i, uint64_t ci)
{
	void *p = i->data;

	if (ci >= chunks_below(i->levels))
		return NULL;
	for (unsigned level = i->levels; level > 0 && p; level--)
		p = ((struct mem_index *)p)->c[slot_of(ci, level)];
	return p;
}

static uint64_t next_below(const void *data, unsigned levels, uint64_t ci)
{
	const struct mem_index *x = data;

	if (!data)
		return MEM_NO_CHUNK;
	if (levels == 0)
		return 0;
	for (unsigned k = slot_of(ci, levels); k < MEM_INDEX_WIDTH; k++) {
		uint64_t first = k * chunks_below(levels - 1), found;

		found = next_below(x->c[k], levels - 1, ci > first ? ci - first : 0);
		if (found != MEM_NO_CHUNK)
			return first + found;
	}
	return MEM_NO_CHUNK;
}

uint64_t mem_data_next(const struct mem_inode *i, uint64_t ci)
{
	return ci < chunks_below(i->levels) ? next_below(i->data, i->levels, ci) : MEM_NO_CHUNK;
}

size_t mem_data_read(const struct mem_inode *i, uint64_t at, void *out, size_t n)
{
	char *to = out;
	size_t done = 0;

	if (at >= i->size)
		return 0;
	n = (size_t)MIN((uint64_t)n, i->size - at);
	while (done < n) {
		const struct buf *b = mem_data_chunk(i, at / BUF_CHUNK);
		size_t from = at % BUF_CHUNK, part = MIN(n - done, BUF_CHUNK - from);

		if (b)
			memcpy(to + done, b->data + from, part);
		else
			memset(to + done, 0, part);
		done += part;
		at += part;
	}
	return n;
}

int64_t mem_data_blocks(const struct mem_inode *i)
{
	uint64_t last, n = i->chunks * (BUF_CHUNK / 512);

	if (i->size == 0)
		return 0;
	last = (i->size - 1) / BUF_CHUNK;
	if (mem_data_chunk(i, last))
		n -= (BUF_CHUNK - (((i->size - 1) % BUF_CHUNK + 4096) & ~(uint64_t)4095)) / 512;
	return (int64_t)n;
}

/* ---- Changing ---------------------------------------------------------------------- */

/* What the functions below work on: an owned inode and the counter it is charged to. */
struct work {
	struct fs_mem *m;
	uint64_t *count;
	struct mem_inode *i;
};

static bool charge(const struct work *w, uint64_t n)
{
	if (!mem_charge(w->m, w->count, n))
		return false;
	w->i->charged += n;
	return true;
}

static void refund(const struct work *w, uint64_t n)
{
	w->i->charged -= n;
	mem_refund(w->m, w->count, n);
}

static void refund_shared(const struct work *w, uint64_t n)
{
	w->i->charged -= n;
	mem_refund_shared(w->m, w->count, n);
}

static struct mem_index *index_new(const struct work *w)
{
	struct mem_index *x;

	if (!charge(w, sizeof(*x)))
		return NULL;
	x = mem_alloc(w->m->store, sizeof(*x));
	if (!x) {
		refund(w, sizeof(*x));
		return NULL;
	}
	memset(x, 0, sizeof(*x));
	x->refs = 1;
	return x;
}

static bool index_own(const struct work *w, void **at)
{
	struct mem_index *old = *at, *x;

	if (!mem_shared(old))
		return true;
	x = mem_alloc(w->m->store, sizeof(*x));
	if (!x)
		return false;
	memcpy(x, old, sizeof(*x));
	x->refs = 1;
	for (unsigned k = 0; k < MEM_INDEX_WIDTH; k++)
		if (x->c[k])
			mem_get(x->c[k]);
	mem_put(old); /* it is shared: not the last */
	*at = x;
	return true;
}

/* The place of chunk `ci`, all above it owned. */
static void **place(const struct work *w, uint64_t ci)
{
	struct mem_inode *i = w->i;
	void **at = &i->data;

	while (ci >= chunks_below(i->levels)) {
		if (i->data) {
			struct mem_index *x = index_new(w);

			if (!x)
				return NULL;
			x->c[0] = i->data;
			i->data = x;
		}
		i->levels++;
	}
	for (unsigned level = i->levels; level > 0; level--) {
		if (!*at)
			*at = index_new(w);
		if (!*at || !index_own(w, at))
			return NULL;
		at = &((struct mem_index *)*at)->c[slot_of(ci, level)];
	}
	return at;
}

/* A buffer for at least n bytes: block sizes are powers of two, then a pooled chunk. */
static struct buf *chunk_new(const struct work *w, size_t n)
{
	size_t size = 64;
	struct buf *b;

	while (size < n + sizeof(*b))
		size *= 2;
	if (size > 32768) {
		if (!charge(w, sizeof(*b) + BUF_CHUNK))
			return NULL;
		b = buf_pool_get(&w->m->store->pool);
		if (!b)
			refund(w, sizeof(*b) + BUF_CHUNK);
		return b;
	}
	if (!charge(w, size))
		return NULL;
	b = buf_new(&w->m->store->pool.quota, (uint32_t)(size - sizeof(*b)));
	if (!b)
		refund(w, size);
	return b;
}

/* The chunk at *at may be changed up to `need` bytes and has its first `keep` bytes; used is
 * keep. NULL without memory. */
static struct buf *chunk_own(const struct work *w, void **at, size_t keep, size_t need)
{
	struct buf *old = *at, *b;

	if (!mem_shared(old) && need <= old->cap) {
		old->used = (uint32_t)keep;
		return old;
	}
	b = chunk_new(w, MAX(keep, need));
	if (!b)
		return NULL;
	memcpy(b->data, old->data, keep);
	b->used = (uint32_t)keep;
	if (mem_shared(old))
		refund_shared(w, buf_cost(old));
	else
		refund(w, buf_cost(old));
	chunk_put(old);
	*at = b;
	return b;
}

/* True when `n` bytes may be added at `at` bytes of a buffer that may be shared. */
static bool can_append(const struct buf *b, size_t at, size_t n)
{
	return !(b->refs & MEM_IMMORTAL) && b->used == at && n <= b->cap - at;
}

/* Bytes of chunk `ci` that lie inside the file. */
static size_t chunk_end(const struct mem_inode *i, uint64_t ci)
{
	uint64_t start = ci * BUF_CHUNK;

	return i->size <= start ? 0 : (size_t)MIN(i->size - start, (uint64_t)BUF_CHUNK);
}

/* The file grows with zeroes. */
static int grow(const struct work *w, uint64_t size)
{
	struct mem_inode *i = w->i;
	uint64_t ci = i->size / BUF_CHUNK;
	size_t end = i->size % BUF_CHUNK;

	if (end > 0 && mem_data_chunk(i, ci)) {
		size_t need = (size_t)MIN(size - ci * BUF_CHUNK, (uint64_t)BUF_CHUNK);
		void **at = place(w, ci);
		struct buf *b;

		if (!at)
			return -NACRE_ENOSPC;
		b = *at;
		if (!can_append(b, end, need - end))
			b = chunk_own(w, at, end, need);
		if (!b)
			return -NACRE_ENOSPC;
		memset(b->data + end, 0, need - end);
		b->used = (uint32_t)need;
	}
	i->size = size;
	return 0;
}

/* Writes n bytes into one chunk. The file reaches at least to where they begin. */
static int put(const struct work *w, uint64_t ci, size_t from, const char *src, size_t n)
{
	struct mem_inode *i = w->i;
	size_t end = chunk_end(i, ci), need = MAX(end, from + n);
	void **at = place(w, ci);
	struct buf *b;

	if (!at)
		return -NACRE_ENOSPC;
	b = *at;
	if (!b) { /* a hole, or the end of the file */
		b = chunk_new(w, need);
		if (!b)
			return -NACRE_ENOSPC;
		memset(b->data, 0, from);
		memset(b->data + from + n, 0, need - from - n);
		*at = b;
		i->chunks++;
	} else if (from != end || !can_append(b, from, n)) {
		b = chunk_own(w, at, end, need);
		if (!b)
			return -NACRE_ENOSPC;
	}
	memcpy(b->data + from, src, n);
	b->used = (uint32_t)need;
	i->size = MAX(i->size, ci * BUF_CHUNK + need);
	return 0;
}

int64_t mem_data_write(struct fs_mem *m, uint64_t *count, struct mem_inode *i, uint64_t at,
                       const void *src, size_t n)
{
	const struct work w = {m, count, i};
	uint64_t limit = m->config.max_file_size ? m->config.max_file_size : INT64_MAX;
	size_t done = 0;
	int err = 0;

	if (n == 0)
		return 0;
	if (at >= limit)
		return -NACRE_EFBIG;
	n = (size_t)MIN((uint64_t)n, MIN(limit, INT64_MAX) - at);
	if (at > i->size)
		err = grow(&w, at);
	while (!err && done < n) {
		size_t from = at % BUF_CHUNK, part = MIN(n - done, BUF_CHUNK - from);

		err = put(&w, at / BUF_CHUNK, from, (const char *)src + done, part);
		if (!err) {
			done += part;
			at += part;
		}
	}
	return done > 0 ? (int64_t)done : err;
}

/* ---- Cutting ------------------------------------------------------------------------ */

/* What a subtree was charged: chunks, and of the bytes those that others have a part in. */
struct cost {
	uint64_t bytes, chunks, shared;
};

static void cost_of(const void *data, unsigned levels, bool shared, struct cost *c)
{
	const struct mem_index *x = data;
	uint64_t n;

	if (!data)
		return;
	shared = shared || mem_shared(data);
	n = levels == 0 ? buf_cost(data) : sizeof(*x);
	c->bytes += n;
	c->shared += shared ? n : 0;
	c->chunks += levels == 0;
	for (unsigned k = 0; levels > 0 && k < MEM_INDEX_WIDTH; k++)
		cost_of(x->c[k], levels - 1, shared, c);
}

uint64_t mem_data_shared(const struct mem_inode *i)
{
	struct cost c = {0, 0, 0};

	if ((i->mode & SYS_S_TYPE) == SYS_S_FILE)
		cost_of(i->data, i->levels, false, &c);
	return c.shared;
}

static void drop(const struct work *w, void **at, unsigned levels)
{
	struct cost c = {0, 0, 0};

	cost_of(*at, levels, false, &c);
	mem_data_put(w->m->store, *at, levels);
	*at = NULL;
	w->i->chunks -= c.chunks;
	refund_shared(w, c.shared);
	refund(w, c.bytes - c.shared);
}

/* Owns the index nodes there are above chunk `ci`. */
static bool own_path(const struct work *w, uint64_t ci)
{
	void **at = &w->i->data;

	for (unsigned level = w->i->levels; level > 0 && *at; level--) {
		if (!index_own(w, at))
			return false;
		at = &((struct mem_index *)*at)->c[slot_of(ci, level)];
	}
	return true;
}

/* Drops the chunks after number `last`, the path to which is owned. */
static void cut(const struct work *w, uint64_t last)
{
	void **at = &w->i->data;

	for (unsigned level = w->i->levels; level > 0 && *at; level--) {
		struct mem_index *x = *at;

		for (unsigned k = slot_of(last, level) + 1; k < MEM_INDEX_WIDTH; k++)
			drop(w, &x->c[k], level - 1);
		at = &x->c[slot_of(last, level)];
	}
}

static int shrink(const struct work *w, uint64_t size)
{
	struct mem_inode *i = w->i;
	uint64_t keep = (size + BUF_CHUNK - 1) / BUF_CHUNK;

	if (keep == 0) {
		drop(w, &i->data, i->levels);
		i->levels = 0;
	} else if (keep < chunks_below(i->levels)) {
		if (!own_path(w, keep - 1))
			return -NACRE_ENOSPC;
		cut(w, keep - 1);
	}
	i->size = size;
	return 0;
}

int mem_data_resize(struct fs_mem *m, uint64_t *count, struct mem_inode *i, uint64_t size)
{
	const struct work w = {m, count, i};

	if (size > INT64_MAX || (m->config.max_file_size && size > m->config.max_file_size))
		return -NACRE_EFBIG;
	return size > i->size ? grow(&w, size) : size < i->size ? shrink(&w, size) : 0;
}

/* ---- Sharing ------------------------------------------------------------------------- */

/* A slice that is all the file shall have in a chunk: whole, or the file's end. */
bool mem_data_share(struct fs_mem *m, uint64_t *count, struct mem_inode *i, uint64_t at,
                    const struct slice *s)
{
	const struct work w = {m, count, i};
	struct buf *b = s->buf;
	void **to;

	if (!b || s->ptr != b->data || s->len < 4096 || at % BUF_CHUNK ||
	    at > INT64_MAX - BUF_CHUNK)
		return false;
	if (b->quota != &m->store->pool.quota || (b->refs & MEM_IMMORTAL) || s->len < b->cap / 2)
		return false;
	if (m->config.max_file_size && at + s->len > m->config.max_file_size)
		return false;
	if (at > i->size || (s->len < BUF_CHUNK && at + s->len < i->size))
		return false;
	to = place(&w, at / BUF_CHUNK);
	if (!to || !charge(&w, buf_cost(b)))
		return false;
	if (*to) {
		if (mem_shared(*to))
			refund_shared(&w, buf_cost(*to));
		else
			refund(&w, buf_cost(*to));
		chunk_put(*to);
	} else {
		i->chunks++;
	}
	mem_get(b);
	*to = b;
	i->size = MAX(i->size, at + s->len);
	return true;
}
