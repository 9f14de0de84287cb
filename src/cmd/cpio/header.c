/* header.c - the headers of cpio's archives: old binary, old ASCII (odc), new ASCII (newc) and that with sums (crc). */
#include "cpio.h"

/* ---- Reading ------------------------------------------------------------------------------------- */

size_t cpio_piece(struct cpio *c, uint64_t n, const char **ptr)
{
	struct sys_slice s;
	size_t got;

	if (c->at == c->end) {
		int64_t r = sys_read_slice(c->p, c->fd, 0, &s);

		if (r < 0)
			u_die(c->p, 2, (int)r, "read error");
		if (r == 0)
			u_die(c->p, 2, 0, c->in_header ? "premature end of archive" : "premature end of file");
		c->at = s.ptr;
		c->end = s.ptr + s.len;
	}
	got = (size_t)MIN((uint64_t)(c->end - c->at), n);
	*ptr = c->at;
	c->at += got;
	c->bytes += got;
	sys_checkpoint(c->p);
	return got;
}

static void read_into(struct cpio *c, char *buf, size_t n)
{
	const char *ptr;

	for (size_t got; n > 0; n -= got, buf += got) {
		got = cpio_piece(c, n, &ptr);
		memcpy(buf, ptr, got);
	}
}

void cpio_skip(struct cpio *c, uint64_t n)
{
	const char *ptr;

	while (n > 0)
		n -= cpio_piece(c, n, &ptr);
}

unsigned cpio_padding(int format, uint64_t n)
{
	switch (format) {
	case CPIO_BIN: return (unsigned)(n & 1);
	case CPIO_NEWC:
	case CPIO_CRC: return (unsigned)(-n & 3);
	default: return 0;
	}
}

static uint64_t number(struct cpio *c, const char *s, size_t n, unsigned base)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++) {
		int d = ascii_digit(s[i]) ? s[i] - '0' : ascii_xdigit(s[i]) ? ascii_tolower(s[i]) - 'a' + 10 : 99;

		if (d >= (int)base) {
			u_warn(c->p, 0, "Malformed number %.*s", (int)n, s);
			break;
		}
		v = v * base + (unsigned)d;
	}
	return v;
}

static uint32_t short_at(const unsigned char *h, int i, bool swapped)
{
	return swapped ? (uint32_t)h[2 * i] << 8 | h[2 * i + 1] : (uint32_t)h[2 * i + 1] << 8 | h[2 * i];
}

static size_t read_bin(struct cpio *c, struct cpio_member *m, char *h)
{
	const unsigned char *u = (const unsigned char *)h;
	bool swapped = u[0] == 0x71;

	read_into(c, h + 6, 26 - 6);
	m->dev = short_at(u, 1, swapped);
	m->ino = short_at(u, 2, swapped);
	m->mode = short_at(u, 3, swapped);
	m->uid = short_at(u, 4, swapped);
	m->gid = short_at(u, 5, swapped);
	m->nlink = short_at(u, 6, swapped);
	m->rdev = short_at(u, 7, swapped);
	m->mtime = (int64_t)(short_at(u, 8, swapped) << 16 | short_at(u, 9, swapped));
	m->size = (uint64_t)(short_at(u, 11, swapped) << 16 | short_at(u, 12, swapped));
	return short_at(u, 10, swapped);
}

static size_t read_odc(struct cpio *c, struct cpio_member *m, char *h)
{
	read_into(c, h + 6, 76 - 6);
	m->dev = number(c, h + 6, 6, 8);
	m->ino = number(c, h + 12, 6, 8);
	m->mode = (uint32_t)number(c, h + 18, 6, 8);
	m->uid = (uint32_t)number(c, h + 24, 6, 8);
	m->gid = (uint32_t)number(c, h + 30, 6, 8);
	m->nlink = (uint32_t)number(c, h + 36, 6, 8);
	m->rdev = number(c, h + 42, 6, 8);
	m->mtime = (int64_t)number(c, h + 48, 11, 8);
	m->size = number(c, h + 65, 11, 8);
	return (size_t)number(c, h + 59, 6, 8);
}

static size_t read_newc(struct cpio *c, struct cpio_member *m, char *h)
{
	uint64_t v[13];

	read_into(c, h + 6, 110 - 6);
	for (int i = 0; i < 13; i++)
		v[i] = number(c, h + 6 + i * 8, 8, 16);
	m->ino = v[0];
	m->mode = (uint32_t)v[1];
	m->uid = (uint32_t)v[2];
	m->gid = (uint32_t)v[3];
	m->nlink = (uint32_t)v[4];
	m->mtime = (int64_t)v[5];
	m->size = v[6];
	m->dev = v[7] << 32 | v[8];
	m->rdev = v[9] << 32 | v[10];
	m->sum = (uint32_t)v[12];
	return (size_t)v[11];
}

static int format_of(const char *h)
{
	static const struct {
		const char *magic;
		size_t n;
		int format;
	} known[] = {{"070701", 6, CPIO_NEWC}, {"070702", 6, CPIO_CRC}, {"070707", 6, CPIO_ODC},
		     {"\xc7\x71", 2, CPIO_BIN}, {"\x71\xc7", 2, CPIO_BIN}};

	for (size_t i = 0; i < COUNTOF(known); i++) {
		if (memcmp(h, known[i].magic, known[i].n) == 0)
			return known[i].format;
	}
	return 0;
}

