/*
 * create.c - tar -c: putting files into the archive.
 *
 * The tree is walked by u_walk; a file with several names goes in once and its other names as links to the first.
 */
#include "tar.h"

/* Files with several names: where they went. Open addressing; free where name is NULL. */
struct tar_link {
	uint64_t dev, ino;
	const char *name;
	uint32_t left;		/* names not met yet */
};

static struct tar_link *find_link(struct tar *t, uint64_t dev, uint64_t ino)
{
	size_t i = (size_t)((ino * 0x9e3779b97f4a7c15u) ^ dev) & (t->links_cap - 1);

	while (t->links[i].name && (t->links[i].dev != dev || t->links[i].ino != ino))
		i = (i + 1) & (t->links_cap - 1);
	return &t->links[i];
}

static void grow_links(struct tar *t)
{
	struct tar_link *old = t->links;
	size_t cap = t->links_cap;

	t->links_cap = cap ? cap * 2 : 64;
	t->links = memset(u_array(t->p, t->links_cap, sizeof(*old)), 0, t->links_cap * sizeof(*old));
	for (size_t i = 0; i < cap; i++) {
		if (old[i].name)
			*find_link(t, old[i].dev, old[i].ino) = old[i];
	}
}

/* The name under which the file went in before; NULL: this is the first. */
static const char *link_before(struct tar *t, const struct sys_stat *st, const char *name)
{
	struct tar_link *l;

	if (t->nlinks * 2 >= t->links_cap)
		grow_links(t);
	l = find_link(t, st->dev, st->ino);
	if (l->name) {
		l->left--;
		return l->name;
	}
	*l = (struct tar_link){st->dev, st->ino, name, st->nlink - 1};
	t->nlinks++;
	return NULL;
}

static void check_links(struct tar *t)
{
	for (size_t i = 0; t->check_links && i < t->links_cap; i++) {
		if (t->links[i].name && t->links[i].left)
			tar_warn(t, 0, "Missing links to %s.", u_quote(t->p, t->links[i].name));
	}
}

/* ---- The member --------------------------------------------------------------------------------- */

/* Two errors are told apart by --ignore-failed-read. */
static void cannot(struct tar *t, const char *what, const char *path, int err)
{
	if (t->ignore_failed_read) {
		if (!(t->silent & TAR_WARN_FAILED_READ))
			tar_warn(t, err, "%s: Warning: Cannot %s", tar_quote_colon(t, path), what);
		return;
	}
	tar_error(t, err, "%s: Cannot %s", tar_quote_colon(t, path), what);
}

static struct tar_member describe(struct tar *t, const char *path, const struct sys_stat *st)
{
	struct tar_member m = {.link = "", .mode = st->mode & 07777, .uid = st->uid, .gid = st->gid, .mtime = st->mtime};
	const char *user = u_user_name(t->p, st->uid), *group = u_group_name(t->p, st->gid);
	bool is_dir = (st->mode & SYS_S_TYPE) == SYS_S_DIR;

	m.name = tar_safe_name(t, path, false);
	if (t->transform)
		m.name = transform_apply(t, m.name, 'r');
	if (is_dir)
		m.name = u_format(t->p, "%s/", m.name);
	m.user = t->owner_name ? t->owner_name : user ? user : "";
	m.group = t->group_name ? t->group_name : group ? group : "";
	if (t->owner >= 0)
		m.uid = (uint64_t)t->owner;
	if (t->group >= 0)
		m.gid = (uint64_t)t->group;
	if (t->mode_change)
		m.mode = u_mode_apply(t->mode_change, m.mode, is_dir, (uint32_t)t->umask);
	if (t->has_mtime && (!t->clamp_mtime || m.mtime.sec > t->fixed_mtime.sec))
		m.mtime = t->fixed_mtime;
	return m;
}

/* -v shows the name as it was found. */
static void show(struct tar *t, const struct tar_member *m, const char *path)
{
	struct tar_member shown = *m;

	if (!t->verbose)
		return;
	if (!t->show_transformed)
		shown.name = path;
	else if (m->type == '5')
		shown.name = u_strndup(t->p, m->name, strlen(m->name) - 1);
	shown.block = t->ar.blocks - 1;
	tar_print(t, &shown);
}

