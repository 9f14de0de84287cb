/* test_overlay.c - overlays, mounts in memory and quotas through the public API. FS-14, FS-09. */
#include "harness.h"

#include <sys/stat.h>
#include <unistd.h>

static char base[] = "/tmp/nacre-overlay-XXXXXX";

static const char *host(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", base, name);
	return path;
}

static void write_host(const char *name, const char *text)
{
	FILE *f = fopen(host(name), "w");

	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static bool host_has(const char *name, const char *text)
{
	char buf[200] = "";
	FILE *f = fopen(host(name), "r");
	size_t n = f ? fread(buf, 1, sizeof(buf) - 1, f) : 0;

	if (f)
		fclose(f);
	return f && n == strlen(text) && memcmp(buf, text, n) == 0;
}

static void test_review(const nacre_config *cfg)
{
	nacre_change c;
	nacre_changes *changes;
	nacre_sandbox *a, *b;
	char *patch;
	size_t len;

	CHECK(nacre_sandbox_new(&a, rt, cfg) == 0);
	CHECK(nacre_sandbox_new(&b, rt, cfg) == 0);
	CHECK(prints(a, "cd /w; echo A > f; mv g h; chmod 700 d; echo n > n; ls", "d\nf\nh\nn\n"));
	CHECK(prints(b, "cd /w; ls; cat f; rm f", "d\nf\ng\nf\n"));
	CHECK(host_has("f", "f\n"));
	CHECK(nacre_overlay_changes(&changes, a, "/w") == 0);
	CHECK(nacre_changes_count(changes) == 4);
	memset(&c, 0, sizeof(c));
	CHECK(nacre_changes_get(&c, changes, 0) == -EINVAL);
	c.size = sizeof(c);
	CHECK(nacre_changes_get(&c, changes, 0) == 0 && c.kind == NACRE_CHANGE_MODE && !strcmp(c.path, "/w/d") && (c.new_mode & 0777) == 0700);
	CHECK(nacre_changes_get(&c, changes, 1) == 0 && c.kind == NACRE_CHANGE_MODIFIED && !strcmp(c.path, "/w/f") && !c.conflict);
	CHECK(nacre_changes_get(&c, changes, 2) == 0 && c.kind == NACRE_CHANGE_RENAMED && !strcmp(c.from, "/w/g") && !c.content);
	CHECK(nacre_changes_get(&c, changes, 3) == 0 && c.kind == NACRE_CHANGE_ADDED && !strcmp(c.path, "/w/n") && c.old_mode == 0);
	CHECK(nacre_changes_get(&c, changes, 4) == -ERANGE);
	nacre_changes_free(changes);
	CHECK(nacre_overlay_diff(&patch, &len, a, NULL) == 0 && strlen(patch) == len && strstr(patch, "\n-f\n+A\n"));
	nacre_free(patch);
	CHECK(nacre_overlay_commit(a, "/w", 0) == 0);
	CHECK(host_has("f", "A\n") && host_has("h", "g\n") && host_has("n", "n\n") && access(host("g"), F_OK) != 0);
	CHECK(nacre_overlay_changes(&changes, a, NULL) == 0 && nacre_changes_count(changes) == 0);
	nacre_changes_free(changes);
	/* The other one took the former f away: not what is there now. */
	CHECK(nacre_overlay_commit(b, NULL, 0) == -ESTALE && strstr(nacre_runtime_error(rt), "/w/f"));
	CHECK(nacre_overlay_discard(b, NULL) == 0);
	CHECK(prints(b, "cat /w/f", "A\n"));
	CHECK(nacre_overlay_commit(b, "/none", 0) == -EINVAL);
	CHECK(nacre_overlay_commit(b, NULL, 8) == -EINVAL);
	nacre_sandbox_free(a);
	nacre_sandbox_free(b);
}

/* What was never written stays unwritten on the host. */
static void test_holes(const nacre_config *cfg)
{
	nacre_sandbox *sb;
	struct stat st;
	char *patch;
	size_t len;

	CHECK(nacre_sandbox_new(&sb, rt, cfg) == 0);
	CHECK(prints(sb, "cd /w; truncate -s 100G holes; echo middle | dd of=holes bs=1 seek=5000000000 conv=notrunc status=none; echo end >> holes", ""));
	CHECK(nacre_overlay_diff(&patch, &len, sb, NULL) == 0 && strstr(patch, "Binary files /dev/null and b/holes differ\n"));
	nacre_free(patch);
	CHECK(nacre_overlay_commit(sb, NULL, 0) == 0);
	CHECK(stat(host("holes"), &st) == 0 && st.st_size == (100ll << 30) + 4 && st.st_blocks < 1000);
	CHECK(prints(sb, "cd /w; tail -c 4 holes; tail -c +5000000001 holes | head -c 7", "end\nmiddle\n"));
	/* What is copied up of it is the data alone, whether something follows the last hole or not. */
	CHECK(prints(sb, "cd /w; echo more >> holes; tail -c 9 holes; tail -c +5000000001 holes | head -c 7; [ $(stat -c %b holes) -lt 1000 ] && echo sparse",
		     "end\nmore\nmiddle\nsparse\n"));
	CHECK(nacre_overlay_discard(sb, NULL) == 0);
	CHECK(truncate(host("holes"), 200ll << 30) == 0);
	CHECK(prints(sb, "cd /w; printf M | dd of=holes bs=1 seek=5000000000 conv=notrunc status=none; stat -c %s holes; tail -c +5000000001 holes | head -c 7",
		     "214748364800\nMiddle\n"));
	CHECK(unlink(host("holes")) == 0);
	nacre_sandbox_free(sb);
}

static void test_memory(const nacre_config *cfg)
{
	nacre_sandbox *a, *b;

	CHECK(nacre_sandbox_new(&a, rt, cfg) == 0);
	CHECK(nacre_sandbox_new(&b, rt, cfg) == 0);
	CHECK(prints(a, "echo x > /scratch/f; mv /scratch/f /w/; cat /w/f; df /scratch | tail -n1 | cut -d' ' -f1", "x\nmemfs\n"));
	CHECK(prints(b, "ls /scratch", ""));
	/* FS-09: quotas, with GNU's words. */
	CHECK(prints(b, "cd /scratch; head -c 300000 /dev/zero > big 2>&1; stat -c %s big; dd if=/dev/zero of=big2 bs=1000 count=200 2>&1 | head -n1", "200000\ndd: error writing 'big2': No space left on device\n"));
	CHECK(prints(b, "cd /scratch; rm *; cat /dev/zero 2>&1 > big; for i in 1 2 3 4 5 6; do : > f$i; done 2>&1 | head -n1 | sed 's/.*: f/f/'", "cat: write error: File too large\nf6: No space left on device\n"));
	nacre_sandbox_free(a);
	nacre_sandbox_free(b);
}

/* FS-09: bounds are about what a script keeps there: not the root directory, nor what an overlay remembers of files that are read. */
static void test_bounds(void)
{
	static const struct {
		uint64_t bytes, files, size;
		const char *script, *out;
	} cases[] = {
		{1, 0, 0, "cat d/* | wc -l; : > new; echo $?; echo x > f; echo $?; cat f", "400\n1\n1\nf\n"},
		{3000, 0, 0, "cat d/* | wc -l; echo x > f; cat f; rm d/1; mkdir m; cat d/* | wc -l; ls d | wc -l", "400\nx\n399\n399\n"},
		{0, 1, 0, "cat d/* | wc -l; : > new; : > more; echo $?; rm new; : > more; echo $?; df -i . | awk 'END { print $2, $3, $4 }'", "400\n1\n0\n1 1 0\n"},
		{0, 0, 3, "cat d/* | wc -l; printf 123 > f; printf 1234 > g; echo $?; rm d/1; mv d/2 d/3; cat f; ls d | wc -l", "400\n1\n123398\n"},
		{0, 0, 3, "echo y >> d/400; echo $?; echo y >> d/1; cat d/1", "1\n1\ny"},
	};
	char name[16];
	uint64_t bytes, files;

	write_host("f", "f\n");
	for (int i = 1; i <= 400; i++) {
		snprintf(name, sizeof(name), "d/%d", i);
		write_host(name, i == 400 ? "400\n" : "1\n");
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		nacre_config *cfg = nacre_config_new();
		nacre_sandbox *sb;

		CHECK(nacre_config_mount(cfg, base, "/w", NACRE_MOUNT_OVERLAY) == 0 && nacre_config_cwd(cfg, "/w") == 0);
		CHECK(nacre_config_mount(cfg, NULL, "/m", NACRE_MOUNT_MEMORY) == 0);
		CHECK(nacre_config_mount_quota(cfg, "/w", cases[i].bytes, cases[i].files, cases[i].size) == 0);
		CHECK(nacre_config_mount_quota(cfg, "/m", 1, 1, 1) == 0);
		sb = sandbox(cfg);
		CHECK(nacre_mount_usage(&bytes, &files, sb, "/w") == 0 && bytes == 0 && files == 0);
		CHECK(nacre_mount_usage(&bytes, &files, sb, "/m") == 0 && bytes == 0 && files == 0);
		CHECK(prints(sb, cases[i].script, cases[i].out));
		/* A branch goes on with the same count. */
		if (i == 2) {
			nacre_snapshot *s;
			nacre_sandbox *b;

			CHECK(nacre_snapshot_new(&s, sb) == 0 && nacre_sandbox_branch(&b, s) == 0);
			CHECK(prints(b, ": > other; echo $?; rm more; : > other; echo $?; cat d/2", "1\n0\n1\n"));
			CHECK(nacre_mount_usage(&bytes, &files, b, "/w") == 0 && files == 1);
			nacre_sandbox_free(b);
			nacre_snapshot_free(s);
		}
		nacre_sandbox_free(sb);
		nacre_config_free(cfg);
	}
}

int main(void)
{
	nacre_config *cfg = nacre_config_new();

	CHECK(mkdtemp(base) != NULL);
	write_host("f", "f\n");
	write_host("g", "g\n");
	CHECK(mkdir(host("d"), 0755) == 0);
	CHECK(nacre_runtime_new(&rt) == 0);
	CHECK(nacre_config_mount(cfg, base, "/w", NACRE_MOUNT_OVERLAY) == 0);
	CHECK(nacre_config_mount(cfg, NULL, "/scratch", NACRE_MOUNT_MEMORY) == 0);
	CHECK(nacre_config_mount(cfg, base, "/x", 4) == -EINVAL);
	CHECK(nacre_config_mount_quota(cfg, "/scratch", 260000, 6, 200000) == 0);
	CHECK(nacre_config_mount_quota(cfg, "/none", 1, 1, 1) == -ENOENT);
	test_review(cfg);
	test_holes(cfg);
	test_memory(cfg);
	test_bounds();
	remove_tree(base);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	return summary();
}
