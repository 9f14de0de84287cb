/*
 * fuzz_path.c - path resolution under hostile paths, links and operations.
 *
 * The input is a list of operations, each an opcode byte and one or two NUL-terminated paths.
 * Whatever they do: resolved paths are absolute and clean, what the policy protects is never read,
 * nothing else than the tree is touched, and at the end every byte is back.
 */
#include <stdlib.h>

#include "../unit/fs/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct world w;

static void must(bool ok)
{
	if (!ok)
		abort();
}

static struct fs *tree(void)
{
	struct fs_mem_config config = world_config(&w, FS_UID);
	struct fs *fs = NULL;

	must(fs_mem_new(w.store, &config, &fs) == 0);
	return fs;
}

static void start(void)
{
	struct mount v[] = {{.at = "/m", .source = "m"},
	                    {.at = "/a/b/c", .source = "n"},
	                    {.at = "/m/r", .source = "r", .read_only = true}};
	const char *why;
	size_t bad;

	world_init(&w);
	w.vfs.root = tree();
	for (size_t i = 0; i < COUNTOF(v); i++)
		v[i].fs = tree();
	must(mount_table_new(&w.quota, v, COUNTOF(v), &bad, &w.vfs.mounts) == 0);
	for (size_t i = 0; i < COUNTOF(v); i++)
		fs_put(v[i].fs);
	must(vfs_mkdir(&w.who, "/s", 0777) == 0);
	must(put_file(&w, "/s/k", "CANARY") == 0);
	must(vfs_symlink(&w.who, "s", "/l") == 0);
	must(vfs_symlink(&w.who, "../s/k", "/m/k") == 0);
	w.vfs.policy = policy_new(&w.quota);
	must(policy_deny(w.vfs.policy, "/s", POLICY_READ | POLICY_WRITE, &why) == 0);
	w.quota.limit = w.quota.used + (1 << 22);
}

static void check_clean(const char *path, int64_t len)
{
	must(len > 0 && path[0] == '/' && strlen(path) == (size_t)len);
	must(!strstr(path, "//") && !strstr(path, "/./") && !strstr(path, "/../"));
	must(len == 1 || path[len - 1] != '/');
}

/* The next word of the input; "" at the end. */
static const char *word(const uint8_t **at, const uint8_t *end)
{
	static char words[4][6000];
	static unsigned turn;
	char *out = words[turn++ % 4];
	size_t n = 0;

	while (*at < end && **at && n < sizeof(words[0]) - 1)
		out[n++] = (char)*(*at)++;
	if (*at < end)
		(*at)++;
	out[n] = '\0';
	return out;
}

static void open_one(const char *path, unsigned flags)
{
	char buf[8];
	struct file *f;
	int64_t n;

	if (vfs_open(&w.who, path, flags, 0666, &f))
		return;
	n = f->ops->read ? f->ops->read(f, buf, sizeof(buf), 0) : 0;
	must(n < 6 || memcmp(buf, "CANARY", 6) != 0);
	if ((flags & SYS_O_WRITE) && f->ops->write)
		(void)!f->ops->write(f, path, strlen(path), -1);
	file_put(f);
}

static void resolve(const char *path, unsigned op)
{
	char buf[SYS_PATH_MAX];
	int64_t n = vfs_realpath(&w.who, path, (int)(op % 3), buf, sizeof(buf));
	struct sys_stat st;

	if (n < 0)
		return;
	check_clean(buf, n);
	if (op % 3 == 2)
		must(vfs_stat(&w.who, buf, SYS_NOFOLLOW, &st) == 0);
}

static void operate(unsigned op, const char *a, const char *b)
{
	static char cwd[SYS_PATH_MAX];
	struct sys_stat st;
	int64_t n;

	switch (op % 16) {
	case 0: (void)!vfs_mkdir(&w.who, a, 0777); break;
	case 1: (void)!vfs_rmdir(&w.who, a); break;
	case 2: (void)!vfs_unlink(&w.who, a); break;
	case 3: (void)!vfs_rename(&w.who, a, b, op & 16 ? SYS_NOREPLACE : 0); break;
	case 4: (void)!vfs_link(&w.who, a, b, op & 16 ? SYS_NOFOLLOW : 0); break;
	case 5:
	case 6: (void)!vfs_symlink(&w.who, a, b); break;
	case 7: (void)!vfs_stat(&w.who, a, op & 16 ? SYS_NOFOLLOW : 0, &st); break;
	case 8: (void)!vfs_chmod(&w.who, a, 0700, 0); break;
	case 9:
		n = vfs_chdir(&w.who, a, cwd, sizeof(cwd));
		if (n > 0) {
			check_clean(cwd, n);
			w.who.cwd = cwd;
		} else {
			w.who.cwd = "/";
		}
		break;
	case 10:
	case 11: resolve(a, op); break;
	case 12: must(list(&w, a) != NULL); break;
	case 13: (void)!vfs_truncate(&w.who, a, 10); break;
	case 14: open_one(a, SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE); break;
	default: open_one(a, SYS_O_READ); break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *at = data, *end = data + size;

	start();
	while (at < end) {
		unsigned op = *at++;
		const char *a = word(&at, end);
		bool two = op % 16 >= 3 && op % 16 <= 6;

		operate(op, a, two ? word(&at, end) : "");
	}
	w.who.cwd = "/";
	w.quota.limit = 0;
	world_end(&w);
	must(failures == 0);
	return 0;
}
