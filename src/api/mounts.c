/* mounts.c - what a configuration mounts: opened once a plan, or made for each sandbox. */
#include "api.h"

#include <stdlib.h>

#include "../fs/bounded.h"
#include "../fs/host.h"
#include "../fs/overlay.h"
#include "../fs/romfs.h"
#include "../guest/guest.h"
#include "../vfs/mount.h"

#define OWN (&guest_code_python ? 4u : 3u) /* mounts of nacre's own come first: /usr/bin, /dev, /proc, Python's library where it was built in */

static bool is_own(const struct api_mount *m)
{
	return m->flags == NACRE_MOUNT_OVERLAY || m->flags == NACRE_MOUNT_MEMORY;
}

/* Counts what is there; *fs is replaced, or given back on failure. */
static int bound(const struct api_mount *m, struct quota *q, struct fs **fs)
{
	const struct fs_bounds bounds = {m->max_bytes, m->max_files, m->max_file_size};
	struct fs *below = *fs;
	int e = fs_bounded_new(q, below, &bounds, fs);

	fs_put(below);
	return e;
}

/* What of the mount can be shared by all sandboxes of the plan. 1: it is not there and need not be. */
static int open_mount(struct plan *plan, const struct api_mount *m, struct quota *q, struct mount *out)
{
	int e = 0;

	*out = (struct mount){.at = m->at, .read_only = m->flags == NACRE_MOUNT_READ_ONLY, .source = *m->host ? m->host : "memfs"};
	if (m->flags == NACRE_MOUNT_MEMORY)
		return 0;
	if (m->is_user || m->is_objects) {
		nacre_object_store store = m->objects;

		store.prefix = m->host;
		out->source = m->is_user ? "userfs" : "objectfs";
		e = m->is_user ? userfs_new(plan->rt, &m->user, &out->fs) : objects_new(plan->rt, &store, out->read_only, &out->fs);
		if (e == 0 && m->flags == NACRE_MOUNT_READ_WRITE && (m->max_bytes || m->max_files || m->max_file_size))
			e = bound(m, q, &out->fs);
		return e < 0 ? runtime_fail(plan->rt, e, "cannot mount at %s: %s", m->at, errno_text(e)) : 0;
	}
	/* An overlay writes below only when it is committed. */
	e = fs_host_new(plan->rt->port, q, m->host,
			m->flags == NACRE_MOUNT_READ_ONLY ? FS_HOST_READ_ONLY :
			m->flags == NACRE_MOUNT_OVERLAY	  ? FS_HOST_READ_WRITE | FS_HOST_OWNERS :
							    FS_HOST_READ_WRITE,
			&out->fs);
	if (e == 0 && m->flags == NACRE_MOUNT_READ_WRITE && (m->max_bytes || m->max_files || m->max_file_size))
		e = bound(m, q, &out->fs);
	if (e < 0 && m->optional && plan_warn(plan, m->at, e))
		return 1;
	if (e < 0)
		return runtime_fail(plan->rt, e, "cannot mount '%s' at %s: %s", m->host, m->at, errno_text(e));
	return 0;
}

/* A table of all mounts, with something in the place of those that sandboxes make. */
static int make_points(struct plan *plan, struct quota *q)
{
	struct mount *v = calloc(plan->nmounts, sizeof(*v));
	size_t bad = 0;
	int e;

	if (!v)
		return -NACRE_ENOMEM;
	memcpy(v, plan->mounts, plan->nmounts * sizeof(*v));
	for (size_t i = OWN; i < plan->nmounts; i++)
		if (is_own(plan->of[i]))
			v[i].fs = plan->dev;
	e = mount_table_new(q, v, plan->nmounts, &bad, &plan->points);
	if (e == -NACRE_EINVAL)
		runtime_fail(plan->rt, e, "cannot mount at %s", v[bad].at);
	free(v);
	return e;
}

int plan_mounts(struct plan *plan, struct quota *q)
{
	const struct settings *s = plan->settings;
	int e = 0;

	plan->mounts = calloc(s->nmounts + OWN, sizeof(*plan->mounts));
	plan->of = calloc(s->nmounts + OWN, sizeof(*plan->of));
	if (!plan->mounts || !plan->of)
		return -NACRE_ENOMEM;
	plan->mounts[0] = (struct mount){.at = "/usr/bin", .fs = fs_get(plan->bin), .source = "nacre"};
	plan->mounts[1] = (struct mount){.at = "/dev", .fs = fs_get(plan->dev), .source = "nacre"};
	plan->mounts[2] = (struct mount){.at = "/proc", .fs = fs_get(plan->proc), .source = "proc"};
	if (&guest_code_python) {
		plan->mounts[3] = (struct mount){.at = guest_code_python.rom_at, .source = "nacre", .read_only = true};
		e = fs_rom_new(q, guest_code_python.rom, &plan->mounts[3].fs);
	}
	plan->nmounts = OWN;
	for (size_t i = 0; i < s->nmounts && e == 0; i++) {
		e = open_mount(plan, &s->mounts[i], q, &plan->mounts[plan->nmounts]);
		if (e == 0) {
			plan->of[plan->nmounts++] = &s->mounts[i];
			plan->nown += is_own(&s->mounts[i]);
		}
		e = MIN(e, 0);
	}
	if (e == 0)
		e = make_points(plan, q);
	if (e == 0 && plan->nown == 0)
		plan->config.mounts = plan->points;
	return e;
}

