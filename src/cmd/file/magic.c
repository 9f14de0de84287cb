/* magic.c - binary kinds by their first bytes: a table of the plain ones, a function for each that says more. */
#include "file.h"

struct bytes {
	struct proc *p;
	const char *s;
	size_t n;
	bool regular;
	uint64_t size;
};

static unsigned le(const struct bytes *b, size_t at, int bytes)
{
	return (unsigned)file_number(b->s, b->n, at, bytes, false);
}

static unsigned be(const struct bytes *b, size_t at, int bytes)
{
	return (unsigned)file_number(b->s, b->n, at, bytes, true);
}

static bool is(const struct bytes *b, size_t at, const char *what, size_t len)
{
	return at <= b->n && b->n - at >= len && memcmp(b->s + at, what, len) == 0;
}

static const char *date(const struct bytes *b, int64_t sec)
{
	struct u_buf text;
	struct u_tm tm;

	u_buf_init(&text, b->p, 0);
	u_time_split(u_tz_get(b->p, "UTC0"), (struct sys_time){sec, 0}, &tm);
	u_time_format(&text, "%a %b %e %H:%M:%S %Y", 20, &tm);
	return text.ptr;
}

/* ---- Compressed files and archives ------------------------------------------------------- */

static const char *gzip(const struct bytes *b)
{
	static const char *const systems[] = {"FAT filesystem (MS-DOS, OS/2, NT)", "Amiga", "VMS", "Unix"};
	unsigned flags = le(b, 3, 1), system = le(b, 9, 1);
	struct u_buf t;

	u_buf_init(&t, b->p, 0);
	u_buf_puts(&t, "gzip compressed data");
	if (flags & 8) {
		size_t at = 10 + (flags & 4 ? 2 + le(b, 10, 2) : 0);
		const char *end = at < b->n ? memchr(b->s + at, '\0', MIN(b->n - at, 1024u)) : NULL;

		if (end)
			u_buf_printf(&t, ", was \"%s\"", b->s + at);
	}
	if (le(b, 4, 4))
		u_buf_printf(&t, ", last modified: %s", date(b, le(b, 4, 4)));
	if (le(b, 8, 1) == 2)
		u_buf_puts(&t, ", max compression");
	if (le(b, 8, 1) == 4)
		u_buf_puts(&t, ", max speed");
	if (system < COUNTOF(systems))
		u_buf_printf(&t, ", from %s", systems[system]);
	if (b->regular && b->size == b->n && b->n >= 18)
		u_buf_printf(&t, ", original size modulo 2^32 %u", le(b, b->n - 4, 4));
	return t.ptr;
}

