/* render.c - a result for people and agents: one text; output that was too much, in a file. */
#include "api.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Spilling --------------------------------------------------------------------------- */

static bool write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t w = write(fd, text, n);

		if (w <= 0)
			return false;
		text += w;
		n -= (size_t)w;
	}
	return true;
}

char *spill_write(nacre_runtime *rt, const struct settings *s, int fd, const char *text, size_t n)
{
	size_t size = strlen(s->spill) + 48;
	char *path = malloc(size);
	uint64_t id;
	int out;

	if (!path)
		return NULL;
	rt->port->random(rt->port, &id, sizeof(id));
	snprintf(path, size, "%s/nacre-%016llx-%s", s->spill, (unsigned long long)id, fd == 1 ? "stdout" : "stderr");
	if (recording_replays(rt))
		return path; /* where it was */
	out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out >= 0 && write_all(out, text, n) && close(out) == 0)
		return path;
	if (out >= 0)
		unlink(path);
	free(path);
	return NULL;
}

const char *nacre_result_spill(const nacre_result *res, int fd)
{
	return fd == 1 || fd == 2 ? res->spill[fd] : NULL;
}

/* ---- Rendering ---------------------------------------------------------------------------- */

struct text {
	char *ptr;
	size_t len, cap;
	bool failed;
};

static void put(struct text *t, const char *s, size_t n)
{
	if (t->failed)
		return;
	if (t->len + n + 1 > t->cap) {
		size_t cap = MAX(t->cap * 2, t->len + n + 256);
		char *more = realloc(t->ptr, cap);

		if (!more) {
			t->failed = true;
			return;
		}
		t->ptr = more;
		t->cap = cap;
	}
	memcpy(t->ptr + t->len, s, n);
	t->len += n;
	t->ptr[t->len] = '\0';
}

static void PRINTF(2, 3) line(struct text *t, const char *format, ...)
{
	char buf[1024];
	va_list ap;

	if (t->len && t->ptr[t->len - 1] != '\n')
		put(t, "\n", 1);
	va_start(ap, format);
	vsnprintf(buf, sizeof(buf), format, ap);
	va_end(ap);
	put(t, buf, strlen(buf));
	put(t, "\n", 1);
}

static void put_cuts(struct text *t, const nacre_result *res)
{
	for (int fd = 1; fd <= 2; fd++) {
		const char *name = fd == 1 ? "stdout" : "stderr";

		if (res->dropped[fd] && res->spill[fd])
			line(t, "[%s truncated: %llu bytes dropped; all of it is in %s]", name, (unsigned long long)res->dropped[fd], res->spill[fd]);
		else if (res->dropped[fd])
			line(t, "[%s truncated: %llu bytes dropped]", name, (unsigned long long)res->dropped[fd]);
	}
}

static void put_ending(struct text *t, const nacre_result *res)
{
	switch (res->outcome) {
	case NACRE_TIMED_OUT: line(t, "[timed out after %.3g s]", (double)res->metrics.wall_ns / 1e9); break;
	case NACRE_CANCELED: line(t, "[canceled]"); break;
	case NACRE_LIMITED: line(t, "[limit exceeded: %s]", res->error); break;
	case NACRE_INTERNAL: line(t, "[internal error: %s]", res->error); break;
	default: break;
	}
}

static void put_denials(struct text *t, const nacre_result *res)
{
	size_t n = 0;

	for (const struct denial *d = res->denials; d && n < 10; d = d->next, n++)
		line(t, "[refused by policy (%s): %s %s]", d->d.rule_id, d->d.operation, d->d.path);
	if (res->ndenials + res->denials_dropped > n)
		line(t, "[%llu more refused]", (unsigned long long)(res->ndenials + res->denials_dropped - n));
}

int nacre_result_render(char **text, size_t *len, const nacre_result *res)
{
	struct text t = {0};

	put(&t, res->text[1], res->len[1]);
	if (res->len[2]) {
		line(&t, "[stderr]");
		put(&t, res->text[2], res->len[2]);
	}
	if (!res->len[1] && !res->len[2])
		line(&t, "(no output)");
	put_cuts(&t, res);
	put_ending(&t, res);
	put_denials(&t, res);
	line(&t, "[exit code %d]", res->exit_code);
	*text = t.ptr;
	if (len)
		*len = t.len;
	if (!t.failed)
		return 0;
	free(t.ptr);
	*text = NULL;
	return -NACRE_ENOMEM;
}
