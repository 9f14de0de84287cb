/* json.c - a small strict JSON reader: recursive descent with a bound, values in blocks of one list. */
#include "json.h"

#include <stdlib.h>

#include "../base/utf8.h"

#define BLOCK_SIZE 16384u

/* Memory in blocks, given back together; the document is the first thing in the first one. */
struct block {
	struct block *next;
	size_t used, size;
	char data[];
};

struct document {
	struct json root; /* first */
	struct block *blocks;
};

struct reader {
	const char *at, *end;
	unsigned line, depth;
	uint32_t values;
	struct document *doc;
	struct json_fault *fault;
};

static bool fail(struct reader *r, const char *why)
{
	if (!r->fault->why)
		*r->fault = (struct json_fault){r->line, why};
	return false;
}

static void *get(struct reader *r, size_t n)
{
	struct block *b = r->doc->blocks;
	size_t size = MAX(n, (size_t)BLOCK_SIZE);

	n = (n + 15) & ~(size_t)15;
	if (!b || b->size - b->used < n) {
		b = malloc(sizeof(*b) + size + 16);
		if (!b) {
			fail(r, "out of memory");
			return NULL;
		}
		*b = (struct block){r->doc->blocks, 0, size + 16};
		r->doc->blocks = b;
	}
	b->used += n;
	return b->data + b->used - n;
}

static void skip_space(struct reader *r)
{
	for (; r->at < r->end; r->at++) {
		if (*r->at == '\n')
			r->line++;
		else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r')
			return;
	}
}

static bool take(struct reader *r, char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* ---- Strings ------------------------------------------------------------------------ */

static bool hex4(struct reader *r, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		int c = r->at < r->end ? (unsigned char)*r->at : 0;

		if (!ascii_xdigit(c))
			return fail(r, "\\u needs four hexadecimal digits");
		*out = *out << 4 | (uint32_t)(ascii_digit(c) ? c - '0' : ascii_tolower(c) - 'a' + 10);
	}
	return true;
}

static bool unicode(struct reader *r, char **out)
{
	uint32_t c, low;

	if (!hex4(r, &c))
		return false;
	if (c >= 0xd800 && c < 0xdc00) {
		if (!take(r, '\\') || !take(r, 'u') || !hex4(r, &low) || low < 0xdc00 || low > 0xdfff)
			return fail(r, "half of a surrogate pair");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	} else if (c >= 0xdc00 && c < 0xe000) {
		return fail(r, "half of a surrogate pair");
	}
	if (c == 0)
		return fail(r, "\\u0000 is not allowed");
	*out += utf8_encode(c, *out);
	return true;
}

static bool escape(struct reader *r, char **out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = r->at < r->end ? *r->at++ : '\0';
	const char *hit;

	if (c == 'u')
		return unicode(r, out);
	hit = c ? strchr(from, c) : NULL;
	if (!hit)
		return fail(r, "unknown escape in a string");
	*(*out)++ = to[hit - from];
	return true;
}

static bool string(struct reader *r, const char **value)
{
	const char *close = r->at;
	char *out;

	while (close < r->end && *close != '"')
		close += *close == '\\' ? 2 : 1;
	if (close >= r->end)
		return fail(r, "a string without an end");
	/* No escape is shorter than what it stands for. */
	out = get(r, (size_t)(close - r->at) + 1);
	if (!out)
		return false;
	*value = out;
	while (r->at < close) {
		if ((unsigned char)*r->at < 0x20)
			return fail(r, "a control character in a string");
		if (*r->at != '\\')
			*out++ = *r->at++;
		else if (r->at++, !escape(r, &out))
			return false;
	}
	r->at = close + 1;
	*out = '\0';
	return true;
}

/* ---- Values --------------------------------------------------------------------------- */

static bool digits(struct reader *r)
{
	const char *begin = r->at;

	while (r->at < r->end && ascii_digit((unsigned char)*r->at))
		r->at++;
	return r->at > begin || fail(r, "a number without digits");
}

static bool number(struct reader *r, struct json *v)
{
	const char *begin = r->at;
	char *text;

	(void)take(r, '-');
	if (!take(r, '0') && !digits(r))
		return false;
	if (take(r, '.') && !digits(r))
		return false;
	if (take(r, 'e') || take(r, 'E')) {
		(void)(take(r, '-') || take(r, '+'));
		if (!digits(r))
			return false;
	}
	text = get(r, (size_t)(r->at - begin) + 1);
	if (!text)
		return false;
	memcpy(text, begin, (size_t)(r->at - begin));
	text[r->at - begin] = '\0';
	v->kind = JSON_NUMBER;
	v->text = text;
	return true;
}

