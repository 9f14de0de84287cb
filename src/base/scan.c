/*
 * scan.c - fast passes over bytes: count, find the n-th, count words, translate.
 *
 * Counting keeps one counter a byte lane and empties the lanes into wide sums before they
 * can overflow. Translation by table lookup costs about a cycle a byte; where only few of
 * the table's sixteen rows differ from the identity each such row is a 16-byte shuffle.
 */
#include "scan.h"
#include "cpu.h"

#if CPU_X86
#include <immintrin.h>
#endif

/* ---- Counting ---------------------------------------------------------------- */

static size_t count_plain(const char *p, size_t n, char c)
{
	size_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += p[i] == c;
	return total;
}

#if CPU_X86
CPU_AVX2 static size_t count_avx2(const char *p, size_t n, char c)
{
	const __m256i want = _mm256_set1_epi8(c), zero = _mm256_setzero_si256();
	__m256i sum = zero;
	uint64_t lane[4];

	while (n >= 64) {
		size_t turns = n / 64 > 255 ? 255 : n / 64;
		__m256i a = zero, b = zero;

		n -= turns * 64;
		for (; turns; turns--, p += 64) {
			__m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
			__m256i y = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));

			a = _mm256_sub_epi8(a, _mm256_cmpeq_epi8(x, want));
			b = _mm256_sub_epi8(b, _mm256_cmpeq_epi8(y, want));
		}
		sum = _mm256_add_epi64(sum, _mm256_sad_epu8(a, zero));
		sum = _mm256_add_epi64(sum, _mm256_sad_epu8(b, zero));
	}
	_mm256_storeu_si256((__m256i *)(void *)lane, sum);
	return (size_t)(lane[0] + lane[1] + lane[2] + lane[3]) + count_plain(p, n, c);
}
#endif

size_t scan_count(const char *p, size_t n, char c)
{
#if CPU_X86
	if (n >= 64 && cpu_has_avx2())
		return count_avx2(p, n, c);
#endif
	return count_plain(p, n, c);
}

#define SCAN_BLOCK 4096u

size_t scan_after(const char *p, size_t n, char c, uint64_t k, uint64_t *left)
{
	size_t at = 0;

	/* Whole blocks are only counted; the block that holds the k-th is searched. */
	while (k > 64 && n - at >= SCAN_BLOCK) {
		size_t got = scan_count(p + at, SCAN_BLOCK, c);

		if (got >= k)
			break;
		k -= got;
		at += SCAN_BLOCK;
	}
	while (k > 0) {
		const char *hit = memchr(p + at, c, n - at);

		if (!hit) {
			*left = k;
			return n;
		}
		at = (size_t)(hit - p) + 1;
		k--;
	}
	*left = 0;
	return at;
}

size_t scan_after_last(const char *p, size_t n, char c, uint64_t k, uint64_t *left)
{
	size_t end = n;

	while (k > 64 && end >= SCAN_BLOCK) {
		size_t got = scan_count(p + end - SCAN_BLOCK, SCAN_BLOCK, c);

		if (got >= k)
			break;
		k -= got;
		end -= SCAN_BLOCK;
	}
	for (;;) {
		const char *hit = memrchr(p, c, end);

		if (!hit) {
			*left = k;
			return 0;
		}
		if (--k == 0) {
			*left = 0;
			return (size_t)(hit - p) + 1;
		}
		end = (size_t)(hit - p);
	}
}

/* ---- Words ------------------------------------------------------------------- */

/* A space ends a word, a printable byte begins one; any other byte changes nothing. */
static uint64_t words_plain(const char *p, size_t n, unsigned *state)
{
	uint64_t words = 0;
	unsigned in = *state & 1;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c > 0x20 && c < 0x7f) {
			words += !in;
			in = 1;
		} else if (ascii_space(c)) {
			in = 0;
		}
	}
	*state = in;
	return words;
}

#if CPU_X86
/* 32 bytes a turn as two bit masks. Where every byte is either printable or a space a word
 * starts at each printable bit whose predecessor is not; other turns go byte by byte. */
CPU_AVX2 static uint64_t words_avx2(const char *p, size_t n, unsigned *state)
{
	const __m256i lo = _mm256_set1_epi8(0x20), hi = _mm256_set1_epi8(0x7f);
	const __m256i tab = _mm256_set1_epi8('\t' - 1), ret = _mm256_set1_epi8('\r' + 1);
	uint64_t words = 0;
	unsigned in = *state & 1;

	for (; n >= 32; n -= 32, p += 32) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
		__m256i word = _mm256_and_si256(_mm256_cmpgt_epi8(x, lo), _mm256_cmpgt_epi8(hi, x));
		__m256i gap = _mm256_and_si256(_mm256_cmpgt_epi8(x, tab), _mm256_cmpgt_epi8(ret, x));
		uint32_t w = (uint32_t)_mm256_movemask_epi8(word);
		uint32_t s = (uint32_t)_mm256_movemask_epi8(
			_mm256_or_si256(gap, _mm256_cmpeq_epi8(x, lo)));

		if (UNLIKELY((w | s) != UINT32_MAX)) {
			words += words_plain(p, 32, &in);
			continue;
		}
		words += (uint64_t)__builtin_popcount(w & ~(w << 1 | in));
		in = w >> 31;
	}
	*state = in;
	return words + words_plain(p, n, state);
}
#endif

