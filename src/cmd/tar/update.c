/*
 * update.c - changing an archive in place: -r, -u, -A and --delete.
 *
 * The archive is read to its end first; what is added goes over the zero blocks there. --delete moves the
 * members that stay together.
 */
#include "tar.h"

#define BUFFER ((size_t)64 << 10)

/* ---- Names in the archive and their times: -u ------------------------------------------------ */

struct known {
	struct known *next;
	const char *name;
	struct sys_time mtime;
};

#define BUCKETS 4096u

static size_t bucket(const char *name)
{
	uint32_t h = 2166136261u;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h % BUCKETS;
}

static struct known *find(struct tar *t, const char *name)
{
	struct known *k = t->known[bucket(name)];

	while (k && !streq(k->name, name)) {
		sys_checkpoint(t->p);
		k = k->next;
	}
	return k;
}

static void remember(struct tar *t, const struct tar_member *m)
{
	struct known *k = find(t, m->name);
	size_t b = bucket(m->name);

	if (!k) {
		k = u_zalloc(t->p, sizeof(*k));
		k->name = m->name;
		k->next = t->known[b];
		t->known[b] = k;
	}
	if (k->mtime.sec <= m->mtime.sec)
		k->mtime = m->mtime;
}

static bool is_news(struct tar *t, const char *path, const struct sys_stat *st)
{
	const struct known *k = find(t, tar_safe_name(t, path, false));

	return !k || ((st->mode & SYS_S_TYPE) != SYS_S_DIR && k->mtime.sec < st->mtime.sec);
}

/* ---- Adding ----------------------------------------------------------------------------------------- */

/* From now on the archive is written, from its first zero block on. */
static void begin_writing(struct tar *t)
{
	if (sys_seek(t->p, t->ar.fd, (int64_t)(t->end_block * TAR_BLOCK), SYS_SEEK_SET) < 0)
		tar_fatal(t, 0, "Cannot go back in the archive");
	t->ar.writes = true;
	t->ar.blocks = t->end_block;
	t->ar.bytes = t->end_block * TAR_BLOCK;
}

/* The blocks of another archive up to its end. */
static void append_archive(struct tar *t, const char *path)
{
	struct tar_archive mine = t->ar;
	int fd = sys_open(t->p, path, SYS_O_READ | SYS_O_CLOEXEC, 0);
	uint64_t size, left;
	const char *ptr;

	if (fd < 0) {
		tar_error(t, fd, "%s: Cannot open", tar_quote_colon(t, path));
		return;
	}
	t->ar = (struct tar_archive){.p = t->p, .fd = fd};
	for (;;) {
		struct tar_archive theirs;
		char block[TAR_BLOCK];
		const char *b = archive_block(t);

		if (!b || tar_is_zero(b) || !tar_checksum_ok(b))
			break;
		memcpy(block, b, TAR_BLOCK);
		if (!tar_number(block + 124, 12, &size) || (block[156] >= '1' && block[156] <= '6'))
			size = 0;
		theirs = t->ar;
		t->ar = mine;
		archive_put(t, block, TAR_BLOCK);
		for (left = size; left;) {
			size_t n;

			mine = t->ar;
			t->ar = theirs;
			n = archive_data(t, left, &ptr);
			if (!n)
				archive_cut(t);
			theirs = t->ar;
			t->ar = mine;
			archive_put(t, ptr, n);
			left -= n;
		}
		archive_pad(t);
		mine = t->ar;
		t->ar = theirs;
		archive_data_end(t, size);
	}
	t->ar = mine;
	sys_close(t->p, fd);
}

void tar_update(struct tar *t)
{
	struct tar_member m;

	t->known = memset(u_array(t->p, BUCKETS, sizeof(*t->known)), 0, BUCKETS * sizeof(*t->known));
	archive_open_update(t);
	while (tar_next_member(t, &m)) {
		if (t->mode == TAR_UPDATE)
			remember(t, &m);
		archive_skip(t, m.size);
	}
	begin_writing(t);
	if (t->mode == TAR_APPEND_ARCHIVE) {
		for (size_t i = 0; i < t->names.n; i++)
			append_archive(t, t->names.v[i].text);
	} else {
		tar_dump_names(t, t->mode == TAR_UPDATE ? is_news : NULL);
	}
	archive_close_write(t);
	if (sys_ftruncate(t->p, t->ar.fd, (int64_t)t->ar.bytes) < 0)
		tar_fatal(t, 0, "Cannot shorten the archive");
}

/* ---- --delete ------------------------------------------------------------------------------------------ */

static void move_blocks(struct tar *t, uint64_t from, uint64_t to, uint64_t n)
{
	char *buf = t->ar.buf;

	while (n) {
		size_t part = (size_t)MIN(n * TAR_BLOCK, (uint64_t)BUFFER);
		int64_t r = sys_pread(t->p, t->ar.fd, buf, part, (int64_t)(from * TAR_BLOCK));

		if (r != (int64_t)part)
			tar_fatal(t, r < 0 ? (int)r : 0, "%s: Cannot read", t->file);
		r = sys_pwrite(t->p, t->ar.fd, buf, part, (int64_t)(to * TAR_BLOCK));
		if (r != (int64_t)part)
			tar_fatal(t, r < 0 ? (int)r : 0, "%s: Cannot write", t->file);
		from += part / TAR_BLOCK;
		to += part / TAR_BLOCK;
		n -= part / TAR_BLOCK;
	}
}

/* Pieces of the archive that stay. */
struct stay {
	uint64_t from, to;
};

void tar_delete(struct tar *t)
{
	struct stay *v = NULL;
	size_t n = 0, cap = 0;
	uint64_t start, to = 0;
	struct tar_member m;

	archive_open_update(t);
	for (start = 0; tar_next_member(t, &m); start = t->ar.blocks) {
		archive_skip(t, m.size);
		if (t->names.n && names_wanted(t, &m))
			continue;
		if (n && v[n - 1].to == start) {
			v[n - 1].to = t->ar.blocks;
			continue;
		}
		if (n == cap) {
			size_t more = cap ? cap * 2 : 16;

			v = arena_grow(&sys_self(t->p)->arena, v, cap * sizeof(*v), more * sizeof(*v));
			cap = more;
		}
		v[n++] = (struct stay){start, t->ar.blocks};
	}
	for (size_t i = 0; i < n; i++) {
		if (v[i].from != to)
			move_blocks(t, v[i].from, to, v[i].to - v[i].from);
		to += v[i].to - v[i].from;
	}
	t->end_block = to;
	begin_writing(t);
	archive_close_write(t);
	if (sys_ftruncate(t->p, t->ar.fd, (int64_t)t->ar.bytes) < 0)
		tar_fatal(t, 0, "Cannot shorten the archive");
	names_not_found(t);
}
