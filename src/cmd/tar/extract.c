/*
 * extract.c - tar -x: making members.
 *
 * Every name has been through tar_map_name: relative and without "..", unless -P. What stands in the way is removed first
 * (or kept, by option); the last component is never followed when it is a link.
 */
#include "tar.h"

/* ---- What is in the way --------------------------------------------------------------------- */

/* Makes the directories above the name. false when there was nothing to make. */
static bool make_parents(struct tar *t, const char *name)
{
	char *part = u_strdup(t->p, name);
	bool made = false;

	for (char *s = part + strspn(part, "/"); (s = strchr(s, '/')) != NULL; s += strspn(s, "/")) {
		*s = '\0';
		if (sys_mkdir(t->p, part, 0777) == 0)
			made = true;
		*s = '/';
		if (!s[strspn(s, "/")])
			break;
	}
	return made;
}

static int remove_tree(struct tar *t, const char *name)
{
	struct u_walk *w = u_walk_new(t->p, name, 0);
	struct u_walk_entry e;
	int r = 0;

	while (u_walk_next(w, &e)) {
		if (e.event == U_WALK_FILE)
			r = sys_unlink(t->p, e.path);
		else if (e.event == U_WALK_DIR_POST)
			r = sys_rmdir(t->p, e.path);
	}
	return r;
}

static int remove_any(struct tar *t, const char *name)
{
	struct sys_stat st;
	int r = sys_stat(t->p, name, SYS_NOFOLLOW, &st);

	if (r < 0)
		return r;
	if ((st.mode & SYS_S_TYPE) != SYS_S_DIR)
		return sys_unlink(t->p, name);
	return t->recursive_unlink ? remove_tree(t, name) : sys_rmdir(t->p, name);
}

enum recovery { TRY_AGAIN, GIVE_UP, SKIP };

/* The error of making `name`: whether something was done about it. tries counts the attempts. */
static enum recovery recover(struct tar *t, const char *name, int err, int *tries)
{
	if ((*tries)++ > 2)
		return GIVE_UP;
	if (err == -NACRE_ENOENT)
		return make_parents(t, name) ? TRY_AGAIN : GIVE_UP;
	if (err != -NACRE_EEXIST && !(t->old_files == TAR_OVERWRITE && err == -NACRE_ELOOP))
		return GIVE_UP;
	if (t->old_files == TAR_SKIP_OLD) {
		if (t->loud & TAR_WARN_EXISTING || t->verbose > 1)
			tar_warn(t, 0, "%s: skipping existing file", tar_quote_colon(t, name));
		return SKIP;
	}
	if (t->old_files == TAR_KEEP_OLD)
		return GIVE_UP;
	return remove_any(t, name) == 0 ? TRY_AGAIN : GIVE_UP;
}

/* --keep-newer-files, and what -U does first. false: the member is passed over. */
static bool prepare(struct tar *t, const struct tar_member *m, const char *name)
{
	struct sys_stat st;

	if (t->old_files == TAR_UNLINK_FIRST)
		remove_any(t, name);
	if (t->old_files != TAR_KEEP_NEWER || sys_stat(t->p, name, SYS_NOFOLLOW, &st) < 0)
		return true;
	if ((st.mode & SYS_S_TYPE) == SYS_S_DIR || st.mtime.sec < m->mtime.sec || (st.mtime.sec == m->mtime.sec && st.mtime.nsec < m->mtime.nsec))
		return true;
	tar_warn(t, 0, "Current %s is newer or same age", u_quote(t->p, name));
	return false;
}

/* ---- Data -------------------------------------------------------------------------------------- */

/* The next piece of the member's data, at most n bytes; the program ends when there is none. */
static size_t piece(struct tar *t, uint64_t n, const char **ptr)
{
	size_t got = archive_data(t, n, ptr);

	if (!got) {
		tar_error(t, 0, "Unexpected EOF in archive");
		archive_cut(t);
	}
	return got;
}

