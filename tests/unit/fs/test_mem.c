/* test_mem.c - what is particular to fs/mem: sharing, snapshots, counting, failing memory, big and
 * hostile directories, files without names. */
#include "fixture.h"

#include "../../../src/fs/mem_tree.h"

static struct world w;

static void start(uint32_t uid)
{
	struct fs_mem_config config;

	world_init(&w);
	config = world_config(&w, uid);
	CHECK_INT(fs_mem_new(w.store, &config, &w.vfs.root), 0);
}

static struct fs *branch_of(struct fs *fs)
{
	struct fs_mem_config config = world_config(&w, FS_UID);
	struct fs *out = NULL;

	CHECK_INT(fs_mem_branch(fs, w.store, &config, &out), 0);
	return out;
}

static void use(struct fs *fs)
{
	fs_put(w.vfs.root);
	w.vfs.root = fs;
}

static void test_snapshot(void)
{
	struct fs *snap, *branch, *main_fs;
	struct file *f;
	char buf[64];

	start(FS_UID);
	CHECK_INT(put_file(&w, "/a", "one"), 0);
	CHECK_INT(vfs_mkdir(&w.who, "/d", 0777), 0);
	CHECK_INT(put_file(&w, "/d/b", "two"), 0);
	CHECK_INT(fs_mem_snapshot(w.vfs.root, &snap), 0);
	CHECK_INT(put_file(&w, "/a", "changed"), 0);
	CHECK_INT(vfs_unlink(&w.who, "/d/b"), 0);
	CHECK_INT(put_file(&w, "/d/new", "n"), 0);
	branch = branch_of(snap);
	main_fs = w.vfs.root;
	w.vfs.root = branch;
	CHECK_STR(get_file(&w, "/a"), "one");
	CHECK_STR(list(&w, "/d"), "b ");
	CHECK_INT(put_file(&w, "/d/b", "in the branch"), 0);
	w.vfs.root = main_fs;
	CHECK_STR(list(&w, "/d"), "new ");

	/* Open files across a restore. */
	CHECK_INT(vfs_open(&w.who, "/d/new", SYS_O_READ, 0, &f), 0);
	CHECK_INT(fs_mem_restore(w.vfs.root, snap), 0);
	CHECK_INT(f->ops->read(f, buf, 1, -1), -NACRE_ESTALE);
	file_put(f);
	CHECK_STR(get_file(&w, "/a"), "one");
	CHECK_STR(get_file(&w, "/d/b"), "two");
	CHECK_INT(vfs_open(&w.who, "/a", SYS_O_READ | SYS_O_WRITE, 0, &f), 0);
	CHECK_INT(vfs_unlink(&w.who, "/a"), 0);
	CHECK_INT(f->ops->write(f, "XX", 2, 0), 2);
	CHECK_INT(fs_mem_restore(w.vfs.root, snap), 0);
	CHECK_INT(f->ops->read(f, buf, 3, 0), 3);
	CHECK(memcmp(buf, "one", 3) == 0); /* it has its name again, and what it was */
	file_put(f);

	/* Numbers do not come back. */
	{
		struct sys_stat before, after;

		CHECK_INT(put_file(&w, "/n1", ""), 0);
		CHECK_INT(vfs_stat(&w.who, "/n1", 0, &before), 0);
		CHECK_INT(fs_mem_restore(w.vfs.root, snap), 0);
		CHECK_INT(put_file(&w, "/n2", ""), 0);
		CHECK_INT(vfs_stat(&w.who, "/n2", 0, &after), 0);
		CHECK(after.ino > before.ino);
	}
	/* A number that means another file in what was gone back to: stale, not that file. */
	fs_put(snap);
	snap = branch_of(w.vfs.root);
	main_fs = w.vfs.root;
	w.vfs.root = snap;
	CHECK_INT(vfs_mkdir(&w.who, "/other", 0777), 0);
	w.vfs.root = main_fs;
	CHECK_INT(vfs_open(&w.who, "/mine", SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE, 0666, &f), 0);
	CHECK_INT(f->ops->write(f, "data", 4, 0), 4);
	CHECK_INT(fs_mem_restore(w.vfs.root, snap), 0);
	CHECK_INT(f->ops->read(f, buf, 3, 0), -NACRE_ESTALE);
	CHECK_INT(f->ops->write(f, buf, 3, 0), -NACRE_ESTALE);
	file_put(f);
	CHECK_STR(list(&w, "/"), "a d n2 other ");
	fs_put(snap);
	w.vfs.root = branch;
	CHECK_STR(get_file(&w, "/d/b"), "in the branch");
	w.vfs.root = main_fs;
	fs_put(branch);
	world_end(&w);
}

