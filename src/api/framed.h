/*
 * framed.h - bytes that are kept in files: a head with a name, a version, the length and a checksum.
 *
 * The checksum finds damage; it is no protection against somebody who means harm, against whom every reader checks what it
 * reads.
 *
 * Layer     api
 * Errors    a text that says what is wrong, NULL when nothing is
 */
#ifndef NACRE_API_FRAMED_H
#define NACRE_API_FRAMED_H

#include "../base/base.h"

#define FRAMED_HEAD 32u

/* Little-endian. */
static inline void framed_set(char *at, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (char)(v >> (8 * i));
}

static inline uint64_t framed_get(const char *at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)(unsigned char)at[i] << (8 * i);
	return v;
}

/* Fills in the head of `len` bytes, its own included. magic: 8 letters. */
void framed_seal(char *s, size_t len, const char *magic, uint32_t version);

enum framed_fault { FRAMED_SOUND, FRAMED_OTHER, FRAMED_VERSION, FRAMED_DAMAGED };
enum framed_fault framed_check(const char *s, size_t len, const char *magic, uint32_t version);

#endif
