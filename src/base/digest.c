/*
 * digest.c - MD5, SHA-1, SHA-2, SM3 and BLAKE2b over a stream of bytes.
 *
 * All but BLAKE2b share one frame: a block buffer, a bit count appended at the end, and a
 * compression function over whole blocks. BLAKE2b differs in its end: the last block is
 * marked instead of padded. SHA-1 and SHA-2 are in sha.c.
 */
#include "digest_blocks.h"

/* ---- MD5 ----------------------------------------------------------------------------- */

/* floor(2^32 * |sin(i + 1)|) */
static const uint32_t MD5_T[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
	0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
	0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
	0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
	0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
	0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
	0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
	0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

#define MD5_STEP(f, a, b, c, d, k, i, s) (a += (f) + x[k] + MD5_T[i], a = b + rol32(a, s))
#define MD5_F(b, c, d) ((d) ^ ((b) & ((c) ^ (d))))
#define MD5_G(b, c, d) ((c) ^ ((d) & ((b) ^ (c))))
#define MD5_H(b, c, d) ((b) ^ (c) ^ (d))
#define MD5_I(b, c, d) ((c) ^ ((b) | ~(d)))
/* Four steps of round F from step i on; the message word goes up by m a step. */
#define MD5_FOUR(F, i, k, m, s0, s1, s2, s3) \
	MD5_STEP(F(b, c, d), a, b, c, d, (k) & 15, i, s0); \
	MD5_STEP(F(a, b, c), d, a, b, c, ((k) + (m)) & 15, (i) + 1, s1); \
	MD5_STEP(F(d, a, b), c, d, a, b, ((k) + 2 * (m)) & 15, (i) + 2, s2); \
	MD5_STEP(F(c, d, a), b, c, d, a, ((k) + 3 * (m)) & 15, (i) + 3, s3)

static void md5_blocks(struct digest *d0, const uint8_t *p, size_t n)
{
	uint32_t *h = d0->h.w;

	for (; n; n--, p += 64) {
		uint32_t a = h[0], b = h[1], c = h[2], d = h[3], x[16];

		for (int i = 0; i < 16; i++)
			x[i] = get_le32(p + 4 * i);
		MD5_FOUR(MD5_F, 0, 0, 1, 7, 12, 17, 22);
		MD5_FOUR(MD5_F, 4, 4, 1, 7, 12, 17, 22);
		MD5_FOUR(MD5_F, 8, 8, 1, 7, 12, 17, 22);
		MD5_FOUR(MD5_F, 12, 12, 1, 7, 12, 17, 22);
		MD5_FOUR(MD5_G, 16, 1, 5, 5, 9, 14, 20);
		MD5_FOUR(MD5_G, 20, 5, 5, 5, 9, 14, 20);
		MD5_FOUR(MD5_G, 24, 9, 5, 5, 9, 14, 20);
		MD5_FOUR(MD5_G, 28, 13, 5, 5, 9, 14, 20);
		MD5_FOUR(MD5_H, 32, 5, 3, 4, 11, 16, 23);
		MD5_FOUR(MD5_H, 36, 1, 3, 4, 11, 16, 23);
		MD5_FOUR(MD5_H, 40, 13, 3, 4, 11, 16, 23);
		MD5_FOUR(MD5_H, 44, 9, 3, 4, 11, 16, 23);
		MD5_FOUR(MD5_I, 48, 0, 7, 6, 10, 15, 21);
		MD5_FOUR(MD5_I, 52, 12, 7, 6, 10, 15, 21);
		MD5_FOUR(MD5_I, 56, 8, 7, 6, 10, 15, 21);
		MD5_FOUR(MD5_I, 60, 4, 7, 6, 10, 15, 21);
		h[0] += a;
		h[1] += b;
		h[2] += c;
		h[3] += d;
	}
}

/* The fractions of the square roots of the first sixteen primes. */
static const uint64_t SHA512_H[8] = {
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};
static const uint64_t SHA384_H[8] = {
	0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
	0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};

/* ---- SM3 ------------------------------------------------------------------------------- */

static uint32_t sm3_p0(uint32_t x) { return x ^ rol32(x, 9) ^ rol32(x, 17); }
static uint32_t sm3_p1(uint32_t x) { return x ^ rol32(x, 15) ^ rol32(x, 23); }

static void sm3_blocks(struct digest *d0, const uint8_t *p, size_t n)
{
	for (; n; n--, p += 64) {
		uint32_t w[68], v[8];

		for (int i = 0; i < 16; i++)
			w[i] = get_be32(p + 4 * i);
		for (int i = 16; i < 68; i++)
			w[i] = sm3_p1(w[i - 16] ^ w[i - 9] ^ rol32(w[i - 3], 15)) ^ rol32(w[i - 13], 7) ^
			       w[i - 6];
		memcpy(v, d0->h.w, sizeof(v));
		for (int i = 0; i < 64; i++) {
			uint32_t t = i < 16 ? 0x79cc4519u : 0x7a879d8au, a = v[0], b = v[1], c = v[2];
			uint32_t e = v[4], f = v[5], g = v[6];
			uint32_t turned = i % 32 ? rol32(t, i % 32) : t;
			uint32_t s1 = rol32(rol32(a, 12) + e + turned, 7), s2 = s1 ^ rol32(a, 12);
			uint32_t ff = i < 16 ? a ^ b ^ c : (a & b) | (a & c) | (b & c);
			uint32_t gg = i < 16 ? e ^ f ^ g : (e & f) | (~e & g);
			uint32_t t1 = ff + v[3] + s2 + (w[i] ^ w[i + 4]), t2 = gg + v[7] + s1 + w[i];

			v[3] = c, v[2] = rol32(b, 9), v[1] = a, v[0] = t1;
			v[7] = g, v[6] = rol32(f, 19), v[5] = e, v[4] = sm3_p0(t2);
		}
		for (int i = 0; i < 8; i++)
			d0->h.w[i] ^= v[i];
	}
}

/* ---- BLAKE2b -------------------------------------------------------------------------------- */

static const uint8_t BLAKE_SIGMA[10][16] = {
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

#define BLAKE_G(a, b, c, d, x, y) \
	do { \
		a += b + (x), d = ror64(d ^ a, 32), c += d, b = ror64(b ^ c, 24); \
		a += b + (y), d = ror64(d ^ a, 16), c += d, b = ror64(b ^ c, 63); \
	} while (0)

/* One block; `size` is the number of message bytes up to its end. */
static void blake_block(struct digest *d, const uint8_t *p, uint64_t size, bool last)
{
	uint64_t m[16], v[16];

	for (int i = 0; i < 16; i++)
		m[i] = get_le64(p + 8 * i);
	for (int i = 0; i < 8; i++) {
		v[i] = d->h.q[i];
		v[i + 8] = SHA512_H[i];
	}
	v[12] ^= size;
	if (last)
		v[14] = ~v[14];
#pragma GCC unroll 12
	for (int r = 0; r < 12; r++) {
		const uint8_t *s = BLAKE_SIGMA[r % 10];

		BLAKE_G(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
		BLAKE_G(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
		BLAKE_G(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
		BLAKE_G(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
		BLAKE_G(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
		BLAKE_G(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
		BLAKE_G(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
		BLAKE_G(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
	}
	for (int i = 0; i < 8; i++)
		d->h.q[i] ^= v[i] ^ v[i + 8];
}

/* ---- The frame -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint8_t block, size;
} KINDS[] = {
	[DIGEST_MD5] = {"MD5", 64, 16},	     [DIGEST_SHA1] = {"SHA1", 64, 20},
	[DIGEST_SHA224] = {"SHA224", 64, 28}, [DIGEST_SHA256] = {"SHA256", 64, 32},
	[DIGEST_SHA384] = {"SHA384", 128, 48}, [DIGEST_SHA512] = {"SHA512", 128, 64},
	[DIGEST_BLAKE2B] = {"BLAKE2b", 128, 64}, [DIGEST_SM3] = {"SM3", 64, 32},
};

const char *digest_name(enum digest_kind k)
{
	return KINDS[k].name;
}

size_t digest_size(enum digest_kind k)
{
	return KINDS[k].size;
}

void digest_init(struct digest *d, enum digest_kind k, size_t size)
{
	static const uint32_t first[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

	static const uint32_t sm3[8] = {0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600,
					0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e};

	memset(d, 0, sizeof(*d));
	d->kind = k;
	d->size = size ? size : KINDS[k].size;
	switch (k) {
	case DIGEST_MD5:
	case DIGEST_SHA1: memcpy(d->h.w, first, sizeof(first)); break;
	case DIGEST_SHA224:
		for (int i = 0; i < 8; i++)
			d->h.w[i] = (uint32_t)SHA384_H[i];
		break;
	case DIGEST_SHA256:
		for (int i = 0; i < 8; i++)
			d->h.w[i] = (uint32_t)(SHA512_H[i] >> 32);
		break;
	case DIGEST_SHA384: memcpy(d->h.q, SHA384_H, sizeof(SHA384_H)); break;
	case DIGEST_SHA512: memcpy(d->h.q, SHA512_H, sizeof(SHA512_H)); break;
	case DIGEST_BLAKE2B:
		memcpy(d->h.q, SHA512_H, sizeof(SHA512_H));
		d->h.q[0] ^= 0x01010000u ^ d->size;
		break;
	case DIGEST_SM3: memcpy(d->h.w, sm3, sizeof(sm3)); break;
	}
}

/* n whole blocks. */
static void blocks(struct digest *d, const uint8_t *p, size_t n)
{
	switch (d->kind) {
	case DIGEST_MD5: md5_blocks(d, p, n); break;
	case DIGEST_SHA1: sha1_blocks(d, p, n); break;
	case DIGEST_SHA224:
	case DIGEST_SHA256: sha256_blocks(d, p, n); break;
	case DIGEST_SHA384:
	case DIGEST_SHA512: sha512_blocks(d, p, n); break;
	case DIGEST_BLAKE2B:
		for (; n; n--, p += 128)
			blake_block(d, p, d->done += 128, false);
		break;
	case DIGEST_SM3: sm3_blocks(d, p, n); break;
	}
}

void digest_update(struct digest *d, const void *ptr, size_t n)
{
	size_t block = KINDS[d->kind].block, whole;
	/* BLAKE2b must not take the last block before it knows that it is the last one. */
	size_t keep = d->kind == DIGEST_BLAKE2B;
	const uint8_t *p = ptr;

	d->total += n;
	if (d->held > 0) {
		size_t take = MIN(n, block - d->held);

		memcpy(d->buf + d->held, p, take);
		d->held += take;
		p += take;
		n -= take;
		if (d->held < block || (keep && n == 0))
			return;
		blocks(d, d->buf, 1);
		d->held = 0;
	}
	whole = n > keep ? (n - keep) / block : 0;
	blocks(d, p, whole);
	d->held = n - whole * block;
	if (d->held)
		memcpy(d->buf, p + whole * block, d->held);
}

static void put_be(uint8_t *out, uint64_t v, size_t n)
{
	while (n-- > 0) {
		out[n] = (uint8_t)v;
		v >>= 8;
	}
}

static void put_le(uint8_t *out, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++, v >>= 8)
		out[i] = (uint8_t)v;
}

/* A one bit, zeros, and the length in bits at the end of a block. */
static void pad(struct digest *d)
{
	size_t block = KINDS[d->kind].block, length = block / 8;
	uint64_t bits = d->total * 8;

	d->buf[d->held++] = 0x80;
	if (d->held > block - length) {
		memset(d->buf + d->held, 0, block - d->held);
		blocks(d, d->buf, 1);
		d->held = 0;
	}
	memset(d->buf + d->held, 0, block - d->held);
	if (d->kind == DIGEST_MD5) {
		put_le(d->buf + block - 8, bits, 8);
	} else {
		put_be(d->buf + block - 8, bits, 8);
		if (block == 128)
			put_be(d->buf + block - 16, d->total >> 61, 8);
	}
	blocks(d, d->buf, 1);
}

void digest_final(struct digest *d, uint8_t *out)
{
	uint8_t all[64];

	if (d->kind == DIGEST_BLAKE2B) {
		memset(d->buf + d->held, 0, 128 - d->held);
		blake_block(d, d->buf, d->done + d->held, true);
	} else {
		pad(d);
	}
	for (size_t i = 0; i < 8; i++) {
		switch (d->kind) {
		case DIGEST_MD5: put_le(all + 4 * i, d->h.w[i], 4); break;
		case DIGEST_BLAKE2B: put_le(all + 8 * i, d->h.q[i], 8); break;
		case DIGEST_SHA384:
		case DIGEST_SHA512: put_be(all + 8 * i, d->h.q[i], 8); break;
		default: put_be(all + 4 * i, d->h.w[i], 4); break;
		}
	}
	memcpy(out, all, d->size);
}
