/*
 * dir.c - pairs of names: files, directories, whole trees.
 *
 * A tree is compared entry by entry in the order of names; files whose contents differ are
 * handed to the other rooms one pair at a time, with the memory of the last pair given back.
 */
#include "diff.h"

#define DEPTH_MAX 256
#define FILE_MAX ((size_t)1 << 30)

struct names {
	char **v;
	size_t n, cap;
};

static const char *kind_name(const struct sys_stat *st)
{
	switch (st->mode & SYS_S_TYPE) {
	case SYS_S_FILE: return st->size == 0 ? "regular empty file" : "regular file";
	case SYS_S_DIR: return "directory";
	case SYS_S_LINK: return "symbolic link";
	case SYS_S_FIFO: return "fifo";
	case SYS_S_CHAR: return "character special file";
	case SYS_S_BLOCK: return "block special file";
	default: return "socket";
	}
}

static bool is_dir(const struct sys_stat *st)
{
	return (st->mode & SYS_S_TYPE) == SYS_S_DIR;
}

static bool excluded(struct diff *d, const char *name)
{
	for (size_t i = 0; i < d->o->exclude.n; i++) {
		const char *pattern = d->o->exclude.v[i];

		if (u_glob_match(pattern, strlen(pattern), name, strlen(name), 0))
			return true;
	}
	return false;
}

static void sort_names(struct proc *p, char **v, size_t n)
{
	char **t = u_array(p, n + 1, sizeof(*t));

	for (size_t w = 1; w < n; w *= 2) {
		for (size_t at = 0; at < n; at += 2 * w) {
			size_t i = at, mid = MIN(at + w, n), j = mid, end = MIN(at + 2 * w, n), k = at;

			while (i < mid || j < end)
				t[k++] = j == end || (i < mid && strcmp(v[i], v[j]) <= 0) ? v[i++] : v[j++];
		}
		memcpy(v, t, n * sizeof(*v));
		sys_checkpoint_n(p, (uint32_t)MIN(n, UINT32_MAX));
	}
}

/* 0, or 2 after a message. */
static int read_names(struct diff *d, const char *path, struct names *out)
{
	int fd = sys_open(d->p, path, SYS_O_READ | SYS_O_DIRECTORY, 0), r;
	struct sys_dirent e;

	*out = (struct names){.cap = 32};
	out->v = u_array(d->p, out->cap, sizeof(*out->v));
	if (fd < 0) {
		u_warn(d->p, fd, "%s", path);
		return 2;
	}
	while ((r = sys_readdir(d->p, fd, &e)) > 0) {
		char *name = u_strndup(d->p, e.name, e.len);

		if (excluded(d, name))
			continue;
		if (out->n == out->cap) {
			char **v = u_array(d->p, out->cap * 2, sizeof(*v));

			memcpy(v, out->v, out->n * sizeof(*v));
			out->v = v;
			out->cap *= 2;
		}
		out->v[out->n++] = name;
	}
	sys_close(d->p, fd);
	if (r < 0)
		u_warn(d->p, r, "%s", path);
	sort_names(d->p, out->v, out->n);
	return r < 0 ? 2 : 0;
}

static int only_in(struct diff *d, const char *a, const char *b, const char *name, int f, int depth)
{
	const char *dir = f == 0 ? a : b;

	if (d->o->new_file || (d->o->one_new_file && f == 1))
		return diff_paths(d, u_join(d->p, a, name), u_join(d->p, b, name), depth);
	u_printf(d->out, "Only in %s: %s\n", dir, name);
	return 1;
}

static int compare_dirs(struct diff *d, const char *a, const char *b, bool has_a, bool has_b, int depth)
{
	struct names x = {0}, y = {0};
	size_t i = 0, j = 0;
	int status = 0;

	if (depth > DEPTH_MAX) {
		u_warn(d->p, -NACRE_ELOOP, "%s", a);
		return 2;
	}
	if (has_a)
		status = read_names(d, a, &x);
	if (has_b && read_names(d, b, &y))
		status = 2;
	while (i < x.n || j < y.n) {
		int c = i == x.n ? 1 : j == y.n ? -1 : strcmp(x.v[i], y.v[j]), s;

		if (c == 0)
			s = diff_paths(d, u_join(d->p, a, x.v[i]), u_join(d->p, b, y.v[j]), depth + 1);
		else
			s = only_in(d, a, b, c < 0 ? x.v[i] : y.v[j], c > 0, depth + 1);
		status = MAX(status, s);
		i += c <= 0;
		j += c >= 0;
	}
	return status;
}

