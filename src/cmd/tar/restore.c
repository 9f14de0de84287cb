/*
 * restore.c - what is set after a member was made: owner, mode, times, and links that wait.
 *
 * A directory gets its mode and times at the end, when nothing is put into it any more. A symbolic link that is absolute or
 * holds ".." waits for the end too: until then an empty file of no mode stands in its place, through which no later member
 * can be written elsewhere. It becomes the link only if it still is that very file.
 */
#include "tar.h"

struct tar_dir {
	struct tar_dir *next;
	const char *path;
	struct tar_member m;
};

struct tar_delayed {
	struct tar_delayed *next;
	const char *path, *target;
	uint64_t dev, ino;
	struct tar_member m;
};

static const char *absolute(struct tar *t, const char *name)
{
	return name[0] == '/' ? name : u_join(t->p, sys_getcwd(t->p), name);
}

/* ---- Attributes ------------------------------------------------------------------------------- */

static void check_time(struct tar *t, const char *name, struct sys_time when)
{
	struct u_buf b;
	struct u_tm tm;
	int64_t sec = when.sec - t->now.sec, nsec = when.nsec - t->now.nsec;

	if (t->silent & TAR_WARN_TIMESTAMP || (when.sec >= 0 && (sec < 0 || (sec == 0 && nsec <= 0))))
		return;
	u_buf_init(&b, t->p, 0);
	u_time_split(t->tz, when, &tm);
	u_time_format(&b, "%Y-%m-%d %H:%M:%S", 17, &tm);
	if (when.sec < 0) {
		tar_warn(t, 0, "%s: implausibly old time stamp %s", tar_quote_colon(t, name), b.ptr);
		return;
	}
	if (nsec < 0) {
		sec--;
		nsec += 1000000000;
	}
	tar_warn(t, 0, "%s: time stamp %s is %lld.%09d s in the future", tar_quote_colon(t, name), b.ptr, (long long)sec, (int)nsec);
}

static void set_owner(struct tar *t, const struct tar_member *m, const char *name)
{
	uint32_t uid = (uint32_t)m->uid, gid = (uint32_t)m->gid;
	int r;

	t->pinned = true; /* the tables of names stay */
	if (!t->numeric_owner && *m->user)
		u_user_id(t->p, m->user, &uid);
	if (!t->numeric_owner && *m->group)
		u_group_id(t->p, m->group, &gid);
	r = sys_chown(t->p, name, uid, gid, SYS_NOFOLLOW);
	if (r < 0)
		tar_error(t, r, "%s: Cannot change ownership to uid %u, gid %u", tar_quote_colon(t, name), uid, gid);
}

void restore_file(struct tar *t, const struct tar_member *m, const char *name, bool is_link)
{
	uint32_t mode = t->same_permissions ? m->mode : m->mode & 0777 & ~(uint32_t)t->umask;
	int r = 0;

	if (t->same_owner)
		set_owner(t, m, name);
	if (!is_link)
		r = sys_chmod(t->p, name, mode, SYS_NOFOLLOW);
	if (r < 0)
		tar_error(t, r, "%s: Cannot change mode to %s", tar_quote_colon(t, name), u_format(t->p, "%04o", mode));
	if (t->touch)
		return;
	if (!is_link)
		check_time(t, name, m->mtime);
	r = sys_utimes(t->p, name, (struct sys_time){0, SYS_TIME_NOW}, m->mtime, SYS_NOFOLLOW);
	if (r < 0 && !is_link)
		tar_error(t, r, "%s: Cannot utime", tar_quote_colon(t, name));
}

void restore_dir_later(struct tar *t, const struct tar_member *m, const char *name)
{
	struct tar_dir *d = u_zalloc(t->p, sizeof(*d));

	t->pinned = true;
	*d = (struct tar_dir){.next = t->dirs, .path = absolute(t, name), .m = *m};
	t->dirs = d;
}

/* ---- Links ----------------------------------------------------------------------------------------- */

static bool is_harmless(const char *target)
{
	if (target[0] == '/')
		return false;
	while (*target) {
		size_t n = strcspn(target, "/");

		if (n == 2 && target[0] == '.' && target[1] == '.')
			return false;
		target += n;
		target += strspn(target, "/");
	}
	return true;
}

static void delay(struct tar *t, const struct tar_member *m, const char *name, const char *target, const struct sys_stat *st)
{
	struct tar_delayed *d = u_zalloc(t->p, sizeof(*d));

	t->pinned = true;
	*d = (struct tar_delayed){.next = t->delayed, .path = absolute(t, name), .target = target, .dev = st->dev, .ino = st->ino, .m = *m};
	t->delayed = d;
}

bool restore_symlink(struct tar *t, const struct tar_member *m, const char *name, const char *target, int *err)
{
	struct sys_stat st;
	int fd;

	if (t->absolute || is_harmless(target)) {
		*err = sys_symlink(t->p, target, name);
		if (*err == 0)
			restore_file(t, m, name, true);
		return *err == 0;
	}
	fd = sys_open(t->p, name, SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL | SYS_O_CLOEXEC, 0);
	*err = fd < 0 ? fd : sys_fstat(t->p, fd, &st);
	if (fd >= 0)
		sys_close(t->p, fd);
	if (*err < 0)
		return false;
	delay(t, m, name, target, &st);
	return true;
}

void restore_note_link(struct tar *t, const char *from, const char *to)
{
	struct sys_stat st;

	if (!t->delayed || sys_stat(t->p, to, SYS_NOFOLLOW, &st) < 0)
		return;
	(void)from;
	for (struct tar_delayed *d = t->delayed; d; d = d->next) {
		sys_checkpoint(t->p);
		if (d->dev == st.dev && d->ino == st.ino) {
			delay(t, &d->m, to, d->target, &st);
			return;
		}
	}
}

static void make_waiting_link(struct tar *t, const struct tar_delayed *d)
{
	struct sys_stat st;
	int r;

	if (sys_stat(t->p, d->path, SYS_NOFOLLOW, &st) < 0 || st.dev != d->dev || st.ino != d->ino || (st.mode & SYS_S_TYPE) != SYS_S_FILE ||
	    st.size != 0 || (st.mode & 0777) != 0)
		return;
	r = sys_unlink(t->p, d->path);
	if (r == 0)
		r = sys_symlink(t->p, d->target, d->path);
	if (r < 0)
		tar_error(t, r, "%s: Cannot create symlink to %s", tar_quote_colon(t, d->path), u_quote(t->p, d->target));
	else
		restore_file(t, &d->m, d->path, true);
}

void restore_finish(struct tar *t)
{
	struct sys_stat st;

	for (struct tar_delayed *d = t->delayed; d; d = d->next)
		make_waiting_link(t, d);
	t->delayed = NULL;
	for (struct tar_dir *d = t->dirs; d; d = d->next) {
		if (sys_stat(t->p, d->path, SYS_NOFOLLOW, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR)
			restore_file(t, &d->m, d->path, false);
	}
	t->dirs = NULL;
}
