/* test_dev_bin.c - /dev and the directory of programs. */
#include "fixture.h"

static struct world w;
static struct fs *template;

/* A descriptor table of three. */
static struct file *fds[3];

static struct file *fd_file(void *ctx, int fd)
{
	(void)ctx;
	return fd < 3 && fds[fd] ? file_get(fds[fd]) : NULL;
}

static int fd_count(void *ctx)
{
	(void)ctx;
	return 3;
}

static void random_bytes(void *ctx, void *buf, size_t n)
{
	(void)ctx;
	memset(buf, 0x42, n);
}

static int a_main(struct proc *p, int argc, char **argv)
{
	(void)p;
	(void)argc;
	(void)argv;
	return 0;
}

static const struct program programs[] = {{.name = "[", .main = a_main},
                                          {.name = "awk", .main = a_main},
                                          {.name = "cat", .main = a_main}};
static const struct program_table table = {programs, COUNTOF(programs)};

static void start(void)
{
	struct fs_dev_config dev = {.fd_file = fd_file,
	                            .fd_count = fd_count,
	                            .random = random_bytes,
	                            .time = {1000, 0}};
	struct mount v[] = {{.at = "/dev", .source = "dev"}, {.at = "/usr/bin", .source = "bin"}};
	struct fs_mem_config config;
	size_t bad;

	world_init(&w);
	config = world_config(&w, FS_UID);
	CHECK_INT(fs_mem_default_template(w.store, &config, NULL, &template), 0);
	CHECK_INT(fs_mem_branch(template, w.store, &config, &w.vfs.root), 0);
	CHECK_INT(fs_dev_new(&w.quota, &dev, &v[0].fs), 0);
	CHECK_INT(fs_bin_new(&w.quota, &table, (struct sys_time){1000, 0}, &v[1].fs), 0);
	CHECK_INT(mount_table_new(&w.quota, v, 2, &bad, &w.vfs.mounts), 0);
	fs_put(v[0].fs);
	fs_put(v[1].fs);
}

static void end(void)
{
	fs_put(w.vfs.root);
	w.vfs.root = template; /* goes last */
	world_end(&w);
}

