/* mem_save.c - a memory tree as bytes, and back. */
#include "mem_save.h"

#include "../abi/errno.h"
#include "mem_ops.h"
#include "overlay_ops.h"

#define PIECE     BUF_CHUNK
#define DEPTH_MAX 2100u

enum record { REC_ENTRY = 'e', REC_HARD = 'h', REC_END = '.', REC_SEEN = 's' };

/* ---- Writing ------------------------------------------------------------------------ */

struct saver {
	const struct fs_mem *m;
	int (*put)(void *ctx, const void *data, size_t n);
	void *ctx;
	int err;
	/* Files of several names that were written: by hash of their inode, which is the n-th. */
	struct hard {
		uint32_t ino, nth; /* ino 0: none */
	} *hard;
	uint32_t n, cap; /* a power of two, at least twice n */
	char *piece;
};

static void put_bytes(struct saver *s, const void *data, size_t n)
{
	if (!s->err)
		s->err = s->put(s->ctx, data, n);
}

static void put_number(struct saver *s, uint64_t v, unsigned bytes)
{
	unsigned char b[8];

	for (unsigned i = 0; i < bytes; i++)
		b[i] = (unsigned char)(v >> (8 * i));
	put_bytes(s, b, bytes);
}

static void put_text(struct saver *s, const char *text, size_t n)
{
	put_number(s, n, 2);
	put_bytes(s, text, n);
}

static void put_time(struct saver *s, const struct mem_time *t)
{
	put_number(s, (uint64_t)t->sec, 8);
	put_number(s, (uint64_t)(uint32_t)t->nsec, 4);
}

/* Chunks that are not all zeroes, each with where it is; then an empty one. */
static void put_data(struct saver *s, const struct mem_inode *i)
{
	put_number(s, i->size, 8);
	for (uint64_t ci = 0; !s->err && !(i->flags & MEM_BELOW); ci++) {
		uint64_t at;
		size_t n;

		ci = mem_data_next(i, ci);
		at = ci * PIECE;
		if (ci == MEM_NO_CHUNK || at >= i->size)
			break;
		n = mem_data_read(i, at, s->piece, PIECE);
		put_number(s, n, 4);
		put_number(s, at, 8);
		put_bytes(s, s->piece, n);
	}
	put_number(s, 0, 4);
}

static void put_inode(struct saver *s, const struct mem_inode *i)
{
	put_number(s, i->mode, 4);
	put_number(s, i->uid, 4);
	put_number(s, i->gid, 4);
	put_time(s, &i->atime);
	put_time(s, &i->mtime);
	put_time(s, &i->ctime);
	put_time(s, &i->btime);
	put_number(s, i->flags, 2);
	put_number(s, i->origin != NULL, 1);
	if (i->origin) {
		put_number(s, i->origin->dev, 8);
		put_number(s, i->origin->ino, 8);
		put_text(s, i->origin->path, i->origin->len);
	}
	if (mem_is(i, SYS_S_LINK))
		put_text(s, i->link->text, i->link->len);
	else if (mem_is(i, SYS_S_FILE))
		put_data(s, i);
}

static struct hard *hard_slot(struct hard *v, uint32_t cap, uint32_t ino)
{
	uint32_t at = ino * 2654435761u;

	at ^= at >> 15; /* numbers with a step in common spread as well */
	while (v[at & (cap - 1)].ino && v[at & (cap - 1)].ino != ino)
		at++;
	return &v[at & (cap - 1)];
}

static bool grow_hard(struct saver *s)
{
	struct quota *q = &s->m->store->pool.quota;
	uint32_t cap = s->cap ? s->cap * 2 : 64;
	struct hard *v = kzalloc(q, size_mul(cap, sizeof(*v)));

	if (!v)
		return false;
	for (uint32_t k = 0; k < s->cap; k++)
		if (s->hard[k].ino)
			*hard_slot(v, cap, s->hard[k].ino) = s->hard[k];
	kfree(q, s->hard, s->cap * sizeof(*v));
	s->hard = v;
	s->cap = cap;
	return true;
}

