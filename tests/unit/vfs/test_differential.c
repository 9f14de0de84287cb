/*
 * test_differential.c - random operations on a real directory tree and on fs/mem (and fs/host over
 * another real one), which must agree in every result, error and attribute.
 *
 * The program locks itself into an empty directory (chroot, as an ordinary user), so that even
 * absolute links and ".." above the root mean the same on both sides; where it cannot it says so
 * and does nothing.
 */
#include "../fs/fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t rng;

static uint32_t rnd(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 33) % n;
}

static struct world world;
static char cwd[SYS_PATH_MAX] = "/";
static char what[2000]; /* the operation under way */
static long done, disagreed;

static void disagree(const char *field, long long real, long long ours)
{
	printf("step %ld, cwd %s: %s: %s: real %lld (%s), ours %lld (%s)\n", done, cwd, what, field,
	       real, real < 0 ? errno_name((int)real) : "-", ours,
	       ours < 0 ? errno_name((int)ours) : "-");
	disagreed++;
	failures++;
}

static int real_result(int got)
{
	return got < 0 ? -errno : got;
}

static bool agree(int64_t real, int64_t ours)
{
	/* Which of several errors is found first differs with names that are too long. */
	if (ours == -NACRE_ENAMETOOLONG && real < 0 && strstr(what, "nnnnnnnn"))
		return true;
	if (real != ours)
		disagree("result", real, ours);
	return real == ours;
}

/* ---- Random words ---- */

static const char *const names[] = {"a", "b", "c", "d", "e", "l", "m", "f", "g", "x"};

static void random_path(char *out, size_t n)
{
	unsigned parts = rnd(8) == 0 ? 0 : 1 + rnd(4);
	size_t at = 0;

	out[0] = '\0';
	if (rnd(3) == 0)
		at += (size_t)snprintf(out + at, n - at, rnd(10) ? "/" : "//");
	for (unsigned i = 0; i < parts; i++) {
		uint32_t k = rnd(40);

		if (i)
			at += (size_t)snprintf(out + at, n - at, rnd(12) ? "/" : "///");
		if (k == 0 && at + 300 < n) {
			size_t len = 254 + rnd(3);

			memset(out + at, 'n', len);
			out[at += len] = '\0';
		} else {
			at += (size_t)snprintf(out + at, n - at, "%s",
			                       k < 3   ? "."
			                       : k < 6 ? ".."
			                               : names[rnd(COUNTOF(names))]);
		}
	}
	if (parts && rnd(6) == 0)
		snprintf(out + at, n - at, rnd(3) ? "/" : "//");
}

/* ---- Comparing ---- */

static bool on_tmpfs;
static bool with_host; /* ours is fs/host, not fs/mem */