static bool put_header(struct tar *t, const struct tar_member *m, const char *path)
{
	if (!tar_write_header(t, m))
		return false;
	show(t, m, path);
	return true;
}

static void put_zeros(struct tar *t, uint64_t n)
{
	static const char zero[TAR_BLOCK];

	while (n) {
		size_t part = (size_t)MIN(n, (uint64_t)sizeof(zero));

		sys_checkpoint(t->p);
		archive_put(t, zero, part);
		n -= part;
	}
}

static void put_data(struct tar *t, int fd, const char *path, const struct sys_stat *st)
{
	uint64_t left = (uint64_t)st->size;
	struct sys_slice s;
	struct sys_stat now;
	int64_t got = 0;

	while (left && (got = sys_read_slice(t->p, fd, (size_t)MIN(left, (uint64_t)1 << 20), &s)) > 0) {
		archive_put(t, s.ptr, s.len);
		left -= s.len;
	}
	if (got < 0)
		tar_error(t, (int)got, "%s: Read error at byte %llu, while reading %llu bytes", tar_quote_colon(t, path),
			  (unsigned long long)((uint64_t)st->size - left), (unsigned long long)MIN(left, (uint64_t)TAR_RECORD));
	else if (left && !(t->silent & TAR_WARN_CHANGED))
		tar_warn(t, 0, "%s: File shrank by %llu byte%s; padding with zeros", tar_quote_colon(t, path), (unsigned long long)left,
			 left == 1 ? "" : "s");
	if (left && !t->status)
		t->status = 1;
	put_zeros(t, left);
	archive_pad(t);
	if (!left && sys_fstat(t->p, fd, &now) == 0 && (now.size != st->size || now.ctime.sec != st->ctime.sec || now.ctime.nsec != st->ctime.nsec)) {
		if (!(t->silent & TAR_WARN_CHANGED))
			tar_warn(t, 0, "%s: file changed as we read it", tar_quote_colon(t, path));
		if (!t->status)
			t->status = 1;
	}
}

static void dump_plain(struct tar *t, struct tar_member *m, const char *path, const struct sys_stat *st)
{
	int fd = sys_open(t->p, path, SYS_O_READ | SYS_O_CLOEXEC | (t->dereference ? 0 : SYS_O_NOFOLLOW), 0);

	if (fd < 0) {
		cannot(t, "open", path, fd);
		return;
	}
	m->type = '0';
	m->size = m->real_size = (uint64_t)st->size;
	if (put_header(t, m, path))
		put_data(t, fd, path, st);
	sys_close(t->p, fd);
}

static void dump_symlink(struct tar *t, struct tar_member *m, const char *path)
{
	char *target = u_alloc(t->p, SYS_PATH_MAX + 1);
	int64_t n = sys_readlink(t->p, path, target, SYS_PATH_MAX);

	if (n < 0) {
		cannot(t, "readlink", path, (int)n);
		return;
	}
	target[n] = '\0';
	m->type = '2';
	m->link = t->transform ? transform_apply(t, target, 's') : target;
	put_header(t, m, path);
}

/* A further name of a file that is in the archive. true: done. */
static bool dump_link(struct tar *t, struct tar_member *m, const char *path, const struct sys_stat *st)
{
	const char *first;

	if (st->nlink < 2 || t->hard_dereference)
		return false;
	first = link_before(t, st, path);
	if (!first)
		return false;
	m->type = '1';
	m->link = tar_safe_name(t, first, true);
	if (t->transform)
		m->link = transform_apply(t, m->link, 'h');
	put_header(t, m, path);
	return true;
}

static void dump_file(struct tar *t, const char *path, const struct sys_stat *st)
{
	uint32_t type = st->mode & SYS_S_TYPE;
	struct tar_member m = describe(t, path, st);

	if (type == SYS_S_SOCK) {
		if (!(t->silent & TAR_WARN_IGNORED))
			tar_warn(t, 0, "%s: socket ignored", tar_quote_colon(t, path));
		return;
	}
	if (type == SYS_S_DIR) {
		m.type = '5';
		put_header(t, &m, path);
		return;
	}
	if (dump_link(t, &m, path, st))
		return;
	if (type == SYS_S_FILE) {
		dump_plain(t, &m, path, st);
	} else if (type == SYS_S_LINK) {
		dump_symlink(t, &m, path);
	} else {
		m.type = type == SYS_S_FIFO ? '6' : type == SYS_S_CHAR ? '3' : '4';
		m.major = (uint32_t)(st->rdev >> 8 & 0xfff);
		m.minor = (uint32_t)((st->rdev & 0xff) | (st->rdev >> 12 & 0xfff00));
		put_header(t, &m, path);
	}
}

