/*
 * conformance.c - does a filesystem do what programs expect of one?
 *
 * The tests work in one directory through the sandbox's tree, as commands would, and leave it empty.
 */
#include "api.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../kernel/hostcall.h"

struct trial {
	nacre_sandbox *sb;
	struct vfs_who who;
	const char *at;
	unsigned features;
	void (*report)(void *payload, const char *test, const char *wrong);
	void *payload;
	const char *test;
	unsigned failures, told;
	char path[4][SYS_PATH_MAX];
	unsigned next_path;
};

/* ---- Judging ------------------------------------------------------------------------- */

static void wrong(struct trial *t, const char *format, ...) PRINTF(2, 3);

static void wrong(struct trial *t, const char *format, ...)
{
	char text[300];
	va_list ap;

	t->failures++;
	t->told++;
	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (t->report && t->told <= 20)
		t->report(t->payload, t->test, text);
}

#define EXPECT(t, what, want)                                                                                          \
	do {                                                                                                           \
		int64_t got_ = (what), want_ = (want);                                                                 \
		if (got_ != want_)                                                                                     \
			wrong(t, "%s gave %lld (%s), not %lld (%s)", #what, (long long)got_, got_ < 0 ? errno_name((int)got_) : "", \
			      (long long)want_, want_ < 0 ? errno_name((int)want_) : "");                              \
	} while (0)

/* A path in the directory; four may be in use at once. */
static const char *in(struct trial *t, const char *name)
{
	char *p = t->path[t->next_path++ % 4];

	snprintf(p, sizeof(t->path[0]), "%.2000s/%.2000s", t->at, name);
	return p;
}

/* As a proc gives a file back. */
static void close_file(struct file *f)
{
	(void)!file_settle(f);
	file_put(f);
}

/* ---- Operations in one line ------------------------------------------------------------- */

static int open_at(struct trial *t, const char *name, unsigned flags, struct file **f)
{
	hostcall_flush(t->sb->rt->kernel);
	return vfs_open(&t->who, in(t, name), flags, 0644, f);
}

/* Opens what must be there to be opened; false after it was reported. */
static bool opened(struct trial *t, const char *name, unsigned flags, struct file **f)
{
	int e = open_at(t, name, flags, f);

	if (e < 0)
		wrong(t, "cannot open %s: %s", name, errno_name(e));
	else if (!(*f)->ops->read && !(*f)->ops->readdir) {
		wrong(t, "%s cannot be read", name);
		close_file(*f);
		e = -NACRE_EIO;
	}
	return e >= 0;
}

static int64_t put(struct trial *t, const char *name, unsigned flags, const char *text, int64_t at)
{
	struct file *f;
	int64_t got = open_at(t, name, SYS_O_WRITE | flags, &f);

	if (got < 0)
		return got;
	got = f->ops->write(f, text, strlen(text), at);
	close_file(f);
	return got;
}

/* The text of a file is `want`; NUL bytes are shown as ".". */
static void has(struct trial *t, const char *name, const char *want)
{
	char buf[400];
	struct file *f;
	size_t n = 0;
	int64_t got = open_at(t, name, SYS_O_READ, &f);

	if (got < 0) {
		wrong(t, "cannot open %s: %s", name, errno_name((int)got));
		return;
	}
	while (n < sizeof(buf) - 1 && (got = f->ops->read(f, buf + n, sizeof(buf) - 1 - n, (int64_t)n)) > 0)
		n += (size_t)got;
	close_file(f);
	for (size_t i = 0; i < n; i++)
		buf[i] = buf[i] ? buf[i] : '.';
	buf[n] = '\0';
	if (got < 0 || !streq(buf, want))
		wrong(t, "%s holds \"%s\" (%lld), not \"%s\"", name, buf, (long long)got, want);
}

static int stat_of(struct trial *t, const char *name, struct sys_stat *st)
{
	return vfs_stat(&t->who, in(t, name), SYS_NOFOLLOW, st);
}

