/* shared.c - what procs share by references: working directories and environments. */
#include "proc.h"

struct cwd *cwd_new(struct quota *q, const char *path, size_t len)
{
	struct cwd *c = kalloc(q, sizeof(*c) + len + 1);

	if (!c)
		return NULL;
	c->refs = 1;
	c->len = (uint32_t)len;
	memcpy(c->path, path, len);
	c->path[len] = '\0';
	return c;
}

void cwd_put(struct cwd *c, struct quota *q)
{
	if (--c->refs == 0)
		kfree(q, c, sizeof(*c) + c->len + 1);
}

struct env *env_new(struct quota *q, char *const *env)
{
	size_t n = 0, bytes = 0, size;
	struct env *e;
	char *at;

	for (; env[n]; n++)
		bytes = size_add(bytes, strlen(env[n]) + 1);
	size = size_add(sizeof(*e) + (n + 1) * sizeof(char *), bytes);
	e = size == SIZE_MAX ? NULL : kalloc(q, size);
	if (!e)
		return NULL;
	e->refs = 1;
	e->size = size;
	e->base = NULL;
	at = (char *)(e->v + n + 1);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(env[i]) + 1;

		e->v[i] = memcpy(at, env[i], len);
		at += len;
	}
	e->v[n] = NULL;
	return e;
}

struct env *env_with(struct quota *q, struct env *base, const char *last)
{
	size_t n = 0, at = 0, len = strlen(last) + 1, name = (size_t)(strchrnul(last, '=') - last) + 1, size;
	struct env *e;

	while (base->v[n])
		n++;
	size = size_add(sizeof(*e) + (n + 2) * sizeof(char *), len);
	e = size == SIZE_MAX ? NULL : kalloc(q, size);
	if (!e)
		return NULL;
	e->refs = 1;
	e->size = size;
	e->base = env_get(base);
	for (size_t i = 0; i < n; i++)
		if (base->v[i][0] != last[0] || strncmp(base->v[i], last, name) != 0)
			e->v[at++] = base->v[i];
	e->v[at] = memcpy(e->v + n + 2, last, len);
	e->v[at + 1] = NULL;
	return e;
}

void env_put(struct env *e, struct quota *q)
{
	struct env *base;

	for (; e && --e->refs == 0; e = base) {
		base = e->base;
		kfree(q, e, e->size);
	}
}