static void compare_stat(const struct stat *real, const struct sys_stat *ours)
{
	bool dir = S_ISDIR(real->st_mode);

	if (real->st_mode != ours->mode)
		disagree("mode", real->st_mode, ours->mode);
	if ((!dir || on_tmpfs) && real->st_nlink != ours->nlink)
		disagree("nlink", (long long)real->st_nlink, ours->nlink);
	if (!dir && real->st_size != ours->size)
		disagree("size", real->st_size, ours->size);
	if (real->st_uid != ours->uid || real->st_gid != ours->gid)
		disagree("uid", real->st_uid, ours->uid);
	if (S_ISREG(real->st_mode) && on_tmpfs && real->st_blocks > ours->blocks)
		disagree("blocks", real->st_blocks, ours->blocks);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *listed[2][4096];

static size_t list_real(DIR *d)
{
	struct dirent *r;
	size_t n = 0;

	while (n < COUNTOF(listed[0]) && (r = readdir(d)))
		if (strcmp(r->d_name, ".") != 0 && strcmp(r->d_name, "..") != 0)
			listed[0][n++] = strdup(r->d_name);
	qsort(listed[0], n, sizeof(char *), by_name);
	return n;
}

static size_t list_ours(struct file *f)
{
	struct sys_dirent e;
	size_t n = 0;

	while (n < COUNTOF(listed[1]) && f->ops->readdir(f, &e) > 0) {
		listed[1][n++] = strdup(e.name);
		if (n > 1 && !with_host && strcmp(listed[1][n - 2], e.name) >= 0)
			disagree("order", (long long)n, 0);
	}
	qsort(listed[1], n, sizeof(char *), by_name);
	return n;
}

static void compare_listing(const char *path)
{
	struct file *f = NULL;
	DIR *d = opendir(path);
	int err = d ? 0 : -errno;
	size_t n, m;

	if (agree(err, vfs_open(&world.who, path, SYS_O_READ | SYS_O_DIRECTORY, 0, &f)) && d) {
		n = list_real(d);
		m = list_ours(f);
		if (n != m)
			disagree("names", (long long)n, (long long)m);
		for (size_t i = 0; i < n && n == m; i++)
			if (strcmp(listed[0][i], listed[1][i]) != 0)
				disagree("name", (long long)i, (long long)n);
		while (n > 0)
			free(listed[0][--n]);
		while (m > 0)
			free(listed[1][--m]);
	}
	if (d)
		closedir(d);
	if (f)
		file_put(f);
}

static void compare_data(int fd, struct file *f)
{
	static char a[300000], b[300000];
	ssize_t real = pread(fd, a, sizeof(a), 0);
	int64_t ours = f->ops->read(f, b, sizeof(b), 0);

	if (real != ours || (real > 0 && memcmp(a, b, (size_t)real) != 0)) {
		disagree("data", real, ours);
		return;
	}
	/* The same by slices. */
	if (f->ops->read_slice && f->ops->seek(f, 0, SYS_SEEK_SET) == 0) {
		struct slice s;
		int64_t got, at = 0;

		while ((got = f->ops->read_slice(f, rnd(2) ? 0 : 1 + rnd(5000), &s)) > 0) {
			if (at + got > real || memcmp(s.ptr, a + at, (size_t)got) != 0) {
				disagree("slice", at, got);
				slice_release(&s);
				return;
			}
			at += got;
			slice_release(&s);
		}
		if (at != real)
			disagree("slices", real, at);
	}
}

/* Everything below a directory, links not followed. */
static void compare_tree(const char *path, int depth)
{
	char below[SYS_PATH_MAX];
	struct dirent *r;
	DIR *d;

	compare_listing(path);
	d = opendir(path);
	if (!d || depth > 30) {
		if (d)
			closedir(d);
		return;
	}
	while ((r = readdir(d))) {
		struct sys_stat ours;
		struct stat real;
		int err;

		if (strcmp(r->d_name, ".") == 0 || strcmp(r->d_name, "..") == 0)
			continue;
		if (snprintf(below, sizeof(below), "%s/%s", strcmp(path, "/") == 0 ? "" : path,
		             r->d_name) >= (int)sizeof(below))
			continue;
		err = real_result(lstat(below, &real));
		snprintf(what, sizeof(what), "tree %.1000s", below);
		if (agree(err, vfs_stat(&world.who, below, SYS_NOFOLLOW, &ours)) && !err) {
			compare_stat(&real, &ours);
			if (S_ISDIR(real.st_mode))
				compare_tree(below, depth + 1);
			if (S_ISREG(real.st_mode)) {
				struct file *f = NULL;
				int fd = open(below, O_RDONLY);

				err = fd < 0 ? -errno : 0;
				if (agree(err, vfs_open(&world.who, below, SYS_O_READ, 0, &f)) && f)
					compare_data(fd, f);
				if (f)
					file_put(f);
				if (fd >= 0)
					close(fd);
			}
		}
	}
	closedir(d);
}

/* ---- Operations ---- */

static void go_to_root(void)
{
	if (chdir("/") < 0) { /* nobody may search it: the owner may change that */
		if (chmod("/", 0700) < 0 || vfs_chmod(&world.who, "/", 0700, 0) < 0 ||
		    chdir("/") < 0)
			abort();
	}
	strcpy(cwd, "/");
}

static void op_mkdir(const char *a)
{
	unsigned mode = rnd(8) ? 0777 : rnd(01000);

	snprintf(what, sizeof(what), "mkdir %.900s %o", a, mode);
	agree(real_result(mkdir(a, mode)), vfs_mkdir(&world.who, a, mode));
}

static void op_rmdir(const char *a)
{
	go_to_root();
	snprintf(what, sizeof(what), "rmdir %.900s", a);
	agree(real_result(rmdir(a)), vfs_rmdir(&world.who, a));
}

static void op_unlink(const char *a)
{
	snprintf(what, sizeof(what), "unlink %.900s", a);
	agree(real_result(unlink(a)), vfs_unlink(&world.who, a));
}

static void op_rename(const char *a, const char *b)
{
	bool keep = rnd(5) == 0;

	go_to_root();
	snprintf(what, sizeof(what), "rename %.900s %.900s%s", a, b, keep ? " noreplace" : "");
	agree(real_result((int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, keep ? 1 : 0)),
	      vfs_rename(&world.who, a, b, keep ? SYS_NOREPLACE : 0));
}

static void op_link(const char *a, const char *b)
{
	bool follow = rnd(2);

	snprintf(what, sizeof(what), "link %.900s %.900s%s", a, b, follow ? " follow" : "");
	agree(real_result(linkat(AT_FDCWD, a, AT_FDCWD, b, follow ? AT_SYMLINK_FOLLOW : 0)),
	      vfs_link(&world.who, a, b, follow ? 0 : SYS_NOFOLLOW));
}

static void op_symlink(const char *a, const char *b)
{
	snprintf(what, sizeof(what), "symlink %.900s %.900s", a, b);
	agree(real_result(symlink(a, b)), vfs_symlink(&world.who, a, b));
}

static void op_readlink(const char *a)
{
	char real[5000], ours[5000];
	ssize_t n = readlink(a, real, sizeof(real));
	int err = n < 0 ? -errno : 0;
	int64_t m = vfs_readlink(&world.who, a, ours, sizeof(ours));

	snprintf(what, sizeof(what), "readlink %.900s", a);
	if (agree(err ? err : n, m) && n > 0 && memcmp(real, ours, (size_t)n) != 0)
		disagree("text", n, m);
}

static void op_stat(const char *a)
{
	bool follow = rnd(2);
	struct sys_stat ours;
	struct stat real;
	int err = real_result(fstatat(AT_FDCWD, a, &real, follow ? 0 : AT_SYMLINK_NOFOLLOW));

	snprintf(what, sizeof(what), "stat %.900s%s", a, follow ? " follow" : "");
	if (agree(err, vfs_stat(&world.who, a, follow ? 0 : SYS_NOFOLLOW, &ours)) && !err)
		compare_stat(&real, &ours);
}

static bool real_is_root(const char *a)
{
	struct stat st, root;

	return stat(a, &st) == 0 && stat("/", &root) == 0 && st.st_ino == root.st_ino;
}

static void op_chmod(const char *a)
{
	static const unsigned modes[] = {0755, 0644,  0700, 0,     0500, 0300,
	                                 0444, 01777, 0111, 04755, 02755};
	/* fs/host sets no set-id bits. */
	unsigned mode = modes[rnd(COUNTOF(modes) - (with_host ? 2 : 0))];

	go_to_root(); /* a cwd below what nobody may search any more is another matter */
	if (with_host && real_is_root(a))
		return; /* whether one may search it shows in more places there */
	snprintf(what, sizeof(what), "chmod %.900s %o", a, mode);
	agree(real_result(chmod(a, mode)), vfs_chmod(&world.who, a, mode, 0));
}

static void op_access(const char *a)
{
	int how = (int)rnd(8);

	snprintf(what, sizeof(what), "access %.900s %d", a, how);
	agree(real_result(faccessat(AT_FDCWD, a, how, AT_EACCESS)),
	      vfs_access(&world.who, a, (unsigned)how));
}

static void op_truncate(const char *a)
{
	int64_t size = rnd(10) == 0 ? -1 : (int64_t)rnd(rnd(3) ? 300 : 200000);

	snprintf(what, sizeof(what), "truncate %.900s %lld", a, (long long)size);
	agree(real_result(truncate(a, size)), vfs_truncate(&world.who, a, size));
}

static void op_utimes(const char *a)
{
	static const struct timespec real[][2] = {
	        {{0, UTIME_NOW}, {0, UTIME_NOW}}, {{0, UTIME_OMIT}, {99, 5}}, {{7, 0}, {8, 0}}};
	static const struct sys_time ours[][2] = {{{0, SYS_TIME_NOW}, {0, SYS_TIME_NOW}},
	                                          {{0, SYS_TIME_OMIT}, {99, 5}},
	                                          {{7, 0}, {8, 0}}};
	unsigned k = rnd(3);
	bool follow = rnd(2);

	snprintf(what, sizeof(what), "utimes %.900s %u%s", a, k, follow ? " follow" : "");
	agree(real_result(utimensat(AT_FDCWD, a, real[k], follow ? 0 : AT_SYMLINK_NOFOLLOW)),
	      vfs_utimes(&world.who, a, ours[k][0], ours[k][1], follow ? 0 : SYS_NOFOLLOW));
}

static void op_mkfifo(const char *a)
{
	snprintf(what, sizeof(what), "mkfifo %.900s", a);
	agree(real_result(mkfifo(a, 0666)), vfs_mkfifo(&world.who, a, 0666));
}

static void op_chdir(const char *a)
{
	char to[SYS_PATH_MAX];
	int64_t n = vfs_chdir(&world.who, a, to, sizeof(to));
	int err = n < 0 ? (int)n : 0;

	snprintf(what, sizeof(what), "chdir %.900s", a);
	if (agree(real_result(chdir(a)), err) && !err) {
		char real[SYS_PATH_MAX];

		if (!getcwd(real, sizeof(real)) || strcmp(real, to) != 0)
			disagree("cwd", 0, 0);
		strcpy(cwd, to);
	}
}

static void op_open(const char *a)
{
	static const struct {
		unsigned ours;
		int real;
	} bits[] = {
	        {SYS_O_CREATE, O_CREAT},        {SYS_O_EXCL, O_EXCL},
	        {SYS_O_TRUNC, O_TRUNC},         {SYS_O_APPEND, O_APPEND},
	        {SYS_O_DIRECTORY, O_DIRECTORY}, {SYS_O_NOFOLLOW, O_NOFOLLOW},
	};
	static const struct {
		unsigned ours;
		int real;
	} modes[] = {
	        {SYS_O_READ, O_RDONLY},
	        {SYS_O_WRITE, O_WRONLY},
	        {SYS_O_READ | SYS_O_WRITE, O_RDWR},
	};
	unsigned m = rnd(3), ours = modes[m].ours, mode = rnd(4) ? 0666 : rnd(01000);
	int real = modes[m].real | O_NONBLOCK, fd, err;
	struct file *f = NULL;
	static char data[70000];

	for (size_t i = 0; i < COUNTOF(bits); i++) {
		if (rnd(i == 0 ? 2 : i < 4 ? 4 : 8))
			continue;
		ours |= bits[i].ours;
		real |= bits[i].real;
	}
	if ((real & O_CREAT) && (real & O_DIRECTORY))
		return; /* kernels differ in it */
	if ((ours & SYS_O_TRUNC) && !(ours & SYS_O_WRITE))
		return; /* unspecified */
	snprintf(what, sizeof(what), "open %.900s ours %#x mode %o", a, ours, mode);
	fd = open(a, real, mode);
	err = fd < 0 ? -errno : 0;
	{
		int got = vfs_open(&world.who, a, ours, mode, &f);
		struct stat st;

		/* FIFOs are opened by the kernel above, not here. */
		if (got == (with_host ? -NACRE_EACCES : -NACRE_ENXIO) &&
		    (err == 0 || err == -ENXIO)) {
			if (fd >= 0)
				close(fd);
			return;
		}
		if (!agree(err, got) || err || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
			goto out;
	}
	for (unsigned k = rnd(4); k > 0 && (ours & SYS_O_WRITE); k--) {
		size_t n = rnd(rnd(3) ? 100 : sizeof(data));
		int64_t at = rnd(2) ? -1 : (int64_t)rnd(rnd(2) ? 200 : 140000);

		for (size_t i = 0; i < n; i++)
			data[i] = (char)('a' + (i * 7 + (size_t)done) % 26);
		snprintf(what, sizeof(what), "write %.900s %zu at %lld flags %#x", a, n,
		         (long long)at, ours);
		agree(at < 0 ? write(fd, data, n) : pwrite(fd, data, n, at),
		      f->ops->write(f, data, n, at));
		if (rnd(4) == 0) {
			int64_t size = rnd(150000);

			snprintf(what, sizeof(what), "ftruncate %.900s %lld", a, (long long)size);
			agree(real_result(ftruncate(fd, size)), f->ops->truncate(f, size));
		}
		agree(lseek(fd, 0, SEEK_CUR), f->ops->seek(f, 0, SYS_SEEK_CUR));
		agree(lseek(fd, 0, SEEK_END), f->ops->seek(f, 0, SYS_SEEK_END));
	}
	if (ours & SYS_O_READ)
		compare_data(fd, f);
	if (rnd(4) == 0) { /* it outlives its name */
		struct sys_stat ours_st;
		struct stat st;

		agree(real_result(unlink(a)), vfs_unlink(&world.who, a));
		if (fstat(fd, &st) == 0 && f->ops->stat(f, &ours_st) == 0)
			compare_stat(&st, &ours_st);
		if (ours & SYS_O_READ)
			compare_data(fd, f);
	}
out:
	if (fd >= 0)
		close(fd);
	if (f)
		file_put(f);
}

static void op_realpath(const char *a)
{
	char real[PATH_MAX], ours[SYS_PATH_MAX];
	char *got = realpath(a, real);
	int err = got ? 0 : -errno;
	int64_t n = vfs_realpath(&world.who, a, 2, ours, sizeof(ours));

	snprintf(what, sizeof(what), "realpath %.900s", a);
	if (agree(err, n < 0 ? n : 0) && !err && strcmp(real, ours) != 0)
		disagree("text", 0, n);
}

static void step(void)
{
	char a[1500], b[1500];

	random_path(a, sizeof(a));
	random_path(b, sizeof(b));
	done++;
	switch (rnd(20)) {
	case 0:
	case 1: op_mkdir(a); break;
	case 2: op_rmdir(a); break;
	case 3: op_unlink(a); break;
	case 4:
	case 5: op_rename(a, b); break;
	case 6: op_link(a, b); break;
	case 7:
	case 8: op_symlink(a, b); break;
	case 9: op_readlink(a); break;
	case 10: op_stat(a); break;
	case 11: op_chmod(a); break;
	case 12: op_access(a); break;
	case 13: op_truncate(a); break;
	case 14: op_utimes(a); break;
	case 15:
		if (rnd(3) == 0)
			op_mkfifo(a);
		break;
	case 16: op_chdir(a); break;
	case 17:
		snprintf(what, sizeof(what), "list %.900s", a);
		compare_listing(a);
		break;
	case 18: op_realpath(a); break;
	default: op_open(a); break;
	}
	if (rnd(4) == 0)
		op_open(a);
}

/* ---- Snapshots: whatever happens later, they stay as they were ---- */

static uint64_t mix(uint64_t h, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const unsigned char *)p)[i]) * 1099511628211u;
	return h;
}