/* ---- Contents ----------------------------------------------------------------------------- */

static bool binary(const struct str *s)
{
	return memchr(s->ptr, 0, MIN(s->len, 65536)) != NULL;
}

static int read_file(struct diff *d, struct diff_file *f)
{
	int fd = streq(f->name, "-") ? 0 : sys_open(d->p, f->name, SYS_O_READ, 0), e;

	f->text = (struct str){"", 0};
	if (f->absent)
		return 0;
	e = fd < 0 ? fd : u_read_all(d->p, fd, FILE_MAX, &f->text);
	if (fd > 0)
		sys_close(d->p, fd);
	if (e < 0)
		u_warn(d->p, e, "%s", f->name);
	return e < 0 ? 2 : 0;
}

static bool whole(const struct diff_opts *o)
{
	return o->style == DIFF_SIDE || o->style == DIFF_LINES;
}

/* An ed script cannot say that a file ends without a newline: 2 when one does. */
static int tell_unfinished(struct diff *d)
{
	int status = 0;

	for (int f = 0; f < 2; f++) {
		const struct str *s = &d->f[f].text;

		if (s->len == 0 || s->ptr[s->len - 1] == '\n')
			continue;
		u_warn(d->p, 0, "%s: No newline at end of file\n", d->f[f].name);
		status = 2;
	}
	return status;
}

static int compare_contents(struct diff *d)
{
	struct diff_file *a = &d->f[0], *b = &d->f[1];
	bool same, shown = false;
	int status;

	if (read_file(d, a) || read_file(d, b))
		return 2;
	same = str_eq(a->text, b->text);
	if (same && !whole(d->o)) {
		bool one = a->st.ino == b->st.ino && a->st.dev == b->st.dev && !a->absent && !b->absent;

		return d->o->style != DIFF_ED || d->o->brief || one || (!d->o->text && binary(&a->text)) ? 0 : tell_unfinished(d);
	}
	if (!d->o->text && (binary(&a->text) || binary(&b->text))) {
		if (same)
			return 0;
		u_printf(d->out, d->o->brief ? "Files %s and %s differ\n" : "Binary files %s and %s differ\n",
			 a->label ? a->label : a->name, b->label ? b->label : b->name);
		return 1;
	}
	diff_read_lines(d);
	diff_find_changes(d);
	for (size_t i = 0; i < d->nchanges; i++)
		shown |= !d->change[i].ignored;
	if (!shown && !(whole(d->o) && !d->o->brief) && d->o->style != DIFF_ED)
		return 0;
	if (d->o->brief) {
		if (!shown)
			return 0;
		u_printf(d->out, "Files %s and %s differ\n", a->label ? a->label : a->name,
			 b->label ? b->label : b->name);
		return 1;
	}
	if (d->command && shown)
		u_printf(d->out, "%s %s %s\n", d->command, diff_shown_name(d->p, a->name), diff_shown_name(d->p, b->name));
	diff_print(d);
	status = shown;
	return d->o->style == DIFF_ED && tell_unfinished(d) ? 2 : status;
}

static int compare_links(struct diff *d)
{
	char buf[2][SYS_PATH_MAX / 4];
	int64_t n[2];

	for (int f = 0; f < 2; f++) {
		n[f] = sys_readlink(d->p, d->f[f].name, buf[f], sizeof(buf[f]));
		if (n[f] < 0) {
			u_warn(d->p, (int)n[f], "%s", d->f[f].name);
			return 2;
		}
	}
	if (n[0] == n[1] && memcmp(buf[0], buf[1], (size_t)n[0]) == 0)
		return 0;
	u_printf(d->out, "Symbolic links %s and %s differ\n", d->f[0].name, d->f[1].name);
	return 1;
}

