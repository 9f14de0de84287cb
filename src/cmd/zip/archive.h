/*
 * archive.h - zip archives: the central directory, and the data of entries. What zip and unzip share.
 *
 * The archive is untrusted. Sizes and offsets are held against the file before anything is read, entries must not overlap
 * (bombs are made of that), and data may not become more than the directory says.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_ZIP_ARCHIVE_H
#define NACRE_CMD_ZIP_ARCHIVE_H

#include "../cmd.h"
#include "../../codec/codec.h"

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8, ZIP_BZIP2 = 12 };
enum { ZIP_ENCRYPTED = 1, ZIP_DESCRIPTOR = 8, ZIP_UTF8 = 0x800 };

struct zip_entry {
	const char *name;
	uint16_t made_by, needed, flags, method, time, date, internal;
	uint32_t crc, external;
	uint64_t packed, size, offset;
	struct sys_time mtime;
	const unsigned char *extra;	/* of the central directory */
	uint16_t extra_len;
	const char *comment;
	bool is_dir;
};

struct zip_archive {
	struct proc *p;
	int fd;
	const char *path;
	uint64_t file_size;
	uint64_t shift;		/* bytes in front of the archive */
	uint64_t directory;	/* where the central directory begins */
	struct zip_entry *v;
	size_t n;
	struct str comment;
	char *buf;		/* for data, made when it is needed */
};

enum zip_status { ZIP_OK, ZIP_NO_DIRECTORY, ZIP_DAMAGED, ZIP_OVERLAP, ZIP_TOO_BIG };

/* Reads the directory of the open file. enum zip_status. */
int zip_read_directory(struct zip_archive *z) MAY_SUSPEND;

/* Where the entry's data begins; 0 when its local header is not there. */
uint64_t zip_data_start(struct zip_archive *z, const struct zip_entry *e) MAY_SUSPEND;

/* The data, unpacked, to `fd` (-1: nowhere). CODEC_END, a codec_result or -100 with *err for a failed write. */
#define ZIP_WRITE_FAILED (-100)
int zip_unpack(struct zip_archive *z, struct codec *codec, const struct zip_entry *e, int fd, uint32_t *crc, int *err) MAY_SUSPEND;

/* MS-DOS's date and time. */
struct sys_time zip_from_dos(const struct u_tz *tz, uint16_t date, uint16_t time);
void zip_to_dos(const struct u_tz *tz, struct sys_time t, uint16_t *date, uint16_t *time);

/* How much was saved, as Info-ZIP rounds it. */
int zip_percent(uint64_t size, uint64_t packed);

static inline uint16_t zip_u16(const unsigned char *s)
{
	return (uint16_t)(s[0] | s[1] << 8);
}

static inline uint32_t zip_u32(const unsigned char *s)
{
	return (uint32_t)zip_u16(s) | (uint32_t)zip_u16(s + 2) << 16;
}

static inline uint64_t zip_u64(const unsigned char *s)
{
	return (uint64_t)zip_u32(s) | (uint64_t)zip_u32(s + 4) << 32;
}

#endif
