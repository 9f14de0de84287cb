/*
 * fixture.h - what the tests of filesystems share: checks, counted memory that can be made to
 * fail, a clock that moves when told, a tree with a vfs on it.
 */
#ifndef NACRE_TESTS_FS_FIXTURE_H
#define NACRE_TESTS_FS_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../src/fs/bin.h"
#include "../../../src/fs/dev.h"
#include "../../../src/fs/host.h"
#include "../../../src/fs/mem.h"
#include "../../../src/vfs/mount.h"

static int failures;

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #cond);                \
			failures++;                                                                \
		}                                                                                  \
	} while (0)

#define CHECK_INT(got, want)                                                                       \
	do {                                                                                       \
		long long got_ = (got), want_ = (want);                                            \
		if (got_ != want_) {                                                               \
			printf("%s:%d: %s is %lld (%s), not %lld (%s)\n", __FILE__, __LINE__,      \
			       #got, got_, got_ < 0 ? errno_name((int)got_) : "-", want_,          \
			       want_ < 0 ? errno_name((int)want_) : "-");                          \
			failures++;                                                                \
		}                                                                                  \
	} while (0)

/* Memory that is counted. Guard words catch a wrong size at put. */
struct counted {
	struct memory memory;
	uint64_t live, blocks, gets;
	uint64_t fail_at; /* the get with this number fails, from then on all when `all` */
	bool all;
};

static void *counted_get(struct memory *m, size_t n)
{
	struct counted *c = (struct counted *)(void *)m;
	size_t *p;

	c->gets++;
	if (c->fail_at && (c->gets == c->fail_at || (c->all && c->gets > c->fail_at)))
		return NULL;
	p = malloc(n + 16);
	if (!p)
		abort();
	p[0] = n;
	p[1] = 0x5afe5afe5afe5afe;
	c->live += n;
	c->blocks++;
	memset(p + 2, 0xa5, n);
	return p + 2;
}

static void counted_put(struct memory *m, void *at, size_t n)
{
	struct counted *c = (struct counted *)(void *)m;
	size_t *p = (size_t *)at - 2;

	if (p[0] != n || p[1] != 0x5afe5afe5afe5afe) {
		printf("put of %zu bytes that were got as %zu\n", n, p[0]);
		abort();
	}
	memset(p, 0xdd, n + 16);
	free(p);
	c->live -= n;
	c->blocks--;
}

static struct sys_time fake_now = {1700000000, 0};

static struct sys_time fixture_now(void *ctx)
{
	(void)ctx;
	fake_now.nsec++;
	return fake_now;
}

/* A world: memory, a store, quotas, and a vfs over a root. */
/* The real machine, for filesystems of it. */
static inline struct port *host_port(void)
{
	static struct port *port;

	return port ? port : (port = port_linux_new());
}

struct world {
	struct counted counted;
	struct mem_store *store;
	struct quota quota;
	struct vfs vfs;
	struct vfs_who who;
	unsigned denials;
	struct policy_denial last;
	char last_path[SYS_PATH_MAX];
};

static UNUSED struct fs_mem_config world_config(struct world *w, uint32_t uid)
{
	return (struct fs_mem_config){.quota = &w->quota,
	                              .now = fixture_now,
	                              .seed = 0x1234567890abcdef,
	                              .uid = uid,
	                              .gid = uid};
}

static void world_denied(void *ctx, const struct policy_denial *d)
{
	struct world *w = ctx;

	w->denials++;
	w->last = *d;
	snprintf(w->last_path, sizeof(w->last_path), "%s", d->path);
}

static UNUSED void world_init(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->counted.memory = (struct memory){counted_get, counted_put};
	w->quota.memory = &w->counted.memory;
	w->store = mem_store_new(&w->counted.memory);
	w->vfs.denied = world_denied;
	w->vfs.ctx = w;
	w->who = (struct vfs_who){.vfs = &w->vfs, .cwd = "/", .umask = 022, .quota = &w->quota};
}

/* Everything must be back. */
static UNUSED void world_end(struct world *w)
{
	if (w->vfs.root)
		fs_put(w->vfs.root);
	mount_table_put(w->vfs.mounts);
	policy_put(w->vfs.policy);
	CHECK_INT((int64_t)w->quota.used, 0);
	CHECK_INT(w->quota.live, 0);
	CHECK_INT((int64_t)mem_store_blocks(w->store) - (mem_store_blocks(w->store) ? 1 : 0),
	          0); /* a spare slab */
	mem_store_free(w->store);
	CHECK_INT((int64_t)w->counted.live, 0);
	CHECK_INT((int64_t)w->counted.blocks, 0);
}

/* ---- Files in one call, through the vfs ---- */

static UNUSED int put_file(struct world *w, const char *path, const char *text)
{
	struct file *f;
	size_t n = strlen(text);
	int64_t got;
	int err = vfs_open(&w->who, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666, &f);

	if (err)
		return err;
	got = f->ops->write(f, text, n, -1);
	file_put(f);
	return got == (int64_t)n ? 0 : got < 0 ? (int)got : -NACRE_ENOSPC;
}

/* The text, in a static buffer; "-ENAME" on error. */
static UNUSED const char *get_file(struct world *w, const char *path)
{
	static char buf[100001];
	struct file *f;
	int64_t got;
	int err = vfs_open(&w->who, path, SYS_O_READ, 0, &f);

	if (err) {
		snprintf(buf, sizeof(buf), "-%s", errno_name(err));
		return buf;
	}
	got = f->ops->read ? f->ops->read(f, buf, sizeof(buf) - 1, -1) : -NACRE_EISDIR;
	file_put(f);
	if (got < 0)
		snprintf(buf, sizeof(buf), "-%s", errno_name((int)got));
	else
		buf[got] = '\0';
	return buf;
}

/* The names in a directory, each followed by a space; "-ENAME" on error. */
static UNUSED const char *list(struct world *w, const char *path)
{
	static char buf[20000];
	size_t n = 0;
	struct sys_dirent e;
	struct file *f;
	int got = vfs_open(&w->who, path, SYS_O_READ | SYS_O_DIRECTORY, 0, &f);

	if (got == 0) {
		while ((got = f->ops->readdir(f, &e)) > 0)
			n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%.*s ", (int)e.len,
			                      e.name);
		file_put(f);
	}
	buf[n] = '\0';
	if (got < 0)
		snprintf(buf, sizeof(buf), "-%s", errno_name(got));
	return buf;
}

#define CHECK_STR(got, want)                                                                       \
	do {                                                                                       \
		const char *got_ = (got);                                                          \
		if (strcmp(got_, want) != 0) {                                                     \
			printf("%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #got,      \
			       got_, want);                                                        \
			failures++;                                                                \
		}                                                                                  \
	} while (0)

static UNUSED int finish(const char *name)
{
	printf("%s: %s\n", name, failures ? "FAILED" : "ok");
	return failures ? 1 : 0;
}

#endif