/* ---- A pair of names ------------------------------------------------------------------------- */

static int look(struct diff *d, int f, const char *name)
{
	struct diff_file *x = &d->f[f];

	*x = (struct diff_file){.name = name, .label = x->label};
	if (streq(name, "-"))
		return sys_fstat(d->p, 0, &x->st);
	return sys_stat(d->p, name, d->o->no_dereference ? SYS_NOFOLLOW : 0, &x->st);
}

static int compare_files(struct diff *d, int depth)
{
	const struct sys_stat *a = &d->f[0].st, *b = &d->f[1].st;
	uint32_t ta = a->mode & SYS_S_TYPE, tb = b->mode & SYS_S_TYPE;
	struct arena_mark mark;
	int s;

	if (d->f[0].absent)
		ta = tb;
	if (d->f[1].absent)
		tb = ta;
	if ((depth > 0 && (ta != tb || (ta != SYS_S_FILE && ta != SYS_S_LINK))) ||
	    (ta != tb && (ta == SYS_S_LINK || tb == SYS_S_LINK))) {
		if (ta == tb && ta == SYS_S_FIFO && a->ino == b->ino && a->dev == b->dev)
			return 0;
		u_printf(d->out, "File %s is a %s while file %s is a %s\n", d->f[0].name, kind_name(a),
			 d->f[1].name, kind_name(b));
		return 1;
	}
	if (ta == SYS_S_LINK && tb == SYS_S_LINK)
		return compare_links(d);
	mark = arena_mark(&sys_self(d->p)->arena);
	s = compare_contents(d);
	if (s == 0 && d->o->report_same)
		u_printf(d->out, "Files %s and %s are identical\n", d->f[0].label ? d->f[0].label : d->f[0].name,
			 d->f[1].label ? d->f[1].label : d->f[1].name);
	arena_reset(&sys_self(d->p)->arena, mark);
	return s;
}

int diff_paths(struct diff *d, const char *a, const char *b, int depth)
{
	int e[2] = {look(d, 0, a), look(d, 1, b)};
	const char *name[2] = {a, b};

	/* Standard input is what it is; nothing of it is read. */
	if (streq(a, "-") && streq(b, "-")) {
		if (d->o->report_same)
			u_puts(d->out, "Files - and - are identical\n");
		return 0;
	}
	for (int f = 0; f < 2; f++) {
		bool may = d->o->new_file || (d->o->one_new_file && f == 0);

		if (e[f] == -NACRE_ENOENT && may && e[1 - f] == 0)
			d->f[f].absent = true;
		else if (e[f] < 0)
			u_warn(d->p, e[f], "%s", name[f]);
	}
	if ((e[0] < 0 && !d->f[0].absent) || (e[1] < 0 && !d->f[1].absent))
		return 2;
	/* A file beside a directory: the file of that name in it. */
	for (int f = 0; depth == 0 && f < 2; f++) {
		if (is_dir(&d->f[f].st) && !is_dir(&d->f[1 - f].st) && !d->f[1 - f].absent) {
			const char *other = name[1 - f];

			if (streq(other, "-"))
				u_die(d->p, 2, 0, "cannot compare '-' to a directory");
			name[f] = u_join(d->p, name[f], u_basename(d->p, other));
			e[f] = look(d, f, name[f]);
			if (e[f] < 0) {
				u_warn(d->p, e[f], "%s", name[f]);
				return 2;
			}
			break;
		}
	}
	if (d->f[0].absent ? is_dir(&d->f[1].st) : is_dir(&d->f[0].st) && (d->f[1].absent || is_dir(&d->f[1].st))) {
		bool has_a = !d->f[0].absent, has_b = !d->f[1].absent;

		if (depth > 0 && !d->o->recursive) {
			u_printf(d->out, "Common subdirectories: %s and %s\n", a, b);
			return 0;
		}
		return compare_dirs(d, name[0], name[1], has_a, has_b, depth);
	}
	return compare_files(d, depth);
}
