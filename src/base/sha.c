/*
 * sha.c - the compression functions of SHA-1 and SHA-2, with the processor's own instructions where it has
 * them.
 */
#include "digest_blocks.h"
#include "cpu.h"

#if CPU_X86
#include <cpuid.h>
#include <immintrin.h>
#endif

/* ---- SHA-1 ------------------------------------------------------------------------------ */

/* One round; the names turn from round to round instead of the values. */
#define SHA1_ROUND(a, b, c, d, e, f, k, i) (e += rol32(a, 5) + (f) + (k) + w[i], b = rol32(b, 30))
#define SHA1_CH(b, c, d) ((d) ^ ((b) & ((c) ^ (d))))
#define SHA1_PARITY(b, c, d) ((b) ^ (c) ^ (d))
#define SHA1_MAJ(b, c, d) (((b) & (c)) | ((d) & ((b) | (c))))
#define SHA1_FIVE(F, k, i) \
	SHA1_ROUND(a, b, c, d, e, F(b, c, d), k, i); \
	SHA1_ROUND(e, a, b, c, d, F(a, b, c), k, (i) + 1); \
	SHA1_ROUND(d, e, a, b, c, F(e, a, b), k, (i) + 2); \
	SHA1_ROUND(c, d, e, a, b, F(d, e, a), k, (i) + 3); \
	SHA1_ROUND(b, c, d, e, a, F(c, d, e), k, (i) + 4)

static void sha1_plain(struct digest *d0, const uint8_t *p, size_t n)
{
	uint32_t *h = d0->h.w;

	for (; n; n--, p += 64) {
		uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], w[80];

		for (int i = 0; i < 16; i++)
			w[i] = get_be32(p + 4 * i);
		for (int i = 16; i < 80; i++)
			w[i] = rol32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
		for (int i = 0; i < 20; i += 5) {
			SHA1_FIVE(SHA1_CH, 0x5a827999u, i);
		}
		for (int i = 20; i < 40; i += 5) {
			SHA1_FIVE(SHA1_PARITY, 0x6ed9eba1u, i);
		}
		for (int i = 40; i < 60; i += 5) {
			SHA1_FIVE(SHA1_MAJ, 0x8f1bbcdcu, i);
		}
		for (int i = 60; i < 80; i += 5) {
			SHA1_FIVE(SHA1_PARITY, 0xca62c1d6u, i);
		}
		h[0] += a;
		h[1] += b;
		h[2] += c;
		h[3] += d;
		h[4] += e;
	}
}

#if CPU_X86
/* Four rounds at a time; the word for them is made from the four before. */
#define SHA1_GROUP(i, k) \
	do { \
		__m128i *w = &m[(i) & 3]; \
		if ((i) >= 4) \
			*w = _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(*w, m[((i) + 1) & 3]), \
							      m[((i) + 2) & 3]), \
						m[((i) + 3) & 3]); \
		e = (i) == 0 ? _mm_add_epi32(e, *w) : _mm_sha1nexte_epu32(last, *w); \
		last = abcd; \
		abcd = _mm_sha1rnds4_epu32(abcd, e, k); \
	} while (0)

__attribute__((target("sha,sse4.1,ssse3"))) static void sha1_ni(struct digest *d, const uint8_t *p,
								 size_t n)
{
	const __m128i swap = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
	uint32_t *h = d->h.w;
	__m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)h), 0x1b);
	__m128i e0 = _mm_set_epi32((int)h[4], 0, 0, 0);

	for (; n; n--, p += 64) {
		__m128i m[4], e = e0, last = abcd, start = abcd;

		for (int i = 0; i < 4; i++)
			m[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)),
						swap);
		SHA1_GROUP(0, 0);
		SHA1_GROUP(1, 0);
		SHA1_GROUP(2, 0);
		SHA1_GROUP(3, 0);
		SHA1_GROUP(4, 0);
		SHA1_GROUP(5, 1);
		SHA1_GROUP(6, 1);
		SHA1_GROUP(7, 1);
		SHA1_GROUP(8, 1);
		SHA1_GROUP(9, 1);
		SHA1_GROUP(10, 2);
		SHA1_GROUP(11, 2);
		SHA1_GROUP(12, 2);
		SHA1_GROUP(13, 2);
		SHA1_GROUP(14, 2);
		SHA1_GROUP(15, 3);
		SHA1_GROUP(16, 3);
		SHA1_GROUP(17, 3);
		SHA1_GROUP(18, 3);
		SHA1_GROUP(19, 3);
		e0 = _mm_sha1nexte_epu32(last, e0);
		abcd = _mm_add_epi32(abcd, start);
	}
	_mm_storeu_si128((__m128i *)(void *)h, _mm_shuffle_epi32(abcd, 0x1b));
	h[4] = (uint32_t)_mm_extract_epi32(e0, 3);
}

/* cpuid may be slow in a virtual machine: asked for long input only. */
static bool has_sha(void)
{
	unsigned a, b, c, d;

	return cpu_has_avx2() && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
}
#endif

static bool use_sha(struct digest *d, size_t n)
{
#if CPU_X86
	if (n >= 64 && !d->asked_cpu) {
		d->asked_cpu = true;
		d->has_sha = has_sha();
	}
#else
	(void)n;
#endif
	return d->has_sha;
}

void sha1_blocks(struct digest *d, const uint8_t *p, size_t n)
{
#if CPU_X86
	if (use_sha(d, n)) {
		sha1_ni(d, p, n);
		return;
	}
#endif
	sha1_plain(d, p, n);
}

