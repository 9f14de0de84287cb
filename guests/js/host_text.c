/* host_text.c - text to bytes and back, in the encodings of Buffer. */
#include "host.h"

#include <unistd.h>

/* ---- UTF-8 --------------------------------------------------------------------------------- */

#define BAD 0xfffdu

/* The next character of s[*at..n); *bad is set for what is none, of which the longest part that could have begun one is passed. */
static uint32_t next_char(const uint8_t *s, size_t n, size_t *at, int *bad)
{
	uint8_t c = s[(*at)++], low = 0x80, high = 0xbf;
	uint32_t v;
	int more;

	if (c < 0x80)
		return c;
	if (c >= 0xc2 && c <= 0xdf)
		more = 1, v = c & 0x1f;
	else if (c >= 0xe0 && c <= 0xef) {
		more = 2, v = c & 0x0f;
		low = c == 0xe0 ? 0xa0 : low;
		high = c == 0xed ? 0x9f : high;
	} else if (c >= 0xf0 && c <= 0xf4) {
		more = 3, v = c & 0x07;
		low = c == 0xf0 ? 0x90 : low;
		high = c == 0xf4 ? 0x8f : high;
	} else {
		*bad = 1;
		return BAD;
	}
	for (; more; more--, low = 0x80, high = 0xbf) {
		if (*at >= n || s[*at] < low || s[*at] > high) {
			*bad = 1;
			return BAD;
		}
		v = v << 6 | (s[(*at)++] & 0x3f);
	}
	return v;
}

static size_t ascii_run(const uint8_t *s, size_t n)
{
	size_t i = 0;
	uint64_t w;

	for (; i + 8 <= n; i += 8) {
		memcpy(&w, s + i, 8);
		if (w & 0x8080808080808080u)
			break;
	}
	while (i < n && s[i] < 0x80)
		i++;
	return i;
}

static JSValue utf8_decode(JSContext *ctx, const uint8_t *s, size_t n, int fatal)
{
	size_t plain = ascii_run(s, n), k = 0;
	int bad = 0;
	uint16_t *to;
	JSValue v;

	if (plain == n)
		return engine_latin1(ctx, s, n);
	to = js_malloc(ctx, n * 2);
	if (!to)
		return JS_EXCEPTION;
	for (; k < plain; k++)
		to[k] = s[k];
	for (size_t at = plain; at < n;) {
		uint32_t c = next_char(s, n, &at, &bad);

		if (c >= 0x10000) {
			to[k++] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
			to[k++] = (uint16_t)(0xdc00 + ((c - 0x10000) & 0x3ff));
		} else {
			to[k++] = (uint16_t)c;
		}
	}
	v = bad && fatal ? JS_UNDEFINED : engine_utf16(ctx, to, k);
	js_free(ctx, to);
	return v;
}

/* The character at unit *i, of surrogates that belong together or BAD for one alone. */
static uint32_t char_at(const struct units *u, size_t *i)
{
	const uint16_t *w = u->at;
	uint32_t c;

	if (!u->wide)
		return ((const uint8_t *)u->at)[(*i)++];
	c = w[(*i)++];
	if (c < 0xd800 || c > 0xdfff)
		return c;
	if (c < 0xdc00 && *i < u->n && w[*i] >= 0xdc00 && w[*i] <= 0xdfff)
		return 0x10000 + ((c - 0xd800) << 10) + (w[(*i)++] - 0xdc00u);
	return BAD;
}

static size_t char_size(uint32_t c)
{
	return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

static void char_put(uint8_t *to, uint32_t c, size_t size)
{
	static const uint8_t heads[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t k = size; k-- > 1; c >>= 6)
		to[k] = (uint8_t)(0x80 | (c & 0x3f));
	to[0] = (uint8_t)(c | heads[size]);
}

static size_t utf8_size(const struct units *u)
{
	size_t n = 0;

	if (!u->wide && ascii_run(u->at, u->n) == u->n)
		return u->n;
	for (size_t i = 0; i < u->n;)
		n += char_size(char_at(u, &i));
	return n;
}

/* As many whole characters as fit; *units those that were used. */
static size_t utf8_put(const struct units *u, uint8_t *to, size_t size, size_t *units)
{
	size_t k = 0, i = 0;

	if (!u->wide && ascii_run(u->at, u->n) == u->n) {
		k = u->n < size ? u->n : size;
		memcpy(to, u->at, k);
		*units = k;
		return k;
	}
	while (i < u->n) {
		size_t next = i;
		uint32_t c = char_at(u, &next);
		size_t n = char_size(c);

		if (k + n > size)
			break;
		char_put(to + k, c, n);
		k += n;
		i = next;
	}
	*units = i;
	return k;
}

/* ---- Hexadecimal and base 64 ------------------------------------------------------------------ */

static JSValue hex_decode(JSContext *ctx, const uint8_t *s, size_t n)
{
	char *to = js_malloc(ctx, 2 * n + 1);
	JSValue v;

	if (!to)
		return JS_EXCEPTION;
	for (size_t i = 0; i < n; i++) {
		to[2 * i] = "0123456789abcdef"[s[i] >> 4];
		to[2 * i + 1] = "0123456789abcdef"[s[i] & 15];
	}
	v = engine_latin1(ctx, (uint8_t *)to, 2 * n);
	js_free(ctx, to);
	return v;
}

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static JSValue base64_decode(JSContext *ctx, const uint8_t *s, size_t n, int url)
{
	char *to = js_malloc(ctx, (n + 2) / 3 * 4 + 1);
	size_t k = 0;
	JSValue v;

	if (!to)
		return JS_EXCEPTION;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t w = (uint32_t)s[i] << 16 | (i + 1 < n ? (uint32_t)s[i + 1] << 8 : 0) | (i + 2 < n ? s[i + 2] : 0);
		size_t digits = i + 2 < n ? 4 : n - i + 1;

		for (size_t d = 0; d < 4; d++) {
			char c = digits64[w >> (18 - 6 * d) & 63];

			if (d < digits)
				to[k++] = !url ? c : c == '+' ? '-' : c == '/' ? '_' : c;
			else if (!url)
				to[k++] = '=';
		}
	}
	v = engine_latin1(ctx, (uint8_t *)to, k);
	js_free(ctx, to);
	return v;
}

