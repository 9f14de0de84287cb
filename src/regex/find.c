/*
 * find.c - fast searches for a byte of a set, a string, or one of a few strings.
 *
 * A string is looked for by its two rarest bytes at once, a few strings by their first
 * bytes, each looked up by both nibbles in 16-entry tables; a candidate is then compared
 * in full. The AVX2 variants test 32 places at a time; without AVX2 the rarest byte is left
 * to memchr.
 */
#include "find.h"

#include "../base/cpu.h"

#if CPU_X86
#include <immintrin.h>
#endif

unsigned byte_frequency(unsigned char c)
{
	/* log files, source code and prose, most common first */
	static const char common[] = " etaoinsr0l1d2hcu53m4:.9-687p,/gfy=bw\"T_v()kEISAxRNPCDOMLq";
	const char *at = c ? strchr(common, c) : NULL;

	if (c == '\n')
		return 220;
	if (at)
		return 250 - 3 * (unsigned)(at - common);
	if (c >= 0x80)
		return 50;
	return ascii_print(c) ? 40 : 20;
}

/* ---- Bytes of a set ---------------------------------------------------- */

void byteclass_init(struct byteclass *c, const struct byteset *s)
{
	memset(c, 0, sizeof(*c));
	c->set = *s;
	for (unsigned b = byteset_next(s, 0); b < 256; b = byteset_next(s, b + 1)) {
		c->n++;
		c->only = (unsigned char)b;
		if (b >= 0x80) {
			c->has_high = true;
			continue;
		}
		c->lo[b & 15] |= (unsigned char)(1u << (b >> 4));
		c->hi[b >> 4] = (unsigned char)(1u << (b >> 4));
	}
}

#if CPU_X86
CPU_AVX2 static inline __m256i table(const unsigned char *t)
{
	return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)t));
}

CPU_AVX2 static inline __m256i load(const unsigned char *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

/* Bits of the bytes whose nibbles agree in the two tables. */
CPU_AVX2 static inline __m256i both_nibbles(__m256i lo, __m256i hi, __m256i v)
{
	const __m256i m15 = _mm256_set1_epi8(15);

	return _mm256_and_si256(
	        _mm256_shuffle_epi8(lo, _mm256_and_si256(v, m15)),
	        _mm256_shuffle_epi8(hi, _mm256_and_si256(_mm256_srli_epi16(v, 4), m15)));
}

CPU_AVX2 static const unsigned char *class_avx2(const struct byteclass *c, const unsigned char *p,
                                                const unsigned char *end)
{
	const __m256i lo = table(c->lo), hi = table(c->hi), zero = _mm256_setzero_si256();
	const uint32_t high = c->has_high ? ~(uint32_t)0 : 0;

	for (; end - p >= 32; p += 32) {
		__m256i v = load(p);
		uint32_t m = ~(uint32_t)_mm256_movemask_epi8(
		        _mm256_cmpeq_epi8(both_nibbles(lo, hi, v), zero));

		m |= (uint32_t)_mm256_movemask_epi8(v) & high;
		for (; m; m &= m - 1) {
			const unsigned char *q = p + __builtin_ctz(m);

			if (!high || byteset_has(&c->set, *q))
				return q;
		}
	}
	while (p < end && !byteset_has(&c->set, *p))
		p++;
	return p;
}
#endif

const unsigned char *byteclass_find(const struct byteclass *c, const unsigned char *p,
                                    const unsigned char *end)
{
	if (c->n == 1) {
		const unsigned char *q = p < end ? memchr(p, c->only, (size_t)(end - p)) : NULL;

		return q ? q : end;
	}
#if CPU_X86
	if (end - p >= 32 && cpu_has_avx2())
		return class_avx2(c, p, end);
#endif
	while (p < end && !byteset_has(&c->set, *p))
		p++;
	return p;
}

/* ---- Strings ----------------------------------------------------------- */

static void choose_rare(struct needle *d)
{
	unsigned r = 0, r2;

	for (unsigned i = 1; i < d->len; i++)
		if (byte_frequency(d->s[i]) < byte_frequency(d->s[r]))
			r = i;
	r2 = r ? 0 : d->len - 1u;
	for (unsigned i = 0; i < d->len; i++)
		if (i != r && (r2 == r || byte_frequency(d->s[i]) < byte_frequency(d->s[r2])))
			r2 = i;
	d->rare = (unsigned char)r;
	d->rare2 = (unsigned char)r2;
}

static void add_filter(struct finder *f, unsigned column, unsigned char c, unsigned bit)
{
	f->lo[column][c & 15] |= (unsigned char)bit;
	f->hi[column][c >> 4] |= (unsigned char)bit;
}

void finder_init(struct finder *f, const struct str *s, unsigned n, bool fold)
{
	memset(f, 0, sizeof(*f));
	f->n = n;
	f->is_folded = fold;
	f->shortest = FIND_BYTES;
	for (unsigned i = 0; i < n; i++) {
		struct needle *d = &f->needle[i];

		d->len = (unsigned char)s[i].len;
		memcpy(d->s, s[i].ptr, s[i].len);
		for (unsigned j = 0; j < d->len; j++)
			d->fold[j] = fold && ascii_lower(d->s[j]) ? 0x20 : 0;
		f->shortest = MIN(f->shortest, d->len);
		choose_rare(d);
	}
	f->width = MIN(f->shortest, 3);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < f->width; k++) {
			const struct needle *d = &f->needle[i];

			add_filter(f, k, d->s[k], 1u << (i & 7));
			if (d->fold[k])
				add_filter(f, k, d->s[k] ^ 0x20, 1u << (i & 7));
		}
}

