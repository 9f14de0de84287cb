/* test_host.c - fs/host: nothing outside is reached, whatever is done to the tree meanwhile;
 * special files, modes, read-only, large directories, nothing left open. */
#include "fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct world w;
static char base[] = "/tmp/nacre-host-XXXXXX";

static const char *outside(const char *rest)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%.200s", base, rest);
	return path;
}

static void write_real(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		perror(path);
}

static int open_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* The directory base/root is mounted at /h; "/" is a memory tree. */
static void start(unsigned flags)
{
	struct fs_mem_config config;
	struct mount m = {.at = "/h", .read_only = flags == FS_HOST_READ_ONLY, .source = "host"};
	char path[300];
	size_t bad;

	world_init(&w);
	config = world_config(&w, FS_UID);
	CHECK_INT(fs_mem_new(w.store, &config, &w.vfs.root), 0);
	snprintf(path, sizeof(path), "%s/root", base);
	CHECK_INT(fs_host_new(host_port(), &w.quota, path, flags, &m.fs), 0);
	CHECK_INT(mount_table_new(&w.quota, &m, 1, &bad, &w.vfs.mounts), 0);
	fs_put(m.fs);
}

static void test_confined(void)
{
	char target[300];
	struct sys_stat st;

	write_real(outside("secret"), "secret");
	write_real(outside("root/plain"), "plain");
	CHECK(mkdir(outside("root/d"), 0755) == 0);
	write_real(outside("root/d/f"), "in d");
	CHECK(symlink("../secret", outside("root/up")) == 0);
	CHECK(symlink("../../secret", outside("root/d/up")) == 0);
	snprintf(target, sizeof(target), "%s/secret", base);
	CHECK(symlink(target, outside("root/absolute")) == 0);
	CHECK(symlink("/h/plain", outside("root/inside")) == 0);
	CHECK(symlink("d/f", outside("root/relative")) == 0);
	CHECK(symlink("d", outside("root/dirlink")) == 0);
	CHECK(symlink("loop", outside("root/loop")) == 0);
	CHECK(symlink("nowhere", outside("root/dangling")) == 0);
	CHECK(symlink("/proc/self/root", outside("root/magic")) == 0);
	start(FS_HOST_READ_WRITE);
	CHECK_STR(get_file(&w, "/h/plain"), "plain");
	CHECK_STR(get_file(&w, "/h/relative"), "in d");
	CHECK_STR(get_file(&w, "/h/dirlink/f"), "in d");
	CHECK_STR(get_file(&w, "/h/inside"), "plain"); /* in the sandbox's tree */
	CHECK_STR(get_file(&w, "/h/up"), "-ENOENT");   /* /secret there is none */
	CHECK_STR(get_file(&w, "/h/d/up"), "-ENOENT");
	CHECK_STR(get_file(&w, "/h/absolute"), "-ENOENT");
	CHECK_STR(get_file(&w, "/h/../secret"), "-ENOENT");
	CHECK_STR(get_file(&w, "/h/../../../../etc/passwd"), "-ENOENT");
	CHECK_STR(get_file(&w, "/h/magic/etc/passwd"), "-ENOENT");
	CHECK_STR(get_file(&w, "/h/loop"), "-ELOOP");
	CHECK_STR(get_file(&w, "/h/dangling"), "-ENOENT");
	CHECK_INT(put_file(&w, "/h/dangling", "made"), 0);
	CHECK_STR(get_file(&w, "/h/nowhere"), "made");
	CHECK_INT(put_file(&w, "/secret", "the sandbox's"), 0);
	CHECK_STR(get_file(&w, "/h/up"), "the sandbox's");
	CHECK_INT(put_file(&w, "/h/up", "changed"), 0);
	CHECK_STR(get_file(&w, "/secret"), "changed");
	/* A link made inside leads nowhere either. */
	CHECK_INT(vfs_symlink(&w.who, target, "/h/mine"), 0);
	CHECK_STR(get_file(&w, "/h/mine"), "-ENOENT");
	CHECK_INT(vfs_link(&w.who, "/h/absolute", "/h/hard", SYS_NOFOLLOW), 0);
	CHECK_INT(vfs_stat(&w.who, "/h/hard", SYS_NOFOLLOW, &st), 0);
	CHECK_INT(st.mode & SYS_S_TYPE, SYS_S_LINK);
	CHECK_INT(vfs_rmdir(&w.who, "/h"), -NACRE_EBUSY);
	world_end(&w);
}

