/* test_mounts.c - mounts, read-only mounts, directories that exist for mounts alone, deny patterns.
 */
#include "../fs/fixture.h"

static struct world w;

static struct fs *tree(void)
{
	struct fs_mem_config config = world_config(&w, FS_UID);
	struct fs *fs = NULL;

	CHECK_INT(fs_mem_new(w.store, &config, &fs), 0);
	return fs;
}

static void mount(const char *const *at, const bool *read_only, size_t n)
{
	struct mount v[8] = {0};
	size_t bad;

	for (size_t i = 0; i < n; i++)
		v[i] = (struct mount){
		        .at = at[i], .fs = tree(), .read_only = read_only[i], .source = "memfs"};
	CHECK_INT(mount_table_new(&w.quota, v, n, &bad, &w.vfs.mounts), 0);
	for (size_t i = 0; i < n; i++)
		fs_put(v[i].fs);
}

static void deny(const char *pattern, unsigned access)
{
	const char *why = NULL;

	if (!w.vfs.policy)
		w.vfs.policy = policy_new(&w.quota);
	CHECK_INT(policy_deny(w.vfs.policy, pattern, access, &why), 0);
}

static void start(void)
{
	struct fs_mem_config config;

	world_init(&w);
	config = world_config(&w, FS_UID);
	CHECK_INT(fs_mem_new(w.store, &config, &w.vfs.root), 0);
}

static const char *real(const char *path, int must)
{
	static char buf[SYS_PATH_MAX];
	int64_t n = vfs_realpath(&w.who, path, must, buf, sizeof(buf));

	if (n < 0)
		snprintf(buf, sizeof(buf), "-%s", errno_name((int)n));
	return buf;
}