/* What is no header is passed over, byte by byte. */
static int find_magic(struct cpio *c, char *h)
{
	uint64_t junk = 0;
	int format;

	read_into(c, h, 6);
	while (!(format = format_of(h))) {
		memmove(h, h + 1, 5);
		read_into(c, h + 5, 1);
		junk++;
	}
	if (junk)
		u_warn(c->p, 0, "warning: skipped %llu byte%s of junk", (unsigned long long)junk, junk == 1 ? "" : "s");
	return format;
}

bool cpio_read_header(struct cpio *c, struct cpio_member *m)
{
	char h[112], *name;
	size_t n, size;

	c->in_header = true;
	*m = (struct cpio_member){.format = find_magic(c, h)};
	c->in_header = false;
	switch (m->format) {
	case CPIO_BIN: n = read_bin(c, m, h); size = 26; break;
	case CPIO_ODC: n = read_odc(c, m, h); size = 76; break;
	default: n = read_newc(c, m, h); size = 110; break;
	}
	if (n == 0 || n > CPIO_NAME_MAX)
		u_die(c->p, 2, 0, "malformed header: the name has %zu bytes", n);
	name = u_zalloc(c->p, n + 1);
	read_into(c, name, n);
	cpio_skip(c, cpio_padding(m->format, size + n));
	m->name = name;
	if (streq(name, "TRAILER!!!"))
		return false;
	if ((m->mode & SYS_S_TYPE) == SYS_S_LINK) {
		char *link;

		if (m->size > CPIO_NAME_MAX)
			u_die(c->p, 2, 0, "%s: malformed header: a link of %llu bytes", name, (unsigned long long)m->size);
		link = u_zalloc(c->p, (size_t)m->size + 1);
		read_into(c, link, (size_t)m->size);
		cpio_skip(c, cpio_padding(m->format, m->size));
		m->link = link;
	}
	return true;
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

void cpio_write(struct cpio *c, const char *ptr, size_t n)
{
	u_put(c->out, ptr, n);
	c->bytes += n;
}

static void put_short(char *h, int i, uint32_t v)
{
	h[2 * i] = (char)v;
	h[2 * i + 1] = (char)(v >> 8);
}

static size_t make_bin(const struct cpio_member *m, char *h, size_t n)
{
	put_short(h, 0, 0x71c7);
	put_short(h, 1, (uint32_t)m->dev);
	put_short(h, 2, (uint32_t)m->ino);
	put_short(h, 3, m->mode);
	put_short(h, 4, m->uid);
	put_short(h, 5, m->gid);
	put_short(h, 6, m->nlink);
	put_short(h, 7, (uint32_t)m->rdev);
	put_short(h, 8, (uint32_t)(m->mtime >> 16));
	put_short(h, 9, (uint32_t)m->mtime);
	put_short(h, 10, (uint32_t)n);
	put_short(h, 11, (uint32_t)(m->size >> 16));
	put_short(h, 12, (uint32_t)m->size);
	return 26;
}

static size_t make_odc(const struct cpio_member *m, char *h, size_t room, size_t n)
{
	return fmt_buf(h, room, "070707%06llo%06llo%06o%06o%06o%06o%06llo%011llo%06zo%011llo", (unsigned long long)m->dev & 0777777,
		       (unsigned long long)m->ino & 0777777, m->mode & 0777777, m->uid & 0777777, m->gid & 0777777,
		       m->nlink & 0777777, (unsigned long long)m->rdev & 0777777, (unsigned long long)m->mtime & 077777777777, n,
		       (unsigned long long)m->size);
}

static size_t make_newc(const struct cpio_member *m, char *h, size_t room, size_t n)
{
	return fmt_buf(h, room, "%s%08llX%08X%08X%08X%08X%08llX%08llX%08X%08X%08X%08X%08zX%08X", m->format == CPIO_CRC ? "070702" : "070701",
		       (unsigned long long)m->ino & 0xffffffff, m->mode, m->uid, m->gid, m->nlink,
		       (unsigned long long)m->mtime & 0xffffffff, (unsigned long long)m->size, (uint32_t)(m->dev >> 8),
		       (uint32_t)(m->dev & 0xff), (uint32_t)(m->rdev >> 8), (uint32_t)(m->rdev & 0xff), n, m->sum);
}

void cpio_write_header(struct cpio *c, const struct cpio_member *m)
{
	size_t n = strlen(m->name) + 1, size;
	char h[128];

	switch (m->format) {
	case CPIO_BIN: size = make_bin(m, h, n); break;
	case CPIO_ODC: size = make_odc(m, h, sizeof(h), n); break;
	default: size = make_newc(m, h, sizeof(h), n); break;
	}
	cpio_write(c, h, size);
	cpio_write(c, m->name, n);
	cpio_write(c, "\0\0\0", cpio_padding(m->format, size + n));
}
