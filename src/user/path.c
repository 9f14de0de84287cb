/* path.c - names and folders in paths. */
#include "state.h"

/* The length of `path` without slashes at its end; at least 1 for "/". */
static size_t trimmed(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

const char *u_basename(struct proc *p, const char *path)
{
	size_t n = trimmed(path), start = n;

	if (n == 1 && path[0] == '/')
		return "/";
	while (start && path[start - 1] != '/')
		start--;
	return path[n] ? u_strndup(p, path + start, n - start) : path + start;
}

char *u_dirname(struct proc *p, const char *path)
{
	size_t n = trimmed(path);

	while (n && path[n - 1] != '/')
		n--;
	if (n == 0)
		return u_strdup(p, ".");
	while (n > 1 && path[n - 1] == '/')
		n--;
	return u_strndup(p, path, n);
}

char *u_join(struct proc *p, const char *dir, const char *name)
{
	size_t nd = strlen(dir), nn;
	char *out;

	while (nd && *name == '/')
		name++;
	nn = strlen(name);
	out = u_alloc(p, size_add(size_add(nd, nn), 2));
	memcpy(out, dir, nd);
	if (nd && out[nd - 1] != '/')
		out[nd++] = '/';
	memcpy(out + nd, name, nn + 1);
	return out;
}

bool u_has_dot_dot(const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.')
			return true;
		path += n;
		path += strspn(path, "/");
	}
	return false;
}

char *u_relative_path(struct proc *p, const char *path, const char *dir)
{
	size_t common = 0, i;
	struct u_buf b;

	for (i = 0;; i++) {
		bool end_path = !path[i] || path[i] == '/', end_dir = !dir[i] || dir[i] == '/';

		if (end_path && end_dir)
			common = i;
		if (path[i] != dir[i] || !path[i])
			break;
	}
	u_buf_init(&b, p, 0);
	if (streq(dir, "/") || streq(path, "/"))
		common = 0;
	for (const char *s = dir + common; *s && !streq(dir, "/"); s++)
		if (*s == '/' && s[1])
			u_buf_puts(&b, b.len ? "/.." : "..");
	path += common;
	path += strspn(path, "/");
	if (*path) {
		if (b.len)
			u_buf_putc(&b, '/');
		u_buf_puts(&b, path);
	}
	if (!b.len)
		u_buf_putc(&b, '.');
	return b.ptr;
}
