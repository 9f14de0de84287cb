/*
 * header.c - a member's header: reading every dialect, writing the one asked for.
 *
 * A block of 512 bytes: fields of text and of octal numbers (base 256 where the first bit is set). Long names and what
 * does not fit come in members of their own before it (types L, K, x, g), which are read here too.
 */
#include "tar.h"

/* Offsets and sizes of the fields. */
enum {
	NAME = 0, MODE = 100, UID = 108, GID = 116, SIZE = 124, MTIME = 136, CHKSUM = 148, TYPE = 156, LINK = 157, MAGIC = 257,
	USER = 265, GROUP = 297, MAJOR = 329, MINOR = 337, PREFIX = 345,
	GNU_SPARSE = 386, GNU_EXTENDED = 482, GNU_REAL_SIZE = 483, SPARSE_EXTENDED = 504,
};

/* ---- Numbers ------------------------------------------------------------------------------ */

bool tar_signed_number(const char *field, size_t n, int64_t *out)
{
	const unsigned char *s = (const unsigned char *)field;
	uint64_t v = 0;

	*out = 0;
	if (s[0] & 0x80) {
		bool minus = s[0] == 0xff;

		v = minus ? UINT64_MAX : (uint64_t)(s[0] & 0x7f);
		for (size_t i = 1; i < n; i++) {
			if (minus ? v >> 55 != UINT64_MAX >> 55 : v >> 55)
				return false;
			v = v << 8 | s[i];
		}
		*out = (int64_t)v;
		return minus || v <= INT64_MAX;
	}
	while (n && (*s == ' ' || *s == 0)) {
		s++;
		n--;
	}
	if (!n)
		return true;
	for (; n && *s >= '0' && *s <= '7'; s++, n--) {
		if (v >> 60)
			return false;
		v = v << 3 | (uint64_t)(*s - '0');
	}
	*out = (int64_t)v;
	return !n || *s == ' ' || *s == 0;
}

bool tar_number(const char *field, size_t n, uint64_t *out)
{
	int64_t v;
	bool ok = tar_signed_number(field, n, &v) && v >= 0;

	*out = ok ? (uint64_t)v : 0;
	return ok;
}

static uint32_t checksum(const char *block)
{
	uint32_t sum = 8 * ' ';

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= CHKSUM && i < CHKSUM + 8 ? 0 : (unsigned char)block[i];
	return sum;
}

bool tar_checksum_ok(const char *block)
{
	uint64_t want;

	if (!tar_number(block + CHKSUM, 8, &want))
		return false;
	return want == checksum(block);
}

bool tar_is_zero(const char *block)
{
	for (size_t i = 0; i < TAR_BLOCK; i++) {
		if (block[i])
			return false;
	}
	return true;
}

/* ---- Reading ---------------------------------------------------------------------------------- */

static const char *text_field(struct tar *t, const char *s, size_t n)
{
	return u_strndup(t->p, s, strnlen(s, n));
}

static void number_or_zero(struct tar *t, const char *s, size_t n, const char *what, uint64_t *out)
{
	if (!tar_number(s, n, out))
		tar_error(t, 0, "Archive contains a %s that is no number in range", what);
}

/* Pieces of an old GNU sparse file, in the header and in the blocks that follow it. */
static void read_old_sparse(struct tar *t, struct tar_member *m, const char *block)
{
	const char *at = block + GNU_SPARSE;
	bool more = block[GNU_EXTENDED];
	size_t cap = 0, n = 4;

	m->is_sparse = true;
	m->nmap = 0;
	if (!tar_number(block + GNU_REAL_SIZE, 12, &m->real_size))
		m->real_size = m->size;
	for (;;) {
		for (size_t i = 0; i < n && at[24 * i + 12]; i++) {
			uint64_t offset, size;

			if (!tar_number(at + 24 * i, 12, &offset) || !tar_number(at + 24 * i + 12, 12, &size)) {
				tar_error(t, 0, "%s: invalid sparse archive member", tar_quote_colon(t, m->name));
				return;
			}
			sparse_add(t, m, &cap, offset, size);
		}
		if (!more)
			return;
		at = archive_block(t);
		if (!at)
			archive_cut(t);
		more = at[SPARSE_EXTENDED];
		n = 21;
	}
}

