/*
 * iconv.h - what the rooms of iconv share: charsets, their tables, one character in, one character out.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_ICONV_ICONV_H
#define NACRE_CMD_ICONV_ICONV_H

#include "../cmd.h"

/* Without LE or BE: the byte order of a mark at the beginning, little otherwise; UCS2, and UCS4, are what they are. */
enum iconv_kind {
	ICONV_ASCII, ICONV_UTF8, ICONV_UTF16, ICONV_UTF16LE, ICONV_UTF16BE, ICONV_UTF32, ICONV_UTF32LE, ICONV_UTF32BE,
	ICONV_UCS2, ICONV_UCS2LE, ICONV_UCS2BE, ICONV_UCS4, ICONV_UCS4LE, ICONV_UCS4BE, ICONV_UNICODE, ICONV_WCHAR, ICONV_SINGLE
};

/* A character and a mark that is written after it are read as one; mark 0: `whole` is written as `first`. */
struct iconv_pair {
	uint16_t whole, first, mark;
};

struct iconv_charset {
	const char *name;
	enum iconv_kind kind;
	const uint16_t *upper;	/* ICONV_SINGLE: of the bytes from 0x80 on; 0: none */
	const struct iconv_pair *pairs;
	size_t npairs;
};

struct iconv_alias {
	const char *name;
	int charset;
};

/* By character; those of one in the order of preference. */
struct iconv_translit {
	uint32_t character;
	uint16_t at;
	uint16_t len;		/* in iconv_translit_text */
};

extern const struct iconv_charset iconv_charsets[];
extern const struct iconv_alias iconv_aliases[];
extern const size_t iconv_naliases;
extern const struct iconv_translit iconv_translits[];
extern const size_t iconv_ntranslits;
extern const uint16_t iconv_translit_text[];

/* ---- One character (code.c) ------------------------------------------------------------- */

#define ICONV_LONGEST 16	/* bytes that one character can take */

struct iconv_code {
	const struct iconv_charset *set;
	bool big;		/* the order of bytes in force */
	unsigned char *byte_of;	/* ICONV_SINGLE, of characters below 0x10000; 0: none */
};

enum iconv_result { ICONV_DONE, ICONV_ILLEGAL, ICONV_CUT };

void iconv_code_init(struct iconv_code *c, struct proc *p, const struct iconv_charset *set, bool writes);
/* The character at s: *used bytes; with ICONV_ILLEGAL so many are to be left out. */
enum iconv_result iconv_read(const struct iconv_code *c, const unsigned char *s, size_t n, uint32_t *ch, size_t *used);
/* A mark of the byte order at the beginning: its length, and the order is in force. */
size_t iconv_read_mark(struct iconv_code *c, const unsigned char *s, size_t n);
/* The bytes of a character, 0 where there are none. */
size_t iconv_write(const struct iconv_code *c, uint32_t ch, unsigned char out[ICONV_LONGEST]);
/* The mark that a text begins with, if any. */
size_t iconv_write_mark(const struct iconv_code *c, unsigned char out[ICONV_LONGEST]);
/* Whether a mark may follow that makes another character of it. */
bool iconv_waits(const struct iconv_charset *set, uint32_t ch);
/* The character that `first` and a mark are together, 0: they are two. */
uint32_t iconv_join(const struct iconv_charset *set, uint32_t first, uint32_t mark);

#endif
