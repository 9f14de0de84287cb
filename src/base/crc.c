/*
 * crc.c - the checksum of POSIX cksum.
 *
 * Eight bytes at a time by tables; long input by carry-less multiplication, which folds four
 * blocks of 16 bytes into the next four and in the end leaves one block for the tables.
 */
#include "crc.h"
#include "cpu.h"

#if CPU_X86
#include <immintrin.h>
#endif

#define POLY 0x04c11db7u

void crc_init(struct crc_table *table)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i << 24;

		for (int k = 0; k < 8; k++)
			c = c << 1 ^ (c >> 31 ? POLY : 0);
		table->t[0][i] = c;
	}
	for (int j = 1; j < 8; j++) {
		for (int i = 0; i < 256; i++) {
			uint32_t c = table->t[j - 1][i];

			table->t[j][i] = c << 8 ^ table->t[0][c >> 24];
		}
	}
}

static uint32_t by_tables(const struct crc_table *table, uint32_t crc, const uint8_t *p, size_t n)
{
	const uint32_t(*t)[256] = table->t;

	for (; n >= 8; n -= 8, p += 8) {
		uint32_t a = crc ^ ((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]);

		crc = t[7][a >> 24] ^ t[6][a >> 16 & 255] ^ t[5][a >> 8 & 255] ^ t[4][a & 255] ^ t[3][p[4]] ^
		      t[2][p[5]] ^ t[1][p[6]] ^ t[0][p[7]];
	}
	for (; n > 0; n--)
		crc = crc << 8 ^ t[0][crc >> 24 ^ *p++];
	return crc;
}

#if CPU_X86
/* x^n modulo the polynomial. */
static uint32_t power(unsigned n)
{
	uint32_t r = 1;

	while (n--)
		r = r << 1 ^ (r >> 31 ? POLY : 0);
	return r;
}

__attribute__((target("pclmul,ssse3"))) static uint32_t
by_multiplication(const struct crc_table *table, uint32_t crc, const uint8_t *p, size_t n)
{
	const __m128i swap = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __m128i by4 = _mm_set_epi64x(power(512 + 64), power(512));
	const __m128i by1 = _mm_set_epi64x(power(128 + 64), power(128));
	__m128i x[4], y;
	uint8_t last[16];

#define LOAD(i) _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * (i))), swap)
#define FOLD(v, k) _mm_xor_si128(_mm_clmulepi64_si128(v, k, 0x00), _mm_clmulepi64_si128(v, k, 0x11))
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++)
		x[i] = LOAD(i);
	x[0] = _mm_xor_si128(x[0], _mm_set_epi32((int)crc, 0, 0, 0));
	for (p += 64, n -= 64; n >= 64; p += 64, n -= 64) {
#pragma GCC unroll 4
		for (int i = 0; i < 4; i++)
			x[i] = _mm_xor_si128(FOLD(x[i], by4), LOAD(i));
	}
	y = x[0];
#pragma GCC unroll 4
	for (int i = 1; i < 4; i++)
		y = _mm_xor_si128(FOLD(y, by1), x[i]);
	_mm_storeu_si128((__m128i *)(void *)last, _mm_shuffle_epi8(y, swap));
	return by_tables(table, by_tables(table, 0, last, 16), p, n);
#undef LOAD
#undef FOLD
}
#endif

uint32_t crc_update(const struct crc_table *table, uint32_t crc, const void *ptr, size_t n)
{
#if CPU_X86
	if (n >= 256 && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3"))
		return by_multiplication(table, crc, ptr, n);
#endif
	return by_tables(table, crc, ptr, n);
}

uint32_t crc_final(const struct crc_table *table, uint32_t crc, uint64_t length)
{
	for (; length; length >>= 8) {
		uint8_t b = (uint8_t)length;

		crc = by_tables(table, crc, &b, 1);
	}
	return ~crc;
}
