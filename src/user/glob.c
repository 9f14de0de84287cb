/* glob.c - shell patterns: * ? [...] and backslash.
 *
 * The plain matcher remembers only the last star: when the rest does not fit, that star takes one
 * character more. That is complete (an earlier star need never be tried again), so time is at most
 * pattern times text and there is no recursion. Characters are UTF-8; an invalid byte is a
 * character that only itself, ? and * match. */
#include "glob.h"

/* Invalid bytes get numbers of their own, above all characters. */
#define BYTE_BASE 0x40000000u

uint32_t glob_char(const char *s, size_t n, unsigned flags, unsigned *len)
{
	uint32_t c;

	if ((unsigned char)s[0] < 0x80 || (flags & U_GLOB_BYTES)) {
		*len = 1;
		return (unsigned char)s[0];
	}
	c = utf8_decode(s, n, len);
	return c == UTF8_BAD ? BYTE_BASE + (unsigned char)s[0] : c;
}

static uint32_t fold(uint32_t c, unsigned flags)
{
	if (!(flags & U_GLOB_ICASE) || c >= BYTE_BASE)
		return c;
	if (flags & U_GLOB_BYTES)
		return c < 0x80 ? (uint32_t)ascii_tolower((int)c) : c;
	return utf8_tolower(c);
}

bool glob_same(uint32_t a, uint32_t b, unsigned flags)
{
	return a == b || ((flags & U_GLOB_ICASE) && fold(a, flags) == fold(b, flags));
}

/* ---- Sets ------------------------------------------------------------------------ */

struct bracket {
	const char *at, *end;
	unsigned flags;
	bool bad; /* no closing ], or something that makes it no set */
};

static bool in_class(uint32_t c, int k, unsigned flags)
{
	if ((flags & U_GLOB_BYTES) && c >= 0x80)
		return false;
	return utf8_is(c, (enum utf8_class)k);
}

/* The text between "[x" and "x]" at b->at ("[:alpha:]"); NULL when it does not end. */
static const char *named(struct bracket *b, char x, size_t *n)
{
	const char *start = b->at + 2;

	for (const char *q = start; q + 1 < b->end; q++) {
		if (q[0] == x && q[1] == ']') {
			*n = (size_t)(q - start);
			return start;
		}
	}
	return NULL;
}

/* One end of a range, or a single member. */
static uint32_t member(struct bracket *b)
{
	unsigned len;
	uint32_t c;
	size_t n;

	if (b->end - b->at >= 2 && b->at[0] == '[' && (b->at[1] == '.' || b->at[1] == '=')) {
		const char *name = named(b, b->at[1], &n);

		if (name) {
			c = n ? glob_char(name, n, b->flags, &len) : 0;
			b->bad |= n == 0 || len != n;
			b->at = name + n + 2;
			return c;
		}
	}
	if (*b->at == '\\' && !(b->flags & U_GLOB_NOESCAPE) && b->at + 1 < b->end)
		b->at++;
	c = glob_char(b->at, (size_t)(b->end - b->at), b->flags, &len);
	b->at += len;
	return c;
}

/* One item: a class, an equivalence class, a range or a character. */
static bool item(struct bracket *b, uint32_t c)
{
	uint32_t from, to;
	size_t n;

	if (b->end - b->at >= 2 && b->at[0] == '[' && b->at[1] == ':') {
		const char *name = named(b, ':', &n);

		if (name) {
			int k = utf8_class_named(name, n);

			b->at = name + n + 2;
			return k >= 0 && c < BYTE_BASE && in_class(c, k, b->flags);
		}
	}
	from = to = member(b);
	if (b->end - b->at >= 2 && b->at[0] == '-' && b->at[1] != ']') {
		b->at++;
		to = member(b);
	}
	from = fold(from, b->flags);
	to = fold(to, b->flags);
	c = fold(c, b->flags);
	return from <= c && c <= to;
}

size_t u_glob_bracket(const char *pattern, size_t np, uint32_t c, unsigned flags, bool *in)
{
	struct bracket b = {pattern + 1, pattern + np, flags, false};
	bool negated = false, found = false, first = true;

	if (b.at < b.end && (*b.at == '!' || *b.at == '^')) {
		negated = true;
		b.at++;
	}
	for (; b.at < b.end; first = false) {
		if (*b.at == ']' && !first) {
			*in = found != negated && !((flags & U_GLOB_PATHNAME) && c == '/');
			return b.bad ? 0 : (size_t)(b.at + 1 - pattern);
		}
		if (*b.at == '/' && (flags & U_GLOB_PATHNAME))
			return 0;
		found |= item(&b, c);
	}
	return 0;
}

/* ---- Matching ---------------------------------------------------------------------- */

size_t glob_one(const char *p, size_t np, uint32_t c, bool hidden, unsigned flags, bool *ok)
{
	size_t used = 0;
	unsigned len;

	switch (*p) {
	case '?': *ok = !hidden && !((flags & U_GLOB_PATHNAME) && c == '/'); return 1;
	case '[':
		*ok = false;
		used = u_glob_bracket(p, np, c, flags, ok);
		if (used) {
			*ok &= !hidden;
			return used;
		}
		break;
	case '\\':
		if (!(flags & U_GLOB_NOESCAPE) && np > 1) {
			p++;
			np--;
			used = 1;
		}
		break;
	default: break;
	}
	*ok = glob_same(glob_char(p, np, flags, &len), c, flags);
	return used + len;
}

bool glob_hidden(const char *s, size_t i, unsigned flags)
{
	return (flags & U_GLOB_PERIOD) && s[i] == '.' &&
	       (i == 0 || ((flags & U_GLOB_PATHNAME) && s[i - 1] == '/'));
}

bool u_glob_match(const char *pattern, size_t np, const char *s, size_t ns, unsigned flags)
{
	size_t p = 0, i = 0, star_p = SIZE_MAX, star_i = 0;
	unsigned len;

	for (;;) {
		bool ok = false;

		if (p < np && pattern[p] == '*') {
			while (p < np && pattern[p] == '*')
				p++;
			if (i < ns && glob_hidden(s, i, flags)) {
				/* Only the empty match is left to this star. */
				continue;
			}
			star_p = p;
			star_i = i;
			if (p == np && !(flags & U_GLOB_PATHNAME))
				return true;
			continue;
		}
		if (p == np && (i == ns || ((flags & U_GLOB_LEADING_DIR) && s[i] == '/')))
			return true;
		if (p < np && i < ns) {
			uint32_t c = glob_char(s + i, ns - i, flags, &len);
			size_t used = glob_one(pattern + p, np - p, c, glob_hidden(s, i, flags),
			                       flags, &ok);

			if (ok) {
				p += used;
				i += len;
				continue;
			}
		}
		if (star_p == SIZE_MAX || star_i >= ns ||
		    ((flags & U_GLOB_PATHNAME) && s[star_i] == '/'))
			return false;
		glob_char(s + star_i, ns - star_i, flags, &len);
		star_i += len;
		i = star_i;
		p = star_p;
	}
}
