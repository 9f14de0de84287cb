/* code.c - one character of each charset, to and from bytes. What is refused, and how much of it is left out, is the C library's. */
#include "iconv.h"

static bool surrogate(uint32_t ch)
{
	return ch >= 0xd800 && ch < 0xe000;
}

static unsigned unit_size(enum iconv_kind k)
{
	switch (k) {
	case ICONV_UTF16:
	case ICONV_UTF16LE:
	case ICONV_UTF16BE:
	case ICONV_UCS2:
	case ICONV_UCS2LE:
	case ICONV_UCS2BE:
	case ICONV_UNICODE: return 2;
	case ICONV_UTF32:
	case ICONV_UTF32LE:
	case ICONV_UTF32BE:
	case ICONV_UCS4:
	case ICONV_UCS4LE:
	case ICONV_UCS4BE:
	case ICONV_WCHAR: return 4;
	default: return 1;
	}
}

static bool pairs_of_units(enum iconv_kind k)
{
	return k == ICONV_UTF16 || k == ICONV_UTF16LE || k == ICONV_UTF16BE;
}

void iconv_code_init(struct iconv_code *c, struct proc *p, const struct iconv_charset *set, bool writes)
{
	enum iconv_kind k = set->kind;

	*c = (struct iconv_code){.set = set};
	c->big = k == ICONV_UTF16BE || k == ICONV_UTF32BE || k == ICONV_UCS2BE || k == ICONV_UCS4BE || k == ICONV_UCS4;
	if (k != ICONV_SINGLE || !writes)
		return;
	c->byte_of = u_zalloc(p, 0x10000);
	for (unsigned b = 0; b < 0x80; b++)
		c->byte_of[b] = (unsigned char)b;
	for (unsigned b = 0; b < 0x80; b++) {
		if (set->upper[b] >= 0x80)
			c->byte_of[set->upper[b]] = (unsigned char)(b + 0x80);
	}
}

/* ---- Reading ------------------------------------------------------------------------------- */

static enum iconv_result read_utf8(const unsigned char *s, size_t n, uint32_t *ch, size_t *used)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000, 0x200000, 0x4000000};
	/* The number of ones at the front: 2 to 6, as UTF-8 was once. */
	size_t ones = (size_t)__builtin_clz(~((uint32_t)s[0] << 24)), want = ones >= 2 && ones <= 6 && s[0] >= 0xc2 ? ones : 0, i;

	if (s[0] < 0x80) {
		*ch = s[0];
		*used = 1;
		return ICONV_DONE;
	}
	*ch = want ? s[0] & (0x7fu >> want) : 0;
	for (i = 1; i < (want ? want : 5) && i < n && (s[i] & 0xc0) == 0x80; i++)
		*ch = *ch << 6 | (s[i] & 0x3f);
	*used = i;
	if (want && i == n && i < want)
		return ICONV_CUT;
	return i == want && *ch >= least[want] && !surrogate(*ch) ? ICONV_DONE : ICONV_ILLEGAL;
}

static uint32_t unit(const unsigned char *s, unsigned size, bool big)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint32_t)s[i] << (8 * (big ? size - 1 - i : i));
	return v;
}

static enum iconv_result read_units(const struct iconv_code *c, const unsigned char *s, size_t n, uint32_t *ch, size_t *used)
{
	enum iconv_kind k = c->set->kind;
	unsigned size = unit_size(k);
	uint32_t low;

	*used = size;
	if (n < size)
		return ICONV_CUT;
	*ch = unit(s, size, c->big);
	if (k == ICONV_UCS4 || k == ICONV_UCS4LE || k == ICONV_UCS4BE)
		return *ch <= 0x7fffffff ? ICONV_DONE : ICONV_ILLEGAL;
	if (!surrogate(*ch))
		return *ch <= 0x10ffff || k == ICONV_WCHAR ? ICONV_DONE : ICONV_ILLEGAL;
	if (k == ICONV_WCHAR)
		return ICONV_DONE;
	if (!pairs_of_units(k) || *ch >= 0xdc00)
		return ICONV_ILLEGAL;
	if (n < 4)
		return ICONV_CUT;
	low = unit(s + 2, 2, c->big);
	if (low < 0xdc00 || low >= 0xe000)
		return ICONV_ILLEGAL;
	*ch = 0x10000 + ((*ch - 0xd800) << 10) + (low - 0xdc00);
	*used = 4;
	return ICONV_DONE;
}