/* ---- SHA-2 ------------------------------------------------------------------------------ */

/* The fractions of the cube roots of the first primes. */
static const uint32_t SHA256_K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static void sha256_plain(struct digest *d0, const uint8_t *p, size_t n)
{
	for (; n; n--, p += 64) {
		uint32_t w[64], v[8];

		for (int i = 0; i < 16; i++)
			w[i] = get_be32(p + 4 * i);
		for (int i = 16; i < 64; i++) {
			uint32_t s0 = ror32(w[i - 15], 7) ^ ror32(w[i - 15], 18) ^ w[i - 15] >> 3;
			uint32_t s1 = ror32(w[i - 2], 17) ^ ror32(w[i - 2], 19) ^ w[i - 2] >> 10;

			w[i] = w[i - 16] + s0 + w[i - 7] + s1;
		}
		memcpy(v, d0->h.w, sizeof(v));
		for (int i = 0; i < 64; i++) {
			uint32_t s1 = ror32(v[4], 6) ^ ror32(v[4], 11) ^ ror32(v[4], 25);
			uint32_t s0 = ror32(v[0], 2) ^ ror32(v[0], 13) ^ ror32(v[0], 22);
			uint32_t t1 = v[7] + s1 + (v[6] ^ (v[4] & (v[5] ^ v[6]))) + SHA256_K[i] + w[i];
			uint32_t t2 = s0 + ((v[0] & v[1]) | (v[2] & (v[0] | v[1])));

			v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1;
			v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + t2;
		}
		for (int i = 0; i < 8; i++)
			d0->h.w[i] += v[i];
	}
}

#if CPU_X86
/* The instructions keep the state as two registers, ABEF and CDGH, and do two rounds at a time. */
__attribute__((target("sha,sse4.1,ssse3"))) static void sha256_ni(struct digest *d, const uint8_t *p,
								   size_t n)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i *h = (__m128i *)(void *)d->h.w;
	__m128i lo = _mm_shuffle_epi32(_mm_loadu_si128(h), 0xb1);
	__m128i hi = _mm_shuffle_epi32(_mm_loadu_si128(h + 1), 0x1b);
	__m128i abef = _mm_alignr_epi8(lo, hi, 8), cdgh = _mm_blend_epi16(hi, lo, 0xf0);

	for (; n; n--, p += 64) {
		__m128i a = abef, c = cdgh, m[4];

		for (int i = 0; i < 4; i++)
			m[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)),
						swap);
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++) {
			__m128i w = m[i & 3];
			__m128i k = _mm_add_epi32(
				w, _mm_loadu_si128((const __m128i *)(const void *)(SHA256_K + 4 * i)));

			c = _mm_sha256rnds2_epu32(c, a, k);
			a = _mm_sha256rnds2_epu32(a, c, _mm_shuffle_epi32(k, 0x0e));
			if (i < 12) {
				__m128i x = _mm_sha256msg1_epu32(w, m[(i + 1) & 3]);

				x = _mm_add_epi32(x, _mm_alignr_epi8(m[(i + 3) & 3], m[(i + 2) & 3], 4));
				m[i & 3] = _mm_sha256msg2_epu32(x, m[(i + 3) & 3]);
			}
		}
		abef = _mm_add_epi32(abef, a);
		cdgh = _mm_add_epi32(cdgh, c);
	}
	lo = _mm_shuffle_epi32(abef, 0x1b);
	hi = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128(h, _mm_blend_epi16(lo, hi, 0xf0));
	_mm_storeu_si128(h + 1, _mm_alignr_epi8(hi, lo, 8));
}
#endif

void sha256_blocks(struct digest *d, const uint8_t *p, size_t n)
{
#if CPU_X86
	if (use_sha(d, n)) {
		sha256_ni(d, p, n);
		return;
	}
#endif
	sha256_plain(d, p, n);
}

static const uint64_t SHA512_K[80] = {
	0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
	0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
	0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
	0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
	0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
	0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
	0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
	0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
	0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
	0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
	0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
	0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
	0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
	0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
	0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
	0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
	0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
	0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
	0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
	0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

void sha512_blocks(struct digest *d0, const uint8_t *p, size_t n)
{
	for (; n; n--, p += 128) {
		uint64_t w[80], v[8];

		for (int i = 0; i < 16; i++)
			w[i] = get_be64(p + 8 * i);
		for (int i = 16; i < 80; i++) {
			uint64_t s0 = ror64(w[i - 15], 1) ^ ror64(w[i - 15], 8) ^ w[i - 15] >> 7;
			uint64_t s1 = ror64(w[i - 2], 19) ^ ror64(w[i - 2], 61) ^ w[i - 2] >> 6;

			w[i] = w[i - 16] + s0 + w[i - 7] + s1;
		}
		memcpy(v, d0->h.q, sizeof(v));
		for (int i = 0; i < 80; i++) {
			uint64_t s1 = ror64(v[4], 14) ^ ror64(v[4], 18) ^ ror64(v[4], 41);
			uint64_t s0 = ror64(v[0], 28) ^ ror64(v[0], 34) ^ ror64(v[0], 39);
			uint64_t t1 = v[7] + s1 + (v[6] ^ (v[4] & (v[5] ^ v[6]))) + SHA512_K[i] + w[i];
			uint64_t t2 = s0 + ((v[0] & v[1]) | (v[2] & (v[0] | v[1])));

			v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1;
			v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + t2;
		}
		for (int i = 0; i < 8; i++)
			d0->h.q[i] += v[i];
	}
}
