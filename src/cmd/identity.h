/*
 * identity.h - who the user of the sandbox is: the owner the kernel gives to what a proc makes.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_IDENTITY_H
#define NACRE_CMD_IDENTITY_H

#include "cmd.h"

/* There is no call that asks for it; a nameless file of our own tells. */
static inline void identity_get(struct proc *p, uint32_t *uid, uint32_t *gid)
{
	struct sys_stat st = {.uid = 0, .gid = 0};
	int fd = sys_memfile(p, "", 0);

	if (fd >= 0) {
		if (sys_fstat(p, fd, &st) < 0)
			st.uid = st.gid = 0;
		sys_close(p, fd);
	}
	*uid = st.uid;
	*gid = st.gid;
}

/* The group of a user is the fourth field of /etc/passwd. */
static inline uint32_t identity_group_of(struct proc *p, uint32_t uid)
{
	int fd = sys_open(p, "/etc/passwd", SYS_O_READ, 0);
	struct u_lines r;
	struct str line;
	uint32_t gid = uid;

	if (fd < 0)
		return gid;
	u_lines_init(&r, p, fd, '\n');
	while (u_lines_next(&r, &line)) {
		const char *s = u_strndup(p, line.ptr, line.len), *end;

		if (!(s = strchr(s, ':')) || !(s = strchr(s + 1, ':')))
			continue;
		if ((uint32_t)num_u64(s + 1, &end, 10, NULL) == uid && *end == ':') {
			gid = (uint32_t)num_u64(end + 1, &end, 10, NULL);
			break;
		}
	}
	sys_close(p, fd);
	return gid;
}

#endif