/* Entries of an open directory: what is there, itself, wherever a link leads and wherever the directory went. */
static void test_entries(void)
{
	char moved[300];
	struct sys_stat st;
	struct file *f;

	start(FS_HOST_READ_ONLY);
	CHECK_INT(vfs_open(&w.who, "/h/d", SYS_O_READ | SYS_O_DIRECTORY, 0, &f), 0);
	CHECK_INT(f->ops->stat_entry(f, "f", &st), 0);
	CHECK_INT(st.mode & SYS_S_TYPE, SYS_S_FILE);
	CHECK_INT(st.size, 4);
	CHECK_INT((int64_t)st.dev, (int64_t)w.vfs.mounts->v[0].fs->dev);
	CHECK_INT(f->ops->stat_entry(f, "up", &st), 0);
	CHECK_INT(st.mode & SYS_S_TYPE, SYS_S_LINK);
	CHECK_INT(f->ops->stat_entry(f, "nothing", &st), -NACRE_ENOENT);
	/* As with any open directory, it is still this one. */
	snprintf(moved, sizeof(moved), "%s/moved", base);
	CHECK(rename(outside("root/d"), moved) == 0);
	CHECK_INT(f->ops->stat_entry(f, "f", &st), 0);
	CHECK(rename(moved, outside("root/d")) == 0);
	file_put(f);
	world_end(&w);
}