static void test_template(void)
{
	struct fs_mem_config config;
	struct fs_mem_usage usage;
	struct fs *template, *many[200];
	uint64_t before;

	world_init(&w);
	config = world_config(&w, 0);
	CHECK_INT(fs_mem_default_template(w.store, &config, NULL, &template), 0);
	CHECK_INT(fs_mem_freeze(template), -NACRE_EINVAL);
	config = world_config(&w, FS_UID);
	before = w.counted.live;
	for (size_t i = 0; i < COUNTOF(many); i++)
		many[i] = branch_of(template);
	CHECK((w.counted.live - before) / COUNTOF(many) <
	      300); /* what an idle sandbox's tree costs */
	fs_mem_usage(many[0], &usage);
	CHECK_INT((int64_t)usage.charged, 0);
	w.vfs.root = many[0];
	CHECK_STR(list(&w, "/"),
	          "bin dev etc home lib media mnt opt proc root run sbin srv tmp usr var workspace ");
	CHECK_STR(get_file(&w, "/etc/hostname"), "nacre\n");
	CHECK_INT(put_file(&w, "/etc/hostname", "x"), -NACRE_EACCES);
	CHECK_INT(put_file(&w, "/x", "x"), -NACRE_EACCES);
	CHECK_INT(put_file(&w, "/usr/bin/x", "x"), -NACRE_EACCES);
	CHECK_INT(put_file(&w, "/bin/x", "x"), -NACRE_EACCES);
	CHECK_STR(list(&w, "/root"), "-EACCES");
	CHECK_INT(put_file(&w, "/tmp/x", "x"), 0);
	CHECK_INT(put_file(&w, "/home/user/x", "x"), 0);
	CHECK_INT(put_file(&w, "/workspace/x", "x"), 0);
	CHECK_INT(put_file(&w, "/var/tmp/x", "x"), 0);
	CHECK_INT(vfs_rmdir(&w.who, "/tmp"), -NACRE_EACCES);
	{
		struct sys_stat st;

		CHECK_INT(vfs_stat(&w.who, "/tmp", 0, &st), 0);
		CHECK_INT(st.mode, SYS_S_DIR | 01777);
		CHECK_INT(vfs_stat(&w.who, "/home/user", 0, &st), 0);
		CHECK_INT(st.uid, FS_UID);
	}
	fs_mem_usage(many[0], &usage);
	CHECK(usage.charged > 0 && usage.charged < 3000);
	w.vfs.root = many[1];
	CHECK_STR(list(&w, "/tmp"), "");
	w.vfs.root = NULL;
	for (size_t i = 0; i < COUNTOF(many); i++)
		fs_put(many[i]);
	fs_put(template);
	world_end(&w);
}

