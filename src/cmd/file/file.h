/*
 * file.h - the parts of file: what a file's bytes are.
 *
 * file.c reads and prints; encoding.c tells which text the bytes are; magic.c knows binary kinds by their first
 * bytes, archive.c some more, elf.c one of them in detail; source.c knows texts by what stands in them; json.c reads
 * JSON and CSV.
 * All of them work on a part of the file in memory, at most FILE_BYTES_MAX of it, and on nothing else.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_FILE_FILE_H
#define NACRE_CMD_FILE_FILE_H

#include "../cmd.h"

#define FILE_BYTES_MAX ((size_t)7 << 20)
#define FILE_TEXT_MAX 65536u /* of it are looked at to tell the encoding */

/* How the encoding follows the kind: ", ASCII text", ", ASCII text executable", or not at all. */
enum file_tail { FILE_TAIL_NONE, FILE_TAIL_TEXT, FILE_TAIL_EXECUTABLE };

struct file_kind {
	const char *text;	/* NULL: not known */
	const char *mime;
	const char *extensions;	/* "jpeg/jpg"; NULL: ??? */
	enum file_tail tail;
};

struct file_text {
	const char *name;	/* "ASCII", "ISO-8859"; NULL: not text */
	const char *charset;	/* "us-ascii"; "binary" */
	bool utf16;		/* bytes are two a character */
	bool big_endian;
	size_t start;		/* after a byte order mark */
};

struct file_text file_encoding(const char *s, size_t n);
/* ", with CRLF line terminators" and the like. */
void file_lines(struct u_buf *b, const struct file_text *t, const char *s, size_t n);

/* `regular`: all of the file is there to be looked at, size bytes long. */
bool file_binary(struct proc *p, const char *s, size_t n, bool regular, uint64_t size, struct file_kind *k);
bool file_elf(struct proc *p, const char *s, size_t n, struct file_kind *k);
bool file_archive(struct proc *p, const char *s, size_t n, struct file_kind *k);
bool file_source(struct proc *p, const char *s, size_t n, struct file_kind *k);
bool file_json(struct proc *p, const char *s, size_t n, struct file_kind *k);
bool file_csv(struct proc *p, const char *s, size_t n, struct file_kind *k);

/* Numbers in the file; 0 beyond its end. */
static inline uint64_t file_number(const char *s, size_t n, size_t at, int bytes, bool big)
{
	uint64_t v = 0;

	if (at > n || n - at < (size_t)bytes)
		return 0;
	for (int i = 0; i < bytes; i++)
		v |= (uint64_t)(unsigned char)s[at + (size_t)i] << 8 * (big ? bytes - 1 - i : i);
	return v;
}

#endif
