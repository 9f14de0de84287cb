/* pass.c - cpio -p: copying the files named on standard input to a directory. */
#include "cpio.h"

static void copy_file(struct cpio *c, struct cpio_member *m, const char *from, const char *to)
{
	int in = sys_open(c->p, from, SYS_O_READ, 0), out;
	bool failed;
	int64_t n;

	if (in < 0) {
		cpio_error(c, in, "%s: Cannot open", from);
		return;
	}
	out = sys_open(c->p, to, SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL | SYS_O_NOFOLLOW, 0600);
	if (out < 0) {
		cpio_error(c, out, "%s: Cannot open", to);
		sys_close(c->p, in);
		return;
	}
	n = sys_splice(c->p, in, out, 0, &failed);
	if (n < 0)
		cpio_error(c, (int)n, "%s: Cannot %s", failed ? to : from, failed ? "write" : "read");
	else
		c->bytes += (uint64_t)n;
	sys_close(c->p, in);
	sys_close(c->p, out);
	cpio_restore(c, m, to);
}

static void copy_link(struct cpio *c, const struct cpio_member *m, const char *from, const char *to)
{
	char target[SYS_PATH_MAX + 1];
	int64_t n = sys_readlink(c->p, from, target, SYS_PATH_MAX);
	int r;

	if (n < 0) {
		cpio_error(c, (int)n, "%s: Cannot readlink", from);
		return;
	}
	target[n] = '\0';
	r = sys_symlink(c->p, target, to);
	if (r < 0)
		cpio_error(c, r, "%s: Cannot symlink to %s", to, target);
	else
		cpio_restore(c, m, to);
}

/* False when what is there already stays. */
static bool make_way(struct cpio *c, const struct sys_stat *st, const char *to)
{
	struct sys_stat old;
	bool is_dir = (st->mode & SYS_S_TYPE) == SYS_S_DIR;
	int r = sys_stat(c->p, to, SYS_NOFOLLOW, &old);

	if (r < 0 || (is_dir && (old.mode & SYS_S_TYPE) == SYS_S_DIR))
		return true;
	if (old.dev == st->dev && old.ino == st->ino) {
		u_warn(c->p, 0, "%s: not created: it is the file itself", to);
		return false;
	}
	if (!c->unconditional && st->mtime.sec <= old.mtime.sec) {
		u_warn(c->p, 0, "%s not created: newer or same age version exists", to);
		return false;
	}
	r = (old.mode & SYS_S_TYPE) == SYS_S_DIR ? sys_rmdir(c->p, to) : sys_unlink(c->p, to);
	if (r < 0)
		u_warn(c->p, r, "cannot remove current %s", to);
	return r == 0;
}

/* -l, and names of a file that was copied under another. */
static bool linked(struct cpio *c, const struct cpio_member *m, const char *from, const char *to)
{
	struct cpio_link *l;

	if (c->hard && sys_link(c->p, from, to, SYS_NOFOLLOW) == 0)
		return true;
	if (m->nlink < 2)
		return false;
	l = cpio_link_find(c, m->dev, m->ino);
	if (l && sys_link(c->p, l->name, to, SYS_NOFOLLOW) == 0) {
		if (c->verbose)
			u_warn(c->p, 0, "%s linked to %s", l->name, to);
		return true;
	}
	if (!l)
		cpio_link_add(c, m)->name = to;
	return false;
}

static void copy(struct cpio *c, const char *dir, const char *from)
{
	const char *tail = from, *to;
	struct cpio_member m;
	struct sys_stat st;
	int r = sys_stat(c->p, from, c->deref ? 0 : SYS_NOFOLLOW, &st);

	if (r < 0) {
		cpio_error(c, r, "%s: Cannot stat", from);
		return;
	}
	tail += strspn(tail, "/");
	while (tail[0] == '.' && tail[1] == '/')
		tail += 2 + strspn(tail + 2, "/");
	to = u_join(c->p, dir, *tail ? tail : ".");
	if (!make_way(c, &st, to))
		return;
	if (c->dirs)
		cpio_parents(c, to);
	cpio_from_stat(&m, to, &st);
	switch (st.mode & SYS_S_TYPE) {
	case SYS_S_DIR:
		r = sys_mkdir(c->p, to, 0700);
		if (r < 0 && r != -NACRE_EEXIST)
			cpio_error(c, r, "%s: Cannot mkdir", to);
		else
			cpio_restore_dir(c, &m);
		break;
	case SYS_S_LINK:
		if (!linked(c, &m, from, to))
			copy_link(c, &m, from, to);
		break;
	case SYS_S_FILE:
		if (!linked(c, &m, from, to))
			copy_file(c, &m, from, to);
		break;
	case SYS_S_FIFO:
		r = linked(c, &m, from, to) ? 0 : sys_mkfifo(c->p, to, 0600);
		if (r < 0)
			cpio_error(c, r, "%s: Cannot mkfifo", to);
		else
			cpio_restore(c, &m, to);
		break;
	default: cpio_error(c, -NACRE_EPERM, "%s: Cannot mknod", to); break;
	}
	if (c->reset_times && sys_utimes(c->p, from, st.atime, (struct sys_time){.nsec = SYS_TIME_OMIT}, SYS_NOFOLLOW) < 0)
		cpio_error(c, 0, "%s: Cannot utime", from);
	cpio_tell(c, to);
}

void cpio_pass(struct cpio *c, const char *dir)
{
	const char *name;

	while ((name = cpio_next_name(c)) != NULL)
		copy(c, dir, name);
	for (size_t i = c->nlater; i-- > 0;)
		cpio_restore(c, &c->later[i], c->later[i].name);
	c->bytes = (c->bytes + 511) / 512 * 512;
}