/* The logical size goes with the tree; what is shared is paid by each. */
static void test_counting(void)
{
	struct fs_mem_usage a, b;
	struct fs *branch, *main_fs;
	static char big[300000];
	struct file *f;

	start(FS_UID);
	memset(big, 'x', sizeof(big));
	CHECK_INT(vfs_open(&w.who, "/big", SYS_O_WRITE | SYS_O_CREATE, 0666, &f), 0);
	CHECK_INT(f->ops->write(f, big, sizeof(big), -1), sizeof(big));
	file_put(f);
	fs_mem_usage(w.vfs.root, &a);
	CHECK(a.charged > sizeof(big) && a.charged < sizeof(big) + 70000);
	CHECK(w.quota.used > a.charged);
	branch = branch_of(w.vfs.root);
	fs_mem_usage(branch, &b);
	CHECK_INT((int64_t)b.charged, (int64_t)a.charged);
	main_fs = w.vfs.root;
	w.vfs.root = branch;
	CHECK_INT(vfs_unlink(&w.who, "/big"), 0);
	fs_mem_usage(branch, &b);
	CHECK(b.charged < 1000);
	w.vfs.root = main_fs;
	fs_mem_usage(w.vfs.root, &b);
	CHECK_INT((int64_t)b.charged, (int64_t)a.charged);
	/* What does not fit is refused, and nothing has changed. */
	w.quota.limit = w.quota.used + 10000;
	CHECK_INT(vfs_open(&w.who, "/big2", SYS_O_WRITE | SYS_O_CREATE, 0666, &f), 0);
	CHECK_INT(f->ops->write(f, big, sizeof(big), -1), -NACRE_ENOSPC);
	CHECK_INT(f->ops->write(f, big, 5000, -1), 5000);
	file_put(f);
	CHECK_INT(vfs_open(&w.who, "/big", SYS_O_WRITE, 0, &f), 0);
	CHECK_INT(f->ops->write(f, big, 100, 0), 100); /* a copy, of what was shared: same size */
	file_put(f);
	{
		struct fs_mem_config config = world_config(&w, FS_UID);
		struct fs *another;

		CHECK_INT(fs_mem_branch(w.vfs.root, w.store, &config, &another), -NACRE_ENOSPC);
	}
	w.quota.limit = 0;
	fs_put(branch);
	world_end(&w);
}

/* A file that grew step by step costs what it holds. */
static void test_growing(void)
{
	struct fs_mem_usage before, after;
	struct file *f;
	char part[100] = {0};

	start(FS_UID);
	fs_mem_usage(w.vfs.root, &before);
	CHECK_INT(vfs_open(&w.who, "/f", SYS_O_WRITE | SYS_O_CREATE, 0666, &f), 0);
	for (int i = 0; i < 300; i++)
		CHECK_INT(f->ops->write(f, part, sizeof(part), -1), sizeof(part));
	file_put(f);
	fs_mem_usage(w.vfs.root, &after);
	CHECK(after.charged - before.charged > 30000 && after.charged - before.charged < 34000);
	world_end(&w);
}

static void test_limits(void)
{
	struct fs_mem_config config;
	struct file *f;
	char byte = 'x';

	world_init(&w);
	config = world_config(&w, FS_UID);
	config.max_files = 3;
	config.max_bytes = 20000;
	config.max_file_size = 1000;
	CHECK_INT(fs_mem_new(w.store, &config, &w.vfs.root), 0);
	CHECK_INT(vfs_open(&w.who, "/a", SYS_O_WRITE | SYS_O_CREATE, 0666, &f), 0);
	CHECK_INT(f->ops->write(f, &byte, 1, 999), 1);
	CHECK_INT(f->ops->write(f, &byte, 1, 1000), -NACRE_EFBIG);
	CHECK_INT(f->ops->truncate(f, 1001), -NACRE_EFBIG);
	file_put(f);
	CHECK_INT(put_file(&w, "/b", ""), 0);
	CHECK_INT(put_file(&w, "/c", ""), 0);
	CHECK_INT(put_file(&w, "/d", ""), -NACRE_ENOSPC);
	CHECK_INT(vfs_unlink(&w.who, "/b"), 0);
	CHECK_INT(put_file(&w, "/d", ""), 0);
	world_end(&w);
}

