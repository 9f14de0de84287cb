/* archive.c - kinds of packed files, media and programs that tell their version or size in a few bytes. */
#include "file.h"

struct kind {
	size_t n;
	const char *bytes;
	const char *text, *mime, *extensions;
};

static const struct kind kinds[] = {
	{6, "070701", "ASCII cpio archive (SVR4 with no CRC)", "application/x-cpio", NULL},
	{6, "070702", "ASCII cpio archive (SVR4 with CRC)", "application/x-cpio", NULL},
	{6, "070707", "ASCII cpio archive (pre-SVR4 or odc)", "application/x-cpio", NULL},
	{2, "\307\161", "cpio archive", "application/x-cpio", NULL},
	{4, "\4\42\115\30", "LZ4 compressed data (v1.4+)", "application/x-lz4", "lz4"},
	{4, "FLV\1", "Macromedia Flash Video", "video/x-flv", NULL},
};

static unsigned number(const char *s, size_t n, size_t at, int bytes)
{
	return (unsigned)file_number(s, n, at, bytes, true);
}

static bool begins(const char *s, size_t n, const char *with, size_t len)
{
	return n >= len && memcmp(s, with, len) == 0;
}

static const char *midi(struct proc *p, const char *s, size_t n)
{
	return u_format(p, "Standard MIDI data (format %u) using %u track%s at 1/%u", number(s, n, 8, 2), number(s, n, 10, 2),
			number(s, n, 10, 2) == 1 ? "" : "s", number(s, n, 12, 2));
}

bool file_archive(struct proc *p, const char *s, size_t n, struct file_kind *k)
{
	for (size_t i = 0; i < COUNTOF(kinds); i++) {
		if (begins(s, n, kinds[i].bytes, kinds[i].n)) {
			*k = (struct file_kind){kinds[i].text, kinds[i].mime, kinds[i].extensions, FILE_TAIL_NONE};
			return true;
		}
	}
	if (begins(s, n, "\037\235", 2))
		*k = (struct file_kind){u_format(p, "compress'd data %u bits", number(s, n, 2, 1) & 31), "application/x-compress", "Z",
					FILE_TAIL_NONE};
	else if (begins(s, n, "dex\n", 4) && n > 7 && !s[7])
		*k = (struct file_kind){u_format(p, "Dalvik dex file version %.3s", s + 4), "application/octet-stream", NULL, FILE_TAIL_NONE};
	else if (begins(s, n, "LZIP", 4))
		*k = (struct file_kind){u_format(p, "lzip compressed data, version: %u", number(s, n, 4, 1)), "application/x-lzip", "lz",
					FILE_TAIL_NONE};
	else if (begins(s, n, "PACK", 4) && n >= 12)
		*k = (struct file_kind){u_format(p, "Git pack, version %u, %u objects", number(s, n, 4, 4), number(s, n, 8, 4)),
					"application/x-git", "pack", FILE_TAIL_NONE};
	else if (begins(s, n, "MThd", 4) && n >= 14)
		*k = (struct file_kind){midi(p, s, n), "audio/midi", NULL, FILE_TAIL_NONE};
	else
		return false;
	return true;
}