static void test_mounts(void)
{
	static const char *const at[] = {"/m", "/m/inner", "/deep/er/down", "/w"};
	static const bool ro[] = {false, false, false, true};
	struct sys_statfs sf;
	struct sys_stat st, st2;

	start();
	CHECK_INT(vfs_mkdir(&w.who, "/w", 0777), 0);
	CHECK_INT(put_file(&w, "/w/shadowed", "x"), 0);
	CHECK_INT(put_file(&w, "/root-file", "x"), 0);
	mount(at, ro, COUNTOF(at));

	/* Listings show the mounts, sorted with the rest, once. */
	CHECK_STR(list(&w, "/"), "deep m root-file w ");
	CHECK_STR(list(&w, "/w"), "");
	CHECK_STR(list(&w, "/m"), "inner ");
	CHECK_STR(list(&w, "/deep"), "er ");
	CHECK_STR(list(&w, "/deep/er"), "down ");
	CHECK_STR(list(&w, "/deep/er/down"), "");
	CHECK_INT(put_file(&w, "/m/file", "in m"), 0);
	CHECK_INT(put_file(&w, "/m/zz", "in m"), 0);
	CHECK_STR(list(&w, "/m"), "file inner zz ");
	CHECK_INT(put_file(&w, "/m/inner/x", "deep"), 0);
	CHECK_STR(get_file(&w, "/m/inner/../inner/./x"), "deep");
	CHECK_STR(get_file(&w, "/m/../m/inner//x"), "deep");

	/* Directories above mounts, which no filesystem has. */
	CHECK_INT(vfs_stat(&w.who, "/deep", 0, &st), 0);
	CHECK_INT(st.mode, SYS_S_DIR | 0755);
	CHECK_INT(st.uid, 0);
	CHECK_INT(vfs_stat(&w.who, "/deep/er/../er/down", 0, &st), 0);
	CHECK_INT(vfs_stat(&w.who, "/deep/no", 0, &st), -NACRE_ENOENT);
	CHECK_INT(vfs_stat(&w.who, "/deep/no/no", 0, &st), -NACRE_ENOENT);
	CHECK_INT(put_file(&w, "/deep/x", "x"), -NACRE_EACCES);
	CHECK_INT(vfs_mkdir(&w.who, "/deep", 0777), -NACRE_EEXIST);
	CHECK_INT(vfs_mkdir(&w.who, "/deep/er", 0777), -NACRE_EEXIST);
	CHECK_INT(vfs_mkdir(&w.who, "/deep/x", 0777), -NACRE_EACCES);
	CHECK_INT(vfs_symlink(&w.who, "x", "/deep"), -NACRE_EEXIST);
	CHECK_INT(vfs_rmdir(&w.who, "/deep"), -NACRE_ENOTEMPTY);
	CHECK_INT(vfs_unlink(&w.who, "/deep"), -NACRE_EISDIR);
	CHECK_INT(put_file(&w, "/deep", "x"), -NACRE_EISDIR);
	CHECK_INT(vfs_access(&w.who, "/deep", SYS_R_OK | SYS_X_OK), 0);
	CHECK_INT(vfs_access(&w.who, "/deep", SYS_W_OK), -NACRE_EACCES);
	CHECK_STR(real("/deep/er/down/..", 2), "/deep/er");

	/* Mount points stay. */
	CHECK_INT(vfs_rmdir(&w.who, "/m"), -NACRE_EBUSY);
	CHECK_INT(vfs_unlink(&w.who, "/m"), -NACRE_EISDIR);
	CHECK_INT(vfs_rename(&w.who, "/m", "/n", 0), -NACRE_EBUSY);
	CHECK_INT(vfs_rename(&w.who, "/deep", "/n", 0), -NACRE_EBUSY);
	CHECK_INT(vfs_rename(&w.who, "/root-file", "/m", 0), -NACRE_EBUSY);
	CHECK_INT(vfs_rename(&w.who, "/root-file", "/m/f", 0), -NACRE_EXDEV);
	CHECK_INT(vfs_rename(&w.who, "/m/file", "/m/inner/f", 0), -NACRE_EXDEV);
	CHECK_INT(vfs_rename(&w.who, "/m/missing", "/m/inner/f", 0), -NACRE_EXDEV);
	CHECK_INT(vfs_link(&w.who, "/root-file", "/m/f", 0), -NACRE_EXDEV);

	/* Read-only. */
	w.denials = 0;
	CHECK_INT(put_file(&w, "/w/x", "x"), -NACRE_EROFS);
	CHECK_INT(w.denials, 1);
	CHECK_INT(w.last.err, -NACRE_EROFS);
	CHECK(w.last.pattern == NULL);
	CHECK_STR(w.last_path, "/w/x");
	CHECK_INT(vfs_mkdir(&w.who, "/w/d", 0777), -NACRE_EROFS);
	CHECK_INT(vfs_unlink(&w.who, "/w/missing"), -NACRE_EROFS);
	CHECK_INT(vfs_mkdir(&w.who, "/w/missing/d", 0777), -NACRE_ENOENT);
	CHECK_INT(vfs_symlink(&w.who, "x", "/w/l"), -NACRE_EROFS);
	CHECK_INT(vfs_chmod(&w.who, "/w", 0700, 0), -NACRE_EROFS);
	CHECK_INT(vfs_utimes(&w.who, "/w", (struct sys_time){0, SYS_TIME_NOW},
	                     (struct sys_time){0, SYS_TIME_NOW}, 0),
	          -NACRE_EROFS);
	CHECK_INT(vfs_access(&w.who, "/w", SYS_W_OK), -NACRE_EROFS);
	CHECK_INT(vfs_mkdir(&w.who, "/w", 0777), -NACRE_EEXIST);

	/* Links across mounts. */
	CHECK_INT(vfs_symlink(&w.who, "/m/inner", "/link"), 0);
	CHECK_STR(get_file(&w, "/link/x"), "deep");
	CHECK_STR(real("/link/x", 2), "/m/inner/x");
	CHECK_INT(vfs_symlink(&w.who, "../root-file", "/m/up"), 0);
	CHECK_STR(get_file(&w, "/m/up"), "x");
	CHECK_INT(vfs_symlink(&w.who, "../../deep/er/down", "/m/inner/synth"), 0);
	CHECK_STR(real("/m/inner/synth/..", 2), "/deep/er");
	CHECK_STR(real("/m/../../..", 2), "/");
	CHECK_STR(real("/no/such/../thing", 0), "/no/thing");
	CHECK_STR(real("/no/such", 1), "-ENOENT");
	CHECK_STR(real("/no", 1), "/no");
	CHECK_STR(real("/root-file/x", 0), "/root-file/x");
	CHECK_STR(real("/root-file/", 2), "-ENOTDIR");

	CHECK_INT(vfs_stat(&w.who, "/m", 0, &st), 0);
	CHECK_INT(vfs_stat(&w.who, "/m/inner", 0, &st2), 0);
	CHECK(st.dev != st2.dev);
	CHECK_INT(vfs_mount_at(&w.vfs, 0, &sf), 0);
	CHECK_STR(sf.mounted_on, "/");
	CHECK_INT(vfs_mount_at(&w.vfs, 4, &sf), 0);
	CHECK_STR(sf.mounted_on, "/deep/er/down");
	CHECK_STR(sf.type, "memfs");
	CHECK_INT(vfs_mount_at(&w.vfs, 5, &sf), -NACRE_ENOENT);
	CHECK_INT(vfs_statfs(&w.who, "/w", &sf), 0);
	CHECK(sf.read_only);

	/* And with the directories made. */
	CHECK_INT(mount_table_make_points(w.vfs.mounts, w.vfs.root), 0);
	CHECK_STR(list(&w, "/"), "deep link m root-file w ");
	CHECK_STR(list(&w, "/deep/er"), "down ");
	CHECK_INT(vfs_rmdir(&w.who, "/deep/er"), -NACRE_ENOTEMPTY);
	CHECK_INT(put_file(&w, "/deep/x", "x"), 0);
	world_end(&w);
}