static void test_sparse(void)
{
	struct sys_stat st;
	struct file *f;
	char buf[16];
	struct slice s;
	struct fs *snap;

	start(FS_UID);
	CHECK_INT(vfs_open(&w.who, "/s", SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE, 0666, &f), 0);
	CHECK_INT(f->ops->truncate(f, (int64_t)1 << 40), 0);
	CHECK_INT(f->ops->write(f, "end", 3, ((int64_t)1 << 40) - 3), 3);
	CHECK_INT(f->ops->write(f, "begin", 5, 0), 5);
	CHECK_INT(f->ops->stat(f, &st), 0);
	CHECK_INT(st.size, (int64_t)1 << 40);
	CHECK_INT(st.blocks, 256);
	CHECK(w.quota.used < 200000);
	CHECK_INT(f->ops->read(f, buf, 8, ((int64_t)1 << 40) - 8), 8);
	CHECK(memcmp(buf, "\0\0\0\0\0end", 8) == 0);
	CHECK_INT(f->ops->seek(f, 1 << 30, SYS_SEEK_SET), 1 << 30);
	CHECK(f->ops->read_slice(f, 0, &s) > 0);
	CHECK(s.ptr[0] == 0 && s.buf == NULL);
	CHECK_INT(fs_mem_snapshot(w.vfs.root, &snap), 0);
	CHECK_INT(f->ops->truncate(f, 100000), 0);
	CHECK_INT(f->ops->truncate(f, (int64_t)1 << 41), 0);
	CHECK_INT(f->ops->read(f, buf, 8, ((int64_t)1 << 40) - 8), 8);
	CHECK(memcmp(buf, "\0\0\0\0\0\0\0\0", 8) == 0);
	CHECK_INT(f->ops->read(f, buf, 6, 0), 6);
	CHECK(memcmp(buf, "begin", 6) == 0);
	CHECK_INT(f->ops->write(f, "x", 1, INT64_MAX - 1), 1);
	CHECK_INT(f->ops->write(f, "x", 1, INT64_MAX), -NACRE_EFBIG);
	CHECK_INT(f->ops->truncate(f, 3), 0);
	CHECK_INT(f->ops->truncate(f, 50), 0);
	CHECK_INT(f->ops->read(f, buf, 6, 0), 6);
	CHECK(memcmp(buf, "beg\0\0\0", 6) == 0);
	CHECK_INT(fs_mem_restore(w.vfs.root, snap), 0);
	CHECK_INT(f->ops->read(f, buf, 3, ((int64_t)1 << 40) - 3), 3);
	CHECK(memcmp(buf, "end", 3) == 0);
	fs_put(snap);
	file_put(f);
	world_end(&w);
}

/* Appending to shared buffers must not show in the other tree, nor old bytes come back. */
static void test_append_sharing(void)
{
	struct fs *snap, *branch, *main_fs;
	struct file *f;

	start(FS_UID);
	CHECK_INT(put_file(&w, "/f", "0123456789"), 0);
	CHECK_INT(fs_mem_snapshot(w.vfs.root, &snap), 0);
	branch = branch_of(snap);
	main_fs = w.vfs.root;
	CHECK_INT(vfs_open(&w.who, "/f", SYS_O_WRITE | SYS_O_APPEND, 0, &f), 0);
	CHECK_INT(f->ops->write(f, "MAIN", 4, -1), 4);
	file_put(f);
	w.vfs.root = branch;
	CHECK_INT(vfs_truncate(&w.who, "/f", 14), 0);
	CHECK_STR(get_file(&w, "/f") + 10, "");
	CHECK_INT(vfs_truncate(&w.who, "/f", 12), 0);
	CHECK_INT(vfs_open(&w.who, "/f", SYS_O_WRITE | SYS_O_APPEND, 0, &f), 0);
	CHECK_INT(f->ops->write(f, "B", 1, -1), 1);
	file_put(f);
	CHECK(memcmp(get_file(&w, "/f"), "0123456789\0\0B", 14) == 0);
	w.vfs.root = main_fs;
	CHECK_STR(get_file(&w, "/f"), "0123456789MAIN");
	CHECK_INT(vfs_truncate(&w.who, "/f", 11), 0);
	CHECK_INT(vfs_truncate(&w.who, "/f", 13), 0);
	CHECK(memcmp(get_file(&w, "/f"), "0123456789M\0\0", 14) == 0);
	CHECK_INT(fs_mem_restore(w.vfs.root, snap), 0);
	CHECK_STR(get_file(&w, "/f"), "0123456789");
	fs_put(branch);
	fs_put(snap);
	world_end(&w);
}

