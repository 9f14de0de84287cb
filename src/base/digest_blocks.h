/*
 * digest_blocks.h - the compression functions of digest.c and what they are written with.
 *
 * Layer     base; for digest.c and sha.c
 */
#ifndef NACRE_BASE_DIGEST_BLOCKS_H
#define NACRE_BASE_DIGEST_BLOCKS_H

#include "digest.h"

static inline uint32_t rol32(uint32_t x, int n) { return x << n | x >> (32 - n); }
static inline uint32_t ror32(uint32_t x, int n) { return x >> n | x << (32 - n); }
static inline uint64_t ror64(uint64_t x, int n) { return x >> n | x << (64 - n); }

static inline uint32_t get_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint32_t get_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static inline uint64_t get_be64(const uint8_t *p)
{
	return (uint64_t)get_be32(p) << 32 | get_be32(p + 4);
}

static inline uint64_t get_le64(const uint8_t *p)
{
	return (uint64_t)get_le32(p + 4) << 32 | get_le32(p);
}

/* n whole blocks at p go into the state. */
void sha1_blocks(struct digest *d, const uint8_t *p, size_t n);
void sha256_blocks(struct digest *d, const uint8_t *p, size_t n);
void sha512_blocks(struct digest *d, const uint8_t *p, size_t n);

#endif