static void test_bad_mounts(void)
{
	static const char *const bad[] = {"",       "/",   "a",     "/a/", "/a//b",
	                                  "/a/./b", "/..", "/a/..", "//a"};
	struct mount v[2] = {{.at = "/ok", .source = "x"}, {.source = "x"}};
	struct mount_table *t;
	size_t which;

	start();
	v[0].fs = v[1].fs = tree();
	for (size_t i = 0; i < COUNTOF(bad); i++) {
		v[1].at = bad[i];
		CHECK_INT(mount_table_new(&w.quota, v, 2, &which, &t), -NACRE_EINVAL);
		CHECK_INT((int64_t)which, 1);
	}
	v[1].at = "/ok";
	CHECK_INT(mount_table_new(&w.quota, v, 2, &which, &t), -NACRE_EINVAL);
	fs_put(v[0].fs);
	world_end(&w);
}

static void test_patterns(void)
{
	static const char *const bad[] = {"",     "a?",  "[a]",     "a]",  "a\\b",
	                                  "a//b", "./a", "/a/../b", "a**", "**b/c"};
	static const struct {
		const char *pattern, *path;
		bool refused;
	} cases[] = {
	        {"/a/b", "/a/b", true},
	        {"/a/b", "/a/b/c/d", true},
	        {"/a/b", "/a", false},
	        {"/a/b", "/a/bc", false},
	        {"/a/b", "/x/a/b", false},
	        {"a", "/a", true},
	        {"a", "/x/y/a", true},
	        {"a", "/x/a/y", true},
	        {"a", "/xa", false},
	        {"a/b", "/x/a/b/y", true},
	        {"a/b", "/x/a/c/b", false},
	        {"*.pem", "/k/x.pem", true},
	        {"*.pem", "/k/x.pem/y", true},
	        {"*.pem", "/k/x.pem2", false},
	        {"/k/*.pem", "/k/d/x.pem", false},
	        {"/k/*.pem", "/k/.pem", true},
	        {"/k/**/x", "/k/x", true},
	        {"/k/**/x", "/k/1/2/3/x/y", true},
	        {"/k/**/x", "/x", false},
	        {"**", "/", true},
	        {"/", "/", true},
	        {"/", "/a", true},
	        {"/a/*", "/a", false},
	        {"/a/*", "/a/b", true},
	        {"a*b*c", "/aXbXc", true},
	        {"a*b*c", "/abbbc", true},
	        {"a*b*c", "/abbb", false},
	        {"/a/b/", "/a/b/c", true},
	        {"**/a/**/b", "/x/a/y/z/b", true},
	        {"**/a/**/b", "/x/b/y/a", false},
	        {"*", "/a", true},
	        {"*", "/", false},
	        {"a/a/b", "/a/a/a/b", true},
	        {".env", "/w/.env", true},
	};
	const char *why;
	size_t rule;

	start();
	for (size_t i = 0; i < COUNTOF(bad); i++) {
		struct policy *p = policy_new(&w.quota);

		why = NULL;
		CHECK_INT(policy_deny(p, bad[i], POLICY_READ, &why), -NACRE_EINVAL);
		CHECK(why != NULL);
		policy_put(p);
	}
	for (size_t i = 0; i < COUNTOF(cases); i++) {
		struct policy *p = policy_new(&w.quota);

		CHECK_INT(policy_deny(p, "/never", POLICY_READ, &why), 0);
		CHECK_INT(policy_deny(p, cases[i].pattern, POLICY_WRITE, &why), 0);
		if (policy_refuses(p, cases[i].path, strlen(cases[i].path), POLICY_WRITE, &rule) != cases[i].refused) {
			printf("%s against %s\n", cases[i].pattern, cases[i].path);
			failures++;
		} else if (cases[i].refused) {
			CHECK_INT((int64_t)rule, 1);
			CHECK_STR(policy_pattern(p, rule), cases[i].pattern);
		}
		CHECK(!policy_refuses(p, cases[i].path, strlen(cases[i].path), POLICY_READ, &rule));
		policy_put(p);
	}
	world_end(&w);
}