/* Whole chunks go from file to file by reference, and are copied when one is changed. */
static void test_slices(void)
{
	struct file *in, *out;
	struct slice s;
	static char block[BUF_CHUNK];
	uint64_t before;
	char c;

	start(FS_UID);
	CHECK_INT(vfs_open(&w.who, "/in", SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE, 0666, &in), 0);
	for (int i = 0; i < 20; i++) {
		memset(block, 'a' + i, sizeof(block));
		CHECK_INT(in->ops->write(in, block, sizeof(block), -1), sizeof(block));
	}
	CHECK_INT(in->ops->write(in, block, 5000, -1), 5000);
	CHECK_INT(vfs_open(&w.who, "/out", SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE, 0666, &out), 0);
	before = mem_store_blocks(w.store);
	in->ops->seek(in, 0, SYS_SEEK_SET);
	while (in->ops->read_slice(in, 0, &s) > 0) {
		CHECK_INT(out->ops->write_slice(out, &s), (int64_t)s.len);
		slice_release(&s);
	}
	CHECK(mem_store_blocks(w.store) - before < 6);
	CHECK_INT(in->ops->write(in, "Z", 1, 3 * BUF_CHUNK), 1);
	CHECK_INT(out->ops->read(out, &c, 1, 3 * BUF_CHUNK), 1);
	CHECK_INT(c, 'a' + 3);
	/* A held slice does not change under a writer, appends included. */
	in->ops->seek(in, 20 * BUF_CHUNK, SYS_SEEK_SET);
	CHECK_INT(in->ops->read_slice(in, 0, &s), 5000);
	CHECK_INT(in->ops->write(in, "more", 4, 20 * BUF_CHUNK + 5000), 4);
	CHECK_INT(in->ops->write(in, "changed", 7, 20 * BUF_CHUNK), 7);
	CHECK(s.ptr[0] == 't' && s.ptr[4999] == 't');
	CHECK_INT(out->ops->read(out, &c, 1, 20 * BUF_CHUNK + 5000), 0);
	slice_release(&s);
	file_put(in);
	file_put(out);
	world_end(&w);
}

/* Reading leaves its time where that costs no copy. */
static void test_times(void)
{
	struct sys_stat before, after;
	struct fs *snap;

	start(FS_UID);
	CHECK_INT(put_file(&w, "/f", "text"), 0);
	CHECK_INT(vfs_stat(&w.who, "/f", 0, &before), 0);
	CHECK_STR(get_file(&w, "/f"), "text");
	CHECK_INT(vfs_stat(&w.who, "/f", 0, &after), 0);
	CHECK(after.atime.nsec > before.atime.nsec && after.mtime.nsec == before.mtime.nsec);
	CHECK_INT(fs_mem_snapshot(w.vfs.root, &snap), 0);
	CHECK_STR(get_file(&w, "/f"), "text");
	CHECK_INT(vfs_utimes(&w.who, "/f", (struct sys_time){-5, 7},
	                     (struct sys_time){1LL << 40, 8}, 0),
	          0);
	CHECK_INT(vfs_stat(&w.who, "/f", 0, &after), 0);
	CHECK_INT(after.atime.sec, -5);
	CHECK_INT(after.mtime.sec, 1LL << 40);
	CHECK_INT(after.btime.nsec, before.btime.nsec);
	CHECK_INT(vfs_utimes(&w.who, "/f", (struct sys_time){0, 1000000000},
	                     (struct sys_time){0, 0}, 0),
	          -NACRE_EINVAL);
	fs_put(snap);
	world_end(&w);
}

