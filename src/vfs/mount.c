/* mount.c - the immutable list of mounts, one block with its strings behind it. */
#include "mount.h"

#define FIRST_DEV 16u /* device numbers below are the fixed ones of the filesystems themselves */

static bool is_clean(const char *at)
{
	if (at[0] != '/' || !at[1] || strlen(at) >= SYS_PATH_MAX)
		return false;
	while (*at) {
		size_t n = strcspn(++at, "/");

		if (n == 0 || n > FS_NAME_MAX || (n == 1 && at[0] == '.') ||
		    (n == 2 && at[0] == '.' && at[1] == '.'))
			return false;
		at += n;
	}
	return true;
}

static int check(const struct mount *v, size_t n, size_t *bad)
{
	for (size_t i = 0; i < n; i++) {
		*bad = i;
		if (!is_clean(v[i].at))
			return -NACRE_EINVAL;
		for (size_t k = 0; k < i; k++)
			if (streq(v[i].at, v[k].at))
				return -NACRE_EINVAL;
	}
	return 0;
}

static size_t table_size(const struct mount *v, size_t n)
{
	size_t size = size_add(sizeof(struct mount_table), size_mul(n, sizeof(struct mount)));

	for (size_t i = 0; i < n; i++)
		size = size_add(size, strlen(v[i].at) + strlen(v[i].source) + 2);
	return size;
}

static const char *keep(char **to, const char *s)
{
	char *copy = *to;
	size_t n = strlen(s) + 1;

	memcpy(copy, s, n);
	*to += n;
	return copy;
}

int mount_table_new(struct quota *q, const struct mount *v, size_t n, size_t *bad,
                    struct mount_table **out)
{
	struct mount_table *t;
	char *strings;
	int err = n > 10000 ? -NACRE_EINVAL : check(v, n, bad);

	if (err)
		return err;
	t = kalloc(q, table_size(v, n));
	if (!t)
		return -NACRE_ENOMEM;
	*t = (struct mount_table){.refs = 1, .n = (uint32_t)n, .quota = q};
	strings = (char *)&t->v[n];
	for (size_t i = 0; i < n; i++) {
		struct mount m = v[i];
		size_t k = i;

		m.at_len = strlen(m.at);
		m.at = keep(&strings, m.at);
		m.source = keep(&strings, m.source);
		fs_get(m.fs);
		if (m.fs->dev == 0)
			m.fs->dev = FIRST_DEV + (uint32_t)i;
		for (; k > 0 && t->v[k - 1].at_len < m.at_len; k--)
			t->v[k] = t->v[k - 1];
		t->v[k] = m;
	}
	*out = t;
	return 0;
}

struct mount_table *mount_table_get(struct mount_table *t)
{
	t->refs++;
	return t;
}

void mount_table_put(struct mount_table *t)
{
	size_t size;

	if (!t || --t->refs > 0)
		return;
	size = table_size(t->v, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		fs_put(t->v[i].fs);
	kfree(t->quota, t, size);
}

const struct mount *mount_of(const struct mount_table *t, const char *path, size_t len)
{
	for (uint32_t i = 0; t && i < t->n; i++) {
		const struct mount *m = &t->v[i];

		if (m->at_len <= len && memcmp(m->at, path, m->at_len) == 0 &&
		    (m->at_len == len || path[m->at_len] == '/'))
			return m;
	}
	return NULL;
}

bool mount_below(const struct mount_table *t, const char *path, size_t len)
{
	if (len == 1 && path[0] == '/')
		len = 0;
	for (uint32_t i = 0; t && i < t->n && t->v[i].at_len > len; i++)
		if (memcmp(t->v[i].at, path, len) == 0 && t->v[i].at[len] == '/')
			return true;
	return false;
}

/* mkdir -p of one mount's place in the root, as far as no other mount covers it. */
static int make_point(const struct mount_table *t, const struct mount *m, struct fs *root,
                      char *path)
{
	memcpy(path, m->at, m->at_len + 1);
	for (size_t k = 1; k <= m->at_len; k++) {
		const struct mount *over;
		int err;

		if (m->at[k] != '/' && m->at[k])
			continue;
		over = mount_of(t, path, k);
		if (over && over != m)
			return 0;
		path[k] = '\0';
		err = root->ops->mkdir(root, path + 1, 0755);
		if (err && err != -NACRE_EEXIST)
			return err;
		path[k] = m->at[k];
	}
	return 0;
}

int mount_table_make_points(const struct mount_table *t, struct fs *root)
{
	char *path = kalloc(t->quota, SYS_PATH_MAX);
	int err = path ? 0 : -NACRE_ENOMEM;

	for (uint32_t i = 0; i < t->n && !err; i++)
		err = make_point(t, &t->v[i], root, path);
	kfree(t->quota, path, SYS_PATH_MAX);
	return err;
}