static void test_deny(void)
{
	struct sys_stat st;
	char buf[100];

	start();
	CHECK_INT(vfs_mkdir(&w.who, "/w", 0777), 0);
	CHECK_INT(vfs_mkdir(&w.who, "/w/secret", 0777), 0);
	CHECK_INT(put_file(&w, "/w/secret/key", "k"), 0);
	CHECK_INT(put_file(&w, "/w/.env", "TOKEN"), 0);
	CHECK_INT(put_file(&w, "/w/plain", "p"), 0);
	CHECK_INT(vfs_symlink(&w.who, "secret/key", "/w/link"), 0);
	CHECK_INT(vfs_symlink(&w.who, "secret", "/w/dirlink"), 0);
	CHECK_INT(vfs_symlink(&w.who, "../plain", "/w/secret/out"), 0);
	CHECK_INT(vfs_mkdir(&w.who, "/w/pkg", 0777), 0);
	CHECK_INT(vfs_mkdir(&w.who, "/w/pkg/sub", 0777), 0);
	CHECK_INT(put_file(&w, "/w/pkg/sub/.env", "T"), 0);
	CHECK_INT(vfs_mkdir(&w.who, "/w/clean", 0777), 0);
	CHECK_INT(vfs_mkdir(&w.who, "/w/ro", 0777), 0);
	CHECK_INT(put_file(&w, "/w/ro/f", "ro"), 0);
	deny("/w/secret", POLICY_READ | POLICY_WRITE);
	deny(".env", POLICY_READ | POLICY_WRITE);
	deny("/w/ro", POLICY_WRITE);

	/* Names are still listed. */
	CHECK_STR(list(&w, "/w"), ".env clean dirlink link pkg plain ro secret ");
	CHECK_STR(list(&w, "/w/secret"), "-EACCES");
	CHECK_STR(get_file(&w, "/w/secret/key"), "-EACCES");
	CHECK_STR(w.last_path, "/w/secret/key");
	CHECK_STR(w.last.operation, "open");
	CHECK_STR(w.last.pattern, "/w/secret");
	CHECK_INT(w.last.access, POLICY_READ);

	/* However it is said. */
	CHECK_STR(get_file(&w, "/w/link"), "-EACCES");
	CHECK_STR(get_file(&w, "/w/dirlink/key"), "-EACCES");
	CHECK_STR(get_file(&w, "/w/clean/../secret/key"), "-EACCES");
	CHECK_STR(get_file(&w, "//w/./secret///key"), "-EACCES");
	CHECK_STR(get_file(&w, "/w/secret/out"), "-EACCES");
	CHECK_STR(get_file(&w, "/w/dirlink/out"), "-EACCES"); /* the link itself lies in there */
	CHECK_STR(get_file(&w, "/w/secret/../plain"), "p");
	w.who.cwd = "/w";
	CHECK_STR(get_file(&w, ".env"), "-EACCES");
	CHECK_STR(get_file(&w, "secret/key"), "-EACCES");
	CHECK_STR(get_file(&w, "plain"), "p");
	w.who.cwd = "/";

	/* Every operation. */
	CHECK_INT(put_file(&w, "/w/.env", "x"), -NACRE_EACCES);
	CHECK_INT(put_file(&w, "/w/clean/.env", "x"), -NACRE_EACCES);
	CHECK_INT(vfs_stat(&w.who, "/w/.env", 0, &st), -NACRE_EACCES);
	CHECK_INT(vfs_stat(&w.who, "/w/secret/none", 0, &st), -NACRE_EACCES);
	CHECK_INT(vfs_stat(&w.who, "/w/secret/none/none", 0, &st), -NACRE_EACCES);
	CHECK_INT(vfs_mkdir(&w.who, "/w/secret/d", 0777), -NACRE_EACCES);
	CHECK_INT(vfs_mkdir(&w.who, "/w/secret/none/d", 0777), -NACRE_EACCES);
	CHECK_INT(vfs_mkdir(&w.who, "/w/secret", 0777), -NACRE_EACCES);
	CHECK_INT(vfs_rmdir(&w.who, "/w/secret"), -NACRE_EACCES);
	CHECK_INT(vfs_unlink(&w.who, "/w/.env"), -NACRE_EACCES);
	CHECK_INT(vfs_unlink(&w.who, "/w/dirlink/key"), -NACRE_EACCES);
	CHECK_INT(vfs_rename(&w.who, "/w/.env", "/w/env", 0), -NACRE_EACCES);
	CHECK_INT(vfs_rename(&w.who, "/w/plain", "/w/secret/p", 0), -NACRE_EACCES);
	CHECK_INT(vfs_rename(&w.who, "/w/plain", "/w/dirlink/p", 0), -NACRE_EACCES);
	CHECK_INT(vfs_link(&w.who, "/w/.env", "/w/e", 0), -NACRE_EACCES);
	CHECK_INT(vfs_link(&w.who, "/w/link", "/w/e", 0), -NACRE_EACCES);
	CHECK_INT(vfs_link(&w.who, "/w/plain", "/w/secret/p", 0), -NACRE_EACCES);
	CHECK_INT(vfs_symlink(&w.who, "x", "/w/secret/l"), -NACRE_EACCES);
	CHECK_INT(vfs_mkfifo(&w.who, "/w/secret/f", 0666), -NACRE_EACCES);
	CHECK_INT((int)vfs_readlink(&w.who, "/w/secret/out", buf, sizeof(buf)), -NACRE_EACCES);
	CHECK_INT((int)vfs_readlink(&w.who, "/w/link", buf, sizeof(buf)), 10);
	CHECK_INT(vfs_chmod(&w.who, "/w/link", 0777, 0), -NACRE_EACCES);
	CHECK_INT(vfs_chown(&w.who, "/w/.env", -1, -1, 0), -NACRE_EACCES);
	CHECK_INT(vfs_truncate(&w.who, "/w/link", 0), -NACRE_EACCES);
	CHECK_INT(
	        vfs_utimes(&w.who, "/w/link", (struct sys_time){1, 0}, (struct sys_time){1, 0}, 0),
	        -NACRE_EACCES);
	CHECK_INT(vfs_access(&w.who, "/w/.env", SYS_F_OK), -NACRE_EACCES);
	CHECK_INT((int)vfs_realpath(&w.who, "/w/dirlink", 2, buf, sizeof(buf)), -NACRE_EACCES);
	CHECK_INT((int)vfs_chdir(&w.who, "/w/dirlink", buf, sizeof(buf)), -NACRE_EACCES);
	CHECK_INT((int)vfs_chdir(&w.who, "/w/clean", buf, sizeof(buf)), 8);

	/* A directory cannot be moved with what is refused in it; without, it can. */
	CHECK_INT(vfs_rename(&w.who, "/w", "/v", 0), -NACRE_EACCES);
	CHECK_INT(vfs_rename(&w.who, "/w/pkg", "/w/pkg2", 0), -NACRE_EACCES);
	CHECK_STR(w.last_path, "/w/pkg/sub/.env");
	CHECK_INT(vfs_rename(&w.who, "/w/clean", "/w/clean2", 0), 0);

	/* Read-only by pattern. */
	CHECK_STR(get_file(&w, "/w/ro/f"), "ro");
	CHECK_INT(put_file(&w, "/w/ro/f", "x"), -NACRE_EACCES);
	CHECK_INT(vfs_mkdir(&w.who, "/w/ro", 0777), -NACRE_EEXIST);
	CHECK_INT(vfs_unlink(&w.who, "/w/ro/f"), -NACRE_EACCES);
	CHECK_INT(vfs_access(&w.who, "/w/ro/f", SYS_R_OK), 0);
	CHECK_INT(vfs_access(&w.who, "/w/ro/f", SYS_W_OK), -NACRE_EACCES);
	CHECK_INT(vfs_link(&w.who, "/w/ro/f", "/w/alias", 0), -NACRE_EACCES);
	CHECK_INT(vfs_rename(&w.who, "/w/ro", "/w/rw", 0), -NACRE_EACCES);
	world_end(&w);
}