static uint64_t digest_dir(struct world *w, const char *path, uint64_t h, int depth)
{
	static char data[300000];
	char below[SYS_PATH_MAX];
	struct sys_dirent e;
	struct sys_stat st;
	struct file *f;

	if (depth > 40 || vfs_open(&w->who, path, SYS_O_READ | SYS_O_DIRECTORY, 0, &f))
		return h + 1;
	while (f->ops->readdir(f, &e) > 0) {
		int64_t n = 0;
		struct file *g;

		if (snprintf(below, sizeof(below), "%s/%s", path, e.name) >= (int)sizeof(below))
			continue;
		CHECK_INT(vfs_stat(&w->who, below, SYS_NOFOLLOW, &st), 0);
		h = mix(h, e.name, e.len);
		h = mix(h, &st.mode, sizeof(st.mode));
		h = mix(h, &st.nlink, sizeof(st.nlink));
		h = mix(h, &st.ino, sizeof(st.ino));
		h = mix(h, &st.mtime.nsec, sizeof(st.mtime.nsec));
		if (e.type == SYS_S_LINK)
			n = vfs_readlink(&w->who, below, data, sizeof(data));
		if (e.type == SYS_S_FILE && vfs_open(&w->who, below, SYS_O_READ, 0, &g) == 0) {
			n = g->ops->read(g, data, sizeof(data), 0);
			file_put(g);
		}
		h = mix(h, data, (size_t)n);
		if (e.type == SYS_S_DIR)
			h = digest_dir(w, below, h, depth + 1);
	}
	file_put(f);
	return h;
}