/* ---- A sandbox's own ------------------------------------------------------------------ */

static int make_own(nacre_sandbox *sb, const struct api_mount *m, const struct mount *shared, struct fs *from, struct fs **out)
{
	struct fs_mem_config mem = sandbox_mem_config(sb);

	mem.max_bytes = m->max_bytes;
	mem.max_files = m->max_files;
	mem.max_file_size = m->max_file_size;
	if (m->flags == NACRE_MOUNT_MEMORY)
		return from ? fs_mem_branch(from, sb->rt->store, &mem, out) : fs_mem_new(sb->rt->store, &mem, out);
	return from ? fs_overlay_branch(shared->fs, from, sb->rt->store, &mem, out) :
		      fs_overlay_new(shared->fs, sb->rt->store, &mem, out);
}

int sandbox_mounts(nacre_sandbox *sb, struct fs *const *from)
{
	const struct plan *plan = sb->plan;
	struct mount_table *table;
	struct mount *v;
	size_t bad;
	int e = 0;

	if (plan->nown == 0)
		return 0;
	v = malloc(plan->nmounts * sizeof(*v));
	sb->own = calloc(plan->nmounts, sizeof(*sb->own));
	if (!v || !sb->own) {
		free(v);
		return -NACRE_ENOMEM;
	}
	memcpy(v, plan->mounts, plan->nmounts * sizeof(*v));
	for (size_t i = OWN; i < plan->nmounts && e == 0; i++) {
		const struct api_mount *m = plan->of[i];

		if (!is_own(m))
			continue;
		e = make_own(sb, m, &plan->mounts[i], from ? from[i] : NULL, &sb->own[i]);
		v[i].fs = sb->own[i];
	}
	if (e == 0)
		e = mount_table_new(sandbox_quota(sb->kernel), v, plan->nmounts, &bad, &table);
	for (size_t i = OWN; i < plan->nmounts; i++)
		if (sb->own[i])
			fs_put(sb->own[i]);
	if (e == 0)
		sandbox_set_mounts(sb->kernel, table);
	free(v);
	return e;
}

/* ---- Usage ---------------------------------------------------------------------------- */

static int find_mount(nacre_sandbox *sb, const char *at, size_t *place, struct fs **out)
{
	const struct plan *plan = sb->plan;

	for (size_t i = OWN; at && i < plan->nmounts; i++)
		if (streq(plan->mounts[i].at, at)) {
			*place = i;
			*out = sb->own && sb->own[i] ? sb->own[i] : plan->mounts[i].fs;
			sb->rt->error[0] = '\0';
			return 0;
		}
	return runtime_fail(sb->rt, -NACRE_ENOENT, "there is no mount at %s", at ? at : "");
}

/* False: nothing of it is counted. */
static bool usage_of(const nacre_sandbox *sb, size_t i, uint64_t *bytes, uint64_t *files)
{
	struct fs *own = sb->own ? sb->own[i] : NULL, *fs = own ? own : sb->plan->mounts[i].fs;
	struct fs_bounded_usage bounded;
	struct fs_mem_usage mem;

	if (fs_is_bounded(fs)) {
		fs_bounded_usage(fs, &bounded);
		*bytes = bounded.bytes;
		*files = bounded.files;
	} else if (own) {
		fs_mem_usage(fs_is_overlay(fs) ? fs_overlay_above(fs) : fs, &mem);
		*bytes = mem.bytes;
		*files = mem.files;
	}
	return fs_is_bounded(fs) || own;
}

int nacre_mount_usage(uint64_t *bytes, uint64_t *files, nacre_sandbox *sb, const char *at)
{
	struct fs *fs;
	size_t i;
	int e = find_mount(sb, at, &i, &fs);

	if (e == 0 && !usage_of(sb, i, bytes, files))
		e = runtime_fail(sb->rt, -NACRE_EINVAL, "the mount at %s has no quota: nothing is counted", at);
	return e;
}

void mounts_usage(const nacre_sandbox *sb, uint64_t *bytes, uint64_t *files)
{
	struct fs_mem_usage root;
	uint64_t b, f;

	fs_mem_usage(sandbox_root(sb->kernel), &root);
	*bytes = root.bytes;
	*files = root.files;
	for (size_t i = OWN; i < sb->plan->nmounts; i++)
		if (usage_of(sb, i, &b, &f)) {
			*bytes += b;
			*files += f;
		}
}

static int find_bounded(nacre_sandbox *sb, const char *at, struct fs **out)
{
	int e = recording_refuses(sb->rt);
	size_t i;

	if (e == 0)
		e = find_mount(sb, at, &i, out);
	if (e == 0 && !fs_is_bounded(*out))
		e = runtime_fail(sb->rt, -NACRE_EINVAL, "the mount at %s is not a host directory with a quota", at);
	return e;
}

int nacre_mount_refresh(nacre_sandbox *sb, const char *at)
{
	struct fs *fs;
	int e = find_bounded(sb, at, &fs);

	if (e == 0 && (e = fs_bounded_refresh(fs)) < 0)
		runtime_fail(sb->rt, e, "cannot count %s: %s", at, errno_text(e));
	return e;
}

int nacre_mount_set_usage(nacre_sandbox *sb, const char *at, uint64_t bytes, uint64_t files)
{
	const struct fs_bounded_usage usage = {bytes, files};
	struct fs *fs;
	int e = find_bounded(sb, at, &fs);

	if (e == 0)
		fs_bounded_set(fs, &usage);
	return e;
}