/* ---- The tree ------------------------------------------------------------------------------------- */

static bool is_too_old(struct tar *t, const struct sys_stat *st)
{
	if (!t->has_newer || (st->mode & SYS_S_TYPE) == SYS_S_DIR)
		return false;
	return st->mtime.sec < t->newer.sec && (t->newer_mtime_only || st->ctime.sec < t->newer.sec);
}

static bool is_left_out(struct tar *t, const struct u_walk_entry *e)
{
	if (tar_excluded(t, e->path))
		return true;
	if (is_too_old(t, &e->st)) {
		if (e->depth == 0 && t->verbose)
			tar_warn(t, 0, "%s: file is unchanged; not dumped", tar_quote_colon(t, e->path));
		return true;
	}
	if (t->ar.has_ino && t->ar.dev == e->st.dev && t->ar.ino == e->st.ino) {
		if (!(t->silent & TAR_WARN_ARCHIVE))
			tar_warn(t, 0, "%s: file is the archive; not dumped", tar_quote_colon(t, e->path));
		return true;
	}
	return false;
}

static void remove_dumped(struct tar *t, const char *path, bool is_dir)
{
	int r = !t->remove_files ? 0 : is_dir ? sys_rmdir(t->p, path) : sys_unlink(t->p, path);

	if (r < 0)
		tar_error(t, r, "%s: Cannot %s", tar_quote_colon(t, path), is_dir ? "rmdir" : "unlink");
}

static void dump_tree(struct tar *t, const struct tar_name *n, bool (*wanted)(struct tar *, const char *, const struct sys_stat *))
{
	struct u_walk *w = u_walk_new(t->p, n->text, (t->dereference ? U_WALK_FOLLOW : 0) | (t->one_fs ? U_WALK_ONE_FS : 0) |
							      (t->sort == TAR_SORT_NAME ? U_WALK_SORTED : 0));
	struct u_walk_entry e;

	while (u_walk_next(w, &e)) {
		const char *path;

		if (e.event == U_WALK_ERROR) {
			cannot(t, e.st.mode ? "open" : "stat", e.path, e.err);
			continue;
		}
		if (e.event == U_WALK_DIR_POST) {
			if (e.err == 0)
				remove_dumped(t, e.path, true);
			continue;
		}
		if (is_left_out(t, &e)) {
			u_walk_skip(w);
			continue;
		}
		if (e.event == U_WALK_CYCLE) {
			tar_warn(t, 0, "%s: contains a cache of itself: not dumped", tar_quote_colon(t, e.path));
			continue;
		}
		path = e.st.nlink > 1 && e.event == U_WALK_FILE ? u_strdup(t->p, e.path) : e.path;
		if (!wanted || wanted(t, path, &e.st)) {
			dump_file(t, path, &e.st);
			if (e.event == U_WALK_FILE)
				remove_dumped(t, path, false);
		}
		if (n->no_recursion)
			u_walk_skip(w);
	}
}

void tar_dump_names(struct tar *t, bool (*wanted)(struct tar *t, const char *name, const struct sys_stat *st))
{
	const char *where = NULL;

	for (size_t i = 0; i < t->names.n; i++) {
		const struct tar_name *n = &t->names.v[i];

		if (n->where != where) {
			tar_enter(t, n->where);
			where = n->where;
		}
		dump_tree(t, n, wanted);
	}
	check_links(t);
}

void tar_create(struct tar *t)
{
	struct tar_member label = {.name = t->label, .link = "", .user = "", .group = "", .type = 'V', .mtime = t->now};

	archive_open_write(t);
	if (t->label && t->format == TAR_GNU)
		tar_write_header(t, &label);
	tar_dump_names(t, NULL);
	u_flush(t->list);
	archive_close_write(t);
}
