/*
 * policytree.c - may a directory be moved: is anything in it that the policy refuses?
 *
 * Renaming a directory changes the paths of all it holds, so a pattern could stop matching
 * what it protects. Only when a pattern could match below at all is the tree looked through.
 */
#include "path.h"

#include "../abi/errno.h"

#define ENTRIES_MAX 200000u /* looked at before the answer is no */
#define DEPTH_MAX   1024u

/* An open directory and where its path ends. */
struct level {
	struct file *dir;
	size_t len;
};

struct scan {
	const struct vfs_who *w;
	const char *op;
	unsigned access;
	struct fs *fs;
	char *path; /* SYS_PATH_MAX bytes */
	size_t rel; /* where in path the filesystem's own part begins */
	struct level *levels;
	size_t depth;
	uint32_t entries;
};

static int enter(struct scan *s, size_t len)
{
	struct file *dir;
	int err;

	if (s->depth == DEPTH_MAX)
		return -NACRE_EACCES;
	err = s->fs->ops->open(s->fs, s->path + s->rel,
	                       SYS_O_READ | SYS_O_DIRECTORY | SYS_O_NOFOLLOW, 0, s->w->quota, &dir);
	if (err)
		return err;
	s->levels[s->depth++] = (struct level){dir, len};
	return 0;
}

/* What was found at path[0, len). */
static int visit(struct scan *s, size_t len, uint32_t type)
{
	const struct vfs *v = s->w->vfs;
	size_t rule;
	int err = policy_check(v, s->op, s->path, len, s->access, true);

	if (err || (type && type != SYS_S_DIR) ||
	    !policy_refuses_below(v->policy, s->path, s->access, &rule))
		return err;
	err = enter(s, len);
	if (!type && (err == -NACRE_ENOTDIR || err == -NACRE_ELOOP))
		return 0;
	return err;
}

static int next(struct scan *s)
{
	struct level *l = &s->levels[s->depth - 1];
	struct sys_dirent e;
	size_t len;
	int got = l->dir->ops->readdir(l->dir, &e);

	if (got <= 0) {
		file_put(l->dir);
		s->depth--;
		return got;
	}
	len = l->len + 1 + e.len;
	if (len >= SYS_PATH_MAX || ++s->entries > ENTRIES_MAX)
		return -NACRE_EACCES;
	s->path[l->len] = '/';
	memcpy(s->path + l->len + 1, e.name, e.len);
	s->path[len] = '\0';
	return visit(s, len, e.type);
}

int policy_check_tree(const struct vfs_who *w, const char *op, const struct place *dir,
                      unsigned access)
{
	struct scan s = {.w = w, .op = op, .access = access, .fs = dir->fs};
	const size_t levels = DEPTH_MAX * sizeof(*s.levels);
	size_t rule;
	int err;

	if (!w->vfs->policy || !policy_refuses_below(w->vfs->policy, dir->path, access, &rule))
		return 0;
	s.path = kalloc(w->quota, SYS_PATH_MAX);
	s.levels = kalloc(w->quota, levels);
	err = s.path && s.levels ? 0 : -NACRE_ENOMEM;
	if (!err) {
		memcpy(s.path, dir->path, dir->len + 1);
		s.rel = (size_t)(dir->rel - dir->path);
		err = enter(&s, dir->len);
	}
	while (!err && s.depth > 0)
		err = next(&s);
	while (s.depth > 0)
		file_put(s.levels[--s.depth].dir);
	kfree(w->quota, s.path, SYS_PATH_MAX);
	kfree(w->quota, s.levels, levels);
	return err;
}
