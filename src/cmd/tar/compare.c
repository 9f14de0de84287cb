/* compare.c - tar -d: differences between the archive and the files. */
#include "tar.h"

static void differs(struct tar *t, const char *name, const char *what)
{
	u_printf(t->list, "%s: %s\n", tar_quote_colon(t, name), what);
	if (!t->status)
		t->status = 1;
}

/* The data against the file's. The data is taken in any case. */
static void compare_data(struct tar *t, const struct tar_member *m, const char *name)
{
	int fd = sys_open(t->p, name, SYS_O_READ | SYS_O_CLOEXEC, 0);
	char buf[4096];
	uint64_t left = m->size;
	bool same = true;

	if (fd < 0)
		tar_error(t, fd, "%s: Cannot open", tar_quote_colon(t, name));
	while (left) {
		const char *ptr;
		size_t n = archive_data(t, MIN(left, (uint64_t)sizeof(buf)), &ptr);

		if (!n)
			archive_cut(t);
		left -= n;
		for (size_t k = 0; same && fd >= 0 && k < n;) {
			int64_t got = sys_read(t->p, fd, buf, n - k);

			same = got > 0 && memcmp(buf, ptr + k, (size_t)got) == 0;
			k += same ? (size_t)got : 0;
		}
	}
	archive_data_end(t, m->size);
	if (fd >= 0)
		sys_close(t->p, fd);
	if (!same)
		differs(t, name, "Contents differ");
}

static uint32_t type_of(const struct tar_member *m)
{
	return m->type == '5' ? SYS_S_DIR : m->type == '2' ? SYS_S_LINK : m->type == '6' ? SYS_S_FIFO : SYS_S_FILE;
}

static void compare_link(struct tar *t, const struct tar_member *m, const char *name)
{
	char target[SYS_PATH_MAX + 1];
	int64_t n = sys_readlink(t->p, name, target, SYS_PATH_MAX);

	if (n < 0 || strlen(m->link) != (size_t)n || memcmp(m->link, target, (size_t)n) != 0)
		differs(t, name, "Symlink differs");
}

static void compare_member(struct tar *t, const struct tar_member *m)
{
	const char *name = tar_map_name(t, m->name, 'r');
	struct sys_stat st;
	int r = name ? sys_stat(t->p, name, SYS_NOFOLLOW, &st) : 0;
	bool data = false;

	if (name && t->verbose)
		tar_print(t, m);
	if (r < 0) {
		tar_warn(t, r, "%s: Warning: Cannot stat", tar_quote_colon(t, name));
		t->status = MAX(t->status, 1);
	} else if (name && m->type != '1' && (st.mode & SYS_S_TYPE) != type_of(m)) {
		differs(t, name, "File type differs");
	} else if (name && m->type == '2') {
		compare_link(t, m, name);
	} else if (name && m->type != '1') {
		if ((st.mode & 07777) != m->mode)
			differs(t, name, "Mode differs");
		if (m->type == '0' && st.uid != m->uid)
			differs(t, name, "Uid differs");
		if (m->type == '0' && st.gid != m->gid)
			differs(t, name, "Gid differs");
		if (m->type == '0' && (st.mtime.sec != m->mtime.sec || (m->has_nsec && st.mtime.nsec != m->mtime.nsec)))
			differs(t, name, "Mod time differs");
		if (m->type == '0' && (uint64_t)st.size != m->real_size)
			differs(t, name, "Size differs");
		else
			data = m->type == '0' && !m->is_sparse;
	}
	if (data)
		compare_data(t, m, name);
	else
		archive_skip(t, m->size);
}

void tar_diff(struct tar *t)
{
	struct tar_member m;

	archive_open_read(t);
	if (!t->names.n)
		tar_enter(t, t->here);
	while (!names_done(t) && tar_next_member(t, &m)) {
		if (tar_is_meant(t, &m))
			compare_member(t, &m);
		else
			archive_skip(t, m.size);
	}
	u_flush(t->list);
	archive_close_read(t);
	names_not_found(t);
}
