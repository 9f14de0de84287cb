/* write.c - writing a zip archive: headers, data, directory. */
#include "zip.h"

/* ---- Messages -------------------------------------------------------------------------------------- */

/* Messages go where the archive does not. */
static void tell(struct zip *z, const char *s)
{
	u_flush(u_stdout(z->p));
	u_write_all(z->p, z->to_stdout ? 2 : 1, s, strlen(s));
}

void zip_warn(struct zip *z, const char *text, const char *name)
{
	tell(z, u_format(z->p, "\tzip warning: %s%s\n", text, name));
}

void zip_fail(struct zip *z, int status, const char *fmt, const char *what)
{
	tell(z, u_format(z->p, "\nzip error: %s\n", u_format(z->p, fmt, what)));
	if (z->temp)
		(void)!sys_unlink(z->p, z->temp);
	u_exit(z->p, status);
}

void zip_say(struct zip *z, const char *fmt, ...)
{
	struct u_out *o = u_stdout(z->p);
	va_list ap;

	if (z->quiet)
		return;
	va_start(ap, fmt);
	if (z->to_stdout) {
		char text[4096];
		size_t n = fmt_buf_v(text, sizeof(text), fmt, ap);

		u_write_all(z->p, 2, text, MIN(n, sizeof(text) - 1));
	} else {
		u_vprintf(o, fmt, ap);
	}
	va_end(ap);
}

/* ---- Output ------------------------------------------------------------------------------------------ */

static void put(struct zip *z, const void *ptr, size_t n)
{
	int r = u_write_all(z->p, z->out, ptr, n);

	if (r < 0)
		zip_fail(z, ZE_WRITE, "Output file write failure (%s)", errno_text(r));
	z->at += n;
}

static void put_u16(struct u_buf *b, uint32_t v)
{
	u_buf_putc(b, (char)v);
	u_buf_putc(b, (char)(v >> 8));
}

static void put_u32(struct u_buf *b, uint32_t v)
{
	put_u16(b, v);
	put_u16(b, v >> 16);
}

/* Times in seconds and the owner, as Info-ZIP stores them. */
static void put_extra(struct zip *z, struct u_buf *b, const struct sys_stat *st, bool local)
{
	if (z->no_extra)
		return;
	put_u16(b, 0x5455);
	put_u16(b, local ? 9 : 5);
	u_buf_putc(b, 3);
	put_u32(b, (uint32_t)st->mtime.sec);
	if (local)
		put_u32(b, (uint32_t)st->atime.sec);
	put_u16(b, 0x7875);
	put_u16(b, 11);
	u_buf_putc(b, 1);
	u_buf_putc(b, 4);
	put_u32(b, st->uid);
	u_buf_putc(b, 4);
	put_u32(b, st->gid);
}

/* The fields local headers and the directory have alike. */
static void put_common(struct u_buf *b, const struct zip_entry *e)
{
	put_u16(b, e->needed);
	put_u16(b, e->flags);
	put_u16(b, e->method);
	put_u16(b, e->time);
	put_u16(b, e->date);
	put_u32(b, e->crc);
	put_u32(b, (uint32_t)e->packed);
	put_u32(b, (uint32_t)e->size);
	put_u16(b, (uint32_t)strlen(e->name));
}

static void put_local(struct zip *z, struct u_buf *b, const struct zip_entry *e, const struct sys_stat *st)
{
	struct u_buf extra;

	u_buf_init(&extra, z->p, 0);
	put_extra(z, &extra, st, true);
	put_u32(b, 0x04034b50);
	put_common(b, e);
	put_u16(b, (uint32_t)extra.len);
	u_buf_puts(b, e->name);
	if (extra.len)
		u_buf_put(b, extra.ptr, extra.len);
}

static void put_directory(struct zip *z, const struct zip_entry *e, const void *extra, size_t extra_len)
{
	struct u_buf *b = &z->directory;

	if (e->offset > UINT32_MAX || e->size >= UINT32_MAX || e->packed >= UINT32_MAX || z->entries >= UINT16_MAX)
		zip_fail(z, 6, "Entry too big to split, read, or write (%s needs Zip64)", e->name);
	put_u32(b, 0x02014b50);
	put_u16(b, e->made_by);
	put_common(b, e);
	put_u16(b, (uint32_t)extra_len);
	put_u16(b, (uint32_t)strlen(e->comment));
	put_u16(b, 0);
	put_u16(b, e->internal);
	put_u32(b, e->external);
	put_u32(b, (uint32_t)e->offset);
	u_buf_puts(b, e->name);
	if (extra_len)
		u_buf_put(b, extra, extra_len);
	u_buf_puts(b, e->comment);
	z->entries++;
}