/* Of a tree, seen by root through a branch that is thrown away. */
static uint64_t digest(struct fs *fs)
{
	static struct world seen;
	struct fs_mem_config config = world_config(&world, 0);
	uint64_t h;

	seen.store = world.store;
	seen.vfs = (struct vfs){0};
	seen.who = (struct vfs_who){.vfs = &seen.vfs, .cwd = "/", .quota = &world.quota};
	if (fs_mem_branch(fs, world.store, &config, &seen.vfs.root))
		abort();
	h = digest_dir(&seen, "/", 1, 0);
	fs_put(seen.vfs.root);
	return h;
}

static void remove_below(struct world *w, const char *path)
{
	char below[SYS_PATH_MAX];
	struct sys_dirent e;
	struct file *f;

	CHECK_INT(vfs_open(&w->who, path, SYS_O_READ | SYS_O_DIRECTORY, 0, &f), 0);
	while (f->ops->readdir(f, &e) > 0) {
		snprintf(below, sizeof(below), "%s/%s", strcmp(path, "/") == 0 ? "" : path, e.name);
		if (e.type == SYS_S_DIR)
			remove_below(w, below);
		CHECK_INT(e.type == SYS_S_DIR ? vfs_rmdir(&w->who, below)
		                              : vfs_unlink(&w->who, below),
		          0);
	}
	file_put(f);
}