/* Whether a file of several names was written before, as the how manieth; else it is noted. */
static bool known(struct saver *s, uint32_t ino, uint32_t *number)
{
	struct hard *h;

	if (s->n >= s->cap / 2 && !grow_hard(s)) {
		s->err = -NACRE_ENOMEM;
		return false;
	}
	h = hard_slot(s->hard, s->cap, ino);
	if (h->ino) {
		*number = h->nth;
		return true;
	}
	*h = (struct hard){ino, s->n++};
	return false;
}

static void put_dir(struct saver *s, uint32_t ino)
{
	struct quota *q = &s->m->store->pool.quota;
	struct fs_mem *m = (struct fs_mem *)(uintptr_t)s->m;
	struct sys_dirent e;
	struct file *f;
	uint32_t number;
	int got = mem_file_new(m, SYS_O_READ, true, q, &f);

	if (got) {
		s->err = got;
		return;
	}
	mem_file_bind(f, ino);
	while (!s->err && (got = f->ops->readdir(f, &e)) > 0) {
		const struct mem_inode *i = mem_table_find(&m->state, (uint32_t)e.ino);
		bool several = !mem_is(i, SYS_S_DIR) && i->nlink > 1;

		if (several && known(s, (uint32_t)e.ino, &number)) {
			put_number(s, REC_HARD, 1);
			put_text(s, e.name, e.len);
			put_number(s, number, 4);
			continue;
		}
		put_number(s, REC_ENTRY, 1);
		put_text(s, e.name, e.len);
		put_number(s, several, 1);
		put_inode(s, i);
		if (mem_is(i, SYS_S_DIR))
			put_dir(s, (uint32_t)e.ino);
	}
	file_put(f);
	s->err = s->err ? s->err : got;
	put_number(s, REC_END, 1);
}

int fs_mem_save(const struct fs *fs, int (*put)(void *ctx, const void *data, size_t n), void *ctx)
{
	struct saver s = {.m = CONTAINER_OF(fs, const struct fs_mem, fs), .put = put, .ctx = ctx};
	struct quota *q = &s.m->store->pool.quota;
	const struct mem_inode *root = mem_table_find(&s.m->state, MEM_ROOT_INO), *seen = mem_table_find(&s.m->state, OV_SEEN_INO);
	bool above = s.m->ino_base != 0; /* of an overlay */

	s.piece = kalloc(q, PIECE);
	if (!s.piece)
		return -NACRE_ENOMEM;
	put_number(&s, s.m->state.seed, 8);
	put_number(&s, above, 1);
	put_inode(&s, root);
	put_dir(&s, MEM_ROOT_INO);
	if (above && seen) {
		put_number(&s, REC_SEEN, 1);
		put_data(&s, seen);
	}
	kfree(q, s.hard, s.cap * sizeof(*s.hard));
	kfree(q, s.piece, PIECE);
	return s.err;
}

/* ---- Reading ---------------------------------------------------------------------------- */

struct loader {
	struct fs_mem *m;
	const unsigned char *at;
	size_t left;
	bool above;
	bool bad;
	uint32_t *hard; /* numbers of files of several names */
	uint32_t n, cap;
};

static const void *take(struct loader *l, size_t n)
{
	const void *p = l->at;

	if (l->bad || n > l->left) {
		l->bad = true;
		return NULL;
	}
	l->at += n;
	l->left -= n;
	return p;
}