uint64_t scan_words(const char *p, size_t n, unsigned *state)
{
#if CPU_X86
	if (n >= 32 && cpu_has_avx2())
		return words_avx2(p, n, state);
#endif
	return words_plain(p, n, state);
}

/* ---- Translation ------------------------------------------------------------- */

static void translate_plain(char *out, const char *p, size_t n, const unsigned char *map)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (char)map[(unsigned char)p[i]];
}

#if CPU_X86
#define TRANSLATE_ROWS 6 /* beyond so many shuffles a turn, the table is faster */

/* Each row of sixteen bytes that changes is kept as its difference from the identity. A
 * byte x is in row r when x ^ (r << 4) < 16; the saturating addition sets the top bit of
 * all others, for which the shuffle then gives 0: no difference. */
CPU_AVX2 static size_t translate_avx2(char *out, const char *p, size_t n, const unsigned char *map,
				      const unsigned char *rows, int nrows)
{
	const __m256i bias = _mm256_set1_epi8(0x70);
	__m256i delta[TRANSLATE_ROWS], row[TRANSLATE_ROWS];
	size_t i = 0;

	for (int k = 0; k < nrows; k++) {
		unsigned char d[16];

		for (unsigned j = 0; j < 16; j++)
			d[j] = (unsigned char)(map[rows[k] * 16u + j] ^ (rows[k] * 16u + j));
		delta[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)d));
		row[k] = _mm256_set1_epi8((char)(rows[k] << 4));
	}
	for (; n - i >= 32; i += 32) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(p + i)), y = x;

		for (int k = 0; k < nrows; k++) {
			__m256i at = _mm256_adds_epu8(_mm256_xor_si256(x, row[k]), bias);

			y = _mm256_xor_si256(y, _mm256_shuffle_epi8(delta[k], at));
		}
		_mm256_storeu_si256((__m256i *)(void *)(out + i), y);
	}
	return i;
}
#endif

void scan_translate(char *out, const char *p, size_t n, const unsigned char map[256])
{
	size_t done = 0;
#if CPU_X86
	if (n >= 512 && cpu_has_avx2()) {
		unsigned char rows[16];
		int nrows = 0;

		for (unsigned r = 0; r < 16; r++) {
			for (unsigned j = 0; j < 16; j++) {
				if (map[r * 16 + j] != r * 16 + j) {
					rows[nrows++] = (unsigned char)r;
					break;
				}
			}
		}
		if (nrows <= TRANSLATE_ROWS)
			done = translate_avx2(out, p, n, map, rows, nrows);
	}
#endif
	translate_plain(out + done, p + done, n - done, map);
}

size_t scan_ascii(const char *p, size_t n)
{
	size_t i = 0;

	for (; n - i >= 8; i += 8) {
		uint64_t x;

		memcpy(&x, p + i, 8);
		if (x & 0x8080808080808080u)
			break;
	}
	while (i < n && !(p[i] & 0x80))
		i++;
	return i;
}

size_t scan_printable(const char *p, size_t n)
{
	size_t i = 0;
#if CPU_X86
	const __m128i lo = _mm_set1_epi8(0x1f), hi = _mm_set1_epi8(0x7f);

	for (; n - i >= 16; i += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
		unsigned good = (unsigned)_mm_movemask_epi8(
			_mm_and_si128(_mm_cmpgt_epi8(x, lo), _mm_cmpgt_epi8(hi, x)));

		if (good != 0xffff)
			return i + (size_t)__builtin_ctz(~good);
	}
#endif
	while (i < n && ascii_print((unsigned char)p[i]))
		i++;
	return i;
}

uint64_t scan_sum(const char *p, size_t n)
{
	const unsigned char *b = (const unsigned char *)p;
	uint64_t sum = 0;
	size_t i = 0;
#if CPU_X86
	const __m128i zero = _mm_setzero_si128();
	__m128i wide = zero;
	uint64_t half[2];

	for (; n - i >= 16; i += 16)
		wide = _mm_add_epi64(
			wide, _mm_sad_epu8(_mm_loadu_si128((const __m128i *)(const void *)(p + i)), zero));
	_mm_storeu_si128((__m128i *)(void *)half, wide);
	sum = half[0] + half[1];
#endif
	for (; i < n; i++)
		sum += b[i];
	return sum;
}