/* The fields of one block. */
static void decode(struct tar *t, const char *b, struct tar_member *m)
{
	bool posix = memcmp(b + MAGIC, "ustar\0", 6) == 0, gnu = memcmp(b + MAGIC, "ustar  ", 8) == 0;
	uint64_t v;

	*m = (struct tar_member){.type = b[TYPE], .link = text_field(t, b + LINK, 100), .user = "", .group = "", .block = t->ar.blocks - 1};
	if (posix && b[PREFIX])
		m->name = u_format(t->p, "%s/%s", text_field(t, b + PREFIX, 155), text_field(t, b + NAME, 100));
	else
		m->name = text_field(t, b + NAME, 100);
	number_or_zero(t, b + MODE, 8, "mode", &v);
	m->mode = (uint32_t)v & 07777;
	number_or_zero(t, b + UID, 8, "user", &m->uid);
	number_or_zero(t, b + GID, 8, "group", &m->gid);
	if (!tar_signed_number(b + MTIME, 12, &m->mtime.sec))
		tar_error(t, 0, "Archive contains a time that is no number in range");
	if (posix || gnu) {
		m->user = text_field(t, b + USER, 32);
		m->group = text_field(t, b + GROUP, 32);
	}
	if ((posix || gnu) && (m->type == '3' || m->type == '4')) {
		number_or_zero(t, b + MAJOR, 8, "device", &v);
		m->major = (uint32_t)v;
		number_or_zero(t, b + MINOR, 8, "device", &v);
		m->minor = (uint32_t)v;
	}
	if (m->type == '1' || m->type == '2' || m->type == '3' || m->type == '4' || m->type == '5' || m->type == '6')
		m->size = 0;
	else
		tar_number(b + SIZE, 12, &m->size);
	m->real_size = m->size;
}

/* What extended headers said before the member. */
struct extended {
	const char *name, *link;	/* L, K */
	struct pax_set pax;
};

/* The data of an extended header, NUL-terminated; NULL when it is too long (skipped, said). */
static char *read_text(struct tar *t, uint64_t size, size_t max)
{
	struct u_buf b;
	uint64_t left = size;
	const char *ptr;

	if (size > max) {
		tar_error(t, 0, "An extended header of %llu bytes is too long: skipped", (unsigned long long)size);
		archive_skip(t, size);
		return NULL;
	}
	u_buf_init(&b, t->p, max + 1);
	u_buf_reserve(&b, (size_t)size);
	while (left) {
		size_t n = archive_data(t, left, &ptr);

		if (!n)
			archive_cut(t);
		u_buf_put(&b, ptr, n);
		left -= n;
	}
	archive_data_end(t, size);
	return b.ptr;
}

/* True when the block was an extended header and has been read. */
static bool read_extended(struct tar *t, const char *block, struct extended *x)
{
	char type = block[TYPE], *text;
	uint64_t size;
	struct pax_set set = {NULL};

	if (type != 'L' && type != 'K' && type != 'x' && type != 'X' && type != 'g')
		return false;
	if (!tar_number(block + SIZE, 12, &size))
		size = 0;
	text = read_text(t, size, type == 'L' || type == 'K' ? TAR_NAME_MAX : TAR_PAX_MAX);
	if (!text)
		return true;
	if (type == 'L')
		x->name = text;
	else if (type == 'K')
		x->link = text;
	else if (pax_parse(t, text, (size_t)size, &set) && type != 'g')
		x->pax = set;
	else if (type == 'g') {
		struct pax_record *last = set.first;

		/* Later ones count more: they go behind what was there. */
		t->pinned = true;
		if (!t->global)
			t->global = u_zalloc(t->p, sizeof(*t->global));
		for (last = t->global->first; last && last->next; last = last->next)
			continue;
		if (last)
			last->next = set.first;
		else
			t->global->first = set.first;
	}
	return true;
}

static void finish(struct tar *t, const struct extended *x, struct tar_member *m, const char *block)
{
	size_t n;

	if (x->name)
		m->name = x->name;
	if (x->link)
		m->link = x->link;
	if (m->type == 'S')
		read_old_sparse(t, m, block);
	if (t->global)
		pax_apply(t, t->global, m);
	pax_apply(t, &x->pax, m);
	if (m->map_in_data)
		sparse_read_map(t, m);
	n = strlen(m->name);
	while (n && m->name[n - 1] == '/')
		n--;
	m->had_slash = m->name[n] == '/';
	if (m->had_slash)
		m->name = n ? u_strndup(t->p, m->name, n) : "/";
	if (m->type == 0 || m->type == '7' || m->type == 'S')
		m->type = m->had_slash && m->type != 'S' ? '5' : '0';
	if (m->type == '0' && m->had_slash)
		m->type = '5';
	if (m->mtime.nsec < 0 || m->mtime.nsec > 999999999)
		m->mtime.nsec = 0;
}

static enum tar_read read_header(struct tar *t, struct tar_member *m, bool first)
{
	struct extended x = {NULL, NULL, {NULL}};

	for (;;) {
		const char *b = archive_block(t);

		if (!b)
			return TAR_END;
		if (tar_is_zero(b))
			return TAR_ZERO;
		if (!tar_checksum_ok(b))
			return TAR_BAD;
		(void)first;
		if (read_extended(t, b, &x))
			continue;
		decode(t, b, m);
		finish(t, &x, m, b);
		return TAR_MEMBER;
	}
}