/* When root has removed everything from a branch, nothing is counted any more. */
static void check_counts(struct fs *fs)
{
	static struct world seen;
	struct fs_mem_config config = world_config(&world, 0);
	struct fs_mem_usage left, empty;

	seen.vfs = (struct vfs){0};
	seen.who = (struct vfs_who){.vfs = &seen.vfs, .cwd = "/", .quota = &world.quota};
	if (fs_mem_branch(fs, world.store, &config, &seen.vfs.root))
		abort();
	remove_below(&seen, "/");
	fs_mem_usage(seen.vfs.root, &left);
	fs_put(seen.vfs.root);
	if (fs_mem_new(world.store, &config, &seen.vfs.root))
		abort();
	fs_mem_usage(seen.vfs.root, &empty);
	fs_put(seen.vfs.root);
	CHECK_INT((int64_t)left.files, 0);
	CHECK_INT((int64_t)left.bytes, (int64_t)empty.bytes);
}

static struct kept {
	struct fs *fs;
	uint64_t digest;
} kept[6];

static void drop_kept(struct kept *k)
{
	if (!k->fs)
		return;
	if (digest(k->fs) != k->digest) {
		snprintf(what, sizeof(what), "snapshot %d", (int)(k - kept));
		disagree("digest", 0, 0);
	}
	fs_put(k->fs);
	k->fs = NULL;
}