/* All data to a descriptor; -E of the first write that failed (the rest is passed over). */
static int copy_data(struct tar *t, uint64_t size, int fd)
{
	uint64_t left = size;
	const char *ptr;
	int64_t r = 0;

	while (left) {
		size_t n = piece(t, left, &ptr);

		if (r >= 0)
			r = sys_write_slice(t->p, fd, t->ar.fd, ptr, n);
		left -= n;
	}
	archive_data_end(t, size);
	return r < 0 ? (int)r : 0;
}

static int write_at(struct tar *t, int fd, const char *ptr, size_t n, uint64_t at)
{
	int64_t r = sys_pwrite(t->p, fd, ptr, n, (int64_t)at);

	return r < 0 ? (int)r : 0;
}

/* The pieces of a sparse file, each at its place. */
static int copy_sparse(struct tar *t, const struct tar_member *m, int fd)
{
	uint64_t left = m->size;
	const char *ptr;
	int r = 0;

	for (size_t i = 0; i < m->nmap; i++) {
		uint64_t at = m->map[i].at, size = m->map[i].size;

		if (size > left || at > m->real_size || size > m->real_size - at || m->real_size > INT64_MAX) {
			tar_error(t, 0, "%s: invalid sparse archive member", tar_quote_colon(t, m->name));
			break;
		}
		left -= size;
		while (size) {
			size_t n = piece(t, size, &ptr);

			if (r == 0)
				r = write_at(t, fd, ptr, n, at);
			at += n;
			size -= n;
		}
	}
	while (left)
		left -= piece(t, left, &ptr);
	archive_data_end(t, m->size);
	return r == 0 && m->real_size <= INT64_MAX ? sys_ftruncate(t->p, fd, (int64_t)m->real_size) : r;
}

/* ---- --to-command --------------------------------------------------------------------------------- */

static char **command_environment(struct tar *t, const struct tar_member *m, const char *name)
{
	char **old = sys_self(t->p)->env, **v;
	size_t n = 0, k = 0;

	while (old && old[n])
		n++;
	v = u_array(t->p, n + 16, sizeof(*v));
	v[k++] = u_format(t->p, "TAR_FILENAME=%s", name);
	v[k++] = u_format(t->p, "TAR_REALNAME=%s", m->name);
	v[k++] = u_format(t->p, "TAR_FILETYPE=f");
	v[k++] = u_format(t->p, "TAR_MODE=%#o", m->mode);
	v[k++] = u_format(t->p, "TAR_SIZE=%llu", (unsigned long long)m->real_size);
	v[k++] = u_format(t->p, "TAR_MTIME=%lld", (long long)m->mtime.sec);
	v[k++] = u_format(t->p, "TAR_UNAME=%s", m->user);
	v[k++] = u_format(t->p, "TAR_GNAME=%s", m->group);
	v[k++] = u_format(t->p, "TAR_UID=%llu", (unsigned long long)m->uid);
	v[k++] = u_format(t->p, "TAR_GID=%llu", (unsigned long long)m->gid);
	v[k++] = u_format(t->p, "TAR_ARCHIVE=%s", t->file ? t->file : "-");
	v[k++] = u_format(t->p, "TAR_SUBCOMMAND=-x");
	v[k++] = u_format(t->p, "TAR_VERSION=1.34");
	for (size_t i = 0; i < n; i++) {
		if (strncmp(old[i], "TAR_", 4) != 0)
			v[k++] = old[i];
	}
	v[k] = NULL;
	return v;
}