static int make_dir(struct trial *t, const char *name)
{
	return vfs_mkdir(&t->who, in(t, name), 0755);
}

static int remove_file(struct trial *t, const char *name)
{
	return vfs_unlink(&t->who, in(t, name));
}

static int remove_dir(struct trial *t, const char *name)
{
	return vfs_rmdir(&t->who, in(t, name));
}

static int move(struct trial *t, const char *from, const char *to)
{
	return vfs_rename(&t->who, in(t, from), in(t, to), 0);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The directory's names are these, each followed by a blank. */
static void lists(struct trial *t, const char *name, const char *want)
{
	char got[1000] = "", *v[64];
	size_t n = 0, at = 0;
	struct sys_dirent e;
	struct file *f;
	int r = open_at(t, name, SYS_O_READ | SYS_O_DIRECTORY, &f);

	if (r < 0) {
		wrong(t, "cannot list %s: %s", name, errno_name(r));
		return;
	}
	while (n < COUNTOF(v) && (r = f->ops->readdir(f, &e)) > 0)
		v[n++] = strndup(e.name, e.len);
	close_file(f);
	if (n)
		qsort(v, n, sizeof(*v), by_name);
	for (size_t i = 0; i < n; i++) {
		at += (size_t)snprintf(got + at, at < sizeof(got) ? sizeof(got) - at : 0, "%s ", v[i] ? v[i] : "?");
		free(v[i]);
	}
	if (r < 0 || !streq(got, want))
		wrong(t, "%s lists \"%s\" (%d), not \"%s\"", name, got, r, want);
}

/* ---- The tests ------------------------------------------------------------------------------ */

static void test_open(struct trial *t)
{
	struct sys_stat st;
	struct file *f;

	EXPECT(t, open_at(t, "f", SYS_O_READ, &f), -NACRE_ENOENT);
	EXPECT(t, open_at(t, "f", SYS_O_WRITE, &f), -NACRE_ENOENT);
	EXPECT(t, put(t, "f", SYS_O_CREATE | SYS_O_EXCL, "hello", 0), 5);
	has(t, "f", "hello");
	EXPECT(t, put(t, "f", SYS_O_CREATE | SYS_O_EXCL, "x", 0), -NACRE_EEXIST);
	EXPECT(t, put(t, "f", SYS_O_CREATE, "J", 0), 1);
	has(t, "f", "Jello");
	EXPECT(t, put(t, "f", SYS_O_APPEND, "!", -1), 1);
	has(t, "f", "Jello!");
	EXPECT(t, put(t, "f", SYS_O_TRUNC, "new", 0), 3);
	has(t, "f", "new");
	EXPECT(t, stat_of(t, "f", &st), 0);
	EXPECT(t, st.mode & SYS_S_TYPE, SYS_S_FILE);
	EXPECT(t, st.size, 3);
	EXPECT(t, open_at(t, "f", SYS_O_READ | SYS_O_DIRECTORY, &f), -NACRE_ENOTDIR);
	EXPECT(t, put(t, "f/x", SYS_O_CREATE, "x", 0), -NACRE_ENOTDIR);
	EXPECT(t, put(t, "none/x", SYS_O_CREATE, "x", 0), -NACRE_ENOENT);
	EXPECT(t, make_dir(t, "d"), 0);
	EXPECT(t, open_at(t, "d", SYS_O_WRITE, &f), -NACRE_EISDIR);
	if (opened(t, "d", SYS_O_READ, &f))
		close_file(f);
	EXPECT(t, remove_dir(t, "d"), 0);
	EXPECT(t, remove_file(t, "f"), 0);
	EXPECT(t, open_at(t, "f", SYS_O_READ, &f), -NACRE_ENOENT);
}

static void test_data(struct trial *t)
{
	struct file *f, *g;
	struct sys_stat st;
	char buf[16];

	if (!opened(t, "f", SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE, &f))
		return;
	EXPECT(t, f->ops->write(f, "abc", 3, -1), 3);
	EXPECT(t, f->ops->write(f, "def", 3, -1), 3);
	EXPECT(t, f->ops->write(f, "xyz", 3, 9), 3);
	has(t, "f", "abcdef...xyz");
	EXPECT(t, f->ops->read(f, buf, sizeof(buf), 4), 8);
	EXPECT(t, f->ops->read(f, buf, sizeof(buf), 12), 0);
	EXPECT(t, f->ops->read(f, buf, sizeof(buf), 1000), 0);
	/* Two descriptors see each other's writes. */
	EXPECT(t, f->ops->write(f, "Q", 1, 0), 1);
	if (opened(t, "f", SYS_O_READ, &g)) {
		EXPECT(t, g->ops->read(g, buf, 1, 0), 1);
		EXPECT(t, buf[0], 'Q');
		close_file(g);
	}
	EXPECT(t, f->ops->truncate(f, 4), 0);
	has(t, "f", "Qbcd");
	EXPECT(t, f->ops->truncate(f, 7), 0);
	has(t, "f", "Qbcd...");
	EXPECT(t, f->ops->stat(f, &st), 0);
	EXPECT(t, st.size, 7);
	EXPECT(t, f->ops->seek(f, -2, SYS_SEEK_END), 5);
	EXPECT(t, f->ops->write(f, "!!!", 3, -1), 3);
	has(t, "f", "Qbcd.!!!");
	close_file(f);
	EXPECT(t, vfs_truncate(&t->who, in(t, "f"), 2), 0);
	has(t, "f", "Qb");
	EXPECT(t, remove_file(t, "f"), 0);
}

static void test_large(struct trial *t)
{
	size_t n = (size_t)3 << 20, done = 0;
	char *data = malloc(n), *back = malloc(n);
	struct file *f = NULL;
	int64_t got = 1;

	if (data && back) {
		for (size_t i = 0; i < n; i++)
			data[i] = (char)(i * 31 ^ i >> 11);
		if (!opened(t, "big", SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE, &f))
			f = NULL;
		while (f && done < n && (got = f->ops->write(f, data + done, n - done, -1)) > 0)
			done += (size_t)got;
		EXPECT(t, (int64_t)done, (int64_t)n);
		done = 0;
		while (f && (got = f->ops->read(f, back + done, n - done, (int64_t)done)) > 0)
			done += (size_t)got;
		if (done != n || memcmp(data, back, n) != 0)
			wrong(t, "3 MiB read back are not what was written");
		if (f)
			close_file(f);
		EXPECT(t, remove_file(t, "big"), 0);
	}
	free(data);
	free(back);
}

static void test_directories(struct trial *t)
{
	struct sys_stat st;

	lists(t, ".", "");
	EXPECT(t, make_dir(t, "d"), 0);
	EXPECT(t, make_dir(t, "d"), -NACRE_EEXIST);
	EXPECT(t, make_dir(t, "d/e"), 0);
	EXPECT(t, make_dir(t, "x/y"), -NACRE_ENOENT);
	EXPECT(t, stat_of(t, "d", &st), 0);
	EXPECT(t, st.mode & SYS_S_TYPE, SYS_S_DIR);
	EXPECT(t, put(t, "d/f", SYS_O_CREATE, "f", 0), 1);
	EXPECT(t, put(t, "d/\xff\x01 n", SYS_O_CREATE, "n", 0), 1);
	lists(t, "d", "e f \xff\x01 n ");
	lists(t, ".", "d ");
	EXPECT(t, remove_dir(t, "d"), -NACRE_ENOTEMPTY);
	EXPECT(t, remove_dir(t, "d/f"), -NACRE_ENOTDIR);
	EXPECT(t, remove_file(t, "d/e"), -NACRE_EISDIR);
	EXPECT(t, remove_file(t, "d/none"), -NACRE_ENOENT);
	EXPECT(t, remove_dir(t, "d/none"), -NACRE_ENOENT);
	EXPECT(t, remove_file(t, "d/f"), 0);
	EXPECT(t, remove_file(t, "d/\xff\x01 n"), 0);
	EXPECT(t, remove_dir(t, "d/e"), 0);
	EXPECT(t, remove_dir(t, "d"), 0);
	lists(t, ".", "");
}

static void test_rename(struct trial *t)
{
	struct sys_stat st;

	EXPECT(t, put(t, "a", SYS_O_CREATE, "a", 0), 1);
	EXPECT(t, put(t, "b", SYS_O_CREATE, "bb", 0), 2);
	EXPECT(t, move(t, "none", "c"), -NACRE_ENOENT);
	EXPECT(t, move(t, "a", "c"), 0);
	has(t, "c", "a");
	EXPECT(t, stat_of(t, "a", &st), -NACRE_ENOENT);
	EXPECT(t, move(t, "c", "b"), 0);
	has(t, "b", "a");
	lists(t, ".", "b ");
	EXPECT(t, make_dir(t, "d"), 0);
	EXPECT(t, make_dir(t, "e"), 0);
	EXPECT(t, put(t, "d/x", SYS_O_CREATE, "x", 0), 1);
	EXPECT(t, move(t, "b", "d"), -NACRE_EISDIR);
	EXPECT(t, move(t, "d", "b"), -NACRE_ENOTDIR);
	EXPECT(t, move(t, "e", "d"), -NACRE_ENOTEMPTY);
	EXPECT(t, move(t, "d", "d/y"), -NACRE_EINVAL);
	EXPECT(t, move(t, "d", "e"), 0);
	has(t, "e/x", "x");
	EXPECT(t, move(t, "e", "g"), 0);
	EXPECT(t, move(t, "g/x", "x"), 0);
	has(t, "x", "x");
	lists(t, "g", "");
	EXPECT(t, move(t, "x", "x"), 0);
	has(t, "x", "x");
	EXPECT(t, remove_dir(t, "g"), 0);
	EXPECT(t, remove_file(t, "x"), 0);
	EXPECT(t, remove_file(t, "b"), 0);
}

/* A file that is removed or replaced while it is open can still be read and written. */
static void test_open_and_gone(struct trial *t)
{
	struct file *f, *g;
	char buf[8];

	EXPECT(t, put(t, "f", SYS_O_CREATE, "first", 0), 5);
	EXPECT(t, put(t, "n", SYS_O_CREATE, "second", 0), 6);
	if (!opened(t, "f", SYS_O_READ | SYS_O_WRITE, &f))
		return;
	EXPECT(t, move(t, "n", "f"), 0);
	EXPECT(t, f->ops->read(f, buf, sizeof(buf), 0), 5);
	if (!opened(t, "f", SYS_O_READ | SYS_O_WRITE, &g)) {
		close_file(f);
		return;
	}
	EXPECT(t, remove_file(t, "f"), 0);
	EXPECT(t, g->ops->read(g, buf, sizeof(buf), 0), 6);
	EXPECT(t, g->ops->write(g, "S", 1, 0), 1);
	EXPECT(t, g->ops->read(g, buf, 1, 0), 1);
	EXPECT(t, buf[0], 'S');
	lists(t, ".", "");
	close_file(f);
	close_file(g);
}

static void test_names(struct trial *t)
{
	char name[FS_NAME_MAX + 2];
	struct sys_stat st;

	memset(name, 'n', sizeof(name));
	name[FS_NAME_MAX] = '\0';
	EXPECT(t, put(t, name, SYS_O_CREATE, "x", 0), 1);
	EXPECT(t, stat_of(t, name, &st), 0);
	EXPECT(t, remove_file(t, name), 0);
	name[FS_NAME_MAX] = 'n';
	name[FS_NAME_MAX + 1] = '\0';
	EXPECT(t, put(t, name, SYS_O_CREATE, "x", 0), -NACRE_ENAMETOOLONG);
	EXPECT(t, stat_of(t, name, &st), -NACRE_ENAMETOOLONG);
	EXPECT(t, put(t, "Case", SYS_O_CREATE, "x", 0), 1);
	EXPECT(t, stat_of(t, "case", &st), -NACRE_ENOENT);
	EXPECT(t, remove_file(t, "Case"), 0);
	/* ".." ends at the mount's own directory only by its name. */
	EXPECT(t, put(t, "x", SYS_O_CREATE, "x", 0), 1);
	EXPECT(t, make_dir(t, "d"), 0);
	has(t, "d/../x", "x");
	EXPECT(t, stat_of(t, "x/..", &st), -NACRE_ENOTDIR);
	EXPECT(t, remove_dir(t, "d"), 0);
	EXPECT(t, remove_file(t, "x"), 0);
}

static void test_links(struct trial *t)
{
	struct sys_stat st;
	char buf[20];

	EXPECT(t, put(t, "f", SYS_O_CREATE, "text", 0), 4);
	EXPECT(t, vfs_symlink(&t->who, "f", in(t, "l")), 0);
	EXPECT(t, vfs_symlink(&t->who, "f", in(t, "l")), -NACRE_EEXIST);
	EXPECT(t, stat_of(t, "l", &st), 0);
	EXPECT(t, st.mode & SYS_S_TYPE, SYS_S_LINK);
	EXPECT(t, vfs_readlink(&t->who, in(t, "l"), buf, sizeof(buf)), 1);
	EXPECT(t, vfs_readlink(&t->who, in(t, "f"), buf, sizeof(buf)), -NACRE_EINVAL);
	has(t, "l", "text");
	EXPECT(t, make_dir(t, "d"), 0);
	EXPECT(t, vfs_symlink(&t->who, "../f", in(t, "d/up")), 0);
	EXPECT(t, vfs_symlink(&t->who, "d", in(t, "dl")), 0);
	has(t, "dl/up", "text");
	EXPECT(t, vfs_symlink(&t->who, "loop", in(t, "loop")), 0);
	EXPECT(t, put(t, "loop", 0, "x", 0), -NACRE_ELOOP);
	EXPECT(t, put(t, "l", 0, "T", 0), 1);
	has(t, "f", "Text");
	EXPECT(t, remove_file(t, "dl"), 0);
	EXPECT(t, remove_file(t, "loop"), 0);
	EXPECT(t, remove_file(t, "l"), 0);
	has(t, "f", "Text");
	EXPECT(t, remove_file(t, "d/up"), 0);
	EXPECT(t, remove_dir(t, "d"), 0);
	EXPECT(t, remove_file(t, "f"), 0);
}

static void test_attributes(struct trial *t)
{
	const struct sys_time a = {1000000000, 0}, m = {1500000000, 500000000};
	struct sys_stat st;

	EXPECT(t, put(t, "f", SYS_O_CREATE, "x", 0), 1);
	if (t->features & NACRE_FS_MODES) {
		EXPECT(t, vfs_chmod(&t->who, in(t, "f"), 0750, 0), 0);
		EXPECT(t, stat_of(t, "f", &st), 0);
		EXPECT(t, st.mode & 0777, 0750);
	}
	if (t->features & NACRE_FS_TIMES) {
		EXPECT(t, vfs_utimes(&t->who, in(t, "f"), a, m, 0), 0);
		EXPECT(t, stat_of(t, "f", &st), 0);
		EXPECT(t, st.mtime.sec, m.sec);
		EXPECT(t, st.mtime.nsec, m.nsec);
	}
	if (t->features & NACRE_FS_HARD_LINKS) {
		EXPECT(t, vfs_link(&t->who, in(t, "f"), in(t, "g"), 0), 0);
		EXPECT(t, put(t, "g", 0, "y", 0), 1);
		has(t, "f", "y");
		EXPECT(t, remove_file(t, "g"), 0);
	}
	EXPECT(t, remove_file(t, "f"), 0);
}

/* Random operations on few names against a model of what there is. */
static void test_random(struct trial *t)
{
	static const char *const names[] = {"a", "b", "c"};
	char model[3][64] = {"", "", ""};
	bool there[3] = {false, false, false};
	uint32_t rng = 12345;

	for (int step = 0; step < 400 && t->told < 20; step++) {
		uint32_t r = (rng = rng * 1664525u + 1013904223u) >> 8, k = r % 3, j = r / 3 % 3, len = (uint32_t)strlen(model[k]);
		char text[8];

		snprintf(text, sizeof(text), "%u", r / 16 % 1000);
		switch (r / 1024 % 5) {
		case 0:
			EXPECT(t, put(t, names[k], SYS_O_CREATE | SYS_O_TRUNC, text, 0), (int64_t)strlen(text));
			there[k] = true;
			snprintf(model[k], sizeof(model[k]), "%s", text);
			break;
		case 1:
			if (len + 4 >= sizeof(model[k]))
				break;
			EXPECT(t, put(t, names[k], SYS_O_CREATE | SYS_O_APPEND, text, -1), (int64_t)strlen(text));
			there[k] = true;
			memcpy(model[k] + len, text, strlen(text) + 1);
			break;
		case 2:
			EXPECT(t, remove_file(t, names[k]), there[k] ? 0 : -NACRE_ENOENT);
			there[k] = false;
			model[k][0] = '\0';
			break;
		case 3:
			EXPECT(t, move(t, names[k], names[j]), there[k] ? 0 : -NACRE_ENOENT);
			if (!there[k] || k == j)
				break;
			there[j] = true;
			there[k] = false;
			memcpy(model[j], model[k], sizeof(model[j]));
			model[k][0] = '\0';
			break;
		default:
			EXPECT(t, vfs_truncate(&t->who, in(t, names[k]), len / 2), there[k] ? 0 : -NACRE_ENOENT);
			model[k][len / 2] = '\0';
			break;
		}
		for (int i = 0; i < 3; i++)
			if (there[i])
				has(t, names[i], model[i]);
	}
	for (int i = 0; i < 3; i++)
		if (there[i])
			EXPECT(t, remove_file(t, names[i]), 0);
	lists(t, ".", "");
}

int nacre_fs_conformance(nacre_sandbox *sb, const char *at, unsigned features,
			 void (*report)(void *payload, const char *test, const char *wrong), void *payload)
{
	static const struct {
		const char *name;
		void (*run)(struct trial *t);
		unsigned needs;
	} tests[] = {{"opening", test_open, 0},         {"reading and writing", test_data, 0}, {"3 MiB", test_large, 0},
		     {"directories", test_directories, 0}, {"renaming", test_rename, 0},          {"removed while open", test_open_and_gone, 0},
		     {"names", test_names, 0},          {"links", test_links, NACRE_FS_SYMLINKS}, {"attributes", test_attributes, 0},
		     {"random operations", test_random, 0}};
	struct trial *t = calloc(1, sizeof(*t));
	struct sys_stat st;
	int e;

	if (!t)
		return runtime_fail(sb->rt, -NACRE_ENOMEM, "out of memory");
	e = recording_refuses(sb->rt);
	if (e < 0) {
		free(t);
		return e;
	}
	*t = (struct trial){.sb = sb, .at = at, .features = features, .report = report, .payload = payload};
	sandbox_who(sb->kernel, &t->who);
	e = vfs_stat(&t->who, at, 0, &st);
	if (e == 0 && (st.mode & SYS_S_TYPE) != SYS_S_DIR)
		e = -NACRE_ENOTDIR;
	for (size_t i = 0; i < COUNTOF(tests) && e == 0; i++) {
		if ((tests[i].needs & features) != tests[i].needs)
			continue;
		t->test = tests[i].name;
		t->told = 0;
		tests[i].run(t);
		hostcall_flush(sb->rt->kernel);
		if (report && !t->told)
			report(payload, t->test, NULL);
	}
	e = e < 0 ? runtime_fail(sb->rt, e, "cannot try '%s': %s", at, errno_text(e)) : (int)t->failures;
	free(t);
	return e;
}
