/* explain.c - what the policy would say about a path, by the way every operation takes. */
#include "reach.h"

#include "../abi/errno.h"

int vfs_explain(const struct vfs_who *w, const char *path, unsigned access, char *buf, size_t n)
{
	struct place p = {.len = 0};
	unsigned how = PLACE_FOLLOW | PLACE_CREATE | (access & POLICY_WRITE ? PLACE_CHANGE : 0);
	int err = reach(w, "explain", path, how, access, &p);

	/* What was refused has told its path. What is not there may be made, so far as the policy goes. */
	if (!err && (access & POLICY_WRITE))
		err = check_mount(w, "explain", &p, p.mount);
	if (!err && !p.found && !(access & POLICY_WRITE))
		err = -NACRE_ENOENT;
	if (err != -NACRE_EACCES && err != -NACRE_EROFS) {
		size_t len = MIN(p.len, n - 1);

		memcpy(buf, p.path, len);
		buf[len] = '\0';
	}
	place_release(&p);
	return err;
}