static void run_command(struct tar *t, const struct tar_member *m, const char *name)
{
	struct proc *p = t->p;
	struct sys_wait w;
	int fds[2], pid, r = sys_pipe(p, fds);

	if (r < 0)
		tar_fatal(t, r, "Cannot create a pipe");
	sys_set_cloexec(p, fds[0], true);
	sys_set_cloexec(p, fds[1], true);
	u_flush(t->list);
	pid = sys_spawn(p, &(struct sys_spawn){
		.path = "/bin/sh", .nfds = 1, .fds = (struct sys_fd_move[]){{fds[0], 0}}, .env = command_environment(t, m, name),
		.argv = (char *[]){(char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", u_strdup(p, t->to_command), NULL}});
	sys_close(p, fds[0]);
	if (pid < 0)
		tar_fatal(t, pid, "/bin/sh: Cannot exec");
	/* A command need not read everything. */
	sys_signal(p, SYS_SIGPIPE, SYS_SIG_IGNORE);
	copy_data(t, m->size, fds[1]);
	sys_close(p, fds[1]);
	sys_signal(p, SYS_SIGPIPE, SYS_SIG_DEFAULT);
	do {
		r = sys_wait(p, pid, 0, &w);
	} while (r == -NACRE_EINTR);
	if (r >= 0 && w.signal && !t->ignore_command_error)
		tar_error(t, 0, "%d: Child terminated on signal %d", pid, w.signal);
	else if (r >= 0 && w.status && !t->ignore_command_error)
		tar_error(t, 0, "%d: Child returned status %d", pid, w.status);
}

/* ---- Members --------------------------------------------------------------------------------------- */

static void cannot(struct tar *t, const char *what, const char *name, int err)
{
	tar_error(t, err, "%s: Cannot %s", tar_quote_colon(t, name), what);
}

static void extract_file(struct tar *t, const struct tar_member *m, const char *name)
{
	unsigned flags = SYS_O_WRITE | SYS_O_CREATE | SYS_O_CLOEXEC | SYS_O_NONBLOCK |
			 (t->old_files == TAR_OVERWRITE ? SYS_O_TRUNC | (t->dereference ? 0 : SYS_O_NOFOLLOW) : SYS_O_EXCL);
	enum recovery how = TRY_AGAIN;
	int fd, tries = 0, r;

	do {
		fd = sys_open(t->p, name, flags, 0600);
		if (fd < 0)
			how = recover(t, name, fd, &tries);
	} while (fd < 0 && how == TRY_AGAIN);
	if (fd < 0) {
		if (how == GIVE_UP)
			cannot(t, "open", name, fd);
		archive_skip(t, m->size);
		return;
	}
	r = m->is_sparse ? copy_sparse(t, m, fd) : copy_data(t, m->size, fd);
	if (r < 0)
		cannot(t, "write", name, r);
	sys_close(t->p, fd);
	restore_file(t, m, name, false);
}

static void extract_dir(struct tar *t, const struct tar_member *m, const char *name)
{
	bool may_stay = t->old_files == TAR_REPLACE || t->old_files == TAR_OVERWRITE;
	int r, tries = 0;
	struct sys_stat st;

	while ((r = sys_mkdir(t->p, name, 0700)) == -NACRE_EEXIST || r == -NACRE_ENOENT) {
		if (r == -NACRE_EEXIST && t->keep_dir_link && sys_stat(t->p, name, 0, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR)
			return;
		if (r == -NACRE_EEXIST && sys_stat(t->p, name, SYS_NOFOLLOW, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR)
			break;
		if (recover(t, name, r, &tries) != TRY_AGAIN)
			break;
	}
	if (r < 0 && r != -NACRE_EEXIST)
		cannot(t, "mkdir", name, r);
	else if (r == 0 || (may_stay && t->overwrite_dir != TAR_OFF))
		restore_dir_later(t, m, name);
}

/* Makes something without data, removing what is in the way. */
static void extract_other(struct tar *t, const struct tar_member *m, const char *name, const char *target)
{
	enum recovery how = TRY_AGAIN;
	int r = 0, tries = 0;

	for (; how == TRY_AGAIN;) {
		if (m->type == '2')
			restore_symlink(t, m, name, target, &r);
		else if (m->type == '1')
			r = sys_link(t->p, target, name, SYS_NOFOLLOW);
		else
			r = sys_mkfifo(t->p, name, 0600);
		if (r == 0)
			break;
		how = recover(t, name, r, &tries);
	}
	if (r < 0 && how == SKIP)
		return;
	if (r < 0 && m->type == '2')
		cannot(t, u_format(t->p, "create symlink to %s", u_quote(t->p, target)), name, r);
	else if (r < 0)
		cannot(t, m->type == '1' ? u_format(t->p, "hard link to %s", u_quote(t->p, target)) : "mkfifo", name, r);
	else if (m->type == '1')
		restore_note_link(t, target, name);
	else if (m->type == '6')
		restore_file(t, m, name, false);
}

static void extract_link(struct tar *t, const struct tar_member *m, const char *name)
{
	const char *target = tar_map_name(t, m->link, m->type == '1' ? 'h' : 's');
	struct sys_stat a, b;

	if (!target) {
		target = m->link;
		if (m->type == '1')
			return;
	}
	/* Linking a name to itself, as archives of one file many times do. */
	if (m->type == '1' && sys_stat(t->p, target, SYS_NOFOLLOW, &a) == 0 && sys_stat(t->p, name, SYS_NOFOLLOW, &b) == 0 && a.dev == b.dev &&
	    a.ino == b.ino)
		return;
	extract_other(t, m, name, target);
}

/* Where -O and --to-command send data. true: the member has been dealt with. */
static bool extract_elsewhere(struct tar *t, const struct tar_member *m, const char *name)
{
	if (!t->to_stdout && !t->to_command)
		return false;
	if (m->type != '0' || m->is_sparse)
		archive_skip(t, m->size);
	else if (t->to_command)
		run_command(t, m, name);
	else if (copy_data(t, m->size, 1) < 0)
		tar_fatal(t, 0, "stdout: Cannot write");
	return true;
}

static void extract_member(struct tar *t, const struct tar_member *m)
{
	const char *name = tar_map_name(t, m->name, 'r');

	if (u_has_dot_dot(m->name)) { /* also with -P: an archive's names are not trusted */
		tar_error(t, 0, "%s: Member name contains '..'", tar_quote_colon(t, m->name));
		name = NULL;
	}
	if (!name) {
		archive_skip(t, m->size);
		return;
	}
	if (t->one_top_level)
		name = u_join(t->p, t->one_top_level, name);
	if (t->verbose)
		tar_print(t, m);
	if (extract_elsewhere(t, m, name))
		return;
	if (m->type != '5' && !prepare(t, m, name)) {
		archive_skip(t, m->size);
		return;
	}
	if (!strchr("0123456SVMDN", m->type))
		tar_warn(t, 0, "%s: Unknown file type '%c', extracted as normal file", tar_quote_colon(t, name), m->type);
	switch (m->type) {
	case '1':
	case '2': extract_link(t, m, name); break;
	case '3':
	case '4': cannot(t, "mknod", name, -NACRE_EPERM); break;
	case '5':
	case 'D': extract_dir(t, m, name); break;
	case '6': extract_other(t, m, name, NULL); break;
	case 'V':
	case 'N': break;
	case 'M': tar_error(t, 0, "%s: Cannot extract -- file is continued from another volume", tar_quote_colon(t, name)); break;
	default: extract_file(t, m, name); return;
	}
	archive_skip(t, m->size);
}

/* --one-top-level without a name: that of the archive without its suffixes. */
static void settle_top_level(struct tar *t)
{
	const char *base;
	size_t n;

	if (!t->wants_top_level || t->one_top_level)
		return;
	base = u_basename(t->p, t->file ? t->file : "");
	n = strcspn(base, ".");
	if (!n)
		tar_usage(t, "Cannot deduce top-level directory name; please set it explicitly with --one-top-level=DIR");
	t->one_top_level = u_strndup(t->p, base, n);
}

void tar_extract(struct tar *t)
{
	struct arena *a = &sys_self(t->p)->arena;
	struct arena_mark mark;
	struct tar_member m;

	settle_top_level(t);
	archive_open_read(t);
	if (!t->names.n)
		tar_enter(t, t->here);
	t->finish = restore_finish;
	mark = arena_mark(a);
	while (!names_done(t) && tar_next_member(t, &m)) {
		if (tar_is_meant(t, &m))
			extract_member(t, &m);
		else
			archive_skip(t, m.size);
		if (t->pinned || t->transform)
			mark = arena_mark(a);
		else
			arena_reset(a, mark);
		t->pinned = false;
	}
	t->finish = NULL;
	restore_finish(t);
	u_flush(t->list);
	archive_close_read(t);
	names_not_found(t);
}
