/* archive.c - reading zip archives. */
#include "archive.h"

#define END_SIZE      22u
#define ENTRY_SIZE    46u
#define LOCAL_SIZE    30u
#define DIRECTORY_MAX ((uint64_t)64 << 20)
#define BUFFER        ((size_t)64 << 10)

/* All n bytes at `at`, or false. */
static bool read_at(struct zip_archive *z, void *buf, size_t n, uint64_t at)
{
	char *to = buf;

	if (at > INT64_MAX - n)
		return false;
	while (n) {
		int64_t got = sys_pread(z->p, z->fd, to, n, (int64_t)at);

		if (got <= 0)
			return false;
		to += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return true;
}

/* ---- The end record ------------------------------------------------------------------------ */

struct ending {
	uint64_t at, entries, size, offset;
};

static bool find_end(struct zip_archive *z, struct ending *e)
{
	uint64_t span = MIN(z->file_size, (uint64_t)65535 + END_SIZE);
	unsigned char *tail = u_alloc(z->p, (size_t)span + 1);

	if (span < END_SIZE || !read_at(z, tail, (size_t)span, z->file_size - span))
		return false;
	for (uint64_t i = span - END_SIZE + 1; i-- > 0;) {
		const unsigned char *s = tail + i;

		sys_checkpoint(z->p);
		if (zip_u32(s) != 0x06054b50)
			continue;
		*e = (struct ending){z->file_size - span + i, zip_u16(s + 10), zip_u32(s + 12), zip_u32(s + 16)};
		z->comment = (struct str){(const char *)s + END_SIZE, MIN((size_t)zip_u16(s + 20), (size_t)(span - i - END_SIZE))};
		return true;
	}
	return false;
}

/* The 64-bit end record, when the other refers to it. */
static void read_end64(struct zip_archive *z, struct ending *e, uint64_t *directory_end)
{
	unsigned char locator[20], s[56];
	uint64_t at;

	if (e->at < sizeof(locator) || !read_at(z, locator, sizeof(locator), e->at - sizeof(locator)) || zip_u32(locator) != 0x07064b50)
		return;
	at = zip_u64(locator + 8);
	if (at > z->file_size || !read_at(z, s, sizeof(s), at) || zip_u32(s) != 0x06064b50)
		return;
	e->entries = zip_u64(s + 32);
	e->size = zip_u64(s + 40);
	e->offset = zip_u64(s + 48);
	*directory_end = at;
}

/* ---- Entries ----------------------------------------------------------------------------------- */

/* What the extra fields add: 64-bit sizes, the time in seconds. */
static void read_extra(struct zip_entry *e, bool *has_time)
{
	const unsigned char *s = e->extra, *end = s + e->extra_len;

	while (end - s >= 4) {
		uint16_t id = zip_u16(s), n = zip_u16(s + 2);
		const unsigned char *f = s + 4;
		uint16_t left = n;

		if (n > end - f)
			return;
		if (id == 1) {
			uint64_t *wide[] = {e->size == UINT32_MAX ? &e->size : NULL, e->packed == UINT32_MAX ? &e->packed : NULL,
					    e->offset == UINT32_MAX ? &e->offset : NULL};

			for (size_t i = 0; i < COUNTOF(wide); i++) {
				if (!wide[i] || left < 8)
					continue;
				*wide[i] = zip_u64(f);
				f += 8;
				left = (uint16_t)(left - 8);
			}
		} else if (id == 0x5455 && n >= 5 && f[0] & 1) {
			e->mtime = (struct sys_time){(int32_t)zip_u32(f + 1), 0};
			*has_time = true;
		}
		s += 4 + n;
	}
}

static bool parse_entry(struct zip_archive *z, const struct u_tz *tz, const unsigned char *s, size_t left, struct zip_entry *e, size_t *used)
{
	size_t name, extra, comment, n;
	bool has_time = false;

	if (left < ENTRY_SIZE || zip_u32(s) != 0x02014b50)
		return false;
	name = zip_u16(s + 28);
	extra = zip_u16(s + 30);
	comment = zip_u16(s + 32);
	*used = ENTRY_SIZE + name + extra + comment;
	if (*used > left)
		return false;
	*e = (struct zip_entry){.made_by = zip_u16(s + 4), .needed = zip_u16(s + 6), .flags = zip_u16(s + 8), .method = zip_u16(s + 10),
				.time = zip_u16(s + 12), .date = zip_u16(s + 14), .crc = zip_u32(s + 16), .packed = zip_u32(s + 20),
				.size = zip_u32(s + 24), .internal = zip_u16(s + 36), .external = zip_u32(s + 38), .offset = zip_u32(s + 42)};
	e->name = u_strndup(z->p, (const char *)s + ENTRY_SIZE, name);
	e->extra = s + ENTRY_SIZE + name;
	e->extra_len = (uint16_t)extra;
	e->comment = u_strndup(z->p, (const char *)e->extra + extra, comment);
	read_extra(e, &has_time);
	if (!has_time)
		e->mtime = zip_from_dos(tz, e->date, e->time);
	n = strlen(e->name);
	e->is_dir = n && e->name[n - 1] == '/';
	return true;
}

/* Entries may not share bytes, nor reach into the directory. */
static bool overlaps(struct zip_archive *z)
{
	struct span {
		uint64_t from, to;
	} *v = u_array(z->p, z->n + 1, sizeof(*v)), *w = u_array(z->p, z->n + 1, sizeof(*w));

	for (size_t i = 0; i < z->n; i++) {
		uint64_t from = z->v[i].offset + z->shift, to;

		if (__builtin_add_overflow(from, z->v[i].packed, &to) || __builtin_add_overflow(to, LOCAL_SIZE + strlen(z->v[i].name), &to) ||
		    to > z->directory)
			return true;
		v[i] = (struct span){from, to};
	}
	for (size_t width = 1; width < z->n; width *= 2) {
		for (size_t i = 0; i < z->n; i += 2 * width) {
			size_t a = i, mid = MIN(i + width, z->n), b = mid, end = MIN(i + 2 * width, z->n);

			for (size_t k = i; k < end; k++)
				w[k] = a < mid && (b >= end || v[a].from <= v[b].from) ? v[a++] : v[b++];
			sys_checkpoint_n(z->p, (uint32_t)MIN(end - i, (size_t)1 << 20));
		}
		memcpy(v, w, z->n * sizeof(*v));
	}
	for (size_t i = 1; i < z->n; i++) {
		if (v[i].from < v[i - 1].to)
			return true;
	}
	return false;
}

int zip_read_directory(struct zip_archive *z)
{
	const struct u_tz *tz = u_tz_get(z->p, NULL);
	struct sys_stat st;
	struct ending e;
	unsigned char *s;
	uint64_t end;
	size_t at = 0, used;

	if (sys_fstat(z->p, z->fd, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_FILE || st.size <= 0)
		return ZIP_NO_DIRECTORY;
	z->file_size = (uint64_t)st.size;
	if (!find_end(z, &e))
		return ZIP_NO_DIRECTORY;
	end = e.at;
	read_end64(z, &e, &end);
	if (e.size > end || e.size > DIRECTORY_MAX)
		return e.size > end ? ZIP_DAMAGED : ZIP_TOO_BIG;
	z->directory = end - e.size;
	if (e.offset > z->directory || e.entries > e.size / ENTRY_SIZE)
		return ZIP_DAMAGED;
	z->shift = z->directory - e.offset;
	s = u_alloc(z->p, (size_t)e.size + 1);
	if (!read_at(z, s, (size_t)e.size, z->directory))
		return ZIP_DAMAGED;
	z->v = u_array(z->p, (size_t)e.entries + 1, sizeof(*z->v));
	for (; z->n < e.entries; at += used) {
		sys_checkpoint(z->p);
		if (!parse_entry(z, tz, s + at, (size_t)e.size - at, &z->v[z->n], &used))
			return ZIP_DAMAGED;
		z->n++;
	}
	return overlaps(z) ? ZIP_OVERLAP : ZIP_OK;
}

/* ---- Data -------------------------------------------------------------------------------------------- */

uint64_t zip_data_start(struct zip_archive *z, const struct zip_entry *e)
{
	unsigned char s[LOCAL_SIZE];
	uint64_t at = e->offset + z->shift, start;

	if (!read_at(z, s, sizeof(s), at) || zip_u32(s) != 0x04034b50)
		return 0;
	start = at + LOCAL_SIZE + zip_u16(s + 26) + zip_u16(s + 28);
	return start > z->directory || e->packed > z->directory - start ? 0 : start;
}

struct sink {
	struct proc *p;
	int fd, err;
	uint64_t total, max;
	uint32_t crc;
};

/* 0, CODEC_BAD when it is more than was said, ZIP_WRITE_FAILED. */
static int give(struct sink *o, const char *ptr, size_t n)
{
	o->crc = codec_crc32(o->crc, ptr, n);
	o->total += n;
	if (o->total > o->max)
		return CODEC_BAD;
	if (o->fd >= 0)
		o->err = u_write_all(o->p, o->fd, ptr, n);
	return o->err < 0 ? ZIP_WRITE_FAILED : 0;
}

static int copy(struct zip_archive *z, uint64_t at, uint64_t n, struct sink *o)
{
	char *buf = z->buf;

	while (n) {
		size_t part = (size_t)MIN(n, (uint64_t)BUFFER);
		int r;

		if (!read_at(z, buf, part, at))
			return CODEC_CUT;
		r = give(o, buf, part);
		if (r < 0)
			return r;
		at += part;
		n -= part;
	}
	return CODEC_END;
}

static int inflate_to(struct zip_archive *z, struct codec *codec, uint64_t at, uint64_t n, struct sink *o)
{
	char *in = z->buf, *out = z->buf + BUFFER;
	struct codec_io io = {in, 0, out, BUFFER};
	int r = CODEC_MORE;

	while (r == CODEC_MORE) {
		if (!io.in_size && n) {
			size_t part = (size_t)MIN(n, (uint64_t)BUFFER);

			if (!read_at(z, in, part, at))
				return CODEC_CUT;
			io.in = in;
			io.in_size = part;
			at += part;
			n -= part;
		}
		r = codec_step(codec, &io, n == 0);
		if (r >= 0 && (io.out_size == 0 || r == CODEC_END)) {
			int w = give(o, out, BUFFER - io.out_size);

			if (w < 0)
				return w;
			io.out = out;
			io.out_size = BUFFER;
		}
	}
	return r;
}

int zip_unpack(struct zip_archive *z, struct codec *codec, const struct zip_entry *e, int fd, uint32_t *crc, int *err)
{
	struct sink o = {.p = z->p, .fd = fd, .max = e->size};
	uint64_t start = zip_data_start(z, e);
	int r = 0;

	if (!start)
		return CODEC_FORMAT;
	if (!z->buf)
		z->buf = u_alloc(z->p, 2 * BUFFER);
	if (e->method != ZIP_STORED)
		r = codec_decode(codec, &(struct codec_config){.kind = e->method == ZIP_BZIP2 ? CODEC_BZIP2 : CODEC_DEFLATE});
	if (r < 0)
		return r;
	r = e->method == ZIP_STORED ? copy(z, start, e->packed, &o) : inflate_to(z, codec, start, e->packed, &o);
	if (r == CODEC_END && o.total != e->size)
		r = CODEC_BAD;
	*crc = o.crc;
	*err = o.err;
	return r;
}

/* ---- Dates and ratios ------------------------------------------------------------------------------------ */

struct sys_time zip_from_dos(const struct u_tz *tz, uint16_t date, uint16_t time)
{
	struct u_tm tm = {.year = 1980 + (date >> 9), .mon = MAX(date >> 5 & 15, 1), .mday = MAX(date & 31, 1), .hour = time >> 11,
			  .min = time >> 5 & 63, .sec = (time & 31) * 2, .isdst = -1};

	return u_time_join(tz, &tm);
}

void zip_to_dos(const struct u_tz *tz, struct sys_time t, uint16_t *date, uint16_t *time)
{
	struct u_tm tm;

	t.sec += t.sec & 1; /* seconds are kept by twos, rounded up */
	u_time_split(tz, t, &tm);
	if (tm.year < 1980) {
		*date = 1 << 5 | 1;
		*time = 0;
		return;
	}
	*date = (uint16_t)(MIN(tm.year - 1980, (int64_t)127) << 9 | tm.mon << 5 | tm.mday);
	*time = (uint16_t)(tm.hour << 11 | tm.min << 5 | tm.sec >> 1);
}

int zip_percent(uint64_t size, uint64_t packed)
{
	if (size > 0xffffff) {
		size = (size + 0x80) >> 8;
		packed = (packed + 0x80) >> 8;
	}
	return size > packed ? (int)((1 + 200 * (size - packed) / size) / 2) : 0;
}
