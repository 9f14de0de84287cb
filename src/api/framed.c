/* framed.c - bytes that are kept in files: a head with a name, a version, the length and a checksum. */
#include "framed.h"

/* Eight bytes at a time; every bit counts. */
static uint64_t checksum(const char *s, size_t n)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ n;

	while (n > 0) {
		unsigned part = (unsigned)MIN(n, (size_t)8);

		h = (h ^ framed_get(s, part)) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
		s += part;
		n -= part;
	}
	return h;
}

void framed_seal(char *s, size_t len, const char *magic, uint32_t version)
{
	memcpy(s, magic, 8);
	framed_set(s + 8, version, 4);
	framed_set(s + 12, 0, 4);
	framed_set(s + 16, len, 8);
	framed_set(s + 24, checksum(s + FRAMED_HEAD, len - FRAMED_HEAD), 8);
}

enum framed_fault framed_check(const char *s, size_t len, const char *magic, uint32_t version)
{
	if (len < FRAMED_HEAD || memcmp(s, magic, 8) != 0)
		return FRAMED_OTHER;
	if (framed_get(s + 8, 4) != version)
		return FRAMED_VERSION;
	return framed_get(s + 12, 4) != 0 || framed_get(s + 16, 8) != len ||
	                       framed_get(s + 24, 8) != checksum(s + FRAMED_HEAD, len - FRAMED_HEAD)
	               ? FRAMED_DAMAGED
	               : FRAMED_SOUND;
}