void zip_put_end(struct zip *z)
{
	uint64_t start = z->at, size = z->directory.len;
	struct u_buf b;

	if (start > UINT32_MAX)
		zip_fail(z, 6, "Entry too big to split, read, or write (%s needs Zip64)", "the archive");
	if (size)
		put(z, z->directory.ptr, z->directory.len);
	u_buf_init(&b, z->p, 0);
	put_u32(&b, 0x06054b50);
	put_u32(&b, 0);
	put_u16(&b, (uint32_t)z->entries);
	put_u16(&b, (uint32_t)z->entries);
	put_u32(&b, (uint32_t)size);
	put_u32(&b, (uint32_t)start);
	put_u16(&b, (uint32_t)z->old.comment.len);
	if (z->old.comment.len)
		u_buf_put(&b, z->old.comment.ptr, z->old.comment.len);
	put(z, b.ptr, b.len);
}

/* ---- One entry's data ---------------------------------------------------------------------------------- */

/* Stored or deflated from fd. e gets sizes and check sum; with a descriptor afterwards when the header cannot be changed. */
static bool put_data(struct zip *z, struct zip_entry *e, int fd)
{
	struct codec_io io = {z->in_buf, 0, z->out_buf, BUFFER};
	bool at_end = false, deflates = e->method == ZIP_DEFLATED;
	int r = deflates ? codec_encode(z->codec, &(struct codec_config){.kind = CODEC_DEFLATE, .level = z->level}) : CODEC_MORE;

	e->size = e->packed = 0;
	e->crc = 0;
	while (r == CODEC_MORE) {
		if (!io.in_size && !at_end) {
			int64_t got = sys_read(z->p, fd, z->in_buf, BUFFER);

			if (got < 0)
				return false;
			at_end = got == 0;
			e->crc = codec_crc32(e->crc, z->in_buf, (size_t)got);
			e->size += (uint64_t)got;
			io.in = z->in_buf;
			io.in_size = (size_t)got;
		}
		if (!deflates) {
			put(z, io.in, io.in_size);
			io.in_size = 0;
			r = at_end ? CODEC_END : CODEC_MORE;
			continue;
		}
		r = codec_step(z->codec, &io, at_end);
		if (io.out_size == 0 || r == CODEC_END) {
			put(z, z->out_buf, BUFFER - io.out_size);
			io.out = z->out_buf;
			io.out_size = BUFFER;
		}
	}
	e->packed = z->at;
	return r == CODEC_END;
}

/* Goes back to the start of the data; false when the output cannot. */
static bool rewind_to(struct zip *z, uint64_t at)
{
	if (z->to_stdout || sys_seek(z->p, z->out, (int64_t)at, SYS_SEEK_SET) < 0 || sys_ftruncate(z->p, z->out, (int64_t)at) < 0)
		return false;
	z->at = at;
	return true;
}

static void rewrite_header(struct zip *z, const struct zip_entry *e, const struct sys_stat *st)
{
	uint64_t end = z->at;
	struct u_buf b;

	u_buf_init(&b, z->p, 0);
	if (z->to_stdout) {
		put_u32(&b, 0x08074b50);
		put_u32(&b, e->crc);
		put_u32(&b, (uint32_t)e->packed);
		put_u32(&b, (uint32_t)e->size);
		put(z, b.ptr, b.len);
		return;
	}
	put_local(z, &b, e, st);
	if (sys_pwrite(z->p, z->out, b.ptr, b.len, (int64_t)e->offset) != (int64_t)b.len || sys_seek(z->p, z->out, (int64_t)end, SYS_SEEK_SET) < 0)
		zip_fail(z, ZE_WRITE, "Output file write failure (%s)", "header");
}

static int open_item(struct zip *z, const struct item *it)
{
	char target[SYS_PATH_MAX];
	int64_t n;

	if (streq(it->path, "-"))
		return 0;
	if ((it->st.mode & SYS_S_TYPE) == SYS_S_DIR)
		return sys_memfile(z->p, "", 0);
	if ((it->st.mode & SYS_S_TYPE) != SYS_S_LINK)
		return sys_open(z->p, it->path, SYS_O_READ | SYS_O_CLOEXEC, 0);
	n = sys_readlink(z->p, it->path, target, sizeof(target));
	return n < 0 ? (int)n : sys_memfile(z->p, target, (size_t)n);
}

static bool looks_like_text(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 32 && c != '\t' && c != '\n' && c != '\r' && c != 7 && c != 8 && c != 27 && c != '\f')
			return false;
	}
	return n > 0;
}