static uint64_t number(struct loader *l, unsigned bytes)
{
	const unsigned char *p = take(l, bytes);
	uint64_t v = 0;

	for (unsigned i = 0; p && i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static const char *text(struct loader *l, size_t *n)
{
	*n = (size_t)number(l, 2);
	return take(l, *n);
}

static struct mem_time take_time(struct loader *l)
{
	struct mem_time t;

	t.sec = (int64_t)number(l, 8);
	t.nsec = (int32_t)(number(l, 4) % 1000000000);
	return t;
}

/* A name that may stand in a directory. */
static bool is_name(const char *s, size_t n)
{
	return n > 0 && n <= FS_NAME_MAX && !memchr(s, '/', n) && !memchr(s, '\0', n) && !(n == 1 && s[0] == '.') &&
	       !(n == 2 && s[0] == '.' && s[1] == '.');
}

/* A relative, clean path of the filesystem below; "" is its root. */
static bool is_path(const char *s, size_t n)
{
	size_t at = 0;

	if (n == 0)
		return true;
	while (at < n) {
		const char *slash = memchr(s + at, '/', n - at);
		size_t len = slash ? (size_t)(slash - (s + at)) : n - at;

		if (!is_name(s + at, len) || (slash && at + len + 1 == n))
			return false;
		at += len + 1;
	}
	return n < SYS_PATH_MAX;
}

static int bad(struct loader *l)
{
	l->bad = true;
	return -NACRE_EINVAL;
}

static int load_origin(struct loader *l, struct mem_inode *i)
{
	uint64_t dev = number(l, 8), ino = number(l, 8);
	size_t n;
	const char *path = text(l, &n);

	if (l->bad || !l->above || !is_path(path, n))
		return bad(l);
	i->origin = mem_alloc(l->m->store, sizeof(*i->origin) + n + 1);
	if (!i->origin)
		return -NACRE_ENOSPC;
	*i->origin = (struct mem_origin){1, (uint32_t)n, dev, ino};
	memcpy(i->origin->path, path, n);
	i->origin->path[n] = '\0';
	i->charged += sizeof(*i->origin) + n;
	return 0;
}

static int load_link(struct loader *l, struct mem_inode *i)
{
	size_t n;
	const char *s = text(l, &n);
	struct mem_text *t;

	if (l->bad || n == 0 || n > FS_LINK_MAX || memchr(s, '\0', n))
		return bad(l);
	t = mem_alloc(l->m->store, sizeof(*t) + n);
	if (!t)
		return -NACRE_ENOSPC;
	t->refs = 1;
	t->len = (uint32_t)n;
	memcpy(t->text, s, n);
	i->link = t;
	i->charged += sizeof(*t) + n;
	return 0;
}

/* What of an inode is known before it is in the tree. */
static int load_inode(struct loader *l, struct mem_inode **out)
{
	uint32_t mode = (uint32_t)number(l, 4), type = mode & SYS_S_TYPE;
	struct mem_inode *i;
	int err = 0;

	if (l->bad || mode & ~(uint32_t)(SYS_S_TYPE | 07777) ||
	    (type != SYS_S_FILE && type != SYS_S_DIR && type != SYS_S_LINK && type != SYS_S_FIFO && type != SYS_S_SOCK &&
	     !(type == SYS_S_CHAR && l->above)))
		return bad(l);
	/* A FIFO until it is whole: there is nothing more to give back then. */
	i = mem_inode_new(l->m, NULL, SYS_S_FIFO);
	if (!i)
		return -NACRE_ENOSPC;
	i->uid = (uint32_t)number(l, 4);
	i->gid = (uint32_t)number(l, 4);
	i->atime = take_time(l);
	i->mtime = take_time(l);
	i->ctime = take_time(l);
	i->btime = take_time(l);
	i->flags = (uint16_t)number(l, 2);
	if (i->flags & ~MEM_BELOW || (i->flags && (type != SYS_S_FILE || !l->above)))
		err = bad(l);
	if (!err && number(l, 1) == 1)
		err = load_origin(l, i);
	if (!err && ((i->flags & MEM_BELOW) && !i->origin))
		err = bad(l);
	if (!err && type == SYS_S_LINK)
		err = load_link(l, i);
	if (l->bad || err) {
		if (i->link) /* the type that owns it, so that it goes with it */
			i->mode = SYS_S_LINK;
		mem_inode_put(l->m->store, i);
		return err ? err : -NACRE_EINVAL;
	}
	i->mode = mode;
	i->nlink = type == SYS_S_DIR ? 2 : 1;
	*out = i;
	return 0;
}

static int load_data(struct loader *l, uint32_t ino)
{
	struct fs_mem *m = l->m;
	uint64_t size = number(l, 8), before = 0;
	struct mem_inode *i = mem_table_own(m->store, &m->state, ino);

	if (!i)
		return -NACRE_ENOSPC;
	if (l->bad || size > INT64_MAX)
		return bad(l);
	for (;;) {
		size_t n = (size_t)number(l, 4);
		uint64_t at = n ? number(l, 8) : 0;
		const void *p = n ? take(l, n) : NULL;
		int64_t got;

		if (l->bad)
			return -NACRE_EINVAL;
		if (n == 0)
			break;
		if ((i->flags & MEM_BELOW) || n > PIECE || at < before || at > size || n > size - at)
			return bad(l);
		before = at + n;
		got = mem_data_write(m, &m->state.used, i, at, p, n);
		if (got < (int64_t)n)
			return got < 0 ? (int)got : -NACRE_ENOSPC;
	}
	if (i->flags & MEM_BELOW) {
		i->size = size;
		return 0;
	}
	return i->size == size ? 0 : mem_data_resize(m, &m->state.used, i, size);
}

static int remember_hard(struct loader *l, uint32_t ino)
{
	struct quota *q = &l->m->store->pool.quota;

	if (l->n == l->cap) {
		uint32_t cap = l->cap ? l->cap * 2 : 64, *v = kalloc(q, cap * sizeof(*v));

		if (!v)
			return -NACRE_ENOMEM;
		if (l->n)
			memcpy(v, l->hard, l->n * sizeof(*v));
		kfree(q, l->hard, l->cap * sizeof(*v));
		l->hard = v;
		l->cap = cap;
	}
	l->hard[l->n++] = ino;
	return 0;
}

static void times_of(struct mem_inode *to, const struct mem_inode *from)
{
	to->atime = from->atime;
	to->mtime = from->mtime;
	to->ctime = from->ctime;
	to->btime = from->btime;
}

/* Puts `i` in as a name of the directory; its times come back (adding touches them). */
static int add_name(struct loader *l, uint32_t dir, const char *name, size_t n, struct mem_inode *i, uint32_t *ino)
{
	struct fs_mem *m = l->m;
	struct mem_inode was = *mem_table_find(&m->state, dir), *d;
	struct mem_at a = {.dir_ino = dir, .name = name, .len = n, .hash = mem_name_hash(m->state.seed, name, n)};
	int err;

	if (mem_dir_find(was.dir, a.hash, name, n)) {
		mem_inode_put(m->store, i);
		return bad(l);
	}
	*ino = m->next_ino;
	err = mem_add(m, &a, i);
	if (err)
		return err;
	d = mem_table_find(&m->state, dir);
	times_of(d, &was);
	return 0;
}

static int load_hard(struct loader *l, uint32_t dir, const char *name, size_t n)
{
	struct fs_mem *m = l->m;
	uint64_t k = number(l, 4), cost = MEM_ENTRY_COST(n), hash = mem_name_hash(m->state.seed, name, n);
	struct mem_inode was = *mem_table_find(&m->state, dir), *d, *i;
	struct mem_entry *e;

	if (l->bad || k >= l->n || mem_dir_find(was.dir, hash, name, n))
		return bad(l);
	if (!mem_charge(m, &m->state.used, cost))
		return -NACRE_ENOSPC;
	i = mem_table_own(m->store, &m->state, l->hard[k]);
	d = i ? mem_table_own(m->store, &m->state, dir) : NULL;
	e = d ? mem_entry_new(m->store, hash, name, n, l->hard[k], i->mode & SYS_S_TYPE) : NULL;
	if (!e || !mem_dir_insert(m->store, &d->dir, e)) {
		if (e)
			mem_entry_put(m->store, e);
		mem_refund(m, &m->state.used, cost);
		return -NACRE_ENOSPC;
	}
	d->size++;
	i->nlink++;
	return 0;
}

/* One entry; *in: the directory it makes, to be gone into. */
static int load_entry(struct loader *l, uint32_t dir, uint32_t *in)
{
	uint64_t what = number(l, 1);
	struct mem_inode *i;
	uint32_t ino, type;
	bool several;
	const char *name;
	size_t n;
	int err;

	*in = 0;
	if (what == REC_END && !l->bad)
		return 1;
	name = text(l, &n);
	if (l->bad || (what != REC_ENTRY && what != REC_HARD) || !is_name(name, n))
		return bad(l);
	if (what == REC_HARD)
		return load_hard(l, dir, name, n);
	several = number(l, 1) == 1;
	err = load_inode(l, &i);
	if (err)
		return err;
	type = i->mode & SYS_S_TYPE;
	err = add_name(l, dir, name, n, i, &ino);
	if (!err && several)
		err = type == SYS_S_DIR ? bad(l) : remember_hard(l, ino);
	if (!err && type == SYS_S_FILE)
		err = load_data(l, ino);
	if (!err && type == SYS_S_DIR)
		*in = ino;
	return err;
}

static int load_dirs(struct loader *l)
{
	uint32_t *stack = kalloc(&l->m->store->pool.quota, DEPTH_MAX * sizeof(*stack)), depth = 1;
	int err = stack ? 0 : -NACRE_ENOMEM;

	if (!err)
		stack[0] = MEM_ROOT_INO;
	while (!err && depth > 0) {
		uint32_t in;

		err = load_entry(l, stack[depth - 1], &in);
		if (err == 1) {
			depth--;
			err = 0;
		} else if (!err && in) {
			if (depth == DEPTH_MAX)
				err = bad(l);
			else
				stack[depth++] = in;
		}
	}
	kfree(&l->m->store->pool.quota, stack, DEPTH_MAX * sizeof(*stack));
	return err;
}

static int load_root(struct loader *l)
{
	struct fs_mem *m = l->m;
	struct mem_inode *root = mem_table_own(m->store, &m->state, MEM_ROOT_INO), *i;
	struct mem_origin *origin;
	int err = root ? load_inode(l, &i) : -NACRE_ENOSPC;

	if (err)
		return err;
	if (!mem_is(i, SYS_S_DIR)) {
		if (mem_is(i, SYS_S_FILE))
			i->data = NULL;
		mem_inode_put(m->store, i);
		return bad(l);
	}
	root->mode = i->mode;
	root->uid = i->uid;
	root->gid = i->gid;
	times_of(root, i);
	origin = root->origin;
	if (l->above && i->origin) {
		root->origin = i->origin;
		i->origin = origin;
	}
	mem_inode_put(m->store, i);
	return 0;
}

int fs_mem_load(struct fs *fs, const void *data, size_t n)
{
	struct loader l = {.m = mem_of(fs), .at = data, .left = n};
	struct fs_mem *m = l.m;
	uint64_t seed = number(&l, 8);
	int err;

	l.above = m->ino_base != 0;
	if (number(&l, 1) != (l.above ? 1u : 0u))
		return -NACRE_EINVAL;
	m->state.seed = seed;
	err = load_root(&l);
	if (!err)
		err = load_dirs(&l);
	if (!err && l.above && l.left) {
		err = number(&l, 1) == REC_SEEN ? load_data(&l, OV_SEEN_INO) : -NACRE_EINVAL;
		if (!err && !ov_seen_valid(m))
			err = -NACRE_EINVAL;
	}
	if (!err && (l.left || l.bad))
		err = -NACRE_EINVAL;
	kfree(&m->store->pool.quota, l.hard, l.cap * sizeof(*l.hard));
	return err;
}