static void test_dev(void)
{
	struct sys_stat st;
	struct file *f, *g;
	struct slice s;
	char buf[16];

	CHECK_STR(list(&w, "/dev"),
	          "fd full null ptmx random stderr stdin stdout tty urandom zero ");
	CHECK_STR(get_file(&w, "/dev/null"), "");
	CHECK_INT(put_file(&w, "/dev/null", "gone"), 0);
	CHECK_INT(put_file(&w, "/dev/full", "x"), -NACRE_ENOSPC);
	CHECK_INT(put_file(&w, "/dev/full", ""), 0);
	CHECK_INT(vfs_stat(&w.who, "/dev/null", 0, &st), 0);
	CHECK_INT(st.mode, SYS_S_CHAR | 0666);
	CHECK_INT((int64_t)st.rdev, 0x103);
	CHECK_INT(vfs_open(&w.who, "/dev/zero", SYS_O_READ, 0, &f), 0);
	memset(buf, 1, sizeof(buf));
	CHECK_INT(f->ops->read(f, buf, 16, -1), 16);
	CHECK(buf[0] == 0 && buf[15] == 0);
	CHECK(f->ops->read_slice(f, 10, &s) == 10 && s.ptr[9] == 0);
	file_put(f);
	CHECK_INT(vfs_open(&w.who, "/dev/urandom", SYS_O_READ, 0, &f), 0);
	CHECK_INT(f->ops->read(f, buf, 16, -1), 16);
	CHECK(buf[0] == 0x42 && buf[15] == 0x42);
	file_put(f);
	CHECK_INT(vfs_open(&w.who, "/dev/tty", SYS_O_READ | SYS_O_WRITE, 0, &f), -NACRE_ENXIO);
	CHECK_INT(vfs_open(&w.who, "/dev/ptmx", SYS_O_READ | SYS_O_WRITE, 0, &f), -NACRE_EACCES);

	/* Descriptors. */
	CHECK_INT(put_file(&w, "/tmp/in", "input"), 0);
	CHECK_INT(vfs_open(&w.who, "/tmp/in", SYS_O_READ, 0, &fds[0]), 0);
	CHECK_INT(vfs_open(&w.who, "/tmp/out", SYS_O_WRITE | SYS_O_CREATE, 0644, &fds[1]), 0);
	CHECK_STR(list(&w, "/dev/fd"), "0 1 ");
	CHECK_INT(vfs_open(&w.who, "/dev/stdin", SYS_O_READ, 0, &g), 0);
	CHECK(g == fds[0]);
	file_put(g);
	CHECK_INT(vfs_open(&w.who, "/dev/fd/1", SYS_O_WRITE | SYS_O_TRUNC | SYS_O_CREATE, 0666, &g),
	          0);
	CHECK(g == fds[1]);
	file_put(g);
	CHECK_INT(vfs_open(&w.who, "/dev/fd/1", SYS_O_READ, 0, &g), -NACRE_EACCES);
	CHECK_INT(vfs_open(&w.who, "/dev/fd/2", SYS_O_WRITE, 0, &g), -NACRE_ENOENT);
	CHECK_INT(vfs_open(&w.who, "/dev/stderr", SYS_O_WRITE | SYS_O_CREATE, 0666, &g),
	          -NACRE_EACCES);
	CHECK_INT(vfs_open(&w.who, "/dev/fd/00", SYS_O_READ, 0, &g), -NACRE_ENOENT);
	CHECK_INT(vfs_open(&w.who, "/dev/fd/-1", SYS_O_READ, 0, &g), -NACRE_ENOENT);
	CHECK_INT(vfs_open(&w.who, "/dev/fd/99999999999", SYS_O_READ, 0, &g), -NACRE_ENOENT);
	CHECK_INT(vfs_open(&w.who, "/dev/fd/0/x", SYS_O_READ, 0, &g), -NACRE_ENOTDIR);
	CHECK_INT(vfs_stat(&w.who, "/dev/stdin", 0, &st), 0);
	CHECK_INT(st.mode & SYS_S_TYPE, SYS_S_FILE);
	CHECK_INT(st.size, 5);
	CHECK_INT(vfs_stat(&w.who, "/dev/stdin", SYS_NOFOLLOW, &st), 0);
	CHECK_INT(st.mode & SYS_S_TYPE, SYS_S_LINK);
	CHECK_INT((int)vfs_readlink(&w.who, "/dev/stdin", buf, sizeof(buf)), 4);
	CHECK_INT(vfs_stat(&w.who, "/dev/stderr", 0, &st), -NACRE_ENOENT);
	file_put(fds[0]);
	file_put(fds[1]);

	/* Nothing changes. */
	CHECK_INT(put_file(&w, "/dev/new", "x"), -NACRE_EACCES);
	CHECK_INT(vfs_mkdir(&w.who, "/dev/new", 0777), -NACRE_EACCES);
	CHECK_INT(vfs_unlink(&w.who, "/dev/null"), -NACRE_EACCES);
	CHECK_INT(vfs_unlink(&w.who, "/dev/none"), -NACRE_ENOENT);
	CHECK_INT(vfs_rmdir(&w.who, "/dev"), -NACRE_EBUSY);
	CHECK_INT(vfs_chmod(&w.who, "/dev/null", 0, 0), -NACRE_EPERM);
	CHECK_INT(vfs_utimes(&w.who, "/dev/null", (struct sys_time){0, SYS_TIME_NOW},
	                     (struct sys_time){0, SYS_TIME_NOW}, 0),
	          0);
	CHECK_INT(vfs_rename(&w.who, "/dev/null", "/dev/nil", 0), -NACRE_EACCES);
	CHECK_INT(vfs_rename(&w.who, "/dev/null", "/tmp/nil", 0), -NACRE_EXDEV);
	CHECK_STR(get_file(&w, "/dev"), "-EISDIR");
	CHECK_STR(get_file(&w, "/dev/null/x"), "-ENOTDIR");
	CHECK_INT(vfs_access(&w.who, "/dev/null", SYS_R_OK | SYS_W_OK), 0);
	CHECK_INT(vfs_access(&w.who, "/dev/null", SYS_X_OK), -NACRE_EACCES);
}

