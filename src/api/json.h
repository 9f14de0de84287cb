/*
 * json.h - a small strict JSON reader, for policy files.
 *
 * RFC 8259 to the letter: no comments, no trailing commas, no names twice, no \u0000; text is UTF-8. What it
 * accepts is bounded: JSON_SIZE_MAX bytes, JSON_DEPTH_MAX levels, JSON_VALUES_MAX values. Every value knows its line.
 *
 *	struct json_fault fault;
 *	struct json *doc = json_read(text, len, &fault);
 *	... for (const struct json *v = doc->first; v; v = v->next) ...
 *	json_free(doc);
 *
 * Layer     api
 * Owns      the document: one json_free for all of it
 */
#ifndef NACRE_API_JSON_H
#define NACRE_API_JSON_H

#include "../base/base.h"

#define JSON_SIZE_MAX	((size_t)1 << 20)
#define JSON_DEPTH_MAX	16u
#define JSON_VALUES_MAX 20000u

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	struct json *next;	/* in its array or object */
	struct json *first;	/* JSON_ARRAY, JSON_OBJECT */
	const char *name;	/* in an object; else NULL */
	const char *text;	/* JSON_STRING: its value; JSON_NUMBER: as written. NUL-terminated */
	unsigned line;
	enum json_kind kind;
};

struct json_fault {
	unsigned line;
	const char *why;	/* a constant text; "out of memory" is one */
};

/* NULL with *fault. */
MUST_USE struct json *json_read(const char *text, size_t len, struct json_fault *fault);
void json_free(struct json *doc);

/* The member of an object, NULL when there is none. */
const struct json *json_get(const struct json *object, const char *name);
/* "a string", "an array"... */
const char *json_kind_name(enum json_kind kind);
/* A number without sign, fraction and exponent that fits. */
bool json_u64(const struct json *v, uint64_t *out);

#endif