static void test_links(void)
{
	char name[32], to[32];
	static char big[5000];
	char longpath[4200];
	struct sys_stat st;

	start();
	CHECK_INT(put_file(&w, "/l0", "end"), 0);
	for (int i = 1; i <= 41; i++) {
		snprintf(name, sizeof(name), "/l%d", i);
		snprintf(to, sizeof(to), "l%d", i - 1);
		CHECK_INT(vfs_symlink(&w.who, to, name), 0);
	}
	CHECK_STR(get_file(&w, "/l40"), "end");
	CHECK_STR(get_file(&w, "/l41"), "-ELOOP");
	CHECK_INT(vfs_symlink(&w.who, "self/x", "/self"), 0);
	CHECK_STR(get_file(&w, "/self"), "-ELOOP");
	CHECK_INT(vfs_mkdir(&w.who, "/self", 0777), -NACRE_EEXIST);
	memset(big, 'x', 4095);
	CHECK_INT(vfs_symlink(&w.who, big, "/big"), 0);
	CHECK_STR(get_file(&w, "/big"), "-ENAMETOOLONG");
	big[4095] = 'x';
	CHECK_INT(vfs_symlink(&w.who, big, "/big2"), -NACRE_ENAMETOOLONG);
	CHECK_INT(vfs_symlink(&w.who, "", "/empty"), -NACRE_ENOENT);
	/* The longest path. */
	memset(longpath, '/', sizeof(longpath));
	memcpy(longpath + 4092, "l0", 3);
	CHECK_INT(vfs_stat(&w.who, longpath, 0, &st), 0);
	memcpy(longpath + 4092, "/l0", 4);
	CHECK_INT(vfs_stat(&w.who, longpath, 0, &st), 0);
	memcpy(longpath + 4092, "//l0", 5);
	CHECK_INT(vfs_stat(&w.who, longpath, 0, &st), -NACRE_ENAMETOOLONG);
	/* A cwd that has become a link. */
	CHECK_INT(vfs_mkdir(&w.who, "/one", 0777), 0);
	CHECK_INT(vfs_mkdir(&w.who, "/one/in", 0777), 0);
	CHECK_INT(put_file(&w, "/one/in/f", "found"), 0);
	CHECK_INT(vfs_symlink(&w.who, "one", "/two"), 0);
	w.who.cwd = "/two/in";
	CHECK_STR(get_file(&w, "f"), "found");
	CHECK_STR(get_file(&w, "../in/f"), "found");
	CHECK_STR(get_file(&w, "../in"), "-EISDIR");
	CHECK_STR(real("f", 2), "/one/in/f");
	CHECK_STR(real("", 2), "-ENOENT");
	w.who.cwd = "/";
	world_end(&w);
}