static struct zip_entry describe(struct zip *z, const struct item *it)
{
	bool is_dir = (it->st.mode & SYS_S_TYPE) == SYS_S_DIR, utf8 = scan_ascii(it->name, strlen(it->name)) < strlen(it->name);
	struct zip_entry e = {.name = it->name, .made_by = 3 << 8 | 30, .needed = 10, .flags = utf8 && u_utf8(z->p) ? ZIP_UTF8 : 0, .comment = "",
			      .external = (uint32_t)(it->st.mode & 0177777) << 16 | (is_dir ? 0x10 : 0), .offset = z->at, .is_dir = is_dir};

	zip_to_dos(u_tz_get(z->p, NULL), it->st.mtime, &e.date, &e.time);
	if (!is_dir && z->level > 0 && (it->st.mode & SYS_S_TYPE) != SYS_S_LINK && (it->st.size || streq(it->path, "-")))
		e.method = ZIP_DEFLATED;
	if (e.method == ZIP_DEFLATED || is_dir)
		e.needed = e.method == ZIP_DEFLATED ? 20 : 10;
	if (z->to_stdout && !is_dir)
		e.flags |= ZIP_DESCRIPTOR;
	if (e.method == ZIP_DEFLATED)
		e.flags |= z->level == 9 ? 2 : z->level == 1 ? 6 : z->level == 2 ? 4 : 0;
	return e;
}

static void tell_added(struct zip *z, const struct zip_entry *e, bool replaces)
{
	const char *how = e->method == ZIP_DEFLATED ? "deflated" : "stored";

	if (z->verbose)
		zip_say(z, "%s: %s\t(in=%llu) (out=%llu) (%s %d%%)\n", replaces ? "updating" : "  adding", e->name, (unsigned long long)e->size,
		    (unsigned long long)e->packed, how, zip_percent(e->size, e->packed));
	else
		zip_say(z, "%s: %s (%s %d%%)\n", replaces ? "updating" : "  adding", e->name, how, zip_percent(e->size, e->packed));
	z->sum_size += e->size;
	z->sum_packed += e->packed;
}

void zip_add_item(struct zip *z, const struct item *it)
{
	struct zip_entry e = describe(z, it);
	int fd = open_item(z, it);
	uint64_t data;
	struct u_buf b, extra;
	bool ok;

	if (fd < 0) {
		zip_warn(z, "could not open for reading: ", it->path);
		z->status = ZE_OPEN;
		return;
	}
	u_buf_init(&b, z->p, 0);
	put_local(z, &b, &e, &it->st);
	put(z, b.ptr, b.len);
	data = z->at;
	ok = put_data(z, &e, fd);
	e.packed = z->at - data;
	if (ok && e.method == ZIP_DEFLATED && e.packed >= e.size && fd > 0 && sys_seek(z->p, fd, 0, SYS_SEEK_SET) == 0 && rewind_to(z, data)) {
		e.method = ZIP_STORED;
		e.needed = 10;
		e.flags &= (uint16_t)~6u;
		ok = put_data(z, &e, fd);
		e.packed = z->at - data;
	}
	if (!ok)
		zip_fail(z, ZE_READ, "File read failure (was reading %s)", it->path);
	e.internal = !e.is_dir && looks_like_text(z->in_buf, (size_t)MIN(e.size, (uint64_t)512));
	if (!e.is_dir)
		rewrite_header(z, &e, &it->st);
	if (fd > 0)
		sys_close(z->p, fd);
	u_buf_init(&extra, z->p, 0);
	put_extra(z, &extra, &it->st, false);
	put_directory(z, &e, extra.ptr, extra.len);
	tell_added(z, &e, it->old != NULL);
}

/* An entry that stays: its local header and data as they are. */
void zip_keep_entry(struct zip *z, const struct zip_entry *old)
{
	uint64_t start = zip_data_start(&z->old, old), from = old->offset + z->old.shift, left;
	struct zip_entry e = *old;

	if (!start)
		zip_fail(z, ZE_FORM, "Zip file structure invalid (%s)", z->path);
	left = start + old->packed - from + (old->flags & ZIP_DESCRIPTOR ? 16 : 0);
	e.offset = z->at;
	while (left) {
		int64_t got = sys_pread(z->p, z->old.fd, z->in_buf, (size_t)MIN(left, (uint64_t)BUFFER), (int64_t)from);

		if (got <= 0)
			zip_fail(z, ZE_READ, "File read failure (%s)", z->path);
		put(z, z->in_buf, (size_t)got);
		from += (uint64_t)got;
		left -= (uint64_t)got;
	}
	put_directory(z, &e, old->extra, old->extra_len);
}
