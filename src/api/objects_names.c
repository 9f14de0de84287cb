/* objects_names.c - an object store as a filesystem: making, removing, renaming. */
#include "objects.h"

#include <stdlib.h>

/* ---- Names -------------------------------------------------------------------------------------- */

int objects_may_change(struct objectfs *o, const char *path)
{
	objects_forget_listing(o);
	return objects_check_names(path);
}

int objects_mkdir(struct fs *fs, const char *path, unsigned mode)
{
	struct objectfs *o = objects_of(fs);
	int e = objects_may_change(o, path);

	(void)mode;
	return e ? e : objects_put_marker(o, path, true);
}

/* 0: it has nothing but perhaps the object that stands for it. */
static int check_empty(struct objectfs *o, const char *path, bool *marked)
{
	nacre_fs_op *list;
	int e = objects_look_below(o, path, 2, &list);

	*marked = false;
	if (e < 0)
		return e;
	for (size_t i = 0; i < list->nnames; i++) {
		*marked |= !*list->names[i].s;
		if (*list->names[i].s)
			e = -NACRE_ENOTEMPTY;
	}
	if (e == 0 && !list->nnames && !objects_is_kept(o, path))
		e = -NACRE_ENOENT;
	userfs_op_put(list);
	return e;
}

static int remove_dir(struct objectfs *o, const char *path)
{
	nacre_object now;
	char *marker;
	bool marked;
	int e = check_empty(o, path, &marked);

	if (e == -NACRE_ENOENT && objects_find_file(o, path, &now) == 0)
		return -NACRE_ENOTDIR;
	if (e == 0 && marked) {
		marker = objects_with_slash(path);
		e = marker ? objects_remove(o, marker) : -NACRE_ENOMEM;
		free(marker);
	}
	if (e < 0)
		return e;
	objects_forget_kept(o, path);
	return objects_keep_parent(o, path);
}

int objects_rmdir(struct fs *fs, const char *path)
{
	struct objectfs *o = objects_of(fs);
	int e = objects_may_change(o, path);

	return e ? e : !*path ? -NACRE_EBUSY : remove_dir(o, path);
}

int objects_unlink(struct fs *fs, const char *path)
{
	struct objectfs *o = objects_of(fs);
	struct sys_stat st;
	int e = objects_may_change(o, path);

	if (e == 0)
		e = objects_stat(o, path, &st);
	if (e == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR)
		e = -NACRE_EISDIR;
	if (e == 0)
		e = nodes_detach(o, path);
	if (e == 0)
		e = objects_remove(o, path);
	return e ? e : objects_keep_parent(o, path);
}

static int move_file(struct objectfs *o, const char *from, const char *to)
{
	nacre_object now = {.size_of = sizeof(now)};
	int e = nodes_save(o, from);

	if (e == 0)
		e = nodes_detach(o, to);
	if (e == 0)
		e = objects_copy(o, from, to, NULL, &now);
	if (e == 0)
		e = objects_remove(o, from);
	if (e < 0)
		return e;
	nodes_renamed(o, from, to, &now);
	return objects_keep_parent(o, from);
}

/* One key below a directory, copied to the other one; the second time removed. */
static int move_one(struct objectfs *o, const char *from, const char *to, bool copied)
{
	nacre_object now = {.size_of = sizeof(now)};
	int e = copied ? 0 : nodes_save(o, from);

	if (copied)
		return objects_remove(o, from);
	if (e == 0)
		e = objects_copy(o, from, to, NULL, &now);
	if (e == 0)
		nodes_renamed(o, from, to, &now);
	return e;
}

static char *below(const char *dir, const char *name)
{
	size_t n = strlen(dir) + strlen(name) + 2;
	char *s = malloc(n);

	if (s)
		snprintf(s, n, "%s/%s", dir, name);
	return s;
}

/* Every key below `from`, copied and then removed. What fails in the middle leaves both. */
static int move_dir(struct objectfs *o, const char *from, const char *to)
{
	nacre_fs_op *list;
	int e = objects_look_below(o, from, ~0u, &list);

	if (e < 0)
		return e;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < list->nnames && e == 0; i++) {
			char *a = below(from, list->names[i].s), *b = below(to, list->names[i].s);

			e = a && b ? move_one(o, a, b, pass == 1) : -NACRE_ENOMEM;
			free(a);
			free(b);
		}
	/* One without any object goes on standing for itself. */
	if (e == 0 && !list->nnames)
		e = objects_put_marker(o, to, false);
	userfs_op_put(list);
	if (e < 0)
		return e;
	objects_forget_kept(o, from);
	objects_forget_kept(o, to);
	return objects_keep_parent(o, from);
}

static int rename_dir(struct objectfs *o, const char *from, const char *to, const struct sys_stat *target)
{
	size_t n = strlen(from);
	bool marked = false;
	int e = 0;

	if (strncmp(from, to, n) == 0 && to[n] == '/')
		return -NACRE_EINVAL;
	if (target && (target->mode & SYS_S_TYPE) != SYS_S_DIR)
		return -NACRE_ENOTDIR;
	if (target)
		e = check_empty(o, to, &marked);
	if (e == 0 && !o->store.rename_directories)
		e = -NACRE_EXDEV;
	return e ? e : move_dir(o, from, to);
}

int objects_rename(struct fs *fs, const char *from, const char *to, unsigned flags)
{
	struct objectfs *o = objects_of(fs);
	struct sys_stat a, b;
	int e = objects_may_change(o, to), there;

	if (e == 0)
		e = objects_stat(o, from, &a);
	if (e < 0)
		return e;
	there = objects_stat(o, to, &b);
	if (there < 0 && there != -NACRE_ENOENT)
		return there;
	if (there == 0 && (flags & SYS_NOREPLACE))
		return -NACRE_EEXIST;
	if (streq(from, to))
		return 0;
	if ((a.mode & SYS_S_TYPE) == SYS_S_DIR)
		return rename_dir(o, from, to, there == 0 ? &b : NULL);
	if (there == 0 && (b.mode & SYS_S_TYPE) == SYS_S_DIR)
		return -NACRE_EISDIR;
	return move_file(o, from, to);
}