static void test_orphans(void)
{
	struct file *f, *g, *d;
	struct sys_dirent e;
	struct sys_stat st;
	char buf[16];
	uint64_t used;

	start(FS_UID);
	CHECK_INT(put_file(&w, "/f", "text"), 0);
	CHECK_INT(vfs_open(&w.who, "/f", SYS_O_READ | SYS_O_WRITE, 0, &f), 0);
	CHECK_INT(vfs_open(&w.who, "/f", SYS_O_READ, 0, &g), 0);
	CHECK_INT(vfs_unlink(&w.who, "/f"), 0);
	CHECK_INT(put_file(&w, "/f", "new"), 0);
	CHECK_INT(f->ops->write(f, "TEXT2", 5, 0), 5);
	CHECK_INT(g->ops->read(g, buf, 16, -1), 5);
	CHECK_INT(g->ops->stat(g, &st), 0);
	CHECK_INT(st.nlink, 0);
	used = w.quota.used;
	file_put(f);
	file_put(g);
	CHECK(w.quota.used < used);
	CHECK_STR(get_file(&w, "/f"), "new");
	/* A listing is of the moment it began. */
	CHECK_INT(vfs_mkdir(&w.who, "/d", 0777), 0);
	CHECK_INT(put_file(&w, "/d/1", ""), 0);
	CHECK_INT(put_file(&w, "/d/2", ""), 0);
	CHECK_INT(vfs_open(&w.who, "/d", SYS_O_READ | SYS_O_DIRECTORY, 0, &d), 0);
	CHECK_INT(d->ops->readdir(d, &e), 1);
	CHECK_INT(vfs_unlink(&w.who, "/d/1"), 0);
	CHECK_INT(vfs_unlink(&w.who, "/d/2"), 0);
	CHECK_INT(vfs_rmdir(&w.who, "/d"), 0);
	CHECK_INT(d->ops->readdir(d, &e), 1);
	CHECK_STR(e.name, "2");
	CHECK_INT(d->ops->readdir(d, &e), 0);
	CHECK_INT(d->ops->seek(d, 0, SYS_SEEK_SET), 0);
	CHECK_INT(d->ops->readdir(d, &e), 0);
	file_put(d);
	world_end(&w);
}

static void test_big_directory(void)
{
	enum { N = 100000 };
	struct fs *snap;
	struct sys_dirent e;
	struct file *f;
	char path[64], last[64] = "";
	int n = 0, got;

	start(FS_UID);
	CHECK_INT(vfs_mkdir(&w.who, "/d", 0777), 0);
	for (int i = 0; i < N; i++) {
		snprintf(path, sizeof(path), "/d/file-%d", i * 7919 % N);
		CHECK_INT(w.vfs.root->ops->mkfifo(w.vfs.root, path + 1, 0644), 0);
	}
	CHECK_INT(fs_mem_snapshot(w.vfs.root, &snap), 0);
	CHECK_INT(vfs_open(&w.who, "/d", SYS_O_READ | SYS_O_DIRECTORY, 0, &f), 0);
	while ((got = f->ops->readdir(f, &e)) > 0) {
		CHECK(strcmp(last, e.name) < 0);
		snprintf(last, sizeof(last), "%s", e.name);
		snprintf(path, sizeof(path), "/d/%s", e.name);
		if (n++ % 2)
			CHECK_INT(vfs_unlink(&w.who, path), 0);
	}
	CHECK_INT(got, 0);
	CHECK_INT(n, N);
	file_put(f);
	fs_put(snap);
	{
		uint64_t used = w.counted.live;

		for (int i = 0; i < N;
		     i++) { /* making and removing for ever leaves nothing behind */
			CHECK_INT(w.vfs.root->ops->mkfifo(w.vfs.root, "d/again", 0644), 0);
			CHECK_INT(w.vfs.root->ops->unlink(w.vfs.root, "d/again"), 0);
		}
		CHECK(w.counted.live < used + 5000);
	}
	world_end(&w);
}

/* Names whose hashes agree in all or many bits: straight into the trie. */
static void test_collisions(void)
{
	void *dir = NULL, *snap;
	char name[32];
	unsigned n = 0;

	world_init(&w);
	for (int round = 0; round < 3; round++) {
		uint64_t hash = round == 0 ? 0x123456789abcdef0 : round == 1 ? UINT64_MAX : 0;

		for (int i = 0; i < 300; i++) {
			uint64_t h = i % 3 ? hash : hash ^ (uint64_t)1 << (i % 64);
			struct mem_entry *e;

			snprintf(name, sizeof(name), "%d.%d", round, i);
			e = mem_entry_new(w.store, h, name, strlen(name), (uint32_t)i, SYS_S_FILE);
			CHECK(e && mem_dir_insert(w.store, &dir, e));
		}
	}
	snap = dir;
	mem_get(snap);
	for (int round = 0; round < 3; round++) {
		uint64_t hash = round == 0 ? 0x123456789abcdef0 : round == 1 ? UINT64_MAX : 0;

		for (int i = 0; i < 300; i++) {
			uint64_t h = i % 3 ? hash : hash ^ (uint64_t)1 << (i % 64);
			const struct mem_entry *e;

			snprintf(name, sizeof(name), "%d.%d", round, i);
			e = mem_dir_find(dir, h, name, strlen(name));
			CHECK(e && e->ino == (uint32_t)i);
			if (!e)
				continue;
			CHECK(mem_dir_own(w.store, &dir, e));
			mem_dir_remove(w.store, &dir, h, name, strlen(name));
			CHECK(!mem_dir_find(dir, h, name, strlen(name)));
			CHECK(mem_dir_find(snap, h, name, strlen(name)) != NULL);
			n++;
		}
	}
	CHECK_INT(n, 900);
	CHECK(dir == NULL);
	mem_dir_put(w.store, snap);
	world_end(&w);
}