static bool word(struct reader *r, struct json *v)
{
	static const struct {
		const char *text;
		enum json_kind kind;
	} words[] = {{"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE}};

	for (size_t i = 0; i < COUNTOF(words); i++) {
		size_t n = strlen(words[i].text);

		if ((size_t)(r->end - r->at) >= n && memcmp(r->at, words[i].text, n) == 0) {
			r->at += n;
			v->kind = words[i].kind;
			return true;
		}
	}
	return fail(r, "a value is missing here");
}

static bool value(struct reader *r, struct json *v);

static bool member_name(struct reader *r, const struct json *object, struct json *v)
{
	if (!take(r, '"'))
		return fail(r, "a name in double quotes is missing here");
	if (!string(r, &v->name))
		return false;
	for (const struct json *m = object->first; m; m = m->next)
		if (m != v && streq(m->name, v->name))
			return fail(r, "the same name twice");
	skip_space(r);
	if (!take(r, ':'))
		return fail(r, "a ':' is missing here");
	skip_space(r);
	return true;
}

/* What is between the brackets of an array or an object. */
static bool members(struct reader *r, struct json *v, char close)
{
	struct json **end = &v->first;

	if (++r->depth > JSON_DEPTH_MAX)
		return fail(r, "nested too deeply");
	skip_space(r);
	if (take(r, close)) {
		r->depth--;
		return true;
	}
	do {
		struct json *m = get(r, sizeof(*m));

		if (!m)
			return false;
		*m = (struct json){0};
		skip_space(r);
		if (close == '}' && !member_name(r, v, m))
			return false;
		if (!value(r, m))
			return false;
		*end = m;
		end = &m->next;
		skip_space(r);
	} while (take(r, ','));
	if (!take(r, close))
		return fail(r, close == '}' ? "a ',' or '}' is missing here" : "a ',' or ']' is missing here");
	r->depth--;
	return true;
}

static bool value(struct reader *r, struct json *v)
{
	char c = r->at < r->end ? *r->at : '\0';

	v->line = r->line;
	if (++r->values > JSON_VALUES_MAX)
		return fail(r, "too many values");
	switch (c) {
	case '{':
		r->at++;
		v->kind = JSON_OBJECT;
		return members(r, v, '}');
	case '[':
		r->at++;
		v->kind = JSON_ARRAY;
		return members(r, v, ']');
	case '"':
		r->at++;
		v->kind = JSON_STRING;
		return string(r, &v->text);
	default: return c == '-' || ascii_digit((unsigned char)c) ? number(r, v) : word(r, v);
	}
}

static bool is_utf8(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned k;

		if (utf8_decode(s + i, n - i, &k) == UTF8_BAD)
			return false;
		i += k;
	}
	return true;
}

struct json *json_read(const char *text, size_t len, struct json_fault *fault)
{
	struct reader r = {.at = text, .end = text + len, .line = 1, .fault = fault};

	*fault = (struct json_fault){0};
	r.doc = calloc(1, sizeof(*r.doc));
	if (!r.doc)
		fail(&r, "out of memory");
	else if (len > JSON_SIZE_MAX)
		fail(&r, "too large");
	else if (!is_utf8(text, len))
		fail(&r, "not UTF-8");
	if (!fault->why) {
		skip_space(&r);
		if (value(&r, &r.doc->root)) {
			skip_space(&r);
			if (r.at < r.end)
				fail(&r, "something follows the end");
		}
	}
	if (!fault->why)
		return &r.doc->root;
	json_free(r.doc ? &r.doc->root : NULL);
	return NULL;
}

void json_free(struct json *doc)
{
	struct document *d = (struct document *)(void *)doc;

	if (!d)
		return;
	for (struct block *b = d->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(d);
}

/* ---- Asking ---------------------------------------------------------------------------- */

const struct json *json_get(const struct json *object, const char *name)
{
	for (const struct json *m = object->first; m; m = m->next)
		if (m->name && streq(m->name, name))
			return m;
	return NULL;
}

const char *json_kind_name(enum json_kind kind)
{
	static const char *const names[] = {"null", "false", "true", "a number", "a string", "an array", "an object"};

	return names[kind];
}

bool json_u64(const struct json *v, uint64_t *out)
{
	uint64_t n = 0;

	if (v->kind != JSON_NUMBER)
		return false;
	for (const char *s = v->text; *s; s++)
		if (!ascii_digit((unsigned char)*s) || __builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
			return false;
	*out = n;
	return true;
}