static void test_bin(void)
{
	const struct program *p;
	struct sys_stat st;
	struct file *f;
	char buf[100];

	CHECK_STR(list(&w, "/bin"), "[ awk cat ");
	CHECK_STR(list(&w, "/usr/bin"), "[ awk cat ");
	CHECK_STR(get_file(&w, "/bin/awk"), "nacre built-in program: awk\n");
	CHECK_INT(vfs_stat(&w.who, "/bin/[", 0, &st), 0);
	CHECK_INT(st.mode, SYS_S_FILE | 0755);
	CHECK_INT(st.size, 26);
	CHECK_INT(st.uid, 0);
	CHECK_INT(vfs_access(&w.who, "/bin/cat", SYS_X_OK | SYS_R_OK), 0);
	CHECK_INT(vfs_access(&w.who, "/bin/cat", SYS_W_OK), -NACRE_EACCES);
	CHECK_INT(vfs_open(&w.who, "/bin/cat", SYS_O_READ, 0, &f), 0);
	p = fs_bin_program(f);
	CHECK(p == &programs[2]);
	CHECK_INT(f->ops->seek(f, -4, SYS_SEEK_END), 24);
	CHECK_INT(f->ops->read(f, buf, 100, -1), 4);
	CHECK(memcmp(buf, "cat\n", 4) == 0);
	file_put(f);
	CHECK_INT(vfs_open(&w.who, "/usr/bin", SYS_O_READ, 0, &f), 0);
	CHECK(fs_bin_program(f) == NULL);
	file_put(f);
	CHECK_STR(get_file(&w, "/bin/none"), "-ENOENT");
	CHECK_STR(get_file(&w, "/bin/cat/x"), "-ENOTDIR");
	CHECK_INT(put_file(&w, "/bin/cat", "x"), -NACRE_EACCES);
	CHECK_INT(put_file(&w, "/bin/new", "x"), -NACRE_EACCES);
	CHECK_INT(vfs_unlink(&w.who, "/bin/cat"), -NACRE_EACCES);
	CHECK_INT(vfs_mkdir(&w.who, "/bin/cat", 0777), -NACRE_EEXIST);
	CHECK_INT(vfs_mkdir(&w.who, "/bin/new", 0777), -NACRE_EACCES);
	CHECK_INT(vfs_symlink(&w.who, "x", "/bin/new"), -NACRE_EACCES);
	CHECK_INT(vfs_chmod(&w.who, "/bin/cat", 0777, 0), -NACRE_EPERM);
	CHECK_INT(vfs_truncate(&w.who, "/bin/cat", 0), -NACRE_EACCES);
	CHECK_INT(vfs_rename(&w.who, "/bin/cat", "/bin/dog", 0), -NACRE_EACCES);
	CHECK_INT(vfs_rename(&w.who, "/tmp", "/bin/dog", 0), -NACRE_EXDEV);
	CHECK_INT(vfs_rmdir(&w.who, "/usr/bin"), -NACRE_EBUSY);
	CHECK_INT(vfs_rmdir(&w.who, "/usr"), -NACRE_ENOTEMPTY);
	CHECK_INT((int)vfs_realpath(&w.who, "/bin/cat", 2, buf, sizeof(buf)), 12);
	CHECK_STR(buf, "/usr/bin/cat");
}

int main(void)
{
	start();
	test_dev();
	test_bin();
	end();
	return finish("dev, bin");
}