static void test_hostile_names(void)
{
	static const char *const good[] = {"/ ",    "/\n",  "/\xff\xfe", "/-rf", "/a\\b",
	                                   "/\x01", "/...", "/.a",       "/*"};
	char name[400];

	start(FS_UID);
	for (size_t i = 0; i < COUNTOF(good); i++) {
		CHECK_INT(put_file(&w, good[i], good[i]), 0);
		CHECK_STR(get_file(&w, good[i]), good[i]);
	}
	memset(name, 'x', sizeof(name));
	name[0] = '/';
	name[256] = '\0';
	CHECK_INT(put_file(&w, name, "long"), 0);
	name[256] = 'x';
	name[257] = '\0';
	CHECK_INT(put_file(&w, name, "too long"), -NACRE_ENAMETOOLONG);
	CHECK_INT(put_file(&w, "", "x"), -NACRE_ENOENT);
	CHECK_INT(put_file(&w, "/.", "x"), -NACRE_EISDIR);
	CHECK_INT(put_file(&w, "/..", "x"), -NACRE_EISDIR);
	world_end(&w);
}

/* ---- Failing memory ---- */

/* A little of everything; stops nowhere, whatever fails. */
static void busy(void)
{
	static char data[100000];
	struct fs *snap = NULL, *branch = NULL;
	struct fs_mem_config config = world_config(&w, FS_UID);
	struct sys_dirent e;
	struct file *f;
	char path[32];

	memset(data, 'd', sizeof(data));
	(void)!vfs_mkdir(&w.who, "/d", 0777);
	(void)!put_file(&w, "/d/a", "hello");
	(void)!vfs_symlink(&w.who, "d/a", "/l");
	(void)!vfs_link(&w.who, "/d/a", "/d/b", 0);
	for (int i = 0; i < 6; i++) {
		snprintf(path, sizeof(path), "/d/f%d", i);
		(void)!put_file(&w, path, path);
	}
	if (fs_mem_snapshot(w.vfs.root, &snap))
		snap = NULL;
	if (fs_mem_branch(w.vfs.root, w.store, &config, &branch))
		branch = NULL;
	if (vfs_open(&w.who, "/l", SYS_O_READ | SYS_O_WRITE | SYS_O_APPEND, 0, &f) == 0) {
		struct slice s;

		(void)!f->ops->write(f, data, sizeof(data), -1);
		(void)!f->ops->truncate(f, 70000);
		(void)!f->ops->truncate(f, 200000);
		(void)!f->ops->write(f, data, 10, 5);
		(void)!vfs_unlink(&w.who, "/d/a");
		(void)!vfs_unlink(&w.who, "/d/b");
		if (f->ops->seek(f, 0, SYS_SEEK_SET) == 0 && f->ops->read_slice(f, 0, &s) > 0) {
			(void)!f->ops->write_slice(f, &s);
			slice_release(&s);
		}
		file_put(f);
	}
	(void)!vfs_rename(&w.who, "/d/f1", "/moved", 0);
	(void)!vfs_rename(&w.who, "/d/f2", "/d/f3", 0);
	(void)!vfs_rename(&w.who, "/d", "/e", 0);
	(void)!vfs_chmod(&w.who, "/e", 0700, 0);
	if (vfs_open(&w.who, "/e", SYS_O_READ | SYS_O_DIRECTORY, 0, &f) == 0) {
		while (f->ops->readdir(f, &e) > 0)
			;
		file_put(f);
	}
	if (snap) {
		(void)!fs_mem_restore(w.vfs.root, snap);
		fs_put(snap);
	}
	if (branch)
		fs_put(branch);
	(void)!put_file(&w, "/last", "1");
}

