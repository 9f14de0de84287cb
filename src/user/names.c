/* names.c - user and group names: /etc/passwd and /etc/group of the sandbox.
 *
 * The files are small and the sandbox's own; each look-up reads the file again, but for
 * the last name found, which the caller keeps (ls and find ask for runs of one owner). */
#include "user.h"

#define NAMES_FILE_MAX ((size_t)1 << 20)

/* The line's fields 0 (name) and 2 (number); false when it has not that shape. */
static bool split(struct str line, struct str *name, uint32_t *id)
{
	const char *end = line.ptr + line.len;
	const char *a = memchr(line.ptr, ':', line.len);
	const char *b = a ? memchr(a + 1, ':', (size_t)(end - a - 1)) : NULL;
	uint64_t n = 0;

	if (!b || a == line.ptr || b + 1 == end || !ascii_digit(b[1]))
		return false;
	for (const char *s = b + 1; s < end && ascii_digit(*s); s++)
		if ((n = n * 10 + (uint64_t)(*s - '0')) > UINT32_MAX)
			return false;
	*name = (struct str){line.ptr, (size_t)(a - line.ptr)};
	*id = (uint32_t)n;
	return true;
}

/* Looks for a name (want.ptr set) or a number in one of the files. */
static bool look_up(struct proc *p, const char *path, struct str want, struct str *name, uint32_t *id)
{
	struct str text;
	int fd = sys_open(p, path, SYS_O_READ | SYS_O_CLOEXEC, 0);
	int e;

	if (fd < 0)
		return false;
	e = u_read_all(p, fd, NAMES_FILE_MAX, &text);
	sys_close(p, fd);
	if (e < 0)
		return false;
	while (text.len) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t n = nl ? (size_t)(nl - text.ptr) : text.len;
		uint32_t got;

		if (split((struct str){text.ptr, n}, name, &got) && (want.ptr ? str_eq(*name, want) : got == *id)) {
			*id = got;
			return true;
		}
		n = MIN(n + 1, text.len);
		text = (struct str){text.ptr + n, text.len - n};
	}
	return false;
}

static const char *name_of(struct proc *p, const char *path, uint32_t id)
{
	struct str name;

	return look_up(p, path, (struct str){NULL, 0}, &name, &id) ? u_strndup(p, name.ptr, name.len) : NULL;
}

const char *u_user_name(struct proc *p, uint32_t uid)
{
	return name_of(p, "/etc/passwd", uid);
}

const char *u_group_name(struct proc *p, uint32_t gid)
{
	return name_of(p, "/etc/group", gid);
}

bool u_user_id(struct proc *p, const char *name, uint32_t *uid)
{
	struct str found;

	return look_up(p, "/etc/passwd", str_from(name), &found, uid);
}

bool u_group_id(struct proc *p, const char *name, uint32_t *gid)
{
	struct str found;

	return look_up(p, "/etc/group", str_from(name), &found, gid);
}
