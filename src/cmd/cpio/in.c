/*
 * in.c - cpio -i: making members, or listing them.
 *
 * Names never begin with "/" (but under --absolute-filenames) and never hold "..". Symbolic links are made last of all, so
 * that no member can be written through one that came before it.
 */
#include "cpio.h"

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *safe_name(struct cpio *c, const char *name)
{
	if (!c->absolute)
		name += strspn(name, "/");
	while (name[0] == '.' && name[1] == '/' && name[2])
		name += 2 + strspn(name + 2, "/");
	return *name ? name : ".";
}

static bool is_meant(const struct cpio *c, const char *name)
{
	bool found = c->npatterns == 0 && c->patterns.n == 0;

	for (int i = 0; i < c->npatterns && !found; i++)
		found = u_glob_match(c->pattern[i], strlen(c->pattern[i]), name, strlen(name), 0);
	for (size_t i = 0; i < c->patterns.n && !found; i++)
		found = u_glob_match(c->patterns.v[i], strlen(c->patterns.v[i]), name, strlen(name), 0);
	return found != c->nonmatching;
}

/* ---- Listing ------------------------------------------------------------------------------------- */

static void list_member(struct cpio *c, const struct cpio_member *m)
{
	struct u_out *out = u_stdout(c->p);
	const char *user = c->numeric ? NULL : u_user_name(c->p, m->uid), *group = c->numeric ? NULL : u_group_name(c->p, m->gid);
	char mode[12], id[2][16], date[32];
	int64_t now = sys_clock(c->p, SYS_CLOCK_REAL) / 1000000000;
	struct u_buf b;
	struct u_tm tm;

	if (!c->verbose) {
		u_printf(out, "%s\n", m->name);
		return;
	}
	u_mode_string(m->mode, mode);
	fmt_buf(id[0], sizeof(id[0]), "%u", m->uid);
	fmt_buf(id[1], sizeof(id[1]), "%u", m->gid);
	u_time_split(u_tz_get(c->p, NULL), (struct sys_time){.sec = m->mtime}, &tm);
	u_buf_init(&b, c->p, 0);
	if (now - m->mtime > 15724800 || m->mtime - now > 3600)
		u_time_format(&b, "%b %e  %Y", 9, &tm);
	else
		u_time_format(&b, "%b %e %H:%M", 11, &tm);
	fmt_buf(date, sizeof(date), "%s", b.ptr);
	u_printf(out, "%s %3u %-8s %-8s ", mode, m->nlink, user ? user : id[0], group ? group : id[1]);
	if ((m->mode & SYS_S_TYPE) == SYS_S_CHAR || (m->mode & SYS_S_TYPE) == SYS_S_BLOCK)
		u_printf(out, "%3llu, %3llu", (unsigned long long)(m->rdev >> 8 & 0xff), (unsigned long long)(m->rdev & 0xff));
	else
		u_printf(out, "%8llu", (unsigned long long)m->size);
	u_printf(out, " %s %s", date, m->name);
	if (m->link)
		u_printf(out, " -> %s", m->link);
	u_putc(out, '\n');
}

/* ---- Data ------------------------------------------------------------------------------------------ */

/* The member's data to a descriptor (-1: nowhere); -E of the first write that failed. */
static int copy_data(struct cpio *c, const struct cpio_member *m, int fd)
{
	uint64_t left = m->size;
	uint32_t sum = 0;
	const char *ptr;
	int r = 0;

	while (left > 0) {
		size_t n = cpio_piece(c, left, &ptr);

		for (size_t i = 0; m->format == CPIO_CRC && i < n; i++)
			sum += (unsigned char)ptr[i];
		if (fd >= 0 && r >= 0)
			r = u_write_all(c->p, fd, ptr, n);
		left -= n;
	}
	cpio_skip(c, cpio_padding(m->format, m->size));
	if (m->format == CPIO_CRC && sum != m->sum)
		cpio_error(c, 0, "%s: checksum error (0x%x, should be 0x%x)", m->name, sum, m->sum);
	return r;
}

static void skip_data(struct cpio *c, const struct cpio_member *m)
{
	if (!m->link)
		cpio_skip(c, m->size + cpio_padding(m->format, m->size));
}

/* ---- Members ------------------------------------------------------------------------------------------ */

/* Removes what is in the way; false when the member is not to be made. */
static bool make_way(struct cpio *c, const struct cpio_member *m, const char *name)
{
	struct sys_stat st;
	bool is_dir = (m->mode & SYS_S_TYPE) == SYS_S_DIR;
	int r = sys_stat(c->p, name, SYS_NOFOLLOW, &st);

	if (r < 0)
		return true;
	if ((st.mode & SYS_S_TYPE) == SYS_S_DIR && is_dir)
		return true;
	if (!c->unconditional && m->mtime <= st.mtime.sec) {
		u_warn(c->p, 0, "%s not created: newer or same age version exists", name);
		return false;
	}
	r = (st.mode & SYS_S_TYPE) == SYS_S_DIR ? sys_rmdir(c->p, name) : sys_unlink(c->p, name);
	if (r < 0)
		u_warn(c->p, r, "cannot remove current %s", name);
	return r == 0;
}

static void made(struct cpio *c, int r, const char *what, const char *name)
{
	if (r < 0)
		cpio_error(c, r, "%s: Cannot %s", name, what);
}

