/*
 * out.c - cpio -o: an archive of the files named on standard input.
 *
 * In the new formats a file of several names has its data with the last of them: the others wait until all names have come,
 * or the list has ended.
 */
#include "cpio.h"

static void put_file(struct cpio *c, struct cpio_member *m, const char *path)
{
	int fd = sys_open(c->p, path, SYS_O_READ, 0);
	uint64_t left = m->size;
	struct sys_slice s;
	int64_t n = 0;

	if (fd < 0) {
		cpio_error(c, fd, "%s: Cannot open", path);
		return;
	}
	if (m->format == CPIO_CRC) {
		while ((n = sys_read_slice(c->p, fd, 0, &s)) > 0) {
			for (size_t i = 0; i < s.len; i++)
				m->sum += (unsigned char)s.ptr[i];
		}
		if (n >= 0)
			n = sys_seek(c->p, fd, 0, SYS_SEEK_SET);
	}
	cpio_write_header(c, m);
	while (left > 0 && n >= 0 && (n = sys_read_slice(c->p, fd, (size_t)MIN(left, (uint64_t)65536), &s)) > 0) {
		cpio_write(c, s.ptr, s.len);
		left -= s.len;
	}
	if (n < 0)
		cpio_error(c, (int)n, "%s: Cannot read", path);
	else if (left > 0)
		cpio_error(c, 0, "File %s shrunk by %llu bytes, padding with zeros", path, (unsigned long long)left);
	for (; left > 0; left--)
		cpio_write(c, "", 1);
	cpio_write(c, "\0\0\0", cpio_padding(m->format, m->size));
	sys_close(c->p, fd);
}

static void put_link(struct cpio *c, struct cpio_member *m, const char *path)
{
	char target[SYS_PATH_MAX];
	int64_t n = sys_readlink(c->p, path, target, sizeof(target));

	if (n < 0) {
		cpio_error(c, (int)n, "%s: Cannot readlink", path);
		return;
	}
	m->size = (uint64_t)n;
	cpio_write_header(c, m);
	cpio_write(c, target, (size_t)n);
	cpio_write(c, "\0\0\0", cpio_padding(m->format, m->size));
}

/* How many names of the file wait. */
static uint32_t waiting(const struct cpio *c, const struct cpio_member *m)
{
	uint32_t n = 0;

	for (const struct cpio_link *l = c->links; l; l = l->next)
		n += l->dev == m->dev && l->ino == m->ino && !l->made;
	return n;
}

/* The names that wait, without data. */
static void put_waiting(struct cpio *c, const struct cpio_member *m)
{
	for (struct cpio_link *l = c->links; l; l = l->next) {
		if (l->dev == m->dev && l->ino == m->ino && !l->made) {
			struct cpio_member empty = l->m;

			empty.size = 0;
			cpio_write_header(c, &empty);
			l->made = true;
		}
	}
}

static void put_regular(struct cpio *c, struct cpio_member *m, const char *path)
{
	bool waits = m->nlink > 1 && (m->format == CPIO_NEWC || m->format == CPIO_CRC);
	struct cpio_link *l;

	if (waits && waiting(c, m) + 1 < m->nlink) {
		l = cpio_link_add(c, m);
		l->name = u_strdup(c->p, path);
		l->m.name = u_strdup(c->p, m->name);
		return;
	}
	if (waits)
		put_waiting(c, m);
	put_file(c, m, path);
}

/* Names left waiting: the last of each file gets the data. */
static void put_left(struct cpio *c)
{
	for (struct cpio_link *l = c->links; l; l = l->next) {
		if (!l->made && waiting(c, &l->m) > 1) {
			struct cpio_member empty = l->m;

			empty.size = 0;
			cpio_write_header(c, &empty);
			l->made = true;
		} else if (!l->made) {
			l->made = true;
			put_file(c, &l->m, l->name);
		}
	}
}

static bool fits(struct cpio *c, const struct cpio_member *m)
{
	uint64_t limit = m->format == CPIO_ODC ? 077777777777 : m->format == CPIO_BIN ? INT32_MAX : UINT32_MAX;

	if (m->size <= limit && (m->format != CPIO_BIN || strlen(m->name) < 65535))
		return true;
	cpio_error(c, 0, "%s: field width not sufficient for storing file size", m->name);
	return false;
}

static void put(struct cpio *c, const char *path)
{
	struct cpio_member m;
	struct sys_stat st;
	const char *name = path;
	int r = sys_stat(c->p, path, c->deref ? 0 : SYS_NOFOLLOW, &st);

	if (r < 0) {
		cpio_error(c, r, "%s: Cannot stat", path);
		return;
	}
	while (name[0] == '.' && name[1] == '/' && name[2])
		name += 2 + strspn(name + 2, "/");
	cpio_from_stat(&m, name, &st);
	m.format = c->format;
	if (c->reproducible)
		m.dev = 0;
	if ((st.mode & SYS_S_TYPE) == SYS_S_FILE) {
		if (!fits(c, &m))
			return;
		put_regular(c, &m, path);
	} else if ((st.mode & SYS_S_TYPE) == SYS_S_LINK) {
		put_link(c, &m, path);
	} else {
		m.size = 0;
		cpio_write_header(c, &m);
	}
	if (c->reset_times && sys_utimes(c->p, path, st.atime, (struct sys_time){.nsec = SYS_TIME_OMIT}, SYS_NOFOLLOW) < 0)
		cpio_error(c, 0, "%s: Cannot utime", path);
	cpio_tell(c, path);
}

void cpio_out(struct cpio *c)
{
	struct cpio_member end = {.name = "TRAILER!!!", .nlink = 1, .format = c->format};
	const char *name;

	while ((name = cpio_next_name(c)) != NULL)
		put(c, name);
	put_left(c);
	cpio_write_header(c, &end);
	while (c->bytes % 512)
		cpio_write(c, "", 1);
	if (u_flush(c->out) < 0)
		u_die(c->p, 2, c->out->err, "write error");
}
