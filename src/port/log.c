/* log.c - what a run took in, in the order in which it did. */
#include "log.h"

#include <stdlib.h>

static const char *const names[] = {
	[LOG_CLOCK_REAL] = "the time of day", [LOG_CLOCK_MONO] = "the clock", [LOG_CLOCK_CPU] = "the processor's clock",
	[LOG_RANDOM] = "random bytes", [LOG_FD_READ] = "reading a descriptor", [LOG_FD_WRITE] = "writing a descriptor",
	[LOG_FD_IS_FILE] = "what a descriptor is", [LOG_FD_SAME] = "whether two descriptors are one", [LOG_POLL] = "waiting",
	[LOG_SANDBOX] = "a new sandbox", [LOG_LOAD] = "a loaded sandbox", [LOG_START] = "the start of a run", [LOG_STEP] = "a step",
	[LOG_WAIT] = "asking what is waited for", [LOG_BLOCK] = "waiting for something to do", [LOG_DRIVE] = "running to the end",
	[LOG_FINISH] = "the end of a run", [LOG_RESULT] = "the result", [LOG_CALL] = "a command of the host's",
	[LOG_CALLED] = "its return", [LOG_COMPLETE] = "a command's completion", [LOG_NESTED] = "a nested run",
	[LOG_NESTED_DONE] = "the end of a nested run", [LOG_NESTED_TOLD] = "the end of telling it", [LOG_CANCEL] = "a cancel",
	[LOG_FILE] = "a call on files", [LOG_FILE_DONE] = "the end of a call on files",
	[LOG_RESUME] = "taking output again", [LOG_OUTPUT] = "handing over output", [LOG_USERFS] = "a filesystem of the host's",
	[LOG_USERFS_DONE] = "its completion",
};

static const char *const calls[] = {
	"opening a mount", "close", "open", "walk", "stat", "fstat", "readlink", "access", "mkdir", "unlink", "rmdir", "rename", "link",
	"symlink", "mkfifo", "chmod", "chown", "utimes", "truncate", "statfs", "read", "write", "append", "ftruncate", "readdir", "rewinddir",
};

const char *log_name(int tag)
{
	if (tag < 0)
		return "its end";
	if (tag >= LOG_FILES && (size_t)(tag - LOG_FILES) < COUNTOF(calls))
		return calls[tag - LOG_FILES];
	return (size_t)tag < COUNTOF(names) && names[tag] ? names[tag] : "something unknown";
}

/* ---- Writing ------------------------------------------------------------------------ */

void log_release(struct log *l)
{
	free(l->v);
	*l = (struct log){0};
}

static unsigned char *room(struct log *l, size_t n)
{
	if (!l->full && n > l->cap - l->len) {
		size_t cap = MAX(l->cap * 2, l->len + n + 4096);
		unsigned char *more = n <= l->max - l->len ? realloc(l->v, MIN(cap, l->max)) : NULL;

		if (more) {
			l->v = more;
			l->cap = MIN(cap, l->max);
		}
		l->full = !more;
	}
	return l->full ? NULL : l->v + l->len;
}

void log_tag(struct log *l, int tag)
{
	unsigned char *at = room(l, 1);

	if (at) {
		*at = (unsigned char)tag;
		l->len++;
	}
}

/* Sign in the lowest bit, seven bits a byte, the highest says that more come. */
void log_number(struct log *l, int64_t v)
{
	uint64_t u = (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
	unsigned char *at = room(l, 10);

	for (; at && u >= 128; u >>= 7, l->len++)
		*at++ = (unsigned char)(u | 128);
	if (at) {
		*at = (unsigned char)u;
		l->len++;
	}
}

void log_bytes(struct log *l, const void *p, size_t n)
{
	unsigned char *at;

	log_number(l, (int64_t)n);
	at = room(l, n);
	if (at && n) {
		memcpy(at, p, n);
		l->len += n;
	}
}

void log_string(struct log *l, const char *s)
{
	log_tag(l, s != NULL);
	if (s)
		log_bytes(l, s, strlen(s));
}

/* ---- Reading ------------------------------------------------------------------------ */

int log_next(const struct log_reader *r)
{
	return r->at < r->end && !r->bad ? *r->at : -1;
}

void log_skip(struct log_reader *r)
{
	if (log_next(r) < 0)
		r->bad = true;
	else
		r->at++;
	r->events++;
}

int64_t log_take_number(struct log_reader *r)
{
	uint64_t u = 0;

	for (unsigned shift = 0; shift < 64 && r->at < r->end && !r->bad; shift += 7) {
		unsigned char c = *r->at++;

		u |= (uint64_t)(c & 127) << shift;
		if (c < 128)
			return (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
	}
	r->bad = true;
	return 0;
}

const void *log_take_bytes(struct log_reader *r, size_t *n)
{
	int64_t len = log_take_number(r);
	const void *at = r->at;

	*n = 0;
	if (r->bad || len < 0 || len > r->end - r->at) {
		r->bad = true;
		return NULL;
	}
	*n = (size_t)len;
	r->at += len;
	return at;
}

char *log_take_string(struct log_reader *r)
{
	bool there = r->at < r->end && *r->at++ == 1;
	const void *p;
	char *copy;
	size_t n;

	if (!there)
		return NULL;
	p = log_take_bytes(r, &n);
	if (!p || memchr(p, 0, n)) {
		r->bad = true;
		return NULL;
	}
	copy = malloc(n + 1);
	if (!copy) {
		r->bad = true;
		return NULL;
	}
	memcpy(copy, p, n);
	copy[n] = '\0';
	return copy;
}

uint32_t log_digest(uint32_t before, const void *p, size_t n)
{
	const unsigned char *s = p;
	uint64_t h = before ^ (uint64_t)n << 32 ^ 0x9e3779b97f4a7c15u;

	while (n > 0) {
		size_t part = MIN(n, (size_t)8);
		uint64_t v = 0;

		memcpy(&v, s, part);
		h = (h ^ v) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
		s += part;
		n -= part;
	}
	return (uint32_t)(h ^ h >> 29);
}