/* What is open is judged by where it was opened, and changes whatever has become of its name. */
static void test_open_files(void)
{
	static const char *const at[] = {"/r"};
	static const bool ro[] = {true};
	const struct sys_time then = {-5, 7}, omit = {0, SYS_TIME_OMIT};
	struct sys_statfs sf;
	struct file *f, *dir;
	struct sys_stat st;
	char buf[100];

	start();
	CHECK_INT(vfs_mkdir(&w.who, "/w", 0777), 0);
	CHECK_INT(vfs_mkdir(&w.who, "/w/only", 0777), 0);
	CHECK_INT(put_file(&w, "/w/f", "f"), 0);
	CHECK_INT(put_file(&w, "/w/only/g", "g"), 0);
	mount(at, ro, 1);
	deny("/w/only", POLICY_WRITE);

	CHECK_INT(vfs_open(&w.who, "/w/f", SYS_O_READ, 0, &f), 0);
	CHECK_INT(vfs_fchmod(&w.who, f, 0601), 0);
	CHECK_INT(vfs_fchown(&w.who, f, FS_UID, FS_GID), 0);
	CHECK_INT(vfs_fchown(&w.who, f, 1, -1), -NACRE_EPERM);
	CHECK_INT(vfs_futimes(&w.who, f, omit, then), 0);
	CHECK_INT(vfs_stat(&w.who, "/w/f", 0, &st), 0);
	CHECK_INT(st.mode & 07777, 0601);
	CHECK(st.mtime.sec == -5 && st.mtime.nsec == 7 && st.atime.sec != -5);
	CHECK_INT(vfs_futimes(&w.who, f, omit, (struct sys_time){0, -3}), -NACRE_EINVAL);
	CHECK_INT(vfs_fstatfs(&w.who, f, &sf), 0);
	CHECK(!sf.read_only);
	CHECK_INT(vfs_fchdir(&w.who, f, buf, sizeof(buf)), -NACRE_ENOTDIR);
	/* Another file has its name now; then none has. */
	CHECK_INT(vfs_rename(&w.who, "/w/f", "/w/moved", 0), 0);
	CHECK_INT(put_file(&w, "/w/f", "other"), 0);
	CHECK_INT(vfs_fchmod(&w.who, f, 0602), 0);
	CHECK_INT(vfs_stat(&w.who, "/w/moved", 0, &st), 0);
	CHECK_INT(st.mode & 07777, 0602);
	CHECK_INT(vfs_stat(&w.who, "/w/f", 0, &st), 0);
	CHECK(st.mode != (SYS_S_FILE | 0602));
	CHECK_INT(vfs_unlink(&w.who, "/w/moved"), 0);
	CHECK_INT(vfs_fchmod(&w.who, f, 0603), 0);
	CHECK_INT(f->ops->stat(f, &st), 0);
	CHECK_INT(st.mode & 07777, 0603);
	file_put(f);

	/* Readable, but not to be changed: by a pattern, by its mount. */
	w.denials = 0;
	CHECK_INT(vfs_open(&w.who, "/w/only/g", SYS_O_READ, 0, &f), 0);
	CHECK_INT(vfs_fchmod(&w.who, f, 0), -NACRE_EACCES);
	CHECK_STR(w.last.operation, "chmod");
	CHECK_STR(w.last.pattern, "/w/only");
	CHECK_STR(w.last_path, "/w/only/g");
	CHECK_INT(vfs_fchown(&w.who, f, FS_UID, -1), -NACRE_EACCES);
	CHECK_INT(vfs_futimes(&w.who, f, then, then), -NACRE_EACCES);
	CHECK_INT(w.denials, 3);
	CHECK_INT(vfs_fstatfs(&w.who, f, &sf), 0);
	file_put(f);
	CHECK_INT(vfs_open(&w.who, "/r", SYS_O_READ, 0, &dir), 0);
	CHECK_INT(vfs_fchmod(&w.who, dir, 0), -NACRE_EROFS);
	CHECK_INT(vfs_futimes(&w.who, dir, then, then), -NACRE_EROFS);
	CHECK_INT(w.last.err, -NACRE_EROFS);
	CHECK_STR(w.last_path, "/r");
	CHECK_INT(vfs_fstatfs(&w.who, dir, &sf), 0);
	CHECK(sf.read_only);
	CHECK_INT(vfs_fchdir(&w.who, dir, buf, sizeof(buf)), 2);
	CHECK_STR(buf, "/r");
	file_put(dir);

	/* A directory that is not searchable, that has moved, that is denied by now. */
	CHECK_INT(vfs_mkdir(&w.who, "/w/d", 0777), 0);
	CHECK_INT(vfs_open(&w.who, "/w/d", SYS_O_READ, 0, &dir), 0);
	CHECK_INT(vfs_fchmod(&w.who, dir, 0600), 0);
	CHECK_INT(vfs_fchdir(&w.who, dir, buf, sizeof(buf)), -NACRE_EACCES);
	CHECK_INT(vfs_fchmod(&w.who, dir, 0700), 0);
	CHECK_INT(vfs_fchdir(&w.who, dir, buf, sizeof(buf)), 4);
	deny("/w/d", POLICY_READ);
	CHECK_INT(vfs_fchdir(&w.who, dir, buf, sizeof(buf)), -NACRE_EACCES);
	CHECK_STR(w.last.operation, "chdir");
	CHECK_INT(vfs_rename(&w.who, "/w/d", "/w/e", 0), -NACRE_EACCES);
	file_put(dir);
	CHECK_INT(vfs_mkdir(&w.who, "/w/m", 0777), 0);
	CHECK_INT(vfs_open(&w.who, "/w/m", SYS_O_READ, 0, &dir), 0);
	CHECK_INT(vfs_rename(&w.who, "/w/m", "/w/n", 0), 0);
	CHECK_INT(vfs_fchdir(&w.who, dir, buf, sizeof(buf)), -NACRE_ENOENT);
	file_put(dir);
	world_end(&w);
}

int main(void)
{
	test_mounts();
	test_open_files();
	test_bad_mounts();
	test_patterns();
	test_deny();
	test_links();
	return finish("mounts");
}
