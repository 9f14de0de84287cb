/* json.c - whether a text is JSON, lines of JSON, or CSV. */
#include "file.h"

#define JSON_DEPTH_MAX 500
#define CSV_LINES 10

struct json {
	const unsigned char *at, *end;
	struct proc *p;
	bool nested;	/* an object or array was there */
};

static bool value(struct json *j, int depth);

static void skip(struct json *j)
{
	while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'))
		j->at++;
}

static bool string(struct json *j)
{
	for (; j->at < j->end; j->at++) {
		if (*j->at == '"') {
			j->at++;
			return true;
		}
		if (*j->at == '\\' && ++j->at == j->end)
			return false;
		sys_checkpoint(j->p);
	}
	return false;
}

static bool digits(struct json *j)
{
	const unsigned char *from = j->at;

	while (j->at < j->end && ascii_digit(*j->at))
		j->at++;
	return j->at > from;
}

static bool number(struct json *j)
{
	if (*j->at == '-' && ++j->at == j->end)
		return false;
	if (!digits(j))
		return false;
	if (j->at < j->end && *j->at == '.') {
		j->at++;
		if (!digits(j))
			return false;
	}
	if (j->at < j->end && (*j->at == 'e' || *j->at == 'E')) {
		j->at++;
		if (j->at < j->end && (*j->at == '+' || *j->at == '-'))
			j->at++;
		return digits(j);
	}
	return true;
}

static bool word(struct json *j, const char *w)
{
	size_t n = strlen(w);

	if ((size_t)(j->end - j->at) < n || memcmp(j->at, w, n) != 0)
		return false;
	j->at += n;
	return true;
}

/* An object or array after its opening bracket; a comma before the closing one is let pass. */
static bool members(struct json *j, int depth, char close)
{
	for (;;) {
		skip(j);
		if (j->at < j->end && *j->at == close) {
			j->at++;
			j->nested = true;
			return true;
		}
		if (close == '}') {
			if (j->at == j->end || *j->at++ != '"' || !string(j))
				return false;
			skip(j);
			if (j->at == j->end || *j->at++ != ':')
				return false;
		}
		if (!value(j, depth + 1))
			return false;
		skip(j);
		if (j->at < j->end && *j->at == ',')
			j->at++;
		else if (j->at == j->end || *j->at != close)
			return false;
	}
}

static bool value(struct json *j, int depth)
{
	sys_checkpoint(j->p);
	skip(j);
	if (j->at == j->end || depth > JSON_DEPTH_MAX || !sys_stack(j->p, 4096))
		return false;
	switch (*j->at) {
	case '{': j->at++; return members(j, depth, '}');
	case '[': j->at++; return members(j, depth, ']');
	case '"': j->at++; return string(j);
	case 't': return word(j, "true");
	case 'f': return word(j, "false");
	case 'n': return word(j, "null");
	default: return number(j);
	}
}

bool file_json(struct proc *p, const char *s, size_t n, struct file_kind *k)
{
	struct json j = {.at = (const unsigned char *)s, .end = (const unsigned char *)s + n, .p = p};
	size_t values = 0;

	do {
		if (!value(&j, 0) || !j.nested)
			return false;
		values++;
		skip(&j);
	} while (j.at < j.end);
	*k = values > 1 ? (struct file_kind){"New Line Delimited JSON text data", "application/x-ndjson", "ndjson/json", FILE_TAIL_NONE} :
			  (struct file_kind){"JSON text data", "application/json", "json", FILE_TAIL_NONE};
	return true;
}

/* Three lines and more with the same number of commas, of which the first ten count. */
bool file_csv(struct proc *p, const char *s, size_t n, struct file_kind *k)
{
	size_t commas = 0, want = 0, lines = 0;
	bool quoted = false;

	for (size_t i = 0; i < n && lines < CSV_LINES; i++) {
		sys_checkpoint(p);
		if (s[i] == '"') {
			quoted = !quoted;
		} else if (!quoted && s[i] == ',') {
			commas++;
		} else if (!quoted && s[i] == '\n') {
			if (lines == 0)
				want = commas;
			if (!want || commas != want)
				return false;
			lines++;
			commas = 0;
		}
	}
	if (lines < 3)
		return false;
	*k = (struct file_kind){"CSV text", "text/csv", "csv", FILE_TAIL_NONE};
	return true;
}