static void snapshots(void)
{
	struct kept *k = &kept[rnd(COUNTOF(kept))];
	struct fs_mem_config config = world_config(&world, FS_UID);

	drop_kept(k);
	if (rnd(4) == 0)
		return;
	if (fs_mem_snapshot(world.vfs.root, &k->fs))
		abort();
	k->digest = digest(k->fs);
	if (rnd(3) == 0) { /* go on with a branch */
		struct fs *branch;

		if (fs_mem_branch(rnd(2) ? world.vfs.root : k->fs, world.store, &config, &branch))
			abort();
		fs_put(world.vfs.root);
		world.vfs.root = branch;
	} else if (rnd(3) == 0) { /* there and back: nothing changes */
		if (fs_mem_restore(world.vfs.root, k->fs))
			abort();
	}
}

/* ---- The cage ---- */

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[2] = {{0, 0, 0}, {0, 0, 0}};

	return syscall(SYS_capset, &h, d) == 0;
}

/* In an empty directory as the root, with uid FS_UID and no capability. */
static bool lock_in(const char *dir)
{
	char map[100];

	if (geteuid() == 0) {
		if (chown(dir, FS_UID, FS_GID) < 0 || chroot(dir) < 0 || chdir("/") < 0)
			return false;
		if (syscall(SYS_setgroups, 0, NULL) < 0 || setresgid(FS_GID, FS_GID, FS_GID) < 0)
			return false;
		return setresuid(FS_UID, FS_UID, FS_UID) == 0;
	}
	snprintf(map, sizeof(map), "%u %u 1", FS_UID, (unsigned)geteuid());
	if (unshare(CLONE_NEWUSER) < 0)
		return false;
	write_text("/proc/self/setgroups", "deny");
	write_text("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "%u %u 1", FS_GID, (unsigned)getegid());
	write_text("/proc/self/gid_map", map);
	return chroot(dir) == 0 && chdir("/") == 0 && drop_capabilities() && geteuid() == FS_UID;
}

static bool make_dir(char *shm, char *tmp, char *out, size_t n)
{
	char *dir = mkdtemp(shm);

	on_tmpfs = dir != NULL;
	if (!dir)
		dir = mkdtemp(tmp);
	if (dir)
		snprintf(out, n, "%s", dir);
	return dir != NULL;
}

static void compare_all(const char *name, long steps, uint64_t seed)
{
	rng = seed | 1;
	vfs_chmod(&world.who, "/", 0700, 0);
	world.who.cwd = cwd;
	umask(022);
	for (long i = 0; i < steps && disagreed < 20; i++) {
		step();
		if (rnd(100) == 0 && !with_host)
			snapshots();
		if (i % 2000 == 1999) {
			go_to_root();
			compare_tree("/", 0);
		}
	}
	for (size_t i = 0; i < COUNTOF(kept); i++)
		drop_kept(&kept[i]);
	if (!with_host)
		check_counts(world.vfs.root);
	world_end(&world);
	failures = failures ? 1 : 0;
	printf("%ld steps, seed %llu\n", done, (unsigned long long)seed);
	finish(name);
}

/* In a process of its own, since it locks itself in. */
static int run_locked_in(const char *real_dir, const char *host_dir, long steps, uint64_t seed,
                         int report)
{
	struct fs_mem_config config;

	with_host = host_dir != NULL;
	world_init(&world);
	if (host_dir) {
		if (geteuid() == 0 && chown(host_dir, FS_UID, FS_GID) < 0)
			perror("chown");
		CHECK_INT(fs_host_new(host_port(), &world.quota, host_dir, FS_HOST_READ_WRITE, &world.vfs.root),
		          0);
	}
	if (!lock_in(real_dir)) {
		printf("differential: skipped, no chroot for this user here\n");
	} else {
		config = world_config(&world, FS_UID);
		if (!host_dir && fs_mem_new(world.store, &config, &world.vfs.root))
			abort();
		if (world.vfs.root)
			compare_all(host_dir ? "differential: host" : "differential: mem", steps,
			            seed);
	}
	fflush(stdout);
	/* At once: tools that look around at exit find no /proc in here. */
	_exit(write(report, &failures, sizeof(failures)) == sizeof(failures) ? failures : 1);
}

static int differ(bool host, long steps, uint64_t seed)
{
	char shm[] = "/dev/shm/nacre-fs-XXXXXX", tmp[] = "/tmp/nacre-fs-XXXXXX", dir[64],
	     host_dir[64] = "";
	char shm2[] = "/dev/shm/nacre-fs-XXXXXX", tmp2[] = "/tmp/nacre-fs-XXXXXX", command[300];
	int report[2], status = 1;

	if (!make_dir(shm, tmp, dir, sizeof(dir)) || pipe(report) < 0 ||
	    (host && !make_dir(shm2, tmp2, host_dir, sizeof(host_dir)))) {
		perror("mkdtemp");
		return 1;
	}
	fflush(stdout);
	if (fork() == 0)
		run_locked_in(dir, host ? host_dir : NULL, steps, seed, report[1]);
	close(report[1]);
	if (read(report[0], &status, sizeof(status)) != sizeof(status))
		status = 1;
	close(report[0]);
	snprintf(command, sizeof(command), "chmod -R u+rwx '%s' '%s' 2>/dev/null; rm -rf '%s' '%s'",
	         dir, host_dir, dir, host_dir);
	if (system(command) != 0)
		printf("%s is left\n", dir);
	return status;
}

int main(int argc, char **argv)
{
	long steps = argc > 1 ? atol(argv[1]) : 30000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 20240607;
	int mem, host;

	setvbuf(stdout, NULL, _IOLBF, 0);
	mem = differ(false, steps, seed);
	host = differ(true, steps / 2, seed);
	return mem || host;
}
