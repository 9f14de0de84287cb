/* place.c - replacing a file by its packed or unpacked form. */
#include "place.h"

int place_open(struct place *x, const char *name, bool follow)
{
	int fd, r = sys_stat(x->p, name, follow ? 0 : SYS_NOFOLLOW, &x->st);

	x->in_name = name;
	x->made = false;
	if (r < 0)
		return r;
	fd = sys_open(x->p, name, SYS_O_READ | SYS_O_CLOEXEC | SYS_O_NONBLOCK | (follow ? 0 : SYS_O_NOFOLLOW), 0);
	if (fd < 0)
		return fd;
	r = sys_fstat(x->p, fd, &x->st);
	return r < 0 ? r : fd;
}

int place_make(struct place *x, bool force)
{
	unsigned flags = SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL | SYS_O_CLOEXEC;
	int fd;

	if (force)
		(void)!sys_unlink(x->p, x->out_name);
	fd = sys_open(x->p, x->out_name, flags, 0600);
	x->made = fd >= 0;
	return fd;
}

void place_finish(struct place *x, bool keep)
{
	/* As far as it goes. The owner first: changing it clears bits of the mode. */
	(void)!sys_chown(x->p, x->out_name, x->st.uid, x->st.gid, SYS_NOFOLLOW);
	(void)!sys_chmod(x->p, x->out_name, x->st.mode & 0777, SYS_NOFOLLOW);
	(void)!sys_utimes(x->p, x->out_name, x->st.atime, x->st.mtime, SYS_NOFOLLOW);
	x->made = false;
	if (!keep)
		(void)!sys_unlink(x->p, x->in_name);
}

void place_drop(struct place *x)
{
	if (x->made)
		(void)!sys_unlink(x->p, x->out_name);
	x->made = false;
}