enum iconv_result iconv_read(const struct iconv_code *c, const unsigned char *s, size_t n, uint32_t *ch, size_t *used)
{
	switch (c->set->kind) {
	case ICONV_UTF8: return read_utf8(s, n, ch, used);
	case ICONV_ASCII:
	case ICONV_SINGLE:
		*used = 1;
		*ch = s[0] < 0x80 ? s[0] : c->set->kind == ICONV_SINGLE ? c->set->upper[s[0] - 0x80] : 0;
		return s[0] < 0x80 || *ch ? ICONV_DONE : ICONV_ILLEGAL;
	default: return read_units(c, s, n, ch, used);
	}
}

static bool marked(enum iconv_kind k)
{
	return k == ICONV_UTF16 || k == ICONV_UTF32 || k == ICONV_UNICODE;
}

size_t iconv_read_mark(struct iconv_code *c, const unsigned char *s, size_t n)
{
	unsigned size = unit_size(c->set->kind);

	if (!marked(c->set->kind) || n < size)
		return 0;
	c->big = false;
	if (unit(s, size, false) == 0xfeff)
		return size;
	c->big = unit(s, size, true) == 0xfeff;
	return c->big ? size : 0;
}

uint32_t iconv_join(const struct iconv_charset *set, uint32_t first, uint32_t mark)
{
	for (size_t i = 0; i < set->npairs; i++) {
		if (mark && set->pairs[i].mark == mark && set->pairs[i].first == first)
			return set->pairs[i].whole;
	}
	return 0;
}

bool iconv_waits(const struct iconv_charset *set, uint32_t ch)
{
	for (size_t i = 0; i < set->npairs; i++) {
		if (set->pairs[i].first == ch)
			return true;
	}
	return false;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static size_t write_utf8(uint32_t ch, unsigned char *out)
{
	unsigned n = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : ch < 0x200000 ? 4 : ch < 0x4000000 ? 5 : 6;

	if (surrogate(ch) || ch > 0x7fffffff)
		return 0;
	if (n == 1) {
		out[0] = (unsigned char)ch;
		return 1;
	}
	for (unsigned i = n - 1; i > 0; i--, ch >>= 6)
		out[i] = (unsigned char)(0x80 | (ch & 0x3f));
	out[0] = (unsigned char)(0xff00u >> n | ch);
	return n;
}

static size_t put_unit(unsigned char *out, uint32_t v, unsigned size, bool big)
{
	for (unsigned i = 0; i < size; i++)
		out[i] = (unsigned char)(v >> (8 * (big ? size - 1 - i : i)));
	return size;
}

static size_t write_units(const struct iconv_code *c, uint32_t ch, unsigned char *out)
{
	enum iconv_kind k = c->set->kind;
	unsigned size = unit_size(k);
	bool whole = k == ICONV_UCS4 || k == ICONV_UCS4LE || k == ICONV_UCS4BE || k == ICONV_WCHAR;

	if (whole)
		return put_unit(out, ch, size, c->big);
	if (surrogate(ch) || ch > 0x10ffff)
		return 0;
	if (size == 4 || ch < 0x10000)
		return put_unit(out, ch, size, c->big);
	if (!pairs_of_units(k))
		return 0;
	ch -= 0x10000;
	put_unit(out, 0xd800 + (ch >> 10), 2, c->big);
	put_unit(out + 2, 0xdc00 + (ch & 0x3ff), 2, c->big);
	return 4;
}

static size_t write_single(const struct iconv_code *c, uint32_t ch, unsigned char *out)
{
	const struct iconv_charset *set = c->set;
	unsigned char marks[ICONV_LONGEST];
	size_t n = 0;

	/* The mark of a pair comes last; what it follows may be a pair itself. */
	for (int turns = 0; turns < ICONV_LONGEST / 2; turns++) {
		size_t i = 0;

		if (ch < 0x10000 && (c->byte_of[ch] || ch == 0)) {
			out[0] = c->byte_of[ch];
			for (size_t k = 0; k < n; k++)
				out[1 + k] = marks[n - 1 - k];
			return 1 + n;
		}
		while (i < set->npairs && set->pairs[i].whole != ch)
			i++;
		if (i == set->npairs)
			return 0;
		if (set->pairs[i].mark)
			marks[n++] = c->byte_of[set->pairs[i].mark];
		ch = set->pairs[i].first;
	}
	return 0;
}

size_t iconv_write(const struct iconv_code *c, uint32_t ch, unsigned char out[ICONV_LONGEST])
{
	switch (c->set->kind) {
	case ICONV_UTF8: return write_utf8(ch, out);
	case ICONV_ASCII: out[0] = (unsigned char)ch; return ch < 0x80;
	case ICONV_SINGLE: return write_single(c, ch, out);
	default: return write_units(c, ch, out);
	}
}

size_t iconv_write_mark(const struct iconv_code *c, unsigned char out[ICONV_LONGEST])
{
	return marked(c->set->kind) ? put_unit(out, 0xfeff, unit_size(c->set->kind), false) : 0;
}
