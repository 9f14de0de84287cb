/* config_mounts.c - the part of a configuration that says what is mounted where. */
#include "api.h"

#include <stdlib.h>

/* In the tree that sandboxes start from /lib is a link to /usr/lib; a mount below it lies where that leads. */
static bool mounted_at(const struct api_mount *m, const char *at)
{
	return streq(m->at, at) || (strncmp(at, "/lib/", 5) == 0 && strncmp(m->at, "/usr", 4) == 0 && streq(m->at + 4, at));
}

static char *place_of(const char *at)
{
	size_t n = strlen(at) + 1;
	char *p = malloc(n + 4);

	if (p && strncmp(at, "/lib/", 5) == 0) {
		memcpy(p, "/usr", 4);
		memcpy(p + 4, at, n);
	} else if (p) {
		memcpy(p, at, n);
	}
	return p;
}

int nacre_config_mount(nacre_config *cfg, const char *host, const char *at, unsigned flags)
{
	static const char *const own[] = {"/bin", "/usr/bin", "/sbin", "/dev", "/proc"};
	struct settings *s;
	struct api_mount *m;

	if (flags > NACRE_MOUNT_MEMORY)
		return config_fail(cfg, -NACRE_EINVAL, "unknown mount flags");
	if (flags == NACRE_MOUNT_MEMORY)
		host = "";
	else if (!host || !*host)
		return config_fail(cfg, -NACRE_EINVAL, "a mount needs a host directory");
	if (!at)
		return config_fail(cfg, -NACRE_EINVAL, "a mount needs a path");
	if (streq(at, "/"))
		return config_fail(cfg, -NACRE_EINVAL, "cannot mount over /");
	if (!config_is_clean(at))
		return config_fail(cfg, -NACRE_EINVAL, "'%s' is not an absolute path without . or .. and without a slash at its end", at);
	for (size_t i = 0; i < COUNTOF(own); i++)
		if (streq(at, own[i]))
			return config_fail(cfg, -NACRE_EINVAL, "%s is nacre's own", at);
	for (size_t i = 0; i < cfg->now->nmounts; i++)
		if (mounted_at(&cfg->now->mounts[i], at))
			return config_fail(cfg, -NACRE_EEXIST, "there is a mount at %s already", at);
	s = config_writable(cfg);
	if (!s)
		return config_no_memory(cfg);
	m = &s->mounts[s->nmounts];
	*m = (struct api_mount){.host = strdup(host), .at = place_of(at), .flags = flags};
	s->nmounts++;
	return m->host && m->at ? config_done(cfg) : config_no_memory(cfg);
}

int nacre_config_mount_fs(nacre_config *cfg, const nacre_filesystem *fs, const char *at, unsigned flags)
{
	struct settings *s;
	int e;

	if (!fs || fs->size < sizeof(*fs))
		return config_fail(cfg, -NACRE_EINVAL, "the size of nacre_filesystem is not set");
	if (flags > NACRE_MOUNT_READ_WRITE)
		return config_fail(cfg, -NACRE_EINVAL, "unknown mount flags");
	if (!fs->stat || !fs->readdir || !fs->open || !fs->read_at || !fs->close)
		return config_fail(cfg, -NACRE_EINVAL, "a filesystem needs stat, readdir, open, read_at and close");
	if (flags == NACRE_MOUNT_READ_WRITE && (!fs->mkdir || !fs->rename || !fs->unlink || !fs->rmdir || !fs->write_at || !fs->truncate))
		return config_fail(cfg, -NACRE_EINVAL, "a filesystem to be written needs mkdir, rename, unlink, rmdir, write_at and truncate");
	/* The same checks of the path; "user" stands for no directory of the host's. */
	e = nacre_config_mount(cfg, "user", at, flags);
	if (e < 0)
		return e;
	s = cfg->now;
	s->mounts[s->nmounts - 1].is_user = true;
	s->mounts[s->nmounts - 1].user = *fs;
	return 0;
}

/* "": all keys; else with one slash at its end, so that nothing that only begins alike is in it. */
static char *whole_prefix(const char *prefix)
{
	size_t n = prefix ? strlen(prefix) : 0;
	char *s = malloc(n + 2);

	if (s && n)
		memcpy(s, prefix, n);
	if (s)
		memcpy(s + n, n && s[n - 1] != '/' ? "/" : "", n && s[n - 1] != '/' ? 2 : 1);
	return s;
}

int nacre_config_mount_objects(nacre_config *cfg, const nacre_object_store *store, const char *at, unsigned flags)
{
	struct api_mount *m;
	char *prefix;
	int e;

	if (!store || store->size < sizeof(*store))
		return config_fail(cfg, -NACRE_EINVAL, "the size of nacre_object_store is not set");
	if (flags > NACRE_MOUNT_READ_WRITE)
		return config_fail(cfg, -NACRE_EINVAL, "unknown mount flags");
	if (!store->list || !store->head || !store->get)
		return config_fail(cfg, -NACRE_EINVAL, "an object store needs list, head and get");
	if (flags == NACRE_MOUNT_READ_WRITE && !store->read_only &&
	    (!store->put || !store->copy || !store->remove || !store->upload_begin || !store->upload_part || !store->upload_complete ||
	     !store->upload_abort))
		return config_fail(cfg, -NACRE_EINVAL, "an object store to be written needs put, copy, remove and the upload_ functions");
	if ((store->prefix && strlen(store->prefix) > 1000) || store->part_size > (uint64_t)1 << 32 || store->list_ttl_ns < 0)
		return config_fail(cfg, -NACRE_EINVAL, "the prefix, the size of parts or the time of listings is out of range");
	/* The same checks of the path. */
	e = nacre_config_mount(cfg, "objects", at, flags);
	if (e < 0)
		return e;
	m = &cfg->now->mounts[cfg->now->nmounts - 1];
	prefix = whole_prefix(store->prefix);
	if (!prefix) {
		free(m->host);
		free(m->at);
		cfg->now->nmounts--;
		return config_no_memory(cfg);
	}
	free(m->host);
	m->host = prefix;
	m->is_objects = true;
	m->objects = *store;
	return 0;
}

int nacre_config_mount_quota(nacre_config *cfg, const char *at, uint64_t max_bytes, uint64_t max_files, uint64_t max_file_size)
{
	struct settings *s = config_writable(cfg);

	if (!s)
		return config_no_memory(cfg);
	for (size_t i = 0; at && i < s->nmounts; i++) {
		struct api_mount *m = &s->mounts[i];

		if (!mounted_at(m, at))
			continue;
		if (m->flags == NACRE_MOUNT_READ_ONLY)
			return config_fail(cfg, -NACRE_EINVAL, "the mount at %s is read-only", at);
		m->max_bytes = max_bytes;
		m->max_files = max_files;
		m->max_file_size = max_file_size;
		return config_done(cfg);
	}
	return config_fail(cfg, -NACRE_ENOENT, "there is no mount at %s", at ? at : "");
}