/* Reports what follows a first block of zeros; true when the archive goes on after it. */
static bool after_zero(struct tar *t, struct tar_member *m, enum tar_read *r)
{
	uint64_t where = t->ar.blocks;

	if (t->block_number && t->mode == TAR_LIST)
		u_printf(t->list, "block %llu: ** Block of NULs **\n", (unsigned long long)where - 1);
	if (t->ignore_zeros)
		return true;
	*r = read_header(t, m, false);
	if (*r != TAR_ZERO && !(t->silent & TAR_WARN_ALONE_ZERO))
		tar_warn(t, 0, "A lone zero block at %llu", (unsigned long long)where);
	return false;
}

bool tar_next_member(struct tar *t, struct tar_member *m)
{
	bool skipping = false, first = t->ar.blocks == 0;

	for (;;) {
		enum tar_read r = read_header(t, m, first);

		switch (r) {
		case TAR_MEMBER: return true;
		case TAR_ZERO:
			t->end_block = t->ar.blocks - 1;
			if (after_zero(t, m, &r))
				continue;
			return false;
		case TAR_END:
			t->end_block = t->ar.blocks;
			if (first && !skipping && !t->ar.child && t->mode != TAR_APPEND && t->mode != TAR_UPDATE && t->mode != TAR_APPEND_ARCHIVE)
				tar_error(t, 0, "This does not look like a tar archive");
			return false;
		default:
			if (first && !skipping)
				tar_error(t, 0, "This does not look like a tar archive");
			if (!skipping && (!first || !t->ar.at_end))
				skipping = true, first = false, tar_error(t, 0, "Skipping to next header");
			break;
		}
	}
}

/* ---- Writing ------------------------------------------------------------------------------------ */

static bool is_gnu(const struct tar *t)
{
	return t->format == TAR_GNU || t->format == TAR_OLDGNU;
}

/* Octal digits and a NUL; base 256 in GNU's formats when it does not fit; false: it does not fit at all. */
static bool put_number(struct tar *t, char *field, size_t n, int64_t v)
{
	if (v >= 0 && (uint64_t)v >> (3 * (n - 1)) == 0) {
		for (size_t i = n - 1; i-- > 0; v >>= 3)
			field[i] = (char)('0' + (v & 7));
		field[n - 1] = '\0';
		return true;
	}
	if (!is_gnu(t))
		return false;
	for (size_t i = n; i-- > 1; v >>= 8)
		field[i] = (char)(v & 0xff);
	field[0] = (char)(v < 0 ? 0xff : 0x80);
	return true;
}

static void seal(char *b)
{
	uint32_t sum;

	memset(b + CHKSUM, ' ', 8);
	sum = checksum(b);
	for (int i = 5; i >= 0; i--, sum >>= 3)
		b[CHKSUM + i] = (char)('0' + (sum & 7));
	b[CHKSUM + 6] = '\0';
}

static void put_magic(struct tar *t, char *b)
{
	if (is_gnu(t))
		memcpy(b + MAGIC, "ustar  ", 8);
	else if (t->format != TAR_V7)
		memcpy(b + MAGIC, "ustar\0" "00", 8);
}

/* A member that carries text for the next one. */
static void put_text_member(struct tar *t, char type, const char *name, const char *text, size_t n, int64_t mtime)
{
	char b[TAR_BLOCK] = {0};

	memcpy(b, name, strnlen(name, 100));
	put_number(t, b + MODE, 8, 0644);
	put_number(t, b + UID, 8, 0);
	put_number(t, b + GID, 8, 0);
	put_number(t, b + SIZE, 12, (int64_t)n);
	put_number(t, b + MTIME, 12, mtime);
	b[TYPE] = type;
	put_magic(t, b);
	if (type == 'L' || type == 'K') {
		memcpy(b + USER, "root", 4);
		memcpy(b + GROUP, "root", 4);
	}
	seal(b);
	archive_put(t, b, TAR_BLOCK);
	archive_put(t, text, n);
	archive_pad(t);
}

/* ustar: a long name is cut at a slash into prefix and name. */
static bool split_name(char *b, const char *name)
{
	size_t n = strlen(name);

	if (n <= 100) {
		memcpy(b, name, n);
		return true;
	}
	if (n > 256)
		return false;
	for (size_t i = MIN(n - 1, (size_t)155); i > 0; i--) {
		if (name[i] == '/' && n - i - 1 <= 100 && n - i - 1 > 0) {
			memcpy(b + PREFIX, name, i);
			memcpy(b, name + i + 1, n - i - 1);
			return true;
		}
	}
	return false;
}

static void pax_number(struct u_buf *x, const char *key, int64_t v)
{
	char text[32];

	pax_put(x, key, text, fmt_buf(text, sizeof(text), "%lld", (long long)v));
}