static bool make_link(struct cpio *c, const struct cpio_link *l, const char *name)
{
	int r = sys_link(c->p, l->name, name, SYS_NOFOLLOW);

	if (r < 0)
		cpio_error(c, r, "cannot link %s to %s", name, l->name);
	else if (c->verbose)
		u_warn(c->p, 0, "%s linked to %s", l->name, name);
	return r == 0;
}

/* One of several names of a file: linked to another that has the data, or put off until the data comes (newc
 * keeps it with the last name). False: it is to be made from its own data. */
static bool linked(struct cpio *c, const struct cpio_member *m, const char *name)
{
	struct cpio_link *l;

	if (m->nlink < 2)
		return false;
	l = cpio_link_find(c, m->dev, m->ino);
	if (l && l->made) {
		skip_data(c, m);
		make_link(c, l, name);
		return true;
	}
	if (m->size == 0 && (m->format == CPIO_NEWC || m->format == CPIO_CRC)) {
		l = cpio_link_add(c, m);
		l->name = name;
		return true;
	}
	return false;
}

/* The data of a file came: names that waited for it become links. */
static void link_waiting(struct cpio *c, const struct cpio_member *m, const char *name)
{
	struct cpio_link *self = cpio_link_add(c, m);

	self->name = name;
	self->made = true;
	for (struct cpio_link *l = c->links; l; l = l->next) {
		if (l->dev == m->dev && l->ino == m->ino && !l->made)
			l->made = make_link(c, self, l->name);
	}
}

static void make_file(struct cpio *c, const struct cpio_member *m, const char *name)
{
	int fd, r;

	if (linked(c, m, name))
		return;
	fd = sys_open(c->p, name, SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL | SYS_O_NOFOLLOW | SYS_O_CLOEXEC, 0600);
	if (fd < 0) {
		made(c, fd, "open", name);
		skip_data(c, m);
		return;
	}
	r = copy_data(c, m, fd);
	made(c, r, "write", name);
	sys_close(c->p, fd);
	cpio_restore(c, m, name);
	if (m->nlink > 1)
		link_waiting(c, m, name);
}

static void make_member(struct cpio *c, const struct cpio_member *m, const char *name)
{
	struct cpio_member named = *m;
	int r;

	if (!make_way(c, m, name)) {
		skip_data(c, m);
		return;
	}
	if (c->dirs)
		cpio_parents(c, name);
	named.name = name;
	switch (m->mode & SYS_S_TYPE) {
	case SYS_S_DIR:
		r = sys_mkdir(c->p, name, 0700);
		if (r < 0 && r != -NACRE_EEXIST)
			made(c, r, "mkdir", name);
		else
			cpio_restore_dir(c, &named);
		skip_data(c, m);
		break;
	case SYS_S_LINK: cpio_later(c, &named); break;
	case SYS_S_FIFO:
		r = sys_mkfifo(c->p, name, m->mode & 0777);
		made(c, r, "mkfifo", name);
		if (r == 0)
			cpio_restore(c, m, name);
		skip_data(c, m);
		break;
	case SYS_S_CHAR:
	case SYS_S_BLOCK:
	case SYS_S_SOCK:
		made(c, -NACRE_EPERM, "mknod", name);
		skip_data(c, m);
		break;
	case SYS_S_FILE: make_file(c, m, name); break;
	default:
		cpio_error(c, 0, "%s: unknown file type", m->name);
		skip_data(c, m);
		break;
	}
}

static void finish(struct cpio *c)
{
	/* Names whose data never came are empty files. */
	for (struct cpio_link *l = c->links; l; l = l->next) {
		if (!l->made) {
			l->m.size = 0;
			l->m.nlink = 1;
			make_file(c, &l->m, l->name);
			link_waiting(c, &l->m, l->name);
			l->made = true;
		}
	}
	for (size_t i = 0; i < c->nlater; i++) {
		const struct cpio_member *m = &c->later[i];

		if (m->link) {
			int r = sys_symlink(c->p, m->link, m->name);

			if (r < 0)
				cpio_error(c, r, "%s: Cannot symlink to %s", m->name, m->link);
			else
				cpio_restore(c, m, m->name);
		}
	}
	for (size_t i = c->nlater; i-- > 0;) {
		if (!c->later[i].link)
			cpio_restore(c, &c->later[i], c->later[i].name);
	}
}

static void take(struct cpio *c, const struct cpio_member *m)
{
	const char *name = safe_name(c, m->name);

	if (c->list) {
		list_member(c, m);
		skip_data(c, m);
	} else if (c->only_check) {
		if (m->link)
			return;
		copy_data(c, m, -1);
	} else if (c->to_stdout) {
		int r = (m->mode & SYS_S_TYPE) == SYS_S_FILE ? copy_data(c, m, 1) : (skip_data(c, m), 0);

		if (r < 0)
			u_die(c->p, 2, r, "write error");
	} else if (u_has_dot_dot(m->name)) {
		cpio_error(c, 0, "%s: member name contains '..'", m->name);
		skip_data(c, m);
	} else {
		make_member(c, m, name);
		cpio_tell(c, m->name);
	}
}

void cpio_in(struct cpio *c)
{
	struct cpio_member m;

	while (cpio_read_header(c, &m)) {
		if (is_meant(c, m.name))
			take(c, &m);
		else
			skip_data(c, &m);
	}
	/* The block that the end is in was read, too. */
	c->bytes = (c->bytes + 511) / 512 * 512;
	if (!c->list)
		finish(c);
}