static uint32_t unit(const struct units *u, size_t i)
{
	return u->wide ? ((const uint16_t *)u->at)[i] : ((const uint8_t *)u->at)[i];
}

static int hex_digit(uint32_t c)
{
	return c >= '0' && c <= '9' ? (int)c - '0' : c >= 'a' && c <= 'f' ? (int)c - 'a' + 10 : c >= 'A' && c <= 'F' ? (int)c - 'A' + 10 : -1;
}

static int base64_digit(uint32_t c)
{
	return c >= 'A' && c <= 'Z' ? (int)c - 'A' : c >= 'a' && c <= 'z' ? (int)c - 'a' + 26 : c >= '0' && c <= '9' ? (int)c - '0' + 52 :
	       c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static size_t hex_encode(const struct units *u, uint8_t *to)
{
	size_t k = 0;

	for (size_t i = 0; i + 1 < u->n; i += 2) {
		int a = hex_digit(unit(u, i)), b = hex_digit(unit(u, i + 1));

		if (a < 0 || b < 0)
			break;
		to[k++] = (uint8_t)(a << 4 | b);
	}
	return k;
}

static size_t base64_encode(const struct units *u, uint8_t *to)
{
	uint32_t w = 0;
	size_t k = 0;
	int have = 0;

	for (size_t i = 0; i < u->n; i++) {
		uint32_t c = unit(u, i);
		int d = base64_digit(c);

		if (c == '=')
			break;
		if (d < 0)
			continue;
		w = w << 6 | (uint32_t)d;
		have += 6;
		if (have >= 8)
			to[k++] = (uint8_t)(w >> (have -= 8));
	}
	return k;
}

/* ---- What the library calls ------------------------------------------------------------------------ */

enum encoding { UTF8, LATIN1, ASCII, UTF16, HEX, BASE64, BASE64URL };

/* buffer, offset, length, encoding */
FUNCTION(text_decode)
{
	size_t n = (size_t)arg_int(ctx, argc, argv, 2);
	const uint8_t *s = host_bytes(ctx, argv[0], arg_int(ctx, argc, argv, 1), (int64_t)n);
	uint8_t *copy;
	uint16_t *wide;
	JSValue v;

	if (!s)
		return JS_EXCEPTION;
	switch (arg_int(ctx, argc, argv, 3)) {
	case LATIN1: return engine_latin1(ctx, s, n);
	case HEX: return hex_decode(ctx, s, n);
	case BASE64: return base64_decode(ctx, s, n, 0);
	case BASE64URL: return base64_decode(ctx, s, n, 1);
	case ASCII:
		copy = js_malloc(ctx, n + 1);
		if (!copy)
			return JS_EXCEPTION;
		for (size_t i = 0; i < n; i++)
			copy[i] = s[i] & 0x7f;
		v = engine_latin1(ctx, copy, n);
		js_free(ctx, copy);
		return v;
	case UTF16:
		wide = js_malloc(ctx, n + 2);
		if (!wide)
			return JS_EXCEPTION;
		memcpy(wide, s, n & ~(size_t)1);
		v = engine_utf16(ctx, wide, n / 2);
		js_free(ctx, wide);
		return v;
	default: return utf8_decode(ctx, s, n, arg_int(ctx, argc, argv, 4) != 0);
	}
}

/* string, encoding: a new ArrayBuffer */
FUNCTION(text_encode)
{
	struct units u;
	size_t n, used;
	uint8_t *to;

	if (!engine_units(ctx, argv[0], &u))
		return JS_EXCEPTION;
	switch (arg_int(ctx, argc, argv, 1)) {
	case LATIN1:
	case ASCII: n = u.n; break;
	case UTF16: n = 2 * u.n; break;
	case HEX: n = u.n / 2; break;
	case BASE64:
	case BASE64URL: n = u.n; break;
	default: n = utf8_size(&u);
	}
	to = js_malloc(ctx, n + 1);
	if (!to) {
		JS_FreeValue(ctx, u.held);
		return JS_EXCEPTION;
	}
	switch (arg_int(ctx, argc, argv, 1)) {
	case LATIN1:
	case ASCII:
		for (size_t i = 0; i < n; i++)
			to[i] = (uint8_t)unit(&u, i);
		break;
	case UTF16:
		for (size_t i = 0; i < u.n; i++) {
			to[2 * i] = (uint8_t)unit(&u, i);
			to[2 * i + 1] = (uint8_t)(unit(&u, i) >> 8);
		}
		break;
	case HEX: n = hex_encode(&u, to); break;
	case BASE64:
	case BASE64URL: n = base64_encode(&u, to); break;
	default: n = utf8_put(&u, to, n, &used);
	}
	JS_FreeValue(ctx, u.held);
	return host_buffer(ctx, to, n);
}

FUNCTION(text_utf8_size)
{
	struct units u;
	size_t n;

	if (!engine_units(ctx, argv[0], &u))
		return JS_EXCEPTION;
	n = utf8_size(&u);
	JS_FreeValue(ctx, u.held);
	return JS_NewInt64(ctx, (int64_t)n);
}

/* string, buffer, offset, length: [units read, bytes written] */
FUNCTION(text_utf8_into)
{
	int64_t n = arg_int(ctx, argc, argv, 3);
	uint8_t *to = host_bytes(ctx, argv[1], arg_int(ctx, argc, argv, 2), n);
	struct units u;
	size_t k, used;
	JSValue v;

	if (!to || !engine_units(ctx, argv[0], &u))
		return JS_EXCEPTION;
	k = utf8_put(&u, to, (size_t)n, &used);
	JS_FreeValue(ctx, u.held);
	v = JS_NewArray(ctx);
	JS_SetPropertyUint32(ctx, v, 0, JS_NewInt64(ctx, (int64_t)used));
	JS_SetPropertyUint32(ctx, v, 1, JS_NewInt64(ctx, (int64_t)k));
	return v;
}

/* fd, string: all of it in UTF-8 */
FUNCTION(text_write)
{
	int fd = (int)arg_int(ctx, argc, argv, 0);
	uint8_t few[1024], *to = few;
	struct units u;
	size_t n, used;
	ssize_t r = 0;

	if (!engine_units(ctx, argv[1], &u))
		return JS_EXCEPTION;
	n = utf8_size(&u);
	if (n > sizeof(few))
		to = js_malloc(ctx, n);
	if (!to) {
		JS_FreeValue(ctx, u.held);
		return JS_EXCEPTION;
	}
	utf8_put(&u, to, n, &used);
	JS_FreeValue(ctx, u.held);
	for (size_t done = 0; done < n && r >= 0; done += (size_t)r) {
		r = write(fd, to + done, n - done);
		if (r < 0)
			break;
	}
	if (to != few)
		js_free(ctx, to);
	return result(ctx, r < 0 ? -1 : (int64_t)n);
}

/* buffer, offset, length twice: <0, 0, >0 */
FUNCTION(text_compare)
{
	int64_t n = arg_int(ctx, argc, argv, 2), m = arg_int(ctx, argc, argv, 5);
	const uint8_t *a = host_bytes(ctx, argv[0], arg_int(ctx, argc, argv, 1), n), *b = a ? host_bytes(ctx, argv[3], arg_int(ctx, argc, argv, 4), m) : NULL;
	int r;

	if (!b)
		return JS_EXCEPTION;
	r = memcmp(a, b, (size_t)(n < m ? n : m));
	return JS_NewInt32(ctx, r < 0 ? -1 : r > 0 ? 1 : n < m ? -1 : n > m);
}

/* buffer, offset, length, buffer, offset, length: where the second is in the first, -1 */
FUNCTION(text_find)
{
	int64_t n = arg_int(ctx, argc, argv, 2), m = arg_int(ctx, argc, argv, 5);
	const uint8_t *a = host_bytes(ctx, argv[0], arg_int(ctx, argc, argv, 1), n), *b = a ? host_bytes(ctx, argv[3], arg_int(ctx, argc, argv, 4), m) : NULL;
	const uint8_t *at;

	if (!b)
		return JS_EXCEPTION;
	at = memmem(a, (size_t)n, b, (size_t)m);
	return JS_NewInt64(ctx, at ? at - a : -1);
}

#define text                                                   \
	{                                                      \
		JS_CFUNC_DEF("decode", 5, text_decode),         \
		JS_CFUNC_DEF("encode", 2, text_encode),         \
		JS_CFUNC_DEF("utf8Size", 1, text_utf8_size),    \
		JS_CFUNC_DEF("utf8Into", 4, text_utf8_into),    \
		JS_CFUNC_DEF("writeText", 2, text_write),       \
		JS_CFUNC_DEF("compare", 6, text_compare),       \
		JS_CFUNC_DEF("find", 6, text_find),             \
	}
TABLE(text);