static void test_failing_memory(void)
{
	for (int all = 0; all < 2; all++) {
		for (uint64_t at = 1;; at++) {
			bool reached;

			start(FS_UID);
			w.counted.gets = 0;
			w.counted.all = all;
			w.counted.fail_at = at;
			busy();
			reached = w.counted.gets >= at;
			w.counted.fail_at = 0;
			/* The tree is whole: everything in it can be read and taken away. */
			CHECK(list(&w, "/")[0] != '-');
			CHECK_INT(put_file(&w, "/after", "works"), 0);
			CHECK_STR(get_file(&w, "/after"), "works");
			world_end(&w);
			if (!reached || failures)
				break;
		}
	}
	/* And the tree itself. */
	for (uint64_t at = 1; at < 200; at++) {
		struct fs_mem_config config;
		struct fs *fs;

		world_init(&w);
		config = world_config(&w, 0);
		w.counted.gets = 0;
		w.counted.fail_at = at;
		if (fs_mem_default_template(w.store, &config, NULL, &fs) == 0)
			fs_put(fs);
		w.counted.fail_at = 0;
		world_end(&w);
	}
}

static void test_rights(void)
{
	struct fs *mine;
	struct file *f;

	start(0);
	CHECK_INT(vfs_mkdir(&w.who, "/sticky", 0777), 0);
	CHECK_INT(vfs_chmod(&w.who, "/sticky", 01777, 0), 0);
	CHECK_INT(put_file(&w, "/sticky/roots", "r"), 0);
	CHECK_INT(put_file(&w, "/secret", "s"), 0);
	CHECK_INT(vfs_chmod(&w.who, "/secret", 0600, 0), 0);
	mine = branch_of(w.vfs.root);
	use(mine);
	CHECK_STR(get_file(&w, "/secret"), "-EACCES");
	CHECK_INT(vfs_access(&w.who, "/secret", SYS_R_OK), -NACRE_EACCES);
	CHECK_INT(vfs_access(&w.who, "/secret", SYS_F_OK), 0);
	CHECK_INT(vfs_unlink(&w.who, "/sticky/roots"), -NACRE_EPERM);
	CHECK_INT(vfs_rename(&w.who, "/sticky/roots", "/sticky/x", 0), -NACRE_EPERM);
	CHECK_INT(vfs_link(&w.who, "/secret", "/sticky/x", 0), -NACRE_EPERM);
	CHECK_INT(vfs_chmod(&w.who, "/secret", 0666, 0), -NACRE_EPERM);
	CHECK_INT(vfs_chown(&w.who, "/secret", FS_UID, -1, 0), -NACRE_EPERM);
	CHECK_INT(put_file(&w, "/sticky/mine", "m"), 0);
	CHECK_INT(vfs_chmod(&w.who, "/sticky/mine", 0, 0), 0);
	CHECK_STR(get_file(&w, "/sticky/mine"), "-EACCES");
	CHECK_INT(vfs_chown(&w.who, "/sticky/mine", 0, -1, 0), -NACRE_EPERM);
	CHECK_INT(vfs_chown(&w.who, "/sticky/mine", FS_UID, FS_GID, 0), 0);
	CHECK_INT(vfs_open(&w.who, "/sticky/new", SYS_O_WRITE | SYS_O_CREATE, 0, &f), 0);
	CHECK_INT(f->ops->write(f, "x", 1, -1), 1); /* no right to reopen, but it is open */
	file_put(f);
	CHECK_INT(vfs_unlink(&w.who, "/sticky/mine"), 0);
	world_end(&w);
}

int main(void)
{
	test_snapshot();
	test_template();
	test_counting();
	test_growing();
	test_limits();
	test_sparse();
	test_append_sharing();
	test_slices();
	test_times();
	test_orphans();
	test_collisions();
	test_hostile_names();
	test_rights();
	test_failing_memory();
	test_big_directory();
	return finish("mem");
}