static void pax_time(struct u_buf *x, const char *key, struct sys_time when)
{
	char text[48];
	size_t n = fmt_buf(text, sizeof(text), "%lld", (long long)when.sec);

	if (when.nsec) {
		n += fmt_buf(text + n, sizeof(text) - n, ".%09d", when.nsec);
		while (text[n - 1] == '0')
			n--;
	}
	pax_put(x, key, text, n);
}

/* The name in the header's own field; what does not fit goes into x or a member of its own. */
static bool put_name(struct tar *t, const struct tar_member *m, char *b, const char *name, struct u_buf *x)
{
	size_t n = strlen(name);

	if (t->format == TAR_USTAR || t->format == TAR_PAX) {
		if (split_name(b, name))
			return true;
		if (t->format == TAR_USTAR) {
			tar_error(t, 0, n > 256 ? "%s: file name is too long (max 256); not dumped" : "%s: file name is too long (cannot be split); not dumped",
				  tar_quote_colon(t, m->name));
			return false;
		}
		pax_put(x, "path", name, n);
	} else if (n > 100 - (t->format == TAR_V7)) {
		if (t->format == TAR_V7) {
			tar_error(t, 0, "%s: file name is too long (max 99); not dumped", tar_quote_colon(t, m->name));
			return false;
		}
		put_text_member(t, 'L', "././@LongLink", name, n + 1, 0);
	}
	memcpy(b, name, MIN(n, (size_t)100));
	return true;
}

static bool put_link(struct tar *t, const struct tar_member *m, char *b, struct u_buf *x)
{
	size_t n = strlen(m->link);

	if (n > 100 && t->format == TAR_PAX)
		pax_put(x, "linkpath", m->link, n);
	else if (n > 100 && is_gnu(t))
		put_text_member(t, 'K', "././@LongLink", m->link, n + 1, 0);
	else if (n > 100) {
		tar_error(t, 0, "%s: link name is too long; not dumped", tar_quote_colon(t, m->link));
		return false;
	}
	memcpy(b + LINK, m->link, MIN(n, (size_t)100));
	return true;
}

/* A number field, or a record for it in the extended header. false: there is no way to say it. */
static bool put_or_extend(struct tar *t, char *field, size_t n, int64_t v, const char *key, struct u_buf *x)
{
	if (put_number(t, field, n, v))
		return true;
	put_number(t, field, n, 0);
	if (t->format == TAR_PAX) {
		pax_number(x, key, v);
		return true;
	}
	tar_error(t, 0, "value %lld out of %s range 0..%lld", (long long)v, key, (1LL << (3 * (n - 1))) - 1);
	return false;
}

static bool fill_numbers(struct tar *t, const struct tar_member *m, char *b, struct u_buf *x)
{
	bool ok = put_or_extend(t, b + UID, 8, (int64_t)m->uid, "uid", x);

	put_number(t, b + MODE, 8, m->mode);
	ok &= put_or_extend(t, b + GID, 8, (int64_t)m->gid, "gid", x);
	ok &= put_or_extend(t, b + SIZE, 12, (int64_t)m->size, "size", x);
	if (t->format == TAR_PAX && m->mtime.nsec) {
		put_number(t, b + MTIME, 12, m->mtime.sec);
		pax_time(x, "mtime", m->mtime);
	} else {
		ok &= put_or_extend(t, b + MTIME, 12, m->mtime.sec, "mtime", x);
	}
	if (m->type == '3' || m->type == '4' || !is_gnu(t)) {
		put_number(t, b + MAJOR, 8, m->major);
		put_number(t, b + MINOR, 8, m->minor);
	}
	return ok;
}

/* Where the extended header of a member claims to be. */
static const char *pax_member_name(struct tar *t, const char *name)
{
	const char *base = u_basename(t->p, name);

	return u_format(t->p, "%s/PaxHeaders/%s", u_dirname(t->p, name), base);
}

bool tar_write_header(struct tar *t, const struct tar_member *m)
{
	char b[TAR_BLOCK] = {0};
	struct u_buf x;

	u_buf_init(&x, t->p, TAR_PAX_MAX);
	if (!put_link(t, m, b, &x) || !put_name(t, m, b, m->name, &x) || !fill_numbers(t, m, b, &x))
		return false;
	b[TYPE] = t->format == TAR_V7 && m->type == '0' ? '\0' : m->type;
	put_magic(t, b);
	if (t->format != TAR_V7 && !t->numeric_owner) {
		memcpy(b + USER, m->user, strnlen(m->user, 31));
		memcpy(b + GROUP, m->group, strnlen(m->group, 31));
	}
	if (x.len)
		put_text_member(t, 'x', pax_member_name(t, m->name), x.ptr, x.len, m->mtime.sec);
	seal(b);
	archive_put(t, b, TAR_BLOCK);
	return true;
}