static void test_special(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sys_stat st;
	struct file *f;

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/root/sock", base);
	CHECK(bind(s, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	CHECK(mkfifo(outside("root/fifo"), 0666) == 0);
	start(FS_HOST_READ_WRITE);
	for (unsigned flags = 1; flags <= 3; flags++) {
		CHECK_INT(vfs_open(&w.who, "/h/fifo", flags, 0, &f), -NACRE_EACCES);
		CHECK_INT(vfs_open(&w.who, "/h/fifo", flags | SYS_O_CREATE, 0666, &f),
		          -NACRE_EACCES);
		CHECK_INT(vfs_open(&w.who, "/h/sock", flags, 0, &f), -NACRE_EACCES);
	}
	CHECK_INT(vfs_stat(&w.who, "/h/fifo", 0, &st), 0);
	CHECK_INT(st.mode & SYS_S_TYPE, SYS_S_FIFO);
	CHECK_INT(vfs_stat(&w.who, "/h/sock", 0, &st), 0);
	CHECK_INT(st.mode & SYS_S_TYPE, SYS_S_SOCK);
	CHECK_INT(vfs_truncate(&w.who, "/h/fifo", 0), -NACRE_EINVAL);
	if (geteuid() == 0 && mknod(outside("root/device"), S_IFCHR | 0666, 0x103) == 0) {
		CHECK_INT(vfs_open(&w.who, "/h/device", SYS_O_READ, 0, &f), -NACRE_EACCES);
		CHECK_INT(vfs_open(&w.who, "/h/device", SYS_O_WRITE, 0, &f), -NACRE_EACCES);
	}
	close(s);
	world_end(&w);
}

static void test_modes(void)
{
	mode_t old = umask(0777);
	struct sys_stat st;
	struct stat real;
	struct file *f;

	start(FS_HOST_READ_WRITE);
	w.who.umask = 027;
	CHECK_INT(put_file(&w, "/h/new", "x"), 0);
	CHECK_INT(vfs_stat(&w.who, "/h/new", 0, &st), 0);
	CHECK_INT(st.mode & 07777, 0640);
	CHECK_INT(vfs_mkdir(&w.who, "/h/newdir", 0777), 0);
	CHECK_INT(vfs_stat(&w.who, "/h/newdir", 0, &st), 0);
	CHECK_INT(st.mode & 07777, 0750);
	CHECK_INT(vfs_mkfifo(&w.who, "/h/newfifo", 0666), 0);
	CHECK(stat(outside("root/newfifo"), &real) == 0 && (real.st_mode & 07777) == 0640);
	CHECK_INT(vfs_open(&w.who, "/h/suid", SYS_O_WRITE | SYS_O_CREATE, 04777, &f), 0);
	file_put(f);
	CHECK(stat(outside("root/suid"), &real) == 0 && (real.st_mode & 07777) == 0750);
	CHECK_INT(vfs_chmod(&w.who, "/h/new", 04755, 0), -NACRE_EPERM);
	CHECK_INT(vfs_chmod(&w.who, "/h/new", 0600, 0), 0);
	CHECK_INT(vfs_chown(&w.who, "/h/new", 12345, -1, 0), -NACRE_EPERM);
	CHECK_INT(vfs_chown(&w.who, "/h/new", geteuid(), getegid(), 0), 0);
	CHECK_INT(vfs_utimes(&w.who, "/h/new", (struct sys_time){5, 6}, (struct sys_time){7, 8}, 0),
	          0);
	/* Of an open one, while its name leads to it. */
	CHECK_INT(vfs_open(&w.who, "/h/new", SYS_O_READ, 0, &f), 0);
	CHECK_INT(vfs_fchmod(&w.who, f, 0604), 0);
	CHECK_INT(vfs_fchown(&w.who, f, geteuid(), -1), 0);
	CHECK_INT(vfs_fchown(&w.who, f, 12345, -1), -NACRE_EPERM);
	CHECK(stat(outside("root/new"), &real) == 0 && (real.st_mode & 07777) == 0604);
	CHECK_INT(vfs_fchmod(&w.who, f, 0600), 0);
	CHECK_INT(vfs_rename(&w.who, "/h/new", "/h/newer", 0), 0);
	CHECK_INT(vfs_fchmod(&w.who, f, 0604), -NACRE_EOPNOTSUPP);
	CHECK_INT(vfs_rename(&w.who, "/h/newer", "/h/new", 0), 0);
	CHECK_INT(vfs_futimes(&w.who, f, (struct sys_time){5, 6}, (struct sys_time){7, 8}), 0);
	file_put(f);
	CHECK_INT(vfs_stat(&w.who, "/h/new", 0, &st), 0);
	CHECK_INT(st.atime.sec, 5);
	CHECK_INT(st.mtime.nsec, 8);
	umask(old);
	world_end(&w);
}

static void test_read_only(void)
{
	struct sys_statfs sf;
	struct file *f;
	struct fs *raw;
	char path[300];

	start(FS_HOST_READ_ONLY);
	CHECK_STR(get_file(&w, "/h/plain"), "plain");
	CHECK_INT(put_file(&w, "/h/plain", "x"), -NACRE_EROFS);
	CHECK_INT(put_file(&w, "/h/other", "x"), -NACRE_EROFS);
	CHECK_INT(vfs_access(&w.who, "/h/plain", SYS_W_OK), -NACRE_EROFS);
	CHECK_INT(vfs_unlink(&w.who, "/h/plain"), -NACRE_EROFS);
	CHECK_INT(vfs_statfs(&w.who, "/h/plain", &sf), 0);
	CHECK(sf.read_only && sf.bytes_total > 0);
	/* Even if the vfs forgot. */
	snprintf(path, sizeof(path), "%s/root", base);
	CHECK_INT(fs_host_new(host_port(), &w.quota, path, FS_HOST_READ_ONLY, &raw), 0);
	CHECK_INT(raw->ops->open(raw, "plain", SYS_O_WRITE, 0, &w.quota, &f), -NACRE_EROFS);
	CHECK_INT(raw->ops->open(raw, "plain", SYS_O_READ | SYS_O_TRUNC, 0, &w.quota, &f),
	          -NACRE_EROFS);
	CHECK_INT(raw->ops->open(raw, "no", SYS_O_READ | SYS_O_CREATE, 0, &w.quota, &f),
	          -NACRE_EROFS);
	CHECK_INT(raw->ops->mkdir(raw, "x", 0777), -NACRE_EROFS);
	CHECK_INT(raw->ops->rmdir(raw, "d"), -NACRE_EROFS);
	CHECK_INT(raw->ops->unlink(raw, "plain"), -NACRE_EROFS);
	CHECK_INT(raw->ops->rename(raw, "plain", "x", 0), -NACRE_EROFS);
	CHECK_INT(raw->ops->link(raw, "plain", "x"), -NACRE_EROFS);
	CHECK_INT(raw->ops->symlink(raw, "x", "y"), -NACRE_EROFS);
	CHECK_INT(raw->ops->mkfifo(raw, "x", 0666), -NACRE_EROFS);
	CHECK_INT(raw->ops->chmod(raw, "plain", 0777), -NACRE_EROFS);
	CHECK_INT(raw->ops->truncate(raw, "plain", 0), -NACRE_EROFS);
	CHECK_INT(raw->ops->chown(raw, "plain", 1, 1), -NACRE_EROFS);
	fs_put(raw);
	CHECK_INT(fs_host_new(host_port(), &w.quota, "/no/such/dir", 0, &raw), -NACRE_ENOENT);
	CHECK_INT(fs_host_new(host_port(), &w.quota, outside("secret"), 0, &raw), -NACRE_ENOTDIR);
	world_end(&w);
}

/* Somebody swaps a directory and a link to the outside as fast as they can. */
static void test_swap(void)
{
	char d[300], other[300];
	int leaks = 0, good = 0;
	pid_t pid;

	CHECK(mkdir(outside("out"), 0755) == 0);
	write_real(outside("out/f"), "OUTSIDE");
	CHECK(mkdir(outside("root/swap"), 0755) == 0);
	write_real(outside("root/swap/f"), "inside");
	CHECK(symlink("../out", outside("root/swap2")) == 0);
	snprintf(d, sizeof(d), "%s/root/swap", base);
	snprintf(other, sizeof(other), "%s/root/swap2", base);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		for (;;)
			renameat2(AT_FDCWD, d, AT_FDCWD, other, RENAME_EXCHANGE);
	start(FS_HOST_READ_WRITE);
	for (int i = 0; i < 20000; i++) {
		const char *got = get_file(&w, "/h/swap/f");

		good += strcmp(got, "inside") == 0;
		leaks += strcmp(got, "OUTSIDE") == 0;
		if (i % 4 == 0 && put_file(&w, "/h/swap/new", "x") == 0)
			vfs_unlink(&w.who, "/h/swap/new");
		if (i % 4 == 1 && vfs_mkdir(&w.who, "/h/swap/newdir", 0777) == 0)
			vfs_rmdir(&w.who, "/h/swap/newdir");
		if (i % 4 == 2)
			vfs_chmod(&w.who, "/h/swap/f", 0600, 0);
		if (i % 4 == 3)
			vfs_rename(&w.who, "/h/plain", "/h/swap/moved", 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK_INT(leaks, 0);
	CHECK(good > 0);
	{
		struct stat st;

		CHECK(stat(outside("out/f"), &st) == 0 && (st.st_mode & 0777) != 0600);
		CHECK(stat(outside("out/new"), &st) != 0);
		CHECK(stat(outside("out/newdir"), &st) != 0);
		CHECK(stat(outside("out/moved"), &st) != 0);
	}
	world_end(&w);
}

static void test_files(void)
{
	static char block[400000], back[400001];
	struct sys_dirent e;
	struct file *f;
	struct slice s;
	size_t at = 0;
	int n = 0;
	uint64_t most;

	start(FS_HOST_READ_WRITE);
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (char)(i * 31 + i / 7);
	CHECK_INT(vfs_open(&w.who, "/h/big", SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE, 0644, &f), 0);
	CHECK_INT(f->ops->write(f, block, sizeof(block), -1), sizeof(block));
	CHECK_INT(f->ops->seek(f, 0, SYS_SEEK_SET), 0);
	while (f->ops->read_slice(f, 0, &s) > 0) {
		memcpy(back + at, s.ptr, s.len);
		at += s.len;
		if (at < 100000) {
			CHECK_INT(f->ops->unread(f, &s, 1), 0);
			at--;
		}
		slice_release(&s);
	}
	CHECK_INT((int64_t)at, sizeof(block));
	CHECK(memcmp(block, back, sizeof(block)) == 0);
	/* A slice that is kept does not change. */
	CHECK_INT(f->ops->seek(f, 0, SYS_SEEK_SET), 0);
	CHECK(f->ops->read_slice(f, 0, &s) > 0);
	{
		struct slice next;

		CHECK(f->ops->read_slice(f, 0, &next) > 0);
		CHECK(next.ptr != s.ptr && memcmp(s.ptr, block, s.len) == 0);
		slice_release(&next);
	}
	slice_release(&s);
	/* Held back by the quota. */
	w.quota.limit = w.quota.used + 100;
	file_put(f);
	CHECK_INT(vfs_open(&w.who, "/h/big", SYS_O_READ, 0, &f), 0);
	w.quota.limit = w.quota.used;
	CHECK_INT(f->ops->read_slice(f, 0, &s), -NACRE_ENOMEM);
	w.quota.limit = 0;
	file_put(f);
	CHECK_INT(vfs_open(&w.who, "/h/big", SYS_O_READ | SYS_O_WRITE | SYS_O_APPEND, 0644, &f), 0);
	CHECK_INT(f->ops->write(f, "end", 3, -1), 3);
	CHECK_INT(f->ops->seek(f, 0, SYS_SEEK_CUR), sizeof(block) + 3);
	CHECK_INT(f->ops->truncate(f, 10), 0);
	CHECK_INT(f->ops->seek(f, 0, SYS_SEEK_END), 10);
	file_put(f);

	/* A large directory is not held in memory. */
	CHECK_INT(vfs_mkdir(&w.who, "/h/many", 0777), 0);
	for (int i = 0; i < 5000; i++) {
		char name[100];

		snprintf(name, sizeof(name), "root/many/a-name-that-is-not-so-short-%d", i);
		write_real(outside(name), "");
	}
	CHECK_INT(vfs_open(&w.who, "/h/many", SYS_O_READ | SYS_O_DIRECTORY, 0, &f), 0);
	w.quota.peak = w.quota.used;
	while (f->ops->readdir(f, &e) > 0)
		n += e.type == SYS_S_FILE;
	most = w.quota.peak - w.quota.used;
	CHECK_INT(n, 5000);
	CHECK(most < 50000);
	CHECK_INT(f->ops->seek(f, 0, SYS_SEEK_SET), 0);
	CHECK_INT(f->ops->readdir(f, &e), 1);
	file_put(f);
	/* A path of many long components. */
	{
		char path[4000] = "/h";
		struct sys_stat st;

		for (int i = 0; i < 15; i++) {
			size_t len = strlen(path);

			path[len] = '/';
			memset(path + len + 1, 'a' + i, 200);
			path[len + 201] = '\0';
			CHECK_INT(vfs_mkdir(&w.who, path, 0777), 0);
		}
		CHECK_INT(vfs_stat(&w.who, path, 0, &st), 0);
		strcat(path, "/f");
		CHECK_INT(put_file(&w, path, "deep"), 0);
		CHECK_STR(get_file(&w, path), "deep");
		CHECK_INT(vfs_unlink(&w.who, path), 0);
		strcat(path, "/g/h");
		CHECK_INT(vfs_stat(&w.who, path, 0, &st), -NACRE_ENOENT);
	}
	world_end(&w);
}

/* A mount inside a host directory that lists its entries in no order: each name comes once. */
static void test_mount_inside(void)
{
	static const char *const at[] = {"/h", "/h/m", "/h/n/deep"};
	struct mount v[COUNTOF(at)] = {0};
	struct fs_mem_config config;
	char name[32];
	const char *names;
	size_t bad, m = 0, n = 0, others = 0;

	CHECK(mkdir(outside("listed"), 0755) == 0 && mkdir(outside("listed/m"), 0755) == 0);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "listed/%c%d", 'a' + i * 7 % 26, i);
		write_real(outside(name), "");
	}
	world_init(&w);
	config = world_config(&w, FS_UID);
	CHECK_INT(fs_mem_new(w.store, &config, &w.vfs.root), 0);
	CHECK_INT(fs_host_new(host_port(), &w.quota, outside("listed"), FS_HOST_READ_ONLY, &v[0].fs), 0);
	CHECK_INT(fs_mem_new(w.store, &config, &v[1].fs), 0);
	v[2].fs = fs_get(v[1].fs);
	for (size_t i = 0; i < COUNTOF(at); i++) {
		v[i].at = at[i];
		v[i].source = "x";
	}
	CHECK_INT(mount_table_new(&w.quota, v, COUNTOF(at), &bad, &w.vfs.mounts), 0);
	for (size_t i = 0; i < COUNTOF(at); i++)
		fs_put(v[i].fs);
	for (names = list(&w, "/h"); *names; names += strcspn(names, " ") + 1) {
		m += strncmp(names, "m ", 2) == 0;
		n += strncmp(names, "n ", 2) == 0;
		others += names[1] != ' ';
	}
	CHECK_INT((int64_t)m, 1);
	CHECK_INT((int64_t)n, 1);
	CHECK_INT((int64_t)others, 40);
	world_end(&w);
}

int main(void)
{
	char command[200];
	int before;

	if (!mkdtemp(base) || mkdir(outside("root"), 0755)) {
		perror(base);
		return 1;
	}
	before = open_fds();
	test_confined();
	test_entries();
	test_special();
	test_modes();
	test_read_only();
	test_swap();
	test_files();
	test_mount_inside();
	CHECK_INT(open_fds(), before);
	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	if (system(command) != 0)
		printf("%s is left\n", base);
	return finish("host");
}