static bool zip(const struct bytes *b, struct file_kind *k)
{
	static const char *const methods[] = {"store", "shrink", "reduce1", "reduce2", "reduce3", "reduce4", "implode", "7", "deflate",
					      "deflate64", "10", "11", "bzip2", "13", "lzma"};
	unsigned version = le(b, 4, 2), method = le(b, 8, 2);
	size_t name = 30;

	if (is(b, name, "mimetypeapplication/", 20)) {
		if (is(b, name + 20, "epub+zip", 8))
			*k = (struct file_kind){"EPUB document", "application/epub+zip", "epub", FILE_TAIL_NONE};
		else if (is(b, name + 20, "vnd.oasis.opendocument.text", 27))
			*k = (struct file_kind){"OpenDocument Text", "application/vnd.oasis.opendocument.text", "odt", FILE_TAIL_NONE};
		else if (is(b, name + 20, "vnd.oasis.opendocument.spreadsheet", 34))
			*k = (struct file_kind){"OpenDocument Spreadsheet", "application/vnd.oasis.opendocument.spreadsheet", "ods",
						FILE_TAIL_NONE};
		else
			return false;
		return true;
	}
	if (is(b, name, "[Content_Types].xml", 19) || is(b, name, "_rels/.rels", 11)) {
		static const struct {
			const char *dir, *text, *mime;
		} office[] = {
			{"word/", "Microsoft Word 2007+", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
			{"xl/", "Microsoft Excel 2007+", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
			{"ppt/", "Microsoft PowerPoint 2007+",
			 "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
		};

		/* The directories' names stand after the headers of the entries. */
		for (size_t i = 0; i < COUNTOF(office); i++) {
			size_t len = strlen(office[i].dir);

			for (size_t at = 30; at + 4 < MIN(b->n, 65536u); at++) {
				if (is(b, at, "PK\3\4", 4) && is(b, at + 30, office[i].dir, len)) {
					*k = (struct file_kind){office[i].text, office[i].mime, NULL, FILE_TAIL_NONE};
					return true;
				}
			}
		}
	}
	if (is(b, name + 20, "\xfe\xca", 2) || (is(b, name, "META-INF/", 9) && is(b, name + 9, "\xfe\xca", 2))) {
		*k = (struct file_kind){"Java archive data (JAR)", "application/java-archive", "jar", FILE_TAIL_NONE};
		return true;
	}
	*k = (struct file_kind){u_format(b->p, "Zip archive data, at least v%u.%u to extract, compression method=%s", version / 10, version % 10,
					 method < COUNTOF(methods) ? methods[method] : "unknown"),
				"application/zip", NULL, FILE_TAIL_NONE};
	return true;
}

/* A tar header carries the sum of its own bytes. */
static const char *tar(const struct bytes *b)
{
	uint64_t sum = 0, want = 0;
	size_t i;

	if (b->n < 512)
		return NULL;
	for (i = 0; i < 512; i++)
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)b->s[i];
	for (i = 148; i < 156 && b->s[i] == ' ';)
		i++;
	if (i == 156 || b->s[i] < '0' || b->s[i] > '7')
		return NULL;
	for (; i < 156 && b->s[i] >= '0' && b->s[i] <= '7'; i++)
		want = want * 8 + (uint64_t)(b->s[i] - '0');
	if (sum != want)
		return NULL;
	return is(b, 257, "ustar  ", 8) ? "POSIX tar archive (GNU)" : is(b, 257, "ustar", 6) ? "POSIX tar archive" : "tar archive";
}

/* ---- Pictures ----------------------------------------------------------------------------- */

static const char *png(const struct bytes *b)
{
	static const char *const colors[] = {" grayscale", NULL, "/color RGB", " colormap", " gray+alpha", NULL, "/color RGBA"};
	unsigned color = be(b, 25, 1);
	const char *name = color < COUNTOF(colors) ? colors[color] : NULL;

	return u_format(b->p, "PNG image data, %u x %u, %u-bit%s, %s", be(b, 16, 4), be(b, 20, 4), be(b, 24, 1), name ? name : "",
			be(b, 28, 1) ? "interlaced" : "non-interlaced");
}

/* The segments of a JPEG up to the frame, which tells its size. */
static void jpeg_frame(const struct bytes *b, struct u_buf *t)
{
	size_t at = 2;

	for (int i = 0; i < 256 && at + 9 < b->n && (unsigned char)b->s[at] == 0xff; i++) {
		unsigned marker = be(b, at + 1, 1);

		if (marker >= 0xc0 && marker <= 0xc2) {
			static const char *const names[] = {"baseline", "extended sequential", "progressive"};

			u_buf_printf(t, ", %s, precision %u, %ux%u, components %u", names[marker - 0xc0], be(b, at + 4, 1), be(b, at + 7, 2),
				     be(b, at + 5, 2), be(b, at + 9, 1));
			return;
		}
		at += 2 + be(b, at + 2, 2);
	}
}

static const char *jpeg(const struct bytes *b)
{
	static const char *const units[] = {"aspect ratio", "resolution (DPI)", "resolution (DPCM)"};
	struct u_buf t;

	u_buf_init(&t, b->p, 0);
	u_buf_puts(&t, "JPEG image data");
	if (is(b, 6, "JFIF", 5)) {
		u_buf_printf(&t, ", JFIF standard %u.%02u", be(b, 11, 1), be(b, 12, 1));
		if (be(b, 13, 1) < COUNTOF(units))
			u_buf_printf(&t, ", %s", units[be(b, 13, 1)]);
		u_buf_printf(&t, ", density %ux%u, segment length %u", be(b, 14, 2), be(b, 16, 2), be(b, 4, 2));
	} else if (is(b, 6, "Exif", 4)) {
		bool big = is(b, 12, "MM", 2);

		u_buf_printf(&t, ", Exif standard: [TIFF image data, %s-endian, direntries=%u]", big ? "big" : "little",
			     (unsigned)file_number(b->s, b->n, 20, 2, big));
	}
	jpeg_frame(b, &t);
	return t.ptr;
}

static const char *bmp(const struct bytes *b)
{
	unsigned dpm = le(b, 38, 4);
	struct u_buf t;

	u_buf_init(&t, b->p, 0);
	u_buf_printf(&t, "PC bitmap, Windows 3.x format, %u x %d x %u", le(b, 18, 4), (int)le(b, 22, 4), le(b, 28, 2));
	if (le(b, 34, 4))
		u_buf_printf(&t, ", image size %u", le(b, 34, 4));
	if (dpm)
		u_buf_printf(&t, ", resolution %u x %u px/m", dpm, le(b, 42, 4));
	u_buf_printf(&t, ", cbSize %u, bits offset %u", le(b, 2, 4), le(b, 10, 4));
	return t.ptr;
}

static const char *icon(const struct bytes *b)
{
	unsigned count = le(b, 4, 2);

	return u_format(b->p, "MS Windows icon resource - %u icon%s, %ux%u, %u bits/pixel", count, count == 1 ? "" : "s",
			le(b, 6, 1) ? le(b, 6, 1) : 256, le(b, 7, 1) ? le(b, 7, 1) : 256, le(b, 12, 2));
}

/* ---- Sound and databases ------------------------------------------------------------------ */

static bool riff(const struct bytes *b, struct file_kind *k)
{
	if (is(b, 8, "WAVE", 4)) {
		unsigned channels = le(b, 22, 2);

		*k = (struct file_kind){u_format(b->p, "RIFF (little-endian) data, WAVE audio%s, %u bit, %s %u Hz",
						 le(b, 20, 2) == 1 ? ", Microsoft PCM" : "", le(b, 34, 2),
						 channels == 1 ? "mono" : channels == 2 ? "stereo" : u_format(b->p, "%u channels", channels),
						 le(b, 24, 4)),
					"audio/x-wav", "wav", FILE_TAIL_NONE};
	} else if (is(b, 8, "WEBP", 4)) {
		*k = (struct file_kind){"RIFF (little-endian) data, Web/P image", "image/webp", "webp", FILE_TAIL_NONE};
	} else if (is(b, 8, "AVI ", 4)) {
		*k = (struct file_kind){"RIFF (little-endian) data, AVI", "video/x-msvideo", "avi", FILE_TAIL_NONE};
	} else {
		*k = (struct file_kind){"RIFF (little-endian) data", "application/octet-stream", NULL, FILE_TAIL_NONE};
	}
	return true;
}

static const char *sqlite(const struct bytes *b)
{
	static const char *const encodings[] = {NULL, "UTF-8", "UTF-16 little endian", "UTF-16 big endian"};
	struct u_buf t;

	u_buf_init(&t, b->p, 0);
	u_buf_puts(&t, "SQLite 3.x database");
	if (be(b, 68, 4))
		u_buf_printf(&t, ", application id %u", be(b, 68, 4));
	if (be(b, 60, 4))
		u_buf_printf(&t, ", user version %u", be(b, 60, 4));
	u_buf_printf(&t, ", last written using SQLite version %u", be(b, 96, 4));
	if (be(b, 16, 2) != 4096)
		u_buf_printf(&t, ", page size %u", be(b, 16, 2) == 1 ? 65536 : be(b, 16, 2));
	if (be(b, 18, 1) == 2)
		u_buf_puts(&t, ", writer version 2");
	if (be(b, 19, 1) == 2)
		u_buf_puts(&t, ", read version 2");
	u_buf_printf(&t, ", file counter %u, database pages %u", be(b, 24, 4), be(b, 28, 4));
	if (be(b, 36, 4))
		u_buf_printf(&t, ", 1st free page %u, free pages %u", be(b, 32, 4), be(b, 36, 4));
	u_buf_printf(&t, ", cookie 0x%x, schema %u", be(b, 40, 4), be(b, 44, 4));
	if (be(b, 48, 4))
		u_buf_printf(&t, ", cache page size %u", be(b, 48, 4));
	if (be(b, 52, 4))
		u_buf_printf(&t, ", largest root page %u", be(b, 52, 4));
	if (be(b, 56, 4) >= 1 && be(b, 56, 4) <= 3)
		u_buf_printf(&t, ", %s", encodings[be(b, 56, 4)]);
	if (be(b, 64, 4))
		u_buf_printf(&t, ", vacuum mode %u", be(b, 64, 4));
	u_buf_printf(&t, ", version-valid-for %u", be(b, 92, 4));
	return t.ptr;
}

static const char *xz(const struct bytes *b)
{
	static const struct {
		unsigned n;
		const char *name;
	} checks[] = {{0, "NONE"}, {1, "CRC32"}, {4, "CRC64"}, {10, "SHA-256"}};

	for (size_t i = 0; i < COUNTOF(checks); i++) {
		if (be(b, 7, 1) == checks[i].n)
			return u_format(b->p, "XZ compressed data, checksum %s", checks[i].name);
	}
	return "XZ compressed data";
}

static const char *media(const struct bytes *b)
{
	return is(b, 8, "isom", 4) ? "ISO Media, MP4 Base Media v1 [ISO 14496-12:2003]" :
	       is(b, 8, "mp42", 4) ? "ISO Media, MP4 v2 [ISO 14496-14]" :
	       is(b, 8, "qt  ", 4) ? "ISO Media, Apple QuickTime movie, Apple QuickTime (.MOV/QT)" :
	       is(b, 8, "M4A ", 4) ? "ISO Media, Apple iTunes ALAC/AAC-LC (.M4A) Audio" : "ISO Media";
}

/* ---- The table ---------------------------------------------------------------------------- */

static const struct {
	size_t at, n;
	const char *bytes;
	const char *text;		/* NULL: by the function */
	const char *mime, *extensions;
	const char *(*say)(const struct bytes *b);
} kinds[] = {
	{0, 2, "\037\213", NULL, "application/gzip", "gz/tgz/tpz/zabw/svgz/adz/kmy/xcfgz", gzip},
	{0, 8, "\211PNG\r\n\032\n", NULL, "image/png", "png", png},
	{0, 3, "\377\330\377", NULL, "image/jpeg", "jpeg/jpg/jpe/jfif", jpeg},
	{0, 6, "\3757zXZ\0", NULL, "application/x-xz", "xz", xz},
	{0, 16, "SQLite format 3\0", NULL, "application/vnd.sqlite3", "sqlite/sqlite3/db/db3/dbe/sdb/help", sqlite},
	{4, 4, "ftyp", NULL, "video/mp4", NULL, media},
	{0, 4, "\0\0\1\0", NULL, "image/vnd.microsoft.icon", "ico", icon},
	{0, 4, "(\265/\375", "Zstandard compressed data (v0.8+), Dictionary ID: None", "application/zstd", "zst", NULL},
	{0, 4, "PK\5\6", "Zip archive data (empty)", "application/zip", "zip/cbz", NULL},
	{0, 6, "7z\274\257'\034", NULL, "application/x-7z-compressed", "7z/cb7", NULL},
	{0, 7, "Rar!\032\7\1", "RAR archive data, v5", "application/x-rar", "rar/cbr", NULL},
	{0, 7, "Rar!\032\7\0", "RAR archive data", "application/x-rar", "rar/cbr", NULL},
	{0, 21, "!<arch>\ndebian-binary", "Debian binary package (format 2.0)", "application/vnd.debian.binary-package", "deb/udeb", NULL},
	{0, 8, "!<arch>\n", "current ar archive", "application/x-archive", "a/lib/ar", NULL},
	{0, 4, "\0asm", NULL, "application/wasm", "wasm", NULL},
	{0, 4, "II*\0", NULL, "image/tiff", "tif,tiff", NULL},
	{0, 4, "MM\0*", NULL, "image/tiff", "tif,tiff", NULL},
	{0, 4, "fLaC", NULL, "audio/flac", NULL, NULL},
	{0, 3, "ID3", NULL, "application/octet-stream", NULL, NULL},
	{0, 4, "OggS", "Ogg data", "audio/ogg", NULL, NULL},
	{0, 4, "wOFF", "Web Open Font Format", "font/woff", NULL, NULL},
	{0, 4, "wOF2", "Web Open Font Format (Version 2)", "font/woff2", NULL, NULL},
	{0, 6, "\223NUMPY", NULL, "application/octet-stream", NULL, NULL},
	{0, 8, "\211HDF\r\n\032\n", "Hierarchical Data Format (version 5) data", "application/x-hdf5", "h5/hdf5/hdf/he5", NULL},
	{0, 4, "PAR1", "Apache Parquet", "text/plain", NULL, NULL},
	{0, 4, "\312\376\272\276", NULL, "application/x-java-applet", NULL, NULL},
};

/* What a line of the table says that has neither a text nor a function. */
static const char *numbered(const struct bytes *b, size_t i)
{
	switch (kinds[i].bytes[0]) {
	case '7': return u_format(b->p, "7-zip archive data, version %u.%u", be(b, 6, 1), be(b, 7, 1));
	case '\0': return u_format(b->p, "WebAssembly (wasm) binary module version 0x%x%s", le(b, 4, 4), le(b, 4, 4) == 1 ? " (MVP)" : "");
	case 'I':
		if (kinds[i].bytes[1] == 'D')
			return u_format(b->p, "Audio file with ID3 version 2.%u.%u", be(b, 3, 1), be(b, 4, 1));
		return u_format(b->p, "TIFF image data, little-endian, direntries=%u", le(b, le(b, 4, 4), 2));
	case 'M': return u_format(b->p, "TIFF image data, big-endian, direntries=%u", be(b, be(b, 4, 4), 2));
	case 'f': {
		unsigned rate = be(b, 18, 4) >> 12, bits = (be(b, 20, 2) >> 4 & 31) + 1, channels = (be(b, 20, 1) >> 1 & 7) + 1;

		return u_format(b->p, "FLAC audio bitstream data, %u bit, %s, %u%s kHz", bits,
				channels == 1 ? "mono" : channels == 2 ? "stereo" : "multichannel", rate / 1000,
				rate % 1000 ? u_format(b->p, ".%u", rate % 1000 / 100) : "");
	}
	case '\223':
		return u_format(b->p, "NumPy array, version %u.%u, header length %u", be(b, 6, 1), be(b, 7, 1), le(b, 8, 2));
	default:
		return u_format(b->p, "compiled Java class data, version %u.%u%s", be(b, 6, 2), be(b, 4, 2),
				be(b, 6, 2) > 48 ? u_format(b->p, " (Java %s%u)", be(b, 6, 2) < 53 ? "1." : "SE ", be(b, 6, 2) - 44) : "");
	}
}

static bool more_kinds(const struct bytes *b, struct file_kind *k)
{
	const char *text = tar(b);

	if (text)
		*k = (struct file_kind){text, "application/x-tar", "tar", FILE_TAIL_NONE};
	else if (is(b, 0, "PK\3\4", 4))
		return zip(b, k);
	else if (is(b, 0, "RIFF", 4))
		return riff(b, k);
	else if (is(b, 0, "GIF8", 4))
		*k = (struct file_kind){u_format(b->p, "GIF image data, version %.3s, %u x %u", b->s + 3, le(b, 6, 2), le(b, 8, 2)), "image/gif",
					"gif", FILE_TAIL_NONE};
	else if (is(b, 0, "%PDF-", 5))
		*k = (struct file_kind){u_format(b->p, "PDF document, version %.3s", b->n > 8 ? b->s + 5 : "?.?"), "application/pdf", "pdf",
					FILE_TAIL_NONE};
	else if (is(b, 0, "BZh", 3))
		*k = (struct file_kind){u_format(b->p, "bzip2 compressed data, block size = %c00k", b->n > 3 ? b->s[3] : '?'),
					"application/x-bzip2", "bz2", FILE_TAIL_NONE};
	else if (is(b, 0, "BM", 2) && le(b, 14, 4) == 40)
		*k = (struct file_kind){bmp(b), "image/bmp", "bmp", FILE_TAIL_NONE};
	else if (is(b, 0, "MZ", 2) && is(b, le(b, 60, 4), "PE\0\0", 4))
		*k = (struct file_kind){"PE executable, for MS Windows", "application/vnd.microsoft.portable-executable", "exe/com", FILE_TAIL_NONE};
	else
		return false;
	return true;
}

bool file_binary(struct proc *p, const char *s, size_t n, bool regular, uint64_t size, struct file_kind *k)
{
	struct bytes b = {p, s, n, regular, size};

	if (file_elf(p, s, n, k) || more_kinds(&b, k) || file_archive(p, s, n, k))
		return true;
	for (size_t i = 0; i < COUNTOF(kinds); i++) {
		if (!is(&b, kinds[i].at, kinds[i].bytes, kinds[i].n))
			continue;
		*k = (struct file_kind){kinds[i].text ? kinds[i].text : kinds[i].say ? kinds[i].say(&b) : numbered(&b, i), kinds[i].mime,
					kinds[i].extensions, FILE_TAIL_NONE};
		return true;
	}
	return false;
}