static inline bool is_at(const struct needle *d, bool fold, const unsigned char *p)
{
	if (!fold)
		return memcmp(p, d->s, d->len) == 0;
	for (unsigned i = 0; i < d->len; i++)
		if ((p[i] | d->fold[i]) != d->s[i])
			return false;
	return true;
}

static const unsigned char *any_at(const struct finder *f, const unsigned char *p,
                                   const unsigned char *end, unsigned *which)
{
	for (unsigned i = 0; i < f->n; i++)
		if ((size_t)(end - p) >= f->needle[i].len &&
		    is_at(&f->needle[i], f->is_folded, p)) {
			*which = i;
			return p;
		}
	return NULL;
}

size_t finder_longest_at(const struct finder *f, const unsigned char *p, const unsigned char *end)
{
	size_t best = 0;

	for (unsigned i = 0; i < f->n; i++) {
		const struct needle *d = &f->needle[i];

		if (d->len > best && (size_t)(end - p) >= d->len && is_at(d, f->is_folded, p))
			best = d->len;
	}
	return best;
}

#if CPU_X86
CPU_AVX2 static const unsigned char *one_avx2(const struct needle *d, bool fold,
                                              const unsigned char *p, const unsigned char *end)
{
	const unsigned char *last = end - d->len;
	const __m256i c1 = _mm256_set1_epi8((char)d->s[d->rare]);
	const __m256i c2 = _mm256_set1_epi8((char)d->s[d->rare2]);
	const __m256i f1 = _mm256_set1_epi8((char)d->fold[d->rare]);
	const __m256i f2 = _mm256_set1_epi8((char)d->fold[d->rare2]);
	const unsigned char *p1 = p + d->rare, *p2 = p + d->rare2;
	size_t i = 0, n = (size_t)(last - p) + 1; /* places to look at */

	for (; i + 64 <= n; i += 64) {
		__m256i a = _mm256_and_si256(
		        _mm256_cmpeq_epi8(_mm256_or_si256(load(p1 + i), f1), c1),
		        _mm256_cmpeq_epi8(_mm256_or_si256(load(p2 + i), f2), c2));
		__m256i b = _mm256_and_si256(
		        _mm256_cmpeq_epi8(_mm256_or_si256(load(p1 + i + 32), f1), c1),
		        _mm256_cmpeq_epi8(_mm256_or_si256(load(p2 + i + 32), f2), c2));
		__m256i any = _mm256_or_si256(a, b);
		uint64_t m;

		if (LIKELY(_mm256_testz_si256(any, any)))
			continue;
		m = (uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b)
		                                                << 32;
		for (; m; m &= m - 1) {
			const unsigned char *q = p + i + __builtin_ctzll(m);

			if (is_at(d, fold, q))
				return q;
		}
	}
	for (p += i; p <= last; p++)
		if ((p[d->rare] | d->fold[d->rare]) == d->s[d->rare] && is_at(d, fold, p))
			return p;
	return NULL;
}

CPU_AVX2 static const unsigned char *few_avx2(const struct finder *f, const unsigned char *p,
                                              const unsigned char *end, unsigned *which)
{
	const __m256i ones = _mm256_set1_epi8(-1), zero = _mm256_setzero_si256();
	unsigned w = f->width;
	__m256i lo0 = table(f->lo[0]), hi0 = table(f->hi[0]);
	__m256i lo1 = w > 1 ? table(f->lo[1]) : ones, hi1 = w > 1 ? table(f->hi[1]) : ones;
	__m256i lo2 = w > 2 ? table(f->lo[2]) : ones, hi2 = w > 2 ? table(f->hi[2]) : ones;

	for (; end - p >= 34; p += 32) {
		__m256i r = _mm256_and_si256(both_nibbles(lo0, hi0, load(p)),
		                             _mm256_and_si256(both_nibbles(lo1, hi1, load(p + 1)),
		                                              both_nibbles(lo2, hi2, load(p + 2))));
		uint32_t m = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(r, zero));

		for (; UNLIKELY(m != 0); m &= m - 1) {
			const unsigned char *q = any_at(f, p + __builtin_ctz(m), end, which);

			if (q)
				return q;
		}
	}
	for (; p < end; p++)
		if (any_at(f, p, end, which))
			return p;
	return NULL;
}
#endif

static const unsigned char *one_plain(const struct needle *d, bool fold, const unsigned char *p,
                                      const unsigned char *end)
{
	const unsigned char *last = end - d->len;
	unsigned r = d->rare;

	while (p <= last) {
		if (!d->fold[r]) {
			p = memchr(p + r, d->s[r], (size_t)(last - p) + 1);
			if (!p)
				return NULL;
			p -= r;
		}
		if ((p[r] | d->fold[r]) == d->s[r] && is_at(d, fold, p))
			return p;
		p++;
	}
	return NULL;
}

const unsigned char *finder_find(const struct finder *f, const unsigned char *p,
                                 const unsigned char *end, unsigned *which)
{
	unsigned dummy;

	if (!which)
		which = &dummy;
	*which = 0;
	if ((size_t)(end - p) < f->shortest)
		return NULL;
	if (f->n == 1) {
		const struct needle *d = &f->needle[0];

		if (d->len == 1 && !d->fold[0])
			return memchr(p, d->s[0], (size_t)(end - p));
#if CPU_X86
		if (cpu_has_avx2())
			return one_avx2(d, f->is_folded, p, end);
#endif
		return one_plain(d, f->is_folded, p, end);
	}
#if CPU_X86
	if (cpu_has_avx2())
		return few_avx2(f, p, end, which);
#endif
	for (; p < end; p++) {
		const unsigned char *q = any_at(f, p, end, which);

		if (q)
			return q;
	}
	return NULL;
}
